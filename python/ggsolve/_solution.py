"""Solved games."""

from __future__ import annotations

import atexit
import functools
import html
import json
import os
import random
import weakref
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy
import numpy.typing

from . import _native, _tables
from ._events import Notify, ProgressListener
from ._position import Move, Position, Value, rewards as read, shown, unknown
from ._rules import Game, Options, PathText, Rules, Size
from .errors import ClosedError, Error, MissingFileError, UsageError

__all__ = ["Solution", "open", "solve", "verify"]

#: The file that every solution has.
MANIFEST = "manifest.json"

#: Positions of a batch: as they are, as lists of fluents, or as flags by position and fluent.
Positions = Iterable[Position | str | Sequence[str]] | numpy.typing.NDArray[Any]


class Solution:
    """A solved game: the value of every position that can be reached, and what each move is worth.

    :func:`solve` and :func:`open` make one. It never changes and may be used by several threads at once; while it
    answers, other threads of Python go on. ``with`` closes it at the end of the block, ``close()`` at once.
    """

    __slots__ = ("__weakref__", "_handle", "_report")

    _handle: _native.Solution
    _report: dict[str, Any] | None

    def __init__(self, handle: _native.Solution, report: str | None = None) -> None:
        self._handle = handle
        self._report = None if report is None else json.loads(report)
        if handle.temporary:
            temporary.add(self)

    @property
    def game(self) -> str:
        """The name of the game."""
        return self._handle.game

    @property
    def exact(self) -> bool:
        """Values are fractions: chance has a part in the game, or several roles choose at the same time."""
        return self._handle.exact

    @property
    def roles(self) -> tuple[str, ...]:
        """Who plays; chance is none of them."""
        return tuple(self._handle.roles)

    @property
    def opponent_model(self) -> str:
        """How a mover ranks rewards: ``"max-own"`` or ``"max-diff"``."""
        return self._handle.opponent_model

    @property
    def fluents(self) -> tuple[str, ...]:
        """What can be true in a state, in the order of the columns of :meth:`states`."""
        return tuple(self._handle.fluents)

    @property
    def folder(self) -> Path:
        """Where the solution lies."""
        return Path(self._handle.folder)

    @property
    def temporary(self) -> bool:
        """The folder is removed when the solution is closed."""
        return self._handle.temporary

    @property
    def closed(self) -> bool:
        """It answers no longer."""
        return self._handle.closed

    def close(self) -> None:
        """Gives back what it holds, and removes its folder if that is a temporary one."""
        self._handle.close()

    def __enter__(self) -> Solution:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def start(self) -> Position:
        """The position that play starts from."""
        return Position(self, self._handle.start())

    @property
    def value(self) -> Value:
        """The value of the first position, see :attr:`Position.value`."""
        return self.start.value

    def _values(self, places: list[_native.Place]) -> list[Value]:
        if not self._handle.exact:
            return [read(self._handle.value(place)) for place in places]
        with Notify() as notify:
            return [read(value) for value in self._handle.exact_values(notify, places)]

    def position(
        self, *, moves: str | Iterable[str | Move] | None = None, state: str | Iterable[str] | None = None
    ) -> Position:
        """The position after moves, from the start or from a state.

        ``moves`` are the movers' moves in order, ``"(mark 1 1) (mark 2 2)"`` or one by one; the others' only moves are
        implied. ``state`` has the fluents that hold, as one text or one by one.
        """
        place = self._handle.start() if state is None else self._handle.place(texts(state))
        if moves is None:
            return Position(self, place)
        return Position(self, place).play(moves)

    def line(self) -> tuple[Move, ...]:
        """A line of best play from the start, see :meth:`Position.line`."""
        return self.start.line()

    @property
    def report(self) -> dict[str, Any]:
        """What the run came to: the JSON of ``ggsolve solve``. Counts are exact, however large."""
        if self._report is None:
            with Notify() as notify:
                self._report = json.loads(self._handle.report(notify))
        return self._report

    @property
    def states(self) -> int:
        """How many states can be reached."""
        states: int = self.report["states"]
        return states

    @property
    def dead_ends(self) -> int | None:
        """From how many states a single player can't reach its aim, see :attr:`Position.dead_end`, counted in every layer
        that has them, as in ``layer_states``; ``None`` with several players, and where no reward is above 0."""
        found: int | None = self.report.get("dead_ends")
        return found

    @property
    def unsolvable(self) -> dict[str, Any] | None:
        """Why a planning task has no plan, ``None`` if it has one.

        ``conditions`` are those of the goal, ``never`` those that hold in no reachable state, ``never_together`` pairs that
        hold in none together; ``by_rules`` is true where the rules exclude the goal in whatever state. The same is told of
        any game of one player in which no reward above 0 can be reached.
        """
        found: dict[str, Any] | None = self.report.get("unsolvable")
        return found

    @property
    def layers(self) -> list[dict[str, Any]]:
        """A row for every layer: ``layer``, ``states``, ``terminal``, ``nodes``, ``engine``; of games with chance or choices at
        the same time also ``chance_states`` and ``joint_states``.

        ``pandas.DataFrame(solution.layers)`` is a table of them; counts are exact integers.
        """
        return _tables.layers(self.report)

    @property
    def buckets(self) -> list[dict[str, Any]]:
        """A row for every value: ``rewards`` (``None``: play can go on for ever), ``states``, ``nodes``.

        Of games with chance or choices at the same time: ``rewards`` as fractions, ``rewards_float`` and ``states`` or, where
        there are many values, ``range`` and ``states``: those in which the first role gets from so much to less than so much
        (100 included).
        """
        return _tables.buckets(self.report)

    @property
    def layer_buckets(self) -> list[dict[str, Any]]:
        """A row for every value in every layer: ``layer`` and what :attr:`buckets` have."""
        return _tables.layer_buckets(self.report)

    @property
    def matrix(self) -> numpy.typing.NDArray[Any]:
        """The reward matrix of a game of two: ``matrix[a, b]`` is the number of states that are worth ``a`` to the first
        role and ``b`` to the second. Of type ``int64`` or, where that is too small, of exact Python integers."""
        return _tables.matrix(self.report)

    def values(self, positions: Positions) -> numpy.typing.NDArray[Any]:
        """The values of many positions: an array of ``int16`` with a row for each and a column for each role; -1 where play
        can be kept up for ever.

        Of games with chance or choices at the same time it is an array of fractions, of which ``astype(float)`` makes one of
        floats; ``None`` where there is no single value.

        Positions may also be given by their fluents, or all of them as an array of flags such as :meth:`flags` gives;
        finding a state takes longer than knowing its position.
        """
        places = self._places(positions)
        if self._handle.exact:
            roles = len(self.roles)
            exact = numpy.empty((len(places), roles), dtype=object)
            for row, value in zip(exact, self._values(places)):
                row[:] = [None] * roles if value is None else value
            return exact
        with Notify() as notify:
            found = self._handle.values(notify, places)
        return numpy.frombuffer(bytearray(found), dtype=numpy.int16).reshape(-1, len(self.roles))

    def flags(self, positions: Positions) -> numpy.typing.NDArray[numpy.bool_]:
        """The states of many positions: an array with a row for each and a column for each of :attr:`fluents`, true where
        it holds."""
        found = self._handle.flags(self._places(positions))
        return numpy.frombuffer(bytearray(found), dtype=numpy.bool_).reshape(-1, len(self.fluents))

    def positions(self, flags: numpy.typing.ArrayLike) -> list[Position]:
        """The positions with states that are given as :meth:`flags` gives them."""
        return [Position(self, place) for place in self._flagged(numpy.asarray(flags))]

    def _places(self, positions: Positions) -> list[_native.Place]:
        if isinstance(positions, numpy.ndarray):
            return self._flagged(positions)
        return [self._place(position) for position in positions]

    def _place(self, position: Position | str | Sequence[str]) -> _native.Place:
        return position._place if isinstance(position, Position) else self._handle.place(texts(position))

    def _flagged(self, flags: numpy.typing.NDArray[Any]) -> list[_native.Place]:
        fluents = len(self.fluents)
        if flags.ndim != 2 or flags.shape[1] != fluents:
            raise UsageError(f"flags: an array with {fluents} columns is expected, not of the shape {flags.shape}")
        if flags.dtype != numpy.bool_ and not numpy.isin(flags, (0, 1)).all():
            raise UsageError("flags: an array of truth values is expected")
        with Notify() as notify:
            return self._handle.places(notify, flags.astype(numpy.uint8).tobytes())

    def sample(
        self, layer: int, number: int = 1, *, rewards: Sequence[int] | str | None = None, seed: int | None = None
    ) -> list[Position]:
        """Random positions of a layer, each equally likely, with repetitions.

        ``rewards`` draws from those with that value: by role, or ``"endless"`` where play can go on for ever. The
        same ``seed`` gives the same positions, which are those of ``ggsolve query --sample``.
        """
        value = None if rewards is None else (packed(rewards),)
        seed = random.getrandbits(32) if seed is None else natural("seed", seed)
        with Notify() as notify:
            drawn, _ = self._handle.sample(notify, natural("layer", layer), natural("number", number), value, seed)
        return [Position(self, place) for place in drawn]

    def population(self, layer: int, *, rewards: Sequence[int] | str | None = None) -> int:
        """How many states :meth:`sample` draws from."""
        value = None if rewards is None else (packed(rewards),)
        with Notify() as notify:
            return self._handle.sample(notify, natural("layer", layer), 0, value, 0)[1]

    def export(
        self,
        file: PathText,
        to: str | None = None,
        *,
        layer: int | None = None,
        sample: int | None = None,
        over: str = "states",
        seed: int | None = None,
        symmetric: bool = False,
    ) -> dict[str, Any]:
        """Writes positions with values and moves to a file, as ``ggsolve export`` does, and says what was written.

        ``to``: ``"parquet"``, ``"npz"``, ``"csv"`` or ``"jsonl"``; by default what the name of the file ends in. ``layer``:
        those of this layer alone. ``sample``: so many at random, with repetitions, uniform over ``"states"`` or over
        ``"values"``; the same ``seed`` gives the same. ``symmetric``: one of each orbit of symmetric ones.
        """
        form = Path(file).suffix.removeprefix(".") if to is None else to
        wanted = None
        if sample is not None:
            seed = random.getrandbits(32) if seed is None else natural("seed", seed)
            wanted = (natural("sample", sample), seed, over)
        layer = None if layer is None else natural("layer", layer)
        with Notify() as notify:
            done = self._handle.export(notify, os.fspath(file), form, layer, wanted, symmetric)
        report: dict[str, Any] = json.loads(done)
        return report

    def to_numpy(self, **which: Any) -> dict[str, numpy.typing.NDArray[Any]]:
        """Positions as arrays with a row for each; ``which`` are named arguments of :meth:`export`.

        ``fluents`` has a column for each of :attr:`fluents`, ``legal`` and ``best`` one for each move, ``planes`` contents by
        rows by columns where states look like a board, ``value`` one for each role (-1: play can go on for ever), ``mover``
        the number of a role (-1: none), ``plies`` the plies to the end (-1: none) where distances are stored. ``metadata``
        is a text in JSON with the names of all of these.
        """
        return _tables.arrays(functools.partial(self.export, **which))

    def to_arrow(self, **which: Any) -> Any:
        """Positions as a table of Arrow, which takes ``pyarrow``; ``which`` are named arguments of :meth:`export`."""
        return _tables.arrow(functools.partial(self.export, **which))

    def to_pandas(self, **which: Any) -> Any:
        """As :meth:`to_arrow`, as a data frame of pandas."""
        return self.to_arrow(**which).to_pandas()

    def to_polars(self, **which: Any) -> Any:
        """Positions as a data frame of polars, which it takes; ``which`` are named arguments of :meth:`export`."""
        return _tables.polars(functools.partial(self.export, **which))

    def verify(
        self, *, full: bool = False, seed: int = 0, memory: Size | None = None, threads: int | None = None
    ) -> dict[str, Any]:
        """Checks the solution against its rules by code that shares nothing with the solver, see :func:`verify`."""
        if self.closed:
            self._handle.start()
        return verify(self.folder, full=full, seed=seed, memory=memory, threads=threads)

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (os.fspath(self.folder.absolute()),)

    def __repr__(self) -> str:
        try:
            game, roles = self.game, ", ".join(self.roles)
            return f"<Solution of {game}: {shown(self.value, self.exact)} for {roles}>"
        except ClosedError:
            return "<Solution, closed>"
        except Error as error:
            return f"<Solution of {game} for {roles}: {unknown(error)}>"

    def _repr_html_(self) -> str:
        """The table of layers, for notebooks."""
        try:
            return self._page()
        except Error:
            return html.escape(repr(self))

    def _page(self) -> str:
        names = ("layer", "states", "terminal", "nodes")
        head = "".join(f"<th>{name}</th>" for name in names)
        rows = "".join(
            "<tr>" + "".join(f'<td style="text-align:right">{row[name]:,}</td>' for name in names) + "</tr>"
            for row in self.layers
        )
        title = html.escape(f"{self.game}: {shown(self.value, self.exact)} for {', '.join(self.roles)}")
        return f"<div>{title}; {self.states:,} states</div><table><tr>{head}</tr>{rows}</table>"


#: Those whose folders have to be removed when Python ends.
temporary: weakref.WeakSet[Solution] = weakref.WeakSet()


@atexit.register
def close_temporary() -> None:
    for solution in list(temporary):
        solution.close()


def texts(given: str | Iterable[str]) -> str | list[str]:
    """A text, or a list of texts."""
    return given if isinstance(given, str) else list(given)


def packed(rewards: Sequence[int] | str) -> bytes | None:
    """A value as the native part takes it."""
    if isinstance(rewards, str):
        if rewards != "endless":
            raise UsageError(f"rewards: numbers or 'endless' are expected, not {rewards!r}")
        return None
    try:
        return bytes(rewards) if not isinstance(rewards, int) else bytes([rewards])
    except ValueError:
        raise UsageError(f"rewards: numbers from 0 to 100 are expected, not {rewards!r}") from None


def natural(name: str, number: int) -> int:
    """A number that is not negative, within 32 bits: more there are of nothing."""
    if not isinstance(number, int):
        raise TypeError(f"{name}: an int is expected, not {type(number).__name__}")
    if not 0 <= number < 2**32:
        raise UsageError(f"{name}: a number from 0 to {2**32 - 1} is expected, not {number}")
    return number


def solve(
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
    distances: bool = False,
    guarantee: str | Sequence[str] = (),
    progress: ProgressListener = None,
) -> Solution:
    """Solves a game strongly: the value of every position that can be reached.

    >>> solution = ggsolve.solve("games/tictactoe.gdl")
    >>> solution.value
    (50, 50)

    :param rules: a text in GDL or GDDL, or the path of a file. A string is a text if it has more than one line or starts
        with ``(`` or ``;``.
    :param name: what a text is called in findings and reports; a file has its name.
    :param problem: the problem, where ``rules`` hold a domain of GDDL alone.
    :param opponent_model: how a mover ranks pairs of rewards. ``"max-own"``: highest own reward, ties by the opponent's
        lowest. ``"max-diff"``: largest lead over the opponent, ties by the higher own reward.
    :param engine: what holds the values: ``"auto"``, ``"symbolic"`` or ``"hybrid"``.
    :param algorithm: ``"layered"`` or ``"global"``; ``None``: chosen by the game.
    :param order: where the order of the variables comes from: ``"search"``, ``"rules"``, or fluents from first to last.
    :param memory: bound of what solving allocates beside what the process holds already (Python itself, NumPy, other
        solutions), in bytes or as ``"8G"``; 80 % of the machine unless told. Where the process holds more than that
        already, the log says so.
    :param disk: bound of temporary files; what the file system has, less a tenth, unless told.
    :param time: bound of the time that it takes, in seconds; none unless told.
    :param threads: worker threads; as many as the machine runs at once, unless told.
    :param scratch: the folder of temporary files; that of the solution, unless told.
    :param out: the folder that keeps the solution. If it holds an unfinished one of the same game and options, that is
        gone on with; a finished one is opened. Without it the solution lies in a temporary folder until it is closed.
    :param force: replace a solution of another game or other options in ``out``.
    :param distances: also store how far every position is from the end of play: :attr:`Position.plies`.
    :param guarantee: also solve what this role, or each of these, can force against all others together, ``"all"`` for each
        role: :attr:`Position.guarantees`. Games in which several roles choose at the same time and do not only play against
        each other have no single value, and are solved with it alone.
    :param progress: ``True`` shows progress on standard error; a function is called with every :class:`Progress`.
    :raises RefusedError: the rules have errors, or the game cannot be solved.
    :raises LimitError: a bound of memory, disk or time was reached.

    Warnings on the rules are :class:`RulesWarning`. Ctrl-C ends the run at its next check; the layers that were finished
    are kept in ``out``.
    """
    if not isinstance(guarantee, Iterable):
        raise TypeError(f"guarantee: a str or a sequence of str is expected, not {type(guarantee).__name__}")
    asked = (guarantee,) if isinstance(guarantee, str) else tuple(guarantee)
    options = Options(
        opponent_model, engine, algorithm, memory, disk, time, threads, scratch, order, out, force, bool(distances), asked
    )
    with Notify(progress) as notify:
        return Solution(*_native.solve(notify, Game.of(rules, name, problem), options))


def open(folder: PathText) -> Solution:
    """The solution in a folder, finished or not.

    :raises MissingFileError: there is none.
    :raises DamagedError: its files are damaged.
    """
    with Notify() as notify:
        return Solution(_native.open(notify, stored(folder)))


def stored(folder: PathText) -> Path:
    """The folder, if there is a solution in it."""
    path = Path(folder)
    if not (path / MANIFEST).is_file():
        raise MissingFileError(f"{path}: there is no solution; it would be a folder with a file {MANIFEST}")
    return path


def verify(
    folder: PathText,
    *,
    rules: Rules | None = None,
    full: bool = False,
    seed: int = 0,
    memory: Size | None = None,
    threads: int | None = None,
    progress: ProgressListener = None,
) -> dict[str, Any]:
    """Checks a stored solution against its rules, or others: the JSON of ``ggsolve verify``.

    ``ok`` says whether everything that was checked is right; ``claims`` what was proved and what was sampled, with
    random numbers from ``seed``; ``full`` proves every value.
    """
    path, game = stored(folder), None if rules is None else Game.of(rules, None, None)
    with Notify(progress) as notify:
        found: dict[str, Any] = json.loads(_native.verify(notify, path, game, bool(full), natural("seed", seed), memory, threads))
    return found
