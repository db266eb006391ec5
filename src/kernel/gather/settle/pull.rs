//! One pass over the states of a task: what their successors have come to.

use super::super::bits::Bits;
use super::moves::{Edge, Part};
use super::{Settling, Task};
use crate::MOST_MOVERS;

/// Largest number of planes whose values are compared 64 states at a time.
pub const PLANES: usize = 3;
/// States before the first of a task, so that a part that begins before it has a place.
const AHEAD: u64 = 64;
/// Words before and after those of a task.
const SPARE: usize = 3;

/// What a thread knows of the states of the task at hand, from [`AHEAD`] states before the first on, 64 to a word.
#[derive(Default)]
pub struct Local {
    /// States without a value.
    open: Vec<u64>,
    /// By word and code: those with a successor of this value; without a value for 0.
    reached: Vec<u64>,
    /// If there are too many codes, by state: the best value of a successor, how good it is for the mover, and its code.
    best: Vec<(u32, u32)>,
    /// Parts that are still to be gone through.
    stack: Vec<Edge>,
}

impl Local {
    /// Bytes for a task of so many states, of which terminal ones have so many values.
    pub fn bytes(states: u64, values: usize) -> u64 {
        let planes =
            if values >> PLANES == 0 { 2 + codes(PLANES) } else { 2 + 64 * size_of::<(u32, u32)>() / 8 } as u64;
        (states / 8 + 8 * SPARE as u64) * planes
    }
}

/// The word of bits from a place on.
#[inline(always)]
fn window(plane: &[u64], at: u64) -> u64 {
    let (word, shift) = ((at >> 6) as usize, at & 63);
    plane[word] >> shift | if shift > 0 { plane[word + 1] << (64 - shift) } else { 0 }
}

/// The codes that there is room for, where values are compared 64 states at a time; else only 0.
#[inline(always)]
const fn codes(planes: usize) -> usize {
    1 << planes
}

/// A pass over a task, `P` planes at once; 0: state by state.
pub struct Pull<'a, B, const P: usize> {
    settling: &'a Settling,
    task: &'a mut Task,
    local: &'a mut Local,
    bits: std::marker::PhantomData<B>,
}

impl<'a, B: Bits, const P: usize> Pull<'a, B, P> {
    /// Finds what the states of a task can come to.
    #[inline(always)]
    pub fn run(settling: &'a Settling, task: &'a mut Task, local: &'a mut Local) {
        let mut pull = Pull::<B, P> { settling, task, local, bits: std::marker::PhantomData };
        pull.task.reads.fill(0);
        if !pull.begin() {
            return;
        }
        pull.go();
        if P == 0 { pull.finish_one_by_one() } else { pull.finish_together() }
    }

    /// Whether there is an open state.
    fn begin(&mut self) -> bool {
        let (settling, words) = (self.settling, self.task.words());
        let length = words.len() + SPARE;
        let Local { open, reached, best, stack } = &mut *self.local;
        open.clear();
        open.push(0);
        open.extend(words.map(|word| settling.open(word)));
        if open.iter().all(|&word| word == 0) {
            return false;
        }
        open.resize(length, 0);
        reached.clear();
        reached.resize(length * codes(P), 0);
        if P == 0 {
            best.clear();
            best.resize(64 * length, (0, 0));
        }
        stack.clear();
        stack.extend(&settling.moves.tops);
        true
    }

    #[inline(always)]
    fn go(&mut self) {
        let (start, end) = (self.task.ranks.start, self.task.ranks.end);
        while let Some(edge) = self.local.stack.pop() {
            let span = self.settling.moves.span(edge.part);
            if edge.from >= end || edge.from + span <= start {
                continue;
            }
            if span <= 64 {
                let states = u64::MAX >> (64 - span);
                if window(&self.local.open, edge.from + AHEAD - start) & states == 0 {
                    continue;
                }
            }
            match self.settling.moves.part(edge.part) {
                Part::Link { guard, image } => self.link(edge.from + AHEAD - start, edge.to, guard, image),
                Part::Dense(states) => self.dense(edge, states),
                Part::Inner(inner) => inner.for_each(edge, |edge| self.local.stack.push(edge)),
            }
        }
    }

    #[inline(always)]
    fn link(&mut self, at: u64, to: u64, guard: u64, image: u64) {
        let wanted = window(&self.local.open, at) & guard;
        if wanted == 0 {
            return;
        }
        self.note(to, to + 63 - u64::from(image.leading_zeros()));
        if P == 0 {
            let bits: [u64; 16] = self.values(to, image, guard);
            return self.see_each(at, &bits, wanted);
        }
        let bits: [u64; P] = self.values(to, image, guard);
        self.see(at, &bits, wanted);
    }

    #[inline(always)]
    fn dense(&mut self, edge: Edge, states: u64) {
        let (start, end) = (self.task.ranks.start, self.task.ranks.end);
        let (first, last) = (edge.from.max(start), (edge.from + states).min(end));
        for from in (first..last).step_by(64) {
            let (at, to) = (from + AHEAD - start, edge.to + (from - edge.from));
            let all = u64::MAX >> (64 - (last - from).min(64));
            let wanted = window(&self.local.open, at) & all;
            if wanted == 0 {
                continue;
            }
            self.note(to, to + (last - from).min(64) - 1);
            let table = &self.settling.table;
            if P == 0 {
                let mut bits = [0; 16];
                (0..table.plane_count()).for_each(|plane| bits[plane] = window(table.plane(plane), to));
                self.see_each(at, &bits, wanted);
                continue;
            }
            let mut bits = [0; P];
            (0..P).for_each(|plane| bits[plane] = window(table.plane(plane), to));
            self.see(at, &bits, wanted);
        }
    }

    #[inline(always)]
    fn note(&mut self, first: u64, last: u64) {
        let [first, last] = [first, last].map(|state| state >> self.settling.shift);
        self.task.reads[(first >> 6) as usize] |= 1 << (first & 63);
        if last != first {
            self.task.reads[(last >> 6) as usize] |= 1 << (last & 63);
        }
    }

    /// The bits of the values that a link leads to, by plane, at the places of its guard; 0 elsewhere.
    #[inline(always)]
    fn values<const N: usize>(&self, to: u64, image: u64, guard: u64) -> [u64; N] {
        let table = &self.settling.table;
        let mut found = [0; N];
        for (plane, found) in found.iter_mut().enumerate().take(table.plane_count()) {
            // SAFETY: windows start at states of the table, and its planes have slack for a whole word from there on.
            let window = unsafe {
                let base = table.plane(plane).as_ptr().cast::<u8>();
                u64::from_le(base.add((to >> 3) as usize).cast::<u64>().read_unaligned()) >> (to & 7)
            };
            *found = B::deposit(B::extract(window, image), guard);
        }
        found
    }

    /// The states of a mask come to values, given by plane.
    #[inline(always)]
    fn see(&mut self, at: u64, bits: &[u64; P], wanted: u64) {
        let (word, shift) = ((at >> 6) as usize, at & 63);
        let two = &mut self.local.reached[word * codes(P)..(word + 2) * codes(P)];
        for code in 0..codes(P) {
            let having = |plane: usize| if code >> plane & 1 == 1 { bits[plane] } else { !bits[plane] };
            let having = (0..P).fold(wanted, |all, plane| all & having(plane));
            two[code] |= having << shift;
            // By two steps, as a shift by 64 is none.
            two[codes(P) + code] |= having >> 1 >> (63 - shift);
        }
    }

    #[inline(always)]
    fn see_each(&mut self, at: u64, bits: &[u64; 16], wanted: u64) {
        let (settling, start) = (self.settling, self.task.ranks.start);
        let planes = settling.table.plane_count();
        each_bit(wanted, |place| {
            let state = at + place as u64;
            let code = (0..planes).fold(0, |code, plane| code | (bits[plane] >> place & 1) << plane) as usize;
            if code == 0 {
                self.local.reached[(state >> 6) as usize] |= 1 << (state & 63);
                return;
            }
            let good = settling.orders[settling.mover(start + state - AHEAD)].ranks[code];
            let best = &mut self.local.best[state as usize];
            *best = (*best).max((good, code as u32));
        });
    }

    /// Writes what was found, 64 states at a time.
    fn finish_together(&mut self) {
        let Local { open, reached, .. } = &*self.local;
        for (word, place) in self.task.words().zip(1..) {
            let (mut left, mut offers) = (open[place], [0; P]);
            let mut any = 0;
            for (role, order) in self.settling.orders.iter().enumerate() {
                let mut own = left & self.settling.moving(word, role);
                left &= !own;
                for &code in &order.codes {
                    let having = own & reached[place * codes(P) + code];
                    own &= !having;
                    any |= having;
                    for (plane, offers) in offers.iter_mut().enumerate() {
                        *offers |= if code >> plane & 1 == 1 { having } else { 0 };
                    }
                }
            }
            self.task.forced |= self.settling.write(word, &offers, any & !reached[place * codes(P)]);
        }
    }

    fn finish_one_by_one(&mut self) {
        let Local { open, reached, best, .. } = &*self.local;
        for (word, place) in self.task.words().zip(1..) {
            let (mut offers, mut any) = ([0; 16], 0);
            each_bit(open[place], |bit| {
                let (_, code) = best[64 * place + bit];
                any |= u64::from(code != 0) << bit;
                (0..16).for_each(|plane| offers[plane] |= u64::from(code >> plane & 1) << bit);
            });
            let planes = self.settling.table.plane_count();
            self.task.forced |= self.settling.write(word, &offers[..planes], any & !reached[place]);
        }
    }
}

/// By mover: how good the best offer to an open state of a task is, of those that it would settle for; 0 for none.
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

/// Calls `see` with the place of each bit of a mask.
#[inline(always)]
fn each_bit(mut mask: u64, mut see: impl FnMut(usize)) {
    while mask != 0 {
        see(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}
