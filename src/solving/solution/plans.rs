//! What the best plans of a single player cost from a position, and how many there are.

use super::{Position, Query, ReadError, Solution};
use crate::cheapest::{Cheapest, Wanted, cheapest, count};
use base::limits::Limits;
use game::interpreter::State;
use num_bigint::BigUint;
use serde::Serialize;

/// The best plans from a position. Nothing is known of those of several players.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct QueriedPlans {
    /// What they cost, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// What they cost at least, if the search was bounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_at_least: Option<u64>,
    /// How many there are, if that was asked for and found.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "count")]
    pub plans: Option<BigUint>,
    /// Every move of the game costs 1.
    #[serde(skip)]
    pub unit_costs: bool,
}

impl Solution {
    /// Adds the best plans from a position to what is known of it, if the game has one role: their number if `counted` says
    /// so, and what they cost by each move where moves do not all cost 1; of those then only the moves of best plans are optimal. Each
    /// search keeps about `most` states.
    pub fn add_plans(
        &self,
        query: &mut Query,
        position: &Position,
        counted: bool,
        most: usize,
        limits: &Limits,
    ) -> Result<(), ReadError> {
        let unit_costs = self.game().has_unit_costs();
        if self.game().roles.len() != 1 || (unit_costs && !counted) {
            return Ok(());
        }
        let reward = query.value.as_deref().map_or(0, |value| value[0]);
        let search = |state: &State, plans: bool| match reward {
            // Nothing is worth a plan.
            0 => Ok(Cheapest::Nothing),
            _ => cheapest(self.game(), self.interpreter(), state, Wanted { reward, plans, states: Some(most) }, limits),
        };
        let mut best = None;
        query.plans = match search(&position.state, counted)? {
            Cheapest::Plan(plan) => {
                best = Some((plan.cost, plan.moves.len()));
                QueriedPlans { cost: Some(plan.cost), plans: plan.plans, ..QueriedPlans::default() }
            }
            Cheapest::AtLeast(cost) => QueriedPlans { cost_at_least: Some(cost), ..QueriedPlans::default() },
            Cheapest::Nothing => QueriedPlans { plans: counted.then(BigUint::default), ..QueriedPlans::default() },
        };
        query.plans.unit_costs = unit_costs;
        if unit_costs {
            return Ok(());
        }
        let value = query.value.clone();
        for option in query.moves.iter_mut().filter(|option| option.unsettled || option.value == value) {
            let own = self.game().moves.iter().find(|action| action.term.to_string() == option.action);
            let own = own.expect("a legal move is a move of the game").cost;
            if let Cheapest::Plan(plan) = search(&option.successor, false)? {
                option.cost = plan.cost.checked_add(own);
                if let Some((cost, length)) = best {
                    option.optimal = option.cost == Some(cost) && plan.moves.len() + 1 == length;
                }
            }
        }
        query.moves.sort_by_key(|option| (!option.optimal, option.cost.unwrap_or(u64::MAX)));
        Ok(())
    }
}
