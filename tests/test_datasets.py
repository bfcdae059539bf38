from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from test_archive import make_folder, make_zip

import wassergraph as wg
from wassergraph import datasets
from wassergraph.datasets.catalogue import CATALOGUE
from wassergraph.datasets.data_home import cache_folder, is_name
from wassergraph.datasets.description import describe_dataset, list_datasets
from wassergraph.datasets.download import UnknownDatasetError


@pytest.fixture
def no_download(monkeypatch):
    def refuse(name, folder):
        raise UnknownDatasetError(f"there is no data set {name!r} (asked for {folder})")

    monkeypatch.setattr(datasets, "download", refuse)


@pytest.mark.parametrize("place", ["data_home", "variable", "cache"])
@pytest.mark.parametrize("packed", [True, False])
def test_places_where_a_name_is_looked_up(tmp_path, monkeypatch, no_download, place, packed):
    home = cache_folder() if place == "cache" else tmp_path / "home"
    home.mkdir(parents=True, exist_ok=True)
    make_zip(home / "TINY.zip") if packed else make_folder(home / "TINY")
    if place == "variable":
        monkeypatch.setenv("WASSERGRAPH_DATA", str(home))
    graphs, y = wg.load_dataset("TINY", data_home=home if place == "data_home" else None)
    assert (len(graphs), y.tolist()) == (2, [1, -1])


def test_the_first_place_wins(tmp_path, monkeypatch, no_download):
    first, second = make_folder(tmp_path / "a" / "TINY"), make_folder(tmp_path / "b" / "TINY")
    (first / "TINY_graph_labels.txt").write_text("5\n6\n")
    monkeypatch.setenv("WASSERGRAPH_DATA", str(second.parent))
    assert wg.load_dataset("TINY")[1].tolist() == [1, -1]
    assert wg.load_dataset("TINY", data_home=first.parent)[1].tolist() == [5, 6]


def test_paths_win_where_they_cannot_be_names(tmp_path, monkeypatch, no_download):
    make_folder(tmp_path / "TINY")
    monkeypatch.chdir(tmp_path)
    for path in ("TINY", "./TINY", tmp_path / "TINY", str(tmp_path / "TINY"), Path("TINY")):
        assert len(wg.load_dataset(path)[0]) == 2
    assert is_name("IMDB-BINARY")
    assert not any(is_name(path) for path in ("MUTAG.ZIP", "a/b", "MUTAG.zip", "..", ".", "~/MUTAG", Path("MUTAG"), ""))
    for path in ("nothing/here", "nothing.zip", Path("nothing")):
        with pytest.raises(FileNotFoundError, match="does not exist"):
            wg.load_dataset(path)


def test_a_folder_here_that_is_no_data_set_is_passed_over(tmp_path, monkeypatch, no_download):
    (tmp_path / "NOPE").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="no data set 'NOPE'"):
        wg.load_dataset("NOPE")


def test_users_without_a_home(tmp_path, monkeypatch, no_download):
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(Path, "home", nobody)
    make_folder(tmp_path / "TINY")
    assert len(wg.load_dataset("TINY", data_home=tmp_path)[0]) == 2
    with pytest.raises(ValueError, match=r"NOPE is not on disk, and there is no home folder .* give data_home"):
        wg.load_dataset("NOPE")
    with pytest.raises(ValueError, match="there is no such home folder"):
        wg.load_dataset("~nobody-of-this-name/TINY")
    with pytest.raises(ValueError, match="the name of the data set is empty"):
        wg.load_dataset("")


def test_an_unknown_name_tells_the_known_ones(no_download):
    with pytest.raises(ValueError, match=r"no data set 'NOPE'.*The sets of the paper are demo, MUTAG"):
        wg.load_dataset("NOPE")


def test_a_known_name_with_other_numbers_is_refused_but_its_path_is_not(tmp_path, no_download):
    folder = make_folder(tmp_path / "MUTAG", "MUTAG")
    with pytest.raises(ValueError, match=r"is not the MUTAG that was published: it has 2 graphs, .* has 188 graphs"):
        wg.load_dataset("MUTAG", data_home=tmp_path)
    assert len(wg.load_dataset(folder)[0]) == 2


def test_options_reach_the_reader(tmp_path):
    folder = make_folder(tmp_path / "TINY")
    (folder / "TINY_A.txt").write_text("1, 2\n1, 1\n")
    graphs, _ = wg.load_dataset(folder, symmetrize=True, self_loops="drop")
    assert (graphs.n_edges, graphs.n_self_loops) == (1, 0)


def test_listing(tmp_path, no_download):
    make_zip(tmp_path / "OTHER.zip")
    make_folder(tmp_path / "ENZYMES", "ENZYMES")
    (tmp_path / "readme.md").write_text("not a data set")
    listing = list_datasets(tmp_path)
    places = {entry.name: entry.place for entry in listing.entries}
    assert set(places) == {"demo", "OTHER", *CATALOGUE}
    assert places["demo"] == "built in"
    assert places["ENZYMES"] == str(tmp_path / "ENZYMES")
    assert places["OTHER"] == str(tmp_path / "OTHER.zip")
    assert places["MUTAG"] is None
    lines = str(listing).splitlines()
    assert lines[0].split() == ["name", "graphs", "classes", "nodes", "edges", "data", "where"]
    assert any(line.split()[:5] == ["MUTAG", "188", "2", "17.93", "19.79"] for line in lines)
    assert json.loads(json.dumps(listing.to_dict()))["entries"][1]["published"]["graphs"] == 188


def test_description(tmp_path):
    description = describe_dataset(make_zip(tmp_path / "TINY.zip"))
    assert description.classes == {"-1": 1, "1": 1}
    assert "data set         TINY" in str(description)
    assert "classes          2 (-1: 1, 1: 1)" in str(description)
    assert json.loads(json.dumps(description.to_dict()))["n_nodes"] == 3
    folder = make_folder(tmp_path / "TINY")
    (folder / "TINY_graph_labels.txt").unlink()
    assert "classes          –" in str(describe_dataset(folder))


def test_all_archives_of_the_paper_are_at_hand(data_home):
    assert {path.stem for path in data_home.glob("*.zip")} >= set(CATALOGUE)


def test_cache_folder_is_the_users(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "wassergraph"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "wassergraph"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_folder() == tmp_path / "Library" / "Caches" / "wassergraph"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_folder() == tmp_path / "local" / "wassergraph"


def test_a_copy_in_the_cache_is_used_without_asking_the_site(data_home, no_download):
    cache_folder().mkdir(parents=True)
    shutil.copy(data_home / "MUTAG.zip", cache_folder())
    assert len(wg.load_dataset("MUTAG")[0]) == 188
