//! The rounds of [`retrograde`](super::retrograde) on listed states. Each state counts its successors without a value,
//! and every move is followed backward once.
//!
//! A state whose count reaches 0 is settled in the next round, with the best value of its successors. So is a state
//! whose mover takes the value of a successor at once. If there is no such state, each role looks at the unsettled
//! states in which it has the choice, and takes the best value of their successors if it prefers that value to endless
//! play. Lists by role and value keep the states for this choice. Cost: a few nanoseconds and 4 bytes per move, and
//! about 50 bytes per state.

use super::super::SolveError;
use super::super::expansion::{OneByOne, States};
use super::super::explored::Kept;
use super::super::options::fitting;
use super::super::pass::Pass;
use super::super::progress::Event;
use super::orders::Orders;
use super::plies::{terminal_of, without_end};
use super::rounds::Rounds;
use super::saving::Saving;
use crate::listing::{Graph, List};
use fixedbitset::FixedBitSet;
use game::reward::shortens;
use kernel::Diagram;
use std::collections::BTreeSet;
use std::time::Instant;

/// Bound on rounds recorded together, because the number of a round is a terminal.
const MOST_ROUNDS: u16 = 8191;
const UNKNOWN: u32 = u32::MAX;
/// States are put in order by a set of marks, a bit for each state, if they are more than this part of all.
const MARKED_SHARE: usize = 64;

pub struct Counting<'a> {
    pass: &'a Pass<'a>,
    states: &'a States<'a>,
    list: List,
    orders: &'a Orders,
    graph: Graph,
    /// The predecessors of all states, one for each move; the predecessors of state `s` are `starts[s]..starts[s + 1]`.
    before: Vec<u32>,
    starts: Vec<u64>,
    /// By state.
    cells: Vec<Cell>,
    /// States whose last successor got a value.
    ready: Vec<u32>,
    /// By role with the choice and by value: states; when each was added, this was the best value of its successors.
    exits: Vec<Vec<Vec<u32>>>,
    /// By state, if rounds are kept: the number of its round among the `count` rounds not yet recorded, from 1 on; 0
    /// for other states.
    rounds: Vec<u16>,
    count: u16,
    /// By state; empty between uses.
    marks: FixedBitSet,
}

/// What is read or changed in a state when a successor gets a value. These lie together, because the states that a
/// successor has before it are anywhere in memory.
#[derive(Clone, Copy)]
struct Cell {
    /// Number of the successors without a value.
    waiting: u32,
    chooser: u32,
    /// The rank of `best` in the mover's order; 0 for none.
    rank: u32,
    /// 0 for none.
    value: u16,
    /// The best value of a successor in the mover's order; the own value of a terminal state.
    best: u16,
}

/// The states and the moves between them; `None` if they do not fit into memory. `listed`: what the probe kept of them.
pub fn prepare(states: &States, reached: &Diagram, listed: Option<Kept>) -> Result<Option<(List, Graph)>, SolveError> {
    let (list, graph) = listed.map_or((None, None), |Kept { states, graph }| (Some(states), graph));
    let prepared = list.map_or_else(|| states.list(reached), Ok).and_then(|list| {
        let graph = graph.map_or_else(|| states.graph(&list), Ok)?;
        Ok((list, graph))
    });
    fitting(prepared)
}

impl<'a> Counting<'a> {
    pub fn new(
        pass: &'a Pass<'a>,
        states: &'a States<'a>,
        (list, mut graph): (List, Graph),
        orders: &'a Orders,
    ) -> Counting<'a> {
        let number = graph.values.len();
        let mut starts = vec![0u64; number + 1];
        graph.targets.iter().for_each(|&target| starts[target as usize] += 1);
        starts.iter_mut().fold(0, |sum, start| {
            *start += sum;
            *start
        });
        let mut before = vec![0; graph.targets.len()];
        let mut targets = graph.targets.iter().rev();
        for (state, &degree) in (0..number as u32).rev().zip(graph.degrees.iter().rev()) {
            for &target in targets.by_ref().take(degree as usize) {
                let start = &mut starts[target as usize];
                *start -= 1;
                before[*start as usize] = state;
            }
        }
        let cell = |((&waiting, &chooser), &best)| Cell { waiting, chooser, rank: 0, value: 0, best };
        let choosers = std::mem::take(&mut graph.choosers);
        let cells = graph.degrees.iter().zip(&choosers).zip(&graph.values).map(cell).collect();
        let roles = pass.game.roles.len();
        Counting {
            pass,
            states,
            list,
            orders,
            before,
            starts,
            cells,
            ready: Vec::new(),
            exits: vec![vec![Vec::new(); orders.endless as usize + 1]; roles],
            rounds: Vec::new(),
            count: 0,
            marks: FixedBitSet::with_capacity(number),
            graph,
        }
    }

    /// Bytes that [`Counting`] takes in addition to the states and moves; `measured`: it also finds distances.
    pub fn bytes((list, graph): &(List, Graph), measured: bool) -> u64 {
        let of_distances = if measured { 12 } else { 0 };
        4 * graph.targets.len() as u64 + (50 + of_distances) * list.len() as u64
    }

    /// Settles all states. Returns them with their values, with [`Orders::endless`] for endless play. `before`: the
    /// values of a run that is resumed.
    pub fn run(
        &mut self,
        before: Option<Diagram>,
        rounds: &mut Rounds,
        saving: &mut Saving,
    ) -> Result<Diagram, SolveError> {
        if rounds.are_kept() {
            self.rounds = vec![0; self.cells.len()];
        }
        let mut found = match before {
            None => {
                let ids: BTreeSet<u32> =
                    self.graph.values.iter().filter(|value| **value != 0).map(|&value| value.into()).collect();
                rounds.begin(self.orders, &ids.into_iter().collect::<Vec<_>>());
                (0..).zip(&self.graph.values).filter(|(_, value)| **value != 0).map(|(state, _)| state).collect()
            }
            Some(values) => {
                let (mut known, mut elements, mut state) = (Vec::new(), values.elements(), 0);
                while let Some((_, value)) = elements.next_element() {
                    if state as usize >= self.cells.len() {
                        return Err(SolveError::Storage("values of more states than are reachable".into()));
                    }
                    if value != self.orders.endless {
                        self.cells[state as usize].best = value as u16;
                        known.push(state);
                    }
                    state += 1;
                }
                drop(values);
                self.settle(&known);
                self.next(rounds)
            }
        };
        while !found.is_empty() {
            if self.count == MOST_ROUNDS {
                self.record(rounds)?;
            }
            self.settle(&found);
            self.number(&found);
            rounds.pass_by(found.len() as u64)?;
            if saving.is_due() {
                let begin = Instant::now();
                self.record(rounds)?;
                saving.save(begin, &self.all()?, None, rounds)?;
            }
            found = self.next(rounds);
        }
        self.record(rounds)?;
        self.all()
    }

    fn number(&mut self, found: &[u32]) {
        if !self.rounds.is_empty() {
            self.count += 1;
            found.iter().for_each(|&state| self.rounds[state as usize] = self.count);
        }
    }

    /// Records the rounds since the last call, if rounds are kept.
    fn record(&mut self, rounds: &mut Rounds) -> Result<(), SolveError> {
        if self.count > 0 {
            rounds.record(&self.states.set(&self.list, |state| self.rounds[state].into())?, self.count.into())?;
            self.rounds.fill(0);
            self.count = 0;
        }
        Ok(())
    }

    /// Gives states the best values of their successors, and updates their predecessors.
    fn settle(&mut self, found: &[u32]) {
        for &state in found {
            let cell = &mut self.cells[state as usize];
            cell.value = cell.best;
        }
        for &state in found {
            let value = self.cells[state as usize].value;
            let (first, last) = (self.starts[state as usize] as usize, self.starts[state as usize + 1] as usize);
            for &before in &self.before[first..last] {
                let cell = &mut self.cells[before as usize];
                cell.waiting -= 1;
                if cell.value != 0 {
                    continue;
                }
                // A state in which no role has a choice has a single successor.
                let mover = if cell.chooser == Graph::NOBODY { 0 } else { cell.chooser as usize };
                let rank = self.orders.rank(mover, value.into());
                if cell.best == 0 || rank > cell.rank {
                    (cell.best, cell.rank) = (value, rank);
                    if cell.chooser != Graph::NOBODY && self.orders.beats_endless(mover, value.into()) {
                        self.exits[mover][value as usize].push(before);
                    }
                }
                if cell.waiting == 0 {
                    self.ready.push(before);
                }
            }
        }
    }

    /// The states that the next round settles, ascending.
    fn next(&mut self, rounds: &mut Rounds) -> Vec<u32> {
        let open = |state: &u32| self.cells[*state as usize].value == 0;
        let mut found: Vec<u32> = self.ready.drain(..).filter(open).collect();
        // Empties a list and adds its states, except those that got a better value or were settled in the meantime.
        let take = |found: &mut Vec<u32>, exits: &mut Vec<u32>, value: u16| {
            let stays = |state: &u32| open(state) && self.cells[*state as usize].best == value;
            found.extend(exits.drain(..).filter(stays));
        };
        for (exits, value) in self.exits.iter_mut().zip(rounds.at_once()) {
            value.iter().for_each(|&value| take(&mut found, &mut exits[value as usize], value as u16));
        }
        if found.is_empty() {
            for (role, exits) in self.exits.iter_mut().enumerate() {
                let mut values: Vec<usize> = (0..exits.len()).filter(|&value| !exits[value].is_empty()).collect();
                values.sort_unstable_by_key(|&value| std::cmp::Reverse(self.orders.rank(role, value as u32)));
                for value in values {
                    let before = found.len();
                    take(&mut found, &mut exits[value], value as u16);
                    if found.len() > before {
                        rounds.choose(role, value as u32);
                        break;
                    }
                }
            }
        }
        // A state may be both ready and in a list of exits.
        if found.len() > self.cells.len() / MARKED_SHARE {
            found.drain(..).for_each(|state| self.marks.insert(state as usize));
            found.extend(self.marks.ones().map(|state| state as u32));
            self.marks.clear();
        } else {
            found.sort_unstable();
            found.dedup();
        }
        found
    }

    fn all(&self) -> Result<Diagram, SolveError> {
        let value = |rank: usize| match self.cells[rank].value {
            0 => self.orders.endless,
            value => value.into(),
        };
        self.states.set(&self.list, value)
    }

    /// As [`plies::measure`](super::plies::measure), by the listed moves. Every move that keeps the value is followed
    /// backward once, and once more if a state is left without a distance.
    pub fn plies(&mut self) -> Result<Diagram, SolveError> {
        let rewards = self.pass.expansion.rewards();
        let waits = |cell: &Cell| {
            let Cell { value, chooser, .. } = *cell;
            value != 0 && chooser != Graph::NOBODY && !shortens(&rewards[value as usize - 1], chooser as usize)
        };
        let mut late: Vec<bool> = self.cells.iter().map(waits).collect();
        let mut plies = self.spread(&late)?;
        let left = |plies: &[u32], state: usize| self.cells[state].value != 0 && plies[state] == UNKNOWN;
        if (0..plies.len()).any(|state| left(&plies, state)) {
            (0..plies.len()).for_each(|state| late[state] &= plies[state] != UNKNOWN);
            plies = self.spread(&late)?;
            if (0..plies.len()).any(|state| left(&plies, state)) {
                return Err(without_end());
            }
        }
        self.states.set(&self.list, |rank| if plies[rank] == UNKNOWN { 0 } else { plies[rank] + 1 })
    }

    /// The distances if movers prolong play in the states that are `late`; [`UNKNOWN`] where they can do so for ever.
    fn spread(&self, late: &[bool]) -> Result<Vec<u32>, SolveError> {
        let limits = self.pass.context.limits();
        let mut plies = vec![UNKNOWN; late.len()];
        // By state: number of moves that keep the value and lead to a state without a distance.
        let mut waiting = vec![0u32; late.len()];
        let mut targets = self.graph.targets.iter();
        for (state, &degree) in self.graph.degrees.iter().enumerate() {
            let after = targets.by_ref().take(degree as usize);
            let keeps = |&&next: &&u32| self.cells[next as usize].value == self.cells[state].value;
            waiting[state] = after.filter(keeps).count() as u32;
        }
        let (mut far, number) = (0, late.len() as u64);
        let mut front: Vec<u32> = (0..).zip(&self.graph.values).filter(|end| *end.1 != 0).map(|end| end.0).collect();
        front.iter().for_each(|&state| plies[state as usize] = far);
        let mut done = 0;
        while !front.is_empty() {
            limits.check()?;
            terminal_of(far)?;
            done += front.len() as u64;
            self.pass.listener.event(&Event::Work { what: "distances", done, total: number });
            far += 1;
            let mut next = Vec::new();
            for state in front {
                let range = self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize;
                for &before in &self.before[range] {
                    let index = before as usize;
                    if self.cells[index].value != self.cells[state as usize].value || plies[index] != UNKNOWN {
                        continue;
                    }
                    waiting[index] -= 1;
                    if !late[index] || waiting[index] == 0 {
                        plies[index] = far;
                        next.push(before);
                    }
                }
            }
            front = next;
        }
        Ok(plies)
    }
}
