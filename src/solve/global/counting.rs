//! The rounds of [`retrograde`](super::retrograde) on explicit states: each state counts its successors without a
//! value, and every move is followed backward once.
//!
//! A state whose count reaches 0 is settled in the next round, with the best value of its successors. If there is no
//! such state, each role takes the best value that a successor of an unsettled state has in which the role has the
//! choice; such states, if the value is better than endless play, are kept in lists by value. Cost: a few nanoseconds
//! and 4 bytes a move, and about 40 bytes a state.

use super::super::SolveError;
use super::super::expansion::States;
use super::super::pass::Pass;
use super::all_as;
use super::orders::Orders;
use super::plies::terminal_of;
use super::rounds::Rounds;
use super::saving::{Before, Saving};
use crate::kernel::{self, DEAD_END, Diagram};
use crate::limits::LimitReached;
use crate::listing::{Graph, List};
use crate::reward::shortens;

/// The terminal of states without a distance; larger than that of any.
const NO_DISTANCE: u32 = DEAD_END;

struct Counting<'a> {
    orders: &'a Orders,
    graph: Graph,
    /// Predecessors of all states, once for each move; those of a state begin at `starts`.
    before: Vec<u32>,
    starts: Vec<u64>,
    /// By state: its value; 0 for none.
    values: Vec<u16>,
    /// By state: successors without a value.
    waiting: Vec<u32>,
    /// By state: the best value of a successor in its mover's order.
    best: Vec<u16>,
    /// States that became ready.
    ready: Vec<u32>,
    /// Of distances, where they are wanted.
    measured: Option<Measured<'a>>,
    /// By role and value: the states for which this was the best value of a successor when they were added.
    exits: Vec<Vec<Vec<u32>>>,
}

/// Distances of the states that are settled.
struct Measured<'a> {
    rewards: &'a [Vec<u8>],
    /// Where the successors of a state start among all.
    starts: Vec<u64>,
    plies: Vec<u32>,
}

/// What states are settled by.
pub struct Wanted<'a> {
    pub orders: &'a Orders,
    /// Distances, too.
    pub plies: bool,
}

/// All states with their values, and [`Orders::endless`] for endless play; and those that are settled with the terminals of
/// their distances, where these are wanted.
type Settled = (Diagram, Option<Diagram>);

/// The states and the moves between them; `None` if they do not fit the memory bound.
pub fn prepare(states: &States, reached: &Diagram) -> Result<Option<(List, Graph)>, SolveError> {
    let prepared = states.list(reached).and_then(|list| {
        let graph = states.graph(&list)?;
        Ok((list, graph))
    });
    match prepared {
        Err(SolveError::Limit(LimitReached::Memory { .. } | LimitReached::Size { .. })) => Ok(None),
        prepared => prepared.map(Some),
    }
}

/// Settles what is left. `before`: what the rounds so far have settled.
pub fn settle(
    pass: &Pass,
    states: &States,
    (list, graph): (List, Graph),
    &Wanted { orders, plies }: &Wanted,
    before: Option<Before>,
    rounds: &mut Rounds,
    saving: &mut Saving,
) -> Result<Settled, SolveError> {
    let limits = pass.context.limits();
    let moves = graph.targets.len() as u64;
    let of_distances = if plies { 12 } else { 0 };
    let _memory = limits.hold(4 * moves + (40 + of_distances) * list.len() as u64)?;
    let mut counting = Counting::new(graph, orders, pass.game.roles.len());
    if plies {
        counting.measured = Some(Measured::new(&counting.graph, pass.expansion.rewards()));
    }
    let mut found = match before {
        None => {
            let values = counting.graph.values.iter().enumerate().filter(|(_, value)| **value != 0);
            values.map(|(state, value)| (state as u32, *value)).collect()
        }
        Some(Before { values, plies }) => {
            if let (Some(measured), Some(plies)) = (&mut counting.measured, plies) {
                // So that there is an element for each state.
                let all = kernel::overlay(&all_as(NO_DISTANCE, &values, pass)?, &plies, pass.context)?;
                let mut elements = all.elements();
                for plies in &mut measured.plies {
                    let terminal = elements.next_element().map_or(NO_DISTANCE, |element| element.1);
                    *plies = if terminal == NO_DISTANCE { 0 } else { terminal - 1 };
                }
            }
            let (mut known, mut elements, mut state) = (Vec::new(), values.elements(), 0);
            while let Some((_, value)) = elements.next_element() {
                if value != orders.endless {
                    known.push((state, value as u16));
                }
                state += 1;
            }
            counting.settle(&known);
            counting.next()
        }
    };
    while !found.is_empty() {
        counting.measure(&found)?;
        counting.settle(&found);
        rounds.push(&states.some(&list, &found)?)?;
        if saving.is_due() {
            let (values, plies) = counting.all(states, &list)?;
            saving.save(&values, plies.as_ref(), rounds)?;
        }
        found = counting.next();
    }
    counting.all(states, &list)
}

impl<'a> Counting<'a> {
    fn new(graph: Graph, orders: &'a Orders, roles: usize) -> Counting<'a> {
        let states = graph.values.len();
        let mut starts = vec![0u64; states + 1];
        graph.targets.iter().for_each(|&target| starts[target as usize + 1] += 1);
        for state in 0..states {
            starts[state + 1] += starts[state];
        }
        let (mut before, mut next) = (vec![0; graph.targets.len()], starts.clone());
        let mut targets = graph.targets.iter();
        for (state, &degree) in (0..).zip(&graph.degrees) {
            for &target in targets.by_ref().take(degree as usize) {
                before[next[target as usize] as usize] = state;
                next[target as usize] += 1;
            }
        }
        Counting {
            orders,
            before,
            starts,
            values: vec![0; states],
            waiting: graph.degrees.clone(),
            best: vec![0; states],
            ready: Vec::new(),
            measured: None,
            exits: vec![vec![Vec::new(); orders.endless as usize + 1]; roles],
            graph,
        }
    }

    /// Applies new values to the predecessors.
    fn settle(&mut self, found: &[(u32, u16)]) {
        found.iter().for_each(|&(state, value)| self.values[state as usize] = value);
        for &(state, value) in found {
            let (first, last) = (self.starts[state as usize] as usize, self.starts[state as usize + 1] as usize);
            for &before in &self.before[first..last] {
                let index = before as usize;
                self.waiting[index] -= 1;
                if self.values[index] != 0 {
                    continue;
                }
                let chooser = self.graph.choosers[index];
                // If no role has a choice, there is a single successor.
                let mover = if chooser == Graph::NOBODY { 0 } else { chooser as usize };
                let rank = |value: u16| self.orders.rank(mover, value.into());
                if self.best[index] == 0 || rank(value) > rank(self.best[index]) {
                    self.best[index] = value;
                    if chooser != Graph::NOBODY && self.orders.beats_endless(mover, value.into()) {
                        self.exits[mover][value as usize].push(before);
                    }
                }
                if self.waiting[index] == 0 {
                    self.ready.push(before);
                }
            }
        }
    }

    /// What the next round settles, by state.
    fn next(&mut self) -> Vec<(u32, u16)> {
        let open = |state: &u32| self.values[*state as usize] == 0;
        let mut found: Vec<(u32, u16)> =
            self.ready.drain(..).filter(open).map(|state| (state, self.best[state as usize])).collect();
        if found.is_empty() {
            for (role, exits) in self.exits.iter_mut().enumerate() {
                let mut values: Vec<usize> = (0..exits.len()).filter(|&value| !exits[value].is_empty()).collect();
                values.sort_unstable_by_key(|&value| std::cmp::Reverse(self.orders.rank(role, value as u32)));
                for value in values {
                    // States that found a better value or were settled since are dropped from the list.
                    let stays = |state: &u32| {
                        self.values[*state as usize] == 0 && usize::from(self.best[*state as usize]) == value
                    };
                    exits[value].retain(stays);
                    if !exits[value].is_empty() {
                        found.extend(exits[value].drain(..).map(|state| (state, value as u16)));
                        break;
                    }
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Finds the distances of the states that a round settles, from those of the rounds before.
    fn measure(&mut self, found: &[(u32, u16)]) -> Result<(), SolveError> {
        let Some(Measured { rewards, starts, plies }) = &mut self.measured else { return Ok(()) };
        for &(state, value) in found {
            let index = state as usize;
            let successors = &self.graph.targets[starts[index] as usize..starts[index + 1] as usize];
            let best = successors.iter().map(|&next| next as usize).filter(|&next| self.values[next] == value);
            let best = best.map(|next| plies[next] + 1);
            let chooser = self.graph.choosers[index];
            let soon = chooser == Graph::NOBODY || shortens(&rewards[value as usize - 1], chooser as usize);
            // None of a terminal state.
            plies[index] = if soon { best.min() } else { best.max() }.unwrap_or(0);
            terminal_of(plies[index])?;
        }
        Ok(())
    }

    fn all(&self, states: &States, list: &List) -> Result<Settled, SolveError> {
        let value = |rank: usize| match self.values[rank] {
            0 => self.orders.endless,
            value => value.into(),
        };
        let values = states.set(list, value)?;
        let distances = |measured: &Measured| {
            states.set(list, |rank| if self.values[rank] == 0 { 0 } else { measured.plies[rank] + 1 })
        };
        Ok((values, self.measured.as_ref().map(distances).transpose()?))
    }
}

impl<'a> Measured<'a> {
    fn new(graph: &Graph, rewards: &'a [Vec<u8>]) -> Measured<'a> {
        let mut starts = Vec::with_capacity(graph.degrees.len() + 1);
        starts.push(0);
        let mut end = 0;
        for &degree in &graph.degrees {
            end += u64::from(degree);
            starts.push(end);
        }
        Measured { rewards, starts, plies: vec![0; graph.degrees.len()] }
    }
}
