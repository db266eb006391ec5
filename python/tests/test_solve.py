"""Rules in, reports out: the same as on the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy
import pandas
import pytest

import ggsolve
from conftest import GAMES, MATCHES, ROUND, STUBBORN, run, solved

#: What differs from run to run, and where the solution lies.
CIRCUMSTANCES = ("time_s", "peak_memory_bytes", "runs", "stored", "from_disk", "diagnostics")


def without_circumstances(report: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in report.items() if key not in CIRCUMSTANCES}
    # By what means the values of a layer were computed is not stored.
    layers = [{key: value for key, value in layer.items() if key != "backward"} for layer in report["layers"]]
    return {**kept, "layers": layers}


@pytest.mark.parametrize("game", ["tictactoe.gdl", "tictactoe.gddl", "nim40.gdl", "clobber_1x6.gdl", "hanoi.gdl"])
@pytest.mark.parametrize("model", ["max-own", "max-diff"])
def test_reports_are_those_of_the_command_line(game: str, model: str) -> None:
    solution = solved(game, model)
    arguments = ("--threads", "1", "--no-store", "--opponent-model", model)
    assert without_circumstances(solution.report) == without_circumstances(run("solve", GAMES / game, *arguments))
    classified = ggsolve.classify(GAMES / game, opponent_model=model, threads=1)
    assert without_circumstances(classified) == without_circumstances(run("classify", GAMES / game, *arguments))


@pytest.mark.parametrize("text", [MATCHES, ROUND, STUBBORN])
def test_texts_are_files_without_a_file(text: str, tmp_path: Path) -> None:
    file = tmp_path / "game.gdl"
    file.write_text(text)
    of_text, of_path, of_name = ggsolve.solve(text), ggsolve.solve(file), ggsolve.solve(str(file))
    reports = [without_circumstances(solution.report) for solution in (of_text, of_path, of_name)]
    assert reports[0] == reports[1] == reports[2] == without_circumstances(run(file, "--no-store"))
    assert ggsolve.solve(text, name="other").game == "other"


def test_counts_checks_and_ground_forms_are_those_of_the_command_line() -> None:
    game = GAMES / "tictactoe.gdl"
    assert without_circumstances(ggsolve.count(game)) == without_circumstances(run("count", game))
    assert ggsolve.check(game) == run("check", game)
    ground, expected = ggsolve.ground(game), run("ground", game)
    assert {**ground, "time_s": None} == {**expected, "time_s": None}
    assert [layer["states"] for layer in ggsolve.count(game)["layers"]][:4] == [1, 9, 72, 252]


def test_translations_are_the_same_game(tmp_path: Path) -> None:
    there = ggsolve.translate(GAMES / "tictactoe.gdl", "gddl")
    assert "(define (domain" in there
    back = ggsolve.translate(there, "gdl")
    assert ggsolve.solve(back).report["layers"] == solved("tictactoe.gdl").report["layers"]
    with pytest.raises(ggsolve.UsageError, match="none of gdl, gddl"):
        ggsolve.translate(there, "chess")


def test_a_domain_and_its_problem_are_two_arguments() -> None:
    text = (GAMES / "tictactoe.gddl").read_text()
    at = text.index("(define (problem")
    assert ggsolve.solve(text[:at], problem=text[at:]).report["layers"] == solved("tictactoe.gddl").report["layers"]
    with pytest.raises(ggsolve.UsageError, match="GDL, which has no problem files"):
        ggsolve.solve(MATCHES, problem=text[at:])


def test_a_folder_keeps_the_solution(tmp_path: Path) -> None:
    out = tmp_path / "kept.ggs"
    with ggsolve.solve(MATCHES, out=out) as solution:
        assert not solution.temporary and not solution.report["from_disk"]
        assert ggsolve.solve(MATCHES, out=str(out)).report["from_disk"]
        expected = solution.start.query(distance=True)
        report = solution.report
    assert out.is_dir() and solution.closed
    again = ggsolve.open(out)
    assert again.start.query(distance=True) == expected == run("query", out, "--distance")
    assert without_circumstances(again.report) == without_circumstances(report)
    assert again.report["from_disk"] and again.folder == out
    assert again.verify()["ok"] and ggsolve.verify(out, full=True, rules=MATCHES)["ok"]
    with pytest.raises(ggsolve.DamagedError):
        ggsolve.solve(ROUND, out=out)
    assert ggsolve.solve(ROUND, out=out, force=True).roles == ("you",)


def test_temporary_folders_go_with_their_solution() -> None:
    solution = ggsolve.solve(MATCHES)
    assert solution.temporary and solution.folder.is_dir()
    solution.close()
    assert not solution.folder.exists() and not solution.folder.parent.exists()
    folder = ggsolve.solve(MATCHES).folder
    assert not folder.exists(), "nobody has the solution any more"


def test_tables_are_ready_for_pandas() -> None:
    solution = solved("tictactoe.gdl")
    layers = pandas.DataFrame(solution.layers)
    assert list(layers.columns) == ["layer", "states", "terminal", "nodes", "engine"]
    assert (layers.states.sum(), layers.terminal.sum()) == (5478, 958) == (solution.states, 958)
    buckets = pandas.DataFrame(solution.buckets).set_index("rewards").states
    assert buckets.to_dict() == {(0, 100): 1474, (50, 50): 1068, (100, 0): 2936}
    by_layer = pandas.DataFrame(solution.layer_buckets)
    assert by_layer.groupby("layer").states.sum().tolist() == layers.states.tolist()
    assert (pandas.DataFrame(solved(STUBBORN).buckets).rewards.isna()).any(), "endless play is a bucket without rewards"


def test_the_matrix_is_by_rewards_of_both() -> None:
    matrix = solved("tictactoe.gdl").matrix
    assert matrix.shape == (101, 101) and matrix.dtype == numpy.int64 and matrix.sum() == 5478
    assert (matrix[0, 100], matrix[50, 50], matrix[100, 0]) == (1474, 1068, 2936)
    with pytest.raises(ggsolve.UsageError, match="two roles"):
        solved(ROUND).matrix


def test_counts_are_exact_however_large() -> None:
    """Seventy-two switches: more states than 64 bits can count."""
    switches = range(72)
    names = " ".join(f"(switch s{n})" for n in switches)
    text = f"""(role you) {names} (init (turn s0))
    {" ".join(f"(after s{n} s{n + 1})" for n in switches)}
    (<= (legal you (set ?s on)) (true (turn ?s)) (switch ?s))
    (<= (legal you (set ?s off)) (true (turn ?s)) (switch ?s))
    (<= (next (on ?s)) (does you (set ?s on))) (<= (next (on ?s)) (true (on ?s)))
    (<= (next (turn ?t)) (true (turn ?s)) (after ?s ?t))
    (<= terminal (true (turn s72))) (<= (goal you 100) (true (on s0))) (<= (goal you 0) (not (true (on s0))))"""
    counted = ggsolve.count(text)
    assert counted["layers"][72]["states"] == 2**72 and counted["states"] == 2**73 - 1


def test_large_matrices_have_exact_integers() -> None:
    from ggsolve import _tables

    report = {"game": "g", "roles": ["a", "b"], "buckets": [{"rewards": [0, 100], "states": 2**80, "nodes": 1}]}
    assert _tables.matrix(report)[0, 100] == 2**80


def test_options_change_how_and_not_what() -> None:
    expected = without_circumstances(ggsolve.solve(GAMES / "clobber_1x6.gdl").report)
    seen = []
    choices: list[dict[str, Any]] = [
        {"engine": "symbolic", "threads": 2},
        {"engine": "hybrid", "memory": 2**30},
        {"algorithm": "global", "memory": "1G"},
        {"order": "rules", "disk": 10**30},
    ]
    for options in choices:
        report = ggsolve.solve(GAMES / "clobber_1x6.gdl", **options).report
        assert (report["value"], report["states"]) == (expected["value"], expected["states"])
        seen.append(report["algorithm"])
    assert seen == ["layered", "layered", "global", "layered"]
    fluents = ggsolve.ground(GAMES / "clobber_1x6.gdl")["fluents"]
    assert ggsolve.solve(GAMES / "clobber_1x6.gdl", order=fluents[::-1]).value == tuple(expected["value"])
    classic = ggsolve.classify(GAMES / "tictactoe.gdl", algorithm="classic")
    assert classic["algorithm"] == "classic" and classic["value"] == [50, 50]


def test_progress_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    heard: list[ggsolve.Progress] = []
    ggsolve.solve(MATCHES, progress=heard.append)
    kinds = {progress.kind for progress in heard}
    assert {"started", "finished", "layer"} <= kinds
    layers = [progress for progress in heard if progress.kind == "layer" and progress.stage == "backward"]
    assert [progress.layer for progress in layers] == [5, 4, 3, 2, 1, 0] and layers[0].layers == 6
    assert all(str(progress) for progress in heard)
    assert capfd.readouterr() == ("", "")
    ggsolve.solve(MATCHES, progress=True)
    assert "forward layer 3" in capfd.readouterr().err
    ggsolve.solve(MATCHES, progress=False)
    assert capfd.readouterr() == ("", "")


def test_how_it_is_done_is_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    ggsolve.solve(MATCHES, out=tmp_path / "kept.ggs")
    assert not caplog.records
    ggsolve.verify(tmp_path / "kept.ggs", full=True)
    assert [record.levelname for record in caplog.records] == ["WARNING"], "how long it will take"
    caplog.set_level("INFO", "ggsolve")
    ggsolve.solve(MATCHES)
    assert any(record.levelname == "INFO" and "layer 5" in record.message for record in caplog.records)


def test_what_is_returned_is_plain_data() -> None:
    assert json.loads(json.dumps(solved(MATCHES).report)) == solved(MATCHES).report
    assert os.fspath(solved(MATCHES).folder)
