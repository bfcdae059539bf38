from __future__ import annotations

import gzip
from dataclasses import replace

import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem import AllChem

import wassergraph as wg
from wassergraph.formats.atoms import ATOM_PROPERTIES
from wassergraph.formats.sdf import read_records

SMILES = ["CCO", "c1ccccc1", "C#N", "[Na+].[Cl-]", "O"]


def test_atoms_and_bonds_equal_rdkit():
    batch = wg.from_smiles(SMILES)
    for graph, smiles in zip(batch, SMILES, strict=True):
        molecule = Chem.MolFromSmiles(smiles)
        np.testing.assert_array_equal(graph.adjacency().toarray(), Chem.GetAdjacencyMatrix(molecule))
        assert graph.node_labels.tolist() == [atom.GetAtomicNum() for atom in molecule.GetAtoms()]
        assert graph.n_edges == molecule.GetNumBonds()
    assert set(batch[0].edge_labels) == {1}
    assert set(batch[1].edge_labels) == {12}
    assert set(batch[2].edge_labels) == {3}
    assert wg.from_smiles("CCO") == batch[0]


def test_every_atom_property():
    molecule = Chem.MolFromSmiles("C[NH3+]")
    batch = wg.from_rdkit(molecule, node_attributes=list(ATOM_PROPERTIES))
    found = dict(zip(ATOM_PROPERTIES, batch.node_attributes.T.tolist(), strict=True))
    assert found["atomic_number"] == [6, 7]
    assert found["charge"] == [0, 1]
    assert found["hydrogens"] == [3, 3]
    assert found["degree"] == [1, 1]
    assert found["valence"] == [4, 4]
    assert found["aromatic"] == found["in_ring"] == found["radical_electrons"] == [0, 0]
    assert found["mass"] == pytest.approx([12.011, 14.007])


def test_functions_of_atoms_and_coordinates():
    molecule = Chem.AddHs(Chem.MolFromSmiles("CO"))
    assert AllChem.EmbedMolecule(molecule, randomSeed=1) == 0
    with pytest.warns(UserWarning, match="coordinates change when a molecule is turned"):
        batch = wg.from_rdkit([molecule], node_attributes=["coordinates", lambda atom: 2 * atom.GetIdx()])
    assert batch.node_attributes.shape == (6, 4)
    np.testing.assert_array_equal(batch.node_attributes[:, :3], molecule.GetConformer().GetPositions())
    assert batch.node_attributes[:, 3].tolist() == [0, 2, 4, 6, 8, 10]


def test_unreadable_molecules_raise_with_all_positions():
    with pytest.raises(
        ValueError,
        match=r"^graph 1: 'x\(' cannot be read as a molecule \(it is not a SMILES string\) \(also graph 3: 'C1CC'\)",
    ):
        wg.from_smiles(["C", "x(", "O", "C1CC"])
    with pytest.raises(
        ValueError, match=r"graph 1: None cannot be read as a molecule \(RDKit could not read it\); correct"
    ):
        wg.from_rdkit([Chem.MolFromSmiles("C"), None])
    with pytest.raises(ValueError, match="graph 0: nan cannot be read"):
        wg.from_smiles([float("nan")])
    with pytest.raises(ValueError, match=r"also graph 1: .*graph 9: 'x\('\); .*12 molecules, of which 10 are shown"):
        wg.from_smiles(["x("] * 12)


def test_molecules_without_attributes():
    assert wg.from_smiles(["CCO", "C"], node_attributes=None).node_attributes is None


def test_a_generator_of_properties_is_read_once():
    batch = wg.from_smiles(["CCO", "C"], node_attributes=(name for name in ["charge", "mass"]))
    assert batch.node_attributes.shape == (4, 2)
    assert wg.from_smiles("CO", node_attributes=lambda atom: atom.GetIdx()).node_attributes.tolist() == [[0], [1]]


def test_bad_input():
    with pytest.raises(ValueError, match=r"graph 0: 'CCO\\nCCC' cannot be read as a molecule"):
        wg.from_smiles("CCO\nCCC")
    with pytest.raises(ValueError, match="node_attributes is an empty list"):
        wg.from_smiles("C", node_attributes=[])
    with pytest.raises(ValueError, match=r"graph 1: '' cannot be read as a molecule \(it is empty\)"):
        wg.from_smiles(["C", ""])
    with pytest.raises(ValueError, match="there are no graphs"):
        wg.from_smiles([])
    with pytest.raises(ValueError, match="'color' is not a property of atoms; choose among atomic_number"):
        wg.from_smiles(["C"], node_attributes="color")
    with pytest.raises(ValueError, match=r"SMILES strings have no coordinates; .*EmbedMolecule"):
        wg.from_smiles(["C"], node_attributes=["coordinates"])
    with pytest.raises(ValueError, match="graph 0: the molecule has no coordinates"):
        wg.from_rdkit([Chem.MolFromSmiles("C")], node_attributes="centroid_distance")


BONDS = [
    "CC",
    "C=C",
    "C#N",
    "c1ccccc1O",
    "C$C",
    "C~C",
    "N->[Fe]<-N",
    "[Na+].[Cl-]",
    "F/C=C/F",
    "CC(=O)Nc1ccc(O)cc1.Cl",
    "[Ru+2](Cl)(Cl)<-N1CCCCC1",
]


@pytest.mark.parametrize("smiles", BONDS)
def test_bonds_are_those_that_rdkit_lists_one_by_one(smiles):
    molecule = Chem.MolFromSmiles(smiles)
    for kekulized in (False, True):
        if kekulized:
            Chem.Kekulize(molecule, clearAromaticFlags=True)
        batch = wg.from_rdkit(molecule)
        found = {
            (int(tail), int(head), int(kind))
            for tail, head, kind in zip(batch.arc_tails, batch.indices, batch.edge_labels, strict=True)
        }
        listed = {(b.GetBeginAtomIdx(), b.GetEndAtomIdx(), int(b.GetBondType())) for b in molecule.GetBonds()}
        assert found == listed | {(head, tail, kind) for tail, head, kind in listed}
        assert batch.node_labels.tolist() == [atom.GetAtomicNum() for atom in molecule.GetAtoms()]


def test_a_molecule_that_was_changed_is_read_as_it_is_now():
    molecule = Chem.MolFromSmiles("CC")
    assert wg.from_rdkit(molecule).edge_labels.tolist() == [1, 1]
    molecule.GetBondWithIdx(0).SetBondType(Chem.BondType.DOUBLE)
    assert wg.from_rdkit(molecule).edge_labels.tolist() == [2, 2]
    molecule.GetBondWithIdx(0).SetBondType(Chem.BondType.ZERO)
    assert wg.from_rdkit(molecule).edge_labels.tolist() == [21, 21]


# Attributes


def test_default_attributes_are_those_of_rdkit_and_make_the_joint_kind():
    batch = wg.from_smiles(["C[NH3+]", "c1ccccc1O"])
    atoms = [atom for smiles in ["C[NH3+]", "c1ccccc1O"] for atom in Chem.MolFromSmiles(smiles).GetAtoms()]
    expected = [[a.GetFormalCharge(), a.GetTotalNumHs(), a.GetIsAromatic(), a.IsInRing(), a.GetDegree()] for a in atoms]
    np.testing.assert_array_equal(batch.node_attributes, expected)
    embedding = wg.WWL(depth=2).embed(batch)
    assert (embedding.kind, str(embedding.features)) == ("joint", "node labels, edge labels and node attributes")
    plain = wg.from_smiles(["C[NH3+]"], node_attributes=None)
    assert plain.node_attributes is None
    assert wg.WWL(depth=2).embed(plain).kind == "categorical"


def embedded(smiles: str, seed: int) -> Chem.Mol:
    molecule = Chem.AddHs(Chem.MolFromSmiles(smiles))
    assert AllChem.EmbedMolecule(molecule, randomSeed=seed) == 0
    return molecule


def turned(molecule: Chem.Mol) -> Chem.Mol:
    """Return a molecule that is turned and moved."""
    random = np.random.default_rng(3)
    rotation, _ = np.linalg.qr(random.normal(size=(3, 3)))
    moved = Chem.Mol(molecule)
    conformer = moved.GetConformer()
    for atom, place in enumerate(conformer.GetPositions() @ rotation.T + random.normal(size=3)):
        conformer.SetAtomPosition(atom, place.tolist())
    return moved


def test_features_of_space_do_not_change_when_a_molecule_is_turned():
    molecules = [embedded(smiles, seed) for seed, smiles in enumerate(["CCO", "CC(N)=O", "c1ccccc1"], start=1)]
    options = {"node_attributes": ["centroid_distance", "charge"], "edge_weights": "length"}
    graphs = wg.from_rdkit([*molecules, *map(turned, molecules)], **options)
    assert graphs.edge_weights.min() > 0.9
    distances = wg.distances(graphs, metric=wg.WWL(depth=2))
    np.testing.assert_allclose(distances[:3, :3], distances[3:, 3:], rtol=0, atol=1e-6)
    np.testing.assert_allclose(np.diag(distances[:3, 3:]), 0, atol=1e-6)
    assert distances[0, 1] > 0.1
    bond = molecules[0].GetConformer().GetPositions()[:2]
    assert graphs[0].edge_weights[0] == pytest.approx(np.linalg.norm(bond[0] - bond[1]))
    with pytest.raises(ValueError, match="edge_weights must be one of 'length', got 'order'"):
        wg.from_rdkit(molecules, edge_weights="order")
    with pytest.raises(ValueError, match="graph 0: the molecule has no coordinates"):
        wg.from_rdkit(Chem.MolFromSmiles("CC"), edge_weights="length")


# Molecules that cannot be read


def test_unreadable_molecules_are_skipped_on_request_with_a_warning(capfd):
    smiles = ["CCO", "C1CC", "F(F)F", "", None, "CC"]
    with pytest.warns(UserWarning, match=r"^4 of 6 molecules cannot be read and are left out, at position 1 "):
        graphs, positions = wg.from_smiles(smiles, invalid="skip", return_positions=True)
    assert positions.tolist() == [0, 5]
    assert graphs == wg.from_smiles(["CCO", "CC"])
    with pytest.warns(UserWarning, match="left out") as caught:
        assert len(wg.from_smiles(smiles, invalid="skip")) == 2
    message = str(caught[0].message)
    assert "1 ('C1CC': it is not a SMILES string)" in message
    assert "2 ('F(F)F': Explicit valence for atom # 0 F, 2, is greater than permitted)" in message
    assert "3 ('': it is empty), 4 (None: RDKit could not read it)" in message
    with (
        pytest.warns(UserWarning, match="left out"),
        pytest.raises(ValueError, match="none of 2 molecules can be read"),
    ):
        wg.from_smiles(["(", ")"], invalid="skip")
    with pytest.raises(ValueError, match=r"invalid must be one of 'error', 'skip', got 'drop'"):
        wg.from_smiles(smiles, invalid="drop")
    assert capfd.readouterr().err == ""  # RDKit is quiet


def test_salts_and_large_molecules_are_read():
    salt = wg.from_smiles("CC(=O)[O-].[Na+]")
    assert (salt.n_nodes, salt.n_edges) == (5, 3)
    assert wg.from_smiles("C" * 500).n_nodes == 500
    # The matrix of all pairs of these atoms would take 7 GB. Old versions of RDKit take hours to read its SMILES.
    chain = Chem.RWMol()
    for atom in range(30_001):
        chain.AddAtom(Chem.Atom("C"))
        if atom:
            chain.AddBond(atom - 1, atom, Chem.BondType.SINGLE)
    chain.UpdatePropertyCache()
    large = wg.from_rdkit(chain.GetMol(), node_attributes=None)
    np.testing.assert_array_equal(large.indices[:4], [1, 0, 2, 1])
    assert (large.n_edges, set(large.edge_labels)) == (30_000, {1})
    assert wg.from_smiles("*C").node_labels.tolist() == [0, 6]


@pytest.mark.parametrize("smiles", ["CCé", "éCC", "CC…", "CC\x01", "\ufeffCC", "CC😀 name", "CC\ud800"])
def test_characters_that_rdkit_would_ignore_are_an_error(smiles):
    with pytest.raises(ValueError, match=r"cannot be read as a molecule \('.*' is not a character of SMILES\)"):
        wg.from_smiles([smiles])


def test_a_name_after_the_smiles_may_have_any_characters():
    assert wg.from_smiles(["CCO Äthanol", " CCO\xa0"]) == wg.from_smiles(["CCO", "CCO"])


def test_things_that_are_no_molecules_are_named_by_their_type():
    with pytest.raises(ValueError, match=r"graph 0: 'CCO' cannot be read as a molecule \(its type is str\)"):
        wg.from_rdkit(["CCO"])
    with pytest.raises(ValueError, match=r"graph 1: b'C' cannot be read as a molecule \(its type is bytes\)"):
        wg.from_smiles(["C", b"C"])


@pytest.mark.parametrize("reader", [wg.from_smiles, wg.from_rdkit, wg.from_sdf])
def test_no_public_reader_skips_without_a_warning(reader):
    with pytest.raises(ValueError, match=r"invalid must be one of 'error', 'skip', got None"):
        reader([], invalid=None)


def test_properties_that_cannot_be_computed():
    with pytest.raises(ValueError, match=r"graph 0: the property .* \(must be real number, not str\); return a number"):
        wg.from_smiles(["C"], node_attributes=lambda atom: atom.GetSymbol())
    with pytest.raises(ValueError, match=r"^graph 1: the property hydrogens .*; complete the molecule") as caught:
        wg.from_rdkit([Chem.MolFromSmiles("C"), Chem.MolFromSmiles("C", sanitize=False)])
    assert "\n" not in str(caught.value)


# SDF files


def write_sdf(path, smiles, cut=0):
    records = []
    for number, text in enumerate(smiles):
        block = Chem.MolToMolBlock(Chem.MolFromSmiles(text))
        records.append(f"mol{number}{block}>  <logP>\n{number}.5\n\n> <note>  (3)\ntwo\nlines\n\n$$$$\n")
    content = "".join(records)
    content = content[: len(content) - cut] if cut else content
    path.write_bytes(gzip.compress(content.encode()) if path.suffix == ".gz" else content.encode())
    return path


@pytest.mark.parametrize("name", ["m.sdf", "m.sdf.gz"])
def test_an_sdf_file_is_read_as_rdkit_does(tmp_path, name):
    path = write_sdf(tmp_path / name, SMILES)
    expected = wg.from_rdkit([Chem.MolFromMolBlock(record.block) for record in read_records(path)])
    assert wg.from_sdf(path) == expected
    assert [graph.n_nodes for graph in wg.from_sdf(path)] == [graph.n_nodes for graph in wg.from_smiles(SMILES)]
    records = list(read_records(path))
    assert [record.name for record in records] == [f"mol{n}" for n in range(len(SMILES))]
    assert records[2].fields == {"logP": "2.5", "note": "two\nlines"}
    if name == "m.sdf":
        supplier = Chem.SDMolSupplier(str(path))
        assert wg.from_rdkit(supplier) == expected
        assert [m.GetProp("logP") for m in supplier] == [record.fields["logP"] for record in records]


def test_an_sdf_file_that_was_cut_is_an_error_or_a_counted_skip(tmp_path):
    path = write_sdf(tmp_path / "m.sdf", SMILES[:3], cut=120)
    first_of_last = [record.line for record in read_records(path)][-1]
    with pytest.raises(
        ValueError, match=rf"m.sdf, line {first_of_last}: 'mol2' cannot be read .*the record has no end: the file was"
    ):
        wg.from_sdf(path)
    with pytest.warns(UserWarning, match="1 of 3 molecules cannot be read"):
        graphs, positions = wg.from_sdf(path, invalid="skip", return_positions=True)
    assert positions.tolist() == [0, 1]
    assert graphs == wg.from_sdf(write_sdf(tmp_path / "two.sdf", SMILES[:2]))
    squeezed = write_sdf(tmp_path / "m.sdf.gz", SMILES)
    squeezed.write_bytes(squeezed.read_bytes()[:-30])
    with pytest.raises(ValueError, match=r"m.sdf.gz: the compressed file is damaged or cut off"):
        wg.from_sdf(squeezed)
    two = tmp_path / "two.sdf"
    two.write_text(two.read_text() + "\n$$$$\n")
    with pytest.raises(ValueError, match=r"two.sdf, line \d+: '' cannot be read as a molecule \(it is empty\)"):
        wg.from_sdf(two)
    (tmp_path / "empty.sdf").write_text("\n")
    with pytest.raises(ValueError, match=r"empty.sdf: the file has no molecules"):
        wg.from_sdf(tmp_path / "empty.sdf")
    with pytest.raises(FileNotFoundError, match=r"none.sdf: it does not exist"):
        wg.from_sdf(tmp_path / "none.sdf")
    (tmp_path / "latin.sdf").write_bytes("é\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin.sdf, line 1: the text is not UTF-8"):
        wg.from_sdf(tmp_path / "latin.sdf")


def test_automatic_options_of_molecules_are_those_of_the_documentation():
    scheme = (
        wg.GraphClassifier(wg.WWL(depth=1), gamma=1.0, C=1.0, cv=2)
        .fit(["CC", "CCC", "CO", "CCO"], [0, 0, 1, 1])
        .scheme_
    )
    assert (scheme.kind, scheme.label_weight, scheme.standardized) == ("joint", 0.8, False)
    graphs = wg.from_smiles(["CC", "CO"], node_attributes=["mass", "charge"])
    assert wg.WWL(standardize="auto").fit(graphs).scheme_.standardized  # masses are not whole numbers
    plain = replace(wg.from_smiles(["CC", "CO"]), molecules=False)
    assert wg.WWL(kind="joint").embed(plain).label_weight == 0.5
