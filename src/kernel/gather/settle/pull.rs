//! One pass over the moves of a task: finds the offers of its open states, and the due states among them.

use super::super::bits::Bits;
use super::marks::{Marks, window};
use super::moves::{Edge, Inner, Part};
use super::{Settling, Task};
use crate::MOST_MOVERS;
use base::limits::{LimitReached, Limits};
use std::ops::Range;
use std::sync::Arc;

/// Largest number of planes for which values are compared 64 states at a time.
pub const PLANES: usize = 3;
/// Bound on the planes of a table.
const MOST_PLANES: usize = 16;
/// Number of places before a task for which words have bits, so that a part may begin before the task.
const AHEAD: u64 = 64;
const SPARE: usize = 3;

/// A thread's scratch memory for a task. Words have bits of 64 states, from [`AHEAD`] states before the task on.
pub struct Local {
    /// First the open states; then the open states with a fresh successor and without a known open successor.
    wanted: Marks,
    touched: Vec<u64>,
    /// For each word and code, the open states that have a fresh successor with this code.
    reached: Vec<u64>,
    /// With more than [`PLANES`] planes, for each state its best fresh successor: the mover's rank of the value, and
    /// the value's code.
    best: Vec<(u32, u32)>,
    cleared: bool,
    stack: Vec<Edge>,
}

impl Local {
    pub fn new(states: u64, limits: &Arc<Limits>) -> Result<Local, LimitReached> {
        let wanted = Marks::new(states + 64 * SPARE as u64, limits)?;
        let (touched, reached, best, stack) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Ok(Local { wanted, touched, reached, best, cleared: false, stack })
    }

    /// Bytes for a task, by its states and different values; `wanted` has an account of its own.
    pub fn bytes(states: u64, values: usize) -> u64 {
        let planes = if values >> PLANES == 0 { 1 + codes(PLANES) } else { 1 + 64 * size_of::<(u32, u32)>() / 8 };
        (states / 8 + 8 * SPARE as u64) * planes as u64
    }
}

#[inline(always)]
const fn codes(planes: usize) -> usize {
    if planes == 0 { 0 } else { 1 << planes }
}

/// A pass over a task with `P` planes; `P` = 0 means state by state.
pub struct Pull<'a, B, const P: usize> {
    settling: &'a Settling,
    task: &'a mut Task,
    local: &'a mut Local,
    bits: std::marker::PhantomData<B>,
}

impl<'a, B: Bits, const P: usize> Pull<'a, B, P> {
    #[inline(always)]
    pub fn run(settling: &'a Settling, task: &'a mut Task, local: &'a mut Local) {
        let mut pull = Pull::<B, P> { settling, task, local, bits: std::marker::PhantomData };
        if !pull.begin() {
            return;
        }
        for &top in &settling.moves.tops {
            pull.go::<false>(top);
        }
        if !pull.offer() {
            return;
        }
        for &top in &settling.moves.tops {
            if std::mem::take(&mut pull.local.cleared) && pull.local.wanted.count() == 0 {
                return;
            }
            pull.go::<true>(top);
        }
        pull.add_forced();
    }

    fn begin(&mut self) -> bool {
        let (settling, words) = (self.settling, self.task.words());
        let length = words.len() + SPARE;
        let Local { wanted, touched, reached, best, .. } = &mut *self.local;
        let open = wanted.words_mut();
        open.fill(0);
        open[1..].iter_mut().zip(words).for_each(|(open, word)| *open = settling.open(word));
        if wanted.count() == 0 {
            return false;
        }
        touched.clear();
        touched.resize(length, 0);
        reached.clear();
        reached.resize(length * codes(P), 0);
        if P == 0 {
            best.clear();
            best.resize(64 * length, (0, 0));
        }
        true
    }

    /// Follows the moves of a part: to open states if `CHECK`, else to fresh states.
    #[inline(always)]
    fn go<const CHECK: bool>(&mut self, top: Edge) {
        self.part::<CHECK>(top);
        while let Some(edge) = self.local.stack.pop() {
            match self.settling.moves.part(edge.part) {
                Part::Inner(Inner::Narrow(parts, links)) => self.inner::<CHECK, _>(edge, parts, links),
                Part::Inner(Inner::Wide(parts, links)) => self.inner::<CHECK, _>(edge, parts, links),
                Part::Dense(_) | Part::Link { .. } => unreachable!("only parts with inner parts are put on the stack"),
            }
        }
    }

    // Loops call only inlined code. Closures could become separate functions, without the instructions of `B`.
    #[inline(always)]
    fn inner<const CHECK: bool, T: Copy + Into<u64>>(&mut self, edge: Edge, parts: &[[T; 3]], links: usize) {
        let (links, others) = parts.split_at(links);
        for link in links {
            self.link::<CHECK>(edge.inside(link));
        }
        for part in others {
            self.part::<CHECK>(edge.inside(part));
        }
    }

    /// Follows the moves of a dense part or a link; puts a part with inner parts on the stack. Links among inner parts
    /// are followed together and almost without branches, which a processor cannot predict here.
    #[inline(always)]
    fn part<const CHECK: bool>(&mut self, edge: Edge) {
        let settling = self.settling;
        let Range { start, end } = self.task.ranks;
        let [before, after] = settling.moves.spans(edge.part);
        let (first, last) = (edge.from.max(start), (edge.from + before).min(end));
        if first >= last {
            return;
        }
        let part = settling.moves.part(edge.part);
        if let Part::Link { .. } = part {
            return self.link::<CHECK>(edge);
        }
        if !self.local.wanted.any(first + AHEAD - start, last + AHEAD - start)
            || !CHECK && !settling.fresh.any(edge.to, edge.to + after)
        {
            return;
        }
        if let Part::Dense(_) = part {
            return self.dense::<CHECK>(first..last, edge);
        }
        self.local.stack.push(edge);
    }

    #[inline(always)]
    fn link<const CHECK: bool>(&mut self, edge: Edge) {
        let Range { start, end } = self.task.ranks;
        // Before and after the states of the task, all bits are 0.
        let at = (edge.from + AHEAD).wrapping_sub(start);
        if at >= end - start + AHEAD {
            return;
        }
        let to = edge.to;
        let [guard, image] = self.settling.moves.link(edge.part);
        let wanted = self.local.wanted.window(at) & guard;
        let table = &self.settling.table;
        if CHECK {
            let mut known = 0;
            for plane in 0..self.planes() {
                known |= narrow(table.plane(plane), to);
            }
            return self.wait(at, wanted & spread::<B>(!known, image, guard));
        }
        let touched = wanted & spread::<B>(narrow(self.settling.fresh.words(), to), image, guard);
        if touched != 0 {
            let mut bits = [0; MOST_PLANES];
            for (plane, bits) in bits.iter_mut().enumerate().take(self.planes()) {
                *bits = spread::<B>(narrow(table.plane(plane), to), image, guard);
            }
            self.see(at, touched, &bits);
        }
    }

    #[inline(always)]
    fn planes(&self) -> usize {
        if P == 0 { self.settling.table.plane_count() } else { P }
    }

    #[inline(always)]
    fn dense<const CHECK: bool>(&mut self, states: Range<u64>, edge: Edge) {
        let start = self.task.ranks.start;
        for from in states.clone().step_by(64) {
            let (at, to) = (from + AHEAD - start, edge.to + (from - edge.from));
            let wanted = self.local.wanted.window(at) & u64::MAX >> (64 - (states.end - from).min(64));
            if wanted == 0 {
                continue;
            }
            let table = &self.settling.table;
            if CHECK {
                let mut known = 0;
                for plane in 0..self.planes() {
                    known |= window(table.plane(plane), to);
                }
                self.wait(at, wanted & !known);
                continue;
            }
            let touched = wanted & self.settling.fresh.window(to);
            if touched != 0 {
                let mut bits = [0; MOST_PLANES];
                for (plane, bits) in bits.iter_mut().enumerate().take(self.planes()) {
                    *bits = window(table.plane(plane), to);
                }
                self.see(at, touched, &bits);
            }
        }
    }

    #[inline(always)]
    fn wait(&mut self, at: u64, waiting: u64) {
        self.local.cleared |= waiting != 0;
        let (word, shift) = ((at >> 6) as usize, at & 63);
        let words = self.local.wanted.words_mut();
        words[word] &= !(waiting << shift);
        // Two shifts, because a shift by 64 is not defined.
        words[word + 1] &= !(waiting >> 1 >> (63 - shift));
    }

    /// Records that the states of a mask have fresh successors; `bits`: each plane of the successors' codes.
    #[inline(always)]
    fn see(&mut self, at: u64, touched: u64, bits: &[u64; MOST_PLANES]) {
        let (word, shift) = ((at >> 6) as usize, at & 63);
        let halves = |mask: u64| [mask << shift, mask >> 1 >> (63 - shift)];
        let [low, high] = halves(touched);
        self.local.touched[word] |= low;
        self.local.touched[word + 1] |= high;
        if P == 0 {
            return self.see_each(at, touched, bits);
        }
        let two = &mut self.local.reached[word * codes(P)..(word + 2) * codes(P)];
        for code in 1..codes(P) {
            let mut having = touched;
            for (plane, bits) in bits[..P].iter().enumerate() {
                having &= if code >> plane & 1 == 1 { *bits } else { !bits };
            }
            let [low, high] = halves(having);
            two[code] |= low;
            two[codes(P) + code] |= high;
        }
    }

    fn see_each(&mut self, at: u64, touched: u64, bits: &[u64; MOST_PLANES]) {
        let (settling, start) = (self.settling, self.task.ranks.start);
        let planes = settling.table.plane_count();
        each_bit(touched, |place| {
            let state = at + place as u64;
            let code = (0..planes).fold(0, |code, plane| code | (bits[plane] >> place & 1) << plane) as usize;
            let good = settling.orders[settling.mover(start + state - AHEAD)].ranks[code];
            let best = &mut self.local.best[state as usize];
            *best = (*best).max((good, code as u32));
        });
    }

    /// Writes better offers, and the states that become due by them. Puts the other states with a fresh successor in
    /// `wanted`, and returns whether there are any.
    fn offer(&mut self) -> bool {
        let Local { wanted, touched, cleared, .. } = &mut *self.local;
        // `wanted` has changed since its last count.
        *cleared = true;
        wanted.words_mut().fill(0);
        wanted.words_mut()[..touched.len()].copy_from_slice(touched);
        let mut others = false;
        for (place, word) in (1..).zip(self.task.words()) {
            if self.local.touched[place] == 0 {
                continue;
            }
            self.task.best = None;
            let due = if P == 0 { self.offer_each(place, word) } else { self.offer_together(place, word) };
            self.settling.add_due(word, due);
            self.task.settles |= due != 0;
            let wanted = &mut self.local.wanted.words_mut()[place];
            *wanted &= !due;
            others |= *wanted != 0;
        }
        others
    }

    /// Writes offers; as [`Pull::offer_each`], returns the states whose movers take them at once.
    #[inline(always)]
    fn offer_together(&self, place: usize, word: usize) -> u64 {
        let (mut left, mut offers, mut due) = (self.settling.open(word), [0; P], 0);
        let reached = &self.local.reached[place * codes(P)..];
        for (role, order) in self.settling.orders.iter().enumerate() {
            let mut own = left & self.settling.moving(word, role);
            left &= !own;
            for &code in &order.codes {
                let having = own & (reached[code] | self.settling.offered(word, code));
                own &= !having;
                due |= if code == self.settling.at_once[role] { having } else { 0 };
                for (plane, offers) in offers.iter_mut().enumerate() {
                    *offers |= if code >> plane & 1 == 1 { having } else { 0 };
                }
            }
        }
        self.settling.offer(word, &offers);
        due
    }

    fn offer_each(&self, place: usize, word: usize) -> u64 {
        let settling = self.settling;
        let planes = settling.table.plane_count();
        let (mut offers, mut due) = ([0; MOST_PLANES], 0);
        (0..planes).for_each(|plane| offers[plane] = settling.offers.plane(plane)[word]);
        each_bit(self.local.touched[place], |bit| {
            let (good, code) = self.local.best[64 * place + bit];
            let state = 64 * word as u64 + bit as u64;
            let mover = settling.mover(state);
            if good > settling.orders[mover].ranks[settling.offers.index(state)] {
                due |= u64::from(code as usize == settling.at_once[mover]) << bit;
                for (plane, offers) in offers[..planes].iter_mut().enumerate() {
                    *offers = *offers & !(1 << bit) | u64::from(code >> plane & 1) << bit;
                }
            }
        });
        settling.offer(word, &offers[..planes]);
        due
    }

    fn add_forced(&mut self) {
        for (place, word) in (1..).zip(self.task.words()) {
            let forced = self.local.wanted.words()[place];
            self.settling.add_due(word, forced);
            self.task.settles |= forced != 0;
        }
    }
}

/// The bits of `window` at the set bits of `image`, moved in order to the set bits of `guard`.
#[inline(always)]
fn spread<B: Bits>(window: u64, image: u64, guard: u64) -> u64 {
    B::deposit(B::extract(window, image), guard)
}

/// The bits of a plane from state `to` on, by a single load; the highest 7 bits are not valid.
#[inline(always)]
fn narrow(plane: &[u64], to: u64) -> u64 {
    debug_assert!((to >> 6) as usize + 1 < plane.len());
    // SAFETY: parts lead to states of the table, and planes have a whole word after the last one.
    unsafe {
        let base = plane.as_ptr().cast::<u8>();
        u64::from_le(base.add((to >> 3) as usize).cast::<u64>().read_unaligned()) >> (to & 7)
    }
}

/// For each mover, the rank of the best acceptable offer to an open state of a task; 0 for none.
pub fn best_offers(settling: &Settling, task: &Task) -> [u32; MOST_MOVERS] {
    let mut best = [0; MOST_MOVERS];
    if settling.table.plane_count() > PLANES {
        for word in task.words() {
            each_bit(settling.open(word), |place| {
                let state = 64 * word as u64 + place as u64;
                let role = settling.mover(state);
                let order = &settling.orders[role];
                let good = order.ranks[settling.offers.index(state)];
                best[role] = best[role].max(if good > order.least { good } else { 0 });
            });
        }
        return best;
    }
    for ((role, order), best) in settling.orders.iter().enumerate().zip(&mut best) {
        let found = order.codes.iter().filter(|&&code| order.ranks[code] > order.least).find(|&&code| {
            let mut words = task.words();
            words.any(|word| settling.offered(word, code) & settling.moving(word, role) != 0)
        });
        *best = found.map_or(0, |&code| order.ranks[code]);
    }
    best
}

#[inline(always)]
fn each_bit(mut mask: u64, mut see: impl FnMut(usize)) {
    while mask != 0 {
        see(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}
