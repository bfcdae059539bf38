"""What notebooks show: HTML of results, figures, and drawings of molecules."""

from __future__ import annotations

import base64
import copy
import pickle
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.util import find_spec
from xml.etree import ElementTree

import numpy as np
import pytest

import wassergraph as wg
from made_metrics import evaluate
from wassergraph.notebook import html_table
from wassergraph.pictures import molecules, thumbnails
from wassergraph.pictures.style import new_figure

TAGS = {"div", "b", "table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "img"}
SVG = "{http://www.w3.org/2000/svg}"


class Tags(HTMLParser):
    """Check that tags are closed in order, and collect them with the text between them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text: list[str] = []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def images(html: str) -> list[ElementTree.Element]:
    """Return the drawings in HTML."""
    sources = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
    return [ElementTree.fromstring(base64.b64decode(source)) for source in sources]


@pytest.fixture
def no_rdkit(monkeypatch):
    monkeypatch.setattr(molecules, "find_spec", lambda name: None if name == "rdkit" else find_spec(name))


@pytest.fixture(scope="module")
def demo():
    return wg.datasets.make_demo()


# Figures


def test_a_figure_shows_itself_as_png(demo):
    png = wg.plot.draw_graphs(demo[0][:3])._repr_png_()
    assert png.startswith(b"\x89PNG")
    width, height = (int.from_bytes(png[i : i + 4], "big") for i in (16, 20))
    assert 400 < width < 800
    assert 200 < height < 400


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda figure: pickle.loads(pickle.dumps(figure))])
def test_figures_can_be_copied(duplicate):
    figure = new_figure(2, 2)
    figure.subplots().plot([1, 2, 3])
    other = duplicate(figure)
    assert type(other) is type(figure)
    assert other._repr_png_() == figure._repr_png_()


# Results


def results(demo) -> dict[str, object]:
    graphs, y = demo
    distances = wg.distances(graphs, metric=wg.WWL(depth=range(2)))
    return {
        "graphs": graphs,
        "report": evaluate(graphs, y, method=["v", "e"], folds=3, inner_folds=2),
        "given distances": wg.evaluate(
            None, y, model=wg.GraphClassifier(gamma=1.0, cv=2), folds=3, distances=distances
        ),
        "definiteness": wg.kernels.definiteness([[1.0, 2.0], [2.0, 1.0]]),
        "plan": wg.transport_plan(graphs, 0, 7, metric=wg.WWL(depth=1)),
        "two groups": wg.compare_groups(graphs, y, metric=wg.WWL(kind="categorical"), groups=[0, 1], permutations=9),
        "all groups": wg.compare_groups(graphs, y, metric=wg.WWL(kind="categorical"), permutations=9),
    }


def test_every_result_is_well_formed_without_scripts_and_in_the_colors_of_the_page(demo):
    for result in results(demo).values():
        html = result._repr_html_()
        tags = Tags(html)
        assert set(tags.tags) <= {
            "div",
            "b",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "figure",
            "figcaption",
            "img",
        }
        assert not re.search(r"[;\" ]color:", html)


def test_results_show_their_numbers(demo):
    shown = {name: Tags(result._repr_html_()).text for name, result in results(demo).items()}
    assert "60 graphs, 3 classes" in shown["report"]
    assert {"V", "E", "largest class", "33.33"} <= {text.strip() for text in shown["report"]}
    assert "1 eigenvalue is negative (down to -1, where" in " ".join(shown["definiteness"])
    assert shown["definiteness"][0] == "indefinite"
    assert any("given distances" in text for text in shown["given distances"])
    plan = wg.transport_plan(demo[0], 0, 7, metric=wg.WWL(depth=1))
    first = next(plan.pairs())
    assert shown["plan"][0] == f"Transport plan from 9 to 11 nodes, cost {plan.cost:.6g}"
    assert [cell.split()[0] for cell in shown["plan"][6:8]] == [str(first[0]), str(first[1])]


def test_a_plan_shows_what_nodes_without_a_partner_cost():
    plan = wg.transport_plan(["CCO", "c1ccccc1O"], 0, 1, metric=wg.WWL(depth=1, mass="count"))
    _, _, mass, price = next(plan.pairs())
    html = plan._repr_html_()
    assert f"{mass * price / plan.cost:.1%}" in html
    share = 4 * plan.price / plan.cost
    assert f"0 of the first graph and 4 of the second, at {plan.price:.4g} each, {share:.1%} of the cost" in html
    assert (
        "moves"
        not in wg.transport_plan(["C", "[Fe]"], 0, 1, metric=wg.WWL(mass="count", unmatched_cost=1e-3))._repr_html_()
    )


def test_a_plan_without_cost():
    path = wg.from_edges([[(0, 1)], [(0, 1)]], symmetrize=True)
    assert "cost 0" in wg.transport_plan(path, 0, 1, metric=wg.WWL(depth=1, kind="categorical"))._repr_html_()


def test_names_are_escaped():
    assert "<script>" not in html_table([["<script>"]], header=['"><script>'])
    report = evaluate(*wg.datasets.make_demo(), method="v", folds=3, inner_folds=2)
    row = replace(report.rows["v"], title="<img src=x>")
    renamed = replace(report, rows={"v": row})
    assert "<img" not in renamed._repr_html_()


# Batches


def test_the_first_six_graphs_are_drawn(demo):
    html = demo[0]._repr_html_()
    drawn = images(html)
    assert len(drawn) == 6
    assert [len(list(image.iter(f"{SVG}circle"))) for image in drawn] == demo[0].sizes[:6].tolist()
    assert [len(list(image.iter(f"{SVG}line"))) for image in drawn] == [graph.n_edges for graph in demo[0][:6]]
    assert "The first 6 of 60 graphs are drawn." in Tags(html).text
    assert "840, 14.00 on average (9 to 19) per graph" in Tags(html).text
    assert "drawn" not in demo[0][:2]._repr_html_()


def test_a_label_has_the_same_color_in_every_drawing():
    graphs = wg.from_edges([[(0, 1)], [(0, 1)]], n_nodes=[3, 3], node_labels=[[5, 5, 7], [7, 7, 7]], symmetrize=True)
    one, two = ([circle.get("fill") for circle in image.iter(f"{SVG}circle")] for image in images(graphs._repr_html_()))
    assert one[2] == two[0] != one[0]


def test_large_graphs_are_not_drawn():
    graphs = wg.from_edges([[(0, 1)], [(i, i + 1) for i in range(50_000)]], symmetrize=True)
    html = graphs._repr_html_()
    assert len(images(html)) == 1
    assert "Of the first 2 graphs, those with at most 100 nodes and 2,000 edges are drawn: 1." in Tags(html).text
    complete = wg.from_adjacency(np.ones((90, 90)) - np.eye(90))
    assert not images(complete._repr_html_())


@pytest.mark.parametrize("graphs", [wg.from_edges([[], [(0, 0)]], n_nodes=[1, 1]), wg.datasets.make_demo()[0][:0]])
def test_odd_batches(graphs):
    assert len(images(graphs._repr_html_())) == len(graphs)


def test_molecules_are_drawn_by_rdkit():
    drawn = images(wg.from_smiles(["CCO", "c1ccccc1"])._repr_html_())
    classes = [{path.get("class") for path in image.iter(f"{SVG}path")} for image in drawn]
    assert "atom-2" in classes[0]  # the letter O
    assert not list(drawn[0].iter(f"{SVG}circle"))
    assert {name.split()[0] for name in classes[1] if name} == {f"bond-{i}" for i in range(6)}


@pytest.mark.usefixtures("no_rdkit")
def test_without_rdkit_molecules_have_the_symbols_of_elements():
    graphs = wg.from_smiles(["CCO", "C[Na]", "*Cl"])
    drawn = images(graphs._repr_html_())
    symbols = [[text.text for text in image.iter(f"{SVG}text")] for image in drawn]
    assert symbols == [["C", "C", "O"], ["C", "Na"], ["*", "Cl"]]
    legend = wg.plot.draw_graphs(graphs).legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["*", "C", "O", "Na", "Cl"]


def test_a_batch_without_pictures_has_its_summary(monkeypatch, demo):
    monkeypatch.setattr("wassergraph.notebook.draw_thumbnails", None)
    assert "isolated nodes" in Tags(demo[0]._repr_html_()).text


def test_the_drawings_do_not_need_matplotlib(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    assert len(images(wg.from_smiles(["CCO"])._repr_html_())) == 1
    assert len(images(wg.datasets.make_demo()[0]._repr_html_())) == thumbnails.MAX_GRAPHS
