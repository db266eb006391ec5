// Plots of the layers of a solution.

import { element, svg } from "./dom.js";
import { counted, grouped } from "./values.js";

const WIDTH = 640;
const HEIGHT = 230;
const LEFT = 58;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 34;

const log = (count) => Math.log10(Math.max(1, Number(count)));
/** Every how many layers have a number below the axis. */
const stride = (count) => [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => count / step <= 16) ?? Math.ceil(count / 16);

/** A plot over `count` numbers of what `axis` says. */
function frame(label, axis, count, children) {
  const x = (number) => LEFT + ((number + 0.5) / count) * (WIDTH - LEFT - RIGHT);
  const names = [];
  for (let number = 0; number < count; number += stride(count)) {
    names.push(svg("text", { x: x(number), y: HEIGHT - 18, class: "tick", "text-anchor": "middle" }, String(number)));
  }
  return svg("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
    children(x), names, svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 3, class: "tick", "text-anchor": "middle" }, axis));
}

/** Lines of a logarithmic axis from 1 up, with their numbers. */
function powers(most, y) {
  const grid = [];
  for (let power = 0; power <= most; power += Math.ceil(most / 6)) {
    const name = svg("text", { x: LEFT - 6, y: y(power), dy: "0.35em", class: "tick", "text-anchor": "end" });
    if (power < 4) name.append(grouped(10 ** power));
    else name.append("10", svg("tspan", { dy: "-0.4em", "font-size": "0.75em" }, String(power)));
    grid.push(svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(power), y2: y(power), class: "grid" }), name);
  }
  return grid;
}

/** States and nodes by layer, on a logarithmic axis. */
export function growth(layers) {
  const most = Math.max(1, Math.ceil(Math.max(...layers.map((layer) => Math.max(log(layer.states), log(layer.nodes))))));
  const y = (power) => TOP + (1 - power / most) * (HEIGHT - TOP - BOTTOM);
  const plot = frame("States and nodes by layer, logarithmic", "layer", layers.length, (x) => {
    const grid = powers(most, y);
    const line = (key) => svg("path", { class: `line ${key}`,
      d: layers.map((layer, index) => `${index ? "L" : "M"}${x(index).toFixed(1)} ${y(log(layer[key])).toFixed(1)}`).join("") });
    const points = (key) => layers.map((layer, index) => svg("circle", { cx: x(index), cy: y(log(layer[key])), r: layers.length > 60 ? 1.5 : 3, class: `point ${key}` },
      svg("title", {}, `layer ${index}: ${grouped(layer[key])} ${key}`)));
    return [grid, line("nodes"), points("nodes"), line("states"), points("states")];
  });
  return element("figure", {}, plot, element("figcaption", {},
    element("span", {}, element("span", { class: "sample states" }), "states"),
    element("span", {}, element("span", { class: "sample nodes" }), "nodes of the diagram that holds them")));
}

/** The values of each layer as shares; `onPick(layer, rewards)`. */
export function shares(layers, kinds, colour, text, onPick) {
  const plot = frame("Values by layer, as shares of the states", "layer", layers.length, (x) => {
    const wide = ((WIDTH - LEFT - RIGHT) / layers.length) * (layers.length > 60 ? 1 : 0.82);
    const y = (share) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
    const axis = [0, 0.5, 1].map((share) => svg("text", { x: LEFT - 6, y: y(share), dy: "0.35em", class: "tick", "text-anchor": "end" }, `${100 * share} %`));
    const bars = layers.map((layer, index) => {
      let below = 0;
      return kinds.map((kind) => {
        const bucket = layer.buckets?.find((found) => text(found.rewards) === kind.text);
        if (!bucket) return null;
        const share = Number(bucket.states) / Number(layer.states);
        const bar = svg("rect", { x: x(index) - wide / 2, y: y(below + share), width: wide, height: Math.max(0.3, y(below) - y(below + share)),
          class: "bar", style: { "--tone": colour(bucket.rewards) }, on: { click: () => onPick(index, bucket.rewards) } },
        svg("title", {}, `layer ${index}, ${kind.text}: ${grouped(bucket.states)} of ${grouped(layer.states)} states`));
        below += share;
        return bar;
      });
    });
    return [axis, bars];
  });
  return element("figure", {}, plot, element("figcaption", {}, kinds.map((kind) => element("span", {},
    element("span", { class: "sample", style: { background: colour(kind.rewards) } }), kind.text))));
}

/** States by the rewards of two roles. */
export function heat(buckets, roles) {
  const found = buckets.filter((bucket) => bucket.rewards);
  const sorted = (role) => [...new Set(found.map((bucket) => bucket.rewards[role]))].sort((a, b) => a - b);
  const [rows, columns] = [sorted(0), sorted(1)];
  const most = Math.max(1, ...found.map((bucket) => log(bucket.states)));
  const cell = (row, column) => {
    const bucket = found.find((one) => one.rewards[0] === row && one.rewards[1] === column);
    if (!bucket) return element("td", { class: "none" }, "·");
    const warmth = 15 + Math.round((70 * log(bucket.states)) / most);
    return element("td", { class: warmth > 55 ? "hot warm" : "warm", style: { "--warmth": `${warmth}%` },
      title: `${roles[0]} ${row}, ${roles[1]} ${column}` }, grouped(bucket.states));
  };
  const read = `Rows: what ${roles[0]} gets. Columns: what ${roles[1]} gets.`;
  return element("div", {}, element("p", { class: "note" }, read), element("div", { class: "scroll" }, element("table", { class: "heat", "aria-label": read },
    element("thead", {}, element("tr", {}, element("th", {}, ""), columns.map((column) => element("th", { scope: "col" }, String(column))))),
    element("tbody", {}, rows.map((row) => element("tr", {}, element("th", { scope: "row" }, String(row)), columns.map((column) => cell(row, column))))))));
}

/** States by plies to the end, of one value. */
export function depths(bucket, name, tone) {
  const all = bucket.plies;
  const longest = Math.max(...all.map((found) => found.plies));
  const most = Math.max(1, Math.ceil(Math.max(...all.map((found) => log(found.states)))));
  // A single state has a bar, too: the axis begins below 1.
  const least = -most / 12;
  const y = (power) => TOP + ((most - power) / (most - least)) * (HEIGHT - TOP - BOTTOM);
  const plot = frame(`Plies to the end, ${name}`, "plies to the end", longest + 1, (x) => [powers(most, y), all.map((found) => svg("rect", {
    x: x(found.plies) - 0.4 * ((WIDTH - LEFT - RIGHT) / (longest + 1)), width: 0.8 * ((WIDTH - LEFT - RIGHT) / (longest + 1)),
    y: y(log(found.states)), height: Math.max(0.5, HEIGHT - BOTTOM - y(log(found.states))), class: "depth", style: { "--tone": tone },
  }, svg("title", {}, `${counted(found.plies, "ply", "plies")}: ${grouped(found.states)} states`)))]);
  return element("figure", {}, plot, element("figcaption", {}, `${name}: ${longest ? `at most ${counted(longest, "ply", "plies")}` : "play is over"}`));
}
