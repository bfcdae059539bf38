"""Pictures of graphs, kernels, accuracies and calibration."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist, pdist
from scipy.stats import binomtest, norm

import wassergraph as wg
from wassergraph.explorer.assemble import script
from wassergraph.pictures.accuracies import Boxes
from wassergraph.pictures.colors import _add_label_legend
from wassergraph.pictures.layout import given_places, stress_layout
from wassergraph.pictures.style import PALETTE, check_picture, new_figure, save_figure


def test_a_page_of_the_demo_set(tmp_path):
    graphs, y = wg.datasets.make_demo()
    figure = wg.plot.draw_graphs(graphs[:7], y[:7], path=tmp_path / "page.png", columns=4)
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")
    assert [axes.get_title() for axes in figure.axes[:7]] == [f"graph {i} · class {y[i]}" for i in range(7)]
    assert len(figure.axes[0].collections[1].get_offsets()) == graphs[0].n_nodes
    assert len(figure.axes[0].collections[0].get_segments()) == graphs[0].n_edges
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["label 0", "label 1", "label 2"]


def test_colors_follow_attributes_and_degrees_where_there_are_no_labels():
    graphs, _ = wg.datasets.make_noisy_erdos_renyi(2, 2, random_state=0)
    names = [axes.get_xlabel() for axes in wg.plot.draw_graphs(graphs).axes]
    assert names[-1] == "degree"
    names = [axes.get_xlabel() for axes in wg.plot.draw_graphs(graphs.degree_attributes()).axes]
    assert names[-1] == "degree"
    unnamed = replace(graphs.degree_attributes(), vocabulary=wg.Vocabulary())
    assert [axes.get_xlabel() for axes in wg.plot.draw_graphs(unnamed).axes][-1] == "first node attribute"


def star(n_labels: int, name: Callable[[int], Any] = int) -> wg.GraphBatch:
    edges = [(0, i) for i in range(1, n_labels)]
    return wg.from_edges([edges], node_labels=[[name(i) for i in range(n_labels)]], symmetrize=True)


def test_rare_labels_share_a_color():
    legend = wg.plot.draw_graphs(star(len(PALETTE) + 3)).legends[0]
    assert len(legend.get_texts()) == len(PALETTE)
    assert legend.get_texts()[-1].get_text() == "4 other labels"


def lightness_and_hues(colors: Sequence[str]) -> np.ndarray:
    """Return colors in Oklab, by the formulas of its author."""
    srgb = np.array([[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in colors]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    to_cones = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566]]
    to_cones.append([0.0883024619, 0.2817188376, 0.6299787005])
    to_lab = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099]]
    to_lab.append([0.0259040371, 0.7827717662, -0.8086757660])
    return np.cbrt(linear @ np.transpose(to_cones)) @ np.transpose(to_lab)


def test_twenty_classes_have_colors_that_differ_from_each_other_from_gray_and_from_white():
    assert len(PALETTE) == 21
    assert pdist(lightness_and_hues([*PALETTE, "#FFFFFF"])).min() > 0.1


def test_the_page_has_the_same_colors():
    assert re.findall(r'"(#[0-9a-f]{6})"', script())[: len(PALETTE)] == [color.lower() for color in PALETTE]


@pytest.mark.parametrize("n_labels", [3, 12, 30])
def test_the_legend_fits_the_figure(n_labels):
    figure = wg.plot.draw_graphs(star(n_labels, lambda i: 10**17 + i))
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.width
    assert all(axis.get_window_extent().y0 >= box.y1 - 1 for axis in figure.axes)


def test_long_names_of_labels_are_shortened_in_the_middle():
    figure = new_figure(3, 3)
    _add_label_legend(figure, {"a" * 100: "#000000", "short": "#FF0000"})
    long, short = (text.get_text() for text in figure.legends[0].get_texts())
    assert "…" in long
    assert len(long) <= 28
    assert short == "short"


def test_large_graphs_have_thin_lines_and_small_nodes():
    small, large = (wg.plot.draw_graphs(nx.cycle_graph(n)) for n in (20, 1200))
    lines = [figure.axes[0].collections[0].get_linewidths()[0] for figure in (small, large)]
    nodes = [figure.axes[0].collections[1].get_sizes().max() for figure in (small, large)]
    assert lines[1] < 0.5 * lines[0]
    assert np.sqrt(nodes[1]) < 5
    assert large.get_figwidth() > small.get_figwidth()


def test_positions_of_nodes_are_drawn_with_edges_of_length_one():
    square = wg.from_networkx(nx.cycle_graph(4))
    corners = np.array([[0.0, 0.0], [0.0, 5.0], [5.0, 5.0], [5.0, 0.0]])
    np.testing.assert_allclose(given_places(replace(square, node_positions=corners)), corners / 5 - 0.5)
    solid = np.column_stack([corners, [0.0, 0.1, 0.0, 0.1]])
    np.testing.assert_allclose(
        pdist(given_places(replace(square, node_positions=solid))), pdist(corners) / 5, atol=1e-3
    )


def test_graphs_of_any_kind_can_be_drawn():
    titles = [axes.get_title() for axes in wg.plot.draw_graphs(["CCO", "c1ccccc1"]).axes]
    assert titles == ["graph 0", "graph 1"]
    figure = wg.plot.draw_graphs(nx.path_graph(4))
    assert len(figure.axes[0].collections[0].get_segments()) == 3
    with pytest.raises(TypeError):
        wg.plot.draw_graphs([object()])


def test_odd_graphs_can_be_drawn():
    odd = wg.from_edges([[], [], [(0, 0)], [(0, 1), (1, 0)]], n_nodes=[1, 4, 1, 2])
    assert len(wg.plot.draw_graphs(odd).axes) == 5


@pytest.mark.parametrize("n", [3, 8])
def test_the_layout_keeps_distances(n):
    path = wg.from_edges([[(i, i + 1) for i in range(n - 1)]], symmetrize=True)
    points = stress_layout(path)
    distances = shortest_path(path.adjacency())
    np.testing.assert_allclose(cdist(points, points), distances, atol=0.05)
    np.testing.assert_allclose(points, stress_layout(path), atol=1e-6)


def test_self_loops_have_a_black_rim():
    loop = wg.from_edges([[(0, 0), (0, 1), (1, 0)]])
    rims = wg.plot.draw_graphs(loop).axes[0].collections[1].get_edgecolors()
    assert rims[:, 0].tolist() == [0, 1]


def test_limits():
    graphs, y = wg.datasets.make_demo()
    with pytest.raises(ValueError, match="y has 1 entries for 60 graphs"):
        wg.plot.draw_graphs(graphs, y[:1])
    with pytest.raises(ValueError, match="columns must be at least 1, got 0"):
        wg.plot.draw_graphs(graphs, columns=0)
    with pytest.raises(ValueError, match="a figure shows 1 to 400 graphs, got 0"):
        wg.plot.draw_graphs(graphs[:0])
    with pytest.raises(ValueError, match="graph 0: 20000 nodes are too many to draw"):
        wg.plot.draw_graphs(wg.from_edges([[]], n_nodes=[20_000]))


def test_a_kernel_is_drawn_in_the_order_of_classes(tmp_path):
    y = np.array([1, 0, 1, 0, 0])
    kernel = 0.2 + 0.5 * (y[:, None] == y) + np.diag(np.full(5, 0.3))
    figure = wg.plot.draw_kernel(kernel, y, path=tmp_path / "kernel.png", title="five graphs")
    axis = figure.axes[0]
    shown = axis.images[0].get_array()
    np.testing.assert_array_equal(shown[:3, :3], 0.7 + 0.3 * np.eye(3))
    np.testing.assert_array_equal(shown[:3, 3:], 0.2)
    assert [label.get_text() for label in axis.get_xticklabels()] == ["class 0", "class 1"]
    np.testing.assert_allclose(axis.get_xticks(), [1, 3.5])
    assert axis.get_title() == "five graphs"
    assert (tmp_path / "kernel.png").stat().st_size > 5_000
    with pytest.raises(ValueError, match="y has 4 entries for 5 graphs"):
        wg.plot.draw_kernel(kernel, y[:4])
    assert wg.plot.draw_kernel(kernel, y).axes[0].get_title() == "kernel, graphs ordered by class"


def test_similar_graphs_of_a_kernel_are_neighbors():
    places = np.array([3.0, 0.0, 10.0, 1.0, 9.0, 2.0, 11.0])
    distances = abs(places[:, None] - places)
    for matrix, name in ((distances, "distances"), (np.exp(-distances), "kernel")):
        axis = wg.plot.draw_kernel(matrix).axes[0]
        assert axis.get_title() == f"{name}, similar graphs next to each other"
        assert not axis.get_xticks().size
        steps = np.diag(axis.images[0].get_array(), 1)
        expected = np.array([1.0, 1, 1, 6, 1, 1])
        expected = expected if name == "distances" else np.exp(-expected)
        assert np.allclose(steps, expected) or np.allclose(steps, expected[::-1])
    axis = wg.plot.draw_kernel(distances, ["b", "a", "b", "a", "b", "a", "b"]).axes[0]
    assert axis.get_title() == "distances, graphs ordered by class"
    steps = np.diag(axis.images[0].get_array(), 1)
    assert steps[:2].tolist() == [1, 1]
    assert sorted(steps[3:].tolist()) == [1, 1, 6]


def test_a_kernel_is_drawn_in_the_order_of_numbers():
    numbers = np.array([0.5, -1.5, 2.5])
    axis = wg.plot.draw_kernel(abs(numbers[:, None] - numbers), numbers).axes[0]
    assert axis.get_title() == "distances, graphs ordered by their numbers"
    assert axis.images[0].get_array()[0].tolist() == [0, 2, 4]
    assert axis.get_xlabel() == "from −1.5 to 2.5"


def test_many_classes_of_a_kernel_are_named_once():
    y = np.repeat(np.arange(9), 2)
    axis = wg.plot.draw_kernel(np.eye(18), y).axes[0]
    assert [label.get_text() for label in axis.get_xticklabels()] == [str(each) for each in range(9)]
    assert axis.get_xlabel() == axis.get_ylabel() == "class"


@pytest.mark.parametrize(
    ("matrix", "extend"),
    [
        (np.ones((4, 4)) + np.eye(4), "neither"),
        (np.where(np.add.outer(range(20), range(20)) % 2, 1.0, 2.0), "neither"),
        (np.where(np.add.outer(range(20), range(20)) % 2, 1.0, 2.0) + 8 * np.eye(20), "max"),
        (np.where(np.add.outer(range(20), range(20)) % 2, 1.0, 2.0) - 2 * np.eye(20), "min"),
        (abs(np.subtract.outer(np.arange(20.0) ** 2, np.arange(20.0) ** 2)), "both"),
    ],
)
def test_the_color_bar_points_only_to_values_that_exist(matrix, extend):
    figure = wg.plot.draw_kernel(matrix)
    bar = figure.axes[0].images[0].colorbar
    assert bar.extend == extend
    assert bar.vmin < bar.vmax


@pytest.mark.parametrize(
    ("matrix", "label"),
    [
        (np.ones((4, 4)), "1"),
        (np.zeros((3, 3)), "0"),
        ([[2.5]], "2.5"),
        ([[0.0]], "0"),
        (np.full((3, 3), -0.25), "−0.25"),
        (np.full((2, 2), 1e307), "1e+307"),
        (1 + 1e-12 * np.add.outer(range(4), range(4)), "1"),
    ],
)
def test_a_matrix_of_equal_values_has_one_color(matrix, label, tmp_path):
    figure = wg.plot.draw_kernel(matrix, path=tmp_path / "kernel.png")
    bar = figure.axes[0].images[0].colorbar
    assert [tick.get_text() for tick in bar.ax.get_yticklabels()] == [label]
    assert bar.cmap.N == 1
    assert bar.extend == "neither"
    assert bar.vmin < bar.vmax


def test_kernels_that_cannot_be_drawn():
    with pytest.raises(ValueError, match="the matrix must be symmetric"):
        wg.plot.draw_kernel([[1, 2], [0, 1]])
    with pytest.raises(ValueError, match=r"a row and a column for each graph, got the shape \(2, 1\)"):
        wg.plot.draw_kernel([[1], [0]], [1, 2])


@pytest.mark.parametrize(("n_folds", "boxes"), [(1, 0), (9, 0), (10, 1)])
def test_few_folds_have_no_box(n_folds, boxes):
    values = np.linspace(0.5, 0.8, n_folds)
    axis = wg.plot.draw_accuracies({"WWL": values}).axes[0]
    assert len(axis.patches) == boxes
    assert len(axis.collections[0].get_offsets()) == n_folds
    if not boxes:
        (line,) = axis.lines
        np.testing.assert_allclose(line.get_ydata(), 100 * np.median(values))
        assert line.get_xdata()[0] < -0.2 < 0.2 < line.get_xdata()[1]


@pytest.mark.parametrize(("suffix", "begin"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_accuracies_are_drawn_with_the_best_median_first(tmp_path, suffix, begin):
    given = {"V": [[0.3, 0.4, 0.2]], "WWL": [[0.9, 1.0, 0.8], [0.9, 0.9, 0.7]], "WL": [[0.95, 0.6, 0.5]]}
    figure = wg.plot.draw_accuracies(given, majority=0.5, path=tmp_path / f"box{suffix}", title="three")
    assert (tmp_path / f"box{suffix}").read_bytes().startswith(begin)
    axis = figure.axes[0]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["WWL", "WL", "V"]
    assert (axis.get_title(), figure.legends[0].get_texts()[0].get_text()) == ("three", "largest class: 50.0 %")
    points = [collection.get_offsets() for collection in axis.collections]
    assert [len(each) for each in points] == [6, 3, 3]
    for position, (each, name) in enumerate(zip(points, ["WWL", "WL", "V"], strict=True)):
        np.testing.assert_allclose(each[:, 1], 100 * np.sort(np.ravel(given[name])))
        assert (abs(each[:, 0] - position) < 0.25).all()
        assert len(set(each[:, 0])) == len(each)
    again = wg.plot.draw_accuracies(given, majority=0.5).axes[0].collections
    np.testing.assert_array_equal(again[0].get_offsets(), points[0])


def test_accuracies_that_cannot_be_drawn():
    assert not wg.plot.draw_accuracies({"WWL": [0.5]}).legends
    with pytest.raises(ValueError, match="no accuracies to draw"):
        wg.plot.draw_accuracies({})
    for wrong in ([], [71.0, 0.5], [np.nan]):
        with pytest.raises(ValueError, match="accuracies of V must lie between 0 and 1"):
            wg.plot.draw_accuracies({"V": wrong})


@pytest.mark.parametrize(("suffix", "begin"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_calibration_is_the_share_of_targets_in_intervals(tmp_path, suffix, begin):
    random = np.random.default_rng(0)
    means, deviations = random.normal(size=40), random.uniform(0.5, 2.0, size=40)
    y = means + deviations * random.normal(size=40)
    figure = wg.plot.draw_calibration(y, means, deviations, path=tmp_path / f"curve{suffix}", title="forty")
    assert (tmp_path / f"curve{suffix}").read_bytes().startswith(begin)
    axis = figure.axes[0]
    curve, point, diagonal = axis.get_lines()
    levels, shares = curve.get_xdata(), curve.get_ydata()
    assert (levels[0], levels[-1], shares[0], shares[-1]) == (0, 100, 0, 100)
    for level, share in list(zip(levels, shares, strict=True))[1:-1]:
        lower, upper = norm.interval(level / 100, means, deviations)
        assert share == pytest.approx(100 * np.mean((lower <= y) & (y <= upper)))
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (90, pytest.approx(np.interp(90, levels, shares)))
    np.testing.assert_array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts[0] == f"{point.get_ydata()[0]:.1f} % of targets in the 90 % interval"
    assert texts[1:] == ["calibrated", "where 95 % of calibrated models are, n = 40"]
    assert axis.get_title() == "forty"


def test_the_range_of_calibrated_models_has_its_probability():
    figure = wg.plot.draw_calibration(np.zeros(50), np.ones(50), np.ones(50))
    outline = figure.axes[0].collections[0].get_paths()[0].vertices
    for level in (20, 50, 90):
        low, high = (round(50 * end / 100) for end in np.sort(outline[np.isclose(outline[:, 0], level), 1])[[0, -1]])
        below = binomtest(low - 1, 50, level / 100, alternative="less").pvalue
        above = binomtest(high + 1, 50, level / 100, alternative="greater").pvalue
        assert below < 0.025 < binomtest(low, 50, level / 100, alternative="less").pvalue
        assert above < 0.025 < binomtest(high, 50, level / 100, alternative="greater").pvalue


def test_several_curves_of_calibration():
    random = np.random.default_rng(0)
    y, zero, one = random.normal(size=1200), np.zeros(1200), np.ones(1200)
    figure = wg.plot.draw_calibration(y, {"true": zero, "too sure": zero}, {"too sure": one / 3, "true": one})
    true, sure = (line.get_ydata() for line in figure.axes[0].get_lines()[:4:2])
    np.testing.assert_allclose(true, np.linspace(0, 100, len(true)), atol=5)
    assert (sure[10:-10] < true[10:-10]).all()
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert [text.partition(": ")[0] for text in texts[:2]] == ["true", "too sure"]
    each = {"a": y[:30], "b": y}, {"a": zero[:30], "b": zero}, {"a": one[:30], "b": one}
    texts = [text.get_text() for text in wg.plot.draw_calibration(*each).legends[0].get_texts()]
    assert texts[-1] == "where 95 % of calibrated models are, n = 30 or 1,200"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], [], []), "there are no targets to draw; pass at least one"),
        (([1, 2], [1], [1, 1]), "there are 2 targets, but 1 mean; pass one for each target"),
        (([1, 2], [1, 2], [1, 1, 1]), "there are 2 targets, but 3 deviations"),
        (([1, 2], {"a": [1, 2], "b": [1]}, {"a": [1, 1], "b": [1]}), "there are 2 targets, but 1 mean of b"),
        (([1, 2], [1, 2], [1, 0]), "the deviations must be positive and finite, got 0 at the position 1"),
        (([1, 2], [1, 2], [-1, 1]), "the deviations must be positive and finite, got -1 at the position 0"),
        (([1, 2], [1, 2], [1, np.inf]), "the deviations must be positive and finite, got inf"),
        (([1, 2], [1, 2], [np.nan, 1]), "the deviations must be positive and finite, got nan"),
        (([1, np.nan], [1, 2], [1, 1]), "the targets must be finite, got nan at the position 1"),
        (([1, 2], {"a": [np.inf, 2]}, {"a": [1, 1]}), "the means of a must be finite, got inf at the position 0"),
        (([1, 2], [[1, 2]], [1, 1]), "the means must be a list of numbers, got an array of 2 dimensions"),
        (([1, 2], 1.0, [1, 1]), "the means must be a list of numbers, got an array of 0 dimensions"),
        (([1, 2], {}, {}), "there is nothing to draw; pass the predictions of at least one model"),
        (([1, 2], {"a": [1, 2]}, [1, 1]), "means and deviations must be dictionaries, with the same names"),
        (({"a": [1, 2]}, [1, 2], [1, 1]), "means and deviations must be dictionaries, with the same names"),
        (([1], {"a": [1]}, {"b": [1]}), r"names of the curves differ \(targets: a; means: a; deviations: b\)"),
    ],
)
def test_calibration_that_cannot_be_drawn(arguments, message):
    with pytest.raises(ValueError, match=message):
        wg.plot.draw_calibration(*arguments)


def test_a_place_for_a_picture_is_checked(tmp_path):
    check_picture(tmp_path / "a.PNG")
    with pytest.raises(ValueError, match=r"a\.txt: the format of a picture .*; use \.png, \.svg or \.pdf"):
        check_picture(tmp_path / "a.txt")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        check_picture(tmp_path / "no" / "a.png")


@dataclass(frozen=True)
class Measured:
    boxes: Boxes


def test_anything_with_accuracies_is_drawn():
    measured = Measured(Boxes({"V": [0.5, 0.25]}, constant=("largest class", 0.75)))
    figure = wg.plot.draw_accuracies(measured)
    assert figure.legends[0].get_texts()[0].get_text() == "largest class: 75.0 %"
    figure = wg.plot.draw_accuracies(measured, majority=0.5)
    assert figure.legends[0].get_texts()[0].get_text() == "largest class: 50.0 %"


def test_errors_are_drawn_as_they_are_with_the_smallest_first(tmp_path):
    errors = {"V": [[2.0, 3.0, 40.0]], "WWL": [[1.5, 0.5, 1.0]], "WL": [[1.0, 1.5, 5.0]]}
    boxes = Boxes(errors, "RMSE", ("mean", 12.345), higher_is_better=False, percent=False)
    figure = wg.plot.draw_accuracies(Measured(boxes), path=tmp_path / "errors.svg")
    axis = figure.axes[0]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["WWL", "WL", "V"]
    assert axis.get_ylabel() == "RMSE by fold"
    assert figure.legends[0].get_texts()[0].get_text() == "mean: 12.3"
    assert axis.lines[-1].get_ydata()[0] == 12.345
    for collection, name in zip(axis.collections, ["WWL", "WL", "V"], strict=True):
        np.testing.assert_allclose(collection.get_offsets()[:, 1], np.sort(np.ravel(errors[name])))


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".SVG"])
def test_same_figure_has_the_same_bytes(tmp_path, suffix):
    figure = new_figure(2, 2)
    figure.subplots().plot([1, 2, 3])
    for name in ("one", "two"):
        save_figure(figure, tmp_path / f"{name}{suffix}")
    assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()


def test_picture_that_cannot_be_finished_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    path.write_bytes(b"old")

    def fail(_: int) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        wg.plot.draw_accuracies({"V": [0.5]}, path=path)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.png"]
