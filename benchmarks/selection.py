"""Compare the speed of our parameter selection with scikit-learn's GridSearchCV, as ratios measured in one run.

    make benchmarks
    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/selection.py [--repeat 3] [--only NAME …]

Both sides get the same precomputed distances, the same folds and the same candidates. GridSearchCV searches gamma
and C in a pipeline of LaplacianKernel and SVC, once for every depth, which is what a user of scikit-learn would write.
Both take turns, and the best of several turns counts; their scores are compared fold by fold. The nested selection on
NCI1 runs once, in a separate process whose memory is measured. A full run writes its tables to ``RESULTS.md``.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import wassergraph as wg
from reporting import circumstances, duration, markdown, save, times
from wassergraph.arrays import FloatArray, IntArray
from wassergraph.learning.classes import read_classes
from wassergraph.learning.folds import Fold, make_folds
from wassergraph.learning.grid import ATTRIBUTE_C_VALUES, GAMMAS, LABEL_C_VALUES, Grid
from wassergraph.learning.learners import KernelBlock
from wassergraph.learning.selection import score_grid
from wassergraph.learning.svm.learner import SVMLearner

HEADING = "## Selection"
PACKAGES = ("wassergraph", "scikit-learn", "numpy", "scipy", "numba")
DEPTHS = tuple(range(8))
GRID = Grid.of_depths(DEPTHS, GAMMAS, ATTRIBUTE_C_VALUES)


@cache
def enzymes() -> tuple[FloatArray, IntArray, list[Fold]]:
    """Return the distances of all depths, the classes and five folds of ENZYMES."""
    graphs, y = wg.load_dataset("ENZYMES")
    distances = wg.wwl_distances(graphs, depth=DEPTHS, kind="continuous", standardize=True, n_jobs=-1)
    classes, class_indices = read_classes(y, len(graphs))
    return distances, class_indices, make_folds(class_indices, classes, 5, 0)


def grid_search(n_jobs: int, tol: float = 1e-3) -> FloatArray:
    """Score all candidates by GridSearchCV (n_depths, n_gammas, n_C_values, n_folds)."""
    distances, class_indices, folds = enzymes()
    parameters = {"laplaciankernel__gamma": GAMMAS, "svc__C": ATTRIBUTE_C_VALUES}
    scores = []
    for matrix in distances:
        pipeline = make_pipeline(wg.LaplacianKernel(), SVC(kernel="precomputed", tol=tol))
        search = GridSearchCV(pipeline, parameters, cv=folds, n_jobs=n_jobs, refit=False).fit(matrix, class_indices)
        scores.append([search.cv_results_[f"split{fold}_test_score"] for fold in range(len(folds))])
    return np.array(scores).transpose(0, 2, 1).reshape(*GRID.shape, len(folds))


def ours(n_jobs: int) -> FloatArray:
    """Score all candidates by score_grid, as WWLClassifier does for attributes, where kernels may be indefinite."""
    distances, class_indices, folds = enzymes()
    return score_grid(distances, class_indices, folds, GRID, SVMLearner(6, krein=True), n_jobs=n_jobs).score


def best_of(repeat: int, *functions: Callable[[], FloatArray]) -> tuple[list[float], list[FloatArray]]:
    """Run several functions in turn; return the best time of each, and its result."""
    taken: list[list[float]] = [[] for _ in functions]
    results: list[FloatArray] = [np.empty(0)] * len(functions)
    for _ in range(repeat):
        for place, function in enumerate(functions):
            begin = time.perf_counter()
            results[place] = function()
            taken[place].append(time.perf_counter() - begin)
    return [min(turns) for turns in taken], results


def measure_enzymes(repeat: int) -> str:
    """Compare both searches on ENZYMES, with one process or thread and with two."""
    ours(1)  # compile
    lines, difference = [], ""
    for n_jobs in (1, 2):
        (mine, theirs), (scores, peer) = best_of(repeat, partial(ours, n_jobs), partial(grid_search, n_jobs))
        name = f"ENZYMES, {np.prod(GRID.shape)} candidates × 5 folds, n_jobs={n_jobs}"
        print(f"{name}: {times(theirs / mine)}", file=sys.stderr, flush=True)
        lines.append([name, "5×", times(theirs / mine), duration(mine), duration(theirs)])
        difference = compare(scores, peer, grid_search(2, tol=1e-6))
    table = markdown(["work", "at least", "reached", "ours", "GridSearchCV"], lines)
    return f"{table}\n\n{difference}"


def compare(scores: FloatArray, peer: FloatArray, precise: FloatArray) -> str:
    """Describe how far the scores of both sides agree."""
    n = scores.size
    best = [int(s.mean(axis=-1).argmax()) for s in (scores, peer)]
    same = "the same" if best[0] == best[1] else "not the same"
    return (
        f"Of the {n:,} scores, {np.sum(np.isclose(scores, peer)):,} equal those of GridSearchCV; the others differ by "
        f"{np.abs(scores - peer).max():.4f} at most, where one graph of a fold is 0.0083. With SVC solved to tol=1e-6 "
        f"instead of its 1e-3, {np.sum(np.isclose(scores, precise)):,} are equal. The best candidate is {same}."
    )


def best_time(function: Callable[[], object], turns: int = 20) -> float:
    """Return the shortest time of several calls."""
    taken = []
    for _ in range(turns):
        begin = time.perf_counter()
        function()
        taken.append(time.perf_counter() - begin)
    return min(taken)


def measure_stages() -> str:
    """Measure the stages of a search over C at one depth and gamma in one fold, on both sides."""
    distances, class_indices, folds = enzymes()
    train, test = folds[0]
    order = train[np.argsort(class_indices[train], kind="stable")]
    classes = class_indices[order]
    among, rows = distances[3][np.ix_(order, order)], distances[3][np.ix_(test, order)]
    kernel, across = np.exp(-among), np.exp(-rows)
    svms = [SVC(kernel="precomputed", C=C) for C in ATTRIBUTE_C_VALUES]
    fitting = sum(best_time(partial(svm.fit, kernel, classes), 5) for svm in svms)
    predicting = sum(best_time(partial(svm.predict, across), 5) for svm in svms)

    def solve(values_of_c: Sequence[float]) -> int:
        block, stop = KernelBlock(kernel, across, None, True), np.zeros(1, dtype=np.bool_)
        paths = SVMLearner(6, krein=False).pair_paths(block, classes, values_of_c, stop=stop)
        return sum(int(path.steps.sum()) for path in paths)

    stages = {
        "copy of the distances": best_time(lambda: [distances[3][np.ix_(graphs, order)] for graphs in (order, test)]),
        "kernel matrix": best_time(lambda: (np.exp(-among), np.exp(-rows))),
        "7 × SVC.fit": fitting,
        "7 × SVC.predict": predicting,
        "our solver, each C alone, decisions included": sum(best_time(partial(solve, [C])) for C in ATTRIBUTE_C_VALUES),
        "our solver, each C started from the one before, decisions included": best_time(
            partial(solve, ATTRIBUTE_C_VALUES)
        ),
    }
    libsvm_steps = sum(int(svm.n_iter_.sum()) for svm in svms)
    our_steps = solve(ATTRIBUTE_C_VALUES)
    table = markdown(
        ["stage, for 7 C at one depth and gamma in one fold", "time"],
        [[stage, duration(seconds)] for stage, seconds in stages.items()],
    )
    return (
        f"{table}\n\nGridSearchCV copies the distances and computes the kernel again for every C. libsvm takes "
        f"{libsvm_steps:,} steps for the 15 pairs of classes and 7 C, our solver {our_steps:,}, to a tenth of the "
        "tolerance."
    )


def nested() -> None:
    """Run the nested selection on NCI1 in this process; print its times and its peak memory."""
    graphs, y = wg.load_dataset("NCI1")
    begin = time.perf_counter()
    distances = wg.wwl_distances(graphs, depth=DEPTHS, kind="categorical", n_jobs=2)
    computed = time.perf_counter()
    evaluation = wg.evaluate_distances(distances, y, C=LABEL_C_VALUES, classifier="svc", cv=10, inner_cv=5, n_jobs=2)
    measured = {
        "distances": computed - begin,
        "selection": time.perf_counter() - computed,
        "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "result": str(evaluation),
    }
    print(json.dumps(measured))


def measure_nested() -> str:
    """Report the nested selection on NCI1: 10 outer folds, 5 inner folds, 480 candidates: 24,000 fits."""
    run = subprocess.run([sys.executable, __file__, "--nested"], check=True, capture_output=True, text=True)
    measured = json.loads(run.stdout.splitlines()[-1])
    print(f"NCI1: {duration(measured['selection'])}, {measured['mib']:,.0f} MiB", file=sys.stderr, flush=True)
    table = markdown(
        ["work", "at most", "measured"],
        [
            [
                "NCI1 labels, 10 × 5 folds, 480 candidates: 24,000 fits, 2 threads",
                "20 min",
                duration(measured["selection"]),
            ],
            ["its distances, all depths", "", duration(measured["distances"])],
            ["memory of the process", "8,192 MiB", f"{measured['mib']:,.0f} MiB"],
        ],
    )
    return f"{table}\n\nThe result: {measured['result']}."


INTRODUCTION = """\
How many times longer scikit-learn's GridSearchCV takes to score the same candidates on the same distances and folds,
and how long nested selection takes on the largest set. Both sides took turns, and the best of several turns counts."""


def main() -> None:
    """Measure, print, and write the results of a full run."""
    parts: dict[str, Callable[[int], str]] = {
        "enzymes": measure_enzymes,
        "stages": lambda _: measure_stages(),
        "nested": lambda _: measure_nested(),
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="turns, of which the best counts (default: 3)")
    parser.add_argument("--only", nargs="+", choices=list(parts), metavar="NAME", help=f"of {', '.join(parts)}")
    parser.add_argument("--nested", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.nested:
        nested()
        return
    tables = [measure(options.repeat) for name, measure in parts.items() if name in (options.only or parts)]
    section = "\n\n".join([INTRODUCTION, circumstances(PACKAGES), *tables])
    print(f"\n{section}")
    if not options.only:
        save(HEADING, section)


if __name__ == "__main__":
    main()
