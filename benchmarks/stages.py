"""Measure the stages of one pair of graphs: ground costs, first tree, pivots; ENZYMES attributes, depth 3, one thread.

WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/stages.py
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numba as nb
import numpy as np

import wassergraph as wg
from wassergraph.distances.sides import pack_sides
from wassergraph.transport.exact import set_masses
from wassergraph.transport.ground import add_squares, euclidean
from wassergraph.transport.simplex import TOLERANCE, largest, new_tree, optimize, set_potentials, start, total_cost

N_PAIRS, REPEAT = 3_000, 5


@nb.njit(nogil=True, error_model="numpy")
def run(pairs: Any, side: Any, width: int, stages: int) -> tuple[float, int]:
    """Run the first stages on all pairs; return the sum of the results, which makes them needed, and the pivots."""
    size = 0
    for g in range(len(side.ptr) - 1):
        size = max(size, side.ptr[g + 1] - side.ptr[g])
    tree, stop = new_tree(size, size), np.zeros(1, np.bool_)
    squares, cost = np.empty(size * size), np.empty(size * size)
    supply, demand = np.empty(size, np.int64), np.empty(size, np.int64)
    total, pivots = 0.0, 0
    for t in range(len(pairs)):
        g, h = pairs[t]
        n, m = side.ptr[g + 1] - side.ptr[g], side.ptr[h + 1] - side.ptr[h]
        squares[: n * m] = 0.0
        add_squares(n, m, side.rows, side.ptr[g], side.columns, side.ptr[h], width, 0, width, squares)
        euclidean(n * m, squares, 1.0, cost)
        total += cost[0]
        if stages > 1:
            unit = set_masses(g, h, n, n, m, side, side, False, supply, demand)
            start(n, m, cost, supply, demand, tree)
            set_potentials(n, m, cost, tree)
        if stages > 2:
            pivots += optimize(n, m, cost, tree, TOLERANCE * largest(cost, n * m), 1_000_000, np.inf, stop)
            total += total_cost(n, m, cost, tree, 2 * n + 1, unit)
    return total, pivots


def main() -> None:
    """Print the microseconds that each stage adds."""
    home = Path(os.environ.get("WASSERGRAPH_DATA", "../shared/datasets"))
    graphs, _ = wg.load_dataset(home / "ENZYMES.zip")
    embedding = wg.wl_embedding(graphs, 3, standardize=True)
    (side,) = pack_sides([embedding], 0)
    pairs = np.random.default_rng(0).integers(0, len(graphs), size=(N_PAIRS, 2))
    sizes = np.diff(side.ptr)
    pairs = np.where((sizes[pairs[:, 0]] <= sizes[pairs[:, 1]])[:, None], pairs, pairs[:, ::-1]).copy()
    width, before = 4 * embedding.dim, 0.0
    for stages, name in [(1, "ground costs"), (2, "first tree"), (3, "pivots")]:
        run(pairs[:2], side, width, stages)
        times = []
        for _ in range(REPEAT):
            begin = time.perf_counter()
            _, pivots = run(pairs, side, width, stages)
            times.append((time.perf_counter() - begin) / N_PAIRS * 1e6)
        print(f"{name:<13} {min(times) - before:5.1f} µs per pair")
        before = min(times)
    print(f"{pivots / N_PAIRS:.0f} pivots per pair of {sizes.mean():.0f} nodes on average")


if __name__ == "__main__":
    main()
