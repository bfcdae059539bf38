// Skeletal formulas of molecules: lines of bonds, with what is written at atoms.

import { shape } from "./dom.js";
import { textWidth } from "./export.js";
import { edgeLength, placeNodes } from "./layout.js";

//: How bonds are drawn, as in wassergraph.explorer.formulas: beside order 1, 2, 3 and 12.
const [DOUBLE_LEFT, DOUBLE_RIGHT, WEDGE_FIRST, WEDGE_SECOND, HASH_FIRST, HASH_SECOND] = [21, 22, 31, 32, 33, 34];
//: How bonds are drawn in a mirrored formula.
const MIRRORED = { 21: 22, 22: 21, 31: 33, 32: 34, 33: 31, 34: 32 };
//: As parts of the length of a bond: the distance of parallel lines, the width of a wedge, the height of letters, what
//: letters keep free around them, and by how much the second line of a double bond is shorter at its ends.
const [APART, WIDE, LETTER, FREE, SHORTER] = [0.16, 0.2, 0.5, 0.34, 0.13];
//: The least height of letters in pixels, and the greatest length of a bond of a small drawing.
const [LEAST_LETTER, LONGEST_BOND] = [7.5, 24];
//: Colors of elements, readable on white and on black; all others have the color of text.
const ELEMENTS = { N: "#3a6fe8", O: "#e0362b", S: "#b58900", P: "#e07000", F: "#2a9d3a", Cl: "#2a9d3a" };
Object.assign(ELEMENTS, { Br: "#b5522d", I: "#9a4fd0", B: "#d0785a", Se: "#b58900", Si: "#a08050" });

const [LOWERED, RAISED] = ["₀₁₂₃₄₅₆₇₈₉", "⁰¹²³⁴⁵⁶⁷⁸⁹"];
const digits = (number, signs) => [...String(number)].map((digit) => signs[digit]).join("");

/** Return the hydrogens of an atom as text: H₂. */
const hydrogenText = (n) => (n ? `H${n > 1 ? digits(n, LOWERED) : ""}` : "");

/** Return a charge as text: ²⁺. */
function chargeText(charge) {
  if (!charge) return "";
  return `${Math.abs(charge) > 1 ? digits(Math.abs(charge), RAISED) : ""}${charge > 0 ? "⁺" : "⁻"}`;
}

/**
 * Return the formula of a molecule at places of its atoms in pixels, with y downward: lines and letters, black or
 * colored by element. A mirrored formula has the other wedges.
 */
export function formulaShape(graph, points, { colored, mirrored = false }) {
  const length = graph.n > 1 ? edgeLength(graph, points) : LONGEST_BOND;
  const height = Math.max(LEAST_LETTER, LETTER * length);
  const free = (v) => (graph.atoms[v][0] ? Math.max(FREE * length, 0.62 * height) : 0);
  const [lines, areas, dashed] = [[], [], []];
  for (let e = 0; e < graph.one.length; e++) {
    const [u, v] = [graph.one[e], graph.two[e]];
    if (u === v) continue;
    const kind = mirrored ? (MIRRORED[graph.bonds[e]] ?? graph.bonds[e]) : graph.bonds[e];
    const bond = bondFrame(points[u], points[v], free(u), free(v));
    if (kind === 12) dashed.push(bond.line(-APART * length, 0));
    if (kind >= WEDGE_FIRST) drawWedge(bond, kind, WIDE * length, lines, areas);
    else lines.push(...bondLines(bond, kind, length));
  }
  const width = Math.max(0.8, Math.min(1.4, 0.06 * length)).toFixed(2);
  const stroke = { class: "bond", fill: "none", "stroke-width": width };
  const group = shape("g", { class: "formula" });
  group.append(shape("path", { ...stroke, d: lines.join("") }));
  if (dashed.length) group.append(shape("path", { ...stroke, d: dashed.join(""), "stroke-dasharray": "3 2" }));
  if (areas.length) group.append(shape("path", { class: "wedge", d: areas.join("") }));
  const sides = hydrogenSides(graph, points);
  for (let v = 0; v < graph.n; v++) {
    if (graph.atoms[v][0]) group.append(atomShape(graph.atoms[v], points[v], sides[v], height, colored));
  }
  return group;
}

/** Return functions that draw along a bond between two places, without what is kept free at its ends. */
function bondFrame([x1, y1], [x2, y2], freeOne, freeTwo) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  // Where both ends have letters that nearly touch, a part of the line remains.
  const scale = Math.min(1, (0.7 * length) / Math.max(freeOne + freeTwo, 1e-9));
  const [from, to] = [scale * freeOne, length - scale * freeTwo];
  const at = (along, left) => {
    const place = [x1 + along * dx + left * dy, y1 + along * dy - left * dx];
    return place.map((value) => value.toFixed(1)).join(" ");
  };
  const line = (left, cut) => {
    const [begin, end] = [Math.max(from, cut), Math.min(to, length - cut)];
    return `M${at(begin, left)}L${at(end, left)}`;
  };
  return { at, line, from, to };
}

function bondLines({ line }, kind, length) {
  const apart = APART * length;
  if (kind === DOUBLE_LEFT || kind === DOUBLE_RIGHT)
    return [line(0, 0), line(kind === DOUBLE_LEFT ? apart : -apart, SHORTER * length)];
  return ({ 2: [-apart / 2, apart / 2], 3: [-apart, 0, apart] }[kind] ?? [0]).map((left) => line(left, 0));
}

/** Draw a wedge, or its hashes, from its narrow end. */
function drawWedge({ at, from, to }, kind, wide, lines, areas) {
  const isFirst = kind === WEDGE_FIRST || kind === HASH_FIRST;
  const [narrow, broad] = isFirst ? [from, to] : [to, from];
  if (kind === WEDGE_FIRST || kind === WEDGE_SECOND) {
    areas.push(`M${at(narrow, 0)}L${at(broad, wide / 2)}L${at(broad, -wide / 2)}Z`);
    return;
  }
  const n = Math.max(3, Math.min(8, Math.round(Math.abs(to - from) / 2.6)));
  for (let k = 1; k <= n; k++) {
    const along = narrow + ((broad - narrow) * k) / n;
    lines.push(`M${at(along, (wide * k) / n / 2)}L${at(along, (-wide * k) / n / 2)}`);
  }
}

/** Return for each atom whether its hydrogens are written on its left: where its bonds are on its right. */
function hydrogenSides(graph, points) {
  const right = new Float64Array(graph.n);
  for (let e = 0; e < graph.one.length; e++) {
    const [u, v] = [graph.one[e], graph.two[e]];
    const [dx, dy] = [0, 1].map((axis) => points[v][axis] - points[u][axis]);
    const step = dx / (Math.hypot(dx, dy) || 1);
    right[u] += step;
    right[v] -= step;
  }
  return right.map((sum) => (sum > 0.1 ? 1 : 0));
}

/** Return what is written at an atom, with the middle of its symbol at a place. */
function atomShape([symbol, hydrogens, charge], [x, y], onLeft, height, colored) {
  const width = (text) => (textWidth(text, "20px system-ui, sans-serif") * height) / 20;
  const [raised, bound] = [chargeText(charge), hydrogenText(hydrogens)];
  const text = onLeft ? bound + symbol + raised : symbol + bound + raised;
  const start = x - width(symbol) / 2 - (onLeft ? width(bound) : 0);
  const element = symbol.replace(/^[⁰¹²³⁴⁵⁶⁷⁸⁹]+/, "");
  const fill = colored ? ELEMENTS[element] : null;
  return shape(
    "text",
    {
      class: "symbol",
      x: start.toFixed(1),
      y: (y + 0.36 * height).toFixed(1),
      style: `font-size:${height.toFixed(1)}px${fill ? `;fill:${fill}` : ""}`,
    },
    text,
  );
}

/** Return a drawing of a molecule, colored by element, that is at most so wide and high; null of other graphs. */
export function formulaDrawing(graph, width, height) {
  if (!graph.atoms) return null;
  const placed = placeNodes(graph);
  const unit = edgeLength(graph, placed);
  const axes = [0, 1].map((axis) => placed.map((point) => point[axis]));
  const [low, high] = [axes.map((values) => Math.min(...values)), axes.map((values) => Math.max(...values))];
  const [edgeX, edgeY] = [18, 10]; // for letters
  const rooms = [width - 2 * edgeX, height - 2 * edgeY];
  const fit = rooms.map((room, axis) => room / Math.max(high[axis] - low[axis], 1e-9));
  const scale = Math.min(...fit, LONGEST_BOND / unit);
  const middle = low.map((value, axis) => (value + high[axis]) / 2);
  const points = placed.map(([x, y]) => [width / 2 + scale * (x - middle[0]), height / 2 - scale * (y - middle[1])]);
  return shape(
    "svg",
    { class: "formula-drawing", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    formulaShape(graph, points, { colored: true }),
  );
}
