//! Sets of states by what their terminals say.

use super::super::SolveError;
use super::super::pass::Pass;
use super::orders::Orders;
use kernel::{self, Diagram};

/// Each terminal state with its value id.
pub fn terminal_values(pass: &Pass, reached: &Diagram, orders: &Orders) -> Result<Diagram, SolveError> {
    let unknown = Diagram::constant(reached.levels(), orders.endless);
    let values = pass.expansion.values(reached, None, (&unknown).into(), &orders.waiting)?;
    without(orders.endless, &kernel::restrict(reached, &values, pass.context)?, pass)
}

/// The elements of a set that do not have this terminal.
pub fn without(terminal: u32, set: &Diagram, pass: &Pass) -> Result<Diagram, SolveError> {
    Ok(kernel::renamed(set, |id| if id == terminal { 0 } else { id }, pass.context)?)
}

/// The elements that have this terminal, with the terminal `instead`.
pub fn only(terminal: u32, set: &Diagram, instead: u32, pass: &Pass) -> Result<Diagram, SolveError> {
    Ok(kernel::renamed(set, |id| if id == terminal { instead } else { 0 }, pass.context)?)
}

/// The same elements, all with this terminal.
pub fn all_as(terminal: u32, set: &Diagram, pass: &Pass) -> Result<Diagram, SolveError> {
    Ok(kernel::renamed(set, |_| terminal, pass.context)?)
}
