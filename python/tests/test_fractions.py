"""Solutions of games with chance or choices at the same time: fractions, mixtures and joint moves as the command line has them."""

from __future__ import annotations

import functools
import pickle
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy
import pytest
from conftest import DILEMMA, GAMES, MATCHES, command_line, run
from test_exact import first_payoff, module

import ggsolve

#: One who throws a die or leaves it, and a second one who hides a coin from a guess of the first one after a throw of 3.
DICE = """
    (role white) (role black) (role random) (init (at start)) (init (number 1)) (init (number 2)) (init (number 3))
    (<= (legal white throw) (true (at start))) (<= (legal white leave) (true (at start)))
    (<= (legal white wait) (true (at (end ?r))))
    (<= (legal black wait) (not (true (at coin)))) (<= (legal white (guess ?s)) (true (at coin)) (side ?s))
    (<= (legal black (hide ?s)) (true (at coin)) (side ?s)) (side heads) (side tails)
    (<= (legal random (die ?n)) (true (at start)) (true (number ?n))) (<= (legal random wait) (not (true (at start))))
    (<= (next (number ?n)) (true (number ?n)))
    (<= (next (at (end 10))) (does white throw) (does random (die 1)))
    (<= (next (at (end 20))) (does white throw) (does random (die 2)))
    (<= (next (at coin)) (does white throw) (does random (die 3)))
    (<= (next (at (end 30))) (does white leave))
    (<= (next (at (end 100))) (does white (guess heads)) (does black (hide heads)))
    (<= (next (at (end 50))) (does white (guess tails)) (does black (hide tails)))
    (<= (next (at (end 0))) (does white (guess ?s)) (does black (hide ?o)) (distinct ?s ?o))
    (<= terminal (true (at (end ?r)))) (<= (goal white ?r) (true (at (end ?r))))
    (rest 0 100) (rest 10 90) (rest 20 80) (rest 30 70) (rest 50 50) (rest 100 0)
    (<= (goal black ?o) (true (at (end ?r))) (rest ?r ?o))
"""


@functools.cache
def solved(rules: str, **options: Any) -> ggsolve.Solution:
    return ggsolve.solve(rules if "\n" in rules else GAMES / rules, **options)


@functools.cache
def dice() -> ggsolve.Solution:
    return solved(DICE)


def every(solution: ggsolve.Solution) -> list[ggsolve.Position]:
    """Every position, found by moves."""
    found: list[ggsolve.Position] = []
    layer = {solution.start}
    while layer:
        found += layer
        layer = {move.after for position in layer for move in position.moves}
    return found


def test_values_are_fractions() -> None:
    # The coin is worth 100/3 to the first one: it guesses heads once in three, and tails twice.
    coin = dice().start.play("throw (die 3)")
    assert coin.value == (Fraction(100, 3), Fraction(200, 3))
    assert coin.strategies["white"] == {"(guess heads)": Fraction(1, 3), "(guess tails)": Fraction(2, 3)}
    assert coin.strategies["black"] == {"(hide heads)": Fraction(1, 3), "(hide tails)": Fraction(2, 3)}
    assert coin.matrix == (((100, 0), (0, 100)), ((0, 100), (50, 50)))
    assert dice().value == (Fraction(30), Fraction(70)) and dice().exact
    assert all(isinstance(number, Fraction) for position in every(dice()) for number in position.value or ())
    thrown = {str(move): move for move in dice().start.moves if "leave" not in str(move)}
    assert {move.probability for move in thrown.values()} == {Fraction(1, 3)}
    assert thrown["(throw wait (die 3))"].after == coin and thrown["(throw wait (die 3))"].role is None
    assert coin.to_move is None and dice().roles == ("white", "black")


def test_games_in_turns_have_whole_numbers_as_before() -> None:
    solution = solved(MATCHES)
    assert not solution.exact and all(type(reward) is int for reward in solution.value or ())
    assert (solution.start.strategies, solution.start.matrix) == ({}, None)
    assert solution.start.moves[0].probability is None


def test_the_value_of_a_position_is_that_of_its_mixtures() -> None:
    """Against brute force: the mean, the better one, or no pure move of either does better than the value."""
    for position in every(dice()):
        value = position.value
        assert value is not None and sum(value) == 100
        if position.terminal:
            continue
        if not position.strategies:
            means: dict[str, list[Fraction]] = {}
            for move in position.moves:
                means.setdefault(move.joint[0], []).append(Fraction((move.value or (0,))[0]))
            assert value[0] == max(sum(each) / len(each) for each in means.values())
            continue
        mixtures, rows = [list(each.values()) for each in position.strategies.values()], position.matrix
        assert rows is not None and [sum(mixture) for mixture in mixtures] == [1, 1]
        payoffs = [[Fraction((cell or (0,))[0]) for cell in row] for row in rows]
        assert min(sum(p * row[j] for p, row in zip(mixtures[0], payoffs)) for j in range(len(payoffs[0]))) == value[0]
        assert max(sum(q * cell for q, cell in zip(mixtures[1], row)) for row in payoffs) == value[0]


def expected(line: ggsolve.Line) -> list[Fraction]:
    """What a line comes to on average."""
    assert sum(outcome.probability for outcome in line.outcomes) == 1
    columns = zip(*(outcome.value or () for outcome in line.outcomes))
    return [sum(own * outcome.probability for own, outcome in zip(column, line.outcomes)) for column in columns]


def test_reasons_are_those_of_the_command_line() -> None:
    for position in every(dice()):
        found = run("query", dice().folder, "--state", " ".join(position.state), "--why")
        assert position.query(why=True) == {**found, "layer": position.layer}
        why = position.why()
        assert why.line.ends == (not why.line.then) and (why.line.ends or expected(why.line) == list(position.value or ()))
        told = [reason for reasons in found.get("reasons", {}).values() for reason in reasons]
        assert [(reason.move, reason.gives_away) for reason in why.reasons] == [
            (reason["move"], Fraction(reason["gives_away"])) for reason in told
        ]


def test_why_choices_are_worse() -> None:
    reasons = {reason.move: reason for reason in dice().start.why().reasons}
    # 30 for sure, or a third of 10, 20 and 100/3 each.
    leave, throw = (reasons.get(move) for move in ("leave", "throw"))
    assert leave is None and throw is not None and throw.role == "white"
    assert throw.gives_away == 30 - Fraction(10 + 20 + Fraction(100, 3)) / 3
    assert throw.follows is not None and throw.follows.then == ("random",) and len(throw.follows.outcomes) == 3
    assert expected(throw.follows)[0] == 30 - Fraction(throw.gives_away)
    # Each of a mixture is as good, and neither has a reason against it.
    coin = dice().start.play("throw (die 3)")
    why = coin.why()
    assert why.line.then == ("white", "black") and why.reasons == () and expected(why.line) == list(coin.value or ())
    with pytest.raises(ggsolve.Error, match="no single value"):
        solved(DILEMMA, guarantee="all").start.why()


def test_joint_moves_are_taken_as_the_command_line_takes_them(tmp_path: Path) -> None:
    (tmp_path / "dice.gdl").write_text(DICE)
    folder = tmp_path / "dice.ggs"
    solution = ggsolve.solve(tmp_path / "dice.gdl", out=folder)
    for moves in ("throw (die 3)", "(throw wait (die 3))", "throw (die 3) (guess heads) (hide tails)", "leave (die 1)"):
        assert solution.position(moves=moves).query() == run("query", folder, "--moves", moves)
    one_by_one = solution.start.play(["throw", "(die 3)", "(guess heads)", "(hide tails)"])
    assert one_by_one == solution.position(moves="throw (die 3) ((guess heads) (hide tails) wait)")
    assert one_by_one.terminal and one_by_one.value == (0, 100)
    coin = solution.start.play("throw (die 3)")
    assert coin == solution.position(state=coin.state) and pickle.loads(pickle.dumps(coin)) == coin
    for move in coin.moves:
        assert coin.play(move) == move.after
    for wrong, said in [("(guess heads)", "1 move for 2 roles"), ("(guess edge) (hide heads)", "not a legal move of white")]:
        with pytest.raises(ggsolve.PositionError, match=said):
            coin.play(wrong)
    with pytest.raises(ggsolve.PositionError, match="play is over"):
        one_by_one.play("leave")
    ggsolve.open(folder).close()


def test_what_is_not_of_such_games_says_so() -> None:
    start = dice().start
    for ask in (start.line, start.distance, start.moves_by_distance, lambda: start.query(distance=True)):
        with pytest.raises(ggsolve.UsageError, match="exact numbers"):
            ask()
    with pytest.raises(ggsolve.UsageError, match="reward matrix"):
        dice().matrix
    with pytest.raises(ggsolve.UsageError, match="exact numbers"):
        dice().sample(1, rewards=(100, 0))
    with pytest.raises(ggsolve.UsageError, match="chance or choices at the same time"):
        solved(MATCHES).start.translate()
    with pytest.raises(ggsolve.UsageError, match="distances"):
        ggsolve.solve(DICE, distances=True)


def test_tables_have_fractions_or_ranges() -> None:
    rows = dice().buckets
    assert [row["states"] for row in rows if row["rewards"] == (Fraction(100, 3), Fraction(200, 3))] == [1]
    assert sum(row["states"] for row in rows) == dice().states == 8
    assert [(row["chance_states"], row["joint_states"]) for row in dice().layers] == [(1, 0), (0, 1), (0, 0)]
    assert {row["layer"] for row in dice().layer_buckets} == {0, 1, 2}
    many = solved(generated("goofspiel", "5", "rising", "win"))
    assert {type(row["range"]) for row in many.buckets} == {tuple}
    assert sum(row["states"] for row in many.buckets) == many.states
    assert all("range" in row for row in many.layer_buckets)


def generated(*arguments: str) -> str:
    return subprocess.run([*command_line(), "generate", *arguments], capture_output=True, text=True, check=True).stdout


def test_many_values_at_once_are_an_array_of_fractions() -> None:
    positions = every(dice())
    values = dice().values(positions)
    assert values.dtype == object and values.shape == (8, 2)
    assert [tuple(row) for row in values] == [position.value for position in positions]
    assert numpy.allclose(values.astype(float).sum(axis=1), 100)
    assert (dice().values(dice().flags(positions)) == values).all()
    drawn = dice().sample(1, 20, seed=3)
    assert {position.layer for position in drawn} == {1} and dice().population(1) == 4


def test_a_game_without_a_single_value_is_solved_by_what_roles_can_force() -> None:
    with pytest.raises(ggsolve.RefusedError, match="no single value"):
        ggsolve.solve(DILEMMA)
    forced = solved(DILEMMA, guarantee="all")
    assert forced.value is None and forced.report["no_value"]["code"] == "no-single-value"
    assert forced.start.guarantees == {
        role: ggsolve.Forced(Fraction(20), {"(be kind)": Fraction(0), "(be hard)": Fraction(1)}) for role in ("ann", "bob")
    }
    assert forced.buckets == [] and "no single value" in repr(forced)
    assert all(value is None for value in forced.values([forced.start])[0])
    assert list(solved(DILEMMA, guarantee=("bob",)).start.guarantees) == ["bob"]
    in_turns = solved(MATCHES, guarantee=("a",)).start.guarantees
    assert in_turns["a"] == (100, {}) or in_turns["a"] == (0, {})
    with pytest.raises(ggsolve.UsageError, match="no role"):
        ggsolve.solve(DILEMMA, guarantee="cleo")
    with pytest.raises(ggsolve.UsageError, match="no single values"):
        forced.start.translate()


def test_the_commands_take_such_games(tmp_path: Path) -> None:
    assert ggsolve.check(DICE)["solvable"]
    assert dice().verify(full=True)["ok"]
    assert ggsolve.classify(DICE)["value"] == [30, 70] and ggsolve.count(DICE)["states"] == 8
    for form, head in (("efg", "EFG 2 R"), ("nfg", "NFG 1 R")):
        assert ggsolve.translate((GAMES / "matching_pennies.gdl").read_text(), form).startswith(head)
    with pytest.raises(ggsolve.UsageError, match="gdl, gddl, efg, nfg"):
        ggsolve.translate(DICE, "umb")


def test_gambit_reads_the_table_of_a_position(tmp_path: Path) -> None:
    pygambit = module("pygambit", "pygambit")
    for name, position in (("coin", dice().start.play("throw (die 3)")), ("start", dice().start)):
        (tmp_path / name).write_text(position.translate("nfg"))
        read = pygambit.read_nfg(tmp_path / name)
        assert first_payoff(pygambit.nash.lp_solve(read, rational=True).equilibrium) == (position.value or (None,))[0]


def test_notebooks_show_them() -> None:
    coin = dice().start.play("throw (die 3)")
    assert repr(dice()) == "<Solution of game: 30/70 for white, black>"
    assert repr(coin) == "<Position of game in layer 1: several roles to move, 100/3, 200/3>"
    assert "100/3, 200/3" in coin._repr_html_()
