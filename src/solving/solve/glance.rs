//! Looks at the first states before any costly preparation, because most ill-formed games have an ill-formed state
//! there; and at all states of small games whose rewards have too many combinations.

use super::{Refusal, witness};
use game::interpreter::{Interpreter, JointMove, State, Violation};
use game::propositional::Game;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use std::collections::BTreeSet;

/// Number of states that a check of rules looks at.
pub const STATES: usize = 256;
/// Bound on the joint moves of a state; the check ends at a state with more.
const JOINT_MOVES: usize = 4096;
/// Bound on the joint moves of all states together.
const ALL_JOINT_MOVES: usize = 1 << 17;
/// Bound on the nodes that a search evaluates, about a second.
const NODES: usize = 1 << 30;

/// Number of states of a game in which the rewards that occur are looked for.
const SMALL: usize = 1 << 16;

/// The game with only those rewards of each role that some reachable terminal state pays, or with one reward if none
/// does. `None` if the game has more than [`SMALL`] states, or if they take too long.
pub fn with_occurring_rewards(game: &Game) -> Option<Game> {
    let interpreter = Interpreter::new(game);
    let mut found: IndexSet<State, FxBuildHasher> = IndexSet::default();
    found.insert(interpreter.initial());
    let mut occurring = vec![BTreeSet::<u8>::new(); game.roles.len()];
    let evaluations = evaluations(game);
    let (mut next, mut tried) = (0, 0);
    while let Some(state) = found.get_index(next).cloned() {
        let situation = interpreter.situation(&state);
        if situation.terminal {
            for (occurring, rewards) in occurring.iter_mut().zip(&situation.goals) {
                occurring.extend(rewards);
            }
        } else {
            let joint_moves = situation.joint_move_count();
            tried = joint_moves.saturating_add(tried).saturating_add(1);
            if tried > evaluations {
                return None;
            }
            for (_, successor) in interpreter.after(&state, &situation) {
                found.insert(successor);
                if found.len() > SMALL {
                    return None;
                }
            }
        }
        next += 1;
    }
    let mut game = game.clone();
    for (goals, occurring) in game.goals.iter_mut().zip(occurring) {
        let first = goals.first().copied();
        goals.retain(|(reward, _)| occurring.contains(reward));
        if goals.is_empty() {
            goals.extend(first);
        }
    }
    Some(game)
}

/// The most evaluations of the rules in a search.
fn evaluations(game: &Game) -> usize {
    NODES / (game.graph.len() + game.fluents.len() + 1)
}

/// Findings about the first states, each with a shortest path to its state.
#[derive(Debug, Default)]
pub struct Glance {
    /// The first ill-formed state, for which the game cannot be solved.
    pub fault: Option<Refusal>,
    /// The first state in which several players choose at the same time.
    pub joint: Option<Refusal>,
}

/// Looks at the first `states` states in breadth-first order, up to the first ill-formed one. Without `faults`, the
/// search ends at the first state in which several players choose.
pub fn glance(game: &Game, states: usize, faults: bool) -> Glance {
    let interpreter = Interpreter::new(game);
    let mut found: IndexMap<State, Option<(usize, JointMove)>, FxBuildHasher> = IndexMap::default();
    found.insert(interpreter.initial(), None);
    let evaluations = evaluations(game).min(ALL_JOINT_MOVES);
    let (mut next, mut tried, mut seen) = (0, 0, Glance::default());
    while next < states
        && let Some((state, _)) = found.get_index(next)
    {
        let state = state.clone();
        let situation = interpreter.situation(&state);
        if let Err(violation) = situation.turn() {
            let shown = || {
                let mut path = Vec::new();
                let mut index = next;
                while let Some((_, Some((before, joint)))) = found.get_index(index) {
                    path.push(joint.clone());
                    index = *before;
                }
                path.reverse();
                witness::shown(game, &interpreter, &violation, &state, &path)
            };
            match violation {
                Violation::Simultaneous(_, second) if second.index() < game.players() => {
                    seen.joint = seen.joint.or_else(|| Some(shown()));
                    if !faults {
                        return seen;
                    }
                }
                Violation::Simultaneous(..) => {}
                _ => {
                    seen.fault = Some(shown());
                    return seen;
                }
            }
        }
        if !situation.terminal && found.len() < states {
            let joint_moves = situation.joint_move_count();
            tried = joint_moves.saturating_add(tried);
            if joint_moves > JOINT_MOVES || tried > evaluations {
                return seen;
            }
            for (joint, successor) in interpreter.after(&state, &situation) {
                found.entry(successor).or_insert(Some((next, joint)));
            }
        }
        next += 1;
    }
    seen
}
