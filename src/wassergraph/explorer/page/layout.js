// Places of the nodes of small graphs, and turning one graph so that it matches another by a plan.

import { listArcs } from "./embedding.js";

const STEPS = 60;

/** Return places [x, y] of the nodes of a graph, upwards: those that it has, or with distances like in the graph. */
export function placeNodes(graph) {
  if (graph.places) return Array.from({ length: graph.n }, (_, v) => [graph.places[0][v], graph.places[1][v]]);
  const lengths = pathLengths(graph);
  const points = scalePlaces(lengths);
  for (let step = 0; step < STEPS; step++) reduceStress(points, lengths);
  return points;
}

/** Return the lengths of shortest paths; nodes that are not connected are a little farther apart than any others. */
function pathLengths(graph) {
  const arcs = listArcs(graph);
  let longest = 0;
  const lengths = arcs.map((_, source) => {
    const row = new Float64Array(graph.n).fill(Infinity);
    row[source] = 0;
    const queue = [source];
    for (const node of queue) {
      for (const [next] of arcs[node]) {
        if (row[next] < Infinity) continue;
        row[next] = row[node] + 1;
        queue.push(next);
      }
    }
    longest = Math.max(longest, row[queue.at(-1)]);
    return row;
  });
  return lengths.map((row) => row.map((length) => (length === Infinity ? longest + 1 : length)));
}

/** Return first places by classical scaling: two leading eigenvectors of the centered squares, by power iteration. */
function scalePlaces(lengths) {
  const n = lengths.length;
  const squares = lengths.map((row) => row.map((length) => length * length));
  const means = squares.map((row) => row.reduce((sum, value) => sum + value, 0) / n);
  const mean = means.reduce((sum, value) => sum + value, 0) / n;
  const centered = squares.map((row, i) => row.map((value, j) => -0.5 * (value - means[i] - means[j] + mean)));
  const axes = [];
  for (let axis = 0; axis < 2; axis++) {
    let vector = Float64Array.from({ length: n }, (_, i) => Math.cos(2.399963 * (i + 1) * (axis + 1)));
    let size = 0;
    for (let step = 0; step < 50; step++) {
      for (const other of axes) {
        const along = other.vector.reduce((sum, value, i) => sum + value * vector[i], 0);
        vector = vector.map((value, i) => value - along * other.vector[i]);
      }
      const next = centered.map((row) => row.reduce((sum, value, j) => sum + value * vector[j], 0));
      size = Math.hypot(...next);
      if (size < 1e-9) break;
      vector = Float64Array.from(next, (value) => value / size);
    }
    axes.push({ vector, scale: Math.sqrt(size) });
  }
  // Nodes with equal distances to all others, such as the leaves of a star, must not begin at the same place.
  return lengths.map((_, i) =>
    axes.map(({ vector, scale }, axis) => scale * vector[i] + 0.01 * (axis ? Math.sin : Math.cos)(2.399963 * i)),
  );
}

/** Move every node to where its distances to all others would have it, weighted by their inverse squares. */
function reduceStress(points, lengths) {
  for (let i = 0; i < points.length; i++) {
    let [x, y, total] = [0, 0, 0];
    for (let j = 0; j < points.length; j++) {
      if (i === j) continue;
      const weight = 1 / lengths[i][j] ** 2;
      const [dx, dy] = [points[i][0] - points[j][0], points[i][1] - points[j][1]];
      const ratio = lengths[i][j] / Math.max(Math.hypot(dx, dy), 1e-9);
      x += weight * (points[j][0] + ratio * dx);
      y += weight * (points[j][1] + ratio * dy);
      total += weight;
    }
    if (total) points[i] = [x / total, y / total];
  }
}

/** Return points moved so that their mean is at the origin. */
export function centerPoints(points) {
  const mean = [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);
  return points.map(([x, y]) => [x - mean[0], y - mean[1]]);
}

/** Return points turned so that their longest direction is upright. */
export function uprightPoints(points) {
  const centered = centerPoints(points);
  let [xx, xy, yy] = [0, 0, 0];
  for (const [x, y] of centered) [xx, xy, yy] = [xx + x * x, xy + x * y, yy + y * y];
  return turnPoints(centered, Math.PI / 2 - Math.atan2(2 * xy, xx - yy) / 2, 1);
}

function turnPoints(points, angle, mirror) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return points.map(([x, y]) => [cos * mirror * x - sin * y, sin * mirror * x + cos * y]);
}

/**
 * Return the places of the second graph turned, and perhaps mirrored, so that its nodes are where the plan moves those
 * of the first, and whether they are mirrored. The angle is a multiple of the step, if there is one.
 */
export function matchPoints(points, places, moves, step) {
  const centered = centerPoints(points);
  const fit = [1, -1].map((mirror) => {
    let [along, across] = [0, 0];
    for (const [i, j, mass] of moves) {
      const [x, y] = [mirror * centered[j][0], centered[j][1]];
      along += mass * (x * places[i][0] + y * places[i][1]);
      across += mass * (x * places[i][1] - y * places[i][0]);
    }
    const best = Math.atan2(across, along);
    const angle = step ? step * Math.round(best / step) : best;
    return { mirror, angle, gain: along * Math.cos(angle) + across * Math.sin(angle) };
  });
  const { angle, mirror } = fit[0].gain >= fit[1].gain ? fit[0] : fit[1];
  return { points: turnPoints(centered, angle, mirror), mirrored: mirror < 0 };
}

/** Return the median length of the edges of a graph; without any, the median distance of a node to the nearest one. */
export function edgeLength(graph, points) {
  const lengths = [];
  for (let e = 0; e < graph.one.length; e++) {
    const [one, two] = [points[graph.one[e]], points[graph.two[e]]];
    if (graph.one[e] !== graph.two[e]) lengths.push(Math.hypot(one[0] - two[0], one[1] - two[1]));
  }
  if (!lengths.length) lengths.push(...nearestDistances(points));
  lengths.sort((one, two) => one - two);
  return lengths[lengths.length >> 1] || 1;
}

function nearestDistances(points) {
  if (points.length === 1) return [];
  const distance = ([x, y], other) => Math.hypot(x - other[0], y - other[1]);
  return points.map((point, i) =>
    points.reduce((least, other, j) => (i === j ? least : Math.min(least, distance(point, other))), Infinity),
  );
}
