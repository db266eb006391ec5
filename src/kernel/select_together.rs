//! Selection from a set by several processes together. Only process 0 has the automaton. The others learn its states as
//! they need them: before a level is expanded, every process sends the states that its requests will read there, and
//! process 0 sends the next states to all. With each state a process also learns the states that false values lead to,
//! so skipped levels need no exchange.

use super::context::{Context, Kind};
use super::diagram::Diagram;
use super::guarded::Reading;
use super::level::Level;
use super::node::{Node, TERMINALS, node_of, unpack};
use super::peers::Peers;
use super::select::{DECIDED, normalise};
use super::source::{Lent, Source};
use super::sweep::{Child, One, Operation, Output, Root, descend, reduce_together};
use super::{Automaton, Outcome};
use base::limits::{Account, LimitReached, Limits};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Stands for an unknown state, and for an open outcome.
const UNKNOWN: u32 = u32::MAX;
/// Words that describe a state: its number, level, outcome, and the two next states.
const TOLD: usize = 5;

struct State {
    is_known: bool,
    level: Level,
    outcome: u32,
    next: [u32; 2],
    /// Whether a request of this process will read the state at its level.
    is_read: AtomicBool,
}

struct Learned {
    states: Vec<State>,
    /// For each level, the states that requests of this process will read there.
    read: Vec<Mutex<Vec<u32>>>,
    account: Account,
}

impl Automaton for Learned {
    #[inline(always)]
    fn level(&self, state: u32) -> Level {
        self.states[state as usize].level
    }

    #[inline(always)]
    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        let next = self.states[state as usize].next[usize::from(bit)];
        debug_assert!(next != UNKNOWN, "a state is told before it is read");
        Ok(next)
    }

    #[inline(always)]
    fn outcome(&self, state: u32) -> Outcome {
        match self.states[state as usize].outcome {
            UNKNOWN => Outcome::Undecided,
            outcome => Outcome::Decided(outcome),
        }
    }
}

impl Learned {
    fn new(levels: u32, limits: &Arc<Limits>) -> Learned {
        let read = Level::all(levels).map(|_| Mutex::default()).collect();
        Learned { states: Vec::new(), read, account: Account::new(limits) }
    }

    fn learn(&mut self, message: &[u32]) -> Result<(), LimitReached> {
        for told in message.chunks_exact(TOLD) {
            let number = told[0] as usize;
            if number >= self.states.len() {
                let states = (number + 1).next_power_of_two();
                self.account.grow_to((states * (size_of::<State>() + size_of::<u32>())) as u64)?;
                self.states.reserve_exact(states - self.states.len());
                self.states.resize_with(states, || State {
                    is_known: false,
                    level: Level::NONE,
                    outcome: UNKNOWN,
                    next: [UNKNOWN; 2],
                    is_read: AtomicBool::new(false),
                });
            }
            let state = &mut self.states[number];
            (state.is_known, state.level, state.outcome) = (true, Level::new(told[1]), told[2]);
            state.next = [told[3], told[4]];
        }
        Ok(())
    }

    /// Notes that there will be a request of this level for a state.
    #[inline(always)]
    fn meet(&self, level: Level, state: u32) {
        if state >= DECIDED {
            return;
        }
        let known = &self.states[state as usize];
        if known.level == level && !known.is_read.load(Relaxed) && !known.is_read.swap(true, Relaxed) {
            self.of_level(level).push(state);
        }
    }

    fn of_level(&self, level: Level) -> MutexGuard<'_, Vec<u32>> {
        self.read[level.index()].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn knows(&self, state: u32) -> bool {
        self.states.get(state as usize).is_some_and(|state| state.is_known)
    }

    /// Adds a state and the states that false values lead to from it, and appends them to a message.
    fn follow<A: Automaton>(
        &mut self,
        mut state: u32,
        automaton: &A,
        message: &mut Vec<u32>,
    ) -> Result<(), LimitReached> {
        while !self.knows(state) {
            let (level, mut told) = (automaton.level(state), [state, Level::NONE.bits(), UNKNOWN, UNKNOWN, UNKNOWN]);
            match automaton.outcome(state) {
                Outcome::Decided(outcome) => told[2] = outcome,
                Outcome::Undecided if level == Level::NONE => {}
                Outcome::Undecided => (told[1], told[3]) = (level.bits(), automaton.next(state, false)?),
            }
            message.extend(told);
            self.learn(&told)?;
            if told[3] == UNKNOWN {
                break;
            }
            state = told[3];
        }
        Ok(())
    }

    fn lesson<A: Automaton>(&mut self, states: Vec<u32>, automaton: &A) -> Result<Vec<u32>, LimitReached> {
        let mut message = Vec::new();
        for number in states {
            if self.states[number as usize].next[1] == UNKNOWN {
                let next = automaton.next(number, true)?;
                let state = &self.states[number as usize];
                let told = [number, state.level.bits(), state.outcome, state.next[0], next];
                message.extend(told);
                self.learn(&told)?;
                self.follow(next, automaton, &mut message)?;
            }
        }
        Ok(message)
    }
}

struct Select<'a, A> {
    set: Lent,
    automaton: Option<&'a A>,
    learned: Learned,
    peers: &'a Peers,
}

impl<A: Automaton> Select<'_, A> {
    /// The request for a node and a state; notes that the request reads the state.
    #[inline(always)]
    fn request(&self, node: Node, state: u32) -> Result<Child, LimitReached> {
        let child = normalise(&self.learned, (node, self.set.index().level(node)), state)?;
        if let Err((level, key)) = child {
            self.learned.meet(level, unpack::<u32>(key).1);
        }
        Ok(child)
    }

    #[inline(always)]
    fn children(&self, level: Level, key: u64, output: &mut Output) -> Result<(), LimitReached> {
        let (node, state) = unpack::<u32>(key);
        let reads = state < DECIDED && self.learned.level(state) == level;
        for (bit, child) in self.set.node(node).into_iter().enumerate() {
            let state = if reads && child != Node::ZERO { self.learned.next(state, bit == 1)? } else { state };
            output.child(bit, self.request(child, state)?, node_of);
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

    #[inline(always)]
    fn expand(&self, level: Level, key: &[u64], (): &mut (), output: &mut Output) {
        if let Err(limit) = self.children(level, key[0], output) {
            output.fail(limit);
        }
    }

    /// The nodes of this process, then the states that its requests read at the level.
    fn give(&self, level: Level) -> Cow<'_, [u32]> {
        [&self.set.give(level)[..], &self.learned.of_level(level)[..]].concat().into()
    }

    fn take(&mut self, level: Level, parts: &[&[u32]], limits: &Arc<Limits>) -> Result<(), LimitReached> {
        let parts = parts.iter().copied().enumerate();
        let (nodes, read): (Vec<_>, Vec<_>) =
            parts.map(|(process, part)| part.split_at(self.set.given(level, process))).unzip();
        self.set.take(level, &nodes, limits)?;
        let lesson = match self.automaton {
            None => None,
            Some(automaton) => {
                let mut states = read.concat();
                // States are sorted, because the automaton numbers their successors in the order of these calls.
                states.sort_unstable();
                states.dedup();
                Some(self.learned.lesson(states, automaton)?)
            }
        };
        let lesson = self.peers.hear(lesson)?;
        if self.automaton.is_none() {
            self.learned.learn(&lesson)?;
        }
        Ok(())
    }
}

/// The part of all processes but process 0, which need no automaton, whatever its type.
pub fn help_to_select(context: &Context) -> Result<(), LimitReached> {
    select_together::<Reading>(None, context).map(drop)
}

/// As [`classify`](super::classify), by all processes of the context together (see [`Context::with_peers`]). Only
/// process 0 gives the set, the automaton and its start, and gets the selection.
pub fn select_together<A: Automaton>(
    given: Option<(&Diagram, &A, u32)>,
    context: &Context,
) -> Result<Option<Diagram>, LimitReached> {
    let peers = context.peers().expect("a context of several processes");
    peers.in_step(|| {
        let set = Lent::new(given.map(|(set, ..)| set), peers, context.limits())?;
        let levels = set.index().levels();
        let mut learned = Learned::new(levels, context.limits());
        let mut first = Vec::new();
        if let Some((_, automaton, start)) = given {
            learned.follow(start, automaton, &mut first)?;
        }
        let first = peers.hear(given.map(|_| first))?;
        learned.learn(&first)?;
        let mut operation = Select { set, automaton: given.map(|(_, automaton, _)| automaton), learned, peers };
        let root = given.map(|(set, _, start)| operation.request(set.root(), start)).transpose()?;
        let roots = root.into_iter().map(|root| Root::of(root, node_of)).collect();
        let expanded = descend(&mut operation, Kind::Select, levels, roots, TERMINALS, context)?;
        drop(operation);
        reduce_together(expanded, Kind::Select, context)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_counted_before_they_take_memory() {
        let limits = Arc::new(Limits::new(1 << 16));
        let mut learned = Learned::new(1, &limits);
        assert!(learned.learn(&[1 << 20, Level::NONE.bits(), 0, UNKNOWN, UNKNOWN]).is_err());
        assert!(learned.states.is_empty() && limits.used() == 0);
    }
}
