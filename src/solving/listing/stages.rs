//! Computes the choices in listed states, and their successors, for values that depend on more than the best successor.

use super::engine::{Engine, Ranking, Worker, Wrong, terminal_values};
use super::index::Index;
use base::limits::{Account, Limits};
use game::batch::Evaluator;
use game::propositional::MoveId;
use kernel::{Context, DEAD_END};
use std::sync::Arc;

/// Bytes that are kept per joint move: the rank of the state after it, and the results of a visit.
const BYTES: usize = 4 * size_of::<usize>();

/// A state with its choices and its successors.
#[derive(Debug)]
pub struct Choices<'a> {
    pub rank: usize,
    /// The index of the rewards of a terminal state; `None` for other states.
    pub rewards: Option<usize>,
    /// The number of legal moves of each role; 0 for a terminal state.
    pub choices: &'a [u32],
    /// By joint move, the last role's move changing fastest: the rank of the state after it, or
    /// [`MISSING`](super::MISSING).
    pub after: &'a [u32],
}

impl Engine<'_> {
    /// Calls `visit` with the data of a thread and each state. Returns the results of the visits by rank. An ill-formed
    /// state is an error.
    pub fn choices<T: Send>(
        &mut self,
        states: &[u64],
        index: &Index,
        owns: &mut [T],
        context: &Context,
        visit: impl Fn(&mut T, &Choices) -> Result<u32, Wrong> + Sync,
    ) -> Result<Vec<u32>, Wrong> {
        struct Own<'t, T> {
            own: &'t mut T,
            ranking: Ranking,
            numbers: Vec<(usize, Vec<u32>)>,
        }
        let (rewards, moves, limits) = (Arc::clone(&self.rewards), self.moves.clone(), context.limits());
        let mut own: Vec<Own<T>> =
            owns.iter_mut().map(|own| Own { own, ranking: Ranking::default(), numbers: Vec::new() }).collect();
        self.with_own(states, &mut own, context, |worker, Own { own, ranking, numbers }, first| {
            let batch = Batch::new(&worker.evaluator, first, &moves, &rewards)?;
            let number = |lane: usize, after: &[u32]| visit(own, &batch.state(lane, after));
            numbers.push((
                first,
                match worker.evaluator.prefers_pairs() {
                    true => batch.by_pairs(worker, index, ranking, limits, number)?,
                    false => batch.by_moves(worker, index, ranking, limits, number)?,
                },
            ));
            Ok::<_, Wrong>(true)
        })?;
        let mut all = vec![0; states.len() / self.layout().words()];
        for (first, numbers) in own.into_iter().flat_map(|own| own.numbers) {
            all[first..first + numbers.len()].copy_from_slice(&numbers);
        }
        Ok(all)
    }
}

/// Facts about the states of a batch that do not depend on their successors.
struct Batch {
    first: usize,
    roles: usize,
    ends: Vec<u16>,
    /// The number of legal moves, by state, then by role.
    choices: Vec<u32>,
}

impl Batch {
    fn new(evaluator: &Evaluator, first: usize, moves: &[Vec<MoveId>], rewards: &[Vec<u8>]) -> Result<Batch, Wrong> {
        if let Some(lane) = evaluator.faults().any().lanes().next() {
            return Err(Wrong::Faulty(first + lane));
        }
        let roles = moves.len();
        let mut choices = vec![0; evaluator.lanes() * roles];
        for (role, moves) in moves.iter().enumerate() {
            for &action in moves {
                let legal = evaluator.legal(action) & !evaluator.terminal();
                legal.lanes().for_each(|lane| choices[lane * roles + role] += 1);
            }
        }
        Ok(Batch { first, roles, ends: terminal_values(evaluator, roles, rewards, &[]), choices })
    }

    fn state<'a>(&'a self, lane: usize, after: &'a [u32]) -> Choices<'a> {
        let end = self.ends[lane];
        let rewards = (u32::from(end) != DEAD_END).then(|| usize::from(end) - 1);
        Choices { rank: self.first + lane, rewards, choices: &self.choices[lane * self.roles..][..self.roles], after }
    }

    /// The results of `number` for the states, one state after the other: there may be too many joint moves.
    fn by_pairs(
        &self,
        Worker { evaluator, .. }: &mut Worker,
        index: &Index,
        Ranking { found, ranks }: &mut Ranking,
        limits: &Arc<Limits>,
        mut number: impl FnMut(usize, &[u32]) -> Result<u32, Wrong>,
    ) -> Result<Vec<u32>, Wrong> {
        let mut numbers = vec![0; self.ends.len()];
        let choices = |lane| self.state(lane, &[]).choices;
        let joint = |lane| choices(lane).iter().fold(1_usize, |all, &moves| all.saturating_mul(moves as usize));
        let (mut after, mut account) = (Vec::new(), Account::new(limits));
        evaluator.each_pair(false, found, |pairs, found| {
            limits.check()?;
            index.ranks(&found.states, ranks);
            for (&lane, &rank) in pairs.lanes.iter().zip(&*ranks) {
                after.push(rank);
                if after.len() == joint(lane) {
                    numbers[lane] = number(lane, &after)?;
                    after.clear();
                }
            }
            Ok::<_, Wrong>(account.grow_to((after.capacity() * BYTES) as u64)?)
        })?;
        for lane in evaluator.terminal().lanes() {
            numbers[lane] = number(lane, &[])?;
        }
        Ok(numbers)
    }

    /// The results of `number` for the states of the batch. Computes the successors one joint move after the other.
    fn by_moves(
        &self,
        worker: &mut Worker,
        index: &Index,
        ranking: &mut Ranking,
        limits: &Limits,
        mut number: impl FnMut(usize, &[u32]) -> Result<u32, Wrong>,
    ) -> Result<Vec<u32>, Wrong> {
        let (starts, after, _held) = worker.targets(index, ranking, BYTES, limits)?;
        starts.windows(2).enumerate().map(|(lane, ends)| number(lane, &after[ends[0]..ends[1]])).collect()
    }
}
