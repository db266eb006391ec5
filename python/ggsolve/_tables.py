"""The report of a run as tables: lists of rows, which ``pandas.DataFrame`` takes as they are, and the reward matrix; and
positions as tables, by way of a temporary file that the native part writes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
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
    """A row for every value; none where states were only counted, or have no single value."""
    return rows(report.get("buckets") or ())


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
    if report.get("algorithm") == "exact":
        raise UsageError(f"a reward matrix is of whole rewards, and the values of {report['game']} are averages")
    found = [(bucket["rewards"], bucket["states"]) for bucket in buckets(report) if bucket["rewards"] is not None]
    exact = sum(states for _, states in found) >= 2**63
    cells: numpy.typing.NDArray[Any] = numpy.zeros((REWARDS, REWARDS), dtype=object if exact else numpy.int64)
    for (first, second), states in found:
        cells[first, second] = states
    return cells


#: Writes a table to a file.
Write = Callable[[str], Any]


def arrays(write: Write) -> dict[str, numpy.typing.NDArray[Any]]:
    with tempfile.TemporaryDirectory(prefix="ggsolve-") as folder:
        file = os.path.join(folder, "table.npz")
        write(file)
        with numpy.load(file) as found:
            return {name: found[name] for name in found.files}


def arrow(write: Write) -> Any:
    import pyarrow.parquet

    with tempfile.TemporaryDirectory(prefix="ggsolve-") as folder:
        file = os.path.join(folder, "table.parquet")
        write(file)
        return pyarrow.parquet.read_table(file, memory_map=False)


def polars(write: Write) -> Any:
    import polars

    with tempfile.TemporaryDirectory(prefix="ggsolve-") as folder:
        file = os.path.join(folder, "table.parquet")
        write(file)
        return polars.read_parquet(file, memory_map=False)
