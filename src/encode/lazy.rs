//! Lazy deterministic automata over the levels, shared by threads.
//!
//! A [`Machine`] says how a state reads its next level. States are numbered as they are met and kept in chunks
//! that never move, so that reading a known transition takes no lock; only a transition that is read for the first
//! time does.

use crate::limits::{LimitReached, Limits};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

const CHUNK_BITS: u32 = 12;
const CHUNK: usize = 1 << CHUNK_BITS;
const CHUNKS: usize = 1 << 13;
const UNKNOWN: u32 = u32::MAX;
/// Bytes reserved at a time.
const RESERVED_AT_ONCE: u64 = 1 << 18;

/// How states read the levels.
pub trait Machine: Send {
    type State: Clone + Eq + Hash + Send;
    /// The level that the state reads next, `u32::MAX` if it is decided.
    fn level(&self, state: &Self::State) -> u32;
    /// The state after reading its level as `bit`.
    fn step(&mut self, state: &Self::State, bit: bool) -> Self::State;
    /// What the outside may know of a state, packed.
    fn info(&self, state: &Self::State) -> u64;
    /// Bytes of what the machine holds with `states` states, about.
    fn bytes(&self, states: usize) -> u64;
}

struct Entry {
    level: AtomicU32,
    next: [AtomicU32; 2],
    info: AtomicU64,
}

struct Builder<M: Machine> {
    machine: M,
    ids: FxHashMap<M::State, u32>,
    states: Vec<M::State>,
    reserved: u64,
}

/// The automaton of a machine.
pub struct Lazy<M: Machine> {
    chunks: Box<[OnceLock<Box<[Entry]>>]>,
    builder: Mutex<Builder<M>>,
    limits: Arc<Limits>,
    failure: OnceLock<LimitReached>,
}

impl<M: Machine> Lazy<M> {
    pub fn new(machine: M, limits: &Arc<Limits>) -> Self {
        Lazy {
            chunks: (0..CHUNKS).map(|_| OnceLock::new()).collect(),
            builder: Mutex::new(Builder { machine, ids: FxHashMap::default(), states: Vec::new(), reserved: 0 }),
            limits: limits.clone(),
            failure: OnceLock::new(),
        }
    }

    /// The number of a state.
    pub fn enter(&self, state: M::State) -> u32 {
        let mut builder = self.builder.lock().unwrap_or_else(PoisonError::into_inner);
        self.number(&mut builder, state)
    }

    pub fn level(&self, state: u32) -> u32 {
        self.entry(state).level.load(Ordering::Relaxed)
    }

    pub fn info(&self, state: u32) -> u64 {
        self.entry(state).info.load(Ordering::Relaxed)
    }

    /// The state after reading the state's level as `bit`.
    pub fn next(&self, state: u32, bit: bool) -> u32 {
        let next = self.entry(state).next[bit as usize].load(Ordering::Acquire);
        if next != UNKNOWN { next } else { self.expand(state, bit) }
    }

    /// The limit that was reached, if any: of memory or of state numbers. What was computed since is worthless.
    pub fn failure(&self) -> Option<&LimitReached> {
        self.failure.get()
    }

    fn entry(&self, state: u32) -> &Entry {
        let chunk = self.chunks[(state >> CHUNK_BITS) as usize].get_or_init(new_chunk);
        &chunk[state as usize & (CHUNK - 1)]
    }

    #[cold]
    fn expand(&self, state: u32, bit: bool) -> u32 {
        let mut builder = self.builder.lock().unwrap_or_else(PoisonError::into_inner);
        let from = builder.states[state as usize].clone();
        let to = builder.machine.step(&from, bit);
        let next = self.number(&mut builder, to);
        self.entry(state).next[bit as usize].store(next, Ordering::Release);
        next
    }

    fn number(&self, builder: &mut Builder<M>, state: M::State) -> u32 {
        if let Some(&id) = builder.ids.get(&state) {
            return id;
        }
        if let Err(limit) = self.make_room(builder) {
            self.failure.get_or_init(|| limit);
            return 0;
        }
        let id = builder.states.len() as u32;
        let entry = self.entry(id);
        entry.level.store(builder.machine.level(&state), Ordering::Relaxed);
        entry.info.store(builder.machine.info(&state), Ordering::Relaxed);
        builder.states.push(state.clone());
        builder.ids.insert(state, id);
        id
    }
}

impl<M: Machine> Lazy<M> {
    /// Room for one more state.
    fn make_room(&self, builder: &mut Builder<M>) -> Result<(), LimitReached> {
        if let Some(limit) = self.failure.get() {
            return Err(limit.clone());
        }
        let states = builder.states.len();
        if states == CHUNK * CHUNKS {
            let what = "the number of states of a condition's automaton".to_owned();
            return Err(LimitReached::Size { what, limit: states as u64 });
        }
        let entry = size_of::<Entry>() + 3 * size_of::<M::State>() + 2 * size_of::<u32>();
        let bytes = builder.machine.bytes(states) + (states * entry) as u64;
        if bytes > builder.reserved {
            let more = bytes - builder.reserved + RESERVED_AT_ONCE;
            self.limits.reserve(more)?;
            builder.reserved += more;
        }
        Ok(())
    }
}

impl<M: Machine> Drop for Lazy<M> {
    fn drop(&mut self) {
        let builder = self.builder.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.limits.release(builder.reserved);
    }
}

fn new_chunk() -> Box<[Entry]> {
    let entry = || Entry {
        level: AtomicU32::new(0),
        next: [AtomicU32::new(UNKNOWN), AtomicU32::new(UNKNOWN)],
        info: AtomicU64::new(0),
    };
    (0..CHUNK).map(|_| entry()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts set bits over `levels` levels.
    struct Count {
        levels: u32,
    }

    impl Machine for Count {
        type State = (u32, u32);
        fn level(&self, state: &(u32, u32)) -> u32 {
            if state.0 == self.levels { u32::MAX } else { state.0 }
        }
        fn step(&mut self, state: &(u32, u32), bit: bool) -> (u32, u32) {
            (state.0 + 1, state.1 + bit as u32)
        }
        fn info(&self, state: &(u32, u32)) -> u64 {
            state.1.into()
        }
        fn bytes(&self, _: usize) -> u64 {
            0
        }
    }

    #[test]
    fn threads_agree_on_the_automaton() {
        let lazy = Lazy::new(Count { levels: 12 }, &Arc::new(Limits::unlimited()));
        let start = lazy.enter((0, 0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for bits in 0..4096u32 {
                        let end = (0..12).fold(start, |state, level| lazy.next(state, bits >> level & 1 == 1));
                        assert_eq!(lazy.level(end), u32::MAX);
                        assert_eq!(lazy.info(end), u64::from(bits.count_ones()));
                    }
                });
            }
        });
        assert_eq!(lazy.builder.lock().unwrap().states.len(), (1..=13).sum::<usize>());
    }

    #[test]
    fn memory_is_accounted_and_given_back() {
        let limits = Arc::new(Limits::new(1 << 20));
        let lazy = Lazy::new(Count { levels: 1 << 20 }, &limits);
        let mut state = lazy.enter((0, 0));
        for _ in 0..1 << 16 {
            state = lazy.next(state, true);
        }
        assert!(matches!(lazy.failure(), Some(LimitReached::Memory { .. })));
        drop(lazy);
        assert_eq!(limits.used(), 0);
    }
}
