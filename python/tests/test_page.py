"""The page in docs/: its code is run, and gives what stands below it.

``GGSOLVE_UPDATE_DOCS=1`` writes what it gives, and the figures, into ``docs/``, to be read before they are committed.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shutil
from pathlib import Path
from typing import Any

import matplotlib
import pytest

from conftest import ROOT

PAGE = ROOT / "docs" / "python.md"
BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<given>.*?)```\n)?", re.DOTALL)


def given(code: str, names: dict[str, Any]) -> str:
    """What a block prints, and its last expression, as a notebook shows it."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "page", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "page", "eval"), names) if isinstance(last, ast.Expr) else None
        if value is not None:
            print(repr(value))
    return printed.getvalue()


def test_the_page_can_be_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib.use("Agg")
    # The same figure has the same bytes.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "page"})
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    for name in ("docs", "games"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    update, text, names = "GGSOLVE_UPDATE_DOCS" in os.environ, PAGE.read_text(), {"__name__": "page"}
    new, at = "", 0
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) > 8
    for block in blocks:
        found = given(block["code"], names)
        if update and block["given"] is not None:
            new, at = new + text[at : block.start("given")] + found, block.end("given")
        else:
            assert found == (block["given"] or ""), block["code"]
    for name in ("solution", "escape", "keep", "delivery"):
        names[name].close()  # type: ignore[attr-defined]
    figures = re.findall(r"!\[.*?\]\((.*?)\)", text)
    assert sorted(figures) == sorted(path.name for path in tmp_path.glob("*.svg")), "every figure is shown"
    for figure in figures:
        assert (tmp_path / figure).stat().st_size > 1000
        if update:
            shutil.copy(tmp_path / figure, PAGE.parent / figure)
        assert (PAGE.parent / figure).is_file()
    if update:
        PAGE.write_text(new + text[at:])
