"""Tiles, engines and sinks: every part of a matrix can be computed alone, anywhere, with the same bits."""

from __future__ import annotations

import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import FrozenInstanceError, replace
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone

import wassergraph as wg
from made_metrics import solver_of, with_metric
from wassergraph import baselines
from wassergraph.errors import NotSolvedError
from wassergraph.metrics.node_embedding import Features, NodeEmbedding
from wassergraph.metrics.solvers import Exact
from wassergraph.pairwise import sides
from wassergraph.pairwise import tiles as tiles_module
from wassergraph.pairwise.api import embedding_distances
from wassergraph.pairwise.compute import fill_array, run_tiles
from wassergraph.pairwise.prepare import prepare
from wassergraph.pairwise.problem import LabelProblem, LineProblem, TransportProblem
from wassergraph.pairwise.solve import check_status, solve, solve_pairs
from wassergraph.pairwise.tiles import IN_MEMORY, ON_DISK, Tile, TileSize, make_grid
from wassergraph.pairwise.work import constant_work, estimate, node_pair_work, tiles
from wassergraph.parallel.threads import ThreadEngine
from wassergraph.status import NOT_CONVERGED, NOT_STARTED, STOPPED

OPTIONS = {
    "categorical": ("categorical", {}, LabelProblem),
    "continuous": ("continuous", {}, TransportProblem),
    "joint": ("joint", {}, TransportProblem),
    "sinkhorn": ("continuous", {"solver": "sinkhorn", "reg": 0.5, "tol": 1e-3}, TransportProblem),
    "sliced": ("continuous", {"solver": "sliced", "n_projections": 7, "random_state": 0}, LineProblem),
}
DEPTHS = [0, 2]


def embed(kind: str, weighted: bool, n_graphs: int = 23) -> NodeEmbedding:
    graphs = wg.datasets.make_demo()[0][:n_graphs]
    weights = np.random.default_rng(0).uniform(0.1, 3, graphs.n_nodes) if weighted else None
    return wg.WWL(depth=2, kind=kind).embed(graphs, weights=weights)


@pytest.fixture(params=["square", "rectangle"])
def case(request, case_options):
    """Return a problem and its whole matrix, computed by the public path."""
    kind, options, weighted, dtype = case_options
    embedding = embed(kind, weighted)
    left, right = (embedding, None) if request.param == "square" else (embedding.take(range(13)), embedding)
    matrix = embedding_distances(left, right, depths=DEPTHS, dtype=dtype, solver=solver_of(**options))
    return prepare([left] if right is None else [left, right], DEPTHS, solver_of(**options), dtype), matrix


@pytest.fixture(
    params=[
        (name, weighted, dtype) for name in OPTIONS for weighted, dtype in [(False, "f8"), (True, "f8"), (False, "f4")]
    ],
    ids=lambda param: f"{param[0]}-{'weighted' if param[1] else 'plain'}-{param[2]}",
)
def case_options(request):
    name, weighted, dtype = request.param
    kind, options, _ = OPTIONS[name]
    return kind, options, weighted, np.dtype(dtype)


# A part equals the whole


def test_any_tile_equals_its_part_of_the_matrix(case):
    problem, matrix = case
    n, m = problem.shape
    for tile in [
        Tile(0, n, 0, m),
        Tile(2, 3, 5, 6),
        Tile(0, 5, 8, 13),
        Tile(8, 13, 0, 5),
        Tile(3, 9, 5, 12),
        Tile(4, 9, 4, 9),
    ]:
        values = solve(problem, tile)
        assert values.dtype == problem.dtype
        np.testing.assert_array_equal(values, matrix[:, tile.rows, tile.columns])


def test_any_list_of_pairs_equals_its_part_of_the_matrix(case):
    problem, matrix = case
    pairs = np.random.default_rng(0).integers(0, problem.shape, size=(40, 2))
    pairs[:3] = [(4, 4), (5, 2), (2, 5)]
    np.testing.assert_array_equal(solve_pairs(problem, pairs), matrix[:, pairs[:, 0], pairs[:, 1]])


def test_a_problem_survives_pickling(case):
    problem, matrix = case
    restored = pickle.loads(pickle.dumps(problem))
    assert (restored.left is restored.right) == (problem.left is problem.right)
    np.testing.assert_array_equal(solve(restored, Tile(1, 7, 2, 11)), matrix[:, 1:7, 2:11])


def test_a_problem_is_frozen():
    problem = prepare([embed("continuous", False)], [1], Exact())
    with pytest.raises(FrozenInstanceError):
        problem.depths = (2,)


@pytest.mark.parametrize("name", OPTIONS)
def test_the_type_of_the_problem_follows_the_table(name):
    kind, options, expected = OPTIONS[name]
    assert type(prepare([embed(kind, False)], DEPTHS, solver_of(**options))) is expected


def test_one_dimension_is_a_line_at_depth_0_only():
    graphs = wg.datasets.make_demo()[0].degree_attributes()
    embedding = wg.WWL(depth=1, kind="continuous").embed(graphs)
    assert isinstance(prepare([embedding], [0], Exact()), LineProblem)
    assert isinstance(prepare([embedding], [1], Exact()), TransportProblem)


@pytest.mark.parametrize("solver", ["exact", "sliced"])
def test_tiles_of_large_weighted_graphs_share_the_scale_of_the_masses(solver):
    rng = np.random.default_rng(0)
    sizes = [4, 300, 7, 5]  # masses of graphs with more than 255 nodes are coarser, for all graphs
    embedding = NodeEmbedding(
        np.cumsum([0, *sizes]),
        0,
        kind="continuous",
        features=Features.NODE_ATTRIBUTES,
        points=1e150 * rng.normal(size=(sum(sizes), 2)),
        weights=np.concatenate([rng.dirichlet(np.ones(n)) for n in sizes]),
    )
    options = {"solver": solver}
    matrix = embedding_distances(embedding, depths=[0], solver=solver_of(**options))
    problem = prepare([embedding], [0], solver_of(**options))
    np.testing.assert_array_equal(solve(problem, Tile(2, 4, 0, 3)), matrix[:, 2:4, 0:3])
    np.testing.assert_array_equal(solve_pairs(problem, np.array([[2, 3]]))[:, 0], matrix[:, 2, 3])


def _solve_elsewhere(pickled: bytes) -> np.ndarray:
    work, tile = pickle.loads(pickled)
    return work(tile)


@pytest.mark.slow
@pytest.mark.data
def test_a_tile_of_enzymes_solved_in_another_process_equals_its_part(data_home):
    graphs, _ = wg.load_dataset("ENZYMES", data_home=data_home)
    problem = prepare([wg.WWL(depth=3).embed(graphs[:80])], [1, 3], Exact())
    tile = Tile(20, 40, 40, 60)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        values = pool.submit(_solve_elsewhere, pickle.dumps((partial(solve, problem), tile))).result()
    np.testing.assert_array_equal(
        values, wg.distances(graphs[:80], metric=wg.WWL(depth=[1, 3]))[:, tile.rows, tile.columns]
    )


def test_equal_nodes_are_merged_also_if_keys_collide(monkeypatch):
    random = np.random.default_rng(0)
    points = random.integers(0, 2, size=(60, 3)).astype(float)
    ptr = np.array([0, 20, 21, 60])
    embedding = NodeEmbedding(ptr, 0, kind="continuous", features=Features.NODE_ATTRIBUTES, points=points)
    (packed,) = sides.pack_sides([embedding], 0)
    for graph in range(3):
        nodes = points[ptr[graph] : ptr[graph + 1]]
        distinct, counts = np.unique(nodes, axis=0, return_counts=True)
        here = slice(packed.ptr[graph], packed.ptr[graph + 1])
        rows = packed.rows.reshape(-1, 3)[here]
        order = np.lexsort(rows.T[::-1])
        np.testing.assert_array_equal(rows[order], distinct)
        np.testing.assert_array_equal(packed.mass[here][order], counts)
    monkeypatch.setattr(sides, "mix", lambda values: values & np.uint64(0))
    (again,) = sides.pack_sides([embedding], 0)
    for one, other in zip(packed, again, strict=True):
        np.testing.assert_array_equal(one, other)


def repetitive_embedding(kind: str) -> NodeEmbedding:
    """Make graphs whose nodes are often equal at the first depths, and sometimes at all of them."""
    random, ptr, depths = np.random.default_rng(1), np.array([0, 30, 31, 90]), 4
    steps = random.integers(0, 2, size=(90, depths))
    labels = [np.unique(steps[:, : h + 1] % 2, axis=0, return_inverse=True)[1].ravel() for h in range(depths)]
    codes = None if kind == "continuous" else np.array(labels, dtype=np.uint64) + np.uint64(7)
    points = random.integers(0, 2, size=(90, 2 * depths)) * np.repeat([1, 1, 0, 1], 2).astype(float)
    features = Features.NODE_ATTRIBUTES if codes is None else Features.LABELS_AND_ATTRIBUTES
    sizes = np.diff(ptr)
    return NodeEmbedding(
        ptr,
        depths - 1,
        kind="continuous" if codes is None else "joint",
        features=features,
        codes=codes,
        points=points,
        weights=np.repeat(1 / sizes, sizes) if kind == "weighted" else None,
    )


@pytest.mark.parametrize("collide", [False, True])
@pytest.mark.parametrize("kind", ["continuous", "joint", "weighted"])
def test_levels_say_which_nodes_are_equal_at_a_depth(kind, collide, monkeypatch):
    embedding = repetitive_embedding(kind)
    if collide:
        monkeypatch.setattr(sides, "mix", lambda values: values & np.uint64(0))
    (side,) = sides.pack_sides([embedding], 0, nested=True)
    for depth in range(embedding.depth + 1):
        for graph in range(len(embedding)):
            own = slice(*embedding.ptr[graph : graph + 2])
            expected, counts = distinct_nodes(embedding.points[own], embedding.codes, own, depth, embedding.dim)
            nodes = slice(*side.ptr[graph : graph + 2])
            rows = side.rows.reshape(-1, embedding.points.shape[1])[nodes]
            codes = None if embedding.codes is None else side.codes[:, nodes]
            group = np.cumsum(side.level[nodes] <= depth) - 1
            found, _ = distinct_nodes(rows, codes, slice(None), depth, embedding.dim)
            table = node_table(rows, codes, slice(None), depth, embedding.dim)
            assert len(np.unique(group)) == len(found) == len(expected)
            np.testing.assert_array_equal(found, expected)
            np.testing.assert_array_equal(table, table[np.searchsorted(group, group)])
            share = np.bincount(group, weights=side.mass[nodes]) / side.total[graph]
            order = np.lexsort(table[side.level[nodes] <= depth].T[::-1])
            np.testing.assert_allclose(share[order], counts / counts.sum(), rtol=1e-6)


def node_table(points, codes, nodes, depth, dim):
    """Return what describes the nodes of a graph up to a depth."""
    labels = [] if codes is None else list(codes[: depth + 1, nodes].astype(float))
    return np.column_stack([*labels, points[:, : (depth + 1) * dim]])


def distinct_nodes(points, codes, nodes, depth, dim):
    """Return the different nodes of a graph at a depth, sorted, and how many there are of each."""
    return np.unique(node_table(points, codes, nodes, depth, dim), axis=0, return_counts=True)


def test_nodes_that_differ_at_once_keep_their_order():
    embedding = repetitive_embedding("continuous")
    points = embedding.points + 3 * np.arange(90)[:, None]
    (side,) = sides.pack_sides([replace(embedding, points=points)], 0, nested=True)
    np.testing.assert_array_equal(side.rows[: -3 * points.shape[1]], points.ravel())
    assert not side.level.any()


# The grid


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("edge", [1, 3, 7, 40])
def test_the_grid_covers_every_entry_once(symmetric, edge):
    size = TileSize(target=1e8, least=1.0, enough=0.001)  # as large as the target allows
    shape = (19, 19) if symmetric else (19, 11)
    grid = make_grid(shape, constant_work(*shape, size.target / (edge + 0.5) ** 2), symmetric=symmetric, size=size)
    assert max(grid.edges) <= edge
    assert all(-(-n // e) == -(-n // edge) for n, e in zip(shape, grid.edges, strict=True))
    covered = np.zeros(shape, dtype=int)
    for tile in grid:
        assert tile.row_begin % grid.edges[0] == tile.column_begin % grid.edges[1] == 0
        covered[tile.rows, tile.columns] += 1
        if symmetric and not tile.on_diagonal:
            covered[tile.columns, tile.rows] += 1
    assert (covered == 1).all()


@pytest.mark.parametrize("includes_diagonal", [True, False])
@pytest.mark.parametrize("symmetric", [True, False])
def test_the_pairs_of_all_tiles_are_those_of_the_matrix(symmetric, includes_diagonal):
    options = {"symmetric": symmetric, "includes_diagonal": includes_diagonal}
    grid = make_grid((50, 50), constant_work(50, 50, 1e6), **options)
    assert len(grid) > 10
    expected = {(True, True): 1275, (True, False): 1225, (False, True): 2500, (False, False): 2500}
    assert sum(grid.n_pairs(tile) for tile in grid) == grid.n_pairs() == expected[symmetric, includes_diagonal]


@pytest.mark.parametrize("symmetric", [True, False])
def test_a_tile_knows_its_position_and_can_be_left_out(symmetric):
    grid = make_grid((23, 23), constant_work(23, 23, 10.0), symmetric=symmetric, edges=(5, 5 if symmetric else 4))
    assert [grid.position(tile) for tile in grid] == [tuple(place) for place in grid.order.tolist()]
    mask = np.arange(len(grid)) % 3 == 1
    part = grid.where(mask)
    assert list(part) == [tile for tile, chosen in zip(grid, mask, strict=True) if chosen]
    assert (part.shape, part.edges, part.symmetric) == (grid.shape, grid.edges, grid.symmetric)
    assert [part.position(tile) for tile in part] == [tuple(place) for place in grid.order[mask].tolist()]
    assert list(grid.where(np.zeros(len(grid), dtype=bool))) == []


def test_the_most_expensive_tiles_come_first_and_none_exceeds_the_target_by_much():
    sizes = np.random.default_rng(0).integers(1, 200, size=300)
    work = node_pair_work(sizes, sizes, 50.0)
    grid = make_grid((300, 300), work, symmetric=True)
    estimates = [float(work.left[tile.rows].sum(axis=0) @ work.right[tile.columns].sum(axis=0)) for tile in grid]
    np.testing.assert_allclose(estimates, sorted(estimates, reverse=True), rtol=1e-9)
    assert np.mean(estimates) < 1.5 * IN_MEMORY.target


@pytest.mark.parametrize("shape", [(10, 100_000), (100_000, 10), (3, 4000), (1, 1)])
def test_the_tiles_of_a_thin_matrix_are_long(shape):
    """A square of the same work would be cut off by the short side, and be far smaller than wanted."""
    size = TileSize(target=1e8, least=1e8, enough=1)
    grid = make_grid(shape, constant_work(*shape, 1e3), symmetric=False, size=size)
    height, width = grid.edges
    assert min(height, width) == min(shape)
    assert 5e4 < height * width <= 1e5 or grid.edges == shape


def test_tiles_are_nearly_equal_so_that_files_are_not_padded():
    grid = make_grid((601, 601), constant_work(601, 601, 1e8 / 300**2), symmetric=True, size=TileSize(1e8, 1e8, 1))
    assert grid.edges == (201, 201)
    assert len(grid) == 6


def test_the_tiles_of_many_graphs_are_few():
    n = 100_000
    for nanoseconds in (27.0, 40_000.0):
        grid = make_grid((n, n), constant_work(n, n, nanoseconds), symmetric=True)
        assert sum(1 for _ in grid) == len(grid) <= IN_MEMORY.most
        assert 8 * np.prod(grid.edges) <= 2**26
    deep = make_grid((n, n), constant_work(n, n, 1e-3), symmetric=True, n_layers=8, itemsize=4)
    assert 2**25 < 8 * 4 * np.prod(deep.edges) <= 2**26


def test_tiles_on_disk_take_seconds_or_64_mib():
    attributes = make_grid((10_000, 10_000), constant_work(10_000, 10_000, 4e4), symmetric=True, size=ON_DISK)
    assert 2e9 < 4e4 * np.prod(attributes.edges) < 5e9
    labels = make_grid((50_000, 50_000), constant_work(50_000, 50_000, 27), symmetric=True, size=ON_DISK)
    assert 2**25 < 8 * np.prod(labels.edges) <= 2**26


@pytest.mark.parametrize("name", OPTIONS)
def test_work_is_positive_and_grows_with_the_graphs(name):
    kind, options, problem_type = OPTIONS[name]
    work = estimate(prepare([embed(kind, False)], DEPTHS, solver_of(**options)))
    assert work.mean() > 0
    if problem_type is not LabelProblem:
        large, small = (wg.from_edges([[]], n_nodes=[n], node_attributes=[np.eye(n, 2)]) for n in (40, 3))
        both = wg.GraphBatch.concatenate([small, large])
        estimates = estimate(prepare([wg.WWL(depth=0, kind="continuous").embed(both)], [0], solver_of(**options)))
        pairs = estimates.left @ estimates.right.T
        assert pairs[0, 0] <= pairs[0, 1] <= pairs[1, 1]


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0)])
def test_a_matrix_without_entries_has_no_tiles(shape):
    grid = make_grid(shape, constant_work(*shape, 10.0), symmetric=shape[0] == shape[1])
    assert list(grid) == []
    assert fill_array(None, grid).shape == (1, *shape)


# Another engine, another sink


class ReversedEngine:
    """Run everything in the calling thread, last things first."""

    shares_memory = False

    def run(self, work, items, done):
        for item in reversed(list(items)):
            done(item, work(item, np.zeros(1, dtype=np.bool_)))


class ProcessEngine:
    """Run everything in another process."""

    shares_memory = False

    def run(self, work, items, done):
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            futures = [(item, pool.submit(work, item, np.zeros(1, dtype=np.bool_))) for item in items]
            for item, future in futures:
                done(item, future.result())


class DictionarySink:
    """Keep tiles by where they begin."""

    is_shared = False

    def __init__(self):
        self.tiles = {}

    def write(self, tile, values):
        assert tile not in self.tiles
        self.tiles[tile] = values.copy()


def test_results_do_not_depend_on_engine_and_sink(case, capsys):
    problem, matrix = case
    sink, grid = DictionarySink(), tiles(problem, IN_MEMORY._replace(least=1.0))
    run_tiles(partial(solve, problem), grid, sink, ReversedEngine(), progress=True)
    assert len(sink.tiles) > 20
    assert f"{grid.n_pairs()} pairs of" in capsys.readouterr().err
    for tile, values in sink.tiles.items():
        np.testing.assert_array_equal(values, matrix[:, tile.rows, tile.columns])


@pytest.mark.slow
def test_results_do_not_depend_on_the_process():
    problem = prepare([embed("joint", True)], DEPTHS, Exact())
    values = fill_array(partial(solve, problem), tiles(problem), n_layers=2, engine=ProcessEngine())
    np.testing.assert_array_equal(values, fill_array(partial(solve, problem), tiles(problem), n_layers=2))


@pytest.mark.parametrize("target", [1e3, 1e5, 1e12])
def test_results_do_not_depend_on_tiles_and_threads(case, target):
    problem, matrix = case
    grid = tiles(problem, TileSize(target, least=1.0, enough=128))
    for n_jobs in (1, 2, 3):
        values = fill_array(partial(solve, problem), grid, n_layers=2, dtype=problem.dtype, n_jobs=n_jobs)
        np.testing.assert_array_equal(values, matrix)


KERNELS = {
    "vertex histogram": baselines.VertexHistogram(),
    "edge histogram": baselines.EdgeHistogram(),
    "subtree": baselines.WLSubtree(depth=2),
    "assignment": baselines.WLOptimalAssignment(depth=2),
    "shortest path": baselines.ShortestPath(),
    "Gaussian": baselines.RBFWL(depth=1),
    "hashing": baselines.HashGraphKernel("wl", depth=1, iterations=2, random_state=0),
    "GraphHopper": baselines.GraphHopper(),
}


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_do_not_depend_on_tiles_and_threads(name, monkeypatch):
    train, new = wg.datasets.make_demo()[0][:20], wg.datasets.make_demo()[0][20:31]
    kernel = clone(KERNELS[name]).fit(train)
    square, rectangle = kernel.fit_transform(train), kernel.transform(new)
    np.testing.assert_array_equal(square, square.T)
    monkeypatch.setattr(tiles_module, "IN_MEMORY", TileSize(target=1e3, least=1.0, enough=128))
    kernel.set_params(n_jobs=3)
    np.testing.assert_array_equal(kernel.fit_transform(train), square)
    np.testing.assert_array_equal(kernel.transform(new), rectangle)


# Stopping and failing


@pytest.mark.parametrize("name", OPTIONS)
def test_every_solver_sees_a_stop(name):
    """What a stopped solver returns has no meaning, but no other test solves this tile, so it is not the solution."""
    kind, options, _ = OPTIONS[name]
    problem = prepare([embed(kind, False)], DEPTHS, solver_of(**options))
    stopped = solve(problem, Tile(0, 3, 3, 9), np.ones(1, dtype=np.bool_))
    expected = solve(problem, Tile(0, 3, 3, 9))
    assert stopped.shape == expected.shape
    assert (stopped != expected).any()


def test_a_failing_tile_names_the_graphs_of_the_whole_collection():
    problem = prepare([embed("continuous", False)], [1], solver_of(max_iter=1))
    with pytest.raises(
        NotSolvedError, match=r"for the graphs (10|11|12) and (15|16|17) within max_iter=1; increase max_iter"
    ):
        solve(problem, Tile(10, 13, 15, 18))


def test_statuses_are_explained():
    problem = prepare([embed("continuous", False)], [1], Exact())
    pairs = np.array([[1, 2], [3, 4]])
    check_status(problem, pairs, np.array([7, STOPPED]))
    with pytest.raises(NotSolvedError, match=r"no initial plan .* the graphs 3 and 4: their ground costs are not"):
        check_status(problem, pairs, np.array([7, NOT_STARTED]))
    with pytest.raises(NotSolvedError, match=r"the graphs 1 and 2 within 1,000 pivots per node; increase max_iter"):
        check_status(problem, pairs, np.array([NOT_CONVERGED, 7]))
    sinkhorn = replace(problem, solver="sinkhorn", max_iter=5)
    with pytest.raises(
        NotSolvedError, match=r"the graphs 3 and 4 within max_iter=5 iterations; increase max_iter, reg or tol"
    ):
        check_status(sinkhorn, pairs, np.array([7, NOT_CONVERGED]))


def test_the_first_error_of_a_tile_ends_the_computation():
    grid = make_grid((50, 50), constant_work(50, 50, 1e6), symmetric=False)

    def fail(tile, stop):
        raise ZeroDivisionError(f"tile {tile.row_begin}")

    with pytest.raises(ZeroDivisionError, match="tile"):
        run_tiles(fail, grid, DictionarySink(), ThreadEngine(2))


# Parts of embeddings


def test_take_keeps_the_graphs_in_the_order_given():
    embedding = embed("joint", True)
    part = embedding.take([5, 0, 5])
    assert len(part) == 3
    for position, graph in enumerate([5, 0, 5]):
        mine, original = (slice(e.ptr[g], e.ptr[g + 1]) for e, g in [(part, position), (embedding, graph)])
        np.testing.assert_array_equal(part.points[mine], embedding.points[original])
        np.testing.assert_array_equal(part.codes[:, mine], embedding.codes[:, original])
        np.testing.assert_array_equal(part.weights[mine], embedding.weights[original])
    assert len(embedding.take([])) == 0
    assert len(embedding.take(np.zeros(23, dtype=bool))) == 0
    np.testing.assert_array_equal(embedding.take([-1]).points, embedding.take([22]).points)
    with pytest.raises(IndexError, match="graph 23 is out of range"):
        embedding.take([0, 23])
    with pytest.raises(TypeError, match="graphs are selected by position"):
        embedding.take([0.5])


# Pairs


@pytest.mark.parametrize("name", OPTIONS)
def test_pair_distances_equal_the_matrix(name):
    kind, options, _ = OPTIONS[name]
    graphs = wg.datasets.make_demo()[0][:12]
    pairs = [(0, 5), (7, 3), (4, 4), (11, 0)]
    rows, columns = np.transpose(pairs)
    common = {"kind": kind, "depth": [2, 0, 2], **options}
    square, rectangle = (
        wg.distances(graphs, **with_metric(**common)),
        wg.distances(graphs, graphs[:6], **with_metric(**common)),
    )
    np.testing.assert_array_equal(
        wg.pair_distances(graphs, None, pairs, **with_metric(**common)), square[:, rows, columns]
    )
    np.testing.assert_array_equal(
        wg.pair_distances(graphs, graphs[:6], pairs, **with_metric(**common), n_jobs=2), rectangle[:, rows, columns]
    )
    one_depth = {**common, "depth": 2}
    single = wg.pair_distances(graphs, None, pairs, **with_metric(**one_depth))
    np.testing.assert_array_equal(single, wg.distances(graphs, **with_metric(**one_depth))[rows, columns])


def test_pair_distances_accept_anything_that_a_reader_accepts(capsys):
    distances = wg.pair_distances(["CCO", "CCN"], ["CCO", "c1ccccc1"], [(0, 0), (1, 1)], progress=True)
    assert distances.shape == (2,)
    assert distances[0] == 0 < distances[1]
    assert "2 pairs of 2 pairs" in capsys.readouterr().err
    assert wg.pair_distances(["CCO"], None, []).shape == (0,)


@pytest.mark.parametrize(
    ("pairs", "error", "message"),
    [
        ([(0, 1, 2)], ValueError, r"pairs must be integers with the shape \(k, 2\), got int64 with the shape \(1, 3\)"),
        ([0, 1], ValueError, r"the shape \(k, 2\)"),
        ([(0.0, 1.0)], ValueError, "pairs must be integers"),
        ([(0, 0), (0, 2)], IndexError, "pair 1 contains the graph 2 on the right, but there are only 2"),
        ([(0, 0), (-1, 1)], IndexError, "pair 1 contains the graph -1 on the left, but there are only 3"),
    ],
)
def test_bad_pairs_raise(pairs, error, message):
    with pytest.raises(error, match=message):
        wg.pair_distances(["C", "CC", "CO"], ["C", "O"], pairs)
