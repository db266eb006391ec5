//! From a propositional game to its strong solution.

mod backward;
mod buckets;
mod budget;
pub mod costs;
#[cfg(test)]
mod durability;
mod endless;
mod ends;
mod exact;
mod expansion;
mod explored;
mod forced;
mod forward;
mod glance;
mod global;
pub mod growth;
mod layered;
mod ledger;
mod measure;
pub mod options;
mod order;
pub mod outcome;
mod overlap;
mod pass;
pub mod plan;
mod prepare;
mod probe;
pub mod progress;
mod random_play;
mod record;
mod scratch;
mod spool;
mod stored;
pub mod team;
pub mod tiers;
mod ties;
mod unrolled;
mod values;
mod visited;
mod witness;

pub use crate::store::manifest::EncodingSize;
pub use buckets::total as total_buckets;
pub use exact::{
    Common, NO_VALUE, Share, check_options as check_exact, repeats, shares_alike, shares_of, shows_several,
    total_shares,
};
pub use forced::count_forced;
pub use glance::{Glance, glance};
pub use options::{EngineChoice, ExpansionChoice, Order, SolveError, SolveOptions};
pub use outcome::{
    Algorithm, Bucket, Engine, ExactValuation, LayerEngine, LayerOutcome, Means, Outcome, PlayedMove, StageTime,
    Valuation,
};
pub use progress::{Event, Listener, Phase, SharedWork, Silent, Stage};
pub use record::{Difference, Recording, differences};
pub use stored::{exact_valuation, finished, progress, stored_layers};
pub use witness::{NOT_TURN_TAKING, shown};

use crate::exact::Rule;
use crate::store::Store;
use crate::store::manifest::Manifest;
use base::limits::Limits;
use base::machine;
use base::scratch::Scratch;
use expansion::Expansion;
pub use game::encode::reward_vectors;
use game::encode::{EncodeError, MOST_ROLES};
use game::propositional::{Game, Group};
pub use game::refusal::{CYCLIC, Refusal};
use kernel::{Context, KINDS, MOVES};
use layered::Layered;
use pass::Pass;
use prepare::{Prepared, prepared};
use spool::Spool;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Largest number of combinations of the roles' rewards. Each combination with a mover is a terminal of diagrams;
/// terminal 0 and the terminal of endless play are reserved.
pub const MOST_REWARDS: usize = MOVES as usize - 2;

/// Tell users why an algorithm is used.
const ASKED: &str = "it was asked for";
const STORED: &str = "the stored solution is by it";
const ENDLESS: &str = "play can go on for ever: states repeat, so the layers never end";
const MANY_LAYERS: &str = "play ends, but most states lie in several layers";
const MANY_ENDS: &str = "layers would have too many pairs of rewards and the ply at which play ends with them";

/// Solves a game, or counts its states, and stores nothing.
pub fn run(
    game: &Game,
    options: &SolveOptions,
    limits: &Arc<Limits>,
    listener: &dyn Listener,
) -> Result<Outcome, SolveError> {
    solve(game, options, ASKED, None, limits, listener).map_err(|error| of_choice(error, game, options))
}

/// The error of a run by the given options. A game that is not in turns can be solved; where these options ask for an
/// algorithm for turns, they are at fault.
fn of_choice(error: SolveError, game: &Game, options: &SolveOptions) -> SolveError {
    let Some(algorithm) = options.algorithm.filter(|_| !options.in_turns) else { return error };
    let Some(refusal) = error.refusal().filter(|refusal| refusal.code == NOT_TURN_TAKING) else { return error };
    let (kind, state) = match (game.has_chance, refusal.state.join(" ")) {
        (true, _) => ("without chance", String::new()),
        (false, state) if state.is_empty() => ("in which one role at a time has a choice", state),
        (false, state) => {
            ("in which one role at a time has a choice", format!("\n  several have one in the state: {state}"))
        }
    };
    let name = algorithm.name();
    SolveError::Options(format!("the algorithm {name} is for games {kind}; leave it out for this one{state}"))
}

/// Solves a game by a given rule, state by state. Play must end, unless the rule says by which ranking it chooses.
pub fn run_by(
    game: &Game,
    rule: &dyn Rule,
    options: &SolveOptions,
    limits: &Arc<Limits>,
    listener: &dyn Listener,
) -> Result<Outcome, SolveError> {
    let sight = at_sight(game)?;
    let game = sight.game(game);
    let _game = limits.hold(game.bytes() as u64)?;
    let context = context(options, &std::env::temp_dir(), limits);
    exact::run(game, options, ASKED, rule, None, &context, Stages { listener, times: Vec::new() })
}

/// As [`run`], but stores what is finished (layers, rounds of settled states) and resumes from what is stored, with the
/// variable order and the algorithm of the store. If the run ends without an outcome, finished parts stay stored. Only
/// a refused game, or options that do not apply to it, leave nothing, unless something was stored before. Algorithms for
/// which [`Algorithm::is_stored`] is false store nothing.
pub fn run_stored(
    game: &Game,
    options: &SolveOptions,
    store: &mut Store,
    limits: &Arc<Limits>,
    listener: &dyn Listener,
) -> Result<Outcome, SolveError> {
    let asked = options;
    let mut options = options.clone();
    if options.algorithm.is_some_and(|algorithm| !algorithm.is_stored()) {
        store.discard()?;
        return run(game, &options, limits, listener);
    }
    let mut reason = ASKED;
    // A game without values may have guarantees stored in the folder.
    let kept = store.manifest().is_some_and(Manifest::is_exact);
    let begun = store.manifest().is_some();
    if let Some(manifest) = store.manifest() {
        if options.algorithm.is_none() && (manifest.is_global() || manifest.is_exact()) {
            let algorithm = if manifest.is_global() { Algorithm::Global } else { Algorithm::Exact };
            (options.algorithm, reason) = (Some(algorithm), STORED);
        }
        // What an earlier version kept is no fluent now; the store then tells that the encoding is another one.
        let names: HashSet<String> = game.fluents.iter().map(ToString::to_string).collect();
        let known = manifest.variables.iter().filter(|&name| names.contains(name));
        options.order = Order::Fluents(known.cloned().collect());
        listener.event(&Event::Message(format!("stored before: {}", stored::progress(manifest))));
    }
    let run = store.run().clone();
    let recording = Recording { listener, run: run.clone() };
    let result = solve(game, &options, reason, Some(store), limits, &recording);
    match &result {
        Err(SolveError::Refused(_)) if !kept => discard(store, listener),
        // Only the layers told that the options do not apply. Other distances could not go on from these files.
        Err(SolveError::Options(_)) if !begun => discard(store, listener),
        Err(error) => {
            let saved = store.save();
            // The first error is reported. If it came from the store, the failure of this save is no news.
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
    result.map_err(|error| of_choice(error, game, asked))
}

/// Leaves a folder as it was before the run.
fn discard(store: &mut Store, listener: &dyn Listener) {
    if let Err(error) = store.discard() {
        listener.event(&Event::Notice(format!("the folder is not as it was before this run: {error}")));
    }
}

fn solve(
    game: &Game,
    options: &SolveOptions,
    asked: &'static str,
    mut store: Option<&mut Store>,
    limits: &Arc<Limits>,
    listener: &dyn Listener,
) -> Result<Outcome, SolveError> {
    let sight = at_sight(game)?;
    let game = sight.game(game);
    let not_in_turns = sight.not_in_turns.clone();
    let _game = limits.hold(game.bytes() as u64)?;
    let folder = store.as_ref().map_or_else(std::env::temp_dir, |store| store.folder().to_owned());
    let context = context(options, &folder, limits);
    let ranking = options.ranking();
    let stages = || Stages { listener, times: Vec::new() };
    match (options.algorithm, not_in_turns) {
        (_, Some(refusal)) if options.in_turns => return Err(refusal.into()),
        (Some(Algorithm::Exact), _) | (None, Some(_)) => {
            let is_wish = options.algorithm.is_some() && asked == ASKED;
            let reason = if is_wish { asked } else { exact::reason(game) };
            return exact::run(game, options, reason, &ranking, store, &context, stages());
        }
        (Some(_), Some(refusal)) => return Err(refusal.into()),
        _ => {}
    }
    match in_turns(game, options, asked, store.as_deref_mut(), &context, stages()) {
        Err(SolveError::Refused(refusal))
            if refusal.code == NOT_TURN_TAKING && options.algorithm.is_none() && !options.in_turns =>
        {
            listener.event(&Event::Message(format!("exact values: {}", exact::reason(game))));
            exact::run(game, options, exact::reason(game), &ranking, store, &context, stages())
        }
        result => result,
    }
}

/// Solves a game in which one role has a choice at a time, and no chance.
fn in_turns(
    game: &Game,
    options: &SolveOptions,
    asked: &'static str,
    mut store: Option<&mut Store>,
    context: &Context,
    mut stages: Stages,
) -> Result<Outcome, SolveError> {
    let stored = store.as_ref().and_then(|store| store.manifest());
    let mut prepared = prepared(game, options, (stored, true), context, &mut stages)?;
    loop {
        match in_turns_by(&mut prepared, game, options, asked, store.as_deref_mut(), context, &mut stages)? {
            Ok(outcome) => return Ok(Outcome { times: stages.times, ..*outcome }),
            Err(states) => {
                stages.listener.event(&Event::Message(format!("each state by itself: {}", EncodeError::TooLong)));
                prepared.list((game, states), options, context, &mut stages)?;
            }
        }
    }
}

/// As [`in_turns`], by what is prepared; or the approximate number of states, if a look at every state is quicker.
fn in_turns_by(
    prepared: &mut Prepared,
    game: &Game,
    options: &SolveOptions,
    asked: &'static str,
    mut store: Option<&mut Store>,
    context: &Context,
    stages: &mut Stages,
) -> Result<Result<Box<Outcome>, u64>, SolveError> {
    let (limits, listener) = (context.limits(), stages.listener);
    let mut explored = prepared.explored.take();
    let pass = prepared.pass(game, context, listener, !options.count_only);
    let share = Spool::share(limits);
    if let Some(store) = &store {
        store.run().set_engine(pass.expansion.engine().name());
    }
    tell_of_idle_processes(options, pass.expansion, listener);
    if let Some(algorithm) = options.algorithm.filter(|algorithm| *algorithm != Algorithm::Layered) {
        if options.distances && !algorithm.is_stored() {
            let text = format!("the algorithm {} finds no distances; layered and global do", algorithm.name());
            return Err(SolveError::Options(text));
        }
        let mut cycle = None;
        if let Some(store) = &mut store {
            store.begin(stored::encoded(&pass), algorithm.name())?;
            cycle = store.manifest().and_then(|manifest| manifest.cycle.clone());
        }
        let start = global::Start { algorithm, reason: asked, explored, cycle };
        return global::run(&pass, options, start, share, store, stages).map(Box::new).map(Ok);
    }
    if let Some(store) = &mut store {
        store.begin(stored::encoded(&pass), Algorithm::Layered.name())?;
    }
    let spool = Spool::new(pass.solving.then_some(share), store.as_deref_mut(), context);
    match layered::run(&pass, options, spool, &mut explored, stages)? {
        Layered::Solved(outcome) => Ok(Ok(outcome)),
        Layered::OneByOne { states } => Ok(Err(states)),
        Layered::AllAtOnce { reason, cycle } => {
            listener.event(&Event::Message(format!("all states at once: {reason}")));
            if let Some(store) = &mut store {
                store.begin_again(stored::encoded(&pass), Algorithm::Global.name(), cycle.clone())?;
            }
            let pass = Pass { ends: pass.ends || reason == MANY_LAYERS, ..pass };
            let start = global::Start { algorithm: Algorithm::Global, reason, explored, cycle };
            global::run(&pass, options, start, share, store, stages).map(Box::new).map(Ok)
        }
    }
}

const AFTER: &str = " after the forward pass";

/// Tells the listener if other processes have nothing to do in this run, or in its backward pass.
fn tell_of_idle_processes(options: &SolveOptions, expansion: &dyn Expansion, listener: &dyn Listener) {
    let (when, reason) = match options.algorithm {
        _ if !options.team.is_shared() => return,
        _ if expansion.engine() == Engine::Explicit => ("", "states one by one are solved by one"),
        _ if options.count_only => return,
        Some(algorithm) if algorithm != Algorithm::Layered => (AFTER, "all states at once are solved by one"),
        _ if options.engine == EngineChoice::Symbolic => (AFTER, "layers on diagrams are solved by one"),
        _ if expansion.by_rank().is_none() => (AFTER, "the values of so many movers are found by one"),
        _ => return,
    };
    let size = options.team.size();
    listener.event(&Event::Notice(format!("of {size} processes only the first works{when}: {reason}")));
}

/// The context for all sweeps of a run. `usual`: the folder of temporary files if the options name none.
fn context(options: &SolveOptions, usual: &Path, limits: &Arc<Limits>) -> Context {
    Context::new(limits.clone(), options.threads).with(|manner| {
        manner.shared_from = options.sharing_from;
        manner.scratch = Some(scratch_of(options, usual, limits));
    })
}

/// The folder of temporary files: that of the options, otherwise `usual`. If the limits do not bound files yet, files
/// may take nine tenths of the free space of the file systems of both folders.
fn scratch_of(options: &SolveOptions, usual: &Path, limits: &Arc<Limits>) -> Scratch {
    let folder = options.scratch.as_deref().unwrap_or(usual);
    if let Some(free) = machine::free_disk_of(&[folder, usual]) {
        limits.bound_disk(limits.disk_used().saturating_add(free / 10 * 9));
    }
    Scratch::new(folder, limits)
}

/// The properties of a game that its rewards and first states show, or the refusal of a game that cannot be solved.
pub fn at_sight(game: &Game) -> Result<Sight, Refusal> {
    let roles = game.roles.len();
    if game.players() == 0 && roles > 0 {
        return Err(Refusal::of_game("no-player", "the game has no player, only chance".to_owned()));
    }
    if !(1..=MOST_ROLES).contains(&roles) {
        let message = format!("the game has {roles} roles; games of 1 to {MOST_ROLES} roles can be solved");
        return Err(Refusal::of_game("roles", message));
    }
    let reduced = reduced(game)?;
    let Glance { fault, joint } = glance(game, glance::STATES, true);
    let chance = || {
        Refusal::of_game(
            NOT_TURN_TAKING,
            "chance has a part in the game: `solve` finds its exact values, and `query` and `report` tell them"
                .to_owned(),
        )
    };
    match fault {
        Some(refusal) => Err(refusal),
        None => Ok(Sight { not_in_turns: game.has_chance.then(chance).or(joint), reduced }),
    }
}

/// If the rewards of the roles have too many combinations: the same game with those rewards alone that occur, or the
/// refusal if these are unknown or still too many.
fn reduced(game: &Game) -> Result<Option<Game>, Refusal> {
    let fits = |game: &Game| {
        let combinations = game.goals.iter().try_fold(1usize, |all, goals| all.checked_mul(goals.len()));
        combinations.is_some_and(|combinations| combinations <= MOST_REWARDS)
    };
    if fits(game) {
        return Ok(None);
    }
    let reduced = glance::with_occurring_rewards(game);
    if reduced.as_ref().is_some_and(fits) {
        return Ok(reduced);
    }
    let known = if reduced.is_some() { "that each role may get " } else { "of the roles " };
    let game = reduced.as_ref().unwrap_or(game);
    let each: Vec<String> = game.goals[..game.players()].iter().map(|goals| goals.len().to_string()).collect();
    let message = format!(
        "the rewards {known}have too many combinations ({}); {MOST_REWARDS} can be told apart",
        each.join(" × ")
    );
    Err(Refusal::of_game("rewards", message))
}

/// The properties of a game that are known before it is prepared.
pub struct Sight {
    /// The reason for exact values: chance, or one of the first states in which several players choose at once.
    pub not_in_turns: Option<Refusal>,
    /// The game to solve in place of the given one, if only this has few enough combinations of rewards.
    reduced: Option<Game>,
}

impl Sight {
    /// The game to solve.
    fn game<'g>(&'g self, given: &'g Game) -> &'g Game {
        self.reduced.as_ref().unwrap_or(given)
    }
}

fn encoding_size(game: &Game, groups: &[Group], expansion: &dyn Expansion) -> EncodingSize {
    EncodingSize {
        fluents: game.fluents.len(),
        groups: groups.len(),
        bits: expansion.variables().levels() as usize,
        moves: game.moves.len(),
    }
}

fn report_sweeps(context: &Context, listener: &dyn Listener) {
    for kind in KINDS {
        let total = context.statistics(kind);
        if total.sweeps > 0 {
            listener.event(&Event::Message(format!(
                "{kind:?}: {} sweeps, {} requests of {:.2} words, {} units of automata, {} nodes, {} bytes on disk, \
                 {:.2} s down, {:.2} s up",
                total.sweeps,
                total.requests,
                total.key_words as f64 / total.requests.max(1) as f64,
                total.grown,
                total.nodes,
                total.spilled,
                total.down as f64 * 1e-9,
                total.up as f64 * 1e-9,
            )));
        }
    }
}

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
        let done = work();
        let seconds = start.elapsed().as_secs_f64();
        // A stage that failed counts, too: the run may go on another way.
        match self.times.iter_mut().find(|time| time.stage == stage) {
            Some(time) => time.seconds += seconds,
            None => self.times.push(StageTime { stage, seconds }),
        }
        let (result, detail) = done.map_err(|error| match error {
            SolveError::Limit(limit) => SolveError::Limit(stage.limit(limit)),
            error => error,
        })?;
        self.listener.event(&Event::StageFinished { stage, seconds, detail });
        Ok(result)
    }
}
