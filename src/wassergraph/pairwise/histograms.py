"""Histograms of labels: how often each label occurs in each graph, looked up by graph and by label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from wassergraph import _core
from wassergraph.arrays import IntArray
from wassergraph.metrics.node_embedding import Codes
from wassergraph.pairwise.layout import Histogram


@dataclass(frozen=True)
class LabelBags:
    """The labels of many graphs: graph g has the items ``ptr[g]`` to ``ptr[g + 1] - 1``, with a code at every level.

    Codes at different levels are different labels, even if they are equal.
    """

    ptr: IntArray
    codes: Codes  # (n_levels, n_items)

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @property
    def n_levels(self) -> int:
        """The number of levels."""
        return len(self.codes)


def histograms(
    sides: Sequence[LabelBags], masses: Sequence[IntArray] | None = None, *, shared_only: bool = False
) -> list[Histogram]:
    """Sum the masses of equal labels in every graph at every level.

    Parameters
    ----------
    sides : sequence of LabelBags
        One or two sides, with the same levels.
    masses : sequence of (n_items) integers, optional
        The mass of every item of each side; 1 by default.
    shared_only : bool
        Whether to leave out labels that no two graphs to be compared have in common: those of one graph only, or of
        one side only. At larger depths these are most of the labels.

    Returns
    -------
    list of Histogram
        One for each side. Labels are numbered in the same way on all sides: at every level in the order of their codes,
        which :mod:`wassergraph.search.label_lists` relies on.
    """
    levels: list[list[Histogram]] = [[] for _ in sides]
    weights = [np.ones(int(side.ptr[-1]), dtype=np.int64) for side in sides] if masses is None else masses
    first_label = 0
    for level in range(sides[0].n_levels):
        tables = _count(sides, level, weights)
        if shared_only:
            tables = _drop_unshared(tables)
        for histogram, table in zip(levels, tables, strict=True):
            histogram.append(_histogram(table, first_label))
        first_label += tables[0].shape[1]
    return [_join_levels(side) for side in levels]


def _count(sides: Sequence[LabelBags], level: int, weights: Sequence[IntArray]) -> list[csr_array]:
    """Return the mass of every label in every graph at one level, as sparse matrices with the same columns."""
    label, n_labels = _number(np.concatenate([side.codes[level] for side in sides]))
    borders = np.cumsum([len(side.codes[level]) for side in sides])
    tables = []
    for side, labels, weight in zip(sides, np.split(label, borders[:-1]), weights, strict=True):
        indptr, indices, masses = _core.count_numbers(side.ptr, labels, weight, n_labels)
        table = csr_array((masses, indices, indptr), shape=(len(side), n_labels))
        table.sort_indices()
        tables.append(table)
    return tables


def _number(codes: Codes) -> tuple[IntArray, int]:
    """Return the rank of every code among the different ones, and the number of these, without sorting all codes."""
    distinct, numbers = _core.number_codes(np.ascontiguousarray(codes))
    order = np.argsort(distinct)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks[numbers], len(order)


def _drop_unshared(tables: list[csr_array]) -> list[csr_array]:
    """Keep the labels that occur on both sides or, if there is one side, in at least two graphs."""
    occurrences = [np.bincount(table.indices, minlength=table.shape[1]) for table in tables]
    shared = occurrences[0] > 1 if len(tables) == 1 else (occurrences[0] > 0) & (occurrences[1] > 0)
    return [table[:, np.flatnonzero(shared)] for table in tables]


def _histogram(by_graph: csr_array, first_label: int) -> Histogram:
    """Return the histograms at one level, whose labels are numbered from ``first_label`` on."""
    by_label = by_graph.tocsc()
    return Histogram(
        by_graph.indptr.astype(np.int64),
        by_graph.indices.astype(np.int64) + first_label,
        by_graph.data,
        by_label.indptr.astype(np.int64),
        by_label.indices.astype(np.int32),
        by_label.data,
    )


def _join_levels(levels: list[Histogram]) -> Histogram:
    """Join the histograms of all levels, one behind the other."""
    before = np.cumsum([0, *(len(level.label) for level in levels)])
    starts = [level.start[:-1] + shift for level, shift in zip(levels, before, strict=False)]
    return Histogram(
        np.stack([level.ptr + shift for level, shift in zip(levels, before, strict=False)]),
        np.concatenate([level.label for level in levels]),
        np.concatenate([level.mass for level in levels]),
        np.concatenate([*starts, before[-1:]]),
        np.concatenate([level.graph for level in levels]),
        np.concatenate([level.mass_in_graph for level in levels]),
    )
