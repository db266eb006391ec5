//! The distance to the end: how many plies play lasts if all play as well as possible.
//!
//! If distances are stored with the values, they are looked up; otherwise they are searched for.
//!
//! Definition: only best moves are played, which keep the value of the position (and where states can repeat lead
//! towards the end). Along them a mover whose own reward is
//! larger than the opponent's shortens the play, one whose reward is smaller prolongs it; where the rewards are equal,
//! and for a single player, it is the length of a shortest play. A terminal position has distance 0.
//!
//! Method: bounds on each position found so far, and tests "at most k plies?" with k at the lower bound of the
//! position asked about, each raising that bound (MTD from below; Plaat, Schaeffer, Pijls and de Bruin, "Best-first
//! fixed-depth minimax algorithms", 1996). A test goes depth first to where the fewest positions seem to be left to look
//! at for one answer or the other (df-pn; Nagai, 2002), where a side with several moves that must all be looked at
//! counts the hardest of them and one for each other (weak proof numbers; Ueda, Hashimoto, Hashimoto and Iida, 2008), as
//! many ways lead to the same position. The stored values leave only the best moves to look at, and tell up to which
//! layer there are states of a value at all. The number of positions kept is bounded; where it does not suffice, the
//! lower bound is the answer. Depth is bounded by the layers and kept on an explicit stack.

use super::{Assessment, MoveValue, Position, ReadError, Solution};
use crate::digits::grouped;
use crate::interpreter::{State, Turn};
use crate::limits::Limits;
use crate::reward::shortens;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::Serialize;
use std::time::Instant;

/// Plies to the end of play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Distance {
    pub plies: u32,
    /// Otherwise `plies` is a lower bound.
    pub exact: bool,
}

/// The distances of a position and of the positions after its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distances {
    pub position: Distance,
    /// By move, for the optimal ones: the distance of the position after it plus one ply.
    pub moves: Vec<Option<Distance>>,
}

impl Distances {
    /// Whether all of them are known.
    fn exact(&self) -> bool {
        self.position.exact && self.moves.iter().flatten().all(|distance| distance.exact)
    }
}

/// Positions that a search with a deadline keeps at first.
const FIRST_LIMIT: usize = 1000;
/// No upper bound is known.
const UNKNOWN: u32 = u32::MAX;

/// What is known of a position.
struct Known {
    layer: u32,
    /// The distance is at least this,
    lower: u32,
    /// and at most this, or [`UNKNOWN`].
    upper: u32,
    shortens: bool,
    /// The bound of the last test of this position, and the proof numbers of its two answers.
    asked: u32,
    effort: Effort,
    /// The positions after the best moves, once they were asked for; indices.
    children: Option<Box<[u32]>>,
}

/// Proof numbers: estimates of how many positions must still be examined to show that the distance is at most the bound
/// of a test, or that it is larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Effort {
    within: u32,
    beyond: u32,
}

impl Effort {
    /// The numbers of a position of which nothing is known.
    const FIRST: Effort = Effort { within: 1, beyond: 1 };
    const NEVER: u32 = u32::MAX / 2;
}

/// Finds distances, and remembers what it learns about positions.
pub struct DistanceSearch<'a> {
    positions: IndexMap<State, Known, FxBuildHasher>,
    /// Bound on the positions to keep.
    limit: usize,
    /// May interrupt the search.
    limits: &'a Limits,
}

/// A test in progress.
struct Frame {
    node: u32,
    /// The question: at most this number of plies?
    bound: u32,
    /// The search turns to another position as soon as one of the proof numbers exceeds these.
    most: Effort,
}

impl<'a> DistanceSearch<'a> {
    /// A search that keeps at most about `limit` positions (some hundred bytes each).
    pub fn new(limit: usize, limits: &'a Limits) -> Self {
        DistanceSearch { positions: IndexMap::default(), limit, limits }
    }

    /// Positions kept.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether nothing is known of any position.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The distance of a position from which play is not endless, or the best lower bound that the limit allows.
    pub fn distance(&mut self, solution: &Solution, position: &Position) -> Result<Distance, ReadError> {
        if let Some(plies) = solution.worth(position)?.plies {
            return Ok(Distance { plies, exact: true });
        }
        let root = self.add(solution, position)?;
        let longest = solution.worth(position)?.round.unwrap_or(solution.values().layers());
        loop {
            let Known { lower, upper, .. } = self.positions[root as usize];
            if lower > longest {
                return Err(ReadError::Damaged(format!("play goes on for longer than {longest} plies")));
            }
            if lower == upper {
                return Ok(Distance { plies: lower, exact: true });
            }
            if !self.test(solution, root, lower)? {
                return Ok(Distance { plies: self.positions[root as usize].lower, exact: false });
            }
        }
    }

    /// The index of a position, which is added if it is new.
    fn add(&mut self, solution: &Solution, position: &Position) -> Result<u32, ReadError> {
        if let Some(index) = self.positions.get_index_of(&position.state) {
            return Ok(index as u32);
        }
        let (_, turn) = solution.situation(position)?;
        let value = solution.worth(position)?.value;
        let last = value.and_then(|value| solution.values().last_layer(value));
        let (lower, upper) = match (turn, last) {
            (Turn::Terminal, _) => (0, 0),
            (_, None) => (1, UNKNOWN),
            (_, Some(last)) if last > position.layer => (1, last - position.layer),
            (_, Some(last)) => {
                let layer = position.layer;
                return Err(ReadError::Damaged(format!(
                    "a state of layer {layer} has a value that ends by layer {last}"
                )));
            }
        };
        let shortens = match turn {
            Turn::Mover(role) => value.is_none_or(|value| shortens(value, role.index())),
            _ => true,
        };
        let (asked, effort) = (UNKNOWN, Effort::FIRST);
        let known = Known { layer: position.layer, lower, upper, shortens, asked, effort, children: None };
        let (index, _) = self.positions.insert_full(position.state.clone(), known);
        Ok(index as u32)
    }

    /// The positions after the best moves of one; `None` if there is no room for them.
    fn expand(&mut self, solution: &Solution, node: u32) -> Result<Option<&[u32]>, ReadError> {
        let index = node as usize;
        if self.positions[index].children.is_none() {
            if self.positions.len() >= self.limit {
                return Ok(None);
            }
            let layer = self.positions[index].layer;
            let (state, _) = self.positions.get_index(index).expect("each number is that of a position");
            let state = state.clone();
            let (_, moves) = solution.moves(&Position { layer, state })?;
            let mut children = Vec::new();
            for option in moves.into_iter().filter(|option| option.optimal) {
                let child = self.add(solution, &Position { layer: layer + 1, state: option.successor })?;
                if !children.contains(&child) {
                    children.push(child);
                }
            }
            if children.is_empty() {
                return Err(ReadError::Damaged(format!("no move from a state of layer {layer} leads to its value")));
            }
            self.positions[index].children = Some(children.into());
        }
        Ok(self.positions[index].children.as_deref())
    }

    /// Tightens the bounds of `root` until it is known whether the distance is at most `bound`. Returns false if the
    /// bound on positions was reached before.
    fn test(&mut self, solution: &Solution, root: u32, bound: u32) -> Result<bool, ReadError> {
        let most = Effort { within: Effort::NEVER, beyond: Effort::NEVER };
        let mut stack = vec![Frame { node: root, bound, most }];
        while let Some(&Frame { node, bound, most }) = stack.last() {
            self.limits.check()?;
            if self.expand(solution, node)?.is_none() {
                return Ok(false);
            }
            match self.look(node, bound, most) {
                None => drop(stack.pop()),
                Some(frame) => stack.push(frame),
            }
        }
        Ok(true)
    }

    /// Updates a position from its children. Returns the child to examine next, unless the position is decided or
    /// exceeds its thresholds.
    fn look(&mut self, node: u32, bound: u32, most: Effort) -> Option<Frame> {
        let index = node as usize;
        let children = self.positions[index].children.take().expect("the position is expanded");
        self.update(index, &children);
        let shortens = self.positions[index].shortens;
        // For the answer that the mover wants: the easiest move (of equal ones the one examined most), and the second.
        // For the other answer: the hardest move, and the number of moves.
        let (mut best, mut second, mut hardest, mut open) = (None, Effort::NEVER, 0, 0);
        for &child in &children {
            let Some(Effort { within, beyond }) = self.effort(child, bound - 1) else { continue };
            let lower = self.positions[child as usize].lower;
            let (own, other) = if shortens { (within, beyond) } else { (beyond, within) };
            let rank = (own, if shortens { lower } else { UNKNOWN - lower });
            open += 1;
            hardest = hardest.max(other);
            match best {
                Some((_, least, _)) if rank >= least => second = second.min(own),
                _ => {
                    second = best.map_or(second, |(_, (least, _), _)| second.min(least));
                    best = Some((child, rank, other));
                }
            }
        }
        let known = &mut self.positions[index];
        known.children = Some(children);
        if known.upper <= bound || known.lower > bound {
            return None;
        }
        let (child, (least, _), other) = best.expect("a child is open where the bounds do not decide");
        let all = hardest.saturating_add(open - 1).min(Effort::NEVER);
        known.asked = bound;
        known.effort =
            if shortens { Effort { within: least, beyond: all } } else { Effort { within: all, beyond: least } };
        let (most_own, most_other) = if shortens { (most.within, most.beyond) } else { (most.beyond, most.within) };
        if least >= most_own || all >= most_other {
            return None;
        }
        // A quarter more, so that two equally hard ones do not alternate at every step.
        let most_own = most_own.min(second.saturating_add(second / 4 + 1));
        let most_other = most_other - (open - 1);
        debug_assert!(other < most_other);
        let most = match shortens {
            true => Effort { within: most_own, beyond: most_other },
            false => Effort { within: most_other, beyond: most_own },
        };
        Some(Frame { node: child, bound: bound - 1, most })
    }

    /// The proof numbers of a position; `None` if it is decided.
    fn effort(&self, node: u32, bound: u32) -> Option<Effort> {
        let known = &self.positions[node as usize];
        if known.upper <= bound || known.lower > bound {
            return None;
        }
        if known.asked == bound {
            return Some(known.effort);
        }
        let moves = known.children.as_ref().map_or(1, |children| children.len() as u32);
        let first = Effort::FIRST;
        Some(if known.shortens { Effort { beyond: moves, ..first } } else { Effort { within: moves, ..first } })
    }

    /// The bounds of a position from those of its children.
    fn update(&mut self, node: usize, children: &[u32]) {
        let bounds = children.iter().map(|&child| &self.positions[child as usize]);
        let (lowers, uppers) = (bounds.clone().map(|known| known.lower), bounds.map(|known| known.upper));
        let (lower, upper) =
            if self.positions[node].shortens { (lowers.min(), uppers.min()) } else { (lowers.max(), uppers.max()) };
        let (lower, upper) = lower.zip(upper).expect("a test is of positions that moves lead on from");
        let known = &mut self.positions[node];
        known.lower = known.lower.max(lower + 1);
        known.upper = known.upper.min(if upper == UNKNOWN { UNKNOWN } else { upper + 1 });
    }
}

impl Assessment {
    /// The distances that are stored with the values; `None` where there are none.
    fn stored_distances(&self) -> Option<Distances> {
        // A book may have the distance of this position, but not those of its successors.
        if self.moves.iter().any(|option| option.optimal && option.plies.is_none()) {
            return None;
        }
        let exact = |plies| Distance { plies, exact: true };
        let of_move = |option: &MoveValue| option.plies.filter(|_| option.optimal).map(exact);
        Some(Distances { position: exact(self.plies?), moves: self.moves.iter().map(of_move).collect() })
    }
}

impl Solution {
    /// The distances of a position and its moves. Keeps at most about `limit` positions. `None` where play is endless.
    pub fn distances(&self, assessment: &Assessment, limit: usize) -> Result<Option<Distances>, ReadError> {
        self.distances_within(assessment, limit, &Limits::unlimited())
    }

    /// As [`Solution::distances`], by a search that `limits` may interrupt.
    pub fn distances_within(
        &self,
        assessment: &Assessment,
        limit: usize,
        limits: &Limits,
    ) -> Result<Option<Distances>, ReadError> {
        if let Some(stored) = assessment.stored_distances() {
            return Ok(Some(stored));
        }
        let mut search = DistanceSearch::new(limit, limits);
        let found = self.distances_by(assessment, &mut search)?;
        tracing::info!("distance: {} positions looked at", grouped(search.positions.len()));
        Ok(found)
    }

    /// As [`Solution::distances_within`], with a deadline: returns what is found by then. The search is repeated with
    /// twice the number of positions, which costs about three times the time if evaluating the rules dominates.
    pub fn distances_until(
        &self,
        assessment: &Assessment,
        limit: usize,
        until: Instant,
        limits: &Limits,
    ) -> Result<Option<Distances>, ReadError> {
        if let Some(stored) = assessment.stored_distances() {
            return Ok(Some(stored));
        }
        let mut search = DistanceSearch::new(FIRST_LIMIT.min(limit), limits);
        loop {
            let found = self.distances_by(assessment, &mut search)?;
            if found.as_ref().is_none_or(Distances::exact) || search.limit >= limit || Instant::now() >= until {
                return Ok(found);
            }
            search.limit = (2 * search.limit).min(limit);
        }
    }

    /// The distances of a position and its moves, by continuing a search.
    fn distances_by(
        &self,
        assessment: &Assessment,
        search: &mut DistanceSearch,
    ) -> Result<Option<Distances>, ReadError> {
        if assessment.value.is_none() {
            return Ok(None);
        }
        let distance = search.distance(self, &assessment.position)?;
        let mut moves = Vec::with_capacity(assessment.moves.len());
        for option in &assessment.moves {
            let next = Position { layer: assessment.position.layer + 1, state: option.successor.clone() };
            let after = option.optimal.then(|| search.distance(self, &next)).transpose()?;
            moves.push(after.map(|Distance { plies, exact }| Distance { plies: plies + 1, exact }));
        }
        Ok(Some(Distances { position: distance, moves }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::propositional::Game;
    use crate::random::Random;
    use crate::reward::OpponentModel;
    use crate::sample::handmade::{counter, lines, nim};
    use crate::solution::Among;
    use crate::solution::testing::BruteForce;
    use num_bigint::BigUint;
    use std::collections::HashMap;
    use std::sync::Arc;

    /// By recursion over all best moves.
    fn obvious(solution: &Solution, position: &Position, known: &mut HashMap<State, u32>) -> u32 {
        if let Some(&plies) = known.get(&position.state) {
            return plies;
        }
        let found = solution.assess(position).unwrap();
        let best = found.moves.iter().filter(|option| option.optimal);
        let after: Vec<u32> = best
            .map(|option| Position { layer: position.layer + 1, state: option.successor.clone() })
            .map(|next| obvious(solution, &next, known) + 1)
            .collect();
        let value = found.value.as_deref().unwrap_or_default();
        let loses = match found.turn {
            Turn::Mover(role) => value.iter().any(|&reward| reward > value[role.index()]),
            _ => false,
        };
        let plies = if loses { after.into_iter().max() } else { after.into_iter().min() }.unwrap_or(0);
        known.insert(position.state.clone(), plies);
        plies
    }

    fn compare(game: &Game, model: OpponentModel) {
        let values = Arc::new(BruteForce::new(game, model));
        let solution = Solution::new(Arc::new(game.clone()), model, values.clone());
        let mut known = HashMap::new();
        for (layer, ids) in values.layers.iter().enumerate() {
            for &id in ids {
                let state = values.solution.exploration.state(id).clone();
                let position = Position { layer: layer as u32, state };
                let plies = obvious(&solution, &position, &mut known);
                let found = DistanceSearch::new(100_000, &Limits::unlimited()).distance(&solution, &position).unwrap();
                assert_eq!(found, Distance { plies, exact: true }, "{} {:?}", game.name, position.state.names(game));
                for limit in [0, 3, 20] {
                    let found =
                        DistanceSearch::new(limit, &Limits::unlimited()).distance(&solution, &position).unwrap();
                    assert!(if found.exact { found.plies == plies } else { found.plies <= plies }, "{found:?} {plies}");
                }
            }
        }
    }

    /// Every state was settled in the same round, so that no move leads on to the end.
    struct AtOnce(u8);

    impl crate::solution::Values for AtOnce {
        fn layers(&self) -> u32 {
            1
        }
        fn by_rounds(&self) -> bool {
            true
        }
        fn contains(&self, _: u32, _: &State) -> Result<bool, ReadError> {
            Ok(true)
        }
        fn states_among(&self, _: u32, _: Among) -> Result<BigUint, ReadError> {
            unreachable!("nothing is drawn")
        }
        fn draw(&self, _: u32, _: Among, _: &mut Random, _: &Arc<Limits>) -> Result<State, ReadError> {
            unreachable!("nothing is drawn")
        }
        fn worth(&self, _: u32, _: &State) -> Result<Option<crate::solution::Worth<'_>>, ReadError> {
            Ok(Some(crate::solution::Worth { value: Some(std::slice::from_ref(&self.0)), round: Some(1), plies: None }))
        }
    }

    #[test]
    fn values_that_no_move_leads_to_are_damaged_and_no_endless_search() {
        let solution = Solution::new(counter(6, false).into(), OpponentModel::MaxOwn, Arc::new(AtOnce(50)));
        let start = solution.start();
        let found = DistanceSearch::new(100, &Limits::unlimited()).distance(&solution, &start);
        assert!(matches!(found, Err(ReadError::Damaged(_))), "{found:?}");
    }

    #[test]
    fn a_search_until_some_time_finds_the_same() {
        let solution = BruteForce::solution(lines(3, 3, 3), OpponentModel::MaxOwn);
        let start = solution.assess(&solution.start()).unwrap();
        let until = |time| solution.distances_until(&start, 1_000_000, time, &Limits::unlimited()).unwrap().unwrap();
        let later = Instant::now() + std::time::Duration::from_secs(600);
        assert_eq!(Some(until(later)), solution.distances(&start, 1_000_000).unwrap());
        // As far as it comes with the positions that it begins with.
        let solution = BruteForce::solution(lines(4, 3, 4), OpponentModel::MaxOwn);
        let start = solution.assess(&solution.start()).unwrap();
        let found = solution.distances_until(&start, 1_000_000, Instant::now(), &Limits::unlimited()).unwrap().unwrap();
        assert!(!found.position.exact && found.position.plies <= 12 && found.moves.len() == 12, "{found:?}");
        assert_eq!(Some(found), solution.distances(&start, FIRST_LIMIT).unwrap());
    }

    #[test]
    fn distances_are_those_of_plain_recursion() {
        for model in OpponentModel::ALL {
            compare(&lines(3, 2, 2), model);
            compare(&nim(9, 3), model);
            compare(&counter(6, false), model);
        }
        compare(&lines(3, 3, 3), OpponentModel::MaxOwn);
    }
}
