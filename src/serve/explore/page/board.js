// A position as a board: cells and pieces, marks for the changes of moves, and the move that is shown.

import { activation, element, isByKey, svg } from "./dom.js";
import { piece, pieces, styles } from "./pieces.js";

const CELL = 10;
const MARGIN = 5;
const EMPTY = ".";

const key = (column, row) => `${column},${row}`;

/** The moves that change all of the chosen cells. */
export function narrowed(moves, chosen) {
  return moves.filter((move) => chosen.every((cell) => move.changes?.some((change) => key(change.column, change.row) === cell)));
}

export class Board {
  /** `query`: a position with a board. Clicks call `onPlay(move, event)` or `onChoose(cells)`. */
  constructor(query, { values, hidden, chosen, onPlay, onChoose }) {
    this.board = query.board;
    this.known = styles(this.board.contents, query.roles);
    this.height = this.board.rows.length;
    this.width = this.board.columns.length;
    this.cells = new Map();
    const role = Math.max(0, query.roles.indexOf(query.to_move));
    const left = narrowed(query.moves, chosen);
    const ground = svg("g", { class: "ground" });
    const lying = svg("g", { class: "lying" });
    const marks = svg("g", { class: "marks" });
    const hits = svg("g", { class: "hits" });
    this.preview = svg("g", { class: "preview", "aria-hidden": "true" });
    this.board.cells.forEach((cells, row) => cells.forEach((sign, column) => {
      if (sign === null) return;
      const at = this.at(column, row);
      ground.append(svg("rect", { x: at.x - 4.8, y: at.y - 4.8, width: 9.6, height: 9.6, rx: 1.1, class: "cell" }));
      const held = svg("g", { transform: `translate(${at.x} ${at.y})` }, sign === EMPTY ? null : pieces(sign, this.known));
      this.cells.set(key(column, row), held);
      lying.append(held);
      const name = `${this.board.columns[column]} ${this.board.rows[row]}: ${sign === EMPTY ? "empty" : this.meaning(sign)}`;
      const changing = left.filter((move) => move.changes.some((change) => change.column === column && change.row === row));
      const isChosen = chosen.includes(key(column, row));
      const hit = svg("rect", {
        x: at.x - 5, y: at.y - 5, width: CELL, height: CELL, class: "hit",
        "data-cell": `${this.board.columns[column]} ${this.board.rows[row]}`, "data-sign": sign,
      });
      if (isChosen) ground.lastChild.classList.add("chosen");
      if (changing.length || isChosen) {
        const best = changing[0];
        const only = changing.length === 1;
        const tone = hidden || !best ? "var(--neutral)" : values.tone(role, best.value);
        if (!isChosen) {
          marks.append(svg("circle", { cx: at.x, cy: at.y, r: sign === EMPTY ? 1.5 : 4.4, style: { "--tone": tone },
            class: sign === EMPTY ? (only ? "dot" : "dot several") : (only ? "ring-mark" : "ring-mark several") }));
        }
        const act = (event) => {
          if (isChosen) onChoose(chosen.filter((cell) => cell !== key(column, row)));
          else if (only) onPlay(best, event);
          else onChoose([...chosen, key(column, row)]);
        };
        const does = isChosen ? "chosen" : only ? `plays ${best.move}` : `${changing.length} moves change it`;
        hit.setAttribute("role", "button");
        hit.setAttribute("tabindex", "0");
        hit.setAttribute("aria-label", `${name}, ${does}`);
        hit.classList.add("active");
        for (const [event, listener] of Object.entries(activation(act))) hit.addEventListener(event, listener);
        if (only) {
          const show = () => this.show(best, values, role, hidden);
          hit.addEventListener("mouseenter", show);
          hit.addEventListener("focus", () => { if (isByKey(hit)) show(); });
          hit.addEventListener("mouseleave", () => this.clear());
          hit.addEventListener("blur", () => this.clear());
          if (!hidden) hit.setAttribute("data-value", values.text(best.value));
        }
      } else {
        hit.setAttribute("aria-label", name);
        hit.setAttribute("role", "img");
      }
      hit.append(svg("title", {}, hit.getAttribute("aria-label")));
      hits.append(hit);
    }));
    const label = (text, x, y, anchor) => svg("text", { x, y, class: "axis", "text-anchor": anchor, dy: "0.35em" }, text);
    const axes = svg("g", { "aria-hidden": "true" },
      this.board.columns.map((name, column) => label(name, this.at(column, 0).x, this.height * CELL + 2.6, "middle")),
      this.board.rows.map((name, row) => label(name, -1.2, this.at(0, row).y, "end")));
    const longest = Math.max(...this.board.rows.map((name) => name.length));
    const margin = Math.max(MARGIN, 2 + 1.9 * longest);
    this.node = svg("svg", {
      class: "board", role: "group", "aria-label": `Board of ${this.width} by ${this.height}`,
      viewBox: `${-margin} -1 ${this.width * CELL + margin + 1} ${this.height * CELL + MARGIN + 1}`,
      style: { "--wide": this.width, "--high": this.height },
    }, ground, lying, axes, marks, this.preview, hits);
  }

  at(column, row) {
    return { x: column * CELL + CELL / 2, y: (this.height - 1 - row) * CELL + CELL / 2 };
  }

  meaning(sign) {
    return this.board.contents.find((meaning) => meaning.sign === sign)?.content ?? sign;
  }

  /** Shows the changes of a move. */
  show(move, values, role, hidden) {
    this.clear();
    const tone = hidden ? "var(--neutral)" : values.tone(role, move.value);
    for (const change of move.changes ?? []) {
      const at = this.at(change.column, change.row);
      this.cells.get(key(change.column, change.row))?.classList.add("leaving");
      this.preview.append(
        svg("rect", { x: at.x - 4.8, y: at.y - 4.8, width: 9.6, height: 9.6, rx: 1.1, class: "changed", style: { "--tone": tone } }),
        svg("g", { transform: `translate(${at.x} ${at.y})`, class: "coming" },
          change.sign === null || change.sign === EMPTY ? null : pieces(change.sign, this.known)));
    }
  }

  clear() {
    this.preview.replaceChildren();
    for (const held of this.cells.values()) held.classList.remove("leaving");
  }

  legend() {
    const shown = this.board.contents.filter((meaning) => !/^\d+$/.test(meaning.content));
    return element("ul", { class: "legend", "aria-label": "Pieces" }, shown.map((meaning) => element("li", {},
      svg("svg", { viewBox: "-5 -5 10 10", "aria-hidden": "true" }, piece(meaning.sign, this.known)), meaning.content)));
  }
}
