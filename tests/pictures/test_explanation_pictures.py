"""Drawings of explanations: the colors of nodes, molecules and other graphs, and files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import wassergraph as wg
from wassergraph.errors import InputError
from wassergraph.pictures import explanations
from wassergraph.pictures.graphs import edge_length
from wassergraph.pictures.molecules import depict, place_atoms
from wassergraph.pictures.style import LIGHT_BLUE, ORANGE

SMILES = ["CCO", "CCCO", "CCCCO", "CCN", "CCCN", "CCCCN"]


@pytest.fixture(scope="module")
def molecule():
    model = wg.GraphClassifier(wg.WWL(depth=1, kind="categorical", mass="share"), gamma=1.0, C=10.0, cv=2)
    return model.fit(SMILES, ["alcohol"] * 3 + ["amine"] * 3).explain("OCCN")


@pytest.fixture(scope="module")
def other():
    graphs, _ = wg.load_dataset("demo")
    model = wg.GraphRegressor(wg.WWL(depth=1), gamma=1.0, alpha=0.1).fit(graphs[:20], graphs[:20].sizes)
    return model.explain(graphs[30])


def node_colors(figure):
    return figure.axes[0].collections[-1].get_facecolors()[:, :3]


def test_the_title_and_the_color_bar_say_what_is_shown(molecule, other):
    figure = wg.plot.draw_explanation(molecule, title="aminoethanol")
    axes, bar = figure.axes
    one, against = molecule.classes
    assert axes.get_title() == f"aminoethanol\nclass {one} against {against}: decision {molecule.value:.4g}"
    assert f"← for class {against}" in bar.get_xlabel()
    assert f"for class {one} →" in bar.get_xlabel()
    axes, bar = wg.plot.draw_explanation(other).axes
    assert axes.get_title() == f"predicted number {other.value:.4g}"
    assert bar.get_xlabel() == "score of the node; the sum of all is the number"
    named = replace(other, target_name="measured log solubility in mols per litre", training_row=True)
    title = wg.plot.draw_explanation(named).axes[0].get_title()
    assert title.replace("\n", " ") == f"predicted {named.target_name} {other.value:.4g} (training graph)"
    assert max(map(len, title.splitlines())) <= 60
    low, high = bar.get_xlim()
    assert -low == high == pytest.approx(np.abs(other.node_scores).max())


@pytest.mark.parametrize("name", ["molecule", "other"])
def test_zero_is_neutral_and_signs_are_blue_and_orange(name, request):
    explanation = request.getfixturevalue(name)
    n_nodes = explanation.graph.n_nodes
    scores = np.linspace(-2.0, 2.0, n_nodes + 1 - n_nodes % 2)[:n_nodes]
    colors = node_colors(wg.plot.draw_explanation(replace(explanation, node_scores=scores)))
    assert len(colors) == n_nodes
    np.testing.assert_allclose(colors[0], to_rgb(ORANGE), atol=0.01)
    assert np.ptp(colors[scores == 0], axis=1).max(initial=0) < 0.01  # a gray
    assert (colors[scores > 0.1][:, 2] > colors[scores > 0.1][:, 0]).all()
    largest = node_colors(wg.plot.draw_explanation(replace(explanation, node_scores=-scores)))[0]
    np.testing.assert_allclose(largest, to_rgb(LIGHT_BLUE), atol=0.01)
    colors = node_colors(wg.plot.draw_explanation(replace(explanation, node_scores=np.zeros(n_nodes))))
    assert np.ptp(colors) < 0.01


def written(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_labels_are_written_into_nodes_where_they_can_be_read(other):
    labels = list(map(str, other.graph.node_labels))
    assert written(wg.plot.draw_explanation(other)) == labels
    names = {0: "alpha helix", 1: "beta sheet", 2: "turn"}
    figure = wg.plot.draw_explanation(replace(other, graph=other.graph.with_names(node_labels=names)))
    assert written(figure) == ["ABC"[int(label)] for label in labels]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [*names.values()]
    many = wg.from_edges([[(0, 1)]], n_nodes=[200], node_labels=[[7] * 200], symmetrize=True)
    assert written(wg.plot.draw_explanation(replace(other, graph=many, node_scores=np.ones(200)))) == []


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_the_label_of_the_color_bar_is_above_the_factor_of_its_numbers(other, scale):
    figure = wg.plot.draw_explanation(replace(other, node_scores=scale * other.node_scores))
    figure.draw_without_rendering()
    axis = figure.axes[1].xaxis
    assert bool(axis.get_offset_text().get_text()) == (scale != 1)
    assert axis.label.get_window_extent().y0 > axis.get_offset_text().get_window_extent().y1


def test_long_names_of_classes_stay_on_the_figure(molecule):
    long = tuple(f"{name} of a name that is far too long for one line" for name in molecule.classes)
    figure = wg.plot.draw_explanation(replace(molecule, classes=long), title="a title " * 20)
    figure.draw_without_rendering()
    for text in (figure.axes[0].title, figure.axes[1].xaxis.label):
        box = text.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width


def test_disks_are_behind_the_atoms(molecule):
    figure = wg.plot.draw_explanation(molecule)
    (disks,) = figure.axes[0].collections
    pixels = int(np.clip(70 * np.sqrt(molecule.graph.n_nodes), *explanations._PIXELS))
    _, places = depict(place_atoms(molecule.graph), pixels, pixels, black=True)
    np.testing.assert_allclose(disks.get_offsets(), places)
    assert disks.get_zorder() < min(patch.get_zorder() for patch in figure.axes[0].patches)
    radius = 0.4 * edge_length(molecule.graph, places)
    for axis, limits in enumerate((figure.axes[0].get_xlim(), sorted(figure.axes[0].get_ylim()))):
        assert places[:, axis].min() - radius > limits[0]  # no disk is cut off
        assert places[:, axis].max() + radius < limits[1]


@pytest.mark.parametrize("smiles", ["C", "[Na+].[Cl-]", "C" * 60])
def test_molecules_of_any_size(smiles, tmp_path):
    model = wg.GraphRegressor(wg.WWL(depth=0, kind="categorical"), gamma=1.0, alpha=0.1, cv=2).fit(
        SMILES, list(range(6))
    )
    wg.plot.draw_explanation(model.explain(smiles), path=tmp_path / "m.png")
    assert (tmp_path / "m.png").stat().st_size > 5_000


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_files(molecule, tmp_path, ending):
    for name in ("one", "two"):
        wg.plot.draw_explanation(molecule, path=tmp_path / f"{name}.{ending}")
    one, two = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
    assert one == two


def test_bad_input(molecule, tmp_path):
    with pytest.raises(InputError, match=r"use .png, .svg or .pdf"):
        wg.plot.draw_explanation(molecule, path=tmp_path / "x.jpg")
    large = wg.from_edges([[]], n_nodes=[10_001])
    with pytest.raises(InputError, match="10001 nodes are too many to draw"):
        wg.plot.draw_explanation(replace(molecule, graph=large, node_scores=np.zeros(1001)))
