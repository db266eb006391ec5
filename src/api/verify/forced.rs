//! Counts the states in which a guarantee equals the role's reward in the solution. In such a state, the role can force
//! against all others together what it gets under best play of all.
//!
//! Both folders have the same states, and their values were already verified. Layers of any size are counted one by
//! one: by a walk over nodes of the states with pairs of nodes of both values or, if one of the values is stored by
//! rank, by rank. A solution of all states at once is counted state by state, up to a bound on its states. If memory
//! does not suffice, the count is left open.

use super::by_rank::ByRank;
use super::claims::{Claim, How};
use super::diagram::{Function, Set};
use super::sweep::{Beside, Fate, Ways, ways};
use super::{Findings, Options, Verification, exact};
use base::limits::{Account, LimitReached, Limits};
use game::ending::Endings;
use game::propositional::{Game, RoleId};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use solving::solution::{ReadError, Stored};
use solving::solve::{Event, Listener};
use solving::store::manifest::{LayerRecord, Progress};
use solving::store::{LayerValues, guarantee_folder};
use std::ops::ControlFlow;
use std::path::Path;

const BATCH: u64 = 1 << 16;
/// Approximate bytes of a pair of nodes, with its entry in a hash table.
const PAIR: u64 = 40;
/// Bound on the pairs. Their numbers have 32 bits, and some pairs are added between two checks of the bound.
const MOST_PAIRS: usize = 1 << 31;

/// Compares the count in a complete guarantee, in the folder of a complete solution, with the verifier's count. Does
/// nothing if errors were found in the guarantee or the solution. `result`: the verification of the guarantee.
pub fn check(
    folder: &Path,
    role: RoleId,
    rules: Option<Game>,
    options: &Options,
    limits: &Limits,
    listener: &dyn Listener,
    result: &mut Verification,
) -> Result<(), ReadError> {
    let own = guarantee_folder(folder, role.index());
    let both = [folder, own.as_path()].map(|folder| Stored::open_without_book(folder, rules.clone(), limits));
    let [solution, guarantee] = both;
    let (solution, guarantee) = (solution?, guarantee?);
    let Some(told) = &guarantee.manifest.forced else { return Ok(()) };
    let both = [&solution, &guarantee];
    if !result.findings.is_empty() || both.iter().any(|stored| stored.manifest.phase != Progress::Complete) {
        return Ok(());
    }
    let mut findings = Findings::new("manifest.json".to_owned());
    if !same_states(both) {
        findings.add(|| "the states are not those of the solution beside it".to_owned());
        findings.end(result);
        return Ok(());
    }
    let found = match solution.manifest.is_global() {
        _ if solution.manifest.is_exact() => exact::forced(both, role, limits).map(Some),
        true => in_all(both, role, options, limits),
        false => in_layers(both, role, options.threads, limits, listener).map(Some),
    };
    let found = match found {
        Err(error) if error.limit().is_some_and(LimitReached::is_want_of_room) => None,
        found => found?,
    };
    result.claims.add(Claim::Forced, if found.is_some() { How::Proved } else { How::Open });
    if let Some(found) = found
        && found != *told
    {
        findings
            .add(|| format!("the manifest has {told} states from which it can force what it gets, there are {found}"));
    }
    findings.end(result);
    Ok(())
}

fn same_states([one, other]: [&Stored; 2]) -> bool {
    let files = |stored: &Stored| -> Vec<String> {
        let sum = |layer: &LayerRecord| layer.states_file.sha256.clone();
        stored.manifest.layers.iter().map(sum).collect()
    };
    one.manifest.variables == other.manifest.variables
        && one.manifest.defaults == other.manifest.defaults
        && one.manifest.is_global() == other.manifest.is_global()
        && files(one) == files(other)
}

/// By value id in the solution, and in the guarantee: the reward of the role.
#[derive(Debug)]
struct Same([Vec<Option<u8>>; 2]);

impl Same {
    fn new(endings: [&Endings; 2], role: RoleId) -> Same {
        let rewards = |endings: &Endings, id| endings.rewards(id).map(|rewards| rewards[role.index()]);
        Same(endings.map(|endings| (0..=endings.count() as u32).map(|id| rewards(endings, id)).collect()))
    }

    fn has(&self, ids: [u32; 2]) -> bool {
        let [one, other] = [0, 1].map(|which| self.0[which].get(ids[which] as usize).copied().flatten());
        one.is_some() && one == other
    }
}

fn in_layers(
    both: [&Stored; 2],
    role: RoleId,
    threads: usize,
    limits: &Limits,
    listener: &dyn Listener,
) -> Result<BigUint, ReadError> {
    let same = Same::new(both.map(Stored::endings), role);
    let (mut forced, layers) = (BigUint::ZERO, both[0].manifest.layers.len() as u64);
    for (done, record) in (1..).zip(&both[0].manifest.layers) {
        limits.check()?;
        let layer = record.layer;
        let [one, other] = both.map(|stored| stored.layer_values(layer));
        let (Some(states), Some(one), Some(other)) = (both[0].states(layer)?, one?, other?) else {
            return Err(ReadError::Damaged(format!("layer {layer} has no values")));
        };
        let set = Set::read(states.file(), limits)?;
        forced += match (one, other) {
            (LayerValues::Diagram(one), LayerValues::Diagram(other)) => {
                let one = Function::read(one.file(), limits)?;
                let other = Function::read(other.file(), limits)?;
                by_nodes(&set, [&one, &other], &same, limits)?
            }
            values => {
                let most = both.map(|stored| stored.endings().count());
                let one = by_rank(&set, values.0, most[0], threads, limits)?;
                let other = by_rank(&set, values.1, most[1], threads, limits)?;
                let (mut found, states) = (0u64, set.countable()?);
                for first in (0..states).step_by(BATCH as usize) {
                    limits.check()?;
                    let ranks = first..states.min(first + BATCH);
                    found += ranks.filter(|&rank| same.has([one.get(rank), other.get(rank)])).count() as u64;
                }
                found.into()
            }
        };
        listener.event(&Event::Work { what: "forced", done, total: layers });
    }
    Ok(forced)
}

fn by_rank<'l>(
    set: &Set,
    values: &LayerValues,
    most: usize,
    threads: usize,
    limits: &'l Limits,
) -> Result<ByRank<'l>, ReadError> {
    match values {
        LayerValues::Diagram(mapped) => {
            ByRank::of_function(set, &Function::read(mapped.file(), limits)?, most, threads, limits)
        }
        LayerValues::Ranked(file) => ByRank::of_ranked(file, most, limits),
    }
}

/// Number of states of a set for which two functions give the role the same reward.
fn by_nodes(set: &Set, values: [&Function; 2], same: &Same, limits: &Limits) -> Result<BigUint, LimitReached> {
    fn count<N: Ways>(set: &Set, mut both: Both, root: u32, limits: &Limits) -> Result<N, LimitReached> {
        let mut sum = N::from(0);
        let mut arrive = |_: u32, states: &N| {
            sum += states;
            ControlFlow::Continue(())
        };
        let all =
            ways(set, std::slice::from_mut(&mut both), root, usize::MAX, limits, std::slice::from_mut(&mut arrive));
        all?.expect("there is no bound on the pairs");
        Ok(sum)
    }
    let mut both =
        Both { values, same, pairs: Vec::new(), known: FxHashMap::default(), account: Account::new(&limits) };
    let root = both.id(values.map(|values| values.root));
    match set.states {
        Some(_) => Ok(count::<u64>(set, both, root, limits)?.into()),
        None => count(set, both, root, limits),
    }
}

/// Pairs of nodes of two functions. A pair of terminals has the id [`EQUAL`] or [`DIFFERENT`], by the role's rewards.
struct Both<'a, 'l> {
    values: [&'a Function<'l>; 2],
    same: &'a Same,
    pairs: Vec<[u32; 2]>,
    known: FxHashMap<[u32; 2], u32>,
    account: Account<&'a Limits>,
}

const DIFFERENT: u32 = 0;
const EQUAL: u32 = 1;
const FIRST: u32 = 2;

impl Both<'_, '_> {
    fn id(&mut self, pair: [u32; 2]) -> u32 {
        if [0, 1].iter().all(|&which| self.values[which].fate(pair[which]) == Fate::Settled) {
            return if self.same.has(pair) { EQUAL } else { DIFFERENT };
        }
        let pairs = &mut self.pairs;
        *self.known.entry(pair).or_insert_with(|| {
            pairs.push(pair);
            pairs.len() as u32 - 1 + FIRST
        })
    }

    fn pair(&self, id: u32) -> Option<[u32; 2]> {
        id.checked_sub(FIRST).map(|index| self.pairs[index as usize])
    }
}

impl Beside for Both<'_, '_> {
    fn fate(&self, id: u32) -> Fate {
        match id {
            DIFFERENT => Fate::Nothing,
            EQUAL => Fate::Settled,
            _ => Fate::Open,
        }
    }

    fn skip(&mut self, id: u32, level: u32) -> u32 {
        let Some([one, other]) = self.pair(id) else { return id };
        let [mut left, mut right] = self.values;
        let pair = [left.skip(one, level), right.skip(other, level)];
        self.id(pair)
    }

    fn children(&mut self, id: u32, level: u32) -> [u32; 2] {
        let Some([one, other]) = self.pair(id) else { return [id; 2] };
        let [mut left, mut right] = self.values;
        let (ones, others) = (left.children(one, level), right.children(other, level));
        [0, 1].map(|way| self.id([ones[way], others[way]]))
    }

    fn account(&mut self) -> Result<(), LimitReached> {
        if self.pairs.len() > MOST_PAIRS {
            let what = "number of pairs of nodes of the values of a layer".to_owned();
            return Err(LimitReached::Size { what, limit: MOST_PAIRS as u64 });
        }
        self.account.grow_to(self.pairs.len() as u64 * PAIR)
    }
}

/// The count for a solution of all states at once; `None` if it has more states than the bound.
fn in_all(both: [&Stored; 2], role: RoleId, options: &Options, limits: &Limits) -> Result<Option<BigUint>, ReadError> {
    let layers = &both[0].manifest.layers;
    let total: BigUint = layers.iter().map(|layer| &layer.states).sum();
    if !options.full && total > BigUint::from(options.exhaustive) {
        return Ok(None);
    }
    let mut forced = 0u64;
    for record in layers {
        let damaged = |what: &str| ReadError::Damaged(format!("layer {} has {what}", record.layer));
        let states = both[0].states(record.layer)?.ok_or_else(|| damaged("no states"))?;
        let set = Set::read(states.file(), limits)?;
        let (mut number, total) = (BigUint::ZERO, set.total());
        while number < total {
            limits.check()?;
            let assignment = set.state(&number);
            let [one, other] = both.map(|stored| stored.settled_worth(&assignment));
            let (Some(one), Some(other)) = (one?, other?) else { return Err(damaged("a state without a value")) };
            let [one, other] = [one, other].map(|worth| worth.value.map(|rewards| rewards[role.index()]));
            forced += u64::from(one == other);
            number += 1u32;
        }
    }
    Ok(Some(forced.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::diagram::testing::{function, random_set, states};
    use base::random::Random;

    #[test]
    fn states_with_the_same_reward_are_those_of_all_states() {
        let limits = Limits::unlimited();
        let mut random = Random::new(11);
        let role = RoleId(1);
        let plain = |rewards: [u8; 3]| Endings::plain(rewards.map(|own| vec![0, own]).to_vec());
        let endings = [plain([0, 50, 100]), plain([50, 0, 50])];
        let same = Same::new([&endings[0], &endings[1]], role);
        let (mut some, mut others) = (0, 0);
        for _ in 0..40 {
            let levels = 1 + random.below(9);
            let mut set = random_set(levels, &mut random, &limits);
            let (one, other) = (function(levels, 3, &mut random, &limits), function(levels, 3, &mut random, &limits));
            let rewards = |which: usize, id| endings[which].rewards(id).unwrap()[1];
            let all = states(&set);
            let equal = |state: &&Vec<bool>| rewards(0, one.value(state)) == rewards(1, other.value(state));
            let expected = BigUint::from(all.iter().filter(equal).count());
            assert_eq!(by_nodes(&set, [&one, &other], &same, &limits).unwrap(), expected);
            let ranked = [&one, &other].map(|values| ByRank::of_function(&set, values, 3, 1, &limits).unwrap());
            let by_rank = (0..all.len() as u64).filter(|&rank| same.has([ranked[0].get(rank), ranked[1].get(rank)]));
            assert_eq!(BigUint::from(by_rank.count()), expected);
            // From now on the set is treated like a set of more than 2^48 states.
            set.states = None;
            assert_eq!(by_nodes(&set, [&one, &other], &same, &limits).unwrap(), expected);
            some += u64::from(expected != BigUint::ZERO);
            others += u64::from(expected != BigUint::from(all.len()));
        }
        assert!(some > 20 && others > 20, "{some} {others}");
        assert_eq!(limits.used(), 0);
    }
}
