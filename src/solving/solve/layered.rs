//! The layered algorithm: all layers forward, then their values backward.

use super::backward;
use super::ends::{Ends, Told};
use super::explored::Explored;
use super::global::FEW;
use super::options::EngineChoice;
use super::outcome::{Algorithm, Outcome, Solved, Valuation};
use super::pass::Pass;
use super::progress::Stage;
use super::spool::Spool;
use super::{ASKED, MANY_LAYERS, SolveError, SolveOptions, Stages, forward, growth, report_sweeps, ties};
use crate::store::Totals;
use crate::store::manifest::CycleRecord;
use base::digits::counted;
use game::encode::EncodeError;
use game::ending::Endings;
use game::refusal::{CYCLIC, Refusal};
use num_bigint::BigUint;

/// Layers that share states are solved layer by layer if together they have at most `MANY_IN_LAYERS` states, or at most
/// so many times as many as there are different states: `TIMES_IN_LAYERS` if the states are listed, `TIMES_BY_RANK` if
/// they are expanded by relations. Then more than [`FEW`] different states are solved layer by layer, too, because a
/// layer takes less memory than all states.
const MANY_IN_LAYERS: u64 = 1 << 20;
const TIMES_IN_LAYERS: u64 = 2;
const TIMES_BY_RANK: u64 = 8;

pub enum Layered {
    Solved(Box<Outcome>),
    /// All states must be solved at once. `cycle`: an example of a state that repeats, if that is the reason.
    AllAtOnce {
        reason: &'static str,
        cycle: Option<CycleRecord>,
    },
    /// A look at every state is quicker; there are about so many.
    OneByOne {
        states: u64,
    },
}

/// Solves a game layer by layer, or counts its states. If the options name no algorithm and layers do not suit the
/// game, the result is [`Layered::AllAtOnce`]; if the pass may list states and that is quicker, [`Layered::OneByOne`].
pub fn run(
    pass: &Pass,
    options: &SolveOptions,
    mut spool: Spool,
    explored: &mut Option<Explored>,
    stages: &mut Stages,
) -> Result<Layered, SolveError> {
    let is_open = options.algorithm.is_none();
    if is_open && pass.repeating.is_some() && spool.totals().is_none() {
        // An example is found more easily once all states are known.
        return Ok(Layered::AllAtOnce { reason: super::ENDLESS, cycle: None });
    }
    if is_open && pass.solving && spool.figures().is_empty() && repeats_states(pass, explored.as_ref())? {
        return Ok(Layered::AllAtOnce { reason: MANY_LAYERS, cycle: None });
    }
    let totals = stages.run(Stage::Forward, || {
        let totals = forward::forward(pass, &mut spool, explored)?;
        let detail = counted(&totals.states, "state");
        Ok((totals, detail))
    });
    let totals = match totals {
        Err(SolveError::Refused(Refusal { code: CYCLIC, state, path, cycle: moves, .. })) if is_open => {
            let cycle = (!moves.is_empty()).then_some(CycleRecord { path, state, moves });
            return Ok(Layered::AllAtOnce { reason: super::ENDLESS, cycle });
        }
        Err(SolveError::TooComplex(EncodeError::TooLong)) if pass.bounds.may_list => {
            let states = growth::all(spool.figures().iter().map(|layer| &layer.states));
            return Ok(Layered::OneByOne { states: states.expect("they were foretold before") as u64 });
        }
        totals => totals?,
    };
    if is_open && share_states(pass, options, &spool, &totals) {
        return Ok(Layered::AllAtOnce { reason: MANY_LAYERS, cycle: None });
    }
    let mut found = None;
    if pass.solving {
        let mut ends = None;
        let mut many_ends = false;
        let valued = stages.run(Stage::Backward, || {
            // The backward pass consumes the layers.
            ends = Ends::find(pass, &mut spool, options)?;
            let endings = match ends.as_ref().filter(|_| options.distances) {
                Some(ends) => ends.endings(pass).inspect_err(|_| many_ends = true)?,
                None => Endings::plain(pass.expansion.rewards().to_vec()),
            };
            Ok((values(pass, options, &mut spool, ends.take(), endings)?, String::new()))
        });
        if many_ends && is_open {
            // The global algorithm keeps distances apart from rewards, so it has terminals for all combinations.
            return Ok(Layered::AllAtOnce { reason: super::MANY_ENDS, cycle: None });
        }
        found = Some(valued?);
    }
    report_sweeps(pass.context, pass.listener);
    let reason = options.algorithm.map_or_else(|| layered_because(totals.progress_measure), |_| ASKED);
    let outcome = Outcome::of_states(pass, options, (Algorithm::Layered, reason), &spool, totals);
    Ok(Layered::Solved(Box::new(outcome.with_values(found))))
}

/// Whether the layers together have so many states that the global algorithm should solve each state once.
pub fn repeats_states(pass: &Pass, explored: Option<&Explored>) -> Result<bool, SolveError> {
    let Some((whole, _)) = explored.and_then(Explored::whole) else { return Ok(false) };
    let most = MANY_IN_LAYERS.max(TIMES_IN_LAYERS * whole.states.len() as u64);
    Ok(whole.has_more(most, pass.context.limits())?)
}

/// As [`repeats_states`], for layers that were found by relations, none of which has values yet.
pub fn share_states(pass: &Pass, options: &SolveOptions, spool: &Spool, totals: &Totals) -> bool {
    let in_layers: BigUint = spool.figures().iter().map(|layer| &layer.states).sum();
    let most = BigUint::from(MANY_IN_LAYERS).max(&totals.states * TIMES_BY_RANK);
    let by_rank = pass.expansion.by_rank().is_some() && options.engine != EngineChoice::Symbolic;
    let may_change = pass.solving && spool.stored_buckets().iter().all(Option::is_none);
    may_change && by_rank && in_layers > most && totals.states <= FEW.into()
}

/// Tells users why the layered algorithm is used.
pub fn layered_because(disjoint: bool) -> &'static str {
    if disjoint { "no state lies in two layers" } else { "states lie in several layers, but every play ends" }
}

/// Finds the values of all layers, and the further results that the options ask for.
fn values(
    pass: &Pass,
    options: &SolveOptions,
    spool: &mut Spool,
    ends: Option<Ends>,
    endings: Endings,
) -> Result<Solved, SolveError> {
    let told = ends.map_or_else(|| Ok(Told::default()), |ends| ends.told(pass, spool, None, options))?;
    let (by_layer, means) = backward::backward(pass, spool, &endings, options, 0)?;
    let mut valuation = Valuation::of(&by_layer);
    if options.ties && spool.is_stored() {
        let counted = ties::in_layers(pass, spool, &endings, options.opponent_model);
        valuation.ties = ties::noted(counted, pass, spool)?;
    }
    Ok(Solved { valuation, by_layer, means, engine: pass.expansion.engine(), told })
}
