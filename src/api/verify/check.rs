//! Checks all layers from the last to the first: decides which are checked state by state and which are sampled, and
//! compares them with the manifest.

use super::alternation::Alternation;
use super::by_rank::ByRank;
use super::claims::{Claim, Claims, How};
use super::conditions::Conditions;
use super::count::Counted;
use super::diagram::{Function, Packed, Set};
use super::layer::{Found, Layer, Loaded, Next, Opened, Values, preferences};
use super::pairs;
use super::ties::{Alike, Ties};
use super::walk::Cursor;
use super::{Checked, Findings, Options, Verification, codes, ranked, reach, totals};
use base::digits::grouped;
use base::limits::{LimitReached, Limits};
use base::random::Random;
use game::batch::Layout;
use num_bigint::BigUint;
use solving::solution::{ReadError, Stored};
use solving::solve::{Event, Listener};
use solving::store::LayerValues;
use solving::store::manifest::{LayerRecord, Progress};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Number of states from which the time for all is estimated.
const ESTIMATE: u64 = 1 << 16;
/// Least number of states of the next layer that one pass marks as reached, whatever the memory.
const LEAST_AT_ONCE: u64 = 1 << 16;
/// Time between two reports of progress.
const PACE: Duration = Duration::from_millis(200);

/// The data of a verification.
pub struct Check<'a> {
    pub stored: &'a Stored,
    pub options: &'a Options,
    pub limits: &'a Limits,
    pub listener: &'a dyn Listener,
    pub layout: &'a Layout,
    pub preferences: Vec<Vec<u32>>,
    alike: Option<Alike>,
    progress: Pace,
    pub claims: Claims,
}

/// Progress of the walks.
struct Pace {
    /// Total number of states to walk over.
    total: BigUint,
    done: AtomicU64,
    told: std::sync::Mutex<Instant>,
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
        let now = Instant::now();
        let total = walked.map(|layer| &layer.states).sum();
        Check {
            stored,
            options,
            limits,
            listener,
            layout,
            preferences: preferences(stored),
            alike: Alike::new(stored),
            progress: Pace { total, done: AtomicU64::new(0), told: std::sync::Mutex::new(now) },
            claims: Claims::default(),
        }
    }

    /// Estimates and reports how long walking over all layers will take, from a part of the largest one.
    pub fn estimate(&self) -> Result<(), ReadError> {
        let stored = self.stored;
        let Some(record) = stored.manifest.layers.iter().max_by_key(|layer| &layer.states) else { return Ok(()) };
        let read = |layer: u32| -> Result<Option<Loaded>, ReadError> {
            let Some(mapped) = stored.states(layer)? else { return Ok(None) };
            let set = Set::read(mapped.file(), self.limits)?;
            let values = match stored.layer_values(layer)? {
                Some(LayerValues::Diagram(mapped)) => {
                    Some(Values::Function(Function::read(mapped.file(), self.limits)?))
                }
                Some(LayerValues::Ranked(_)) | None => None,
            };
            Ok(Some(Loaded { set, values }))
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
        let total = self.progress.total.to_string().parse::<f64>().unwrap_or(f64::MAX);
        let seconds = start.elapsed().as_secs_f64() * total / part.max(1) as f64 / self.options.threads.max(1) as f64;
        let (states, layers) = (&self.progress.total, stored.manifest.layers.len());
        let text = format!("walking over {} states in {layers} layers: about {seconds:.0} s", grouped(states));
        self.listener.event(&Event::Notice(text));
        Ok(())
    }

    /// Checks all layers, and adds what is wrong to `result`.
    pub fn layers(&mut self, result: &mut Verification) -> Result<(), ReadError> {
        let (stored, roles) = (self.stored, self.stored.game.roles.len());
        let mut turns = Alternation::new(roles, stored.manifest.layers.len());
        let ends = stored.manifest.layers.iter().flat_map(|layer| layer.ends.iter().flatten());
        let ends = ends.map(|end| end.rewards.clone()).collect();
        let mut conditions = Conditions::new(&stored.game, self.layout, ends, self.limits);
        // The next layer as stored, and the roles that may have a choice in it.
        let mut next: Option<Loaded> = None;
        let mut choosers = vec![stored.manifest.phase == Progress::Forward; roles];
        let (mut checked, mut random, mut ties) = (Vec::new(), Random::new(self.options.seed), Ties::default());
        for record in stored.manifest.layers.iter().rev() {
            let mut findings = Findings::new(format!("layer {}", record.layer));
            let Some(mapped) = stored.states(record.layer)? else { continue };
            let set = Set::read(mapped.file(), self.limits)?;
            let counted = match set.states {
                Some(_) => None,
                None => Some(Counted::new(mapped, self.limits)?),
            };
            let total: BigUint = match (&set.states, &counted) {
                (Some(states), _) => (*states).into(),
                (None, Some(counted)) => counted.total(),
                (None, None) => BigUint::ZERO,
            };
            if total != record.states {
                let told = &record.states;
                findings.add(|| format!("the manifest has {told} states, there are {total}"));
            }
            let all = walks(self.options, &total);
            let before = record.layer.checked_sub(1).map(|layer| &stored.manifest.layers[layer as usize].states);
            let array = set.states.is_some() && (all || before.is_some_and(|states| walks(self.options, states)));
            let values = self.values(record, &set, array, &mut findings)?;
            let own = Loaded { set, values };
            if record.layer == 0 {
                let initial = stored.codec.assignment(&game::interpreter::Interpreter::new(&stored.game).initial());
                let there = initial.map_or(Ok(false), |initial| mapped.contains(&initial))?;
                if total != BigUint::from(1u32) || !there {
                    findings.add(|| "is not the initial state alone".to_owned());
                }
            }
            let follows = match &next {
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
                choosers: &choosers,
                preferences: &self.preferences,
                alike: self.alike.as_ref(),
            };
            let mut found = match all {
                true => self.walk(layer, &mut findings)?,
                false => self.sample(layer, counted.as_ref(), record, mapped, &mut random)?,
            };
            found.tell(&mut findings);
            let number = found.checked;
            let (terminal, ends, own_choosers) = match all {
                true => {
                    let ends = found.ends.iter().map(|(rewards, states)| (rewards.clone(), (*states).into())).collect();
                    (Some(found.terminal.into()), Some(ends), Some(std::mem::take(&mut found.choosers)))
                }
                false => {
                    let terminal = conditions.terminal(&own.set)?;
                    let ends = record.ends.as_ref().map(|_| conditions.ends(&own.set)).transpose()?;
                    (terminal, ends.flatten(), conditions.choosers(&own.set, &found.choosers)?)
                }
            };
            if let Some(terminal) = &terminal
                && *terminal != record.terminal
            {
                let told = &record.terminal;
                findings.add(|| format!("the manifest has {told} terminal states, there are {terminal}"));
            }
            if let Some(told) = &record.ends {
                let how = if ends.is_some() { How::Proved } else { How::Open };
                self.claims.add(Claim::Ends, how);
                ends.iter().for_each(|ends| totals::compare_ends(told, ends, &mut findings));
            }
            // The roles alternate if no role that may have a choice here may have one in the next layer.
            let apart =
                own_choosers.as_ref().is_some_and(|own| !own.iter().zip(&choosers).any(|(own, next)| own & next));
            let repeats = (all || found.repeats || apart).then_some(found.repeats);
            turns.layer(record.layer, repeats);
            ties.layer(&total, all.then_some(found.ties));
            self.claim(all, own.values.is_some(), follows, terminal.is_some());
            choosers = own_choosers.unwrap_or_else(|| vec![true; roles]);
            findings.end(result);
            tracing::info!("layer {}: {number} of {total} states checked", record.layer);
            checked.push(Checked {
                layer: record.layer,
                states: total,
                checked: number,
                exhaustive: all,
                values: own.values.is_some(),
            });
            next = Some(self.left(own, record, array)?);
        }
        checked.reverse();
        result.layers = checked;
        turns.end(&stored.manifest, &mut self.claims, result);
        ties.end(&stored.manifest, &mut self.claims, result);
        Ok(())
    }

    /// A layer in the form that checking the layer before it needs; its values stay in their file if only few are
    /// looked up.
    fn left<'v>(&self, own: Loaded<'v, 'a>, record: &LayerRecord, array: bool) -> Result<Loaded<'v, 'a>, ReadError>
    where
        'a: 'v,
    {
        let Loaded { set, values } = own;
        let values = match (values, self.stored.layer_values(record.layer)?) {
            (Some(Values::Function(_)), Some(LayerValues::Diagram(mapped))) if !array => {
                mapped.file().expect_lookups();
                Some(Values::Packed(Packed::open(mapped.file())?))
            }
            (values, _) => values,
        };
        Ok(Loaded { set, values })
    }

    /// Records which claims were shown for a layer.
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

    /// Loads the values of a layer, and compares the numbers of states with each value with the manifest. `array`: they
    /// will be looked up for many states.
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
        let endings = stored.endings();
        let most = endings.count();
        let of_ids = |totals: &[u64]| -> BTreeMap<u32, BigUint> {
            (0..).zip(totals).filter(|(_, states)| **states > 0).map(|(id, states)| (id, (*states).into())).collect()
        };
        let (values, totals) = match stored_values {
            LayerValues::Diagram(mapped) => {
                let function = Function::read(mapped.file(), limits)?;
                let made = match array {
                    true => ByRank::of_function(set, &function, most, self.options.threads, limits).map(Some),
                    false => Ok(None),
                };
                match made {
                    Ok(Some(values)) => {
                        let totals = of_ids(&values.totals);
                        (Values::ByRank(values), totals)
                    }
                    Ok(None) | Err(ReadError::Limit(LimitReached::Memory { .. })) => {
                        let totals = pairs::totals(set, &function, self.options.threads, limits)?;
                        (Values::Function(function), totals)
                    }
                    Err(error) => return Err(error),
                }
            }
            LayerValues::Ranked(file) => {
                ranked::check(file, set, limits, findings)?;
                if set.states != Some(file.states()) {
                    return Err(file.file().damaged("not the ranks of the layer's states").into());
                }
                match array.then(|| ByRank::of_ranked(file, most, limits)).transpose() {
                    Ok(Some(values)) => {
                        let totals = of_ids(&values.totals);
                        (Values::ByRank(values), totals)
                    }
                    Ok(None) | Err(ReadError::Limit(LimitReached::Memory { .. })) => {
                        let codes = codes::totals(file, limits)?;
                        let mut totals = vec![0u64; most + 2];
                        for (code, states) in codes.iter().enumerate() {
                            let id = file.values().get(code).map_or(most + 1, |&id| id as usize);
                            totals[id.min(most + 1)] += states;
                        }
                        (Values::Ranked(Opened::new(file, codes, limits)?), of_ids(&totals))
                    }
                    Err(error) => return Err(error),
                }
            }
        };
        // By rewards: the states, and with distances how many are how far from the end.
        let mut found: BTreeMap<&[u8], (BigUint, BTreeMap<u32, BigUint>)> = BTreeMap::new();
        for (id, states) in &totals {
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
        }
        Ok(Some(values))
    }

    /// Checks every state of a layer, and that their successors are the next layer.
    fn walk(&self, layer: Layer, findings: &mut Findings) -> Result<Found, ReadError> {
        let states = layer.own.set.countable()?;
        let threads = self.options.threads;
        let done = |count: u64| self.tell(count);
        let Next::Layer(next) = layer.next else {
            return reach::walk(layer, (0, states), None, false, threads, self.limits, &done);
        };
        // Each pass marks as many states of the next layer as there is memory for.
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

    /// Reports progress from time to time.
    fn tell(&self, count: u64) {
        let done = self.progress.done.fetch_add(count, Ordering::Relaxed) + count;
        let Ok(mut told) = self.progress.told.try_lock() else { return };
        if told.elapsed() < PACE {
            return;
        }
        *told = Instant::now();
        let total = u64::try_from(&self.progress.total).unwrap_or(u64::MAX);
        self.listener.event(&Event::Work { what: "states", done, total });
    }
}

/// Whether every state of a layer is looked at.
fn walks(options: &Options, states: &BigUint) -> bool {
    options.full || *states <= BigUint::from(options.exhaustive)
}
