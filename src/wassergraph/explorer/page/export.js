// Save pictures as SVG or PNG, on a white background.

import { shape } from "./dom.js";

//: How many pixels of a PNG file one unit of a drawing has, and how many letters each part of a file's name.
const [SHARPNESS, MOST_LETTERS] = [3, 26];
//: Characters that XML does not allow, not even as references.
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

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
      "text{font:12px system-ui,sans-serif;fill:#222}.edge{stroke:#999}.ink{stroke:#222}.line{stroke:#d55e00}",
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
