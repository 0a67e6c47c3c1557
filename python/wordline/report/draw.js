// Draws every chart of the page in the element before its specification, as wide as the page has room.

const NARROW = 640; // pixels; below, panels stand below each other
const LETTER = 6.8; // pixels of a letter in a legend
const LEGENDS = ["color", "shape", "strokeDash"];
const options = {
  renderer: "svg",
  actions: {export: true, source: false, compiled: false, editor: false},
};
const drawn = new Map();

/** Calls `visit` for a specification and everything inside it, with the key of each. */
function walk(value, visit, key = "") {
  if (value === null || typeof value !== "object") return;
  visit(value, key);
  for (const [name, inner] of Object.entries(value)) {
    if (name !== "data" && name !== "datasets") walk(inner, visit, name);
  }
}

/** The entries of a legend: those of the scale, or the values that occur in the data. */
function entries(spec, part) {
  if (Array.isArray(part.scale?.domain)) return part.scale.domain;
  const rows = [spec.data?.values ?? [], ...Object.values(spec.datasets ?? {})].flat();
  return [...new Set(rows.map((row) => row[part.field]).filter((value) => value !== undefined))];
}

/** A text as lines of at most so many letters. */
function lines(text, most) {
  const found = [""];
  for (const word of text.split(" ")) {
    const last = found.at(-1);
    if (last && last.length + word.length >= most) found.push(word);
    else found[found.length - 1] = last ? `${last} ${word}` : word;
  }
  return found;
}

/** Puts the entries of legends into as many columns as there is room for, and long ones on several lines. */
function wrapLegends(spec, room) {
  const letters = Math.floor(room / LETTER) - 4;
  walk(spec, (part, key) => {
    if (!LEGENDS.includes(key) || part.legend === null || part.type !== "nominal") return;
    const names = entries(spec, part).map(String);
    const longest = Math.min(Math.max(1, ...names.map((name) => name.length)), letters);
    const most = Math.max(1, Math.floor(room / (longest * LETTER + 30)));
    part.legend = {
      ...part.legend,
      columns: Math.min(part.legend?.columns ?? names.length, most),
      labelLimit: 0,
      labelExpr: `(${JSON.stringify(Object.fromEntries(names.map((name) => [name, lines(name, letters)])))})[datum.label]`,
    };
  });
}

/** Lets what stands side by side stand below each other, and labels take less room. */
function stack(spec, room) {
  walk(spec, (part) => {
    if (Array.isArray(part.hconcat)) {
      part.vconcat = part.hconcat;
      delete part.hconcat;
    }
    if (part.encoding?.column) {
      part.encoding.row = part.encoding.column;
      delete part.encoding.column;
    }
    if (part.labelLimit) part.labelLimit = Math.min(part.labelLimit, room / 3);
    if (part.gradientLength) part.gradientLength = Math.min(part.gradientLength, room - 120);
  });
  spec.config.axis.labelLimit = room / 3;
  spec.config.axis.titleLimit = room - 20;
  spec.config.axisX = {labelSeparation: 6};
}

/** The specification with every view `factor` times as wide. */
function scaled(spec, factor) {
  const copy = structuredClone(spec);
  walk(copy, (part) => {
    if (typeof part.width === "number" && !part.type) part.width = Math.max(Math.round(part.width * factor), 50);
  });
  return copy;
}

async function draw(chart) {
  const room = chart.clientWidth;
  if (!room || drawn.get(chart)?.room === room) return;
  drawn.get(chart)?.finalize();
  const spec = JSON.parse(chart.nextElementSibling.textContent);
  // a legend starts where the axis ends, which has up to a third of a narrow chart, and the headings of rows another
  wrapLegends(spec, room < NARROW ? room * (spec.facet ? 0.4 : 0.66) : room - 100);
  if (room < NARROW) stack(spec, room);
  const attempt = async (factor) => {
    const found = await vegaEmbed(chart, scaled(spec, factor), options);
    return [found, chart.querySelector("svg.marks").viewBox.baseVal.width];
  };
  let factor = 1;
  let [found, width] = await attempt(factor);
  // labels and legends keep their width, so that the second step takes the line through the first two
  for (let step = 0; step < 3 && width > room; ++step) {
    const [before, wide] = [factor, width];
    factor *= room / width;
    found.finalize();
    [found, width] = await attempt(factor);
    if (width > room && width < wide) {
      factor = Math.max(factor - ((width - room + 1) * (before - factor)) / (wide - width), 0.05);
      found.finalize();
      [found, width] = await attempt(factor);
    }
  }
  drawn.set(chart, {room, finalize: () => found.finalize()});
}

let drawing = Promise.resolve();

function drawAll() {
  for (const chart of document.querySelectorAll("figure > .chart")) {
    drawing = drawing.then(() => draw(chart)).catch((error) => console.error(error));
  }
}

let waiting;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(drawAll, 150);
});
drawAll();
