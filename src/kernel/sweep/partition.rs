//! The records of a partition, in the streams of all threads.

use super::output::Stream;
use super::pool::{Chunk, Stock};
use super::spill::Extent;
use super::trade::{Received, Remote};
use base::limits::LimitReached;
use base::scratch::ScratchFile;
use std::sync::Arc;

pub(super) struct Streams<'r> {
    pub(super) threads: Vec<(*mut Stream, Option<Arc<ScratchFile>>)>,
    /// The extents on disk by partition, then thread; empty if nothing is on disk.
    pub(super) extents: Vec<Vec<Extent>>,
    pub(super) received: Option<&'r Received>,
}
// SAFETY: only one thread reads the streams of a partition, and threads append only to streams of deeper levels.
unsafe impl Sync for Streams<'_> {}

impl Streams<'_> {
    /// The records of a partition; `number` is the index of its streams. Only one thread may take a partition.
    pub(super) fn partition(&self, partition: u32, number: usize) -> Partition<'_> {
        let threads = self.threads.len();
        let on_disk = self.extents.get(partition as usize * threads..(partition as usize + 1) * threads);
        let remotes = self.received.map_or(&[][..], |received| received.partition(partition));
        Partition { streams: self, number, on_disk: on_disk.unwrap_or_default(), remotes }
    }
}

pub(super) struct Partition<'s> {
    streams: &'s Streams<'s>,
    number: usize,
    pub(super) on_disk: &'s [Vec<Extent>],
    remotes: &'s [Remote],
}

impl Partition<'_> {
    pub(super) fn threads(&self) -> usize {
        self.streams.threads.len()
    }

    pub(super) fn stream(&self, thread: usize) -> Stream {
        // SAFETY: only this thread reads streams of this level, and no thread writes them; see `Streams`.
        unsafe { *self.streams.threads[thread].0.add(self.number) }
    }

    pub(super) fn records(&self) -> u64 {
        let own: u64 = (0..self.threads()).map(|thread| u64::from(self.stream(thread).records)).sum();
        own + self.remotes.iter().map(|remote| u64::from(remote.records)).sum::<u64>()
    }

    pub(super) fn remotes(&self) -> &[Remote] {
        self.remotes
    }

    fn extents(&self) -> impl Iterator<Item = (&Extent, &ScratchFile)> {
        let by_thread = self.on_disk.iter().zip(&self.streams.threads);
        by_thread.flat_map(|(extents, (_, file))| {
            extents.iter().map(move |extent| (extent, &**file.as_ref().expect("extents have a file")))
        })
    }

    pub(super) fn words(&self) -> usize {
        self.on_disk.iter().flatten().map(|extent| extent.words as usize).sum()
    }

    pub(super) fn read(&self, into: &mut [u32]) -> Result<(), LimitReached> {
        let mut read = 0;
        for (extent, file) in self.extents() {
            let end = read + extent.words as usize;
            extent.read(file, &mut into[read..end])?;
            read = end;
        }
        Ok(())
    }

    pub(super) fn give_back(&self, stock: &mut Stock) {
        for thread in 0..self.threads() {
            let mut chunk = self.stream(thread).first;
            while chunk != Chunk::NONE {
                // SAFETY: the chunk belongs to a stream that has been read to its end.
                let next = unsafe { stock.pool.link(chunk) };
                stock.give_back(chunk);
                chunk = next;
            }
            // SAFETY: as for `stream`.
            unsafe { *self.streams.threads[thread].0.add(self.number) = Stream::EMPTY };
        }
        self.extents().for_each(|(extent, file)| extent.release(file));
    }
}
