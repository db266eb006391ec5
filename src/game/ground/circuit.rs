//! From rule instances to a graph of `and`, `or` and `not`.
//!
//! The formula of an atom is the disjunction of its instances; the formula of an instance is the conjunction of its
//! body. Atoms that depend on each other positively, such as reachability on a board, are unrolled into rounds: round k
//! has the atoms with derivations of depth k. As many rounds as atoms suffice, and unrolling ends as soon as a round
//! changes nothing.

use super::atom::AtomId;
use super::components::{Components, is_recursive};
use super::error::GroundError;
use super::instance::Instances;
use crate::propositional::{Graph, NodeId};
use crate::syntax::Span;
use base::limits::{Account, LimitReached, Limits};
use base::lists::Lists;

const UNBUILT: NodeId = NodeId(u32::MAX);

pub struct Circuit<'a> {
    instances: &'a Instances,
    by_head: Lists<u32>,
    pub graph: Graph,
    nodes: Vec<NodeId>,
    limit: u64,
    literals: Vec<NodeId>,
    alternatives: Vec<NodeId>,
    /// The number of nodes at the last look at limits, and the bytes of the graph that were added to the account then.
    looked: (usize, u64),
}

impl<'a> Circuit<'a> {
    pub fn new(instances: &'a Instances, atoms: usize, limit: u64) -> Self {
        let by_head = Lists::new(atoms, || instances.heads().iter().map(|head| head.0).zip(0..));
        let (graph, nodes) = (Graph::new(), vec![UNBUILT; atoms]);
        let (literals, alternatives) = (Vec::new(), Vec::new());
        Circuit { instances, by_head, graph, nodes, limit, literals, alternatives, looked: (0, 0) }
    }

    /// Makes an atom a fluent or a move.
    pub fn set(&mut self, atom: AtomId, node: NodeId) {
        self.nodes[atom.index()] = node;
    }

    /// The node of an atom; `None` if no root needs the atom.
    pub fn node(&self, atom: AtomId) -> Option<NodeId> {
        Some(self.nodes[atom.index()]).filter(|&node| node != UNBUILT)
    }

    fn needs(&self, atom: u32) -> impl Iterator<Item = u32> {
        let bodies = self.by_head.of(atom).iter().flat_map(|&instance| self.instances.body(instance as usize));
        bodies.map(|literal| literal.atom()).filter(|atom| self.nodes[atom.index()] == UNBUILT).map(|atom| atom.0)
    }

    /// Builds the nodes of the atoms on which `roots` depend. `described`: the name of an atom, and the span of a rule
    /// for it.
    pub fn build(
        &mut self,
        roots: &[AtomId],
        described: impl Fn(AtomId) -> (String, Span),
        account: &mut Account<&Limits>,
    ) -> Result<(), GroundError> {
        let unbuilt = roots.iter().filter(|root| self.nodes[root.index()] == UNBUILT).map(|root| root.0);
        let order = Components::new(self.nodes.len(), unbuilt, |atom| self.needs(atom));
        account.add((order.bytes() + self.by_head.bytes() + self.nodes.len() * 4) as u64)?;
        for members in order.iter() {
            if is_recursive(members, self.needs(members[0])) {
                self.unroll(members, &described, account)?;
            } else {
                self.nodes[members[0] as usize] = self.disjunction(members[0]);
            }
            self.look(account)?;
        }
        Ok(())
    }

    /// Checks limits and accounts for the graph, each time it has grown by some nodes.
    fn look(&mut self, account: &mut Account<&Limits>) -> Result<(), GroundError> {
        let (before, held) = self.looked;
        if self.graph.len() <= before + 4096 {
            return Ok(());
        }
        if self.graph.len() as u64 > self.limit {
            let what = "the number of nodes of the propositional form".to_owned();
            return Err(LimitReached::Size { what, limit: self.limit }.into());
        }
        account.check()?;
        account.add(self.graph.bytes() as u64 - held)?;
        self.looked = (self.graph.len(), self.graph.bytes() as u64);
        Ok(())
    }

    fn disjunction(&mut self, atom: u32) -> NodeId {
        self.alternatives.clear();
        for &instance in self.by_head.of(atom) {
            self.literals.clear();
            for literal in self.instances.body(instance as usize) {
                let node = self.nodes[literal.atom().index()];
                self.literals.push(if literal.is_negative() { self.graph.not(node) } else { node });
            }
            self.alternatives.push(self.graph.and(self.literals.iter().copied()));
        }
        self.graph.or(self.alternatives.iter().copied())
    }

    fn unroll(
        &mut self,
        members: &[u32],
        described: &impl Fn(AtomId) -> (String, Span),
        account: &mut Account<&Limits>,
    ) -> Result<(), GroundError> {
        for &atom in members {
            self.nodes[atom as usize] = NodeId::FALSE;
        }
        for &atom in members {
            for &instance in self.by_head.of(atom) {
                let mut body = self.instances.body(instance as usize).iter();
                let negative =
                    body.find(|literal| literal.is_negative() && members.binary_search(&literal.atom().0).is_ok());
                if let Some(literal) = negative {
                    let (atom, span) = described(literal.atom());
                    return Err(GroundError::Unstratified { atom, span });
                }
            }
        }
        for _ in 0..members.len() {
            let mut round: Vec<NodeId> = Vec::with_capacity(members.len());
            for &atom in members {
                round.push(self.disjunction(atom));
                self.look(account)?;
            }
            let same = members.iter().zip(&round).all(|(&atom, &node)| self.nodes[atom as usize] == node);
            members.iter().zip(round).for_each(|(&atom, node)| self.nodes[atom as usize] = node);
            if same {
                break;
            }
            account.check()?;
        }
        Ok(())
    }
}
