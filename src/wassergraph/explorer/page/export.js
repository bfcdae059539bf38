// Save pictures as SVG or PNG, on a white background.

import { rgbText } from "./colors.js";
import { shape } from "./dom.js";

//: How many pixels of a PNG file one unit of a drawing has, and how many letters each part of a file's name.
const [SHARPNESS, MOST_LETTERS] = [3, 26];
//: Characters that XML does not allow, not even as references.
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

//: The width of a scale of colors.
export const RAMP_WIDTH = 120;
const RAMP_STEPS = 60;

/** Return a scale of colors as shapes; `color` returns the color of a share from 0 to 1. */
export function rampShapes(x, y, color) {
  const step = RAMP_WIDTH / RAMP_STEPS;
  return Array.from({ length: RAMP_STEPS }, (_, k) =>
    shape("rect", { x: x + step * k, y, width: 1.1 * step, height: 10, fill: rgbText(color(k / (RAMP_STEPS - 1))) }),
  );
}

const measure = document.createElement("canvas").getContext("2d");

/** Return the width of a text in pixels. */
export function textWidth(text, font = "12px system-ui, sans-serif") {
  measure.font = font;
  return measure.measureText(text).width;
}

/** Return a text, shortened so that it is at most so many pixels wide. */
export function fitText(text, width, font) {
  const fits = (shown) => textWidth(shown, font) <= width;
  if (text.length <= width && fits(text)) return text;
  const letters = [...text].slice(0, Math.floor(width));
  while (letters.length && !fits(`${letters.join("")}…`)) letters.pop();
  return `${letters.join("")}…`;
}

/** Return the lines of a text that is broken between words, so that it is at most so many pixels wide. */
export function wrapText(text, width) {
  const lines = [];
  for (const word of text.split(" ").filter(Boolean)) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && textWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Return the text of a drawing as a file of its own. */
export function svgText(drawing) {
  const copy = drawing.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const [, , width, height] = copy.getAttribute("viewBox").split(" ").map(Number);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.prepend(shape("rect", { width: "100%", height: "100%", fill: "white" }));
  copy.prepend(
    shape(
      "style",
      {},
      "text{font:12px system-ui,sans-serif;fill:#222}.edge{stroke:#999}.ink{stroke:#222}.line{stroke:#d55e00}" +
        ".bond{stroke:#222}.wedge{fill:#222}.symbol{paint-order:stroke;stroke:#fff;stroke-width:2px;stroke-opacity:.7}.tinted circle{fill-opacity:.6}",
    ),
  );
  return new XMLSerializer().serializeToString(copy).replace(FORBIDDEN, "\ufffd");
}

/** Save a drawing of SVG, in either format, as a file whose name has the given parts. */
export async function saveDrawing(drawing, parts, format) {
  const text = svgText(drawing);
  const name = parts
    .map((part) => [...part.replace(/[^\p{L}\p{N}_.-]+/gu, "_")].slice(0, MOST_LETTERS).join(""))
    .join("-");
  const file = new Blob([text], { type: "image/svg+xml" });
  download(format === "svg" ? file : await toPng(file, drawing), `${name}.${format}`);
}

async function toPng(file, drawing) {
  const [, , width, height] = drawing.getAttribute("viewBox").split(" ").map(Number);
  const address = URL.createObjectURL(file);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [Math.round(SHARPNESS * width), Math.round(SHARPNESS * height)];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

function download(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
