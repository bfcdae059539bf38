"""Compare accuracies of the default of models with those of the wide search on all graphs: a section of RESULTS.md.

    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/defaults.py [--only NAME …] [--n-jobs 2]

For every archive, prepared as in the paper, the default of `evaluate`, which is what models fit, and the first
repetition of the wide search in `results/`, which compares all ways on all graphs, chooses by the accuracy and weighs
no class. Both have the same ten outer folds, so that the standard error is that of the difference of ten pairs of
accuracies. For unequal classes, a second table has other measures, and the same wide search computed anew.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import wassergraph as wg
from reporting import circumstances, markdown, save
from wassergraph.arrays import FloatArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.reproduction.setups import SETUPS

HEADING = "## Defaults"
PACKAGES = ("wassergraph", "scikit-learn", "numpy", "scipy")
RESULTS = Path(__file__).parents[1] / "results"
#: The archives, and the rows of the page on the wide search that they are compared with.
ARCHIVES = {
    "MUTAG": "categorical",
    "PTC_MR": "categorical",
    "BZR_MD": "continuous",
    "COX2_MD": "continuous",
    "BZR": "continuous",
    "COX2": "continuous",
    "SYNTHETICnew": "continuous",
    "Synthie": "continuous",
    "ENZYMES": "continuous",
    "IMDB-BINARY": "continuous",
    "PROTEINS": "categorical",
    "PROTEINS_full": "continuous",
    "DD": "categorical",
    "NCI1": "categorical",
}

#: What models choose by and how classes weigh if these are unequal, as the wide search in `results/`.
FORMER: dict[str, Any] = {"scoring": "accuracy", "class_weight": None}
MEASURES = ["accuracy", "balanced_accuracy", "roc_auc", "pr_auc", "mcc"]
#: From this ratio of the largest and the smallest class on, the default treats classes as unequal.
UNEQUAL = 3
TEXT = (
    "Values in percent in the same ten folds, and the standard error of the mean difference: the wide search as "
    "stored in `results/` (one repetition, all ways on all graphs, choice by the accuracy, no weights of classes), and "
    "the default. Where the ratio of the classes is 3 or more, the default chooses by the average precision of the "
    "smaller class and weighs classes, so that the accuracy is not what it aims at: the second table."
)


def stored(name: str, kind: str) -> FloatArray:
    """Read the accuracies of the wide search in ten folds."""
    text = (RESULTS / kind / name / "wwl-wide" / "00.json").read_text(encoding="utf-8")
    return np.asarray(json.loads(text)["accuracy"])


def scores(graphs: GraphBatch, y: NDArray[Any], metric: wg.WWL, n_jobs: int, **options: Any) -> dict[str, FloatArray]:
    """Return the values of the measures in ten folds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = wg.GraphClassifier(metric, **options)
        row = wg.evaluate(graphs, y, model=model, n_jobs=n_jobs, measures=MEASURES).rows["wwl"]
    return {name: np.ravel(row.values(name)) for name in MEASURES}


def gain(after: FloatArray, before: FloatArray) -> str:
    """Format the mean difference of values in percent, with its standard error."""
    gains = 100 * (after - before)
    return f"{gains.mean():+.2f} ± {gains.std(ddof=1) / np.sqrt(len(gains)):.2f}"


def measure(name: str, kind: str, n_jobs: int) -> tuple[list[str], list[list[str]]]:
    """Return a line of the first table, and those of the second one if classes are unequal."""
    graphs, y = wg.load_dataset(name)
    setup = SETUPS[name, kind]
    graphs = setup.prepare(graphs)
    metric = wg.WWL(kind="categorical" if kind == "categorical" else "auto", standardize=setup.standardize)
    begin = time.perf_counter()
    after, before = scores(graphs, y, metric, n_jobs), stored(name, kind)
    minutes = (time.perf_counter() - begin) / 60
    sizes = np.unique(np.asarray(y), return_counts=True)[1]
    means = [f"{100 * values.mean():.2f}" for values in (before, after["accuracy"])]
    ratio = sizes.max() / sizes.min()
    line = [name, str(len(graphs)), f"{ratio:.1f}", *means, gain(after["accuracy"], before), f"{minutes:.1f} min"]
    if ratio < UNEQUAL:
        return line, []
    former = scores(graphs, y, metric, n_jobs, **FORMER)
    return line, [
        [
            name,
            metric,
            *(f"{100 * each[metric].mean():.2f}" for each in (former, after)),
            gain(after[metric], former[metric]),
        ]
        for metric in MEASURES
    ]


def main() -> None:
    """Measure all archives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(ARCHIVES), default=list(ARCHIVES), help="some archives")
    parser.add_argument("--n-jobs", type=int, default=2, help="the number of threads")
    options = parser.parse_args()
    lines, unequal = [], []
    for name in options.only:
        line, more = measure(name, ARCHIVES[name], options.n_jobs)
        lines.append(line)
        unequal += more
        for each in (line, *more):
            print(*each, sep="  ", flush=True)
    columns = ["archive", "graphs", "largest / smallest class", "all ways on all graphs", "default", "gain", "time"]
    tables = (
        markdown(columns, lines),
        markdown(["archive", "metric", "by accuracy, no weights", "default", "gain"], unequal),
    )
    if options.only == list(ARCHIVES):
        save(HEADING, "\n\n".join([circumstances(PACKAGES), TEXT, *tables]))


if __name__ == "__main__":
    main()
