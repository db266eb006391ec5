//! Exact values of games with chance in which play can go on for ever, against plain iteration of values from below, and
//! published figures; what is stored of them, and the moves that are said to be best.

use crate::common::sample::random_graph_with_chance;
use crate::common::{game, program, random_games};
use api::verify::{Claim, How};
use game::interpreter::{Interpreter, State};
use game::propositional::Game;
use ggsolve::session::RunReport;
use ggsolve::{Algorithm, Destination, Error, Limits, Position, Session, SolveOptions, Source, VerifyOptions};
use indexmap::IndexSet;
use solving::solution::{ExactSolution, ReadError};
use solving::store::manifest::Progress;
use solving::store::{Manifest, checksum, hex};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn solve(text: &str, options: &SolveOptions, folder: &Path) -> Result<RunReport, Error> {
    let session = Session::default();
    let rules = session.load(Source::new("round.gdl", text.as_bytes()));
    session.solve(&rules, options, &Destination::Folder { folder: folder.to_owned(), force: false })
}

fn verify(folder: &Path) -> ggsolve::session::VerifyReport {
    let options = VerifyOptions { full: true, ..VerifyOptions::default() };
    Session::default().verify(folder, None, &options).unwrap()
}

/// By role: the numbers of its moves. By joint move, chance last and changing fastest: the state after it.
struct Stage {
    choices: Vec<usize>,
    after: Vec<usize>,
}

/// All states, with what an end pays or what follows.
struct Plain {
    states: IndexSet<State>,
    stages: Vec<Result<Stage, Vec<f64>>>,
    players: usize,
}

impl Plain {
    fn new(game: &Game) -> Plain {
        let (interpreter, players) = (Interpreter::new(game), game.players());
        let mut states = IndexSet::from([interpreter.initial()]);
        let mut stages = Vec::new();
        while let Some(state) = states.get_index(stages.len()).cloned() {
            let situation = interpreter.situation(&state);
            stages.push(match situation.terminal {
                true => Err(situation.goals[..players].iter().map(|goals| goals[0].into()).collect()),
                false => {
                    let after: Vec<State> =
                        situation.joint_moves().map(|joint| interpreter.successor(&state, &joint)).collect();
                    Ok(Stage {
                        choices: situation.legal.iter().map(Vec::len).collect(),
                        after: after.into_iter().map(|after| states.insert_full(after).0).collect(),
                    })
                }
            });
        }
        Plain { states, stages, players }
    }

    /// The mean after each move of a player, the least over the moves of all other players.
    fn replies(&self, stage: &Stage, player: usize, values: &[f64]) -> Vec<f64> {
        let chance: usize = stage.choices[self.players..].iter().product();
        let below: usize = stage.choices[player + 1..self.players].iter().product();
        let mut replies = vec![f64::INFINITY; stage.choices[player]];
        for (joint, outcomes) in stage.after.chunks(chance).enumerate() {
            let mean = outcomes.iter().map(|&next| values[next]).sum::<f64>() / chance as f64;
            let own = joint / below % stage.choices[player];
            replies[own] = replies[own].min(mean);
        }
        replies
    }

    /// What a player gets by `own`, of the number of a state and what its moves come to, against all others. The values
    /// rise from 0, so that play without end pays nothing.
    fn values(&self, player: usize, own: &dyn Fn(usize, &[f64]) -> f64) -> Vec<f64> {
        let mut values = vec![0.0; self.stages.len()];
        for _ in 0..1_000_000 {
            let mut change: f64 = 0.0;
            for (state, stage) in self.stages.iter().enumerate() {
                let value = match stage {
                    Ok(stage) => own(state, &self.replies(stage, player, &values)),
                    Err(rewards) => rewards[player],
                };
                change = change.max(value - values[state]);
                values[state] = value;
            }
            if change < 1e-13 {
                break;
            }
        }
        values
    }

    /// What a player can force.
    fn forced(&self, player: usize) -> Vec<f64> {
        self.values(player, &|_, replies| replies.iter().copied().fold(0.0, f64::max))
    }

    /// Whether any player has a choice with an effect on what follows.
    fn has_choices(&self) -> bool {
        self.stages.iter().flatten().any(|stage| {
            let chance: usize = stage.choices[self.players..].iter().product();
            let mut outcomes: Vec<Vec<usize>> = stage.after.chunks(chance).map(<[usize]>::to_vec).collect();
            outcomes.iter_mut().for_each(|outcomes| outcomes.sort_unstable());
            outcomes.iter().any(|other| *other != outcomes[0])
        })
    }

    /// The sum at every end, if it is the same.
    fn sum(&self) -> Option<f64> {
        let mut sums = self.stages.iter().filter_map(|stage| stage.as_ref().err()).map(|rewards| rewards.iter().sum());
        let first = sums.next().unwrap_or_default();
        sums.all(|sum: f64| sum == first).then_some(first)
    }

    /// By state: what each player gets, if there is a single value.
    fn solved(&self) -> Option<Vec<Vec<f64>>> {
        let forced: Vec<Vec<f64>> = (0..self.players).map(|player| self.forced(player)).collect();
        let all: Vec<Vec<f64>> =
            (0..self.stages.len()).map(|state| forced.iter().map(|values| values[state]).collect()).collect();
        let has_value = match self.players {
            _ if !self.has_choices() => true,
            1 => true,
            2 => self.sum().is_some_and(|sum| all.iter().all(|value| (value.iter().sum::<f64>() - sum).abs() < 1e-6)),
            _ => false,
        };
        has_value.then_some(all)
    }

    /// Whether a play comes back to a state.
    fn goes_round(&self) -> bool {
        let mut left: Vec<bool> = vec![true; self.stages.len()];
        loop {
            let stays = |state: usize| {
                self.stages[state].as_ref().is_ok_and(|stage| stage.after.iter().any(|&next| left[next]))
            };
            let next: Vec<bool> = (0..left.len()).map(|state| left[state] && stays(state)).collect();
            if next == left {
                return left.contains(&true);
            }
            left = next;
        }
    }
}

fn assert_near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-6, "{what}: {found}, expected {expected}");
}

/// The best moves of a player keep its value, and come to an end: drawn at random they are worth as much as it can force.
fn assert_best_moves(plain: &Plain, solution: &ExactSolution, player: usize, expected: &[f64], what: &str) {
    let best: Vec<Vec<bool>> = (plain.states.iter())
        .map(|state| {
            let position = Position { layer: 0, state: state.clone() };
            let mixture = solution.mixture(&position, player, &Limits::unlimited()).unwrap().unwrap_or_default();
            mixture.iter().map(|likely| likely.to_f64() > 0.0).collect()
        })
        .collect();
    let values = plain.values(player, &|state, replies| {
        let best = replies.iter().zip(&best[state]).filter(|(_, best)| **best).map(|(reply, _)| *reply);
        let number = best.clone().count() as f64;
        best.sum::<f64>() / number
    });
    values.iter().zip(expected).for_each(|(found, expected)| assert_near(*found, *expected, what));
}

#[test]
fn random_games_have_the_values_of_plain_iteration() {
    // By number of players: solved; those without choices; refused; what roles can force.
    let (mut solved, mut chains, mut refused, mut unequal, mut forced) = ([0; 4], 0, 0, 0, 0);
    let mut seeds = 0..3 * random_games(400);
    while solved.iter().sum::<u64>() + refused < random_games(400) {
        let seed = seeds.next().expect("most games go round");
        let text = random_graph_with_chance(seed);
        let grounded = game(&program("round", text.as_bytes()));
        let plain = Plain::new(&grounded);
        if !plain.goes_round() {
            continue;
        }
        let (folder, expected) = (tempfile::tempdir().unwrap(), plain.solved());
        let path = folder.path().join("g");
        let guarantees = if seed % 3 == 0 { vec!["all".to_owned()] } else { Vec::new() };
        let options = SolveOptions { threads: 1 + seed as usize % 2, guarantees, ..SolveOptions::default() };
        let report = match solve(&text, &options, &path) {
            Err(Error::Refused { refusal, .. }) => {
                assert_eq!((refusal.code, &expected), ("no-single-value", &None), "{seed}: {refusal:?}\n{text}");
                assert!(!refusal.state.is_empty() && options.guarantees.is_empty(), "{refusal:?}");
                (refused, unequal) = (refused + 1, unequal + u64::from(plain.players == 2 && plain.sum().is_some()));
                continue;
            }
            report => report.unwrap(),
        };
        assert_eq!((report.algorithm, report.cycle.is_some()), (Algorithm::Exact, true), "{seed}");
        assert_eq!(report.exact_value.is_some(), expected.is_some(), "{seed}\n{text}");
        let solution = ExactSolution::open(&path, &Limits::unlimited()).unwrap();
        if let Some(expected) = &expected {
            for (state, expected) in plain.states.iter().zip(expected) {
                let value = solution.value(&Position { layer: 0, state: state.clone() }).unwrap().unwrap().floats();
                value.iter().zip(expected).for_each(|(found, expected)| assert_near(*found, *expected, &text));
            }
            for player in 0..plain.players {
                let expected: Vec<f64> = expected.iter().map(|value| value[player]).collect();
                assert_best_moves(&plain, &solution, player, &expected, &format!("{seed}, {player}\n{text}"));
            }
            solved[plain.players] += 1;
            chains += u64::from(!plain.has_choices());
        } else {
            refused += 1;
        }
        for player in (0..plain.players).filter(|_| !options.guarantees.is_empty()) {
            let expected = plain.forced(player);
            let role = solution.role_name(player);
            for (state, expected) in plain.states.iter().zip(&expected) {
                let query = solution.query(&Position { layer: 0, state: state.clone() }).unwrap();
                assert_near(query.guarantees[&role].value.to_f64(), *expected, &text);
            }
            if report.exact_value.is_none() {
                assert_best_moves(&plain, &solution, player, &expected, &format!("{seed}, {player}\n{text}"));
            }
            forced += 1;
        }
        let verified = verify(&path);
        assert!(verified.ok && verified.complete, "{seed}: {verified}");
        let how = report.exact_value.is_some().then_some(How::Proved);
        assert_eq!([Claim::ExactValues, Claim::Rounds].map(|claim| verified.claims.of(claim)), [how; 2], "{verified}");
    }
    let few = |number: u64| number * 20 < random_games(400);
    println!("{solved:?} solved, {chains} chains, {refused} refused, {unequal} of them with a sum, {forced} forced");
    assert!(![solved[1], solved[2], chains, refused, unequal, forced].into_iter().any(few), "{solved:?}");
    assert!(solved[3] > 0);
}

/// Piglet with goal 2 (Neller and Presser, "Optimal Play of the Dice Game Pig", 2004): who tosses heads gets a point in
/// this turn, tails loses them. The published figures are the chances to win of who is in turn.
#[test]
fn piglet_has_the_published_values() {
    let text = "(role a) (role b) (role random) (other a b) (other b a)
        (init (points a 0)) (init (points b 0)) (init (turn a)) (init (total 0)) (plus 0 0 0) (plus 0 1 1) (plus 1 0 1)
        (<= (legal ?p flip) (true (turn ?p))) (<= (legal ?p hold) (true (turn ?p)))
        (<= (legal ?p wait) (other ?p ?q) (not (true (turn ?p)))) (legal random heads) (legal random tails)
        (<= flips (does ?p flip)) (<= up flips (does random heads)) (<= over (not up))
        (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q) over) (<= (next (turn ?p)) (true (turn ?p)) up)
        (<= (next (total 0)) over) (<= (next (total 1)) up (true (total 0)))
        (<= (next (points ?p ?n)) (does ?p hold) (true (points ?p ?m)) (true (total ?k)) (plus ?m ?k ?n))
        (<= (next (points ?p ?n)) (true (points ?p ?n)) (not (does ?p hold)))
        (<= (next (won ?p)) (true (turn ?p)) up (true (points ?p 1)))
        (<= (next (won ?p)) (true (turn ?p)) up (true (points ?p 0)) (true (total 1)))
        (<= (next (won ?p)) (does ?p hold) (true (points ?p 1)) (true (total 1)))
        (<= terminal (true (won ?p))) (<= (goal ?p 100) (true (won ?p))) (<= (goal ?q 0) (true (won ?p)) (other ?p ?q))";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("piglet");
    solve(text, &SolveOptions::default(), &path).unwrap();
    let solution = ExactSolution::open(&path, &Limits::unlimited()).unwrap();
    // Points of who is in turn and of the other one, points of this turn.
    let published = [
        ([0, 0, 0], "400/7"),
        ([0, 0, 1], "500/7"),
        ([0, 1, 0], "40"),
        ([0, 1, 1], "60"),
        ([1, 0, 0], "80"),
        ([1, 1, 0], "200/3"),
    ];
    for ([own, other, total], expected) in published {
        let fluents = format!("(points a {own}) (points b {other}) (total {total}) (turn a)");
        let value = solution.value(&solution.position(&fluents).unwrap()).unwrap().unwrap().clone();
        assert_eq!(value.numbers()[0].to_string(), expected, "{fluents}");
    }
    assert!(verify(&path).ok);
}

/// A walk between two ends, by one step up or down with the same chance.
fn ruin(length: usize) -> String {
    let succ: String = (0..length).map(|step| format!("(succ {step} {}) ", step + 1)).collect();
    format!(
        "(role a) (role random) (init (at 1)) (legal a wait) (legal random up) (legal random down) {succ}
         (<= (next (at ?m)) (true (at ?n)) (does random up) (succ ?n ?m))
         (<= (next (at ?m)) (true (at ?n)) (does random down) (succ ?m ?n))
         (<= terminal (true (at 0))) (<= terminal (true (at {length})))
         (<= (goal a 100) (true (at {length}))) (<= (goal a 0) (true (at 0)))"
    )
}

#[test]
fn a_fair_gambler_wins_by_its_part_of_the_money() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ruin");
    let report = solve(&ruin(60), &SolveOptions::default(), &path).unwrap();
    assert_eq!(report.exact_value.unwrap().to_string(), "5/3");
    let solution = ExactSolution::open(&path, &Limits::unlimited()).unwrap();
    for money in 0..=60i64 {
        let value = solution.value(&solution.position(&format!("(at {money})")).unwrap()).unwrap().unwrap().clone();
        assert_eq!(value.numbers()[0], game::matrix::Rational::new((100 * money).into(), 60.into()));
    }
}

/// Play without end pays nobody, also where nothing else could come of it.
#[test]
fn play_without_end_pays_nobody() {
    let text = "(role a) (role b) (role random) (init (at 0)) (legal a wait) (legal b wait)
        (legal random left) (legal random right) (turn 0 left 1) (turn 0 right 2) (turn 2 left 3) (turn 2 right 3)
        (turn 3 left 2) (turn 3 right 2)
        (<= (next (at ?y)) (true (at ?x)) (does random ?d) (turn ?x ?d ?y)) (<= terminal (true (at 1))) (goal a 60) (goal b 40)";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g");
    let report = solve(text, &SolveOptions::default(), &path).unwrap();
    assert_eq!(report.exact_value.unwrap().to_string(), "30 20");
    let solution = ExactSolution::open(&path, &Limits::unlimited()).unwrap();
    let round = solution.position("(at 2)").unwrap();
    assert_eq!(solution.value(&round).unwrap().unwrap().to_string(), "0 0");
    // The line would go on for ever.
    let mut query = solution.query(&round).unwrap();
    solution.explain(&mut query, &round, &Limits::unlimited()).unwrap();
    assert!(verify(&path).ok);
    let whole = text
        .replace("(<= terminal (true (at 1)))", "(<= terminal (true (at 7)))")
        .replace("(turn 0 left 1)", "(turn 0 left 0)");
    let report = solve(&whole, &SolveOptions::default(), &folder.path().join("whole")).unwrap();
    assert_eq!(report.exact_value.unwrap().to_string(), "0 0");
    assert!(verify(&folder.path().join("whole")).ok);
}

/// Two players of whom the one who shoots first mostly loses. Both wait.
const DUEL: &str = "(role a) (role b) (role random) (init (turn a)) (other a b) (other b a)
    (<= (legal ?p wait) (other ?p ?q)) (<= (legal ?p shoot) (true (turn ?p)))
    (legal random 1) (legal random 2) (legal random 3)
    (<= (next (turn ?q)) (true (turn ?p)) (does ?p wait) (other ?p ?q))
    (<= (next (won ?p)) (does ?p shoot) (does random 1))
    (<= (next (won ?q)) (does ?p shoot) (not (does random 1)) (other ?p ?q))
    (<= terminal (true (won ?p))) (<= (goal ?p 90) (true (won ?p))) (<= (goal ?q 0) (true (won ?p)) (other ?p ?q))";

#[test]
fn who_would_rather_wait_has_no_single_value() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g");
    let Err(Error::Refused { refusal, .. }) = solve(DUEL, &SolveOptions::default(), &path) else { panic!("refused") };
    assert_eq!((refusal.code, &refusal.state[..]), ("no-single-value", &["(turn a)".to_owned()][..]));
    assert!(refusal.message.contains("a can force 30 there, but b cannot force the other 60"), "{}", refusal.message);
    assert!(!path.exists(), "nothing is kept");
    let options = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
    let report = solve(DUEL, &options, &path).unwrap();
    let forced: Vec<String> =
        report.guarantees.values().map(|own| own.exact.as_ref().unwrap().value.to_string()).collect();
    assert_eq!(forced, ["30", "30"]);
    let solution = ExactSolution::open(&path, &Limits::unlimited()).unwrap();
    let query = solution.query(&solution.start()).unwrap();
    // Only to shoot comes to an end.
    let likely: Vec<(&str, String)> = (query.guarantees["a"].strategy.iter())
        .map(|mixed| (mixed.action.as_str(), mixed.probability.0.to_string()))
        .collect();
    assert_eq!(likely, [("shoot", "1".to_owned()), ("wait", "0".to_owned())]);
    let verified = verify(&path);
    assert!(verified.ok && verified.complete, "{verified}");
}

/// Other games in which players choose and play can go on for ever have no single value, either.
#[test]
fn other_games_with_choices_are_refused_with_the_reason() {
    let three = DUEL.replace("(role random)", "(role c) (role random)") + "(legal c wait) (goal c 10)";
    let unequal = DUEL.replace("(goal ?p 90) (true (won ?p))", "(goal ?p 90) (true (won ?p)) (distinct ?p a)")
        + "(<= (goal a 80) (true (won a)))";
    for (text, reason) in [(three, "more than two"), (unequal, "does not sum up to the same at every end")] {
        let folder = tempfile::tempdir().unwrap();
        let result = solve(&text, &SolveOptions::default(), &folder.path().join("g"));
        let Err(Error::Refused { refusal, .. }) = result else { panic!("refused") };
        assert_eq!(refusal.code, "no-single-value");
        assert!(refusal.message.contains(reason), "{}", refusal.message);
    }
}

/// A player that may stay where it is as long as it likes, and a coin that it may toss for ever without a gain.
const LINGER: &str = "(role a) (role random) (init (at 0)) (<= (legal random none) (not (true (at 1))))
    (<= (legal random heads) (true (at 1))) (<= (legal random tails) (true (at 1)))
    (<= (legal a ?m) (true (at ?x)) (go ?x ?m ?y)) (<= (legal a toss) (true (at 1))) (<= (legal a wait) (true (at 2)))
    (go 0 stay 0) (go 0 leave 1) (go 1 back 0) (go 1 out 3)
    (<= (next (at ?y)) (true (at ?x)) (does a ?m) (go ?x ?m ?y))
    (<= (next (at 1)) (does a toss) (does random heads)) (<= (next (at 2)) (does a toss) (does random tails))
    (<= (next (at 1)) (true (at 2)))
    (<= terminal (true (at 3))) (goal a 70)";

#[test]
fn who_may_stay_does_not_stay_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g");
    solve(LINGER, &SolveOptions::default(), &path).unwrap();
    let solution = ExactSolution::open(&path, &Limits::unlimited()).unwrap();
    let told = |moves: &str| -> Vec<(String, bool, bool)> {
        let query = solution.query(&solution.follow(&solution.start(), moves).unwrap()).unwrap();
        let mut told: Vec<_> =
            (query.moves.iter()).map(|option| (option.joint[0].clone(), option.keeps_value, option.optimal)).collect();
        told.dedup();
        told
    };
    let expected = |told: &[(&str, bool)]| -> Vec<(String, bool, bool)> {
        told.iter().map(|&(name, best)| (name.to_owned(), true, best)).collect()
    };
    assert_eq!(told(""), expected(&[("leave", true), ("stay", false)]));
    assert_eq!(told("stay leave"), expected(&[("out", true), ("back", false), ("toss", false)]));
    let line = solution.line(&solution.start(), &Limits::unlimited()).unwrap();
    assert_eq!(line.moves, ["leave"]);
    assert!(verify(&path).ok);
}

/// Writes a file of a layer anew with another text and checksums that fit.
fn forged(folder: &Path, name: &str, from: &str, to: &str) {
    let path = folder.join(name);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.truncate(bytes.len() - 32);
    let place = bytes.windows(from.len()).position(|part| part == from.as_bytes());
    let place = place.unwrap_or_else(|| panic!("{name} lacks {from}: {}", String::from_utf8_lossy(&bytes[72..])));
    bytes.splice(place..place + from.len(), to.bytes());
    let sum = checksum(&bytes);
    bytes.extend(sum);
    std::fs::write(&path, &bytes).unwrap();
    let mut manifest = Manifest::load(folder).unwrap();
    for layer in &mut manifest.layers {
        for file in layer.numbers_file.iter_mut().filter(|file| file.name == name) {
            (file.bytes, file.sha256) = (bytes.len() as u64, hex(&checksum(&bytes)));
        }
    }
    manifest.save(folder).unwrap();
}

#[test]
fn planted_faults_are_found() {
    let found = |text: &str, changes: &[(&str, &str, &str)]| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g");
        solve(text, &SolveOptions::default(), &path).unwrap();
        assert!(verify(&path).ok);
        changes.iter().for_each(|(name, from, to)| forged(&path, name, from, to));
        let verified = verify(&path);
        assert!(!verified.ok, "{changes:?}");
        verified.findings.into_iter().map(|finding| finding.message).collect::<Vec<_>>().join("; ")
    };
    let layer = |layer: usize| format!("layer-{layer:05}.numbers");
    let [first, second, third] = [0, 1, 2].map(layer);
    let told = found(&ruin(4), &[(&first, "1 25", "1 26")]);
    assert!(told.contains("does not follow"), "{told}");
    // Without a way out, values that rest on each other could be anything.
    let names = [&first, &second, &third];
    let all: Vec<(&str, &str, &str)> = names.iter().map(|name| (name.as_str(), "1 0 : -", "1 99 : 1")).collect();
    let told = found(&LINGER.replace("(go 1 out 3)", "(go 1 out 1)"), &all);
    assert!(told.contains("round does not follow"), "{told}");
    // Rounds: too early, too late, and at an end.
    let told = found(LINGER, &[(&first, "1 70 : 2", "1 70 : 1")]);
    assert!(told.contains("round does not follow"), "{told}");
    let told = found(LINGER, &[(&second, "1 70 : 1", "1 70 : 4")]);
    assert!(told.contains("round does not follow"), "{told}");
    let told = found(LINGER, &[(&third, "1 70 : 0", "1 70 : 1")]);
    assert!(told.contains("terminal state has a round"), "{told}");
}

/// All files of a folder, the manifest without the records of the runs and without its checksum.
fn lasting(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let (name, mut bytes) = (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap());
        if name == "manifest.json" {
            let mut manifest: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            let fields = manifest.as_object_mut().unwrap();
            ["runs", "checksum"].into_iter().for_each(|name| drop(fields.remove(name).unwrap()));
            bytes = serde_json::to_vec_pretty(&manifest).unwrap();
        }
        (name, bytes)
    };
    std::fs::read_dir(folder).unwrap().map(read).collect()
}

fn assert_same(one: &Path, other: &Path, what: &str) {
    let (one, other) = (lasting(one), lasting(other));
    assert!(one.keys().eq(other.keys()), "{what}: {:?}, {:?}", one.keys(), other.keys());
    one.iter().for_each(|(name, bytes)| assert!(*bytes == other[name], "{what}: {name} differs"));
}

/// A game is stored in several ways, always with the same bytes. None if it has no single value, few layers or hardly any
/// values, or if no state repeats.
fn stored_in_several_ways(name: &str, text: &str) -> Option<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = |way: &str| folder.path().join(way);
    let run = |threads: usize, way: &str| solve(text, &SolveOptions { threads, ..SolveOptions::default() }, &path(way));
    let one = match run(1, "one") {
        Err(Error::Refused { refusal, .. }) if refusal.code == "no-single-value" => return None,
        report => report.unwrap(),
    };
    let manifest = Manifest::load(&path("one")).unwrap();
    let (layers, shares) = (manifest.layers.len(), manifest.layers.iter().flat_map(|layer| &layer.shares).flatten());
    if layers < 4 || one.cycle.is_none() || shares.count() <= layers {
        return None;
    }
    assert_eq!((manifest.version, manifest.phase), (7, Progress::Complete), "{name}");
    assert!(manifest.layers.iter().all(|layer| layer.values_file.is_some() && layer.numbers_file.is_some()), "{name}");
    let same = |threads: usize, way: &str| {
        let report = run(threads, way).unwrap();
        assert_eq!((&report.exact_value, &report.cycle), (&one.exact_value, &one.cycle), "{name}, {way}");
        assert_same(&path("one"), &path(way), &format!("{name}, {way}"));
    };
    [(1, "again"), (2, "two"), (3, "three"), (8, "eight")].into_iter().for_each(|(threads, way)| same(threads, way));
    // Counted first, then solved.
    solve(text, &SolveOptions { count_only: true, threads: 2, ..SolveOptions::default() }, &path("counted")).unwrap();
    assert!(Manifest::load(&path("counted")).unwrap().layers.iter().all(|layer| layer.values_file.is_none()));
    same(2, "counted");
    // As a run leaves it that was stopped before the values of the first half of the layers.
    let mut manifest = Manifest::load(&path("counted")).unwrap();
    manifest.phase = Progress::Backward;
    for layer in &mut manifest.layers[..layers / 2] {
        (layer.values_file, layer.numbers_file, layer.shares) = (None, None, None);
    }
    manifest.save(&path("counted")).unwrap();
    let solution = ExactSolution::open(&path("counted"), &Limits::unlimited()).unwrap();
    assert!(matches!(solution.query(&solution.start()), Err(ReadError::Unfinished { .. })));
    drop(solution);
    same(1, "counted");
    // The same after the first half of the layers of states.
    manifest.phase = Progress::Forward;
    manifest.layers.truncate(layers / 2);
    for layer in &mut manifest.layers {
        (layer.values_file, layer.numbers_file, layer.shares) = (None, None, None);
    }
    (manifest.states, manifest.terminal_states) = (None, None);
    (manifest.progress_measure, manifest.alternating) = (None, None);
    (manifest.turn_taking, manifest.opponent_model) = (false, None);
    manifest.save(&path("counted")).unwrap();
    same(2, "counted");
    Some(())
}

#[test]
fn bytes_do_not_depend_on_threads_or_on_runs_that_were_stopped() {
    let pig = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("games/pig_20.gdl")).unwrap();
    for (name, text) in [("ruin", &ruin(60)), ("pig", &pig), ("ring", &ring())] {
        stored_in_several_ways(name, text)
            .unwrap_or_else(|| panic!("{name} has layers, values and a state that repeats"));
    }
    let games = |seed: &u64| stored_in_several_ways(&seed.to_string(), &random_graph_with_chance(*seed)).is_some();
    assert_eq!((0..200).filter(games).take(12).count(), 12);
}

/// A token on a ring of places that two players drive to either end of an arc, in turn and by chance, and a pattern of
/// lamps that turns with it, in which every two lamps are lit at some time: states of three words.
fn ring() -> String {
    const PLACES: usize = 107;
    let succ: String = (0..PLACES).map(|place| format!("(succ {place} {}) ", (place + 1) % PLACES)).collect();
    let squares: BTreeSet<usize> = (1..PLACES).map(|root| root * root % PLACES).collect();
    let lit: String = squares.iter().map(|lamp| format!("(init (lit {lamp})) ")).collect();
    format!(
        "(role a) (role b) (role random) (other a b) (other b a) {succ} {lit} (init (at 20)) (init (turn a))
         (<= (legal ?p up) (true (turn ?p))) (<= (legal ?p down) (true (turn ?p)))
         (<= (legal ?p wait) (other ?p ?q) (not (true (turn ?p))))
         (legal random follow) (legal random obey) (legal random slip)
         (<= forth (does ?p up) (not (does random slip))) (<= forth (does ?p down) (does random slip))
         (<= (next (at ?m)) (true (at ?n)) forth (succ ?n ?m)) (<= (next (at ?m)) (true (at ?n)) (not forth) (succ ?m ?n))
         (<= (next (lit ?m)) (true (lit ?n)) forth (succ ?n ?m))
         (<= (next (lit ?m)) (true (lit ?n)) (not forth) (succ ?m ?n))
         (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
         (<= terminal (true (at 0))) (<= terminal (true (at 40)))
         (<= (goal a 100) (true (at 40))) (<= (goal a 0) (true (at 0)))
         (<= (goal b 0) (true (at 40))) (<= (goal b 100) (true (at 0)))"
    )
}

#[test]
fn states_of_several_words_have_the_values_of_plain_iteration() {
    let text = ring();
    let plain = Plain::new(&game(&program("ring", text.as_bytes())));
    assert!(plain.goes_round());
    let expected = plain.solved().expect("what the players can force sums up to 100");
    for threads in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ring");
        let report = solve(&text, &SolveOptions { threads, ..SolveOptions::default() }, &path).unwrap();
        assert!(report.cycle.is_some());
        let bits = Manifest::load(&path).unwrap().encoding.bits;
        assert!(bits > 128, "{bits} bits are three words");
        let solution = ExactSolution::open(&path, &Limits::unlimited()).unwrap();
        for (state, expected) in plain.states.iter().zip(&expected) {
            let value = solution.value(&Position { layer: 0, state: state.clone() }).unwrap().unwrap().floats();
            value.iter().zip(expected).for_each(|(found, expected)| assert_near(*found, *expected, "ring"));
        }
        for player in 0..2 {
            let expected: Vec<f64> = expected.iter().map(|value| value[player]).collect();
            assert_best_moves(&plain, &solution, player, &expected, "ring");
        }
        let verified = verify(&path);
        assert!(verified.ok && verified.complete, "{verified}");
        let claims = [Claim::ExactValues, Claim::Rounds].map(|claim| verified.claims.of(claim));
        assert_eq!(claims, [Some(How::Proved); 2], "{verified}");
    }
}
