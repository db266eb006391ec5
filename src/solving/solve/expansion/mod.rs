//! Expands the states of a layer: the narrow interface between the layered algorithm and the code that knows the moves.
//!
//! [`Relations`] expands all states of a layer at once, by the game's relations and automata on diagrams. [`States`]
//! expands each state by itself, for games of few states and games whose rules have no diagrams of a reasonable size.
//! It may also be an [`Alternative`] of [`Relations`] that is chosen layer by layer. Layers and values are diagrams
//! over the same variables in all cases, so that all later stages are shared.

mod alternative;
pub mod by_rank;
mod form;
mod grouped;
pub mod guarded;
mod listed;
mod relations;
mod states;

pub use alternative::Alternative;
pub use form::Form;
pub use guarded::OfStates;
pub use listed::Listed;
pub use relations::Relations;
pub use states::States;

use super::exact::Thinker;
use super::values::LayerValues;
use super::{Engine, SolveError};
use crate::listing::{Choices, Graph, Index, List, Wrong};
use crate::store::manifest::MixedRecord;
use game::encode::{SymbolicGame, Variables};
use kernel::{self, Diagram, Given, Preferences};
use num_bigint::BigUint;

pub struct Step {
    pub terminal: BigUint,
    /// The successors of the states that are not terminal.
    pub next: Diagram,
    /// Whether no role with a choice in one of the states has a choice again in a successor; only if requested.
    pub alternates: bool,
}

pub struct Ended {
    /// The index of the rewards, plus 1.
    pub value: u32,
    pub states: u64,
    /// The first such state in lexicographic order, by level.
    pub first: Vec<bool>,
}

/// A function that computes the result of a state, see [`OneByOne::decided`].
pub type Decide<'a> = &'a (dyn Fn(&mut Thinker, &Choices) -> Result<u32, Wrong> + Sync);

/// An expansion that shows each state with the choices of all roles.
pub trait OneByOne {
    fn list(&self, states: &Diagram) -> Result<List, SolveError>;

    /// The moves between the listed states. A successor that is not listed is an error.
    fn graph(&self, states: &List) -> Result<Graph, SolveError>;

    /// A listed state, by level.
    fn assignment(&self, state: &[u64]) -> Vec<bool>;

    /// By rank, the result of `decide` for each state of a list. `next`: the indexed successors. Each thread has a
    /// thinker.
    fn decided(
        &self,
        states: &List,
        next: &Index,
        thinkers: &mut [Thinker],
        decide: Decide,
    ) -> Result<Vec<u32>, SolveError>;

    /// The error because a state of a list cannot be decided.
    fn error(&self, wrong: Wrong, states: &List) -> SolveError;

    /// Number of states of a set in which chance or several players choose.
    fn mixed(&self, states: &Diagram) -> Result<MixedRecord, SolveError>;

    /// For each state of a list, whether chance has a choice (empty if chance has no part in the game), and whether
    /// several players have one.
    fn mixed_among(&self, states: &List) -> Result<[Vec<bool>; 2], SolveError>;
}

pub trait Expansion {
    fn engine(&self) -> Engine;

    fn variables(&self) -> &Variables;

    /// The initial state, by level.
    fn initial(&self) -> &[bool];

    /// All reward vectors that a terminal state may have, ascending; the value id is the index plus 1.
    fn rewards(&self) -> &[Vec<u8>];

    /// Expands a layer of `states` states, or returns the state that [`Expansion::violation`] finds there.
    /// `alternating`: also finds out whether the choice alternates between roles.
    fn step(
        &self,
        layer: &Diagram,
        states: &BigUint,
        dead_ends: bool,
        alternating: bool,
    ) -> Result<Result<Step, Vec<bool>>, SolveError>;

    /// Whether all states, of which `foretold` tells the number if it is known, could be solved one by one in less than
    /// twice the time of the steps so far.
    fn falls_behind(&self, _foretold: &dyn Fn() -> Option<f64>) -> bool {
        false
    }

    /// The work of the steps so far, in approximate nanoseconds, if [`Expansion::falls_behind`] measures it.
    fn work(&self) -> Option<u64> {
        None
    }

    /// Takes a run up at this work.
    fn set_work(&self, _work: u64) {}

    /// The successors of the states that are not terminal.
    fn successors(&self, states: &Diagram) -> Result<Diagram, SolveError>;

    fn terminals(&self, states: &Diagram) -> Result<Diagram, SolveError>;

    /// The terminal states by their rewards, ascending; `None` if they must be found as diagrams.
    fn ends(&self, _states: &Diagram) -> Result<Option<Vec<Ended>>, SolveError> {
        Ok(None)
    }

    /// A state that violates a property of well-formed rules which is not proved. `dead_ends`: also finds a state that
    /// is not terminal and has no successor; [`Expansion::values`] would find such a state as well.
    fn violation(&self, layer: &Diagram, dead_ends: bool) -> Result<Option<Vec<bool>>, SolveError>;

    /// Frees data of the forward pass that the backward pass is unlikely to need.
    fn begin_backward(&self) {}

    /// The value ids of a layer's states from those of the successors, as a value diagram;
    /// [`DEAD_END`](kernel::DEAD_END) for a state that is not terminal and has no successor. `next`: the successors, if
    /// they are in memory.
    fn values(
        &self,
        layer: &Diagram,
        next: Option<&Diagram>,
        after: Given,
        preferences: &Preferences,
    ) -> Result<Diagram, SolveError>;

    /// As [`Expansion::values`], with states and values as lists. Returns `after` unchanged if this expansion has no
    /// lists, or if they do not fit into memory.
    fn listed(
        &self,
        _layer: &Diagram,
        _next: &Diagram,
        after: LayerValues,
        _preferences: &Preferences,
    ) -> Result<Result<Listed, LayerValues>, SolveError> {
        Ok(Err(after))
    }

    /// Whether [`Expansion::values`] is quicker with the successors.
    fn needs_next(&self) -> bool {
        false
    }

    /// The game, if its moves are relations and its layers can be solved by rank (see [`by_rank`]).
    fn by_rank(&self) -> Option<&SymbolicGame> {
        None
    }

    /// Access to single states, if chance moves or several roles may choose at the same time; `None` if players move in
    /// turns.
    fn exact(&self) -> Option<&dyn OneByOne> {
        None
    }

    /// The states that are not terminal and in which this role has more than one legal move.
    fn choosing(&self, states: &Diagram, role: usize) -> Result<Diagram, SolveError>;

    /// The states of `within` that have a successor in `targets`. No state of `within` may be terminal.
    fn predecessors(&self, within: &Diagram, targets: &Diagram) -> Result<Diagram, SolveError>;

    /// For a single player: the states of `within` from which a move leads to `targets`, by the cost of the move,
    /// ascending. No state of `within` may be terminal. `None` if moves are not relations.
    fn predecessors_by_cost(
        &self,
        _within: &Diagram,
        _targets: &Diagram,
    ) -> Result<Option<Vec<(u64, Diagram)>>, SolveError> {
        Ok(None)
    }

    fn predecessor(&self, states: &Diagram, target: &[bool]) -> Result<Option<Vec<bool>>, SolveError>;
}
