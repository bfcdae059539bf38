"""Graphs in files: every part of a large batch is checked when it is opened."""

from __future__ import annotations

import numpy as np
import pytest

import wassergraph as wg
from wassergraph.graphs import saved_graphs
from wassergraph.graphs.saved_graphs import graph_arrays, open_graphs


def stored_arrays():
    """Return five graphs with an edge each, and copies of their arrays."""
    graphs = wg.from_edges([[(0, 1)]] * 5, symmetrize=True)
    return graphs, {name: array.copy() for name, array in graph_arrays(graphs).items()}


@pytest.mark.parametrize("graph", range(5))
def test_damage_is_found_in_every_part(graph, monkeypatch):
    monkeypatch.setattr(saved_graphs, "_PART", 2)
    graphs, arrays = stored_arrays()
    assert open_graphs(arrays, molecules=False, verify=True) == graphs
    arrays["graphs/indices"][2 * graph] = (2 * graph + 4) % 10  # an edge to a node of another graph
    with pytest.raises(ValueError, match=r"arc|edge|neighbor|node"):
        open_graphs(arrays, molecules=False, verify=True)
    assert len(open_graphs(arrays, molecules=False, verify=False)) == 5


def test_pointers_that_end_elsewhere_are_refused():
    _, arrays = stored_arrays()
    arrays["graphs/node_ptr"] = np.array([0, 2, 4, 6, 8, 11])
    with pytest.raises(ValueError, match=r"node_ptr does not end at|indptr"):
        open_graphs(arrays, molecules=False, verify=False)
