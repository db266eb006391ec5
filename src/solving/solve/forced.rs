//! Counts the states from which a role can force, against all others together, what it gets under best play of all
//! roles.
//! For each layer (or all states at once) and each reward of the role, the states that have it in both solutions are
//! intersected. Cost: a few sweeps over the values of both for each reward that occurs.

use super::SolveError;
use super::exact;
use super::options::SolveOptions;
use super::scratch_of;
use super::values::LayerValues;
use crate::store::Archive;
use base::limits::Limits;
use game::propositional::RoleId;
use kernel::{self, Context, Diagram};
use num_bigint::BigUint;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The number of states in which the role gets the same in a solution and in its guarantee, summed over the layers.
/// Both solutions must be complete and have the same states.
pub fn count_forced(
    role: RoleId,
    solution: &Archive,
    guarantee: &Archive,
    options: &SolveOptions,
    limits: &Arc<Limits>,
) -> Result<BigUint, SolveError> {
    let context = Context::new(limits.clone(), options.threads);
    let context = context.with(|manner| manner.scratch = Some(scratch_of(options, guarantee.folder, limits)));
    if solution.manifest.is_global() {
        let [all, own] = [solution.read_settled(limits)?, guarantee.read_settled(limits)?];
        return count([(&all.outcomes, solution), (&own.outcomes, guarantee)], role, &context);
    }
    if solution.manifest.is_exact() {
        return exact::count_forced(role, solution, guarantee, limits);
    }
    let mut forced = BigUint::ZERO;
    for layer in 0..solution.manifest.layers.len() {
        limits.check()?;
        let states = solution.states(layer, limits)?;
        let valued = |archive: &Archive| -> Result<Diagram, SolveError> {
            let values = LayerValues::stored(archive, layer, &context)?.into_diagram(&states, &context)?;
            Ok(kernel::restrict(&states, &values, &context)?)
        };
        forced += count([(&valued(solution)?, solution), (&valued(guarantee)?, guarantee)], role, &context)?;
    }
    Ok(forced)
}

/// Number of states with the same reward of a role in two sets; the archives give the meanings of value ids.
fn count(sets: [(&Diagram, &Archive); 2], role: RoleId, context: &Context) -> Result<BigUint, SolveError> {
    let endings = sets.map(|(_, archive)| archive.manifest.endings());
    let worth = |which: usize, id: u32| endings[which].rewards(id).map(|rewards| rewards[role.index()]);
    alike(sets.map(|(set, _)| set), worth, context)
}

/// Number of states whose values are of the same class in two sets. `class`: by set and value id.
pub fn alike<C: Ord + Sync>(
    sets: [&Diagram; 2],
    class: impl Fn(usize, u32) -> C + Sync,
    context: &Context,
) -> Result<BigUint, SolveError> {
    let occurring = [0, 1].map(|which| {
        let ids = sets[which].terminals().into_iter().filter(|&id| id != 0);
        ids.map(|id| class(which, id)).collect::<BTreeSet<C>>()
    });
    let mut same = BigUint::ZERO;
    for one in occurring[0].intersection(&occurring[1]) {
        let [first, second] = [0, 1]
            .map(|which| kernel::renamed(sets[which], |id| u32::from(id != 0 && class(which, id) == *one), context));
        same += kernel::intersection(&first?, &second?, context)?.count(context)?;
    }
    Ok(same)
}
