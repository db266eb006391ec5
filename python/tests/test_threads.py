"""Threads, signals, processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ggsolve
from conftest import GAMES, MATCHES, solved

#: Takes minutes, so that whoever interrupts it comes in time.
LONG = GAMES / "connect4_6x5.gdl"


def test_threads_share_a_solution() -> None:
    solution = solved("tictactoe.gdl")
    expected = solution.start.query()

    def ask(number: int) -> bool:
        moves = solution.start.moves
        after = moves[number % len(moves)].after
        return solution.start.query() == expected and after.value == (50, 50) and len(solution.values([after])) == 1

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(400)))


def test_threads_solve_at_once_and_others_go_on() -> None:
    ticks, stop = [0], threading.Event()

    def tick() -> None:
        while not stop.wait(0.001):
            ticks[0] += 1

    beside = threading.Thread(target=tick)
    beside.start()
    try:
        with ThreadPoolExecutor(4) as pool:
            solutions = list(pool.map(lambda _: ggsolve.solve(GAMES / "tictactoe.gdl", threads=1), range(4)))
    finally:
        stop.set()
        beside.join()
    assert ticks[0] > 0
    assert {solution.value for solution in solutions} == {(50, 50)}


def test_closing_while_others_ask() -> None:
    for _ in range(20):
        solution = ggsolve.solve(MATCHES, threads=1)
        start = solution.start

        def ask() -> int:
            answered = 0
            try:
                while True:
                    assert start.value == (100, 0)
                    answered += 1
            except ggsolve.ClosedError:
                return answered

        with ThreadPoolExecutor(2) as pool:
            asked = [pool.submit(ask) for _ in range(2)]
            threading.Event().wait(0.01)
            solution.close()
            assert all(future.result(timeout=60) >= 0 for future in asked)
        assert not solution.folder.exists()


def test_an_exception_of_the_listener_ends_the_run(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def listener(progress: ggsolve.Progress) -> None:
        if progress.kind == "layer" and progress.stage == "forward" and progress.layer == 12:
            raise Enough

    out = tmp_path / "kept.ggs"
    with pytest.raises(Enough):
        ggsolve.solve(LONG, out=out, progress=listener)
    assert len(list(out.iterdir())) > 2, "finished layers are kept"


def test_ctrl_c_ends_a_run_and_keeps_what_is_finished(tmp_path: Path) -> None:
    out, script = tmp_path / "kept.ggs", tmp_path / "script.py"
    script.write_text(f"""
import signal
import ggsolve
# Whoever runs the tests in the background may ignore it, which programs inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)
def listener(progress):
    if progress.kind == "layer" and progress.layer == 10:
        print("now", flush=True)
try:
    ggsolve.solve({str(LONG)!r}, out={str(out)!r}, progress=listener)
except KeyboardInterrupt:
    print("interrupted", ggsolve.solve({MATCHES!r}).value, flush=True)
""")
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "now\n"
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=300)
    assert output.splitlines()[-1] == "interrupted (100, 0)" and process.returncode == 0
    with ggsolve.open(out) as solution, pytest.raises(ggsolve.UnsolvedError):
        solution.report
    assert len(list(out.iterdir())) > 2


def test_handlers_of_signals_run_while_something_is_solved() -> None:
    heard: list[int] = []

    def listener(progress: ggsolve.Progress) -> None:
        if progress.kind == "started" and progress.stage == "forward":
            signal.raise_signal(signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, lambda number, _: heard.append(number))
    try:
        assert ggsolve.solve(MATCHES, progress=listener).value == (100, 0)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard == [signal.SIGUSR1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_has_the_solution_and_leaves_the_folder() -> None:
    solution = ggsolve.solve(MATCHES)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            same = solution.start.play("(take 2)").value == (100, 0) and ggsolve.solve(MATCHES).value == (100, 0)
            solution.close()
            code = 0 if same else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert solution.folder.is_dir() and solution.start.play("(take 2)").value == (100, 0)


def values(solution: ggsolve.Solution) -> list[list[int]]:
    found: list[list[int]] = solution.values([move.after for move in solution.start.moves]).tolist()
    return found


def test_other_processes_are_given_solutions() -> None:
    solution = solved(MATCHES)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(values, [solution, solution]) == [values(solution)] * 2


def test_temporary_folders_are_removed_when_python_ends() -> None:
    """Though a cycle of references that nobody breaks keeps the solution."""
    script = f"""
import ggsolve, sys
sys.modules["kept"] = kept = [ggsolve.solve({MATCHES!r})]
kept.append(kept)
print(kept[0].folder)"""
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert output.strip() and not Path(output.strip()).exists()
