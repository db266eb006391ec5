//! Checks a layer state by state, on batches of states: at most one role has a choice, the value of a terminal state is
//! its rewards, every successor lies in the next layer, and any other value is the best of the successors' in the
//! mover's order.
//!
//! The rules are evaluated by the reference interpreter ([`plain`](super::plain)). A successor is looked up in the diagram
//! of the next layer; the lookup begins where its path leaves that of the previous successor under the same move. A few
//! microseconds a state and thread.

use super::by_rank::ByRank;
use super::diagram::{Function, Packed, Set};
use super::plain::{Plain, Successors};
use super::reached::Reached;
use super::ties::Alike;
use super::walk::{Finder, Step, ValueFinder};
use super::{Findings, LISTED};
use base::limits::{Account, LimitReached, Limits, Reserved};
use game::batch::{Layout, Plane};
use game::ending::Endings;
use game::propositional::RoleId;
use solving::solution::{ReadError, Stored};
use solving::store::Ranked;
use std::collections::BTreeMap;

/// Bound on the paths that a thread keeps, by joint move.
const WAYS: usize = 1 << 10;
/// Bytes of a path for each level, in the states and in the values.
const WAY_LEVEL_BYTES: usize = 2 * (size_of::<Step>() + size_of::<u32>());

/// The values of a layer, in a form for lookups.
#[derive(Debug)]
pub enum Values<'v, 'l> {
    ByRank(ByRank<'l>),
    Function(Function<'l>),
    /// In their file, for few states.
    Packed(Packed<'v>),
    Ranked(Opened<'v, 'l>),
}

/// Values in their file.
#[derive(Debug)]
pub struct Opened<'v, 'l> {
    pub file: &'v Ranked,
    /// By code: the number of states.
    pub totals: Vec<u64>,
    _memory: Reserved<'l>,
}

impl<'v, 'l> Opened<'v, 'l> {
    /// Holds the memory of the blocks that are kept open, until it is dropped.
    pub fn new(file: &'v Ranked, totals: Vec<u64>, limits: &'l Limits) -> Result<Self, LimitReached> {
        Ok(Opened { file, totals, _memory: limits.hold(file.opened_bytes())? })
    }
}

impl Drop for Opened<'_, '_> {
    fn drop(&mut self) {
        self.file.close_blocks();
    }
}

/// A layer as it is stored.
#[derive(Debug)]
pub struct Loaded<'v, 'l> {
    pub set: Set<'l>,
    /// `None` if they are not stored (yet).
    pub values: Option<Values<'v, 'l>>,
}

/// A layer to check.
#[derive(Debug, Clone, Copy)]
pub struct Layer<'a> {
    pub stored: &'a Stored,
    pub layout: &'a Layout,
    pub number: u32,
    pub own: &'a Loaded<'a, 'a>,
    pub next: Next<'a>,
    /// By role: it may have a choice in the next layer.
    pub choosers: &'a [bool],
    /// See [`preferences`].
    pub preferences: &'a [Vec<u32>],
    /// Where the states in which ties decide are counted.
    pub alike: Option<&'a Alike>,
}

/// What follows a layer.
#[derive(Debug, Clone, Copy)]
pub enum Next<'a> {
    Layer(&'a Loaded<'a, 'a>),
    /// It is the last layer: all its states are terminal.
    None,
    /// The next layer is not stored yet.
    Unknown,
}

/// What was found for the states of a layer.
#[derive(Debug, Default)]
pub struct Found {
    pub checked: u64,
    pub terminal: u64,
    /// Terminal states by rewards, if the manifest has their numbers.
    pub ends: BTreeMap<Vec<u8>, u64>,
    /// By role: it has a choice in a state.
    pub choosers: Vec<bool>,
    /// A role has a choice in a state and in a successor.
    pub repeats: bool,
    /// States in which a tie decides, if these are counted.
    pub ties: u64,
    /// The first faults, with the ranks of their states.
    wrong: Vec<(u64, String)>,
    count: u64,
}

impl Found {
    pub fn new(roles: usize) -> Found {
        Found { choosers: vec![false; roles], ..Found::default() }
    }

    fn add(&mut self, rank: u64, message: impl FnOnce() -> String) {
        self.count += 1;
        if (self.wrong.len() as u64) < LISTED {
            self.wrong.push((rank, message()));
        }
    }

    /// Adds what another thread found.
    pub fn join(&mut self, other: Found) {
        self.checked += other.checked;
        self.terminal += other.terminal;
        other.ends.into_iter().for_each(|(rewards, states)| *self.ends.entry(rewards).or_default() += states);
        self.choosers.iter_mut().zip(other.choosers).for_each(|(own, other)| *own |= other);
        self.repeats |= other.repeats;
        self.ties += other.ties;
        self.wrong.extend(other.wrong);
        self.wrong.sort();
        self.wrong.truncate(LISTED as usize);
        self.count += other.count;
    }

    /// Adds the faults to the findings.
    pub fn tell(&mut self, findings: &mut Findings) {
        let told = std::mem::take(&mut self.wrong);
        findings.extend(told.into_iter().map(|(_, message)| message), std::mem::take(&mut self.count));
    }
}

/// By role and value id: the rank of the value for the role, larger is better; 0 for an id that is no value.
pub fn preferences(stored: &Stored) -> Vec<Vec<u32>> {
    let roles = stored.manifest.roles.len();
    (0..roles).map(|role| stored.endings().places(stored.ranking(), role, roles)).collect()
}

/// The data of a thread.
pub struct Worker<'a> {
    layer: Layer<'a>,
    evaluator: Plain<'a>,
    successors_evaluator: Plain<'a>,
    /// The paths, by joint move.
    ways: Vec<(Finder, ValueFinder)>,
    own: (Finder, ValueFinder),
    joints: Vec<(usize, Plane)>,
    successors: Successors,
    lanes: Vec<Lane>,
    account: Account<&'a Limits>,
    pub found: Found,
}

/// A state of the batch.
#[derive(Debug, Clone, Copy, Default)]
struct Lane {
    rank: u64,
    /// Its value id; 0 if there is none to compare with.
    value: u32,
    mover: u32,
    /// The rank of the best successor so far.
    best: u32,
    /// A successor has the state's value.
    same: bool,
    /// A successor is missing, or has no value.
    open: bool,
    /// A successor's value differs from the state's by a tie only.
    tie: bool,
}

impl<'a> Worker<'a> {
    pub fn new(layer: Layer<'a>, limits: &'a Limits) -> Self {
        let game = &layer.stored.game;
        let roles = game.roles.len();
        Worker {
            layer,
            evaluator: Plain::new(game, layer.layout),
            successors_evaluator: Plain::new(game, layer.layout),
            ways: Vec::new(),
            own: Default::default(),
            joints: Vec::new(),
            successors: Successors::default(),
            lanes: Vec::new(),
            account: Account::new(&limits),
            found: Found::new(roles),
        }
    }

    /// Accounts for the memory that is kept for the next batch. If there is not enough, caches are dropped.
    fn account(&mut self) -> Result<(), LimitReached> {
        let way = size_of::<(Finder, ValueFinder)>() + self.layer.own.set.levels * WAY_LEVEL_BYTES;
        let batch = self.successors.states.len() * size_of::<u64>() + self.lanes.len() * size_of::<Lane>();
        let bytes = |worker: &Self| {
            let evaluators = worker.evaluator.bytes() + worker.successors_evaluator.bytes();
            (evaluators + worker.ways.len() * way + 2 * batch) as u64
        };
        let needed = bytes(self);
        if let Err(LimitReached::Memory { .. }) = self.account.grow_to(needed) {
            self.evaluator.forget();
            self.ways = Vec::new();
            let needed = bytes(self);
            self.account.set(needed)?;
        }
        Ok(())
    }

    /// Checks a batch of states, given packed and with their ranks.
    pub fn check(
        &mut self,
        states: &[u64],
        rank: impl Fn(usize) -> u64,
        reached: Option<&Reached>,
    ) -> Result<(), ReadError> {
        let words = self.layer.layout.words();
        self.evaluator.load(states);
        let count = self.evaluator.lanes();
        self.lanes.clear();
        for lane in 0..count {
            let rank = rank(lane);
            let value = self.own_value(rank, &states[words * lane..][..words])?;
            self.lanes.push(Lane { rank, value, ..Lane::default() });
        }
        self.found.checked += count as u64;
        self.found.terminal += self.evaluator.terminal().count() as u64;
        let faults = self.evaluator.faults();
        if !faults.is_none() {
            self.tell_faults(&faults, states);
        }
        self.check_goals(&faults, states);
        for role in 0..self.found.choosers.len() {
            let choice = self.evaluator.choice(RoleId(role as u32));
            self.found.choosers[role] |= !choice.is_none();
            choice.lanes().for_each(|lane| self.lanes[lane].mover = role as u32);
        }
        if !matches!(self.layer.next, Next::Unknown) {
            self.check_successors(&faults, states, reached)?;
        }
        Ok(self.account()?)
    }

    /// Marks the successors of a batch, and checks nothing.
    pub fn mark(&mut self, states: &[u64], next: &Set, reached: &Reached) -> Result<(), LimitReached> {
        self.evaluator.load(states);
        let mut joints = std::mem::take(&mut self.joints);
        let right = !self.evaluator.faults();
        self.evaluator.joint_moves(right, &mut joints);
        for (joint, lanes) in &joints {
            self.evaluator.successors(*joint, lanes, &mut self.successors);
            let way = way(&mut self.ways, *joint);
            for (lane, state) in lanes.lanes().zip(self.successors.states.chunks_exact(self.layer.layout.words())) {
                if !self.successors.unfit.get(lane)
                    && let Some(rank) = way.0.find(next, state)
                {
                    reached.mark(rank);
                }
            }
        }
        self.joints = joints;
        self.account()
    }

    /// The value id of a state; 0 if there are no values, or if the id is invalid, which is a finding.
    fn own_value(&mut self, rank: u64, state: &[u64]) -> Result<u32, ReadError> {
        let Some(values) = &self.layer.own.values else { return Ok(0) };
        let id = match values {
            Values::ByRank(values) => values.get(rank),
            Values::Function(function) => self.own.1.find(function, state),
            Values::Packed(packed) => packed.value(state)?,
            Values::Ranked(opened) => opened.file.value(rank)?,
        };
        if self.layer.stored.endings().rewards(id).is_none() {
            self.wrong(rank, state, || format!("a value {id} without rewards"));
            return Ok(0);
        }
        Ok(id)
    }

    fn tell_faults(&mut self, faults: &Plane, states: &[u64]) {
        let words = self.layer.layout.words();
        for lane in faults.lanes() {
            let violation = self.evaluator.situation(lane).turn().expect_err("faults are violations");
            self.wrong(self.lanes[lane].rank, &states[words * lane..][..words], || violation.to_string());
        }
    }

    /// Counts terminal states by rewards, and compares their values with these and with distance 0.
    fn check_goals(&mut self, faults: &Plane, states: &[u64]) {
        let Layer { stored, number, .. } = self.layer;
        let terminal = self.evaluator.terminal() & !*faults;
        let counted = stored.manifest.layers[number as usize].ends.is_some();
        if terminal.is_none() || self.layer.own.values.is_none() && !counted {
            return;
        }
        let words = self.layer.layout.words();
        for lane in terminal.lanes() {
            // A terminal state without a fault has one reward for each role.
            let (id, goals) = (self.lanes[lane].value, self.evaluator.situation(lane).goals.concat());
            if counted {
                match self.found.ends.get_mut(&goals) {
                    Some(states) => *states += 1,
                    None => drop(self.found.ends.insert(goals.clone(), 1)),
                }
            }
            let Some(value) = stored.endings().rewards(id) else { continue };
            let plies = stored.endings().plies(id, number);
            if value != goals || plies.is_some_and(|plies| plies > 0) {
                let value = described(stored.endings(), id, number);
                let message = format!("the value is {value}, the goals are {goals:?}");
                self.wrong(self.lanes[lane].rank, &states[words * lane..][..words], || message);
            }
        }
    }

    fn check_successors(&mut self, faults: &Plane, states: &[u64], reached: Option<&Reached>) -> Result<(), ReadError> {
        let (words, preferences) = (self.layer.layout.words(), self.layer.preferences);
        let mut joints = std::mem::take(&mut self.joints);
        self.evaluator.joint_moves(!*faults, &mut joints);
        for (joint, lanes) in &joints {
            self.evaluator.successors(*joint, lanes, &mut self.successors);
            let after = std::mem::take(&mut self.successors.states);
            if !self.found.repeats {
                self.look_for_repeats(lanes, &after);
            }
            let way = way(&mut self.ways, *joint);
            for (lane, state) in lanes.lanes().zip(after.chunks_exact(words)) {
                let place = &mut self.lanes[lane];
                let rank = match self.layer.next {
                    Next::Layer(next) if !self.successors.unfit.get(lane) => way.0.find(&next.set, state),
                    _ => None,
                };
                let (Some(rank), Next::Layer(next)) = (rank, self.layer.next) else {
                    place.open = true;
                    let action = self.evaluator.joint(*joint)[place.mover as usize];
                    let layer = &self.layer;
                    self.found.add(place.rank, || {
                        let action = &layer.stored.game.moves[action.index()].term;
                        let names = names(layer, &states[words * lane..][..words]);
                        format!("{names}: the next layer lacks the state after {action}")
                    });
                    continue;
                };
                if let Some(reached) = reached {
                    reached.mark(rank);
                }
                if place.value == 0 {
                    continue;
                }
                let id = match &next.values {
                    None => 0,
                    Some(Values::ByRank(values)) => values.get(rank),
                    Some(Values::Function(function)) => way.1.find(function, state),
                    Some(Values::Packed(packed)) => packed.value(state)?,
                    Some(Values::Ranked(opened)) => opened.file.value(rank)?,
                };
                match preferences[place.mover as usize].get(id as usize) {
                    Some(&preference) if preference > 0 => {
                        place.best = place.best.max(preference);
                        place.same |= id == place.value;
                        place.tie |=
                            self.layer.alike.is_some_and(|alike| alike.tie(place.mover as usize, id, place.value));
                    }
                    // The fault is a finding of the next layer.
                    _ => place.open = true,
                }
            }
            self.successors.states = after;
        }
        self.joints = joints;
        let going = Plane::first(self.lanes.len()) & !self.evaluator.terminal() & !*faults;
        for lane in going.lanes() {
            let Lane { rank, value, mover, best, same, open, tie } = self.lanes[lane];
            if value == 0 || open {
                continue;
            }
            self.found.ties += u64::from(tie);
            let preferences = &preferences[mover as usize];
            if preferences[value as usize] != best || !same {
                let (endings, number) = (self.layer.stored.endings(), self.layer.number);
                let best = (1..).zip(&preferences[1..]).find(|(_, preference)| **preference == best);
                let best = best.map_or("unknown".to_owned(), |(id, _)| described(endings, id, number));
                let names = names(&self.layer, &states[words * lane..][..words]);
                let value = described(endings, value, number);
                let text = format!("{names}: the value is {value}, the best successor's {best}");
                self.found.add(rank, || text);
            }
        }
        Ok(())
    }

    /// Finds out whether a role with a choice has one again in a successor.
    fn look_for_repeats(&mut self, lanes: &Plane, after: &[u64]) {
        let roles =
            (0..self.found.choosers.len()).filter(|&role| self.layer.choosers[role]).map(|role| RoleId(role as u32));
        let again =
            roles.map(|role| (role, self.evaluator.choice(role) & *lanes)).filter(|(_, plane)| !plane.is_none());
        let mut loaded = false;
        for (role, plane) in again {
            if !loaded {
                self.successors_evaluator.load(after);
                loaded = true;
            }
            let choice = self.successors_evaluator.choice(role);
            self.found.repeats |= lanes.lanes().enumerate().any(|(place, lane)| plane.get(lane) && choice.get(place));
        }
    }

    fn wrong(&mut self, rank: u64, packed: &[u64], message: impl FnOnce() -> String) {
        let layer = &self.layer;
        self.found.add(rank, || format!("{}: {}", names(layer, packed), message()));
    }
}

fn names(layer: &Layer, packed: &[u64]) -> String {
    layer.layout.state(packed).names(&layer.stored.game).join(" ")
}

/// The kept paths of a joint move.
fn way(ways: &mut Vec<(Finder, ValueFinder)>, joint: usize) -> &mut (Finder, ValueFinder) {
    let index = joint % WAYS;
    if ways.len() <= index {
        ways.resize_with(index + 1, Default::default);
    }
    &mut ways[index]
}

/// A value in words.
pub fn described(endings: &Endings, id: u32, layer: u32) -> String {
    let rewards = endings.rewards(id).unwrap_or_default().iter().map(u8::to_string).collect::<Vec<_>>().join("/");
    match endings.plies(id, layer) {
        Some(plies) => format!("{rewards} in {plies} plies"),
        None => rewards,
    }
}
