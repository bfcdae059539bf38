"""What a page shows: the container, targets, distances, neighbors and predictions."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import wassergraph as wg
from made_metrics import evaluate
from wassergraph.evaluation.plans import make_plan
from wassergraph.evaluation.trial import Trial
from wassergraph.explorer.collection import Collection, check_number
from wassergraph.explorer.container import pack_content, smallest, unpack_content
from wassergraph.explorer.content import block_averages, map_content, matrix_levels, nearest_neighbors, page_content
from wassergraph.explorer.graph_content import number_column
from wassergraph.explorer.shown_predictions import predictions_of_evaluation, predictions_of_model
from wassergraph.explorer.targets import class_text, clean_text, read_shown_target

TYPES = ("u1", "u2", "u4", "i1", "i2", "i4", "f4", "f8")


@pytest.fixture(scope="module")
def demo():
    return wg.load_dataset("demo")


@pytest.fixture(scope="module")
def evaluation(demo):
    return evaluate(*demo, method=["wl", "v"], folds=4, inner_folds=3)


def content_of(graphs, y=None, *, depth=2, **options):
    """Return the content of a page, after it was packed and unpacked."""
    collection = Collection.embed(graphs, wg.WWL(depth, **{"standardize": False, **options}), None)
    names = [str(position) for position in range(len(graphs))]
    target = read_shown_target(y, len(graphs))
    return unpack_content(pack_content(page_content("title", names, collection, collection.distances(), target, None)))


def random_distances(n, seed=0, decimals=None):
    """Return symmetric distances of points in space, rounded so that many are equal."""
    points = np.random.default_rng(seed).normal(size=(n, 3))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    return distances if decimals is None else distances.round(decimals)


# The container


@given(st.sampled_from(TYPES).flatmap(lambda kind: arrays.arrays(kind, arrays.array_shapes(min_dims=0, min_side=0))))
def test_any_array_comes_back_bit_for_bit(array):
    content = unpack_content(
        pack_content({"before": [1, "ä<&>"], "array": array, "empty": np.zeros((2, 0), "u2"), "none": None})
    )
    assert content["array"].dtype == array.dtype
    assert content["array"].shape == array.shape
    assert content["array"].tobytes() == array.tobytes()
    assert (content["before"], content["empty"].shape, content["none"]) == ([1, "ä<&>"], (2, 0), None)


@given(st.lists(st.integers(-(2**31), 2**32 - 1)))
def test_integers_take_the_smallest_type(numbers):
    values = np.array(numbers, dtype=np.int64)
    if values.size and values.min() < 0 and values.max() >= 2**31:
        with pytest.raises(OverflowError, match="do not fit into 32 bits"):
            smallest(values)
        return
    found = smallest(values)
    assert found.tolist() == numbers
    narrower = [name for name in TYPES[:6] if np.dtype(name).itemsize < found.dtype.itemsize]
    assert not any(((values == values.astype(name)).all()) for name in narrower)


def test_what_cannot_be_packed_is_an_error():
    with pytest.raises(TypeError, match="int64 cannot be packed"):
        pack_content({"a": np.arange(3, dtype=np.int64)})
    with pytest.raises(ValueError, match="Out of range float"):
        pack_content({"a": float("nan")})


decimal_numbers = st.builds(lambda whole, digits: whole / 10**digits, st.integers(-(10**9), 10**9), st.integers(0, 9))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | decimal_numbers))
def test_every_number_of_a_column_is_kept_bit_for_bit(numbers):
    values = np.array(numbers, dtype=np.float64)
    column = unpack_content(pack_content(number_column(values)))
    assert (column["values"].astype(np.float64) / column["divisor"]).tobytes() == values.tobytes()


@pytest.mark.parametrize("numbers", [[-0.0, 1.0], [1e308, 0.5], [5e-324], [0.1, 1 / 3], [2.0**31, 1.0], [1e-10]])
def test_hard_numbers_of_a_column_are_kept_bit_for_bit(numbers):
    column = number_column(np.array(numbers))
    assert (column["values"].astype(np.float64) / column["divisor"]).tobytes() == np.array(numbers).tobytes()


# Targets


def test_classes_are_named_and_numbered():
    target = read_shown_target(["b", "a", None, "b"], 4, name="activity")
    assert (target.name, target.values, target.codes.tolist()) == ("activity", ["a", "b"], [1, 0, -1, 1])
    assert target.describe() == "a: 1, b: 2, unknown: 1"
    assert target.order_by().tolist() == [1, 0, 2, 1]  # unknown ones come last
    content = unpack_content(pack_content(target.content()))
    assert (content["kind"], content["codes"].dtype, content["codes"].tolist()) == ("classes", "i1", [1, 0, -1, 1])


def test_numbers_may_be_unknown():
    target = read_shown_target([0.5, float("nan"), -2.0], 3)
    assert (target.name, target.numbers.tolist()) == ("number", [0.5, 0.0, -2.0])
    assert target.content()["known"].tolist() == [1, 0, 1]
    assert target.describe() == "−2 to 0.5, unknown: 1"
    assert target.order_by() is None
    assert read_shown_target([0.5, 1.0], 2).content()["known"] is None


def test_errors_name_the_position_among_all_graphs():
    for y in ([None, 1.5, 1, 1], [np.nan, 1.5, 1, 1]):
        with pytest.raises(ValueError, match=r"graph 1: y is 1\.5, which is not a class"):
            read_shown_target(y, 4, task="classification")


def test_missing_values_of_pandas_are_unknown():
    pandas = pytest.importorskip("pandas")
    assert read_shown_target(pandas.Series(["a", None], dtype="string"), 2).codes.tolist() == [0, -1]
    assert read_shown_target([pandas.NaT, 0.5, pandas.NA], 3).known.tolist() == [False, True, False]


def test_an_infinite_number_is_named_by_its_position_among_all_graphs():
    for y in ([None, 0.5, float("inf")], [None, 1, float("-inf"), 1]):
        with pytest.raises(ValueError, match=r"graph 2: y is -?inf"):
            read_shown_target(y, len(y))


def test_classes_of_one_graph_each_are_no_reason_for_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read_shown_target([str(i) for i in range(40)], 40).values) == 40


@pytest.mark.parametrize(
    ("y", "task", "kind"),
    [
        ([0, 1, 1, 0], "auto", "classes"),
        ([0.0, 1.0, 1.0, 0.0], "auto", "classes"),
        ([True, False, True, False], "auto", "classes"),
        (["x", "x", "x", "x"], "auto", "classes"),  # a single class
        (["a", "b", "c", "d"], "auto", "classes"),  # classes of one graph
        ([0.5, 1.0, 1.0, 0.0], "auto", "numbers"),
        ([1, 2, 3, 4], "auto", "numbers"),  # a number for each graph
        ([0, 1, 1, 0], "regression", "numbers"),
        ([1, 2, 3, 4], "classification", "classes"),
        (np.array([3, 3, 4, 4]), "auto", "classes"),
        (np.array([0.1, 0.1, 0.1, 0.1]), "auto", "numbers"),
        ([np.int64(2), np.int64(1), np.int64(2), np.int64(1)], "auto", "classes"),
    ],
)
def test_classes_and_numbers_are_told_apart(y, task, kind):
    assert read_shown_target(y, 4, task=task).content()["kind"] == kind


def test_what_is_not_a_target():
    assert read_shown_target(None, 3) is None
    assert read_shown_target([None, float("nan")], 2) is None
    with pytest.raises(ValueError, match="there are 3 graphs, but 2 values in y; pass one value for each graph"):
        read_shown_target([1, 2], 3)
    with pytest.raises(ValueError, match="task must be one of"):
        read_shown_target([1, 2], 2, task="numbers")


def test_many_classes_are_counted():
    target = read_shown_target([str(number) for number in range(12)] * 2, 24)
    assert target.describe().endswith("further classes")
    assert target.describe().count(": 2") == 10


def test_names_of_classes_are_texts():
    assert [class_text(value) for value in (1.0, 1.5, np.int64(3), True, "a")] == ["1", "1.5", "3", "True", "a"]
    assert clean_text(b"\xff.csv".decode("utf-8", "surrogateescape")) == "�.csv"
    assert clean_text("a\ud83db") == "a�b"


# Distances


def test_the_content_is_that_of_the_distances(demo):
    graphs, y = demo
    distances = wg.distances(graphs, metric=wg.WWL(depth=2, standardize=False))
    content = content_of(graphs, y)
    assert content["largest"] == distances.max()
    expected = np.rint(255 * distances[np.triu_indices(60, 1)] / distances.max())
    assert np.abs(content["matrix"] - expected).max() <= 1  # the division may round in the other direction
    assert np.count_nonzero(content["matrix"] - expected) < 5
    positions = content["neighbors"]["positions"]
    assert positions.shape == (60, 10)
    assert not (positions == np.arange(60)[:, None]).any()
    np.testing.assert_array_equal(content["neighbors"]["distances"], np.take_along_axis(distances, positions, axis=1))
    assert sorted(content["order"].tolist()) == list(range(60))
    assert (np.diff(np.asarray(y)[content["order"]]) >= 0).all()
    assert [(each["id"], each["title"]) for each in content["maps"]] == [("tsne", "t-SNE"), ("mds", "MDS")]
    assert (content["version"], content["noun"], content["averages"], content["predictions"]) == (
        1,
        "graph",
        None,
        None,
    )
    facts = dict(content["facts"])
    assert (facts["graphs"], facts["class"], facts["depth"]) == ("60", "0: 20, 1: 20, 2: 20", "2")
    assert (facts["compared"], facts["attributes"]) == ("node attributes", "not standardized")


def test_facts_say_what_is_compared():
    facts = dict(content_of(wg.from_smiles(["CCO", "CCN", "c1ccccc1"]), mass="count", size_weight=0.5)["facts"])
    assert facts["molecules"] == "3"
    assert facts["kind"] == "joint"
    assert facts["mass"].startswith("count, ")
    assert facts["size weight"] == "0.5"


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_graphs_have_a_page(demo, n):
    content = content_of(demo[0][:n], demo[1][:n])
    assert content["neighbors"]["positions"].shape == content["neighbors"]["distances"].shape == (n, n - 1)
    assert content["matrix"].shape == (n * (n - 1) // 2,)
    assert all(each["places"].shape == (2, n) for each in content["maps"])
    assert sorted(content["order"].tolist()) == list(range(n))
    assert all(each["neighbors_kept"] is None for each in content["maps"])  # all graphs are neighbors


def test_equal_graphs_have_a_page():
    content = content_of(wg.from_edges([[(0, 1)]] * 6, symmetrize=True))
    assert content["largest"] == 0
    assert not content["matrix"].any()
    assert not content["maps"][0]["places"].any()
    assert content["maps"][0]["rank_correlation"] is None
    assert content["neighbors"]["positions"][3].tolist() == [0, 1, 2, 4, 5]


def test_places_on_a_map_have_one_scale():
    places = map_content(random_distances(40), "mds", 0)["places"].astype(np.float64)
    assert (places.min(axis=1).tolist(), places.max()) == ([0, 0], 65535)
    on_map = np.linalg.norm(places[:, :, None] - places[:, None], axis=0)
    distances = random_distances(40)
    assert np.corrcoef(on_map.ravel(), distances.ravel())[0, 1] > 0.8


@pytest.mark.parametrize("decimals", [None, 0])
def test_neighbors_are_those_of_a_stable_sort(decimals):
    distances = random_distances(50, decimals=decimals)
    found = nearest_neighbors(distances, 10)
    for graph, row in enumerate(distances):
        others = [each for each in np.argsort(row, kind="stable").tolist() if each != graph]
        assert found["positions"][graph].tolist() == others[:10]
        assert found["distances"][graph].tolist() == row[others[:10]].tolist()


@pytest.mark.parametrize(("n", "n_blocks"), [(23, 5), (12, 12), (13, 12), (40, 7)])
def test_averages_of_blocks(n, n_blocks):
    distances, order = random_distances(n), np.random.default_rng(1).permutation(n)
    found = block_averages(distances, order, float(distances.max()), n_blocks)
    huge = block_averages(1e308 * (distances / distances.max()), order, 1e308, n_blocks)
    np.testing.assert_allclose(huge["means"].astype(int), found["means"].astype(int), atol=1)
    bounds = found["bounds"].tolist()
    assert (bounds[0], bounds[-1], len(bounds)) == (0, n, n_blocks + 1)
    blocks = [order[a:b].tolist() for a, b in itertools.pairwise(bounds)]
    assert {len(block) for block in blocks} <= {n // n_blocks, -(-n // n_blocks)}
    for (a, one), (b, two) in itertools.product(enumerate(blocks), repeat=2):
        pairs = [distances[i, j] for i in one for j in two if i != j]
        expected = 255 * np.mean(pairs) / distances.max() if pairs else 0
        assert abs(found["means"][a, b] - expected) < 0.51


def test_many_graphs_have_averages_in_place_of_distances(monkeypatch, demo):
    monkeypatch.setattr("wassergraph.explorer.content.MAX_MATRIX", 59)
    monkeypatch.setattr("wassergraph.explorer.content.N_BLOCKS", 7)
    content = content_of(*demo)
    assert content["matrix"] is None
    assert content["averages"]["means"].shape == (7, 7)
    assert content["averages"]["bounds"].tolist() == [0, 8, 17, 25, 34, 42, 51, 60]


def test_levels_of_distances():
    distances = np.array([[0, 1, 2], [1, 0, 4], [2, 4, 0]], dtype=float)
    assert matrix_levels(distances, 4.0).tolist() == [64, 128, 255]


def test_the_number_of_graphs_is_limited():
    check_number(20_000)
    with pytest.raises(ValueError, match="no graphs to show; pass at least one"):
        check_number(0)
    with pytest.raises(ValueError, match="20,001 graphs, but a page shows at most 20,000; pass a sample of them"):
        check_number(20_001)


# Given distances


def test_given_distances_are_used(demo):
    graphs, _ = demo
    collection = Collection.embed(graphs, wg.WWL(2, kind="categorical"), None)
    computed = wg.distances(graphs, metric=wg.WWL(depth=2, kind="categorical"))
    np.testing.assert_array_equal(collection.distances(), computed)
    for given_distances in (computed, computed.tolist(), computed.astype(np.float32)):
        np.testing.assert_allclose(collection.distances(given_distances), computed, rtol=1e-6)
        assert collection.distances(given_distances).dtype == np.float64


def test_other_distances_are_refused(demo):
    graphs, _ = demo
    collection = Collection.embed(graphs, wg.WWL(2, standardize=False), None)
    right = wg.distances(graphs, metric=wg.WWL(depth=2))
    with pytest.raises(
        ValueError, match=r"distance of the graphs \d+ and \d+ is [\d.]+, but should be [\d.]+; pass the metric"
    ):
        collection.distances(wg.distances(graphs, metric=wg.WWL(depth=1)))
    with pytest.raises(ValueError, match=r"the distance of the graphs 7 and 7 is 0\.5, but should be 0"):
        collection.distances(right + 0.5 * np.diag(np.arange(60) == 7))
    with pytest.raises(ValueError, match="59 graphs were given"):
        collection.distances(right[:59, :59])
    with pytest.raises(ValueError, match="not symmetric"):
        collection.distances(np.triu(right))
    with pytest.raises(ValueError, match="finite"):
        collection.distances(np.where(right == right.max(), np.nan, right))


# Predictions


@pytest.mark.parametrize("n_classes", [2, 3])
def test_predictions_of_a_classifier(demo, n_classes):
    chosen = np.flatnonzero(np.asarray(demo[1]) < n_classes)
    graphs, y = demo[0][chosen], np.asarray(demo[1])[chosen]
    model = wg.GraphClassifier(wg.WWL(depth=1, kind="joint"), gamma=1.0, C=10.0).fit(
        graphs[: 10 * n_classes], y[: 10 * n_classes]
    )
    shown = predictions_of_model(model, graphs)
    assert model.classes_[shown.predicted].tolist() == model.predict(graphs).tolist()
    np.testing.assert_array_equal(shown.decisions, model.decision_function(graphs).reshape(len(graphs), -1))
    assert shown.decision_names == (["1"] if n_classes == 2 else ["0", "1", "2"])
    if n_classes == 2:
        assert ((shown.decisions[:, 0] > 0) == (shown.predicted == 1)).all()
    trained_on = f"Predictions of a model trained on {10 * n_classes} graphs"
    some = f"{10 * n_classes} of these are among them, for which this is not a test, and errors are underestimated."
    assert shown.source == f"{trained_on}; {some}"
    assert "; all of these are among them" in predictions_of_model(model, graphs[: 10 * n_classes]).source
    assert "none of which is shown here" in predictions_of_model(model, graphs[10 * n_classes :]).source
    content = unpack_content(pack_content(shown.content()))
    assert (content["predicted"].dtype, content["tested"]) == ("u1", None)


@pytest.mark.parametrize(
    "model", [wg.GraphRegressor(wg.WWL(depth=1), gamma=0.1, alpha=0.1), wg.GraphGaussianProcess(wg.WWL(depth=1))]
)
def test_predictions_of_numbers(demo, model):
    graphs = demo[0][:30]
    shown = predictions_of_model(model.fit(graphs, np.log(graphs.sizes)), graphs)
    assert shown.predicted.tolist() == model.predict(graphs).tolist()
    assert (shown.decisions, shown.decision_names) == (None, [])


def test_predictions_of_an_evaluation_have_its_accuracy(demo, evaluation):
    y = np.asarray(demo[1])
    for method, row in evaluation.rows.items():
        shown = predictions_of_evaluation(evaluation[method.upper()])
        assert shown.tested.all()
        folds = evaluation.splitting.outer(evaluation.task, 4, evaluation.random_state)
        accuracy = [np.mean(evaluation.task.classes[shown.predicted[test]] == y[test]) for _, test in folds]
        assert accuracy == pytest.approx(row.accuracy[0].tolist())
        assert shown.decisions.shape == (60, 3)
        assert shown.source.startswith(f"Predictions of {row.title} in a nested cross-validation with 4 outer folds: ")
    assert predictions_of_evaluation(evaluation).source.startswith("Predictions of WL ")


def test_a_method_that_was_not_evaluated_is_named(evaluation):
    with pytest.raises(ValueError, match='method="wl2" was not evaluated, only wl, v; did you mean'):
        evaluation["wl2"]


def test_predictions_of_an_evaluation_of_numbers(demo):
    graphs, _ = demo
    y = np.log(graphs.sizes)
    groups = np.where(np.arange(60) < 15, "test", "train")
    options = {"task": "regression", "depth": 1, "inner_folds": 3, "split": "given", "groups": groups}
    report = evaluate(graphs, y, repetitions=2, **options)
    shown = predictions_of_evaluation(report)
    assert shown.tested.tolist() == [True] * 15 + [False] * 45
    assert np.isnan(shown.predicted[15:]).all()
    errors = shown.predicted[:15] - y[:15]
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(report.rows["wwl"].values("rmse")[0, 0])
    content = unpack_content(pack_content(shown.content()))
    assert (content["tested"].tolist(), content["decisions"]) == ([1] * 15 + [0] * 45, None)
    assert "1 outer fold as given, the first of 2 repetitions: " in shown.source


def test_classes_that_no_fold_tests_are_unknown(demo):
    groups = np.where(np.arange(60) < 15, "test", "train")
    report = evaluate(*demo, method="v", split="given", groups=groups, inner_folds=3)
    shown = predictions_of_evaluation(report)
    assert (shown.predicted == -1).tolist() == (groups == "train").tolist() == (~shown.tested).tolist()
    assert np.isnan(shown.decisions).any(axis=1).tolist() == (groups == "train").tolist()


def test_means_over_several_matrices_have_no_predictions(demo):
    plan = make_plan("hgk-wl+results", "continuous")
    plan = replace(plan, options=tuple(replace(each, depths=(1,), iterations=2) for each in plan.options[:2]))
    trial = Trial(demo[0], demo[1], replace(plan, grid=replace(plan.grid, matrices=({"depth": 1},), C_values=(1.0,))))
    repetition = trial.run(0, folds=2, inner_folds=2)
    assert (repetition.predictions, repetition.decisions) == (None, None)
    report = evaluate(*demo, method="v", folds=2, inner_folds=2)
    report.rows["v"] = replace(report.rows["v"], repetitions=(repetition,))
    with pytest.raises(
        ValueError, match="no predictions of V, whose measures are means over several matrices; choose an"
    ):
        predictions_of_evaluation(report)


def test_files_of_results_contain_no_predictions(evaluation):
    first = evaluation.rows["wl"].repetitions[0]
    assert type(first).from_dict(first.to_dict()).predictions is None
    assert "predictions" not in first.to_dict()
