//! The number of plies to the end of play for the states of one value: plain retrograde analysis on the same moves, in
//! which each round settles the states at one distance. States of other values count as settled but are never fresh:
//! they make no offers and keep no state open.

use super::numbers::Numbers;
use super::{Rule, Settling, unlocked};
use crate::memory::Buffer;
use crate::{Bitvector, Context};
use base::limits::{LimitReached, Limits};
use std::sync::Arc;

impl Settling {
    /// Starts with the states of one value in which play has ended, as round 1. Earlier values and rounds are lost.
    /// `table` has the codes of [`Settling::values`]: code 0 for the states of that value in which play goes on,
    /// another code for all other places. `ended`: for each place, 1 if play has ended there, otherwise 0. `shortens`:
    /// for each mover, the value if it moves to a settled state as soon as it can; `None` if it does so only when it
    /// must.
    pub fn begin_plies(
        &mut self,
        table: Bitvector,
        ended: &Bitvector,
        shortens: &[Option<u32>],
        limits: &Arc<Limits>,
    ) -> Result<(), LimitReached> {
        let states = self.table.states();
        assert!(table.states() == states && ended.states() == states, "tables of the set");
        assert!(table.values() == self.table.values(), "the codes of the set");
        self.take_at_once(shortens);
        let numbers = match &mut self.numbers {
            Some(numbers) => numbers,
            None => self.numbers.insert(Numbers::new(states, limits)?),
        };
        numbers.clear();
        numbers.begin();
        self.table = table;
        self.offers.clear();
        self.due.as_mut_slice().fill(0);
        let fresh = self.fresh.words_mut();
        fresh.fill(0);
        if ended.plane_count() > 0 {
            let words = states.div_ceil(64) as usize;
            for (word, (fresh, &ended)) in fresh[..words].iter_mut().zip(ended.plane(0)).enumerate() {
                *fresh = ended;
                // SAFETY: no other thread uses the table.
                unsafe { numbers.record(word, ended) };
            }
        }
        for task in &mut self.tasks {
            let task = unlocked(task);
            (task.marked, task.fresh, task.settles, task.best) = (false, true, false, None);
            task.counters = task.counters.again();
        }
        Ok(())
    }

    /// Adds the rounds of [`Settling::rounds`], each plus `more`, to `numbers`, which has the same places.
    pub fn add_rounds(&self, numbers: &mut Bitvector, more: u32, limits: &Arc<Limits>) -> Result<(), LimitReached> {
        let (rounds, _) = self.rounds().expect("rounds are kept since `begin_plies`");
        numbers.add(rounds, more, limits)
    }

    /// Settles the states at the next distance; returns their number, 0 at the end. Needs [`Settling::has_room`].
    pub fn ply(&mut self, context: &Context) -> Result<u64, LimitReached> {
        self.look(context)?;
        self.rule = Rule::Ply;
        Ok(self.settle(context))
    }

    pub fn is_hurried(&self) -> bool {
        self.hurried.is_some()
    }

    pub fn hurry_none(&mut self) {
        self.hurried = None;
    }

    /// Makes the movers of all open states, whose number is returned, shorten play until the next call or `hurry_none`.
    pub fn hurry(&mut self, limits: &Arc<Limits>) -> Result<u64, LimitReached> {
        let words = self.table.states().div_ceil(64) as usize;
        let mut hurried = match self.hurried.take() {
            Some(hurried) => hurried,
            None => Buffer::zeroed(words, limits)?,
        };
        let mut states = 0;
        for (word, hurried) in hurried.as_mut_slice()[..words].iter_mut().enumerate() {
            *hurried = self.open(word);
            states += u64::from(hurried.count_ones());
        }
        self.hurried = Some(hurried).filter(|_| states > 0);
        Ok(states)
    }

    pub(super) fn at_next_ply(&self, word: usize) -> u64 {
        let Some(hurried) = &self.hurried else { return self.due.as_slice()[word] };
        let offers = (0..self.offers.plane_count()).fold(0, |any, plane| any | self.offers.plane(plane)[word]);
        self.due.as_slice()[word] | self.open(word) & offers & hurried.as_slice()[word]
    }
}
