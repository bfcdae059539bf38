// The optimal transport plan between two graphs, by successive shortest paths: exact, and short enough for a page.
// The functions up to PLAN_FUNCTIONS also run in a worker: they use nothing but each other and their arguments.

import { EMBEDDING_FUNCTIONS, groundCosts } from "./embedding.js";

/**
 * Solve a transport problem with positive integer masses, whose sums are equal, and costs (n × m).
 * Return the moves as [source, sink, mass] and the potentials, whose sums nowhere exceed the cost.
 */
export function solveTransport(costs, supply, demand, progress) {
  const [n, m] = [supply.length, demand.length];
  const [left, need] = [Float64Array.from(supply), Float64Array.from(demand)];
  const [u, v] = [new Float64Array(n).fill(Infinity), new Float64Array(m).fill(Infinity)];
  const received = Array.from({ length: m }, () => new Map());
  const move = (i, j, mass) => {
    const sum = (received[j].get(i) ?? 0) + mass;
    if (sum > 0) received[j].set(i, sum);
    else received[j].delete(i);
  };
  // Begin with potentials from the cheapest moves, and make those that cost nothing more.
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) v[j] = Math.min(v[j], costs[i * m + j]);
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) u[i] = Math.min(u[i], costs[i * m + j] - v[j]);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m && left[i] > 0; j++) {
      if (need[j] === 0 || costs[i * m + j] - v[j] !== u[i]) continue;
      const mass = Math.min(left[i], need[j]);
      move(i, j, mass);
      left[i] -= mass;
      need[j] -= mass;
    }
  }
  const [near, reached, via, from] = [new Float64Array(m), new Float64Array(n), new Int32Array(m), new Int32Array(n)];
  for (let source = 0; source < n; source++) {
    while (left[source] > 0) {
      // Find the shortest path (Dijkstra) from the source to a sink that needs mass, in costs reduced by potentials.
      near.fill(Infinity);
      reached.fill(Infinity);
      const scanned = [];
      const done = new Uint8Array(m);
      const scan = (i, length) => {
        reached[i] = length;
        for (let j = 0; j < m; j++) {
          if (done[j]) continue;
          const longer = length + Math.max(costs[i * m + j] - u[i] - v[j], 0);
          if (longer < near[j]) [near[j], via[j]] = [longer, i];
        }
      };
      scan(source, 0);
      let sink;
      for (;;) {
        sink = -1;
        for (let j = 0; j < m; j++) if (!done[j] && (sink < 0 || near[j] < near[sink])) sink = j;
        if (need[sink] > 0) break;
        done[sink] = 1;
        scanned.push(sink);
        for (const i of received[sink].keys()) {
          if (reached[i] === Infinity) {
            from[i] = sink;
            scan(i, near[sink]);
          }
        }
      }
      for (let i = 0; i < n; i++) if (reached[i] < Infinity) u[i] += near[sink] - reached[i];
      for (const j of scanned) v[j] -= near[sink] - near[j];
      // Move as much along the path as it allows.
      let mass = Math.min(left[source], need[sink]);
      for (let i = via[sink]; i !== source; i = via[from[i]]) mass = Math.min(mass, received[from[i]].get(i));
      left[source] -= mass;
      need[sink] -= mass;
      for (let j = sink; ; j = from[via[j]]) {
        move(via[j], j, mass);
        if (via[j] === source) break;
        move(via[j], from[via[j]], -mass);
      }
    }
    if (progress) progress((source + 1) / n);
  }
  const moves = received.flatMap((masses, j) => [...masses].map(([i, mass]) => [i, j, mass]));
  return { moves, potentials: [u, v] };
}

/**
 * Return the plan between two graphs: its cost and distance, the moves as [node, other node, mass, ground cost],
 * the nodes without a partner, and the cost of each node of both graphs.
 */
export function computePlan(pair, embedding, progress) {
  const costs = groundCosts(pair, embedding);
  const plan =
    embedding.price === null
      ? planOfShares(pair, costs, progress)
      : planOfCounts(pair, costs, embedding.price, progress);
  const [n, m] = pair.map((graph) => graph.n);
  const alone = plan.unmatched.map((mass) => mass.reduce((sum, each) => sum + each, 0));
  // A node pays for its moves, and for itself if it has no partner; nodes of the other graph without one are shared.
  const nodeCosts = [n, m].map((size, side) =>
    plan.unmatched[side].map((own) => plan.price * (own + alone[1 - side] / size)),
  );
  let cost = plan.price * (alone[0] + alone[1]);
  for (const [i, j, mass, ground] of plan.moves) {
    cost += mass * ground;
    nodeCosts[0][i] += mass * ground;
    nodeCosts[1][j] += mass * ground;
  }
  plan.moves.sort((one, two) => two[2] * two[3] - one[2] * one[3] || one[0] - two[0] || one[1] - two[1]);
  const apart = embedding.size_weight * Math.abs(Math.log(n) - Math.log(m));
  return { ...plan, cost, distance: cost + apart, nodeCosts };
}

/** Move nodes whose masses are shares of 1, or weights. */
export function planOfShares(pair, costs, progress) {
  const [n, m] = pair.map((graph) => graph.n);
  const masses = pair[0].masses
    ? pair.map((graph) => graph.masses)
    : [new Float64Array(n).fill(m), new Float64Array(m).fill(n)];
  const total = masses[0].reduce((sum, mass) => sum + mass, 0);
  const { moves } = solveTransport(costs, ...masses, progress);
  return {
    moves: moves.map(([i, j, mass]) => [i, j, mass / total, costs[i * m + j]]),
    unmatched: [new Float64Array(n), new Float64Array(m)],
    price: 0,
  };
}

/** Match nodes of mass 1: one node more on the smaller side takes what remains, and far pairs stay apart. */
export function planOfCounts(pair, costs, price, progress) {
  const [n, m] = pair.map((graph) => graph.n);
  const [rows, columns] = [n + (n < m ? 1 : 0), m + (m < n ? 1 : 0)];
  const padded = new Float64Array(rows * columns).fill(price);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < m; j++) padded[i * columns + j] = Math.min(costs[i * m + j], 2 * price);
  const [supply, demand] = [new Float64Array(rows).fill(1), new Float64Array(columns).fill(1)];
  if (n < m) supply[n] = m - n;
  if (m < n) demand[m] = n - m;
  const unmatched = [new Float64Array(n), new Float64Array(m)];
  const moves = [];
  for (const [i, j, mass] of solveTransport(padded, supply, demand, progress).moves) {
    if (i < n && j < m && costs[i * m + j] <= 2 * price) moves.push([i, j, mass, costs[i * m + j]]);
    else {
      if (i < n) unmatched[0][i] += mass;
      if (j < m) unmatched[1][j] += mass;
    }
  }
  return { moves, unmatched, price };
}

const PLAN_FUNCTIONS = [solveTransport, computePlan, planOfShares, planOfCounts];

//: Plans of graphs with more nodes than this are computed in a worker, so that the page stays responsive.
const MAX_NODES_HERE = 300;

/** Return a promise of a plan, and a function that ends the computation. */
export function requestPlan(pair, embedding, progress) {
  if (Math.max(pair[0].n, pair[1].n) <= MAX_NODES_HERE) {
    return { plan: Promise.resolve().then(() => computePlan(pair, embedding)), cancel: () => {} };
  }
  const source = [...EMBEDDING_FUNCTIONS, ...PLAN_FUNCTIONS, runWorker].map(String).join("\n");
  const address = URL.createObjectURL(new Blob([`${source}\nrunWorker();`], { type: "text/javascript" }));
  const worker = new Worker(address);
  const cancel = () => {
    worker.terminate();
    URL.revokeObjectURL(address);
  };
  const plan = new Promise((resolve, reject) => {
    worker.onerror = (event) => reject(new Error(event.message || "the plan could not be computed"));
    worker.onmessage = ({ data }) => {
      if (data.share !== undefined) return progress(data.share);
      cancel();
      resolve(data.plan);
    };
  });
  worker.postMessage({ pair, embedding });
  return { plan, cancel };
}

/** Answer the message of a page with a plan. */
function runWorker() {
  onmessage = ({ data }) => {
    let last = 0;
    const progress = (share) => {
      if (performance.now() - last < 200) return;
      last = performance.now();
      postMessage({ share });
    };
    postMessage({ plan: computePlan(data.pair, data.embedding, progress) });
  };
}
