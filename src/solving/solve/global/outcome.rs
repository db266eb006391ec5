//! A run of one of the algorithms on the whole reachable set, from the encoded game to the outcome.

use super::super::explored::Explored;
use super::super::outcome::{Algorithm, LayerOutcome, Outcome, Valuation};
use super::super::overlap::left_over;
use super::super::pass::Pass;
use super::super::spool::Spool;
use super::super::{
    ENDLESS, MANY_ENDS, SolveError, SolveOptions, Stage, Stages, buckets, encoding_size, endless, report_sweeps,
};
use super::{reach, solve};
use crate::store::Store;
use crate::store::manifest::CycleRecord;
use base::digits::grouped;

/// The input of a run.
pub struct Start {
    pub algorithm: Algorithm,
    /// The reason for this algorithm, for users.
    pub reason: &'static str,
    /// All states, if the probe found them.
    pub explored: Option<Explored>,
    /// An example of endless play, if one is known.
    pub cycle: Option<CycleRecord>,
}

/// Finds all states unless they are `explored`, then their values unless only counts are wanted. Continues from what
/// the store has. At most `share` bytes of the states by distance stay in memory.
pub fn run(
    pass: &Pass,
    options: &SolveOptions,
    Start { algorithm, reason, explored, cycle }: Start,
    share: u64,
    store: Option<&mut Store>,
    mut stages: Stages,
) -> Result<Outcome, SolveError> {
    let solving = !options.count_only;
    let mut spool = Spool::new(solving.then_some(share), store, pass.context);
    let reached = stages.run(Stage::Forward, || {
        let reached = reach(pass, &mut spool, explored)?;
        let detail = format!("{} states", grouped(&reached.states));
        Ok((reached, detail))
    })?;
    let cycle = match cycle {
        // If the user chose the algorithm, it is not known yet whether the layers would have ended.
        None if algorithm == Algorithm::Global && ![ENDLESS, MANY_ENDS].contains(&reason) && !reached.disjoint => {
            let found = endless::example(pass, || left_over(pass.expansion, &reached.all, pass.context))?;
            if let (Some(cycle), Some(store)) = (&found, spool.store()) {
                store.set_cycle(cycle.clone())?;
            }
            found
        }
        known => known,
    };
    let mut solved = solving
        .then(|| {
            stages.run(Stage::Backward, || {
                let solved = solve(pass, &reached.all, &mut spool, algorithm, options)?;
                Ok((solved, String::new()))
            })
        })
        .transpose()?;
    report_sweeps(pass.context, pass.listener);
    let engine = solved.as_ref().map_or(pass.expansion.engine(), |solved| solved.engine);
    let mut by_layer = solved.as_ref().map(|solved| solved.buckets.clone()).unwrap_or_default();
    by_layer.resize(spool.figures().len(), Vec::new());
    let unmet = solved.as_mut().and_then(|solved| solved.unmet.take());
    let ends = solved.as_ref().and_then(|solved| solved.ends.clone());
    let mut ends: Vec<_> = ends.into_iter().flatten().map(Some).collect();
    ends.resize(spool.figures().len(), None);
    Ok(Outcome {
        opponent_model: options.opponent_model,
        algorithm,
        algorithm_reason: reason,
        exact: None,
        engine,
        solution: solved.map(|solved| Valuation {
            value: solved.value,
            plies: solved.plies,
            buckets: buckets::total(&solved.buckets),
            line: solved.line,
            plan: solved.plan,
            ties: solved.ties,
        }),
        layer_states: reached.states.clone(),
        states: reached.states,
        terminal_states: spool.figures().iter().map(|front| &front.terminal).sum(),
        progress_measure: reached.disjoint,
        turn_taking: true,
        alternating: spool.figures().last().is_some_and(|front| front.alternating),
        layers: spool
            .figures()
            .iter()
            .zip(by_layer)
            .zip(ends)
            .map(|((front, buckets), ends)| LayerOutcome { buckets, ends, ..LayerOutcome::new(front, engine) })
            .collect(),
        encoding: encoding_size(pass.game, pass.groups, pass.expansion),
        cycle,
        unmet,
        unvalued: None,
        times: stages.times,
    })
}
