"""What all comparison kernels have in common: the interface, and what makes a kernel of graphs."""

from __future__ import annotations

import pickle
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils import estimator_checks, get_tags

import wassergraph as wg
from estimator_rules import APPLICABLE
from strategies import batches
from wassergraph.baselines.hashing import HashGraphKernel
from wassergraph.baselines.histogram import EdgeHistogram, VertexHistogram
from wassergraph.baselines.hopper import GraphHopper
from wassergraph.baselines.paths import ShortestPath
from wassergraph.baselines.rbf import RBFWL, ContinuousVertexHistogram
from wassergraph.baselines.subtree import WLOptimalAssignment, WLSubtree

KERNELS = {
    "V": VertexHistogram(),
    "E": EdgeHistogram(),
    "WL": WLSubtree(2),
    "WL-OA": WLOptimalAssignment(2),
    "SP": ShortestPath(),
    "VH-C": ContinuousVertexHistogram(1),
    "RBF-WL": RBFWL(2, standardize=True),
    "HGK-WL": HashGraphKernel("wl", 2, iterations=5, random_state=0),
    "HGK-SP": HashGraphKernel("sp", iterations=5, random_state=0),
    "GH gaussian": GraphHopper(standardize=True),
    "GH linear": GraphHopper(node_kernel="linear"),
    "GH dirac": GraphHopper(node_kernel="dirac"),
}
CLASSES = sorted({type(kernel) for kernel in KERNELS.values()}, key=lambda kernel: kernel.__name__)
EXACT = ("V", "E", "WL", "WL-OA", "SP", "GH dirac")  # whole numbers, at least before the normalization
ALONE = {"V": 1, "E": 0, "WL": 3, "WL-OA": 3, "SP": 0, "VH-C": 1, "RBF-WL": 1, "HGK-WL": 3, "HGK-SP": 0}
ALONE |= {"GH gaussian": 1, "GH linear": 5, "GH dirac": 1}  # what one node has in common with its like

every = pytest.mark.parametrize("name", KERNELS)
either_way = pytest.mark.parametrize("normalize", [False, True], ids=["plain", "normalized"])


def new(name: str, **options):
    return clone(KERNELS[name]).set_params(**options)


@pytest.fixture(scope="module")
def labeled_demo():
    graphs, y = wg.load_dataset("demo")
    return replace(graphs, edge_labels=(graphs.arc_tails + graphs.indices) % 3), y


@pytest.fixture(scope="module")
def some(labeled_demo):
    return labeled_demo[0][:12]


def assert_semidefinite(kernel):
    assert np.isfinite(kernel).all()
    np.testing.assert_array_equal(kernel, kernel.T)
    eigenvalues = np.linalg.eigvalsh(kernel)
    assert eigenvalues[0] >= -1e-9 * eigenvalues[-1]


def tame(name: str, graphs):
    """Spare the one kernel without bounds attributes whose products cancel or vanish: what is left of them is noise."""
    if name != "GH linear" or graphs.node_attributes is None:
        return graphs
    return replace(graphs, node_attributes=np.abs(graphs.node_attributes).round(6))


def shuffled(graphs, seed: int):
    """Put the nodes of every graph into another order."""
    rng = np.random.default_rng(seed)
    order = np.concatenate(
        [first + rng.permutation(n) for first, n in zip(graphs.node_ptr, graphs.sizes, strict=False)]
    )
    place = np.argsort(order)
    tails, heads = place[graphs.arc_tails], place[graphs.indices]
    arcs = np.lexsort((heads, tails))
    data = {name: getattr(graphs, f"node_{name}")[order] for name in ("labels", "attributes")}
    edges = {name: getattr(graphs, f"edge_{name}")[arcs] for name in ("labels", "weights")}
    return replace(
        graphs,
        indptr=np.concatenate([[0], np.cumsum(graphs.degrees[order])]),
        indices=heads[arcs],
        **{f"node_{name}": rows for name, rows in data.items()},
        **{f"edge_{name}": rows for name, rows in edges.items()},
    )


# What makes a kernel


@every
@either_way
def test_kernels_are_positive_semidefinite(labeled_demo, name, normalize):
    graphs, _ = labeled_demo
    square = new(name, normalize=normalize).fit_transform(graphs)
    assert square.shape == (60, 60)
    assert square.dtype == np.float64
    assert_semidefinite(square)
    assert len(np.unique(square.round(9))) > 1


@every
@settings(deadline=None, max_examples=25)
@given(batches(min_graphs=2))
def test_kernels_of_any_graphs_are_positive_semidefinite(name, batch):
    batch = tame(name, batch)
    assert_semidefinite(new(name).fit_transform(batch))
    square = new(name, normalize=True).fit_transform(batch)
    assert_semidefinite(square)
    assert np.all((np.abs(square.diagonal() - 1) < 1e-9) | ~square.any(axis=1))


@every
def test_the_diagonal_of_a_normalized_kernel_is_one(some, name):
    model = new(name, normalize=True)
    square = model.fit_transform(some)
    np.testing.assert_allclose(square.diagonal(), 1, rtol=1e-12)
    assert np.abs(square).max() < 1 + 1e-12
    plain = new(name).fit_transform(some)
    own = plain.diagonal()
    np.testing.assert_allclose(square, plain / np.sqrt(np.outer(own, own)), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("factor", [1e-100, 1e80])
def test_the_size_of_a_kernel_is_lost_in_its_normalization(some, factor):
    expected = new("GH linear", normalize=True).fit_transform(some)
    scaled = replace(some, node_attributes=some.node_attributes * factor)
    found = new("GH linear", normalize=True).fit_transform(scaled)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@every
def test_the_order_of_nodes_and_graphs_means_nothing(some, name):
    expected = new(name).fit_transform(some)
    other = shuffled(some, 3)
    assert other != some
    tolerance = 0 if name in EXACT else 1e-9
    np.testing.assert_allclose(new(name).fit_transform(other), expected, rtol=tolerance, atol=tolerance)
    order = np.random.default_rng(0).permutation(len(some))
    found = new(name).fit_transform(some[order])
    np.testing.assert_allclose(found, expected[np.ix_(order, order)], rtol=tolerance, atol=tolerance)


# Old graphs and new


@every
@either_way
def test_training_graphs_may_come_again(some, name, normalize):
    model = new(name, normalize=normalize)
    square = model.fit_transform(some)
    rectangle = model.transform(some)
    np.testing.assert_allclose(rectangle, square, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.fit(some).transform(some), square, rtol=1e-9, atol=1e-9)
    one_by_one = np.concatenate([model.transform(graph) for graph in some])
    np.testing.assert_allclose(one_by_one, rectangle, rtol=1e-12, atol=1e-12)
    assert model.transform(some[:0]).shape == (0, 12)


@every
@settings(deadline=None, max_examples=20)
@given(batches(min_graphs=2))
def test_any_training_graphs_may_come_again(name, batch):
    batch = tame(name, batch)
    model = new(name)
    square = model.fit_transform(batch)
    scale = np.abs(square).max()
    np.testing.assert_allclose(model.transform(batch), square, rtol=1e-9, atol=1e-9 * scale)


@every
@either_way
def test_threads_change_nothing(some, name, normalize):
    alone, both = (new(name, normalize=normalize, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(alone.fit_transform(some), both.fit_transform(some))
    np.testing.assert_array_equal(alone.transform(some[:5]), both.transform(some[:5]))


@every
def test_parameters_set_after_fitting_do_not_mix_with_what_was_learned(some, name):
    model = new(name).fit(some)
    before = model.transform(some)
    changed = {key: value for key, value in {"depth": 5, "gamma": 9.0, "bin_width": 7.0}.items() if hasattr(model, key)}
    np.testing.assert_array_equal(model.set_params(**changed).transform(some), before)


# Graphs with little in them


@every
def test_graphs_of_one_node(name):
    one = {"n_nodes": [1, 1], "node_labels": [[4], [4]], "node_attributes": [[[2.0, 1.0]], [[2.0, 1.0]]]}
    graphs = wg.from_edges([[], []], **one)
    np.testing.assert_allclose(new(name).fit_transform(graphs), np.full((2, 2), ALONE[name]), rtol=1e-12)
    found = new(name, normalize=True).fit_transform(graphs)
    np.testing.assert_allclose(found, np.full((2, 2), float(ALONE[name] > 0)), rtol=1e-12)
    np.testing.assert_array_equal(new(name).fit(graphs[:1]).transform(graphs)[:, 0], np.full(2, ALONE[name]))


@every
@either_way
def test_graphs_without_edges_and_in_pieces(name, normalize):
    edges = [[], [(0, 1), (2, 3)], [(0, 1), (1, 2), (0, 2)]]
    attributes = [[[0.0], [1.0], [2.0]], [[0.0], [1.0], [1.0], [0.0]], [[0.5]] * 3]
    data = {"n_nodes": [3, 4, 3], "node_labels": [[0, 1, 2], [0, 1, 0, 1], [1, 1, 1]], "node_attributes": attributes}
    graphs = wg.from_edges(edges, **data, symmetrize=True)
    square = new(name, normalize=normalize).fit_transform(graphs)
    assert_semidefinite(square)
    if name in ("E", "SP", "HGK-SP"):
        assert not square[0].any()
    else:
        assert square[0, 0] > 0
    assert square[1, 1] > 0
    assert square[2, 2] > 0


@every
@either_way
def test_a_graph_with_nothing_to_count_keeps_its_zeros(name, normalize):
    """Nothing of a new graph is found in the old, or has a length; that gives no NaN and no warning."""
    pair = {"n_nodes": [2], "node_labels": [[0, 1]], "node_attributes": [[[1.0], [2.0]]]}
    model = new(name, normalize=normalize).fit(wg.from_edges([[(0, 1)]], **pair, symmetrize=True))
    rows = model.transform(wg.from_edges([[]], **pair | {"node_labels": [[8, 9]]}))
    assert np.isfinite(rows).all()
    if name in ("V", "E", "WL", "WL-OA", "SP", "HGK-SP", "GH dirac"):
        assert not rows.any()


@every
def test_a_kernel_needs_a_graph_to_learn_from(some, name):
    with pytest.raises(ValueError, match="no graphs"):
        new(name).fit(some[:0])


# Input


@every
def test_graphs_of_any_sort_are_read(name):
    nets = [nx.cycle_graph(4), nx.path_graph(3), nx.star_graph(3)]
    expected = new(name).fit_transform(wg.from_networkx(nets))
    np.testing.assert_array_equal(new(name).fit_transform(nets), expected)
    np.testing.assert_array_equal(new(name).fit(nets).transform(nets[1]), new(name).fit(nets).transform(nets)[1:2])
    matrices = [nx.to_numpy_array(net) for net in nets]
    np.testing.assert_array_equal(new(name).fit(matrices).transform(matrices), new(name).fit(nets).transform(nets))


def test_molecules_are_counted_as_they_are_written():
    found = wg.baselines.VertexHistogram().fit_transform(["CCO", "c1ccccc1"])
    np.testing.assert_array_equal(found, [[2 * 2 + 1, 2 * 6], [2 * 6, 6 * 6]])


@every
@pytest.mark.parametrize("wrong", [None, 3, [1, 2]], ids=repr)
def test_what_is_no_graph_is_refused(some, name, wrong):
    with pytest.raises(TypeError, match="graph"):
        new(name).fit(wrong)
    with pytest.raises(TypeError, match="graph"):
        new(name).fit(some).transform(wrong)


WRONG = [
    (WLSubtree, {"depth": -1}),
    (WLSubtree, {"depth": 1.5}),
    (WLOptimalAssignment, {"depth": -1}),
    (WLOptimalAssignment, {"depth": "3"}),
    (ContinuousVertexHistogram, {"depth": -1}),
    (ContinuousVertexHistogram, {"gamma": 0}),
    (ContinuousVertexHistogram, {"isolated_nodes": "drop"}),
    (RBFWL, {"depth": -1}),
    (RBFWL, {"gamma": -2.0}),
    (RBFWL, {"gamma": np.inf}),
    (RBFWL, {"gamma": "scale"}),
    (RBFWL, {"isolated_nodes": "drop"}),
    (HashGraphKernel, {"base": "graphlet"}),
    (HashGraphKernel, {"depth": -1}),
    (HashGraphKernel, {"iterations": 0}),
    (HashGraphKernel, {"iterations": 2.5}),
    (HashGraphKernel, {"bin_width": 0.0}),
    (HashGraphKernel, {"bin_width": np.nan}),
    (GraphHopper, {"node_kernel": "bridge"}),
    (GraphHopper, {"gamma": 0.0}),
    (GraphHopper, {"gamma": np.nan}),
]


@pytest.mark.parametrize(("kernel", "wrong"), WRONG, ids=lambda part: getattr(part, "__name__", str(part)))
def test_bad_parameters_are_found_when_fitting(some, kernel, wrong):
    (name,) = wrong
    model = kernel(**wrong)
    with pytest.raises((ValueError, TypeError), match=name):
        model.fit(some)
    with pytest.raises((ValueError, TypeError), match=name):
        model.fit_transform(some)


# Together with scikit-learn


@every
def test_kernels_can_be_cloned_and_kept(some, name):
    model = new(name, normalize=True)
    expected = model.fit(some[:8]).transform(some[8:])
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(some[8:]), expected)
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        fresh.transform(some)


@every
def test_kernels_in_a_pipeline_with_an_svm(labeled_demo, name):
    graphs, y = labeled_demo
    folds = StratifiedKFold(3)
    chain = make_pipeline(new(name, normalize=True), SVC(kernel="precomputed", C=100))
    scores = cross_val_score(chain, graphs, y, cv=folds, error_score="raise")
    by_hand = []
    for train, test in folds.split(y, y):
        model = new(name, normalize=True)
        # The same calls as in a pipeline, so that no prediction can depend on rounding.
        svm = SVC(kernel="precomputed", C=100).fit(model.fit_transform(graphs[train]), y[train])
        by_hand.append(svm.score(model.transform(graphs[test]), y[test]))
    np.testing.assert_allclose(scores, by_hand)
    if name in ("WL", "WL-OA"):
        assert scores.mean() > 0.9  # the classes differ in their neighborhoods, and in nothing else


@pytest.mark.parametrize("kernel", CLASSES)
@pytest.mark.parametrize("check", APPLICABLE)
def test_kernels_pass_the_checks_that_apply(kernel, check):
    getattr(estimator_checks, check)(kernel.__name__, kernel())


@pytest.mark.parametrize("kernel", CLASSES)
def test_kernels_take_graphs_and_are_public(kernel):
    assert getattr(wg.baselines, kernel.__name__) is kernel
    assert not get_tags(kernel()).input_tags.two_d_array
    assert not get_tags(kernel()).input_tags.pairwise
    assert {"normalize": False, "n_jobs": None, "progress": False}.items() <= kernel().get_params().items()
