//! The moves between listed states as a graph; finds a state that repeats, and the longest play from each state.
//!
//! States without a predecessor are removed repeatedly; the remaining states are those that can be reached from a
//! cycle. The remaining state nearest to the start usually lies on a cycle. If it does not, a path backwards from it
//! through remaining states leads to a cycle. Cost: every move is followed a few times; some 40 bytes per state.

use super::index::MISSING;
use base::limits::{Account, LimitReached, Limits};
use std::sync::Arc;

/// Bytes of a state: the position of its moves, the number of its remaining predecessors, a predecessor, two marks, and
/// entries in two lists.
const STATE_BYTES: u64 = 40;

/// The moves between some states, by rank.
#[derive(Debug)]
pub struct Graph {
    /// The values of terminal states; 0 for other states.
    pub values: Vec<u16>,
    /// The role that has a choice, [`Graph::NOBODY`], or [`Graph::SEVERAL`].
    pub choosers: Vec<u32>,
    /// Number of successors; a successor of several moves counts several times.
    pub degrees: Vec<u32>,
    /// The successors of all states, one state after the other; [`MISSING`] for one that is not among the states.
    pub targets: Vec<u32>,
    pub(super) _account: Option<Account>,
}

/// Bytes of a graph with this number of states and targets.
pub(super) fn graph_bytes(states: usize, targets: usize) -> u64 {
    (10 * states + 4 * targets) as u64
}

impl Graph {
    pub const NOBODY: u32 = u32::MAX;
    /// Several roles have a choice.
    pub const SEVERAL: u32 = u32::MAX - 1;

    /// A graph of non-terminal states with these moves.
    #[cfg(test)]
    pub fn of_moves(moves: &[Vec<u32>]) -> Graph {
        Graph {
            values: vec![0; moves.len()],
            choosers: vec![Graph::NOBODY; moves.len()],
            degrees: moves.iter().map(|moves| moves.len() as u32).collect(),
            targets: moves.concat(),
            _account: None,
        }
    }

    /// An empty graph with room for this number of states and targets. While parts are joined, they and the whole exist
    /// at the same time, and both are accounted for.
    pub(super) fn with_capacity(states: usize, targets: usize, limits: &Arc<Limits>) -> Result<Graph, LimitReached> {
        let mut account = Account::new(limits);
        account.set(2 * graph_bytes(states, targets))?;
        Ok(Graph {
            values: Vec::with_capacity(states),
            choosers: Vec::with_capacity(states),
            degrees: Vec::with_capacity(states),
            targets: Vec::with_capacity(targets),
            _account: Some(account),
        })
    }

    pub fn bytes(&self) -> u64 {
        2 * graph_bytes(self.values.len(), self.targets.len())
    }

    /// The rank of a state on a cycle; `None` if there is no cycle. It is the state nearest to `start` that can be
    /// reached from a cycle, if this state lies on a cycle; otherwise some state on a cycle from which it can be
    /// reached. Missing successors lead nowhere.
    pub fn repeating(&self, start: usize, limits: &Arc<Limits>) -> Result<Option<usize>, LimitReached> {
        let _memory = limits.hold(STATE_BYTES * self.degrees.len() as u64)?;
        let moves = Moves::of(self);
        let (removed, before) = moves.removed();
        if removed.len() == before.len() {
            return Ok(None);
        }
        let left: Vec<bool> = before.into_iter().map(|before| before > 0).collect();
        let Some(nearest) = moves.search(vec![start], &left) else { return Ok(None) };
        let mut only = vec![false; left.len()];
        only[nearest] = true;
        let again = moves.search(moves.after(nearest).collect(), &only);
        Ok(Some(again.unwrap_or_else(|| moves.behind(nearest, &left))))
    }

    /// The number of moves of the longest play from each state; `None` if there is a cycle. Missing successors lead
    /// nowhere.
    pub fn heights(&self, limits: &Arc<Limits>) -> Result<Option<Vec<u32>>, LimitReached> {
        let _memory = limits.hold(STATE_BYTES * self.degrees.len() as u64)?;
        let moves = Moves::of(self);
        let (order, _) = moves.removed();
        let mut heights = vec![0; self.degrees.len()];
        for &state in order.iter().rev() {
            let state = state as usize;
            heights[state] = moves.after(state).map(|next| heights[next] + 1).max().unwrap_or(0);
        }
        Ok((order.len() == heights.len()).then_some(heights))
    }
}

/// A graph with the index in `targets` of each state's first successor.
pub struct Moves<'g> {
    graph: &'g Graph,
    /// By state, the index of its first successor; then the number of all successors.
    starts: Vec<usize>,
}

impl Moves<'_> {
    /// Takes 8 bytes per state.
    pub fn of(graph: &Graph) -> Moves<'_> {
        let mut starts = Vec::with_capacity(graph.degrees.len() + 1);
        starts.push(0);
        starts.extend(graph.degrees.iter().scan(0, |end, &degree| {
            *end += degree as usize;
            Some(*end)
        }));
        Moves { graph, starts }
    }

    /// The successors of a state, by move; [`MISSING`] for one that is not among the states.
    pub fn targets(&self, state: usize) -> &[u32] {
        &self.graph.targets[self.starts[state]..self.starts[state + 1]]
    }

    /// The successors of a state. A successor of several moves occurs several times; missing successors are left out.
    pub fn after(&self, state: usize) -> impl Iterator<Item = usize> {
        self.targets(state).iter().filter(|&&target| target != MISSING).map(|&target| target as usize)
    }

    /// Removes states without a predecessor repeatedly. Returns the removed states, each after its predecessors; and
    /// for each state, the number of moves to it from remaining states.
    fn removed(&self) -> (Vec<u32>, Vec<u32>) {
        let states = self.graph.degrees.len();
        let mut before = vec![0u32; states];
        (0..states).flat_map(|state| self.after(state)).for_each(|next| before[next] += 1);
        let mut removed: Vec<u32> = (0..states as u32).filter(|&state| before[state as usize] == 0).collect();
        let mut done = 0;
        while let Some(&state) = removed.get(done) {
            done += 1;
            for next in self.after(state as usize) {
                before[next] -= 1;
                if before[next] == 0 {
                    removed.push(next as u32);
                }
            }
        }
        (removed, before)
    }

    /// The wanted state that is nearest to the states in `front`; among equally near states, the first by rank.
    fn search(&self, mut front: Vec<usize>, wanted: &[bool]) -> Option<usize> {
        let mut met = vec![false; wanted.len()];
        front.iter().for_each(|&state| met[state] = true);
        while !front.is_empty() {
            if let Some(found) = front.iter().copied().filter(|&state| wanted[state]).min() {
                return Some(found);
            }
            let mut next = Vec::new();
            for after in front.into_iter().flat_map(|state| self.after(state)) {
                if !std::mem::replace(&mut met[after], true) {
                    next.push(after);
                }
            }
            front = next;
        }
        None
    }

    /// A state on a cycle from which `state` can be reached. `left`: whether each state remains, as `state` must.
    fn behind(&self, state: usize, left: &[bool]) -> usize {
        let mut before = vec![0; left.len()];
        for here in (0..left.len()).filter(|&here| left[here]) {
            self.after(here).for_each(|next| before[next] = here);
        }
        let (mut met, mut state) = (vec![false; left.len()], state);
        while !std::mem::replace(&mut met[state], true) {
            state = before[state];
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    fn graph(moves: &[Vec<u32>]) -> Graph {
        Graph::of_moves(moves)
    }

    /// A play of as many moves as there are states shows a cycle.
    fn check_heights(moves: &[Vec<u32>], cyclic: bool) {
        let mut longest = vec![0; moves.len()];
        for _ in 0..moves.len() {
            for (state, after) in moves.iter().enumerate() {
                let after = after.iter().filter(|&&next| next != MISSING);
                longest[state] = after.map(|&next| longest[next as usize] + 1).max().unwrap_or(0);
            }
        }
        let found = graph(moves).heights(&Arc::new(Limits::unlimited())).unwrap();
        assert_eq!(found, (!cyclic).then_some(longest), "{moves:?}");
    }

    #[test]
    fn a_state_that_repeats_is_found_exactly_if_there_is_a_cycle() {
        let (mut random, limits) = (Random::new(11), Arc::new(Limits::unlimited()));
        let (mut cyclic, mut off) = (0, 0);
        for _ in 0..2_000 {
            let states = 1 + random.below(12);
            let one = |random: &mut Random| match random.below(states + 2) {
                next if next < states => next as u32,
                _ => MISSING,
            };
            let moves: Vec<Vec<u32>> =
                (0..states).map(|_| (0..random.below(3)).map(|_| one(&mut random)).collect()).collect();
            // For each state, the states that it reaches by at least one move.
            let mut reaches = vec![vec![false; states]; states];
            for _ in 0..states {
                for state in 0..states {
                    for &next in moves[state].iter().filter(|&&next| next != MISSING) {
                        reaches[state][next as usize] = true;
                        let further = reaches[next as usize].clone();
                        reaches[state].iter_mut().zip(further).for_each(|(all, more)| *all |= more);
                    }
                }
            }
            let there = |state: usize| state == 0 || reaches[0][state];
            let expected = (0..states).any(|state| there(state) && reaches[state][state]);
            let reached: Vec<Vec<u32>> =
                (0..states).map(|state| if there(state) { moves[state].clone() } else { Vec::new() }).collect();
            let found = graph(&reached).repeating(0, &limits).unwrap();
            assert_eq!(found.is_some(), expected, "{moves:?}");
            check_heights(&reached, expected);
            let Some(found) = found else { continue };
            assert!(there(found) && reaches[found][found], "{found} in {moves:?}");
            cyclic += 1;
            off += usize::from(!reaches[0][0] && (0..states).any(|state| reaches[0][state] && !reaches[state][state]));
        }
        assert!(cyclic > 500 && off > 50, "{cyclic}, {off}");
        assert_eq!(limits.used(), 0);
    }

    #[test]
    fn the_nearest_state_is_preferred_if_it_lies_on_a_cycle() {
        let limits = Arc::new(Limits::unlimited());
        let found = |moves: &[Vec<u32>]| graph(moves).repeating(0, &limits).unwrap();
        assert_eq!(found(&[vec![3], vec![2], vec![1], vec![1, 4], vec![3]]), Some(3));
        // State 1 is nearer than the cycle of 3 and 4 from which it can be reached.
        assert_eq!(found(&[vec![1, 2], vec![], vec![3], vec![4, 1], vec![3]]).map(|state| state / 3), Some(1));
        assert_eq!(found(&[vec![1, MISSING], vec![]]), None);
    }
}
