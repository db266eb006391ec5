//! Operations on multi-terminal sets: overlaying one set by another, renaming terminals, and conversion to a value
//! diagram. Keys: (node, node) for an overlay, a node for the other operations.

use super::context::{Context, Kind};
use super::diagram::Diagram;
use super::level::Level;
use super::node::{Node, TERMINALS, pack, pack_alone, unpack_alone};
use super::paired::{Pairing, paired};
use super::sweep::{Child, DontCare, Expanded, One, Operation, Output, Root, ZeroSuppressed, descend, reduce};
use base::limits::LimitReached;
use std::ops::Range;

struct Overlay;

impl Pairing for Overlay {
    #[inline(always)]
    fn normalise(&self, [of_base, of_over]: [&Diagram; 2], base: Node, over: Node) -> Child {
        if let (Some(base), Some(over)) = (base.as_terminal(), over.as_terminal()) {
            return Ok(if over != 0 { over } else { base });
        }
        let level = of_base.level(base).min(of_over.level(over));
        Err((level, pack(base, over)))
    }
}

/// The elements of both sets. An element of both has its terminal in `over`.
pub fn overlay(base: &Diagram, over: &Diagram, context: &Context) -> Result<Diagram, LimitReached> {
    paired([base, over], Overlay, Kind::Combine, context)
}

/// Not generic: the whole sweep would be compiled anew for each function.
struct Rename<'a> {
    set: &'a Diagram,
    rename: &'a (dyn Fn(u32) -> u32 + Sync),
}

impl Rename<'_> {
    #[inline(always)]
    fn normalise(&self, node: Node) -> Child {
        match node.as_terminal() {
            Some(0) => Ok(0),
            Some(terminal) => Ok((self.rename)(terminal)),
            None => Err((self.set.level(node), pack_alone(node))),
        }
    }

    fn expanded(mut self, context: &Context) -> Result<Expanded, LimitReached> {
        let root = Root::of(self.normalise(self.set.root()), unpack_alone);
        let levels = self.set.levels();
        descend(&mut self, Kind::Combine, levels, vec![root], TERMINALS, context)
    }
}

impl Operation for Rename<'_> {
    type Form = One;
    type Local = ();

    fn nodes(&self, level: Level) -> Range<u32> {
        self.set.index().range(level)
    }

    fn prefetch(&self, key: &[u64]) {
        self.set.prefetch(unpack_alone(key[0]));
    }

    fn expand(&self, _level: Level, key: &[u64], (): &mut (), output: &mut Output) {
        for (bit, child) in self.set.node(unpack_alone(key[0])).into_iter().enumerate() {
            output.child(bit, self.normalise(child), unpack_alone);
        }
    }
}

/// Maps terminals to new ones. Elements with the new terminal 0 are dropped.
pub fn renamed(
    set: &Diagram,
    terminal: impl Fn(u32) -> u32 + Sync,
    context: &Context,
) -> Result<Diagram, LimitReached> {
    let expanded = Rename { set, rename: &terminal }.expanded(context)?;
    reduce(expanded, &ZeroSuppressed {}, Kind::Combine, context)
}

/// A value diagram with the terminal of each element of `set`, arbitrary elsewhere.
pub fn as_values(set: &Diagram, context: &Context) -> Result<Diagram, LimitReached> {
    let expanded = Rename { set, rename: &|terminal| terminal }.expanded(context)?;
    reduce(expanded, &DontCare {}, Kind::Combine, context)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elements::set_of_table as set;
    use base::limits::Limits;
    use base::random::Random;
    use std::sync::Arc;

    #[test]
    fn tables_of_terminals_are_laid_over_each_other_renamed_and_read_as_values() {
        let limits = Arc::new(Limits::unlimited());
        let context = Context::new(limits.clone(), 1);
        let mut random = Random::new(3);
        for round in 0..300 {
            let levels = round % 7;
            let mut table = |empty: usize| -> Vec<u32> {
                (0..1 << levels).map(|_| if random.chance(empty) { 0 } else { 1 + random.below(4) as u32 }).collect()
            };
            let (base, over) = (table(40), table(60));
            let (a, b) = (set(levels, &base, &limits), set(levels, &over, &limits));
            let both: Vec<u32> =
                base.iter().zip(&over).map(|(&base, &over)| if over != 0 { over } else { base }).collect();
            assert_eq!(overlay(&a, &b, &context).unwrap(), set(levels, &both, &limits));
            let name = |terminal: u32| [0, 3, 0, 1, 1][terminal as usize];
            let names: Vec<u32> = base.iter().map(|&terminal| name(terminal)).collect();
            assert_eq!(renamed(&a, name, &context).unwrap(), set(levels, &names, &limits));
            let values = as_values(&a, &context).unwrap();
            for (bits, &terminal) in base.iter().enumerate().filter(|entry| *entry.1 != 0) {
                let assignment: Vec<bool> = (0..levels).map(|level| bits >> (levels - 1 - level) & 1 == 1).collect();
                assert_eq!(values.value_at(&assignment), terminal);
            }
        }
    }
}
