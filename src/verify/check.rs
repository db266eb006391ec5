//! What makes the layers a strong solution, state by state.

use super::count::Counted;
use super::totals::{Seen, of_layer};
use super::turns::Turns;
use super::{Checked, Findings, Options, Verification, ranked};
use crate::interpreter::{Interpreter, JointMove, Situation, State, Turn};
use crate::limits::Limits;
use crate::propositional::RoleId;
use crate::random::Random;
use crate::solution::{ReadError, Stored, Values};
use crate::solve::{Event, Listener};
use crate::store::manifest::{LayerRecord, Progress};
use crate::store::{LayerValues, Mapped};
use num_bigint::BigUint;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// States expanded at a time.
const BATCH: usize = 256;

/// Checks all layers, and adds what is wrong to `result`.
pub fn layers(
    stored: &Stored,
    options: &Options,
    limits: &Limits,
    listener: &dyn Listener,
    seen: &mut Seen,
    result: &mut Verification,
) -> Result<(), ReadError> {
    let mut interpreter = Interpreter::new(&stored.game);
    let mut random = Random::new(options.seed);
    let mut turns = Turns::new(stored.game.roles.len());
    for record in &stored.manifest.layers {
        let Some(states) = stored.states(record.layer)? else { continue };
        let counted = Counted::new(states, limits)?;
        let total = counted.total();
        result.findings.extend(of_layer(record.layer, "states", &record.states, &total));
        let mut layer = Layer {
            stored,
            record,
            states,
            values: stored.layer_values(record.layer)?,
            turns: &mut turns,
            interpreter: &mut interpreter,
            findings: Findings::new(format!("layer {}", record.layer)),
            terminal: 0,
            buckets: BTreeMap::new(),
            successors: None,
        };
        if record.layer == 0 {
            layer.check_start(&total)?;
        }
        if let Some(LayerValues::Ranked(values)) = layer.values {
            let rewards = &stored.manifest.rewards;
            ranked::check(values, states, &counted, record, rewards, limits, &mut layer.findings)?;
        }
        let all = u64::try_from(&total).ok().filter(|total| *total <= options.exhaustive);
        let number = all.unwrap_or(options.samples);
        match all {
            Some(_) => layer.collect_successors(options.exhaustive),
            None => seen.skip(),
        }
        let mut batch: Vec<Drawn> = Vec::new();
        for index in 0..number {
            let drawn = if all.is_some() { Some(index.into()) } else { counted.random_number(&mut random) };
            if let Some(number) = drawn {
                let assignment = counted.state(&number)?;
                batch.push(Drawn { state: stored.codec.state(&assignment), assignment, number });
            }
            if batch.len() == BATCH || index + 1 == number {
                limits.check()?;
                layer.check(&batch, seen)?;
                batch.clear();
            }
        }
        layer.end(all.is_some(), result);
        tracing::info!("layer {}: {number} of {total} states checked", record.layer);
        let values = record.values_file.is_some();
        let (done, total_layers) = (u64::from(record.layer) + 1, u64::from(stored.layers()));
        listener.event(&Event::Work { what: "layers", done, total: total_layers });
        let checked =
            Checked { layer: record.layer, states: total, checked: number, exhaustive: all.is_some(), values };
        result.layers.push(checked);
    }
    Ok(())
}

/// A state to check: its number in the layer, and the state by level and by fluent.
struct Drawn {
    number: BigUint,
    assignment: Vec<bool>,
    state: State,
}

/// A layer that is being checked.
struct Layer<'a> {
    stored: &'a Stored,
    record: &'a LayerRecord,
    states: &'a Mapped,
    /// `None`: not there yet.
    values: Option<&'a LayerValues>,
    turns: &'a mut Turns,
    interpreter: &'a mut Interpreter,
    findings: Findings,
    /// Terminal states so far.
    terminal: u64,
    /// States by value so far.
    buckets: BTreeMap<Vec<u8>, u64>,
    /// The states of the next layer that were reached, if they are wanted.
    successors: Option<FxHashSet<State>>,
}

impl Layer<'_> {
    /// The first layer is the initial state.
    fn check_start(&mut self, total: &BigUint) -> Result<(), ReadError> {
        let initial = self.interpreter.initial();
        if *total != BigUint::from(1u32) || !self.stored.contains(0, &initial)? {
            self.findings.add(|| "is not the initial state alone".to_owned());
        }
        Ok(())
    }

    /// Asks for the successors to be compared with the next layer, if that has at most `limit` states.
    fn collect_successors(&mut self, limit: u64) {
        let next = self.stored.manifest.layers.get(self.record.layer as usize + 1);
        if next.is_some_and(|next| next.states <= BigUint::from(limit)) {
            self.successors = Some(FxHashSet::default());
        }
    }

    /// Whether the next layer is there or can be known to be empty.
    fn has_next(&self) -> bool {
        let last = self.record.layer + 1 == self.stored.layers();
        !last || self.stored.manifest.phase != Progress::Forward
    }

    /// Checks some states.
    fn check(&mut self, batch: &[Drawn], seen: &mut Seen) -> Result<(), ReadError> {
        let states: Vec<&State> = batch.iter().map(|drawn| &drawn.state).collect();
        let mut situations = Vec::with_capacity(states.len());
        self.interpreter.situations(&states, &mut situations);
        for (Drawn { number, assignment, state }, situation) in batch.iter().zip(&situations) {
            self.terminal += u64::from(situation.terminal);
            seen.add(state, situation.terminal);
            let value = match self.values {
                Some(_) => match self.stored.rewards(self.record.layer, assignment) {
                    Ok(value) => value,
                    Err(error) => {
                        self.wrong(state, || error.to_string());
                        continue;
                    }
                },
                None => None,
            };
            if let Some(LayerValues::Ranked(values)) = self.values {
                let rank = values.rank(self.states, assignment)?;
                if rank.map(BigUint::from).as_ref() != Some(number) {
                    self.wrong(state, || format!("the rank is {rank:?}, not {number}"));
                }
            }
            if let Some(value) = value {
                *self.buckets.entry(value.to_vec()).or_default() += 1;
            }
            self.check_state(state, situation, value)?;
        }
        Ok(())
    }

    fn check_state(&mut self, state: &State, situation: &Situation, value: Option<&[u8]>) -> Result<(), ReadError> {
        let turn = match situation.turn() {
            Ok(turn) => turn,
            Err(violation) => {
                self.wrong(state, || violation.to_string());
                return Ok(());
            }
        };
        let mover = match turn {
            Turn::Terminal => {
                let goals: Vec<u8> = situation.goals.iter().flatten().copied().collect();
                if value.is_some_and(|value| value != goals) {
                    self.wrong(state, || format!("the value is {value:?}, the goals are {goals:?}"));
                }
                return Ok(());
            }
            Turn::Forced => 0,
            Turn::Mover(role) => role.index(),
        };
        let joints: Vec<JointMove> = situation.joint_moves().collect();
        let pairs: Vec<_> = joints.iter().map(|joint| (state, joint.as_slice())).collect();
        let mut successors = Vec::with_capacity(pairs.len());
        self.interpreter.successors(&pairs, &mut successors);
        if let Turn::Mover(role) = turn
            && self.turns.open()
        {
            self.check_turns(role, &successors);
        }
        if !self.has_next() {
            return Ok(());
        }
        let (model, next) = (self.stored.model(), self.record.layer + 1);
        let mut best: Option<&[u8]> = None;
        for (successor, joint) in successors.into_iter().zip(&joints) {
            let there = match value {
                None => self.stored.contains(next, &successor)?,
                Some(_) => match self.stored.worth(next, &successor).map(|worth| worth.and_then(|worth| worth.value)) {
                    Ok(Some(reward)) => {
                        let better = |best| model.rank(mover, reward) > model.rank(mover, best);
                        if best.is_none_or(better) {
                            best = Some(reward);
                        }
                        true
                    }
                    Ok(None) => false,
                    Err(error) => {
                        self.wrong(state, || error.to_string());
                        true
                    }
                },
            };
            if !there {
                let action = self.stored.game.moves[joint[mover].index()].term.to_string();
                self.wrong(state, || format!("the next layer lacks the state after {action}"));
                continue;
            }
            if let Some(reached) = &mut self.successors {
                reached.insert(successor);
            }
        }
        if let (Some(value), Some(best)) = (value, best)
            && value != best
        {
            self.wrong(state, || format!("the value is {value:?}, the best successor's {best:?}"));
        }
        Ok(())
    }

    /// Looks whether a role with the choice has it again in a successor.
    fn check_turns(&mut self, role: RoleId, successors: &[State]) {
        let mut situations = Vec::with_capacity(successors.len());
        self.interpreter.situations(&successors.iter().collect::<Vec<_>>(), &mut situations);
        if situations.iter().any(|situation| situation.turn() == Ok(Turn::Mover(role))) {
            self.turns.repeat();
        }
    }

    /// Adds a finding about a state.
    fn wrong(&mut self, state: &State, message: impl FnOnce() -> String) {
        let game = &self.stored.game;
        self.findings.add(|| format!("{}: {}", state.names(game).join(" "), message()));
    }

    /// Compares the counts of a layer of which all states were checked.
    fn end(mut self, exhaustive: bool, result: &mut Verification) {
        let layer = self.record.layer;
        result.findings.extend(self.turns.end_layer(layer, self.record.alternating, exhaustive));
        if exhaustive {
            result.findings.extend(of_layer(layer, "terminal states", &self.record.terminal, &self.terminal.into()));
            let told = self.record.buckets.iter().flatten();
            let told: BTreeMap<Vec<u8>, BigUint> =
                told.filter_map(|bucket| Some((bucket.rewards.clone()?, bucket.states.clone()))).collect();
            let found: BTreeMap<Vec<u8>, BigUint> =
                std::mem::take(&mut self.buckets).into_iter().map(|(value, states)| (value, states.into())).collect();
            if self.values.is_some() && told != found {
                self.findings.add(|| format!("the manifest has the buckets {told:?}, there are {found:?}"));
            }
        }
        let next = self.stored.manifest.layers.get(layer as usize + 1);
        if let (Some(reached), Some(next)) = (&self.successors, next)
            && BigUint::from(reached.len()) != next.states
        {
            let count = reached.len();
            self.findings.add(|| format!("the next layer has {} states, {count} of them successors", next.states));
        }
        self.findings.end(result);
    }
}
