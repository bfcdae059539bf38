"""Evaluate regression of molecules by nested cross-validation: the tables of docs/regression.md.

    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/regression.py [--only NAME …] [--render | --draw]

The tables of molecules are looked for in $WASSERGRAPH_MOLECULES, or in the folder `molecules` beside the archives. Each
repetition of a method is what `wassergraph evaluate TABLE --target NAME --method METHOD --split SPLIT --depth 1-3
--inner-folds 3 --folds N --random-state R` prints (without `--depth` for fingerprints). It is written to
`results/regression.csv` as soon as it is there, and a run continues where an earlier one ended. `--render` only writes
the tables; `--draw` only draws the picture of calibration.
"""

from __future__ import annotations

import argparse
import csv
import io
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

import wassergraph as wg
from reporting import circumstances, markdown
from wassergraph.arrays import FloatArray
from wassergraph.evaluation.evaluation import Evaluation
from wassergraph.files.atomic import write_atomically
from wassergraph.tuning.folds import make_folds
from wassergraph.tuning.grid import Grid
from wassergraph.tuning.nested import nested_processes
from wassergraph.tuning.splits import Split

ROOT = Path(__file__).parent.parent
RESULTS, PAGE = ROOT / "results" / "regression.csv", ROOT / "docs" / "regression.md"
BEGIN, END = "<!-- begin of the tables of results -->", "<!-- end of the tables of results -->"
PICTURE = ROOT / "docs" / "regression" / "calibration.svg"
PACKAGES = ("wassergraph", "rdkit", "scikit-learn", "numpy", "scipy")
DEPTHS, INNER = (1, 2, 3), 3
SPLITS: tuple[Split, ...] = ("random", "scaffold")
#: The methods, by their names in tables.
METHODS = {
    "wwl": "WWL, ridge regression",
    "wwl+gp": "WWL, Gaussian process",
    "tanimoto": "Tanimoto, ridge regression",
    "tanimoto-counts": "Tanimoto of counts, ridge regression",
    "mean": "mean of the training molecules",
}
MEASURES = ("rmse", "mae", "r2", "spearman", "coverage")


@dataclass(frozen=True)
class Table:
    """A column of a table to predict, and how often."""

    file: str
    target: str
    folds: int
    repetitions: int

    def load(self) -> tuple[list[str], FloatArray]:
        """Return SMILES and numbers."""
        beside = Path(os.environ.get("WASSERGRAPH_DATA", "../shared/datasets")).resolve().parent / "molecules"
        home = Path(os.environ.get("WASSERGRAPH_MOLECULES", beside))
        with (home / self.file).open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return [row["smiles"] for row in rows], np.array([float(row[self.target]) for row in rows])


TABLES = {
    "FreeSolv": Table("FreeSolv.csv", "expt", 10, 10),
    "ESOL": Table("ESOL.csv", "measured log solubility in mols per litre", 10, 10),
    "Lipophilicity": Table("Lipophilicity.csv", "exp", 5, 1),
}


class Key(NamedTuple):
    """One repetition of a method."""

    table: str
    split: Split
    method: str
    repetition: int


class Result(NamedTuple):
    """The measures of a repetition, by name, as means over its folds, and what computed them."""

    measures: dict[str, float]
    run: str


Results = dict[Key, Result]


# Evaluating


def keys(only: Sequence[str]) -> Iterator[Key]:
    """Yield everything to evaluate: the first repetition of all methods, then the second, and so on."""
    for title in only:
        for repetition in range(TABLES[title].repetitions):
            for split in SPLITS:
                for method in METHODS:
                    if method != "mean":
                        yield Key(title, split, method, repetition)


def evaluate(key: Key, cache: Path, n_jobs: int) -> Evaluation:
    """Run one repetition."""
    table = TABLES[key.table]
    smiles, y = table.load()
    metric = wg.WWL() if key.method.startswith("tanimoto") else wg.WWL(depth=DEPTHS)
    return wg.evaluate(
        smiles,
        y,
        key.method,
        model=wg.GraphRegressor(metric, cv=INNER),
        measures="all",
        folds=wg.Folds(table.folds, split=key.split, random_state=key.repetition),
        n_jobs=n_jobs,
        cache=cache,
    )


def means(values: Mapping[str, FloatArray]) -> dict[str, float]:
    """Return the mean of every metric over folds, of those that are defined."""
    return {name: float(np.mean(each)) for name, each in values.items() if not np.isnan(each).any()}


def add(results: Results, key: Key, report: Evaluation) -> None:
    """Add the result of a repetition, and of the mean on the same folds."""
    row, run = report.rows[key.method], circumstances(PACKAGES)
    results[key] = Result(means({name: row.values(name) for name in row.measures}), run)
    results.setdefault(key._replace(method="mean"), Result(means(row.constant), run))


# Calibration


def predict(table: Table, n_jobs: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the numbers of molecules, and means and deviations that a process predicts in the first random folds."""
    smiles, y = table.load()
    graphs = wg.from_smiles(smiles)
    metrics = [wg.WWL(DEPTHS, mass=mass) for mass in ("share", "count")]
    distances = np.concatenate([wg.distances(graphs, metric=metric, n_jobs=n_jobs) for metric in metrics])
    outer, grid = make_folds(y, None, table.folds, 0), Grid.of_depths(DEPTHS, masses=("share", "count"))
    found = nested_processes(distances, y, outer, grid, n_jobs=n_jobs)
    means, deviations = np.empty(len(y)), np.empty(len(y))
    for (_, test), outputs in zip(outer, found.outputs, strict=True):
        assert outputs.deviations is not None
        means[test], deviations[test] = outputs.predictions, outputs.deviations
    return y, means, deviations


def draw(n_jobs: int) -> None:
    """Draw the calibration of Gaussian processes on two tables."""
    found = {title: predict(TABLES[title], n_jobs) for title in ("ESOL", "FreeSolv")}
    columns = [{title: each[number] for title, each in found.items()} for number in range(3)]
    PICTURE.parent.mkdir(exist_ok=True)
    wg.plot.draw_calibration(*columns, path=PICTURE)


# Results


def read_results() -> Results:
    """Read the results of earlier runs."""
    if not RESULTS.exists():
        return {}
    with RESULTS.open(encoding="utf-8", newline="") as file:
        return {
            Key(row["table"], cast(Split, row["split"]), row["method"], int(row["repetition"])): Result(
                {name: float(row[name]) for name in MEASURES if row[name]}, row["run"]
            )
            for row in csv.DictReader(file)
        }


def write_results(results: Results) -> None:
    """Write all results."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*Key._fields, *MEASURES, "run"])
    for key, result in sorted(results.items()):
        values = [f"{result.measures[name]:.6g}" if name in result.measures else "" for name in MEASURES]
        writer.writerow([*key, *values, result.run])
    write_atomically(RESULTS, text.getvalue().encode())


# Report


def render(results: Results) -> str:
    """Return the tables of the page."""
    errors = table_of(results, "rmse", ".3f")
    coverage = table_of(results, "coverage", ".1%", methods=["wwl+gp"])
    runs = dict.fromkeys(result.run for result in results.values())
    return "\n\n".join(
        [
            "Root mean squared error, mean ± standard deviation over repetitions:",
            errors,
            "Share of test molecules in the 90% interval of the Gaussian process:",
            coverage,
            "Computed by:",
            "\n".join(f"- {run}" for run in runs),
        ]
    )


def table_of(results: Results, metric: str, form: str, methods: Sequence[str] = tuple(METHODS)) -> str:
    """Return a table of one metric: a row for each method, a column for each table and split."""
    places = [(title, split) for title in TABLES for split in SPLITS]
    header = ["method", *(f"{title}, {split} split" for title, split in places)]
    lines = [
        [METHODS[method], *(cell(results, *place, method, metric, form) for place in places)] for method in methods
    ]
    return markdown(header, lines)


def cell(results: Results, table: str, split: str, method: str, metric: str, form: str) -> str:
    """Format a metric over the repetitions of a method."""
    found = [result.measures for key, result in sorted(results.items()) if key[:3] == (table, split, method)]
    values = [each[metric] for each in found if not math.isnan(each.get(metric, math.nan))]
    if not values:
        return "–"
    spread = f" ± {np.std(values):{form}}" if len(values) > 1 else ""
    return f"{np.mean(values):{form}}{spread}"


def write_page(results: Results) -> None:
    """Write the tables into the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{render(results)}\n\n{END}{after}", encoding="utf-8")


def main() -> None:
    """Evaluate what is missing, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(TABLES), metavar="NAME", help=f"of {', '.join(TABLES)}")
    parser.add_argument("--n-jobs", type=int, default=2, metavar="N", help="number of threads (default: 2)")
    parser.add_argument("--cache", type=Path, default=Path("out/matrices"), help="folder to keep matrices in")
    parser.add_argument("--render", action="store_true", help="only write the tables")
    parser.add_argument("--draw", action="store_true", help="only draw the calibration of Gaussian processes")
    options: Any = parser.parse_args()
    if options.draw:
        draw(options.n_jobs)
        return
    results = read_results()
    for key in [] if options.render else keys(options.only or list(TABLES)):
        if key not in results:
            add(results, key, evaluate(key, options.cache, options.n_jobs))
            print(f"{key}: RMSE {results[key].measures['rmse']:.4f}", file=sys.stderr, flush=True)
            write_results(results)
    if PAGE.exists():
        write_page(results)


if __name__ == "__main__":
    main()
