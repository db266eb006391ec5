//! A position as plain data: what every report on a position is made from.

use super::{Assessment, Distance, Drawing, Position, ReadError, Solution};
use crate::interpreter::Turn;
use crate::reward::OpponentModel;
use serde::Serialize;

/// What is known of a position. Its JSON is the `query` object of the command contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Query {
    /// Name of the game.
    pub game: String,
    pub roles: Vec<String>,
    pub opponent_model: OpponentModel,
    /// Plies from the start.
    pub layer: u32,
    /// Whose moves are listed; `None` where play is over.
    pub to_move: Option<String>,
    pub terminal: bool,
    /// No role has a choice.
    pub forced: bool,
    /// By role: the rewards under best play; `None`: play can be kept up for ever.
    pub value: Option<Vec<u8>>,
    /// Plies to the end, where they were asked for and play ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<Distance>,
    /// The fluents that hold, in the order of their texts.
    pub state: Vec<String>,
    pub moves: Vec<QueriedMove>,
    /// The state on a board, if it looks like one.
    #[serde(skip)]
    pub drawing: Option<Drawing>,
}

/// A legal move and what it leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueriedMove {
    #[serde(rename = "move")]
    pub action: String,
    /// Whose move it is.
    pub role: String,
    /// By role: the moves of the ply.
    pub joint: Vec<String>,
    /// By role: the rewards under best play after it; `None`: play can be kept up for ever.
    pub value: Option<Vec<u8>>,
    /// No other move is better for the mover, see [`super::MoveValue::optimal`].
    pub optimal: bool,
    /// Plies to the end by this move, of the best moves where the distance of the position is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<Distance>,
}

impl Solution {
    /// Everything about a position; with the distances to the end where a search for them may keep that many positions.
    pub fn query(&self, position: &Position, distances: Option<usize>) -> Result<Query, ReadError> {
        self.described(&self.assess(position)?, distances)
    }

    /// As [`Solution::query`], for a position that was assessed.
    pub(crate) fn described(&self, assessed: &Assessment, distances: Option<usize>) -> Result<Query, ReadError> {
        let distances = distances.map(|limit| self.distances(assessed, limit)).transpose()?.flatten();
        let (distance, by_move) = match distances {
            Some(found) => (Some(found.position), found.moves),
            None => (None, vec![None; assessed.moves.len()]),
        };
        let moves = assessed.moves.iter().zip(by_move).map(|(option, distance)| QueriedMove {
            action: self.move_name(option.action).to_owned(),
            role: self.role_name(option.role),
            joint: self.joint_names(&option.joint),
            value: option.value.clone(),
            optimal: option.optimal,
            distance,
        });
        let Assessment { position: Position { layer, state }, turn, value, .. } = assessed;
        Ok(Query {
            game: self.game().name.clone(),
            roles: self.roles(),
            opponent_model: self.model(),
            layer: *layer,
            to_move: assessed.to_move().map(|role| self.role_name(role)),
            terminal: *turn == Turn::Terminal,
            forced: *turn == Turn::Forced,
            value: value.clone(),
            distance,
            state: state.names(self.game()),
            moves: moves.collect(),
            drawing: self.board().map(|board| board.drawing(self.game(), state)),
        })
    }
}
