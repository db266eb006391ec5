//! Checks a layer state by state, in batches: at most one role has a choice, a terminal state's value is its rewards,
//! all successors lie in the next layer, and any other value is the best of the successors' values for the mover.
//!
//! The reference interpreter evaluates the rules for many states at once. A successor is looked up in the diagram of
//! the next layer, from the node at which its path leaves that of the previous successor. Cost: a few microseconds per
//! state and thread.

use super::Faults;
use super::by_rank::ByRank;
use super::diagram::{Packed, Set};
use super::reached::Reached;
use super::ties::Alike;
use super::walk::Finder;
use base::limits::{LimitReached, Limits, Reserved};
use game::batch::Layout;
use game::ending::Endings;
use game::interpreter::{Interpreter, JointMove, Situation, State, Turn};
use game::propositional::MoveId;
use solving::solution::{ReadError, Stored};
use solving::store::Ranked;
use std::collections::BTreeMap;

/// Largest number of states whose successors are computed together.
const AT_ONCE: usize = 64;
/// Bytes of a state in a batch, in addition to the state itself.
const BESIDE: usize = 64;

#[derive(Debug)]
pub enum Values<'v, 'l> {
    ByRank(ByRank<'l>),
    /// A diagram that stays in its file.
    Packed(Packed<'v>),
    Ranked(Opened<'v, 'l>),
}

impl Values<'_, '_> {
    fn of(&self, rank: u64, packed: &[u64]) -> Result<u32, ReadError> {
        match self {
            Values::ByRank(values) => Ok(values.get(rank)),
            Values::Packed(file) => file.value(packed),
            Values::Ranked(opened) => Ok(opened.file.value(rank)?),
        }
    }
}

#[derive(Debug)]
pub struct Opened<'v, 'l> {
    pub file: &'v Ranked,
    pub totals: Vec<u64>,
    _memory: Reserved<'l>,
}

impl<'v, 'l> Opened<'v, 'l> {
    /// Opens values by rank. Reserves the memory of the unpacked blocks.
    pub fn new(file: &'v Ranked, totals: Vec<u64>, limits: &'l Limits) -> Result<Self, LimitReached> {
        Ok(Opened { file, totals, _memory: limits.hold(file.opened_bytes())? })
    }
}

impl Drop for Opened<'_, '_> {
    fn drop(&mut self) {
        self.file.close_blocks();
    }
}

#[derive(Debug)]
pub struct Loaded<'v, 'l> {
    pub set: Set<'l>,
    /// `None` if no values are stored yet.
    pub values: Option<Values<'v, 'l>>,
}

#[derive(Debug, Clone, Copy)]
pub struct Layer<'a> {
    pub stored: &'a Stored,
    pub layout: &'a Layout,
    pub number: u32,
    pub own: &'a Loaded<'a, 'a>,
    pub next: Next<'a>,
    /// By role: whether it may have a choice in the next layer.
    pub choosers: &'a [bool],
    pub preferences: &'a [Vec<u32>],
    /// Present if the states in which a tie decides are counted.
    pub alike: Option<&'a Alike>,
}

#[derive(Debug, Clone, Copy)]
pub enum Next<'a> {
    Layer(&'a Loaded<'a, 'a>),
    /// There is no next layer: all states are terminal.
    None,
    Unknown,
}

#[derive(Debug, Default)]
pub struct Found {
    pub checked: u64,
    pub terminal: u64,
    /// By rewards: the number of terminal states, if the manifest has these numbers.
    pub ends: BTreeMap<Vec<u8>, u64>,
    pub choosers: Vec<bool>,
    /// Whether a role has a choice in a state and in a successor.
    pub repeats: bool,
    /// Number of states in which a tie decides, if they are counted.
    pub ties: u64,
    pub(super) faults: Faults,
}

impl Found {
    pub fn new(roles: usize) -> Found {
        Found { choosers: vec![false; roles], ..Found::default() }
    }

    pub fn join(&mut self, other: Found) {
        self.checked += other.checked;
        self.terminal += other.terminal;
        other.ends.into_iter().for_each(|(rewards, states)| *self.ends.entry(rewards).or_default() += states);
        self.choosers.iter_mut().zip(other.choosers).for_each(|(own, other)| *own |= other);
        self.repeats |= other.repeats;
        self.ties += other.ties;
        self.faults.join(other.faults);
    }
}

/// By role and value id: the rank of the value, larger is better; 0 for an id that is no value.
pub fn preferences(stored: &Stored) -> Vec<Vec<u32>> {
    let roles = stored.manifest.roles.len();
    (0..roles).map(|role| stored.endings().places(stored.ranking(), role, roles)).collect()
}

pub struct Worker<'a> {
    layer: Layer<'a>,
    interpreter: Interpreter,
    finder: Finder,
    limits: &'a Limits,
    pub found: Found,
}

struct Seen<'s> {
    rank: u64,
    packed: &'s [u64],
    state: &'s State,
    situation: &'s Situation,
    mover: usize,
    /// The value id of the state; 0 if there is no value to compare with.
    value: u32,
}

struct After<'l> {
    joints: Vec<Vec<JointMove>>,
    /// By state, then by joint move: the successors.
    states: Vec<State>,
    _memory: Reserved<'l>,
}

impl<'a> Worker<'a> {
    pub fn new(layer: Layer<'a>, limits: &'a Limits) -> Self {
        let game = &layer.stored.game;
        Worker {
            layer,
            interpreter: Interpreter::new(game),
            finder: Finder::default(),
            limits,
            found: Found::new(game.roles.len()),
        }
    }

    /// Unpacks and evaluates states. The last part of the result holds the memory of the other parts.
    fn evaluated(&self, packed: &[u64]) -> Result<(Vec<State>, Vec<Situation>, Reserved<'a>), LimitReached> {
        let layout = self.layer.layout;
        let states: Vec<State> = packed.chunks_exact(layout.words()).map(|state| layout.state(state)).collect();
        let mut situations = Vec::with_capacity(states.len());
        self.interpreter.situations(&states.iter().collect::<Vec<_>>(), &mut situations);
        let moves: usize = situations.iter().flat_map(|situation| &situation.legal).map(Vec::len).sum();
        let bytes = states.len() * (self.state_bytes() + size_of::<Situation>()) + moves * size_of::<MoveId>();
        let held = self.limits.hold(bytes as u64)?;
        Ok((states, situations, held))
    }

    fn state_bytes(&self) -> usize {
        size_of::<State>() + State::empty(self.layer.stored.game.fluents.len()).bytes() + BESIDE
    }

    fn successors(&self, some: &[Seen]) -> Result<After<'a>, LimitReached> {
        let count: usize = some.iter().map(|seen| seen.situation.joint_move_count()).sum();
        let held = self.limits.hold((count * (self.state_bytes() + size_of::<JointMove>())) as u64)?;
        let joints: Vec<Vec<JointMove>> = some.iter().map(|seen| seen.situation.joint_moves().collect()).collect();
        let mut pairs = Vec::with_capacity(count);
        for (seen, joints) in some.iter().zip(&joints) {
            pairs.extend(joints.iter().map(|joint| (seen.state, joint.as_slice())));
        }
        let mut after = Vec::with_capacity(pairs.len());
        self.interpreter.successors(&pairs, &mut after);
        Ok(After { joints, states: after, _memory: held })
    }

    pub fn check(
        &mut self,
        packed: &[u64],
        rank: impl Fn(usize) -> u64,
        reached: Option<&Reached>,
    ) -> Result<(), ReadError> {
        let (states, situations, _held) = self.evaluated(packed)?;
        let mut open = Vec::with_capacity(states.len());
        let packed = packed.chunks_exact(self.layer.layout.words());
        for (place, ((state, situation), packed)) in states.iter().zip(&situations).zip(packed).enumerate() {
            let rank = rank(place);
            let value = self.own_value(rank, packed)?;
            self.found.checked += 1;
            self.found.terminal += u64::from(situation.terminal);
            let choosers = self.found.choosers.iter_mut().zip(&situation.legal).filter(|_| !situation.terminal);
            choosers.for_each(|(chooser, legal)| *chooser |= legal.len() > 1);
            let seen = |mover| Seen { rank, packed, state, situation, mover, value };
            match situation.turn() {
                Err(violation) => self.wrong(rank, packed, || violation.to_string()),
                Ok(Turn::Terminal) => self.check_goals(&seen(0)),
                Ok(Turn::Forced) => open.push(seen(0)),
                Ok(Turn::Mover(role)) => open.push(seen(role.index())),
            }
        }
        if matches!(self.layer.next, Next::Unknown) {
            return Ok(());
        }
        for some in open.chunks(AT_ONCE) {
            let found = self.successors(some)?;
            let mut after = found.states.as_slice();
            for (seen, joints) in some.iter().zip(&found.joints) {
                let (own, others) = after.split_at(joints.len());
                self.look_for_repeats(seen, own);
                self.check_successors(seen, joints, own, reached)?;
                after = others;
            }
        }
        Ok(())
    }

    pub fn mark(&mut self, packed: &[u64], next: &Set, reached: &Reached) -> Result<(), LimitReached> {
        let (states, situations, _held) = self.evaluated(packed)?;
        let right = states.iter().zip(&situations);
        let right = right.filter(|(_, situation)| !situation.terminal && situation.turn().is_ok());
        let seen = right.map(|(state, situation)| Seen { rank: 0, packed: &[], state, situation, mover: 0, value: 0 });
        for some in seen.collect::<Vec<_>>().chunks(AT_ONCE) {
            for state in &self.successors(some)?.states {
                let packed = self.layer.layout.pack(state);
                if let Some(rank) = packed.and_then(|packed| self.finder.find(next, &packed)) {
                    reached.mark(rank);
                }
            }
        }
        Ok(())
    }

    /// The value id of a state; 0 without values. An invalid id is reported, and 0 is returned for it, too.
    fn own_value(&mut self, rank: u64, packed: &[u64]) -> Result<u32, ReadError> {
        let Some(values) = &self.layer.own.values else { return Ok(0) };
        let id = values.of(rank, packed)?;
        if self.layer.stored.endings().rewards(id).is_none() {
            self.wrong(rank, packed, || format!("a value {id} without rewards"));
            return Ok(0);
        }
        Ok(id)
    }

    /// Counts a terminal state by its rewards. Compares its value with these rewards and with distance 0.
    fn check_goals(&mut self, seen: &Seen) {
        let Layer { stored, number, .. } = self.layer;
        // Earlier checks of the state have shown that each role has exactly one reward.
        let goals = seen.situation.goals.concat();
        if stored.manifest.layers[number as usize].ends.is_some() {
            *self.found.ends.entry(goals.clone()).or_default() += 1;
        }
        let Some(value) = stored.endings().rewards(seen.value) else { return };
        let plies = stored.endings().plies(seen.value, number);
        if value != goals || plies.is_some_and(|plies| plies > 0) {
            let value = described(stored.endings(), seen.value, number);
            let message = format!("the value is {value}, the goals are {goals:?}");
            self.wrong(seen.rank, seen.packed, || message);
        }
    }

    /// Checks that the successors lie in the next layer, and that the value of the state is the best of their values.
    fn check_successors(
        &mut self,
        seen: &Seen,
        joints: &[JointMove],
        after: &[State],
        reached: Option<&Reached>,
    ) -> Result<(), ReadError> {
        let &Seen { rank: own, packed, mover, value, .. } = seen;
        let layer = self.layer;
        let preferences = &layer.preferences[mover];
        // `best`: rank of the best successor so far. `same`: a successor has the state's value. `open`: a successor is
        // missing or has no value. `tie`: a successor's value differs from the state's by a tie only.
        let (mut best, mut same, mut open, mut tie) = (0, false, false, false);
        for (joint, state) in joints.iter().zip(after) {
            let place = match layer.next {
                Next::Layer(next) => layer.layout.pack(state).and_then(|packed| {
                    let rank = self.finder.find(&next.set, &packed)?;
                    Some((next, rank, packed))
                }),
                Next::None | Next::Unknown => None,
            };
            let Some((next, rank, after)) = place else {
                open = true;
                let action = &layer.stored.game.moves[joint[mover].index()].term;
                self.wrong(own, packed, || format!("the next layer lacks the state after {action}"));
                continue;
            };
            if let Some(reached) = reached {
                reached.mark(rank);
            }
            if value == 0 {
                continue;
            }
            let id = match &next.values {
                Some(values) => values.of(rank, &after)?,
                None => 0,
            };
            match preferences.get(id as usize) {
                Some(&preference) if preference > 0 => {
                    best = best.max(preference);
                    same |= id == value;
                    tie |= layer.alike.is_some_and(|alike| alike.tie(mover, id, value));
                }
                // The check of the next layer has reported this error.
                _ => open = true,
            }
        }
        if value == 0 || open {
            return Ok(());
        }
        self.found.ties += u64::from(tie);
        if preferences[value as usize] != best || !same {
            let (endings, number) = (layer.stored.endings(), layer.number);
            let best = (1..).zip(&preferences[1..]).find(|(_, preference)| **preference == best);
            let best = best.map_or("unknown".to_owned(), |(id, _)| described(endings, id, number));
            let value = described(endings, value, number);
            self.wrong(own, packed, || format!("the value is {value}, the best successor's {best}"));
        }
        Ok(())
    }

    /// Records whether the role with the choice has a choice again in a successor.
    fn look_for_repeats(&mut self, seen: &Seen, after: &[State]) {
        let chooses = |situation: &Situation| !situation.terminal && situation.legal[seen.mover].len() > 1;
        if self.found.repeats || !self.layer.choosers[seen.mover] || !chooses(seen.situation) {
            return;
        }
        let mut next = Vec::with_capacity(after.len());
        self.interpreter.situations(&after.iter().collect::<Vec<_>>(), &mut next);
        self.found.repeats = next.iter().any(chooses);
    }

    fn wrong(&mut self, rank: u64, packed: &[u64], message: impl FnOnce() -> String) {
        let Layer { stored, layout, .. } = self.layer;
        let names = || layout.state(packed).names(&stored.game).join(" ");
        self.found.faults.add(rank, || format!("{}: {}", names(), message()));
    }
}

pub fn described(endings: &Endings, id: u32, layer: u32) -> String {
    let rewards = endings.rewards(id).unwrap_or_default().iter().map(u8::to_string).collect::<Vec<_>>().join("/");
    match endings.plies(id, layer) {
        Some(plies) => format!("{rewards} in {plies} plies"),
        None => rewards,
    }
}
