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
from made_metrics import with_metric

KINDS: dict[str, dict[str, Any]] = {
    "labels": {"kind": "categorical"},
    "labels, counts": {"kind": "categorical", "mass": "count", "unmatched_cost": 0.8},
    "attributes": {"kind": "continuous", "standardize": True},
    "attributes, counts": {"kind": "continuous", "mass": "count"},
    "a line": {"kind": "continuous", "depth": 0},
    "both": {"kind": "joint"},
    "both, counts": {"kind": "joint", "mass": "count"},
    "both, cheap counts": {"kind": "joint", "mass": "count", "unmatched_cost": 0.05},
    "both, labels only": {"kind": "joint", "label_weight": 1},
    "both, attributes only": {"kind": "joint", "label_weight": 0},
    "both, attributes only, counts": {"kind": "joint", "label_weight": 0, "mass": "count"},
    "size": {"kind": "joint", "size_weight": 0.4, "isolated_nodes": "keep"},
}


def sorted_rows(distances, k):
    """Return the k smallest entries of each row and their columns, by sorting everything."""
    order = np.array([np.lexsort((np.arange(len(row)), row))[:k] for row in distances]).reshape(len(distances), k)
    return np.take_along_axis(distances, order, axis=1), order


def check_query(index, graphs, new, k, options, **weights):
    """Compare a search with the distances of all pairs, bit for bit."""
    distances = wg.distances(graphs, new, **with_metric(**{"standardize": False, **options}, **weights)).T
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
    check_query(
        wg.GraphIndex(graphs[:40], **with_metric(**{"standardize": False, **options})),
        graphs[:40],
        graphs[40:],
        k,
        options,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_neighbors_of_the_graphs_themselves_equal_brute_force(demo, kind):
    graphs, options = part_of(demo, kind), KINDS[kind]
    index = wg.GraphIndex(graphs, **with_metric(**{"standardize": False, **options}))
    distances = wg.distances(graphs, **with_metric(**{"standardize": False, **options}))
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
    index = wg.GraphIndex(graphs[:40], **with_metric(**{"standardize": False, **options}))
    distances = wg.distances(graphs[:40], graphs[40:], **with_metric(**{"standardize": False, **options})).T
    # A radius that is a distance itself includes it.
    for radius in (0.0, distances.min(), float(np.median(distances)), distances[3, 7], np.inf):
        lengths, positions = index.radius_neighbors(graphs[40:], radius)
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
    index = wg.GraphIndex(graphs, wg.WWL(kind=kind, standardize=False), weights=left)
    check_query(index, graphs, new, 7, {"kind": kind}, weights=left, other_weights=right)
    # Graphs that were added have the same weights, to the last bit, as if they had been there from the beginning.
    cut = graphs.node_ptr[25]
    grown = wg.GraphIndex(
        graphs[:25], wg.WWL(kind=kind, standardize=False), weights=None if left is None else left[:cut]
    )
    for first, last in ((25, 30), (30, 40)):
        nodes = slice(graphs.node_ptr[first], graphs.node_ptr[last])
        grown.add(graphs[first:last], weights=None if left is None else left[nodes])
    check_query(grown, graphs, new, 7, {"kind": kind}, weights=left, other_weights=right)
    # A query with more nodes than any graph of the index changes how weights are rounded.
    large = wg.from_edges(
        [[(v, v + 1) for v in range(299)]],
        symmetrize=True,
        node_labels=[[v % 3 for v in range(300)]],
        node_attributes=[random.normal(size=(300, 2))],
        edge_weights=[np.ones(299)],
    )
    check_query(index, graphs, large, len(graphs), {"kind": kind}, weights=left)
    # And so does one that is far away.
    far = replace(new, node_attributes=1e30 * new.node_attributes)
    check_query(index, graphs, far, 7, {"kind": kind}, weights=left, other_weights=right)


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
    check_query(wg.GraphIndex(graphs, **with_metric(**{"standardize": False, **options})), graphs, new, k, options)


@st.composite
def comparisons(draw):
    """Draw options, graphs and queries with attributes of any size, and weights of nodes: all that bounds use."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scale = 10.0 ** draw(st.sampled_from([-150, -100, -40, -30, -20, -8, 0, 0, 0, 0, 8, 30, 100, 150]))
    dim = draw(st.sampled_from([1, 2, 5, 20]))
    batches = [random_graphs(random, random.integers(1, 7, size=n), dim) for n in (draw(st.integers(1, 25)), 4)]
    moved = [replace(each, node_attributes=scale * each.node_attributes) for each in batches]
    options = {
        "kind": draw(st.sampled_from(["joint", "joint", "continuous", "categorical"])),
        "depth": draw(st.integers(0, 2)),
        "mass": draw(st.sampled_from(["share", "count"])),
        "label_weight": draw(st.sampled_from([0.0, 1e-6, 0.5, 0.9, 1.0])),
        "size_weight": draw(st.sampled_from([0.0, 0.0, 0.3, 1e3])),
        "standardize": draw(st.sampled_from([False, False, True])),
    }
    if options["mass"] == "count":
        options["unmatched_cost"] = draw(st.sampled_from(["auto", 0.5, 30.0]))
        return options, moved, [None, None]
    weighted = [draw(st.booleans()) for _ in moved]
    weights = [random.uniform(0.1, 3, each.n_nodes) if w else None for each, w in zip(moved, weighted, strict=True)]
    return options, moved, weights


@given(comparisons(), st.integers(1, 6), st.data())
@settings(max_examples=200)
def test_no_bound_is_too_large(drawn, k, data):
    """As they are used: with labels, sizes, prices and weights, in units that hold all of them."""
    options, (graphs, new), (weights, other_weights) = drawn
    index = wg.GraphIndex(graphs, **with_metric(**{"standardize": False, **options}), weights=weights)
    check_query(index, graphs, new, k, options, weights=weights, other_weights=other_weights)
    distances = wg.distances(
        graphs, new, **with_metric(**{"standardize": False, **options}), weights=weights, other_weights=other_weights
    ).T
    row, column = (data.draw(st.integers(0, n - 1)) for n in distances.shape)
    found = index.radius_neighbors(new, distances[row, column], weights=other_weights)
    for row_of, length, position in zip(distances, *found, strict=True):
        assert sorted(position.tolist()) == np.flatnonzero(row_of <= distances[row, column]).tolist()
        np.testing.assert_array_equal(length, row_of[position])
    own = wg.distances(graphs, **with_metric(**{"standardize": False, **options}), weights=weights)
    np.fill_diagonal(own, np.inf)
    for result, expected in zip(index.kneighbors(k), sorted_rows(own, min(k, len(graphs) - 1)), strict=True):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("kind", ["continuous", "joint"])
def test_a_query_unlike_graphs_that_are_all_alike(demo, kind):
    """Images of points that do not differ have no unit in which short floats could hold others."""
    alike = replace(demo[:40], node_attributes=np.full((demo[:40].n_nodes, 2), 0.1))
    check_query(wg.GraphIndex(alike, wg.WWL(kind=kind, standardize=False)), alike, demo[40:], 5, {"kind": kind})


def test_distances_that_underflow_beside_those_of_another_query(demo):
    """All queries of a search have one unit, as in a matrix; distances that are 0 in it are equal."""
    tiny, huge = (replace(demo, node_attributes=scale * demo.node_attributes) for scale in (1e-160, 1e160))
    new = wg.GraphBatch.concatenate([tiny[40:], huge[40:]])
    for kind in ("continuous", "joint"):
        check_query(wg.GraphIndex(tiny[:40], wg.WWL(kind=kind, standardize=False)), tiny[:40], new, 5, {"kind": kind})


def test_distances_that_are_smaller_than_the_rounding_of_sizes(demo):
    """Then most are equal, and the first graphs are the nearest."""
    tiny = replace(demo, node_attributes=1e-20 * demo.node_attributes)
    options = {"kind": "continuous", "size_weight": 1e3}
    check_query(
        wg.GraphIndex(tiny[:40], **with_metric(**{"standardize": False, **options})), tiny[:40], tiny[40:], 5, options
    )
    tinier = replace(demo, node_attributes=1e-200 * demo.node_attributes)
    index = wg.GraphIndex(tinier[:40], **with_metric(**{"standardize": False, **options}))
    check_query(index, tinier[:40], tinier[40:], 5, options)
    distances = wg.distances(tinier[:40], tinier[40:], **with_metric(**{"standardize": False, **options})).T
    for row, found in zip(distances, index.radius_neighbors(tinier[40:], 300.0)[1], strict=True):
        assert sorted(found.tolist()) == np.flatnonzero(row <= 300.0).tolist()


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
    check_query(
        wg.GraphIndex(graphs[:40], **with_metric(**{"standardize": False, **options})),
        graphs[:40],
        graphs[40:],
        5,
        options,
    )
    # A query that is very far from all graphs, in the unit of the index.
    far = wg.GraphBatch(demo.node_ptr, demo.indptr, demo.indices, node_attributes=1e30 * demo.node_attributes)[:2]
    near = wg.GraphBatch(demo.node_ptr, demo.indptr, demo.indices, node_attributes=demo.node_attributes)
    check_query(wg.GraphIndex(near, **with_metric(**{"standardize": False, **options})), near, far, 5, options)


def test_one_graph_and_graphs_of_one_node():
    graphs = wg.from_edges([[], [], [(0, 1)]], n_nodes=[1, 1, 2], symmetrize=True, node_labels=[[0], [1], [0, 1]])
    for options in ({}, {"kind": "continuous"}, {"mass": "count"}):
        check_query(
            wg.GraphIndex(graphs, **with_metric(**{"standardize": False, **options})), graphs, graphs, 3, options
        )
        check_query(
            wg.GraphIndex(graphs[:1], **with_metric(**{"standardize": False, **options})),
            graphs[:1],
            graphs,
            3,
            options,
        )
    distances, positions = wg.GraphIndex(graphs[:1]).kneighbors(3)
    assert distances.shape == positions.shape == (1, 0)


def test_results_do_not_depend_on_threads(demo):
    index = wg.GraphIndex(demo, wg.WWL(kind="joint", standardize=False))
    one, two = (index.query(demo, k=4, n_jobs=n_jobs) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], two[1])


@pytest.mark.parametrize("kind", ["labels", "attributes", "both, counts"])
def test_adding_graphs_equals_a_new_index(demo, kind):
    options = (
        {**KINDS[kind], "standardize": False, "unmatched_cost": 0.7}
        if "counts" in kind
        else {"kind": KINDS[kind]["kind"]}
    )
    index = wg.GraphIndex(
        demo[:25], **with_metric(**{"standardize": False, **options}), names=[f"a{i}" for i in range(25)]
    )
    index.add(demo[25:40], names=[f"b{i}" for i in range(15)])
    assert len(index) == 40
    assert index.names.tolist() == [f"a{i}" for i in range(25)] + [f"b{i}" for i in range(15)]
    check_query(index, demo[:40], demo[40:], 6, options)
    index.add(demo[40:42])
    assert index.names.tolist()[-2:] == ["40", "41"]


def test_a_sparse_graph_of_neighbors(demo):
    index = wg.GraphIndex(demo, wg.WWL(kind="joint", standardize=False))
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
    index = wg.GraphIndex(graphs[:40], wg.WWL(kind="joint", standardize=False))
    distances, positions = index.query(graphs[40:], k=40)
    matrix = np.empty_like(distances)
    np.put_along_axis(matrix, positions, distances, axis=1)
    own = wg.distances(graphs[:40], metric=wg.WWL(kind="joint", standardize=False))
    model = KNeighborsClassifier(5, metric="precomputed").fit(own, y[:40])
    votes = [np.bincount(y[:40][row[:5]], minlength=3) for row in positions]
    np.testing.assert_array_equal(model.predict_proba(matrix), np.array(votes) / 5)


def the_error(call, *arguments, **options):
    """Return the message of the error that a call raises."""
    with pytest.raises((ValueError, TypeError)) as error:
        call(*arguments, **options)
    return str(error.value)


def test_errors_say_what_the_index_holds(demo):
    index = wg.GraphIndex(demo, wg.WWL(depth=2, kind="joint", standardize=False))
    held = "this is GraphIndex(60 graphs, joint, node labels and node attributes, depth 2)"
    learned = "but the embedding was learned"
    for call in (index.query, index.add):
        assert the_error(call, replace(demo, edge_weights=None)) == (
            f"these graphs have no edge weights, {learned} on graphs with edge weights; use edge weights for all "
            f"graphs or for none; {held}"
        )
        assert the_error(call, replace(demo, node_attributes=None)) == (
            f"these graphs have no node attributes, {learned} on graphs that have them; {held}"
        )
        assert the_error(call, replace(demo, node_attributes=demo.node_attributes[:, :1])) == (
            f"these graphs have 1 node attributes, {learned} with 2; {held}"
        )
        assert the_error(call, "CCO") == (
            "these are molecules, but the index holds other graphs, whose labels are no elements; make an index of "
            f"molecules, from SMILES or RDKit; {held}"
        )
    assert len(index) == len(index.names) == 60


def test_molecules_are_not_compared_with_other_graphs(demo):
    """Labels of other graphs are no elements, even if these were molecules once."""
    once = replace(wg.from_smiles(["CCO", "CCN"]), molecules=False)
    for options in ({"kind": "categorical", "edge_labels": "ignore"}, {"kind": "continuous"}):
        index = wg.GraphIndex(["CCO", "CCN", "c1ccccc1"], **with_metric(**{"standardize": False, **options}))
        for call in (index.query, index.add):
            assert the_error(call, once) == (
                "the index holds molecules, but these graphs are not, and their labels are no elements; pass "
                f"molecules, such as SMILES; this is {index!r}"
            )
        assert "the index holds other graphs" in the_error(
            wg.GraphIndex(once, **with_metric(**{"standardize": False, **options})).query, "CCO"
        )
    # Degrees mean the same everywhere.
    bare = wg.GraphIndex(
        replace(once, node_labels=None, node_attributes=None, edge_labels=None), wg.WWL(depth=1, standardize=False)
    )
    assert bare.query("CCO", k=1)[0].tolist() == [[0.0]]


def test_impossible_values_are_named(demo):
    index = wg.GraphIndex(demo, wg.WWL(depth=2, kind="joint", standardize=False))
    assert the_error(index.query, demo, k=0) == "k must be at least 1, got 0"
    assert the_error(index.query, demo, k=1.5) == "k must be a whole number, got 1.5"
    for radius in (-1, float("nan"), np.float64(-0.5)):
        assert the_error(index.radius_neighbors, demo, radius) == f"radius must be at least 0, got {radius}"
        assert the_error(index.neighbors_within, radius) == f"radius must be at least 0, got {radius}"
    for radius in (None, "a", "0.5", [1]):
        assert the_error(index.radius_neighbors, demo, radius) == f"radius must be a number, got {radius!r}"
    assert the_error(wg.GraphIndex, demo[:0]) == "there are no graphs to search among; pass at least one"
    for solver in (wg.Sinkhorn(1.0), wg.Sliced()):
        problem = f"an index is exact, but the solver is {solver.name}"
        assert the_error(wg.GraphIndex, demo, wg.WWL(solver=solver)) == f'{problem}; use solver="exact"'
    wrong = "there are 60 graphs, but 1 name in names; pass one for each graph"
    assert the_error(wg.GraphIndex, demo, names=["a"]) == wrong
    assert the_error(index.add, demo, names=["a"]) == wrong
    assert len(index) == 60


def test_wrong_weights_are_named(demo):
    weights = np.arange(demo.n_nodes) + 1.0
    with_weights, without = (wg.GraphIndex(demo, weights=each) for each in (weights, None))
    assert the_error(with_weights.add, demo) == (
        "the nodes of the index have weights, but those of the new graphs have none; pass weights"
    )
    assert the_error(without.add, demo, weights=weights) == (
        "the nodes of the new graphs have weights, but those of the index have none; leave them out, or make a new "
        "index with weights"
    )
    without.add(demo[:3], weights=np.ones(demo[:3].n_nodes))  # as without weights
    counts = 'mass="count" gives every node the mass 1, but there are weights; pass mass="share"'
    for kind in ("categorical", "continuous", "joint"):
        assert the_error(wg.GraphIndex, demo, wg.WWL(kind=kind, mass="count"), weights=weights) == counts
        index = wg.GraphIndex(demo, wg.WWL(kind=kind, mass="count", standardize=False))
        assert the_error(index.query, demo, weights=weights) == f"{counts}; this is {index!r}"
        assert the_error(index.add, demo, weights=weights) == f"{counts}; this is {index!r}"


def test_graphs_that_are_added_need_only_what_is_compared(demo):
    new = replace(demo[40:], node_attributes=None, edge_weights=None, edge_labels=np.ones(demo[40:].n_arcs, dtype=int))
    index = wg.GraphIndex(demo[:40], wg.WWL(kind="categorical"))
    index.add(new)
    check_query(index, demo, demo[:5], 7, {"kind": "categorical"})
    assert index.graphs == replace(demo, node_attributes=None, edge_weights=None)
    index = wg.GraphIndex(
        replace(demo[:40], edge_attributes=np.ones((demo[:40].n_arcs, 2))), wg.WWL(kind="continuous", standardize=False)
    )
    index.add(replace(demo[40:], node_labels=None, edge_attributes=np.ones((demo[40:].n_arcs, 1))))
    check_query(index, demo, demo[:5], 7, {"kind": "continuous"})
    assert index.graphs == replace(demo, node_labels=None)
    # A graph without edges has no data of edges to compare.
    molecules = wg.GraphIndex(["CCO", "CCN"])
    molecules.add(replace(wg.from_smiles(["C"]), edge_labels=None))
    assert len(molecules.graphs.edge_labels) == molecules.graphs.n_arcs == 8


def test_bounds_settle_most_graphs(demo):
    """Ten times as many graphs, far from each other, hardly mean more solutions."""
    moved = [
        wg.GraphBatch(demo.node_ptr, demo.indptr, demo.indices, node_attributes=demo.node_attributes + 5 * shift)
        for shift in range(10)
    ]
    index = wg.GraphIndex(wg.GraphBatch.concatenate(moved), wg.WWL(kind="continuous", standardize=False))
    index.query(moved[3], k=1)
    assert index.last_counts["solved"] < 0.05 * 60 * 600
    assert index.last_counts["vectors"] > 0.8 * 60 * 600


DATA_SETS = (
    *("MUTAG", "PTC_MR", "NCI1", "PROTEINS", "DD", "BZR_MD", "COX2_MD", "IMDB-BINARY"),
    *("ENZYMES", "PROTEINS_full", "BZR", "COX2", "SYNTHETICnew", "Synthie"),
)
# Brute force takes too long for the attributes of many or large graphs: how many of them are searched.
MOST_NODES, MOST_PAIRS_OF_NODES, MOST_GRAPHS, FEWEST_GRAPHS = 120, 150_000, 400, 40


@pytest.mark.parametrize("name", DATA_SETS)
def test_real_data_sets(data_home, name):
    """Fifty queries of every kind that the graphs allow: among all graphs by labels, among some by attributes."""
    graphs, _ = wg.load_dataset(name, data_home=data_home)
    shuffled = np.random.default_rng(0).permutation(len(graphs))
    small = shuffled[graphs.sizes[shuffled] <= MOST_NODES]
    n_graphs = np.clip(MOST_PAIRS_OF_NODES / graphs.sizes[small].mean() ** 2, FEWEST_GRAPHS, MOST_GRAPHS)
    some = small[: 50 + int(n_graphs)]
    kinds: list[tuple[Any, dict[str, Any]]] = [(shuffled, {"kind": "categorical"}), (some, {"kind": "continuous"})]
    if graphs.node_labels is not None and graphs.node_attributes is not None:
        kinds.append((some, {"kind": "joint", "standardize": True}))
    for chosen, options in kinds:
        new, own = graphs[chosen[:50]], graphs[chosen[50:]]
        for mass in ("share", "count"):
            both = {**options, "mass": mass}
            check_query(wg.GraphIndex(own, **with_metric(**{"standardize": False, **both})), own, new, 5, both)


def test_distances_do_not_depend_on_the_order_of_two_graphs(demo):
    """To the last bit, so that a search may have the query on either side."""
    for options in ({"kind": "joint"}, {"kind": "continuous"}, {"kind": "continuous", "mass": "count"}):
        one, two = (
            wg.distances(demo[:30], demo[30:], **with_metric(**{"standardize": False, **options})),
            wg.distances(demo[30:], demo[:30], **with_metric(**{"standardize": False, **options})),
        )
        if "mass" not in options:  # the price is learned from the graphs on the left
            np.testing.assert_array_equal(one, two.T)
    for a, b in itertools.combinations(range(6), 2):
        pair = wg.distances(demo[[a, b]], metric=wg.WWL(kind="continuous", standardize=False))[0, 1]
        assert pair == wg.distances(demo[[b, a]], metric=wg.WWL(kind="continuous", standardize=False))[0, 1]


def test_the_last_graph_of_a_weighted_index_is_embedded_with_its_weights(demo):
    index = wg.GraphIndex(demo, wg.WWL(depth=1, standardize=False), weights=np.arange(1.0, demo.n_nodes + 1))
    both = [index.embed_with(demo[:1], position) for position in (-1, len(demo) - 1)]
    np.testing.assert_array_equal(both[0].weights, both[1].weights)
    assert len(both[0].weights) == both[0].ptr[-1]
