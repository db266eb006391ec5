//! Answers on games with chance and choices at the same time: what is asked of a position, matches against the solution,
//! and judged ones.

use crate::common::mixed::{Recursion, Wish};
use crate::common::sample::random_mixed_game;
use crate::common::{game, program};
use api::play::{Command, ExactMatch, Settings};
use api::review::{Record, review_exact};
use base::random::Random;
use game::interpreter::{Interpreter, Situation, State};
use game::matrix::Rational;
use game::propositional::{Game, RoleId};
use ggsolve::{Destination, Limits, OpponentModel, Position, Session, SolveOptions, Source};
use indexmap::IndexMap;
use solving::solution::book::Mirrors;
use solving::solution::{ExactLine, ExactQuery, ExactSolution, Opened, ReadError};
use solving::solve::plan::Terms;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

fn solve(text: &str, options: &SolveOptions, folder: &Path) -> ExactSolution {
    let session = Session::default();
    let rules = session.load(Source::new("mixed.gdl", text.as_bytes()));
    session.solve(&rules, options, &Destination::Folder { folder: folder.to_owned(), force: false }).unwrap();
    ExactSolution::open(folder, &Limits::unlimited()).unwrap()
}

const PENNIES: &str = "(role even) (role odd) (init (at start)) (init (round 1))
    (<= (legal ?r heads) (role ?r)) (<= (legal ?r tails) (role ?r))
    (<= same (does even ?m) (does odd ?m))
    (<= (next (at won)) same (does even heads)) (<= (next (at half)) same (does even tails))
    (<= (next (at lost)) (not same))
    (<= terminal (not (true (at start))))
    (<= (goal even 100) (true (at won))) (<= (goal even 60) (true (at half))) (<= (goal even 0) (true (at lost)))
    (<= (goal odd 0) (true (at won))) (<= (goal odd 40) (true (at half))) (<= (goal odd 100) (true (at lost)))";

const DILEMMA: &str = "(role ann) (role bob) (init (at start)) (mood kind) (mood hard)
    (<= (legal ?r (be ?m)) (role ?r) (mood ?m))
    (<= (next (at (end ?a ?b))) (does ann (be ?a)) (does bob (be ?b)))
    (<= terminal (true (at (end ?a ?b))))
    (pays kind kind 60) (pays kind hard 0) (pays hard kind 100) (pays hard hard 20)
    (<= (goal ann ?r) (true (at (end ?a ?b))) (pays ?a ?b ?r))
    (<= (goal bob ?r) (true (at (end ?a ?b))) (pays ?b ?a ?r))";

/// Where there is no single value, each move has what the roles can force after it.
#[test]
fn moves_have_what_roles_can_force_after_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dilemma.ggs");
    let options = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
    let solution = solve(DILEMMA, &options, &path);
    let query = solution.query(&solution.start()).unwrap();
    let pays = |mine: &str, other: &str| match (mine, other) {
        ("(be kind)", "(be kind)") => 60,
        ("(be kind)", _) => 0,
        (_, "(be kind)") => 100,
        _ => 20,
    };
    assert_eq!(query.moves.len(), 4);
    for option in &query.moves {
        let [ann, bob] = [&option.joint[0], &option.joint[1]];
        let forced: Vec<i64> = option.guarantees.values().map(|forced| forced.value.to_i64().unwrap()).collect();
        assert_eq!(forced, [pays(ann, bob), pays(bob, ann)]);
        assert!(option.value.is_none() && !option.optimal);
    }
    let text = query.to_string();
    assert!(text.contains("ann forces  bob forces") && !text.contains(" - "), "{text}");
    assert!(text.contains("((be kind) (be hard))           0         100"), "{text}");
}

/// A question for a position with many joint moves is within the limits.
#[test]
fn questions_ask_the_limits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pennies.ggs");
    let solution = solve(PENNIES, &SolveOptions::default(), &path);
    let nothing = solution.steps(&solution.start(), &["()".to_owned()], &Limits::unlimited());
    assert!(matches!(nothing, Err(ReadError::Position(_))), "{nothing:?}");
    let interrupted = Limits::unlimited();
    interrupted.interrupt();
    for limits in [Limits::new(1 << 10), interrupted] {
        let asked = solution.query_within(&solution.start(), &limits);
        assert!(matches!(asked, Err(ReadError::Limit(_))), "{asked:?}");
        assert!(matches!(solution.assess(&solution.start(), &limits), Err(ReadError::Limit(_))));
        assert!(matches!(solution.line(&solution.start(), &limits), Err(ReadError::Limit(_))));
        assert_eq!(limits.used(), 0);
    }
}

#[test]
fn a_matrix_is_solved_once_and_answers_stay_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pennies.ggs");
    let (solution, limits) = (solve(PENNIES, &SolveOptions::default(), &path), Limits::unlimited());
    let explained = |solution: &ExactSolution| {
        let mut query = solution.query(&solution.start()).unwrap();
        solution.explain(&mut query, &solution.start(), &limits).unwrap();
        serde_json::to_string(&query).unwrap()
    };
    let first = explained(&solution);
    let assess = || solution.assess(&solution.start(), &limits).unwrap().unwrap();
    assert!(Arc::ptr_eq(&assess(), &assess()));
    assert_eq!(solution.mixture(&solution.start(), 0, &limits).unwrap().unwrap(), assess().strategies[0]);
    assert_eq!(explained(&solution), first);
    assert_eq!(explained(&ExactSolution::open(&path, &limits).unwrap()), first);
}

fn number(whole: i64) -> Rational {
    Rational::from_integer(whole.into())
}

/// How likely a player makes a move, by what is said of a position.
fn likely(query: &ExactQuery, role: &str, action: &str) -> Rational {
    match query.strategies.get(role) {
        Some(strategy) => {
            let found = strategy.iter().find(|mixed| mixed.action == action);
            found.expect("a legal move").probability.0.clone()
        }
        None => number(1),
    }
}

/// What all players get on average by a move of one while the others play as is said of the position, and chance moves at
/// random: by the values of plain recursion.
fn reply(
    (game, interpreter, recursion): (&Game, &Interpreter, &Recursion),
    (position, situation): (&Position, &Situation),
    query: &ExactQuery,
    (player, own): (usize, game::propositional::MoveId),
) -> Vec<Rational> {
    let mut sum = vec![number(0); game.players()];
    for joint in situation.joint_moves().filter(|joint| joint[player] == own) {
        let mut weight = number(1);
        for role in (0..joint.len()).filter(|&role| role != player) {
            let name = game.moves[joint[role].index()].term.to_string();
            weight = match role < game.players() {
                true => &weight * &likely(query, &game.roles[role].to_string(), &name),
                false => &weight / &number(situation.legal[role].len() as i64),
            };
        }
        let after = interpreter.successor(&position.state, &joint);
        let value = recursion.known[&after].as_ref().expect("a value");
        sum.iter_mut().zip(value).for_each(|(sum, number)| *sum += &(&weight * number));
    }
    sum
}

/// What a player wants to be high: its own reward, or its lead over the best other one.
fn standing(model: OpponentModel, player: usize, value: &[Rational]) -> Rational {
    let others = value.iter().enumerate().filter(|(other, _)| *other != player).map(|(_, number)| number);
    match (model, others.max()) {
        (OpponentModel::MaxDiff, Some(most)) => &value[player] - most,
        _ => value[player].clone(),
    }
}

/// Losses of random matches are those of plain recursion: never negative, and none by a move of a mixture.
#[test]
fn matches_are_judged_as_plain_recursion_says() {
    let (mut judged, mut lost, mut lucky, mut joint_plies) = (0, 0, 0, 0);
    for seed in 0..160 {
        let text = random_mixed_game(seed);
        let grounded = game(&program("mixed", text.as_bytes()));
        let model = OpponentModel::ALL[seed as usize % 2];
        let mut recursion = Recursion::new(&grounded, Wish::Each(model));
        if recursion.start().is_none() {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mixed.ggs");
        let session = Session::default();
        let rules = session.load(Source::new("mixed.gdl", text.as_bytes()));
        let destination = Destination::Folder { folder: path.clone(), force: false };
        let options = SolveOptions { opponent_model: model, ..SolveOptions::default() };
        session.solve(&rules, &options, &destination).unwrap();
        let Opened::Exact(solution) = session.open_any(&path).unwrap() else { continue };
        let interpreter = Interpreter::new(&grounded);
        let (mut position, mut random) = (solution.start(), Random::new(seed));
        let (mut plies, mut expected) = (Vec::new(), Vec::new());
        loop {
            let situation = interpreter.situation(&position.state);
            let Some(joint) = situation.random_joint_move(&mut random) else { break };
            let query = solution.query(&position).unwrap();
            let value = recursion.known[&position.state].clone().expect("a value");
            let choosing = (0..grounded.players()).filter(|&player| situation.legal[player].len() > 1);
            let world = (&grounded, &interpreter, &recursion);
            let losses: Vec<(usize, Rational)> = choosing
                .map(|player| {
                    let got = reply(world, (&position, &situation), &query, (player, joint[player]));
                    (player, &standing(model, player, &value) - &standing(model, player, &got))
                })
                .collect();
            joint_plies += usize::from(losses.len() > 1);
            expected.push(losses);
            let name = |&action: &game::propositional::MoveId| grounded.moves[action.index()].term.to_string();
            plies.push(joint.iter().map(name).collect::<Vec<_>>());
            position = Position { layer: position.layer + 1, state: interpreter.successor(&position.state, &joint) };
        }
        let record = Record::read(&serde_json::json!(plies).to_string()).unwrap();
        let review = review_exact(&solution, &solution.start(), &record, false, &Limits::unlimited()).unwrap();
        assert!(review.finished && review.moves.len() == plies.len());
        let mut sums = vec![number(0); grounded.players()];
        for (ply, (reviewed, losses)) in review.moves.iter().zip(&expected).enumerate() {
            assert_eq!(reviewed.choices.len(), losses.len(), "{seed}");
            for ((role, chosen), (player, loss)) in reviewed.choices.iter().zip(losses) {
                assert_eq!((role, &chosen.loss), (&grounded.roles[*player].to_string(), loss), "{seed}: {review}");
                assert!(!loss.is_negative(), "{seed}: {review}");
                assert!(chosen.probability.0 == number(0) || *loss == number(0), "{seed}: {review}");
                sums[*player] += loss;
                lost += usize::from(*loss != number(0));
            }
            assert_eq!(review.mistakes.contains(&(ply as u32 + 1)), !reviewed.keeps_value);
            lucky += usize::from(reviewed.luck.as_ref().is_some_and(|luck| luck.numbers()[0] != number(0)));
        }
        let told: Vec<&Rational> = review.lost.values().map(|amount| &amount.amount).collect();
        assert_eq!(told, sums.iter().collect::<Vec<_>>(), "{seed}");
        judged += 1;
    }
    assert!(judged > 20 && lost > 10 && lucky > 10 && joint_plies > 10, "{judged} {lost} {lucky} {joint_plies}");
}

/// The mean of the outcomes of a line, which has to be its value.
fn mean(line: &ExactLine) -> Vec<Rational> {
    let mut sum = vec![number(0); line.value.numbers().len()];
    for outcome in &line.outcomes {
        let parts = outcome.value.numbers().iter().map(|number| &outcome.probability.0 * number);
        sum.iter_mut().zip(parts).for_each(|(sum, part)| *sum += &part);
    }
    sum
}

/// Follows a line by plain recursion: it keeps its value up to where play is over, or where it says who decides.
fn follow_line(
    (game, interpreter, recursion): (&Game, &Interpreter, &Recursion),
    start: &State,
    value: &[Rational],
    line: &ExactLine,
) {
    assert_eq!(line.value.numbers(), value);
    let mut state = start.clone();
    for joint in &line.joint {
        let situation = interpreter.situation(&state);
        let named = |(role, name): (usize, &String)| {
            let legal = situation.legal[role].iter();
            *legal.clone().find(|action| game.moves[action.index()].term.to_string() == *name).expect("a legal move")
        };
        let choosing = situation.legal.iter().filter(|moves| moves.len() > 1).count();
        assert!(choosing <= 1 && situation.legal[game.players()..].iter().all(|moves| moves.len() == 1));
        let joint: Vec<_> = joint.iter().enumerate().map(named).collect();
        state = interpreter.successor(&state, &joint);
        assert_eq!(recursion.known[&state].as_deref(), Some(value), "a move of the line gives something away");
    }
    let situation = interpreter.situation(&state);
    assert_eq!(situation.terminal, line.then.is_empty());
    let deciding = |role: &usize| !situation.terminal && situation.legal[*role].len() > 1;
    assert_eq!((0..situation.legal.len()).filter(deciding).count(), line.then.len());
    assert!(line.outcomes.is_empty() == line.then.is_empty());
    assert!(line.then.is_empty() || mean(line) == value);
}

/// Reasons are those of plain recursion: what a move loses, what follows it, and the best answer to it.
#[test]
fn reasons_are_those_of_plain_recursion() {
    let (mut lines, mut lost, mut answered, mut alone) = (0, 0, 0, 0);
    for seed in 0..120 {
        let text = random_mixed_game(seed);
        let grounded = game(&program("mixed", text.as_bytes()));
        let model = OpponentModel::ALL[seed as usize % 2];
        let mut recursion = Recursion::new(&grounded, Wish::Each(model));
        if recursion.start().is_none() {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mixed.ggs");
        let session = Session::default();
        let rules = session.load(Source::new("mixed.gdl", text.as_bytes()));
        let destination = Destination::Folder { folder: path.clone(), force: false };
        let options = SolveOptions { opponent_model: model, ..SolveOptions::default() };
        session.solve(&rules, &options, &destination).unwrap();
        let Opened::Exact(solution) = session.open_any(&path).unwrap() else { continue };
        let interpreter = Interpreter::new(&grounded);
        let world = (&grounded, &interpreter, &recursion);
        for (layer, states) in (0..).zip(recursion.layers()) {
            for state in states.into_iter().take(40) {
                let position = Position { layer, state };
                let mut query = solution.query(&position).unwrap();
                solution.explain(&mut query, &position, &Limits::unlimited()).unwrap();
                let value = recursion.known[&position.state].clone().expect("a value");
                follow_line(world, &position.state, &value, query.line.as_ref().unwrap());
                lines += 1;
                let situation = interpreter.situation(&position.state);
                if situation.terminal {
                    assert!(query.reasons.is_empty());
                    continue;
                }
                let choosing: Vec<usize> =
                    (0..grounded.players()).filter(|&player| situation.legal[player].len() > 1).collect();
                for &player in &choosing {
                    let told = &query.reasons[&grounded.roles[player].to_string()];
                    let mut expected = 0;
                    for &action in &situation.legal[player] {
                        let got = reply(world, (&position, &situation), &query, (player, action));
                        let loss = &standing(model, player, &value) - &standing(model, player, &got);
                        let name = grounded.moves[action.index()].term.to_string();
                        let reason = told.iter().find(|reason| reason.action == name);
                        let is_worse = loss != number(0) || (choosing.len() == 1 && got != value);
                        assert_eq!(reason.is_some(), is_worse, "{seed}: {name} in {query}");
                        let Some(reason) = reason else { continue };
                        expected += 1;
                        assert_eq!((&reason.gives_away, reason.follows.value.numbers()), (&loss, got.as_slice()));
                        let chance = situation.legal[grounded.players()..].iter().any(|moves| moves.len() > 1);
                        if choosing.len() == 1 && !chance {
                            let joint = situation.joint_moves().find(|joint| joint[player] == action).unwrap();
                            follow_line(world, &interpreter.successor(&position.state, &joint), &got, &reason.follows);
                            alone += 1;
                        } else {
                            assert_eq!(mean(&reason.follows), got);
                        }
                        if let (&[one, two], Some(answer)) = (choosing.as_slice(), &reason.answer) {
                            let other = if player == one { two } else { one };
                            let both = |answer| {
                                let fits = |joint: &game::interpreter::JointMove| {
                                    joint[player] == action && joint[other] == answer
                                };
                                let after: Vec<Vec<Rational>> = situation
                                    .joint_moves()
                                    .filter(fits)
                                    .map(|joint| {
                                        recursion.known[&interpreter.successor(&position.state, &joint)]
                                            .clone()
                                            .unwrap()
                                    })
                                    .collect();
                                let sum = |role: usize| after.iter().map(|value| value[role].clone()).sum::<Rational>();
                                (0..grounded.players())
                                    .map(|role| sum(role) / number(after.len() as i64))
                                    .collect::<Vec<Rational>>()
                            };
                            let best = situation.legal[other]
                                .iter()
                                .map(|&answer| standing(model, other, &both(answer)))
                                .max();
                            assert_eq!(Some(standing(model, other, answer.value.numbers())), best, "{seed}: {query}");
                            let named =
                                |answer: &&game::propositional::MoveId| grounded.moves[answer.index()].term.to_string();
                            let told =
                                situation.legal[other].iter().find(|legal| named(legal) == answer.action).unwrap();
                            assert_eq!(both(*told), answer.value.numbers());
                            answered += 1;
                        }
                        lost += 1;
                    }
                    assert_eq!(told.len(), expected);
                }
            }
        }
    }
    assert!(lines > 500 && lost > 50 && answered > 10 && alone > 10, "{lines} {lost} {answered} {alone}");
}

/// Puzzles are all positions in which one player chooses and exactly one of its moves is best on average, by plain recursion.
#[test]
fn puzzles_with_chance_are_those_of_plain_recursion() {
    let (mut found, mut by_chance) = (0, 0);
    for seed in 0..120 {
        let text = random_mixed_game(seed);
        let grounded = game(&program("mixed", text.as_bytes()));
        let mut recursion = Recursion::new(&grounded, Wish::Each(OpponentModel::MaxOwn));
        if recursion.start().is_none() {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mixed.ggs");
        let session = Session::default();
        let rules = session.load(Source::new("mixed.gdl", text.as_bytes()));
        session
            .solve(&rules, &SolveOptions::default(), &Destination::Folder { folder: path.clone(), force: false })
            .unwrap();
        let Opened::Exact(solution) = session.open_any(&path).unwrap() else { continue };
        let options = api::puzzles::Options { number: usize::MAX, layer: None, draws: 1 << 20, seed: 1 };
        let report = session.puzzles(&path, &options).unwrap();
        let interpreter = Interpreter::new(&grounded);
        let mirrors = Mirrors::new(solution.solution(), &Limits::unlimited()).unwrap();
        let names = |state: &State| solution.solution().state_names(state);
        let (mut expected, mut answers) = (BTreeSet::new(), HashMap::new());
        for state in recursion.layers().into_iter().flatten() {
            let situation = interpreter.situation(&state);
            let choosing: Vec<usize> =
                (0..grounded.players()).filter(|&player| situation.legal[player].len() > 1).collect();
            let (false, &[mover]) = (situation.terminal, choosing.as_slice()) else { continue };
            let chance: usize = situation.legal[grounded.players()..].iter().map(Vec::len).product();
            let mut sums: IndexMap<_, Vec<Rational>> = IndexMap::new();
            for joint in situation.joint_moves() {
                let value = recursion.known[&interpreter.successor(&state, &joint)].clone().unwrap();
                let sum = sums.entry(joint[mover]).or_insert_with(|| vec![number(0); value.len()]);
                sum.iter_mut().zip(&value).for_each(|(sum, number)| *sum += number);
            }
            let value: Vec<Rational> =
                recursion.known[&state].clone().unwrap().iter().map(|own| own * &number(chance as i64)).collect();
            let keeping: Vec<_> = sums.iter().filter(|(_, sum)| **sum == value).map(|(action, _)| *action).collect();
            let are_worse = sums.values().all(|sum| *sum == value || sum[mover] < value[mover]);
            if let (&[only], true) = (keeping.as_slice(), are_worse) {
                expected.insert(names(&mirrors.least(&state)));
                answers.insert(names(&state), grounded.moves[only.index()].term.to_string());
                by_chance += usize::from(chance > 1 || situation.legal.len() > grounded.players());
            }
        }
        let told: BTreeSet<Vec<String>> = report.puzzles.iter().map(|puzzle| puzzle.state.clone()).collect();
        assert_eq!((told.len(), &told), (report.puzzles.len(), &expected), "{seed}");
        for puzzle in &report.puzzles {
            assert_eq!(Some(&puzzle.solution), answers.get(&puzzle.state), "{seed}");
            assert!((0.0..=1.0).contains(&puzzle.difficulty) && puzzle.value_float.is_some());
            let moves = puzzle.moves.len() as f64;
            assert_eq!(puzzle.players.random, (moves - 1.0) / moves);
        }
        found += told.len();
    }
    assert!(found > 50 && by_chance > 10, "{found} {by_chance}");
}

#[test]
fn a_review_tells_who_lost_what_and_what_chance_gave() {
    let folder = tempfile::tempdir().unwrap();
    let solution = solve(WAGER, &SolveOptions::default(), &folder.path().join("wager.ggs"));
    let judge = |record: &str| {
        review_exact(&solution, &solution.start(), &Record::read(record).unwrap(), false, &Limits::unlimited()).unwrap()
    };
    // 40 for sure, or a third of 0, 25 and 100 each: 125/3.
    let text = judge("leave").to_string();
    assert!(text.contains("white loses 5/3 (about 1.666667); best: throw"), "{text}");
    assert!(text.contains("something was lost by a move of ply 1: 5/3 (about 1.666667) for white"), "{text}");
    let record = Record::read("leave").unwrap();
    let why = review_exact(&solution, &solution.start(), &record, true, &Limits::unlimited()).unwrap();
    let text = why.to_string();
    assert!(text.contains("after ply 1, leave of white: play is over"), "{text}");
    assert_eq!(why.moves[0].choices["white"].reason.as_ref().unwrap().gives_away.to_string(), "5/3");
    let mut query = solution.query(&solution.start()).unwrap();
    solution.explain(&mut query, &solution.start(), &Limits::unlimited()).unwrap();
    let text = query.to_string();
    assert!(text.contains("play goes on: throw, then random: 0 with 1/3; 25 with 1/3; 100 with 1/3"), "{text}");
    let text = judge("throw (die 3)").to_string();
    assert!(text.contains("chance gives white 175/3") && text.contains("no move lost anything on average"), "{text}");
    assert_eq!(judge("[[\"throw\", \"wait\"], [\"wait\", \"(die 3)\"]]"), judge("throw (die 3)"));
    let json = serde_json::to_value(judge("throw (die 1)")).unwrap();
    assert_eq!(json["moves"][1]["luck"], serde_json::json!(["-125/3"]));
    assert_eq!((&json["luck"]["white"]["amount"], &json["lost"]["white"]["amount"]), (&"-125/3".into(), &0.into()));

    let options = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
    let solution = solve(DILEMMA, &options, &folder.path().join("dilemma.ggs"));
    let record = Record::read("(be kind) (be hard)").unwrap();
    let judged = review_exact(&solution, &solution.start(), &record, false, &Limits::unlimited());
    assert!(matches!(judged, Err(ReadError::NoValue)), "{judged:?}");
    let mut query = solution.query(&solution.start()).unwrap();
    let explained = solution.explain(&mut query, &solution.start(), &Limits::unlimited());
    assert!(matches!(explained, Err(ReadError::NoValue)), "{explained:?}");
}

/// Whoever throws the die gets what it says; who leaves it gets 40.
const WAGER: &str = "(role white) (role random) (init (at start)) (init (turn 1))
    (<= (legal white throw) (true (at start))) (<= (legal white leave) (true (at start)))
    (<= (legal white wait) (not (true (at start))))
    (<= (legal random (die 1)) (true (at dice))) (<= (legal random (die 2)) (true (at dice)))
    (<= (legal random (die 3)) (true (at dice))) (<= (legal random wait) (not (true (at dice))))
    (pays 1 0) (pays 2 25) (pays 3 100)
    (<= (next (at dice)) (does white throw))
    (<= (next (at (end ?r))) (does random (die ?n)) (pays ?n ?r))
    (<= (next (at (end 40))) (does white leave))
    (<= terminal (true (at (end ?r)))) (<= (goal white ?r) (true (at (end ?r))))";

fn begin(solution: ExactSolution, human: u32, seed: u64, errors: u32) -> (ExactMatch, String) {
    let settings = Settings { human: RoleId(human), errors_per_million: errors, seed, nodes: 0 };
    let (game, told) = ExactMatch::start(Box::new(solution), settings, Arc::new(Limits::unlimited())).unwrap();
    (game, told.iter().map(ToString::to_string).collect())
}

fn say(game: &mut ExactMatch, line: &str) -> String {
    let told = game.answer(&Command::read(line).unwrap()).unwrap();
    told.iter().map(ToString::to_string).collect()
}

#[test]
fn a_person_plays_against_the_mixture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pennies.ggs");
    solve(PENNIES, &SolveOptions::default(), &path);
    let open = || ExactSolution::open(&path, &Limits::unlimited()).unwrap();
    let (mut game, text) = begin(open(), 0, 1, 0);
    assert!(text.starts_with("mixed: you play even;") && text.ends_with("ply 1, your move (2 legal)\n"), "{text}");
    let text = say(&mut game, "values");
    // The other one mixes so that it makes no difference.
    assert!(text.contains("1  heads  75/2 (37.5), 125/2 (62.5)  with probability 3/8 (0.375)"), "{text}");
    assert!(text.contains("2  tails  75/2 (37.5), 125/2 (62.5)  with probability 5/8 (0.625)"), "{text}");
    let text = say(&mut game, "hint");
    assert!(text.contains("worth 75/2 (37.5), 125/2 (62.5)\n  heads with probability 3/8"), "{text}");
    // Both moves are shown once both are made.
    let text = say(&mut game, "HEADS");
    assert!(text.starts_with("even: heads\nodd: ") && text.contains("play is over: "), "{text}");
    assert!(say(&mut game, "1").contains("play is over"));
    assert!(say(&mut game, "undo").ends_with("your move (2 legal)\n"));
    assert!(say(&mut game, "undo").contains("no move of yours to take back"));
    assert!(say(&mut game, "sides").contains("not a legal move; legal: heads tails"));

    // Whatever the person shows, the program shows heads in 3 of 8 cases.
    for own in ["1", "2"] {
        let heads = (0..800).filter(|&seed| say(&mut begin(open(), 0, seed, 0).0, own).contains("odd: heads")).count();
        assert!((245..355).contains(&heads), "{heads} of 800");
    }
    let once = |seed| say(&mut begin(open(), 1, seed, 0).0, "1");
    assert_eq!(once(3), once(3));
}

#[test]
fn chance_is_drawn_or_played_by_the_person() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wager.ggs");
    solve(WAGER, &SolveOptions::default(), &path);
    let open = || ExactSolution::open(&path, &Limits::unlimited()).unwrap();
    let (mut game, _) = begin(open(), 0, 5, 0);
    let text = say(&mut game, "throw");
    assert!(text.contains("random: (die ") && text.contains("play is over: "), "{text}");
    // As chance, the person throws, and the program takes the throw.
    let (mut game, text) = begin(open(), 1, 5, 0);
    assert!(text.contains("you play random") && text.contains("white: throw"), "{text}");
    assert!(say(&mut game, "values").contains("2  (die 2)  with probability 1/3"));
    assert!(say(&mut game, "die 3").contains("play is over: 100 for white"));
    // A program that always errs leaves it.
    let (_, text) = begin(open(), 1, 5, 1_000_000);
    assert!(text.contains("white: leave"), "{text}");

    let options = SolveOptions { guarantees: vec!["ann".to_owned()], ..SolveOptions::default() };
    let path = folder.path().join("dilemma.ggs");
    let (mut game, _) = begin(solve(DILEMMA, &options, &path), 1, 1, 0);
    assert!(say(&mut game, "hint").contains("no best moves are known"));
    assert!(say(&mut game, "be kind").contains("ann: (be hard)"));
    let settings = Settings { human: RoleId(0), errors_per_million: 0, seed: 1, nodes: 0 };
    let solution = ExactSolution::open(&path, &Limits::unlimited()).unwrap();
    let refused = ExactMatch::start(Box::new(solution), settings, Arc::new(Limits::unlimited())).map(|(_, told)| told);
    assert!(matches!(&refused, Err(ReadError::Unknown { role }) if role == "bob"), "{refused:?}");
}

/// One choice: to go round without or with chance for ever, or a fair walk between two ends.
fn ways() -> String {
    let succ: String = (0..100).map(|step| format!("(succ {step} {}) ", step + 1)).collect();
    format!(
        "(role a) (role random) (init (at start)) {succ} (next-of ring1 ring2) (next-of ring2 ring3) (next-of ring3 ring1)
         (<= (legal a ring) (true (at start))) (<= (legal a dice) (true (at start))) (<= (legal a walk) (true (at start)))
         (<= (legal a wait) (not (true (at start)))) (toss up) (toss down)
         (<= ringing (true (at ?x)) (next-of ?x ?y)) (<= (legal random none) ringing) (<= (legal random none) (true (at start)))
         (<= (legal random ?d) (toss ?d) (not ringing) (not (true (at start))))
         (<= (next (at ring1)) (does a ring)) (<= (next (at (die up))) (does a dice)) (<= (next (at 50)) (does a walk))
         (<= (next (at ?y)) (true (at ?x)) (next-of ?x ?y))
         (<= (next (at (die ?d))) (true (at (die ?e))) (does random ?d))
         (<= (next (at ?y)) (true (at ?x)) (does random up) (succ ?x ?y))
         (<= (next (at ?y)) (true (at ?x)) (does random down) (succ ?y ?x))
         (<= terminal (true (at 0))) (<= terminal (true (at 100)))
         (<= (goal a 100) (true (at 100))) (<= (goal a 0) (not (true (at 100))))"
    )
}

/// Play without a choice stops after some time. It is not told as over: a fair walk comes to an end, however late.
#[test]
fn play_without_a_choice_stops_where_it_goes_round() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ways.ggs");
    solve(&ways(), &SolveOptions::default(), &path);
    let play = |own: &str, seed: u64| {
        let (mut game, text) = begin(ExactSolution::open(&path, &Limits::unlimited()).unwrap(), 0, seed, 0);
        assert!(text.ends_with("ply 1, your move (3 legal)\n"), "{text}");
        let told = say(&mut game, own);
        (game, told)
    };
    let assert_stopped = |(mut game, text): (ExactMatch, String), ply: &str| {
        assert!(text.matches(ply).count() > 990, "{text}");
        let stops = "play stops here, as you have had no choice for many plies: it may end later, or go on for ever\n\
                     `undo` takes back your last move, `new` starts again, `quit` ends\n";
        assert!(text.ends_with(stops), "{text}");
        for line in ["1", "wait", "board"] {
            assert!(say(&mut game, line).ends_with(stops), "{line}");
        }
        assert_eq!(say(&mut game, "moves"), "  play stopped, as you have no choice\n");
        assert!(!text.contains("play is over"), "{text}");
        assert!(say(&mut game, "undo").ends_with("ply 1, your move (3 legal)\n"));
        assert!(say(&mut game, "ring").ends_with(stops), "the count begins again");
        assert!(say(&mut game, "new").ends_with("ply 1, your move (3 legal)\n"));
    };
    assert_stopped(play("ring", 1), "no choice for");
    assert_stopped(play("dice", 1), "random: ");
    // The mean of a walk is 2,500 plies: some end soon enough, the others are not over.
    let (mut over, mut stopped) = (0, 0);
    for seed in 0..20 {
        let (mut game, text) = play("walk", seed);
        if text.contains("play is over: ") {
            assert!(["(at 0)", "(at 100)"].iter().any(|end| text.contains(end)), "{text}");
            assert!(say(&mut game, "moves").contains("play is over") && say(&mut game, "1").contains("play is over"));
            over += 1;
        } else {
            assert_stopped((game, text), "random: ");
            stopped += 1;
        }
    }
    assert!(over > 0 && stopped > 0, "{over} over, {stopped} stopped");
}

/// What has no meaning for exact values is refused, and said why.
#[test]
fn books_and_plans_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pennies.ggs");
    solve(PENNIES, &SolveOptions::default(), &path);
    let book = Session::default().book(&path, 1, 1).unwrap_err();
    assert!(book.to_string().contains("with chance or mixed moves these are no number"), "{book}");
    let session = Session::default();
    let rules = session.load(Source::new("pennies.gdl", PENNIES.as_bytes()));
    let terms = Terms { processes: 1, threads: 1, memory: 1 << 30, own: 0, disk: u64::MAX, time: None };
    let plan = session.plan(&rules, &SolveOptions::default(), terms, 1000).unwrap_err();
    assert!(plan.to_string().contains("expanded one by one: `count` tells how many there are"), "{plan}");
}
