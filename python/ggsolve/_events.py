"""What is told while something runs: findings as warnings, progress to whoever asked for it, the rest in the log."""

from __future__ import annotations

import json
import logging
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TextIO

from .errors import RulesWarning

__all__ = ["Progress", "ProgressListener"]

#: What whoever waits has to know are warnings in the log; how something is done is information.
log = logging.getLogger("ggsolve")


@dataclass(frozen=True)
class Progress:
    """Something that happened during a run. ``str()`` says it in a line."""

    #: ``"started"`` and ``"finished"``: a stage; ``"layer"``: one more layer, or one more round where all states are
    #: solved at once; ``"restarted"``: the rounds begin anew; ``"work"``: a part of some work; ``"message"``: what is in
    #: ``text``.
    kind: str
    #: The stage (``"parse"``, ``"ground"``, ``"forward"``, ``"backward"``, …) or what work is done.
    stage: str | None = None
    #: The layer, from 0, and how many there are, if that is known.
    layer: int | None = None
    layers: int | None = None
    #: States of the layer, and nodes of the diagram just made.
    states: int | None = None
    nodes: int | None = None
    #: What the stage or layer took.
    seconds: float | None = None
    #: How often the rounds have begun anew.
    times: int | None = None
    #: Pieces of work, done and in all.
    done: int | None = None
    total: int | None = None
    #: In words.
    text: str = ""

    def __str__(self) -> str:
        if self.kind == "layer":
            of = "" if self.layers is None else f" of {self.layers}"
            states = "" if self.states is None else f", {self.states:,} states"
            return f"{self.stage} layer {self.layer}{of}{states}, {self.nodes:,} nodes"
        if self.kind == "restarted":
            return f"restart {self.times:,}"
        if self.kind == "work":
            return f"{self.stage} {self.done:,} of {self.total:,}"
        if self.kind == "finished":
            detail = f", {self.text}" if self.text else ""
            return f"{self.stage} took {self.seconds:.3f} s{detail}"
        return self.stage or self.text


ProgressListener = bool | Callable[[Progress], object] | None


class Line:
    """Shows the last event in one line of a stream; one event a line where that is no terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.width = 0

    def __call__(self, progress: Progress) -> None:
        # Messages are for those who look into a run.
        if progress.kind == "message":
            return
        if not self.stream.isatty():
            self.stream.write(f"{progress}\n")
        else:
            text = str(progress)[:79]
            self.stream.write(f"\r{text:{self.width}}")
            self.width = len(text)
        self.stream.flush()

    def end(self) -> None:
        """Leaves the line empty for others."""
        if self.width:
            self.stream.write(f"\r{'':{self.width}}\r")
            self.stream.flush()
            self.width = 0


class Notify:
    """Hears the events of the native part; to be used by ``with``."""

    def __init__(self, progress: ProgressListener = None) -> None:
        self.line: Line | None = None
        self.listener: Callable[[Progress], object] | None = None
        if progress is True:
            self.line = self.listener = Line(sys.stderr)
        elif callable(progress):
            self.listener = progress
        elif progress not in (None, False):
            raise TypeError(f"progress: a function or a bool is expected, not {type(progress).__name__}")

    def __enter__(self) -> Notify:
        return self

    def __exit__(self, *_: object) -> None:
        if self.line:
            self.line.end()

    def __call__(self, kind: str, **known: Any) -> None:
        if kind == "findings":
            for finding in json.loads(known["text"]):
                if finding["severity"] == "warning":
                    warn(finding)
        elif kind == "notice":
            log.warning("%s", known["text"])
        else:
            if kind == "message":
                log.info("%s", known["text"])
            if self.listener:
                self.listener(Progress(kind, **known))


def warn(finding: dict[str, Any]) -> None:
    """A finding as a warning at its line of the rules."""
    advice = f"; {finding['advice']}" if "advice" in finding else ""
    message = f"{finding['message']}{advice} [{finding['code']}, column {finding['column']}]"
    warnings.warn_explicit(RulesWarning(message, finding), RulesWarning, finding["file"], finding["line"])
