"""Equal graphs in the data sets of the paper, and the sets without them.

    graphs, classes ──find_equal_graphs──▶ Deduplication ──▶ a row of results/duplicates.csv
                    ──without_duplicates──▶ the graphs and classes of the variant ``method+deduplicated``

Where equal graphs are in both parts of a split, a model is tested on graphs that it has seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from wassergraph.evaluation.deduplication import Deduplication, deduplicate_graphs
from wassergraph.evaluation.matrices import Threads
from wassergraph.files.atomic import check_target
from wassergraph.graphs.batch import GraphBatch
from wassergraph.parallel.progress import Progress
from wassergraph.reproduction.csv_tables import read_rows, write_rows
from wassergraph.reproduction.setups import load_prepared
from wassergraph.scores.tasks import read_task
from wassergraph.tuning.grid import DEPTHS

#: The variant of a method that is run without duplicates: written after the method, as in ``wwl+deduplicated``.
DEDUPLICATED = "deduplicated"
#: The depth at which graphs are compared: the largest one that methods choose from, as in :func:`wassergraph.evaluate`.
EQUAL_DEPTH = max(DEPTHS)


@dataclass(frozen=True)
class DuplicateRow:
    """The equal graphs of one data set, compared by what the kind uses."""

    set: str
    kind: str
    graphs: int
    groups: int
    left_out: int
    disagreeing: int


def find_equal_graphs(graphs: GraphBatch, y: NDArray[Any], kind: str, threads: Threads | None = None) -> Deduplication:
    """Find the graphs that are equal, and choose the first one of each class.

    Parameters
    ----------
    graphs : GraphBatch
        The prepared graphs.
    y : (N) array
        Their classes.
    kind : "categorical" or "continuous"
        The kind of the methods: node labels are compared, or attributes together with the node labels, if there are
        any. Edge labels are not: graphs that differ in these alone are equal for most methods.
    threads : Threads, optional
        How to compute.

    Returns
    -------
    Deduplication
    """
    return deduplicate_graphs(
        graphs,
        read_task(y, len(graphs), "classification"),
        depth=EQUAL_DEPTH,
        kind="categorical" if kind == "categorical" else "auto",
        edge_labels="ignore",
        threads=threads or Threads(),
    )


def without_duplicates(
    graphs: GraphBatch, y: NDArray[Any], kind: str, threads: Threads | None = None
) -> tuple[GraphBatch, NDArray[Any]]:
    """Return the graphs that :func:`find_equal_graphs` keeps, and their classes."""
    kept = find_equal_graphs(graphs, y, kind, threads).kept
    return graphs[kept], y[kept]


def run_duplicates(
    path: Path,
    pairs: Iterable[tuple[str, str]],
    *,
    quick: bool = False,
    data_home: str | Path | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> None:
    """Count the equal graphs of data sets, and write the numbers to a CSV file.

    Parameters
    ----------
    path : Path
        The file to write.
    pairs : iterable of (data set, kind)
        The sets, and what is compared.
    quick : bool
        Whether these are not all of them.
    data_home : str or Path, optional
        As in :func:`wassergraph.load_dataset`.
    n_jobs, progress
        As in :func:`wassergraph.distances`; the progress bar counts sets.
    """
    check_target(path)
    wanted, rows = list(pairs), []
    with Progress("duplicates", len(wanted), "sets", show=progress) as bar:
        for dataset, kind in wanted:
            found = find_equal_graphs(*load_prepared(dataset, kind, data_home), kind, Threads(n_jobs))
            counts = found.n_graphs, found.n_groups, found.n_left_out, found.n_disagreeing
            rows.append(DuplicateRow(dataset, kind, *counts))
            bar.update(1)
    write_rows(path, "duplicates", rows, quick=quick)


def read_duplicates(path: Path) -> Sequence[DuplicateRow]:
    """Read the rows that :func:`run_duplicates` wrote."""
    return read_rows(path, "duplicates", DuplicateRow)
