// The pair view: both selected graphs, the exact plan between them, and what it costs where.

import { mixtures, oklabText, placeColors } from "./colors.js";
import { byId, element, number, percent, refill, shape, short } from "./dom.js";
import { fitText, saveDrawing } from "./export.js";
import { formulaShape } from "./formula.js";
import { centerPoints, edgeLength, matchPoints, placeNodes, uprightPoints } from "./layout.js";
import { requestPlan } from "./transport.js";

//: Sizes in pixels: the least and greatest height, the greatest length of an edge, the space at the sides and on top.
const [LEAST_HEIGHT, GREATEST_HEIGHT, LONGEST_EDGE, SIDE, TOP] = [220, 460, 48, 26, 30];
const LEAST_WIDTH = 280;
//: The radius of nodes, and from which radius on labels are written into them, with at most so many letters.
const [LEAST_RADIUS, GREATEST_RADIUS, RADIUS_WITH_LABEL, LETTERS] = [1.3, 14, 6.5, 3];
//: The width of the widest ring as a part of the radius of a node, and of an atom, whose letters must be read.
const [WIDEST_RING, WIDEST_AROUND_ATOM] = [0.5, 0.22];
//: How many moves are listed, and how many are drawn until they make up this share of the cost.
const [LISTED, DRAWN, SHARE] = [12, 10, 0.8];
//: The bonds of molecules keep the usual directions: multiples of 30 degrees.
const BOND_ANGLE = Math.PI / 6;

export class PairView {
  constructor(content, selection, readGraph, describe) {
    Object.assign(this, { content, selection, readGraph, describe });
    this.cancel = () => {};
    this.plan = null; // what is drawn: the plan of the selected graphs, or while that is computed, an earlier one
    this.box = byId("pair");
    for (const format of ["svg", "png"]) {
      byId(`pair-${format}`).addEventListener("click", () => {
        const [a, b] = this.pair;
        saveDrawing(this.drawing, [content.title, a.name, b.name], format);
      });
    }
    selection.addEventListener("change", () => this.update());
    new ResizeObserver(() => {
      if (this.isCurrent && this.places.width !== this.width) this.draw();
    }).observe(this.box);
    this.update();
  }

  get width() {
    return Math.max(this.box.clientWidth, LEAST_WIDTH);
  }

  /** Say whether the drawing is that of the selected graphs, and their distance: null if it is being computed. */
  announce(isCurrent, distance) {
    this.isCurrent = isCurrent;
    byId("pair-panel").setAttribute("aria-busy", String(distance === null));
    byId("pair-panel").classList.toggle("stale", !isCurrent);
    for (const format of ["svg", "png"]) byId(`pair-${format}`).disabled = !isCurrent;
    byId("pair-distance").textContent = distance === null ? "…" : number(distance);
    this.selection.dispatchEvent(new CustomEvent("plan", { detail: { distance } }));
  }

  update() {
    const { a, b } = this.selection;
    if (this.shown === `${a} ${b}`) return;
    this.shown = `${a} ${b}`;
    this.cancel();
    const pair = [a, b].map(this.readGraph);
    this.announce(false, null);
    const status = (text) => {
      byId("pair-status").textContent = text;
    };
    const { plan, cancel } = requestPlan(pair, this.content.embedding, (share) =>
      status(`Computing the plan: ${percent(share)}`),
    );
    if (Math.max(pair[0].n, pair[1].n) > 300) status("Computing the plan …");
    this.cancel = cancel;
    plan
      .then((found) => {
        if (this.shown !== `${a} ${b}`) return;
        status("");
        [this.pair, this.plan] = [pair, found];
        this.draw();
        this.announce(true, found.distance);
        byId("pair-panel").dataset.pair = this.shown;
      })
      .catch((error) => {
        if (this.shown !== `${a} ${b}`) return;
        this.announce(false, NaN);
        status(`The plan could not be computed: ${error.message}`);
      });
  }

  draw() {
    const { plan, pair } = this;
    this.places = this.layout();
    const { points, width, height, radius, mirrored } = this.places;
    const highest = Math.max(...plan.nodeCosts.map((costs) => costs.reduce((most, cost) => Math.max(most, cost), 0)));
    const colors = placeColors(points[0].map(([x, y]) => [x, -y]));
    const fills = [colors, mixtures(colors, plan.moves, pair[1].n)];
    const drawing = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": this.summary() });
    const drawn = this.dearest();
    this.lines = shape("g", {});
    const nodes = pair.map((graph, side) => this.nodes(graph, side, fills[side], highest));
    const lines = pair.map((graph, side) =>
      graph.atoms
        ? formulaShape(graph, points[side], { colored: false, mirrored: side === 1 && mirrored })
        : edges(graph, points[side], radius),
    );
    // The lines and letters of a formula are above its nodes, which are colors behind them.
    const layers = pair[0].atoms ? [...nodes, this.lines, ...lines] : [...lines, this.lines, ...nodes];
    drawing.append(...this.titles(width), ...layers);
    this.drawing = drawing;
    this.showMoves(drawn);
    byId("pair-drawing").replaceChildren(drawing);
    byId("pair-info").textContent = this.explanation(drawn, radius);
    this.list();
  }

  summary() {
    const [a, b] = this.pair;
    const nodes = `${a.name} with ${a.n} nodes and ${b.name} with ${b.n} nodes`;
    return `Plan between ${nodes}, distance ${number(this.plan.distance)}`;
  }

  /** Return the places of the nodes of both graphs in pixels, the second turned to match the first. */
  layout() {
    const molecules = Boolean(this.pair[0].bonds);
    const unit = (graph) => {
      const placed = placeNodes(graph);
      const length = edgeLength(graph, placed);
      return placed.map(([x, y]) => [x / length, y / length]);
    };
    const [first, second] = this.pair.map(unit);
    const one = molecules ? centerPoints(first) : uprightPoints(first);
    const { points: two, mirrored } = matchPoints(second, one, this.plan.moves, molecules ? BOND_ANGLE : null);
    const boxes = [one, two].map(bounds);
    const { width } = this;
    const room = width / 2 - 2 * SIDE;
    const extent = [0, 1].map((axis) => Math.max(...boxes.map(([low, high]) => high[axis] - low[axis]), 1e-9));
    const scale = Math.min(room / extent[0], (GREATEST_HEIGHT - TOP - 2 * SIDE) / extent[1], LONGEST_EDGE);
    const height = Math.max(LEAST_HEIGHT, scale * extent[1] + TOP + 2 * SIDE);
    const points = [one, two].map((placed, side) => {
      const [low, high] = boxes[side];
      const middle = [width * (side ? 0.75 : 0.25), TOP + (height - TOP) / 2];
      return placed.map(([x, y]) => [
        middle[0] + scale * (x - (low[0] + high[0]) / 2),
        middle[1] - scale * (y - (low[1] + high[1]) / 2),
      ]);
    });
    const n = Math.max(...this.pair.map((graph) => graph.n));
    const radius = Math.max(
      LEAST_RADIUS,
      Math.min(GREATEST_RADIUS, (this.pair[0].bonds ? 0.36 : 0.34) * scale, (0.4 * room) / Math.sqrt(n)),
    );
    return { points, width, height, radius, mirrored };
  }

  titles(width) {
    return ["a", "b"].map((which, side) => {
      const text = `${which.toUpperCase()}: ${this.describe(this.selection[which])}`;
      return shape(
        "text",
        { x: width * (side ? 0.75 : 0.25), y: 17, "text-anchor": "middle", "font-weight": 600 },
        fitText(text, width / 2 - 12, "600 13px system-ui, sans-serif"),
      );
    });
  }

  nodes(graph, side, fills, highest) {
    const { points, radius } = this.places;
    const { nodeCosts, unmatched } = this.plan;
    const names = this.content.graphs.labels?.names;
    const labeled = names && !graph.atoms && radius >= RADIUS_WITH_LABEL && Math.max(...names.map((name) => name.length)) <= LETTERS;
    const group = shape("g", { class: graph.atoms ? "nodes tinted" : "nodes" });
    for (let v = 0; v < graph.n; v++) {
      const [x, y] = points[side][v];
      const widest = graph.atoms ? WIDEST_AROUND_ATOM : WIDEST_RING;
      const ring = 0.5 + (highest > 0 ? (widest * radius * nodeCosts[side][v]) / highest : 0);
      const alone = unmatched[side][v] > 0;
      const fill = alone || fills[v] === null ? "#ffffff" : oklabText(fills[v]);
      const node = shape(
        "g",
        { pointerenter: () => this.point(side, v), pointerleave: () => this.point(null) },
        shape("circle", {
          class: "ink",
          cx: x.toFixed(1),
          cy: y.toFixed(1),
          r: (radius + ring / 2).toFixed(2),
          fill,
          "stroke-width": ring.toFixed(2),
          "stroke-dasharray": alone ? "3 2" : null,
        }),
      );
      if (labeled) {
        const dark = !alone && fills[v] && fills[v][0] < 0.6;
        node.append(
          shape(
            "text",
            {
              x: x.toFixed(1),
              y: (y + 0.36 * radius).toFixed(1),
              "text-anchor": "middle",
              style: `font-size:${(1.1 * radius).toFixed(1)}px;fill:${dark ? "#fff" : "#111"}`,
            },
            names[graph.labels[v]],
          ),
        );
      }
      group.append(node);
    }
    return group;
  }

  nodeName(side, v) {
    const { graphs } = this.content;
    const label = graphs.labels ? graphs.labels.names[this.pair[side].labels[v]] : null;
    const name = this.pair[side].node_names?.[v] ?? `${v}`;
    return label === null ? name : `${name} (${label})`;
  }

  /** Return the most expensive moves that are drawn. */
  dearest() {
    const { moves, cost } = this.plan;
    const drawn = [];
    for (let sum = 0; drawn.length < Math.min(DRAWN, moves.length) && sum < SHARE * cost;) {
      const move = moves[drawn.length];
      if (move[2] * move[3] <= 0) break;
      drawn.push(move);
      sum += move[2] * move[3];
    }
    return drawn;
  }

  showMoves(moves) {
    const { points } = this.places;
    const heaviest = Math.max(...moves.map((move) => move[2]), 1e-300);
    this.lines.replaceChildren(
      ...moves.map(([i, j, mass]) => {
        const [[x1, y1], [x2, y2]] = [points[0][i], points[1][j]];
        return shape("line", {
          class: "line",
          x1,
          y1,
          x2,
          y2,
          "stroke-width": (0.8 + (1.6 * mass) / heaviest).toFixed(2),
          "stroke-opacity": 0.75,
        });
      }),
    );
  }

  /** Show the moves of the node under the pointer, or the most expensive ones. */
  point(side, v) {
    const { moves, nodeCosts, distance } = this.plan;
    if (side === null) {
      this.showMoves(this.dearest());
      byId("pair-node").textContent = "";
      return;
    }
    const own = moves.filter((move) => move[side] === v);
    this.showMoves(own);
    const cost = nodeCosts[side][v];
    const partners = own
      .slice(0, 6)
      .map((move) => `${this.nodeName(1 - side, move[1 - side])} with mass ${short(move[2])}`);
    const verb = side ? "receives from" : "moves to";
    const rest = own.length > 6 ? ` and ${own.length - 6} more` : "";
    const share = distance > 0 ? ` (${percent(cost / distance)})` : "";
    const moved = own.length ? `it ${verb} ${partners.join(", ")}${rest}` : "it has no partner";
    byId("pair-node").textContent =
      `Node ${this.nodeName(side, v)} of ${side ? "B" : "A"} costs ${short(cost)}${share}; ${moved}.`;
  }

  explanation(drawn) {
    const { cost, unmatched, price, distance } = this.plan;
    const alone = unmatched.map((mass) => mass.reduce((sum, each) => sum + (each > 0), 0));
    const shown = drawn.reduce((sum, move) => sum + move[2] * move[3], 0);
    const lines =
      drawn.length === 1
        ? "The line is the most expensive move"
        : `The lines are the ${drawn.length} most expensive moves`;
    return [
      "Colors are places in A; a node of B has the mixture of the colors that it receives.",
      "The ring of a node is the wider the more it costs.",
      drawn.length ? `${lines}, ${percent(shown / cost)} of the cost.` : "All moves cost nothing.",
      alone[0] + alone[1]
        ? `White nodes have no partner: ${alone[0]} of A and ${alone[1]} of B, at ${short(price)} each.`
        : "",
      distance !== cost ? `The difference in size adds ${number(distance - cost)}.` : "",
    ]
      .filter(Boolean)
      .join(" ");
  }

  /** List the most expensive moves; each is a button that draws it alone. */
  list() {
    const { moves, cost } = this.plan;
    const rows = moves.slice(0, LISTED).map((move) => {
      const [i, j, mass, ground] = move;
      const show = () => {
        this.showMoves([move]);
        byId("pair-node").textContent = "";
      };
      const button = element(
        "button",
        { type: "button", class: "move", click: show, focus: show, blur: () => this.point(null) },
        `${this.nodeName(0, i)} → ${this.nodeName(1, j)}`,
      );
      const cells = [short(mass), short(ground), cost > 0 ? percent((mass * ground) / cost) : "–"];
      return element(
        "tr",
        {},
        element("td", {}, button),
        ...cells.map((text) => element("td", { class: "number" }, text)),
      );
    });
    refill(byId("moves-body"), rows);
    const { labels, molecules } = this.content.graphs;
    byId("moves-names").textContent = `node${labels ? ` (${molecules ? "element" : "label"})` : ""} of A → of B`;
    byId("moves-note").textContent =
      rows.length < moves.length
        ? `The ${rows.length} most expensive of ${moves.length.toLocaleString("en")} moves.`
        : `${rows.length === 1 ? "The only move" : `All ${rows.length} moves`}.`;
  }
}

function bounds(points) {
  const [low, high] = [
    [Infinity, Infinity],
    [-Infinity, -Infinity],
  ];
  for (const point of points) {
    for (const axis of [0, 1])
      [low[axis], high[axis]] = [Math.min(low[axis], point[axis]), Math.max(high[axis], point[axis])];
  }
  return [low, high];
}

/** Return the edges of a graph as one path. */
function edges(graph, points, radius) {
  const lines = [];
  for (let e = 0; e < graph.one.length; e++) {
    const [[x1, y1], [x2, y2]] = [points[graph.one[e]], points[graph.two[e]]];
    if (graph.one[e] === graph.two[e]) {
      const [top, r] = [y1 - 2.2 * radius - 3, 0.65 * radius + 2];
      lines.push(`M${x1.toFixed(1)} ${top.toFixed(1)}a${r} ${r} 0 1 0 .01 0`);
      continue;
    }
    lines.push(`M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}`);
  }
  return shape(
    "g",
    {},
    shape("path", { class: "edge", d: lines.join(""), fill: "none", "stroke-width": edgeWidth(radius) }),
  );
}

/** Return the width of edges: thin in large graphs, whose nodes are small. */
const edgeWidth = (radius) => Math.max(0.35, Math.min(1.3, radius / 4)).toFixed(2);
