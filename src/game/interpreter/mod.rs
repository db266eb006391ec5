//! The explicit interpreter of a propositional game: the reference semantics for all tests.
//!
//! A state is a bit set of fluents. The formulas are compiled once to straight-line code that runs on up to 64 states
//! (or 64 pairs of state and joint move) at once, so a state costs about one 64th of the size of the graph, plus its
//! fluents and moves.

mod code;
mod lanes;
mod ply;
mod situation;
mod state;
mod turns;

pub use lanes::{Lanes, View};
pub use ply::Ply;
pub use situation::{JointMove, Situation, Turn, Violation};
pub use state::State;

use crate::propositional::{FluentId, Game, Literal, MoveId, NodeId, RoleId};
use base::bits::ones;
use code::{Code, LANES};
use std::sync::OnceLock;

/// Threads can share it, because each call has its own working memory.
pub struct Interpreter {
    fluents: usize,
    roles: usize,
    initial: State,
    movers: Vec<RoleId>,
    /// The role and reward of every goal condition, by role, then by ascending reward.
    rewards: Vec<(RoleId, u8)>,
    /// Code whose roots are the terminal condition, then the legality of every move, then every goal condition.
    state_code: Code,
    /// Code whose roots are `next` of every fluent.
    next_code: Code,
    /// The leaf of each move in `next_code`, if it has an effect there.
    move_slots: Vec<Option<u32>>,
    /// [`Interpreter::turns`], once they were asked for.
    turns: OnceLock<Vec<Vec<Literal>>>,
}

impl Interpreter {
    pub fn new(game: &Game) -> Self {
        let goals = || game.role_ids().flat_map(|role| game.goals[role.index()].iter().map(move |goal| (role, goal)));
        let mut roots: Vec<NodeId> = vec![game.terminal];
        roots.extend(game.moves.iter().map(|action| action.legal));
        roots.extend(goals().map(|(_, goal)| goal.1));
        let next_code = Code::new(&game.graph, &game.next);
        let mut move_slots = vec![None; game.moves.len()];
        for &(action, slot) in &next_code.moves {
            move_slots[action as usize] = Some(slot);
        }
        Interpreter {
            fluents: game.fluents.len(),
            roles: game.roles.len(),
            initial: State::from_flags(&game.init),
            movers: game.moves.iter().map(|action| action.role).collect(),
            rewards: goals().map(|(role, goal)| (role, goal.0)).collect(),
            state_code: Code::new(&game.graph, &roots),
            next_code,
            move_slots,
            turns: OnceLock::new(),
        }
    }

    pub fn initial(&self) -> State {
        self.initial.clone()
    }

    pub fn situation(&self, state: &State) -> Situation {
        let mut found = Vec::with_capacity(1);
        self.situations(&[state], &mut found);
        found.pop().expect("each state has a situation")
    }

    pub fn situations(&self, states: &[&State], found: &mut Vec<Situation>) {
        let mut values = Vec::with_capacity(self.state_code.slots());
        for batch in states.chunks(LANES) {
            self.state_code.clear(&mut values);
            load_fluents(&self.state_code, batch.iter().copied(), &mut values);
            self.state_code.run(&mut values);
            let start = found.len();
            let terminal = values[self.state_code.roots[0] as usize];
            found.extend((0..batch.len()).map(|lane| Situation {
                terminal: terminal >> lane & 1 == 1,
                legal: vec![Vec::new(); self.roles],
                goals: vec![Vec::new(); self.roles],
            }));
            let valid = u64::MAX >> (LANES - batch.len());
            let (legal, goals) = self.state_code.roots[1..].split_at(self.movers.len());
            for ((index, &slot), role) in legal.iter().enumerate().zip(&self.movers) {
                for lane in ones(values[slot as usize] & valid) {
                    found[start + lane].legal[role.index()].push(MoveId(index as u32));
                }
            }
            for (&slot, (role, reward)) in goals.iter().zip(&self.rewards) {
                for lane in ones(values[slot as usize] & valid) {
                    found[start + lane].goals[role.index()].push(*reward);
                }
            }
        }
    }

    /// The state after one move of each role. The legality of the moves is not checked.
    pub fn successor(&self, state: &State, moves: &[MoveId]) -> State {
        let mut found = Vec::with_capacity(1);
        self.successors(&[(state, moves)], &mut found);
        found.pop().expect("each pair of state and joint move has a successor")
    }

    /// The joint moves in order, each with its successor; none if play is over. Evaluated lazily, many at once.
    pub fn after<'s>(
        &'s self,
        state: &'s State,
        situation: &'s Situation,
    ) -> impl Iterator<Item = (JointMove, State)> + 's {
        let count = if situation.terminal { 0 } else { situation.joint_move_count() };
        let mut joints = situation.joint_moves().take(count);
        let batches = std::iter::from_fn(move || {
            let batch: Vec<JointMove> = joints.by_ref().take(LANES).collect();
            let pairs: Vec<_> = batch.iter().map(|joint| (state, joint.as_slice())).collect();
            let mut found = Vec::with_capacity(batch.len());
            self.successors(&pairs, &mut found);
            (!batch.is_empty()).then(|| batch.into_iter().zip(found))
        });
        batches.flatten()
    }

    pub fn successors(&self, pairs: &[(&State, &[MoveId])], found: &mut Vec<State>) {
        let mut values = Vec::with_capacity(self.next_code.slots());
        for batch in pairs.chunks(LANES) {
            self.next_code.clear(&mut values);
            load_fluents(&self.next_code, batch.iter().map(|pair| pair.0), &mut values);
            for (lane, (_, moves)) in batch.iter().enumerate() {
                for slot in moves.iter().filter_map(|action| self.move_slots[action.index()]) {
                    values[slot as usize] |= 1 << lane;
                }
            }
            self.next_code.run(&mut values);
            let start = found.len();
            found.extend(batch.iter().map(|_| State::empty(self.fluents)));
            let valid = u64::MAX >> (LANES - batch.len());
            for (fluent, &slot) in self.next_code.roots.iter().enumerate() {
                for lane in ones(values[slot as usize] & valid) {
                    found[start + lane].insert(FluentId(fluent as u32));
                }
            }
        }
    }
}

/// For each node, the states in which it holds: one bit each, 64 to a word. Moves count as not made.
pub fn holding(game: &Game, nodes: &[NodeId], states: &[&State]) -> Vec<Vec<u64>> {
    let code = Code::new(&game.graph, nodes);
    let mut found = vec![Vec::with_capacity(states.len().div_ceil(LANES)); nodes.len()];
    let mut values = Vec::with_capacity(code.slots());
    for batch in states.chunks(LANES) {
        code.clear(&mut values);
        load_fluents(&code, batch.iter().copied(), &mut values);
        code.run(&mut values);
        let valid = u64::MAX >> (LANES - batch.len());
        found.iter_mut().zip(&code.roots).for_each(|(words, &slot)| words.push(values[slot as usize] & valid));
    }
    found
}

fn load_fluents<'a>(code: &Code, states: impl Iterator<Item = &'a State>, values: &mut [u64]) {
    for (lane, state) in states.enumerate() {
        for &(fluent, slot) in &code.fluents {
            values[slot as usize] |= u64::from(state.contains(FluentId(fluent))) << lane;
        }
    }
}
