"""What the tests share: games, the command line to compare with, and solutions that are made once."""

from __future__ import annotations

import functools
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import ggsolve

ROOT = Path(__file__).resolve().parents[2]
GAMES = ROOT / "games"

#: Two take one or two matches of five in turn; who takes the last one wins.
MATCHES = """
    (role a) (role b) (init (left 5)) (init (turn a))
    (minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0)
    (minus 5 2 3) (minus 4 2 2) (minus 3 2 1) (minus 2 2 0)
    (<= (legal ?r (take ?n)) (true (turn ?r)) (true (left ?m)) (minus ?m ?n ?l))
    (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
    (<= (next (left ?l)) (does ?r (take ?n)) (true (left ?m)) (minus ?m ?n ?l))
    (<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
    (<= terminal (true (left 0)))
    (<= (goal a 100) (true (turn b))) (<= (goal a 0) (true (turn a)))
    (<= (goal b 100) (true (turn a))) (<= (goal b 0) (true (turn b)))
"""

#: One role goes round and round, or leaves for a reward; the last door is locked.
ROUND = """
    (role you) (init (at 1)) (way 1 2) (way 2 3) (way 3 1) (way 2 out) (way 4 out)
    (<= (legal you (go ?y)) (true (at ?x)) (way ?x ?y))
    (<= (next (at ?y)) (does you (go ?y)))
    (<= terminal (true (at out)))
    (<= (goal you 30) (true (at out))) (<= (goal you 0) (not (true (at out))))
"""

#: Two push a stone to and fro for ever; either may give up, which pays the other.
STUBBORN = """
    (role a) (role b) (init (turn a))
    (<= (legal ?r push) (true (turn ?r))) (<= (legal ?r yield) (true (turn ?r)))
    (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
    (<= (next (turn b)) (true (turn a)) (does a push)) (<= (next (turn a)) (true (turn b)) (does b push))
    (<= (next (lost ?r)) (does ?r yield)) (<= terminal (true (lost ?r)))
    (<= (goal a 0) (true (lost a))) (<= (goal a 70) (true (lost b))) (<= (goal a 0) (true (turn ?r)))
    (<= (goal b 0) (true (lost b))) (<= (goal b 60) (true (lost a))) (<= (goal b 0) (true (turn ?r)))
"""

#: The prisoner's dilemma: no single value.
DILEMMA = """
    (role ann) (role bob) (init (at start)) (<= (legal ?r (be ?m)) (role ?r) (mood ?m)) (mood kind) (mood hard)
    (<= (next (at (end ?a ?b))) (does ann (be ?a)) (does bob (be ?b))) (<= terminal (true (at (end ?a ?b))))
    (pays kind kind 60) (pays kind hard 0) (pays hard kind 100) (pays hard hard 20)
    (<= (goal ann ?r) (true (at (end ?a ?b))) (pays ?a ?b ?r)) (<= (goal bob ?r) (true (at (end ?a ?b))) (pays ?b ?a ?r))
"""


@functools.cache
def solved(game: str, opponent_model: str = "max-own") -> ggsolve.Solution:
    """The solution of a file of ``games`` or of a text, made once."""
    return ggsolve.solve(game if "\n" in game else GAMES / game, opponent_model=opponent_model)


def command_line() -> list[str]:
    """The program to compare with: ``GGSOLVE_PROGRAM``, or what was built last."""
    named = os.environ.get("GGSOLVE_PROGRAM")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    found = [Path(named)] if named else [target / profile / "ggsolve" for profile in ("release", "debug")]
    built = [path for path in found if path.is_file()]
    if not built:
        pytest.skip(f"the program to compare with is not built: {' '.join(map(str, found))}")
    return [str(max(built, key=lambda path: path.stat().st_mtime))]


def run(*arguments: str | Path, text: str = "", lines: bool = False) -> Any:
    """What the command line says in JSON; a list of all where there are several ``lines`` or is a ``text`` to answer."""
    command = [*command_line(), *map(str, arguments), "--format", "json"]
    output = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in output.splitlines()] if text or lines else json.loads(output)
