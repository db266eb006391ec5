//! From a propositional game to its strong solution.

mod backward;
mod buckets;
#[cfg(test)]
mod durability;
mod endless;
mod ends;
mod expansion;
mod forward;
mod glance;
mod global;
mod measure;
pub mod options;
mod order;
pub mod outcome;
mod overlap;
pub mod progress;
mod record;
mod scratch;
mod spool;
mod stored;
mod values;
mod witness;

pub use options::{EngineChoice, ExpansionChoice, Order, SolveError, SolveOptions};
pub use outcome::{
    Algorithm, Bucket, EncodingSize, Engine, LayerEngine, LayerOutcome, Means, Outcome, PlayedMove, StageTime,
    Valuation,
};
pub use progress::{Event, Listener, Phase, Silent, Stage};
pub use record::{Difference, Recording, differences};
pub use stored::finished;
pub use witness::shown;

use crate::encode::{Analysis, EncodeError, SymbolicGame, Variables, defaults};
use crate::kernel::{Context, KINDS};
use crate::limits::{LimitReached, Limits};
use crate::machine;
use crate::mutex;
use crate::propositional::{Game, Group};
pub use crate::refusal::Refusal;
use crate::scratch::Scratch;
use crate::store::Store;
use crate::store::manifest::CycleRecord;
use backward::Wanted;
use ends::Ends;
use expansion::{Expansion, Relations, States};
use forward::Pass;
use spool::Spool;
use std::sync::Arc;
use std::time::Instant;

/// A bound on memory below which rules that do not fit are no reason to call them complex.
const LEAST_MEMORY: u64 = 64 << 20;

/// Part of the memory bound that layers waiting for the backward pass may take (one over this).
const SPOOL_SHARE: u64 = 4;

/// Why an algorithm was taken.
const ASKED: &str = "it was asked for";
const STORED: &str = "the stored solution is by it";
const ENDLESS: &str = "play can go on for ever: states repeat, so the layers never end";

/// Solves a game, or counts its states, and stores nothing.
pub fn run(
    game: &Game,
    options: &SolveOptions,
    limits: &Arc<Limits>,
    listener: &dyn Listener,
) -> Result<Outcome, SolveError> {
    solve(game, options, ASKED, None, limits, listener)
}

/// As [`run`], storing what is finished (layers, rounds of settling states) and going on from what is stored; the order
/// of the variables and the algorithm are those of the store, if it has any. What was finished stays stored where
/// there is no outcome, unless the game is refused. The algorithms that [`Algorithm::is_stored`] is false for store
/// nothing.
pub fn run_stored(
    game: &Game,
    options: &SolveOptions,
    store: &mut Store,
    limits: &Arc<Limits>,
    listener: &dyn Listener,
) -> Result<Outcome, SolveError> {
    let mut options = options.clone();
    if options.algorithm.is_some_and(|algorithm| !algorithm.is_stored()) {
        store.discard();
        return run(game, &options, limits, listener);
    }
    let mut reason = ASKED;
    if let Some(manifest) = store.manifest() {
        if options.algorithm.is_none() && manifest.is_global() {
            (options.algorithm, reason) = (Some(Algorithm::Global), STORED);
        }
        options.order = Order::Fluents(manifest.variables.clone());
        listener.event(&Event::Message(stored::progress(manifest)));
    }
    let run = store.run().clone();
    let recording = Recording { listener, run: run.clone() };
    let result = solve(game, &options, reason, Some(store), limits, &recording);
    match &result {
        Err(SolveError::Refused(_)) => store.discard(),
        Err(error) => {
            let saved = store.save();
            // The first error is the one that ends the run; after one of the store, the other is no news.
            if let (Err(unsaved), false) = (saved, matches!(error, SolveError::Store(_))) {
                let text = format!("what was finished since it was last stored is lost: {unsaved}");
                listener.event(&Event::Notice(text));
            }
        }
        Ok(outcome) => {
            run.set_engine(outcome.engine.name());
            store.finish()?;
        }
    }
    result
}

fn solve(
    game: &Game,
    options: &SolveOptions,
    asked: &'static str,
    mut store: Option<&mut Store>,
    limits: &Arc<Limits>,
    listener: &dyn Listener,
) -> Result<Outcome, SolveError> {
    if let Some(refusal) = at_sight(game) {
        return Err(refusal.into());
    }
    let _game = limits.hold(game.bytes() as u64)?;
    let mut stages = Stages { listener, times: Vec::new() };
    let groups = stages.run(Stage::Groups, || {
        let groups = mutex::groups(game, &mutex::Effort::default(), limits)?;
        let detail = format!("{} groups", groups.len());
        Ok((groups, detail))
    })?;
    let mut context = Context::new(limits.clone(), options.threads);
    if let Some(requests) = options.sharing_from {
        context = context.sharing_from(requests);
    }
    let folder = match (&options.scratch, &store) {
        (Some(folder), _) => folder.clone(),
        (None, Some(store)) => store.folder().to_owned(),
        (None, None) => std::env::temp_dir(),
    };
    // What the file system has, less a tenth.
    if let Some(free) = machine::free_disk(&folder) {
        limits.bound_disk(free / 10 * 9);
    }
    let context = context.with_scratch(Scratch::new(&folder, limits));
    let expansion = expansion(game, &groups, options, &context, &mut stages)?;
    let expansion = expansion.as_ref();
    let solving = !options.count_only;
    let pass = Pass { game, groups: &groups, expansion, context: &context, listener, solving };
    let share = limits.memory() / SPOOL_SHARE;
    if let Some(store) = &store {
        store.run().set_engine(expansion.engine().name());
    }
    if let Some(algorithm) = options.algorithm.filter(|algorithm| *algorithm != Algorithm::Layered) {
        let mut cycle = None;
        if let Some(store) = &mut store {
            store.begin(stored::encoded(game, &groups, expansion), algorithm.name())?;
            cycle = store.manifest().and_then(|manifest| manifest.cycle.clone());
        }
        return global::run(&pass, options, (algorithm, asked), cycle, share, store, stages);
    }
    if let Some(store) = &mut store {
        store.begin(stored::encoded(game, &groups, expansion), Algorithm::Layered.name())?;
    }
    let mut spool = Spool::new(solving.then_some(share), store.as_deref_mut(), &context);
    let totals = stages.run(Stage::Forward, || {
        let totals = forward::forward(&pass, &mut spool)?;
        let detail = format!("{} states", totals.states);
        Ok((totals, detail))
    });
    let totals = match totals {
        Err(SolveError::Refused(refusal)) if refusal.code == endless::CYCLIC && options.algorithm.is_none() => {
            drop(spool);
            listener.event(&Event::Message(format!("all states at once: {ENDLESS}")));
            let Refusal { state, path, cycle: moves, .. } = refusal;
            let cycle = (!moves.is_empty()).then_some(CycleRecord { path, state, moves });
            if let Some(store) = &mut store {
                let encoded = stored::encoded(game, &groups, expansion);
                store.begin_again(encoded, Algorithm::Global.name(), cycle.clone())?;
            }
            return global::run(&pass, options, (Algorithm::Global, ENDLESS), cycle, share, store, stages);
        }
        result => result?,
    };
    let backward = solving
        .then(|| {
            stages.run(Stage::Backward, || {
                let SolveOptions { opponent_model: model, engine, way, digests, line, .. } = *options;
                // The backward pass uses the layers up.
                let ends = Ends::find(&pass, &mut spool, options)?;
                let by_layer = ends.as_ref().map(|ends| ends.by_layer.clone());
                let shortest = match ends {
                    Some(ends) if line => ends.line(&pass, &mut spool)?,
                    _ => None,
                };
                let line = line && by_layer.is_none();
                let mut backward =
                    backward::backward(&pass, &mut spool, &Wanted { model, engine, way, digests, line })?;
                backward.line = backward.line.or(shortest);
                Ok(((backward, by_layer), String::new()))
            })
        })
        .transpose()?;
    let (backward, ends) = backward.unzip();
    let mut ends: Vec<_> = ends.flatten().into_iter().flatten().map(Some).collect();
    ends.resize(spool.figures().len(), None);
    report_sweeps(&context, listener);
    let mut by_layer = backward.as_ref().map(|backward| backward.buckets.clone()).unwrap_or_default();
    by_layer.resize(spool.figures().len(), Vec::new());
    let mut means = backward.as_ref().map(|backward| backward.engines.clone()).unwrap_or_default();
    means.resize(spool.figures().len(), None);
    let engine = |means: Option<LayerEngine>| match means.map(|means| means.engine()) {
        Some(Engine::Hybrid) => Engine::Hybrid,
        _ => expansion.engine(),
    };
    let hybrid = means.iter().any(|&means| engine(means) == Engine::Hybrid);
    Ok(Outcome {
        opponent_model: options.opponent_model,
        algorithm: Algorithm::Layered,
        algorithm_reason: match options.algorithm {
            Some(_) => ASKED,
            None => layered_because(totals.progress_measure),
        },
        engine: if hybrid { Engine::Hybrid } else { expansion.engine() },
        solution: backward.map(|backward| Valuation {
            value: backward.value,
            buckets: buckets::total(&backward.buckets),
            line: backward.line,
        }),
        layer_states: spool.figures().iter().map(|layer| &layer.states).sum(),
        states: totals.states,
        terminal_states: totals.terminal,
        progress_measure: totals.progress_measure,
        turn_taking: true,
        alternating: totals.alternating,
        layers: spool
            .figures()
            .iter()
            .zip(by_layer)
            .zip(means)
            .zip(ends)
            .map(|(((layer, buckets), means), ends)| LayerOutcome {
                states: layer.states.clone(),
                terminal: layer.terminal.clone(),
                nodes: layer.nodes,
                engine: engine(means),
                means,
                buckets,
                ends,
            })
            .collect(),
        encoding: encoding_size(game, &groups, expansion),
        cycle: None,
        times: stages.times,
    })
}

/// Why a game cannot be solved, as far as its roles and the first states show.
pub fn at_sight(game: &Game) -> Option<Refusal> {
    match game.roles.len() {
        1..=2 => glance::glance(game),
        roles => {
            let message = EncodeError::Roles(roles).to_string();
            Some(Refusal { code: "roles", message, state: Vec::new(), path: Vec::new(), cycle: Vec::new() })
        }
    }
}

/// Why a game is solved layer by layer.
fn layered_because(disjoint: bool) -> &'static str {
    if disjoint { "no state lies in two layers" } else { "states lie in several layers, but every play ends" }
}

fn encoding_size(game: &Game, groups: &[Group], expansion: &dyn Expansion) -> EncodingSize {
    EncodingSize {
        fluents: game.fluents.len(),
        groups: groups.len(),
        bits: expansion.variables().levels() as usize,
        moves: game.moves.len(),
    }
}

/// The way to expand states that the options ask for; by default relations, unless the rules are too complex.
fn expansion<'a>(
    game: &Game,
    groups: &[Group],
    options: &SolveOptions,
    context: &'a Context,
    stages: &mut Stages,
) -> Result<Box<dyn Expansion + 'a>, SolveError> {
    if options.expansion != ExpansionChoice::States {
        match relations(game, groups, options, context, stages) {
            Ok(relations) => return Ok(Box::new(relations)),
            Err(SolveError::TooComplex(_)) if context.limits().memory() < LEAST_MEMORY => {
                let (used, limit) = (context.limits().used(), context.limits().memory());
                return Err(LimitReached::Memory { wanted: LEAST_MEMORY - limit, used, limit }.into());
            }
            Err(SolveError::TooComplex(reason)) if options.expansion == ExpansionChoice::Auto => {
                stages.listener.event(&Event::Message(format!("each state by itself: {reason}")));
            }
            Err(error) => return Err(error),
        }
    }
    let order = order::without_trial(game, groups, &options.order)?;
    let variables = Variables::new(game.fluents.len(), groups, &defaults(game, groups), &order);
    Ok(Box::new(States::new(game, variables, context)))
}

fn relations<'a>(
    game: &Game,
    groups: &[Group],
    options: &SolveOptions,
    context: &'a Context,
    stages: &mut Stages,
) -> Result<Relations<'a>, SolveError> {
    let limits = context.limits();
    let analysis = stages.run(Stage::Encode, || {
        let analysis = Analysis::new(game, groups, limits)?;
        let detail = format!("{} joint moves", analysis.joints.len());
        Ok((analysis, detail))
    })?;
    let order = stages.run(Stage::Order, || order::choose(&analysis, &options.order, context))?;
    stages.run(Stage::Encode, || {
        let symbolic = SymbolicGame::new(&analysis, &order, limits)?;
        let (levels, nodes, parts) =
            (symbolic.variables.levels(), symbolic.relations.nodes().len(), symbolic.roots.len());
        Ok((
            Relations::new(&analysis, symbolic, context),
            format!("{levels} bits, {nodes} relation nodes in {parts} parts"),
        ))
    })
}

/// Tells what the kernel's sweeps cost, by their kind.
fn report_sweeps(context: &Context, listener: &dyn Listener) {
    for kind in KINDS {
        let total = context.statistics(kind);
        if total.sweeps > 0 {
            listener.event(&Event::Message(format!(
                "{kind:?}: {} sweeps, {} requests of {:.2} words, {} nodes, {:.2} s down, {:.2} s up",
                total.sweeps,
                total.requests,
                total.key_words as f64 / total.requests.max(1) as f64,
                total.nodes,
                total.down as f64 * 1e-9,
                total.up as f64 * 1e-9,
            )));
        }
    }
}

/// Runs and times the stages.
struct Stages<'a> {
    listener: &'a dyn Listener,
    times: Vec<StageTime>,
}

impl Stages<'_> {
    fn run<T>(
        &mut self,
        stage: Stage,
        work: impl FnOnce() -> Result<(T, String), SolveError>,
    ) -> Result<T, SolveError> {
        self.listener.event(&Event::StageStarted(stage));
        let start = Instant::now();
        let (result, detail) = work()?;
        let seconds = start.elapsed().as_secs_f64();
        match self.times.iter_mut().find(|time| time.stage == stage) {
            Some(time) => time.seconds += seconds,
            None => self.times.push(StageTime { stage, seconds }),
        }
        self.listener.event(&Event::StageFinished { stage, seconds, detail });
        Ok(result)
    }
}
