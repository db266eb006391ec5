//! The formulas of a game as clauses (Tseitin 1968), and a step of play. A node is encoded once, on first use, with all
//! nodes below it.

use super::sat::{Literal, Sat};
use crate::interpreter::{JointMove, State};
use crate::propositional::{FluentId, Game, MoveId, Node, NodeId};
use base::limits::Limits;

/// Learnt clauses are minimised with less effort if the graph has more nodes than this.
const LARGE: usize = 100_000;

/// Searches prefer to make a move if a role has more moves than this. With fewer moves, they would become longer.
const WIDE: usize = 256;

#[derive(Debug, Clone, Copy)]
enum Encoded {
    Not,
    Waiting,
    As(Literal),
}

/// A game in a SAT solver: one state, and one move of each role.
pub(crate) struct Encoding<'game> {
    pub game: &'game Game,
    limits: &'game Limits,
    pub sat: Sat<'game>,
    literals: Vec<Encoded>,
    fluents: Vec<Option<Literal>>,
    /// The nodes and the fluents encoded so far, without the constants.
    used: (Vec<NodeId>, Vec<FluentId>),
    /// The moves encoded so far, with the literals of their choice.
    used_moves: Vec<(MoveId, Literal)>,
    step: Option<Literal>,
    /// Whether each role has more than [`WIDE`] moves.
    wide: Vec<bool>,
    /// The literal of each move's choice; empty until there is a step.
    choices: Vec<Literal>,
}

impl<'game> Encoding<'game> {
    pub fn new(game: &'game Game, limits: &'game Limits) -> Self {
        Encoding::in_solver(game, limits, game.graph.len() > LARGE)
    }

    /// For questions about parts of the game. Conflicts are few, and each reaches through most of the part, so learnt
    /// clauses are minimised with less effort.
    pub fn of_part(game: &'game Game, limits: &'game Limits) -> Self {
        Encoding::in_solver(game, limits, true)
    }

    fn in_solver(game: &'game Game, limits: &'game Limits, shallow: bool) -> Self {
        let sat = Sat::new(shallow, limits);
        let mut literals = vec![Encoded::Not; game.graph.len()];
        literals[NodeId::TRUE.index()] = Encoded::As(sat.truth());
        literals[NodeId::FALSE.index()] = Encoded::As(!sat.truth());
        Encoding {
            game,
            limits,
            sat,
            literals,
            fluents: vec![None; game.fluents.len()],
            used: (Vec::new(), Vec::new()),
            used_moves: Vec::new(),
            wide: game.role_ids().map(|role| game.moves_of(role).count() > WIDE).collect(),
            step: None,
            choices: Vec::new(),
        }
    }

    fn choice(&mut self, action: MoveId) -> Literal {
        match self.wide[self.game.moves[action.index()].role.index()] {
            true => self.sat.choice(),
            false => self.sat.literal(),
        }
    }

    /// Forgets everything, for the next question about a part of the game. The cost depends on the encoded part only.
    pub fn forget(&mut self) {
        self.sat = Sat::new(true, self.limits);
        self.used.0.drain(..).for_each(|node| self.literals[node.index()] = Encoded::Not);
        self.used.1.drain(..).for_each(|fluent| self.fluents[fluent.index()] = None);
        self.literals[NodeId::TRUE.index()] = Encoded::As(self.sat.truth());
        self.literals[NodeId::FALSE.index()] = Encoded::As(!self.sat.truth());
        self.used_moves.clear();
        self.step = None;
        self.choices.clear();
    }

    pub fn fluent(&mut self, fluent: FluentId) -> Literal {
        *self.fluents[fluent.index()].get_or_insert_with(|| {
            self.used.1.push(fluent);
            self.sat.literal()
        })
    }

    pub fn fluents(&mut self, fluents: &[FluentId]) -> Vec<Literal> {
        fluents.iter().map(|&fluent| self.fluent(fluent)).collect()
    }

    pub fn node(&mut self, root: NodeId) -> Literal {
        self.nodes(&[root])[0]
    }

    pub fn nodes(&mut self, roots: &[NodeId]) -> Vec<Literal> {
        let mut needed: Vec<NodeId> = Vec::new();
        let mut open: Vec<NodeId> = roots.to_vec();
        while let Some(id) = open.pop() {
            if !matches!(self.literals[id.index()], Encoded::Not) {
                continue;
            }
            self.literals[id.index()] = Encoded::Waiting;
            needed.push(id);
            open.extend_from_slice(self.game.graph.node(id).children());
        }
        needed.sort_unstable();
        for &id in &needed {
            let literal = self.encode(id);
            self.literals[id.index()] = Encoded::As(literal);
        }
        self.used.0.extend(needed);
        roots.iter().map(|root| self.known(*root)).collect()
    }

    fn known(&self, id: NodeId) -> Literal {
        match self.literals[id.index()] {
            Encoded::As(literal) => literal,
            state => panic!("node {} is asked for before it is encoded ({state:?})", id.0),
        }
    }

    fn encode(&mut self, id: NodeId) -> Literal {
        let (children, or) = match self.game.graph.node(id) {
            Node::Not(child) => return !self.known(*child),
            Node::And(children) => (children, false),
            Node::Or(children) => (children, true),
            Node::Fluent(fluent) => return self.fluent(*fluent),
            Node::Move(action) => {
                let choice = self.choice(*action);
                self.used_moves.push((*action, choice));
                return choice;
            }
            Node::True | Node::False => return self.known(id),
        };
        // An `or` is encoded as the negation of the `and` of its children's negations.
        let conjunction = self.sat.literal();
        let mut clause = Vec::with_capacity(children.len() + 1);
        for &child in children {
            let child = if or { !self.known(child) } else { self.known(child) };
            self.sat.add([!conjunction, child]);
            clause.push(!child);
        }
        clause.push(conjunction);
        self.sat.add(clause);
        if or { !conjunction } else { conjunction }
    }

    /// A literal under which the state is not terminal and every role chooses exactly one legal move.
    pub fn step(&mut self) -> Literal {
        if let Some(step) = self.step {
            return step;
        }
        let game = self.game;
        let step = self.sat.literal();
        let terminal = self.node(game.terminal);
        self.sat.add([!step, !terminal]);
        let leaves = self.move_leaves();
        // Every move belongs to a role, and the loop over roles replaces these literals.
        self.choices = vec![self.sat.truth(); game.moves.len()];
        for role in game.role_ids() {
            let mut chosen = Vec::new();
            for id in game.moves_of(role) {
                // A move without effects has no node; it is still a choice.
                let choice = match leaves[id.index()] {
                    Some(node) => self.node(node),
                    None => self.choice(id),
                };
                let legal = self.node(game.moves[id.index()].legal);
                self.sat.add([!step, !choice, legal]);
                chosen.push(choice);
                self.choices[id.index()] = choice;
            }
            self.sat.at_most_one(step, &chosen);
            chosen.push(!step);
            self.sat.add(chosen);
        }
        self.step = Some(step);
        step
    }

    /// Lets each role choose at most one of its encoded moves, which must be legal. If most moves of a role are
    /// encoded, it chooses exactly one of all its moves, because a fluent that each of its moves keeps need not hold if
    /// the role makes no move.
    pub fn choose_used_moves(&mut self) {
        let game = self.game;
        let used = std::mem::take(&mut self.used_moves);
        for role in game.role_ids() {
            let choices = used.iter().filter(|(id, _)| game.moves[id.index()].role == role);
            let mut choices: Vec<(MoveId, Literal)> = choices.copied().collect();
            let number = game.moves_of(role).count();
            let all = 2 * choices.len() > number;
            if all {
                choices.sort_unstable_by_key(|(id, _)| *id);
                let is_new = |id: &MoveId| choices.binary_search_by_key(id, |(known, _)| *known).is_err();
                let others: Vec<MoveId> = game.moves_of(role).filter(is_new).collect();
                choices.extend(others.into_iter().map(|id| (id, self.choice(id))));
            }
            let legal: Vec<NodeId> = choices.iter().map(|(id, _)| game.moves[id.index()].legal).collect();
            let mut chosen: Vec<Literal> = choices.into_iter().map(|(_, choice)| choice).collect();
            for (choice, legal) in chosen.iter().zip(self.nodes(&legal)) {
                self.sat.add([!*choice, legal]);
            }
            let truth = self.sat.truth();
            self.sat.at_most_one(truth, &chosen);
            if all {
                self.sat.add(std::mem::take(&mut chosen));
            }
        }
    }

    pub fn used_fluents(&self) -> Vec<FluentId> {
        let mut used = self.used.1.clone();
        used.sort_unstable();
        used
    }

    /// The state that the last search found. Fluents that were not encoded have no influence and are false.
    pub fn found_state(&self) -> State {
        let mut state = State::empty(self.fluents.len());
        for (id, literal) in self.game.fluent_ids().zip(&self.fluents) {
            if literal.is_some_and(|literal| self.sat.holds(literal)) {
                state.insert(id);
            }
        }
        state
    }

    /// The moves that the last search chose; one of each role if it assumed a step.
    pub fn found_moves(&self) -> JointMove {
        let chosen = |(index, &choice): (usize, &Literal)| self.sat.holds(choice).then_some(MoveId(index as u32));
        self.choices.iter().enumerate().filter_map(chosen).collect()
    }

    fn move_leaves(&self) -> Vec<Option<NodeId>> {
        let mut leaves = vec![None; self.game.moves.len()];
        for (id, node) in self.game.graph.nodes() {
            if let Node::Move(action) = node {
                leaves[action.index()] = Some(id);
            }
        }
        leaves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::handmade::lines;

    #[test]
    fn all_below_a_node_is_encoded_with_it() {
        let (game, limits) = (lines(3, 3, 3), Limits::unlimited());
        let mut encoding = Encoding::new(&game, &limits);
        let terminal = encoding.node(game.terminal);
        assert_eq!(encoding.known(game.terminal), terminal);
        assert!(!encoding.literals.iter().any(|state| matches!(state, Encoded::Waiting)));
    }

    #[test]
    #[should_panic(expected = "before it is encoded")]
    fn a_node_that_is_not_encoded_is_not_taken_for_true() {
        let (game, limits) = (lines(3, 3, 3), Limits::unlimited());
        Encoding::new(&game, &limits).known(game.terminal);
    }
}
