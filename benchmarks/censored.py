"""Compare what may be done with values that are bounds, such as ">10", where the truth is known.

    .venv/bin/python benchmarks/censored.py [--seeds N] [--training N] [--tests N] [--save]

Numbers of molecules are drawn from a Gaussian process: a latent function f with the covariance exp(-gamma D) of real
molecules, gamma being 1 divided by the median distance, and noise of a tenth of the variance of f. Some of the training
numbers are censored: those above a threshold, or outside of two, of which only the bound is kept. Gaussian processes
are fitted to what is left (drop), to bounds as if they were measured (value), to the likelihood of bounds (likelihood)
and, for comparison, to the numbers before they were censored (all known). The table has the root mean squared error of
f on test molecules, a mean over draws, and minus the logarithm of the predicted density of f (NLPD), a mean over test
molecules and the median over draws, since the noise is estimated as nearly nothing in some draws, by all methods. Less
is better in both; the standard deviation of f is 1. Then the same with measured numbers in place of drawn ones, with
which the noise of tests is unknown and predicted, too. The last column is the processor time of fits to the likelihood,
divided by that of fits with bounds as numbers. `--save` writes the tables into RESULTS.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

import wassergraph as wg
from regression import TABLES
from reporting import circumstances, markdown, save, times
from wassergraph.arrays import FloatArray, IntArray
from wassergraph.learners.censored import fit_censored
from wassergraph.learners.gaussian import Process, fit_process

METRIC = wg.WWL(depth=2, kind="categorical", mass="count")
NOISE = 0.1
#: The share of numbers that are censored, and on which sides.
CENSORED = {
    "20% above": (0.0, 0.8),
    "40% above": (0.0, 0.6),
    "15% below and above": (0.15, 0.85),
}
METHODS = ("all known", "drop", "value", "likelihood")
PACKAGES = ("wassergraph", "rdkit", "numpy", "scipy")
#: Fits to distances, numbers or bounds, and which are bounds.
Fit = Callable[[FloatArray, FloatArray, IntArray], Process]


class Draw(NamedTuple):
    """Molecules with numbers: distances, what is measured, what tests are compared with, and whether that has noise."""

    distances: FloatArray
    measured: FloatArray
    truth: FloatArray
    noisy: bool


def censor(measured: FloatArray, shares: tuple[float, float]) -> tuple[FloatArray, IntArray]:
    """Return numbers or bounds, and which are bounds: of the lowest and the highest ones."""
    low, high = np.quantile(measured, shares)
    sides = (measured > high).astype(np.int64) - ((measured < low) & (shares[0] > 0)).astype(np.int64)
    return np.where(sides > 0, high, np.where(sides < 0, low, measured)), sides


def predict(method: str, draw: Draw, shares: tuple[float, float], n: int) -> FloatArray:
    """Return RMSE and NLPD of tests, which are all graphs but the first n, and the processor time of the fit."""
    bounded, sides = censor(draw.measured[:n], shares)
    numbers = draw.measured[:n] if method == "all known" else bounded
    used = np.flatnonzero(sides == 0) if method == "drop" else np.arange(n)
    block, start = draw.distances[np.ix_(used, used)], time.process_time()
    process = fit_censored(block, numbers, sides) if method == "likelihood" else fit_process(block, numbers[used])
    seconds = time.process_time() - start
    mean, deviation = process.predict(draw.distances[n:, used])
    variance = deviation**2 - (0.0 if draw.noisy else process.noise)
    error = draw.truth[n:] - mean
    densities = -0.5 * (np.log(2 * np.pi * variance) + error**2 / variance)
    return np.array([np.sqrt(np.mean(error**2)), -np.mean(densities), seconds])


def molecules(name: str) -> tuple[FloatArray, FloatArray | None]:
    """Return the distances between the molecules of a source, and measured numbers if there are any."""
    if name == "drugs":
        graphs, measured = wg.datasets.load_drugs().graphs, None
    else:
        smiles, measured = TABLES[name].load()
        graphs = wg.from_smiles(smiles)
    return wg.distances(graphs, metric=METRIC), measured


def draws(name: str, real: bool, n: int, seeds: int) -> Iterator[Draw]:
    """Yield graphs in a random order, with numbers that are measured, or drawn from the process."""
    distances, measured = molecules(name)
    gamma = 1 / float(np.median(distances[np.triu_indices(len(distances), 1)]))
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        chosen = random.permutation(len(distances))[:n]
        block = distances[np.ix_(chosen, chosen)]
        if real:
            assert measured is not None
            yield Draw(block, measured[chosen], measured[chosen], True)
            continue
        covariance = np.exp(-gamma * block) + 1e-10 * np.eye(len(chosen))
        latent = np.linalg.cholesky(covariance) @ random.standard_normal(len(chosen))
        yield Draw(block, latent + np.sqrt(NOISE) * random.standard_normal(len(chosen)), latent, False)


def compare(name: str, real: bool, options: argparse.Namespace) -> list[list[str]]:
    """Return the lines of a table: for each way to censor, and each method, the means over seeds."""
    made = list(draws(name, real, options.training + options.tests, options.seeds))
    n, lines = min(options.training, 2 * len(made[0].distances) // 3), []
    for label, shares in CENSORED.items():
        scores = {m: np.array([predict(m, each, shares, n) for each in made]) for m in METHODS}
        best = sum(scores["likelihood"][:, 1] < np.minimum(scores["drop"], scores["value"])[:, 1])
        cells = [f"{np.mean(scores[m][:, 0]):.3f}" for m in METHODS]
        cells += [f"{np.median(scores[m][:, 1]):.2f}" for m in METHODS]
        ratio = scores["likelihood"][:, 2].sum() / scores["value"][:, 2].sum()
        lines.append([f"{name}, {label}", *cells, f"{best} of {len(made)}", times(ratio)])
        print(" ".join(lines[-1]), flush=True)
    return lines


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20, metavar="N", help="number of draws (default: 20)")
    parser.add_argument("--training", type=int, default=200, metavar="N", help="training molecules (default: 200)")
    parser.add_argument("--tests", type=int, default=300, metavar="N", help="test molecules (default: 300)")
    parser.add_argument("--save", action="store_true", help="write the tables into RESULTS.md")
    options = parser.parse_args()
    columns = ["molecules", *(f"{score}, {m}" for score in ("RMSE", "NLPD") for m in METHODS), "best NLPD", "time"]
    with threadpool_limits(1):
        drawn = [line for name in ("drugs", "ESOL") for line in compare(name, False, options)]
        measured = [line for name in ("ESOL", "Lipophilicity") for line in compare(name, True, options)]
    parts = [
        f"Means over {options.seeds} draws of up to {options.training} training and {options.tests} test molecules. "
        "Drawn numbers, errors of the latent function, whose standard deviation is 1:",
        markdown(columns, drawn),
        "Measured numbers, errors of these:",
        markdown(columns, measured),
        circumstances(PACKAGES),
    ]
    print("\n\n".join(parts))
    if options.save:
        save("## Censored values", "\n\n".join(parts))


if __name__ == "__main__":
    main()
