//! The results of a finished run, as plain data: the narrow type between the solver and the reports.
//!
//! Rewards are one byte per role in the order of the roles; `None` in place of rewards stands for endless play.

use super::buckets;
use super::ends::Told;
use super::exact::Share;
use super::pass::Pass;
use super::progress::Stage;
use super::spool::Spool;
use super::{SolveOptions, encoding_size};
use crate::cheapest::Cheapest;
use crate::exact::Value;
use crate::store::manifest::{CycleRecord, EncodingSize, EndRecord, MixedRecord, PliesRecord, integer};
use crate::store::{LayerFigures, Totals};
use crate::unmet::Unmet;
use game::propositional::RoleId;
use game::refusal::Refusal;
use game::reward::OpponentModel;
use kernel::Way;
use num_bigint::BigUint;
use serde::Serialize;

/// How the values were computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// Layer by layer: breadth first forward, then backward from the last layer.
    Layered,
    /// All reachable states at once, each state once: retrograde analysis.
    Global,
    /// The original classification of zero-sum games.
    Classic,
    /// The original reward matrix with restarts.
    Matrix,
    /// In rational numbers, layer by layer or, where states repeat, component by component: for games with chance or
    /// choices at the same time.
    Exact,
}

impl Algorithm {
    /// All algorithms, in the order of their presentation.
    pub const ALL: [Algorithm; 5] =
        [Algorithm::Layered, Algorithm::Global, Algorithm::Classic, Algorithm::Matrix, Algorithm::Exact];

    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Layered => "layered",
            Algorithm::Global => "global",
            Algorithm::Classic => "classic",
            Algorithm::Matrix => "matrix",
            Algorithm::Exact => "exact",
        }
    }

    /// Whether its solutions can be stored.
    pub fn is_stored(self) -> bool {
        matches!(self, Algorithm::Layered | Algorithm::Global | Algorithm::Exact)
    }
}

/// The representation of the states and their values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Decision diagrams throughout.
    Symbolic,
    /// Decision diagrams of states and values, made from single states.
    Explicit,
    /// Decision diagrams of states, bitvectors of values.
    Hybrid,
}

impl Engine {
    pub fn name(self) -> &'static str {
        match self {
            Engine::Symbolic => "symbolic",
            Engine::Explicit => "explicit",
            Engine::Hybrid => "hybrid",
        }
    }
}

/// The means by which a layer's values were computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// One sweep on diagrams; state by state if moves have no relations.
    Sweep,
    /// Retrograde analysis on bitvectors by rank: by programs, or state by state.
    Ranks(Way),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerEngine {
    pub means: Means,
    pub reason: &'static str,
    /// Requests of the sweep, or configurations of the programs.
    pub requests: u64,
    /// Number of programs, each for a part of the states.
    pub programs: u64,
    /// Bytes of the values: of the nodes, or of the bitvector.
    pub bytes: u64,
    /// Bytes that the sweep wrote to temporary files.
    pub spilled: u64,
    /// Nanoseconds of wall-clock time of the sweep's way down.
    pub down: u64,
    /// Nanoseconds of wall-clock time of the sweep's way up.
    pub up: u64,
}

impl LayerEngine {
    pub fn new(means: Means, reason: &'static str) -> LayerEngine {
        LayerEngine { means, reason, requests: 0, programs: 0, bytes: 0, spilled: 0, down: 0, up: 0 }
    }

    pub fn engine(&self) -> Engine {
        match self.means {
            Means::Sweep => Engine::Symbolic,
            Means::Ranks(_) => Engine::Hybrid,
        }
    }
}

impl std::fmt::Display for LayerEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let LayerEngine { means, reason, requests, programs, bytes, spilled, down, up, .. } = self;
        match means {
            Means::Sweep if *requests == 0 => write!(f, "state by state, {bytes} bytes of values ({reason})"),
            Means::Sweep => write!(
                f,
                "sweep of {requests} requests, {bytes} bytes of nodes, {spilled} bytes on disk, {:.1} s down, {:.1} s up \
                 ({reason})",
                *down as f64 * 1e-9,
                *up as f64 * 1e-9
            ),
            Means::Ranks(Way::Program) => {
                let parts = if *programs == 1 { String::new() } else { format!(" in {programs} parts") };
                write!(f, "program of {requests} configurations{parts}, {bytes} bytes of values ({reason})")
            }
            Means::Ranks(way) => write!(f, "{}, {bytes} bytes of values ({reason})", way.name()),
        }
    }
}

/// The states that share one value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// By role; `None`: endless play is optimal or unavoidable.
    pub rewards: Option<Vec<u8>>,
    #[serde(with = "integer")]
    pub states: BigUint,
    /// Nodes of the value diagrams with a path to the value; `None` if the values are not in a diagram.
    pub nodes: Option<u64>,
    /// With distances, unless play is endless: numbers of states by plies to the end, ascending.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plies: Vec<PliesRecord>,
}

/// A layer; for algorithms on all states at once, the states at one distance from the initial state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerOutcome {
    /// States of the layer, terminal ones included.
    pub states: BigUint,
    pub terminal: BigUint,
    /// Nodes of the diagram of the layer's states.
    pub nodes: u64,
    pub engine: Engine,
    /// How its values were computed; `None` if another run or another algorithm than the layered one did it, or if
    /// there are no values.
    pub means: Option<LayerEngine>,
    /// Ascending by rewards; empty if states were only counted.
    pub buckets: Vec<Bucket>,
    /// In games with chance or joint choices: by exact value, ascending; empty if states were only counted.
    pub shares: Vec<Share>,
    /// In games with chance or joint choices: the number of states in which chance moves, and of those in which several
    /// players choose.
    pub mixed: Option<MixedRecord>,
    /// For a single player or with distances: the terminal states by rewards, which tells goals from dead ends. `None`
    /// if states were only counted, and in solutions of old versions.
    pub ends: Option<Vec<EndRecord>>,
}

impl LayerOutcome {
    /// Whether no state of the layer has several players who choose at the same time.
    pub fn is_in_turns(&self) -> bool {
        self.mixed.as_ref().is_none_or(|mixed| mixed.joint == BigUint::ZERO)
    }

    pub(super) fn new(layer: &LayerFigures, engine: Engine) -> LayerOutcome {
        let LayerFigures { states, terminal, nodes, mixed, .. } = layer.clone();
        let (buckets, shares) = (Vec::new(), Vec::new());
        LayerOutcome { states, terminal, nodes, engine, means: None, buckets, shares, mixed, ends: None }
    }
}

/// The values; missing if states were only counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Valuation {
    /// Value of the initial state.
    pub value: Option<Vec<u8>>,
    /// Plies from the initial state to the end, if distances were requested and play ends.
    pub plies: Option<u32>,
    /// All reachable states by value, ascending by rewards.
    pub buckets: Vec<Bucket>,
    /// A line of best play, if requested and play ends; for a single player, a shortest line.
    pub line: Option<Vec<PlayedMove>>,
    /// For a single player, the best plan found, if moves have costs or plans were counted.
    pub plan: Option<Cheapest>,
    /// The number of states in which a tie decided between different rewards of the other roles, if requested.
    pub ties: Option<BigUint>,
    /// If there may be any and there was room to count them: the number of states in which another move is worth more to
    /// the mover than the value.
    pub not_best: Option<BigUint>,
}

impl Valuation {
    /// The valuation that the buckets of all layers tell. The first layer has one state, and so one bucket.
    pub(super) fn of(by_layer: &[Vec<Bucket>]) -> Valuation {
        let first = by_layer.first().and_then(|first| first.first());
        Valuation {
            value: first.and_then(|bucket| bucket.rewards.clone()),
            plies: first.and_then(|bucket| bucket.plies.first()).map(|first| first.plies),
            buckets: buckets::total(by_layer),
            line: None,
            plan: None,
            ties: None,
            not_best: None,
        }
    }
}

/// What a backward pass found.
pub(super) struct Solved {
    pub valuation: Valuation,
    pub by_layer: Vec<Vec<Bucket>>,
    /// By layer; empty if all states were solved at once.
    pub means: Vec<Option<LayerEngine>>,
    /// The engine of layers without means.
    pub engine: Engine,
    pub told: Told,
}

/// The values of a game with chance or choices at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactValuation {
    /// Value of the initial state.
    pub value: Value,
    /// The numbers of all reachable states by value, ascending.
    pub shares: Vec<Share>,
}

/// A move of a line of play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedMove {
    /// The role whose move is shown: the role with the choice or, in a forced ply, the one whose move has an effect.
    pub role: RoleId,
    /// That move, as displayed.
    pub action: String,
    /// By role: the moves of the ply, as displayed.
    pub joint: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageTime {
    pub stage: Stage,
    pub seconds: f64,
}

/// Everything that a finished run reports.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub opponent_model: OpponentModel,
    pub algorithm: Algorithm,
    /// Tells users why this algorithm was used.
    pub algorithm_reason: &'static str,
    pub engine: Engine,
    /// `None` if states were only counted, and with exact values.
    pub solution: Option<Valuation>,
    /// The values of a game with chance or joint choices, instead of `solution`.
    pub exact: Option<ExactValuation>,
    /// Distinct reachable states.
    pub states: BigUint,
    /// The sum of the states of all layers: `states`, unless the layered algorithm has overlapping layers.
    pub layer_states: BigUint,
    /// Distinct reachable terminal states.
    pub terminal_states: BigUint,
    /// No state lies in two layers.
    pub progress_measure: bool,
    /// At most one player has a choice in every reachable non-terminal state.
    pub turn_taking: bool,
    /// There are several roles, and none has a choice in two consecutive states.
    pub alternating: bool,
    /// The layers, from that of the initial state on.
    pub layers: Vec<LayerOutcome>,
    pub encoding: EncodingSize,
    /// An endless play, if layers never end for that reason and the search for an example fits the bounds.
    pub cycle: Option<CycleRecord>,
    /// See [`Ends::unmet`](super::ends::Ends::unmet); `None` for a stored solution.
    pub unmet: Option<Unmet>,
    /// The reason why there is no value, if the guarantees of roles were solved nevertheless.
    pub unvalued: Option<Refusal>,
    /// The solver's own stages in the order of their run.
    pub times: Vec<StageTime>,
}

impl Outcome {
    /// The results of a forward pass, without values and times.
    pub(super) fn of_states(
        pass: &Pass,
        options: &SolveOptions,
        (algorithm, algorithm_reason): (Algorithm, &'static str),
        spool: &Spool,
        totals: Totals,
    ) -> Outcome {
        let engine = pass.expansion.engine();
        let layers: Vec<_> = spool.figures().iter().map(|layer| LayerOutcome::new(layer, engine)).collect();
        Outcome {
            opponent_model: options.opponent_model,
            algorithm,
            algorithm_reason,
            engine,
            solution: None,
            exact: None,
            states: totals.states,
            layer_states: layers.iter().map(|layer| &layer.states).sum(),
            terminal_states: totals.terminal,
            progress_measure: totals.progress_measure,
            turn_taking: layers.iter().all(LayerOutcome::is_in_turns),
            alternating: totals.alternating,
            layers,
            encoding: encoding_size(pass.game, pass.groups, pass.expansion),
            cycle: None,
            unmet: None,
            unvalued: None,
            times: Vec::new(),
        }
    }
    /// The outcome with what a backward pass found, if there was one.
    pub(super) fn with_values(mut self, solved: Option<Solved>) -> Outcome {
        let Some(Solved { valuation, by_layer, means, engine, told }) = solved else { return self };
        let Told { by_layer: ends, unmet, plan, line } = told;
        self.solution = Some(Valuation { plan, line: line.or(valuation.line), ..valuation });
        (self.engine, self.unmet) = (engine, unmet);
        let (mut ends, mut means) = (ends.into_iter().flatten(), means.into_iter());
        for (layer, buckets) in self.layers.iter_mut().zip(by_layer) {
            (layer.engine, layer.buckets, layer.ends) = (engine, buckets, ends.next());
            layer.means = means.next().flatten();
            if layer.means.as_ref().map(LayerEngine::engine) == Some(Engine::Hybrid) {
                (layer.engine, self.engine) = (Engine::Hybrid, Engine::Hybrid);
            }
        }
        self
    }
}
