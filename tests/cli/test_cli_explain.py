"""The commands explain and compare, on tables of SMILES and on other graphs."""

from __future__ import annotations

import json

import networkx as nx
import pytest

import wassergraph as wg
from command_line import run

SMILES = ["CCO", "CCCO", "CCCCO", "CCCCCO", "CCN", "CCCN", "CCCCN", "CCCCCN"]
# One of the new molecules cannot be read, and every command that reads them says so.
pytestmark = pytest.mark.filterwarnings("always:1 of 3 molecules cannot be read:UserWarning")
FEW = ("--depth", "1", "--gamma", "1", "--kind", "categorical", "--mass", "share")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return a folder with two tables, which is the current one."""
    monkeypatch.chdir(tmp_path)
    kinds = ["amine" if "N" in text else "alcohol" for text in SMILES]
    rows = [f"{text},m{i},{kinds[i]},{0.5 * len(text) + 0.25 * i}" for i, text in enumerate(SMILES)]
    (tmp_path / "old.csv").write_text("\n".join(["smiles,name,class,number", *rows]) + "\n")
    (tmp_path / "new.csv").write_text("smiles,name\nOCCN,first\nnonsense,second\nCC(O)C,third\n")
    return tmp_path


@pytest.fixture
def classifier(here, capsys):
    assert run(capsys, "train", "old.csv", "-o", "c.wgm", "-C", "10", "--cv", "2", *FEW)[0] == 0
    return wg.load_model("c.wgm")


# explain


def test_a_class_is_explained_and_drawn(classifier, capsys, here):
    code, out, err = run(capsys, "explain", "c.wgm", "new.csv", "--row", "3", "-o", "third.svg")
    assert code == 0
    assert out == f"Row 3, third\n\n{classifier.explain('CC(O)C')}\n"
    assert out.splitlines()[2].startswith("Class alcohol against amine: decision ")
    assert "picture written to third.svg" in err
    assert "line 3" in err  # the warning about the molecule that cannot be read
    assert (here / "third.svg").read_text().count("<path") > 10


def test_the_first_row_as_json(classifier, capsys):
    code, out, _ = run(capsys, "explain", "c.wgm", "new.csv", "--json")
    found = json.loads(out)
    assert (code, found["row"], found["name"]) == (0, 1, "first")
    assert sum(found["node_scores"]) == pytest.approx(found["value"], abs=1e-9)
    contributions = [graph["contribution"] for graph in found["training_graphs"]]
    assert found["base"] + sum(contributions) == pytest.approx(abs(classifier.decision_function("OCCN")[0]), abs=1e-9)
    assert {graph["name"] for graph in found["training_graphs"]} <= {f"m{i}" for i in range(8)}
    assert {graph["target"] for graph in found["training_graphs"]} == {"alcohol", "amine"}


def test_the_decision_is_chosen(classifier, capsys):
    given = ("explain", "c.wgm", "new.csv", "--row", "3", "--classes")
    values = []
    for classes in (["alcohol", "amine"], ["amine", "alcohol"]):
        code, out, _ = run(capsys, *given, *classes, "--json")
        found = json.loads(out)
        assert (code, found["classes"]) == (0, classes)
        assert sum(found["node_scores"]) == pytest.approx(found["value"], abs=1e-9)
        values.append(found["value"])
    assert values[0] == pytest.approx(-values[1])
    assert values[0] == pytest.approx(classifier.explain("CC(O)C", classes=("alcohol", "amine")).value)


def test_classes_that_are_numbers_are_chosen(here, capsys):
    assert run(capsys, "train", "demo", "-o", "d.wgm", "-C", "10", "--cv", "2", *FEW)[0] == 0
    code, out, _ = run(capsys, "explain", "d.wgm", "demo", "--classes", "1", "0")
    assert (code, out.splitlines()[2].startswith("Class 1 against 0: decision ")) == (0, True)
    code, _, err = run(capsys, "explain", "d.wgm", "demo", "--classes", "1", "7")
    assert (code, "--classes: the model does not know the class '7'; pass two of 0, 1, 2" in err) == (2, True)


@pytest.mark.parametrize("model", ["ridge", "svr", "gp"])
def test_numbers_are_explained(model, here, capsys):
    options = () if model == "gp" else ("--gamma", "1", "--cv", "2")
    fixed = ("--depth", "1", "--kind", "categorical", "--mass", "count")
    code, _, _ = run(
        capsys, "train", "old.csv", "--target", "number", "-o", "n.wgm", "--model", model, *fixed, *options
    )
    assert code == 0
    code, out, _ = run(capsys, "explain", "n.wgm", "new.csv", "--json", "--quiet", "-o", "first.png")
    assert code == 0
    found = json.loads(out)
    assert found["classes"] is None
    assert sum(found["node_scores"]) == pytest.approx(wg.load_model("n.wgm").predict("OCCN")[0], abs=1e-9)
    assert (here / "first.png").stat().st_size > 5_000
    code, out, err = run(capsys, "explain", "n.wgm", "new.csv", "--classes", "1", "2")
    assert (code, out) == (2, "")
    assert "--classes applies to models of classes, but this model predicts numbers; leave it out" in err


def test_other_graphs_are_counted_from_one(here, capsys):
    assert run(capsys, "train", "demo", "-o", "d.wgm", "-C", "10", "--cv", "2", *FEW)[0] == 0
    code, out, err = run(capsys, "explain", "d.wgm", "demo", "--row", "60")
    assert (code, err) == (0, "")
    assert out.startswith("Row 60\n\nClass 2 against ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--classes", "amine", "ether"],
            "--classes: the model does not know the class 'ether'; pass two of 'alcohol'",
        ),
        (["--classes", "amine", "amine"], "--classes must be two different classes, got 'amine' twice"),
        (["--row", "4"], "--row 4: there is no row 4, only 3 rows, counted from 1; pass a number from 1 to 3"),
        (["--row", "0"], "--row 0: there is no row 0, only 3 rows, counted from 1; pass a number from 1 to 3"),
        (["--row", "2"], "--row 2: the molecule of row 2 cannot be read; correct it, or choose another row"),
        (["-o", "x.jpg"], "x.jpg: the format of a picture is chosen by the ending of its name; use .png, .svg or .pdf"),
        (["--invalid", "error"], "new.csv, line 3: 'nonsense' cannot be read as a molecule"),
    ],
)
def test_explain_refuses(classifier, capsys, here, arguments, message):
    code, out, err = run(capsys, "explain", "c.wgm", "new.csv", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert not list(here.glob("*.svg"))


def test_a_row_of_one(classifier, capsys, here):
    (here / "one.csv").write_text("smiles\nCCO\n")
    assert "only 1 row, counted from 1; pass 1" in run(capsys, "explain", "c.wgm", "one.csv", "--row", "2")[2]
    code, _, err = run(capsys, "explain", "old.csv", "new.csv")
    assert (code, "old.csv" in err) == (2, True)


# compare


def test_two_smiles_are_compared(capsys):
    code, out, err = run(capsys, "compare", "CCO", "CCN", "--kind", "categorical", "--depth", "0")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "The distance of CCO and CCN is 0.333333."
    assert lines[3].split() == ["2", "(O)", "2", "(N)", "0.3333", "1", "100.0%"]
    assert lines[5] == "The moves that cost most, of 3 moves."
    assert len(lines) == 6


def test_counts_name_the_atoms_without_a_partner(capsys):
    code, out, _ = run(capsys, "compare", "CCO", "CO", "--kind", "categorical", "--depth", "0", "--mass", "count")
    assert (code, out.splitlines()[0]) == (0, "The distance of CCO and CO is 0.5.")
    assert out.endswith(
        "Without a partner: 1 atoms of the first and 0 of the second, at 0.5 each, 100.0% of the distance.\n"
    )


def test_a_comparison_as_json(capsys):
    code, out, _ = run(capsys, "compare", "CCO", "c1ccccc1O", "--json", "--mass", "count")
    found = json.loads(out)
    plan = wg.transport_plan("CCO", "c1ccccc1O", metric=wg.WWL(mass="count", standardize="auto"))
    assert (code, found["graphs"]) == (0, ["CCO", "c1ccccc1O"])
    assert found["distance"] == pytest.approx(plan.cost)
    assert sum(found["source_costs"]) == pytest.approx(plan.cost)
    assert sum(found["target_costs"]) == pytest.approx(plan.cost)
    assert sum(move["cost"] for move in found["moves"]) + found["unmatched_cost"] == pytest.approx(plan.cost)


def test_rows_of_a_table_and_of_other_graphs(here, capsys):
    code, out, _ = run(capsys, "compare", "new.csv", "--rows", "1", "3")
    expected = wg.transport_plan("OCCN", "CC(O)C", metric=wg.WWL(standardize="auto")).cost
    assert (code, out.splitlines()[0]) == (0, f"The distance of row 1 (first) and row 3 (third) is {expected:.6g}.")
    graphs, _ = wg.load_dataset("demo")
    expected = wg.distances(graphs, metric=wg.WWL(depth=1, kind="categorical"))[0, 59]
    code, out, _ = run(
        capsys, "compare", "demo", "--rows", "1", "60", "--kind", "categorical", "--depth", "1", "--json"
    )
    found = json.loads(out)
    assert (code, found["distance"]) == (0, pytest.approx(expected))
    assert found["graphs"] == ["row 1", "row 60"]  # not their names, which are positions counted from 0
    (here / "bare.csv").write_text("smiles\nCCO\nCCN\n")
    assert run(capsys, "compare", "bare.csv", "--rows", "1", "2")[1].startswith("The distance of row 1 and row 2 is ")


def gml(graph: nx.Graph) -> str:
    nodes = [f'node [ id {v} label "{label}" ]' for v, label in graph.nodes(data="label")]
    return f"graph [ {' '.join(nodes)} {' '.join(f'edge [ source {u} target {v} ]' for u, v in graph.edges)} ]"


def test_graph_files_are_compared(here, capsys):
    one, two = nx.path_graph(3), nx.cycle_graph(4)
    for graph, labels in ((one, "CCO"), (two, "CNOS")):
        nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
    (here / "one.gml").write_text(gml(one))
    nx.write_graphml(two, here / "two.graphml")
    expected = wg.transport_plan(wg.from_networkx([one, two], node_labels="label"), 0, 1).cost
    code, out, err = run(capsys, "compare", "one.gml", "two.graphml", "--node-labels", "label")
    assert (code, err) == (0, "")
    assert out.startswith(f"The distance of one.gml and two.graphml is {expected:.6g}.\n")
    # Two nodes of one file have the same label: in both files, labels are then no names of nodes.
    (here / "two.gml").write_text(gml(two))
    code, out, _ = run(capsys, "compare", "two.gml", "one.gml")
    assert (code, out.splitlines()[0]) == (0, f"The distance of two.gml and one.gml is {expected:.6g}.")


def test_sources_of_one_graph_are_compared(here, capsys):
    (here / "one.csv").write_text("smiles\nCCO\n")
    code, out, _ = run(capsys, "compare", "one.csv", "CCN")
    expected = wg.transport_plan("CCO", "CCN", metric=wg.WWL(standardize="auto")).cost
    assert (code, out.splitlines()[0]) == (0, f"The distance of one.csv and CCN is {expected:.6g}.")


TWO_GRAPHS = "pass two SMILES, two .graphml or .gml files, or a data set and --rows I J"


def test_equal_graphs(capsys):
    assert run(capsys, "compare", "CCO", "OCC") == (0, "The distance of CCO and OCC is 0.\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["CCO"], f"two graphs are compared, but 1 is given; {TWO_GRAPHS}"),
        (["C", "CC", "CCC"], f"two graphs are compared, but 3 are given; {TWO_GRAPHS}"),
        (["CCO", "xyz"], "'xyz' cannot be read as a molecule (it is not a SMILES string), and there is no such file"),
        (["new.csv", "old.csv", "--rows", "1", "2"], "--rows applies to one data set, but 2 are given; pass one, or"),
        (["new.csv", "--rows", "1", "9"], "--rows: there is no row 9, only 3 rows, counted from 1"),
        (["new.csv", "--rows", "1", "2"], "--rows: the molecule of row 2 cannot be read"),
        (["absent.csv", "--rows", "1", "2"], "absent.csv: it does not exist"),
        (["absent.csv", "CCO"], "absent.csv: it does not exist"),
        (["absent.gml", "absent.graphml"], "absent.gml: it does not exist; pass the name of a .graphml or .gml file"),
        (["CCO", "absent.gml"], "absent.gml: it does not exist"),
        (["old.csv", "CCO"], "old.csv: there are 8 graphs, but one is compared with one; choose two of them with"),
        (
            ["CCO", "CCN", "--depth", "-1"],
            "--depth must be a whole number of at least 0, or a sequence of such numbers, got -1",
        ),
    ],
)
def test_compare_refuses(here, capsys, arguments, message):
    code, out, err = run(capsys, "compare", *arguments)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_compare_draws_the_plan(tmp_path, capsys, ending):
    picture = tmp_path / f"plan.{ending}"
    run(capsys, "compare", "CCO", "CCN", "-o", str(picture))
    assert picture.stat().st_size > 1000
    code, _, err = run(capsys, "compare", "CCO", "CCN", "-o", str(tmp_path / "plan.txt"))
    assert code == 2
    assert "use .png, .svg or .pdf" in err
