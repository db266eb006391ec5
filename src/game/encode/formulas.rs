//! Formulas of the game's graph as small decision diagrams over the variables. Nodes are evaluated in topological
//! order, without recursion, each at most once. A node whose diagram would be too large gets `None`, and so does every
//! node that depends on it.

use super::variables::{FluentCode, Variables};
use crate::bdd::{Bdd, Manager, Steps, TooLarge};
use crate::propositional::{FluentId, Graph, Node, NodeId};
use base::limits::{Account, Limits, table_bytes};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

pub struct Formulas<'a> {
    pub graph: &'a Graph,
    pub variables: &'a Variables,
    pub manager: Manager,
    /// Bound on the new nodes for the diagram of one node of the graph.
    pub room: usize,
    memo: FxHashMap<NodeId, Option<Bdd>>,
    replaced: FxHashMap<NodeId, Bdd>,
    /// Pairs that never hold together.
    apart: FxHashSet<Pair>,
    /// Bound on the pairs of a walk, and on those that are kept from walk to walk.
    most: usize,
    account: Account,
}

/// Two functions, and the end of the group of which a value holds already, 0 if there is none.
type Pair = (Bdd, Bdd, u32);

/// Bound on the pairs of a walk; there are fewer if there may be fewer nodes.
const MOST_PAIRS: usize = 1 << 20;
/// Bytes of the first pairs.
const LEAST_BYTES: usize = 256;

impl<'a> Formulas<'a> {
    pub fn new(
        graph: &'a Graph,
        variables: &'a Variables,
        (nodes, steps): (usize, &Steps),
        room: usize,
        limits: &Arc<Limits>,
    ) -> Self {
        Formulas {
            graph,
            variables,
            manager: Manager::new(nodes, limits).with_steps(steps),
            room,
            memo: FxHashMap::default(),
            replaced: FxHashMap::default(),
            apart: FxHashSet::default(),
            most: nodes.min(MOST_PAIRS),
            account: Account::new(limits),
        }
    }

    /// Makes `meaning` the diagram of `node`. [`Formulas::forget`] must follow if a node above it was evaluated before.
    pub fn replace(&mut self, node: NodeId, meaning: Bdd) {
        self.replaced.insert(node, meaning);
        self.memo.insert(node, Some(meaning));
    }

    /// Discards the diagrams of all nodes, so that replacements take effect everywhere.
    pub fn forget(&mut self) {
        self.memo = self.replaced.iter().map(|(&node, &meaning)| (node, Some(meaning))).collect();
    }

    /// The diagram of a fluent: its variable; for a default, the condition that no variable of its group holds.
    pub fn fluent(&mut self, fluent: FluentId) -> Result<Bdd, TooLarge> {
        match self.variables.code(fluent) {
            FluentCode::Level(level) => self.manager.literal(level, true),
            FluentCode::Default(block) => {
                let mut none = Bdd::TRUE;
                for level in self.variables.blocks()[block].levels().rev() {
                    let absent = self.manager.literal(level, false)?;
                    none = self.manager.and(absent, none)?;
                }
                Ok(none)
            }
        }
    }

    /// The diagram of a node that does not depend on moves; `None` if it would be too large.
    pub fn small(&mut self, root: NodeId) -> Result<Option<Bdd>, TooLarge> {
        self.manager.forget_results();
        let mut stack = vec![root];
        while let Some(&node) = stack.last() {
            if self.memo.contains_key(&node) {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            stack.extend(self.graph.node(node).children().iter().filter(|child| !self.memo.contains_key(child)));
            if stack.len() == waiting {
                let value = self.evaluate(node)?;
                self.memo.insert(node, value);
                stack.pop();
            }
        }
        Ok(self.memo[&root])
    }

    fn evaluate(&mut self, node: NodeId) -> Result<Option<Bdd>, TooLarge> {
        let (inner, or) = match self.graph.node(node) {
            Node::Move(action) => panic!("move {} in a formula that no move influences", action.0),
            Node::False => return Ok(Some(Bdd::FALSE)),
            Node::True => return Ok(Some(Bdd::TRUE)),
            Node::Fluent(fluent) => return self.fluent(*fluent).map(Some),
            Node::Not(child) => {
                let Some(inner) = self.memo[child] else { return Ok(None) };
                return self.manager.within(self.room, |manager| manager.not(inner));
            }
            Node::And(inner) => (inner, false),
            Node::Or(inner) => (inner, true),
        };
        let Some(mut parts) = inner.iter().map(|child| self.memo[child]).collect::<Option<Vec<Bdd>>>() else {
            return Ok(None);
        };
        // The diagram whose root is at the deepest level comes first, so that each step adds nodes above existing
        // nodes.
        parts.sort_by_key(|&part| std::cmp::Reverse(self.manager.level(part)));
        self.manager.within(self.room, |manager| {
            parts.iter().try_fold(if or { Bdd::FALSE } else { Bdd::TRUE }, |all, &part| {
                if or { manager.or(part, all) } else { manager.and(part, all) }
            })
        })
    }

    /// Whether `f` and `g` hold together for some assignment in which no two values of a group hold, as no state has
    /// others. A walk over pairs of nodes answers this, because the levels of a group are neighbours. It makes no nodes
    /// and ends at the first such assignment. The pairs of a walk that finds none are kept for later walks.
    pub fn meet(&mut self, f: Bdd, g: Bdd) -> Result<bool, TooLarge> {
        if self.apart.len() > self.most {
            self.apart = FxHashSet::default();
        }
        let mut walked = Vec::new();
        let found = self.walk(f, g, &mut walked);
        if !matches!(found, Ok(false)) {
            walked.iter().for_each(|pair| _ = self.apart.remove(pair));
        }
        found
    }

    fn walk(&mut self, f: Bdd, g: Bdd, walked: &mut Vec<Pair>) -> Result<bool, TooLarge> {
        let mut stack = vec![(f, g, 0)];
        while let Some((f, g, taken)) = stack.pop() {
            match (f, g) {
                (Bdd::TRUE, Bdd::TRUE) => return Ok(true),
                (Bdd::FALSE, _) | (_, Bdd::FALSE) => continue,
                _ => self.manager.step()?,
            }
            let level = self.manager.level(f).min(self.manager.level(g));
            let taken = if level < taken { taken } else { 0 };
            let pair = (f.min(g), f.max(g), taken);
            self.make_room(walked)?;
            if !self.apart.insert(pair) {
                continue;
            }
            walked.push(pair);
            for (bit, taken) in [(false, taken), (true, self.variables.block_of(level).levels().end)] {
                if !bit || pair.2 == 0 {
                    stack.push((self.manager.cofactor(f, level, bit), self.manager.cofactor(g, level, bit), taken));
                }
            }
        }
        Ok(false)
    }

    /// Makes room for another pair. What is full doubles, beside its old copy for a moment.
    fn make_room(&mut self, walked: &mut Vec<Pair>) -> Result<(), TooLarge> {
        if walked.len() == self.most {
            return Err(TooLarge::Nodes);
        }
        if walked.len() == walked.capacity() || self.apart.len() == self.apart.capacity() {
            let bytes = |apart: &FxHashSet<Pair>, walked: &Vec<Pair>| {
                table_bytes(apart.capacity(), size_of::<Pair>()) + walked.capacity() * size_of::<Pair>()
            };
            self.account.set((3 * bytes(&self.apart, walked) + LEAST_BYTES) as u64)?;
            self.apart.reserve(1);
            walked.reserve(1);
            self.account.shrink_to(bytes(&self.apart, walked) as u64);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propositional::{Group, GroupKind, MoveId};
    use base::random::Random;

    #[test]
    fn functions_meet_where_no_two_values_of_a_group_hold() {
        let group = |fluents: &[u32]| Group {
            kind: GroupKind::AtMostOne,
            fluents: fluents.iter().map(|&fluent| FluentId(fluent)).collect(),
        };
        let groups = [group(&[0, 3, 5]), group(&[1]), group(&[2, 4, 6])];
        let variables = Variables::new(7, &groups, &[None; 3], &[2, 0, 1]);
        let (graph, limits, mut random) = (Graph::new(), Arc::new(Limits::unlimited()), Random::new(3));
        let mut formulas = Formulas::new(&graph, &variables, (100_000, &Steps::UNLIMITED), 100, &limits);
        let is_state = |bits: &u32| {
            let of_block = |level: u32| variables.block_of(level).levels().filter(|level| bits >> level & 1 == 1);
            (0..7).all(|level| of_block(level).count() <= 1)
        };
        let states: Vec<Vec<bool>> =
            (0..1 << 7).filter(is_state).map(|bits| (0..7).map(|level| bits >> level & 1 == 1).collect()).collect();
        assert_eq!(states.len(), 4 * 2 * 4);
        let mut met = [0; 2];
        for _ in 0..400 {
            let cube = |formulas: &mut Formulas, random: &mut Random| {
                (0..3).fold(Bdd::TRUE, |all, _| {
                    let literal = formulas.manager.literal(random.below(7) as u32, random.below(3) > 0).unwrap();
                    formulas.manager.and(all, literal).unwrap()
                })
            };
            let [f, g] = [(); 2].map(|()| {
                let cubes = [(); 2].map(|()| cube(&mut formulas, &mut random));
                formulas.manager.or(cubes[0], cubes[1]).unwrap()
            });
            let holds = |state: &Vec<bool>| formulas.manager.evaluate(f, state) && formulas.manager.evaluate(g, state);
            let expected = states.iter().any(holds);
            // The second walk knows what the first one has kept.
            for _ in 0..2 {
                assert_eq!(formulas.meet(f, g).unwrap(), expected);
            }
            met[usize::from(expected)] += 1;
        }
        assert!(met.iter().all(|&some| some > 50), "{met:?}");
        drop(formulas);
        assert_eq!(limits.used(), 0);
    }

    #[test]
    #[should_panic(expected = "that no move influences")]
    fn a_move_is_not_taken_for_false() {
        let mut graph = Graph::new();
        let (action, fluent) = (graph.action(MoveId(0)), graph.fluent(FluentId(0)));
        let root = graph.or([action, fluent]);
        let variables = Variables::new(1, &[], &[], &[]);
        let limits = Arc::new(Limits::unlimited());
        let _ = Formulas::new(&graph, &variables, (100, &Steps::UNLIMITED), 100, &limits).small(root);
    }
}
