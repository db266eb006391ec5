"""Strong solutions of general games from their rules.

A strong solution has the value of every position that can be reached. Rules are texts in GDL, the Game Description
Language, or in GDDL, the game dialect of PDDL::

    import ggsolve

    solution = ggsolve.solve("games/tictactoe.gdl")
    position = solution.start.play("(mark 1 1)")
    for move in position.moves:
        print(move, move.value, move.optimal)

:func:`solve` and :func:`open` give a :class:`Solution`, which has :class:`Position`\\ s with their :class:`Move`\\ s;
:func:`check`, :func:`count`, :func:`classify`, :func:`ground`, :func:`translate` and :func:`verify` are the commands of
the same names. Errors are subclasses of :class:`Error`, findings on rules are :class:`RulesWarning`\\ s.
"""

from . import errors
from ._events import Progress
from ._native import __version__
from ._position import (
    Board,
    Cost,
    Distance,
    Forced,
    Line,
    Move,
    Outcome,
    Position,
    Reason,
    Strategy,
    Value,
    Why,
)
from ._rules import check, classify, count, ground, translate
from ._solution import Solution, open, solve, verify
from .errors import (
    ClosedError,
    DamagedError,
    Error,
    FileError,
    LimitError,
    MissingFileError,
    PositionError,
    RefusedError,
    RulesWarning,
    UnsolvedError,
    UsageError,
)

__all__ = [
    "Board",
    "ClosedError",
    "DamagedError",
    "Cost",
    "Distance",
    "Error",
    "FileError",
    "Forced",
    "LimitError",
    "Line",
    "MissingFileError",
    "Move",
    "Outcome",
    "Position",
    "PositionError",
    "Progress",
    "Reason",
    "RefusedError",
    "RulesWarning",
    "Solution",
    "Strategy",
    "UnsolvedError",
    "UsageError",
    "Value",
    "Why",
    "__version__",
    "check",
    "classify",
    "count",
    "errors",
    "ground",
    "open",
    "solve",
    "translate",
    "verify",
]

# What users see is of this module, wherever it is written down.
for _name in __all__:
    _thing = globals()[_name]
    if getattr(_thing, "__module__", "").startswith("ggsolve._"):
        _thing.__module__ = __name__
del _name, _thing
