//! The report of `verify`: what was checked, and what is wrong.

use super::number::{bytes, grouped, json_integer};
use super::table::Table;
use crate::verify::{Options, Verification};
use num_bigint::BigUint;
use serde_json::{Value, json};
use std::fmt::Write;

/// A finished verification and how much was asked for.
#[derive(Debug, Clone, Copy)]
pub struct VerifyReport<'a> {
    pub verification: &'a Verification,
    pub options: &'a Options,
}

impl VerifyReport<'_> {
    /// One object, keys in a fixed order.
    pub fn json(&self) -> Value {
        let Verification { game, complete, files, bytes, layers, findings } = self.verification;
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
            "exhaustive_states": self.options.exhaustive,
            "random_states": self.options.samples,
            "seed": self.options.seed,
            "layers": layers.collect::<Value>(),
            "findings": findings_json.collect::<Value>(),
        })
    }

    /// Several lines, the last one ended.
    pub fn text(&self) -> String {
        let Verification { game, complete, files, bytes: size, layers, findings } = self.verification;
        let mut text = match findings.len() {
            0 => format!("{game}: everything that was checked is right\n"),
            1 => format!("{game}: 1 finding\n"),
            count => format!("{game}: {count} findings\n"),
        };
        if findings.is_empty() {
            let _ = writeln!(text, "\n  {files} files of {} in all are as they were written", bytes(*size));
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
            text.push_str("\n  on these states: whose turn it is, values, successors, and that choices alternate where it is said\n");
            if layers.iter().any(|layer| !layer.exhaustive) {
                let _ = writeln!(text, "\n  random states are those of seed {}", self.options.seed);
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
