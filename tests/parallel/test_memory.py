from __future__ import annotations

import numpy as np
import pytest

import wassergraph as wg
from command_line import run
from made_metrics import evaluate
from wassergraph.errors import InputError, NotEnoughMemoryError
from wassergraph.pairwise.foresight import array_bytes
from wassergraph.parallel.memory import LIMIT, _of_groups, available_memory, check_memory, size_text
from wassergraph.tuning.foresight import fit_bytes


@pytest.fixture
def demo():
    return wg.load_dataset("demo")  # 60 graphs: a matrix has 28,800 bytes


@pytest.mark.parametrize(
    ("text", "n_bytes"), [("12345", 12345), ("2kB", 2000), ("1.5 MB", 1_500_000), ("8gb", 8 * 10**9), ("1TB", 10**12)]
)
def test_a_limit_that_is_given(monkeypatch, text, n_bytes):
    monkeypatch.setenv(LIMIT, text)
    known = available_memory()
    assert known is not None
    assert known <= n_bytes
    if n_bytes < 10**7:
        assert known == n_bytes


def test_a_limit_that_is_no_number(monkeypatch):
    monkeypatch.setenv(LIMIT, "lots")
    with pytest.raises(InputError, match=r"a number of bytes such as 8GB or 500MB, got 'lots'"):
        available_memory()


def test_what_control_groups_leave(tmp_path):
    own, root = tmp_path / "own", tmp_path / "groups"
    inner = root / "jobs" / "7"
    inner.mkdir(parents=True)
    own.write_text("0::/jobs/7\n")
    for folder, limit, used in ((inner, "max", 100), (root / "jobs", "5000", 3000)):
        (folder / "memory.max").write_text(f"{limit}\n")
        (folder / "memory.current").write_text(f"{used}\n")
    assert list(_of_groups(root, own)) == [2000]
    (root / "jobs" / "memory.stat").write_text("anon 2000\ninactive_file 700\n")
    assert list(_of_groups(root, own)) == [2700]
    assert list(_of_groups(root, tmp_path / "missing")) == []


def test_what_the_first_control_groups_leave(tmp_path):
    own, group = tmp_path / "own", tmp_path / "memory" / "job"
    group.mkdir(parents=True)
    own.write_text("4:cpu,cpuacct:/job\n3:memory:/job\n")
    (group / "memory.limit_in_bytes").write_text("900\n")
    (group / "memory.usage_in_bytes").write_text("1000\n")
    assert list(_of_groups(tmp_path, own)) == [0]


def test_an_unknown_amount_refuses_nothing(monkeypatch):
    monkeypatch.setattr("wassergraph.parallel.memory.available_memory", lambda: None)
    check_memory(1e30, "everything", remedy="")


def test_sizes_in_words():
    assert [size_text(n) for n in (1, 2.4e6, 999e6, 1.25e9, 26e9, 4e12)] == [
        "1 MB",
        "2 MB",
        "999 MB",
        "1.2 GB",
        "26 GB",
        "4,000 GB",
    ]


def test_arrays_of_a_problem_are_counted():
    same = np.zeros(3)
    problem = (same, (np.zeros((2, 2), dtype=np.float32), same, None), "text", 7)
    assert array_bytes(problem) == 24 + 16


# Refusals


def test_distances_that_do_not_fit_are_refused(demo, monkeypatch):
    graphs, _ = demo
    monkeypatch.setenv(LIMIT, "100000")  # three matrices, or six in single precision
    wg.distances(graphs, metric=wg.WWL(depth=range(3)))
    with pytest.raises(NotEnoughMemoryError, match=r'at 4 depths would need .* out="D.zarr", or pass dtype="float32"'):
        wg.distances(graphs, metric=wg.WWL(depth=range(4)))
    assert wg.distances(graphs, metric=wg.WWL(depth=range(4)), dtype=np.float32).shape == (4, 60, 60)
    with pytest.raises(MemoryError, match=r"fewer values of depth: each needs 1 MB"):
        wg.distances(graphs, metric=wg.WWL(depth=range(7)))
    monkeypatch.setenv(LIMIT, "14000")
    with pytest.raises(MemoryError, match=r'^the distances of 60 × 60 graphs would need .* with out="D.zarr"$'):
        wg.distances(graphs)


def test_nothing_is_computed_before_a_refusal(demo, monkeypatch):
    def fail(*_: object) -> None:
        raise AssertionError("the graphs were embedded")

    monkeypatch.setattr("wassergraph.pairwise.api.embed_all", fail)
    monkeypatch.setattr("wassergraph.tuning.screening.embed_all", fail)
    monkeypatch.setenv(LIMIT, "10000")
    with pytest.raises(MemoryError):
        wg.distances(demo[0])
    with pytest.raises(MemoryError):
        wg.GraphClassifier().fit(*demo)


def test_the_memory_of_a_fit():
    assert fit_bytes(1000, 8, 1) == 8 * 1000**2 * (8 + 5)
    assert fit_bytes(1000, 8, 4) == 8 * 1000**2 * (8 + 12)


@pytest.mark.parametrize("model", [wg.GraphClassifier, wg.GraphRegressor, wg.GraphGaussianProcess])
def test_fits_that_do_not_fit_are_refused(demo, monkeypatch, model):
    graphs, y = demo
    y = y if model is wg.GraphClassifier else y + 0.5
    monkeypatch.setenv(LIMIT, str(fit_bytes(60, 1, 1)))
    with pytest.raises(NotEnoughMemoryError, match=r"learning from 60 graphs with 8 matrices .*; with depth=7 alone"):
        model(search="metric").fit(graphs, y)
    with pytest.raises(NotEnoughMemoryError, match=r'with 4 matrices .*; with depth=1 and mass="share" alone'):
        model([wg.WWL([0, 1], mass=mass) for mass in ("share", "count")]).fit(graphs, y)
    model(wg.WWL(1)).fit(graphs, y)
    monkeypatch.setenv(LIMIT, str(fit_bytes(50, 1, 1)))
    with pytest.raises(NotEnoughMemoryError, match=r"with one matrix .*; take a sample of at most 50 graphs"):
        model(wg.WWL(1)).fit(graphs, y)


def test_evaluations_that_do_not_fit_are_refused(demo, monkeypatch):
    monkeypatch.setenv(LIMIT, str(fit_bytes(60, 2, 1)))
    with pytest.raises(NotEnoughMemoryError, match=r"with depth=7 alone"):
        evaluate(*demo, method="wwl")
    evaluate(*demo, method="wwl", depth=1, folds=2, inner_folds=2)


def test_the_command_names_flags(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv(LIMIT, "20000")
    code, _, err = run(capsys, "distances", "demo", "--kind", "joint", "--out", tmp_path / "D.npy")
    assert code == 1
    assert "write them to disk with --out D.zarr, or pass --dtype float32, which needs" in err
    code, _, err = run(capsys, "distances", "demo", "--kind", "joint", "--out", tmp_path / "D.zarr")
    assert (code, err) == (0, "")


def test_pages_that_do_not_fit_are_refused(demo, monkeypatch):
    monkeypatch.setenv(LIMIT, "100000")
    with pytest.raises(NotEnoughMemoryError, match=r"a page of 60 graphs .*; pass a sample of the graphs"):
        wg.explore(*demo)
