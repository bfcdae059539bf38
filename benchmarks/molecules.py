"""Compare descriptions of molecules by nested cross-validation on real tables: the table of docs/molecules.md.

    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/molecules.py [--only NAME …] [--render]

The tables are looked for in the folder `molecules` beside the archives; of large ones, 1,000 molecules are drawn with a
fixed seed. Numbers are predicted by kernel ridge regression on exp(-gamma D), classes by an SVM; depth, gamma and the
strength of regularization are chosen in three inner folds of each of five outer folds. The two masses are evaluated
separately; "chosen" takes, in each outer fold, the one that was better in its inner folds. Every result is written to
`results/molecules.csv` as soon as it is there, and a run continues where an earlier one ended. `--render` only writes
the table.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

import wassergraph as wg
from reporting import circumstances, markdown
from wassergraph.arrays import FloatArray, IntArray
from wassergraph.files.atomic import write_atomically
from wassergraph.formats.molecule_groups import morgan_counts, tanimoto_similarities
from wassergraph.learners.ridge import RidgeLearner
from wassergraph.learners.svm.learner import SVMLearner
from wassergraph.metrics.node_embedding import Mass
from wassergraph.tuning.folds import NestedFolds, make_folds
from wassergraph.tuning.grid import Grid
from wassergraph.tuning.nested import nested_cross_validation

ROOT = Path(__file__).parent.parent
RESULTS, PAGE = ROOT / "results" / "molecules.csv", ROOT / "docs" / "molecules.md"
BEGIN, END = "<!-- begin of the table of descriptions -->", "<!-- end of the table of descriptions -->"
PACKAGES = ("wassergraph", "rdkit", "scikit-learn", "numpy")
SEED, LIMIT = 0, 1000
OUTER, INNER = 5, 3
DEPTHS = (1, 2, 3)
GAMMAS = (0.01, 0.03, 0.1, 0.3, 1.0)
ALPHAS = (1e-1, 1e-2, 1e-3)
C_VALUES = (1.0, 10.0, 100.0)
COLUMNS = ("share", "count", "chosen")
MASSES: tuple[Mass, ...] = ("share", "count")


@dataclass(frozen=True)
class Table:
    """A column of a table to predict."""

    file: str
    target: str
    classes: bool = False

    def load(self) -> tuple[list[str], NDArray[Any]]:
        """Return SMILES and targets; of a large table, a fixed random part."""
        home = Path(os.environ.get("WASSERGRAPH_DATA", "../shared/datasets")).resolve()
        with (home.parent / "molecules" / self.file).open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        if len(rows) > LIMIT:
            chosen = np.random.default_rng(SEED).choice(len(rows), LIMIT, replace=False)
            rows = [rows[number] for number in sorted(chosen.tolist())]
        smiles = [row.get("smiles") or row["mol"] for row in rows]
        y = [row[self.target] if self.classes else float(row[self.target]) for row in rows]
        return smiles, np.array(y)


TABLES = {
    "ESOL": Table("ESOL.csv", "measured log solubility in mols per litre"),
    "FreeSolv": Table("FreeSolv.csv", "expt"),
    "Lipophilicity": Table("Lipophilicity.csv", "exp"),
    "BACE pIC50": Table("BACE.csv", "pIC50"),
    "BACE classes": Table("BACE.csv", "Class", classes=True),
}


@dataclass(frozen=True)
class Description:
    """How molecules are described: atom properties, and options of the distances."""

    node_attributes: Any = "auto"
    options: Mapping[str, Any] = field(default_factory=dict)


def electronegativity(atom: Any) -> float:
    """Return the electronegativity of an atom on Pauling's scale, for elements that are common in these tables."""
    scale = {1: 2.20, 5: 2.04, 6: 2.55, 7: 3.04, 8: 3.44, 9: 3.98, 14: 1.90, 15: 2.19, 16: 2.58, 17: 3.16}
    return (scale | {34: 2.55, 35: 2.96, 53: 2.66}).get(atom.GetAtomicNum(), 2.0)


FIVE = ["charge", "hydrogens", "aromatic", "in_ring", "degree"]
FINGERPRINTS = "Morgan fingerprints (radius 2, counts) with Tanimoto similarity"
DESCRIPTIONS = {
    "elements, without bonds": Description(None, {"kind": "categorical", "edge_labels": "ignore"}),
    "elements and bonds": Description(None, {"kind": "categorical"}),
    "**elements, bonds and five properties (default)**": Description(),
    "the same, properties standardized": Description("auto", {"standardize": True}),
    "the same, label_weight 0.5": Description("auto", {"label_weight": 0.5}),
    "the same, label_weight 0.9": Description("auto", {"label_weight": 0.9}),
    "elements, bonds; charge, hydrogens, aromatic": Description(["charge", "hydrogens", "aromatic"]),
    "default and electronegativity": Description([*FIVE, electronegativity]),
    "five properties and atomic number, no labels": Description(
        [*FIVE, "atomic_number"], {"kind": "continuous", "standardize": True}
    ),
}


# Learning


class Outcome(NamedTuple):
    """The predictions of each outer fold, and the inner score of what was chosen for them."""

    test: list[IntArray]
    predictions: list[NDArray[Any]]
    inner_score: FloatArray


def folds(numbers: IntArray, n_folds: int) -> list[tuple[IntArray, IntArray]]:
    """Split positions into shuffled folds."""
    splitter = KFold(n_folds, shuffle=True, random_state=SEED)
    return [(numbers[train], numbers[test]) for train, test in splitter.split(numbers)]


def predict_numbers(matrices: FloatArray, y: FloatArray, gammas: tuple[float, ...] | None) -> Outcome:
    """Predict numbers by nested cross-validation of kernel ridge regression."""
    outer = folds(np.arange(len(y)), OUTER)
    inner = [folds(train, INNER) for train, _ in outer]
    grid = Grid(tuple({"depth": h} for h in DEPTHS[: len(matrices)]), gammas, tuple(0.5 / alpha for alpha in ALPHAS))
    result = nested_cross_validation(matrices, y, NestedFolds(outer, inner), grid, RidgeLearner(), n_jobs=2)
    return Outcome([test for _, test in outer], [each.predictions for each in result.outputs], result.inner_score)


def predict_classes(matrices: FloatArray, y: NDArray[Any], gammas: tuple[float, ...] | None) -> Outcome:
    """Predict classes by nested cross-validation of an SVM."""
    names, targets = np.unique(y, return_inverse=True)
    outer = make_folds(targets, names, OUTER, SEED)
    inner = [[(train[a], train[b]) for a, b in make_folds(targets[train], names, INNER, SEED)] for train, _ in outer]
    grid = Grid(tuple({"depth": h} for h in DEPTHS[: len(matrices)]), gammas, C_VALUES)
    learner = SVMLearner(len(names), krein=True)
    result = nested_cross_validation(matrices, targets, NestedFolds(outer, inner), grid, learner, n_jobs=2)
    return Outcome(
        [test for _, test in outer], [names[each.predictions] for each in result.outputs], result.inner_score
    )


def better(one: Outcome, other: Outcome) -> Outcome:
    """Return, for each outer fold, the outcome that was better in the inner folds."""
    pairs = zip(one.inner_score, other.inner_score, one.predictions, other.predictions, strict=True)
    chosen = [first if a >= b else second for a, b, first, second in pairs]
    return Outcome(one.test, chosen, np.maximum(one.inner_score, other.inner_score))


def measure(outcome: Outcome, y: NDArray[Any], *, classes: bool) -> float:
    """Return the accuracy in percent, or the root mean squared error, over all molecules."""
    test, predicted = np.concatenate(outcome.test), np.concatenate(outcome.predictions)
    if classes:
        return float(100 * np.mean(y[test] == predicted))
    return float(np.sqrt(np.mean((y[test] - predicted) ** 2)))


# Evaluating


def evaluate(table: Table, description: Description) -> dict[str, float]:
    """Evaluate a description with each mass, and with the chosen one."""
    smiles, y = table.load()
    graphs = wg.from_smiles(smiles, node_attributes=description.node_attributes)
    metric = wg.WWL(DEPTHS, **description.options)
    predict = predict_classes if table.classes else predict_numbers
    outcomes: dict[str, Outcome] = {
        mass: predict(wg.distances(graphs, metric=metric.set_params(mass=mass), n_jobs=2), y, GAMMAS) for mass in MASSES
    }
    outcomes["chosen"] = better(*outcomes.values())
    return {name: measure(outcome, y, classes=table.classes) for name, outcome in outcomes.items()}


def evaluate_fingerprints(table: Table) -> dict[str, float]:
    """Evaluate the Tanimoto similarity of Morgan fingerprints."""
    smiles, y = table.load()
    kernel = tanimoto_similarities(morgan_counts(smiles))[None]
    predict: Callable[..., Outcome] = predict_classes if table.classes else predict_numbers
    return {"chosen": measure(predict(kernel, y, None), y, classes=table.classes)}


def evaluate_constant(table: Table) -> dict[str, float]:
    """Evaluate the mean of the training molecules, or their largest class."""
    _, y = table.load()
    if table.classes:
        return {"chosen": float(100 * np.unique(y, return_counts=True)[1].max() / len(y))}
    outer = folds(np.arange(len(y)), OUTER)
    constant = [np.full(len(test), y[train].mean()) for train, test in outer]
    return {"chosen": measure(Outcome([test for _, test in outer], constant, np.zeros(OUTER)), y, classes=False)}


CONSTANT = "mean, or largest class"
NAMES = (CONSTANT, FINGERPRINTS, *DESCRIPTIONS)


def run(name: str, table: Table) -> dict[str, float]:
    """Evaluate one row of the table on one column."""
    if name == CONSTANT:
        return evaluate_constant(table)
    return evaluate_fingerprints(table) if name == FINGERPRINTS else evaluate(table, DESCRIPTIONS[name])


# Results


def read_results() -> dict[str, Any]:
    """Read the results of earlier runs, by description and table."""
    if not RESULTS.exists():
        return {}
    with RESULTS.open(encoding="utf-8", newline="") as file:
        return {
            f"{row['description']} | {row['table']}": {
                "values": {name: float(row[name]) for name in COLUMNS if row[name]},
                "run": row["run"],
            }
            for row in csv.DictReader(file)
        }


def write_results(results: Mapping[str, Any]) -> None:
    """Write all results."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["description", "table", *COLUMNS, "run"])
    for key, result in results.items():
        values = [f"{result['values'][name]:.6g}" if name in result["values"] else "" for name in COLUMNS]
        writer.writerow([*key.split(" | "), *values, result["run"]])
    write_atomically(RESULTS, text.getvalue().encode())


# Report


def render(results: Mapping[str, Any]) -> str:
    """Return the table of the page: share / count / chosen."""
    lines = []
    for name in NAMES:
        cells = [results.get(f"{name} | {title}") for title in TABLES]
        lines.append([name, *(cell(each, TABLES[title]) for each, title in zip(cells, TABLES, strict=True))])
    units = [f"{title} ({'%' if table.classes else 'RMSE'})" for title, table in TABLES.items()]
    runs = dict.fromkeys(each["run"] for each in results.values())
    return "\n\n".join([markdown(["description", *units], lines), "Computed by:", *(f"- {each}" for each in runs)])


def cell(result: Mapping[str, Any] | None, table: Table) -> str:
    """Format the numbers of one cell."""
    if result is None:
        return "–"
    digits = 1 if table.classes else 3
    *others, chosen = (f"{value:.{digits}f}" for value in result["values"].values())
    return " / ".join([*others, f"**{chosen}**"])


def main() -> None:
    """Evaluate what is missing, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(TABLES), metavar="NAME", help=f"of {', '.join(TABLES)}")
    parser.add_argument("--render", action="store_true", help="only write the table")
    options = parser.parse_args()
    results = read_results()
    for title in [] if options.render else options.only or TABLES:
        for name in NAMES:
            key = f"{name} | {title}"
            if key not in results:
                values = run(name, TABLES[title])
                results[key] = {"values": values, "run": circumstances(PACKAGES)}
                print(f"{key}: {', '.join(f'{k} {v:.3f}' for k, v in values.items())}", file=sys.stderr, flush=True)
                write_results(results)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{render(results)}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
