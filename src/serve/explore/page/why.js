// Reasons for exact values: what play comes to after a decision of several players or of chance, and what a worse move
// loses on average.

import { element } from "./dom.js";
import { likely } from "./parts.js";
import { both, counted } from "./values.js";

/** Bound on the values that are shown after a decision. */
const SHOWN = 12;

/** Who decides after the moves of a line, and how likely the values after that decision are; null where play is over. */
export function outcomes(line, values) {
  if (!line.then.length) return null;
  const left = line.outcomes.length - SHOWN;
  const item = (found) => element("li", { "data-value": values.text(found.value), "data-likely": String(found.probability) },
    likely(found), element("span", { class: "rewards", title: values.vector(found.value) }, values.text(found.value)));
  return [element("p", { class: "note" }, `${line.moves.length ? "… then " : ""}${line.then.join(" and ")} ${line.then.length > 1 ? "decide" : "decides"}. Values after that, with their probabilities:`),
    element("ul", { class: "outcomes" }, line.outcomes.slice(0, SHOWN).map(item)),
    left > 0 ? element("p", { class: "note" }, `and ${counted(left, "further value", "further values")}`) : null];
}

/** Why a move of a role is worse than its best ones. `plies`: its moves after it, as buttons, or null. */
export function reason(role, found, values, plies) {
  const { gives_away: lost, gives_away_float: float, follows, answer } = found;
  const loses = float > 0 ? `${role} loses ${both(lost, float)} on average` : `${role} gets as much and leaves more to others`;
  return [element("p", { class: "loses" }, `${loses}. It comes to ${values.vector(follows.value)}.`), plies, outcomes(follows, values),
    answer ? element("p", { class: "note reply" }, `Answered best by ${answer.move} of ${answer.role}: ${values.vector(answer.value)}.`) : null];
}
