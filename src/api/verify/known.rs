//! What the check of all states at once keeps of each state in memory.

use super::diagram::Set;
use super::moves::Moves;
use base::limits::{Limits, table_bytes};
use game::interpreter::{State, Turn};
use game::propositional::RoleId;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use solving::solution::{ReadError, Stored, Worth};
use std::ops::Range;

/// More states are kept only if the check of all states is asked for: a million takes some 40 seconds.
const MOST: usize = 1 << 22;

pub struct Known<'a> {
    pub layer: u32,
    /// The number of the first layer from which the state was reached, plus one.
    pub reached: Option<u32>,
    /// The role that has a choice.
    pub chooser: Option<RoleId>,
    /// `None` if no value is stored.
    pub worth: Option<Worth<'a>>,
}

pub type Table<'a> = FxHashMap<State, Known<'a>>;

/// Bytes of so many states, each of which takes `state` bytes outside of its entry.
pub fn bytes(count: usize, state: usize) -> usize {
    table_bytes(count, size_of::<(State, Known)>()) + count * state
}

/// Whether so many states are kept without being asked for, as half of the memory has room for them.
pub fn fits(stored: &Stored, total: &BigUint, limits: &Limits) -> bool {
    let state = State::empty(stored.game.fluents.len()).bytes();
    let count = usize::try_from(total).ok().filter(|&count| count <= MOST);
    count.is_some_and(|count| bytes(count, state) as u64 <= limits.free() / 2)
}

/// The states of a layer with these ranks. The check of a state itself reports that it lacks a value.
pub fn read<'a>(
    stored: &'a Stored,
    (layer, set): (u32, &Set),
    ranks: Range<u64>,
    moves: &Moves,
) -> Vec<(State, Known<'a>)> {
    let count = (ranks.end - ranks.start) as usize;
    let found = moves.in_order(count, |range, found| {
        let states = range.map(|place| stored.codec.state(&set.state(&(ranks.start + place as u64).into())));
        found.extend(states.map(|state| {
            let worth = worth(stored, &state).ok().flatten();
            (state, worth)
        }));
    });
    let (states, worths): (Vec<State>, Vec<_>) = found.into_iter().unzip();
    let situations = moves.situations(&states);
    let known = worths.into_iter().zip(situations).map(|(worth, situation)| {
        let chooser = match situation.turn() {
            Ok(Turn::Mover(role)) => Some(role),
            _ => None,
        };
        Known { layer, reached: None, chooser, worth }
    });
    states.into_iter().zip(known).collect()
}

/// The value of a state, from the files; `None` if no values are stored yet. It is an error if a state lacks a required
/// value.
pub fn worth<'a>(stored: &'a Stored, state: &State) -> Result<Option<Worth<'a>>, ReadError> {
    if stored.manifest.settled.is_none() {
        return Ok(None);
    }
    let assignment = stored.codec.assignment(state);
    let worth = assignment.map(|assignment| stored.settled_worth(&assignment)).transpose()?.flatten();
    worth.map(Some).ok_or_else(|| ReadError::Damaged("there is no value for it".to_owned()))
}
