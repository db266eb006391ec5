"""Many positions at once."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest

import ggsolve
from conftest import MATCHES, STUBBORN, run, solved


def some(solution: ggsolve.Solution, number: int) -> list[ggsolve.Position]:
    generator, found = random.Random(3), [solution.start]
    while len(found) < number:
        position = found[-1]
        found.append(solution.start if position.terminal else generator.choice(position.moves).after)
    return found


def test_values_of_a_batch_are_those_of_its_positions() -> None:
    solution = solved("tictactoe.gdl")
    positions = some(solution, 300)
    values = solution.values(positions)
    assert values.dtype == numpy.int16 and values.shape == (300, 2)
    assert [tuple(row) for row in values.tolist()] == [position.value for position in positions]
    values[0, 0] = 7
    assert solution.values(iter(positions[:3])).tolist() == [[50, 50]] * 3, "arrays are the caller's own"
    assert solution.values([]).shape == (0, 2)
    by_state = solution.values([positions[5].state, " ".join(positions[6].state), list(positions[7].state)])
    assert by_state.tolist() == solution.values(positions[5:8]).tolist()


def test_states_are_flags_and_come_back() -> None:
    solution = solved("tictactoe.gdl")
    positions = some(solution, 50)
    flags = solution.flags(positions)
    assert flags.dtype == numpy.bool_ and flags.shape == (50, len(solution.fluents))
    names = numpy.array(solution.fluents)
    assert all(sorted(names[row]) == list(position.state) for row, position in zip(flags, positions))
    assert solution.positions(flags) == positions
    assert solution.positions(flags.astype(int).tolist()) == positions
    assert (solution.values(flags) == solution.values(positions)).all()
    assert (solution.values(flags[:, :][::2]) == solution.values(positions[::2])).all(), "whatever the strides"
    assert solution.flags([]).shape == (0, len(solution.fluents))


def test_flags_that_are_none_are_refused() -> None:
    solution = solved("tictactoe.gdl")
    flags = solution.flags(some(solution, 4))
    for wrong in (flags[0], flags[:, 1:], flags * 2, numpy.zeros((3, 0))):
        with pytest.raises(ggsolve.UsageError):
            solution.values(wrong)
    with pytest.raises(ggsolve.PositionError):
        solution.positions(numpy.ones_like(flags))
    with pytest.raises(ggsolve.PositionError):
        solution.positions(numpy.zeros_like(flags))


def test_batches_are_of_one_solution() -> None:
    solution = solved("tictactoe.gdl")
    with pytest.raises(ggsolve.UsageError, match="another game"):
        solution.values([solved(MATCHES).start])
    for wrong in ([5], [None], 5, [["(cell 1 1 x)", 3]]):
        with pytest.raises(TypeError):
            solution.values(wrong)  # type: ignore[arg-type]


def test_random_positions_are_those_of_the_command_line() -> None:
    solution = solved("tictactoe.gdl")
    for layer, rewards in ((4, None), (4, (0, 100)), (9, (100, 0))):
        drawn = solution.sample(layer, 30, rewards=rewards, seed=7)
        value = () if rewards is None else ("--rewards", ",".join(map(str, rewards)))
        lines = run("query", solution.folder, "--sample", "30", "--layer", str(layer), *value, "--seed", "7", lines=True)
        assert [list(position.state) for position in drawn] == [line["state"] for line in lines]
        assert {line["population"] for line in lines} == {solution.population(layer, rewards=rewards)}
        assert {position.layer for position in drawn} == {layer}
        assert rewards is None or {position.value for position in drawn} == {rewards}
    assert len(set(solution.sample(5, 100))) > 50, "they differ"
    assert solution.sample(0) == [solution.start] and solution.sample(3, 0) == []
    assert solution.population(4) == 756


def test_random_positions_of_endless_play() -> None:
    solution = solved(STUBBORN)
    assert solution.sample(0, rewards="endless") == [solution.start]


def test_layers_and_values_that_are_none() -> None:
    solution = solved("tictactoe.gdl")
    kinds: dict[type[Exception], list[dict[str, Any]]] = {
        ggsolve.PositionError: [
            {"layer": 99},
            {"layer": 0, "rewards": (7, 7)},
            {"layer": 0, "rewards": (50,)},
            {"layer": 0, "rewards": 5},
        ],
        ggsolve.UsageError: [
            {"layer": -1},
            {"layer": 2**40},
            {"layer": 0, "number": -1},
            {"layer": 0, "rewards": (50, 500)},
            {"layer": 0, "rewards": "best"},
            {"layer": 0, "seed": -1},
        ],
        TypeError: [{"layer": "0"}, {"layer": 0, "number": 1.5}, {"layer": 0, "rewards": ("a", "b")}],
    }
    for kind, all_wrong in kinds.items():
        for wrong in all_wrong:
            with pytest.raises(kind):
                solution.sample(**wrong)
