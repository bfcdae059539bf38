"""Turn links between files of the repository, which GitHub follows, into links between pages of the site."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

#: Files outside docs/ that a page of the site shows.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/RESULTS.md": "speed.md",
}
REPOSITORY = "https://github.com/wassergraph/wassergraph/blob/main"
ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(?<!!)\[(?P<text>[^\]\n]*)\]\((?P<path>[^)#:\s]+)(?P<anchor>#[^)\s]*)?\)")


def rewrite_links(text: str, folder: str) -> str:
    """Return the Markdown text of a file in a folder of the repository, with links to pages of the site.

    A link whose text is the path of a file gets the title of the page as its text. Links to files that are no pages
    lead to the repository. Links to files that do not exist are kept, so that Sphinx reports them.
    """

    def replace(match: re.Match[str]) -> str:
        path, anchor = posixpath.normpath(posixpath.join(folder, match["path"])), match["anchor"] or ""
        if not (ROOT / path).exists():
            return match[0]
        page = PAGES.get(path) or (path.removeprefix("docs/") if re.fullmatch(r"docs/[\w-]+\.md", path) else None)
        if page is None:
            return f"[{match['text']}]({REPOSITORY}/{path}{anchor})"
        return f"[{'' if match['text'].strip('`') == path else match['text']}]({page}{anchor})"

    return LINK.sub(replace, text)


def _read_page(_app: Any, docname: str, source: list[str]) -> None:
    if "/" not in docname:  # pages of the gallery and of the reference are generated
        source[0] = rewrite_links(source[0], "docs")


def _read_included(_app: Any, path: Path, _docname: str, source: list[str]) -> None:
    source[0] = rewrite_links(source[0], (ROOT / "docs" / path).resolve().parent.relative_to(ROOT).as_posix())


def setup(app: Any) -> dict[str, bool]:
    """Rewrite the links of every page and of every file that a page includes."""
    app.connect("source-read", _read_page)
    app.connect("include-read", _read_included)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
