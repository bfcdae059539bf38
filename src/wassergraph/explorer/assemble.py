"""Assemble a page: one HTML file with its style, its scripts and its data, which loads nothing else.

The scripts are modules that import each other. Browsers load no modules next to a file that was opened from a disk, so
all are joined to one script, without their imports and exports: the names of a page's modules must differ.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import re
from importlib import resources
from typing import Any

from wassergraph.explorer.container import pack_content

#: The modules, each after those that it imports.
MODULES = (
    "container",
    "colors",
    "embedding",
    "transport",
    "layout",
    "dom",
    "selection",
    "export",
    "formula",
    "legend",
    "map",
    "heatmap",
    "pair",
    "tables",
    "main",
)
_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_COMMENT = re.compile(r"^ *(?://[^\n]*|/\*\*.*?\*/)\n", re.MULTILINE | re.DOTALL)
_SPACE = re.compile(r"^(?: +|\n)", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class)\b)", re.MULTILINE)


def assemble(title: str, content: dict[str, Any]) -> str:
    """Return a page as HTML.

    Parameters
    ----------
    title : str
        The title of the page.
    content : dict
        What the page shows.

    Returns
    -------
    str
        The text of the file. The page may run its own script only, and may not load anything.
    """
    code = script()
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    parts = {
        "title": html.escape(title),
        "policy": f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; worker-src blob:; base-uri 'none'; form-action 'none'",
        "style": style(),
        "data": pack_content(content),
        "script": code,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _read("page.html"))


@functools.cache
def script() -> str:
    """Return all modules as one script, without comments and indents, which a reader of the page does not need."""
    code = "".join(_EXPORT.sub("", _IMPORT.sub("", _read(f"{name}.js"))) for name in MODULES)
    return _SPACE.sub("", _COMMENT.sub("", code))


@functools.cache
def style() -> str:
    """Return the style of the page, without indents."""
    return _SPACE.sub("", _read("style.css"))


def _read(name: str) -> str:
    return resources.files("wassergraph.explorer").joinpath("page", name).read_text(encoding="utf-8")
