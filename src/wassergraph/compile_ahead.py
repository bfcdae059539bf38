"""Compile everything ahead, so that no later process of this installation has to.

A function is compiled when it is first called with arguments of certain types, and the result is stored on disk. Here,
every function is called on a few small graphs, in all ways that lead to other types.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np

from wassergraph.arrays import IntArray
from wassergraph.baselines.hashing import Base, HashGraphKernel
from wassergraph.baselines.histogram import EdgeHistogram, VertexHistogram
from wassergraph.baselines.hopper import GraphHopper, NodeKernel
from wassergraph.baselines.kernel import GraphKernel
from wassergraph.baselines.paths import ShortestPath
from wassergraph.baselines.rbf import RBFWL, ContinuousVertexHistogram
from wassergraph.baselines.subtree import WLOptimalAssignment, WLSubtree
from wassergraph.datasets.demo import make_demo
from wassergraph.distances.api import pair_distances, wwl_distances
from wassergraph.embedding.node_embedding import EmbeddingKind, Mass
from wassergraph.errors import InputError, NotWritableError
from wassergraph.evaluation.evaluate import evaluate
from wassergraph.evaluation.methods import METHODS
from wassergraph.explain.transport import transport_plan
from wassergraph.formats.arrays import from_edges
from wassergraph.graphs.batch import GraphBatch
from wassergraph.kernels.laplacian import laplacian_kernel
from wassergraph.learning.candidates import DerivedMatrix
from wassergraph.learning.classifier import WWLClassifier
from wassergraph.learning.svm.krein import KreinSVC
from wassergraph.parallel.compilation import compile_clock
from wassergraph.search.index import GraphIndex
from wassergraph.transport.layout import MOST_IN_SETS
from wassergraph.transport.native import cache_folders, compiling_is_off

#: The number of graphs of each class that functions are called on.
_PER_CLASS = 4


@dataclass(frozen=True)
class CompiledStep:
    """A part of the package that was compiled.

    Attributes
    ----------
    name : str
        What it computes.
    functions : int
        How many functions were compiled; 0 if all had been compiled before.
    seconds : float
        How long that took.
    """

    name: str
    functions: int
    seconds: float


@dataclass(frozen=True)
class Warmup:
    """What :func:`warmup` compiled; ``print`` it for a table.

    Attributes
    ----------
    steps : tuple of CompiledStep
        What was compiled.
    folder : Path
        Where compiled code is stored.
    """

    steps: tuple[CompiledStep, ...]
    folder: Path

    @property
    def functions(self) -> int:
        """How many functions were compiled."""
        return sum(step.functions for step in self.steps)

    @property
    def seconds(self) -> float:
        """How long compiling took."""
        return sum(step.seconds for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers in a form that can be written as JSON.

        Returns
        -------
        dict
            The steps, their sums, and the folder.
        """
        return {
            "steps": [asdict(step) for step in self.steps],
            "functions": self.functions,
            "seconds": self.seconds,
            "folder": str(self.folder),
        }

    def __str__(self) -> str:
        total = CompiledStep("total", self.functions, self.seconds)
        return "\n".join([HEADER, *map(step_line, (*self.steps, total)), "", self.note()])

    def note(self) -> str:
        """Return sentences about where the code is."""
        done = "" if self.functions else "Everything had been compiled before. "
        return (
            f"{done}Compiled code is stored in {self.folder}.\nOnly users who can write there make use of it. In a "
            "container or on a cluster, set NUMBA_CACHE_DIR to a\nfolder that they can write, now and when the package "
            "is used."
        )


#: The first line of the table.
HEADER = f"{'compiled':<40} {'functions':>9} {'time':>9}"


def step_line(step: CompiledStep) -> str:
    """Return a line of the table."""
    return f"{step.name:<40} {step.functions:>9} {step.seconds:>7.2f} s"


def warmup() -> Warmup:
    """Compile everything ahead, which takes about a minute; afterwards, no computation has to wait for it.

    Compiled code is stored on disk, so a second call, or a call in another process, has little to do.

    Returns
    -------
    Warmup
        What was compiled, how long it took, and where it is stored.

    Raises
    ------
    ValueError
        If compiling is switched off by NUMBA_DISABLE_JIT.
    PermissionError
        If the folder that NUMBA_CACHE_DIR names cannot be written.

    See Also
    --------
    wwl_distances : the first call of which compiles code otherwise
    WWLClassifier : likewise, when it is fitted

    Examples
    --------
    >>> import wassergraph as wg
    >>> print(wg.warmup())  # doctest: +SKIP
    """
    folder = check_cache()
    return Warmup(tuple(compile_steps()), folder)


def check_cache() -> Path:
    """Return the folder that compiled code is stored in; raise an error if it is not the one that was asked for."""
    if compiling_is_off():
        raise InputError("nothing is compiled, since NUMBA_DISABLE_JIT is set", remedy="unset it")
    for folder in cache_folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder.parents[1] if folder.name == "__pycache__" else folder.parent
    problem = "compiled code cannot be stored in this folder"
    remedy = "set NUMBA_CACHE_DIR to a folder that can be written"
    raise NotWritableError(problem, remedy=remedy, file=os.environ.get("NUMBA_CACHE_DIR") or cache_folders()[0])


def compile_steps() -> Iterator[CompiledStep]:
    """Compile the package part by part, and yield what was compiled after each."""
    graphs, y = make_demo(_PER_CLASS)
    clock = compile_clock()
    for name, step in _STEPS.items():
        functions, seconds = clock.functions, clock.seconds
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the small graphs, which do not matter here
            step(graphs, y)
        yield CompiledStep(name, clock.functions - functions, clock.seconds - seconds)


def _compile_distances(kind: EmbeddingKind, graphs: GraphBatch, _: IntArray) -> None:
    """Compare graphs among each other, with others, and in pairs; with equal masses, given ones and counts."""
    few, weights = graphs[:3], np.linspace(1, 2, graphs.n_nodes)
    for mass in get_args(Mass):
        for options in _solvers(kind) if mass == "share" else [{}]:
            distances: Any = partial(wwl_distances, kind=kind, depth=[0, 1], mass=mass, **options)
            distances(graphs)
            distances(graphs, few)
        for others in (graphs, few):
            pair_distances(graphs, others, [(0, 1), (1, 2)], kind=kind, depth=[0, 1], mass=mass)
    wwl_distances(graphs, kind=kind, weights=weights)


def _solvers(kind: EmbeddingKind) -> list[dict[str, Any]]:
    """Return the options of all solvers for a kind."""
    sliced: list[dict[str, Any]] = [{"solver": "sliced", "n_projections": 2, "random_state": 0}]
    entropic: dict[str, Any] = {"solver": "sinkhorn", "reg": 1.0, "tol": 1e-2}
    return [{}, entropic, *(sliced if kind == "continuous" else [])]


def _compile_lines(graphs: GraphBatch, _: IntArray) -> None:
    """Compare graphs with one attribute at depth 0, which is solved by sorting."""
    on_a_line = graphs.degree_attributes()
    wwl_distances(on_a_line, kind="continuous", depth=0)
    wwl_distances(on_a_line, on_a_line[:3], kind="continuous", depth=0)


def _compile_large(graphs: GraphBatch, _: IntArray) -> None:
    """Compare two graphs of so many nodes that they are solved in another way, and find a plan of them."""
    n = MOST_IN_SETS // 2 + 1
    path = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    large = from_edges([path] * 2, node_attributes=[np.arange(2.0 * n).reshape(n, 2), np.ones((n, 2))], symmetrize=True)
    wwl_distances(large, kind="continuous", depth=1)
    transport_plan(large, 0, 1, kind="continuous", depth=1)


def _compile_search(graphs: GraphBatch, _: IntArray) -> None:
    """Search for the nearest graphs, by each kind."""
    for kind in get_args(EmbeddingKind):
        GraphIndex(graphs, kind=kind).query(graphs[:2], k=2)


def _compile_plans(graphs: GraphBatch, _: IntArray) -> None:
    for kind in get_args(EmbeddingKind):
        transport_plan(graphs, 0, 1, depth=1, kind=kind)
    transport_plan(graphs, 0, 1, weights=np.linspace(1, 2, graphs.n_nodes))


def _compile_svm(graphs: GraphBatch, y: IntArray) -> None:
    """Fit classifiers for two and three classes, with definite and indefinite kernels, and predict."""
    for kind in get_args(EmbeddingKind):
        WWLClassifier([0, 1], gamma=[0.1, 1.0], C=[1.0, 10.0], kind=kind, cv=2).fit(graphs, y).predict_proba(graphs)
    two = y < 2
    kernel = laplacian_kernel(wwl_distances(graphs), 1.0)
    indefinite = kernel - 2 * np.eye(len(y))
    for matrix in (kernel, indefinite):
        for strategy in ("ovo", "ovr"):
            KreinSVC(strategy=strategy).fit(matrix, y).predict(matrix)
        KreinSVC().fit(matrix[np.ix_(two, two)], y[two]).predict(matrix[np.ix_(two, two)])
    for dtype in (np.float32, np.float64):
        np.asarray(DerivedMatrix(kernel.astype(dtype), np.log(graphs.sizes), size_weight=1.0))


def _compile_baseline(kernels: tuple[GraphKernel[Any], ...], graphs: GraphBatch, _: IntArray) -> None:
    for kernel in kernels:
        for normalize in (False, True):
            kernel.set_params(normalize=normalize).fit_transform(graphs)
            kernel.transform(graphs[:3])


def _compile_evaluation(graphs: GraphBatch, y: IntArray) -> None:
    """Evaluate every method that compares graphs, for every kind that it has; fingerprints need no compiled code."""
    for name, method in METHODS.items():
        for kind in () if method.compares_fingerprints else method.kinds:
            evaluate(graphs, y, method=name, kind=kind, folds=2, inner_folds=2)


_STEPS: Mapping[str, Callable[[GraphBatch, IntArray], None]] = {
    "distances of labels": partial(_compile_distances, "categorical"),
    "distances of attributes": partial(_compile_distances, "continuous"),
    "distances of labels and attributes": partial(_compile_distances, "joint"),
    "distances of one attribute": _compile_lines,
    "distances of large graphs": _compile_large,
    "transport plans": _compile_plans,
    "search": _compile_search,
    "support vector machines": _compile_svm,
    "kernels of counts": partial(
        _compile_baseline,
        (VertexHistogram(), EdgeHistogram(), WLSubtree(), WLOptimalAssignment(), ShortestPath()),
    ),
    "kernels of attributes": partial(
        _compile_baseline,
        (
            ContinuousVertexHistogram(),
            RBFWL(),
            *(
                HashGraphKernel(base, iterations=2, use_labels=used)
                for base in get_args(Base)
                for used in (False, True)
            ),
            *(GraphHopper(node_kernel=kernel) for kernel in get_args(NodeKernel)),
        ),
    ),
    "evaluation": _compile_evaluation,
}
