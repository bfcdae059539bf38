// Elements of the page. What comes from data is text, never HTML.

const SVG = "http://www.w3.org/2000/svg";

/** Return the element of the page with an id. */
export const byId = (id) => document.getElementById(id);

/** Return a new element with attributes and children, which are elements or texts. */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Return a new element of SVG. */
export function shape(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value !== null && value !== undefined && value !== false)
      node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

/** Return a number with six significant digits, or as many as are asked for. */
export function number(value, digits = 6) {
  return Number.isFinite(value) ? String(Number(value.toPrecision(digits))).replaceAll("-", "−") : "–";
}

export const short = (value) => number(value, 4);

export const percent = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;

/** Replace the rows of a table; a button that had the focus gives it to the one in its place. */
export function refill(body, rows) {
  const buttons = () => [...body.querySelectorAll("button")];
  const place = buttons().indexOf(document.activeElement);
  body.replaceChildren(...rows);
  if (place >= 0) (buttons()[place] ?? buttons().at(-1))?.focus({ preventScroll: true });
}

/** Return the buttons that select a graph as A or as B. */
export function selectButtons(selection, graph, name) {
  const button = (which) =>
    element(
      "button",
      {
        type: "button",
        class: `pick pick-${which}`,
        "aria-label": `select ${name} as ${which.toUpperCase()}`,
        "aria-pressed": String(selection[which] === graph),
        "data-graph": graph,
        "data-which": which,
        click: () => selection.set(which, graph),
      },
      which.toUpperCase(),
    );
  return element("span", { class: "picks" }, button("a"), button("b"));
}

/** Update which buttons in a part of the page are pressed. */
export function showPressed(root, selection) {
  for (const button of root.querySelectorAll("button.pick")) {
    button.setAttribute("aria-pressed", String(selection[button.dataset.which] === Number(button.dataset.graph)));
  }
}
