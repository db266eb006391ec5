//! Games with chance, and games in which several players choose at the same time: every value is a rational number.
//!
//! As in all games of few states, states are listed and expanded one by one; layers are stored as diagrams. The
//! backward pass ([`backward`]) gives each state its value by a [rule](crate::exact). The values of a layer are stored
//! by rank, as positions in a table of the values that occur in the layer. Where states repeat, values depend on each
//! other: the states are found by distance, each once, and [`round`] solves them together, if at most one player chooses
//! at a time; with choices at the same time values need not be rational.

mod backward;
mod layer;
mod once;
mod round;
mod shares;

pub use layer::Thinker;
pub use round::shows_several;
pub use shares::{Common, Share, alike as shares_alike, of_table as shares_of, total as total_shares};

use super::explored::Explored;
use super::global::reach::reach;
use super::options::SolveOptions;
use super::outcome::{Algorithm, ExactValuation, Outcome};
use super::pass::Pass;
use super::prepare::prepared;
use super::progress::Stage;
use super::spool::Spool;
use super::{CYCLIC, ENDLESS, Refusal, SolveError, Stages, forward, stored};
use crate::exact::{Rule, Table, Value};
use crate::store::manifest::{CycleRecord, NoValueRecord};
use crate::store::{Archive, Store, Totals};
use base::digits::counted;
use base::limits::{Account, Limits};
use game::propositional::{Game, RoleId};
use kernel::{Context, Diagram};
use num_bigint::BigUint;
use std::sync::Arc;

/// The code of the refusal because a state has no value.
pub const NO_VALUE: &str = "no-single-value";

pub const CHANCE: &str = "chance has a part in the game";
pub const JOINT: &str = "several players choose at the same time";
/// As [`reason`], where states repeat.
pub const ROUND: &str = "chance has a part in the game, and play can go on for ever";
const REPEATS: &str = "play can go on for ever: states repeat, and games in which several players choose at the same \
                       time are solved only if every play ends, as values need not be rational otherwise";
const BY_RULE: &str =
    "play can go on for ever: states repeat, and values by this rule are found only if every play ends";

/// Tells users why this algorithm solves the game.
pub fn reason(game: &Game) -> &'static str {
    if game.has_chance { CHANCE } else { JOINT }
}

/// The refusal of a game in which play returns to a state by the moves of a cycle.
pub fn repeats(state: Vec<String>, path: Vec<String>, cycle: Vec<String>) -> Refusal {
    Refusal::repeats(REPEATS.to_owned(), state, path, cycle)
}

/// Fails if the options ask for something that games with exact values do not have.
pub fn check_options(options: &SolveOptions) -> Result<(), SolveError> {
    let asked = [
        (options.distances, "distances"),
        (options.ties, "ties"),
        (options.line, "line"),
        (options.plans, "plans"),
        (options.way.is_some(), "way"),
        (options.engine == super::EngineChoice::Hybrid, "engine hybrid"),
        (options.engine == super::EngineChoice::Symbolic, "engine symbolic"),
    ];
    match asked.into_iter().find(|(asked, _)| *asked) {
        Some((_, what)) => {
            Err(SolveError::Options(format!("--{what} is not for games with chance or choices at the same time")))
        }
        None => Ok(()),
    }
}

/// Solves a game by a rule, or only counts its states if the options ask for that. Where states repeat, they are found
/// by distance.
pub fn run(
    game: &Game,
    options: &SolveOptions,
    reason: &'static str,
    rule: &dyn Rule,
    mut store: Option<&mut Store>,
    context: &Context,
    mut stages: Stages,
) -> Result<Outcome, SolveError> {
    check_options(options)?;
    let listener = stages.listener;
    let options = SolveOptions { algorithm: Some(Algorithm::Exact), ..options.clone() };
    let known = store.as_ref().and_then(|store| store.manifest()).filter(|manifest| manifest.is_exact());
    let mut cycle = known.and_then(|manifest| manifest.cycle.clone());
    let mut prepared = prepared(game, &options, (known, true), context, &mut stages)?;
    let mut explored = prepared.explored.take();
    let pass = prepared.pass(game, context, listener, !options.count_only);
    if let Some(store) = &mut store {
        store.run().set_engine(pass.expansion.engine().name());
        let encoded = stored::encoded(&pass);
        match store.manifest() {
            Some(manifest) if !manifest.is_exact() => store.begin_again(encoded, Algorithm::Exact.name(), None)?,
            _ => store.begin(encoded, Algorithm::Exact.name())?,
        }
    }
    let refused = || match rule.ranking() {
        _ if !pass.solving => None,
        None => Some(BY_RULE),
        Some(_) => shows_several(game).then_some(REPEATS),
    };
    let (mut spool, all, totals) = stages.run(Stage::Forward, || {
        let reached = reached(&pass, store, &mut explored, &mut cycle, &refused)?;
        let detail = counted(&reached.2.states, "state");
        Ok((reached, detail))
    })?;
    let (valued, unvalued) = match pass.solving {
        true => {
            let whole = explored.as_mut().and_then(Explored::take_whole);
            let found = || match (&cycle, rule.ranking()) {
                (Some(cycle), Some(ranking)) => round::backward(&pass, &mut spool, (&all, cycle), &options, ranking),
                _ => backward::backward(&pass, &mut spool, whole, &options, rule),
            };
            let found = stages.run(Stage::Backward, || Ok((found(), String::new())))?;
            valued(found, &mut spool, &options)?
        }
        false => (None, None),
    };
    let reason = match (&cycle, game.has_chance) {
        (Some(_), true) => ROUND,
        (Some(_), false) => ENDLESS,
        _ => reason,
    };
    // There is no example where the search for one reached a limit.
    let cycle = cycle.filter(|cycle| !cycle.moves.is_empty());
    let means = (Algorithm::Exact, reason);
    let mut outcome = Outcome { cycle, ..Outcome::of_states(&pass, &options, means, &spool, totals) };
    if let Some((value, by_layer)) = valued {
        outcome.exact = Some(ExactValuation { value, shares: shares::total(&by_layer) });
        outcome.layers.iter_mut().zip(by_layer).for_each(|(layer, shares)| layer.shares = shares);
    }
    Ok(Outcome { unvalued, times: stages.times, ..outcome })
}

/// Finds the states: layer by layer or, where they repeat, by distance, and then all of them as a set. `cycle`: how a
/// state repeats, once it is known; `refused`: why that is a reason to refuse the game, if it is.
fn reached<'s>(
    pass: &'s Pass,
    mut store: Option<&'s mut Store>,
    explored: &mut Option<Explored>,
    cycle: &mut Option<CycleRecord>,
    refused: &dyn Fn() -> Option<&'static str>,
) -> Result<(Spool<'s>, Diagram, Totals), SolveError> {
    let share = pass.solving.then(|| Spool::share(pass.context.limits()));
    if cycle.is_none() {
        let mut spool = Spool::new(share, store, pass.context);
        match forward::forward(pass, &mut spool, explored) {
            Err(SolveError::Refused(Refusal { code: CYCLIC, state, path, cycle: moves, .. })) => {
                if let Some(message) = refused() {
                    return Err(Refusal::repeats(message.to_owned(), state, path, moves).into());
                }
                *cycle = Some(CycleRecord { path, state, moves });
            }
            totals => return Ok((spool, Diagram::constant(pass.expansion.variables().levels(), 0), totals?)),
        }
        store = spool.into_store();
        if let Some(store) = &mut store {
            store.begin_again(stored::encoded(pass), Algorithm::Exact.name(), cycle.clone())?;
        }
    }
    let mut spool = Spool::new(share, store, pass.context);
    let (all, totals) = reach(pass, &mut spool, explored.take())?;
    Ok((spool, all, totals))
}

/// The value of the initial state, and the [`Share`]s of each layer.
type Valued = (Value, Vec<Vec<Share>>);

/// What was found. If a state has no value, the refusal is an error, or a result if the options ask for guarantees of
/// roles, which exist nevertheless.
fn valued(
    found: Result<Valued, SolveError>,
    spool: &mut Spool,
    options: &SolveOptions,
) -> Result<(Option<Valued>, Option<Refusal>), SolveError> {
    match found {
        Err(SolveError::Refused(refusal)) if refusal.code == NO_VALUE => {
            let Refusal { message, state, path, .. } = refusal.clone();
            let record = NoValueRecord { message, state, path };
            if let Some(store) = spool.store() {
                store.drop_values((!options.guarantees.is_empty()).then_some(record))?;
            }
            match options.guarantees.is_empty() {
                true => Err(refusal.into()),
                false => Ok((None, Some(refusal))),
            }
        }
        found => Ok((Some(found?), None)),
    }
}

/// The exact values of a stored layer: by rank the position in the table, the account of these, and the table.
pub fn stored_values(
    archive: &Archive,
    layer: usize,
    players: usize,
    limits: &Arc<Limits>,
) -> Result<(Vec<u32>, Account, Table), SolveError> {
    let (codes, account, text) = archive.exact_values(layer, limits)?;
    let table = Table::parse(&text, players);
    Ok((
        codes,
        account,
        table.ok_or_else(|| SolveError::Inconsistent(format!("no table of the values of layer {layer}")))?,
    ))
}

/// As [`count_forced`](super::count_forced), for exact values.
pub fn count_forced(
    role: RoleId,
    solution: &Archive,
    guarantee: &Archive,
    limits: &Arc<Limits>,
) -> Result<BigUint, SolveError> {
    let players = solution.manifest.roles.len();
    let mut forced = BigUint::ZERO;
    for layer in 0..solution.manifest.layers.len() {
        let [(all, _all, values), (own, _own, guaranteed)] =
            [stored_values(solution, layer, players, limits)?, stored_values(guarantee, layer, players, limits)?];
        let number = |table: &Table, code: u32| table.0[code as usize].0.numbers()[role.index()].clone();
        let same = |(one, other): &(&u32, &u32)| number(&values, **one) == number(&guaranteed, **other);
        forced += all.iter().zip(&own).filter(same).count();
    }
    Ok(forced)
}
