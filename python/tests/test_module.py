"""Types, documentation and the parts of the module."""

from __future__ import annotations

import inspect
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ggsolve
from conftest import GAMES, MATCHES, ROOT


def checked(*command: str) -> None:
    found = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


def test_types_are_strict() -> None:
    checked("mypy", "--config-file", "pyproject.toml")


def test_stubs_are_those_of_the_native_part(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    # Aliases and protocols that only the types have.
    allowed.write_text("ggsolve\\._native\\._[A-Z].*\n")
    checked("mypy.stubtest", "ggsolve._native", "--allowlist", str(allowed), "--ignore-unused-allowlist")


def test_everything_is_documented() -> None:
    for name in ggsolve.__all__:
        thing = getattr(ggsolve, name)
        if name.startswith("__"):
            continue
        assert inspect.getdoc(thing), name
        if name not in ("Strategy", "Value", "errors"):
            assert thing.__module__ in ("ggsolve", "ggsolve.errors"), name
        if inspect.isclass(thing):
            for member, found in vars(thing).items():
                if not member.startswith("_") and (callable(found) or isinstance(found, property)):
                    assert inspect.getdoc(found), f"{name}.{member}"


def test_help_tells_of_every_attribute() -> None:
    for thing, member in ((ggsolve.Move, "optimal"), (ggsolve.Position, "solution"), (ggsolve.Solution, "unsolvable")):
        text = pydoc.plain(pydoc.render_doc(thing))
        assert f"class {thing.__name__}" in text and "ggsolve._" not in text.replace("ggsolve._native", "")
        documented = inspect.getdoc(getattr(thing, member))
        assert documented and documented.split(".")[0] in text
    for thing in (ggsolve.Move, ggsolve.Position):
        slots = vars(thing)["__slots__"]
        assert all(slots[member] for member in thing.__annotations__)


def test_the_version_is_that_of_the_library() -> None:
    version = re.search(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    assert version is not None and ggsolve.__version__ == version[1]
    assert (Path(ggsolve.__file__).parent / "py.typed").is_file()


def test_the_native_part_cannot_be_misused() -> None:
    from ggsolve import _native

    with pytest.raises(TypeError):
        _native.Place()
    with pytest.raises(TypeError):
        _native.Solution()
    solution, other = ggsolve.solve(MATCHES), ggsolve.solve(GAMES / "tictactoe.gdl")
    with pytest.raises(ggsolve.UsageError, match="another game"):
        solution._handle.value(other.start._place)
