//! Deterministic automata that read an assignment by levels; threads share the states, which are created on demand.
//!
//! A [`Machine`] defines how a state reads its next level. States are numbered in the order of their creation. Their
//! transitions are stored in blocks of doubling sizes that never move, so only the first reading of a transition takes
//! a lock. If a state cannot be created because memory or numbers run out, the caller gets an error and the automaton
//! stays unchanged: known transitions remain valid, and the failed transition may be requested again. The existing
//! states, and their numbers, depend on the requested transitions.
//!
//! A state takes 16 bytes of transitions, up to twice that in a block that is half empty, and a list of numbers, stored
//! once ([`Words`]).

use super::renewed::Held;
use super::words::Words;
use crate::sync::atomic::{AtomicU32, Ordering};
use crate::sync::{Mutex, OnceLock};
use base::limits::{Account, LimitReached, Limits};
use kernel::Level;
use std::sync::{Arc, PoisonError};

/// Binary logarithm of the number of states of the first block; each further block has twice as many.
const FIRST_BITS: u32 = if cfg!(loom) { 0 } else { 6 };
const BLOCKS: usize = if cfg!(loom) { 4 } else { 20 };
const MOST: usize = (1 << (FIRST_BITS as usize + BLOCKS)) - (1 << FIRST_BITS);
const UNKNOWN: u32 = u32::MAX;

/// Defines the states of an automaton, each a list of numbers, and how they read the levels.
pub trait Machine: Send {
    /// The level that the state reads next; `u32::MAX` if no further level matters.
    fn level(&self, state: &[u32]) -> u32;
    /// Appends to `next`, which is empty, the state after reading the state's level as `bit`.
    fn step(&mut self, state: &[u32], bit: bool, next: &mut Vec<u32>);
    fn info(&self, state: &[u32]) -> u32;
    /// Number of bytes that the machine holds or is about to take.
    fn bytes(&self) -> u64;
    /// The numbers that describe the states, beside their lists.
    fn size(&self) -> u64 {
        0
    }
    /// Whether the machine is too large for another step.
    fn is_full(&self) -> bool {
        false
    }
}

struct Entry {
    level: AtomicU32,
    next: [AtomicU32; 2],
    info: AtomicU32,
}

struct Builder<M: Machine> {
    machine: M,
    states: Words,
    next: Vec<u32>,
    account: Account,
}

pub struct Lazy<M: Machine> {
    blocks: [OnceLock<Box<[Entry]>>; BLOCKS],
    builder: Mutex<Builder<M>>,
}

#[inline(always)]
fn place(state: u32) -> (usize, usize) {
    let number = state + (1 << FIRST_BITS);
    let power = number.ilog2();
    ((power - FIRST_BITS) as usize, (number ^ (1 << power)) as usize)
}

impl<M: Machine> Lazy<M> {
    /// The automaton of a machine that starts in the state `start`.
    pub fn of(machine: M, start: Vec<u32>, limits: &Arc<Limits>) -> Result<Self, LimitReached> {
        let (states, next, account) = (Words::default(), start, Account::new(limits));
        let builder = Mutex::new(Builder { machine, states, next, account });
        let lazy = Lazy { blocks: Default::default(), builder };
        lazy.number(&mut lazy.builder.lock().unwrap_or_else(PoisonError::into_inner))?;
        Ok(lazy)
    }

    /// The start state, which is the first that is made.
    pub fn start(&self) -> u32 {
        0
    }

    #[inline]
    pub fn level(&self, state: u32) -> Level {
        Level::new(self.entry(state).level.load(Ordering::Relaxed))
    }

    /// What the machine tells of the state ([`Machine::info`]).
    #[inline]
    pub fn told(&self, state: u32) -> u32 {
        self.entry(state).info.load(Ordering::Relaxed)
    }

    /// The state after reading the state's level as `bit`.
    #[inline]
    pub fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        let next = self.entry(state).next[bit as usize].load(Ordering::Acquire);
        if next != UNKNOWN { Ok(next) } else { self.expand(state, bit) }
    }

    /// The numbers that describe the states.
    pub fn size(&self) -> u64 {
        let builder = self.builder.lock().unwrap_or_else(PoisonError::into_inner);
        builder.machine.size() + builder.states.size()
    }

    #[inline]
    fn entry(&self, state: u32) -> &Entry {
        let (block, place) = place(state);
        &self.blocks[block].get().expect("a state's block is made before its number is told")[place]
    }

    #[cold]
    fn expand(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        let mut builder = self.builder.lock().unwrap_or_else(PoisonError::into_inner);
        let Builder { machine, states, next, account } = &mut *builder;
        if machine.is_full() {
            return Err(full());
        }
        // A step may take milliseconds where a formula is large.
        account.check()?;
        next.clear();
        machine.step(states.get(state), bit, next);
        let next = self.number(&mut builder)?;
        self.entry(state).next[bit as usize].store(next, Ordering::Release);
        Ok(next)
    }

    fn number(&self, builder: &mut Builder<M>) -> Result<u32, LimitReached> {
        let Builder { machine, states, next, account } = builder;
        if let Some(id) = states.find(next) {
            return Ok(id);
        }
        if states.len() == MOST {
            let what = "the number of states of a condition's automaton".to_owned();
            return Err(LimitReached::Size { what, limit: MOST as u64 });
        }
        if states.is_full() {
            return Err(full());
        }
        let id = states.len() as u32;
        let (block, place) = place(id);
        let entries = (1 << (FIRST_BITS as usize + block + 1)) - (1 << FIRST_BITS);
        let bytes = entries * size_of::<Entry>() + states.bytes() + next.capacity() * size_of::<u32>();
        account.fit(machine.bytes() + bytes as u64)?;
        let entry = &self.blocks[block].get_or_init(|| new_block(block))[place];
        entry.level.store(machine.level(next), Ordering::Relaxed);
        entry.info.store(machine.info(next), Ordering::Relaxed);
        states.insert(next);
        Ok(id)
    }
}

impl<M: Machine> Held for Lazy<M> {
    fn held(&self) -> u64 {
        self.builder.lock().unwrap_or_else(PoisonError::into_inner).account.reserved()
    }
}

fn full() -> LimitReached {
    let what = "the size of a condition's automaton (32-bit words of its states)".to_owned();
    LimitReached::Size { what, limit: Words::MOST as u64 }
}

fn new_block(block: usize) -> Box<[Entry]> {
    let entry = || Entry {
        level: AtomicU32::new(0),
        next: [AtomicU32::new(UNKNOWN), AtomicU32::new(UNKNOWN)],
        info: AtomicU32::new(0),
    };
    (0..1 << (FIRST_BITS as usize + block)).map(|_| entry()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Count {
        levels: u32,
    }

    impl Machine for Count {
        fn level(&self, state: &[u32]) -> u32 {
            if state[0] == self.levels { u32::MAX } else { state[0] }
        }
        fn step(&mut self, state: &[u32], bit: bool, next: &mut Vec<u32>) {
            next.extend([state[0] + 1, state[1] + bit as u32]);
        }
        fn info(&self, state: &[u32]) -> u32 {
            state[1]
        }
        fn bytes(&self) -> u64 {
            0
        }
    }

    #[test]
    fn threads_agree_on_the_automaton() {
        let lazy = Lazy::of(Count { levels: 12 }, vec![0, 0], &Arc::new(Limits::unlimited())).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for bits in 0..4096u32 {
                        let end = (0..12)
                            .fold(lazy.start(), |state, level| lazy.next(state, bits >> level & 1 == 1).unwrap());
                        assert_eq!(lazy.level(end), Level::NONE);
                        assert_eq!(lazy.told(end), bits.count_ones());
                    }
                });
            }
        });
        assert_eq!(lazy.builder.lock().unwrap().states.len(), (1..=13).sum::<usize>());
    }

    #[test]
    fn places_fill_the_blocks_one_after_the_other() {
        let mut expected = (0, 0);
        for state in 0..10_000 {
            assert_eq!(place(state), expected);
            expected.1 += 1;
            if expected.1 == 1 << (FIRST_BITS as usize + expected.0) {
                expected = (expected.0 + 1, 0);
            }
        }
        assert_eq!(place(MOST as u32 - 1), (BLOCKS - 1, (1 << (FIRST_BITS as usize + BLOCKS - 1)) - 1));
    }

    #[test]
    fn what_memory_does_not_suffice_for_is_an_error_and_spoils_nothing() {
        let limits = Arc::new(Limits::new(1 << 20));
        let lazy = Lazy::of(Count { levels: 1 << 20 }, vec![0, 0], &limits).unwrap();
        let mut state = lazy.start();
        let refused = (0..1 << 16).find_map(|_| match lazy.next(state, true) {
            Ok(next) => {
                state = next;
                None
            }
            Err(limit) => Some(limit),
        });
        assert!(matches!(refused, Some(LimitReached::Memory { .. })));
        assert_eq!((lazy.level(state), lazy.told(state)), (Level::new(state), state));
        assert!(lazy.next(state, true).is_err(), "still no memory");
        assert_eq!(lazy.next(0, true), Ok(1), "what is known stays known");
        drop(lazy);
        assert_eq!(limits.used(), 0);
    }

    #[test]
    fn the_account_is_what_is_held() {
        let limits = Arc::new(Limits::unlimited());
        let lazy = Lazy::of(Count { levels: 1 << 20 }, vec![0, 0], &limits).unwrap();
        let mut state = lazy.start();
        for step in 1..60_000 {
            state = lazy.next(state, true).unwrap();
            if step % 1000 == 0 {
                let blocks: usize = lazy.blocks.iter().filter_map(|block| block.get()).map(|block| block.len()).sum();
                let builder = lazy.builder.lock().unwrap();
                let held = (blocks * size_of::<Entry>() + builder.states.bytes()) as u64;
                drop(builder);
                assert_eq!(lazy.held(), limits.used());
                assert!((held..=held * 5 / 4 + 10_000).contains(&limits.used()), "{step}: {held} of {}", limits.used());
            }
        }
        let most = 60_000 * (2 * size_of::<Entry>() + 12 * 5 / 4 + 11);
        assert!(limits.used() < most as u64 * 5 / 4, "{} bytes", limits.used());
    }

    #[test]
    fn no_memory_for_the_very_first_state_is_an_error() {
        let limits = Arc::new(Limits::new(16));
        let lazy = Lazy::of(Count { levels: 3 }, vec![0, 0], &limits);
        assert!(matches!(lazy.map(|_| ()), Err(LimitReached::Memory { .. })));
    }

    #[test]
    fn threads_that_ask_at_once_all_see_the_failure() {
        let limits = Arc::new(Limits::new(1 << 18));
        let lazy = Lazy::of(Count { levels: 1 << 20 }, vec![0, 0], &limits).unwrap();
        std::thread::scope(|scope| {
            for first in [false, true] {
                let lazy = &lazy;
                scope.spawn(move || {
                    let end =
                        (0..1 << 16).try_fold(lazy.start(), |state, step| lazy.next(state, first ^ (step % 3 == 0)));
                    assert!(matches!(end, Err(LimitReached::Memory { .. })), "{end:?}");
                });
            }
        });
    }
}

/// Checks every order of events that the memory model allows.
#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;

    struct Count;

    impl Machine for Count {
        fn level(&self, state: &[u32]) -> u32 {
            if state[0] == 2 { u32::MAX } else { state[0] }
        }
        fn step(&mut self, state: &[u32], bit: bool, next: &mut Vec<u32>) {
            next.extend([state[0] + 1, state[1] + u32::from(bit)]);
        }
        fn info(&self, state: &[u32]) -> u32 {
            state[1]
        }
        fn bytes(&self) -> u64 {
            0
        }
    }

    #[test]
    fn loom_threads_agree_on_the_automaton() {
        loom::model(|| {
            let lazy = Lazy::of(Count, vec![0, 0], &Arc::new(Limits::unlimited())).unwrap();
            let lazy = loom::sync::Arc::new(lazy);
            let read = |first: bool| {
                let lazy = lazy.clone();
                move || {
                    let end =
                        [first, !first].into_iter().fold(lazy.start(), |state, bit| lazy.next(state, bit).unwrap());
                    assert_eq!((lazy.level(end), lazy.told(end)), (Level::NONE, 1));
                    end
                }
            };
            let other = loom::thread::spawn(read(true));
            let mine = read(false)();
            assert_eq!(mine, other.join().unwrap(), "one state, one number");
        });
    }
}
