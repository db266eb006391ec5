//! Games with chance and choices at the same time: moves are drawn from the best mixture.

use super::disguise::Disguise;
use super::manager::{Manager, Match, Seat};
use super::process::Process;
use super::wire::Dialect;
use assert_cmd::Command;
use base::limits::Limits;
use base::random::Random;
use game::interpreter::{JointMove, Situation};
use game::matrix::Rational;
use solving::solution::{ExactSolution, Position};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn ggsolve(arguments: &[&str]) -> Vec<u8> {
    let mut command = Command::cargo_bin("ggsolve").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).assert().success().get_output().stdout.clone()
}

/// A shipped game in a folder of its own, with chance as the first role of its text if it has any.
fn chance_first(name: &str, folder: &Path) -> (Manager, PathBuf) {
    let text = std::fs::read_to_string(super::common::shipped(&format!("{name}.gdl"))).unwrap();
    let text = match text.contains("(role random)") {
        true => format!("(role random)\n{}", text.replace("(role random)\n", "")),
        false => text,
    };
    let file = folder.join(format!("{name}.gdl"));
    std::fs::write(&file, text).unwrap();
    (Manager::new(&file), file)
}

/// How often each answer came to the first question of so many matches, for a role of a game.
fn first_answers(player: &Process, manager: &Manager, role: usize, matches: usize) -> BTreeMap<String, usize> {
    let disguise = Disguise::none(&manager.text, Dialect::Base);
    let mut seen = BTreeMap::new();
    for number in 0..matches {
        let game = manager.begin(&format!("m{number}"), &disguise);
        assert_eq!(player.say(&game.start(role, (120, 120))), "ready");
        *seen.entry(player.say(&game.ask("PLAY"))).or_default() += 1;
        assert_eq!(player.say(&format!("(ABORT m{number})")), "aborted");
    }
    seen
}

/// Whether counts are as likely as the probabilities say, four standard deviations wide.
fn assert_likely(seen: &BTreeMap<String, usize>, probabilities: &[(String, Rational)]) {
    let all = seen.values().sum::<usize>() as f64;
    assert!(seen.keys().all(|name| probabilities.iter().any(|(known, _)| known == name)), "{seen:?}");
    for (name, probability) in probabilities {
        let (expected, count) = (probability.to_f64(), seen.get(name).copied().unwrap_or(0) as f64);
        let spread = 4.0 * (all * expected * (1.0 - expected)).sqrt();
        assert!((count - all * expected).abs() <= spread, "{name} {probability}: {seen:?}");
    }
}

fn legal(game: &Match, situation: &Situation, role: usize, answer: &str) -> game::propositional::MoveId {
    game.legal(situation, role, answer).unwrap_or_else(|| panic!("{answer} is not legal"))
}

#[test]
fn moves_are_drawn_as_likely_as_the_mixture_says() {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("seek");
    ggsolve(&["solve", "games/hide_and_seek.gdl", "-o", folder.to_str().unwrap()]);
    let solution = ExactSolution::open(&folder, &Limits::unlimited()).unwrap();
    let query = solution.query(&solution.start()).unwrap();
    let solutions = scene.path().to_string_lossy().into_owned();
    let manager = Manager::shipped("hide_and_seek");
    for (role, strategy) in query.strategies.values().enumerate() {
        let mixture: Vec<(String, Rational)> =
            strategy.iter().map(|mixed| (mixed.action.clone(), mixed.probability.0.clone())).collect();
        assert!(mixture.iter().filter(|(_, probability)| *probability != Rational::from_integer(0.into())).count() > 1);
        let player = Process::start(&["--solutions", &solutions, "--seed", "11"]);
        assert_likely(&first_answers(&player, &manager, role, 300), &mixture);
        // The seed alone decides.
        let [one, other] = [(); 2].map(|()| Process::start(&["--solutions", &solutions, "--seed", "5"]));
        assert_eq!(first_answers(&one, &manager, role, 20), first_answers(&other, &manager, role, 20));
    }
}

/// No answer loses anything on average, and the moves of chance stand where the rules name it.
#[test]
fn games_with_chance_are_played_perfectly() {
    let scene = tempfile::tempdir().unwrap();
    let player = Process::start(&["--seed", "3"]);
    let mut random = Random::new(8);
    for (name, dialect) in
        [("pig_8", Dialect::Base), ("duel_5", Dialect::Dresden), ("goofspiel_4_random", Dialect::Base)]
    {
        let (manager, file) = chance_first(name, scene.path());
        let folder = scene.path().join(name);
        ggsolve(&["solve", file.to_str().unwrap(), "-o", folder.to_str().unwrap()]);
        let (solution, limits) = (ExactSolution::open(&folder, &Limits::unlimited()).unwrap(), Limits::unlimited());
        for role in 0..2 {
            let disguise = Disguise::scrambled(&manager.text, dialect, &mut random);
            let mut game = manager.begin(&format!("{name}.{role}"), &disguise);
            assert_eq!(player.say(&game.start(role, (120, 60))), "ready");
            while let Some(situation) = game.open() {
                let answer = player.say(&game.ask("PLAY"));
                let chosen = legal(&game, &situation, role, &answer);
                let position = Position { layer: game.plies as u32, state: game.state.clone() };
                let assessed = solution.assess(&position, &limits).unwrap().unwrap();
                // Of several best mixtures another one may be found under other names; nothing is lost by a move of any.
                let lost = assessed.loss(role, assessed.place(role, chosen));
                assert_eq!(lost, Rational::from_integer(0.into()), "{name}, ply {}: {answer}", game.plies);
                let mut joint: JointMove = situation.random_joint_move(&mut random).unwrap();
                joint[role] = chosen;
                game.make(&joint);
            }
            assert_eq!(player.say(&game.ask("STOP")), "done");
        }
        let log = player.told(&format!("{name}.1: played by the solution in"));
        assert!(!log.contains("is not legal here") && !log.contains("no use"), "{log}");
    }
}

#[test]
fn chance_is_a_role_that_moves_at_random() {
    let scene = tempfile::tempdir().unwrap();
    let (manager, _) = chance_first("goofspiel_4_random", scene.path());
    let player = Process::start(&["--seed", "4"]);
    let situation = manager.interpreter.situation(&manager.interpreter.initial());
    let alike = Rational::new(1.into(), situation.legal[2].len().into());
    let uniform: Vec<(String, Rational)> =
        situation.legal[2].iter().map(|&action| (manager.name_of(action), alike.clone())).collect();
    assert!(uniform.len() > 1);
    assert_likely(&first_answers(&player, &manager, 2, 200), &uniform);
    let disguise = Disguise::scrambled(&manager.text, Dialect::Dresden, &mut Random::new(1));
    let seats = [Seat::Random, Seat::Random, Seat::Player(&player)];
    let played = manager.play("whole", &seats, (60, 60), &disguise, &mut Random::new(2));
    assert!(played.plies > 3 && !player.log().contains("is not legal"), "{played:?} {}", player.log());
}

const DILEMMA: &str = "(role ann) (role bob) (init (at start)) (mood kind) (mood hard)
    (<= (legal ?r (be ?m)) (role ?r) (mood ?m))
    (<= (next (at (end ?a ?b))) (does ann (be ?a)) (does bob (be ?b)))
    (<= terminal (true (at (end ?a ?b))))
    (pays kind kind 60) (pays kind hard 0) (pays hard kind 100) (pays hard hard 20)
    (<= (goal ann ?r) (true (at (end ?a ?b))) (pays ?a ?b ?r))
    (<= (goal bob ?r) (true (at (end ?a ?b))) (pays ?b ?a ?r))";

#[test]
fn without_a_single_value_it_plays_what_it_can_force() {
    let player = Process::start(&[]);
    for (id, role) in [("one", "ann"), ("other", "bob"), ("again", "ann")] {
        assert_eq!(player.say(&format!("(START {id} {role} ({DILEMMA}) 60 60)")), "ready");
        assert_eq!(player.say(&format!("(PLAY {id} NIL)")), "(be hard)");
        assert_eq!(player.say(&format!("(STOP {id} ((be hard) (be kind)))")), "done");
        player.told(&format!("{id}: played by what {role} can force, as there is no single value"));
    }
    player.told("one: no single value: ann and bob choose at the same time");
}

/// The same rules, but for who a role is, are those of another game.
#[test]
fn a_player_is_not_taken_for_chance() {
    let scene = tempfile::tempdir().unwrap();
    ggsolve(&["solve", "games/matching_pennies.gdl", "-o", scene.path().join("pennies").to_str().unwrap()]);
    let player = Process::start(&["--solutions", &scene.path().to_string_lossy()]);
    let manager = Manager::shipped("matching_pennies");
    let of_chance = manager.text.replace("odd", "random");
    assert_eq!(player.say(&format!("(START m even ({of_chance}) 60 60)")), "ready");
    let answer = player.say("(PLAY m NIL)");
    assert!(answer.starts_with("(show"), "{answer}");
    let log = player.told("m: solved");
    // The stored solution is not even opened.
    assert!(!log.contains("played by the solution in") && !log.contains("passed over"), "{log}");
}

#[test]
fn a_game_of_chance_too_large_to_be_solved_is_played_legally() {
    let scene = tempfile::tempdir().unwrap();
    let file = scene.path().join("large.gdl");
    std::fs::write(&file, ggsolve(&["generate", "pig", "100", "6", "100"])).unwrap();
    let manager = Manager::new(&file);
    let player = Process::start(&[]);
    let mut random = Random::new(2);
    let disguise = Disguise::scrambled(&manager.text, Dialect::Base, &mut random);
    let mut game = manager.begin("large", &disguise);
    assert_eq!(player.say(&game.start(0, (2, 1))), "ready");
    for _ in 0..8 {
        let Some(situation) = game.open() else { break };
        let answer = player.say(&game.ask("PLAY"));
        let mut joint: JointMove = situation.random_joint_move(&mut random).unwrap();
        joint[0] = legal(&game, &situation, 0, &answer);
        game.make(&joint);
    }
    assert_eq!(player.say(&game.ask("STOP")), "done");
    let log = player.told("large: play is left");
    assert!(!log.contains("is not legal here"), "{log}");
}
