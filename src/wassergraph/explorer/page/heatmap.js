// The heat map: all distances, with graphs ordered so that similar ones are next to each other.

import { byId, element, shape, short } from "./dom.js";
import { rgbText, shareColor } from "./colors.js";
import { RAMP_WIDTH, rampShapes, saveDrawing } from "./export.js";

//: The width of the bands of colors that show the classes, and the space between them and the distances.
const BAND = 9;
const GAP = 2;
//: The share of smallest and of largest distances that have the colors of the ends of the scale.
const LEFT_OUT = 0.01;

export class HeatMap {
  constructor(content, styles, selection) {
    Object.assign(this, { content, styles, selection });
    this.canvas = byId("heat-canvas");
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.rank = new Uint32Array(content.n_graphs);
    content.order.forEach((graph, k) => {
      this.rank[graph] = k;
    });
    this.cells = content.averages ? content.averages.means.shape[0] : content.n_graphs;
    this.bounds = content.averages
      ? content.averages.bounds
      : Uint32Array.from({ length: content.n_graphs + 1 }, (_, k) => k);
    this.limits = this.usualLevels();
    this.picture = this.paint();
    byId("heat-scale").append(...this.scaleText());
    const many = Math.round(content.n_graphs / this.cells);
    byId("heat-note").textContent = content.averages
      ? `Each cell is the mean of about ${many} × ${many} distances; a click selects graphs in their middle.`
      : "A click selects the graphs of a row (A) and of a column (B).";
    this.canvas.addEventListener("click", (event) => this.click(event));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    for (const format of ["svg", "png"]) {
      byId(`heat-${format}`).addEventListener("click", () =>
        saveDrawing(this.drawing(), [content.title, "distances"], format),
      );
    }
    new ResizeObserver(() => this.resize()).observe(byId("heat"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.resize());
    matchMedia("print").addEventListener("change", () => this.resize());
    selection.addEventListener("change", () => this.draw());
  }

  /** Return the distance of two cells, from 0 to 255. */
  level(row, column) {
    const { averages, matrix, order, n_graphs: n } = this.content;
    if (averages) return averages.means[row * this.cells + column];
    const [i, j] = [order[row], order[column]].sort((one, two) => one - two);
    return i === j ? 0 : matrix[i * n - (i * (i + 1)) / 2 + j - i - 1];
  }

  /** Return the levels that colors range over: those of all distances but the smallest and the largest few. */
  usualLevels() {
    const counts = new Float64Array(256);
    const levels = this.content.averages ? this.content.averages.means : this.content.matrix;
    for (const level of levels) counts[level]++;
    const quantile = (share) => {
      let [level, sum] = [0, counts[0]];
      while (level < 255 && sum < share * levels.length) sum += counts[++level];
      return level;
    };
    const [low, high] = [quantile(LEFT_OUT), quantile(1 - LEFT_OUT)];
    return low < high ? [low, high] : [0, 255];
  }

  /** Return the parts of the scale of colors: a sign says that there are distances beyond its ends. */
  scaleText() {
    const { largest } = this.content;
    const [low, high] = this.limits;
    const stops = Array.from({ length: 9 }, (_, k) => rgbText(shareColor(1 - k / 8)));
    const distance = (level) => short(largest * (level / 255));
    const ramp = element("span", { class: "ramp", style: `background:linear-gradient(90deg,${stops.join()})` });
    return [
      `${low > 0 ? "≤ " : ""}${distance(low)} `,
      ramp,
      ` ${high < 255 ? "≥ " : ""}${distance(high)}`,
    ];
  }

  paint() {
    const size = this.cells;
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [size, size];
    const context = canvas.getContext("2d");
    const image = context.createImageData(size, size);
    const colors = Array.from({ length: 256 }, (_, level) => this.color(level));
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++)
        image.data.set([...colors[this.level(row, column)], 255], 4 * (row * size + column));
    }
    context.putImageData(image, 0, 0);
    return canvas;
  }

  /** Return the color of a level: small distances are light, so that similar graphs stand out. */
  color(level) {
    const [low, high] = this.limits;
    return shareColor(1 - (level - low) / (high - low));
  }

  /** Return the cell of a graph. */
  cellOf(graph) {
    const rank = this.rank[graph];
    let cell = Math.floor((rank * this.cells) / this.content.n_graphs);
    while (this.bounds[cell] > rank) cell--;
    while (this.bounds[cell + 1] <= rank) cell++;
    return cell;
  }

  /** Return the graph in the middle of a cell. */
  graphOf(cell) {
    const inside = Math.max(0, Math.min(this.cells - 1, cell));
    return this.content.order[Math.floor((this.bounds[inside] + this.bounds[inside + 1] - 1) / 2)];
  }

  click(event) {
    const cell = (offset) => Math.floor(((offset - BAND - GAP) / this.side) * this.cells);
    this.selection.setPair(this.graphOf(cell(event.offsetY)), this.graphOf(cell(event.offsetX)));
  }

  key(event) {
    const [which, step] =
      { ArrowUp: ["a", -1], ArrowDown: ["a", 1], ArrowLeft: ["b", -1], ArrowRight: ["b", 1] }[event.key] ?? [];
    if (!which) return;
    event.preventDefault();
    const cell = this.cellOf(this.selection[which]) + step;
    if (cell >= 0 && cell < this.cells) this.selection.set(which, this.graphOf(cell));
  }

  resize() {
    this.size = Math.min(byId("heat").clientWidth, byId("heat").clientHeight);
    if (!this.size) return;
    this.side = this.size - BAND - GAP;
    this.ratio = matchMedia("print").matches ? 3 : devicePixelRatio || 1;
    this.canvas.width = this.canvas.height = Math.round(this.size * this.ratio);
    this.canvas.style.width = this.canvas.style.height = `${this.size}px`;
    this.draw();
  }

  draw() {
    if (!this.size) return;
    const context = this.context;
    const colors = getComputedStyle(document.documentElement);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = colors.getPropertyValue("--panel").trim();
    context.fillRect(0, 0, this.size, this.size);
    const first = BAND + GAP;
    context.imageSmoothingEnabled = this.cells > this.side * this.ratio;
    context.imageSmoothingQuality = "high";
    context.drawImage(this.picture, first, first, this.side, this.side);
    for (const [begin, length, color] of this.bands()) {
      context.fillStyle = color;
      context.fillRect(first + begin, 0, length, BAND);
      context.fillRect(0, first + begin, BAND, length);
    }
    this.cross();
  }

  /** Draw a line at the row of A and at the column of B, with a letter. */
  cross() {
    const context = this.context;
    const width = this.side / this.cells;
    const [row, column] = ["a", "b"].map((which) => BAND + GAP + (this.cellOf(this.selection[which]) + 0.5) * width);
    for (const [color, thick] of [
      ["#000", 3],
      ["#fff", 1.2],
    ]) {
      context.strokeStyle = color;
      context.lineWidth = thick;
      context.beginPath();
      context.moveTo(BAND + GAP, row);
      context.lineTo(this.size, row);
      context.moveTo(column, BAND + GAP);
      context.lineTo(column, this.size);
      context.stroke();
    }
    context.font = "bold 12px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const [letter, x, y] of [
      ["A", BAND + GAP + 5, Math.min(row + 10, this.size - 8)],
      ["B", Math.min(column + 4, this.size - 12), BAND + GAP + 9],
    ]) {
      context.lineWidth = 3;
      context.strokeStyle = "#000";
      context.strokeText(letter, x, y);
      context.fillStyle = "#fff";
      context.fillText(letter, x, y);
    }
  }

  /** Return the bands of colors of consecutive graphs of the same style: where they begin, their lengths and colors. */
  bands() {
    const { n_graphs: n, order } = this.content;
    const bands = [];
    for (let first = 0, k = 1; k <= n; k++) {
      if (k < n && this.styles.of[order[k]] === this.styles.of[order[first]]) continue;
      bands.push([
        (first / n) * this.side,
        ((k - first) / n) * this.side,
        this.styles.styles[this.styles.of[order[first]]].color,
      ]);
      first = k;
    }
    return bands;
  }

  /** Return the heat map as SVG: the distances as an image, everything else as shapes. */
  drawing() {
    const first = BAND + GAP;
    const root = shape("svg", { viewBox: `0 0 ${this.size} ${this.size + 34}` });
    root.append(
      shape("image", {
        href: this.picture.toDataURL("image/png"),
        x: first,
        y: first,
        width: this.side,
        height: this.side,
        style: "image-rendering:pixelated",
      }),
    );
    for (const [begin, length, color] of this.bands()) {
      root.append(shape("rect", { x: first + begin, y: 0, width: length, height: BAND, fill: color }));
      root.append(shape("rect", { x: 0, y: first + begin, width: BAND, height: length, fill: color }));
    }
    const [below, , above] = this.scaleText();
    const ramp = first + 130;
    root.append(...rampShapes(ramp, this.size + 12, (share) => shareColor(1 - share)));
    root.append(shape("text", { x: ramp - 8, y: this.size + 21, "text-anchor": "end" }, `distance ${below}`));
    root.append(shape("text", { x: ramp + RAMP_WIDTH + 6, y: this.size + 21 }, above));
    return root;
  }
}
