//! Finds the values of all states of a game whose layers share states. Each state is solved once, after its successors.

use super::super::progress::Event;
use super::super::unrolled::Whole;
use super::backward::{After, Failed, Solver, undecided};
use super::layer::{Found, Thinker, table};
use crate::exact::{Table, Value};
use crate::listing::{Choices, Graph, Index, List, Moves};
use base::limits::Account;
use std::sync::{Mutex, PoisonError};

/// Bytes of a state: its height, its entry in the order of heights, the start of its moves, and the code of its value.
const STATE_BYTES: u64 = 20;
/// Bytes of the code of a state's value.
const CODE_BYTES: u64 = 4;

/// States that a thread takes at a time.
const AT_ONCE: usize = 1 << 12;

pub struct Once<'s> {
    index: Index<'s>,
    /// By rank: the position of the state's value in `values`.
    codes: Vec<u32>,
    /// All values, ascending.
    values: Vec<Value>,
    _account: Account,
}

impl<'s> Once<'s> {
    /// Finds the values of all states, in the order of the numbers of moves of their longest plays.
    pub fn find(solver: &Solver, whole: &'s Whole) -> Result<Once<'s>, Failed> {
        let (limits, listener) = (solver.pass.context.limits(), solver.pass.listener);
        let states = &whole.states;
        let mut account = Account::new(limits);
        account.set(STATE_BYTES * states.len() as u64)?;
        let heights = whole.heights(limits)?;
        let mut order: Vec<u32> = (0..states.len() as u32).collect();
        order.sort_by_key(|&state| heights[state as usize]);
        let (index, moves) = (Index::new(states, limits)?, Moves::of(&whole.graph));
        let (mut codes, mut values) = (vec![0; states.len()], Vec::new());
        let (found, mut thinkers) = (Mutex::new(Found::new(limits)), solver.thinkers());
        let mut done = 0;
        for some in order.chunk_by(|one, next| heights[*one as usize] == heights[*next as usize]) {
            limits.check()?;
            let value = |code: u32| &values[code as usize];
            let after = After { codes: &codes, value: &value };
            let several = |state: &&u32| whole.graph.choosers[**state as usize] == Graph::SEVERAL;
            let (joint, single): (Vec<u32>, Vec<u32>) = some.iter().partition(several);
            let of_single = by_moves(solver, whole, &moves, &single, (&after, &found), &mut thinkers)?;
            let mut list = List::new(states.words(), limits);
            joint.iter().try_for_each(|&state| list.push(states.state(state as usize)))?;
            let decided = solver.decided(&list, &index, &after, &found, &mut thinkers);
            let of_joint = decided.map_err(|failed| match failed {
                Failed::Undecided(rank, undecided) => Failed::Undecided(joint[rank] as usize, undecided),
                failed => failed,
            })?;
            values.extend(found.lock().unwrap_or_else(PoisonError::into_inner).more());
            for (state, code) in single.into_iter().zip(of_single).chain(joint.into_iter().zip(of_joint)) {
                codes[state as usize] = code;
            }
            done += some.len() as u64;
            listener.event(&Event::Work { what: "values", done, total: states.len() as u64 });
        }
        let values = found.into_inner().unwrap_or_else(PoisonError::into_inner).sorted(&mut codes);
        account.shrink_to(CODE_BYTES * states.len() as u64);
        Ok(Once { index, codes, values, _account: account })
    }

    /// The table of the values of `states`, and by rank the position of each state's value in the table.
    pub fn layer(&self, states: &List) -> (Vec<u32>, Table) {
        let mut codes = Vec::new();
        self.index.ranks(states.keys(), &mut codes);
        codes.iter_mut().for_each(|code| *code = self.codes[*code as usize]);
        let table = table(&self.values, &mut codes);
        (codes, table)
    }
}

/// The codes of the values of states in which at most one role has a choice. They follow from the listed moves, so that
/// the rules are not evaluated.
fn by_moves<'a>(
    solver: &'a Solver,
    whole: &Whole,
    moves: &Moves,
    some: &[u32],
    (after, found): (&After<'a>, &'a Mutex<Found>),
    thinkers: &mut [Thinker],
) -> Result<Vec<u32>, Failed> {
    let (rules, graph) = (solver.rules(after, found), &whole.graph);
    let roles = solver.pass.game.roles.len();
    let decide = |thinker: &mut Thinker, choices: &mut Vec<u32>, state: usize| {
        let after = moves.targets(state);
        choices.clear();
        choices.resize(roles, 1);
        if let Some(chooser) = choices.get_mut(graph.choosers[state] as usize) {
            *chooser = after.len() as u32;
        }
        let rewards = usize::from(graph.values[state]).checked_sub(1);
        rules.decide(thinker, &Choices { rank: state, rewards, choices, after })
    };
    let pieces: Vec<&[u32]> = some.chunks(AT_ONCE).collect();
    let mut own: Vec<_> = thinkers.iter_mut().map(|thinker| (thinker, Vec::new(), Ok(()))).collect();
    solver.pass.context.share(&pieces, &mut own, |piece, states, (thinker, codes, state)| {
        let mut choices = Vec::new();
        let mut all = Vec::with_capacity(states.len());
        *state = std::mem::replace(state, Ok(())).and_then(|()| {
            states
                .iter()
                .try_for_each(|&state| decide(thinker, &mut choices, state as usize).map(|code| all.push(code)))
        });
        codes.push((piece, all));
    });
    let mut all = Vec::new();
    for (_, codes, state) in own {
        state.map_err(|wrong| solver.states.error(wrong, &whole.states))?;
        all.extend(codes);
    }
    all.sort_unstable_by_key(|(piece, _)| *piece);
    match undecided(found) {
        Some(failed) => Err(failed),
        None => Ok(all.into_iter().flat_map(|(_, codes)| codes).collect()),
    }
}
