//! Divides the memory that a sweep may take, and decides when data goes to disk.

use crate::context::Context;
use base::limits::{LimitReached, Limits};
use base::scratch::{Scratch, ScratchFile};
use std::ops::Range;
use std::sync::Arc;

/// Shares of the memory that is free at the start of a sweep, in eighths: logs stay in memory up to `LOGS`, streams up
/// to `STREAMS`. The rest is for unusually large partitions.
const LOGS: u64 = 3;
const STREAMS: u64 = 5;
const PARTS: u64 = 8;
/// Least and largest number of bytes of streams that a thread writes to disk at once.
const PORTION: Range<u64> = 1 << 16..256 << 20;
/// Least and largest number of bytes of a log's largest segment.
const SEGMENT: Range<usize> = 1 << 12..1 << 22;

/// The division of a sweep's memory. It does not affect results.
#[derive(Clone)]
pub(super) struct Room {
    pub(super) limits: Arc<Limits>,
    scratch: Option<Scratch>,
    /// Logs are written to disk from this number of reserved bytes on; 0 for always.
    logs: u64,
    /// As `logs`, for streams.
    streams: u64,
    /// Streams are also written to disk from this number of their own bytes on, however much memory is free.
    most_streams: u64,
    pub(super) portion: u64,
    pub(super) segment: usize,
}

impl Room {
    /// `capacity`: the largest number of bytes that streams can have in memory.
    pub(super) fn new(context: &Context, capacity: u64) -> Room {
        let limits = Arc::clone(context.limits());
        let (used, free) = (limits.used(), limits.free());
        let scratch = context.scratch().cloned();
        let most_streams = capacity / PARTS * STREAMS;
        if context.manner.spilling {
            let (portion, segment) = (u64::MAX, SEGMENT.start);
            return Room { limits, scratch, logs: 0, streams: 0, most_streams, portion, segment };
        }
        let share = |bytes: u64, part: u64| bytes / part / context.threads() as u64;
        let portion = share(free.min(capacity), 16).clamp(PORTION.start, PORTION.end);
        let segment = (share(free, 128) as usize).clamp(SEGMENT.start, SEGMENT.end);
        let [logs, streams] = [LOGS, STREAMS].map(|parts| used + free / PARTS * parts);
        Room { scratch, logs, streams, most_streams, portion, segment, limits }
    }

    pub(super) fn logs_wait_on_disk(&self) -> bool {
        self.scratch.is_some() && self.limits.used() >= self.logs
    }

    pub(super) fn streams_wait_on_disk(&self, taken: u64) -> bool {
        self.scratch.is_some() && (self.limits.used() >= self.streams || taken >= self.most_streams)
    }

    /// Whether fewer than `bytes` bytes are free; always true if everything goes to disk.
    pub(super) fn lacks(&self, bytes: u64) -> bool {
        self.streams == 0 || self.limits.free() < bytes
    }

    pub(super) fn has_disk(&self) -> bool {
        self.scratch.is_some()
    }

    pub(super) fn file<'f>(&self, file: &'f mut Option<Arc<ScratchFile>>) -> Result<&'f ScratchFile, LimitReached> {
        match file {
            Some(file) => Ok(file),
            none => {
                let scratch = self.scratch.as_ref().expect("files are asked for only where there is room for them");
                Ok(none.insert(Arc::new(scratch.file()?)))
            }
        }
    }
}
