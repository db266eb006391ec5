"""Exact values against independent programs: matrices and files for Gambit by ``pygambit``, games by OpenSpiel, and games
in code of their own by brute force. What is lacking is told, and is an error where ``GGSOLVE_REQUIRE`` asks for it.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, command_line
from exact_games import Chance, Joint, Search, solve

RECORDED = json.loads((ROOT / "tests" / "games" / "exact.json").read_text())


def lacking(what: str, remedy: str) -> None:
    """As ``tests/common/lacking.rs``."""
    required = os.environ.get("GGSOLVE_REQUIRE", "").split(",")
    assert "all" not in required and what not in required, f"{what} is lacking: {remedy}"
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "tmp"
    if target.is_dir():
        with (target / "lacking").open("a") as listed:
            listed.write(f"{what}: not run: test_exact.py ({remedy})\n")
    pytest.skip(f"{what} is lacking: {remedy}")


def module(name: str, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return lacking(what, 'pip install ".[exact]"')


def example(name: str) -> Path:
    """A built program of ``examples/``."""
    built = [Path(command_line()[0]).parent / "examples" / name]
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built += [target / profile / "examples" / name for profile in ("release", "debug")]
    found = [path for path in built if path.is_file()]
    if not found:
        lacking(f"example-{name}", f"cargo build --release --example {name}")
    return found[0]


def random_matrix(source: random.Random) -> list[list[Fraction]]:
    """Of up to 12 × 12 payoffs: fractions, few numbers, equal or dominated rows and columns, or a symmetric game."""
    rows, columns = source.randint(1, 12), source.randint(1, 12)
    kind = source.randrange(5)

    def payoff() -> Fraction:
        if kind == 0:
            return Fraction(source.randint(-60, 60), source.randint(1, 12))
        return Fraction(source.randint(-2, 2) if kind == 1 else source.randint(0, 100))

    matrix = [[payoff() for _ in range(columns)] for _ in range(rows)]
    if kind == 2:
        for _ in range(rows):
            matrix[source.randrange(rows)] = list(source.choice(matrix))
        one, other = source.randrange(columns), source.randrange(columns)
        for row in matrix:
            row[one] = row[other]
    elif kind == 3:
        row = source.choice(matrix)
        matrix[source.randrange(rows)] = [own - source.randint(0, 1) for own in row]
    elif kind == 4:
        size = min(rows, columns)
        matrix = [[Fraction(0)] * size for _ in range(size)]
        for i in range(size):
            for j in range(i):
                matrix[i][j] = payoff() - 50
                matrix[j][i] = -matrix[i][j]
    return matrix


def gambit_value(pygambit: Any, matrix: list[list[Fraction]]) -> Fraction:
    numpy = importlib.import_module("numpy")
    own = numpy.array([[pygambit.Rational(own.numerator, own.denominator) for own in row] for row in matrix])
    game = pygambit.StrategicGame.from_arrays(own, -own)
    return first_payoff(pygambit.nash.lp_solve(game, rational=True).equilibrium)


def first_payoff(profile: Any) -> Fraction:
    _, payoff = next(iter(profile.payoffs))
    return Fraction(str(payoff))


def test_matrices_are_worth_what_gambit_finds() -> None:
    pygambit = module("pygambit", "pygambit")
    source = random.Random(39)
    matrices = [random_matrix(source) for _ in range(10_000)]
    text = "\n".join(json.dumps([[str(own) for own in row] for row in matrix]) for matrix in matrices)
    lines = subprocess.run([example("matrices")], input=text, capture_output=True, text=True, check=True).stdout
    solutions = [json.loads(line) for line in lines.splitlines()]
    assert len(solutions) == len(matrices)
    for matrix, solution in zip(matrices, solutions):
        assert solution["proved"]
        assert Fraction(solution["value"]) == gambit_value(pygambit, matrix), matrix


@pytest.mark.parametrize("arguments", [name for name in RECORDED if RECORDED[name]["states"] < 3500])
def test_recorded_values_are_found_by_brute_force(arguments: str) -> None:
    assert solve(arguments) == RECORDED[arguments]


class OpenSpiel:
    """Values of states of a game of OpenSpiel, by its rules and linear programs in floating point."""

    def __init__(self) -> None:
        self.scipy = module("scipy.optimize", "open_spiel")
        self.known: dict[str, float] = {}

    def matrix(self, payoffs: list[list[float]]) -> float:
        rows, columns = len(payoffs), len(payoffs[0])
        low, high = max(map(min, payoffs)), min(map(max, zip(*payoffs)))
        if low == high:
            return low
        found = self.scipy.linprog(
            [0.0] * rows + [-1.0],
            A_ub=[[-payoffs[i][j] for i in range(rows)] + [1.0] for j in range(columns)],
            b_ub=[0.0] * columns,
            A_eq=[[1.0] * rows + [0.0]],
            b_eq=[1.0],
            bounds=[(0, None)] * rows + [(None, None)],
        )
        assert found.status == 0
        return float(-found.fun)

    def value(self, state: Any, depth: int = 0) -> float:
        """What the first player gets on average; the same text in another depth may be another state."""
        key = f"{depth} {state}"
        if key not in self.known:
            self.known[key] = self.worth(state, depth)
        return self.known[key]

    def worth(self, state: Any, depth: int) -> float:
        if state.is_terminal():
            return float(state.returns()[0])
        if state.is_chance_node():
            return sum(float(chance) * self.value(state.child(action), depth) for action, chance in state.chance_outcomes())
        if state.is_simultaneous_node():
            return self.matrix(self.table(state, depth))
        values = [self.value(state.child(action), depth + 1) for action in state.legal_actions()]
        return max(values) if state.current_player() == 0 else min(values)

    def table(self, state: Any, depth: int = 0) -> list[list[float]]:
        """The values of the successors by joint choice."""

        def after(one: int, other: int) -> float:
            successor = state.clone()
            successor.apply_actions([one, other])
            return self.value(successor, depth + 1)

        return [[after(one, other) for other in state.legal_actions(1)] for one in state.legal_actions(0)]


def first_table(arguments: str) -> list[list[Fraction]]:
    """The values after the first joint choice, in exact numbers; of a game that chance begins, by its first draw."""
    search = Search(arguments)
    node = search.expand(search.start)
    if isinstance(node, Chance):
        node = search.expand(node.outcomes[0])
    assert isinstance(node, Joint)
    return search.table(node.successors)


ORDERS = {"rising": "ascending", "falling": "descending", "random": "random"}


@pytest.mark.parametrize(
    "arguments",
    [f"goofspiel {cards} {order} {scoring}" for cards in (3, 4) for order in ORDERS for scoring in ("win", "points")]
    + ["goofspiel 5 rising win", "goofspiel 5 falling points"]
    + ["oshi-zumo 6 2 1", "oshi-zumo 7 1 2", "oshi-zumo 10 2 1"],
)
def test_games_of_joint_choices_are_worth_what_open_spiel_has(arguments: str) -> None:
    pyspiel = module("pyspiel", "open_spiel")
    name, *words = arguments.split()
    scale = 50.0
    if name == "goofspiel":
        cards, order, scoring = words
        # There a player gets what it is above the mean of both: half the difference.
        scale = 2.0 if scoring == "points" else 50.0
        returns = "point_difference" if scoring == "points" else "win_loss"
        described = f"goofspiel(num_cards={cards},points_order={ORDERS[order]},returns_type={returns})"
    else:
        coins, size, least = words
        described = f"oshi_zumo(coins={coins},size={size},min_bid={least})"
    state = pyspiel.load_game(described).new_initial_state()
    if state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    found = OpenSpiel().table(state)
    expected = first_table(arguments)
    assert len(found) == len(expected) > 2
    for row, exact in zip(found, expected):
        assert [50 + scale * own for own in row] == pytest.approx([float(own) for own in exact], abs=1e-9)


@pytest.mark.parametrize("arguments", ["pig 5 3 8", "pig 8 4 20"])
def test_pig_is_worth_what_open_spiel_has(arguments: str) -> None:
    pyspiel = module("pyspiel", "open_spiel")
    _, goal, sides, moves = arguments.split()
    loaded = pyspiel.load_game(f"pig(winscore={goal},diceoutcomes={sides},horizon={moves})")
    found = 50 + 50 * OpenSpiel().value(loaded.new_initial_state())
    assert found == pytest.approx(float(Fraction(RECORDED[arguments]["value"])), abs=1e-9)


def translated(game: str, form: str, folder: Path) -> Path:
    file = folder / f"game.{form}"
    subprocess.run([*command_line(), "translate", game, "--to", form, "-o", file], check=True, cwd=ROOT)
    return file


@pytest.mark.parametrize("game", ["matching_pennies", "rock_paper_scissors", "hide_and_seek"])
def test_gambit_reads_tables_and_finds_the_same_value(game: str, tmp_path: Path) -> None:
    pygambit = module("pygambit", "pygambit")
    read = pygambit.read_nfg(translated(f"games/{game}.gdl", "nfg", tmp_path))
    value = first_payoff(pygambit.nash.lp_solve(read, rational=True).equilibrium)
    assert value == Fraction(RECORDED[f"{game}.gdl"]["value"])
    tree = pygambit.read_efg(translated(f"games/{game}.gdl", "efg", tmp_path))
    assert first_payoff(pygambit.nash.lp_solve(tree, rational=True).equilibrium) == value


@pytest.mark.parametrize("arguments", ["goofspiel 3 rising win", "oshi-zumo 5 1 2", "oshi-zumo 5 1 2 4", "nim 1 2 2"])
def test_gambit_reads_trees_and_finds_the_same_value(arguments: str, tmp_path: Path) -> None:
    pygambit = module("pygambit", "pygambit")
    rules = subprocess.run([*command_line(), "generate", *arguments.split()], capture_output=True, check=True).stdout
    (tmp_path / "game.gdl").write_bytes(rules)
    tree = pygambit.read_efg(translated(str(tmp_path / "game.gdl"), "efg", tmp_path))
    value = first_payoff(pygambit.nash.lp_solve(tree, rational=True).equilibrium)
    # The first of Nim wins unless the heaps, in binary, add up to nothing.
    assert value == (100 if arguments.startswith("nim") else Fraction(solve(arguments)["value"]))
