// The page of a position: the board, the moves with their values, and the match so far.

import { ask, draw, search } from "./api.js";
import { ofPosition } from "./address.js";
import { Board, narrowed } from "./board.js";
import { chart } from "./chart.js";
import { element, isByKey, released, replace } from "./dom.js";
import { table } from "./fluents.js";
import { box, plies as matchPlies } from "./match.js";
import { end, list, walk } from "./moves.js";
import { Opponent } from "./opponent.js";
import { choosers, matrix, parts, picked } from "./parts.js";
import { CHANCE, grouped, Values } from "./values.js";
import { outcomes, reason } from "./why.js";

/** Bounds on the positions in searches for distances and costs, tried one after the other until one suffices. */
const SEARCHES = [5000, 200000];
const PAUSE = 350;

/** The purpose of a button that can have the focus when it is drawn again. */
function keyOf(node) {
  const name = ["data-move", "data-cell", "data-why"].find((found) => node.hasAttribute(found));
  return name ? `${name} ${node.getAttribute(name)} ${node.getAttribute("data-of")}` : null;
}

export class PositionPage {
  /** `go(address, replaces)` opens another address. */
  constructor(solution, go) {
    this.solution = solution;
    this.go = go;
    this.values = new Values(solution);
    this.turn = 0;
    this.chosen = [];
    this.picks = {};
    this.hidden = false;
    this.opponent = new Opponent(solution.name, solution.roles, () => { this.render(); this.answer(); });
    this.build();
  }

  build() {
    const section = (name, title, ...children) => {
      this[name] = element("div", {});
      return element("section", { class: name }, title ? element("h2", {}, title) : null, children, this[name]);
    };
    this.status = element("p", { class: "status", role: "status" });
    const control = (label, sign, act) => element("button", { type: "button", "aria-label": label, title: label, on: { click: act } }, sign);
    this.controls = element("div", { class: "controls", role: "group", "aria-label": "Through the match" },
      control("To the start (Home)", "«", () => this.goTo(0)), control("Back (left)", "‹", () => this.goTo(this.ply - 1)),
      control("On (right)", "›", () => this.goTo(this.ply + 1)), control("To the end (End)", "»", () => this.goTo(Infinity)));
    const hide = element("input", { type: "checkbox", id: "hide", on: { change: () => { this.hidden = hide.checked; this.render(); } } });
    this.told = element("p", { class: "note warning", role: "status" });
    const left = element("div", { class: "left" }, this.status, section("place", null), this.controls, this.told,
      element("div", { class: "row" }, hide, element("label", { for: "hide" }, "Hide what moves are worth")),
      section("course", "The match"));
    const right = element("div", { class: "right" }, section("options", "Moves"), section("pairs", null), section("line", "Best play from here"));
    this.box = null;
    this.boxPlace = element("div", {});
    right.append(this.boxPlace, this.solution.roles.length > 1 || this.solution.chance ? this.opponent.node : "",
      element("details", { class: "box" }, element("summary", {}, "Keys"), element("p", {},
        "Left and right go back and forth in the match, Home and End to its ends. Tab goes to the moves and cells, Enter plays one. Up and down go through the moves. Escape drops what is chosen. Where several choose at the same time, Enter picks a move of one of them, and the position goes on once all have one. The back button of the browser takes a move back.")));
    this.node = element("div", { class: "position", style: this.values.paints() },
      element("h1", {}, this.solution.game), element("div", { class: "columns" }, left, right));
  }

  /** Shows the position of an address. */
  async show(address) {
    const turn = ++this.turn;
    const { name } = this.solution;
    const { state, moves } = address;
    // Terms that the address implies count as plies, so that the whole match is judged first.
    const review = await ask(`/${name}/review`, { state, moves: moves.join(" ") });
    const all = review.moves.map((move) => move.move);
    const ply = Math.min(address.ply ?? all.length, all.length);
    const query = await ask(`/${name}/position`, { state, moves: all.slice(0, ply).join(" ") });
    if (turn !== this.turn) return;
    const held = this.focus();
    if (!this.box || this.state !== state) {
      this.box = box(name, state, (loaded) => this.go(ofPosition({ name, state, moves: loaded, ply: null })));
      replace(this.boxPlace, this.box.node);
    }
    Object.assign(this, { query, review, state, ply, all, best: null, chosen: [], picks: {}, explained: null });
    this.box.show(review);
    replace(this.told, "");
    this.render();
    this.refocus(held);
    this.answer();
    this.look(turn).catch((error) => { if (turn === this.turn && error.code !== "busy") replace(this.told, error.message); });
  }

  /** Fetches what takes a search: distances, costs of plans, and the line of best play. */
  async look(turn) {
    const { name } = this.solution;
    const moves = this.all.slice(0, this.ply).join(" ");
    const isWanted = () => turn === this.turn;
    await new Promise((done) => setTimeout(done, 120));
    const isExact = this.solution.exact;
    if (!isWanted() || this.query.terminal || (isExact && !this.query.value)) return;
    const tellDistance = async (distance) => {
      const found = await search(`/${name}/position`, { state: this.state, moves, distance }, isWanted);
      await released();
      if (!isWanted()) return true;
      this.query = found;
      this.renderMoves();
      return found.has_costs ? found.cost_at_least === undefined : !found.distance || found.distance.exact;
    };
    const [quick, ...longer] = SEARCHES;
    const isTold = isExact || this.query.plies !== undefined && !this.query.has_costs || await tellDistance(quick);
    if (!isWanted()) return;
    // Best play is shown before the search that takes longest.
    const best = await search(`/${name}/line`, { state: this.state, moves }, isWanted);
    await released();
    if (!isWanted()) return;
    this.best = best;
    this.renderLine();
    if (isExact) this.renderMoves();
    for (const distance of isTold ? [] : longer) if (await tellDistance(distance)) break;
  }

  /** Makes the program's move if it is its turn. */
  async answer() {
    const turn = this.turn;
    if (!this.query || this.ply < this.all.length || !this.opponent.moves(this.query)) return;
    await new Promise((done) => setTimeout(done, PAUSE));
    if (turn !== this.turn || !this.opponent.moves(this.query)) return;
    try {
      const move = await this.opponent.reply(this.query, this.all, this.state);
      // Going back from here leads to the position in which the person had the choice.
      if (turn === this.turn) this.go(ofPosition({ name: this.solution.name, state: this.state, moves: [...this.all, move], ply: null }), true);
    } catch (error) {
      replace(this.told, error.message);
    }
  }

  play(move) {
    this.go(ofPosition({ name: this.solution.name, state: this.state, moves: [...this.all.slice(0, this.ply), move.move], ply: null }));
  }

  /** Picks or drops a move of one of those who choose at the same time. */
  pick(place, action) {
    this.picks = { ...this.picks, [place]: this.picks[place] === action ? undefined : action };
    if (this.picks[place] === undefined) delete this.picks[place];
    const own = choosers(this.query).find((found) => found.place === place);
    if (this.opponent.on && own.role === this.opponent.role) this.drawOthers();
    else this.playPicked();
  }

  /** Plays the picked moves when they are a joint move. */
  playPicked() {
    const move = picked(this.query, this.picks);
    if (move) this.play(move);
    else this.renderMoves();
  }

  /** Draws a move for each that has none yet, by their probabilities. */
  async drawOthers() {
    const { turn, picks } = this;
    try {
      const drawn = await draw(`/${this.solution.name}/reply`, { state: this.state, moves: this.all.slice(0, this.ply).join(" "), error: this.opponent.on ? this.opponent.error : 0 });
      if (turn !== this.turn) return;
      const joint = drawn.joint.map((action, place) => picks[place] ?? action);
      this.play(this.query.moves.find((move) => move.joint.every((action, place) => action === joint[place])));
    } catch (error) {
      replace(this.told, error.message);
    }
  }

  goTo(ply) {
    const wanted = Math.max(0, Math.min(ply, this.all.length));
    if (wanted !== this.ply) this.go(ofPosition({ name: this.solution.name, state: this.state, moves: this.all, ply: wanted }));
  }

  key(event) {
    const steps = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: Infinity };
    if (event.key in steps) {
      event.preventDefault();
      this.goTo(steps[event.key]);
    } else if (event.key === "Escape" && (this.chosen.length || Object.keys(this.picks).length)) {
      this.picks = {};
      this.choose([]);
    } else walk(this.options, event);
  }

  /** The element that has the focus in parts that are drawn again, and whether the keyboard moved the focus there. */
  focus() {
    const active = document.activeElement;
    const place = ["options", "place"].find((name) => this[name].contains(active));
    return place ? { place, key: keyOf(active), byKey: isByKey(active) } : null;
  }

  refocus(held) {
    if (!held || this[held.place].contains(document.activeElement)) return;
    const targets = [...this[held.place].querySelectorAll("[data-move], [role=button], [data-why]")];
    const same = targets.find((target) => held.key !== null && keyOf(target) === held.key);
    // After a click, no other element gets the focus: its move would be shown, although the mouse is elsewhere.
    (same ?? (held.byKey ? targets[0] : null))?.focus({ preventScroll: true });
  }

  choose(cells) {
    const held = this.focus();
    this.chosen = cells;
    this.render();
    this.refocus(held);
  }

  render() {
    if (!this.query) return;
    this.renderPlace(null);
    this.renderMoves();
    this.renderLine();
    replace(this.course, this.hidden || !this.all.length || !this.review.value ? null : chart(this.review, this.ply, this.values, (ply) => this.goTo(ply)),
      matchPlies(this.review, this.ply, this.hidden, (ply) => this.goTo(ply)));
    const [first, back, on, last] = this.controls.children;
    first.disabled = back.disabled = this.ply === 0;
    on.disabled = last.disabled = this.ply === this.all.length;
    document.title = `${this.solution.game}, ply ${this.query.layer}`;
  }

  renderStatus() {
    const { query, values } = this;
    const role = query.roles.indexOf(query.to_move);
    const who = query.terminal ? "Play is over"
      : query.to_move === null ? `${choosers(query).map((found) => found.role).join(" and ")} choose at the same time`
      : query.to_move === CHANCE && !query.forced ? "Chance moves"
      : query.forced ? `${query.to_move} to move, without a choice` : `${query.to_move} to move`;
    const ending = end(query);
    const worth = this.hidden && !query.terminal ? "" : `: ${query.outcome}${ending && !query.terminal ? `, ${ending}` : ""}`;
    replace(this.status, query.terminal || role < 0 ? null : element("span", { class: `sample role-${role % 8}`, "aria-hidden": "true" }),
      element("strong", {}, who), worth, this.forces(), this.settled(), this.state !== null && this.ply === 0 ? element("span", { class: "note" }, ` (a position of layer ${query.layer})`) : null);
    this.status.style.setProperty("--tone", this.hidden || query.terminal ? "transparent" : values.tone(Math.max(role, 0), query.value));
  }

  /** What is said of a value that is no equilibrium. */
  settled() {
    const { to_move: role, not_best: isWorse } = this.query;
    if (!isWorse || this.hidden) return null;
    return element("span", { class: "note settled" }, ` (${role} settled for that; another move is worth more to it, so it is no equilibrium here)`);
  }

  /** What roles can force, if it is stored. */
  forces() {
    const found = this.hidden ? [] : Object.entries(this.query.guarantees ?? {});
    if (!found.length || this.query.terminal || (this.solution.exact && !this.query.value)) return null;
    const text = found.map(([role, { value, forced }]) => {
      if (this.solution.exact) return `${role} can force ${value}`;
      const own = this.query.value?.[this.query.roles.indexOf(role)] ?? null;
      const beside = forced ? "" : own === null ? `; where each takes its best, play can go on for ever (of its own rewards, ${value} is more than that)` : `, less than the ${own} where each takes its best`;
      return `${role} ${value === null ? "cannot force an end of play" : `can force ${value}`}${beside}`;
    });
    return element("span", { class: "note forces" }, ` (${text.join("; ")})`);
  }

  renderPlace(after) {
    const { query } = this;
    if (!query.board) {
      replace(this.place, table(query.state, after, "The fluents that hold"));
      return;
    }
    this.board = new Board(query, { values: this.values, hidden: this.hidden, chosen: this.chosen,
      onPlay: (move) => this.play(move), onChoose: (cells) => this.choose(cells) });
    this.others = element("div", {});
    replace(this.place, this.board.node, this.board.legend(), this.others);
    this.renderOthers(null);
  }

  /** The fluents that are not shown on the board. */
  renderOthers(move) {
    const onBoard = new Set(this.query.state.filter((fluent) => !this.query.board.others.includes(fluent)));
    const after = move ? move.after.filter((fluent) => !onBoard.has(fluent) && this.isOther(fluent)) : null;
    replace(this.others, this.query.board.others.length || after?.length ? table(this.query.board.others, after, "What else holds") : null);
  }

  /** Whether a fluent is not shown on the board. Fluents on the board have the names of those on it now. */
  isOther(fluent) {
    const name = (term) => term.replace(/^\(/, "").split(/[\s)]/)[0];
    return this.query.board.others.some((other) => name(other) === name(fluent));
  }

  renderMoves() {
    const { query } = this;
    const held = this.focus();
    const left = query.board ? narrowed(query.moves, this.chosen) : query.moves;
    const note = this.chosen.length ? element("p", { class: "note" }, `${left.length} of ${query.moves.length} moves change the cells that are chosen; Escape shows all.`) : null;
    const isJoint = query.to_move === null && query.moves.length > 0;
    const why = { isWorse: (role, move) => this.isWorse(role, move), onAsk: (role, move) => this.explain(role, move), told: this.explained };
    replace(this.pairs, isJoint && !this.hidden ? matrix(query, this.values, (picks) => { this.picks = { ...this.picks, ...picks }; this.playPicked(); }) : null);
    this.pairs.parentElement.hidden = !this.pairs.firstChild;
    const isChance = query.to_move === CHANCE && query.moves.length > 1;
    replace(this.options, note, isChance ? element("div", { class: "row" }, element("button", { type: "button", class: "main", "data-draw": true, on: { click: () => this.drawOthers() } }, "Draw one")) : null, isJoint && !this.chosen.length
      ? parts(query, { hidden: this.hidden, picks: this.picks, onPick: (place, action) => this.pick(place, action), onDraw: () => this.drawOthers(), why })
      : query.moves.length
      ? list(query, left, { values: this.values, hidden: this.hidden, onPlay: (move) => this.play(move), onLook: (move) => this.lookAt(move), why })
      : element("p", { class: "note" }, "Play is over."));
    this.renderStatus();
    if (held?.place === "options") this.refocus(held);
  }

  /** Shows the position after a move, or the current position again. */
  lookAt(move) {
    if (!this.query.board) {
      this.renderPlace(move?.after ?? null);
      return;
    }
    const role = this.query.roles.indexOf(this.query.to_move);
    if (move) this.board.show(move, this.values, role, this.hidden);
    else this.board.clear();
    this.renderOthers(move);
  }

  /** Why a move of a role is worse, where values are exact; none if it is not, or not known yet. */
  reasonOf(role, action) {
    return this.best?.reasons?.[role]?.find((found) => found.move === action);
  }

  /** Whether it can be told why a move of a role is worse than others. */
  isWorse(role, action) {
    const { query } = this;
    if (this.solution.exact) return this.reasonOf(role, action) !== undefined;
    const move = query.moves.find((found) => found.move === action);
    return !query.forced && !move.keeps_value && !move.worth_more && !move.unsettled;
  }

  /** Shows the consequences of a move that gives something away, or hides them. */
  async explain(role, action) {
    const turn = this.turn;
    const isAsked = () => turn === this.turn && this.explained === asked;
    const isShown = this.explained?.role === role && this.explained.move === action;
    const asked = isShown ? null : { role, move: action, node: element("span", { class: "note" }, "Looking for it …") };
    this.explained = asked;
    const before = [...this.all.slice(0, this.ply), action];
    const found = this.reasonOf(role, action);
    if (asked && found) asked.node = reason(role, found, this.values, found.follows.moves.length ? this.plies(found.follows, before, "What follows") : null);
    this.renderMoves();
    if (!asked || found) return;
    try {
      const line = await search(`/${this.solution.name}/line`, { state: this.state, moves: before.join(" ") }, isAsked);
      asked.node = line.moves.length ? this.plies(line, before, "What follows") : element("span", { class: "note" }, "Play is over.");
    } catch (error) {
      asked.node = element("span", { class: "warning" }, error.message);
    }
    await released();
    if (isAsked()) this.renderMoves();
  }

  /** The plies of a line that begins after some moves, as buttons. */
  plies(line, before, label) {
    const first = this.query.layer + before.length - this.ply + 1;
    return element("ol", { class: "plies", "aria-label": label }, line.moves.map((move, index) => element("li", { value: first + index },
      element("button", { type: "button", class: "ply", on: { click: () => this.go(ofPosition({ name: this.solution.name, state: this.state,
        moves: [...before, ...line.moves.slice(0, index + 1)], ply: null })) } },
      element("span", { class: `sample role-${this.solution.roles.indexOf(line.roles[index]) % 8}`, "aria-hidden": "true" }), move))));
  }

  renderLine() {
    const { best } = this;
    this.line.parentElement.hidden = this.hidden || this.query.terminal || (this.solution.exact && !this.query.value);
    if (!best) {
      replace(this.line, element("p", { class: "note" }, this.query.terminal ? "" : "Looking for it …"));
      return;
    }
    replace(this.line, best.moves.length ? this.plies(best, this.all.slice(0, this.ply), "Line of best play") : null,
    this.solution.exact ? outcomes(best, this.values)
      : !best.ends ? element("p", { class: "note" }, "… and then play comes back to a position that it was in.")
      : best.cost !== undefined ? element("p", { class: "note" }, `A cheapest plan: it costs ${grouped(best.cost)}.`)
      : best.exact ? null : element("p", { class: "note" }, this.query.has_costs ? "Every move keeps the value; what a cheapest plan costs was not found out, so that the line may cost more." : "Every move keeps the value; how soon play ends was not found out, so that the line may be longer or shorter than best play."));
  }
}
