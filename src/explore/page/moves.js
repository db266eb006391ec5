// The legal moves, best first, each with what it is worth to the mover.

import { element } from "./dom.js";
import { counted } from "./values.js";

/** `in 5 plies`, where that is known. */
export function plies(found) {
  if (typeof found.plies === "number") return counted(found.plies, "ply", "plies");
  if (!found.distance) return "";
  return `${found.distance.exact ? "" : "at least "}${counted(found.distance.plies, "ply", "plies")}`;
}

/** What roles can force after a move, where that is stored. */
function forces(move, values) {
  const found = Object.entries(move.guarantees ?? {});
  if (!found.length) return null;
  const text = found.map(([role, { value }]) => `${role} can force ${values.reward(value)}`).join("; ");
  return element("span", { class: "forces", title: text }, `≥ ${found.map(([, { value }]) => (value === null ? "∞" : value)).join("/")}`);
}

/** A list of buttons; `onPlay(move, event)`, `onLook(move or null)`. */
export function list(query, moves, { values, hidden, onPlay, onLook }) {
  const role = query.roles.indexOf(query.to_move);
  // Where moves are equally good, the order tells something that is to be hidden, too.
  const shown = hidden ? [...moves].sort((a, b) => a.move.localeCompare(b.move, "en", { numeric: true })) : moves;
  const item = (move) => {
    const end = plies(move);
    const worth = hidden ? null : [
      element("span", { class: "word" }, move.value && query.roles.length === 1 ? "" : values.word(role, move.value)),
      element("span", { class: "rewards" }, values.text(move.value)),
      forces(move, values),
      element("span", { class: "plies" }, end && `in ${end}`),
    ];
    const look = () => onLook(move);
    const leave = () => onLook(null);
    const label = hidden ? move.move : `${move.move}: ${values.vector(move.value)}${end ? `, play ends in ${end}` : ""}${move.optimal ? ", best" : ""}`;
    return element("li", {}, element("button", {
      type: "button", class: hidden ? "move" : `move rated${move.optimal ? " best" : ""}`, "data-move": move.move, "aria-label": label,
      "data-value": hidden ? null : values.text(move.value),
      style: { "--tone": hidden ? "var(--neutral)" : values.tone(role, move.value) },
      on: { click: (event) => onPlay(move, event), mouseenter: look, focus: look, mouseleave: leave, blur: leave },
    }, element("span", { class: "swatch", "aria-hidden": "true" }, !hidden && move.optimal ? "★" : ""),
    element("span", { class: "name" }, move.move), worth));
  };
  return element("ol", { class: "moves", "aria-label": hidden ? "Legal moves" : "Legal moves, best first" }, shown.map(item));
}
