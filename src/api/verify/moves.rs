//! Situations and successors of many states, evaluated by the interpreter on several threads.

use base::together::shared;
use game::interpreter::{Interpreter, JointMove, Situation, State, Turn};
use std::convert::Infallible;
use std::ops::Range;

/// States, or pairs of state and joint move, that the interpreter evaluates at once.
const AT_ONCE: u64 = 64;

/// Number of joint moves whose successors are in memory together, unless one state has more.
const JOINT_MOVES: usize = 1 << 16;

pub struct Moves<'a> {
    pub interpreter: &'a Interpreter,
    pub threads: usize,
}

impl Moves<'_> {
    pub fn situations(&self, states: &[State]) -> Vec<Situation> {
        self.in_order(states.len(), |range, found| {
            let states: Vec<&State> = states[range].iter().collect();
            self.interpreter.situations(&states, found);
        })
    }

    pub fn successors(&self, pairs: &[(&State, JointMove)]) -> Vec<State> {
        self.in_order(pairs.len(), |range, found| {
            let pairs: Vec<_> = pairs[range].iter().map(|(state, joint)| (*state, joint.as_slice())).collect();
            self.interpreter.successors(&pairs, found);
        })
    }

    /// Calls `take` with each state, its situation and, if play goes on, its successors in the order of the joint moves.
    pub fn each<E>(
        &self,
        states: &[State],
        mut take: impl FnMut(&State, &Situation, &[State]) -> Result<(), E>,
    ) -> Result<(), E> {
        let situations = self.situations(states);
        let count = |situation: &Situation| match situation.turn() {
            Ok(Turn::Forced | Turn::Mover(_)) => situation.joint_move_count(),
            _ => 0,
        };
        let mut rest = states.iter().zip(&situations).peekable();
        while rest.peek().is_some() {
            let (mut some, mut pairs) = (Vec::new(), Vec::new());
            while let Some((state, situation)) =
                rest.next_if(|(_, next)| pairs.is_empty() || pairs.len() + count(next) <= JOINT_MOVES)
            {
                let first = pairs.len();
                pairs.extend(situation.joint_moves().take(count(situation)).map(|joint| (state, joint)));
                some.push((state, situation, first..pairs.len()));
            }
            let successors = self.successors(&pairs);
            some.into_iter().try_for_each(|(state, situation, range)| take(state, situation, &successors[range]))?;
        }
        Ok(())
    }

    /// What `work` adds for the numbers below `count`, in their order.
    pub fn in_order<T: Send>(&self, count: usize, work: impl Fn(Range<usize>, &mut Vec<T>) + Sync) -> Vec<T> {
        let one = |parts: &mut Vec<(u64, Vec<T>)>, range: Range<u64>| -> Result<(), Infallible> {
            let mut found = Vec::with_capacity((range.end - range.start) as usize);
            work(range.start as usize..range.end as usize, &mut found);
            parts.push((range.start, found));
            Ok(())
        };
        let join = |all: &mut Vec<(u64, Vec<T>)>, part: Vec<(u64, Vec<T>)>| all.extend(part);
        let Ok(mut parts) = shared(0..count as u64, AT_ONCE, self.threads, Vec::new, one, |parts| parts, join);
        parts.sort_unstable_by_key(|part| part.0);
        parts.into_iter().flat_map(|part| part.1).collect()
    }
}
