//! Processes that sweep together, in step. Each exchange is a barrier: every process sends one message to each process,
//! and gets one from each. A limit that one process reaches ends the sweep of all.

use base::limits::LimitReached;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub trait Exchange: Send + Sync {
    /// Number of processes, at least one.
    fn size(&self) -> usize;

    fn number(&self) -> usize;

    /// Sends a message to each process, including this one, and returns the messages from each; both lists are ordered
    /// by number of process. If one process passes an error, the call returns an error in all processes.
    fn exchange(&self, messages: Result<Vec<Vec<u32>>, LimitReached>) -> Result<Vec<Vec<u32>>, LimitReached>;
}

#[derive(Clone)]
pub(super) struct Peers {
    link: Arc<dyn Exchange>,
    /// Whether an exchange of the current sweep has failed, which all processes know then.
    ended: Arc<AtomicBool>,
}

impl fmt::Debug for Peers {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "process {} of {}", self.number(), self.size())
    }
}

impl Peers {
    pub(super) fn new(link: Arc<dyn Exchange>) -> Peers {
        Peers { link, ended: Arc::default() }
    }

    pub(super) fn size(&self) -> usize {
        self.link.size()
    }

    pub(super) fn number(&self) -> usize {
        self.link.number()
    }

    pub(super) fn leads(&self) -> bool {
        self.number() == 0
    }

    pub(super) fn exchange(&self, messages: Vec<Vec<u32>>) -> Result<Vec<Vec<u32>>, LimitReached> {
        self.link.exchange(Ok(messages)).inspect_err(|_| self.ended.store(true, Ordering::Relaxed))
    }

    pub(super) fn tell(&self, message: Vec<u32>) -> Result<Vec<Vec<u32>>, LimitReached> {
        self.exchange(vec![message; self.size()])
    }

    /// The message of process 0; all other processes give `None`.
    pub(super) fn hear(&self, message: Option<Vec<u32>>) -> Result<Vec<u32>, LimitReached> {
        let mut heard = self.tell(message.unwrap_or_default())?;
        Ok(heard.swap_remove(0))
    }

    /// Runs a `body` that all processes run together. If it fails in one process, it fails in all.
    pub(super) fn in_step<T>(&self, body: impl FnOnce() -> Result<T, LimitReached>) -> Result<T, LimitReached> {
        self.ended.store(false, Ordering::Relaxed);
        match body() {
            Ok(result) => self.tell(Vec::new()).map(|_| result),
            Err(limit) if self.ended.load(Ordering::Relaxed) => Err(limit),
            // The other processes learn of it in their next exchange.
            Err(limit) => Err(self.link.exchange(Err(limit.clone())).err().unwrap_or(limit)),
        }
    }
}

pub(super) fn push_wide(message: &mut Vec<u32>, number: u64) {
    message.extend([number as u32, (number >> 32) as u32]);
}

/// Reads the words of a message in order. Only this program writes messages, so they are complete.
pub(super) struct Reader<'m>(pub(super) &'m [u32]);

impl<'m> Reader<'m> {
    pub(super) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn word(&mut self) -> u32 {
        self.words(1)[0]
    }

    pub(super) fn wide(&mut self) -> u64 {
        let [low, high] = [self.word(), self.word()];
        u64::from(low) | u64::from(high) << 32
    }

    pub(super) fn words(&mut self, count: usize) -> &'m [u32] {
        let (words, rest) = self.0.split_at(count);
        self.0 = rest;
        words
    }
}
