//! The values of a layer by the ranks of its states. The diagram of the states gives the rank, which is a perfect hash
//! (see [`Ranking`](kernel::Ranking)). Compressed blocks have the codes of the values, in the order of the ranks.
//!
//! A lookup follows the path of a state in the diagram and adds up the numbers of states below the `lo` children that
//! the path does not take. This sum is the rank. Then the lookup decompresses the block with the rank's code; the most
//! recently used blocks are kept. Cost: the walk along the path, and about ten microseconds to decompress a block that
//! is not kept. Damaged bytes are an error; a block is never decompressed beyond its length.

mod blocks;
mod head;
#[cfg(test)]
mod tests;
mod write;

pub use blocks::Opener;
pub use write::{BLOCK_STATES, BlockFile, Insert, Numbered, RankedBlocks, Take, pack, write_ranked};

use super::{Kind, LayerFile, Mapped, StoreError};
use base::limits::{Account, Limits};
use blocks::{Blocks, KEPT};
use head::Head;
use kernel::{Bitvector, Context, CountLayout, Node, TERMINALS, code_bits};
use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug)]
pub struct Ranked {
    file: LayerFile,
    head: Head,
    counts: CountLayout,
    /// The byte ranges in the body of the counts, of the blocks, and of the ends of the blocks.
    parts: [Range<usize>; 3],
    opened: Mutex<Blocks>,
}

impl Ranked {
    pub fn new(file: LayerFile) -> Result<Ranked, StoreError> {
        if file.header().kind != Kind::Ranked {
            return Err(file.damaged("not values by rank"));
        }
        let (head, length) = Head::from_bytes(file.body()).map_err(|what| file.damaged(what))?;
        let counts = CountLayout::new(file.header().nodes, head.count_bytes);
        let size = file.body().len() as u64;
        let ends = head.blocks().checked_mul(8).and_then(|index| size.checked_sub(index));
        let first = (length as u64).checked_add(counts.size());
        let (Some(ends), Some(first)) = (ends, first.filter(|&first| ends.is_some_and(|ends| first <= ends))) else {
            return Err(file.damaged("cut short"));
        };
        let parts = [length as u64..first, first..ends, ends..size].map(|part| part.start as usize..part.end as usize);
        Ok(Ranked { file, head, counts, parts, opened: Mutex::default() })
    }

    pub fn file(&self) -> &LayerFile {
        &self.file
    }

    pub fn states(&self) -> u64 {
        self.head.states
    }

    pub fn values(&self) -> &[u32] {
        &self.head.values
    }

    /// Number of states of a block; the last block may have fewer.
    pub fn block_states(&self) -> u64 {
        self.head.block_states
    }

    /// Number of states below the `lo` child of an inner node, by the node's index in the diagram of the states.
    pub fn count(&self, index: u64) -> Result<u64, StoreError> {
        let count = self.counts.count(self.part(0), index);
        count.map_err(|error| self.file.unpack_error(error))
    }

    /// The rank of a state (one value per level); `None` if the layer does not have it.
    pub fn rank(&self, states: &Mapped, assignment: &[bool]) -> Result<Option<u64>, StoreError> {
        let mut rank = 0u64;
        let found = states.walk(assignment, |node, taken| {
            if let (true, Some(index)) = (taken, node.index()) {
                let sum = rank.checked_add(self.count(index as u64)?);
                rank = sum.ok_or_else(|| self.file.damaged("a rank out of range"))?;
            }
            Ok(())
        })?;
        Ok((found != 0).then_some(rank))
    }

    /// The state (one value per level) of a rank, which must be below the number of states.
    pub fn state(&self, states: &Mapped, mut rank: u64) -> Result<Vec<bool>, StoreError> {
        let (mut assignment, mut node) = (vec![false; states.levels() as usize], states.root());
        while let Some(index) = node.index() {
            let first = self.count(index as u64)?;
            let [lo, hi] = states.children(node)?;
            node = if rank < first {
                lo
            } else {
                rank -= first;
                assignment[states.level(node).index()] = true;
                hi
            };
        }
        match (node, rank) {
            (Node::ZERO, _) | (_, 1..) => Err(self.file.damaged("counts that are not those of the states")),
            _ => Ok(assignment),
        }
    }

    pub fn value(&self, rank: u64) -> Result<u32, StoreError> {
        if rank >= self.head.states {
            return Err(self.file.damaged("a rank out of range"));
        }
        let bits = code_bits(self.head.values.len());
        let (block, place) = (rank / self.head.block_states, rank % self.head.block_states * u64::from(bits));
        let code = if bits == 0 { 0 } else { code_at(&self.opened_block(block)?, place, bits) };
        let value = self.head.values.get(code as usize);
        value.copied().ok_or_else(|| self.file.damaged("a code without a value"))
    }

    /// The value id of each state, by rank, with the account of their bytes. Opens every block.
    pub fn numbers<L: Deref<Target = Limits> + Clone>(&self, limits: &L) -> Result<(Vec<u32>, Account<L>), StoreError> {
        self.check_parts()?;
        let mut account = Account::new(limits);
        account.set(self.head.states.saturating_mul(4))?;
        let mut numbers = Vec::with_capacity(self.head.states as usize);
        self.each_block(limits, |block, codes| {
            for code in self.codes_of(block, codes) {
                let value = self.head.values.get(code as usize);
                numbers.push(*value.ok_or_else(|| self.file.damaged("a code without a value"))?);
            }
            Ok(())
        })?;
        Ok((numbers, account))
    }

    /// By block, the number of states up to its end whose value has a `wanted` code. Opens every block.
    pub fn code_ends(&self, wanted: &[bool], limits: &Limits) -> Result<Vec<u64>, StoreError> {
        let (mut found, mut ends) = (0, Vec::with_capacity(self.blocks() as usize));
        self.each_block(limits, |block, codes| {
            found += self.codes_of(block, codes).filter(|&code| is_wanted(wanted, code)).count() as u64;
            ends.push(found);
            Ok(())
        })?;
        Ok(ends)
    }

    /// Opens every block, and calls `take` with its number and its codes.
    fn each_block(
        &self,
        limits: &Limits,
        mut take: impl FnMut(u64, &[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (mut opener, mut codes) = (Opener::default(), Vec::new());
        for block in 0..self.blocks() {
            limits.check()?;
            self.open_block(block, &mut opener, &mut codes)?;
            take(block, &codes)?;
        }
        Ok(())
    }

    /// The rank of state number `before`, from 0, among the states of a block with a `wanted` code, if there is one.
    pub fn select(&self, block: u64, wanted: &[bool], before: u64) -> Result<Option<u64>, StoreError> {
        let codes = self.opened_block(block)?;
        let places = (0..).zip(self.codes_of(block, &codes)).filter(|(_, code)| is_wanted(wanted, *code));
        let place = places.map(|(place, _)| place).nth(before as usize);
        Ok(place.map(|place: u64| block * self.head.block_states + place))
    }

    fn opened_block(&self, block: u64) -> Result<Arc<Vec<u8>>, StoreError> {
        let blocks = || self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let mut opener = {
            let mut blocks = blocks();
            match blocks.get(block) {
                Some(codes) => return Ok(codes),
                None => blocks.opener(),
            }
        };
        let mut codes = Vec::new();
        self.open_block(block, &mut opener, &mut codes)?;
        let codes = Arc::new(codes);
        blocks().keep(block, &codes, opener);
        Ok(codes)
    }

    fn codes_of<'a>(&self, block: u64, codes: &'a [u8]) -> impl Iterator<Item = u32> + use<'a> {
        let bits = code_bits(self.head.values.len());
        (0..self.head.states_of(block)).map(move |state| code_at(codes, state * u64::from(bits), bits))
    }

    /// Bound on the bytes of the blocks that [`Ranked::value`] keeps open.
    pub fn opened_bytes(&self) -> u64 {
        KEPT as u64 * self.head.block_bytes(0) as u64
    }

    pub fn close_blocks(&self) {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Blocks::default();
    }

    pub fn open_block(&self, block: u64, opener: &mut Opener, codes: &mut Vec<u8>) -> Result<(), StoreError> {
        let Range { start, end } = self.block_range(block)?;
        let length = self.head.block_bytes(block);
        let stored = self.part(1).get(start as usize..end as usize);
        let stored = stored.ok_or_else(|| self.file.damaged("blocks out of order"))?;
        opener.unpack(stored, length, codes).map_err(|what| self.file.damaged(what))
    }

    pub fn blocks(&self) -> u64 {
        self.head.blocks()
    }

    /// Checks that the byte ranges of the file follow each other and fill it. Blocks are not opened.
    pub fn check_parts(&self) -> Result<(), StoreError> {
        self.counts.check_blocks(self.part(0)).map_err(|error| self.file.unpack_error(error))?;
        let mut last = 0;
        for block in 0..self.blocks() {
            let Range { start, end } = self.block_range(block)?;
            if start != last || end < start {
                return Err(self.file.damaged("blocks out of order"));
            }
            last = end;
        }
        if last != self.part(1).len() as u64 {
            return Err(self.file.damaged("bytes behind the last block"));
        }
        Ok(())
    }

    /// The values by code. A table of exact values may be larger than a bitvector can have.
    fn table(&self) -> Result<Vec<u32>, StoreError> {
        let mut sorted: Vec<u32> = self.head.values.iter().copied().take(TERMINALS as usize).collect();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() < self.head.values.len() || sorted.last().is_some_and(|&value| value >= TERMINALS) {
            return Err(self.file.damaged("a table of other values"));
        }
        Ok(self.head.values.clone())
    }

    /// The codes of all states by rank. All threads read and check the blocks.
    pub fn bitvector(&self, context: &Context) -> Result<Bitvector, StoreError> {
        self.check_parts()?;
        let all = 0..self.head.states;
        self.bitvector_within(if all.is_empty() { &[] } else { std::slice::from_ref(&all) }, context)
    }

    /// As [`Ranked::bitvector`], only for ranges of ranks (see [`Bitvector::sparse`]) that start and end at multiples
    /// of the states of a block or end at the last state. All threads read and check their blocks, and no others.
    pub fn bitvector_within(&self, ranks: &[Range<u64>], context: &Context) -> Result<Bitvector, StoreError> {
        let values = Bitvector::sparse(self.head.states, self.table()?, ranks, context.limits())?;
        let number =
            |ranks: &Range<u64>| ranks.start / self.head.block_states..ranks.end.div_ceil(self.head.block_states);
        let blocks: Vec<u64> = ranks.iter().flat_map(number).collect();
        let mut threads: Vec<_> = (0..context.threads()).map(|_| (Opener::default(), Vec::new(), Ok(()))).collect();
        context.share(&blocks, &mut threads, |_, &block, (opener, codes, outcome)| {
            if outcome.is_err() {
                return;
            }
            *outcome = context.limits().check().map_err(StoreError::from).and_then(|()| {
                self.open_block(block, opener, codes)?;
                let (first, states) = (block * self.head.block_states, self.head.states_of(block));
                // SAFETY: each block is opened once, and nobody reads the bitvector before all blocks are opened.
                let read = unsafe { values.read_codes_apart(first, states, codes) };
                if read { Ok(()) } else { Err(self.file.damaged("a code without a value")) }
            });
        });
        threads.into_iter().try_for_each(|(_, _, outcome)| outcome)?;
        Ok(values)
    }

    fn block_range(&self, block: u64) -> Result<Range<u64>, StoreError> {
        let end = |block: u64| {
            let bytes = self.part(2).get(block as usize * 8..).and_then(|rest| rest.first_chunk::<8>());
            bytes.map(|bytes| u64::from_le_bytes(*bytes)).ok_or_else(|| self.file.damaged("not a block"))
        };
        Ok(block.checked_sub(1).map_or(Ok(0), end)?..end(block)?)
    }

    fn part(&self, part: usize) -> &[u8] {
        self.file.body().get(self.parts[part].clone()).unwrap_or_default()
    }
}

/// Whether a code is wanted; false for a code without a value, which a damaged file may have.
fn is_wanted(wanted: &[bool], code: u32) -> bool {
    wanted.get(code as usize).is_some_and(|wanted| *wanted)
}

/// The code at a bit position. A code has at most 31 bits, so it spans at most five bytes.
fn code_at(codes: &[u8], place: u64, bits: u32) -> u32 {
    let bytes = codes.get((place / 8) as usize..).unwrap_or_default();
    let word = bytes.iter().take(5).rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    (word >> (place % 8) & ((1 << bits) - 1)) as u32
}
