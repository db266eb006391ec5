//! The requests of a level that are to be expanded, in order of creation or of their keys, and cut into pieces for
//! threads.

use super::requests::Requests;
use super::slot::RequestId;
use super::threads::units;
use crate::limits::{LimitReached, Limits, Reserved};
use std::ops::Range;

/// See the module.
pub(super) struct Work<'a> {
    /// The requests' numbers.
    ranges: &'a [Range<u32>],
    /// The numbers in another order, with the memory for them.
    order: Option<(Vec<u32>, Reserved<'a>)>,
}

impl<'a> Work<'a> {
    /// In order of creation.
    pub(super) fn new(ranges: &'a [Range<u32>]) -> Work<'a> {
        Work { ranges, order: None }
    }

    /// In the order of the first words of their keys (which must be below 2^32). None of them may be expanded yet. 12
    /// bytes a request, 4 of which stay.
    pub(super) fn by_key(self, fixed: bool, requests: &Requests, limits: &'a Limits) -> Result<Work<'a>, LimitReached> {
        let count: u64 = self.ranges.iter().map(|range| range.len() as u64).sum();
        let _room = limits.hold(8 * count)?;
        let room = limits.hold(4 * count)?;
        let first = |number: u32| {
            // SAFETY: a request of the level, complete and not expanded yet.
            let key = unsafe { requests.key(fixed, RequestId::new(number)) };
            debug_assert!(key[0] >> 32 == 0, "the first word of a key is half a word");
            key[0] << 32 | u64::from(number)
        };
        let mut keys: Vec<u64> = self.ranges.iter().cloned().flatten().map(first).collect();
        keys.sort_unstable();
        let mut order = Vec::with_capacity(keys.len());
        order.extend(keys.iter().map(|&key| key as u32));
        Ok(Work { order: Some((order, room)), ..self })
    }

    /// Pieces of work: ranges of places.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Range<u32>> {
        let ordered = self.order.iter().map(|(order, _)| 0..order.len() as u32);
        let ranges = if self.order.is_some() { &[] } else { self.ranges };
        units(ranges.iter().cloned().chain(ordered))
    }

    /// The request at a place.
    #[inline(always)]
    pub(super) fn request(&self, place: u32) -> RequestId {
        RequestId::new(self.order.as_ref().map_or(place, |(order, _)| order[place as usize]))
    }
}
