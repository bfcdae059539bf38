from __future__ import annotations

import pickle
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC
from sklearn.utils import estimator_checks, get_tags

import wassergraph as wg
from cross_validation import cross_validate_distances
from made_metrics import metric_of, model_options, with_metric
from svm_reference import asymmetric_clusters, new_svc, unclear
from wassergraph.cli.prediction_table import predict_all
from wassergraph.kernels.laplacian import laplacian_kernel
from wassergraph.learners.svm.krein import fit_problems
from wassergraph.learners.svm.multiclass import problems
from wassergraph.learners.svm.smo import TOLERANCE, decide
from wassergraph.models.classifier import GraphClassifier
from wassergraph.models.summary import training_summary, training_table
from wassergraph.scores.classes import read_classes
from wassergraph.tuning.grid import ATTRIBUTE_C_VALUES, GAMMAS, LABEL_C_VALUES

SMALL = {"depth": range(3), "gamma": (0.1, 1.0), "C": (1.0, 100.0)}
TRAIN, TEST = np.arange(40), np.arange(40, 60)


@pytest.fixture(scope="module")
def demo():
    return wg.load_dataset("demo")


@pytest.fixture(scope="module")
def model(demo):
    graphs, y = demo
    return GraphClassifier(**model_options(kind="joint", **SMALL)).fit(graphs[TRAIN], y[TRAIN])


def test_three_lines_give_a_classifier(demo):
    graphs, y = demo
    model = wg.GraphClassifier(wg.WWL(kind="joint")).fit(graphs[TRAIN], y[TRAIN])
    assert model.score(graphs[TEST], y[TEST]) > 0.9
    assert model.best_score_ > 0.9
    assert model.majority_score_ == pytest.approx(14 / 40)
    assert model.search_ == "wide"


@pytest.mark.parametrize("kind", ["categorical", "continuous", "joint"])
@pytest.mark.parametrize("standardize", [True, False])
def test_it_is_the_sum_of_its_parts(demo, kind, standardize):
    graphs, y = demo
    model = GraphClassifier(**model_options(kind=kind, standardize=standardize, **SMALL)).fit(graphs[TRAIN], y[TRAIN])
    chosen = model.best_params_
    options = {"depth": chosen["depth"], "kind": kind, "standardize": standardize and kind != "categorical"}
    distance = metric_of(**options)
    among = wg.kernels.laplacian_kernel(distance.fit_transform(graphs[TRAIN]), chosen["gamma"])
    rows = wg.kernels.laplacian_kernel(distance.transform(graphs[TEST]), chosen["gamma"])
    classifier = new_svc(chosen["C"]).fit(among, y[TRAIN])
    decisions = classifier.decision_function(rows)
    np.testing.assert_allclose(model._decisions(graphs[TEST]), decisions, atol=4 * TOLERANCE)
    clear = ~unclear(decisions)
    assert clear.mean() > 0.5
    np.testing.assert_array_equal(model.predict(graphs[TEST])[clear], classifier.predict(rows)[clear])


def test_the_paper_s_ranges_are_the_default_of_its_search(demo):
    graphs, y = demo
    parameters = GraphClassifier().get_params()
    assert (parameters["metric"], parameters["search"], parameters["cv"]) == (None, "auto", "auto")
    paper = GraphClassifier(wg.WWL(kind="joint"), search="metric").fit(graphs, y)
    assert len(paper.cv_results_["params"]) == 8 * 6 * 7
    assert tuple(float(f"1e{e}") for e in range(-4, 2)) == GAMMAS
    ranges = {"categorical": LABEL_C_VALUES, "continuous": ATTRIBUTE_C_VALUES, "joint": ATTRIBUTE_C_VALUES}
    for kind, c_values in ranges.items():
        model = GraphClassifier(wg.WWL(depth=1, kind=kind)).fit(graphs, y)
        assert sorted(set(model.cv_results_["param_C"])) == list(c_values)
        assert sorted(set(model.cv_results_["param_gamma"])) == list(GAMMAS)
    assert (LABEL_C_VALUES[0], LABEL_C_VALUES[-1], len(LABEL_C_VALUES)) == (1e-4, 1e5, 10)
    assert (ATTRIBUTE_C_VALUES[0], ATTRIBUTE_C_VALUES[-1], len(ATTRIBUTE_C_VALUES)) == (1e-3, 1e3, 7)


def test_standardizing_is_automatic_where_there_are_several_attributes(demo):
    graphs, y = demo
    fixed = {"depth": 1, "gamma": 1.0, "C": 10.0}
    assert GraphClassifier(**model_options(**fixed)).fit(graphs, y).scheme_.standardized
    one = replace(graphs, node_attributes=graphs.node_attributes[:, :1])
    assert not GraphClassifier(**model_options(**fixed)).fit(one, y).scheme_.standardized
    assert GraphClassifier(**model_options(standardize=True, **fixed)).fit(one, y).scheme_.standardized
    assert not GraphClassifier(**model_options(kind="categorical", **fixed)).fit(graphs, y).scheme_.standardized
    scheme = GraphClassifier(**model_options(**fixed)).fit(graphs[TRAIN], y[TRAIN]).scheme_
    np.testing.assert_array_equal(scheme.mean, graphs[TRAIN].node_attributes.mean(axis=0))


def test_with_nothing_to_choose_nothing_is_searched(demo):
    graphs, y = demo
    model = GraphClassifier(wg.WWL(depth=1), gamma=1.0, C=10.0).fit(graphs, y)
    assert model.best_params_ == {"depth": 1, "gamma": 1.0, "C": 10.0}
    assert model.best_score_ is None
    assert model.cv_results_ == {}
    assert model.predict_proba(graphs).shape == (60, 3)


def test_probabilities_are_calibrated_outside_of_the_training(demo, model):
    graphs, y = demo
    p = model.predict_proba(graphs[TEST])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (p >= 0).all()
    assert np.mean(p.argmax(axis=1) == y[TEST]) > 0.9
    # Random classes cannot be predicted: a model that fits its training graphs perfectly must not be certain of them.
    chance = np.random.default_rng(0).permutation(np.arange(60) % 2)
    learned = GraphClassifier(wg.WWL(depth=2, kind="joint"), gamma=10.0, C=1e3).fit(graphs, chance)
    assert learned.score(graphs, chance) > 0.9
    assert learned.predict_proba(graphs)[np.arange(60), chance].mean() < 0.6


def test_prediction_needs_the_support_graphs_at_the_chosen_depth_only(demo, monkeypatch):
    graphs, y = demo
    model = GraphClassifier(wg.WWL(depth=[1, 2], kind="categorical"), gamma=0.1, C=1000.0).fit(graphs[TRAIN], y[TRAIN])
    assert 3 <= len(model.support_) < 35  # 22 when this was written
    asked = []
    from wassergraph.models import training_graphs

    compute = training_graphs.embedding_distances

    def watched(new, support, **options):
        asked.append((len(new), len(support), options["depths"]))
        return compute(new, support, **options)

    monkeypatch.setattr(training_graphs, "embedding_distances", watched)
    model.predict(graphs[TEST])
    assert asked == [(20, len(model.support_), [model.best_params_["depth"]])]
    asked.clear()
    predict_all(model, graphs[TEST], [], [[]] * 20, np.arange(20))
    assert len(asked) == 1


def test_a_graph_s_decision_does_not_depend_on_its_company_or_on_threads(demo, model):
    graphs, _ = demo
    together = model.decision_function(graphs[TEST])
    for position, graph in enumerate(TEST):
        np.testing.assert_array_equal(model.decision_function(graphs[[graph]])[0], together[position])
    np.testing.assert_array_equal(
        clone(model).set_params(n_jobs=2).fit(graphs[TRAIN], demo[1][TRAIN]).decision_function(graphs[TEST]), together
    )


def test_the_result_is_the_same_every_time_and_follows_the_seed(demo):
    graphs, y = demo
    chosen = ({}, {"random_state": 0}, {"random_state": 1}, {"random_state": None})
    unsaid, zero, one, in_order = (
        GraphClassifier(**model_options(**SMALL, **seed)).fit(graphs, y).cv_results_["mean_test_score"]
        for seed in chosen
    )
    np.testing.assert_array_equal(unsaid, zero)
    assert np.abs(zero - one).max() > 1e-3
    assert np.abs(zero - in_order).max() > 1e-3


def test_indefinite_kernels_use_the_krein_svm(demo, monkeypatch):
    graphs, _ = demo
    distances, y = asymmetric_clusters(60, 2)
    monkeypatch.setattr("wassergraph.tuning.screening.embedding_distances", lambda *_, **__: distances[:1])
    options = {"depth": 0, "gamma": 1.0, "C": 10.0, "kind": "continuous"}
    model = GraphClassifier(**model_options(**options)).fit(graphs, y)
    assert model.n_negative_ == wg.kernels.definiteness(np.exp(-distances[0])).n_negative > 0
    labels = GraphClassifier(**model_options(**{**options, "kind": "categorical"})).fit(graphs, y)
    # After flipping, coefficients are mapped back by a dense matrix: every graph has one. An SVC has 18 of them.
    assert len(model.support_) == 60
    assert len(labels.support_) < 40
    kernel = np.exp(-distances[0])
    expected = wg.KreinSVC(C=10.0, tol=1e-6).fit(kernel, y).decision_function(kernel)
    np.testing.assert_allclose(-decide(kernel, model.dual_coef_, model.intercept_)[:, 0], expected, atol=1e-2)


def test_it_takes_what_readers_take(demo):
    rings = [nx.cycle_graph(n) for n in range(5, 15)]
    paths = [nx.path_graph(n) for n in range(5, 15)]
    y = np.repeat(["ring", "path"], 10)
    model = GraphClassifier(wg.WWL(depth=[0, 1], kind="categorical"), gamma=1.0, C=(1.0, 100.0)).fit(rings + paths, y)
    assert model.predict([nx.cycle_graph(20), nx.path_graph(20)]).tolist() == ["ring", "path"]
    smiles = ["CCO", "CCCO", "CCCCO", "c1ccccc1", "Cc1ccccc1", "CCc1ccccc1"]
    chemist = GraphClassifier(wg.WWL(depth=1), gamma=1.0, C=10.0, cv=3).fit(smiles, [0, 0, 0, 1, 1, 1])
    assert chemist.predict(["CCCCCO", "CCCc1ccccc1"]).tolist() == [0, 1]
    assert chemist.scheme_.kind == "joint"
    assert chemist.best_params_["mass"] in ("share", "count")


def test_new_graphs_may_have_labels_never_seen(demo, model):
    graphs, y = demo
    strange = replace(graphs[TEST], node_labels=graphs[TEST].node_labels + 1000)
    assert np.isfinite(model.decision_function(strange)).all()
    labels = GraphClassifier(**model_options(kind="categorical", **SMALL)).fit(graphs[TRAIN], y[TRAIN])
    decisions = labels.decision_function(strange)
    np.testing.assert_allclose(decisions, np.broadcast_to(decisions[0], decisions.shape))  # all equally far from all


def test_graphs_that_lack_what_it_was_trained_on_are_refused(demo):
    graphs, y = demo
    fixed = {"depth": 1, "gamma": 1.0, "C": 10.0}
    continuous = GraphClassifier(**model_options(kind="continuous", **fixed)).fit(graphs, y)
    wider = replace(graphs, node_attributes=np.tile(graphs.node_attributes, 2))
    with pytest.raises(
        ValueError, match=r"have 4 node attributes, but the model was trained on 60 graphs with node attr"
    ):
        continuous.predict(wider)
    with pytest.raises(
        ValueError, match=r"have no node attributes, but the model was trained on .* \(2-d\), 3 classes"
    ):
        continuous.predict(replace(graphs, node_attributes=None))
    categorical = GraphClassifier(**model_options(kind="categorical", **fixed)).fit(graphs, y)
    assert categorical.predict(replace(graphs, node_attributes=None)).shape == (60,)
    with pytest.raises(
        ValueError, match="have no node labels, but the model was trained on 60 graphs with node labels"
    ):
        categorical.predict(replace(graphs, node_labels=None))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"depth": -1},
            ValueError,
            "depth must be a whole number of at least 0, or a sequence of such numbers, got -1",
        ),
        ({"depth": 1.5}, ValueError, "depth must be a whole number"),
        ({"depth": []}, ValueError, "depth must be a whole number"),
        ({"gamma": [1.0, -1.0]}, ValueError, "gamma must be a positive number"),
        ({"C": "many"}, ValueError, "C must be a positive number, or a sequence of positive numbers, got 'many'"),
        ({"kind": "both"}, ValueError, "kind must be one of"),
        ({"standardize": "yes"}, ValueError, 'standardize must be True, False or "auto"'),
        ({"cv": 1}, ValueError, "cv must be from 2"),
        ({"cv": 21}, ValueError, "cv must be from 2 to 20"),
        ({"n_jobs": 0}, ValueError, "n_jobs must not be 0"),
    ],
)
def test_bad_parameters_are_refused(demo, options, error, message):
    with pytest.raises(error, match=message):
        GraphClassifier(**model_options(**{**SMALL, **options})).fit(*demo)


def test_bad_classes_are_refused(demo):
    graphs, y = demo
    for empty in (graphs[:0], []):
        with pytest.raises(ValueError, match="no graphs"):
            GraphClassifier(**model_options(**SMALL)).fit(empty, [])
    for classes, message in [
        (y[:-1], "60 graphs, but 59 classes in y"),
        (None, "y is None"),
        (np.zeros(60), "all graphs belong to the class 0.0"),
        (
            y + 0.5,
            "graph 0: y is 0.5, which is not a class; pass classes as text .*, or learn numbers with GraphRegressor",
        ),
        ([None, *y[1:]], "graph 0: y is None; pass the class of every graph, or leave the graph out"),
        (np.arange(60) == 3, "the class True has only one graph"),
    ]:
        with pytest.raises(ValueError, match=message):
            GraphClassifier(**model_options(**SMALL)).fit(graphs, classes)
    with pytest.raises(TypeError, match="int"):
        GraphClassifier(**model_options(**SMALL)).fit([1, 2, 3], [0, 1, 1])
    with pytest.raises(NotFittedError):
        GraphClassifier().predict(graphs)


def test_a_fit_that_fails_leaves_nothing_mixed(demo):
    graphs, y = demo
    model = GraphClassifier(wg.WWL(depth=1), gamma=1.0, C=10.0).fit(graphs, y)
    model.set_params(gamma=-1.0)
    with pytest.raises(ValueError, match="gamma must be"):
        model.fit(graphs, y + 10)
    for ask in (model.predict, model.save):
        with pytest.raises(NotFittedError):
            ask(graphs)
    model.set_params(gamma=1.0, metric__standardize=np.True_)
    assert model.fit(graphs, y).scheme_.standardized
    with pytest.raises(ValueError, match="standardize must be"):
        model.set_params(metric__standardize=1).fit(graphs, y)


def test_very_many_new_graphs_are_decided_on_a_part_at_a_time(demo, model, monkeypatch):
    graphs, _ = demo
    together = model.decision_function(graphs)
    monkeypatch.setattr("wassergraph.models.training_graphs._MAX_DISTANCES", 7 * len(model.graphs_))
    np.testing.assert_array_equal(model.decision_function(graphs), together)
    assert model.predict(graphs[:0]).shape == (0,)


# In the company of scikit-learn


def test_it_works_in_cross_validation_pipelines_and_clones(demo):
    graphs, y = demo
    classifier = GraphClassifier(**model_options(kind="joint", **SMALL))
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    scores = cross_val_score(classifier, graphs, y, cv=folds)
    assert scores.mean() > 0.85
    steps = Pipeline([("model", clone(classifier))])
    np.testing.assert_array_equal(cross_val_score(steps, graphs, y, cv=folds), scores)
    p = cross_val_predict(classifier, graphs, y, cv=folds, method="predict_proba")
    assert p.shape == (60, 3)
    again = pickle.loads(pickle.dumps(steps.fit(graphs, y)))
    np.testing.assert_array_equal(again.predict(graphs), steps.predict(graphs))
    assert repr(clone(classifier)) == repr(classifier)
    assert (
        GraphClassifier(**model_options(cv=KFold(3, shuffle=True, random_state=0), **SMALL)).fit(graphs, y).best_score_
        > 0.4
    )


@pytest.mark.parametrize(
    "name",
    [
        "check_estimator_cloneable",
        "check_estimator_tags_renamed",
        "check_valid_tag_types",
        "check_estimator_repr",
        "check_no_attributes_set_in_init",
        "check_mixin_order",
        "check_do_not_raise_errors_in_init_or_set_params",
        "check_get_params_invariance",
        "check_set_params",
    ],
)
def test_it_passes_the_checks_that_apply(name):
    getattr(estimator_checks, name)("GraphClassifier", GraphClassifier())


def test_tags():
    tags = get_tags(GraphClassifier())
    assert tags.estimator_type == "classifier"
    assert not tags.input_tags.two_d_array
    assert tags.target_tags.required


# On real data


def test_mutag_is_classified_as_published(data_home):
    graphs, y = wg.load_dataset("MUTAG", data_home=data_home)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    scores = cross_val_score(GraphClassifier(wg.WWL(kind="categorical"), n_jobs=2), graphs, y, cv=folds)
    assert 0.84 <= scores.mean() <= 0.91  # the paper: 87.27 ± 1.50


def test_a_model_of_one_set_refuses_sets_with_other_labels(data_home):
    graphs, y = wg.load_dataset("MUTAG", data_home=data_home)
    others, _ = wg.load_dataset("PTC_MR", data_home=data_home)
    model = GraphClassifier(wg.WWL(depth=[1, 2], kind="categorical"), C=(1.0, 100.0)).fit(graphs, y)
    with pytest.raises(ValueError, match="the node label 0 is called 'C' in some graphs and 'In' in others"):
        model.predict(others)
    with pytest.raises(ValueError, match="no node labels, but the model was trained on 188 graphs with node labels"):
        model.predict(wg.load_dataset("IMDB-BINARY", data_home=data_home)[0])


# One solver and one tolerance for selection, calibration, evaluation and the final fit


def solver_cases(data_home):
    """Yield graphs, classes, options of the embedding, and the positions of training and test graphs."""
    graphs, y = wg.load_dataset("demo")
    yield graphs, y, {"kind": "joint"}, TRAIN, TEST
    graphs, y = wg.load_dataset("MUTAG", data_home=data_home)
    position = np.arange(len(graphs))
    yield graphs, y, {"kind": "categorical"}, position[position % 3 > 0], position[position % 3 == 0]
    graphs, y = wg.load_dataset("ENZYMES", data_home=data_home)
    graphs, y, position = graphs[::3], y[::3], np.arange(200)
    yield graphs, y, {"kind": "continuous"}, position[position % 3 > 0], position[position % 3 == 0]


def libsvm_decisions(kernel, rows, parts, c):
    """Compute the decisions (n, n_problems) of exact SVMs of scikit-learn."""
    decisions = []
    for members, signs in parts:
        svc = SVC(C=c, kernel="precomputed", tol=1e-9).fit(kernel[np.ix_(members, members)], signs)
        decisions.append(svc.decision_function(rows[:, members]))
    return np.stack(decisions, axis=1)


@pytest.mark.parametrize(("gamma", "c"), [(0.1, 1.0), (1.0, 10.0)])
def test_the_final_fit_finds_the_svm_of_libsvm(data_home, gamma, c):
    for graphs, y, options, train, test in solver_cases(data_home):
        distances = wg.distances(graphs, **with_metric(depth=2, **options))
        classes, targets = read_classes(y, len(graphs))
        parts = problems(targets[train], len(classes))
        kernel = laplacian_kernel(distances[np.ix_(train, train)], gamma)
        rows = laplacian_kernel(distances[np.ix_(test, train)], gamma)
        exact = libsvm_decisions(kernel, rows, parts, c)
        for tol, atol in ((1e-9, 1e-5), (TOLERANCE, 2 * TOLERANCE)):
            final = decide(rows, *fit_problems(kernel, parts, c, flipping=False, tol=tol))
            np.testing.assert_allclose(final, exact, atol=atol)


@pytest.mark.parametrize(("gamma", "c"), [(0.1, 1.0), (0.1, 100.0)])
def test_evaluation_measures_the_classifier_that_is_fitted(data_home, gamma, c):
    for graphs, y, options, train, test in solver_cases(data_home):
        distances = wg.distances(graphs, **with_metric(depth=2, standardize=False, **options))
        result = cross_validate_distances(distances, y, depth=2, gamma=gamma, C=c, cv=[(train, test)], inner_cv=2)
        model = GraphClassifier(**model_options(depth=2, standardize=False, gamma=gamma, C=c, cv=2, **options))
        model.fit(graphs[train], y[train])
        # One starts at smaller values of C: a decision that is not nearer to 0 than the tolerance has the same sign.
        clear = (np.abs(model._decisions(graphs[test])) > 4 * TOLERANCE).all(axis=1)
        assert clear.mean() > 0.7
        np.testing.assert_array_equal(result.predictions[0][clear], model.predict(graphs[test])[clear])


# Summaries


def test_the_summary_has_the_facts_of_the_training(model):
    summary = training_summary(model)
    assert summary["best_params"] == model.best_params_
    assert (summary["candidates"], summary["graphs"], summary["classes"]) == (12, 40, [0, 1, 2])
    assert list(summary["seconds"]) == ["embedding", "distances", "selection", "training", "calibration"]
    assert model.refit_time_ == summary["seconds"]["training"]
    table = training_table(model)
    for text in (
        "trained on",
        "kind            joint, attributes standardized",
        "depth = ",
        "of 12 candidates",
        "inner accuracy",
        "majority class  35.00%",
        "calibration",
    ):
        assert text in table
    model.n_negative_, model.negative_mass_ = 3, 0.0123
    assert "indefinite: 3 negative eigenvalue(s), 1.23% of the spectrum" in training_table(model)
    model.n_negative_, model.negative_mass_ = 0, 0.0


def test_predictions_are_rows(demo, model):
    graphs, y = demo
    predictions = predict_all(model, graphs[TEST], ["graph"], [[f"g{i}"] for i in TEST], np.arange(20))
    header, *lines = predictions.to_csv().splitlines()
    numbers = "score_0,score_1,score_2,probability_0,probability_1,probability_2,most_probable"
    assert header == f"graph,class,{numbers},nearest,nearest_distance,percentile,domain,unseen,training_row"
    neighbors = model.neighbors(graphs[TEST])
    inside = [line.rsplit(",", 3)[1:3] == ["inside", ""] for line in lines]
    assert inside == neighbors.inside.tolist()
    assert [line.split(",")[9] for line in lines] == model.names_[neighbors.positions].tolist()
    assert len(lines) == 20
    decisions = model.decision_function(graphs[TEST])
    assert lines[3].split(",")[2:5] == [f"{decision:.6g}" for decision in decisions[3]]
    first = predictions.to_dicts()[0]
    assert (first["graph"], first["class"]) == ("g40", int(predictions.predicted[0]))
    np.testing.assert_allclose(list(first["scores"].values()), decisions[0], rtol=1e-5)
    accuracy = np.mean(predictions.predicted == y[TEST])
    assert str(predictions.agreement(y[TEST], np.arange(20))) == f"accuracy {accuracy:.2%} on 20 new rows"
    assert predictions.agreement(predictions.predicted[5:], np.arange(5, 20)).new == (15, 1.0)
    assert predictions.agreement(np.full(20, 9), np.arange(20)) is None
    two = GraphClassifier(wg.WWL(depth=1), gamma=1.0, C=1.0).fit(graphs, y == 0)
    both = predict_all(two, graphs[:5], ["graph"], [[name] for name in "abcde"], np.arange(5))
    np.testing.assert_allclose(both.cells["score_True"], two.decision_function(graphs[:5]), rtol=1e-5)
    assert both.cells["score_False"] == [-score for score in both.cells["score_True"]]


def test_predictions_keep_every_row_and_column(demo, model):
    graphs, _ = demo
    columns = ["Class", "score_1", "predicted_class"]
    rows = [["a", "1", "x"], ["b", "2", "y"], ["c", "3", "z"]]
    predictions = predict_all(model, graphs[:2], columns, rows, np.array([0, 2]))
    header, *lines = [line.split(",") for line in predictions.to_csv().splitlines()]
    assert header[:6] == [*columns, "predicted_predicted_class", "score_0", "predicted_score_1"]
    assert [line[:3] for line in lines] == rows
    assert lines[1][3:] == [""] * 14
    assert [int(lines[row][3]) for row in (0, 2)] == model.predict(graphs[:2]).tolist()
    dictionaries = predictions.to_dicts()
    assert dictionaries[1] == {
        **dict(zip(columns, rows[1], strict=True)),
        "predicted_predicted_class": None,
        **dict.fromkeys(("scores", "probabilities", "most_probable", "nearest", "nearest_distance", "percentile")),
        **dict.fromkeys(("domain", "unseen", "training_row")),
    }
    assert dictionaries[2]["score_1"] == "3"


@pytest.mark.parametrize(("size", "folds"), [(2, 2), (4, 4)])
def test_default_folds_shrink_to_the_largest_class(demo, size, folds):
    graphs, y = demo
    few = np.concatenate([np.flatnonzero(y == c)[:size] for c in range(3)])
    options = {"depth": 1, "gamma": (0.1, 1.0), "C": 1.0}
    with pytest.warns(UserWarning, match=f"{folds} folds instead of 5, since no class has more graphs to split"):
        model = GraphClassifier(**model_options(**options)).fit(graphs[few], y[few])
    expected = GraphClassifier(**model_options(cv=folds, **options)).fit(graphs[few], y[few])
    np.testing.assert_array_equal(model.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"])
    with pytest.raises(ValueError, match=f"cv must be from 2 to {size}"):
        GraphClassifier(**model_options(cv=5, **options)).fit(graphs[few], y[few])
    with pytest.raises(ValueError, match="folds must be one of 'auto', got 'many'"):
        GraphClassifier(**model_options(cv="many", **options)).fit(graphs[few], y[few])


def test_default_folds_are_five_where_they_fit(demo):
    graphs, y = demo
    models = [
        GraphClassifier(**model_options(depth=1, gamma=(0.1, 1.0), C=1.0, **cv)).fit(graphs, y)
        for cv in ({}, {"cv": 5})
    ]
    scores = [model.cv_results_["mean_test_score"] for model in models]
    np.testing.assert_array_equal(*scores)


def test_the_scheme_is_learned_from_the_training_graphs_alone(demo, model):
    graphs, _ = demo
    expected = wg.WWL(kind="joint", standardize=True).learn(graphs[TRAIN])
    np.testing.assert_array_equal(model.scheme_.mean, expected.mean)
    np.testing.assert_array_equal(model.scheme_.scale, expected.scale)


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        ([], "cv has no folds; pass at least one"),
        ([([0, 25, 45], [60])], "fold 0 names the graph 60"),
        ([([-1], [0])], "graph -1"),
    ],
)
def test_bad_folds_raise(cv, message):
    graphs, y = wg.datasets.make_demo()
    with pytest.raises(ValueError, match=message):
        wg.GraphClassifier(wg.WWL(depth=0), 1.0, 1.0, cv=cv).fit(graphs, y)


@pytest.mark.parametrize(
    "options", [{"kind": "categorical"}, {"kind": "continuous"}, {"kind": "joint", "mass": "count"}]
)
def test_the_search_for_neighbors_finds_what_all_distances_show(options):
    """To the last bit, with the first of several that are equally near; what it needs is not kept in a pickle."""
    graphs, y = wg.load_dataset("demo")
    graphs, y = graphs[[*range(60), *range(30)]], np.concatenate([y, y[:30]])
    model = wg.GraphClassifier(**model_options(depth=[2], gamma=0.1, C=1.0, cv=2, **options)).fit(graphs[10:], y[10:])
    expected = model.predictions(graphs).neighbors
    before = len(pickle.dumps(model))
    for fitted in (model, model, pickle.loads(pickle.dumps(model))):
        for found, all_found in zip(fitted.neighbors(graphs), expected, strict=True):
            np.testing.assert_array_equal(found, all_found)
    assert len(pickle.dumps(model)) == before
    far = replace(graphs[:3], node_attributes=1e12 * graphs[:3].node_attributes)
    for found, all_found in zip(model.neighbors(far), model.predictions(far).neighbors, strict=True):
        np.testing.assert_array_equal(found, all_found)
    assert len(model.neighbors(graphs[:0]).positions) == 0


def test_parameters_of_the_default_metric_can_be_set(demo):
    graphs, y = demo
    search = GridSearchCV(GraphClassifier(gamma=1.0, C=10.0, cv=2), {"metric__depth": [0, 1]}, cv=2).fit(graphs, y)
    assert search.best_estimator_.metric.depth in (0, 1)
    with pytest.raises(ValueError, match="metric has several metrics, whose parameters are their own"):
        GraphClassifier([wg.WWL(), wg.WWL(depth=1)]).set_params(metric__depth=2)


def test_depths_of_given_distances_must_increase(demo):
    graphs, y = demo
    distances = wg.distances(graphs, metric=wg.WWL([3, 1]))
    with pytest.raises(ValueError, match=r"the depths of given distances must increase, but depth is \[3, 1\]"):
        GraphClassifier(wg.WWL([3, 1])).fit(graphs, y, distances=distances)
