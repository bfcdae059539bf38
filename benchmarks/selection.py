"""Compare the speed of our parameter selection with scikit-learn's GridSearchCV, as ratios measured in one run.

    make benchmarks
    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/selection.py [--repeat 3] [--only NAME …]

Both sides get the same precomputed distances, the same folds and the same candidates. GridSearchCV searches gamma
and C in a pipeline of LaplacianKernel and SVC, once for every depth, which is what a user of scikit-learn would write;
for numbers, gamma and alpha in a pipeline of LaplacianKernel and KernelRidge. Both take turns, and the best of several
turns counts; their scores are compared fold by fold. The nested selection on NCI1 runs once, in a separate process
whose memory is measured. The tables of molecules are looked for in the folder `molecules` beside the archives. A full
run writes its tables to ``RESULTS.md``.
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
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Hyperparameter, Kernel, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import wassergraph as wg
from regression import TABLES
from reporting import circumstances, duration, markdown, save, times
from wassergraph.arrays import FloatArray, Fold, IntArray
from wassergraph.learners.gaussian import fit_process, fit_processes
from wassergraph.learners.protocol import FitOptions, KernelBlock
from wassergraph.learners.ridge import RidgeLearner, penalties
from wassergraph.learners.svm.learner import SVMLearner
from wassergraph.learners.svm.pairs import decide_pairs
from wassergraph.metrics.node_embedding import Mass
from wassergraph.scores.classes import read_classes
from wassergraph.tuning.folds import make_folds
from wassergraph.tuning.grid import (
    ATTRIBUTE_C_VALUES,
    GAMMAS,
    LABEL_C_VALUES,
    REGRESSION_GAMMAS,
    Grid,
    ridge_grid,
)
from wassergraph.tuning.selection import score_grid

HEADING = "## Selection"
PACKAGES = ("wassergraph", "scikit-learn", "numpy", "scipy", "rdkit")
DEPTHS = tuple(range(8))
GRID = Grid.of_depths(DEPTHS, GAMMAS, ATTRIBUTE_C_VALUES)
#: The default candidates of GraphRegressor at two depths.
RIDGE_DEPTHS = (1, 2)
RIDGE_GRID = ridge_grid(Grid.of_depths(RIDGE_DEPTHS).matrices, REGRESSION_GAMMAS)
#: Molecules of Lipophilicity for Gaussian processes, drawn with a fixed seed.
N_MOLECULES = 2000
MASSES: tuple[Mass, ...] = ("share", "count")


@cache
def enzymes() -> tuple[FloatArray, IntArray, list[Fold]]:
    """Return the distances of all depths, the classes and five folds of ENZYMES."""
    graphs, y = wg.load_dataset("ENZYMES")
    distances = wg.distances(graphs, metric=wg.WWL(depth=DEPTHS, kind="continuous", standardize=True), n_jobs=-1)
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
    """Score all candidates by score_grid, as GraphClassifier does for attributes, where kernels may be indefinite."""
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
    ours(1)  # loads what is imported at the first use
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
        block = KernelBlock(kernel, across, None, True)
        deciders, steps = SVMLearner(6, krein=False).solve(block, classes, values_of_c, FitOptions())
        decide_pairs(deciders, slice(None))
        return int(steps.sum())

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
    distances = wg.distances(graphs, metric=wg.WWL(depth=DEPTHS, kind="categorical"), n_jobs=2)
    computed = time.perf_counter()
    model = wg.GraphClassifier(wg.WWL(depth=DEPTHS), C=LABEL_C_VALUES, cv=5)
    evaluation = wg.evaluate(None, y, model=model, folds=10, distances=distances, n_jobs=2)
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


# Numbers


class RidgeWithMean(KernelRidge):  # type: ignore[misc]
    """Kernel ridge regression of targets less their mean, which is what a constant in the model amounts to."""

    mean_: float

    def fit(self, X: ArrayLike, y: FloatArray) -> Self:  # noqa: N803 - scikit-learn's name
        """Fit to the targets without their mean."""
        self.mean_ = float(y.mean())
        super().fit(X, y - self.mean_)
        return self

    def predict(self, X: ArrayLike) -> FloatArray:  # noqa: N803 - scikit-learn's name
        """Predict targets."""
        return np.asarray(self.mean_ + super().predict(X))


@cache
def numbers(title: str) -> tuple[FloatArray, FloatArray, list[Fold]]:
    """Return the distances of two depths, the targets and five folds of a table of molecules."""
    smiles, y = TABLES[title].load()
    distances = wg.distances(smiles, metric=wg.WWL(depth=RIDGE_DEPTHS, kind="categorical", mass="count"), n_jobs=-1)
    return distances, y, make_folds(y, None, 5, 0)


def ridge_ours(title: str, n_jobs: int) -> FloatArray:
    """Score all candidates by score_grid, as GraphRegressor does for labels."""
    distances, y, folds = numbers(title)
    return score_grid(distances, y, folds, RIDGE_GRID, RidgeLearner(krein=False), n_jobs=n_jobs).score


def ridge_pipeline(title: str, n_jobs: int) -> FloatArray:
    """Score all candidates by a GridSearchCV over gamma and alpha for every depth."""
    distances, y, folds = numbers(title)
    parameters = {"laplaciankernel__gamma": REGRESSION_GAMMAS, "ridgewithmean__alpha": ridge_alphas()}
    pipeline = make_pipeline(wg.LaplacianKernel(), RidgeWithMean(kernel="precomputed"))
    scores = [search_numbers(pipeline, parameters, matrix, y, folds, n_jobs) for matrix in distances]
    return np.array(scores).reshape(*RIDGE_GRID.shape, len(folds))


def ridge_by_gamma(title: str, n_jobs: int) -> FloatArray:
    """Score all candidates by a GridSearchCV over alpha for every depth and gamma, on a kernel computed once."""
    distances, y, folds = numbers(title)
    ridge, parameters = RidgeWithMean(kernel="precomputed"), {"alpha": ridge_alphas()}
    scores = [
        search_numbers(ridge, parameters, wg.kernels.laplacian_kernel(matrix, gamma), y, folds, n_jobs)
        for matrix in distances
        for gamma in REGRESSION_GAMMAS
    ]
    return np.array(scores).reshape(*RIDGE_GRID.shape, len(folds))


def ridge_alphas() -> list[float]:
    """Return the penalties in the order of our grid."""
    return [float(alpha) for alpha in penalties(RIDGE_GRID.C_values)]


def search_numbers(
    estimator: Any, parameters: dict[str, Any], matrix: FloatArray, y: FloatArray, folds: list[Fold], n_jobs: int
) -> FloatArray:
    """Score candidates by GridSearchCV (n_candidates, n_folds), with one thread in each process, as on our side."""
    with threadpool_limits(1):
        search = GridSearchCV(
            estimator, parameters, scoring="neg_mean_squared_error", cv=folds, n_jobs=n_jobs, refit=False
        ).fit(matrix, y)
    return np.transpose([search.cv_results_[f"split{fold}_test_score"] for fold in range(len(folds))])


def measure_ridge(repeat: int) -> str:
    """Compare the searches for ridge regression on two tables, with one process or thread and with two."""
    lines, differences = [], []
    for title in ("FreeSolv", "ESOL"):
        numbers(title)  # compute the distances
        for n_jobs in (1, 2):
            sides = [partial(side, title, n_jobs) for side in (ridge_ours, ridge_pipeline, ridge_by_gamma)]
            (mine, theirs, by_gamma), scores = best_of(repeat, *sides)
            name = f"{title}, {np.prod(RIDGE_GRID.shape)} candidates × 5 folds, n_jobs={n_jobs}"
            ratios = times(theirs / mine), times(by_gamma / mine)
            print(f"{name}: {', '.join(ratios)}", file=sys.stderr, flush=True)
            lines.append([name, "20×", ratios[0], ratios[1], *map(duration, (mine, theirs, by_gamma))])
        differences.append(compare_numbers(title, *scores))
    columns = ["work", "at least", "reached", "for each gamma", "ours", "GridSearchCV", "GridSearchCV for each gamma"]
    return "\n\n".join(
        [
            "Ridge regression of numbers, all default values of gamma and alpha at depths 1 and 2, distances of labels "
            'with `mass="count"`. "For each gamma" is one GridSearchCV over alpha for every gamma, on a kernel that is '
            "computed once. In every fold the mean of the training targets is subtracted, on both sides.",
            markdown(columns, lines),
            " ".join(differences),
        ]
    )


def compare_numbers(title: str, scores: FloatArray, *peers: FloatArray) -> str:
    """Describe how far the scores of all sides agree."""
    difference = max(float(np.max(np.abs(scores / peer - 1))) for peer in peers)
    best = {int(each.mean(axis=-1).argmax()) for each in (scores, *peers)}
    same = "the same" if len(best) == 1 else "not the same"
    return (
        f"{title}: the {scores.size:,} mean squared errors agree to a relative difference of {difference:.0e}; "
        f"the best candidate is {same}."
    )


class DistanceKernel(Kernel):  # type: ignore[misc]
    """The kernel exp(-gamma D) for scikit-learn's Gaussian processes, whose X are distances to the training graphs."""

    def __init__(self, gamma: float, gamma_bounds: tuple[float, float]) -> None:
        self.gamma = gamma
        self.gamma_bounds = gamma_bounds

    @property
    def hyperparameter_gamma(self) -> Hyperparameter:
        """What is optimized."""
        return Hyperparameter("gamma", "numeric", self.gamma_bounds)

    def __call__(self, X: FloatArray, Y: FloatArray | None = None, eval_gradient: bool = False) -> Any:  # noqa: N803
        """Return the kernel, and its derivative by the logarithm of gamma."""
        kernel = np.exp(-self.gamma * X)
        return (kernel, (-self.gamma * X * kernel)[:, :, None]) if eval_gradient else kernel

    def diag(self, X: FloatArray) -> FloatArray:  # noqa: N803 - scikit-learn's name
        """Return the kernel of each graph with itself."""
        return np.ones(len(X))

    def is_stationary(self) -> bool:
        """Return that the kernel is not one of differences."""
        return False


@cache
def lipophilicity() -> tuple[FloatArray, FloatArray]:
    """Return the distances of some molecules, for both masses and all depths, and their targets."""
    smiles, y = TABLES["Lipophilicity"].load()
    chosen = np.random.default_rng(0).permutation(len(y))[:N_MOLECULES]
    graphs = wg.from_smiles([smiles[molecule] for molecule in chosen])
    metrics = [wg.WWL(DEPTHS, kind="categorical", mass=mass) for mass in MASSES]
    return np.concatenate([wg.distances(graphs, metric=metric, n_jobs=-1) for metric in metrics]), y[chosen]


def processes_ours(n_jobs: int) -> FloatArray:
    """Fit Gaussian processes as GraphGaussianProcess does; return the best evidence."""
    distances, y = lipophilicity()
    fitted = fit_processes(distances, y, np.random.RandomState(0), n_jobs=n_jobs)
    return np.array([max(process.log_likelihood for process in fitted.values())])


def process_start(matrix: FloatArray) -> tuple[float, float]:
    """Return where both sides begin: gamma, and the noise as a share of the signal variance."""
    return 1.0 / float(np.median(matrix)), 0.1


def process_ours(matrix: FloatArray, y: FloatArray) -> FloatArray:
    """Fit one process on one thread; return its evidence and gamma."""
    with threadpool_limits(1):
        process = fit_process(matrix, y, start=process_start(matrix))
    return np.array([process.log_likelihood, process.gamma])


def process_peer(matrix: FloatArray, y: FloatArray) -> FloatArray:
    """Fit one process of scikit-learn on one thread; return its evidence and gamma."""
    gamma, noise = process_start(matrix)
    bounds, variance = (1e-3 * gamma, 1e2 * gamma), float(np.var(y))
    kernel = ConstantKernel(variance) * DistanceKernel(gamma, bounds) + WhiteKernel(noise * variance)
    with threadpool_limits(1):
        peer = GaussianProcessRegressor(kernel).fit(matrix, y - y.mean())
    return np.array([peer.log_marginal_likelihood_value_, peer.kernel_.k1.k2.gamma])


def measure_processes(repeat: int) -> str:
    """Measure the fit of Gaussian processes, and compare that of one matrix with scikit-learn's."""
    distances, y = lipophilicity()
    (taken,), _ = best_of(repeat, partial(processes_ours, 2))
    matrix = distances[len(DEPTHS) + 2]
    sides = [partial(side, matrix, y) for side in (process_ours, process_peer)]
    (mine, theirs), (ours_at, peer_at) = best_of(repeat, *sides)
    print(f"processes: {duration(taken)}, {times(theirs / mine)}", file=sys.stderr, flush=True)
    n, n_matrices = f"{len(y):,}", len(distances)
    whole = f"{n} molecules of Lipophilicity, {n_matrices} matrices (two masses, depths 0…7), 2 threads"
    one = 'one of the matrices (`mass="count"`, depth 2), 1 thread'
    table = markdown(
        ["work", "at most", "measured", "GaussianProcessRegressor", "ratio"],
        [[whole, "1 min", duration(taken), "", ""], [one, "", duration(mine), duration(theirs), times(theirs / mine)]],
    )
    return (
        "Gaussian processes, after the distances, which are those of labels. scikit-learn gets a kernel that computes "
        "exp(-gamma D) and its gradient from one matrix, a signal variance and noise, and begins at the same place.\n\n"
        f"{table}\n\nFor this matrix, the logarithm of the marginal likelihood is {ours_at[0]:.2f}, that of "
        f"scikit-learn {peer_at[0]:.2f}; gamma is {ours_at[1]:.4g} and {peer_at[1]:.4g}."
    )


INTRODUCTION = """\
How many times longer scikit-learn's GridSearchCV takes to score the same candidates on the same distances and folds,
how long nested selection takes on the largest set, and the same for numbers. Both sides took turns, and the best of
several turns counts."""


def main() -> None:
    """Measure, print, and write the results of a full run."""
    parts: dict[str, Callable[[int], str]] = {
        "enzymes": measure_enzymes,
        "stages": lambda _: measure_stages(),
        "nested": lambda _: measure_nested(),
        "ridge": measure_ridge,
        "process": measure_processes,
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
