"""Spectra of distances and kernels, as a table that is continued where the last run ended."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import wassergraph as wg
from wassergraph.reproduction.definiteness import (
    QUICK_GAMMAS,
    SPECTRUM_DEPTHS,
    SpectrumRow,
    read_spectra,
    run_spectra,
    spectra_table,
)
from wassergraph.tuning.grid import GAMMAS

#: The distances of the graph K(2, 3): a metric that is not conditionally negative definite.
BIPARTITE = np.array([[0, 2, 1, 1, 1], [2, 0, 1, 1, 1], [1, 1, 0, 2, 2], [1, 1, 2, 0, 2], [1, 1, 2, 2, 0]], dtype=float)


def labeled():
    graphs, _ = wg.load_dataset("demo")
    return wg.distances(graphs[:12], metric=wg.WWL(depth=SPECTRUM_DEPTHS, kind="categorical"))


def bipartite():
    return np.stack([BIPARTITE] * len(SPECTRUM_DEPTHS))


def never():
    raise AssertionError("this set is done: its distances are not needed")


def assert_same_rows(path, other):
    """Compare two tables; the last bits of eigenvalues may depend on the number of threads of the linear algebra."""
    floats = ("smallest", "largest", "negative_mass")
    for row, expected in zip(read_spectra(path), read_spectra(other), strict=True):
        assert replace(row, **{name: getattr(expected, name) for name in floats}) == expected
        values, expected_values = ([getattr(each, name) for name in floats] for each in (row, expected))
        assert values == pytest.approx(expected_values, rel=1e-9, abs=1e-12)


SETS = [("demo", "categorical", labeled), ("K23", "continuous", bipartite), ("demo", "joint", bipartite)]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("spectra") / "definiteness.csv"
    run_spectra(path, SETS)
    return path


def test_every_row_is_the_verdict_on_its_matrix(table):
    rows = read_spectra(table)
    keys = [(name, kind, h, g) for name, kind, _ in SETS for h in SPECTRUM_DEPTHS for g in (None, *GAMMAS)]
    assert [(row.dataset, row.kind, row.depth, row.gamma) for row in rows] == keys
    stack = labeled()
    for row in rows[: len(rows) // 3]:
        matrix = stack[SPECTRUM_DEPTHS.index(row.depth)]
        if row.gamma is None:
            found = wg.kernels.conditional_definiteness(matrix)
        else:
            found = wg.kernels.definiteness(wg.kernels.laplacian_kernel(matrix, row.gamma))
        assert row.graphs == 12
        assert row.n_negative == found.n_negative == 0
        assert (row.verdict, row.negative_mass) == (found.verdict, 0)
        assert (row.smallest, row.largest) == pytest.approx((found.smallest_eigenvalue, found.largest_eigenvalue))


def test_what_is_not_definite_is_said(table):
    rows = [row for row in read_spectra(table) if row.dataset == "K23"]
    assert {row.verdict for row in rows if row.gamma is None} == {"not conditionally negative definite"}
    indefinite = [row for row in rows if row.gamma is not None and row.n_negative]
    assert indefinite
    for row in indefinite:
        eigenvalues = np.linalg.eigvalsh(np.exp(-row.gamma * BIPARTITE))
        assert row.smallest == pytest.approx(eigenvalues[0])
        assert row.negative_mass == pytest.approx(-eigenvalues[eigenvalues < 0].sum() / np.abs(eigenvalues).sum())


def test_a_run_that_was_killed_goes_on(table, tmp_path):
    path = tmp_path / "definiteness.csv"

    def killed():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_spectra(path, [SETS[0], ("K23", "continuous", killed), SETS[2]])
    assert {(row.dataset, row.kind) for row in read_spectra(path)} == {("demo", "categorical")}
    run_spectra(path, [("demo", "categorical", never), *SETS[1:]])
    assert_same_rows(path, table)
    run_spectra(path, [(name, kind, never) for name, kind, _ in SETS])
    assert_same_rows(path, table)


def test_the_order_of_the_file_is_that_of_the_sets(table, tmp_path):
    path = tmp_path / "definiteness.csv"
    run_spectra(path, SETS[2:])
    run_spectra(path, SETS)
    assert_same_rows(path, table)


def test_sets_that_nobody_asks_for_stay(tmp_path):
    path = tmp_path / "definiteness.csv"
    run_spectra(path, SETS[1:2])
    before = read_spectra(path)
    run_spectra(path, SETS[2:])
    assert read_spectra(path)[-len(before) :] == before


def test_a_quick_run_is_completed_by_a_whole_one(table, tmp_path):
    path = tmp_path / "definiteness.csv"
    run_spectra(path, SETS, quick=True)
    assert {row.gamma for row in read_spectra(path)} == {None, *QUICK_GAMMAS}
    run_spectra(path, SETS, n_jobs=2)
    assert_same_rows(path, table)
    run_spectra(path, [(name, kind, never) for name, kind, _ in SETS], quick=True)
    assert_same_rows(path, table)


def test_all_commits_that_made_rows_are_named(table, tmp_path):
    path = tmp_path / "definiteness.csv"
    run_spectra(path, SETS[:1])
    lines = path.read_text(encoding="utf-8").splitlines()
    now = lines[1].removeprefix("# commit: ")
    lines[1] = "# commit: v0-1-gabcdef0"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    run_spectra(path, SETS)
    assert path.read_text(encoding="utf-8").splitlines()[1] == f"# commit: v0-1-gabcdef0, {now}"


def test_bad_input(tmp_path):
    path = tmp_path / "definiteness.csv"
    with pytest.raises(
        ValueError, match=r"the distances of demo \(joint\) have the shape \(5, 5\): there must be one square"
    ):
        run_spectra(path, [("demo", "joint", lambda: BIPARTITE)])
    assert not path.exists()
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"definiteness\.csv: this is not a table of the experiment .* remove it"):
        run_spectra(path, SETS)


def test_the_summary_in_markdown(table):
    lines = spectra_table(read_spectra(table)).splitlines()
    assert len(lines) == 2 + len(SETS) + 2
    assert len({line.count("|") for line in lines[:5]}) == 1
    assert lines[2].startswith("| demo | categorical | 12 | cnd | cnd | cnd |")
    assert "| 0 of 18 | 0 |" in lines[2]
    assert lines[3].startswith("| K23 | continuous | 5 | not cnd (")
    assert lines[-1].startswith("3 of 9 distance matrices are conditionally negative definite")
    negative = sum(row.n_negative > 0 for row in read_spectra(table) if row.gamma is not None)
    assert f"{negative} of 54 kernels" in lines[-1]


def test_a_table_of_one_set_without_a_depth():
    row = SpectrumRow("X", "joint", 3, None, 4, -1.0, 2.0, 1, 0.25, "not conditionally negative definite")
    text = spectra_table([row])
    assert "| X | joint | 4 | – | not cnd (25.0%) | – | 0.0e+00 | 0 of 0 | 0 |" in text
