//! Conversion between the solver's data and the records of a stored solution.

use super::exact::{Common, NO_VALUE, Share, total_shares};
use super::layered::layered_because;
use super::outcome::{Algorithm, Bucket, Engine, ExactValuation, LayerOutcome, Outcome, Valuation};
use super::pass::Pass;
use super::record::lists_states;
use super::{ENDLESS, Refusal, STORED, encoding_size, exact};
use crate::store::manifest::{
    BucketRecord, DefaultFluent, EXACT, GLOBAL, LayerRecord, Manifest, NoValueRecord, Progress,
};
use crate::store::{Encoded, Kind};
use base::digits::counted;
use game::reward::OpponentModel;
use num_bigint::BigUint;

/// The encoding of a game, with fluents and moves by name.
pub fn encoded(pass: &Pass) -> Encoded {
    let Pass { game, groups, expansion, .. } = *pass;
    let variables = expansion.variables();
    let name = |fluent: game::propositional::FluentId| game.fluents[fluent.index()].to_string();
    let players = game.players();
    Encoded {
        roles: game.player_names(),
        variables: (0..variables.levels()).map(|level| name(variables.fluent(level))).collect(),
        defaults: variables
            .blocks()
            .iter()
            .filter_map(|block| {
                block.default.map(|fluent| DefaultFluent { fluent: name(fluent), unless: block.levels().collect() })
            })
            .collect(),
        rewards: expansion.rewards().iter().map(|rewards| rewards[..players].to_vec()).collect(),
        encoding: encoding_size(game, groups, expansion),
    }
}

pub fn bucket_records(buckets: &[Bucket]) -> Vec<BucketRecord> {
    let record = |bucket: &Bucket| BucketRecord {
        rewards: bucket.rewards.clone(),
        states: bucket.states.clone(),
        // The format requires a number of nodes for values without a diagram, too; it has no meaning there.
        nodes: bucket.nodes.unwrap_or(0),
        plies: bucket.plies.clone(),
    };
    buckets.iter().map(record).collect()
}

pub fn progress(manifest: &Manifest) -> String {
    let layers = counted(manifest.layers.len(), "layer");
    match manifest.phase {
        Progress::Forward => format!("the states of {layers} are stored so far"),
        Progress::Backward if manifest.is_global() => {
            let rounds = manifest.settled.as_ref().map_or(0, |settled| settled.rounds);
            format!("all states are stored, settled so far in {}", counted(rounds, "round"))
        }
        Progress::Backward => {
            let valued = manifest.layers.iter().filter(|layer| layer.values_file.is_some()).count();
            format!("the states of {layers} are stored, the values of {valued} so far")
        }
        Progress::Complete => format!("{layers}, stored with all values"),
    }
}

pub fn buckets(layer: &LayerRecord, records: &[BucketRecord]) -> Vec<Bucket> {
    let in_diagram = layer.values_file.as_ref().and_then(|file| file.kind()) != Some(Kind::Ranked);
    let bucket = |record: &BucketRecord| Bucket {
        rewards: record.rewards.clone(),
        states: record.states.clone(),
        nodes: in_diagram.then_some(record.nodes),
        plies: record.plies.clone(),
    };
    records.iter().map(bucket).collect()
}

/// Numbers of states of a stored layer by exact value; `None` if it has no values.
pub fn shares(layer: &LayerRecord) -> Option<Vec<Share>> {
    Some(layer.shares.as_ref()?.iter().map(Share::of_record).collect())
}

/// The exact value of the initial state, and the states of all layers by value; `None` if values are missing.
pub fn exact_valuation(layers: &[LayerOutcome]) -> Option<ExactValuation> {
    let Common::Value(value) = &layers.first()?.shares.first()?.common else {
        unreachable!("manifests that are read have the value of the initial state")
    };
    Some(ExactValuation { value: value.clone(), shares: total_shares(layers.iter().map(|layer| &layer.shares)) })
}

fn exact_because(layers: &[LayerOutcome], goes_round: bool) -> &'static str {
    let none = BigUint::ZERO;
    let has_joint = layers.iter().any(|layer| !layer.is_in_turns());
    let has_chance = layers.iter().any(|layer| layer.mixed.as_ref().is_some_and(|mixed| mixed.chance != none));
    match (has_chance, has_joint) {
        (true, _) if goes_round => exact::ROUND,
        (false, _) if goes_round => ENDLESS,
        (true, _) => exact::CHANCE,
        (_, true) => exact::JOINT,
        _ => STORED,
    }
}

fn diagrams(manifest: &Manifest) -> Engine {
    if lists_states(manifest) { Engine::Explicit } else { Engine::Symbolic }
}

/// The stored layers; the buckets of layers without values are empty.
pub fn stored_layers(manifest: &Manifest, count_only: bool) -> Vec<LayerOutcome> {
    let diagrams = diagrams(manifest);
    let layer = |layer: &LayerRecord| LayerOutcome {
        states: layer.states.clone(),
        terminal: layer.terminal.clone(),
        nodes: layer.nodes,
        engine: match layer.values_file.as_ref().and_then(|file| file.kind()) {
            Some(Kind::Ranked) if !manifest.is_exact() => Engine::Hybrid,
            _ => diagrams,
        },
        means: None,
        buckets: match &layer.buckets {
            Some(records) if !count_only => buckets(layer, records),
            _ => Vec::new(),
        },
        shares: shares(layer).filter(|_| !count_only).unwrap_or_default(),
        mixed: layer.mixed.clone(),
        ends: layer.ends.clone().filter(|_| !count_only),
    };
    manifest.layers.iter().map(layer).collect()
}

/// The outcome that a stored solution holds; `None` if it is incomplete. For `count_only`, a solution is complete only
/// if it is known to be free of dead ends, by its values or by a run that only counted.
pub fn finished(manifest: &Manifest, model: OpponentModel, count_only: bool) -> Option<Outcome> {
    let counted = count_only && manifest.phase == Progress::Backward && manifest.opponent_model.is_none();
    let no_value = manifest.no_value.clone();
    if manifest.phase != Progress::Complete && !counted {
        return None;
    }
    let layers = stored_layers(manifest, count_only);
    let diagrams = diagrams(manifest);
    let by_layer: Vec<Vec<Bucket>> = layers.iter().map(|layer| layer.buckets.clone()).collect();
    Some(Outcome {
        opponent_model: model,
        algorithm: match manifest.algorithm.as_str() {
            GLOBAL => Algorithm::Global,
            EXACT => Algorithm::Exact,
            _ => Algorithm::Layered,
        },
        algorithm_reason: match (manifest.is_exact(), manifest.is_global()) {
            (true, _) => exact_because(&layers, manifest.goes_round()),
            (_, true) if manifest.cycle.is_some() => ENDLESS,
            (_, true) => STORED,
            _ => layered_because(manifest.progress_measure?),
        },
        engine: if layers.iter().any(|layer| layer.engine == Engine::Hybrid) { Engine::Hybrid } else { diagrams },
        exact: exact_valuation(&layers),
        solution: (!count_only && !manifest.is_exact()).then(|| Valuation {
            ties: manifest.ties.clone(),
            not_best: manifest.not_best.clone(),
            ..Valuation::of(&by_layer)
        }),
        states: manifest.states.clone()?,
        layer_states: layers.iter().map(|layer| &layer.states).sum(),
        terminal_states: manifest.terminal_states.clone()?,
        progress_measure: manifest.progress_measure?,
        turn_taking: layers.iter().all(LayerOutcome::is_in_turns),
        alternating: manifest.alternating?,
        layers,
        encoding: manifest.encoding,
        cycle: manifest.cycle_found().cloned(),
        unmet: None,
        unvalued: no_value.map(|NoValueRecord { message, state, path }| {
            let refusal = Refusal::of_game(NO_VALUE, message);
            Refusal { state, path, ..refusal }
        }),
        times: Vec::new(),
    })
}
