//! Exact values where states repeat, so that play can go on for ever, which pays nobody.
//!
//! At most one player may choose at a time. What a player can force is the least solution of the equations of best
//! play: the mean over chance, the most where it chooses, the least where others do. All states and moves are listed.
//! Their strongly connected components are solved in reverse order: a single state by its successors, any other
//! component by [`strategies`]. The [rounds](Forced::rounds) of states prove the values, and lead play to an end.
//!
//! | game | value of a state |
//! | --- | --- |
//! | nobody ever has a choice | what each player gets |
//! | one player | what it can force |
//! | two players who together get the same at every end | what each can force, if that adds up to the same: an equilibrium |
//! | one player against all others | what it can force |
//!
//! Other games, and two players of whom one cannot force what the other one cannot, have no single value.

mod equations;
mod forced;
mod listed;
mod play;
mod strategies;

pub use listed::shows_several;

use super::super::SolveError;
use super::super::expansion::OneByOne;
use super::super::options::SolveOptions;
use super::super::pass::Pass;
use super::super::progress::{Event, Phase};
use super::super::spool::Spool;
use super::backward::{refusal, store};
use super::layer::Settled;
use super::{Valued, repeats, shares, stored_values};
use crate::exact::{Rounds, Table, Value};
use crate::listing::{Graph, Index};
use crate::store::manifest::CycleRecord;
use base::limits::Account;
use forced::Forced;
use game::matrix::Rational;
use game::reward::Ranking;
use kernel::Diagram;
use listed::Listed;
use num_bigint::BigInt;
use num_traits::Zero;
use play::{Before, COMPONENT_BYTES, NONE};
use rustc_hash::FxHashMap;
use std::time::Instant;

/// Bytes of a state: the round of a player.
const ROUND_BYTES: u64 = 4;
/// Bytes of a value with its rounds while a layer is made, beside its numbers and rounds.
const VALUE_BYTES: u64 = 200;

/// Finds and stores the values of the layers whose values are not stored yet. `all`: the states of all layers; `cycle`:
/// how one of them repeats.
pub fn backward(
    pass: &Pass,
    spool: &mut Spool,
    (all, cycle): (&Diagram, &CycleRecord),
    options: &SolveOptions,
    ranking: Ranking,
) -> Result<Valued, SolveError> {
    let limits = pass.context.limits();
    let one_by_one = pass.expansion.exact().expect("such a game is prepared to be solved state by state");
    let layers = spool.figures().len();
    let mut shares = spool.stored_shares();
    let first = shares.iter().position(Option::is_some).unwrap_or(layers);
    if first == 0 {
        let (_, _account, table) = stored_values(&spool.archive()?, 0, pass.game.players(), limits)?;
        let value = table.0.first().expect("it has a state").0.clone();
        return Ok((value, shares.into_iter().map(|shares| shares.expect("all layers are solved")).collect()));
    }
    let Some(listed) = Listed::new(pass, one_by_one, all)? else {
        let CycleRecord { state, path, moves } = cycle.clone();
        return Err(repeats(state, path, moves).into());
    };
    let solver = Solver { pass, one_by_one, listed: &listed, index: Index::new(&listed.states, limits)? };
    let worth = solver.worth(spool, ranking)?;
    let mut value = None;
    for index in (0..first).rev() {
        let start = Instant::now();
        let layer = spool.take(index)?;
        let settled = solver.layer(&layer, &worth)?;
        let of_layer = shares::of_table(&settled.table, options.against);
        store(spool, index, &layer, &settled, &of_layer, pass.context)?;
        shares[index] = Some(of_layer);
        value = settled.table.0.first().map(|(value, _)| value.clone());
        let (states, seconds) = (None, start.elapsed().as_secs_f64());
        let (phase, total) = (Phase::Backward, Some(layers as u32));
        let event = Event::LayerFinished { phase, layer: index as u32, total, states, nodes: 0, seconds };
        pass.listener.event(&event);
    }
    let value = value.expect("the first layer has a state");
    Ok((value, shares.into_iter().map(|shares| shares.expect("all layers are solved")).collect()))
}

struct Solver<'a> {
    pass: &'a Pass<'a>,
    one_by_one: &'a dyn OneByOne,
    listed: &'a Listed,
    index: Index<'a>,
}

/// What all states are worth.
struct Worth {
    /// What players can force; of two players the first one alone.
    forced: Vec<Forced>,
    /// What two players get together.
    sum: Option<Rational>,
    /// By player, if it gets something somewhere: the rounds of all states.
    rounds: Vec<Option<Vec<u32>>>,
    _account: Account,
}

impl Worth {
    /// The numbers of a state, by player.
    fn value(&self, state: usize) -> Value {
        let mut numbers = vec![Rational::zero(); self.rounds.len()];
        for forced in &self.forced {
            numbers[forced.role as usize] = forced.number(state).clone();
        }
        if let Some(sum) = &self.sum {
            numbers[1] = sum - &numbers[0];
        }
        Value::new(numbers)
    }

    fn rounds(&self, state: usize) -> Rounds {
        let round = |rounds: &Vec<u32>| Some(rounds[state]).filter(|&round| round != NONE);
        self.rounds.iter().map(|rounds| rounds.as_ref().and_then(round)).collect()
    }

    fn key(&self, state: usize, rounds: bool) -> Vec<u32> {
        let codes = self.forced.iter().map(|forced| forced.codes[state]);
        let rounds = self.rounds.iter().flatten().filter(|_| rounds).map(|rounds| rounds[state]);
        codes.chain(rounds).collect()
    }
}

impl Solver<'_> {
    fn worth(&self, spool: &mut Spool, ranking: Ranking) -> Result<Worth, SolveError> {
        let (play, limits, players) = (&self.listed.play, self.pass.context.limits(), self.pass.game.players());
        let chooses = |state: usize| play.choosers[state] != Graph::NOBODY;
        let one = |role: usize| (vec![role as u32], None);
        let (roles, sum) = match ranking {
            Ranking::Against(role) => one(role),
            Ranking::Each(_) if !(0..play.len()).any(chooses) => ((0..players as u32).collect(), None),
            Ranking::Each(_) if players == 1 => one(0),
            Ranking::Each(_) if players == 2 => (vec![0], Some(self.sum(spool)?)),
            Ranking::Each(_) => {
                let message =
                    "no single value: play can go on for ever, players have choices, and there are more than two";
                return Err(self.refusal(spool, message.to_owned(), chooses)?);
            }
        };
        let components = play.components(limits)?;
        let listed = limits.hold(COMPONENT_BYTES * play.len() as u64)?;
        let rewards = self.pass.expansion.rewards();
        let find = |role| Forced::find(self.pass, self.listed, &components, role, rewards);
        let forced: Vec<Forced> = roles.into_iter().map(find).collect::<Result<_, _>>()?;
        drop((components, listed));
        let mut account = Account::new(limits);
        account.set((ROUND_BYTES * players as u64 * play.len() as u64).saturating_add(play.before_bytes()))?;
        let (before, mut rounds) = (play.before(), vec![None; players]);
        for forced in &forced {
            let found = self.proved(forced, &before, forced.role, Zero::is_zero)?;
            rounds[forced.role as usize] = Some(
                found.map_err(|_| SolveError::Inconsistent("a value is more than the player can force".to_owned()))?,
            );
        }
        if let Some(sum) = &sum {
            match self.proved(&forced[0], &before, 1, |number| number == sum)? {
                Ok(found) => rounds[1] = Some(found),
                Err(open) => return Err(self.open(spool, (&forced[0], sum), &open)?),
            }
        }
        account.shrink_to(ROUND_BYTES * players as u64 * play.len() as u64);
        Ok(Worth { forced, sum, rounds, _account: account })
    }

    /// The rounds of a player; or the states, as a set, in which it gets something and has no round. `nothing`: whether
    /// a number of these values leaves it nothing.
    fn proved(
        &self,
        forced: &Forced,
        before: &Before,
        role: u32,
        nothing: impl Fn(&Rational) -> bool,
    ) -> Result<Result<Vec<u32>, Vec<bool>>, SolveError> {
        let rounds = forced.rounds(self.pass, self.listed, before, role, |number| !nothing(number))?;
        let is_open = |state: usize| rounds[state] == NONE && !nothing(forced.number(state));
        match (0..rounds.len()).any(is_open) {
            true => Ok(Err((0..rounds.len()).map(is_open).collect())),
            false => Ok(Ok(rounds)),
        }
    }

    /// What two players get together at every end, 0 if play never ends.
    fn sum(&self, spool: &mut Spool) -> Result<Rational, SolveError> {
        let rewards = self.pass.expansion.rewards();
        let sum = |end: u16| rewards[usize::from(end) - 1][..2].iter().map(|&own| u32::from(own)).sum::<u32>();
        let mut ends = self.listed.ends.iter().filter(|&&end| end != 0).map(|&end| sum(end));
        let Some(first) = ends.next() else { return Ok(Rational::zero()) };
        match ends.find(|&other| other != first) {
            None => Ok(Rational::from_integer(BigInt::from(first))),
            Some(other) => {
                let message = format!(
                    "no single value: play can go on for ever, and what the two players get does not sum up to the same \
                     at every end ({first}, or {other})"
                );
                let is_other = |state: usize| self.listed.ends[state] != 0 && sum(self.listed.ends[state]) == other;
                Err(self.refusal(spool, message, is_other)?)
            }
        }
    }

    /// The refusal because the second player cannot force in some states what the first one cannot.
    fn open(
        &self,
        spool: &mut Spool,
        (forced, sum): (&Forced, &Rational),
        open: &[bool],
    ) -> Result<SolveError, SolveError> {
        let (index, state) = self.nearest(spool, |state| open[state])?;
        let [first, second] = [0, 1].map(|player: usize| self.pass.game.roles[player].to_string());
        let number = forced.number(state);
        let message = format!(
            "no single value: play can go on for ever in a reachable state, which pays nobody: {first} can force {} \
             there, but {second} cannot force the other {}",
            crate::exact::text(number),
            crate::exact::text(&(sum - number)),
        );
        refusal(self.pass, spool, index, &self.one_by_one.assignment(self.listed.states.state(state)), message)
    }

    fn refusal(
        &self,
        spool: &mut Spool,
        message: String,
        shows: impl Fn(usize) -> bool,
    ) -> Result<SolveError, SolveError> {
        let (index, state) = self.nearest(spool, shows)?;
        refusal(self.pass, spool, index, &self.one_by_one.assignment(self.listed.states.state(state)), message)
    }

    /// The layer and the rank among all states of the nearest state for which a condition holds, which some state must.
    fn nearest(&self, spool: &mut Spool, holds: impl Fn(usize) -> bool) -> Result<(usize, usize), SolveError> {
        let mut ranks = Vec::new();
        for index in 0..spool.figures().len() {
            let states = self.one_by_one.list(&*spool.layer(index)?)?;
            self.index.ranks(states.keys(), &mut ranks);
            if let Some(&rank) = ranks.iter().find(|&&rank| holds(rank as usize)) {
                return Ok((index, rank as usize));
            }
        }
        Err(SolveError::Inconsistent("a state that can be reached is in no layer".to_owned()))
    }

    fn layer(&self, layer: &Diagram, worth: &Worth) -> Result<Settled, SolveError> {
        let limits = self.pass.context.limits();
        let mut account = Account::new(limits);
        let (mut values, beside) = (FxHashMap::default(), VALUE_BYTES + ROUND_BYTES * 4 * worth.rounds.len() as u64);
        let states = self.one_by_one.list(layer)?;
        let mut ranks = Vec::new();
        self.index.ranks(states.keys(), &mut ranks);
        let mut found: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let (mut all, mut counts) = (Vec::new(), Vec::new());
        for rank in &mut ranks {
            let state = *rank as usize;
            let key = worth.key(state, true);
            let code = match found.get(&key) {
                Some(code) => *code,
                None => {
                    let value: &mut Value = values.entry(worth.key(state, false)).or_insert_with(|| worth.value(state));
                    account.add(value.bytes() + beside)?;
                    all.push((value.clone(), worth.rounds(state)));
                    counts.push(0);
                    *found.entry(key).or_insert(all.len() as u32 - 1)
                }
            };
            counts[code as usize] += 1;
            *rank = code;
        }
        limits.check()?;
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_unstable_by(|&one, &other| all[one].cmp(&all[other]));
        let mut places = vec![0; all.len()];
        (0..).zip(&order).for_each(|(place, &code)| places[code] = place);
        ranks.iter_mut().for_each(|code| *code = places[*code as usize]);
        let mut table = Table::default();
        for code in order {
            let (value, rounds) = all[code].clone();
            table.0.push((value, counts[code]));
            table.1.push(rounds);
        }
        Ok(Settled::new(states, ranks, table, Account::new(limits))?)
    }
}
