// The map: every graph is a point. All points are drawn into one buffer of pixels, which is fast for 10,000 graphs.

import { byId, element, percent, shape } from "./dom.js";
import { saveDrawing } from "./export.js";
import { formulaDrawing } from "./formula.js";
import { entryParts, hasLegend, legendEntries, legendShapes, numberLegend } from "./legend.js";

//: The space around the points, and how far from a point a click may be, in pixels.
const MARGIN = 26;
const REACH = 16;
const LARGEST_ZOOM = 60;
//: The width and height of the formula of the molecule under the pointer, in pixels.
const TIP_FORMULA = [220, 150];

export class MapPanel {
  constructor(content, styles, selection, describe, readGraph) {
    Object.assign(this, { content, styles, selection, describe, readGraph });
    this.canvas = byId("map-canvas");
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.view = { zoom: 1, x: 0.5, y: 0.5 };
    this.dimmed = null; // the style that is highlighted, if any
    this.queued = false;
    // Points of rare classes are drawn after those of frequent ones.
    const counts = new Float64Array(styles.styles.length);
    for (const style of styles.of) counts[style]++;
    this.sequence = Uint32Array.from({ length: content.n_graphs }, (_, g) => g).sort(
      (one, two) => counts[styles.of[two]] - counts[styles.of[one]] || one - two,
    );
    this.addSwitch();
    this.addLegend();
    this.listen();
    new ResizeObserver(() => this.resize()).observe(byId("map"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.resize());
    matchMedia("print").addEventListener("change", () => this.resize());
    selection.addEventListener("change", () => this.update());
    this.update();
  }

  get map() {
    return this.content.maps.find((map) => map.id === this.selection.map);
  }

  addSwitch() {
    for (const map of this.content.maps) {
      const input = element("input", {
        type: "radio",
        name: "map",
        value: map.id,
        change: () => this.choose(map.id),
      });
      byId("map-switch").append(element("label", {}, input, map.title));
    }
  }

  choose(id) {
    this.selection.setMap(id);
    this.reset();
  }

  addLegend() {
    const { range, name: title } = this.styles;
    const legend = byId("legend");
    if (!hasLegend(this.styles)) return;
    legend.append(element("span", { class: "legend-name clip", title }, title));
    const entries = legendEntries(this.styles);
    if (range) {
      legend.append(...numberLegend(range));
      legend.append(...entries.map((entry) => element("span", { class: "legend-entry" }, ...entryParts(entry))));
      return;
    }
    entries.forEach((entry, k) => {
      const button = element(
        "button",
        { type: "button", class: "legend-entry", "aria-pressed": "false", title: `highlight ${entry.name}` },
        ...entryParts(entry),
      );
      button.addEventListener("click", () => {
        this.dimmed = this.dimmed === k ? null : k;
        for (const [other, each] of legend.querySelectorAll("button").entries())
          each.setAttribute("aria-pressed", String(other === this.dimmed));
        this.draw();
      });
      legend.append(button);
    });
  }

  listen() {
    const canvas = this.canvas;
    let start = null;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      start = { x: event.clientX, y: event.clientY, view: { ...this.view }, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!start) return this.hover(this.at(event));
      const [dx, dy] = [event.clientX - start.x, event.clientY - start.y];
      if (Math.hypot(dx, dy) > 4) start.moved = true;
      if (!start.moved) return undefined;
      this.hover(null);
      this.view.x = start.view.x - dx / this.scale / this.view.zoom;
      this.view.y = start.view.y - dy / this.scale / this.view.zoom;
      return this.draw();
    });
    canvas.addEventListener("pointerup", (event) => {
      const graph = start && !start.moved ? this.at(event) : null;
      start = null;
      if (graph !== null) this.selection.click(graph, event.shiftKey);
    });
    canvas.addEventListener("pointercancel", () => {
      start = null;
    });
    canvas.addEventListener("pointerleave", () => this.hover(null));
    // The wheel belongs to the page until the map has the focus.
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (document.activeElement !== canvas && !event.ctrlKey) return;
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
      },
      { passive: false },
    );
    canvas.addEventListener("keydown", (event) => this.key(event));
    byId("map-in").addEventListener("click", () => this.zoom(1.5));
    byId("map-out").addEventListener("click", () => this.zoom(1 / 1.5));
    byId("map-reset").addEventListener("click", () => this.reset());
    for (const format of ["svg", "png"]) {
      byId(`map-${format}`).addEventListener("click", () =>
        saveDrawing(this.drawing(), [this.content.title, "map", this.selection.map], format),
      );
    }
  }

  key(event) {
    const { a } = this.selection;
    const around = [this.screenX(a), this.screenY(a)];
    const direction = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    if (direction) {
      const which = event.shiftKey ? "b" : "a";
      const graph = this.toward(this.selection[which], ...direction);
      if (graph !== null) {
        this.selection.set(which, graph);
        this.follow(graph);
      }
    } else if (event.key === "+" || event.key === "=") this.zoom(1.5, ...around);
    else if (event.key === "-") this.zoom(1 / 1.5, ...around);
    else if (event.key === "0") this.reset();
    else return;
    event.preventDefault();
  }

  /** Move the map so that a graph is in the middle, unless it is in sight. */
  follow(graph) {
    const [x, y] = [this.screenX(graph), this.screenY(graph)];
    if (x >= 0 && y >= 0 && x <= this.width && y <= this.height) return;
    [this.view.x, this.view.y] = [this.x[graph], this.y[graph]];
    this.draw();
  }

  /** Return the nearest graph in a direction, within 45 degrees; null if there is none. */
  toward(graph, right, down) {
    let [best, least] = [null, Infinity];
    for (let g = 0; g < this.content.n_graphs; g++) {
      const [dx, dy] = [this.x[g] - this.x[graph], this.y[g] - this.y[graph]];
      const along = dx * right + dy * down;
      const length = Math.hypot(dx, dy);
      if (along > 0 && along >= length * Math.SQRT1_2 - 1e-12 && length < least) [best, least] = [g, length];
    }
    return best;
  }

  /** Return the graph nearest to the pointer, if it is within reach. */
  at(event) {
    let [best, least] = [null, REACH ** 2];
    for (let g = 0; g < this.content.n_graphs; g++) {
      const length = (this.screenX(g) - event.offsetX) ** 2 + (this.screenY(g) - event.offsetY) ** 2;
      if (length < least) [best, least] = [g, length];
    }
    return best;
  }

  hover(graph) {
    const tip = byId("map-tip");
    tip.hidden = graph === null;
    this.canvas.style.cursor = graph === null ? "grab" : "pointer";
    if (graph === null) return;
    if (this.hovered !== graph) {
      const formula = formulaDrawing(this.readGraph(graph), ...TIP_FORMULA);
      tip.replaceChildren(element("div", { class: "tip-name" }, this.describe(graph)), ...(formula ? [formula] : []));
      this.hovered = graph;
    }
    const [x, y, high] = [this.screenX(graph), this.screenY(graph), tip.offsetHeight];
    // Above the point, or below it where there is no room.
    tip.style.left = `${Math.max(4, Math.min(x + 12, this.width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${y - high - 6 >= 0 ? y - high - 6 : Math.min(y + 14, Math.max(4, this.height - high - 4))}px`;
  }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const zoom = Math.max(1, Math.min(LARGEST_ZOOM, this.view.zoom * factor));
    // The place under the pointer stays where it is.
    const shift = (1 / this.view.zoom - 1 / zoom) / this.scale;
    this.view.x += (x - this.width / 2) * shift;
    this.view.y += (y - this.height / 2) * shift;
    this.view.zoom = zoom;
    if (zoom === 1) [this.view.x, this.view.y] = [0.5, 0.5];
    this.draw();
  }

  reset() {
    Object.assign(this.view, { zoom: 1, x: 0.5, y: 0.5 });
    this.draw();
  }

  /** Read the places of the chosen map, from 0 to 1 around its middle. */
  update() {
    const map = this.map;
    for (const input of byId("map-switch").querySelectorAll("input")) input.checked = input.value === map.id;
    byId("map-quality").textContent = qualityText(map);
    if (this.shown !== map.id) {
      const n = this.content.n_graphs;
      const [x, y] = [map.places.subarray(0, n), map.places.subarray(n)];
      const middle = (values) =>
        values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
      const place = (values) => {
        const [low, high] = middle(values);
        return Float64Array.from(values, (value) => 0.5 + (value - (low + high) / 2) / 65535);
      };
      [this.x, this.y] = [place(x), place(y).map((value) => 1 - value)];
      this.extent = [this.x, this.y].map((values) => {
        const [low, high] = middle(values);
        return Math.max(high - low, 0.2);
      });
      this.shown = map.id;
      this.resize();
    }
    this.draw();
  }

  resize() {
    const box = byId("map");
    [this.width, this.height] = [box.clientWidth, box.clientHeight];
    if (!this.width || !this.extent) return;
    const ratio = matchMedia("print").matches ? 3 : devicePixelRatio || 1;
    [this.canvas.width, this.canvas.height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    this.ratio = ratio;
    this.scale = Math.min((this.width - 2 * MARGIN) / this.extent[0], (this.height - 2 * MARGIN) / this.extent[1]);
    this.image = this.context.createImageData(this.canvas.width, this.canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    const colors = getComputedStyle(document.documentElement);
    this.background = colors.getPropertyValue("--panel").trim();
    this.ink = colors.getPropertyValue("--ink").trim();
    this.sprites = [1, 0.12].map((alpha) =>
      this.styles.styles.map((style) => makeSprite(style, this.radius * ratio, alpha)),
    );
    this.render();
  }

  get radius() {
    return Math.max(2.6, Math.min(6, 60 / Math.sqrt(this.content.n_graphs)));
  }

  screenX(g) {
    return this.width / 2 + (this.x[g] - this.view.x) * this.scale * this.view.zoom;
  }

  screenY(g) {
    return this.height / 2 + (this.y[g] - this.view.y) * this.scale * this.view.zoom;
  }

  draw() {
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame(() => {
      this.queued = false;
      this.render();
    });
  }

  render() {
    if (!this.image) return;
    const { width, height } = this.image;
    this.pixels.fill(packColor(this.background));
    for (const g of this.sequence) {
      const style = this.styles.of[g];
      const sprite = this.sprites[this.dimmed === null || this.dimmed === style ? 0 : 1][style];
      blend(
        this.pixels,
        width,
        height,
        sprite,
        Math.round(this.screenX(g) * this.ratio),
        Math.round(this.screenY(g) * this.ratio),
      );
    }
    this.context.putImageData(this.image, 0, 0);
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    for (const which of ["b", "a"]) this.mark(which);
  }

  /** Draw a selected graph larger, with a ring and a letter. */
  mark(which) {
    const g = this.selection[which];
    const { color, shape: path } = this.styles.styles[this.styles.of[g]];
    const context = this.context;
    const [x, y, r] = [this.screenX(g), this.screenY(g), this.radius + 1.5];
    context.save();
    context.translate(x, y);
    context.scale(r, r);
    context.fillStyle = color;
    context.fill(new Path2D(path));
    context.restore();
    context.strokeStyle = this.ink;
    context.lineWidth = 2;
    context.setLineDash(which === "a" ? [] : [4, 2.5]);
    context.beginPath();
    context.arc(x, y, r + 4.5, 0, 2 * Math.PI);
    context.stroke();
    context.setLineDash([]);
    context.font = "bold 13px system-ui, sans-serif";
    context.textBaseline = "middle";
    const letterX = x + (which === "a" ? -(r + 16) : r + 8);
    context.lineWidth = 3;
    context.strokeStyle = this.background;
    context.strokeText(which.toUpperCase(), letterX, y);
    context.fillStyle = this.ink;
    context.fillText(which.toUpperCase(), letterX, y);
  }

  /** Return the map as SVG, as it is shown, with the legend and the quality of the map below it. */
  drawing() {
    const legend = legendShapes(this.styles, qualityText(this.map), this.width, this.height);
    const root = shape("svg", { viewBox: `0 0 ${this.width} ${legend.height}` });
    const inside = shape("svg", { width: this.width, height: this.height });
    root.append(inside, ...legend.shapes);
    for (const g of this.sequence) {
      const [x, y] = [this.screenX(g), this.screenY(g)];
      if (x < -9 || y < -9 || x > this.width + 9 || y > this.height + 9) continue;
      const { color, shape: path } = this.styles.styles[this.styles.of[g]];
      const faint = this.dimmed !== null && this.dimmed !== this.styles.of[g];
      inside.append(
        shape(
          "path",
          {
            d: path,
            transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${this.radius.toFixed(2)})`,
            fill: color,
            opacity: faint ? 0.12 : null,
          },
          shape("title", {}, this.describe(g)),
        ),
      );
    }
    for (const which of ["a", "b"]) {
      const g = this.selection[which];
      const [x, y] = [this.screenX(g), this.screenY(g)];
      inside.append(
        shape("circle", {
          class: "ink",
          cx: x,
          cy: y,
          r: this.radius + 6,
          fill: "none",
          "stroke-width": 2,
          "stroke-dasharray": which === "a" ? null : "4 2.5",
        }),
      );
      inside.append(
        shape(
          "text",
          { x: x + (which === "a" ? -(this.radius + 17) : this.radius + 10), y: y + 4, "font-weight": "bold" },
          which.toUpperCase(),
        ),
      );
    }
    return root;
  }
}

/** Return how well a map shows the distances. */
function qualityText({ title, neighbors_kept: kept, rank_correlation: correlation }) {
  const parts = [];
  if (kept !== null) parts.push(`${percent(kept)} of the ten nearest neighbors of a graph are among its ten here`);
  if (correlation !== null) parts.push(`rank correlation of distances ${correlation.toFixed(2)}`);
  return parts.length ? `${title}: ${parts.join("; ")}.` : "";
}

/** Return the pixels of a shape: their places around the middle, their colors and how much they cover. */
function makeSprite({ color, shape: path }, radius, alpha) {
  const half = Math.ceil(radius * 1.4) + 1;
  const size = 2 * half + 1;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [size, size];
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.setTransform(radius, 0, 0, radius, half + 0.5, half + 0.5);
  const outline = new Path2D(path);
  context.globalAlpha = alpha;
  context.fillStyle = color;
  context.fill(outline);
  context.globalAlpha = alpha * 0.45;
  context.lineWidth = 0.22;
  context.strokeStyle = "#222";
  context.stroke(outline);
  const { data } = context.getImageData(0, 0, size, size);
  const cells = [];
  for (let at = 0; at < size * size; at++) {
    if (data[4 * at + 3] > 4)
      cells.push([
        (at % size) - half,
        Math.floor(at / size) - half,
        data[4 * at],
        data[4 * at + 1],
        data[4 * at + 2],
        data[4 * at + 3],
      ]);
  }
  return { half, cells: Int16Array.from(cells.flat()) };
}

/** Draw a shape into pixels, in front of what is there. */
function blend(pixels, width, height, { half, cells }, x, y) {
  if (x < -half || y < -half || x >= width + half || y >= height + half) return;
  const inside = x >= half && y >= half && x < width - half && y < height - half;
  for (let k = 0; k < cells.length; k += 6) {
    const [column, row] = [x + cells[k], y + cells[k + 1]];
    if (!inside && (column < 0 || row < 0 || column >= width || row >= height)) continue;
    const at = row * width + column;
    const [cover, below] = [cells[k + 5], pixels[at]];
    const keep = 255 - cover;
    const red = (cells[k + 2] * cover + (below & 255) * keep + 127) / 255;
    const green = (cells[k + 3] * cover + ((below >> 8) & 255) * keep + 127) / 255;
    const blue = (cells[k + 4] * cover + ((below >> 16) & 255) * keep + 127) / 255;
    pixels[at] = red | (green << 8) | (blue << 16) | 0xff000000;
  }
}

/** Return a color such as #ffffff as one pixel. */
function packColor(text) {
  const value = parseInt(text.slice(1), 16);
  return ((value >> 16) & 255) | (value & 0xff00) | ((value & 255) << 16) | 0xff000000;
}
