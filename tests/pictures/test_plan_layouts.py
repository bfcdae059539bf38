"""Layouts of large graphs, the layout of one graph that matches another, and colors of places."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist

import wassergraph as wg
from wassergraph.pictures.alignment import best_rotation, images, match_layout, upright
from wassergraph.pictures.large_layout import MAX_ALL_DISTANCES, place_nodes
from wassergraph.pictures.layout import stress_layout
from wassergraph.pictures.place_colors import CORNERS, place_colors, to_rgb


def test_the_layout_of_a_rotated_copy_is_recovered():
    random = np.random.default_rng(0)
    places = random.normal(size=(12, 2))
    places -= places.mean(axis=0)
    angle = 2.1
    turn = np.array([[np.cos(angle), np.sin(angle)], [np.sin(angle), -np.cos(angle)]])  # with a reflection
    order = random.permutation(12)
    copy = 3 * places[order] @ turn + [5, -7]
    matrix = csr_array((np.full(12, 1 / 12), (order, np.arange(12))), shape=(12, 12))
    np.testing.assert_allclose(match_layout(copy, places, matrix), places[order], atol=1e-12)
    rotation = best_rotation(copy, images(matrix, places)[0], np.ones(12))
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(2), atol=1e-12)


def test_no_rotation_is_better():
    random = np.random.default_rng(1)
    points, onto, weights = random.normal(size=(9, 2)), random.normal(size=(9, 2)), random.uniform(size=9)
    points, onto = (each - np.average(each, axis=0, weights=weights) for each in (points, onto))

    def loss(rotation):
        return weights @ ((points @ rotation - onto) ** 2).sum(axis=1)

    best = loss(best_rotation(points, onto, weights))
    for angle in np.linspace(0, 2 * np.pi, 200):
        for sign in (1, -1):
            c, s = np.cos(angle), np.sin(angle)
            assert best <= loss(np.array([[c, s], [-sign * s, sign * c]])) + 1e-12


def test_without_moves_nothing_is_turned():
    np.testing.assert_array_equal(best_rotation(np.ones((3, 2)), np.ones((3, 2)), np.zeros(3)), np.eye(2))
    nothing = csr_array((2, 3))
    np.testing.assert_array_equal(images(nothing, np.ones((2, 2)))[0], np.zeros((3, 2)))


def test_the_longest_direction_is_upright():
    points = upright(np.column_stack([np.arange(10.0), np.arange(10.0)]))
    assert np.ptp(points[:, 0]) < 1e-9
    assert np.ptp(points[:, 1]) == pytest.approx(9 * np.sqrt(2))


def test_colors_are_those_of_the_corners_and_can_be_shown():
    corners = np.array([[0, 0], [2, 0], [0, 1], [2, 1]], dtype=float)
    np.testing.assert_allclose(place_colors(corners), CORNERS, atol=1e-12)
    np.testing.assert_allclose(place_colors(np.array([[1.0, 0.5]])), [CORNERS.mean(axis=0)])
    np.testing.assert_allclose(to_rgb(np.array([[1.0, 0, 0], [0.0, 0, 0]])), [[1, 1, 1], [0, 0, 0]], atol=1e-3)
    assert (np.diff(CORNERS[:, 0]) > 0).all()  # lightness distinguishes them in print
    assert cdist(to_rgb(CORNERS), to_rgb(CORNERS))[np.triu_indices(4, 1)].min() > 0.4


def test_small_graphs_have_the_stress_layout():
    graph = wg.from_networkx(nx.cycle_graph(12))
    np.testing.assert_array_equal(place_nodes(graph), stress_layout(graph))


def test_a_large_layout_keeps_distances():
    graph = wg.from_networkx(nx.convert_node_labels_to_integers(nx.grid_2d_graph(15, 30)))
    assert graph.n_nodes > MAX_ALL_DISTANCES
    points = place_nodes(graph)
    np.testing.assert_array_equal(points, place_nodes(graph))
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-9)
    upper = np.triu_indices(graph.n_nodes, 1)
    found, wanted = cdist(points, points)[upper], shortest_path(graph.adjacency(), unweighted=True)[upper]
    assert np.corrcoef(found, wanted)[0, 1] > 0.95
    assert found.min() > 0.1


@pytest.mark.parametrize(
    "graph",
    [
        nx.star_graph(600),
        nx.empty_graph(400),
        nx.disjoint_union_all([nx.cycle_graph(7), nx.path_graph(400), nx.empty_graph(3)]),
        nx.complete_graph(310),
    ],
    ids=["star", "no edges", "components", "complete"],
)
def test_nodes_of_odd_large_graphs_are_at_different_places(graph):
    points = place_nodes(wg.from_networkx(graph))
    assert np.isfinite(points).all()
    assert len(np.unique(points.round(6), axis=0)) == len(points)


def test_components_of_large_graphs_do_not_overlap():
    parts = [nx.cycle_graph(n) for n in (250, 60, 3)]
    points = np.split(place_nodes(wg.from_networkx(nx.disjoint_union_all(parts))), [250, 310])
    boxes = [(each.min(axis=0), each.max(axis=0)) for each in points]
    for i, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:i]:
            assert ((high < other_low) | (other_high < low)).any()
