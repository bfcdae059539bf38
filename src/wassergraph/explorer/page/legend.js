// The legend of the map: what colors and shapes mean, on the page and in saved pictures.

import { rgbText, shareColor } from "./colors.js";
import { element, number, shape } from "./dom.js";
import { fitText, RAMP_WIDTH, rampShapes, textWidth, wrapText } from "./export.js";

//: Sizes of a saved legend in pixels: the space at the sides, the height of a line, the space between entries, the
//: width of a mark, and the largest width of a name as a part of a line.
const [LEGEND_EDGE, LEGEND_LINE, LEGEND_GAP, MARK_WIDTH, WIDEST_NAME] = [10, 20, 14, 15, 0.4];

/** Return whether there is anything to explain. */
export const hasLegend = ({ classes, range }) => Boolean(classes || range);

/** Return the styles to explain, with their numbers of graphs; of numbers, only that of unknown ones, if there are. */
export function legendEntries({ styles, of, range }) {
  const counts = new Float64Array(styles.length);
  for (const style of of) counts[style]++;
  const last = styles.length - 1;
  return styles
    .map((style, k) => ({ ...style, count: `(${counts[k].toLocaleString("en")})`, isShown: counts[k] && k === last }))
    .filter(({ isShown }) => !range || isShown);
}

/** Return the parts of an entry on the page. */
export function entryParts({ color, shape: path, name, count }) {
  const mark = shape(
    "svg",
    { viewBox: "-1.6 -1.6 3.2 3.2", width: 16, height: 16, "aria-hidden": "true" },
    shape("path", { d: path, fill: color, stroke: "#444", "stroke-width": 0.15 }),
  );
  return [mark, element("span", { class: "clip" }, name), element("span", {}, count)];
}

/** Return the scale of numbers on the page. */
export function numberLegend([low, high]) {
  const stops = Array.from({ length: 9 }, (_, k) => rgbText(shareColor(k / 8)));
  return [
    element("span", {}, number(low)),
    element("span", { class: "ramp", style: `background:linear-gradient(90deg,${stops.join()})` }),
    element("span", {}, number(high)),
  ];
}

/**
 * Return the legend and a sentence as shapes of SVG for a saved picture, below a height and at most so wide, and the
 * height with them.
 */
export function legendShapes(styles, sentence, width, top) {
  const [shapes, right] = [[], width - LEGEND_EDGE];
  let [x, y] = [LEGEND_EDGE, top];
  const write = (text, at = x) => shapes.push(shape("text", { x: at.toFixed(1), y: y + 14 }, text));
  /** Put something of a width at the next place, in a new line if this one has no room for it. */
  const put = (wide, draw) => {
    if (x > LEGEND_EDGE && x + wide > right) [x, y] = [LEGEND_EDGE, y + LEGEND_LINE];
    draw();
    x += wide + LEGEND_GAP;
  };
  const fit = (text) => fitText(text, WIDEST_NAME * (right - LEGEND_EDGE));
  if (hasLegend(styles)) {
    const title = fit(styles.name);
    put(textWidth(title), () => write(title));
    if (styles.range) {
      const [low, high] = styles.range.map((value) => number(value));
      const ramp = textWidth(low) + 8;
      put(ramp + RAMP_WIDTH + 8 + textWidth(high), () => {
        write(low);
        shapes.push(...rampShapes(x + ramp, y + 5, shareColor));
        write(high, x + ramp + RAMP_WIDTH + 8);
      });
    }
    for (const { color, shape: path, name, count } of legendEntries(styles)) {
      const text = `${fit(name)} ${count}`;
      put(MARK_WIDTH + textWidth(text), () => {
        const place = `translate(${(x + 5).toFixed(1)} ${y + 10}) scale(5)`;
        shapes.push(shape("path", { d: path, fill: color, transform: place }));
        write(text, x + MARK_WIDTH);
      });
    }
    y += LEGEND_LINE;
  }
  for (const line of wrapText(sentence, right - LEGEND_EDGE)) {
    write(line, LEGEND_EDGE);
    y += LEGEND_LINE;
  }
  return { shapes, height: y + (y > top ? 6 : 0) };
}
