"""Several targets: each model is the one that is fitted alone, gaps are gaps, and distances are computed once."""

from __future__ import annotations

import numpy as np
import pytest

import wassergraph as wg
from wassergraph.models.shared_distances import SharedDistances
from wassergraph.models.target_group import TargetGroup
from wassergraph.models.target_models import TargetModels
from wassergraph.models.training_graphs import TrainingGraphs
from wassergraph.scores.several import read_several

LABELS = wg.WWL(depth=(0, 1), kind="categorical", mass="count")


@pytest.fixture(scope="module")
def drugs():
    graphs, families = wg.load_dataset("drugs")
    random = np.random.default_rng(0)
    sizes = np.log(graphs.sizes)
    return (
        graphs,
        np.column_stack([sizes, sizes**2 + 0.1 * random.normal(size=len(graphs)), random.normal(size=len(graphs))]),
        families,
    )


@pytest.fixture(scope="module")
def gaps(drugs):
    y = drugs[1].copy()
    y[np.random.default_rng(1).random(y.shape) < 0.3] = np.nan
    return y


def assert_same_model(found, alone):
    assert found.best_params_ == alone.best_params_
    assert found.best_score_ == alone.best_score_
    np.testing.assert_array_equal(found.grid_scores_.score, alone.grid_scores_.score)
    np.testing.assert_array_equal(found.dual_coef_, alone.dual_coef_)
    np.testing.assert_array_equal(found.targets_, alone.targets_)


@pytest.mark.parametrize("model", [wg.GraphRegressor(), wg.GraphRegressor(LABELS, regressor="svr", C=(1.0, 10.0))])
def test_targets_without_gaps_are_learned_as_alone(drugs, model):
    """To the last bit, also where decompositions of kernels are shared."""
    graphs, y, _ = drugs
    model.fit(graphs[:120], y[:120])
    assert model.predict(graphs[120:]).shape == (32, 3)
    for number, found in enumerate(model.estimators_):
        alone = type(model)(**model.get_params(deep=False)).fit(graphs[:120], y[:120, number])
        assert_same_model(found, alone)
        np.testing.assert_array_equal(found.calibration_errors_, alone.calibration_errors_)
        np.testing.assert_array_equal(model.predict(graphs[120:])[:, number], alone.predict(graphs[120:]))
        intervals = model.predict_interval(graphs[120:], 0.8)
        np.testing.assert_array_equal(intervals[:, number], alone.predict_interval(graphs[120:], 0.8))


def test_targets_with_gaps_are_learned_as_alone(drugs, gaps):
    graphs, _, _ = drugs
    model = wg.GraphRegressor(LABELS, alpha=(0.01, 0.1)).fit(graphs, gaps, target_name=["a", "b", "c"])
    for number, found in enumerate(model.estimators_):
        known = np.flatnonzero(~np.isnan(gaps[:, number]))
        alone = wg.GraphRegressor(LABELS, alpha=(0.01, 0.1)).fit(graphs[known], gaps[known, number])
        assert_same_model(found, alone)
        assert (found.target_name_, found.n_train_) == ("abc"[number], len(known))
        np.testing.assert_array_equal(model.predict(graphs)[:, number], alone.predict(graphs))


def test_classes_with_gaps_are_learned_as_alone(drugs):
    graphs, y, families = drugs
    table = np.empty((len(graphs), 2), dtype=object)
    table[:, 0], table[:, 1] = families, np.where(y[:, 0] > np.median(y[:, 0]), "large", "small")
    table[::3, 1] = None
    model = wg.GraphClassifier(LABELS, C=(1.0, 10.0)).fit(graphs, table)
    known = np.flatnonzero(table[:, 1] != None)  # noqa: E711 - cell by cell
    alone = [
        wg.GraphClassifier(LABELS, C=(1.0, 10.0)).fit(graphs, families),
        wg.GraphClassifier(LABELS, C=(1.0, 10.0)).fit(graphs[known], table[known, 1].astype(str)),
    ]
    assert model.predict(graphs).tolist() == [
        list(row) for row in zip(*(each.predict(graphs) for each in alone), strict=True)
    ]
    for found, probabilities, each in zip(model.estimators_, model.predict_proba(graphs), alone, strict=True):
        assert_same_model(found, each)
        np.testing.assert_array_equal(probabilities, each.predict_proba(graphs))
    scores = [alone[0].score(graphs, families), alone[1].score(graphs[known], table[known, 1].astype(str))]
    assert model.score(graphs, table) == pytest.approx(np.mean(scores))


def test_gaussian_processes_of_several_targets(drugs, gaps):
    graphs, _, _ = drugs
    model = wg.GraphGaussianProcess(LABELS).fit(graphs, gaps)
    mean, deviation = model.predict(graphs[:9], return_std=True)
    for number in range(3):
        known = np.flatnonzero(~np.isnan(gaps[:, number]))
        alone = wg.GraphGaussianProcess(LABELS).fit(graphs[known], gaps[known, number])
        expected = alone.predict(graphs[:9], return_std=True)
        np.testing.assert_array_equal(mean[:, number], expected[0])
        np.testing.assert_array_equal(deviation[:, number], expected[1])


def test_distances_are_computed_once(drugs, gaps, monkeypatch):
    graphs, _, _ = drugs
    computed, asked = [], []
    original, of_new = SharedDistances._distances, TrainingGraphs.distances_from
    monkeypatch.setattr(SharedDistances, "_distances", lambda *args: computed.append(len(args[2])) or original(*args))
    monkeypatch.setattr(TrainingGraphs, "distances_from", lambda *args, **how: asked.append(1) or of_new(*args, **how))
    metric = wg.WWL(depth=1, kind="categorical", mass="count")
    model = wg.GraphRegressor(metric, gamma=0.1, alpha=0.1).fit(graphs, gaps)
    assert computed == [np.count_nonzero(~np.isnan(gaps).all(axis=1))]
    model.predict(graphs[:10])
    assert len(asked) == 1


def large_table(n_graphs):
    """Return two targets that go together, with gaps."""
    graphs, _ = wg.load_dataset("drugs")
    random = np.random.default_rng(2)
    y = np.column_stack([np.log(graphs.sizes), -np.log(graphs.sizes)]) + 0.05 * random.normal(size=(n_graphs, 2))
    y[random.random(y.shape) < 0.15] = np.nan
    return graphs, y


def spy_on_groups(monkeypatch):
    """Return a list to which the graphs and the folds of each choice of parameters are added."""
    chosen, original = [], TargetGroup.select
    monkeypatch.setattr("wassergraph.models.fit_targets.SCREENED_ABOVE", 40)
    monkeypatch.setattr(TargetGroup, "select", lambda group: chosen.append(group) or original(group))
    return chosen


def test_a_large_table_with_gaps_shares_the_choice_of_parameters(monkeypatch):
    """Targets that many graphs have are compared on the graphs that have all of them, and then fitted to their own."""
    chosen = spy_on_groups(monkeypatch)
    graphs, y = large_table(152)
    model = wg.GraphRegressor(LABELS).fit(graphs, y)
    (group,) = chosen
    np.testing.assert_array_equal(group.rows, np.flatnonzero(~np.isnan(y).any(axis=1)))
    for number, found in enumerate(model.estimators_):
        n_known = np.count_nonzero(~np.isnan(y[:, number]))
        assert (found.n_train_, len(found.dual_coef_)) == (n_known, n_known)
    assert model.score(graphs, y) > 0.9
    assert np.corrcoef(model.predict(graphs).T)[0, 1] < -0.9


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_what_intervals_are_calibrated_with_chooses_nothing(monkeypatch, order):
    """Also if the first model is a classifier, which needs no calibration."""
    chosen = spy_on_groups(monkeypatch)
    graphs, y = large_table(152)
    columns = [y[:, 0], y[:, 1], wg.load_dataset("drugs")[1]]
    table = [list(row) for row in zip(*(columns[number] for number in order), strict=True)]
    models = [wg.GraphClassifier(LABELS, C=1.0) if number == 2 else wg.GraphRegressor(LABELS) for number in order]
    finished, original = [], wg.GraphRegressor._finish
    monkeypatch.setattr(
        wg.GraphRegressor, "_finish", lambda *args: finished.append((args[0], args[1])) or original(*args)
    )
    TargetModels.fit(models, graphs, read_several(table, len(graphs)))
    (together,) = [group for group in chosen if len(group.models) == 2]
    used = {int(together.rows[row]) for fold in together.learnings[0].scored.folds for part in fold for row in part}
    for model, learning in finished:
        column = order[[each is model for each in models].index(True)]
        rows = np.flatnonzero(~np.isnan(y[:, column]))
        assert len(learning.held_out) > 10
        assert not used & set(rows[learning.held_out].tolist())


def test_folds_without_a_seed_are_not_shared(drugs, monkeypatch):
    chosen = spy_on_groups(monkeypatch)
    wg.GraphRegressor(LABELS, alpha=(0.01, 0.1), random_state=None).fit(drugs[0], drugs[1])
    assert [len(group.models) for group in chosen] == [1, 1, 1]


@pytest.mark.parametrize("depths", [(1, 3), (3, 1)])
def test_metrics_of_equal_schemes(drugs, depths):
    graphs, y, _ = drugs
    metrics = [wg.WWL(depth=depth, kind="categorical", mass="count") for depth in depths]
    model = wg.GraphRegressor(metrics, alpha=(0.01, 0.1)).fit(graphs, y)
    for number, found in enumerate(model.estimators_):
        assert_same_model(found, wg.GraphRegressor(metrics, alpha=(0.01, 0.1)).fit(graphs, y[:, number]))


def test_models_of_different_depths(drugs):
    graphs, y, families = drugs
    known = read_several([[a, b] for a, b in zip(families, y[:, 0], strict=True)], len(graphs))
    models = [wg.GraphClassifier(wg.WWL(0, kind="categorical"), C=1.0), wg.GraphRegressor(LABELS)]
    TargetModels.fit(models, graphs, known)
    assert_same_model(models[1], wg.GraphRegressor(LABELS).fit(graphs, y[:, 0]))


def test_groups_are_those_of_each_target(drugs, gaps):
    graphs, _, families = drugs
    model = wg.GraphRegressor(LABELS, alpha=(0.01, 0.1)).fit(graphs, gaps, groups=families)
    for number, found in enumerate(model.estimators_):
        known = np.flatnonzero(~np.isnan(gaps[:, number]))
        alone = wg.GraphRegressor(LABELS, alpha=(0.01, 0.1))
        alone.fit(graphs[known], gaps[known, number], groups=families[known])
        assert_same_model(found, alone)
        np.testing.assert_array_equal(found.calibration_errors_, alone.calibration_errors_)


def test_scores_read_columns_by_name(drugs):
    pandas = pytest.importorskip("pandas")
    graphs, y, _ = drugs
    frame = pandas.DataFrame(y[:, :2], columns=["a", "b"])
    model = wg.GraphRegressor(LABELS, gamma=0.1, alpha=0.1).fit(graphs, frame)
    assert model.score(graphs, frame[["b", "a"]]) == model.score(graphs, frame)
    with pytest.raises(ValueError, match="the columns of y are 'a', 'c', but the targets 'a', 'b'"):
        model.score(graphs, frame.rename(columns={"b": "c"}))


def test_models_are_saved_with_the_graphs_once(drugs, gaps, tmp_path):
    graphs, _, families = drugs
    model = wg.GraphRegressor(LABELS, gamma=0.1).fit(graphs, gaps, names=[f"g{n}" for n in range(len(graphs))])
    model.save(tmp_path / "m.wgm")
    again = wg.load_model(tmp_path / "m.wgm")
    assert (type(again), again.gamma) == (wg.GraphRegressor, 0.1)
    np.testing.assert_array_equal(again.predict(graphs), model.predict(graphs))
    assert [each.names_.tolist() for each in again.estimators_] == [each.names_.tolist() for each in model.estimators_]
    mixed = read_several([[a, b] for a, b in zip(gaps[:, 0], families, strict=True)], len(graphs), ["size", "family"])
    models = [wg.GraphRegressor(LABELS), wg.GraphClassifier(LABELS)]
    TargetModels.fit(models, graphs, mixed).save(tmp_path / "t.wgm")
    several = wg.load_model(tmp_path / "t.wgm")
    assert several.target_names_ == ["size", "family"]
    for name, each in zip(several.target_names_, models, strict=True):
        np.testing.assert_array_equal(several[name].predict(graphs), each.predict(graphs))
    assert (tmp_path / "t.wgm").stat().st_size < 2 * (tmp_path / "m.wgm").stat().st_size
    with pytest.raises(ValueError, match="has no such target, only 'size', 'family'; did you mean 'size'"):
        several["sise"]


def test_tables_of_other_libraries_have_gaps(drugs):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    y = drugs[1][:, :2].copy()
    y[3, 0] = y[5, 1] = np.nan
    expected = [(each.rows.tolist(), each.values.tolist()) for each in read_several(y, len(y))]
    frame = pandas.DataFrame(y, columns=["u", "v"])
    with_none = [[None if np.isnan(value) else value for value in row] for row in y.tolist()]
    tables = (
        np.ma.masked_invalid(y),
        frame,
        frame.astype("Float64"),
        polars.DataFrame(with_none, schema=["u", "v"], orient="row"),
        with_none,
    )
    for table in tables:
        assert [(each.rows.tolist(), each.values.tolist()) for each in read_several(table, len(y))] == expected
    assert [each.name for each in read_several(frame, len(y))] == ["u", "v"]
    assert [each.name for each in read_several(y, len(y))] == ["target 1", "target 2"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y: y[:-1], "there are 152 graphs, but 151 rows in y; pass a row for each graph, with None or NaN"),
        (lambda y: np.column_stack([y[:, 0], np.full(len(y), np.nan)]), "target 'target 2': no graph has a value"),
        (lambda y: np.where(np.arange(len(y))[:, None] > 0, np.nan, y), "target 'target 1': there is one graph to"),
        (lambda y: np.where(np.isnan(y), y, 1.0), "target 'target 1': all graphs have the number 1"),
        (
            lambda y: [["high" if n == 7 else a, b] for n, (a, b) in enumerate(y[:, :2])],
            "graph 7: target 'target 1': y is 'high', which is not a number",
        ),
        (
            lambda y: [[float("inf") if n == 4 else a, b] for n, (a, b) in enumerate(y[:, :2])],
            "graph 4: target 'target 1'",
        ),
    ],
)
def test_bad_targets_are_named(drugs, change, message):
    graphs, y, _ = drugs
    with pytest.raises(ValueError, match=message):
        wg.GraphRegressor(LABELS).fit(graphs, change(y))


def test_what_several_targets_have_not(drugs, gaps):
    graphs, y, _ = drugs
    model = wg.GraphRegressor(LABELS, gamma=0.1, alpha=0.1).fit(graphs, gaps)
    with pytest.raises(ValueError, match="there are several targets; explain the prediction of one of estimators_"):
        model.explain(graphs[0])
    assert model.estimators_[1].explain(graphs[0]).value == pytest.approx(model.predict(graphs[0])[0, 1])
    with pytest.raises(AttributeError, match="fitted to one target"):
        _ = wg.GraphRegressor(LABELS, gamma=0.1, alpha=0.1).fit(graphs, y[:, 0]).estimators_
    folds = [(np.arange(100), np.arange(100, 152))]
    with pytest.raises(ValueError, match="names positions among all graphs, but some graphs have no value"):
        wg.GraphRegressor(LABELS, cv=folds, calibration=0).fit(graphs, gaps)
    with pytest.raises(ValueError, match="3 different names, one for each target"):
        wg.GraphRegressor(LABELS).fit(graphs, gaps, target_name=["a", "b"])
    again = model.fit(graphs, y[:, 0])
    assert again.predict(graphs).shape == (len(graphs),)


def test_many_new_graphs_are_predicted_in_parts(drugs, gaps, monkeypatch):
    graphs, _, _ = drugs
    model = wg.GraphRegressor(LABELS, gamma=0.1, alpha=0.1).fit(graphs, gaps)
    whole, said = model.predict(graphs), model.predictions(graphs)
    monkeypatch.setattr("wassergraph.models.training_graphs._MAX_DISTANCES", 50 * len(graphs))
    np.testing.assert_allclose(model.predict(graphs), whole, rtol=1e-9)
    for one, other in zip(model.predictions(graphs), said, strict=True):
        np.testing.assert_allclose(one.lower, other.lower, rtol=1e-9)
        assert one.neighbors.unseen.tolist() == other.neighbors.unseen.tolist()
    assert model.predict(graphs[:0]).shape == (0, 3)


# Sharing


def test_targets_that_share_information(drugs, tmp_path):
    """A target with few numbers is predicted better by another that goes together with it."""
    graphs, y, _ = drugs
    random = np.random.default_rng(3)
    table = np.column_stack([y[:, 0], 2 * y[:, 0] + 0.02 * random.normal(size=len(y))])
    table[random.permutation(len(y))[:110], 1] = np.nan
    model = wg.GraphGaussianProcess(LABELS, share_targets=True).fit(graphs, table, target_name=["many", "few"])
    few = model.estimators_[1].sharing_
    assert few.helps
    assert few.known_graphs < few.new_graphs < few.alone
    assert few.correlations["many"] > 0.9
    assert "other targets help" in str(few)
    missing = np.isnan(table[:, 1])
    alone = wg.GraphGaussianProcess(LABELS).fit(graphs, table)
    errors = [np.abs(each.predict(graphs[missing])[:, 1] - 2 * y[missing, 0]).mean() for each in (model, alone)]
    assert errors[0] < errors[1]
    model.save(tmp_path / "m.wgm")
    again = wg.load_model(tmp_path / "m.wgm")
    for one, other in zip(again.predict(graphs, return_std=True), model.predict(graphs, return_std=True), strict=True):
        np.testing.assert_array_equal(one, other)
    assert [each.sharing_ for each in again.estimators_] == [each.sharing_ for each in model.estimators_]
    explanation = again.estimators_[1].explain(graphs[0])
    assert explanation.node_scores.sum() == pytest.approx(again.predict(graphs[0])[0, 1])


def test_sharing_does_not_depend_on_the_unit_of_weights(drugs):
    graphs, y, families = drugs
    weights = np.random.default_rng(5).uniform(0.5, 2.0, size=len(graphs))
    table = np.column_stack([y[:, 0], y[:, 0] + 0.2 * y[:, 2]])
    models = [
        wg.GraphGaussianProcess(LABELS, share_targets=True).fit(graphs, table, sample_weight=unit * weights)
        for unit in (1.0, 1024.0)
    ]
    np.testing.assert_allclose(models[0].predict(graphs), models[1].predict(graphs), rtol=1e-6)
    grouped = wg.GraphGaussianProcess(LABELS, share_targets=True).fit(graphs, table, groups=families)
    plain = wg.GraphGaussianProcess(LABELS, share_targets=True).fit(graphs, table)
    assert grouped.estimators_[0].sharing_.new_graphs > plain.estimators_[0].sharing_.new_graphs


def test_a_rare_target_is_in_the_sample(drugs, monkeypatch):
    monkeypatch.setattr("wassergraph.models.shared_process._SAMPLE", 60)
    graphs, y, _ = drugs
    table = np.column_stack([y[:, 0], 3 + 2 * y[:, 0]])
    rare = np.random.default_rng(6).permutation(len(y))[:12]
    table[np.setdiff1d(np.arange(len(y)), rare), 1] = np.nan
    model = wg.GraphGaussianProcess(LABELS, share_targets=True).fit(graphs, table)
    assert np.corrcoef(model.predict(graphs)[:, 1], y[:, 0])[0, 1] > 0.9


def test_one_target_cannot_share(drugs):
    graphs, y, families = drugs
    with pytest.raises(ValueError, match="share_targets=True needs two targets of numbers or more; remove it"):
        wg.GraphGaussianProcess(LABELS, share_targets=True).fit(graphs, y[:, 0])
    known = read_several([[a, b] for a, b in zip(y[:, 0], families, strict=True)], len(graphs))
    with pytest.raises(ValueError, match="share_targets=True needs two targets of numbers or more"):
        TargetModels.fit(
            [wg.GraphGaussianProcess(LABELS, share_targets=True), wg.GraphClassifier(LABELS)], graphs, known
        )


# Beside columns, and with bounds


def test_targets_beside_columns_are_learned_as_alone(drugs, gaps, tmp_path):
    graphs, y, _ = drugs
    random = np.random.default_rng(4)
    columns = {"heat": random.normal(size=len(graphs)), "acid": random.normal(size=len(graphs))}
    for table in (y + columns["heat"][:, None], gaps + columns["heat"][:, None]):
        model = wg.GraphRegressor(LABELS, alpha=(0.01, 0.1)).fit(graphs, table, columns=columns)
        predicted = model.predict(graphs, columns=columns)
        assert all(found.best_params_["column_weight"] > 0 for found in model.estimators_[:2])
        if not np.isnan(table).any():
            for number, found in enumerate(model.estimators_):
                alone = wg.GraphRegressor(LABELS, alpha=(0.01, 0.1)).fit(graphs, table[:, number], columns=columns)
                assert_same_model(found, alone)
                np.testing.assert_array_equal(predicted[:, number], alone.predict(graphs, columns=columns))
        assert model.score(graphs, table, columns=columns) > 0.6
        model.save(tmp_path / "m.wgm")
        np.testing.assert_array_equal(wg.load_model(tmp_path / "m.wgm").predict(graphs, columns=columns), predicted)
    with pytest.raises(ValueError, match="the model was trained with"):
        model.predict(graphs)
    with pytest.raises(ValueError, match="share_targets=True does not use columns"):
        wg.GraphGaussianProcess(LABELS, share_targets=True).fit(graphs, y, columns=columns)


def test_bounds_of_several_targets(drugs):
    graphs, y, _ = drugs
    limits = np.quantile(y[:, :2], 0.7, axis=0)
    table, signs = np.minimum(y[:, :2], limits), np.where(y[:, :2] > limits, ">", "=")
    signs[:, 1] = "="
    model = wg.GraphGaussianProcess(LABELS).fit(graphs, table, censored=signs)
    alone = wg.GraphGaussianProcess(LABELS).fit(graphs, table[:, 0], censored=signs[:, 0])
    np.testing.assert_array_equal(model.predict(graphs)[:, 0], alone.predict(graphs))
    assert model.estimators_[1].censored_ is None
    with pytest.raises(ValueError, match="share_targets=True does not learn from bounds"):
        wg.GraphGaussianProcess(LABELS, share_targets=True).fit(graphs, table, censored=signs)
    with pytest.raises(ValueError, match="for 152 graphs and 2 targets which numbers are bounds, got the shape"):
        wg.GraphGaussianProcess(LABELS).fit(graphs, table, censored=signs[:, 0])


def test_what_is_missing_in_a_part(drugs):
    """A target that few graphs have gets no intervals, and counts in scores where it has values."""
    graphs, y, _ = drugs
    table = y[:, :2].copy()
    table[8:, 1] = np.nan
    model = wg.GraphRegressor(LABELS, gamma=0.1, alpha=0.1, cv=2).fit(graphs, {"a": table[:, 0], "b": table[:, 1]})
    assert model.target_name_ == ["a", "b"]
    intervals = model.predict_interval(graphs[:5])
    assert np.isfinite(intervals[:, 0]).all()
    assert np.isnan(intervals[:, 1]).all()
    assert model.score(graphs[20:], table[20:]) == model.estimators_[0].score(graphs[20:], table[20:, 0])
    with pytest.raises(ValueError, match="no graph has a value of a target"):
        model.score(graphs, np.full(table.shape, np.nan))
    with pytest.raises(ValueError, match=r"y has the shape \(152,\), but there are several targets"):
        model.score(graphs, table[:, 0])
    with pytest.raises(ValueError, match=r"y has the shape \(152, 0\)"):
        wg.GraphRegressor(LABELS).fit(graphs, np.zeros((152, 0)))


def test_warnings_name_the_target(drugs):
    graphs, y, _ = drugs
    rare = np.where(np.arange(len(y)) < 3, "few", "many")
    table = [[a, b] for a, b in zip(np.where(y[:, 0] > 3, "large", "small"), rare, strict=True)]
    with pytest.warns(UserWarning, match="target 'target 2': the class 'few' has 3 graphs, fewer than the 5 folds"):
        wg.GraphClassifier(LABELS, C=1.0).fit(graphs, table)
