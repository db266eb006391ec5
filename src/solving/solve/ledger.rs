//! The ledger of preparation: the estimate of the [probe](super::budget) grants proofs of groups and trials of orders a
//! tenth of the estimated time for solving state by state, and diagrams of the rules half of it. If these take more, the
//! probe goes on to the end. Where nothing is estimated, the probe goes on for a time that depends on what proofs and
//! diagrams took.

use super::budget::{PART, Seen};
use game::bdd::Steps;

/// Least effort of each stage of preparation, in nanoseconds.
const LEAST_EFFORT: u64 = 100_000_000;
/// Effort for diagrams of the rules, in nanoseconds, after which the probe goes on for twice as long if nothing is
/// estimated.
pub const FIRST_EFFORT: u64 = 1_000_000_000;
/// Nanoseconds of a literal that proofs of groups propagate.
pub const LITERAL: u64 = 50;
/// Nanoseconds of a word of keys of sweeps that try an order.
pub const WORD: u64 = 60;
/// Nanoseconds of a step of small diagrams, with what is made of their nodes.
const STEP: u64 = 400;

/// The time that is left for preparation; the ledger of `Limits` is another one, which counts bytes.
#[derive(Debug)]
pub struct Ledger {
    /// In nanoseconds; `None` if there is no estimate of the run.
    left: Option<u64>,
    /// Of the run state by state, in nanoseconds, if all states may be looked at instead.
    forecast: Option<u64>,
}

impl Ledger {
    /// The ledger of a game, from the figures of its probe.
    pub fn of(seen: Option<&Seen>) -> Ledger {
        let forecast = seen.and_then(Seen::forecast);
        let may_list = seen.is_some_and(|seen| seen.foretold.is_some());
        Ledger { left: forecast.map(|forecast| forecast / PART), forecast: forecast.filter(|_| may_list) }
    }

    /// The steps that diagrams of the rules may take before the probe goes on: half of the time of the run state by
    /// state, if that is estimated. A state that lies in several layers counts once, as then all moves are listed.
    pub fn steps(&self) -> Steps {
        Steps::at_most(self.forecast.map_or(FIRST_EFFORT, |forecast| (forecast / 2).max(LEAST_EFFORT)) / STEP)
    }

    /// The amount of work that is left for a stage, of `each` nanoseconds; `None`: no bound. `before`: the work of the
    /// stage so far. A stage gets its least effort even if nothing is left.
    pub fn affords(&self, each: u64, before: u64) -> Option<u64> {
        let least = LEAST_EFFORT.saturating_sub(before.saturating_mul(each));
        self.left.map(|left| left.max(least) / each)
    }

    /// Returns the time.
    pub fn spend(&mut self, amount: u64, each: u64) -> u64 {
        let spent = amount.saturating_mul(each);
        self.left = self.left.map(|left| left.saturating_sub(spent));
        spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::budget::SOLVING;

    #[test]
    fn stages_share_a_tenth_of_the_run() {
        let seen = Seen { all: Some(20 * 1_000_000_000 / SOLVING), ..Seen::default() };
        let mut ledger = Ledger::of(Some(&seen));
        let close = |found: Option<u64>, wanted: u64| found.unwrap().abs_diff(wanted) < 10;
        assert!(close(ledger.affords(LITERAL, 0), 40_000_000), "{ledger:?}");
        ledger.spend(10_000_000, LITERAL);
        assert!(close(ledger.affords(WORD, 0), 25_000_000), "{ledger:?}");
        ledger.spend(u64::MAX, WORD);
        assert_eq!(ledger.affords(LITERAL, 0), Some(LEAST_EFFORT / 50), "a stage may always try");
        assert_eq!(ledger.affords(LITERAL, LEAST_EFFORT / 100), Some(LEAST_EFFORT / 100), "and has used half of that");
        assert_eq!(ledger.affords(LITERAL, LEAST_EFFORT / 50), Some(0), "and then ends");
        assert_eq!(Ledger::of(None).affords(WORD, 0), None, "nothing is foretold");
    }

    #[test]
    fn diagrams_of_the_rules_may_take_half_of_what_single_states_take() {
        let steps = |seen: Option<&Seen>| format!("{:?}", Ledger::of(seen).steps());
        let early = Seen { all: Some(24 * 1_000_000_000 / SOLVING), ..Seen::default() };
        let seen = Seen { foretold: Some(1_000_000), ..early };
        assert_eq!(steps(Some(&seen)), format!("{:?}", Steps::at_most(12 * 1_000_000_000 / STEP)));
        for unknown in [None, Some(&early)] {
            let first = Steps::at_most(FIRST_EFFORT / STEP);
            assert_eq!(steps(unknown), format!("{first:?}"), "the number of states is not foretold");
        }
    }
}
