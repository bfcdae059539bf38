"""Benchmarks that others have set: their files, the order of runs, what is run, and results that are kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rdkit.Chem import Descriptors, MolFromSmiles
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, WhiteKernel

import wassergraph as wg
from command_line import run
from rules import for_each
from tu_files import write_tu
from wassergraph.evaluation.matrices import Threads
from wassergraph.reproduction.experiments import check_names
from wassergraph.reproduction.others.benchmarks import (
    BENCHMARKS,
    ENTRIES,
    ERRICA,
    MOLECULEACE,
    OURS,
    REFERENCES,
    BenchmarkEntry,
    select_entries,
)
from wassergraph.reproduction.others.methods import fit_and_predict, score_predictions
from wassergraph.reproduction.others.published import published_accuracies, published_errors
from wassergraph.reproduction.others.reading import SplitPart, find_benchmarks, read_split
from wassergraph.reproduction.others.references import descriptor_table, kernel_process
from wassergraph.reproduction.others.results import read_entries
from wassergraph.reproduction.others.runner import run_entries
from wassergraph.reproduction.reproduce import EXPERIMENTS, make_settings, reproduce
from wassergraph.reproduction.results import read_results

SMALL, ENDPOINT, GRAPHS = "CHEMBL2835_Ki", "rPPB", "IMDB-BINARY"
SMILES = ["C" * length + end for length in range(1, 16) for end in ("O", "N")]
ENTRY = BenchmarkEntry("moleculeace", SMALL, OURS)


def molecules(rows, *, cliffs=True):
    """Return a table like those of MoleculeACE, whose numbers are the lengths of the SMILES, and a half."""
    lines = ["smiles,exp_mean [nM],y,cliff_mol,split,y [pEC50/pKi]"]
    for row in rows:
        part = "test" if row % 5 == 0 else "train"
        number = len(SMILES[row]) + 0.5
        lines.append(f"{SMILES[row]},1.0,{number - 9},{int(cliffs and row % 10 == 0)},{part},{number}")
    return "\n".join(lines) + "\n"


def endpoint(rows):
    return "smiles,activity\n" + "".join(f"{SMILES[row]},{len(SMILES[row]) / 2}\n" for row in rows)


def folds_of(n_graphs):
    """Return ten folds as the authors write them."""
    return [
        {
            "test": [g for g in range(n_graphs) if g % 10 == fold],
            "model_selection": [
                {
                    "train": [g for g in range(n_graphs) if g % 10 not in (fold, (fold + 1) % 10)],
                    "validation": [g for g in range(n_graphs) if g % 10 == (fold + 1) % 10],
                }
            ],
        }
        for fold in range(10)
    ]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return a small folder of benchmarks; the graphs of the demo stand for a data set, in the current folder."""
    folder, project = tmp_path / "benchmarks", tmp_path / "project"
    project.mkdir()
    for name in BENCHMARKS:
        (folder / name).mkdir(parents=True)
    (folder / "moleculeace" / f"{SMALL}.csv").write_text(molecules(range(30)))
    (folder / "adme" / f"{ENDPOINT}_train.csv").write_text(endpoint(range(20)))
    (folder / "adme" / f"{ENDPOINT}_test.csv").write_text(endpoint(range(20, 30)))
    for name in (GRAPHS, "PROTEINS"):
        graphs, y = wg.load_dataset("demo")
        attributes = np.arange(graphs.n_nodes, dtype=float)[:, None]
        write_tu(project / name, replace(graphs, node_attributes=attributes), np.unique(y, return_inverse=True)[1])
    for name in (GRAPHS, "PROTEINS_full"):
        (folder / "errica" / f"{name}.json").write_text(json.dumps(folds_of(60)))
    monkeypatch.chdir(project)
    return folder


# What there is


def test_the_sets_are_those_that_numbers_were_published_for():
    assert sorted(MOLECULEACE.sets) == sorted(next(iter(published_errors().values())))
    assert len(published_errors()) == 24
    assert all(len(sets) == 30 for sets in published_errors().values())
    named = {name for sets in published_accuracies().values() for name in sets}
    assert set(ERRICA.sets) == named | {"PROTEINS_full"}


def test_published_numbers_have_the_means_that_their_authors_print():
    errors = published_errors()
    assert np.mean([each.rmse for each in errors["SVM ECFP"].values()]) == pytest.approx(0.671, abs=5e-4)
    assert np.mean([each.cliff_rmse for each in errors["SVM ECFP"].values()]) == pytest.approx(0.751, abs=5e-4)
    assert np.mean([each.rmse for each in errors["GCN"].values()]) == pytest.approx(0.914, abs=5e-4)
    assert published_accuracies()["GIN"]["NCI1"] == (80.0, 1.4)
    assert published_accuracies()["baseline without structure"]["DD"] == (78.4, 4.5)


def test_ours_is_run_first_and_the_largest_sets_of_graphs_last():
    assert len(set(ENTRIES)) == len(ENTRIES) == 30 * 5 + 6 * 5 + 60
    assert [entry.method for entry in ENTRIES[:36]] == [OURS] * 36
    assert ENTRIES[0] == ENTRY
    order = list(dict.fromkeys((entry.benchmark, entry.method) for entry in ENTRIES))
    assert order[:3] == [("moleculeace", OURS), ("adme", OURS), ("errica", OURS)]
    assert list(dict.fromkeys(entry.set for entry in ENTRIES if entry.benchmark == "errica"))[-2:] == ["NCI1", "DD"]
    assert {entry.set for entry in ENTRIES[-20:]} == {"NCI1", "DD"}


@pytest.mark.parametrize(
    ("only", "quick", "n_entries"),
    [
        ((), False, 240),
        (("moleculeace",), False, 150),
        (("moleculeace", OURS), False, 30),
        ((SMALL,), False, 5),
        ((SMALL, "HLM", "weight"), False, 2),
        (("NCI1",), False, 10),
        (("wwl",), False, 0),
        ((SMALL, "MUTAG"), False, 0),
        ((), True, 11),
        (("errica",), True, 1),
    ],
)
def test_benchmarks_sets_and_methods_can_be_named(only, quick, n_entries):
    check_names(only)
    assert len(select_entries(only, quick=quick)) == n_entries


# Files


def test_splits_are_those_of_the_files(home):
    train, test = read_split(ENTRY, home)
    assert (len(train), len(test)) == (24, 6)
    assert test.graphs == [SMILES[row] for row in range(0, 30, 5)]
    assert test.y.tolist() == [len(text) + 0.5 for text in test.graphs]
    assert test.cliffs.tolist() == [True, False] * 3
    train, test = read_split(BenchmarkEntry("adme", ENDPOINT, OURS), home)
    assert (train.graphs, test.graphs) == (SMILES[:20], SMILES[20:])
    assert test.y.tolist() == [len(text) / 2 for text in test.graphs]
    assert test.cliffs is None


def test_folds_are_trained_on_training_and_validation_parts(home):
    graphs, _ = wg.load_dataset(Path(GRAPHS))
    train, test = read_split(BenchmarkEntry("errica", GRAPHS, OURS, 3), home)
    positions = [g for g in range(60) if g % 10 == 3]
    assert test.graphs == graphs[positions]
    assert len(train) == 54
    assert train.y.dtype.kind == "i"


def test_of_proteins_labels_alone_are_used_as_the_published_methods_do(home):
    train, _ = read_split(BenchmarkEntry("errica", "PROTEINS", OURS, 0), home)
    assert train.graphs.node_attributes is None
    assert train.graphs.node_labels is not None
    assert read_split(BenchmarkEntry("errica", GRAPHS, OURS, 0), home).train.graphs.node_attributes is not None


@pytest.mark.parametrize(
    ("place", "text", "message"),
    [
        (f"moleculeace/{SMALL}.csv", "smiles,split\nCC,train\n", "there is no column 'cliff_mol'; take the file as"),
        (f"moleculeace/{SMALL}.csv", molecules([1, 2]), "no row of the column 'split' has 'test'"),
        (f"moleculeace/{SMALL}.csv", molecules(range(6)).replace(",train,", ",1,"), "line 3: .*'1'"),
        (f"moleculeace/{SMALL}.csv", molecules(range(6)).replace(",0,train", ",2,train"), "'cliff_mol' must be 0 or 1"),
        (f"moleculeace/{SMALL}.csv", molecules(range(6)) + "CC,1,1,0,train,\n", "has empty cells; take the file"),
        (f"moleculeace/{SMALL}.csv", molecules(range(6)) + "CC,1,1,0,train,>5\n", "'>5' .* is not a number"),
    ],
)
def test_tables_that_are_not_as_published_are_named(home, place, text, message):
    (home / place).write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        read_split(ENTRY, home)
    assert SMALL in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "the file has no fold 3; take the file as it is published"),
        (json.dumps(folds_of(60)[:3]), "the file has no fold 3"),
        (json.dumps(folds_of(59)), "fold 3 does not have each of the 60 graphs once"),
        (json.dumps(folds_of(61)), "fold 3 does not have each of the 60 graphs once"),
        (json.dumps([*folds_of(60)[:3], {"test": [0.5], **folds_of(60)[3]} | {"test": [0.5]}]), "has no fold 3"),
    ],
)
def test_folds_that_do_not_fit_the_graphs_are_named(home, content, message):
    (home / "errica" / f"{GRAPHS}.json").write_text(content)
    with pytest.raises(ValueError, match=message):
        read_split(BenchmarkEntry("errica", GRAPHS, OURS, 3), home)


def test_the_folder_is_given_or_named_by_a_variable(home, monkeypatch):
    assert find_benchmarks(home) == home
    with pytest.raises(FileNotFoundError, match="name it with benchmarks or the variable WASSERGRAPH_BENCHMARKS"):
        find_benchmarks(None)
    monkeypatch.setenv("WASSERGRAPH_BENCHMARKS", str(home))
    assert find_benchmarks(None) == home
    monkeypatch.delenv("WASSERGRAPH_BENCHMARKS")
    (home.parent / "shared" / "benchmarks").mkdir(parents=True)
    assert find_benchmarks(None) == Path("../shared/benchmarks")


# Methods


def test_ours_is_the_model_with_its_defaults(home):
    train, test = split = read_split(ENTRY, home)
    found = fit_and_predict(OURS, split, Threads(1))
    model = wg.GraphRegressor(n_jobs=1).fit(train.graphs, train.y)
    assert found.predictions.tolist() == model.predict(test.graphs).tolist()
    assert found.parameters == model.best_params_
    assert set(found.seconds) == {"training", "prediction"}


def test_ours_is_what_the_command_trains_without_options(capsys, home):
    split = read_split(ENTRY, home)
    table = home / "moleculeace" / f"{SMALL}.csv"
    command = ("train", table, "--target", "y [pEC50/pKi]", "--split-column", "split", "--json", "-o", "model.wgm")
    code, out, err = run(capsys, *command)
    assert code == 0, err
    trained, found = json.loads(out), fit_and_predict(OURS, split, Threads())
    assert trained["best_params"] == found.parameters
    scores = score_predictions(split.test, found.predictions)
    assert trained["test"]["new"]["value"] == pytest.approx(scores["rmse"])


def test_classes_are_learned_by_the_classifier_with_its_defaults(home):
    train, test = split = read_split(BenchmarkEntry("errica", GRAPHS, OURS, 0), home)
    found = fit_and_predict(OURS, split, Threads(1))
    model = wg.GraphClassifier(n_jobs=1).fit(train.graphs, train.y)
    assert found.predictions.tolist() == model.predict(test.graphs).tolist()
    scores = score_predictions(test, found.predictions)
    assert scores == {"accuracy": np.mean(found.predictions == test.y)}


@pytest.mark.parametrize("method", [name for name in REFERENCES if name != "weight"])
def test_references_learn(home, method):
    train, test = split = read_split(ENTRY, home)
    found = fit_and_predict(method, split, Threads(1))
    scores = score_predictions(test, found.predictions)
    assert scores["rmse"] < 0.6 * np.std(train.y)
    assert scores["pearson"] > 0.9


def test_the_line_through_the_weight_is_that_of_least_squares(home):
    train, test = split = read_split(ENTRY, home)
    found = fit_and_predict("weight", split, Threads(1))
    weights = [[Descriptors.MolWt(MolFromSmiles(text)) for text in part.graphs] for part in split]
    line = np.polyfit(weights[0], train.y, 1)
    assert found.predictions == pytest.approx(np.polyval(line, weights[1]))
    assert found.parameters == {"slope": pytest.approx(line[0])}
    constant = SplitPart(["CCO"] * 4, np.array([1.0, 2.0, 3.0, 4.0]))
    assert fit_and_predict("weight", split._replace(train=constant), Threads(1)).predictions.tolist() == [2.5] * 6
    assert len(test) == 6


def test_references_need_molecules(home):
    with pytest.raises(TypeError, match="weight learns from molecules, not from graphs"):
        fit_and_predict("weight", read_split(BenchmarkEntry("errica", GRAPHS, OURS, 0), home), Threads(1))


def test_the_process_maximizes_the_likelihood_and_is_that_of_sklearn():
    rng = np.random.default_rng(0)
    features, others = rng.normal(size=(40, 5)), rng.normal(size=(7, 5))
    y = 3 + features @ rng.normal(size=5) + 0.3 * rng.normal(size=40)
    found = kernel_process(features @ features.T, y, others @ features.T)
    kernel = ConstantKernel(1.0) * DotProduct(0.0, sigma_0_bounds="fixed") + WhiteKernel(1.0)
    peer = GaussianProcessRegressor(kernel, n_restarts_optimizer=3, random_state=0).fit(features, y - y.mean())
    assert found.predictions == pytest.approx(y.mean() + peer.predict(others), abs=1e-4)
    noise = peer.kernel_.k2.noise_level / peer.kernel_.k1.k1.constant_value
    assert found.parameters["noise"] == pytest.approx(noise, rel=1e-3)

    def likelihood(share):
        shape = features @ features.T + share * np.eye(40)
        signal = (y - y.mean()) @ np.linalg.solve(shape, y - y.mean()) / 40
        return multivariate_normal(cov=signal * shape).logpdf(y - y.mean())

    best = likelihood(found.parameters["noise"])
    assert all(likelihood(found.parameters["noise"] * factor) < best for factor in (0.5, 0.9, 1.1, 2.0))
    assert kernel_process(np.eye(3), np.ones(3), np.eye(3)).predictions.tolist() == [1.0, 1.0, 1.0]


def test_descriptors_are_those_of_rdkit():
    table = descriptor_table(["CCO", "c1ccccc1"])
    names = [name for name, _ in Descriptors.descList]
    assert table.shape == (2, len(names))
    assert table[0, names.index("MolWt")] == pytest.approx(46.069)
    assert np.isfinite(table).mean() > 0.9


def test_scores_on_cliffs_are_those_of_the_molecules_on_cliffs():
    y, cliffs = np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, False, True, False])
    test = SplitPart(["C"] * 4, y, cliffs)
    scores = score_predictions(test, np.array([1.0, 2.0, 4.0, 6.0]))
    assert scores["rmse"] == pytest.approx(np.sqrt(5 / 4))
    assert scores["cliff_rmse"] == pytest.approx(np.sqrt(1 / 2))
    assert scores["r2"] == pytest.approx(0.0)
    assert scores["pearson"] == pytest.approx(np.corrcoef(y, [1, 2, 4, 6])[0, 1])
    flat = score_predictions(replace(test, cliffs=np.zeros(4, dtype=bool)), np.full(4, 2.5))
    assert (flat["cliff_rmse"], flat["pearson"], flat["r2"]) == (None, None, 0.0)


# Running


def test_results_are_kept_and_not_computed_again(home, tmp_path):
    results, lines = tmp_path / "results", []
    entries = [entry for entry in select_entries([SMALL, ENDPOINT]) if entry.method in ("weight", "tanimoto-gp")]
    run_entries(entries[:1], results, home, log=lines.append)
    path = results / "others" / "moleculeace" / SMALL / "tanimoto-gp.json"
    before = path.stat().st_mtime_ns
    run_entries(entries, results, home, log=lines.append)
    assert path.stat().st_mtime_ns == before
    assert len(lines) == 4
    assert lines[0].startswith(f"tanimoto-gp on {SMALL}: RMSE ")
    assert ", on cliffs " in lines[0]
    assert lines[1].startswith(f"tanimoto-gp on {ENDPOINT}: RMSE ")
    assert "2 of 4 left" in lines[1]
    run_entries(entries, results, home, log=lines.append)
    assert lines[4:] == [f"all 4 results exist in {results}: name another folder to compute them again"]
    found = read_entries(results)
    assert [each.entry for each in found] == entries
    assert (found[0].n_train, found[0].n_test, found[0].n_cliffs, found[-1].n_cliffs) == (24, 6, 3, 0)
    assert read_results(results) == []


def test_the_file_of_a_result_says_what_computed_it(home, tmp_path):
    run_entries([ENTRY._replace(method="weight")], tmp_path / "results", home, log=lambda _: None)
    path = tmp_path / "results" / "others" / "moleculeace" / SMALL / "weight.json"
    text = path.read_text(encoding="utf-8")
    content = json.loads(text)
    assert list(content)[:4] == ["benchmark", "set", "method", "fold"]
    assert {"rmse", "cliff_rmse", "r2", "pearson"} <= set(content["scores"])
    assert set(content["versions"]) == {"wassergraph", "numpy", "scipy", "scikit-learn", "python"}
    assert len(text.splitlines()) == len(content) + 2
    path.rename(path.with_name("morgan-rf.json"))
    with pytest.raises(ValueError, match=f"this is the result of weight on {SMALL}; move it to "):
        read_entries(tmp_path / "results")
    path.with_name("morgan-rf.json").write_text(text[:-20])
    with pytest.raises(ValueError, match="this is not a result on a benchmark; remove it and run"):
        read_entries(tmp_path / "results")


def test_a_set_without_files_does_not_stop_the_others(home, tmp_path):
    entries = [BenchmarkEntry("adme", name, "weight") for name in ("HLM", ENDPOINT)]
    with pytest.raises(FileNotFoundError, match=r"could not be read .*HLM_train\.csv: a file of the benchmark is miss"):
        run_entries(entries, tmp_path / "results", home, log=lambda _: None)
    assert [each.entry.set for each in read_entries(tmp_path / "results")] == [ENDPOINT]


def test_folds_have_a_file_each(home, tmp_path):
    entry = BenchmarkEntry("errica", GRAPHS, OURS, 7)
    assert str(entry) == f"ours on {GRAPHS}, fold 7"
    lines = []
    run_entries([entry], tmp_path / "results", home, log=lines.append)
    assert (tmp_path / "results" / "others" / "errica" / GRAPHS / "ours" / "07.json").is_file()
    assert lines[0].startswith(f"ours on {GRAPHS}, fold 7: accuracy ")
    (result,) = read_entries(tmp_path / "results")
    assert 0 <= result.scores["accuracy"] <= 1
    assert (result.n_train, result.n_test) == (54, 6)


def test_the_command_runs_one_cell_and_writes_the_page(capsys, home, tmp_path):
    command = ("reproduce", "others", "--only", SMALL, "weight", "--benchmarks", home, "--n-jobs", "1")
    code, out, err = run(capsys, *command, "--render")
    assert code == 0, err
    assert err.startswith(f"weight on {SMALL}: RMSE ")
    pages = [Path("docs") / name for name in ("reproduction.md", "beyond.md", "benchmarks.md")]
    assert out == f"Pages written to {pages[0]}, {pages[1]} and {pages[2]}\n"
    assert "- 1 of 240 splits and methods have results.\n" in pages[2].read_text(encoding="utf-8")
    code, out, err = run(capsys, *command)
    assert (code, err) == (0, "all 1 results exist in results: name another folder to compute them again\n")


def test_what_is_missing_or_misspelt_is_said_before_anything_is_run(capsys, home):
    code, _, err = run(capsys, "reproduce", "others")
    assert code == 2
    assert "name it with --benchmarks or the variable WASSERGRAPH_BENCHMARKS; it has moleculeace/ (https://" in err
    code, _, err = run(capsys, "reproduce", "others", "--only", "CHEMBL2835")
    assert code == 2
    assert "--only must name data sets or methods of the experiments, got 'CHEMBL2835'" in err


def test_all_does_not_run_what_has_files_of_its_own(monkeypatch, tmp_path):
    ran = []
    for name in EXPERIMENTS:
        monkeypatch.setitem(EXPERIMENTS, name, lambda settings, name=name: ran.append(name))
    reproduce(["all"], make_settings(tmp_path))
    assert "others" not in ran
    assert len(ran) == len(EXPERIMENTS) - 1
    ran.clear()
    reproduce(["all", "others"], make_settings(tmp_path))
    assert ran == list(EXPERIMENTS)


# Real files


@for_each(ENTRIES)
def test_every_entry_has_a_place_of_its_own(entry):
    assert entry.path(Path("results")).suffix == ".json"
    assert [other for other in ENTRIES if other.path(Path()) == entry.path(Path())] == [entry]


def test_real_files_are_read_as_they_are(benchmarks_home, data_home):
    train, test = read_split(ENTRY, benchmarks_home)
    assert (len(train), len(test), int(test.cliffs.sum())) == (489, 126, 13)
    train, test = read_split(BenchmarkEntry("adme", ENDPOINT, OURS), benchmarks_home)
    assert (len(train), len(test)) == (708, 177)
    tested = []
    for name, sizes in (("ENZYMES", [10] * 6), ("IMDB-BINARY", [50, 50])):
        train, test = read_split(BenchmarkEntry("errica", name, OURS, 9), benchmarks_home, data_home)
        assert np.unique(test.y, return_counts=True)[1].tolist() == sizes  # folds are stratified: positions fit
        tested.append(len(train) + len(test))
    assert tested == [600, 1000]


def test_a_real_set_is_learned_as_a_linear_function_of_the_weight(benchmarks_home, tmp_path):
    run_entries([ENTRY._replace(method="weight")], tmp_path, benchmarks_home, log=lambda _: None)
    (result,) = read_entries(tmp_path)
    assert result.scores["rmse"] == pytest.approx(0.665, abs=1e-3)
    assert result.scores["cliff_rmse"] == pytest.approx(0.917, abs=1e-3)
