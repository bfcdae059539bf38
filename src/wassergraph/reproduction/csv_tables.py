"""Rows of numbers as CSV files that say where they come from; a row is a dataclass of texts and numbers."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from wassergraph.files.atomic import write_atomically
from wassergraph.reproduction.results import circumstances

Row = TypeVar("Row")
_QUICK = " --quick"


def write_rows(
    path: Path,
    experiment: str,
    rows: Sequence[Any],
    *,
    quick: bool = False,
    commits: Sequence[str] = (),
    none: str = "",
) -> None:
    """Write rows, at least one, below lines with the command, all commits that made some of them, and the versions.

    ``none`` is what stands for a None.
    """
    now = circumstances()
    every = ", ".join(dict.fromkeys([*commits, now["commit"]]))
    versions = ", ".join(f"{name} {version}" for name, version in now["versions"].items())
    text = io.StringIO()
    command = f"wassergraph reproduce {experiment}{_QUICK if quick else ''}"
    text.write(f"# command: {command}\n# commit: {every}\n# versions: {versions}\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(field.name for field in dataclasses.fields(rows[0]))
    writer.writerows([none if value is None else value for value in dataclasses.astuple(row)] for row in rows)
    write_atomically(path, text.getvalue().encode())


def read_rows(path: Path, experiment: str, row: type[Row], *, none: str = "") -> list[Row]:
    """Read the rows that :func:`write_rows` wrote."""
    lines = path.read_text(encoding="utf-8").splitlines()
    types = {name: _reader(hint, none) for name, hint in get_type_hints(row).items()}
    try:
        rows = [
            row(**{name: read(line[name]) for name, read in types.items()})
            for line in csv.DictReader(line for line in lines if not line.startswith("#"))
        ]
        if not rows:
            raise ValueError("it has no rows")
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{path} is no table of this experiment ({error!r}): remove it, run `wassergraph reproduce {experiment}`"
        ) from error
    return rows


def is_quick(path: Path) -> bool:
    """Whether a quick run wrote a file."""
    return path.read_text(encoding="utf-8").partition("\n")[0].endswith(_QUICK)


def read_commits(path: Path) -> list[str]:
    """Give the commits that made a file, none if it is not there."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [commit for line in lines if line.startswith("# commit: ") for commit in line[10:].split(", ")]


def _reader(hint: Any, none: str) -> Any:
    """Give what turns the text of a cell into its value."""
    if hint in (str, int, float):
        return hint
    return lambda text: None if text == none else float(text)
