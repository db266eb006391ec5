"""The report of a run as tables: lists of rows, which ``pandas.DataFrame`` takes as they are, and the reward matrix."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy
import numpy.typing

from .errors import UsageError

Row = dict[str, Any]

#: Rewards are whole numbers from 0 to 100.
REWARDS = 101


def layers(report: Mapping[str, Any]) -> list[Row]:
    """A row for every layer."""
    keys = ("layer", "states", "terminal", "chance_states", "joint_states", "nodes", "engine")
    return [{key: layer[key] for key in keys if key in layer} for layer in report["layers"]]


def layer_buckets(report: Mapping[str, Any]) -> list[Row]:
    """A row for every value in every layer."""
    return [
        {"layer": layer["layer"], **row} for layer in report["layers"] for row in rows(layer.get("buckets", ()))
    ]


def buckets(report: Mapping[str, Any]) -> list[Row]:
    """A row for every value."""
    return rows(report.get("buckets", ()))


def rows(found: Any) -> list[Row]:
    """Rewards as tuples; numbers of solutions with exact values, which have a float beside them, as fractions."""
    made = []
    for bucket in found:
        row = dict(bucket)
        for key in row.keys() & {"rewards", "rewards_float", "range"}:
            row[key] = None if row[key] is None else tuple(row[key])
        if "rewards_float" in row:
            row["rewards"] = tuple(map(Fraction, row["rewards"]))
        made.append(row)
    return made


def matrix(report: Mapping[str, Any]) -> numpy.typing.NDArray[Any]:
    """By the rewards of the first role and of the second: how many states have these under best play."""
    if len(report["roles"]) != 2:
        raise UsageError(f"a reward matrix is of two roles, and {report['game']} has {len(report['roles'])}")
    if report["algorithm"] == "exact":
        raise UsageError(f"a reward matrix is of whole rewards, and the values of {report['game']} are averages")
    found = [(bucket["rewards"], bucket["states"]) for bucket in buckets(report) if bucket["rewards"] is not None]
    exact = sum(states for _, states in found) >= 2**63
    cells: numpy.typing.NDArray[Any] = numpy.zeros((REWARDS, REWARDS), dtype=object if exact else numpy.int64)
    for (first, second), states in found:
        cells[first, second] = states
    return cells
