//! Cheapest plans of a single player: plans from a state to an end with a given reward that cost least and, among plans
//! of the same cost, have the fewest moves.
//!
//! A plan is a sequence of moves; two moves to the same state make two plans. There is a list of states for each pair
//! of cost and number of moves, and the lists are processed in ascending order (Dijkstra, "A note on two problems in
//! connexion with graphs", 1959). Every move, even one without cost, leads to a later list. So the states of a list do
//! not depend on each other, and the number of plans to a state is known once its list is reached. A [`Guide`] that
//! knows whether a state lies on a best plan restricts the search to such states.
//!
//! Cost: an evaluation of the rules for each state in the lists up to that of the plan, and for each of its moves. The
//! memory of the reached states is reserved in the limits.

use base::limits::{Account, LimitReached, Limits, table_bytes};
use game::interpreter::{Interpreter, State};
use game::propositional::{Game, MoveId};
use indexmap::IndexMap;
use num_bigint::BigUint;
use rustc_hash::FxBuildHasher;
use serde::Serializer;
use std::collections::BTreeMap;

/// Number of states that are evaluated together.
const TOGETHER: usize = 64;
/// Bytes of a list, in addition to its entries.
const BY_LIST: u64 = 128;

#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    pub reward: u8,
    /// Whether to count the best plans.
    pub plans: bool,
    /// Approximate bound on the number of states that are kept; `None`: only memory bounds it.
    pub states: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cheapest {
    Plan(Plan),
    /// There is no plan.
    Nothing,
    /// No plan was found within the bound on states or the memory; every plan costs at least this much.
    AtLeast(u64),
}

/// A best plan: no plan costs less, and no plan of the same cost has fewer moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub cost: u64,
    pub moves: Vec<MoveId>,
    /// The number of best plans, if requested.
    pub plans: Option<BigUint>,
}

/// The cost and the number of moves of the best way to, or from, a state.
pub type Key = (u64, u32);

pub fn one_more(key: Key, cost: u64) -> Result<Key, LimitReached> {
    let too_large = |what: &str, limit| LimitReached::Size { what: what.to_owned(), limit };
    let cost = key.0.checked_add(cost).ok_or_else(|| too_large("the cost of a plan", u64::MAX))?;
    let moves = key.1.checked_add(1).ok_or_else(|| too_large("the moves of a plan", u32::MAX.into()))?;
    Ok((cost, moves))
}

/// Knowledge about best plans that restricts the search.
#[derive(Clone, Copy)]
pub struct Guide<'a> {
    /// Cost and number of moves of the best plans.
    pub total: Key,
    /// Whether best plans from a state have this cost and this number of moves.
    pub leads: &'a dyn Fn(Key, &State) -> bool,
}

/// The best known way to a state.
#[derive(Debug, Clone, Copy)]
struct Reached {
    key: Key,
    /// The previous state, and (`by`) the move from there.
    from: u32,
    by: MoveId,
}

/// A cheapest plan from a state of a game of one role. The error is [`LimitReached::Size`] if all plans cost more than a
/// [`Key`] can tell.
pub fn cheapest(
    game: &Game,
    interpreter: &Interpreter,
    start: &State,
    wanted: Wanted,
    guide: Option<Guide>,
    limits: &Limits,
) -> Result<Cheapest, LimitReached> {
    let mut search = Search {
        game,
        guide,
        interpreter,
        wanted,
        known: IndexMap::default(),
        open: BTreeMap::new(),
        waiting: 0,
        plans: Vec::new(),
        digits: 0,
        beyond: None,
        account: Account::new(&limits),
    };
    search.run(start).map_err(|limit| limit.during(|| "looking for a cheapest plan".to_owned()))
}

struct Search<'a> {
    game: &'a Game,
    interpreter: &'a Interpreter,
    wanted: Wanted,
    guide: Option<Guide<'a>>,
    known: IndexMap<State, Reached, FxBuildHasher>,
    /// By key: states that were reached with it; states that have a better key by now are skipped.
    open: BTreeMap<Key, Vec<u32>>,
    /// Number of entries in the lists of `open`.
    waiting: u64,
    /// By state: the number of best ways to it, if they are counted.
    plans: Vec<BigUint>,
    /// Bytes of the numbers in `plans`.
    digits: u64,
    /// A way was left out, as its cost or its moves exceed the range of a [`Key`]: it costs more than any plan that can
    /// be told.
    beyond: Option<LimitReached>,
    account: Account<&'a Limits>,
}

impl Search<'_> {
    fn run(&mut self, start: &State) -> Result<Cheapest, LimitReached> {
        self.room(1)?;
        self.known.insert(start.clone(), Reached { key: (0, 0), from: 0, by: MoveId(0) });
        self.plans.extend(self.wanted.plans.then(|| BigUint::from(1u32)));
        self.open.insert((0, 0), vec![0]);
        self.waiting = 1;
        while let Some((key, mut states)) = self.open.pop_first() {
            self.waiting -= states.len() as u64;
            states.retain(|&state| self.known[state as usize].key == key);
            let mut ends = Vec::new();
            for states in states.chunks(TOGETHER) {
                self.account.check()?;
                match self.settle(key, states, &mut ends) {
                    Err(LimitReached::Memory { .. }) if self.wanted.states.is_some() => {
                        return Ok(Cheapest::AtLeast(key.0));
                    }
                    settled => settled?,
                }
            }
            if let Some(&end) = ends.first() {
                let plans = self.wanted.plans.then(|| ends.iter().map(|&end| &self.plans[end as usize]).sum());
                return Ok(Cheapest::Plan(Plan { cost: key.0, moves: self.moves_to(end), plans }));
            }
            if self.wanted.states.is_some_and(|most| self.known.len() > most)
                && let Some((&(cost, _), _)) = self.open.first_key_value()
            {
                return Ok(Cheapest::AtLeast(cost));
            }
        }
        self.beyond.take().map_or(Ok(Cheapest::Nothing), Err)
    }

    /// Adds the listed states at which plans end to `ends`; if `ends` is empty then, expands those that are not
    /// terminal.
    fn settle(&mut self, key: Key, states: &[u32], ends: &mut Vec<u32>) -> Result<(), LimitReached> {
        let given: Vec<&State> =
            states.iter().map(|&state| self.known.get_index(state as usize).expect("known").0).collect();
        let mut situations = Vec::with_capacity(given.len());
        self.interpreter.situations(&given, &mut situations);
        let reached = |goals: &[Vec<u8>]| goals[0] == [self.wanted.reward];
        let ended = situations.iter().zip(states).filter(|(found, _)| found.terminal && reached(&found.goals));
        ends.extend(ended.map(|(_, &state)| state));
        if !ends.is_empty() {
            return Ok(());
        }
        let mut pairs: Vec<(&State, &[MoveId])> = Vec::new();
        let mut sources = Vec::new();
        for ((found, &state), &from) in
            situations.iter().zip(&given).zip(states).filter(|((found, _), _)| !found.terminal)
        {
            pairs.extend(found.legal[0].iter().map(|action| (state, std::slice::from_ref(action))));
            sources.extend(found.legal[0].iter().map(|&action| (from, action)));
        }
        let mut successors = Vec::with_capacity(pairs.len());
        self.interpreter.successors(&pairs, &mut successors);
        self.room(self.known.len() + successors.len())?;
        for ((from, by), successor) in sources.into_iter().zip(successors) {
            let (cost, moves) = match one_more(key, self.game.moves[by.index()].cost) {
                Ok(key) => key,
                Err(limit) => {
                    self.beyond = Some(limit);
                    continue;
                }
            };
            if let Some(Guide { total, leads }) = self.guide {
                let left = total.0.checked_sub(cost).zip(total.1.checked_sub(moves));
                if !left.is_some_and(|left| leads(left, &successor)) {
                    continue;
                }
            }
            self.reach(successor, Reached { key: (cost, moves), from, by })?;
            // A guided search that does not count needs one best plan only, so one successor on it suffices.
            if self.guide.is_some() && !self.wanted.plans {
                break;
            }
        }
        Ok(())
    }

    fn reach(&mut self, state: State, reached: Reached) -> Result<(), LimitReached> {
        let number = self.known.len();
        let entry = self.known.entry(state);
        let index = entry.index();
        let known = entry.or_insert(reached);
        let is_better = index == number || reached.key < known.key;
        if !is_better && known.key != reached.key {
            return Ok(());
        }
        if is_better {
            *known = reached;
            let Ok(state) = u32::try_from(index) else {
                return Err(LimitReached::Size { what: "the states of a search".to_owned(), limit: u32::MAX.into() });
            };
            self.open.entry(reached.key).or_default().push(state);
            self.waiting += 1;
        }
        if self.wanted.plans {
            let more = self.plans[reached.from as usize].clone();
            self.plans.resize_with(self.known.len(), BigUint::default);
            let plans = &mut self.plans[index];
            let before = plans.bits();
            if is_better {
                *plans = more;
            } else {
                *plans += more;
            }
            self.digits = (self.digits + plans.bits() / 4).saturating_sub(before / 4);
        }
        Ok(())
    }

    /// Reserves the memory of this number of states. A growing table temporarily takes memory twice.
    fn room(&mut self, states: usize) -> Result<(), LimitReached> {
        let own = self.known.first().map_or(0, |(state, _)| state.bytes());
        let entry = size_of::<(State, Reached, u64)>() + if self.wanted.plans { size_of::<BigUint>() } else { 0 };
        let tables = states.next_power_of_two() * entry / 2 * 3 + table_bytes(states, size_of::<usize>());
        let lists = self.open.len() as u64 * BY_LIST + self.waiting * 2 * size_of::<u32>() as u64;
        self.account.grow_to((states * own + tables) as u64 + lists + self.digits)
    }

    fn moves_to(&self, mut state: u32) -> Vec<MoveId> {
        let mut moves = Vec::new();
        while let Reached { key: (_, 1..), from, by } = self.known[state as usize] {
            moves.push(by);
            state = from;
        }
        moves.reverse();
        moves
    }
}

/// Writes a number of plans: as a string if it exceeds 2⁵³, because many readers of JSON are exact only up to there.
pub fn count<S: Serializer>(plans: &Option<BigUint>, serializer: S) -> Result<S::Ok, S::Error> {
    let Some(plans) = plans else { return serializer.serialize_none() };
    match u64::try_from(plans) {
        Ok(small) if small <= 1 << 53 => serializer.serialize_u64(small),
        _ => serializer.serialize_str(&plans.to_string()),
    }
}
