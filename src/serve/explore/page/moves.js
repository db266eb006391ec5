// The legal moves, best first, each with its value for the mover.

import { element, isByKey } from "./dom.js";
import { CHANCE, both, counted, grouped } from "./values.js";

/** `in 5 plies` or `at a cost of 24`, if it is known. */
export function end(found) {
  if (found.cost !== undefined) return `at a cost of ${grouped(found.cost)}`;
  if (found.cost_at_least !== undefined) return `at a cost of at least ${grouped(found.cost_at_least)}`;
  if (typeof found.plies === "number") return `in ${counted(found.plies, "ply", "plies")}`;
  if (!found.distance) return "";
  return `in ${found.distance.exact ? "" : "at least "}${counted(found.distance.plies, "ply", "plies")}`;
}

/** What roles can force after a move, if it is stored. */
function forces(move, values) {
  const found = Object.entries(move.guarantees ?? {});
  if (!found.length) return null;
  const text = found.map(([role, { value }]) => `${role} can force ${values.reward(value)}`).join("; ");
  return element("span", { class: "forces", title: text }, `≥ ${found.map(([, { value }]) => (value === null ? "∞" : value)).join("/")}`);
}

/** Moves in classes of moves that a symmetry of the position maps onto each other, the first of each class first. */
function classes(moves) {
  const found = new Map();
  for (const move of moves) {
    const first = move.same_as ?? move.move;
    if (found.has(first)) found.get(first).push(move);
    else found.set(first, [move]);
  }
  return [...found.values()];
}

/** Lets the up and down keys move between the buttons in a node. */
export function walk(node, event) {
  if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
  const buttons = [...node.querySelectorAll("[data-move]")];
  const at = buttons.indexOf(document.activeElement);
  const next = buttons[event.key === "ArrowDown" ? at + 1 : at - 1];
  if (next && (at >= 0 || event.key === "ArrowDown")) {
    event.preventDefault();
    next.focus();
  }
}

/** A button that asks why a move of a role is worse, and the answer below it; null if the move is not. `why`:
  * `isWorse(role, move)`, `onAsk(role, move)`, and `told`, the role, the move and the answer that is shown, if any. */
export function asked(why, role, move) {
  if (!why?.isWorse(role, move)) return null;
  const isOpen = why.told?.role === role && why.told.move === move;
  return [element("button", { type: "button", class: "why", "data-why": move, "data-of": role, "aria-expanded": String(isOpen), "aria-label": `Why not ${move}: what follows it`,
    title: "Why not: what follows", on: { click: () => why.onAsk(role, move) } }, "?"),
  isOpen ? element("div", { class: "explained", role: "status" }, why.told.node) : null];
}

/** Buttons. `onPlay(move, event)`, `onLook(move or null)`; `why`: see [asked], or null. */
export function list(query, moves, { values, hidden, onPlay, onLook, why }) {
  const role = Math.max(0, query.roles.indexOf(query.to_move));
  // Chance does not choose: none of its moves is best. Nor is one if another is worth more than what the mover settled for.
  const isBest = (move) => move.optimal && !query.not_best && query.to_move !== CHANCE && move.value !== null;
  // If moves are equally good, their order gives away something that must be hidden, as do classes of alike moves.
  const shown = hidden ? [...moves].sort((a, b) => a.move.localeCompare(b.move, "en", { numeric: true })).map((move) => [move]) : classes(moves);
  const label = (move) => {
    const ending = end(move);
    return hidden ? move.move : `${move.move}: ${values.vector(move.value)}${ending ? `, play ends ${ending}` : ""}${isBest(move) ? ", best" : move.keeps_value ? ", keeps the value" : ""}`;
  };
  const button = (move, kind, name, ...children) => {
    const look = () => onLook(move);
    const leave = () => onLook(null);
    return element("button", {
      type: "button", class: kind, "data-move": move.move, "aria-label": name, "data-value": hidden ? null : values.text(move.value),
      style: { "--tone": hidden ? "var(--neutral)" : values.tone(role, move.value) },
      on: { click: (event) => onPlay(move, event), mouseenter: look, focus: (event) => { if (isByKey(event.target)) look(); }, mouseleave: leave, blur: leave },
    }, children);
  };
  const item = ([move, ...alike]) => {
    const worth = hidden ? null : [
      values.exact ? null : element("span", { class: "word" }, move.value && query.roles.length > 1 ? values.word(role, move.value) : ""),
      element("span", { class: "rewards" }, values.text(move.value)),
      move.probability === undefined ? null : element("span", { class: "likely" }, both(move.probability, move.probability_float)),
      forces(move, values),
      values.exact ? null : element("span", { class: "plies" }, end(move)),
    ];
    const open = hidden ? null : asked(why, query.to_move, move.move);
    return element("li", { class: open ? "worse" : null }, button(move, hidden ? "move" : `move rated${isBest(move) ? " best" : move.keeps_value ? " keeps" : ""}`, label(move),
      element("span", { class: "swatch", "aria-hidden": "true", title: !hidden && move.keeps_value && !isBest(move) ? "keeps the value" : null }, hidden ? "" : isBest(move) ? "★" : move.keeps_value ? "☆" : ""), element("span", { class: "name" }, move.move), worth),
    open,
    alike.length ? element("div", { class: "alike", role: "group", "aria-label": `By symmetry the same as ${move.move}` },
      element("span", { class: "note", title: `By symmetry the same as ${move.move}: what follows differs in names alone` }, "alike"),
      alike.map((same) => button(same, "same", `${label(same)}; by symmetry the same as ${move.move}`, same.move))) : null);
  };
  return element("ol", { class: "moves", "aria-label": hidden || query.to_move === CHANCE ? "Legal moves" : "Legal moves, best first" }, shown.map(item));
}
