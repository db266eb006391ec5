//! Limits of a run as values: memory that may be taken, and an interruption that may come.
//!
//! Every stage that can grow takes `&Limits`, asks before it grows, and returns [`LimitReached`] instead of
//! aborting. Memory is accounted in bytes reserved by the large data structures (diagrams, request tables,
//! atom tables), which are what a run's resident memory consists of.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Why a stage stopped before its end. Everything finished before stays valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitReached {
    /// The next allocation would pass the memory bound (both in bytes).
    #[error("memory limit reached: {wanted} more bytes needed, {used} of {limit} in use")]
    Memory { wanted: u64, used: u64, limit: u64 },
    /// The user or the system asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A bound on the size of one structure, with what it counts.
    #[error("limit reached: {what} exceeds {limit}")]
    Size { what: String, limit: u64 },
}

/// The limits of one run, shared by reference among threads.
#[derive(Debug)]
pub struct Limits {
    memory: u64,
    used: AtomicU64,
    peak: AtomicU64,
    interrupted: AtomicBool,
}

impl Limits {
    /// Limits with a bound on reserved memory in bytes (`u64::MAX`: none).
    pub fn new(memory: u64) -> Self {
        Limits { memory, used: AtomicU64::new(0), peak: AtomicU64::new(0), interrupted: AtomicBool::new(false) }
    }

    /// No bound at all.
    pub fn unlimited() -> Self {
        Limits::new(u64::MAX)
    }

    /// The memory bound in bytes.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Bytes reserved now.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Largest number of bytes ever reserved at once.
    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    /// Reserves `bytes`, or tells why not. Pair with [`Limits::release`].
    pub fn reserve(&self, bytes: u64) -> Result<(), LimitReached> {
        let used = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if used > self.memory {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            return Err(LimitReached::Memory { wanted: bytes, used: used - bytes, limit: self.memory });
        }
        self.peak.fetch_max(used, Ordering::Relaxed);
        Ok(())
    }

    /// Gives back what [`Limits::reserve`] granted.
    pub fn release(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// As [`Limits::reserve`]; released when what is returned is dropped.
    pub fn hold(&self, bytes: u64) -> Result<Reserved<'_>, LimitReached> {
        self.reserve(bytes)?;
        Ok(Reserved { limits: self, bytes })
    }

    /// Asks every stage to stop at its next check. Safe to call from a signal-handling thread.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// Fails once [`Limits::interrupt`] was called.
    pub fn check(&self) -> Result<(), LimitReached> {
        if self.interrupted.load(Ordering::Relaxed) { Err(LimitReached::Interrupted) } else { Ok(()) }
    }
}

/// Bytes that are given back when they are no longer needed.
#[derive(Debug)]
pub struct Reserved<'a> {
    limits: &'a Limits,
    bytes: u64,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.limits.release(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserve_is_refused_beyond_the_bound_and_leaves_the_account_unchanged() {
        let limits = Limits::new(100);
        limits.reserve(60).unwrap();
        assert_eq!(limits.reserve(50), Err(LimitReached::Memory { wanted: 50, used: 60, limit: 100 }));
        assert_eq!(limits.used(), 60);
        limits.release(60);
        limits.reserve(100).unwrap();
        assert_eq!(limits.peak(), 100);
    }

    #[test]
    fn interrupt_is_seen_by_check() {
        let limits = Limits::unlimited();
        assert_eq!(limits.check(), Ok(()));
        limits.interrupt();
        assert_eq!(limits.check(), Err(LimitReached::Interrupted));
    }
}
