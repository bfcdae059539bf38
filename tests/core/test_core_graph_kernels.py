"""The comparison kernels of the compiled core: the same bits on every level, errors for wrong arrays, interrupts."""

from __future__ import annotations

import hashlib
import signal
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import wassergraph as wg
from wassergraph import _core, baselines
from wassergraph.baselines.hops import hops_of_labels, hops_of_points, window_weights
from wassergraph.baselines.points import pack_points
from wassergraph.pairwise.histograms import LabelBags, histograms
from wassergraph.pairwise.tiles import Tile

#: Kernels, and the first digits of the SHA-256 of their matrices: a machine or a compiler that rounds differently is
#: noticed.
REFERENCES = {
    "RBF-WL": (baselines.RBFWL(0), "de82a359224a7f15"),
    "GraphHopper, Gaussian": (baselines.GraphHopper(), "7a58f5ee058346bb"),
    "GraphHopper, linear": (baselines.GraphHopper(node_kernel="linear"), "10850e9f6d724610"),
    "GraphHopper, Dirac": (baselines.GraphHopper(node_kernel="dirac"), "30faf549f4735e0c"),
    "WL": (baselines.WLSubtree(2), "7cc857dcff32b508"),
    "WL-OA": (baselines.WLOptimalAssignment(2), "4b8dc87211ca6328"),
    "shortest paths": (baselines.ShortestPath(), "5a453905962ce8ff"),
}


@pytest.fixture(scope="module")
def graphs():
    """Return graphs with points that are the same on every machine."""
    demo, _ = wg.load_dataset("demo")
    points = np.random.default_rng(0).integers(-4096, 4096, (demo.n_nodes, 5)) / 1000.0
    return replace(demo, node_attributes=points)


@pytest.fixture
def each_level():
    """Yield the levels of this processor, and use the one before again."""
    before = _core.level()
    yield _core.levels()
    _core.use_level(before)


@pytest.mark.parametrize("name", REFERENCES)
def test_kernels_are_the_same_bits_on_every_level_and_machine(each_level, graphs, name):
    kernel, expected = REFERENCES[name]
    found = {}
    for level in each_level:
        _core.use_level(level)
        found[level] = hashlib.sha256(kernel.fit_transform(graphs).tobytes()).hexdigest()[:16]
    assert set(found.values()) == {expected}, found


# Calls of each function


def tile_of(**arguments):
    return {
        "tile": Tile(0, 2, 0, 2),
        "from_diagonal": False,
        **arguments,
        "stop": np.zeros(1, dtype=np.bool_),
        "out": np.zeros((2, 2)),
    }


def gaussian_tile(graphs):
    points = pack_points(graphs.node_ptr, graphs.node_attributes)
    return tile_of(left=points, right=points, gamma=0.2)


def hop_tile(graphs):
    tables = hops_of_points(graphs, graphs.node_attributes).tables(0)
    return tile_of(left=tables, right=tables, weights=window_weights(0), kernel=0, gamma=0.2)


def dirac_tile(graphs):
    tables = hops_of_labels(graphs, graphs.node_labels).tables(0)
    return tile_of(left=tables, right=tables, weights=window_weights(0), kernel=2, gamma=0.2)


def count_tile(graphs):
    (counted,) = histograms([LabelBags(graphs.node_ptr, graphs.node_labels.astype(np.uint64)[None])])
    return tile_of(intersect=False, left=counted, right=counted)


def adjacency(graphs):
    return {"node_ptr": graphs.node_ptr, "indptr": graphs.indptr, "indices": graphs.indices}


def count_pairs(graphs):
    labels, n_labels = graphs.node_labels, int(graphs.node_labels.max()) + 1
    return {**adjacency(graphs), "labels": labels, "n_labels": n_labels, "n_steps": 1000, "all_pairs": False}


def count_hops(graphs):
    hops = hops_of_points(graphs, graphs.node_attributes)
    tables = hops.tables(0)
    rows = {"ptr": hops.ptr, "row": hops.row, "widths": tables.widths, "starts": tables.starts}
    return {"begin": 0, **adjacency(graphs), **rows, "counts": np.zeros_like(tables.counts)}


def function(make):
    return {dirac_tile: _core.hop_tile, adjacency: _core.hop_lengths}.get(make) or getattr(_core, make.__name__)


@pytest.mark.parametrize("make", [gaussian_tile, hop_tile, dirac_tile, count_tile, count_hops])
def test_right_arrays_are_filled(graphs, make):
    given = make(graphs)
    function(make)(**given)
    filled = given["out"] if "out" in given else given["counts"]
    assert filled.sum() > 0


@pytest.mark.parametrize("make", [gaussian_tile, hop_tile, dirac_tile, count_tile])
def test_tiles_stop(graphs, make):
    given = make(graphs)
    given["stop"][0] = True
    function(make)(**given)
    assert not given["out"].any()


# Wrong arrays

TILES = [
    ("tile", lambda tile: tile._replace(row_begin=-1)),
    ("tile", lambda tile: tile._replace(row_end=1000)),
    ("tile", lambda tile: tile._replace(column_begin=3, column_end=1)),
    ("stop", lambda stop: stop.repeat(2)),
    ("stop", lambda stop: stop.astype(int)),
    ("out", lambda out: out[:, :1].copy()),
    ("out", lambda out: out.T[::-1]),
    ("out", lambda out: out.astype(np.float32)),
]
POINTS = [
    lambda points: points._replace(ptr=points.ptr[:2]),
    lambda points: points._replace(ptr=points.ptr.astype(np.int32)),
    lambda points: points._replace(ptr=points.ptr - 1),
    lambda points: points._replace(ptr=points.ptr + 10**6),
    lambda points: points._replace(ptr=points.ptr[::-1].copy()),
    lambda points: points._replace(rows=points.rows[:7]),
    lambda points: points._replace(rows=points.rows[::2]),
    lambda points: points._replace(columns=points.columns[:7]),
    lambda points: points._replace(columns=points.columns.astype(np.float32)),
    lambda points: points._replace(width=6),
    lambda points: points._replace(width=-1),
    lambda points: points._replace(width=2**62),
]
TABLES = [
    *(lambda tables, change=change: tables._replace(points=change(tables.points)) for change in POINTS),
    lambda tables: tables._replace(widths=tables.widths[:2]),
    lambda tables: tables._replace(widths=tables.widths + 1024),
    lambda tables: tables._replace(widths=-tables.widths),
    lambda tables: tables._replace(starts=tables.starts + 10**6),
    lambda tables: tables._replace(starts=tables.starts - 1),
    lambda tables: tables._replace(counts=tables.counts[:7]),
    lambda tables: tables._replace(counts=tables.counts.astype(int)),
]
LABELS = [
    lambda counted: counted._replace(ptr=counted.ptr[:, :2].copy()),
    lambda counted: counted._replace(ptr=counted.ptr[0]),
    lambda counted: counted._replace(ptr=counted.ptr - 1),
    lambda counted: counted._replace(ptr=counted.ptr + 10**6),
    lambda counted: counted._replace(label=counted.label - 5),
    lambda counted: counted._replace(label=counted.label + 5),
    lambda counted: counted._replace(label=counted.label[:-1]),
    lambda counted: counted._replace(mass=counted.mass[:-1]),
]
LISTS = [
    lambda counted: counted._replace(start=counted.start + 10**6),
    lambda counted: counted._replace(start=counted.start[::-1].copy()),
    lambda counted: counted._replace(start=counted.start[:2]),
    lambda counted: counted._replace(graph=np.roll(counted.graph, 7)),
    lambda counted: counted._replace(mass_in_graph=counted.mass_in_graph[:-1]),
]
GRAPHS = [
    ("node_ptr", lambda ptr: ptr - 1),
    ("node_ptr", lambda ptr: ptr + 1),
    ("node_ptr", lambda ptr: ptr[::-1].copy()),
    ("node_ptr", lambda ptr: ptr[:0]),
    ("node_ptr", lambda ptr: ptr.astype(np.int32)),
    ("indptr", lambda indptr: indptr + 1),
    ("indptr", lambda indptr: indptr[:-1]),
    ("indices", lambda indices: indices + 1),
    ("indices", lambda indices: indices[::-1]),
    ("indices", lambda indices: indices[::-1].copy()),
]
WRONG = [
    *((make, *change) for make in (gaussian_tile, hop_tile, count_tile) for change in TILES),
    *((gaussian_tile, side, change) for side in ("left", "right") for change in POINTS),
    *((hop_tile, side, change) for side in ("left", "right") for change in TABLES),
    (hop_tile, "weights", lambda weights: weights[:-1]),
    (hop_tile, "weights", lambda weights: weights[:0]),
    (hop_tile, "kernel", lambda _: 3),
    (dirac_tile, "right", lambda tables: tables._replace(labels=tables.labels[:2])),
    *((count_tile, "left", change) for change in LABELS),
    *((count_tile, "right", change) for change in LISTS),
    *((make, *change) for make in (adjacency, count_pairs, count_hops) for change in GRAPHS),
    (count_pairs, "labels", lambda labels: labels[:-1]),
    (count_pairs, "labels", lambda labels: labels - 1),
    (count_pairs, "n_labels", lambda n_labels: n_labels - 1),
    (count_pairs, "n_labels", lambda _: 2**40),
    (count_pairs, "n_steps", lambda _: 5),
    (count_pairs, "n_steps", lambda _: 2**62),
    (count_hops, "begin", lambda _: -1),
    (count_hops, "begin", lambda _: 2**62),
    (count_hops, "ptr", lambda ptr: ptr[:-1]),
    (count_hops, "row", lambda row: row + 1),
    (count_hops, "row", lambda row: row - 1),
    (count_hops, "widths", lambda widths: -widths),
    (count_hops, "widths", lambda widths: widths + 1000),
    (count_hops, "widths", lambda widths: widths + 2**62),
    (count_hops, "starts", lambda starts: starts - 1),
    (count_hops, "counts", lambda counts: counts[:-1]),
    (count_hops, "counts", lambda counts: counts.astype(np.float32)),
]


@pytest.mark.parametrize(("make", "name", "change"), WRONG)
def test_wrong_arrays_are_errors(graphs, make, name, change):
    given = make(graphs)
    given[name] = change(given[name])
    with pytest.raises((TypeError, ValueError)):
        function(make)(**given)


# Interrupts


class InterruptedByTimerError(Exception):
    """Raised by the handler of a signal."""


def interrupt(*_):
    raise InterruptedByTimerError


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
def test_counting_can_be_interrupted():
    n = 6000
    given = count_hops(wg.from_edges([nx.cycle_graph(n).edges], node_attributes=[np.ones((n, 1))], symmetrize=True))
    handler = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        with pytest.raises(InterruptedByTimerError):
            _core.count_hops(**given)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert (given["counts"].reshape(-1, n, 8)[0, :, 0] == 0).any()  # of some nodes not even they themselves
