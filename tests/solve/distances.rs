//! Distances as part of the values (`--distances`): against brute force, on every engine; as they are stored and answered;
//! and against the search for distances that solutions without them need.

use crate::common::compare::assert_distances;
use crate::common::explicit::{retrograde, solve, states_by_layer};
use crate::common::sample::handmade::{counter, lines, nim};
use crate::common::sample::{random_cyclic_game, random_cyclic_game_of_many, random_game, random_game_of_many};
use crate::common::stored::store;
use crate::common::{corpus, game, ground_file, model_in_turn, program, random_games, rulesheets};
use api::verify::{self, verify};
use base::limits::Limits;
use game::propositional::Game;
use game::reward::OpponentModel;
use kernel::{self, Context, Diagram};
use num_bigint::BigUint;
use rayon::prelude::*;
use solving::solution::{DistanceSearch, Position, Solution, Stored, Values};
use solving::solve::{Algorithm, EngineChoice, ExpansionChoice, Silent, SolveError, SolveOptions};
use solving::store::manifest::PliesRecord;
use solving::store::{Archive, Encoded, Manifest, ReadSettled, Run, SettledDiagrams, Store, StoreError, Totals};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Most states of a game that is compared here: more where the program is quick.
const STATES: usize = if cfg!(debug_assertions) { 1_000 } else { 10_000 };
/// Most states of a public game that is compared in the ordinary tests.
const SMALL: usize = if cfg!(debug_assertions) { 100 } else { 800 };
/// Most states of a game that is compared at all.
const MOST: usize = 300_000;

/// Random games of each kind.
const GAMES: u64 = if cfg!(debug_assertions) { 8 } else { 20 };

fn grounded(text: &str) -> Game {
    game(&program("random", text.as_bytes()))
}

#[test]
fn distances_of_random_games_are_those_of_brute_force() {
    let mut compared = 0;
    for seed in 0..random_games(GAMES) {
        let (model, threads) = (OpponentModel::ALL[(seed % 2) as usize], 1 + (seed / 2 % 2) as usize);
        let kinds: [(&str, String); 4] = [
            ("random", random_game(seed, None)),
            ("cyclic", random_cyclic_game(seed)),
            ("of many", random_game_of_many(seed, None)),
            ("of many, cyclic", random_cyclic_game_of_many(seed)),
        ];
        for (kind, text) in kinds {
            let name = format!("{kind} game {seed}");
            compared += u64::from(assert_distances(5_000, &name, &grounded(&text), model, threads));
        }
    }
    assert!(compared > 3 * random_games(GAMES), "{compared}");
}

#[test]
fn distances_of_handmade_games_are_those_of_brute_force() {
    for model in OpponentModel::ALL {
        for (name, game) in [("nim", nim(9, 3)), ("counter", counter(6, false)), ("lines", lines(3, 3, 3))] {
            assert!(assert_distances(MOST, name, &game, model, 2), "{name}");
        }
    }
}

/// The games among these files with so many states, each under one model.
fn compare_files(files: Vec<std::path::PathBuf>, least: usize, most: usize) -> usize {
    // By all processors: some games take much longer than others.
    let compared = files.into_par_iter().enumerate().map(|(place, file)| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let game = ground_file(&file);
        if !crate::common::explicit::explore(&game, most).is_ok_and(|found| found.len() >= least) {
            return 0;
        }
        let (model, start) = (model_in_turn(place), std::time::Instant::now());
        let compared = assert_distances(most, &name, &game, model, 2);
        println!("{name} under {}: {:.1} s", model.name(), start.elapsed().as_secs_f64());
        usize::from(compared)
    });
    compared.sum()
}

#[test]
fn distances_of_shipped_games_are_those_of_brute_force() {
    assert!(compare_files(crate::common::all_shipped(), 0, STATES) >= 4);
}

#[test]
#[ignore = "takes minutes"]
fn distances_of_larger_shipped_games_are_those_of_brute_force() {
    compare_files(crate::common::all_shipped(), STATES, MOST);
}

/// Those of the corpus of which the oracle knows that they have so many states.
fn compare_corpus(least: usize, most: usize) {
    let Some(folder) = corpus() else { return };
    let files = rulesheets(&folder).into_iter().filter(|file| {
        let oracle = folder.join("oracle").join(file.file_stem().unwrap_or_default()).with_extension("json");
        let oracle = std::fs::read_to_string(oracle).expect("each game has an oracle file");
        let oracle: serde_json::Value = serde_json::from_str(&oracle).expect("valid JSON");
        let states = oracle["distinct_states"].as_u64().unwrap_or(u64::MAX);
        oracle["explored"] == "full" && (least as u64..=most as u64).contains(&states)
    });
    println!("compared {} solutions", compare_files(files.collect(), least, most));
}

#[test]
fn distances_of_small_public_games_are_those_of_brute_force() {
    compare_corpus(0, SMALL);
}

#[test]
#[ignore = "takes minutes"]
fn distances_of_larger_public_games_are_those_of_brute_force() {
    compare_corpus(SMALL, MOST);
}

/// A walk of `roles` who move in turn: it begins at any of 101 places of a ring and can be left at each of 165 steps, for
/// what the place pays. So there are more pairs of rewards and plies than terminals of diagrams can stand for.
fn walk(roles: usize) -> String {
    let names = &["a", "b", "c"][..roles];
    let next = |most: usize, name: &str| (0..most).map(|k| format!("({name} {k} {}) ", k + 1)).collect::<String>();
    let turns: String = (0..165).map(|step| format!("(turn {step} {}) ", names[step % roles])).collect();
    // Three roles have at most 25 rewards each, which are a number of three digits.
    let pay = |place: usize, role: usize| match names.len() {
        2 => place * [7, 13][role] % 101,
        _ => [place % 25, place / 25, place * 7 % 25][role],
    };
    let paid = |(role, name)| (0..101).map(move |place| format!("(pays {name} {place} {}) ", pay(place, role)));
    let pays: String = (0..).zip(names).flat_map(paid).collect();
    let roles: String = names.iter().map(|name| format!("(role {name}) ")).collect();
    format!(
        "{roles} (init start) {}{}(after 100 0) {turns}{pays}
         (<= (legal a (begin ?p)) (true start) (pays a ?p ?r))
         (<= (legal ?role leave) (true (step ?s)) (turn ?s ?role))
         (<= (legal ?role go) (true (step ?s)) (turn ?s ?role) (then ?s ?next))
         (<= (legal ?role wait) (role ?role) (true start) (distinct ?role a))
         (<= (legal ?role wait) (role ?role) (true (step ?s)) (turn ?s ?other) (distinct ?role ?other))
         (<= (next (at ?p)) (does a (begin ?p))) (<= (next (step 0)) (does a (begin ?p)))
         (<= (next (at ?next)) (does ?role go) (true (at ?p)) (after ?p ?next))
         (<= (next (step ?next)) (does ?role go) (true (step ?s)) (then ?s ?next))
         (<= (next (at ?p)) (does ?role leave) (true (at ?p)))
         (<= (next (left ?s)) (does ?role leave) (true (step ?s)))
         (<= terminal (true (left ?s)))
         (<= (goal ?role ?r) (true (at ?p)) (pays ?role ?p ?r))
         (<= (goal ?role 0) (role ?role) (true start))",
        next(164, "then"),
        next(100, "after"),
    )
}

#[test]
fn more_pairs_of_rewards_and_plies_than_terminals_are_solved() {
    assert_solved_with_many_pairs(2, OpponentModel::MaxOwn);
}

#[test]
#[ignore = "takes a minute"]
fn more_pairs_of_three_roles_than_terminals_are_solved() {
    assert_solved_with_many_pairs(3, OpponentModel::MaxDiff);
}

/// A game with more pairs than layers by diagrams can have has the distances of brute force, stored in two runs.
fn assert_solved_with_many_pairs(roles: usize, model: OpponentModel) {
    let (text, folder) = (walk(roles), tempfile::tempdir().unwrap());
    let path = folder.path().join("a.ggs");
    let options = SolveOptions { opponent_model: model, distances: true, ..SolveOptions::default() };
    // The run ends after the layers, and another one goes on.
    let error = store(&text, &path, &options, 100).unwrap_err();
    assert!(error.to_string().contains("interrupted"), "{error}");
    store(&text, &path, &options, usize::MAX).unwrap();
    assert!(Manifest::load(&path).unwrap().is_global());
    let expected = retrograde(&grounded(&text), model, MOST).unwrap();
    let plies = expected.plies();
    let pairs: std::collections::BTreeSet<_> = (expected.exploration.ids())
        .filter(|id| expected.exploration.terminal(*id))
        .map(|id| (&expected.values[id.index()], expected.distances[id.index()]))
        .collect();
    assert!(pairs.len() > kernel::TERMINALS as usize, "{}", pairs.len());
    let solution = Solution::open(&path, &Limits::unlimited()).unwrap();
    // A part of them, as each has a way of its own through the diagrams.
    for id in expected.exploration.ids().step_by(5) {
        let (layer, state) = (expected.distances[id.index()], expected.exploration.state(id).clone());
        let found = solution.worth(&Position { layer, state }).unwrap();
        let value = expected.values[id.index()].as_deref();
        assert_eq!((found.value, found.plies), (value, plies[id.index()]), "{roles} roles");
    }
    assert_eq!(findings(&path, &verify::Options { full: true, ..verify::Options::default() }), [""; 0]);
    // The limit is told where layers were asked for.
    let layered = SolveOptions { algorithm: Some(Algorithm::Layered), ..options };
    let error = store(&text, &folder.path().join("b.ggs"), &layered, usize::MAX).unwrap_err().to_string();
    assert!(error.contains("pairs of rewards and the ply"), "{error}");
}

/// The ways to store a solution.
fn ways() -> [SolveOptions; 5] {
    let distances = true;
    let of = |expansion, engine, algorithm| SolveOptions {
        expansion,
        engine,
        algorithm,
        distances,
        ..SolveOptions::default()
    };
    [
        of(ExpansionChoice::Auto, EngineChoice::Auto, None),
        of(ExpansionChoice::Relations, EngineChoice::Symbolic, None),
        of(ExpansionChoice::Relations, EngineChoice::Hybrid, None),
        of(ExpansionChoice::States, EngineChoice::Auto, Some(Algorithm::Global)),
        of(ExpansionChoice::Relations, EngineChoice::Auto, Some(Algorithm::Global)),
    ]
}

fn findings(folder: &Path, options: &verify::Options) -> Vec<String> {
    let found = verify(folder, None, options, &Limits::unlimited(), &Silent).unwrap();
    found.findings.into_iter().map(|finding| format!("{}: {}", finding.place, finding.message)).collect()
}

/// Compares all answers of a solution in a folder with brute force.
fn assert_answers(name: &str, folder: &Path, game: &Game, model: OpponentModel) {
    let solution = Solution::open(folder, &Limits::unlimited()).unwrap();
    let manifest = solution.manifest().unwrap();
    let global = manifest.is_global();
    let (exploration, plies, places): (_, _, Vec<_>) = if global {
        let expected = retrograde(game, model, MOST).unwrap();
        let plies = expected.plies();
        let places = expected.exploration.ids().map(|id| (expected.distances[id.index()], id)).collect();
        (expected.exploration, plies, places)
    } else {
        let expected = solve(game, model, MOST).unwrap();
        let (plies, layers) = (expected.plies(), states_by_layer(&expected.exploration));
        let places = (0..).zip(layers).flat_map(|(layer, ids)| ids.into_iter().map(move |id| (layer, id))).collect();
        (expected.exploration, plies, places)
    };
    for (layer, id) in places {
        let position = Position { layer, state: exploration.state(id).clone() };
        let query = solution.query(&position, None).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(query.plies, plies[id.index()], "{name}: {}", query.state.join(" "));
        let mut expected: Vec<Option<u32>> =
            exploration.successors(id).iter().map(|next| plies[next.index()].map(|plies| plies + 1)).collect();
        let mut found: Vec<Option<u32>> = query.moves.iter().map(|option| option.plies).collect();
        if query.forced {
            expected.truncate(1);
            found.truncate(1);
        }
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{name}: moves of {}", query.state.join(" "));
        // Best are the moves that keep the value and its distance, and nothing had to be searched for.
        for option in &query.moves {
            assert_eq!(option.keeps_value, option.value == query.value, "{name}: {}", query.state.join(" "));
            let best = option.keeps_value && (query.value.is_none() || option.plies == query.plies);
            assert_eq!(option.optimal, best, "{name}: {} in {}", option.action, query.state.join(" "));
        }
        assert!(query.terminal || query.moves[0].optimal, "{name}: {}", query.state.join(" "));
        let asked = solution.query(&position, Some(0)).unwrap();
        assert_eq!(
            asked.distance.map(|distance| (distance.plies, distance.exact)),
            query.plies.map(|plies| (plies, true))
        );
    }
    let line = solution.line(&solution.start(), 0, &Limits::unlimited()).unwrap();
    if let Some(plies) = plies[0] {
        assert_eq!((line.steps.len() as u32, line.ends, line.exact), (plies, true, true), "{name}: the line");
    }
}

#[test]
fn stored_distances_are_those_of_brute_force_and_verified() {
    let mut stored = 0;
    for seed in 0..random_games(8) {
        let model = OpponentModel::ALL[(seed / 4 % 2) as usize];
        let text = match seed % 4 {
            0 => random_game(seed, None),
            1 => random_cyclic_game(seed),
            2 => random_game_of_many(seed, None),
            _ => random_cyclic_game_of_many(seed),
        };
        let game = grounded(&text);
        for (way, options) in ways().into_iter().enumerate() {
            let options = SolveOptions { opponent_model: model, threads: 1 + way % 2, ..options };
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.ggs");
            let name = format!("game {seed}, way {way}");
            match store(&text, &path, &options, usize::MAX) {
                Ok(()) => {}
                Err(SolveError::Refused(_) | SolveError::TooComplex(_)) => continue,
                Err(error) => panic!("{name}: {error}"),
            }
            stored += 1;
            assert_answers(&name, &path, &game, model);
            for (full, exhaustive) in [(true, 0), (false, 1000), (false, 0)] {
                let options =
                    verify::Options { full, exhaustive, samples: 20, samples_by_value: 5, ..Default::default() };
                assert_eq!(findings(&path, &options), [""; 0], "{name}, {full}, {exhaustive}");
            }
        }
    }
    assert!(stored > random_games(8), "{stored}");
}

/// Everything in a folder but the records of the runs.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("layer-") || name.starts_with("settled-") {
            found.insert(name, std::fs::read(entry.path()).unwrap());
        }
    }
    let manifest = Manifest { runs: Vec::new(), checksum: String::new(), ..Manifest::load(folder).unwrap() };
    found.insert("manifest".to_owned(), format!("{manifest:?}").into_bytes());
    found
}

#[test]
fn interrupted_runs_and_threads_leave_the_same_bytes() {
    for (seed, way) in (0..2).flat_map(|seed| (0..5).map(move |way| (seed, way))) {
        let text = if way < 3 { random_game(seed, None) } else { random_cyclic_game(seed) };
        let options = ways()[way].clone();
        let folder = tempfile::tempdir().unwrap();
        let (whole, parts) = (folder.path().join("whole.ggs"), folder.path().join("parts.ggs"));
        match store(&text, &whole, &options, usize::MAX) {
            Ok(()) => {}
            Err(SolveError::Refused(_) | SolveError::TooComplex(_)) => continue,
            Err(error) => panic!("{error}"),
        }
        let mut runs = 1;
        while store(&text, &parts, &SolveOptions { threads: 1 + runs % 2, ..options.clone() }, 1 + runs).is_err() {
            runs += 1;
            assert!(runs < 500, "game {seed}, way {way} does not end");
        }
        assert!(contents(&whole) == contents(&parts), "game {seed}, way {way}, {runs} runs");
    }
}

#[test]
fn solutions_with_distances_are_others_than_those_without() {
    let (text, folder) = (random_game(3, None), tempfile::tempdir().unwrap());
    let with = SolveOptions { distances: true, ..SolveOptions::default() };
    for (first, second) in [(&with, &SolveOptions::default()), (&SolveOptions::default(), &with)] {
        let path = folder.path().join(format!("{}.ggs", first.distances));
        store(&text, &path, first, usize::MAX).unwrap();
        assert_eq!(Manifest::load(&path).unwrap().version, if first.distances { 4 } else { 3 });
        let error = store(&text, &path, second, usize::MAX).unwrap_err();
        assert!(matches!(error, SolveError::Store(StoreError::Foreign { .. })), "{error}");
        assert!(error.to_string().contains("distances"), "{error}");
    }
    // What was only counted goes on either way.
    for options in [&with, &SolveOptions::default()] {
        let path = folder.path().join(format!("counted-{}.ggs", options.distances));
        let counting = SolveOptions { count_only: true, ..options.clone() };
        let (mut other, subject) = (crate::common::stored::subject(&text, options), Default::default());
        other.opponent_model = None;
        let mut store_of = solving::store::Store::open(&path, other, &subject, &Limits::unlimited().into()).unwrap();
        let limits = std::sync::Arc::new(Limits::unlimited());
        solving::solve::run_stored(&grounded(&text), &counting, &mut store_of, &limits, &Silent).unwrap();
        drop(store_of);
        assert!(!Manifest::load(&path).unwrap().distances);
        store(&text, &path, options, usize::MAX).unwrap();
        assert_eq!(Manifest::load(&path).unwrap().distances, options.distances);
        assert_eq!(findings(&path, &verify::Options::default()), [""; 0]);
    }
}

#[test]
fn stored_distances_are_those_that_a_search_finds() {
    for (name, text) in [
        ("tictactoe", include_str!("../../games/tictactoe.gdl")),
        ("clobber_3x4", include_str!("../../games/clobber_3x4.gdl")),
        ("tictactoe3", include_str!("../../games/tictactoe3.gdl")),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (with, without) = (folder.path().join("with.ggs"), folder.path().join("without.ggs"));
        store(text, &with, &SolveOptions { distances: true, ..SolveOptions::default() }, usize::MAX).unwrap();
        store(text, &without, &SolveOptions::default(), usize::MAX).unwrap();
        let [with, without] = [with, without].map(|path| Solution::open(&path, &Limits::unlimited()).unwrap());
        let limits = std::sync::Arc::new(Limits::unlimited());
        let mut random = ggsolve::Random::new(7);
        for layer in 2..with.manifest().unwrap().layers.len() as u32 {
            for _ in 0..5 {
                let position = with.sample(layer, ggsolve::Among::All, &mut random, &limits).unwrap();
                let stored = with.query(&position, None).unwrap().plies.unwrap();
                let found = DistanceSearch::new(1_000_000, &limits).distance(&without, &position).unwrap();
                assert_eq!((stored, true), (found.plies, found.exact), "{name}, layer {layer}");
            }
        }
    }
}

/// A copy of a solution by layers in which one state has another value, with buckets and checksums that fit it.
fn plant(text: &str, from: &Path, to: &Path, layer: usize, state: &[bool], id: u32) {
    let (manifest, limits) = (Manifest::load(from).unwrap(), Arc::new(Limits::unlimited()));
    let (context, archive) = (Context::new(limits.clone(), 1), Archive { folder: from, manifest: &manifest });
    let subject = crate::common::stored::subject(text, &SolveOptions { distances: true, ..SolveOptions::default() });
    let mut store = Store::open(to, subject, &Run::default(), &Limits::unlimited().into()).unwrap();
    let encoded = Encoded {
        roles: manifest.roles.clone(),
        variables: manifest.variables.clone(),
        defaults: manifest.defaults.clone(),
        rewards: manifest.rewards.clone(),
        encoding: manifest.encoding,
    };
    store.begin(encoded, &manifest.algorithm).unwrap();
    for (index, record) in manifest.layers.iter().enumerate() {
        let figures = record.figures();
        store.push_states(&archive.states(index, &limits).unwrap(), &figures, None, &context).unwrap();
    }
    let totals = Totals {
        states: manifest.states.clone().unwrap(),
        terminal: manifest.terminal_states.clone().unwrap(),
        progress_measure: manifest.progress_measure.unwrap(),
        alternating: manifest.alternating.unwrap(),
    };
    store.finish_forward(&totals).unwrap();
    store.set_ends(manifest.layers.iter().map(|layer| layer.ends.clone().unwrap()).collect()).unwrap();
    let endings = manifest.endings();
    for (index, record) in manifest.layers.iter().enumerate().rev() {
        let (states, mut values) = (archive.states(index, &limits).unwrap(), archive.values(index, &limits).unwrap());
        let mut buckets = record.buckets.clone().unwrap();
        if index == layer {
            let all = kernel::restrict(&states, &values, &context).unwrap();
            let single = Diagram::single(all.levels(), state);
            let single = kernel::renamed(&single, |_| id, &context).unwrap();
            values = kernel::as_values(&kernel::overlay(&all, &single, &context).unwrap(), &context).unwrap();
            let mut counts: BTreeMap<u32, BigUint> = BTreeMap::new();
            kernel::tally(&states, &values, &context)
                .unwrap()
                .into_iter()
                .for_each(|(id, n)| *counts.entry(id).or_default() += n);
            for bucket in &mut buckets {
                let own = counts.iter().filter(|(id, _)| endings.rewards(**id) == bucket.rewards.as_deref());
                let own: BTreeMap<u32, BigUint> =
                    own.map(|(&id, n)| (endings.plies(id, index as u32).unwrap(), n.clone())).collect();
                bucket.plies = own.into_iter().map(|(plies, states)| PliesRecord { plies, states }).collect();
            }
        }
        store.push_values(index, &values, buckets, &context).unwrap();
    }
    store.save().unwrap();
}

#[test]
fn every_wrong_distance_of_a_layer_is_found() {
    let (mut random, mut planted) = (ggsolve::Random::new(5), 0);
    for seed in 0..6 {
        let (text, folder) = (random_game(seed, None), tempfile::tempdir().unwrap());
        let path = folder.path().join("right.ggs");
        let options = SolveOptions { distances: true, engine: EngineChoice::Symbolic, ..SolveOptions::default() };
        if store(&text, &path, &options, usize::MAX).is_err() {
            continue;
        }
        let stored = Stored::open(&path, &Limits::unlimited()).unwrap();
        let endings = stored.endings();
        let limits = Arc::new(Limits::unlimited());
        for trial in 0..6 {
            let layer = random.below(stored.manifest.layers.len()) as u32;
            let state = stored.draw(layer, ggsolve::Among::All, &mut random, &limits).unwrap();
            let worth = stored.worth(layer, &state).unwrap().unwrap();
            // The same rewards, another end that is not over yet.
            let others = (1..=endings.count() as u32).filter(|&id| endings.rewards(id) == worth.value);
            let others =
                others.filter(|&id| endings.plies(id, layer).is_some() && endings.plies(id, layer) != worth.plies);
            let others: Vec<u32> = others.collect();
            let Some(&other) = others.get(random.below(others.len().max(1))) else { continue };
            let copy = folder.path().join(format!("wrong-{trial}.ggs"));
            plant(&text, &path, &copy, layer as usize, &stored.codec.assignment(&state).unwrap(), other);
            let found = findings(&copy, &verify::Options::default());
            assert!(found.iter().any(|text| text.contains(" plies")), "game {seed}, layer {layer}: {found:?}");
            planted += 1;
        }
    }
    assert!(planted > 10, "{planted}");
}

#[test]
fn every_wrong_distance_of_all_states_at_once_is_found() {
    let (mut random, mut planted) = (ggsolve::Random::new(6), 0);
    let options = SolveOptions { distances: true, algorithm: Some(Algorithm::Global), ..SolveOptions::default() };
    for seed in 0..6 {
        let (text, folder) = (random_cyclic_game(seed), tempfile::tempdir().unwrap());
        let expected = retrograde(&grounded(&text), OpponentModel::MaxOwn, MOST).unwrap();
        let plies = expected.plies();
        let path = folder.path().join("a.ggs");
        store(&text, &path, &options, usize::MAX).unwrap();
        let codec = Stored::open(&path, &Limits::unlimited()).unwrap().codec;
        let settled: Vec<_> = expected.exploration.ids().filter(|id| plies[id.index()].is_some()).collect();
        if settled.is_empty() {
            continue;
        }
        for _ in 0..4 {
            let id = settled[random.below(settled.len())];
            let far = plies[id.index()].unwrap();
            let wrong = if far > 0 && random.chance(50) { far - 1 } else { far + 1 };
            let limits = Arc::new(Limits::unlimited());
            let context = Context::new(limits.clone(), 1);
            let mut store = Store::open(
                &path,
                crate::common::stored::subject(&text, &options),
                &Run::default(),
                &Limits::unlimited().into(),
            )
            .unwrap();
            let ReadSettled { outcomes, digits, plies: right } =
                store.archive().unwrap().read_settled(&limits).unwrap();
            let (right, record) = (right.unwrap(), store.settled().unwrap().clone());
            let state = Diagram::single(right.levels(), &codec.assignment(expected.exploration.state(id)).unwrap());
            let state = kernel::renamed(&state, |_| wrong + 1, &context).unwrap();
            let planted_plies = kernel::overlay(&right, &state, &context).unwrap();
            let digits: Vec<&Diagram> = digits.iter().collect();
            for (plies, expect) in [(&planted_plies, true), (&right, false)] {
                let (rounds, base, at_once) = (record.rounds, record.base, record.at_once.clone());
                let settled =
                    SettledDiagrams { rounds, base, at_once, outcomes: &outcomes, digits: &digits, plies: Some(plies) };
                store.push_settled(settled, &context).unwrap();
                let found = findings(&path, &verify::Options::default());
                let told = found.iter().any(|text| text.contains("plies from the end"));
                assert_eq!((told, found.is_empty()), (expect, !expect), "game {seed}, {far} became {wrong}: {found:?}");
            }
            planted += 1;
        }
    }
    assert!(planted >= 10, "{planted}");
}

/// Connect Four on empty boards: drawn where the board is full, and lost for the first player on six columns of four rows.
#[test]
fn published_boards_take_as_long_as_they_have_to() {
    let boards: &[(&str, [u8; 2], u32)] = &[
        ("connect4_4x4", [50, 50], 16),
        ("connect4_5x4", [50, 50], 20),
        #[cfg(not(debug_assertions))]
        ("connect4_5x5", [50, 50], 25),
        #[cfg(not(debug_assertions))]
        ("connect4_6x4", [0, 100], 24),
    ];
    for &(name, value, plies) in boards {
        let game = ground_file(&crate::common::shipped(&format!("{name}.gdl")));
        let options = SolveOptions { distances: true, threads: 2, ..SolveOptions::default() };
        let solution = crate::common::compare::solve(&game, &options).unwrap().solution.unwrap();
        assert_eq!((solution.value.as_deref(), solution.plies), (Some(&value[..]), Some(plies)), "{name}");
    }
}
