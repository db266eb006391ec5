//! The answers of the explorer, as plain data.

use super::library::Entry;
use api::report::start_text;
use api::session::{GuaranteeReport, LayerReport, dead_ends};
use game::interpreter::State;
use game::propositional::RoleId;
use game::reward::OpponentModel;
use indexmap::IndexMap;
use num_bigint::BigUint;
use serde::Serialize;
use serde_json::{Value, json};
use solving::exact;
use solving::solution::{Drawing, ExactQuery, Forced, Numbers, Opened, Query, ReadError, Solution};
use solving::solve::{self, Bucket, Common, Share};
use solving::store::Manifest;
use solving::store::manifest::{Progress, integer};
use solving::words::exact::exact_text;
use std::collections::BTreeSet;

#[derive(Serialize)]
pub struct Listed<'a> {
    name: &'a str,
    game: &'a str,
    roles: Vec<String>,
    /// The value of the first position; null for endless play, or if the value is unknown.
    value: Option<Numbers>,
    /// The value as decimal numbers, if values are exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    value_float: Option<Vec<f64>>,
    /// Whether values are exact numbers, as in games with chance or choices at the same time.
    exact: bool,
    chance: bool,
    outcome: String,
    /// Number of distinct reachable states; null until all are known.
    #[serde(with = "integer::optional")]
    states: Option<BigUint>,
    layers: usize,
    opponent_model: OpponentModel,
    algorithm: Option<&'a str>,
    finished: bool,
    /// Whether the first position has a value or, without single values, has guarantees of roles.
    solved: bool,
    /// The known values of states except endless play; if none is known, the values that the rules permit.
    rewards: Vec<&'a [u8]>,
}

impl<'a> Listed<'a> {
    pub fn new(entry: &'a Entry) -> Listed<'a> {
        let Entry { name, solution } = entry;
        let manifest = solution.manifest();
        let game = solution.solution().game();
        let roles = game.player_names();
        // An unfinished solution may lack this value. A damaged solution reports the damage on opening.
        let (value, outcome, solved) = start(solution, &roles).unwrap_or_else(|error| match error {
            ReadError::Unfinished { .. } | ReadError::Unsettled { .. } => (None, "not solved yet".to_owned(), false),
            error => (None, error.to_string(), false),
        });
        Listed {
            name,
            game: &game.name,
            exact: matches!(solution, Opened::Exact(_)),
            chance: game.has_chance,
            solved,
            value_float: value.as_ref().and_then(Numbers::floats),
            value,
            outcome,
            states: manifest.and_then(|manifest| manifest.states.clone()),
            layers: solution.layers() as usize,
            opponent_model: solution.solution().model(),
            algorithm: manifest.map(|manifest| manifest.algorithm.as_str()),
            finished: manifest.is_none_or(Manifest::is_finished),
            rewards: manifest.map(rewards).unwrap_or_default(),
            roles,
        }
    }
}

/// The value of the first position, its outcome in words, and whether the position is solved.
fn start(opened: &Opened, roles: &[String]) -> Result<(Option<Numbers>, String, bool), ReadError> {
    Ok(match opened {
        Opened::Rewards(solution) => {
            let (aim, value) = (solution.aim()?, solution.worth(&solution.start())?.value);
            (value.map(|value| Numbers::Rewards(value.to_vec())), start_text(roles, value, aim), true)
        }
        Opened::Exact(exact) => {
            let value = exact.value(&exact.start())?;
            let outcome = value.map_or_else(|| NO_VALUE.to_owned(), |value| exact_text(roles, value));
            let solved = value.is_some() || exact.stored_guarantees().next().is_some();
            (value.cloned().map(Numbers::Exact), outcome, solved)
        }
    })
}

fn rewards(manifest: &Manifest) -> Vec<&[u8]> {
    let buckets = manifest.layers.iter().flat_map(|layer| layer.buckets.iter().flatten());
    let found: BTreeSet<&[u8]> = buckets.filter_map(|bucket| bucket.rewards.as_deref()).collect();
    match found.is_empty() {
        true => manifest.rewards.iter().map(Vec::as_slice).collect(),
        false => found.into_iter().collect(),
    }
}

const NO_VALUE: &str = "no single value";

#[derive(Serialize)]
#[serde(untagged)]
enum Buckets {
    Rewards(Vec<Bucket>),
    Exact(Vec<Share>),
}

/// The known layers and buckets of a solution.
#[derive(Serialize)]
pub struct Layers<'a> {
    game: &'a str,
    roles: &'a [String],
    finished: bool,
    layers: Vec<LayerReport>,
    /// Null until all layers have values.
    buckets: Option<Buckets>,
    /// For exact values: `value` or, if some layers have too many values, `range`.
    #[serde(skip_serializing_if = "Option::is_none")]
    buckets_by: Option<&'static str>,
    /// For a single player, once all layers have values: the number of dead ends, from which it cannot reach its aim.
    #[serde(skip_serializing_if = "Option::is_none", with = "integer::optional")]
    dead_ends: Option<BigUint>,
    /// By role: its stored guarantee.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    guarantees: IndexMap<String, GuaranteeReport>,
}

impl<'a> Layers<'a> {
    pub fn new(solution: &Opened, manifest: &'a Manifest) -> Result<Layers<'a>, ReadError> {
        let mut found = solve::stored_layers(manifest, false);
        let finished = manifest.is_finished();
        let shares = (manifest.phase == Progress::Complete && manifest.is_exact())
            .then(|| solve::total_shares(found.iter().map(|layer| &layer.shares)));
        if let Some(total) = &shares {
            solve::shares_alike(found.iter_mut().map(|layer| &mut layer.shares), total);
        }
        let by_range = shares.iter().flatten().any(|share| matches!(share.common, Common::From(_)));
        let buckets =
            (finished && !manifest.is_exact()).then(|| solve::total_buckets(found.iter().map(|layer| &layer.buckets)));
        let valued = manifest.layers.iter().map(|layer| layer.buckets.is_some());
        let layers = found.into_iter().zip(valued).enumerate();
        let aim = match solution {
            Opened::Rewards(solution) => solution.aim()?,
            Opened::Exact(_) => None,
        };
        let guarantees: Vec<(RoleId, &Manifest)> = match solution {
            Opened::Rewards(solution) => solution.stored_guarantees().collect(),
            Opened::Exact(exact) => exact.stored_guarantees().collect(),
        };
        Ok(Layers {
            game: &manifest.game,
            roles: &manifest.roles,
            finished,
            layers: layers.map(|(layer, (found, valued))| LayerReport::new(layer, found, valued)).collect(),
            dead_ends: buckets.as_ref().zip(aim).map(|(buckets, aim)| dead_ends(aim, buckets)),
            buckets_by: shares.as_ref().map(|_| if by_range { "range" } else { "value" }),
            buckets: shares.map(Buckets::Exact).or(buckets.map(Buckets::Rewards)),
            guarantees: (guarantees.into_iter())
                .map(|(role, own)| (solution.solution().role_name(role), GuaranteeReport::of(own, role)))
                .collect(),
        })
    }
}

/// The JSON of `query` with the board and, for each move, the fluents after it and the cells of the board that it
/// changes.
pub fn position(solution: &Solution, query: &Query) -> Value {
    let mut answer = json!(query);
    answer["outcome"] = json!(query.outcome());
    answer["board"] = json!(query.drawing);
    answer["has_costs"] = json!(solution.has_costs());
    let successors = query.moves.iter().map(|option| &option.successor);
    tell_successors(solution, query.drawing.as_ref(), successors, &mut answer);
    answer
}

pub fn exact_position(solution: &Solution, query: &ExactQuery) -> Value {
    let mut answer = json!(query);
    let forced = |(role, forced): (&String, &Forced)| format!("{role} can force {}", exact::text(&forced.value));
    answer["outcome"] = match &query.value {
        Some(value) => json!(exact_text(&query.roles, value)),
        None if query.guarantees.is_empty() => json!(NO_VALUE),
        None => json!(query.guarantees.iter().map(forced).collect::<Vec<_>>().join(", ")),
    };
    answer["board"] = json!(query.drawing);
    answer["has_costs"] = json!(false);
    let successors = query.moves.iter().map(|option| &option.after.state);
    tell_successors(solution, query.drawing.as_ref(), successors, &mut answer);
    answer
}

fn tell_successors<'s>(
    solution: &Solution,
    drawing: Option<&Drawing>,
    successors: impl Iterator<Item = &'s State>,
    answer: &mut Value,
) {
    for (successor, told) in successors.zip(answer["moves"].as_array_mut().into_iter().flatten()) {
        told["after"] = json!(solution.state_names(successor));
        let cells = drawing.map(|drawing| &drawing.cells).zip(solution.board());
        if let Some((before, board)) = cells {
            let mut changes = Vec::new();
            for (row, (before, after)) in before.iter().zip(board.filled(successor)).enumerate() {
                for (column, (before, after)) in before.iter().zip(after).enumerate() {
                    if *before != after {
                        changes.push(json!({"column": column, "row": row, "sign": after}));
                    }
                }
            }
            told["changes"] = json!(changes);
        }
    }
}
