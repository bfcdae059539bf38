// The two selected graphs, A and B, which all panels show and the address of the page keeps.

export class Selection extends EventTarget {
  /** Begin with what the address says, or with the first graph and its nearest neighbor. */
  constructor(content) {
    super();
    this.n = content.n_graphs;
    this.neighbors = content.neighbors;
    this.maps = content.maps.map((map) => map.id);
    this.next = "a"; // what a click selects
    this.a = 0;
    this.b = this.nearest(0);
    this.map = this.maps[0];
    this.read();
    addEventListener("hashchange", () => {
      this.read();
      this.changed();
    });
  }

  /** Return the nearest neighbor of a graph that differs from it, or the nearest one, or the graph if it is alone. */
  nearest(graph) {
    const { positions, distances } = this.neighbors;
    const k = positions.shape[1];
    const ranks = Array.from({ length: k }, (_, rank) => graph * k + rank);
    return positions[ranks.find((at) => distances[at] > 0) ?? graph * k] ?? graph;
  }

  read() {
    const fields = new URLSearchParams(location.hash.slice(1));
    const graph = (key) =>
      /^\d+$/.test(fields.get(key) ?? "") && Number(fields.get(key)) < this.n ? Number(fields.get(key)) : null;
    this.a = graph("a") ?? this.a;
    this.b = graph("b") ?? (graph("a") === null ? this.b : this.nearest(this.a));
    if (this.maps.includes(fields.get("map"))) this.map = fields.get("map");
  }

  set(which, graph) {
    this[which] = graph;
    this.changed();
  }

  /** Select the graph that was clicked; with the shift key, the other one of A and B. */
  click(graph, shift) {
    const other = this.next === "a" ? "b" : "a";
    this.set(shift ? other : this.next, graph);
  }

  setPair(a, b) {
    [this.a, this.b] = [a, b];
    this.changed();
  }

  setMap(map) {
    this.map = map;
    this.changed();
  }

  changed() {
    const address = `#a=${this.a}&b=${this.b}&map=${this.map}`;
    // A page in a frame of a notebook may have no address of its own.
    try {
      if (location.hash !== address) history.replaceState(null, "", address);
    } catch {
      // The selection is kept in the page alone.
    }
    this.dispatchEvent(new Event("change"));
  }
}
