//! The result of `solve`, `classify` and `count`.

use super::aim::Unreached;
use super::longest::{LongestPlay, longest};
use super::{GuaranteeReport, OrbitsReport, PlansReport};
use game::aim::Aim;
use game::diagnostic::Finding;
use game::refusal::Refusal;
use game::reward::OpponentModel;
use indexmap::IndexMap;
use num_bigint::BigUint;
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};
use solving::exact::Value;
use solving::solve::{
    self, Algorithm, Bucket, Common, Difference, EncodingSize, Engine, ExactValuation, LayerEngine, LayerOutcome,
    Means, Outcome, PlayedMove, Share, Stage, Valuation,
};
use solving::store::RunRecord;
use solving::store::manifest::{CycleRecord, EndRecord, MixedRecord, integer};
use solving::store::runs::{Seconds, TOTAL, peak, times};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The command of a report. The text of a report depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Command {
    /// `solve`: the text has values and a table of layers.
    Solve,
    /// `classify`: the text has the states by rewards.
    Classify,
    /// `count`: the text has no values.
    Count,
}

/// A finished run. Its JSON is the object of `solve`, `classify` and `count` in the command contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunReport {
    /// Name of the game.
    pub game: String,
    /// Names of the roles; rewards are in this order.
    pub roles: Vec<String>,
    /// The command of the report.
    pub command: Command,
    /// How movers rank rewards.
    pub opponent_model: OpponentModel,
    /// How the states were solved.
    pub algorithm: Algorithm,
    /// The reason for this algorithm, in words.
    pub algorithm_reason: &'static str,
    /// Representation of the states.
    pub engine: Engine,
    /// SHA-256 of the rules, in hexadecimal digits.
    pub rules_sha256: String,
    /// By role: the reward of the initial state under best play. The inner `None` stands for endless play, the outer
    /// one for a run that only counted states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Option<Vec<u8>>>,
    /// In place of `value` in a game with chance or simultaneous choices: the average rewards.
    #[serde(flatten, serialize_with = "exact_value")]
    pub exact_value: Option<Value>,
    /// The reason why there is no single value, if only guarantees were found.
    #[serde(flatten, serialize_with = "no_value")]
    pub no_value: Option<Refusal>,
    /// With distances: the plies from the initial state to the end, if play ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// A line of best play, if requested; for a single player, if play ends.
    #[serde(flatten, serialize_with = "line")]
    pub line: Option<Vec<PlayedMove>>,
    /// The best plans of a single player, if requested or moves have costs.
    #[serde(flatten)]
    pub plans: Option<PlansReport>,
    /// Whether the line is as long as the distance to the end. Otherwise it keeps the value, but may be too long.
    #[serde(skip_serializing_if = "Clone::clone")]
    pub line_exact: bool,
    /// If play comes back to a state after the line: the number of moves of the line before that state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_repeats: Option<usize>,
    /// Number of distinct reachable states.
    #[serde(with = "integer")]
    pub states: BigUint,
    /// The orbits of the states under symmetries of the rules, if requested.
    #[serde(flatten)]
    pub orbits: Option<OrbitsReport>,
    /// Sum of the states of all layers.
    #[serde(with = "integer")]
    pub layer_states: BigUint,
    /// Number of distinct reachable terminal states.
    #[serde(with = "integer")]
    pub terminal_states: BigUint,
    /// Whether no state lies in two layers.
    pub progress_measure: bool,
    /// Whether at most one player has a choice in every reachable state that is not terminal.
    pub turn_taking: bool,
    /// Whether there are several roles, and none has the choice in a state and in one of its successors.
    pub alternating: bool,
    /// The layers, from the first one on.
    pub layers: Vec<LayerReport>,
    /// All reachable states by their rewards, ascending; `None` if states were only counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buckets: Option<Vec<Bucket>>,
    /// In place of `buckets` in a game with chance or simultaneous choices: the states by exact value or by range.
    #[serde(flatten, serialize_with = "shares")]
    pub shares: Option<Vec<Share>>,
    /// With distances: the longest play with each value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub longest: Vec<LongestPlay>,
    /// Number of states in which the mover has several best moves with different rewards for others, if requested.
    #[serde(skip_serializing_if = "Option::is_none", with = "integer::optional")]
    pub ties: Option<BigUint>,
    /// If play can go on for ever, the players' orders permit it and there was room to count: the number of states in which another move is worth
    /// more to the mover than the value, which is no equilibrium there.
    #[serde(skip_serializing_if = "Option::is_none", with = "integer::optional")]
    pub not_best: Option<BigUint>,
    /// By role: its guarantee, if requested.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub guarantees: IndexMap<String, GuaranteeReport>,
    /// The roles whose guarantees a stopped run has begun in the folder and not finished.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfinished_guarantees: Vec<String>,
    /// For a single player with values: the number of states from which it cannot reach its aim. A state is counted in
    /// every layer that contains it, as in `layer_states`.
    #[serde(skip_serializing_if = "Option::is_none", with = "integer::optional")]
    pub dead_ends: Option<BigUint>,
    /// The highest reward that the rules name, if no state pays it.
    #[serde(flatten, serialize_with = "unreached")]
    pub unreached: Option<Unreached>,
    /// A play that never ends, if one was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<CycleRecord>,
    /// The size of a state as variables.
    pub encoding: EncodingSize,
    /// The folder of the solution, if it is kept.
    #[serde(serialize_with = "displayed")]
    pub stored: Option<PathBuf>,
    /// Whether everything was read from that folder and nothing was computed.
    pub from_disk: bool,
    /// Whether nothing is left to solve in the folder, although this run only counted.
    #[serde(skip)]
    pub has_values: bool,
    /// The options of this run that differ from those of the stored solution.
    pub option_differences: Vec<Difference>,
    /// Seconds by stage, summed over the runs.
    pub time_s: Times,
    /// The largest memory of the process, in bytes; `None` if unknown.
    pub peak_memory_bytes: Option<u64>,
    /// The runs that computed the solution, including this one if it added something; empty if they are not recorded.
    #[serde(serialize_with = "runs")]
    pub runs: Vec<RunRecord>,
    /// The findings on the rules, as in the report of `check`.
    pub diagnostics: Vec<Finding>,
    /// The reason why the solution is not stored.
    #[serde(skip)]
    pub unstored: Option<String>,
    /// The aim of a single player, if there are values.
    #[serde(skip)]
    pub aim: Option<Aim>,
}

/// The report of a layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LayerReport {
    /// Number of the layer.
    pub layer: usize,
    /// Number of states.
    #[serde(with = "integer")]
    pub states: BigUint,
    /// Number of orbits of the states under the symmetries that keep the initial state, if requested.
    #[serde(skip_serializing_if = "Option::is_none", with = "integer::optional")]
    pub orbits: Option<BigUint>,
    /// Number of terminal states.
    #[serde(with = "integer")]
    pub terminal: BigUint,
    /// Nodes of the diagram of the states.
    pub nodes: u64,
    /// How the states were expanded.
    pub engine: Engine,
    /// How this run computed the values of the layer, if it did.
    #[serde(rename = "backward", skip_serializing_if = "Option::is_none", serialize_with = "means")]
    pub means: Option<LayerEngine>,
    /// The states by their rewards, ascending; `None` if states were only counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buckets: Option<Vec<Bucket>>,
    /// In place of `buckets` in a game with chance or simultaneous choices: the states by exact value or by range.
    #[serde(rename = "buckets", skip_serializing_if = "Option::is_none")]
    pub shares: Option<Vec<Share>>,
    /// With exact values: the numbers of states in which chance moves, or several players choose.
    #[serde(flatten, serialize_with = "mixed")]
    pub mixed: Option<MixedRecord>,
    /// For a single player or with distances: the terminal states by their rewards, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends: Option<Vec<EndRecord>>,
}

impl LayerReport {
    /// The reports of all layers. `solved`: all values are known, so that all layers have buckets.
    fn all(layers: Vec<LayerOutcome>, solved: bool) -> Vec<LayerReport> {
        layers.into_iter().enumerate().map(|(layer, found)| LayerReport::new(layer, found, solved)).collect()
    }

    /// The report of an outcome. `solved`: all values are known.
    pub fn new(layer: usize, found: LayerOutcome, solved: bool) -> LayerReport {
        let LayerOutcome { states, terminal, nodes, engine, means, buckets, shares, mixed, ends } = found;
        let shares = Some(shares).filter(|shares| !shares.is_empty());
        let buckets = (solved && mixed.is_none()).then_some(buckets);
        let orbits = None;
        LayerReport { layer, states, orbits, terminal, nodes, engine, means, buckets, shares, mixed, ends }
    }
}

impl RunReport {
    /// The report of an outcome, without the folder of the solution and the records of runs.
    pub(super) fn new(
        mut outcome: Outcome,
        game: String,
        roles: Vec<String>,
        rules_sha256: String,
        diagnostics: Vec<Finding>,
    ) -> RunReport {
        let solved = outcome.solution.is_some() || outcome.exact.is_some();
        let (exact_value, shares) = outcome.exact.map(|ExactValuation { value, shares }| (value, shares)).unzip();
        solve::shares_alike(
            outcome.layers.iter_mut().map(|layer| &mut layer.shares),
            shares.as_deref().unwrap_or_default(),
        );
        let (value, plies, buckets, line, ties, not_best) = match outcome.solution {
            Some(Valuation { value, plies, buckets, line, ties, not_best, .. }) => {
                (Some(value), plies, Some(buckets), line, ties, not_best)
            }
            None => (None, None, None, None, None, None),
        };
        let mut report = RunReport {
            game,
            roles,
            command: if solved || outcome.unvalued.is_some() { Command::Solve } else { Command::Count },
            opponent_model: outcome.opponent_model,
            algorithm: outcome.algorithm,
            algorithm_reason: outcome.algorithm_reason,
            engine: outcome.engine,
            rules_sha256,
            value,
            exact_value,
            no_value: outcome.unvalued,
            plies,
            line,
            plans: None,
            line_exact: true,
            line_repeats: None,
            states: outcome.states,
            orbits: None,
            layer_states: outcome.layer_states,
            terminal_states: outcome.terminal_states,
            progress_measure: outcome.progress_measure,
            turn_taking: outcome.turn_taking,
            alternating: outcome.alternating,
            layers: LayerReport::all(outcome.layers, solved),
            longest: Vec::new(),
            buckets,
            shares,
            ties,
            not_best,
            guarantees: IndexMap::new(),
            unfinished_guarantees: Vec::new(),
            cycle: outcome.cycle,
            encoding: outcome.encoding,
            stored: None,
            from_disk: false,
            has_values: false,
            option_differences: Vec::new(),
            time_s: Times(None),
            peak_memory_bytes: None,
            runs: Vec::new(),
            diagnostics,
            unstored: None,
            dead_ends: None,
            unreached: None,
            aim: None,
        };
        report.longest = longest(&report.layers, report.buckets.as_deref().unwrap_or_default());
        report
    }

    pub(crate) fn with_runs(self, runs: Vec<RunRecord>) -> RunReport {
        RunReport { time_s: Times(times(&runs)), peak_memory_bytes: peak(&runs), runs, ..self }
    }
}

/// Seconds by stage; `None` if they are not recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Times(pub Option<BTreeMap<String, Seconds>>);

/// The stages that are always listed. Other stages are listed only if they ran.
const STAGES: [Stage; 5] = [Stage::Parse, Stage::Ground, Stage::Encode, Stage::Forward, Stage::Backward];

/// The stages in their order; null if times are not recorded.
impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ran = |stage: &Stage| self.0.as_ref().is_some_and(|times| times.contains_key(stage.name()));
        let mut listed: IndexMap<&str, Option<Seconds>> = IndexMap::new();
        for stage in Stage::ALL.into_iter().filter(|stage| STAGES.contains(stage) || ran(stage)) {
            let time = self.0.as_ref().map(|times| times.get(stage.name()).copied().unwrap_or_default());
            listed.insert(stage.name(), time);
        }
        listed.insert(TOTAL, self.0.as_ref().and_then(|times| times.get(TOTAL).copied()));
        listed.serialize(serializer)
    }
}

/// The path as text; bytes that are no text are replaced.
pub(super) fn displayed<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.display().to_string()).serialize(serializer)
}

pub(super) fn runs<S: Serializer>(runs: &[RunRecord], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(runs.iter().map(|run| {
        let mut told = serde_json::to_value(run).expect("maps with string keys and numbers serialise");
        told["time_s"] = json!(Times(Some(run.time_s.clone())));
        told
    }))
}

/// Writes the entries as keys of the object around them.
fn keys<S: Serializer, const N: usize>(entries: Option<[(&str, Json); N]>, serializer: S) -> Result<S::Ok, S::Error> {
    entries.map(IndexMap::from).serialize(serializer)
}

/// Writes two keys: the exact numbers (a fraction as a string), and the numbers as floats.
fn exact_value<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
    keys(value.as_ref().map(|value| [("value", json!(value)), ("value_float", json!(value.floats()))]), serializer)
}

/// Writes three keys: the reason, and `value` and `buckets`, which are null.
fn no_value<S: Serializer>(reason: &Option<Refusal>, serializer: S) -> Result<S::Ok, S::Error> {
    let entries = |reason| [("value", Json::Null), ("no_value", json!(reason)), ("buckets", Json::Null)];
    keys(reason.as_ref().map(entries), serializer)
}

/// Writes two keys: `buckets_by` (`value` or `range`), and `buckets`.
fn shares<S: Serializer>(shares: &Option<Vec<Share>>, serializer: S) -> Result<S::Ok, S::Error> {
    let by_range = shares.iter().flatten().any(|share| matches!(share.common, Common::From(_)));
    let by = if by_range { "range" } else { "value" };
    keys(shares.as_ref().map(|shares| [("buckets_by", json!(by)), ("buckets", json!(shares))]), serializer)
}

/// Writes two keys: the number of states in which chance has several moves, and several players have a choice.
fn mixed<S: Serializer>(mixed: &Option<MixedRecord>, serializer: S) -> Result<S::Ok, S::Error> {
    let told = mixed.as_ref().map(|mixed| json!(mixed));
    let entries = |mut told: Json| [("chance_states", told["chance"].take()), ("joint_states", told["joint"].take())];
    keys(told.map(entries), serializer)
}

/// Writes three keys: the shown moves, their number, and the moves of all roles.
fn line<S: Serializer>(line: &Option<Vec<PlayedMove>>, serializer: S) -> Result<S::Ok, S::Error> {
    let entries = |line: &Vec<PlayedMove>| {
        let (shown, joint): (Vec<_>, Vec<_>) = line.iter().map(|played| (&played.action, &played.joint)).unzip();
        [("line", json!(shown)), ("line_length", json!(line.len())), ("line_joint", json!(joint))]
    };
    keys(line.as_ref().map(entries), serializer)
}

/// Writes a key that tells whether the player can reach any reward above 0.
fn unreached<S: Serializer>(unreached: &Option<Unreached>, serializer: S) -> Result<S::Ok, S::Error> {
    let key = |best: Option<u8>| if best.unwrap_or(0) == 0 { "unsolvable" } else { "unreached" };
    keys(unreached.as_ref().map(|found| [(key(found.best), json!(found))]), serializer)
}

fn means<S: Serializer>(means: &Option<LayerEngine>, serializer: S) -> Result<S::Ok, S::Error> {
    let backward = means.map(|LayerEngine { means, reason, requests, bytes, .. }| {
        json!({"by": name_of(means), "reason": reason, "requests": requests, "bytes": bytes})
    });
    backward.serialize(serializer)
}

/// The word for the means of a backward pass.
pub(super) fn name_of(means: Means) -> &'static str {
    match means {
        Means::Sweep => "sweep",
        Means::Ranks(way) => way.name(),
    }
}
