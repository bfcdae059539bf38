"""Tables to print."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Return a table to print, with some columns aligned to the left and all others to the right.

    Examples
    --------
    >>> print(text_table(["node", "score"], [["0 (C)", "+1.5"]]))
    node   score
    0 (C)   +1.5
    """
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join("  ".join(_cells(line, widths, left)).rstrip() for line in lines)


def _cells(line: Sequence[str], widths: Sequence[int], left: Collection[int]) -> list[str]:
    padded = enumerate(zip(line, widths, strict=True))
    return [cell.ljust(width) if column in left else cell.rjust(width) for column, (cell, width) in padded]
