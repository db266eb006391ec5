//! The report of `query`: a position, its value, and the value of every legal move.

use super::number::{plans_number, plies_text, states};
use super::table::Table;
use super::value::{force_text, model_text, outcome_text, reward_text, value_text};
use crate::solution::{Distance, Drawing, Guarantee, QueriedMove, QueriedPlans, Query, SearchBound, ToldLine};
use base::digits::{counted, grouped};
use game::aim::Aim;
use num_bigint::BigUint;
use std::fmt;

/// Stands in place of the rewards of a move whose successor has no value yet, in an unfinished solution.
const UNSETTLED: &str = "not known yet";

/// Follows what is said of values that are no equilibrium.
pub const NO_EQUILIBRIUM: &str = " (docs/algorithms.md, \"Values that are no equilibrium\")";

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plies = match self.layer {
            0 => "at the start".to_owned(),
            layer => format!("in layer {layer}"),
        };
        let turn = match &self.to_move {
            None => "play is over".to_owned(),
            Some(role) if self.forced => format!("{role} to move, without a choice"),
            Some(role) => format!("{role} to move"),
        };
        write!(f, "{}, {plies}: {turn}\n\n{}", self.game, picture(self.drawing.as_ref(), &self.state, 2))?;
        let stored = self.plies.map(|plies| Distance { plies, exact: true });
        let distance = stored.or(self.distance);
        let end = match &distance {
            Some(distance) if !self.moves.is_empty() => format!("; {}", distance_text(distance)),
            _ => String::new(),
        };
        let (outcome, model) = (self.outcome(), model_text(&self.roles, self.opponent_model));
        writeln!(f, "\n  {outcome}{model}{end}")?;
        f.write_str(&self.not_best_text())?;
        for (role, Guarantee { value, forced }) in &self.guarantees {
            let index = self.roles.iter().position(|other| other == role);
            let own = self.value.as_ref().zip(index).map(|(value, index)| value[index]);
            let open = if *forced { String::new() } else { beside(own, *value) };
            writeln!(f, "  {}{open}", force_text(role, *value))?;
        }
        f.write_str(&self.plans_text())?;
        if self.moves.is_empty() {
            return Ok(());
        }
        let with_plies = distance.is_some() || self.moves.iter().any(|option| option.plies.is_some());
        let header = ["", "move", "rewards"].map(str::to_owned).into_iter();
        let header = header.chain(self.guarantees.keys().map(|role| format!("{role} forces")));
        let folded = self.moves.iter().any(|option| option.same_as.is_some());
        let header = header.chain(with_plies.then(|| "plies".to_owned()));
        let with_costs = self.moves.iter().any(|option| option.cost.or(option.cost_at_least).is_some());
        let header = header.chain(with_costs.then(|| "cost".to_owned()));
        let mut table = Table::new(header.chain(folded.then(String::new)));
        for option in &self.moves {
            let best = self.mark(option);
            let stored = option.plies.map(|plies| Distance { plies, exact: true });
            let plies = with_plies.then(|| match stored.or(option.distance) {
                Some(Distance { plies, exact: true }) => plies.to_string(),
                Some(Distance { plies, exact: false }) => format!("at least {plies}"),
                None => String::new(),
            });
            let rewards = if option.unsettled { UNSETTLED.to_owned() } else { value_text(option.value.as_deref()) };
            let cells = [best.to_owned(), option.action.clone(), rewards];
            let guarantees = option.guarantees.values().map(|guarantee| reward_text(guarantee.value));
            let same = option.same_as.iter().map(|first| format!("same as {first}"));
            let cost = with_costs.then(|| cost_text(option).unwrap_or_default());
            table.row(cells.into_iter().chain(guarantees).chain(plies).chain(cost).chain(same));
        }
        let last = 3 + self.guarantees.len() + usize::from(with_plies) + usize::from(with_costs);
        write!(f, "\n{}{}", table.render_left(2, &[1, last]), self.bound_text())?;
        f.write_str(&self.why_text())
    }
}

impl Query {
    pub fn outcome(&self) -> String {
        outcome_of(&self.roles, self.value.as_deref(), self.aim).0
    }

    /// The mark of a move. No move is best if another one is worth more to the mover than the value.
    pub fn mark(&self, option: &QueriedMove) -> &'static str {
        match option {
            QueriedMove { worth_more: true, .. } => "more",
            QueriedMove { optimal: true, .. } if !self.not_best => "best",
            QueriedMove { keeps_value: true, .. } => "keeps",
            _ => "",
        }
    }

    /// A line that says that the value is no equilibrium, if another move is worth more to the mover.
    pub fn not_best_text(&self) -> String {
        let Some(role) = self.to_move.as_ref().filter(|_| self.not_best) else { return String::new() };
        format!(
            "  {role} settled for that; another move is worth more to it, so it is no equilibrium here{NO_EQUILIBRIUM}\n"
        )
    }

    /// What to do about distances that are lower bounds.
    fn bound_text(&self) -> String {
        let (what, option) = match self.distance_ended_by {
            None => return String::new(),
            Some(SearchBound::Nodes) => ("positions that it may keep", "nodes"),
            Some(SearchBound::Memory) => ("memory", "memory"),
        };
        format!(
            "\n  The search for distances ended early for want of {what}: raise --{option} for more than lower bounds.\n"
        )
    }

    /// The line of best play, and the line after each move that does not keep the value, if these were requested.
    fn why_text(&self) -> String {
        let Some(line) = self.line.as_ref().filter(|line| !line.moves.is_empty()) else { return String::new() };
        let what = if self.not_best { "play that keeps the value" } else { "best play" };
        let mut text = format!("\n  {what}: {}\n", line_text(line));
        let explained = self.moves.iter().filter_map(|option| Some((option, option.refutation.as_ref()?)));
        let mut table = Table::new(["move", "gives away", "what follows"].map(str::to_owned));
        for (option, refutation) in explained.clone() {
            let loss = match option.loss {
                Some(loss) => loss.what(),
                None if option.worth_more => "nothing: it is worth more",
                None => "nothing",
            };
            table.row([option.action.clone(), loss.to_owned(), line_text(refutation)]);
        }
        if explained.clone().next().is_some() {
            text += &format!("\n{}", table.render_left(2, &[0, 1, 2]));
        }
        let mut lines = explained.map(|(_, refutation)| refutation).chain([line]);
        if lines.any(|line| line.ends && !line.exact) {
            text += "\n  Lines keep the values; how soon play ends was not found out, so that best play may be shorter or longer.\n";
        }
        text
    }

    pub fn plans_text(&self) -> String {
        let QueriedPlans { cost, cost_at_least, plans, unit_costs } = &self.plans;
        let best = match (cost, cost_at_least, unit_costs) {
            (Some(cost), _, true) => format!("a shortest plan has {}", counted(cost, "move")),
            (Some(cost), _, false) => format!("a cheapest plan costs {}", grouped(cost)),
            (None, Some(cost), true) => format!("plans have at least {}", counted(cost, "move")),
            (None, Some(cost), false) => format!("plans cost at least {}", grouped(cost)),
            (None, None, _) if plans.is_some() => return "  there is no plan\n".to_owned(),
            (None, None, _) => return String::new(),
        };
        format!("  {best}{}\n", plans.as_ref().map_or(String::new(), plans_number))
    }
}

/// Number of moves of a line of play that a text shows.
const SHOWN: usize = 16;

/// The moves of a line of play, the first [`SHOWN`] of a long one.
pub fn line_text(line: &ToldLine) -> String {
    let shown = shown_moves(&line.moves);
    let from = match line.repeats {
        None if line.moves.is_empty() => return "play is over".to_owned(),
        None => return shown,
        Some(0) => String::new(),
        Some(before) => format!(" from move {} on", before + 1),
    };
    let mark = if line.moves.len() <= SHOWN { " …" } else { "," };
    format!("{shown}{mark} and round again{from}")
}

pub(super) fn shown_moves(moves: &[String]) -> String {
    let shown = moves.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(" ");
    match moves.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} … and {} more", plies_text(more as u32)),
    }
}

/// The outcome of best play from a position with this value. The flag tells whether a single player can't reach its aim
/// from the position; it is `None` if the aim is unknown.
pub fn outcome_of(roles: &[String], value: Option<&[u8]>, aim: Option<Aim>) -> (String, Option<bool>) {
    let (outcome, dead_end) = (outcome_text(roles, value), aim.map(|aim| aim.is_missed(value)));
    match aim.filter(|_| dead_end == Some(true)) {
        Some(aim) => (format!("a dead end: {} from here; {outcome}", aim.out_of_reach()), dead_end),
        None => (outcome, dead_end),
    }
}

pub fn cost_text(option: &QueriedMove) -> Option<String> {
    let at_least = || option.cost_at_least.map(|cost| format!("at least {}", grouped(cost)));
    option.cost.map(grouped).or_else(at_least)
}

/// A remark on a guarantee `value` that differs from `own`, the role's reward if each role takes its best; `None`
/// stands for endless play in both. The guarantee may be larger than `own`: it compares only rewards of the role, and
/// any reward is more than endless play.
fn beside(own: Option<u8>, value: Option<u8>) -> String {
    match (own, value) {
        (None, Some(reward)) => {
            format!(
                "; where each takes its best, play can go on for ever (of its own rewards, {reward} is more than that)"
            )
        }
        (Some(own), value) => {
            let than = if value > Some(own) { "more" } else { "less" };
            format!(", {than} than the {own} where each takes its best")
        }
        (None, None) => String::new(),
    }
}

/// The heading of a report on random states of a layer.
pub fn sample_heading(
    number: u64,
    layer: u32,
    population: &BigUint,
    value: Option<Option<&[u8]>>,
    plies: Option<u32>,
    seed: u64,
) -> String {
    let value = value.map_or(String::new(), |value| format!(" with the value {}", value_text(value)));
    let far = plies.map_or(String::new(), |plies| format!(", {} from the end", plies_text(plies)));
    let (drawn, all) = (states(&number.into()), states(population));
    format!("{drawn} drawn at random from the {all} of layer {layer}{value}{far}, seed {seed}\n")
}

/// The state as a board, or otherwise as a list of its fluents. Each line is indented by `indent` spaces.
pub fn picture(drawing: Option<&Drawing>, state: &[String], indent: usize) -> String {
    let fluents = if state.is_empty() { "(no fluent holds)".to_owned() } else { state.join(" ") };
    let list = || format!("{}{fluents}\n", " ".repeat(indent));
    drawing.map_or_else(list, |drawing| drawing.text(indent))
}

pub fn distance_text(distance: &Distance) -> String {
    let at_least = if distance.exact { "" } else { "at least " };
    format!("play ends in {at_least}{}", plies_text(distance.plies))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_goes_round_says_so_however_long_it_is() {
        let told = |plies: usize, repeats: Option<usize>| {
            let (moves, roles, joint) = (vec!["m".to_owned(); plies], Vec::new(), Vec::new());
            line_text(&ToldLine { moves, roles, joint, ends: repeats.is_none(), repeats, exact: true, cost: None })
        };
        assert_eq!([told(0, None), told(2, None), told(2, Some(0))], ["play is over", "m m", "m m … and round again"]);
        assert_eq!(told(2, Some(1)), "m m … and round again from move 2 on");
        let shown = vec!["m"; SHOWN].join(" ");
        assert_eq!(told(SHOWN + 2, None), format!("{shown} … and 2 plies more"));
        assert_eq!(told(SHOWN + 2, Some(0)), format!("{shown} … and 2 plies more, and round again"));
    }
}
