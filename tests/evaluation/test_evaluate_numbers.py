"""Evaluation of numbers, and of classes by several metrics: equal to loops written out with scikit-learn."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk
from sklearn.dummy import DummyRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.svm import SVR

import wassergraph as wg
from made_metrics import evaluate, model_options
from wassergraph.evaluation.methods import Method
from wassergraph.kernels.laplacian import laplacian_kernel
from wassergraph.learners.svm.krein import KreinSVC

DEPTHS, GAMMAS, ALPHAS = (0, 1), (0.03, 0.3), (1e-3, 0.1)
NUMBER_MEASURES = ("rmse", "mae", "r2", "spearman")
# Labels of the demo set: their distances have definite kernels, so that scikit-learn's models are the same.
LABELS = {"kind": "categorical", "depth": DEPTHS}


@pytest.fixture(scope="module")
def numbers():
    graphs, classes = wg.load_dataset("demo")
    random = np.random.default_rng(0)
    return graphs, np.log(graphs.sizes) + 0.3 * classes + 0.05 * random.normal(size=len(graphs))


@pytest.fixture(scope="module")
def distances(numbers):
    return wg.distances(numbers[0], metric=wg.WWL(depth=DEPTHS, kind="categorical"))


def measure(targets, predictions) -> list[float]:
    """Return the metrics of scikit-learn and SciPy; predictions of graphs that are alike may differ by rounding."""
    ranked = np.round(predictions, 9)
    return [
        sk.root_mean_squared_error(targets, predictions),
        sk.mean_absolute_error(targets, predictions),
        sk.r2_score(targets, predictions),
        np.nan if np.ptp(ranked) == 0 else stats.spearmanr(targets, ranked).statistic,
    ]


class CenteredRidge(KernelRidge):
    """Kernel ridge regression of targets whose mean is subtracted."""

    def fit(self, X, y):  # noqa: N803 - scikit-learn's name
        self.mean_ = y.mean()
        return super().fit(X, y - self.mean_)

    def predict(self, X):  # noqa: N803 - scikit-learn's name
        return self.mean_ + super().predict(X)


def outer_folds(n: int, n_folds: int, seed: int):
    return KFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(n))


def search(stack, y, train, *, model, grid, n_inner: int, seed: int):
    """Search matrices, gammas and the parameters of a model as a loop would; return the best of each and the scores."""
    inner, found = KFold(n_inner, shuffle=True, random_state=seed), {}
    for depth, matrix in zip(DEPTHS, stack, strict=True):
        for gamma in GAMMAS:
            kernel = laplacian_kernel(matrix, gamma)[np.ix_(train, train)]
            searched = GridSearchCV(model, grid, scoring="neg_mean_squared_error", cv=inner, refit=False)
            searched.fit(kernel, y[train])
            for parameters, score in zip(
                searched.cv_results_["params"], searched.cv_results_["mean_test_score"], strict=True
            ):
                found[depth, gamma, *parameters.values()] = score
    return max(found, key=found.__getitem__), found


# Ridge regression


@pytest.mark.parametrize("seed", [0, 5])
def test_ridge_regression_is_a_loop_of_scikit_learn(numbers, distances, seed):
    graphs, y = numbers
    options = {"gamma": GAMMAS, "alpha": ALPHAS, "folds": 4, "inner_folds": 3, "random_state": seed}
    report = evaluate(graphs, y, **LABELS, **options)
    row = report.rows["wwl"]
    assert row.measures == list(NUMBER_MEASURES)
    for fold, (train, test) in enumerate(outer_folds(60, 4, seed)):
        ridge = CenteredRidge(kernel="precomputed")
        best, _ = search(distances, y, train, model=ridge, grid={"alpha": ALPHAS}, n_inner=3, seed=seed)
        depth, gamma, alpha = best
        assert row.parameters[0][fold] == {"depth": depth, "gamma": gamma, "alpha": alpha}
        kernel = laplacian_kernel(distances[DEPTHS.index(depth)], gamma)
        model = CenteredRidge(alpha=alpha, kernel="precomputed").fit(kernel[np.ix_(train, train)], y[train])
        expected = measure(y[test], model.predict(kernel[np.ix_(test, train)]))
        np.testing.assert_allclose([row.values(name)[0, fold] for name in NUMBER_MEASURES], expected, rtol=1e-6)


def test_a_kernel_is_a_loop_of_scikit_learn(numbers):
    graphs, y = numbers
    row = evaluate(graphs, y, method="wl", depth=1, alpha=ALPHAS, folds=3, inner_folds=3).rows["wl"]
    kernel = wg.baselines.WLSubtree(1).fit_transform(graphs)
    kernel /= kernel.diagonal().mean()
    for fold, (train, test) in enumerate(outer_folds(60, 3, 0)):
        searched = GridSearchCV(
            CenteredRidge(kernel="precomputed"),
            {"alpha": ALPHAS},
            scoring="neg_mean_squared_error",
            cv=KFold(3, shuffle=True, random_state=0),
        ).fit(kernel[np.ix_(train, train)], y[train])
        assert row.parameters[0][fold] == {"depth": 1, **searched.best_params_}
        expected = measure(y[test], searched.predict(kernel[np.ix_(test, train)]))
        np.testing.assert_allclose([row.values(name)[0, fold] for name in NUMBER_MEASURES], expected, rtol=1e-6)


def test_the_mean_is_the_prediction_of_a_dummy(numbers):
    graphs, y = numbers
    report = evaluate(graphs, y, method=["v", "wl"], depth=0, folds=4, inner_folds=2, repetitions=2, random_state=3)
    for name in ("v", "wl"):
        constant = report.rows[name].constant
        for repetition, seed in enumerate((3, 4)):
            for fold, (train, test) in enumerate(outer_folds(60, 4, seed)):
                predicted = DummyRegressor().fit(np.zeros((len(train), 1)), y[train]).predict(np.zeros((len(test), 1)))
                expected = measure(y[test], predicted)[:3]
                found = [constant[metric][repetition, fold] for metric in NUMBER_MEASURES[:3]]
                np.testing.assert_allclose(found, expected, rtol=1e-9)
                assert np.isnan(constant["spearman"][repetition, fold])  # equal predictions have no ranks
    line = next(line for line in str(report).splitlines() if line.startswith("mean "))
    assert line.split()[1] == f"{report.rows['v'].constant['rmse'].mean():#.4g}"
    assert line.split()[-1] == "–"


@pytest.mark.parametrize("method", ["wwl", "wwl+svr", "wwl+gp"])
def test_the_unit_of_numbers_does_not_matter(numbers, method):
    graphs, y = numbers
    rows = [
        evaluate(graphs, scale * y + shift, method=method, **LABELS, folds=3, inner_folds=2).rows[method]
        for scale, shift in ((1.0, 0.0), (1e-9, 0.0), (1e6, -4e6))
    ]
    for row, scale in zip(rows[1:], (1e-9, 1e6), strict=True):
        for one, other in zip(rows[0].parameters[0], row.parameters[0], strict=True):
            assert one == pytest.approx(other, rel=1e-2)
        np.testing.assert_allclose(row.values("rmse") / scale, rows[0].values("rmse"), rtol=1e-3)
        np.testing.assert_allclose(row.values("r2"), rows[0].values("r2"), atol=1e-3)


# Other models


def test_support_vector_regression_is_a_loop_of_scikit_learn(numbers, distances):
    graphs, y = numbers
    grid = {"C": (1.0, 10.0)}
    options = {"gamma": GAMMAS, **grid, "folds": 3, "inner_folds": 3}
    row = evaluate(graphs, y, method="wwl+svr", **LABELS, **options).rows["wwl+svr"]

    class StandardSVR(SVR):
        def fit(self, X, y):  # noqa: N803 - scikit-learn's name
            self.mean_, self.scale_ = y.mean(), y.std()
            return super().fit(X, (y - self.mean_) / self.scale_)

        def predict(self, X):  # noqa: N803 - scikit-learn's name
            return self.mean_ + self.scale_ * super().predict(X)

    for fold, (train, test) in enumerate(outer_folds(60, 3, 0)):
        svr = StandardSVR(kernel="precomputed", epsilon=0.1, tol=1e-6)
        best, scores = search(distances, y, train, model=svr, grid=grid, n_inner=3, seed=0)
        chosen = row.parameters[0][fold]
        place = chosen["depth"], chosen["gamma"], chosen["C"]
        assert scores[place] == pytest.approx(scores[best], rel=1e-3)
        kernel = laplacian_kernel(distances[DEPTHS.index(place[0])], place[1])
        svr.set_params(C=place[2]).fit(kernel[np.ix_(train, train)], y[train])
        expected = measure(y[test], svr.predict(kernel[np.ix_(test, train)]))[:3]
        np.testing.assert_allclose([row.values(name)[0, fold] for name in NUMBER_MEASURES[:3]], expected, rtol=5e-3)


def test_a_gaussian_process_is_the_model_that_ships(numbers):
    graphs, y = numbers
    report = evaluate(graphs, y, method="wwl+gp", measures="all", **LABELS, folds=3, inner_folds=2)
    row = report.rows["wwl+gp"]
    for fold, (train, test) in enumerate(outer_folds(60, 3, 0)):
        model = wg.GraphGaussianProcess(**model_options(**LABELS)).fit(graphs[train], y[train])
        assert row.parameters[0][fold] == pytest.approx(model.best_params_, rel=1e-4)
        predicted, intervals = model.predict(graphs[test]), model.predict_interval(graphs[test], level=0.9)
        expected = measure(y[test], predicted)
        np.testing.assert_allclose([row.values(name)[0, fold] for name in NUMBER_MEASURES], expected, rtol=1e-6)
        inside = [low <= target <= high for target, (low, high) in zip(y[test], intervals, strict=True)]
        assert row.values("coverage")[0, fold] == pytest.approx(np.mean(inside))
    assert report.rows["wwl+gp"].seconds.keys() >= {"matrices", "selection", "training and test"}


@pytest.mark.parametrize("method", ["wwl", "wwl+svr", "wwl+gp", "v"])
def test_training_parts_with_equal_numbers(numbers, method):
    """One graph differs: the fold that tests it is trained with equal numbers, and predicts these."""
    graphs, _ = numbers
    y = np.where(np.arange(60) == 7, 2.5, 1.0)
    row = evaluate(graphs, y, method=method, depth=0 if method != "v" else None, folds=3, inner_folds=2).rows[method]
    assert np.isfinite(row.values("rmse")).all()
    fold = next(number for number, (_, test) in enumerate(outer_folds(60, 3, 0)) if 7 in test)
    assert row.values("rmse")[0, fold] == pytest.approx(np.sqrt(1.5**2 / 20))


# Reports


def test_table_and_json_of_numbers(numbers):
    graphs, y = numbers
    report = evaluate(graphs, y, method=["v", "wwl+gp"], **LABELS, measures="all", folds=3, inner_folds=2)
    lines = str(report).splitlines()
    assert lines[0] == f"60 graphs, numbers from {y.min():.6g} to {y.max():.6g}".replace("-", "−")
    assert " ".join(lines[2].split()).startswith(
        "method uses RMSE MAE R² Spearman's ρ Pearson's r coverage of 90% in % matrices"
    )
    mean, deviation = (function(report.rows["v"].values("rmse")) for function in (np.mean, np.std))
    assert f"{mean:#.4g} ± {deviation:.2g}" in lines[3]
    assert lines[5].startswith("mean ")
    assert "V: coverage of 90% is not defined in 3 of 3 folds: the method has no intervals." in lines
    assert not any("WWL + gp: coverage" in line for line in lines)
    content = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert (content["task"], content["split"], content["folds"]) == ("regression", "random", 3)
    assert content["measures"] == [*NUMBER_MEASURES, "pearson", "coverage"]
    assert content["methods"]["v"]["coverage"] == [[None] * 3]
    assert content["methods"]["v"]["mae"] == report.rows["v"].values("mae").tolist()
    assert content["methods"]["v"]["mean"] == pytest.approx(mean)
    assert content["constant"]["spearman"] == [[None] * 3]
    assert "majority_class" not in content
    assert "V" in report._repr_html_()


def test_metrics_that_are_never_defined(numbers):
    """Every fold tests one graph, which has no R²."""
    graphs, y = numbers
    report = evaluate(graphs[:8], y[:8], method="v", measures=["r2", "mae"], folds=8, inner_folds=2)
    assert np.isnan(report.rows["v"].mean)
    assert np.isnan(report.rows["v"].std)
    content = json.loads(json.dumps(report.to_dict(), allow_nan=False))["methods"]["v"]
    assert (content["mean"], content["std"], content["r2"]) == (None, None, [[None] * 8])
    assert "V: R² is not defined in 8 of 8 folds: there is one graph only." in str(report).splitlines()
    with pytest.raises(ValueError, match="there are no accuracies to draw"):
        wg.plot.draw_accuracies(report)


def test_what_was_not_measured_is_named(numbers):
    graphs, y = numbers
    report = evaluate(graphs, y, method="v", measures="mae", folds=3, inner_folds=2)
    with pytest.raises(ValueError, match="'accuracy' was not measured, only mae; name it in the measures of the ev"):
        _ = report.accuracies
    with pytest.raises(ValueError, match="'rmse' was not measured"):
        report.rows["v"].values("rmse")
    with pytest.raises(ValueError, match="numbers have no largest class"):
        _ = report.majority
    assert report.rows["v"].mean == pytest.approx(report.rows["v"].values("mae").mean())


@pytest.mark.parametrize("names", ["ALL", ["all"], ("all", "rmse"), np.array(["rmse", "all"])])
def test_all_metrics(numbers, names):
    graphs, y = numbers
    report = evaluate(graphs, y, method="v", measures=names, folds=2, inner_folds=2)
    assert [measure.name for measure in report.measures] == [*NUMBER_MEASURES, "pearson", "coverage"]


def test_metrics_in_the_order_in_which_they_are_named(numbers):
    graphs, y = numbers
    report = evaluate(graphs, y, method="v", measures=np.array(["Spearman", "mae", "MAE"]), folds=2, inner_folds=2)
    assert report.rows["v"].measures == ["spearman", "mae"]
    assert report.boxes.label == "Spearman's ρ"
    assert report.boxes.higher_is_better


def test_a_report_of_numbers_is_drawn(numbers, tmp_path):
    graphs, y = numbers
    report = evaluate(graphs, y, method=["v", "wwl", "wwl+gp"], **LABELS, folds=3, inner_folds=2)
    figure = wg.plot.draw_accuracies(report, path=tmp_path / "errors.png")
    axis = figure.axes[0]
    rows = {row.title: row.values("rmse")[0] for row in report.rows.values()}
    order = sorted(rows, key=lambda title: np.median(rows[title]))
    assert [label.get_text().replace("\n", " ") for label in axis.get_xticklabels()] == order
    assert axis.get_ylabel() == "RMSE by fold"
    for collection, title in zip(axis.collections, order, strict=True):
        np.testing.assert_allclose(collection.get_offsets()[:, 1], np.sort(rows[title]))
    assert figure.legends[0].get_texts()[0].get_text() == f"mean: {report.rows['v'].constant['rmse'].mean():.3g}"
    assert (tmp_path / "errors.png").read_bytes().startswith(b"\x89PNG")


def test_methods_without_the_drawn_metric_are_left_out(numbers):
    graphs, y = numbers
    few = {"folds": 3, "inner_folds": 2, "measures": "coverage"}
    axis = wg.plot.draw_accuracies(evaluate(graphs, y, method=["v", "wwl+gp"], **LABELS, **few)).axes[0]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["WWL\n+ gp"]
    assert axis.get_ylabel() == "coverage of 90% by fold in %"
    with pytest.raises(TypeError, match="a report, or a dictionary of accuracies, can be drawn, not list; pass the"):
        wg.plot.draw_accuracies([0.5])


# Classes


CLASS_MEASURES = ("accuracy", "balanced_accuracy", "roc_auc", "pr_auc", "mcc", "log_loss")
ONE = {"kind": "continuous", "standardize": True, "depth": 1, "gamma": 1.0, "C": 10.0}


def class_folds(y, seed: int = 0):
    return StratifiedKFold(3, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)


def blurred(graphs, seed: int = 0):
    """Return the graphs with noise in their attributes, so that classes are not perfectly known."""
    noise = np.random.default_rng(seed).normal(size=graphs.node_attributes.shape)
    return replace(graphs, node_attributes=graphs.node_attributes + 0.3 * noise)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_metrics_of_classes_are_those_of_scikit_learn(n_classes):
    graphs, y = wg.load_dataset("demo")
    chosen = np.flatnonzero(y < n_classes)
    graphs, y = blurred(graphs)[chosen], y[chosen]
    report = evaluate(graphs, y, measures="all", **ONE, folds=3, inner_folds=3)
    row = report.rows["wwl"]
    assert row.measures == [*CLASS_MEASURES[:-1], "enrichment_1", "enrichment_5", CLASS_MEASURES[-1]]
    kernel = np.exp(-1.0 * wg.distances(graphs, metric=wg.WWL(depth=1, kind="continuous", standardize=True)))
    for fold, (train, test) in enumerate(class_folds(y)):
        svm = KreinSVC(C=10.0).fit(kernel[np.ix_(train, train)], y[train])
        across = kernel[np.ix_(test, train)]
        predicted, decided = svm.predict(across), svm.decision_function(across)
        if n_classes == 2:
            areas = [sk.roc_auc_score(y[test], decided), sk.average_precision_score(y[test], decided)]
        else:
            areas = [
                np.mean([metric(y[test] == c, decided[:, c]) for c in range(3)])
                for metric in (sk.roc_auc_score, sk.average_precision_score)
            ]
        expected = [
            sk.accuracy_score(y[test], predicted),
            sk.balanced_accuracy_score(y[test], predicted),
            *areas,
            sk.matthews_corrcoef(y[test], predicted),
        ]
        found = [row.values(name)[0, fold] for name in CLASS_MEASURES[:-1]]
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert 0.4 < row.values("accuracy").mean() < 1  # neither trivial nor impossible


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_are_those_of_the_classifier(n_classes):
    """The calibration is that of GraphClassifier, on the inner folds of the training part."""
    graphs, y = wg.load_dataset("demo")
    chosen = np.flatnonzero(y < n_classes)
    graphs, y = blurred(graphs)[chosen], y[chosen]
    options = {**ONE, "standardize": False}
    row = evaluate(graphs, y, measures="log_loss", **options, folds=3, inner_folds=3, random_state=1).rows["wwl"]
    for fold, (train, test) in enumerate(class_folds(y, seed=1)):
        model = wg.GraphClassifier(**model_options(cv=3, random_state=1, **options)).fit(graphs[train], y[train])
        expected = sk.log_loss(y[test], model.predict_proba(graphs[test]), labels=range(n_classes))
        assert row.values("log_loss")[0, fold] == pytest.approx(expected, rel=1e-3)


def test_other_metrics_do_not_change_the_accuracy():
    graphs, y = wg.load_dataset("demo")
    rows = [
        evaluate(graphs, y, method="wl", folds=3, inner_folds=2, **options).rows["wl"]
        for options in ({}, {"measures": "all"}, {"measures": ["log-loss", "accuracy"]})
    ]
    for row in rows[1:]:
        np.testing.assert_array_equal(row.accuracy, rows[0].accuracy)
        assert row.parameters == rows[0].parameters
    assert rows[2].mean == pytest.approx(rows[1].values("log_loss").mean())


def test_the_largest_class_has_no_ranks_and_its_share_as_probability():
    graphs, y = wg.load_dataset("demo")
    y = (y == 0).astype(int)
    report = evaluate(graphs, y, method="v", measures="all", folds=3, inner_folds=2)
    constant = {name: values.mean() for name, values in report.rows["v"].constant.items()}
    assert constant["roc_auc"] == 0.5
    assert (constant["balanced_accuracy"], constant["mcc"]) == (0.5, 0.0)
    assert constant["log_loss"] == pytest.approx(-(2 / 3) * np.log(2 / 3) - np.log(1 / 3) / 3, rel=1e-2)
    line = next(line for line in str(report).splitlines() if line.startswith("largest class"))
    assert line.split()[2:4] == ["66.67", "50.00"]


def test_undefined_metrics_of_classes_are_noted():
    """Each given fold tests one class only, but trains with both."""
    graphs, y = wg.load_dataset("demo")
    y = (y == 0).astype(int)
    fold = np.where(np.arange(60) < 6, y, 2)
    report = evaluate(
        graphs, y, method="v", measures=["accuracy", "roc_auc", "mcc"], split="given", groups=fold, inner_folds=2
    )
    assert np.isnan(report.rows["v"].values("roc_auc")).tolist() == [[True, True, False]]
    assert np.isfinite(report.rows["v"].accuracy).all()
    lines = str(report).splitlines()
    assert "V: ROC AUC is not defined in 2 of 3 folds: only 1 of 2 classes is among the targets." in lines
    assert "V: MCC is not defined in 2 of 3 folds: all targets are of one class." in lines
    content = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert content["methods"]["v"]["roc_auc"][0][:2] == [None, None]
    assert content["methods"]["v"]["roc_auc"][0][2] == report.rows["v"].values("roc_auc")[0, 2]


def test_the_constant_prediction_is_that_of_the_training_part():
    graphs, y = wg.load_dataset("demo")
    part = np.where((y == y[0]) & (np.arange(60) > 17), "test", "train")  # few are left to learn from
    report = evaluate(graphs, y == y[0], method="v", split="given", groups=part)
    assert report.rows["v"].constant["accuracy"].tolist() == [[0.0]]
    assert report.majority == pytest.approx(2 / 3)
    assert "largest class 0.00" in " ".join(str(report).split())
    assert "±" not in str(report)  # one fold has no deviation


def test_a_gaussian_process_needs_no_inner_folds():
    graphs, classes = wg.load_dataset("demo")
    y, groups = np.log(graphs.sizes) + 0.1 * classes, np.arange(60) % 2
    options = {"depth": 0, "split": "group", "groups": groups, "folds": 2}
    report = evaluate(graphs, y, method="wwl+gp", **options)
    assert "inner folds" not in str(report)
    with pytest.raises(ValueError, match="the training part of a fold has 1 group, too few for inner folds"):
        evaluate(graphs, y, method=["wwl+gp", "wwl"], **options)


def test_text_among_numbers_is_an_error():
    graphs, _ = wg.load_dataset("demo")
    with pytest.raises(ValueError, match="graph 40: y is 'high', which is not a number"):
        evaluate(graphs, [0.5] * 20 + [1.5] * 20 + ["high"] * 20)


def test_models_on_the_same_distances_share_them(monkeypatch):
    """Methods that differ in the model alone compute their distances once."""
    graphs, _ = wg.load_dataset("demo")
    y = np.log(graphs.sizes)
    calls = []
    compute = Method.matrices

    def counted(self, *arguments):
        calls.append(self.title)
        return compute(self, *arguments)

    monkeypatch.setattr(Method, "matrices", counted)
    options = {"depth": [0, 1], "folds": 3, "inner_folds": 2}
    together = evaluate(graphs, y, method=["wwl", "wwl+svr", "wl", "wwl+knn", "wwl+gp"], **options)
    assert calls == ["WWL", "WL"]
    alone = evaluate(graphs, y, method="wwl+knn", **options)
    np.testing.assert_array_equal(together.rows["wwl+knn"].values("rmse"), alone.rows["wwl+knn"].values("rmse"))
