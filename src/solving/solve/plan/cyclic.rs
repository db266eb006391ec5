//! The costs of a game whose states are all solved at once, because they repeat or lie in many layers.
//!
//! The forward pass runs to its end or to its bounds. Then the backward pass is prepared as in a run, and some rounds
//! are run. The number of rounds is unknown before the end, so their cost is extrapolated from the states that they
//! settled. If the forward pass does not end, the growth of its layers predicts the later ones; the number of states is
//! at most that of the assignments that agree with the groups and the conserved sums
//! ([`bound`](super::super::tiers::bound)). Tiers are reported, but no engine uses them: `docs/findings.md` has the
//! figures.

use super::super::backward::choice::NODE_BYTES;
use super::super::expansion::OfStates;
use super::super::expansion::by_rank::possible_moves;
use super::super::global::reach::reach;
use super::super::global::rehearsal::rehearse;
pub use super::super::global::rehearsal::{Rehearsal, SettledBy};
use super::super::options::{SolveError, SolveOptions, or_left_out};
use super::super::pass::Pass;
use super::super::progress::{Phase, Stage};
use super::super::spool::Spool;
use super::super::tiers::bound::{Bound, bound};
use super::super::tiers::{self, Moves, Term, Tiers};
use super::super::{ENDLESS, MANY_LAYERS, Stages, explored::Explored};
use super::forecast::{Reached, Terms};
use super::layers::{self, Layer};
use super::samples::Clock;
use super::{as_far_as_it_goes, layers::to_f64};
use base::limits::LimitReached;
use base::machine::processor_seconds;
use kernel::{Bitvector, Diagram};
use num_bigint::BigUint;

/// Rounds may take this part of the time spent before.
const ROUNDS: f64 = 0.5;
/// Rounds may take this number of processor seconds in any case.
const LEAST: f64 = 2.0;
/// Assumptions if nothing was measured: bytes of moves per state by rank; bytes of a listed state; processor seconds
/// per state by rank, one by one and by diagrams; value nodes per state.
const MOVES: f64 = 2.0;
const LISTED: f64 = 140.0;
const BY_RANK: f64 = 400e-9;
const ONE_BY_ONE: f64 = 500e-9;
const BY_DIAGRAM: f64 = 2.4e-6;
const NODES: f64 = 0.05;
/// Nodes of rounds for each of values; 1.7 to 3.6 were measured.
const ROUNDS_NODES: f64 = 3.0;
/// Places per state.
const PLACES: f64 = 1.3;
/// Number of tables of values by place.
const TABLES: f64 = 4.0;
/// Bound on the steps to find the moves of states that are not terminal.
const OPEN: usize = 1 << 18;
/// Bytes of such a step.
const STEP_BYTES: usize = 100;
const NODE_FILE_BYTES: f64 = 4.0;
/// Time of all work on the values after the rounds, as a multiple of the time of converting them to a diagram once.
const AFTER: f64 = 3.0;

/// The tiers of the states, or of all assignments within the bound.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedTiers {
    /// Terms of the measure; empty if there is none.
    pub measure: Vec<Term>,
    /// Terms of each part.
    pub parts: Vec<Vec<Term>>,
    pub conserved: usize,
    /// Number of tiers, and states of the largest one; `None`: too many tiers to count.
    pub tiers: Option<(usize, BigUint)>,
    /// The tiers are those of the states, not of the bound.
    pub exact: bool,
}

/// Expected costs; seconds are processor seconds unless stated otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct CyclicPlan {
    /// The reason why all states are solved at once, for users.
    pub reason: &'static str,
    /// By distance from the initial state.
    pub layers: Vec<Layer>,
    /// Number of layers found; the others are predicted.
    pub found: usize,
    /// The limit that ended the forward pass.
    pub unfinished: Option<LimitReached>,
    pub states: BigUint,
    /// The number of states, rounded.
    pub size: f64,
    /// An upper bound on the number of states, if one is known.
    pub most: Option<BigUint>,
    /// `None`: no tiers are known.
    pub tiers: Option<PlannedTiers>,
    pub means: SettledBy,
    /// Figures of the backward pass, if some of it was run.
    pub rehearsal: Option<Rehearsal>,
    /// Bytes of the solution.
    pub bytes: f64,
    /// Bytes of memory.
    pub memory: f64,
    pub forward: f64,
    pub preparing: f64,
    pub settling: f64,
    pub after: f64,
    /// Wall-clock seconds in total.
    pub wall: f64,
    pub reached: Option<Reached>,
    pub assumed: Vec<String>,
}

/// Plans a game whose states are all solved at once. `before`: processor and wall-clock seconds spent before.
pub(super) fn plan(
    pass: &Pass,
    spool: &mut Spool,
    explored: Option<Explored>,
    options: &SolveOptions,
    terms: Terms,
    before: (f64, f64),
    stages: &mut Stages,
) -> Result<CyclicPlan, SolveError> {
    let Pass { context, .. } = *pass;
    let begin = processor_seconds();
    let clock = Clock::new(pass.listener, Phase::Forward);
    let mut all = None;
    let unfinished = stages.run(Stage::Forward, || {
        let reached = reach(&Pass { listener: &clock, ..*pass }, spool, explored);
        let ended = as_far_as_it_goes(reached.map(|(found, _)| all = Some(found)))?;
        Ok((ended, format!("{} distances", spool.figures().len())))
    })?;
    let mut layers = layers::found(spool, &clock);
    let found = layers.len();
    if layers.is_empty() {
        let limit = unfinished.expect("there is a first state");
        return Err(limit.during(|| "no distance of the forward pass came to its end".to_owned()).into());
    }
    let spent = processor_seconds() - begin;
    let tiers = of_tiers(pass, all.as_ref());
    let (tiers, bounded) = or_left_out(tiers, "the tiers of the states are", pass.listener)?.unwrap_or_default();
    let foretold = unfinished.is_some() && layers::foretell(&mut layers);
    let sum = layers::states(&layers);
    let most = bounded.map(|bound| bound.states);
    let states = match (&unfinished, &most) {
        (None, _) => layers.iter().map(|layer| &layer.states).sum(),
        (Some(_), Some(most)) if !foretold || sum > *most => most.clone(),
        (Some(_), _) => sum,
    };
    let rehearsal = match &all {
        Some(all) => stages.run(Stage::Backward, || {
            let seen = rehearse(pass, all, options, LEAST.max(ROUNDS * (before.0 + spent)));
            let seen = or_left_out(
                seen,
                "rounds of the backward pass, by which its costs would be measured, are",
                pass.listener,
            )?;
            Ok((seen, format!("{} rounds", seen.map_or(0, |seen| seen.rounds))))
        })?,
        None => None,
    };
    let basis = Basis { pass, terms, before, layers: &layers, states: to_f64(&states), rehearsal: rehearsal.as_ref() };
    let Figures { means, bytes, memory, seconds, wall, assumed } = basis.figures(context.threads());
    let [forward, preparing, settling, after] = seconds;
    let reached = terms.reached(Some((Phase::Backward, None)), [memory, bytes, wall]);
    Ok(CyclicPlan {
        reason: if pass.ends { MANY_LAYERS } else { ENDLESS },
        found,
        unfinished,
        size: to_f64(&states),
        states,
        most,
        tiers,
        means,
        bytes,
        memory,
        forward,
        preparing,
        settling,
        after,
        wall,
        reached,
        assumed,
        rehearsal,
        layers,
    })
}

/// The tiers, and an upper bound of the number of states. `all`: all states, if the forward pass found them.
fn of_tiers(pass: &Pass, all: Option<&Diagram>) -> Result<(Option<PlannedTiers>, Option<Bound>), SolveError> {
    let Pass { game, groups, expansion, context, listener, .. } = *pass;
    let variables = expansion.variables();
    let (limits, initial) = (context.limits(), expansion.initial());
    let found = match expansion.by_rank() {
        Some(ranked) => {
            let _steps = limits.hold((OPEN * STEP_BYTES) as u64)?;
            let OfStates { relations, roots, .. } = &possible_moves(ranked, OPEN)?;
            tiers::find(game, groups, Moves { variables, relations, roots }, limits, listener)?
        }
        None => None,
    };
    let Some(found) = found else {
        let bounded = bound(&Tiers::default(), variables, initial, limits)?;
        return Ok((None, bounded));
    };
    let bounded = bound(&found, variables, initial, limits)?;
    let by_state = match all.filter(|_| found.measure.is_some()) {
        Some(all) => tiers::split(&found, all, initial, context)?,
        None => None,
    };
    let exact = by_state.is_some();
    let sizes: Option<Vec<BigUint>> = match by_state {
        Some(tiers) => Some(tiers.into_iter().map(|(_, states)| states).collect()),
        None => bounded.as_ref().map(|bound| bound.tiers.values().cloned().collect()),
    };
    let told = PlannedTiers {
        measure: found.terms(game, variables),
        parts: found.part_terms(game, variables),
        conserved: found.conserved.len(),
        tiers: sizes.and_then(|sizes| Some((sizes.len(), sizes.into_iter().max()?))),
        exact,
    };
    Ok((Some(told), bounded))
}

struct Basis<'a> {
    pass: &'a Pass<'a>,
    terms: Terms,
    before: (f64, f64),
    layers: &'a [Layer],
    states: f64,
    rehearsal: Option<&'a Rehearsal>,
}

struct Figures {
    means: SettledBy,
    bytes: f64,
    memory: f64,
    /// Seconds of the forward pass, the preparation, the rounds, and the work after them.
    seconds: [f64; 4],
    wall: f64,
    assumed: Vec<String>,
}

impl Basis<'_> {
    fn figures(&self, threads: usize) -> Figures {
        let Basis { terms, before, layers, states, .. } = *self;
        let mut assumed = Vec::new();
        let forward = before.0 + layers.iter().map(|layer| layer.processor).sum::<f64>();
        let most_nodes = layers.iter().map(|layer| layer.nodes).max().unwrap_or(0) as f64;
        // By rank: all states, the wider set that numbers them, the front. By diagrams: all states with values.
        let diagrams = 4.0 * most_nodes * NODE_BYTES as f64;
        let (means, memory, mut seconds, nodes) = match self.rehearsal {
            Some(seen) if seen.means == SettledBy::Ranks => self.by_rank(seen, &mut assumed),
            Some(seen) if seen.means == SettledBy::States => {
                let rate = format!("{:.1} µs for each state one by one, in rounds", ONE_BY_ONE * 1e6);
                assumed.push(rate);
                let memory = seen.peak as f64 + LISTED * states;
                (SettledBy::States, memory, [0.0, seen.preparing, ONE_BY_ONE * states, 0.0], NODES * states)
            }
            Some(seen) => {
                assumed.push(format!("{:.1} µs for each state as diagrams, which vary by far", BY_DIAGRAM * 1e6));
                let memory = terms.own as f64 + diagrams.max(seen.peak as f64);
                (SettledBy::Diagrams, memory, [0.0, 0.0, BY_DIAGRAM * states, 0.0], NODES * states)
            }
            None => {
                assumed.push(format!("{MOVES} bytes of moves and {:.1} µs for each state by rank", BY_RANK * 1e6));
                let values = self.pass.expansion.rewards().len() + 1;
                let tables = TABLES * Bitvector::bytes((PLACES * states) as u64, values) as f64;
                let memory = terms.own as f64 + diagrams + tables + MOVES * states;
                (SettledBy::Ranks, memory, [0.0, 0.0, BY_RANK * states, 0.0], NODES * states)
            }
        };
        seconds[0] = forward;
        let files = layers.iter().map(|layer| layer.bytes as f64).sum::<f64>();
        // Values, and the rounds in which states got them.
        assumed.push(format!("rounds take {ROUNDS_NODES} times as many nodes as values"));
        let bytes = files + (1.0 + ROUNDS_NODES) * nodes * NODE_FILE_BYTES;
        let measured = before.1 / before.0.max(1e-9);
        let wall = seconds.iter().sum::<f64>() * measured.clamp(1.0 / threads as f64, 1.0);
        Figures { means, bytes, memory, seconds, wall, assumed }
    }

    fn by_rank(&self, seen: &Rehearsal, assumed: &mut Vec<String>) -> (SettledBy, f64, [f64; 4], f64) {
        let part = (seen.settled as f64 / self.states.max(1.0)).clamp(1e-6, 1.0);
        let share = if seen.ended { 1.0 } else { part };
        if !seen.ended {
            assumed.push(format!(
                "the rounds to come take as long for each state as the first {}, which settled {:.0} % of the states",
                seen.rounds,
                100.0 * part
            ));
        }
        assumed.push(format!("what follows the rounds takes {AFTER} times as long as making the values a diagram"));
        let seconds = [0.0, seen.preparing, seen.settling / share, AFTER * seen.writing];
        (SettledBy::Ranks, seen.peak as f64 + self.terms.own as f64, seconds, seen.nodes as f64 / share.max(0.5))
    }
}
