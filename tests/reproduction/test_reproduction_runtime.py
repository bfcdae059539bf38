from __future__ import annotations

import numpy as np
import pytest

from wassergraph.reproduction.runtime import (
    DIMENSION,
    PATIENCE,
    QUICK_SIZES,
    REPEATS,
    SIZES,
    RuntimeRow,
    affordable,
    draw_runtime,
    measure_runtime,
    random_embedding,
    read_runtime,
    run_runtime,
    runtime_summary,
)

HEADER = "nodes,step,seconds,graphs,pairs,repeats"


def rows_with(sinkhorn, sizes=(10, 100, 400)):
    """Give rows where the exact solver takes 1 s, ground distances 0.25 s, and Sinkhorn what is given."""
    rows = []
    for nodes, seconds in zip(sizes, sinkhorn, strict=True):
        rows.append(RuntimeRow(nodes, "ground", 0.25, 100, 4950, 3))
        rows.append(RuntimeRow(nodes, "exact", 1.0, 100, 4950, 3))
        rows.append(RuntimeRow(nodes, "sinkhorn", seconds, 100, 4950, 1))
    return rows


def test_random_graphs_have_the_size_and_scale_that_was_asked_for():
    embedding = random_embedding(40, 300, np.random.default_rng(0))
    sizes = np.diff(embedding.ptr)
    assert len(embedding) == 300
    assert sizes.mean() == pytest.approx(40, abs=1)
    assert sizes.std() == pytest.approx(4, abs=0.6)
    assert embedding.dim == DIMENSION
    one, two = embedding.points[:5000], embedding.points[5000:10000]
    assert ((one - two) ** 2).sum(axis=1).mean() == pytest.approx(1, abs=0.02)
    assert np.diff(random_embedding(1, 50, np.random.default_rng(0)).ptr).min() == 1


@pytest.mark.parametrize("nodes", [1, 10, 50, 100, 700, 10_000])
def test_sinkhorn_gets_as_many_graphs_as_the_work_allows(nodes):
    work, graphs = 1_000_000, 100
    count = affordable(nodes, graphs, work)
    assert 2 <= count <= graphs
    assert count == 2 or count * (count + 1) / 2 * nodes**2 <= work
    assert count == graphs or (count + 1) * (count + 2) / 2 * nodes**2 > work


def test_every_step_is_measured_for_every_size():
    rows = measure_runtime((4, 9), 6, work=600, random_state=0, n_jobs=2)
    assert [(row.nodes, row.step) for row in rows] == [(n, s) for n in (4, 9) for s in ("ground", "exact", "sinkhorn")]
    assert [row.graphs for row in rows] == [6, 6, 6, 6, 6, 3]
    assert [row.pairs for row in rows] == [15, 15, 21, 15, 15, 6]
    assert all(row.seconds >= 0 and 1 <= row.repeats <= REPEATS for row in rows)
    assert all((row.repeats - 1) * row.seconds < PATIENCE for row in rows)  # the others had not taken as long


def test_times_are_scaled_to_the_pairs_of_100_graphs():
    assert RuntimeRow(10, "exact", 2.0, 100, 4950, 1).total == pytest.approx(2)
    assert RuntimeRow(10, "sinkhorn", 2.0, 4, 10, 1).total == pytest.approx(990)


def test_the_table_comes_back(tmp_path):
    path = tmp_path / "runtime.csv"
    path.write_text(f"# command: x\n{HEADER}\n10,ground,0.125,20,190,5\n10,sinkhorn,3e-05,4,10,1\n", encoding="utf-8")
    expected = [RuntimeRow(10, "ground", 0.125, 20, 190, 5), RuntimeRow(10, "sinkhorn", 3e-5, 4, 10, 1)]
    assert read_runtime(path) == expected
    path.write_text(f"{HEADER}\n10,ground\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"runtime\.csv: this is not a table of the experiment .* remove it"):
        read_runtime(path)


def test_a_run_writes_its_table(tmp_path, monkeypatch):
    monkeypatch.setattr("wassergraph.reproduction.runtime.QUICK_SIZES", (3, 5))
    monkeypatch.setattr("wassergraph.reproduction.runtime.QUICK_GRAPHS", 4)
    path = tmp_path / "runtime.csv"
    run_runtime(path, quick=True)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# command: wassergraph reproduce runtime --quick"
    assert [line.partition(":")[0] for line in lines[1:3]] == ["# commit", "# versions"]
    assert lines[3] == HEADER
    assert [row.nodes for row in read_runtime(path)] == [3, 3, 3, 5, 5, 5]
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        run_runtime(tmp_path / "no" / "runtime.csv")


def test_sizes_grow():
    assert list(SIZES) == sorted(set(SIZES))
    assert set(QUICK_SIZES) < set(SIZES)


def test_pictures(tmp_path):
    rows = [*rows_with((3.0, 2.0, 0.5)), RuntimeRow(800, "sinkhorn", 0.1, 4, 10, 1)]
    for name in ("one.svg", "two.svg", "three.png"):
        draw_runtime(rows, tmp_path / name)
    one = (tmp_path / "one.svg").read_bytes()
    assert one == (tmp_path / "two.svg").read_bytes()
    assert b"<svg" in one
    assert (tmp_path / "three.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("sinkhorn", "words"),
    [
        ((3.0, 2.0, 0.5), "Sinkhorn is faster than exact transport from 400 nodes on"),
        ((3.0, 2.0, 1.5), "faster than exact transport at none of the sizes from 10 to 400 nodes"),
        ((3.0, 0.5, 2.0), "faster than exact transport at 100 nodes, and not at the other sizes"),
    ],
)
def test_the_summary_says_from_where_on_sinkhorn_pays(sinkhorn, words):
    text = runtime_summary(rows_with(sinkhorn))
    assert words in text
    assert f"{min(sinkhorn):g} to 3 times as long" in text
    assert "25% to 25%" in text
    assert "Scaled up" not in text


def test_the_summary_says_what_was_scaled_up():
    rows = rows_with((3.0, 2.0, 2.0))
    rows[5] = RuntimeRow(100, "sinkhorn", 1.0, 50, 1275, 1)
    rows[8] = RuntimeRow(400, "sinkhorn", 1.0, 12, 78, 1)
    text = runtime_summary(rows)
    assert text.endswith(
        "Scaled up to 100 graphs: Sinkhorn, total from 50 graphs of 100 nodes and 12 graphs of 400 nodes."
    )
    assert runtime_summary(rows[:2]) == "No size of graphs was measured with all steps."
