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
from wassergraph.transport.exact import clear, matrix_size, new_memory, set_masses
from wassergraph.transport.ground import add_squares, close_rows, euclidean, first_column, padded
from wassergraph.transport.pivots import TOLERANCE, optimize
from wassergraph.transport.simplex import largest, set_potentials, start, total_cost

#: Pairs of so many graphs and as many others, in the order in which they are solved.
BLOCK, REPEAT = 32, 15


@nb.njit(nogil=True, error_model="numpy")
def run(pairs: Any, side: Any, width: int, stages: int) -> tuple[float, int]:
    """Run the first stages on all pairs; return the sum of the results, which makes them needed, and the pivots."""
    size = 0
    for g in range(len(side.ptr) - 1):
        size = max(size, side.ptr[g + 1] - side.ptr[g])
    space, stop = np.empty(matrix_size(size, size)), np.zeros(1, np.bool_)
    tree, cost, squares, mismatches, supply, demand = new_memory(size, size, False, space)
    total, pivots = 0.0, 0
    for t in range(len(pairs)):
        g, h = pairs[t]
        n, m = side.ptr[g + 1] - side.ptr[g], side.ptr[h + 1] - side.ptr[h]
        stride = padded(m)
        clear(n, stride, squares, mismatches)
        column = first_column(side.ptr, h)
        add_squares(n, stride, side.rows, side.ptr[g], side.columns, column, width, 0, width, squares)
        euclidean(n * stride, squares, 1.0, cost)
        close_rows(n, m, stride, cost)
        total += cost[0]
        if stages > 1:
            unit = set_masses(g, h, n, n, m, side, side, False, supply, demand)
            start(n, m, stride, cost, supply, demand, tree)
            set_potentials(n, m, stride, cost, tree)
        if stages > 2:
            tolerance = TOLERANCE * largest(n, m, stride, cost)
            pivots += optimize(n, m, stride, cost, tree, tolerance, 1_000_000, np.inf, stop)
            total += total_cost(n, m, stride, cost, tree, unit)
    return total, pivots


def main() -> None:
    """Print the microseconds that each stage adds."""
    home = Path(os.environ.get("WASSERGRAPH_DATA", "../shared/datasets"))
    graphs, _ = wg.load_dataset(home / "ENZYMES.zip")
    embedding = wg.wl_embedding(graphs, 3, standardize=True)
    (side,) = pack_sides([embedding], 0)
    chosen = np.random.default_rng(0).permutation(len(graphs))
    pairs = np.stack(np.meshgrid(chosen[:BLOCK], chosen[BLOCK : 2 * BLOCK], indexing="ij"), axis=-1).reshape(-1, 2)
    sizes = np.diff(side.ptr)
    pairs = np.where((sizes[pairs[:, 0]] <= sizes[pairs[:, 1]])[:, None], pairs, pairs[:, ::-1]).copy()
    width, before = 4 * embedding.dim, 0.0
    for stages, name in [(1, "ground costs"), (2, "first tree"), (3, "pivots")]:
        run(pairs[:2], side, width, stages)
        times = []
        for _ in range(REPEAT):
            begin = time.perf_counter()
            _, pivots = run(pairs, side, width, stages)
            times.append((time.perf_counter() - begin) / len(pairs) * 1e6)
        print(f"{name:<13} {min(times) - before:5.1f} µs per pair")
        before = min(times)
    print(f"{pivots / len(pairs):.0f} pivots per pair of {sizes.mean():.0f} nodes on average")


if __name__ == "__main__":
    main()
