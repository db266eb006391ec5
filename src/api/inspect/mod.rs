//! Findings on rules before they are solved: mistakes that grounding and random play reveal, and whether the solver
//! accepts the game. All searches are bounded by counts, never by time, so the same rules always give the same answer,
//! after about a second at most. If a bound is reached, the answer is unknown and reported as such.

mod board;
pub mod explain;
mod play;

use base::digits::grouped;
use base::limits::{LimitReached, Limits};
use game::diagnostic::Diagnostic;
use game::ground::{GroundError, GroundOptions, Grounding, ground};
use game::interpreter::{Interpreter, JointMove};
use game::propositional::{Game, NodeId};
use game::rules::{Predicate, Program, Rule, Term};
use game::syntax::Span;
use serde::Serialize;
use solving::solve::{self, Glance, Refusal};
use std::fmt;

/// Bound on the graph nodes that are evaluated in the search for a shorter way to an error that random play found.
const SEARCH: usize = 100_000_000;
/// Bound on the states of this search.
const SEARCHED: usize = 50_000;
/// Bound on the atoms, on the rule instances and on the nodes of the grounding. Larger games are not examined.
const INSTANCES: u64 = 400_000;
const STEPS: u64 = 10_000_000;

/// Bound on the fluents of a state in a message.
const SHOWN: usize = 12;

const TOO_LARGE: &str = "the game is too large to be looked at without solving it";

/// The knowledge about rules before they are solved.
#[derive(Debug, Clone)]
pub struct Inspection {
    /// A position in which several players have a choice, near the initial one, if random play found some.
    pub joint: Option<Refusal>,
    /// Warnings, and the error at the end of grounding.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the solver accepts the game.
    pub verdict: Verdict,
}

/// Whether the solver accepts a game, as far as that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Roles, legal moves and goals are valid in all positions that were examined.
    Taken {
        /// How many roles the game has.
        roles: usize,
        /// How many positions random play visited.
        positions: usize,
        /// The needs of the game.
        needs: Needs,
    },
    /// The solver refuses the game.
    Refused(Refusal),
    /// The rules have errors.
    Invalid,
    /// Unknown, for this reason.
    Unknown(&'static str),
}

/// The needs of a game in addition to turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Needs {
    /// Chance moves in some position.
    pub chance: bool,
    /// Several players choose at the same time in some position.
    pub joint: bool,
    /// There are two players, and the sum of their rewards is the same at every end that was seen.
    pub constant_sum: bool,
    /// Positions repeat, so that play can go on for ever.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub round: bool,
    /// No player has a choice in any position that was seen.
    #[serde(skip)]
    pub forced: bool,
}

impl Needs {
    /// Whether values are exact numbers rather than rewards.
    pub fn exact(&self) -> bool {
        self.chance || self.joint
    }

    /// Whether there may be no single value, in a game of so many players.
    pub fn unsure(&self, players: usize) -> bool {
        let unequal = !self.constant_sum;
        self.joint && (unequal || self.round) || self.may_go_on(players) && unequal
    }

    /// Whether several players may have no single value because they would rather play on for ever.
    pub fn may_go_on(&self, players: usize) -> bool {
        self.exact() && self.round && players > 1 && !self.forced
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Taken { roles, positions, needs } => {
                let start = match needs {
                    needs if needs.unsure(*roles) => {
                        "`solve` will perhaps find no single value, and `solve --guarantee` what each role can force"
                    }
                    Needs { chance: false, joint: false, .. } => "`solve` will take it",
                    needs if needs.may_go_on(*roles) => {
                        "`solve` will take it, in exact numbers, unless both players would rather play on for ever"
                    }
                    _ => "`solve` will take it, in exact numbers",
                };
                let players = match (roles, needs) {
                    (1, _) => "one role".to_owned(),
                    (_, Needs { joint: false, .. }) => format!("{roles} roles in turns"),
                    (_, Needs { constant_sum: true, .. }) => {
                        format!("{roles} roles that choose at the same time, with a constant sum")
                    }
                    _ => format!("{roles} roles that choose at the same time, without a constant sum"),
                };
                let chance = match needs {
                    Needs { chance: true, round: true, .. } => "with chance, and play can go on for ever",
                    Needs { chance: true, .. } => "with chance",
                    // A single player comes back to a state as it likes, and never has to.
                    Needs { round: true, .. } if *roles > 1 => "no chance, and play can go on for ever",
                    _ => "no chance",
                };
                let positions = grouped(positions);
                write!(f, "{start}: {players}, {chance}, as far as {positions} positions of random play show")
            }
            Verdict::Refused(refusal) => f.write_str(&refusal.message),
            Verdict::Invalid => f.write_str("the rules have errors"),
            Verdict::Unknown(reason) => write!(f, "whether `solve` will take it is not known: {reason}"),
        }
    }
}

/// Grounds a checked program within bounds and examines the game. Without a grounding in the result, grounding failed.
pub fn program(program: &Program, limits: &Limits) -> Result<(Inspection, Option<Grounding>), LimitReached> {
    let options = GroundOptions { instances: INSTANCES, steps: STEPS, derived: true, ..GroundOptions::default() };
    match ground(program, limits, &options) {
        Ok(grounding) => Ok((grounded(program, &grounding), Some(grounding))),
        Err(GroundError::Limit(limit) | GroundError::Explosion { reason: limit, .. }) if limit.ends_all() => Err(limit),
        Err(error) => {
            let (diagnostics, verdict) = match error.finding().filter(|_| !error.is_limit()) {
                Some(finding) => (vec![finding], Verdict::Invalid),
                None => (Vec::new(), Verdict::Unknown(TOO_LARGE)),
            };
            Ok((Inspection { joint: None, diagnostics, verdict }, None))
        }
    }
}

/// Examines a grounded game, to the same extent as [`program()`] would.
pub fn grounded(program: &Program, grounding: &Grounding) -> Inspection {
    let sizes = &grounding.statistics;
    let game = &grounding.game;
    let mut diagnostics = grounding.warnings.clone();
    if sizes.atoms.max(sizes.instances).max(sizes.nodes) as u64 > INSTANCES {
        return Inspection { joint: None, diagnostics, verdict: Verdict::Unknown(TOO_LARGE) };
    }
    diagnostics.extend(endless(program, game));
    let of_text = |other: &Diagnostic, span: Span| other.span == span && span != Span::default();
    if let Some(mut goal) = unreachable_goal(program, game) {
        // What else is told of the same text follows from it; it may say which condition never holds.
        let same: Vec<Diagnostic> = diagnostics.extract_if(.., |other| of_text(other, goal.span)).collect();
        goal.advice = same.into_iter().find_map(|other| other.advice).or(goal.advice);
        diagnostics.push(goal);
    }
    diagnostics.extend(over_at_once(program, game));
    if let Err(refusal) = solve::at_sight(game) {
        return Inspection { joint: None, diagnostics, verdict: Verdict::Refused(refusal) };
    }
    let played = play::play(game, &mut board::boards(game, &grounding.constant));
    diagnostics.extend(played.clash.map(|clash| board::finding(program, game, &clash)));
    diagnostics.extend(played.stuck.map(|path| standstill(program, game, &path)));
    let states = (SEARCH / (game.graph.len() + game.fluents.len() + 1)).min(SEARCHED);
    let seen = match played.refusal.is_some() || played.joint.is_some() {
        true => solve::glance(game, states, played.refusal.is_some()),
        false => Glance::default(),
    };
    let joint = played.joint.map(|found| seen.joint.unwrap_or(found));
    let round = played.repeat.is_some();
    // With choices at the same time, values of such games are not found, unless the choices have no effect.
    let several = joint.is_some() && round && solve::shows_several(game);
    let refusal = played.refusal.map(|found| seen.fault.unwrap_or(found)).or(played.repeat.filter(|_| several));
    let verdict = match refusal {
        Some(refusal) => Verdict::Refused(refusal),
        None => {
            let needs = Needs {
                chance: game.has_chance,
                joint: joint.is_some(),
                constant_sum: game.players() == 2 && played.sums.len() == 1,
                round,
                forced: !played.chosen,
            };
            Verdict::Taken { roles: game.players(), positions: played.positions, needs }
        }
    };
    Inspection { joint, diagnostics, verdict }
}

/// Finds a game whose end no fluent can bring about.
fn endless(program: &Program, game: &Game) -> Option<Diagnostic> {
    let advice =
        "play goes on for ever: look at what its conditions ask for, and at the rules that should make it true";
    (game.terminal == NodeId::FALSE).then(|| {
        let message = "no reachable state is terminal";
        Diagnostic::warning("never-terminal", place(program, Predicate::Terminal), message).with_advice(advice)
    })
}

/// The finding on a state that is not terminal and that no role can change any more. It points at the rule of the last
/// move of a role that had a choice.
fn standstill(program: &Program, game: &Game, path: &[JointMove]) -> Diagnostic {
    let interpreter = Interpreter::new(game);
    let (mut state, mut last) = (interpreter.initial(), None);
    for joint in path {
        let legal = interpreter.situation(&state).legal;
        last = joint.iter().find(|id| legal[game.moves[id.index()].role.index()].len() > 1).or(last);
        state = interpreter.successor(&state, joint);
    }
    let after = match interpreter.play_names(game, path).last() {
        Some(name) => format!("after {name}, move {},", path.len()),
        None => "at the start".to_owned(),
    };
    let fluents = state.names(game);
    let shown = match fluents.get(..SHOWN).unwrap_or(&fluents) {
        [] => "no fluent holds".to_owned(),
        shown => shown.join(" "),
    };
    let more = if fluents.len() > SHOWN { " …" } else { "" };
    let message = format!("play does not end: {after} no role can change the state any more: {shown}{more}");
    let advice = "each role has one move there, which changes nothing: does a move lack something, such as to hand the \
                  turn on? If play is over there, the end of play should hold";
    let of_move = last.and_then(|id| {
        let action = &game.moves[id.index()];
        board::rule_of(program, &game.roles[action.role.index()], &action.term)
    });
    let span = of_move.unwrap_or_else(|| place(program, Predicate::Terminal));
    Diagnostic::warning("standstill", span, message).with_advice(advice)
}

/// Finds a game that is over before the first move.
fn over_at_once(program: &Program, game: &Game) -> Option<Diagnostic> {
    let interpreter = Interpreter::new(game);
    let situation = interpreter.situation(&interpreter.initial());
    situation.terminal.then(|| {
        let highest = program.rewards().into_iter().max().filter(|highest| *highest > 0);
        let reached = game.players() == 1 && highest.is_some() && situation.goals[0].iter().copied().max() == highest;
        let message = match reached {
            true => "the goal holds in the initial state: the plan has no moves",
            false => "the initial state is terminal: there is nothing to play",
        };
        // A planning task is over where no action applies.
        let advice = match situation.legal.iter().all(Vec::is_empty) && !reached {
            true => "no move is legal there: compare the fluents of `init` with those that moves and the end ask for",
            false => "compare the fluents of `init` with those that its conditions ask for",
        };
        Diagnostic::warning("terminal-at-once", place(program, Predicate::Terminal), message).with_advice(advice)
    })
}

/// Finds a single player whose highest reward no state can pay.
fn unreachable_goal(program: &Program, game: &Game) -> Option<Diagnostic> {
    let [goals] = game.goals.as_slice() else { return None };
    let named = program.rewards();
    let highest = named.iter().copied().max().filter(|highest| *highest > 0)?;
    if goals.iter().any(|(possible, _)| *possible == highest) {
        return None;
    }
    let single = named.iter().all(|reward| [0, highest].contains(reward));
    let message = match single {
        true => "the goal can't be reached: there is no plan".to_owned(),
        false => format!("the reward {highest} can't be reached"),
    };
    let pays = |rule: &&Rule| {
        let is_goal = program.kind(rule.head.predicate) == Predicate::Goal;
        is_goal
            && matches!(rule.head.arguments.last(), Some(Term::Constant(name)) if program.symbols.name(*name) == highest.to_string())
    };
    // In the text of a planning task, a goal at which play ends stands for the rule.
    let span = program.rules.iter().find(pays).map_or(Span::default(), |rule| rule.span);
    let span = if span == Span::default() { place(program, Predicate::Terminal) } else { span };
    let advice = "its conditions hold in no state that any moves lead to";
    Some(Diagnostic::warning("unreachable-goal", span, message).with_advice(advice))
}

fn place(program: &Program, predicate: Predicate) -> Span {
    let rule =
        program.find_predicate(predicate).and_then(|id| program.rules.iter().find(|rule| rule.head.predicate == id));
    rule.map_or(Span::default(), |rule| rule.span)
}

#[cfg(test)]
mod tests;
