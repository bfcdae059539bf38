from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import wassergraph as wg
from strategies import batches

TRIANGLE = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])


@given(batches())
def test_adjacency_round_trip(batch):
    """What the adjacency matrices of the graphs tell comes back: structure, and weights."""
    matrices = [graph.adjacency() for graph in batch]
    if batch.edge_weights is not None and (batch.edge_weights == 0).any():
        with pytest.raises(ValueError, match=r"stores -?0\.0 at"):
            wg.from_adjacency(matrices)
        return
    again = wg.from_adjacency(matrices, weighted=batch.edge_weights is not None)
    assert again.indices.tolist() == batch.indices.tolist()
    assert again.node_ptr.tolist() == batch.node_ptr.tolist()
    assert (again.edge_weights is None) == (batch.edge_weights is None)
    assert again.edge_weights is None or again.edge_weights.tolist() == batch.edge_weights.tolist()


@pytest.mark.parametrize("form", [np.array, sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_array])
def test_forms_of_matrices(form):
    batch = wg.from_adjacency([form(TRIANGLE), form(0.5 * TRIANGLE)], node_labels=[[1, 2, 3], [4, 5, 6]])
    assert batch.n_edges == 6
    assert batch.edge_weights.tolist() == [1.0] * 6 + [0.5] * 6
    assert wg.from_adjacency(form(TRIANGLE)).edge_weights is None
    assert wg.from_adjacency(form(TRIANGLE), weighted=True).edge_weights.tolist() == [1.0] * 6
    assert wg.from_adjacency(form(TRIANGLE.astype(bool))).edge_weights is None


def test_stacked_matrices_and_directions():
    assert wg.from_adjacency(np.stack([TRIANGLE, TRIANGLE])).n_edges == 6
    upper = np.triu(2.0 * TRIANGLE)
    with pytest.raises(ValueError, match=r"graph 0, node 0: the edge to node 1 has no edge back, .*symmetrize=True"):
        wg.from_adjacency([upper])
    assert wg.from_adjacency([upper], symmetrize=True).edge_weights.tolist() == [2.0] * 6
    lopsided = np.array([[0, 2.0], [3.0, 0]])
    assert wg.from_adjacency([lopsided]).edge_weights.tolist() == [2.0, 3.0]


@pytest.mark.parametrize(
    ("matrix", "error", "message"),
    [
        (np.zeros((2, 3)), ValueError, r"graph 0: an adjacency matrix must be square, got the shape \(2, 3\)"),
        (np.zeros(3), ValueError, "must be square"),
        (np.array([[0, np.nan], [np.nan, 0]]), ValueError, r"graph 0: the adjacency matrix stores nan at \(0, 1\)"),
        (np.array([["a"]]), TypeError, "must contain real numbers"),
        (np.array([[1j]]), TypeError, "must contain real numbers"),
        (
            sp.csr_array(([0.0, 1.0, 1.0], [0, 1, 0], [0, 2, 3])),
            ValueError,
            r"stores 0\.0 at \(0, 0\); .*eliminate_zeros",
        ),
        (np.zeros((0, 0)), ValueError, "graph 0: the graph has no nodes"),
    ],
)
def test_bad_matrices(matrix, error, message):
    with pytest.raises(error, match=message):
        wg.from_adjacency([matrix])


def test_edges_with_everything():
    batch = wg.from_edges(
        [[(0, 1), (1, 2)], np.zeros((0, 2), dtype=int)],
        n_nodes=[3, 2],
        node_labels=[[1, 2, 3], [4, 5]],
        node_attributes=[np.zeros((3, 2)), np.ones((2, 2))],
        edge_weights=[[0.5, 1.5], []],
        edge_labels=[[7, 8], []],
        edge_attributes=[[[1.0], [2.0]], []],
        symmetrize=True,
    )
    assert batch.sizes.tolist() == [3, 2]
    assert batch.edge_weights.tolist() == [0.5, 0.5, 1.5, 1.5]
    assert batch.edge_labels.tolist() == [7, 7, 8, 8]
    assert batch.edge_attributes.tolist() == [[1.0], [1.0], [2.0], [2.0]]


def test_sets_and_generators_of_edges():
    assert wg.from_edges([{(0, 1), (1, 0)}]) == wg.from_edges([((u, 1 - u) for u in range(2))])


def test_small_types_do_not_overflow():
    repeated = sp.coo_array((np.array([200, 100], dtype=np.uint8), ([0, 0], [0, 0])), shape=(1, 1))
    assert wg.from_adjacency([repeated]).edge_weights.tolist() == [300.0]


def test_the_number_of_nodes_follows_from_what_is_given():
    assert wg.from_edges([[(0, 3), (3, 0)]]).n_nodes == 4
    assert wg.from_edges([[(0, 1), (1, 0)]], node_labels=[[1, 2, 3]]).n_nodes == 3


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"edges": [[(0, 1, 2)]]}, ValueError, r"graph 0: edges must have the shape \(m, 2\), got \(1, 3\)"),
        ({"edges": [[(0, 1), (1,)]]}, ValueError, "graph 0: the edges have different lengths"),
        ({"edges": [[(0.0, 1.0)]]}, TypeError, "graph 0: edges must be integers, got float64"),
        ({"edges": [[("a", "b")]]}, TypeError, "graph 0: edges must be integers"),
        (
            {"edges": [[(0, 5)]], "n_nodes": [3]},
            ValueError,
            r"graph 0, edge 0: the edge \(0, 5\) names a node out of range",
        ),
        ({"edges": [[(-1, 0)]]}, ValueError, r"graph 0, edge 0: the edge \(-1, 0\) names a node"),
        ({"edges": [[(0, 1)]]}, ValueError, r"graph 0, node 0: the edge to node 1 has no edge back, .*symmetrize=True"),
        ({"edges": [[(0, 2**40)]]}, ValueError, "graph 0: an edge names node 1099511627776; count nodes"),
        ({"edges": [[]], "n_nodes": [2.9]}, TypeError, "cannot be interpreted as an integer"),
        ({"edges": [[]], "n_nodes": 3}, TypeError, "n_nodes must be a list with one entry per graph, got 3"),
        ({"edges": [[]], "node_labels": [[2**63]]}, TypeError, "must be integers, got uint64 beyond 64 bits"),
        ({"edges": [[]], "n_nodes": [1, 2]}, ValueError, "n_nodes has 2 entries for 1 graph; pass one"),
        ({"edges": [[]], "node_labels": [[1], [2]]}, ValueError, "node_labels has 2 entries for 1 graph; pass one"),
        (
            {"edges": [[]], "n_nodes": [2], "node_labels": [[1]]},
            ValueError,
            "graph 0: node_labels has 1 row for 2 nodes",
        ),
        ({"edges": [[]], "node_labels": [[0.5]]}, TypeError, "graph 0: node_labels must be integers"),
        ({"edges": [[]], "node_labels": [["C", 0.5]]}, TypeError, "graph 0: node_labels: a label must be an integer"),
        (
            {"edges": [[]], "node_attributes": [[[1.0], [2.0, 3.0]]]},
            ValueError,
            "the rows of node_attributes have different lengths",
        ),
        ({"edges": [[]], "node_attributes": [[1.0]]}, ValueError, r"graph 0: node_attributes must have 2 dimension"),
        ({"edges": [[]], "node_attributes": [[["x"]]]}, TypeError, "graph 0: node_attributes must be real numbers"),
        (
            {"edges": [[(0, 0)]], "edge_weights": [[1.0, 2.0]]},
            ValueError,
            "graph 0: edge_weights has 2 rows for 1 listed edge",
        ),
        ({"edges": [[(0, 0)]], "edge_weights": [[np.inf]]}, ValueError, "edge_weights of the edge to node 0 is inf"),
    ],
)
def test_bad_edges(arguments, error, message):
    with pytest.raises(error, match=message):
        wg.from_edges(**arguments)
