//! A stack of bytes, filled on the way down and emptied on the way up. Its oldest segments may wait on disk.

use super::room::Room;
use crate::memory::Buffer;
use base::limits::LimitReached;
use base::scratch::ScratchFile;
use std::sync::Arc;

/// Bytes of the first segment. Further ones double, up to `Room::segment`, unless their first piece is larger.
const FIRST: usize = 1 << 12;

struct Segment {
    place: Place,
    used: usize,
}

enum Place {
    Memory(Buffer<u64>),
    Disk(u64),
}

impl Segment {
    fn room(&self) -> usize {
        match &self.place {
            Place::Memory(words) => 8 * words.as_slice().len() - self.used,
            Place::Disk(_) => 0,
        }
    }
}

/// A stack of pieces. They are popped in reverse order, each with the size with which it was pushed.
pub(super) struct Log {
    room: Room,
    segments: Vec<Segment>,
    on_disk: usize,
    file: Option<Arc<ScratchFile>>,
    written: u64,
    /// The segment that was emptied last; it is kept because the last popped piece may still be in use.
    emptied: Option<Segment>,
}

fn padded(bytes: usize) -> usize {
    bytes.next_multiple_of(8)
}

impl Log {
    pub(super) fn new(room: &Room) -> Log {
        Log { room: room.clone(), segments: vec![], on_disk: 0, file: None, written: 0, emptied: None }
    }

    /// Pushes a piece of `bytes` bytes, aligned to 8 bytes. The caller must fill it before the next push.
    pub(super) fn push(&mut self, bytes: usize) -> Result<*mut u8, LimitReached> {
        let bytes = padded(bytes);
        if bytes == 0 {
            return Ok(std::ptr::null_mut());
        }
        if self.segments.last().is_none_or(|last| last.room() < bytes) {
            self.add_segment(bytes)?;
        }
        let last = self.segments.last_mut().expect("one with room was made");
        let Place::Memory(words) = &last.place else { unreachable!("segments with room are in memory") };
        let place = words.pointer().cast::<u8>().wrapping_add(last.used);
        last.used += bytes;
        Ok(place)
    }

    #[cold]
    fn add_segment(&mut self, bytes: usize) -> Result<(), LimitReached> {
        while self.on_disk < self.segments.len() && self.room.logs_wait_on_disk() {
            self.write_oldest()?;
        }
        let regular = self.segments.last().map_or(FIRST, |last| match &last.place {
            Place::Memory(words) => 2 * 8 * words.as_slice().len(),
            Place::Disk(_) => self.room.segment,
        });
        let size = regular.min(self.room.segment).max(bytes);
        let words = Buffer::zeroed(size / 8, &self.room.limits)?;
        self.segments.push(Segment { place: Place::Memory(words), used: 0 });
        Ok(())
    }

    fn write_oldest(&mut self) -> Result<(), LimitReached> {
        let file = self.room.file(&mut self.file)?;
        let segment = &mut self.segments[self.on_disk];
        let Place::Memory(words) = &segment.place else { unreachable!("the first ones are on disk") };
        // SAFETY: this number of bytes was handed out, and has been filled.
        let bytes = unsafe { std::slice::from_raw_parts(words.pointer().cast::<u8>(), segment.used) };
        segment.place = Place::Disk(file.append(bytes)?);
        self.written += segment.used as u64;
        self.on_disk += 1;
        Ok(())
    }

    pub(super) fn lacks(&self, bytes: u64) -> bool {
        self.room.lacks(bytes)
    }

    /// If there is a disk, writes segments but the last to it, the oldest first, until `bytes` bytes are free. No
    /// popped piece may be in use.
    pub(super) fn make_room(&mut self, bytes: u64) -> Result<(), LimitReached> {
        while self.room.has_disk() && self.on_disk + 1 < self.segments.len() && self.lacks(bytes) {
            self.emptied = None;
            self.write_oldest()?;
        }
        Ok(())
    }

    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// Pops the last piece, which has `bytes` bytes; it is valid until the next pop.
    pub(super) fn pop(&mut self, bytes: usize) -> Result<*const u8, LimitReached> {
        let bytes = padded(bytes);
        if bytes == 0 {
            return Ok(std::ptr::null());
        }
        while self.segments.last().expect("a piece that was put on").used == 0 {
            self.emptied = self.segments.pop();
        }
        if self.segments.len() == self.on_disk {
            self.read_last()?;
        }
        let last = self.segments.last_mut().expect("a piece that was put on");
        let Place::Memory(words) = &last.place else { unreachable!("the last segment was read") };
        last.used = last.used.checked_sub(bytes).expect("pieces lie in one segment each");
        Ok(words.pointer().cast::<u8>().wrapping_add(last.used))
    }

    #[cold]
    fn read_last(&mut self) -> Result<(), LimitReached> {
        let file = self.file.as_ref().expect("segments on disk have a file");
        let segment = self.segments.last_mut().expect("a segment on disk");
        let Place::Disk(start) = segment.place else { unreachable!("the last one is on disk") };
        self.emptied = None;
        let mut words: Buffer<u64> = Buffer::zeroed(segment.used.div_ceil(8), &self.room.limits)?;
        let bytes = words.as_mut_bytes();
        file.read(start, &mut bytes[..segment.used])?;
        file.truncate(start)?;
        segment.place = Place::Memory(words);
        self.on_disk -= 1;
        if let Some(Segment { place: Place::Disk(start), used }) =
            self.on_disk.checked_sub(1).map(|before| &self.segments[before])
        {
            file.expect(*start, *used as u64);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use base::limits::Limits;
    use base::random::Random;
    use base::scratch::Scratch;

    #[test]
    fn pieces_are_taken_off_in_reverse_wherever_they_wait() {
        let folder = tempfile::tempdir().unwrap();
        let mut random = Random::new(5);
        for round in 0..20 {
            let limits = Arc::new(Limits::new(64 << 20));
            let context = Context::new(Arc::clone(&limits), 1).with(|manner| {
                manner.scratch = Some(Scratch::new(folder.path(), &limits));
                manner.spilling = round % 2 == 0;
            });
            let mut log = Log::new(&Room::new(&context, u64::MAX));
            let mut sizes = vec![];
            for number in 0..500 {
                let bytes = random.below(if number % 50 == 0 { 30_000 } else { 300 });
                let place = log.push(bytes).unwrap();
                // SAFETY: the piece has this number of bytes.
                unsafe { place.write_bytes(number as u8, bytes) };
                sizes.push(bytes);
            }
            assert_eq!(log.written() > 0, round % 2 == 0);
            for (number, &bytes) in sizes.iter().enumerate().rev() {
                let piece = log.pop(bytes).unwrap();
                // SAFETY: this is the last of the pieces left.
                let same = (0..bytes).all(|k| unsafe { piece.add(k).read() } == number as u8);
                assert!(same, "piece {number} of {bytes} bytes");
                if random.below(10) == 0 {
                    log.make_room(0).unwrap();
                    assert!(round % 2 == 1 || log.segments.len() <= log.on_disk + 1);
                }
            }
        }
    }
}
