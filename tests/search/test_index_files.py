"""Indexes in files: they come back as they were, and files that are damaged, foreign or crafted are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import wassergraph as wg
from made_metrics import with_metric
from specimens.write_indexes import ALCOHOLS, write_indexes
from wassergraph.files.archive import write_archive
from wassergraph.files.archive_reader import read_archive
from wassergraph.models.model_files.archive import ModelFileError
from wassergraph.search.index_files import _FORMAT, INDEX_VERSION, IndexFileError

SPECIMENS = Path(__file__).parents[1] / "specimens"
GRAPHS = wg.datasets.make_demo(12)[0]
OWN, NEW = GRAPHS[:28], GRAPHS[28:]
BARE = replace(OWN, node_labels=None, node_attributes=None)
WEIGHTS = np.arange(OWN.n_nodes) % 5 + 1.0
KINDS = {
    "labels": {"kind": "categorical"},
    "labels, counts": {"kind": "categorical", "mass": "count", "unmatched_cost": 0.7},
    "labels, weights": {"kind": "categorical", "weights": WEIGHTS, "size_weight": 0.2},
    "transport": {"kind": "continuous", "standardize": True},
    "transport, deep": {"kind": "continuous", "depth": 9},
    "transport, weights": {"kind": "joint", "weights": WEIGHTS},
    "transport, counts": {"kind": "joint", "mass": "count", "size_weight": 0.3},
    "lines": {"kind": "continuous", "depth": 0},
    "lines, weights": {"kind": "continuous", "depth": 0, "weights": WEIGHTS, "size_weight": 0.1},
}


def make(kind):
    parameters = {"depth": 2, **KINDS[kind]}
    return wg.GraphIndex(graphs_of(kind, OWN), **with_metric(**parameters), names=[f"n{g}" for g in range(len(OWN))])


def graphs_of(kind, graphs):
    return replace(graphs, node_labels=None, node_attributes=None) if kind.startswith("lines") else graphs


def assert_same_answers(one, other, new):
    for search in (
        lambda index: index.query(new, k=4),
        lambda index: index.radius_neighbors(new, 0.4),
        lambda index: index.kneighbors(3),
    ):
        for left, right in zip(search(one), search(other), strict=True):
            assert len(left) == len(right)
            assert all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))
        assert one.last_counts == other.last_counts


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_an_index_comes_back_as_it_was(kind, verify, tmp_path):
    index = make(kind)
    index.save(tmp_path / "a.wgi")
    again = wg.load_index(tmp_path / "a.wgi", verify=verify)
    assert repr(again) == repr(index)
    assert again.graphs == index.graphs
    assert again.names.tolist() == index.names.tolist()
    assert type(again._searchers.fitting()) is type(index._searchers.fitting())
    assert_same_answers(again, index, graphs_of(kind, NEW))
    again.save(tmp_path / "b.wgi")
    assert (tmp_path / "a.wgi").read_bytes() == (tmp_path / "b.wgi").read_bytes()


def test_molecules_come_back_as_molecules(tmp_path):
    index = wg.GraphIndex(["CCO", "CCN", "c1ccccc1O", "CC(=O)O"], names=["ä\n,", "", "文", "x" * 300])
    index.save(tmp_path / "a.wgi")
    again = wg.load_index(tmp_path / "a.wgi")
    assert again.graphs.molecules
    assert again.names.tolist() == index.names.tolist()
    assert_same_answers(again, index, wg.from_smiles(["CCCO", "c1ccccc1"]))


def test_weighted_queries_of_a_loaded_index(tmp_path):
    index = make("transport")
    index.save(tmp_path / "a.wgi")
    again = wg.load_index(tmp_path / "a.wgi")
    weights = np.arange(NEW.n_nodes) % 3 + 1.0
    for left, right in zip(index.query(NEW, weights=weights), again.query(NEW, weights=weights), strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("kind", ["labels", "transport", "transport, weights", "lines"])
def test_a_loaded_index_grows_and_is_saved_where_it_came_from(kind, tmp_path):
    path, weights = tmp_path / "a.wgi", np.arange(NEW.n_nodes) % 4 + 1.0 if "weights" in kind else None
    index, new = make(kind), graphs_of(kind, NEW)
    index.save(path)
    again = wg.load_index(path)
    for each in (index, again):
        each.add(new, weights=weights)
    again.save(path)
    assert len(again) == len(GRAPHS)
    assert_same_answers(wg.load_index(path), index, new)


def test_edge_attributes_are_kept_so_that_graphs_can_be_added(tmp_path):
    graphs = replace(OWN, edge_attributes=np.ones((OWN.n_arcs, 2)))
    wg.GraphIndex(graphs, wg.WWL(depth=1)).save(tmp_path / "a.wgi")
    again = wg.load_index(tmp_path / "a.wgi")
    again.add(graphs[:2])
    assert again.graphs.edge_attributes.shape[1] == 2


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_stay_in_the_file(kind, tmp_path):
    make(kind).save(tmp_path / "a.wgi")
    again = wg.load_index(tmp_path / "a.wgi")
    (searcher,) = again._searchers.by_total.values()
    arrays = {**searcher.arrays, "node_ptr": again.graphs.node_ptr, "indices": again.graphs.indices}
    assert all(is_mapped(array) for array in arrays.values()), arrays
    assert all(array.flags.c_contiguous and array.flags.aligned for array in arrays.values())


def is_mapped(array):
    while array is not None:
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return False


@pytest.mark.parametrize("kind", ["labels", "transport", "lines", "source", "stereo"])
def test_an_index_of_an_earlier_version_opens(kind):
    for path in sorted(SPECIMENS.glob(f"index-v*-{kind}.wgi")):
        expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        index = wg.load_index(path)
        assert repr(index) == expected["repr"]
        assert index.names.tolist() == expected["names"]
        assert index.source == expected.get("source", {})  # the first indexes did not keep it
        graphs = wg.datasets.make_demo(4)[0][9:]
        new = wg.from_smiles(ALCOHOLS[9:]) if kind == "stereo" else graphs_of(kind, graphs)
        distances, positions = index.query(new, k=4)
        np.testing.assert_allclose(distances, expected["distances"], rtol=1e-12, atol=1e-14)
        assert positions.tolist() == expected["positions"]


def test_there_are_specimens_of_the_present_version(tmp_path):
    write_indexes(tmp_path)
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {path.name for path in SPECIMENS.glob(f"index-v{INDEX_VERSION}-*")}


# Files that are no index


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("indexes") / "a.wgi"
    make("transport").save(path)
    return path.read_bytes()


def assert_refused(path, words, **options):
    with pytest.raises(IndexFileError, match=words) as caught:
        wg.load_index(path, **options)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("verify", [True, False])
def test_an_incomplete_file_is_refused(data, verify, tmp_path):
    path = tmp_path / "a.wgi"
    for length in (0, 1, 29, 60, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:length])
        assert_refused(path, "is not a graph index|damaged or incomplete", verify=verify)


def test_a_changed_byte_is_noticed(data, tmp_path):
    path = tmp_path / "a.wgi"
    for place in range(100, len(data), len(data) // 50):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert_refused(path, "checksum is wrong")


def test_a_text_is_refused(tmp_path):
    (tmp_path / "a.wgi").write_text("smiles\nCCO\n")
    assert_refused(tmp_path / "a.wgi", "this is not a graph index; pass a file that GraphIndex.save or wassergraph")


def test_a_model_is_no_index_and_an_index_no_model(data, tmp_path):
    assert_refused(SPECIMENS / "model-v3-joint.wgm", "this is not a graph index, but a model; open it with load_model")
    (tmp_path / "a.wgi").write_bytes(data)
    with pytest.raises(ModelFileError, match="this is not a model file, but a graph index; open it with load_index"):
        wg.load_model(tmp_path / "a.wgi")


def test_a_newer_index_is_refused(tmp_path, data):
    path = rewrite(tmp_path, data, header={"format_version": INDEX_VERSION + 1})
    assert_refused(path, "reads format versions up to 1 only; update wassergraph")


def test_a_missing_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        wg.load_index(tmp_path / "a.wgi")


# Crafted files, whose checksums are right


def rewrite(folder, data, *, header=None, arrays=None):
    """Write the bytes of an index again, with another header or other arrays; None removes one."""
    path = folder / "crafted.wgi"
    path.write_bytes(data)
    old_header, old_arrays = read_archive(path, _FORMAT)
    fresh = {name: array for name, array in {**old_arrays, **(arrays or {})}.items() if array is not None}
    write_archive(path, _FORMAT, {**old_header, **(header or {})}, fresh)
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    result = {}
    for kind in ("labels", "transport, counts", "transport, weights", "lines", "lines, weights"):
        make(kind).save(folder / "a.wgi")
        result[kind] = (folder / "a.wgi").read_bytes()
    return result


def test_an_index_that_was_only_written_again_is_accepted(files, tmp_path):
    for data in files.values():
        wg.load_index(rewrite(tmp_path, data))


def test_vectors_of_another_number_of_parts_find_the_same(data, tmp_path):
    """How many parts vectors have may change between versions; a file keeps those that it was written with."""
    means = stored_arrays(tmp_path, data)["search/means"]
    assert len(stored_arrays(tmp_path, data)["search/parts"]) > len(means)
    index = wg.load_index(rewrite(tmp_path, data, arrays={"search/parts": means}))
    for left, right in zip(index.query(NEW, k=4), make("transport").query(NEW, k=4), strict=True):
        np.testing.assert_array_equal(left, right)


def stored_arrays(folder, data):
    (folder / "read.wgi").write_bytes(data)
    return read_archive(folder / "read.wgi", _FORMAT)[1]


@pytest.mark.parametrize("kind", ["labels", "transport, counts", "transport, weights", "lines", "lines, weights"])
def test_arrays_of_another_length_type_or_shape_are_refused_without_verifying(files, kind, tmp_path):
    data = files[kind]
    for name, array in stored_arrays(tmp_path, data).items():
        removed = [None] if name.startswith("search/") else []
        for other in [array[:-1], array[..., None], array.astype(bool), *removed]:
            path = rewrite(tmp_path, data, arrays={name: other})
            with pytest.raises(IndexFileError, match="do not match"):
                wg.load_index(path, verify=False)


@pytest.mark.parametrize("kind", ["labels", "transport, counts", "transport, weights", "lines", "lines, weights"])
def test_numbers_that_lead_outside_of_arrays_are_refused(files, kind, tmp_path):
    data = files[kind]
    refused = 0
    for name, array in stored_arrays(tmp_path, data).items():
        if not name.startswith("search/") or array.dtype.kind == "u":
            continue  # codes are compared: no value of theirs is used as a place
        for value in impossible(array):
            for place in (0, array.size // 2, array.size - 1):
                crafted = array.copy()
                crafted.flat[place] = value
                path = rewrite(tmp_path, data, arrays={name: crafted})
                with pytest.raises(IndexFileError, match="do not match"):
                    wg.load_index(path)
                refused += 1
    assert refused > 20


def impossible(array):
    if array.dtype.kind == "f":
        return [np.nan, np.inf, -np.inf]
    return [np.iinfo(array.dtype).max, np.iinfo(array.dtype).min, -1]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("node_ptr", lambda a: a[::-1]),
        ("indptr", lambda a: a + 1),
        ("indices", lambda a: a - 1),
        ("indices", lambda a: np.full_like(a, 10**12)),
        ("node_attributes", lambda a: np.full_like(a, np.nan)),
    ],
)
def test_impossible_graphs_are_refused(data, name, change, tmp_path):
    array = stored_arrays(tmp_path, data)[f"graphs/{name}"]
    path = rewrite(tmp_path, data, arrays={f"graphs/{name}": change(array)})
    assert_refused(path, "do not match")


def test_graphs_of_other_sizes_than_those_of_the_search_are_refused(data, tmp_path):
    """Nodes may be moved from one graph to its neighbor if no edge is cut; masses show that they were."""
    lonely = wg.from_edges([[(0, 1)], [(0, 1)]], n_nodes=[3, 2], symmetrize=True)
    wg.GraphIndex(lonely, wg.WWL(depth=1, kind="continuous")).save(tmp_path / "a.wgi")
    crafted = {"graphs/node_ptr": np.array([0, 2, 5])}
    path = rewrite(tmp_path, (tmp_path / "a.wgi").read_bytes(), arrays=crafted)
    assert_refused(path, "does not fit the graphs")


def test_masses_that_wrap_around_are_refused(tmp_path):
    """4,096 masses of 2^52 are 0 as 64-bit integers."""
    path_graph = wg.from_edges([[(i, i + 1) for i in range(4096)]], symmetrize=True)
    weights = np.arange(path_graph.n_nodes) % 2 + 1.0
    wg.GraphIndex(path_graph, wg.WWL(depth=0, kind="continuous"), weights=weights).save(tmp_path / "a.wgi")
    data = (tmp_path / "a.wgi").read_bytes()
    total = stored_arrays(tmp_path, data)["search/total"]
    path = rewrite(tmp_path, data, arrays={"search/mass": np.full(4097, total[0])})
    assert_refused(path, "mass does not fit the graphs")


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ({"depth": -1}, "the depth is -1"),
        ({"depth": 10**9}, "the depth is 1000000000"),
        ({"depth": 3}, "should be"),
        ({"molecules": "yes"}, "molecules is 'yes'"),
        ({"searcher": "labels"}, "these graphs need 'transport'"),
        ({"searcher": ["labels"]}, "these graphs need 'transport'"),
        ({"numbers": {}}, "exponent"),
        ({"numbers": {"exponent": 10**6, "image_exponent": 0}}, "exponent is 1000000"),
        ({"numbers": {"exponent": 0.5, "image_exponent": 0}}, "exponent is 0.5"),
        ({"scheme": {}}, "do not match"),
    ],
)
def test_impossible_headers_are_refused(data, header, words, tmp_path):
    for verify in (True, False):
        assert_refused(rewrite(tmp_path, data, header=header), words, verify=verify)


@pytest.mark.parametrize("ends", [[5], [10**9] * 28, list(range(28, 0, -1))])
def test_impossible_names_are_refused(data, ends, tmp_path):
    assert_refused(rewrite(tmp_path, data, arrays={"names/ends": np.array(ends)}), "names")


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, 2.0])
def test_impossible_weights_are_refused(files, weight, tmp_path):
    weights = np.full(OWN.n_nodes, weight)
    assert_refused(rewrite(tmp_path, files["lines, weights"], arrays={"arrays/weights": weights}), "weights")
