//! Games in which play can go on for ever: every stored state against brute force, best moves that come to an end,
//! and wrong values with right checksums.

use super::common::lacking::lacking;
use super::common::stored::{store, subject};
use super::common::{corpus, game, program, rulesheets, shipped};
use super::{run, texts};
use crate::common::explicit::{RetrogradeSolution, retrograde};
use crate::common::sample::{random_cyclic_game, random_graph};
use api::verify::{Claim, How, Options, verify};
use base::limits::{LimitReached, Limits};
use base::random::Random;
use game::interpreter::{State, Turn};
use game::propositional::Game;
use game::reward::OpponentModel;
use kernel::{self, Context, Diagram};
use serde_json::{Value, json};
use solving::solution::{Position, QueriedMove, ReadError, Solution, Stored, Values};
use solving::solve::{Algorithm, Event, Listener, Phase, Silent, SolveError, SolveOptions, run_stored};
use solving::store::{Manifest, ReadSettled, Run, SettledDiagrams, Store};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Two roles push a token towards either end in turn: from the middle, where it starts, nobody need let the other win.
const ENDLESS: &str = include_str!("endless.gdl");

/// Each of two roles waits for the other one to give in, which pays both more than waiting for ever.
const SETTLED: &str = include_str!("../common/settled.gdl");

fn options(opponent_model: OpponentModel) -> SolveOptions {
    SolveOptions { opponent_model, algorithm: Some(Algorithm::Global), ..SolveOptions::default() }
}

fn brute_force(text: &str, model: OpponentModel) -> (Game, RetrogradeSolution) {
    let game = game(&program("game", text.as_bytes()));
    let solution = retrograde(&game, model, 5_000).expect("a small, well-formed game");
    (game, solution)
}

fn findings(folder: &Path, options: &Options) -> Vec<String> {
    let found = verify(folder, None, options, &Limits::unlimited(), &Silent).unwrap();
    found.findings.into_iter().map(|finding| format!("{}: {}", finding.place, finding.message)).collect()
}

/// Compares every answer of a stored solution with brute force, and follows best moves from every state.
fn compare(name: &str, folder: &Path, game: &Game, expected: &RetrogradeSolution) {
    let stored = Stored::open(folder, &Limits::unlimited()).unwrap();
    let exploration = &expected.exploration;
    let solution = Solution::open(folder, &Limits::unlimited()).unwrap();
    for id in exploration.ids() {
        let (value, round) = (&expected.values[id.index()], expected.rounds[id.index()]);
        let position = Position { layer: expected.distances[id.index()], state: exploration.state(id).clone() };
        let names = position.state.names(game);
        assert_eq!(stored.worth(0, &position.state).unwrap().unwrap().round, round, "{name}: round of {names:?}");
        let found = solution.assess(&position).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(found.value, *value, "{name}: {names:?}");
        assert_eq!(found.is_not_best(), expected.is_not_best(id, solution.model()), "{name}: {names:?}");
        let moves = if found.turn == Turn::Forced { &found.moves[..1] } else { &found.moves[..] };
        assert_eq!(moves.len(), exploration.successors(id).len(), "{name}: moves");
        for (option, next) in moves.iter().zip(exploration.successors(id)) {
            let (after, later) = (&expected.values[next.index()], expected.rounds[next.index()]);
            assert_eq!(option.value, *after, "{name}: value of a move in {names:?}");
            assert_eq!(option.keeps_value, after == value, "{name}: {names:?}");
            assert_eq!(option.optimal, after == value && (value.is_none() || later < round), "{name}: {names:?}");
        }
        if let Some(mover) = found.to_move() {
            let told = solution.ranked(&found, None).unwrap().moves;
            let rank = |option: &QueriedMove| solution.rank(mover, option.value.as_deref());
            assert!(told.is_sorted_by(|a, b| rank(a) >= rank(b)), "{name}: the best moves first in {names:?}");
        }
        assert_eq!(solution.position(&names).unwrap(), position, "{name}: found by its fluents");
        // The last best move each time; of endless play, a while.
        let (mut now, mut plies) = (found, 0);
        while now.turn != Turn::Terminal && plies <= round.unwrap_or(50) {
            let best = now.moves.iter().rfind(|option| option.optimal).expect("a best move");
            let next = Position { layer: now.position.layer + 1, state: best.successor.clone() };
            now = solution.assess(&next).unwrap();
            plies += 1;
        }
        match round {
            Some(round) => {
                assert!(now.turn == Turn::Terminal && plies <= round, "{name}: {plies} plies from {names:?}");
                let end = exploration.find(&now.position.state).and_then(|end| exploration.rewards(end));
                assert_eq!(end, value.as_deref(), "{name}: the end of best play from {names:?}");
            }
            None => assert!(plies > 50, "{name}: endless play from {names:?} ends"),
        }
    }
    assert_eq!(stored.manifest.not_best, expected.not_best(game, solution.model()).map(Into::into), "{name}");
    let start = solution.start();
    let start = solution.assess(&start).unwrap();
    let distance = solution.distances(&start, 10_000).unwrap().map(|distances| distances.position.plies);
    assert_eq!(distance, expected.plies()[0], "{name}: the distance");
}

/// Stores the solution of a game under both models, and compares; whether play can be endless in one of them.
fn store_and_compare(name: &str, text: &str) -> bool {
    let mut endless = false;
    for model in OpponentModel::ALL {
        let (game, expected) = brute_force(text, model);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ggs");
        store(text, &path, &options(model), usize::MAX).unwrap_or_else(|error| panic!("{name}: {error}"));
        compare(&format!("{name} under {}", model.name()), &path, &game, &expected);
        for exhaustive in [100_000, 0] {
            let options = Options { exhaustive, samples: 20, seed: 1, ..Options::default() };
            assert_eq!(findings(&path, &options), [""; 0], "{name}, {exhaustive}");
        }
        endless |= expected.values.iter().any(Option::is_none);
    }
    endless
}

#[test]
fn every_state_is_answered_as_by_brute_force() {
    assert!(store_and_compare("a token", ENDLESS));
    let mut endless = 0;
    for seed in 0..40 {
        endless += usize::from(store_and_compare(&format!("random {seed}"), &random_cyclic_game(seed)));
        store_and_compare(&format!("graph {seed}"), &random_graph(seed));
    }
    assert!(endless > 5, "{endless}");
}

/// All cyclic games of the corpus of up to 4,000 states: `cargo test --release --test reading -- --ignored
/// cyclic_games_of_the_corpus`.
#[test]
#[ignore = "takes minutes"]
fn cyclic_games_of_the_corpus_are_answered_as_by_brute_force() {
    let Some(folder) = corpus() else { return };
    let mut compared = 0;
    for file in rulesheets(&folder) {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let source = game::diagnostic::Source::new("game", text.as_bytes());
        let (Some(program), _) = game::rules::gdl::program(&source) else { continue };
        let grounding = game::ground::GroundOptions { instances: 100_000, ..Default::default() };
        let Ok(grounding) = game::ground::ground(&program, &Limits::new(1 << 30), &grounding) else {
            continue;
        };
        let Ok(solution) = retrograde(&grounding.game, OpponentModel::MaxOwn, 4_000) else { continue };
        if grounding.game.roles.len() <= 2 && solution.exploration.topological_order().is_none() {
            println!("{}: {} states", file.display(), solution.exploration.len());
            store_and_compare(&file.display().to_string(), &text);
            compared += 1;
        }
    }
    println!("{compared} games");
}

/// Changes what is stored of a solution, with right checksums everywhere.
fn replace(text: &str, folder: &Path, change: impl Fn(&mut u32, &mut Diagram, &mut Vec<Diagram>, &Context)) {
    let limits = Arc::new(Limits::unlimited());
    let context = Context::new(Arc::clone(&limits), 1);
    let mut store = Store::open(
        folder,
        subject(text, &options(OpponentModel::MaxOwn)),
        &Run::default(),
        &Limits::unlimited().into(),
    )
    .unwrap();
    let ReadSettled { mut outcomes, mut digits, .. } = store.archive().unwrap().read_settled(&limits).unwrap();
    let record = store.settled().unwrap().clone();
    let (mut rounds, base, at_once) = (record.rounds, record.base, record.at_once);
    change(&mut rounds, &mut outcomes, &mut digits, &context);
    let digits: Vec<&Diagram> = digits.iter().collect();
    let settled = SettledDiagrams { rounds, base, at_once, outcomes: &outcomes, digits: &digits, plies: None };
    store.push_settled(settled, &context).unwrap();
}

/// The set with the terminal of one element replaced; 0 takes it out.
fn with(set: &Diagram, element: &[bool], terminal: u32, context: &Context) -> Diagram {
    let single = Diagram::single(set.levels(), element);
    if terminal == 0 {
        return kernel::difference(set, &single, context).unwrap();
    }
    let single = kernel::renamed(&single, |_| terminal, context).unwrap();
    kernel::overlay(set, &single, context).unwrap()
}

#[test]
fn every_wrong_value_and_round_is_found() {
    let (mut random, mut planted, mut wrongly_endless) = (Random::new(9), 0, 0);
    let games = (0..12).map(random_cyclic_game).chain([ENDLESS.to_owned()]);
    for (number, text) in games.enumerate() {
        let (_, expected) = brute_force(&text, OpponentModel::MaxOwn);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ggs");
        store(&text, &path, &options(OpponentModel::MaxOwn), usize::MAX).unwrap();
        let stored = Stored::open(&path, &Limits::unlimited()).unwrap();
        let (rewards, rounds) =
            (stored.manifest.rewards.len() as u32, stored.manifest.settled.as_ref().unwrap().rounds);
        for _ in 0..25 {
            let id = expected.exploration.ids().nth(random.below(expected.exploration.len())).unwrap();
            let state = stored.codec.assignment(expected.exploration.state(id)).unwrap();
            let value = stored
                .manifest
                .rewards
                .iter()
                .position(|rewards| Some(rewards) == expected.values[id.index()].as_ref());
            let (value, round) = (value.map_or(rewards + 1, |index| index as u32 + 1), expected.rounds[id.index()]);
            // Another value; another round; endless play in place of a value, or a value in place of it.
            let (other, later) = match random.below(3) {
                0 if value <= rewards && rewards > 1 => (1 + (value - 1 + 1) % rewards, round),
                1 if round.is_some() && rounds > 1 => (value, round.map(|round| (round + 1) % rounds)),
                _ if round.is_some() => (rewards + 1, None),
                _ if rewards > 0 && rounds > 0 => (1 + random.below(rewards as usize) as u32, Some(rounds - 1)),
                _ => continue,
            };
            let copy = folder.path().join("b.ggs");
            super::copy(&path, &copy);
            replace(&text, &copy, |_, outcomes, digits, context| {
                *outcomes = with(outcomes, &state, other, context);
                digits[0] = with(&digits[0], &state, later.map_or(0, |round| round + 1), context);
            });
            let found = findings(&copy, &Options::default());
            assert!(!found.is_empty(), "game {number}: {value} in {round:?} became {other} in {later:?}");
            planted += 1;
            wrongly_endless += usize::from(later.is_none());
        }
    }
    println!("{planted} planted, {wrongly_endless} of them states made endless");
    assert!(planted > 150 && wrongly_endless > 20);
}

/// A finished solution of the token game, by the program itself.
fn token() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (rules, path) = (folder.path().join("token.gdl"), folder.path().join("token.ggs"));
    std::fs::write(&rules, ENDLESS).unwrap();
    let (code, text, errors) = texts(run(&["solve", rules.to_str().unwrap(), "-o", path.to_str().unwrap()], ""));
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(text.contains(&format!("The solution is in {}.", path.display())), "{text}");
    (folder, path)
}

#[test]
fn query_play_review_and_verify_know_endless_play() {
    let (_folder, path) = token();
    let folder = path.to_str().unwrap();
    let (code, output, _) = texts(run(&["query", folder, "--format", "json"], ""));
    let start: Value = serde_json::from_str(&output).unwrap();
    assert_eq!((code, &start["value"]), (0, &Value::Null));
    let values: Vec<_> =
        start["moves"].as_array().unwrap().iter().map(|m| (&m["move"], &m["value"], &m["optimal"])).collect();
    assert_eq!(
        values,
        [(&json!("right"), &Value::Null, &json!(true)), (&json!("left"), &json!([0, 100]), &json!(false))]
    );
    // Plies count on where states repeat.
    let (code, text, _) = texts(run(&["query", folder, "--moves", "right left right left", "--distance"], ""));
    assert_eq!(code, 0);
    for part in ["in layer 4: a to move", "play can go on for ever", "best  right  endless"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (code, text, _) = texts(run(&["query", folder, "--moves", "right right", "--distance"], ""));
    assert!(code == 0 && text.contains("a win for a, 100 to 0") && text.contains("play ends in 1 ply"), "{text}");

    let (code, text, _) = texts(run(&["review", folder, "-"], "right right right"));
    assert_eq!(code, 0);
    assert!(text.contains("b     right  endless    100/0  gives endless play away; best: left"), "{text}");
    let (code, text, _) = texts(run(&["review", folder, "-"], "right left"));
    assert!(code == 0 && text.contains("best play leads to: play can go on for ever"), "{text}");

    let (code, text, _) = texts(run(&["play", folder, "--as", "a"], "values\nhint\nright\nright\nleft\n"));
    assert_eq!(code, 0);
    for part in ["right  endless  best", "play can go on for ever, by right", "b: left", "a win for b, 100 to 0"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (code, text, errors) = texts(run(&["verify", folder], ""));
    assert!(code == 0 && text.contains("everything that was checked is right"), "{text}{errors}");
}

#[test]
fn what_was_proved_sampled_or_left_open_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let timed = SolveOptions { distances: true, ..options(OpponentModel::MaxOwn) };
    store(ENDLESS, folder.path(), &timed, usize::MAX).unwrap();
    let shown = |exhaustive: u64| -> Vec<(Claim, How)> {
        let options = Options { exhaustive, samples: 3, ..Options::default() };
        let found = verify(folder.path(), None, &options, &Limits::unlimited(), &Silent).unwrap();
        assert_eq!(found.findings, []);
        found.claims.iter().collect()
    };
    let all = shown(5);
    assert!(all.iter().all(|(_, how)| *how == How::Proved), "{all:?}");
    let of = |claims: &[(Claim, How)], how: How| -> Vec<Claim> {
        claims.iter().filter(|(_, shown)| *shown == how).map(|(claim, _)| *claim).collect()
    };
    let some = shown(0);
    assert_eq!(of(&some, How::Proved), [Claim::Checksums, Claim::LayerStates]);
    assert_eq!(
        of(&some, How::Sampled),
        [Claim::Turns, Claim::Values, Claim::Rounds, Claim::Distances, Claim::Alternating]
    );
    let open = [
        Claim::Buckets,
        Claim::Within,
        Claim::NoOthers,
        Claim::Terminal,
        Claim::Ends,
        Claim::Disjoint,
        Claim::DistinctStates,
        Claim::DistinctTerminal,
    ];
    assert_eq!(of(&some, How::Open), open);
    assert_eq!(all.len(), some.len());

    // Layers are small enough by themselves, but memory has no room for all states together.
    let folder = tempfile::tempdir().unwrap();
    let rules = std::fs::read_to_string(crate::common::shipped("hare_and_hounds.gdl")).unwrap();
    store(&rules, folder.path(), &timed, usize::MAX).unwrap();
    let within = |memory: u64| verify(folder.path(), None, &Options::default(), &Limits::new(memory), &Silent).ok();
    let short = (14..).find_map(|bits| within(1 << bits)).unwrap();
    assert_eq!(short.findings, []);
    let proved = [
        Claim::Checksums,
        Claim::LayerStates,
        Claim::Buckets,
        Claim::Turns,
        Claim::Terminal,
        Claim::Ends,
        Claim::Alternating,
    ];
    assert_eq!(of(&short.claims.iter().collect::<Vec<_>>(), How::Proved), proved);
}

#[test]
fn what_is_finished_is_reported_and_lines_come_from_disk() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, path) = (folder.path().join("walk.gdl"), folder.path().join("walk.ggs"));
    // Alone on the way, the token is at its end after three moves, though it could go to and fro.
    std::fs::write(&rules, WALK).unwrap();
    let (rules, out) = (rules.to_str().unwrap(), path.to_str().unwrap());
    let solve = |more: &[&str]| {
        let (code, output, errors) = texts(run(&[&["solve", rules, "-o", out, "--format", "json"], more].concat(), ""));
        assert_eq!((code, errors.as_str()), (0, ""));
        serde_json::from_str::<Value>(&output).unwrap()
    };
    let first = solve(&[]);
    assert_eq!(
        (&first["algorithm"], &first["value"], &first["stored"]),
        (&json!("global"), &json!([100]), &json!(out))
    );
    assert_eq!(first["layers"][3]["ends"], json!([{"rewards": [100], "states": 1}]));
    let again = solve(&[]);
    for key in ["algorithm", "value", "states", "layers", "buckets", "progress_measure", "alternating", "engine"] {
        assert_eq!(first[key], again[key], "{key}");
    }
    let line = solve(&["--line"]);
    assert_eq!(line["line"], json!(["right", "right", "right"]));
    // The algorithm may be asked for, but not another one.
    assert_eq!(solve(&["--algorithm", "global"])["states"], first["states"]);
    for other in ["layered", "classic", "matrix"] {
        let (code, _, errors) = texts(run(&["solve", rules, "-o", out, "--algorithm", other], ""));
        assert_eq!(code, if other == "layered" { 5 } else { 2 }, "{errors}");
    }
    let (code, text, _) = texts(run(&["solve", rules, "--algorithm", "matrix"], ""));
    assert!(code == 0 && text.contains("Nothing is stored: the algorithm matrix stores nothing"), "{text}");
}

const WALK: &str = "
    (role a) (init (at 2))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
    (legal a left) (legal a right)
    (<= (next (at ?m)) (does a right) (true (at ?n)) (succ ?n ?m))
    (<= (next (at ?m)) (does a left) (true (at ?n)) (succ ?m ?n))
    (<= (next (at 0)) (does a left) (true (at 0)))
    (<= terminal (true (at 5)))
    (<= (goal a 100) (true (at 5)))
    (<= (goal a 0) (not (true (at 5))))";

#[test]
fn unfinished_solutions_answer_as_far_as_they_are() {
    let text = random_cyclic_game(3);
    let folder = tempfile::tempdir().unwrap();
    let (mut answered, mut open) = (0, 0);
    for layers in 1..40 {
        let path = folder.path().join(format!("{layers}.ggs"));
        match store(&text, &path, &options(OpponentModel::MaxOwn), layers) {
            Ok(()) => break,
            Err(SolveError::Limit(_)) => {}
            Err(error) => panic!("{error}"),
        }
        assert_eq!(findings(&path, &Options::default()), [""; 0]);
        let stored = Stored::open(&path, &Limits::unlimited()).unwrap();
        let (_, expected) = brute_force(&text, OpponentModel::MaxOwn);
        for id in expected.exploration.ids() {
            match stored.worth(0, expected.exploration.state(id)) {
                Ok(worth) => {
                    assert_eq!(worth.unwrap().value, expected.values[id.index()].as_deref());
                    answered += 1;
                }
                Err(ReadError::Unsettled { .. }) => open += 1,
                Err(error) => panic!("{error}"),
            }
        }
    }
    assert!(answered > 0 && open > 0, "{answered} {open}");
}

/// What the program says of a state.
fn asked(folder: &Path, state: &str, format: &str) -> String {
    let mut query = Command::new(env!("CARGO_BIN_EXE_ggsolve"));
    let output = query.arg("query").arg(folder).args(["--format", format, "--state", state]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The answers of a command about a solution.
fn told(arguments: &[&str], input: &str) -> String {
    let (code, text, errors) = texts(run(arguments, input));
    assert_eq!((code, errors.as_str()), (0, ""), "{arguments:?}");
    text
}

/// The game with other rewards of who gives in and of the other one, solved by the program; its folder, and the JSON.
fn settled(yields: u8, waits: u8) -> (tempfile::TempDir, String, Value) {
    let scene = tempfile::tempdir().unwrap();
    let rules = scene.path().join("settled.gdl");
    let text = SETTLED.replace(" 20)", &format!(" {yields})")).replace(" 90)", &format!(" {waits})"));
    std::fs::write(&rules, text).unwrap();
    let folder = scene.path().join("settled.ggs").to_str().unwrap().to_owned();
    let solved = told(&["solve", rules.to_str().unwrap(), "-o", &folder, "--format", "json"], "");
    (scene, folder, serde_json::from_str(&solved).unwrap())
}

#[test]
fn values_that_are_no_equilibrium_are_told() {
    let (scene, folder, solved) = settled(20, 90);
    let rules = scene.path().join("settled.gdl");
    assert_eq!((&solved["not_best"], &solved["value"]), (&json!(2), &json!([20, 90])));
    let [rules, folder] = [rules.to_str().unwrap(), &folder];
    let again: Value = serde_json::from_str(&told(&["solve", rules, "-o", folder, "--format", "json"], "")).unwrap();
    assert_eq!((&again["not_best"], &again["from_disk"]), (&json!(2), &json!(true)));
    let sentence = "In 2 states another move is worth more to the mover than the value that it settled for";
    for form in ["md", "html", "tex"] {
        let document = told(&["report", folder, "--to", form], "");
        assert!(document.contains(sentence) && document.contains("docs/algorithms.md"), "{document}");
    }
    for command in ["solve", "classify"] {
        let text = told(&[command, rules, "-o", folder], "");
        assert!(text.contains(sentence), "{text}");
    }
    let query: Value = serde_json::from_str(&told(&["query", folder, "--format", "json"], "")).unwrap();
    let marks: Vec<_> =
        query["moves"].as_array().unwrap().iter().map(|found| (&found["move"], &found["worth_more"])).collect();
    assert_eq!(
        (&query["not_best"], marks),
        (&json!(true), vec![(&json!("wait"), &json!(true)), (&json!("yield"), &Value::Null)])
    );
    let here = "left settled for that; another move is worth more to it, so it is no equilibrium here";
    let text = told(&["query", folder, "--why"], "");
    for part in [
        here,
        "docs/algorithms.md",
        "keeps  yield",
        "more  wait",
        "play that keeps the value: yield",
        "wait  nothing: it is worth more ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("best "), "{text}");
    let text = told(&["play", folder], "values\nhint\n");
    assert!(text.contains(here) && text.contains("90/20  more") && !text.contains("  best"), "{text}");
    let found: Value = serde_json::from_str(&told(&["puzzles", folder, "--format", "json"], "")).unwrap();
    assert_eq!(found["found"], 0, "{found}");
    // Who waits gains, and who gives in does not play best.
    let text = told(&["review", folder, "-"], "wait yield");
    for part in ["20/90  90/20  is worth more", "no move gave anything away", "accuracy of left: 100.0 %"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = told(&["review", folder, "-"], "yield");
    assert!(text.contains("every move kept the value"), "{text}");
    // In other games nothing is said, or nothing was found.
    for (yields, waits, not_best) in [(60, 20, json!(0)), (0, 90, Value::Null), (50, 50, Value::Null)] {
        let (_scene, folder, solved) = settled(yields, waits);
        assert_eq!(solved["not_best"], not_best, "{yields}, {waits}");
        assert_eq!(Manifest::load(Path::new(&folder)).unwrap().not_best, not_best.as_u64().map(Into::into));
        let texts = told(&["query", &folder], "") + &told(&["report", &folder, "--to", "md"], "");
        assert!(!texts.contains("equilibrium") && texts.contains("best "), "{texts}");
    }
}

#[test]
fn a_wrong_number_of_values_that_are_no_equilibrium_is_found() {
    let (_scene, folder, _) = settled(20, 90);
    let folder = Path::new(&folder);
    let claimed = |options: &Options| {
        let found = verify(folder, None, options, &Limits::unlimited(), &Silent).unwrap();
        assert_eq!(found.findings, []);
        found.claims.iter().find(|(claim, _)| *claim == Claim::NotBest).map(|(_, how)| how)
    };
    let all = Options::default();
    assert_eq!(claimed(&all), Some(How::Proved));
    assert_eq!(claimed(&Options { exhaustive: 0, ..all }), Some(How::Open));
    let right = Manifest::load(folder).unwrap();
    for wrong in [0u32, 1, 3] {
        Manifest { not_best: Some(wrong.into()), ..right.clone() }.save(folder).unwrap();
        let what = "states in which another move is worth more to the mover than the value, there are 2";
        assert_eq!(findings(folder, &all), [format!("all states: the manifest has {wrong} {what}")]);
    }
    // As in solutions of earlier versions.
    Manifest { not_best: None, ..right }.save(folder).unwrap();
    assert_eq!(claimed(&all), None);
}

/// Ends a run after some rounds, each of which is stored: saves are apart as a multiple of the time that they take.
struct AfterRounds(AtomicUsize, Arc<Limits>);

impl Listener for AfterRounds {
    fn event(&self, event: &Event) {
        if matches!(event, Event::LayerFinished { phase: Phase::Backward, .. }) {
            std::thread::sleep(Duration::from_millis(200));
            if self.0.fetch_sub(1, Ordering::Relaxed) == 1 {
                self.1.interrupt();
            }
        }
    }
}

/// Stores the first rounds of a game; false if there are no more.
fn store_rounds(text: &str, folder: &Path, rounds: usize) -> bool {
    let options = options(OpponentModel::MaxOwn);
    let mut store = Store::open(folder, subject(text, &options), &Run::default(), &Limits::unlimited().into()).unwrap();
    let limits = Arc::new(Limits::unlimited());
    let end = AfterRounds(AtomicUsize::new(rounds), limits.clone());
    match run_stored(&game(&program("game", text.as_bytes())), &options, &mut store, &limits, &end) {
        Ok(_) => false,
        Err(SolveError::Limit(_)) => true,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn positions_with_a_value_are_answered_whatever_moves_have_none_yet() {
    let folder = tempfile::tempdir().unwrap();
    let (mut whole, mut some, mut told) = (0, 0, false);
    for (seed, rounds) in (0..10).flat_map(|seed| (2..5).map(move |rounds| (seed, rounds))) {
        let (text, path) = (random_graph(seed), folder.path().join(format!("{seed}-{rounds}.ggs")));
        if !store_rounds(&text, &path, rounds) {
            continue;
        }
        let solution = Solution::open(&path, &Limits::unlimited()).unwrap();
        let (game, expected) = brute_force(&text, OpponentModel::MaxOwn);
        let value = |state: &State| expected.values[expected.exploration.find(state).unwrap().index()].clone();
        for id in expected.exploration.ids() {
            let state = expected.exploration.state(id);
            let position = Position { layer: expected.distances[id.index()], state: state.clone() };
            let Ok(worth) = solution.worth(&position) else {
                assert!(matches!(solution.query_so_far(&position), Err(ReadError::Unsettled { .. })));
                continue;
            };
            let query = solution.query_so_far(&position).unwrap();
            assert_eq!((query.value.as_deref(), query.value.clone()), (worth.value, value(state)));
            let unsettled = query.moves.iter().filter(|option| option.unsettled).count();
            for option in &query.moves {
                let after = Position { layer: position.layer + 1, state: option.successor.clone() };
                assert_eq!(option.unsettled, solution.worth(&after).is_err(), "{query}");
                let own = value(&option.successor);
                let known = (own.clone(), own == query.value);
                let none = (None, false);
                let found = (option.value.clone(), option.keeps_value);
                assert_eq!(found, if option.unsettled { none } else { known }, "{query}");
            }
            assert!(query.terminal || query.moves[0].optimal && !query.moves[0].unsettled, "{query}");
            assert!(query.moves.iter().rev().take(unsettled).all(|option| option.unsettled), "{query}");
            // With all moves there is nothing else to say, and without some no distance.
            match solution.query(&position, None) {
                Ok(all) => assert_eq!((all, unsettled), (query, 0)),
                Err(ReadError::Unsettled { .. }) => {
                    assert!(unsettled > 0, "{query}");
                    assert!(matches!(solution.query(&position, Some(1000)), Err(ReadError::Unsettled { .. })));
                    if !told {
                        let state = state.names(&game).join(" ");
                        assert!(asked(&path, &state, "text").contains("not known yet"), "{query}");
                        let told: serde_json::Value = serde_json::from_str(&asked(&path, &state, "json")).unwrap();
                        assert_eq!(told["value"], serde_json::json!(query.value));
                        let moves = told["moves"].as_array().unwrap();
                        let marked = moves.iter().filter(|option| option["unsettled"] == true);
                        assert_eq!(marked.count(), unsettled, "{told}");
                    }
                    (some, told) = (some + 1, true);
                }
                Err(error) => panic!("{error}"),
            }
            whole += usize::from(unsettled == 0);
        }
    }
    assert!(whole > 20 && some > 0, "{whole} with all moves, {some} without");
}

#[test]
fn the_reader_in_python_agrees() {
    if Command::new("python3").arg("--version").output().is_err() {
        lacking("python3", "Debian: python3");
        return;
    }
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/read_solution.py");
    for text in [ENDLESS.to_owned(), random_cyclic_game(1), random_cyclic_game(3)] {
        let (game, expected) = brute_force(&text, OpponentModel::MaxOwn);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ggs");
        store(&text, &path, &options(OpponentModel::MaxOwn), usize::MAX).unwrap();
        let exploration = &expected.exploration;
        for id in exploration.ids().step_by(1 + exploration.len() / 12) {
            let fluents = exploration.state(id).names(&game).join(" ");
            let output = Command::new("python3").arg(&reader).arg(&path).arg(&fluents).output().unwrap();
            let value = match (&expected.values[id.index()], expected.rounds[id.index()]) {
                (Some(value), Some(round)) => {
                    let roles = game.roles.iter().zip(value).map(|(role, reward)| format!("{role} {reward}"));
                    format!("{}, round {round}", roles.collect::<Vec<_>>().join(", "))
                }
                _ => "endless".to_owned(),
            };
            let line = format!("layer {}: {value}\n", expected.distances[id.index()]);
            assert_eq!(String::from_utf8_lossy(&output.stdout), line, "{fluents}");
        }
    }
}

#[test]
fn a_check_of_all_states_keeps_to_its_memory() {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("dodgem_3.ggs");
    told(&["solve", shipped("dodgem_3.gdl").to_str().unwrap(), "-o", folder.to_str().unwrap()], "");
    let full = Options { full: true, ..Options::default() };
    let within = |limits: &Limits| verify(&folder, None, &full, limits, &Silent).map(|found| found.findings);
    let limits = Limits::unlimited();
    assert_eq!(within(&limits).unwrap(), []);
    let states = 1963 * 100;
    assert!(limits.peak() > states, "{}", limits.peak());
    let found = within(&Limits::new(states));
    assert!(matches!(found, Err(ReadError::Limit(LimitReached::Memory { .. }))), "{found:?}");
}

#[test]
fn wrong_figures_and_examples_of_endless_play_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ggs");
    store(ENDLESS, &path, &options(OpponentModel::MaxOwn), usize::MAX).unwrap();
    let right = Manifest::load(&path).unwrap();
    type Change = fn(&mut Manifest);
    let changes: [(&str, Change); 5] = [
        ("layer 1: the manifest has", |manifest| manifest.layers[1].nodes += 1),
        ("the encoding is told as", |manifest| manifest.encoding.fluents += 1),
        ("do not lead from its state back", |manifest| manifest.cycle.as_mut().unwrap().moves.clear()),
        ("do not lead to the state", |manifest| manifest.cycle.as_mut().unwrap().state[0].push('x')),
        ("do not lead to the state", |manifest| manifest.cycle.as_mut().unwrap().path.insert(0, "away".to_owned())),
    ];
    for (expected, change) in changes {
        let mut manifest = right.clone();
        change(&mut manifest);
        manifest.save(&path).unwrap();
        let found = verify(&path, None, &Options::default(), &Limits::unlimited(), &Silent).unwrap().findings;
        assert!(
            found.iter().any(|finding| format!("{}: {}", finding.place, finding.message).contains(expected)),
            "{expected}: {found:?}"
        );
    }
}

#[test]
fn more_rounds_than_states_are_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ggs");
    store(ENDLESS, &path, &options(OpponentModel::MaxOwn), usize::MAX).unwrap();
    replace(ENDLESS, &path, |rounds, _, digits, context| {
        *rounds = 1 << 26;
        digits.push(kernel::renamed(&digits[0], |digit| digit, context).unwrap());
    });
    let found = verify(&path, None, &Options::default(), &Limits::unlimited(), &Silent).map(|found| found.findings);
    assert!(matches!(&found, Err(ReadError::Damaged(text)) if text.contains("67108864 rounds for ")), "{found:?}");
}
