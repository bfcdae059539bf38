"""CSV files with comments on how they were computed; a row is a dataclass of strings and numbers."""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast, get_type_hints

from wassergraph.errors import InputError
from wassergraph.files.atomic import atomic_file
from wassergraph.files.provenance import current_provenance

CsvRow = TypeVar("CsvRow")
_QUICK = " --quick"
_COMMIT = "# commit: "


def write_rows(
    path: Path,
    experiment: str,
    rows: Sequence[Any],
    *,
    quick: bool = False,
    commits: Sequence[str] = (),
    none: str = "",
) -> None:
    """Write rows to a CSV file, below comments with the command, the commits and the versions that computed them.

    Parameters
    ----------
    path : Path
        The file to write.
    experiment : str
        The name of the experiment on the command line.
    rows : sequence of dataclass
        The rows, at least one.
    quick : bool
        Whether a quick run computed them.
    commits : sequence of str
        The commits that computed earlier rows; the current one is added.
    none : str
        The text for None.
    """
    now = current_provenance()
    versions = ", ".join(f"{name} {version}" for name, version in now.versions.items())
    with atomic_file(path, "w") as file:
        file.write(f"# command: wassergraph reproduce {experiment}{_QUICK if quick else ''}\n")
        file.write(f"{_COMMIT}{', '.join(dict.fromkeys([*commits, now.commit]))}\n# versions: {versions}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in dataclasses.fields(rows[0]))
        writer.writerows([none if value is None else value for value in dataclasses.astuple(row)] for row in rows)


def read_rows(path: Path, experiment: str, row: type[CsvRow], *, none: str = "") -> list[CsvRow]:
    """Read the rows that :func:`write_rows` wrote.

    Raises
    ------
    ValueError
        If the file is not a table of this experiment.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    readers = {name: _reader(hint, none) for name, hint in get_type_hints(row).items()}
    try:
        rows = [
            row(**{name: read(line[name]) for name, read in readers.items()})
            for line in csv.DictReader(line for line in lines if not line.startswith("#"))
        ]
        if not rows:
            raise ValueError("it has no rows")
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"this is not a table of the experiment {experiment} ({error!r})",
            remedy=f"remove it and run `wassergraph reproduce {experiment}`",
            file=path,
        ) from error
    return rows


def is_quick(path: Path) -> bool:
    """Return whether a quick run wrote a file."""
    return path.read_text(encoding="utf-8").partition("\n")[0].endswith(_QUICK)


def read_commits(path: Path) -> list[str]:
    """Return the commits that computed the rows of a file; none if it does not exist."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [name for line in lines if line.startswith(_COMMIT) for name in line.removeprefix(_COMMIT).split(", ")]


def _reader(hint: Any, none: str) -> Callable[[str], Any]:
    """Return the function that reads the text of a column with a type."""
    if hint in (str, int, float):
        return cast(Callable[[str], Any], hint)
    return lambda text: None if text == none else float(text)
