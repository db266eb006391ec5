//! Random play in 64 states at once, which are stored by fluent: bit `k` of its word says whether it holds in state `k`.
//!
//! A step costs one word operation for each edge of the graph, and a few for each fluent and move. Legal moves are
//! counted in all states at once: bit `k` of word `i` of a counter is bit `i` of the number for state `k`.

use super::state::Bits;
use super::{Interpreter, State};
use crate::propositional::FluentId;
use base::random::Random;

/// A number for each of 64 states.
#[derive(Debug, Clone, Default)]
struct Counter(Vec<u64>);

impl Counter {
    /// Adds one in these states.
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

    /// Takes one in these states; returns those of them in which the number was zero.
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

/// 64 states that play goes on in.
pub struct Lanes {
    columns: Vec<u64>,
    values: Vec<u64>,
}

impl Lanes {
    /// By fluent: the states in which it holds.
    pub fn columns(&self) -> &[u64] {
        &self.columns
    }

    /// One of the states.
    pub fn state(&self, lane: u32) -> State {
        State::from_flags(&self.columns.iter().map(|column| column >> lane & 1 == 1).collect::<Vec<bool>>())
    }
}

impl Interpreter {
    /// The same state 64 times.
    pub fn lanes(&self, state: &State) -> Lanes {
        let column = |fluent| if state.contains(FluentId(fluent)) { u64::MAX } else { 0 };
        Lanes { columns: (0..self.fluents as u32).map(column).collect(), values: Vec::new() }
    }

    /// Makes one step of random play in every state, all joint moves equally likely. A state in which play has ended (a
    /// terminal state, or a role without a legal move) becomes `start`; the others are returned.
    pub fn play(&self, lanes: &mut Lanes, start: &State, random: &mut Random) -> u64 {
        let Lanes { columns, values } = lanes;
        self.state_code.clear(values);
        self.state_code.fluents.iter().for_each(|&(fluent, slot)| values[slot as usize] = columns[fluent as usize]);
        self.state_code.run(values);
        let (terminal, legal) = (values[self.state_code.roots[0] as usize], &self.state_code.roots[1..]);
        let mut counters = vec![Counter::default(); self.roles];
        for (&slot, role) in legal.iter().zip(&self.movers) {
            counters[role.index()].add(values[slot as usize]);
        }
        // From here on, the counters have how many moves are passed over before the one that is made.
        let mut moved = 0;
        for lane in Bits(!terminal) {
            let mut choices = counters.iter_mut().map(|counter| {
                let count = counter.get(lane as usize);
                counter.set(lane as usize, random.below(count));
                count > 0
            });
            moved |= u64::from(choices.all(|any| any)) << lane;
        }
        let mut open = vec![moved; self.roles];
        let mut made = vec![0; self.movers.len()];
        for ((&slot, role), made) in legal.iter().zip(&self.movers).zip(&mut made) {
            let open = &mut open[role.index()];
            *made = counters[role.index()].take(values[slot as usize] & *open);
            *open &= !*made;
        }
        self.next_code.clear(values);
        self.next_code.fluents.iter().for_each(|&(fluent, slot)| values[slot as usize] = columns[fluent as usize]);
        for (slot, made) in self.move_slots.iter().zip(made) {
            slot.iter().for_each(|&slot| values[slot as usize] = made);
        }
        self.next_code.run(values);
        for (fluent, (column, &slot)) in columns.iter_mut().zip(&self.next_code.roots).enumerate() {
            let again = if start.contains(FluentId(fluent as u32)) { !moved } else { 0 };
            *column = values[slot as usize] & moved | again;
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter::code::LANES;
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

    /// One state at a time, as `situation` and `successor` say.
    fn by_states(interpreter: &Interpreter, states: &mut [State], random: &mut Random) {
        for state in states.iter_mut() {
            let joint = interpreter.situation(state).random_joint_move(random);
            *state = joint.map_or_else(|| interpreter.initial(), |joint| interpreter.successor(state, &joint));
        }
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
                for (lane, state) in states.iter().enumerate() {
                    assert_eq!(lanes.state(lane as u32), *state, "step {step}, lane {lane}");
                }
                let going =
                    |state: &State| interpreter.situation(state).random_joint_move(&mut right.clone()).is_some();
                let going = (0..).zip(&states).fold(0, |all, (lane, state)| all | u64::from(going(state)) << lane);
                assert_eq!(interpreter.play(&mut lanes, &initial, &mut left), going);
                by_states(&interpreter, &mut states, &mut right);
            }
        }
    }
}
