//! How far a look at the first states goes: its work, what all states would take, and when that is worth it.
//!
//! What takes the place of looking at every state has to be prepared: groups are proved, rules are encoded, orders are
//! tried. How long that takes is guessed from the rules, by the gates that a batch of states needs. A tenth of it may be
//! spent on a look in any case. Then the states to come are foretold from the growth of the layers so far; as long as
//! preparing would be more than a tenth of what solving the game state by state is going to take (a fifth, where the
//! layer at hand is a small diagram), the look goes on to the end, and is foretold again whenever it took twice as much as expected. Work is counted in gates, states and
//! successors, and time is never measured.

use super::growth::Growth;
use crate::batch::LANES;
use crate::limits::LimitReached;

/// What is spent before anything is known, in nanoseconds or so.
pub const WORK: u64 = 40_000_000;
/// What preparing takes for each gate of a batch, about (8,000 to 21,000 in games with complex rules), and at most, as
/// its searches have bounds of their own.
const PREPARING: u64 = 20_000;
const MOST_PREPARING: u64 = 6_000_000_000;
/// One over this is the part of preparing that a look may take beforehand.
const PART: u64 = 10;
/// The look goes on to the end if solving state by state takes at most so many times as much as preparing; or half of it,
/// where diagrams are small.
const TO_END: u64 = 10;
/// Searches that began anew may have taken so many times as much together.
const SEARCHES: u64 = 4;
/// Solving takes so many times the work of seeing all states.
const SOLVING: u64 = 3;
/// Work of a gate for a batch of states, of a state and of a successor, by word.
const GATE: u64 = 1;
const STATE: u64 = 20;
const SUCCESSOR: u64 = 40;
/// States up to which layers that overlap do not matter.
const FEW: u64 = 8_000;

/// How far to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// As far as it takes little, or is not far from the end.
    Little,
    /// As far as memory reaches.
    Memory,
}

/// How far a search came.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen {
    pub states: u64,
    pub layers: u64,
    pub work: u64,
    /// The most gates that a batch of states took.
    pub gates: u64,
    /// Successors were met that had been met before.
    pub overlap: bool,
    /// The work of looking at all states, if that could be told.
    pub all: Option<u64>,
}

impl Seen {
    /// What solving the game state by state will take, in nanoseconds or so, if that could be told.
    pub fn forecast(&self) -> Option<u64> {
        self.all.map(|all| all.saturating_mul(SOLVING))
    }

    /// What a state takes.
    pub fn state(&self) -> u64 {
        (self.work / self.states.max(1)).saturating_mul(SOLVING)
    }
}

/// Counts what a search does and says when it is enough.
pub struct Budget {
    pub seen: Seen,
    /// Logarithms of the states by layer, the one at hand included; states of the layers before.
    sizes: Vec<f64>,
    before: u64,
    /// Work before the search.
    start: u64,
    /// Once the end is foretold to be near, the work up to which that is believed.
    to_end: Option<u64>,
}

impl Budget {
    /// Of a search after others that took so much work.
    pub fn new(work: u64) -> Budget {
        let seen = Seen { work, ..Seen::default() };
        Budget { seen, sizes: Vec::new(), before: 0, start: work, to_end: None }
    }

    /// The next layer has so many states.
    pub fn layer(&mut self, states: usize) {
        self.sizes.push((states as f64).ln());
        self.before = self.seen.states;
        self.seen.layers += 1;
    }

    /// Some states of so many words were expanded.
    pub fn count(&mut self, states: u64, words: u64, edges: u64, gates: u64) {
        self.seen.states += states;
        self.seen.gates = self.seen.gates.max(gates / states.div_ceil(LANES as u64).max(1));
        self.seen.work += gates * GATE + states * STATE + edges * SUCCESSOR * words;
    }

    /// Whether the search is to stop. `is_small`: whether the layer at hand is a small diagram, if that matters.
    pub fn is_over(
        &mut self,
        bound: Bound,
        is_small: impl FnOnce() -> Result<bool, LimitReached>,
    ) -> Result<bool, LimitReached> {
        if bound == Bound::Memory {
            return Ok(false);
        }
        if self.seen.overlap && self.seen.states > FEW {
            return Ok(true);
        }
        let preparing = self.seen.gates.saturating_mul(PREPARING).min(MOST_PREPARING);
        let most = self.to_end.unwrap_or(WORK + preparing / PART);
        if self.seen.work - self.start <= most && self.seen.work <= most.saturating_mul(SEARCHES) {
            return Ok(false);
        }
        self.seen.all = self.foretold();
        let Some(all) = self.seen.all else { return Ok(true) };
        let (solving, most) = (all.saturating_mul(SOLVING), (WORK + preparing) * TO_END);
        let goes_on = solving <= most && (solving <= most / 2 || !is_small()?);
        if goes_on {
            self.to_end = Some(2 * all.max(WORK));
        }
        Ok(!goes_on)
    }

    /// The work of looking at all states.
    fn foretold(&self) -> Option<u64> {
        let to_come = Growth::of(&self.sizes)?.to_come();
        let each = (self.seen.work - self.start) as f64 / self.seen.states as f64;
        let last = self.sizes.last().map_or(0.0, |last| last.exp());
        Some(((self.before as f64 + last + to_come) * each) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work with which a search through such layers stops, and that of all of them.
    fn search(layers: &[usize], gates: u64) -> (Option<u64>, u64) {
        let mut budget = Budget::new(0);
        let mut stopped = None;
        for &states in layers {
            budget.layer(states);
            for batch in (0..states).step_by(LANES) {
                let states = LANES.min(states - batch) as u64;
                budget.count(states, 1, 3 * states, gates);
                if stopped.is_none() && budget.is_over(Bound::Little, || Ok(false)).unwrap() {
                    stopped = Some(budget.seen.work);
                }
            }
        }
        (stopped, budget.seen.work)
    }

    /// Layers that grow more and more slowly, and every third one a little less than it should.
    fn slow(layers: usize, growth: f64) -> Vec<usize> {
        let size = |layer: usize| {
            let (done, noise) = (layer as f64 / layers as f64, if layer.is_multiple_of(3) { 0.97 } else { 1.0 });
            (noise * (growth * (2.0 * done - done * done)).exp()).ceil() as usize
        };
        (0..layers).map(size).collect()
    }

    #[test]
    fn complex_rules_with_an_end_in_sight_are_looked_at_to_the_end() {
        for (layers, growth) in [(50, 13.0), (40, 13.0), (60, 12.5)] {
            let (stopped, all) = search(&slow(layers, growth), 400_000);
            assert!(stopped.is_none() && all > 4 * MOST_PREPARING / PART, "{layers} layers: {stopped:?} of {all}");
        }
    }

    #[test]
    fn simple_rules_and_layers_that_keep_growing_are_not() {
        let (stopped, all) = search(&slow(50, 12.5), 2_000);
        assert!(stopped.is_some_and(|stopped| stopped < 4 * WORK) && all > 8 * WORK, "{stopped:?} of {all}");
        let doubling: Vec<usize> = (0..21).map(|layer| 1 << layer).collect();
        let (stopped, all) = search(&doubling, 400_000);
        assert!(stopped.is_some_and(|stopped| stopped < all / 2), "{stopped:?} of {all}");
    }
}
