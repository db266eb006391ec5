//! Gives each element of a set the outcome of a lazy automaton that reads its levels, and drops elements with outcome
//! 0. Key: (node, automaton state). Cost: 45 to 75 ns for each pair of a node and a state that meet.

use super::context::{Context, Kind};
use super::diagram::Diagram;
use super::level::Level;
use super::node::{Node, node_of, pack, unpack};
use super::sweep::{Child, One, Operation, Output, Root, set_of};
use super::{Automaton, Outcome};
use base::limits::LimitReached;
use std::ops::Range;

/// The state `DECIDED + outcome` has this outcome. Smaller numbers are states of the automaton.
pub(super) const DECIDED: u32 = 1 << 31;

struct Select<'a, A> {
    set: &'a Diagram,
    automaton: &'a A,
}

/// The request for a node of this level and an automaton state; or its result if that is known.
#[inline(always)]
pub(super) fn normalise(
    automaton: &impl Automaton,
    (node, level): (Node, Level),
    mut state: u32,
) -> Result<Child, LimitReached> {
    if node == Node::ZERO {
        return Ok(Ok(0));
    }
    while state < DECIDED {
        match automaton.outcome(state) {
            Outcome::Decided(outcome) => state = DECIDED + outcome,
            Outcome::Undecided => match automaton.level(state) {
                Level::NONE => state = DECIDED,
                next if next < level => state = automaton.next(state, false)?,
                _ => break,
            },
        }
    }
    if node.is_terminal() || state == DECIDED {
        let outcome = state.checked_sub(DECIDED).expect("an automaton decides at the last of its levels");
        return Ok(Ok(outcome));
    }
    Ok(Err((level, pack(node, state))))
}

impl<A: Automaton> Select<'_, A> {
    #[inline(always)]
    fn normalise(&self, node: Node, state: u32) -> Result<Child, LimitReached> {
        normalise(self.automaton, (node, self.set.level(node)), state)
    }

    #[inline(always)]
    fn children(&self, level: Level, key: u64, output: &mut Output) -> Result<(), LimitReached> {
        let (node, state) = unpack::<u32>(key);
        let reads = state < DECIDED && self.automaton.level(state) == level;
        for (bit, child) in self.set.node(node).into_iter().enumerate() {
            let state = if reads && child != Node::ZERO { self.automaton.next(state, bit == 1)? } else { state };
            output.child(bit, self.normalise(child, state)?, node_of);
        }
        Ok(())
    }
}

impl<A: Automaton> Operation for Select<'_, A> {
    type Form = One;
    type Local = ();

    fn nodes(&self, level: Level) -> Range<u32> {
        self.set.index().range(level)
    }

    #[inline(always)]
    fn prefetch(&self, key: &[u64]) {
        self.set.prefetch(node_of(key[0]));
    }

    fn size(&self) -> u64 {
        self.automaton.size()
    }

    #[inline(always)]
    fn expand(&self, level: Level, key: &[u64], (): &mut (), output: &mut Output) {
        if let Err(limit) = self.children(level, key[0], output) {
            output.fail(limit);
        }
    }
}

/// The elements of `set`, each with the automaton's outcome as its terminal. Elements with outcome 0 are dropped.
pub fn classify<A: Automaton>(
    set: &Diagram,
    automaton: &A,
    start: u32,
    context: &Context,
) -> Result<Diagram, LimitReached> {
    let mut operation = Select { set, automaton };
    let root = Root::of(operation.normalise(set.root(), start)?, node_of);
    set_of(&mut operation, Kind::Select, set.levels(), root, context)
}
