"""Equal training graphs: their contributions are summed, and contradictions among their targets are counted."""

from __future__ import annotations

import json

import numpy as np
import pytest

import wassergraph as wg
from command_line import run
from made_metrics import with_metric
from wassergraph.models.equal_training import find_contradictions
from wassergraph.models.summary import training_summary, training_table

#: Ethanol twice with opposite classes, ethylamine three times, and others.
SMILES = ["CCO", "OCC", "CCN", "NCC", "C(C)N", "CCCO", "CCCN", "c1ccccc1", "c1ccccc1O", "CC(C)O", "CC(C)N"]
CLASSES = ["active", "inactive", "active", "inactive", "inactive", "active", "inactive", *["active", "inactive"] * 2]
NUMBERS = np.arange(11.0)
MODELS = {
    "svm": (wg.GraphClassifier(wg.WWL(depth=1), gamma=1.0, C=100.0, cv=2), CLASSES),
    "ridge": (wg.GraphRegressor(wg.WWL(depth=1), gamma=0.5, alpha=1e-3), NUMBERS),
    "svr": (wg.GraphRegressor(wg.WWL(depth=1), gamma=0.5, regressor="svr", C=100.0), NUMBERS),
    "gp": (wg.GraphGaussianProcess(wg.WWL(depth=1)), NUMBERS),
}


@pytest.mark.parametrize("kind", ["categorical", "continuous", "joint"])
@pytest.mark.parametrize("name", MODELS)
def test_groups_are_the_graphs_at_distance_zero_with_their_sums(name, kind):
    model, y = MODELS[name]
    model.set_params(metric__kind=kind).fit(SMILES, y, names=SMILES)
    explanation = model.explain("CCCCO")
    scheme = model.scheme_
    options = {"depth": 1, "kind": kind, "mass": scheme.mass, "standardize": scheme.standardized}
    equal = wg.distances(SMILES, **with_metric(**options)) <= 1e-9
    contributions = np.zeros(len(SMILES))
    contributions[explanation.positions] = explanation.contributions
    for group in explanation.groups:
        assert sorted(group.positions.tolist()) == np.flatnonzero(equal[group.positions[0]]).tolist()
        assert group.contribution == pytest.approx(contributions[group.positions].sum(), abs=1e-12)
        assert group.names.tolist() == [SMILES[position] for position in group.positions]
        assert group.targets.tolist() == [y[position] for position in group.positions]
        (row,) = np.flatnonzero(explanation.positions == group.positions[0])
        assert group.distance == explanation.distances[row]
    found = np.concatenate([group.positions for group in explanation.groups])
    assert len(set(found.tolist())) == len(found)
    assert set(explanation.positions.tolist()) <= set(found.tolist())
    nets = np.array([group.contribution for group in explanation.groups])
    assert (np.diff(np.abs(nets)) <= 0).all()
    assert explanation.base + nets.sum() == pytest.approx(explanation.value)
    np.testing.assert_allclose([group.share for group in explanation.groups], np.abs(nets) / np.abs(nets).sum())


def test_opposite_classes_of_one_graph_cancel():
    """Two copies of ethanol pull against each other with all of C; together they are worth next to nothing."""
    model = wg.GraphClassifier(wg.WWL(depth=1, kind="categorical", mass="share"), gamma=1.0, C=95.0, cv=2)
    model.fit(SMILES, CLASSES, names=[f"m{number}" for number in range(11)])
    explanation = model.explain("OCC", classes=("active", "inactive"))
    single = dict(zip(explanation.positions.tolist(), explanation.contributions, strict=True))
    similar = 1 - np.exp(-explanation.distances).mean()  # by how much more than on average
    assert (single[0], single[1]) == (pytest.approx(95.0 * similar), pytest.approx(-95.0 * similar))
    ethanol = next(group for group in explanation.groups if 0 in group.positions)
    assert similar > 0.1
    assert abs(ethanol.contribution) < 1e-6
    assert ethanol.title.endswith(" (+1 equal graph)")
    assert ethanol.target_text(numbers=False) in ("active: 1, inactive: 1", "inactive: 1, active: 1")


def test_rows_of_the_table_sum_to_the_value():
    model, y = MODELS["ridge"]
    explanation = model.set_params(metric__kind="categorical").fit(SMILES, y, names=SMILES).explain("CCCCN")
    assert len(explanation.groups) > 5
    lines = str(explanation).split("\n\n")[1].splitlines()[1:]
    left = sum(len(group.positions) for group in explanation.groups[5:])
    assert lines[5].startswith(f"{left} other training graphs ")
    assert lines[6].split()[0] == "base"
    cells = [line.removesuffix("%").split() for line in lines]
    contributions = [float(cells[row][-2 if row < 6 else -1]) for row in range(7)]
    assert sum(contributions) == pytest.approx(explanation.value, abs=0.01)
    assert sum(float(each[-1]) for each in cells[:6]) == pytest.approx(100, abs=0.4)
    assert "2 to 4" in str(explanation)
    assert "are one row" in str(explanation)
    groups = json.loads(json.dumps(explanation.to_dict()))["groups"]
    assert groups[0] == explanation.groups[0].to_dict()
    assert "other training graphs" in explanation._repr_html_()


def test_contradictions_limit_what_can_be_learned():
    """The limits are those of the best constant for each group of equal graphs, tried one by one."""
    rng = np.random.default_rng(0)
    groups = [np.array([0, 3, 4, 9]), np.array([1, 2]), np.array([5, 6, 7])]
    alone = [np.array([8])]
    for _ in range(10):
        classes, numbers = rng.integers(0, 3, 10), rng.normal(size=10)
        found = find_contradictions(groups, classes, numbers=False)
        right = sum(max(np.sum(classes[each] == guess) for guess in range(3)) for each in groups + alone)
        assert found.best_accuracy == pytest.approx(right / 10)
        assert found.n_groups == sum(len(set(classes[each].tolist())) > 1 for each in groups)
        errors = np.concatenate([numbers[each] - numbers[each].mean() for each in groups + alone])
        assert find_contradictions(groups, numbers, numbers=True).least_rmse == pytest.approx(
            np.sqrt(np.mean(errors**2))
        )
    floats = np.array([0.0, 1.0] * 5)  # classes may be floats, too
    assert find_contradictions(groups, floats, numbers=False).least_rmse is None


def test_a_model_counts_contradictions():
    model, y = MODELS["svm"]
    model.set_params(metric__kind="joint").fit(SMILES, y)
    expected = {"n_groups": 2, "n_graphs": 5, "best_accuracy": pytest.approx(9 / 11), "least_rmse": None}
    assert training_summary(model)["contradictions"] == expected
    sentence = (
        "2 groups of equal graphs with different classes, 5 graphs: accuracy at most 81.82% on the training graphs"
    )
    assert sentence in training_table(model)
    model.fit(SMILES, ["active" if "O" in each else "inactive" for each in SMILES])
    assert training_summary(model)["contradictions"]["n_groups"] == 0
    assert "contradictions" not in training_table(model)
    gp, numbers = MODELS["gp"]
    gp.set_params(metric__kind="joint").fit(SMILES, numbers)
    assert training_summary(gp)["contradictions"]["least_rmse"] == pytest.approx(np.sqrt(2.5 / 11))
    assert "RMSE at least 0.4767 on the training graphs" in training_table(gp)


def test_train_tells_of_contradictions(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    rows = [f"{smiles},{name}" for smiles, name in zip(SMILES, CLASSES, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["smiles,class", *rows]))
    few = ("--depth", "1", "--gamma", "1", "-C", "1", "--cv", "2")
    code, out, _ = run(capsys, "train", "t.csv", "-o", "m.wgm", *few)
    assert code == 0
    assert "2 groups of equal graphs with different classes" in out
    code, out, _ = run(capsys, "train", "t.csv", "-o", "m.wgm", *few, "--json")
    assert json.loads(out[out.index("{") :])["contradictions"]["n_graphs"] == 5
