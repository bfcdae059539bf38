// Embed the nodes of two graphs by Weisfeiler–Lehman iterations, and compute the ground costs between them.
// The functions from embedNodes on also run in a worker: they use nothing but each other and their arguments.

/** Return a function that returns a graph of the collection by its number. */
export function graphReader(content) {
  const { graphs, names } = content;
  const nodes = firstPositions(graphs.sizes);
  const edges = firstPositions(graphs.n_edges);
  const placed = firstPositions(graphs.sizes.map((size, g) => size * graphs.placed[g]));
  const attributes = graphs.attributes?.map(readColumn);
  const weights = graphs.edge_weights?.map(readColumn);
  const n_edges = graphs.edges.shape[1];
  const total = graphs.places.shape[1];
  const row = (array, number, begin, end) => array?.subarray(number * n_edges + begin, number * n_edges + end);
  return (g) => {
    const n = graphs.sizes[g];
    const range = [edges[g], edges[g] + graphs.n_edges[g]];
    const labels = graphs.edge_labels;
    return {
      name: names[g],
      n,
      one: row(graphs.edges, 0, ...range),
      two: row(graphs.edges, 1, ...range),
      edge_labels: labels && [row(labels, 0, ...range), row(labels, labels.shape[0] - 1, ...range)],
      edge_weights: weights && [weights[0], weights.at(-1)].map((column) => column.subarray(...range)),
      labels: graphs.labels?.codes.subarray(nodes[g], nodes[g] + n),
      node_names: graphs.node_names?.slice(nodes[g], nodes[g] + n),
      attributes: attributes?.map((column) => column.subarray(nodes[g], nodes[g] + n)),
      masses: graphs.masses?.subarray(nodes[g], nodes[g] + n),
      bonds: graphs.bonds?.subarray(...range),
      atoms: graphs.atoms && Array.from(graphs.atoms.codes.subarray(nodes[g], nodes[g] + n), (k) => graphs.atoms.texts[k]),
      places: graphs.placed[g]
        ? [0, 1].map((axis) => graphs.places.subarray(axis * total + placed[g], axis * total + placed[g] + n))
        : null,
    };
  };
}

function firstPositions(sizes) {
  let sum = 0;
  return Float64Array.from(sizes, (size) => (sum += size) - size);
}

function readColumn({ values, divisor }) {
  return Float64Array.from(values, (value) => value / divisor);
}

/** Return the codes (one array for each depth) and points (one array) of two graphs. */
export function embedNodes(pair, embedding) {
  const arcs = pair.map(listArcs);
  return {
    codes: embedding.codes && refineLabels(pair, arcs, embedding),
    points: embedding.points && pair.map((graph, k) => averageAttributes(graph, arcs[k], embedding)),
  };
}

/** Return for each node its neighbors, as [node, label of the edge, weight of the edge]. */
export function listArcs(graph) {
  const arcs = Array.from({ length: graph.n }, () => []);
  for (let e = 0; e < graph.one.length; e++) {
    const [u, v] = [graph.one[e], graph.two[e]];
    const data = (way) => [
      graph.edge_labels ? graph.edge_labels[way][e] : 0,
      graph.edge_weights ? graph.edge_weights[way][e] : 1,
    ];
    arcs[u].push([v, ...data(0)]);
    if (u !== v) arcs[v].push([u, ...data(1)]);
  }
  return arcs;
}

/** Refine labels: nodes of both graphs have the same code at a depth if their neighborhoods are the same. */
export function refineLabels(pair, arcs, embedding) {
  let codes = pair.map((graph, k) =>
    embedding.codes === "degrees" ? arcs[k].map((list) => list.length) : Array.from(graph.labels),
  );
  const all = [codes];
  for (let h = 0; h < embedding.depth; h++) {
    const known = new Map();
    const code = (k, v) => {
      const around = arcs[k][v].map(([u, label]) => (embedding.edge_labels ? label + ":" : "") + codes[k][u]).sort();
      const key = codes[k][v] + "|" + around.join(" ");
      if (!known.has(key)) known.set(key, known.size);
      return known.get(key);
    };
    codes = pair.map((graph, k) => arcs[k].map((_, v) => code(k, v)));
    all.push(codes);
  }
  return all;
}

/** Return attributes at depth 0, as they are or as one-hot labels or degrees, standardized if that was asked for; with
 * embedding.degrees the last one is the degree. */
export function firstAttributes(graph, arcs, embedding) {
  const d = embedding.n_attributes;
  const values = new Float64Array(graph.n * d);
  for (let v = 0; v < graph.n; v++) {
    for (let c = 0; c < d; c++) {
      let value;
      if (embedding.points === "degrees" || (embedding.degrees && c === d - 1)) value = arcs[v].length;
      else if (embedding.points === "attributes") value = graph.attributes[c][v];
      else value = embedding.columns[graph.labels[v]] === c ? 1 : 0;
      values[v * d + c] = embedding.mean ? (value - embedding.mean[c]) / embedding.scale[c] : value;
    }
  }
  return values;
}

/** Average attributes over neighbors; return those of all depths, node by node. */
export function averageAttributes(graph, arcs, embedding) {
  const d = embedding.n_attributes;
  const width = (embedding.depth + 1) * d;
  const points = new Float64Array(graph.n * width);
  const first = firstAttributes(graph, arcs, embedding);
  for (let v = 0; v < graph.n; v++) points.set(first.subarray(v * d, (v + 1) * d), v * width);
  for (let h = 0; h < embedding.depth; h++) {
    for (let v = 0; v < graph.n; v++) {
      const alone = arcs[v].length === 0;
      for (let c = 0; c < d; c++) {
        const at = h * d + c;
        const own = points[v * width + at];
        let sum = 0;
        for (const [u, , weight] of arcs[v]) sum += weight * points[u * width + at];
        const keep = alone && embedding.isolated === "keep";
        points[v * width + at + d] = keep ? own : 0.5 * (own + sum / Math.max(arcs[v].length, 1));
      }
    }
  }
  return points;
}

/** Return what it costs to move each node of the first graph to each node of the second (n × m numbers). */
export function groundCosts(pair, embedding) {
  const { codes, points } = embedNodes(pair, embedding);
  const [n, m] = pair.map((graph) => graph.n);
  const costs = new Float64Array(n * m);
  const share = embedding.kind === "joint" ? embedding.label_weight : 1;
  if (codes) {
    for (const [one, two] of codes) {
      for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) if (one[i] !== two[j]) costs[i * m + j]++;
    }
    for (let k = 0; k < n * m; k++) costs[k] = (share * costs[k]) / (embedding.depth + 1);
  }
  if (points) addEuclidean(costs, points, n, m, embedding.kind === "joint" ? 1 - share : null);
  return costs;
}

/** Add Euclidean distances of points; for both kinds together, divided by the root of their dimension. */
export function addEuclidean(costs, [one, two], n, m, share) {
  const width = one.length / n;
  let largest = 0;
  for (const points of [one, two]) for (const value of points) largest = Math.max(largest, Math.abs(value));
  // Dividing by a power of two is exact, and keeps the squares of very large and very small numbers in range.
  const scale = largest ? 2 ** Math.max(-1000, Math.min(1000, Math.floor(Math.log2(largest)))) : 1;
  const [scaledOne, scaledTwo] = [one, two].map((points) => points.map((value) => value / scale));
  const factor = share === null ? scale : (share * scale) / Math.sqrt(width);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      let sum = 0;
      for (let c = 0; c < width; c++) {
        const difference = scaledOne[i * width + c] - scaledTwo[j * width + c];
        sum += difference * difference;
      }
      costs[i * m + j] += factor * Math.sqrt(sum);
    }
  }
}

//: What a worker needs to compute ground costs.
export const EMBEDDING_FUNCTIONS = [
  embedNodes,
  listArcs,
  refineLabels,
  firstAttributes,
  averageAttributes,
  groundCosts,
  addEuclidean,
];
