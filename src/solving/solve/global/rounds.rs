//! The number of the round that settled each state, and the values that movers settle at once.

use super::super::SolveError;
use super::super::pass::Pass;
use super::super::progress::{Event, Phase};
use super::digits::Digits;
use super::orders::Orders;
use crate::store::manifest::SettledRecord;
use base::limits::LimitReached;
use kernel::Diagram;
use num_bigint::BigUint;
use std::time::Instant;

/// Counts rounds and, on demand, records their states.
pub struct Rounds<'a> {
    pass: &'a Pass<'a>,
    /// `None`: states are not recorded.
    digits: Option<Digits>,
    /// See [`Orders::at_once`].
    at_once: Option<Vec<Option<u32>>>,
    count: u32,
    restarts: u64,
    start: Instant,
}

impl<'a> Rounds<'a> {
    /// `keep`: the round of each state is needed later.
    pub fn new(pass: &'a Pass<'a>, keep: bool) -> Self {
        let (digits, at_once) = (keep.then(|| Digits::new(SettledRecord::BASE)), None);
        Rounds { pass, digits, at_once, count: 0, restarts: 0, start: Instant::now() }
    }

    /// Begins the rounds of `global`. `ids`: the values of the terminal states.
    pub fn begin(&mut self, orders: &Orders, ids: &[u32]) {
        self.at_once = orders.at_once(ids);
    }

    /// Continues after the rounds of a record, whose states have these digits.
    pub fn resume(&mut self, record: &SettledRecord, digits: Vec<Diagram>) {
        self.digits = Some(Digits::resumed(record.base, record.rounds, digits));
        self.at_once = record.at_once.clone();
        self.count = record.rounds;
    }

    /// For each mover, the value with which the next round settles states at once, if any.
    pub fn at_once(&self) -> &[Option<u32>] {
        self.at_once.as_deref().unwrap_or_default()
    }

    pub fn record_at_once(&self) -> Option<Vec<Option<u32>>> {
        self.at_once.clone()
    }

    /// Records that the next round is by choice: this mover chooses this value.
    pub fn choose(&mut self, mover: usize, value: u32) {
        if let Some(at_once) = &mut self.at_once {
            at_once[mover] = Some(value);
        }
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    pub fn base(&self) -> u32 {
        self.digits.as_ref().map_or(SettledRecord::BASE, Digits::base)
    }

    pub fn are_kept(&self) -> bool {
        self.digits.is_some()
    }

    pub fn push(&mut self, settled: &Diagram) -> Result<(), SolveError> {
        self.tell(None, settled.node_count())?;
        if let Some(digits) = &mut self.digits {
            digits.push(settled, 1, |_| 0, self.pass.context)?;
        }
        self.count += 1;
        self.start = Instant::now();
        Ok(())
    }

    /// Counts a round of `states` states, which a later call of [`Rounds::record`] records.
    pub fn pass_by(&mut self, states: u64) -> Result<(), SolveError> {
        self.tell(Some(states.into()), 0)?;
        self.count += 1;
        self.start = Instant::now();
        Ok(())
    }

    /// Records the states of the last `rounds` rounds that [`Rounds::pass_by`] has counted. The terminal of a state is
    /// the number of its round among them, from 1 on.
    pub fn record(&mut self, settled: &Diagram, rounds: u32) -> Result<(), LimitReached> {
        match &mut self.digits {
            Some(digits) => digits.push(settled, rounds, |number| number - 1, self.pass.context),
            None => Ok(()),
        }
    }

    fn tell(&self, states: Option<BigUint>, nodes: u64) -> Result<(), SolveError> {
        self.pass.context.limits().check()?;
        let seconds = self.start.elapsed().as_secs_f64();
        let (phase, layer) = (Phase::Backward, self.count);
        self.pass.listener.event(&Event::LayerFinished { phase, layer, total: None, states, nodes, seconds });
        Ok(())
    }

    /// Forgets all rounds, as the algorithm starts over.
    pub fn restart(&mut self) {
        self.digits = self.digits.as_ref().map(|digits| Digits::new(digits.base()));
        self.count = 0;
        self.restarts += 1;
        self.pass.listener.event(&Event::Restarted { times: self.restarts });
    }

    /// The digits of the rounds of all settled states, the least significant one first; none if not recorded.
    pub fn digits(&mut self) -> Result<Vec<&Diagram>, LimitReached> {
        let Pass { context, expansion, .. } = *self.pass;
        let levels = expansion.variables().levels();
        self.digits.as_mut().map_or(Ok(Vec::new()), |digits| digits.places(levels, context))
    }
}
