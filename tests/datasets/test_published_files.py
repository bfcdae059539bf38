"""The graphs as the authors published them, and what the tables are computed from with them."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path

import wassergraph as wg
from rules import for_each
from strategies import batches
from wassergraph import baselines
from wassergraph.evaluation.plans import make_plan
from wassergraph.evaluation.trial import Trial
from wassergraph.reproduction.experiments import (
    PAPER_KEYS,
    PUBLISHED_KEYS,
    VARIANT_KEYS,
    check_names,
    published_readings,
    select,
)
from wassergraph.reproduction.paper import TABLES
from wassergraph.reproduction.published_files import (
    GRAPH_VARIANTS,
    as_published,
    label_edges_by_degree,
    without_isolated_nodes,
)
from wassergraph.reproduction.reproduce import make_settings, reproduce
from wassergraph.reproduction.results import Key, Run, read_results
from wassergraph.reproduction.runner import split_variants
from wassergraph.reproduction.setups import SETUPS, load_prepared


@st.composite
def connected_batches(draw):
    """Draw graphs with labels and attributes, each with an edge at least; some nodes may have no neighbor."""
    edges, sizes = [], draw(st.lists(st.integers(2, 7), min_size=1, max_size=4))
    for n in sizes:
        pairs = list(itertools.combinations(range(n), 2))
        edges.append(sorted(draw(st.sets(st.sampled_from(pairs), min_size=1))))
    labels = [[draw(st.integers(0, 2)) for _ in range(n)] for n in sizes]
    numbers = iter(range(sum(sizes)))
    attributes = [[[float(next(numbers)), draw(st.floats(-9, 9))] for _ in range(n)] for n in sizes]
    return wg.from_edges(edges, n_nodes=sizes, node_labels=labels, node_attributes=attributes, symmetrize=True)


def published_slowly(graph):
    """Return one graph as the authors publish it: sort nodes, drop isolated ones, join rows of attributes in order."""
    neighbors = [set(graph.indices[a:b].tolist()) for a, b in itertools.pairwise(graph.indptr.tolist())]
    in_file = [node for node in range(graph.n_nodes) if neighbors[node]]
    in_order = sorted(in_file, key=lambda node: len(neighbors[node]))  # sorting is stable
    rows = [graph.node_attributes[node] for node in in_file]
    made = nx.Graph()
    for node, row in zip(in_order, rows, strict=True):
        made.add_node(node, label=int(graph.node_labels[node]), attributes=tuple(row.tolist()))
    made.add_edges_from((node, other) for node in in_file for other in neighbors[node])
    return made


def as_networkx(graph, names):
    """Return one graph whose nodes have other names."""
    made = nx.Graph()
    for node, name in enumerate(names):
        row = tuple(graph.node_attributes[node].tolist())
        made.add_node(name, label=int(graph.node_labels[node]), attributes=row)
    made.add_edges_from((names[u], names[v]) for u, v in zip(graph.arc_tails, graph.indices, strict=True))
    return made


@given(connected_batches())
def test_graphs_are_those_of_the_slow_way(graphs):
    found = as_published(graphs)
    assert len(found) == len(graphs)
    for graph, published in zip(graphs, found, strict=True):
        kept = np.flatnonzero(graph.degrees).tolist()
        expected, same = published_slowly(graph), as_networkx(published, kept)
        assert dict(same.nodes(data=True)) == dict(expected.nodes(data=True))
        assert {frozenset(edge) for edge in same.edges} == {frozenset(edge) for edge in expected.edges}


@given(connected_batches())
def test_labels_stay_with_their_nodes_and_all_attributes_remain(graphs):
    found, kept = as_published(graphs), graphs.degrees > 0
    np.testing.assert_array_equal(found.node_labels, graphs.node_labels[kept])
    np.testing.assert_array_equal(found.degrees, graphs.degrees[kept])
    for graph, published in zip(graphs, found, strict=True):
        rows = sorted(graph.node_attributes[graph.degrees > 0].tolist())
        assert sorted(published.node_attributes.tolist()) == rows
    # Without attributes, isolated nodes are dropped all the same.
    assert as_published(replace(graphs, node_attributes=None)) == replace(found, node_attributes=None)


def test_a_path_by_hand():
    graphs = wg.from_edges(
        [[(0, 1), (1, 3)]],
        n_nodes=[4],
        node_labels=[[5, 6, 7, 8]],
        node_attributes=[[[0], [1], [2], [3]]],
        symmetrize=True,
    )
    (published,) = as_published(graphs)
    np.testing.assert_array_equal(published.node_labels, [5, 6, 8])  # node 2 is isolated
    # By degree the order is 0, 3, 1: these receive the rows 0, 1 and 3 of the file.
    np.testing.assert_array_equal(published.node_attributes[:, 0], [0, 3, 1])
    np.testing.assert_array_equal(published.degrees, [1, 2, 1])


@given(batches())
def test_edge_data_stay_with_their_edges(graphs):
    if (np.add.reduceat(graphs.degrees, graphs.node_ptr[:-1]) == 0).any():
        return
    found = without_isolated_nodes(graphs)
    numbers = np.flatnonzero(graphs.degrees)
    np.testing.assert_array_equal(numbers[found.arc_tails], graphs.arc_tails)
    np.testing.assert_array_equal(numbers[found.indices], graphs.indices)
    for name in ("edge_weights", "edge_labels", "edge_attributes"):
        np.testing.assert_array_equal(getattr(found, name), getattr(graphs, name))


@given(batches())
def test_an_edge_has_the_larger_degree_as_its_label_in_both_directions(graphs):
    found = label_edges_by_degree(graphs)
    labels = dict(
        zip(zip(found.arc_tails.tolist(), found.indices.tolist(), strict=True), found.edge_labels, strict=True)
    )
    for (tail, head), label in labels.items():
        assert label == labels[head, tail] == max(graphs.degrees[tail], graphs.degrees[head])
    assert replace(found, edge_labels=None) == replace(graphs, edge_labels=None)


def test_a_graph_without_edges_is_named():
    graphs = wg.from_edges([[(0, 1)], [], [(0, 1)]], n_nodes=[2, 3, 2], symmetrize=True)
    for change in (as_published, without_isolated_nodes):
        with pytest.raises(ValueError, match="graph 1: no node of this graph has a neighbor") as caught:
            change(graphs)
        assert caught.value.graph == 1


def test_attributes_of_the_real_enzymes_belong_to_other_nodes(data_home):
    graphs, _ = load_prepared("ENZYMES", "continuous", data_home)
    published = as_published(graphs)
    kept = graphs.degrees > 0
    assert graphs.n_nodes - published.n_nodes == 106
    assert len(np.unique(graphs.graph_of_node[~kept])) == 8
    by_degree = np.lexsort((published.degrees, published.graph_of_node))
    assert (by_degree != np.arange(published.n_nodes)).mean() == pytest.approx(0.93, abs=0.005)
    moved = (published.node_attributes != graphs.node_attributes[kept]).any(axis=1)
    assert moved.mean() == pytest.approx(0.93, abs=0.005)


def test_readings_are_those_of_sets_that_the_files_change(data_home):
    for table in TABLES:
        for dataset in table.datasets:
            graphs, _ = load_prepared(dataset, table.kind, data_home)
            published = as_published(graphs)
            for method in table.methods:
                names = [reading.method for reading in published_readings(Key(dataset, method, table.kind))]
                if method == "e":
                    assert names == ["e+degree"]
                    continue
                changed = published != graphs
                # Labels are with their nodes, and so are degrees that are computed from the graph; a sum has no order.
                if table.kind == "categorical" or dataset == "IMDB-BINARY" or method == "vh-c":
                    changed = published.n_nodes < graphs.n_nodes
                assert (f"{method}+as-published" in names) == changed


# What is computed


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (("SYNTHETICnew", "wwl", "continuous"), ["wwl+as-published"]),
        (("MUTAG", "wwl", "categorical"), []),
        (("ENZYMES", "wl", "categorical"), ["wl+as-published"]),
        (("DD", "e", "categorical"), ["e+degree"]),
        (("IMDB-BINARY", "gh", "continuous"), []),
        (("IMDB-BINARY", "vh-c", "continuous"), ["vh-c+columns+standardized"]),
        (("BZR", "vh-c", "continuous"), ["vh-c+columns+standardized+as-published"]),
        (("PROTEINS_full", "rbf-wl", "continuous"), ["rbf-wl+as-published", "rbf-wl+columns+as-published"]),
        (
            ("Synthie", "hgk-sp", "continuous"),
            ["hgk-sp+as-published", "hgk-sp+all-pairs+as-published", "hgk-sp+all-pairs+results+as-published"],
        ),
    ],
)
def test_readings_of_some_cells(key, expected):
    dataset, _, kind = key
    assert published_readings(Key(*key)) == tuple(Key(dataset, method, kind) for method in expected)


@for_each(PUBLISHED_KEYS)
def test_every_reading_has_a_plan_and_a_cell_of_the_paper(key):
    method, changes = split_variants(key.method)
    assert set(changes) == GRAPH_VARIANTS.keys() & set(key.method.split("+")[1:])
    plan = make_plan(method, key.kind, standardize=SETUPS[key.dataset, key.kind].standardize)
    assert {options.kind for options in plan.options} == {key.kind}
    main = key._replace(method=key.method.partition("+")[0])
    assert main in PAPER_KEYS
    assert key in published_readings(main)


def test_no_reading_is_run_twice():
    assert len(set(PUBLISHED_KEYS)) == len(PUBLISHED_KEYS)
    assert not set(PUBLISHED_KEYS) & {*PAPER_KEYS, *VARIANT_KEYS}
    check_names(["wwl+as-published", "e+degree"])
    assert {key.dataset for key in select(PUBLISHED_KEYS, ["e+degree"])} == set(TABLES[0].datasets)


def test_graph_variants_are_taken_out_of_a_name():
    assert split_variants("wwl") == ("wwl", [])
    assert split_variants("e+degree") == ("e", ["degree"])
    assert split_variants("hgk-sp+all-pairs+results+as-published") == ("hgk-sp+all-pairs+results", ["as-published"])
    assert split_variants("wwl+as-published+svc") == ("wwl+svc", ["as-published"])


def test_a_reading_is_run_on_the_changed_graphs(tmp_path, data_home):
    settings = make_settings(
        tmp_path, only=["MUTAG", "e+degree"], repetitions=1, data_home=data_home, log=lambda _: None
    )
    reproduce(["published"], settings)
    (result,) = read_results(tmp_path)
    assert result.run == Run("MUTAG", "e+degree", "categorical", 0)
    graphs, y = load_prepared("MUTAG", "categorical", data_home)
    scores = Trial(label_edges_by_degree(graphs), y, make_plan("e", "categorical")).run(0)
    assert result.scores.accuracy == scores.accuracy
    assert result.scores.accuracy != Trial(graphs, y, make_plan("e", "categorical")).run(0).accuracy


# Pairs of the shortest-path kernel


def pair_counts(graphs, labels, *, all_pairs):
    """Count (label, steps, label) of the pairs of every graph by a matrix of all distances."""
    counts = []
    for number, (begin, end) in enumerate(itertools.pairwise(graphs.node_ptr)):
        steps = shortest_path(graphs[number : number + 1].adjacency(), unweighted=True)
        own = labels[begin:end].tolist()
        pairs = itertools.product(range(end - begin), repeat=2)
        counted = [(u, v) for u, v in pairs if all_pairs or (u != v and np.isfinite(steps[u, v]))]
        counts.append(Counter((own[u], float(steps[u, v]), own[v]) for u, v in counted))
    return counts


def inner_products(counts):
    return np.array([[sum(one[key] * other[key] for key in one) for other in counts] for one in counts], dtype=float)


@given(connected_batches(), st.booleans())
def test_pairs_of_the_hash_kernel_are_those_of_the_slow_way(graphs, all_pairs):
    kernel = baselines.HashGraphKernel("sp", iterations=3, standardize=False, all_pairs=all_pairs, random_state=0)
    found = kernel.fit_transform(graphs)
    expected = np.zeros_like(found)
    for direction, offset in zip(kernel.directions_, kernel.offsets_, strict=True):
        labels = np.floor(graphs.node_attributes @ direction + offset).astype(np.int64)
        slow = inner_products(pair_counts(graphs, labels, all_pairs=all_pairs))
        expected += slow / 3
        if not all_pairs:
            np.testing.assert_array_equal(
                baselines.ShortestPath().fit_transform(replace(graphs, node_labels=labels)), slow
            )
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_all_pairs_of_two_nodes_that_are_not_connected():
    graphs = wg.from_edges([[], [(0, 1)]], n_nodes=[2, 2], node_attributes=[[[0.0], [0.0]]] * 2, symmetrize=True)
    options = {"iterations": 1, "standardize": False, "random_state": 0}
    # Two nodes with themselves in both, and two pairs that are not connected in one, connected in the other.
    found = baselines.HashGraphKernel("sp", all_pairs=True, **options).fit_transform(graphs)
    np.testing.assert_array_equal(found, [[8, 4], [4, 8]])
    np.testing.assert_array_equal(baselines.HashGraphKernel("sp", **options).fit_transform(graphs), [[0, 0], [0, 4]])
