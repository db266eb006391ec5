//! Checks solutions with exact values, of games with chance or in which several players choose at the same time.
//!
//! The reference interpreter evaluates each state. The stored value is compared with the value by the successors:
//! rewards at the end, the mean over chance, the best move of a player who chooses alone. For a matrix, mixed
//! strategies of both players are computed again. The value is proved if no pure move of either player does better
//! against the other's mixed strategy; this proof does not depend on the way the strategies were found. Where states
//! repeat, successors lie in any layer up to the next one, and [`rounds`] show that no value rests on itself. Cost: a few
//! microseconds per joint move and thread, and 4 bytes for each state of two layers, or of all if states repeat.

mod no_value;
mod rounds;
mod rule;

use super::check::{Check, states};
use super::claims::{Claim, How};
use super::codes::numbers;
use super::diagram::Set;
use super::reached::Reached;
use super::walk::{Cursor, Finder};
use super::{Checked, Faults, Findings, Verification, distinct, ranked};
use base::limits::{Account, LimitReached, Limits};
use base::random::Random;
use base::together::shared;
use game::batch::{LANES, Layout};
use game::interpreter::{Interpreter, Situation, State};
use game::propositional::RoleId;
use game::reward::Ranking;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use solving::exact::{Table, Value};
use solving::solution::{ExactWorth, ReadError, Stored};
use solving::solve::{Share, shares_of};
use solving::store::LayerValues;
use solving::store::manifest::{LayerRecord, Progress};
use std::ops::Range;

const CHUNK: u64 = 1 << 12;
/// Bound on the numbers in the decisions that a thread keeps.
const KEPT: usize = 1 << 21;
/// Additional numbers that each decision counts for.
const BESIDE: usize = 16;

struct Loaded<'l> {
    set: Set<'l>,
    /// By rank: the index of the value in the table; and the table. `None` without values.
    values: Option<(Vec<u32>, &'l Table)>,
    _memory: Account<&'l Limits>,
}

impl Loaded<'_> {
    /// What the states with a code are worth, if there are values.
    fn worth(&self, code: u32) -> Option<ExactWorth<'_>> {
        let (_, table) = self.values.as_ref()?;
        Some((&table.0[code as usize].0, table.1.get(code as usize)))
    }
}

#[derive(Default)]
struct Found {
    checked: u64,
    terminal: u64,
    chance: u64,
    joint: u64,
    faults: Faults,
}

impl Found {
    fn join(&mut self, other: Found) {
        self.checked += other.checked;
        self.terminal += other.terminal;
        self.chance += other.chance;
        self.joint += other.joint;
        self.faults.join(other.faults);
    }
}

pub fn check(check: &mut Check, result: &mut Verification) -> Result<(), ReadError> {
    check.claims.add(Claim::Checksums, How::Proved);
    let (stored, limits) = (check.stored, check.limits);
    let (mut checked, mut random) = (Vec::new(), Random::new(check.options.seed));
    let records = &stored.manifest.layers;
    let of_layer = |record: &LayerRecord| Findings::new(format!("layer {}", record.layer));
    let mut findings: Vec<Findings> = records.iter().map(of_layer).collect();
    let mut loaded: Vec<Option<Loaded>> = records.iter().map(|_| None).collect();
    // The solution keeps the tables of layers that were loaded.
    let mut tables = Account::new(&limits);
    let (goes_round, choices) = (stored.manifest.goes_round(), rounds::may_choose(stored)?);
    for (place, record) in records.iter().enumerate().rev() {
        // Where states repeat, all layers up to the next one have successors.
        let least = if goes_round { 0 } else { place };
        for other in (least..=place).rev() {
            if loaded[other].is_none() {
                loaded[other] = Some(load(stored, &records[other], (limits, &mut tables), &mut findings[other])?);
            }
        }
        let mut findings = findings.pop().expect("there is one for each layer");
        let Some(own) = &loaded[place] else { continue };
        let states = own.set.countable()?;
        let all = check.options.full || states <= check.options.exhaustive;
        let next = loaded.get(place + 1).and_then(Option::as_ref);
        let open = next.is_none() && stored.manifest.phase == Progress::Forward;
        let before = if goes_round { &loaded[..=place] } else { &[] };
        let after = next.into_iter().chain(before.iter().flatten().rev()).collect();
        let layer = Layer { stored, layout: check.layout, own, after, has_next: next.is_some(), open, choices };
        let reached = next.map(|next| Reached::new(0, next.set.countable()?, limits)).transpose()?;
        let drawn = (!all).then(|| numbers(states, check.options.samples, &mut random));
        let mut found =
            layer.walk(drawn.as_deref(), reached.as_ref().filter(|_| all), check.options.threads, limits)?;
        if all {
            let told = record.mixed.clone().unwrap_or_default();
            let pairs = [
                ("terminal states", &record.terminal, found.terminal),
                ("states in which chance moves", &told.chance, found.chance),
                ("states in which several players choose", &told.joint, found.joint),
            ];
            for (what, told, found) in pairs {
                if *told != BigUint::from(found) {
                    findings.add(|| format!("the manifest has {told} {what}, there are {found}"));
                }
            }
            let missed = reached.as_ref().map_or(0, |reached| reached.missed().count());
            if missed > 0 {
                findings.add(|| format!("{missed} states of the next layer are no successors"));
            }
        }
        claim(check, all, own.values.is_some(), open);
        checked.push(Checked {
            layer: record.layer,
            states: states.into(),
            checked: found.checked,
            exhaustive: all,
            values: own.values.is_some(),
        });
        found.faults.tell(&mut findings);
        findings.end(result);
        if let Some(next) = loaded.get_mut(place + 1) {
            *next = None;
        }
    }
    checked.reverse();
    result.layers = checked;
    no_value::check(check, result)?;
    distinct::check(check, result)
}

fn claim(check: &mut Check, all: bool, values: bool, open: bool) {
    let (how, counted) = if all { (How::Proved, How::Proved) } else { (How::Sampled, How::Open) };
    let (goes_round, complete) = {
        let manifest = &check.stored.manifest;
        (manifest.goes_round(), manifest.phase == Progress::Complete)
    };
    let claims = &mut check.claims;
    claims.add(Claim::LayerStates, How::Proved);
    claims.add(Claim::Choices, how);
    claims.add(Claim::Terminal, counted);
    if !open {
        claims.add(if goes_round { Claim::Within } else { Claim::Successors }, how);
        claims.add(Claim::NoOthers, counted);
    }
    if values {
        claims.add(Claim::Buckets, How::Proved);
        // Where states repeat, values of layers before this one belong to the proof.
        let how = if goes_round && !complete { How::Open } else { how };
        claims.add(Claim::ExactValues, how);
        if goes_round {
            claims.add(Claim::Rounds, how);
        }
    }
}

fn load<'l>(
    stored: &'l Stored,
    record: &LayerRecord,
    (limits, tables): (&'l Limits, &mut Account<&Limits>),
    findings: &mut Findings,
) -> Result<Loaded<'l>, ReadError> {
    let lacks = || ReadError::Damaged(format!("layer {} is missing", record.layer));
    let mapped = stored.states(record.layer)?.ok_or_else(lacks)?;
    let set = states(stored, record, mapped.file(), limits, findings)?;
    let (Some(LayerValues::Ranked(file)), Some(table)) =
        (stored.layer_values(record.layer)?, stored.table(record.layer)?)
    else {
        return Ok(Loaded { set, values: None, _memory: Account::new(&limits) });
    };
    tables.add(table.bytes())?;
    ranked::check(file, &set, limits, findings)?;
    let states = set.countable()?;
    if states != file.states() {
        return Err(file.file().damaged("not the ranks of the layer's states").into());
    }
    let (mut codes, memory) = file.numbers(&limits)?;
    let mut counts = vec![0u64; table.0.len()];
    for code in &mut codes {
        let place = code.checked_sub(1).filter(|&place| (place as usize) < counts.len());
        *code = place.ok_or_else(|| file.file().damaged("a value that the table lacks"))?;
        counts[*code as usize] += 1;
    }
    for ((value, told), found) in table.0.iter().zip(&counts) {
        if told != found {
            findings.add(|| format!("the table has {told} states with the value {value}, there are {found}"));
        }
    }
    let told: Vec<_> = record.shares.iter().flatten().cloned().collect();
    let against = match stored.ranking() {
        Ranking::Against(role) => Some(RoleId(role as u32)),
        Ranking::Each(_) => None,
    };
    let counted = table.0.iter().zip(counts).map(|((value, _), states)| (value.clone(), states)).collect();
    let found: Vec<_> = shares_of(&Table(counted, Vec::new()), against).iter().map(Share::record).collect();
    if told != found {
        findings.add(|| "the manifest has other numbers of states by value than the table".to_owned());
    }
    Ok(Loaded { set, values: Some((codes, table)), _memory: memory })
}

struct Layer<'a> {
    stored: &'a Stored,
    layout: &'a Layout,
    own: &'a Loaded<'a>,
    /// The layers that may have successors, the next one first if there is one.
    after: Vec<&'a Loaded<'a>>,
    has_next: bool,
    /// Whether the solution may lack later layers.
    open: bool,
    /// Whether players may have choices that matter, as far as that depends on the values of all layers.
    choices: bool,
}

impl Layer<'_> {
    fn walk(
        &self,
        ranks: Option<&[u64]>,
        reached: Option<&Reached>,
        threads: usize,
        limits: &Limits,
    ) -> Result<Found, ReadError> {
        let count = ranks.map_or_else(|| self.own.set.countable(), |drawn| Ok(drawn.len() as u64))?;
        let work = |worker: &mut Worker, places: Range<u64>| {
            for from in places.clone().step_by(LANES) {
                limits.check()?;
                let end = places.end.min(from + LANES as u64);
                let of_place = |place: u64| ranks.map_or(place, |drawn| drawn[place as usize]);
                let some: Vec<u64> = (from..end).map(of_place).collect();
                let mut packed = Vec::new();
                for &rank in &some {
                    Cursor::new(&self.own.set, self.layout.words(), rank, 1).take(1, &mut packed);
                }
                worker.check(&packed, &some, limits)?;
            }
            Ok(())
        };
        shared(0..count, CHUNK, threads, || Worker::new(self, reached), work, |worker| worker.found, Found::join)
    }
}

struct Worker<'a> {
    layer: &'a Layer<'a>,
    reached: Option<&'a Reached<'a>>,
    interpreter: Interpreter,
    /// By layer after the state.
    finders: Vec<Finder>,
    /// What is wrong with a value, if anything, by its code, the numbers of moves and the values after them.
    known: FxHashMap<Vec<u32>, Option<&'static str>>,
    kept: usize,
    found: Found,
}

impl<'a> Worker<'a> {
    fn new(layer: &'a Layer<'a>, reached: Option<&'a Reached<'a>>) -> Self {
        let interpreter = Interpreter::new(&layer.stored.game);
        Worker {
            layer,
            reached,
            interpreter,
            finders: layer.after.iter().map(|_| Finder::default()).collect(),
            known: FxHashMap::default(),
            kept: 0,
            found: Found::default(),
        }
    }

    fn check(&mut self, packed: &[u64], ranks: &[u64], limits: &Limits) -> Result<(), ReadError> {
        let layer = self.layer;
        let states: Vec<State> =
            packed.chunks_exact(layer.layout.words()).map(|state| layer.layout.state(state)).collect();
        let mut situations = Vec::with_capacity(states.len());
        self.interpreter.situations(&states.iter().collect::<Vec<_>>(), &mut situations);
        for ((state, situation), &rank) in states.iter().zip(&situations).zip(ranks) {
            self.found.checked += 1;
            let code = layer.own.values.as_ref().map(|(codes, _)| codes[rank as usize]);
            if let Err(message) = self.state(state, situation, code, limits)? {
                let names = state.names(&layer.stored.game).join(" ");
                self.found.faults.add(rank, || format!("{message}: {names}"));
            }
        }
        Ok(())
    }

    fn state(
        &mut self,
        state: &State,
        situation: &Situation,
        code: Option<u32>,
        limits: &Limits,
    ) -> Result<Result<(), &'static str>, ReadError> {
        let (layer, game) = (self.layer, &*self.layer.stored.game);
        let players = game.players();
        let own = code.and_then(|code| layer.own.worth(code));
        if situation.terminal {
            self.found.terminal += 1;
            if situation.goals.iter().any(|goals| goals.len() != 1) {
                return Ok(Err("a role has no reward, or several"));
            }
            let rewards: Vec<u8> = situation.goals.iter().map(|goals| goals[0]).collect();
            return Ok(match own {
                Some((value, _)) if *value != Value::of_rewards(&rewards, players) => {
                    Err("the value of a terminal state is not what it pays")
                }
                Some((_, Some(rounds))) if rounds.iter().flatten().any(|&round| round != 0) => {
                    Err("a terminal state has a round after the first one")
                }
                _ => Ok(()),
            });
        }
        if situation.legal.iter().any(Vec::is_empty) {
            return Ok(Err("a role has no legal move"));
        }
        let choosing = situation.legal[..players].iter().filter(|moves| moves.len() > 1).count();
        self.found.joint += u64::from(choosing > 1);
        self.found.chance += u64::from(game.has_chance && situation.legal[players].len() > 1);
        if !layer.has_next && (layer.open || layer.after.is_empty()) {
            return Ok(if layer.open { Ok(()) } else { Err("play is not over in the last layer") });
        }
        let joints: Vec<_> = situation.joint_moves().collect();
        let pairs: Vec<_> = joints.iter().map(|joint| (state, joint.as_slice())).collect();
        let mut after = Vec::with_capacity(pairs.len());
        self.interpreter.successors(&pairs, &mut after);
        let mut key: Vec<u32> = situation.legal.iter().map(|moves| moves.len() as u32).collect();
        let mut worths = Vec::with_capacity(after.len());
        for successor in &after {
            let Some((place, rank)) = layer.layout.pack(successor).and_then(|packed| self.find(&packed)) else {
                return Ok(Err(match layer.after.as_slice() {
                    [_] if layer.has_next => "a successor is not in the next layer",
                    _ => "a successor is neither in the next layer nor in an earlier one",
                }));
            };
            if let Some(reached) = self.reached.filter(|_| place == 0 && layer.has_next) {
                reached.mark(rank);
            }
            let code = layer.after[place].values.as_ref().map(|(codes, _)| codes[rank as usize]);
            key.extend([place as u32, code.unwrap_or_default()]);
            worths.extend(code.and_then(|code| layer.after[place].worth(code)));
        }
        let (Some(own), Some(code), true) = (own, code, worths.len() == after.len()) else { return Ok(Ok(())) };
        key.push(code);
        let fault = match self.known.get(&key) {
            Some(fault) => *fault,
            None => {
                let fault = self.fault(&key[..game.roles.len()], own, &worths, limits)?;
                self.kept += key.len() + BESIDE;
                if self.kept > KEPT {
                    self.known.clear();
                    self.kept = 0;
                }
                self.known.insert(key, fault);
                fault
            }
        };
        Ok(fault.map_or(Ok(()), Err))
    }

    /// The layer after the state, by its place, and the rank of a packed successor.
    fn find(&mut self, packed: &[u64]) -> Option<(usize, u64)> {
        let sets = self.layer.after.iter().zip(&mut self.finders).enumerate();
        let mut found = sets.filter_map(|(place, (after, finder))| Some((place, finder.find(&after.set, packed)?)));
        found.next()
    }

    /// What is wrong with the value of a state, if anything. `after`: by joint move, what the state after it is worth.
    fn fault(
        &self,
        choices: &[u32],
        own: ExactWorth,
        after: &[ExactWorth],
        limits: &Limits,
    ) -> Result<Option<&'static str>, LimitReached> {
        let (layer, game) = (self.layer, &*self.layer.stored.game);
        let values: Vec<&Value> = after.iter().map(|(value, _)| *value).collect();
        Ok(match rule::follows(game, layer.stored.ranking(), choices, &values, limits)? {
            Err(reason) => Some(reason),
            Ok(expected) if expected != *own.0 => Some("the value does not follow from those of the successors"),
            Ok(_) => rounds::fault(game.players(), choices, own, after, layer.choices),
        })
    }
}

/// The number of states, in all layers, in which two solutions give a role the same value.
pub fn forced(both: [&Stored; 2], role: RoleId, limits: &Limits) -> Result<BigUint, ReadError> {
    let mut forced = BigUint::ZERO;
    for layer in 0..both[0].manifest.layers.len() as u32 {
        limits.check()?;
        let (mut numbers, mut memory) = (Vec::new(), Vec::new());
        for stored in both {
            let (Some(LayerValues::Ranked(file)), Some(table)) = (stored.layer_values(layer)?, stored.table(layer)?)
            else {
                return Err(ReadError::Damaged(format!("layer {layer} has no values")));
            };
            let (codes, account) = file.numbers(&limits)?;
            numbers.push((codes, table));
            memory.push(account);
        }
        let number = |(codes, table): &(Vec<u32>, &Table), rank: usize| {
            let value = table.0.get((codes[rank] as usize).wrapping_sub(1));
            value.map(|(value, _)| value.numbers()[role.index()].clone())
        };
        let states = numbers[0].0.len().min(numbers[1].0.len());
        forced += (0..states).filter(|&rank| number(&numbers[0], rank) == number(&numbers[1], rank)).count();
    }
    Ok(forced)
}
