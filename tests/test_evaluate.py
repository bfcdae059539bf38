"""Nested cross-validation of any method: equal to loops written out, the same folds for all, friendly errors."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

import wassergraph as wg
from test_cli import run
from wassergraph.evaluation.evaluate import fitting_methods, paper_setups
from wassergraph.evaluation.methods import METHODS
from wassergraph.learning.grid import ATTRIBUTE_C_VALUES
from wassergraph.reproduction.setups import Setup

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
    report = wg.evaluate(graphs, y, folds=4, inner_folds=3, random_state=seed)
    distances = wg.wwl_distances(graphs, depth=range(8), kind="continuous", standardize=True)
    expected = wg.evaluate_distances(distances, y, cv=4, inner_cv=3, random_state=seed)
    row = report.rows["wwl"]
    np.testing.assert_array_equal(row.accuracy, expected.accuracy[None])
    assert row.parameters == [expected.parameters]
    assert report.majority == expected.majority
    assert (row.mean, row.std) == (expected.accuracy.mean(), expected.accuracy.std())
    assert (row.kind, row.features, row.standardized) == ("continuous", "node attributes", True)


def test_a_kernel_is_that_of_a_loop_with_scikit_learn(demo):
    graphs, y = demo
    report = wg.evaluate(graphs, y, method="rbf-wl", folds=3, inner_folds=3, repetitions=2, random_state=5)
    kernels = [wg.RBFWL(depth, standardize=True).fit_transform(graphs) for depth in range(8)]
    kernels = [kernel / kernel.diagonal().mean() for kernel in kernels]
    for repetition, seed in enumerate((5, 6)):
        outer = StratifiedKFold(3, shuffle=True, random_state=seed)
        for fold, (train, test) in enumerate(outer.split(graphs, y)):
            inner = StratifiedKFold(3, shuffle=True, random_state=seed)
            machine = SVC(kernel="precomputed", tol=1e-4)
            searches = [GridSearchCV(machine, {"C": ATTRIBUTE_C_VALUES}, cv=inner) for _ in kernels]
            for search, kernel in zip(searches, kernels, strict=True):
                search.fit(kernel[np.ix_(train, train)], y[train])
            depth = int(np.argmax([round(search.best_score_, 9) for search in searches]))  # the first of the best
            chosen = {"depth": depth, **searches[depth].best_params_}
            assert report.rows["rbf-wl"].parameters[repetition][fold] == chosen
            expected = searches[depth].score(kernels[depth][np.ix_(test, train)], y[test])
            assert report.rows["rbf-wl"].accuracy[repetition, fold] == pytest.approx(expected, abs=1e-12)


def test_all_methods_see_the_same_folds_and_none_looks_at_the_others(demo, monkeypatch):
    graphs, y = demo
    seen = []
    original = StratifiedKFold.split

    def split(self, *arguments):
        for train, test in original(self, *arguments):
            seen.append(test.tolist())
            yield train, test

    monkeypatch.setattr(StratifiedKFold, "split", split)
    both = wg.evaluate(graphs, y, method=["wl", "v"], **FEW)
    assert seen[: len(seen) // 2] == seen[len(seen) // 2 :]
    alone = wg.evaluate(graphs, y, method="v", **FEW)
    np.testing.assert_array_equal(both.rows["v"].accuracy, alone.rows["v"].accuracy)
    assert list(both.rows) == ["wl", "v"]
    assert list(wg.evaluate(graphs, y, method=["v", "v"], **FEW).rows) == ["v"]


def test_it_is_the_same_every_time_with_any_number_of_threads(demo, tmp_path):
    graphs, y = demo
    first = wg.evaluate(graphs, y, method="wl", cache=tmp_path / "matrices", **FEW)
    for options in ({"n_jobs": 2}, {"cache": str(tmp_path / "matrices")}):
        again = wg.evaluate(graphs, y, method="wl", **FEW, **options)
        np.testing.assert_array_equal(again.rows["wl"].accuracy, first.rows["wl"].accuracy)
        assert again.rows["wl"].parameters == first.rows["wl"].parameters
    assert len(list((tmp_path / "matrices").glob("*.npz"))) == 1


def test_repetitions_have_seeds_that_follow_each_other(demo):
    graphs, y = demo
    report = wg.evaluate(graphs, y, method="wl", repetitions=3, random_state=2, **FEW)
    row = report.rows["wl"]
    assert row.accuracy.shape == (3, 3)
    for repetition, seed in enumerate((2, 3, 4)):
        alone = wg.evaluate(graphs, y, method="wl", random_state=seed, **FEW).rows["wl"]
        np.testing.assert_array_equal(row.accuracy[repetition], alone.accuracy[0])
        assert row.parameters[repetition] == alone.parameters[0]
    assert (row.std, report.std_over) == (row.accuracy.mean(axis=1).std(), "repetitions")
    assert "3 times with other folds" in str(report)
    assert "deviation over 3 repetitions" in str(report)


def test_the_table_and_the_numbers_for_programs(demo):
    graphs, y = demo
    names = np.array(["ring", "pairs", "fours"])[y]
    report = wg.evaluate(graphs, names, method=["wwl+joint", "v", "e"], **FEW)
    lines = str(report).splitlines()
    assert lines[0] == "60 graphs, 3 classes"
    assert " ".join(lines[2].split()).startswith("method compares accuracy in % matrices selection test chosen most")
    starts = [
        "WWL + joint    node labels and node attributes",
        "V              node labels",
        "E              number of",
    ]
    assert [line[: len(start)] for line, start in zip(lines[3:6], starts, strict=True)] == starts
    assert f"{100 * report.rows['v'].mean:.2f} ± {100 * report.rows['v'].std:5.2f}" in lines[4]
    parameters, times = report.rows["wwl+joint"].favorite()
    assert f"depth = {parameters['depth']}, gamma = " in lines[3]
    assert lines[3].endswith(f"({times} of 3)")
    assert lines[6].split() == ["largest", "class", "33.33"]
    assert lines[-1] == "Attributes were standardized for WWL + joint."
    told = json.loads(json.dumps(report.to_dict()))
    assert told["classes"] == {"fours": 20, "pairs": 20, "ring": 20}
    assert {"commit", "versions", "majority_class", "std_over", "random_state"} <= told.keys()
    assert told["methods"]["v"]["accuracy"] == report.rows["v"].accuracy.tolist()
    assert told["methods"]["v"]["seconds"].keys() == {"matrices", "selection", "training and test"}
    assert len(told["methods"]["wwl+joint"]["parameters"][0]) == 3
    assert list(report.accuracies) == ["WWL + joint", "V", "E"]


def test_machines_that_were_left_out_are_told(demo):
    report = wg.evaluate(*demo, method="v", **FEW)
    row = replace(report.rows["v"], unsolved=1)
    told = str(replace(report, rows={"v": row}))
    assert told.endswith("\nV: 1 candidate left out in an inner fold: a machine took too many steps.")
    assert "2 candidates left out" in str(replace(report, rows={"v": replace(row, unsolved=2)}))
    assert "left out" not in str(report)


def test_it_is_told_that_many_graphs_race(demo, monkeypatch):
    note = "Candidates that were far behind after some of the inner folds were not followed further."
    assert note not in str(wg.evaluate(*demo, method="v", **FEW)).splitlines()
    for module in ("evaluate", "trial"):
        monkeypatch.setattr(f"wassergraph.evaluation.{module}.MANY_GRAPHS", 10)
    report = wg.evaluate(*demo, method="v", **FEW)
    assert note in str(report).splitlines()
    few = replace(report, classes={"0": 5, "1": 5})
    assert note not in str(few).splitlines()


def test_every_method_takes_what_it_is_for_or_what_there_is(demo):
    graphs, y = demo
    plain = bare(graphs, "node_labels", "node_attributes", "edge_weights")
    labeled = bare(graphs, "node_attributes", "edge_weights")

    def compared(some, *methods, **options):
        rows = wg.evaluate(some, y, method=methods, **FEW, **options).rows.values()
        return [(row.kind, row.features, row.standardized) for row in rows]

    labels, attributes = ("categorical", "node labels", False), ("continuous", "node attributes", True)
    assert compared(graphs, "wwl", "v", "vh-c") == [attributes, labels, attributes]
    assert compared(graphs, "vh-c", standardize=False) == [("continuous", "node attributes", False)]
    assert compared(labeled, "wwl", "vh-c") == [labels, ("continuous", "one-hot labels", True)]
    degrees = ("continuous", "degrees", False)
    assert compared(plain, "wwl", "v", "vh-c") == [degrees, ("categorical", "degrees", False), degrees]
    assert compared(graphs, "wwl", kind="categorical") == [labels]


def test_all_means_what_finds_its_data(demo):
    graphs, _ = demo
    labels, attributes = ["v", "wl", "wl-oa"], ["vh-c", "rbf-wl", "hgk-wl", "hgk-sp", "gh"]
    assert fitting_methods(graphs) == [*labels, *attributes, "wwl"]
    assert fitting_methods(bare(graphs, "node_attributes")) == [*labels, "wwl"]
    assert fitting_methods(bare(graphs, "node_labels")) == [*attributes, "wwl"]
    assert fitting_methods(bare(graphs, "node_labels", "node_attributes")) == [*attributes, "wwl"]
    assert fitting_methods(graphs, "joint") == ["wwl"]
    assert fitting_methods(wg.from_smiles(["CCO", "CC=O"])) == ["v", "e", "wl", "wl-oa", "wwl"]
    report = wg.evaluate(graphs, demo[1], method="all", kind="categorical", **FEW)
    assert list(report.rows) == [*labels, "wwl"]


@pytest.mark.parametrize("last", [False, True])
def test_all_can_stand_beside_variants_and_methods_that_it_means(demo, monkeypatch, last):
    monkeypatch.setattr("wassergraph.evaluation.plans.DRAWS", 1)  # of the hash graph kernels, to be quick
    graphs, y = demo[0][:18], demo[1][:18]
    named = ["wwl+joint", "v"]
    report = wg.evaluate(graphs, y, method=[*named, "all"] if last else ["all", *named], folds=2, inner_folds=2)
    every = fitting_methods(graphs)
    rest = [name for name in every if name not in named]
    assert list(report.rows) == ([*named, *rest] if last else [*every, "wwl+joint"])
    assert report.rows["wwl+joint"].kind == "joint"
    assert report.rows["wwl"].kind == "continuous"
    assert all(np.isfinite(row.accuracy).all() and row.accuracy.shape == (1, 2) for row in report.rows.values())


def test_graphs_without_edges_are_evaluated():
    sizes = [1, 2, 3, 4] * 3
    graphs = wg.from_edges([[]] * 12, n_nodes=sizes, node_labels=[[0] * size for size in sizes])
    report = wg.evaluate(graphs, [0, 0, 0, 1] * 3, method=["e", "hgk-sp"], folds=3, inner_folds=2)
    assert report.majority == 0.75
    for row in report.rows.values():
        np.testing.assert_array_equal(row.accuracy, [[0.75] * 3])  # a kernel of zeros knows the largest class only


def test_the_papers_data_sets_are_used_as_the_paper_does(data_home):
    assert paper_setups("demo") == {}
    assert paper_setups("ENZYMES").keys() == {"categorical", "continuous"}
    graphs, y = wg.load_dataset("BZR_MD", data_home=data_home)
    report = wg.evaluate(graphs, y, method=["vh-c", "v"], setup=paper_setups("BZR_MD"), **FEW)
    told = [(row.kind, row.features, row.standardized) for row in report.rows.values()]
    assert told == [("continuous", "one-hot labels", True), ("categorical", "node labels", False)]
    graphs, y = wg.load_dataset("BZR", data_home=data_home)
    report = wg.evaluate(graphs, y, method="vh-c", setup=paper_setups("BZR"), **FEW)
    assert not report.rows["vh-c"].standardized


def test_a_setup_prepares_the_graphs(demo):
    graphs, y = demo
    report = wg.evaluate(graphs, y, method=["v", "vh-c"], setup=Setup(lambda g: bare(g, "node_labels")), **FEW)
    assert [row.features for row in report.rows.values()] == ["degrees", "node attributes"]
    assert not report.rows["vh-c"].standardized
    expected = wg.evaluate(bare(graphs, "node_labels"), y, method="v", **FEW)
    np.testing.assert_array_equal(report.rows["v"].accuracy, expected.rows["v"].accuracy)


def test_graphs_of_any_sort():
    alcohols, rings = ["CCO", "CCCO", "CCCCO", "CC(C)O"], ["c1ccccc1", "Cc1ccccc1", "CCc1ccccc1", "CCCc1ccccc1"]
    report = wg.evaluate(alcohols + rings, ["alcohol"] * 4 + ["ring"] * 4, method="wl", folds=2, inner_folds=2)
    assert report.rows["wl"].mean == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "nope"}, f"there is no method 'nope': choose from {', '.join(METHODS)}"),
        ({"method": "wwl+nope"}, "there is no variant 'nope': choose from svc"),
        ({"method": []}, "there is no method to evaluate"),
        ({"method": "wl", "kind": "continuous"}, "WL is for categorical graphs, not for continuous ones"),
        ({"kind": "both"}, "kind must be one of"),
        ({"standardize": "perhaps"}, "standardize must be True, False or \"auto\", got 'perhaps'"),
        ({"repetitions": 0}, "repetitions must be at least 1, got 0"),
        ({"random_state": -1}, "random_state must be at least 0, got -1"),
        ({"folds": 1}, "folds must be at least 2, got 1"),
        ({"folds": 21}, "folds must be from 2 to 20, the number of graphs in the largest class; got 21"),
        ({"inner_folds": 19}, "inner_folds must be from 2 to 18, the number of graphs in the largest class in the"),
    ],
)
def test_mistakes_are_told_before_the_work_begins(demo, monkeypatch, options, message):
    monkeypatch.setattr("wassergraph.evaluation.evaluate.Trial", None)
    with pytest.raises(ValueError, match=re.escape(message)):
        wg.evaluate(*demo, **options)


def test_graphs_and_classes_that_cannot_be_evaluated(demo):
    graphs, y = demo
    with pytest.raises(ValueError, match="60 graphs, but 59 classes"):
        wg.evaluate(graphs, y[:-1])
    with pytest.raises(ValueError, match="all graphs are of the class 0"):
        wg.evaluate(graphs[::3], y[::3])
    with pytest.raises(TypeError, match=r"folds must be a whole number, got 2\.5"):
        wg.evaluate(graphs, y, folds=2.5)
    with pytest.raises(ValueError, match="joint kind needs node labels and node attributes"):
        wg.evaluate(bare(graphs, "node_attributes"), y, method="wwl+joint")


@pytest.mark.parametrize(("folds", "needed"), [(2, 4), (3, 3), (10, 3)])
def test_rare_classes(demo, folds, needed):
    graphs, y = demo

    def with_rare(n):
        return np.where(np.arange(60) < n, 7, y % 2)

    message = f"the class 7 has {needed - 1} graphs, too few for {folds} folds with others inside: {needed} are needed"
    with pytest.raises(ValueError, match=message):
        wg.evaluate(graphs, with_rare(needed - 1), method="v", folds=folds)
    if needed < folds:
        with pytest.warns(UserWarning, match="class 7 has 3 graphs, fewer than the 10 folds") as told:
            wg.evaluate(graphs, with_rare(needed), method="v", folds=folds)
        assert len(told) == 1
    else:
        assert wg.evaluate(graphs, with_rare(needed), method="v", folds=folds, inner_folds=2).folds == folds


def test_progress_names_the_methods(demo, capsys):
    wg.evaluate(*demo, method=["v", "wl"], progress=True, **FEW)
    told = capsys.readouterr().err
    assert "V, 1 of 2 methods\n" in told
    assert "WL, 2 of 2 methods\n" in told
    assert "selection" in told


def test_the_command_prints_the_table_and_draws_it(capsys, tmp_path):
    plot = tmp_path / "accuracies.png"
    code, out, err = run(capsys, "evaluate", "demo", "--method", "wl", "v", *FLAGS, "--plot", plot)
    assert (code, err) == (0, f"The picture is in {plot}\n")
    assert out.startswith("60 graphs, 3 classes\n\nmethod ")
    assert plot.read_bytes().startswith(b"\x89PNG")
    code, out, err = run(capsys, "evaluate", "demo", "--method", "v", *FLAGS, "--plot", plot, "--quiet")
    assert (code, err) == (0, "")
    assert "largest class" in out


def test_the_command_prints_json(capsys, demo):
    options = ("--json", "--repetitions", "2", "--random-state", "4", "--standardize", "no")
    code, out, _ = run(capsys, "evaluate", "demo", "--method", "vh-c", *FLAGS, *options)
    told = json.loads(out)
    assert code == 0
    assert {"data", "graphs", "classes", "majority_class", "folds", "inner_folds", "methods", "commit"} <= told.keys()
    expected = wg.evaluate(
        *demo, method="vh-c", repetitions=2, random_state=4, standardize=False, folds=3, inner_folds=2
    )
    assert told["methods"]["vh-c"]["accuracy"] == expected.rows["vh-c"].accuracy.tolist()
    assert told["methods"]["vh-c"]["parameters"] == expected.rows["vh-c"].parameters
    assert told["methods"]["vh-c"]["standardized"] is False


def test_the_command_uses_the_papers_data_sets_as_the_paper_does(capsys, data_home):
    command = ("evaluate", "BZR", "--data-home", data_home, "--method", "vh-c", *FLAGS)
    assert json.loads(run(capsys, *command, "--json")[1])["methods"]["vh-c"]["standardized"] is False
    forced = run(capsys, *command, "--json", "--standardize", "yes")[1]
    assert json.loads(forced)["methods"]["vh-c"]["standardized"] is True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("demo", "--method", "nope"), "there is no method 'nope': choose from v, e, "),
        (("demo", "--method", "v", "--kind", "joint"), "V is for categorical graphs"),
        (("demo", "--inner-folds", "1"), "--inner-folds must be at least 2"),
        (("demo", "--plot", "no/such/folder/a.png"), "there is no folder no/such/folder"),
        (("demo", "--plot", "a.txt"), "is not the name of a picture"),
        (("nothing/here",), "nothing/here does not exist"),
    ],
)
def test_mistakes_have_the_code_2(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "evaluate", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_a_table_without_classes_is_told(capsys, tmp_path):
    (tmp_path / "molecules.csv").write_text("name,smiles\nx,CCCCCO\ny,CCCCc1ccccc1\n")
    code, _, err = run(capsys, "evaluate", tmp_path / "molecules.csv")
    assert code == 2
    assert "has no classes to learn from" in err
    assert "--target-column" in err
