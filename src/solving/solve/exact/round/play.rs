//! A game in which at most one player chooses at a time, as moves between listed states; its attractors and its
//! components.
//!
//! A move leads to one of several outcomes, which are equally likely. Whoever is asked for decides against all others:
//! a state of nobody has a single move, so that it does not matter who is said to choose there.

use crate::listing::{Graph, MISSING};
use base::limits::{LimitReached, Limits};

/// Bytes of a state, beside its outcomes: who chooses, the width of its moves, and the place of its outcomes.
pub const STATE_BYTES: u64 = 16;
/// Bytes of a state while components are looked for.
const SEARCH_BYTES: u64 = 56;
/// Bytes of a state of [`Components`].
pub const COMPONENT_BYTES: u64 = 20;
/// States between two looks at the limits.
const LOOK: usize = 1 << 14;

/// No round: the state is not attracted.
pub const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub struct Play {
    /// The player that chooses, or [`Graph::NOBODY`].
    pub choosers: Vec<u32>,
    /// The number of outcomes of each move; 0 for a state without moves.
    pub widths: Vec<u32>,
    /// By state, the place of its first outcome; then the number of all outcomes.
    starts: Vec<usize>,
    targets: Vec<u32>,
}

/// The states from which moves lead to each state.
pub struct Before {
    starts: Vec<usize>,
    states: Vec<u32>,
}

/// States, each component after all those that can be reached from it; and the end of each component among them.
pub struct Components {
    pub states: Vec<u32>,
    pub ends: Vec<usize>,
}

impl Play {
    /// `degrees`: by state, the number of its outcomes, which `targets` has one state after the other.
    pub fn new(choosers: Vec<u32>, widths: Vec<u32>, degrees: &[u32], targets: Vec<u32>) -> Play {
        let mut starts = Vec::with_capacity(degrees.len() + 1);
        starts.push(0);
        starts.extend(degrees.iter().scan(0, |end, &degree| {
            *end += degree as usize;
            Some(*end)
        }));
        Play { choosers, widths, starts, targets }
    }

    pub fn len(&self) -> usize {
        self.choosers.len()
    }

    /// The outcomes of all moves of a state.
    pub fn outcomes(&self, state: usize) -> &[u32] {
        &self.targets[self.starts[state]..self.starts[state + 1]]
    }

    /// The moves of a state, each with its outcomes.
    pub fn moves(&self, state: usize) -> impl ExactSizeIterator<Item = &[u32]> {
        self.outcomes(state).chunks_exact(self.widths[state].max(1) as usize)
    }

    pub fn move_of(&self, state: usize, place: u32) -> &[u32] {
        &self.targets[self.place(state, place)..][..self.widths[state] as usize]
    }

    /// The place of a move's first outcome among those of all states.
    pub fn place(&self, state: usize, place: u32) -> usize {
        self.starts[state] + place as usize * self.widths[state] as usize
    }

    pub fn all_outcomes(&self) -> usize {
        self.targets.len()
    }

    pub fn before(&self) -> Before {
        let mut starts = vec![0; self.len() + 2];
        self.targets.iter().for_each(|&target| starts[target as usize + 2] += 1);
        (2..starts.len()).for_each(|place| starts[place] += starts[place - 1]);
        let mut states = vec![0; self.targets.len()];
        for state in 0..self.len() {
            for &target in self.outcomes(state) {
                let place = &mut starts[target as usize + 1];
                states[*place] = state as u32;
                *place += 1;
            }
        }
        Before { starts, states }
    }

    /// Bytes that [`Play::before`] and the lists of [`Play::attract`] take.
    pub fn before_bytes(&self) -> u64 {
        (16 * self.len() + 4 * self.targets.len()) as u64
    }

    /// The rounds of the states from which `role` leads play to those of round 0 with a positive probability, whatever
    /// all others do. A state of a round above 0 has an allowed move with an outcome of the round before it; a state in
    /// which another player chooses has an outcome of a round before it in every allowed move. Every other state keeps
    /// [`NONE`].
    pub fn attract(
        &self,
        before: &Before,
        role: u32,
        allowed: impl Fn(usize, u32) -> bool,
        rounds: &mut [u32],
        limits: &Limits,
    ) -> Result<(), LimitReached> {
        let mut front: Vec<u32> = (0..self.len() as u32).filter(|&state| rounds[state as usize] == 0).collect();
        let mut round = 0;
        while !front.is_empty() {
            let mut next = Vec::new();
            for some in front.chunks(LOOK) {
                limits.check()?;
                for &state in some.iter().flat_map(|&state| before.of(state as usize)) {
                    let place = state as usize;
                    if rounds[place] == NONE && self.leads(place, role, &allowed, rounds, round) {
                        rounds[place] = round + 1;
                        next.push(state);
                    }
                }
            }
            (front, round) = (next, round + 1);
        }
        Ok(())
    }

    /// Whether `role` leads play from a state to those of rounds up to `round` in one move.
    fn leads(
        &self,
        state: usize,
        role: u32,
        allowed: &impl Fn(usize, u32) -> bool,
        rounds: &[u32],
        round: u32,
    ) -> bool {
        let may = |outcomes: &[u32]| outcomes.iter().any(|&next| rounds[next as usize] <= round);
        let mut moves = (0..).zip(self.moves(state)).filter(|(place, _)| allowed(state, *place)).peekable();
        match [role, Graph::NOBODY].contains(&self.choosers[state]) {
            true => moves.any(|(_, outcomes)| may(outcomes)),
            false => moves.peek().is_some() && moves.all(|(_, outcomes)| may(outcomes)),
        }
    }

    /// The strongly connected components, by Tarjan's algorithm. That of `petgraph` calls itself for each state of a
    /// path, for which millions of states have no room on the stack.
    pub fn components(&self, limits: &Limits) -> Result<Components, LimitReached> {
        let _memory = limits.hold(SEARCH_BYTES * self.len() as u64)?;
        let mut found = Components { states: Vec::with_capacity(self.len()), ends: Vec::new() };
        // By state: the number of its visit, and the least number that is known to be in its component; 0 before.
        let (mut numbers, mut least) = (vec![0u32; self.len()], vec![0u32; self.len()]);
        let (mut open, mut way): (Vec<u32>, Vec<(u32, u32)>) = (Vec::new(), Vec::new());
        let mut visits = 0u32;
        for start in 0..self.len() as u32 {
            if numbers[start as usize] != 0 {
                continue;
            }
            way.push((start, 0));
            while let Some((state, done)) = way.pop() {
                let place = state as usize;
                if done == 0 {
                    visits += 1;
                    (numbers[place], least[place]) = (visits, visits);
                    open.push(state);
                    if (visits as usize).is_multiple_of(LOOK) {
                        limits.check()?;
                    }
                } else {
                    let child = self.outcomes(place)[done as usize - 1] as usize;
                    least[place] = least[place].min(least[child]);
                }
                let rest = self.outcomes(place).iter().enumerate().skip(done as usize);
                let mut child = None;
                for (index, &next) in rest {
                    // A state that is in a component already has the number MISSING, which lowers nothing.
                    match numbers[next as usize] {
                        0 => {
                            child = Some((index as u32 + 1, next));
                            break;
                        }
                        number => least[place] = least[place].min(number),
                    }
                }
                if let Some((done, child)) = child {
                    way.push((state, done));
                    way.push((child, 0));
                } else if least[place] == numbers[place] {
                    while let Some(member) = open.pop() {
                        (numbers[member as usize], least[member as usize]) = (MISSING, MISSING);
                        found.states.push(member);
                        if member == state {
                            break;
                        }
                    }
                    found.ends.push(found.states.len());
                }
            }
        }
        Ok(found)
    }

    /// The moves of some states alone, in their order; all states to which these lead come after them, and are the
    /// second result. `places` has [`MISSING`] for all states, before and after.
    pub fn part(&self, states: &[u32], places: &mut [u32]) -> (Play, Vec<u32>) {
        (0..).zip(states).for_each(|(place, &state)| places[state as usize] = place);
        let mut beyond = Vec::new();
        let (mut degrees, mut targets) = (Vec::new(), Vec::new());
        for &state in states {
            let outcomes = self.outcomes(state as usize);
            degrees.push(outcomes.len() as u32);
            for &target in outcomes {
                let place = &mut places[target as usize];
                if *place == MISSING {
                    *place = (states.len() + beyond.len()) as u32;
                    beyond.push(target);
                }
                targets.push(*place);
            }
        }
        let of = |all: &[u32], end: u32| -> Vec<u32> {
            let own = states.iter().map(|&state| all[state as usize]);
            own.chain(beyond.iter().map(|_| end)).collect()
        };
        let (choosers, widths) = (of(&self.choosers, Graph::NOBODY), of(&self.widths, 0));
        degrees.resize(choosers.len(), 0);
        states.iter().chain(&beyond).for_each(|&state| places[state as usize] = MISSING);
        (Play::new(choosers, widths, &degrees, targets), beyond)
    }
}

impl Before {
    fn of(&self, state: usize) -> &[u32] {
        &self.states[self.starts[state]..self.starts[state + 1]]
    }
}

impl Components {
    pub fn each(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.states[start..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn components_are_those_of_reachability_and_come_after_what_they_reach() {
        let (mut random, mut large) = (Random::new(5), 0);
        for _ in 0..1_000 {
            let states = 1 + random.below(10);
            let degrees: Vec<u32> = (0..states).map(|_| random.below(3) as u32).collect();
            let targets = degrees.iter().flat_map(|&degree| 0..degree).map(|_| random.below(states) as u32).collect();
            let play = Play::new(vec![Graph::NOBODY; states], degrees.clone(), &degrees, targets);
            let mut reaches: Vec<Vec<bool>> =
                (0..states).map(|one| (0..states).map(|two| one == two).collect()).collect();
            for _ in 0..states {
                for state in 0..states {
                    for &next in play.outcomes(state) {
                        let further = reaches[next as usize].clone();
                        reaches[state].iter_mut().zip(further).for_each(|(all, more)| *all |= more);
                    }
                }
            }
            let found = play.components(&Limits::unlimited()).unwrap();
            let mut number = vec![NONE; states];
            for (component, members) in found.each().enumerate() {
                members.iter().for_each(|&state| number[state as usize] = component as u32);
                large += usize::from(members.len() > 2);
            }
            for one in 0..states {
                for two in 0..states {
                    assert_eq!(number[one] == number[two], reaches[one][two] && reaches[two][one]);
                    assert!(!reaches[one][two] || number[two] <= number[one]);
                }
            }
        }
        assert!(large > 100, "{large}");
    }

    /// As many states in one component, one after the other, as would overflow the stack of a recursive search.
    #[test]
    fn long_ways_need_no_stack() {
        let states = 1_000_000u32;
        let targets = (0..states).map(|state| (state + 1) % states).collect();
        let ones = vec![1; states as usize];
        let play = Play::new(vec![Graph::NOBODY; states as usize], ones.clone(), &ones, targets);
        assert_eq!(play.components(&Limits::unlimited()).unwrap().ends, [states as usize]);
        let before = play.before();
        let mut rounds = vec![NONE; states as usize];
        rounds[7] = 0;
        play.attract(&before, 0, |_, _| true, &mut rounds, &Limits::unlimited()).unwrap();
        assert_eq!((rounds[6], rounds[8]), (1, states - 1));
    }
}
