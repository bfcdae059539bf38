"""Maps and orders of collections of graphs."""

from __future__ import annotations

import warnings
from itertools import pairwise, permutations

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist, squareform
from scipy.stats import spearmanr
from sklearn.manifold import smacof

import wassergraph as wg
from wassergraph.errors import InputError
from wassergraph.pictures import maps, ordering
from wassergraph.pictures.maps import map_quality, place_graphs, stress_step
from wassergraph.pictures.matrices import are_numbers
from wassergraph.pictures.ordering import order_graphs


def random_distances(n, dimensions, seed=0):
    points = np.random.default_rng(seed).normal(size=(n, dimensions))
    return cdist(points, points)


@pytest.fixture(scope="module")
def demo():
    graphs, y = wg.datasets.make_demo()
    return np.asarray(wg.distances(graphs)), y


def stress(distances, points):
    return np.sum((distances - cdist(points, points)) ** 2) / 2


@pytest.mark.parametrize("n", [2, 3, 4, 5, 50])
def test_scaling_recovers_points_of_a_plane(n):
    distances = random_distances(n, 2, seed=n)
    points = place_graphs(distances, "mds")
    np.testing.assert_allclose(cdist(points, points), distances, atol=0.02)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-9)


def test_scaling_reduces_the_stress_in_every_step(demo, monkeypatch):
    distances, _ = demo
    monkeypatch.setattr(maps, "_BLOCK", 7 * len(distances))  # several blocks
    points, values = np.random.default_rng(0).normal(size=(len(distances), 2)), []
    for _ in range(30):
        moved, value = stress_step(distances, points)
        assert value == pytest.approx(stress(distances, points))
        values.append(value)
        points = moved
    assert all(later <= earlier * (1 + 1e-9) for earlier, later in pairwise(values))
    assert values[-1] < values[0] / 2


def test_scaling_is_as_good_as_that_of_scikit_learn(demo):
    distances, _ = demo
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        theirs, _ = smacof(distances, n_components=2, n_init=4, max_iter=300, random_state=0)
    assert stress(distances, place_graphs(distances, "mds")) <= 1.05 * stress(distances, theirs)


@pytest.mark.parametrize("method", ["tsne", "mds"])
def test_maps_are_repeatable_and_turned(demo, method):
    distances, _ = demo
    points = place_graphs(distances, method, random_state=3)
    np.testing.assert_array_equal(place_graphs(distances, method, random_state=3), points)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-6 * abs(points).max())
    spread = points.std(axis=0)
    assert spread[0] >= spread[1]
    assert (points.max(axis=0) >= (1 - 1e-6) * -points.min(axis=0)).all()


def test_the_seed_changes_what_tsne_starts_from(demo):
    distances, _ = demo
    assert abs(place_graphs(distances, random_state=0) - place_graphs(distances, random_state=1)).max() > 1e-3


@pytest.mark.parametrize("method", ["tsne", "mds"])
@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_the_scale_of_distances_does_not_matter(demo, method, scale):
    distances, _ = demo
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        points = place_graphs(scale * distances, method)
    assert np.isfinite(points).all()
    assert map_quality(scale * distances, points).rank_correlation > 0.4


def test_any_seed_is_accepted(demo):
    assert np.isfinite(place_graphs(demo[0], random_state=2**40)).all()


def test_tsne_keeps_clusters_apart():
    centers = np.repeat([[0, 0, 0], [9, 0, 0], [0, 9, 9]], 20, axis=0)
    places = centers + np.random.default_rng(0).normal(size=centers.shape)
    points = place_graphs(cdist(places, places))
    nearest = np.argsort(cdist(points, points), axis=1)[:, 1:6]
    assert (nearest // 20 == np.arange(60)[:, None] // 20).mean() > 0.95


@pytest.mark.parametrize("method", ["tsne", "mds"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 6, 40])
def test_maps_of_odd_collections(n, method):
    np.testing.assert_array_equal(place_graphs(np.zeros((n, n)), method), np.zeros((n, 2)))
    points = place_graphs(1.0 - np.eye(n), method)
    assert points.shape == (n, 2)
    assert np.isfinite(points).all()
    assert len(np.unique(points.round(3), axis=0)) == n
    pairs = np.repeat(np.arange((n + 1) // 2), 2)[:n]
    assert np.isfinite(place_graphs((pairs[:, None] != pairs).astype(float), method)).all()


def slow_neighbors_kept(distances, points, k):
    n = len(distances)
    kept = 0.0
    for i in range(n):
        others = [j for j in range(n) if j != i]
        near = sorted(others, key=lambda j: (distances[i, j], j))[:k]
        near_on_map = sorted(others, key=lambda j: (np.linalg.norm(points[i] - points[j]), j))[:k]
        kept += len(set(near) & set(near_on_map)) / k
    return kept / n


@pytest.mark.parametrize(("n", "k"), [(2, 1), (7, 6), (11, 10), (45, 10)])
def test_neighbors_kept_are_counted(n, k, monkeypatch):
    monkeypatch.setattr(maps, "_BLOCK", 4 * n)
    distances = np.round(2 * random_distances(n, 4)) / 2  # many are equal
    points = np.random.default_rng(1).integers(4, size=(n, 2)).astype(float)
    assert map_quality(distances, points).neighbors_kept == pytest.approx(slow_neighbors_kept(distances, points, k))


def test_rank_correlation_is_that_of_scipy(monkeypatch):
    distances, points = np.round(random_distances(60, 4), 1), np.random.default_rng(1).normal(size=(60, 2))
    lengths = cdist(points, points)
    expected = spearmanr(squareform(distances, checks=False), squareform(lengths, checks=False)).statistic
    assert map_quality(distances, points).rank_correlation == pytest.approx(expected)
    distances += 2 * lengths
    exact = map_quality(distances, points).rank_correlation
    monkeypatch.setattr(maps, "_MAX_PAIRS", 1000)
    sampled = map_quality(distances, points).rank_correlation
    assert sampled != exact
    assert sampled == pytest.approx(exact, abs=0.1)
    assert map_quality(distances, points).rank_correlation == sampled


def test_quality_of_perfect_and_of_undefined_maps():
    points = np.random.default_rng(0).normal(size=(30, 2))
    assert map_quality(cdist(points, points), points) == (1.0, pytest.approx(1.0))
    assert map_quality(-cdist(points, points), points).rank_correlation == pytest.approx(-1.0)
    for n in (0, 1, 2):
        quality = map_quality(1.0 - np.eye(n), place_graphs(1.0 - np.eye(n)))
        assert quality.neighbors_kept == 1
        assert np.isnan(quality.rank_correlation)
    equal = np.random.default_rng(0).uniform(1, 1 + 1e-14, size=(30, 30))
    assert np.isnan(map_quality(equal, points).rank_correlation)
    assert 0 <= map_quality(equal, points).neighbors_kept <= 1


def length(distances, order):
    return sum(distances[a, b] for a, b in pairwise(order))


def orders_of_tree(tree, node, n):
    """Return all orders of the leaves below a node that turning branches can lead to."""
    if node < n:
        return [(node,)]
    one, two = (orders_of_tree(tree, int(child), n) for child in tree[node - n, :2])
    return [a + b for left, right in ((one, two), (two, one)) for a in left for b in right]


def test_the_order_is_the_shortest_that_the_tree_allows():
    n = 7
    distances = random_distances(n, 3)
    order = order_graphs(distances)
    tree = linkage(squareform(distances, checks=False), "average")
    allowed = orders_of_tree(tree, 2 * n - 2, n)
    assert tuple(order.tolist()) in allowed
    assert length(distances, order) == pytest.approx(min(length(distances, each) for each in allowed))
    assert length(distances, order) >= min(length(distances, each) for each in permutations(range(n))) - 1e-9


@pytest.mark.parametrize("limit", [ordering.MAX_OPTIMAL, 5])
def test_the_order_keeps_classes_together(demo, limit, monkeypatch):
    monkeypatch.setattr(ordering, "MAX_OPTIMAL", limit)
    distances, y = demo
    order = order_graphs(distances, y)
    assert sorted(order.tolist()) == list(range(len(y)))
    np.testing.assert_array_equal(y[order], np.sort(y))
    stable = np.argsort(y, kind="stable")
    assert length(distances, order) < length(distances, stable)
    np.testing.assert_array_equal(order_graphs(distances, y), order)
    for each in np.unique(y):
        members = np.flatnonzero(y == each)
        part = order_graphs(distances[np.ix_(members, members)])
        np.testing.assert_array_equal(order[y[order] == each], members[part])


def test_orders_of_odd_collections():
    names = np.array(["b", "a", "c", "a"])
    assert order_graphs(np.zeros((4, 4)), names)[[2, 3]].tolist() == [0, 2]
    assert sorted(order_graphs(np.zeros((40, 40))).tolist()) == list(range(40))
    for n in (0, 1, 2):
        assert order_graphs(1.0 - np.eye(n)).tolist() == list(range(n))
        assert order_graphs(1.0 - np.eye(n), np.arange(n)[::-1]).tolist() == list(range(n))[::-1]
    places = np.array([5.0, 1.0, 4.0, 2.0, 3.0])
    order = order_graphs(abs(places[:, None] - places))
    assert places[order].tolist() in ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1])


def texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_a_map_shows_classes_by_color_and_marker(demo, tmp_path):
    distances, y = demo
    figure = wg.plot.draw_map(distances, y, path=tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    axis = figure.axes[0]
    points = place_graphs(distances)
    for each, collection in enumerate(axis.collections):
        np.testing.assert_allclose(collection.get_offsets(), points[y == each])
    assert len({tuple(collection.get_facecolor()[0]) for collection in axis.collections}) == 3
    assert len({len(collection.get_paths()[0].vertices) for collection in axis.collections}) == 3
    assert texts(figure) == ["class 0 · 20 graphs", "class 1 · 20 graphs", "class 2 · 20 graphs"]
    assert axis.get_title() == "60 graphs, placed by t-SNE"
    kept, correlation = map_quality(distances, points)
    assert axis.get_xlabel() == f"{100 * kept:.0f} % of ten nearest neighbors kept, rank correlation {correlation:.2f}"
    assert axis.get_aspect() == 1
    assert not axis.get_xticks().size


def test_a_map_shows_numbers_by_a_color_scale(demo):
    distances, _ = demo
    numbers = distances.mean(axis=1)
    figure = wg.plot.draw_map(distances.tolist(), numbers, method="mds", title="numbers")
    assert figure.axes[0].get_title() == "numbers"
    np.testing.assert_allclose(figure.axes[0].collections[0].get_array(), numbers)
    assert len(figure.axes) == 2
    assert not figure.legends


@pytest.mark.parametrize(
    ("y", "numbers"),
    [
        ([0, 1, 1, 1], False),
        ([0.0, 1.0, 1.0, 0.0], False),
        ([0.5, 1.0, 1.0, 0.0], True),
        ([0, 1, 2, 2], True),
        ([0, 1, 2, 0, 1, 2], False),
        (list(range(20)) * 3, False),
        (list(range(21)) * 3, True),
        (["0.5", "a", "b", "c"], False),
        ([True, False], False),
    ],
)
def test_classes_and_numbers_are_told_apart(y, numbers):
    assert are_numbers(np.array(y)) == numbers


def test_a_map_of_many_classes_names_the_largest():
    sizes, letters = [3, 2, 4, 2, 5, 6, 7, 8, 9, 3, 3, 4, *[3] * 10], "abcdefghijklmnopqrstuv"
    y = np.repeat(list(letters), sizes)
    distances = random_distances(len(y), 3)
    named = [f"{name} · {size} graphs" for name, size in zip(letters, sizes, strict=True) if size > 2]
    figure = wg.plot.draw_map(distances, y, method="mds")
    assert texts(figure) == [*named, "2 other classes · 4 graphs"]
    assert sum(len(collection.get_offsets()) for collection in figure.axes[0].collections) == len(y)
    without_one = texts(wg.plot.draw_map(distances[3:, 3:], y[3:], method="mds"))
    assert len(without_one) == 21
    assert without_one[0] == "b · 2 graphs"


def test_classes_of_a_map_that_are_numbers_are_called_classes():
    assert texts(wg.plot.draw_map(random_distances(6, 3), [0, 1] * 3, method="mds"))[0] == "class 0 · 3 graphs"


@pytest.mark.parametrize("name", ["a", "a family with a long name", "x" * 200])
def test_the_legend_of_a_map_is_inside_of_the_figure(name):
    figure = wg.plot.draw_map(random_distances(12, 3), [f"{letter}{name}" for letter in "abcdef" * 2], method="mds")
    figure.canvas.draw()
    box, page = figure.legends[0].get_window_extent(), figure.bbox
    assert page.x0 <= box.x0
    assert box.x1 <= page.x1


def test_maps_of_few_graphs_do_not_boast():
    figure = wg.plot.draw_map([[0, 1], [1, 0]])
    assert figure.axes[0].get_title() == "2 graphs, placed by multidimensional scaling"
    assert figure.axes[0].get_xlabel() == ""
    assert wg.plot.draw_map(random_distances(11, 2)).axes[0].get_xlabel().startswith("rank correlation")
    assert wg.plot.draw_map([[0.0]]).axes[0].get_title() == "1 graph, placed by multidimensional scaling"


@pytest.mark.parametrize(
    ("distances", "y", "message"),
    [
        (np.zeros((2, 3)), None, r"a row and a column for each graph, got the shape \(2, 3\)"),
        (np.zeros((4, 2, 2)), None, r"the distances must be one matrix, got 4; choose a depth"),
        (np.zeros((0, 0)), None, "there are no graphs to draw"),
        ([[0, np.nan], [np.nan, 0]], None, "must be finite, got nan for the graphs 0 and 1"),
        ([[0, 1], [1, np.inf]], None, "must be finite, got inf for the graphs 1 and 1"),
        ([[0, 1], [2, 0]], None, "must be symmetric, got 1 for the graphs 0 and 1, and 2 for 1 and 0"),
        ([[0, -1], [-1, 0]], None, "must not be negative, got -1 for the graphs 0 and 1"),
        ([[1, 0.5], [0.5, 1]], None, "these are similarities; pass the result of distances"),
        ([[0, 1], [1, 0]], [1, 2, 3], "y has 3 entries for 2 graphs"),
        ([[0, 1], [1, 0]], [[1, 2]], r"y has the shape \(1, 2\) for 2 graphs"),
        ([[0, 1], [1, 0]], [1, np.nan], "graph 1: y is nan; correct it, or leave the graph out of y and of the matrix"),
        ([[0, 1], [1, 0]], [1, np.inf], "graph 1: y is inf"),
        ([[0, 1], [1, 0]], [None, 1], "graph 0: y is None"),
        ([[0, 1], [1, 0]], ["a", None], "graph 1: y is None"),
        ([[0, 1], [1, 0]], ["a", np.nan], "graph 1: y is nan"),
        ([[0, 1], [1, 0]], np.array(["a", None], dtype=object), "graph 1: y is None"),
        ([[0, 1], [1, 0]], pd.Series(["a", None], dtype="string"), "graph 1: y is <NA>"),
        ([[0, 1], [1, 0]], [[1], [1, 2]], r"graph 0: y is \[1\]; pass one value for each graph"),
        ([[0, 1], [1, 0]], [object(), object()], "y contains values of the types object"),
        ([[0, 1], [1, 0]], [1j, 2j], "y contains values of the type complex128"),
    ],
)
def test_maps_that_cannot_be_drawn(distances, y, message):
    with pytest.raises(InputError, match=message):
        wg.plot.draw_map(distances, y)
    if y is not None:
        with pytest.raises(InputError, match=message):
            wg.plot.draw_kernel(distances, y)


def test_maps_of_wrong_types_and_methods():
    with pytest.raises(TypeError, match="the distances must be an array of real numbers, got list"):
        wg.plot.draw_map([["a"]])
    with pytest.raises(ValueError, match="method must be one of 'tsne', 'mds', got 'umap'"):
        wg.plot.draw_map([[0.0]], method="umap")


def test_distances_with_rounding_are_drawn():
    distances = random_distances(12, 2)
    distances[0, 1] *= 1 + 1e-9
    np.fill_diagonal(distances, -1e-12)
    before = distances.copy()
    assert len(wg.plot.draw_map(distances.astype(np.float32)).axes[0].collections[0].get_offsets()) == 12
    wg.plot.draw_map(distances)
    np.testing.assert_array_equal(distances, before)
