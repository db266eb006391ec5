//! The report of `plan` for a game in which states repeat.

use super::plan::first_limit;
use crate::session::{CyclicPlanReport, TiersReport};
use base::digits::{counted, grouped};
use solving::solve::tiers::Term;
use solving::words::number::{bytes, seconds};
use std::fmt;

const PARTS: usize = 3;

impl fmt::Display for CyclicPlanReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (threads, memory) = (counted(self.threads as u64, "thread"), bytes(self.memory_limit_bytes));
        writeln!(f, "{}: all states at once, with {threads} and {memory} of memory\n", self.game)?;
        writeln!(f, "  algorithm      {}: {}", self.algorithm, self.algorithm_reason)?;
        let distances = counted(self.distances as u64, "distance");
        match &self.incomplete_because {
            None => writeln!(f, "  states         {}, in {distances} from the initial state", grouped(&self.states))?,
            Some(reason) => {
                let expected = if Some(&self.states) == self.states_at_most.as_ref() { "at most" } else { "about" };
                writeln!(f, "  states         {expected} {}", grouped(&self.states))?;
                writeln!(
                    f,
                    "  found          {}, in {distances} from the initial state: {reason}",
                    grouped(&self.states_found)
                )?;
            }
        }
        if let Some(most) = &self.states_at_most {
            writeln!(f, "  at most        {}, by groups of fluents and sums that no move changes", grouped(most))?;
        }
        match &self.tiers {
            Some(tiers) => write!(f, "{tiers}")?,
            None => writeln!(f, "  tiers          not looked for")?,
        }
        let by = match self.by {
            "states" => "one by one",
            "ranks" => "by rank",
            _ => "as diagrams",
        };
        writeln!(f, "  settled        {by}")?;
        writeln!(f, "  on disk        {}", bytes(self.bytes))?;
        let each = match self.bytes_a_state {
            small if small < 1024.0 => format!("{small:.1} bytes"),
            large => bytes(large as u64),
        };
        writeln!(f, "  memory         {}, {each} a state", bytes(self.peak_memory_bytes))?;
        let times = &self.processor_s;
        let [forward, preparing, rounds, after, total] =
            [times.forward, times.preparing, times.rounds, times.after, times.total].map(|time| seconds(time.as_f64()));
        writeln!(f, "  time           {}", seconds(self.time_s.as_f64()))?;
        writeln!(
            f,
            "  processors     {total} in all: {forward} to the end of the forward pass, {preparing} to prepare, {rounds} for \
             rounds, {after} after them"
        )?;
        writeln!(f, "  first limit    {}", first_limit(self.limit.as_ref()))?;
        let rounds = counted(u64::from(self.measured_rounds), "round");
        let which = if self.measured_all { "all" } else { "the first" };
        let measured = match self.measured_rounds {
            0 => "no rounds".to_owned(),
            _ => format!("{which} {rounds}, which settled {} states", grouped(self.measured_settled)),
        };
        writeln!(f, "\n  Measured in {}: {measured}", seconds(self.planning_s.as_f64()))?;
        self.assumptions.iter().try_for_each(|what| writeln!(f, "  Assumed, as it could not be measured: {what}"))
    }
}

impl fmt::Display for TiersReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.measure.is_empty() {
            return writeln!(
                f,
                "  tiers          none: no sum of weights of fluents is raised by moves and lowered by none"
            );
        }
        match (self.tiers, &self.largest) {
            (Some(1), _) if self.exact => {
                return writeln!(
                    f,
                    "  tiers          one: only states that are not reached raise a sum that no move lowers"
                );
            }
            (Some(tiers), Some(largest)) => {
                let most = if self.exact { "" } else { " at most" };
                let (tiers, largest) = (grouped(tiers as u64), grouped(largest));
                writeln!(f, "  tiers          {tiers}{most}, the largest with {largest} states; no engine uses them")?;
            }
            _ => writeln!(f, "  tiers          too many to count")?,
        }
        writeln!(f, "    no move lowers {}", sum(&self.measure))?;
        for part in self.parts.iter().take(PARTS) {
            writeln!(f, "    then no other move changes {}", sum(part))?;
        }
        match self.parts.len().saturating_sub(PARTS) {
            0 => Ok(()),
            more => writeln!(f, "    and {more} more"),
        }
    }
}

fn sum(terms: &[Term]) -> String {
    let mut text = String::new();
    for (index, Term { weight, fluents, by_number }) in terms.iter().enumerate() {
        let sign = match (index, *weight < 0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        let number = match (weight.unsigned_abs(), *by_number) {
            (1, false) => String::new(),
            (1, true) => "n ".to_owned(),
            (amount, false) => format!("{amount} "),
            (amount, true) => format!("{amount}n "),
        };
        text += &format!("{sign}{number}{fluents}");
    }
    text
}
