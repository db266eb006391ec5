//! The plies to the end of play, computed from all values.
//!
//! Best play keeps the value of a state. Among the moves that keep it, a mover shortens play if no role gets more than
//! itself; any other mover prolongs it. So within the states of a value, the distance is that of plain retrograde
//! analysis: one more than the least, or the greatest, distance of the successors with the value.
//!
//! This analysis gives no distance to states from which movers can prolong play for ever. In some of these states the
//! mover chose the value because it likes endless play less. So all movers shorten play in these states, and the
//! analysis is repeated. Then every state has a distance, and no other distances agree with these rules:
//! `docs/algorithms.md` has the proof.
//!
//! By rank ([`passes::measure`](super::passes::measure)), a distance is a round of [`kernel::Settling`] and costs as
//! much. By diagrams, each value and distance costs the predecessors of the states at that distance (twice if movers
//! prolong play) and an overlay of all states with a distance so far. Both cost twice as much for values for which play
//! could be prolonged for ever.

use super::super::SolveError;
use super::super::pass::Pass;
use super::super::progress::Event;
use super::orders::Orders;
use super::terminals::{all_as, only};
use base::digits::grouped;
use base::limits::LimitReached;
use game::reward::shortens;
use kernel::{self, Diagram, TERMINALS};

/// The longest distance that has a terminal. Distance d has the terminal d + 1.
const LONGEST: u32 = TERMINALS - 4;

pub fn terminal_of(plies: u32) -> Result<u32, SolveError> {
    if plies > LONGEST {
        let what = "plies to the end of a state".to_owned();
        return Err(LimitReached::Size { what, limit: LONGEST.into() }.into());
    }
    Ok(plies + 1)
}

/// The error for a state without a distance after the second analysis; it cannot occur if the values are right.
pub fn without_end() -> SolveError {
    SolveError::Inconsistent("no play from a state ends with its value".to_owned())
}

pub fn ended(values: &Diagram, orders: &Orders) -> Vec<u32> {
    values.terminals().into_iter().filter(|&id| id != 0 && id != orders.endless).collect()
}

/// Tells the listener of the distances of the states of one value.
pub struct Told<'a> {
    pass: &'a Pass<'a>,
    id: u32,
    plies: u64,
    done: u64,
    total: u64,
}

impl<'a> Told<'a> {
    pub fn new(pass: &'a Pass<'a>, id: u32, class: &Diagram) -> Result<Told<'a>, SolveError> {
        Ok(Told { pass, id, plies: 0, done: 0, total: number(class, pass)? })
    }

    /// `states`: the number of states at the next distance.
    pub fn ply(&mut self, states: u64) {
        let listener = self.pass.listener;
        self.done += states;
        listener.event(&Event::Work { what: "distances", done: self.done, total: self.total });
        let rewards = &self.pass.expansion.rewards()[self.id as usize - 1];
        let [done, total] = [self.done, self.total].map(grouped);
        let plies = self.plies;
        listener.event(&Event::Message(format!("distances to {rewards:?}: {plies} plies, {done} of {total} states")));
        self.plies += 1;
    }
}

/// The number of elements, or the largest `u64` if there are more.
fn number(states: &Diagram, pass: &Pass) -> Result<u64, SolveError> {
    Ok(u64::try_from(states.count(pass.context)?).unwrap_or(u64::MAX))
}

/// The states from which play ends; terminals encode their distances. `values`: all states with their value ids.
pub fn measure(pass: &Pass, values: &Diagram, orders: &Orders) -> Result<Diagram, SolveError> {
    let Pass { game, expansion, context, .. } = *pass;
    let mut all = Diagram::constant(values.levels(), 0);
    for id in ended(values, orders) {
        let class = only(id, values, 1, pass)?;
        let rewards = &expansion.rewards()[id as usize - 1];
        let behind = (0..game.roles.len()).filter(|&mover| !shortens(rewards, mover));
        let behind = behind.map(|mover| expansion.choosing(&class, mover)).collect::<Result<Vec<_>, _>>()?;
        let mut late = Diagram::constant(class.levels(), 0);
        if !behind.is_empty() {
            late = kernel::union(&behind.iter().collect::<Vec<_>>(), context)?;
        }
        let (mut measured, left) = fronts(pass, id, &class, &late)?;
        if !left.is_empty() {
            late = kernel::difference(&late, &left, context)?;
            let left;
            (measured, left) = fronts(pass, id, &class, &late)?;
            if !left.is_empty() {
                return Err(without_end());
            }
        }
        all = kernel::overlay(&all, &measured, context)?;
    }
    Ok(all)
}

/// Retrograde analysis of `class`, the states of the value `id`; movers prolong play in the states of `late`. Returns
/// the states with a distance, which the terminals encode, and the states without one.
fn fronts(pass: &Pass, id: u32, class: &Diagram, late: &Diagram) -> Result<(Diagram, Diagram), SolveError> {
    let Pass { expansion, context, .. } = *pass;
    let mut told = Told::new(pass, id, class)?;
    let mut measured = Diagram::constant(class.levels(), 0);
    let mut front = expansion.terminals(class)?;
    let mut open = kernel::difference(class, &front, context)?;
    for plies in 0.. {
        if front.is_empty() {
            break;
        }
        context.limits().check()?;
        told.ply(number(&front, pass)?);
        measured = kernel::overlay(&measured, &all_as(terminal_of(plies)?, &front, pass)?, context)?;
        let before = expansion.predecessors(&open, &front)?;
        // A state of `late` waits while it has a successor without a distance.
        let waiting = kernel::intersection(&before, late, context)?;
        let waiting = expansion.predecessors(&waiting, &open)?;
        front = kernel::difference(&before, &waiting, context)?;
        open = kernel::difference(&open, &front, context)?;
    }
    Ok((measured, open))
}
