//! Progress as events: the solver tells, a listener draws, logs or ignores.

use crate::diagnostic::Findings;
use num_bigint::BigUint;
use std::fmt;

/// A stage of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Reading the text.
    Parse,
    /// Validating the rules.
    Check,
    /// From rules to the propositional game.
    Ground,
    /// The first states, or all of them if there are few.
    Probe,
    /// Finding and proving mutex groups.
    Groups,
    /// Finding the symmetries of the rules.
    Symmetries,
    /// Variables, relations, terminal and reward parts.
    Encode,
    /// The search for a variable order.
    Order,
    /// The layers of reachable states.
    Forward,
    /// The values, from the last layer to the first.
    Backward,
}

impl Stage {
    /// All of them, in the order in which they run.
    pub const ALL: [Stage; 10] = [
        Stage::Parse,
        Stage::Check,
        Stage::Ground,
        Stage::Probe,
        Stage::Groups,
        Stage::Symmetries,
        Stage::Encode,
        Stage::Order,
        Stage::Forward,
        Stage::Backward,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Parse => "parse",
            Stage::Check => "check",
            Stage::Ground => "ground",
            Stage::Probe => "probe",
            Stage::Groups => "groups",
            Stage::Symmetries => "symmetries",
            Stage::Encode => "encode",
            Stage::Order => "order",
            Stage::Forward => "forward",
            Stage::Backward => "backward",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Direction of a pass over the layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Forward,
    Backward,
}

/// Something that happened during a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    StageStarted(Stage),
    /// `detail`: the size of the result in words, may be empty.
    StageFinished {
        stage: Stage,
        seconds: f64,
        detail: String,
    },
    LayerFinished {
        phase: Phase,
        /// From 0, the initial state.
        layer: u32,
        /// Number of layers, if known.
        total: Option<u32>,
        /// States of the layer, if known.
        states: Option<BigUint>,
        /// Nodes of the diagram just made: the states (forward) or the values (backward).
        nodes: u64,
        seconds: f64,
    },
    /// How many pieces of some work are done, of how many; `what`: the work, in a word of at most nine letters.
    Work {
        what: &'static str,
        done: u64,
        total: u64,
    },
    Message(String),
    /// A message for the user, whether progress is shown or not.
    Notice(String),
    /// Findings on the rules.
    Findings(Findings),
}

/// Receives the events of a run, possibly from several threads.
pub trait Listener: Send + Sync {
    fn event(&self, event: &Event);
}

/// A listener that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Listener for Silent {
    fn event(&self, _: &Event) {}
}
