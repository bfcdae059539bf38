// Read the data, and make all panels.

import { coloredTarget, graphStyles } from "./colors.js";
import { unpack } from "./container.js";
import { byId, element, number } from "./dom.js";
import { graphReader } from "./embedding.js";
import { HeatMap } from "./heatmap.js";
import { MapPanel } from "./map.js";
import { PairView } from "./pair.js";
import { Selection } from "./selection.js";
import { predictedText, Tables, targetText } from "./tables.js";

async function start() {
  const content = await unpack(byId("data").textContent);
  byId("title").textContent = content.title;
  byId("facts").append(
    ...content.facts.map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text))),
  );
  const selection = new Selection(content);
  const styles = graphStyles(coloredTarget(content), content.n_graphs);
  const describe = (graph) => {
    const target = targetText(content.target, graph);
    const known = content.target?.kind === "classes" && target !== "unknown" ? `class ${target}` : target;
    const predicted = predictedText(content, graph);
    const facts = [known, predicted && `predicted ${predicted}`].filter(Boolean).join(", ");
    return facts ? `${content.names[graph]} (${facts})` : content.names[graph];
  };
  const readGraph = graphReader(content);
  new MapPanel(content, styles, selection, describe, readGraph);
  new HeatMap(content, styles, selection);
  new Tables(content, selection, readGraph);
  addBar(content, selection, describe);
  new PairView(content, selection, readGraph, describe);
  document.body.dataset.ready = "true";
}

/** Make the bar that says what is selected, and the region that is read out. */
function addBar(content, selection, describe) {
  const show = () => {
    for (const which of ["a", "b"]) {
      const text = describe(selection[which]);
      Object.assign(byId(`selected-${which}`), { textContent: text, title: text });
    }
  };
  byId("swap").addEventListener("click", () => selection.setPair(selection.b, selection.a));
  for (const input of document.querySelectorAll("input[name=next]")) {
    input.checked = input.value === selection.next;
    input.addEventListener("change", () => {
      selection.next = input.value;
    });
  }
  selection.addEventListener("change", show);
  selection.addEventListener("plan", ({ detail: { distance } }) => {
    byId("distance").textContent = distance === null ? "…" : number(distance);
    if (distance === null) return;
    byId("live").textContent =
      `A is ${describe(selection.a)}, B is ${describe(selection.b)}, distance ${number(distance)}`;
  });
  show();
}

start().catch((error) => {
  byId("live").textContent = "";
  byId("failure").hidden = false;
  byId("failure").textContent =
    `This page could not be shown: ${error.message}. It needs a browser of 2023 or later.`;
  throw error;
});
