"""Drawings of molecules, and their conversion to RDKit."""

from __future__ import annotations

import pickle
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from rdkit import Chem

import wassergraph as wg
from wassergraph.errors import InputError
from wassergraph.files.content_keys import content_key
from wassergraph.formats.structures import read_structure
from wassergraph.formats.to_rdkit import has_atoms_and_bonds, to_rdkit
from wassergraph.graphs.elements import SYMBOLS
from wassergraph.graphs.saved_graphs import graph_arrays, read_graphs
from wassergraph.pictures.kekule import kekulize_where_clear
from wassergraph.pictures.molecules import molecule_svg, place_atoms, read_strokes, wedge_bonds
from wassergraph.pictures.thumbnails import graph_svg

ODD = [
    "C",
    "[He]",
    "[Na+].[Cl-]",
    "*c1ccccc1*",
    "[NH3]->[Pt](<-[NH3])(Cl)Cl",
    "[Fe]",
    "C[n+]1ccccc1",
    "[O-][n+]1ccccc1",
    "O=[N+]([O-])c1ccccc1",
    "c1ccc2c(c1)[nH]c1ccccc12",
    "[H][H]",
    "OS(=O)(=O)O",
    "C" * 480 + "c1ccccc1",
    "C~C",
    "c1ccccc1.c1c[nH]cn1.[Cu+2]",
    "[2H]C([2H])([2H])O",
    "C12C3C4C1C5C2C3C45",
    "[U](F)(F)(F)(F)(F)F",
]


def kekulized(smiles: str) -> Chem.Mol:
    return kekulize_where_clear(to_rdkit(wg.from_smiles(smiles)))


def bond_counts(molecule: Chem.Mol) -> dict[str, int]:
    names = [str(bond.GetBondType()) for bond in molecule.GetBonds()]
    return {name: names.count(name) for name in sorted(set(names))}


def test_symbols_are_those_of_rdkit():
    table = Chem.GetPeriodicTable()
    assert len(SYMBOLS) == 119
    assert list(SYMBOLS) == [table.GetElementSymbol(number) for number in range(119)]


@pytest.mark.parametrize("smiles", ODD)
def test_atoms_and_bonds_are_those_of_the_batch(smiles):
    batch = wg.from_smiles(smiles)
    molecule = to_rdkit(batch)
    assert [atom.GetAtomicNum() for atom in molecule.GetAtoms()] == batch.node_labels.tolist()
    assert molecule.GetNumBonds() == batch.n_edges
    assert sum(atom.GetTotalNumHs() for atom in molecule.GetAtoms()) == 0
    again = wg.from_rdkit(molecule)
    np.testing.assert_array_equal(again.edge_labels, batch.edge_labels)
    np.testing.assert_array_equal(again.indices, batch.indices)


def test_dative_bonds_lead_to_the_metal():
    molecule = to_rdkit(wg.from_smiles("[Pt]<-[NH3]"))
    (bond,) = molecule.GetBonds()
    assert (bond.GetBeginAtom().GetSymbol(), bond.GetEndAtom().GetSymbol()) == ("N", "Pt")
    (unclear,) = to_rdkit(wg.from_smiles("[Zn]->[Pt]")).GetBonds()
    assert unclear.GetBondType() == Chem.BondType.ZERO


def test_what_is_not_a_molecule():
    batch = wg.from_smiles(["CC", "C"])
    with pytest.raises(InputError, match="only one molecule"):
        to_rdkit(batch)
    with pytest.raises(InputError, match="the edge label 99 is not the number of a bond type"):
        to_rdkit(replace(batch[0], edge_labels=[99, 99]))
    assert not has_atoms_and_bonds(replace(batch, node_labels=[6, 6, 500]))
    assert not has_atoms_and_bonds(replace(batch, edge_labels=None))
    assert not has_atoms_and_bonds(wg.datasets.make_demo()[0])
    legend = wg.plot.draw_graphs(replace(batch, edge_labels=None)).legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["C"]


# Aromatic rings


@pytest.mark.parametrize(
    "smiles",
    [
        "c1ccccc1",
        "c1ccncc1",
        "c1cc[nH]c1",
        "c1ccc2[nH]ccc2c1",
        "c1ccc2ccccc2c1",
        "O=c1[nH]c2ccccc2[nH]1",
        "c1ccsc1",
        "Cn1cnc2c1c(=O)n(C)c(=O)n2C",
        "c1ccc(-c2ccco2)cc1",
    ],
)
def test_clear_rings_get_the_double_bonds_of_the_molecule(smiles):
    molecule = kekulized(smiles)
    assert not any(bond.GetIsAromatic() for bond in molecule.GetBonds())
    expected = Chem.MolFromSmiles(smiles)
    Chem.Kekulize(expected, clearAromaticFlags=True)
    assert bond_counts(molecule) == bond_counts(expected)
    assert sum(atom.GetTotalNumHs() for atom in molecule.GetAtoms()) == 0


@pytest.mark.parametrize("smiles", ["c1c[nH]cn1", "c1cc[nH]n1", "C[n+]1ccccc1"])
def test_unclear_rings_stay_aromatic(smiles):
    assert "AROMATIC" in bond_counts(kekulized(smiles))
    assert "DOUBLE" not in bond_counts(kekulized(smiles))


def test_each_ring_system_is_decided_for_itself():
    assert bond_counts(kekulized("c1ccccc1Cc1c[nH]cn1")) == {"AROMATIC": 5, "DOUBLE": 3, "SINGLE": 5}


# Drawings


@pytest.mark.parametrize("smiles", ODD)
def test_every_molecule_is_drawn_within_its_frame(smiles):
    strokes = read_strokes(molecule_svg(wg.from_smiles(smiles), 200, 200))
    assert strokes
    places = np.concatenate([stroke.outline.vertices for stroke in strokes])
    assert places.min() >= 0
    assert places.max() <= 200


def test_a_page_of_molecules_has_bonds_and_letters_and_no_labels(tmp_path):
    figure = wg.plot.draw_graphs(["CCO", "C#N", "[Na+].[Cl-]"], ["a", "b", "a"], path=tmp_path / "page.svg")
    assert not figure.legends
    assert [axis.get_title() for axis in figure.axes] == [f"graph {i} · class {c}" for i, c in enumerate("aba")]
    lines = [sum(patch.get_facecolor()[3] == 0 for patch in axis.patches) for axis in figure.axes]
    areas = [sum(patch.get_facecolor()[3] > 0 for patch in axis.patches) for axis in figure.axes]
    assert lines[0] >= 3  # a bond to another element has two colors
    assert areas == [2, 1, 6]  # O, H; N; N, a, +, C, l, -
    assert b"<image" not in (tmp_path / "page.svg").read_bytes()


def test_aromatic_bonds_are_dashed_where_double_bonds_are_unclear():
    imidazole = wg.from_smiles("c1c[nH]cn1")
    bare = read_strokes(molecule_svg(replace(imidazole, structures=None), 200, 200))
    assert sum(bool(stroke.dashes) for stroke in bare) >= 5
    for clear in (imidazole, replace(wg.from_smiles("c1ccccc1"), structures=None)):
        assert not any(stroke.dashes for stroke in read_strokes(molecule_svg(clear, 200, 200)))


def letters(graph: wg.GraphBatch) -> list[int]:
    """Return how many letters, digits and signs each atom has in its drawing."""
    root = ElementTree.fromstring(molecule_svg(graph, 300, 300).encode("iso-8859-1"))
    drawn = [path.get("class") for path in root.iter("{http://www.w3.org/2000/svg}path") if path.get("fill")]
    return [drawn.count(f"atom-{atom}") for atom in range(graph.n_nodes)]


@pytest.mark.parametrize(
    ("smiles", "expected"),
    [
        ("[NH3+]CC(=O)[O-]", [4, 0, 0, 1, 2]),  # NH3+, O, O-
        ("[Na+].[O-]C(C)=O", [3, 2, 0, 0, 1]),
        ("CCO", [0, 0, 2]),
        ("NCCS", [3, 0, 0, 2]),
        ("[Fe+2]", [4]),
    ],
)
def test_charges_and_hydrogens_on_other_atoms_than_carbon_are_written(smiles, expected):
    assert letters(wg.from_smiles(smiles)) == expected


def test_hydrogens_and_charges_are_not_invented():
    assert letters(replace(wg.from_smiles("CC[NH3+]"), structures=None)) == [0, 0, 1]


def test_ions_are_apart():
    strokes = [stroke for stroke in read_strokes(molecule_svg(wg.from_smiles("[Na+].[Cl-]"), 200, 200)) if stroke.fill]
    left, right = (
        np.concatenate([each.outline.vertices for each in pair])[:, 0] for pair in (strokes[:3], strokes[3:])
    )
    gap = max(right.min() - left.max(), left.min() - right.max())
    assert gap > 5  # more than within a symbol


# Geometry and stereochemistry


def places(smiles: str) -> np.ndarray:
    return place_atoms(wg.from_smiles(smiles)).GetConformer().GetPositions()[:, :2]


def side(points: np.ndarray, one: int, two: int, other: int) -> float:
    """Return on which side of a line through two points another one is."""
    along, across = points[two] - points[one], points[other] - points[one]
    return float(np.sign(along[0] * across[1] - along[1] * across[0]))


@pytest.mark.parametrize(("smiles", "same"), [(r"c1ccccc1/C=C\c1ccccc1", True), ("c1ccccc1/C=C/c1ccccc1", False)])
def test_substituents_of_double_bonds_are_on_their_sides(smiles, same):
    points = places(smiles)
    assert (side(points, 6, 7, 5) == side(points, 6, 7, 8)) == same


def angle(points: np.ndarray, center: int, one: int, two: int) -> float:
    rays = [points[end] - points[center] for end in (one, two)]
    cosine = rays[0] @ rays[1] / np.linalg.norm(rays[0]) / np.linalg.norm(rays[1])
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


@pytest.mark.parametrize(
    ("smiles", "chlorides", "degrees"),
    [
        ("N[Pt@SP1](N)(Cl)Cl", (3, 4), 90),
        ("N[Pt@SP2](N)(Cl)Cl", (3, 4), 180),
        ("[NH3][Pt](Cl)(Cl)[NH3]", (2, 3), 90),  # not marked: the ligands have the order in which they are written
        ("[NH3][Pt](Cl)([NH3])Cl", (2, 4), 180),
    ],
)
def test_ligands_of_square_planar_centers_have_their_places(smiles, chlorides, degrees):
    assert angle(places(smiles), 1, *chlorides) == pytest.approx(degrees, abs=3)


STEREO = [
    "CN1CC[C@]23c4c5ccc(O)c4O[C@H]2[C@@H](O)C=C[C@H]3[C@H]1C5",
    "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O",
    "C[C@@H](N)C(=O)O",
    "C[C@H](N)C(=O)O",
    r"CCCCCCCC/C=C\CCCCCCCC(=O)O",
    "CN1[C@H]2CC[C@@H]1[C@H]([C@H](C2)OC(=O)c3ccccc3)C(=O)OC",
]


def drawn_smiles(molecule: Chem.Mol) -> str:
    """Return what a chemist reads in a drawing: SMILES from the places, the bonds and the wedges alone."""
    return Chem.MolToSmiles(Chem.MolFromMolBlock(Chem.MolToMolBlock(wedge_bonds(molecule), kekulize=False)))


@pytest.mark.parametrize("smiles", STEREO)
def test_wedges_and_double_bonds_say_what_was_read(smiles):
    assert drawn_smiles(place_atoms(wg.from_smiles(smiles))) == Chem.CanonSmiles(smiles)


@pytest.mark.parametrize("smiles", STEREO)
def test_wedges_are_right_in_a_mirrored_drawing(smiles):
    molecule = place_atoms(wg.from_smiles(smiles))
    conformer = molecule.GetConformer()
    for atom, (x, y, _) in enumerate(conformer.GetPositions().tolist()):
        conformer.SetAtomPosition(atom, (-x, y, 0.0))
    assert drawn_smiles(molecule) == Chem.CanonSmiles(smiles)


# What a batch keeps for drawings


def test_molecules_of_rdkit_keep_their_structures_with_atoms_in_any_order():
    molecule = Chem.RenumberAtoms(Chem.MolFromSmiles(STEREO[0]), np.random.default_rng(0).permutation(21).tolist())
    read = read_structure(wg.from_rdkit(molecule))
    assert [atom.GetAtomicNum() for atom in read.GetAtoms()] == [atom.GetAtomicNum() for atom in molecule.GetAtoms()]
    assert [atom.GetDegree() for atom in read.GetAtoms()] == [atom.GetDegree() for atom in molecule.GetAtoms()]
    assert Chem.MolToSmiles(read) == Chem.CanonSmiles(STEREO[0])


def test_hydrogens_that_are_nodes_remain_nodes():
    graph = wg.from_rdkit(Chem.AddHs(Chem.MolFromSmiles("C[C@@H](N)C(=O)O")))
    assert read_structure(graph).GetNumAtoms() == graph.n_nodes == 13


def test_structures_belong_to_their_graphs_after_slicing_and_joining():
    graphs = wg.from_smiles(["CCO", "C", "[NH4+]"])
    joined = wg.GraphBatch.concatenate([graphs[[2, 0]], replace(graphs[1], structures=None), graphs[1]])
    assert list(joined.structures) == ["[NH4+]", "CCO", "", "C"]
    assert list(pickle.loads(pickle.dumps(joined)).structures) == list(joined.structures)
    assert graphs.drop_edges(1).structures is graphs.structures


def test_structures_change_neither_equality_nor_distances():
    one, two = wg.from_smiles([r"c1ccccc1/C=C\c1ccccc1", "CCO"]), wg.from_smiles(["c1ccccc1/C=C/c1ccccc1", "CCO"])
    assert one != two  # for their stereochemistry
    one, two = (replace(each, node_stereo=None) for each in (one, two))
    assert list(one.structures) != list(two.structures)
    assert one == two
    assert (wg.distances(one, two).diagonal() == 0).all()
    assert content_key(one, "") == content_key(two, "")


def test_a_structure_that_does_not_match_is_not_drawn():
    ethanol = wg.from_smiles("CCO")
    assert read_structure(replace(ethanol, node_labels=[6, 6, 7])) is None
    assert read_structure(ethanol.drop_edges(1)) is None
    for text in ("not a molecule", "OCC", "CCO\t0,0,1", ""):
        assert read_structure(replace(ethanol, structures=[text])) is None


def test_structures_are_checked():
    with pytest.raises(InputError, match="there are 2 structures"):
        replace(wg.from_smiles("CCO"), structures=["CCO", "C"])


def test_structures_of_files(tmp_path):
    graphs = wg.from_smiles(STEREO)
    arrays = graph_arrays(graphs)
    assert list(read_graphs(arrays, molecules=True).structures) == STEREO
    old = {name: array for name, array in arrays.items() if "structures" not in name}
    assert read_graphs(old, molecules=True).structures is None
    index = wg.GraphIndex(graphs, wg.WWL(depth=1))
    index.save(tmp_path / "molecules.index")
    assert list(wg.load_index(tmp_path / "molecules.index").graphs.structures) == STEREO


def test_the_same_molecule_has_the_same_drawing():
    one, two = (molecule_svg(wg.from_smiles("CC(=O)Oc1ccccc1C(=O)O"), 200, 200) for _ in range(2))
    assert one == two


def test_molecules_with_other_edge_labels_are_drawn_like_graphs():
    batch = wg.from_smiles(["CCO", "C"])
    changed = replace(batch, edge_labels=np.full(batch.n_arcs, 99))
    assert "<circle" not in graph_svg(batch[0], ["black"] * 3)
    assert graph_svg(changed[0], ["black"] * 3).count("<circle") == 3
    assert changed._repr_html_().count("<img") == 2
    assert wg.plot.draw_graphs(changed).legends
