"""Fingerprints of molecules with Tanimoto similarity: equal to RDKit's, and evaluated like any other method."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from rdkit import Chem
from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator
from rdkit.DataStructs import BulkTanimotoSimilarity

import wassergraph as wg
from made_metrics import evaluate
from wassergraph.evaluation.compared import Fingerprints
from wassergraph.evaluation.matrices import Threads
from wassergraph.evaluation.methods import METHODS
from wassergraph.evaluation.planning import applicable_methods
from wassergraph.evaluation.plans import make_plan
from wassergraph.formats.molecule_groups import tanimoto_similarities

PARTS = ["C", "CC(C)", "N", "O", "c1ccccc1", "C1CCNCC1", "C(=O)", "S", "C(F)(F)", "C(Cl)"]
FEW = {"folds": 3, "inner_folds": 2}
ENDS = ("O", "N", "c1ccccc1", "C1CCCC1")
SMILES = ["C" * length + end for length in range(1, 7) for end in ENDS]
NUMBERS = np.array([0.37 * len(text) + 0.5 * ("O" in text) for text in SMILES])


def random_smiles(n: int, seed: int = 0) -> list[str]:
    """Return chains of random parts; some come twice."""
    random = np.random.default_rng(seed)
    chains = ["".join(random.choice(PARTS, random.integers(1, 7))) for _ in range(n)]
    return [*chains, chains[0], chains[1]]


def rdkit_similarities(smiles: list[str], *, counts: bool) -> np.ndarray:
    generator = GetMorganGenerator(radius=2, fpSize=2048)
    compute = generator.GetCountFingerprint if counts else generator.GetFingerprint
    prints = [compute(Chem.MolFromSmiles(text)) for text in smiles]
    return np.array([BulkTanimotoSimilarity(each, prints) for each in prints])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["tanimoto", "tanimoto-counts"])
def test_similarities_are_those_of_rdkit(name, seed):
    smiles = random_smiles(40, seed)
    (options,) = make_plan(name, "categorical").options
    (found,) = METHODS[name].matrices(Fingerprints.of(smiles), options, Threads())
    expected = rdkit_similarities(smiles, counts=name == "tanimoto-counts")
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)
    np.testing.assert_allclose(found.diagonal(), 1)
    assert found[0, -2] == found[1, -1] == 1  # those that come twice
    assert np.linalg.eigvalsh(found)[0] > -1e-9


def test_bits_and_counts_differ():
    smiles = random_smiles(20)
    assert np.abs(rdkit_similarities(smiles, counts=True) - rdkit_similarities(smiles, counts=False)).max() > 0.1


@given(npst.arrays(np.uint16, st.tuples(st.integers(1, 8), st.integers(1, 6)), elements=st.integers(0, 5)))
def test_any_counts_are_compared_by_minima_and_maxima(counts):
    whole = counts.astype(int)
    least, most = np.minimum(whole[:, None], whole).sum(axis=2), np.maximum(whole[:, None], whole).sum(axis=2)
    expected = np.where(most > 0, least / np.maximum(most, 1), 1.0)
    similarities = tanimoto_similarities(counts)
    np.testing.assert_allclose(similarities, expected, rtol=1e-12)
    assert np.linalg.eigvalsh(similarities)[0] > -1e-9


def test_rows_of_zeros_are_alike_and_unlike_all_others():
    similarities = tanimoto_similarities(np.array([[0, 0], [2, 0], [0, 0]]))
    np.testing.assert_array_equal(similarities, [[1, 0, 1], [0, 1, 0], [1, 0, 1]])


def test_many_counts_do_not_overflow():
    counts = np.array([[60_000, 60_000], [30_000, 60_000]], dtype=np.uint16)
    assert tanimoto_similarities(counts // 1000)[0, 1] == pytest.approx(90 / 120)
    assert Fingerprints.of(["C" * 300]).counts.sum() > 512  # more than fits into a byte


# Evaluation


def test_fingerprints_are_evaluated_on_the_folds_of_graphs():
    report = evaluate(SMILES, NUMBERS, method=["tanimoto", "wl", "tanimoto-counts", "tanimoto+svr"], **FEW)
    assert list(report.rows) == ["tanimoto", "wl", "tanimoto-counts", "tanimoto+svr"]
    assert [row.features for row in report.rows.values()][:2] == ["Morgan fingerprints", "node labels, edge labels"]
    assert report.rows["tanimoto"].parameters[0][0].keys() == {"alpha"}
    assert report.rows["tanimoto+svr"].parameters[0][0].keys() == {"C"}
    assert report.rows["tanimoto"].mean < np.std(NUMBERS)
    for row in report.rows.values():
        np.testing.assert_array_equal(row.constant["rmse"], report.rows["wl"].constant["rmse"])


MOLECULES = {
    "list": SMILES,
    "tuple": tuple(SMILES),
    "series": pd.Series(SMILES, index=range(100, 100 + len(SMILES))),
    "table": pd.DataFrame({"smiles": SMILES}),
    "rdkit": [Chem.MolFromSmiles(text) for text in SMILES],
}


@pytest.fixture(scope="module")
def expected():
    return evaluate(SMILES, NUMBERS, method="tanimoto", **FEW).rows["tanimoto"].values("rmse")


@pytest.mark.parametrize("form", MOLECULES)
def test_molecules_of_any_form(form, expected):
    given_molecules = MOLECULES[form]
    alone = evaluate(given_molecules, NUMBERS, method="tanimoto", **FEW)
    np.testing.assert_array_equal(alone.rows["tanimoto"].values("rmse"), expected)
    beside = evaluate(wg.from_smiles(SMILES), NUMBERS, method="tanimoto", molecules=given_molecules, **FEW)
    np.testing.assert_array_equal(beside.rows["tanimoto"].values("rmse"), expected)


def test_graphs_and_molecules_may_be_iterators(expected):
    for options in ({"graphs": iter(SMILES)}, {"graphs": wg.from_smiles(SMILES), "molecules": iter(SMILES)}):
        report = evaluate(**options, y=NUMBERS, method="tanimoto", **FEW)
        np.testing.assert_array_equal(report.rows["tanimoto"].values("rmse"), expected)
    report = evaluate((graph for graph in wg.from_smiles(SMILES)), NUMBERS, method="v", **FEW)
    assert report.n_graphs == len(SMILES)


def test_the_cache_keeps_other_molecules_apart(tmp_path, expected):
    options = {"method": "tanimoto", "cache": tmp_path, **FEW}
    for _ in range(2):
        report = evaluate(SMILES, NUMBERS, **options)
        np.testing.assert_array_equal(report.rows["tanimoto"].values("rmse"), expected)
    assert len(list(tmp_path.glob("*.npz"))) == 1
    evaluate(SMILES[::-1], NUMBERS, **options)
    evaluate(SMILES, NUMBERS, **{**options, "method": "tanimoto-counts"})
    assert len(list(tmp_path.glob("*.npz"))) == 3


def test_all_has_fingerprints_for_molecules_alone():
    graphs = wg.from_smiles(SMILES)
    assert "tanimoto" not in applicable_methods(graphs)
    assert "tanimoto" in applicable_methods(graphs, molecules=True)
    assert "tanimoto-counts" not in applicable_methods(graphs, molecules=True)
    assert applicable_methods(graphs, "joint", molecules=True) == ["wwl"]
    classes = [0, 1] * 12
    few = {"method": "all", "kind": "categorical", "depth": 0, "folds": 2, "inner_folds": 2}
    assert "tanimoto" in evaluate(SMILES, classes, **few).rows
    assert "tanimoto" in evaluate(graphs, classes, molecules=SMILES, **few).rows
    assert "tanimoto" not in evaluate(graphs, classes, **few).rows


def test_fingerprints_need_molecules():
    graphs = wg.from_smiles(SMILES)
    for name in ("tanimoto", "tanimoto-counts"):
        message = f'method="{name}" compares molecules, since graphs have neither charges nor hydrogens; use SMILES'
        with pytest.raises(ValueError, match=re.escape(message)):
            evaluate(graphs, NUMBERS, method=["wl", name])


@pytest.mark.parametrize(
    ("molecules", "error", "message"),
    [
        (SMILES[:-1], ValueError, "there are 24 graphs, but 23 molecules; pass one molecule for each graph"),
        ("CCO", ValueError, "there are 24 graphs, but 1 molecule; pass one molecule for each graph"),
        (wg.from_smiles(SMILES), TypeError, "molecules must be SMILES strings or RDKit molecules; pass one for each"),
        ([np.eye(2)] * 24, TypeError, "molecules must be SMILES strings or RDKit molecules; pass one for each"),
        (5, TypeError, "int is neither a graph nor a list of graphs"),
        ([*SMILES[:-1], "C(("], ValueError, "graph 23: 'C((' cannot be read as a molecule"),
    ],
)
def test_wrong_molecules(molecules, error, message):
    with pytest.raises(error, match=re.escape(message)):
        evaluate(wg.from_smiles(SMILES), NUMBERS, method="tanimoto", molecules=molecules)


@pytest.mark.parametrize("option", [{"gamma": 1.0}, {"depth": 1}, {"C": 1.0}])
def test_parameters_that_fingerprints_do_not_have(option):
    with pytest.raises(ValueError, match=f"{next(iter(option))} is not a parameter of these methods; remove it"):
        evaluate(SMILES, NUMBERS, method="tanimoto", **option)
