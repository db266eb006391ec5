//! How the states of a layer are expanded: the narrow interface between the layered solver and what knows the moves.
//!
//! [`Relations`] takes all states of a layer at once, by the game's relations and automata as diagrams. [`States`]
//! takes each state by itself, for games of few states and those whose rules have no diagrams of a reasonable size.
//! The first may have the second as an [`Alternative`] that it chooses layer by layer. Layers and values are diagrams over the same variables in all cases,
//! so that all later stages are shared.

mod alternative;
mod form;
mod listed;
mod relations;
mod states;

pub use alternative::Alternative;
pub use form::Form;
pub use listed::Listed;
pub use relations::Relations;
pub use states::States;

use super::exact::Thinker;
use super::values::LayerValues;
use super::{Engine, SolveError};
use crate::listing::{Choices, List, Wrong};
use crate::store::manifest::MixedRecord;
use game::encode::Variables;
use kernel::{self, Bitvector, Diagram, Given, Most, Preferences, Prepared, RelationId, Retrograde};
use num_bigint::BigUint;

/// A layer to be prepared.
pub struct Ahead<'a> {
    pub layer: &'a Diagram,
    /// The successors of its states.
    pub next: &'a Diagram,
    /// See [`Preferences::terminals`].
    pub terminals: &'a [u32],
    /// The bounds beyond which its program is given up.
    pub most: Most,
}

/// The result of expanding a layer.
pub struct Step {
    /// How many are terminal.
    pub terminal: BigUint,
    /// The successors of the others.
    pub next: Diagram,
    /// Whether no role that has a choice in one of the states has one again in a successor; if that was requested.
    pub alternates: bool,
}

/// Terminal states with the same rewards.
pub struct Ended {
    /// Index of the rewards + 1.
    pub value: u32,
    pub states: u64,
    /// The first one in lexicographic order, by level.
    pub first: Vec<bool>,
}

/// What is said of a state, see [`OneByOne::decided`].
pub type Decide<'a> = &'a (dyn Fn(&mut Thinker, &Choices) -> Result<u32, Wrong> + Sync);

/// States, each with all that can be chosen there.
pub trait OneByOne {
    /// All states of a set.
    fn list(&self, states: &Diagram) -> Result<List, SolveError>;

    /// By rank of a list of states: what `decide` says of each, by threads with data of their own. `next`: their successors.
    fn decided(
        &self,
        states: &List,
        next: &List,
        thinkers: &mut [Thinker],
        decide: Decide,
    ) -> Result<Vec<u32>, SolveError>;

    /// In how many states of a set chance or several players choose.
    fn mixed(&self, states: &Diagram) -> Result<MixedRecord, SolveError>;
}

/// An expansion of the states of a game.
pub trait Expansion {
    fn engine(&self) -> Engine;

    fn variables(&self) -> &Variables;

    /// By level.
    fn initial(&self) -> &[bool];

    /// All reward vectors a terminal state may have, ascending; value id = index + 1.
    fn rewards(&self) -> &[Vec<u8>];

    /// Expands the `states` states of a layer, or returns the state that [`Expansion::violation`] finds there.
    /// `alternating`: also finds out whether the choice alternates between roles.
    fn step(
        &self,
        layer: &Diagram,
        states: &BigUint,
        dead_ends: bool,
        alternating: bool,
    ) -> Result<Result<Step, Vec<bool>>, SolveError>;

    /// The successors of the states that are not terminal.
    fn successors(&self, states: &Diagram) -> Result<Diagram, SolveError>;

    /// Those states that are terminal.
    fn terminals(&self, states: &Diagram) -> Result<Diagram, SolveError>;

    /// The terminal states by their rewards, ascending; `None` if they are to be found as diagrams.
    fn ends(&self, _states: &Diagram) -> Result<Option<Vec<Ended>>, SolveError> {
        Ok(None)
    }

    /// How many states are terminal.
    fn terminal_states(&self, states: &Diagram) -> Result<BigUint, SolveError>;

    /// A state that violates a property that well-formed rules guarantee, among the properties that are not proved.
    /// `dead_ends`: also a state that is not terminal and has no successor, which [`Expansion::values`] would find as
    /// well.
    fn violation(&self, layer: &Diagram, dead_ends: bool) -> Result<Option<Vec<bool>>, SolveError>;

    /// Frees data of the forward pass that the backward pass is unlikely to need.
    fn begin_backward(&self) {}

    /// The value ids of a layer's states from those of the successors, as a value diagram;
    /// [`DEAD_END`](kernel::DEAD_END) for a state that is not terminal and has no successor. `next`: the
    /// successors, if they are in memory.
    fn values(
        &self,
        layer: &Diagram,
        next: Option<&Diagram>,
        after: Given,
        preferences: &Preferences,
    ) -> Result<Diagram, SolveError>;

    /// As [`Expansion::values`], but the states and their values are listed; the values `after` come back if this is not how
    /// states are expanded, or if the lists would not fit the memory.
    fn listed(
        &self,
        _layer: &Diagram,
        _next: &Diagram,
        after: LayerValues,
        _preferences: &Preferences,
    ) -> Result<Result<Listed, LayerValues>, SolveError> {
        Ok(Err(after))
    }

    /// Whether [`Expansion::values`] is quicker if it is given the successors.
    fn needs_next(&self) -> bool {
        false
    }

    /// Whether [`Expansion::prepare`] and [`Expansion::state_by_state`] are implemented.
    fn has_retrograde(&self) -> bool {
        false
    }

    /// A layer whose terminals classify its states, see [`kernel::labels`]. With retrograde analysis
    /// only, as [`Expansion::moves`].
    fn labels(&self, _layer: &Diagram, _terminals: &[u32]) -> Result<Diagram, SolveError> {
        unreachable!("only layers with retrograde analysis are shared")
    }

    /// The moves as relations.
    fn moves(&self) -> (&kernel::Relations, &[RelationId]) {
        unreachable!("only layers with retrograde analysis are shared")
    }

    /// As [`Expansion::moves`], of states that are not terminal alone, by at most so many steps; `None`: that is not enough,
    /// or [`Expansion::moves`] has no others.
    fn open_moves(&self, _most: usize) -> Result<Option<(kernel::Relations, Vec<RelationId>)>, SolveError> {
        Ok(None)
    }

    /// Prepares layers for [`kernel::execute`]: several at once, each by a thread of its own, or
    /// one by all threads.
    fn prepare(&self, _layers: &[Ahead]) -> Vec<Result<Prepared, SolveError>> {
        Vec::new()
    }

    /// As [`Expansion::state_by_state`], with a program for each of about `parts` parts of the layer, one after the
    /// other; see [`kernel::in_parts`].
    fn in_parts(
        &self,
        _ahead: &Ahead,
        _after: &Bitvector,
        _preferences: &Preferences,
        _parts: u64,
    ) -> Result<Retrograde, SolveError> {
        Ok(Retrograde::TooLarge)
    }

    /// As [`Expansion::values`], by rank: from those of `next`, the successors of the layer's states.
    fn state_by_state(
        &self,
        _layer: &Diagram,
        _next: &Diagram,
        _after: &Bitvector,
        _preferences: &Preferences,
    ) -> Result<Retrograde, SolveError> {
        Ok(Retrograde::TooLarge)
    }

    /// The states one by one of a game in which several roles may choose at the same time, or chance moves; `None` in a game
    /// in turns.
    fn exact(&self) -> Option<&dyn OneByOne> {
        None
    }

    /// The states that are not terminal and in which the role of this index has more than one legal move.
    fn choosing(&self, states: &Diagram, role: usize) -> Result<Diagram, SolveError>;

    /// The states of `within`, where no state is terminal, that have a successor in `targets`.
    fn predecessors(&self, within: &Diagram, targets: &Diagram) -> Result<Diagram, SolveError>;

    /// Of a single player: by what moves cost, ascending, the states of `within`, where no state is terminal, from which such a
    /// move leads to `targets`; `None` where moves are no relations.
    fn predecessors_by_cost(
        &self,
        _within: &Diagram,
        _targets: &Diagram,
    ) -> Result<Option<Vec<(u64, Diagram)>>, SolveError> {
        Ok(None)
    }

    /// A non-terminal state of `states` that `target` is a successor of.
    fn predecessor(&self, states: &Diagram, target: &[bool]) -> Result<Option<Vec<bool>>, SolveError>;
}
