// Unpack the data of the page; container.py describes the format.

const ARRAY_TYPES = {
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  f4: Float32Array,
  f8: Float64Array,
};

/** Return the content that a text was packed from, with typed arrays that have a shape. */
export async function unpack(text) {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(data.buffer).getUint32(0, true);
  const content = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)));
  return withArrays(content, data.subarray(4 + length));
}

function withArrays(value, data) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((each) => withArrays(each, data));
  if (value.$) return readArray(...value.$, data);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withArrays(each, data)]));
}

/** Return an array whose numbers are stored with the first bytes of all before the second ones. */
function readArray(type, shape, offset, data) {
  const count = shape.reduce((product, size) => product * size, 1);
  const array = new ARRAY_TYPES[type](count);
  const size = array.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(array.buffer);
  for (let plane = 0; plane < size; plane++) {
    const first = offset + plane * count;
    for (let i = 0; i < count; i++) bytes[i * size + plane] = data[first + i];
  }
  array.shape = shape;
  return array;
}
