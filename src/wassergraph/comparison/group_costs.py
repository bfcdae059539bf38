"""What distances between and within groups of graphs cost, by label and by depth.

For labels, and graphs of the same mass, the means over all pairs are known without any plan. At each depth, the mass
that an optimal plan moves away from a code, or to it, is the difference of what the two graphs have of it. Half of this
is the cost of the code, since each move has two ends; every code belongs to one label. The mean over pairs of graphs
is the mean absolute difference of numbers, for which sorting is enough. In all other cases, plans are computed.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array

from wassergraph.arrays import FloatArray, IntArray, Stop
from wassergraph.explain.transport import plan_of
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.stereo import stereo_labels
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.parallel.progress import Progress
from wassergraph.parallel.threads import ThreadEngine

#: How many plans are one piece of work.
_AT_A_TIME = 8


class Block(NamedTuple):
    """The pairs of graphs of two groups, or of one group if both are the same: positions of graphs."""

    first: IntArray
    second: IntArray

    @property
    def is_within(self) -> bool:
        """Whether both groups are the same."""
        return self.first is self.second

    @property
    def n_pairs(self) -> int:
        """The number of pairs of different graphs."""
        return math.comb(len(self.first), 2) if self.is_within else len(self.first) * len(self.second)

    def pairs(self, most: int, rng: np.random.Generator) -> IntArray:
        """Return the positions of all pairs (k, 2) if there are at most ``most``, and a random sample otherwise."""
        numbers = np.arange(self.n_pairs) if self.n_pairs <= most else rng.choice(self.n_pairs, most, replace=False)
        if self.is_within:
            smaller, larger = _unrank(numbers)
            return np.stack([self.first[smaller], self.first[larger]], axis=1)
        rows, columns = np.divmod(numbers, len(self.second))
        return np.stack([self.first[rows], self.second[columns]], axis=1)


class BlockCosts(NamedTuple):
    """The mean costs of the pairs of a block."""

    block: Block
    by_label: tuple[FloatArray, FloatArray]  # means and their standard errors, since pairs are a sample (n_labels)
    by_depth: tuple[FloatArray, FloatArray]  # (depth + 1), and one more for nodes without a partner with counts
    mean: float  # the mean distance of the pairs that were looked at, as the costs say
    pairs: IntArray | None  # (k, 2), or None if these are all

    @property
    def n_pairs(self) -> int:
        """The number of pairs that were looked at."""
        return self.block.n_pairs if self.pairs is None else len(self.pairs)


def block_costs(
    embedding: NodeEmbedding,
    batch: GraphBatch,
    blocks: Collection[Block],
    *,
    max_pairs: int,
    rng: np.random.Generator,
    names: IntArray,
    n_jobs: int | None,
    progress: bool,
) -> list[BlockCosts]:
    """Compute the mean costs of the pairs of graphs in each of several blocks.

    Parameters
    ----------
    embedding, batch : NodeEmbedding, GraphBatch
        The graphs.
    blocks : collection of Block
        Which pairs.
    max_pairs : int
        For how many pairs of each block plans are computed at most.
    rng : numpy.random.Generator
        What draws a sample of pairs, if there are more.
    names : (n_graphs) integers
        Positions of the graphs in a larger collection, for messages.
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Returns
    -------
    list of BlockCosts
        One for each block.
    """
    # The position of each node's label among all labels, if there are labels.
    labels = None if batch.node_labels is None else np.unique(stereo_labels(batch), return_inverse=True)[1].reshape(-1)
    n_labels = _n_labels(labels)
    if embedding.kind == "categorical" and not embedding.counted:
        return _closed_costs(embedding, labels, blocks)
    pairs = [block.pairs(max_pairs, rng) for block in blocks]
    each_pair = np.concatenate(pairs)
    # Costs by label, then by depth, then in total, one row for each pair.
    rows = np.empty((len(each_pair), n_labels + embedding.depth + 1 + embedding.counted + 1))
    chunks = [slice(k, min(k + _AT_A_TIME, len(rows))) for k in range(0, len(rows), _AT_A_TIME)]

    def solve(chunk: slice, stop: Stop) -> FloatArray:
        chosen = each_pair[chunk]
        return np.array([_pair_costs(embedding, batch, labels, pair, names[pair], stop) for pair in chosen])

    with Progress("plans", len(rows), "pairs", show=progress) as bar:

        def done(chunk: slice, values: FloatArray) -> None:
            rows[chunk] = values
            bar.update(chunk.stop - chunk.start)

        ThreadEngine(n_jobs).run(solve, chunks, done)
    parts = np.split(rows, np.cumsum([len(some) for some in pairs])[:-1])
    return [_mean_costs(*each, n_labels) for each in zip(blocks, pairs, parts, strict=True)]


def _n_labels(labels: IntArray | None) -> int:
    return 0 if labels is None else int(labels.max(initial=-1)) + 1


def _unrank(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return the pairs i < j with the numbers i + j (j - 1) / 2."""
    j = ((1 + np.sqrt(8.0 * numbers + 1)) // 2).astype(np.int64)
    j -= j * (j - 1) // 2 > numbers
    j += j * (j + 1) // 2 <= numbers
    return numbers - j * (j - 1) // 2, j


# Labels: all pairs, without plans


def _closed_costs(embedding: NodeEmbedding, labels: IntArray | None, blocks: Collection[Block]) -> list[BlockCosts]:
    tables = np.zeros((len(blocks), max(1, _n_labels(labels)), embedding.depth + 1))
    for depth in range(embedding.depth + 1):
        masses, label_of_code = _code_masses(embedding, labels, depth)
        for table, block in zip(tables, blocks, strict=True):
            np.add.at(table[:, depth], label_of_code, _mean_differences(masses, block) / 2 / (embedding.depth + 1))
    costs = []
    for table, block in zip(tables, blocks, strict=True):
        means = np.zeros(0) if labels is None else table.sum(axis=1), table.sum(axis=0)
        by_label, by_depth = ((each, np.zeros_like(each)) for each in means)  # without errors
        costs.append(BlockCosts(block, by_label, by_depth, float(table.sum()), None))
    return costs


def _code_masses(embedding: NodeEmbedding, labels: IntArray | None, depth: int) -> tuple[csc_array, IntArray]:
    """Return the mass of each code in each graph (n_graphs, n_codes) at a depth, and the label of each code."""
    assert embedding.codes is not None
    sizes = np.diff(embedding.ptr)
    graphs = np.repeat(np.arange(len(sizes)), sizes)
    weights = np.ones(len(graphs)) if embedding.weights is None else embedding.weights
    shares = weights / np.bincount(graphs, weights, minlength=len(sizes))[graphs]
    _, nodes, codes = np.unique(embedding.codes[depth], return_index=True, return_inverse=True)
    codes = codes.reshape(-1)
    masses = csc_array((shares, (graphs, codes)), shape=(len(sizes), len(nodes)))  # repeated entries are added
    return masses, np.zeros(len(nodes), dtype=np.int64) if labels is None else labels[nodes]


def _mean_differences(masses: csc_array, block: Block) -> FloatArray:
    """Compute the mean of absolute differences over the pairs of a block, for each column (n_codes)."""
    if block.is_within:
        return _sum_of_differences(masses, block.first) / block.n_pairs
    both = np.concatenate([block.first, block.second])
    within = _sum_of_differences(masses, block.first) + _sum_of_differences(masses, block.second)
    return np.maximum(_sum_of_differences(masses, both) - within, 0.0) / block.n_pairs


def _sum_of_differences(masses: csc_array, rows: IntArray) -> FloatArray:
    """Compute the sum of |x - y| over all pairs of some rows, for each column (n_columns) of positive numbers.

    The number with rank k from 1 to n is the larger one of k - 1 pairs, and the smaller one of n - k.
    """
    chosen = csc_array(masses[rows])
    counts = np.diff(chosen.indptr)
    columns = np.repeat(np.arange(len(counts)), counts)
    values = chosen.data[np.lexsort((chosen.data, columns))]
    ranks = np.arange(len(values)) - chosen.indptr[:-1][columns] + 1 + (len(rows) - counts)[columns]
    return np.bincount(columns, (2.0 * ranks - len(rows) - 1) * values, minlength=len(counts)).astype(np.float64)


# Plans


def _pair_costs(
    embedding: NodeEmbedding, batch: GraphBatch, labels: IntArray | None, pair: IntArray, names: IntArray, stop: Stop
) -> FloatArray:
    """Compute the costs of one plan; half of each move belongs to either end."""
    plan = plan_of(embedding.take(pair), batch[pair], (int(names[0]), int(names[1])), stop)
    moves = plan.move_costs
    sides = [(1, plan.source_unmatched), (0, plan.target_unmatched)]
    by_label = np.zeros(_n_labels(labels))
    if labels is not None:
        for graph, (axis, unmatched) in zip(pair, sides, strict=True):
            nodes = labels[embedding.ptr[graph] : embedding.ptr[graph + 1]]
            by_label += np.bincount(nodes, moves.sum(axis=axis) / 2 + plan.price * unmatched, minlength=len(by_label))
    alone = [plan.unmatched_cost] if embedding.counted else []
    return np.concatenate([by_label, plan.depth_costs, alone, [plan.cost]])


def _mean_costs(block: Block, pairs: IntArray, rows: FloatArray, n_labels: int) -> BlockCosts:
    """Return the means of columns, and the standard errors of their ratios to the last one times its mean.

    Costs are multiplied later so that their sum is the mean distance of all pairs, which is known: a ratio estimate.
    Its error depends on what remains of costs without what is proportional to the distance.
    """
    # Divided by a power of two, exactly, so that squares stay in range.
    exponent = math.frexp(float(rows.max()))[1]
    scaled = np.ldexp(rows, -exponent)
    means = scaled.mean(axis=0)
    shares = means / means[-1] if means[-1] else np.zeros_like(means)
    rest = scaled - scaled[:, -1:] * shares
    variances = (rest**2).sum(axis=0) / max(len(rows) - 1, 1) / len(rows)
    means, errors = np.ldexp(means, exponent), np.ldexp(np.sqrt(variances * (1 - len(pairs) / block.n_pairs)), exponent)
    by_label, by_depth = ((means[part], errors[part]) for part in (slice(0, n_labels), slice(n_labels, -1)))
    return BlockCosts(block, by_label, by_depth, float(means[-1]), pairs)
