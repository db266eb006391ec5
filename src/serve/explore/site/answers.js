// Gives the answers of the server from the files of the site.

import { ApiError } from "./error.js";
import { joint } from "./joint.js";
import { movers, record, words } from "./record.js";
import { compare } from "./rules.js";
import { same } from "./solved.js";

const EMPTY = ".";
const wrong = (message, code = "usage") => new ApiError(400, code, message);

/** The signs in the cells of the board, by row from the bottom. */
function filled(board, state) {
  const cells = board.cells.map((row) => row.map((there) => (there ? "" : null)));
  const put = ([column, row, content]) => { cells[row][column] = (cells[row][column] ?? "") + board.signs[content]; };
  board.places.forEach((place, fluent) => { if (place && state[fluent]) put(place); });
  board.fixed.forEach(put);
  return cells.map((row) => row.map((sign) => (sign === "" ? EMPTY : sign)));
}

function drawing(solved, state) {
  const { board, fluents } = solved.data;
  if (!board) return null;
  const others = [...fluents.filter((_, fluent) => state[fluent] && !board.places[fluent]), ...board.others];
  return { columns: board.columns, rows: board.rows, cells: filled(board, state), others: others.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)), legend: board.legend, contents: board.contents };
}

/** The cells that a move changes. */
function changes(board, before, after) {
  return after.flatMap((row, y) => row.flatMap((sign, x) => (sign === before[y][x] ? [] : [{ column: x, row: y, sign }])));
}

/** The answer about a position, its moves best first. */
async function query(solved, position) {
  const found = await solved.assess(position);
  const { own, mover, terminal } = found;
  const { game, roles, opponent_model, board } = solved.data;
  const before = board && filled(board, position.state);
  const isTold = solved.data.guarantees.length > 0;
  const moves = found.moves.map((option) => ({
    move: solved.name(option.move), role: roles[option.role], joint: option.joint.map((move) => solved.name(move)), value: option.worth.value, plies: option.plies,
    keeps_value: option.keeps, optimal: option.optimal, worth_more: option.isMore || undefined, guarantees: isTold ? option.worth.guarantees : undefined, after: solved.names(option.after.state),
    changes: board ? changes(board, before, filled(board, option.after.state)) : undefined,
  }));
  const first = found.moves[0]?.role ?? 0;
  const keys = new Map(moves.map((move) => {
    const plies = move.plies === undefined ? -Infinity : solved.shortens(first, move.value) ? move.plies : -move.plies;
    return [move, [move.worth_more ? 0 : 1, move.optimal ? 0 : 1, move.keeps_value ? 0 : 1, ...solved.rank(first, move.value).map((part) => -part), plies]];
  }));
  moves.sort((one, other) => compare(keys.get(one), keys.get(other)));
  return { game, roles, opponent_model, layer: position.layer, to_move: moves.length ? moves[0].role : null, terminal, forced: !terminal && mover < 0,
    value: own.value, not_best: found.isNotBest || undefined, dead_end: own.dead_end ?? undefined, plies: own.plies, guarantees: isTold ? own.guarantees : undefined, state: solved.names(position.state), moves,
    outcome: own.outcome, board: drawing(solved, position.state), has_costs: false };
}

function named(solved, legal, name, role, ply) {
  const at = solved.found(legal.map((move) => solved.name(move)), name);
  if (at >= 0) return legal[at];
  throw wrong(`ply ${ply}: ${name} is not a legal move of ${solved.data.roles[role]}; legal: ${legal.map((move) => solved.name(move)).join(" ")}`, "position");
}

function made(solved, position, situation, joint) {
  const role = solved.rules.shown(position.state, situation, joint);
  return { joint, role, move: joint[role], forced: situation.legal.every((moves) => moves.length < 2),
    before: position, after: { layer: position.layer + 1, state: solved.rules.successors(position.state, [joint])[0] } };
}

/** The joint move of a text with the moves of all roles in brackets; null if it is none. */
function whole(solved, { legal }, text, ply) {
  const names = legal.map((moves) => moves.map((move) => solved.name(move)));
  const found = joint(names, (role, name) => solved.name(named(solved, legal[role], name, role, ply)), text, ply);
  return found && found.map((name, role) => legal[role][names[role].indexOf(name)]);
}

/** The move of the role with a choice, or the moves of all roles. */
function chosen(solved, situation, name, role, ply) {
  const moves = situation.legal[role];
  const at = solved.found(moves.map((move) => solved.name(move)), name);
  const all = at < 0 ? whole(solved, situation, name, ply) : null;
  return all ?? situation.legal.map(([first], other) => (other === role ? named(solved, moves, name, role, ply) : first));
}

/** Whether a text names the only moves of all roles. */
function isWhole(solved, situation, text, ply) {
  try {
    return whole(solved, situation, text, ply) !== null;
  } catch {
    return false;
  }
}

/** The plies that a name stands for. Forced plies before it may be left out. */
function follow(solved, start, name) {
  const [steps, passed] = [[], new Set()];
  let [position, waiting] = [start, null];
  for (;;) {
    const situation = solved.rules.situation(position.state);
    const ply = position.layer + 1;
    const give = (message) => { if (waiting) return [waiting]; throw wrong(message, "position"); };
    if (situation.terminal) return give(`ply ${ply}: ${name} follows, but play is over`);
    const only = situation.legal.map((moves) => moves[0]);
    const role = situation.legal.findIndex((moves) => moves.length > 1);
    if (role >= 0) {
      try {
        return [...steps, made(solved, position, situation, chosen(solved, situation, name, role, ply))];
      } catch (error) {
        if (waiting) return [waiting];
        throw error;
      }
    }
    const step = made(solved, position, situation, only);
    const isNamed = (move) => solved.found([solved.name(move)], name) === 0;
    const shown = isNamed(step.move) || isWhole(solved, situation, name, ply);
    if (!shown && !steps.length && only.some(isNamed)) waiting = step;
    steps.push(step);
    if (shown) return steps;
    position = step.after;
    const key = position.state.join("");
    if (passed.has(key)) return give(`ply ${ply}: ${name} is no move of this match, in which nobody has a choice any more`);
    passed.add(key);
  }
}

function replayed(solved, start, { moves, lines, joints }) {
  const all = (names) => names.reduce((steps, name) => [...steps, ...follow(solved, steps.at(-1)?.after ?? start, name)], []);
  if (moves) {
    try {
      return all(moves);
    } catch (error) {
      if (lines.join() === moves.join()) throw error;
      return all(lines);
    }
  }
  return joints.reduce((steps, ply) => {
    const position = steps.at(-1)?.after ?? start;
    if (ply.length === 1 && solved.players > 1) return [...steps, ...follow(solved, position, ply[0])];
    const situation = solved.rules.situation(position.state);
    if (situation.terminal) throw wrong(`ply ${position.layer + 1}: ${ply.join(" ")} follows, but play is over`, "position");
    if (ply.length !== solved.players) throw wrong(`ply ${position.layer + 1}: ${ply.length} moves for ${solved.players} roles`, "position");
    return [...steps, made(solved, position, situation, ply.map((name, role) => named(solved, situation.legal[role], name, role, position.layer + 1)))];
  }, []);
}

/** What the mover had and lost by a move. */
function loss(mover, before, after) {
  if (before === null) return "endless";
  const standing = (value) => (value === null ? 0 : Math.min(...value.filter((_, role) => role !== mover).map((other) => Math.sign(value[mover] - other))));
  if (before.length > 1 && standing(before) > 0 && standing(after) <= 0) return "win";
  return before.length > 1 && standing(before) === 0 && standing(after) < 0 ? "draw" : "rewards";
}

/** The share of what was at stake that a move kept; undefined if every move keeps the value. */
function score(solved, { role }, moves, made, value) {
  if (moves.every((option) => option.keeps)) return undefined;
  if (made.keeps || made.isMore) return 1;
  const worth = (option) => solved.rank(role, option.worth.value)[0];
  const [kept, worst] = [Math.max(...moves.filter((option) => option.keeps).map(worth)), Math.min(...moves.map(worth))];
  // Endless play counts as nothing, and is better or worse than an end that pays nothing.
  return kept > worst ? (worth(made) - worst) / (kept - worst) : Number((made.worth.value === null) === (value === null));
}

/** How well a role chose when something was at stake. */
function accuracy(moves, role) {
  const own = moves.filter((move) => move.role === role && move.score !== undefined);
  const percent = own.length ? 100 * (own.reduce((sum, move) => sum + move.score, 0) / own.length) : null;
  return { choices: own.length, kept: own.filter((move) => move.keeps_value).length, percent };
}

async function judged(solved, step) {
  const found = await solved.assess(step.before);
  const option = found.moves.find((move) => compare(move.joint, step.joint) === 0);
  const best = found.moves.filter((move) => move.optimal);
  const [before, after] = [found.own.value, option.worth.value];
  const worse = !step.forced && compare(solved.rank(step.role, after), solved.rank(step.role, before)) < 0;
  const longer = option.keeps && option.plies !== undefined && best[0]?.plies !== undefined ? option.plies - best[0].plies : undefined;
  return { ply: step.after.layer, role: solved.data.roles[step.role], move: solved.name(step.move), joint: step.joint.map((move) => solved.name(move)), forced: step.forced,
    before, after, keeps_value: option.keeps, optimal: option.optimal, not_best: found.isNotBest || undefined, worth_more: option.isMore || undefined, longer_by: longer, gives_away: worse ? loss(step.role, before, after) : null, best: best.map((move) => solved.name(move.move)),
    score: score(solved, step, found.moves, option, before) };
}

async function review(solved, start, match) {
  const steps = replayed(solved, start, match);
  const moves = [];
  for (const step of steps) moves.push(await judged(solved, step));
  const last = await solved.assess(steps.at(-1)?.after ?? start);
  const { game, roles, opponent_model } = solved.data;
  return { game, roles, opponent_model, finished: last.terminal, value: last.own.value, moves, mistakes: moves.filter((move) => move.gives_away).map((move) => move.ply),
    decided_at: moves.findLast((move) => !same(move.before, move.after))?.ply ?? start.layer, accuracy: Object.fromEntries(roles.map((role) => [role, accuracy(moves, role)])) };
}

/** Moves of best play, by distance if that is stored. */
async function line(solved, start) {
  const answer = { moves: [], roles: [], joint: [], ends: false, exact: true };
  const passed = new Map();
  for (let position = start; ;) {
    const found = await solved.assess(position);
    if (found.terminal) return { ...answer, ends: true };
    const key = position.state.join("");
    if (passed.has(key)) return { ...answer, repeats: passed.get(key) };
    passed.set(key, answer.moves.length);
    const option = found.moves.find((move) => move.optimal);
    answer.exact &&= found.own.value === null || (option.plies !== undefined && option.plies === found.own.plies);
    answer.moves.push(solved.name(option.move));
    answer.roles.push(solved.data.roles[option.role]);
    answer.joint.push(option.joint.map((move) => solved.name(move)));
    position = option.after;
  }
}

/** The program's move: one of the best, or with some probability one that gives something away. */
async function reply(solved, position, error) {
  const { moves } = await solved.assess(position);
  if (!moves.length) throw wrong("play is over");
  const others = moves.filter((option) => !option.keeps);
  const from = Math.random() < error && others.length ? others : moves.filter((option) => option.optimal);
  const option = from[Math.floor(Math.random() * from.length)];
  return { move: solved.name(option.move), role: solved.data.roles[option.role], value: option.worth.value, keeps_value: option.keeps, optimal: option.keeps };
}

/** A random state of a layer, or of its states with a value. */
async function random(solved, layer, rewards) {
  const found = solved.data.layers[layer];
  if (!found) throw wrong(`there is no layer ${layer}`);
  const value = rewards === "endless" || rewards === "null" ? null : rewards?.split(/[,/]/).map(Number);
  const wanted = found.kinds.map((kind) => rewards === undefined || same(solved.data.values[kind.value].value, value));
  const states = found.kinds.reduce((sum, kind, index) => sum + (wanted[index] ? kind.states : 0), 0);
  if (!states) throw new ApiError(404, "not-found", `no state of layer ${layer} has this value`);
  let left = Math.floor(Math.random() * states);
  const rank = wanted.every(Boolean) ? left : await solved.placed(layer, (code) => wanted[code] && left-- === 0);
  return { layer, seed: null, state: solved.names(solved.state((await solved.diagram(layer)).state(rank))) };
}

/** The answer to a request about a solution. */
export async function answered(solved, asked, { state, moves, layer, rewards, error }, text) {
  const start = state ? await solved.position(words(state)) : solved.start;
  const reached = () => replayed(solved, start, movers(moves ?? "")).at(-1)?.after ?? start;
  switch (asked) {
    case "position": return query(solved, reached());
    case "line": return line(solved, reached());
    case "reply": return reply(solved, reached(), error ?? 0);
    case "random": return random(solved, Number(layer), rewards);
    case "review": return review(solved, start, text === undefined ? movers(moves ?? "") : record(text));
    default: throw new ApiError(404, "not-found", "there is nothing at this address");
  }
}
