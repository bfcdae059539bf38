"""Molecules that are standardized when they are read: salts, charges and tautomers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from rdkit import Chem

import wassergraph as wg
from command_line import run
from wassergraph.formats.standardize import count_fragments, read_steps, several_fragments


def result(capsys, *arguments):
    """Return what a command prints as JSON."""
    code, out, _ = run(capsys, *arguments, "--json")
    assert code == 0
    return json.loads(out)


#: A salt, the steps that are needed, and its base, acid or tautomer.
SALTS = {
    "hydrochloride": ("CCNCC.Cl", ["fragment"], "CCNCC"),
    "charged hydrochloride": ("CC[NH2+]CC.[Cl-]", ["fragment", "neutral"], "CCNCC"),
    "perchlorate": ("C[NH3+].[O-]Cl(=O)(=O)=O", ["neutral", "fragment"], "CN"),
    "sodium salt": ("CC(=O)[O-].[Na+]", ["fragment", "neutral"], "CC(=O)O"),
    "zwitterion": ("[NH3+]CC(=O)[O-]", ["neutral"], "NCC(=O)O"),
    "pyridone": ("Oc1ccccn1", ["tautomer"], "O=c1cccc[nH]1"),
    "all": ("Oc1cc([NH3+])ccn1.[Cl-]", "all", "Nc1cc[nH]c(=O)c1"),
}


@pytest.mark.parametrize(("salt", "steps", "other"), SALTS.values(), ids=SALTS)
def test_a_salt_and_its_base_have_the_distance_0(salt, steps, other):
    for metric in (wg.WWL(2), wg.WWL(2, kind="categorical", mass="count")):
        read = wg.from_smiles([salt, other], standardize_molecules=steps)
        assert wg.distances(read, metric=metric)[0, 1] < 1e-12
    assert wg.distances([salt, other])[0, 1] > 0.001
    assert wg.from_rdkit(list(map(Chem.MolFromSmiles, [salt, other])), standardize_molecules=steps) == read


def test_the_counter_ion_is_much_of_the_distance_unless_it_is_left_out():
    molecules = ["CCNCC", "CCNCC.Cl", "CCNCCC"]
    salt, homologue = wg.distances(molecules)[0, 1:]
    assert salt > homologue / 2
    alone = wg.distances(wg.from_smiles(molecules, standardize_molecules="fragment"))
    assert alone[0, 1] == 0
    assert alone[0, 2] == pytest.approx(homologue)


def test_stereochemistry_and_drawings_are_those_of_the_standardized_molecule():
    graphs = wg.from_smiles(["C[C@H]([NH3+])CO.[Cl-]"], standardize_molecules=["fragment", "neutral"])
    assert np.count_nonzero(graphs.node_stereo) == 1
    smiles = graphs.structures[0].partition("\t")[0]
    assert Chem.MolToSmiles(Chem.MolFromSmiles(smiles)) == Chem.MolToSmiles(Chem.MolFromSmiles("C[C@H](N)CO"))
    tautomers = wg.from_smiles("CC(=O)[C@H](C)C=O", standardize_molecules="tautomer")
    assert tautomers.node_stereo is None


def test_sdf_files(tmp_path):
    path = tmp_path / "salts.sdf"
    with Chem.SDWriter(str(path)) as writer:
        writer.write(Chem.MolFromSmiles("CC[NH3+].[Cl-]"))
    assert wg.from_sdf(path, standardize_molecules="all") == wg.from_smiles("CCN")
    assert wg.from_sdf(path).n_nodes == 4


def test_steps_that_are_not_known():
    assert read_steps("tautomer") == ("tautomer",)
    problem = r"standardize_molecules must be among 'fragment', 'neutral', 'tautomer', or \"all\", got 'salt'"
    with pytest.raises(ValueError, match=problem):
        wg.from_smiles("CCO", standardize_molecules=["salt"])  # type: ignore[list-item]


def test_molecules_that_cannot_be_standardized():
    molecule = Chem.MolFromSmiles("CC(=O)O.C", sanitize=False)
    with pytest.raises(ValueError, match=r"graph 1: the molecule cannot be standardized"):
        wg.from_rdkit([Chem.MolFromSmiles("CO"), molecule], standardize_molecules="all", node_attributes=None)


def test_fragments_are_counted():
    graphs = wg.from_smiles(["CCN.Cl", "CCN", "C.C.C", "C1CC1.C"])
    assert count_fragments(graphs).tolist() == [2, 1, 3, 2]
    assert "3 of 4 molecules have several fragments" in str(several_fragments(graphs))
    assert several_fragments(graphs[1]) is None
    assert several_fragments(wg.load_dataset("demo")[0]) is None


# The command line, models and indexes


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "salts.csv"
    rows = ["CCNCC.Cl,1", "CCNCCC,2", "CCCNCCC,3", "CCO,4", "CCCO,5", "CC(=O)[O-].[Na+],6", "CCCl,7", "CCCCl,8"]
    path.write_text("smiles,y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_models_and_indexes_standardize_new_molecules_alike(table, tmp_path, capsys):
    how = ("--standardize-molecules", "neutral", "fragment")
    result(capsys, "train", table, "--target", "y", "--out", tmp_path / "m.wgm", "--depth", 1, "--quiet", *how)
    model = wg.load_model(tmp_path / "m.wgm")
    assert model.source_["standardize_molecules"] == ["fragment", "neutral"]
    assert model.graphs_ == wg.from_smiles(["CCNCC", "CCNCCC", "CCCNCCC", "CCO", "CCCO", "CC(=O)O", "CCCl", "CCCCl"])
    new = ["CC[NH2+]CC.[Br-]", "CC(=O)O"]
    assert model.neighbors(new).positions.tolist() == [0, 5]
    assert not model.neighbors(new).distances.any()
    np.testing.assert_array_equal(model.predict(new), model.predict(["CCNCC", "CC(=O)O"]))
    assert not model.explain(new[0]).distances.min()
    (tmp_path / "new.csv").write_text("smiles\n" + "\n".join(new) + "\n", encoding="utf-8")
    predicted = result(capsys, "predict", tmp_path / "m.wgm", tmp_path / "new.csv", "--quiet")
    assert [row["nearest_distance"] for row in predicted] == [0, 0]
    result(capsys, "index", table, "--out", tmp_path / "i.wgi", "--quiet", *how)
    index = wg.load_index(tmp_path / "i.wgi")
    assert index.query(new, k=1)[0].ravel().tolist() == [0, 0]
    index.add(["CCCC[NH3+].[I-]"])
    assert index.graphs[8] == wg.from_smiles("CCCCN")


def test_all_steps_are_meant_if_none_is_named(table, tmp_path, capsys):
    run(capsys, "train", table, "--target", "y", "--out", tmp_path / "m.wgm", "--depth", 1, "--standardize-molecules")
    assert wg.load_model(tmp_path / "m.wgm").source_["standardize_molecules"] == ["fragment", "neutral", "tautomer"]


def test_the_command_line_counts_molecules_of_several_fragments(table, capsys):
    told = (
        "2 of 8 molecules have several fragments, each of which counts in distances; pass --standardize-molecules "
        "fragment to keep the largest"
    )
    assert run(capsys, "duplicates", table)[2].splitlines() == [told]
    assert f"fragments        {told}" in run(capsys, "datasets", table)[1]
    code, out, err = run(capsys, "datasets", table, "--standardize-molecules", "fragment")
    assert (code, err) == (0, "")
    assert "standardized     fragment\n" in out
    assert "fragments " not in out
    assert run(capsys, "duplicates", table, "--standardize-molecules", "neutral")[2] == ""


def test_graphs_of_other_kinds_are_not_standardized(capsys):
    code, _, err = run(capsys, "duplicates", "demo", "--standardize-molecules", "fragment")
    assert code == 2
    assert "--standardize-molecules applies to a table of molecules" in err
