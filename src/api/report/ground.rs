//! The report of `ground`: the propositional form of a game.

use crate::session::{GroundReport, GroundStatistics, RestrictedRelation, RuleCost};
use base::digits::grouped;
use solving::words::number::seconds;
use std::collections::HashSet;
use std::fmt;

/// Several lines, the last one ended.
impl fmt::Display for GroundReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.game)?;
        for (name, number) in [
            ("roles", self.roles.len()),
            ("fluents", self.fluents.len()),
            ("mutex groups", self.groups.iter().filter(|group| group.len() > 1).count()),
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

/// Rules shown in the text; the JSON has all.
const SHOWN: usize = 20;

/// Several lines, the last one ended.
impl fmt::Display for GroundStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Dearest rules (evaluations given up: {})", self.attempts)?;
        writeln!(f, "  {:>14}{:>14}  line  rule", "instances", "join steps")?;
        for RuleCost { head, line, instances, steps, .. } in self.rules.iter().take(SHOWN) {
            writeln!(f, "  {:>14}{:>14}{line:>6}  {head}", grouped(*instances as usize), grouped(*steps as usize))?;
        }
        if !self.restricted.is_empty() {
            f.write_str("\nRelations made for what is asked (! bound by the demand)\n")?;
            writeln!(f, "  {:>14}{:>14}  relation", "demanded", "made")?;
        }
        for RestrictedRelation { relation, bound, demanded, made } in &self.restricted {
            let marks: String = bound.iter().map(|&bound| if bound { " !" } else { " _" }).collect();
            writeln!(f, "  {:>14}{:>14}  ({relation}{marks})", grouped(*demanded), grouped(*made))?;
        }
        let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
        let passes: Vec<String> =
            self.pass_bytes.iter().map(|(name, &bytes)| format!("{name} {}", megabytes(bytes))).collect();
        let peaks = self.peak_bytes.iter().filter_map(|(name, &bytes)| Some(format!("{name} {}", megabytes(bytes?))));
        let peaks: Vec<String> = peaks.collect();
        writeln!(f, "\nMemory after each pass: {}\nPeak of the process: {}", passes.join(", "), peaks.join(", "))
    }
}
