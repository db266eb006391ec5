//! Counts the states in which a tie decides: another move gives the mover as much as the value of the state, and the
//! other roles different rewards.
//!
//! In layers, the best of the successors' values in the mover's order, and the best one in that order with ties broken
//! the other way, differ exactly in these states. So each layer takes one more sweep over the values of the next one,
//! and its values are compared with the result of the sweep, reward by reward.

use super::SolveError;
use super::forced::alike;
use super::options::or_left_out;
use super::pass::Pass;
use super::spool::Spool;
use super::values::LayerValues;
use game::ending::Endings;
use game::reward::OpponentModel;
use kernel::{self, Context, Diagram, Preferences};
use num_bigint::BigUint;

/// The number of ties if it could be counted. It is stored if anything is.
pub fn noted(
    counted: Result<BigUint, SolveError>,
    pass: &Pass,
    spool: &mut Spool,
) -> Result<Option<BigUint>, SolveError> {
    let ties = or_left_out(counted, "the states in which a tie decides are", pass.listener)?;
    if let (Some(ties), Some(store)) = (&ties, spool.store()) {
        store.set_ties(ties.clone())?;
    }
    Ok(ties)
}

/// The number of states in which a tie decides, in all layers of a spool whose values are stored.
pub fn in_layers(
    pass: &Pass,
    spool: &mut Spool,
    endings: &Endings,
    model: OpponentModel,
) -> Result<BigUint, SolveError> {
    let Pass { game, expansion, context, .. } = *pass;
    let (roles, rewards) = (game.roles.len(), expansion.rewards());
    let reversed = |mover| model.places_with_ties_reversed(mover, roles, rewards);
    let mut preferences = Preferences::new((0..roles).map(reversed).collect());
    // Every play ends here.
    preferences.ranks.iter_mut().for_each(|ranks| ranks.truncate(rewards.len() + 1));
    let levels = expansion.variables().levels();
    let (mut next, mut after) = (Diagram::constant(levels, 0), Diagram::constant(levels, 0));
    let mut ties = BigUint::ZERO;
    for index in (0..spool.figures().len()).rev() {
        context.limits().check()?;
        let states = kernel::union(&[&*spool.layer(index)?], context)?;
        let values = LayerValues::stored(&spool.archive()?, index, context)?;
        let mut values = values.into_diagram(&states, context)?;
        if endings.is_timed() {
            // Distances are no part of a tie.
            let rewards = |id| endings.index(id).map_or(0, |index| index as u32 + 1);
            let only = kernel::renamed(&kernel::restrict(&states, &values, context)?, rewards, context)?;
            values = kernel::as_values(&only, context)?;
        }
        let other = expansion.values(&states, Some(&next), after.into(), &preferences)?;
        ties += differing(&states, &values, &other, context)?;
        (next, after) = (states, values);
    }
    Ok(ties)
}

/// The number of states in which a tie decides, in a solution of all states at once. If play has cycles, a mover may
/// have settled for a value before another successor got a value that the mover likes as much or more. So each value
/// takes a sweep over its states. The sweep prefers the other values that give the mover the same, and then this value,
/// which some successor has.
pub fn in_all(pass: &Pass, values: &Diagram, model: OpponentModel) -> Result<BigUint, SolveError> {
    let Pass { game, expansion, context, .. } = *pass;
    let known = kernel::as_values(values, context)?;
    let (roles, rewards) = (game.roles.len(), expansion.rewards());
    let mut ties = BigUint::ZERO;
    for id in values.terminals().into_iter().filter(|&id| id != 0) {
        context.limits().check()?;
        let value = rewards.get(id as usize - 1).map(Vec::as_slice);
        let preferences =
            Preferences::new((0..roles).map(|mover| model.places_of_ties(mover, roles, rewards, value)).collect());
        let states = kernel::renamed(values, |other| u32::from(other == id), context)?;
        let found = expansion.values(&states, None, (&known).into(), &preferences)?;
        let found = kernel::restrict(&states, &found, context)?;
        ties += kernel::renamed(&found, |other| u32::from(other != 0 && other != id), context)?.count(context)?;
    }
    Ok(ties)
}

/// Number of states that have different values in two diagrams of values.
fn differing(states: &Diagram, left: &Diagram, right: &Diagram, context: &Context) -> Result<BigUint, SolveError> {
    let [left, right] = [left, right].map(|values| kernel::restrict(states, values, context));
    Ok(states.count(context)? - alike([&left?, &right?], |_, id| id, context)?)
}
