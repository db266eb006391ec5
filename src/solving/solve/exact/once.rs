//! The values of all states of a game whose layers share states: each state once, after all states to which its moves
//! lead.

use super::super::progress::Event;
use super::backward::{After, Failed, Solver};
use super::layer::{Found, table};
use crate::exact::{Table, Value};
use crate::listing::{Index, List};
use base::limits::Account;
use std::sync::{Mutex, PoisonError};

/// Bytes of a state: its place in the order of heights, while that is made twice, and the number of its value.
const STATE_BYTES: u64 = 12;

pub struct Once<'s> {
    index: Index<'s>,
    /// By rank: the position of the state's value.
    codes: Vec<u32>,
    /// All values, ascending.
    values: Vec<Value>,
    _account: Account,
}

impl<'s> Once<'s> {
    /// The values of all states, lowest first. `heights`: the moves of the longest play from each state.
    pub fn find(solver: &Solver, states: &'s List, heights: &[u32]) -> Result<Once<'s>, Failed> {
        let (limits, listener) = (solver.pass.context.limits(), solver.pass.listener);
        let mut account = Account::new(limits);
        account.set(STATE_BYTES * states.len() as u64)?;
        let index = Index::new(states, limits)?;
        let mut order: Vec<u32> = (0..states.len() as u32).collect();
        order.sort_by_key(|&state| heights[state as usize]);
        let (mut codes, mut values) = (vec![0; states.len()], Vec::new());
        let (found, mut thinkers) = (Mutex::new(Found::new(limits)), solver.thinkers());
        let mut done = 0;
        for some in order.chunk_by(|one, next| heights[*one as usize] == heights[*next as usize]) {
            limits.check()?;
            let mut list = List::new(states.words(), limits);
            some.iter().try_for_each(|&state| list.push(states.state(state as usize)))?;
            let value = |code: u32| &values[code as usize];
            let after = After { index: &index, codes: &codes, value: &value };
            let decided = solver.decided(&list, &after, &found, &mut thinkers).map_err(|failed| match failed {
                Failed::Undecided(rank, undecided) => Failed::Undecided(some[rank] as usize, undecided),
                failed => failed,
            })?;
            values.extend(found.lock().unwrap_or_else(PoisonError::into_inner).more());
            some.iter().zip(decided).for_each(|(&state, code)| codes[state as usize] = code);
            done += some.len() as u64;
            listener.event(&Event::Work { what: "values", done, total: states.len() as u64 });
        }
        let values = found.into_inner().unwrap_or_else(PoisonError::into_inner).sorted(&mut codes);
        Ok(Once { index, codes, values, _account: account })
    }

    /// The positions of the values of some states by rank, and the table of these values.
    pub fn layer(&self, states: &List) -> (Vec<u32>, Table) {
        let mut codes = Vec::new();
        self.index.ranks(states.keys(), &mut codes);
        codes.iter_mut().for_each(|code| *code = self.codes[*code as usize]);
        let table = table(&self.values, &mut codes);
        (codes, table)
    }
}
