//! Stores settled states from time to time, and resumes from them.
//!
//! All values and rounds so far are written, under new names; merging and writing take at most a tenth of the time. The
//! final files depend on the game alone: the last ones hold all rounds, and earlier ones are removed. Distances follow from
//! all values, and come last.

use super::super::SolveError;
use super::super::pass::Pass;
use super::super::spool::Spool;
use super::rounds::Rounds;
use crate::store::{ReadSettled, SettledDiagrams, Store};
use kernel::Diagram;
use std::time::{Duration, Instant};

/// Time between two saves, as a multiple of the duration of a save.
const PACE: u32 = 10;

/// What rounds have settled.
pub struct Before {
    /// All states with their values.
    pub values: Diagram,
    /// The number of rounds.
    pub rounds: u32,
    /// Those that are settled, with the terminals of their distances, where these were found.
    pub plies: Option<Diagram>,
}

/// A store that is written to, if there is one.
pub struct Saving<'a> {
    pass: &'a Pass<'a>,
    store: Option<&'a mut Store>,
    saved: Instant,
    /// Duration of the last save.
    cost: Duration,
}

impl<'a> Saving<'a> {
    pub fn new(pass: &'a Pass<'a>, spool: &'a mut Spool) -> Self {
        Saving { pass, store: spool.store(), saved: Instant::now(), cost: Duration::ZERO }
    }

    /// Loads all states with their stored values, and resumes their rounds; `None` if nothing was stored yet.
    pub fn before(&self, rounds: &mut Rounds) -> Result<Option<Before>, SolveError> {
        let Some((store, record)) = self.store.as_ref().and_then(|store| Some((store, store.settled()?))) else {
            return Ok(None);
        };
        let ReadSettled { outcomes: values, digits, plies } =
            store.archive()?.read_settled(self.pass.context.limits())?;
        rounds.resume(record.base, record.rounds, digits);
        Ok(Some(Before { values, rounds: record.rounds, plies }))
    }

    /// Whether it is time to store the values and rounds so far.
    pub fn is_due(&self) -> bool {
        self.store.is_some() && self.saved.elapsed() >= self.cost * PACE
    }

    /// Stores the values and rounds so far, and with all of them the distances if these are wanted. `begin`: when the work
    /// for it began.
    pub fn save(
        &mut self,
        begin: Instant,
        values: &Diagram,
        plies: Option<&Diagram>,
        rounds: &mut Rounds,
    ) -> Result<(), SolveError> {
        let Some(store) = &mut self.store else { return Ok(()) };
        let (count, base) = (rounds.count(), rounds.base());
        if store
            .settled()
            .is_some_and(|record| record.rounds == count && (plies.is_none() || record.plies_file.is_some()))
        {
            return Ok(());
        }
        let digits = rounds.digits()?;
        store.push_settled(
            SettledDiagrams { rounds: count, base, outcomes: values, digits: &digits, plies },
            self.pass.context,
        )?;
        (self.saved, self.cost) = (Instant::now(), begin.elapsed());
        Ok(())
    }
}
