//! Stores settled states from time to time, and resumes from them.
//!
//! A save writes all values and rounds so far, under new names. Merging and writing take about a tenth of the time of
//! the run. The final files depend on the game alone: the last save holds all rounds, and earlier files are removed.
//! Distances are computed from all values, so they are stored last.

use super::super::SolveError;
use super::super::pass::Pass;
use super::super::spool::Spool;
use super::rounds::Rounds;
use crate::store::{ReadSettled, SettledDiagrams, Store, StoreError};
use kernel::Diagram;
use std::time::{Duration, Instant};

/// Least time between two saves, as a multiple of the duration of the last one.
const PACE: u32 = 10;

/// All states with their stored values, if there are some; and, if distances were stored, the number of rounds and the
/// states from which play ends, with terminals that encode their distances.
type Before = (Option<Diagram>, Option<(u32, Diagram)>);

pub struct Saving<'a> {
    pass: &'a Pass<'a>,
    store: Option<&'a mut Store>,
    saved: Instant,
    cost: Duration,
}

impl<'a> Saving<'a> {
    pub fn new(pass: &'a Pass<'a>, spool: &'a mut Spool) -> Self {
        Saving { pass, store: spool.store(), saved: Instant::now(), cost: Duration::ZERO }
    }

    /// Loads what was stored, and resumes the rounds.
    pub fn before(&self, rounds: &mut Rounds) -> Result<Before, SolveError> {
        let Some((store, record)) = self.store.as_ref().and_then(|store| Some((store, store.settled()?))) else {
            return Ok((None, None));
        };
        let ReadSettled { outcomes: values, digits, plies } =
            store.archive()?.read_settled(self.pass.context.limits())?;
        rounds.resume(record, digits);
        Ok((Some(values), Some(record.rounds).zip(plies)))
    }

    /// The error if the values that were loaded are of no state of the game.
    pub fn foreign_values(&self) -> SolveError {
        let (store, record) =
            self.store.as_ref().and_then(|store| Some((store, store.settled()?))).expect("values were loaded");
        StoreError::damaged(&store.folder().join(&record.outcomes_file.name), "values that no end of play has").into()
    }

    pub fn stores(&self) -> bool {
        self.store.is_some()
    }

    pub fn is_due(&self) -> bool {
        self.store.is_some() && self.saved.elapsed() >= self.cost * PACE
    }

    /// Stores the values and rounds so far, and the distances if given. `begin`: the start of the work for this save.
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
        let at_once = rounds.record_at_once();
        let digits = rounds.digits()?;
        store.push_settled(
            SettledDiagrams { rounds: count, base, at_once, outcomes: values, digits: &digits, plies },
            self.pass.context,
        )?;
        (self.saved, self.cost) = (Instant::now(), begin.elapsed());
        Ok(())
    }
}
