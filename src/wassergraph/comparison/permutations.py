"""A test whether two groups of graphs differ: the energy statistic of distances, and its permutations."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray

#: How many entries of splits, graphs times permutations, are in memory at a time.
_ENTRIES = 1 << 21


class Means(NamedTuple):
    """Mean distances of one split, or arrays for many: between two parts, within the first, within the second."""

    between: FloatArray
    first: FloatArray
    second: FloatArray

    @property
    def energy(self) -> FloatArray:
        """The energy statistic."""
        return 2 * self.between - self.first - self.second


class EnergyTest(NamedTuple):
    """The result of a permutation test."""

    between: float
    within: tuple[float, float]
    statistic: float
    p_value: float
    n_permutations: int
    exact: bool


def energy_test(
    distances: NDArray[Any], is_first: BoolArray, permutations: int, rng: np.random.Generator
) -> EnergyTest:
    """Test whether two groups differ.

    Parameters
    ----------
    distances : (N, N) floats
        Symmetric distances; the diagonal does not matter.
    is_first : (N) bool
        Which graphs belong to the first group. Both groups have two graphs or more.
    permutations : int
        The number of random splits; if there are no more different splits, all of them are used, each once.
    rng : numpy.random.Generator
        What draws the splits.

    Returns
    -------
    EnergyTest
    """
    # Divided by a power of two, exactly, so that sums stay in range.
    exponent = math.frexp(float(distances.max()))[1]
    scaled = np.ldexp(distances.astype(np.float64), -exponent)
    scaled = (scaled + scaled.T) / 2
    np.fill_diagonal(scaled, 0.0)
    # The mean of the larger part is a difference of sums, which is accurate for that one only.
    swapped = 2 * np.count_nonzero(is_first) > len(is_first)
    small = is_first != swapped
    observed = split_means(scaled, small[None].astype(np.float64))
    n_splits = number_of_splits(len(small), int(np.count_nonzero(small)))
    exact = n_splits <= permutations
    splits = all_splits(small) if exact else random_splits(small, permutations, rng)
    # Splits of equal statistics differ by rounding, which grows with the number of terms.
    least = observed.energy - 1e-14 * len(small) * scaled.max()
    as_large = sum(int(np.count_nonzero(split_means(scaled, chunk).energy >= least)) for chunk in splits)
    between, first, second = (float(np.ldexp(mean[0], exponent)) for mean in observed)
    return EnergyTest(
        between=between,
        within=(second, first) if swapped else (first, second),
        statistic=float(np.ldexp(observed.energy[0], exponent)),
        p_value=as_large / n_splits if exact else (1 + as_large) / (1 + permutations),
        n_permutations=n_splits if exact else permutations,
        exact=exact,
    )


def split_means(distances: FloatArray, splits: FloatArray) -> Means:
    """Compute the mean distances of splits.

    Parameters
    ----------
    distances : (N, N) floats
        Symmetric distances with the diagonal 0.
    splits : (P, N) floats
        In each row 1 for the graphs of the smaller part and 0 for the others; all rows have the same sum.

    Returns
    -------
    Means
        Of pairs of different graphs, (P) each; ``first`` is the smaller part.
    """
    n = float(splits[0].sum())
    m = len(distances) - n
    inner = np.einsum("pi,pi->p", splits @ distances, splits)
    across = splits @ distances.sum(axis=1) - inner
    outer = distances.sum() - 2 * across - inner
    return Means(across / (n * m), inner / (n * (n - 1)), outer / (m * (m - 1)))


def number_of_splits(n_graphs: int, n_first: int) -> int:
    """Return how many different splits into parts of given sizes there are; parts of equal size have no order."""
    ordered = math.comb(n_graphs, n_first)
    return ordered // 2 if 2 * n_first == n_graphs else ordered


def all_splits(small: BoolArray) -> Iterator[FloatArray]:
    """Yield all different splits into parts of the same sizes, some at a time (P, N)."""
    n_graphs, n_first = len(small), int(np.count_nonzero(small))
    if 2 * n_first == n_graphs:  # the part with the first graph is the first part
        chosen = ((0, *rest) for rest in itertools.combinations(range(1, n_graphs), n_first - 1))
    else:
        chosen = itertools.combinations(range(n_graphs), n_first)  # type: ignore[assignment]
    while block := list(itertools.islice(chosen, _at_a_time(n_graphs))):
        splits = np.zeros((len(block), n_graphs))
        np.put_along_axis(splits, np.array(block), 1.0, axis=1)
        yield splits


def random_splits(small: BoolArray, permutations: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Yield random splits into parts of the same sizes, some at a time (P, N)."""
    at_a_time = _at_a_time(len(small))
    for first in range(0, permutations, at_a_time):
        number = min(at_a_time, permutations - first)
        yield rng.permuted(np.tile(small.astype(np.float64), (number, 1)), axis=1)


def _at_a_time(n_graphs: int) -> int:
    return max(1, _ENTRIES // n_graphs)


def holm(p_values: FloatArray) -> FloatArray:
    """Adjust p values for the number of tests by Holm's method.

    The smallest of k is multiplied by k, the next by k - 1, and so on; none is larger than 1, or smaller than one
    before it. The probability that any group of equal ones is found to differ is then at most the level of the tests.

    Parameters
    ----------
    p_values : (k) floats
        The p values of k tests.

    Returns
    -------
    (k) floats
        The adjusted p values, in the same order.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p_values[order]), 1.0)
    return adjusted
