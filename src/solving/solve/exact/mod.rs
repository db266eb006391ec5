//! Games with chance, and games in which several players choose at the same time: every value is a rational number.
//!
//! As in all games of few states, states are listed and expanded one by one; layers are stored as diagrams. The
//! backward pass ([`backward`]) gives each state its value by a [rule](crate::exact). The values of a layer are stored
//! by rank, as positions in a table of the values that occur in the layer. Play must end: where states repeat, values
//! depend on each other, and with choices at the same time they need not be rational.

mod backward;
mod layer;
mod once;
mod shares;

pub use layer::Thinker;
pub use shares::{Common, Share, alike as shares_alike, of_table as shares_of, total as total_shares};

use super::explored::Explored;
use super::global::reach::reach;
use super::options::SolveOptions;
use super::outcome::{Algorithm, ExactValuation, Outcome};
use super::pass::Pass;
use super::prepare::prepared;
use super::progress::Stage;
use super::spool::Spool;
use super::unrolled::Whole;
use super::{CYCLIC, ENDLESS, Refusal, SolveError, Stages, forward, stored};
use crate::exact::{Rule, Table, Value};
use crate::store::manifest::{CycleRecord, NoValueRecord};
use crate::store::{Archive, Store};
use base::digits::counted;
use base::limits::{Account, Limits};
use game::propositional::{Game, RoleId};
use kernel::Context;
use num_bigint::BigUint;
use std::sync::Arc;

/// The code of the refusal because a state has no value.
pub const NO_VALUE: &str = "no-single-value";

pub const CHANCE: &str = "chance has a part in the game";
pub const JOINT: &str = "several players choose at the same time";
const REPEATS: &str = "play can go on for ever: states repeat, and games with chance or choices at the same time are \
                       solved only if every play ends";

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

/// Solves a game by a rule, or only counts its states if the options ask for that. Where states repeat, these are
/// counted by distance.
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
    let mut spool = Spool::new(pass.solving.then(|| Spool::share(context.limits())), store, context);
    let (totals, repeated) = stages.run(Stage::Forward, || {
        let reached = match forward::forward(&pass, &mut spool, &mut explored) {
            Err(SolveError::Refused(Refusal { code: CYCLIC, state, path, cycle, .. })) => {
                // Solutions that are stored have all layers of play that ends.
                if pass.solving || spool.is_stored() {
                    return Err(repeats(state, path, cycle).into());
                }
                spool = Spool::new(None, None, context);
                let (_, totals) = reach(&pass, &mut spool, explored.take())?;
                (totals, Some(CycleRecord { path, state, moves: cycle }))
            }
            totals => (totals?, None),
        };
        let detail = counted(&reached.0.states, "state");
        Ok((reached, detail))
    })?;
    let (valued, unvalued) = match pass.solving {
        true => {
            let whole = explored.as_mut().and_then(Explored::take_whole);
            stages.run(Stage::Backward, || Ok((valued(&pass, &mut spool, whole, &options, rule)?, String::new())))?
        }
        false => (None, None),
    };
    let means = if repeated.is_some() { (Algorithm::Global, ENDLESS) } else { (Algorithm::Exact, reason) };
    // There is no example where the search for one reached a limit.
    let cycle = repeated.filter(|cycle| !cycle.moves.is_empty());
    let mut outcome = Outcome { cycle, ..Outcome::of_states(&pass, &options, means, &spool, totals) };
    if let Some((value, by_layer)) = valued {
        outcome.exact = Some(ExactValuation { value, shares: shares::total(&by_layer) });
        outcome.layers.iter_mut().zip(by_layer).for_each(|(layer, shares)| layer.shares = shares);
    }
    Ok(Outcome { unvalued, times: stages.times, ..outcome })
}

/// The value of the initial state, and the [`Share`]s of each layer.
type Valued = (Value, Vec<Vec<Share>>);

/// Finds the values. If a state has no value, the refusal is an error, or a result if the options ask for guarantees of
/// roles, which exist nevertheless.
fn valued(
    pass: &Pass,
    spool: &mut Spool,
    whole: Option<Whole>,
    options: &SolveOptions,
    rule: &dyn Rule,
) -> Result<(Option<Valued>, Option<Refusal>), SolveError> {
    match backward::backward(pass, spool, whole, options, rule) {
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
        solved => Ok((Some(solved?), None)),
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
