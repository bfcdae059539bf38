"""Tables that commands write as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence


def csv_text(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a table as text."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def free_names(names: Iterable[str], columns: Sequence[str], prefix: str) -> list[str]:
    """Return names for further columns: with a prefix where one is taken, in upper or lower case."""
    taken = {column.lower() for column in columns}
    renamed = []
    for name in names:
        while name.lower() in taken:
            name = f"{prefix}{name}"
        renamed.append(name)
    return renamed
