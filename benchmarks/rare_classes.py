"""Compare models on tables with few positive molecules, made from HIV and MUV: a section of RESULTS.md.

    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/rare_classes.py [--kind KIND] [--size N] [--seeds N]

Each table is a random part of a real one, with 3, 7 or 20 percent positives: of HIV, N molecules; of an assay of MUV,
all of its 24 to 30 actives and as many inactive molecules as needed. All have the same five outer and five inner
stratified folds: WWL chosen by the accuracy without weights, the former default; the default; scikit-learn's
SVC(class_weight="balanced") on our kernel, whose matrix, gamma and C are chosen by the ROC AUC in a loop; and a random
forest on Morgan fingerprints. `--kind categorical` is quick; "auto", the default of molecules, takes minutes a table.
The section is only written for the default options.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rdkit import Chem, RDLogger
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.svm import SVC

import wassergraph as wg
from reporting import circumstances, markdown, save
from wassergraph.arrays import FloatArray
from wassergraph.tuning.folds import make_folds

HEADING = "## Rare classes"
PACKAGES = ("wassergraph", "rdkit", "scikit-learn", "numpy")
SHARES = (0.03, 0.07, 0.2)
ASSAYS = ("MUV-846", "MUV-852", "MUV-832")
FOLDS = 5
#: What a person would try by hand; fewer values than the default has.
DEPTHS, GAMMAS, C_VALUES = (1, 2, 3), (1e-2, 1e-1, 1.0, 10.0), (1e-1, 1.0, 10.0, 100.0)
FORMER: dict[str, Any] = {"scoring": "accuracy", "class_weight": None, "search": "metric"}
MODELS = ("former default", "default", "balanced SVC by hand", "random forest")


def read_table(name: str) -> list[dict[str, str]]:
    """Read a compressed table of the folder `molecules` beside the archives."""
    home = Path(os.environ.get("WASSERGRAPH_DATA", "../shared/datasets")).resolve().parent
    with gzip.open(home / "molecules" / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def draw(smiles: list[str], n: int, rng: np.random.Generator) -> list[str]:
    """Draw molecules that RDKit can read."""
    drawn: list[str] = []
    for number in rng.permutation(len(smiles)).tolist():
        if len(drawn) < n and Chem.MolFromSmiles(smiles[number]) is not None:
            drawn.append(smiles[number])
    return drawn


def make_table(
    rows: list[dict[str, str]], column: str, share: float, size: int | None, seed: int
) -> tuple[list[str], NDArray[Any]]:
    """Return SMILES and classes with a share of positives; without a size, all positives are taken."""
    rng = np.random.default_rng(seed)
    known = {row["smiles"]: float(row[column]) for row in rows if row[column]}
    positive, negative = ([each for each, value in known.items() if (value == 1) == wanted] for wanted in (True, False))
    n_positive = len(positive) if size is None else round(share * size)
    actives = draw(positive, n_positive, rng)
    others = draw(negative, round(len(actives) * (1 - share) / share), rng)
    return actives + others, np.repeat([1, 0], [len(actives), len(others)])


def by_hand(smiles: list[str], y: NDArray[Any], kind: Any, seed: int, n_jobs: int) -> tuple[float, float]:
    """Return the ROC AUC and the PR AUC of balanced SVMs of scikit-learn, chosen by the ROC AUC in inner folds."""
    both = [wg.WWL(DEPTHS, kind=kind, mass=mass) for mass in ("share", "count")]
    stack = np.concatenate([wg.distances(smiles, metric=metric, n_jobs=n_jobs) for metric in both])
    found = []
    for train, test in make_folds(y, np.arange(2), FOLDS, seed):
        inner = make_folds(y[train], np.arange(2), FOLDS, seed)
        best: tuple[float, FloatArray, float] | None = None
        for distances, gamma, c in product(stack, GAMMAS, C_VALUES):
            kernel = np.exp(-gamma * distances)
            folds = [(train[a], train[b]) for a, b in inner]
            score = float(np.mean([roc_auc_score(y[b], decide(kernel, y, a, b, c)) for a, b in folds]))
            best = (score, kernel, c) if best is None or score > best[0] else best
        assert best is not None
        decisions = decide(best[1], y, train, test, best[2])
        found.append((roc_auc_score(y[test], decisions), average_precision_score(y[test], decisions)))
    first, second = np.mean(found, axis=0)
    return float(first), float(second)


def decide(kernel: FloatArray, y: NDArray[Any], train: Any, test: Any, c: float) -> FloatArray:
    """Fit a balanced SVM to one part of a kernel, and decide the other."""
    svm = SVC(C=c, kernel="precomputed", class_weight="balanced").fit(kernel[np.ix_(train, train)], y[train])
    return np.asarray(svm.decision_function(kernel[np.ix_(test, train)]))


def measure(smiles: list[str], y: NDArray[Any], kind: Any, seed: int, n_jobs: int) -> dict[str, tuple[float, float]]:
    """Return the ROC AUC and the PR AUC of every model."""
    options: Any = {"folds": wg.Folds(FOLDS, random_state=seed), "measures": ["roc_auc", "pr_auc"], "n_jobs": n_jobs}
    metric = wg.WWL(kind=kind)
    with tempfile.TemporaryDirectory() as cache:
        model = wg.GraphClassifier(metric, cv=FOLDS, **FORMER)
        former = wg.evaluate(smiles, y, model=model, cache=cache, **options).rows["wwl"]
        model = wg.GraphClassifier(metric, cv=FOLDS)
        default = wg.evaluate(smiles, y, model=model, cache=cache, **options).rows["wwl"]
    forest = wg.evaluate(smiles, y, "rf", **options).rows["rf"]
    rows = {"former default": former, "default": default, "random forest": forest}
    measured = {
        name: (float(np.nanmean(row.values("roc_auc"))), float(np.nanmean(row.values("pr_auc"))))
        for name, row in rows.items()
    }
    return {**measured, "balanced SVC by hand": by_hand(smiles, y, kind, seed, n_jobs)}


def main() -> None:
    """Measure all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--kind", default="auto", choices=("auto", "categorical"), help="what molecules are compared by"
    )
    parser.add_argument("--size", type=int, default=800, help="the number of molecules of HIV")
    parser.add_argument("--seeds", type=int, default=3, help="how many tables of each sort are drawn")
    parser.add_argument("--shares", type=float, nargs="+", default=list(SHARES), help="the shares of positives")
    parser.add_argument("--only", choices=("HIV", "MUV"), help="one of the tables")
    parser.add_argument("--n-jobs", type=int, default=2, help="the number of threads")
    options = parser.parse_args()
    RDLogger.DisableLog("rdApp.*")  # type: ignore[attr-defined]
    lines = []
    for name in ("HIV", "MUV") if options.only is None else (options.only,):
        rows = read_table(name)
        for share in options.shares:
            found = []
            for seed in range(options.seeds):
                column, size = ("HIV_active", options.size) if name == "HIV" else (ASSAYS[seed % len(ASSAYS)], None)
                smiles, y = make_table(rows, column, share, size, seed)
                found.append(measure(smiles, y, options.kind, seed, options.n_jobs))
            means = {model: np.mean([each[model] for each in found], axis=0) for model in MODELS}
            lines.append([name, f"{share:.0%}", *(f"{auc:.3f} / {area:.3f}" for auc, area in means.values())])
            print(*lines[-1], sep="  ", flush=True)
    text = (
        f"ROC AUC / PR AUC by nested cross-validation with {FOLDS} outer and {FOLDS} inner folds, the mean over "
        f"{options.seeds} random tables; of HIV {options.size} molecules each, of MUV the assays "
        f"{', '.join(ASSAYS)} with all their actives. The former default chooses by the accuracy, without weights."
    )
    section = "\n\n".join([circumstances(PACKAGES), text, markdown(["table", "positives", *MODELS], lines)])
    if vars(options) == vars(parser.parse_args([])):
        save(HEADING, section)


if __name__ == "__main__":
    main()
