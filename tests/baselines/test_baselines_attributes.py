"""The comparison kernels of node attributes: VH-C, RBF-WL, HGK-WL, HGK-SP and GraphHopper."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import issparse

import wassergraph as wg
from made_metrics import metric_of
from oracles import (
    collision_probability,
    gaussian,
    graph_hopper_slowly,
    labeled,
    rbf_of_sums_slowly,
    rbf_sums_slowly,
    skeleton,
)
from peers import grakel_kernel
from strategies import batches
from wassergraph import baselines

RBF = {
    "VH-C": (baselines.ContinuousVertexHistogram, rbf_of_sums_slowly),
    "RBF-WL": (baselines.RBFWL, rbf_sums_slowly),
}
rbf = pytest.mark.parametrize(("kernel", "slow"), RBF.values(), ids=RBF)
BASES = {"wl": baselines.WLSubtree(2), "sp": baselines.ShortestPath()}


@pytest.fixture(scope="module")
def demo():
    return wg.load_dataset("demo")[0][:12]


@pytest.fixture(scope="module")
def enzymes(data_home):
    """Take ten graphs, half of them in pieces, with scaled attributes; GraKeL fails at nodes without edges."""
    graphs, _ = wg.load_dataset("ENZYMES", data_home=data_home)
    graphs = graphs[[0, 51, 100, 129, 153, 200, 235, 300, 400, 425]]
    assert [nx.is_connected(skeleton(graph)) for graph in graphs].count(False) == 5
    assert graphs.degrees.min() == 1
    return replace(graphs, node_attributes=points_of(graphs, standardize=True))


def points_of(graphs, depth: int = 0, **options):
    return metric_of(depth=depth, kind="continuous", **{"standardize": False, **options}).embed(graphs).points


def by_graph(graphs, points):
    return np.split(points, graphs.node_ptr[1:-1])


def close(found, expected, scale: float = 0.0):
    """Compare; where terms of either sign cancel, digits are lost, and ``scale`` says how large the terms are."""
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12 * max(scale, np.abs(expected).max()))


# Gaussian kernels on nodes


@rbf
@settings(deadline=None, max_examples=30)
@given(batches(min_graphs=2), st.integers(0, 2))
def test_rbf_kernels_are_those_of_the_slow_way(kernel, slow, batch, depth):
    embedding = wg.WWL(depth=depth, kind="continuous", standardize=False).embed(batch)
    expected = slow(by_graph(batch, embedding.points), 1 / embedding.dim)
    np.testing.assert_allclose(kernel(depth).fit_transform(batch), expected, rtol=1e-9, atol=1e-12)


@rbf
@pytest.mark.parametrize("options", [{}, {"standardize": True}, {"isolated_nodes": "keep"}], ids=str)
def test_options_of_rbf_kernels(demo, kernel, slow, options):
    lonely = wg.from_edges([[]], n_nodes=[2], node_attributes=[[[1.0, 2.0], [0.5, 0.0]]])
    graphs = wg.GraphBatch.concatenate([replace(demo, node_labels=None, edge_weights=None), lonely])
    points = by_graph(graphs, points_of(graphs, 2, **options))
    for gamma in (0.3, 0.01):
        found = kernel(2, gamma=gamma, **options).fit_transform(graphs)
        np.testing.assert_allclose(found, slow(points, gamma), rtol=1e-9)
    own = found.diagonal()
    normal = kernel(2, gamma=gamma, normalize=True, **options).fit_transform(graphs)
    np.testing.assert_allclose(normal, found / np.sqrt(np.outer(own, own)), rtol=1e-12)


def test_the_default_depths(demo):
    close(
        baselines.ContinuousVertexHistogram().fit_transform(demo),
        baselines.ContinuousVertexHistogram(0).fit_transform(demo),
    )
    close(baselines.RBFWL().fit_transform(demo), baselines.RBFWL(3).fit_transform(demo))
    assert np.abs(baselines.RBFWL(2).fit_transform(demo) - baselines.RBFWL(3).fit_transform(demo)).max() > 1e-3


def test_the_histogram_of_attributes_at_depth_0_by_hand():
    graphs = wg.from_edges([[], []], n_nodes=[2, 1], node_attributes=[[[1.0, 2.0], [3.0, 0.0]], [[2.0, 2.0]]])
    found = baselines.ContinuousVertexHistogram().fit_transform(graphs)
    np.testing.assert_allclose(found, [[1, np.exp(-0.5 * 4)], [np.exp(-0.5 * 4), 1]], rtol=1e-12)


@rbf
def test_the_scale_of_attributes_is_learned_on_the_training_graphs(demo, kernel, slow):
    train, new = demo[:7], demo[7:]
    mean, spread = train.node_attributes.mean(axis=0), train.node_attributes.std(axis=0)
    scaled = replace(demo, node_attributes=(demo.node_attributes - mean) / spread)
    expected = slow(by_graph(scaled, points_of(scaled, 1)), 0.5)
    model = kernel(1, standardize=True).fit(train)
    np.testing.assert_allclose(model.transform(new), expected[7:, :7], rtol=1e-9)


@pytest.mark.parametrize(
    "model", [baselines.RBFWL(2), baselines.GraphHopper(gamma=0.7)], ids=lambda model: type(model).__name__
)
def test_nodes_far_from_the_origin_are_told_apart(demo, model):
    """Squared distances as differences of squares would lose all digits here."""
    graphs = replace(demo, edge_weights=None)
    far = replace(graphs, node_attributes=graphs.node_attributes + 1e7)
    expected = model.fit_transform(graphs)
    np.testing.assert_allclose(model.fit_transform(far), expected, rtol=1e-6)
    np.testing.assert_allclose(model.fit(far).transform(far), expected, rtol=1e-6)


ATTRIBUTE_KERNELS = [
    baselines.ContinuousVertexHistogram(1),
    baselines.RBFWL(1),
    baselines.HashGraphKernel("wl", 1, random_state=0),
    baselines.HashGraphKernel("sp", random_state=0),
    baselines.GraphHopper(),
    baselines.GraphHopper(node_kernel="linear"),
]
of_attributes = pytest.mark.parametrize("model", ATTRIBUTE_KERNELS, ids=repr)


@of_attributes
def test_labels_one_hot_or_degrees_stand_in_for_attributes(demo, model):
    bare = replace(demo, node_attributes=None)
    close(model.fit_transform(bare), model.fit_transform(bare.one_hot_labels()))
    bare = replace(bare, node_labels=None)
    close(model.fit_transform(bare), model.fit_transform(bare.degree_attributes()))


@of_attributes
def test_attributes_of_another_number_are_refused(demo, model):
    model = model.fit(demo)
    for wide in (1, 3):
        with pytest.raises(ValueError, match=f"{wide} node attributes?"):
            model.transform(replace(demo, node_attributes=np.ones((demo.n_nodes, wide))))
    with pytest.raises(ValueError, match="no node attributes"):
        model.transform(replace(demo, node_attributes=None))


# Hashing


def hashed(graphs, points, model, iteration: int):
    """Label the nodes by hand: with the number of the bin that their projection falls into."""
    bins = np.floor((points @ model.directions_[iteration] + model.offsets_[iteration]) / model.bin_width)
    labels = bins.astype(np.int64)
    if model.use_labels:
        together = np.column_stack([graphs.node_labels, labels])
        labels = np.unique(together, axis=0, return_inverse=True)[1].reshape(-1)
    return replace(graphs, node_labels=labels)


def hash_kernel_by_hand(graphs, points, model, n_train: int | None = None):
    base = BASES[model.base]
    matrices = []
    for iteration in range(model.iterations):
        own = hashed(graphs, points, model, iteration)
        matrices.append(base.fit_transform(own) if n_train is None else base.fit(own[:n_train]).transform(own))
    return np.mean(matrices, axis=0)


@pytest.mark.parametrize("large", [1e17, -1e300])
def test_attributes_beyond_all_bins_are_an_error(large):
    edges, attributes = [[(0, 1)], [(0, 1)]], [[[0.0, 0.0]] * 2, [[0.0, 0.0], [large, large]]]
    graphs = wg.from_edges(edges, node_attributes=attributes, symmetrize=True)
    with pytest.raises(ValueError, match="graph 1, node 1: the attributes are too large for bins of the width 1; "):
        baselines.HashGraphKernel(standardize=False, random_state=0).fit(graphs)
    wide = baselines.HashGraphKernel(standardize=False, bin_width=abs(large) / 10, random_state=0).fit_transform(graphs)
    assert np.isfinite(wide).all()


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    "options", [{}, {"standardize": False}, {"bin_width": 0.3}, {"use_labels": True}, {"iterations": 1}], ids=str
)
def test_hash_kernels_are_means_over_hashes(demo, base, options):
    model = baselines.HashGraphKernel(base, 2, **{"iterations": 6, "random_state": 1} | options)
    found = model.fit_transform(demo)
    assert model.directions_.shape == (model.iterations, 2)
    assert model.offsets_.shape == (model.iterations,)
    points = points_of(demo, standardize=model.standardize)
    expected = hash_kernel_by_hand(demo, points, model)
    assert len(np.unique(expected)) > 10
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(model.transform(demo), expected, rtol=1e-12)
    own = expected.diagonal()
    normal = model.set_params(normalize=True).fit_transform(demo)
    np.testing.assert_allclose(normal, expected / np.sqrt(np.outer(own, own)), rtol=1e-12)


@pytest.mark.parametrize("base", BASES)
@settings(deadline=None, max_examples=20)
@given(batches(min_graphs=2), st.booleans())
def test_hash_kernels_of_any_graphs(base, batch, standardize):
    model = baselines.HashGraphKernel(base, 2, iterations=3, standardize=standardize, random_state=5)
    points = points_of(batch, standardize=standardize)
    found = model.fit_transform(batch)
    np.testing.assert_allclose(found, hash_kernel_by_hand(batch, points, model), rtol=1e-12)


@pytest.mark.parametrize("base", BASES)
def test_hashes_of_new_graphs_use_the_scale_of_the_old(demo, base):
    train = demo[:7]
    mean, spread = train.node_attributes.mean(axis=0), train.node_attributes.std(axis=0)
    model = baselines.HashGraphKernel(base, 2, iterations=6, random_state=2).fit(train)
    expected = hash_kernel_by_hand(demo, (demo.node_attributes - mean) / spread, model, 7)
    np.testing.assert_allclose(model.transform(demo), expected, rtol=1e-12)


@pytest.mark.parametrize("base", BASES)
def test_features_of_hash_kernels_are_what_is_multiplied(demo, base):
    model = baselines.HashGraphKernel(base, 2, iterations=4, random_state=3)
    square = model.fit_transform(demo[:7])
    old, new = model.features(demo[:7]), model.features(demo[7:])
    assert issparse(old)
    assert old.format == "csr"
    assert old.shape[1] == new.shape[1]
    np.testing.assert_allclose((old @ old.T).toarray(), square, rtol=1e-12)
    np.testing.assert_allclose((new @ old.T).toarray(), model.transform(demo[7:]), rtol=1e-12)


def test_defaults_of_the_hash_kernel(demo):
    model = baselines.HashGraphKernel(random_state=0)
    same = baselines.HashGraphKernel(
        "wl", 3, iterations=20, bin_width=1.0, standardize=True, use_labels=False, random_state=0
    )
    np.testing.assert_array_equal(model.fit_transform(demo), same.fit_transform(demo))
    assert model.directions_.shape == (20, 2)


def test_draws_come_from_the_named_distributions(demo):
    model = baselines.HashGraphKernel(depth=0, iterations=2000, bin_width=3.0, random_state=4).fit(demo[:1])
    directions = model.directions_
    np.testing.assert_allclose(directions.mean(axis=0), 0, atol=0.1)
    np.testing.assert_allclose(np.cov(directions.T), np.eye(2), atol=0.15)
    assert 0 <= model.offsets_.min() < 0.01
    assert 2.99 < model.offsets_.max() < 3
    np.testing.assert_allclose(np.quantile(model.offsets_, [0.25, 0.5, 0.75]), [0.75, 1.5, 2.25], atol=0.15)


@pytest.mark.parametrize("width", [0.5, 2.0])
def test_near_nodes_share_a_bin_as_often_as_theory_says(width):
    """For graphs of one node, the kernel at depth 0 is the share of hashes in which two nodes fall into one bin."""
    distances = [0.0, 0.1, 0.5, 1.0, 2.0, 5.0]
    along = np.array([2.0, -1.0, 2.0]) / 3
    attributes = [[d * along + 1] for d in distances]
    graphs = wg.from_edges([[] for _ in distances], n_nodes=[1] * len(distances), node_attributes=attributes)
    model = baselines.HashGraphKernel("wl", 0, iterations=4000, bin_width=width, standardize=False, random_state=0)
    expected = [collision_probability(d, width) for d in distances]
    assert all(near - far > 0.05 for near, far in pairwise(expected[1:]))
    np.testing.assert_allclose(model.fit_transform(graphs)[0], expected, atol=0.03)  # four standard errors


def test_the_mean_over_seeds_is_the_expected_kernel(demo):
    graphs = demo[:5]
    points = by_graph(graphs, points_of(graphs, standardize=True))
    expected = np.zeros((5, 5))
    for i, p in enumerate(points):
        for j, q in enumerate(points):
            apart = np.linalg.norm(p[:, None] - q[None], axis=2)
            expected[i, j] = sum(collision_probability(d, 1.0) for d in apart.flat)

    def draws(iterations):
        models = (baselines.HashGraphKernel("wl", 0, iterations=iterations, random_state=seed) for seed in range(60))
        return np.array([model.fit_transform(graphs) for model in models])

    few, many = draws(5), draws(80)
    np.testing.assert_allclose(many.mean(axis=0), expected, rtol=0.03)
    assert 2.5 < few.std(axis=0).mean() / many.std(axis=0).mean() < 6  # 4, the root of 80 / 5


def test_seeds_decide_everything(demo):
    def matrix(random_state):
        return baselines.HashGraphKernel(depth=1, random_state=random_state).fit_transform(demo)

    np.testing.assert_array_equal(matrix(7), matrix(7))
    np.testing.assert_array_equal(matrix(np.random.RandomState(7)), matrix(np.random.RandomState(7)))
    assert np.abs(matrix(7) - matrix(8)).max() > 1e-3
    model = baselines.HashGraphKernel(depth=1, random_state=None)
    square = model.fit_transform(demo)
    np.testing.assert_array_equal(model.transform(demo), square)
    assert np.abs(model.fit_transform(demo) - square).max() > 1e-3  # without a seed, other hashes are drawn


# GraphHopper


def node_kernels(graphs, points):
    labels = labeled(graphs).node_labels
    return {
        "gaussian": gaussian(points, points, 1 / points.shape[1]),
        "linear": points @ points.T,
        "dirac": (labels[:, None] == labels).astype(np.float64),
    }


@pytest.mark.parametrize("node_kernel", ["gaussian", "linear", "dirac"])
@settings(deadline=None, max_examples=30)
@given(batches(min_graphs=2), st.booleans())
def test_graph_hopper_compares_shortest_paths_node_by_node(node_kernel, batch, standardize):
    points = points_of(batch, standardize=standardize)
    expected = graph_hopper_slowly(batch, node_kernels(batch, points)[node_kernel])
    terms = graph_hopper_slowly(batch, node_kernels(batch, np.abs(points))[node_kernel])
    found = baselines.GraphHopper(node_kernel=node_kernel, standardize=standardize).fit_transform(batch)
    close(found, expected, terms.max())


@pytest.mark.parametrize("node_kernel", ["gaussian", "linear", "dirac"])
def test_graph_hopper_on_the_demo_set(demo, node_kernel):
    expected = graph_hopper_slowly(demo, node_kernels(demo, demo.node_attributes)[node_kernel])
    close(baselines.GraphHopper(node_kernel=node_kernel).fit_transform(demo), expected)
    model = baselines.GraphHopper(node_kernel=node_kernel, normalize=True).fit(demo[:7])
    own = expected.diagonal()
    close(model.transform(demo[7:]), expected[7:, :7] / np.sqrt(np.outer(own[7:], own[:7])))


@pytest.mark.parametrize(
    ("node_kernel", "theirs"), [("gaussian", ("gaussian", 1 / 18)), ("linear", "linear")], ids=["gaussian", "linear"]
)
def test_graph_hopper_equals_that_of_grakel(enzymes, node_kernel, theirs):
    expected = grakel_kernel("GraphHopper", enzymes, attributes=True, kernel_type=theirs)
    found = baselines.GraphHopper(node_kernel=node_kernel).fit_transform(enzymes)
    assert len(np.unique(expected)) == 55
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    if node_kernel == "gaussian":
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_graph_hopper_on_a_square_by_hand():
    """A square has 4 paths of no step, 8 of one, and 8 of two: two ways from each corner to the opposite one."""
    square = wg.from_edges([[(0, 1), (1, 2), (2, 3), (3, 0)]], node_labels=[[0] * 4], symmetrize=True)
    assert baselines.GraphHopper(node_kernel="dirac").fit_transform(square) == 4 * 4 + 8 * 8 * 2 + 8 * 8 * 3
    colors = replace(square, node_labels=[0, 1, 2, 3])
    # Each node begins 2 paths of one step and ends 2; of two steps it begins 2, ends 2 and is in the middle of 2.
    assert baselines.GraphHopper(node_kernel="dirac").fit_transform(colors) == 4 * (1 + 2 * 2 * 2 + 3 * 2 * 2)


def test_paths_of_a_length_that_no_training_graph_has():
    short = wg.from_edges([[(0, 1)]], node_labels=[[0, 0]], symmetrize=True)
    long = wg.from_edges([[(0, 1), (1, 2), (2, 3)]], node_labels=[[0] * 4], symmetrize=True)
    graphs = wg.GraphBatch.concatenate([short, long])
    expected = graph_hopper_slowly(graphs, np.ones((6, 6)))
    model = baselines.GraphHopper(node_kernel="dirac").fit(short)
    np.testing.assert_array_equal(model.transform(graphs), expected[:, :1])
    normal = baselines.GraphHopper(node_kernel="dirac", normalize=True).fit(short).transform(graphs)
    np.testing.assert_allclose(normal[1, 0], expected[1, 0] / np.sqrt(expected[0, 0] * expected[1, 1]), rtol=1e-12)


def star(leaves: int):
    """Make a graph of a hub and leaves with attributes that are all alike, so that every pair of nodes counts 1."""
    edges = [(0, v) for v in range(1, leaves + 1)]
    return wg.from_edges([edges], node_attributes=[np.zeros((leaves + 1, 2))], symmetrize=True)


def test_a_star_of_five_thousand_nodes():
    n, graph = 5000, star(4999)
    assert baselines.ContinuousVertexHistogram().fit_transform(graph) == 1
    np.testing.assert_allclose(baselines.RBFWL(2).fit_transform(graph), n**2, rtol=1e-9)
    np.testing.assert_allclose(baselines.HashGraphKernel("wl", 0, random_state=0).fit_transform(graph), n**2, rtol=1e-9)
    one, two = 2 * 4999, 4999 * 4998  # paths of one step and of two
    expected = n**2 + 2 * one**2 + 3 * two**2
    np.testing.assert_allclose(baselines.GraphHopper().fit_transform(graph), expected, rtol=1e-9)


def test_a_million_shortest_paths():
    one, two = 2 * 1000, 1000 * 999
    found = baselines.HashGraphKernel("sp", iterations=2, random_state=0).fit_transform(star(1000))
    np.testing.assert_allclose(found, one**2 + two**2, rtol=1e-9)


@pytest.mark.parametrize(
    ("base", "depths", "message"),
    [
        ("wl", [1, 4], "depths must be at most 3 for HashGraphKernel"),
        ("sp", [1], "depths must be at most 0 for HashGraphKernel"),
        ("wl", [-1], "depths must be at least 0, got -1"),
        ("wl", [], "there are no depths"),
    ],
)
def test_depths_that_a_hash_graph_kernel_does_not_have(base, depths, message):
    with pytest.raises(ValueError, match=message):
        baselines.HashGraphKernel(base, 3).fit_transform_depths(wg.datasets.make_demo(2)[0], depths)


@pytest.mark.parametrize(("base", "depths"), [("wl", (0, 2, 3)), ("sp", (0,))])
@pytest.mark.parametrize("normalize", [False, True])
def test_all_depths_of_a_hash_graph_kernel_are_those_of_one_at_a_time(base, depths, normalize):
    graphs, _ = wg.load_dataset("demo")
    options = {"iterations": 4, "random_state": 3, "normalize": normalize}
    together = baselines.HashGraphKernel(base, max(depths), **options).fit_transform_depths(graphs, depths)
    for depth, matrix in zip(depths, together, strict=True):
        alone = baselines.HashGraphKernel(base, depth, **options).fit_transform(graphs)
        np.testing.assert_allclose(matrix, alone, rtol=1e-12)
