//! The report of `review`: the moves of a match, and where the result was given away.

use super::table::Table;
use super::value::{model_text, outcome_text, value_text};
use crate::review::{Loss, Review, Reviewed};
use std::fmt;

/// Best moves listed beside a move that was none of them.
const SHOWN: usize = 3;

/// Several lines, the last one ended.
impl fmt::Display for Review {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Review { game, roles, opponent_model, finished, value, moves, mistakes } = self;
        write!(f, "{game}{}\n\n", model_text(roles, *opponent_model))?;
        let mut table = Table::new(["ply", "role", "move", "before", "after", ""].map(str::to_owned));
        for reviewed in moves {
            table.row([
                reviewed.ply.to_string(),
                reviewed.role.clone(),
                reviewed.action.clone(),
                value_text(reviewed.before.as_deref()),
                value_text(reviewed.after.as_deref()),
                remark(reviewed),
            ]);
        }
        if !moves.is_empty() {
            writeln!(f, "{}", table.render_left(2, &[1, 2, 5]))?;
        }
        let plies: Vec<String> = mistakes.iter().map(u32::to_string).collect();
        match plies.as_slice() {
            _ if moves.is_empty() => writeln!(f, "  the match has no moves")?,
            [] if moves.iter().any(|reviewed| !reviewed.optimal) => writeln!(f, "  no move gave anything away")?,
            [] => writeln!(f, "  every move was best")?,
            [ply] => writeln!(f, "  every move was best but that of ply {ply}")?,
            _ => writeln!(f, "  every move was best but those of plies {}", plies.join(", "))?,
        }
        let end = if *finished { "the result" } else { "the match stops where best play leads to" };
        writeln!(f, "  {end}: {}", outcome_text(roles, value.as_deref()))
    }
}

fn remark(reviewed: &Reviewed) -> String {
    let what = match reviewed.loss {
        Some(Loss::Win) => "gives the win away",
        Some(Loss::Draw) => "gives the draw away",
        Some(Loss::Endless) => "gives endless play away",
        Some(Loss::Rewards) => "gives rewards away",
        None if reviewed.forced => return "no choice".to_owned(),
        None if reviewed.optimal => return String::new(),
        None => "no step towards the end",
    };
    let shown = &reviewed.best[..reviewed.best.len().min(SHOWN)];
    let more = if shown.len() < reviewed.best.len() { " ..." } else { "" };
    format!("{what}; best: {}{more}", shown.join(" "))
}
