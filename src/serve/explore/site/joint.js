// Reads a ply that is given by the moves of all roles in brackets.

import { terms } from "./address.js";
import { ApiError } from "./error.js";

export const number = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** The names of the moves of all roles; null if the text is no such ply. `legal`: by role, the names of its moves.
 * `named`: the legal move of a role with a name. */
export function joint(legal, named, text, ply) {
  if (!text.startsWith("(") || !text.endsWith(")")) return null;
  const names = terms(text.slice(1, -1));
  if (names.length === 0) return null;
  const all = legal.flat();
  const isMove = (name) => all.some((other) => other.toLowerCase() === name.toLowerCase());
  const heads = all.filter((name) => name.startsWith("(")).map((name) => name.slice(1).split(" ")[0].toLowerCase());
  if (isMove(text) || (!isMove(names[0]) && heads.includes(names[0].toLowerCase()))) return null;
  if (names.length === legal.length && names.some(isMove)) return names.map((name, role) => named(role, name));
  if (isMove(names[0])) throw new ApiError(400, "position", `ply ${ply}: ${number(names.length, "move")} for ${number(legal.length, "role")}`);
  return null;
}
