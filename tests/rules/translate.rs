//! Translations keep the game: GDL → GDDL → GDL, each solved and compared layer by layer.

use crate::common::compare::solve;
use crate::common::sample;
use api::translate::{TranslateError, gdl, ground, lifted};
use base::limits::Limits;
use game::diagnostic::{Findings, Source};
use game::interpreter::Interpreter;
use game::propositional::Game;
use game::reward::OpponentModel;
use game::rules::{Language, Program};
use ggsolve::Session;
use serde_json::Value;
use solving::solve::{Outcome, SolveError, SolveOptions};
use std::path::Path;
use std::time::{Duration, Instant};

/// The program of a text that a translation made, which has no errors.
fn read(language: Language, name: &str, text: &str) -> Program {
    let source = Source::new(name, text.as_bytes());
    let (program, diagnostics) = language.program(&source);
    program.unwrap_or_else(|| panic!("{}\n{text}", Findings::new(&source, &diagnostics)))
}

/// The game, and by description its translations to GDDL and back.
struct Translations {
    game: Game,
    lifted: bool,
    others: Vec<(&'static str, Game)>,
}

fn translations(name: &str, program: &Program) -> Result<Translations, TranslateError> {
    let limits = Limits::unlimited();
    let game = crate::common::game(program);
    let text = ground::text(&game, &limits)?;
    let ground = read(Language::Gddl, name, &text);
    let mut others = vec![("in ground GDDL", crate::common::game(&ground))];
    let mut last = ground;
    let lifted = lifted::text(program, &game, &limits)?;
    if let Ok(text) = &lifted {
        last = read(Language::Gddl, name, text);
        others.push(("in GDDL with parameters", crate::common::game(&last)));
    }
    let back = read(Language::Gdl, name, &gdl::text(&last, &[]));
    others.push(("in GDL again", crate::common::game(&back)));
    Ok(Translations { game, lifted: lifted.is_ok(), others })
}

/// What must be the same of a game in any language: counts and values of all layers.
fn kept(outcome: &Outcome) -> Value {
    let layers = outcome.layers.iter().map(|layer| {
        let buckets = layer.buckets.iter().map(|bucket| (&bucket.rewards, bucket.states.to_string()));
        serde_json::json!([layer.states.to_string(), layer.terminal.to_string(), buckets.collect::<Vec<_>>()])
    });
    let value = outcome.solution.as_ref().map(|solution| &solution.value);
    serde_json::json!([value, outcome.states.to_string(), layers.collect::<Vec<_>>()])
}

/// Solves all, or sees all refused.
fn assert_same(name: &str, games: &Translations, model: OpponentModel) {
    let options = SolveOptions { opponent_model: model, ..SolveOptions::default() };
    let outcome = |game: &Game| match solve(game, &options) {
        Ok(outcome) => Ok(kept(&outcome)),
        Err(SolveError::Refused(refusal)) => Err(refusal.code),
        Err(error) => panic!("{name}: {error}"),
    };
    let expected = outcome(&games.game);
    for (what, game) in &games.others {
        assert_eq!(outcome(game), expected, "{name} {what}");
    }
}

/// The program of a rulesheet.
fn program(file: &Path) -> Program {
    crate::common::program(&file.to_string_lossy(), &std::fs::read(file).expect("a rulesheet can be read"))
}

#[test]
fn shipped_games() {
    for name in ["tictactoe", "clobber_1x6", "clobber_3x4", "connect4_4x4"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(name).with_extension("gdl");
        let games = translations(name, &program(&file)).expect("the players take turns");
        assert!(games.lifted, "{name}");
        OpponentModel::ALL.iter().for_each(|&model| assert_same(name, &games, model));
    }
}

/// The same move is legal by two rules, each of which asks for control.
#[test]
fn a_move_that_is_legal_by_several_rules() {
    let text = "(role a) (role b) (init (heap 5)) (init (control a))
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
        (odd 1) (odd 3) (odd 5) (prime 2) (prime 3) (prime 5)
        (<= (legal ?r take) (true (control ?r)) (true (heap ?n)) (odd ?n))
        (<= (legal ?r take) (true (control ?r)) (true (heap ?n)) (prime ?n))
        (<= (legal ?r keep) (true (control ?r)))
        (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
        (<= (next (heap ?x)) (true (control ?r)) (does ?r take) (true (heap ?y)) (succ ?x ?y))
        (<= (next (heap ?x)) (true (control ?r)) (does ?r keep) (true (heap ?x)))
        (<= (next (control ?q)) (true (control ?r)) (role ?q) (distinct ?q ?r))
        (<= terminal (true (heap 0)))
        (<= (goal ?r 100) (role ?r) (not (true (control ?r)))) (<= (goal ?r 0) (true (control ?r)))";
    let games = translations("take", &read(Language::Gdl, "take", text)).expect("the players take turns");
    assert!(games.lifted);
    OpponentModel::ALL.iter().for_each(|&model| assert_same("take", &games, model));
}

/// A small game that takes a minute.
const SLOW: &str = "twisty-passages";

/// Games of the corpus with so many states, in a time that is bounded but for the last game.
fn compare_corpus(range: std::ops::Range<u64>, time: Duration) {
    let Some(folder) = crate::common::corpus() else { return };
    let started = Instant::now();
    let mut compared = 0;
    for file in crate::common::rulesheets(&folder) {
        let oracle = folder.join("oracle").join(file.file_stem().unwrap_or_default()).with_extension("json");
        let oracle: Value =
            serde_json::from_str(&std::fs::read_to_string(oracle).expect("each has one")).expect("JSON");
        let states = oracle["distinct_states"].as_u64().unwrap_or(u64::MAX);
        let roles = oracle["roles"].as_array().map_or(0, Vec::len);
        let fits = oracle["explored"] == "full" && oracle["turn_taking"] == true && (1..=2).contains(&roles);
        if !fits || !range.contains(&states) {
            continue;
        }
        if time < Duration::MAX && file.file_stem().is_some_and(|stem| stem == SLOW) {
            continue;
        }
        if started.elapsed() > time {
            println!("stopped after {compared} games, as time is up");
            return;
        }
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let begun = Instant::now();
        let games = translations(&name, &program(&file)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_same(&name, &games, OpponentModel::MaxOwn);
        compared += 1;
        let how = if games.lifted { "with parameters" } else { "ground" };
        println!("{name}: {states} states, {how}, {:.1} s", begun.elapsed().as_secs_f64());
    }
    println!("compared {compared} games");
}

#[test]
fn small_games_of_the_corpus() {
    compare_corpus(0..5_000, Duration::from_secs(60));
}

#[test]
#[ignore = "takes minutes"]
fn games_of_the_corpus() {
    compare_corpus(0..300_000, Duration::MAX);
}

/// What the figures of the paper look like, from rules in GDL.
#[test]
fn actions_keep_their_parameters() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("games/tictactoe.gdl");
    let program = program(&file);
    let limits = Limits::unlimited();
    let text =
        lifted::text(&program, &crate::common::game(&program), &limits).expect("no limit").expect("a form for it");
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    for part in [
        "(:action mark :parameters (?p - role ?c ?r - column) :precondition (and (control ?p) (cell ?c ?r b))",
        "(forall (?m - thing) (when (marks ?p ?m) (cell ?c ?r ?m)))",
        "(when (control xplayer) (control oplayer))",
        "(:gain (?p - role) 100 (won ?p))",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

/// What an action deletes is told by relations that nobody takes for the fluents.
#[test]
fn what_is_deleted_has_a_name_of_its_own() {
    let text = "(define (domain d) (:predicates (at ?x) (step ?x ?y)) \
                (:action go :parameters (?x ?y) :precondition (and (at ?x) (step ?x ?y)) \
                 :effect (and (not (at ?x)) (at ?y)))) \
                (define (problem p) (:domain d) (:objects a b) (:init (at a) (step a b)) (:goal (at b)))";
    let written = gdl::text(&read(Language::Gddl, "p", text), &[]);
    assert!(written.contains("(<= (deleted_at ?x) (does player (go ?x ?y)))"), "{written}");
    assert!(written.contains("(not (deleted_at ?1))"), "{written}");
    assert!(!written.contains("(<= (at "), "{written}");
}

/// GDL asks for a rule of moves.
#[test]
fn a_task_without_actions_is_written_as_a_game_without_moves() {
    for action in ["", "(:action go :precondition (or) :effect (q))"] {
        let text = format!(
            "(define (domain d) (:requirements :adl) (:predicates (p) (q)) {action})
             (define (problem t) (:domain d) (:init (p)) (:goal (q)))"
        );
        let written = gdl::text(&read(Language::Gddl, "t", &text), &[]);
        let games = [(Language::Gddl, text), (Language::Gdl, written)].map(|(language, text)| {
            let game = crate::common::game(&read(language, "t", &text));
            let interpreter = Interpreter::new(&game);
            let situation = interpreter.situation(&interpreter.initial());
            (game.roles.len(), game.moves.len(), situation.terminal, situation.goals)
        });
        assert_eq!(games[0], games[1]);
        assert_eq!(games[0], (1, 0, true, vec![vec![0]]));
    }
}

/// Clean tasks: one with a predicate without facts, a type without objects and parts of disjunctions that never hold, and
/// one in which no fluent holds at first.
const CLEAN: [&str; 2] = [
    "(define (domain d) (:requirements :adl :typing) (:types cell box)
       (:predicates (at ?x - cell) (next ?x ?y - cell) (wet ?x - cell) (shut ?x - cell) (on ?b - box ?x - cell))
       (:action go :parameters (?x ?y - cell)
         :precondition (and (at ?x) (or (next ?x ?y) (and (wet ?x) (next ?y ?x))) (not (shut ?y))
                            (forall (?b - box) (not (on ?b ?y))))
         :effect (and (not (at ?x)) (at ?y) (when (or (= ?y a) (= ?y b)) (wet ?y)))))
     (define (problem p) (:domain d) (:objects a b c - cell) (:init (at a) (next a b) (next b c))
       (:goal (or (at c) (and (at a) (wet c)))))",
    "(define (domain d) (:requirements :adl) (:predicates (at ?x) (step ?x ?y))
       (:action go :parameters (?x ?y) :precondition (and (step ?x ?y) (not (at ?y))) :effect (at ?y)))
     (define (problem p) (:domain d) (:objects a b) (:init (step a b)) (:goal (at b)))",
];

#[test]
fn translations_of_clean_texts_are_clean() {
    let session = Session::default();
    for text in CLEAN {
        let load = |text: &str| session.load(Source::new("p", text.as_bytes()));
        let translated = |text: &str, to| session.translate(&load(text), to, false).expect("no limit");
        let there = translated(text, Language::Gdl);
        let back = translated(&there, Language::Gddl);
        let texts = [(Language::Gddl, text), (Language::Gdl, there.as_str()), (Language::Gddl, back.as_str())];
        let outcomes = texts.map(|(language, text)| {
            let findings = session.check(&load(text)).expect("no limit").findings;
            assert!(findings.diagnostics.is_empty(), "{:?}\n{text}", findings.diagnostics);
            kept(&solve(&crate::common::game(&read(language, "p", text)), &SolveOptions::default()).expect("a value"))
        });
        assert!(["shut", "box", "some"].iter().all(|&name| !there.contains(name)), "{there}");
        assert!(!back.contains("none"), "{back}");
        assert!(outcomes[1..].iter().all(|outcome| *outcome == outcomes[0]), "{texts:?}");
    }
}

/// A relation that rests on one that nothing makes, in either order of the rules.
#[test]
fn what_rests_on_nothing_is_left_out() {
    let chain = ["(<= r0 r1)", "(<= r1 r2)", "(<= r2 (true zz))"];
    for chain in [chain.join(" "), [chain[2], chain[1], chain[0]].join(" ")] {
        let text = format!(
            "(role p) (init x) (legal p a) (<= (legal p b) r0) {chain} (<= (next y) (true x)) (<= terminal (true y))
             (<= (goal p 100) (true y))"
        );
        let written = gdl::text(&read(Language::Gdl, "g", &text), &[]);
        assert!(!["r0", "r1", "r2", "p b"].iter().any(|name| written.contains(name)), "{written}");
    }
}

/// The fluent of the rule that is written where no rule changes anything is another one than the game's own.
#[test]
fn a_fluent_called_none_stays_what_it_is() {
    let text = "(role p) (init none) (legal p a) (<= (next x) (true y)) (<= terminal (not (true none)))
        (<= (goal p 100) (not (true none))) (<= (goal p 0) (true none))";
    let session = Session::default();
    let rules = session.load(Source::new("g", text.as_bytes()));
    let written = session.translate(&rules, Language::Gdl, false).expect("no limit");
    assert!(written.contains("(next none_1)"), "{written}");
    let outcomes = [text, &written].map(|text| {
        let game = crate::common::game(&read(Language::Gdl, "g", text));
        kept(&solve(&game, &SolveOptions::default()).expect("a value"))
    });
    assert_eq!(outcomes[0], outcomes[1]);
}

/// An object with the name of a type would be taken for a missing `-`.
#[test]
fn types_have_no_names_of_objects() {
    let text = "(role p) (init (at thing)) (step thing cell) (step cell role) (<= (legal p (go ?y)) (true (at ?x)) (step ?x ?y))
        (<= (next (at ?y)) (does p (go ?y))) (<= terminal (true (at role))) (<= (goal p 100) (true (at role)))";
    let session = Session::default();
    let rules = session.load(Source::new("g", text.as_bytes()));
    assert!(session.check(&rules).expect("no limit").findings.diagnostics.is_empty());
    let written = session.translate(&rules, Language::Gddl, false).expect("no limit");
    let findings = session.check(&session.load(Source::new("g", written.as_bytes()))).expect("no limit").findings;
    assert!(findings.diagnostics.is_empty() && written.contains(":parameters"), "{findings}\n{written}");
}

/// The goal of a task without a plan and the rewards stay, so the task stays one.
#[test]
fn a_goal_that_never_holds_stays() {
    let text = "(define (domain d) (:requirements :adl) (:predicates (at ?x) (step ?x ?y))
           (:action go :parameters (?x ?y) :precondition (and (at ?x) (step ?x ?y)) :effect (and (not (at ?x)) (at ?y))))
         (define (problem p) (:domain d) (:objects a b c) (:init (at a) (step a b)) (:goal (at c)))";
    let session = Session::default();
    let rules = session.load(Source::new("p", text.as_bytes()));
    let written = session.translate(&rules, Language::Gdl, false).expect("no limit");
    assert!(written.contains("(<= reached (true (at c)))"), "{written}");
    assert_eq!(read(Language::Gdl, "p", &written).rewards(), [0, 100]);
}

#[test]
fn what_has_no_parameters_is_told_with_its_place() {
    for (rules, reason) in [
        ("(init (at (p 1)))", "a function term inside a fluent (g.gdl:2:1)"),
        ("(<= (next ?f) (true ?f))", "a variable that stands for a fluent (g.gdl:2:5)"),
        ("(<= (legal a ?m) (can ?m)) (can go)", "a variable that stands for a move (g.gdl:2:5)"),
        ("(<= (legal a (go)) (role a) (distinct (p 1) (p 2)))", "a function term in `distinct` (g.gdl:2:29)"),
        ("(<= (next (seen)) (goal a 100))", "a condition on `goal`, `base` or `input` (g.gdl:2:19)"),
        (
            "(<= (went ?x) (does a (go))  (to ?x)) (<= (went ?x) (went ?y) (to ?x)) (to 1) (<= (next (on ?x)) (went ?x))",
            "a relation on moves that is recursive or deep (g.gdl:2:53)",
        ),
        (
            "(role b) (legal b x) (<= (legal b y) (true (at 1)))",
            "no fluent such as `(control ROLE)`, true of one role at a time, is asked for by all moves of its role but one",
        ),
    ] {
        let text = format!(
            "(role a) (init (at 1)) (legal a (go)) (<= (next (at 2)) (true (at 1)))\n{rules}\n(<= terminal (true (at 2))) (<= (goal ?r 100) (role ?r))"
        );
        let source = Source::new("g.gdl", text.as_bytes());
        let program = Language::Gdl.program(&source).0.expect("no errors");
        let game = crate::common::game(&program);
        let obstacle = lifted::text(&program, &game, &Limits::unlimited()).unwrap().unwrap_err();
        let told = obstacle.text(&source);
        assert_eq!(told.split_once("\n  the reason: ").expect("a line for it").1, reason, "{rules}");
    }
}

#[test]
fn random_games() {
    let mut kinds = [0; 3];
    for seed in 0..40 {
        let text = sample::random_game(seed, None);
        match translations("random", &crate::common::program("random", text.as_bytes())) {
            Ok(games) => {
                kinds[if games.lifted { 1 } else { 0 }] += 1;
                assert_same(&format!("random game {seed}"), &games, OpponentModel::MaxOwn);
            }
            Err(TranslateError::Refused(refusal)) => {
                kinds[2] += 1;
                assert_eq!(refusal.code, "not-turn-taking");
                assert!(!refusal.state.is_empty());
            }
            Err(error) => panic!("{error}"),
        }
    }
    println!("ground, with parameters, refused: {kinds:?}");
    assert!(kinds[0] + kinds[1] > 20);
}

/// Where one role has no legal move, no role can go on, in any language.
#[test]
fn a_role_without_a_move_stops_the_others() {
    let rules = "
        (role a) (role b) (init (at 1)) (succ 1 2) (succ 2 3)
        (<= (legal a go) (true (at ?x)) (succ ?x ?y))
        (<= (legal b wait) (true (at 1)))
        (<= (next (at ?y)) (does a go) (true (at ?x)) (succ ?x ?y))
        (<= terminal (true (at 3)))
        (goal a 100) (goal b 0)";
    let games = translations("stuck", &read(Language::Gdl, "stuck", rules)).unwrap();
    let solved = solve(&games.game, &SolveOptions::default());
    assert!(matches!(solved, Err(SolveError::Refused(_))), "{solved:?}");
    assert_same("stuck", &games, OpponentModel::MaxOwn);
}

/// GDDL asks for a gain where there are several roles, also if play never ends.
#[test]
fn a_game_without_an_end_keeps_a_gain() {
    let rules = "
        (role a) (role b) (init (turn a)) (cell 1) (cell 2)
        (<= (legal ?r (mark ?x)) (true (turn ?r)) (cell ?x))
        (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
        (<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
        (<= (next (on ?x)) (does ?r (mark ?x)))
        (<= terminal (true (on 3))) (<= (goal ?r 50) (role ?r) (true (on 3)))";
    let games = translations("endless", &read(Language::Gdl, "endless", rules)).unwrap();
    assert!(games.game.goals.iter().all(Vec::is_empty), "no end, no reward: {:?}", games.game.goals);
    assert!(games.lifted, "with parameters, too");
    assert_same("endless", &games, OpponentModel::MaxOwn);
    // An end that the rules allow and play never reaches, with goals that no state has.
    let rules = "
        (role a) (role b) (init (at s0)) (legal a go) (legal b noop)
        (<= (next (at s1)) (true (at s0))) (<= (next (at s0)) (true (at s1)))
        (<= terminal (not (true (at s0))) (not (true (at s1))))
        (pays s9 a 100) (pays s9 b 0) (<= (goal ?r ?v) (true (at ?s)) (pays ?s ?r ?v))";
    assert_same("round", &translations("round", &read(Language::Gdl, "round", rules)).unwrap(), OpponentModel::MaxOwn);
}

/// The rewards that the rules name tell a single player that it cannot reach the highest one.
#[test]
fn a_goal_that_no_state_reaches_keeps_its_gain() {
    let rules = "
        (role a) (init (at 0)) (succ 0 1) (succ 1 2) (legal a go)
        (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 2)))
        (<= (goal a 100) (true (at 7))) (<= (goal a 0) (not (true (at 7))))";
    let program = read(Language::Gdl, "missed", rules);
    let games = translations("missed", &program).unwrap();
    assert_same("missed", &games, OpponentModel::MaxOwn);
    let text = lifted::text(&program, &games.game, &Limits::unlimited()).unwrap().unwrap();
    assert_eq!(read(Language::Gddl, "missed", &text).rewards(), program.rewards(), "{text}");
}

/// Roles that rules give come after those that are facts, wherever they stand in the text.
#[test]
fn roles_keep_their_order() {
    let rules = "
        (<= (role b) (distinct 0 1)) (role a) (init (at 1)) (init (turn a)) (succ 1 2) (succ 2 3) (succ 3 4)
        (<= (legal ?r (add ?n)) (true (turn ?r)) (step ?n)) (step 1) (step 2)
        (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
        (<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
        (<= (next (at ?y)) (true (at ?x)) (does ?r (add 1)) (succ ?x ?y))
        (<= (next (at ?z)) (true (at ?x)) (does ?r (add 2)) (succ ?x ?y) (succ ?y ?z))
        (<= (next (at 4)) (true (at 3)) (does ?r (add 2)))
        (<= terminal (true (at 4)))
        (<= (goal a 100) (true (turn a))) (<= (goal a 10) (true (turn b)))
        (<= (goal b 60) (true (turn b))) (<= (goal b 0) (true (turn a)))";
    let games = translations("order", &read(Language::Gdl, "order", rules)).unwrap();
    let roles = |game: &Game| game.roles.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(roles(&games.game), ["a", "b"]);
    for (what, game) in &games.others {
        assert_eq!(roles(game), ["a", "b"], "{what}");
    }
    assert_same("order", &games, OpponentModel::MaxOwn);
}

/// Rules whose formulas are nested hundreds of times are translated to texts that are nested a few dozen times: readers of
/// PDDL often descend by recursion.
#[test]
fn deep_formulas_are_divided() {
    let mut rules = String::from(
        "(role a) (init (at 0)) (<= (legal a (go ?x)) (to ?x)) (<= (next (at ?x)) (does a (go ?x)))
        (<= (reached 0) (true (at 0)))
        (<= terminal (not (reached 200))) (<= terminal (true (at 1)))
        (<= (goal a 100) (true (at 1))) (<= (goal a 50) (true (at 2))) (<= (goal a 0) (not (true (at 1))) (not (true (at 2))))",
    );
    for step in 1..=200 {
        let before = step - 1;
        rules += &format!(
            "(to {step}) (<= (reached {step}) (true (at {step}))) (<= (reached {step}) (reached {before}) (not (true (at {})))) ",
            step + 1
        );
    }
    let program = read(Language::Gdl, "deep", &rules);
    let game = crate::common::game(&program);
    let text = ground::text(&game, &Limits::unlimited()).unwrap();
    let (mut depth, mut deepest) = (0, 0);
    for byte in text.bytes() {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        deepest = deepest.max(depth);
    }
    assert_eq!(depth, 0);
    assert!((30..100).contains(&deepest), "{deepest}");
    assert_same("deep", &translations("deep", &program).unwrap(), OpponentModel::MaxOwn);
}
