// The tables: nearest neighbors of A, graphs that were predicted wrongly, and graphs found by name.

import { isKnown } from "./colors.js";
import { formulaDrawing } from "./formula.js";
import { byId, element, number, refill, selectButtons, short, showPressed } from "./dom.js";

//: How many rows a table shows at most.
const MOST_ROWS = 300;
const MOST_FOUND = 8;
//: The width and height of the formula of a molecule in a row, in pixels.
const FORMULA_SIZE = [170, 96];

/** Return the class or number of a graph as text. */
export function targetText(target, graph) {
  if (target === null) return "";
  if (!isKnown(target, graph)) return "unknown";
  return target.kind === "numbers" ? number(target.numbers[graph]) : target.values[target.codes[graph]];
}

/** Return the predicted class or number of a graph as text; nothing if there is none. */
export function predictedText({ predictions, target }, graph) {
  if (predictions === null || predictions.tested?.[graph] === 0) return "";
  const predicted = predictions.predicted[graph];
  return target.kind === "numbers" ? number(predicted) : target.values[predicted];
}

/** Return a text on two lines at most. */
const lines = (text) => element("div", { class: "lines" }, text);

const isOrAre = (n) => (n === 1 ? "is" : "are");

export class Tables {
  constructor(content, selection, readGraph) {
    Object.assign(this, { content, selection, readGraph });
    this.found = [];
    for (const heading of document.querySelectorAll("th.structure")) heading.hidden = !content.graphs.atoms;
    this.fillErrors();
    this.listen();
    selection.addEventListener("change", () => this.update());
    this.update();
  }

  listen() {
    const [field, finder] = [byId("find"), byId("find").parentElement];
    for (const event of ["input", "focus"]) field.addEventListener(event, () => this.find());
    field.addEventListener("keydown", ({ key, shiftKey }) => {
      if (key === "Enter" && this.found.length) this.selection.set(shiftKey ? "b" : "a", this.found[0]);
    });
    const close = () => {
      byId("found").hidden = true;
    };
    finder.addEventListener("keydown", ({ key }) => key === "Escape" && close());
    addEventListener("pointerdown", ({ target }) => finder.contains(target) || close());
  }

  update() {
    if (this.listed !== this.selection.a) this.fillNeighbors();
    for (const id of ["neighbors-panel", "errors-panel", "found"]) showPressed(byId(id), this.selection);
  }

  row(graph, ...cells) {
    const name = this.content.names[graph];
    const formula = formulaDrawing(this.readGraph(graph), ...FORMULA_SIZE);
    return element(
      "tr",
      {},
      element("td", { class: "screen" }, selectButtons(this.selection, graph, name)),
      ...(formula ? [element("td", { class: "structure" }, formula)] : []),
      element("th", { scope: "row", class: "name", title: name }, lines(name)),
      ...cells.map(([text, numeric]) =>
        numeric ? element("td", { class: "number" }, text) : element("td", { class: "name", title: text }, lines(text)),
      ),
    );
  }

  target(graph) {
    const { target } = this.content;
    return target === null ? [] : [[targetText(target, graph), target.kind === "numbers"]];
  }

  predicted(graph) {
    const { predictions, target } = this.content;
    return predictions === null ? [] : [[predictedText(this.content, graph), target.kind === "numbers"]];
  }

  fillNeighbors() {
    const { neighbors, names, predictions, target } = this.content;
    const k = neighbors.positions.shape[1];
    const { a } = this.selection;
    this.listed = a;
    byId("neighbors-of").textContent = names[a];
    byId("neighbors-target").textContent = target === null ? "" : target.name;
    byId("neighbors-target").hidden = target === null;
    byId("neighbors-predicted").hidden = predictions === null;
    for (const id of ["neighbors-target", "neighbors-predicted"])
      byId(id).className = target?.kind === "numbers" ? "number" : "name";
    const rows = Array.from({ length: k }, (_, rank) => {
      const graph = neighbors.positions[a * k + rank];
      const distance = [number(neighbors.distances[a * k + rank]), true];
      return this.row(graph, ...this.target(graph), ...this.predicted(graph), distance);
    });
    refill(byId("neighbors-body"), rows);
  }

  fillErrors() {
    const { predictions, target } = this.content;
    byId("errors-panel").hidden = predictions === null;
    if (predictions === null) return;
    const all = Array.from({ length: this.content.n_graphs }, (_, g) => g);
    const tested = all.filter((g) => predictions.tested?.[g] !== 0);
    const graphs = tested.filter((g) => isKnown(target, g));
    const numbers = target.kind === "numbers";
    let [title, listed, columns] = ["Predictions", ...this.predictions(tested)];
    if (graphs.length && numbers) [title, listed, columns] = ["Largest errors", ...this.largestErrors(graphs)];
    if (graphs.length && !numbers) [title, listed, columns] = ["Misclassified graphs", ...this.misclassified(graphs)];
    byId("errors-title").textContent = title;
    const rest = all.length - graphs.length;
    const [wrong, known, more] = [listed.length, graphs.length, rest].map((n) => n.toLocaleString("en"));
    const notes = [predictions.source];
    if (graphs.length && !numbers) notes.unshift(`${wrong} of ${known} ${isOrAre(listed.length)} misclassified.`);
    if (graphs.length && rest)
      notes.push(`${more} ${rest === 1 ? "other" : "others"} ${isOrAre(rest)} unknown, or not predicted.`);
    if (listed.length > MOST_ROWS) notes.push(`The first ${MOST_ROWS} are listed.`);
    byId("errors-note").textContent = notes.join(" ");
    byId("errors-head").append(
      element("th", { scope: "col", class: "screen" }, "select"),
      ...(this.content.graphs.atoms ? [element("th", { scope: "col", class: "structure" }, "structure")] : []),
      element("th", { scope: "col" }, this.content.noun),
      ...columns.map(([text, numeric]) => element("th", { scope: "col", class: numeric ? "number" : "name" }, text)),
    );
    byId("errors-body").append(...listed.slice(0, MOST_ROWS).map(({ graph, cells }) => this.row(graph, ...cells)));
  }

  /** Return all predictions: classes in the order of the graphs, numbers from the largest to the smallest. */
  predictions(graphs) {
    const { predictions, target } = this.content;
    const { predicted, decisions, decision_names: names } = predictions;
    const numbers = target.kind === "numbers";
    const sorted = numbers ? [...graphs].sort((one, two) => predicted[two] - predicted[one] || one - two) : graphs;
    const columns = [[`predicted ${target.name}`, numbers]];
    if (decisions) columns.push([names.length === 1 ? `decision for ${names[0]}` : "its score", true]);
    const score = (g) => decisions[g * names.length + (names.length === 1 ? 0 : predicted[g])];
    const scores = (g) => (decisions ? [[short(score(g)), true]] : []);
    return [sorted.map((graph) => ({ graph, cells: [...this.predicted(graph), ...scores(graph)] })), columns];
  }

  misclassified(graphs) {
    const { predictions, target } = this.content;
    const { predicted, decisions, decision_names: names } = predictions;
    const width = names.length;
    const single = width === 1;
    // A class that the model does not know comes after its own, and has no score: it is as wrong as can be.
    const decision = (g, code) => (single ? decisions[g] : code < width ? decisions[g * width + code] : NaN);
    const lowest = (g) => Math.min(...decisions.subarray(g * width, (g + 1) * width));
    const margin = (g) => {
      if (!decisions) return 0;
      if (single) return Math.abs(decisions[g]);
      return decision(g, predicted[g]) - (target.codes[g] < width ? decision(g, target.codes[g]) : lowest(g));
    };
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
    const cells = (g) => [...this.target(g), ...this.predicted(g), [short(error(g)), true]];
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
    refill(
      byId("found-body"),
      this.found.map((g) => this.row(g, ...this.target(g))),
    );
    byId("found").hidden = !text;
    byId("found-note").textContent = this.found.length ? "" : "No name contains this text.";
  }
}
