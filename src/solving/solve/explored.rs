//! The states by distance of a game whose states the probe found; the pass would otherwise compute them again.
//!
//! Every layer is a list of packed states. It is converted to a diagram on request, and freed when the layer is
//! expanded. All other results of an expansion are known as well, except for one: whether a role has a choice is known
//! only for whole layers. The choice alternates if [`Explored::alternates`] holds, or if all successors of the layer
//! are in the next one and no role has a choice in both. Otherwise the layer is expanded again, to find out whether a
//! role has a choice both in a state and in a successor of this state.

use super::SolveError;
use super::expansion::{Expansion, Form, Step};
use super::forward::Known;
use super::unrolled::Whole;
use crate::listing::{Graph, List};
use kernel::{Context, Diagram};
use num_bigint::BigUint;
use std::rc::Rc;

/// The states at one distance from the initial state.
pub struct Layer {
    pub states: Rc<List>,
    pub terminal: u64,
    pub choosing: Vec<bool>,
    /// Whether some successors are no farther from the initial state than these states.
    pub overlap: bool,
    /// Whether some successors are as far from the initial state as these states, or nearer by an even number.
    pub even: bool,
}

/// All reachable states, none of which is ill-formed.
pub struct Explored {
    form: Form,
    /// `None`: no longer needed.
    layers: Vec<Option<Layer>>,
    /// Every successor of every state is farther from the initial state, so that no state lies in two layers.
    disjoint: bool,
    /// Every move changes the distance by an odd number, and no role has a choice both at even and at odd distances.
    alternates: bool,
    /// The states with all moves, if layers share states, play ends, and memory suffices.
    whole: Option<Whole>,
    /// All states, if play can go on for ever, and memory suffices.
    all: Option<List>,
}

/// All states in one list, and the moves between them if these are known.
pub struct Kept {
    pub states: List,
    pub graph: Option<Graph>,
}

impl Explored {
    pub fn new(layers: Vec<Layer>, whole: Option<Whole>, all: Option<List>, form: Form) -> Explored {
        let disjoint = layers.iter().all(|layer| !layer.overlap);
        let choosing = |role: usize, side: usize| layers.iter().skip(side).step_by(2).any(|layer| layer.choosing[role]);
        let roles = layers.first().map_or(0, |layer| layer.choosing.len());
        let alternates =
            layers.iter().all(|layer| !layer.even) && (0..roles).all(|role| !(choosing(role, 0) && choosing(role, 1)));
        Explored { form, layers: layers.into_iter().map(Some).collect(), disjoint, alternates, whole, all }
    }

    /// Whether no state lies in two layers; then the layers by distance are those of the forward pass.
    pub fn is_disjoint(&self) -> bool {
        self.disjoint
    }

    /// The states with all moves, and the form of the states.
    pub fn whole(&self) -> Option<(&Whole, &Form)> {
        self.whole.as_ref().map(|whole| (whole, &self.form))
    }

    pub fn take_whole(&mut self) -> Option<Whole> {
        self.whole.take()
    }

    pub fn take_kept(&mut self) -> Option<Kept> {
        let all = self.all.take().map(|states| Kept { states, graph: None });
        let whole = self.whole.take();
        whole.map(|Whole { states, graph, .. }| Kept { states, graph: Some(graph) }).or(all)
    }

    /// Whether a state of a layer has a successor that is no farther from the initial state.
    pub fn overlaps(&self, index: usize) -> bool {
        self.layers[index].as_ref().is_some_and(|layer| layer.overlap)
    }
}

/// The states by distance. Successors that are no farther from the initial state are left out; if there are none, these
/// are the layers of the forward pass.
impl Known for Explored {
    fn states(&mut self, index: usize, context: &Context) -> Result<Diagram, SolveError> {
        self.layers.iter_mut().take(index).for_each(|layer| *layer = None);
        let Some(layer) = self.layers.get(index) else { return Ok(Diagram::constant(self.form.levels(), 0)) };
        let layer = layer.as_ref().expect("layers are wanted from the first to the last");
        Ok(self.form.set(&layer.states, |_| 1, context.limits())?)
    }

    fn step(
        &mut self,
        index: usize,
        (layer, states): (&Diagram, &BigUint),
        alternating: bool,
        expansion: &dyn Expansion,
        context: &Context,
    ) -> Result<Step, SolveError> {
        let here = self.layers[index].take().expect("layers are wanted from the first to the last");
        let Layer { terminal, choosing, overlap, .. } = here;
        let twice = |behind: &Layer| choosing.iter().zip(&behind.choosing).any(|(now, then)| *now && *then);
        let certain =
            self.alternates || !overlap && !self.layers.get(index + 1).and_then(Option::as_ref).is_some_and(twice);
        let alternates = if certain || !alternating {
            certain
        } else {
            match expansion.step(layer, states, false, true)? {
                Ok(step) => step.alternates,
                Err(_) => {
                    return Err(SolveError::Inconsistent("a state that was well-formed is no more".to_owned()));
                }
            }
        };
        Ok(Step { terminal: terminal.into(), next: self.states(index + 1, context)?, alternates })
    }
}

#[cfg(test)]
mod tests {
    use super::super::budget::Bound;
    use super::super::expansion::States;
    use super::super::forward::forward;
    use super::super::pass::{Bounds, Pass};
    use super::super::probe::{All, Found, Probe};
    use super::super::progress::Silent;
    use super::super::spool::Spool;
    use super::super::unrolled::Unrolled;
    use super::super::{Algorithm, ExpansionChoice, MANY_LAYERS, Order, Outcome, SolveOptions, run};
    use super::*;
    use crate::sample::handmade::{lines, nim};
    use crate::sample::{random_cyclic_game, random_game};
    use base::limits::Limits;
    use game::diagnostic::Source;
    use game::ground::{GroundOptions, ground};
    use game::propositional::Game;
    use game::rules::Language;
    use std::sync::Arc;

    fn grounded(text: &str) -> Game {
        let (program, _) = Language::Gdl.program(&Source::new("explored", text.as_bytes()));
        ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game
    }

    /// A game in which one player moves again after some moves, so that the choice need not go from role to role.
    fn again() -> Game {
        grounded(
            "(role a) (role b) (init (turn a)) (init (left 5))
             (<= (legal ?p (take one)) (true (turn ?p)))
             (<= (legal ?p (take two)) (true (turn ?p)))
             (<= (legal a wait) (true (turn b))) (<= (legal b wait) (true (turn a)))
             (<= (next (turn ?p)) (does ?p (take two)))
             (<= (next (turn b)) (does a (take one))) (<= (next (turn a)) (does b (take one)))
             (<= (next (left ?m)) (true (left ?n)) (succ ?m ?n))
             (<= terminal (true (left 0))) (<= (goal ?p 100) (true (turn ?p)))
             (<= (goal ?p 0) (role ?p) (not (true (turn ?p))))
             (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)",
        )
    }

    fn games() -> impl Iterator<Item = Game> {
        let random = (0..25).map(|seed| grounded(&random_game(seed, None)));
        let cyclic = (0..25).map(|seed| grounded(&random_cyclic_game(seed)));
        [lines(3, 3, 3), nim(9, 3), again()].into_iter().chain(random).chain(cyclic)
    }

    fn context() -> Context {
        Context::new(Arc::new(Limits::unlimited()), 1)
    }

    #[test]
    fn layers_that_are_handed_on_are_those_of_a_fresh_pass() {
        let (context, mut used) = (context(), [0; 2]);
        for game in games() {
            let mut probe = Probe::new(&game, false);
            let found = probe.look(&Order::Rules, Bound::Memory, &context).unwrap();
            let ends = probe.ends;
            let Found::Ended(all) = found else { panic!("it ends") };
            let All { groups, variables, layers, .. } = *all;
            let mut explored = Some(layers.expect("no state is ill-formed"));
            let expansion = &States::new(&game, variables, &context);
            let pass = Pass {
                game: &game,
                groups: &groups,
                expansion,
                context: &context,
                listener: &Silent,
                solving: true,
                repeating: None,
                ends: false,
                bounds: Bounds::NONE,
            };
            let [mut with, mut without] = [(); 2].map(|()| Spool::new(Some(u64::MAX), None, &context));
            let fresh = forward(&pass, &mut without, &mut None);
            let is_disjoint = explored.as_ref().is_some_and(Explored::is_disjoint);
            assert_eq!(is_disjoint, fresh.as_ref().is_ok_and(|totals| totals.progress_measure));
            // The forward pass of a game with a cycle never ends.
            assert_eq!(fresh.is_ok(), ends);
            let is_known = is_disjoint || explored.as_ref().is_some_and(|explored| explored.whole().is_some());
            assert_eq!(is_known, ends);
            let Ok(fresh) = fresh else { continue };
            used[usize::from(is_disjoint)] += 1;
            let totals = forward(&pass, &mut with, &mut explored).unwrap();
            assert_eq!(explored.is_none(), is_disjoint, "the others are needed for the values");
            assert_eq!(format!("{totals:?}"), format!("{fresh:?}"));
            assert_eq!(format!("{:?}", with.figures()), format!("{:?}", without.figures()));
            for index in 0..with.figures().len() {
                assert_eq!(with.take(index).unwrap(), without.take(index).unwrap(), "layer {index}");
            }
        }
        assert!(used.iter().all(|used| *used > 5), "{used:?}");
    }

    #[test]
    fn a_run_that_is_continued_gets_the_same_layers() {
        let context = context();
        let game = nim(9, 3);
        let found = Probe::new(&game, false).look(&Order::Rules, Bound::Memory, &context).unwrap();
        let Found::Ended(all) = found else { panic!("it ends") };
        let explored = all.layers.unwrap();
        let (whole, form) = explored.whole().unwrap();
        let unrolled = || Unrolled::new(whole, form, None, context.limits()).unwrap();
        let (mut all, mut layer) = (unrolled(), 0);
        loop {
            let states = all.states(layer, &context).unwrap();
            assert_eq!(unrolled().states(layer, &context).unwrap(), states);
            if states.is_empty() {
                break;
            }
            layer += 1;
        }
        assert_eq!(layer, 10);
    }

    #[test]
    fn states_that_lie_in_many_layers_are_solved_once() {
        let context = context();
        // With k matches taken, between k / 3 plies (three matches each) and k plies (one match each) have been played.
        let sum: u64 = (0..=1800u64).map(|taken| taken - taken.div_ceil(3) + 1).sum();
        let game = nim(1800, 3);
        let found = Probe::new(&game, false).look(&Order::Rules, Bound::Memory, &context).unwrap();
        let Found::Ended(all) = found else { panic!("it ends") };
        let explored = all.layers.unwrap();
        let (whole, _) = explored.whole().unwrap();
        assert!(whole.has_more(sum - 1, context.limits()).unwrap() && !whole.has_more(sum, context.limits()).unwrap());
        let solved = |algorithm| {
            let options = SolveOptions { algorithm, ..SolveOptions::default() };
            run(&game, &options, &Arc::new(Limits::unlimited()), &Silent).unwrap()
        };
        let (chosen, layered) = (solved(None), solved(Some(Algorithm::Layered)));
        assert_eq!((chosen.algorithm, chosen.algorithm_reason), (Algorithm::Global, MANY_LAYERS));
        assert!(chosen.cycle.is_none());
        assert_eq!((&chosen.states, &chosen.layer_states), (&layered.states, &chosen.states));
        assert_eq!(layered.layer_states, sum.into());
        assert_eq!(chosen.solution.unwrap().value, layered.solution.unwrap().value);
    }

    #[test]
    fn values_are_the_same_with_layers_handed_on() {
        let limits = Arc::new(Limits::unlimited());
        for game in games() {
            for algorithm in [None, Some(Algorithm::Global)] {
                let solved = |expansion| {
                    let options = SolveOptions { algorithm, expansion, ..SolveOptions::default() };
                    run(&game, &options, &limits, &Silent).unwrap()
                };
                // With the first options, the probe looks at all states; with the second ones, it finds none.
                let (with, without) = (solved(ExpansionChoice::Auto), solved(ExpansionChoice::States));
                let figures = |outcome: &Outcome| {
                    let layers: Vec<_> = (outcome.layers.iter())
                        .map(|layer| {
                            let buckets = layer.buckets.iter().map(|bucket| (&bucket.rewards, &bucket.states));
                            format!("{} {} {:?}", layer.states, layer.terminal, buckets.collect::<Vec<_>>())
                        })
                        .collect();
                    let Outcome { states, terminal_states, progress_measure, alternating, .. } = outcome;
                    let value = outcome.solution.as_ref().map(|solution| solution.value.clone());
                    let whole = (states.clone(), terminal_states.clone(), *progress_measure, *alternating);
                    (outcome.algorithm, whole, value, outcome.cycle.is_some(), layers)
                };
                assert_eq!(figures(&with), figures(&without));
            }
        }
    }

    #[test]
    fn a_choice_that_stays_with_a_role_is_seen() {
        let outcome = run(&again(), &SolveOptions::default(), &Arc::new(Limits::unlimited()), &Silent).unwrap();
        assert!(!outcome.alternating);
        let outcome = run(&lines(3, 3, 3), &SolveOptions::default(), &Arc::new(Limits::unlimited()), &Silent).unwrap();
        assert!(outcome.alternating);
    }
}
