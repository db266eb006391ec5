//! One pass over the moves of a task: finds the offers of its open states, and the due states among them.

use super::super::bits::Bits;
use super::counters::{BITS, Counters, Left};
use super::follow::Walk;
use super::follow::seeking::{COUNT, FRESH, OPEN};
use super::marks::Marks;
use super::moves::Edge;
use super::{Settling, Task};
use crate::MOST_MOVERS;
use crate::bitvector::MOST_PLANES;
use base::bits::ones;
use base::limits::{LimitReached, Limits};
use std::sync::Arc;

/// Largest number of planes for which values are compared 64 states at a time.
pub const PLANES: usize = 3;
/// Number of places before a task for which words have bits, so that a part may begin before the task.
pub const AHEAD: u64 = 64;
const SPARE: usize = 3;

/// A thread's scratch memory for a task. Words have bits of 64 states, from [`AHEAD`] states before the task on.
pub struct Local {
    /// First the open states; then the open states with a fresh successor and without a known open successor; all open
    /// states while successors are counted.
    pub wanted: Marks,
    pub touched: Vec<u64>,
    /// For each code, one after the other, the open states that have a fresh successor with this code.
    pub reached: Vec<u64>,
    /// With more than [`PLANES`] planes, for each state its best fresh successor: the mover's rank of the value, and
    /// the value's code.
    pub best: Vec<(u32, u32)>,
    /// Numbers of successors: [`BITS`] planes, one after the other, with a word for 64 states.
    pub numbers: Vec<u64>,
    pub cleared: bool,
    pub too_many: bool,
    pub stack: Vec<Edge>,
}

impl Local {
    pub fn new(states: u64, limits: &Arc<Limits>) -> Result<Local, LimitReached> {
        let wanted = Marks::new(states + 64 * SPARE as u64, limits)?;
        let [touched, reached, numbers] = [const { Vec::new() }; 3];
        let (best, stack) = (Vec::new(), Vec::new());
        Ok(Local { wanted, touched, reached, best, numbers, cleared: false, too_many: false, stack })
    }

    /// Bytes for a task, by its states and different values; `wanted` has an account of its own.
    pub fn bytes(states: u64, values: usize) -> u64 {
        let planes = if values >> PLANES == 0 { codes(PLANES) } else { 64 * size_of::<(u32, u32)>() / 8 };
        (states / 8 + 8 * SPARE as u64) * (1 + BITS + planes) as u64
    }
}

#[inline(always)]
pub const fn codes(planes: usize) -> usize {
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
        let ranks = pull.task.ranks.clone();
        let counting = matches!(pull.task.counters, Counters::Counted(_));
        for &top in &settling.moves.tops {
            Walk::<B, P>::new(settling, &ranks, pull.local, counting).go::<FRESH>(top);
        }
        if !pull.offer() {
            return;
        }
        if matches!(pull.task.counters, Counters::NotAsked) {
            pull.task.counters = Counters::Asked;
        } else if matches!(pull.task.counters, Counters::Asked) {
            pull.want_all(true);
            for &top in &settling.moves.tops {
                Walk::<B, P>::new(settling, &ranks, pull.local, true).go::<COUNT>(top);
            }
            if pull.keep_numbers() {
                return pull.add_forced();
            }
        }
        for &top in &settling.moves.tops {
            if std::mem::take(&mut pull.local.cleared) && !pull.local.wanted.summarise() {
                return;
            }
            Walk::<B, P>::new(settling, &ranks, pull.local, false).go::<OPEN>(top);
        }
        pull.add_forced();
    }

    fn begin(&mut self) -> bool {
        let length = self.task.words().len() + SPARE;
        if !self.want_all(matches!(self.task.counters, Counters::Counted(_))) {
            return false;
        }
        let Local { touched, reached, best, .. } = &mut *self.local;
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

    /// Makes all open states wanted, with numbers of 0 if they are to be counted; returns whether there are any.
    fn want_all(&mut self, counting: bool) -> bool {
        let Local { wanted, numbers, .. } = &mut *self.local;
        let open = wanted.words_mut();
        open.fill(0);
        open[1..].iter_mut().zip(self.task.words()).for_each(|(open, word)| *open = self.settling.open(word));
        if counting {
            numbers.clear();
            numbers.resize(open.len() * BITS, 0);
        }
        wanted.summarise()
    }

    /// Makes the states wanted again that [`Pull::offer`] left. Keeps the numbers of open successors unless one is too
    /// large, which returns false; then only states that have none stay wanted.
    fn keep_numbers(&mut self) -> bool {
        let Pull { settling, task, local, .. } = &mut *self;
        let words = task.words();
        let counted = !std::mem::take(&mut local.too_many);
        let left = counted.then(|| Left::new(&local.numbers, 1, words.len()));
        let wanted = local.wanted.words_mut()[1..].iter_mut();
        for (((wanted, &touched), word), at) in wanted.zip(&local.touched[1..]).zip(words).zip(0..) {
            *wanted = touched & !settling.due_of(word) & left.as_ref().map_or(u64::MAX, |left| left.none(at));
        }
        local.cleared = true;
        task.counters = left.map_or(Counters::Never, Counters::Counted);
        counted
    }

    /// Writes better offers, and the states that are due: by their offers, or as their numbers tell. Puts other states
    /// with a fresh successor in `wanted`, and returns whether there are any.
    fn offer(&mut self) -> bool {
        let Local { wanted, touched, cleared, .. } = &mut *self.local;
        // `wanted` has changed since its last summary.
        *cleared = true;
        wanted.words_mut().fill(0);
        wanted.words_mut()[..touched.len()].copy_from_slice(touched);
        let length = self.local.numbers.len() / BITS;
        let mut others = false;
        for (place, word) in (1..).zip(self.task.words()) {
            if self.local.touched[place] == 0 {
                continue;
            }
            self.task.best = None;
            let mut due = if P == 0 { self.offer_each(place, word) } else { self.offer_together(place, word) };
            let wanted = &mut self.local.wanted.words_mut()[place];
            *wanted &= !due;
            if let Counters::Counted(numbers) = &mut self.task.counters {
                let less = |plane: usize| self.local.numbers[plane * length + place];
                due |= std::mem::take(wanted) & numbers.reduce(place - 1, less);
            }
            others |= *wanted != 0;
            self.settling.add_due(word, due);
            self.task.settles |= due != 0;
        }
        others
    }

    /// Writes offers; as [`Pull::offer_each`], returns the states whose movers take them at once.
    #[inline(always)]
    fn offer_together(&self, place: usize, word: usize) -> u64 {
        let (mut left, mut offers, mut due) = (self.settling.open(word), [0; P], 0);
        let length = self.local.touched.len();
        let reached = |code: usize| self.local.reached[code * length + place];
        for (role, order) in self.settling.orders.iter().enumerate() {
            let mut own = left & self.settling.moving(word, role);
            left &= !own;
            for &code in &order.codes {
                let having = own & (reached(code) | self.settling.offered(word, code));
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
        for bit in ones(self.local.touched[place]) {
            let (good, code) = self.local.best[64 * place + bit];
            let state = 64 * word as u64 + bit as u64;
            let mover = settling.mover(state);
            if good > settling.orders[mover].ranks[settling.offers.index(state)] {
                due |= u64::from(code as usize == settling.at_once[mover]) << bit;
                for (plane, offers) in offers[..planes].iter_mut().enumerate() {
                    *offers = *offers & !(1 << bit) | u64::from(code >> plane & 1) << bit;
                }
            }
        }
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

/// For each mover, the rank of the best acceptable offer to an open state of a task; 0 for none.
pub fn best_offers(settling: &Settling, task: &Task) -> [u32; MOST_MOVERS] {
    let mut best = [0; MOST_MOVERS];
    if settling.table.plane_count() > PLANES {
        for word in task.words() {
            for place in ones(settling.open(word)) {
                let state = 64 * word as u64 + place as u64;
                let role = settling.mover(state);
                let order = &settling.orders[role];
                let good = order.ranks[settling.offers.index(state)];
                best[role] = best[role].max(if good > order.least { good } else { 0 });
            }
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
