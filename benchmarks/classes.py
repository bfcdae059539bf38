"""Measure how long training takes with many classes.

    .venv/bin/python benchmarks/classes.py [--classes 10 20 40 100] [--graphs 39] [--search wide] [--quick]

Each collection is like COIL-DEL, pictures of 100 objects from 39 sides: a class is a random set of 21 points in the
plane, and its graphs are Delaunay triangulations of the points after noise, with their coordinates as attributes. A
GraphClassifier by default is trained on all of them, on all cores, from the graphs on. A full run writes its
table to ``RESULTS.md``; ``--quick`` measures one small collection and writes nothing.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy.spatial import Delaunay

import wassergraph as wg
from reporting import circumstances, duration, markdown, save
from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.packing import EdgeRules, GraphParts, pack_parts
from wassergraph.tuning.wide import Search

HEADING = "## Many classes"
PACKAGES = ("wassergraph", "scikit-learn", "numpy", "scipy")
CLASSES = (10, 20, 40, 100)
N_NODES = 21
#: The standard deviation of the noise on points in the unit square: enough for errors in a few percent of the graphs.
NOISE = 0.12


def make_collection(n_classes: int, per_class: int, seed: int = 0) -> tuple[wg.GraphBatch, IntArray]:
    """Make triangulations of noisy copies of random points, and their classes."""
    rng = np.random.default_rng(seed)
    prototypes = rng.random((n_classes, N_NODES, 2))
    y = np.arange(n_classes * per_class) % n_classes
    points = prototypes[y] + NOISE * rng.normal(size=(len(y), N_NODES, 2))
    return pack_parts([_triangulation(each) for each in points], EdgeRules()), y


def _triangulation(points: FloatArray) -> GraphParts:
    corners = Delaunay(points).simplices
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]]).astype(np.int64)
    distinct = np.unique(np.sort(edges, axis=1), axis=0)
    return GraphParts(len(points), distinct, undirected=True, node_attributes=points)


def measure(n_classes: int, per_class: int, search: Search) -> list[str]:
    """Return a line of the table: the seconds of training, and of its parts."""
    graphs, y = make_collection(n_classes, per_class)
    model = wg.GraphClassifier(search=search, n_jobs=-1)
    begin = time.perf_counter()
    model.fit(graphs, y)
    seconds = time.perf_counter() - begin
    parts = [duration(model.seconds_[step]) for step in ("distances", "selection", "training", "calibration")]
    return [str(n_classes), f"{len(y):,}", *parts, duration(seconds), f"{model.best_score_:.3f}"]


def main() -> None:
    """Measure collections with several numbers of classes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classes", type=int, nargs="+", metavar="N", help="the numbers of classes")
    parser.add_argument("--graphs", type=int, default=39, metavar="N", help="the number of graphs of each class")
    parser.add_argument("--search", choices=("metric", "wide"), default="metric", help="what is chosen")
    parser.add_argument("--quick", action="store_true", help="measure one small collection")
    options = parser.parse_args()
    wg.GraphClassifier(wg.WWL(depth=[0, 1])).fit(*make_collection(3, 10))  # loads what is imported at the first use
    lines = []
    for n_classes in options.classes or ((10,) if options.quick else CLASSES):
        lines.append(measure(n_classes, 15 if options.quick else options.graphs, options.search))
        print(*lines[-1], sep="  ", flush=True)
    columns = ["classes", "graphs", "distances", "selection", "training", "calibration", "all", "accuracy in folds"]
    text = (
        f"Training of `GraphClassifier(n_jobs=-1)` on triangulations of {N_NODES} points with their coordinates as "
        "attributes, as in COIL-DEL; the SVMs of every two classes are chosen among 8 depths, 6 gammas and 7 C in five "
        "folds."
    )
    if not options.quick and options.classes is None and options.search == "metric" and options.graphs == 39:
        save(HEADING, "\n\n".join([circumstances(PACKAGES), text, markdown(columns, lines)]))


if __name__ == "__main__":
    main()
