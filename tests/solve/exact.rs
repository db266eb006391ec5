//! Games with chance and choices at the same time against plain recursion: values of all states, what roles can force, and
//! refusals; in folders that are opened, asked, gone on with and verified.

use crate::common::mixed::{Recursion, Wish};
use crate::common::sample::{random_game, random_mixed_game};
use crate::common::{game, program, random_games};
use api::verify::{Claim, How};
use game::matrix::Rational;
use game::propositional::Game;
use ggsolve::session::RunReport;
use ggsolve::{
    Algorithm, Destination, Error, Event, Listener, OpponentModel, Position, Session, SolveOptions, Source,
    VerifyOptions,
};
use num_bigint::BigUint;
use solving::exact::Value;
use solving::solution::{ExactQuery, ExactSolution, ReadError};
use solving::solve::Common;
use solving::store::manifest::{MixedRecord, Progress};
use solving::store::{Manifest, checksum, hex};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn solve(text: &str, options: &SolveOptions, folder: &Path) -> Result<RunReport, Error> {
    let session = Session::default();
    let rules = session.load(Source::new("mixed.gdl", text.as_bytes()));
    session.solve(&rules, options, &Destination::Folder { folder: folder.to_owned(), force: false })
}

/// The mixtures of a position are probabilities, and against each no move of the other player does better than the value.
fn assert_mixtures(query: &ExactQuery) {
    let (Some(matrix), Some(value)) = (&query.matrix, &query.value) else { return };
    let names: Vec<&String> = query.strategies.keys().collect();
    let place = |name: &String| query.roles.iter().position(|role| role == name).expect("a player");
    let mixed: Vec<Vec<Rational>> = query
        .strategies
        .values()
        .map(|strategy| strategy.iter().map(|mixed| mixed.probability.0.clone()).collect())
        .collect();
    for strategy in &mixed {
        assert_eq!(strategy.iter().sum::<Rational>(), Rational::from_integer(1.into()));
        assert!(strategy.iter().all(|number| *number >= Rational::from_integer(0.into())));
    }
    let [first, second] = [0, 1].map(|player| place(names[player]));
    let sum = |value: &Value| &value.numbers()[first] + &value.numbers()[second];
    if matrix.iter().flatten().any(|one| sum(one) != sum(value)) {
        // One of them matters alone, and may want something else than the most for itself.
        return;
    }
    for column in 0..mixed[1].len() {
        let got = matrix.iter().zip(&mixed[0]).map(|(row, weight)| &row[column].numbers()[second] * weight);
        assert!(got.sum::<Rational>() <= value.numbers()[second], "{query}");
    }
    for row in matrix {
        let got = row.iter().zip(&mixed[1]).map(|(value, weight)| &value.numbers()[first] * weight);
        assert!(got.sum::<Rational>() <= value.numbers()[first], "{query}");
    }
}

/// Compares all values of a folder, and what is said of them.
fn compare(game: &Game, recursion: &Recursion, folder: &Path, report: &RunReport, asked: bool) {
    let solution = ExactSolution::open(folder, &ggsolve::Limits::unlimited()).unwrap();
    let layers = recursion.layers();
    assert_eq!(report.layers.len(), layers.len());
    for (layer, states) in layers.iter().enumerate() {
        assert_eq!(report.layers[layer].states, BigUint::from(states.len()));
        for state in states {
            let position = Position { layer: layer as u32, state: state.clone() };
            let expected = recursion.known[state].clone().map(Value::new);
            assert_eq!(solution.value(&position).unwrap(), expected.as_ref(), "{:?}", state.names(game));
            if asked {
                let query = solution.query(&position).unwrap();
                assert_eq!(query.value, expected);
                assert_mixtures(&query);
            }
        }
    }
    let shares = report.shares.iter().flatten();
    assert_eq!(shares.map(|share| &share.states).sum::<BigUint>(), report.layer_states);
}

#[test]
fn random_games_have_the_values_of_plain_recursion() {
    let (mut solved, mut refused, mut mixed, mut chance, mut overlapping, mut both) = (0, 0, 0, 0, 0, 0);
    for seed in 0..random_games(300) {
        let text = random_mixed_game(seed);
        let grounded = game(&program("mixed", text.as_bytes()));
        let model = OpponentModel::ALL[seed as usize % 2];
        let mut recursion = Recursion::new(&grounded, Wish::Each(model));
        let expected = recursion.start();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mixed.ggs");
        let options = SolveOptions { opponent_model: model, threads: 1 + seed as usize % 2, ..SolveOptions::default() };
        match (solve(&text, &options, &path), expected) {
            (Ok(report), Some(expected)) => {
                // In turns and without chance other tests compare.
                if report.exact_value.is_none() {
                    continue;
                }
                assert_eq!(report.exact_value, Some(Value::new(expected)), "{seed}");
                compare(&grounded, &recursion, &path, &report, seed % 3 == 0);
                solved += 1;
                let count = |of: fn(&solving::store::manifest::MixedRecord) -> &BigUint| {
                    let layers = report.layers.iter().filter_map(|layer| layer.mixed.as_ref());
                    layers.map(of).sum::<BigUint>() > BigUint::ZERO
                };
                let (in_joint, in_chance) = (count(|mixed| &mixed.joint), count(|mixed| &mixed.chance));
                mixed += usize::from(in_joint);
                chance += usize::from(in_chance);
                both += usize::from(in_joint && in_chance);
                overlapping += usize::from(!report.progress_measure);
            }
            (Err(Error::Refused { refusal, .. }), None) => {
                assert_eq!(refusal.code, "no-single-value", "{seed}: {refusal:?}");
                refused += 1;
            }
            (found, expected) => panic!("{seed}: {found:?}, expected {expected:?}\n{text}"),
        }
    }
    let all = [solved, refused, mixed, chance, overlapping, both];
    assert!(all.iter().all(|&number| number as u64 * 60 > random_games(300)), "{all:?}");
}

/// Two bid one of twenty numbers at the same time in two rounds, so that a state has 400 joint moves, or 800 with chance. What
/// each bid is worth adds up, so that every matrix has a saddle point, which plain recursion finds soon.
#[test]
fn hundreds_of_joint_moves_have_the_values_of_plain_recursion() {
    for (chance, seed) in [(false, 1), (true, 2)] {
        let mut random = base::random::Random::new(seed);
        let mut worths = |below: usize| -> Vec<usize> { (0..20).map(|_| random.below(below)).collect() };
        let [near, far, own, other] = [4, 4, 20, 20].map(&mut worths);
        let pairs = || (0..400).map(|pair| (pair / 20, pair % 20));
        let after: String = pairs().map(|(m, n)| format!("(after {m} {n} {}) ", 3 + near[m] - far[n])).collect();
        let paid: String = (0..7)
            .flat_map(|s| pairs().map(move |(m, n)| (s, m, n)))
            .map(|(s, m, n)| format!("(paid {s} {m} {n} {}) ", 30 + 4 * s + own[m] - other[n]))
            .collect();
        let rewards: String = (0..=100).map(|reward| format!("(rest {reward} {}) ", 100 - reward)).collect();
        let more: String =
            (0..=91).map(|reward| format!("(more {reward} {reward} 0) (more {} {reward} 9) ", reward + 9)).collect();
        let numbers: String = (0..20).map(|number| format!("(number {number}) ")).collect();
        let (role, tossed) = match chance {
            false => ("", "(more ?e ?r 0)"),
            true => (
                "(role random) (legal random (toss 0)) (legal random (toss 9))",
                "(does random (toss ?c)) (more ?e ?r ?c)",
            ),
        };
        let text = format!(
            "(role a) (role b) {role} (init (at start)) {numbers} {after} {paid} {rewards} {more}
             (<= (legal a (bid ?n)) (number ?n)) (<= (legal b (bid ?n)) (number ?n))
             (<= (next (at (mid ?s))) (true (at start)) (does a (bid ?m)) (does b (bid ?n)) (after ?m ?n ?s))
             (<= (next (at (end ?e))) (true (at (mid ?s))) (does a (bid ?m)) (does b (bid ?n)) (paid ?s ?m ?n ?r) {tossed})
             (<= terminal (true (at (end ?r))))
             (<= (goal a ?r) (true (at (end ?r)))) (<= (goal b ?o) (true (at (end ?r))) (rest ?r ?o))"
        );
        let grounded = game(&program("bids", text.as_bytes()));
        let mut recursion = Recursion::new(&grounded, Wish::Each(OpponentModel::MaxOwn));
        let expected = recursion.start();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bids.ggs");
        let report = solve(&text, &SolveOptions { threads: 2, ..SolveOptions::default() }, &path).unwrap();
        assert_eq!(report.exact_value, expected.map(Value::new));
        assert!(report.layers[1].states > BigUint::from(3u32) && report.layers[2].states > BigUint::from(20u32));
        compare(&grounded, &recursion, &path, &report, false);
        assert!(Session::default().verify(&path, None, &verify_all()).unwrap().ok);
    }
}

#[test]
fn roles_can_force_what_plain_recursion_says() {
    let (mut alone, mut beside) = (0, 0);
    for seed in 0..random_games(120) {
        let text = random_mixed_game(seed);
        let grounded = game(&program("mixed", text.as_bytes()));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mixed.ggs");
        let options = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
        let report = solve(&text, &options, &path).unwrap();
        if report.guarantees.values().any(|own| own.exact.is_none()) {
            continue;
        }
        let valued = report.exact_value.is_some();
        assert_eq!(report.no_value.is_some(), !valued, "{seed}");
        (alone, beside) = (alone + usize::from(!valued), beside + usize::from(valued));
        let solution = ExactSolution::open(&path, &ggsolve::Limits::unlimited()).unwrap();
        let mut main = Recursion::new(&grounded, Wish::Each(OpponentModel::MaxOwn));
        main.start();
        for player in 0..grounded.players() {
            let mut recursion = Recursion::new(&grounded, Wish::Against(player));
            let expected = recursion.start().expect("what one can force has a value");
            let own = &report.guarantees[player];
            let exact = own.exact.as_ref().expect("an exact value");
            assert_eq!(exact.value.numbers(), [expected[player].clone()], "{seed}");
            assert_eq!(own.forced.is_some(), valued);
            let layers = recursion.layers();
            let role = report.guarantees.get_index(player).expect("a role").0;
            let mut forced = 0u32;
            for (layer, states) in layers.iter().enumerate() {
                for state in states {
                    let value = recursion.known[state].as_ref().expect("a value");
                    let query = solution.query(&Position { layer: layer as u32, state: state.clone() }).unwrap();
                    assert_eq!(query.guarantees[role].value, value[player], "{seed}");
                    assert_eq!(query.value.is_some(), valued || query.terminal);
                    let whole = main.known[state].as_ref();
                    forced += u32::from(valued && whole.is_some_and(|whole| whole[player] == value[player]));
                }
            }
            assert_eq!(own.forced.clone().unwrap_or_default(), forced.into(), "{seed}");
        }
        // Nothing is left to do, and everything is told again.
        let again = solve(&text, &options, &path).unwrap();
        assert_eq!(again.guarantees, report.guarantees, "{seed}");
        assert_eq!(again.from_disk, valued, "{seed}");
        let verified = Session::default().verify(&path, None, &verify_all()).unwrap();
        assert!(verified.ok && verified.complete, "{seed}: {verified}");
        assert_eq!(verified.no_value, report.no_value.as_ref().map(|refusal| refusal.message.clone()));
        let shown = verified.claims.of(Claim::NoValue);
        assert_eq!(shown, (!valued).then_some(How::Proved), "{seed}");
        let stored = Session::default().report(&path).unwrap();
        assert_eq!(stored.guarantees, report.guarantees);
        assert_eq!((stored.no_value, stored.command), (report.no_value, report.command));
    }
    assert!(alone > 5 && beside > 20, "{alone}, {beside}");
}

fn verify_all() -> VerifyOptions {
    VerifyOptions { full: true, ..VerifyOptions::default() }
}

/// Writes a file of a layer anew with other bytes and a checksum that fits, in the manifest as well.
fn forged(folder: &Path, name: &str, change: impl Fn(&mut Vec<u8>)) {
    let path = folder.join(name);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.truncate(bytes.len() - 32);
    change(&mut bytes);
    let sum = checksum(&bytes);
    bytes.extend(sum);
    std::fs::write(&path, &bytes).unwrap();
    let mut manifest = Manifest::load(folder).unwrap();
    for layer in &mut manifest.layers {
        let files = [Some(&mut layer.states_file), layer.values_file.as_mut(), layer.numbers_file.as_mut()];
        for file in files.into_iter().flatten().filter(|file| file.name == name) {
            (file.bytes, file.sha256) = (bytes.len() as u64, hex(&checksum(&bytes)));
        }
    }
    manifest.save(folder).unwrap();
}

/// A game whose start is worth 125/3 by chance, and one with a matrix.
const DICE: &str = "(role white) (role random) (init (at start))
    (<= (legal white go) (true (at start))) (<= (legal white stop) (true (at start)))
    (<= (legal white wait) (not (true (at start))))
    (legal random (die 1)) (legal random (die 2)) (legal random (die 3))
    (pays 1 0) (pays 2 25) (pays 3 100)
    (<= (next (at (end ?r))) (does white go) (does random (die ?n)) (pays ?n ?r))
    (<= (next (at (end 40))) (does white stop))
    (<= terminal (true (at (end ?r))))
    (<= (goal white ?r) (true (at (end ?r))))";

/// Both roles call a side twice; the first one gets what is worth more on the same side.
const PENNIES: &str = "(role even) (role odd) (init (at start)) (init (round 1))
    (<= (legal ?r heads) (role ?r)) (<= (legal ?r tails) (role ?r))
    (<= same (does even ?m) (does odd ?m))
    (<= (next (at won)) same (does even heads)) (<= (next (at half)) same (does even tails))
    (<= (next (at lost)) (not same))
    (<= terminal (not (true (at start))))
    (<= (goal even 100) (true (at won))) (<= (goal even 60) (true (at half))) (<= (goal even 0) (true (at lost)))
    (<= (goal odd 0) (true (at won))) (<= (goal odd 40) (true (at half))) (<= (goal odd 100) (true (at lost)))";

#[test]
fn planted_faults_are_found() {
    let numbers = |text: &str, name: &str, from: &str, to: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.ggs");
        solve(text, &SolveOptions::default(), &path).unwrap();
        let verified = Session::default().verify(&path, None, &verify_all()).unwrap();
        assert!(verified.ok, "{verified}");
        assert!(verified.claims.iter().any(|found| found == (Claim::ExactValues, How::Proved)), "{verified}");
        forged(&path, name, |bytes| {
            let place = bytes.windows(from.len()).position(|part| part == from.as_bytes()).expect("it is there");
            bytes.splice(place..place + from.len(), to.bytes());
        });
        let verified = Session::default().verify(&path, None, &verify_all()).unwrap();
        assert!(!verified.ok, "{name}: {from} for {to}");
        verified.findings.into_iter().map(|finding| finding.message).collect::<Vec<_>>().join("; ")
    };
    // A mean, a matrix, a reward, and how many states there are.
    let found = numbers(DICE, "layer-00000.numbers", "1 125/3", "1 127/3");
    assert!(found.contains("does not follow"), "{found}");
    let found = numbers(PENNIES, "layer-00000.numbers", "1 75/2 125/2", "1 77/2 123/2");
    assert!(found.contains("does not follow"), "{found}");
    let found = numbers(PENNIES, "layer-00001.numbers", "1 60 40", "1 59 41");
    assert!(found.contains("terminal state") && found.contains("does not follow"), "{found}");
    let found = numbers(DICE, "layer-00001.numbers", "1 25", "2 25");
    assert!(found.contains("states with the value 25"), "{found}");
}

#[test]
fn blocks_of_nodes_that_do_not_follow_each_other_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.ggs");
    solve(PENNIES, &SolveOptions::default(), &path).unwrap();
    let mut manifest = Manifest::load(&path).unwrap();
    manifest.turn_taking = true;
    manifest.save(&path).unwrap();
    let verified = Session::default().verify(&path, None, &verify_all()).unwrap();
    assert!(
        verified.findings.iter().any(|finding| finding.message.contains("turn_taking is true; some")),
        "{verified}"
    );
    // The initial state is one path, so that a block has one node and no bits: where it begins does not matter to values.
    forged(&path, "layer-00000.states", |bytes| {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let (directory, nodes) = (72 + 4 * word(20), word(32));
        assert_eq!(bytes.len(), directory + 16 * nodes);
        bytes[directory + 16 * (nodes - 1) + 10] ^= 1;
    });
    let error = Session::default().verify(&path, None, &verify_all()).unwrap_err().to_string();
    assert!(error.contains("blocks that do not follow each other"), "{error}");
}

/// Values whose numerators and denominators have tens of thousands of digits are compared and counted, and told shortly.
#[test]
fn values_of_many_digits_are_found() {
    let mut text = String::from(
        "(role a) (role b) (init (t 0)) (init (x 0)) (<= (legal ?r (m 0)) (role ?r) (true (t ?t)))
         (<= (legal ?r (m 1)) (role ?r) (true (t ?t))) (<= (next (t ?u)) (true (t ?t)) (succ ?t ?u))
         (<= (next (x ?y)) (true (x ?x)) (does a (m ?i)) (does b (m ?j)) (go ?x ?i ?j ?y))
         (<= terminal (true (t 9))) (<= (goal a ?p) (true (x ?x)) (pays ?x ?p ?q)) (<= (goal b ?q) (true (x ?x)) (pays ?x ?p ?q))",
    );
    let after = [[1, 0, 0, 3], [4, 1, 1, 3], [3, 4, 2, 1], [0, 5, 5, 1], [3, 4, 2, 1], [3, 2, 0, 5]];
    for (state, after) in after.iter().enumerate() {
        for (joint, next) in after.iter().enumerate() {
            text += &format!("(go {state} {} {} {next})", joint / 2, joint % 2);
        }
    }
    [89, 86, 32, 69, 21, 3]
        .iter()
        .enumerate()
        .for_each(|(x, pays)| text += &format!("(pays {x} {pays} {})", 100 - pays));
    (0..9).for_each(|step| text += &format!("(succ {step} {})", step + 1));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.ggs");
    let report = solve(&text, &SolveOptions::default(), &path).unwrap();
    assert_eq!(report.states, BigUint::from(51u32));
    let value = report.exact_value.as_ref().unwrap();
    assert!(value.to_string().len() > 50_000);
    assert_eq!(&value.numbers()[0] + &value.numbers()[1], Rational::from_integer(100.into()));
    let told = report.to_string();
    assert!(told.contains("digits)") && told.len() < 5_000, "{told}");
    assert!(Session::default().verify(&path, None, &verify_all()).unwrap().ok);
}

/// Of two stages; the second one has no constant sum after one of the joint moves.
const STAGES: &str = "(role a) (role b) (role random) (init (stage 1)) (word x) (word y)
    (<= (legal ?r (say ?m)) (role ?r) (distinct ?r random) (word ?m) (true (stage ?s))) (legal random sun) (legal random rain)
    (<= (next (stage 2)) (true (stage 1))) (<= (next (said ?m ?n ?w)) (does a (say ?m)) (does b (say ?n)) (does random ?w))
    (<= (next (last ?m ?n ?w)) (true (said ?m ?n ?w)) (true (stage 2)))
    (<= terminal (true (last ?m ?n ?w))) (<= odd (true (last x y rain)) (true (said x y ?w)))
    (<= (goal a 90) odd) (<= (goal b 90) odd) (<= (goal a 50) (not odd)) (<= (goal b 50) (not odd))";

/// The path to a state without a single value has the moves of all roles, and can be followed; what roles can force stays
/// stored where the value is asked for again.
#[test]
fn paths_have_joint_moves_and_refusals_keep_what_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.ggs");
    let all = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
    let solved = solve(STAGES, &all, &path).unwrap();
    let refusal = solved.no_value.unwrap();
    assert_eq!(refusal.path, ["((say x) (say y) rain)"]);
    let solution = ExactSolution::open(&path, &ggsolve::Limits::unlimited()).unwrap();
    let after = solution.follow(&solution.start(), &refusal.path.join(" ")).unwrap();
    let mut state = after.state.names(solution.solution().game());
    state.sort();
    let mut told = refusal.state.clone();
    told.sort();
    assert_eq!(state, told);
    // Other rules, by which what both get sums up to the same, and another play are found to be wrong.
    let session = Session::default();
    let other = STAGES.replace("(goal b 90) odd", "(goal b 10) odd");
    let other = session.load(ggsolve::Source::new("other", other.as_bytes()));
    let verified = session.verify(&path, Some(&other), &VerifyOptions::default()).unwrap();
    assert!(verified.findings.iter().any(|found| found.message.contains("there is a single value in")), "{verified}");
    // Rules by which nobody can move where the play leads.
    let stuck = STAGES.replace("(true (stage ?s)))", "(true (stage 1)))");
    let stuck = session.load(ggsolve::Source::new("stuck", stuck.as_bytes()));
    let verified = session.verify(&path, Some(&stuck), &VerifyOptions::default()).unwrap();
    assert!(verified.findings.iter().any(|found| found.message.contains("no legal move")), "{verified}");
    assert_eq!(verified.claims.of(Claim::NoValue), Some(How::Open));
    let manifest = Manifest::load(&path).unwrap();
    let mut forged = manifest.clone();
    forged.no_value.as_mut().unwrap().path.clear();
    forged.save(&path).unwrap();
    let verified = session.verify(&path, None, &VerifyOptions::default()).unwrap();
    assert!(verified.findings.iter().any(|found| found.message.contains("is no play of the game")), "{verified}");
    manifest.save(&path).unwrap();
    let query = serde_json::to_value(solution.query(&after).unwrap()).unwrap();
    assert_eq!((&query["value"], &query["moves"][0]["optimal"]), (&serde_json::Value::Null, &false.into()));
    // The rules tell what the end pays, though there are no values.
    let end = solution.follow(&after, "((say x) (say y) rain)").unwrap();
    let query = serde_json::to_value(solution.query(&end).unwrap()).unwrap();
    assert_eq!((&query["terminal"], &query["value"]), (&true.into(), &serde_json::json!([90, 90])));
    // A part of a joint move that is wrong is named.
    for (moves, said) in [
        ("((say x) (say z) rain)", "(say z) is not a legal move of b"),
        ("((say x) (say y))", "2 moves for 3 roles"),
        ("(say x)", "1 move for 3 roles"),
    ] {
        let Err(error) = solution.follow(&solution.start(), moves) else { panic!("{moves} is wrong") };
        assert!(error.to_string().contains(said), "{moves}: {error}");
    }
    let guaranteed = |report: &RunReport| report.guarantees.keys().cloned().collect::<Vec<_>>();
    for options in [SolveOptions::default(), SolveOptions { in_turns: true, ..SolveOptions::default() }] {
        assert!(matches!(solve(STAGES, &options, &path), Err(Error::Refused { .. })));
        let again = Session::default().report(&path).unwrap();
        assert_eq!(guaranteed(&again), ["a", "b"]);
        assert!(!again.turn_taking && !solved.turn_taking);
    }
    // What is not for such games is said of stored ones as well.
    let line = SolveOptions { line: true, ..SolveOptions::default() };
    assert!(matches!(solve(STAGES, &line, &path), Err(Error::Options(_))));
}

#[test]
fn a_game_of_chance_alone_is_refused() {
    let text = "(role random) (init (at 0)) (legal random x) (<= (next (at 1)) (does random x))
        (<= terminal (true (at 1))) (goal random 100)";
    let folder = tempfile::tempdir().unwrap();
    let Err(Error::Refused { refusal, .. }) = solve(text, &SolveOptions::default(), &folder.path().join("g")) else {
        panic!("it is refused")
    };
    assert_eq!(refusal.code, "no-player");
}

/// A manifest whose numbers of states by value fit no value of the game is none.
#[test]
fn shares_that_fit_no_value_are_damage() {
    let value = |text: &str| Value::parse(text);
    let cases: [&dyn Fn(&mut Manifest); 4] = [
        &|manifest| manifest.layers[0].shares.as_mut().unwrap()[0].value = value("50"),
        &|manifest| manifest.layers[0].shares.as_mut().unwrap()[0].value = value("75/2 125/2 0"),
        &|manifest| {
            let share = &mut manifest.layers[0].shares.as_mut().unwrap()[0];
            (share.value, share.from) = (None, Some(30));
        },
        &|manifest| manifest.layers[0].shares = Some(Vec::new()),
    ];
    for (number, change) in cases.into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.ggs");
        solve(PENNIES, &SolveOptions::default(), &path).unwrap();
        let mut manifest = Manifest::load(&path).unwrap();
        change(&mut manifest);
        manifest.save(&path).unwrap();
        assert!(ExactSolution::open(&path, &ggsolve::Limits::unlimited()).is_err(), "{number}");
        let Err(error) = Session::default().report(&path) else { panic!("{number}: it is told") };
        assert_eq!(error.kind(), ggsolve::ErrorKind::Solution, "{number}: {error}");
    }
}

#[test]
fn answers_have_mixtures_and_probabilities() {
    let folder = tempfile::tempdir().unwrap();
    let (dice, pennies) = (folder.path().join("dice.ggs"), folder.path().join("pennies.ggs"));
    let report = solve(DICE, &SolveOptions::default(), &dice).unwrap();
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["value"], serde_json::json!(["125/3"]));
    assert_eq!(json["value_float"].as_array().unwrap().len(), 1);
    assert_eq!((&json["algorithm"], &json["turn_taking"]), (&"exact".into(), &true.into()));
    assert_eq!(json["buckets"][0]["rewards"], serde_json::json!([0]));
    assert_eq!(json["layers"][0]["chance_states"], 1);
    assert!(report.to_string().starts_with("mixed: 125/3 (about 41.666667) for white on average\n"), "{report}");
    let limits = ggsolve::Limits::unlimited();
    let solution = ExactSolution::open(&dice, &limits).unwrap();
    let query = serde_json::to_value(solution.query(&solution.start()).unwrap()).unwrap();
    assert_eq!((&query["to_move"], &query["moves"][0]["joint"][0]), (&serde_json::Value::Null, &"go".into()));
    assert_eq!(query["moves"][0]["probability"], "1/3");
    let after = solution.follow(&solution.start(), "go (die 3)").unwrap();
    assert_eq!(solution.value(&after).unwrap().unwrap().to_string(), "100");
    assert_eq!(solution.follow(&solution.start(), "(go (die 3))").unwrap(), after);
    assert!(matches!(solution.follow(&solution.start(), "go"), Err(ReadError::Position(_))));
    assert!(matches!(solution.follow(&solution.start(), "go (die 4)"), Err(ReadError::Position(_))));
    assert!(matches!(solution.follow(&after, "go"), Err(ReadError::Position(_))));

    solve(PENNIES, &SolveOptions::default(), &pennies).unwrap();
    let solution = ExactSolution::open(&pennies, &limits).unwrap();
    let query = solution.query(&solution.start()).unwrap();
    assert_mixtures(&query);
    let json = serde_json::to_value(&query).unwrap();
    assert_eq!(json["value"], serde_json::json!(["75/2", "125/2"]));
    assert_eq!(json["strategies"]["even"][0]["probability"], "3/8");
    assert_eq!(json["matrix"][0], serde_json::json!([[100, 0], [0, 100]]));
    assert_eq!(json["to_move"], serde_json::Value::Null);
    assert!(matches!(ggsolve::Solution::open(&pennies, &limits), Err(ReadError::Exact)));
}

/// Of a player that chooses alone the best move comes first, and of a matrix only moves with a probability are optimal.
#[test]
fn best_moves_come_first_and_moves_outside_of_mixtures_are_not_optimal() {
    let folder = tempfile::tempdir().unwrap();
    let text = "(role a) (role b) (role random) (init (at start)) (legal random flip) (legal random flop)
        (<= (legal a (take ?n)) (true (at start)) (pays ?n ?r)) (<= (legal a (say ?x)) (true (at duel)) (word ?x))
        (<= (legal b (say ?x)) (true (at duel)) (word ?x)) (<= (legal b wait) (not (true (at duel))))
        (<= (legal a wait) (not (true (at start))) (not (true (at duel))))
        (word low) (word high) (word worst) (pays 1 20) (pays 2 70) (pays 3 45)
        (<= (next (at duel)) (does a (take 2)) (does random flip))
        (<= (next (end ?r)) (does a (take ?n)) (does random flop) (pays ?n ?r))
        (<= (next (end ?r)) (does a (take ?n)) (does random flip) (pays ?n ?r) (distinct ?n 2))
        (<= (next (end 90)) (does a (say ?x)) (does b (say ?x)) (distinct ?x worst))
        (<= (next (end 10)) (does a (say ?x)) (does b (say ?y)) (distinct ?x ?y) (distinct ?x worst) (distinct ?y worst))
        (<= (next (end 100)) (does a (say ?x)) (does b (say worst)) (distinct ?x worst))
        (<= (next (end 0)) (does a (say worst)))
        (other 0 100) (other 10 90) (other 20 80) (other 45 55) (other 70 30) (other 90 10) (other 100 0)
        (<= terminal (true (end ?r))) (<= (goal a ?r) (true (end ?r))) (<= (goal b ?q) (true (end ?r)) (other ?r ?q))";
    let path = folder.path().join("g.ggs");
    solve(text, &SolveOptions::default(), &path).unwrap();
    let solution = ExactSolution::open(&path, &ggsolve::Limits::unlimited()).unwrap();
    let query = solution.query(&solution.start()).unwrap();
    let told: Vec<(&str, bool)> =
        query.moves.iter().map(|option| (option.joint[0].as_str(), option.optimal)).step_by(2).collect();
    // (50 + 70) / 2, then 45, then 20.
    assert_eq!(told, [("(take 2)", true), ("(take 3)", false), ("(take 1)", false)]);
    assert_eq!(query.value.unwrap().to_string(), "60 40");
    let duel = solution.query(&solution.follow(&solution.start(), "(take 2) flip").unwrap()).unwrap();
    assert_eq!(duel.value.as_ref().unwrap().to_string(), "50 50");
    for option in &duel.moves {
        let outside = option.joint[..2].iter().any(|action| action == "(say worst)");
        assert_eq!(option.optimal, !outside, "{duel}");
    }
}

#[test]
fn play_that_repeats_with_choices_at_the_same_time_is_refused_with_a_cycle() {
    let text = "(role a) (role b) (role random) (init (at 0)) (legal random go)
        (<= (legal ?r (m ?x)) (role ?r) (x ?x) (distinct ?r random)) (x 0) (x 1)
        (<= (next (at 1)) (does a (m ?x)) (does b (m ?x)) (true (at 0)))
        (<= (next (at 0)) (true (at 1)))
        (<= (next (at 2)) (does a (m ?x)) (does b (m ?y)) (distinct ?x ?y) (true (at 0)))
        (<= terminal (true (at 2))) (goal a 50) (goal b 50)";
    let folder = tempfile::tempdir().unwrap();
    let Err(Error::Refused { refusal, .. }) = solve(text, &SolveOptions::default(), &folder.path().join("g")) else {
        panic!("it is refused")
    };
    assert_eq!(refusal.code, "cyclic");
    let session = Session::default();
    let checked = session.check(&session.load(Source::new("round.gdl", text.as_bytes()))).unwrap();
    let told = serde_json::to_value(&checked).unwrap();
    assert_eq!((&told["solvable"], &told["error"]["code"]), (&false.into(), &"cyclic".into()), "{told}");
    assert!(!refusal.cycle.is_empty() && !refusal.state.is_empty(), "{refusal:?}");
    assert!(refusal.cycle[0].starts_with('('), "a move of each role: {refusal:?}");

    let counting = SolveOptions { count_only: true, ..SolveOptions::default() };
    let stored = solve(text, &counting, &folder.path().join("g")).unwrap();
    assert!(matches!(solve(text, &SolveOptions::default(), &folder.path().join("g")), Err(Error::Refused { .. })));
    let rules = session.load(Source::new("round.gdl", text.as_bytes()));
    let counted = session.solve(&rules, &counting, &Destination::Nowhere(String::new())).unwrap();
    assert_eq!((&stored.layers, &stored.cycle), (&counted.layers, &counted.cycle));
    let mixed = |chance: u32, joint: u32| Some(MixedRecord { chance: chance.into(), joint: joint.into() });
    let layers: Vec<_> = counted.layers.iter().map(|layer| (layer.states.clone(), layer.mixed.clone())).collect();
    assert_eq!(layers, [(1u32.into(), mixed(0, 1)), (2u32.into(), mixed(0, 1))], "by distance");
    assert_eq!((counted.states, counted.terminal_states), (3u32.into(), 1u32.into()));
    assert!(!counted.turn_taking && counted.exact_value.is_none());
    assert_eq!(counted.cycle.map(|cycle| cycle.moves), Some(refusal.cycle));
}

#[test]
fn states_are_counted_and_runs_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mixed.ggs");
    let text = random_mixed_game(7);
    let counted = solve(&text, &SolveOptions { count_only: true, ..SolveOptions::default() }, &path).unwrap();
    assert!(counted.exact_value.is_none() && counted.value.is_none());
    let whole = solve(&text, &SolveOptions::default(), &path).unwrap();
    assert_eq!((&counted.states, &counted.layers[0].mixed), (&whole.states, &whole.layers[0].mixed));
    let bytes = |name: &str| std::fs::read(path.join(name)).unwrap();
    let names: Vec<String> = (0..whole.layers.len())
        .flat_map(|layer| ["states", "ranked", "numbers"].map(|kind| format!("layer-{layer:05}.{kind}")))
        .collect();
    let before: Vec<Vec<u8>> = names.iter().map(|name| bytes(name)).collect();
    // As a run leaves it that was stopped after some layers.
    let mut manifest = Manifest::load(&path).unwrap();
    manifest.phase = Progress::Backward;
    for layer in &mut manifest.layers[..2] {
        (layer.values_file, layer.numbers_file, layer.shares) = (None, None, None);
    }
    manifest.save(&path).unwrap();
    let solution = ExactSolution::open(&path, &ggsolve::Limits::unlimited()).unwrap();
    assert!(matches!(solution.query(&solution.start()), Err(ReadError::Unfinished { .. })));
    drop(solution);
    let again = solve(&text, &SolveOptions { threads: 2, ..SolveOptions::default() }, &path).unwrap();
    assert_eq!((again.exact_value, again.shares), (whole.exact_value, whole.shares));
    assert_eq!(names.iter().map(|name| bytes(name)).collect::<Vec<_>>(), before);
}

#[test]
fn public_games_are_solved() {
    let Some(corpus) = crate::common::corpus() else { return };
    for (name, states, joint) in [("roshambo2", 180u32, None), ("snake2p", 9_505, None)] {
        let session = Session::default();
        let rules = session.load_file(&corpus.join(format!("{name}.kif"))).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let report = session
            .solve(&rules, &SolveOptions::default(), &Destination::Folder { folder: path.clone(), force: false })
            .unwrap();
        assert_eq!(report.states, states.into(), "{name}");
        assert_eq!(report.exact_value, Some(Value::of_rewards(&[50, 50], 2)), "{name}");
        let found: BigUint =
            report.layers.iter().filter_map(|layer| layer.mixed.as_ref()).map(|mixed| &mixed.joint).sum();
        assert!(joint.is_none_or(|joint: u32| found == joint.into()), "{name}: {found}");
        assert!(session.verify(&path, None, &verify_all()).unwrap().ok, "{name}");
    }
}

#[test]
fn limits_end_a_run_and_the_next_one_goes_on() {
    let text = random_mixed_game(7);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mixed.ggs");
    let whole = solve(&text, &SolveOptions::default(), &folder.path().join("whole.ggs")).unwrap();
    // An interruption comes at once, at the first layer of values, and in between.
    let mut ended = 0;
    for place in 0..40 {
        let limits = Arc::new(ggsolve::Limits::new(1 << 30));
        let session = Session::with(Arc::clone(&limits), Arc::new(Interrupting { limits, left: place.into() }));
        let rules = session.load(Source::new("mixed.gdl", text.as_bytes()));
        let destination = Destination::Folder { folder: path.clone(), force: false };
        match session.solve(&rules, &SolveOptions::default(), &destination) {
            Ok(report) => {
                assert_eq!((report.exact_value, report.shares), (whole.exact_value.clone(), whole.shares.clone()));
                ended += 1;
                std::fs::remove_dir_all(&path).unwrap();
            }
            Err(error) => assert_eq!(error.kind(), ggsolve::ErrorKind::Interrupted, "{error}"),
        }
    }
    assert!(ended > 0);
}

/// Interrupts after some events.
struct Interrupting {
    limits: Arc<ggsolve::Limits>,
    left: AtomicUsize,
}

impl Listener for Interrupting {
    fn event(&self, _event: &Event) {
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err() {
            self.limits.interrupt();
        }
    }
}

/// The same algorithm takes games in turns, where it is asked for: there every value is whole, and that of the others.
#[test]
fn games_in_turns_have_the_same_values() {
    let (mut compared, limits) = (0, Arc::new(ggsolve::Limits::unlimited()));
    for seed in 0..random_games(30) {
        let grounded = game(&program("turns", random_game(seed, None).as_bytes()));
        let opponent_model = OpponentModel::ALL[seed as usize % 2];
        let run = |algorithm| {
            let options = SolveOptions { algorithm: Some(algorithm), opponent_model, ..SolveOptions::default() };
            solving::solve::run(&grounded, &options, &limits, &solving::solve::Silent)
        };
        let (Ok(layered), Ok(exact)) = (run(Algorithm::Layered), run(Algorithm::Exact)) else { continue };
        let of_rewards = |rewards: &Option<Vec<u8>>| {
            rewards.as_ref().map(|rewards| Value::of_rewards(rewards, grounded.players())).expect("play ends")
        };
        let value = layered.solution.as_ref().map(|solution| of_rewards(&solution.value));
        assert_eq!(exact.exact.map(|exact| exact.value), value, "{seed}");
        for (one, other) in layered.layers.iter().zip(&exact.layers) {
            let expected: Vec<(Value, BigUint)> =
                one.buckets.iter().map(|bucket| (of_rewards(&bucket.rewards), bucket.states.clone())).collect();
            let found: Vec<(Value, BigUint)> = other
                .shares
                .iter()
                .map(|share| match &share.common {
                    Common::Value(value) => (value.clone(), share.states.clone()),
                    Common::From(_) => panic!("few values"),
                })
                .collect();
            assert_eq!(found, expected, "{seed}");
        }
        compared += 1;
    }
    assert!(compared as u64 > random_games(30) / 2, "{compared}");
}
