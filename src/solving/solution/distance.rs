//! The distance to the end: the plies that play lasts under best play, stored or found by a search.
//!
//! Definition: only moves that keep the value of the position are played. A mover who gets at least as much as every
//! other role shortens play, any other mover prolongs it. So the distance of a single player is the length of a
//! shortest play. A terminal position has distance 0. Some values [yield](game::reward::OpponentModel::yields): movers
//! could prolong play for ever, but would get less by that. So they, too, shorten play where they could prolong it for
//! ever (`docs/algorithms.md`). For such values, all positions that can be reached while the value is kept are listed
//! and analysed ([`closure`]).
//!
//! Method: the search keeps bounds on the distance of each position, and tests "at most k plies?" with k at the lower
//! bound of the root; each failed test raises that bound (MTD from below; Plaat, Schaeffer, Pijls and de Bruin,
//! "Best-first fixed-depth minimax algorithms", 1996). A test is a depth-first proof-number search (df-pn; Nagai,
//! 2002). If all of several moves must be examined, the estimate is that of the hardest move plus one for each other
//! move, because many paths lead to the same position (weak proof numbers; Ueda, Hashimoto, Hashimoto and Iida, 2008).
//! A test ends even if positions repeat, because each ply lowers k.
//!
//! The stored values leave only the moves that keep them. They also bound distances: by the last layer with states of
//! the value, or by the round of the state. If the bound on kept positions does not suffice, or the free memory, the
//! answer is a lower bound.

mod answers;
mod closure;

use super::{MoveValue, Position, ReadError, Solution, Worth};
use base::limits::{Account, Limits, table_bytes};
use game::interpreter::{State, Turn};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Distance {
    pub plies: u32,
    /// Whether `plies` is exact; otherwise it is a lower bound.
    pub exact: bool,
}

/// The bound that ended a search early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchBound {
    Nodes,
    Memory,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distances {
    pub position: Distance,
    /// For each move that keeps the value, its distance plus one ply; `None` for other moves.
    pub moves: Vec<Option<Distance>>,
    /// Why some of them are lower bounds.
    pub ended_by: Option<SearchBound>,
}

impl Distances {
    fn exact(&self) -> bool {
        self.position.exact && self.moves.iter().flatten().all(|distance| distance.exact)
    }

    /// For each move, whether it is best by distance; `None` if the distances do not tell.
    pub fn best(&self) -> Option<Vec<bool>> {
        let best: Vec<bool> = self.moves.iter().map(|distance| *distance == Some(self.position)).collect();
        (self.position.exact && best.contains(&true)).then_some(best)
    }
}

/// Bytes of a position apart from its state, at most: with all proof numbers that may be kept for it.
const BY_POSITION: u64 = 520;
/// The same without proof numbers.
const ALONE: u64 = 200;
/// Number of proof numbers that a search may keep, per position that it may keep.
const EFFORTS: usize = 8;
const UNKNOWN: u32 = u32::MAX;

struct Known {
    layer: u32,
    lower: u32,
    upper: u32,
    shortens: bool,
    /// Whether the value [yields](game::reward::OpponentModel::yields); true only if states can repeat.
    yields: bool,
    children: Option<Box<[u32]>>,
}

/// Proof numbers: estimates of the number of positions to examine to show that the distance is at most the bound of a
/// test (`within`), or that it is larger (`beyond`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Effort {
    within: u32,
    beyond: u32,
}

impl Effort {
    const FIRST: Effort = Effort { within: 1, beyond: 1 };
    const NEVER: u32 = u32::MAX / 2;
}

pub struct DistanceSearch<'a> {
    positions: IndexMap<State, Known, FxBuildHasher>,
    /// For each position and bound, the proof numbers of the current test.
    efforts: FxHashMap<(u32, u32), Effort>,
    limit: usize,
    /// The bound that ended the last search that ended early.
    ended_by: Option<SearchBound>,
    limits: &'a Limits,
    memory: Account<&'a Limits>,
}

struct Frame {
    node: u32,
    bound: u32,
    /// The search leaves `node` as soon as one of its proof numbers reaches that of `most`.
    most: Effort,
}

impl<'a> DistanceSearch<'a> {
    /// A search that keeps at most about `limit` positions, of some hundred bytes each, which it reserves.
    pub fn new(limit: usize, limits: &'a Limits) -> Self {
        let memory = Account::new(&limits);
        let (positions, efforts) = (IndexMap::default(), FxHashMap::default());
        DistanceSearch { positions, efforts, limit, ended_by: None, limits, memory }
    }

    /// Reserves the memory of what is kept; returns false if there is no room for it. A quarter of the memory is left
    /// for the values that the search reads.
    fn has_room(&mut self, solution: &Solution) -> bool {
        let each = Self::bytes_each(solution) - BY_POSITION + ALONE;
        let efforts = table_bytes(self.efforts.len(), size_of::<((u32, u32), Effort)>());
        let bytes = self.positions.len() as u64 * each + efforts as u64;
        bytes <= self.memory.reserved() || bytes / 3 <= self.limits.free() && self.memory.grow_to(bytes).is_ok()
    }

    /// Whether the search may go on; otherwise notes what ended it. `is_full`: whether it keeps as much as it may.
    fn goes_on(&mut self, solution: &Solution, is_full: bool) -> bool {
        let ended_by = match is_full {
            true => SearchBound::Nodes,
            false if self.has_room(solution) => return true,
            false => SearchBound::Memory,
        };
        self.ended_by = Some(ended_by);
        false
    }

    pub fn bytes_each(solution: &Solution) -> u64 {
        BY_POSITION + solution.game().fluents.len() as u64 / 8
    }

    pub fn len(&self) -> usize {
        self.positions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The distance of a position from which play ends, or the best lower bound that is found within the limit.
    pub fn distance(&mut self, solution: &Solution, position: &Position) -> Result<Distance, ReadError> {
        if let Some(plies) = solution.worth(position)?.plies {
            return Ok(Distance { plies, exact: true });
        }
        self.distance_within(solution, position, UNKNOWN)
    }

    /// Whether a position from which play ends is known to have this distance.
    pub fn is_at(&mut self, solution: &Solution, position: &Position, plies: u32) -> Result<bool, ReadError> {
        let found = match solution.worth(position)?.plies {
            Some(plies) => Distance { plies, exact: true },
            None => self.distance_within(solution, position, plies)?,
        };
        Ok(found == Distance { plies, exact: true })
    }

    /// As [`DistanceSearch::distance`], but ends as soon as the lower bound is above `most`.
    fn distance_within(&mut self, solution: &Solution, position: &Position, most: u32) -> Result<Distance, ReadError> {
        let root = self.add(solution, position)?;
        if self.positions[root as usize].yields {
            return self.close(solution, root);
        }
        let longest = solution.worth(position)?.round.unwrap_or(solution.values().layers());
        loop {
            let Known { lower, upper, ref children, .. } = self.positions[root as usize];
            if lower > longest {
                return Err(ReadError::Damaged(format!("play goes on for longer than {longest} plies")));
            }
            // The upper bound comes from stored values, which may be damaged, so the position must be expanded.
            if lower == upper && (upper == 0 || children.is_some()) {
                return Ok(Distance { plies: lower, exact: true });
            }
            if lower > most || !self.test(solution, root, lower)? {
                return Ok(Distance { plies: self.positions[root as usize].lower, exact: false });
            }
        }
    }

    fn add(&mut self, solution: &Solution, position: &Position) -> Result<u32, ReadError> {
        if let Some(index) = self.positions.get_index_of(&position.state) {
            return Ok(index as u32);
        }
        let (_, turn) = solution.situation(position)?;
        self.insert(solution, position, turn, solution.worth(position)?)
    }

    fn insert(
        &mut self,
        solution: &Solution,
        position: &Position,
        turn: Turn,
        Worth { value, round, .. }: Worth,
    ) -> Result<u32, ReadError> {
        let last = value.and_then(|value| solution.values().last_layer(value));
        let yields = round.is_some() && value.is_some_and(|value| solution.model().yields(value));
        let (lower, upper) = match (turn, last) {
            (Turn::Terminal, _) => (0, 0),
            (_, None) => (1, round.filter(|_| !yields).unwrap_or(UNKNOWN)),
            (_, Some(last)) if last > position.layer => (1, last - position.layer),
            (_, Some(last)) => {
                let layer = position.layer;
                return Err(ReadError::Damaged(format!(
                    "a state of layer {layer} has a value that ends by layer {last}"
                )));
            }
        };
        let shortens = solution.shortens(turn, value);
        let known = Known { layer: position.layer, lower, upper, shortens, yields, children: None };
        let (index, _) = self.positions.insert_full(position.state.clone(), known);
        Ok(index as u32)
    }

    /// The positions after the moves that keep the value of `node`; `None` if there is no room for more.
    fn expand(&mut self, solution: &Solution, node: u32) -> Result<Option<&[u32]>, ReadError> {
        let index = node as usize;
        if self.positions[index].children.is_none() {
            if !self.goes_on(solution, self.positions.len() >= self.limit) {
                return Ok(None);
            }
            let layer = self.positions[index].layer;
            let (state, _) = self.positions.get_index(index).expect("each number is that of a position");
            let (_, moves) = solution.moves(&Position { layer, state: state.clone() })?;
            let kept: Vec<MoveValue> = moves.into_iter().filter(|option| option.keeps_value).collect();
            // The values of the successors are known, so one evaluation of the rules for all of them suffices.
            let after: Vec<&State> = kept.iter().map(|option| &option.successor).collect();
            let turns = solution.turns(layer + 1, &after)?;
            let (by_rounds, yields) = (solution.values().by_rounds(), self.positions[index].yields);
            let mut children = Vec::with_capacity(kept.len());
            for (MoveValue { successor, value, .. }, turn) in kept.iter().zip(turns) {
                let child = match self.positions.get_index_of(successor) {
                    Some(child) => child as u32,
                    None => {
                        let position = Position { layer: layer + 1, state: successor.clone() };
                        let worth = match by_rounds {
                            true => solution.worth(&position)?,
                            false => Worth { value: value.as_deref(), round: None, plies: None },
                        };
                        self.insert(solution, &position, turn, worth)?
                    }
                };
                // A move back to the position is never on the way to the end, but one may prolong play by it for ever.
                if !children.contains(&child) && (child != node || yields) {
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

    /// Tightens bounds until they decide whether the distance of `root` is at most `bound`; returns false if the limit
    /// on positions or proof numbers, or the memory, does not suffice.
    fn test(&mut self, solution: &Solution, root: u32, bound: u32) -> Result<bool, ReadError> {
        let most = Effort { within: Effort::NEVER, beyond: Effort::NEVER };
        let mut stack = vec![Frame { node: root, bound, most }];
        self.efforts.clear();
        while let Some(&Frame { node, bound, most }) = stack.last() {
            self.limits.check()?;
            let expanded = self.expand(solution, node)?.is_some();
            if !expanded || !self.goes_on(solution, self.efforts.len() > EFFORTS.saturating_mul(self.limit)) {
                return Ok(false);
            }
            match self.look(node, bound, most) {
                None => drop(stack.pop()),
                Some(frame) => stack.push(frame),
            }
        }
        Ok(true)
    }

    /// Updates a position. Returns the child to examine next; `None` if it is decided or at a threshold.
    fn look(&mut self, node: u32, bound: u32, most: Effort) -> Option<Frame> {
        let index = node as usize;
        let children = self.positions[index].children.take().expect("the position is expanded");
        self.update(index, &children);
        let shortens = self.positions[index].shortens;
        // The answer that the mover wants depends on its two easiest moves (among equal ones, the one whose lower bound
        // the mover likes most comes first); the other answer depends on the hardest move and on the number of moves.
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
        let effort =
            if shortens { Effort { within: least, beyond: all } } else { Effort { within: all, beyond: least } };
        self.efforts.insert((node, bound), effort);
        let (most_own, most_other) = if shortens { (most.within, most.beyond) } else { (most.beyond, most.within) };
        if least >= most_own || all >= most_other {
            return None;
        }
        // A quarter more than `second`, so that the search does not alternate between two equally hard moves.
        let most_own = most_own.min(second.saturating_add(second / 4 + 1));
        let most_other = most_other - (open - 1);
        debug_assert!(other < most_other);
        let most = match shortens {
            true => Effort { within: most_own, beyond: most_other },
            false => Effort { within: most_other, beyond: most_own },
        };
        Some(Frame { node: child, bound: bound - 1, most })
    }

    fn effort(&self, node: u32, bound: u32) -> Option<Effort> {
        let known = &self.positions[node as usize];
        if known.upper <= bound || known.lower > bound {
            return None;
        }
        if let Some(effort) = self.efforts.get(&(node, bound)) {
            return Some(*effort);
        }
        let moves = known.children.as_ref().map_or(1, |children| children.len() as u32);
        let first = Effort::FIRST;
        Some(if known.shortens { Effort { beyond: moves, ..first } } else { Effort { within: moves, ..first } })
    }

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

#[cfg(test)]
mod tests {
    use super::answers::FIRST_LIMIT;
    use super::*;
    use crate::brute::BruteForce;
    use crate::sample::handmade::{counter, lines, nim};
    use crate::solution::Among;
    use base::limits::Limits;
    use base::random::Random;
    use game::propositional::Game;
    use game::reward::OpponentModel;
    use num_bigint::BigUint;
    use std::collections::HashMap;
    use std::sync::Arc;
    use std::time::Instant;

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

    /// All states were settled in the same round, so no move leads to an end.
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
        fn each(
            &self,
            _: u32,
            _: &Arc<Limits>,
            _: &mut dyn FnMut(State) -> std::ops::ControlFlow<()>,
        ) -> Result<(), ReadError> {
            unreachable!("nothing is listed")
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
    fn a_search_without_memory_finds_a_lower_bound() {
        let solution = BruteForce::solution(lines(4, 3, 4), OpponentModel::MaxOwn);
        let limits = Limits::new(100_000);
        let mut search = DistanceSearch::new(1_000_000, &limits);
        let found = search.distance(&solution, &solution.start()).unwrap();
        assert!(!found.exact && found.plies <= 12, "{found:?}");
        // Three quarters, of which an eighth more is reserved.
        assert!((40_000..=85_000).contains(&limits.peak()), "{}", limits.peak());
        assert!(search.len() as u64 * ALONE <= 85_000, "{}", search.len());
        drop(search);
        assert_eq!(limits.used(), 0);
    }

    #[test]
    fn a_search_until_some_time_finds_the_same() {
        let solution = BruteForce::solution(lines(3, 3, 3), OpponentModel::MaxOwn);
        let start = solution.assess(&solution.start()).unwrap();
        let until = |time| solution.distances_until(&start, 1_000_000, time, &Limits::unlimited()).unwrap().unwrap();
        let later = Instant::now() + std::time::Duration::from_secs(600);
        assert_eq!(Some(until(later)), solution.distances(&start, 1_000_000).unwrap());
        // The search begins with room for fewer positions.
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
