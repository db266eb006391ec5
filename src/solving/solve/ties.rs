//! Counts the states in which a tie decides: several best moves give the mover the same reward, and the other roles
//! different rewards.
//!
//! In exactly these states, the best of the successors' values in the mover's order differs from the best with ties
//! broken the other way. So each layer takes one more sweep over the values of the next one, and its values are
//! compared with the result of the sweep, reward by reward.

use super::SolveError;
use super::global::orders::Orders;
use super::pass::Pass;
use super::spool::Spool;
use game::ending::Endings;
use game::reward::OpponentModel;
use kernel::{self, Context, Diagram, Preferences};
use num_bigint::BigUint;

/// The number of such states in all layers of a spool whose values are stored.
pub fn in_layers(
    pass: &Pass,
    spool: &mut Spool,
    endings: &Endings,
    model: OpponentModel,
) -> Result<BigUint, SolveError> {
    let Pass { game, expansion, context, .. } = *pass;
    let mut preferences = reversed(model, game.roles.len(), expansion.rewards());
    // Every play ends here.
    preferences.ranks.iter_mut().for_each(|ranks| ranks.truncate(expansion.rewards().len() + 1));
    let levels = expansion.variables().levels();
    let (mut next, mut after) = (Diagram::constant(levels, 0), Diagram::constant(levels, 0));
    let mut ties = BigUint::ZERO;
    for index in (0..spool.figures().len()).rev() {
        context.limits().check()?;
        let states = kernel::union(&[&*spool.layer(index)?], context)?;
        let mut values = spool.stored_values(index)?.into_diagram(&states, context)?;
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

/// The number of such states in a solution of all states at once. If play has cycles, a mover may have settled for less
/// than the final value of a successor; this is not a tie.
pub fn in_all(pass: &Pass, values: &Diagram, orders: &Orders, model: OpponentModel) -> Result<BigUint, SolveError> {
    let Pass { game, expansion, context, .. } = *pass;
    let all = kernel::renamed(values, |id| u32::from(id != 0), context)?;
    let known = kernel::as_values(values, context)?;
    let best = expansion.values(&all, None, (&known).into(), &orders.preferences())?;
    let same = agreeing(&all, &known, &best, context)?;
    let reversed = reversed(model, game.roles.len(), expansion.rewards());
    let other = expansion.values(&same, None, (&known).into(), &reversed)?;
    differing(&same, &known, &other, context)
}

fn reversed(model: OpponentModel, roles: usize, rewards: &[Vec<u8>]) -> Preferences {
    Preferences::new((0..roles).map(|mover| model.places_with_ties_reversed(mover, roles, rewards)).collect())
}

/// States that have the same value in two diagrams of values.
fn agreeing(states: &Diagram, left: &Diagram, right: &Diagram, context: &Context) -> Result<Diagram, SolveError> {
    let [left, right] = [left, right].map(|values| kernel::restrict(states, values, context));
    let (left, right) = (left?, right?);
    let mut same = Diagram::constant(states.levels(), 0);
    let others = right.terminals();
    for id in left.terminals().into_iter().filter(|id| *id != 0 && others.contains(id)) {
        let [left, right] = [&left, &right].map(|set| kernel::renamed(set, |other| u32::from(other == id), context));
        same = kernel::union(&[&same, &kernel::intersection(&left?, &right?, context)?], context)?;
    }
    Ok(same)
}

fn differing(states: &Diagram, left: &Diagram, right: &Diagram, context: &Context) -> Result<BigUint, SolveError> {
    Ok(states.count(context)? - agreeing(states, left, right, context)?.count(context)?)
}
