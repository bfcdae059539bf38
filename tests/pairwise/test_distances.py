from __future__ import annotations

from dataclasses import replace

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.spatial.distance import cdist
from scipy.stats import wasserstein_distance

import wassergraph as wg
from made_metrics import solver_of, with_metric
from oracles import exact_distance
from strategies import batches
from wassergraph.errors import NotSolvedError
from wassergraph.metrics.node_embedding import Features, NodeEmbedding
from wassergraph.pairwise.api import embedding_distances

LABELED = ["MUTAG", "PTC_MR", "NCI1", "DD", "ENZYMES", "PROTEINS", "BZR", "COX2", "BZR_MD", "COX2_MD"]
KINDS = ["categorical", "continuous", "joint"]


def cloud(*graphs, weights=None) -> NodeEmbedding:
    """Embed graphs by hand: one array of points (n, d) each."""
    ptr = np.cumsum([0, *(len(points) for points in graphs)])
    return NodeEmbedding(
        ptr, 0, kind="continuous", features=Features.NODE_ATTRIBUTES, points=np.concatenate(graphs), weights=weights
    )


def distance(one, two, **options) -> float:
    return float(embedding_distances(cloud(one), cloud(two), depths=[0], solver=solver_of(**options))[0, 0, 0])


@pytest.fixture(scope="module")
def demo():
    return wg.datasets.make_demo()[0]


# Exactness


@given(batches(), st.sampled_from(KINDS), st.integers(0, 3))
@settings(deadline=None, max_examples=60)
def test_equal_to_pot_on_random_graphs(batch, kind, depth):
    if kind == "joint" and (batch.node_labels is None or batch.node_attributes is None):
        kind = "continuous"
    embedding = wg.WWL(depth=depth, kind=kind, standardize=False).embed(batch)
    distances = wg.distances(batch, metric=wg.WWL(depth=depth, kind=kind, standardize=False))
    for i in range(len(batch)):
        for j in range(len(batch)):
            assert distances[i, j] == pytest.approx(
                exact_distance(embedding, embedding, i, j, depth), rel=1e-9, abs=1e-12
            )


CASES = {
    "random": lambda rng, n: rng.normal(size=(n, 3)),
    "duplicates": lambda rng, n: rng.integers(0, 3, size=(n, 2)).astype(float),
    "ties": lambda rng, n: rng.integers(0, 2, size=(n, 6)).astype(float),
    "tiny": lambda rng, n: 1e-9 * rng.normal(size=(n, 3)),
    "huge": lambda rng, n: 1e9 * rng.normal(size=(n, 3)),
    "far": lambda rng, n: 1e6 + rng.normal(size=(n, 3)),
    "line": lambda rng, n: rng.normal(size=(n, 1)),
    "collinear": lambda rng, n: rng.normal(size=(n, 1)) @ np.ones((1, 3)),
    "all alike": lambda rng, n: np.ones((n, 2)) * rng.normal(),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 30), (30, 1), (12, 12), (7, 11), (40, 33), (64, 65), (130, 70)])
def test_equal_to_pot_on_hard_cases(case, n, m):
    rng = np.random.default_rng(n * 1000 + m)
    one, two = CASES[case](rng, n), CASES[case](rng, m)
    expected = ot.emd2([], [], cdist(one, two), numItermax=10**7)
    assert distance(one, two) == pytest.approx(expected, rel=1e-9, abs=1e-15 * np.abs(one).max())


@pytest.mark.parametrize(("n", "m"), [(3, 5), (6, 6), (9, 4)])
def test_equal_to_linear_programming(n, m):
    rng = np.random.default_rng(n + m)
    one, two = rng.normal(size=(n, 2)), rng.normal(size=(m, 2))
    rows, columns = np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))
    masses = np.concatenate([np.full(n, 1 / n), np.full(m, 1 / m)])
    solution = linprog(cdist(one, two).ravel(), A_eq=np.vstack([rows, columns]), b_eq=masses)
    assert distance(one, two) == pytest.approx(solution.fun, rel=1e-9)


def test_one_dimension_equals_scipy():
    rng = np.random.default_rng(0)
    for n, m in [(1, 4), (5, 5), (17, 30)]:
        one, two = rng.normal(size=(n, 1)), rng.normal(size=(m, 1))
        assert distance(one, two) == pytest.approx(wasserstein_distance(one[:, 0], two[:, 0]), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_node_weights_are_exact(demo, kind):
    rng = np.random.default_rng(0)
    graphs = demo[:6]
    weights = rng.uniform(0.1, 3, size=graphs.n_nodes)
    distances = wg.distances(graphs, metric=wg.WWL(depth=2, kind=kind, standardize=False), weights=weights)
    embedding = wg.WWL(depth=2, kind=kind, standardize=False).embed(graphs, weights=weights)
    for i in range(6):
        for j in range(6):
            assert distances[i, j] == pytest.approx(exact_distance(embedding, embedding, i, j, 2), rel=1e-9, abs=1e-10)
    mixed = wg.distances(graphs, graphs, metric=wg.WWL(depth=2, kind=kind, standardize=False), weights=weights)
    plain = wg.WWL(depth=2, kind=kind, standardize=False).embed(graphs)
    assert mixed[1, 4] == pytest.approx(exact_distance(embedding, plain, 1, 4, 2), rel=1e-9)
    line = rng.normal(size=(5, 1)), rng.normal(size=(8, 1))
    shares = rng.dirichlet(np.ones(5))
    got = embedding_distances(cloud(line[0], weights=shares), cloud(line[1]), depths=[0])[0, 0, 0]
    assert got == pytest.approx(wasserstein_distance(line[0][:, 0], line[1][:, 0], shares), rel=1e-9)


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, "categorical") for name in LABELED]
    + [("ENZYMES", "continuous"), ("ENZYMES", "joint"), ("IMDB-BINARY", "auto"), ("BZR", "continuous")]
    + [("Synthie", "auto"), ("SYNTHETICnew", "auto"), ("COX2_MD", "auto"), ("PROTEINS_full", "continuous")],
)
def test_equal_to_pot_on_real_data(name, kind, data_home):
    graphs, _ = wg.load_dataset(name, data_home=data_home)
    small = np.flatnonzero(graphs.sizes <= 150)
    graphs = graphs[np.random.default_rng(0).choice(small, size=12, replace=False)]
    if name.endswith("_MD"):
        graphs = graphs.drop_edges(1).weights_from_attributes()
    embedding = wg.WWL(depth=4, kind=kind, standardize=False).embed(graphs)
    distances = wg.distances(graphs, metric=wg.WWL(depth=[0, 2, 4], kind=kind, standardize=False))
    for slot, depth in enumerate([0, 2, 4]):
        for i, j in [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9), (10, 11), (0, 11), (5, 7)]:
            expected = exact_distance(embedding, embedding, i, j, depth)
            assert distances[slot, i, j] == pytest.approx(expected, rel=1e-9, abs=1e-13)


# Laws


@given(batches(min_graphs=3), st.sampled_from(["categorical", "continuous"]))
@settings(deadline=None, max_examples=40)
def test_metric_laws(batch, kind):
    distances = wg.distances(batch, metric=wg.WWL(depth=2, kind=kind, standardize=False))
    np.testing.assert_array_equal(distances, distances.T)
    assert (np.diag(distances) == 0).all()
    assert (distances >= 0).all()
    detour = (distances[:, :, None] + distances[None]).min(axis=1)
    assert (distances <= detour * (1 + 1e-9) + 1e-9).all()
    twice = wg.distances(batch, batch, metric=wg.WWL(depth=2, kind=kind, standardize=False))
    assert (np.diag(twice) == 0).all()
    np.testing.assert_allclose(twice, distances, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_permuting_nodes_and_graphs_changes_nothing(demo, kind):
    import networkx as nx

    rng = np.random.default_rng(0)
    graphs = demo[:8]
    names = {"node_labels": "label", "node_attributes": "attributes", "edge_weights": "weight"}
    shuffled = []
    for graph in graphs.to_networkx():
        order = rng.permutation(len(graph)).tolist()
        copy = nx.Graph()
        copy.add_nodes_from((node, graph.nodes[node]) for node in order)
        copy.add_edges_from(graph.edges(data=True))
        shuffled.append(copy)
    expected = wg.distances(graphs, metric=wg.WWL(depth=2, kind=kind, standardize=False))
    np.testing.assert_allclose(
        wg.distances(wg.from_networkx(shuffled, **names), metric=wg.WWL(depth=2, kind=kind, standardize=False)),
        expected,
        rtol=1e-9,
        atol=1e-12,
    )
    order = rng.permutation(8)
    np.testing.assert_allclose(
        wg.distances(graphs[order], metric=wg.WWL(depth=2, kind=kind, standardize=False)),
        expected[np.ix_(order, order)],
        rtol=1e-9,
        atol=1e-12,
    )


# Shapes and threads


@pytest.mark.parametrize("kind", KINDS)
def test_depths_rectangles_and_single_graphs_agree(demo, kind):
    train, test = demo[:10], demo[10:17]
    stack = wg.distances(train, test, metric=wg.WWL(depth=[2, 0, 2, 1], kind=kind, standardize=False))
    assert stack.shape == (4, 10, 7)
    np.testing.assert_array_equal(stack[0], stack[2])
    for slot, depth in enumerate([2, 0, 2, 1]):
        np.testing.assert_allclose(
            stack[slot], wg.distances(train, test, metric=wg.WWL(depth=depth, kind=kind, standardize=False)), rtol=1e-12
        )
    one_by_one = np.hstack(
        [wg.distances(train, graph, metric=wg.WWL(depth=2, kind=kind, standardize=False)) for graph in test]
    )
    np.testing.assert_array_equal(
        one_by_one, wg.distances(train, test, metric=wg.WWL(depth=2, kind=kind, standardize=False))
    )


OPTIONS = [
    *({"kind": kind} for kind in KINDS),
    {"solver": "sliced", "random_state": 0},
    {"solver": "sinkhorn", "reg": 0.5},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_results_do_not_depend_on_the_number_of_threads(demo, options):
    graphs = demo[:20]
    expected = wg.distances(graphs, **with_metric(depth=[0, 1, 2], **{"standardize": False, **options}))
    for n_jobs in (2, 3, -1):
        np.testing.assert_array_equal(
            wg.distances(graphs, **with_metric(depth=[0, 1, 2], **{"standardize": False, **options}), n_jobs=n_jobs),
            expected,
        )


def test_float32_on_request(demo):
    single = wg.distances(demo[:5], dtype=np.float32)
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single, wg.distances(demo[:5]).astype(np.float32))


def test_progress(demo, capsys):
    wg.distances(demo[:10], progress=True)
    shown = capsys.readouterr().err
    assert "45 pairs of 45 pairs" in shown
    assert "done" in shown
    wg.distances(demo[:10])
    assert capsys.readouterr().err == ""


# Sinkhorn and sliced


def test_sinkhorn_equals_pot_and_tends_to_the_exact_distance():
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(12, 3)), rng.normal(size=(9, 3))
    ground = cdist(one, two)
    exact = distance(one, two)
    errors = []
    for reg in (1.0, 0.1, 0.02, 1e-3):
        ours = distance(one, two, solver="sinkhorn", reg=reg, tol=1e-10, max_iter=10**6)
        if reg >= 0.1:
            plan = ot.sinkhorn(
                np.full(12, 1 / 12),
                np.full(9, 1 / 9),
                ground,
                reg,
                method="sinkhorn_log",
                stopThr=1e-13,
                numItermax=10**5,
            )
            assert ours == pytest.approx((plan * ground).sum(), rel=1e-7)
        errors.append(ours - exact)
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] == pytest.approx(0, abs=1e-6)


def test_sinkhorn_on_graphs_of_every_kind(demo):
    for kind in KINDS:
        exact = wg.distances(demo[:5], metric=wg.WWL(depth=1, kind=kind, standardize=False))
        soft = wg.distances(
            demo[:5],
            metric=wg.WWL(
                depth=1, kind=kind, solver=wg.Sinkhorn(reg=0.02, tol=1e-6, max_iter=10**6), standardize=False
            ),
        )
        off = ~np.eye(5, dtype=bool)
        assert (soft[off] >= exact[off] - 1e-5).all()
        np.testing.assert_allclose(soft[off], exact[off], atol=0.05)


def test_an_iteration_limit_is_an_error_that_names_the_pair(demo):
    with pytest.raises(
        NotSolvedError, match=r"the network simplex did not converge for the graphs \d+ and \d+ within max_iter=1"
    ):
        wg.distances(demo[:4], metric=wg.WWL(solver=wg.Exact(max_iter=1), standardize=False))
    with pytest.raises(NotSolvedError, match=r"Sinkhorn did not reach the marginals of .* reg or tol"):
        wg.distances(demo[:4], metric=wg.WWL(solver=wg.Sinkhorn(reg=1e-3, max_iter=2), standardize=False))


def test_sliced_equals_pot():
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(12, 3)), rng.normal(size=(9, 3))
    ours = distance(one, two, solver="sliced", n_projections=50, random_state=7)
    directions = np.random.default_rng(7).normal(size=(50, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    assert ours == pytest.approx(ot.sliced_wasserstein_distance(one, two, p=1, projections=directions.T), rel=1e-9)


def test_sliced_kernels_are_positive_definite(demo):
    distances = wg.distances(
        demo, metric=wg.WWL(depth=2, solver=wg.Sliced(n_projections=20, random_state=0), standardize=False)
    )
    for gamma in (0.01, 1.0, 100.0):
        assert np.linalg.eigvalsh(np.exp(-gamma * distances)).min() > -1e-9


# Errors


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"depth": -1}, ValueError, "depth must be a whole number of at least 0"),
        ({"depth": []}, ValueError, "depth must be a whole number of at least 0"),
        ({"solver": "nonsense"}, TypeError, 'solver must be "exact", Exact\\(\\), .*, got .nonsense.'),
        ({"solver": "sinkhorn", "reg": -1.0}, ValueError, "reg must be a positive number, got -1.0"),
        ({"solver": "sinkhorn", "reg": 1.0, "tol": 0}, ValueError, "tol must be a positive number"),
        ({"max_iter": 0}, ValueError, "max_iter must be a positive integer"),
        ({"solver": "sliced", "n_projections": 0}, ValueError, "n_projections must be a positive integer"),
        ({"solver": "sliced", "kind": "categorical"}, ValueError, "the kind categorical has labels"),
        ({"n_jobs": 0}, ValueError, "n_jobs must not be 0"),
        ({"dtype": int}, ValueError, "dtype must be float64 or float32"),
        ({"others": [1]}, TypeError, "graph 0: the type int is not a graph"),
    ],
)
def test_bad_options(demo, options, error, message):
    with pytest.raises(error, match=message):
        wg.distances(demo[:3], **with_metric(**{"standardize": False, **options}))


def test_others_must_be_of_the_same_kind(demo):
    with pytest.raises(ValueError, match="have no node attributes"):
        wg.distances(demo, replace(demo, node_attributes=None))
    with pytest.raises(ValueError, match="the embeddings differ"):
        embedding_distances(cloud(np.zeros((2, 2))), cloud(np.zeros((2, 3))), depths=[0])
