"""The site of the documentation is complete: all public names, all pages, and the scripts of the gallery."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

import wassergraph as wg

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
#: The modules of further public names.
MODULES = {name for name in wg.__all__ if isinstance(getattr(wg, name), ModuleType)}
SCRIPTS = sorted((ROOT / "examples" / "gallery").glob("*.py"))


def names_in_lists(page: str, directive: str) -> list[str]:
    """Return the entries of all lists of a page that a directive makes."""
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(rf"^.*{re.escape(directive)}.*\n((?:[ :].*\n|\n|[\w/-]+\n)+)", text, flags=re.MULTILINE)
    return [line.strip() for block in blocks for line in block.splitlines() if re.fullmatch(r"\s*[\w./-]+", line)]


def test_the_reference_lists_every_public_name_once():
    expected = set(wg.__all__) - {"__version__"} - MODULES
    expected |= {f"{module}.{name}" for module in MODULES for name in getattr(wg, module).__all__}
    listed = names_in_lists("api.md", ".. autosummary::")
    assert sorted(name for name in listed if "." not in name or name.partition(".")[0] in MODULES) == sorted(expected)


def test_every_page_is_in_one_table_of_contents():
    pages = {page.stem for page in DOCS.glob("*.md")} - {"index"}
    parts = [entry for entry in names_in_lists("index.md", "{toctree}") if "/" not in entry]
    entries = parts + [entry for part in parts for entry in names_in_lists(f"{part}.md", "{toctree}")]
    assert sorted(entries) == sorted(pages)


def test_no_page_has_the_name_of_one_that_sphinx_makes(monkeypatch):
    """Sphinx's search.html would take the place of search.md."""
    monkeypatch.syspath_prepend(DOCS / "_extensions")
    reserved = importlib.import_module("page_headings").RESERVED
    assert {"search", "genindex", "py-modindex"} <= reserved
    assert not {page.stem for page in DOCS.glob("*.md")} & reserved


def test_the_build_notices_pages_without_their_own_heading(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(DOCS / "_extensions")
    pages = importlib.import_module("page_headings")
    link = '<a class="headerlink" href="#x">#</a>'
    (tmp_path / "kept.html").write_text(f"<title>x</title><h1>What <code>a</code> user&#8217;s graph is{link}</h1>")
    (tmp_path / "search.html").write_text("<h1>Search</h1>")
    (tmp_path / "empty.html").write_text("<p>nothing</p>")
    titles = {"kept": "What a user's graph is", "search": "Searching", "empty": "Title", "missing": "Other"}
    assert pages.lost_pages(tmp_path, titles) == ["search", "empty", "missing"]


def test_the_gallery_has_scripts_with_titles():
    assert len(SCRIPTS) >= 10
    for script in SCRIPTS:
        title, line, *_ = (ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or "\n").splitlines()
        assert script.name.startswith("plot_")
        assert line == "=" * len(title) != ""


@pytest.mark.parametrize(
    ("folder", "before", "after"),
    [
        ("docs", "[measured](../benchmarks/RESULTS.md#scale)", "[measured](speed.md#scale)"),
        ("docs", "[docs/molecules.md](molecules.md)", "[](molecules.md)"),
        ("docs", "![a picture](explorer/mutag.png)", "![a picture](explorer/mutag.png)"),
        ("docs", "[paper](https://arxiv.org/abs/1906.01277)", "[paper](https://arxiv.org/abs/1906.01277)"),
        ("docs", "[nowhere](nowhere.md)", "[nowhere](nowhere.md)"),
        ("", "[docs/scale.md](docs/scale.md)", "[](scale.md)"),
        ("", "[CHANGELOG](CHANGELOG.md)", "[CHANGELOG](changelog.md)"),
        (
            "",
            "[a notebook](examples/notebook.ipynb)",
            "[a notebook](https://github.com/wassergraph/wassergraph/blob/main/examples/notebook.ipynb)",
        ),
    ],
)
def test_links_between_files_become_links_between_pages(folder, before, after, monkeypatch):
    monkeypatch.syspath_prepend(DOCS / "_extensions")
    links = importlib.import_module("repository_links")
    assert links.rewrite_links(before, folder) == after
