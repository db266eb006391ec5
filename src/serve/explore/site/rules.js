// The rules in propositional form: gates over fluents and moves. A state is a truth value for each fluent; a joint move
// is the number of a move for each role.

const [FLUENT, MOVE, NOT, AND, OR] = [0, 1, 2, 3, 4];
/** Numbers of the gates before the first: false and true. */
const CONSTANTS = 2;

/** Compares keys of numbers, the first difference first. */
export function compare(one, other) {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at < 0 ? 0 : one[at] - other[at];
}

export class Rules {
  /** `gates`: for each its kind and its operands, by numbers; for `and` and `or` the number of operands comes first. */
  constructor({ gates, terminal, legal, next, roles, movers, turns, init }) {
    Object.assign(this, { terminal, legal, next, roles, movers, turns, gates: Int32Array.from(gates) });
    this.initial = Uint8Array.from(next, () => 0);
    for (const fluent of init) this.initial[fluent] = 1;
    const places = [];
    for (let at = 0; at < gates.length; at += gates[at] >= AND ? 2 + gates[at + 1] : 2) places.push(at);
    this.places = Int32Array.from(places);
    this.values = new Uint8Array(CONSTANTS + places.length);
    this.values[1] = 1;
    // Gates that depend on moves are evaluated for each joint move, all others once for a state.
    const moving = new Uint8Array(this.values.length);
    const [still, depending] = [[], []];
    places.forEach((at, index) => {
      const made = gates[at] >= AND ? gates.slice(at + 2, at + 2 + gates[at + 1]) : gates[at] === NOT ? [gates[at + 1]] : [];
      const moves = gates[at] === MOVE || made.some((gate) => moving[gate]);
      moving[index + CONSTANTS] = moves ? 1 : 0;
      (moves ? depending : still).push(index);
    });
    this.still = Int32Array.from(still);
    this.depending = Int32Array.from(depending);
  }

  evaluate(which, state, joint) {
    const { gates, places, values } = this;
    for (const index of which) {
      const at = places[index];
      const [kind, first] = [gates[at], gates[at + 1]];
      let value;
      if (kind === FLUENT) value = state[first];
      else if (kind === MOVE) value = joint.includes(first) ? 1 : 0;
      else if (kind === NOT) value = 1 - values[first];
      else {
        const decides = kind === OR ? 1 : 0;
        value = 1 - decides;
        for (let child = at + 2; child < at + 2 + first; child += 1) {
          if (values[gates[child]] === decides) {
            value = decides;
            break;
          }
        }
      }
      values[CONSTANTS + index] = value;
    }
  }

  /** Whether play is over, and the legal moves by role. */
  situation(state) {
    this.evaluate(this.still, state, []);
    const legal = this.roles.map(() => []);
    this.legal.forEach((gate, move) => { if (this.values[gate]) legal[this.movers[move]].push(move); });
    return { terminal: this.values[this.terminal] === 1, legal };
  }

  /** The states after some joint moves. */
  successors(state, joints) {
    this.evaluate(this.still, state, []);
    return joints.map((joint) => {
      this.evaluate(this.depending, state, joint);
      return Uint8Array.from(this.next, (gate) => this.values[gate]);
    });
  }

  /** The legal joint moves, in the order of the moves of the role with a choice; none if play is over. */
  joints({ terminal, legal }) {
    if (terminal) return [];
    return legal.reduce((joints, moves) => joints.flatMap((joint) => moves.map((move) => [...joint, move])), [[]]);
  }

  /** The role whose move is shown for a joint move: the one with a choice, else the one whose move has most effect. Of
   * several of these, the one whose turn it is by the rules. */
  shown(state, { legal }, joint) {
    const chooser = legal.findIndex((moves) => moves.length > 1);
    if (chooser >= 0 || joint.length < 2) return Math.max(chooser, 0);
    const without = joint.map((_, role) => joint.filter((_, other) => other !== role));
    const [made, ...others] = this.successors(state, [joint, ...without]);
    const number = (counts) => made.reduce((sum, holds, fluent) => sum + (counts(holds, fluent) ? 1 : 0), 0);
    const ranks = others.map((other, role) => [
      number((holds, fluent) => holds !== state[fluent] && holds !== other[fluent]),
      Math.floor((1000 * this.turns[role].filter(([fluent, value]) => state[fluent] === value).length) / (this.turns[role].length || 1)),
      number((holds, fluent) => holds !== other[fluent]),
    ]);
    return ranks.reduce((most, rank, role) => (compare(rank, ranks[most]) > 0 ? role : most), 0);
  }
}
