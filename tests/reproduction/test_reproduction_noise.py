from __future__ import annotations

import numpy as np
import pytest

import wassergraph as wg
from wassergraph.reproduction.noise import (
    LEVELS,
    NoiseRow,
    draw_noise,
    noise_distances,
    noise_summary,
    read_noise,
    relative_distances,
    run_noise,
    wl_distances,
)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("noise") / "noise.csv"
    run_noise(path, quick=True, random_state=1)
    return path


def test_the_distance_of_wl_is_that_of_its_features():
    family, _ = wg.datasets.make_noisy_erdos_renyi(1, 4, n_nodes=9, noise=[0, 0.1, 0.5, 1], random_state=0)
    stranger, _ = wg.datasets.make_noisy_erdos_renyi(1, 1, n_nodes=9, noise=0, random_state=1)
    both = wg.from_networkx([*family.to_networkx(), *stranger.to_networkx()])
    features = wg.baselines.WLSubtree(depth=2).fit(both).features(both).toarray()
    expected = np.linalg.norm(features[1:] - features[0], axis=1)
    np.testing.assert_allclose(wl_distances(family, stranger, 2), expected, rtol=1e-14)


def test_relative_distances_are_quotients():
    family, _ = wg.datasets.make_noisy_erdos_renyi(1, 3, n_nodes=9, noise=[0, 0.2, 0.6], random_state=0)
    stranger, _ = wg.datasets.make_noisy_erdos_renyi(1, 1, n_nodes=9, noise=0, random_state=1)
    wl = wl_distances(family, stranger, 1)
    wwl = wg.distances(family, metric=wg.WWL(depth=1, kind="categorical"))[0, 1:]
    apart = wg.distances(family[0], stranger, metric=wg.WWL(depth=1, kind="categorical"))[0, 0]
    expected = [wl[:2] / wl[2], wwl / apart]
    np.testing.assert_allclose(relative_distances(family, stranger, depth=1), expected, rtol=1e-12)
    with pytest.raises(ValueError, match="between the two independent graphs is 0"):
        relative_distances(family, family[0], depth=1)


def test_no_noise_is_no_distance_and_more_noise_is_more():
    found = noise_distances(12, levels=(0.0, 0.1, 0.5, 1.0))
    assert found.shape == (12, 2, 4)
    assert (found[:, :, 0] == 0).all()
    assert (np.diff(found.mean(axis=0), axis=1) > 0).all()


def test_the_seed_decides_and_the_threads_do_not():
    levels = (0.05, 0.3)
    one = noise_distances(4, levels=levels, random_state=5)
    np.testing.assert_array_equal(one, noise_distances(4, levels=levels, random_state=5, n_jobs=2))
    assert np.abs(one - noise_distances(4, levels=levels, random_state=6)).max() > 1e-3


def numbers(rows):
    return [(row.noise, row.mean, row.std, row.low, row.high, row.draws) for row in rows]


def test_the_table(table, tmp_path):
    lines = table.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# command: wassergraph reproduce noise --quick"
    assert lines[1].startswith("# commit: ")
    assert "numpy" in lines[2]
    assert lines[3] == "noise,method,mean,std,low,high,draws"
    rows = read_noise(table)
    assert [(row.noise, row.method) for row in rows] == [(level, name) for level in LEVELS for name in ("WL", "WWL")]
    assert {row.draws for row in rows} == {20}
    assert all(row.low <= row.mean <= row.high for row in rows)
    own = noise_distances(20, random_state=1)[:, 1, -1]
    low, high = np.percentile(own, [10, 90])
    assert numbers(rows[-1:]) == [pytest.approx((1.0, own.mean(), own.std(), low, high, 20))]
    run_noise(tmp_path / "again.csv", quick=True, random_state=1, n_jobs=2)
    again = read_noise(tmp_path / "again.csv")
    assert [row.method for row in again] == [row.method for row in rows]
    np.testing.assert_allclose(numbers(again), numbers(rows), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "noise,method,mean,std,low,high,draws\n0,WL,x,0,0,0,1\n"])
def test_other_tables_are_refused(tmp_path, text):
    (tmp_path / "other.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"other\.csv: this is not a table of the experiment .* remove it"):
        read_noise(tmp_path / "other.csv")


def test_there_must_be_a_folder_before_work_begins(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        run_noise(tmp_path / "no" / "noise.csv")


def test_pictures(table, tmp_path):
    rows = read_noise(table)
    for name in ("one.svg", "two.svg", "three.png"):
        draw_noise(rows, tmp_path / name)
    one = (tmp_path / "one.svg").read_bytes()
    assert one == (tmp_path / "two.svg").read_bytes()
    assert b"<svg" in one
    assert (tmp_path / "three.png").read_bytes().startswith(b"\x89PNG")


def test_the_summary_says_both_numbers_and_where_wwl_is_nearer():
    means = {"WL": (0.0, 0.9, 1.2), "WWL": (0.0, 0.95, 0.6)}
    rows = [
        NoiseRow(noise, method, mean, 0.1, mean, mean, 7)
        for method, own in means.items()
        for noise, mean in zip((0.0, 0.05, 0.5), own, strict=True)
    ]
    text = noise_summary(rows)
    assert "means of 7 draws" in text
    assert "0.90 and 0.95 with 5 % of the edges removed (ratio 0.95)" in text
    assert "1.20 and 0.60 with 50 % of the edges removed (ratio 2.00)" in text
    assert "That by WWL is smaller at 1 of 2 levels of noise (not at 5 %)" in text
    assert noise_summary(rows[:3]) == "No level of noise was measured with both methods."
