"""The command ``distances``: what it writes and prints, and what it says when it cannot."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import wassergraph as wg
from command_line import run
from made_metrics import with_metric
from stores import assert_identical, use_small_tiles
from wassergraph.errors import DiskError
from wassergraph.pairwise.store import StoreSink

GRAPHS = wg.datasets.make_demo()[0]


@pytest.fixture(autouse=True)
def _small_tiles(monkeypatch):
    use_small_tiles(monkeypatch)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with small data sets: two tables of molecules."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "a.csv").write_text("smiles\nCCO\nCCN\nc1ccccc1\nCC(=O)O\nC1CC1\n")
    (folder / "b.csv").write_text("smiles\nCCO\nCCCl\n")
    return folder


LEFT, RIGHT = ["CCO", "CCN", "c1ccccc1", "CC(=O)O", "C1CC1"], ["CCO", "CCCl"]


def test_a_store_is_computed_and_completed(tmp_path, capsys):
    path = tmp_path / "D.zarr"
    command = ("distances", "demo", "--kind", "joint", "--depth", "2,0", "--out", path)
    code, out, err = run(capsys, *command)
    assert (code, err) == (0, "")
    compared = "node labels and node attributes, standardized"
    assert out == f"Distances between 60 graphs ({compared}) at depth 2, 0 written to {path}\n"
    expected = wg.distances(GRAPHS, metric=wg.WWL(depth=[2, 0], kind="joint", standardize="auto"))
    assert_identical(wg.open_distances(path), expected)
    (path / "distances" / "c" / "0" / "0" / "1").write_bytes(b"")
    code, out, _ = run(capsys, *command, "--json", "--verify")
    summary = json.loads(out)
    assert summary["recipe"] == dict(wg.open_distances(path).recipe)
    assert (summary["shape"], summary["depth"], summary["dtype"]) == ([2, 60, 60], [2, 0], "float64")
    assert_identical(wg.open_distances(path), expected)


def test_another_command_is_refused(tmp_path, folder, capsys):
    path = tmp_path / "D.zarr"
    assert run(capsys, "distances", folder / "a.csv", "--out", path, "--quiet") == (0, "", "")
    code, _, err = run(capsys, "distances", folder / "a.csv", "--out", path, "--depth", 2)
    assert code == 2
    assert "this store was begun with other input: depth is 3 in the store, and 2 now" in err
    assert "choose another --out" in err


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ([], {}),
        (["--depth", "0-2"], {"depth": [0, 1, 2]}),
        (["--kind", "continuous", "--standardize", "no"], {"kind": "continuous", "standardize": False}),
        (
            ["--kind", "continuous", "--solver", "sinkhorn", "--reg", "0.5"],
            {"kind": "continuous", "solver": "sinkhorn", "reg": 0.5},
        ),
        (
            ["--kind", "continuous", "--solver", "sliced", "--n-projections", "5", "--random-state", "3"],
            {"kind": "continuous", "solver": "sliced", "n_projections": 5, "random_state": 3},
        ),
        (["--dtype", "float32", "--depth", "1"], {"dtype": np.float32, "depth": 1}),
    ],
)
def test_options_are_those_of_the_function(tmp_path, folder, flags, options, capsys):
    left, right = wg.from_smiles(LEFT), wg.from_smiles(RIGHT)
    expected = wg.distances(left, right, **with_metric(**{"standardize": "auto", **options}))
    common = ("distances", folder / "a.csv", "--others", folder / "b.csv", *flags, "--quiet", "--out")
    for name in ("D.zarr", "D.npy"):
        assert run(capsys, *common, tmp_path / name) == (0, "", "")
    assert_identical(wg.open_distances(tmp_path / "D.zarr"), expected)
    assert_identical(np.load(tmp_path / "D.npy"), expected)


def test_a_table_has_the_names_of_the_graphs(tmp_path, folder, capsys):
    for others, name in ((), "square.csv"), (("--others", folder / "b.csv"), "rectangle.csv"):
        assert run(capsys, "distances", folder / "a.csv", *others, "--out", tmp_path / name)[0] == 0
    with (tmp_path / "square.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header[0] == "graph"
    assert header[1:] == [row[0] for row in rows]
    expected = wg.distances(wg.from_smiles(LEFT))
    np.testing.assert_array_equal(np.array([row[1:] for row in rows], dtype=np.float64), expected)
    with (tmp_path / "rectangle.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert (len(header), len(rows)) == (3, 5)
    expected = wg.distances(wg.from_smiles(LEFT), wg.from_smiles(RIGHT))
    np.testing.assert_array_equal(np.array([row[1:] for row in rows], dtype=np.float64), expected)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--out", "D.txt"], "--out must end with .zarr, .npy or .csv, got 'D.txt'"),
        (["--out", "no/D.zarr"], "there is no folder no; create it first"),
        (["--out", "no/D.npy"], "there is no folder no; create it first"),
        (
            ["--out", "D.csv", "--depth", "0-2"],
            "a table has the distances of one depth, but --depth has 3; write a .zarr",
        ),
        (["--out", "D.csv", "--depth", "0,1"], "a table has the distances of one depth, but --depth has 2"),
        (["--out", "D.npy", "--verify"], "--verify is used with a .zarr folder only"),
        (["--out", "D.zarr", "--reg", "1"], "--reg is used with --solver sinkhorn only"),
        (["--out", "D.zarr", "--workers", "0"], "--workers must be at least 1, got 0"),
    ],
)
def test_wrong_input_is_named(tmp_path, flags, message, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "distances", "demo", *flags)
    assert (code, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_workers_and_scheduler_exclude_each_other(capsys):
    with pytest.raises(SystemExit, match="2"):
        run(capsys, "distances", "demo", "--out", "D.zarr", "--workers", 2, "--scheduler", "tcp://127.0.0.1:1")
    assert "not allowed with argument" in capsys.readouterr().err


def test_an_interrupt_says_how_to_go_on(tmp_path, folder, capsys, monkeypatch):
    path = tmp_path / "D.zarr"
    command = ("distances", folder / "a.csv", "--out", path)

    def interrupt(self, tile, values):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(StoreSink, "write", interrupt)
        code, _, err = run(capsys, *command)
    assert code == 130
    assert f"what is finished is kept in {path}; the same command computes the rest" in err
    assert run(capsys, *command)[0] == 0
    assert_identical(wg.open_distances(path), wg.distances(wg.from_smiles(LEFT)))


def test_a_full_disk_is_a_failure(tmp_path, folder, capsys, monkeypatch):
    def fail(self, tile, values):
        raise DiskError("this store cannot be written: No space left on device", file=self.path)

    monkeypatch.setattr(StoreSink, "write", fail)
    code, _, err = run(capsys, "distances", folder / "a.csv", "--out", tmp_path / "D.zarr")
    assert code == 1
    assert err.startswith("wassergraph: error: ")
    assert "D.zarr: this store cannot be written: No space left on device" in err
