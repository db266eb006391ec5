//! Finds the values of listed states by a [rule](crate::exact).
//!
//! Different values are numbered. Most states have the same choices and the same codes of values after them as an
//! earlier state, so each thread remembers the codes that it found.

use crate::exact::{Rule, Stage, Table, Undecided, Value};
use crate::listing::{Choices, List, MISSING, Wrong};
use base::limits::{Account, LimitReached, Limits};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Most 4-byte words that a thread remembers.
const KEPT: usize = 1 << 22;
/// Words of a remembered code in addition to its key.
const BESIDE: usize = 8;

pub struct Settled {
    pub states: List,
    /// By rank: the code of the value, which is its position in `table`.
    pub codes: Vec<u32>,
    /// The values, ascending, with the number of states that have each.
    pub table: Table,
    _account: Account,
}

pub struct Rules<'a> {
    pub rule: &'a dyn Rule,
    /// Whether the last role is chance.
    pub has_chance: bool,
    /// By index of the rewards: the value of a terminal state.
    pub ends: &'a [Value],
    /// By rank of a successor: the code of its value.
    pub codes: &'a [u32],
    /// The value of a successor, by its code.
    pub value: &'a (dyn Fn(u32) -> &'a Value + Sync),
    pub found: &'a Mutex<Found>,
    pub limits: &'a Arc<Limits>,
}

pub struct Found {
    numbers: FxHashMap<Value, u32>,
    /// The values that [`Found::more`] has not yet returned, by code.
    more: Vec<Value>,
    account: Account,
    /// The rank of the first state without a value, and why it has none.
    pub undecided: Option<(usize, Undecided)>,
}

/// What a thread remembers: the code of a state's value, by the state's choices and the codes of the values after it.
#[derive(Default)]
pub struct Thinker {
    known: FxHashMap<Box<[u32]>, u32>,
    kept: usize,
    ends: FxHashMap<usize, u32>,
    key: Vec<u32>,
}

impl Settled {
    /// An empty set of states, of `words` words each.
    pub fn none(words: usize, limits: &Arc<Limits>) -> Settled {
        let (codes, table) = (Vec::new(), Table::default());
        Settled { states: List::new(words, limits), codes, table, _account: Account::new(limits) }
    }

    /// `account`: that of the codes, or an empty one.
    pub fn new(states: List, codes: Vec<u32>, table: Table, mut account: Account) -> Result<Settled, LimitReached> {
        account.set(4 * codes.len() as u64 + table.bytes())?;
        Ok(Settled { states, codes, table, _account: account })
    }
}

impl Found {
    pub fn new(limits: &Arc<Limits>) -> Found {
        Found { numbers: FxHashMap::default(), more: Vec::new(), account: Account::new(limits), undecided: None }
    }

    fn number(&mut self, value: Value) -> Result<u32, LimitReached> {
        if let Some(number) = self.numbers.get(&value) {
            return Ok(*number);
        }
        let number = self.numbers.len() as u32;
        self.account.add(3 * value.bytes())?;
        self.more.push(value.clone());
        self.numbers.insert(value, number);
        Ok(number)
    }

    /// The values that got a code since the last call, by code.
    pub fn more(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.more)
    }

    /// Returns the values, ascending, and changes each of `codes` to the position of its value among them.
    pub fn sorted(self, codes: &mut [u32]) -> Vec<Value> {
        let mut values: Vec<(Value, u32)> = self.numbers.into_iter().collect();
        values.sort_unstable();
        let mut places = vec![0; values.len()];
        values.iter().zip(0..).for_each(|((_, number), place)| places[*number as usize] = place);
        codes.iter_mut().for_each(|code| *code = places[*code as usize]);
        values.into_iter().map(|(value, _)| value).collect()
    }
}

/// The table of the values that occur among the ascending `values`, each with its number of states. `codes`: by state,
/// the position of its value in `values`; afterwards the position in the table.
pub fn table(values: &[Value], codes: &mut [u32]) -> Table {
    let mut counts = vec![0; values.len()];
    codes.iter().for_each(|&code| counts[code as usize] += 1);
    let (mut table, mut places) = (Vec::new(), vec![0; values.len()]);
    for ((value, &states), place) in values.iter().zip(&counts).zip(&mut places) {
        *place = table.len() as u32;
        if states > 0 {
            table.push((value.clone(), states));
        }
    }
    codes.iter_mut().for_each(|code| *code = places[*code as usize]);
    Table(table, Vec::new())
}

impl Rules<'_> {
    /// The code of a state's value. If the state has no value, `found` keeps the first such state, and the code is
    /// arbitrary.
    pub fn decide(&self, thinker: &mut Thinker, state: &Choices) -> Result<u32, Wrong> {
        let found = || self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = state.rewards {
            if let Some(number) = thinker.ends.get(&place) {
                return Ok(*number);
            }
            let number = found().number(self.ends[place].clone())?;
            thinker.ends.insert(place, number);
            return Ok(number);
        }
        thinker.key.clear();
        thinker.key.extend_from_slice(state.choices);
        for &rank in state.after {
            if rank == MISSING {
                return Err(Wrong::Value(0));
            }
            thinker.key.push(self.codes[rank as usize]);
        }
        if let Some(number) = thinker.known.get(thinker.key.as_slice()) {
            return Ok(*number);
        }
        let number = match self.value(state.choices, &thinker.key[state.choices.len()..]) {
            Ok(value) => found().number(value)?,
            Err(Undecided::Limit(limit)) => return Err(limit.into()),
            Err(undecided) => {
                let mut found = found();
                if found.undecided.as_ref().is_none_or(|(rank, _)| state.rank < *rank) {
                    found.undecided = Some((state.rank, undecided));
                }
                return Ok(0);
            }
        };
        thinker.kept += thinker.key.len() + BESIDE;
        if thinker.kept > KEPT {
            thinker.known.clear();
            thinker.kept = 0;
        }
        thinker.known.insert(thinker.key.as_slice().into(), number);
        Ok(number)
    }

    /// The value of a state. `choices`: numbers of moves by role; `after`: codes of the values after its joint moves.
    fn value(&self, choices: &[u32], after: &[u32]) -> Result<Value, Undecided> {
        let value = |&code: &u32| (self.value)(code);
        let means: Vec<Value>;
        let (choices, after): (_, Vec<&Value>) = match choices.split_last() {
            Some((&chance, players)) if self.has_chance && chance > 1 => {
                let mean = |after: &[u32]| Value::mean(after.iter().map(value));
                means = after.chunks_exact(chance as usize).map(mean).collect();
                (players, means.iter().collect())
            }
            Some((_, players)) if self.has_chance => (players, after.iter().map(value).collect()),
            _ => (choices, after.iter().map(value).collect()),
        };
        let stage = Stage { choices, after: &after };
        Ok(self.rule.decide(&stage, false, self.limits)?.value)
    }
}
