//! Games with chance, and games in which several players choose at the same time: every value is a rational number.
//!
//! As for all games of few states, states are listed and expanded one by one; layers are stored as diagrams. The
//! backward pass gives each state its value by a [rule](crate::exact) and needs two layers in memory, some 30 bytes per
//! state. Values are stored by rank, with the table of those that occur in each layer. Play must end: where states
//! repeat, values depend on each other, and with choices at the same time they need not be rational.

mod layer;
mod shares;

pub use layer::Thinker;
pub use shares::{Common, Share, alike as shares_alike, of_table as shares_of, total as total_shares};

use super::CYCLIC;
use super::options::SolveOptions;
use super::outcome::{Algorithm, ExactValuation, Outcome};
use super::pass::{Bounds, Pass};
use super::prepare::{Prepared, prepared};
use super::progress::{Event, Phase, Stage};
use super::spool::Spool;
use super::{Refusal, SolveError, Stages, forward, stored, witness};
use crate::exact::{Rule, Table, Undecided, Value};
use crate::store::manifest::NoValueRecord;
use crate::store::{Archive, ExactLayer, Numbered, Store};
use base::digits::counted;
use base::limits::Limits;
use game::interpreter::{Interpreter, State};
use game::propositional::{Game, RoleId};
use kernel::{Context, Diagram};
use layer::{Found, Rules, Settled};
use num_bigint::BigUint;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The code of the refusal of states without a value.
pub const NO_VALUE: &str = "no-single-value";

const CHANCE: &str = "chance has a part in the game";
const JOINT: &str = "several players choose at the same time";
const REPEATS: &str = "play can go on for ever: states repeat, and games with chance or choices at the same time are \
                       solved only if every play ends";

/// The reason for this algorithm, for users.
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

/// Solves a game by a rule, or counts its states.
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
    let prepared = prepared(game, &options, (known, true), context, &mut stages)?;
    let repeating = prepared.repeating(game);
    let Prepared { groups, expansion, mut explored, ends, .. } = prepared;
    let expansion = expansion.as_ref();
    let solving = !options.count_only;
    let (bounds, repeating) = (Bounds::NONE, repeating.as_deref());
    let pass = Pass { game, groups: &groups, expansion, context, listener, solving, repeating, ends, bounds };
    if let Some(store) = &mut store {
        store.run().set_engine(expansion.engine().name());
        let encoded = stored::encoded(game, &groups, expansion);
        match store.manifest() {
            Some(manifest) if !manifest.is_exact() => store.begin_again(encoded, Algorithm::Exact.name(), None)?,
            _ => store.begin(encoded, Algorithm::Exact.name())?,
        }
    }
    let mut spool = Spool::new(solving.then(|| Spool::share(context.limits())), store, context);
    let totals = stages.run(Stage::Forward, || {
        let totals = forward::forward(&pass, &mut spool, &mut explored)?;
        let detail = counted(&totals.states, "state");
        Ok((totals, detail))
    });
    let totals = totals.map_err(|error| match error {
        SolveError::Refused(refusal) if refusal.code == CYCLIC => {
            repeats(refusal.state, refusal.path, refusal.cycle).into()
        }
        error => error,
    })?;
    let (valued, unvalued) = match solving {
        true => stages.run(Stage::Backward, || Ok((valued(&pass, &mut spool, &options, rule)?, String::new())))?,
        false => (None, None),
    };
    let mut outcome = Outcome::of_states(&pass, &options, (Algorithm::Exact, reason), &spool, totals);
    if let Some((value, by_layer)) = valued {
        outcome.exact = Some(ExactValuation { value, shares: shares::total(&by_layer) });
        outcome.layers.iter_mut().zip(by_layer).for_each(|(layer, shares)| layer.shares = shares);
    }
    Ok(Outcome { unvalued, times: stages.times, ..outcome })
}

/// The value of the initial state, and by layer the numbers of states by value.
type Valued = (Value, Vec<Vec<Share>>);

/// The values, or the refusal because of a state without one. The refusal is an error unless the options also ask for
/// guarantees of roles.
fn valued(
    pass: &Pass,
    spool: &mut Spool,
    options: &SolveOptions,
    rule: &dyn Rule,
) -> Result<(Option<Valued>, Option<Refusal>), SolveError> {
    match backward(pass, spool, options, rule) {
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

fn backward(pass: &Pass, spool: &mut Spool, options: &SolveOptions, rule: &dyn Rule) -> Result<Valued, SolveError> {
    let Pass { game, expansion, context, listener, .. } = *pass;
    let (limits, players) = (context.limits(), game.players());
    let one_by_one = expansion.exact().expect("such a game is prepared to be solved state by state");
    let layers = spool.figures().len();
    // Against all others, only the number of this role counts.
    let shown = |value: &Value| match options.against {
        Some(role) => Value::new(vec![value.numbers()[role.index()].clone()]),
        None => value.clone(),
    };
    let mut shares = spool.stored_shares();
    let first = shares.iter().position(Option::is_some).unwrap_or(layers);
    let mut next: Option<Settled> = None;
    let ends: Vec<Value> = expansion.rewards().iter().map(|rewards| Value::of_rewards(rewards, players)).collect();
    for index in (0..layers).rev() {
        let start = Instant::now();
        // Of the layers solved by an earlier run, only the first is needed: it follows the next layer to be solved.
        if index > first {
            continue;
        }
        let layer = spool.take(index)?;
        let states = one_by_one.list(&layer)?;
        if index == first {
            let (codes, table) = spool.stored_exact(index, players)?;
            next = Some(Settled::new(states, codes, table, limits)?);
            continue;
        }
        let after = match next.take() {
            Some(after) => after,
            None => Settled::none(states.words(), limits),
        };
        let found = Mutex::new(Found::new(limits));
        let has_chance = game.has_chance;
        let rules = Rules { rule, has_chance, ends: ends.clone(), next: &after, found, limits };
        let mut thinkers: Vec<Thinker> = (0..context.threads()).map(|_| Thinker::default()).collect();
        let mut codes = one_by_one
            .decided(&states, &after.states, &mut thinkers, &|thinker, state| rules.decide(thinker, state))?;
        drop(thinkers);
        let mut found = rules.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some((rank, undecided)) = found.undecided.take() {
            return Err(refusal(pass, spool, index, &layer, rank, &undecided)?);
        }
        let table = found.sorted(&mut codes);
        let settled = Settled::new(states, codes, table, limits)?;
        let of_layer = shares::of_table(&settled.table, shown);
        store(spool, index, &layer, &settled, &of_layer, context)?;
        shares[index] = Some(of_layer);
        next = Some(settled);
        listener.event(&Event::LayerFinished {
            phase: Phase::Backward,
            layer: index as u32,
            total: Some(layers as u32),
            states: None,
            nodes: 0,
            seconds: start.elapsed().as_secs_f64(),
        });
    }
    let first = next.expect("there is a first layer");
    let value = first.table.0.first().expect("it has a state").0.clone();
    Ok((value, shares.into_iter().map(|shares| shares.expect("all layers are solved")).collect()))
}

fn store(
    spool: &mut Spool,
    index: usize,
    layer: &Diagram,
    settled: &Settled,
    shares: &[Share],
    context: &Context,
) -> Result<(), SolveError> {
    let Settled { codes, table, .. } = settled;
    let Some(store) = spool.store() else { return Ok(()) };
    let values = ExactLayer {
        codes: &mut Numbered { count: table.0.len() as u32, codes },
        text: Table::text(table),
        shares: shares.iter().map(Share::record).collect(),
    };
    Ok(store.push_exact_values(index, layer, values, context)?)
}

/// The exact values of a stored layer: indices of the table by rank, and the table.
pub fn stored_values(
    archive: &Archive,
    layer: usize,
    players: usize,
    limits: &Arc<Limits>,
) -> Result<(Vec<u32>, Table), SolveError> {
    let (codes, text) = archive.exact_values(layer, limits)?;
    let table = Table::parse(&text, players);
    Ok((codes, table.ok_or_else(|| SolveError::Inconsistent(format!("no table of the values of layer {layer}")))?))
}

/// As [`count_forced`](super::count_forced), with exact values.
pub fn count_forced(
    role: RoleId,
    solution: &Archive,
    guarantee: &Archive,
    limits: &Arc<Limits>,
) -> Result<BigUint, SolveError> {
    let players = solution.manifest.roles.len();
    let mut forced = BigUint::ZERO;
    for layer in 0..solution.manifest.layers.len() {
        let [(all, values), (own, guaranteed)] =
            [stored_values(solution, layer, players, limits)?, stored_values(guarantee, layer, players, limits)?];
        let number = |table: &Table, code: u32| table.0[code as usize].0.numbers()[role.index()].clone();
        let same = |(one, other): &(&u32, &u32)| number(&values, **one) == number(&guaranteed, **other);
        forced += all.iter().zip(&own).filter(same).count();
    }
    Ok(forced)
}

/// The refusal because of a state without a value.
fn refusal(
    pass: &Pass,
    spool: &mut Spool,
    index: usize,
    layer: &Diagram,
    rank: usize,
    undecided: &Undecided,
) -> Result<SolveError, SolveError> {
    let mut elements = layer.elements();
    let mut assignment = vec![false; layer.levels() as usize];
    for _ in 0..rank {
        elements.next_element();
    }
    let (element, _) = elements.next_element().expect("a rank is that of a state");
    element.iter().for_each(|level| assignment[level.index()] = true);
    let state = State::from_flags(&pass.expansion.variables().state(&assignment));
    let variables = pass.expansion.variables();
    let before = |layer: usize, state: &[bool]| pass.expansion.predecessor(&*spool.layer(layer)?, state);
    let path = witness::path(pass.game, &Interpreter::new(pass.game), variables, index, &assignment, before)?;
    let message = no_value(pass.game, undecided);
    Ok(Refusal { state: state.names(pass.game), path, ..Refusal::of_game(NO_VALUE, message) }.into())
}

fn no_value(game: &Game, undecided: &Undecided) -> String {
    let name = |player: usize| game.roles[player].to_string();
    let pair = |players: &[usize; 2]| format!("{} and {}", name(players[0]), name(players[1]));
    let got = |value: &Value, players: &[usize; 2]| {
        players.iter().map(|&player| value.numbers()[player].to_string()).collect::<Vec<_>>().join(" and ")
    };
    match undecided {
        Undecided::General { players, values } => format!(
            "no single value: {} choose at the same time in a reachable state, and what they get there does not sum up to the \
             same ({}, or {})",
            pair(players),
            got(&values[0], players),
            got(&values[1], players)
        ),
        Undecided::Concerned { players, other, values } => {
            let got = |value: &Value| value.numbers()[*other].to_string();
            format!(
                "no single value: {} choose at the same time in a reachable state, and what {} gets depends on how they mix \
                 their moves ({} or {})",
                pair(players),
                name(*other),
                got(&values[0]),
                got(&values[1])
            )
        }
        Undecided::Several { players } => {
            let names: Vec<String> = players.iter().map(|&player| name(player)).collect();
            format!("no single value: {} choose at the same time in a reachable state", names.join(", "))
        }
        Undecided::Limit(limit) => limit.to_string(),
    }
}
