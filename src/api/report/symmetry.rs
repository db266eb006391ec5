//! The part of `ground` on symmetries.

use crate::session::{Generator, SymmetryGroup, SymmetryReport};
use base::digits::grouped;
use std::fmt;

/// Largest number of cycles, and of elements of a cycle, in the text; JSON has all of them.
const SHOWN: usize = 4;
const LONGEST: usize = 40;

impl fmt::Display for SymmetryReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Symmetries that keep the initial state: {}", self.of_game)?;
        if self.of_rules == self.of_game {
            return writeln!(f, "Symmetries of the rules: no others");
        }
        write!(f, "Symmetries of the rules, in whatever state play begins: {}", self.of_rules)
    }
}

/// The end of a line, and a line for each part of a generator.
impl fmt::Display for SymmetryGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.order.to_string().len();
        match digits {
            0..=LONGEST => f.write_str(&grouped(&self.order))?,
            _ => write!(f, "a number of {digits} digits")?,
        }
        f.write_str(match self.complete {
            true => "\n",
            false => " found; there may be more, the search for them was given up\n",
        })?;
        self.generators.iter().zip(1..).try_for_each(|(generator, number)| write!(f, "  {number}. {generator}"))
    }
}

impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("roles", &self.roles), ("fluents", &self.fluents), ("moves", &self.moves)];
        let moved = parts.into_iter().filter(|(_, cycles)| !cycles.is_empty());
        for (index, (name, cycles)) in moved.enumerate() {
            let shown: Vec<String> = cycles.iter().take(SHOWN).map(|cycle| displayed(cycle)).collect();
            let more = cycles.len() - shown.len();
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            writeln!(f, "{}{name} {}{more}", if index > 0 { "     " } else { "" }, shown.join(", "))?;
        }
        Ok(())
    }
}

/// A cycle as text. Each element is mapped to the next one, the last element to the first.
fn displayed(cycle: &[String]) -> String {
    match cycle {
        [one, other] => format!("{one} ↔ {other}"),
        _ if cycle.len() > SHOWN => format!("{} → … ({} in all)", cycle[..SHOWN].join(" → "), cycle.len()),
        _ => format!("{} →", cycle.join(" → ")),
    }
}
