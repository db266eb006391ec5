//! The report of `ground`: the propositional form of a game.

use crate::session::{GroundReport, GroundStatistics, Restricted, RestrictedRelation, RuleCost, RulePlace};
use base::digits::grouped;
use solving::words::number::seconds;
use std::collections::HashSet;
use std::fmt;
use std::path::Path;

impl fmt::Display for GroundReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.game)?;
        for (name, number) in [
            ("roles", self.roles.len()),
            ("fluents", self.fluents.len()),
            ("groups", self.groups.len()),
            ("bits", self.bits as usize),
            ("moves", self.moves.values().map(Vec::len).sum()),
            ("derived atoms", self.derived.len()),
            ("gates", self.gates),
            ("ground atoms", self.atoms),
            ("ground rules", self.rules),
        ] {
            writeln!(f, "  {name:<14}{:>10}", grouped(number))?;
        }
        f.write_str("\nGroups (= exactly one, ≤ at most one; * holds initially)\n")?;
        let init: HashSet<&String> = self.init.iter().collect();
        for (group, &exactly_one) in self.groups.iter().zip(&self.exactly_one) {
            write!(f, "  {}", if exactly_one { "=" } else { "≤" })?;
            for fluent in group {
                write!(f, " {fluent}{}", if init.contains(fluent) { "*" } else { "" })?;
            }
            writeln!(f)?;
        }
        if !self.constant.is_empty() {
            writeln!(f, "\nFluents that hold in every state ({})\n  {}", self.constant.len(), self.constant.join(" "))?;
        }
        for (role, moves) in &self.moves {
            writeln!(f, "\nMoves of {role} ({})\n  {}", moves.len(), moves.join(" "))?;
        }
        writeln!(f, "\nDerived predicates ({})", self.derived_predicates.len())?;
        for ((name, arity), count) in &self.derived_predicates {
            writeln!(f, "  {name}/{arity}: {count} {}", if *count == 1 { "atom" } else { "atoms" })?;
        }
        write!(f, "\n{}", self.symmetries)?;
        let listed =
            |(name, time): (&&str, &solving::store::runs::Seconds)| format!("{name} {}", seconds(time.as_f64()));
        let stages: Vec<String> = self.time_s.stages.iter().map(listed).collect();
        let passes: Vec<String> = self.time_s.ground_passes.iter().map(listed).collect();
        writeln!(f, "\nTime: {}\nPasses of grounding: {}", stages.join(", "), passes.join(", "))?;
        self.stats.as_ref().map_or(Ok(()), |stats| write!(f, "\n{stats}"))
    }
}

/// Largest number of rules in the text; JSON has all.
const SHOWN: usize = 20;

impl fmt::Display for GroundStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.rules.len();
        let shown = if number > SHOWN {
            format!("the {SHOWN} dearest of {number}, JSON lists all")
        } else {
            number.to_string()
        };
        writeln!(f, "Cost of rules ({shown})\n  {:>14}{:>14}  rule", "instances", "join steps")?;
        for RuleCost { rule, made, steps, .. } in self.rules.iter().take(SHOWN) {
            let (made, steps) = (grouped(*made as usize), grouped(*steps as usize));
            writeln!(f, "  {made:>14}{steps:>14}  {}", self.place(rule))?;
        }
        match self.restarts {
            0 => {}
            1 => f.write_str("Evaluation began again once: a rule took more join steps than it was granted.\n")?,
            times => {
                writeln!(f, "Evaluation began again {times} times: rules took more join steps than they were granted.")?
            }
        }
        if !self.restricted.is_empty() {
            f.write_str("\nRelations of which only that was made which rules ask for (! bound where asked, _ free)\n")?;
            writeln!(f, "  {:>14}{:>14}  relation", "demanded", "made")?;
        }
        for RestrictedRelation { what, bound, demanded, made } in &self.restricted {
            let marks: String = bound.iter().map(|&bound| if bound { " !" } else { " _" }).collect();
            let name = match what {
                Restricted::Relation(relation) => format!("({relation}{marks})"),
                Restricted::PartOf(rule) => format!("conditions of {}", self.place(rule)),
            };
            writeln!(f, "  {:>14}{:>14}  {name}", grouped(*demanded), grouped(*made))?;
        }
        if !self.folded.is_empty() {
            writeln!(f, "\nRelations that became diagrams, through which rules go: {}", self.folded.join(", "))?;
        }
        let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
        let passes: Vec<String> =
            self.pass_bytes.iter().map(|(name, &bytes)| format!("{name} {}", megabytes(bytes))).collect();
        let peaks = self.peak_bytes.iter().filter_map(|(name, &bytes)| Some(format!("{name} {}", megabytes(bytes?))));
        let peaks: Vec<String> = peaks.collect();
        writeln!(f, "\nMemory after each pass: {}\nPeak of the process: {}", passes.join(", "), peaks.join(", "))
    }
}

impl GroundStatistics {
    /// The line of a rule, with the file if there are two.
    fn place(&self, rule: &RulePlace) -> String {
        let RulePlace { head, file, line, .. } = rule;
        match (file, line) {
            (Some(file), Some(line)) if self.two_files => {
                let name = Path::new(file).file_name().map_or(file.into(), |name| name.to_string_lossy());
                format!("{name}:{line}: {head}")
            }
            (_, Some(line)) => format!("line {line}: {head}"),
            _ => format!("{head}, which no line says"),
        }
    }
}
