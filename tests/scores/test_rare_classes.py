from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit
from sklearn import metrics as sk
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.svm import SVC

import wassergraph as wg
from made_metrics import evaluate, model_options
from wassergraph.cli.prediction_table import predict_all
from wassergraph.learners.protocol import KernelBlock
from wassergraph.learners.svm.calibration import centered
from wassergraph.learners.svm.krein import KreinSVC, fit_problems
from wassergraph.learners.svm.learner import SVMLearner
from wassergraph.learners.svm.multiclass import problems
from wassergraph.learners.svm.smo import svm_path
from wassergraph.models.model_files.loading import load_model
from wassergraph.models.summary import training_summary, training_table
from wassergraph.scores.measures import MEASURES
from wassergraph.scores.rare_classes import are_unequal, class_weights, decide_weight, graph_weights
from wassergraph.scores.scoring import ACCURACY, read_scoring
from wassergraph.tuning.folds import make_folds
from wassergraph.tuning.grid import Grid, GridScores
from wassergraph.tuning.selection import score_grid

GO = np.zeros(1, dtype=np.bool_)
C_VALUES = (0.01, 1.0, 100.0)


def clusters(counts, seed=0) -> tuple[np.ndarray, np.ndarray]:
    """Make distances of points of several classes that overlap, with so many points each."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(counts)), counts)
    points = rng.normal(size=(len(y), 4)) + 1.2 * (y[:, None] == np.arange(4))
    return np.abs(points[:, None] - points).sum(axis=2), y


@pytest.fixture(scope="module")
def rare():
    """Graphs of the demo, of which the second class is rare."""
    graphs, y = wg.load_dataset("demo")
    kept = np.concatenate([np.flatnonzero(y != 1), np.flatnonzero(y == 1)[:6]])
    return graphs[kept], np.where(y[kept] == 1, "rare", "common")


@pytest.fixture(scope="module")
def model(rare):
    return wg.GraphClassifier(wg.WWL(depth=range(2), kind="categorical")).fit(*rare)


# Weights


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("class_weight", ["balanced", {0: 1.0, 1: 4.0, 2: 0.5}])
def test_decisions_with_weights_are_those_of_svc(class_weight, weighted):
    distances, y = clusters([40, 12, 20])
    sample_weight = np.random.default_rng(1).uniform(0.2, 3.0, len(y)) if weighted else None
    train, test = make_folds(y, np.arange(3), 4, 0)[0]
    kernel = np.exp(-0.3 * distances)
    own = None if sample_weight is None else sample_weight[train]
    block = KernelBlock(kernel[np.ix_(train, train)], kernel[np.ix_(test, train)], 0.3, True, own)
    learner = SVMLearner(3, False, decide_weight(class_weight, np.arange(3), y))
    for k in range(1, 4):
        svc = SVC(
            C=C_VALUES[k - 1],
            kernel="precomputed",
            class_weight=class_weight,
            tol=1e-7,
            decision_function_shape="ovo",
        )
        svc.fit(block.kernel, y[train], sample_weight=own)
        ours = learner.decide(block, y[train], C_VALUES[:k])
        np.testing.assert_allclose(ours, svc.decision_function(block.rows), atol=2e-3)


def test_flipped_kernels_with_weights_are_those_of_krein_svc():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [30, 10])
    distances = 1 + rng.uniform(-0.9, 0.9, size=(40, 40)) + 0.6 * (y[:, None] != y)
    distances = (distances + distances.T) / 2
    np.fill_diagonal(distances, 0)
    kernel, weights = np.exp(-2 * distances), (1.0, 5.0)
    block = KernelBlock(kernel, kernel[:7], 2.0, False)
    ours = SVMLearner(2, True, weights).decide(block, y, C_VALUES[:2])
    svc = KreinSVC(C=1.0, class_weight={0: 1.0, 1: 5.0}, tol=1e-7).fit(kernel, y)
    assert svc.n_negative_ > 0
    np.testing.assert_allclose(-ours[:, 0], svc.decision_function(kernel[:7]), atol=2e-3)


def test_the_final_fit_agrees_with_the_path():
    distances, y = clusters([30, 10])
    kernel, weights = np.exp(-0.3 * distances), graph_weights("balanced", y, 2)
    (members, signs), *_ = parts = problems(y, 2)
    path, intercepts, _ = svm_path(
        kernel[np.ix_(members, members)], signs, np.array(C_VALUES), 1e-7, 10**7, GO, weights=weights[members]
    )
    for k, c in enumerate(C_VALUES):
        assert (np.abs(path[k]) <= c * weights[members]).all()
        final, intercept = fit_problems(kernel, parts, c, flipping=False, weights=weights, tol=1e-7)
        np.testing.assert_allclose(final[0, members], path[k], atol=1e-4 * c)
        np.testing.assert_allclose(intercept, intercepts[k], atol=1e-3)


def test_a_graph_of_weight_two_counts_as_two_graphs():
    distances, y = clusters([20, 8])
    kernel, twice = np.exp(-0.3 * distances), np.append(np.arange(28), [3, 25])
    weights = np.ones(28)
    weights[[3, 25]] = 2.0
    one = SVMLearner(2, False).decide(KernelBlock(kernel, kernel, 0.3, True, weights), y, [0.5])
    other_block = KernelBlock(kernel[np.ix_(twice, twice)], kernel[:, twice], 0.3, True)
    np.testing.assert_allclose(one, SVMLearner(2, False).decide(other_block, y[twice], [0.5]), atol=1e-3)


def test_weights_of_classes():
    y = np.array([0] * 9 + [1] * 3)
    assert are_unequal(y)
    assert not are_unequal(np.array([0] * 8 + [1] * 3))
    names = np.array(["a", "b"])
    assert decide_weight("auto", names, y) == "balanced"
    assert decide_weight("auto", names, y[4:]) is None
    assert decide_weight(None, names, y) is None
    np.testing.assert_allclose(class_weights("balanced", y, 2), [12 / 18, 2])
    assert decide_weight({"b": "3"}, names, y) == (1.0, 3.0)
    assert decide_weight({"2": 3}, np.array([1, 2]), y) == (1.0, 3.0)  # as on the command line


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"c": 1}, "'c', which no graph has; the classes are 'a', 'b'"),
        ({"a": 0}, "class_weight of the class 'a' is 0, not a positive number"),
        ("balance", "class_weight"),
        (3, "must be auto, balanced, None or a dict"),
    ],
)
def test_wrong_weights(given, message):
    with pytest.raises((ValueError, TypeError), match=message):
        decide_weight(given, np.array(["a", "b"]), np.array([0, 1]))


# Scores


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_are_those_of_scikit_learn(n_classes):
    rng = np.random.default_rng(n_classes)
    targets = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 40) * (rng.random(40) < 0.6)]).astype(
        int
    )
    scores = rng.integers(0, 9, (5, len(targets), n_classes)) + 2.0 * (targets[:, None] == np.arange(n_classes))
    predictions = scores.argmax(axis=-1)
    given = scores[..., 1] - scores[..., 0] if n_classes == 2 else scores
    classes = np.array(["u", "v", "w"])[:n_classes]

    def ours(name):
        return read_scoring(name, classes, targets)(targets, predictions, given)

    def theirs(function, values, **options):
        return [function(targets, row, **options) for row in values]

    np.testing.assert_allclose(ours("accuracy"), theirs(sk.accuracy_score, predictions))
    np.testing.assert_allclose(ours("balanced-accuracy"), theirs(sk.balanced_accuracy_score, predictions))
    np.testing.assert_allclose(ours("matthews_corrcoef"), theirs(sk.matthews_corrcoef, predictions))
    np.testing.assert_allclose(ours("f1_macro"), theirs(sk.f1_score, predictions, average="macro"))
    np.testing.assert_allclose(ours("enrichment_20"), [ours("enrichment_20")[k] for k in range(5)])
    if n_classes == 2:
        np.testing.assert_allclose(ours("roc_auc"), theirs(sk.roc_auc_score, given))
        np.testing.assert_allclose(ours("average_precision"), theirs(sk.average_precision_score, given))
        np.testing.assert_allclose(ours("f1"), theirs(sk.f1_score, predictions))
        scorer = sk.make_scorer(sk.f1_score, pos_label="u")
        np.testing.assert_allclose(ours(scorer), theirs(sk.f1_score, predictions, pos_label=0))
        ranks = sk.make_scorer(sk.roc_auc_score, response_method="decision_function")
        np.testing.assert_allclose(ours(ranks), ours("roc_auc"))
    else:
        np.testing.assert_allclose(ours("roc_auc"), [MEASURES["roc_auc"](targets, row).value for row in given])


def test_the_default_score_depends_on_the_sizes_of_classes():
    equal, two = np.arange(20) % 2, np.array([0] * 4 + [1] * 30)
    names = np.array(["a", "b"])
    assert read_scoring("auto", names, equal) is ACCURACY
    chosen = read_scoring("auto", names, two)
    assert (chosen.name, chosen.ranks) == ("rare_pr_auc", True)
    scores = np.random.default_rng(0).normal(size=(3, 34))
    expected = [sk.average_precision_score(two == 0, -row) for row in scores]  # the first class is the rare one
    np.testing.assert_allclose(chosen(two, (scores > 0).astype(int), scores), expected)
    assert read_scoring("auto", np.arange(3), np.array([0] * 9 + [1] * 9 + [2] * 2)).name == "balanced_accuracy"


@pytest.mark.parametrize(
    ("scoring", "message"),
    [
        ("roc", 'did you mean "roc_auc"|there is no score'),
        ("neg_log_loss", "needs probabilities, which are calibrated after"),
        ("f1", "is for two classes, but there are 3; use f1_macro"),
        (3, "must be a name or a scorer"),
    ],
)
def test_wrong_scores(scoring, message):
    with pytest.raises((ValueError, TypeError), match=message):
        read_scoring(scoring, np.arange(3), np.arange(9) % 3)


def test_standard_errors_are_those_of_shares():
    y = np.array([0] * 90 + [1] * 10)
    accuracy, balanced = (read_scoring(name, np.arange(2), y) for name in ("accuracy", "balanced_accuracy"))
    assert accuracy.standard_error(0.9, 100) == pytest.approx(np.sqrt(2 * 0.9 * 0.1 / 100))
    variance = (0.8 * 0.2 / 90 + 0.8 * 0.2 / 10) / 4  # of the mean of two shares
    assert balanced.standard_error(0.8, 100) == pytest.approx(np.sqrt(2 * variance))
    assert read_scoring("enrichment_5", np.arange(2), y).standard_error(10.0, 100) == pytest.approx(20 * 0.5 * 0.2**0.5)


def test_folds_without_a_class_do_not_count():
    distances, y = clusters([30, 3])
    folds = make_folds(y, np.arange(2), 3, 0)
    without = [*folds, (np.arange(33), np.flatnonzero(y == 0)[:5])]
    learner = SVMLearner(2, False, "balanced", read_scoring("roc_auc", np.arange(2), y))
    grid = Grid(({"depth": 0},), (0.1, 1.0), C_VALUES)
    some = score_grid(distances[None], y, folds, grid, learner)
    more = score_grid(distances[None], y, without, grid, learner)
    assert np.isnan(more.score[..., -1]).all()
    assert more.best() == some.best()
    np.testing.assert_allclose(more.table()["mean_test_score"], some.table()["mean_test_score"])
    none = GridScores(grid, np.full_like(some.score, np.nan), some.seconds, some.steps)
    with pytest.raises(ValueError, match="no inner fold tests graphs of all classes"):
        none.best()


def test_the_choice_is_that_of_a_loop_of_scikit_learn():
    distances, y = clusters([60, 12])
    folds = make_folds(y, np.arange(2), 4, 0)
    gammas = (0.03, 0.3)
    learner = SVMLearner(2, False, "balanced", read_scoring("roc_auc", np.arange(2), y))
    scores = score_grid(distances[None], y, folds, Grid(({"depth": 0},), gammas, C_VALUES), learner)
    for g, gamma in enumerate(gammas):
        for c, value in enumerate(C_VALUES):
            svc = SVC(C=value, kernel="precomputed", class_weight="balanced", tol=1e-7)
            slow = cross_val_score(svc, np.exp(-gamma * distances), y, cv=folds, scoring="roc_auc")
            np.testing.assert_allclose(scores.score[0, g, c], slow, atol=0.02)  # ranks of near ties may differ


# Models


def test_the_model_says_what_it_chose_by(rare, model):
    assert model.scoring_ == "rare_pr_auc"
    np.testing.assert_allclose(model.class_weight_, [46 / 80, 46 / 12])
    assert set(model.inner_measures_) == {"accuracy", "balanced_accuracy", "roc_auc", "pr_auc", "mcc"}
    summary, table = training_summary(model), training_table(model)
    assert summary["scoring"] == "rare_pr_auc"
    assert summary["inner_measures"] == model.inner_measures_
    for text in ("chosen by", "PR AUC of the smaller class", "balanced accuracy", "MCC", "rare is predicted from"):
        assert text in table
    plain = wg.GraphClassifier(
        wg.WWL(depth=1, kind="categorical"), gamma=1.0, C=1.0, class_weight=None, scoring="accuracy"
    )
    assert "class weights" not in training_table(plain.fit(*rare))


def test_equal_classes_are_learned_as_before():
    graphs, y = wg.load_dataset("demo")
    options = {"depth": range(2), "kind": "categorical", "C": (0.1, 10.0)}
    one = wg.GraphClassifier(**model_options(**options)).fit(graphs, y)
    other = wg.GraphClassifier(**model_options(class_weight=None, scoring="accuracy", **options)).fit(graphs, y)
    assert (one.scoring_, one.best_params_) == ("accuracy", other.best_params_)
    np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    assert "inner measures" not in training_table(one)


def test_the_class_is_predicted_from_a_probability_on(rare, model):
    """With balanced weights, this probability is the share of the class."""
    graphs, _ = rare
    assert model.threshold_ == pytest.approx(6 / 46)
    chances = model.predict_proba(graphs)[:, 1]
    np.testing.assert_array_equal(model.predict(graphs) == "rare", chances >= model.threshold_)
    np.testing.assert_array_equal(model.decision_function(graphs) >= 0, chances >= model.threshold_)


def test_decisions_are_centered_where_weighted_probabilities_are_equal():
    rng = np.random.default_rng(0)
    decisions, sigmoids, weights = rng.normal(size=(50, 1)), np.array([[2.0, 0.7]]), np.array([1.0, 4.0])
    shift, moved = centered(decisions, sigmoids, weights)
    at_zero = expit(moved[0, 1])
    assert at_zero * weights[0] == pytest.approx((1 - at_zero) * weights[1])
    before, after = expit(2.0 * decisions + 0.7), expit(2.0 * (decisions - shift) + moved[0, 1])
    np.testing.assert_allclose(before, after)
    assert (decisions > centered(decisions, np.array([[0.0, 0.1]]), weights)[0]).all()  # nothing is known but the sizes
    assert (decisions <= centered(decisions, np.array([[-1.0, -0.1]]), weights)[0]).all()
    assert centered(decisions, np.array([[1e-9, 0.7]]), weights)[0] == decisions.max()


def test_a_model_with_weights_comes_back(rare, tmp_path):
    graphs, y = rare
    weighted = wg.GraphClassifier(
        wg.WWL(depth=1, kind="categorical"),
        gamma=1.0,
        C=1.0,
        class_weight={"rare": 3.0},
        scoring=sk.make_scorer(sk.f1_score),
    )
    for number, each in enumerate([wg.GraphClassifier(wg.WWL(depth=range(2), kind="categorical")), weighted]):
        each.fit(graphs, y).save(tmp_path / f"{number}.wgm")
        back = load_model(tmp_path / f"{number}.wgm")
        assert (back.scoring_, back.inner_measures_) == (each.scoring_, each.inner_measures_)
        np.testing.assert_array_equal(back.class_weight_, each.class_weight_)
        np.testing.assert_array_equal(back.decision_function(graphs), each.decision_function(graphs))
    assert back.class_weight == {"common": 1.0, "rare": 3.0}


def test_sample_weights_change_the_fit(rare):
    graphs, y = rare
    options = {"depth": 1, "gamma": 1.0, "C": 0.01, "kind": "categorical", "class_weight": None, "scoring": "accuracy"}
    weights = np.where(y == "rare", 5.0, 1.0)
    one = wg.GraphClassifier(**model_options(**options)).fit(graphs, y, sample_weight=weights)
    other = wg.GraphClassifier(**model_options(**{**options, "class_weight": {"rare": 5.0}})).fit(graphs, y)
    np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)
    np.testing.assert_array_equal(one.sigmoids_, other.sigmoids_)
    assert not np.array_equal(one.intercept_, wg.GraphClassifier(**model_options(**options)).fit(graphs, y).intercept_)
    with pytest.raises(ValueError, match=r"graph 2: .*sample_weight is 0, but weights must be positive"):
        wg.GraphClassifier(**model_options(**options)).fit(
            graphs, y, sample_weight=np.where(np.arange(len(y)) == 2, 0.0, 1.0)
        )
    with pytest.raises(ValueError, match="one weight for each graph"):
        wg.GraphClassifier(**model_options(**options)).fit(graphs, y, sample_weight=[1.0])


def test_groups_are_kept_together_in_inner_folds(rare, monkeypatch):
    graphs, y = rare
    groups = np.array([f"group {number}" for number in np.arange(len(y)) % 8])
    seen = []
    choose = wg.GraphClassifier._select

    def record(self, candidates, scored):
        seen.append(scored.folds)
        return choose(self, candidates, scored)

    monkeypatch.setattr(wg.GraphClassifier, "_select", record)
    for cv in (4, "auto", GroupKFold(3)):
        wg.GraphClassifier(wg.WWL(depth=1, kind="categorical"), gamma=1.0, C=1.0, cv=cv).fit(graphs, y, groups=groups)
    assert [len(folds) for folds in seen] == [4, 5, 3]
    for train, test in (fold for folds in seen for fold in folds):
        assert not set(groups[train]) & set(groups[test])
    with pytest.raises(ValueError, match="there are 2 groups"):
        wg.GraphClassifier(wg.WWL(depth=1), cv=4).fit(graphs, y, groups=np.arange(len(y)) % 2)


# Predictions and evaluations


def test_predictions_say_which_class_is_most_probable(rare, model):
    graphs, y = rare
    rows = [[str(number)] for number in range(len(y))]
    # As if it were not known which of them are training graphs, whose metrics are not told.
    found = replace(predict_all(model, graphs, ["name"], rows, np.arange(len(y))), training=None)
    most = model.classes_[model.predict_proba(graphs).argmax(axis=1)]
    assert found.cells["most_probable"] == most.tolist()
    assert found.n_less_probable == (most != model.predict(graphs)).sum()
    text = str(found.agreement(y, np.arange(len(y))))
    expected = sk.balanced_accuracy_score(y, model.predict(graphs))
    assert f"balanced accuracy {100 * expected:.2f}%" in text
    assert f"ROC AUC {sk.roc_auc_score(y == 'rare', model.decision_function(graphs)):#.4g}" in text
    # Half of these are rare, but the model was trained on unequal classes.
    half = y[34:], np.arange(34, len(y))
    assert set(found.agreement(*half).others) == {"balanced_accuracy", "roc_auc", "pr_auc", "mcc"}
    assert replace(found, unequal=False).agreement(*half).others == {}
    unknown = np.where(np.arange(len(y)) == 0, "unknown", y)
    assert found.agreement(unknown, np.arange(len(y))).others == {}


def test_evaluations_choose_as_models_do(rare):
    graphs, y = rare
    options = {"kind": "categorical", "depth": range(2), "folds": 3, "inner_folds": 3}
    report = evaluate(graphs, y, **options)
    assert [measure.name for measure in report.measures] == [
        "accuracy",
        "balanced_accuracy",
        "roc_auc",
        "pr_auc",
        "mcc",
    ]
    facts = report.to_dict()
    assert (facts["scoring"], facts["class_weight"]) == ("rare_pr_auc", "balanced")
    assert "by the PR AUC of the smaller class." in str(report)
    outer = make_folds((y == "rare").astype(int), np.arange(2), 3, 0)
    for (train, test), chosen, predicted in zip(
        outer, report.rows["wwl"].parameters[0], [report.rows["wwl"].repetitions[0].predictions] * 3, strict=True
    ):
        single = wg.GraphClassifier(wg.WWL(depth=range(2), kind="categorical"), cv=3).fit(graphs[train], y[train])
        assert single.best_params_ == chosen
        np.testing.assert_array_equal(single.predict(graphs[test]) == "rare", predicted[test] == 1)
    former = evaluate(graphs, y, **options, scoring="accuracy", class_weight=None)
    assert "PR AUC of the smaller" not in str(former)
    assert former.to_dict()["class_weight"] is None


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_random_forest_is_that_of_scikit_learn(task):
    pytest.importorskip("rdkit")
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    from wassergraph.formats.molecule_groups import morgan_counts

    smiles = [chain * n + end for n in range(1, 8) for chain in ("C", "CO") for end in ("O", "N")]
    y = np.array([smile.endswith("N") for smile in smiles]) if task == "classification" else np.arange(28) ** 0.5
    report = evaluate(smiles, y, method="rf", task=task, folds=3, n_jobs=1)
    repetition, counts = report.rows["rf"].repetitions[0], morgan_counts(smiles)
    new = RandomForestClassifier if task == "classification" else RandomForestRegressor
    options = {} if task == "classification" else {"max_features": 1 / 3}
    from wassergraph.evaluation.splitting import RANDOM

    for train, test in RANDOM.outer(report.task, 3, 0):
        forest = new(500, random_state=0, **options).fit(counts[train], report.task.targets[train])
        np.testing.assert_allclose(repetition.predictions[test], forest.predict(counts[test]))
    assert "Parameters are chosen" not in str(report)
    assert report.rows["rf"].parameters[0][0] == {"trees": 500}
    for wrong, message in [("rf+svc", "has nothing to choose"), ("rf", "depth is not a parameter")]:
        with pytest.raises(ValueError, match=message):
            evaluate(smiles, y, method=wrong, task=task, depth=1)


def test_a_class_of_two_graphs_says_what_to_do(rare):
    graphs, _ = rare
    y = np.array(["a", "b"] * 22 + ["odd"] * 2)
    with pytest.raises(
        ValueError, match=r"'odd' has 2 graphs.*give its graphs 44, 45 \(counted from 0\) another class"
    ):
        evaluate(graphs, y)
    with pytest.raises(ValueError, match="give its graph 44"):
        wg.GraphClassifier().fit(graphs[:45], y[:45])
