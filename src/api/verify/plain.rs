//! The rules on batches of packed states, by the reference interpreter: state after state, joint move after joint move.
//! The solver's evaluator does the same by specialised circuits; what is wrong in it shows here.

use game::batch::{Layout, Plane};
use game::interpreter::{Interpreter, JointMove, Situation, State};
use game::propositional::{Game, RoleId};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// Bytes of a state of the batch with what holds in it, besides its fluents and legal moves.
const STATE_BYTES: usize = size_of::<State>() + size_of::<Situation>() + 64;
/// Bytes of a joint move in the table, besides the table's own.
const JOINT_BYTES: usize = 32;

/// The states after one joint move, one for each lane in which it was made, ascending.
#[derive(Debug, Default)]
pub struct Successors {
    /// Packed, one after the other.
    pub states: Vec<u64>,
    /// The lanes whose successor has no packed form; their entries in `states` are zeros.
    pub unfit: Plane,
}

/// Evaluates the rules of one game on batches of packed states.
pub struct Plain<'g> {
    layout: &'g Layout,
    interpreter: Interpreter,
    fluents: usize,
    states: Vec<State>,
    situations: Vec<Situation>,
    /// The joint moves that it has met.
    joints: IndexSet<JointMove, FxBuildHasher>,
}

impl<'g> Plain<'g> {
    pub fn new(game: &Game, layout: &'g Layout) -> Plain<'g> {
        Plain {
            layout,
            interpreter: Interpreter::new(game),
            fluents: game.fluents.len(),
            states: Vec::new(),
            situations: Vec::new(),
            joints: IndexSet::default(),
        }
    }

    /// Loads a batch of packed states, as many as a plane has lanes at most, and finds what holds in each.
    pub fn load(&mut self, packed: &[u64]) {
        self.states = packed.chunks_exact(self.layout.words()).map(|state| self.layout.state(state)).collect();
        self.situations.clear();
        let states: Vec<&State> = self.states.iter().collect();
        self.interpreter.situations(&states, &mut self.situations);
    }

    /// Number of states.
    pub fn lanes(&self) -> usize {
        self.states.len()
    }

    /// What holds in a state.
    pub fn situation(&self, lane: usize) -> &Situation {
        &self.situations[lane]
    }

    fn where_holds(&self, what: impl Fn(&Situation) -> bool) -> Plane {
        let mut plane = Plane::NONE;
        let lanes = self.situations.iter().enumerate().filter(|(_, situation)| what(situation));
        lanes.for_each(|(lane, _)| plane.set(lane));
        plane
    }

    /// Where play is over.
    pub fn terminal(&self) -> Plane {
        self.where_holds(|situation| situation.terminal)
    }

    /// Where play is not over and a role has more than one legal move.
    pub fn choice(&self, role: RoleId) -> Plane {
        self.where_holds(|situation| !situation.terminal && situation.legal[role.index()].len() > 1)
    }

    /// Where states are ill-formed.
    pub fn faults(&self) -> Plane {
        self.where_holds(|situation| situation.turn().is_err())
    }

    /// Replaces `found` by the joint moves that are legal in some of the given states, which must be well-formed, each by
    /// its number and with those states. Terminal states have none.
    pub fn joint_moves(&mut self, lanes: Plane, found: &mut Vec<(usize, Plane)>) {
        let mut planes: Vec<Plane> = vec![Plane::NONE; self.joints.len()];
        for (lane, situation) in self.situations.iter().enumerate() {
            if situation.terminal || !lanes.get(lane) {
                continue;
            }
            for joint in situation.joint_moves() {
                let (number, _) = self.joints.insert_full(joint);
                if number == planes.len() {
                    planes.push(Plane::NONE);
                }
                planes[number].set(lane);
            }
        }
        found.clear();
        found.extend(planes.into_iter().enumerate().filter(|(_, lanes)| !lanes.is_none()));
    }

    /// The moves of a joint move.
    pub fn joint(&self, number: usize) -> &JointMove {
        self.joints.get_index(number).expect("numbers come from the table")
    }

    /// The states after a joint move in some lanes of the batch, in which it is legal.
    pub fn successors(&self, number: usize, lanes: &Plane, found: &mut Successors) {
        let joint = self.joint(number).as_slice();
        let pairs: Vec<_> = lanes.lanes().map(|lane| (&self.states[lane], joint)).collect();
        let mut after = Vec::with_capacity(pairs.len());
        self.interpreter.successors(&pairs, &mut after);
        found.states.clear();
        found.unfit = Plane::NONE;
        for (lane, state) in lanes.lanes().zip(after) {
            match self.layout.pack(&state) {
                Some(packed) => found.states.extend(packed),
                None => {
                    found.states.extend(std::iter::repeat_n(0, self.layout.words()));
                    found.unfit.set(lane);
                }
            }
        }
    }

    /// Approximate number of bytes kept from batch to batch.
    pub fn bytes(&self) -> usize {
        let moves: usize =
            self.situations.iter().flat_map(|situation| &situation.legal).map(|legal| 4 * legal.len()).sum();
        let joints = self.joints.len() * (size_of::<JointMove>() + JOINT_BYTES);
        self.states.len() * (STATE_BYTES + self.fluents / 8) + moves + joints
    }

    /// Forgets the joint moves that it has met; their numbers mean nothing any more.
    pub fn forget(&mut self) {
        self.joints = IndexSet::default();
    }
}
