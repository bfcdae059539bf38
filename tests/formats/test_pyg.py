from __future__ import annotations

import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.loader import DataLoader
from torch_geometric.utils import from_networkx, to_dense_adj

import wassergraph as wg

EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def graph(**fields) -> Data:
    return Data(edge_index=EDGES, num_nodes=3, **fields)


def test_fields():
    data = graph(
        x=torch.arange(6.0).reshape(3, 2),
        edge_attr=torch.arange(8.0).reshape(4, 2),
        edge_weight=torch.tensor([0.5, 0.5, 2.0, 2.0]),
        kind=torch.tensor([[4], [5], [4]]),
        bond=torch.tensor([1, 1, 2, 2]),
    )
    batch = wg.from_pyg([data, data], node_labels="kind", edge_labels="bond")
    one = batch[1]
    np.testing.assert_array_equal(one.node_attributes, data.x.numpy())
    np.testing.assert_array_equal(one.edge_attributes, data.edge_attr.numpy())
    np.testing.assert_array_equal(one.edge_weights, data.edge_weight.numpy())
    assert one.node_labels.tolist() == [4, 5, 4]
    assert one.edge_labels.tolist() == [1, 1, 2, 2]
    np.testing.assert_array_equal(one.adjacency().toarray(), to_dense_adj(EDGES, edge_attr=data.edge_weight)[0].numpy())


def test_single_graphs_lists_batches_and_columns():
    data = graph(x=torch.tensor([1.0, 2.0, 3.0], requires_grad=True), edge_attr=torch.tensor([1, 2, 3, 4]))
    batch = wg.from_pyg(data)
    assert batch.node_attributes.tolist() == [[1.0], [2.0], [3.0]]
    assert batch.edge_attributes.shape == (4, 1)
    assert wg.from_pyg(Batch.from_data_list([data, data])) == wg.from_pyg([data, data])
    assert wg.from_pyg(DataLoader([data] * 4, batch_size=2)) == wg.from_pyg([data] * 4)
    assert wg.from_pyg([data], node_attributes=None, edge_attributes=None) == wg.from_pyg([graph()])
    labels = wg.from_pyg([graph(x=torch.tensor([[6], [7], [6]]))], node_labels="x", node_attributes=None)
    assert labels.node_labels.tolist() == [6, 7, 6]


def test_a_data_set_written_by_wassergraph_comes_back_through_networkx():
    graphs, _ = wg.load_dataset("demo")
    theirs = [from_networkx(one, group_edge_attrs=None) for one in graphs.to_networkx()]
    again = wg.from_pyg(theirs, node_labels="label", node_attributes="attributes", edge_weights="weight")
    assert again.node_labels.tolist() == graphs.node_labels.tolist()
    assert again.indices.tolist() == graphs.indices.tolist()
    np.testing.assert_allclose(again.edge_weights, graphs.edge_weights, rtol=1e-6)  # torch keeps 32 bits


def test_graphs_without_edges_and_of_one_node():
    lonely = Data(x=torch.zeros(1, 2))
    assert wg.from_pyg([lonely, graph(x=torch.zeros(3, 2))]).sizes.tolist() == [1, 3]


def test_bad_input():
    with pytest.raises(ValueError, match="graph 0: the edges are in adj_t; store them in edge_index"):
        wg.from_pyg([Data(num_nodes=2, adj_t=torch.eye(2))])
    with pytest.raises(TypeError, match="graph 0: edge_index must be integers"):
        wg.from_pyg([Data(num_nodes=2, edge_index=torch.tensor([[0.9], [1.2]]))])
    with pytest.raises(ValueError, match="graph 0: there is no field 'kind' to read as node_labels"):
        wg.from_pyg([graph()], node_labels="kind")
    with pytest.raises(ValueError, match="graph 1: the graph has no node_attributes, but another one has"):
        wg.from_pyg([graph(x=torch.zeros(3, 1)), graph()])
    with pytest.raises(TypeError, match="graph 0: node_labels must be integers, got float32"):
        wg.from_pyg([graph(kind=torch.zeros(3))], node_labels="kind")
    with pytest.raises(ValueError, match="graph 0: node_attributes has 2 rows for 3 nodes"):
        wg.from_pyg([graph(x=torch.zeros(2, 1))])
    with pytest.raises(ValueError, match=r"no edge back.*symmetrize=True"):
        wg.from_pyg([Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)])
    with pytest.raises(ValueError, match=r"graph 0, edge 0: the edge \(0, 5\) names a node out of range; .*2 nodes"):
        wg.from_pyg([Data(edge_index=torch.tensor([[0], [5]]), num_nodes=2)])
    with pytest.raises(ValueError, match=r"edge_index must have the shape \(2, m\), got \(1, 1\)"):
        wg.from_pyg([Data(edge_index=torch.tensor([[0]]), num_nodes=2)])
    with pytest.raises(ValueError, match="graph 0, node 0: node_attributes is nan"):
        wg.from_pyg([graph(x=torch.full((3, 1), torch.nan))])
    with pytest.raises(TypeError, match="graph 0: the type HeteroData is not"):
        wg.from_pyg([HeteroData()])
    with pytest.raises(ValueError, match="there are no graphs"):
        wg.from_pyg([])
    with pytest.raises(ValueError, match="graph 0: the graph has no nodes"):
        wg.from_pyg([Data(num_nodes=0)])
