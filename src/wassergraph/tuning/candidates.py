"""The matrices that a search chooses from.

    metrics ──▶ families ──embeddings──▶ distances ──make_candidates──▶ matrices, schemes and parameters ──▶ selection

A family is one way to embed graphs; its scheme is what that learned from the graphs. Matrices that differ from the
distances by a size term or a power are computed only where they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product, takewhile
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
from sklearn.base import clone

from wassergraph.arrays import FloatArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learners.matrices import DerivedMatrix, median_distance
from wassergraph.metrics.decisions import candidate_masses
from wassergraph.metrics.scheme import Scheme
from wassergraph.metrics.wwl import WWL
from wassergraph.tuning.grid import DEPTHS, depth_values, is_auto

#: What models try for the ``size_weight`` "auto".
SIZE_SHARES = (0.0, 0.3)
#: What models try for the weight of columns.
COLUMN_SHARES = (0.0, 0.3, 1.0, 3.0)
#: What Gaussian processes try, which learn the weight from there.
LEARNED_SHARES = (0.0, 0.3, 1.0)


@dataclass(frozen=True)
class Family:
    """One way to embed graphs, whose distances are computed once for all depths.

    Attributes
    ----------
    scheme : Scheme
        The embedding.
    parameters : dict
        What distinguishes it from other families, for people to read.
    depths : tuple of int
        The depths to choose from.
    size_shares : tuple of float
        The weights of the size term to choose from, relative to the distances: with the share s, the median of the
        term is s times that of the distances. Where most sizes are equal it is the mean; if all are, there is no term.
    preferred : bool
        Whether its matrices without a size term are chosen unless others are better by a lead.
    column_shares : tuple of float
        The same as the shares of sizes for columns beside the graphs, if there are any.
    """

    scheme: Scheme
    parameters: Mapping[str, Any]
    depths: tuple[int, ...]
    size_shares: tuple[float, ...] = (0.0,)
    preferred: bool = False
    column_shares: tuple[float, ...] = (0.0,)

    def beside_columns(self, *, learned: bool) -> Family:
        """Return the family for graphs with columns, whose weight is chosen, or learned by a Gaussian process."""
        return replace(self, column_shares=LEARNED_SHARES if learned else COLUMN_SHARES)


def depths_of(metric: WWL) -> tuple[int, ...]:
    """Return the depths of a metric to choose from, sorted."""
    return depth_values(DEPTHS if is_auto(metric.depth) else metric.depth)


def families_of(
    metrics: Sequence[WWL], graphs: GraphBatch, *, shown: Callable[[str], bool] | None = None, preferred: bool = False
) -> list[Family]:
    """Return the ways to embed graphs that metrics describe, one for each mass of each metric.

    Parameters
    ----------
    metrics : sequence of WWL
        The metrics.
    graphs : GraphBatch
        The graphs that they learn from.
    shown : callable, optional
        Whether people see a parameter of this name; by default they see those in which families differ.
    preferred : bool
        Whether those of the first metric are preferred.

    Returns
    -------
    list of Family
    """
    ways = [(metric, mass) for metric in metrics for mass in candidate_masses(graphs, metric.mass)]
    schemes = [clone(metric).set_params(mass=mass).learn(graphs) for metric, mass in ways]
    return [
        Family(
            scheme,
            parameters,
            depths_of(metric),
            SIZE_SHARES if is_auto(metric.size_weight) else (0.0,),
            preferred and metric is metrics[0],
        )
        for (metric, _), scheme, parameters in zip(ways, schemes, _distinguish(schemes, shown), strict=True)
    ]


def _distinguish(schemes: Sequence[Scheme], shown: Callable[[str], bool] | None) -> list[dict[str, Any]]:
    """Return the parameters of schemes that people see; the number of the scheme, too, if they are the same."""
    every = [scheme.choices() for scheme in schemes]
    differ = shown or (lambda name: len({parameters[name] for parameters in every}) > 1)
    found = [{name: parameters[name] for name in filter(differ, parameters)} for parameters in every]
    if any(found.count(parameters) > 1 for parameters in found) and len(found) > 1:
        return [{"metric": number, **parameters} for number, parameters in enumerate(found)]
    return found


class Origin(NamedTuple):
    """Where a matrix comes from: the number of its family, the shares of what is added, and the depth."""

    family: int
    size_share: float
    depth: int
    column_share: float = 0.0


class ChosenMatrix(NamedTuple):
    """What a search chose.

    Attributes
    ----------
    matrix : DerivedMatrix
        The matrix of the training graphs.
    scheme : Scheme
        How graphs are embedded for it.
    origin : Origin
        Where it comes from.
    """

    matrix: DerivedMatrix
    scheme: Scheme
    origin: Origin

    def of_graphs(self, distances: NDArray[Any], graphs: GraphBatch, columns: FloatArray | None = None) -> ChosenMatrix:
        """Return the same for other graphs, with their distances and those of their columns (N, N)."""
        changed = replace(self.matrix, distances=distances, log_sizes=_log_sizes(graphs), columns=columns)
        return self._replace(matrix=changed)


class Candidates(NamedTuple):
    """The matrices that a search chooses from.

    Attributes
    ----------
    matrices : list of DerivedMatrix
        The matrices.
    schemes : list of Scheme
        How graphs are embedded for each of them, with the size term.
    parameters : list of dict
        The parameters of each.
    n_simple : int
        How many of them, from the first on, are the first form of preferred families.
    origins : list of Origin
        Where each comes from.
    """

    matrices: list[DerivedMatrix]
    schemes: list[Scheme]
    parameters: list[dict[str, Any]]
    n_simple: int
    origins: list[Origin]

    @property
    def definite(self) -> bool:
        """Whether all matrices are known to make positive definite kernels."""
        return all(matrix.definite for matrix in self.matrices)

    def chosen(self, number: int) -> ChosenMatrix:
        """Return one of the matrices with its scheme."""
        return ChosenMatrix(self.matrices[number], self.schemes[number], self.origins[number])

    def take(self, numbers: Sequence[int]) -> Candidates:
        """Return some of the matrices, by increasing numbers."""
        n_simple = sum(number < self.n_simple for number in numbers)
        return Candidates(
            [self.matrices[number] for number in numbers],
            [self.schemes[number] for number in numbers],
            [self.parameters[number] for number in numbers],
            n_simple,
            [self.origins[number] for number in numbers],
        )

    def medians(self) -> tuple[float, ...]:
        """Return the median of each matrix."""
        return tuple(map(median_distance, self.matrices))


def make_candidates(
    families: Sequence[Family],
    stacks: Sequence[NDArray[Any]],
    graphs: GraphBatch,
    *,
    powers: tuple[float, ...] = (1.0,),
    columns: FloatArray | None = None,
) -> Candidates:
    """Return the matrices to choose from, the first family first.

    Parameters
    ----------
    families : sequence of Family
        The families.
    stacks : sequence of (n_depths, N, N) floats
        The distances of every family, for its depths.
    graphs : GraphBatch
        The N graphs.
    powers : tuple of float
        The powers of the distances; 1, the paper's, comes first.
    columns : (N, N) floats, optional
        The distances between the columns of the graphs, for families that have shares of these.

    Returns
    -------
    Candidates
    """
    log_sizes = _log_sizes(graphs)
    weighted = any(any(family.size_shares) for family in families)
    differences = _typical_difference(log_sizes) if weighted else 0.0
    apart = 0.0 if columns is None else _typical(columns[np.triu_indices(len(columns), 1)])
    powers = tuple(sorted(powers, key=lambda power: (power != 1, power)))
    candidates = Candidates([], [], [], count_matrices(families, powers).simple, [])
    for number, (family, given) in enumerate(zip(families, stacks, strict=True)):
        stack = np.ascontiguousarray(given, None if given.dtype in (np.float32, np.float64) else np.float64)
        definite = family.scheme.kind == "categorical"
        weighed = any(family.size_shares) or any(family.column_shares)
        medians = [median_distance(distances) if weighed else 0.0 for distances in stack]
        ways = product(family.size_shares if differences else (0.0,), powers, family.column_shares if apart else (0.0,))
        depths = list(zip(family.depths, stack, medians, strict=True))
        for (share, power, column_share), (depth, distances, median) in product(ways, depths):
            weight, column_weight = _weight(share, median, differences), _weight(column_share, median, apart)
            terms = log_sizes, weight, power, definite and power <= 1, columns, column_weight
            candidates.matrices.append(DerivedMatrix(distances, *terms))
            candidates.schemes.append(replace(family.scheme, size_weight=family.scheme.size_weight + weight))
            sizes = {"size_weight": weight} if share else {}
            beside = {"column_weight": column_weight} if columns is not None else {}
            exponent = {} if powers == (1.0,) else {"power": power}
            candidates.parameters.append({**family.parameters, **sizes, **beside, **exponent, "depth": depth})
            candidates.origins.append(Origin(number, share, depth, column_share))
    return candidates


def _log_sizes(graphs: GraphBatch) -> FloatArray:
    return np.log(graphs.sizes.astype(np.float64))


def _weight(share: float, median: float, typical: float) -> float:
    """Return the weight of a term, by which its typical value is a share of the median distance."""
    return float(f"{share * median / typical:.6g}") if share else 0.0


class Counts(NamedTuple):
    """How many matrices there are to choose from.

    Attributes
    ----------
    stored : int
        Matrices of distances; those with a size term, or a power, are computed from these.
    matrices : int
        All matrices.
    indefinite : int
        Those whose kernels are not known to be positive definite.
    simple : int
        Those that are, from the first on, the first form of preferred families.
    """

    stored: int
    matrices: int
    indefinite: int
    simple: int


def count_matrices(families: Sequence[Family], powers: Sequence[float] = (1.0,)) -> Counts:
    """Count the matrices of families, before any is computed; if all sizes are equal, those with a size term, too."""
    stored = [len(family.depths) for family in families]
    each = [
        n * len(family.size_shares) * len(family.column_shares) * len(powers)
        for n, family in zip(stored, families, strict=True)
    ]
    definite = [family.scheme.kind == "categorical" and max(powers) <= 1 for family in families]
    indefinite = sum(n for n, known in zip(each, definite, strict=True) if not known)
    return Counts(sum(stored), sum(each), indefinite, _count_preferred(families, len(powers)))


def _count_preferred(families: Sequence[Family], n_powers: int) -> int:
    """Return how many matrices, from the first on, are the first form of preferred families."""
    number = 0
    for family in takewhile(attrgetter("preferred"), families):
        number += len(family.depths) * len(family.column_shares) if family.size_shares[0] == 0 else 0
        if len(family.size_shares) * n_powers > 1:
            break
    return number


def _typical_difference(values: FloatArray) -> float:
    """Return the median difference of two values; where most are equal the mean, and 0 if all are."""
    return _typical(pdist(values[:, None], "cityblock"))


def _typical(differences: FloatArray) -> float:
    """Return the median of differences; where most are 0 the mean."""
    return float(np.median(differences) or differences.mean()) if len(differences) else 0.0
