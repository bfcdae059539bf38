"""Compare time and memory that are told before a computation with what it takes, for some pieces of work.

    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/estimates.py [--only NAME …] [--n-jobs 2]

Distances, fits and evaluations, by labels, by attributes and of large graphs; each takes from some seconds to a minute.
Every piece runs in a process of its own, after a run on a few graphs, so that no module is imported during the
measurement; the memory, which Linux alone tells, is the peak of that process, less what it had after that run.
The tables of molecules are looked for in the folder `molecules` beside the archives. A full run writes its table to
``RESULTS.md``.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import wassergraph as wg
from regression import TABLES
from reporting import circumstances, duration, markdown, save
from wassergraph.graphs.batch import GraphBatch
from wassergraph.parallel.estimate import Estimate, hear_estimates
from wassergraph.parallel.memory import size_text

HEADING = "## Estimates"
PACKAGES = ("wassergraph", "scikit-learn", "numpy", "scipy", "rdkit")
#: An estimate is good if it is within this factor of the truth.
FACTOR = 2.0
#: How many graphs the first run takes.
FEW = 60


@cache
def archive(name: str, most: int | None = None) -> tuple[GraphBatch, NDArray[Any]]:
    """Load graphs and classes, or a random part of them."""
    graphs, y = wg.load_dataset(name)
    return _some(graphs, np.asarray(y), most)


@cache
def molecules(name: str, most: int | None = None) -> tuple[GraphBatch, NDArray[Any]]:
    """Load molecules and numbers, or a random part of them."""
    smiles, y = TABLES[name].load()
    return _some(wg.from_smiles(smiles), y, most)


def _some(graphs: GraphBatch, y: NDArray[Any], most: int | None) -> tuple[GraphBatch, NDArray[Any]]:
    chosen = np.sort(np.random.default_rng(0).permutation(len(graphs))[:most])
    return graphs[chosen], y[chosen]


def distances(graphs: GraphBatch, y: NDArray[Any], n_jobs: int, **options: Any) -> object:
    """Compute distances; classes are not used."""
    return wg.distances(graphs, metric=wg.WWL(**options), n_jobs=n_jobs)


def fit(model: Callable[..., Any], graphs: GraphBatch, y: NDArray[Any], n_jobs: int, **options: Any) -> object:
    """Fit a model."""
    return model(n_jobs=n_jobs, **options).fit(graphs, y)


def evaluate(graphs: GraphBatch, y: NDArray[Any], n_jobs: int, methods: tuple[str, ...] = ("wwl",)) -> object:
    """Evaluate methods that compare labels."""
    model = wg.GraphClassifier(wg.WWL(kind="categorical"))
    return wg.evaluate(graphs, y, methods, model=model, n_jobs=n_jobs)


#: What is computed: the graphs, and the work.
PIECES: dict[str, tuple[Callable[[], tuple[GraphBatch, NDArray[Any]]], Callable[..., object]]] = {
    "distances, ENZYMES, attributes, 8 depths": (
        partial(archive, "ENZYMES"),
        partial(distances, depth=range(8), standardize=True),
    ),
    "distances, ESOL, joint, 8 depths": (partial(molecules, "ESOL"), partial(distances, depth=range(8))),
    "distances, 150 graphs of DD, degrees as attributes": (
        partial(archive, "DD", 150),
        partial(distances, depth=2, kind="continuous"),
    ),
    "distances, ENZYMES, Sinkhorn": (
        partial(archive, "ENZYMES"),
        partial(distances, depth=3, standardize=True, solver="sinkhorn", reg=1.0, tol=1e-2),
    ),
    "fit, 2,000 graphs of NCI1, labels": (
        partial(archive, "NCI1", 2000),
        partial(fit, wg.GraphClassifier, kind="categorical"),
    ),
    "fit, ENZYMES, attributes": (partial(archive, "ENZYMES"), partial(fit, wg.GraphClassifier)),
    "fit, IMDB-BINARY, wide search": (partial(archive, "IMDB-BINARY"), partial(fit, wg.GraphClassifier, search="wide")),
    "fit, ESOL, ridge regression": (partial(molecules, "ESOL"), partial(fit, wg.GraphRegressor)),
    "fit, ESOL, Gaussian process": (partial(molecules, "ESOL"), partial(fit, wg.GraphGaussianProcess)),
    "evaluation, PROTEINS, labels, WWL and WL": (
        partial(archive, "PROTEINS"),
        partial(evaluate, methods=("wwl", "wl")),
    ),
    "evaluation, 400 graphs of DD, labels": (partial(archive, "DD", 400), evaluate),
}


def resident(most: bool = False) -> float:
    """Return the bytes of memory of this process now, or the most that it had since :func:`forget_peak`."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024.0 for line in lines if line.startswith("VmHWM" if most else "VmRSS"))


def forget_peak() -> None:
    """Let the most memory of this process be what it has now: to load graphs may have needed more."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


def measure(name: str, n_jobs: int) -> tuple[Estimate, float, float]:
    """Return what was told, how long the work took, without the estimate itself, and the bytes that it needed."""
    warnings.simplefilter("ignore")
    load, work = PIECES[name]
    graphs, y = load()
    work(*_some(graphs, y, FEW), n_jobs=n_jobs)
    forget_peak()
    before = resident()
    told: list[tuple[Estimate, float]] = []
    with hear_estimates(lambda estimate: told.append((estimate, time.perf_counter()))):
        work(graphs, y, n_jobs=n_jobs)
    seconds = time.perf_counter() - told[0][1]
    # Of many graphs, a sample is compared first; what the rest takes is told after that.
    stages = {name: each for estimate, _ in told for name, each in estimate.seconds.items()}
    return replace(told[-1][0], seconds=stages), seconds, resident(most=True) - before


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="pieces whose name contains one of these")
    parser.add_argument("--n-jobs", type=int, default=2, metavar="N", help="number of threads (default: 2)")
    options = parser.parse_args()
    chosen = [name for name in PIECES if not options.only or any(part in name for part in options.only)]
    rows = []
    for name in chosen:
        with ProcessPoolExecutor(1, get_context("spawn")) as alone:
            estimate, seconds, memory = alone.submit(measure, name, options.n_jobs).result()
        ratio = estimate.total / seconds
        sizes = [size_text(estimate.memory), size_text(memory)]
        rows.append([name, duration(estimate.total), duration(seconds), f"{ratio:.2f}", *sizes])
        print(
            f"{name}: {estimate.describe()}\n    told {estimate.total:.1f} s, took {seconds:.1f} s, ratio {ratio:.2f}; "
            f"told {sizes[0]}, needed {sizes[1]}"
        )
    good = sum(1 / FACTOR <= float(row[3]) <= FACTOR for row in rows)
    text = "\n\n".join(
        [
            circumstances(PACKAGES),
            f"What is told before, with {options.n_jobs} threads, and what it took: {good} of {len(rows)} pieces of "
            f"work are within a factor of {FACTOR:g}.",
            markdown(["work", "told", "took", "ratio", "memory told", "memory needed"], rows),
        ]
    )
    if options.only is None:
        save(HEADING, text)
    print(text)


if __name__ == "__main__":
    main()
