"""Nested cross-validation of any method: equal to loops written out, the same folds for all, friendly errors."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

import wassergraph as wg
from command_line import run
from cross_validation import cross_validate_distances
from made_metrics import evaluate
from svm_reference import Reference, new_svc, predict, unclear
from wassergraph.evaluation.evaluation import Evaluation
from wassergraph.evaluation.methods import METHODS
from wassergraph.evaluation.planning import applicable_methods
from wassergraph.evaluation.preparation import Preparation
from wassergraph.evaluation.row import OtherFeatures
from wassergraph.evaluation.trial import MANY_GRAPHS
from wassergraph.metrics.node_embedding import Features
from wassergraph.reproduction.setups import paper_setups
from wassergraph.scores.tasks import ClassTask
from wassergraph.tuning.grid import ATTRIBUTE_C_VALUES

FEW = {"folds": 3, "inner_folds": 2}
FLAGS = ("--folds", "3", "--inner-folds", "2")


@pytest.fixture(scope="module")
def demo():
    return wg.load_dataset("demo")


def bare(graphs, *names):
    return replace(graphs, **dict.fromkeys(names))


@pytest.mark.parametrize("seed", [0, 3])
def test_wwl_is_that_of_distances_computed_once(demo, seed):
    graphs, y = demo
    report = evaluate(graphs, y, search="metric", folds=4, inner_folds=3, random_state=seed)
    distances = wg.distances(graphs, metric=wg.WWL(depth=range(8), kind="continuous", standardize=True))
    model = wg.GraphClassifier(cv=3)
    given = wg.evaluate(None, y, model=model, folds=wg.Folds(4, random_state=seed), distances=distances)
    expected = cross_validate_distances(distances, y, cv=4, inner_cv=3, random_state=seed)
    for row in (given.rows["wwl"], report.rows["wwl"]):
        np.testing.assert_array_equal(row.accuracy, expected.accuracy[None])
        assert row.parameters == [expected.parameters]
    assert report.majority == given.majority
    assert (row.mean, row.std) == pytest.approx((expected.accuracy.mean(), expected.accuracy.std()))
    assert (row.kind, row.features, row.standardized) == ("continuous", "node attributes", True)


def test_kernel_agrees_with_a_loop_of_scikit_learn(demo):
    graphs, y = demo
    report = evaluate(graphs, y, method="rbf-wl", folds=3, inner_folds=3, repetitions=2, random_state=5)
    row = report.rows["rbf-wl"]
    kernels = [wg.baselines.RBFWL(depth, standardize=True).fit_transform(graphs) for depth in range(8)]
    kernels = [kernel / kernel.diagonal().mean() for kernel in kernels]
    for repetition, seed in enumerate((5, 6)):
        outer = StratifiedKFold(3, shuffle=True, random_state=seed)
        for fold, (train, test) in enumerate(outer.split(graphs, y)):
            inner = list(StratifiedKFold(3, shuffle=True, random_state=seed).split(train, y[train]))
            chosen = row.parameters[repetition][fold]
            place = chosen["depth"], ATTRIBUTE_C_VALUES.index(chosen["C"])
            among = [kernel[np.ix_(train, train)] for kernel in kernels]
            assert Reference(among, y[train], ATTRIBUTE_C_VALUES, inner).may_choose(place)
            predicted, doubtful = predict(new_svc(chosen["C"]), kernels[chosen["depth"]], y, train, test)
            expected = np.mean(predicted == y[test])
            assert row.accuracy[repetition, fold] == pytest.approx(expected, abs=doubtful.mean() + 1e-12)
            assert doubtful.mean() < 0.5


@pytest.mark.parametrize(
    "metric",
    [
        *(wg.WWL(kind=kind, standardize=False) for kind in ("categorical", "continuous", "joint")),
        [wg.WWL(depth=2, kind="categorical", mass="count"), wg.WWL(depth=[0, 1], kind="continuous", standardize=False)],
    ],
    ids=["categorical", "continuous", "joint", "several metrics"],
)
def test_wwl_is_the_classifier_that_ships(demo, metric):
    """Nested cross-validation of GraphClassifier chooses the same parameters and predicts the same classes.

    Parameters are chosen by the same code on the same distances. The last fit is by another solver, so that graphs
    whose decisions are nearer to 0 than the tolerance of the solvers may be classified differently.
    """
    graphs, y = demo
    model = wg.GraphClassifier(metric, search="metric", cv=3, random_state=1)
    row = wg.evaluate(graphs, y, model=model, folds=wg.Folds(4, random_state=1)).rows["wwl"]
    folds, doubts = StratifiedKFold(4, shuffle=True, random_state=1).split(np.zeros(len(y)), y), []
    for fold, (train, test) in enumerate(folds):
        model = clone(model).fit(graphs[train], y[train])
        assert row.parameters[0][fold] == model.best_params_
        doubts.append(unclear(model._decisions(graphs[test])).mean())
        expected = np.mean(model.predict(graphs[test]) == y[test])
        assert row.accuracy[0, fold] == pytest.approx(expected, abs=doubts[-1] + 1e-12)
    assert np.mean(doubts) < 0.25


def test_models_are_compared_by_name(demo):
    graphs, y = demo
    models = {
        "labels": wg.GraphClassifier(wg.WWL(depth=[0, 1], kind="categorical"), cv=3),
        "both": wg.GraphClassifier(wg.WWL(depth=1, kind="joint"), cv=3),
    }
    found = wg.evaluate(graphs, y, ["wl", "wwl"], model=models, folds=3)
    assert list(found.rows) == ["wl", "labels", "both"]
    assert [row.title for row in found.rows.values()] == ["WL", "labels", "both"]
    for name, model in models.items():
        alone = wg.evaluate(graphs, y, model=model, folds=3).rows["wwl"]
        np.testing.assert_array_equal(found.rows[name].accuracy, alone.accuracy)
        assert found.rows[name].parameters == alone.parameters


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({"wl": wg.GraphClassifier()}, "'wl' is the name of a method; give the model another name"),
        (
            {"a": wg.GraphClassifier(cv=3), "b": wg.GraphClassifier(cv=4)},
            "all models must have the same cv, but 'b' differs",
        ),
        ({"a": wg.GraphClassifier(), "b": wg.GraphRegressor()}, "all models must be of one class"),
        ({"a": wg.GraphClassifier(), "b": 3}, "model must be a GraphClassifier, GraphRegressor or .*, got 3"),
        ({}, "model must be a GraphClassifier, GraphRegressor or .*, got {}"),
    ],
)
def test_models_by_name_are_checked(demo, models, message):
    with pytest.raises((TypeError, ValueError), match=message):
        wg.evaluate(*demo, model=models, folds=3)


def test_the_default_is_what_the_classifier_fits(demo):
    """The default of evaluate makes the search of GraphClassifier: it chooses from the same ways to compare graphs."""
    graphs, y = demo
    row = evaluate(graphs, y, folds=3, inner_folds=3).rows["wwl"]
    model = wg.GraphClassifier(cv=3).fit(graphs, y)
    assert model.search_ == "wide"
    for chosen in row.parameters[0]:
        assert set(chosen) == set(model.best_params_)
    paper = evaluate(graphs, y, search="metric", folds=3, inner_folds=3).rows["wwl"]
    assert set(paper.parameters[0][0]) == {"depth", "gamma", "C"}
    assert set(evaluate(graphs, y, depth=1, folds=3, inner_folds=3).rows["wwl"].parameters[0][0]) == set(
        paper.parameters[0][0]
    )


def test_weights_of_sizes_are_chosen_in_the_folds():
    """Classes that differ in nothing but the number of equal nodes are told apart by the size term alone."""
    sizes, y = [3, 12] * 12, [0, 1] * 12
    graphs = wg.from_edges([np.empty((0, 2), int)] * 24, n_nodes=sizes, node_labels=[[0] * n for n in sizes])
    model = wg.GraphClassifier(wg.WWL(depth=0, kind="categorical", size_weight="auto"), [0.1, 1.0], [1.0, 100.0], cv=3)
    found = wg.evaluate(graphs, y, model=model, folds=4).rows["wwl"]
    assert found.mean == 1
    assert {chosen["size_weight"] for chosen in found.parameters[0]} == {model.fit(graphs, y).scheme_.size_weight}
    assert wg.evaluate(graphs, y, model=model.set_params(metric__size_weight=0.0), folds=4).rows["wwl"].mean == 0.5


def test_results_of_a_method_do_not_depend_on_the_others(demo):
    graphs, y = demo
    both = evaluate(graphs, y, method=["wl", "v"], **FEW)
    alone = evaluate(graphs, y, method="v", **FEW)
    np.testing.assert_array_equal(both.rows["v"].accuracy, alone.rows["v"].accuracy)
    assert list(both.rows) == ["wl", "v"]
    assert list(evaluate(graphs, y, method=["v", "v"], **FEW).rows) == ["v"]


def test_it_is_the_same_every_time_with_any_number_of_threads(demo, tmp_path):
    graphs, y = demo
    first = evaluate(graphs, y, method="wl", cache=tmp_path / "matrices", **FEW)
    for options in ({"n_jobs": 2}, {"cache": str(tmp_path / "matrices")}):
        again = evaluate(graphs, y, method="wl", **FEW, **options)
        np.testing.assert_array_equal(again.rows["wl"].accuracy, first.rows["wl"].accuracy)
        assert again.rows["wl"].parameters == first.rows["wl"].parameters
    assert len(list((tmp_path / "matrices").glob("*.npz"))) == 1


def test_repetitions_have_seeds_that_follow_each_other(demo):
    graphs, y = demo
    report = evaluate(graphs, y, method="wl", repetitions=3, random_state=2, **FEW)
    row = report.rows["wl"]
    assert row.accuracy.shape == (3, 3)
    for repetition, seed in enumerate((2, 3, 4)):
        alone = evaluate(graphs, y, method="wl", random_state=seed, **FEW).rows["wl"]
        np.testing.assert_array_equal(row.accuracy[repetition], alone.accuracy[0])
        assert row.parameters[repetition] == alone.parameters[0]
    assert row.std == pytest.approx(row.accuracy.mean(axis=1).std())
    assert report.std_over == "repetitions"
    assert "repeated 3 times with new random folds" in str(report)
    assert "standard deviation over 3 repetitions" in str(report)


def test_table_and_json(demo):
    graphs, y = demo
    names = np.array(["ring", "pairs", "fours"])[y]
    report = evaluate(graphs, names, method=["wwl+joint", "v", "e"], **FEW)
    lines = str(report).splitlines()
    assert lines[0] == "60 graphs, 3 classes"
    header = "method uses accuracy in % matrices selection test most frequent choice (folds)"
    assert " ".join(lines[2].split()) == header
    starts = [
        "WWL + joint    node labels and node attributes",
        "V              node labels",
        "E              number of",
    ]
    assert [line[: len(start)] for line, start in zip(lines[3:6], starts, strict=True)] == starts
    assert f"{100 * report.rows['v'].mean:.2f} ± {100 * report.rows['v'].std:5.2f}" in lines[4]
    parameters, times = report.rows["wwl+joint"].most_frequent_choice()
    assert f"depth = {parameters['depth']}, gamma = " in lines[3]
    assert lines[3].endswith(f"({times} of 3)")
    assert lines[6].split() == ["largest", "class", "33.33"]
    content = json.loads(json.dumps(report.to_dict()))
    assert content["classes"] == {"fours": 20, "pairs": 20, "ring": 20}
    assert {"commit", "versions", "majority_class", "std_over", "random_state"} <= content.keys()
    assert content["methods"]["v"]["accuracy"] == report.rows["v"].accuracy.tolist()
    assert content["methods"]["v"]["seconds"].keys() == {"matrices", "selection", "training and test"}
    assert [row["features"] for row in content["methods"].values()] == [
        "node labels and node attributes",
        "node labels",
        "number of edges",
    ]
    assert len(content["methods"]["wwl+joint"]["parameters"][0]) == 3
    assert list(report.accuracies) == ["WWL + joint", "V", "E"]


def test_notes_below_the_table(demo):
    report = evaluate(*demo, method=["v", "vh-c"], **FEW)
    assert str(report).splitlines()[-4:] == [
        "Nested cross-validation with 3 outer folds, the same for every method.",
        "Parameters are chosen with 2 inner folds on the training part of each outer fold.",
        "± is the standard deviation over 3 folds.",
        "Attributes were standardized for VH-C.",
    ]
    raw = evaluate(*demo, method=["v", "vh-c"], standardize=False, **FEW)
    assert str(raw).endswith("\nAttributes were not standardized for VH-C.")


def test_unsolved_candidates_are_reported(demo):
    report = evaluate(*demo, method="v", **FEW)

    def with_unsolved(number) -> Evaluation:
        row = report.rows["v"]
        repetition = replace(row.repetitions[0], unsolved=number)
        return replace(report, rows={"v": replace(row, repetitions=(repetition,))})

    text = str(with_unsolved(1))
    assert text.endswith("\nV: 1 candidate left out of an inner fold, since a fit took too many steps.")
    assert "2 candidates left out" in str(with_unsolved(2))
    assert "left out" not in str(report)


def test_note_on_many_graphs(demo):
    note = "Candidates far behind the best after an inner fold were not evaluated on the next ones."
    report = evaluate(*demo, method="v", **FEW)

    def of_size(n_graphs) -> Evaluation:
        return replace(report, task=ClassTask(np.array([0, 1]), np.arange(n_graphs) % 2))

    assert note not in str(of_size(MANY_GRAPHS)).splitlines()
    assert note in str(of_size(MANY_GRAPHS + 1)).splitlines()


def test_kind_and_features_of_each_method(demo):
    graphs, y = demo
    plain = bare(graphs, "node_labels", "node_attributes", "edge_weights")
    labeled = bare(graphs, "node_attributes", "edge_weights")

    def compared(batch, *methods, **options):
        rows = evaluate(batch, y, method=methods, search="metric", **FEW, **options).rows.values()
        return [(row.kind, row.features, row.standardized) for row in rows]

    labels, attributes = ("categorical", "node labels", False), ("continuous", "node attributes", True)
    assert compared(graphs, "wwl", "v", "vh-c") == [attributes, labels, attributes]
    assert compared(graphs, "vh-c", standardize=False) == [("continuous", "node attributes", False)]
    assert compared(labeled, "wwl", "vh-c") == [labels, ("continuous", "one-hot labels", True)]
    degrees = ("continuous", "degrees", False)
    assert compared(plain, "wwl", "v", "vh-c") == [degrees, ("categorical", "degrees", False), degrees]
    assert compared(graphs, "wwl", kind="categorical") == [labels]


def test_all_is_every_method_that_applies(demo):
    graphs, _ = demo
    labels, attributes = ["v", "wl", "wl-oa"], ["vh-c", "rbf-wl", "hgk-wl", "hgk-sp", "gh"]
    assert applicable_methods(graphs) == [*labels, *attributes, "wwl"]
    assert applicable_methods(bare(graphs, "node_attributes")) == [*labels, "wwl"]
    assert applicable_methods(bare(graphs, "node_labels")) == [*attributes, "wwl"]
    assert applicable_methods(bare(graphs, "node_labels", "node_attributes")) == [*attributes, "wwl"]
    assert applicable_methods(graphs, "joint") == ["wwl"]
    molecules = wg.from_smiles(["CCO", "CC=O"])
    assert applicable_methods(molecules) == ["v", "e", "wl", "wl-oa", *attributes, "wwl"]
    assert applicable_methods(bare(molecules, "node_attributes")) == ["v", "e", "wl", "wl-oa", "wwl"]
    report = evaluate(graphs, demo[1], method="all", kind="categorical", **FEW)
    assert list(report.rows) == [*labels, "wwl"]


def test_method_names_are_accepted_in_any_case(demo):
    report = evaluate(*demo, method=["WL", "Wwl+JOINT"], folds=2, inner_folds=2)
    assert list(report.rows) == ["wl", "wwl+joint"]


def test_default_folds_shrink_to_what_the_classes_allow(demo):
    graphs, y = demo
    few = np.concatenate([np.flatnonzero(y == c)[:size] for c, size in enumerate((4, 4, 4))])
    outer, inner = "^4 folds instead of 10, since no class has more graphs to split", "^3 inner folds instead of 5"
    with pytest.warns(UserWarning, match=outer), pytest.warns(UserWarning, match=inner):
        report = evaluate(graphs[few], y[few], method="v")
    assert (report.folds, report.inner_folds) == (4, 3)
    assert report.rows["v"].accuracy.shape == (1, 4)
    with pytest.raises(
        ValueError, match="folds must be from 2 to 4, the number of graphs in the largest class, got 10"
    ):
        evaluate(graphs[few], y[few], method="v", folds=10)


def test_default_folds_are_ten_and_five_where_they_fit(demo):
    reports = [evaluate(*demo, method="v", **folds) for folds in ({}, {"folds": 10, "inner_folds": 5})]
    assert (reports[0].folds, reports[0].inner_folds) == (10, 5)
    np.testing.assert_array_equal(*(report.rows["v"].accuracy for report in reports))


@pytest.mark.parametrize("last", [False, True])
def test_all_can_be_combined_with_variants_and_methods(demo, last):
    graphs, y = demo[0][:18], demo[1][:18]
    named = ["wwl+joint", "v"]
    report = evaluate(graphs, y, method=[*named, "all"] if last else ["all", *named], folds=2, inner_folds=2)
    every = applicable_methods(graphs)
    rest = [name for name in every if name not in named]
    assert list(report.rows) == ([*named, *rest] if last else [*every, "wwl+joint"])
    assert report.rows["wwl+joint"].kind == "joint"
    assert report.rows["wwl"].kind == "continuous"
    assert all(np.isfinite(row.accuracy).all() and row.accuracy.shape == (1, 2) for row in report.rows.values())


def test_graphs_without_edges_are_evaluated():
    sizes = [1, 2, 3, 4] * 3
    graphs = wg.from_edges([[]] * 12, n_nodes=sizes, node_labels=[[0] * size for size in sizes])
    report = evaluate(graphs, [0, 0, 0, 1] * 3, method=["e", "hgk-sp"], folds=3, inner_folds=2)
    assert report.majority == 0.75
    for row in report.rows.values():
        np.testing.assert_array_equal(row.accuracy, [[0.75] * 3])  # a kernel of zeros knows the largest class only


def test_data_sets_of_the_paper_are_prepared_as_in_the_paper(data_home):
    assert paper_setups("demo") == {}
    assert paper_setups("ENZYMES").keys() == {"categorical", "continuous"}
    graphs, y = wg.load_dataset("BZR_MD", data_home=data_home)
    report = evaluate(graphs, y, method=["vh-c", "v"], preparation=paper_setups("BZR_MD"), **FEW)
    assert [(row.kind, row.features, row.standardized) for row in report.rows.values()] == [
        ("continuous", Features.ONE_HOT_LABELS, True),
        ("categorical", Features.NODE_LABELS, False),
    ]
    graphs, y = wg.load_dataset("BZR", data_home=data_home)
    report = evaluate(graphs, y, method="vh-c", preparation=paper_setups("BZR"), **FEW)
    assert not report.rows["vh-c"].standardized


def test_preparation(demo):
    graphs, y = demo
    preparation = Preparation(lambda batch: bare(batch, "node_labels"), standardize=False)
    report = evaluate(graphs, y, method=["v", "vh-c"], preparation=preparation, **FEW)
    assert [row.features for row in report.rows.values()] == [Features.DEGREES, Features.NODE_ATTRIBUTES]
    assert not report.rows["vh-c"].standardized
    expected = evaluate(bare(graphs, "node_labels"), y, method="v", **FEW)
    np.testing.assert_array_equal(report.rows["v"].accuracy, expected.rows["v"].accuracy)
    automatic = evaluate(graphs, y, method="vh-c", preparation=replace(preparation, standardize="auto"), **FEW)
    assert automatic.rows["vh-c"].standardized
    forced = evaluate(graphs, y, method="vh-c", preparation=preparation, standardize=True, **FEW)
    assert forced.rows["vh-c"].standardized


def test_edge_features():
    graphs = wg.from_smiles(["CCO", "CC=O", "CCC", "C=CC"] * 3)
    report = evaluate(graphs, [0, 1, 0, 1] * 3, method=["e", "e+gaussian"], folds=3, inner_folds=2)
    assert [row.features for row in report.rows.values()] == [OtherFeatures.EDGE_LABELS] * 2


def test_graphs_of_any_kind():
    alcohols, rings = ["CCO", "CCCO", "CCCCO", "CC(C)O"], ["c1ccccc1", "Cc1ccccc1", "CCc1ccccc1", "CCCc1ccccc1"]
    report = evaluate(alcohols + rings, ["alcohol"] * 4 + ["ring"] * 4, method="wl", folds=2, inner_folds=2)
    assert report.rows["wl"].mean == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"method": "nope"},
            f"method must be one of {', '.join(METHODS)}, all, or a variant such as wwl+joint, got 'nope'",
        ),
        ({"method": "WL-AO"}, "or a variant such as wwl+joint, got 'WL-AO'; did you mean 'wl-oa'?"),
        ({"method": "wwl+nope"}, "WWL has no variant 'nope'; choose method from wwl+svc"),
        ({"method": []}, "there is no method to evaluate"),
        ({"kind": "both"}, "kind must be one of"),
        ({"standardize": "perhaps"}, "standardize must be True, False or \"auto\", got 'perhaps'"),
        ({"repetitions": 0}, "repetitions must be at least 1, got 0"),
        ({"random_state": -1}, "random_state must be at least 0, got -1"),
        ({"folds": 1}, "folds must be at least 2, got 1"),
        ({"folds": 21}, "folds must be from 2 to 20, the number of graphs in the largest class, got 21"),
        ({"inner_folds": 19}, "cv must be from 2 to 18, the number of graphs in the largest class in the"),
    ],
)
def test_errors_are_raised_before_the_first_method_runs(demo, tmp_path, options, message):
    cache = tmp_path / "matrices"
    methods = options.get("method", "wwl")
    named = {"method": methods if methods == [] else ["v", methods]}
    with pytest.raises(ValueError, match=re.escape(message)):
        evaluate(*demo, **{**options, **named}, cache=cache)
    assert not cache.exists()


def test_graphs_and_classes_that_cannot_be_evaluated(demo):
    graphs, y = demo
    with pytest.raises(ValueError, match="60 graphs, but 59 classes"):
        evaluate(graphs, y[:-1])
    with pytest.raises(ValueError, match="all graphs belong to the class 0"):
        evaluate(graphs[::3], y[::3])
    with pytest.raises(TypeError, match=r"folds must be a whole number, got 2\.5"):
        evaluate(graphs, y, folds=2.5)
    with pytest.raises(ValueError, match='kind="joint" needs node labels and node attributes'):
        evaluate(bare(graphs, "node_attributes"), y, method="wwl+joint")


@pytest.mark.parametrize(("folds", "needed"), [(2, 4), (3, 3), (10, 3)])
def test_rare_classes(demo, folds, needed):
    graphs, y = demo

    def with_rare(n):
        return np.where(np.arange(60) < n, 7, y % 2)

    message = f"the class 7 has {needed - 1} graphs, but nested cross-validation with {folds} folds needs {needed}; add"
    with pytest.raises(ValueError, match=message):
        evaluate(graphs, with_rare(needed - 1), method="v", folds=folds)
    if needed < folds:
        with pytest.warns(UserWarning, match="class 7 has 3 graphs, fewer than the 10 folds") as caught:
            evaluate(graphs, with_rare(needed), method="v", folds=folds)
        assert len(caught) == 1
    else:
        assert evaluate(graphs, with_rare(needed), method="v", folds=folds, inner_folds=2).folds == folds


def test_progress_names_the_methods(demo, capsys, monkeypatch):
    monkeypatch.setattr("wassergraph.parallel.stages.Stages.interval", 0.0)
    evaluate(*demo, method=["v", "wl"], progress=True, **FEW)
    err = capsys.readouterr().err
    assert "V: " in err
    assert "WL: cross-validation" in err
    assert err.count("\n") == 1


def test_the_command_prints_the_table_and_draws_it(capsys, tmp_path):
    plot = tmp_path / "accuracies.png"
    code, out, err = run(capsys, "evaluate", "demo", "--method", "wl", "v", *FLAGS, "--plot", plot)
    assert (code, err) == (0, f"Box plot written to {plot}\n")
    assert out.startswith("60 graphs, 3 classes\n\nmethod ")
    assert plot.read_bytes().startswith(b"\x89PNG")
    code, out, err = run(capsys, "evaluate", "demo", "--method", "v", *FLAGS, "--plot", plot, "--quiet")
    assert (code, err) == (0, "")
    assert "largest class" in out


def test_the_command_prints_json(capsys, demo):
    options = ("--json", "--repetitions", "2", "--random-state", "4", "--standardize", "no")
    code, out, _ = run(capsys, "evaluate", "demo", "--method", "vh-c", *FLAGS, *options)
    content = json.loads(out)
    assert code == 0
    assert {
        "data",
        "graphs",
        "classes",
        "majority_class",
        "folds",
        "inner_folds",
        "methods",
        "commit",
    } <= content.keys()
    expected = evaluate(*demo, method="vh-c", repetitions=2, random_state=4, standardize=False, folds=3, inner_folds=2)
    assert content["methods"]["vh-c"]["accuracy"] == expected.rows["vh-c"].accuracy.tolist()
    assert content["methods"]["vh-c"]["parameters"] == expected.rows["vh-c"].parameters
    assert content["methods"]["vh-c"]["standardized"] is False


def test_a_kind_is_for_the_methods_that_have_it(demo):
    graphs, y = demo
    model = wg.GraphClassifier(wg.WWL(depth=[0, 1], kind="joint"), cv=2)
    rows = wg.evaluate(graphs, y, ["wwl", "wl", "gh"], model=model, folds=3).rows
    assert [row.kind for row in rows.values()] == ["joint", "categorical", "continuous"]
    with pytest.raises(ValueError, match="GH is defined for the kind continuous, not for joint"):
        wg.evaluate(graphs, y, "gh", model=model)


def test_an_evaluation_follows_the_whole_metric(demo):
    graphs, y = demo
    metric = wg.WWL(
        depth=[1, 2], kind="joint", label_weight=0.3, isolated_nodes="keep", mass="count", unmatched_cost=0.7
    )
    metric.set_params(size_weight=0.1, degrees=True, standardize=True)
    model = wg.GraphClassifier(metric, gamma=[0.1, 1.0], C=[1.0, 10.0], cv=3)
    found = wg.evaluate(graphs, y, model=model, folds=4).rows["wwl"]
    distances = wg.distances(graphs, metric=metric)
    options = {"depth": [1, 2], "gamma": [0.1, 1.0], "C": [1.0, 10.0]}
    expected = cross_validate_distances(distances, y, **options, cv=4, inner_cv=3)
    np.testing.assert_array_equal(found.accuracy[0], expected.accuracy)
    assert found.parameters == [[{"mass": "count", **chosen} for chosen in expected.parameters]]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (wg.GraphClassifier(power=2.0), "an evaluation does not use power=2.0; remove it, or evaluate the model with"),
        (wg.GraphClassifier([wg.WWL(depth=1), 2]), "metric must be a WWL, such as"),
        (wg.GraphClassifier(wg.WWL(solver=wg.Sliced())), "an evaluation is exact, but the solver is sliced"),
        (wg.GraphClassifier(cv=StratifiedKFold(3)), "so that cv must be a number"),
        (wg.WWL(), "model must be a GraphClassifier, GraphRegressor or GraphGaussianProcess, got WWL"),
    ],
)
def test_models_that_cannot_be_evaluated(demo, model, message):
    with pytest.raises((TypeError, ValueError), match=message):
        wg.evaluate(*demo, model=model)


def test_command_prepares_data_sets_as_in_the_paper_on_request_only(capsys, data_home):
    command = ("evaluate", "BZR", "--data-home", data_home, "--method", "vh-c", *FLAGS, "--json")
    assert json.loads(run(capsys, *command)[1])["methods"]["vh-c"]["standardized"] is True
    _, out, err = run(capsys, *command, "--protocol", "paper")
    assert json.loads(out)["methods"]["vh-c"]["standardized"] is False
    assert err.startswith("These graphs are the data set BZR, and are prepared as in the paper.\n")
    forced = run(capsys, *command, "--protocol", "paper", "--standardize", "yes")[1]
    assert json.loads(forced)["methods"]["vh-c"]["standardized"] is True


def test_the_protocol_of_the_paper(capsys):
    command = ("evaluate", "demo", "--method", "wwl", "--folds", "3", "--cv", "2", "--json")
    graphs, y = wg.load_dataset("demo")
    found = json.loads(run(capsys, *command, "--protocol", "paper")[1])["methods"]["wwl"]
    model = wg.GraphClassifier(wg.paper_metric(), cv=2)
    expected = wg.evaluate(graphs, y, model=model, folds=3).rows["wwl"]
    assert (found["accuracy"], found["parameters"]) == (expected.accuracy.tolist(), expected.parameters)
    assert found["features"] == "node attributes"
    assert json.loads(run(capsys, *command)[1])["methods"]["wwl"]["features"] == "what the folds choose"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("demo", "--method", "nope"), "--method must be one of v, e, "),
        (
            ("demo", "--method", "v", "--kind", "joint"),
            "V is defined for the kind categorical, not for joint",
        ),
        (("demo", "--inner-folds", "1"), "must be at least 2"),
        (("demo", "--plot", "no/such/folder/a.png"), "there is no folder no/such/folder"),
        (("demo", "--plot", "a.txt"), "a.txt: the format of a picture is chosen by the ending of its name"),
        (("nothing/here",), "nothing/here: it does not exist"),
    ],
)
def test_errors_have_the_exit_code_2(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "evaluate", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_table_without_classes_raises(capsys, tmp_path):
    (tmp_path / "molecules.csv").write_text("name,smiles\nx,CCCCCO\ny,CCCCc1ccccc1\n")
    code, _, err = run(capsys, "evaluate", tmp_path / "molecules.csv")
    assert code == 2
    assert "there is no column of classes or numbers with a usual name, such as class or activity" in err
    assert "name it with --target: 'name'" in err


def test_metrics_that_differ_in_one_parameter_have_distances_of_their_own(demo, tmp_path):
    """Metrics of attributes with two scales, one after the other in a list, each with the distances of its own."""
    graphs, y = demo
    one, other = (wg.WWL(1, kind="joint", standardize=False, label_weight=weight) for weight in (0.1, 0.9))
    rows = [
        wg.evaluate(graphs, y, model=wg.GraphClassifier(metrics, cv=3), folds=3, cache=tmp_path / name).rows["wwl"]
        for name, metrics in (("both", [one, other]), ("turned", [other, one]))
    ]
    chosen = [[parameters["label_weight"] for parameters in row.parameters[0]] for row in rows]
    assert len(list((tmp_path / "both").glob("*.npz"))) == 2
    assert all(weight in (0.1, 0.9) for weights in chosen for weight in weights)
