// A solved game from its files: positions with the values of these and of their moves.

import { Diagram } from "./diagram.js";
import { ApiError } from "./error.js";
import { Rules, compare } from "./rules.js";

const KEPT = 5000;
const damaged = (message) => new ApiError(410, "damaged", message);

/** Whether two values are the same; null is endless play. */
export function same(one, other) {
  return one === other || (one !== null && other !== null && one.length === other.length && compare(one, other) === 0);
}

function unpacked(packed, index, width) {
  let code = 0;
  for (let bit = 0, at = index * width; bit < width; bit += 1, at += 1) code |= ((packed[at >>> 3] >>> (at & 7)) & 1) << bit;
  return code;
}

export class Solved {
  /** `data`: the data of the game; `bytes(file, name)`: the bytes of a part of a file. */
  constructor(data, bytes) {
    Object.assign(this, { data, bytes, rules: new Rules(data), layers: data.layers.map(() => ({ blocks: [] })), kept: new Map() });
    this.players = data.roles.length;
  }

  get start() {
    return { layer: 0, state: this.rules.initial };
  }

  name(move) {
    return this.data.moves[move];
  }

  /** The fluents that hold, in the order of their texts. */
  names(state) {
    const held = this.data.fluents.filter((_, fluent) => state[fluent]);
    return [...held, ...this.data.constant].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  }

  async diagram(layer) {
    const found = this.layers[layer];
    found.diagram ??= this.bytes(this.data.layers[layer].states_file, `states-${layer}`).then((bytes) => new Diagram(bytes));
    return found.diagram;
  }

  /** The truth values of the levels; null if no levels stand for the fluents. */
  assignment(state) {
    const levels = Uint8Array.from(this.data.variables, (fluent) => state[fluent]);
    const fits = this.data.defaults.every(([fluent, unless]) => (state[fluent] === 1) !== unless.some((level) => levels[level]));
    return fits ? levels : null;
  }

  /** The state that an assignment of the levels stands for. */
  state(levels) {
    const state = new Uint8Array(this.data.fluents.length);
    this.data.variables.forEach((fluent, level) => { state[fluent] = levels[level]; });
    for (const [fluent, unless] of this.data.defaults) state[fluent] = unless.some((level) => levels[level]) ? 0 : 1;
    return state;
  }

  block(layer, number) {
    const { blocks } = this.layers[layer];
    blocks[number] ??= this.bytes(this.data.layers[layer].codes_files[number], `codes-${layer}-${number}`);
    return blocks[number];
  }

  /** The kind of the state with a rank, as an index into the kinds of its layer. */
  async code(layer, rank) {
    const { width, block } = this.data.layers[layer];
    return width === 0 ? 0 : unpacked(await this.block(layer, Math.floor(rank / block)), rank % block, width);
  }

  /** The rank of the first state of a layer with a wanted kind. */
  async placed(layer, isIt) {
    const { width, block, states } = this.data.layers[layer];
    for (let first = 0; first < states; first += block) {
      const packed = width === 0 ? null : await this.block(layer, first / block);
      const end = Math.min(block, states - first);
      for (let inside = 0; inside < end; inside += 1) if (isIt(packed ? unpacked(packed, inside, width) : 0)) return first + inside;
    }
    throw damaged(`layer ${layer} has fewer states of a value than it says`);
  }

  /** The first layer with a state, and the rank there; null if no layer has it. */
  async find(levels) {
    for (let layer = 0; levels && layer < this.layers.length; layer += 1) {
      const rank = (await this.diagram(layer)).rank(levels);
      if (rank !== null) return { layer, rank };
    }
    return null;
  }

  /** The data of a position: `value`, and `plies`, `round`, `guarantees` if they are stored. */
  async worth({ layer, state }) {
    const levels = this.assignment(state);
    let at = { layer, rank: null };
    // If play can return to positions, a ply may lead to any layer.
    if (this.data.by_rounds) at = await this.find(levels);
    else if (levels && layer < this.layers.length) at.rank = (await this.diagram(layer)).rank(levels);
    if (!at || at.rank === null) throw damaged(`layer ${layer} lacks a state that can be reached`);
    const kind = this.data.layers[at.layer].kinds[await this.code(at.layer, at.rank)];
    if (!kind) throw damaged(`layer ${layer} has a value that it does not list`);
    const { value, ...told } = this.data.values[kind.value];
    const guarantees = Object.fromEntries(this.data.guarantees.map((role, index) => {
      const [own, best] = [kind.guarantees[index], value ? value[this.data.roles.indexOf(role)] : null];
      return [role, { value: own, forced: own === best }];
    }));
    return { ...told, value, plies: kind.plies ?? undefined, round: kind.round, guarantees };
  }

  /** A key that is larger the better a value is for a role. */
  rank(mover, value) {
    const rewards = value ?? this.data.roles.map(() => 0);
    const own = rewards[mover];
    const others = rewards.filter((_, role) => role !== mover);
    const first = this.data.opponent_model === "max-diff" ? [own - Math.max(0, ...others), own] : [own, 0];
    const next = [...rewards.slice(mover + 1), ...rewards.slice(0, mover)];
    return [...first, -next.reduce((sum, reward) => sum + reward, 0), ...next.map((reward) => -reward), value ? 1 : 0];
  }

  /** Whether a value is worth more to a role than another one, and not only by a tie. */
  isMore(mover, value, other) {
    return compare(...[value, other].map((found) => this.rank(mover, found).slice(0, 2))) > 0;
  }

  /** Whether a role wants play with these rewards to end soon, that is, whether no other role gets more. */
  shortens(mover, value) {
    return !value || value.every((reward) => reward <= value[mover]);
  }

  /** A position with its value and moves, in the order of the rules. */
  assess(position) {
    const key = `${position.layer} ${position.state.join("")}`;
    if (!this.kept.has(key)) {
      if (this.kept.size >= KEPT) this.kept.clear();
      this.kept.set(key, this.assessed(position));
    }
    return this.kept.get(key);
  }

  async assessed(position) {
    const { rules } = this;
    const own = await this.worth(position);
    const situation = rules.situation(position.state);
    const mover = situation.terminal ? -1 : situation.legal.findIndex((moves) => moves.length > 1);
    const joints = rules.joints(situation);
    const states = rules.successors(position.state, joints);
    const moves = [];
    for (const [index, joint] of joints.entries()) {
      const after = { layer: position.layer + 1, state: states[index] };
      const worth = await this.worth(after);
      const role = rules.shown(position.state, situation, joint);
      moves.push({ role, move: joint[role], joint, after, worth, plies: worth.plies === undefined ? undefined : worth.plies + 1 });
    }
    const isBest = this.data.by_rounds || mover < 0 ? (option) => same(option.worth.value, own.value)
      : ((best) => (option) => compare(this.rank(mover, option.worth.value), best) === 0)(moves.map((option) => this.rank(mover, option.worth.value)).sort(compare).at(-1));
    for (const option of moves) option.keeps = isBest(option);
    const keeping = moves.filter((option) => option.keeps);
    if (moves.length && !keeping.some((option) => same(option.worth.value, own.value))) throw damaged(`a value in layer ${position.layer} is not that of the best successor`);
    const plies = keeping.map((option) => option.plies);
    const isTimed = plies.length > 0 && plies.every((count) => count !== undefined);
    const soon = mover < 0 || this.shortens(mover, keeping[0]?.worth.value);
    const target = !isTimed ? undefined : this.data.by_rounds ? own.plies : (soon ? Math.min : Math.max)(...plies);
    const leadsOn = (option) => !this.data.by_rounds || own.value === null || (option.worth.round ?? -1) < own.round;
    for (const option of moves) option.optimal = option.keeps && (target !== undefined ? option.plies === target : leadsOn(option));
    for (const option of moves) option.isMore = mover >= 0 && this.isMore(mover, option.worth.value, own.value);
    return { position, own, mover, terminal: situation.terminal, legal: situation.legal, moves, isNotBest: moves.some((option) => option.isMore) };
  }

  async position(names) {
    const state = new Uint8Array(this.data.fluents.length);
    for (const name of names) {
      const fluent = this.found(this.data.fluents, name);
      if (fluent >= 0) state[fluent] = 1;
      else if (this.found(this.data.constant, name) < 0) throw new ApiError(400, "position", `${name} is no fluent of the game`);
    }
    const at = await this.find(this.assignment(state));
    if (!at) throw new ApiError(400, "position", "this position cannot be reached: fluents are missing, or some never hold together");
    return { layer: at.layer, state };
  }

  /** The index of a name, or of the only one that differs from it only in case; -1 if there is none. */
  found(names, name) {
    const at = names.indexOf(name);
    if (at >= 0) return at;
    const alike = names.flatMap((other, index) => (other.toLowerCase() === name.toLowerCase() ? [index] : []));
    return alike.length === 1 ? alike[0] : -1;
  }
}
