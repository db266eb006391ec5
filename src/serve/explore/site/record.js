// Reads a match as people write it down: the movers' moves as text, numbered or not, or JSON for general game playing.

import { terms } from "./address.js";
import { ApiError } from "./error.js";

const wrong = (message) => new ApiError(400, "position", message);

/** The text without comments and without numbers of moves (outside parentheses, followed by a mark). */
function withoutNumbers(text) {
  let depth = 0;
  return text.replace(/[()]|;.*|(?<![^\s()])\d+(?:\.+|[):])(?=[\s(;]|$)/gm, (found) => {
    if (found.startsWith(";")) return "";
    if (/\d/.test(found) && depth === 0) return " ".repeat(found.length);
    depth = Math.max(0, depth + (found === "(" ? 1 : found.endsWith(")") ? -1 : 0));
    return found;
  });
}

/** The ground terms of a text in a uniform notation. Commas between them and comments count as spaces. */
export function words(text) {
  const plain = text.replace(/;.*$/gm, "").replace(/,(?=\s|\(|$)/gm, " ");
  return terms(plain).map((term) => {
    const depth = [...term].reduce((sum, sign) => sum + (sign === "(" ? 1 : sign === ")" ? -1 : 0), 0);
    if (depth > 0) throw wrong(`this \`(\` is never closed (in \`${term}\`)`);
    if (depth < 0) throw wrong(`\`)\` closes nothing (in \`${term}\`)`);
    const tidy = term.replace(/\s+/g, " ").replace(/\( /g, "(").replace(/ \)/g, ")").replace(/(\S)\(/g, (_, sign) => (sign === "(" ? "((" : `${sign} (`));
    return /^\([^\s()]+\)$/.test(tidy) ? tidy.slice(1, -1) : tidy;
  });
}

/** The moves of a text, and the same with each line without parentheses as one move. */
export function movers(text) {
  const lines = text.split("\n").map((line) => line.replace(/;.*$/, "")).map((line) => (/[()]/.test(line) || line.trim().split(/\s+/).length < 2 ? line : `(${line})`));
  return { moves: words(text), lines: words(lines.join("\n")) };
}

/** A match: `moves` and `lines` as above; or `joints`, the moves of all roles by ply. */
export function record(text) {
  const trimmed = text.replace(/^\ufeff/, "").trimStart();
  if (!/^[{[]/.test(trimmed)) return movers(withoutNumbers(trimmed));
  let found;
  try {
    found = JSON.parse(trimmed);
  } catch (error) {
    throw wrong(`not JSON: ${error.message}`);
  }
  const moves = Array.isArray(found) ? found : found.moves;
  if (!Array.isArray(moves)) throw wrong("the match has no `moves`");
  const isText = (one) => typeof one === "string";
  if (!moves.every((ply) => isText(ply) || (Array.isArray(ply) && ply.every(isText)))) throw wrong("a member of `moves` is no string");
  return { joints: moves.map((ply) => [ply].flat().flatMap(words)) };
}
