"""Explorer pages in a browser without a network: what they show, how they are used, and that they load nothing."""

from __future__ import annotations

import base64
import json
import math
import re
import struct
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import wassergraph as wg
from browser import Visitor, running_browser
from made_metrics import evaluate, with_metric
from wassergraph.explorer.assemble import MODULES, assemble, script, style
from wassergraph.explorer.collection import Collection
from wassergraph.explorer.container import pack_content, smallest
from wassergraph.explorer.graph_content import embedding_content, graph_content

#: A name that would run as a script if it were taken for HTML.
HOSTILE = "<script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">"
PAGE = Path(wg.__file__).parent / "explorer" / "page"


@pytest.fixture(scope="module")
def browser():
    with running_browser() as found:
        yield found


@pytest.fixture
def visitor(browser):
    context = browser.new_context(offline=True, viewport={"width": 1300, "height": 900})
    visitor = Visitor(context)
    yield visitor
    context.close()
    assert visitor.errors == []


@pytest.fixture(scope="module")
def demo():
    """The graphs of the demo, their classes and their distances."""
    graphs, y = wg.load_dataset("demo")
    return graphs, y, wg.distances(graphs, metric=wg.WWL(depth=2))


@pytest.fixture(scope="module")
def demo_page(demo, tmp_path_factory):
    graphs, y, _ = demo
    names = [f"graph {i}" for i in range(len(graphs))]
    names[7] = HOSTILE
    path = tmp_path_factory.mktemp("demo") / "demo.html"
    wg.explore(graphs, y, metric=wg.WWL(depth=2), names=names, title=f"Demo {HOSTILE}").save(path)
    return path


def shown_distance(visitor: Visitor) -> float:
    return float(visitor.text("#distance").replace("−", "-"))


def selected(visitor: Visitor) -> tuple[int, int]:
    found = re.search(r"a=(\d+)&b=(\d+)", visitor.tab.url)
    assert found is not None
    return int(found[1]), int(found[2])


def test_a_page_loads_nothing_and_shows_all_panels(visitor, demo_page):
    tab = visitor.open(demo_page)
    assert visitor.requests == [demo_page.resolve().as_uri()]
    for panel in ("map", "heat", "pair", "neighbors"):
        assert tab.is_visible(f"#{panel}-panel")
    assert not tab.is_visible("#errors-panel")
    assert re.search(
        r"\d+ % of the ten nearest neighbors .*; rank correlation of distances 0\.\d\d", visitor.text("#map-quality")
    )
    assert tab.locator("#neighbors-body tr").count() == 10


def test_what_comes_from_data_is_text(visitor, demo_page):
    tab = visitor.open(demo_page, "#a=7&b=8")
    assert HOSTILE in visitor.text("#selected-a")
    assert HOSTILE in visitor.text("#title")
    assert "hacked" not in tab.evaluate("document.title").split("<")[0]
    assert tab.locator("main img, header img, #bar img").count() == 0
    assert visitor.requests == [demo_page.resolve().as_uri()]
    assert demo_page.read_text(encoding="utf-8").count("<script") == 2


def test_the_policy_of_the_page_forbids_other_scripts(visitor, demo_page):
    tab = visitor.open(demo_page)
    tab.evaluate(
        "() => { const script = document.createElement('script'); script.textContent = 'window.ran = true'; "
        "document.body.append(script); }"
    )
    assert tab.evaluate("window.ran") is None
    assert any("Content Security Policy" in error for error in visitor.errors)
    visitor.errors.clear()


def test_the_distances_shown_are_those_of_the_library(visitor, demo, demo_page):
    distances = demo[2]
    visitor.open(demo_page)
    for a, b in [(0, 1), (3, 59), (20, 20), (41, 5)]:
        visitor.select(a, b)
        assert selected(visitor) == (a, b)
        assert math.isclose(shown_distance(visitor), distances[a, b], rel_tol=1e-5, abs_tol=1e-12)
    rows = visitor.tab.locator("#neighbors-body tr td.number").all_inner_texts()
    expected = np.sort(np.delete(distances[41], 41))[:10]
    np.testing.assert_allclose([float(row) for row in rows], expected, rtol=1e-5)


def test_a_click_selects_a_and_a_click_with_shift_selects_b(visitor, demo_page):
    tab = visitor.open(demo_page, "#a=0&b=1&map=mds")
    places = {which: place_on_map(tab, graph) for which, graph in (("a", 30), ("b", 50))}
    box = tab.locator("#map-canvas").bounding_box()
    tab.mouse.click(box["x"] + places["a"][0], box["y"] + places["a"][1])
    visitor.wait()
    assert selected(visitor)[0] == nearest_on_map(tab, places["a"])
    tab.keyboard.down("Shift")
    tab.mouse.click(box["x"] + places["b"][0], box["y"] + places["b"][1])
    tab.keyboard.up("Shift")
    visitor.wait()
    assert selected(visitor) == (nearest_on_map(tab, places["a"]), nearest_on_map(tab, places["b"]))


@pytest.mark.parametrize("button", ["right", "middle"])
def test_other_buttons_of_the_mouse_select_nothing(visitor, demo_page, button):
    tab = visitor.open(demo_page, "#a=0&b=1&map=mds")
    x, y = place_on_map(tab, 30)
    box = tab.locator("#map-canvas").bounding_box()
    tab.mouse.click(box["x"] + x, box["y"] + y, button=button)
    assert selected(visitor) == (0, 1)
    tab.mouse.click(box["x"] + x, box["y"] + y)
    assert selected(visitor) != (0, 1)


def screen_places(tab: Any) -> list[list[float]]:
    """Return the places of all points of the map of the method mds in pixels, computed from the data of the page."""
    return tab.evaluate(
        """async () => {
        const content = await unpack(document.getElementById("data").textContent);
        const n = content.n_graphs, places = content.maps.find((map) => map.id === "mds").places;
        const box = document.getElementById("map"), [w, h] = [box.clientWidth, box.clientHeight];
        const axis = (k) => Array.from(places.subarray(k * n, (k + 1) * n), (value) => value / 65535);
        const [x, y] = [axis(0), axis(1)];
        const [lowX, highX, lowY, highY] = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
        const scale = Math.min((w - 52) / Math.max(highX - lowX, 0.2), (h - 52) / Math.max(highY - lowY, 0.2));
        const [middleX, middleY] = [(lowX + highX) / 2, (lowY + highY) / 2];
        return x.map((value, g) => [w / 2 + scale * (value - middleX), h / 2 - scale * (y[g] - middleY)]);
    }"""
    )


def place_on_map(tab: Any, graph: int) -> list[float]:
    return screen_places(tab)[graph]


def nearest_on_map(tab: Any, place: list[float]) -> int:
    points = np.array(screen_places(tab))
    return int(np.argmin(np.linalg.norm(points - place, axis=1)))


@pytest.mark.parametrize(
    ("key", "axis", "sign"), [("ArrowRight", 0, 1), ("ArrowLeft", 0, -1), ("ArrowUp", 1, -1), ("ArrowDown", 1, 1)]
)
def test_arrows_move_to_the_nearest_graph_in_that_direction(visitor, demo_page, key, axis, sign):
    start = 12
    tab = visitor.open(demo_page, f"#a={start}&b=1&map=mds")
    points = np.array(screen_places(tab))
    steps = points - points[start]
    lengths = np.linalg.norm(steps, axis=1)
    candidates = [
        g
        for g in range(len(points))
        if sign * steps[g, axis] > 0 and sign * steps[g, axis] >= lengths[g] / math.sqrt(2)
    ]
    tab.focus("#map-canvas")
    tab.keyboard.press(key)
    expected = min(candidates, key=lambda g: lengths[g], default=start)
    assert selected(visitor) == (expected, 1)
    tab.keyboard.press(f"Shift+{key}")
    assert selected(visitor)[0] == expected


def test_the_selection_survives_a_reload(visitor, demo, demo_page):
    tab = visitor.open(demo_page)
    tab.check("input[name=map][value=mds]")
    tab.click("#neighbors-body tr:nth-child(3) button.pick-b")
    visitor.wait()
    before = selected(visitor), shown_distance(visitor)
    tab.reload()
    visitor.wait()
    assert (selected(visitor), shown_distance(visitor)) == before
    assert tab.is_checked("input[name=map][value=mds]")
    assert math.isclose(before[1], np.sort(np.delete(demo[2][before[0][0]], before[0][0]))[2], rel_tol=1e-5)


def test_the_distance_stays_if_the_same_graphs_are_selected_again(visitor, demo_page):
    tab = visitor.open(demo_page, "#a=3&b=9")
    expected = visitor.text("#distance")
    assert float(expected) > 0
    tab.check("input[name=map][value=mds]")
    assert visitor.text("#distance") == expected
    tab.fill("#find", "graph 3")
    tab.click("#found-body tr:first-child button.pick-a")
    assert visitor.text("#distance") == expected
    tab.evaluate("location.hash = '#a=3&b=9&map=none'")
    tab.wait_for_timeout(100)
    assert visitor.text("#distance") == visitor.text("#pair-distance") == expected


@pytest.mark.parametrize("fragment", ["#a=60", "#a=-1&b=x", "#a=1e9", "#%", "#a=5&map=none"])
def test_addresses_that_name_no_graph_are_ignored(visitor, demo_page, fragment):
    tab = visitor.open(demo_page, fragment)
    assert visitor.text("#selected-a").startswith("graph 5" if "a=5" in fragment else "graph 0")
    assert tab.is_checked("input[name=map][value=tsne]")


def test_tables_are_made_of_buttons_and_a_region_says_what_is_selected(visitor, demo_page):
    tab = visitor.open(demo_page, "#a=0&b=1")
    button = tab.locator("#neighbors-body button.pick-b").nth(4)
    name = button.get_attribute("aria-label")
    button.focus()
    tab.keyboard.press("Enter")
    visitor.wait()
    assert button.get_attribute("aria-pressed") == "true"
    assert tab.get_attribute("#live", "aria-live") == "polite"
    assert f"B is {name.removeprefix('select ').removesuffix(' as B')} (class" in visitor.text("#live")
    assert visitor.text("#live").endswith(f"distance {visitor.text('#distance')}")


@pytest.mark.parametrize("which", ["a", "b"])
def test_a_button_of_a_table_keeps_the_focus(visitor, demo_page, which):
    tab = visitor.open(demo_page, "#a=0&b=1")
    button = f"#neighbors-body tr:nth-child(3) button.pick-{which}"
    chosen = int(tab.get_attribute(button, "data-graph"))
    tab.focus(button)
    tab.keyboard.press("Enter")
    visitor.wait()
    assert selected(visitor) == ((chosen, 1) if which == "a" else (0, chosen))
    assert tab.evaluate(f"document.activeElement === document.querySelector('{button}')")


def test_graphs_are_found_by_name(visitor, demo_page):
    tab = visitor.open(demo_page)
    tab.fill("#find", "GRAPH 5")
    assert tab.locator("#found-body th").all_inner_texts() == ["graph 5", *(f"graph {i}" for i in range(50, 57))]
    tab.keyboard.press("Enter")
    visitor.wait()
    assert selected(visitor)[0] == 5
    tab.fill("#find", "nothing like this")
    assert visitor.text("#found-note") == "No name contains this text."
    tab.click("h1")
    assert not tab.is_visible("#found")
    tab.focus("#find")
    assert tab.is_visible("#found")
    tab.keyboard.press("Escape")
    assert not tab.is_visible("#found")


def test_enter_finds_nothing_in_an_empty_field(visitor, demo_page):
    tab = visitor.open(demo_page, "#a=4&b=1")
    tab.focus("#find")
    tab.keyboard.press("Enter")
    assert selected(visitor) == (4, 1)


def test_the_heat_map_selects_a_row_and_a_column(visitor, demo, demo_page):
    distances = demo[2]
    tab = visitor.open(demo_page)
    box = tab.locator("#heat-canvas").bounding_box()
    tab.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + 0.8 * box["height"])
    visitor.wait()
    a, b = selected(visitor)
    assert math.isclose(shown_distance(visitor), distances[a, b], rel_tol=1e-5)
    tab.keyboard.press("ArrowRight")
    visitor.wait()
    assert selected(visitor)[0] == a
    assert selected(visitor)[1] != b


def test_swapping_and_choosing_what_a_click_selects(visitor, demo_page):
    tab = visitor.open(demo_page, "#a=3&b=9&map=mds")
    tab.click("#swap")
    assert selected(visitor) == (9, 3)
    tab.check("input[name=next][value=b]")
    x, y = place_on_map(tab, 20)
    box = tab.locator("#map-canvas").bounding_box()
    tab.mouse.click(box["x"] + x, box["y"] + y)
    assert selected(visitor) == (9, nearest_on_map(tab, [x, y]))


@pytest.mark.parametrize("panel", ["map", "heat", "pair"])
def test_pictures_are_saved(visitor, demo_page, panel):
    tab = visitor.open(demo_page)
    with tab.expect_download() as saved:
        tab.click(f"#{panel}-svg")
    root = ElementTree.parse(saved.value.path()).getroot()
    assert root.tag.endswith("svg")
    assert len(list(root.iter())) > 60
    with tab.expect_download() as saved:
        tab.click(f"#{panel}-png")
    assert saved.value.suggested_filename.endswith(".png")
    width, height, pixels = read_png(Path(saved.value.path()).read_bytes())
    assert width >= 900
    assert height >= 600
    assert pixels[0] == (255, 255, 255)
    assert len(set(pixels)) > 20


def svg_texts(root: ElementTree.Element) -> list[str]:
    return ["".join(each.itertext()) for each in root.iter() if each.tag.endswith("}text")]


def saved_map(tab: Any) -> ElementTree.Element:
    with tab.expect_download() as saved:
        tab.click("#map-svg")
    return ElementTree.parse(saved.value.path()).getroot()


def test_a_saved_map_has_its_legend_and_its_quality(visitor, demo_page):
    tab = visitor.open(demo_page)
    root = saved_map(tab)
    texts = svg_texts(root)
    assert texts[texts.index("class") :][:4] == ["class", "0 (20)", "1 (20)", "2 (20)"]
    assert " ".join(texts).endswith(visitor.text("#map-quality"))
    marks = [each.get("fill") for each in root if each.tag.endswith("}path")]
    assert len(marks) == len(set(marks)) == 3


def test_a_saved_map_of_numbers_has_their_scale(visitor, tmp_path):
    path = tmp_path / "page.html"
    wg.explore(
        ["CCO", "CCN", "CCC", "C", "CC", "CO"],
        {"x": [0.5, None, -2.5, 1, 2, 3]},
        metric=wg.WWL(depth=0),
    ).save(path)
    root = saved_map(visitor.open(path))
    texts = svg_texts(root)
    assert texts[texts.index("x") :][:4] == ["x", "−2.5", "3", "unknown (1)"]
    colors = [each.get("fill") for each in root if each.tag.endswith("}rect")]
    assert colors[1] == "rgb(68,1,84)"
    assert colors[-1] == "rgb(253,231,37)"


@pytest.mark.parametrize("width", [390, 1300])
def test_the_legend_of_a_saved_map_is_inside_of_it(browser, demo, tmp_path, width):
    graphs, y, _ = demo
    path = tmp_path / "page.html"
    classes = [f"{LONG} {each}" if each else f"class {i % 8}" for i, each in enumerate(y)]
    wg.explore(graphs, {LONG: classes}, metric=wg.WWL(depth=0)).save(path)
    context = browser.new_context(offline=True, viewport={"width": width, "height": 900})
    visitor = Visitor(context)
    tab = visitor.open(path)
    root = saved_map(tab)
    _, _, wide, high = map(float, root.get("viewBox").split())
    file = tmp_path / "map.svg"
    file.write_bytes(ElementTree.tostring(root))
    tab.goto(file.as_uri())
    boxes = tab.evaluate(
        "[...document.querySelectorAll('svg > text, svg > path')].map((each) => each.getBoundingClientRect())"
        ".map(({ left, right, top, bottom }) => [left, right, top, bottom])"
    )
    context.close()
    left, right, top, bottom = np.array(boxes).T
    assert len(boxes) > 10
    assert left.min() >= 0
    assert right.max() <= wide + 1
    assert top.min() >= 0
    assert bottom.max() <= high
    assert visitor.errors == []


def read_png(data: bytes) -> tuple[int, int, list[tuple[int, int, int]]]:
    """Return width, height, and the colors of a PNG file's rows without prediction from other rows, and its corner."""
    from io import BytesIO

    from matplotlib.image import imread

    assert data.startswith(b"\x89PNG")
    image = np.rint(255 * imread(BytesIO(data), format="png")[::7, ::7, :3]).astype(int)
    width, height = struct.unpack(">II", data[16:24])
    return width, height, [tuple(pixel) for pixel in image.reshape(-1, 3).tolist()]


def test_panning_and_zooming_change_the_picture(visitor, demo_page):
    tab = visitor.open(demo_page)
    pictures = [canvas_text(tab)]
    box = tab.locator("#map-canvas").bounding_box()
    tab.mouse.move(box["x"] + 300, box["y"] + 200)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 380, box["y"] + 260, steps=4)
    tab.mouse.up()
    pictures.append(canvas_text(tab))
    tab.click("#map-in")
    pictures.append(canvas_text(tab))
    assert len(set(pictures)) == 3
    tab.click("#map-reset")
    assert canvas_text(tab) == pictures[0]


def test_a_stays_in_sight_with_the_keyboard(visitor, demo_page):
    tab = visitor.open(demo_page, "#a=12&b=12&map=mds")
    tab.focus("#map-canvas")
    for key in ["+"] * 12 + ["ArrowLeft", "ArrowUp", "ArrowRight"]:
        tab.keyboard.press(key)
        assert canvas_colors(tab) > 2, f"nothing is in sight after {key}"


def canvas_colors(tab: Any) -> int:
    """Return the number of different colors of the map, after the next frame."""
    return tab.evaluate(
        """() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
            const canvas = document.getElementById("map-canvas");
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            resolve(new Set(new Uint32Array(data.buffer)).size);
        })))"""
    )


def canvas_text(tab: Any) -> int:
    """Return a number that stands for what the map shows, after the next frame."""
    text = tab.evaluate(
        "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => "
        "resolve(document.getElementById('map-canvas').toDataURL()))))"
    )
    return zlib.crc32(text.encode())


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1300])
def test_axe_finds_nothing_serious(browser, demo, tmp_path, scheme, width):
    from axe_playwright_python.sync_playwright import Axe

    graphs, y, _ = demo
    path = tmp_path / "demo.html"
    model = wg.GraphClassifier(wg.WWL(depth=1), gamma=1.0, C=1.0).fit(graphs, y)
    wg.explore(graphs, y, predicted_by=model).save(path)
    context = browser.new_context(offline=True, color_scheme=scheme, viewport={"width": width, "height": 900})
    visitor = Visitor(context)
    tab = visitor.open(path)
    tab.fill("#find", "1")
    tab.click("summary")
    found = Axe().run(tab).response["violations"]
    context.close()
    assert [(each["id"], each["impact"], each["nodes"][0]["html"]) for each in found] == []


def plans_in_page(visitor: Visitor, path: Path, pairs: list[list[int]]) -> list[dict[str, Any]]:
    """Compute plans with the scripts of a page."""
    visitor.open(path)
    return list(
        visitor.tab.evaluate(
            """async (pairs) => {
            const content = await unpack(document.getElementById("data").textContent);
            const read = graphReader(content);
            return pairs.map(([a, b]) => {
                const pair = [read(a), read(b)];
                const { distance, cost, moves, nodeCosts, unmatched } = computePlan(pair, content.embedding);
                const lists = (arrays) => arrays.map((array) => [...array]);
                return { distance, cost, moves, nodeCosts: lists(nodeCosts), unmatched: lists(unmatched) };
            });
        }""",
            pairs,
        )
    )


VARIANTS: dict[str, dict[str, Any]] = {
    "labels": {"kind": "categorical"},
    "one-hot labels": {"kind": "continuous"},
    "counts": {"mass": "count"},
    "both": {"kind": "joint", "standardize": True},
    "both, counts": {"kind": "joint", "mass": "count", "label_weight": 0.3, "unmatched_cost": 0.4},
    "size": {"size_weight": 0.7, "isolated_nodes": "keep"},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_plans_of_the_page_equal_those_of_the_library(visitor, demo, tmp_path, variant):
    graphs, options = demo[0], dict(VARIANTS[variant])
    if variant == "one-hot labels":
        graphs = wg.GraphBatch(graphs.node_ptr, graphs.indptr, graphs.indices, node_labels=graphs.node_labels)
    path = tmp_path / "page.html"
    wg.explore(graphs, **with_metric(depth=2, **options)).save(path)
    pairs = np.random.default_rng(0).integers(len(graphs), size=(40, 2)).tolist()
    expected = wg.pair_distances(graphs, None, pairs, **with_metric(depth=2, **options))
    del_size = {key: value for key, value in options.items() if key != "size_weight"}
    for (i, j), distance, found in zip(pairs, expected, plans_in_page(visitor, path, pairs), strict=True):
        assert math.isclose(found["distance"], distance, rel_tol=1e-12, abs_tol=1e-14)
        check_plan(found, wg.transport_plan(graphs, i, j, **with_metric(depth=2, **del_size)))


def test_plans_of_a_model_that_uses_degrees(visitor, tmp_path):
    random = np.random.RandomState(0)
    edges = [[(v, (v + 1) % 6) for v in range(6)], [(0, v) for v in range(1, 6)]] * 10
    attributes = [random.normal(size=(6, 2)) for _ in edges]
    graphs = wg.from_edges(edges, n_nodes=[6] * 20, node_attributes=attributes, symmetrize=True)
    search = wg.GraphClassifier(wg.WWL(depth=[0, 1], kind="continuous"), search="wide", cv=2)
    model = search.fit(graphs, [0, 1] * 10)
    assert model.best_params_["degrees"]
    path = tmp_path / "page.html"
    wg.explore(graphs, [0, 1] * 10, predicted_by=model).save(path)
    pairs = [[0, 1], [2, 4], [7, 3]]
    options: dict[str, Any] = {"depth": model.best_params_["depth"], "standardize": True}
    for (i, j), found in zip(pairs, plans_in_page(visitor, path, pairs), strict=True):
        check_plan(found, wg.transport_plan(graphs.append_degrees(), i, j, **with_metric(**options)))


def check_plan(found: dict[str, Any], plan: wg.TransportPlan) -> None:
    """Check that a plan of a page moves all mass at the least cost."""
    assert math.isclose(found["cost"], plan.cost, rel_tol=1e-12, abs_tol=1e-14)
    matrix = np.zeros(plan.matrix.shape)
    for i, j, mass, ground in found["moves"]:
        assert mass > 0
        assert math.isclose(ground, plan.ground[i, j], rel_tol=1e-12, abs_tol=1e-14)
        matrix[i, j] += mass
    for axis, (costs, alone) in enumerate(zip(found["nodeCosts"], found["unmatched"], strict=True)):
        masses = plan.matrix.sum(axis=1 - axis) + (plan.source_unmatched, plan.target_unmatched)[axis]
        np.testing.assert_allclose(matrix.sum(axis=1 - axis) + alone, masses, rtol=1e-12)
        assert math.isclose(sum(costs), plan.cost, rel_tol=1e-12, abs_tol=1e-14)


def test_plans_with_weights_of_nodes_and_edges(visitor, tmp_path):
    rng = np.random.default_rng(1)
    edges = [[(u, v) for u in range(n) for v in range(u, n) if rng.random() < 0.4] for n in (1, 4, 7, 9)]
    graphs = wg.from_edges(
        edges,
        n_nodes=[1, 4, 7, 9],
        symmetrize=True,
        node_attributes=[rng.normal(size=(n, 2)) * 1e150 for n in (1, 4, 7, 9)],
        edge_weights=[rng.random(len(each)) for each in edges],
    )
    weights = rng.uniform(0.1, 2, graphs.n_nodes)
    path = tmp_path / "page.html"
    wg.explore(graphs, weights=weights).save(path)
    pairs = [[i, j] for i in range(4) for j in range(4)]
    for (i, j), found in zip(pairs, plans_in_page(visitor, path, pairs), strict=True):
        check_plan(found, wg.transport_plan(graphs, i, j, weights=weights))


def test_plans_of_molecules_use_bonds(visitor, tmp_path):
    smiles = ["CCO", "c1ccccc1O", "CC(=O)Oc1ccccc1C(=O)O", "C#N", "[Na+].[Cl-]", "CC(C)Cc1ccc(cc1)C(C)C(=O)O"]
    path = tmp_path / "page.html"
    wg.explore(smiles).save(path)
    pairs = [[i, j] for i in range(6) for j in range(6)]
    graphs = wg.from_smiles(smiles)
    for (i, j), found in zip(pairs, plans_in_page(visitor, path, pairs), strict=True):
        check_plan(found, wg.transport_plan(graphs, i, j))
    visitor.open(path, "#a=0&b=4")
    symbols = visitor.tab.locator("#pair-drawing .symbol").all_text_contents()
    assert symbols in (["OH", "Na⁺", "Cl⁻"], ["HO", "Na⁺", "Cl⁻"])


def test_molecules_are_formulas_in_tables_and_at_the_pointer(visitor, tmp_path):
    smiles = ["CCO", "[NH3+]CC(=O)[O-]", "Cl[C@H](F)Br", "c1ccccc1"]
    path = tmp_path / "page.html"
    wg.explore(smiles, ["a", "b", "a", "b"], names=list("0123")).save(path)
    tab = visitor.open(path, "#a=0&b=1&map=mds")
    rows = tab.locator("#neighbors-body tr").all()
    symbols = {row.locator("th").inner_text(): row.locator(".symbol").all_text_contents() for row in rows}
    assert symbols["1"][1:] == ["O", "O⁻"]
    assert symbols["1"][0] in ("NH₃⁺", "H₃N⁺")
    assert symbols["3"] == []
    assert len(symbols["2"]) == 3
    assert tab.locator("#neighbors-body .wedge, #neighbors-body .bond").count() >= 3
    fills = tab.locator("#neighbors-body .symbol").evaluate_all("all => all.map((each) => each.style.fill)")
    assert len(set(fills)) >= 4  # N, O, F and Cl, Br
    assert tab.locator("#neighbors-panel th.structure").is_visible()
    box, (x, y) = tab.locator("#map-canvas").bounding_box(), place_on_map(tab, 1)
    tab.mouse.move(box["x"] + x, box["y"] + y)
    assert tab.locator("#map-tip .formula-drawing").is_visible()
    tip, map_box = tab.locator("#map-tip").bounding_box(), tab.locator("#map").bounding_box()
    assert tip["y"] + tip["height"] <= map_box["y"] + map_box["height"] + 1


def test_other_graphs_have_no_formulas(visitor, demo_page):
    tab = visitor.open(demo_page)
    assert tab.locator(".formula-drawing").count() == 0
    assert not tab.locator("#neighbors-panel th.structure").is_visible()


def test_a_mirrored_formula_has_the_other_wedges(visitor, demo_page):
    tab = visitor.open(demo_page)
    wedges = tab.evaluate(
        """() => {
          const graph = { n: 2, one: [0], two: [1], bonds: [31], atoms: [["", 0, 0], ["O", 1, 0]] };
          const places = [[0, 0], [30, 0]];
          return [false, true].map((mirrored) =>
            formulaShape(graph, places, { colored: true, mirrored }).querySelectorAll(".wedge").length);
        }"""
    )
    assert wedges == [1, 0]


@pytest.mark.parametrize(("n_classes", "last"), [(20, None), (24, "4 other classes")])
def test_twenty_classes_have_a_color_each(visitor, tmp_path, n_classes, last):
    graphs = wg.from_edges([[(0, 1)]] * n_classes * 2, symmetrize=True)
    path = tmp_path / "page.html"
    wg.explore(graphs, [f"class {k:02}" for k in range(n_classes)] * 2, metric=wg.WWL(depth=0)).save(path)
    tab = visitor.open(path)
    marks = tab.locator("#legend button path")
    fills = marks.evaluate_all("all => all.map((each) => each.getAttribute('fill'))")
    assert len(set(fills)) == len(fills) == 20 + (last is not None)
    if last is not None:
        assert visitor.tab.locator("#legend button").last.inner_text().startswith(last)


def ring(n: int, labels: list[int]) -> tuple[list[tuple[int, int]], list[int]]:
    return [(v, (v + 1) % n) for v in range(n)], [labels[v % len(labels)] for v in range(n)]


def test_large_graphs_are_solved_in_a_worker(visitor, tmp_path):
    rings = [ring(500, [0, 1, 2]), ring(420, [0, 1, 1, 2]), ring(20, [1])]
    graphs = wg.from_edges([edges for edges, _ in rings], symmetrize=True, node_labels=[labels for _, labels in rings])
    path = tmp_path / "page.html"
    wg.explore(graphs).save(path)
    visitor.tab.goto(f"{path.resolve().as_uri()}#a=0&b=1")
    visitor.tab.wait_for_selector("body[data-ready]")
    visitor.wait()
    assert math.isclose(shown_distance(visitor), wg.distances(graphs)[0, 1], rel_tol=1e-5)
    assert any(url.startswith("blob:") for url in [worker.url for worker in visitor.tab.workers] + visitor.requests)
    # A choice during the computation ends it.
    visitor.tab.evaluate("location.hash = '#a=1&b=0'")
    visitor.select(2, 0)
    assert math.isclose(shown_distance(visitor), wg.distances(graphs)[0, 2], rel_tol=1e-5)


def test_a_plan_that_is_being_computed_is_not_taken_for_another(visitor, tmp_path):
    """Workers never answer here: the plan of large graphs stays unfinished, that of small ones is computed at once."""
    rings = [ring(320, [0, 1, 2]), ring(310, [0, 1]), ring(6, [1]), ring(7, [1, 2])]
    graphs = wg.from_edges([edges for edges, _ in rings], symmetrize=True, node_labels=[labels for _, labels in rings])
    path = tmp_path / "page.html"
    wg.explore(graphs, metric=wg.WWL(depth=0)).save(path)
    tab = visitor.tab
    tab.add_init_script("window.Worker = class { postMessage() {} terminate() {} }")
    tab.goto(f"{path.resolve().as_uri()}#a=0&b=1")
    tab.wait_for_selector("body[data-ready]")

    def state() -> tuple[str, str, list[bool], float]:
        disabled = [tab.is_disabled(f"#pair-{ending}") for ending in ("svg", "png")]
        opacity = float(tab.evaluate("getComputedStyle(document.querySelector('#pair-panel .split')).opacity"))
        return visitor.text("#distance"), visitor.text("#pair-distance"), disabled, opacity

    pending = ("…", "…", [True, True], pytest.approx(0.35))
    assert state() == pending
    visitor.select(2, 3)
    distance = visitor.text("#distance")
    assert float(distance) > 0
    assert state() == (distance, distance, [False, False], 1)
    tab.evaluate("location.hash = '#a=1&b=0'")
    tab.wait_for_selector("#pair-panel[aria-busy=true]")
    assert state() == pending
    # Neither another width nor the pointer brings the distance of the earlier pair back.
    tab.set_viewport_size({"width": 700, "height": 900})
    tab.hover("#pair-drawing circle >> nth=0")
    tab.check("input[name=map][value=mds]")
    tab.wait_for_timeout(100)
    assert state() == pending


def test_a_plan_that_fails_says_so(visitor, tmp_path):
    rings = [ring(320, [0, 1, 2]), ring(310, [0, 1]), ring(6, [1])]
    graphs = wg.from_edges([edges for edges, _ in rings], symmetrize=True, node_labels=[labels for _, labels in rings])
    path = tmp_path / "page.html"
    wg.explore(graphs, metric=wg.WWL(depth=0)).save(path)
    visitor.tab.add_init_script(
        "window.Worker = class { postMessage() { this.onerror({ message: 'no memory' }); } terminate() {} }"
    )
    tab = visitor.open(path, "#a=0&b=1")
    assert visitor.text("#pair-status") == "The plan could not be computed: no memory"
    assert visitor.text("#distance") == visitor.text("#pair-distance") == "–"
    assert tab.is_disabled("#pair-svg")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_very_small_collections(visitor, tmp_path, n):
    graphs = wg.from_edges([[(0, 1)], [], [(0, 1), (1, 2)]][:n], n_nodes=[2, 1, 3][:n], symmetrize=True)
    path = tmp_path / "page.html"
    wg.explore(graphs).save(path)
    tab = visitor.open(path)
    assert tab.locator("#neighbors-body tr").count() == n - 1
    for key in ("ArrowRight", "ArrowUp", "+", "-", "0"):
        tab.focus("#map-canvas")
        tab.keyboard.press(key)


def extent(visitor: Visitor, side: int) -> list[float]:
    """Return the width and height of a graph of the pair in pixels."""
    nodes = visitor.tab.locator("#pair-drawing g.nodes").nth(side).locator("circle")
    places = np.array(nodes.evaluate_all("all => all.map((each) => [each.cx.baseVal.value, each.cy.baseVal.value])"))
    return np.ptp(places, axis=0).tolist()


def test_graphs_without_edges_have_the_scale_of_others(visitor, tmp_path):
    path = tmp_path / "page.html"
    wg.explore(["[Na+].[Cl-]", "CC(=O)Oc1ccccc1C(=O)O"]).save(path)
    visitor.open(path, "#a=0&b=1")
    assert 20 < extent(visitor, 0)[0] < 60  # one edge, not the whole width
    assert min(extent(visitor, 1)) > 60


def test_loops_are_not_hidden_behind_their_nodes(visitor, tmp_path):
    path = tmp_path / "page.html"
    wg.explore(wg.from_edges([[(0, 0)]], n_nodes=[1], symmetrize=True)).save(path)
    tab = visitor.open(path)
    node = tab.locator("#pair-drawing circle").first.bounding_box()
    loop = tab.locator("#pair-drawing path.edge").first.bounding_box()
    assert loop["y"] < node["y"] - 8


LONG = "Supercalifragilisticexpialidocious" * 12


@pytest.mark.parametrize("width", [390, 1300])
def test_long_names_do_not_widen_the_page(visitor, demo, tmp_path, width):
    graphs, y, _ = demo
    path = tmp_path / "page.html"
    names = [f"{LONG} {i}" for i in range(60)]
    wg.explore(
        graphs,
        {LONG: [f"{LONG} {each}" for each in y]},
        metric=wg.WWL(depth=0),
        names=names,
        title=LONG,
    ).save(path)
    visitor.tab.set_viewport_size({"width": width, "height": 900})
    tab = visitor.open(path)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.get_attribute("#selected-a", "title") == visitor.text("#selected-a")
    for title in tab.locator("#pair-drawing > svg > text").all():
        box = title.bounding_box()
        assert box["width"] < tab.locator("#pair").bounding_box()["width"] / 2


@pytest.mark.parametrize("width", [390, 1000, 1200, 1400, 1920])
def test_tables_show_all_columns(visitor, tmp_path, width):
    smiles = [f"{'C' * n}c1ccccc1{end}" for n in range(1, 11) for end in "ON"]
    classes = ["active against the enzyme", "inactive"] * 10
    model = wg.GraphClassifier(wg.WWL(depth=1, kind="categorical", mass="share"), gamma=1.0, C=1.0).fit(
        smiles, classes[::-1]
    )
    wg.explore(smiles, classes, names=[f"{name} {LONG}" for name in smiles], predicted_by=model).save(
        tmp_path / "page.html"
    )
    visitor.tab.set_viewport_size({"width": width, "height": 900})
    tab = visitor.open(tmp_path / "page.html")
    tables = tab.locator(".scroll:visible")
    sizes = tables.evaluate_all("all => all.map((each) => [each.scrollWidth, each.clientWidth])")
    assert len(sizes) == 3
    assert [shown for _, shown in sizes] == [needed for needed, _ in sizes]


@pytest.mark.parametrize("panel", ["map", "heat", "pair"])
def test_pictures_of_graphs_with_odd_names_are_saved(visitor, tmp_path, panel):
    names = ["control \x00\x01\x0b \ufffe", "<&>\"' ]]>", *[f"../{LONG}"] * 4]
    path = tmp_path / "page.html"
    wg.explore(["CCO", "CCN", "CCC", "C", "CC", "CO"], metric=wg.WWL(depth=0), names=names, title=f"分子 {LONG}").save(
        path
    )
    tab = visitor.open(path, "#a=0&b=1")
    with tab.expect_download() as saved:
        tab.click(f"#{panel}-svg")
    ElementTree.parse(saved.value.path())
    assert saved.value.suggested_filename.startswith("分子_Super")
    assert len(saved.value.suggested_filename.encode()) < 255
    with tab.expect_download() as saved:
        tab.click(f"#{panel}-png")
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")


def test_a_plan_has_the_width_of_its_panel(visitor, demo_page):
    tab = visitor.open(demo_page)
    for width in (700, 1300, 500, 1300):
        tab.set_viewport_size({"width": width, "height": 900})
    # The page allows no eval, which the tab would need to wait for an expression by itself.
    drawn = "document.querySelector('#pair svg').viewBox.baseVal.width === document.querySelector('#pair').clientWidth"
    for _ in range(200):
        if tab.evaluate(drawn):
            return
        tab.wait_for_timeout(50)
    raise AssertionError("the plan does not get the width of its panel")


def test_misclassified_graphs_are_listed(visitor, demo, tmp_path):
    graphs, y, _ = demo
    model = wg.GraphClassifier(wg.WWL(depth=0), gamma=0.1, C=1.0).fit(graphs, y)
    path = tmp_path / "page.html"
    wg.explore(graphs, y, predicted_by=model).save(path)
    visitor.open(path)
    wrong = set(np.flatnonzero(model.predict(graphs) != y).tolist())
    assert wrong, "the test needs a model that makes errors"
    listed = {int(name) for name in visitor.tab.locator("#errors-body th").all_inner_texts()}
    assert listed == wrong
    assert visitor.text("#errors-note").startswith(f"{len(wrong)} of 60 are misclassified.")


def test_classes_that_the_model_does_not_know_have_no_score(visitor, demo, tmp_path):
    graphs, y, _ = demo
    names = [f"c{each}" for each in y]
    model = wg.GraphClassifier(wg.WWL(depth=1), gamma=1.0, C=10.0).fit(graphs, names)
    decisions, predicted = model.decision_function(graphs), model.predict(graphs)
    for graph in (5, 10, 59):
        names[graph] = "zzz"
    path = tmp_path / "page.html"
    wg.explore(graphs, names, predicted_by=model).save(path)
    tab = visitor.open(path)
    rows = [row.locator("th, td").all_inner_texts()[1:] for row in tab.locator("#errors-body tr").all()]
    unknown = {int(name): cells for name, *cells in rows if cells[0] == "zzz"}
    assert set(unknown) == {5, 10, 59}
    for graph, (_, shown, own, score) in unknown.items():
        assert (shown, own) == (predicted[graph], "–")
        assert float(score.replace("−", "-")) == pytest.approx(decisions[graph].max(), rel=1e-3)
    margins = {g: decisions[g].max() - decisions[g].min() for g in unknown}
    assert list(unknown) == sorted(unknown, key=lambda g: -margins[g])


def test_predictions_of_unknown_classes_are_shown(visitor, demo, tmp_path):
    graphs, y, _ = demo
    model = wg.GraphClassifier(wg.WWL(depth=0), gamma=0.1, C=1.0).fit(graphs, y)
    predicted = [str(each) for each in model.predict(graphs[:12])]
    path = tmp_path / "page.html"
    wg.explore(graphs[:12], predicted_by=model).save(path)
    tab = visitor.open(path, "#a=3&b=5")
    assert visitor.text("#selected-a") == f"3 (unknown, predicted {predicted[3]})"
    assert visitor.text("#errors-title") == "Predictions"
    assert tab.locator("#errors-body th").all_inner_texts() == [str(graph) for graph in range(12)]
    assert tab.locator("#errors-body td:nth-child(3)").all_inner_texts() == predicted
    assert visitor.text("#legend").startswith("predicted class")
    names = tab.locator("#neighbors-body th").all_inner_texts()
    shown = tab.locator("#neighbors-body td:nth-child(4)").all_inner_texts()
    assert shown == [predicted[int(name)] for name in names]
    assert ".." not in visitor.text("#errors-note")


def test_errors_of_graphs_of_which_some_are_known(visitor, demo, tmp_path):
    graphs = demo[0]
    model = wg.GraphRegressor(wg.WWL(depth=0), gamma=0.1).fit(graphs, graphs.sizes + 0.5)
    path = tmp_path / "page.html"
    wg.explore(graphs, [*(graphs.sizes[:7] + 123456.5), *[None] * 53], predicted_by=model).save(path)
    tab = visitor.open(path)
    assert tab.locator("#errors-body tr").count() == 7
    assert visitor.text("#errors-note").endswith("53 others are unknown, or not predicted.")
    assert visitor.text("#legend").endswith("unknown\n(53)")
    assert visitor.text("#errors-body tr:first-child td:nth-child(3)") != "123500"  # six digits, not four


def test_one_other_graph_is_spoken_of_as_one(visitor, demo, tmp_path):
    graphs, y, _ = demo
    model = wg.GraphClassifier(wg.WWL(depth=0), gamma=0.1, C=1.0).fit(graphs, y)
    predicted = model.predict(graphs).tolist()
    path = tmp_path / "page.html"
    wg.explore(graphs, [(predicted[0] + 1) % 3, None, *predicted[2:]], predicted_by=model).save(path)
    visitor.open(path)
    assert visitor.text("#errors-note").startswith("1 of 59 is misclassified.")
    assert visitor.text("#errors-note").endswith("1 other is unknown, or not predicted.")


def test_very_large_numbers_and_distances(visitor, tmp_path):
    attributes = [[[x]] for x in (0.0, 1e307, 2e307, 3e307, 4e307)]
    graphs = wg.from_edges([[]] * 5, n_nodes=[1] * 5, node_attributes=attributes)
    path = tmp_path / "page.html"
    wg.explore(graphs, [-1.5e308, 1.5e308, 0.5, 7e307, -7e307], metric=wg.WWL(depth=0)).save(path)
    tab = visitor.open(path)
    styles = tab.evaluate(
        "(async () => { const content = await unpack(document.getElementById('data').textContent);"
        "return [...graphStyles(content.target, content.n_graphs).of]; })()"
    )
    assert [styles[g] for g in (0, 2, 1)] == [0, 32, 63]
    assert 0 < styles[4] < styles[2] < styles[3] < 63
    assert "–" not in visitor.text("#heat-scale")
    assert visitor.text("#heat-scale").endswith("4e+307")


def test_numbers_are_shown_with_their_errors(visitor, tmp_path):
    graphs, _ = wg.load_dataset("demo")
    y = graphs.sizes + 0.25
    evaluation = evaluate(graphs, y, method="wwl", folds=3, depth=0, gamma=0.1)
    path = tmp_path / "page.html"
    wg.explore(graphs, {"size": y}, predicted_by=evaluation).save(path)
    visitor.open(path)
    errors = [
        abs(float(text.replace("−", "-")))
        for text in visitor.tab.locator("#errors-body td:last-child").all_inner_texts()
    ]
    assert len(errors) == 60
    assert errors == sorted(errors, reverse=True)
    assert visitor.text("#legend").split()[0] == "size"
    assert visitor.text("#errors-title") == "Largest errors"


def many_graphs(n: int) -> dict[str, Any]:
    """Return the content of a page of many graphs, with random places and neighbors."""
    graphs, _ = wg.load_dataset("demo")
    batch = graphs[np.arange(n) % len(graphs)]
    options = {
        "kind": "auto",
        "standardize": False,
        "isolated_nodes": "halve",
        "label_weight": "auto",
        "edge_labels": "auto",
        "mass": "share",
        "unmatched_cost": "auto",
        "size_weight": 0.0,
    }
    collection = Collection.embed(batch, wg.WWL(1, **options), None)
    rng = np.random.default_rng(0)
    maps = [
        {
            "id": name,
            "title": name,
            "places": rng.integers(65536, size=(2, n)).astype(np.uint16),
            "neighbors_kept": 0.5,
            "rank_correlation": 0.5,
        }
        for name in ("tsne", "mds")
    ]
    positions = (np.arange(n)[:, None] + 1 + np.arange(10)) % n
    bounds = np.linspace(0, n, 501).astype(np.int64)
    return {
        "version": 1, "title": "many", "noun": "graph", "n_graphs": n, "names": [str(i) for i in range(n)], "facts": [],
        "target": {"kind": "classes", "name": "class", "values": ["a", "b", "c"], "codes": smallest(np.arange(n) % 3)},
        "maps": maps, "order": smallest(np.arange(n)), "largest": 1.0, "matrix": None,
        "averages": {"bounds": smallest(bounds), "means": rng.integers(256, size=(500, 500)).astype(np.uint8)},
        "neighbors": {"positions": smallest(positions), "distances": rng.random((n, 10))},
        "predictions": None,
        "embedding": embedding_content(collection.scheme, collection.embedding, batch),
        "graphs": graph_content(batch, collection.embedding),
    }  # fmt: skip


def test_ten_thousand_graphs(visitor, tmp_path):
    path = tmp_path / "many.html"
    path.write_text(assemble("many", many_graphs(10_000)), encoding="utf-8")
    tab = visitor.open(path, "#a=9999&b=5000")
    before = canvas_text(tab)
    box = tab.locator("#map-canvas").bounding_box()
    tab.mouse.move(box["x"] + 300, box["y"] + 200)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 330, box["y"] + 210, steps=5)
    tab.mouse.up()
    assert canvas_text(tab) != before
    assert "mean of about 20 × 20 distances" in visitor.text("#heat-note")
    tab.focus("#heat-canvas")
    tab.keyboard.press("ArrowUp")
    assert selected(visitor) == (9969, 5000)


def test_a_notebook_shows_the_page_in_a_frame(visitor, demo, tmp_path):
    graphs, y, _ = demo
    html = wg.explore(graphs, y, metric=wg.WWL(depth=1))._repr_html_()
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{html}", encoding="utf-8")
    visitor.tab.goto(path.resolve().as_uri())
    frame = visitor.tab.frame_locator("iframe")
    frame.locator("body[data-ready] #pair-panel[aria-busy=false]").wait_for()
    frame.locator("#neighbors-body tr:nth-child(2) button.pick-b").click()
    assert frame.locator("#neighbors-body tr:nth-child(2) button.pick-b").get_attribute("aria-pressed") == "true"


def test_printing_shows_tables_whole_and_no_buttons(visitor, demo_page):
    tab = visitor.open(demo_page)
    tab.emulate_media(media="print")
    assert not tab.is_visible("#map-svg")
    assert not tab.is_visible("#neighbors-body button")
    assert tab.is_visible("#neighbors-body tr:nth-child(10) th")


def test_a_page_without_decompression_says_so(browser, demo_page):
    context = browser.new_context(offline=True)
    visitor = Visitor(context)
    context.add_init_script("delete window.DecompressionStream")
    visitor.tab.goto(demo_page.resolve().as_uri())
    visitor.tab.wait_for_selector("#failure:not([hidden])")
    assert "needs a browser of 2023 or later" in visitor.text("#failure")
    context.close()


# What the tests above cannot see


def names_of(module: str) -> set[str]:
    """Return the names that a module declares at its top."""
    text = (PAGE / f"{module}.js").read_text(encoding="utf-8")
    declared = re.findall(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+|\[[^\]]*\])", text, re.MULTILINE)
    return {name for group in declared for name in re.findall(r"\w+", group)}


def test_modules_are_joined_in_order_and_their_names_differ():
    assert {path.stem for path in PAGE.glob("*.js")} == set(MODULES)
    all_names = [name for module in MODULES for name in names_of(module)]
    assert len(all_names) == len(set(all_names))
    for position, module in enumerate(MODULES):
        text = (PAGE / f"{module}.js").read_text(encoding="utf-8")
        for names, other in re.findall(r'^import \{([^}]*)\} from "\./(\w+)\.js";', text, re.MULTILINE):
            assert other in MODULES[:position]
            assert {name.strip() for name in names.split(",")} - {""} <= names_of(other)


def test_scripts_never_take_text_for_html():
    for path in PAGE.glob("*.js"):
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|fetch\(", path.read_text()
        )
    assert "import " not in script()
    assert "</script" not in script()


def test_the_code_is_small():
    page = (PAGE / "page.html").read_text(encoding="utf-8")
    assert len((script() + style() + page).encode()) < 100_000


def test_data_without_letters_of_html(demo):
    graphs, y, _ = demo
    html = wg.explore(graphs, y, metric=wg.WWL(depth=1), names=["</script>"] * 60).html
    data = re.search(r'id="data">([^<]*)</script>', html)
    assert data is not None
    assert base64.b64decode(data[1], validate=True)
    assert json.loads('"' + data[1] + '"') == data[1]
    assert pack_content({"a": 1}) == pack_content({"a": 1})


@pytest.mark.parametrize(("name", "limit"), [("MUTAG", 150_000), ("ENZYMES", 1_000_000)])
def test_pages_of_real_data_sets_are_small(data_home, tmp_path, name, limit):
    graphs, y = wg.load_dataset(name, data_home=data_home)
    path = tmp_path / "page.html"
    wg.explore(graphs, y, metric=wg.WWL(standardize="auto"), n_jobs=-1).save(path)
    assert path.stat().st_size < limit
