"""The comparison kernels that count labels: V, E, WL, WL-OA and shortest paths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import issparse

import wassergraph as wg
from oracles import edge_counts, inner_products, optimal_assignment_slowly, path_counts, vertex_counts, wl_counts
from peers import grakel_kernel
from strategies import batches
from wassergraph import baselines

# The kernel, its options, and how to count slowly what it counts.
COUNTING = {
    "V": (baselines.VertexHistogram, {}, vertex_counts),
    "E": (baselines.EdgeHistogram, {}, edge_counts),
    "WL 0": (baselines.WLSubtree, {"depth": 0}, lambda graphs: wl_counts(graphs, 0)),
    "WL 2": (baselines.WLSubtree, {"depth": 2}, lambda graphs: wl_counts(graphs, 2)),
    "SP": (baselines.ShortestPath, {}, path_counts),
}
# The kernel, its options, and the name and options that GraKeL has for it; its n_iter counts refinements, as our depth.
PEERS = {
    "V": (baselines.VertexHistogram, {}, "VertexHistogram", {}),
    "E": (baselines.EdgeHistogram, {}, "EdgeHistogram", {}),
    "WL": (baselines.WLSubtree, {"depth": 3}, "WeisfeilerLehman", {"n_iter": 3}),
    "WL-OA": (baselines.WLOptimalAssignment, {"depth": 3}, "WeisfeilerLehmanOptimalAssignment", {"n_iter": 3}),
    "SP": (baselines.ShortestPath, {}, "ShortestPath", {"with_labels": True}),
}
CHAIN = {"n_nodes": [3], "node_labels": [[1, 8, 1]], "symmetrize": True}

counting = pytest.mark.parametrize(("kernel", "options", "count"), COUNTING.values(), ids=COUNTING)


@pytest.fixture(scope="module")
def demo():
    graphs, _ = wg.load_dataset("demo")
    return replace(graphs, edge_labels=(graphs.arc_tails + graphs.indices) % 3)[:12]


def divided(kernel, own, others):
    """Divide by the roots of the self-similarities; where one is 0, the kernel is 0 already."""
    scale = np.sqrt(np.outer(own, others))
    return np.divide(kernel, scale, out=np.zeros_like(kernel), where=scale > 0)


# Against slow counts


@counting
@settings(deadline=None, max_examples=30)
@given(batches(min_graphs=2), st.integers(1, 2))
def test_kernels_are_inner_products_of_counts(kernel, options, count, batch, n_train):
    counts = count(batch)
    slow = inner_products(counts, counts)
    np.testing.assert_array_equal(kernel(**options).fit_transform(batch), slow)
    model = kernel(**options).fit(batch[:n_train])
    np.testing.assert_array_equal(model.transform(batch), slow[:, :n_train])


@counting
@settings(deadline=None, max_examples=20)
@given(batches(min_graphs=2))
def test_normalized_kernels_count_labels_of_new_graphs_too(kernel, options, count, batch):
    counts = count(batch)
    slow = inner_products(counts, counts)
    own = slow.diagonal()
    square = kernel(**options, normalize=True).fit_transform(batch)
    np.testing.assert_allclose(square, divided(slow, own, own), rtol=1e-12)
    rows = kernel(**options, normalize=True).fit(batch[:1]).transform(batch)
    np.testing.assert_allclose(rows, divided(slow[:, :1], own, own[:1]), rtol=1e-12)


@counting
@settings(deadline=None, max_examples=20)
@given(batches(min_graphs=2))
def test_features_are_what_is_multiplied(kernel, options, count, batch):
    model = kernel(**options).fit(batch[:1])
    old, new = model.features(batch[:1]), model.features(batch)
    assert issparse(new)
    assert new.format == "csr"
    assert new.shape[0] == len(batch)
    assert old.shape[1] == new.shape[1]
    np.testing.assert_array_equal((new @ old.T).toarray(), model.transform(batch))
    np.testing.assert_array_equal((old @ old.T).toarray(), kernel(**options).fit_transform(batch[:1]))
    (own,) = count(batch[:1])
    assert sorted(old.data.tolist()) == sorted(own.values())


def test_demo_counts_are_those_of_the_slow_way(demo):
    for kernel, options, count in COUNTING.values():
        counts = count(demo)
        slow = inner_products(counts, counts)
        np.testing.assert_array_equal(kernel(**options).fit_transform(demo), slow)
        assert len(np.unique(slow)) > 1


@settings(deadline=None, max_examples=30)
@given(batches(min_graphs=2), st.integers(0, 3))
def test_optimal_assignments_are_optimal(batch, depth):
    slow = optimal_assignment_slowly(batch, depth)
    np.testing.assert_array_equal(baselines.WLOptimalAssignment(depth).fit_transform(batch), slow)
    model = baselines.WLOptimalAssignment(depth, normalize=True).fit(batch[:1])
    own = slow.diagonal()
    np.testing.assert_array_equal(own, batch.sizes * (depth + 1))
    np.testing.assert_allclose(model.transform(batch), divided(slow[:, :1], own, own[:1]), rtol=1e-12)


def test_optimal_assignments_of_the_demo_set(demo):
    slow = optimal_assignment_slowly(demo, 2)
    assert slow.min() < demo.sizes.min() * 3  # no graph is part of all others
    np.testing.assert_array_equal(baselines.WLOptimalAssignment(2).fit_transform(demo), slow)
    np.testing.assert_array_equal(baselines.WLOptimalAssignment(2).fit(demo[:5]).transform(demo[5:]), slow[5:, :5])


def test_a_chain_of_three_atoms_by_hand():
    chain = wg.from_edges([[(0, 1), (1, 2)]], edge_labels=[[4, 5]], **CHAIN)
    assert baselines.VertexHistogram().fit_transform(chain) == 2 * 2 + 1
    assert baselines.EdgeHistogram().fit_transform(chain) == 2 * 2 + 2 * 2
    assert baselines.EdgeHistogram().fit_transform(replace(chain, edge_labels=None)) == 4 * 4
    assert baselines.WLSubtree(1).fit_transform(chain) == 5 + 5
    assert baselines.WLOptimalAssignment(1).fit_transform(chain) == 3 + 3
    assert baselines.ShortestPath().fit_transform(chain) == 2 * 2 + 2 * 2 + 2 * 2  # 1–8, 8–1 and 1–8–1 both ways


def test_the_default_depth_is_three(demo):
    for kernel in (baselines.WLSubtree, baselines.WLOptimalAssignment):
        np.testing.assert_array_equal(kernel().fit_transform(demo), kernel(depth=3).fit_transform(demo))
        assert (kernel(depth=3).fit_transform(demo) > kernel(depth=2).fit_transform(demo)).any()


def test_weights_of_edges_are_no_lengths(demo):
    assert demo.edge_weights is not None
    bare = replace(demo, edge_weights=None)
    np.testing.assert_array_equal(
        baselines.ShortestPath().fit_transform(demo), baselines.ShortestPath().fit_transform(bare)
    )


# Against GraKeL


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("name", ["MUTAG", "PTC_MR"])
@pytest.mark.parametrize(("kernel", "options", "peer", "peer_options"), PEERS.values(), ids=PEERS)
def test_kernels_equal_those_of_grakel(data_home, kernel, options, peer, peer_options, name, normalize):
    graphs, _ = wg.load_dataset(name, data_home=data_home)
    expected = grakel_kernel(peer, graphs, **peer_options, normalize=normalize)
    found = kernel(**options, normalize=normalize).fit_transform(graphs)
    assert len(np.unique(expected)) > 10
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize(("kernel", "options", "peer", "peer_options"), PEERS.values(), ids=PEERS)
def test_new_graphs_are_compared_as_in_grakel(data_home, kernel, options, peer, peer_options):
    graphs, _ = wg.load_dataset("PTC_MR", data_home=data_home)
    train, new = graphs[:20], graphs[20:80]  # few, so that new graphs have labels that the others have not
    assert not np.isin(new.node_labels, train.node_labels).all()
    expected = grakel_kernel(peer, train, new, **peer_options)
    np.testing.assert_allclose(kernel(**options).fit(train).transform(new), expected, rtol=1e-9)


# Labels that are missing, strange or unseen


@pytest.mark.parametrize(
    "kernel",
    [baselines.VertexHistogram, baselines.WLSubtree, baselines.WLOptimalAssignment, baselines.ShortestPath],
)
def test_degrees_stand_in_for_labels(demo, kernel):
    bare = replace(demo, node_labels=None)
    expected = kernel().fit_transform(demo.degree_labels())
    np.testing.assert_array_equal(kernel().fit_transform(bare), expected)
    np.testing.assert_array_equal(kernel().fit(bare[:5]).transform(bare[5:]), expected[5:, :5])
    assert (expected != kernel().fit_transform(demo)).any()


def test_edges_without_labels_are_all_alike(demo):
    bare = replace(demo, edge_labels=None)
    arcs = np.array([graph.n_arcs for graph in demo], dtype=np.float64)
    np.testing.assert_array_equal(baselines.EdgeHistogram().fit_transform(bare), np.outer(arcs, arcs))


@pytest.mark.parametrize(
    "kernel",
    [baselines.VertexHistogram, baselines.WLSubtree, baselines.WLOptimalAssignment, baselines.ShortestPath],
)
def test_strange_labels_match_nothing(demo, kernel):
    strange = replace(demo, node_labels=demo.node_labels + 2**40)
    for normalize in (False, True):
        model = kernel(normalize=normalize).fit(demo)
        np.testing.assert_array_equal(model.transform(strange), np.zeros((12, 12)))
        np.testing.assert_array_equal(model.fit_transform(strange), kernel(normalize=normalize).fit_transform(demo))


def test_unseen_labels_count_in_the_normalization():
    train = wg.from_edges([[]], n_nodes=[1], node_labels=[[0]])
    new = wg.from_edges([[]], n_nodes=[4], node_labels=[[0, 7, 7, 7]])
    model = baselines.VertexHistogram(normalize=True).fit(train)
    np.testing.assert_allclose(model.transform(new), [[1 / np.sqrt(1 + 9)]], rtol=1e-12)
    model = baselines.WLOptimalAssignment(depth=1, normalize=True).fit(train)
    np.testing.assert_allclose(model.transform(new), [[2 / np.sqrt(2 * 8)]], rtol=1e-12)


@pytest.mark.parametrize(
    "kernel",
    [baselines.VertexHistogram, baselines.WLSubtree, baselines.WLOptimalAssignment, baselines.ShortestPath],
)
def test_new_graphs_must_have_labels_if_the_old_ones_had(demo, kernel):
    with pytest.raises(ValueError, match="label"):
        kernel().fit(demo).transform(replace(demo, node_labels=None))


def test_new_graphs_must_have_edge_labels_if_the_old_ones_had(demo):
    with pytest.raises(ValueError, match="edge label"):
        baselines.EdgeHistogram().fit(demo).transform(replace(demo, edge_labels=None))


def test_labels_of_both_directions_are_counted():
    graphs = wg.from_edges([[(0, 1), (1, 0)], [(0, 1), (1, 0)]], edge_labels=[[3, 5], [3, 3]])
    np.testing.assert_array_equal(baselines.EdgeHistogram().fit_transform(graphs), [[2, 2], [2, 4]])


def star(leaves: int):
    """Make a graph of which everything is known: a hub, its leaves, and paths of one or two steps."""
    return wg.from_edges([[(0, v) for v in range(1, leaves + 1)]], symmetrize=True)


def test_a_star_of_five_thousand_nodes():
    leaves = 4999
    assert baselines.VertexHistogram().fit_transform(star(leaves)) == 1 + leaves**2
    assert baselines.EdgeHistogram().fit_transform(star(leaves)) == (2 * leaves) ** 2
    assert baselines.WLSubtree(2).fit_transform(star(leaves)) == 3 * (1 + leaves**2)
    assert baselines.WLOptimalAssignment(2).fit_transform(star(leaves)) == 3 * (1 + leaves)


def test_a_million_shortest_paths():
    leaves = 1000
    among = leaves * (leaves - 1)
    assert baselines.ShortestPath().fit_transform(star(leaves)) == 2 * leaves**2 + among**2
