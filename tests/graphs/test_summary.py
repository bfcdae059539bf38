from __future__ import annotations

import json

import networkx as nx
import pytest
from hypothesis import given

import wassergraph as wg
from strategies import batches


@given(batches())
def test_counts_equal_those_of_networkx(batch):
    summary = batch.summary()
    graphs = [nx.Graph(graph) for graph in batch.to_networkx()]
    assert summary.n_graphs == len(graphs)
    assert summary.n_nodes == sum(graph.number_of_nodes() for graph in graphs)
    assert summary.n_edges == sum(graph.number_of_edges() for graph in graphs)
    assert summary.n_self_loops == sum(nx.number_of_selfloops(graph) for graph in graphs)
    assert summary.n_isolated == sum(nx.number_of_isolates(graph) for graph in graphs)
    edges = [graph.number_of_edges() for graph in graphs]
    assert (summary.edges.min, summary.edges.max) == (min(edges), max(edges))
    assert summary.edges.mean == pytest.approx(sum(edges) / len(edges))
    degrees = [len(list(graph.neighbors(node))) for graph in graphs for node in graph]
    assert summary.degree.mean == pytest.approx(sum(degrees) / len(degrees))


def test_table():
    graphs, _ = wg.load_dataset("demo")
    table = str(graphs.summary())
    for words in (
        "60",
        "node labels      3 kinds",
        "node attributes  2 dimensions",
        "edge weights     1.00 on average",
    ):
        assert words in table
    assert "edge labels      –" in table


def test_to_dict_is_json():
    summary = wg.datasets.make_demo()[0].summary().to_dict()
    assert json.loads(json.dumps(summary)) == summary
    assert summary["nodes"]["max"] == 19


def test_a_batch_without_graphs_can_be_described():
    summary = wg.datasets.make_demo()[0][[]].summary()
    assert (summary.n_graphs, summary.nodes.mean, summary.degree.max) == (0, 0, 0)
