//! Counts the states of a layer that satisfy a condition, for layers of any size. A walk (`sweep`) visits the pairs of
//! a node of the states and the residual condition there.
//!
//! A residual condition is what remains of the condition after the levels above the node. It is simplified, and equal
//! ones are stored once for all layers. The counts are exact. Time and memory grow with the number of pairs, which is
//! small if the condition is decided early or by few levels; if there are too many pairs, the count is given up.

use super::diagram::Set;
use super::sweep::{AtLeastOne, Beside, Fate, Ways, ways};
use base::limits::{Account, LimitReached, Limits};
use game::batch::Layout;
use game::propositional::{FluentId, Game, Graph, Node, NodeId, RoleId};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Approximate bytes of a node of a formula, with its entries in tables.
const FORMULA: usize = 160;
/// Largest number of pairs per node of the states, in addition to [`FEW`] pairs.
const EACH: usize = 32;
const FEW: usize = 1 << 18;
const UNKNOWN: NodeId = NodeId(u32::MAX);

#[derive(Debug)]
pub struct Conditions<'a> {
    /// The conditions of the game over all levels.
    given: Graph,
    formulas: Formulas<'a>,
    terminal: NodeId,
    /// The condition that a state is terminal with some rewards, by these rewards.
    ends: Vec<(Vec<u8>, NodeId)>,
    /// By role: the condition that a state is not terminal and the role has several legal moves.
    choices: Vec<NodeId>,
    limits: &'a Limits,
}

/// Formulas over levels, and what remains of each after the first level on which it depends.
#[derive(Debug)]
struct Formulas<'a> {
    graph: Graph,
    /// By node: the first level on which it depends; `u32::MAX` for a constant.
    first: Vec<u32>,
    /// By node: its cofactors, with the variable of level `first` false and true; [`UNKNOWN`] until they are needed.
    left: Vec<[NodeId; 2]>,
    account: Account<&'a Limits>,
}

impl<'a> Conditions<'a> {
    /// `rewards`: the tuples of rewards, by role, with which play may end.
    pub fn new(game: &Game, layout: &Layout, rewards: BTreeSet<Vec<u8>>, limits: &'a Limits) -> Self {
        let mut graph = Graph::new();
        let mut fluents = Vec::with_capacity(game.fluents.len());
        for place in layout.fluent_bits() {
            let ones: Vec<NodeId> = place.ones.iter().map(|&level| graph.fluent(FluentId(level))).collect();
            let zeros: Vec<NodeId> = place.zeros.iter().map(|&level| graph.fluent(FluentId(level))).collect();
            let any = graph.or(zeros);
            let none = graph.not(any);
            fluents.push(graph.and(ones.into_iter().chain([none])));
        }
        let goals = game.goals.iter().filter(|_| !rewards.is_empty()).flatten().map(|(_, goal)| *goal);
        let legal = game.moves.iter().map(|action| action.legal);
        let needed = game.graph.needed(legal.chain([game.terminal]).chain(goals));
        let mut nodes = vec![NodeId::FALSE; game.graph.len()];
        for (id, node) in game.graph.nodes().filter(|(id, _)| needed[id.index()]) {
            nodes[id.index()] = match node {
                Node::False => NodeId::FALSE,
                Node::True => NodeId::TRUE,
                Node::Fluent(fluent) => fluents[fluent.index()],
                Node::Move(_) => unreachable!("no condition of a state depends on moves"),
                Node::Not(child) => graph.not(nodes[child.index()]),
                Node::And(inner) => graph.and(inner.iter().map(|child| nodes[child.index()])),
                Node::Or(inner) => graph.or(inner.iter().map(|child| nodes[child.index()])),
            };
        }
        let terminal = nodes[game.terminal.index()];
        let end = |rewards: Vec<u8>| {
            let goals = game.goals.iter().zip(&rewards).map(|(goals, reward)| {
                let goal = goals.iter().find(|(other, _)| other == reward);
                goal.map_or(NodeId::FALSE, |(_, goal)| nodes[goal.index()])
            });
            let end = graph.and([terminal].into_iter().chain(goals));
            (rewards, end)
        };
        let ends = rewards.into_iter().map(end).collect();
        let going = graph.not(terminal);
        let choice = |role: RoleId| {
            let (mut one, mut two) = (NodeId::FALSE, NodeId::FALSE);
            for action in game.moves_of(role) {
                let legal = nodes[game.moves[action.index()].legal.index()];
                let both = graph.and([one, legal]);
                two = graph.or([two, both]);
                one = graph.or([one, legal]);
            }
            graph.and([going, two])
        };
        let choices = game.role_ids().map(choice).collect();
        Conditions { given: graph.clone(), formulas: Formulas::new(graph, limits), terminal, ends, choices, limits }
    }

    /// The number of terminal states; `None` if there are too many pairs.
    pub fn terminal(&mut self, set: &Set) -> Result<Option<BigUint>, LimitReached> {
        self.count(set, self.terminal)
    }

    /// The number of terminal states by rewards; `None` if there are too many pairs.
    pub fn ends(&mut self, set: &Set) -> Result<Option<BTreeMap<Vec<u8>, BigUint>>, LimitReached> {
        let mut found = BTreeMap::new();
        for (reward, end) in self.ends.clone() {
            let Some(states) = self.count(set, end)? else { return Ok(None) };
            found.insert(reward, states);
        }
        Ok(Some(found))
    }

    /// By role: whether it has a choice in the set. `known`: roles that certainly have a choice. `None` if there are
    /// too many pairs.
    pub fn choosers(&mut self, set: &Set, known: &[bool]) -> Result<Option<Vec<bool>>, LimitReached> {
        let mut found = known.to_vec();
        for role in (0..known.len()).filter(|role| !known[*role]) {
            let any = self.walk(set, self.choices[role], false, |any: &mut bool, _: &AtLeastOne| {
                *any = true;
                ControlFlow::Break(())
            })?;
            let Some(any) = any else { return Ok(None) };
            found[role] = any;
        }
        Ok(Some(found))
    }

    fn count(&mut self, set: &Set, condition: NodeId) -> Result<Option<BigUint>, LimitReached> {
        fn add<N: Ways>(total: &mut N, states: &N) -> ControlFlow<()> {
            *total += states;
            ControlFlow::Continue(())
        }
        if set.states.is_some() {
            return Ok(self.walk(set, condition, 0u64, add)?.map(BigUint::from));
        }
        self.walk(set, condition, BigUint::ZERO, add)
    }

    /// Walks over the states that satisfy a condition. Starts with `start` and calls `add` with the number of states of
    /// each group. `None` if there are too many pairs.
    fn walk<N: Ways, T: Clone + Send>(
        &mut self,
        set: &Set,
        condition: NodeId,
        start: T,
        add: impl Fn(&mut T, &N) -> ControlFlow<()> + Sync,
    ) -> Result<Option<T>, LimitReached> {
        let most = FEW + EACH * set.nodes.len();
        loop {
            let mut total = start.clone();
            let besides = std::slice::from_mut(&mut self.formulas);
            let mut arrive = [|_, states: &N| add(&mut total, states)];
            let walked = ways(set, besides, condition.0, most, self.limits, &mut arrive);
            match walked {
                Err(LimitReached::Memory { .. }) => {
                    // Residual conditions of other layers may take up the memory, so they are dropped once.
                    let alone = self.formulas.graph.len() == self.given.len();
                    self.formulas = Formulas::new(self.given.clone(), self.limits);
                    if alone {
                        return Ok(None);
                    }
                }
                walked => return Ok(walked?.map(|()| total)),
            }
        }
    }
}

impl<'a> Formulas<'a> {
    fn new(graph: Graph, limits: &'a Limits) -> Self {
        let mut formulas = Formulas { graph, first: Vec::new(), left: Vec::new(), account: Account::new(&limits) };
        formulas.note();
        formulas
    }

    fn bytes(&self) -> u64 {
        (self.graph.len() * FORMULA) as u64
    }

    fn note(&mut self) {
        for index in self.first.len()..self.graph.len() {
            let node = self.graph.node(NodeId(index as u32));
            let first = match node {
                Node::Fluent(level) => level.0,
                _ => node.children().iter().map(|child| self.first[child.index()]).min().unwrap_or(u32::MAX),
            };
            self.first.push(first);
            self.left.push([UNKNOWN; 2]);
        }
    }

    /// What remains of a formula if the variable of a level has a value. The formula must not depend on levels above.
    fn left(&mut self, formula: NodeId, level: u32, value: bool) -> NodeId {
        if let Some(left) = self.known(formula, level, value) {
            return left;
        }
        let mut open = vec![formula];
        while let Some(&id) = open.last() {
            if self.known(id, level, value).is_some() {
                open.pop();
                continue;
            }
            let before = open.len();
            let node = self.graph.node(id);
            open.extend(node.children().iter().filter(|child| self.known(**child, level, value).is_none()));
            if open.len() > before {
                continue;
            }
            let inner: Vec<NodeId> = node
                .children()
                .iter()
                .map(|child| self.known(*child, level, value).expect("children are done"))
                .collect();
            let made = match node {
                Node::Fluent(_) => self.graph.constant(value),
                Node::Not(_) => self.graph.not(inner[0]),
                Node::And(_) => self.graph.and(inner),
                Node::Or(_) => self.graph.or(inner),
                Node::False | Node::True | Node::Move(_) => unreachable!("it depends on no level"),
            };
            self.note();
            self.left[id.index()][usize::from(value)] = made;
            open.pop();
        }
        self.known(formula, level, value).expect("it was just made")
    }

    #[inline]
    fn known(&self, formula: NodeId, level: u32, value: bool) -> Option<NodeId> {
        if self.first[formula.index()] > level {
            return Some(formula);
        }
        Some(self.left[formula.index()][usize::from(value)]).filter(|left| *left != UNKNOWN)
    }
}

impl Beside for Formulas<'_> {
    fn fate(&self, id: u32) -> Fate {
        match NodeId(id) {
            NodeId::FALSE => Fate::Nothing,
            NodeId::TRUE => Fate::Settled,
            _ => Fate::Open,
        }
    }

    fn skip(&mut self, id: u32, level: u32) -> u32 {
        let mut formula = NodeId(id);
        loop {
            let first = self.first[formula.index()];
            if first >= level {
                return formula.0;
            }
            formula = self.left(formula, first, false);
        }
    }

    fn children(&mut self, id: u32, level: u32) -> [u32; 2] {
        [false, true].map(|value| self.left(NodeId(id), level, value).0)
    }

    fn account(&mut self) -> Result<(), LimitReached> {
        self.account.grow_to(self.bytes())
    }
}
