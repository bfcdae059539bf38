from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split
from sklearn.utils import resample

import wassergraph as wg
from strategies import batches
from wassergraph import GraphBatch
from wassergraph.graphs.fields import ARRAYS

PATH = {"node_ptr": [0, 3, 5], "indptr": [0, 1, 3, 4, 5, 6], "indices": [1, 0, 2, 1, 4, 3]}
EVERYTHING = {
    "node_labels": [1, 2, 1, 7, 7],
    "node_attributes": np.arange(10.0).reshape(5, 2),
    "edge_weights": [0.1, 0.1, 0.2, 0.2, 0.3, 0.3],
    "edge_labels": [5, 5, 6, 6, 5, 5],
    "edge_attributes": np.arange(6.0)[:, None],
}


@pytest.fixture
def batch() -> GraphBatch:
    """A path of three nodes and an edge, with every kind of data."""
    return GraphBatch(**PATH, **EVERYTHING)


# Being a value


def test_arrays_are_typed_read_only_copies():
    labels = np.array([1, 2, 1, 7, 7], dtype=np.int32)
    batch = GraphBatch(**PATH, node_labels=labels)
    labels[0] = 99
    assert batch.node_labels[0] == 1
    assert batch.node_labels.dtype == np.int64
    for name in ARRAYS:
        value = getattr(batch, name)
        assert value is None or not value.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        batch.indices[0] = 2
    with pytest.raises(FrozenInstanceError):
        batch.node_labels = None


def test_sizes(batch):
    assert (batch.n_graphs, batch.n_nodes, batch.n_arcs, batch.n_edges) == (2, 5, 6, 3)
    assert (len(batch), batch.shape) == (2, (2,))
    assert batch.sizes.tolist() == [3, 2]
    assert batch.degrees.tolist() == [1, 2, 1, 1, 1]
    assert batch.graph_of_node.tolist() == [0, 0, 0, 1, 1]
    assert batch.arc_tails.tolist() == [0, 1, 1, 2, 3, 4]


def test_equality_looks_at_everything(batch):
    assert batch == GraphBatch(**PATH, **EVERYTHING)
    assert batch != GraphBatch(**PATH)
    assert batch != "graphs"
    assert (batch == np.arange(2)) is False
    for name in EVERYTHING:
        changed = np.array(getattr(batch, name))
        changed.flat[0] += 1
        assert batch != replace(batch, **{name: changed})
    with pytest.raises(TypeError, match="unhashable"):
        hash(batch)


def test_repr(batch):
    assert repr(batch) == (
        "GraphBatch(2 graphs, 5 nodes, 3 edges; node labels (3 kinds), node attributes (2-d), edge weights, "
        "edge labels (2 kinds), edge attributes (1-d))"
    )
    assert repr(GraphBatch([0, 1], [0, 0], [])) == "GraphBatch(1 graph, 1 node, 0 edges)"


def test_converting_to_an_array_raises(batch):
    with pytest.raises(TypeError, match=r"its arrays are \.node_attributes"):
        np.asarray(batch)


@given(batches())
def test_pickling_keeps_everything(batch):
    again = pickle.loads(pickle.dumps(batch))
    assert again == batch
    assert not again.indices.flags.writeable


# Taking graphs out


def by_hand(batch: GraphBatch, positions: list[int]) -> GraphBatch:
    """Take graphs the slow way, through networkx."""
    return rebuilt([batch.to_networkx()[position] for position in positions], batch)


def rebuilt(graphs: list[nx.Graph], like: GraphBatch) -> GraphBatch:
    names = {"node_labels": "label", "node_attributes": "attributes", "edge_weights": "weight"}
    names |= {"edge_labels": "label", "edge_attributes": "attributes"}
    asked = {field: name for field, name in names.items() if getattr(like, field) is not None}
    return wg.from_networkx(graphs, **asked)


def widths_agree(left: GraphBatch, right: GraphBatch) -> bool:
    """Without a single edge, networkx cannot tell how wide the edge attributes would be."""
    return all(
        (getattr(left, name) is None) == (getattr(right, name) is None)
        and (getattr(left, name) is None or np.array_equal(*(getattr(b, name).ravel() for b in (left, right))))
        for name in ARRAYS
    )


@given(batches(), st.data())
def test_index_arrays_slices_and_masks_agree_with_the_slow_way(batch, data):
    n = len(batch)
    positions = data.draw(st.lists(st.integers(-n, n - 1), min_size=1, max_size=6))
    assert widths_agree(batch[positions], by_hand(batch, positions))
    assert batch[np.array(positions)] == batch[positions] == batch[positions, ...]
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    assert batch[mask] == batch[np.flatnonzero(mask)]
    cut = data.draw(st.slices(n))
    assert batch[cut] == batch[list(range(n))[cut]]
    assert batch[positions[0]] == batch[[positions[0]]]


@given(batches(min_graphs=2))
def test_splitting_iterating_and_concatenating_are_inverse(batch):
    assert GraphBatch.concatenate(list(batch)) == batch
    assert GraphBatch.concatenate([batch[:1], batch[1:]]) == batch


def test_an_empty_selection_is_an_empty_batch(batch):
    empty = batch[[]]
    assert (len(empty), empty.n_nodes, empty.node_attributes.shape) == (0, 0, (0, 2))
    assert batch[0:0] == empty == batch[np.zeros(2, dtype=bool)]
    assert GraphBatch([0], [0], []) == GraphBatch(**PATH)[[]]
    assert list(empty) == []


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint64])
def test_small_integer_types_are_positions_too(dtype):
    many = wg.from_edges([[]] * 600, n_nodes=[1] * 600, node_labels=[[i] for i in range(600)])
    assert many[np.array([3, 0], dtype=dtype)].node_labels.tolist() == [3, 0]
    assert many[dtype(3)].node_labels.tolist() == [3]


def test_taking_does_not_touch_the_other_graphs():
    """A graph that is wrong behind our back can be anywhere but in the part that is taken."""
    big = GraphBatch(**PATH)
    broken = GraphBatch._trusted(
        node_ptr=big.node_ptr, indptr=np.array([0, 1, 3, 4, 999, 999]), indices=big.indices, molecules=False
    )
    assert broken[0] == big[0]


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        (2, IndexError, "graph 2 is out of range: the batch has 2 graphs"),
        ([0, -3], IndexError, "graph -3 is out of range"),
        ([True], IndexError, "the mask has 1 values for 2 graphs"),
        ("a", TypeError, "not by 'a'"),
        (0.5, TypeError, "not by 0.5"),
        (np.uint64(2**64 - 1), IndexError, "graph 18446744073709551615 is out of range"),
        (True, TypeError, "not by True"),
        ([[0]], TypeError, "position, slice, mask or index array"),
        ((0, 1), TypeError, "has one axis"),
    ],
)
def test_bad_indices(batch, index, error, message):
    with pytest.raises(error, match=message):
        batch[index]


def test_scikit_learn_splits_a_batch_without_shredding_it():
    graphs, y = wg.load_dataset("demo")
    train, test, y_train, _ = train_test_split(graphs, y, stratify=y, random_state=0)
    assert isinstance(train, GraphBatch)
    assert len(train) == len(y_train)
    assert len(train) + len(test) == len(graphs)
    assert isinstance(resample(graphs, n_samples=5, random_state=0), GraphBatch)

    class Majority(ClassifierMixin, BaseEstimator):
        def fit(self, graphs, y):
            assert isinstance(graphs, GraphBatch)
            self.classes_ = np.unique(y)
            return self

        def predict(self, graphs):
            return np.zeros(len(graphs), dtype=int)

    scores = cross_val_score(Majority(), graphs, y, cv=StratifiedKFold(3), error_score="raise")
    assert scores.mean() == pytest.approx(1 / 3)


# Views of a batch


def test_adjacency_shares_memory_and_works(batch):
    adjacency = batch.adjacency()
    assert np.shares_memory(adjacency.indices, batch.indices)
    assert np.shares_memory(adjacency.indptr, batch.indptr)
    assert np.shares_memory(adjacency.data, batch.edge_weights)
    assert (adjacency @ np.ones(5)).tolist() == pytest.approx([0.1, 0.3, 0.2, 0.3, 0.3])
    assert connected_components(adjacency)[1].tolist() == [0, 0, 0, 1, 1]
    plain = GraphBatch(**PATH)
    assert plain.adjacency().toarray().sum() == 6
    assert np.shares_memory(plain.adjacency().indices, plain.indices)


@given(batches())
def test_networkx_round_trip(batch):
    graphs = batch.to_networkx()
    assert widths_agree(rebuilt(graphs, batch), batch)
    assert [graph.number_of_nodes() for graph in graphs] == batch.sizes.tolist()


def test_networkx_graph_is_directed_only_where_the_directions_differ(batch):
    weights = batch.edge_weights.copy()
    weights[0] = 9.0
    first, second = replace(batch, edge_weights=weights, edge_attributes=None).to_networkx()
    assert first.is_directed()
    assert first.edges[0, 1]["weight"] == 9.0
    assert first.edges[1, 0]["weight"] == 0.1
    assert not second.is_directed()
    assert second.nodes[0]["label"] == 7


# Transformations


def test_edges_by_label(batch):
    kept, dropped = batch.keep_edges(6), batch.drop_edges([5])
    assert kept == dropped
    assert kept.n_edges == 1
    assert kept.sizes.tolist() == [3, 2]
    assert kept.edge_weights.tolist() == [0.2, 0.2]
    assert batch.drop_edges(99) == batch
    assert batch.keep_edges({5, 6}) == batch
    assert batch.keep_edges([]).n_edges == 0
    with pytest.raises(ValueError, match="the graphs have no edge labels; they have neither labels nor attributes"):
        GraphBatch(**PATH).keep_edges(1)
    assert batch.keep_edges(np.array(6)) == batch.keep_edges(np.uint8(6)) == kept
    with pytest.raises(TypeError, match="must be integers"):
        batch.keep_edges("ab")
    with pytest.raises(TypeError, match="must be integers"):
        batch.keep_edges(np.array([2**64 - 1], dtype=np.uint64))


def test_dropping_one_direction_raises(batch):
    one_way = replace(batch, edge_labels=[5, 4, 6, 6, 5, 5])
    with pytest.raises(ValueError, match=r"graph 0, node 1: the edge to node 0 would be kept but not the edge back"):
        one_way.drop_edges(5)


def test_weights_from_attributes(batch):
    assert batch.weights_from_attributes().edge_weights.tolist() == [0, 1, 2, 3, 4, 5]
    assert batch.weights_from_attributes(-1) == batch.weights_from_attributes(0)
    with pytest.raises(ValueError, match="column 1 is out of range: the edge attributes have 1 column"):
        batch.weights_from_attributes(1)


def test_one_hot_labels(batch):
    expected = [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1]]
    assert batch.one_hot_labels().node_attributes.tolist() == expected
    assert batch[1].one_hot_labels([1, 2, 7]).node_attributes.tolist() == expected[3:]
    zeros = batch.one_hot_labels([7], unseen="zeros").node_attributes
    assert zeros[:, 0].tolist() == [0, 0, 0, 1, 1]
    with pytest.raises(ValueError, match=r"graph 0, node 0: the label 1 is not in the alphabet; .*unseen=\"zeros\""):
        batch.one_hot_labels([7])
    with pytest.raises(ValueError, match="the alphabet has a label twice"):
        batch.one_hot_labels([1, 2, 7, 7])
    with pytest.raises(ValueError, match=r"got an array of shape \(2, 1\)"):
        batch.one_hot_labels([[1], [2]])
    with pytest.raises(ValueError, match="unseen must be"):
        batch.one_hot_labels(unseen="nonsense")


def test_degrees(batch):
    assert batch.degree_labels().node_labels.tolist() == [1, 2, 1, 1, 1]
    assert batch.degree_attributes().node_attributes.tolist() == [[1.0], [2.0], [1.0], [1.0], [1.0]]


def test_concatenating_different_fields_raises(batch):
    with pytest.raises(ValueError, match="batch 0 has node_labels but batch 1 does not"):
        GraphBatch.concatenate([batch, GraphBatch(**PATH)])
    with pytest.raises(ValueError, match="batch 1 has node_labels but batch 0 does not"):
        GraphBatch.concatenate([GraphBatch(**PATH), batch])
    wide = replace(batch, node_attributes=np.zeros((5, 3)))
    with pytest.raises(ValueError, match="node_attributes has 2 columns in batch 0 and 3 in batch 1"):
        GraphBatch.concatenate([batch, wide])
    with pytest.raises(ValueError, match="at least one"):
        GraphBatch.concatenate([])
    with pytest.raises(TypeError, match="batch 1 is of the type str, not a GraphBatch"):
        GraphBatch.concatenate([batch, "graphs"])


# Checks


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"node_ptr": [0, 3]}, ValueError, "node_ptr must rise from 0 to the number of nodes, 5"),
        ({"node_ptr": [0, 4, 3, 5]}, ValueError, "node_ptr must rise"),
        ({"node_ptr": []}, ValueError, "node_ptr must rise"),
        ({"node_ptr": [0, 2**62, -(2**63), -(2**62), 5]}, ValueError, "node_ptr must rise"),
        ({"node_labels": np.ma.masked_equal([1, 2, 1, 7, 7], 2)}, TypeError, "node_labels is a masked array"),
        ({"node_ptr": [0, 3, 3, 5]}, ValueError, "graph 1: the graph has no nodes"),
        ({"indptr": [0, 1, 3, 4, 5, 7]}, ValueError, "indptr must rise from 0 to the number of arcs, 6"),
        (
            {"indices": [1, 0, 2, 1, 4, 9]},
            ValueError,
            "graph 1, node 1: there is an edge to node 9, but node ids run from 0 to 4",
        ),
        (
            {"indices": [3, 0, 2, 1, 4, 3]},
            ValueError,
            "graph 0, node 0: there is an edge to node 0 of graph 1, but an edge cannot",
        ),
        (
            {"indices": [1, 2, 0, 1, 4, 3]},
            ValueError,
            "graph 0, node 1: the neighbors are repeated or not in rising order",
        ),
        (
            {"indices": [2, 0, 2, 1, 4, 3]},
            ValueError,
            "graph 0, node 0: the edge to node 2 has no edge back",
        ),
        ({"indices": [[1], [0]]}, ValueError, r"indices must have 1 dimension"),
        ({"indices": [1.0, 0, 2, 1, 4, 3]}, TypeError, "indices must be integers, got float64"),
        ({"node_labels": [1, 2]}, ValueError, "node_labels has 2 rows for 5 nodes"),
        ({"node_labels": list("abcde")}, TypeError, "node_labels must be integers"),
        ({"node_labels": np.full(5, 2**63, dtype=np.uint64)}, TypeError, "node_labels must be integers"),
        ({"edge_weights": [1.0]}, ValueError, "edge_weights has 1 row for 6 arcs"),
        ({"node_attributes": np.zeros(5)}, ValueError, r"node_attributes must have 2 dimension"),
        ({"node_attributes": np.zeros((5, 1), dtype=complex)}, TypeError, "node_attributes must be real numbers"),
        (
            {"node_attributes": [[0], [0], [0], [0], [np.nan]]},
            ValueError,
            "graph 1, node 1: node_attributes is nan in column 0; replace it",
        ),
        (
            {"edge_weights": [1, 1, np.inf, 1, 1, 1]},
            ValueError,
            "graph 0, node 1: edge_weights of the edge to node 2 is inf; replace it",
        ),
    ],
)
def test_invalid_arrays_raise(change, error, message):
    with pytest.raises(error, match=message):
        GraphBatch(**{**PATH, **change})
