//! The report of `verify`: the checks and the errors found.

use crate::session::VerifyReport;
use crate::verify::{Claim, How};
use base::digits::grouped;
use solving::words::number::bytes;
use solving::words::table::Table;
use std::fmt;

impl fmt::Display for VerifyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VerifyReport { game, ok, complete, no_value, files, bytes: size, rules, findings, .. } = self;
        match findings.len() {
            0 => writeln!(f, "{game}: everything that was checked is right")?,
            1 => writeln!(f, "{game}: 1 finding")?,
            count => writeln!(f, "{game}: {count} findings")?,
        }
        if *ok {
            writeln!(f, "\n  {files} files, {} in total, have the right checksums", bytes(*size))?;
        }
        match rules {
            Some(rules) => writeln!(f, "  against the rules in {rules}")?,
            None => f.write_str("  against the rules in the folder; --rules FILE takes others\n")?,
        }
        if let Some(reason) = no_value {
            writeln!(f, "  there are no values: {reason}")?;
        }
        if !complete {
            f.write_str("  the solution is unfinished; what is there was checked\n")?;
        }
        self.layers(f)?;
        if *ok {
            self.claims(f)?;
            self.guarantees(f)?;
        } else {
            writeln!(f)?;
        }
        for finding in findings {
            writeln!(f, "  {}: {}", finding.place, finding.message)?;
        }
        Ok(())
    }
}

impl VerifyReport {
    fn layers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VerifyReport { layers, seed, no_value, .. } = self;
        if layers.is_empty() {
            return Ok(());
        }
        let mut table = Table::new(["layer", "states", "checked", ""].map(str::to_owned));
        for layer in layers {
            let states = if layer.exhaustive { "all" } else { "at random" };
            let values = if layer.values || no_value.is_some() { "" } else { ", no values yet" };
            let checked = grouped(layer.checked);
            table.row([layer.layer.to_string(), grouped(&layer.states), checked, format!("{states}{values}")]);
        }
        write!(f, "\n{}", table.render_left(2, &[3]))?;
        if layers.iter().any(|layer| !layer.exhaustive) {
            writeln!(
                f,
                "\n  random states were drawn with seed {seed}; --seed {seed} draws the same ones, --full checks all states"
            )?;
        }
        Ok(())
    }

    fn claims(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for how in [How::Proved, How::Sampled, How::Open] {
            let mut of_this =
                self.claims.iter().filter(|(_, shown)| *shown == how).map(|(claim, _)| claim.text()).peekable();
            if of_this.peek().is_some() {
                writeln!(f, "\n  {}", heading(how))?;
                for claim in of_this {
                    writeln!(f, "    {claim}")?;
                }
            }
        }
        Ok(())
    }

    fn guarantees(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (role, shown) in &self.guarantees {
            let (forced, others): (Vec<_>, Vec<_>) = shown.iter().partition(|(claim, _)| *claim == Claim::Forced);
            let values = [Claim::Values, Claim::ExactValues, Claim::Rounds];
            if !others.iter().any(|(claim, _)| values.contains(claim)) {
                writeln!(f, "\n  what {role} can force against all others is not solved yet; its states were checked")?;
                continue;
            }
            let all = others.iter().all(|(_, how)| *how == How::Proved);
            let how = if all { "for all states" } else { "on random states of the larger layers, too" };
            writeln!(f, "\n  what {role} can force against all others was checked in the same way, {how}")?;
            for (_, how) in forced {
                let text = "in how many states that is what it gets under best play of all";
                match how {
                    How::Proved => writeln!(f, "  {text} was counted again")?,
                    How::Sampled | How::Open => writeln!(f, "  {text} is left open")?,
                }
            }
        }
        Ok(())
    }
}

fn heading(how: How) -> &'static str {
    match how {
        How::Proved => "proved, for all states:",
        How::Sampled => "sampled, on random states of the larger layers:",
        How::Open => "left open:",
    }
}
