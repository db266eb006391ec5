//! The layout of the code of configurations, in words of 64 bits.
//!
//! **Inner**: the first word has 8 zero bits, then the number of entries of the first child, and from bit 32 on that of
//! the second child; its highest bit tells whether entries are narrow. The next word has the references to the
//! children, and two words have the numbers of states below them. Then come the entries of the first and of the second
//! child, each `offset << 16 | source`, or if narrow, in half a word, `offset << 11 | source`. A reference below
//! [`TERMINALS`](crate::TERMINALS) stands for states that are all terminal with that value.
//!
//! **Block**: the first word has the number of states in 8 bits, then the numbers of movers (8 bits), of values, of
//! wide links and of narrow links (16 bits each). Next come, for each mover and value, its terminal and the mask of its
//! states; then for each wide link `base << 16 | source`, image and guard. A narrow link takes three half words: `base
//! << 17 | shift << 11 | source`, the image, and the guard shifted right by `shift`, the number of its trailing zeros.
//!
//! Most entries and about two thirds of the links are narrow. Code is most of a program's memory.

use super::blocks::Link;
use super::descent::Entry;

/// Bound on the size of a configuration's code, in words, within which all numbers of entries and links fit their bits.
pub const MOST_WORDS: usize = 1 << 11;
const MOST_OFFSET: u64 = 1 << 48;
/// Largest index of an entry in code. Only the first configuration, with an entry per move, can have more entries.
const MOST_SOURCE: u32 = u16::MAX as u32;
/// Bits of a source and of a shift in narrow form. Offset and base get the other bits of a half word.
const SOURCE_BITS: u32 = 11;
const SHIFT_BITS: u32 = 6;
const NARROW: u64 = 1 << 63;

/// Bits that are zero in inner code; in a block they hold the number of states, which is at least one.
const BLOCK_BITS: u64 = 0xFF;
const REFERENCES: usize = 1;
const HEAD: usize = 4;

/// # Safety
/// `code` must point to code.
#[inline(always)]
pub unsafe fn is_block(code: *const u64) -> bool {
    // SAFETY: by this function's contract.
    unsafe { *code & BLOCK_BITS != 0 }
}

/// # Safety
/// `code` must point to inner code.
#[inline(always)]
pub unsafe fn set_references(code: *mut u64, references: [u32; 2]) {
    // SAFETY: by this function's contract.
    unsafe { *code.add(REFERENCES).cast() = references };
}

/// Replaces `code` by the code of an inner configuration without its references: the numbers of states below its
/// children, and its entries. Returns false if a number does not fit its bits.
pub fn write_inner(states: [u64; 2], entries: &[Vec<Entry>; 2], code: &mut Vec<u64>) -> bool {
    let [first, second] = entries.each_ref().map(Vec::len);
    let all = || entries.iter().flatten();
    let fits = |entry: &Entry| entry.offset < MOST_OFFSET && entry.source <= MOST_SOURCE;
    if HEAD + first + second > MOST_WORDS || !all().all(fits) {
        return false;
    }
    code.clear();
    code.extend([(first as u64) << 8 | (second as u64) << 32, 0, states[0], states[1]]);
    let narrow = |entry: &Entry| entry.offset >> (u32::BITS - SOURCE_BITS) == 0 && entry.source >> SOURCE_BITS == 0;
    if all().all(narrow) {
        code[0] |= NARROW;
        extend_with_halves(code, all().map(|entry| (entry.offset as u32) << SOURCE_BITS | entry.source));
    } else {
        code.extend(all().map(|entry| entry.offset << 16 | u64::from(entry.source)));
    }
    true
}

/// Replaces `code` by the code of a block. `terminals` has the terminals of `movers` movers first, then those of
/// values; each link comes with its source. Returns false if a number does not fit its bits.
pub fn write_block(
    states: u64,
    terminals: &[(u32, u64)],
    movers: usize,
    links: &[(u32, Link)],
    code: &mut Vec<u64>,
) -> bool {
    let narrow = links.iter().filter(|link| narrow(link).is_some()).count();
    let wide = links.len() - narrow;
    let words = 1 + 2 * terminals.len() + 3 * wide + (3 * narrow).div_ceil(2);
    let fits = links.iter().all(|&(source, link)| link.base < MOST_OFFSET && source <= MOST_SOURCE);
    if words > MOST_WORDS || !fits {
        return false;
    }
    let values = terminals.len() - movers;
    code.clear();
    code.push(states | (movers as u64) << 8 | (values as u64) << 16 | (wide as u64) << 32 | (narrow as u64) << 48);
    code.extend(terminals.iter().flat_map(|&(terminal, mask)| [u64::from(terminal), mask]));
    let wide = links.iter().filter(|link| self::narrow(link).is_none());
    code.extend(wide.flat_map(|&(source, link)| [link.base << 16 | u64::from(source), link.image, link.guard]));
    extend_with_halves(code, links.iter().filter_map(self::narrow).flatten());
    true
}

fn narrow(&(source, link): &(u32, Link)) -> Option<[u32; 3]> {
    let shift = link.guard.trailing_zeros() % u64::BITS;
    let base = u32::try_from(link.base).ok().filter(|base| base >> (u32::BITS - SHIFT_BITS - SOURCE_BITS) == 0)?;
    let (image, guard) = (u32::try_from(link.image).ok()?, u32::try_from(link.guard >> shift).ok()?);
    (source >> SOURCE_BITS == 0).then_some([(base << SHIFT_BITS | shift) << SOURCE_BITS | source, image, guard])
}

/// Adds halves of words, two to a word.
pub fn extend_with_halves(code: &mut Vec<u64>, mut halves: impl Iterator<Item = u32>) {
    while let Some(first) = halves.next() {
        let [a, b, c, d] = first.to_ne_bytes();
        let [e, f, g, h] = halves.next().unwrap_or(0).to_ne_bytes();
        code.push(u64::from_ne_bytes([a, b, c, d, e, f, g, h]));
    }
}

pub struct Inner<'a> {
    pub references: [u32; 2],
    pub states: [u64; 2],
    pub counts: [usize; 2],
    entries: Entries<'a>,
}

enum Entries<'a> {
    Narrow(&'a [u32]),
    Wide(&'a [u64]),
}

impl<'a> Inner<'a> {
    /// # Safety
    /// `code` must point to inner code that stays unchanged while the result is in use.
    #[inline(always)]
    pub unsafe fn of(code: *const u64) -> Inner<'a> {
        // SAFETY: by this function's contract, the code is as long as the first word says.
        unsafe {
            let counts = [*code >> 8 & 0xFF_FFFF, (*code & !NARROW) >> 32].map(|count| count as usize);
            let (all, entries) = (counts[0] + counts[1], code.add(HEAD));
            let entries = match *code & NARROW {
                0 => Entries::Wide(std::slice::from_raw_parts(entries, all)),
                _ => Entries::Narrow(std::slice::from_raw_parts(entries.cast(), all)),
            };
            let references = *code.add(REFERENCES).cast::<[u32; 2]>();
            Inner { references, states: [*code.add(2), *code.add(3)], counts, entries }
        }
    }

    /// Computes the offsets of the children's entries from `offsets`, those of the configuration's own entries.
    /// `targets` gets the offsets of the second child first, then those of the first.
    #[inline(always)]
    pub fn inherit(&self, offsets: &[u64], targets: &mut [u64]) {
        let (second, first) = targets.split_at_mut(self.counts[1]);
        let targets = first.iter_mut().chain(second);
        match self.entries {
            Entries::Narrow(entries) => {
                for (target, &entry) in targets.zip(entries) {
                    *target = offsets[(entry & ((1 << SOURCE_BITS) - 1)) as usize] + u64::from(entry >> SOURCE_BITS);
                }
            }
            Entries::Wide(entries) => {
                for (target, &entry) in targets.zip(entries) {
                    *target = offsets[entry as u16 as usize] + (entry >> 16);
                }
            }
        }
    }
}

pub struct Block<'a> {
    /// For each mover, its terminal and the mask of its states.
    pub movers: &'a [[u64; 2]],
    /// Each value of terminal states, with the mask of these states.
    pub values: &'a [[u64; 2]],
    wide: &'a [[u64; 3]],
    narrow: &'a [[u32; 3]],
}

impl<'a> Block<'a> {
    /// # Safety
    /// `code` must point to the code of a block that stays unchanged while the result is in use.
    #[inline(always)]
    pub unsafe fn of(code: *const u64) -> Block<'a> {
        // SAFETY: by this function's contract, the code is as long as the first word says.
        unsafe {
            let head = *code;
            let [values, wide, narrow] = [16, 32, 48].map(|bit| usize::from((head >> bit) as u16));
            let movers = usize::from((head >> 8) as u8);
            let pairs: &[[u64; 2]] = std::slice::from_raw_parts(code.add(1).cast(), movers + values);
            let links = code.add(1 + 2 * pairs.len());
            Block {
                movers: &pairs[..movers],
                values: &pairs[movers..],
                wide: std::slice::from_raw_parts(links.cast(), wide),
                narrow: std::slice::from_raw_parts(links.add(3 * wide).cast(), narrow),
            }
        }
    }

    /// Calls `see` with base, image and guard of each link; this base includes the offset of the link's entry.
    #[inline(always)]
    pub fn for_each_link(&self, offsets: &[u64], mut see: impl FnMut(u64, u64, u64)) {
        for &[place, image, guard] in self.narrow {
            let source = (place & ((1 << SOURCE_BITS) - 1)) as usize;
            let shift = place >> SOURCE_BITS & ((1 << SHIFT_BITS) - 1);
            let base = u64::from(place >> (SOURCE_BITS + SHIFT_BITS));
            see(offsets[source] + base, image.into(), u64::from(guard) << shift);
        }
        for &[place, image, guard] in self.wide {
            see(offsets[place as u16 as usize] + (place >> 16), image, guard);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Node;
    use crate::relation::IDENTITY;
    use base::random::Random;

    #[test]
    fn inner_code_is_read_as_it_was_written() {
        let mut random = Random::new(8);
        let mut code = vec![];
        for round in 0..2000 {
            let wide = round % 2 == 0;
            let mut entry = |_| Entry {
                node: Node::ONE,
                relation: IDENTITY,
                source: random.below(if wide { 1 << 16 } else { 1 << 11 }) as u32,
                offset: random.below(if wide { 1 << 40 } else { 1 << 21 }) as u64,
            };
            let entries = [round % 7, round % 5].map(|count| (0..count).map(&mut entry).collect::<Vec<_>>());
            let offsets: Vec<u64> = (0..1 << 16).map(|_| random.below(1 << 20) as u64).collect();
            assert!(write_inner([round as u64, 5], &entries, &mut code));
            // SAFETY: the code was just written.
            let inner = unsafe {
                set_references(code.as_mut_ptr(), [3, 4]);
                assert!(!is_block(code.as_ptr()));
                Inner::of(code.as_ptr())
            };
            assert_eq!((inner.references, inner.states), ([3, 4], [round as u64, 5]));
            assert_eq!(inner.counts, entries.each_ref().map(Vec::len));
            let mut targets = vec![0; inner.counts[0] + inner.counts[1]];
            inner.inherit(&offsets, &mut targets);
            let expected = entries.iter().rev().flatten().map(|entry| offsets[entry.source as usize] + entry.offset);
            assert!(expected.eq(targets), "round {round}");
        }
        let most = Entry { node: Node::ONE, relation: IDENTITY, source: 0, offset: MOST_OFFSET - 1 };
        assert!(write_inner([1, 1], &[vec![most], vec![]], &mut code));
        for refused in [Entry { offset: MOST_OFFSET, ..most }, Entry { source: MOST_SOURCE + 1, ..most }] {
            assert!(!write_inner([1, 1], &[vec![], vec![refused]], &mut code));
        }
        assert!(!write_inner([1, 1], &[vec![most; MOST_WORDS], vec![]], &mut code));
    }

    #[test]
    fn blocks_are_read_as_they_were_written() {
        let mut random = Random::new(9);
        let mut code = vec![];
        let offsets: Vec<u64> = (0..1 << 16).map(|k| 3 * k).collect();
        for round in 0..2000_u64 {
            let mut bits = |most: u32| random.below(1 << 31) as u64 >> random.below(31) << random.below(most as usize);
            let mut link = |_| {
                let [guard, image] = [bits(33), bits(26)];
                let (base, source) = (bits(17), bits(1) as u32 & 0x0FFF);
                (source, Link { guard, image, base })
            };
            let mut links: Vec<(u32, Link)> = (0..round % 9).map(&mut link).collect();
            let terminals = [(9, 5), (7, round), (3, 2)];
            assert!(write_block(1 + round % 64, &terminals, (round % 4) as usize, &links, &mut code));
            // SAFETY: the code was just written.
            let block = unsafe {
                assert!(is_block(code.as_ptr()));
                Block::of(code.as_ptr())
            };
            let pairs: Vec<_> = block.movers.iter().chain(block.values).copied().collect();
            assert_eq!(pairs, terminals.map(|(terminal, mask)| [u64::from(terminal), mask]));
            assert_eq!(block.movers.len() as u64, round % 4);
            let mut found = vec![];
            block.for_each_link(&offsets, |base, image, guard| found.push((base, image, guard)));
            links.sort_by_key(|link| narrow(link).is_none());
            let expected =
                links.iter().map(|&(source, Link { guard, image, base })| (3 * u64::from(source) + base, image, guard));
            assert!(expected.eq(found), "round {round}: {links:?}");
        }
    }
}
