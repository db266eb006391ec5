//! Random play in 64 states at once, stored by fluent: bit `k` of a fluent's word is whether it holds in state `k`.
//!
//! A step costs one word operation for each edge of the graph, and a few for each fluent and move. Legal moves are
//! counted in all states at once: bit `k` of word `i` of a counter is bit `i` of the number for state `k`.

use super::code::LANES;
use super::{Interpreter, JointMove, State};
use crate::propositional::{FluentId, MoveId, RoleId};
use base::bits::{ones, transpose};
use base::random::Random;

#[derive(Debug, Clone, Default)]
struct Counter(Vec<u64>);

impl Counter {
    fn add(&mut self, mut carry: u64) {
        for digit in &mut self.0 {
            (*digit, carry) = (*digit ^ carry, *digit & carry);
            if carry == 0 {
                return;
            }
        }
        if carry != 0 {
            self.0.push(carry);
        }
    }

    /// Subtracts one in the states `borrow`. Returns the states among them in which the number was zero.
    fn take(&mut self, mut borrow: u64) -> u64 {
        for digit in &mut self.0 {
            (*digit, borrow) = (*digit ^ borrow, !*digit & borrow);
            if borrow == 0 {
                break;
            }
        }
        borrow
    }

    fn get(&self, lane: usize) -> usize {
        self.0.iter().enumerate().map(|(place, digit)| ((digit >> lane & 1) as usize) << place).sum()
    }

    fn set(&mut self, lane: usize, number: usize) {
        let places = self.0.iter_mut().enumerate();
        places.for_each(|(place, digit)| *digit = *digit & !(1 << lane) | (number as u64 >> place & 1) << lane);
    }
}

pub struct Lanes {
    columns: Vec<u64>,
    values: Vec<u64>,
    terminal: u64,
    counters: Vec<Counter>,
    /// For each move, the states in which the last step made it.
    made: Vec<u64>,
}

/// For each property that decides how play continues, the states among 64 that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    pub terminal: u64,
    /// For each role, the states in which it has a legal move.
    pub able: Vec<u64>,
    /// For each role, the states in which it has more than one legal move.
    pub choosing: Vec<u64>,
    /// The states in which every role has exactly one reward.
    pub paid: u64,
}

impl Lanes {
    pub fn columns(&self) -> &[u64] {
        &self.columns
    }

    pub fn states(&self) -> Vec<State> {
        let mut states = vec![State::empty(self.columns.len()); LANES];
        for (word, columns) in self.columns.chunks(64).enumerate() {
            let mut rows = [0; 64];
            rows[..columns.len()].copy_from_slice(columns);
            transpose(&mut rows);
            states.iter_mut().zip(rows).for_each(|(state, row)| state.set_word(word, row));
        }
        states
    }
}

impl Interpreter {
    pub fn lanes(&self, state: &State) -> Lanes {
        let column = |fluent| if state.contains(FluentId(fluent)) { u64::MAX } else { 0 };
        Lanes {
            columns: (0..self.fluents as u32).map(column).collect(),
            values: Vec::new(),
            terminal: 0,
            counters: Vec::new(),
            made: vec![0; self.movers.len()],
        }
    }

    /// Makes one step of random play in every state; all joint moves are equally likely. A state in which play has
    /// ended (it is terminal, or a role has no legal move) becomes `start`; the other states are returned.
    pub fn play(&self, lanes: &mut Lanes, start: &State, random: &mut Random) -> u64 {
        self.evaluate(lanes);
        self.step(lanes, 0..LANES, start, random)
    }

    /// Evaluates the states. A call of [`Interpreter::step`] may follow.
    pub fn look(&self, lanes: &mut Lanes) -> View {
        self.evaluate(lanes);
        let Lanes { values, terminal, counters, .. } = &*lanes;
        let digits = |counter: &Counter, from: usize| counter.0.iter().skip(from).fold(0, |any, digit| any | digit);
        // The states in which a role has at least one reward, and at least two.
        let mut rewards = vec![(0, 0); self.roles];
        let goals = &self.state_code.roots[1 + self.movers.len()..];
        for (&slot, (role, _)) in goals.iter().zip(&self.rewards) {
            let (one, two) = &mut rewards[role.index()];
            *two |= *one & values[slot as usize];
            *one |= values[slot as usize];
        }
        View {
            terminal: *terminal,
            able: counters.iter().map(|counter| digits(counter, 0)).collect(),
            choosing: counters.iter().map(|counter| digits(counter, 1)).collect(),
            paid: rewards.iter().fold(u64::MAX, |paid, (one, two)| paid & one & !two),
        }
    }

    /// After [`Interpreter::look`], for each role and reward, the states in which the role has the reward.
    pub fn rewards<'l>(&'l self, lanes: &'l Lanes) -> impl Iterator<Item = (RoleId, u8, u64)> + 'l {
        let goals = &self.state_code.roots[1 + self.movers.len()..];
        goals.iter().zip(&self.rewards).map(|(&slot, &(role, reward))| (role, reward, lanes.values[slot as usize]))
    }

    fn evaluate(&self, lanes: &mut Lanes) {
        let Lanes { columns, values, terminal, counters, .. } = lanes;
        self.state_code.clear(values);
        self.state_code.fluents.iter().for_each(|&(fluent, slot)| values[slot as usize] = columns[fluent as usize]);
        self.state_code.run(values);
        *terminal = values[self.state_code.roots[0] as usize];
        counters.clear();
        counters.resize(self.roles, Counter::default());
        for (&slot, role) in self.state_code.roots[1..].iter().zip(&self.movers) {
            counters[role.index()].add(values[slot as usize]);
        }
    }

    /// As [`play`](Self::play), after [`Interpreter::look`]. Random numbers are drawn for the states in this `order`.
    pub fn step(
        &self,
        lanes: &mut Lanes,
        order: impl Iterator<Item = usize>,
        start: &State,
        random: &mut Random,
    ) -> u64 {
        let Lanes { columns, values, terminal, counters, made } = lanes;
        // The counters now contain the number of moves to skip before the chosen move.
        let mut moved = 0;
        for lane in order.filter(|lane| *terminal >> lane & 1 == 0) {
            let mut choices = counters.iter_mut().map(|counter| {
                let count = counter.get(lane);
                counter.set(lane, random.below(count));
                count > 0
            });
            moved |= u64::from(choices.all(|any| any)) << lane;
        }
        let mut open = vec![moved; self.roles];
        for ((&slot, role), made) in self.state_code.roots[1..].iter().zip(&self.movers).zip(&mut *made) {
            let open = &mut open[role.index()];
            *made = counters[role.index()].take(values[slot as usize] & *open);
            *open &= !*made;
        }
        self.next_code.clear(values);
        self.next_code.fluents.iter().for_each(|&(fluent, slot)| values[slot as usize] = columns[fluent as usize]);
        for (slot, &made) in self.move_slots.iter().zip(&*made) {
            slot.iter().for_each(|&slot| values[slot as usize] = made);
        }
        self.next_code.run(values);
        for (fluent, (column, &slot)) in columns.iter_mut().zip(&self.next_code.roots).enumerate() {
            let again = if start.contains(FluentId(fluent as u32)) { !moved } else { 0 };
            *column = values[slot as usize] & moved | again;
        }
        moved
    }

    /// For each state, the joint move of the last step; `None` if play began again.
    pub fn made(&self, lanes: &Lanes) -> Vec<Option<JointMove>> {
        let mut joints: Vec<Option<JointMove>> = vec![None; LANES];
        for ((&made, role), action) in lanes.made.iter().zip(&self.movers).zip(0..) {
            for lane in ones(made) {
                let joint = joints[lane].get_or_insert_with(|| JointMove::from_elem(MoveId(0), self.roles));
                joint[role.index()] = MoveId(action);
            }
        }
        joints
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::handmade::{lines, nim};

    #[test]
    fn counters_count_and_take_in_each_state() {
        let mut counter = Counter::default();
        for mask in [0b0111u64, 0b0011, 0b0001, 0b0001, 0b0001] {
            counter.add(mask);
        }
        assert_eq!([0, 1, 2, 3].map(|lane| counter.get(lane)), [5, 2, 1, 0]);
        counter.set(0, 3);
        assert_eq!(counter.take(0b1101), 0b1000);
        assert_eq!([0, 1, 2].map(|lane| counter.get(lane)), [2, 2, 0]);
    }

    /// The same as `step`, one state at a time, by `situation` and `successor`. Returns the joint moves.
    fn by_states(
        interpreter: &Interpreter,
        states: &mut [State],
        order: impl Iterator<Item = usize>,
        random: &mut Random,
    ) -> Vec<Option<JointMove>> {
        let mut made = vec![None; LANES];
        for lane in order {
            let joint = interpreter.situation(&states[lane]).random_joint_move(random);
            let next = joint.as_ref().map(|joint| interpreter.successor(&states[lane], joint));
            states[lane] = next.unwrap_or_else(|| interpreter.initial());
            made[lane] = joint;
        }
        made
    }

    #[test]
    fn play_by_columns_is_play_by_states() {
        for game in [lines(3, 3, 3), nim(11, 3)] {
            let interpreter = Interpreter::new(&game);
            let initial = interpreter.initial();
            let mut lanes = interpreter.lanes(&initial);
            let mut states = vec![initial.clone(); LANES];
            let (mut left, mut right) = (Random::new(7), Random::new(7));
            for step in 0..60 {
                assert_eq!(lanes.states(), states, "step {step}");
                let (moved, made) = if step % 2 == 0 {
                    let moved = interpreter.play(&mut lanes, &initial, &mut left);
                    (moved, by_states(&interpreter, &mut states, 0..LANES, &mut right))
                } else {
                    interpreter.look(&mut lanes);
                    let moved = interpreter.step(&mut lanes, (0..LANES).rev(), &initial, &mut left);
                    (moved, by_states(&interpreter, &mut states, (0..LANES).rev(), &mut right))
                };
                assert!((0..LANES).all(|lane| (moved >> lane & 1 == 1) == made[lane].is_some()), "step {step}");
                assert_eq!(interpreter.made(&lanes), made, "step {step}");
            }
        }
    }

    #[test]
    fn a_look_at_columns_shows_what_holds_in_each_state() {
        for game in [lines(3, 3, 3), nim(11, 3)] {
            let interpreter = Interpreter::new(&game);
            let initial = interpreter.initial();
            let (mut lanes, mut random) = (interpreter.lanes(&initial), Random::new(3));
            for _ in 0..60 {
                let view = interpreter.look(&mut lanes);
                for (lane, state) in lanes.states().iter().enumerate() {
                    let situation = interpreter.situation(state);
                    let at = |word: u64| word >> lane & 1 == 1;
                    assert_eq!(at(view.terminal), situation.terminal);
                    for (role, legal) in situation.legal.iter().enumerate() {
                        assert_eq!(
                            (at(view.able[role]), at(view.choosing[role])),
                            (!legal.is_empty(), legal.len() > 1)
                        );
                    }
                    assert_eq!(at(view.paid), situation.goals.iter().all(|rewards| rewards.len() == 1));
                    let mut goals = vec![Vec::new(); interpreter.roles];
                    let paid = interpreter.rewards(&lanes).filter(|&(_, _, states)| at(states));
                    paid.for_each(|(role, reward, _)| goals[role.index()].push(reward));
                    assert_eq!(goals, situation.goals);
                }
                interpreter.step(&mut lanes, 0..LANES, &initial, &mut random);
            }
        }
    }
}
