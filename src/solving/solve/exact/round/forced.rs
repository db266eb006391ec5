//! What a player can force in all states, and the rounds that prove it.

use super::super::super::SolveError;
use super::super::super::pass::Pass;
use super::super::super::progress::Event;
use super::listed::Listed;
use super::play::{Before, Components, NONE, Play};
use super::strategies::forced;
use crate::listing::{Graph, MISSING};
use base::limits::Account;
use fixedbitset::FixedBitSet;
use game::matrix::Rational;
use indexmap::IndexSet;
use num_bigint::BigInt;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::RefCell;

/// Bytes of a state: its code, and its place in a component.
const STATE_BYTES: u64 = 8;
/// Most words of the decisions that are remembered.
const KEPT: usize = 1 << 22;
/// Words of a decision in addition to its key.
const BESIDE: usize = 8;
/// States of a component whose progress is told.
const LARGE: usize = 1000;
/// States between two events.
const TOLD: usize = 1 << 12;

/// The numbers that occur, and by state the code of its own.
pub struct Forced {
    pub role: u32,
    pub codes: Vec<u32>,
    pub numbers: IndexSet<Rational, FxBuildHasher>,
    account: Account,
    /// By the kind of decision and the codes after it: the code.
    known: FxHashMap<Box<[u32]>, u32>,
    kept: usize,
}

impl Forced {
    /// What `role` can force against all others. `rewards`: by value of an end.
    pub fn find(
        pass: &Pass,
        listed: &Listed,
        components: &Components,
        role: u32,
        rewards: &[Vec<u8>],
    ) -> Result<Forced, SolveError> {
        let (limits, play) = (pass.context.limits(), &listed.play);
        let mut account = Account::new(limits);
        account.set(STATE_BYTES * play.len() as u64)?;
        let (codes, numbers, known) = (vec![0; play.len()], IndexSet::default(), FxHashMap::default());
        let mut all = Forced { role, codes, numbers, account, known, kept: 0 };
        let mut places = vec![MISSING; play.len()];
        let (mut done, mut told) = (0, 0);
        let work = |done: usize| Event::Work { what: "values", done: done as u64, total: play.len() as u64 };
        for component in components.each() {
            let first = component[0] as usize;
            match (listed.ends[first], component) {
                (0, [_]) if !play.outcomes(first).contains(&component[0]) => {
                    limits.check()?;
                    all.codes[first] = all.decided(play, first)?;
                }
                (0, _) => {
                    let (part, beyond) = play.part(component, &mut places);
                    let beyond: Vec<Rational> =
                        beyond.iter().map(|&state| all.number(state as usize).clone()).collect();
                    let tell = |text: String| {
                        if component.len() >= LARGE {
                            pass.listener.event(&Event::Message(text));
                        }
                    };
                    let values = forced(&part, component.len(), role, &beyond, limits, &tell)?;
                    for (&state, value) in component.iter().zip(values) {
                        all.codes[state as usize] = all.code(value)?;
                    }
                }
                (end, _) => {
                    let reward = rewards[usize::from(end) - 1][role as usize];
                    all.codes[first] = all.code(Rational::from_integer(reward.into()))?;
                }
            }
            done += component.len();
            if done - told >= TOLD || component.len() > TOLD {
                told = done;
                pass.listener.event(&work(done));
            }
        }
        pass.listener.event(&work(done));
        (all.known, all.kept) = (FxHashMap::default(), 0);
        Ok(all)
    }

    pub fn number(&self, state: usize) -> &Rational {
        &self.numbers[self.codes[state] as usize]
    }

    fn code(&mut self, number: Rational) -> Result<u32, SolveError> {
        let bytes = (number.numer().bits() + number.denom().bits()) / 4 + 2 * size_of::<Rational>() as u64;
        let (code, new) = self.numbers.insert_full(number);
        if new {
            self.account.add(bytes)?;
        }
        Ok(code as u32)
    }

    /// The code of a state whose successors have values.
    fn decided(&mut self, play: &Play, state: usize) -> Result<u32, SolveError> {
        let own = play.choosers[state] == self.role;
        let codes = play.outcomes(state).iter().map(|&next| self.codes[next as usize]);
        let key: Box<[u32]> = [u32::from(own), play.widths[state]].into_iter().chain(codes).collect();
        if let Some(code) = self.known.get(&key) {
            return Ok(*code);
        }
        let mut best: Option<Rational> = None;
        for outcomes in play.moves(state) {
            let mean = self.sum(outcomes) / Rational::from_integer(outcomes.len().into());
            if best.as_ref().is_none_or(|best| if own { mean > *best } else { mean < *best }) {
                best = Some(mean);
            }
        }
        let code = self.code(best.expect("a state that is not terminal has moves"))?;
        self.kept += key.len() + BESIDE;
        if self.kept > KEPT {
            self.known.clear();
            self.kept = 0;
        }
        self.known.insert(key, code);
        Ok(code)
    }

    fn sum(&self, outcomes: &[u32]) -> Rational {
        outcomes.iter().map(|&next| self.number(next as usize)).sum()
    }

    /// By state in which a player gets something: the number of its round; [`NONE`] elsewhere, and where the values are
    /// more than the player can force.
    ///
    /// An end has round 0. Where the player or nobody chooses, a move that keeps the value has an outcome of the round
    /// before; where another one does, every move that keeps the value has an outcome of an earlier round, and every
    /// other one leads to more for the player. So the player comes to an end with probability 1, whatever the others do,
    /// if it makes moves that keep the value and lead to earlier rounds. `gets`: whether it gets something where the
    /// player of these values gets this number.
    pub fn rounds(
        &self,
        pass: &Pass,
        listed: &Listed,
        before: &Before,
        role: u32,
        gets: impl Fn(&Rational) -> bool,
    ) -> Result<Vec<u32>, SolveError> {
        let play = &listed.play;
        let is_end = |state: usize| listed.ends[state] != 0 && gets(self.number(state));
        let mut rounds: Vec<u32> = (0..play.len()).map(|state| if is_end(state) { 0 } else { NONE }).collect();
        // By the place of a move's first outcome: whether it is known that the move keeps the value or not, and if so, which.
        let outcomes = play.all_outcomes();
        let _memory = pass.context.limits().hold(outcomes as u64 / 4)?;
        let known = RefCell::new([(); 2].map(|()| FixedBitSet::with_capacity(outcomes)));
        let keeps = |state: usize, place: u32| {
            let own = self.codes[state];
            match (play.choosers[state], play.move_of(state, place)) {
                (Graph::NOBODY, _) => true,
                (_, [next]) => self.codes[*next as usize] == own,
                (_, outcomes) => {
                    let [known, keeping] = &mut *known.borrow_mut();
                    let at = play.place(state, place);
                    if !known.put(at) {
                        let width = Rational::from_integer(BigInt::from(outcomes.len()));
                        keeping.set(at, self.sum(outcomes) == &self.numbers[own as usize] * &width);
                    }
                    keeping.contains(at)
                }
            }
        };
        play.attract(before, role, keeps, &mut rounds, pass.context.limits())?;
        Ok(rounds)
    }
}
