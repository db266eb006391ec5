//! The propositional game: the one narrow type between grounding and everything after it.
//!
//! A state is the set of true fluents. `legal`, `next`, `goal` and `terminal` share one acyclic graph over fluents and
//! moves ([`Graph`]). Nothing in it depends on the language of the rules.

pub mod graph;
pub mod group;
pub(crate) mod table;

pub use graph::{Graph, Node, NodeId};
pub use group::{Group, GroupKind};
use std::fmt;

/// Defines indices of different kinds, so that they cannot be confused.
macro_rules! id {
    ($($(#[$attribute:meta])* $name:ident)*) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        pub struct $name(pub u32);

        impl $name {
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

pub(crate) use id;

id! {
    /// The index of a fluent in [`Game::fluents`].
    FluentId
    /// The index of a role in [`Game::roles`].
    RoleId
    /// The index of a move in [`Game::moves`].
    MoveId
}

/// A term without variables, such as `(cell 1 1 b)` or `noop`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroundTerm {
    pub name: String,
    pub arguments: Vec<GroundTerm>,
}

impl fmt::Display for GroundTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.arguments.is_empty() {
            return f.write_str(&self.name);
        }
        write!(f, "({}", self.name)?;
        for argument in &self.arguments {
            write!(f, " {argument}")?;
        }
        f.write_str(")")
    }
}

/// A fluent and the value that it has where the literal holds.
pub type Literal = (FluentId, bool);

/// Bound on the literals of a role that are tried as its turn.
const TRIED: usize = 256;

#[derive(Debug, Clone)]
pub struct Move {
    pub role: RoleId,
    pub term: GroundTerm,
    /// The condition under which the role may choose this move; it never depends on moves.
    pub legal: NodeId,
    /// The cost for a single player; 1 if moves are counted.
    pub cost: u64,
}

/// A ground atom of a derived predicate that names a node of the graph, for display.
#[derive(Debug, Clone)]
pub struct Derived {
    pub term: GroundTerm,
    pub node: NodeId,
}

/// A game in propositional form.
///
/// Fluents that provably never or always hold in reachable states are removed, and so are moves that are never legal.
/// Fluents that vary stay even if nothing depends on them, because they distinguish states.
#[derive(Debug, Clone, Default)]
pub struct Game {
    pub name: String,
    /// The roles; chance comes last.
    pub roles: Vec<GroundTerm>,
    /// Whether the last role is chance: it moves uniformly at random among its legal moves; its only reward is 0.
    pub has_chance: bool,
    pub fluents: Vec<GroundTerm>,
    pub init: Vec<bool>,
    /// The moves of all roles, by ascending role.
    pub moves: Vec<Move>,
    pub graph: Graph,
    /// For each fluent, the condition that it holds in the successor, over the fluents of the state and the moves.
    pub next: Vec<NodeId>,
    pub terminal: NodeId,
    /// For each role, the possible rewards, ascending, each with the condition under which the role gets it.
    pub goals: Vec<Vec<(u8, NodeId)>>,
    pub derived: Vec<Derived>,
}

impl Game {
    pub fn bytes(&self) -> usize {
        fn of_term(term: &GroundTerm) -> usize {
            size_of::<GroundTerm>() + term.name.len() + 16 + term.arguments.iter().map(of_term).sum::<usize>()
        }
        let moves: usize = self.moves.iter().map(|action| size_of::<Move>() + of_term(&action.term)).sum();
        let derived: usize = self.derived.iter().map(|derived| size_of::<Derived>() + of_term(&derived.term)).sum();
        let fluents: usize = self.fluents.iter().map(of_term).sum();
        self.graph.bytes() + moves + derived + fluents
    }

    pub fn players(&self) -> usize {
        self.roles.len() - usize::from(self.has_chance)
    }

    pub fn player_names(&self) -> Vec<String> {
        self.roles[..self.players()].iter().map(ToString::to_string).collect()
    }

    pub fn has_unit_costs(&self) -> bool {
        self.moves.iter().all(|action| action.cost == 1)
    }

    /// The nodes of all conditions: for moves, the next fluents, the rewards and the end.
    pub fn conditions(&self) -> impl Iterator<Item = NodeId> + '_ {
        let legal = self.moves.iter().map(|action| action.legal);
        let goals = self.goals.iter().flatten().map(|goal| goal.1);
        legal.chain(self.next.iter().copied()).chain(goals).chain([self.terminal])
    }

    /// The game of one role against all others: only this role gets rewards, the other roles get 0.
    pub fn of_one(mut self, role: RoleId) -> Game {
        for other in self.role_ids().filter(|other| *other != role) {
            self.goals[other.index()] = vec![(0, NodeId::TRUE)];
        }
        self
    }

    pub fn fluent_ids(&self) -> impl Iterator<Item = FluentId> + Clone + use<> {
        (0..self.fluents.len() as u32).map(FluentId)
    }

    pub fn role_ids(&self) -> impl Iterator<Item = RoleId> + use<> {
        (0..self.roles.len() as u32).map(RoleId)
    }

    /// By role: literals without which it has at most one legal move, ascending. Empty for a role with one move. Found
    /// by the form of the rules; there may be more of them. At most `most` literals are tried for each role.
    pub fn controls(&self, most: usize) -> Vec<Vec<Literal>> {
        let mut legal = vec![Vec::new(); self.roles.len()];
        self.moves.iter().for_each(|action| legal[action.role.index()].push(action.legal));
        legal.iter().map(|formulas| self.graph.enabling(formulas, most)).collect()
    }

    /// By role: literals such as `(control white)`, without which it and no other role has at most one legal move.
    pub fn turn_literals(&self) -> Vec<Vec<Literal>> {
        let mut controls = self.controls(TRIED);
        // Of two moves that exclude each other, either may be the wait; a fluent that holds tells rather than one that
        // does not.
        for literals in &mut controls {
            let held: Vec<FluentId> = literals.iter().filter(|literal| literal.1).map(|literal| literal.0).collect();
            literals.retain(|(fluent, value)| *value || !held.contains(fluent));
        }
        let mut all = controls.concat();
        all.sort_unstable();
        let number = |literal: &Literal| {
            all.partition_point(|other| other <= literal) - all.partition_point(|other| other < literal)
        };
        controls.iter_mut().for_each(|literals| literals.retain(|literal| number(literal) == 1));
        controls
    }

    pub fn moves_of(&self, role: RoleId) -> impl Iterator<Item = MoveId> + '_ {
        (0..self.moves.len() as u32).map(MoveId).filter(move |id| self.moves[id.index()].role == role)
    }
}
