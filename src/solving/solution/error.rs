//! Errors of questions to a solution.

use crate::store::StoreError;
use base::digits::counted;
use base::limits::LimitReached;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    #[error("{0}")]
    Syntax(String),
    #[error("ply {ply}: {action} is not a legal move of {role}; legal: {}", .legal.join(" "))]
    Illegal { ply: u32, action: String, role: String, legal: Vec<String> },
    /// Two readings of a text without parentheses failed: neither its first word nor one of its lines as a single move
    /// is legal.
    #[error("ply {ply}: neither {word} nor {line} is a legal move of {role}; legal: {}", .legal.join(" "))]
    Neither { ply: u32, word: String, line: String, role: String, legal: Vec<String> },
    #[error("ply {ply}: {action} follows, but play is over")]
    Over { ply: u32, action: String },
    /// Forced plies follow for ever, and none of them is the named move.
    #[error("ply {ply}: {action} never becomes legal: no role has a choice any more, and play repeats itself")]
    Endless { ply: u32, action: String },
    #[error("ply {ply}: {} for {}", counted(found, "move"), counted(roles, "role"))]
    Joint { ply: u32, found: usize, roles: usize },
    #[error("{found} flags for {fluents} fluents")]
    Flags { found: usize, fluents: usize },
    /// `known`: some fluents of the same functor; if there are none, some of all fluents.
    #[error("unknown fluent {name}; known are {}", .known.join(" "))]
    UnknownFluent { name: String, known: Vec<String> },
    /// `clashing`: for each violated group, the given fluents, of which at most one holds in a reachable state.
    #[error("these fluents clash, at most one of each list holds at a time: {}", lists(.clashing))]
    Clashing { clashing: Vec<Vec<String>> },
    /// `missing`: for each missing fluent, the fluents of which one must hold.
    #[error("fluents are missing, one of each list must hold: {}", lists(.missing))]
    Missing { missing: Vec<Vec<String>> },
    #[error("the state is unreachable: the fluents fit together, but no play leads to a state with exactly these: {}", .fluents.join(" "))]
    Unreachable { fluents: Vec<String> },
    #[error("there is no layer {layer}: the solution has the layers 0 to {}", .layers.saturating_sub(1))]
    NoLayer { layer: u32, layers: u32 },
    #[error("a value has one reward for each role: {given} given, and there are {roles} roles")]
    Rewards { given: usize, roles: usize },
    /// `known`: the values that states of the layer have; `None` is endless play.
    #[error("no state of layer {layer} has the value {}; there are {}", shown_value(.value), shown_values(.known))]
    NoValue { layer: u32, value: Option<Vec<u8>>, known: Vec<Option<Vec<u8>>> },
    /// `known`: the distances that states of the layer with this value have.
    #[error("{}", no_distance(*.layer, *.plies, .known))]
    NoDistance { layer: u32, plies: u32, known: Vec<u32> },
    /// The record of a match has a state to which its moves do not lead.
    #[error("the state after ply {ply} is not the one that the moves lead to: {difference}")]
    Differs { ply: u32, difference: String },
}

impl PositionError {
    /// The error of the reading that got further; one error for both if they have illegal moves at the same ply.
    pub(super) fn or_read_as(self, other: PositionError) -> PositionError {
        match (self, other) {
            (
                PositionError::Illegal { ply, action: word, role, legal },
                PositionError::Illegal { ply: same, action: line, .. },
            ) if ply == same && word != line => PositionError::Neither { ply, word, line, role, legal },
            (first, other) if other.ply() > first.ply() => other,
            (first, _) => first,
        }
    }

    fn ply(&self) -> Option<u32> {
        match self {
            PositionError::Illegal { ply, .. }
            | PositionError::Over { ply, .. }
            | PositionError::Endless { ply, .. } => Some(*ply),
            _ => None,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Position(#[from] PositionError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The layer has no stored values (yet). Only the layers from `solved` on have.
    #[error("layer {layer} has no values: {}", unfinished(.solved))]
    Unfinished { layer: u32, solved: Option<u32> },
    /// The forward pass came to its end in the first layers only, and they do not have the state.
    #[error("the solution is unfinished: none of the {layers} layers that were found has the state")]
    Unexplored { layers: usize },
    #[error("the solution is unfinished: after {rounds} rounds, this position or one after it has no value yet")]
    Unsettled { rounds: u32 },
    #[error("the solution is damaged: {0}")]
    Damaged(String),
    #[error(
        "the values of this solution are exact numbers, as chance has a part in the game or several players choose at the same \
         time; they have no lines, plans and distances"
    )]
    Exact,
    #[error(
        "there is no single value in this game, and what {role} can force is not stored: `solve` with `--guarantee all` adds it"
    )]
    Unknown { role: String },
    #[error("there is no single value in this game, so that its moves cannot be judged")]
    NoValue,
    #[error(transparent)]
    Limit(#[from] LimitReached),
}

impl ReadError {
    /// The limit that was reached, be it in the work or in reading what is stored.
    pub fn limit(&self) -> Option<&LimitReached> {
        match self {
            ReadError::Limit(limit) | ReadError::Store(StoreError::Limit(limit)) => Some(limit),
            _ => None,
        }
    }
}

const LISTS: usize = 4;

fn lists(lists: &[Vec<String>]) -> String {
    let shown: Vec<String> = lists.iter().take(LISTS).map(|names| names.join(" ")).collect();
    let more = if lists.len() > LISTS { format!("; and {} more", lists.len() - LISTS) } else { String::new() };
    format!("{}{more}", shown.join("; "))
}

fn shown_value(value: &Option<Vec<u8>>) -> String {
    let rewards = |rewards: &Vec<u8>| rewards.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
    value.as_ref().map_or("endless".to_owned(), rewards)
}

fn shown_values(values: &[Option<Vec<u8>>]) -> String {
    values.iter().map(shown_value).collect::<Vec<_>>().join(" ")
}

fn unfinished(solved: &Option<u32>) -> String {
    match solved {
        Some(layer) => format!("the solution is unfinished, only the layers from {layer} on are solved"),
        None => "the solution is unfinished, no layer is solved".to_owned(),
    }
}

fn no_distance(layer: u32, plies: u32, known: &[u32]) -> String {
    if known.is_empty() {
        return "no distances are stored, so states can't be drawn by them (`solve --distances` stores them)"
            .to_owned();
    }
    let known = known.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    format!("no state of layer {layer} with this value is {plies} plies from the end; there are {known}")
}
