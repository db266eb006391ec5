// Play against the solution: the role of the person, and how often the program errs.

import { draw } from "./api.js";
import { element } from "./dom.js";
import { choosers } from "./parts.js";

/** Settings of a match against the program. Calls `onChange()` after each change. */
export class Opponent {
  constructor(name, roles, onChange) {
    this.name = name;
    this.on = false;
    this.role = roles[0];
    this.error = 0;
    const told = element("output", { for: "chance" }, "0 %");
    const change = () => {
      this.on = use.checked;
      this.role = role.value;
      this.error = Number(chance.value) / 100;
      told.value = `${chance.value} %`;
      onChange();
    };
    const use = element("input", { type: "checkbox", id: "against", on: { change } });
    const role = element("select", { id: "as", on: { change } }, roles.map((found) => element("option", { value: found }, found)));
    const chance = element("input", { type: "range", id: "chance", min: 0, max: 100, step: 5, value: "0", on: { input: change } });
    this.node = element("fieldset", { class: "opponent" }, element("legend", {}, "Play against it"),
      element("div", { class: "row" }, use, element("label", { for: "against" }, "The program plays the other side")),
      element("div", { class: "row" }, element("label", { for: "as" }, "You are"), role),
      element("div", { class: "row" }, element("label", { for: "chance" }, "It errs in"), chance, told));
  }

  /** Whether the program moves in a position. It also makes the moves of chance. */
  moves(query) {
    return this.on && !query.terminal && query.moves.length > 0 && !choosers(query).some(({ role }) => role === this.role);
  }

  /** The program's move. If nobody has a choice, it is the only move. */
  async reply(query, moves, state) {
    if (query.forced) return query.moves[0].move;
    for (let trial = 0; ; trial += 1) {
      try {
        return (await draw(`/${this.name}/reply`, { moves: moves.join(" "), state, error: this.error })).move;
      } catch (error) {
        if (error.code !== "busy" || trial >= 8) throw error;
        await new Promise((done) => setTimeout(done, 400));
      }
    }
  }
}
