// Colors and shapes of classes, colors of numbers and of places.

//: The colors of Okabe and Ito, which people with color vision deficiency can distinguish; three more, for which shapes
//: must help; ten for many classes; the last is for the rest. They are those of wassergraph.pictures.style.
export const PALETTE = [
  "#0072b2",
  "#e69f00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#d55e00",
  "#f0e442",
  "#8a63c8",
  "#999933",
  "#a0522d",
  "#4b005a",
  "#0b4a12",
  "#1f2fc4",
  "#2fe0bc",
  "#a50078",
  "#e23bf2",
  "#ddc3f5",
  "#5a3c3c",
  "#6a1fef",
  "#ffc396",
  "#7f7f7f",
];

//: Shapes around the origin, of about the same area, as paths of SVG; the last one is for the rest.
export const SHAPES = [
  "M1 0A1 1 0 1 1 -1 0A1 1 0 1 1 1 0Z",
  "M-.89 -.89H.89V.89H-.89Z",
  "M0 -1.25L1.15 .8H-1.15Z",
  "M0 -1.3L1.15 0L0 1.3L-1.15 0Z",
  "M-.42 -1.2H.42V-.42H1.2V.42H.42V1.2H-.42V.42H-1.2V-.42H-.42Z",
  "M0 1.25L1.15 -.8H-1.15Z",
  "M0 -1.15L1.09 -.36L.68 .93H-.68L-1.09 -.36Z",
  "M-1.25 0L.8 -1.15V1.15Z",
  "M1.25 0L-.8 -1.15V1.15Z",
  "M0 -1.4L.33 -.45L1.33 -.43L.53 .17L.82 1.13L0 .56L-.82 1.13L-.53 .17L-1.33 -.43L-.33 -.45Z",
  "M1 0A1 1 0 1 1 -1 0A1 1 0 1 1 1 0Z",
];

//: How graphs are shown of which nothing is known: as a gray cross.
const UNKNOWN = {
  color: "#a0a0a0",
  shape: "M-1 -.5L-.5 -1L0 -.5L.5 -1L1 -.5L.5 0L1 .5L.5 1L0 .5L-.5 1L-1 .5L-.5 0Z",
  name: "unknown",
};

const VIRIDIS = [
  "440154",
  "481a6c",
  "472f7d",
  "414487",
  "39568c",
  "31688e",
  "2a788e",
  "23888e",
  "1f988b",
  "22a884",
  "35b779",
  "54c568",
  "7ad151",
  "a5db36",
  "d2e21b",
  "fde725",
].map((text) => [0, 2, 4].map((at) => parseInt(text.slice(at, at + 2), 16)));

/** Return the red, green and blue (0 to 255) of a share between 0 and 1. */
export function shareColor(share) {
  const at = Math.max(0, Math.min(1, share)) * (VIRIDIS.length - 1);
  const below = Math.min(Math.floor(at), VIRIDIS.length - 2);
  return VIRIDIS[below].map((value, c) => Math.round(value + (at - below) * (VIRIDIS[below + 1][c] - value)));
}

export const rgbText = ([red, green, blue]) => `rgb(${Math.round(red)},${Math.round(green)},${Math.round(blue)})`;

//: Lightness, green to red, and blue to yellow (Oklab) of the corners: lower left and right, upper left and right.
const CORNERS = [
  [0.38, 0, -0.17],
  [0.45, 0.13, 0.09],
  [0.82, -0.08, -0.07],
  [0.88, 0, 0.165],
];
//: The least extent of the shorter side of a graph, as a part of the longer one: a path does not need all colors.
const LEAST_EXTENT = 0.25;

/** Return the color of each place [x, y], upwards, in Oklab: a mixture of the colors of the corners of all places. */
export function placeColors(points) {
  const bounds = [0, 1].map((axis) => {
    const values = points.map((point) => point[axis]);
    return [Math.min(...values), Math.max(...values)];
  });
  const longest = Math.max(...bounds.map(([low, high]) => high - low), 1e-12);
  const shares = (point) =>
    bounds.map(([low, high], axis) => {
      const wide = Math.max(high - low, LEAST_EXTENT * longest);
      return Math.max(0, Math.min(1, (point[axis] - low + (wide - (high - low)) / 2) / wide));
    });
  return points.map((point) => {
    const [x, y] = shares(point);
    const parts = [(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y];
    return [0, 1, 2].map((c) => parts.reduce((sum, part, k) => sum + part * CORNERS[k][c], 0));
  });
}

/** Return the color of each node of the second graph: the mixture of those that it receives; null without any. */
export function mixtures(colors, moves, m) {
  const sums = Array.from({ length: m }, () => [0, 0, 0, 0]);
  for (const [i, j, mass] of moves) {
    for (let c = 0; c < 3; c++) sums[j][c] += mass * colors[i][c];
    sums[j][3] += mass;
  }
  return sums.map(([l, a, b, mass]) => (mass > 0 ? [l / mass, a / mass, b / mass] : null));
}

/** Convert a color from Oklab to the text of a color in sRGB. */
export function oklabText([l, a, b]) {
  const cones = [
    l + 0.3963377774 * a + 0.2158037573 * b,
    l - 0.1055613458 * a - 0.0638541728 * b,
    l - 0.0894841775 * a - 1.291485548 * b,
  ].map((value) => value ** 3);
  const linear = [
    4.0767416621 * cones[0] - 3.3077115913 * cones[1] + 0.2309699292 * cones[2],
    -1.2684380046 * cones[0] + 2.6097574011 * cones[1] - 0.3413193965 * cones[2],
    -0.0041960863 * cones[0] - 0.7034186147 * cones[1] + 1.707614701 * cones[2],
  ];
  return rgbText(
    linear.map((value) => {
      const clipped = Math.max(0, Math.min(1, value));
      return 255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055);
    }),
  );
}

/** Return whether the class or number of a graph is known. */
export function isKnown(target, graph) {
  return target.kind === "numbers" ? !target.known || target.known[graph] === 1 : target.codes[graph] >= 0;
}

/** Return what graphs are colored by: what is known of them or, if nothing is, what is predicted. */
export function coloredTarget({ target, predictions, n_graphs: n }) {
  const anyKnown = () => Array.from({ length: n }, (_, g) => g).some((g) => isKnown(target, g));
  if (predictions === null || anyKnown()) return target;
  const { predicted, tested } = predictions;
  return { ...target, name: `predicted ${target.name}`, codes: predicted, numbers: predicted, known: tested };
}

/**
 * Return how graphs are shown: the number of the style of each, the styles as {color, shape, name}, and the legend's
 * name and entries. Classes have a color and a shape each, of which the last is for all further ones; numbers have 64
 * colors.
 */
export function graphStyles(target, n) {
  if (target === null)
    return { of: new Uint8Array(n), styles: [{ color: PALETTE[0], shape: SHAPES[0], name: "" }], classes: false };
  return target.kind === "classes" ? classStyles(target, n) : numberStyles(target, n);
}

function classStyles(target, n) {
  const { values, codes } = target;
  const last = PALETTE.length - 1;
  const counts = new Float64Array(values.length);
  for (const code of codes) if (code >= 0) counts[code]++;
  const largest = values.map((_, k) => k).sort((one, two) => counts[two] - counts[one] || one - two);
  const named = values.length > last + 1 ? largest.slice(0, last).sort((one, two) => one - two) : values.map((_, k) => k);
  const styles = named.map((k, style) => ({ color: PALETTE[style], shape: classShape(style), name: values[k] }));
  const rest = values.length - named.length;
  if (rest) styles.push({ color: PALETTE[last], shape: SHAPES.at(-1), name: `${rest} other classes` });
  const styleOf = values.map((_, k) => (named.includes(k) ? named.indexOf(k) : last));
  if (codes.some((code) => code < 0)) styles.push(UNKNOWN);
  const of = Uint8Array.from({ length: n }, (_, g) => (codes[g] < 0 ? styles.length - 1 : styleOf[codes[g]]));
  return { of, styles, classes: true, name: target.name };
}

/** Return the shape of a class; from the eleventh on, shapes come again, with other colors. */
const classShape = (k) => (k === PALETTE.length - 1 ? SHAPES.at(-1) : SHAPES[k % (SHAPES.length - 1)]);

const NUMBER_STYLES = 64;

function numberStyles(target, n) {
  const known = (g) => isKnown(target, g);
  let [low, high] = [Infinity, -Infinity];
  for (let g = 0; g < n; g++)
    if (known(g)) [low, high] = [Math.min(low, target.numbers[g]), Math.max(high, target.numbers[g])];
  const styles = Array.from({ length: NUMBER_STYLES }, (_, k) => ({
    color: rgbText(shareColor(k / (NUMBER_STYLES - 1))),
    shape: SHAPES[0],
    name: "",
  }));
  styles.push(UNKNOWN);
  // Numbers of both signs may be so large that their difference is not.
  const part = Number.isFinite(high - low) ? 1 : 0.5;
  const share = (g) => (high > low ? (part * target.numbers[g] - part * low) / (part * high - part * low) : 0.5);
  const of = Uint8Array.from({ length: n }, (_, g) =>
    known(g) ? Math.round(share(g) * (NUMBER_STYLES - 1)) : NUMBER_STYLES,
  );
  return { of, styles, classes: false, range: [low, high], name: target.name };
}
