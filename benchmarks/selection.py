"""How fast parameters are chosen beside scikit-learn's GridSearchCV, as ratios measured in one run.

    make benchmarks
    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/selection.py [--repeat 3] [--only NAME …]

Both sides get the same distances, computed before, the same folds and the same candidates. GridSearchCV searches gamma
and C in a pipeline of LaplacianKernel and SVC, once for every depth, which is what a user of scikit-learn would write.
Both take turns, and the best of several turns counts; their scores are compared fold by fold. The nested selection on
NCI1 runs once, in a process of its own whose memory is watched. A full run writes its tables to ``RESULTS.md``.
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
    """Give the distances of all depths, the classes and five folds of ENZYMES."""
    graphs, y = wg.load_dataset("ENZYMES")
    distances = wg.wwl_distances(graphs, depth=DEPTHS, kind="continuous", standardize=True, n_jobs=-1)
    classes, codes = read_classes(y, len(graphs))
    return distances, codes, make_folds(codes, classes, 5, 0)


def search(n_jobs: int, tol: float = 1e-3) -> FloatArray:
    """Score all candidates by GridSearchCV (n_depths, n_gammas, n_costs, n_folds)."""
    distances, codes, folds = enzymes()
    parameters = {"laplaciankernel__gamma": GAMMAS, "svc__C": ATTRIBUTE_C_VALUES}
    scores = []
    for matrix in distances:
        machine = make_pipeline(wg.LaplacianKernel(), SVC(kernel="precomputed", tol=tol))
        found = GridSearchCV(machine, parameters, cv=folds, n_jobs=n_jobs, refit=False).fit(matrix, codes)
        scores.append([found.cv_results_[f"split{fold}_test_score"] for fold in range(len(folds))])
    return np.array(scores).transpose(0, 2, 1).reshape(*GRID.shape, len(folds))


def ours(n_jobs: int) -> FloatArray:
    """Score all candidates by score_grid, as WWLClassifier does for attributes: kernels may be indefinite."""
    distances, codes, folds = enzymes()
    return score_grid(distances, codes, folds, GRID, SVMLearner(6, krein=True), n_jobs=n_jobs).score


def best_of(repeat: int, *works: Callable[[], FloatArray]) -> tuple[list[float], list[FloatArray]]:
    """Let pieces of work take turns: the best time of each, and what it gave."""
    taken: list[list[float]] = [[] for _ in works]
    results: list[FloatArray] = [np.empty(0)] * len(works)
    for _ in range(repeat):
        for place, work in enumerate(works):
            begin = time.perf_counter()
            results[place] = work()
            taken[place].append(time.perf_counter() - begin)
    return [min(turns) for turns in taken], results


def measure_enzymes(repeat: int) -> str:
    """Compare both searches on ENZYMES, with one process or thread and with two."""
    ours(1)  # compile
    lines, difference = [], ""
    for n_jobs in (1, 2):
        (mine, theirs), (scores, peer) = best_of(repeat, partial(ours, n_jobs), partial(search, n_jobs))
        name = f"ENZYMES, {np.prod(GRID.shape)} candidates × 5 folds, n_jobs={n_jobs}"
        print(f"{name}: {times(theirs / mine)}", file=sys.stderr, flush=True)
        lines.append([name, "5×", times(theirs / mine), duration(mine), duration(theirs)])
        difference = compare(scores, peer, search(2, tol=1e-6))
    table = markdown(["work", "at least", "reached", "ours", "GridSearchCV"], lines)
    return f"{table}\n\n{difference}"


def compare(scores: FloatArray, peer: FloatArray, precise: FloatArray) -> str:
    """Say how far the scores of both sides agree."""
    n = scores.size
    best = [int(s.mean(axis=-1).argmax()) for s in (scores, peer)]
    same = "the same" if best[0] == best[1] else "not the same"
    return (
        f"Of the {n:,} scores, {np.sum(np.isclose(scores, peer)):,} equal those of GridSearchCV; the others differ by "
        f"{np.abs(scores - peer).max():.4f} at most, where one graph of a fold is 0.0083. With SVC solved to tol=1e-6 "
        f"instead of its 1e-3, {np.sum(np.isclose(scores, precise)):,} are equal. The best candidate is {same}."
    )


def best_time(work: Callable[[], object], turns: int = 20) -> float:
    """Give the least time that a piece of work took."""
    taken = []
    for _ in range(turns):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return min(taken)


def measure_stages() -> str:
    """Take a row of C apart: where its time goes at one depth and gamma in one fold, on both sides."""
    distances, codes, folds = enzymes()
    train, test = folds[0]
    order = train[np.argsort(codes[train], kind="stable")]
    own = codes[order]
    among, rows = distances[3][np.ix_(order, order)], distances[3][np.ix_(test, order)]
    kernel, across = np.exp(-among), np.exp(-rows)
    machines = [SVC(kernel="precomputed", C=cost) for cost in ATTRIBUTE_C_VALUES]
    fitting = sum(best_time(partial(machine.fit, kernel, own), 5) for machine in machines)
    predicting = sum(best_time(partial(machine.predict, across), 5) for machine in machines)

    def solve(costs: Sequence[float]) -> int:
        block, stop = KernelBlock(kernel, across, None, True), np.zeros(1, dtype=np.bool_)
        return sum(
            int(pair.steps.sum()) for pair in SVMLearner(6, krein=False).pair_paths(block, own, costs, stop=stop)
        )

    stages = {
        "copy of the distances": best_time(lambda: [distances[3][np.ix_(some, order)] for some in (order, test)]),
        "kernel of them": best_time(lambda: (np.exp(-among), np.exp(-rows))),
        "7 × SVC.fit": fitting,
        "7 × SVC.predict": predicting,
        "our solver, each C from nothing, decisions included": sum(
            best_time(partial(solve, [cost])) for cost in ATTRIBUTE_C_VALUES
        ),
        "our solver, the C in a row, decisions included": best_time(partial(solve, ATTRIBUTE_C_VALUES)),
    }
    steps = sum(int(machine.n_iter_.sum()) for machine in machines)
    in_a_row = solve(ATTRIBUTE_C_VALUES)
    table = markdown(
        ["stage, for 7 C at one depth and gamma in one fold", "time"],
        [[stage, duration(seconds)] for stage, seconds in stages.items()],
    )
    return (
        f"{table}\n\nGridSearchCV copies, and computes the kernel, anew for every C. libsvm takes {steps:,} steps for "
        f"the 15 pairs of classes and 7 C, our row of C {in_a_row:,}, each solved to a tenth of the tolerance."
    )


def nested() -> None:
    """Run the nested selection on NCI1, and print what it took; in a process of its own."""
    graphs, y = wg.load_dataset("NCI1")
    begin = time.perf_counter()
    distances = wg.wwl_distances(graphs, depth=DEPTHS, kind="categorical", n_jobs=2)
    computed = time.perf_counter()
    found = wg.evaluate_distances(distances, y, C=LABEL_C_VALUES, classifier="svc", cv=10, inner_cv=5, n_jobs=2)
    told = {
        "distances": computed - begin,
        "selection": time.perf_counter() - computed,
        "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "result": str(found),
    }
    print(json.dumps(told))


def measure_nested() -> str:
    """Report the nested selection on NCI1: 10 outer folds, 5 inner, 480 candidates: 24,000 machines."""
    run = subprocess.run([sys.executable, __file__, "--nested"], check=True, capture_output=True, text=True)
    told = json.loads(run.stdout.splitlines()[-1])
    print(f"NCI1: {duration(told['selection'])}, {told['mib']:,.0f} MiB", file=sys.stderr, flush=True)
    table = markdown(
        ["work", "at most", "taken"],
        [
            [
                "NCI1 labels, 10 × 5 folds, 480 candidates: 24,000 machines, 2 threads",
                "20 min",
                duration(told["selection"]),
            ],
            ["its distances, all depths", "", duration(told["distances"])],
            ["memory of the process", "8,192 MiB", f"{told['mib']:,.0f} MiB"],
        ],
    )
    return f"{table}\n\nIt found: {told['result']}."


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
