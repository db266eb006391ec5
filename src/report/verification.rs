//! The report of `verify`: what was checked, and what is wrong.

use super::number::{bytes, grouped, json_integer};
use super::table::Table;
use crate::verify::{How, Options, Verification};
use num_bigint::BigUint;
use serde_json::{Value, json};
use std::fmt::Write;

/// A finished verification and how much was asked for.
#[derive(Debug, Clone, Copy)]
pub struct VerifyReport<'a> {
    pub verification: &'a Verification,
    pub options: &'a Options,
    /// The file of rules that it was checked against, if not that in the folder.
    pub rules: Option<&'a str>,
}

impl VerifyReport<'_> {
    /// One object, keys in a fixed order.
    pub fn json(&self) -> Value {
        let Verification { game, complete, files, bytes, layers, claims, findings } = self.verification;
        let layers = layers.iter().map(|layer| {
            json!({
                "layer": layer.layer,
                "states": json_integer(&layer.states),
                "checked": layer.checked,
                "exhaustive": layer.exhaustive,
                "values": layer.values,
            })
        });
        let findings_json = findings.iter().map(|finding| json!({"where": finding.place, "message": finding.message}));
        json!({
            "game": game,
            "ok": findings.is_empty(),
            "complete": complete,
            "files": files,
            "bytes": bytes,
            "full": self.options.full,
            "exhaustive_states": self.options.exhaustive,
            "random_states": self.options.samples,
            "random_states_by_value": self.options.samples_by_value,
            "seed": self.options.seed,
            "rules": self.rules,
            "claims": claims.iter().map(|(claim, how)| (claim.name().to_owned(), json!(how.name()))).collect::<serde_json::Map<_, _>>(),
            "layers": layers.collect::<Value>(),
            "findings": findings_json.collect::<Value>(),
        })
    }

    /// Several lines, the last one ended.
    pub fn text(&self) -> String {
        let Verification { game, complete, files, bytes: size, layers, claims, findings } = self.verification;
        let mut text = match findings.len() {
            0 => format!("{game}: everything that was checked is right\n"),
            1 => format!("{game}: 1 finding\n"),
            count => format!("{game}: {count} findings\n"),
        };
        if findings.is_empty() {
            let _ = writeln!(text, "\n  {files} files of {} in all are as they were written", bytes(*size));
        }
        match self.rules {
            Some(rules) => {
                let _ = writeln!(text, "  against the rules in {rules}");
            }
            None => text.push_str("  against the rules in the folder; --rules FILE takes yours\n"),
        }
        if !complete {
            text.push_str("  the solution is unfinished; what is there was checked\n");
        }
        if !layers.is_empty() {
            let mut table = Table::new(["layer", "states", "checked", ""].map(str::to_owned));
            for layer in layers {
                let states = if layer.exhaustive { "all" } else { "at random" };
                let values = if layer.values { "" } else { ", no values yet" };
                let checked = grouped(&BigUint::from(layer.checked));
                table.row([layer.layer.to_string(), grouped(&layer.states), checked, format!("{states}{values}")]);
            }
            let _ = write!(text, "\n{}", table.render_left(2, &[3]));
            if layers.iter().any(|layer| !layer.exhaustive) {
                let _ = writeln!(
                    text,
                    "\n  random states are those of seed {}; --seed {} draws them again, --full looks at all",
                    self.options.seed, self.options.seed
                );
            }
        }
        for how in [How::Proved, How::Sampled, How::Open].into_iter().filter(|_| findings.is_empty()) {
            let mut of_this =
                claims.iter().filter(|(_, shown)| *shown == how).map(|(claim, _)| claim.text()).peekable();
            if of_this.peek().is_some() {
                let _ = writeln!(text, "\n  {}", heading(how));
                of_this.for_each(|claim| {
                    let _ = writeln!(text, "    {claim}");
                });
            }
        }
        if !findings.is_empty() {
            text.push('\n');
        }
        for finding in findings {
            let _ = writeln!(text, "  {}: {}", finding.place, finding.message);
        }
        text
    }
}

fn heading(how: How) -> &'static str {
    match how {
        How::Proved => "proved, for all states:",
        How::Sampled => "sampled, on random states of the larger layers:",
        How::Open => "left open:",
    }
}
