//! Counts the states whose value is no equilibrium: another move is worth more to the mover than the value.
//!
//! A mover settles for a value when nothing else is settled, see [`retrograde`](super::retrograde). Another role may
//! settle for a value later that both prefer to endless play, and a successor of the state may get it. The best of the
//! successors' values in the mover's order then differs from the value of the state, as it may where a tie decides.
//! Cost: one sweep over all states.

use super::super::SolveError;
use super::super::pass::Pass;
use super::orders::Orders;
use super::terminals::only;
use game::reward::OpponentModel;
use kernel::{self, Diagram};
use num_bigint::BigUint;

/// Whether there may be such states if these values occur. There are none if movers may settle at once
/// ([`Orders::at_once`]): their orders are opposite then, so a mover gets more than it settled for only by a value that
/// the other role prefers to endless play, too; the only one of these is the least that the mover settles for.
pub fn is_possible(orders: &Orders, ids: &[u32]) -> bool {
    orders.at_once(ids).is_none()
}

/// The number of such states among all states with their values. `None`: there can be none.
pub fn count(
    pass: &Pass,
    values: &Diagram,
    orders: &Orders,
    model: OpponentModel,
) -> Result<Option<BigUint>, SolveError> {
    let Pass { game, expansion, context, .. } = *pass;
    let (roles, rewards) = (game.roles.len(), expansion.rewards());
    let is_reward = |id: &u32| (1..orders.endless).contains(id);
    let ids: Vec<u32> = values.terminals().into_iter().filter(is_reward).collect();
    if !is_possible(orders, &ids) {
        return Ok(None);
    }
    let known = kernel::as_values(values, context)?;
    let settled = kernel::renamed(values, |id| is_reward(&id).into(), context)?;
    let best = expansion.values(&settled, None, (&known).into(), &orders.hasty)?;
    let mut states = BigUint::ZERO;
    for id in ids {
        context.limits().check()?;
        let found = kernel::restrict(&only(id, values, 1, pass)?, &best, context)?;
        let others = found.terminals();
        for mover in 0..roles {
            let of = |id: u32| rewards.get(id as usize - 1).map(Vec::as_slice);
            let is_more = |other: u32| other != 0 && model.is_worth_more(mover, roles, of(other), of(id));
            if others.iter().any(|&other| is_more(other)) {
                let found = kernel::renamed(&found, |other| is_more(other).into(), context)?;
                states += expansion.choosing(&found, mover)?.count(context)?;
            }
        }
    }
    Ok(Some(states))
}
