// Plots of the layers of a solution.

import { element, svg } from "./dom.js";
import { counted, grouped } from "./values.js";

/** Sizes of a plot with its margins; and the largest number of labels that fit below it. */
const WIDE = { name: "plot", width: 640, height: 230, left: 58, right: 12, top: 10, bottom: 34, numbers: 16 };
/** On the width of a phone, a smaller drawing has labels of the size of the text around it. */
const NARROW = { name: "plot narrow", width: 330, height: 200, left: 46, right: 6, top: 8, bottom: 34, numbers: 9 };

/** Whether the page has the width of a phone. */
export const narrow = window.matchMedia("(max-width: 30rem)");
const size = () => (narrow.matches ? NARROW : WIDE);

const log = (count) => Math.log10(Math.max(1, Number(count)));
/** The distance between labels below the axis of `count` layers, so that there are at most `most`. */
const stride = (count, most) => [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => count / step <= most) ?? Math.ceil(count / most);

/** A plot of `count` numbers named `axis`. `children` gets each number's middle, its room, and a share's height. */
function frame(label, axis, count, children) {
  const { name, width, height, left, right, top, bottom, numbers } = size();
  const room = (width - left - right) / count;
  const x = (number) => left + (number + 0.5) * room;
  const y = (share) => top + (1 - share) * (height - top - bottom);
  const names = [];
  for (let number = 0; number < count; number += stride(count, numbers)) {
    names.push(svg("text", { x: x(number), y: height - 18, class: "tick", "text-anchor": "middle" }, String(number)));
  }
  return svg("svg", { class: name, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    children({ x, y, room }), names, svg("text", { x: (left + width - right) / 2, y: height - 3, class: "tick", "text-anchor": "middle" }, axis));
}

/** A number on the left of the area. */
function beside(y, text) {
  return svg("text", { x: size().left - 6, y, dy: "0.35em", class: "tick", "text-anchor": "end" }, text);
}

/** Lines of a logarithmic axis from 1 up, with their numbers. */
function powers(most, y) {
  const { width, left, right } = size();
  const grid = [];
  for (let power = 0; power <= most; power += Math.ceil(most / 6)) {
    const name = power < 4 ? beside(y(power), grouped(10 ** power)) : beside(y(power), "10");
    if (power >= 4) name.append(svg("tspan", { dy: "-0.4em", "font-size": "0.75em" }, String(power)));
    grid.push(svg("line", { x1: left, x2: width - right, y1: y(power), y2: y(power), class: "grid" }), name);
  }
  return grid;
}

/** States and nodes by layer, on a logarithmic axis. */
export function growth(layers) {
  const most = Math.max(1, Math.ceil(Math.max(...layers.map((layer) => Math.max(log(layer.states), log(layer.nodes))))));
  const plot = frame("States and nodes by layer, logarithmic", "layer", layers.length, ({ x, y: height }) => {
    const y = (power) => height(power / most);
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

/** The values of each layer as shares. Calls `onPick(layer, rewards)`. */
export function shares(layers, kinds, colour, text, onPick) {
  const plot = frame("Values by layer, as shares of the states", "layer", layers.length, ({ x, y, room }) => {
    const wide = room * (layers.length > 60 ? 1 : 0.82);
    const axis = [0, 0.5, 1].map((share) => beside(y(share), `${100 * share} %`));
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
    return element("td", { class: warmth > 68 ? "hot warm" : "warm", style: { "--warmth": `${warmth}%` },
      title: `${roles[0]} ${row}, ${roles[1]} ${column}` }, grouped(bucket.states));
  };
  const read = `Rows: what ${roles[0]} gets. Columns: what ${roles[1]} gets.`;
  return element("div", {}, element("p", { class: "note" }, read), element("div", { class: "scroll" }, element("table", { class: "heat", "aria-label": read },
    element("thead", {}, element("tr", {}, element("th", {}, ""), columns.map((column) => element("th", { scope: "col" }, String(column))))),
    element("tbody", {}, rows.map((row) => element("tr", {}, element("th", { scope: "row" }, String(row)), columns.map((column) => cell(row, column))))))));
}

/** The number of states by plies to the end, for one value. */
export function depths(bucket, name, tone) {
  const all = bucket.plies;
  const longest = Math.max(...all.map((found) => found.plies));
  const most = Math.max(1, Math.ceil(Math.max(...all.map((found) => log(found.states)))));
  // The axis begins below 1, so that a single state has a bar too.
  const least = -most / 12;
  const plot = frame(`Plies to the end, ${name}`, "plies to the end", longest + 1, ({ x, y: height, room }) => {
    const y = (power) => height((power - least) / (most - least));
    const bar = (found) => svg("rect", {
      x: x(found.plies) - 0.4 * room, width: 0.8 * room, y: y(log(found.states)), height: Math.max(0.5, y(least) - y(log(found.states))),
      class: "depth", style: { "--tone": tone },
    }, svg("title", {}, `${counted(found.plies, "ply", "plies")}: ${counted(found.states, "state", "states")}`));
    return [powers(most, y), all.map(bar)];
  });
  return element("figure", {}, plot, element("figcaption", {}, `${name}: ${longest ? `at most ${counted(longest, "ply", "plies")}` : "play is over"}`));
}
