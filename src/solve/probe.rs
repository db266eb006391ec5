//! A look at the first states, breadth first, before anything is prepared: at all of them, where they are few.
//!
//! Nothing is known of the game then but its rules, so states are packed by groups that are guessed; a state that is
//! against them takes them apart, and the search starts again. Where it comes to an end, every reachable state agrees
//! with the groups that are left, so that they are mutex groups, and the game is solved state by state without
//! another word. Where it does not, what was seen tells how much more there is.
//!
//! The search ends by the work it has done, counted in gates, states and successors, and never by time. It goes on where
//! its layers grow so slowly that the end is near.

use super::growth::Growth;
use super::order;
use super::{Order, SolveError};
use crate::batch::LANES;
use crate::encode::{Variables, defaults_by};
use crate::interpreter::{Interpreter, State};
use crate::kernel::Context;
use crate::limits::LimitReached;
use crate::listing::{Engine, List};
use crate::mutex::{self, Effort};
use crate::propositional::{Game, Group};

/// Work of a probe, in nanoseconds or so, and more of it for each gate that a batch of states needs: complex rules take
/// long to prepare for other ways of solving, and a layer of few states takes a whole batch.
const WORK: u64 = 40_000_000;
const WORK_OF_GATE: u64 = 2_000;
/// Searches that began anew with other groups may have taken so many times as much together.
const SEARCHES: u64 = 4;
/// What it may come to where that is foretold to be all: for each gate, and in any case.
const WORK_OF_GATE_TO_END: u64 = 40_000;
const MOST_WORK: u64 = 12_000_000_000;
/// Solving takes so many times the work of a probe that sees all states.
const SOLVING: u64 = 4;
/// Work of a gate for a batch of states, of a state and of a successor, by word.
const GATE: u64 = 4;
const STATE: u64 = 20;
const SUCCESSOR: u64 = 40;
/// States expanded between two looks at the bound.
const AT_ONCE: usize = 1 << 14;
/// Evaluators take some of a smaller bound on memory that nothing would be left of.
const LEAST_MEMORY: u64 = 8 << 20;
/// Graph nodes that the playouts for the groups evaluate.
const PLAY: usize = 10_000_000;
/// States that take groups apart before these fall into single fluents.
const REFUTATIONS: usize = 16;
/// States up to which layers that overlap do not matter.
const FEW: u64 = 8_000;

/// What a probe finds.
pub enum Probe {
    /// All states, which agree with these groups; or an ill-formed one.
    Ended { groups: Vec<Group>, variables: Variables },
    /// There are more states than these.
    Open(Seen),
}

/// How far a probe came.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen {
    pub states: u64,
    pub layers: u64,
    pub work: u64,
    /// Successors were met that had been met before.
    pub overlap: bool,
    /// The work of looking at all states, if that could be told.
    pub all: Option<u64>,
}

impl Seen {
    /// What solving the game state by state will take, in nanoseconds or so, if that could be told.
    pub fn forecast(&self) -> Option<u64> {
        self.all.map(|all| all.saturating_mul(SOLVING))
    }

    /// What a state takes.
    pub fn state(&self) -> u64 {
        (self.work / self.states.max(1)).saturating_mul(SOLVING)
    }
}

/// How far to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// As far as it takes little, or is not far from the end.
    Little,
    /// As far as memory reaches.
    Memory,
}

/// How a search ended.
enum End {
    All,
    Open,
    /// A state that is against the groups.
    Refuted(State),
}

/// Looks at the first states of a game.
pub fn probe(game: &Game, order: &Order, bound: Bound, context: &Context) -> Result<Probe, SolveError> {
    let mut seen = Seen::default();
    if context.limits().memory() < LEAST_MEMORY {
        return Ok(Probe::Open(seen));
    }
    let (mut groups, held) = mutex::guess(game, &Effort { play: PLAY, ..Effort::default() });
    for refutations in 0.. {
        let ordered = order::without_trial(game, &groups, order)?;
        let variables = Variables::new(game.fluents.len(), &groups, &defaults_by(game, &groups, &held), &ordered);
        let mut engine = Engine::new(game, super::expansion::layout(&variables), Vec::new());
        match search(game, &mut engine, bound, context, &mut seen) {
            Ok(End::All) => return Ok(Probe::Ended { groups, variables }),
            Ok(End::Open) | Err(LimitReached::Memory { .. } | LimitReached::Size { .. }) => break,
            Ok(End::Refuted(state)) => groups = mutex::refuted(groups, &state, refutations >= REFUTATIONS),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Probe::Open(seen))
}

fn search(
    game: &Game,
    engine: &mut Engine,
    bound: Bound,
    context: &Context,
    seen: &mut Seen,
) -> Result<End, LimitReached> {
    let (limits, words) = (context.limits(), engine.layout().words());
    let interpreter = Interpreter::new(game);
    let initial = interpreter.initial();
    let Some(packed) = engine.layout().pack(&initial) else { return Ok(End::Refuted(initial)) };
    let mut layer = List::new(words, limits);
    layer.push(&packed)?;
    let (mut visited, mut sizes) = (Visited::default(), Vec::new());
    // Once the end is foretold, the work that it may take.
    let mut to_end = if bound == Bound::Memory { Some(u64::MAX) } else { None };
    let (before, mut complexity) = (seen.work, 0);
    *seen = Seen { work: before, ..Seen::default() };
    while !layer.is_empty() {
        sizes.push((layer.len() as f64).ln());
        let so_far = seen.states;
        seen.layers += 1;
        let mut expanded = engine.expansion(false, context);
        let mut last = (0, 0);
        for (part, some) in layer.keys().chunks(AT_ONCE * words).enumerate() {
            engine.expand(some, &mut expanded, context)?;
            if expanded.faulty.is_some() {
                return Ok(End::All);
            }
            if let Some((rank, joint)) = &expanded.unfit {
                let before = engine.layout().state(layer.state(part * AT_ONCE + rank));
                return Ok(End::Refuted(interpreter.successor(&before, joint)));
            }
            let (edges, gates) = (expanded.edges - last.0, expanded.gates - last.1);
            last = (expanded.edges, expanded.gates);
            let states = (some.len() / words) as u64;
            seen.states += states;
            complexity = complexity.max(gates / states.div_ceil(LANES as u64).max(1));
            seen.work += gates * GATE + states * STATE + edges * SUCCESSOR * words as u64;
            if seen.overlap && seen.states > FEW && bound == Bound::Little {
                return Ok(End::Open);
            }
            let most = to_end.unwrap_or(WORK + complexity * WORK_OF_GATE);
            if seen.work - before > most || seen.work > most.saturating_mul(SEARCHES) {
                seen.all = foretold(&sizes, so_far, before, seen);
                match seen.all {
                    Some(all)
                        if to_end.is_none() && all <= (WORK + complexity * WORK_OF_GATE_TO_END).min(MOST_WORK) =>
                    {
                        to_end = Some(2 * all.max(WORK));
                    }
                    _ => return Ok(End::Open),
                }
            }
        }
        let next = expanded.take()?.pop().expect("all successors in one list");
        let all = next.len();
        visited.add(layer)?;
        layer = visited.new_among(next)?;
        seen.overlap |= layer.len() < all;
    }
    Ok(End::All)
}

/// The work of looking at all states, from the logarithms of the states by layer, the states before the last of these
/// layers, the work before the search, and what was seen.
fn foretold(sizes: &[f64], before: u64, start: u64, seen: &Seen) -> Option<u64> {
    let to_come = Growth::of(sizes)?.to_come();
    let each = (seen.work - start) as f64 / seen.states as f64;
    let last = sizes.last().map_or(0.0, |last| last.exp());
    Some(((before as f64 + last + to_come) * each) as u64)
}

/// States met so far, in lists of at least twice the length each.
#[derive(Default)]
struct Visited(Vec<List>);

impl Visited {
    fn add(&mut self, mut list: List) -> Result<(), LimitReached> {
        while let Some(last) = self.0.pop_if(|last| last.len() < 2 * list.len()) {
            list = last.merged(&list)?;
        }
        self.0.push(list);
        Ok(())
    }

    fn new_among(&self, list: List) -> Result<List, LimitReached> {
        self.0.iter().try_fold(list, |left, known| left.without(known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::explicit::explore;
    use crate::ground::{GroundOptions, ground};
    use crate::limits::Limits;
    use crate::propositional::GroupKind;
    use crate::rules::Language;
    use crate::sample::handmade::{lines, nim};
    use crate::sample::random_game;
    use std::sync::Arc;

    fn grounded(text: &str) -> Game {
        let (program, _) = Language::Gdl.program(&Source::new("probed", text.as_bytes()));
        ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game
    }

    fn context() -> Context {
        Context::new(Arc::new(Limits::unlimited()), 1)
    }

    /// Groups that all states of a game agree with.
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
            let Probe::Ended { groups, variables } = probe(&game, &Order::Rules, Bound::Little, &context()).unwrap()
            else {
                panic!("they end")
            };
            assert_groups(&game, &groups);
            let bits: u32 = groups.iter().map(Group::bits).sum();
            assert_eq!(bits, variables.levels());
        }
    }

    #[test]
    fn a_state_that_random_play_never_sees_takes_groups_apart() {
        // After 250 steps two marks are there at once; random play makes 200.
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
        let Probe::Ended { groups, .. } = probe(&game, &Order::Rules, Bound::Memory, &context()).unwrap() else {
            panic!("it ends")
        };
        assert_groups(&game, &groups);
        let sum: usize = groups.iter().map(|group| group.fluents.len()).sum();
        assert_eq!(sum, game.fluents.len(), "each fluent has one group");
    }

    #[test]
    fn a_game_of_many_states_stays_open_and_an_end_that_is_near_is_foretold() {
        let Probe::Open(seen) = probe(&lines(5, 5, 5), &Order::Rules, Bound::Little, &context()).unwrap() else {
            panic!("it has some 10^11 states")
        };
        assert!(seen.states > 1000 && seen.work > WORK && seen.work < 4 * WORK, "{seen:?}");
    }

    #[test]
    fn a_probe_that_does_not_fit_the_memory_ends_nothing() {
        let context = Context::new(Arc::new(Limits::new(40_000)), 1);
        let found = probe(&lines(3, 3, 3), &Order::Rules, Bound::Memory, &context).unwrap();
        assert!(matches!(found, Probe::Open(Seen { all: None, .. })));
        assert_eq!(context.limits().used(), 0);
    }
}
