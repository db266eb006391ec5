//! The report of `query`: a position, its value, and that of every legal move.

use super::board::{Board, picture};
use super::table::Table;
use super::value::{model_text, outcome_text, value_text};
use crate::interpreter::Turn;
use crate::propositional::{Game, MoveId};
use crate::reward::OpponentModel;
use crate::solution::{Assessment, Distance, Distances};
use serde_json::{Value, json};
use std::fmt::Write;

/// A position with what is to be told about it.
#[derive(Debug, Clone)]
pub struct QueryReport<'a> {
    pub game: &'a Game,
    pub model: OpponentModel,
    pub board: Option<&'a Board>,
    pub assessment: &'a Assessment,
    /// Of the position and by move, where they were asked for; moves that are not optimal have none.
    pub distances: Option<Distances>,
}

impl QueryReport<'_> {
    /// One object, keys in a fixed order.
    pub fn json(&self) -> Value {
        let Assessment { position, turn, value, moves } = self.assessment;
        let mut report = json!({
            "game": self.game.name,
            "roles": self.roles(),
            "opponent_model": self.model.name(),
            "layer": position.layer,
            "to_move": self.assessment.to_move().map(|role| self.game.roles[role.index()].to_string()),
            "terminal": *turn == Turn::Terminal,
            "forced": *turn == Turn::Forced,
            "value": value,
        });
        if let Some(distances) = &self.distances {
            report["distance"] = distance_json(&distances.position);
        }
        report["state"] = json!(position.state.names(self.game));
        let moves = moves.iter().enumerate().map(|(index, option)| {
            let mut object = json!({
                "move": self.game.moves[option.action.index()].term.to_string(),
                "role": self.game.roles[option.role.index()].to_string(),
                "joint": names(self.game, &option.joint),
                "value": option.value,
                "optimal": option.optimal,
            });
            if let Some(distance) = self.move_distance(index) {
                object["distance"] = distance_json(distance);
            }
            object
        });
        report["moves"] = moves.collect();
        report
    }

    /// Several lines, the last one ended.
    pub fn text(&self) -> String {
        let Assessment { position, turn, value, moves } = self.assessment;
        let roles = self.roles();
        let plies = match position.layer {
            0 => "at the start".to_owned(),
            layer => format!("in layer {layer}"),
        };
        let turn = match (self.assessment.to_move(), turn) {
            (None, _) => "play is over".to_owned(),
            (Some(role), Turn::Forced) => format!("{} to move, without a choice", roles[role.index()]),
            (Some(role), _) => format!("{} to move", roles[role.index()]),
        };
        let mut text = format!("{}, {plies}: {turn}\n\n", self.game.name);
        text.push_str(&picture(self.board, self.game, &position.state, 2));
        let end = match &self.distances {
            Some(found) if !moves.is_empty() => format!("; {}", distance_text(&found.position)),
            _ => String::new(),
        };
        let _ = writeln!(text, "\n  {}{}{end}", outcome_text(&roles, value.as_deref()), model_text(&roles, self.model));
        if !moves.is_empty() {
            let header = ["", "move", "rewards"].map(str::to_owned).into_iter();
            let mut table = Table::new(header.chain(self.distances.iter().map(|_| "plies".to_owned())));
            for (index, option) in moves.iter().enumerate() {
                let best = if option.optimal { "best" } else { "" };
                let name = self.game.moves[option.action.index()].term.to_string();
                let plies = self.distances.iter().map(|_| match self.move_distance(index) {
                    Some(Distance { plies, exact: true }) => plies.to_string(),
                    Some(Distance { plies, exact: false }) => format!("at least {plies}"),
                    None => String::new(),
                });
                table.row([best.to_owned(), name, value_text(option.value.as_deref())].into_iter().chain(plies));
            }
            let _ = write!(text, "\n{}", table.render_left(2, &[1]));
        }
        text
    }

    fn roles(&self) -> Vec<String> {
        self.game.roles.iter().map(ToString::to_string).collect()
    }

    fn move_distance(&self, index: usize) -> Option<&Distance> {
        self.distances.as_ref()?.moves.get(index)?.as_ref()
    }
}

fn names(game: &Game, joint: &[MoveId]) -> Vec<String> {
    joint.iter().map(|action| game.moves[action.index()].term.to_string()).collect()
}

fn distance_json(distance: &Distance) -> Value {
    json!({"plies": distance.plies, "exact": distance.exact})
}

/// When play ends.
pub fn distance_text(distance: &Distance) -> String {
    let at_least = if distance.exact { "" } else { "at least " };
    let plies = if distance.plies == 1 { "ply" } else { "plies" };
    format!("play ends in {at_least}{} {plies}", distance.plies)
}
