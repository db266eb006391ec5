//! The symbolic solver against brute force, layer by layer.

use super::explicit::{self, ExplicitError, ExplicitSolution, RetrogradeSolution};
use base::limits::{LimitReached, Limits};
use game::interpreter::{Interpreter, JointMove};
use game::propositional::Game;
use game::reward::OpponentModel;
use kernel::Way;
use num_bigint::BigUint;
use solving::solve::{self, Algorithm, Engine, EngineChoice, ExpansionChoice, Outcome, SolveError, SolveOptions};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// Most states that brute force may take.
pub const STATES: usize = 2_000_000;

/// Most states with which all algorithms are compared.
pub const ALGORITHM_STATES: usize = 2_000;

/// Most states with which the reward matrix is, whose restarts can double with each step.
const MATRIX_STATES: usize = 5_500;

/// How long the matrix may take for one game of many, and for one that is compared by itself: a game that it does not
/// finish is not compared by it.
const MATRIX_TIME: Duration = Duration::from_millis(300);
const LONG_MATRIX_TIME: Duration = Duration::from_secs(600);

/// The outcome of the solver for one game.
pub fn solve(game: &Game, options: &SolveOptions) -> Result<Outcome, SolveError> {
    solve::run(game, options, &Arc::new(Limits::new(8 << 30)), &solve::Silent)
}

/// As [`solve`], interrupted after some time.
fn solve_within(time: Duration, game: &Game, options: &SolveOptions) -> Result<Outcome, SolveError> {
    let limits = Arc::new(Limits::new(8 << 30));
    let (done, waiting) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let interrupting = &limits;
        scope.spawn(move || {
            if let Err(RecvTimeoutError::Timeout) = waiting.recv_timeout(time) {
                interrupting.interrupt();
            }
        });
        let outcome = solve::run(game, options, &limits, &solve::Silent);
        drop(done);
        outcome
    })
}

/// The ways to expand states and to hold values, and for bitvectors the ways to compute them.
const ENGINES: [(ExpansionChoice, EngineChoice, Option<Way>); 7] = [
    (ExpansionChoice::Auto, EngineChoice::Auto, None),
    (ExpansionChoice::Relations, EngineChoice::Auto, None),
    (ExpansionChoice::States, EngineChoice::Auto, None),
    (ExpansionChoice::Both, EngineChoice::Auto, None),
    (ExpansionChoice::Auto, EngineChoice::Hybrid, None),
    (ExpansionChoice::Auto, EngineChoice::Hybrid, Some(Way::Walk)),
    (ExpansionChoice::Auto, EngineChoice::Hybrid, Some(Way::Program)),
];

/// Panics with `name` unless solver and brute force agree in everything both report, values under `model` included,
/// whatever way the solver expands states and holds values and, if the states are few, by every algorithm that takes
/// the game. Gives the names of those.
pub fn assert_agreement(name: &str, game: &Game, model: OpponentModel, threads: usize) -> BTreeSet<&'static str> {
    let expected = explicit::solve(game, model, STATES);
    for (expansion, engine, way) in ENGINES {
        let options = SolveOptions {
            opponent_model: model,
            threads,
            expansion,
            engine,
            way,
            in_turns: true,
            ..SolveOptions::default()
        };
        let name = format!("{name}, {expansion:?}, {engine:?}, {way:?}");
        if matches!(expected, Err(ExplicitError::Cyclic)) {
            let layered = SolveOptions { algorithm: Some(Algorithm::Layered), ..options };
            assert_equal(&name, game, solve(game, &layered), &expected, model);
        } else {
            assert_equal(&name, game, solve(game, &options), &expected, model);
        }
    }
    assert_algorithms_agree(name, game, model, threads)
}

/// [`assert_algorithms_agree_within`] [`ALGORITHM_STATES`].
pub fn assert_algorithms_agree(
    name: &str,
    game: &Game,
    model: OpponentModel,
    threads: usize,
) -> BTreeSet<&'static str> {
    assert_algorithms_agree_within(ALGORITHM_STATES, name, game, model, threads)
}

/// Panics with `name` unless every algorithm agrees with brute force by the definition of the values, or refuses what
/// it has to refuse and nothing else. Gives the names of those that took the game, none if it has too many states. With
/// more than [`ALGORITHM_STATES`] the matrix gets more time.
pub fn assert_algorithms_agree_within(
    most: usize,
    name: &str,
    game: &Game,
    model: OpponentModel,
    threads: usize,
) -> BTreeSet<&'static str> {
    let expected = explicit::retrograde(game, model, most);
    if let Err(ExplicitError::Limit(_)) = expected {
        return BTreeSet::new();
    }
    let mut took = BTreeSet::new();
    for (algorithm, expansion, engine) in [
        (None, ExpansionChoice::Auto, EngineChoice::Auto),
        (Some(Algorithm::Layered), ExpansionChoice::Auto, EngineChoice::Auto),
        (Some(Algorithm::Global), ExpansionChoice::Auto, EngineChoice::Auto),
        (Some(Algorithm::Global), ExpansionChoice::Auto, EngineChoice::Symbolic),
        (Some(Algorithm::Global), ExpansionChoice::Auto, EngineChoice::Hybrid),
        (Some(Algorithm::Global), ExpansionChoice::Relations, EngineChoice::Auto),
        (Some(Algorithm::Global), ExpansionChoice::States, EngineChoice::Auto),
        (Some(Algorithm::Global), ExpansionChoice::Both, EngineChoice::Auto),
        (Some(Algorithm::Classic), ExpansionChoice::Auto, EngineChoice::Auto),
        (Some(Algorithm::Matrix), ExpansionChoice::Auto, EngineChoice::Auto),
    ] {
        let line = true;
        let options = SolveOptions {
            opponent_model: model,
            threads,
            expansion,
            algorithm,
            engine,
            line,
            in_turns: true,
            ..SolveOptions::default()
        };
        let name = format!("{name}, {algorithm:?}, {expansion:?}, {engine:?}, {}", model.name());
        let states = expected.as_ref().map_or(0, |expected| expected.exploration.len());
        if algorithm == Some(Algorithm::Matrix) && states > MATRIX_STATES {
            continue;
        }
        let outcome = if algorithm == Some(Algorithm::Matrix) {
            let time = if most > ALGORITHM_STATES { LONG_MATRIX_TIME } else { MATRIX_TIME };
            solve_within(time, game, &options)
        } else {
            solve(game, &options)
        };
        if algorithm == Some(Algorithm::Matrix) && matches!(outcome, Err(SolveError::Limit(LimitReached::Interrupted)))
        {
            continue;
        }
        let due = expected.as_ref().ok().and_then(|expected| due_refusal(algorithm, game, model, expected));
        match (outcome, &expected, due) {
            (Ok(outcome), Ok(expected), None) => {
                took.insert(outcome.algorithm.name());
                // A single state that leads to itself has no program, nor have rules that are too large for relations.
                if engine == EngineChoice::Hybrid && outcome.states > BigUint::from(1u32) {
                    assert!(matches!(outcome.engine, Engine::Hybrid | Engine::Explicit), "{name}: by rank");
                }
                assert_equal_values(&name, game, &outcome, expected);
                if engine == EngineChoice::Auto && matches!(algorithm, None | Some(Algorithm::Global)) {
                    assert_equal_counts(&name, game, &options, &outcome);
                }
            }
            (Err(SolveError::Refused(refusal)), Ok(_), Some((code, says))) => {
                assert_eq!(refusal.code, code, "{name}: {refusal}");
                assert!(refusal.message.contains(says), "{name}: {refusal}");
            }
            (Err(SolveError::Refused(refusal)), Err(error), None) => assert_witness(&name, game, &refusal, error),
            // The rules have no diagrams of a reasonable size.
            (Err(SolveError::TooComplex(_)), _, _)
                if matches!(expansion, ExpansionChoice::Relations | ExpansionChoice::Both)
                    || engine != EngineChoice::Auto => {}
            (outcome, _, due) => {
                panic!("{name}: {:?}, to be refused as {due:?}", outcome.map(|outcome| outcome.states))
            }
        }
    }
    took
}

/// Why an algorithm has to refuse a well-formed game: the code, and what the message says.
fn due_refusal(
    algorithm: Option<Algorithm>,
    game: &Game,
    model: OpponentModel,
    expected: &RetrogradeSolution,
) -> Option<(&'static str, &'static str)> {
    let endless = expected.exploration.topological_order().is_none();
    let (two_players, several) = (game.roles.len() == 2, game.roles.len() > 1);
    match algorithm? {
        Algorithm::Layered if endless => Some(("cyclic", "play can go on for ever")),
        Algorithm::Matrix if endless && several => Some(("cyclic", "play can go on for ever")),
        Algorithm::Classic if !two_players => Some(("roles", "for two players")),
        Algorithm::Classic if !is_zero_sum(model, expected) => Some(("not-zero-sum", "the classic algorithm is for")),
        _ => None,
    }
}

/// Rewards of reachable ends: one sum, at most one win of either player and one draw, the loser's worse for it than
/// that nobody gets anything.
fn is_zero_sum(model: OpponentModel, expected: &RetrogradeSolution) -> bool {
    let exploration = &expected.exploration;
    let rewards: BTreeSet<&[u8]> = exploration.ids().filter_map(|id| exploration.rewards(id)).collect();
    let sums: BTreeSet<u16> = rewards.iter().map(|pair| u16::from(pair[0]) + u16::from(pair[1])).collect();
    let results: BTreeSet<Ordering> = rewards.iter().map(|pair| pair[0].cmp(&pair[1])).collect();
    let accepts = |player: usize, pair: &[u8]| model.rank(player, pair) >= model.rank(player, &[0, 0]);
    let fits = |pair: &&[u8]| accepts(0, pair) == (pair[0] >= pair[1]) && accepts(1, pair) == (pair[1] >= pair[0]);
    sums.len() <= 1 && results.len() == rewards.len() && rewards.iter().all(fits)
}

/// A run that only counts has the states of the run that solves, by layers and in all, and knows as well as that one
/// whether play can go on for ever.
fn assert_equal_counts(name: &str, game: &Game, options: &SolveOptions, solved: &Outcome) {
    let options = SolveOptions { count_only: true, line: false, ..options.clone() };
    let counted = solve(game, &options).unwrap_or_else(|error| panic!("{name}: counting: {error}"));
    let by_layer = |outcome: &Outcome| -> Vec<(BigUint, BigUint)> {
        outcome.layers.iter().map(|layer| (layer.states.clone(), layer.terminal.clone())).collect()
    };
    assert_eq!(
        (&counted.states, &counted.terminal_states),
        (&solved.states, &solved.terminal_states),
        "{name}: counts"
    );
    assert_eq!(counted.cycle.is_some(), solved.cycle.is_some(), "{name}: endless play, when only counted");
    if counted.algorithm == solved.algorithm {
        assert_eq!(by_layer(&counted), by_layer(solved), "{name}: counts of layers");
    }
}

fn assert_equal_values(name: &str, game: &Game, outcome: &Outcome, expected: &RetrogradeSolution) {
    let count = |count: u64| BigUint::from(count);
    let solution = outcome.solution.as_ref().expect("values were asked for");
    assert_eq!(outcome.states, count(expected.exploration.len() as u64), "{name}: distinct states");
    assert_eq!(outcome.terminal_states, count(expected.exploration.terminal_states() as u64), "{name}: terminal");
    assert_eq!(solution.value, expected.values[0], "{name}: value");
    assert_line(name, game, outcome, expected);
    let not_best = expected.not_best(game, outcome.opponent_model).map(BigUint::from);
    assert_eq!(solution.not_best, not_best, "{name}: states in which another move is worth more");
    if outcome.algorithm == Algorithm::Layered {
        return;
    }
    assert_eq!(outcome.layer_states, outcome.states, "{name}: each state once");
    let histograms = expected.histograms();
    assert_eq!(outcome.layers.len(), histograms.len(), "{name}: distances");
    for (distance, (layer, histogram)) in outcome.layers.iter().zip(histograms).enumerate() {
        let buckets: BTreeMap<_, BigUint> =
            layer.buckets.iter().map(|bucket| (bucket.rewards.clone(), bucket.states.clone())).collect();
        let histogram: BTreeMap<_, BigUint> = histogram.into_iter().map(|(value, n)| (value, count(n))).collect();
        assert_eq!(buckets, histogram, "{name}: values at distance {distance}");
    }
}

/// The line must lead through states of the initial state's value to a terminal one. There is none if play is endless; and none
/// of layers with several roles, where a session reads it from the solution.
fn assert_line(name: &str, game: &Game, outcome: &Outcome, expected: &RetrogradeSolution) {
    let line = &outcome.solution.as_ref().expect("values were asked for").line;
    let value = &expected.values[0];
    let is_read = outcome.algorithm == Algorithm::Layered && game.roles.len() > 1;
    assert_eq!(line.is_some(), value.is_some() && !is_read, "{name}: a line");
    let exploration = &expected.exploration;
    let interpreter = Interpreter::new(game);
    let mut state = interpreter.initial();
    for played in line.iter().flatten() {
        let situation = interpreter.situation(&state);
        let role = played.role.index();
        let fits = |joint: &JointMove| game.moves[joint[role].index()].term.to_string() == played.action;
        let joint = situation.joint_moves().find(fits).unwrap_or_else(|| panic!("{name}: {played:?} is illegal"));
        state = interpreter.successor(&state, &joint);
        let id = exploration.find(&state).expect("a reachable state");
        assert_eq!(expected.values[id.index()], *value, "{name}: the value after {played:?}");
    }
    let id = exploration.find(&state).expect("a reachable state");
    assert!(line.is_none() || exploration.terminal(id), "{name}: the line ends early");
    if game.roles.len() == 1 {
        assert_single_player(name, game, outcome, expected);
    }
}

/// A single player's line is a shortest play to the best end, and its ends are told layer by layer.
fn assert_single_player(name: &str, game: &Game, outcome: &Outcome, expected: &RetrogradeSolution) {
    let exploration = &expected.exploration;
    let mut ends: BTreeMap<usize, BTreeMap<Vec<u8>, BigUint>> = BTreeMap::new();
    for id in exploration.ids() {
        if let Some(rewards) = exploration.rewards(id).filter(|_| exploration.terminal(id)) {
            let distance = exploration.path(game, id).len();
            *ends.entry(distance).or_default().entry(rewards.to_vec()).or_default() += 1u32;
        }
    }
    let value = expected.values[0].as_ref();
    let shortest = value.and_then(|value| ends.iter().find(|(_, ends)| ends.contains_key(value)).map(|(&at, _)| at));
    let line = outcome.solution.as_ref().and_then(|solution| solution.line.as_ref());
    assert_eq!(line.map(Vec::len), shortest, "{name}: length of the line");
    for (index, layer) in outcome.layers.iter().enumerate() {
        let found = layer.ends.as_ref().unwrap_or_else(|| panic!("{name}: no ends of layer {index}"));
        let terminal: BigUint = found.iter().map(|bucket| &bucket.states).sum();
        assert_eq!(terminal, layer.terminal, "{name}: all ends of layer {index}");
        if outcome.algorithm != Algorithm::Layered || outcome.progress_measure {
            let found: BTreeMap<Vec<u8>, BigUint> =
                found.iter().map(|bucket| (bucket.rewards.clone(), bucket.states.clone())).collect();
            assert_eq!(found, ends.remove(&index).unwrap_or_default(), "{name}: ends of layer {index}");
        }
    }
}

fn assert_equal(
    name: &str,
    game: &Game,
    outcome: Result<Outcome, SolveError>,
    expected: &Result<ExplicitSolution, ExplicitError>,
    model: OpponentModel,
) {
    let (outcome, expected) = match (outcome, expected) {
        (Ok(outcome), Ok(expected)) => (outcome, expected),
        (Err(SolveError::Refused(refusal)), Err(error)) => {
            assert_witness(name, game, &refusal, error);
            return;
        }
        (outcome, expected) => {
            panic!("{name}: the solver says {:?}, brute force {:?}", outcome.map(|o| o.states), expected.as_ref().err())
        }
    };
    let count = |count: u64| BigUint::from(count);
    assert_eq!(outcome.states, BigUint::from(expected.exploration.len()), "{name}: distinct states");
    assert_eq!(outcome.layer_states, count(expected.layer_states()), "{name}: states of all layers");
    assert_eq!(
        outcome.terminal_states,
        BigUint::from(expected.exploration.terminal_states()),
        "{name}: terminal states"
    );
    assert_eq!(outcome.progress_measure, expected.disjoint_layers, "{name}: disjoint layers");
    assert_eq!(outcome.alternating, expected.alternating, "{name}: alternating");
    assert_eq!(outcome.layers.len(), expected.layers.len(), "{name}: layers");
    let solution = outcome.solution.expect("values were asked for");
    assert_eq!(solution.value.as_deref(), Some(expected.initial_value()), "{name}: value");
    for (index, (layer, (counts, histogram))) in outcome.layers.iter().zip(&expected.layers).enumerate() {
        assert_eq!(layer.states, count(counts.states), "{name}: states of layer {index}");
        assert_eq!(layer.terminal, count(counts.terminal), "{name}: terminal states of layer {index}");
        let buckets: BTreeMap<Vec<u8>, BigUint> =
            layer.buckets.iter().map(|b| (b.rewards.clone().expect("play is finite"), b.states.clone())).collect();
        let histogram: BTreeMap<Vec<u8>, BigUint> =
            histogram.iter().map(|(rewards, &states)| (rewards.clone(), count(states))).collect();
        assert_eq!(buckets, histogram, "{name}: values of layer {index} under {}", model.name());
    }
}

/// Both refuse, for the same kind of reason where it shows in a state, with a shortest path.
fn assert_witness(name: &str, game: &Game, refusal: &solve::Refusal, error: &explicit::ExplicitError) {
    match error {
        explicit::ExplicitError::Cyclic => assert_eq!(refusal.code, "cyclic", "{name}"),
        explicit::ExplicitError::IllFormed(witness) => {
            assert_eq!(refusal.path.len(), witness.path.len(), "{name}: {refusal:?} against {}", error);
            assert!(!refusal.state.is_empty() || game.fluents.is_empty(), "{name}: no state in {refusal:?}");
        }
        explicit::ExplicitError::Limit(limit) => panic!("{name}: {limit}"),
    }
}

/// Panics with `name` unless the distances that the solver finds are those of brute force, in every layer and for every
/// value, whatever way it expands states and holds values, layer by layer where play ends and all states at once.
/// Whether they were compared: the game has at most `most` states and a solution.
pub fn assert_distances(most: usize, name: &str, game: &Game, model: OpponentModel, threads: usize) -> bool {
    let Ok(expected) = explicit::retrograde(game, model, most) else { return false };
    let states: Vec<explicit::StateId> = expected.exploration.ids().collect();
    let plies = expected.plies();
    let last = expected.distances.iter().max().map_or(0, |last| *last as usize);
    let mut by_distance = vec![Vec::new(); last + 1];
    states.iter().for_each(|id| by_distance[expected.distances[id.index()] as usize].push(*id));
    let value = |id: explicit::StateId| expected.values[id.index()].clone();
    let global = [
        (ExpansionChoice::Auto, EngineChoice::Auto),
        (ExpansionChoice::Relations, EngineChoice::Auto),
        (ExpansionChoice::States, EngineChoice::Auto),
        (ExpansionChoice::Auto, EngineChoice::Hybrid),
    ];
    for (expansion, engine) in global {
        let name = format!("{name}, all at once, {expansion:?}, {engine:?}, {}", model.name());
        let options = SolveOptions {
            opponent_model: model,
            threads,
            expansion,
            algorithm: Some(Algorithm::Global),
            engine,
            distances: true,
            ..SolveOptions::default()
        };
        match solve(game, &options) {
            Ok(outcome) => assert_plies(&name, &outcome, &by_distance, &value, &plies),
            Err(SolveError::TooComplex(_))
                if expansion == ExpansionChoice::Relations || engine == EngineChoice::Hybrid => {}
            Err(error) => panic!("{name}: {error}"),
        }
    }
    let Ok(expected) = explicit::solve(game, model, most) else { return true };
    let (plies, layers) = (expected.plies(), explicit::states_by_layer(&expected.exploration));
    for (expansion, engine, way) in ENGINES {
        let name = format!("{name}, {expansion:?}, {engine:?}, {way:?}, {}", model.name());
        let distances = true;
        let options = SolveOptions {
            opponent_model: model,
            threads,
            expansion,
            engine,
            way,
            distances,
            ..SolveOptions::default()
        };
        match solve(game, &options) {
            Ok(outcome) => {
                assert_plies(&name, &outcome, &layers, &|id| Some(expected.value(id).to_vec()), &plies);
            }
            Err(SolveError::TooComplex(_))
                if matches!(expansion, ExpansionChoice::Relations | ExpansionChoice::Both)
                    || engine != EngineChoice::Auto => {}
            Err(error) => panic!("{name}: {error}"),
        }
    }
    true
}

/// How many states of each layer have which value and which distance.
fn assert_plies(
    name: &str,
    outcome: &Outcome,
    layers: &[Vec<explicit::StateId>],
    value: &dyn Fn(explicit::StateId) -> Option<Vec<u8>>,
    plies: &[Option<u32>],
) {
    let solution = outcome.solution.as_ref().expect("values were asked for");
    assert_eq!(solution.plies, plies[0], "{name}: distance of the initial state");
    assert_eq!(outcome.layers.len(), layers.len(), "{name}: layers");
    let mut total: BTreeMap<(Option<Vec<u8>>, Option<u32>), BigUint> = BTreeMap::new();
    for (index, (layer, ids)) in outcome.layers.iter().zip(layers).enumerate() {
        let mut expected: BTreeMap<(Option<Vec<u8>>, Option<u32>), BigUint> = BTreeMap::new();
        ids.iter().for_each(|&id| *expected.entry((value(id), plies[id.index()])).or_default() += 1u32);
        assert_eq!(by_plies(&layer.buckets), expected, "{name}: layer {index}");
        expected.into_iter().for_each(|(key, states)| *total.entry(key).or_default() += states);
    }
    assert_eq!(by_plies(&solution.buckets), total, "{name}: all layers");
}

/// States by value and distance; those without a distance where play is endless.
fn by_plies(buckets: &[solve::Bucket]) -> BTreeMap<(Option<Vec<u8>>, Option<u32>), BigUint> {
    let mut found = BTreeMap::new();
    for bucket in buckets {
        let states: BigUint = bucket.plies.iter().map(|plies| &plies.states).sum();
        if bucket.rewards.is_none() {
            assert!(bucket.plies.is_empty());
            found.insert((None, None), bucket.states.clone());
            continue;
        }
        assert_eq!(states, bucket.states, "each state of {:?} has a distance", bucket.rewards);
        for plies in &bucket.plies {
            found.insert((bucket.rewards.clone(), Some(plies.plies)), plies.states.clone());
        }
    }
    found
}
