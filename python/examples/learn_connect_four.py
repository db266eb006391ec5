"""A decision tree that learns 4 x 4 Connect Four from a stored solution, and plays against random moves.

    pip install ".[tables]" scikit-learn
    python python/examples/learn_connect_four.py

The tree sees the board of 40,000 positions, drawn over values, and learns what each is worth to the first role. It plays by
looking at the positions after its moves, without the solution, as each side in turn. Random play gets half of the points
against random play; the tree is to get 0.7 at least. It takes less than a minute.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import numpy
from sklearn.tree import DecisionTreeRegressor

import ggsolve

GAME = Path(__file__).resolve().parents[2] / "games" / "connect4_4x4.gdl"
MATCHES = 400
MARGIN = 0.2


def learned(solution: ggsolve.Solution, positions: int = 40_000, seed: int = 1) -> Any:
    """A tree from truth values of the fluents to the reward of the first role."""
    table = solution.to_numpy(sample=positions, over="values", seed=seed)
    tree = DecisionTreeRegressor(min_samples_leaf=5, random_state=seed)
    return tree.fit(table["fluents"], table["value"][:, 0])


def choice(solution: ggsolve.Solution, tree: Any, position: ggsolve.Position) -> ggsolve.Position:
    """The position after the move that looks best to the role to move."""
    after = [move.after for move in position.moves]
    worth = tree.predict(solution.flags(after))
    return after[int(numpy.argmax(worth) if position.to_move == solution.roles[0] else numpy.argmin(worth))]


def score(solution: ggsolve.Solution, tree: Any, matches: int = MATCHES, seed: int = 1) -> float:
    """The share of the points that the tree gets against random moves, as each role in half of the matches."""
    generator, points = random.Random(seed), 0.0
    for match in range(matches):
        own = match % 2
        position = solution.start
        while not position.terminal:
            if position.to_move == solution.roles[own]:
                position = choice(solution, tree, position)
            else:
                position = generator.choice(position.moves).after
        rewards = position.value
        assert rewards is not None
        points += rewards[own] / 100
    return points / matches


def main() -> int:
    with ggsolve.solve(GAME) as solution:
        tree = learned(solution)
        found = score(solution, tree)
    print(f"{tree.get_n_leaves()} leaves; {found:.3f} of the points in {MATCHES} matches against random moves")
    return 0 if found >= 0.5 + MARGIN else 1


if __name__ == "__main__":
    sys.exit(main())
