"""What goes wrong is an exception of its kind; what is only unusual is a warning."""

from __future__ import annotations

import os
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ggsolve
from conftest import DILEMMA, GAMES, MATCHES, solved

BROKEN = MATCHES + "(<= (next (left ?c)) (does a (take ?n)))"
UNUSUAL = MATCHES + "(<= (never ?x) (true (nothing ?x)))"
SIMULTANEOUS = MATCHES.replace("(take ?n)) (true (turn ?r)) (true", "(take ?n)) (role ?r) (true")


def test_errors_in_rules_have_a_place(tmp_path: Path) -> None:
    with pytest.raises(ggsolve.RefusedError, match="no value") as caught:
        ggsolve.solve(BROKEN, name="broken")
    finding = next(finding for finding in caught.value.findings if finding["severity"] == "error")
    line, column = finding["line"], finding["column"]
    assert (finding["code"], finding["file"]) == ("unsafe-variable", "broken")
    assert BROKEN.splitlines()[line - 1][column - 1 :].startswith("?c")
    assert caught.value.refusal is None and caught.value.folder is None
    assert f"broken:{line}:{column}: error[unsafe-variable]" in str(caught.value)
    file = tmp_path / "broken.gdl"
    file.write_text(BROKEN)
    for command in (ggsolve.solve, ggsolve.count, ggsolve.classify, ggsolve.ground):
        with pytest.raises(ggsolve.RefusedError) as caught:
            command(file)
        assert caught.value.findings[0]["file"] == str(file)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.findings) == (type(caught.value), str(caught.value), caught.value.findings)
    checked = ggsolve.check(BROKEN)
    assert not checked["ok"] and "unsafe-variable" in [finding["code"] for finding in checked["diagnostics"]]


def test_refused_games_have_a_witness() -> None:
    with pytest.raises(ggsolve.RefusedError, match="is refused") as caught:
        ggsolve.solve(DILEMMA)
    refusal = caught.value.refusal
    assert refusal is not None and refusal["code"] == "no-single-value" and refusal["state"] == ["(at start)"]
    assert ggsolve.check(SIMULTANEOUS)["needs"]["joint"] is True
    ggsolve.solve(SIMULTANEOUS).close()


def test_warnings_are_those_of_python(tmp_path: Path) -> None:
    file = tmp_path / "unusual.gdl"
    file.write_text(UNUSUAL)
    with pytest.warns(ggsolve.RulesWarning, match="unknown-fluent") as caught:
        ggsolve.solve(file)
    told = [warning for warning in caught if isinstance(warning.message, ggsolve.RulesWarning)]
    assert {warning.filename for warning in told} == {str(file)}
    assert {warning.lineno for warning in told} == {len(UNUSUAL.splitlines())}
    assert {getattr(warning.message, "finding")["severity"] for warning in told} == {"warning"}
    commands: list[Callable[[], Any]] = [
        lambda: ggsolve.count(UNUSUAL),
        lambda: ggsolve.classify(UNUSUAL),
        lambda: ggsolve.ground(UNUSUAL),
        lambda: ggsolve.translate(UNUSUAL, "gddl"),
    ]
    for command in commands:
        with pytest.warns(ggsolve.RulesWarning, match="unknown-fluent"):
            command()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ggsolve.RulesWarning):
            ggsolve.solve(UNUSUAL)
        ggsolve.solve(MATCHES)
        ggsolve.check(UNUSUAL)


def test_files_that_are_missing_or_none(tmp_path: Path) -> None:
    for missing in ("no/such.gdl", Path("no/such.gdl"), "role"):
        with pytest.raises(ggsolve.MissingFileError, match="the rules cannot be read"):
            ggsolve.solve(missing)
        with pytest.raises(FileNotFoundError):
            ggsolve.check(missing)
    with pytest.raises(ggsolve.FileError):
        ggsolve.solve(tmp_path)
    for folder in (tmp_path, "no/such.ggs", "", GAMES / "tictactoe.gdl"):
        for command in (ggsolve.open, ggsolve.verify):
            with pytest.raises(ggsolve.MissingFileError, match="there is no solution"):
                command(folder)
    with pytest.raises(ggsolve.FileError):
        ggsolve.solve(MATCHES, out="/proc/none/here")
    with pytest.raises(ggsolve.FileError):
        ggsolve.solve(MATCHES, scratch="/proc/none/here")
    with pytest.raises(ggsolve.FileError):
        ggsolve.solve(Path("nul\0.gdl"))
    binary = tmp_path / "rules.gdl"
    binary.write_bytes(bytes(range(256)))
    with pytest.raises(ggsolve.RefusedError):
        ggsolve.solve(binary)
    if os.geteuid() != 0:
        binary.chmod(0)
        with pytest.raises(ggsolve.FileError):
            ggsolve.solve(binary)


@pytest.mark.parametrize("wrong", [None, 5, 5.0, b"(role a)", [MATCHES], object(), {"rules": MATCHES}])
def test_rules_of_another_type_are_refused(wrong: Any) -> None:
    for command in (ggsolve.solve, ggsolve.count, ggsolve.check, ggsolve.ground):
        with pytest.raises(TypeError, match="a text or a path is expected"):
            command(wrong)


@pytest.mark.parametrize("text", ["", " ", "\n", "(", "\n)", "(role", ";", "\ufeff(role a)", "(\x00)", "\n" * 9, "(" * 9999])
def test_texts_that_are_no_rules_are_refused(text: str) -> None:
    assert not ggsolve.check(text)["ok"]
    with pytest.raises(ggsolve.RefusedError) as caught:
        ggsolve.solve(text)
    assert caught.value.findings


def test_a_text_with_half_a_character_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        ggsolve.solve("(role \ud800)")


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        ("opponent_model", "max"),
        ("engine", ""),
        ("algorithm", "classic"),
        ("algorithm", "none"),
        ("order", "best"),
        ("order", ["(unknown fluent)"]),
        ("memory", 0),
        ("memory", -(10**30)),
        ("memory", "much"),
        ("disk", "-1"),
        ("time", 0),
        ("time", -1.5),
        ("time", float("nan")),
        ("threads", 0),
        ("threads", -1),
        ("threads", 10**30),
    ],
)
def test_options_that_make_no_sense(option: str, wrong: Any) -> None:
    with pytest.raises(ggsolve.UsageError) as caught:
        ggsolve.solve(MATCHES, **{option: wrong})
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        ("opponent_model", 1),
        ("engine", None),
        ("order", 5),
        ("memory", 1.5),
        ("memory", []),
        ("time", "90s"),
        ("time", []),
        ("threads", "2"),
        ("out", 5),
        ("scratch", 5),
        ("algorithm", 5),
        ("guarantee", 5),
        ("guarantee", [5]),
        ("force", "yes"),
        ("progress", 5),
        ("name", 5),
        ("problem", 5),
    ],
)
def test_options_of_another_type(option: str, wrong: Any) -> None:
    with pytest.raises(TypeError, match=f"^{option}: "):
        ggsolve.solve(MATCHES, **{option: wrong})


def test_unknown_options() -> None:
    with pytest.raises(TypeError, match="colour"):
        ggsolve.solve(MATCHES, colour="red")  # type: ignore[call-arg]


def test_limits_are_told_and_what_was_finished_is_kept(tmp_path: Path) -> None:
    with pytest.raises(ggsolve.LimitError, match="memory limit reached") as caught:
        ggsolve.solve(GAMES / "connect4_4x4.gdl", memory="300k")
    assert caught.value.folder is None
    assert not isinstance(caught.value, ggsolve.UnsolvedError)
    out = tmp_path / "kept.ggs"
    with pytest.raises(ggsolve.LimitError, match="time limit reached") as caught:
        ggsolve.solve(GAMES / "connect4_7x6.gdl", out=out, time=2)
    assert caught.value.folder in (None, out)
    assert ggsolve.solve(MATCHES, time=10**300).value == (100, 0)


def test_positions_and_moves_that_are_none() -> None:
    start = solved("tictactoe.gdl").start
    for wrong in ("(mark 9 9)", "(mark 1 1) (mark 1 1)", "(mark", "?x", "mark 1 1 1", ["(mark 1 1)", "nonsense"]):
        with pytest.raises(ggsolve.PositionError):
            start.play(wrong)
    ended = start.solution.position(moves=start.line())
    with pytest.raises(ggsolve.PositionError, match="play is over"):
        ended.play("(mark 1 1)")
    for wrong in ("", "(cell 1 1 x)", "(cell 1 1 q)", "(cell", ["(control xplayer)"]):
        with pytest.raises(ggsolve.PositionError):
            start.solution.position(state=wrong)
    for number in (5, None, [5]):
        with pytest.raises(TypeError):
            start.play(number)  # type: ignore[arg-type]
    for nodes in (0, -1):
        with pytest.raises(ValueError):
            start.distance(nodes=nodes)
    with pytest.raises(TypeError):
        start.distance(nodes="many")  # type: ignore[arg-type]


def test_closed_solutions_answer_no_longer() -> None:
    solution = ggsolve.solve(MATCHES)
    position, move = solution.start, solution.start.moves[0]
    with solution:
        pass
    assert solution.closed and repr(solution) == "<Solution, closed>" and "closed" in repr(position)
    questions: list[Callable[[], Any]] = [
        lambda: solution.start,
        lambda: solution.game,
        lambda: solution.verify(),
        lambda: solution.values([position]),
        lambda: solution.flags([position]),
        lambda: solution.position(state="(left 5) (turn a)"),
        lambda: position.value,
        lambda: position.play("(take 1)"),
        lambda: position.board,
        lambda: position.distance(),
        lambda: move.after,
        lambda: str(position),
    ]
    for question in questions:
        with pytest.raises(ggsolve.ClosedError):
            question()
    solution.close()
    assert position == position and position in {position} and solution.report["value"] == [100, 0]


def test_damaged_solutions_are_told(tmp_path: Path) -> None:
    out = tmp_path / "damaged.ggs"
    ggsolve.solve(MATCHES, out=out).close()
    manifest = out / "manifest.json"
    text = manifest.read_text()
    manifest.write_text(text.replace("max-own", "max-off"))
    with pytest.raises(ggsolve.DamagedError):
        ggsolve.open(out)
    manifest.write_text(text)
    largest = max((file for file in out.iterdir() if "layer" in file.name), key=lambda file: file.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-1] + b"\xff")
    with pytest.raises(ggsolve.DamagedError):
        solution = ggsolve.open(out)
        for position in [solution.start, *(move.after for move in solution.start.moves)]:
            position.play(solution.line())
    assert not ggsolve.verify(out)["ok"]
    (out / "rules.gdl").unlink()
    with pytest.raises(ggsolve.DamagedError):
        ggsolve.open(out)


def test_unfinished_solutions_say_so(tmp_path: Path) -> None:
    out = tmp_path / "counted.ggs"
    ggsolve.count(MATCHES, out=out)
    solution = ggsolve.open(out)
    assert solution.report["command"] == "count" and solution.buckets == [] and len(solution.layers) == 6
    with pytest.raises(ggsolve.UnsolvedError, match="no layer is solved"):
        solution.value
    with pytest.raises(ggsolve.LimitError):
        solution.values([solution.start])
    # What a prompt and a notebook show of it never raises.
    assert repr(solution) == "<Solution of game for a, b: not solved yet>"
    assert repr(solution.start) == "<Position of game in layer 0: not solved yet>"
    for shown in (solution, solution.start):
        assert "not solved yet" in shown._repr_html_() or "<table>" in shown._repr_html_()


def test_a_bound_of_memory_below_what_python_holds_is_told(caplog: pytest.LogCaptureFixture) -> None:
    assert ggsolve.solve(MATCHES, memory="1G").value == (100, 0)
    assert not caplog.records
    assert ggsolve.solve(MATCHES, memory="8M").value == (100, 0)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "memory: 8 MiB bound what is allocated here" in caplog.text


def test_every_error_is_one_of_this_module() -> None:
    for name in ggsolve.errors.__all__:
        kind = getattr(ggsolve, name)
        assert kind.__doc__ and issubclass(kind, (ggsolve.Error, Warning)) and getattr(ggsolve.errors, name) is kind
