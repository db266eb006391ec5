//! What the solver is asked for, and why it may not answer.

use super::outcome::Algorithm;
use crate::encode::EncodeError;
use crate::kernel::{UnpackError, Way};
use crate::limits::LimitReached;
use crate::propositional::RoleId;
use crate::refusal::Refusal;
use crate::reward::{OpponentModel, Ranking};
use crate::store::StoreError;
use std::path::PathBuf;

/// Where the order of the variables comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Order {
    /// A bounded search over block orders.
    #[default]
    Search,
    /// The order in which the rules name the fluents.
    Rules,
    /// The given fluents first to last (as displayed, `(cell 1 1 b)`); a mutex group stands where the first of its
    /// fluents is named, groups that are not named come last.
    Fluents(Vec<String>),
}

/// How the states of a layer are expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExpansionChoice {
    /// Each state by itself where there are few or the diagrams of the rules are too large; else by relations, as long as
    /// these are quicker.
    #[default]
    Auto,
    /// All states at once, by relations.
    Relations,
    /// Each state by itself.
    States,
    /// By relations first and then each state by itself, whatever is quicker: for tests.
    Both,
}

/// What holds the values of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineChoice {
    /// Diagrams, and bitvectors where they are better.
    #[default]
    Auto,
    /// Diagrams throughout.
    Symbolic,
    /// Bitvectors throughout.
    Hybrid,
}

impl EngineChoice {
    /// All of them, in the order of their presentation.
    pub const ALL: [EngineChoice; 3] = [EngineChoice::Auto, EngineChoice::Symbolic, EngineChoice::Hybrid];

    pub fn name(self) -> &'static str {
        match self {
            EngineChoice::Auto => "auto",
            EngineChoice::Symbolic => "symbolic",
            EngineChoice::Hybrid => "hybrid",
        }
    }
}

/// What to compute and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolveOptions {
    pub opponent_model: OpponentModel,
    /// What this role can force against all others together is wanted, in place of what it gets where each takes its best;
    /// in the game only this role may get rewards.
    pub against: Option<RoleId>,
    /// By name: the roles whose guarantees a session is to solve beside the values, all of them where one is called `all`.
    pub guarantees: Vec<String>,
    /// Wanted is also in how many states a tie of the mover decided between different rewards of the others; of stored
    /// solutions, as it takes their values once more.
    pub ties: bool,
    /// Worker threads, at least 1.
    pub threads: usize,
    /// From how many requests on a level of a sweep is shared among them; `None`: from where it pays.
    pub sharing_from: Option<u64>,
    pub order: Order,
    pub expansion: ExpansionChoice,
    /// What holds the values of a layer; bitvectors only go with the layered algorithm and relations.
    pub engine: EngineChoice,
    /// Fixes how bitvectors are computed.
    pub way: Option<Way>,
    /// A digest of every layer's values is wanted.
    pub digests: bool,
    /// How values are computed; `None`: layer by layer, or all states at once where the layers never end.
    pub algorithm: Option<Algorithm>,
    /// Only the forward pass: reachable and terminal states, no values.
    pub count_only: bool,
    /// A line of best play is wanted.
    pub line: bool,
    /// Where temporary files go; `None`: into the folder of the solution, or that of the system where nothing is stored.
    pub scratch: Option<PathBuf>,
}

impl Default for SolveOptions {
    fn default() -> Self {
        SolveOptions {
            opponent_model: OpponentModel::default(),
            against: None,
            guarantees: Vec::new(),
            ties: false,
            threads: 1,
            sharing_from: None,
            order: Order::default(),
            expansion: ExpansionChoice::default(),
            engine: EngineChoice::default(),
            way: None,
            digests: false,
            algorithm: None,
            count_only: false,
            line: false,
            scratch: None,
        }
    }
}

impl SolveOptions {
    /// What movers want.
    pub(crate) fn ranking(&self) -> Ranking {
        self.against.map_or(Ranking::Each(self.opponent_model), |role| Ranking::Against(role.index()))
    }
}

/// Why there is no outcome.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    #[error(transparent)]
    Limit(#[from] LimitReached),
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The rules have no diagrams of a reasonable size.
    #[error("{0}")]
    TooComplex(EncodeError),
    /// The stored solution cannot be read or written.
    #[error(transparent)]
    Store(StoreError),
    /// A file that holds layers for the time of the run could not be written or read.
    #[error("cannot keep the layers in a temporary file: {0}")]
    Storage(String),
    /// Values, rounds or layers that do not fit each other: of a damaged store, as far as it is not the solver's fault.
    #[error("{0}; solve the game again in another folder")]
    Inconsistent(String),
    /// The options do not fit the game, such as an order that names an unknown fluent.
    #[error("{0}")]
    Options(String),
}

impl SolveError {
    /// A limit, with what was being done; other errors as they are.
    pub(super) fn during(self, what: impl FnOnce() -> String) -> SolveError {
        match self {
            SolveError::Limit(limit) => SolveError::Limit(limit.during(what)),
            other => other,
        }
    }
}

impl From<std::io::Error> for SolveError {
    fn from(error: std::io::Error) -> Self {
        SolveError::Storage(error.to_string())
    }
}

impl From<EncodeError> for SolveError {
    fn from(error: EncodeError) -> Self {
        match error {
            EncodeError::Limit(limit) => limit.into(),
            EncodeError::TooComplex(_) | EncodeError::TooLarge => SolveError::TooComplex(error),
        }
    }
}

impl From<UnpackError> for SolveError {
    fn from(error: UnpackError) -> Self {
        match error {
            UnpackError::Limit(limit) => limit.into(),
            other => SolveError::Storage(other.to_string()),
        }
    }
}

impl From<StoreError> for SolveError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Limit(limit) => limit.into(),
            other => SolveError::Store(other),
        }
    }
}
