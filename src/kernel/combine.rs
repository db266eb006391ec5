//! The union of any number of sets in one sweep; intersection and difference of two sets. The key of a union is a
//! sorted list of (node, number of its set), the key of an intersection or a difference is (node, node).

use super::context::{Context, Kind};
use super::diagram::Diagram;
use super::level::Level;
use super::lists::sort_and_dedup;
use super::node::{Node, node_of, pack, unpack};
use super::paired::{Pairing, paired};
use super::sweep::{Child, List, Operation, Output, Root, ZeroSuppressed, descend, reduce};
use base::limits::LimitReached;
use std::ops::Range;

struct Union<'a> {
    sets: &'a [&'a Diagram],
}

impl Union<'_> {
    /// Appends a node to the key under construction, and raises `top` to its level.
    #[inline(always)]
    fn push(&self, set: u32, node: Node, keys: &mut Vec<u64>, top: &mut Level) {
        if node != Node::ZERO {
            *top = (*top).min(self.sets[set as usize].level(node));
            keys.push(pack(node, set));
        }
    }

    /// Completes the key that begins at `start`: returns its terminal and removes it, or sorts it.
    #[inline(always)]
    fn finish(&self, top: Level, start: usize, keys: &mut Vec<u64>) -> Option<u32> {
        if keys.len() == start || top == Level::end(self.sets[0].levels()) {
            let any = keys.len() > start;
            keys.truncate(start);
            return Some(u32::from(any));
        }
        sort_and_dedup(keys, start);
        None
    }
}

impl Operation for Union<'_> {
    type Form = List;
    type Local = ();

    fn nodes(&self, level: Level) -> Range<u32> {
        self.sets[0].index().range(level)
    }

    fn prefetch(&self, key: &[u64]) {
        for &element in key {
            let (node, set) = unpack::<u32>(element);
            self.sets[set as usize].prefetch(node);
        }
    }

    fn expand(&self, level: Level, key: &[u64], (): &mut (), output: &mut Output) {
        for bit in 0..2 {
            let (start, mut top) = (output.keys.len(), Level::NONE);
            for &element in key {
                let (node, set) = unpack::<u32>(element);
                let diagram = self.sets[set as usize];
                if node >= diagram.index().start(level) {
                    self.push(set, diagram.node(node)[bit], &mut output.keys, &mut top);
                } else if bit == 0 {
                    self.push(set, node, &mut output.keys, &mut top);
                }
            }
            match self.finish(top, start, &mut output.keys) {
                Some(terminal) => output.terminal(bit, terminal),
                None => {
                    let node = node_of(output.keys[output.keys.len() - 1]);
                    output.request::<List>(bit, top, node, start)
                }
            }
        }
    }
}

/// The union of at least one set, all over the same levels. Its elements have terminal 1.
pub fn union(sets: &[&Diagram], context: &Context) -> Result<Diagram, LimitReached> {
    let mut operation = Union { sets };
    let (mut key, mut top) = (vec![], Level::NONE);
    for (set, diagram) in sets.iter().enumerate() {
        assert!(diagram.levels() == sets[0].levels(), "sets over the same levels");
        operation.push(set as u32, diagram.root(), &mut key, &mut top);
    }
    let root = match operation.finish(top, 0, &mut key) {
        Some(terminal) => Root::Terminal(terminal),
        None => Root::request(top, node_of(key[key.len() - 1]), key),
    };
    let expanded = descend(&mut operation, Kind::Combine, sets[0].levels(), vec![root], 2, context)?;
    reduce(expanded, &ZeroSuppressed {}, Kind::Combine, context)
}

struct Both<const DIFFERENCE: bool>;

impl<const DIFFERENCE: bool> Pairing for Both<DIFFERENCE> {
    #[inline(always)]
    fn normalise(&self, [of_a, of_b]: [&Diagram; 2], mut a: Node, mut b: Node) -> Child {
        let mut level = of_a.level(a);
        let mut below = of_b.level(b);
        loop {
            if a == Node::ZERO || (b == Node::ZERO && !DIFFERENCE) {
                return Ok(0);
            }
            if below < level {
                b = of_b.node(b)[0];
                below = of_b.level(b);
            } else if level < below && !DIFFERENCE {
                a = of_a.node(a)[0];
                level = of_a.level(a);
            } else {
                break;
            }
        }
        match a.as_terminal() {
            Some(terminal) => Ok(if DIFFERENCE && b != Node::ZERO { 0 } else { terminal }),
            None => Err((level, pack(a, b))),
        }
    }
}

/// The elements of `a` that are in `b`, with their terminals in `a`.
pub fn intersection(a: &Diagram, b: &Diagram, context: &Context) -> Result<Diagram, LimitReached> {
    paired([a, b], Both::<false>, Kind::Combine, context)
}

/// The elements of `a` that are not in `b`, with their terminals in `a`.
pub fn difference(a: &Diagram, b: &Diagram, context: &Context) -> Result<Diagram, LimitReached> {
    paired([a, b], Both::<true>, Kind::Combine, context)
}
