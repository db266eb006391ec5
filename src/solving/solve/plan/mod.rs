//! Estimates the time, memory and bytes of a full solution by layer, without making it.
//!
//! The forward pass runs in a temporary folder, to its end or to a bound; then the other layers are predicted from the
//! growth of states. The backward pass is measured at both ends of the layers, where it takes little time: programs of
//! the first layers are built, and the last layers are solved. For two of the largest layers, small pieces of the
//! programs are built. Figures such as configurations per state and bytes of values per state are assumed to change
//! evenly in between. Then the engine's own decisions are applied to each layer. A plan takes the time of the forward
//! pass and a sixth to a third of that of the backward pass.
//!
//! A game in which states repeat has no last layer, and in some games most states lie in several layers: [`cyclic`]
//! plans all states of such games at once.

mod curve;
pub mod cyclic;
mod forecast;
mod layers;
mod rates;
mod samples;

pub use cyclic::CyclicPlan;
pub use forecast::{Forecast, PlannedLayer, Reached, Resource, Terms};

use super::EncodingSize;
use super::options::{SolveError, SolveOptions};
use super::outcome::StageTime;
use super::pass::{Bounds, Pass};
use super::prepare::{Prepared, prepared};
use super::progress::{Event, Listener, Phase, Stage};
use super::spool::Spool;
use super::team::Team;
use super::{Algorithm, CYCLIC, Stages, at_sight, forward, growth, layered, scratch_of, stored};
use crate::store::{Store, Totals};
use base::limits::{LimitReached, Limits};
use base::machine::{self, processor_seconds};
use game::encode::EncodeError;
use game::ending::Endings;
use game::propositional::Game;
use kernel::Context;
use layers::Layer;
use rates::Rates;
use samples::Clock;
use std::sync::Arc;
use std::time::Instant;

/// Bound on the words of keys of the forward pass's sweeps, per node that its layers may have. Most of the games that
/// were examined need fewer. Sweeps with more words take too long for a plan, however few nodes there are.
const WORDS: u64 = 8;
/// A state that is expanded by itself takes the time of this number of nodes.
const STATE: u64 = 16;

const NOT_IN_TURNS: &str = "a plan foretells how a game in turns without chance is shared out between engines and processes; \
     this one has chance or choices at the same time, so that its states are expanded one by one: `count` tells how many \
     there are, and each takes some 30 bytes of memory while its layer and the next one are at hand (some 100 bytes, \
     and all states at once, where play can go on for ever)";

/// A plan of either kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Planned {
    Layers(Box<Plan>),
    AllAtOnce(Box<CyclicPlan>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub forecast: Forecast,
    /// Number of layers that the forward pass found; the others are predicted.
    pub found: usize,
    /// The limit at which the forward pass ended; `None` if it was completed.
    pub unfinished: Option<LimitReached>,
    /// Layers whose programs were built to measure their cost.
    pub built: Vec<usize>,
    /// Layers that were solved to measure their cost.
    pub solved: Vec<usize>,
    /// Large layers for which pieces of programs were built.
    pub pieces: Vec<usize>,
    /// Nanoseconds per configuration, per state by rank and per request of a sweep: measured, or assumed if not in
    /// `measured_rates`.
    pub nanoseconds: [f64; 3],
    /// The rates that were measured: `configuration`, `state`, `request`.
    pub measured_rates: Vec<&'static str>,
    /// For several processes: a number of ranges of a layer, and the ratio of the configurations of their gather
    /// programs to those of one program for the whole layer.
    pub cut: Option<(u64, f64)>,
    pub encoding: EncodingSize,
    pub times: Vec<StageTime>,
}

/// Plans a run. The forward pass ends once its layers have more than `nodes` nodes, its sweeps [`WORDS`] times as many
/// words of keys, or a [`STATE`]th as many states were expanded one by one. `store`: one in a temporary folder.
pub fn plan(
    game: &Game,
    options: &SolveOptions,
    terms: Terms,
    nodes: u64,
    store: &mut Store,
    limits: &Arc<Limits>,
    listener: &dyn Listener,
) -> Result<Planned, SolveError> {
    let sight = at_sight(game)?;
    if sight.not_in_turns.is_some() {
        return Err(SolveError::Options(NOT_IN_TURNS.to_owned()));
    }
    let game = sight.game(game);
    let (begin, cpu) = (Instant::now(), processor_seconds());
    let _game = limits.hold(game.bytes() as u64)?;
    let mut stages = Stages { listener, times: Vec::new() };
    let folder = store.folder().to_owned();
    // With more threads than processors, the measured time would include waiting.
    let threads = options.threads.min(machine::processors().unwrap_or(options.threads));
    let context = Context::new(limits.clone(), threads)
        .with(|manner| manner.scratch = Some(scratch_of(options, &folder, limits)));
    let mut prepared = prepared(game, options, (None, false), &context, &mut stages)?;
    if terms.processes > 1 {
        // Processes of a team make the same sweeps.
        prepared.keep();
    }
    let mut run = Run { game, options, terms, nodes, store, context: &context, stages, start: (begin, cpu) };
    loop {
        match run.plan(&mut prepared)? {
            Ok(planned) => return Ok(planned),
            // As a solve does, unless these are too many states for a plan.
            Err(states) if states <= nodes / STATE => {
                listener.event(&Event::Message(format!("each state by itself: {}", EncodeError::TooLong)));
                prepared.list((game, states), options, &context, &mut run.stages)?;
            }
            Err(states) => {
                let text = format!(
                    "a solve would look at each of some {states} states by itself, which are too many for this plan: \
                     its figures are those of decision diagrams (--nodes {} plans with all states)",
                    states.saturating_mul(STATE)
                );
                listener.event(&Event::Notice(text));
                prepared.keep();
            }
        }
    }
}

/// What is planned, and when the plan began: the wall-clock time and the processor's seconds.
struct Run<'r> {
    game: &'r Game,
    options: &'r SolveOptions,
    terms: Terms,
    nodes: u64,
    store: &'r mut Store,
    context: &'r Context,
    stages: Stages<'r>,
    start: (Instant, f64),
}

impl Run<'_> {
    /// The plan; or the approximate number of states, if a look at every state is quicker.
    fn plan(&mut self, prepared: &mut Prepared) -> Result<Result<Planned, u64>, SolveError> {
        let Run { game, options, terms, nodes, context, start: (begin, cpu), .. } = *self;
        let (limits, listener) = (context.limits(), self.stages.listener);
        let mut explored = prepared.explored.take();
        let clock = Clock::new(listener, Phase::Forward);
        let pass = prepared.pass(game, context, &clock, true);
        let may_list = pass.bounds.may_list;
        let bounds = Bounds { nodes, words: nodes.saturating_mul(WORDS), states: nodes / STATE, may_list };
        let pass = Pass { bounds, ..pass };
        self.store.begin_again(stored::encoded(&pass), Algorithm::Layered.name(), None)?;
        let before = (processor_seconds() - cpu, begin.elapsed().as_secs_f64());
        let mut spool = Spool::new(Some(Spool::share(limits)), Some(&mut *self.store), context);
        let many = layered::repeats_states(&pass, explored.as_ref())?;
        let unfinished = match pass.repeating {
            _ if many => Ok(None),
            Some(_) => Ok(None),
            None => self.stages.run(Stage::Forward, || {
                let ended = as_far_as_it_goes(forward::forward(&pass, &mut spool, &mut explored))?;
                Ok((ended, format!("{} layers", spool.figures().len())))
            }),
        };
        if may_list && matches!(unfinished, Err(SolveError::TooComplex(EncodeError::TooLong))) {
            let states = growth::all(spool.figures().iter().map(|layer| &layer.states));
            return Ok(Err(states.expect("they were foretold before") as u64));
        }
        let shared = |totals: Totals| layered::share_states(&pass, options, &spool, &totals);
        let found_many =
            matches!(unfinished, Ok(None)) && pass.repeating.is_none() && spool.totals().is_some_and(shared);
        let many = many || found_many;
        let at_once = match &unfinished {
            Err(SolveError::Refused(refusal)) => refusal.code == CYCLIC,
            _ => pass.repeating.is_some() || many,
        };
        if at_once {
            drop(spool);
            self.store.begin_again(stored::encoded(&pass), Algorithm::Global.name(), None)?;
            let mut spool = Spool::new(Some(Spool::share(limits)), Some(&mut *self.store), context);
            let before = (processor_seconds() - cpu, begin.elapsed().as_secs_f64());
            let pass = Pass { listener, ends: pass.ends || many, ..pass };
            let planned = cyclic::plan(&pass, &mut spool, explored, options, terms, before, &mut self.stages)?;
            return Ok(Ok(Planned::AllAtOnce(Box::new(planned))));
        }
        let unfinished = unfinished?;
        let (layers, found) = all_layers(&spool, &clock, unfinished.as_ref())?;
        let pass = Pass { listener, ..pass };
        let layers = Layers { layers, found, unfinished, before };
        let planned = of_layers(&pass, &mut spool, layers, options, terms, &mut self.stages)?;
        Ok(Ok(Planned::Layers(Box::new(planned))))
    }
}

/// The layers before any is solved.
struct Layers {
    layers: Vec<Layer>,
    /// Number of layers found.
    found: usize,
    /// The limit that ended the forward pass.
    unfinished: Option<LimitReached>,
    /// Processor and wall-clock seconds before the forward pass.
    before: (f64, f64),
}

fn of_layers(
    pass: &Pass,
    spool: &mut Spool,
    Layers { layers, found, unfinished, before }: Layers,
    options: &SolveOptions,
    terms: Terms,
    stages: &mut Stages,
) -> Result<Plan, SolveError> {
    let Pass { game, groups, expansion, context, listener, .. } = *pass;
    let endings = Endings::plain(expansion.rewards().to_vec());
    let values = endings.possible(0);
    let complete = unfinished.is_none();
    let measured = stages.run(Stage::Backward, || {
        let alone = SolveOptions { way: None, team: Team::default(), ..options.clone() };
        let measured = samples::measure(pass, spool, (&endings, &alone), &layers, complete, terms.processes)?;
        let detail = format!("{} programs, {} layers solved", measured.programs.len(), measured.solved.len());
        Ok((measured, detail))
    })?;
    let rates = Rates::new(&measured, values, expansion.by_rank().is_some(), [context.threads(), options.threads]);
    let basis = forecast::Basis {
        rates: &rates,
        engine: options.engine,
        expansion: expansion.engine(),
        retrograde: expansion.by_rank().is_some(),
        values,
        cut: measured.cut,
        terms,
    };
    let forecast = forecast::forecast(&layers, &basis, before)?;
    listener.event(&Event::Message(format!("{rates:?}")));
    Ok(Plan {
        forecast,
        found,
        unfinished,
        built: measured.programs.iter().map(|sample| sample.layer).collect(),
        solved: measured.solved.iter().map(|solved| solved.layer).collect(),
        pieces: measured.pieces.iter().map(|(layer, _)| *layer).collect(),
        nanoseconds: [rates.configuration, rates.state, rates.request].map(|seconds| seconds * 1e9),
        measured_rates: rates.measured,
        cut: measured.cut,
        encoding: super::encoding_size(game, groups, expansion),
        times: std::mem::take(&mut stages.times),
    })
}

/// The limit at which a forward pass ended; `None` if it was completed.
fn as_far_as_it_goes<T>(ended: Result<T, SolveError>) -> Result<Option<LimitReached>, SolveError> {
    match ended {
        Ok(_) => Ok(None),
        Err(SolveError::Limit(limit)) if !limit.ends_all() => Ok(Some(limit)),
        Err(error) => Err(error),
    }
}

/// The layers found by a forward pass, with the predicted ones if it ended at a limit; and the number of layers found.
fn all_layers(
    spool: &Spool,
    clock: &Clock,
    unfinished: Option<&LimitReached>,
) -> Result<(Vec<Layer>, usize), SolveError> {
    let mut layers = layers::found(spool, clock);
    let found = layers.len();
    match unfinished {
        Some(limit) if !layers::foretell(&mut layers) => {
            let what = || format!("{found} layers of the forward pass are too few to foretell the others");
            Err(limit.clone().during(what).into())
        }
        _ => Ok((layers, found)),
    }
}
