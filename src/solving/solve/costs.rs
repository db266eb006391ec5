//! The best plan of a single player from the initial state: the one of least cost, and of these one with the fewest
//! moves.
//!
//! Few states are searched one by one ([`mod@crate::cheapest`]). For more states, diagrams hold the states of equal
//! cost and equal number of moves to the end, here called a layer. Layers are found backward from the ends with the
//! best reward (Dijkstra by buckets; Edelkamp and Reffel, "OBDDs in heuristic search", 1998). All states of a layer are
//! removed from the remaining states at once. Their predecessors go to later layers, by the cost of the move, because
//! every move increases the number of moves. The layer of the initial state is the last one. The best plans are those
//! whose moves lead from layer to layer; a final search visits the states on best plans one by one.
//!
//! Cost: for each layer and each cost of moves, the predecessors of its states; and memory for all layers.

use super::SolveError;
use super::ends::Ends;
use super::global::orders::Orders;
use super::global::terminals::{only, terminal_values};
use super::options::{ExpansionChoice, SolveOptions};
use super::pass::Pass;
use super::progress::Event;
use super::spool::Spool;
use crate::cheapest::{Cheapest, Guide, Key, Wanted, cheapest, one_more};
use base::limits::{LimitReached, Limits};
use game::interpreter::{Interpreter, State};
use game::propositional::Game;
use game::reward::{OpponentModel, Ranking};
use kernel::{self, Diagram};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// Largest number of states that are searched one by one although there are diagrams; and the approximate number of
/// states that a search keeps, unless the options ask for the plan.
const FEW: u32 = 2_000_000;

/// Largest number of preimages of layers, unless the options ask for the plan and a search of single states would not
/// fit into memory. If costs differ much, layers are many and small.
const PREIMAGES: u64 = 20_000;
/// Approximate bytes of a state in a search of single states, beside its fluents.
const STATE_BYTES: u64 = 200;

pub fn are_few(states: &BigUint) -> bool {
    *states <= BigUint::from(FEW)
}

/// The best plan by a search of single states, which is bounded unless the options ask for the plan.
pub fn one_by_one(game: &Game, reward: u8, options: &SolveOptions, limits: &Limits) -> Result<Cheapest, LimitReached> {
    let interpreter = Interpreter::new(game);
    let states = (!options.plans && !options.line).then_some(FEW as usize);
    let wanted = Wanted { reward, plans: options.plans, states };
    cheapest(game, &interpreter, &interpreter.initial(), wanted, None, limits)
}

/// The best plan by diagrams, if moves have costs or plans are counted. `None`: no end is worth a plan, or a search of
/// single states is to follow. `all`: all states, if they are known; otherwise the layers of the spool are united.
pub fn by_layers(
    pass: &Pass,
    spool: &mut Spool,
    ends: &Ends,
    all: Option<&Diagram>,
    options: &SolveOptions,
) -> Result<Option<Cheapest>, SolveError> {
    let Pass { game, context, listener, .. } = *pass;
    let wanted = game.roles.len() == 1 && options.against.is_none() && (options.plans || !game.has_unit_costs());
    let states: BigUint = spool.figures().iter().map(|layer| &layer.states).sum();
    if !wanted || are_few(&states) && options.expansion != ExpansionChoice::Relations {
        return Ok(None);
    }
    let rewards = ends.by_layer.iter().flatten().map(|end| end.rewards[0]);
    let Some(reward) = rewards.max().filter(|&reward| reward > 0) else { return Ok(None) };
    let asked = options.plans || options.line;
    let each = game.fluents.len() as u64 / 8 + STATE_BYTES;
    let fit = states * each <= BigUint::from(context.limits().free() / 2);
    let most = (!asked || fit).then_some(PREIMAGES);
    let found = united(pass, spool, all).and_then(|all| match layers(pass, all, reward, most)? {
        Found::All(layers) => {
            let wanted = Wanted { reward, plans: options.plans, states: None };
            through(pass, &layers, wanted).map(Some)
        }
        Found::Beyond(cost) if !asked => Ok(Some(Cheapest::AtLeast(cost))),
        Found::Beyond(_) | Found::NoRelations => Ok(None),
    });
    match found {
        Err(SolveError::Limit(limit)) if !limit.ends_all() => {
            listener.event(&Event::Message(format!("plans are looked for state by state: {limit}")));
            Ok(None)
        }
        found => Ok(found?),
    }
}

/// The best plan through layers, of which the last one has the initial state.
fn through(pass: &Pass, layers: &BTreeMap<Key, Diagram>, wanted: Wanted) -> Result<Cheapest, SolveError> {
    let Pass { game, expansion, context, .. } = *pass;
    let leads = |left: Key, state: &State| {
        let Some(layer) = layers.get(&left) else { return false };
        let holds: Vec<bool> = game.fluent_ids().map(|fluent| state.contains(fluent)).collect();
        layer.contains(&expansion.variables().assignment(&holds)) != 0
    };
    let (&total, _) = layers.last_key_value().expect("the layer of the initial state is there");
    let (interpreter, guide) = (Interpreter::new(game), Guide { total, leads: &leads });
    Ok(cheapest(game, &interpreter, &interpreter.initial(), wanted, Some(guide), context.limits())?)
}

fn united(pass: &Pass, spool: &mut Spool, all: Option<&Diagram>) -> Result<Diagram, SolveError> {
    let mut united = Diagram::constant(pass.expansion.variables().levels(), 0);
    if let Some(all) = all {
        return Ok(kernel::union(&[all, &united], pass.context)?);
    }
    for layer in 0..spool.figures().len() {
        united = kernel::union(&[&united, &*spool.layer(layer)?], pass.context)?;
    }
    Ok(united)
}

enum Found {
    /// By cost and moves to an end with the reward: the states, up to the layer of the initial state.
    All(BTreeMap<Key, Diagram>),
    /// The bound on the work did not suffice; plans cost at least this.
    Beyond(u64),
    NoRelations,
}

/// Finds the layers of the states `all` by about `most` preimages, each under the moves of one cost.
fn layers(pass: &Pass, all: Diagram, reward: u8, most: Option<u64>) -> Result<Found, SolveError> {
    let Pass { expansion, context, listener, .. } = *pass;
    let terminals = expansion.terminals(&all)?;
    let orders = Orders::new(Ranking::Each(OpponentModel::default()), 1, expansion.rewards());
    let values = terminal_values(pass, &terminals, &orders)?;
    let id = expansion.rewards().iter().position(|rewards| rewards[..] == [reward]).expect("some state pays it");
    let goals = only(id as u32 + 1, &values, 1, pass)?;
    let mut left = kernel::difference(&all, &terminals, context)?;
    drop(all);
    let total = u64::try_from(left.count(context)?).unwrap_or(u64::MAX);
    let (mut layers, mut done, mut preimages) = (BTreeMap::new(), 0u64, 0u64);
    // By key: states of this layer or of one nearer to the end.
    let mut open: BTreeMap<Key, Vec<Diagram>> = BTreeMap::new();
    let mut next = Some(((0, 0), goals));
    // What was left out, as it costs more than can be told.
    let mut beyond = None;
    while let Some((key, layer)) = next {
        context.limits().check()?;
        listener.event(&Event::Work { what: "costs", done, total });
        if layer.contains(expansion.initial()) != 0 {
            layers.insert(key, layer);
            return Ok(Found::All(layers));
        }
        if most.is_some_and(|most| preimages > most) {
            return Ok(Found::Beyond(key.0));
        }
        let Some(before) = expansion.predecessors_by_cost(&left, &layer)? else { return Ok(Found::NoRelations) };
        preimages += before.len() as u64;
        for (cost, before) in before.into_iter().filter(|(_, before)| !before.is_empty()) {
            match one_more(key, cost) {
                Ok(key) => open.entry(key).or_default().push(before),
                Err(limit) => beyond = Some(limit),
            }
        }
        layers.insert(key, layer);
        next = None;
        while let Some((key, found)) = open.pop_first() {
            let found = kernel::union(&found.iter().collect::<Vec<_>>(), context)?;
            let found = kernel::intersection(&found, &left, context)?;
            if !found.is_empty() {
                left = kernel::difference(&left, &found, context)?;
                done = done.saturating_add(u64::try_from(found.count(context)?).unwrap_or(u64::MAX));
                next = Some((key, found));
                break;
            }
        }
    }
    let unreached = || SolveError::Inconsistent("no play leads to the value of the initial state".to_owned());
    Err(beyond.map_or_else(unreached, SolveError::from))
}
