//! What is answered, as plain data.

use super::library::Entry;
use api::report::start_text;
use api::session::{GuaranteeReport, LayerReport, dead_ends};
use game::reward::OpponentModel;
use indexmap::IndexMap;
use num_bigint::BigUint;
use serde::Serialize;
use serde_json::{Value, json};
use solving::solution::{Query, ReadError, Solution};
use solving::solve::{self, Bucket};
use solving::store::Manifest;
use solving::store::manifest::{Progress, integer};
use std::collections::BTreeSet;

/// A solution in the list.
#[derive(Serialize)]
pub struct Listed<'a> {
    name: &'a str,
    game: &'a str,
    roles: Vec<String>,
    /// Of the first position; null for endless play, and where it is not known yet.
    value: Option<Vec<u8>>,
    /// In words.
    outcome: String,
    /// Distinct reachable states; null until all are known.
    #[serde(with = "integer::optional")]
    states: Option<BigUint>,
    layers: usize,
    opponent_model: OpponentModel,
    algorithm: Option<&'a str>,
    finished: bool,
    /// Whether the first position has a value.
    solved: bool,
    /// All values that states have but for endless play, or those that they can have where that is not known yet.
    rewards: Vec<&'a [u8]>,
}

impl<'a> Listed<'a> {
    pub fn new(entry: &'a Entry) -> Listed<'a> {
        let Entry { name, solution } = entry;
        let manifest = solution.manifest();
        let roles = solution.roles();
        // An unfinished solution does not know it, a damaged one says so when it is looked at.
        let start = solution.start();
        let aim = solution.aim();
        let worth = aim.and_then(|aim| Ok((solution.worth(&start)?.value, aim)));
        let outcome = match &worth {
            Ok((value, aim)) => start_text(&roles, *value, *aim),
            Err(ReadError::Unfinished { .. } | ReadError::Unsettled { .. }) => "not solved yet".to_owned(),
            Err(error) => error.to_string(),
        };
        Listed {
            name,
            game: &solution.game().name,
            roles,
            solved: worth.is_ok(),
            value: worth.ok().and_then(|(value, _)| value.map(<[u8]>::to_vec)),
            outcome,
            states: manifest.and_then(|manifest| manifest.states.clone()),
            layers: solution.values().layers() as usize,
            opponent_model: solution.model(),
            algorithm: manifest.map(|manifest| manifest.algorithm.as_str()),
            finished: manifest.is_none_or(|manifest| manifest.phase == Progress::Complete),
            rewards: manifest.map(rewards).unwrap_or_default(),
        }
    }
}

/// The values that states have, ascending.
fn rewards(manifest: &Manifest) -> Vec<&[u8]> {
    let buckets = manifest.layers.iter().flat_map(|layer| layer.buckets.iter().flatten());
    let found: BTreeSet<&[u8]> = buckets.filter_map(|bucket| bucket.rewards.as_deref()).collect();
    match found.is_empty() {
        true => manifest.rewards.iter().map(Vec::as_slice).collect(),
        false => found.into_iter().collect(),
    }
}

/// The layers and buckets of a solution, as far as they are known.
#[derive(Serialize)]
pub struct Layers<'a> {
    game: &'a str,
    roles: &'a [String],
    finished: bool,
    layers: Vec<LayerReport>,
    /// Null until all layers have values.
    buckets: Option<Vec<Bucket>>,
    /// Of a single player, once all layers have values: the states from which it can't reach its aim.
    #[serde(skip_serializing_if = "Option::is_none", with = "integer::optional")]
    dead_ends: Option<BigUint>,
    /// By role, where it is stored: what it can force against all others together.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    guarantees: IndexMap<String, GuaranteeReport>,
}

impl<'a> Layers<'a> {
    pub fn new(solution: &Solution, manifest: &'a Manifest) -> Result<Layers<'a>, ReadError> {
        let found = solve::stored_layers(manifest, false);
        let by_layer: Vec<Vec<Bucket>> = found.iter().map(|layer| layer.buckets.clone()).collect();
        let valued: Vec<bool> = manifest.layers.iter().map(|layer| layer.buckets.is_some()).collect();
        let finished = manifest.phase == Progress::Complete;
        let layers = found.into_iter().enumerate().zip(valued);
        let buckets = finished.then(|| solve::total_buckets(&by_layer));
        Ok(Layers {
            game: &manifest.game,
            roles: &manifest.roles,
            finished,
            layers: layers.map(|((layer, found), valued)| LayerReport::new(layer, found, valued)).collect(),
            dead_ends: buckets.as_ref().zip(solution.aim()?).map(|(buckets, aim)| dead_ends(aim, buckets)),
            buckets,
            guarantees: solution
                .stored_guarantees()
                .map(|(role, own)| (solution.role_name(role), GuaranteeReport::of(own, role)))
                .collect(),
        })
    }
}

/// The JSON of `query`, with the board, and what every move leads to: the fluents, and the cells of the board that it
/// changes.
pub fn position(solution: &Solution, query: &Query) -> Value {
    let mut answer = json!(query);
    answer["outcome"] = json!(query.outcome());
    answer["board"] = json!(query.drawing);
    answer["has_costs"] = json!(solution.has_costs());
    for (option, told) in query.moves.iter().zip(answer["moves"].as_array_mut().into_iter().flatten()) {
        told["after"] = json!(solution.state_names(&option.successor));
        let cells = query.drawing.as_ref().map(|drawing| &drawing.cells).zip(solution.board());
        if let Some((before, board)) = cells {
            let mut changes = Vec::new();
            for (row, (before, after)) in before.iter().zip(board.filled(&option.successor)).enumerate() {
                for (column, (before, after)) in before.iter().zip(after).enumerate() {
                    if *before != after {
                        changes.push(json!({"column": column, "row": row, "sign": after}));
                    }
                }
            }
            told["changes"] = json!(changes);
        }
    }
    answer
}
