"""The compiled core: the same bits on every level and every machine, and the types of its functions."""

from __future__ import annotations

import ast
import hashlib
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import wassergraph as wg
from made_metrics import metric_of, solver_of
from wassergraph import _core
from wassergraph.learners.svm.pairs import Deciders, decide_pairs
from wassergraph.learners.svm.smo import Problems, decide, solve_problems
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.solvers import Exact
from wassergraph.pairwise.api import embedding_distances
from wassergraph.pairwise.prepare import prepare
from wassergraph.pairwise.solve import solve, solve_pairs
from wassergraph.pairwise.tiles import Tile

STUB = Path(wg.__file__).with_name("_core.pyi")


@pytest.fixture
def each_level():
    """Yield the levels of this processor, and use the one before again."""
    before = _core.level()
    yield _core.levels()
    _core.use_level(before)


# What is computed: from whole numbers and their quotients, which are the same on every machine


def embedded(kind, **options) -> NodeEmbedding:
    """Return an embedding of the demo graphs at four depths, with points that are the same everywhere."""
    graphs, _ = wg.load_dataset("demo")
    embedding = metric_of(depth=3, kind=kind, **options).embed(
        replace(graphs, node_attributes=np.zeros((graphs.n_nodes, 5)))
    )
    if embedding.points is None:
        return embedding
    points = np.random.default_rng(0).integers(-4096, 4096, embedding.points.shape) / 1000.0
    unmatched = {"unmatched": 2.5} if options.get("mass") == "count" else {}
    return replace(embedding, points=points, **unmatched)


def distances(kind, **options):
    return [embedding_distances(embedded(kind, **options), depths=range(4))]


def label_distances(mass):
    """Return tiles of distances of labels, on both sides of the diagonal and beside it, and those of pairs."""
    problem = prepare([embedded("categorical", mass=mass)], range(4), Exact())
    pairs = np.random.default_rng(0).integers(0, 60, (500, 2))
    tiles = [Tile(0, 40, 0, 40), Tile(40, 60, 3, 50), Tile(0, 1, 0, 60)]
    return [*(solve(problem, tile) for tile in tiles), solve_pairs(problem, pairs)]


def sinkhorn_distances():
    """Return entropic distances of graphs of all sizes, with a strong and a weak regularization."""
    embedding = embedded("joint").take(np.arange(12))
    return [embedding_distances(embedding, depths=range(4), solver=wg.Sinkhorn(reg, 1e-6)) for reg in (2.0, 0.125)]


def line_distances():
    """Return distances on one line, and means over lines with given directions."""
    embedding = embedded("continuous")
    first = replace(embedding.upto(0), points=embedding.points[:, :1].copy())
    lines = np.random.default_rng(1).integers(-8, 8, (7, embedding.points.shape[1])) / 16.0
    problem = prepare([embedding], [1, 3], solver_of(solver="sliced", random_state=0))
    sliced = replace(problem, directions=(lines[:, :10], lines))
    return [embedding_distances(first, depths=[0]), solve(sliced, Tile(0, 60, 0, 60))]


def exponentials():
    """Return kernels of distances in both precisions."""
    values = np.random.default_rng(0).integers(0, 2**20, (101, 50)) / 2**14
    both = (values, values.astype(np.float32))
    return [wg.kernels.laplacian_kernel(each, gamma) for each in both for gamma in (0.37, 7.0, 1e3)]


def support_vector_machines():
    """Return coefficients, intercepts, steps and decisions of SVMs, of a definite kernel and of one of low rank."""
    rng = np.random.default_rng(0)
    results = []
    for n, width, added in ((90, 100, 1), (150, 12, 0)):
        points = rng.integers(0, 9, (n, width))
        kernel = (points @ points.T + added * np.eye(n, dtype=np.int64)) / 128.0
        signs = np.where(rng.integers(0, 2, n) > 0, 1.0, -1.0)
        problems = Problems(np.array([0, n]), np.arange(n), signs, rng.integers(1, 5, n) / 2.0)
        values, stop = np.array([0.125, 1.0, 1024.0]), np.zeros(1, dtype=np.bool_)
        solved = solve_problems(kernel, problems, values, 2.0**-13, 10**6, stop)
        assert (solved.steps >= 0).all()
        decisions = decide_pairs(Deciders(problems, 2, solved.coefficients, solved.intercepts, kernel), slice(None))
        rows = decide(kernel[:20], solved.coefficients, solved.intercepts[0])
        results += [solved.coefficients, solved.intercepts, solved.steps, decisions, rows]
    return results


def numbers():
    """Return numbers of codes, and how often they occur in graphs."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3000, 8000).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C1)
    distinct, found = _core.number_codes(codes)
    ptr = np.sort(np.append(rng.integers(0, 8000, 40), [0, 8000]))
    return [distinct, found, *_core.count_numbers(ptr, found, rng.integers(1, 9, 8000), len(distinct))]


def logarithms():
    x = np.ldexp(np.arange(1.0, 4000), np.arange(1, 4000) % 2000 - 1000)
    result = np.empty_like(x)
    _core.testing.logarithms(x, result)
    return [result]


#: What is computed, and the first digits of the SHA-256 of its results: a machine or a compiler that rounds differently
#: is noticed.
REFERENCES = {
    "points": (lambda: distances("continuous"), "62bfc1ada28e2275"),
    "labels and points": (lambda: distances("joint"), "d7bcb79d678a0d43"),
    "counts": (lambda: distances("continuous", mass="count"), "fd9cbb3191947c2d"),
    "labels": (lambda: label_distances("share"), "dfde40fc868ad0ec"),
    "counts of labels": (lambda: label_distances("count"), "72aab80194134176"),
    "entropic": (sinkhorn_distances, "7f2d4c8d3c078a5d"),
    "lines": (line_distances, "c7aed3e5fe7c4f4d"),
    "exponentials": (exponentials, "c5f658f28d6c0dba"),
    "logarithms": (logarithms, "d2e194c034e609d2"),
    "support vector machines": (support_vector_machines, "3fbdf576ab4a3de5"),
    "numbers": (numbers, "997c87a7706b4e75"),
}


def digits(arrays) -> str:
    """Return the first digits of the SHA-256 of arrays."""
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()[:16]


@pytest.mark.parametrize("name", REFERENCES)
def test_results_are_the_same_bits_on_every_level_and_machine(each_level, name):
    compute, expected = REFERENCES[name]
    found = {}
    for level in each_level:
        _core.use_level(level)
        found[level] = digits(compute())
    assert set(found.values()) == {expected}, found


# The types of the functions, which mypy reads


def parameters(signature) -> list[str]:
    """Return the names of the parameters in a signature that nanobind wrote."""
    return re.findall(r"(\w+): ", signature.partition("(")[2].rpartition(" -> ")[0])


def test_the_types_are_those_of_the_functions():
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    written = {node.name: [a.arg for a in node.args.args] for node in tree.body if isinstance(node, ast.FunctionDef)}
    functions = {name: getattr(_core, name) for name in dir(_core) if hasattr(getattr(_core, name), "__nb_signature__")}
    assert written == {name: parameters(each.__nb_signature__[0][0]) for name, each in functions.items()}
