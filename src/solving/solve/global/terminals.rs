//! Sets of states selected by their terminals.

use super::super::SolveError;
use super::super::pass::Pass;
use super::orders::Orders;
use kernel::{self, Diagram};

/// Terminal states, each with its value id. No move is followed, because successors have no values yet.
pub fn terminal_values(pass: &Pass, terminals: &Diagram, orders: &Orders) -> Result<Diagram, SolveError> {
    let none = Diagram::constant(terminals.levels(), 0);
    let values = pass.expansion.values(terminals, None, (&none).into(), &orders.waiting)?;
    Ok(kernel::restrict(terminals, &values, pass.context)?)
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
