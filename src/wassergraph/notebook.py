"""HTML for the results that a notebook shows: tables without scripts, readable on light and dark backgrounds.

And tables as text, for those who print them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from html import escape
from typing import Any

#: Colors are those of the page; only lines have one of their own, a gray that is visible on white and on black.
_TABLE = "border-collapse:collapse;margin:0.4em 0;font-size:0.95em"
_CELL = "padding:0.15em 0.8em 0.15em 0;border:0;border-bottom:1px solid rgba(128,128,128,0.25);background:transparent"
_NOTE = "margin:0.3em 0;opacity:0.75;font-size:0.9em"

#: Returns HTML with drawings of graphs. The package sets it, since pictures are made above the graphs that they show.
draw_thumbnails: Callable[[Any], str] | None = None


def html_table(rows: Sequence[Sequence[str]], *, header: Sequence[str] = (), numbers: Sequence[int] = ()) -> str:
    """Return a table as HTML.

    Parameters
    ----------
    rows : sequence of sequences of str
        The text of the cells, which is escaped.
    header : sequence of str
        The names of the columns.
    numbers : sequence of int
        The positions of columns that are aligned to the right.

    Returns
    -------
    str

    Examples
    --------
    >>> html_table([["a < b"]]).count("a &lt; b")
    1
    """
    head = f"<thead>{_row(header, 'th', numbers)}</thead>" if header else ""
    body = "".join(_row(row, "td", numbers) for row in rows)
    return f'<table style="{_TABLE}">{head}<tbody>{body}</tbody></table>'


def _row(cells: Sequence[str], tag: str, numbers: Sequence[int]) -> str:
    aligned = ["right" if column in numbers else "left" for column in range(len(cells))]
    inner = "".join(
        f'<{tag} style="{_CELL};text-align:{side}">{escape(cell)}</{tag}>'
        for cell, side in zip(cells, aligned, strict=True)
    )
    return f"<tr>{inner}</tr>"


def html_heading(text: str) -> str:
    """Return a line in bold as HTML."""
    return f"<div><b>{escape(text)}</b></div>"


def html_note(text: str) -> str:
    """Return a sentence in small print as HTML."""
    return f'<div style="{_NOTE}">{escape(text)}</div>'


def html_image(svg: str, caption: str) -> str:
    """Return a drawing on a white card with a caption, as HTML.

    The drawing is embedded as an image: in one, scripts do not run and styles do not reach the page.
    """
    from base64 import b64encode

    source = f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"
    return (
        '<figure style="display:inline-block;margin:0 0.5em 0.5em 0;text-align:center">'
        f'<img src="{source}" alt="{escape(caption)}" '
        'style="display:block;background:white;border:1px solid rgba(128,128,128,0.25);border-radius:4px">'
        f'<figcaption style="font-size:0.85em">{escape(caption)}</figcaption></figure>'
    )


def aligned(lines: Sequence[Sequence[str]], right: Container[int]) -> list[str]:
    """Return the lines of a table with columns of equal width, some of them aligned to the right."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return [
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
