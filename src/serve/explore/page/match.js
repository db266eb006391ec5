// The moves of a match, to go to and to export.

import { send } from "./api.js";
import { element, replace } from "./dom.js";
import { both, counted } from "./values.js";

/** What each player lost by a ply on average, in a game with exact values. */
function losses(move) {
  return Object.entries(move.choices ?? {}).filter(([, made]) => made.loses_float > 0)
    .map(([role, made]) => ({ text: `${role} loses ${both(made.loses, made.loses_float)}`, best: made.best.map((one) => one.move) }));
}

const LOST = { win: "gives the win away", draw: "gives the draw away", endless: "gives endless play away", rewards: "gives rewards away" };

/** How well each player chose, and which ply decided the match. */
function summary(review) {
  const chosen = Object.entries(review.accuracy ?? {}).filter(([, found]) => found.percent !== null)
    .map(([role, found]) => `${role} ${Math.round(found.percent)} % (${found.kept} of ${counted(found.choices, "choice", "choices")} kept the value)`);
  const last = review.moves.find((move) => move.ply === review.decided_at);
  return [chosen.length ? element("p", { class: "note accuracy" }, `Accuracy: ${chosen.join(", ")}.`) : null,
    last ? element("p", { class: "note decided" }, `Decided by ply ${last.ply}, ${last.move}.`) : null];
}

/** Buttons for all plies. */
export function plies(review, ply, hidden, onGo) {
  const item = (move, index) => {
    const told = losses(move);
    const lost = hidden || !move.gives_away ? "" : told.length ? told.map((one) => one.text).join("; ") : LOST[move.gives_away] ?? "gives something away";
    const best = told.length ? told.flatMap((one) => one.best) : move.best;
    return element("li", { value: move.ply }, element("button", {
      type: "button", class: `ply${index + 1 === ply ? " present" : ""}${lost ? " slip" : ""}`, "aria-current": index + 1 === ply ? "step" : null,
      title: lost ? `${lost}; ${move.not_best ? "keeps the value" : "best"}: ${best.join(" ")}` : move.role, "data-ply": index + 1,
      on: { click: () => onGo(index + 1) },
    }, review.roles.includes(move.role) ? element("span", { class: `sample role-${review.roles.indexOf(move.role) % 8}`, "aria-hidden": "true" }) : null, move.move,
    lost ? element("span", { class: "lost" }, ` ${lost}`) : null));
  };
  return review.moves.length
    ? [element("ol", { class: "plies", "aria-label": "Moves of the match" }, review.moves.map(item)), hidden ? null : summary(review)]
    : element("p", { class: "note" }, "No move was played yet.");
}

/** The match as text, one move per line. */
export function asText(review) {
  return review.moves.map((move) => `${move.ply}. ${move.move}\n`).join("");
}

/** The match as JSON for general game playing. */
export function asJson(review) {
  const found = { game: review.game, roles: review.roles, moves: review.moves.map((move) => move.joint), isCompleted: review.finished };
  if (review.finished) found.goalValues = review.value;
  return `${JSON.stringify(found, null, 1)}\n`;
}

/** A box with the match, which can be edited. `onLoad(moves)` gets the moves that are entered. */
export function box(name, state, onLoad) {
  let review = null;
  const text = element("textarea", { rows: 6, spellcheck: "false", "aria-label": "The match, as text or as JSON",
    placeholder: "(mark 2 2)\n(mark 1 1)\n…" });
  const told = element("p", { class: "note", role: "status" });
  const save = element("a", { class: "button", href: "#", on: { click: () => {
    const isJson = text.value.trimStart().startsWith("{");
    const old = save.href;
    save.href = URL.createObjectURL(new Blob([text.value], { type: isJson ? "application/json" : "text/plain" }));
    save.download = `${name}.${isJson ? "json" : "txt"}`;
    if (old.startsWith("blob:")) URL.revokeObjectURL(old);
  } } }, "Save");
  const load = async () => {
    try {
      const found = await send(`/${name}/review`, { state }, text.value);
      replace(told, "");
      onLoad(found.moves.map((move) => move.move));
    } catch (error) {
      replace(told, error.message);
    }
  };
  const button = (label, act) => element("button", { type: "button", on: { click: act } }, label);
  const file = element("input", { type: "file", class: "hidden-file", id: "match-file", "aria-label": "A file with a match",
    on: { change: async () => {
      if (!file.files.length) return;
      text.value = await file.files[0].text();
      file.value = "";
      load();
    } } });
  const copy = async () => {
    text.select();
    try {
      await navigator.clipboard.writeText(text.value);
      replace(told, "Copied.");
    } catch {
      replace(told, "The text is selected: copy it by the keyboard.");
    }
  };
  const node = element("details", { class: "box" }, element("summary", {}, "Match as text"),
    text, element("div", { class: "row" },
      button("Show this match", load), button("As text", () => { text.value = asText(review); }),
      button("As JSON", () => { text.value = asJson(review); }), button("Copy", copy), save,
      element("label", { class: "button", for: "match-file" }, "Open a file", file)), told);
  return { node, show: (found) => {
    review = found;
    if (document.activeElement !== text) text.value = asText(found);
    replace(told, "");
  } };
}
