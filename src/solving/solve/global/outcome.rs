//! A run of one of the algorithms on the whole reachable set, from the encoded game to the outcome.

use super::super::explored::Explored;
use super::super::outcome::{Algorithm, Outcome};
use super::super::overlap::left_over;
use super::super::pass::Pass;
use super::super::spool::Spool;
use super::super::{ENDLESS, MANY_ENDS, STORED, SolveError, SolveOptions, Stage, Stages, endless, report_sweeps};
use super::{reach, solve};
use crate::store::Store;
use crate::store::manifest::CycleRecord;
use base::digits::grouped;

pub struct Start {
    pub algorithm: Algorithm,
    /// Tells users why this algorithm is used.
    pub reason: &'static str,
    /// All states, if the probe found them.
    pub explored: Option<Explored>,
    /// An example of endless play, if one is known.
    pub cycle: Option<CycleRecord>,
}

/// Finds all states unless they are `explored`, then their values unless only counts are wanted. What is stored is not
/// computed again. At most `share` bytes of the states by distance stay in memory.
pub fn run(
    pass: &Pass,
    options: &SolveOptions,
    Start { algorithm, reason, mut explored, cycle }: Start,
    share: u64,
    store: Option<&mut Store>,
    stages: &mut Stages,
) -> Result<Outcome, SolveError> {
    let solving = !options.count_only;
    let mut spool = Spool::new(solving.then_some(share), store, pass.context);
    let listed = explored.as_mut().and_then(Explored::take_kept);
    let (all, totals) = stages.run(Stage::Forward, || {
        let reached = reach(pass, &mut spool, explored)?;
        let detail = format!("{} states", grouped(&reached.1.states));
        Ok((reached, detail))
    })?;
    let mut repeats = cycle.is_some() || pass.repeating.is_some() || reason == ENDLESS;
    let cycle = match cycle {
        // If the user chose the algorithm, it is still unknown whether the layers would have ended.
        None if algorithm == Algorithm::Global
            && (pass.repeating.is_some()
                || !pass.ends && ![ENDLESS, MANY_ENDS].contains(&reason) && !totals.progress_measure) =>
        {
            let left = || {
                let left = left_over(pass.expansion, &all, pass.context);
                // If that takes too much, it stays unknown.
                repeats |= left.as_ref().map_or(true, |left| !left.is_empty());
                left
            };
            let kept = Some(&mut spool).filter(|spool| spool.keeps());
            let found = stages.run(Stage::Forward, || {
                Ok((endless::example(pass, kept, left)?, "a look for a state that repeats".to_owned()))
            })?;
            if let (Some(cycle), Some(store)) = (&found, spool.store()) {
                store.set_cycle(cycle.clone())?;
            }
            found
        }
        known => known,
    };
    let reason = if reason == STORED && cycle.is_some() { ENDLESS } else { reason };
    let solved = solving.then(|| {
        let solve = || solve(pass, (&all, listed), &mut spool, (algorithm, repeats), options);
        stages.run(Stage::Backward, || Ok((solve()?, String::new())))
    });
    let solved = solved.transpose()?;
    report_sweeps(pass.context, pass.listener);
    let outcome = Outcome::of_states(pass, options, (algorithm, reason), &spool, totals);
    Ok(Outcome { cycle, ..outcome.with_values(solved) })
}
