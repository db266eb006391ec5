//! Encodes a propositional game as the input of the kernel's sweeps: variables, relations, automata.
//!
//! There are two steps. [`Analysis`] does not depend on the order of the variables: it has the joint moves with their
//! effects, whose turn it is, default values, strengthened terminal parts and proved facts. [`SymbolicGame`] is the
//! encoding under one order; another order needs this step only.

mod automata;
mod condition;
mod coordinates;
mod defaults;
mod facts;
mod formulas;
mod guards;
mod joint;
mod lazy;
pub mod measure;
mod partial;
mod relation;
mod renewed;
mod residual;
mod stepwise;
mod strengthen;
mod symbolic;
mod transitions;
mod variables;
mod words;

pub use automata::{ConditionAutomaton, MOST_ROLES};
pub use coordinates::{Coordinates, DIRECTIONS, Sorting, permutations};
pub use defaults::{defaults, defaults_by};
pub use facts::Facts;
pub use joint::{Joint, TurnRule};
pub use renewed::Renewed;
pub use symbolic::{CheckKind, SymbolicGame, reward_vectors};
pub use transitions::Moves;
pub use variables::{FluentCode, Variables};

use crate::bdd::Steps;
use crate::propositional::{FluentId, Game, Graph, Group, MoveId};
use base::limits::{Account, LimitReached, Limits};
use formulas::Formulas;
use joint::JointMoves;
use std::sync::Arc;
use strengthen::Strengthening;

/// Bound on the new nodes for the diagram of one node of the graph, in relations.
const ROOM: usize = 1 << 20;
/// As [`ROOM`], for terminal and reward conditions; larger parts of these are split.
const PART_ROOM: usize = 1 << 11;
/// As [`ROOM`], for conditions of moves; larger parts of these are kept apart from relations. If the diagrams of all
/// conditions together have more than [`GUARDS`] nodes, relations would be as large, and the bound is [`PART_ROOM`].
const GUARD_ROOM: usize = 1 << 16;
const GUARDS: usize = 1 << 17;

/// Bound on the nodes of the rules' diagrams.
const NODES: usize = 1 << 22;
/// Divisor of the memory bound: the quotient is for these diagrams.
const NODES_SHARE: u64 = 4;
/// Bytes of a node with its table entries.
const NODE_BYTES: u64 = 80;

/// Bounds on what the diagrams of a game's rules may take.
#[derive(Debug, Clone)]
pub struct Effort {
    /// Parts of a move's condition that take more new nodes are kept apart.
    pub room: usize,
    /// For the analysis and all encodings that follow from it; [`EncodeError::TooLong`] if they do not suffice.
    pub steps: Steps,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { room: GUARD_ROOM, steps: Steps::UNLIMITED }
    }
}

fn node_bound(limits: &Limits) -> usize {
    usize::try_from(limits.memory() / NODES_SHARE / NODE_BYTES).map_or(NODES, |nodes| nodes.min(NODES))
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    #[error(transparent)]
    Limit(#[from] LimitReached),
    #[error("the condition or an effect of {0} is too large for a decision diagram")]
    TooComplex(String),
    #[error("the rules are too large for decision diagrams")]
    TooLarge,
    #[error("decision diagrams take longer than a look at every state")]
    TooLong,
}

impl EncodeError {
    /// Whether diagrams became too large, which another order of the variables may avoid.
    pub fn is_of_size(&self) -> bool {
        matches!(self, EncodeError::TooComplex(_) | EncodeError::TooLarge)
    }
}

impl From<crate::bdd::TooLarge> for EncodeError {
    fn from(error: crate::bdd::TooLarge) -> Self {
        match error {
            crate::bdd::TooLarge::Nodes => EncodeError::TooLarge,
            crate::bdd::TooLarge::Steps => EncodeError::TooLong,
            crate::bdd::TooLarge::Limit(limit) => (*limit).into(),
        }
    }
}

pub struct Analysis<'a> {
    pub game: &'a Game,
    pub groups: &'a [Group],
    pub defaults: Vec<Option<FluentId>>,
    /// The graph of the game, extended by the formulas of the joint moves.
    pub graph: Graph,
    pub joints: Vec<Joint>,
    pub turn: TurnRule,
    strengthenings: Vec<Strengthening>,
    pub facts: Facts,
    /// Whether every joint move is proved to pass the turn to another role.
    pub alternates: bool,
    /// The steps that are left for encodings.
    pub steps: Steps,
    _account: Account,
}

impl<'a> Analysis<'a> {
    /// The groups must partition the fluents of the game (not checked). If diagrams become too large under the order of
    /// the groups, the order of their coordinates is tried.
    pub fn new(game: &'a Game, groups: &'a [Group], limits: &Arc<Limits>) -> Result<Self, EncodeError> {
        Analysis::within(game, groups, &Effort::default(), limits)
    }

    /// As [`Analysis::new`], with other bounds.
    pub fn within(
        game: &'a Game,
        groups: &'a [Group],
        effort: &Effort,
        limits: &Arc<Limits>,
    ) -> Result<Self, EncodeError> {
        let order: Vec<usize> = (0..groups.len()).collect();
        match Analysis::under(game, groups, &order, effort, limits) {
            Err(error) if error.is_of_size() => {
                let upward = Coordinates::new(game, groups).upward(&order);
                if upward == order { Err(error) } else { Analysis::under(game, groups, &upward, effort, limits) }
            }
            done => done,
        }
    }

    fn under(
        game: &'a Game,
        groups: &'a [Group],
        order: &[usize],
        effort: &Effort,
        limits: &Arc<Limits>,
    ) -> Result<Self, EncodeError> {
        let defaults = defaults::defaults(game, groups, limits)?;
        let variables = Variables::new(game.fluents.len(), groups, &defaults, order);
        let bounds = (node_bound(limits), &effort.steps);
        let of_room = |room| -> Result<_, EncodeError> {
            let (mut graph, mut account) = (game.graph.clone(), Account::new(limits));
            let mut formulas = Formulas::new(&game.graph, &variables, bounds, room, limits);
            Ok((joint::joint_moves(game, &mut formulas, &mut graph, &mut account)?, graph, account))
        };
        let mut found = of_room(effort.room);
        let large = match &found {
            Ok((moves, ..)) => moves.nodes > GUARDS,
            Err(error) => error.is_of_size(),
        };
        if large && effort.room > PART_ROOM {
            match of_room(PART_ROOM) {
                Err(error) if error.is_of_size() => {}
                other => found = other,
            }
        }
        let (JointMoves { joints, turn, .. }, graph, account) = found?;
        let mut formulas = Formulas::new(&graph, &variables, bounds, ROOM, limits);
        let strengthenings = strengthen::strengthen(game, &joints, &mut formulas)?;
        formulas.room = ROOM;
        let alternates = joint::alternates(&joints, &turn, &mut formulas)?;
        let facts = Facts::prove(game, groups, &strengthenings, limits)?;
        Ok(Analysis {
            game,
            groups,
            defaults,
            graph,
            joints,
            turn,
            strengthenings,
            facts,
            alternates,
            steps: effort.steps.clone(),
            _account: account,
        })
    }

    /// Number of joint moves; a joint move with several cases counts once.
    pub fn joint_moves(&self) -> usize {
        self.joints.chunk_by(|one, other| one.moves == other.moves).count()
    }

    /// The group of the first fluent that decides whose turn it is; `None` if no fluent decides.
    pub fn turn_group(&self) -> Option<usize> {
        let TurnRule::Fluents { fluents, .. } = &self.turn else { return None };
        let (fluent, _) = fluents.first()?;
        self.groups.iter().position(|group| group.fluents.contains(fluent))
    }
}

pub fn move_names(game: &Game, moves: &[MoveId]) -> String {
    let name = |action: &MoveId| game.moves[action.index()].term.to_string();
    moves.iter().map(name).collect::<Vec<_>>().join(" ")
}
