// Positions in which several players, or chance, choose at the same time. A move is picked for each, and the joint move
// is played when all are picked.

import { element } from "./dom.js";
import { asked } from "./moves.js";
import { CHANCE, both, exactly, sum } from "./values.js";

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

/** A table of what joint moves come to, by the moves of the last player and those of the others; null if it is not known.
  * Calls `onPick(picks)`. */
export function matrix(query, values, onPick) {
  const players = choosers(query).filter(({ role }) => role !== CHANCE);
  const [last, others] = [players.at(-1), players.slice(0, -1)];
  const table = !players.length ? null : query.matrix ? valued(query, values, players) : forced(query, players);
  if (!table) return null;
  // Beside the moves of several players there is no room for their probabilities.
  const head = (moves, scope) => {
    const found = moves.length === 1 ? mixture(query, moves[0][0])?.find(({ move }) => move === moves[0][1]) : null;
    return element("th", { scope, class: found?.probability_float > 0 ? "mixed" : null }, moves.map(([, move]) => move).join(" "),
      found ? element("span", { class: "likely" }, exactly(found.probability, found.probability_float)) : null);
  };
  const cell = (row, move, { text, told, tone }) => element("td", {}, element("button", { type: "button", class: "entry", "data-cell-of": [...row.map(([, own]) => own), move].join(" "),
    "aria-label": `${[...row, [last, move]].map(([{ role }, own]) => `${role} ${own}`).join(", ")}: ${told}`, title: told, style: { "--tone": tone },
    on: { click: () => onPick(Object.fromEntries([...row, [last, move]].map(([{ place }, own]) => [place, own]))) } }, text));
  return element("div", { class: "matrix" }, element("h2", {}, table.title),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${table.title} by the moves of ${players.length > 2 ? "all" : "both"}` }, element("table", { class: "layers" },
      element("thead", {}, element("tr", {}, element("th", {}, ""), last.moves.map((move) => head([[last, move]], "col")))),
      element("tbody", {}, together(others).map((row) => element("tr", {}, head(row, "row"), last.moves.map((move) => cell(row, move, table.entry(row, move)))))))));
}

/** All ways in which players can move together, each as pairs of a player and its move; the moves of the last one change
  * first. */
function together(players) {
  return players.reduce((found, player) => found.flatMap((before) => player.moves.map((move) => [...before, [player, move]])), [[]]);
}

/** What the first of two players gets. */
function valued(query, values, [rows, columns]) {
  const first = query.roles.indexOf(rows.role);
  const entry = ([[, row]], column) => {
    const value = query.matrix[rows.moves.indexOf(row)][columns.moves.indexOf(column)];
    return { text: exactly(value.exact[first], value[first]), told: values.vector(value), tone: values.tone(first, value) };
  };
  return { title: `What ${rows.role} gets`, entry };
}

/** What each role can force after the moves of all players, on average over chance, where there is no single value. */
function forced(query, players) {
  const roles = Object.keys(query.guarantees ?? {});
  if (query.value !== null || !roles.length) return null;
  const last = players.at(-1);
  const entry = (row, move) => {
    const after = query.moves.filter(({ joint }) => [...row, [last, move]].every(([{ place }, own]) => joint[place] === own));
    const most = roles.map((role) => sum(after.map(({ guarantees }) => guarantees[role].value), after.length));
    return { text: most.map(({ amount, amount_float: float }) => exactly(amount, float)).join(", "), tone: "var(--neutral)",
      told: roles.map((role, index) => `${role} can force ${both(most[index].amount, most[index].amount_float)}`).join(", ") };
  };
  return { title: `What ${roles.join(", ")} can force`, entry };
}
