"""Compare groups of graphs: whether they differ, and which labels and depths carry the difference."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.comparison.group_costs import Block, BlockCosts, block_costs
from wassergraph.comparison.permutations import EnergyTest, energy_test, holm
from wassergraph.comparison.results import GroupComparison, GroupCosts, PairwiseComparisons
from wassergraph.errors import InputError, InputTypeError, Option, StructuredError, did_you_mean
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_whole
from wassergraph.graphs.stereo import as_compared, stereo_labels, stereo_vocabulary
from wassergraph.metrics.depths import single_depth
from wassergraph.metrics.embed import embed_all
from wassergraph.metrics.metric import Metric, read_metric, require_exact
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.solvers import RandomState
from wassergraph.models.given_distances import read_given
from wassergraph.pairwise.api import embedding_distances
from wassergraph.scores.classes import class_name, number_classes

#: Up to which relative difference the mean of given distances may differ from that of plans: they may be float32.
_SAME = 1e-5


def compare_groups(
    graphs: object,
    y: ArrayLike,
    *,
    distances: Any = None,
    groups: Sequence[Any] | None = None,
    permutations: int = 999,
    max_pairs: int = 1000,
    metric: Metric | None = None,
    weights: ArrayLike | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> GroupComparison | PairwiseComparisons:
    """Compare groups of graphs: test whether they differ, and find the labels and depths that differ.

    The energy statistic of two groups is twice the mean distance of graphs of different groups, minus the mean
    distances of different graphs within each group. It is near 0 if both are samples of the same distribution, and
    large if they differ in any way in which distances can tell, in spread as well as in place. The p value is the share
    of splits of all graphs, at random and into groups of the same sizes, for which it is at least as large.

    Parameters
    ----------
    graphs : GraphBatch, or graphs of another library
        N graphs. What is learned from graphs, such as the mean and standard deviation of attributes if these are
        standardized, is learned from all of them.
    y : (N) array
        The group of every graph: numbers, texts or booleans.
    distances : (N, N) floats or DistanceStore, optional
        The distances of all graphs, if they were computed before with the same parameters.
    groups : sequence, optional
        The names of the groups to compare, two or more; by default all.
    permutations : int
        The number of random splits. If there are no more different splits, all of them are used, each once, and the
        p value is exact. No p value is smaller than 1 / (permutations + 1), nor, if k pairs of groups are compared, the
        adjusted one than k times this.
    max_pairs : int
        For how many pairs of graphs between two groups, and within each, plans are computed at most. If there are more
        pairs, costs are estimates from a random sample. Labels alone (``kind="categorical"``, ``mass="share"``) need no
        plans, and costs are exact.
    metric : WWL, optional
        How graphs are compared, with one depth; by default ``WWL()``. The solver must be exact, and there is no size
        term.
    weights, n_jobs, progress
        As in :func:`wassergraph.distances`.
    random_state : int, Generator or None
        The seed of the splits, and of the sample of pairs.

    Returns
    -------
    GroupComparison, or PairwiseComparisons for more than two groups
        The statistic, its p value, and costs by label and by depth. All pairs of several groups are compared, with
        p values that are adjusted for their number by Holm's method, too.

    Raises
    ------
    ValueError
        If a group has fewer than two graphs or is not known, or if distances are not those of the graphs.

    See Also
    --------
    GroupComparison : what is returned for two groups
    transport_plan : costs between two graphs
    kernels.kernel_alignment : how well a kernel agrees with groups

    Notes
    -----
    A distance is the cost of a transport plan (:func:`wassergraph.transport_plan`), and each move costs half at the
    label where it begins, and half at the label where it ends. The mean cost of a label between groups is not yet a
    difference of these, since graphs of the same group differ as well. Its excess is, as for the statistic, twice the
    mean cost between groups minus the mean costs within both; the sum over all labels is the statistic. The excess of
    a label that both groups use alike is near 0, and may be negative by chance. The same holds for depths: depth 0
    compares labels or attributes themselves, and each further one neighborhoods that are one step larger.

    For labels alone, and graphs of the same mass, these costs are the same for every optimal plan. For attributes,
    optimal plans with other costs by label can exist if several nodes are equally far from each other; one plan is
    taken.

    The p value is about the groups as a whole, not about single labels. It supposes that graphs are independent of each
    other: several samples of the same patient are not, nor are molecules of one series.

    If D is of negative type (:func:`wassergraph.kernels.conditional_definiteness`), the energy statistic estimates the
    squared distance of two distributions, which is 0 only if their mean embeddings are the same. Means are over pairs
    of different graphs, so that the estimate has no bias; it can therefore be negative. The test is valid for any D.

    References
    ----------
    G. J. Székely and M. L. Rizzo, Energy statistics: A class of statistics based on distances, Journal of Statistical
    Planning and Inference 143 (2013). B. Phipson and G. K. Smyth, Permutation p-values should never be zero,
    Statistical Applications in Genetics and Molecular Biology 9 (2010), on the p value of random permutations.

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> comparison = wg.compare_groups(graphs, y, groups=[0, 1], metric=wg.WWL(1, kind="categorical"))
    >>> comparison.p_value, comparison.exact
    (0.001, False)
    >>> bool(abs(comparison.label_costs.excess.sum() - comparison.statistic) < 1e-12)
    True
    >>> result = wg.compare_groups(graphs, y, metric=wg.WWL(1, kind="categorical"))
    >>> [each.groups for each in result], result.adjusted.round(3).tolist()
    ([(0, 1), (0, 2), (1, 2)], [0.003, 0.003, 0.003])
    """
    _check_numbers(permutations, max_pairs, random_state)
    batch = as_batch(graphs)
    members = _read_groups(y, len(batch), groups)
    metric = read_metric(metric)
    require_exact(metric, "a comparison of groups")
    depth, scheme = single_depth(metric.depth), metric.learn(batch)
    if scheme.size_weight:
        problem = "{} moves graphs as a whole, and no label or depth has a part in that"
        raise InputError(problem, remedy="leave it out", options=[Option("size_weight", scheme.size_weight)])
    scheme, (embedding,) = embed_all(scheme, [batch], depth, [weights])
    chosen = np.concatenate(list(members.values()))
    few = embedding.take(chosen)
    if distances is None:
        matrix = embedding_distances(few, depths=[depth], n_jobs=n_jobs, progress=progress)[0]
    else:
        given = read_given(distances, batch, scheme, [depth], weights=weights, used_by="the comparison")
        matrix = given[0][np.ix_(chosen, chosen)]
    rng = np.random.default_rng(random_state)
    blocks = _blocks(members)
    tests = {pair: _test(matrix, block, permutations, rng) for pair, block in blocks.items() if not block.is_within}
    few_graphs = as_compared(batch[chosen], few.features.uses_stereo)
    found = block_costs(
        few, few_graphs, blocks.values(), max_pairs=max_pairs, rng=rng, names=chosen, n_jobs=n_jobs, progress=progress
    )
    costs = dict(zip(blocks, found, strict=True))
    _check_costs(matrix, costs)
    comparisons = tuple(_combine(few, few_graphs, pair, test, costs) for pair, test in tests.items())
    if len(comparisons) == 1:
        return comparisons[0]
    return PairwiseComparisons(comparisons, holm(np.array([each.p_value for each in comparisons])))


def _combine(
    embedding: NodeEmbedding,
    batch: GraphBatch,
    pair: tuple[Any, Any],
    test: EnergyTest,
    costs: dict[tuple[Any, Any], BlockCosts],
) -> GroupComparison:
    one, two = pair
    parts = costs[one, two], costs[one, one], costs[two, two]
    # Costs of a sample are multiplied so that their sum is the mean distance of all pairs.
    means = (test.between, *test.within)
    factors = [mean / part.mean if part.mean else 1.0 for mean, part in zip(means, parts, strict=True)]
    depths = (*range(embedding.depth + 1), *(["unmatched"] if embedding.counted else []))
    labels = () if batch.node_labels is None else np.unique(stereo_labels(batch)).tolist()
    names = tuple(map(stereo_vocabulary(batch).node_label_key, labels))  # or the labels themselves
    return GroupComparison(
        groups=pair,
        sizes=(len(parts[0].block.first), len(parts[0].block.second)),
        **test._asdict(),
        label_costs=None if batch.node_labels is None else _scaled(names, [part.by_label for part in parts], factors),
        depth_costs=_scaled(depths, [part.by_depth for part in parts], factors),
        n_pairs=(parts[0].n_pairs, parts[1].n_pairs, parts[2].n_pairs),
        n_all_pairs=(parts[0].block.n_pairs, parts[1].block.n_pairs, parts[2].block.n_pairs),
        molecules=batch.molecules,
    )


def _scaled(
    names: tuple[Any, ...], parts: Sequence[tuple[FloatArray, FloatArray]], factors: Sequence[float]
) -> GroupCosts:
    """Return mean costs and errors of pairs between groups, within the first and within the second, multiplied."""
    between, first, second = (factor * costs for factor, (costs, _) in zip(factors, parts, strict=True))
    errors = [factor * error for factor, (_, error) in zip(factors, parts, strict=True)]
    return GroupCosts(names, between, (first, second), np.hypot(np.hypot(2 * errors[0], errors[1]), errors[2]))


def _check_costs(distances: NDArray[Any], costs: dict[tuple[Any, Any], BlockCosts]) -> None:
    """Raise an error unless distances are the costs of plans, in the mean over the pairs that were looked at."""
    for key, found in costs.items():
        block, pairs = found.block, found.pairs
        if pairs is None:
            values = distances[np.ix_(block.first, block.second)]
            mean = float((values / values.size).sum(dtype=np.float64))
            mean *= len(block.first) / (len(block.first) - 1) if block.is_within else 1.0  # without the diagonal
        else:
            mean = float((distances[pairs[:, 0], pairs[:, 1]] / len(pairs)).sum(dtype=np.float64))
        # Where distances are 0, rounding is relative to what was subtracted: shares of nodes, or other distances.
        rounding = 1e-12 if pairs is None else 1e-9 * float(distances.max())
        if abs(mean - found.mean) > _SAME * max(mean, found.mean) + rounding:
            raise InputError(
                f"{{}} are not those of the graphs: their mean over pairs of {class_name(key[0])} and "
                f"{class_name(key[1])} is {mean:.6g}, but the plans cost {found.mean:.6g}",
                remedy="pass the {}, kind and further parameters that they were computed with, or leave them out",
                options=[Option("distances"), Option("depth")],
            )


# Input


def _check_numbers(permutations: Any, max_pairs: Any, random_state: Any) -> None:
    numbers = [("permutations", permutations, 1, 999), ("max_pairs", max_pairs, 1, 999)]
    if isinstance(random_state, int | np.integer):
        numbers.append(("random_state", random_state, 0, 0))
    for name, number, least, example in numbers:
        try:
            check_whole(name, number, least)
        except StructuredError as error:
            raise error.with_advice(f"pass {example}, for example") from None


def _read_groups(y: ArrayLike, n_graphs: int, groups: Sequence[Any] | None) -> dict[Any, IntArray]:
    """Return the positions of the graphs of each group that is compared, by its name."""
    if not n_graphs:
        raise InputError("there are no graphs to compare", remedy="pass at least two graphs of each group")
    classes, numbers = number_classes(y, n_graphs)
    known = {name: np.flatnonzero(numbers == number) for number, name in enumerate(classes.tolist())}
    members = known if groups is None else _choose(known, groups)
    if len(members) < 2:
        only = ", ".join(map(class_name, members))
        problem = f"there is only one group, {only}" if groups is None else f"{{}} has only one name, {only}"
        options = [] if groups is None else [Option("groups")]
        raise InputError(problem, remedy="compare two groups or more", options=options)
    for name, positions in members.items():
        if len(positions) < 2:
            problem = f"the group {class_name(name)} has only one graph, but distances within it need two"
            options = [Option("groups")]
            raise InputError(problem, remedy="add a graph to it, or choose other {}", options=options)
    return members


def _choose(known: dict[Any, IntArray], groups: Sequence[Any]) -> dict[Any, IntArray]:
    """Return the graphs of some groups, in this order."""
    if isinstance(groups, str) or not np.iterable(groups):
        problem = f"{{}} must be the names of two groups or more, got {groups!r}"
        raise InputTypeError(problem, remedy="pass a list of them", options=[Option("groups")])
    names = [name.item() if isinstance(name, np.generic) else name for name in groups]
    for name in names:
        if name not in known:
            listed = ", ".join(map(class_name, known))
            remedy = did_you_mean(name, [each for each in known if isinstance(each, str)])
            problem = f"no graph belongs to {class_name(name)} of {{}}"
            raise InputError(problem, remedy=remedy or f"choose from {listed}", options=[Option("groups")])
    if len(set(names)) < len(names):
        raise InputError(f"{{}} has a name twice: {names}", remedy="name each once", options=[Option("groups")])
    return {name: known[name] for name in names}


def _blocks(members: dict[Any, IntArray]) -> dict[tuple[Any, Any], Block]:
    """Return the pairs of graphs between all groups and within each, by the names of the groups.

    Graphs are numbered among those of all groups, one group after the other.
    """
    ends = np.cumsum([len(positions) for positions in members.values()])
    own = {name: np.arange(end - len(members[name]), end) for name, end in zip(members, ends.tolist(), strict=True)}
    return {(a, b): Block(own[a], own[b]) for a, b in itertools.combinations_with_replacement(members, 2)}


def _test(distances: NDArray[Any], block: Block, permutations: int, rng: np.random.Generator) -> EnergyTest:
    """Test whether two groups differ."""
    both = np.concatenate([block.first, block.second])
    is_first = np.arange(len(both)) < len(block.first)
    return energy_test(distances[np.ix_(both, both)], is_first, permutations, rng)
