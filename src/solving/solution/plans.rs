//! The cost of the best plans of a single player, from a position and by each move, and the number of these plans. A
//! bounded search ([`mod@crate::cheapest`]) finds costs on request, or else lower bounds.

use super::line::Line;
use super::{Position, QueriedMove, Query, ReadError, Solution, Step};
use crate::cheapest::{Cheapest, Wanted, cheapest, count};
use base::limits::{LimitReached, Limits};
use game::interpreter::State;
use num_bigint::BigUint;
use serde::Serialize;

/// Empty in games of several players.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct QueriedPlans {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_at_least: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "count")]
    pub plans: Option<BigUint>,
    #[serde(skip)]
    pub unit_costs: bool,
}

impl Solution {
    /// Whether plans are compared by cost: there is one role, and not every move costs 1.
    pub fn has_costs(&self) -> bool {
        self.game().roles.len() == 1 && !self.game().has_unit_costs()
    }

    /// Adds the best plans of a single player: their number if `counted`, and the cost by each move unless all cost 1.
    /// With costs, moves that begin no best plan, if found out, are not optimal. Each search keeps about `most` states.
    pub fn add_plans(
        &self,
        query: &mut Query,
        position: &Position,
        counted: bool,
        most: usize,
        limits: &Limits,
    ) -> Result<(), ReadError> {
        self.tell_plans(query, position, counted, most, limits)?;
        if self.has_costs() {
            let cost = |option: &QueriedMove| option.cost.or(option.cost_at_least).unwrap_or(u64::MAX);
            query.moves.sort_by_key(|option| (!option.optimal, cost(option)));
        }
        Ok(())
    }

    /// As [`Solution::add_plans`], but keeps the order of the moves.
    pub fn tell_plans(
        &self,
        query: &mut Query,
        position: &Position,
        counted: bool,
        most: usize,
        limits: &Limits,
    ) -> Result<(), ReadError> {
        if self.game().roles.len() != 1 || !(self.has_costs() || counted) {
            return Ok(());
        }
        let reward = query.value.as_deref().map_or(0, |value| value[0]);
        let search = |state: &State, plans: bool| self.plan_from(state, reward, plans, most, limits);
        let mut best = None;
        query.plans = match search(&position.state, counted)? {
            Cheapest::Plan(plan) => {
                best = Some((plan.cost, plan.moves.len()));
                QueriedPlans { cost: Some(plan.cost), plans: plan.plans, ..QueriedPlans::default() }
            }
            Cheapest::AtLeast(cost) => QueriedPlans { cost_at_least: Some(cost), ..QueriedPlans::default() },
            Cheapest::Nothing => QueriedPlans { plans: counted.then(BigUint::default), ..QueriedPlans::default() },
        };
        query.plans.unit_costs = !self.has_costs();
        if !self.has_costs() || reward == 0 {
            return Ok(());
        }
        let value = query.value.clone();
        for option in query.moves.iter_mut().filter(|option| option.unsettled || option.value == value) {
            let own = self.game().moves.iter().find(|action| action.term.to_string() == option.action);
            let own = own.expect("a legal move is a move of the game").cost;
            match search(&option.successor, false)? {
                Cheapest::Plan(plan) => {
                    option.cost = plan.cost.checked_add(own);
                    // The sum is above the range of numbers.
                    option.cost_at_least = if option.cost.is_none() { Some(u64::MAX) } else { None };
                    if let Some((cost, length)) = best {
                        option.optimal = option.cost == Some(cost) && plan.moves.len() + 1 == length;
                    }
                }
                Cheapest::AtLeast(cost) => {
                    option.cost_at_least = Some(cost.saturating_add(own));
                    // The best plans from the position cost `best`, so a move that costs more is not optimal.
                    if let (Some((best, _)), Some(cost)) = (best, option.cost_at_least) {
                        option.optimal &= cost <= best;
                    }
                }
                Cheapest::Nothing => {}
            }
        }
        Ok(())
    }

    fn plan_from(
        &self,
        state: &State,
        reward: u8,
        plans: bool,
        most: usize,
        limits: &Limits,
    ) -> Result<Cheapest, ReadError> {
        // A reward of 0 is not worth a plan.
        if reward == 0 {
            return Ok(Cheapest::Nothing);
        }
        let wanted = Wanted { reward, plans, states: Some(most) };
        match cheapest(self.game(), self.interpreter(), state, wanted, None, limits) {
            // Only costs have this bound. Each plan costs more, so it is a lower bound.
            Err(limit) if matches!(limit.reason(), LimitReached::Size { limit: u64::MAX, .. }) => {
                Ok(Cheapest::AtLeast(u64::MAX))
            }
            found => Ok(found?),
        }
    }

    /// `None` if moves have no costs, or if a search of about `most` states finds no plan.
    pub(super) fn cheapest_line(
        &self,
        position: &Position,
        most: usize,
        limits: &Limits,
    ) -> Result<Option<Line>, ReadError> {
        if !self.has_costs() {
            return Ok(None);
        }
        let reward = self.worth(position)?.value.map_or(0, |value| value[0]);
        let Cheapest::Plan(plan) = self.plan_from(&position.state, reward, false, most, limits)? else {
            return Ok(None);
        };
        let (mut steps, mut position) = (Vec::with_capacity(plan.moves.len()), position.clone());
        for action in plan.moves {
            let (situation, _) = self.situation(&position)?;
            let successor = self.after(&position, &[action]);
            steps.push(Step {
                ply: self.ply(&position, &situation, [action].into_iter().collect()),
                successor: successor.clone(),
            });
            position = successor;
        }
        Ok(Some(Line { steps, ends: true, repeats: None, exact: true, cost: Some(plan.cost) }))
    }
}
