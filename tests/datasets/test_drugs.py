"""The embedded drugs: every row is a molecule with its formula and the scaffold of its family, and loads anywhere."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import wassergraph as wg
from wassergraph.cli.main import main
from wassergraph.datasets import drugs as module
from wassergraph.datasets.inputs import load_graphs
from wassergraph.datasets.reading import ReadingOptions

#: What every drug of a family has.
SCAFFOLDS = {
    "beta-lactams": "O=C1CC(S)N1",
    "benzodiazepines": "c1cccc2c1[#6](a)~[#7]~[#6]~[#6]~[#7]2",
    "steroids": "[#6]1~[#6]~[#6]~[#6]2~[#6](~[#6]~1)~[#6]~[#6]~[#6]1~[#6]~2~[#6]~[#6]~[#6]2~[#6]~[#6]~[#6]~[#6]~2~1",
    "sulfonamides": "cS(=O)(=O)N",
    # a carboxylic acid at most two atoms away from an aromatic ring
    "NSAIDs": "[$(cC(=O)[OH]),$(c[#6]C(=O)[OH]),$(c[#6][#6]C(=O)[OH])]",
    # an amine three atoms away from an aromatic ring, or the anilide of a piperidine
    "opioids": "[c;$(c-[CX4]-[CX4]-[CX4]-[NX3]),$(cN(C=O)C1CCNCC1)]",
    # two benzene rings, fused to a ring of six or seven atoms
    "tricyclics": "[$(c1ccc2c(c1)*c1ccccc1*2),$(c1ccc2c(c1)*~*c1ccccc1*2)]",
    # two aromatic rings that one atom connects, or an aminomethyl group
    "antihistamines": "[$(a[C,N]a),$(aCNa)]",
}
with Path(module.__file__).with_name("drugs.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))


def loaded_without(*libraries: str, code: str) -> str:
    """Return what code prints in a new process in which some libraries cannot be imported."""
    block = f"import sys; sys.modules.update(dict.fromkeys({libraries!r}))"
    command = [sys.executable, "-c", f"{block}\n{code}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def drugs():
    return wg.datasets.load_drugs()


def test_every_drug_is_what_it_says():
    chem = pytest.importorskip("rdkit.Chem")
    descriptors = pytest.importorskip("rdkit.Chem.rdMolDescriptors")
    for row in ROWS:
        molecule = chem.MolFromSmiles(row["smiles"])
        assert molecule is not None, row
        assert descriptors.CalcMolFormula(molecule) == row["formula"]
        assert molecule.HasSubstructMatch(chem.MolFromSmarts(SCAFFOLDS[row["family"]])), row
        assert len(chem.GetMolFrags(molecule)) == 1, row


def test_no_drug_is_there_twice(drugs):
    chem = pytest.importorskip("rdkit.Chem")
    assert len(set(drugs.names)) == len({chem.CanonSmiles(text) for text in drugs.smiles}) == len(ROWS) == 152
    assert len({name.lower() for name in drugs.names}) == 152
    assert wg.find_duplicates(drugs.graphs, n_jobs=1).groups == []


def test_families_have_nineteen_drugs_each(drugs):
    assert Counter(drugs.y.tolist()) == dict.fromkeys(SCAFFOLDS, 19)


def test_the_stored_graphs_are_those_of_the_smiles(drugs):
    pytest.importorskip("rdkit")
    expected = wg.from_smiles(drugs.smiles)
    assert expected == drugs.graphs
    for name in ("node_ptr", "indptr", "indices", "node_labels", "node_attributes", "edge_labels"):
        stored = getattr(drugs.graphs, name)
        assert stored.dtype == getattr(expected, name).dtype
        np.testing.assert_array_equal(stored, getattr(expected, name))
    assert drugs.graphs.edge_weights is drugs.graphs.edge_attributes is None
    assert drugs.graphs.molecules


def test_the_stored_graphs_can_be_made_again(tmp_path, monkeypatch, drugs):
    pytest.importorskip("rdkit")
    monkeypatch.setattr(module, "_GRAPHS", tmp_path / "drugs.graphs")
    module.write_graphs()
    assert wg.datasets.load_drugs().graphs == drugs.graphs
    assert (tmp_path / "drugs.graphs").stat().st_size < 100_000


def test_all_columns_are_those_of_the_table(drugs):
    columns = {"name": drugs.names, "family": drugs.y, "formula": drugs.formulas, "smiles": drugs.smiles}
    for name, column in columns.items():
        assert column.tolist() == [row[name] for row in ROWS]
    graphs, y = wg.load_dataset("drugs")
    assert graphs == drugs.graphs
    assert y.tolist() == drugs.y.tolist()


def test_it_loads_without_rdkit_and_loads_nothing_heavy():
    code = "import wassergraph as wg; print(wg.datasets.load_drugs().names[0], wg.load_dataset('drugs')[1][0])"
    heavy = ("rdkit", "sklearn", "networkx", "torch", "matplotlib", "pandas")
    assert loaded_without(*heavy, code=code) == "benzylpenicillin beta-lactams\n"


# The command line


def test_the_command_line_reads_names_and_families(drugs):
    source = load_graphs("drugs", ReadingOptions(need_target=True))
    assert source.graphs == drugs.graphs
    assert source.names == drugs.names.tolist()
    assert source.y.tolist() == drugs.y.tolist()
    assert source.molecules == drugs.smiles.tolist()
    assert source.rows[0] == list(ROWS[0].values())
    assert (
        load_graphs("drugs", ReadingOptions(target="family")).target.name
        == load_graphs("drugs", ReadingOptions(target="labels")).target.name
    )


def test_another_target_is_refused():
    with pytest.raises(ValueError, match='drugs: target="formula": the drugs have one class each, their family'):
        load_graphs("drugs", ReadingOptions(target="formula"))
    with pytest.raises(ValueError, match="drugs: target: the graphs have one class each"):
        wg.load_dataset("drugs", target="attributes")
    with pytest.raises(ValueError, match="'beta-lactams' in the column 'family' is not a number"):
        load_graphs("drugs", ReadingOptions(task="regression"))


def test_commands_know_the_drugs_by_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> str:
        assert main(list(arguments)) == 0
        return capsys.readouterr().out

    assert json.loads(run("datasets", "drugs", "--json"))["classes"] == dict.fromkeys(SCAFFOLDS, 19)
    assert "152 graphs, 8 classes" in run("evaluate", "drugs", "--method", "v", "--folds", "2")
    run("index", "drugs", "-o", "drugs.wgi", "--depth", "1")
    assert "levorphanol" in run("search", "drugs.wgi", "COc1ccc2CC3N(C)CCC4(CCCCC34)c2c1", "-k", "3")
    run("train", "drugs", "-o", "drugs.wgm", "--depth", "1", "--gamma", "1", "--C", "10", "--cv", "2")
    run("predict", "drugs.wgm", "drugs", "--out", "predictions.csv")
    with Path("predictions.csv").open(encoding="utf-8", newline="") as file:
        predictions = list(csv.DictReader(file))
    assert [row["nearest"] for row in predictions] == [row["name"] for row in ROWS]
    run("report", "drugs", "-o", "drugs.html", "--depth", "1")
    assert Path("drugs.html").stat().st_size > 10_000
