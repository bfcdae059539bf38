"""Measure explorer pages: their sizes, the time to make them, frames of the map, and plans computed in the page.

    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/explorer.py [--graphs 10000] [--draw]

needs a Chromium: the program chromium-headless-shell, or the one that WASSERGRAPH_CHROMIUM names. Molecules are looked
for in the folder `molecules` beside the archives. The map is panned with the mouse while the browser counts frames; and
the time to draw all points once is compared with that of drawing each with the functions of a canvas. `--draw` only
draws docs/explorer/mutag.png, the page of MUTAG with the predictions of a nested cross-validation.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from PIL import Image
from scipy.spatial import Delaunay

import wassergraph as wg
from reporting import circumstances, markdown, save, times
from wassergraph.explorer.assemble import script, style

PACKAGES = ("wassergraph", "playwright", "numpy", "scikit-learn", "rdkit")
DATASETS = ("demo", "MUTAG", "ENZYMES", "NCI1")
PICTURE = Path(__file__).parents[1] / "docs" / "explorer" / "mutag.png"
HOME = Path(os.environ.get("WASSERGRAPH_DATA", "../shared/datasets")).resolve()

#: Draw all points once, by the page and with the functions of a canvas; return the best times in milliseconds.
DRAW = """async (repeat) => {
  const content = await unpack(document.getElementById("data").textContent);
  const styles = graphStyles(content.target, content.n_graphs);
  const panel = new MapPanel(content, styles, new Selection(content), () => "");
  const { width, height } = panel.canvas;
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = canvas.getContext("2d", { willReadFrequently: false });
  const paths = styles.styles.map(({ shape }) => new Path2D(shape));
  const calls = () => {
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    context.lineWidth = 0.22;
    for (const g of panel.sequence) {
      context.setTransform(panel.radius, 0, 0, panel.radius, panel.screenX(g), panel.screenY(g));
      context.fillStyle = styles.styles[styles.of[g]].color;
      context.fill(paths[styles.of[g]]);
      context.stroke(paths[styles.of[g]]);
    }
    context.getImageData(0, 0, 1, 1); // waits until everything is drawn
  };
  const best = (work) => {
    let least = Infinity;
    for (let turn = 0; turn < repeat; turn++) {
      const begin = performance.now();
      work();
      least = Math.min(least, performance.now() - begin);
    }
    return least;
  };
  return [best(() => { panel.render(); panel.context.getImageData(0, 0, 1, 1); }), best(calls)];
}"""
#: Collect the times of frames until they are asked for.
COUNT = """() => {
  window.frames_ = [];
  const tick = (time) => { window.frames_.push(time); requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
}"""


@contextmanager
def browser_tab() -> Iterator[Any]:
    """Yield a tab of a browser without a network."""
    from playwright.sync_api import sync_playwright

    program = os.environ.get("WASSERGRAPH_CHROMIUM", "/usr/bin/chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        context = browser.new_context(offline=True, viewport={"width": 1400, "height": 900})
        yield context.new_page()
        browser.close()


def read_molecules(n: int) -> tuple[list[str], list[str]]:
    """Return the SMILES of molecules of MUV, and whether each was tested in the first assay."""
    with gzip.open(HOME.parent / "molecules" / "MUV.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(islice(csv.DictReader(file), n))
    return [row["smiles"] for row in rows], ["tested" if row["MUV-466"] else "not tested" for row in rows]


def make_pages(folder: Path, n: int) -> Iterator[list[str]]:
    """Make pages, and yield their names, numbers of graphs, sizes and times."""
    for name in DATASETS:
        graphs, y = wg.load_dataset(name)
        yield make_page(folder, name, graphs, y)
    smiles, tested = read_molecules(n)
    yield make_page(folder, "MUV", smiles, tested, kind="categorical")


def make_page(folder: Path, name: str, graphs: Any, y: Any, **options: Any) -> list[str]:
    """Make one page; return a row of the table."""
    begin = perf_counter()
    page = wg.explore(graphs, y, title=name, n_jobs=-1, **options)
    page.save(folder / f"{name}.html")
    seconds = perf_counter() - begin
    return [
        name,
        f"{page.n_graphs:,}",
        f"{(folder / f'{name}.html').stat().st_size / 1000:,.0f} kB",
        f"{seconds:.1f} s",
    ]


def open_page(tab: Any, path: Path, fragment: str = "") -> None:
    """Open a page and wait until it shows a plan."""
    tab.goto(f"{path.resolve().as_uri()}{fragment}")
    tab.wait_for_selector("body[data-ready] #pair-panel[aria-busy=false]", timeout=900_000)


def pan(tab: Any) -> tuple[float, float]:
    """Drag the map; return frames per second and the longest time between two frames in milliseconds."""
    box = tab.locator("#map-canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x + 10, y + 10, steps=5)
    tab.evaluate(COUNT)
    for step in range(240):
        tab.mouse.move(x + 150 * np.sin(step / 20), y + 100 * np.cos(step / 20))
    frames = np.array(tab.evaluate("window.frames_"))
    tab.mouse.up()
    return 1000 * (len(frames) - 1) / float(frames[-1] - frames[0]), float(np.diff(frames).max())


def large_graphs(nodes: int) -> wg.GraphBatch:
    """Return two triangulations of random points, with their coordinates as attributes."""
    edges, attributes = [], []
    for seed in (0, 1):
        points = np.random.default_rng(seed).random((nodes, 2))
        corners = Delaunay(points).simplices
        sides = np.sort(np.vstack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]]), axis=1)
        edges.append(np.unique(sides, axis=0))
        attributes.append(points)
    return wg.from_edges(edges, symmetrize=True, node_attributes=attributes)


def solve_in_page(tab: Any, folder: Path, nodes: int) -> list[str]:
    """Solve one large plan in a page; return a row of the table."""
    graphs, path = large_graphs(nodes), folder / f"large-{nodes}.html"
    wg.explore(graphs).save(path)
    begin = perf_counter()
    plan = wg.transport_plan(graphs, 0, 1)
    library = perf_counter() - begin
    begin = perf_counter()
    tab.goto(f"{path.resolve().as_uri()}#a=0&b=1")
    tab.wait_for_selector("body[data-ready]")
    tab.evaluate(COUNT)
    tab.wait_for_selector('#pair-panel[data-pair="0 1"]', timeout=3_600_000)
    seconds = perf_counter() - begin
    gap = float(np.diff(tab.evaluate("window.frames_")).max(initial=0.0))
    shown = float(tab.inner_text("#distance"))
    assert abs(shown - plan.cost) <= 1e-5 * plan.cost, (shown, plan.cost)
    return [f"{nodes:,}", f"{seconds:.1f} s", f"{library:.1f} s", f"{gap:.0f} ms"]


def measure(options: argparse.Namespace, folder: Path) -> Iterator[str]:
    """Yield the paragraphs of the results."""
    yield f"The script has {len(script()) / 1000:.1f} kB, and the style {len(style()) / 1000:.1f} kB."
    wg.explore(*wg.load_dataset("demo"))  # loads what is imported at the first use
    yield markdown(["page", "graphs", "size", "time to make it"], list(make_pages(folder, options.graphs)))
    with browser_tab() as tab:
        open_page(tab, folder / "MUV.html")
        rate, gap = pan(tab)
        ours, calls = tab.evaluate(DRAW, options.repeat)
        yield (
            f"Panning the map of {options.graphs:,} graphs with the mouse: {rate:.0f} frames a second, at most "
            f"{gap:.0f} ms apart. Drawing all points takes {ours:.1f} ms, and with the functions of a canvas "
            f"{calls:.0f} ms ({times(calls / ours)})."
        )
        yield "Plans between two triangulations of random points, with their coordinates as attributes, at depth 3:"
        rows = [solve_in_page(tab, folder, nodes) for nodes in options.nodes]
        header = [
            "nodes of both",
            "in the page, with its opening",
            "`transport_plan`",
            "longest time between two frames",
        ]
        yield markdown(header, rows)


def draw(folder: Path) -> None:
    """Draw the upper part of a page."""
    graphs, y = wg.load_dataset("MUTAG")
    evaluation = wg.evaluate(graphs, y, n_jobs=-1)
    wg.explore(graphs, y, title="MUTAG", predicted_by=evaluation).save(folder / "mutag.html")
    with browser_tab() as tab:
        open_page(tab, folder / "mutag.html", "#a=55&b=46")
        data = tab.screenshot(clip={"x": 0, "y": 0, "width": 1400, "height": 1318}, full_page=True)
    # 256 colors are enough, and take half the space.
    Image.open(BytesIO(data)).convert("RGB").quantize(256).save(PICTURE, optimize=True)


def main() -> None:
    """Measure everything, print it, and write it to RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=10_000, help="the number of graphs of the largest page")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1000, 2000, 5000], help="nodes of large graphs")
    parser.add_argument("--repeat", type=int, default=20, help="how often all points are drawn")
    parser.add_argument("--draw", action="store_true", help="only draw the picture")
    options = parser.parse_args()
    if options.draw:
        with tempfile.TemporaryDirectory() as temporary:
            draw(Path(temporary))
        return
    parts = [circumstances(PACKAGES)]
    with tempfile.TemporaryDirectory() as folder:
        for part in measure(options, Path(folder)):
            print(part, flush=True)
            parts.append(part)
    save("## Explorer pages", "\n\n".join(parts))


if __name__ == "__main__":
    main()
