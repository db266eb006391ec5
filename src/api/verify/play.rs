//! Follows plays that the manifest tells, by the names of their moves.

use super::{Findings, Verification};
use base::limits::{LimitReached, Limits};
use game::interpreter::{Interpreter, State};
use game::propositional::{FluentId, Game};
use rustc_hash::FxHashMap;
use solving::solution::Stored;

/// Joint moves between two looks at the limits.
const LOOK: usize = 256;

/// Checks the example of endless play, if there is one: it leads to its state, and from there back to it.
pub fn check_cycle(stored: &Stored, limits: &Limits, result: &mut Verification) -> Result<(), LimitReached> {
    let Some(cycle) = stored.manifest.cycle_found() else { return Ok(()) };
    let (game, interpreter) = (&*stored.game, Interpreter::new(&stored.game));
    let mut findings = Findings::new("manifest.json".to_owned());
    let reached = follow(game, &interpreter, interpreter.initial(), &cycle.path, limits)?;
    match reached.filter(|state| named(game, &cycle.state).as_ref() == Some(state)) {
        None => findings.add(|| "the recorded moves do not lead to the state that repeats".to_owned()),
        Some(state) => {
            let back = follow(game, &interpreter, state.clone(), &cycle.moves, limits)?;
            if cycle.moves.is_empty() || back != Some(state) {
                findings.add(|| "the moves of endless play do not lead from its state back to it".to_owned());
            }
        }
    }
    findings.end(result);
    Ok(())
}

/// The state to which moves lead from `state`; `None` if they are no play.
pub fn follow(
    game: &Game,
    interpreter: &Interpreter,
    mut state: State,
    moves: &[String],
    limits: &Limits,
) -> Result<Option<State>, LimitReached> {
    for made in moves {
        limits.check()?;
        let situation = interpreter.situation(&state);
        if situation.terminal {
            return Ok(None);
        }
        let choosing: Vec<usize> = (0..situation.legal.len()).filter(|&role| situation.legal[role].len() > 1).collect();
        let mut found = None;
        for (index, joint) in situation.joint_moves().enumerate() {
            if index.is_multiple_of(LOOK) {
                limits.check()?;
            }
            let names: Vec<String> = joint.iter().map(|id| game.moves[id.index()].term.to_string()).collect();
            let is_it = match choosing.as_slice() {
                // Versions differ in whose move they show.
                [] => names.contains(made),
                &[role] => names[role] == *made,
                _ => format!("({})", names.join(" ")) == *made,
            };
            if is_it {
                found = Some(joint);
                break;
            }
        }
        let Some(joint) = found else { return Ok(None) };
        state = interpreter.successor(&state, &joint);
    }
    Ok(Some(state))
}

/// The state in which the fluents hold; `None` if one is not of the game or is named twice.
pub fn named(game: &Game, fluents: &[String]) -> Option<State> {
    let ids: FxHashMap<String, FluentId> =
        game.fluent_ids().map(|id| (game.fluents[id.index()].to_string(), id)).collect();
    let mut state = State::empty(game.fluents.len());
    for name in fluents {
        let id = *ids.get(name)?;
        if state.contains(id) {
            return None;
        }
        state.insert(id);
    }
    Some(state)
}
