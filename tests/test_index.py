"""GraphIndex finds exactly what sorting all distances finds."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

import wassergraph as wg

KINDS: dict[str, dict[str, Any]] = {
    "labels": {"kind": "categorical"},
    "labels, counts": {"kind": "categorical", "mass": "count", "unmatched": 0.8},
    "attributes": {"kind": "continuous", "standardize": True},
    "attributes, counts": {"kind": "continuous", "mass": "count"},
    "a line": {"kind": "continuous", "depth": 0},
    "both": {"kind": "joint"},
    "both, counts": {"kind": "joint", "mass": "count"},
    "both, cheap counts": {"kind": "joint", "mass": "count", "unmatched": 0.05},
    "size": {"kind": "joint", "size_weight": 0.4, "isolated": "keep"},
}


def sorted_rows(distances, k):
    """Return the k smallest entries of each row and their columns, by sorting everything."""
    order = np.array([np.lexsort((np.arange(len(row)), row))[:k] for row in distances]).reshape(len(distances), k)
    return np.take_along_axis(distances, order, axis=1), order


def check_query(index, graphs, new, k, options, **weights):
    """Compare a search with the distances of all pairs, bit for bit."""
    distances = wg.wwl_distances(graphs, new, **options, **weights).T
    found = index.query(new, k=k, weights=weights.get("other_weights"))
    expected = sorted_rows(distances, min(k, len(graphs)))
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_array_equal(found[0], expected[0])
    assert sum(index.last_counts.values()) == len(new) * len(graphs)


@pytest.fixture(scope="module")
def demo():
    return wg.load_dataset("demo")[0]


def part_of(demo, kind):
    """Return graphs with one attribute, if they are to be on a line."""
    if kind != "a line":
        return demo
    one = demo.node_attributes[:, :1]
    return wg.GraphBatch(demo.node_ptr, demo.indptr, demo.indices, node_attributes=one)


@pytest.mark.parametrize("k", [1, 5, 40, 100])
@pytest.mark.parametrize("kind", KINDS)
def test_queries_equal_brute_force(demo, kind, k):
    graphs, options = part_of(demo, kind), KINDS[kind]
    check_query(wg.GraphIndex(graphs[:40], **options), graphs[:40], graphs[40:], k, options)


@pytest.mark.parametrize("kind", KINDS)
def test_neighbors_of_the_graphs_themselves_equal_brute_force(demo, kind):
    graphs, options = part_of(demo, kind), KINDS[kind]
    index = wg.GraphIndex(graphs, **options)
    distances = wg.wwl_distances(graphs, **options)
    np.fill_diagonal(distances, np.inf)
    for found, expected in zip(index.kneighbors(6), sorted_rows(distances, 6), strict=True):
        np.testing.assert_array_equal(found, expected)
    radius = float(np.quantile(distances, 0.2))
    lengths, positions = index.neighbors_within(radius)
    for row, length, position in zip(distances, lengths, positions, strict=True):
        inside = np.flatnonzero(row <= radius)
        assert position.tolist() == sorted(inside.tolist(), key=lambda g, row=row: (row[g], g))
        np.testing.assert_array_equal(length, row[position])


@pytest.mark.parametrize("kind", KINDS)
def test_all_graphs_within_a_radius(demo, kind):
    graphs, options = part_of(demo, kind), KINDS[kind]
    index = wg.GraphIndex(graphs[:40], **options)
    distances = wg.wwl_distances(graphs[:40], graphs[40:], **options).T
    # A radius that is a distance itself includes it.
    for radius in (0.0, distances.min(), float(np.median(distances)), distances[3, 7], np.inf):
        lengths, positions = index.within(graphs[40:], radius)
        for row, length, position in zip(distances, lengths, positions, strict=True):
            assert sorted(position.tolist()) == np.flatnonzero(row <= radius).tolist()
            np.testing.assert_array_equal(length, np.sort(row[row <= radius]))


@pytest.mark.parametrize("kind", ["categorical", "continuous", "joint"])
@pytest.mark.parametrize("sides", ["both", "left", "right"])
def test_weights_of_nodes(demo, kind, sides):
    graphs, new = demo[:40], demo[40:]
    random = np.random.default_rng(0)
    left = random.uniform(0.2, 2, graphs.n_nodes) if sides != "right" else None
    right = random.uniform(0.2, 2, new.n_nodes) if sides != "left" else None
    index = wg.GraphIndex(graphs, kind=kind, weights=left)
    check_query(index, graphs, new, 7, {"kind": kind}, weights=left, other_weights=right)
    # A query with more nodes than any graph of the index changes how weights are rounded.
    large = wg.from_edges(
        [[(v, v + 1) for v in range(299)]],
        symmetrize=True,
        node_labels=[[v % 3 for v in range(300)]],
        node_attributes=[random.normal(size=(300, 2))],
        edge_weights=[np.ones(299)],
    )
    check_query(index, graphs, large, 7, {"kind": kind}, weights=left)


def random_graphs(random, sizes, dim):
    edges = [[(u, v) for u in range(n) for v in range(u) if random.random() < 0.4] for n in sizes]
    return wg.from_edges(
        edges,
        n_nodes=list(sizes),
        symmetrize=True,
        node_labels=[random.integers(0, 2, n) for n in sizes],
        node_attributes=[np.round(random.normal(size=(n, dim)), 1) for n in sizes],
    )


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 7), st.sampled_from(sorted(KINDS)), st.integers(1, 8)
)
@settings(max_examples=60)
def test_random_graphs_with_duplicates(seed, n, dim, kind, k):
    """Attributes of one decimal and small graphs give many ties; some graphs occur twice."""
    random = np.random.default_rng(seed)
    graphs = random_graphs(random, random.integers(1, 6, size=n), dim)
    graphs = graphs[np.concatenate([np.arange(n), random.integers(n, size=n // 2)])]
    options = {"depth": 1, **KINDS[kind], "standardize": False}
    new = graphs[random.integers(len(graphs), size=3)]
    check_query(wg.GraphIndex(graphs, **options), graphs, new, k, options)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_numbers_near_the_ends_of_the_range(demo, scale):
    graphs = wg.GraphBatch(
        demo.node_ptr,
        demo.indptr,
        demo.indices,
        node_attributes=scale * demo.node_attributes,
        node_labels=demo.node_labels,
    )
    options = {"kind": "continuous"}
    check_query(wg.GraphIndex(graphs[:40], **options), graphs[:40], graphs[40:], 5, options)
    # A query that is very far from all graphs, in the unit of the index.
    far = wg.GraphBatch(demo.node_ptr, demo.indptr, demo.indices, node_attributes=1e30 * demo.node_attributes)[:2]
    near = wg.GraphBatch(demo.node_ptr, demo.indptr, demo.indices, node_attributes=demo.node_attributes)
    check_query(wg.GraphIndex(near, **options), near, far, 5, options)


def test_one_graph_and_graphs_of_one_node():
    graphs = wg.from_edges([[], [], [(0, 1)]], n_nodes=[1, 1, 2], symmetrize=True, node_labels=[[0], [1], [0, 1]])
    for options in ({}, {"kind": "continuous"}, {"mass": "count"}):
        check_query(wg.GraphIndex(graphs, **options), graphs, graphs, 3, options)
        check_query(wg.GraphIndex(graphs[:1], **options), graphs[:1], graphs, 3, options)
    distances, positions = wg.GraphIndex(graphs[:1]).kneighbors(3)
    assert distances.shape == positions.shape == (1, 0)


def test_results_do_not_depend_on_threads(demo):
    index = wg.GraphIndex(demo, kind="joint")
    one, two = (index.query(demo, k=4, n_jobs=n_jobs) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], two[1])


def test_if_solvers_disagreed_distances_would_be_computed_again(demo):
    """The compiler may round differently within the search; then the other solver has the last word."""
    index = wg.GraphIndex(demo[:40], kind="joint")
    expected = index.query(demo[40:], k=4)
    (searcher,) = index._searchers.values()
    searcher.__dict__["_solver_agrees"] = False
    for found, right in zip(index.query(demo[40:], k=4), expected, strict=True):
        np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize("kind", ["labels", "attributes", "both, counts"])
def test_adding_graphs_equals_a_new_index(demo, kind):
    options = (
        {**KINDS[kind], "standardize": False, "unmatched": 0.7} if "counts" in kind else {"kind": KINDS[kind]["kind"]}
    )
    index = wg.GraphIndex(demo[:25], **options, names=[f"a{i}" for i in range(25)])
    index.add(demo[25:40], names=[f"b{i}" for i in range(15)])
    assert len(index) == 40
    assert index.names.tolist() == [f"a{i}" for i in range(25)] + [f"b{i}" for i in range(15)]
    check_query(index, demo[:40], demo[40:], 6, options)
    index.add(demo[40:42])
    assert index.names.tolist()[-2:] == ["40", "41"]


def test_a_sparse_graph_of_neighbors(demo):
    index = wg.GraphIndex(demo, kind="joint")
    distances, positions = index.kneighbors(3)
    graph = index.kneighbors_graph(3)
    assert graph.shape == (60, 60)
    np.testing.assert_array_equal(graph.indices.reshape(60, 3), positions)
    np.testing.assert_array_equal(graph.data.reshape(60, 3), distances)
    with_self = index.kneighbors_graph(3, mode="connectivity", include_self=True)
    np.testing.assert_array_equal(with_self.indices.reshape(60, 4)[:, 0], np.arange(60))
    assert (with_self.data == 1).all()


def test_scikit_learn_classifies_with_the_distances_of_an_index():
    graphs, y = wg.load_dataset("demo")
    index = wg.GraphIndex(graphs[:40], kind="joint")
    distances, positions = index.query(graphs[40:], k=40)
    matrix = np.empty_like(distances)
    np.put_along_axis(matrix, positions, distances, axis=1)
    own = wg.wwl_distances(graphs[:40], kind="joint")
    model = KNeighborsClassifier(5, metric="precomputed").fit(own, y[:40])
    votes = [np.bincount(y[:40][row[:5]], minlength=3) for row in positions]
    np.testing.assert_array_equal(model.predict_proba(matrix), np.array(votes) / 5)


def test_errors_say_what_the_index_holds(demo):
    index = wg.GraphIndex(demo, kind="joint", depth=2)
    with pytest.raises(ValueError, match=r"no edge weights.*GraphIndex\(60 graphs, joint, .*, depth 2\)"):
        index.query("CCO")
    with pytest.raises(ValueError, match=r"no node attributes.*GraphIndex"):
        index.query(replace(demo, node_attributes=None))
    with pytest.raises(ValueError, match=r"1 node attributes.*learned with 2.*GraphIndex"):
        index.query(replace(demo, node_attributes=demo.node_attributes[:, :1]))
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        index.query(demo, k=0)
    with pytest.raises(ValueError, match="radius must be at least 0, got -1"):
        index.within(demo, -1)
    with pytest.raises(ValueError, match="radius must be at least 0, got nan"):
        index.within(demo, float("nan"))
    with pytest.raises(ValueError, match="there are no graphs to search among"):
        wg.GraphIndex(demo[:0])
    for solver in ("sinkhorn", "sliced"):
        with pytest.raises(ValueError, match=r'no lower bounds.*use solver="auto"'):
            wg.GraphIndex(demo, solver=solver)
    with pytest.raises(ValueError, match="60 graphs, but 1 name"):
        wg.GraphIndex(demo, names=["a"])
    with pytest.raises(ValueError, match="the new graphs have weights of nodes, but the index has none"):
        index.add(demo, weights=np.ones(demo.n_nodes))


def test_bounds_settle_most_graphs(demo):
    """Ten times as many graphs, far from each other, hardly mean more solutions."""
    moved = [
        wg.GraphBatch(demo.node_ptr, demo.indptr, demo.indices, node_attributes=demo.node_attributes + 5 * shift)
        for shift in range(10)
    ]
    index = wg.GraphIndex(wg.GraphBatch.concatenate(moved), kind="continuous")
    index.query(moved[3], k=1)
    assert index.last_counts["solved"] < 0.05 * 60 * 600
    assert index.last_counts["vectors"] > 0.8 * 60 * 600


LABELED = ("MUTAG", "PTC_MR", "NCI1", "PROTEINS", "DD", "BZR_MD", "COX2_MD", "IMDB-BINARY")
WITH_ATTRIBUTES = ("ENZYMES", "PROTEINS_full", "BZR", "COX2", "SYNTHETICnew", "Synthie")


@pytest.mark.parametrize("name", LABELED + WITH_ATTRIBUTES)
def test_real_data_sets(data_home, name):
    """Fifty queries each, of every kind that the graphs have; of large graphs, among fewer."""
    graphs, _ = wg.load_dataset(name, data_home=data_home)
    small = np.flatnonzero(graphs.sizes <= 120)
    chosen = np.random.default_rng(0).permutation(small)[:250]
    new, graphs = graphs[chosen[:50]], graphs[chosen[50:]]
    options: list[dict[str, Any]] = [{}, {"mass": "count"}]
    if graphs.node_labels is not None and graphs.node_attributes is not None:
        options += [{"kind": "joint", "standardize": True}, {"kind": "categorical"}]
    for each in options:
        check_query(wg.GraphIndex(graphs, **each), graphs, new, 5, each)


def test_distances_do_not_depend_on_the_order_of_two_graphs(demo):
    """To the last bit, so that a search may have the query on either side."""
    for options in ({"kind": "joint"}, {"kind": "continuous"}, {"kind": "continuous", "mass": "count"}):
        one, two = wg.wwl_distances(demo[:30], demo[30:], **options), wg.wwl_distances(demo[30:], demo[:30], **options)
        if "mass" not in options:  # the price is learned from the graphs on the left
            np.testing.assert_array_equal(one, two.T)
    for a, b in itertools.combinations(range(6), 2):
        pair = wg.wwl_distances(demo[[a, b]], kind="continuous")[0, 1]
        assert pair == wg.wwl_distances(demo[[b, a]], kind="continuous")[0, 1]
