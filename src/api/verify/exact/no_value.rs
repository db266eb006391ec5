//! Checks the claim that there is no single value: the play to the state that shows it, and that no value follows there.
//!
//! Values after the state are not stored, so they are computed again, by the reference interpreter and the verifier's
//! own rule ([`super::rule`]), depth first. If the state has too many successors for that, the claim stays open. The
//! opponent model is not stored either, so the claim is proved if no value follows under one of the models. The reason
//! in words is not checked. Where states repeat, the claim stays open, too: it is about what players can force in all of
//! them.

use super::super::check::Check;
use super::super::claims::{Claim, How};
use super::super::{Findings, Verification, play};
use super::rule;
use base::limits::{Account, Limits};
use game::interpreter::{Interpreter, Situation, State};
use game::propositional::Game;
use game::reward::{OpponentModel, Ranking};
use rustc_hash::FxHashMap;
use solving::exact::Value;
use solving::solution::ReadError;

/// Approximate bytes of a state with its value in a table, beside its fluents.
const STATE_BYTES: u64 = 200;
/// Joint moves between two looks at the limits.
const LOOK: usize = 256;

pub fn check(check: &mut Check, result: &mut Verification) -> Result<(), ReadError> {
    let stored = check.stored;
    let Some(record) = &stored.manifest.no_value else { return Ok(()) };
    let (game, interpreter) = (&*stored.game, Interpreter::new(&stored.game));
    let mut findings = Findings::new("manifest.json".to_owned());
    let played = play::follow(game, &interpreter, interpreter.initial(), &record.path, check.limits)?;
    match played.filter(|state| play::named(game, &record.state).as_ref() == Some(state)) {
        None => findings.add(|| "the play to the state without a single value is no play of the game".to_owned()),
        Some(_) if stored.manifest.goes_round() => check.claims.add(Claim::NoValue, How::Open),
        Some(state) => {
            let most = if check.options.full { u64::MAX } else { check.options.exhaustive };
            let search = |model| Search { game, interpreter: &interpreter, model, most, limits: check.limits };
            let mut shown = How::Proved;
            let mut follows = true;
            for model in OpponentModel::ALL {
                match search(model).value(&state) {
                    Ok(Some(found)) => follows &= found,
                    Ok(None) => shown = How::Open,
                    Err(ReadError::Limit(limit)) if limit.is_want_of_room() => shown = How::Open,
                    Err(error) => return Err(error),
                }
            }
            if !follows {
                shown = How::Proved;
            } else if shown == How::Proved {
                findings.add(|| format!("there is a single value in {}", state.names(game).join(" ")));
            }
            check.claims.add(Claim::NoValue, shown);
        }
    }
    findings.end(result);
    Ok(())
}

struct Search<'a> {
    game: &'a Game,
    interpreter: &'a Interpreter,
    model: OpponentModel,
    /// Bound on the number of states.
    most: u64,
    limits: &'a Limits,
}

/// A state on the way, with its successors.
struct Open {
    state: State,
    /// By role: the number of its moves.
    choices: Vec<u32>,
    after: Vec<State>,
    /// The number of successors that have a value.
    done: usize,
}

impl Search<'_> {
    /// Whether a single value follows; `None` if there are too many states to tell, or some are ill-formed, or play comes
    /// back to one of them.
    fn value(&self, state: &State) -> Result<Option<bool>, ReadError> {
        // Without a value: the states on the way.
        let mut known: FxHashMap<State, Option<Value>> = FxHashMap::default();
        let mut memory = Account::new(&self.limits);
        let each = STATE_BYTES + state.bytes() as u64;
        // Bytes of states and of numerators and denominators that are not reserved yet. Nothing is given back before the end.
        let mut bytes = 0;
        let mut next = Some(state.clone());
        let mut open: Vec<Open> = Vec::new();
        loop {
            self.limits.check()?;
            if let Some(state) = next.take() {
                let situation = self.interpreter.situation(&state);
                if situation.terminal {
                    let Some(value) = self.rewards(&situation) else { return Ok(None) };
                    known.insert(state, Some(value));
                    bytes += each;
                } else if situation.legal.iter().any(Vec::is_empty) {
                    return Ok(None);
                } else {
                    let count = situation.joint_move_count() as u64;
                    if count > self.most {
                        return Ok(None);
                    }
                    // Reserved before they are made, of which there may be any number.
                    memory.add(each.saturating_mul(count))?;
                    let mut after = Vec::new();
                    for (index, (_, successor)) in self.interpreter.after(&state, &situation).enumerate() {
                        if index.is_multiple_of(LOOK) {
                            self.limits.check()?;
                        }
                        after.push(successor);
                    }
                    let choices = situation.legal.iter().map(|moves| moves.len() as u32).collect();
                    known.insert(state.clone(), None);
                    bytes += each;
                    open.push(Open { state, choices, after, done: 0 });
                }
            }
            if known.len() as u64 > self.most {
                return Ok(None);
            }
            memory.add(std::mem::take(&mut bytes))?;
            let Some(last) = open.last_mut() else { return Ok(Some(true)) };
            let has_value = |after: &&State| known.get(*after).is_some_and(Option::is_some);
            last.done += last.after[last.done..].iter().take_while(has_value).count();
            if let Some(after) = last.after.get(last.done) {
                if known.contains_key(after) {
                    return Ok(None);
                }
                next = Some(after.clone());
                continue;
            }
            let Open { state, choices, after, .. } = open.pop().expect("the last one was looked at");
            let values: Vec<&Value> = after.iter().filter_map(|after| known[after].as_ref()).collect();
            match rule::follows(self.game, Ranking::Each(self.model), &choices, &values, self.limits)? {
                Ok(value) => {
                    let bits: u64 = value.numbers().iter().map(|own| own.numer().bits() + own.denom().bits()).sum();
                    bytes += bits / 8;
                    known.insert(state, Some(value));
                }
                Err(reason) => return Ok(Some(false).filter(|_| rule::NO_VALUE.contains(&reason))),
            }
        }
    }

    fn rewards(&self, situation: &Situation) -> Option<Value> {
        let single = |goals: &Vec<u8>| Some(goals[..].first()?).filter(|_| goals.len() == 1).copied();
        let rewards: Option<Vec<u8>> = situation.goals.iter().map(single).collect();
        rewards.map(|rewards| Value::of_rewards(&rewards, self.game.players()))
    }
}
