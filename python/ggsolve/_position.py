"""Positions of a solved game, their moves and boards."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from ._events import Notify
from .errors import ClosedError, Error, UnsolvedError, UsageError

if TYPE_CHECKING:
    from . import _native
    from ._solution import Solution

__all__ = [
    "Board",
    "Cost",
    "Distance",
    "Forced",
    "Line",
    "Move",
    "NODES",
    "Outcome",
    "Position",
    "Reason",
    "Strategy",
    "Value",
    "Why",
]

#: By role: the rewards, from 0 to 100, under best play of all; of games with chance or choices at the same time what each
#: role gets on average, as exact fractions. ``None``: play can go on for ever, or there is no single value.
Value = tuple[int, ...] | tuple[Fraction, ...] | None

#: By move: how likely it is.
Strategy = dict[str, Fraction]

#: Positions that a search for distances keeps, unless told otherwise.
NODES = 2_000_000


class Distance(NamedTuple):
    """How soon play ends, if everybody plays as well as can be: who gets more shortens the play, who gets less prolongs
    it."""

    #: Plies to the end.
    plies: int
    #: Otherwise play takes at least so many.
    exact: bool


class Forced(NamedTuple):
    """What a role can force against all others together."""

    #: On average, where chance or choices at the same time have a part in the game; ``None``: the others can make play go on
    #: for ever.
    value: int | Fraction | None
    #: How likely each of its moves has to be for that, in such games; none where it has no choice.
    strategy: Strategy


@dataclass(frozen=True)
class Board:
    """A state on the board of its game. ``str()`` draws it."""

    #: Names of the columns, from the left.
    columns: tuple[str, ...]
    #: Names of the rows, from below.
    rows: tuple[str, ...]
    #: By row from below and by column: what lies there, ``"."`` for nothing, ``None`` where there is no cell.
    cells: tuple[tuple[str | None, ...], ...]
    #: The fluents that hold and are not on the board.
    others: tuple[str, ...]
    #: Signs that are no whole names, and what they mean.
    legend: dict[str, str]
    text: str

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        style = "min-width:1.6em;height:1.6em;text-align:center;border:1px solid #8888"

        def cell(sign: str | None) -> str:
            if sign is None:
                return "<td></td>"
            meaning = html.escape(self.legend.get(sign, ""), quote=True)
            shown = "" if sign == "." else html.escape(sign)
            return f'<td style="{style}" title="{meaning}">{shown}</td>'

        rows = zip(reversed(self.rows), reversed(self.cells))
        lines = [f"<tr><th>{html.escape(name)}</th>{''.join(map(cell, cells))}</tr>" for name, cells in rows]
        columns = "".join(f'<th style="text-align:center">{html.escape(name)}</th>' for name in self.columns)
        others = f"<div>{html.escape(' '.join(self.others))}</div>" if self.others else ""
        return f"<table>{''.join(lines)}<tr><th></th>{columns}</tr></table>{others}"


class Cost(NamedTuple):
    """What the best plans of a single player cost, where moves have costs."""

    cost: int
    #: Otherwise ``cost`` is a lower bound.
    exact: bool


class Outcome(NamedTuple):
    """A value that play may come to."""

    value: Value
    probability: Fraction


class Line(NamedTuple):
    """How play goes on. ``position.play(line.moves)`` plays it."""

    #: The moves as texts.
    moves: tuple[str, ...]
    #: Play is over after them; otherwise a position is repeated or, of games with chance or choices at the same time, those
    #: in ``then`` decide.
    ends: bool
    #: Play can't end sooner or later if all play as well as can be, as far as that was found out; or it is a cheapest plan,
    #: or goes on for ever.
    exact: bool
    #: Where moves have costs and it is a cheapest plan: what it costs.
    cost: int | None = None
    #: Who decides after the moves, ``"random"`` where that is chance.
    then: tuple[str, ...] = ()
    #: What that comes to, and how likely: the value of the line is the mean.
    outcomes: tuple[Outcome, ...] = ()


class Reason(NamedTuple):
    """Why a move is worse than the best ones."""

    role: str
    move: str
    #: ``"win"``, ``"draw"``, ``"endless"`` or ``"rewards"``; of games with chance or choices at the same time, what the role
    #: loses on average.
    gives_away: str | Fraction
    #: What follows the move; ``None`` where it is that of a symmetric move.
    follows: Line | None
    #: Where one other role chooses at the same time: its best answer, if it saw the move, and what both come to.
    answer: tuple[str, Value] | None = None


class Why(NamedTuple):
    """Why moves of a position are worth what they are."""

    #: Best play from the position on.
    line: Line
    #: For each worse move of the roles that choose.
    reasons: tuple[Reason, ...]


class Move:
    """A legal move and what it leads to. ``str()`` is the move as text."""

    # ``help`` shows what stands here.
    __slots__ = {
        "_position": "The position that it is a move of.",
        "move": 'The move, such as ``"(mark 2 2)"``.',
        "role": "Whose move it is; ``None`` where several roles choose.",
        "joint": "By role, chance as the last one: the moves of the ply. In games in turns all but one are the only legal ones.",
        "value": "The value of the position after it.",
        "keeps_value": "It leads to the value of the position.",
        "optimal": "It is best: it keeps the value and, where distances are stored or were searched for, is best by distance, "
        "or by cost where that was searched for. "
        "Where play can return to a state, such moves lead to an end.",
        "worth_more": "It is worth more to the mover than the value of the position, which is no equilibrium then.",
        "distance": "Plies to the end by this move, of moves that keep the value where it was searched for.",
        "plies": "Plies to the end by this move, itself included, where they are stored and play ends.",
        "cost": "What the best plans by this move cost, itself included, of moves that keep the value where it was searched for.",
        "probability": "How likely chance's part in it is, where chance has a choice.",
        "same_as": "The first move of the position that a symmetry maps to this one: what follows differs in names alone.",
    }

    _position: Position
    move: str
    role: str | None
    joint: tuple[str, ...]
    value: Value
    keeps_value: bool
    optimal: bool
    worth_more: bool
    distance: Distance | None
    plies: int | None
    same_as: str | None
    cost: Cost | None
    probability: Fraction | None

    def __init__(
        self,
        position: Position,
        move: str,
        role: str | None,
        joint: Sequence[str],
        value: bytes | Sequence[int | str] | None,
        marks: Sequence[bool],
        distance: tuple[int, bool] | None,
        stored: int | None,
        same_as: str | None,
        cost: tuple[int, bool] | None,
        probability: int | str | None = None,
    ) -> None:
        self._position = position
        self.move = move
        self.role = role
        self.joint = tuple(joint)
        self.value = rewards(value)
        self.keeps_value, self.optimal, self.worth_more = marks
        self.distance = plies(distance)
        self.plies = stored
        self.same_as = same_as
        self.cost = costs(cost)
        self.probability = None if probability is None else Fraction(probability)

    @property
    def after(self) -> Position:
        """The position after the move."""
        place = self._position.solution._handle.joint(self._position._place, self.joint)
        return Position(self._position.solution, place)

    def __str__(self) -> str:
        return self.move

    def __repr__(self) -> str:
        best = ", optimal" if self.optimal else ", keeps the value" if self.keeps_value else ""
        role = "" if self.role is None else f" of {self.role}"
        return f"<Move {self.move}{role}: {shown(self.value, self._position.solution._handle.exact)}{best}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Move):
            return NotImplemented
        return self.joint == other.joint and self._position == other._position

    def __hash__(self) -> int:
        return hash((self.joint, self._position))


class Position:
    """A position of a solved game.

    Two positions are equal if they have the same state of a game with the same rules, also those of two solutions, so that
    they can be kept in sets and dictionaries, and pickled. Positions never change and may be used by several threads.
    """

    __slots__ = {
        "_known": "What was asked for.",
        "_place": "The layer and the state.",
        "solution": "The solution that knows its value.",
    }

    solution: Solution
    _place: _native.Place
    _known: _native._Known | None

    def __init__(self, solution: Solution, place: _native.Place) -> None:
        self.solution = solution
        self._place = place
        self._known = None

    def _all(self) -> _native._Known:
        """What is known of it, asked for once."""
        known = self._known
        if known is None:
            handle = self.solution._handle
            known = self._known = exactly(self.query()) if handle.exact else handle.known(self._place)
        return known

    @property
    def layer(self) -> int:
        """How many plies were played: a layer in which the state lies."""
        return self._place.layer

    @property
    def state(self) -> tuple[str, ...]:
        """The fluents that hold, in the order of their texts."""
        return tuple(self.solution._handle.state(self._place))

    @property
    def value(self) -> Value:
        """By role: the rewards under best play of all; ``None``: play can go on for ever.

        Of games with chance or choices at the same time: what each role gets on average, as exact fractions; ``None``: there
        is no single value, only what roles can force is known.
        """
        return self.solution._values([self._place])[0]

    @property
    def strategies(self) -> dict[str, Strategy]:
        """By role, where several choose at the same time: how likely each of its moves is under best play. Of chance, see
        :attr:`Move.probability`."""
        if not self.solution._handle.exact:
            return {}
        return {role: strategy(mixed) for role, mixed in self.query().get("strategies", {}).items()}

    @property
    def matrix(self) -> tuple[tuple[Value, ...], ...] | None:
        """Where two roles choose at the same time: the value after each move of the first one, by row, and of the second one,
        by column, both in the order of :attr:`strategies`; on average over chance."""
        if not self.solution._handle.exact:
            return None
        found = self.query().get("matrix")
        return None if found is None else tuple(tuple(map(rewards, row)) for row in found)

    @property
    def guarantees(self) -> dict[str, Forced]:
        """By role: what it can force against all others together, where that is stored (``solve(…, guarantee="all")``)."""
        number = Fraction if self.solution._handle.exact else lambda reward: reward
        found = self.query().get("guarantees", {})
        return {role: Forced(number(own["value"]), strategy(own.get("strategy", ()))) for role, own in found.items()}

    def translate(self, to: str = "nfg") -> str:
        """The choices of all roles and the values after them as a table for Gambit (``"nfg"``), of games with chance or
        choices at the same time."""
        if to != "nfg":
            raise UsageError(f"to: a position is written as 'nfg', not as {to!r}")
        with Notify() as notify:
            return self.solution._handle.translate(notify, self._place)

    @property
    def dead_end(self) -> bool | None:
        """Whether a single player can't reach its aim from here: the goal of a planning task, or the best reward that can
        be had from the start. ``None`` with several players, and where no reward is above 0."""
        found: bool | None = self.query().get("dead_end")
        return found

    @property
    def to_move(self) -> str | None:
        """Whose moves are listed, ``"random"`` where that is chance; ``None`` where several roles choose, and where play is
        over."""
        return self._all()[0]

    @property
    def terminal(self) -> bool:
        """Play is over."""
        return self._all()[1]

    @property
    def forced(self) -> bool:
        """No role has a choice."""
        return self._all()[2]

    @property
    def plies(self) -> int | None:
        """Plies to the end under best play, where they are stored (``solve(…, distances=True)``) and play ends."""
        return self._all()[6]

    @property
    def moves(self) -> tuple[Move, ...]:
        """The legal moves of the role to move, the best first; none where play is over. Where several roles choose, and where
        chance moves with a player: their joint moves, such as ``(rock paper)``."""
        return tuple(Move(self, *move) for move in self._all()[5])

    @property
    def best(self) -> tuple[Move, ...]:
        """The moves that are optimal."""
        return tuple(move for move in self.moves if move.optimal)

    @property
    def not_best(self) -> bool:
        """Another move is worth more to the mover than the value, which is no equilibrium then: the mover settled for it when
        nothing else was settled. Only in games that go round."""
        return any(move.worth_more for move in self.moves)

    @property
    def board(self) -> Board | None:
        """The state on a board, if the fluents look like one."""
        found = self.solution._handle.board(self._place)
        if found is None:
            return None
        columns, rows, cells, others, legend, text = found
        return Board(tuple(columns), tuple(rows), tuple(map(tuple, cells)), tuple(others), dict(legend), text)

    def play(self, moves: str | Move | Iterable[str | Move]) -> Position:
        """The position after a move, or after several.

        A text names the movers' moves, such as ``"(drop 3)"`` or ``"(drop 3) (drop 4)"``; of a single move the parentheses
        may be left out, and so may plies in which nobody has a choice. Where several roles choose, their moves follow in the
        order of the roles, chance as the last one, or those of all roles stand in brackets: ``"(rock paper)"``.
        """
        if isinstance(moves, Move):
            if moves._position == self:
                return Position(self.solution, self.solution._handle.joint(self._place, moves.joint))
            moves = moves.move
        names = moves if isinstance(moves, str) else [named(move) for move in moves]
        return Position(self.solution, self.solution._handle.replay(self._place, names))

    def distance(self, *, nodes: int = NODES) -> Distance | None:
        """How soon play ends under best play; ``None`` where it can be kept up for ever.

        It is searched for; a search that would keep more than ``nodes`` positions ends with a lower bound.
        """
        return plies(self._search(nodes)[4])

    def moves_by_distance(self, *, nodes: int = NODES) -> tuple[Move, ...]:
        """The moves, those that keep the value with their distances, the best first."""
        return tuple(Move(self, *move) for move in self._search(nodes)[5])

    def cost(self, *, nodes: int = NODES) -> Cost | None:
        """What the best plans of a single player cost from here; ``None`` where moves have no costs, and without a plan.

        It is searched for; a search that would keep more than about ``nodes`` positions ends with a lower bound.
        """
        return costs(self._priced(nodes)[7])

    def moves_by_cost(self, *, nodes: int = NODES) -> tuple[Move, ...]:
        """The moves, those that keep the value with what plans by them cost, those of cheapest plans first."""
        return tuple(Move(self, *move) for move in self._priced(nodes)[5])

    def _priced(self, nodes: int) -> _native._Known:
        with Notify() as notify:
            return self.solution._handle.costs(notify, self._place, bounded(nodes))

    def _search(self, nodes: int) -> _native._Known:
        with Notify() as notify:
            return self.solution._handle.distances(notify, self._place, bounded(nodes))

    def line(self, *, most: int = 10_000, nodes: int = NODES) -> tuple[Move, ...]:
        """A line of best play to its end, of at most so many moves; where play can go on for ever, up to where a
        position comes again.

        It is as long as the distance to the end, where that is stored or found by a search that keeps at most ``nodes``
        positions, and a cheapest plan where moves have costs and such a search finds one; otherwise all its moves keep the
        value.
        """
        with Notify() as notify:
            plies = self.solution._handle.line(notify, self._place, bounded(nodes))
        line: list[Move] = []
        position = self
        for joint in plies[:most]:
            line.append(next(move for move in position.moves if move.joint == tuple(joint)))
            position = line[-1].after
        return tuple(line)

    def why(self, *, nodes: int = NODES) -> Why:
        """Why moves are worth what they are: the line of best play, and for each worse move what it gives away and the line
        that punishes it.

        Lines are as long as the distance to the end where that is stored or found by a search that keeps at most about
        ``nodes`` positions. Of games with chance or choices at the same time, lines lead up to where chance or several roles
        decide, and say what that comes to and how likely.
        """
        found = self.query(why=True, nodes=nodes)
        if self.solution._handle.exact:
            each = [(role, reason) for role, reasons in found.get("reasons", {}).items() for reason in reasons]
        else:
            worse = [move for move in found["moves"] if "gives_away" in move]
            each = [(move["role"], move) for move in worse]
        return Why(told(found["line"]), tuple(Reason(role, *reason(of)) for role, of in each))

    def query(self, *, distance: bool = False, why: bool = False, nodes: int = NODES) -> dict[str, Any]:
        """All of it as plain data: the JSON of ``ggsolve query``, with distances and reasons if they are asked for.

        Where moves of a single player have costs, it has what plans cost as far as searches find it that keep at most about
        ``nodes`` positions.
        """
        with Notify() as notify:
            text = self.solution._handle.query(notify, self._place, bounded(nodes), distance, why)
        found: dict[str, Any] = json.loads(text)
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self._place == other._place

    def __hash__(self) -> int:
        return hash(self._place)

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (self.solution, self.state)

    def __str__(self) -> str:
        board = self.board
        return board.text if board else " ".join(self.state) + "\n"

    def __repr__(self) -> str:
        try:
            game = self.solution.game
            return f"<Position of {game} in layer {self.layer}: {self._turn()}, {self._shown()}>"
        except ClosedError:
            return "<Position of a closed solution>"
        except Error as error:
            return f"<Position of {game} in layer {self.layer}: {unknown(error)}>"

    def _shown(self) -> str:
        return shown(self.value, self.solution._handle.exact)

    def _turn(self) -> str:
        if self.terminal:
            return "play is over"
        return f"{self.to_move or 'several roles'} to move"

    def _repr_html_(self) -> str:
        """The board and the moves, for notebooks."""
        try:
            return self._page()
        except Error:
            return html.escape(repr(self))

    def _mark(self, move: Move) -> str:
        if move.worth_more:
            return "more"
        return "best" if move.optimal and not self.not_best else "keeps" if move.keeps_value else ""

    def _page(self) -> str:
        board = self.board
        picture = board._repr_html_() if board else f"<div>{html.escape(' '.join(self.state))}</div>"
        rows = "".join(
            f"<tr><td>{self._mark(move)}</td><td>{html.escape(move.move)}</td>"
            f"<td>{shown(move.value, self.solution._handle.exact)}</td></tr>"
            for move in self.moves
        )
        return f"{picture}<div>{html.escape(self._turn())}, {self._shown()}</div><table>{rows}</table>"


def restored(solution: Solution, state: tuple[str, ...]) -> Position:
    """The position that was pickled."""
    return solution.position(state=state)


def named(move: str | Move) -> str:
    if isinstance(move, (str, Move)):
        return str(move)
    raise TypeError(f"moves: a str or a Move is expected, not {type(move).__name__}")


def rewards(value: bytes | Sequence[int | str] | None) -> Value:
    """A value: rewards as they are, other numbers as fractions."""
    if value is None or isinstance(value, bytes):
        return None if value is None else tuple(value)
    return tuple(map(Fraction, value))


def strategy(mixed: Iterable[dict[str, Any]]) -> Strategy:
    return {each["move"]: Fraction(each["probability"]) for each in mixed}


def told(line: dict[str, Any]) -> Line:
    """A line from its JSON."""
    moves, then = tuple(line["moves"]), tuple(line.get("then", ()))
    outcomes = tuple(Outcome(rewards(each["value"]), Fraction(each["probability"])) for each in line.get("outcomes", ()))
    return Line(moves, line.get("ends", not then), line.get("exact", True), line.get("cost"), then, outcomes)


def reason(of: dict[str, Any]) -> tuple[str, str | Fraction, Line | None, tuple[str, Value] | None]:
    """A move, what it gives away, what follows and the answer to it, from their JSON."""
    if "follows" not in of:
        refutation = of.get("refutation")
        return of["move"], of["gives_away"], refutation and told(refutation), None
    answer = of.get("answer")
    answered = answer and (answer["move"], rewards(answer["value"]))
    return of["move"], Fraction(of["gives_away"]), told(of["follows"]), answered


def exactly(found: dict[str, Any]) -> _native._Known:
    """What is known of a position of a solution with exact values, from its answer."""
    moves: list[_native._Move] = [
        (
            option["move"],
            option["role"],
            option["joint"],
            option["value"],
            [option["optimal"], option["optimal"], False],
            None,
            None,
            None,
            None,
            option.get("probability"),
        )
        for option in found["moves"]
    ]
    return found["to_move"], found["terminal"], found["forced"], found["value"], None, moves, None, None


def plies(distance: tuple[int, bool] | None) -> Distance | None:
    return None if distance is None else Distance(*distance)


def costs(cost: tuple[int, bool] | None) -> Cost | None:
    return None if cost is None else Cost(*cost)


def shown(value: Value, exact: bool = False) -> str:
    if value is None:
        return "no single value" if exact else "endless"
    # A fraction has a stroke of its own.
    return (", " if any(number.denominator > 1 for number in value) else "/").join(map(brief, value))


def brief(number: int | Fraction) -> str:
    """A number in little room: of a fraction with many digits what it is about."""
    text = str(number)
    return text if len(text) <= 40 else f"about {float(number):.6g}"


def unknown(error: Error) -> str:
    """Why a value is not known, in few words."""
    return "not solved yet" if isinstance(error, UnsolvedError) else str(error)


def bounded(nodes: int) -> int:
    """A number of positions; more than there can be is no bound."""
    if not isinstance(nodes, int):
        raise TypeError(f"nodes: an int is expected, not {type(nodes).__name__}")
    if nodes < 1:
        raise UsageError(f"nodes: a positive number is expected, not {nodes}")
    return min(nodes, 2**31)
