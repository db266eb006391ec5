//! Checks random states of a layer that is too large for a walk: states drawn from all, and states of each value.

use super::check::Check;
use super::codes::{self, numbers};
use super::diagram::{Function, Packed, Set};
use super::layer::{Found, Layer, Opened, Values, Worker, described};
use super::pairs::Pairs;
use super::walk::{Cursor, Finder};
use base::random::Random;
use game::batch::LANES;
use solving::solution::ReadError;
use solving::solve::Event;
use solving::store::Mapped;
use solving::store::manifest::LayerRecord;

/// Bound on the pairs of nodes from which states of a value are drawn.
const MOST_PAIRS: usize = 1 << 25;
/// If there are more pairs, or memory does not suffice, so many random states are searched for states of each value.
const TRIALS: u64 = 1 << 18;
/// Number of such random states between two checks of the limits.
const BETWEEN_CHECKS: u64 = 1 << 10;
/// Least number of states of a value to draw, if there are many values because they have distances.
const LEAST_OF_EACH: u64 = 100;
/// Bound on the states of a layer that are drawn by value.
const MOST_DRAWN: u64 = 1 << 20;

/// The states of a layer, drawn as one bit for each level.
struct States<'a> {
    set: &'a Set<'a>,
    words: usize,
}

impl States<'_> {
    fn pack(&self, assignment: &[bool]) -> Vec<u64> {
        let mut packed = vec![0; self.words];
        let ones = assignment.iter().enumerate().filter(|(_, bit)| **bit);
        ones.for_each(|(level, _)| packed[level / 64] |= 1 << (63 - level % 64));
        packed
    }

    fn at(&self, rank: u64) -> Vec<u64> {
        let mut packed = Vec::with_capacity(self.words);
        Cursor::new(self.set, self.words, rank, 1).take(1, &mut packed);
        packed
    }

    /// A random state, uniformly distributed; `None` if there is none.
    fn random(&self, random: &mut Random) -> Option<Vec<u64>> {
        match self.set.states {
            Some(states) => Some(self.at(random.below(states as usize) as u64)),
            None => random.number(&self.set.total()).map(|number| self.pack(&self.set.state(&number))),
        }
    }
}

impl Check<'_> {
    pub(super) fn sample(
        &self,
        layer: Layer,
        record: &LayerRecord,
        mapped: &Mapped,
        random: &mut Random,
    ) -> Result<Found, ReadError> {
        let states = States { set: &layer.own.set, words: self.layout.words() };
        let (mut drawn, mut ranks) = (Vec::new(), Vec::new());
        match states.set.states {
            Some(states) => ranks = numbers(states, self.options.samples, random),
            None => drawn.extend((0..self.options.samples).filter_map(|_| states.random(random))),
        }
        let each = self.each_value();
        match &layer.own.values {
            Some(Values::Packed(packed)) => {
                let function = Function::read(packed.file(), self.limits)?;
                packed.file().expect_lookups();
                let pairs = Pairs::new(states.set, &function, MOST_PAIRS, self.limits)?;
                let pack = |assignment: &[bool]| states.pack(assignment);
                let by_value = pairs.map(|pairs| self.by_weight(&pairs, each, random, pack)).transpose()?.flatten();
                drawn.extend(match by_value {
                    Some(states) => states,
                    // Random states are drawn. A state is skipped if enough states with its value were drawn.
                    None => self.by_trial(packed, record, each, &mut || states.random(random))?,
                });
            }
            Some(Values::ByRank(values)) => ranks.extend(values.draw(states.set.countable()?, each, random)),
            Some(Values::Ranked(Opened { file, totals, .. })) => {
                ranks.extend(codes::draw(file, totals, each, random, self.limits)?);
            }
            None => {}
        }
        ranks.sort_unstable();
        ranks.dedup();
        drawn.extend(ranks.into_iter().map(|rank| states.at(rank)));
        drawn.sort_unstable();
        drawn.dedup();
        let mut worker = Worker::new(layer, self.limits);
        let mut finder = Finder::default();
        for batch in drawn.chunks(LANES) {
            self.limits.check()?;
            let ranks: Vec<u64> = batch.iter().filter_map(|state| finder.find(&layer.own.set, state)).collect();
            if ranks.len() != batch.len() {
                return Err(mapped.file().damaged("a state that was drawn is not found").into());
            }
            worker.check(&batch.concat(), |lane| ranks[lane], None)?;
        }
        Ok(worker.found)
    }

    /// Draws `each` random states of each value, by the weights of pairs. `None` if memory does not suffice.
    fn by_weight(
        &self,
        pairs: &Pairs,
        each: u64,
        random: &mut Random,
        pack: impl Fn(&[bool]) -> Vec<u64>,
    ) -> Result<Option<Vec<Vec<u64>>>, ReadError> {
        let mut drawn = Vec::new();
        for id in 1..=self.stored.endings().count() as u32 {
            let Some(weights) = pairs.weights(id)? else { return Ok(None) };
            let draws = if weights.total > 0.0 { each } else { 0 };
            drawn.extend((0..draws).map(|_| pack(&pairs.draw(&weights, random))));
        }
        Ok(Some(drawn))
    }

    /// As [`Check::by_weight`], among random states of the layer. Values with too few states are reported.
    pub(super) fn by_trial(
        &self,
        values: &Packed,
        record: &LayerRecord,
        each: u64,
        state: &mut dyn FnMut() -> Option<Vec<u64>>,
    ) -> Result<Vec<Vec<u64>>, ReadError> {
        let (endings, layer) = (self.stored.endings(), record.layer);
        let stored = |id: u32| {
            let bucket =
                record.buckets.iter().flatten().find(|bucket| bucket.rewards.as_deref() == endings.rewards(id))?;
            match endings.is_timed() {
                false => Some(&bucket.states),
                true => {
                    let plies = endings.plies(id, layer)?;
                    bucket.plies.iter().find(|record| record.plies == plies).map(|record| &record.states)
                }
            }
        };
        // By value: the number of states to draw, at most as many as have the value.
        let mut missing: Vec<u64> = (1..=endings.count() as u32)
            .map(|id| stored(id).map_or(0, |states| u64::try_from(states).unwrap_or(u64::MAX).min(each)))
            .collect();
        let mut drawn = Vec::new();
        for trial in 0..TRIALS {
            if missing.iter().all(|missing| *missing == 0) {
                break;
            }
            if trial % BETWEEN_CHECKS == 0 {
                self.limits.check()?;
            }
            let Some(state) = state() else { break };
            let index = (values.value(&state)? as usize).checked_sub(1);
            let missing = index.and_then(|index| missing.get_mut(index)).filter(|missing| **missing > 0);
            if let Some(missing) = missing {
                *missing -= 1;
                drawn.push(state);
            }
        }
        for (id, missing) in (1..).zip(missing).filter(|(_, missing)| *missing > 0) {
            let value = described(endings, id, layer);
            let text = format!(
                "layer {layer}: {missing} states of value {value} fewer than asked for are looked at: of {TRIALS} random \
                 states no more have it"
            );
            self.listener.event(&Event::Notice(text));
        }
        Ok(drawn)
    }

    /// Number of states to draw of each value. Fewer than the options ask for if there are very many values, so that
    /// the sum is the same with distances and without, but never too few.
    fn each_value(&self) -> u64 {
        let endings = self.stored.endings();
        let (rewards, values) = (endings.all_rewards().len() as u64, (endings.count() as u64).max(1));
        let each = self.options.samples_by_value.min(MOST_DRAWN / rewards.max(1));
        (each * rewards / values).max(LEAST_OF_EACH).min(each)
    }
}
