// Training: a puzzle is a position in which exactly one move keeps the value. After a guess, the solution is shown with
// the consequences of both moves.

import { ofPosition, ofPuzzle } from "./address.js";
import { ask, search } from "./api.js";
import { Board, narrowed } from "./board.js";
import { element, replace } from "./dom.js";
import { table } from "./fluents.js";
import { list, walk } from "./moves.js";
import { Values, counted } from "./values.js";
import { outcomes, reason } from "./why.js";

const SEEDS = 1000000;

/** A position in which the moves are those of the player of a puzzle. Where chance chooses at the same time, they are no
  * moves of the position, and what they change is not known. */
function posed(query, record) {
  const move = (own) => ({ changes: [], ...query.moves.find((found) => found.move === own.move), ...own,
    optimal: own.move === record.solution, keeps_value: own.move === record.solution });
  return { ...query, to_move: record.to_move, moves: record.moves.map(move) };
}

export class TrainingPage {
  /** `go(address, replaces)` opens another address. */
  constructor(solution, go) {
    Object.assign(this, { solution, go, values: new Values(solution), guesses: new Map(), turn: 0 });
    const part = (name) => { this[name] = element("div", {}); return this[name]; };
    this.status = element("p", { class: "status", role: "status" });
    const control = (label, sign, step) => element("button", { type: "button", "aria-label": label, title: label, on: { click: () => this.step(step) } }, sign);
    this.controls = element("div", { class: "controls", role: "group", "aria-label": "Puzzles" }, control("The puzzle before (left)", "‹", -1), control("The next puzzle (right)", "›", 1));
    this.told = element("p", { class: "note", role: "status" });
    const options = element("section", { class: "options" }, element("h2", {}, "Which move?"), part("options"));
    this.next = element("button", { type: "button", class: "main", on: { click: () => this.step(1) } }, "Next puzzle");
    this.answer = element("section", { class: "answer" }, element("h2", {}, "Answer"), part("lines"), element("div", { class: "row" }, this.next));
    this.node = element("div", { class: "position training", style: this.values.paints() }, element("h1", {}, `${solution.game}: puzzles`),
      element("div", { class: "columns" }, element("div", { class: "left" }, this.status, element("section", { class: "place" }, part("place")), this.controls, this.told),
        element("div", { class: "right" }, options, this.answer)));
  }

  /** Shows the puzzle of an address. */
  async show({ seed, puzzle }) {
    const turn = ++this.turn;
    const { name } = this.solution;
    if (seed === null) {
      this.go(ofPuzzle({ name, seed: 1 + Math.floor(Math.random() * SEEDS), puzzle: 1 }), true);
      return;
    }
    const found = await search(`/${name}/puzzles`, { seed }, () => turn === this.turn);
    if (turn !== this.turn) return;
    if (!found.puzzles.length) throw new Error(`There is no puzzle among ${counted(found.all && found.states || found.positions, "position", "positions")}: nowhere exactly one move keeps the value and beats all others.`);
    const number = Math.min(puzzle ?? 1, found.puzzles.length);
    const record = found.puzzles[number - 1];
    const query = await ask(`/${name}/position`, { state: record.state.join(" ") });
    if (turn !== this.turn) return;
    Object.assign(this, { seed, found, number, record, query: this.solution.exact ? posed(query, record) : query, chosen: [], followed: [] });
    document.title = `${this.solution.game}, puzzle ${number}`;
    this.render();
    if (this.guess) this.look();
  }

  /** The move that was guessed in this puzzle. */
  get guess() {
    return this.guesses.get(`${this.seed} ${this.number}`);
  }

  step(by) {
    const puzzle = Math.max(1, Math.min(this.number + by, this.found.puzzles.length));
    if (puzzle !== this.number) this.go(ofPuzzle({ name: this.solution.name, seed: this.seed, puzzle }));
  }

  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) {
      event.preventDefault();
      this.step(by);
    } else if (event.key === "Escape" && this.chosen.length) {
      this.chosen = [];
      this.render();
    } else walk(this.options, event);
  }

  /** Takes a guess. After the first guess, a move opens the position after it. */
  take(move) {
    const { name } = this.solution;
    if (this.guess) {
      this.go(ofPosition({ name, state: this.record.state.join(" "), moves: move.after ? [move.move] : [], ply: null }));
      return;
    }
    this.guesses.set(`${this.seed} ${this.number}`, move);
    this.chosen = [];
    this.render();
    this.next.focus();
    this.look();
  }

  /** The consequences of the right move and of the guess. */
  async look() {
    const { turn, guess, record } = this;
    const { name, exact } = this.solution;
    const state = record.state.join(" ");
    for (const move of new Set([record.solution, guess.move])) {
      try {
        // The line of a position with exact values has the reasons of its worse moves.
        const line = await search(`/${name}/line`, { state, moves: exact ? "" : move }, () => turn === this.turn);
        if (turn !== this.turn) return;
        this.followed.push(exact ? this.whyExact(move, line) : this.after(move, line));
      } catch (error) {
        if (turn === this.turn) replace(this.told, error.message);
        return;
      }
      this.renderAnswer();
    }
  }

  render() {
    const { query, record, found, guess } = this;
    const hidden = !guess;
    const role = Math.max(0, query.roles.indexOf(query.to_move));
    replace(this.status, element("span", { class: `sample role-${role % 8}`, "aria-hidden": "true" }), element("strong", {}, `${record.to_move} to move`),
      `: which one of ${counted(query.moves.length, "move", "moves")} keeps ${query.outcome}?`);
    const play = (move) => this.take(move);
    this.board = query.board && new Board(query, { values: this.values, hidden, chosen: this.chosen, onPlay: play, onChoose: (cells) => { this.chosen = cells; this.render(); } });
    replace(this.place, this.board ? [this.board.node, this.board.legend(), query.board.others.length ? table(query.board.others, null, "What else holds") : null]
      : table(query.state, null, "The fluents that hold"));
    const left = query.board ? narrowed(query.moves, this.chosen) : query.moves;
    const look = (move) => (move ? this.board?.show(move, this.values, role, hidden) : this.board?.clear());
    replace(this.options, list(query, left, { values: this.values, hidden, onPlay: play, onLook: look, why: null }));
    const [before, next] = this.controls.children;
    before.disabled = this.number === 1;
    next.disabled = this.number === found.puzzles.length;
    const made = [...this.guesses.values()];
    const right = made.filter((move) => move.keeps_value).length;
    replace(this.told, `Puzzle ${this.number} of ${found.puzzles.length}, difficulty ${record.difficulty.toFixed(2)}.`, made.length ? ` Right so far: ${right} of ${made.length}.` : "");
    this.renderAnswer();
  }

  plies({ moves, roles }, label) {
    return element("ol", { class: "plies", "aria-label": label }, moves.map((found, index) => element("li", {},
      element("span", { class: "ply" }, element("span", { class: `sample role-${this.solution.roles.indexOf(roles[index]) % 8}`, "aria-hidden": "true" }), found))));
  }

  after(move, line) {
    return [element("p", { class: "note" }, `After ${move}${line.moves.length ? "" : " play is over"}`), this.plies(line, `What follows ${move}`)];
  }

  /** The line of best play, if the move is the right one; else why it is worse. */
  whyExact(move, line) {
    const { solution: right, to_move: role } = this.record;
    const told = move === right ? null : line.reasons[role].find((found) => found.move === move);
    if (told === undefined) return element("p", { class: "note" }, `After ${move} ${role} gets as much.`);
    const shown = told?.follows ?? line;
    const plies = shown.moves.length ? this.plies(shown, `What follows ${move}`) : null;
    return told ? [element("p", { class: "note" }, `After ${move}`), reason(role, told, this.values, plies)]
      : [element("p", { class: "note" }, "Best play"), plies, outcomes(shown, this.values)];
  }

  renderAnswer() {
    const { guess, record, query } = this;
    this.answer.hidden = !guess;
    if (!guess) return;
    const told = guess.keeps_value ? `Right: ${guess.move} is the only move that keeps the value.`
      : `Wrong: after ${guess.move} it is ${this.values.text(guess.value)}. The only move that keeps ${this.values.text(query.value)} is ${record.solution}.`;
    replace(this.lines, element("p", { class: guess.keeps_value ? "verdict right" : "verdict", role: "status" }, told), this.followed);
    this.next.disabled = this.number === this.found.puzzles.length;
  }
}
