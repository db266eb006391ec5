"""Why there is no result, by kind of reason; each kind is an exit code of the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = [
    "ClosedError",
    "DamagedError",
    "Error",
    "FileError",
    "LimitError",
    "MissingFileError",
    "PositionError",
    "RefusedError",
    "RulesWarning",
    "UnsolvedError",
    "UsageError",
]


class Error(Exception):
    """What every error of this module is. Its text says what is wrong."""

    #: What ``ggsolve check`` says of the rules, where they are the reason: each finding with ``severity``, ``code``,
    #: ``message``, ``file``, ``line``, ``column``, ``end_line``, ``end_column`` and, where there is any, ``advice``.
    findings: tuple[Mapping[str, Any], ...]
    #: Why the game is refused though its text is right: ``code``, ``message``, and a reachable state that shows it
    #: (``state``), the moves that lead there (``path``) and, for endless play, back to it (``cycle``).
    refusal: Mapping[str, Any] | None
    #: Where the part of a solution lies that was finished; the same call goes on from there.
    folder: Path | None

    def __init__(
        self,
        message: str,
        findings: tuple[Mapping[str, Any], ...] = (),
        refusal: Mapping[str, Any] | None = None,
        folder: Path | None = None,
    ) -> None:
        super().__init__(message)
        self.findings = findings
        self.refusal = refusal
        self.folder = folder

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.findings, self.refusal, self.folder)

    @classmethod
    def _of(cls, message: str, document: str | None, folder: Path | None) -> Error:
        """An error as the native part knows it; ``document`` is JSON."""
        found = json.loads(document) if document else {}
        folder = None if folder is None else Path(folder)
        return cls(message, tuple(found.get("diagnostics", ())), found.get("error"), folder)


class FileError(Error, OSError):
    """A file cannot be read or written, or the disk is full."""


class MissingFileError(FileError, FileNotFoundError):
    """A file is not there."""


class UsageError(Error, ValueError):
    """Options that make no sense."""


class PositionError(UsageError):
    """Moves that are not legal, or a state that cannot be reached."""


class ClosedError(UsageError):
    """The solution was closed."""


class RefusedError(Error):
    """The game is refused: its text has errors (``findings``), or it is none that can be solved (``refusal``)."""


class LimitError(Error):
    """A bound of memory, disk or time was reached. With ``out`` what was finished is kept in ``folder``."""


class UnsolvedError(LimitError):
    """The solution is unfinished, and has no value here yet."""


class DamagedError(Error):
    """A stored solution is damaged, or not one of this game and these options."""


class RulesWarning(UserWarning):
    """A finding on rules that does not stop anything. It is told at the line of the rules that it is about."""

    def __init__(self, message: str, finding: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        #: The finding, with the keys that :attr:`Error.findings` has.
        self.finding: Mapping[str, Any] = finding or {}
