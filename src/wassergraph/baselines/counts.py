"""Kernels that count labels: sums over the labels that two graphs share.

As in the closed form of the categorical distance, for every graph the lists of graphs that have its labels are added
up, so that pairs without a common label cost nothing. Counts are integers, so all sums are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, hstack
from sklearn.utils.validation import check_is_fitted

from wassergraph import _core
from wassergraph.arrays import FloatArray, IntArray, Stop
from wassergraph.baselines.kernel import GraphKernel, core_tiles, kernel_matrix
from wassergraph.formats.detect import as_batch
from wassergraph.pairwise.compute import SolveTile
from wassergraph.pairwise.histograms import LabelBags, histograms
from wassergraph.pairwise.tiles import Tile
from wassergraph.pairwise.work import constant_work, shared_label_work

#: Up to so many columns a full table is faster than lists of the graphs that have a label.
_NARROW = 128


@dataclass(frozen=True)
class CountedLabels(LabelBags):
    """The different labels of many graphs, at one level, and how often each occurs."""

    counts: IntArray  # (n_items)


def _masses(bags: LabelBags) -> IntArray:
    """Return how often every item counts."""
    return bags.counts if isinstance(bags, CountedLabels) else np.ones(int(bags.ptr[-1]), dtype=np.int64)


def shared_labels(
    left: LabelBags,
    right: LabelBags | None = None,
    *,
    intersect: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
) -> FloatArray:
    """Sum, over the labels that two graphs share, the products of their counts (N, M), or the smaller counts."""
    sides = [left] if right is None else [left, right]
    tables = None if intersect else _tables(sides)
    if tables is not None:
        solve = _table_product(csr_array(tables[0]), np.ascontiguousarray(tables[-1].T))
        work = constant_work(len(left), len(sides[-1]), 0.2 * tables[0].shape[1] + 1.0)
    else:
        counted = histograms(sides, [_masses(side) for side in sides])
        solve = core_tiles(_core.count_tile, intersect, counted[0], counted[-1], symmetric=right is None)
        work = shared_label_work(counted[0], counted[-1])
    return kernel_matrix(solve, work, symmetric=right is None, n_jobs=n_jobs, progress=progress)


def _tables(sides: Sequence[LabelBags]) -> list[FloatArray] | None:
    """Count labels that are small integers of a narrow range into full tables (N, n_labels); None if they are not.

    Then the sums are a product of matrices, of which the first is mostly zeros.
    """
    if any(side.n_levels != 1 or not side.codes.size for side in sides):
        return None
    labels = [side.codes[0].view(np.int64) for side in sides]
    least, most = min(int(codes.min()) for codes in labels), max(int(codes.max()) for codes in labels)
    width = most - least + 1
    if width > _NARROW:
        return None
    tables = []
    for side, codes in zip(sides, labels, strict=True):
        cells = np.repeat(np.arange(len(side)) * width - least, np.diff(side.ptr)) + codes
        counts = side.counts if isinstance(side, CountedLabels) else None
        table = np.bincount(cells, counts, minlength=len(side) * width)
        tables.append(table.reshape(-1, width).astype(np.float64))
    return tables


def _table_product(left: csr_array, right: FloatArray) -> SolveTile:
    """Return what computes the product of tables of counts (N, n_labels) and (n_labels, M), tile by tile."""

    def solve(tile: Tile, stop: Stop) -> FloatArray:
        product: FloatArray = left[tile.rows] @ right[:, tile.columns]
        return product[None]

    return solve


def self_similarity(bags: LabelBags, *, intersect: bool = False) -> FloatArray:
    """Return what :func:`shared_labels` computes for every graph with itself (N)."""
    if intersect:
        return np.asarray(np.diff(bags.ptr) * float(bags.n_levels))
    (counted,) = histograms([bags], [_masses(bags)])
    similarity = np.zeros(len(bags))
    for level in counted.ptr:
        owner = np.repeat(np.arange(len(bags)), np.diff(level))
        similarity += np.bincount(owner, weights=counted.mass[level[0] : level[-1]] ** 2, minlength=len(bags))
    return similarity


def count_known_labels(training: LabelBags, bags: LabelBags) -> csr_array:
    """Count the labels of graphs (n_graphs, n_labels), sparse.

    The columns are the labels of the training graphs: level by level, in the order of their codes.
    """
    owner = np.repeat(np.arange(len(bags)), np.diff(bags.ptr))
    masses = _masses(bags).astype(np.float64)
    tables = []
    for known, codes in zip(map(np.unique, training.codes), bags.codes, strict=True):
        is_known = np.isin(codes, known)
        entries = owner[is_known], np.searchsorted(known, codes[is_known])
        table = csr_array((masses[is_known], entries), shape=(len(bags), len(known)))
        table.sum_duplicates()
        tables.append(table)
    return hstack(tables, format="csr")


class CountKernel(GraphKernel[LabelBags]):
    """A kernel whose features are counts of labels; graphs are compared as LabelBags."""

    intersect = False

    def features(self, graphs: object) -> csr_array:
        """Count the labels of graphs.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            The graphs.

        Returns
        -------
        counts : (n_graphs, n_labels) sparse array
            A column for each label of the training graphs. The kernel of the training graphs, before it is normalized,
            is ``features @ features.T``.
        """
        check_is_fitted(self)
        new, training = self._represent(as_batch(graphs))
        return count_known_labels(training, new)

    def _compare(self, left: LabelBags, right: LabelBags | None) -> FloatArray:
        return shared_labels(left, right, intersect=self.intersect, n_jobs=self.n_jobs, progress=self.progress)

    def _self_similarity(self, graphs: LabelBags) -> FloatArray:
        return self_similarity(graphs, intersect=self.intersect)
