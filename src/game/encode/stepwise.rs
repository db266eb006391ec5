//! Selects by conjunctions of many parts in steps.
//!
//! A state of an automaton has, for each part of its condition, the formula that remains after the levels read. "No
//! move of the role is legal" has a part for each move, and the automaton can have as many states as a set has nodes,
//! or more. A step selects by some of the parts, from the states that the earlier steps have left. At first one step
//! has all parts. If the automaton of a step grows much in a sweep, the step is halved for later sweeps.

use super::automata::{ConditionAutomaton, Source};
use super::renewed::Renewed;
use super::residual::Residual;
use base::limits::Limits;
use kernel::Diagram;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes per node of the set by which the automaton of a step may grow in a sweep. Growth by 64 bytes takes about as
/// long as ten requests.
const NODE_BYTES: u64 = 64;
/// The least bound on the growth, in bytes; small automata are soon complete.
const LEAST: u64 = if cfg!(test) { 1 << 10 } else { 1 << 22 };

pub struct Stepwise {
    source: Arc<Source>,
    limits: Arc<Limits>,
    steps: Mutex<Vec<Arc<Step>>>,
}

struct Step {
    parts: Vec<Residual>,
    condition: Renewed<ConditionAutomaton>,
}

impl Stepwise {
    pub fn new(source: &Arc<Source>, parts: Vec<Residual>, limits: &Arc<Limits>) -> Stepwise {
        let (source, limits) = (source.clone(), limits.clone());
        let all = Stepwise { source, limits, steps: Mutex::default() };
        let first = all.step(parts);
        all.steps().push(first);
        all
    }

    fn step(&self, parts: Vec<Residual>) -> Arc<Step> {
        let (source, of) = (self.source.clone(), parts.clone());
        let condition = Renewed::new(&self.limits, move || ConditionAutomaton::new(&source, &of));
        Arc::new(Step { parts, condition })
    }

    fn steps(&self) -> MutexGuard<'_, Vec<Arc<Step>>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The elements of a set for which all parts hold. `select` finds the elements for which one condition holds.
    pub fn select<E>(
        &self,
        set: &Diagram,
        select: impl Fn(&Diagram, &Renewed<ConditionAutomaton>) -> Result<Diagram, E>,
    ) -> Result<Diagram, E> {
        let steps = self.steps().clone();
        let mut left = None;
        for step in &steps {
            let set = left.as_ref().unwrap_or(set);
            let bytes = LEAST.max(set.node_count() * NODE_BYTES);
            let selected = select(set, &step.condition)?;
            if step.condition.grown() > bytes {
                self.halve(step);
            }
            let is_empty = selected.is_empty();
            left = Some(selected);
            if is_empty {
                break;
            }
        }
        Ok(left.expect("a conjunction has a step"))
    }

    fn halve(&self, step: &Arc<Step>) {
        let mut steps = self.steps();
        // Another selection may have halved the step.
        let place = steps.iter().position(|other| Arc::ptr_eq(other, step));
        if let Some(place) = place.filter(|_| step.parts.len() > 1) {
            let (first, second) = step.parts.split_at(step.parts.len() / 2);
            let halves = [first, second].map(|parts| self.step(parts.to_vec()));
            steps.splice(place..=place, halves);
        }
    }

    /// Drops the automata that are neither in use nor small.
    pub fn let_go(&self) {
        self.steps().iter().for_each(|step| step.condition.let_go());
    }

    /// Number of steps, and number of times that their automata were started.
    pub fn begun(&self) -> (usize, u64) {
        let steps = self.steps();
        (steps.len(), steps.iter().map(|step| step.condition.begun()).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::Manager;
    use crate::encode::residual::Residuals;
    use base::limits::LimitReached;
    use kernel::{Context, SetBuilder, true_levels};

    const LEVELS: u32 = 12;

    /// Levels that are half of all levels apart are not both true: an automaton of all parts must remember the values
    /// of half the levels, and the set of all assignments has a node for each level.
    #[test]
    fn a_step_whose_automaton_grows_is_halved_and_the_selection_stays_the_same() {
        let limits = Arc::new(Limits::unlimited());
        let mut manager = Manager::new(1 << 12, &limits);
        let mut residuals = Residuals::default();
        let mut parts = Vec::new();
        for level in 0..LEVELS / 2 {
            let [first, second] = [level, level + LEVELS / 2].map(|level| manager.literal(level, false).unwrap());
            let either = manager.or(first, second).unwrap();
            parts.push(residuals.leaf(either, &manager));
        }
        let source = Arc::new(Source::new(residuals, manager, &limits).unwrap());
        let conjunction = Stepwise::new(&source, parts, &limits);
        let context = Context::new(limits.clone(), 1);
        let of = |holds: &dyn Fn(u32) -> bool| {
            let mut builder = SetBuilder::new(LEVELS, &limits);
            for bits in (0..1 << LEVELS).filter(|&bits| holds(bits)) {
                builder.push(&true_levels(LEVELS, bits), 1).unwrap();
            }
            builder.finish().unwrap()
        };
        let (all, wanted) = (of(&|_| true), of(&|bits| bits & bits >> (LEVELS / 2) == 0));
        let select = |set: &Diagram, condition: &Renewed<ConditionAutomaton>| -> Result<Diagram, LimitReached> {
            let automaton = condition.begin()?;
            kernel::classify(set, &*automaton, automaton.start(), &context)
        };
        let mut steps = vec![conjunction.begun().0];
        for _ in 0..6 {
            assert!(conjunction.select(&all, select).unwrap().equals(&wanted, &context).unwrap());
            steps.push(conjunction.begun().0);
        }
        assert_eq!(steps[0], 1);
        assert!(steps[1] == 2 && steps.is_sorted() && steps[6] <= LEVELS as usize / 2, "{steps:?}");
        assert_eq!(steps[5], steps[6], "the automata are complete");
        assert!(conjunction.select(&of(&|_| false), select).unwrap().is_empty());
        drop((conjunction, source));
        assert_eq!(limits.used(), 0);
    }
}
