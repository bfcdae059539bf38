"""Stereochemistry as a part of labels: distances are 0 if and only if RDKit's canonical SMILES are equal."""

from __future__ import annotations

import csv
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem, RDLogger

import wassergraph as wg
from wassergraph.explorer.formulas import SkeletalFormula
from wassergraph.explorer.graph_content import graph_content
from wassergraph.metrics.not_compared import stereo_not_compared
from wassergraph.metrics.stereoisomers import count_stereoisomers

USED = wg.WWL(4, kind="categorical", stereo="use", mass="count")
#: Pairs of molecules that differ in stereochemistry only.
PAIRS = {
    "enantiomers": ("C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O"),
    "double bond": ("F/C=C/F", "F/C=C\\F"),
    "imine": ("C/C=N/O", "C/C=N\\O"),
    "meso": ("C[C@H](O)[C@@H](C)O", "C[C@H](O)[C@H](C)O"),
    "center that is not specified": ("C[C@H](O)F", "CC(O)F"),
    "double bond that is not specified": ("F/C=C/F", "FC=CF"),
    "one of two centers that is not specified": ("C[C@H](O)[C@H](C)F", "CC(O)[C@H](C)F"),
    "ring": ("C[C@H]1CC[C@H](C)CC1", "C[C@H]1CC[C@@H](C)CC1"),
    "small ring": ("F[C@H]1C[C@H](Cl)C1", "F[C@H]1C[C@@H](Cl)C1"),
    "fused rings": ("C1CC[C@H]2CCCC[C@H]2C1", "C1CC[C@H]2CCCC[C@@H]2C1"),
    "pseudoasymmetric": ("C[C@H](O)[C@@H](O)[C@@H](C)O", "C[C@H](O)[C@H](O)[C@@H](C)O"),
    "two double bonds": ("C/C=C/C=C\\CO", "C/C=C\\C=C\\CO"),
    "sulfoxide": ("CC[S@](C)=O", "CC[S@@](C)=O"),
}
#: Different SMILES of one molecule.
SAME = {
    "enantiomer": ("C[C@H](N)C(=O)O", "OC(=O)[C@@H](N)C"),
    "meso": ("C[C@H](O)[C@@H](C)O", "C[C@@H](O)[C@H](C)O"),
    "cis ring": ("C[C@H]1CC[C@@H](C)CC1", "C[C@@H]1CC[C@H](C)CC1"),
    "double bond": ("F/C=C/F", "F\\C=C\\F"),
    "no center": ("C[C@H](C)O", "CC(C)O"),
    "no stereo bond": ("C/C=C(C)/C", "CC=C(C)C"),
}


def canonical(smiles: str) -> str:
    once = Chem.MolToSmiles(Chem.MolFromSmiles(smiles))
    return Chem.MolToSmiles(Chem.MolFromSmiles(once))


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("kind", ["categorical", "joint"])
@pytest.mark.parametrize("edge_labels", ["use", "ignore"])
def test_stereoisomers_are_apart_if_stereochemistry_is_used(pair, kind, edge_labels):
    assert canonical(pair[0]) != canonical(pair[1])
    for mass in ("share", "count"):
        compared = {"kind": kind, "edge_labels": edge_labels, "mass": mass}
        assert wg.distances(list(pair), metric=wg.WWL(1, stereo="use", **compared))[0, 1] > 0
        assert wg.distances(list(pair), metric=wg.WWL(3, stereo="ignore", **compared))[0, 1] == 0


@pytest.mark.parametrize("pair", SAME.values(), ids=SAME)
def test_one_molecule_has_the_distance_0_from_itself(pair):
    assert canonical(pair[0]) == canonical(pair[1])
    assert wg.distances(list(pair), metric=USED)[0, 1] == 0


@pytest.mark.parametrize("kind", ["categorical", "joint"])
def test_ignored_stereochemistry_leaves_all_distances_as_they_are(kind):
    smiles = sorted({each for pair in (*PAIRS.values(), *SAME.values()) for each in pair})
    flat = [Chem.MolToSmiles(Chem.MolFromSmiles(each), isomericSmiles=False, canonical=False) for each in smiles]
    ignored = wg.distances(smiles, metric=wg.WWL(kind=kind, stereo="ignore"))
    np.testing.assert_array_equal(ignored, wg.distances(flat, metric=wg.WWL(kind=kind)))
    np.testing.assert_array_equal(ignored, wg.distances(flat, metric=wg.WWL(kind=kind, stereo="use")))


def test_the_order_of_atoms_does_not_matter():
    for smiles in {each for pair in PAIRS.values() for each in pair}:
        molecule = Chem.MolFromSmiles(smiles)
        orders = [Chem.MolToSmiles(molecule, doRandom=True) for _ in range(10)]
        assert not wg.distances([smiles, *orders], metric=USED).any()


def partition_of(names: Sequence[object]) -> set[frozenset[int]]:
    groups = defaultdict(set)
    for position, name in enumerate(names):
        groups[name].add(position)
    return {frozenset(group) for group in groups.values()}


def partition_by_distance(smiles: Sequence[str]) -> set[frozenset[int]]:
    names = list(range(len(smiles)))
    for group in wg.find_duplicates(list(smiles), metric=wg.WWL(12, mass="count", stereo="use")).groups:
        for position in group.tolist():
            names[position] = int(group[0])
    return partition_of(names)


def variants(molecule: Chem.Mol, rng: random.Random) -> list[Chem.Mol]:
    """Return a molecule, its mirror image, and others with one center inverted, or not specified."""
    mirrored, inverted, forgotten = (Chem.Mol(molecule) for _ in range(3))
    for atom in mirrored.GetAtoms():
        atom.InvertChirality()
    centers = [atom.GetIdx() for atom in molecule.GetAtoms() if atom.GetChiralTag()]
    if centers:
        inverted.GetAtomWithIdx(rng.choice(centers)).InvertChirality()
        forgotten.GetAtomWithIdx(rng.choice(centers)).SetChiralTag(Chem.ChiralType.CHI_UNSPECIFIED)
    return [molecule, mirrored, inverted, forgotten]


@pytest.mark.slow
def test_the_distance_is_0_if_and_only_if_canonical_smiles_are_equal_on_real_tables(molecules_home):
    """No exceptions are known among these molecules; docs/molecules.md lists those that are made for the purpose."""
    smiles = with_stereo([molecules_home / name for name in ("BACE.csv", "ESOL.csv", "FreeSolv.csv")])
    smiles += with_stereo([molecules_home / "Lipophilicity.csv"])
    benchmark = molecules_home.parent / "benchmarks" / "moleculeace" / "CHEMBL2034_Ki.csv"
    smiles += with_stereo([benchmark]) if benchmark.exists() else []
    assert len(smiles) > 1600
    RDLogger.DisableLog("rdApp.*")
    rng = random.Random(0)
    forms = [form for each in smiles[:2000] for form in variants(Chem.MolFromSmiles(each), rng)]
    written = [Chem.MolToSmiles(form, canonical=False) for form in forms]
    written += [Chem.MolToSmiles(form, doRandom=True) for form in forms[::4]]
    expected = partition_of([canonical(each) for each in written])
    assert partition_by_distance(written) == expected
    assert len(expected) > 1.5 * len(smiles[:2000])


def with_stereo(paths: Sequence[Path]) -> list[str]:
    found = []
    for path in paths:
        with path.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        column = next(name for name in rows[0] if name.lower() == "smiles")
        found += [row[column] for row in rows if set("@/\\") & set(row[column])]
    return found


@pytest.mark.parametrize(
    "forms",
    [  # adamantane has no stereoisomers, but RDKit marks its bridgeheads; metals have no descriptors
        ("OC[C@]12C[C@@H]3C[C@@H](C[C@@H](C3)C1)C2", "OC[C@]12C[C@H]3C[C@H](C[C@H](C3)C1)C2"),
        ("Cl[Pt@SP1](Cl)([NH3])[NH3]", "Cl[Pt@SP2](Cl)([NH3])[NH3]"),
    ],
)
def test_forms_that_rdkit_writes_differently_and_names_alike(forms):
    assert canonical(forms[0]) != canonical(forms[1])
    assert wg.distances(list(forms), metric=USED)[0, 1] == 0


# What is compared, and what it says


def test_features_say_that_stereochemistry_is_compared():
    metric = wg.WWL(1, stereo="use")
    assert metric.learn(wg.from_smiles("CO")).compared.startswith("node labels with stereochemistry, edge labels and")
    plain = wg.WWL(1, kind="categorical", edge_labels="ignore", stereo="use")
    assert str(plain.embed("CO").features) == "node labels with stereochemistry"
    assert not wg.WWL(1).learn(wg.from_smiles("C[C@H](O)F")).features.uses_stereo


def test_stereochemistry_needs_labels_of_molecules():
    graphs, _ = wg.load_dataset("demo")
    with pytest.raises(ValueError, match=r'stereo="use" needs molecules, but these are other graphs'):
        wg.distances(graphs, metric=wg.WWL(stereo="use"))
    with pytest.raises(ValueError, match=r'which kind="continuous" does not use; choose another kind'):
        wg.distances(["CO"], metric=wg.WWL(kind="continuous", stereo="use"))
    with pytest.raises(ValueError, match="stereo must be one of"):
        wg.distances(["CO"], metric=wg.WWL(stereo="yes"))  # type: ignore[arg-type]


def test_plans_name_what_is_compared():
    metric = wg.WWL(0, kind="categorical", stereo="use")
    plan = wg.transport_plan("C[C@H](O)F", "C[C@@H](O)F", metric=metric)
    assert [pair for pair, cost in plan.label_costs().items() if cost] == [("C (R)", "C (S)")]
    assert "1 (C (R))" in plan._repr_html_()
    ignored = wg.transport_plan("C[C@H](O)F", "C[C@@H](O)F", metric=wg.WWL(0, kind="categorical"))
    assert ("C", "C") in ignored.label_costs()
    assert ignored.cost == 0


def test_groups_are_compared_by_labels_with_stereochemistry():
    left, right = ["C[C@H](O)F", "CC[C@H](O)F", "CCC[C@H](O)F"], ["C[C@@H](O)F", "CC[C@@H](O)F", "CCC[C@@H](O)F"]
    for kind in ("categorical", "joint"):
        found = wg.compare_groups([*left, *right], [0] * 3 + [1] * 3, metric=wg.WWL(1, kind=kind, stereo="use"))
        assert {"C (R)", "C (S)"} <= set(found.label_costs.names)
        ignored = wg.compare_groups([*left, *right], [0] * 3 + [1] * 3, metric=wg.WWL(1, kind=kind))
        assert set(ignored.label_costs.names) == {"C", "O", "F"}


def test_duplicates_tell_stereoisomers_from_copies():
    molecules = ["C[C@H](O)F", "C[C@@H](O)F", "O[C@@H](C)F", "CCO", "OCC"]
    ignored = wg.find_duplicates(molecules)
    assert [(group.tolist(), n) for group, n in zip(ignored.groups, ignored.different, strict=True)] == [
        ([0, 1, 2], 2),
        ([3, 4], 1),
    ]
    used = wg.find_duplicates(molecules, metric=wg.WWL(stereo="use"))
    assert {tuple(group.tolist()) for group in used.groups} == {(1, 2), (3, 4)} or used.different == [1, 1]


def test_an_index_finds_the_same_stereoisomer_first():
    molecules = ["C[C@H](O)CC", "C[C@@H](O)CC", "CC(O)CC", "C/C=C/C", "C/C=C\\C"]
    for mass in ("share", "count"):
        for kind in ("categorical", "joint"):
            index = wg.GraphIndex(molecules, metric=wg.WWL(2, stereo="use", mass=mass, kind=kind))
            distances, nearest = index.query(molecules, k=1)
            assert nearest[:, 0].tolist() == [0, 1, 2, 3, 4]
            assert not distances.any()
    index.add(["CCCC", "C[C@H](O)CO"])
    assert index.query(["C[C@@H](O)CO"], k=1)[0][0, 0] > 0


# Molecules that differ in stereochemistry only


def test_stereoisomers_are_counted():
    isomers = ["C[C@H](O)F", "C[C@@H](O)F", "CC(O)F", "F/C=C/F", "F/C=C\\F", "CCO", "CCO", "C[C@H](O)Cl"]
    assert count_stereoisomers(wg.from_smiles(isomers)) == (5, 2)
    assert count_stereoisomers(wg.from_smiles(isomers[5:])) == (0, 0)
    assert count_stereoisomers(wg.from_smiles(["CCO", "CCO"])) == (0, 0)
    assert count_stereoisomers(wg.from_smiles(isomers[:2], node_attributes=None)) == (2, 1)


def test_models_warn_once_about_stereoisomers_that_they_do_not_tell_apart():
    molecules = ["C[C@H](O)F", "C[C@@H](O)F", "CCO", "CCN", "CCC", "CCCl"]
    y = np.arange(6.0)
    with pytest.warns(UserWarning, match=r"^2 molecules in 1 group differ only in stereochemistry") as caught:
        wg.GraphRegressor(wg.WWL(1), cv=2).fit(molecules, y)
    assert len(caught) == 1
    for stereo in ("use", "ignore"):
        wg.GraphRegressor(wg.WWL(1, stereo=stereo), cv=2).fit(molecules, y)  # warnings are errors
    assert stereo_not_compared(wg.from_smiles(molecules), "use") is None


def test_models_choose_whether_stereochemistry_is_compared():
    molecules = [form for n in range(1, 9) for form in (f"{'C' * n}[C@H](O)F", f"{'C' * n}[C@@H](O)F")]
    y = np.array([0, 1] * 8)
    metrics = [wg.WWL(1, kind="categorical", stereo=stereo) for stereo in ("ignore", "use")]
    for search in ("metric", "wide"):
        model = wg.GraphClassifier(metrics, search=search, cv=2).fit(molecules, y)
        assert model.best_params_["stereo"] is True
        assert model.predict(["CCCCCCCCCC[C@H](O)F", "CCCCCCCCCC[C@@H](O)F"]).tolist() == [0, 1]


def test_models_name_stereochemistry_that_they_have_not_seen():
    molecules = ["C[C@H](O)F", "CCO", "CCN", "CCC", "CCCl", "CCF"]
    model = wg.GraphRegressor(wg.WWL(1, stereo="use"), cv=2).fit(molecules, np.arange(6.0))
    assert model.neighbors(["C[C@@H](O)F", "C[C@H](O)F", "F/C=C/F"]).unseen.tolist() == [
        "C (S)",
        "",
        "C (E), double bond",
    ]
    explanation = model.explain("C[C@H](O)F")
    assert "1 (C (R))" in str(explanation)


def test_evaluate_compares_stereochemistry_with_the_methods_that_have_it():
    molecules = [form for n in range(1, 9) for form in (f"{'C' * n}[C@H](O)F", f"{'C' * n}[C@@H](O)F")]
    y = np.array([0, 1] * 8)
    models = {each: wg.GraphClassifier(wg.WWL([1], stereo=each), cv=2) for each in ("use", "ignore")}
    rows = wg.evaluate(molecules, y, ["wwl", "v", "vh-c"], model=models, folds=2).rows
    assert rows["use"].features.uses_stereo

    shown = {name: str(row.features) for name, row in rows.items()}
    assert shown["ignore"] == "node labels, edge labels and node attributes"
    assert [name for name, features in shown.items() if "stereochemistry" in features] == ["use"]
    left = wg.evaluate(molecules, y, "wwl", model=models["use"], folds=2, deduplicate=True)
    assert "without 0 duplicates of 16" in str(left)


def test_pages_refine_labels_with_stereochemistry():
    graphs = wg.from_smiles(["C[C@H](O)F", "C[C@@H](O)F", "F/C=C/F"])
    for stereo, names in (("use", ["C", "C (E)", "C (R)", "C (S)", "F", "O"]), ("ignore", ["C", "F", "O"])):
        labels = graph_content(graphs, wg.WWL(1, stereo=stereo).embed(graphs))["labels"]
        assert sorted(labels["names"]) == names
        shown = [labels["names"][code] for code in labels["codes"]]
        assert shown[:4] == ["C", "C (R)" if stereo == "use" else "C", "O", "F"]


def test_enantiomers_are_drawn_with_opposite_wedges():
    drawn = [SkeletalFormula(wg.from_smiles(form)).bonds.tolist() for form in ("C[C@H](O)F", "C[C@@H](O)F", "CC(O)F")]
    assert drawn[0] != drawn[1]
    assert set(drawn[2]) == {1}
    assert max(drawn[0]) > 1
    assert max(drawn[1]) > 1
