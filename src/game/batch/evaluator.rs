//! Evaluates a batch: conditions of its states, their joint moves and successors.

mod paired;

pub use paired::Pairs;

use super::circuit::Edge;
use super::layout::{Layout, shift};
use super::plane::{LANES, Plane, WORDS};
use super::program::{Effects, Program, Scratch, slot};
use crate::interpreter::JointMove;
use crate::propositional::{Game, MoveId, RoleId};
use base::bits::{ones, transpose};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::sync::Arc;

use paired::Paired;

/// Bound on the gates of the specialised joint moves that are kept.
const MOST_GATES: usize = 1 << 22;
const JOINT_BYTES: usize = 32;
/// Bits are flipped singly up to this product of bits that can change and states; above it, a transposition is faster.
const FEW_BITS: usize = 96;

/// The index of a joint move, in the order of discovery by an evaluator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointId(u32);

impl JointId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The ill-formed states of a batch; see [`Violation`](crate::interpreter::Violation).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Faults {
    pub no_goal: Plane,
    pub two_goals: Plane,
    pub no_move: Plane,
    /// Play is not over, every role has a legal move, and two roles have a choice. Empty after
    /// [`Evaluator::allow_joint_choices`].
    pub two_movers: Plane,
}

impl Faults {
    pub fn any(&self) -> Plane {
        self.no_goal | self.two_goals | self.no_move | self.two_movers
    }
}

/// The states after one joint move in some lanes, or after the moves of [`Pairs`], in the order of lanes or pairs.
#[derive(Debug, Default)]
pub struct Successors {
    pub states: Vec<u64>,
    /// The lanes or pairs whose successor has no packed form: their `states` are meaningless. Empty if not asked for.
    pub unfit: Plane,
}

/// Evaluates the rules of one game on batches of packed states. Reuse it, because it keeps the effects of joint moves.
#[derive(Debug, Clone)]
pub struct Evaluator<'g> {
    layout: Layout,
    program: Program<'g>,
    joint: bool,
    roles: usize,
    moves: Vec<Vec<MoveId>>,
    joints: IndexMap<JointMove, Option<Effects>, FxBuildHasher>,
    /// Number of gates, and of bits that can change, of all kept effects.
    gates: usize,
    /// Number of kept effects.
    made: usize,
    /// The circuit for pairs of states and joint moves, built on first use.
    paired: Option<Arc<Paired>>,
    pair_slots: Vec<Plane>,
    work: u64,
    scratch: Scratch,
    slots: Vec<Plane>,
    states: Vec<u64>,
    valid: Plane,
    terminal: Plane,
    /// For each role, the lanes in which it has a legal move.
    one: Vec<Plane>,
    /// For each role, the lanes in which it has several legal moves.
    two: Vec<Plane>,
}

impl<'g> Evaluator<'g> {
    pub fn new(game: &'g Game, layout: &Layout) -> Self {
        let program = Program::new(game, layout);
        let slots = vec![Plane::NONE; program.state.end()];
        let roles = game.roles.len();
        Evaluator {
            layout: layout.clone(),
            program,
            joint: false,
            roles,
            moves: game.role_ids().map(|role| game.moves_of(role).collect()).collect(),
            joints: IndexMap::default(),
            gates: 0,
            made: 0,
            paired: None,
            pair_slots: Vec::new(),
            work: 0,
            scratch: Scratch::default(),
            slots,
            states: Vec::new(),
            valid: Plane::NONE,
            terminal: Plane::NONE,
            one: vec![Plane::NONE; roles],
            two: vec![Plane::NONE; roles],
        }
    }

    pub fn allow_joint_choices(&mut self) {
        self.joint = true;
    }

    /// Loads a batch of at most [`LANES`] packed states and evaluates the conditions of the game.
    pub fn load(&mut self, states: &[u64]) {
        let words = self.layout.words();
        let lanes = states.len() / words;
        assert!(lanes <= LANES && lanes * words == states.len(), "a batch of whole states");
        self.states.clear();
        self.states.extend_from_slice(states);
        self.valid = Plane::first(lanes);
        load_bits(&mut self.slots, self.layout.bits().len(), lanes, |lane, word| states[lane * words + word]);
        let (program, slots) = (&self.program, &mut self.slots);
        program.state.run(slots);
        self.work += program.state.len() as u64;
        self.terminal = program.terminal.plane(slots) & self.valid;
        for (role, moves) in self.moves.iter().enumerate() {
            let (mut one, mut two) = (Plane::NONE, Plane::NONE);
            for action in moves {
                let legal = program.legal[action.index()].plane(slots);
                two |= one & legal;
                one |= legal;
            }
            (self.one[role], self.two[role]) = (one & self.valid, two & self.valid);
        }
    }

    pub fn lanes(&self) -> usize {
        self.states.len() / self.layout.words()
    }

    /// Number of gates evaluated when a batch is loaded.
    pub fn gates(&self) -> u64 {
        self.program.state.len() as u64
    }

    /// Number of gates evaluated so far; a gate counts once for a whole batch.
    pub fn work(&self) -> u64 {
        self.work
    }

    pub fn terminal(&self) -> Plane {
        self.terminal
    }

    /// For each role, then each reward in ascending order, the terminal states that have this reward.
    pub fn rewards(&self) -> impl Iterator<Item = (RoleId, u8, Plane)> + '_ {
        let goals = self.program.goals.iter().filter(|_| !self.terminal.is_none());
        goals.map(|goal| (goal.role, goal.reward, goal.edge.plane(&self.slots) & self.terminal))
    }

    /// The states in which a move is legal, terminal states included.
    pub fn legal(&self, action: MoveId) -> Plane {
        self.program.legal[action.index()].plane(&self.slots) & self.valid
    }

    /// The states in which play is not over and the role has more than one legal move.
    pub fn choice(&self, role: RoleId) -> Plane {
        self.two[role.index()] & !self.terminal
    }

    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        if !self.terminal.is_none() {
            for role in (0..self.roles as u32).map(RoleId) {
                let (mut one, mut two) = (Plane::NONE, Plane::NONE);
                for (_, _, plane) in self.rewards().filter(|(of, ..)| *of == role) {
                    two |= one & plane;
                    one |= plane;
                }
                faults.no_goal |= self.terminal & !one;
                faults.two_goals |= two;
            }
        }
        let going = self.valid & !self.terminal;
        let mut choice = Plane::NONE;
        for (one, two) in self.one.iter().zip(&self.two) {
            faults.no_move |= going & !*one;
            faults.two_movers |= choice & *two;
            choice |= going & *two;
        }
        faults.two_movers &= !faults.no_move;
        if self.joint {
            faults.two_movers = Plane::NONE;
        }
        faults
    }

    /// Replaces the contents of `found` by the joint moves that are legal in some of the given states, each with the
    /// states in which it is legal, in the order of the moves; the last role varies fastest. Terminal states, and
    /// states in which a role has no legal move, have no joint move. If several roles choose, there are as many joint
    /// moves as the product of their numbers of moves.
    pub fn joint_moves(&mut self, lanes: Plane, found: &mut Vec<(JointId, Plane)>) {
        found.clear();
        let going = lanes & self.going();
        if going.is_none() {
            return;
        }
        // Roles may have very many moves, few of which are legal in a batch.
        let legal_of = |moves: &Vec<MoveId>| -> Vec<(MoveId, Plane)> {
            let legal = moves.iter().map(|&action| (action, self.legal(action) & going));
            legal.filter(|(_, lanes)| !lanes.is_none()).collect()
        };
        let legal: Vec<_> = self.moves.iter().map(legal_of).collect();
        self.add_joint_moves(&legal, &mut SmallVec::new(), going, found);
    }

    /// The states in which play is not over and every role has a legal move.
    fn going(&self) -> Plane {
        self.one.iter().fold(self.valid & !self.terminal, |going, one| going & *one)
    }

    fn number(&mut self, joint: &JointMove) -> JointId {
        let (index, _) = match self.joints.get_full(joint) {
            Some((index, ..)) => (index, None),
            None => self.joints.insert_full(joint.clone(), None),
        };
        JointId(index as u32)
    }

    /// `legal`: for each role that has not moved yet, the moves that are legal in some lane.
    fn add_joint_moves(
        &mut self,
        legal: &[Vec<(MoveId, Plane)>],
        joint: &mut JointMove,
        lanes: Plane,
        found: &mut Vec<(JointId, Plane)>,
    ) {
        if lanes.is_none() {
            return;
        }
        let Some((first, others)) = legal.split_first() else {
            found.push((self.number(joint), lanes));
            return;
        };
        for (action, legal) in first {
            joint.push(*action);
            self.add_joint_moves(others, joint, *legal & lanes, found);
            joint.pop();
        }
    }

    pub fn joint(&self, id: JointId) -> &JointMove {
        self.joints.get_index(id.index()).expect("ids come from the table").0
    }

    /// Replaces the contents of `found` by the states after a joint move in `lanes`, in which it must be legal.
    pub fn successors(&mut self, id: JointId, lanes: &Plane, found: &mut Successors) {
        self.packable_successors(id, lanes, found);
        let effects = self.joints[id.index()].as_ref().expect("it was just specialised");
        if self.slots.len() < effects.check.end() {
            self.slots.resize(effects.check.end(), Plane::NONE);
        }
        effects.check.run(&mut self.slots);
        self.work += effects.check.len() as u64;
        found.unfit = effects.unfit.plane(&self.slots) & *lanes;
    }

    /// As [`Evaluator::successors`], for callers who know that all successors have a packed form: about twice as fast
    /// if moves change large groups.
    pub fn packable_successors(&mut self, id: JointId, lanes: &Plane, found: &mut Successors) {
        self.specialise(id);
        let (_, effects) = self.joints.get_index(id.index()).expect("ids come from the table");
        let effects = effects.as_ref().expect("it was just specialised");
        if self.slots.len() < effects.circuit.end() {
            self.slots.resize(effects.circuit.end(), Plane::NONE);
        }
        effects.circuit.run(&mut self.slots);
        self.work += effects.circuit.len() as u64;
        found.unfit = Plane::NONE;
        found.states.clear();
        let (slots, words) = (&self.slots, self.layout.words());
        for (group, &here) in lanes.0.iter().enumerate().filter(|(_, here)| **here != 0) {
            let start = found.states.len();
            for lane in ones(here) {
                let from = (64 * group + lane) * words;
                found.states.extend_from_slice(&self.states[from..from + words]);
            }
            let after = &mut found.states[start..];
            for fixed in &effects.fixed {
                for word in after.iter_mut().skip(fixed.word as usize).step_by(words) {
                    *word = *word & fixed.keeps | fixed.sets;
                }
            }
            let mut changes = effects.changes.as_slice();
            while let Some(&(bit, _)) = changes.first() {
                let word = bit as usize / 64;
                let (now, later) = changes.split_at(changes.partition_point(|change| change.0 as usize / 64 == word));
                changes = later;
                let old = |bit: u32| slots[slot(bit) as usize].0[group];
                if now.len() * here.count_ones() as usize <= FEW_BITS || now.len() <= 2 {
                    for (bit, edge) in now {
                        for lane in ones((edge.word(slots, group) ^ old(*bit)) & here) {
                            let rank = (here & ((1 << lane) - 1)).count_ones() as usize;
                            after[rank * words + word] ^= 1 << shift(*bit as usize);
                        }
                    }
                } else {
                    let mut rows = [0; 64];
                    for (bit, edge) in now {
                        rows[shift(*bit as usize)] = edge.word(slots, group) ^ old(*bit);
                    }
                    transpose(&mut rows);
                    for (rank, lane) in ones(here).enumerate() {
                        after[rank * words + word] ^= rows[lane];
                    }
                }
            }
        }
    }

    /// Approximate number of bytes kept from batch to batch; parts shared by clones are counted in each clone.
    pub fn bytes(&self) -> usize {
        let joint = size_of::<(JointMove, Option<Effects>)>() + JOINT_BYTES;
        let effects = self.gates * size_of::<[Edge; 2]>() + self.joints.len() * joint;
        let paired = self.paired.as_ref().map_or(0, |paired| paired.gates() * size_of::<[Edge; 2]>());
        let planes = (self.slots.len() + self.pair_slots.len()) * size_of::<Plane>();
        effects + paired + self.program.bytes() + planes + self.scratch.bytes()
    }

    pub fn forget_effects(&mut self) {
        self.joints.values_mut().for_each(|effects| *effects = None);
        (self.gates, self.made) = (0, 0);
    }

    /// Builds the effects of a joint move if they are not kept. If the kept effects are too large, all of them are
    /// first discarded, and built again on demand.
    fn specialise(&mut self, id: JointId) {
        let (joint, effects) = self.joints.get_index(id.index()).expect("ids come from the table");
        if effects.is_some() {
            return;
        }
        let joint = joint.clone();
        if self.gates > MOST_GATES {
            self.forget_effects();
        }
        let effects = self.program.effects(&self.layout, &joint, &mut self.scratch);
        self.gates += effects.circuit.len() + effects.check.len() + effects.fixed.len() + effects.changes.len();
        self.made += 1;
        self.joints[id.index()] = Some(effects);
    }
}

/// Fills the slot of each bit of a batch. `state` gives a word of a state, by lane and index of the word.
fn load_bits(slots: &mut [Plane], bits: usize, states: usize, state: impl Fn(usize, usize) -> u64) {
    for group in 0..WORDS {
        let first = 64 * group;
        let present = states.saturating_sub(first).min(64);
        for word in 0..bits.div_ceil(64) {
            let mut rows = [0; 64];
            for (lane, row) in rows.iter_mut().enumerate().take(present) {
                *row = state(first + lane, word);
            }
            transpose(&mut rows);
            for bit in 64 * word..bits.min(64 * word + 64) {
                slots[slot(bit as u32) as usize].0[group] = rows[shift(bit)];
            }
        }
    }
}
