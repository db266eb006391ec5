//! The report of `review`: the moves of a match, and where the result was given away.

use super::table::Table;
use super::value::{model_text, outcome_text, value_text};
use crate::propositional::Game;
use crate::review::{Loss, Review, Reviewed};
use crate::reward::OpponentModel;
use serde_json::{Value, json};
use std::fmt::Write;

/// Best moves listed beside a move that was none of them.
const SHOWN: usize = 3;

/// A judged match of a game.
#[derive(Debug, Clone, Copy)]
pub struct ReviewReport<'a> {
    pub game: &'a Game,
    pub model: OpponentModel,
    pub review: &'a Review,
}

impl ReviewReport<'_> {
    /// One object, keys in a fixed order.
    pub fn json(&self) -> Value {
        let moves = self.review.moves.iter().map(|reviewed| {
            json!({
                "ply": reviewed.ply,
                "role": self.game.roles[reviewed.role.index()].to_string(),
                "move": reviewed.action,
                "joint": reviewed.joint,
                "forced": reviewed.forced,
                "before": reviewed.before,
                "after": reviewed.after,
                "optimal": reviewed.optimal,
                "gives_away": reviewed.loss.map(name),
                "best": reviewed.best,
            })
        });
        let mistakes = self.review.moves.iter().filter(|reviewed| reviewed.loss.is_some()).map(|reviewed| reviewed.ply);
        json!({
            "game": self.game.name,
            "roles": self.roles(),
            "opponent_model": self.model.name(),
            "finished": self.review.finished,
            "value": self.review.value,
            "moves": moves.collect::<Value>(),
            "mistakes": mistakes.collect::<Value>(),
        })
    }

    /// Several lines, the last one ended.
    pub fn text(&self) -> String {
        let Review { moves, value, finished } = self.review;
        let roles = self.roles();
        let mut text = format!("{}{}\n\n", self.game.name, model_text(&roles, self.model));
        let mut table = Table::new(["ply", "role", "move", "before", "after", ""].map(str::to_owned));
        for reviewed in moves {
            table.row([
                reviewed.ply.to_string(),
                roles[reviewed.role.index()].clone(),
                reviewed.action.clone(),
                value_text(reviewed.before.as_deref()),
                value_text(reviewed.after.as_deref()),
                remark(reviewed),
            ]);
        }
        if !moves.is_empty() {
            let _ = writeln!(text, "{}", table.render_left(2, &[1, 2, 5]));
        }
        let plies: Vec<String> = moves.iter().filter(|m| m.loss.is_some()).map(|m| m.ply.to_string()).collect();
        match plies.as_slice() {
            [] if moves.iter().any(|reviewed| !reviewed.optimal) => text.push_str("  no move gave anything away\n"),
            [] => text.push_str("  every move was best\n"),
            [ply] => {
                let _ = writeln!(text, "  every move was best but that of ply {ply}");
            }
            _ => {
                let _ = writeln!(text, "  every move was best but those of plies {}", plies.join(", "));
            }
        }
        let end = if *finished { "the result" } else { "the match stops where best play leads to" };
        let _ = writeln!(text, "  {end}: {}", outcome_text(&roles, value.as_deref()));
        text
    }

    fn roles(&self) -> Vec<String> {
        self.game.roles.iter().map(ToString::to_string).collect()
    }
}

fn name(loss: Loss) -> &'static str {
    match loss {
        Loss::Win => "win",
        Loss::Draw => "draw",
        Loss::Endless => "endless",
        Loss::Rewards => "rewards",
    }
}

fn remark(reviewed: &Reviewed) -> String {
    let what = match reviewed.loss {
        Some(Loss::Win) => "gives the win away",
        Some(Loss::Draw) => "gives the draw away",
        Some(Loss::Endless) => "gives endless play away",
        Some(Loss::Rewards) => "gives rewards away",
        None if reviewed.forced => return "forced".to_owned(),
        None if reviewed.optimal => return String::new(),
        None => "no step towards the end",
    };
    let shown = &reviewed.best[..reviewed.best.len().min(SHOWN)];
    let more = if shown.len() < reviewed.best.len() { " ..." } else { "" };
    format!("{what}; best: {}{more}", shown.join(" "))
}
