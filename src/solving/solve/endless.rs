//! An example of endless play: a state that repeats, a path to it, and a cycle of moves from it back to itself.
//!
//! States without a predecessor are removed again and again. This leaves the states that can be reached from a cycle
//! (see [`left_over`]). A breadth-first search from the nearest of these states looks for a way back to it. If there is
//! no way back, the state lies on no cycle; the cycles then lie among the states reachable from it or among the others,
//! so fewer states are left and the search starts again from another one. The path is found by the same search from the
//! initial state, or read from the states by distance if they are known.
//!
//! Cost: one image for each move of the cycle and of a path that is searched, one preimage of a state for each move of
//! a path that is read, and the images of the searches that find no way back. The layers of a search wait in a
//! temporary file, so that a search needs no more memory than finding all states. Finding the way to a state that
//! repeated in random play may take far longer than the run, so the work is bounded.

use super::overlap::left_over;
use super::pass::Pass;
use super::scratch::Diagrams;
use super::spool::Spool;
use super::witness::{moves, states, way};
use super::{CYCLIC, Refusal, SolveError};
use crate::store::manifest::CycleRecord;
use base::limits::LimitReached;
use game::interpreter::Interpreter;
use kernel::{self, Diagram};

/// Bound on the words of keys of the sweeps of a search for a known state.
const WORDS: u64 = 1 << 29;

enum Search {
    /// A shortest play to one of the targets: its states, each by level.
    Met(Vec<Vec<bool>>),
    /// No target is reachable; all reachable states.
    Missed(Diagram),
}

/// An example with `pass.repeating` if it is known, otherwise with a state that is left over. `spool`: all states by
/// distance, if they are known. `None`: no state is left over, or a bound is exceeded.
pub fn example(
    pass: &Pass,
    spool: Option<&mut Spool>,
    left: impl FnOnce() -> Result<Diagram, SolveError>,
) -> Result<Option<CycleRecord>, SolveError> {
    example_within(pass, spool, left, WORDS)
}

/// As [`example`]; each search for a known state may have `most` words of keys.
fn example_within(
    pass: &Pass,
    spool: Option<&mut Spool>,
    left: impl FnOnce() -> Result<Diagram, SolveError>,
    most: u64,
) -> Result<Option<CycleRecord>, SolveError> {
    let (left, most) = match pass.repeating {
        Some(state) => (Ok(Diagram::single(pass.expansion.variables().levels(), state)), most),
        None => (left(), u64::MAX),
    };
    match left.and_then(|left| if left.is_empty() { Ok(None) } else { find(pass, spool, left, most).map(Some) }) {
        Err(SolveError::Limit(limit)) if is_of_the_search(limit.reason()) => Ok(None),
        found => found,
    }
}

/// Whether the search alone reaches this limit, so that the run goes on without an example.
fn is_of_the_search(limit: &LimitReached) -> bool {
    use LimitReached::{Disk, Memory, Scratch, Size, Work};
    matches!(limit, Memory { .. } | Disk { .. } | Scratch { .. } | Size { .. } | Work { .. })
}

/// The refusal of a game with endless play, with the example.
pub fn refusal(
    pass: &Pass,
    left: impl FnOnce() -> Result<Diagram, SolveError>,
    message: &str,
) -> Result<Refusal, SolveError> {
    let message = message.to_owned();
    Ok(match example(pass, None, left)? {
        Some(CycleRecord { path, state, moves }) => {
            Refusal { state, path, cycle: moves, ..Refusal::of_game(CYCLIC, message) }
        }
        None => {
            let message = format!("{message} (an example of it takes too much memory, disk or work)");
            Refusal::of_game(CYCLIC, message)
        }
    })
}

fn find(pass: &Pass, mut spool: Option<&mut Spool>, mut left: Diagram, most: u64) -> Result<CycleRecord, SolveError> {
    let Pass { expansion, context, .. } = *pass;
    loop {
        let initial = expansion.initial();
        let path = match &mut spool {
            _ if left.contains(initial) != 0 => Some(vec![initial.to_vec()]),
            Some(spool) => read(pass, spool, &left)?,
            None => match search(pass, initial, &left, most)? {
                Search::Met(path) => Some(path),
                Search::Missed(_) => None,
            },
        };
        let path = path.expect("the states left over are reachable, and some are left while there is a cycle");
        let state = path.last().expect("a play has a first state");
        let only = Diagram::single(left.levels(), state);
        match search(pass, state, &only, most)? {
            Search::Met(cycle) => return Ok(named(pass, &path, &cycle)),
            Search::Missed(behind) => {
                let inner = left_over(expansion, &behind, context)?;
                left = if inner.is_empty() {
                    kernel::difference(&kernel::difference(&left, &behind, context)?, &only, context)?
                } else {
                    inner
                };
            }
        }
    }
}

/// A shortest play to one of `targets`, by level. `spool`: all states by distance; `None` if no target is among them.
fn read(pass: &Pass, spool: &mut Spool, targets: &Diagram) -> Result<Option<Vec<Vec<bool>>>, SolveError> {
    for distance in 0..spool.figures().len() {
        if let Some(met) = kernel::intersection(&*spool.layer(distance)?, targets, pass.context)?.pick(1) {
            let before = |distance: usize, state: &[bool]| pass.expansion.predecessor(&*spool.layer(distance)?, state);
            return Ok(Some(way(met, distance, before)?));
        }
    }
    Ok(None)
}

/// A shortest play from the initial state to a state that can be reached: its states, each by level.
pub fn path(pass: &Pass, state: &[bool]) -> Result<Vec<Vec<bool>>, SolveError> {
    let initial = pass.expansion.initial();
    if state == initial {
        return Ok(vec![state.to_vec()]);
    }
    match search(pass, initial, &Diagram::single(pass.expansion.variables().levels(), state), u64::MAX)? {
        Search::Met(path) => Ok(path),
        Search::Missed(_) => Err(SolveError::Inconsistent("no play leads to a state that was reached".to_owned())),
    }
}

/// Breadth-first search from a state, of at least one step, with at most `most` words of keys.
fn search(pass: &Pass, start: &[bool], targets: &Diagram, most: u64) -> Result<Search, SolveError> {
    let Pass { expansion, context, .. } = *pass;
    let (mut scratch, mut layers) = (Diagrams::default(), Vec::new());
    let mut front = Diagram::single(targets.levels(), start);
    let mut all = Diagram::constant(targets.levels(), 0);
    let before = context.words();
    while !front.is_empty() {
        context.limits().check()?;
        let left = most.saturating_sub(context.words() - before);
        let next = context.within_words(left, || expansion.successors(&front))?;
        layers.push(scratch.push(&front, context)?);
        if let Some(met) = kernel::intersection(&next, targets, context)?.pick(1) {
            let before = |distance: usize, state: &[bool]| {
                expansion.predecessor(&scratch.read(&layers[distance], context.limits())?, state)
            };
            return Ok(Search::Met(way(met, layers.len(), before)?));
        }
        front = kernel::difference(&next, &all, context)?;
        all = kernel::union(&[&all, &next], context)?;
    }
    Ok(Search::Missed(all))
}

/// The example with the names of its moves and fluents.
fn named(pass: &Pass, path: &[Vec<bool>], cycle: &[Vec<bool>]) -> CycleRecord {
    let interpreter = Interpreter::new(pass.game);
    let (path, cycle) = (states(pass, path), states(pass, cycle));
    let state = cycle.first().expect("a cycle has a state");
    CycleRecord {
        state: state.names(pass.game),
        path: moves(pass.game, &interpreter, &path),
        moves: moves(pass.game, &interpreter, &cycle),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit::{Exploration, explore};
    use crate::sample::boards::track;
    use crate::sample::random_cyclic_game;
    use crate::solve::expansion::{Expansion, Relations};
    use crate::solve::pass::Bounds;
    use crate::solve::random_play::comes_back;
    use crate::solve::{Algorithm, Engine, EngineChoice, Event, Listener, Phase, Silent, SolveOptions, run};
    use base::limits::Limits;
    use game::diagnostic::Source;
    use game::encode::{Analysis, SymbolicGame};
    use game::ground::{GroundOptions, ground};
    use game::interpreter::State;
    use game::mutex;
    use game::propositional::Game;
    use game::rules::Language;
    use kernel::Context;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The states after moves of these names. A name may stand for several joint moves.
    fn replay(game: &Game, interpreter: &Interpreter, start: State, names: &[String]) -> Vec<State> {
        let mut states = vec![start];
        for name in names {
            let mut next = Vec::new();
            for state in &states {
                let situation = interpreter.situation(state);
                assert!(!situation.terminal, "play goes on to {name}");
                for joint in situation.joint_moves() {
                    let shown = interpreter.names_from(game, state.clone(), std::slice::from_ref(&joint));
                    if shown == std::slice::from_ref(name) {
                        next.push(interpreter.successor(state, &joint));
                    }
                }
            }
            states = next;
        }
        states
    }

    /// Whether removing states without a predecessor again and again leaves any, computed on explicit states.
    fn repeats(exploration: &Exploration) -> bool {
        let mut left: Vec<bool> = vec![true; exploration.len()];
        loop {
            let mut next = vec![false; left.len()];
            for id in exploration.ids().filter(|id| left[id.index()]) {
                exploration.successors(id).iter().for_each(|after| next[after.index()] = true);
            }
            if next == left {
                return left.contains(&true);
            }
            left = next;
        }
    }

    #[test]
    fn games_with_cycles_show_one_and_others_none() {
        let (mut cyclic, mut solved) = (0, 0);
        for seed in 0..60 {
            let text = random_cyclic_game(seed);
            let (program, _) = Language::Gdl.program(&Source::new("random", text.as_bytes()));
            let game = ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game;
            let limits = Arc::new(Limits::unlimited());
            let Ok(outcome) = run(&game, &SolveOptions::default(), &limits, &Silent) else { continue };
            solved += 1;
            let exploration = explore(&game, 20_000).unwrap();
            assert_eq!(outcome.cycle.is_some(), repeats(&exploration), "{seed}");
            let Some(CycleRecord { path, state, moves }) = outcome.cycle else { continue };
            assert_eq!(outcome.algorithm, Algorithm::Global);
            let interpreter = Interpreter::new(&game);
            let start = interpreter.initial();
            let reached = replay(&game, &interpreter, start, &path);
            let found =
                reached.into_iter().find(|reached| reached.names(&game) == state).expect("the path leads there");
            assert!(!moves.is_empty());
            assert!(replay(&game, &interpreter, found.clone(), &moves).contains(&found), "{seed}: it comes back");
            cyclic += 1;
            // The layered algorithm refuses the game with the same example.
            let layered = SolveOptions { algorithm: Some(Algorithm::Layered), ..SolveOptions::default() };
            let Err(SolveError::Refused(refusal)) = run(&game, &layered, &limits, &Silent) else { panic!("{seed}") };
            assert_eq!((refusal.path, refusal.state, refusal.cycle), (path, state, moves));
        }
        assert!(cyclic > 10 && solved > cyclic, "{cyclic} of {solved}");
    }

    #[test]
    fn a_search_for_a_known_state_ends_with_its_bound() {
        let text = track(3, 5, true);
        let (program, _) = Language::Gdl.program(&Source::new("track", text.as_bytes()));
        let game = ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game;
        let limits = Arc::new(Limits::unlimited());
        let groups = mutex::groups(&game, &mutex::Effort::default(), &limits).unwrap();
        let analysis = Analysis::new(&game, &groups, &limits).unwrap();
        let order: Vec<usize> = (0..groups.len()).collect();
        let context = Context::new(limits.clone(), 1);
        let symbolic = SymbolicGame::new(&analysis, &order, &limits).unwrap();
        let expansion = Relations::new(&analysis, symbolic, &context);
        let state = comes_back(&game).expect("a round of the track");
        let flags: Vec<bool> = game.fluent_ids().map(|fluent| state.contains(fluent)).collect();
        let repeating = expansion.variables().assignment(&flags);
        let pass = Pass {
            game: &game,
            groups: &groups,
            expansion: &expansion,
            context: &context,
            listener: &Silent,
            solving: false,
            repeating: Some(&repeating),
            ends: false,
            bounds: Bounds::NONE,
        };
        let found = |most| example_within(&pass, None, || unreachable!("a state is known"), most).unwrap();
        assert!(found(u64::MAX).is_some_and(|cycle| !cycle.moves.is_empty()));
        assert!(found(1).is_none());
    }

    /// Counts the layers of forward passes.
    #[derive(Default)]
    struct Layers(AtomicUsize);

    impl Listener for Layers {
        fn event(&self, event: &Event) {
            if matches!(event, Event::LayerFinished { phase: Phase::Forward, .. }) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    #[test]
    fn states_whose_lists_do_not_fit_are_settled_by_rank() {
        let text = track(3, 40, true);
        let (program, _) = Language::Gdl.program(&Source::new("track", text.as_bytes()));
        let game = ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game;
        for (memory, engine) in [(1 << 30, Engine::Explicit), (10 << 20, Engine::Hybrid)] {
            let limits = Arc::new(Limits::new(memory));
            let outcome = run(&game, &SolveOptions::default(), &limits, &Silent).unwrap();
            assert_eq!((outcome.states, outcome.layers[0].engine), (64_000_u32.into(), engine), "{memory} bytes");
        }
    }

    #[test]
    fn no_pass_goes_through_layers_again_once_a_state_is_known_to_repeat() {
        let text = track(3, 25, true);
        let (program, _) = Language::Gdl.program(&Source::new("track", text.as_bytes()));
        let game = ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game;
        for engine in [EngineChoice::Auto, EngineChoice::Symbolic] {
            let (layers, limits) = (Layers::default(), Arc::new(Limits::unlimited()));
            let options = SolveOptions { engine, ..SolveOptions::default() };
            let outcome = run(&game, &options, &limits, &layers).unwrap();
            assert_eq!((outcome.algorithm, outcome.states), (Algorithm::Global, 15_625_u32.into()));
            assert!(outcome.cycle.is_some_and(|cycle| !cycle.moves.is_empty()));
            assert_eq!(layers.0.into_inner(), outcome.layers.len(), "{engine:?}");
        }
    }
}
