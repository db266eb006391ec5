//! How many states of a layer fulfil a condition, whatever the size of the layer: one walk over the pairs of a node of the
//! states and what is left of the condition there, from the top level down, that adds up the number of ways to each pair.
//!
//! Exact. What is left of a condition is a formula over the levels below, simplified and shared. Time and memory grow
//! with the pairs; there are few where a condition is decided early or by few levels, and too many where it is not: then
//! there is no answer.

use super::diagram::{Set, TERMINALS};
use crate::batch::Layout;
use crate::limits::{LimitReached, Limits};
use crate::propositional::{FluentId, Game, Graph, Node, NodeId, RoleId};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Bytes that a pair takes, at most.
const PAIR: usize = 64;
/// Bytes that a node of a formula takes with what is known of it, about.
const FORMULA: usize = 192;
/// Pairs expanded between two looks at the limits.
const BATCH: usize = 1 << 12;
/// Pairs for each node of the states that are not too many, and for none.
const EACH: usize = 32;
const FEW: usize = 1 << 18;
/// Part of the memory that is left which this may take (one over this).
const SHARE: u64 = 4;

/// The conditions of a game as formulas over levels.
#[derive(Debug)]
pub struct Conditions {
    graph: Graph,
    terminal: NodeId,
    /// Of a single player: its rewards, each with where play is over with it.
    ends: Vec<(u8, NodeId)>,
    /// By role: play is not over, and it has more than one legal move.
    choices: Vec<NodeId>,
    /// By node: the first level that it depends on.
    first: Vec<u32>,
    known: FxHashMap<(NodeId, u32, bool), NodeId>,
}

impl Conditions {
    pub fn new(game: &Game, layout: &Layout) -> Conditions {
        let mut graph = Graph::new();
        let mut fluents = vec![NodeId::FALSE; game.fluents.len()];
        for (level, fluent) in (0..).zip(layout.positions()) {
            fluents[fluent.index()] = graph.fluent(FluentId(level));
        }
        for (fluent, unless) in layout.defaults() {
            let levels: Vec<NodeId> = unless.iter().map(|&level| graph.fluent(FluentId(level))).collect();
            let any = graph.or(levels);
            fluents[fluent.index()] = graph.not(any);
        }
        let mut needed = vec![false; game.graph.len()];
        needed[game.terminal.index()] = true;
        game.moves.iter().for_each(|action| needed[action.legal.index()] = true);
        let goals = game.goals.first().filter(|_| game.goals.len() == 1).map_or(&[][..], Vec::as_slice);
        goals.iter().for_each(|(_, goal)| needed[goal.index()] = true);
        for index in (0..game.graph.len()).rev().filter(|&index| !NodeId(index as u32).is_constant()) {
            if needed[index] {
                children(game.graph.node(NodeId(index as u32))).iter().for_each(|child| needed[child.index()] = true);
            }
        }
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
        let end = |&(reward, goal): &(u8, NodeId)| (reward, graph.and([terminal, nodes[goal.index()]]));
        let ends = goals.iter().map(end).collect();
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
        Conditions { graph, terminal, ends, choices, first: Vec::new(), known: FxHashMap::default() }
    }

    /// The number of terminal states of a set; `None`: this takes too much.
    pub fn terminal(&mut self, set: &Set, limits: &Limits) -> Result<Option<BigUint>, LimitReached> {
        self.count(set, self.terminal, limits)
    }

    /// Of a single player: the number of terminal states of a set by their rewards; `None`: this takes too much.
    pub fn ends(&mut self, set: &Set, limits: &Limits) -> Result<Option<BTreeMap<u8, BigUint>>, LimitReached> {
        let mut found = BTreeMap::new();
        for (reward, end) in self.ends.clone() {
            let Some(states) = self.count(set, end, limits)? else { return Ok(None) };
            found.insert(reward, states);
        }
        Ok(Some(found))
    }

    /// By role: whether it has a choice in a state of the set; `None`: this takes too much.
    pub fn choosers(&mut self, set: &Set, limits: &Limits) -> Result<Option<Vec<bool>>, LimitReached> {
        let mut found = Vec::new();
        for role in 0..self.choices.len() {
            match self.count(set, self.choices[role], limits)? {
                Some(states) => found.push(states != BigUint::ZERO),
                None => return Ok(None),
            }
        }
        Ok(Some(found))
    }

    fn count(&mut self, set: &Set, condition: NodeId, limits: &Limits) -> Result<Option<BigUint>, LimitReached> {
        if set.states.is_some() {
            return Ok(self.ways::<u64>(set, condition, limits)?.map(BigUint::from));
        }
        self.ways::<BigUint>(set, condition, limits)
    }

    /// The number of states in which a condition holds.
    fn ways<N>(&mut self, set: &Set, condition: NodeId, limits: &Limits) -> Result<Option<N>, LimitReached>
    where
        N: Clone + Default + From<u32> + for<'n> std::ops::AddAssign<&'n N>,
    {
        let room = limits.memory().saturating_sub(limits.used()) / SHARE;
        let _memory = limits.hold(room)?;
        let mut total = N::default();
        let mut levels: Vec<FxHashMap<(u32, NodeId), N>> = vec![FxHashMap::default(); set.levels + 1];
        let (mut pairs, most) = (0, FEW + EACH * set.nodes.len());
        let mut open = vec![((set.root, condition), N::from(1))];
        for level in 0..=set.levels {
            for (pair, ways) in std::mem::take(&mut levels[level]).into_iter().chain(open.drain(..)).collect::<Vec<_>>()
            {
                pairs += 1;
                if pairs % BATCH == 0 {
                    limits.check()?;
                    let held: usize = levels.iter().map(|level| level.capacity() * PAIR).sum();
                    if pairs > most || (held + self.graph.len() * FORMULA) as u64 > room {
                        return Ok(None);
                    }
                }
                let arrivals = match pair.0.checked_sub(TERMINALS) {
                    Some(_) if set.node(pair.0).level() == level => {
                        let node = set.node(pair.0);
                        let (low, high) =
                            (self.restrict(pair.1, level as u32, false), self.restrict(pair.1, level as u32, true));
                        [Some((node.lo, low)), Some((node.hi, high))]
                    }
                    _ => [Some(pair), None],
                };
                for (state, left) in arrivals.into_iter().flatten() {
                    let below = if state < TERMINALS { set.levels } else { set.node(state).level() };
                    let left = self.skip(left, below as u32);
                    match (state, left) {
                        (0, _) | (_, NodeId::FALSE) => {}
                        (1, _) => total += &ways,
                        _ => *levels[below].entry((state, left)).or_default() += &ways,
                    }
                }
            }
        }
        Ok(Some(total))
    }

    /// What is left where all levels before one are false.
    fn skip(&mut self, mut formula: NodeId, end: u32) -> NodeId {
        loop {
            let first = self.first_level(formula);
            if first >= end {
                return formula;
            }
            formula = self.restrict(formula, first, false);
        }
    }

    /// The first level that a formula depends on; `u32::MAX` for a constant.
    fn first_level(&mut self, formula: NodeId) -> u32 {
        for index in self.first.len()..self.graph.len() {
            let node = self.graph.node(NodeId(index as u32));
            let first = match node {
                Node::Fluent(level) => level.0,
                _ => children(node).iter().map(|child| self.first[child.index()]).min().unwrap_or(u32::MAX),
            };
            self.first.push(first);
        }
        self.first[formula.index()]
    }

    /// What is left of a formula where a level, and none before it that it depends on, has a value.
    fn restrict(&mut self, formula: NodeId, level: u32, value: bool) -> NodeId {
        let mut open = vec![formula];
        while let Some(&id) = open.last() {
            if self.left(id, level, value).is_some() {
                open.pop();
                continue;
            }
            let before = open.len();
            for child in children(self.graph.node(id)).to_vec() {
                if self.left(child, level, value).is_none() {
                    open.push(child);
                }
            }
            if open.len() > before {
                continue;
            }
            let node = self.graph.node(id).clone();
            let inner: Vec<NodeId> = children(&node)
                .iter()
                .map(|child| self.left(*child, level, value).expect("children are done"))
                .collect();
            let made = match node {
                Node::Fluent(_) => self.graph.constant(value),
                Node::Not(_) => self.graph.not(inner[0]),
                Node::And(_) => self.graph.and(inner),
                Node::Or(_) => self.graph.or(inner),
                Node::False | Node::True | Node::Move(_) => unreachable!("it depends on no level"),
            };
            self.known.insert((id, level, value), made);
            open.pop();
        }
        self.left(formula, level, value).expect("it was just made")
    }

    /// What is left of a formula, if that is known.
    fn left(&mut self, formula: NodeId, level: u32, value: bool) -> Option<NodeId> {
        if self.first_level(formula) > level {
            return Some(formula);
        }
        self.known.get(&(formula, level, value)).copied()
    }
}

fn children(node: &Node) -> &[NodeId] {
    match node {
        Node::Not(child) => std::slice::from_ref(child),
        Node::And(inner) | Node::Or(inner) => inner,
        _ => &[],
    }
}
