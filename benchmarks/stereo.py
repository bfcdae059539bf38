"""Compare stereo="use" with stereo="ignore" by nested selection on real tables: the table of docs/molecules.md.

    .venv/bin/python benchmarks/stereo.py [NAME …]

The tables are those of `../shared/molecules` and `../shared/benchmarks/moleculeace`; of large ones, 800 molecules are
drawn with a fixed seed. Numbers are predicted by kernel ridge regression on exp(-gamma D). In each of five outer folds,
three times, the depth, the way to compare graphs, gamma and the strength of regularization are chosen by leave-one-out
on the training part, for both values of `stereo`; "chosen" takes the value that was better there. A line of Markdown is
printed for each table.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rdkit import RDLogger
from sklearn.model_selection import KFold

import wassergraph as wg

SHARED = Path(__file__).resolve().parents[2] / "shared"
#: The folder of each table, its name, its column of SMILES, and its target.
TABLES = {
    "BACE": ("molecules/BACE.csv", "smiles", "pIC50"),
    "CHEMBL4616_EC50": ("benchmarks/moleculeace/CHEMBL4616_EC50.csv", "smiles", "y"),
    "CHEMBL237_EC50": ("benchmarks/moleculeace/CHEMBL237_EC50.csv", "smiles", "y"),
    "CHEMBL2034_Ki": ("benchmarks/moleculeace/CHEMBL2034_Ki.csv", "smiles", "y"),
    "Lipophilicity": ("molecules/Lipophilicity.csv", "smiles", "exp"),
    "FreeSolv": ("molecules/FreeSolv.csv", "smiles", "expt"),
}
DEPTHS, GAMMAS, ALPHAS = (1, 2, 3, 4), (0.25, 0.5, 1.0, 2.0), 10.0 ** np.arange(-4, 1.1, 0.5)
#: Kinds and masses to choose from.
WAYS = (("categorical", "share"), ("categorical", "count"), ("joint", "share"))
MOLECULES, REPETITIONS = 800, 3


class Candidate(NamedTuple):
    """What was chosen, with its mean squared error in leave-one-out, and the unit of gamma."""

    error: float
    gamma: float
    alpha: float
    median: float
    matrix: int


def read_molecules(name: str) -> tuple[wg.GraphBatch, NDArray[np.float64]]:
    """Return molecules of a table, and their target."""
    file, smiles, target = TABLES[name]
    with (SHARED / file).open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    drawn = np.sort(np.random.default_rng(0).permutation(len(rows))[:MOLECULES])
    texts = [rows[row][smiles] for row in drawn]
    graphs, positions = wg.from_smiles(texts, invalid="skip", return_positions=True)
    return graphs, np.array([float(rows[drawn[position]][target]) for position in positions])


def matrices_of(graphs: wg.GraphBatch, stereo: Any) -> NDArray[np.float64]:
    """Return the distances for every way to compare graphs, and every depth."""
    ways = (wg.WWL(DEPTHS, kind=kind, mass=mass, stereo=stereo) for kind, mass in WAYS)  # type: ignore[arg-type]
    return np.concatenate([wg.distances(graphs, metric=way) for way in ways])


def choose(matrices: NDArray[np.float64], train: NDArray[np.int64], y: NDArray[np.float64]) -> Candidate:
    """Return the best candidate in leave-one-out, from one eigendecomposition for all strengths of regularization."""
    found, centered = [], y[train] - y[train].mean()
    for number, matrix in enumerate(matrices):
        distances = matrix[np.ix_(train, train)]
        median = float(np.median(distances[np.triu_indices(len(train), 1)])) or 1.0
        for gamma in GAMMAS:
            values, vectors = np.linalg.eigh(np.exp(-gamma * distances / median))
            turned, squares = vectors.T @ centered, vectors**2
            for alpha in ALPHAS:
                inverse = 1 / (np.maximum(values, 0) + alpha)
                left_out = (vectors @ (inverse * turned)) / (squares @ inverse)
                found.append(Candidate(float(np.mean(left_out**2)), gamma, alpha, median, number))
    return min(found)


def test_error(
    matrix: NDArray[np.float64],
    chosen: Candidate,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    y: NDArray[np.float64],
) -> float:
    """Return the root mean squared error on the test part of what was chosen on the training part."""
    kernel = np.exp(-chosen.gamma * matrix / chosen.median)
    mean = y[train].mean()
    weights = np.linalg.solve(kernel[np.ix_(train, train)] + chosen.alpha * np.eye(len(train)), y[train] - mean)
    return float(np.sqrt(np.mean((mean + kernel[np.ix_(test, train)] @ weights - y[test]) ** 2)))


def compare(name: str) -> str:
    """Return the line of a table."""
    graphs, y = read_molecules(name)
    marked = np.zeros(0, dtype=int) if graphs.node_stereo is None else np.flatnonzero(graphs.node_stereo)
    n_marked = len(np.unique(graphs.graph_of_node[marked]))
    matrices = {stereo: matrices_of(graphs, stereo) for stereo in ("ignore", "use")}
    errors: dict[str, list[float]] = {"ignore": [], "use": [], "chosen": []}
    for repetition in range(REPETITIONS):
        for train, test in KFold(5, shuffle=True, random_state=repetition).split(y):
            best = {stereo: choose(each, train, y) for stereo, each in matrices.items()}
            for stereo, chosen in best.items():
                errors[stereo].append(test_error(matrices[stereo][chosen.matrix], chosen, train, test, y))
            errors["chosen"].append(errors[min(best, key=lambda stereo: best[stereo].error)][-1])
    better = sum(use < ignore for use, ignore in zip(errors["use"], errors["ignore"], strict=True))
    means = " | ".join(f"{np.mean(values):.3f}" for values in errors.values())
    return f"| {name} | {n_marked} of {len(y)} | {means} | {better} of {len(errors['use'])} |"


if __name__ == "__main__":
    RDLogger.DisableLog("rdApp.*")  # type: ignore[attr-defined]
    for table in sys.argv[1:] or TABLES:
        print(compare(table), flush=True)
