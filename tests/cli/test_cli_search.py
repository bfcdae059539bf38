"""The commands index and search."""

from __future__ import annotations

import csv
import json

import networkx as nx
import numpy as np
import pytest

import wassergraph as wg
from command_line import run
from made_metrics import metric_of
from wassergraph.cli.search import _OUTCOMES
from wassergraph.explain.transport import plan_of
from wassergraph.search.neighbors import OUTCOMES

LIBRARY = {
    "ethanol": "CCO",
    "propanol": "CCCO",
    "butanol": "CCCCO",
    "ethylamine": "CCN",
    "benzene": "c1ccccc1",
    "phenol": "Oc1ccccc1",
    "toluene": "Cc1ccccc1",
}


@pytest.fixture
def library(tmp_path):
    path = tmp_path / "library.csv"
    rows = [f"{name},{smiles},{number}" for number, (name, smiles) in enumerate(LIBRARY.items())]
    path.write_text("\n".join(["name,smiles,number", *rows]) + "\n")
    return path


@pytest.fixture
def index_file(library, tmp_path, capsys):
    path = tmp_path / "library.wgi"
    assert run(capsys, "index", library, "-o", path)[0] == 0
    return path


def names_found(k, query, **parameters):
    index = wg.GraphIndex(list(LIBRARY.values()), metric_of(**parameters), names=list(LIBRARY))
    distances, positions = index.query(query, k=k)
    return [index.names[row].tolist() for row in positions], distances


# index


def test_index_says_what_it_wrote(library, tmp_path, capsys):
    code, out, err = run(capsys, "index", library, "-o", tmp_path / "a.wgi", "--depth", "2")
    assert (code, err) == (0, "")
    features = "joint (node labels, edge labels and node attributes, not standardized)"
    size = f"{(tmp_path / 'a.wgi').stat().st_size / 1e3:,.0f} kB"
    assert out == f"{tmp_path / 'a.wgi'}: 7 molecules, {features}, depth 2, {size}\n"
    assert wg.load_index(tmp_path / "a.wgi").names.tolist() == list(LIBRARY)


def test_index_passes_its_options_on(library, tmp_path, capsys):
    path = tmp_path / "a.wgi"
    kind = "--kind", "categorical", "--edge-labels", "ignore", "--json"
    mass = "--mass", "count", "--unmatched-cost", "0.75", "--size-weight", "0.5"
    code, out, _ = run(capsys, "index", library, "-o", path, *kind, *mass)
    assert code == 0
    assert json.loads(out) == {
        "path": str(path),
        "graphs": 7,
        "kind": "categorical",
        "compared": "node labels, every node with the mass 1",
        "depth": 3,
        "bytes": path.stat().st_size,
    }
    scheme = wg.load_index(path).scheme
    assert (scheme.mass, scheme.unmatched, scheme.size_weight) == ("count", 0.75, 0.5)


def test_index_of_other_graphs_is_quiet_on_request(tmp_path, capsys):
    assert run(capsys, "index", "demo", "-o", tmp_path / "a.wgi", "--quiet", "--standardize", "yes") == (0, "", "")
    index = wg.load_index(tmp_path / "a.wgi")
    assert len(index) == 60
    assert index.scheme.standardized


def test_molecules_without_names_are_called_by_their_smiles(tmp_path, capsys):
    (tmp_path / "a.smi").write_text("smiles\nCCO\nCCN\nc1ccccc1\n")
    assert run(capsys, "index", tmp_path / "a.smi", "-o", tmp_path / "a.wgi")[0] == 0
    assert wg.load_index(tmp_path / "a.wgi").names.tolist() == ["CCO", "CCN", "c1ccccc1"]
    code, out, _ = run(capsys, "search", tmp_path / "a.wgi", tmp_path / "a.smi", "-k", "1")
    assert code == 0
    assert [line.split()[:3] for line in out.splitlines()[1:]] == [[s, "1", s] for s in ("CCO", "CCN", "c1ccccc1")]
    _, out, _ = run(capsys, "search", tmp_path / "a.wgi", tmp_path / "a.smi", "-k", "1", "--row", "2", "--json")
    assert json.loads(out) == [{"query": "CCN", "hits": [{"rank": 1, "neighbor": "CCN", "distance": 0.0}]}]


@pytest.mark.filterwarnings("ignore:1 of 3 molecules cannot be read")
def test_rows_are_counted_with_those_that_cannot_be_read(tmp_path, capsys):
    (tmp_path / "a.smi").write_text("smiles\nCCO\nCC(\nc1ccccc1\n")
    assert run(capsys, "index", tmp_path / "a.smi", "-o", tmp_path / "a.wgi", "--invalid", "skip")[0] == 0
    command = ("search", tmp_path / "a.wgi", tmp_path / "a.smi", "-k", "1", "--invalid", "skip", "--json", "--row")
    code, _, err = run(capsys, *command, "2")
    assert code == 2
    assert "--row 2: the molecule of row 2 cannot be read; correct it, or choose another row" in err
    assert json.loads(run(capsys, *command, "3")[1])[0]["query"] == "c1ccccc1"


def test_index_is_not_written_to_standard_output(library, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "index", library, "-o", "-")
    assert (code, out) == (2, "")
    assert "--out cannot be standard output, since an index is opened where it lies; pass the name of a file" in err
    assert not (tmp_path / "-").exists()


def test_index_refuses_a_target_that_cannot_be_written(library, tmp_path, capsys):
    code, _, err = run(capsys, "index", library, "-o", tmp_path / "none" / "a.wgi")
    assert code == 2
    assert "none" in err


# search


def test_search_prints_an_aligned_table(index_file, capsys):
    code, out, err = run(capsys, "search", index_file, "CCCCCO", "-k", "3")
    (names,), distances = names_found(3, "CCCCCO")
    header, *lines = out.splitlines()
    assert code == 0
    assert header.split() == ["rank", "name", "distance"]
    assert [line.split()[:2] for line in lines] == [[str(rank), name] for rank, name in enumerate(names, 1)]
    np.testing.assert_allclose([float(line.split()[2]) for line in lines], distances[0], rtol=1e-5)
    assert len({len(line) for line in [header, *lines]}) == 1
    assert err.startswith("1 query among 7 molecules in ")


def test_the_summary_counts_all_graphs(index_file, capsys):
    assert set(_OUTCOMES) == set(OUTCOMES)
    _, _, err = run(capsys, "search", index_file, "CCCCCO", "-k", "1")
    numbers = [int(part.split()[0]) for part in err.partition("; ")[2].split(", ")]
    assert sum(numbers) == 7
    assert run(capsys, "search", index_file, "CCO", "--quiet")[2] == ""


def test_a_table_of_queries_keeps_its_columns(index_file, tmp_path, capsys):
    queries, hits = tmp_path / "new.csv", tmp_path / "hits.csv"
    queries.write_text('smiles,Rank,note\nCCCCCO,a,"x, y"\nCCc1ccccc1,b,\n')
    code, out, _ = run(capsys, "search", index_file, queries, "-k", "2", "-o", hits)
    assert (code, out) == (0, "")
    with hits.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["smiles", "Rank", "note", "hit_rank", "neighbor", "distance"]
    names, distances = names_found(2, ["CCCCCO", "CCc1ccccc1"])
    assert [row[:4] for row in rows] == [
        ["CCCCCO", "a", "x, y", "1"],
        ["CCCCCO", "a", "x, y", "2"],
        ["CCc1ccccc1", "b", "", "1"],
        ["CCc1ccccc1", "b", "", "2"],
    ]
    assert [row[4] for row in rows] == [name for found in names for name in found]
    assert [float(row[5]) for row in rows] == distances.ravel().tolist()


def test_several_queries_are_named_in_the_table(index_file, tmp_path, capsys):
    (tmp_path / "new.smi").write_text("smiles id\nCCCCCO pentanol\nCCc1ccccc1 ethylbenzene\n")
    code, out, _ = run(capsys, "search", index_file, tmp_path / "new.smi", "-k", "1")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["query", "pentanol", "ethylbenzene"]
    code, out, err = run(capsys, "search", index_file, tmp_path / "new.smi", "-k", "1", "--row", "2", "-o", "-")
    assert code == 0
    assert [line.split(",")[1] for line in out.splitlines()] == ["id", "ethylbenzene"]
    assert err.startswith("1 query")


def test_json_is_a_list_of_queries(index_file, capsys):
    _, out, _ = run(capsys, "search", index_file, "CCO", "-k", "2", "--json")
    (found,) = json.loads(out)
    assert found["query"] == "CCO"
    assert found["hits"][0] == {"rank": 1, "neighbor": "ethanol", "distance": 0.0}
    assert len(found["hits"]) == 2


def test_a_radius_alone_finds_all_within_it(index_file, capsys):
    _, distances = names_found(7, "CCO")
    radius = (distances[0, 4] + distances[0, 5]) / 2
    for flags, n_hits in ((["--radius", radius], 5), (["--radius", radius, "-k", 3], 3), (["--radius", 0, "-k", 3], 1)):
        _, out, _ = run(capsys, "search", index_file, "CCO", "--json", *flags)
        assert len(json.loads(out)[0]["hits"]) == n_hits
    code, out, _ = run(capsys, "search", index_file, "CCCCCO", "--radius", "0")
    assert (code, out) == (0, "no graph is within the radius\n")


def test_graphs_of_a_data_set_are_queries(tmp_path, capsys):
    path = tmp_path / "demo.wgi"
    run(capsys, "index", "demo", "-o", path, "--depth", "1")
    _, out, _ = run(capsys, "search", path, "demo", "-k", "1", "--json", "--no-verify")
    assert [found["hits"][0]["distance"] for found in json.loads(out)] == [0.0] * 60


@pytest.mark.parametrize("ending", ["graphml", "gml"])
def test_one_graph_file_is_a_query(ending, tmp_path, capsys):
    (tmp_path / "graphs").mkdir()
    for n in (3, 4, 5):
        write = nx.write_graphml if ending == "graphml" else nx.write_gml
        write(nx.star_graph(n), tmp_path / "graphs" / f"star{n}.{ending}")
    (tmp_path / "graphs" / "labels.csv").write_text("file,class\n" + "".join(f"star{n},{n % 2}\n" for n in (3, 4, 5)))
    assert run(capsys, "index", tmp_path / "graphs", "-o", tmp_path / "a.wgi")[0] == 0
    code, out, _ = run(
        capsys, "search", tmp_path / "a.wgi", tmp_path / "graphs" / f"star4.{ending}", "-k", "1", "--json"
    )
    assert code == 0
    hit = {"rank": 1, "neighbor": f"star4.{ending}", "distance": 0.0}
    assert json.loads(out) == [{"query": f"star4.{ending}", "hits": [hit]}]
    code, _, err = run(capsys, "search", tmp_path / "a.wgi", tmp_path / f"none.{ending}")
    assert code == 2
    assert f"none.{ending}: it does not exist" in err


@pytest.mark.filterwarnings("always::UserWarning")
def test_queries_are_read_as_the_graphs_of_the_index_were(tmp_path, capsys):
    (tmp_path / "graphs").mkdir()
    for n in (3, 4, 5):
        graph = nx.DiGraph(nx.star_graph(n).edges)
        nx.set_node_attributes(graph, {node: f"{node % 2}" for node in graph}, "kind")
        nx.set_node_attributes(graph, {node: float(n) for node in graph}, "age")
        nx.write_graphml(graph, tmp_path / "graphs" / f"star{n}.graphml")
    nx.set_node_attributes(graph, {node: float("nan") for node in graph}, "age")
    nx.write_graphml(graph, tmp_path / "new.graphml")
    index, reading = tmp_path / "a.wgi", ["--symmetrize", "--impute", "mean", "--node-labels", "kind"]
    assert run(capsys, "index", tmp_path / "graphs", "-o", index, *reading, "--node-attributes", "age")[0] == 0
    mean = (4 * 3 + 5 * 4 + 6 * 5) / 15
    assert wg.load_index(index).source["fill_values"] == {"node_attributes": [mean]}
    code, out, said = run(capsys, "search", index, tmp_path / "new.graphml", "--json", "-k", "3")
    assert code == 0
    assert "6 missing values of attributes, in 1 of 1 graphs, are the mean of earlier graphs" in said
    assert json.loads(out)[0]["hits"][0]["neighbor"] == "star4.graphml"
    code, _, said = run(capsys, "search", index, tmp_path / "new.graphml", "--impute", "error")
    assert (code, "is nan" in said) == (2, True)


def test_queries_in_a_table_have_the_columns_of_the_index(tmp_path, capsys):
    (tmp_path / "all.csv").write_text("parent,salt\nCCO,CCN\nCCCO,CCCCN\n")
    run(capsys, "index", tmp_path / "all.csv", "-o", tmp_path / "a.wgi", "--smiles-column", "salt")
    (tmp_path / "new.csv").write_text("parent,salt\nCCO,CCCCN\n")
    code, out, _ = run(capsys, "search", tmp_path / "a.wgi", tmp_path / "new.csv", "-k", "1", "--json")
    assert code == 0
    assert json.loads(out)[0]["hits"][0]["distance"] == 0


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_hits_are_drawn(index_file, ending, tmp_path, capsys):
    path = tmp_path / f"hits.{ending}"
    assert run(capsys, "search", index_file, "CCCCCO", "--plot", path)[0] == 0
    assert path.stat().st_size > 5000
    if ending == "svg":
        assert "<!-- CCCCCO -->" in path.read_text()
        assert "<!-- 1 · butanol -->" in path.read_text()


def test_hits_of_other_graphs_are_drawn(tmp_path, capsys):
    run(capsys, "index", "demo", "-o", tmp_path / "demo.wgi", "--mass", "count", "--size-weight", "1")
    flags = "--row", "3", "-k", "30", "--plot", tmp_path / "hits.svg"
    code, out, _ = run(capsys, "search", tmp_path / "demo.wgi", "demo", *flags)
    drawn = (tmp_path / "hits.svg").read_text()
    assert code == 0
    assert len(out.splitlines()) == 31
    assert "<!-- 23 · " in drawn
    assert "<!-- 24 · " not in drawn


def test_plans_are_those_of_the_distances(index_file, monkeypatch, tmp_path, capsys):
    drawn = {}
    monkeypatch.setattr("wassergraph.pictures.hits.draw_hits", lambda plans, **options: drawn.update(options, p=plans))
    run(capsys, "search", index_file, "CCCCCO", "--plot", tmp_path / "hits.svg")
    np.testing.assert_allclose([plan.cost for plan in drawn["p"]], drawn["distances"], rtol=1e-9, atol=1e-12)


def test_plans_of_an_index_with_weights_are_those_of_the_distances():
    graphs = wg.datasets.make_demo(6)[0]
    index = wg.GraphIndex(graphs, wg.WWL(kind="joint"), weights=np.arange(graphs.n_nodes) % 3 + 1.0)
    distances, positions = index.query(graphs[3], k=4)
    embeddings = [index.embed_with(graphs[3], g) for g in positions[0]]
    costs = [plan_of(each, (graphs[3], graphs[int(g)])).cost for each, g in zip(embeddings, positions[0], strict=True)]
    np.testing.assert_allclose(costs, distances[0], rtol=1e-9, atol=1e-12)


def test_no_hits_are_not_drawn(index_file, tmp_path, capsys):
    flags = "--radius", "0", "--plot", tmp_path / "hits.svg"
    code, _, err = run(capsys, "search", index_file, "CCCCCO", *flags)
    assert code == 0
    assert "is not written, since there are no hits" in err
    assert not (tmp_path / "hits.svg").exists()


# Errors


def test_a_query_of_another_kind_is_told_what_the_index_holds(index_file, tmp_path, capsys):
    code, _, err = run(capsys, "search", index_file, "demo")
    assert code == 2
    assert (
        "error: the index holds molecules, but these graphs are not, and their labels are no elements; pass molecules, "
        "such as SMILES; this is GraphIndex(7 molecules, joint, node labels, edge labels and node attributes, depth 3)"
    ) in err
    run(capsys, "index", "demo", "-o", tmp_path / "demo.wgi")
    code, _, err = run(capsys, "search", tmp_path / "demo.wgi", "CCO")
    assert code == 2
    assert "these are molecules, but the index holds other graphs" in err
    assert "this is GraphIndex(60 graphs, continuous, node attributes, depth 3)" in err


def test_molecules_are_not_compared_with_a_data_set_of_former_molecules(data_home, tmp_path, capsys):
    flags = "-o", tmp_path / "a.wgi", "--data-home", data_home
    assert run(capsys, "index", "MUTAG", *flags)[0] == 0
    code, out, err = run(capsys, "search", tmp_path / "a.wgi", "CCO")
    assert (code, out) == (2, "")
    assert (
        "these are molecules, but the index holds other graphs, whose labels are no elements; make an index of" in err
    )


def test_a_query_that_is_nothing_is_refused(index_file, tmp_path, capsys):
    code, _, err = run(capsys, "search", index_file, "c1ccccc")
    assert code == 2
    assert "'c1ccccc' cannot be read as a molecule" in err
    assert "and there is no such file or data set; pass a SMILES string, a file or a data set" in err
    code, _, err = run(capsys, "search", index_file, tmp_path / "none.csv")
    assert code == 2
    assert "none.csv: it does not exist" in err


def test_a_file_whose_name_is_a_smiles_is_read(index_file, tmp_path, monkeypatch, capsys):
    (tmp_path / "CCO").write_text("")
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, "search", index_file, "CCO")
    assert code == 2
    assert "graphs cannot be read from this kind of file" in err


@pytest.mark.parametrize("content", [b"", b"name,smiles\n", b"PK\x03\x04 and so on"])
def test_a_file_that_is_no_index_is_refused(content, tmp_path, capsys):
    (tmp_path / "a.wgi").write_bytes(content)
    code, out, err = run(capsys, "search", tmp_path / "a.wgi", "CCO")
    assert (code, out) == (2, "")
    assert "this is not a graph index; pass a file that GraphIndex.save or wassergraph index has written" in err


def test_a_damaged_index_is_refused(index_file, capsys):
    index_file.write_bytes(index_file.read_bytes()[:-1])
    code, _, err = run(capsys, "search", index_file, "CCO", "--no-verify")
    assert code == 2
    assert "damaged or incomplete" in err


def test_a_missing_index_is_named(tmp_path, capsys):
    code, _, err = run(capsys, "search", tmp_path / "a.wgi", "CCO")
    assert code == 2
    assert "a.wgi: No such file" in err


def test_models_and_indexes_are_not_mixed_up(index_file, library, capsys):
    code, _, err = run(capsys, "predict", index_file, library)
    assert code == 2
    assert "this is not a model file, but a graph index; open it with load_index or wassergraph search" in err


def test_several_queries_are_not_drawn(index_file, library, tmp_path, capsys):
    code, _, err = run(capsys, "search", index_file, library, "--plot", tmp_path / "hits.svg")
    assert code == 2
    assert "--plot draws one query, but there are 7; choose one with --row" in err
    code, _, err = run(capsys, "search", index_file, library, "--row", "8")
    assert code == 2
    assert "there is no row 8" in err


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["-k", "0"], "--k must be at least 1"),
        (["--radius", "-1"], "--radius must be at least 0, got -1.0"),
        (["--radius", "-1", "-k", "3"], "--radius must be at least 0, got -1.0"),
        (["--radius", "nan", "-k", "3"], "--radius must be at least 0, got nan"),
        (["--plot", "hits.txt"], "use .png, .svg or .pdf"),
        (["-o", "none/hits.csv"], "none"),
    ],
)
def test_impossible_options_are_refused(index_file, flags, words, capsys):
    code, out, err = run(capsys, "search", index_file, "CCO", *flags)
    assert (code, out) == (2, "")
    assert words in err
