//! The text report of `solve`, `classify` and `count`.

use super::export::{Facts, VALUE_COLUMNS, layers, matrix};
use super::next::quoted;
use super::plies;
use super::refusal::play_text;
use crate::session::{Command, OrbitsReport, RunReport, SymmetriesFound};
use base::digits::{counted, grouped};
use game::reward::OpponentModel;
use num_bigint::BigUint;
use solving::solve::{Bucket, Engine, PlayedMove};
use solving::store::manifest::CycleRecord;
use solving::words::exact::{exact_model_text, exact_text, share_table};
use solving::words::number::{self, share, states};
use solving::words::query::NO_EQUILIBRIUM;
use solving::words::table::Table;
use solving::words::value::{model_text, value_text};
use std::fmt::{self, Write};

/// Largest number of values with columns in the table of layers.
const REWARD_COLUMNS: usize = 6;

impl fmt::Display for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl RunReport {
    fn text(&self) -> String {
        let mut text = self.headline();
        text.push_str(&self.counts());
        if let (Some(buckets), Command::Classify) = (&self.buckets, self.command) {
            text.push_str(&bucket_table(buckets));
        }
        if self.command != Command::Classify {
            let _ = write!(text, "\n{}", self.layer_table());
        }
        if let Some(shares) = &self.shares {
            text.push_str(&share_table(&self.roles, shares));
        }
        if let Some(buckets) = &self.buckets {
            text.push_str(&self.matrix(buckets));
            text.push_str(&endless_text(buckets).map_or(String::new(), |text| format!("\n  endless: {text}\n")));
            text.push_str(&self.reach());
            text.push_str(&plies::histogram(buckets));
            text.push_str(&self.left_out(buckets));
            text.push_str(&plies::longest(&self.longest));
        }
        text.push_str(&self.ties());
        text.push_str(&self.not_best_text().map_or(String::new(), |text| format!("\n  {text}\n")));
        text.push_str(&self.guarantees());
        text.push_str(&self.line());
        text.push_str(&self.plans_text());
        text.push_str(&self.cycle());
        text.push_str(&self.costs());
        text.push_str(&self.effort());
        text.push_str(&self.next());
        text
    }

    fn headline(&self) -> String {
        let result = self.no_value.as_ref().map(|refusal| refusal.message.clone()).or_else(|| self.result());
        result.map_or_else(|| format!("{}\n", self.game), |result| format!("{}: {result}\n", self.game))
    }

    /// The value of the initial state and how it is reached, if there is one.
    pub(super) fn result(&self) -> Option<String> {
        if let Some(value) = &self.exact_value {
            let model = exact_model_text(&self.roles, self.opponent_model);
            return Some(format!("{}{model}", exact_text(&self.roles, value)));
        }
        let (value, model) = (self.outcome()?, model_text(&self.roles, self.opponent_model));
        // A cheapest plan may have more moves than a shortest one.
        let costs = self.plans.as_ref().is_some_and(|plans| !plans.unit_costs);
        let ends = if costs { "the shortest plan takes" } else { "play ends in" };
        let plies = self.plies.map_or(String::new(), |plies| format!("; {ends} {}", number::plies_text(plies)));
        Some(format!("{value}{model}{plies}"))
    }

    fn counts(&self) -> String {
        let states = counted(&self.states, "reachable state");
        let terminal = grouped(&self.terminal_states);
        let mut text =
            format!("\n  {states}, {terminal} of them terminal, in {}\n", counted(self.layers.len(), "layer"));
        if let Some(OrbitsReport { orbits, symmetries: SymmetriesFound { order, complete, of_states } }) = &self.orbits
        {
            let mut tell = |orbits, order, complete, what: &str| {
                let keep = match grouped(order).as_str() {
                    "1" => "the rules show no symmetry but the identity that keeps".to_owned(),
                    order => format!("{order} symmetries keep"),
                };
                let others = if complete { "" } else { " (there may be more)" };
                let _ = writeln!(text, "  {}, as {keep} {what}{others}", counted(orbits, "orbit"));
            };
            tell(orbits, order, *complete, "the initial state");
            if let Some(all) = of_states.as_ref().filter(|all| all.order != *order) {
                tell(&all.orbits, &all.order, all.complete, "the set of reachable states");
            }
        }
        if self.layer_states != self.states {
            let _ = writeln!(
                text,
                "  {} states if each is counted in every layer that contains it, as below",
                grouped(&self.layer_states)
            );
        }
        text
    }

    /// The table of layers, without columns that are the same in every layer or repeat other lines of the report.
    fn layer_table(&self) -> String {
        let mut mixed = self.layers.iter().filter_map(|layer| layer.mixed.as_ref());
        let chance = mixed.any(|mixed| mixed.chance != 0u32.into());
        let wanted = |column: &str| match column {
            "joint" => !self.turn_taking,
            "chance" => chance,
            "dead ends" => false,
            _ => true,
        };
        let sheet = layers(&Facts::of_run(self), Some(REWARD_COLUMNS));
        sheet.map_or_else(String::new, |sheet| sheet.text(wanted).render(2))
    }

    /// The states by the rewards of both players or, in other games and unless the command lists them, by rewards.
    fn matrix(&self, buckets: &[Bucket]) -> String {
        match self.roles.as_slice() {
            [first, second] => {
                // If play never ends, no state has rewards.
                let Some(mut sheet) = matrix(&Facts::of_run(self)) else { return String::new() };
                sheet.columns[0].name.clear();
                let title = format!("States by rewards under best play: rows {first}, columns {second}");
                format!("\n  {title}\n\n{}", sheet.text(|_| true).render(2))
            }
            _ if self.command != Command::Classify => bucket_table(buckets),
            _ => String::new(),
        }
    }

    /// Says which parts the report leaves out for lack of space, and which command shows them.
    fn left_out(&self, buckets: &[Bucket]) -> String {
        let layers = self.command != Command::Classify && buckets.len() > REWARD_COLUMNS;
        let Some(text) = left_out_text(buckets.len(), layers, plies::has_too_many_values(buckets)) else {
            return String::new();
        };
        let place = match &self.stored {
            // Documents have columns for more values.
            Some(folder) if buckets.len() <= VALUE_COLUMNS => format!("ggsolve report {} --to md", quoted(folder)),
            Some(folder) => format!("ggsolve report {} --to csv -o TABLES/", quoted(folder)),
            None => "--format json".to_owned(),
        };
        format!("\n  {text}; `{place}` has them\n")
    }

    /// The number of ties; in a game of two players only if it was requested.
    fn ties(&self) -> String {
        match &self.ties {
            Some(ties) => format!("\n  {}\n", self.ties_text(ties)),
            None if self.buckets.is_some() && self.roles.len() > 2 => {
                "\n  States in which a tie decided between rewards of the others were not counted; --ties counts them\n"
                    .to_owned()
            }
            None => String::new(),
        }
    }

    /// The sentence on states in which a tie decides, without its full stop.
    pub(super) fn ties_text(&self, ties: &BigUint) -> String {
        let each = if *ties == BigUint::ZERO { "" } else { self.by_layer() };
        let same = match self.opponent_model {
            OpponentModel::MaxOwn => "reward",
            OpponentModel::MaxDiff => "lead and reward",
        };
        format!(
            "In {} a tie decides{each}: several best moves give the mover the same {same}, and the others different rewards",
            states(ties)
        )
    }

    /// The sentence on states whose value is no equilibrium, if there are any.
    pub(super) fn not_best_text(&self) -> Option<String> {
        let number = self.not_best.as_ref().filter(|number| **number != BigUint::ZERO)?;
        let states = states(number);
        Some(format!(
            "In {states} another move is worth more to the mover than the value that it settled for, which is no \
             equilibrium there{NO_EQUILIBRIUM}"
        ))
    }

    fn guarantees(&self) -> String {
        let mut text = String::new();
        for (role, own) in &self.guarantees {
            let against = if self.roles.len() > 1 { " against all others together" } else { "" };
            let table = match &own.exact {
                Some(exact) => share_table(std::slice::from_ref(role), &exact.shares),
                None => bucket_table(&own.buckets),
            };
            let _ = writeln!(text, "\n  {}{against}\n{}", own.force(role), table.trim_end());
            if let (Some(forced), Some(open)) = (&own.forced, &own.open) {
                // A role that looks at its lead may settle for less than it can force, and so may one that prefers
                // endless play to what others would get.
                let endless = self.buckets.iter().flatten().any(|bucket| bucket.rewards.is_none());
                let more = self.opponent_model == OpponentModel::MaxOwn && !endless;
                let other = if more { "more" } else { "something else" };
                let _ = writeln!(
                    text,
                    "\n  from {} {role} gets what it can force, from {} {other}, as each plays for itself{}",
                    states(forced),
                    states(open),
                    self.by_layer(),
                );
            }
        }
        if let Some(sentence) = self.unfinished_guarantees_text() {
            let _ = writeln!(text, "\n  {sentence}");
        }
        text
    }

    /// The sentence on guarantees that were begun and not finished, if there are any.
    pub(super) fn unfinished_guarantees_text(&self) -> Option<String> {
        let roles = self.unfinished_guarantees.join(", ");
        (!roles.is_empty()).then(|| {
            format!(
                "What a role can force is not solved to the end: {roles}; `solve --guarantee` with this folder goes on"
            )
        })
    }

    /// The dead ends, and the aim that a single player cannot reach.
    fn reach(&self) -> String {
        let mut text = self.dead_ends_text().map_or(String::new(), |dead_ends| format!("\n  {dead_ends}\n"));
        if let Some((sentence, listed)) = self.unreached_text() {
            let colon = if listed.is_empty() { "" } else { ":" };
            let _ = writeln!(text, "\n  {sentence}{colon}");
            listed.iter().for_each(|condition| text.push_str(&format!("    {condition}\n")));
        }
        text
    }

    fn cycle(&self) -> String {
        let Some(CycleRecord { path, state, moves }) = &self.cycle else { return String::new() };
        let reached = match path.as_slice() {
            [] => "it is the initial state".to_owned(),
            path => format!("reached by: {}", play_text(path)),
        };
        let state = if state.is_empty() { "(no fluent holds)".to_owned() } else { state.join(" ") };
        let moves = play_text(moves);
        format!("\n  A state that repeats: {state}\n    {reached}\n    comes back by: {moves}\n")
    }

    fn line(&self) -> String {
        let Some(line) = &self.line else { return String::new() };
        let moves = if line.len() == 1 { "move" } else { "moves" };
        let cheapest = self.plans.as_ref().is_some_and(|plans| !plans.unit_costs && plans.cost.is_some());
        let (what, known) = match (self.roles.len(), self.line_exact) {
            (1, _) if cheapest => ("A cheapest line of best play", ""),
            (1, _) => ("A shortest line of best play", ""),
            (_, true) => ("A line of best play", ""),
            (_, false) => ("A line that keeps the value", " (how soon play ends was not found out: --distances)"),
        };
        let round = match self.line_repeats {
            None => String::new(),
            Some(0) => "; then play is where it began".to_owned(),
            Some(before) => format!("; then play is where it was after move {before}"),
        };
        let mut text = format!("\n  {what}, {} {moves}{known}{round}\n\n", line.len());
        let name = |played: &PlayedMove| self.roles[played.role.index()].as_str();
        let width = line.iter().map(|played| name(played).chars().count()).max().unwrap_or(0);
        for (number, played) in line.iter().enumerate() {
            let _ = writeln!(text, "  {:>4}  {:width$}  {}", number + 1, name(played), played.action);
        }
        text
    }

    fn costs(&self) -> String {
        let mut text = format!("\n  algorithm {}: {}\n", self.algorithm.name(), self.algorithm_reason);
        let ranked = self.layers.iter().filter(|layer| layer.engine == Engine::Hybrid).count();
        if ranked > 0 {
            let layers = self.layers.len();
            let _ = writeln!(text, "  engine    hybrid: values by rank in {ranked} of {layers} layers");
        }
        let _ = writeln!(text, "  encoding  {}", number::encoding(self.encoding));
        text
    }
}

fn bucket_table(buckets: &[Bucket]) -> String {
    let mut table = Table::new(["rewards", "states", "share", "nodes"].map(String::from));
    let total = buckets.iter().map(|bucket| &bucket.states).sum();
    for Bucket { rewards, states, nodes, .. } in buckets {
        let nodes = nodes.map_or("-".to_owned(), grouped);
        table.row([value_text(rewards.as_deref()), grouped(states), share(states, &total), nodes]);
    }
    format!("\n{}", table.render(2))
}

pub(super) fn left_out_text(values: usize, layers: bool, plies: bool) -> Option<String> {
    Some(match (layers, plies) {
        (false, false) => return None,
        (true, false) => format!("The table of layers leaves out the {values} values"),
        (false, true) => format!("There is no table of the states by plies to the end for {values} values"),
        (true, true) => format!(
            "The table of layers leaves out the {values} values, and there is none of their states by plies to the end"
        ),
    })
}

/// How many states play can go on for ever from, if there are any.
pub(super) fn endless_text(buckets: &[Bucket]) -> Option<String> {
    let states = states(&buckets.iter().find(|bucket| bucket.rewards.is_none())?.states);
    Some(format!("play can go on for ever from {states}; that ranks just below an end that pays 0 to all"))
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
