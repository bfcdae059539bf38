"""What it costs to hand out the work of a matrix: the size of a problem, listing its tiles, solving one elsewhere.

WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/tiles.py
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

import wassergraph as wg
from wassergraph.arrays import FloatArray
from wassergraph.metrics.node_embedding import Features, NodeEmbedding
from wassergraph.metrics.solvers import Exact
from wassergraph.pairwise.prepare import prepare
from wassergraph.pairwise.solve import solve
from wassergraph.pairwise.work import tiles

N_GRAPHS = 100_000


def solve_pickled(work: bytes) -> FloatArray:
    """Solve a tile from the bytes of (problem, tile)."""
    problem, tile = pickle.loads(work)
    return np.asarray(solve(problem, tile))


def random_embedding(kind: str) -> NodeEmbedding:
    """Draw small graphs, as clouds of points or as bags of labels."""
    random = np.random.default_rng(0)
    ptr = np.concatenate([[0], np.cumsum(random.integers(10, 40, N_GRAPHS))])
    if kind == "labels":
        codes = random.integers(0, 50, size=(1, ptr[-1])).astype(np.uint64)
        return NodeEmbedding(ptr, 0, kind="categorical", features=Features.NODE_LABELS, codes=codes)
    points = random.normal(size=(ptr[-1], 3))
    return NodeEmbedding(ptr, 0, kind="continuous", features=Features.NODE_ATTRIBUTES, points=points)


def main() -> None:
    """Print the figures."""
    home = Path(os.environ.get("WASSERGRAPH_DATA", "../shared/datasets"))
    graphs, _ = wg.load_dataset(home / "ENZYMES.zip")
    problem = prepare([wg.WWL(depth=3).embed(graphs)], [3], Exact())
    tile = next(iter(tiles(problem)))
    work = pickle.dumps((problem, tile))
    print(f"ENZYMES, depth 3: a problem of {len(pickle.dumps(problem)) / 1e6:.1f} MB, {len(tiles(problem))} tiles")
    print(f"the work of one tile, {len(pickle.dumps(partial(solve, problem))) / 1e6:.1f} MB with its problem")
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        elsewhere = pool.submit(solve_pickled, work).result()
    part = wg.distances(graphs, metric=wg.WWL(depth=[3]))[:, tile.rows, tile.columns]
    print(f"solved in another process, equal to the matrix bit for bit: {np.array_equal(elsewhere, part)}")
    for kind in ("labels", "attributes"):
        problem = prepare([random_embedding(kind)], [0], Exact())
        begin = time.perf_counter()
        count = sum(1 for _ in tiles(problem))
        seconds = time.perf_counter() - begin
        print(f"{N_GRAPHS:,} graphs with {kind}: {count:,} tiles listed in {seconds:.2f} s")


if __name__ == "__main__":
    main()
