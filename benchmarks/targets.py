"""Compare one training for several targets with a training for each: the six endpoints of Fang et al., with gaps.

    .venv/bin/python benchmarks/targets.py [--variants alone together "gp, shared" …] [--whole] [--save]

The table is `../shared/benchmarks/adme`, with the published split of each endpoint: the numbers of its test molecules
are gaps of the training. Errors are those of the test molecules. Times are those of the training, with all
processors, in one run: run nothing else.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

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


class Outcome(NamedTuple):
    """The predictions for all test molecules (n_test, n_endpoints), and the seconds of the training."""

    predicted: NDArray[np.float64]
    seconds: float


def fit_alone(graphs: wg.GraphBatch, train: NDArray[np.float64], tested: NDArray[np.int64], *_: object) -> Outcome:
    """Train a model of each endpoint alone."""
    predicted, seconds = [], 0.0
    for numbers in train.T:
        known = np.flatnonzero(~np.isnan(numbers))
        begin = time.perf_counter()
        model = wg.GraphRegressor(n_jobs=-1).fit(graphs[known], numbers[known])
        seconds += time.perf_counter() - begin
        predicted.append(model.predict(graphs[tested]))
    return Outcome(np.column_stack(predicted), seconds)


def together(model: Any, *, descriptors: bool = False) -> Callable[..., Outcome]:
    """Return a function that trains one model of all endpoints."""

    def fit(
        graphs: wg.GraphBatch, train: NDArray[np.float64], tested: NDArray[np.int64], smiles: Sequence[str]
    ) -> Outcome:
        begin = time.perf_counter()
        columns = wg.datasets.descriptors(smiles) if descriptors else None
        model.set_params(n_jobs=-1).fit(graphs, train, columns=columns)
        seconds = time.perf_counter() - begin
        new = None if columns is None else columns.take(tested)
        return Outcome(model.predict(graphs[tested], columns=new), seconds)

    return fit


LABELS = wg.WWL(depth=(1, 2, 3), kind="categorical", mass="count")
VARIANTS: Mapping[str, Callable[..., Outcome]] = {
    "alone": fit_alone,
    "together": together(wg.GraphRegressor()),
    "gp": together(wg.GraphGaussianProcess(LABELS)),
    "gp, shared": together(wg.GraphGaussianProcess(LABELS, share_targets=True)),
    "stereo": together(wg.GraphRegressor(wg.WWL(stereo="use"))),
    "descriptors": together(wg.GraphRegressor(), descriptors=True),
}


def times_on_whole_table() -> str:
    """Train on the authors' table of all molecules with six endpoints, together and alone, and compare the times."""
    with (FOLDER / "ADME_public_set_3521.csv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    names = [name for name in rows[0] if name.startswith("LOG")]
    numbers = np.array([[float(row[name] or "nan") for name in names] for row in rows])
    smiles = [row["SMILES"] for row in rows]
    graphs, nothing = wg.from_smiles(smiles), np.zeros(0, dtype=np.int64)
    found = {name: VARIANTS[name](graphs, numbers, nothing, smiles).seconds for name in ("together", "alone")}
    return (
        f"On the table of all {len(rows):,} molecules, one training of the {len(names)} endpoints takes "
        f"{reporting.duration(found['together'])}, six trainings {reporting.duration(found['alone'])}: "
        f"{found['together'] / found['alone']:.2f} of the time."
    )


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
    parser.add_argument("--whole", action="store_true", help="compare the times on the table of all molecules, too")
    options = parser.parse_args()
    smiles, train, test = read_table()
    graphs, tested = wg.from_smiles(smiles), np.flatnonzero(~np.isnan(test).all(axis=1))
    wg.GraphRegressor(LABELS).fit(smiles[:40], np.arange(40.0))  # the first call loads libraries
    lines, seconds = [], {}
    for name in options.variants:
        found = VARIANTS[name](graphs, train, tested, smiles)
        seconds[name] = found.seconds
        cells = [f"{rmse:.3f} / {r2:.3f} / {r:.3f}" for rmse, r2, r in scores(found.predicted, test[tested])]
        lines.append([name, *cells, reporting.duration(seconds[name])])
        print(lines[-1], flush=True)
    table = reporting.markdown(["model", *ENDPOINTS, "training"], lines)
    facts = [reporting.circumstances(["numpy", "scipy", "scikit-learn", "rdkit"]), "RMSE / R² / Pearson's correlation."]
    if {"alone", "together"} <= set(seconds):
        ratio = seconds["together"] / seconds["alone"]
        facts.append(f"One training on the split tables takes {ratio:.2f} of the time of six trainings.")
    facts += [times_on_whole_table()] if options.whole else []
    text = "\n\n".join([*facts, table])
    print(text)
    if options.save:
        reporting.save(HEADING, text)


if __name__ == "__main__":
    main()
