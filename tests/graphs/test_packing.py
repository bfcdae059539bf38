from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wassergraph as wg
from wassergraph.graphs.packing import EdgeRules, pack_arrays

edge_lists = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2)), max_size=12)


def packed(rows, **rules):
    tails, heads, labels = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return pack_arrays(np.array([5]), tails, heads, rules=EdgeRules(**rules), edge_data={"edge_labels": labels})


def arcs(batch):
    return dict(zip(zip(batch.arc_tails.tolist(), batch.indices.tolist(), strict=True), batch.edge_labels, strict=True))


@given(edge_lists, st.sampled_from(["first", "last"]), st.sampled_from(["keep", "drop"]))
def test_packing_equals_filling_a_dictionary(rows, repeats, self_loops):
    listed: dict[tuple[int, int], int] = {}
    for u, v, label in rows:
        if (u != v or self_loops == "keep") and (repeats == "last" or (u, v) not in listed):
            listed[u, v] = label
    expected = {(v, u): label for (u, v), label in listed.items()} | listed
    batch = packed(rows, symmetrize=True, repeats=repeats, self_loops=self_loops)
    assert arcs(batch) == expected


@given(edge_lists)
def test_a_symmetric_list_needs_no_symmetrizing(rows):
    both = rows + [(v, u, label) for u, v, label in rows]
    assert packed(both, repeats="last") == packed(both, repeats="last", symmetrize=True)


def test_a_listed_direction_keeps_its_own_data():
    assert arcs(packed([(0, 1, 1), (1, 0, 2), (2, 3, 1)], symmetrize=True)) == {
        (0, 1): 1,
        (1, 0): 2,
        (2, 3): 1,
        (3, 2): 1,
    }


def test_equal_repeats_are_one_and_different_ones_an_error():
    assert packed([(0, 1, 1), (1, 0, 1), (0, 1, 1)]).n_edges == 1
    with pytest.raises(
        ValueError,
        match=r"graph 0, node 0: the edge to node 1 is listed repeatedly with different edge_labels, 1 and 2; pass",
    ):
        packed([(0, 1, 1), (1, 0, 1), (0, 1, 2)])


def test_self_loops_are_kept_dropped_or_raise():
    rows = [(0, 0, 1), (0, 1, 2), (1, 0, 2)]
    assert packed(rows).n_self_loops == 1
    assert packed(rows).n_edges == 2
    assert packed(rows, self_loops="drop").n_self_loops == 0
    with pytest.raises(
        ValueError,
        match=r'graph 0, node 0: the edge to node 0 is a self-loop; pass self_loops="keep" or self_loops="drop"',
    ):
        packed(rows, self_loops="error")


def test_one_way_edges_are_named_with_the_remedy():
    with pytest.raises(ValueError, match=r"graph 0, node 2: the edge to node 4 has no edge back.*symmetrize=True"):
        packed([(0, 1, 0), (1, 0, 0), (2, 4, 0)])


@pytest.mark.parametrize(("option", "value"), [("self_loops", "no"), ("repeats", "sum")])
def test_unknown_rules(option, value):
    with pytest.raises(ValueError, match=f"{option} must be one of"):
        EdgeRules(**{option: value})


def test_no_graphs_and_graphs_without_nodes():
    with pytest.raises(ValueError, match="there are no graphs"):
        wg.from_edges([])
    with pytest.raises(ValueError, match="graph 1: the graph has no nodes"):
        wg.from_edges([[(0, 0)], []])
    with pytest.raises(ValueError, match="graph 0: the graph has no nodes"):
        wg.from_edges([[]], n_nodes=[0])


def test_graphs_must_agree_in_what_they_have():
    a, b = np.zeros((1, 2)), np.zeros((1, 3))
    with pytest.raises(ValueError, match=r"graph 1: node_attributes has 3 columns, but 2 in the first graph"):
        wg.from_edges([[], []], n_nodes=[1, 1], node_attributes=[a, b])


def test_a_graph_without_edges_takes_the_width_of_the_others():
    batch = wg.from_edges(
        [[], [(0, 1), (1, 0)]], n_nodes=[1, 2], edge_attributes=[[], [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]]
    )
    assert batch.edge_attributes.shape == (2, 3)
