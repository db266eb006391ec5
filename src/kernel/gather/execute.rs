//! Executes a gather program: computes the planes of a layer from those of the next layer, in the order of ranks.
//!
//! A link of a block reads a window of the next layer's planes and spreads its bits over the states of the block, by a
//! parallel extract and a parallel deposit (`bits`). Threads take ranges of ranks.

use super::bits::{Bits, Work, by_bits, narrow};
use super::code::{Block, Inner, is_block};
use super::output::Writer;
use super::program::{Piece, Program};
use crate::bitvector::{MOST_PLANES, MOST_STEPS, in_plane};
use crate::memory::prefetch;
use crate::threads::share;
use crate::{Bitvector, Context, MOVES, TERMINALS};
use base::limits::LimitReached;

const ROLES: usize = (TERMINALS - MOVES) as usize;
/// Largest number of planes computed in one pass, if planes are steps.
const LANES: usize = 4;
const PARTS: u64 = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A plane of zeros: no value of the next layer is above the plane's threshold.
    Never,
    Always,
    Plane(usize),
}

pub struct Pass {
    pub values: Vec<u32>,
    /// For each role, whether this pass gives values to the states in which the role moves.
    pub movers: [bool; ROLES],
    /// For each role, whether it prefers the first of the values to the last.
    pub reversed: [bool; ROLES],
    pub terminals: bool,
    pub sources: Vec<Source>,
}

impl Pass {
    pub fn new(values: Vec<u32>) -> Pass {
        Pass { values, movers: [false; ROLES], reversed: [false; ROLES], terminals: false, sources: Vec::new() }
    }
}

/// Planes that are computed together. Either each of them reads a plane of the next layer (`reads`), or each is
/// constant (`always`).
struct Lanes<'a> {
    planes: Vec<usize>,
    reads: Vec<&'a [u64]>,
    always: Vec<bool>,
}

/// Writes the values that a pass gives to the program's states; `result` must not have values of these states yet.
pub fn execute(
    program: &Program,
    next: &Bitvector,
    pass: &Pass,
    result: &Bitvector,
    context: &Context,
) -> Result<(), LimitReached> {
    let tasks = tasks(program, (program.states() / (PARTS * context.threads() as u64)).max(1 << 14));
    let mut index = vec![0; TERMINALS as usize];
    for (place, &value) in pass.values.iter().enumerate() {
        index[value as usize] = place;
    }
    let mut reading: Vec<(usize, usize)> = Vec::new();
    let mut fixed = Vec::new();
    for (plane, source) in pass.sources.iter().enumerate() {
        match *source {
            Source::Plane(read) => reading.push((plane, read)),
            constant => fixed.push((plane, constant == Source::Always)),
        }
    }
    // Steps are computed independently of each other; digits of an index must be compared together.
    let bits = pass.values.len() > MOST_STEPS;
    let mut groups: Vec<Lanes> = reading
        .chunks(if bits { MOST_PLANES } else { LANES })
        .map(|group| Lanes {
            planes: group.iter().map(|&(plane, _)| plane).collect(),
            reads: group.iter().map(|&(_, read)| next.plane(read)).collect(),
            always: Vec::new(),
        })
        .collect();
    if !fixed.is_empty() {
        let (planes, always) = fixed.into_iter().unzip();
        groups.push(Lanes { planes, reads: Vec::new(), always });
    }
    for lanes in &groups {
        let executor = Executor { program, pass, index: &index, lanes, bits, result };
        let mut stacks: Vec<Stack> = (0..context.threads()).map(|_| Stack::default()).collect();
        share(context.pool(), &tasks, &mut stacks, |_, task, stack| {
            if context.check().is_ok() {
                by_bits(context, (&executor, task, stack));
            }
        });
        context.check()?;
    }
    Ok(())
}

/// Cuts a program into pieces of at most `most` states, except that a block, or states of one value, stay whole.
fn tasks(program: &Program, most: u64) -> Vec<Piece> {
    let mut tasks = Vec::new();
    let mut waiting = program.pieces.clone();
    while let Some(task) = waiting.pop() {
        let code = program.code(task.reference);
        let Some((false, code)) = code.filter(|_| task.states > most) else {
            tasks.push(task);
            continue;
        };
        // SAFETY: the code is that of an inner configuration, and stays as long as the program.
        let inner = unsafe { Inner::of(code) };
        let [lo, hi] = inner.references;
        let mut second = vec![0; inner.counts[0] + inner.counts[1]];
        inner.inherit(&task.offsets, &mut second);
        let first = second.split_off(inner.counts[1]);
        let [start, middle] = [task.start, task.start + inner.states[0]];
        waiting.push(Piece { reference: hi, offsets: second, start: middle, states: inner.states[1] });
        waiting.push(Piece { reference: lo, offsets: first, start, states: inner.states[0] });
    }
    tasks
}

impl Program {
    #[inline(always)]
    fn code(&self, reference: u32) -> Option<(bool, *const u64)> {
        if reference < TERMINALS {
            return None;
        }
        let code = self.place(reference);
        // SAFETY: references that are not terminals are positions of code.
        Some((unsafe { is_block(code) }, code))
    }

    #[inline(always)]
    fn place(&self, reference: u32) -> *const u64 {
        self.code.base().cast::<u64>().cast_const().wrapping_add(reference as usize).wrapping_sub(TERMINALS as usize)
    }

    #[inline(always)]
    fn prefetch(&self, reference: u32) {
        prefetch(self.place(reference));
    }
}

/// For each configuration to execute: its reference, its number of states, start and number of its offsets in `arena`.
#[derive(Default)]
struct Stack {
    waiting: Vec<(u32, u64, usize, usize)>,
    arena: Vec<u64>,
}

struct Executor<'a> {
    program: &'a Program,
    pass: &'a Pass,
    index: &'a [usize],
    lanes: &'a Lanes<'a>,
    bits: bool,
    result: &'a Bitvector,
}

impl Work for (&Executor<'_>, &Piece, &mut Stack) {
    #[inline(always)]
    fn run<B: Bits>(self) {
        let (executor, task, stack) = self;
        match (executor.lanes.reads.len(), executor.bits) {
            (0, _) => executor.run_part::<B, 0, false>(task, stack),
            (1, _) => executor.run_part::<B, 1, false>(task, stack),
            (2, _) => executor.run_part::<B, 2, false>(task, stack),
            (3, false) => executor.run_part::<B, 3, false>(task, stack),
            (_, false) => executor.run_part::<B, LANES, false>(task, stack),
            (3, true) => executor.run_part::<B, 3, true>(task, stack),
            (4, true) => executor.run_part::<B, 4, true>(task, stack),
            (5, true) => executor.run_part::<B, 5, true>(task, stack),
            (6, true) => executor.run_part::<B, 6, true>(task, stack),
            (_, true) => executor.run_part::<B, MOST_PLANES, true>(task, stack),
        }
    }
}

impl Executor<'_> {
    #[inline(always)]
    fn run_part<B: Bits, const P: usize, const BITS: bool>(&self, task: &Piece, stack: &mut Stack) {
        // SAFETY: tasks have disjoint ranges of ranks, and exactly their states are pushed.
        let mut writer = unsafe { Writer::new(self.result, &self.lanes.planes, task.start, task.start + task.states) };
        let mut words = vec![0; self.lanes.planes.len()];
        let Stack { waiting, arena } = stack;
        waiting.clear();
        arena.clear();
        arena.extend_from_slice(&task.offsets);
        waiting.push((task.reference, task.states, 0, task.offsets.len()));
        while let Some((reference, states, start, count)) = waiting.pop() {
            let Some((is_block, code)) = self.program.code(reference) else {
                let place = self.index[reference as usize];
                let planes = &self.lanes.planes;
                let kinds = self.pass.values.len();
                writer.fill(states, |lane| self.pass.terminals && in_plane(kinds, place, planes[lane]));
                continue;
            };
            let end = start + count;
            if is_block {
                self.block::<B, P, BITS>(code, &arena[start..end], &mut words);
                writer.push(&words, states as u32);
                continue;
            }
            // SAFETY: as in `tasks`.
            let inner = unsafe { Inner::of(code) };
            let [first, second] = inner.counts;
            let (middle, last) = (end + second, end + second + first);
            if arena.len() < last {
                arena.resize(last, 0);
            }
            let (offsets, below) = arena.split_at_mut(end);
            let offsets = &offsets[start..];
            inner.inherit(offsets, &mut below[..second + first]);
            let [lo, hi] = inner.references;
            self.program.prefetch(lo);
            self.program.prefetch(hi);
            waiting.push((hi, inner.states[1], end, second));
            waiting.push((lo, inner.states[0], middle, first));
        }
        writer.finish();
    }

    #[inline(always)]
    fn block<B: Bits, const P: usize, const BITS: bool>(&self, code: *const u64, offsets: &[u64], words: &mut [u64]) {
        // SAFETY: the code is that of a block, and stays as long as the program.
        let block = unsafe { Block::of(code) };
        words.fill(0);
        for &[terminal, mask] in block.movers {
            let role = (terminal - u64::from(MOVES)) as usize;
            if !self.pass.movers[role] {
                continue;
            }
            let invert = if self.pass.reversed[role] { u64::MAX } else { 0 };
            let mut best = [0; P];
            block.for_each_link(offsets, |at, image, guard| {
                let found = self.candidates::<B, P>(at, image, guard, invert);
                if BITS {
                    return take_better(&mut best, &found);
                }
                best.iter_mut().zip(found).for_each(|(best, found)| *best |= found);
            });
            for (word, best) in words.iter_mut().zip(best) {
                *word |= (best ^ invert) & mask;
            }
            if BITS {
                continue;
            }
            for (word, &always) in words[P..].iter_mut().zip(&self.lanes.always) {
                *word |= if always { mask } else { 0 };
            }
        }
        if self.pass.terminals {
            for &[value, mask] in block.values {
                let place = self.index[value as usize];
                for (word, &plane) in words.iter_mut().zip(&self.lanes.planes) {
                    *word |= if in_plane(self.pass.values.len(), place, plane) { mask } else { 0 };
                }
            }
        }
    }

    /// For each plane, the bits of the values that a link leads to, at the bits of its guard; other bits are 0.
    #[inline(always)]
    fn candidates<B: Bits, const P: usize>(&self, at: u64, image: u64, guard: u64, invert: u64) -> [u64; P] {
        let mut found = [0; P];
        for (found, plane) in found.iter_mut().zip(&self.lanes.reads) {
            // SAFETY: windows start at states of the next layer; words of slack follow the last state.
            *found = B::spread(unsafe { narrow(plane, at) } ^ invert, image, guard);
        }
        found
    }
}

/// For each of 64 states, takes the larger of two numbers; word `j` of each array has bit `j` of 64 numbers.
#[inline(always)]
fn take_better<const P: usize>(best: &mut [u64; P], found: &[u64; P]) {
    // The highest bit in which the numbers differ decides.
    let mut larger = 0;
    for (best, found) in best.iter().zip(found) {
        larger = (found & !best) | (larger & !(found ^ best));
    }
    for (best, found) in best.iter_mut().zip(found) {
        *best ^= (*best ^ found) & larger;
    }
}
