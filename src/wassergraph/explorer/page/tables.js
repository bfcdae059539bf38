// The tables: nearest neighbors of A, graphs that were predicted wrongly, and graphs found by name.

import { byId, element, number, selectButtons, short, showPressed } from "./dom.js";

//: How many rows a table shows at most.
const MOST_ROWS = 300;
const MOST_FOUND = 8;

/** Return the class or number of a graph as text. */
export function targetText(target, graph) {
  if (target === null) return "";
  if (target.kind === "numbers")
    return !target.known || target.known[graph] ? number(target.numbers[graph]) : "unknown";
  return target.codes[graph] < 0 ? "unknown" : target.values[target.codes[graph]];
}

export class Tables {
  constructor(content, selection) {
    Object.assign(this, { content, selection });
    this.fillErrors();
    byId("find").addEventListener("input", () => this.find());
    byId("find").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.found.length) selection.set(event.shiftKey ? "b" : "a", this.found[0]);
    });
    selection.addEventListener("change", () => this.update());
    this.update();
  }

  update() {
    if (this.listed !== this.selection.a) this.fillNeighbors();
    for (const id of ["neighbors-panel", "errors-panel", "found"]) showPressed(byId(id), this.selection);
  }

  row(graph, ...cells) {
    const name = this.content.names[graph];
    return element(
      "tr",
      {},
      element("td", { class: "screen" }, selectButtons(this.selection, graph, name)),
      element("th", { scope: "row", class: "name", title: name }, name),
      ...cells.map(([text, numeric]) => element("td", numeric ? { class: "number" } : {}, text)),
    );
  }

  target(graph) {
    const { target } = this.content;
    return target === null ? [] : [[targetText(target, graph), target.kind === "numbers"]];
  }

  fillNeighbors() {
    const { neighbors, names, target } = this.content;
    const k = neighbors.positions.shape[1];
    const { a } = this.selection;
    this.listed = a;
    byId("neighbors-of").textContent = names[a];
    byId("neighbors-target").textContent = target === null ? "" : target.name;
    byId("neighbors-target").hidden = target === null;
    byId("neighbors-target").className = target?.kind === "numbers" ? "number" : "";
    const rows = Array.from({ length: k }, (_, rank) => {
      const graph = neighbors.positions[a * k + rank];
      return this.row(graph, ...this.target(graph), [number(neighbors.distances[a * k + rank]), true]);
    });
    byId("neighbors-body").replaceChildren(...rows);
  }

  fillErrors() {
    const { predictions, target } = this.content;
    byId("errors-panel").hidden = predictions === null;
    if (predictions === null) return;
    const numbers = target.kind === "numbers";
    const tested = (g) => !predictions.tested || predictions.tested[g] === 1;
    const known = (g) => (numbers ? !target.known || target.known[g] === 1 : target.codes[g] >= 0);
    const graphs = Array.from({ length: this.content.n_graphs }, (_, g) => g).filter((g) => tested(g) && known(g));
    const [listed, columns] = numbers ? this.largestErrors(graphs) : this.misclassified(graphs);
    byId("errors-title").textContent = numbers ? "Largest errors" : "Misclassified graphs";
    const rest = listed.length > MOST_ROWS ? ` The first ${MOST_ROWS} are listed.` : "";
    const counts = numbers ? "" : `${listed.length} of ${graphs.length.toLocaleString("en")} are misclassified. `;
    byId("errors-note").textContent = `${counts}${predictions.source}.${rest}`;
    byId("errors-head").append(
      element("th", { scope: "col", class: "screen" }, "select"),
      element("th", { scope: "col" }, this.content.noun),
      ...columns.map(([title, numeric]) => element("th", { scope: "col", class: numeric ? "number" : null }, title)),
    );
    byId("errors-body").append(...listed.slice(0, MOST_ROWS).map(({ graph, cells }) => this.row(graph, ...cells)));
  }

  misclassified(graphs) {
    const { predictions, target } = this.content;
    const { predicted, decisions, decision_names: names } = predictions;
    const width = names.length;
    const single = width === 1;
    const decision = (g, code) => (single ? decisions[g] : decisions[g * width + code]);
    const margin = (g) =>
      !decisions ? 0 : single ? Math.abs(decisions[g]) : decision(g, predicted[g]) - decision(g, target.codes[g]);
    const wrong = graphs
      .filter((g) => predicted[g] !== target.codes[g])
      .sort((one, two) => margin(two) - margin(one) || one - two);
    const columns = [
      [target.name, false],
      ["predicted", false],
    ];
    if (decisions)
      columns.push(
        ...(single
          ? [[`decision for ${names[0]}`, true]]
          : [
              ["its score", true],
              ["score of the predicted class", true],
            ]),
      );
    const cells = (g) => {
      const texts = [
        [target.values[target.codes[g]], false],
        [target.values[predicted[g]], false],
      ];
      if (decisions)
        texts.push(
          ...(single ? [decision(g)] : [decision(g, target.codes[g]), decision(g, predicted[g])]).map((value) => [
            short(value),
            true,
          ]),
        );
      return texts;
    };
    return [wrong.map((graph) => ({ graph, cells: cells(graph) })), columns];
  }

  largestErrors(graphs) {
    const { predictions, target } = this.content;
    const error = (g) => predictions.predicted[g] - target.numbers[g];
    const sorted = [...graphs].sort((one, two) => Math.abs(error(two)) - Math.abs(error(one)) || one - two);
    const cells = (g) => [target.numbers[g], predictions.predicted[g], error(g)].map((value) => [short(value), true]);
    return [
      sorted.map((graph) => ({ graph, cells: cells(graph) })),
      [
        [target.name, true],
        ["predicted", true],
        ["error", true],
      ],
    ];
  }

  find() {
    const text = byId("find").value.trim().toLowerCase();
    const { names } = this.content;
    this.found = [];
    // Names that begin with the text come before those that contain it.
    for (const matches of [(name) => name.startsWith(text), (name) => name.includes(text)]) {
      for (let g = 0; g < names.length && text && this.found.length < MOST_FOUND; g++) {
        if (matches(names[g].toLowerCase()) && !this.found.includes(g)) this.found.push(g);
      }
    }
    byId("found-body").replaceChildren(...this.found.map((g) => this.row(g, ...this.target(g))));
    byId("found").hidden = !text;
    byId("found-note").textContent = this.found.length ? "" : "No name contains this text.";
  }
}
