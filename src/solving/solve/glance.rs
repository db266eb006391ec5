//! Checks the first states before any costly preparation: most ill-formed games have an ill-formed state among them.

use super::{Refusal, witness};
use game::interpreter::{Interpreter, JointMove, State};
use game::propositional::Game;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// Number of states.
pub const STATES: usize = 256;
/// Bound on the joint moves of a state; if one has more, the check ends.
const JOINT_MOVES: usize = 4096;

/// The refusal for the first ill-formed state in breadth-first order, with a shortest path to it, if there is one among
/// the first `states`.
pub fn glance(game: &Game, states: usize) -> Option<Refusal> {
    let interpreter = Interpreter::new(game);
    let mut found: IndexMap<State, Option<(usize, JointMove)>, FxBuildHasher> = IndexMap::default();
    found.insert(interpreter.initial(), None);
    let mut next = 0;
    while next < states
        && let Some((state, _)) = found.get_index(next)
    {
        let state = state.clone();
        let situation = interpreter.situation(&state);
        if let Err(violation) = situation.turn() {
            let mut path = Vec::new();
            let mut index = next;
            while let Some((_, Some((before, joint)))) = found.get_index(index) {
                path.push(joint.clone());
                index = *before;
            }
            path.reverse();
            return Some(witness::shown(game, &interpreter, &violation, &state, &path));
        }
        if !situation.terminal && found.len() < states {
            if situation.joint_move_count() > JOINT_MOVES {
                return None;
            }
            for joint in situation.joint_moves() {
                let successor = interpreter.successor(&state, &joint);
                found.entry(successor).or_insert(Some((next, joint)));
            }
        }
        next += 1;
    }
    None
}
