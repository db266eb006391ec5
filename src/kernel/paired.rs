//! Operations on two diagrams at once. Key: (node of the first, node of the second).

use super::context::{Context, Kind};
use super::diagram::Diagram;
use super::level::Level;
use super::node::{Node, node_of, unpack};
use super::sweep::{Child, One, Operation, Output, Root, set_of};
use base::limits::LimitReached;
use std::ops::Range;

pub(super) trait Pairing: Sync + Sized {
    /// Whether the second diagram has values. A node below the level of a pair then stands for itself on both sides;
    /// a node of a set only on the false one.
    const VALUES: bool = false;

    /// What a pair of nodes stands for: a terminal or a request.
    fn normalise(&self, diagrams: [&Diagram; 2], a: Node, b: Node) -> Child;
}

pub(super) struct Paired<'a, P> {
    diagrams: [&'a Diagram; 2],
    pairing: P,
}

impl<'a, P: Pairing> Paired<'a, P> {
    pub(super) fn new(diagrams: [&'a Diagram; 2], pairing: P) -> Self {
        assert!(diagrams[0].levels() == diagrams[1].levels(), "diagrams over the same levels");
        Paired { diagrams, pairing }
    }

    pub(super) fn root(&self) -> Child {
        self.pairing.normalise(self.diagrams, self.diagrams[0].root(), self.diagrams[1].root())
    }

    #[inline(always)]
    pub(super) fn children(&self, level: Level, pair: u64) -> [Child; 2] {
        let below = |diagram: usize, node: Node, hi: Node| {
            let diagram = self.diagrams[diagram];
            if node >= diagram.index().start(level) { diagram.node(node) } else { [node, hi] }
        };
        let (a, b) = unpack(pair);
        let [a, b] = [below(0, a, Node::ZERO), below(1, b, if P::VALUES { b } else { Node::ZERO })];
        [0, 1].map(|bit| self.pairing.normalise(self.diagrams, a[bit], b[bit]))
    }
}

impl<P: Pairing> Operation for Paired<'_, P> {
    type Form = One;
    type Local = ();

    fn nodes(&self, level: Level) -> Range<u32> {
        self.diagrams[0].index().range(level)
    }

    #[inline(always)]
    fn prefetch(&self, key: &[u64]) {
        let (a, b) = unpack(key[0]);
        self.diagrams[0].prefetch(a);
        self.diagrams[1].prefetch(b);
    }

    #[inline(always)]
    fn expand(&self, level: Level, key: &[u64], (): &mut (), output: &mut Output) {
        for (bit, child) in self.children(level, key[0]).into_iter().enumerate() {
            output.child(bit, child, node_of);
        }
    }
}

pub(super) fn paired(
    diagrams: [&Diagram; 2],
    pairing: impl Pairing,
    kind: Kind,
    context: &Context,
) -> Result<Diagram, LimitReached> {
    let mut operation = Paired::new(diagrams, pairing);
    let root = Root::of(operation.root(), node_of);
    set_of(&mut operation, kind, diagrams[0].levels(), root, context)
}
