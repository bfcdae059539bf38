"""Compare one training for several targets with a training for each: the six endpoints of Fang et al., with gaps.

    .venv/bin/python benchmarks/targets.py [--variants alone together "gp, shared" …] [--save]

The table is `../shared/benchmarks/adme`, with the published split of each endpoint: the numbers of its test molecules
are gaps of the training. Errors are those of the test molecules. Times are wall times of one run, so run nothing else.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import reporting
import wassergraph as wg

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "benchmarks" / "adme"
ENDPOINTS = ("HLM", "RLM", "MDR1_ER", "Sol", "hPPB", "rPPB")
HEADING = "## Several targets"


def read_table() -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
    """Return the SMILES of all molecules, and the numbers of training and of test molecules, with gaps."""
    rows: dict[str, int] = {}
    cells: list[tuple[int, int, int, float]] = []
    for endpoint, name in enumerate(ENDPOINTS):
        for part, file in enumerate(("train", "test")):
            with (FOLDER / f"{name}_{file}.csv").open(encoding="utf-8") as table:
                for line in csv.DictReader(table):
                    row = rows.setdefault(line["smiles"], len(rows))
                    cells.append((part, row, endpoint, float(line["activity"])))
    tables = np.full((2, len(rows), len(ENDPOINTS)), np.nan)
    for part, row, endpoint, number in cells:
        tables[part, row, endpoint] = number
    return list(rows), tables[0], tables[1]


def fit_alone(smiles: list[str], train: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the predictions of a model of each endpoint alone, for all molecules."""
    predicted = np.empty(train.shape)
    graphs = wg.from_smiles(smiles)
    for endpoint in range(train.shape[1]):
        known = np.flatnonzero(~np.isnan(train[:, endpoint]))
        model = wg.GraphRegressor().fit(graphs[known], train[known, endpoint])
        predicted[:, endpoint] = model.predict(graphs)
    return predicted


def fit_together(smiles: list[str], train: NDArray[np.float64], model: Any) -> NDArray[np.float64]:
    """Return the predictions of one model of all endpoints, for all molecules."""
    predicted = model.fit(wg.from_smiles(smiles), train).predict(wg.from_smiles(smiles))
    return np.asarray(predicted)


def fit_with_descriptors(smiles: list[str], train: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the predictions of one model of all endpoints, with RDKit's descriptors as columns."""
    graphs, columns = wg.from_smiles(smiles), wg.datasets.descriptors(smiles)
    return np.asarray(wg.GraphRegressor().fit(graphs, train, columns=columns).predict(graphs, columns=columns))


LABELS = wg.WWL(depth=(1, 2, 3), kind="categorical", mass="count")
VARIANTS: Mapping[str, Callable[..., NDArray[np.float64]]] = {
    "alone": fit_alone,
    "together": lambda smiles, train: fit_together(smiles, train, wg.GraphRegressor()),
    "gp": lambda smiles, train: fit_together(smiles, train, wg.GraphGaussianProcess(LABELS)),
    "gp, shared": lambda smiles, train: fit_together(
        smiles, train, wg.GraphGaussianProcess(LABELS, share_targets=True)
    ),
    "stereo": lambda smiles, train: fit_together(smiles, train, wg.GraphRegressor(wg.WWL(stereo="use"))),
    "descriptors": fit_with_descriptors,
}


def scores(predicted: NDArray[np.float64], test: NDArray[np.float64]) -> list[tuple[float, float, float]]:
    """Return RMSE, R² and Pearson's correlation of each endpoint."""
    found = []
    for endpoint in range(test.shape[1]):
        known = ~np.isnan(test[:, endpoint])
        truth, said = test[known, endpoint], predicted[known, endpoint]
        error = float(np.mean((said - truth) ** 2))
        found.append((error**0.5, 1 - error / float(truth.var()), float(np.corrcoef(truth, said)[0, 1])))
    return found


def main() -> None:
    """Fit all variants, and print or save a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variants", nargs="+", choices=list(VARIANTS), default=list(VARIANTS))
    parser.add_argument("--save", action="store_true", help="write the table into RESULTS.md")
    options = parser.parse_args()
    smiles, train, test = read_table()
    wg.GraphRegressor(LABELS).fit(smiles[:40], np.arange(40.0))  # the first call loads libraries
    lines, seconds = [], {}
    for name in options.variants:
        begin = time.perf_counter()
        predicted = VARIANTS[name](smiles, train)
        seconds[name] = time.perf_counter() - begin
        cells = [f"{rmse:.3f} / {r2:.3f} / {pearson:.3f}" for rmse, r2, pearson in scores(predicted, test)]
        lines.append([name, *cells, reporting.duration(seconds[name])])
        print(lines[-1], flush=True)
    table = reporting.markdown(["model", *ENDPOINTS, "time"], lines)
    facts = [reporting.circumstances(["numpy", "scipy", "scikit-learn", "rdkit"]), "RMSE / R² / Pearson's correlation."]
    if {"alone", "together"} <= set(seconds):
        ratio = seconds["together"] / seconds["alone"]
        facts.append(
            f"One training of all endpoints takes {ratio:.2f} of the time of six trainings, prediction included."
        )
    text = "\n\n".join([*facts, table])
    print(text)
    if options.save:
        reporting.save(HEADING, text)


if __name__ == "__main__":
    main()
