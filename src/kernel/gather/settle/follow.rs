//! The loops that follow moves from the states of a task.

use super::super::bits::{self, Bits, WINDOW};
use super::Settling;
use super::counters;
use super::marks::Marks;
use super::moves::{Edge, Inner, Part};
use super::pull::{AHEAD, Local, codes};
use crate::bitvector::MOST_PLANES;
use base::bits::ones;
use std::ops::Range;

/// What is looked for among the successors of `wanted` states.
pub mod seeking {
    /// Fresh ones.
    pub const FRESH: u8 = 0;
    /// An open one; states that have it are no longer wanted.
    pub const OPEN: u8 = 1;
    /// The number of open ones.
    pub const COUNT: u8 = 2;
}
use seeking::{COUNT, FRESH};

/// Follows moves from the states of a task. Its fields are what the loops read, so that the compiler keeps them in
/// registers.
pub struct Walk<'a, B, const P: usize> {
    settling: &'a Settling,
    ranks: Range<u64>,
    fresh: &'a [u64],
    planes: [&'a [u64]; P],
    wanted: &'a mut Marks,
    touched: &'a mut [u64],
    reached: &'a mut [u64],
    best: &'a mut [(u32, u32)],
    numbers: &'a mut [u64],
    counting: bool,
    cleared: &'a mut bool,
    too_many: &'a mut bool,
    stack: &'a mut Vec<Edge>,
    bits: std::marker::PhantomData<B>,
}

impl<'a, B: Bits, const P: usize> Walk<'a, B, P> {
    #[inline(always)]
    pub fn new(settling: &'a Settling, ranks: &Range<u64>, local: &'a mut Local, counting: bool) -> Walk<'a, B, P> {
        let Local { wanted, touched, reached, best, numbers, cleared, too_many, stack } = local;
        Walk {
            settling,
            ranks: ranks.clone(),
            fresh: settling.fresh.words(),
            planes: std::array::from_fn(|plane| settling.table.plane(plane)),
            wanted,
            touched,
            reached,
            best,
            numbers,
            counting,
            cleared,
            too_many,
            stack,
            bits: std::marker::PhantomData,
        }
    }

    /// Follows the moves of a part.
    #[inline(always)]
    pub fn go<const SEEKING: u8>(&mut self, top: Edge) {
        self.part::<SEEKING>(top);
        while let Some(edge) = self.stack.pop() {
            match self.settling.moves.part(edge.part) {
                Part::Inner(Inner::Narrow(parts, links)) => self.inner::<SEEKING, _>(edge, parts, links),
                Part::Inner(Inner::Wide(parts, links)) => self.inner::<SEEKING, _>(edge, parts, links),
                Part::Dense(_) | Part::Link { .. } => unreachable!("only parts with inner parts are put on the stack"),
            }
        }
    }

    // Loops call only code that is always inlined: a separate function would lack the instructions of `B`.
    #[inline(always)]
    fn inner<const SEEKING: u8, T: Copy + Into<u64>>(&mut self, edge: Edge, parts: &[[T; 3]], links: usize) {
        let (links, others) = parts.split_at(links);
        for link in links {
            self.link::<SEEKING>(edge.inside(link));
        }
        for part in others {
            self.part::<SEEKING>(edge.inside(part));
        }
    }

    /// Follows the moves of a dense part or a link; puts a part with inner parts on the stack. Links among inner parts
    /// are followed together and almost without branches, which a processor cannot predict here.
    #[inline(always)]
    fn part<const SEEKING: u8>(&mut self, edge: Edge) {
        let Range { start, end } = self.ranks;
        let [before, after] = self.settling.moves.spans(edge.part);
        let (first, last) = (edge.from.max(start), (edge.from + before).min(end));
        if first >= last {
            return;
        }
        let part = self.settling.moves.part(edge.part);
        if let Part::Link { .. } = part {
            return self.link::<SEEKING>(edge);
        }
        // Few states are fresh in most rounds, and most open states are wanted.
        if SEEKING == FRESH && !self.settling.fresh.any(edge.to, edge.to + after)
            || !self.wanted.any(first + AHEAD - start, last + AHEAD - start)
        {
            return;
        }
        if let Part::Dense(_) = part {
            return self.dense::<SEEKING>(first..last, edge);
        }
        self.stack.push(edge);
    }

    #[inline(always)]
    fn link<const SEEKING: u8>(&mut self, edge: Edge) {
        let Range { start, end } = self.ranks;
        // Before and after the states of the task, all bits are 0.
        let at = (edge.from + AHEAD).wrapping_sub(start);
        if at >= end - start + AHEAD {
            return;
        }
        let to = edge.to;
        let [guard, image] = self.settling.moves.link(edge.part);
        let wanted = self.wanted(at) & guard;
        if SEEKING != FRESH {
            // Most states have a known open successor after a few moves.
            if wanted != 0 {
                let known = (0..self.plane_count()).fold(0, |known, plane| known | narrow(self.plane(plane), to));
                self.see_open::<SEEKING>(at, wanted & B::spread(!known, image, guard));
            }
            return;
        }
        let touched = wanted & B::spread(narrow(self.fresh, to), image, guard);
        if touched != 0 {
            self.see(at, touched, |plane| B::spread(narrow(plane, to), image, guard));
        }
    }

    #[inline(always)]
    fn dense<const SEEKING: u8>(&mut self, states: Range<u64>, edge: Edge) {
        let start = self.ranks.start;
        for from in states.clone().step_by(WINDOW as usize) {
            let (at, to) = (from + AHEAD - start, edge.to + (from - edge.from));
            let wanted = self.wanted(at) & u64::MAX >> (64 - (states.end - from).min(WINDOW));
            if wanted == 0 {
                continue;
            }
            if SEEKING != FRESH {
                let known = (0..self.plane_count()).fold(0, |known, plane| known | narrow(self.plane(plane), to));
                self.see_open::<SEEKING>(at, wanted & !known);
                continue;
            }
            let touched = wanted & narrow(self.fresh, to);
            if touched != 0 {
                self.see(at, touched, |plane| narrow(plane, to));
            }
        }
    }

    /// The bits of `wanted` from a place near the task on. Masks of a window begin within [`AHEAD`] places before the
    /// task or in it, so that their bytes are among those of the task's words and the words around them.
    #[inline(always)]
    fn wanted(&self, at: u64) -> u64 {
        narrow(self.wanted.words(), at)
    }

    #[inline(always)]
    fn plane_count(&self) -> usize {
        if P == 0 { self.settling.table.plane_count() } else { P }
    }

    #[inline(always)]
    fn plane(&self, plane: usize) -> &'a [u64] {
        if P == 0 { self.settling.table.plane(plane) } else { self.planes[plane] }
    }

    /// Records that the states of a mask have open successors.
    #[inline(always)]
    fn see_open<const SEEKING: u8>(&mut self, at: u64, open: u64) {
        if SEEKING == COUNT {
            return self.number(at, open);
        }
        *self.cleared |= open != 0;
        let (byte, mask) = placed(at, open);
        bits::change(self.wanted.words_mut(), byte, |wanted| wanted & !mask);
    }

    #[inline(always)]
    fn number(&mut self, at: u64, mask: u64) {
        let (byte, mask) = placed(at, mask);
        *self.too_many |= !counters::add(self.numbers, byte, mask);
    }

    /// Records that the states of a mask have fresh successors; `bits`: for a plane of the table, the successors' bits.
    #[inline(always)]
    fn see(&mut self, at: u64, touched: u64, bits: impl Fn(&[u64]) -> u64) {
        let (byte, mask) = placed(at, touched);
        bits::change(self.touched, byte, |touched| touched | mask);
        if self.counting {
            self.number(at, touched);
        }
        if P == 0 {
            return self.see_each(at, touched, bits);
        }
        let mut of_planes = [0; P];
        for (found, plane) in of_planes.iter_mut().zip(&self.planes) {
            *found = bits(plane);
        }
        let bits = of_planes;
        let length = size_of_val(self.touched);
        for code in 1..codes(P) {
            let mut having = touched;
            for (plane, bits) in bits.iter().enumerate() {
                having &= if code >> plane & 1 == 1 { *bits } else { !bits };
            }
            let (_, mask) = placed(at, having);
            bits::change(self.reached, code * length + byte, |reached| reached | mask);
        }
    }

    #[inline(always)]
    fn see_each(&mut self, at: u64, touched: u64, bits: impl Fn(&[u64]) -> u64) {
        let settling = self.settling;
        let mut codes = [0; MOST_PLANES];
        let planes = settling.table.plane_count();
        for (plane, code) in codes.iter_mut().enumerate().take(planes) {
            *code = bits(settling.table.plane(plane));
        }
        for place in ones(touched) {
            let state = at + place as u64;
            let code = (0..planes).fold(0, |code, plane| code | (codes[plane] >> place & 1) << plane) as usize;
            let good = settling.orders[settling.mover(self.ranks.start + state - AHEAD)].ranks[code];
            let best = &mut self.best[state as usize];
            *best = (*best).max((good, code as u32));
        }
    }
}

/// The byte of the state `at`, and the mask from there on as bits from that byte on. A mask of a window fits.
#[inline(always)]
fn placed(at: u64, mask: u64) -> (usize, u64) {
    ((at >> 3) as usize, mask << (at & 7))
}

/// The bits of a plane from state `to` on (see [`bits::narrow`]).
#[inline(always)]
fn narrow(plane: &[u64], to: u64) -> u64 {
    // SAFETY: parts lead to states of the table, and planes have a whole word after the last one. The words of a task
    // begin `AHEAD` places before it, where parts begin at the earliest, and two whole words follow its last one.
    unsafe { bits::narrow(plane, to) }
}
