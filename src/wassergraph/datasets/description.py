"""Lists and descriptions of data sets, as tables and as dictionaries."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wassergraph.datasets.catalogue import CATALOGUE, PublishedDataset
from wassergraph.datasets.data_home import find, homes, names_on_disk
from wassergraph.datasets.inputs import load_graphs
from wassergraph.datasets.load import BUILT_IN
from wassergraph.datasets.reading import ReadingOptions
from wassergraph.datasets.source import Source
from wassergraph.errors import Option
from wassergraph.formats.standardize import several_fragments
from wassergraph.graphs.summary import format_rows
from wassergraph.notebook import aligned


@dataclass(frozen=True, eq=False)
class Description:
    """What is read from a data set, a table of molecules or a folder of graph files; ``print`` it for a table.

    Attributes
    ----------
    name : str
        The name of the data set or file.
    source : Source
        What was read.
    """

    name: str
    source: Source

    @property
    def classes(self) -> dict[str, int] | None:
        """The number of graphs in each class; None without classes."""
        return None if self.source.target is None else self.source.target.class_counts()

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain dictionaries, ready for JSON."""
        table: dict[str, Any] = {}
        if self.source.facts is not None:
            table = {"columns": self.source.columns, **asdict(self.source.facts)}
        target = self.source.target
        if target is not None and target.name is not None:
            table |= target.to_dict()
        return {"name": self.name, **table, "classes": self.classes, **self.source.graphs.summary().to_dict()}

    def __str__(self) -> str:
        summary = self.source.graphs.summary().rows()
        rows = [("data set", self.name), *self._table_rows(), *self._target_rows(), *summary]
        if self.source.graphs.molecules:
            words = {"graphs": "molecules", "nodes": "atoms", "edges": "bonds"}
            rows = [(words.get(name, name), value.replace(" per graph", " per molecule")) for name, value in rows]
        return format_rows(rows)

    def _table_rows(self) -> list[tuple[str, str]]:
        facts = self.source.facts
        if facts is None:
            return []
        smiles = [] if facts.smiles_column is None else [("SMILES column", facts.smiles_column)]
        return [
            ("columns", ", ".join(self.source.columns) or "–"),
            *smiles,
            ("name column", facts.name_column or "– (molecules are named by their position)"),
            ("rows", f"{facts.n_rows:,}"),
            ("unreadable", f"{facts.n_unreadable:,}"),
            *self._fragment_rows(),
        ]

    def _fragment_rows(self) -> list[tuple[str, str]]:
        steps = self.source.options.get("standardize_molecules")
        standardized = [("standardized", ", ".join(steps))] if steps else []
        several = several_fragments(self.source.graphs)
        return standardized + ([] if several is None else [("fragments", several.describe(Option.as_flag))])

    def _target_rows(self) -> list[tuple[str, str]]:
        target, classes = self.source.target, self.classes
        if self.source.targets:
            return [("target", f"{len(each.values):,} values of {each}") for each in self.source.targets]
        if target is None:
            is_table = self.source.facts is not None
            return [("target", "– (name a column with --target)") if is_table else ("classes", "–")]
        if target.name is None:
            listed = "" if classes is None else ", ".join(f"{name}: {number}" for name, number in classes.items())
            return [("classes", "–" if classes is None else f"{len(classes)} ({listed})")]
        missing = len(self.source.graphs) - len(target.values)
        known = f", {missing:,} without a value" if missing else ""
        known += "" if target.censoring is None else f"; {target.censoring.describe(target.name)}"
        return [("target", f"{target.name}{known}"), ("task", f"{target.task}: {target.values_text()}")]


def describe_dataset(name_or_path: str | Path, options: ReadingOptions | None = None) -> Description:
    """Load graphs and return their description.

    Parameters
    ----------
    name_or_path : str or Path
        What :func:`wassergraph.datasets.inputs.load_graphs` accepts.
    options : ReadingOptions, optional
        How to read them; by default, molecules that cannot be read are left out, with a warning.

    Returns
    -------
    Description
    """
    source = load_graphs(name_or_path, options or ReadingOptions(invalid="skip"))
    name = Path(name_or_path).name or Path(name_or_path).resolve().name
    return Description(name.removesuffix(".zip"), source)


@dataclass(frozen=True)
class Entry:
    """One line of a listing: a name, the published size, and the place: a path, "built in" or None."""

    name: str
    published: PublishedDataset | None
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
        return "\n".join(aligned(lines, range(1, 5)))


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


def _columns(published: PublishedDataset | None) -> tuple[str, str, str, str, str]:
    if published is None:
        return ("", "", "", "", "")
    means = f"{published.mean_nodes:.2f}", f"{published.mean_edges:.2f}"
    return (f"{published.graphs}", f"{published.classes}", *means, published.data)
