"""Check that the site has every page of the documentation: a page that another one has overwritten fails the build.

Sphinx writes pages of its own, such as search.html and genindex.html, over those of the same name without a word.
"""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

#: The names of pages that Sphinx makes itself.
RESERVED = frozenset({"search", "genindex", "modindex", "py-modindex"})


def heading_of(html: str) -> str:
    """Return the text of the first heading of a page; empty if there is none."""
    found = re.search(r"<h1\b[^>]*>(.*?)(?:<a class=\"headerlink\"|</h1>)", html, flags=re.DOTALL)
    return "" if found is None else _plain(unescape(re.sub(r"<[^>]+>", "", found[1])))


def lost_pages(folder: Path, titles: dict[str, str]) -> list[str]:
    """Return the names of pages that are not in a folder of HTML with their own heading."""
    return [name for name, title in titles.items() if not _has_heading(folder / f"{name}.html", title)]


def _has_heading(page: Path, title: str) -> bool:
    return page.is_file() and heading_of(page.read_text(encoding="utf-8")) == _plain(title)


def _plain(text: str) -> str:
    """Return text without differences in spaces and in typographic quotes."""
    return " ".join(text.replace("’", "'").replace("“", '"').replace("”", '"').replace("–", "--").split())


def _check(app: Any, error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    titles = {name: node.astext() for name, node in app.env.titles.items() if name != app.config.root_doc}
    lost = lost_pages(Path(app.outdir), titles)
    if lost:
        from sphinx.errors import SphinxError  # here, so that tests need no Sphinx

        reserved = ", ".join(sorted(RESERVED))
        raise SphinxError(f"no page has the heading of {', '.join(sorted(lost))}; Sphinx itself writes {reserved}")


def setup(app: Any) -> dict[str, bool]:
    """Check all pages when the site is complete."""
    app.connect("build-finished", _check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
