"""The network simplex of the core: every operation on eight doubles, and trees after every pivot, on every level."""

from __future__ import annotations

from fractions import Fraction
from itertools import count

import numpy as np
import ot
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wassergraph._core.testing import Simplex, lane_operation, number_of_smallest

from wassergraph import _core
from wassergraph.pairwise.layout import LANES, NOBODY

NUMBER_BITS = 20  # as in core/simd.hpp

eight = st.lists(st.floats(-1e6, 1e6), min_size=LANES, max_size=LANES).map(np.array)


@pytest.fixture(params=_core.levels())
def level(request):
    """Use one of the instruction sets that this processor has."""
    before = _core.level()
    _core.use_level(request.param)
    yield request.param
    _core.use_level(before)


# Eight doubles at once


def on_all_levels(name, a, b=None, c=None, bits=0):
    """Return the result of an operation, which must be the same on all levels."""
    before, zeros, results = _core.level(), np.zeros(LANES), []
    for each in _core.levels():
        _core.use_level(each)
        out = np.empty(LANES)
        lane_operation(name, a, zeros if b is None else b, zeros if c is None else c, bits, out)
        results.append(out)
    _core.use_level(before)
    for each in results:
        np.testing.assert_array_equal(each.view(np.int64), results[0].view(np.int64))
    return results[0]


@given(eight, eight, eight)
def test_operations_on_eight_doubles_are_those_on_each(a, b, c):
    expected = {
        "add": a + b,
        "subtract": a - b,
        "multiply": a * b,
        "smaller": np.where(a < b, a, b),
        "larger": np.where(a > b, a, b),
        "square_root": np.sqrt(np.abs(a)),
        "absolute": np.abs(a),
        "keep_above": np.where(a > b, c, 0.0),
    }
    for name, values in expected.items():
        first = np.abs(a) if name == "square_root" else a
        np.testing.assert_array_equal(on_all_levels(name, first, b, c), values)


@given(eight, eight, eight)
def test_multiply_add_rounds_once(a, b, c):
    exact = [fraction(x) * fraction(y) + fraction(z) for x, y, z in zip(a, b, c, strict=True)]
    np.testing.assert_array_equal(on_all_levels("multiply_add", a, b, c), [float(each) for each in exact])


def fraction(value):
    """Return a double as a fraction, whose conversion to a double rounds once."""
    return Fraction(float(value))


@given(eight, st.integers(0, 255))
def test_folding_and_choosing(a, bits):
    np.testing.assert_array_equal(on_all_levels("keep", a, bits=bits), np.where(bits >> np.arange(LANES) & 1, a, 0))
    assert on_all_levels("smallest", a)[0] == a.min()
    assert on_all_levels("largest", a)[0] == a.max()
    halves = a[:4] + a[4:]
    halves = halves[:2] + halves[2:]
    assert on_all_levels("total", a)[0] == halves[0] + halves[1]


@given(eight, st.integers(0, 2**NUMBER_BITS - LANES))
def test_the_number_of_the_smallest(a, first):
    number = number_of_smallest(a, first)
    assert a[number - first] <= a.min() + abs(a.min()) * 2.0 ** (NUMBER_BITS - 52) + 5e-324 * 2**NUMBER_BITS


def test_smaller_and_larger_return_the_second_of_what_is_no_number():
    a = np.array([np.nan, 1.0, np.nan, 0.0, -0.0, np.inf, -np.inf, 2.0])
    b = np.array([1.0, np.nan, np.nan, -0.0, 0.0, 1.0, 1.0, 2.0])
    for name, chosen in (("smaller", a < b), ("larger", a > b)):
        expected = np.where(chosen, a, b)
        np.testing.assert_array_equal(on_all_levels(name, a, b).view(np.int64), expected.view(np.int64))


# Trees


def problem(random, n, m):
    """Return random costs, and equal masses, perturbed as core/simplex.hpp says."""
    cost = random.integers(0, 12, size=(n, m)).astype(float)
    supply, demand = np.full(n, m * (2 * n + 1) + 1), np.full(m, n * (2 * n + 1))
    demand[-1] += n
    return cost, supply, demand


def subtree(parent, node):
    """Return the nodes below a node, by following all parents."""
    found = set()
    for k in range(len(parent)):
        above = k
        while above not in (node, NOBODY):
            above = parent[above]
        if above == node:
            found.add(k)
    return found


def check_tree(simplex, cost):
    """Check flows, potentials and subtrees of a tree, from its parents alone."""
    (n, m), parent, flow, potential = cost.shape, simplex.parent, simplex.flow, simplex.potential
    nodes = n + m
    balance = np.zeros(nodes, dtype=np.int64)
    for k, above in enumerate(parent.tolist()):
        if above != NOBODY:
            source, sink = (k, above) if k < n else (above, k)
            assert source < n <= sink
            assert flow[k] > 0
            balance[source] += flow[k]
            balance[sink] += flow[k]
            assert abs(cost[source, sink - n] + potential[sink] - potential[source]) < 1e-9
    assert balance[:n].tolist() == [m * (2 * n + 1) + 1] * n
    assert balance[n:-1].tolist() == [n * (2 * n + 1)] * (m - 1)
    below = [subtree(parent, k) for k in range(nodes)]
    if simplex.in_sets:
        words = [low | high << 64 for low, high in zip(simplex.low.tolist(), simplex.high.tolist(), strict=True)]
        assert [{k for k in range(nodes) if word >> k & 1} for word in words] == below
    else:
        check_list(simplex, below)


def check_list(simplex, below):
    """Check that in the list of all nodes each is followed by the nodes below it."""
    following, preceding, size, last = simplex.following, simplex.preceding, simplex.size, simplex.last
    order = [simplex.parent.tolist().index(NOBODY)]
    while len(order) < len(below):
        order.append(int(following[order[-1]]))
        assert preceding[order[-1]] == order[-2]
    assert sorted(order) == list(range(len(below)))
    for place, k in enumerate(order):
        assert size[k] == len(below[k])
        assert set(order[place : place + len(below[k])]) == below[k]
        assert last[k] == order[place + len(below[k]) - 1]


def expected_cost(cost):
    """Return the cost of the optimal plan between equal masses."""
    n, m = cost.shape
    return ot.emd2(np.full(n, 1 / n), np.full(m, 1 / m), cost)


@pytest.mark.parametrize(
    ("n", "m"), [(1, 1), (1, 7), (3, 3), (5, 9), (40, 47), (64, 64), (60, 70), (2, 130), (90, 101)]
)
def test_trees_are_right_after_every_pivot(level, n, m):
    cost, supply, demand = problem(np.random.default_rng(n * m), n, m)
    simplex = Simplex(cost, supply, demand)
    assert simplex.start() == 0
    simplex.set_potentials()
    check_tree(simplex, cost)
    for _ in range(25):  # one pivot more is not converged, until there is none left
        status = simplex.optimize(tolerance=1e-12, max_iter=0)
        check_tree(simplex, cost)
        if status == 0:
            break
    simplex.optimize(tolerance=1e-12, max_iter=10**6)
    check_tree(simplex, cost)
    assert abs(simplex.total_cost(n * m) - expected_cost(cost)) < 1e-9


@pytest.mark.parametrize(("n", "m"), [(5, 9), (60, 68), (70, 90)])
def test_costs_above_a_bound_are_lowered_to_it(n, m):
    cost, supply, demand = problem(np.random.default_rng(n), n, m)
    simplex = Simplex(cost, supply, demand)
    simplex.start()
    simplex.set_potentials(2.0)
    assert simplex.optimize(bound=2.0, tolerance=1e-12, max_iter=10**6) > 0
    lowered = np.minimum(cost, 2.0)
    check_tree(simplex, lowered)
    moved = sum(
        lowered[min(k, above), max(k, above) - n] * ((flow + n) // (2 * n + 1))
        for k, above, flow in zip(count(), simplex.parent.tolist(), simplex.flow.tolist(), strict=False)
        if above != NOBODY
    )
    assert abs(moved / (n * m) - expected_cost(lowered)) < 1e-9


def test_a_new_first_tree_replaces_a_worse_one_only():
    n, m, random = 60, 70, np.random.default_rng(5)
    cost, supply, demand = problem(random, n, m)
    simplex = Simplex(cost, supply, demand)
    simplex.start()
    simplex.set_potentials()
    simplex.optimize(tolerance=1e-12, max_iter=10**6)
    best = simplex.total_cost(1)
    assert not simplex.restart(cost, supply, demand, 1)
    assert simplex.total_cost(1) == best
    changed = problem(random, n, m)[0]
    assert simplex.restart(changed, supply, demand, 1)
    simplex.set_potentials()
    check_tree(simplex, changed)


@pytest.mark.parametrize("behind", [0.0, 1e9])
def test_what_is_behind_the_columns_does_not_matter(level, behind):
    n, m = 7, 13
    cost, supply, demand = problem(np.random.default_rng(0), n, m)
    simplex = Simplex(cost, supply, demand)
    simplex.fill_behind(behind)
    assert simplex.start() == 0
    simplex.set_potentials()
    simplex.optimize(tolerance=1e-12, max_iter=10**6)
    check_tree(simplex, cost)
    assert simplex.largest_cost() == cost.max()
    assert abs(simplex.total_cost(n * m) - expected_cost(cost)) < 1e-9
