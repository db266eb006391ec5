//! A sample of states that shows how the erroneous state (the witness) differs from others. Play goes on where the
//! solver refuses a state: roles without a move wait, and several roles may choose at once. The states nearest to the
//! witness and the initial state come first, then states of random play. The work for a state bounds their number.

use base::limits::{LimitReached, Limits};
use base::random::Random;
use fixedbitset::FixedBitSet;
use game::interpreter::{Interpreter, JointMove, Situation, State};
use game::propositional::{FluentId, Game};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// Random play ends with this number of states.
const STATES: usize = 4000;
/// With this number of states, no further state is expanded, and random play begins.
const NEAREST: usize = 2000;
/// Bound on the graph nodes that are evaluated for all states.
const WORK: usize = 100_000_000;
/// This number of states is evaluated in any case.
const LEAST: usize = 64;
const JOINT_MOVES: usize = 4096;
/// Largest number of plies of a random play.
const PLIES: usize = 100;
/// Number of random plays.
const PLAYS: usize = 200;

/// States, each once, with their situations; the witness is the first.
pub struct Sample {
    found: IndexMap<State, Situation, FxBuildHasher>,
}

impl Sample {
    pub fn new(game: &Game, witness: State, limits: &Limits) -> Result<Sample, LimitReached> {
        let interpreter = Interpreter::new(game);
        let most = (WORK / (2 * game.graph.len() + game.fluents.len() + 1)).clamp(LEAST, STATES);
        let mut sample = Sample { found: IndexMap::default() };
        for state in [witness, interpreter.initial()] {
            sample.add(&interpreter, state);
        }
        let mut next = 0;
        while next < sample.found.len() && sample.found.len() < most.min(NEAREST) {
            limits.check()?;
            let (state, situation) = sample.found.get_index(next).expect("one that was found");
            let (state, mut moving) = (state.clone(), situation.clone());
            moving.legal.retain(|moves| !moves.is_empty());
            let few = !moving.terminal && !moving.legal.is_empty() && moving.joint_move_count() <= JOINT_MOVES;
            for joint in few.then(|| moving.joint_moves()).into_iter().flatten() {
                let successor = interpreter.successor(&state, &joint);
                sample.add(&interpreter, successor);
            }
            next += 1;
        }
        let mut random = Random::new(1);
        for _ in 0..PLAYS {
            limits.check()?;
            let mut state = interpreter.initial();
            for _ in 0..PLIES {
                if sample.found.len() >= most {
                    return Ok(sample);
                }
                let situation = sample.add(&interpreter, state.clone());
                let moves = situation.legal.iter().filter_map(|moves| random.choose(moves).copied());
                let joint: JointMove = moves.collect();
                if situation.terminal || joint.is_empty() {
                    break;
                }
                state = interpreter.successor(&state, &joint);
            }
        }
        Ok(sample)
    }

    fn add(&mut self, interpreter: &Interpreter, state: State) -> &Situation {
        self.found.entry(state).or_insert_with_key(|state| interpreter.situation(state))
    }

    pub fn states(&self) -> Vec<&State> {
        self.found.keys().collect()
    }

    /// The states in whose situations a condition holds, by index.
    pub fn with(&self, condition: impl Fn(&Situation) -> bool) -> FixedBitSet {
        of(self.found.values().map(condition))
    }

    pub fn holding(&self, fluent: FluentId) -> FixedBitSet {
        of(self.found.keys().map(|state| state.contains(fluent)))
    }
}

fn of(flags: impl ExactSizeIterator<Item = bool>) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(flags.len());
    set.extend(flags.enumerate().filter(|(_, flag)| *flag).map(|(index, _)| index));
    set
}
