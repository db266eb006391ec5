//! The words of the nodes or choices of one level, put together from the parts of several processes.

use super::memory::{Buffer, READABLE};
use base::limits::{LimitReached, Limits};
use std::ops::Range;
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Shown {
    words: Option<Buffer<u32>>,
    /// The number of the first word, counted over all levels.
    start: usize,
    filled: usize,
}

impl Shown {
    pub(super) fn show(&mut self, start: usize, parts: &[&[u32]], limits: &Arc<Limits>) -> Result<(), LimitReached> {
        let filled = parts.iter().map(|part| part.len()).sum();
        let least = filled + READABLE / size_of::<u32>();
        if self.words.as_ref().is_none_or(|words| !(least..=2 * least).contains(&words.as_slice().len())) {
            self.words = None;
            self.words = Some(Buffer::zeroed(least, limits)?);
        }
        let words = self.words.as_mut().expect("as was made").as_mut_slice();
        let mut at = 0;
        for part in parts {
            words[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        (self.start, self.filled) = (start, filled);
        Ok(())
    }

    /// The address that the word with number 0 would have.
    #[inline(always)]
    pub(super) fn base(&self) -> *const u32 {
        self.words.as_ref().map_or(std::ptr::null(), |words| words.pointer().cast_const().wrapping_sub(self.start))
    }

    pub(super) fn has(&self, words: Range<usize>) -> bool {
        words.start >= self.start && words.end <= self.start + self.filled
    }
}
