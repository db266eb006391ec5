//! The verifier's own reader of stored diagrams, written from the description of the format alone
//! (`grammar/solution-format.md`). It unpacks bytes into arrays of nodes. Damaged bytes are an error.
//!
//! Cost: a pass over the bytes; 16 bytes for each node of a set, 8 for each node of a function. For few lookups, a
//! function can stay packed ([`Packed`]).

use base::limits::{Account, LimitReached, Limits, Reserved};
use base::machine::prefetch;
use fixedbitset::FixedBitSet;
use game::batch::holds;
use num_bigint::BigUint;
use solving::solution::ReadError;
use solving::store::LayerFile;

pub const TERMINALS: u32 = 16384;
const BATCH: u32 = 1 << 16;
/// Number of bits for a number of states in a node; larger numbers are kept in a separate list.
const COUNT: u32 = 48;

/// A node of a set: its children, and a word with its level and the number of states below `lo`.
#[derive(Debug, Clone, Copy)]
pub struct SetNode {
    pub lo: u32,
    pub hi: u32,
    word: u64,
}

impl SetNode {
    #[inline]
    pub fn level(&self) -> usize {
        (self.word >> COUNT) as usize
    }

    #[inline]
    pub fn below(&self) -> u64 {
        self.word & ((1 << COUNT) - 1)
    }
}

/// A set of states: a zero-suppressed diagram, in which no `hi` is terminal 0.
#[derive(Debug)]
pub struct Set<'l> {
    pub nodes: Vec<SetNode>,
    pub root: u32,
    pub levels: usize,
    /// `None` if there are too many states to walk over; [`SetNode::below`] is then meaningless.
    pub states: Option<u64>,
    /// By node: the number of states below it, if numbers are too large for [`SetNode`].
    large: Vec<BigUint>,
    _memory: Account<&'l Limits>,
}

impl<'l> Set<'l> {
    pub fn read(file: &LayerFile, limits: &'l Limits) -> Result<Set<'l>, ReadError> {
        let header = file.header();
        let mut set = Set::with_capacity(header.nodes, header.root, header.levels as usize, limits)?;
        read(file, limits, |level, lo, hi| {
            if [lo, hi].iter().any(|child| (2..TERMINALS).contains(child)) {
                return Err("a terminal that no set has");
            }
            if hi == 0 {
                return Err("a node that sets do not have");
            }
            set.nodes.push(SetNode { lo, hi, word: (level as u64) << COUNT });
            Ok(())
        })?;
        if (2..TERMINALS).contains(&set.root) {
            return Err(file.damaged("a root that is no node").into());
        }
        Ok(set.counted(limits)?)
    }

    /// A set with these nodes: level, `lo` and `hi`. Ids start from 2, and children come before their parents.
    pub fn of_nodes(
        from: &[(u32, u32, u32)],
        root: u32,
        levels: usize,
        limits: &'l Limits,
    ) -> Result<Set<'l>, LimitReached> {
        let id = |id: u32| if id < 2 { id } else { id - 2 + TERMINALS };
        let mut set = Set::with_capacity(from.len() as u64, id(root), levels, limits)?;
        let node = |&(level, lo, hi)| SetNode { lo: id(lo), hi: id(hi), word: u64::from(level) << COUNT };
        set.nodes.extend(from.iter().map(node));
        set.counted(limits)
    }

    fn with_capacity(nodes: u64, root: u32, levels: usize, limits: &'l Limits) -> Result<Set<'l>, LimitReached> {
        let mut memory = Account::new(&limits);
        memory.grow_to(nodes.saturating_mul(size_of::<SetNode>() as u64))?;
        let nodes = Vec::with_capacity(nodes as usize);
        Ok(Set { nodes, root, levels, states: None, large: Vec::new(), _memory: memory })
    }

    fn counted(mut self, limits: &Limits) -> Result<Set<'l>, LimitReached> {
        let of = |counts: &[u64], child: u32| match child.checked_sub(TERMINALS) {
            Some(index) => counts[index as usize],
            None => child.into(),
        };
        let held = limits.hold(self.nodes.len() as u64 * 8)?;
        let mut counts: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for node in &mut self.nodes {
            let below = of(&counts, node.lo);
            node.word |= below & ((1 << COUNT) - 1);
            counts.push(below.saturating_add(of(&counts, node.hi)));
        }
        if counts.iter().all(|count| *count < 1 << COUNT) {
            self.states = Some(of(&counts, self.root));
            return Ok(self);
        }
        drop((counts, held));
        let bytes = (size_of::<SetNode>() + bytes_of_large(self.levels)) as u64;
        self._memory.grow_to(bytes.saturating_mul(self.nodes.len() as u64))?;
        self.large = Vec::with_capacity(self.nodes.len());
        for SetNode { lo, hi, .. } in &self.nodes {
            self.large.push(large(&self.large, *lo) + large(&self.large, *hi));
        }
        Ok(self)
    }

    pub fn total(&self) -> BigUint {
        self.below(self.root)
    }

    fn below(&self, id: u32) -> BigUint {
        if self.states.is_some() { self.count(id).into() } else { large(&self.large, id) }
    }

    /// The state of a rank, as a value for each level.
    pub fn state(&self, rank: &BigUint) -> Vec<bool> {
        let (mut assignment, mut id, mut rank) = (vec![false; self.levels], self.root, rank.clone());
        while id >= TERMINALS {
            let SetNode { lo, hi, .. } = *self.node(id);
            let first = self.below(lo);
            let high = rank >= first;
            if high {
                rank -= first;
                assignment[self.node(id).level()] = true;
            }
            id = if high { hi } else { lo };
        }
        assignment
    }

    /// The number of states; an error if there are too many to walk over.
    pub fn countable(&self) -> Result<u64, LimitReached> {
        let what = "number of states of a layer to walk over".to_owned();
        self.states.ok_or(LimitReached::Size { what, limit: 1 << COUNT })
    }

    #[inline]
    pub fn node(&self, id: u32) -> &SetNode {
        &self.nodes[(id - TERMINALS) as usize]
    }

    #[inline]
    pub fn prefetch(&self, id: u32) {
        prefetch(self.nodes.as_ptr().wrapping_add(id.saturating_sub(TERMINALS) as usize));
    }

    pub fn count(&self, mut id: u32) -> u64 {
        let mut sum = 0;
        while id >= TERMINALS {
            let node = self.node(id);
            sum += node.below();
            id = node.hi;
        }
        sum + u64::from(id)
    }
}

/// The number of elements below a node, from the `counts` of the earlier nodes. A terminal other than 0 is one element.
fn large(counts: &[BigUint], id: u32) -> BigUint {
    match id.checked_sub(TERMINALS) {
        Some(index) => counts[index as usize].clone(),
        None => u32::from(id != 0).into(),
    }
}

fn bytes_of_large(levels: usize) -> usize {
    levels / 8 + 40
}

/// The number of elements, whatever their terminals; an error if a terminal is greater than `most`.
pub fn elements(file: &LayerFile, most: u32, limits: &Limits) -> Result<BigUint, ReadError> {
    let header = file.header();
    let _memory = limits.hold(header.nodes.saturating_mul(bytes_of_large(header.levels as usize) as u64))?;
    let mut counts = Vec::with_capacity(header.nodes as usize);
    read(file, limits, |_, lo, hi| {
        if [lo, hi].iter().any(|child| (most + 1..TERMINALS).contains(child)) {
            return Err("a terminal out of range");
        }
        counts.push(large(&counts, lo) + large(&counts, hi));
        Ok(())
    })?;
    Ok(large(&counts, header.root))
}

/// The first node of each level, from the bottom level up.
#[derive(Debug)]
struct Levels(Vec<u32>);

impl Levels {
    #[inline]
    fn of(&self, id: u32) -> u32 {
        (self.0.len() - self.0.partition_point(|start| *start <= id)) as u32
    }

    /// The first id of the nodes above a level. The level after the last one is allowed.
    #[inline]
    fn above(&self, level: u32) -> u32 {
        match self.0.get(self.0.len() - level as usize) {
            Some(&first) => first,
            // No node is above the top level.
            None => u32::MAX,
        }
    }
}

/// The values of states: a diagram whose terminals are value ids. The value does not depend on skipped levels.
#[derive(Debug)]
pub struct Function<'l> {
    pub nodes: Vec<[u32; 2]>,
    levels: Levels,
    pub root: u32,
    _memory: Reserved<'l>,
}

impl<'l> Function<'l> {
    pub fn read(file: &LayerFile, limits: &'l Limits) -> Result<Function<'l>, ReadError> {
        let count = file.header().nodes;
        let memory = limits.hold(count.saturating_mul(size_of::<[u32; 2]>() as u64))?;
        let mut nodes = Vec::with_capacity(count as usize);
        read(file, limits, |_, lo, hi| {
            nodes.push([lo, hi]);
            Ok(())
        })?;
        let Packed { levels, root, .. } = Packed::open(file)?;
        Ok(Function { nodes, levels, root, _memory: memory })
    }

    #[inline]
    pub fn node(&self, id: u32) -> [u32; 2] {
        self.nodes[(id - TERMINALS) as usize]
    }

    #[inline]
    pub fn level(&self, id: u32) -> u32 {
        self.levels.of(id)
    }

    #[inline]
    pub fn is_at(&self, id: u32, level: u32) -> bool {
        (self.levels.above(level + 1)..self.levels.above(level)).contains(&id)
    }

    #[inline]
    pub fn above(&self, level: u32) -> u32 {
        self.levels.above(level)
    }

    #[inline]
    pub fn prefetch(&self, id: u32) {
        prefetch(self.nodes.as_ptr().wrapping_add(id.saturating_sub(TERMINALS) as usize));
    }

    /// The value of states in which all levels from this node on are false.
    pub fn lowest(&self, mut id: u32) -> u32 {
        while id >= TERMINALS {
            id = self.node(id)[0];
        }
        id
    }
}

#[derive(Debug)]
pub struct Packed<'f> {
    file: &'f LayerFile,
    levels: Levels,
    /// By level, in the order of `levels`: its first block and its number of nodes.
    blocks: Vec<(u64, u32)>,
    root: u32,
    /// The descriptors of the blocks; the blocks themselves are in `data`.
    entries: &'f [u8],
    data: &'f [u8],
}

/// A block: consecutive nodes of a level. A child is stored as its difference from a base, in a fixed number of bits.
struct Block {
    bases: [u32; 2],
    widths: [u64; 2],
    offset: u64,
}

const BLOCK: u32 = 64;
const ENTRY: usize = 16;

impl<'f> Packed<'f> {
    pub fn open(file: &'f LayerFile) -> Result<Packed<'f>, ReadError> {
        let (body, header) = (file.body(), file.header());
        let (levels, nodes) = (header.levels as usize, header.nodes);
        let cut = || ReadError::from(file.damaged("a diagram that is cut short"));
        let counts = (0..levels).map(|level| word(body, 4 * level)).collect::<Option<Vec<u32>>>().ok_or_else(cut)?;
        let of_level = |count: u32| u64::from(count.div_ceil(BLOCK));
        let all: u64 = counts.iter().map(|&count| of_level(count)).sum();
        let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        if sum != nodes || nodes > u64::from(u32::MAX - TERMINALS) {
            return Err(file.damaged("other numbers of nodes than the header has").into());
        }
        let (mut starts, mut blocks, mut block, mut start) = (Vec::new(), Vec::new(), 0, TERMINALS);
        for count in counts {
            starts.push(start);
            blocks.push((block, count));
            (start, block) = (start + count, block + of_level(count));
        }
        if header.root >= TERMINALS && u64::from(header.root - TERMINALS) >= nodes {
            return Err(file.damaged("a root that is no node").into());
        }
        let entries = body.get(4 * levels..).ok_or_else(cut)?;
        let length = usize::try_from(all).ok().and_then(|all| all.checked_mul(ENTRY));
        let (entries, data) = length.and_then(|length| entries.split_at_checked(length)).ok_or_else(cut)?;
        Ok(Packed { file, levels: Levels(starts), blocks, root: header.root, entries, data })
    }

    pub fn file(&self) -> &'f LayerFile {
        self.file
    }

    fn block(&self, number: u64) -> Result<Block, ReadError> {
        let parts = [0, 4, 8, 12].map(|part| word(self.entries, ENTRY * number as usize + part));
        let [Some(lo_base), Some(hi_base), Some(low), Some(high)] = parts else {
            return Err(self.file.damaged("a diagram that is cut short").into());
        };
        let last = u64::from(high) << 32 | u64::from(low);
        let widths = [last & 63, last >> 6 & 63];
        if widths.iter().any(|width| *width > 32) {
            return Err(self.file.damaged("a width out of range").into());
        }
        Ok(Block { bases: [lo_base, hi_base], widths, offset: last >> 12 })
    }

    /// The children of a node of a block. It is an error if a child is not below `start`.
    #[inline]
    fn children(&self, block: &Block, index: u32, start: u32) -> Result<[u32; 2], ReadError> {
        let mut children = [0; 2];
        let mut bit = u64::from(index) * (block.widths[0] + block.widths[1]);
        for ((child, base), width) in children.iter_mut().zip(block.bases).zip(block.widths) {
            let bytes = self.data.get((block.offset + bit / 8) as usize..).unwrap_or_default();
            let mut held = [0; 8];
            let length = bytes.len().min(8);
            held[..length].copy_from_slice(&bytes[..length]);
            if (bit % 8 + width).div_ceil(8) > length as u64 {
                return Err(self.file.damaged("a diagram that is cut short").into());
            }
            let more = u64::from_le_bytes(held) >> (bit % 8) & ((1 << width) - 1);
            bit += width;
            let found = base.checked_add(more as u32).filter(|&child| child < start);
            *child = found.ok_or_else(|| self.file.damaged("a child out of range"))?;
        }
        Ok(children)
    }

    /// The terminal that a packed state leads to.
    pub fn value(&self, state: &[u64]) -> Result<u32, ReadError> {
        let mut id = self.root;
        while id >= TERMINALS {
            let level = self.levels.of(id) as usize;
            let place = self.levels.0.len() - 1 - level;
            let (start, (first, _)) = (self.levels.0[place], self.blocks[place]);
            let block = self.block(first + u64::from((id - start) / BLOCK))?;
            let children = self.children(&block, (id - start) % BLOCK, start)?;
            id = children[usize::from(holds(state, level))];
        }
        Ok(id)
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// Calls `add` with the level and the children of every node, the bottom level first, so that children come first. It is
/// an error if blocks do not follow each other and fill the data, if nodes are out of order, or if nothing leads to one.
fn read(
    file: &LayerFile,
    limits: &Limits,
    mut add: impl FnMut(usize, u32, u32) -> Result<(), &'static str>,
) -> Result<(), ReadError> {
    file.expect_pass();
    let packed = Packed::open(file)?;
    let damaged = |what| ReadError::from(file.damaged(what));
    let nodes = file.header().nodes;
    let _held = limits.hold(nodes / 8)?;
    // The number of nodes is that of the levels, which `open` has compared.
    let mut found = FixedBitSet::with_capacity(nodes as usize);
    let mut find = |id: u32| id.checked_sub(TERMINALS).map_or((), |number| found.insert(number as usize));
    find(packed.root);
    let mut end = 0;
    for (place, (&start, &(first, count))) in packed.levels.0.iter().zip(&packed.blocks).enumerate() {
        let level = packed.levels.0.len() - 1 - place;
        let mut last = [0; 2];
        for (number, done) in (first..).zip((0..count).step_by(BLOCK as usize)) {
            if done % BATCH == 0 {
                limits.check()?;
            }
            let (block, length) = (packed.block(number)?, BLOCK.min(count - done));
            if block.offset != end {
                return Err(damaged("blocks that do not follow each other"));
            }
            end += (u64::from(length) * (block.widths[0] + block.widths[1])).div_ceil(8);
            for index in 0..length {
                let children = packed.children(&block, index, start)?;
                if (done > 0 || index > 0) && children <= last {
                    return Err(damaged("nodes out of order"));
                }
                last = children;
                children.into_iter().for_each(&mut find);
                add(level, children[0], children[1]).map_err(damaged)?;
            }
        }
    }
    if end != packed.data.len() as u64 {
        return Err(damaged("bytes behind the last node"));
    }
    if !found.is_full() {
        return Err(damaged("nodes that nothing mentions"));
    }
    Ok(())
}

#[cfg(test)]
pub mod testing {
    use super::*;
    use base::random::Random;
    use std::collections::HashMap;

    pub fn random_set<'l>(levels: usize, random: &mut Random, limits: &'l Limits) -> Set<'l> {
        let mut below: Vec<u32> = (0..1 << levels).map(|_| u32::from(random.chance(40))).collect();
        let (mut nodes, mut known) = (Vec::new(), HashMap::new());
        for level in (0..levels as u32).rev() {
            let node = |pair: &[u32]| match pair[1] {
                0 => pair[0],
                _ => *known.entry((level, pair[0], pair[1])).or_insert_with(|| {
                    nodes.push((level, pair[0], pair[1]));
                    nodes.len() as u32 + 1
                }),
            };
            below = below.chunks(2).map(node).collect();
        }
        Set::of_nodes(&nodes, below[0], levels, limits).unwrap()
    }

    pub fn function<'l>(levels: usize, most: usize, random: &mut Random, limits: &'l Limits) -> Function<'l> {
        let mut below: Vec<u32> = (0..1 << levels).map(|_| 1 + random.below(most) as u32).collect();
        let (mut nodes, mut starts) = (Vec::new(), Vec::new());
        for _ in 0..levels {
            let mut known = HashMap::new();
            starts.push(nodes.len() as u32 + TERMINALS);
            let node = |pair: &[u32]| match pair[0] == pair[1] {
                true => pair[0],
                false => *known.entry([pair[0], pair[1]]).or_insert_with(|| {
                    nodes.push([pair[0], pair[1]]);
                    nodes.len() as u32 - 1 + TERMINALS
                }),
            };
            below = below.chunks(2).map(node).collect();
        }
        Function { nodes, levels: Levels(starts), root: below[0], _memory: limits.hold(0).unwrap() }
    }

    pub fn states(set: &Set) -> Vec<Vec<bool>> {
        (0..1usize << set.levels)
            .map(|bits| (0..set.levels).map(|level| bits >> level & 1 == 1).collect::<Vec<bool>>())
            .filter(|state| {
                let (mut id, mut next) = (set.root, 0);
                while id >= TERMINALS {
                    let node = set.node(id);
                    if state[next..node.level()].contains(&true) {
                        return false;
                    }
                    next = node.level() + 1;
                    id = if state[node.level()] { node.hi } else { node.lo };
                }
                id == 1 && !state[next..].contains(&true)
            })
            .collect()
    }

    impl Function<'_> {
        pub fn value(&self, state: &[bool]) -> u32 {
            let mut id = self.root;
            while id >= TERMINALS {
                id = self.node(id)[usize::from(state[self.level(id) as usize])];
            }
            id
        }
    }
}
