//! Checks a solution of all states at once, state by state.
//!
//! For the states by distance: the first layer is the initial state, every successor lies in the next layer or an
//! earlier one, no state lies in two layers, and each state has a predecessor in the layer before. For values: every
//! state has a value, a terminal state has its rewards and round 0, other values follow from their rounds
//! (`certificate`), and distances follow from the values (`remoteness`). The diagrams of values and rounds must have as
//! many states as the layers.
//!
//! If each layer has at most as many states as the bound and memory suffices, all states are checked and kept in memory,
//! one entry each, which is reserved. Otherwise all states of the layers within the bound, and random states of the
//! others, are checked, as far as a state and its successors allow.

use super::alternation::Alternation;
use super::certificate::{self, Certificate, Entry, Rank};
use super::diagram::Set;
use super::known::{self, Known, Table};
use super::moves::Moves;
use super::nodes::{self, Drawn};
use super::pace::Pace;
use super::remoteness::{self, Distances};
use super::ties;
use super::totals::{self, of_layer};
use super::{Checked, Findings, Options, Verification};
use base::limits::{Account, LimitReached, Limits};
use base::random::Random;
use game::interpreter::{Interpreter, Situation, State, Turn};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use solving::solution::{ReadError, Stored, Values, Worth};
use solving::solve::Listener;
use solving::store::Manifest;
use solving::store::manifest::{LayerRecord, Progress};
use std::collections::{BTreeMap, BTreeSet};

const BATCH: usize = 1 << 10;
/// Number of collected states after which their memory is reserved.
const COLLECTED: u64 = 1 << 14;
const NOT_BEST: &str = "states in which another move is worth more to the mover than the value";

/// Adds the errors to `result`. Returns the distinct states and terminal states, if all states were checked.
pub fn check(
    stored: &Stored,
    options: &Options,
    limits: &Limits,
    listener: &dyn Listener,
    result: &mut Verification,
) -> Result<Option<(BigUint, BigUint)>, ReadError> {
    let manifest = &stored.manifest;
    let mut random = Random::new(options.seed);
    let mut sets = Vec::with_capacity(manifest.layers.len());
    for record in &manifest.layers {
        let Some(states) = stored.states(record.layer)? else { continue };
        let set = Set::read(states.file(), limits)?;
        result.findings.extend(of_layer(record.layer, "states", &record.states, &set.total()));
        let nodes = set.nodes.len().into();
        result.findings.extend(of_layer(record.layer, "nodes", &record.nodes.into(), &nodes));
        sets.push(set);
    }
    let total: BigUint = sets.iter().map(Set::total).sum();
    let is_whole = |set: &Set| options.full || set.total() <= BigUint::from(options.exhaustive);
    let all = sets.iter().all(is_whole) && (options.full || known::fits(stored, &total, limits));
    let mut check = Check::new(stored, all, &total, limits)?;
    totals::of_diagrams(stored, &total, limits, &mut check.findings)?;
    let interpreter = Interpreter::new(&stored.game);
    let moves = Moves { interpreter: &interpreter, threads: options.threads };
    if all {
        check.collect(&sets, &moves, &Pace::new("read", total.clone(), listener))?;
    }
    let number_of = |set: &Set| u64::try_from(set.total()).ok().filter(|_| is_whole(set)).unwrap_or(options.samples);
    let pace = Pace::new("states", sets.iter().map(|set| BigUint::from(number_of(set))).sum(), listener);
    for (record, set) in manifest.layers.iter().zip(&sets) {
        let (total, whole, number) = (set.total(), is_whole(set), number_of(set));
        let mut layer = Layer {
            record,
            whole,
            terminal: 0,
            ends: BTreeMap::new(),
            buckets: BTreeMap::new(),
            drawn: (whole && check.complete).then(|| Drawn::new(set.levels, limits)),
            returns: false,
            repeats: false,
        };
        let mut batch: Vec<State> = Vec::new();
        for index in 0..number {
            let drawn = if whole { Some(BigUint::from(index)) } else { random.number(&total) };
            batch.extend(drawn.map(|number| stored.codec.state(&set.state(&number))));
            if batch.len() == BATCH || index + 1 == number {
                // The layer's diagram makes room for the states.
                if check.reserve(0).is_err_and(|limit| limit.is_want_of_room()) && layer.drawn.take().is_some() {
                    nodes::tell_open(record.layer);
                }
                check.reserve(0)?;
                check.batch(&mut layer, &batch, &moves)?;
                pace.tell(batch.len() as u64);
                batch.clear();
            }
        }
        check.end_layer(layer, limits, result)?;
        tracing::info!("layer {}: {number} of {total} states checked", record.layer);
        let values = manifest.settled.is_some();
        let layer = record.layer;
        result.layers.push(Checked { layer, states: total, checked: number, exhaustive: whole, values });
    }
    let distinct = all.then(|| (check.states.len().into(), check.terminal.into()));
    check.end(result);
    Ok(distinct)
}

/// A number of states; and, if distances are stored, the number of states by distance.
type Bucket = (BigUint, BTreeMap<u32, BigUint>);

struct Layer<'a> {
    record: &'a LayerRecord,
    /// Whether all its states are checked.
    whole: bool,
    /// Number of terminal states so far.
    terminal: u64,
    /// The number of terminal states so far, by rewards, if the manifest has it.
    ends: BTreeMap<Vec<u8>, BigUint>,
    /// Number of states so far, by value.
    buckets: BTreeMap<Option<Vec<u8>>, Bucket>,
    /// The diagram of the values, if all its states are checked and there is memory for it.
    drawn: Option<Drawn<'a>>,
    /// Whether a successor lies in this layer or an earlier one.
    returns: bool,
    /// Whether a role has a choice in a state and again in a successor.
    repeats: bool,
}

struct Check<'a> {
    stored: &'a Stored,
    findings: Findings,
    turns: Alternation,
    /// Number of terminal states, if all states are checked.
    terminal: u64,
    all: bool,
    states: Table<'a>,
    /// Whether every successor so far lies in a later layer than its predecessor.
    disjoint: bool,
    complete: bool,
    ties: u64,
    not_best: u64,
    certificate: Certificate,
    /// The ids of the values of terminal states.
    values_of_ends: BTreeSet<usize>,
    distances: Distances,
    /// By role and value id, endless play last: the rank of the value, larger is better.
    ranks: Vec<Vec<Rank>>,
    ids: FxHashMap<&'a [u8], usize>,
    endless: Vec<Rank>,
    /// Bytes of a state apart from its entry in a table.
    state: usize,
    memory: Account<&'a Limits>,
}

impl<'a> Check<'a> {
    fn new(stored: &'a Stored, all: bool, total: &BigUint, limits: &'a Limits) -> Result<Self, ReadError> {
        let (manifest, roles) = (&stored.manifest, stored.game.roles.len());
        let rounds = manifest.settled.as_ref().map_or(0, |settled| settled.rounds);
        // Each round settles states, except the last one, which finds nothing left to settle.
        if BigUint::from(rounds) > total + 1u32 {
            return Err(ReadError::Damaged(format!("the manifest has {rounds} rounds for {total} states")));
        }
        let state = State::empty(stored.game.fluents.len()).bytes();
        let mut memory = Account::new(&limits);
        memory.grow_to(Certificate::bytes(rounds, roles, state))?;
        let complete = manifest.phase == Progress::Complete;
        let rewards = &manifest.rewards;
        let ranks: Vec<Vec<Rank>> = (0..roles).map(|role| stored.ranking().places(role, roles, rewards)).collect();
        let endless = ranks.iter().map(|ranks| ranks[rewards.len() + 1]).collect();
        Ok(Check {
            stored,
            findings: Findings::new("all states".to_owned()),
            turns: Alternation::new(roles, manifest.layers.len()),
            terminal: 0,
            all,
            states: Table::default(),
            disjoint: true,
            complete,
            ties: 0,
            not_best: 0,
            certificate: Certificate::new(rounds, complete, roles),
            values_of_ends: BTreeSet::new(),
            distances: Distances::default(),
            ids: rewards.iter().map(Vec::as_slice).zip(1..).collect(),
            ranks,
            endless,
            state,
            memory,
        })
    }

    /// Reserves the memory of all states so far, and of `more`.
    fn reserve(&mut self, more: usize) -> Result<(), LimitReached> {
        self.memory.check()?;
        let count = self.states.len() + more;
        let states = known::bytes(count, self.state);
        let others = Certificate::bytes(self.certificate.rounds(), self.endless.len(), self.state);
        self.memory.grow_to(others + (states + self.distances.bytes(self.state)) as u64)
    }

    fn collect(&mut self, layers: &[Set], moves: &Moves, pace: &Pace) -> Result<(), LimitReached> {
        let stored = self.stored;
        for (layer, set) in (0..).zip(layers) {
            let total = u64::try_from(set.total()).expect("the bound on the states that are collected has 64 bits");
            for first in (0..total).step_by(BATCH) {
                let numbers = first..total.min(first + BATCH as u64);
                pace.tell(numbers.end - first);
                for (number, (state, known)) in numbers.clone().zip(known::read(stored, (layer, set), numbers, moves)) {
                    // The table is about to grow, or the states have taken some more memory.
                    if self.states.len() == self.states.capacity() || number % COLLECTED == 0 {
                        self.reserve(1)?;
                    }
                    if let Some(other) = self.states.insert(state.clone(), known) {
                        self.wrong(&state, || format!("lies in the layers {} and {layer}", other.layer));
                    }
                }
            }
        }
        let initial = moves.interpreter.initial();
        match self.states.get_mut(&initial) {
            Some(known) => known.reached = Some(0),
            None if layers.is_empty() => {}
            None => self.wrong(&initial, || "the initial state is missing".to_owned()),
        }
        Ok(())
    }

    fn batch(&mut self, layer: &mut Layer, states: &[State], moves: &Moves) -> Result<(), LimitReached> {
        moves.each(states, |state, situation, successors| {
            layer.terminal += u64::from(situation.terminal);
            if situation.terminal && layer.record.ends.is_some() {
                let rewards = situation.goals.iter().flatten().copied().collect();
                *layer.ends.entry(rewards).or_default() += 1u32;
            }
            let worth = match self.worth(state) {
                Ok(worth) => worth,
                Err(error) => {
                    self.wrong(state, || error.to_string());
                    return Ok(());
                }
            };
            if let Some(worth) = worth {
                let (states, plies) = layer.buckets.entry(worth.value.map(<[u8]>::to_vec)).or_default();
                *states += 1u32;
                if let Some(distance) = worth.plies {
                    *plies.entry(distance).or_default() += 1u32;
                }
                self.draw(layer, state, worth.value)?;
            }
            self.repeats(layer, situation, successors, moves);
            self.state(layer, state, situation, worth, successors);
            Ok(())
        })
    }

    /// Notes whether the role that has a choice has one again in a successor.
    fn repeats(&self, layer: &mut Layer, situation: &Situation, successors: &[State], moves: &Moves) {
        let Ok(Turn::Mover(role)) = situation.turn() else { return };
        if !self.turns.open() || layer.repeats {
            return;
        }
        layer.repeats = if self.all {
            let chooser = |state: &State| self.states.get(state).and_then(|known| known.chooser);
            successors.iter().any(|state| chooser(state) == Some(role))
        } else {
            moves.situations(successors).iter().any(|situation| situation.turn() == Ok(Turn::Mover(role)))
        };
    }

    fn draw(&self, layer: &mut Layer, state: &State, value: Option<&[u8]>) -> Result<(), LimitReached> {
        let (Some(drawn), Some(assignment)) = (&mut layer.drawn, self.stored.codec.assignment(state)) else {
            return Ok(());
        };
        match drawn.add(&assignment, self.id(value)) {
            Err(limit) if limit.is_want_of_room() => layer.drawn = None,
            added => return added,
        }
        nodes::tell_open(layer.record.layer);
        Ok(())
    }

    /// The value id; that of endless play is the one after those of rewards.
    fn id(&self, value: Option<&[u8]>) -> u32 {
        value.map_or(self.ids.len() + 1, |rewards| self.ids[rewards]) as u32
    }

    /// The value of a state, see [`known::worth`].
    fn worth(&self, state: &State) -> Result<Option<Worth<'a>>, ReadError> {
        match self.states.get(state).and_then(|known| known.worth) {
            None => known::worth(self.stored, state),
            known => Ok(known),
        }
    }

    fn state(
        &mut self,
        layer: &mut Layer,
        state: &State,
        situation: &Situation,
        worth: Option<Worth<'_>>,
        successors: &[State],
    ) {
        let chooser = match situation.turn() {
            Err(violation) => return self.wrong(state, || violation.to_string()),
            Ok(Turn::Terminal) => return self.end_of_play(state, situation, worth),
            Ok(Turn::Forced) => None,
            Ok(Turn::Mover(role)) => Some(role),
        };
        let chooser = chooser.map(|role| role.index());
        // If no role has a choice, there is one successor, so the mover does not matter.
        let mover = chooser.unwrap_or(0);
        let mut after = Vec::with_capacity(successors.len());
        for successor in successors {
            self.reach(layer, state, successor);
            match self.worth(successor) {
                Ok(worth) => after.extend(worth),
                Err(error) => {
                    let names = successor.names(&self.stored.game).join(" ");
                    return self.wrong(state, || format!("the state after it, {names}: {error}"));
                }
            }
        }
        let Some(Worth { value, round, plies }) = worth else { return };
        if let (Some(plies), Some(value)) = (plies, value) {
            let keeping = successors.iter().zip(&after).filter(|(_, next)| next.value == Some(value));
            let keeping: Vec<_> = keeping.filter_map(|(successor, next)| Some((successor, next.plies?))).collect();
            self.distance(state, chooser, (value, plies), &keeping);
        }
        let (model, roles) = (self.stored.model(), self.stored.game.roles.len());
        let others = || after.iter().map(|worth| worth.value).filter(|_| chooser.is_some());
        self.ties += u64::from(others().any(|other| ties::tie(model, roles, mover, [value, other])));
        self.not_best += u64::from(others().any(|other| model.is_worth_more(mover, roles, other, value)));
        let after: Vec<_> = after.iter().map(|worth| Some((worth.round?, self.rank(mover, worth.value)))).collect();
        let (rank, endless) = (self.rank(mover, value), self.endless[mover]);
        if let Some(message) = self.certificate.add(&Entry { state, chooser, round, rank, after: &after, endless }) {
            self.wrong(state, || message);
        }
    }

    fn end_of_play(&mut self, state: &State, situation: &Situation, worth: Option<Worth<'_>>) {
        let goals: Vec<u8> = situation.goals.iter().flatten().copied().collect();
        self.values_of_ends.extend(self.ids.get(goals.as_slice()));
        if let Some(Worth { value, round, plies }) = worth
            && ((value, round) != (Some(goals.as_slice()), Some(0)) || plies > Some(0))
        {
            let far = plies.map_or(String::new(), |plies| format!(", {plies} plies from the end"));
            let text = format!("the value is {value:?} in round {round:?}{far}, the goals are {goals:?}");
            self.wrong(state, || text);
        }
    }

    /// Checks that the distance follows from the distances of the successors that best play may choose.
    fn distance(
        &mut self,
        state: &State,
        chooser: Option<usize>,
        (value, plies): (&[u8], u32),
        after: &[(&State, u32)],
    ) {
        let prolongs = |role: usize| value.iter().any(|&other| other > value[role]);
        let likes = |role: &usize| self.rank(*role, Some(value)) > self.endless[*role];
        let yields = (0..value.len()).filter(likes).any(prolongs);
        let entry = remoteness::Entry { state, plies, late: chooser.is_some_and(prolongs), yields, after };
        if let Some(message) = self.distances.add(&entry, self.all) {
            self.wrong(state, || message);
        }
    }

    fn rank(&self, mover: usize, value: Option<&[u8]>) -> Rank {
        let id = value.map(|rewards| self.ids[rewards]);
        id.map_or(self.endless[mover], |id| self.ranks[mover][id])
    }

    fn reach(&mut self, layer: &mut Layer, state: &State, successor: &State) {
        let number = layer.record.layer;
        if !self.all {
            // The successor may lie in any of many earlier layers, so a check of random states does not search them.
            return;
        }
        let Some(known) = self.states.get_mut(successor) else {
            // During the forward pass, the layers after the last stored one are missing.
            if number + 1 < self.stored.layers() || self.stored.manifest.phase != Progress::Forward {
                let names = successor.names(&self.stored.game).join(" ");
                self.wrong(state, || format!("no layer has the state after it, {names}"));
            }
            return;
        };
        known.reached = Some(known.reached.unwrap_or(number + 1));
        layer.returns |= known.layer <= number;
    }

    fn end_layer(&mut self, layer: Layer, limits: &Limits, result: &mut Verification) -> Result<(), LimitReached> {
        let (record, number) = (layer.record, layer.record.layer);
        self.turns.layer(number, (layer.whole || layer.repeats).then_some(layer.repeats));
        if !layer.whole {
            return Ok(());
        }
        self.terminal += layer.terminal;
        result.findings.extend(of_layer(number, "terminal states", &record.terminal, &layer.terminal.into()));
        if let Some(told) = &record.ends {
            totals::compare_ends(told, &layer.ends, &mut self.findings);
        }
        self.disjoint &= !layer.returns;
        if self.all && record.disjoint != Some(self.disjoint) {
            self.findings.add(|| format!("whether states up to layer {number} lead back is told wrong"));
        }
        if !record.buckets.iter().flatten().map(|bucket| &bucket.rewards).is_sorted() {
            self.findings.add(|| format!("the buckets of layer {number} are not in their order"));
        }
        let told: BTreeMap<_, Bucket> = (record.buckets.iter().flatten())
            .map(|bucket| {
                let plies = bucket.plies.iter().map(|record| (record.plies, record.states.clone())).collect();
                (bucket.rewards.clone(), (bucket.states.clone(), plies))
            })
            .collect();
        let found = layer.buckets;
        if self.complete && told != found {
            self.findings
                .add(|| format!("the manifest has the buckets {told:?} in layer {number}, there are {found:?}"));
            return Ok(());
        }
        let Some(drawn) = layer.drawn else { return Ok(()) };
        let buckets: Vec<_> = record.buckets.iter().flatten().collect();
        let ids = buckets.iter().map(|bucket| self.id(bucket.rewards.as_deref())).zip(0..).collect();
        let mut findings = Findings::new(format!("layer {number}"));
        match drawn.leading((buckets.len(), &ids), limits) {
            Err(limit) if limit.is_want_of_room() => nodes::tell_open(number),
            nodes => nodes::compare(buckets.into_iter().zip(nodes?), &mut findings),
        }
        findings.end(result);
        Ok(())
    }

    fn end(mut self, result: &mut Verification) {
        let game = &self.stored.game;
        let mut late: Vec<(&State, &Known)> =
            self.states.iter().filter(|(_, known)| known.reached != Some(known.layer)).collect();
        late.sort_unstable_by_key(|(state, _)| *state);
        for (state, Known { layer, reached, .. }) in late {
            let names = state.names(game).join(" ");
            self.findings.add(|| match reached {
                Some(reached) => format!("{names}: lies in layer {layer}, but is reached after {reached} plies"),
                None => format!("{names}: lies in layer {layer}, but cannot be reached"),
            });
        }
        if let Some(settled) = &self.stored.manifest.settled {
            let told = settled.at_once.as_ref().map(|values| {
                let rank = |(ranks, value): (&Vec<Rank>, &Option<u32>)| value.map(|value| ranks[value as usize]);
                self.ranks.iter().zip(values).map(rank).collect::<Vec<_>>()
            });
            let of_ends = |ranks: &Vec<Rank>| self.values_of_ends.iter().map(|&id| ranks[id]).collect();
            let first = certificate::at_once(&self.ranks.iter().map(of_ends).collect::<Vec<_>>(), &self.endless);
            let mut at_once = told.as_ref().and(first);
            let wrong = self.certificate.end(self.all, &self.endless, &mut at_once);
            if self.all && told != at_once {
                self.findings.add(|| "the manifest has other values that roles settle at once".to_owned());
            }
            for (state, message) in wrong {
                let names = state.map(|state| format!("{}: ", state.names(game).join(" "))).unwrap_or_default();
                self.findings.add(|| format!("{names}{message}"));
            }
        }
        for (state, message) in if self.all { self.distances.end() } else { Vec::new() } {
            self.findings.add(|| format!("{}: {message}", state.names(game).join(" ")));
        }
        let Manifest { ties, not_best, .. } = &self.stored.manifest;
        for (told, found, what) in [(ties, self.ties, ties::WHAT), (not_best, self.not_best, NOT_BEST)] {
            if let Some(told) = told.as_ref().filter(|_| self.all && self.complete)
                && *told != BigUint::from(found)
            {
                self.findings.add(|| ties::wrong(told, what, &found.to_string()));
            }
        }
        self.findings.end(result);
        let mut claims = std::mem::take(&mut result.claims);
        self.turns.end(&self.stored.manifest, &mut claims, result);
        result.claims = claims;
    }

    fn wrong(&mut self, state: &State, message: impl FnOnce() -> String) {
        let game = &self.stored.game;
        self.findings.add(|| format!("{}: {}", state.names(game).join(" "), message()));
    }
}
