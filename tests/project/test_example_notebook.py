"""The example notebook runs, and every cell that shows something shows a picture or a table."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"
CELLS = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
SOURCES = ["".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "code"]
# What each cell shows.
SHOWN = [None, "html", "png", "png", "html", "html", "html", "png", "html"]


def run_cell(source: str, variables: dict[str, object]) -> object:
    """Run a cell as a notebook does, and return the value of its last line."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), variables)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), variables) if last else None


def check_shown(kind: str | None, png: bytes | None, html: str | None) -> None:
    if kind == "png":
        assert len(png or b"") > 5000
        assert (png or b"").startswith(b"\x89PNG")
    elif kind == "html":
        assert "<table" in (html or "")


def test_every_cell_shows_what_it_should():
    variables: dict[str, object] = {}
    for source, kind in zip(SOURCES, SHOWN, strict=True):
        value = run_cell(source, variables)
        assert (value is None) == (kind is None)
        png, html = (getattr(value, f"_repr_{name}_", lambda: None) for name in ("png", "html"))
        check_shown(kind, png(), html())
    assert str(variables["molecules"]).startswith("GraphBatch(21 molecules")


def test_the_notebook_of_jupyter_sees_the_same():
    pytest.importorskip("IPython")
    from IPython.core.formatters import DisplayFormatter

    variables: dict[str, object] = {}
    formatter = DisplayFormatter()
    for source, kind in zip(SOURCES, SHOWN, strict=True):
        bundle, _ = formatter.format(run_cell(source, variables))
        check_shown(kind, bundle.get("image/png"), bundle.get("text/html"))


def test_the_file_has_no_outputs():
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in CELLS if "outputs" in cell)
