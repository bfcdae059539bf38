from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils import estimator_checks, estimator_html_repr, get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import wassergraph as wg
from estimator_rules import APPLICABLE
from oracles import wwl_distances_slowly
from strategies import batches
from wassergraph.graphs.batch import GraphBatch
from wassergraph.kernels.laplacian import laplacian_kernel
from wassergraph.kernels.transformer import LaplacianKernel
from wassergraph.metrics import scheme
from wassergraph.metrics.labels import CollisionError
from wassergraph.pairwise import api

FOLDS = StratifiedKFold(3)


@pytest.fixture(scope="module")
def demo() -> tuple[GraphBatch, np.ndarray]:
    return wg.load_dataset("demo")


@pytest.fixture(scope="module")
def some(demo) -> GraphBatch:
    return demo[0][:15]


@pytest.fixture
def calls(monkeypatch) -> list[dict]:
    """Write down what the estimators ask of the distances."""
    written = []
    real = api.embedding_distances

    def spy(left, right, **options):
        written.append({"left": left, "right": right} | options)
        return real(left, right, **options)

    monkeypatch.setattr(api, "embedding_distances", spy)
    return written


# Distances


def test_distances_are_those_of_the_slow_way(some):
    slow = wwl_distances_slowly(some, 2)
    assert np.allclose(wg.WWL(depth=2, standardize=False).fit_transform(some), slow, rtol=1e-9, atol=1e-12)
    model = wg.WWL(depth=2, standardize=False).fit(some[:10])
    assert np.allclose(model.transform(some[10:]), slow[10:, :10], rtol=1e-9, atol=1e-12)


@settings(deadline=None, max_examples=25)
@given(batches(min_graphs=3), st.integers(0, 3), st.sampled_from(["categorical", "continuous"]))
def test_old_and_new_graphs_fit_together(batch, depth, kind):
    """Whether a graph is among the training graphs or comes later, its distances are the same."""
    model = wg.WWL(depth=depth, kind=kind)
    square = model.fit_transform(batch)
    assert np.array_equal(square, square.T)
    assert not square.diagonal().any()
    scale = max(square.max(), 1e-300)
    assert np.allclose(model.transform(batch), square, rtol=1e-9, atol=1e-9 * scale)
    one_by_one = np.concatenate([model.transform(graph) for graph in batch])
    assert np.array_equal(one_by_one, model.transform(batch))
    assert np.array_equal(model.transform(batch[:0]), square[:0])


def test_the_scale_is_learned_on_the_training_graphs(some):
    train, new = some[:10], some[10:]
    mean, spread = train.node_attributes.mean(axis=0), train.node_attributes.std(axis=0)
    scaled = replace(some, node_attributes=(some.node_attributes - mean) / spread)
    model = wg.WWL(depth=1, standardize=True).fit(train)
    assert np.allclose(model.transform(new), wwl_distances_slowly(scaled, 1)[10:, :10], rtol=1e-9)


def test_unseen_labels_simply_work(some):
    model = wg.WWL(depth=0, kind="categorical").fit(some)
    strange = replace(some, node_labels=some.node_labels + 1000)
    assert np.array_equal(model.transform(strange), np.ones((15, 15)))


def test_the_training_distances_are_asked_for_once_and_symmetric(some, calls):
    model = wg.WWL()
    model.fit_transform(some)
    assert len(calls) == 1
    assert calls[0]["right"] is None
    assert calls[0]["left"] is model.embedding_
    model.transform(some[:2])
    assert calls[1]["right"] is model.embedding_
    assert len(calls) == 2


def test_fitting_computes_no_distances(some, calls):
    wg.WWL().fit(some)
    assert calls == []


def test_every_option_is_passed_on(some, monkeypatch):
    asked = {}

    def distances(left, right, **options):
        asked.update(options)
        return np.zeros((1, len(left), len(left)))

    monkeypatch.setattr(api, "embedding_distances", distances)
    solver = wg.Sinkhorn(reg=0.5, tol=1e-3, max_iter=9)
    embedded = {"kind": "joint", "standardize": True, "isolated_nodes": "keep", "label_weight": 0.25}
    embedded |= {
        "edge_labels": "ignore",
        "stereo": "ignore",
        "mass": "count",
        "unmatched_cost": 0.75,
        "size_weight": 0.5,
    }
    model = wg.WWL(4, solver=solver, degrees=False, **embedded)
    assert set(model.get_params(deep=False)) == {"depth", "solver", "degrees", *embedded}
    model.fit_transform(some)
    assert asked == {"depths": [4], "solver": solver}
    scheme = model.scheme_
    assert (scheme.kind, scheme.isolated, scheme.label_weight) == ("joint", "keep", 0.25)
    assert (scheme.mass, scheme.unmatched, scheme.size_weight) == ("count", 0.75, 0.5)
    assert np.allclose(scheme.mean, some.node_attributes.mean(axis=0))


def test_the_default_metric_of_functions_is_that_without_parameters(some):
    assert np.array_equal(wg.distances(some), wg.WWL().fit_transform(some))


def test_a_fitted_metric_keeps_what_it_learned(some):
    """Functions learn from the graphs that they get, unless the metric was fitted before; they never change it."""
    metric = wg.WWL(depth=1, standardize=True)
    new = wg.distances(some[10:], metric=metric)
    assert not hasattr(metric, "scheme_")
    metric.fit(some[:10])
    scheme = metric.scheme_
    assert np.array_equal(wg.distances(some[10:], some[:10], metric=metric), metric.transform(some[10:]))
    assert not np.allclose(wg.distances(some[10:], metric=metric), new)
    assert metric.scheme_ is scheme


@pytest.mark.parametrize("random_state", [None, 5, np.random.RandomState(5)])
def test_the_projections_stay_the_same_after_fitting(some, random_state):
    model = wg.WWL(depth=1, solver=wg.Sliced(n_projections=3, random_state=random_state))
    square = model.fit_transform(some)
    assert square.max() > 0
    assert np.allclose(model.transform(some), square, rtol=1e-9, atol=1e-12)
    assert np.array_equal(model.transform(some), model.transform(some))


def test_random_states_are_treated_as_scikit_learn_does(some):
    def seed(random_state: object) -> int:
        return wg.WWL(solver=wg.Sliced(random_state=random_state)).fit(some).solver_.random_state

    assert seed(5) == 5
    state = np.random.RandomState(0)
    seeds = [seed(state) for _ in range(2)]
    assert seeds[0] != seeds[1]
    assert seeds[0] == seed(np.random.RandomState(0))
    with pytest.raises(TypeError, match="random_state must be an integer, RandomState, Generator or None, got 'five'"):
        seed("five")


def test_what_was_learned_can_be_read_off(some):
    model = wg.WWL(depth=2).fit(some)
    assert (model.scheme_.kind, model.scheme_.features) == ("continuous", "node attributes")
    assert (len(model.embedding_), model.embedding_.depth) == (15, 2)
    assert model.graphs_ == some
    assert not hasattr(model, "n_features_in_")


def test_columns_are_named_after_the_training_graphs(some):
    names = wg.WWL().fit(some).get_feature_names_out()
    assert names.dtype == object
    assert names.tolist() == [f"distance_to_graph_{g}" for g in range(15)]
    chain = make_pipeline(wg.WWL(), LaplacianKernel()).fit(some)
    assert chain.get_feature_names_out().tolist() == names.tolist()


def test_clone_and_pickle(some):
    model = wg.WWL(depth=1, standardize=True)
    expected = model.fit(some[:10]).transform(some[10:])
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.transform(some[10:]), expected)
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        fresh.transform(some)
    assert repr(fresh) == "WWL(depth=1, standardize=True)"
    assert "WWL" in estimator_html_repr(make_pipeline(fresh, LaplacianKernel()))


def test_parameters_are_set_as_in_scikit_learn(some):
    metric = wg.WWL(solver=wg.Sinkhorn(reg=0.1))
    assert metric.get_params()["solver__reg"] == 0.1
    assert metric.set_params(solver__reg=1.0, depth=2).solver.reg == 1.0
    metric.set_params(solver__n_projections=7, solver=wg.Sliced())
    assert repr(metric) == "WWL(depth=2, solver=Sliced(n_projections=7))"
    assert list(metric.get_params(deep=False)) == list(wg.WWL().get_params(deep=False))
    with pytest.raises(ValueError, match="WWL has no parameter 'depht'; did you mean 'depth'"):
        metric.set_params(depht=3)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_distances_as_a_table(some, library):
    module = pytest.importorskip(library)
    metric = wg.WWL(depth=1).fit(some[:10])
    expected = metric.transform(some)
    with config_context(transform_output=library):
        by_config = metric.transform(some)
    for table in (by_config, clone(metric.set_output(transform=library)).fit(some[:10]).transform(some)):
        assert isinstance(table, module.DataFrame)
        assert list(table.columns) == metric.get_feature_names_out().tolist()
        assert np.array_equal(table.to_numpy(), expected)
    assert np.array_equal(metric.set_output(transform="default").transform(some), expected)
    with pytest.raises(ValueError, match="transform must be"):
        metric.set_output(transform="numpy")


def test_comparing_graphs_does_not_import_scikit_learn():
    code = (
        "import sys, wassergraph as wg; graphs, _ = wg.load_dataset('demo'); "
        "wg.distances(graphs, metric=wg.WWL(depth=1, solver=wg.Exact())); sys.exit('sklearn' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"depth": -1}, ValueError, "^depth must be a whole number of at least 0, .* got -1$"),
        ({"depth": 1.5}, TypeError, r"^depth must be a whole number of at least 0, .* got 1\.5$"),
        ({"depth": "3"}, TypeError, "^depth must be a whole number of at least 0, .* got '3'$"),
        ({"kind": "nonsense"}, ValueError, "kind must be one of .* got 'nonsense'"),
        ({"isolated_nodes": "drop"}, ValueError, "isolated_nodes must be one of .* got 'drop'"),
        ({"label_weight": 2}, ValueError, "label_weight must lie between 0 and 1, .*, got 2"),
    ],
)
def test_bad_parameters_are_found_when_fitting(some, parameters, error, message):
    with pytest.raises(error, match=message):
        wg.WWL(**parameters).fit(some)


def test_no_graphs_to_learn_from(some):
    with pytest.raises(ValueError, match=r"^there are no graphs to learn from; pass at least one$"):
        wg.WWL().fit(some[:0])


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        (
            "categorical",
            {"node_labels": None},
            "these graphs have no node labels, but the embedding was learned on graphs",
        ),
        ("continuous", {"node_attributes": None}, "these graphs have no node attributes, but"),
        ("joint", {"node_labels": None}, "these graphs have no node labels, but"),
        (
            "continuous",
            {"node_attributes": 3},
            "these graphs have 3 node attributes, but the embedding",
        ),
    ],
)
def test_new_graphs_of_another_kind(some, kind, change, message):
    change = {name: value and np.ones((some.n_nodes, value)) for name, value in change.items()}
    model = wg.WWL(kind=kind).fit(some)
    with pytest.raises(ValueError, match=message):
        model.transform(replace(some, **change))


# Codes that collide


def collide(monkeypatch, when) -> None:
    """Let the codes of a batch collide whenever ``when(graphs, salt)`` says so."""
    real = scheme.wl_codes

    def wl_codes(graphs, labels, depth, *, edge_labels=None, salt=0):
        if when(graphs, salt):
            raise CollisionError("two different neighborhoods have the same 64-bit code")
        return real(graphs, labels, depth, salt=salt)

    monkeypatch.setattr(scheme, "wl_codes", wl_codes)


def test_a_collision_among_new_graphs_codes_both_sides_anew(some, monkeypatch):
    train, new = some[:10], some[10:]
    model = wg.WWL(kind="categorical").fit(train)
    expected = model.transform(new)
    state = pickle.dumps(model)
    collide(monkeypatch, lambda graphs, salt: len(graphs) == 5 and salt < 2)
    with pytest.warns(UserWarning, match="same 64-bit code; all nodes are embedded again with another salt"):
        found = model.transform(new)
    assert 0 < expected.min() < expected.max() < 1
    assert np.allclose(found, expected, rtol=1e-12)
    assert pickle.dumps(model) == state


def test_a_collision_among_training_graphs_is_remembered(some, monkeypatch):
    train, new = some[:10], some[10:]
    expected = wg.WWL(kind="categorical").fit(train).transform(new)
    collide(monkeypatch, lambda graphs, salt: len(graphs) == 10 and salt == 0)
    with pytest.warns(UserWarning, match="all nodes are embedded again"):
        model = wg.WWL(kind="categorical").fit(train)
    assert model.scheme_.salt == 1
    found = model.transform(new)  # without a warning, which would be an error
    assert np.allclose(found, expected, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:two different neighborhoods")
def test_collisions_without_end_are_an_error(some, monkeypatch):
    collide(monkeypatch, lambda graphs, salt: True)
    with pytest.raises(CollisionError, match="10 different salts all led to collisions"):
        wg.WWL(kind="categorical").fit(some)


# Kernels


def test_the_kernel_step_is_the_function(some):
    distances = wg.WWL(depth=1).fit_transform(some)
    step = LaplacianKernel(gamma=0.3)
    np.testing.assert_allclose(step.fit_transform(distances), np.exp(-0.3 * distances), rtol=1e-14)
    np.testing.assert_allclose(step.transform(distances[:4]), np.exp(-0.3 * distances[:4]), rtol=1e-14)
    assert step.n_features_in_ == 15
    assert step.transform(distances.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize(
    ("gamma", "error", "message"),
    [
        (0, ValueError, "gamma must be positive and finite, got 0"),
        ("auto", TypeError, "gamma must be a number, got 'auto'"),
    ],
)
def test_bad_gammas_are_found_when_fitting(gamma, error, message):
    with pytest.raises(error, match=message):
        LaplacianKernel(gamma).fit([[0.0]])


@pytest.mark.parametrize(
    ("distances", "message"),
    [
        (
            np.ones((2, 3)),
            r"must be a square matrix, got the shape \(2, 3\); to compute distances from graphs, .*, WWL..$",
        ),
        ([[0, -1], [-1, 0]], r"Negative values in data: D\[0, 1\] is -1\.0, and"),
        ([[0, np.nan], [1, 0]], "contains NaN"),
    ],
)
def test_bad_distances_are_found_when_fitting(distances, message):
    with pytest.raises(ValueError, match=message):
        LaplacianKernel().fit(distances)


@pytest.mark.parametrize(
    ("distances", "message"),
    [
        (np.ones((4, 3)), "X has 3 features, but LaplacianKernel is expecting 2 features as input"),
        ([[0, -1]], r"Negative values in data: D\[0, 1\] is -1\.0, and"),
        ([[0, np.inf]], "contains infinity"),
    ],
)
def test_bad_distances_are_found_when_transforming(distances, message):
    step = LaplacianKernel().fit(np.zeros((2, 2)))
    with pytest.raises(ValueError, match=message):
        step.transform(distances)


# Together with scikit-learn


def by_hand(distances, y, gamma, c) -> np.ndarray:
    """Cross-validate an SVM on exp(-gamma D) with nothing but indices."""
    scores = []
    for train, test in FOLDS.split(distances, y):
        square, rectangle = (laplacian_kernel(distances[np.ix_(rows, train)], gamma) for rows in (train, test))
        model = SVC(kernel="precomputed", C=c).fit(square, y[train])
        scores.append(np.mean(model.predict(rectangle) == y[test]))
    return np.array(scores)


def test_a_search_on_distances_is_the_search_by_hand(demo):
    graphs, y = demo
    distances = wg.WWL(depth=1, kind="categorical").fit_transform(graphs)
    model = make_pipeline(LaplacianKernel(), SVC(kernel="precomputed"))
    grid = {"laplaciankernel__gamma": [1e-3, 1.0, 30.0], "svc__C": [0.1, 10.0]}
    search = GridSearchCV(model, grid, cv=FOLDS, error_score="raise").fit(distances, y)
    scores = search.cv_results_["mean_test_score"]
    expected = [
        by_hand(distances, y, p["laplaciankernel__gamma"], p["svc__C"]).mean() for p in search.cv_results_["params"]
    ]
    assert np.allclose(scores, expected)
    assert scores.max() - scores.min() > 0.1
    assert search.predict(distances[:5]).shape == (5,)


def test_a_pipeline_on_graphs_is_the_one_on_distances(demo):
    graphs, y = demo
    model = make_pipeline(
        wg.WWL(depth=1, standardize=False), LaplacianKernel(0.5), SVC(kernel="precomputed", C=10, tol=1e-6)
    )
    assert cross_val_score(model, graphs, y, cv=FOLDS, error_score="raise").mean() > 0.5  # three classes
    kernel = laplacian_kernel(wg.WWL(depth=1, standardize=False).fit_transform(graphs), 0.5)
    for train, test in FOLDS.split(graphs, y):
        svm = clone(model[-1]).fit(kernel[np.ix_(train, train)], y[train])
        decisions = model.fit(graphs[train], y[train]).decision_function(graphs[test])
        np.testing.assert_allclose(decisions, svm.decision_function(kernel[np.ix_(test, train)]), atol=1e-4)


def test_distances_serve_neighbors_too(demo):
    graphs, y = demo
    model = make_pipeline(wg.WWL(depth=1), KNeighborsClassifier(1, metric="precomputed"))
    predicted = cross_val_predict(model, graphs, y, cv=FOLDS)
    square = wg.WWL(depth=1).fit_transform(graphs)
    for train, test in FOLDS.split(y, y):
        distances = square[np.ix_(test, train)]
        nearest, second = np.sort(distances, axis=1)[:, :2].T
        clear = second - nearest > 1e-9  # where rounding cannot exchange the nearest graph with the second
        assert clear.mean() > 0.9
        assert np.array_equal(predicted[test][clear], y[train][distances.argmin(axis=1)][clear])


@pytest.mark.filterwarnings("ignore:Persisting input arguments took")  # joblib warns if the machine is busy
def test_a_search_over_the_depth_keeps_distances_in_the_memory_of_the_pipeline(demo, calls, tmp_path):
    graphs, y = demo
    model = make_pipeline(
        wg.WWL(kind="categorical"), LaplacianKernel(), SVC(kernel="precomputed"), memory=str(tmp_path)
    )
    grid = {"wwl__depth": [0, 2], "laplaciankernel__gamma": [0.1, 1.0, 10.0]}
    search = GridSearchCV(model, grid, cv=FOLDS, error_score="raise", refit=False).fit(graphs, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    squares = [call for call in calls if call["right"] is None]
    assert len(squares) == 2 * 3  # depths times folds; gamma costs nothing


def test_tags_tell_scikit_learn_how_to_cut():
    distance, kernel = wg.WWL(), LaplacianKernel()
    assert not get_tags(distance).input_tags.two_d_array
    assert not get_tags(distance).input_tags.pairwise
    assert get_tags(kernel).input_tags.pairwise
    assert get_tags(kernel).input_tags.positive_only
    svm = SVC(kernel="precomputed")
    assert get_tags(make_pipeline(kernel, svm)).input_tags.pairwise
    assert not get_tags(make_pipeline(distance, kernel, svm)).input_tags.pairwise


@parametrize_with_checks([LaplacianKernel()])
def test_the_kernel_passes_the_checks_of_scikit_learn(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # else scikit-learn skips one of its checks
    check(estimator)


@pytest.mark.parametrize("wrong", [wg.WWL, 3, "wwl", wg.Sinkhorn(0.5)])
def test_what_is_no_metric_is_refused(wrong):
    with pytest.raises(TypeError, match=r"metric must be a metric, such as WWL\(depth=3\), got "):
        wg.distances(wg.load_dataset("demo")[0][:2], metric=wrong)


@pytest.mark.parametrize("name", APPLICABLE)
def test_the_distance_passes_the_checks_that_apply(name):
    getattr(estimator_checks, name)("WWL", wg.WWL())


def test_a_fitted_metric_that_changes_forgets_what_it_learned():
    graphs, _ = wg.load_dataset("demo")
    metric = wg.WWL(2, kind="categorical").fit(graphs)
    metric.set_params(kind="continuous")
    expected = wg.distances(graphs, metric=wg.WWL(2, kind="continuous"))
    np.testing.assert_array_equal(wg.distances(graphs, metric=metric), expected)
    with pytest.raises(NotFittedError):
        metric.transform(graphs)


def test_functions_keep_the_lines_of_a_fitted_metric():
    graphs, _ = wg.load_dataset("demo")
    metric = wg.WWL(1, kind="continuous", solver=wg.Sliced(5, random_state=None)).fit(graphs[:10])
    found = wg.distances(graphs[:10], metric=metric)
    np.testing.assert_array_equal(found, wg.distances(graphs[:10], metric=metric))
    np.testing.assert_array_equal(found, metric.transform(graphs[:10]))


@pytest.mark.parametrize(("name", "value"), [("degrees", 2), ("degrees", "x"), ("mass", "x"), ("size_weight", -1)])
def test_wrong_parameters_are_named(name, value):
    with pytest.raises(ValueError, match=f"{name} must be"):
        wg.distances(wg.load_dataset("demo")[0][:3], metric=wg.WWL(**{name: value}))
