// Gives the answers of the server on a solution with exact values, from the records of its positions.

import { ApiError } from "./error.js";
import { joint, number } from "./joint.js";
import { movers, record, words } from "./record.js";
import { revive, sum } from "./values.js";

const KEPT = 50;
/** Random states that are drawn to find one with a value, before all states of a layer are looked at. */
const DRAWS = 20;
const CHANCE = "random";
const wrong = (message, code = "position") => new ApiError(400, code, message);

async function inflated(bytes) {
  if (!globalThis.DecompressionStream) throw new ApiError(0, "unpacked", "This browser cannot unpack what the files of this site have; newer ones can.");
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text(), revive);
}

/** A move drawn by its probability. */
function drawn(mixture) {
  let left = Math.random();
  return (mixture.find(([, likely]) => (left -= likely) < 0) ?? mixture.findLast(([, likely]) => likely > 0))[0];
}

class Recorded {
  constructor(solved) {
    Object.assign(this, { solved, data: solved.data, packed: new Map(), blocks: new Map() });
    this.names = [...solved.data.roles, CHANCE];
  }

  /** The records of a part of a layer. */
  block(layer, index) {
    const name = `records-${layer}-${index}`;
    if (!this.packed.has(name)) this.packed.set(name, this.solved.bytes(this.data.layers[layer].records_files[index], name));
    if (!this.blocks.has(name)) {
      if (this.blocks.size >= KEPT) this.blocks.delete(this.blocks.keys().next().value);
      this.blocks.set(name, this.packed.get(name).then(inflated));
    }
    return this.blocks.get(name);
  }

  async ranked(layer, rank) {
    const firsts = this.data.layers[layer].records_firsts;
    let [index, end] = [0, firsts.length];
    while (end - index > 1) {
      const middle = (index + end) >> 1;
      if (firsts[middle] <= rank) index = middle;
      else end = middle;
    }
    return (await this.block(layer, index))[rank - firsts[index]];
  }

  async record({ layer, state }) {
    const [levels, last] = [this.solved.assignment(state), this.data.layers.length - 1];
    const from = this.data.goes_round ? Math.min(layer, last) : layer;
    // Where states repeat, the layer that has the state may be any one.
    const others = this.data.goes_round ? this.data.layers.map((_, other) => other).filter((other) => other !== from) : [];
    for (const place of levels && from <= last ? [from, ...others.reverse()] : []) {
      const rank = (await this.solved.diagram(place)).rank(levels);
      if (rank !== null) return this.ranked(place, rank);
    }
    throw new ApiError(410, "damaged", `layer ${layer} lacks a state that can be reached`);
  }

  /** The legal moves by role. */
  legal({ position: { moves } }) {
    return moves.length ? moves[0].joint.map((_, place) => [...new Set(moves.map(({ joint }) => joint[place]))]) : [];
  }

  named(legal, role, name, ply) {
    const at = this.solved.found(legal[role], name);
    if (at >= 0) return legal[role][at];
    throw wrong(`ply ${ply}: ${name} is not a legal move of ${this.names[role]}; legal: ${legal[role].join(" ")}`);
  }

  /** The joint move of a text with the moves of all roles in brackets; null if it is none. */
  joint(legal, text, ply) {
    return joint(legal, (role, name) => this.named(legal, role, name, ply), text, ply);
  }

  /** One ply: the record before it, the number of its joint move there, and the position after it. */
  made({ layer }, found, joint) {
    const at = found.position.moves.findIndex((move) => move.joint.every((name, role) => name === joint[role]));
    const state = new Uint8Array(this.data.fluents.length);
    for (const name of found.position.moves[at].after) {
      const fluent = this.data.fluents.indexOf(name);
      if (fluent >= 0) state[fluent] = 1;
    }
    return { found, at, after: { layer: layer + 1, state } };
  }

  /** The ply of a move for each role. */
  async whole(position, names) {
    const found = await this.record(position);
    const [legal, ply] = [this.legal(found), position.layer + 1];
    if (found.position.terminal) throw wrong(`ply ${ply}: ${names.join(" ")} follows, but play is over`);
    if (names.length !== legal.length) throw wrong(`ply ${ply}: ${number(names.length, "move")} for ${number(legal.length, "role")}`);
    return this.made(position, found, names.map((name, role) => this.named(legal, role, name, ply)));
  }

  /** The plies of moves in a row, each of one role or of all. */
  async steps(start, names) {
    const [steps, left] = [[], [...names]];
    for (let position = start; left.length; position = steps.at(-1).after) {
      const found = await this.record(position);
      const [legal, ply] = [this.legal(found), position.layer + 1];
      if (found.position.terminal) throw wrong(`ply ${ply}: ${left[0]} follows, but play is over`);
      const choosing = legal.flatMap((moves, role) => (moves.length > 1 ? [role] : []));
      let joint = legal.map((moves) => moves[0]);
      const one = choosing.length === 1 ? this.solved.found(legal[choosing[0]], left[0]) : -1;
      if (choosing.length === 0) {
        if (this.solved.found([...new Set(joint)], left[0]) >= 0 || this.joint(legal, left[0], ply)) left.shift();
      } else if (one >= 0) {
        joint[choosing[0]] = legal[choosing[0]][one];
        left.shift();
      } else {
        const all = this.joint(legal, left[0], ply);
        if (all) {
          joint = all;
          left.shift();
        } else {
          choosing.forEach((role, index) => {
            if (!left.length) throw wrong(`ply ${ply}: ${number(index, "move")} for ${number(choosing.length, "role")}`);
            joint[role] = this.named(legal, role, left.shift(), ply);
          });
        }
      }
      steps.push(this.made(position, found, joint));
    }
    return steps;
  }

  async replayed(start, { moves, lines, joints }) {
    if (moves) {
      try {
        return await this.steps(start, moves);
      } catch (error) {
        if (error.code !== "position" || lines.join() === moves.join()) throw error;
        return this.steps(start, lines);
      }
    }
    const steps = [];
    for (const ply of joints) {
      const position = steps.at(-1)?.after ?? start;
      const isWhole = ply.length === this.legal(await this.record(position)).length;
      steps.push(...(isWhole ? [await this.whole(position, ply)] : await this.steps(position, ply)));
    }
    return steps;
  }

  async review(start, match) {
    const steps = await this.replayed(start, match);
    // Where states repeat, a state is recorded with its distance from the start.
    const moves = steps.map(({ found, at, after }) => ({ ...found.plies[at], ply: after.layer }));
    const last = (await this.record(steps.at(-1)?.after ?? start)).position;
    const { game, roles, opponent_model, has_values } = this.data;
    const told = { game, roles, finished: last.terminal, value: has_values ? last.value : null, moves, mistakes: moves.filter((move) => move.gives_away).map((move) => move.ply) };
    if (!has_values) return told;
    const lost = roles.map((role) => [role, sum(moves.map((move) => move.choices[role]?.loses ?? 0))]);
    const luck = roles.map((role, player) => [role, sum(moves.map((move) => move.luck?.[player] ?? 0))]);
    return { ...told, opponent_model, value_float: last.value_float, lost: Object.fromEntries(lost), ...(this.data.chance ? { luck: Object.fromEntries(luck) } : {}) };
  }

  /** The program's moves: of each player drawn from its mixture or, with some probability, from the other moves. */
  async reply(position, error) {
    const found = await this.record(position);
    if (found.position.terminal) throw wrong("play is over", "usage");
    const joint = found.mixtures.map((mixture, role) => {
      if (!mixture) throw wrong(`the strategy of ${this.names[role]} is not known`);
      const others = mixture.filter(([, likely]) => likely === 0);
      const errs = mixture.length > 1 && role < this.data.roles.length && Math.random() < error && others.length;
      return errs ? others[Math.floor(Math.random() * others.length)][0] : drawn(mixture);
    });
    const { move, role, value, value_float, optimal } = found.position.moves[this.made(position, found, joint).at];
    const best = this.data.has_values ? optimal : null;
    return { move, role, joint, value, value_float, keeps_value: best, optimal: best };
  }

  /** A random state of a layer, or of its states with a value or in a range of values. */
  async random(layer, rewards, range) {
    const told = this.data.layers[layer];
    if (!told) throw wrong(`there is no layer ${layer}`, "usage");
    const fits = ({ position: { value }, range: own }) => (rewards === undefined || String(value?.exact ?? value) === rewards) && (range === undefined || own === Number(range));
    const isAny = rewards === undefined && range === undefined;
    const drawn = () => Math.floor(Math.random() * told.states);
    let found = await this.ranked(layer, drawn());
    for (let draws = 1; draws < DRAWS && !isAny && !fits(found); draws += 1) found = await this.ranked(layer, drawn());
    if (!isAny && !fits(found)) {
      // Few states fit, or none: all of them are looked at.
      const fitting = [];
      for (let rank = 0; rank < told.states; rank += 1) if (fits(await this.ranked(layer, rank))) fitting.push(rank);
      if (!fitting.length) throw new ApiError(404, "not-found", `no state of layer ${layer} has that value`);
      found = await this.ranked(layer, fitting[Math.floor(Math.random() * fitting.length)]);
    }
    return { layer, seed: null, state: found.position.state };
  }

  async line(position) {
    const { line } = await this.record(position);
    if (!line) throw wrong(this.data.no_value);
    return line;
  }

  async query(position) {
    const { game, roles, opponent_model } = this.data;
    return { game, roles, opponent_model, layer: position.layer, ...(await this.record(position)).position };
  }
}

const found = new WeakMap();

/** The answer to a request about a solution with exact values. */
export async function exactly(solved, asked, { state, moves, layer, rewards, range, error }, text) {
  if (!found.has(solved)) found.set(solved, new Recorded(solved));
  const recorded = found.get(solved);
  const start = state ? await solved.position(words(state)) : solved.start;
  const reached = async () => (await recorded.replayed(start, movers(moves ?? ""))).at(-1)?.after ?? start;
  switch (asked) {
    case "position": return recorded.query(await reached());
    case "line": return recorded.line(await reached());
    case "reply": return recorded.reply(await reached(), error ?? 0);
    case "random": return recorded.random(Number(layer), rewards, range);
    case "review": return recorded.review(start, text === undefined ? movers(moves ?? "") : record(text));
    case "puzzles": throw wrong(solved.data.no_value);
    default: throw new ApiError(404, "not-found", "there is nothing at this address");
  }
}
