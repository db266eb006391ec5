//! Retrograde analysis of a set whose states lead to each other, on tables indexed by rank.
//!
//! The moves between ranks do not depend on values, so [`mod@moves`] finds them once. Rounds then settle states, that
//! is, give them values; states without a value are open. A table has a code for each rank, here called place: code 0
//! for open states, codes from 1 on for values. A round reads only results of earlier rounds. For each open state, a
//! pass over the moves keeps the best value of a successor, its *offer*, and finds out whether all successors have
//! values. If they do, the state is *due*. A state is also due if its mover takes the offer at once; then the other
//! successors do not matter.
//!
//! The work is roughly proportional to the changes. A pass follows only moves from open states to *fresh* states, which
//! the last round settled: only a state with a fresh successor can get a better offer or lose its last open successor.
//! The moves of such a state are followed again, until an open successor is found; or numbers of open successors are
//! kept, which take up to 8 bits a place ([`counters`]).
//!
//! Up to seven values are compared by masks of 64 states; more values are compared state by state.

mod counters;
mod follow;
mod marks;
pub(super) mod moves;
mod numbers;
mod plies;
mod pull;
#[cfg(test)]
mod tests;

use super::bits::{Bits, Work, by_bits};
use super::{MOST_MOVERS, MOVES, ranked_beside};
use crate::memory::Buffer;
use crate::threads::share;
use crate::{Bitvector, Context, Diagram, RelationId, Relations, renamed};
use base::limits::{Account, LimitReached};
use counters::Counters;
use marks::Marks;
use moves::{Moves, Part, moves};
use numbers::Numbers;
use pull::{Local, PLANES, Pull, best_offers};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

const TASKS: u64 = 4096;
/// Logarithm (base 2) of the least number of states of a task.
const FEWEST: u32 = 12;
const STEPS: u64 = 1 << 12;
/// Numbers of open successors take at most the free memory divided by this number. They stay until the end, and the
/// diagram of the values and tables of distances are made beside them.
const SHARE_OF_COUNTERS: u64 = 8;

pub struct Wishes {
    /// For each mover, all values in its order, best first.
    pub orders: Vec<Vec<u32>>,
    /// For each mover, the number of its best values that it takes although some successor is open.
    pub settled_for: Vec<usize>,
}

struct Order {
    codes: Vec<usize>,
    /// For each code, its rank, larger is better; code 0 has rank 0.
    ranks: Vec<u32>,
    /// The mover takes values with a higher rank although some successor is open.
    least: u32,
}

impl Wishes {
    /// The order of each mover by codes: the code of `values[k]` is `k + 1`.
    fn by_code(&self, values: &[u32]) -> Vec<Order> {
        let mut known = vec![0; values.iter().max().map_or(0, |&most| most as usize + 1)];
        (1..).zip(values).for_each(|(code, &value)| known[value as usize] = code);
        let code = |value: &u32| known.get(*value as usize).copied().filter(|&code| code != 0);
        let order = |(order, &settled_for): (&Vec<u32>, &usize)| {
            let codes: Vec<usize> = order.iter().filter_map(code).collect();
            let mut ranks = vec![0; values.len() + 1];
            codes.iter().rev().zip(1..).for_each(|(&code, rank)| ranks[code] = rank);
            Order { codes, ranks, least: order[settled_for..].iter().filter_map(code).count() as u32 }
        };
        self.orders.iter().zip(&self.settled_for).map(order).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    Nothing,
    Due,
    /// For each mover, the code of a value, or 0. The round settles the mover's open states whose offer is this value.
    Chosen([usize; MOST_MOVERS]),
    /// Settles the states that are due, and hurried states that have an offer: the states at the next distance.
    Ply,
}

/// States of consecutive ranks. The first rank is a multiple of 64.
struct Task {
    ranks: Range<u64>,
    marked: bool,
    fresh: bool,
    settles: bool,
    /// The result of [`best_offers`] (0 in plies); `None` if open states or their offers have changed since then.
    best: Option<[u32; MOST_MOVERS]>,
    counters: Counters,
}

impl Task {
    fn words(&self) -> Range<usize> {
        (self.ranks.start >> 6) as usize..self.ranks.end.div_ceil(64) as usize
    }
}

pub struct Settling {
    moves: Moves,
    table: Bitvector,
    offers: Bitvector,
    /// A bit for each place: states that are due.
    due: Buffer<u64>,
    /// For each mover, the code of the value that it takes at once; 0 for none.
    at_once: [usize; MOST_MOVERS],
    /// The states that the last round settled; at first, all states with values.
    fresh: Marks,
    movers: Bitvector,
    numbers: Option<Numbers>,
    /// A bit for each place: states whose movers shorten play even if they prefer other values; `None` for no state.
    hurried: Option<Buffer<u64>>,
    rule: Rule,
    orders: Vec<Order>,
    tasks: Vec<Mutex<Task>>,
    shift: u32,
    _room: Account,
}

impl Settling {
    /// Starts with the settled terminal states. `None` if moves exceed `most` bytes or a number exceeds its bits.
    ///
    /// `places`: the set whose ranks number the states. It contains the states of `labels`, which comes from
    /// [`labels()`](super::labels()), and perhaps more. The relations lead from states of `labels` to states of
    /// `labels`. `open`: the value of open states in [`Settling::values`]. `keep`: whether rounds are kept.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        places: &Diagram,
        labels: &Diagram,
        relations: &Relations,
        roots: &[RelationId],
        wishes: &Wishes,
        (open, keep): (u32, bool),
        most: u64,
        context: &Context,
    ) -> Result<Option<Settling>, LimitReached> {
        let limits = context.limits();
        let Some(moves) = moves(places, relations.nodes(), roots, most, context)? else { return Ok(None) };
        let occurring: Vec<u32> = labels.terminals().into_iter().filter(|&value| value != 0 && value < MOVES).collect();
        let with_first = |first: u32| std::iter::once(first).chain(occurring.iter().copied()).collect::<Vec<u32>>();
        // Places without a state get an arbitrary value, so that they are never open.
        let beside = occurring.first().copied().unwrap_or(open);
        let value = |label| if label < MOVES { label } else { open };
        let table = ranked_beside(places, beside, renamed(labels, value, context)?, with_first(open), context)?;
        let roles = wishes.orders.len() as u32;
        let mover = |label: u32| if label < MOVES { 1 } else { label - MOVES + 1 };
        let movers = ranked_beside(places, 1, renamed(labels, mover, context)?, (1..=roles).collect(), context)?;
        let states = table.states();
        let offers = Bitvector::coded(states, with_first(0), limits)?;
        let numbers = keep.then(|| Numbers::new(states, limits)).transpose()?;
        let due = Buffer::zeroed(states.div_ceil(64) as usize, limits)?;
        let orders = wishes.by_code(&occurring);
        let shift = states.div_ceil(TASKS).next_power_of_two().ilog2().max(FEWEST);
        let count = states.div_ceil(1 << shift);
        let mut room = Account::new(limits);
        let of_threads = context.threads() as u64 * Local::bytes(1 << shift, occurring.len());
        room.set(count * size_of::<Mutex<Task>>() as u64 + of_threads)?;
        let of_counters = states / 8 * counters::BITS as u64;
        let counts = of_counters <= limits.free() / SHARE_OF_COUNTERS;
        if counts {
            room.add(of_counters)?;
        }
        let task = |number: u64| {
            let ranks = number << shift..((number + 1) << shift).min(states);
            let counters = Counters::none(counts);
            Mutex::new(Task { ranks, marked: false, fresh: true, settles: false, best: None, counters })
        };
        let tasks = (0..count).map(task).collect();
        let (rule, fresh) = (Rule::Nothing, Marks::new(states, limits)?);
        let (hurried, _room) = (None, room);
        let mut settling = Settling {
            moves,
            table,
            offers,
            due,
            at_once: [0; MOST_MOVERS],
            fresh,
            movers,
            numbers,
            hurried,
            rule,
            orders,
            tasks,
            shift,
            _room,
        };
        settling.begin();
        Ok(Some(settling))
    }

    fn begin(&mut self) {
        for word in 0..self.table.states().div_ceil(64) as usize {
            let states = self.table.states() - 64 * word as u64;
            let known = u64::MAX >> (64 - states.min(64)) & !self.open(word);
            self.fresh.words_mut()[word] = known;
        }
        for task in &mut self.tasks {
            let task = unlocked(task);
            (task.fresh, task.counters) = (true, task.counters.again());
        }
    }

    pub fn bytes(&self) -> u64 {
        self.moves.bytes()
    }

    pub fn values(&self) -> &Bitvector {
        &self.table
    }

    /// For each place, the round that settled it, or 0 if none did; and the number of rounds. Rounds count from 1 since
    /// the last [`Settling::forget_rounds`]. `None` if rounds are not kept.
    pub fn rounds(&self) -> Option<(&Bitvector, u32)> {
        self.numbers.as_ref().map(Numbers::rounds)
    }

    pub fn forget_rounds(&mut self) {
        self.numbers.iter_mut().for_each(Numbers::clear);
    }

    /// Whether rounds have room for one more; otherwise [`Settling::forget_rounds`] must be called first.
    pub fn has_room(&mut self, context: &Context) -> Result<bool, LimitReached> {
        self.numbers.as_mut().map_or(Ok(true), |numbers| numbers.make_room(context.limits()))
    }

    /// Replaces the values of all places, which must have the same codes, and starts from them.
    pub fn resume(&mut self, values: Bitvector) {
        assert!(values.values() == self.table.values() && values.states() == self.table.states(), "values of the set");
        self.table = values;
        self.begin();
    }

    /// Determines the states of the next round; false if there are none. `at_once`: for each mover, the value, if any,
    /// that it takes as soon as it is an offer. The value may change only to a value that the last round chose.
    /// [`Settling::settle`] must follow before the next call: fresh successors are counted off once.
    pub fn find(&mut self, at_once: &[Option<u32>], context: &Context) -> Result<bool, LimitReached> {
        self.take_at_once(at_once);
        self.look(context)?;
        self.rule = if self.tasks.iter().any(|task| lock(task).settles) { Rule::Due } else { self.choice(context) };
        Ok(self.rule != Rule::Nothing)
    }

    fn take_at_once(&mut self, values: &[Option<u32>]) {
        let code = |value: &u32| self.table.values().iter().position(|known| known == value);
        let codes = values.iter().map(|value| value.as_ref().and_then(code).unwrap_or(0)).collect::<Vec<_>>();
        self.at_once[..codes.len()].copy_from_slice(&codes);
    }

    /// After [`Settling::find`]: the movers that choose in the next round, with the values that they choose; none if
    /// the states of that round are due.
    pub fn chosen(&self) -> impl Iterator<Item = (usize, u32)> {
        let targets = if let Rule::Chosen(targets) = self.rule { targets } else { [0; MOST_MOVERS] };
        let value = |(mover, code): (usize, usize)| (code > 0).then(|| (mover, self.table.values()[code]));
        targets.into_iter().enumerate().filter_map(value)
    }

    fn look(&mut self, context: &Context) -> Result<(), LimitReached> {
        if self.table.plane_count() == 0 {
            return Ok(());
        }
        self.mark(context)?;
        let local = |_| Local::new(1 << self.shift, context.limits());
        let mut locals = (0..context.threads()).map(local).collect::<Result<Vec<Local>, LimitReached>>()?;
        share(context.pool(), &self.tasks, &mut locals, |_, task, local| {
            let mut task = lock(task);
            if std::mem::take(&mut task.marked) && context.check().is_ok() {
                by_bits(context, (&*self, &mut *task, local));
            }
        });
        context.check()
    }

    fn mark(&mut self, context: &Context) -> Result<(), LimitReached> {
        self.fresh.summarise();
        let (mut stack, mut steps) = (self.moves.tops.clone(), 0_u64);
        while let Some(edge) = stack.pop() {
            steps += 1;
            if steps.is_multiple_of(STEPS) {
                context.check()?;
            }
            let [before, after] = self.moves.spans(edge.part);
            if !self.fresh.any(edge.to, edge.to + after) {
                continue;
            }
            match self.moves.part(edge.part) {
                Part::Inner(inner) if before >> self.shift > 0 => inner.for_each(edge, |edge| stack.push(edge)),
                _ => {
                    let [first, last] = [edge.from, edge.from + before - 1].map(|state| (state >> self.shift) as usize);
                    self.tasks[first..=last].iter_mut().for_each(|task| unlocked(task).marked = true);
                }
            }
        }
        Ok(())
    }

    /// The rule of a round without due states: each mover takes the best acceptable offer of its open states.
    fn choice(&self, context: &Context) -> Rule {
        let mut threads = vec![[0; MOST_MOVERS]; context.threads()];
        share(context.pool(), &self.tasks, &mut threads, |_, task, best| {
            let mut task = lock(task);
            let offers = task.best.unwrap_or_else(|| best_offers(self, &task));
            task.best = Some(offers);
            best.iter_mut().zip(offers).for_each(|(best, offer)| *best = offer.max(*best));
        });
        let best = |role: usize| threads.iter().map(|best| best[role]).max().unwrap_or(0);
        let mut targets = [0; MOST_MOVERS];
        for ((target, role), order) in targets.iter_mut().zip(0..).zip(&self.orders) {
            let best = best(role);
            *target = if best == 0 { 0 } else { order.codes[order.codes.len() - best as usize] };
        }
        if targets == [0; MOST_MOVERS] { Rule::Nothing } else { Rule::Chosen(targets) }
    }

    /// Settles the states that [`Settling::find`] found and returns their number; needs [`Settling::has_room`].
    pub fn settle(&mut self, context: &Context) -> u64 {
        self.numbers.iter_mut().for_each(Numbers::begin);
        let mut settled = vec![0; context.threads()];
        share(context.pool(), &self.tasks, &mut settled, |_, task, settled| {
            *settled += self.settle_task(&mut lock(task))
        });
        settled.iter().sum()
    }

    fn settle_task(&self, task: &mut Task) -> u64 {
        let mut settled = 0;
        let concerned = match self.rule {
            Rule::Nothing => false,
            Rule::Due => task.settles,
            Rule::Chosen(_) => task.best != Some([0; MOST_MOVERS]),
            Rule::Ply => task.settles || task.best.is_none(),
        };
        if !concerned && !task.fresh {
            return 0;
        }
        for word in task.words() {
            let mask = match self.rule {
                _ if !concerned => 0,
                Rule::Due => self.due.as_slice()[word],
                Rule::Chosen(targets) => (0..self.orders.len())
                    .filter(|&role| targets[role] != 0)
                    .fold(0, |mask, role| mask | self.offered(word, targets[role]) & self.moving(word, role)),
                Rule::Ply => self.at_next_ply(word),
                Rule::Nothing => 0,
            };
            settled += u64::from(mask.count_ones());
            // SAFETY: the words are those of this task, which one thread has; no other thread reads them.
            unsafe {
                for plane in 0..self.table.plane_count() {
                    *self.table.plane_pointer(plane).add(word) |= self.offers.plane(plane)[word] & mask;
                }
                self.numbers.iter().filter(|_| mask != 0).for_each(|numbers| numbers.record(word, mask));
                *self.fresh.pointer().add(word) = mask;
                *self.due.pointer().add(word) &= !mask;
            }
        }
        task.settles &= !matches!(self.rule, Rule::Due | Rule::Ply);
        task.fresh = settled > 0;
        match self.rule {
            Rule::Ply => task.best = Some([0; MOST_MOVERS]),
            _ if settled > 0 => task.best = None,
            _ => {}
        }
        settled
    }

    #[inline(always)]
    fn open(&self, word: usize) -> u64 {
        let states = self.table.states() - 64 * word as u64;
        let known = (0..self.table.plane_count()).fold(0, |known, plane| known | self.table.plane(plane)[word]);
        !known & u64::MAX >> (64 - states.min(64))
    }

    #[inline(always)]
    fn moving(&self, word: usize, role: usize) -> u64 {
        having(&self.movers, word, role)
    }

    #[inline(always)]
    fn offered(&self, word: usize, code: usize) -> u64 {
        self.open(word) & having(&self.offers, word, code)
    }

    #[inline(always)]
    fn mover(&self, state: u64) -> usize {
        self.movers.index(state)
    }

    #[inline(always)]
    fn offer(&self, word: usize, offers: &[u64]) {
        // SAFETY: the word is that of a task, which one thread has.
        unsafe {
            offers.iter().zip(0..).for_each(|(&bits, plane)| *self.offers.plane_pointer(plane).add(word) = bits);
        }
    }

    #[inline(always)]
    fn add_due(&self, word: usize, due: u64) {
        // SAFETY: as above.
        unsafe { *self.due.pointer().add(word) |= due };
    }

    #[inline(always)]
    fn due_of(&self, word: usize) -> u64 {
        // SAFETY: as above.
        unsafe { *self.due.pointer().add(word) }
    }
}

impl Work for (&Settling, &mut Task, &mut Local) {
    #[inline(always)]
    fn run<B: Bits>(self) {
        let (settling, task, local) = self;
        match settling.table.plane_count() {
            1 => Pull::<B, 1>::run(settling, task, local),
            2 => Pull::<B, 2>::run(settling, task, local),
            PLANES => Pull::<B, PLANES>::run(settling, task, local),
            _ => Pull::<B, 0>::run(settling, task, local),
        }
    }
}

#[inline(always)]
fn having(values: &Bitvector, word: usize, index: usize) -> u64 {
    let bits = |plane: usize| values.plane(plane)[word] ^ if index >> plane & 1 == 1 { 0 } else { u64::MAX };
    (0..values.plane_count()).fold(u64::MAX, |all, plane| all & bits(plane))
}

fn lock(task: &Mutex<Task>) -> MutexGuard<'_, Task> {
    task.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unlocked(task: &mut Mutex<Task>) -> &mut Task {
    task.get_mut().unwrap_or_else(PoisonError::into_inner)
}
