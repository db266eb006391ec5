//! The reward matrix with forbidden states and restarts (`--algorithm matrix`): Edelkamp and Kissmann, "Symbolic
//! Exploration for General Game Playing in PDDL", 2007, Algorithms 4 to 6, for any number of players; for one player
//! Algorithm 2.
//!
//! Each bucket of the matrix holds the states from which its rewards are reached, at first the terminal ones. For each
//! player in turn, every bucket takes in the predecessors in which that player moves. A state that lies in two buckets
//! stays in the one that its mover prefers, and is forbidden in the other one. Then everything starts over from the
//! terminal states. States that steps with smaller numbers forbade are allowed again: the reason may have been a state
//! in the bucket in which it is now forbidden.
//!
//! The algorithm is a reference. It is slow if a good move pays only after many moves, because the number of restarts
//! can double with each move. Play must end: on a cycle, two states can each be forbidden because of the other one.

use super::super::overlap::left_over;
use super::super::pass::Pass;
use super::super::{SolveError, endless};
use super::orders::Orders;
use super::rounds::Rounds;
use super::terminals::flood;
use super::{all_as, only, terminal_values};
use kernel::{self, Diagram};

/// All states with their values; [`Orders::endless`] stands for endless play.
pub fn settle(pass: &Pass, reached: &Diagram, orders: &Orders, rounds: &mut Rounds) -> Result<Diagram, SolveError> {
    if pass.game.roles.len() == 1 {
        return one_player(pass, reached, orders, rounds);
    }
    let left = left_over(pass.expansion, reached, pass.context)?;
    if !left.is_empty() {
        let message = "play can go on for ever; the matrix algorithm is for games that end";
        return Err(endless::refusal(pass, || Ok(left), message)?.into());
    }
    let ends = terminal_values(pass, &pass.expansion.terminals(reached)?, orders)?;
    let roles = pass.game.roles.len();
    let mut others = (1..roles).map(|role| pass.expansion.choosing(reached, role)).collect::<Result<Vec<_>, _>>()?;
    let mut first = kernel::difference(reached, &ends, pass.context)?;
    for other in &others {
        first = kernel::difference(&first, other, pass.context)?;
    }
    others.insert(0, first);
    let ids = ends.terminals();
    let mut matrix = Matrix {
        pass,
        forbidden: ids.iter().map(|_| Vec::new()).collect(),
        buckets: Vec::new(),
        movers: others,
        preferred: (0..roles)
            .map(|mover| {
                let mut places: Vec<usize> = (0..ids.len()).collect();
                places.sort_by_key(|&place| std::cmp::Reverse(orders.rank(mover, ids[place])));
                places
            })
            .collect(),
    };
    while !matrix.run(&ends, &ids, rounds)? {
        rounds.restart();
    }
    let mut values = all_as(orders.endless, reached, pass)?;
    for (bucket, &id) in matrix.buckets.iter().zip(&ids) {
        values = kernel::overlay(&values, &all_as(id, bucket, pass)?, pass.context)?;
    }
    Ok(values)
}

struct Matrix<'a> {
    pass: &'a Pass<'a>,
    /// The buckets of the values that occur, by ascending id.
    buckets: Vec<Diagram>,
    /// By bucket: the states forbidden in it, with the step in which each was found.
    forbidden: Vec<Vec<(usize, Diagram)>>,
    /// By player: the states in which it moves; states without a choice belong to the first player.
    movers: Vec<Diagram>,
    /// By player: indices of the buckets, the best first.
    preferred: Vec<Vec<usize>>,
}

impl Matrix<'_> {
    /// Runs from the terminal states until nothing new is found. Returns false if a state was forbidden, so that
    /// everything starts over.
    fn run(&mut self, ends: &Diagram, ids: &[u32], rounds: &mut Rounds) -> Result<bool, SolveError> {
        rounds.push(ends)?;
        self.buckets = ids.iter().map(|&id| only(id, ends, 1, self.pass)).collect::<Result<_, _>>()?;
        let mut idle = 0;
        for step in 0.. {
            let mover = step % self.movers.len();
            let grown = self.take_predecessors(mover, rounds)?;
            if self.forbid_duplicates(mover, step)? {
                return Ok(false);
            }
            idle = if grown { 0 } else { idle + 1 };
            if idle == self.movers.len() {
                break;
            }
        }
        Ok(true)
    }

    /// Algorithm 5. Returns whether any bucket grew.
    fn take_predecessors(&mut self, mover: usize, rounds: &mut Rounds) -> Result<bool, SolveError> {
        let context = self.pass.context;
        let mut new = Vec::new();
        for (bucket, forbidden) in self.buckets.iter().zip(&self.forbidden) {
            let mut found = self.pass.expansion.predecessors(&self.movers[mover], bucket)?;
            for gone in std::iter::once(bucket).chain(forbidden.iter().map(|(_, states)| states)) {
                found = kernel::difference(&found, gone, context)?;
            }
            new.push(found);
        }
        rounds.push(&kernel::union(&new.iter().collect::<Vec<_>>(), context)?)?;
        for (bucket, found) in self.buckets.iter_mut().zip(&new) {
            *bucket = kernel::union(&[bucket, found], context)?;
        }
        Ok(new.iter().any(|found| !found.is_empty()))
    }

    /// Algorithm 6. Returns whether any state lay in two buckets.
    fn forbid_duplicates(&mut self, mover: usize, step: usize) -> Result<bool, SolveError> {
        let context = self.pass.context;
        let mut better = Diagram::constant(self.movers[mover].levels(), 0);
        let mut any = false;
        for &place in &self.preferred[mover] {
            let twice = kernel::intersection(&self.buckets[place], &better, context)?;
            better = kernel::union(&[&better, &self.buckets[place]], context)?;
            if !twice.is_empty() {
                self.forbidden[place].push((step, twice));
                any = true;
            }
        }
        if any {
            self.forbidden.iter_mut().for_each(|items| items.retain(|(found, _)| *found >= step));
        }
        Ok(any)
    }
}

/// Algorithm 2. Rewards are taken best first; each gets all remaining states that lead to it.
fn one_player(pass: &Pass, reached: &Diagram, orders: &Orders, rounds: &mut Rounds) -> Result<Diagram, SolveError> {
    let ends = terminal_values(pass, &pass.expansion.terminals(reached)?, orders)?;
    let mut ids = ends.terminals();
    ids.sort_by_key(|&id| std::cmp::Reverse(orders.rank(0, id)));
    let mut values = all_as(orders.endless, reached, pass)?;
    let mut open = kernel::difference(reached, &ends, pass.context)?;
    for id in ids {
        flood(pass, id, &ends, &mut open, &mut values, rounds)?;
    }
    Ok(values)
}
