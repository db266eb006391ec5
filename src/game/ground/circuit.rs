//! From rule instances to a graph of `and`, `or` and `not`.
//!
//! The formula of an atom is the disjunction of its instances, that of an instance the conjunction of its body. Atoms
//! that depend on each other positively (a component of the dependency graph of ground atoms, such as reachability on a
//! board) are unrolled into rounds: round k holds what derivations of depth k prove. As many rounds as there are atoms
//! suffice, and unrolling ends as soon as a round changes nothing.

use super::atom::AtomId;
use super::dependency::{Components, is_recursive};
use super::error::GroundError;
use super::instance::Instances;
use crate::propositional::{Graph, NodeId};
use crate::rules::dependencies;
use base::limits::{Account, LimitReached, Limits};

/// Marks an atom that has no node yet.
const UNBUILT: NodeId = NodeId(u32::MAX);

pub struct Circuit<'a> {
    instances: &'a Instances,
    /// By atom: where its instances begin in `by_head`.
    offsets: Vec<u32>,
    by_head: Vec<u32>,
    pub graph: Graph,
    /// By atom.
    nodes: Vec<NodeId>,
    limit: u64,
}

impl<'a> Circuit<'a> {
    /// `limit`: the most nodes of the graph.
    pub fn new(instances: &'a Instances, atoms: usize, limit: u64) -> Self {
        let mut by_head: Vec<u32> = (0..instances.len() as u32).collect();
        by_head.sort_by_key(|&index| instances.head(index as usize));
        let mut offsets = vec![0; atoms + 1];
        by_head.iter().for_each(|&index| offsets[instances.head(index as usize).index() + 1] += 1);
        (0..atoms).for_each(|atom| offsets[atom + 1] += offsets[atom]);
        Circuit { instances, offsets, by_head, graph: Graph::new(), nodes: vec![UNBUILT; atoms], limit }
    }

    /// Makes an atom a fluent or a move.
    pub fn set(&mut self, atom: AtomId, node: NodeId) {
        self.nodes[atom.index()] = node;
    }

    /// The node of an atom; false for one that no root needs.
    pub fn node(&self, atom: AtomId) -> Option<NodeId> {
        Some(self.nodes[atom.index()]).filter(|&node| node != UNBUILT)
    }

    fn of(&self, atom: u32) -> &[u32] {
        &self.by_head[self.offsets[atom as usize] as usize..self.offsets[atom as usize + 1] as usize]
    }

    /// Builds the nodes of the atoms that `roots` depend on. An error names the atom at which it occurred, if there is
    /// one.
    pub fn build(&mut self, roots: &[AtomId], account: &mut Account<&Limits>) -> Result<(), Failure> {
        let unbuilt = |atom: AtomId| self.nodes[atom.index()] == UNBUILT;
        let edges = (0..self.instances.len()).flat_map(|index| {
            let head = self.instances.head(index);
            let body = self.instances.body(index).iter().map(|literal| literal.atom());
            body.filter(|&atom| unbuilt(atom)).map(move |atom| (head.0, atom.0))
        });
        let graph = dependencies::graph(self.nodes.len(), self.instances.literals(), edges);
        let order = Components::new(&graph, roots.iter().filter(|&&root| unbuilt(root)).map(|root| root.0));
        let (mut checked, mut held) = (0, 0);
        for members in order.iter() {
            if is_recursive(&graph, members) {
                self.unroll(members, account)?;
            } else {
                self.nodes[members[0] as usize] = self.disjunction(members[0]);
            }
            if self.graph.len() > checked + 4096 {
                checked = self.graph.len();
                self.check_nodes()?;
                account.add(self.graph.bytes() as u64 - held)?;
                held = self.graph.bytes() as u64;
            }
        }
        Ok(())
    }

    fn check_nodes(&self) -> Result<(), Failure> {
        if self.graph.len() as u64 > self.limit {
            let what = "the number of nodes of the propositional form".to_owned();
            return Err(Failure::Limit(LimitReached::Size { what, limit: self.limit }));
        }
        Ok(())
    }

    fn disjunction(&mut self, atom: u32) -> NodeId {
        let mut alternatives = Vec::with_capacity(self.of(atom).len());
        for position in self.offsets[atom as usize]..self.offsets[atom as usize + 1] {
            let instance = self.by_head[position as usize] as usize;
            let mut literals = Vec::with_capacity(self.instances.body(instance).len());
            for literal in self.instances.body(instance) {
                let node = self.nodes[literal.atom().index()];
                literals.push(if literal.is_negative() { self.graph.not(node) } else { node });
            }
            alternatives.push(self.graph.and(literals));
        }
        self.graph.or(alternatives)
    }

    fn unroll(&mut self, members: &[u32], account: &Account<&Limits>) -> Result<(), Failure> {
        for &atom in members {
            self.nodes[atom as usize] = NodeId::FALSE;
        }
        for &atom in members {
            for &instance in self.of(atom) {
                let mut body = self.instances.body(instance as usize).iter();
                let negative =
                    body.find(|literal| literal.is_negative() && members.binary_search(&literal.atom().0).is_ok());
                if let Some(literal) = negative {
                    return Err(Failure::Unstratified(literal.atom()));
                }
            }
        }
        for _ in 0..members.len() {
            let round: Vec<NodeId> = members.iter().map(|&atom| self.disjunction(atom)).collect();
            let same = members.iter().zip(&round).all(|(&atom, &node)| self.nodes[atom as usize] == node);
            members.iter().zip(round).for_each(|(&atom, node)| self.nodes[atom as usize] = node);
            if same {
                break;
            }
            self.check_nodes()?;
            account.check()?;
        }
        Ok(())
    }
}

/// Why a graph could not be built.
pub enum Failure {
    Limit(LimitReached),
    Unstratified(AtomId),
}

impl From<LimitReached> for Failure {
    fn from(reason: LimitReached) -> Self {
        Failure::Limit(reason)
    }
}

impl Failure {
    /// As an error; `name` displays an atom.
    pub fn explain(self, name: impl Fn(AtomId) -> String) -> GroundError {
        match self {
            Failure::Limit(reason) => GroundError::Limit(reason),
            Failure::Unstratified(atom) => GroundError::Unstratified { atom: name(atom) },
        }
    }
}
