//! The probe: a breadth-first search on single states before any preparation, to the end if there are few states.
//!
//! Only the rules are known at that time, so states are packed by guessed groups. States that contradict a group split
//! it, and the search restarts. If the search ends, every reachable state agrees with the remaining groups, so they are
//! mutex groups, and the game is solved state by state. Otherwise its layers give an estimate of the number of states.
//!
//! The states of a complete search are passed on by distance. An incomplete search can be continued later.
//!
//! The [`Budget`] decides how far the search goes. If a successor was met before, the probe looks for a repeating state
//! among the states so far, at the end of the search and when [`Budget::is_unclear`] says so. If the search stops
//! without a repeating state, random play looks further away.

use super::budget::{self, Bound, Budget, Seen};
use super::expansion::Form;
use super::explored::{Explored, Layer};
use super::order;
use super::unrolled::Whole;
use super::visited::{Side, Visited};
use super::{Order, SolveError, random_play};
use crate::listing::{Engine, Expanded, Index, List, Met, Wrong};
use base::limits::LimitReached;
use game::encode::{Variables, defaults_by, reward_vectors};
use game::interpreter::{Interpreter, JointMove, State};
use game::mutex::{Effort, Guess};
use game::propositional::{Game, Group};
use kernel::Context;
use std::rc::Rc;

/// States expanded between two checks of the bound.
const AT_ONCE: usize = 1 << 14;
/// The probe does nothing under a smaller memory bound, because its evaluators would leave no memory.
const LEAST_MEMORY: u64 = 8 << 20;
/// Most graph nodes that random play evaluates to guess groups.
const PLAY: usize = 10_000_000;
/// Number of searches whose states may split groups. Later, contradicted groups are dissolved into single fluents.
const REFUTATIONS: usize = 16;
/// Divisor of the memory bound: a larger search is dropped while other ways of solving are tried.
const WAITING_SHARE: u64 = 16;
/// Divisor of the memory bound: a larger search forgets its layers.
const LAYERS_SHARE: u64 = 4;

pub enum Found<'g> {
    /// The search has ended: it found all states, or it met an ill-formed one.
    Ended(Box<All<'g>>),
    /// The search stopped with these figures; there are more states.
    Open(Seen),
}

pub struct All<'g> {
    pub groups: Vec<Group>,
    pub variables: Variables,
    /// The states by distance; `None` if a state is ill-formed or they would take too much memory.
    pub layers: Option<Explored>,
    /// The evaluator of the rules that the search used, with its specialised joint moves.
    pub engine: Engine<'g>,
    pub seen: Seen,
}

enum End {
    All,
    /// The search stopped at the bound and can continue.
    Open,
    /// These states contradict the groups.
    Refuted(Vec<State>),
}

/// Searches the first states of a game, and can continue later.
pub struct Probe<'g> {
    pub game: &'g Game,
    /// Several roles may choose at the same time.
    joint: bool,
    guess: Option<Guess>,
    refutations: usize,
    /// The work of all searches together.
    work: u64,
    search: Option<Search<'g>>,
    /// Random play has looked for a state that repeats.
    played: bool,
    /// A state on a cycle, if one was found.
    pub repeating: Option<State>,
    /// All states were found, and no state repeats.
    pub ends: bool,
}

impl<'g> Probe<'g> {
    pub fn new(game: &'g Game, joint: bool) -> Probe<'g> {
        let (guess, search, repeating) = (None, None, None);
        Probe { game, joint, guess, refutations: 0, work: 0, search, played: false, repeating, ends: false }
    }

    /// A probe of a game with known groups, for which these variables were chosen.
    pub fn of_groups(game: &'g Game, groups: Vec<Group>, variables: Variables, context: &Context) -> Probe<'g> {
        let search = Search::new(game, false, variables, Budget::new(f64::INFINITY, 0), context);
        let guess = Some(Guess::of_groups(groups, game.fluents.len()));
        Probe { guess, search: Some(search), ..Probe::new(game, false) }
    }

    /// Searches up to a bound; continues an earlier search if it was kept. Must not be called after [`Found::Ended`].
    pub fn look(&mut self, order: &Order, bound: Bound, context: &Context) -> Result<Found<'g>, SolveError> {
        let mut seen = Seen::default();
        if context.limits().memory() < LEAST_MEMORY {
            return Ok(Found::Open(seen));
        }
        let game = self.game;
        if self.guess.is_none() {
            match Guess::new(game, &Effort { play: PLAY, ..Effort::default() }, context.limits()) {
                Err(limit) if limit.is_want_of_room() => return Ok(Found::Open(seen)),
                guess => self.guess = Some(guess?),
            }
        }
        let guess = self.guess.as_mut().expect("groups were guessed above");
        loop {
            let mut search = match self.search.take() {
                Some(search) => search,
                None => {
                    let Guess { groups, held, .. } = &*guess;
                    let ordered = order::without_trial(game, groups, order)?;
                    let defaults = defaults_by(game, groups, held);
                    let variables = Variables::new(game.fluents.len(), groups, &defaults, &ordered);
                    let budget = Budget::new(budget::combinations(groups), self.work);
                    Search::new(game, self.joint, variables, budget, context)
                }
            };
            let end = search.run(bound, context);
            (seen, self.work) = (search.budget.seen, search.budget.seen.work);
            self.repeating = self.repeating.take().or_else(|| search.repeating.clone());
            match end {
                Ok(End::All) => {
                    let all = search.all(context)?;
                    let Search { variables, form, layers, whole, engine, ends, .. } = search;
                    self.ends = ends;
                    let layers = layers.map(|layers| Explored::new(layers, whole, all, form));
                    let groups = std::mem::take(&mut guess.groups);
                    return Ok(Found::Ended(Box::new(All { groups, variables, layers, engine, seen })));
                }
                Ok(End::Open) => {
                    if !self.joint && self.repeating.is_none() && !std::mem::replace(&mut self.played, true) {
                        self.repeating = random_play::comes_back(game);
                    }
                    let most = context.limits().memory() / WAITING_SHARE;
                    self.search = Some(search).filter(|search| search.bytes() <= most);
                    return Ok(Found::Open(seen));
                }
                Err(limit) if limit.is_want_of_room() => return Ok(Found::Open(seen)),
                Ok(End::Refuted(states)) => {
                    guess.refute(game, &states, self.refutations >= REFUTATIONS);
                    self.refutations += 1;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// A breadth-first search with fixed groups.
struct Search<'g> {
    interpreter: Interpreter,
    variables: Variables,
    form: Form,
    engine: Engine<'g>,
    /// The layer at which the search stopped; `None` before its start.
    layer: Option<Rc<List>>,
    /// The number of states of this layer that are expanded.
    done: usize,
    expanded: Expanded,
    visited: Visited,
    /// All earlier layers; `None` if they would take too much memory.
    layers: Option<Vec<Layer>>,
    budget: Budget,
    repeating: Option<State>,
    ends: bool,
    /// All states with their moves, if [`Search::look_for_cycle`] kept them at the end of the search.
    whole: Option<Whole>,
}

impl<'g> Search<'g> {
    fn new(game: &'g Game, joint: bool, variables: Variables, budget: Budget, context: &Context) -> Search<'g> {
        let form = Form::new(&variables);
        let mut engine = Engine::new(game, form.layout().clone(), reward_vectors(game));
        if joint {
            engine = engine.with_joint_choices();
        }
        let expanded = engine.expansion(false, context);
        Search {
            interpreter: Interpreter::new(game),
            variables,
            form,
            engine,
            layer: None,
            done: 0,
            expanded,
            visited: Visited::default(),
            layers: Some(Vec::new()),
            budget,
            repeating: None,
            ends: false,
            whole: None,
        }
    }

    fn bytes(&self) -> u64 {
        let layers = self.layers.iter().flatten().map(|layer| &layer.states).chain(&self.layer);
        let layers: u64 = layers.map(|layer| layer.bytes()).sum();
        layers + self.visited.bytes() + self.expanded.bytes() + self.engine.bytes()
    }

    fn run(&mut self, bound: Bound, context: &Context) -> Result<End, LimitReached> {
        let words = self.form.layout().words();
        let mut layer = match self.layer.take() {
            Some(layer) => layer,
            None => {
                let initial = self.interpreter.initial();
                let Some(packed) = self.form.layout().pack(&initial) else { return Ok(End::Refuted(vec![initial])) };
                let mut layer = List::new(words, context.limits());
                layer.push(&packed)?;
                Rc::new(layer)
            }
        };
        while !layer.is_empty() {
            if self.done == 0 {
                self.budget.layer(layer.len());
            }
            while self.done < layer.len() {
                let some = layer.keys()[self.done * words..].chunks(AT_ONCE * words).next().expect("some are left");
                let (edges, gates) = (self.expanded.met.edges, self.expanded.met.gates);
                self.engine.expand(some, &mut self.expanded, context)?;
                if self.expanded.met.faulty.is_some() {
                    self.layers = None;
                    return Ok(End::All);
                }
                if !self.expanded.met.unfit.is_empty() {
                    let successor = |(rank, joint): &(usize, JointMove)| {
                        let before = self.form.layout().state(layer.state(self.done + rank));
                        self.interpreter.successor(&before, joint)
                    };
                    return Ok(End::Refuted(self.expanded.met.unfit.iter().map(successor).collect()));
                }
                let states = some.len() / words;
                self.done += states;
                let (edges, gates) = (self.expanded.met.edges - edges, self.expanded.met.gates - gates);
                self.budget.count(states as u64, words as u64, edges, gates);
                if self.budget.is_unclear(bound) {
                    self.look_for_cycle(&layer, context)?;
                }
                let nodes = || Ok(self.form.set(&layer, |_| 1, context.limits())?.node_count());
                if self.budget.is_over(bound, nodes)? {
                    self.layer = Some(layer);
                    return Ok(End::Open);
                }
            }
            layer = self.next(layer, context)?;
        }
        let is_known = !self.budget.seen.overlap || self.budget.cyclic || self.look_for_cycle(&layer, context)?;
        self.ends = is_known && !self.budget.cyclic;
        Ok(End::All)
    }

    /// Looks for a state that repeats, among the states of earlier layers and the expanded states of this layer.
    /// Returns false if memory does not suffice for this.
    fn look_for_cycle(&mut self, layer: &List, context: &Context) -> Result<bool, LimitReached> {
        let whole = self.so_far(layer, context);
        let found = whole.and_then(|whole| {
            let repeating = whole.graph.repeating(whole.initial, context.limits())?;
            Ok((repeating.map(|rank| self.form.layout().state(whole.states.state(rank))), whole))
        });
        self.budget.looked_for_cycle(matches!(found, Ok((Some(_), _))));
        match found {
            Err(limit) if limit.is_want_of_room() => Ok(false),
            found => {
                let (repeating, whole) = found?;
                // Before the search has ended, moves are missing.
                let keeps = repeating.is_none() && layer.is_empty();
                self.repeating = repeating;
                self.whole = Some(whole).filter(|whole| keeps && whole.bytes() <= self.spare(context));
                Ok(true)
            }
        }
    }

    /// The bytes that the search may take in addition to what it has now.
    fn spare(&self, context: &Context) -> u64 {
        (context.limits().memory() / LAYERS_SHARE).saturating_sub(self.bytes())
    }

    /// All states in one list, after the end of a search that met a cycle; `None` if memory does not suffice.
    fn all(&self, context: &Context) -> Result<Option<List>, LimitReached> {
        let lists = || self.visited.lists();
        let fits = 2 * lists().map(|list| list.bytes()).sum::<u64>() <= self.spare(context);
        if !self.budget.cyclic || self.layers.is_none() || !fits {
            return Ok(None);
        }
        let none = List::new(self.form.layout().words(), context.limits());
        match lists().try_fold(none, |all, list| all.merged(list)) {
            Err(limit) if limit.is_want_of_room() => Ok(None),
            all => all.map(Some),
        }
    }

    /// The states of earlier layers and the expanded states of this layer, with their moves.
    fn so_far(&mut self, layer: &List, context: &Context) -> Result<Whole, LimitReached> {
        let (layout, limits) = (self.form.layout(), context.limits());
        let mut all = List::new(layout.words(), limits);
        for state in layer.states().take(self.done) {
            all.push(state)?;
        }
        let all = self.visited.lists().try_fold(all, |all, list| all.merged(list))?;
        let index = Index::new(&all, limits)?;
        let graph = match self.engine.graph(all.keys(), &index, context) {
            Err(Wrong::Limit(limit)) => return Err(limit),
            graph => graph.expect("these states were expanded, and none was ill-formed"),
        };
        let initial = layout.pack(&self.interpreter.initial()).expect("the search began with it");
        let mut start = Vec::new();
        index.ranks(&initial, &mut start);
        Ok(Whole { states: all, graph, initial: start[0] as usize })
    }

    /// The layer after `layer`, whose states are all expanded.
    fn next(&mut self, layer: Rc<List>, context: &Context) -> Result<Rc<List>, LimitReached> {
        let fresh = self.engine.expansion(false, context);
        let mut expanded = std::mem::replace(&mut self.expanded, fresh);
        self.done = 0;
        let next = expanded.take()?.pop().expect("all successors in one list");
        let all = next.len();
        self.visited.add(Rc::clone(&layer))?;
        let next = self.visited.new_on(Side::Same, next)?;
        let even = next.len() < all;
        let next = self.visited.new_on(Side::Other, next)?;
        let overlap = next.len() < all;
        self.budget.seen.overlap |= overlap;
        if let Some(layers) = &mut self.layers {
            let Met { terminal, choosing, .. } = expanded.met;
            layers.push(Layer { states: layer, terminal, choosing, overlap, even });
        }
        if self.bytes() > context.limits().memory() / LAYERS_SHARE {
            self.layers = None;
        }
        Ok(Rc::new(next))
    }
}

#[cfg(test)]
mod tests {
    use super::super::budget::WORK;
    use super::*;
    use crate::explicit::explore;
    use crate::sample::boards::track;
    use crate::sample::handmade::{lines, nim};
    use crate::sample::random_game;
    use base::limits::Limits;
    use game::diagnostic::Source;
    use game::ground::{GroundOptions, ground};
    use game::propositional::GroupKind;
    use game::rules::Language;
    use std::sync::Arc;

    fn grounded(text: &str) -> Game {
        let (program, _) = Language::Gdl.program(&Source::new("probed", text.as_bytes()));
        ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game
    }

    fn context() -> Context {
        Context::new(Arc::new(Limits::unlimited()), 1)
    }

    fn look<'g>(game: &'g Game, bound: Bound, context: &Context) -> Found<'g> {
        Probe::new(game, false).look(&Order::Rules, bound, context).unwrap()
    }

    fn assert_groups(game: &Game, groups: &[Group]) {
        let exploration = explore(game, 100_000).unwrap();
        assert_eq!(groups.iter().map(|group| group.fluents.len()).sum::<usize>(), game.fluents.len());
        for id in exploration.ids() {
            let state = exploration.state(id);
            for group in groups {
                let holding = group.fluents.iter().filter(|fluent| state.contains(**fluent)).count();
                assert!(holding == 1 || holding == 0 && group.kind == GroupKind::AtMostOne, "{group:?}");
            }
        }
    }

    #[test]
    fn games_of_few_states_are_looked_at_as_a_whole() {
        for game in
            [lines(3, 3, 3), nim(9, 3)].into_iter().chain((0..30).map(|seed| grounded(&random_game(seed, None))))
        {
            let Found::Ended(all) = look(&game, Bound::Little, &context()) else { panic!("they end") };
            let All { groups, variables, .. } = *all;
            assert_groups(&game, &groups);
            let bits: u32 = groups.iter().map(Group::bits).sum();
            assert_eq!(bits, variables.levels());
        }
    }

    #[test]
    fn a_search_that_stops_and_goes_on_sees_what_one_without_a_stop_does() {
        let context = context();
        let games = [lines(3, 3, 3), lines(4, 3, 3), nim(9, 3)];
        for game in games {
            let Found::Ended(all) = look(&game, Bound::Memory, &context) else { panic!("it ends") };
            let budget = |work| Budget::new(f64::INFINITY, work);
            let search = |work| Search::new(&game, false, all.variables.clone(), budget(work), &context);
            // The search has done so much work before that it stops as soon as it may.
            let (mut stopping, mut stops) = (search(20 * WORK), 0);
            while !matches!(stopping.run(Bound::Little, &context).unwrap(), End::All) {
                stops += 1;
            }
            let mut straight = search(0);
            assert!(matches!(straight.run(Bound::Memory, &context).unwrap(), End::All));
            assert!(stops > 3, "{stops}");
            assert_eq!(stopping.budget.seen.states, straight.budget.seen.states);
            let [stopping, straight] = [stopping, straight].map(|search| search.layers.unwrap());
            assert_eq!(stopping.len(), straight.len());
            for (one, other) in stopping.iter().zip(&straight) {
                assert_eq!(one.states.keys(), other.states.keys());
                let figures = |layer: &Layer| (layer.terminal, layer.choosing.clone(), layer.overlap, layer.even);
                assert_eq!(figures(one), figures(other));
            }
        }
    }

    #[test]
    fn a_state_that_random_play_never_sees_takes_groups_apart() {
        // After 250 steps, which is more than random play makes (200), two marks hold at once.
        let mut text = String::from(
            "(role p) (init (step 0)) (init (mark a)) (<= (legal p wait) (true (step ?n)))
             (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
             (<= (next (mark a)) (true (mark a)))
             (<= (next (mark b)) (true (step 250))) (<= (next (mark b)) (true (mark b)))
             (<= (next (mark c)) (true (mark a)) (true (mark b)))
             (<= terminal (true (step 300))) (goal p 100)",
        );
        (0..300).for_each(|step| text += &format!("(succ {step} {})", step + 1));
        let game = grounded(&text);
        let Found::Ended(all) = look(&game, Bound::Memory, &context()) else { panic!("it ends") };
        let groups = all.groups;
        assert_groups(&game, &groups);
        let sum: usize = groups.iter().map(|group| group.fluents.len()).sum();
        assert_eq!(sum, game.fluents.len(), "each fluent has one group");
    }

    #[test]
    fn a_game_of_many_states_stays_open_and_an_end_that_is_near_is_foretold() {
        let Found::Open(seen) = look(&lines(5, 5, 5), Bound::Little, &context()) else {
            panic!("it has some 10^11 states")
        };
        assert!(seen.states > 1000 && seen.work > WORK && seen.work < 4 * WORK, "{seen:?}");
    }

    #[test]
    fn a_probe_that_does_not_fit_the_memory_ends_nothing() {
        let context = Context::new(Arc::new(Limits::new(40_000)), 1);
        let game = lines(3, 3, 3);
        let found = look(&game, Bound::Memory, &context);
        assert!(matches!(found, Found::Open(Seen { all: None, .. })));
        assert_eq!(context.limits().used(), 0);
    }

    #[test]
    fn overlapping_layers_are_told_from_a_state_that_repeats() {
        for round in [true, false] {
            let game = grounded(&track(3, 25, round));
            for bound in [Bound::Little, Bound::Memory] {
                let mut probe = Probe::new(&game, false);
                let Found::Ended(all) = probe.look(&Order::Rules, bound, &context()).unwrap() else {
                    panic!("it ends")
                };
                assert_eq!(all.seen.states, 25 * 25 * 25);
                assert_eq!((probe.repeating.is_some(), probe.ends), (round, !round));
            }
            // To tell whether states repeat, a few states are enough.
            let mut probe = Probe::new(&game, false);
            let found = probe.look(&Order::Rules, Bound::Few, &context()).unwrap();
            assert!(matches!(found, Found::Open(seen) if seen.states < 25 * 25 * 25));
            assert_eq!((probe.repeating.is_some(), probe.ends), (round, false));
        }
        // Without a cycle, layers with many states each are left to diagrams.
        let game = grounded(&track(4, 40, false));
        assert!(matches!(look(&game, Bound::Little, &context()), Found::Open(_)));
    }
}
