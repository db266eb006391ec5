//! Divides the memory that a sweep may take, and decides when waiting data goes to disk.

use crate::context::Context;
use base::limits::{LimitReached, Limits};
use base::scratch::{Scratch, ScratchFile};
use std::ops::Range;
use std::sync::Arc;

/// In eighths of the memory that is free when a sweep begins: logs are kept in memory up to the first number, streams
/// up to the second. The rest is for partitions that are larger than most.
const LOGS: u64 = 3;
const STREAMS: u64 = 5;
const PARTS: u64 = 8;
/// Bounds on the bytes of streams written at a time, and on the largest segments of logs.
const PORTION: Range<u64> = 1 << 16..256 << 20;
const SEGMENT: Range<usize> = 1 << 12..1 << 22;

/// The division of a sweep's memory. Whether something is written to disk does not change what the sweep computes.
#[derive(Clone)]
pub(super) struct Room {
    pub(super) limits: Arc<Limits>,
    scratch: Option<Scratch>,
    /// Numbers of bytes in use above which logs and streams are written to disk; 0 for always.
    logs: u64,
    streams: u64,
    /// Number of bytes of a sweep's streams from which on they are written to disk, whatever memory is free.
    most_streams: u64,
    /// Least bytes of streams that are written at a time.
    pub(super) portion: u64,
    /// Bytes of the largest segments of logs.
    pub(super) segment: usize,
}

impl Room {
    /// `capacity`: the largest number of bytes that streams can have in memory, at most all of the memory.
    pub(super) fn new(context: &Context, capacity: u64) -> Room {
        let limits = Arc::clone(context.limits());
        let (used, free) = (limits.used(), limits.free());
        let scratch = context.scratch().cloned();
        let most_streams = capacity / PARTS * STREAMS;
        if context.spills_always() {
            let (portion, segment) = (u64::MAX, SEGMENT.start);
            return Room { limits, scratch, logs: 0, streams: 0, most_streams, portion, segment };
        }
        let share = |bytes: u64, part: u64| bytes / part / context.threads() as u64;
        let portion = share(free.min(capacity), 16).clamp(PORTION.start, PORTION.end);
        let segment = (share(free, 128) as usize).clamp(SEGMENT.start, SEGMENT.end);
        let [logs, streams] = [LOGS, STREAMS].map(|parts| used + free / PARTS * parts);
        Room { scratch, logs, streams, most_streams, portion, segment, limits }
    }

    /// Whether logs that wait should be written to disk.
    pub(super) fn logs_wait_on_disk(&self) -> bool {
        self.scratch.is_some() && self.limits.used() >= self.logs
    }

    /// Whether streams that wait should be written to disk. `taken`: the bytes of all streams of the sweep.
    pub(super) fn streams_wait_on_disk(&self, taken: u64) -> bool {
        self.scratch.is_some() && (self.limits.used() >= self.streams || taken >= self.most_streams)
    }

    /// Whether fewer bytes than that are free.
    pub(super) fn lacks(&self, bytes: u64) -> bool {
        self.streams == 0 || self.limits.free() < bytes
    }

    /// Whether what waits can be written to disk.
    pub(super) fn has_disk(&self) -> bool {
        self.scratch.is_some()
    }

    /// A file, created when it is first needed.
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
