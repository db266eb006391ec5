//! The exact values of a value diagram on a care set. Key: (care node, value node).

use super::context::{Context, Kind};
use super::diagram::Diagram;
use super::level::Level;
use super::node::{Node, node_of, pack, unpack};
use super::sweep::{Child, One, Operation, Output, Root, set_of};
use base::limits::LimitReached;
use std::ops::Range;

pub(super) struct Restrict<'a> {
    pub(super) care: &'a Diagram,
    pub(super) value: &'a Diagram,
}

impl Restrict<'_> {
    #[inline(always)]
    pub(super) fn normalise(&self, care: Node, mut value: Node) -> Child {
        if care == Node::ZERO {
            return Ok(0);
        }
        let level = self.care.level(care);
        let above = self.value.index().end(level);
        while value >= above {
            value = self.value.node(value)[0];
        }
        if care.is_terminal() {
            return Ok(value.known_terminal());
        }
        Err((level, pack(care, value)))
    }

    #[inline(always)]
    pub(super) fn children(&self, level: Level, pair: u64) -> [Child; 2] {
        let (care, value) = unpack(pair);
        let at = value >= self.value.index().start(level);
        let values = if at { self.value.node(value) } else { [value; 2] };
        let [lo, hi] = self.care.node(care);
        [self.normalise(lo, values[0]), self.normalise(hi, values[1])]
    }
}

impl Operation for Restrict<'_> {
    type Form = One;
    type Local = ();

    fn nodes(&self, level: Level) -> Range<u32> {
        self.care.index().range(level)
    }

    #[inline(always)]
    fn prefetch(&self, key: &[u64]) {
        let (care, value) = unpack(key[0]);
        self.care.prefetch(care);
        self.value.prefetch(value);
    }

    #[inline(always)]
    fn expand(&self, level: Level, key: &[u64], (): &mut (), output: &mut Output) {
        for (bit, child) in self.children(level, key[0]).into_iter().enumerate() {
            output.child(bit, child, node_of);
        }
    }
}

/// The elements of the set `care` with their values in the value diagram `value` as terminals, except value 0.
pub fn restrict(care: &Diagram, value: &Diagram, context: &Context) -> Result<Diagram, LimitReached> {
    assert!(care.levels() == value.levels(), "diagrams over the same levels");
    let mut operation = Restrict { care, value };
    let root = Root::of(operation.normalise(care.root(), value.root()), node_of);
    set_of(&mut operation, Kind::Restrict, care.levels(), root, context)
}
