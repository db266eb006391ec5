"""Positions as tables: every row of Parquet and NumPy equals what is said of its position."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pyarrow.parquet
import pytest

import ggsolve
from conftest import MATCHES, ROOT, ROUND, STUBBORN, solved

CONNECT = "connect4_4x4.gdl"


def compare(solution: ggsolve.Solution, frame: Any, metadata: dict[str, Any], rows: int) -> None:
    """Rows of a data frame of pandas with positions of the same state; the values of all of them, the rest of ``rows``."""
    fluents, roles = metadata["fluents"], solution.roles
    assert fluents == list(solution.fluents) and metadata["roles"] == list(roles)
    flags = frame[fluents].to_numpy()
    positions = solution.positions(flags)
    values = frame[[f"value_{role}" for role in roles]].fillna(-1).to_numpy().astype(int)
    assert (values == solution.values(positions)).all()
    step = max(len(positions) // rows, 1)
    for position, row in list(zip(positions, frame.to_dict("records")))[::step]:
        assert position.terminal == row["terminal"]
        mover = None if position.terminal else position.to_move
        assert mover == (None if pandas.isna(row["to_move"]) else row["to_move"])
        assert sorted(str(move) for move in position.moves) == sorted(row["legal"])
        assert sorted(str(move) for move in position.best) == sorted(row["best"])


def test_a_hundred_thousand_rows_are_queries(tmp_path: Path) -> None:
    solution = solved(CONNECT)
    file = tmp_path / "positions.parquet"
    report = solution.export(file, sample=100_000, seed=1)
    assert (report["positions"], report["form"]) == (100_000, "parquet") and report["bytes"] == file.stat().st_size
    table = pyarrow.parquet.read_table(file)
    metadata = json.loads(table.schema.metadata[b"ggsolve"])
    assert metadata["game"] == solution.game and metadata["sample"]["seed"] == 1
    compare(solution, table.to_pandas(), metadata, 10_000)
    frame = polars.read_parquet(file)
    assert frame.shape == (100_000, 7 + len(solution.fluents))
    assert frame["legal"].to_list() == table["legal"].to_pylist()
    assert frame.equals(solution.to_polars(sample=100_000, seed=1))
    assert pandas.read_parquet(file).equals(solution.to_pandas(sample=100_000, seed=1))

    arrays = solution.to_numpy(sample=100_000, seed=1)
    assert (arrays["fluents"] == table.select(metadata["fluents"]).to_pandas().to_numpy()).all()
    assert (arrays["value"] == solution.values(arrays["fluents"])).all()
    assert (arrays["layer"] == table["layer"].to_numpy()).all()
    names = json.loads(str(arrays["metadata"]))
    moves = numpy.array([move for _, move in names["moves"]])
    for key in ("legal", "best"):
        assert [sorted(moves[row]) for row in arrays[key][:3000]] == [sorted(row) for row in table[key].to_pylist()[:3000]]
    board = names["board"]
    for fluent, plane, row, column in board["fluents"]:
        assert (arrays["planes"][:, plane, row, column] == arrays["fluents"][:, fluent]).all()
    cells = arrays["planes"].shape
    assert cells == (100_000, len(board["contents"]), 4, 4) and arrays["planes"].sum() == 16 * 100_000


@pytest.mark.parametrize("game", [MATCHES, ROUND, STUBBORN, "morris_three.gdl", "hanoi.gdl"])
def test_tables_of_all_positions(game: str) -> None:
    solution = solved(game)
    table = solution.to_arrow()
    assert table.num_rows == sum(layer["states"] for layer in solution.layers)
    compare(solution, table.to_pandas(), json.loads(table.schema.metadata[b"ggsolve"]), 300)
    arrays = solution.to_numpy()
    assert (arrays["value"] == solution.values(arrays["fluents"])).all() and len(arrays["layer"]) == table.num_rows


def test_orbits_layers_and_values() -> None:
    solution = solved("tictactoe.gdl")
    assert len(solution.to_numpy(symmetric=True)["layer"]) == 765
    layer = solution.to_pandas(layer=3)
    assert len(layer) == 252 and set(layer["layer"]) == {3}
    drawn = solution.to_numpy(sample=3000, over="values", seed=5)["value"][:, 0]
    counts = [int((drawn == value).sum()) for value in (0, 50, 100)]
    assert all(abs(count - 1000) < 5 * (3000 * 2 / 9) ** 0.5 for count in counts), counts


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    solution = solved("tictactoe.gdl")
    with pytest.raises(ggsolve.UsageError, match="parquet, npz, csv or jsonl"):
        solution.export(tmp_path / "positions.txt")
    with pytest.raises(ggsolve.UsageError, match="states or values"):
        solution.export(tmp_path / "positions.csv", sample=3, over="layers")
    with pytest.raises(ggsolve.UsageError, match="there is no layer 10"):
        solution.export(tmp_path / "positions.csv", layer=10)
    with pytest.raises(ggsolve.Error):
        solution.export(tmp_path / "none" / "positions.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_tree_learned_from_a_table_beats_random_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(str(ROOT / "python" / "examples"))
    example = importlib.import_module("learn_connect_four")
    solution = solved(CONNECT)
    found = example.score(solution, example.learned(solution))
    assert found >= 0.5 + example.MARGIN, found
