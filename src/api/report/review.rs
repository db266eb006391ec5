//! The report of `review`: the moves of a match, and where the result was given away.

use crate::review::{Accuracy, Review, Reviewed};
use base::digits::{counted, grouped};
use solving::words::query::line_text;
use solving::words::table::Table;
use solving::words::value::{model_text, outcome_text, value_text};
use std::fmt;

/// Largest number of best moves that are listed beside a move that was not best.
const SHOWN: usize = 3;

impl fmt::Display for Review {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Review { game, roles, opponent_model, finished, value, moves, mistakes, decided_at, accuracy } = self;
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
            [] if moves.iter().any(|reviewed| reviewed.dearer_by.is_some_and(|more| more > 0)) => {
                let more: u64 = moves.iter().filter_map(|reviewed| reviewed.dearer_by).sum();
                writeln!(f, "  no move gave the aim away, but plans got dearer by {} in all", grouped(more))?;
            }
            [] if moves.iter().any(|reviewed| !reviewed.optimal) => writeln!(f, "  no move gave anything away")?,
            [] if moves.iter().any(|reviewed| reviewed.not_best) => writeln!(f, "  every move kept the value")?,
            [] => writeln!(f, "  every move was best")?,
            lost => {
                let mut others = moves.iter().filter(|reviewed| reviewed.loss.is_none());
                let others = match others.clone().any(|reviewed| !reviewed.keeps_value) {
                    true => "gave nothing away",
                    false if others.all(|reviewed| reviewed.optimal && !reviewed.not_best) => "was best",
                    false => "kept the value",
                };
                let of = if lost.len() == 1 { "that of ply" } else { "those of plies" };
                writeln!(f, "  every move {others} but {of} {}", lost.join(", "))?;
            }
        }
        for reviewed in moves {
            let Some(line) = &reviewed.refutation else { continue };
            writeln!(f, "  after ply {}, {}: {}", reviewed.ply, reviewed.action, line_text(line))?;
        }
        for (role, Accuracy { choices, kept, percent }) in accuracy {
            if let Some(percent) = percent {
                let choices = counted(*choices, "choice");
                writeln!(f, "  accuracy of {role}: {percent:.1} % ({kept} of {choices} kept the value)")?;
            }
        }
        if let Some(last) = moves.iter().find(|reviewed| reviewed.ply == *decided_at) {
            writeln!(f, "  decided by ply {decided_at}, {} of {}", last.action, last.role)?;
        }
        let end = if *finished { "the result" } else { "the match stops where best play leads to" };
        writeln!(f, "  {end}: {}", outcome_text(roles, value.as_deref()))
    }
}

fn remark(reviewed: &Reviewed) -> String {
    let what = match reviewed.loss {
        Some(loss) => &format!("gives {} away", loss.what()),
        None if reviewed.forced => return "no choice".to_owned(),
        None if reviewed.worth_more => return "is worth more than what was settled for".to_owned(),
        None if !reviewed.keeps_value => return "is worth as much to the mover".to_owned(),
        None if reviewed.optimal => return String::new(),
        None => match (reviewed.dearer_by, reviewed.longer_by) {
            (Some(0), _) => "keeps the value at no more cost, but in more moves",
            (Some(more), _) => &format!("keeps the value, but plans cost {} more", grouped(more)),
            (None, Some(0) | None) => "keeps the value, maybe no step towards the end",
            (None, Some(1..)) => "keeps the value, but play takes longer",
            (None, Some(_)) => "keeps the value, but play ends sooner",
        },
    };
    let shown = &reviewed.best[..reviewed.best.len().min(SHOWN)];
    let more = if shown.len() < reviewed.best.len() { " ..." } else { "" };
    let best = if reviewed.not_best { "keeps the value" } else { "best" };
    format!("{what}; {best}: {}{more}", shown.join(" "))
}
