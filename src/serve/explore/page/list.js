// The list of solutions.

import { element } from "./dom.js";
import { href } from "./source.js";
import { grouped } from "./values.js";

/** Whether the first position has a value, or roles have guarantees. */
export function isPlayable(solution) {
  return solution.solved;
}

/** The address at which to begin with a solution. */
export function start(solution) {
  return isPlayable(solution) ? `/${solution.name}` : `/${solution.name}/layers`;
}

export function show(solutions) {
  const card = (solution) => element("li", { class: "card" },
    element("h2", {}, element("a", { href: href(start(solution)), "data-name": solution.name }, solution.name)),
    element("p", { class: "outcome" }, solution.outcome),
    element("dl", {},
      solution.game === solution.name ? null : [element("dt", {}, "game"), element("dd", {}, solution.game)],
      element("dt", {}, solution.roles.length === 1 ? "role" : "roles"), element("dd", {}, solution.roles.join(", ")),
      element("dt", {}, "states"), element("dd", {}, solution.states === null ? "not known yet" : grouped(solution.states)),
      element("dt", {}, "layers"), element("dd", {}, grouped(solution.layers)),
      solution.roles.length > 1 ? [element("dt", {}, "players"), element("dd", {}, solution.opponent_model === "max-diff"
        ? "take the largest lead" : "take the highest own reward")] : null,
      solution.finished ? null : [element("dt", {}, "unfinished"), element("dd", {}, "answers as far as values are there")]),
    element("p", { class: "row" }, isPlayable(solution) ? element("a", { class: "button main", href: href(start(solution)) }, "Play and look") : null,
      element("a", { class: isPlayable(solution) ? "button" : "button main", href: href(`/${solution.name}/layers`) }, "Layers")));
  return [element("h1", {}, "Solved games"), element("ul", { class: "cards" }, solutions.map(card))];
}
