"""Read the files of benchmarks as their authors publish them.

DIR/moleculeace/SET.csv ──────────────────────────┐
DIR/adme/SET_train.csv, SET_test.csv ─────────────┼─read_split─▶ the training and the test examples of a split
DIR/errica/SET.json (positions), a TU data set ───┘
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, IntArray
from wassergraph.datasets.data_home import expand
from wassergraph.datasets.load import load_dataset
from wassergraph.datasets.tables import Table, read_table
from wassergraph.datasets.targets import read_target
from wassergraph.errors import InputError, MissingFileError, Option
from wassergraph.graphs.batch import GraphBatch
from wassergraph.reproduction.others.benchmarks import ADME, BENCHMARKS, ERRICA, MOLECULEACE, BenchmarkEntry
from wassergraph.tuning.splits import given_folds

#: The folder of the files, beside that of the project; the environment variable that names another one.
BENCHMARKS_HOME, VARIABLE = Path("../shared/benchmarks"), "WASSERGRAPH_BENCHMARKS"
#: Where each benchmark is published, for messages.
_SITES = {
    "moleculeace": "https://github.com/molML/MoleculeACE",
    "adme": "https://github.com/molecularinformatics/Computational-ADME",
    "errica": "https://github.com/diningphil/gnn-comparison",
}
_AS_PUBLISHED = "take the file as it is published"
#: The columns of the tables.
_SMILES, _POTENCY, _CLIFF, _PART, _ACTIVITY = "smiles", "y [pEC50/pKi]", "cliff_mol", "split", "activity"
#: Of the sets of graphs: the file of the folds, the data set, and whether its attributes are used.
_FOLD_FILES = {"PROTEINS": "PROTEINS_full"}
_LABELS_ALONE = ("PROTEINS",)


@dataclass(frozen=True, eq=False)
class SplitPart:
    """One part of a split.

    Attributes
    ----------
    graphs : GraphBatch or list of str
        The graphs, or the SMILES of molecules.
    y : (n) array
        Their classes, as integers, or numbers.
    cliffs : (n) booleans or None
        Which molecules are on an activity cliff, if the benchmark says so.
    """

    graphs: GraphBatch | list[str]
    y: NDArray[Any]
    cliffs: BoolArray | None = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def has_numbers(self) -> bool:
        """Whether numbers are learned, not classes."""
        return self.y.dtype.kind == "f"

    def take(self, positions: IntArray) -> SplitPart:
        """Return some of the examples."""
        graphs = self.graphs
        return SplitPart(
            graphs[positions] if isinstance(graphs, GraphBatch) else [graphs[position] for position in positions],
            self.y[positions],
            None if self.cliffs is None else self.cliffs[positions],
        )


class SplitExamples(NamedTuple):
    """The examples that models are fitted to, and those that they are tested on."""

    train: SplitPart
    test: SplitPart


_Read: TypeAlias = Callable[[Path, BenchmarkEntry, str | Path | None], SplitExamples]


def find_benchmarks(folder: str | Path | None) -> Path:
    """Return the folder of the files of all benchmarks.

    Parameters
    ----------
    folder : str or Path, optional
        The folder; by default the one that ``WASSERGRAPH_BENCHMARKS`` names, or else ``../shared/benchmarks``.

    Returns
    -------
    Path

    Raises
    ------
    MissingFileError
        If there is no such folder.
    """
    found = expand(folder or os.environ.get(VARIABLE) or BENCHMARKS_HOME)
    if not found.is_dir():
        problem = "there is no such folder with the files of benchmarks"
        remedy = f"name it with {{}} or the variable {VARIABLE}; it has {_folders_text()}"
        raise MissingFileError(problem, remedy=remedy, options=[Option("benchmarks")], file=found)
    return found


def read_split(entry: BenchmarkEntry, folder: Path, data_home: str | Path | None = None) -> SplitExamples:
    """Read the training and the test part of a split.

    Parameters
    ----------
    entry : BenchmarkEntry
        The benchmark, the set and the fold.
    folder : Path
        The folder of all benchmarks, from :func:`find_benchmarks`.
    data_home : str or Path, optional
        The folder of the graphs of TU data sets, as in :func:`wassergraph.load_dataset`.

    Returns
    -------
    SplitExamples

    Raises
    ------
    ValueError
        If a file is missing, or is not as it is published.
    """
    return _READERS[entry.benchmark](folder / entry.benchmark, entry, data_home)


def _folders_text() -> str:
    return ", ".join(f"{name}/ ({_SITES[name]})" for name in BENCHMARKS)


def _existing(path: Path, benchmark: str) -> Path:
    if not path.is_file():
        remedy = f"put it there, from {_SITES[benchmark]}"
        raise MissingFileError("a file of the benchmark is missing", remedy=remedy, file=path)
    return path


# Molecules


def _read_moleculeace(folder: Path, entry: BenchmarkEntry, _: str | Path | None) -> SplitExamples:
    table = read_table(_existing(folder / f"{entry.set}.csv", entry.benchmark))
    flags = _cells(table, _CLIFF)
    if not {"0", "1"} >= set(flags):
        raise InputError(f"{_CLIFF!r} must be 0 or 1 in every row", remedy=_AS_PUBLISHED, file=table.path)
    examples = replace(_molecules(table, _POTENCY), cliffs=np.array(flags) == "1")
    try:
        folds = given_folds(_cells(table, _PART), len(examples), name=_PART)
    except InputError as error:
        raise (error.in_file(table.path) if error.graph is None else error.in_places(table.places)) from error
    if len(folds) > 1:
        raise InputError(f"{_PART!r} must be train or test in every row", remedy=_AS_PUBLISHED, file=table.path)
    train, test = folds[0]
    return SplitExamples(examples.take(train), examples.take(test))


def _read_adme(folder: Path, entry: BenchmarkEntry, _: str | Path | None) -> SplitExamples:
    paths = [_existing(folder / f"{entry.set}_{part}.csv", entry.benchmark) for part in ("train", "test")]
    train, test = (_molecules(read_table(path), _ACTIVITY) for path in paths)
    return SplitExamples(train, test)


def _molecules(table: Table, column: str) -> SplitPart:
    """Return the molecules of a table with a number for each."""
    target = read_target(_cells(table, column), table.places, name=column, task="regression")
    if len(target.positions) < len(table.rows):
        raise InputError(f"{column!r} has empty cells", remedy=_AS_PUBLISHED, file=table.path)
    return SplitPart(_cells(table, _SMILES), target.values)


def _cells(table: Table, column: str) -> list[str]:
    if column not in table.columns:
        raise InputError(f"there is no column {column!r}", remedy=_AS_PUBLISHED, file=table.path)
    return table.cells(column)


# Graphs


def _read_errica(folder: Path, entry: BenchmarkEntry, data_home: str | Path | None) -> SplitExamples:
    name = _FOLD_FILES.get(entry.set, entry.set)
    path = _existing(folder / f"{name}.json", entry.benchmark)
    graphs, y = load_dataset(entry.set, data_home=data_home)
    if entry.set in _LABELS_ALONE:
        graphs = replace(graphs, node_attributes=None, vocabulary=replace(graphs.vocabulary, node_attributes=()))
    train, test = _read_fold(path, entry.fold, len(graphs))
    examples = SplitPart(graphs, np.asarray(y))
    return SplitExamples(examples.take(train), examples.take(test))


def _read_fold(path: Path, fold: int, n_graphs: int) -> tuple[IntArray, IntArray]:
    """Return the positions of a fold; models choose their parameters themselves, so that validation is for training."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))[fold]
        chosen = content["model_selection"][0]
        train, test = _positions([*chosen["train"], *chosen["validation"]]), _positions(content["test"])
    except (ValueError, LookupError, TypeError) as error:
        raise InputError(f"the file has no fold {fold}", remedy=_AS_PUBLISHED, file=path) from error
    listed = np.concatenate([train, test])
    if not np.array_equal(np.sort(listed), np.arange(n_graphs)):
        problem = f"fold {fold} does not have each of the {n_graphs:,} graphs once"
        raise InputError(problem, remedy=_AS_PUBLISHED, file=path)
    return train, test


def _positions(numbers: Sequence[int]) -> IntArray:
    positions = np.asarray(numbers)
    if positions.ndim != 1 or positions.dtype.kind != "i":
        raise ValueError("positions are whole numbers")
    return positions.astype(np.int64)


_READERS: dict[str, _Read] = {
    MOLECULEACE.name: _read_moleculeace,
    ADME.name: _read_adme,
    ERRICA.name: _read_errica,
}
