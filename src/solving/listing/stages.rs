//! What can be chosen in listed states, and where it leads: for values that do not follow from the best of the successors'
//! alone.

use super::engine::{Engine, Worker, Wrong, terminal_values};
use super::index::Index;
use base::limits::Account;
use game::batch::{LANES, Plane, Successors};
use kernel::{Context, DEAD_END};
use std::sync::Arc;

/// Bytes of what is kept of a joint move: the rank of the state after it, and what a visit makes of that.
const BYTES: usize = 4 * size_of::<usize>();

/// A state, with the numbers of its joint moves and the states after them.
#[derive(Debug)]
pub struct Choices<'a> {
    /// The rank of the state.
    pub rank: usize,
    /// The rewards of a terminal state, by their place among all.
    pub rewards: Option<usize>,
    /// By role: the number of its legal moves; none of a terminal state.
    pub choices: &'a [u32],
    /// By joint move, the last role's move changing fastest: the rank of the state after it, or
    /// [`MISSING`](super::MISSING).
    pub after: &'a [u32],
}

impl Engine<'_> {
    /// Visits all states with the data of a thread, by ranks that ascend for each thread; no state may be ill-formed. A
    /// visit returns the number that the state gets.
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
            found: Successors,
            ranks: Vec<u32>,
            /// From a rank on.
            numbers: Vec<(usize, Vec<u32>)>,
        }
        let (roles, rewards, moves) = (self.roles, Arc::clone(&self.rewards), self.moves.clone());
        let mut own: Vec<Own<T>> = owns
            .iter_mut()
            .map(|own| Own { own, found: Successors::default(), ranks: Vec::new(), numbers: Vec::new() })
            .collect();
        self.with_own(states, &mut own, context, |worker, own, first| {
            let Worker { evaluator, joints, .. } = worker;
            if let Some(lane) = evaluator.faults().any().lanes().next() {
                return Err(Wrong::Faulty(first + lane));
            }
            let lanes = evaluator.lanes();
            let ends = terminal_values(evaluator, roles, &rewards, &[]);
            let mut choices = vec![0; lanes * roles];
            for (role, moves) in moves.iter().enumerate() {
                for &action in moves {
                    let legal = evaluator.legal(action) & !evaluator.terminal();
                    legal.lanes().for_each(|lane| choices[lane * roles + role] += 1);
                }
            }
            let choices = |lane: usize| &choices[lane * roles..][..roles];
            let number = |own: &mut T, lane: usize, after: &[u32]| {
                let (rank, end) = (first + lane, ends[lane]);
                let rewards = (u32::from(end) != DEAD_END).then(|| usize::from(end) - 1);
                visit(own, &Choices { rank, rewards, choices: choices(lane), after })
            };
            let Own { own, found, ranks, numbers } = own;
            let mut numbered = vec![0; lanes];
            if evaluator.prefers_pairs() {
                // State by state: all joint moves of a batch may be very many.
                let joint = |lane: usize| choices(lane).iter().map(|&moves| moves as usize).product::<usize>();
                let (mut after, mut account) = (Vec::new(), Account::new(context.limits()));
                evaluator.each_pair(false, found, |pairs, found| {
                    context.limits().check()?;
                    index.ranks(&found.states, ranks);
                    for (&lane, &rank) in pairs.lanes.iter().zip(&*ranks) {
                        after.push(rank);
                        if after.len() == joint(lane) {
                            numbered[lane] = number(own, lane, &after)?;
                            after.clear();
                        }
                    }
                    Ok::<_, Wrong>(account.grow_to((after.capacity() * BYTES) as u64)?)
                })?;
                for lane in evaluator.terminal().lanes() {
                    numbered[lane] = number(own, lane, &[])?;
                }
                numbers.push((first, numbered));
                return Ok(true);
            }
            evaluator.joint_moves(Plane::first(LANES), joints);
            let mut starts = vec![0; lanes + 1];
            joints.iter().for_each(|(_, lanes)| lanes.lanes().for_each(|lane| starts[lane + 1] += 1));
            (0..lanes).for_each(|lane| starts[lane + 1] += starts[lane]);
            let _held = context.limits().hold((starts[lanes] * BYTES) as u64)?;
            let (mut places, mut after) = (starts.clone(), vec![0; starts[lanes]]);
            for (id, lanes) in &*joints {
                context.limits().check()?;
                evaluator.packable_successors(*id, lanes, found);
                index.ranks(&found.states, ranks);
                for (lane, &rank) in lanes.lanes().zip(&*ranks) {
                    after[places[lane]] = rank;
                    places[lane] += 1;
                }
            }
            for lane in 0..lanes {
                numbered[lane] = number(own, lane, &after[starts[lane]..starts[lane + 1]])?;
            }
            numbers.push((first, numbered));
            Ok(true)
        })?;
        let mut all = vec![0; states.len() / self.layout().words()];
        for (first, numbers) in own.into_iter().flat_map(|own| own.numbers) {
            all[first..first + numbers.len()].copy_from_slice(&numbers);
        }
        Ok(all)
    }
}
