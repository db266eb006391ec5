//! The options of the solver, and its errors.

use super::outcome::Algorithm;
use super::progress::{Event, Listener};
use super::team::Team;
use crate::store::StoreError;
use base::limits::LimitReached;
use game::encode::EncodeError;
use game::propositional::RoleId;
use game::refusal::Refusal;
use game::reward::{OpponentModel, Ranking};
use kernel::{UnpackError, Way};
use std::path::PathBuf;

/// The source of the variable order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Order {
    /// A bounded search over block orders.
    #[default]
    Search,
    /// The order in which the rules name the fluents.
    Rules,
    /// The given fluents, in order (as displayed, `(cell 1 1 b)`). The position of a mutex group is that of its first
    /// named fluent; groups without a named fluent come last.
    Fluents(Vec<String>),
}

/// How the states of a layer are expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExpansionChoice {
    /// State by state if there are few states or the diagrams of the rules are too large; otherwise by relations, as
    /// long as these are quicker.
    #[default]
    Auto,
    /// All states at once, by relations.
    Relations,
    /// Each state by itself.
    States,
    /// By relations first, then state by state as soon as possible: for tests.
    Both,
}

/// The representation of the values of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineChoice {
    /// Diagrams, or bitvectors if they are better.
    #[default]
    Auto,
    /// Diagrams throughout.
    Symbolic,
    /// Bitvectors wherever possible.
    Hybrid,
}

impl EngineChoice {
    /// All choices, in the order of their presentation.
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
    /// Solve for what this role can force against all others together, instead of what it gets under best play of each
    /// role. Only this role may get rewards in the game.
    pub against: Option<RoleId>,
    /// The names of the roles whose guarantees a session solves in addition to the values, or several with commas, if
    /// no role has such a name; `all` means all roles.
    pub guarantees: Vec<String>,
    /// Also count the states in which a tie of the mover decided between different rewards of the others. Only with
    /// stored solutions, because the values are needed a second time.
    pub ties: bool,
    /// As part of the values, also compute the plies to the end of every state from which play ends. A role that gets
    /// at least as much as all others shortens play; any other role prolongs it. Not for guarantees.
    pub distances: bool,
    /// Worker threads, at least 1.
    pub threads: usize,
    /// Least number of requests of a level of a sweep that threads share; `None`: the kernel chooses.
    pub sharing_from: Option<u64>,
    pub order: Order,
    pub expansion: ExpansionChoice,
    /// The representation of values. Bitvectors need relations, and the layered or the global algorithm.
    pub engine: EngineChoice,
    /// Fixes how bitvectors are computed.
    pub way: Option<Way>,
    /// The algorithm for values; `None`: the solver chooses one that suits the game.
    pub algorithm: Option<Algorithm>,
    /// Refuse games with chance or joint choices, whose values need not be rewards.
    pub in_turns: bool,
    /// Only the forward pass: reachable and terminal states, no values.
    pub count_only: bool,
    /// Also count the orbits of the states under symmetries of the rules. Only in a session.
    pub orbits: bool,
    /// Compute a line of best play.
    pub line: bool,
    /// Count the best plans of a single player, from the initial state.
    pub plans: bool,
    /// The processes that solve the game together. They share the forward pass and, in the layered algorithm with a
    /// stored solution, the layers that are solved by rank.
    pub team: Team,
    /// The folder of temporary files; `None`: that of the solution, or the system's if nothing is stored.
    pub scratch: Option<PathBuf>,
}

impl Default for SolveOptions {
    fn default() -> Self {
        SolveOptions {
            opponent_model: OpponentModel::default(),
            against: None,
            guarantees: Vec::new(),
            ties: false,
            orbits: false,
            distances: false,
            threads: 1,
            sharing_from: None,
            order: Order::default(),
            expansion: ExpansionChoice::default(),
            engine: EngineChoice::default(),
            way: None,
            algorithm: None,
            in_turns: false,
            count_only: false,
            line: false,
            plans: false,
            team: Team::default(),
            scratch: None,
        }
    }
}

impl SolveOptions {
    pub(crate) fn ranking(&self) -> Ranking {
        self.against.map_or(Ranking::Each(self.opponent_model), |role| Ranking::Against(role.index()))
    }
}

/// The reasons for a run without an outcome.
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
    /// A temporary file could not be written or read.
    #[error("cannot keep the layers in a temporary file: {0}")]
    Storage(String),
    /// Values, rounds or layers contradict each other: the store is damaged, or the solver has a bug.
    #[error("{0}; solve the game again in another folder")]
    Inconsistent(String),
    /// The options do not fit the game, such as an order that names an unknown fluent.
    #[error("{0}")]
    Options(String),
    /// One of several processes failed, or could not be reached.
    #[error("process {number}: {what}")]
    Process { number: usize, what: String },
}

impl SolveError {
    pub fn refusal(&self) -> Option<&Refusal> {
        if let SolveError::Refused(refusal) = self { Some(refusal) } else { None }
    }

    pub(super) fn process(number: usize, what: impl ToString) -> SolveError {
        SolveError::Process { number, what: what.to_string() }
    }

    /// Adds the activity to the message of a limit; other errors stay as they are.
    pub(super) fn during(self, what: impl FnOnce() -> String) -> SolveError {
        match self {
            SolveError::Limit(limit) => SolveError::Limit(limit.during(what)),
            other => other,
        }
    }
}

/// The result of an attempt; `None` if it has no room, so that another way is taken.
pub(super) fn fitting<T>(found: Result<T, SolveError>) -> Result<Option<T>, SolveError> {
    match found {
        Err(SolveError::Limit(limit)) if limit.is_want_of_room() => Ok(None),
        found => found.map(Some),
    }
}

/// As [`fitting`], for a measurement that is left out then; a notice says so.
pub(super) fn or_left_out<T>(
    found: Result<T, SolveError>,
    what: &str,
    listener: &dyn Listener,
) -> Result<Option<T>, SolveError> {
    match found {
        Err(SolveError::Limit(limit)) if limit.is_want_of_room() => {
            listener.event(&Event::Notice(format!("{what} left out: {limit}")));
            Ok(None)
        }
        found => found.map(Some),
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
            EncodeError::TooComplex(_) | EncodeError::TooLarge | EncodeError::TooLong => SolveError::TooComplex(error),
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
