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
from wassergraph.transport.exact import add_depths, clear, ground_cost, padded, set_masses
from wassergraph.transport.layout import MOST_IN_SETS
from wassergraph.transport.pivots import TOLERANCE, optimize
from wassergraph.transport.simplex import largest, set_potentials, start, total_cost
from wassergraph.transport.tasks import Rules, graphs_of, new_memory

#: Pairs of so many graphs and as many others, in the order in which they are solved.
BLOCK, REPEAT = 32, 15


@nb.njit(nogil=True, error_model="numpy")
def run(pairs: Any, side: Any, rules: Any, memory: Any, stages: int) -> tuple[float, int]:
    """Run the first stages on all pairs; return the sum of the results, which makes them needed, and the pivots."""
    tree, cost, supply, demand, total, pivots = memory.tree, memory.cost, memory.supply, memory.demand, 0.0, 0
    for t in range(len(pairs)):
        g, h = pairs[t]
        n, m = side.ptr[g + 1] - side.ptr[g], side.ptr[h + 1] - side.ptr[h]
        stride = padded(m)
        clear(n, stride, rules, memory)
        add_depths(g, h, n, m, side, side, rules, 0, rules.n_depths, memory)
        ground_cost(n, n, stride, rules, rules.n_depths - 1, memory)
        total += cost[0]
        if stages > 1:
            unit = set_masses(g, h, n, n, m, side, side, rules, memory)
            start(n, m, stride, cost, supply, demand, tree, None)
            set_potentials(n, m, stride, cost, np.inf, tree)
        if stages > 2:
            tolerance = TOLERANCE * largest(n, m, stride, cost)
            pivots += optimize(n, m, stride, cost, np.inf, tree, None, tolerance, 1_000_000, np.inf, rules.stop)
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
    few = sizes[pairs].sum(axis=1) <= MOST_IN_SETS
    pairs, largest_size, before = pairs[few], int(sizes.max()), 0.0
    wanted, stop, nothing = np.arange(4) == 3, np.zeros(1, dtype=np.bool_), np.empty(0)
    rules = Rules(4 * embedding.dim, embedding.dim, False, 4, wanted, 0.0, 0.0, False, nothing, 0, stop)
    memory = new_memory(largest_size, largest_size, coded=False, several=False)
    for stages, name in [(1, "ground costs"), (2, "first tree"), (3, "pivots")]:
        run(pairs[:2], graphs_of(side), rules, memory, stages)
        times = []
        for _ in range(REPEAT):
            begin = time.perf_counter()
            _, pivots = run(pairs, graphs_of(side), rules, memory, stages)
            times.append((time.perf_counter() - begin) / len(pairs) * 1e6)
        print(f"{name:<13} {min(times) - before:5.1f} µs per pair")
        before = min(times)
    print(f"{pivots / len(pairs):.0f} pivots per pair of {sizes.mean():.0f} nodes on average")


if __name__ == "__main__":
    main()
