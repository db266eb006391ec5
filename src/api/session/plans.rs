//! The best plans of a single player.

use super::solving::Solving;
use super::{Error, Rules, RunReport, Session};
use base::limits::LimitReached;
use game::propositional::{Game, MoveId, RoleId};
use num_bigint::BigUint;
use serde::Serialize;
use solving::cheapest::{Cheapest, count};
use solving::solve::{self, Event, PlayedMove, SolveOptions};
use solving::store::Manifest;

/// The best plans from the initial state: sequences of moves to the best reward with the least cost and, among these,
/// with the fewest moves. Without costs in the rules, each move costs 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlansReport {
    /// The cost of each best plan; `None` if no reward above 0 can be reached, or only a lower bound is known.
    pub cost: Option<u64>,
    /// A lower bound on the cost, if a bounded search did not find the cost itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_at_least: Option<u64>,
    /// Number of moves of each best plan.
    pub plan_length: Option<usize>,
    /// The number of best plans, if they were counted; in JSON a number, or a string if it is above 2⁵³.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "count")]
    pub plans: Option<BigUint>,
    /// Whether every move costs 1.
    #[serde(skip)]
    pub unit_costs: bool,
}

impl Solving<'_> {
    /// Whether the report needs plans, which a stored solution lacks.
    pub(super) fn looks_for_plans(&self, rules: &Rules) -> Result<bool, Error> {
        Ok(!self.options.count_only && (self.options.plans || rules.program()?.costs.is_some()))
    }

    /// Whether plans are found for all states at once, because there are too many states for a search state by state.
    pub(super) fn plans_by_layers(&self, rules: &Rules, manifest: &Manifest) -> Result<bool, Error> {
        let few = manifest.states.as_ref().is_none_or(solve::costs::are_few);
        Ok(!few && manifest.roles.len() == 1 && self.looks_for_plans(rules)?)
    }
}

impl Session {
    /// Adds the best plans to the report on a stored solution by a bounded search, if moves have costs.
    pub(super) fn add_stored_plans(&self, rules: &Rules, report: &mut RunReport) -> Result<(), Error> {
        if report.value.is_some() && rules.program()?.costs.is_some() {
            let (grounding, _, _) = self.grounding(rules, None)?;
            self.add_plans(&grounding.game, &SolveOptions::default(), None, report)?;
        }
        Ok(())
    }

    /// Adds the best plans to the report on a game, if they were requested or moves have costs. A search finds them,
    /// unless `plan` is given or a line tells enough. If moves have costs, the line becomes a cheapest plan.
    pub(super) fn add_plans(
        &self,
        game: &Game,
        options: &SolveOptions,
        plan: Option<Cheapest>,
        report: &mut RunReport,
    ) -> Result<(), Error> {
        let unit_costs = game.has_unit_costs();
        let (Some(value), [_]) = (&report.value, report.roles.as_slice()) else { return Ok(()) };
        if unit_costs && !options.plans && report.line.is_none() {
            return Ok(());
        }
        let none = || options.plans.then(BigUint::default);
        let mut found = PlansReport { cost: None, cost_at_least: None, plan_length: None, plans: none(), unit_costs };
        match (value.as_deref(), &report.line) {
            (None | Some([0]), _) => {}
            (Some(_), Some(line)) if unit_costs && !options.plans => {
                found = PlansReport { cost: Some(line.len() as u64), plan_length: Some(line.len()), ..found };
            }
            (Some(value), _) => {
                let search = || solve::costs::one_by_one(game, value[0], options, &self.limits);
                let is_asked = options.plans || options.line;
                let plan = match plan.map_or_else(search, Ok) {
                    // No option helps against a cost that is too large, so the report tells the rest.
                    Err(limit) if limit.is_want_of_room() && (!is_asked || !options.line && is_cost(&limit)) => {
                        self.listener.event(&Event::Notice(format!("no plan is told: {limit}")));
                        return Ok(());
                    }
                    plan => plan?,
                };
                let plan = match plan {
                    Cheapest::Plan(plan) => plan,
                    Cheapest::AtLeast(cost) => {
                        report.plans = Some(PlansReport { cost_at_least: Some(cost), ..found });
                        return Ok(());
                    }
                    Cheapest::Nothing => {
                        return Err(Error::Damaged("no play leads to the value of the initial state".to_owned()));
                    }
                };
                if !unit_costs && options.line {
                    report.line = Some(plan.moves.iter().map(|&action| played(game, action)).collect());
                }
                let (cost, length) = (Some(plan.cost), Some(plan.moves.len()));
                found = PlansReport { cost, plan_length: length, plans: plan.plans, ..found };
            }
        }
        report.plans = Some(found);
        Ok(())
    }
}

/// Whether a cost exceeds the largest number; other bounds are lower.
fn is_cost(limit: &LimitReached) -> bool {
    matches!(limit.reason(), LimitReached::Size { limit: u64::MAX, .. })
}

fn played(game: &Game, action: MoveId) -> PlayedMove {
    let name = game.moves[action.index()].term.to_string();
    PlayedMove { role: RoleId(0), joint: vec![name.clone()], action: name }
}
