//! Each state of a layer by itself, with the interpreter.
//!
//! Cost: one evaluation of the rules per state and per joint move, and the successors of [`AT_ONCE`] states in
//! memory at a time; worth it only where there are few states.

use super::super::{Engine, SolveError};
use super::Expansion;
use crate::encode::{Place, Variables, reward_vectors};
use crate::interpreter::{Interpreter, JointMove, Situation, State, Turn, Violation};
use crate::kernel::{self, Context, DEAD_END, Diagram, Elements, Given, Preferences, SetBuilder};
use crate::propositional::{FluentId, Game, RoleId};
use num_bigint::BigUint;
use std::cell::RefCell;

/// Elements read at a time.
const BATCH: usize = 1 << 12;
/// Successors collected before duplicates are removed.
const AT_ONCE: u64 = 1 << 20;
/// Bytes of one of them, without its true levels, and the part of the memory bound they may take (one over this).
const ELEMENT_BYTES: u64 = 48;
const WAITING_SHARE: u64 = 8;

/// Expands by the interpreter.
pub struct States<'a> {
    variables: Variables,
    initial: Vec<bool>,
    rewards: Vec<Vec<u8>>,
    roles: u32,
    interpreter: RefCell<Interpreter>,
    context: &'a Context,
}

/// Some states of a diagram with what holds in them.
struct Batch {
    /// By state: its true levels and its terminal in the diagram.
    elements: Vec<(Vec<u32>, u32)>,
    states: Vec<State>,
    situations: Vec<Situation>,
}

impl<'a> States<'a> {
    pub fn new(game: &Game, variables: Variables, context: &'a Context) -> Self {
        States {
            initial: variables.assignment(&game.init),
            rewards: reward_vectors(game),
            roles: game.roles.len() as u32,
            interpreter: RefCell::new(Interpreter::new(game)),
            variables,
            context,
        }
    }

    /// Calls `visit` with the elements of a set in batches, in order, until it returns false.
    fn for_each_batch(
        &self,
        states: &Diagram,
        mut visit: impl FnMut(&Batch) -> Result<bool, SolveError>,
    ) -> Result<(), SolveError> {
        let mut elements = states.elements();
        loop {
            self.context.limits().check()?;
            let batch = self.batch(&mut elements);
            if batch.states.is_empty() || !visit(&batch)? {
                return Ok(());
            }
        }
    }

    fn batch(&self, elements: &mut Elements) -> Batch {
        let mut batch = Batch { elements: Vec::new(), states: Vec::new(), situations: Vec::new() };
        while batch.states.len() < BATCH
            && let Some((element, terminal)) = elements.next_element()
        {
            batch.elements.push((element.to_vec(), terminal));
            batch.states.push(self.state(element));
        }
        let states: Vec<&State> = batch.states.iter().collect();
        self.interpreter.borrow_mut().situations(&states, &mut batch.situations);
        batch
    }

    fn state(&self, element: &[u32]) -> State {
        let mut state = State::empty(self.variables.fluents());
        let mut next = 0;
        for block in self.variables.blocks() {
            let first = next;
            while next < element.len() && element[next] < block.start + block.len {
                state.insert(self.variables.fluent(element[next]));
                next += 1;
            }
            if let (Some(default), true) = (block.default, next == first) {
                state.insert(default);
            }
        }
        state
    }

    /// The true levels of a state, ascending.
    fn element(&self, state: &State) -> Vec<u32> {
        let level = |fluent: FluentId| match self.variables.place(fluent) {
            Place::Level(level) => Some(level),
            Place::Default(_) => None,
        };
        let mut levels: Vec<u32> = state.fluents().filter_map(level).collect();
        levels.sort_unstable();
        levels
    }

    /// The successors of the states of a batch that `wanted` holds for and that are not terminal, each with the
    /// index of its predecessor.
    fn successors_of(&self, batch: &Batch, wanted: impl Fn(&Situation) -> bool) -> Vec<(usize, State)> {
        let open = batch.situations.iter().enumerate().filter(|(_, situation)| !situation.terminal);
        let moves: Vec<(usize, JointMove)> = open
            .filter(|(_, situation)| wanted(situation))
            .flat_map(|(index, situation)| situation.joint_moves().map(move |joint| (index, joint)))
            .collect();
        let pairs: Vec<_> = moves.iter().map(|(index, joint)| (&batch.states[*index], joint.as_slice())).collect();
        let mut found = Vec::with_capacity(pairs.len());
        self.interpreter.borrow_mut().successors(&pairs, &mut found);
        moves.iter().map(|(index, _)| *index).zip(found).collect()
    }

    /// Successors of the states that `wanted` holds for and that are not terminal; `seen` gets every batch.
    fn image(
        &self,
        states: &Diagram,
        wanted: impl Fn(&Situation) -> bool,
        mut seen: impl FnMut(&Batch),
    ) -> Result<Diagram, SolveError> {
        let limits = self.context.limits();
        let element_bytes = ELEMENT_BYTES + 4 * self.variables.blocks().len() as u64;
        let at_once = (limits.memory() / WAITING_SHARE / element_bytes).clamp(1, AT_ONCE);
        let bytes = element_bytes * at_once;
        limits.reserve(bytes)?;
        let mut all = Diagram::constant(states.levels(), 0);
        let mut waiting: Vec<Vec<u32>> = Vec::new();
        let collected = self.for_each_batch(states, |batch| {
            seen(batch);
            for (_, state) in self.successors_of(batch, &wanted) {
                waiting.push(self.element(&state));
                if waiting.len() as u64 >= at_once {
                    all = self.united(&all, std::mem::take(&mut waiting))?;
                }
            }
            Ok(true)
        });
        let all = collected.and_then(|()| self.united(&all, waiting));
        limits.release(bytes);
        all
    }

    /// A set with more elements.
    fn united(&self, set: &Diagram, mut elements: Vec<Vec<u32>>) -> Result<Diagram, SolveError> {
        // The element that is false where the other one is true comes first: the one with the later true level.
        elements.sort_unstable_by(|left, right| compare(left, right));
        elements.dedup();
        let mut builder = SetBuilder::new(set.levels(), self.context.limits());
        for element in &elements {
            builder.push(element, 1)?;
        }
        Ok(kernel::union(&[set, &builder.finish()?], self.context)?)
    }

    /// The states of a set that `keep`, by state of a batch, says true for.
    fn filtered(&self, states: &Diagram, mut keep: impl FnMut(&Batch) -> Vec<bool>) -> Result<Diagram, SolveError> {
        let mut builder = SetBuilder::new(states.levels(), self.context.limits());
        self.for_each_batch(states, |batch| {
            for ((element, terminal), keep) in batch.elements.iter().zip(keep(batch)) {
                if keep {
                    builder.push(element, *terminal)?;
                }
            }
            Ok(true)
        })?;
        Ok(builder.finish()?)
    }

    /// The value id of a well-formed terminal state.
    fn value_of(&self, situation: &Situation) -> u32 {
        let rewards: Vec<u8> = situation.goals.iter().map(|goals| goals[0]).collect();
        let index = self.rewards.binary_search(&rewards).expect("the rewards of a state are those of its conditions");
        index as u32 + 1
    }

    fn assignment(&self, element: &[u32]) -> Vec<bool> {
        let mut assignment = vec![false; self.variables.levels() as usize];
        element.iter().for_each(|&level| assignment[level as usize] = true);
        assignment
    }
}

/// The lexicographic order of assignments, false before true, by their true levels.
fn compare(left: &[u32], right: &[u32]) -> std::cmp::Ordering {
    let ends = |element: &[u32], index: usize| element.get(index).copied().unwrap_or(u32::MAX);
    let common = left.iter().zip(right).take_while(|(l, r)| l == r).count();
    ends(right, common).cmp(&ends(left, common))
}

fn chooses(situation: &Situation, role: RoleId) -> bool {
    situation.turn() == Ok(Turn::Mover(role))
}

impl Expansion for States<'_> {
    fn engine(&self) -> Engine {
        Engine::Explicit
    }

    fn variables(&self) -> &Variables {
        &self.variables
    }

    fn initial(&self) -> &[bool] {
        &self.initial
    }

    fn rewards(&self) -> &[Vec<u8>] {
        &self.rewards
    }

    fn expand(&self, layer: &Diagram, _states: &BigUint) -> Result<(BigUint, Diagram), SolveError> {
        let mut terminal = 0u64;
        let count = |batch: &Batch| terminal += batch.situations.iter().filter(|s| s.terminal).count() as u64;
        let next = self.image(layer, |_| true, count)?;
        Ok((terminal.into(), next))
    }

    fn successors(&self, states: &Diagram) -> Result<Diagram, SolveError> {
        self.image(states, |_| true, |_| ())
    }

    fn terminals(&self, states: &Diagram) -> Result<Diagram, SolveError> {
        self.filtered(states, |batch| batch.situations.iter().map(|situation| situation.terminal).collect())
    }

    fn terminal_states(&self, states: &Diagram) -> Result<BigUint, SolveError> {
        let mut terminal = 0u64;
        self.for_each_batch(states, |batch| {
            terminal += batch.situations.iter().filter(|situation| situation.terminal).count() as u64;
            Ok(true)
        })?;
        Ok(terminal.into())
    }

    fn violation(&self, layer: &Diagram, _dead_ends: bool) -> Result<Option<Vec<bool>>, SolveError> {
        let mut found = None;
        self.for_each_batch(layer, |batch| {
            let wrong = batch.situations.iter().position(|situation| situation.turn().is_err());
            found = wrong.map(|index| self.assignment(&batch.elements[index].0));
            Ok(found.is_none())
        })?;
        Ok(found)
    }

    fn alternates(&self, layer: &Diagram) -> Result<bool, SolveError> {
        for role in (0..self.roles).map(RoleId) {
            let after = self.image(layer, |situation| chooses(situation, role), |_| ())?;
            let mut again = false;
            self.for_each_batch(&after, |batch| {
                again = batch.situations.iter().any(|situation| chooses(situation, role));
                Ok(!again)
            })?;
            if again {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn values(&self, layer: &Diagram, after: Given, preferences: &Preferences) -> Result<Diagram, SolveError> {
        let mut builder = SetBuilder::new(layer.levels(), self.context.limits());
        self.for_each_batch(layer, |batch| {
            let mut values = vec![DEAD_END; batch.states.len()];
            let mut movers = vec![RoleId(0); batch.states.len()];
            for (index, situation) in batch.situations.iter().enumerate() {
                match situation.turn() {
                    Ok(Turn::Terminal) => values[index] = self.value_of(situation),
                    // Its one successor has its value, whoever's order is taken.
                    Ok(Turn::Forced) => {}
                    // A dead end keeps the value of one.
                    Err(Violation::NoMove(_)) => {}
                    Ok(Turn::Mover(role)) => movers[index] = role,
                    Err(violation) => return Err(SolveError::Inconsistent(format!("in a stored layer, {violation}"))),
                }
            }
            for (index, successor) in self.successors_of(batch, |_| true) {
                let value = after.value_at(&self.assignment(&self.element(&successor)));
                let ranks = &preferences.ranks[movers[index].index()];
                if value == 0 || value as usize >= ranks.len() {
                    let message = format!("a successor of a state has the value {value} in the layer after it");
                    return Err(SolveError::Inconsistent(message));
                }
                let rank = |value: u32| ranks[value as usize];
                if values[index] == DEAD_END || rank(value) > rank(values[index]) {
                    values[index] = value;
                }
            }
            for ((element, _), value) in batch.elements.iter().zip(values) {
                builder.push(element, value)?;
            }
            Ok(true)
        })?;
        Ok(kernel::values_of_set(&builder.finish()?, self.context.limits())?)
    }

    fn choosing(&self, states: &Diagram, role: usize) -> Result<Diagram, SolveError> {
        self.filtered(states, |batch| batch.situations.iter().map(|s| chooses(s, RoleId(role as u32))).collect())
    }

    fn predecessors(&self, within: &Diagram, targets: &Diagram) -> Result<Diagram, SolveError> {
        self.filtered(within, |batch| {
            let mut leads = vec![false; batch.states.len()];
            for (index, successor) in self.successors_of(batch, |_| true) {
                leads[index] = leads[index] || targets.contains(&self.assignment(&self.element(&successor))) != 0;
            }
            leads
        })
    }

    fn predecessor(&self, states: &Diagram, target: &[bool]) -> Result<Option<Vec<bool>>, SolveError> {
        let target = State::from_flags(&self.variables.state(target));
        let mut found = None;
        self.for_each_batch(states, |batch| {
            let successors = self.successors_of(batch, |_| true);
            let index = successors.iter().find(|(_, successor)| *successor == target).map(|(index, _)| *index);
            found = index.map(|index| self.assignment(&batch.elements[index].0));
            Ok(found.is_none())
        })?;
        Ok(found)
    }
}
