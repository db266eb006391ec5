//! Checks all layers from the last to the first, and compares the results with the manifest.

use super::alternation::Alternation;
use super::by_rank::ByRank;
use super::claims::{Claim, Claims, How};
use super::conditions::Conditions;
use super::diagram::{Function, Packed, Set};
use super::layer::{Found, Layer, Loaded, Next, Opened, Values, preferences};
use super::nodes;
use super::pace::Pace;
use super::pairs;
use super::ties::{Alike, Ties};
use super::walk::{Cursor, Finder};
use super::{Checked, Findings, Options, Verification, codes, ranked, reach, totals};
use base::digits::grouped;
use base::limits::{LimitReached, Limits};
use base::random::Random;
use game::batch::Layout;
use game::ending::Endings;
use game::interpreter::Interpreter;
use num_bigint::BigUint;
use solving::solution::{ReadError, Stored};
use solving::solve::{Event, Listener};
use solving::store::manifest::{LayerRecord, Progress};
use solving::store::{LayerFile, LayerValues, Mapped, Ranked};
use std::collections::BTreeMap;
use std::time::Instant;

/// Number of states that are checked to estimate the time.
const ESTIMATE: u64 = 1 << 16;
/// Least number of states of the next layer that one pass can mark, however short memory is.
const LEAST_AT_ONCE: u64 = 1 << 16;

pub struct Check<'a> {
    pub stored: &'a Stored,
    pub options: &'a Options,
    pub limits: &'a Limits,
    pub listener: &'a dyn Listener,
    pub layout: &'a Layout,
    pub preferences: Vec<Vec<u32>>,
    alike: Option<Alike>,
    progress: Pace<'a>,
    pub claims: Claims,
}

impl<'a> Check<'a> {
    pub fn new(
        stored: &'a Stored,
        layout: &'a Layout,
        options: &'a Options,
        limits: &'a Limits,
        listener: &'a dyn Listener,
    ) -> Self {
        let walked = stored.manifest.layers.iter().filter(|layer| walks(options, &layer.states));
        let total = walked.map(|layer| &layer.states).sum();
        Check {
            stored,
            options,
            limits,
            listener,
            layout,
            preferences: preferences(stored),
            alike: Alike::new(stored),
            progress: Pace::new("states", total, listener),
            claims: Claims::default(),
        }
    }

    /// Reports the estimated time of the walk over all layers, from the time for a part of the largest layer.
    pub fn estimate(&self) -> Result<(), ReadError> {
        let stored = self.stored;
        let Some(record) = stored.manifest.layers.iter().max_by_key(|layer| &layer.states) else { return Ok(()) };
        let read = |layer: u32| -> Result<Option<Loaded>, ReadError> {
            let Some(mapped) = stored.states(layer)? else { return Ok(None) };
            // Values are left out of the estimate, because lookups by rank take little time.
            Ok(Some(Loaded { set: Set::read(mapped.file(), self.limits)?, values: None }))
        };
        let (Some(own), next) = (read(record.layer)?, read(record.layer + 1)?) else { return Ok(()) };
        let (states, choosers) = (own.set.countable()?, vec![false; stored.game.roles.len()]);
        let layer = Layer {
            stored,
            layout: self.layout,
            number: record.layer,
            own: &own,
            next: next.as_ref().map_or(Next::Unknown, Next::Layer),
            choosers: &choosers,
            preferences: &self.preferences,
            alike: None,
        };
        let part = states.min(ESTIMATE);
        let first = (states - part) / 2;
        let start = Instant::now();
        reach::walk(layer, (first, first + part), None, false, 1, self.limits, &|_| {})?;
        let total = self.progress.total().to_string().parse::<f64>().unwrap_or(f64::MAX);
        let seconds = start.elapsed().as_secs_f64() * total / part.max(1) as f64 / self.options.threads.max(1) as f64;
        let (states, layers) = (self.progress.total(), stored.manifest.layers.len());
        let text = format!("walking over {} states in {layers} layers: about {seconds:.0} s", grouped(states));
        self.listener.event(&Event::Notice(text));
        Ok(())
    }

    pub fn layers(&mut self, result: &mut Verification) -> Result<(), ReadError> {
        let manifest = &self.stored.manifest;
        let (roles, layers) = (manifest.roles.len(), manifest.layers.len());
        let ends = manifest.layers.iter().flat_map(|layer| layer.ends.iter().flatten());
        let ends = ends.map(|end| end.rewards.clone()).collect();
        let mut course = Course {
            conditions: Conditions::new(&self.stored.game, self.layout, ends, self.limits),
            choosers: vec![manifest.phase == Progress::Forward; roles],
            turns: Alternation::new(roles, layers),
            ties: Ties::default(),
            random: Random::new(self.options.seed),
        };
        let mut next: Option<Loaded> = None;
        for record in manifest.layers.iter().rev() {
            let Some(mapped) = self.stored.states(record.layer)? else { continue };
            next = Some(self.layer(record, mapped, next.as_ref(), &mut course, result)?);
        }
        result.layers.reverse();
        course.turns.end(manifest, &mut self.claims, result);
        course.ties.end(manifest, &mut self.claims, result);
        Ok(())
    }

    /// Checks a layer, and returns it for the check of the layer before it.
    fn layer<'v>(
        &mut self,
        record: &LayerRecord,
        mapped: &Mapped,
        next: Option<&Loaded>,
        course: &mut Course<'a>,
        result: &mut Verification,
    ) -> Result<Loaded<'v, 'a>, ReadError>
    where
        'a: 'v,
    {
        let stored = self.stored;
        let mut findings = Findings::new(format!("layer {}", record.layer));
        let set = states(stored, record, mapped.file(), self.limits, &mut findings)?;
        let total = set.total();
        let all = walks(self.options, &total);
        let before = record.layer.checked_sub(1).map(|layer| &stored.manifest.layers[layer as usize].states);
        let array = set.states.is_some() && (all || before.is_some_and(|states| walks(self.options, states)));
        let values = self.values(record, &set, array, &mut findings)?;
        let own = Loaded { set, values };
        let follows = match next {
            Some(next) => Next::Layer(next),
            None if stored.manifest.phase == Progress::Forward => Next::Unknown,
            None => Next::None,
        };
        let layer = Layer {
            stored,
            layout: self.layout,
            number: record.layer,
            own: &own,
            next: follows,
            choosers: &course.choosers,
            preferences: &self.preferences,
            alike: self.alike.as_ref(),
        };
        let mut found = match all {
            true => self.walk(layer, &mut findings)?,
            false => self.sample(layer, record, mapped, &mut course.random)?,
        };
        found.faults.tell(&mut findings);
        let (checked, repeats, ties) = (found.checked, found.repeats, found.ties);
        let counts = Counts::new(found, &own.set, record, all, &mut course.conditions)?;
        counts.compare(record, &mut self.claims, &mut findings);
        self.claim(all, own.values.is_some(), follows, counts.terminal.is_some());
        // Roles alternate if no role may have a choice both here and in the next layer.
        let apart = counts.choosers.as_ref();
        let apart = apart.is_some_and(|own| !own.iter().zip(&course.choosers).any(|(own, next)| own & next));
        course.turns.layer(record.layer, (all || repeats || apart).then_some(repeats));
        course.ties.layer(&total, all.then_some(ties));
        course.choosers = counts.choosers.unwrap_or_else(|| vec![true; stored.game.roles.len()]);
        findings.end(result);
        tracing::info!("layer {}: {checked} of {total} states checked", record.layer);
        let values = own.values.is_some();
        result.layers.push(Checked { layer: record.layer, states: total, checked, exhaustive: all, values });
        Ok(own)
    }

    fn claim(&mut self, all: bool, values: bool, follows: Next, terminal: bool) {
        let how = if all { How::Proved } else { How::Sampled };
        let claims = &mut self.claims;
        claims.add(Claim::LayerStates, How::Proved);
        claims.add(Claim::Turns, how);
        claims.add(Claim::Terminal, if terminal { How::Proved } else { How::Open });
        if !matches!(follows, Next::Unknown) {
            claims.add(Claim::Successors, how);
            claims.add(Claim::NoOthers, if all { How::Proved } else { How::Open });
        }
        if values {
            claims.add(Claim::Buckets, How::Proved);
            claims.add(Claim::Values, how);
            if self.stored.endings().is_timed() {
                claims.add(Claim::Distances, how);
            }
        }
    }

    /// Loads the values, and compares their numbers of states with the manifest. `array`: many lookups will follow.
    fn values<'v>(
        &self,
        record: &LayerRecord,
        set: &Set,
        array: bool,
        findings: &mut Findings,
    ) -> Result<Option<Values<'v, 'a>>, ReadError>
    where
        'a: 'v,
    {
        let (stored, limits) = (self.stored, self.limits);
        let Some(stored_values) = stored.layer_values(record.layer)? else { return Ok(None) };
        let mut function = None;
        let (values, totals) = match stored_values {
            LayerValues::Diagram(mapped) => {
                self.of_diagram(mapped, function.insert(Function::read(mapped.file(), limits)?), set, array)?
            }
            LayerValues::Ranked(file) => {
                ranked::check(file, set, limits, findings)?;
                if set.states != Some(file.states()) {
                    return Err(file.file().damaged("not the ranks of the layer's states").into());
                }
                self.of_ranks(file, array)?
            }
        };
        compare_buckets(stored.endings(), record, (&totals, function.as_ref()), limits, findings)?;
        Ok(Some(values))
    }

    /// The values of a layer that are stored as a diagram, and the number of states by value id.
    fn of_diagram<'v>(
        &self,
        mapped: &'v Mapped,
        function: &Function,
        set: &Set,
        array: bool,
    ) -> Result<(Values<'v, 'a>, Totals), ReadError>
    where
        'a: 'v,
    {
        let (threads, limits) = (self.options.threads, self.limits);
        let most = self.stored.endings().count();
        if let Some(values) = in_memory(array, || ByRank::of_function(set, function, most, threads, limits))? {
            let totals = of_ids(&values.totals);
            return Ok((Values::ByRank(values), totals));
        }
        let totals = pairs::totals(set, function, threads, limits)?;
        mapped.file().expect_lookups();
        Ok((Values::Packed(Packed::open(mapped.file())?), totals))
    }

    /// As [`Check::of_diagram`], for values by rank.
    fn of_ranks<'v>(&self, file: &'v Ranked, array: bool) -> Result<(Values<'v, 'a>, Totals), ReadError>
    where
        'a: 'v,
    {
        let most = self.stored.endings().count();
        if let Some(values) = in_memory(array, || ByRank::of_ranked(file, most, self.limits))? {
            let totals = of_ids(&values.totals);
            return Ok((Values::ByRank(values), totals));
        }
        let codes = codes::totals(file, self.limits)?;
        let mut totals = vec![0u64; most + 2];
        for (code, states) in codes.iter().enumerate() {
            let id = file.values().get(code).map_or(most + 1, |&id| id as usize);
            totals[id.min(most + 1)] += states;
        }
        Ok((Values::Ranked(Opened::new(file, codes, self.limits)?), of_ids(&totals)))
    }

    /// Checks every state of a layer, and that all states of the next layer are successors.
    fn walk(&self, layer: Layer, findings: &mut Findings) -> Result<Found, ReadError> {
        let states = layer.own.set.countable()?;
        let threads = self.options.threads;
        let done = |count: u64| self.progress.tell(count);
        let Next::Layer(next) = layer.next else {
            return reach::walk(layer, (0, states), None, false, threads, self.limits, &done);
        };
        // A pass marks as many states of the next layer as memory permits.
        let all = next.set.countable()?;
        let at_once = (self.limits.free() / 2).saturating_mul(8).max(LEAST_AT_ONCE);
        let (found, unreached) = reach::walk_reaching(layer, (0, states), (all, at_once), threads, self.limits, &done)?;
        for rank in unreached.first {
            let mut packed = Vec::new();
            Cursor::new(&next.set, self.layout.words(), rank, 1).take(1, &mut packed);
            let names = self.layout.state(&packed).names(&self.stored.game).join(" ");
            findings.add(|| format!("the next layer has a state that is no successor: {names}"));
        }
        let missed = unreached.states;
        if missed > 0 {
            findings.add(|| format!("the next layer has {all} states, {} of them successors", all - missed));
        }
        Ok(found)
    }
}

struct Course<'a> {
    conditions: Conditions<'a>,
    /// By role: whether it may have a choice in the next layer.
    choosers: Vec<bool>,
    turns: Alternation,
    ties: Ties,
    random: Random,
}

/// Figures of a layer; `None` for a figure whose computation takes too much memory.
struct Counts {
    terminal: Option<BigUint>,
    /// By rewards: the number of terminal states.
    ends: Option<BTreeMap<Vec<u8>, BigUint>>,
    choosers: Option<Vec<bool>>,
}

impl Counts {
    /// Takes the figures from `found` if all states were checked; otherwise counts by walks over conditions.
    fn new(
        found: Found,
        set: &Set,
        record: &LayerRecord,
        all: bool,
        conditions: &mut Conditions,
    ) -> Result<Counts, LimitReached> {
        if all {
            let ends = found.ends.into_iter().map(|(rewards, states)| (rewards, states.into())).collect();
            return Ok(Counts {
                terminal: Some(found.terminal.into()),
                ends: Some(ends),
                choosers: Some(found.choosers),
            });
        }
        Ok(Counts {
            terminal: conditions.terminal(set)?,
            ends: record.ends.as_ref().map(|_| conditions.ends(set)).transpose()?.flatten(),
            choosers: conditions.choosers(set, &found.choosers)?,
        })
    }

    fn compare(&self, record: &LayerRecord, claims: &mut Claims, findings: &mut Findings) {
        if let Some(terminal) = self.terminal.as_ref().filter(|terminal| **terminal != record.terminal) {
            let told = &record.terminal;
            findings.add(|| format!("the manifest has {told} terminal states, there are {terminal}"));
        }
        if let Some(told) = &record.ends {
            claims.add(Claim::Ends, if self.ends.is_some() { How::Proved } else { How::Open });
            self.ends.iter().for_each(|ends| totals::compare_ends(told, ends, findings));
        }
    }
}

/// Loads the states of a layer. Compares their number with the manifest, and the first layer with the initial state.
pub fn states<'l>(
    stored: &Stored,
    record: &LayerRecord,
    file: &LayerFile,
    limits: &'l Limits,
    findings: &mut Findings,
) -> Result<Set<'l>, ReadError> {
    let set = Set::read(file, limits)?;
    let total = set.total();
    if total != record.states {
        let told = &record.states;
        findings.add(|| format!("the manifest has {told} states, there are {total}"));
    }
    if set.nodes.len() as u64 != record.nodes {
        findings.add(|| format!("the manifest has {} nodes, there are {}", record.nodes, set.nodes.len()));
    }
    if record.layer == 0 {
        let initial = stored.codec.layout().pack(&Interpreter::new(&stored.game).initial());
        let there = initial.is_some_and(|initial| Finder::default().find(&set, &initial).is_some());
        if set.states != Some(1) || !there {
            findings.add(|| "is not the initial state alone".to_owned());
        }
    }
    Ok(set)
}

type Totals = BTreeMap<u32, BigUint>;

fn of_ids(totals: &[u64]) -> Totals {
    (0..).zip(totals).filter(|(_, states)| **states > 0).map(|(id, states)| (id, (*states).into())).collect()
}

/// The result of `make`; `None` if it is not wanted, or if memory does not suffice.
fn in_memory<T>(wanted: bool, make: impl FnOnce() -> Result<T, ReadError>) -> Result<Option<T>, ReadError> {
    match wanted.then(make).transpose() {
        Err(error) if error.limit().is_some_and(LimitReached::is_want_of_room) => Ok(None),
        made => made,
    }
}

/// `function`: the values as a diagram; `None` if they are stored by rank, which has no nodes of values.
fn compare_buckets(
    endings: &Endings,
    record: &LayerRecord,
    (totals, function): (&Totals, Option<&Function>),
    limits: &Limits,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let mut found: BTreeMap<&[u8], (BigUint, BTreeMap<u32, BigUint>)> = BTreeMap::new();
    for (id, states) in totals {
        let (rewards, plies) = (endings.rewards(*id), endings.plies(*id, record.layer));
        let Some(rewards) = rewards.filter(|_| plies.is_some() == endings.is_timed()) else {
            findings.add(|| format!("{states} states have a value without rewards, or one that ended before"));
            continue;
        };
        let (sum, by_distance) = found.entry(rewards).or_default();
        *sum += states;
        if let Some(plies) = plies {
            *by_distance.entry(plies).or_default() += states;
        }
    }
    let told: Vec<_> = record.buckets.iter().flatten().collect();
    let same = told.len() == found.len()
        && told.iter().zip(&found).all(|(told, (rewards, (states, plies)))| {
            let told_plies = told.plies.iter().map(|record| (&record.plies, &record.states));
            told.rewards.as_deref() == Some(*rewards) && told.states == *states && told_plies.eq(plies)
        });
    if !same {
        let told: Vec<_> = told.iter().map(|told| (told.rewards.as_deref(), &told.states, &told.plies)).collect();
        findings.add(|| format!("the manifest has the buckets {told:?}, there are {found:?}"));
        return Ok(());
    }
    let places: BTreeMap<&[u8], usize> = found.keys().copied().zip(0..).collect();
    let place = |id: &u32| endings.rewards(*id).and_then(|rewards| places.get(rewards).copied());
    let groups = totals.keys().filter_map(|id| Some((*id, place(id)?))).collect();
    let nodes = in_memory(true, || match function {
        Some(function) => Ok(nodes::leading(&function.nodes, (found.len(), &groups), limits)?),
        None => Ok(vec![0; found.len()]),
    })?;
    match nodes {
        Some(nodes) => nodes::compare(told.into_iter().zip(nodes), findings),
        None => nodes::tell_open(record.layer),
    }
    Ok(())
}

fn walks(options: &Options, states: &BigUint) -> bool {
    options.full || *states <= BigUint::from(options.exhaustive)
}
