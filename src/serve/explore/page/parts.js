// Positions in which several players, or chance, choose at the same time. A move is picked for each, and the joint move
// is played when all are picked.

import { element } from "./dom.js";
import { asked } from "./moves.js";
import { CHANCE, both, exactly } from "./values.js";

/** Those that have a choice: their index in joint moves, their name, and their moves in the order of the rules. */
export function choosers(query) {
  const names = [...query.roles, CHANCE];
  const places = query.moves.length ? query.moves[0].joint.map((_, place) => place) : [];
  return places.map((place) => ({ place, role: names[place], moves: [...new Set(query.moves.map((move) => move.joint[place]))] }))
    .filter((found) => found.moves.length > 1);
}

/** The joint move of the picked moves, if all are picked. */
export function picked(query, picks) {
  const left = query.moves.filter((move) => Object.entries(picks).every(([place, action]) => move.joint[place] === action));
  return left.length === 1 ? left[0] : null;
}

/** The probability of each move, by the best mixture, by what forces most, or of chance; null if it is not known. */
function mixture(query, { role, moves }) {
  if (role === CHANCE) return moves.map((move) => ({ move, ...chanceOf(query) }));
  const forced = query.guarantees?.[role]?.strategy;
  return query.strategies?.[role] ?? (query.value === null && forced?.length ? forced : null);
}

function chanceOf(query) {
  const { probability, probability_float: float } = query.moves[0];
  return { probability, probability_float: float };
}

/** A probability as a number and a bar. */
export function likely(found) {
  if (!found) return null;
  return [element("span", { class: "bar-of", "aria-hidden": "true" }, element("span", { style: { "--share": `${100 * found.probability_float}%` } })),
    element("span", { class: "likely" }, both(found.probability, found.probability_float))];
}

/** Lists of moves of those with a choice. `picks`: picked moves by index; calls `onPick(place, move)`, `onDraw()`. `why`
  * as in the list of moves. */
export function parts(query, { hidden, picks, onPick, onDraw, why }) {
  const all = choosers(query);
  // One player beside chance mixes no moves: its best ones are those of which every joint move is best.
  const isBest = ({ place, role }, action) => !hidden && role !== CHANCE && query.value !== null && !query.strategies?.[role]
    && query.moves.every((move) => move.joint[place] !== action || move.optimal);
  const group = (chooser) => {
    const mixed = hidden && chooser.role !== CHANCE ? null : mixture(query, chooser);
    return element("fieldset", { class: "part", "data-role": chooser.role }, element("legend", {}, chooser.role),
      element("ol", { class: "moves" }, chooser.moves.map((move) => {
        const found = mixed?.find((one) => one.move === move);
        const open = hidden ? null : asked(why, chooser.role, move);
        return element("li", { class: open ? "worse" : null }, element("button", { type: "button", class: "move", "data-move": move, "data-of": chooser.role,
          "data-likely": found ? String(found.probability) : null, "aria-pressed": String(picks[chooser.place] === move),
          on: { click: () => onPick(chooser.place, move) } }, isBest(chooser, move) ? element("span", { class: "swatch", title: "best", style: { "--tone": "var(--good)" } }, "★") : null,
          element("span", { class: "name" }, move), likely(found)), open);
      })));
  };
  const waiting = all.filter(({ place }) => picks[place] === undefined).map(({ role }) => role);
  return element("div", { class: "parts" }, all.map(group), element("div", { class: "row" },
    element("button", { type: "button", class: "main", "data-draw": true, on: { click: onDraw } }, waiting.length < all.length ? "Draw the others" : "Draw all"),
    element("span", { class: "note" }, `Pick a move of ${waiting.join(" and of ")}, or let it be drawn by its probability.`)));
}

/** A table of what the first of two players gets. Calls `onPick(picks)`. */
export function matrix(query, values, onPick) {
  const [rows, columns] = choosers(query).filter(({ role }) => role !== CHANCE);
  const first = query.roles.indexOf(rows.role);
  const of = (role, move) => query.strategies[role].find((found) => found.move === move);
  const head = (role, move, scope) => element("th", { scope, class: of(role, move).probability_float > 0 ? "mixed" : null }, move,
    element("span", { class: "likely" }, exactly(of(role, move).probability, of(role, move).probability_float)));
  const cell = (row, column, value) => element("td", {}, element("button", { type: "button", class: "entry", "data-cell-of": `${row} ${column}`,
    "aria-label": `${rows.role} ${row}, ${columns.role} ${column}: ${values.vector(value)}`, title: values.vector(value),
    style: { "--tone": values.tone(first, value) }, on: { click: () => onPick({ [rows.place]: row, [columns.place]: column }) } }, exactly(value.exact[first], value[first])));
  return element("div", { class: "matrix" }, element("h2", {}, `What ${rows.role} gets`),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `What ${rows.role} gets by the moves of both` }, element("table", { class: "layers" },
      element("thead", {}, element("tr", {}, element("th", {}, ""), columns.moves.map((move) => head(columns.role, move, "col")))),
      element("tbody", {}, query.matrix.map((line, row) => element("tr", {}, head(rows.role, rows.moves[row], "row"),
        line.map((value, column) => cell(rows.moves[row], columns.moves[column], value))))))));
}
