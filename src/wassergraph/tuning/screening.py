"""Screening: which of many ways to compare graphs are worth computing for all of them.

    many graphs ──a sample──▶ distances of every family ──scores──▶ the few best matrices ──▶ distances of all graphs

The sample, and what it decides, depend on the graphs, their targets and a seed, never on running times. Models screen
once, evaluations for every outer fold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, Fold, IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learners.effort import mean_scores
from wassergraph.learners.protocol import TargetArray
from wassergraph.metrics.embed import embed_all
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.pairwise.api import embedding_distances
from wassergraph.parallel.stages import next_part
from wassergraph.parallel.stages import part as share_of_bar
from wassergraph.tuning.candidates import Candidates, Family, count_matrices, make_candidates
from wassergraph.tuning.folds import FoldSeed, restrict_folds
from wassergraph.tuning.grid import GridScores
from wassergraph.tuning.wide import SCREENED_ABOVE

#: The number of graphs that ways are compared on, if there are many.
SAMPLE = 500
#: The most matrices that are computed for all graphs.
KEPT = 6
#: The share of a screening that its distances take, about.
_DISTANCES = 0.5


class EmbeddedFamily(NamedTuple):
    """Graphs embedded in one way.

    Attributes
    ----------
    family : Family
        The way, with the scheme that the embedding led to.
    embedding : NodeEmbedding
        The embedded graphs.
    """

    family: Family
    embedding: NodeEmbedding

    def distances(self, part: IntArray | None = None, *, n_jobs: int | None, progress: bool) -> NDArray[np.floating]:
        """Compute the distances between all graphs, or between those of a part, for the depths of the family."""
        embedding = self.embedding if part is None else self.embedding.take(part)
        return embedding_distances(embedding, depths=self.family.depths, n_jobs=n_jobs, progress=progress)

    def take(self, part: IntArray) -> EmbeddedFamily:
        """Return a part of the graphs, embedded in this way."""
        return self._replace(embedding=self.embedding.take(part))


#: Returns the distances of a family, for its depths.
FamilyDistances: TypeAlias = Callable[[EmbeddedFamily], NDArray[Any]]


def embed_families(families: Sequence[Family], graphs: GraphBatch) -> list[EmbeddedFamily]:
    """Embed graphs in every way."""
    embedded = []
    for family in families:
        scheme, (embedding,) = embed_all(family.scheme, [graphs], max(family.depths), [None])
        embedded.append(EmbeddedFamily(replace(family, scheme=scheme), embedding))
    return embedded


def compute_candidates(
    embedded: Sequence[EmbeddedFamily],
    graphs: GraphBatch,
    compute: FamilyDistances,
    *,
    powers: tuple[float, ...] = (1.0,),
    columns: FloatArray | None = None,
) -> Candidates:
    """Compute the distances of every family, each of which is a part of the bar, and return the matrices.

    Parameters
    ----------
    embedded : sequence of EmbeddedFamily
        The families.
    graphs : GraphBatch
        The graphs that are compared: all, or a sample.
    compute : callable
        Returns the distances of a family between these graphs.
    powers, columns
        As in :func:`wassergraph.tuning.candidates.make_candidates`.

    Returns
    -------
    Candidates
    """
    stacks = []
    for each in embedded:
        with next_part(1 / len(embedded)):
            stacks.append(compute(each))
    return make_candidates([each.family for each in embedded], stacks, graphs, powers=powers, columns=columns)


def screen(
    embedded: Sequence[EmbeddedFamily],
    sample: GraphBatch,
    compute: FamilyDistances,
    score: Callable[[Candidates], Sequence[FloatArray]],
    *,
    powers: tuple[float, ...] = (1.0,),
    columns: FloatArray | None = None,
) -> tuple[Candidates, NDArray[np.bool_]]:
    """Compare all ways on a sample of the graphs.

    Parameters
    ----------
    embedded, sample, compute, powers, columns
        As in :func:`compute_candidates`.
    score : callable
        Returns how good each matrix is, for every choice that is made: that of a model, or one in each outer fold.

    Returns
    -------
    candidates : Candidates
        All matrices, between the graphs of the sample.
    kept : (n_choices, n_matrices) booleans
        Which of them are worth computing for all graphs, for each choice.
    """
    with share_of_bar(_DISTANCES):
        candidates = compute_candidates(embedded, sample, compute, powers=powers, columns=columns)
    with share_of_bar(1 - _DISTANCES):
        scores = score(candidates)
    return candidates, np.array([worth_computing(each, candidates) for each in scores])


def sample_random(random_state: FoldSeed) -> np.random.RandomState:
    """Return the random numbers of a sample: others than those that shuffle folds with the same seed."""
    if isinstance(random_state, np.random.RandomState):
        return random_state
    seed = np.random.SeedSequence([random_state or 0, SAMPLE]).generate_state(1)
    return np.random.RandomState(seed)


def draw_sample(targets: TargetArray, among: IntArray, size: int, random: np.random.RandomState) -> IntArray:
    """Return the positions of a random sample; rare classes are drawn as often as the others, as far as they reach.

    Parameters
    ----------
    targets : (N) array
        The classes, numbered from 0, or numbers.
    among : (n) integers
        The positions to draw from.
    size : int
        The number of positions to draw; fewer if there are fewer.
    random : RandomState
        The random numbers.

    Returns
    -------
    (size) integers
        Positions in increasing order.

    Examples
    --------
    >>> classes = np.array([0] * 90 + [1] * 10)
    >>> np.bincount(classes[draw_sample(classes, np.arange(100), 40, np.random.RandomState(0))])
    array([30, 10])
    """
    order = random.permutation(among)
    if targets.dtype.kind in "iu":
        classes = targets[order]
        rank = np.empty(len(order), dtype=np.int64)  # the first of every class, then the second of every class, …
        for each in np.unique(classes):
            rank[classes == each] = np.arange(np.count_nonzero(classes == each))
        order = order[np.argsort(rank, kind="stable")]
    return np.sort(order[:size])


def screening_sample(
    families: Sequence[Family],
    targets: TargetArray,
    folds: Sequence[Fold],
    random_state: FoldSeed,
    *,
    among: IntArray,
    share: float = 1.0,
) -> IntArray | None:
    """Return the graphs that ways are compared on; None if all ways are computed for all graphs.

    That is so if there are few graphs or few ways, and if the sample would leave a fold without a class.

    Parameters
    ----------
    families : sequence of Family
        The ways.
    targets, among
        As in :func:`draw_sample`.
    folds : sequence of (train, test)
        The folds that ways are scored in.
    random_state : int, RandomState or None
        The seed.
    share : float
        How much of the sample is used for each choice.

    Returns
    -------
    (n) integers, or None
    """
    if len(targets) <= SCREENED_ABOVE:
        return None
    part = draw_sample(targets, among, round(SAMPLE / share), sample_random(random_state))
    is_smaller = len(part) < len(targets) and count_matrices(families).matrices > KEPT
    return part if is_smaller and can_be_screened(restrict_folds(folds, part), targets[part]) else None


def can_be_screened(folds: Sequence[Fold], targets: TargetArray) -> bool:
    """Return whether each fold of a sample has graphs to test with, and every class of the sample to learn from."""
    n_classes = len(np.unique(targets)) if targets.dtype.kind in "iu" else 1
    learned = [len(np.unique(targets[train])) >= n_classes and len(train) > 1 for train, _ in folds]
    return all(learned) and all(len(test) > 1 for _, test in folds)


def best_of_matrices(scores: GridScores) -> FloatArray:
    """Return the mean score of the best candidate of every matrix; -inf where none was solved."""
    means = mean_scores(scores.score).reshape(len(scores.grid.matrices), -1)
    return np.asarray(np.where(np.isnan(means), -np.inf, means).max(axis=1))


def worth_computing(scores: FloatArray, candidates: Candidates) -> NDArray[np.bool_]:
    """Return which matrices are worth computing for all graphs.

    The distances of labels have a closed form, so that their matrices cost almost nothing. Those of other families are
    computed only if the best matrix is one of them, and then those of its family alone.

    Parameters
    ----------
    scores : (n_matrices) floats
        How good each matrix is on the sample; higher is better.
    candidates : Candidates
        The matrices.

    Returns
    -------
    (n_matrices) booleans
    """
    order = np.argsort(-scores, kind="stable")
    families = np.array([origin.family for origin in candidates.origins])
    cheap = np.array([scheme.kind == "categorical" for scheme in candidates.schemes])
    allowed = cheap | (families == families[order[0]])
    kept = np.zeros(len(scores), dtype=np.bool_)
    kept[order[allowed[order]][:KEPT]] = True
    return kept


def keep_families(
    embedded: Sequence[EmbeddedFamily], candidates: Candidates, kept: NDArray[np.bool_]
) -> list[EmbeddedFamily]:
    """Return the families of the matrices that are kept, with their depths and size terms."""
    remaining = []
    origins = [origin for origin, is_kept in zip(candidates.origins, kept, strict=True) if is_kept]
    for number, each in enumerate(embedded):
        own = [origin for origin in origins if origin.family == number]
        if own:
            depths, sizes, beside = (
                tuple(sorted({getattr(origin, name) for origin in own}))
                for name in ("depth", "size_share", "column_share")
            )
            family = replace(each.family, depths=depths, size_shares=sizes, column_shares=beside)
            remaining.append(EmbeddedFamily(family, each.embedding))
    return remaining
