//! The best plans of a single player: in words, and as a file in the form of the planning competitions.

use crate::session::{PlansReport, RunReport};
use base::digits::{counted, grouped};
use solving::words::number::plans_number as number_text;

impl RunReport {
    /// Cost and number of the best plans, if requested or moves have costs.
    pub(super) fn plans_text(&self) -> String {
        let Some(best) = self.best_plan() else { return String::new() };
        match self.plans.as_ref().and_then(|found| found.cost_at_least) {
            Some(_) => format!("\n  {best}; --line looks for a cheapest one with all memory\n"),
            None => format!("\n  {best}\n"),
        }
    }

    /// The cost or the number of moves of the best plans, or that there is no plan: a sentence without its full stop.
    pub(super) fn best_plan(&self) -> Option<String> {
        let PlansReport { cost, cost_at_least, plan_length, plans, unit_costs } = self.plans.as_ref()?;
        if *unit_costs && plans.is_none() {
            return None;
        }
        if let Some(cost) = cost_at_least {
            return Some(format!("Plans cost at least {}", grouped(cost)));
        }
        let (Some(cost), Some(length)) = (cost, plan_length) else { return Some("There is no plan".to_owned()) };
        let moves = counted(*length, "move");
        let best = match unit_costs {
            true => format!("A shortest plan has {moves}"),
            false => format!("A cheapest plan costs {}, in {moves}", grouped(cost)),
        };
        Some(best + &plans.as_ref().map_or(String::new(), number_text))
    }

    /// The line of best play in the plan format of the planning competitions: a move in parentheses on each line, and a
    /// comment with the cost. `None` if there is no plan or no line.
    pub fn plan_file(&self) -> Option<String> {
        let (Some(line), Some(PlansReport { cost: Some(cost), unit_costs, .. })) = (&self.line, &self.plans) else {
            return None;
        };
        let mut text = String::new();
        for played in line {
            let action = &played.action;
            text += &if action.starts_with('(') { format!("{action}\n") } else { format!("({action})\n") };
        }
        let costs = if *unit_costs { "unit cost" } else { "general cost" };
        Some(format!("{text}; cost = {cost} ({costs})\n"))
    }
}
