//! Streams on disk. Each time a stream is written, its records in memory become an **extent** in the thread's file. All
//! extents of a stream are read when its partition is expanded, and their space is freed.

use super::pool::{Chunk, Pool, Stock};
use super::room::Room;
use base::limits::{Account, LimitReached};
use base::scratch::ScratchFile;
use std::sync::Arc;

const WRITTEN: usize = 1 << 18;

pub(super) const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    start: u64,
    pub(super) words: u64,
    /// The number of the previous extent of the same stream.
    before: u32,
}

impl Extent {
    pub(super) fn read(&self, file: &ScratchFile, target: &mut [u32]) -> Result<(), LimitReached> {
        // SAFETY: these are words as bytes, and all bytes are valid words.
        let bytes = unsafe { std::slice::from_raw_parts_mut(target.as_mut_ptr().cast::<u8>(), 4 * target.len()) };
        file.read(self.start, bytes)
    }

    pub(super) fn release(&self, file: &ScratchFile) {
        file.release(self.start, 4 * self.words);
    }
}

pub(super) struct Spill {
    room: Room,
    file: Option<Arc<ScratchFile>>,
    extents: Vec<Extent>,
    /// Words that are not yet written.
    waiting: Vec<u32>,
    /// The end of the file, in bytes, once all words are written.
    end: u64,
    written: u64,
    account: Account,
}

impl Spill {
    pub(super) fn new(room: &Room) -> Spill {
        let account = Account::new(&room.limits);
        Spill { room: room.clone(), file: None, extents: vec![], waiting: vec![], end: 0, written: 0, account }
    }

    pub(super) fn is_wanted(&self, pool: &Pool) -> bool {
        self.room.streams_wait_on_disk(pool.taken())
    }

    pub(super) fn portion(&self) -> u64 {
        self.room.portion
    }

    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// Writes and frees the chunks of a stream. Returns the number of its new extent; `before` is its previous extent.
    pub(super) fn write(&mut self, first: Chunk, before: u32, stock: &mut Stock) -> Result<u32, LimitReached> {
        let mut words = 0;
        let mut chunk = first;
        while chunk != Chunk::NONE {
            // SAFETY: these are the chunks of a stream of this thread, which was closed.
            let (next, data) = unsafe {
                (stock.pool.link(chunk), std::slice::from_raw_parts(stock.pool.data(chunk), stock.pool.used(chunk)))
            };
            words += data.len() as u64;
            self.waiting.extend_from_slice(data);
            if 4 * self.waiting.len() >= WRITTEN {
                self.flush()?;
            }
            stock.give_back(chunk);
            chunk = next;
        }
        let number = u32::try_from(self.extents.len()).ok().filter(|&number| number < NONE);
        let number =
            number.ok_or(LimitReached::Size { what: "parts of streams on disk".into(), limit: NONE.into() })?;
        self.extents.push(Extent { start: self.end, words, before });
        self.end += 4 * words;
        let held = self.waiting.capacity() * size_of::<u32>();
        self.account.grow_to((self.extents.capacity() * size_of::<Extent>() + held) as u64)?;
        Ok(number)
    }

    pub(super) fn flush(&mut self) -> Result<(), LimitReached> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        // SAFETY: these are words as bytes.
        let bytes = unsafe { std::slice::from_raw_parts(self.waiting.as_ptr().cast::<u8>(), 4 * self.waiting.len()) };
        self.room.file(&mut self.file)?.append(bytes)?;
        self.written += bytes.len() as u64;
        self.waiting.clear();
        Ok(())
    }

    pub(super) fn extents(&self, mut last: u32) -> Vec<Extent> {
        let mut extents = vec![];
        while last != NONE {
            let extent = self.extents[last as usize];
            extents.push(extent);
            last = extent.before;
        }
        extents.reverse();
        extents
    }

    pub(super) fn file(&self) -> Option<Arc<ScratchFile>> {
        self.file.clone()
    }
}
