// A small chart of the values of a match's positions, ply by ply.

import { element, svg } from "./dom.js";

const WIDTH = 320;
const HEIGHT = 110;
const LEFT = 26;
const BOTTOM = 16;
const TOP = 6;
/** The distance between lines that would have the same height. */
const APART = 1.8;

/** `review`: the judged match; `ply`: the current ply; `onGo(ply)` goes to another. */
export function chart(review, ply, values, onGo) {
  const plies = review.moves.length;
  const worth = [plies ? review.moves[0].before : review.value, ...review.moves.map((move) => move.after)];
  // Endless play ranks just below a reward of 0.
  const isEndless = worth.some((value) => !value);
  const least = isEndless ? -18 : 0;
  const x = (at) => LEFT + (plies ? at / plies : 0.5) * (WIDTH - LEFT - 8);
  const y = (reward) => TOP + ((100 - reward) / (100 - least)) * (HEIGHT - TOP - BOTTOM);
  const height = (value, role) => y(value ? value[role] : least) + (role - (review.roles.length - 1) / 2) * APART;
  const path = (role) => {
    let text = "";
    worth.forEach((value, at) => {
      const to = height(value, role).toFixed(1);
      text += at > 0 ? `H${x(at).toFixed(1)}V${to}` : `M${x(at).toFixed(1)} ${to}`;
    });
    return text;
  };
  const grid = [...(isEndless ? [least] : []), 0, 50, 100].map((reward) => [
    svg("line", { x1: LEFT, x2: WIDTH - 8, y1: y(reward), y2: y(reward), class: "grid" }),
    svg("text", { x: LEFT - 4, y: y(reward), dy: "0.35em", class: "tick", "text-anchor": "end" }, reward < 0 ? "∞" : String(reward)),
  ]);
  const lines = review.roles.map((_, role) => svg("path", { d: path(role), class: `line role-${role % 8}` }));
  const points = worth.map((value, at) => review.roles.map((_, role) => svg("circle",
    { cx: x(at), cy: height(value, role), r: plies > 60 ? 1.2 : 2, class: `point role-${role % 8}` })));
  const slips = review.moves.filter((move) => move.gives_away).map((move) => {
    const at = review.moves.indexOf(move) + 1;
    const loser = Object.keys(move.choices ?? {}).find((found) => move.choices[found].loses_float > 0);
    const role = review.roles.indexOf(loser ?? move.role);
    return svg("circle", { cx: x(at), cy: height(move.after, role), r: 4.5, class: "slip" });
  });
  const step = plies ? (WIDTH - LEFT - 8) / plies : WIDTH;
  const columns = worth.map((value, at) => svg("rect", {
    x: x(at) - step / 2, y: 0, width: step, height: HEIGHT, class: "column", on: { click: () => onGo(at) },
  }, svg("title", {}, at ? `ply ${at}, ${review.moves[at - 1].move}: ${values.vector(value)}` : `start: ${values.vector(value)}`)));
  const drawn = svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
    "aria-label": `Value of ${plies + 1} positions of the match for ${review.roles.join(", ")}` },
    grid, svg("line", { x1: x(ply), x2: x(ply), y1: TOP - 3, y2: HEIGHT - BOTTOM + 3, class: "cursor" }),
    lines, points, slips,
    svg("text", { x: x(0), y: HEIGHT - 3, class: "tick", "text-anchor": "middle" }, "0"),
    plies ? svg("text", { x: x(plies), y: HEIGHT - 3, class: "tick", "text-anchor": "end" }, String(plies)) : null, columns);
  const names = review.roles.length > 1
    ? element("ul", { class: "key" }, review.roles.map((role, index) => element("li", {},
      element("span", { class: `sample role-${index % 8}`, "aria-hidden": "true" }), role)))
    : null;
  return element("div", {}, drawn, names, isEndless ? element("p", { class: "note" }, "∞: endless play, which pays nobody") : null);
}
