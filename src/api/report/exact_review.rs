//! The report of `review` for a game with chance or simultaneous choices.

use crate::review::{Amount, Chosen, ExactReview, ExactReviewed};
use game::matrix::Rational;
use indexmap::IndexMap;
use num_traits::Zero;
use solving::exact::text;
use solving::words::exact::{answer_text, exact_line_text, exact_model_text, exact_text, shortest_numbers};
use solving::words::table::Table;
use std::fmt;

/// Largest number of moves of a mixed strategy that are listed beside a move outside of it.
const SHOWN: usize = 3;

impl fmt::Display for ExactReview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ExactReview { game, roles, opponent_model, finished, value, moves, mistakes, lost, luck, .. } = self;
        write!(f, "{game}{}\n\n", exact_model_text(roles, *opponent_model))?;
        let mut table = Table::new(["ply", "role", "move", "before", "after", ""].map(str::to_owned));
        for reviewed in moves {
            table.row([
                reviewed.ply.to_string(),
                reviewed.role.clone().unwrap_or_default(),
                reviewed.action.clone(),
                shortest_numbers(&reviewed.before),
                shortest_numbers(&reviewed.after),
                remark(roles, reviewed),
            ]);
        }
        if !moves.is_empty() {
            writeln!(f, "{}", table.render_left(2, &[1, 2, 5]))?;
        }
        let plies: Vec<String> = mistakes.iter().map(u32::to_string).collect();
        match plies.as_slice() {
            _ if moves.is_empty() => writeln!(f, "  the match has no moves")?,
            [] => writeln!(f, "  no move lost anything on average")?,
            [ply] => writeln!(f, "  on average something was lost by a move of ply {ply}: {}", amounts(lost))?,
            plies => writeln!(
                f,
                "  on average something was lost by moves of plies {}: {}",
                plies.join(", "),
                amounts(lost)
            )?,
        }
        for reviewed in moves {
            for (role, chosen) in &reviewed.choices {
                let Some(reason) = &chosen.reason else { continue };
                let answer = reason.answer.as_ref().map_or_else(String::new, |answer| {
                    format!("; {} answers best by {}", answer.role, answer_text(reason))
                });
                let follows = exact_line_text(&reason.follows);
                writeln!(f, "  after ply {}, {} of {role}: {follows}{answer}", reviewed.ply, chosen.action)?;
            }
        }
        if luck.values().any(|given| !given.amount.is_zero()) {
            writeln!(f, "  chance gave {}", amounts(luck))?;
        }
        let end = if *finished { "the result" } else { "the match stops at" };
        writeln!(f, "  {end}: {}", exact_text(roles, value))
    }
}

fn amounts(amounts: &IndexMap<String, Amount>) -> String {
    let each = amounts.iter().filter(|(_, amount)| !amount.amount.is_zero());
    each.map(|(role, amount)| format!("{} for {role}", text(&amount.amount))).collect::<Vec<_>>().join(", ")
}

fn remark(roles: &[String], reviewed: &ExactReviewed) -> String {
    if reviewed.forced {
        return "no choice".to_owned();
    }
    let lost = |(role, chosen): (&String, &Chosen)| {
        let shown: Vec<&str> = chosen.best.iter().take(SHOWN).map(|mixed| mixed.action.as_str()).collect();
        let more = if shown.len() < chosen.best.len() { " ..." } else { "" };
        let loss = (!chosen.loss.is_zero()).then(|| text(&chosen.loss))?;
        Some(format!("{role} loses {loss}; best: {}{more}", shown.join(" ")))
    };
    let luck = reviewed.luck.iter().flat_map(|luck| roles.iter().zip(luck.numbers()));
    let luck = luck
        .filter(|(_, given)| **given > Rational::zero())
        .map(|(role, given)| format!("chance gives {role} {}", text(given)));
    reviewed.choices.iter().filter_map(lost).chain(luck).collect::<Vec<_>>().join("; ")
}
