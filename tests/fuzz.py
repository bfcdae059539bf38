"""Compare the exact solver with POT on pairs of graphs that are made to be hard.

    python tests/fuzz.py --pairs 200000 --seed 0

Points coincide, tie, lie on a line or in far clusters; graphs share an outlier, have nearly equal weights or very
different ones, and all are scaled by up to 10^9 either way. The exit code is 1 if a distance is wrong: not within 1e-9
of POT's, relative to the distance and to a millionth of the largest ground cost. Those with a shared outlier are
compared with what POT finds without it, since POT's tolerance grows with the largest cost.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import ot
from scipy.spatial.distance import cdist

import wassergraph as wg
from made_metrics import with_metric

Points = np.ndarray
#: So many graphs on either side make a round.
SIDE = 12
#: Sizes of graphs, by turns: very small ones, those of molecules, some around 64, where the solver changes its data
#: structure for two of them, and larger ones.
SIZES = ((1, 5), (6, 30), (6, 30), (6, 30), (58, 72), (100, 160))
#: How much a distance may differ, relative to itself and to this share of the largest ground cost.
TOLERANCE, FLOOR = 1e-9, 1e-6


@dataclass
class Cloud:
    """The points of a graph and their weights; ``outlier`` says that the last one is far away from all others."""

    points: Points
    weights: np.ndarray | None = None
    outlier: bool = False

    @property
    def shares(self) -> np.ndarray:
        """The masses of the nodes."""
        weights = np.ones(len(self.points)) if self.weights is None else self.weights
        return weights / weights.sum()

    def without_outlier(self) -> Cloud:
        """Return the cloud without its last point."""
        return Cloud(self.points[:-1], None if self.weights is None else self.weights[:-1])


@dataclass
class Tally:
    """What was compared so far."""

    pairs: int = 0
    wrong: list[str] = field(default_factory=list)
    families: Counter[str] = field(default_factory=Counter)


def gaussian(random: np.random.Generator, n: int, dim: int) -> Points:
    return random.standard_normal((n, dim))


def ties(random: np.random.Generator, n: int, dim: int) -> Points:
    return random.integers(0, 3, size=(n, dim)).astype(np.float64)


def duplicates(random: np.random.Generator, n: int, dim: int) -> Points:
    return random.standard_normal((max(n // 4, 1), dim))[random.integers(0, max(n // 4, 1), size=n)]


def nearly_equal(random: np.random.Generator, n: int, dim: int) -> Points:
    return ties(random, n, dim) + 1e-13 * random.standard_normal((n, dim))


def collinear(random: np.random.Generator, n: int, dim: int) -> Points:
    return np.outer(random.integers(0, 9, size=n), np.arange(1.0, dim + 1))


def clusters(random: np.random.Generator, n: int, dim: int) -> Points:
    return 1e4 * random.integers(0, 3, size=(n, 1)) + random.standard_normal((n, dim))


FAMILIES: tuple[Callable[[np.random.Generator, int, int], Points], ...] = (
    gaussian,
    ties,
    duplicates,
    nearly_equal,
    collinear,
    clusters,
)


def weigh(random: np.random.Generator, n: int) -> np.ndarray:
    """Draw weights: nearly equal, or over six orders of magnitude."""
    return 1.0 + 1e-9 * random.random(n) if random.random() < 0.3 else 10.0 ** random.uniform(-6, 0, size=n)


def draw(random: np.random.Generator) -> tuple[str, list[Cloud], list[Cloud]]:
    """Draw the graphs of both sides of a round, and say of which kind they are."""
    family, dim = FAMILIES[random.integers(len(FAMILIES))], int(random.integers(2, 9))
    scale, weighted = 10.0 ** random.uniform(-9, 9), random.random() < 0.3
    low, high = SIZES[random.integers(len(SIZES))]
    outlier = not weighted and random.random() < 0.2
    common = int(random.integers(low, high + 1))

    def cloud() -> Cloud:
        n = common if outlier or random.random() < 0.2 else int(random.integers(low, high + 1))
        points = family(random, n, dim)
        if outlier:
            points = np.concatenate([points, np.full((1, dim), 1e9)])
        return Cloud(scale * points, weigh(random, n) if weighted else None, outlier)

    left, right = [cloud() for _ in range(SIDE)], [cloud() for _ in range(SIDE)]
    if random.random() < 0.3:  # a copy in another order, at distance 0
        order = np.arange(len(left[0].points))
        order[: common if outlier else None] = random.permutation(order[: common if outlier else None])
        weights = None if left[0].weights is None else left[0].weights[order]
        right[0] = Cloud(left[0].points[order], weights, outlier)
    names = [family.__name__, *["weights"] * weighted, *["outlier"] * outlier]
    return "+".join(names), left, right


def ours(left: list[Cloud], right: list[Cloud]) -> np.ndarray:
    """Compute all distances with the package, of graphs without edges at depth 0."""

    def graphs(clouds: list[Cloud]) -> wg.GraphBatch:
        attributes = [cloud.points for cloud in clouds]
        return wg.from_edges([[] for _ in clouds], n_nodes=[len(x) for x in attributes], node_attributes=attributes)

    def weights(clouds: list[Cloud]) -> np.ndarray | None:
        return None if clouds[0].weights is None else np.concatenate([cloud.shares for cloud in clouds])

    given = {} if weights(left) is None else {"weights": weights(left), "other_weights": weights(right)}
    return np.asarray(
        wg.distances(
            graphs(left), graphs(right), **with_metric(depth=0, kind="continuous", standardize=False, **given), n_jobs=1
        )
    )


def theirs(one: Cloud, two: Cloud) -> tuple[float, float]:
    """Return POT's distance, and the largest ground cost that it depends on."""
    if one.outlier:
        distance, largest = theirs(one.without_outlier(), two.without_outlier())
        return distance * (1 - 1 / len(one.points)), largest
    costs = cdist(one.points, two.points)
    largest = float(costs.max()) or 1.0
    return largest * float(ot.emd2(one.shares, two.shares, costs / largest, numItermax=10**7)), largest


def compare(random: np.random.Generator, tally: Tally) -> None:
    """Compare one round."""
    name, left, right = draw(random)
    distances = ours(left, right)
    for i, one in enumerate(left):
        for j, two in enumerate(right):
            expected, largest = theirs(one, two)
            if not abs(distances[i, j] - expected) <= TOLERANCE * max(expected, FLOOR * largest):
                sizes = f"{len(one.points)} and {len(two.points)} nodes"
                tally.wrong.append(f"{name}, {sizes}: {distances[i, j]!r} instead of {expected!r}")
    tally.pairs += SIDE * SIDE
    tally.families[name] += SIDE * SIDE


def fuzz(pairs: int, seed: int) -> Tally:
    """Compare rounds until there are at least so many pairs."""
    random, tally = np.random.default_rng(seed), Tally()
    while tally.pairs < pairs:
        compare(random, tally)
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=200_000, metavar="N", help="how many pairs (default: 200,000)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the seed of the graphs (default: 0)")
    options = parser.parse_args()
    begin = time.monotonic()
    tally = fuzz(options.pairs, options.seed)
    for name, number in sorted(tally.families.items()):
        print(f"{number:>8,} {name}")
    for line in tally.wrong[:20]:
        print(f"WRONG: {line}")
    minutes = (time.monotonic() - begin) / 60
    print(f"{tally.pairs:,} pairs, {len(tally.wrong)} wrong, {minutes:.1f} minutes")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
