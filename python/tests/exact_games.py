"""Games with chance and choices at the same time, in code of their own, and their values by brute force in fractions.

``python exact_games.py`` writes what ``tests/games/exact.json`` has: for each line of arguments of ``ggsolve generate``
(or name of a file of ``games/``) what the first player gets on average (of 100, which both share), how many states can be
reached, in how many of them both choose, and the sum of the squares of all states' values.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

State = Any


@dataclass(frozen=True)
class End:
    """Play is over: what the first player gets."""

    reward: Fraction


@dataclass(frozen=True)
class Chance:
    """States that are equally likely."""

    outcomes: list[State]


@dataclass(frozen=True)
class Joint:
    """States by the choices of the first and of the second player; a single row or column where one has no choice."""

    successors: list[list[State]]


Node = End | Chance | Joint


def side(sign: int) -> End:
    return End(Fraction(50 + 50 * ((sign > 0) - (sign < 0))))


def goofspiel(cards: int, order: str, scoring: str) -> tuple[State, Callable[[State], Node]]:
    hand = frozenset(range(1, cards + 1))
    fixed = sorted(hand, reverse=order == "falling")

    def expand(state: State) -> Node:
        one, other, prize, left, lead = state
        if not one:
            return End(Fraction(50 + lead)) if scoring == "points" else side(lead)
        if prize is None:
            return Chance([(one, other, card, left - {card}, lead) for card in sorted(left)])

        def bid(a: int, b: int) -> State:
            following = None
            if order != "random" and len(one) > 1:
                following = fixed[cards - len(one) + 1]
            won = prize * ((a > b) - (a < b))
            return (one - {a}, other - {b}, following, left, lead + won)

        return Joint([[bid(a, b) for b in sorted(other)] for a in sorted(one)])

    if order == "random":
        return (hand, hand, None, hand, 0), expand
    return (hand, hand, fixed[0], frozenset(), 0), expand


def oshi_zumo(coins: int, size: int, least: int, others: int | None = None) -> tuple[State, Callable[[State], Node]]:
    def bids(own: int) -> list[int]:
        return [bid for bid in range(own + 1) if bid >= least] or [own]

    def expand(state: State) -> Node:
        west, east, place = state
        if abs(place) > size or west == east == 0:
            return side(place)
        return Joint(
            [[(west - a, east - b, place + (a > b) - (a < b)) for b in bids(east)] for a in bids(west)]
        )

    return (coins, others or coins, 0), expand


def tictactoe(columns: int, rows: int, length: int) -> tuple[State, Callable[[State], Node]]:
    cells = list(product(range(columns), range(rows)))
    lines = []
    for (x, y), (dx, dy) in product(cells, [(1, 0), (0, 1), (1, 1), (1, -1)]):
        line = [(x + i * dx, y + i * dy) for i in range(length)]
        if all(cell in cells for cell in line):
            lines.append(frozenset(line))

    def expand(state: State) -> Node:
        crosses, noughts, blocked = state
        has = [any(line <= marks for line in lines) for marks in (crosses, noughts)]
        blank = [cell for cell in cells if cell not in crosses | noughts | blocked]
        if any(has) or not blank:
            return side(has[0] - has[1])

        def mark(a: tuple[int, int], b: tuple[int, int]) -> State:
            if a == b:
                return (crosses, noughts, blocked | {a})
            return (crosses | {a}, noughts | {b}, blocked)

        return Joint([[mark(a, b) for b in blank] for a in blank])

    return (frozenset(), frozenset(), frozenset()), expand


def duel(steps: int, own: int, other: int) -> tuple[State, Callable[[State], Node]]:
    def expand(state: State) -> Node:
        step, bullets, shots, hit = state
        if hit != (False, False) or step > steps:
            return side(hit[1] - hit[0])
        if shots != (False, False):
            draws = product(range(1, steps + 1), repeat=2)
            return Chance(
                [
                    (step + 1, bullets, (False, False), (shots[1] and j <= step, shots[0] and i <= step))
                    for i, j in draws
                ]
            )

        def choose(a: bool, b: bool) -> State:
            left = (bullets[0] - a, bullets[1] - b)
            return (step + (not (a or b)), left, (a, b), hit)

        choices = [[False, True] if count else [False] for count in bullets]
        return Joint([[choose(a, b) for b in choices[1]] for a in choices[0]])

    return (1, (own, other), (False, False), (False, False)), expand


def turn(player: int, states: list[State]) -> Node:
    return Joint([[state] for state in states] if player == 0 else [states])


def pig(goal: int, sides: int, moves: int) -> tuple[State, Callable[[State], Node]]:
    def expand(state: State) -> Node:
        points, player, thrown, rolling, made = state
        if None in points:
            return side(1 if points[0] is None else -1)
        if made == moves:
            return side(0)
        if rolling:
            failed = (points, 1 - player, 0, False, made)
            return Chance([failed, *((points, player, thrown + k, False, made) for k in range(2, sides + 1))])
        total = points[player] + thrown
        # The points of the winner count no more.
        own = total if total < goal else None
        kept = (own, points[1]) if player == 0 else (points[0], own)
        if own is None:
            return turn(player, [(kept, 1 - player, 0, False, made + 1)])
        return turn(player, [(kept, 1 - player, 0, False, made + 1), (points, player, thrown, True, made + 1)])

    return ((0, 0), 0, 0, False, 0), expand


def race(length: int) -> tuple[State, Callable[[State], Node]]:
    def expand(state: State) -> Node:
        at, player, die = state
        if max(at) >= length:
            return side(1 if at[0] >= length else -1)
        if die is None:
            return turn(player, [(at, player, (2, 3)), (at, player, (1, 4))])
        step = [(min(at[player] + k, length), at[1 - player]) for k in die]
        return Chance([(place if player == 0 else place[::-1], 1 - player, None) for place in step])

    return ((0, 0), 0, None), expand


def once(rewards: list[list[int]]) -> tuple[State, Callable[[State], Node]]:
    def expand(state: State) -> Node:
        if state is None:
            return Joint([[(row, column) for column in range(len(rewards[0]))] for row in range(len(rewards))])
        row, column = state
        return End(Fraction(rewards[row][column]))

    return None, expand


def game(arguments: str) -> tuple[State, Callable[[State], Node]]:
    """A game by its words, as for ``ggsolve generate``, or the name of a file."""
    name, *words = arguments.split()
    if name == "goofspiel":
        return goofspiel(int(words[0]), words[1], words[2])
    sizes = [int(word) for word in words]
    match name:
        case "oshi-zumo":
            return oshi_zumo(*sizes)
        case "tictactoe-simultaneous":
            return tictactoe(*sizes)
        case "duel":
            return duel(*sizes)
        case "pig":
            return pig(*sizes)
        case "race":
            return race(*sizes)
        case "matching_pennies.gdl":
            return once([[100, 0], [0, 100]])
        case "rock_paper_scissors.gdl":
            return once([[50, 100, 0], [0, 50, 100], [100, 0, 50]])
        case "hide_and_seek.gdl":
            return once([[100, 0, 0], [0, 50, 0], [0, 0, 25]])
    raise ValueError(arguments)


def matrix_value(payoffs: list[list[Fraction]]) -> Fraction:
    """The value of a matrix game: the simplex method in fractions, with Bland's rule, proved by both strategies."""
    low = max(min(row) for row in payoffs)
    high = min(max(column) for column in zip(*payoffs))
    if low == high:
        return low
    shift = 1 - min(map(min, payoffs))
    rows, columns = len(payoffs), len(payoffs[0])
    # Σ y is to be greatest with A y ≤ 1; a column of slack for each row, and the bound in the end.
    tableau = [
        [entry + shift for entry in row] + [Fraction(i == j) for j in range(rows)] + [Fraction(1)]
        for i, row in enumerate(payoffs)
    ]
    gain = [Fraction(1)] * columns + [Fraction(0)] * (rows + 1)
    basis = list(range(columns, columns + rows))
    while (entering := next((j for j, own in enumerate(gain[:-1]) if own > 0), None)) is not None:
        bounds = [(row[-1] / row[entering], basis[i], i) for i, row in enumerate(tableau) if row[entering] > 0]
        leaving = min(bounds)[2]
        pivot = tableau[leaving][entering]
        line = [entry / pivot for entry in tableau[leaving]]
        for i, row in enumerate(tableau):
            tableau[i] = line if i == leaving else [a - row[entering] * b for a, b in zip(row, line)]
        gain = [a - gain[entering] * b for a, b in zip(gain, line)]
        basis[leaving] = entering
    value = 1 / -gain[-1]
    y = [Fraction(0)] * columns
    for i, variable in enumerate(basis):
        if variable < columns:
            y[variable] = tableau[i][-1] * value
    x = [-own * value for own in gain[columns:-1]]
    value -= shift
    assert min(x) >= 0 and min(y) >= 0 and sum(x) == sum(y) == 1
    assert all(sum(p * entry for p, entry in zip(y, row)) <= value for row in payoffs)
    assert all(sum(p * entry for p, entry in zip(x, column)) >= value for column in zip(*payoffs))
    return value


class Search:
    """The values of the states of a game, and in how many of them both choose."""

    def __init__(self, arguments: str) -> None:
        self.start, self.expand = game(arguments)
        self.values: dict[Hashable, Fraction] = {}
        self.joint = 0

    def value(self, state: State) -> Fraction:
        """What the first player gets on average."""
        if state not in self.values:
            self.values[state] = self.worth(self.expand(state))
        return self.values[state]

    def worth(self, node: Node) -> Fraction:
        match node:
            case End(reward):
                return reward
            case Chance(outcomes):
                return sum(map(self.value, outcomes), Fraction(0)) / len(outcomes)
            case Joint(successors):
                self.joint += len(successors) > 1 and len(successors[0]) > 1
                return matrix_value(self.table(successors))

    def table(self, successors: list[list[State]]) -> list[list[Fraction]]:
        return [[self.value(successor) for successor in row] for row in successors]


def solve(arguments: str) -> dict[str, str | int]:
    """What is recorded of a game."""
    search = Search(arguments)
    value = search.value(search.start)
    squares = sum((value * value for value in search.values.values()), Fraction(0))
    return {"value": str(value), "states": len(search.values), "joint": search.joint, "squares": str(squares)}


#: What is recorded.
RECORDED = [
    "matching_pennies.gdl",
    "rock_paper_scissors.gdl",
    "hide_and_seek.gdl",
    *(f"goofspiel {cards} {order} win" for cards in (3, 4) for order in ("rising", "falling", "random")),
    *(f"goofspiel {cards} {order} points" for cards in (3, 4) for order in ("rising", "falling", "random")),
    "goofspiel 5 rising win",
    "goofspiel 5 falling points",
    "goofspiel 5 random win",
    "oshi-zumo 6 2 1",
    "oshi-zumo 7 1 2",
    "oshi-zumo 10 2 1 9",
    "tictactoe-simultaneous 3 2 2",
    "tictactoe-simultaneous 3 3 3",
    "duel 5 1 1",
    "duel 6 2 1",
    "pig 5 3 8",
    "pig 8 4 20",
    "race 7",
    "race 20",
]


def main() -> None:
    found = {}
    for arguments in RECORDED:
        found[arguments] = solve(arguments)
        print(arguments, found[arguments], file=sys.stderr)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
