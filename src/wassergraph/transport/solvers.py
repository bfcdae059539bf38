"""The solvers of optimal transport, as they are called from Python; nothing here is compiled, or imports numba."""

from __future__ import annotations

import numpy as np

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.transport.layout import MOST_IN_SETS, Side, largest_sizes, padded
from wassergraph.transport.native import NativeFunction
from wassergraph.transport.tasks import (
    BlockTask,
    PlanTask,
    Rules,
    SinkhornTask,
    graphs_of,
    new_balance,
    new_lists,
    new_memory,
)

_solve_block = NativeFunction("wassergraph.transport.exact", "solve_block")
_solve_plan = NativeFunction("wassergraph.transport.exact", "solve_plan")
_sinkhorn_block = NativeFunction("wassergraph.transport.sinkhorn", "sinkhorn_block")


def solve_block(
    pairs: IntArray,
    left: Side,
    right: Side,
    width: int,
    dim: int,
    wanted: BoolArray,
    label_weight: float,
    label_cost: float,
    prices: FloatArray,
    max_iter: int,
    stop: BoolArray,
    out: FloatArray,
    status: IntArray,
) -> None:
    """Solve pairs (k, 2) of graphs for the depths where ``wanted`` is True: out (k, depths wanted), status (k).

    A status is the number of pivots, or one of :mod:`wassergraph.transport.status`. With ``prices``, masses are counts:
    see ``solve_block`` in exact.py. Pairs of up to 128 nodes and larger ones are solved by different code.
    """
    coded = len(left.codes) > 0
    rules = Rules(
        width, dim, coded, len(wanted), wanted, label_weight, label_cost, len(prices) > 0, prices, max_iter, stop
    )
    nodes = sum(np.diff(side.ptr)[pairs[:, column]] for column, side in enumerate((left, right)))
    small = np.asarray(nodes + rules.counted <= MOST_IN_SETS)
    for chosen, few in ((small, True), (~small, False)):
        if chosen.all() and len(chosen):
            _run_block(pairs, left, right, rules, few, out, status)
        elif chosen.any():
            number = np.count_nonzero(chosen)
            part, of_part = np.empty((number, out.shape[1])), np.zeros(number, dtype=np.int64)
            _run_block(pairs[chosen], left, right, rules, few, part, of_part)
            out[chosen], status[chosen] = part, of_part


def _run_block(
    pairs: IntArray, left: Side, right: Side, rules: Rules, few: bool, out: FloatArray, status: IntArray
) -> None:
    """Solve pairs that all have few nodes, up to 128, or all have more."""
    n, m = largest_sizes(pairs, left, right)
    memory = new_memory(n, m, coded=rules.coded, several=out.shape[1] > 1)
    lists = None if few else new_lists(max(n, m) + 1)
    graphs = graphs_of(left), graphs_of(right)
    _solve_block(
        BlockTask(len(pairs), np.ascontiguousarray(pairs), *graphs, rules, memory, lists, out.shape[1], out, status)
    )


def sinkhorn_block(
    pairs: IntArray,
    left: Side,
    right: Side,
    width: int,
    dim: int,
    wanted: BoolArray,
    label_weight: float,
    label_cost: float,
    reg: float,
    tol: float,
    max_iter: int,
    stop: BoolArray,
    out: FloatArray,
    status: IntArray,
) -> None:
    """Solve pairs (k, 2) by Sinkhorn's iterations, as :func:`solve_block` does; a status is a number of iterations."""
    coded, nothing = len(left.codes) > 0, np.empty(0)
    rules = Rules(width, dim, coded, len(wanted), wanted, label_weight, label_cost, False, nothing, max_iter, stop)
    n, m = largest_sizes(pairs, left, right)
    memory, balance = new_memory(n, m, coded=coded, several=out.shape[1] > 1), new_balance(n, m)
    graphs = graphs_of(left), graphs_of(right)
    given = len(pairs), np.ascontiguousarray(pairs), *graphs, rules, memory, balance
    _sinkhorn_block(SinkhornTask(*given, reg, tol, out.shape[1], out, status))


def solve_plan(
    cost: FloatArray, supply: IntArray, demand: IntArray, max_iter: int, stop: BoolArray
) -> tuple[int, IntArray, IntArray, IntArray, FloatArray]:
    """Solve one problem with costs (n, m): (status, sources, sinks, flows, potentials), the flows that are not zero.

    The potentials are u of a source, -v of a sink.
    """
    n, m = cost.shape
    memory = new_memory(n, m, coded=False, several=False)
    memory.cost[: n * padded(m)].reshape(n, padded(m))[:] = np.pad(cost, ((0, 0), (0, padded(m) - m)))
    memory.supply[:n], memory.demand[:m] = supply, demand
    lists = None if n + m <= MOST_IN_SETS else new_lists(max(n, m))
    sources, sinks, flows = np.empty((3, n + m), dtype=np.int64)
    found = np.zeros(2, dtype=np.int64)
    _solve_plan(PlanTask(n, m, max_iter, stop, memory, lists, sources, sinks, flows, found))
    status, used = found.tolist()
    return status, sources[:used], sinks[:used], flows[:used], memory.tree.potential[: n + m]
