"""Compare the speed of this version with that of another one, installed in an environment of its own.

    git worktree add /tmp/other COMMIT
    python -m venv /tmp/other/.venv && /tmp/other/.venv/bin/python -m pip install -e "/tmp/other[rdkit]"
    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/versions.py --other /tmp/other/.venv/bin/python \
        [--repeat 5] [--only NAME …]

Both versions run the same calls in a process of their own and take turns; the best of several turns counts. The results
are compared as well. The calls have the names of version 0.3; those of version 0.2 are translated. Molecules are looked
for in the folder `molecules` beside the archives. A run without ``--only`` writes its table to ``RESULTS.md``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import wassergraph as wg
from wassergraph import baselines

Features: Any
NodeEmbedding: Any
embedding_distances: Any
evaluate_distances: Any
try:
    from wassergraph.metrics.node_embedding import Features, NodeEmbedding
    from wassergraph.pairwise.api import embedding_distances

    def evaluate_distances(given: Any, classes: Any, depths: list[int], folds: int, **values: Any) -> Any:
        """Evaluate a classifier of given distances, on one thread; return its accuracies."""
        model = wg.GraphClassifier(wg.WWL(depth=depths), cv=folds, **values)
        return wg.evaluate(None, classes, model=model, folds=folds, distances=given, n_jobs=1).rows["wwl"].accuracy

except ModuleNotFoundError:
    from version_02 import Features, NodeEmbedding, embedding_distances, evaluate_distances, use_names

    use_names()

HEADING = "## Versions"
HOME = Path(os.environ.get("WASSERGRAPH_DATA", "../shared/datasets")).resolve()
DEPTHS = tuple(range(8))
#: Mean numbers of nodes of random graphs, and how many of these meet as many others.
SIZES = {10: 60, 20: 60, 50: 60, 100: 40, 200: 24, 500: 12, 1000: 6, 2000: 3, 4000: 1}
SINKHORN_SIZES = {100: 6, 500: 2, 1000: 1}
DIMENSION = 16
C_VALUES = tuple(10.0**e for e in range(-4, 6))


# What is measured: functions that prepare their input, and return the call to be timed

Call = Callable[[], Any]


@cache
def load(name: str) -> tuple[wg.GraphBatch, Any]:
    """Read a data set once."""
    graphs, targets = wg.load_dataset(name, data_home=HOME)
    return graphs, targets


def distances(name: str, depth: int | tuple[int, ...], n_graphs: int | None = None, **options: Any) -> Call:
    """Return the call that computes all distances of a set, or of its first graphs, on one thread."""
    graphs = load(name)[0][:n_graphs]
    return lambda: wg.distances(graphs, metric=wg.WWL(depth, **options), n_jobs=1)


def random_points(mean: int, block: int, **options: Any) -> Call:
    """Return the call that compares random graphs with as many others."""
    random = np.random.default_rng(0)
    sizes = np.maximum(np.rint(random.normal(mean, mean / 10, 2 * block)), 1).astype(np.int64)
    sides = []
    for part in (sizes[:block], sizes[block:]):
        ptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(part)])
        points = random.standard_normal((ptr[-1], DIMENSION))
        sides.append(NodeEmbedding(ptr, 0, kind="continuous", features=Features.NODE_ATTRIBUTES, points=points))
    return lambda: embedding_distances(*sides, depths=[0], n_jobs=1, **options)


def comment_threads() -> Call:
    """Return the call that compares trees of 100 to 3,000 nodes by their degrees at all depths."""
    random = np.random.default_rng(0)
    trees = []
    for n in random.integers(100, 3001, size=12):
        edges = np.column_stack([np.zeros(n - 1, dtype=np.int64), np.arange(1, n)])
        for t in range(1, n - 1):  # to an end of an earlier edge, or to the first node
            edges[t, 0] = edges[random.integers(t), random.integers(2)] if random.random() < 0.8 else 0
        trees.append(edges)
    graphs = wg.from_edges(trees, n_nodes=[len(edges) + 1 for edges in trees], symmetrize=True)
    return lambda: wg.distances(graphs, metric=wg.WWL(depth=DEPTHS, kind="continuous"), n_jobs=1)


def search(graphs: wg.GraphBatch, **options: Any) -> Call:
    """Return the call that looks for the five nearest graphs of fifty queries."""
    order = np.random.default_rng(0).permutation(len(graphs))
    index = wg.GraphIndex(graphs[np.sort(order[50:])], wg.WWL(depth=3, **options))
    queries = graphs[order[:50]]
    return lambda: index.query(queries, k=5, n_jobs=1)[0]


def molecules() -> wg.GraphBatch:
    """Read the molecules of MUV."""
    with gzip.open(HOME.parent / "molecules" / "MUV.csv.gz", "rt", encoding="utf-8") as file:
        return wg.from_smiles([row["smiles"] for row in csv.DictReader(file)])


def svm_paths(name: str) -> Call:
    """Return the call that evaluates given distances: kernels, and SVMs for all C, in nested folds."""
    graphs, classes = load(name)
    given = wg.distances(graphs, metric=wg.WWL(depth=[1, 3]))
    options: dict[str, Any] = {"gamma": [0.1, 1.0], "C": C_VALUES}
    return lambda: evaluate_distances(given, classes, [1, 3], 3, **options)


def kernel(estimator: Any, name: str, n_graphs: int | None = None) -> Call:
    """Return the call that computes a comparison kernel."""
    graphs = load(name)[0][:n_graphs]
    return lambda: estimator.fit_transform(graphs)


@dataclass(frozen=True)
class Piece:
    """A piece of work: its title, and the function that prepares it."""

    title: str
    prepare: Callable[[], Call]


STANDARDIZED: dict[str, Any] = {"kind": "continuous", "standardize": True}
PIECES = {
    "enzymes": Piece("ENZYMES attributes, depth 3", partial(distances, "ENZYMES", 3, **STANDARDIZED)),
    "enzymes-depths": Piece("ENZYMES attributes, depths 0…7", partial(distances, "ENZYMES", DEPTHS, **STANDARDIZED)),
    "bzr": Piece("BZR attributes, depth 3", partial(distances, "BZR", 3, **STANDARDIZED)),
    "joint": Piece(
        "ENZYMES labels and attributes, depth 3", partial(distances, "ENZYMES", 3, kind="joint", standardize=True)
    ),
    "joint-counts": Piece(
        'the same with `mass="count"`', partial(distances, "ENZYMES", 3, kind="joint", standardize=True, mass="count")
    ),
    "imdb": Piece("IMDB-BINARY degrees, depths 0…7", partial(distances, "IMDB-BINARY", DEPTHS, kind="continuous")),
    **{
        f"random-{mean}": Piece(f"random points, {mean:,} nodes", partial(random_points, mean, block))
        for mean, block in SIZES.items()
    },
    "large": Piece("one pair of 10,000 nodes", partial(random_points, 10_000, 1)),
    "reddit": Piece("12 threads of comments, degrees, depths 0…7", comment_threads),
    **{
        f"sinkhorn-{mean}": Piece(
            f"Sinkhorn, reg 0.1, {mean:,} nodes",
            partial(random_points, mean, block, solver=wg.Sinkhorn(0.1, max_iter=10**6)),
        )
        for mean, block in SINKHORN_SIZES.items()
    },
    "nci1": Piece("NCI1 labels, depths 0…7", partial(distances, "NCI1", DEPTHS)),
    "dd": Piece("D&D labels, depths 0…7", partial(distances, "DD", DEPTHS)),
    "search-enzymes": Piece(
        "search, ENZYMES attributes", lambda: search(load("ENZYMES")[0], kind="continuous", standardize=True)
    ),
    "search-bzr": Piece("search, BZR attributes", lambda: search(load("BZR")[0], kind="continuous", standardize=True)),
    "search-muv": Piece("search, MUV labels and attributes", lambda: search(molecules())),
    "svm-nci1": Piece("SVM paths, NCI1", lambda: svm_paths("NCI1")),
    "paths": Piece("shortest paths, NCI1", lambda: kernel(baselines.ShortestPath(), "NCI1")),
    "hopper": Piece("GraphHopper, ENZYMES", lambda: kernel(baselines.GraphHopper(), "ENZYMES", 200)),
    "rbf-wl": Piece("RBF-WL, ENZYMES", lambda: kernel(baselines.RBFWL(), "ENZYMES", 200)),
    "wl": Piece("WL subtree, NCI1", lambda: kernel(baselines.WLSubtree(), "NCI1")),
    "wl-oa": Piece("WL optimal assignment, NCI1", lambda: kernel(baselines.WLOptimalAssignment(), "NCI1")),
}


# One version: a process that answers names with times


def serve() -> None:
    """Run the pieces whose names are read, and write the seconds of each, and a sample of its result."""
    warnings.simplefilter("ignore")
    calls: dict[str, Call] = {}
    for line in sys.stdin:
        name = line.strip()
        if name not in calls:
            calls.clear()  # one piece at a time in memory
            calls[name] = PIECES[name].prepare()
        begin = time.perf_counter()
        result = calls[name]()
        seconds = time.perf_counter() - begin
        values = np.asarray(result, dtype=np.float64).ravel()
        print(json.dumps([seconds, values[:: max(len(values) // 1000, 1)].tolist()]), flush=True)


class Version:
    """A process that runs one version."""

    def __init__(self, python: str) -> None:
        command = [python, __file__, "--serve"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, name: str) -> tuple[float, list[float]]:
        """Run a piece; return its seconds, and a sample of its result."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(name, file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the other process ended while it ran {name}")
        seconds, sample = json.loads(line)
        return seconds, sample


def compare(name: str, versions: list[Version], repeat: int) -> list[float]:
    """Let both versions take turns; return the best seconds of each."""
    samples = [np.array(version.run(name)[1]) for version in versions]  # a first turn that does not count
    if not np.allclose(samples[0], samples[1], rtol=1e-9, atol=1e-12):
        raise RuntimeError(f"{name}: results differ by up to {np.abs(samples[0] - samples[1]).max():.2g}")
    turns = [[version.run(name)[0] for version in versions] for _ in range(repeat)]
    return [min(seconds) for seconds in zip(*turns, strict=True)]


def other_commit(python: str) -> str:
    """Return the commit of another environment."""
    code = "from wassergraph.files.provenance import current_provenance as p; print(p().commit)"
    run = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return run.stdout.strip() or "unknown"


def main() -> None:
    """Measure both versions, print their ratios, and write them to RESULTS.md."""
    from reporting import circumstances, duration, markdown, save

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--other", required=True, metavar="PYTHON", help="the Python that has the other version")
    parser.add_argument("--repeat", type=int, default=5, help="turns, of which the best counts (default: 5)")
    parser.add_argument("--only", nargs="+", choices=PIECES, metavar="NAME", help=f"of {', '.join(PIECES)}")
    options = parser.parse_args()
    versions = [Version(sys.executable), Version(options.other)]
    lines, ratios = [], []
    for name in options.only or PIECES:
        own, other = compare(name, versions, options.repeat)
        ratios.append(other / own)
        lines.append([PIECES[name].title, duration(own), duration(other), f"{other / own:.2f}×"])
        print(name, *lines[-1][1:], sep="  ", flush=True)
    mean = float(np.exp(np.mean(np.log(ratios))))
    table = markdown(["work, 1 thread", "this version", "the other", "the other takes"], lines)
    packages = ("wassergraph", "numpy", "scipy", "scikit-learn")
    note = f"The other version is commit {other_commit(options.other)}. The geometric mean of the ratios is {mean:.2f}."
    section = f"{circumstances(packages)}\n\n{note}\n\n{table}"
    print(f"\n{section}")
    if not options.only:
        save(HEADING, section)


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        main()
