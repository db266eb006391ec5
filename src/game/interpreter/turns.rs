//! Whose turn it is in a state in which nobody has a choice.
//!
//! The form of the rules gives literals without which a role has no choice ([`Game::turn_literals`]). Several of a
//! role may be among them: its turn, and conditions such as that it has a piece left. In random plays exactly one
//! player has the turn, which tells them apart.

use super::{Interpreter, JointMove, State};
use crate::propositional::{Game, Literal};
use base::random::Random;
use fixedbitset::FixedBitSet;

/// Random plays, and the bound on the plies of each.
const PLAYS: usize = 32;
const PLIES: usize = 32;
/// Bound on the steps of the search for one literal of each role.
const STEPS: usize = 1 << 17;

impl Interpreter {
    /// By role: the literals that tell that it is its turn; all that can be seen in the rules unless one of each role
    /// is singled out by random plays, without negations where a role has others. Found once. `game`: that of the
    /// interpreter.
    pub fn turns(&self, game: &Game) -> &[Vec<Literal>] {
        let find = || {
            let mut literals = game.turn_literals();
            if let Some(found) = self.single_out(&literals) {
                return found;
            }
            for own in literals.iter_mut().filter(|own| own.iter().any(|literal| literal.1)) {
                own.retain(|literal| literal.1);
            }
            literals
        };
        self.turns.get_or_init(find)
    }

    /// One literal of each role that has some, if no two of them hold in the same state of random plays, each holds in
    /// one, and no other choice that the search meets covers more states. `None` if there are no such ones, or
    /// fewer than two roles have some.
    fn single_out(&self, literals: &[Vec<Literal>]) -> Option<Vec<Vec<Literal>>> {
        let choosers: Vec<usize> = (0..literals.len()).filter(|&role| !literals[role].is_empty()).collect();
        if choosers.len() < 2 {
            return None;
        }
        let states = self.sampled();
        let holds = |&(fluent, value): &Literal| -> FixedBitSet {
            (0..states.len()).filter(|&state| states[state].contains(fluent) == value).collect()
        };
        let columns = choosers.iter().map(|&role| literals[role].iter().map(holds).collect()).collect();
        let mut search = Search { columns, chosen: Vec::new(), best: None, steps: 0 };
        search.extend(&FixedBitSet::with_capacity(states.len()));
        let (_, best) = search.best?;
        let mut found = vec![Vec::new(); literals.len()];
        choosers.iter().zip(best).for_each(|(&role, place)| found[role].push(literals[role][place]));
        Some(found)
    }

    /// The states of random plays in which play goes on. All plays are evaluated at once.
    fn sampled(&self) -> Vec<State> {
        let (mut random, mut found) = (Random::new(0), Vec::new());
        let mut states = vec![self.initial(); PLAYS];
        for _ in 0..PLIES {
            let mut situations = Vec::with_capacity(states.len());
            self.situations(&states.iter().collect::<Vec<_>>(), &mut situations);
            let joints = situations.iter().map(|situation| situation.random_joint_move(&mut random));
            let going = states.into_iter().zip(joints).filter_map(|(state, joint)| Some((state, joint?)));
            let going: Vec<(State, JointMove)> = going.collect();
            let pairs: Vec<_> = going.iter().map(|(state, joint)| (state, joint.as_slice())).collect();
            let mut next = Vec::with_capacity(pairs.len());
            self.successors(&pairs, &mut next);
            found.extend(going.into_iter().map(|(state, _)| state));
            states = next;
        }
        found
    }
}

/// A search for one column of each kind that share no row and cover most rows.
struct Search {
    columns: Vec<Vec<FixedBitSet>>,
    chosen: Vec<usize>,
    /// The number of rows that are covered, and the columns.
    best: Option<(usize, Vec<usize>)>,
    steps: usize,
}

impl Search {
    fn extend(&mut self, covered: &FixedBitSet) {
        let kind = self.chosen.len();
        if kind == self.columns.len() {
            let rows = covered.count_ones(..);
            if self.best.as_ref().is_none_or(|best| rows > best.0) {
                self.best = Some((rows, self.chosen.clone()));
            }
            return;
        }
        for place in 0..self.columns[kind].len() {
            self.steps += 1;
            let column = &self.columns[kind][place];
            if self.steps > STEPS || column.is_clear() || !column.is_disjoint(covered) {
                continue;
            }
            let covered = covered | column;
            self.chosen.push(place);
            self.extend(&covered);
            self.chosen.pop();
        }
    }
}
