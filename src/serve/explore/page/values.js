// The worth of values for a role: as a colour, as words and as numbers.

import { COLOURS } from "./pieces.js";

/** A count with separators, for people. */
export function grouped(count) {
  return Number(count).toLocaleString("en-US", { maximumFractionDigits: 0 });
}

/** The role that moves at random. */
export const CHANCE = "random";
/** Length of the longest number that is shown with all of its digits. */
const LONGEST = 16;

const rounded = (float, digits) => String(Number(float.toFixed(digits)));

/** An exact number, such as 3 or "75/2"; if it has many digits, an approximation. */
export function exactly(number, float) {
  const text = String(number);
  return text.length <= LONGEST ? text : `≈ ${rounded(float, 4)}`;
}

/** The same; a fraction is followed by a decimal number. */
export function both(number, float) {
  const text = exactly(number, float);
  const near = rounded(float, 6);
  return text.includes("/") ? `${text} (${Number(near) === float ? "" : "≈ "}${near})` : text;
}

/** An exact number as two whole numbers. */
function fraction(number) {
  const [above, below] = String(number).split("/");
  return [BigInt(above), BigInt(below ?? 1)];
}

/** The float next to a quotient of whole numbers, which may be beyond all floats. */
function float(above, below) {
  const size = above < 0n ? -above : above;
  const length = (whole) => 4 * whole.toString(16).length;
  const shift = Math.max(0, length(below) - length(size) + 64);
  const shifted = size << BigInt(shift);
  // More bits than a float has: the last one tells whether there is a rest, as rounding depends on it.
  const bits = Number((shifted / below) << 1n | (shifted % below ? 1n : 0n));
  return (above < 0n ? -bits : bits) * 2 ** (-shift - 1);
}

/** The float of an exact number. */
const floatOf = (number) => float(...fraction(number));

/** The sum of exact numbers, divided by a whole number: exactly, and as a float. */
export function sum(numbers, parts = 1) {
  let [above, below] = [0n, 1n];
  for (const number of numbers) {
    const [more, own] = fraction(number);
    [above, below] = [above * own + more * below, below * own];
  }
  below *= BigInt(parts);
  let [one, other] = [above < 0n ? -above : above, below];
  while (other) [one, other] = [other, one % other];
  [above, below] = [above / one, below / one];
  return { amount: below === 1n ? Number(above) : `${above}/${below}`, amount_float: float(above, below) };
}

/** Lists of exact numbers as lists of floats, to draw and compare them; `exact` has the exact numbers. */
export function revive(key, found) {
  if (key === "matrix" && Array.isArray(found)) return found.map((row) => row.map((value) => Object.assign(value.map(floatOf), { exact: value })));
  if (found === null || typeof found !== "object" || Array.isArray(found)) return found;
  for (const [name, floats] of Object.entries(found)) {
    const plain = name.endsWith("_float") ? name.slice(0, -"_float".length) : null;
    if (plain && Array.isArray(floats) && Array.isArray(found[plain])) found[plain] = Object.assign([...floats], { exact: found[plain] });
  }
  return found;
}

/** A share of all that is possible, moved so that wins, draws and losses differ: no small win looks like a draw. */
function zone(sign, share) {
  return sign > 0 ? 0.75 + 0.25 * share : sign < 0 ? 0.25 * share : 0.4 + 0.2 * share;
}

/** `1 ply`, `2 plies`. */
export function counted(count, one, many) {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

export class Values {
  /** `solution`: its entry in the list of solutions. */
  constructor(solution) {
    this.roles = solution.roles;
    this.exact = solution.exact;
    this.byLead = solution.opponent_model === "max-diff" && solution.roles.length > 1;
    this.rewards = solution.rewards ?? [];
    this.ranges = this.roles.map((_, role) => {
      const found = this.rewards.map((value) => this.standing(role, value));
      return found.length ? [Math.min(...found), Math.max(...found)] : [0, 100];
    });
    this.zoned = this.roles.map((_, role) => this.isZoned(role));
  }

  /** Whether a role prefers every win to every draw, and every draw to every loss, which need not hold in all games. */
  isZoned(role) {
    if (this.roles.length < 2) return false;
    const kinds = this.rewards.map((value) => ({ lead: Math.sign(this.lead(role, value)), standing: this.standing(role, value) }));
    return kinds.every((one) => kinds.every((other) => one.lead <= other.lead || one.standing > other.standing));
  }

  /** A role's lead over the best of the others. */
  lead(role, value) {
    return value[role] - Math.max(...value.filter((_, other) => other !== role));
  }

  /** The colours of roles that are named after one, as properties of a style. */
  paints() {
    const named = this.roles.map((role, index) => [`--role-${index}`, COLOURS.find((name) => role.toLowerCase().startsWith(name))]);
    return Object.fromEntries(named.slice(0, 8).filter(([, name]) => name).map(([key, name]) => [key, `var(--name-${name})`]));
  }

  /** The first criterion of a role: its own reward, or its lead. */
  standing(role, value) {
    if (!this.byLead) return value[role];
    return this.lead(role, value);
  }

  /** From 0 (bad for the role) to 1 (good), among the values of this game; among all rewards, if they are the same. */
  score(role, value) {
    const [least, most] = this.ranges[role];
    const standing = this.standing(role, value);
    if (this.zoned[role]) return zone(Math.sign(this.lead(role, value)), most > least ? (standing - least) / (most - least) : 0.5);
    if (most > least) return (standing - least) / (most - least);
    return this.byLead ? 0.5 + standing / 200 : standing / 100;
  }

  /** A number from 0 (the least that the role can get in this game or, by lead, in any game) to 1 (the most). */
  share(role, reward) {
    const [least, most] = this.byLead ? [0, 100] : this.ranges[role];
    return most > least ? (reward - least) / (most - least) : 0.5;
  }

  /** The colour of a value for a role. */
  tone(role, value) {
    if (!value) return this.exact ? "var(--neutral)" : "var(--endless)";
    return this.colour(this.score(role, value));
  }

  /** The colour of a value by the lead of the first of two roles, or by the reward of the only one. */
  balance(value) {
    if (!value || this.roles.length === 1) return this.tone(0, value);
    const most = Math.max(1, ...this.rewards.map((found) => Math.abs(found[0] - found[1])));
    const lead = value[0] - value[1];
    return this.colour(zone(Math.sign(lead), 0.5 + lead / (2 * most)));
  }

  colour(worth) {
    const score = Math.min(1, Math.max(0, worth));
    const percent = (part) => `${Math.round(100 * part)}%`;
    return score <= 0.5
      ? `color-mix(in oklab, var(--even) ${percent(2 * score)}, var(--bad))`
      : `color-mix(in oklab, var(--good) ${percent(2 * score - 1)}, var(--even))`;
  }

  /** `50/50`. */
  text(value) {
    if (!value) return this.exact ? "no single value" : "endless";
    return value.exact ? value.exact.map((number, role) => exactly(number, value[role])).join(", ") : value.join("/");
  }

  /** The reward of one role. */
  reward(value) {
    return value === null ? "endless play" : String(value);
  }

  /** The outcome for a role, without a verb, as its name may be a plural. */
  word(role, value) {
    if (this.exact) return "";
    if (!value) return "endless play";
    if (this.roles.length === 1) return `${value[0]} at best`;
    return ["loss", "draw", "win"][1 + Math.sign(this.lead(role, value))];
  }

  /** The outcome for all roles. */
  vector(value) {
    if (!value) return this.exact ? "no single value" : "endless play";
    return this.roles.map((role, index) => `${role} ${value.exact ? both(value.exact[index], value[index]) : value[index]}`).join(", ");
  }
}
