//! The text report of `solve`, `classify` and `count`.

use super::matrix::matrix;
use super::number::{grouped, share};
use super::table::Table;
use super::value::{model_text, outcome_text, value_text};
use super::{Command, RunReport};
use crate::solve::{Bucket, Engine, PlayedMove, Solution};
use crate::store::manifest::CycleRecord;
use std::collections::BTreeSet;
use std::fmt::Write;

/// With more reward vectors than this the table of layers leaves them out.
const REWARD_COLUMNS: usize = 6;

impl RunReport<'_> {
    /// Several lines, the last one ended.
    pub fn text(&self) -> String {
        let mut text = self.headline();
        text.push_str(&self.counts());
        if let (Some(solution), Command::Classify) = (&self.outcome.solution, self.command) {
            text.push_str(&self.buckets(solution));
        }
        if self.command != Command::Classify {
            let _ = write!(text, "\n{}", self.layers().render(2));
        }
        if let Some(solution) = &self.outcome.solution {
            text.push_str(&self.matrix(solution));
            text.push_str(&self.endless(solution));
            text.push_str(&self.line(solution));
        }
        text.push_str(&self.cycle());
        text.push_str(&self.costs());
        text.push_str(&self.effort());
        text.push_str(&self.next());
        text
    }

    /// The game and the value of its initial state in words.
    fn headline(&self) -> String {
        let Some(solution) = &self.outcome.solution else { return format!("{}\n", self.game) };
        let value = outcome_text(&self.roles, solution.value.as_deref());
        let model = model_text(&self.roles, self.outcome.opponent_model);
        format!("{}: {value}{model}\n", self.game)
    }

    fn counts(&self) -> String {
        let outcome = self.outcome;
        let layers = outcome.layers.len();
        let mut text = format!(
            "\n  {} reachable states, {} of them terminal, in {layers} {}\n",
            grouped(&outcome.states),
            grouped(&outcome.terminal_states),
            if layers == 1 { "layer" } else { "layers" },
        );
        if outcome.layer_states != outcome.states {
            let _ = writeln!(
                text,
                "  {} states when each counts in every layer it lies in",
                grouped(&outcome.layer_states)
            );
        }
        text
    }

    fn layers(&self) -> Table {
        let solution = self.outcome.solution.as_ref();
        let rewards: Vec<&Option<Vec<u8>>> = solution
            .map(|solution| solution.buckets.iter().map(|bucket| &bucket.rewards).collect())
            .filter(|rewards: &Vec<_>| rewards.len() <= REWARD_COLUMNS)
            .unwrap_or_default();
        let ends = self.end_rewards();
        let header = ["layer", "states", "terminal"].map(String::from).into_iter();
        let header = header.chain(ends.iter().map(|rewards| format!("end {}", value_text(rewards.as_deref()))));
        let header = header.chain(["nodes".to_owned()]);
        let mut table = Table::new(header.chain(rewards.iter().map(|rewards| value_text(rewards.as_deref()))));
        for (index, layer) in self.outcome.layers.iter().enumerate() {
            let of = |buckets: &[Bucket], rewards: &Option<Vec<u8>>| {
                let bucket = buckets.iter().find(|bucket| bucket.rewards == *rewards);
                bucket.map_or(".".to_owned(), |bucket| grouped(&bucket.states))
            };
            let counts = [index.to_string(), grouped(&layer.states), grouped(&layer.terminal)].into_iter();
            let layer_ends = layer.ends.as_deref().unwrap_or_default();
            let counts = counts.chain(ends.iter().map(|rewards| of(layer_ends, rewards)));
            let counts = counts.chain([grouped(&layer.nodes.into())]);
            table.row(counts.chain(rewards.iter().map(|rewards| of(&layer.buckets, rewards))));
        }
        table
    }

    /// The rewards of terminal states, where they are known and tell more than how many there are.
    fn end_rewards(&self) -> BTreeSet<Option<Vec<u8>>> {
        let ends = self.outcome.layers.iter().flat_map(|layer| layer.ends.iter().flatten());
        let rewards: BTreeSet<_> = ends.map(|bucket| bucket.rewards.clone()).collect();
        if (2..=REWARD_COLUMNS).contains(&rewards.len()) { rewards } else { BTreeSet::new() }
    }

    fn buckets(&self, solution: &Solution) -> String {
        let mut table = Table::new(["rewards", "states", "share", "nodes"].map(String::from));
        let total = solution.buckets.iter().map(|bucket| &bucket.states).sum();
        for Bucket { rewards, states, nodes } in &solution.buckets {
            let nodes = nodes.map_or("-".to_owned(), |nodes| grouped(&nodes.into()));
            table.row([value_text(rewards.as_deref()), grouped(states), share(states, &total), nodes]);
        }
        format!("\n{}", table.render(2))
    }

    /// For two players, the reward matrix; for one without a table of buckets, the rewards and their states.
    fn matrix(&self, solution: &Solution) -> String {
        match self.roles.as_slice() {
            [first, second] => format!(
                "\n  States by rewards under best play: rows {first}, columns {second}\n\n{}",
                matrix(&solution.buckets).render(2)
            ),
            _ if self.command != Command::Classify => self.buckets(solution),
            _ => String::new(),
        }
    }

    /// What the bucket without rewards means, where there is one.
    fn endless(&self, solution: &Solution) -> String {
        match solution.buckets.iter().find(|bucket| bucket.rewards.is_none()) {
            None => String::new(),
            Some(bucket) => format!(
                "\n  endless: play can be kept up for ever from {} {}; that pays nobody and ranks just below 0 for all\n",
                grouped(&bucket.states),
                if bucket.states == 1u32.into() { "state" } else { "states" },
            ),
        }
    }

    /// How a state repeats, where one does.
    fn cycle(&self) -> String {
        let Some(CycleRecord { path, state, moves }) = &self.outcome.cycle else { return String::new() };
        let reached = match path.as_slice() {
            [] => "it is the initial state".to_owned(),
            path => format!("reached by: {}", path.join(", ")),
        };
        let (state, moves) = (state.join(" "), moves.join(", "));
        format!("\n  A state that repeats: {state}\n    {reached}\n    comes back by: {moves}\n")
    }

    /// The line of best play, a move a row.
    fn line(&self, solution: &Solution) -> String {
        let Some(line) = &solution.line else { return String::new() };
        let moves = if line.len() == 1 { "move" } else { "moves" };
        let shortest = if self.roles.len() == 1 { "A shortest line" } else { "A line" };
        let mut text = format!("\n  {shortest} of best play, {} {moves}\n\n", line.len());
        let name = |played: &PlayedMove| self.roles[played.role.index()].as_str();
        let width = line.iter().map(|played| name(played).chars().count()).max().unwrap_or(0);
        for (number, played) in line.iter().enumerate() {
            let _ = writeln!(text, "  {:>4}  {:width$}  {}", number + 1, name(played), played.action);
        }
        text
    }

    fn costs(&self) -> String {
        let size = &self.outcome.encoding;
        let mut text = format!("\n  algorithm {}: {}\n", self.outcome.algorithm.name(), self.outcome.algorithm_reason);
        let ranked = self.outcome.layers.iter().filter(|layer| layer.engine == Engine::Hybrid).count();
        if ranked > 0 {
            let layers = self.outcome.layers.len();
            let _ = writeln!(text, "  engine    hybrid: values by rank in {ranked} of {layers} layers");
        }
        let _ = writeln!(
            text,
            "  encoding  {} fluents in {} groups, {} bits; {} moves",
            size.fluents, size.groups, size.bits, size.moves
        );
        text
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
