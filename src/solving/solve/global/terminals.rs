//! Sets of states selected by their terminals.

use super::super::SolveError;
use super::super::pass::Pass;
use super::orders::Orders;
use super::rounds::Rounds;
use kernel::{self, Diagram};

/// Terminal states, each with its value id. No move is followed, because successors have no values yet.
pub fn terminal_values(pass: &Pass, terminals: &Diagram, orders: &Orders) -> Result<Diagram, SolveError> {
    let none = Diagram::constant(terminals.levels(), 0);
    let values = pass.expansion.values(terminals, None, (&none).into(), &orders.waiting)?;
    Ok(kernel::restrict(terminals, &values, pass.context)?)
}

/// Gives the value `id` to all states from which moves through `open` states lead to one of `ends` with this value, and
/// takes them out of `open`.
pub fn flood(
    pass: &Pass,
    id: u32,
    ends: &Diagram,
    open: &mut Diagram,
    values: &mut Diagram,
    rounds: &mut Rounds,
) -> Result<(), SolveError> {
    let mut front = only(id, ends, 1, pass)?;
    while !front.is_empty() {
        let before = pass.expansion.predecessors(open, &front)?;
        *open = kernel::difference(open, &before, pass.context)?;
        let settled = all_as(id, &front, pass)?;
        *values = kernel::overlay(values, &settled, pass.context)?;
        rounds.push(&settled)?;
        front = before;
    }
    Ok(())
}

pub fn without(terminal: u32, set: &Diagram, pass: &Pass) -> Result<Diagram, SolveError> {
    Ok(kernel::renamed(set, |id| if id == terminal { 0 } else { id }, pass.context)?)
}

/// The elements that have this terminal, which is replaced by `instead`.
pub fn only(terminal: u32, set: &Diagram, instead: u32, pass: &Pass) -> Result<Diagram, SolveError> {
    Ok(kernel::renamed(set, |id| if id == terminal { instead } else { 0 }, pass.context)?)
}

/// The same elements, all with this terminal.
pub fn all_as(terminal: u32, set: &Diagram, pass: &Pass) -> Result<Diagram, SolveError> {
    Ok(kernel::renamed(set, |_| terminal, pass.context)?)
}
