// The explorer of a sweep or search: a scatter plot and parallel coordinates that share one filter.

const space = JSON.parse(document.getElementById("space").textContent);
const {columns, rows} = space;
const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 1040, SCATTER = 380, PARALLEL = 350, MARGIN = {left: 70, right: 55, top: 24, bottom: 46};
const NEAR = 7; // pixels in which a click finds a point
const chosen = {x: space.axes.x, y: space.axes.y, colour: space.axes.colour};
const shownAxes = space.axes.parallel;
let rectangle = null; // of the scatter plot, in values from 0 to 1
const intervals = new Map(); // of the parallel axes, by column
let picked = null;

/** A value as text: four significant digits. */
function text(value) {
  if (value === null) return "–";
  if (typeof value !== "number") return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e9 || size < 1e-3) return value.toExponential(3);
  return Number(value.toPrecision(4)).toLocaleString("en", {maximumSignificantDigits: 4});
}

/** The rounded numbers of an axis, from one that is not above `low` to one that is not below `high`. */
function rounded(low, high, log) {
  const found = [];
  if (log) {
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
      for (const digit of [1, 2, 5]) found.push(digit * 10 ** power);
    const from = found.findLastIndex((value) => value <= low * (1 + 1e-9)), to = found.findIndex((value) => value >= high * (1 - 1e-9));
    const all = found.slice(from, to + 1), every = Math.ceil(all.length / 7);
    return all.filter((_, place) => place % every === 0 || place === all.length - 1);
  }
  const rough = (high - low) / 4 || Math.abs(low) / 4 || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((digit) => digit * power).find((each) => each >= rough * (1 - 1e-9));
  for (let place = Math.floor(low / step + 1e-9); place <= Math.ceil(high / step - 1e-9); place++) found.push(place * step);
  return found.length > 1 ? found : [found[0], found[0] + step];
}

/** Places of a column from 0 to 1: numbers by size, text in the order given. */
function scaleOf(name) {
  const column = columns[name];
  const values = column.values.filter((value) => value !== null);
  if (column.numeric) {
    const log = column.log;
    const marks = values.length ? rounded(Math.min(...values), Math.max(...values), log) : [0, 1];
    const low = marks[0], high = marks.at(-1);
    const place = (value) => value === null ? null : log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    return {place, ticks: marks.map((value) => [place(value), text(value)])};
  }
  const order = [...new Set(values)];
  const place = (value) => value === null ? null : order.length > 1 ? order.indexOf(value) / (order.length - 1) : 0.5;
  return {place, ticks: order.slice(0, 12).map((value) => [place(value), String(value)])};
}

const scales = Object.fromEntries(Object.keys(columns).map((name) => [name, scaleOf(name)]));
const at = (name, row) => scales[name].place(columns[name].values[row]);

/** What stands beside an axis. */
const titleOf = (name) => columns[name].title + (columns[name].log ? " (log scale)" : "");

/** Whether a row is within every filter. */
function kept(row) {
  if (rectangle) {
    const x = at(chosen.x, row), y = at(chosen.y, row);
    if (x === null || y === null || x < rectangle.x[0] || x > rectangle.x[1] || y < rectangle.y[0] || y > rectangle.y[1]) return false;
  }
  for (const [name, [low, high]] of intervals) {
    const place = at(name, row);
    if (place === null || place < low || place > high) return false;
  }
  return true;
}

/** From blue to yellow, as viridis has it. */
function colour(share) {
  if (share === null) return "#9ca3af";
  const stops = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
  const place = share * (stops.length - 1), from = Math.min(Math.floor(place), stops.length - 2), part = place - from;
  return `rgb(${stops[from].map((value, each) => Math.round(value + part * (stops[from + 1][each] - value))).join(",")})`;
}

function element(parent, name, attributes = {}, content = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (content) made.textContent = content;
  parent.append(made);
  return made;
}

const scatter = document.getElementById("scatter"), parallel = document.getElementById("parallel");
const inner = {width: WIDTH - MARGIN.left - MARGIN.right, height: SCATTER - MARGIN.top - MARGIN.bottom};
const toX = (share) => MARGIN.left + share * inner.width;
const toY = (share) => MARGIN.top + (1 - share) * inner.height;
const axisX = (place) => MARGIN.left + (shownAxes.length > 1 ? place / (shownAxes.length - 1) : 0.5) * inner.width;
const axisHeight = PARALLEL - 100;
const axisY = (share) => 30 + (1 - share) * axisHeight;

function drawScatter() {
  scatter.replaceChildren();
  for (const [share, label] of scales[chosen.x].ticks) {
    element(scatter, "line", {x1: toX(share), x2: toX(share), y1: toY(0), y2: toY(1), class: "grid"});
    element(scatter, "text", {x: toX(share), y: toY(0) + 16, "text-anchor": "middle"}, label);
  }
  for (const [share, label] of scales[chosen.y].ticks) {
    element(scatter, "line", {x1: toX(0), x2: toX(1), y1: toY(share), y2: toY(share), class: "grid"});
    element(scatter, "text", {x: toX(0) - 6, y: toY(share) + 4, "text-anchor": "end"}, label);
  }
  element(scatter, "text", {x: toX(0.5), y: SCATTER - 6, "text-anchor": "middle"}, titleOf(chosen.x));
  element(scatter, "text", {x: 8, y: 14}, titleOf(chosen.y));
  const order = rows.map((_, row) => row).sort((a, b) => kept(a) - kept(b));
  for (const row of order) {
    const x = at(chosen.x, row), y = at(chosen.y, row);
    if (x === null || y === null) continue;
    element(scatter, "circle", {
      cx: toX(x), cy: toY(y), r: row === picked ? 8 : rows[row].marked ? 6 : 4,
      fill: kept(row) ? colour(at(chosen.colour, row)) : "#9ca3af", opacity: kept(row) ? 0.9 : 0.15,
      class: row === picked ? "picked" : rows[row].marked ? "marked" : "",
    });
  }
  if (rectangle) element(scatter, "rect", {
    x: toX(rectangle.x[0]), y: toY(rectangle.y[1]), class: "brush",
    width: (rectangle.x[1] - rectangle.x[0]) * inner.width, height: (rectangle.y[1] - rectangle.y[0]) * inner.height,
  });
}

function drawParallel() {
  parallel.replaceChildren();
  const order = rows.map((_, row) => row).sort((a, b) => (kept(a) - kept(b)) || ((a === picked) - (b === picked)));
  for (const row of order) {
    const points = shownAxes.map((name, place) => [axisX(place), at(name, row)]).filter(([, share]) => share !== null);
    element(parallel, "polyline", {
      points: points.map(([x, share]) => `${x},${axisY(share)}`).join(" "), fill: "none",
      stroke: kept(row) ? colour(at(chosen.colour, row)) : "#9ca3af", "stroke-width": row === picked ? 4 : 1.3,
      opacity: kept(row) ? 0.75 : 0.08,
    });
  }
  shownAxes.forEach((name, place) => {
    element(parallel, "line", {x1: axisX(place), x2: axisX(place), y1: axisY(0), y2: axisY(1), class: "axis"});
    const ticks = scales[name].ticks;
    for (const [share, label] of [ticks[0], ticks.at(-1)]) {
      element(parallel, "text", {x: axisX(place), y: share > 0.5 ? axisY(1) - 8 : axisY(0) + 14, "text-anchor": "middle"}, label);
    }
    const words = columns[name].title.split(/(?<=[._]) ?| /);
    const lines = [""];
    for (const word of words) {
      if ((lines.at(-1) + word).length > 16) lines.push(word);
      else lines[lines.length - 1] += (lines.at(-1) && !/[._]$/.test(lines.at(-1)) ? " " : "") + word;
    }
    lines.forEach((line, number) => element(parallel, "text", {x: axisX(place), y: axisY(0) + 28 + 12 * number, "text-anchor": "middle"}, line));
    const interval = intervals.get(name);
    if (interval) element(parallel, "rect", {
      x: axisX(place) - 8, y: axisY(interval[1]), width: 16, height: (interval[1] - interval[0]) * axisHeight, class: "brush",
    });
  });
}

function drawPicked() {
  const panel = document.getElementById("picked");
  panel.replaceChildren();
  if (picked === null) return;
  const row = rows[picked];
  const heading = document.createElement("h2");
  heading.textContent = `Point ${row.point}`;
  panel.append(heading);
  if (row.report) {
    const link = document.createElement("a");
    link.href = row.report;
    link.textContent = "Report of its run";
    panel.append(link);
  }
  if (row.command) {
    const command = document.createElement("pre");
    command.textContent = row.command;
    panel.append(command);
  }
  const list = document.createElement("dl");
  for (const [name, column] of Object.entries(columns)) {
    const title = document.createElement("dt"), value = document.createElement("dd");
    title.textContent = column.title;
    value.textContent = text(column.values[picked]);
    list.append(title, value);
  }
  panel.append(list);
}

/** What the colours mean: a gradient between two numbers, or a colour for each text. */
function drawLegend() {
  const legend = document.getElementById("legend"), {ticks} = scales[chosen.colour];
  const mark = (style, name = "") => Object.assign(document.createElement("i"), {className: name, style: `background: ${style}`});
  const steps = [0, 0.25, 0.5, 0.75, 1].map(colour).join(", ");
  const shown = columns[chosen.colour].numeric
    ? [ticks[0][1], mark(`linear-gradient(to right, ${steps})`, "gradient"), ticks.at(-1)[1]]
    : ticks.flatMap(([share, label]) => [mark(colour(share)), label]);
  const words = (each) => typeof each === "string" ? Object.assign(document.createElement("span"), {textContent: each}) : each;
  legend.replaceChildren(...[`colour: ${titleOf(chosen.colour)}`, ...shown].map(words));
}

function draw() {
  drawLegend();
  drawScatter();
  drawParallel();
  drawPicked();
  const count = rows.filter((_, row) => kept(row)).length;
  document.getElementById("count").textContent = `${count.toLocaleString("en")} of ${rows.length.toLocaleString("en")} points`;
}

/** Where the pointer is in the coordinates of a drawing. */
function pointer(svg, event) {
  const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  return [place.x, place.y];
}

const within = (share) => Math.min(Math.max(share, 0), 1);

/** Calls `moved` with the start and the end of a drag, and `clicked` with the place of a click. */
function drags(svg, moved, clicked) {
  let start = null;
  svg.addEventListener("pointerdown", (event) => {
    start = pointer(svg, event);
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (!start) return;
    const end = pointer(svg, event);
    if (Math.hypot(end[0] - start[0], end[1] - start[1]) > 4) moved(start, end);
  });
  svg.addEventListener("pointerup", (event) => {
    const end = pointer(svg, event);
    if (start && Math.hypot(end[0] - start[0], end[1] - start[1]) <= 4) clicked(end);
    start = null;
    draw();
  });
}

drags(scatter, (start, end) => {
  const shares = [start, end].map(([x, y]) => [within((x - MARGIN.left) / inner.width), within(1 - (y - MARGIN.top) / inner.height)]);
  const sorted = (each) => [Math.min(shares[0][each], shares[1][each]), Math.max(shares[0][each], shares[1][each])];
  rectangle = {x: sorted(0), y: sorted(1)};
  draw();
}, ([x, y]) => {
  let best = NEAR;
  let found = null;
  rows.forEach((_, row) => {
    const place = [at(chosen.x, row), at(chosen.y, row)];
    if (place.includes(null) || !kept(row)) return;
    const distance = Math.hypot(toX(place[0]) - x, toY(place[1]) - y);
    if (distance < best) [best, found] = [distance, row];
  });
  if (found === null) rectangle = null;
  picked = found;
});

const nearest = (x) => shownAxes.reduce((best, _, place) => Math.abs(axisX(place) - x) < Math.abs(axisX(best) - x) ? place : best, 0);
drags(parallel, ([x, from], [, to]) => {
  const shares = [from, to].map((y) => within(1 - (y - 30) / axisHeight));
  intervals.set(shownAxes[nearest(x)], [Math.min(...shares), Math.max(...shares)]);
  draw();
}, ([x]) => intervals.delete(shownAxes[nearest(x)]));

for (const role of ["x", "y", "colour"]) {
  const select = document.getElementById(role);
  for (const [name, column] of Object.entries(columns)) select.append(new Option(column.title, name, false, name === chosen[role]));
  select.addEventListener("change", () => {
    chosen[role] = select.value;
    if (role !== "colour") rectangle = null;
    draw();
  });
}
document.getElementById("all").addEventListener("click", () => {
  rectangle = null;
  intervals.clear();
  draw();
});
draw();
