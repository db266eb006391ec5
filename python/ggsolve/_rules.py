"""Rules and options as arguments, and what there is to say of rules before they are solved."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _native
from ._events import Notify, ProgressListener

__all__ = ["check", "classify", "count", "ground", "translate"]

#: Rules: a text in GDL or GDDL, or the path of a file. A string is a text if it has more than one line or starts with
#: ``(`` or ``;``, and a path otherwise; a :class:`pathlib.Path` always is one.
Rules = str | os.PathLike[str]

#: A size: a number of bytes, or a text such as ``"512M"`` or ``"8G"``.
Size = int | str

#: A folder or file.
PathText = str | os.PathLike[str]


@dataclass(frozen=True)
class Game:
    """Rules as the native part takes them."""

    rules: tuple[str, str] | Path
    problem: tuple[str, str] | Path | None

    @classmethod
    def of(cls, rules: Rules, name: str | None, problem: Rules | None) -> Game:
        if name is not None and not isinstance(name, str):
            raise TypeError(f"name: a str is expected, not {type(name).__name__}")
        found = source(rules, name or "game", "rules")
        if name is not None and isinstance(found, Path):
            raise TypeError("name: a file has its name already")
        return cls(found, None if problem is None else source(problem, "problem", "problem"))


@dataclass(frozen=True)
class Options:
    """What a run is asked for, as the native part takes it."""

    opponent_model: str = "max-own"
    engine: str = "auto"
    algorithm: str | None = None
    memory: Size | None = None
    disk: Size | None = None
    time: float | None = None
    threads: int | None = None
    scratch: PathText | None = None
    order: str | Sequence[str] = "search"
    out: PathText | None = None
    force: bool = False
    distances: bool = False
    guarantee: Sequence[str] = ()


def source(rules: Rules, name: str, what: str) -> tuple[str, str] | Path:
    """A text with its name, or a path."""
    if isinstance(rules, str):
        if is_text(rules):
            # Halves of characters are an error here, with their place.
            rules.encode()
            return name, rules
        return Path(rules)
    if isinstance(rules, os.PathLike):
        path = os.fspath(rules)
        if isinstance(path, str):
            return Path(path)
    raise TypeError(f"{what}: a text or a path is expected (str or os.PathLike), not {type(rules).__name__}")


def is_text(rules: str) -> bool:
    """Whether a string is meant as a text and not as a path."""
    return "\n" in rules or "\r" in rules or rules.lstrip("\ufeff \t").startswith(("(", ";")) or not rules.strip()


def check(rules: Rules, *, name: str | None = None, problem: Rules | None = None) -> dict[str, Any]:
    """Everything there is to say about rules: the JSON of ``ggsolve check``.

    ``ok`` says whether there are no errors, ``diagnostics`` has every finding with its place, ``solvable`` whether
    :func:`solve` takes the game (``None``: not known within a second). Errors in the rules are findings here, not
    exceptions, and no warnings are raised.

    >>> ggsolve.check("(role robot)")["ok"]
    False
    """
    with Notify() as notify:
        found: dict[str, Any] = json.loads(_native.check(notify, Game.of(rules, name, problem)))
    return found


def ground(
    rules: Rules, *, name: str | None = None, problem: Rules | None = None, memory: Size | None = None
) -> dict[str, Any]:
    """The propositional form of a game: the JSON of ``ggsolve ground``, with ``fluents``, ``groups``, ``moves``, …"""
    with Notify() as notify:
        found: dict[str, Any] = json.loads(_native.ground(notify, Game.of(rules, name, problem), memory))
    return found


def translate(
    rules: Rules,
    to: str,
    *,
    ground: bool = False,
    name: str | None = None,
    problem: Rules | None = None,
    memory: Size | None = None,
) -> str:
    """A game in the other language, ``"gdl"`` or ``"gddl"``, or for Gambit: as a tree (``"efg"``), or as a table if all roles
    choose once (``"nfg"``). ``ground``: GDDL without parameters."""
    with Notify() as notify:
        return _native.translate(notify, Game.of(rules, name, problem), to, bool(ground), memory)


def count(
    rules: Rules,
    *,
    name: str | None = None,
    problem: Rules | None = None,
    engine: str = "auto",
    algorithm: str | None = None,
    order: str | Sequence[str] = "search",
    memory: Size | None = None,
    disk: Size | None = None,
    time: float | None = None,
    threads: int | None = None,
    scratch: PathText | None = None,
    out: PathText | None = None,
    force: bool = False,
    progress: ProgressListener = None,
) -> dict[str, Any]:
    """The reachable and terminal states by layer: the JSON of ``ggsolve count``.

    The arguments are those of :func:`solve`. Nothing is kept unless ``out`` names a folder.
    """
    options = Options("max-own", engine, algorithm, memory, disk, time, threads, scratch, order, out, force)
    return reported(Game.of(rules, name, problem), options, False, progress)


def classify(
    rules: Rules,
    *,
    name: str | None = None,
    problem: Rules | None = None,
    opponent_model: str = "max-own",
    engine: str = "auto",
    algorithm: str | None = None,
    order: str | Sequence[str] = "search",
    memory: Size | None = None,
    disk: Size | None = None,
    time: float | None = None,
    threads: int | None = None,
    scratch: PathText | None = None,
    out: PathText | None = None,
    force: bool = False,
    progress: ProgressListener = None,
) -> dict[str, Any]:
    """The partition of the reachable states by their rewards: the JSON of ``ggsolve classify``.

    The arguments are those of :func:`solve`; of the algorithms, ``"classic"`` and ``"matrix"`` are taken, too. Nothing
    is kept unless ``out`` names a folder.
    """
    options = Options(opponent_model, engine, algorithm, memory, disk, time, threads, scratch, order, out, force)
    return reported(Game.of(rules, name, problem), options, True, progress)


def reported(game: Game, options: Options, values: bool, progress: ProgressListener) -> dict[str, Any]:
    with Notify(progress) as notify:
        found: dict[str, Any] = json.loads(_native.count(notify, game, options, values))
    return found
