from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import wassergraph as wg
from tu_files import make_folder, make_zip
from wassergraph.datasets import load
from wassergraph.datasets.catalogue import CATALOGUE, DIGESTS, content_digest, published_name
from wassergraph.datasets.data_home import cache_folder, is_name
from wassergraph.datasets.description import describe_dataset, list_datasets
from wassergraph.datasets.download import UnknownDatasetError


@pytest.fixture
def no_download(monkeypatch):
    def refuse(name, folder):
        raise UnknownDatasetError(f"there is no data set {name!r} (asked for {folder})")

    monkeypatch.setattr(load, "download_dataset", refuse)


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
        with pytest.raises(FileNotFoundError, match="it does not exist"):
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
    with pytest.raises(ValueError, match=r"NOPE is not on disk, and there is no home folder .*; pass data_home"):
        wg.load_dataset("NOPE", download=True)
    with pytest.raises(ValueError, match="~nobody-of-this-name/TINY: there is no such home folder"):
        wg.load_dataset("~nobody-of-this-name/TINY")
    with pytest.raises(ValueError, match="the name of the data set is empty"):
        wg.load_dataset("")


def test_an_unknown_name_raises_with_the_known_ones(no_download):
    with pytest.raises(ValueError, match=r"no data set 'NOPE'.*; known data sets are drugs, demo, MUTAG"):
        wg.load_dataset("NOPE")


def test_a_known_name_with_another_size_raises_but_its_path_does_not(tmp_path, no_download):
    folder = make_folder(tmp_path / "MUTAG", "MUTAG")
    with pytest.raises(
        ValueError, match=r"MUTAG: this is not the published data set MUTAG: it has 2 graphs, .* instead of 188 graphs"
    ):
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
    assert set(places) == {"drugs", "demo", "OTHER", *CATALOGUE}
    assert places["drugs"] == places["demo"] == "built in"
    assert places["ENZYMES"] == str(tmp_path / "ENZYMES")
    assert places["OTHER"] == str(tmp_path / "OTHER.zip")
    assert places["MUTAG"] is None
    lines = str(listing).splitlines()
    assert lines[0].split() == ["name", "graphs", "classes", "nodes", "edges", "data", "where"]
    assert any(line.split()[:5] == ["MUTAG", "188", "2", "17.93", "19.79"] for line in lines)
    assert json.loads(json.dumps(listing.to_dict()))["entries"][2]["published"]["graphs"] == 188


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


# Published data sets are recognized by their content


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_published_data_sets_are_recognized(name, data_home):
    graphs, y = wg.load_dataset(name, data_home=data_home)
    assert content_digest(graphs, y) == DIGESTS[name]
    assert published_name(graphs, y) == name


def test_every_published_data_set_has_its_own_digest():
    assert DIGESTS.keys() == CATALOGUE.keys()
    assert len(set(DIGESTS.values())) == len(DIGESTS)


def test_changed_data_sets_are_not_recognized(data_home):
    graphs, y = wg.load_dataset("MUTAG", data_home=data_home)
    labels = graphs.node_labels.copy()
    labels[0] += 1
    for other, targets in [
        (graphs, None),
        (graphs, -y),
        (graphs[:-1], y[:-1]),
        (graphs[np.arange(len(graphs))[::-1]], y[::-1]),
        (replace(graphs, node_labels=labels), y),
        (replace(graphs, edge_labels=None), y),
        (wg.load_dataset("demo")),
    ]:
        assert published_name(other, targets) is None
    assert published_name(graphs[np.arange(len(graphs))], y.copy()) == "MUTAG"


def test_digest_depends_on_every_array():
    graphs, y = wg.load_dataset("demo")
    digests = {
        content_digest(graphs, y),
        content_digest(graphs, None),
        content_digest(graphs, y.astype(float)),
        content_digest(replace(graphs, node_labels=None), y),
        content_digest(replace(graphs, node_attributes=None), y),
        content_digest(replace(graphs, edge_weights=None), y),
        content_digest(replace(graphs, edge_weights=None, edge_attributes=graphs.edge_weights[:, None]), y),
    }
    assert len(digests) == 7
    assert content_digest(graphs, y) == content_digest(graphs, y.astype(">i8"))
