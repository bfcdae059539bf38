"""Lists and descriptions of data sets, as tables and as dictionaries."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wassergraph.datasets.catalogue import CATALOGUE, Published
from wassergraph.datasets.data_home import find, homes, names_on_disk
from wassergraph.datasets.load import BUILT_IN, load_dataset
from wassergraph.formats.tu.reader import Targets
from wassergraph.graphs.summary import Summary, format_rows


@dataclass(frozen=True)
class Description:
    """The size of a data set, and the number of graphs in each class (None without classes)."""

    name: str
    summary: Summary
    classes: dict[str, int] | None

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain dictionaries, ready for JSON."""
        return {"name": self.name, "classes": self.classes, **self.summary.to_dict()}

    def __str__(self) -> str:
        listed = "–" if self.classes is None else ", ".join(f"{name}: {count}" for name, count in self.classes.items())
        number = "" if self.classes is None else f"{len(self.classes)} ({listed})"
        return format_rows([("data set", self.name), ("classes", number or listed), *self.summary.rows()])


def describe_dataset(name_or_path: str | Path, **options: Any) -> Description:
    """Load a data set and return its description; the parameters are those of :func:`wassergraph.load_dataset`."""
    graphs, y = load_dataset(name_or_path, **options)
    name = Path(name_or_path).name or Path(name_or_path).resolve().name
    return Description(name.removesuffix(".zip"), graphs.summary(), _count_classes(y))


def _count_classes(y: Targets | None) -> dict[str, int] | None:
    if y is None or y.ndim != 1 or y.dtype != np.int64:
        return None
    values, counts = np.unique(y, return_counts=True)
    return dict(zip(map(str, values), counts.tolist(), strict=True))


@dataclass(frozen=True)
class Entry:
    """One line of a listing: a name, the published size, and the place: a path, "built in" or None."""

    name: str
    published: Published | None
    place: str | None


@dataclass(frozen=True)
class Listing:
    """The data sets that are known by name or were found on disk."""

    entries: list[Entry]

    def to_dict(self) -> dict[str, Any]:
        """Return the entries as plain dictionaries, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [("name", "graphs", "classes", "nodes", "edges", "data", "where")]
        lines += [(entry.name, *_columns(entry.published), entry.place or "not on disk") for entry in self.entries]
        widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
        right = {1, 2, 3, 4}
        return "\n".join(
            "  ".join(
                cell.rjust(width) if column in right else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        )


def list_datasets(data_home: str | Path | None = None) -> Listing:
    """Return the data sets that are known by name, and others that are found on disk."""
    folders = homes(data_home)
    known = [Entry(name, None, "built in") for name in BUILT_IN]
    known += [Entry(name, published, _place(name, folders)) for name, published in CATALOGUE.items()]
    others = [name for name in names_on_disk(folders) if name not in CATALOGUE and name not in BUILT_IN]
    return Listing(known + [Entry(name, None, _place(name, folders)) for name in others])


def _place(name: str, folders: list[Path]) -> str | None:
    path = find(name, folders)
    return None if path is None else str(path)


def _columns(published: Published | None) -> tuple[str, str, str, str, str]:
    if published is None:
        return ("", "", "", "", "")
    means = f"{published.mean_nodes:.2f}", f"{published.mean_edges:.2f}"
    return (f"{published.graphs}", f"{published.classes}", *means, published.data)
