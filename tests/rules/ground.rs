//! Grounding against a naive evaluation of the rules on states, on programs written by hand and on random ones; and
//! its independence of the order of the rules and of names.

use crate::common::naive::{Ground, Naive};
use base::limits::Limits;
use base::random::Random;
use game::diagnostic::Source;
use game::ground::{GroundError, GroundOptions, Grounding, ground};
use game::interpreter::Interpreter;
use game::mutex::{self, Effort};
use game::propositional::Game;
use game::rules::{Program, gdl};
use solving::solve::{Silent, SolveError, SolveOptions};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

fn program(text: &str) -> Program {
    try_program(text).unwrap_or_else(|| panic!("refused: {text}"))
}

fn try_program(text: &str) -> Option<Program> {
    gdl::program(&Source::new("test.kif", text.as_bytes())).0
}

fn try_ground(program: &Program, options: &GroundOptions) -> Result<Grounding, GroundError> {
    ground(program, &Limits::unlimited(), options)
}

fn game(program: &Program) -> Game {
    try_ground(program, &GroundOptions::default()).expect("the program can be grounded").game
}

/// A table has the moves of ten roles: joined first, each of its rows asks for one combination of these moves, of which
/// there are six to the power of ten.
#[test]
fn a_table_that_joins_the_moves_of_all_roles_is_joined_before_them() {
    let roles = 0..10;
    let all = |name: &str| -> String { roles.clone().map(|role| format!(" {name}{role}")).collect() };
    let mut text = format!(
        "(init (at 0)) (<= terminal (true (at 20)))
        (<= (next (at ?t)) (true (at ?s)) (turn ?s{} ?t)",
        all("?m")
    );
    roles.clone().for_each(|role| text += &format!(" (does r{role} ?m{role})"));
    text += ")";
    for role in roles.clone() {
        text += &format!("(role r{role}) (goal r{role} 50) (legal r{role} noop)");
        (0..5).for_each(|place| text += &format!("(<= (legal r{role} m{place}) (true (at {role})))"));
    }
    for row in 0..200 {
        let (from, mover) = (row % 20, row % 20 % 10);
        let moves: Vec<String> =
            roles.clone().map(|role| if role == mover { format!("m{}", row / 40) } else { "noop".into() }).collect();
        text += &format!("(turn {from} {} {})", moves.join(" "), from + 1);
    }
    let options = GroundOptions { steps: 200_000, ..GroundOptions::default() };
    let game = try_ground(&program(&text), &options).expect("few steps suffice").game;
    assert_eq!(game.moves.len(), 60);
}

/// Plays at random and compares each state, its legal moves, goals and end with the naive evaluator.
fn compare(program: &Program, playouts: usize, steps: usize) {
    let game = game(program);
    let naive = Naive::new(program);
    let interpreter = Interpreter::new(&game);
    let mut random = Random::new(1);
    let mut constant: Option<BTreeSet<String>> = None;
    // What one of the roles has of pairs of a role and something else.
    let of = |pairs: &[(Ground, Ground)], role: &str| -> BTreeSet<String> {
        let own = pairs.iter().filter(|(owner, _)| naive.show(owner) == role);
        own.map(|(_, thing)| naive.show(thing)).collect()
    };
    for _ in 0..playouts {
        let (mut facts, mut state) = (naive.initial(), interpreter.initial());
        for _ in 0..steps {
            let names: BTreeSet<String> = state.names(&game).into_iter().collect();
            let all: BTreeSet<String> = facts.iter().map(|fluent| naive.show(fluent)).collect();
            assert!(names.is_subset(&all), "{names:?} is not within {all:?}");
            let rest: BTreeSet<String> = all.difference(&names).cloned().collect();
            assert_eq!(constant.get_or_insert_with(|| rest.clone()), &rest, "a fluent that varies was dropped");

            let (terminal, legal) = naive.look(&facts);
            let (legal, goals) = (legal.concat(), naive.goals(&facts));
            let situation = interpreter.situation(&state);
            assert_eq!(situation.terminal, terminal);
            for (index, role) in game.roles.iter().map(ToString::to_string).enumerate() {
                let ours: BTreeSet<String> =
                    situation.legal[index].iter().map(|m| game.moves[m.index()].term.to_string()).collect();
                assert_eq!(ours, of(&legal, &role), "legal moves of {role} in {all:?}");
                let ours: BTreeSet<String> = situation.goals[index].iter().map(|value| value.to_string()).collect();
                assert_eq!(ours, of(&goals, &role), "goals of {role} in {all:?}");
            }
            let Some(joint) = situation.random_joint_move(&mut random) else { break };
            let done = joint.iter().map(|m| {
                let action = &game.moves[m.index()];
                let (role, action) = (game.roles[action.role.index()].to_string(), action.term.to_string());
                let same = |pair: &&(Ground, Ground)| naive.show(&pair.0) == role && naive.show(&pair.1) == action;
                legal.iter().find(same).expect("a legal move").clone()
            });
            facts = naive.successor(&facts, &done.collect::<Vec<_>>());
            state = interpreter.successor(&state, &joint);
        }
    }
}

const LIGHTS: &str = "
    (role alice) (role bob)
    (row 1) (row 2) (row 3) (succ 1 2) (succ 2 3) (succ 3 10)
    (init (lamp 1 (colour red))) (init (lamp 2 (colour green))) (init wall) (init (step 1))
    (<= (legal ?r (switch ?x (colour ?c))) (role ?r) (row ?x) (true (lamp ?x (colour ?d))) (other ?c ?d))
    (legal alice wait) (legal bob wait)
    (other red green) (other green red)
    (<= (next ?f) (true ?f) (not (gone ?f)) (keeps ?f))
    (<= (keeps (lamp ?x ?c)) (true (lamp ?x ?c)))
    (<= (keeps wall) (true wall))
    (<= (gone (lamp ?x (colour ?d))) (does ?r (switch ?x (colour ?c))) (other ?c ?d))
    (<= (next (lamp ?x ?c)) (does ?r (switch ?x ?c)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (reach ?x ?x) (row ?x))
    (<= (reach ?x ?z) (reach ?x ?y) (link ?y ?z))
    (<= (link ?x ?y) (succ ?x ?y) (same ?x ?y))
    (<= (link ?y ?x) (succ ?x ?y) (same ?x ?y))
    (<= (same ?x ?y) (true (lamp ?x ?c)) (true (lamp ?y ?c)))
    (<= terminal (true (step 10)))
    (<= terminal (not (true wall)))
    (<= (goal ?r 100) (role ?r) (reach 1 2))
    (<= (goal ?r 0) (role ?r) (not (reach 1 2)))";

#[test]
fn nested_terms_variable_fluents_and_recursion_agree_with_the_naive_evaluator() {
    compare(&program(LIGHTS), 20, 6);
}

#[test]
fn fluents_and_moves_are_ordered_by_structure_and_constant_ones_are_gone() {
    let game = game(&program(LIGHTS));
    let names: Vec<String> = game.fluents.iter().map(|fluent| fluent.to_string()).collect();
    let lamps =
        ["(lamp 1 (colour green))", "(lamp 1 (colour red))", "(lamp 2 (colour green))", "(lamp 2 (colour red))"];
    assert_eq!(names[..4], lamps);
    assert_eq!(names[4..], ["(step 1)", "(step 2)", "(step 3)", "(step 10)"]);
    assert!(game.moves.iter().all(|m| !m.term.to_string().contains("switch 3")));
    assert_eq!(game.roles[0].to_string(), "alice");
}

/// Numbers after the last one, at which play ends by itself or beside another condition, are never reached.
#[test]
fn what_lies_behind_the_end_is_gone() {
    let counter = |terminal: &str| {
        let numbers: String = (0..9).map(|number| format!("(succ {number} {}) ", number + 1)).collect();
        game(&program(&format!(
            "(role a) {numbers} (init (step 0)) (init (off lamp)) (legal a go) (legal a stay)
             (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
             (<= (next (off lamp)) (true (off lamp)) (does a stay)) (<= (next on) (does a go))
             {terminal} (<= (goal a 100) (true on)) (<= (goal a 0) (not (true on)))"
        )))
    };
    let steps = |game: &Game| game.fluents.iter().filter(|fluent| fluent.name == "step").count();
    for terminal in [
        "(<= terminal (true (step 4)))",
        "(<= terminal (last ?n) (true (step ?n))) (last 4) (<= terminal (true on) (not (true (off lamp))) (true (step 2)))",
        "(<= terminal (not open)) (<= open (not (true (step 4))))",
    ] {
        assert_eq!(steps(&counter(terminal)), 5, "{terminal}");
    }
    // Play goes on after number 4 if the lamp is off.
    assert_eq!(steps(&counter("(<= terminal (true (step 4)) (true on))")), 10);
}

#[test]
fn games_of_the_repository_agree_with_the_naive_evaluator() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    for name in ["tictactoe", "clobber_1x6", "connect4_4x4"] {
        let text = std::fs::read_to_string(folder.join(name).with_extension("gdl")).expect("a game of the repository");
        compare(&program(&text), 2, 40);
    }
}

/// Everything of a game, in order.
fn print(game: &Game) -> String {
    let nodes: Vec<String> = game.graph.nodes().map(|(id, node)| format!("{id:?} {node:?}")).collect();
    let Game { roles, fluents, init, moves, next, terminal, goals, derived, .. } = game;
    format!("{roles:?}\n{fluents:?}\n{init:?}\n{moves:?}\n{nodes:?}\n{next:?}\n{terminal:?}\n{goals:?}\n{derived:?}")
}

#[test]
fn the_order_of_rules_and_the_names_of_variables_change_nothing() {
    let check = |name: &str, program: &Program| {
        let scrambled = crate::scramble::scramble(program, &mut Random::new(7));
        assert!(print(&game(program)) == print(&game(&scrambled)), "{name} changes when its rules are shuffled");
    };
    check("lights", &program(LIGHTS));
    for seed in 0..60 {
        if let Some(program) = try_program(&random_rules(&mut Random::new(seed))) {
            check(&format!("random program {seed}"), &program);
        }
    }
    let Some(folder) = crate::common::corpus() else { return };
    for file in crate::common::rulesheets(&folder) {
        let bytes = std::fs::read(&file).expect("a rulesheet can be read");
        if let Some(program) = gdl::program(&Source::new(file.display().to_string(), &bytes)).0
            && try_ground(&program, &GroundOptions { instances: 100_000, ..GroundOptions::default() }).is_ok()
        {
            check(&program.name.clone(), &program);
        }
    }
}

#[test]
fn a_rule_that_explodes_is_named_with_its_instances() {
    let text = "(role r) (d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9)
        (<= (init (f ?a ?b ?c ?d ?e)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e))
        (legal r wait) (<= (next ?f) (true ?f)) (<= terminal (true (f 1 1 1 1 1))) (goal r 0)";
    let options = GroundOptions { instances: 10_000, ..GroundOptions::default() };
    match try_ground(&program(text), &options) {
        Err(GroundError::Explosion { head, span, instances, .. }) => {
            assert_eq!(head, "(init (f ?a ?b ?c ?d ?e))");
            assert!(text[span.start as usize..].starts_with("(<= (init"));
            assert!(instances >= 5_000, "{instances}");
        }
        other => panic!("{other:?}"),
    }
    let limits = Limits::new(1 << 16);
    assert!(ground(&program(text), &limits, &GroundOptions::default()).is_err());
    assert_eq!(limits.used(), 0);
}

#[test]
fn an_interruption_ends_grounding() {
    let limits = Limits::unlimited();
    limits.interrupt();
    assert!(matches!(ground(&program(LIGHTS), &limits, &GroundOptions::default()), Err(GroundError::Limit(_))));
}

/// Each of two players picks one of many things, and the last pick is remembered.
fn picks(number: usize) -> String {
    let things: String = (0..number).map(|thing| format!("(thing {thing}) ")).collect();
    format!(
        "(role a) (role b) (init (turn a)) (init (picked 0)) {things}
         (<= (legal ?p (pick ?x)) (true (turn ?p)) (thing ?x))
         (<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
         (<= (next (turn b)) (true (turn a))) (<= (next (turn c)) (true (turn b)))
         (<= (next (picked ?x)) (does ?p (pick ?x)))
         (<= terminal (true (turn c))) (<= (goal ?p 50) (role ?p))"
    )
}

#[test]
fn choices_among_many_moves_are_groups() {
    for number in [200, 1000] {
        let found = mutex::find(&game(&program(&picks(number))), &Effort::default(), &Limits::unlimited()).unwrap();
        assert_eq!(found.groups.len(), 2, "at most one pick of {number}, and the turn");
        assert!(found.work < 30_000 * number as u64, "{} for {number}", found.work);
    }
}

/// Each fluent is a relation of its own here, and all pairs of relations with the same arguments may be united.
#[test]
fn many_fluents_without_arguments_are_groups() {
    let number = 1500;
    let mut text = String::from("(role r) (legal r go) (goal r 100) (init f0) (<= terminal (true f2) (true f3))");
    for fluent in 0..number {
        text += &format!(" (<= (next f{}) (true f{fluent}))", (fluent + 1) % number);
    }
    let mutex::Guess { groups, .. } =
        mutex::Guess::new(&game(&program(&text)), &Effort::default(), &Limits::unlimited()).unwrap();
    assert_eq!(groups.iter().map(|group| group.fluents.len()).collect::<Vec<_>>(), [number]);
}

#[test]
fn what_base_and_input_lack_is_a_warning() {
    let text =
        "(role r) (base (f 1)) (input r a) (init (f 1)) (<= (next (f 2)) (does r b)) (<= (next (f 1)) (does r a))
        (legal r a) (legal r b) (<= terminal (true (f 2))) (goal r 7)";
    let warnings = try_ground(&program(text), &GroundOptions::default()).expect("a game").warnings;
    let messages: Vec<&str> = warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(
        messages,
        ["1 fluent may hold, but `base` does not list: (f 2)", "1 move may be legal, but `input` does not list: b"]
    );
    let complete = text.replace("(base (f 1))", "(base (f 1)) (base (f 2)) (input r b)");
    assert_eq!(try_ground(&program(&complete), &GroundOptions::default()).expect("a game").warnings, []);
}

#[test]
fn independent_existential_variables_are_not_enumerated_together() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let mut text = String::from("(role r) (legal r wait) (<= terminal done) (goal r 0) (<= (next ?f) (true ?f))\n");
    for i in 0..10 {
        text += &format!("(i {i}) ");
    }
    for name in names {
        text += &format!("(<= (legal r ({name} ?x)) (i ?x)) (<= (next ({name} ?x)) (does r ({name} ?x)))\n");
    }
    let all: Vec<String> = names.iter().map(|name| format!("(true ({name} ?{name}))")).collect();
    text += &format!("(<= done {})", all.join(" "));
    let statistics = try_ground(&program(&text), &GroundOptions::default()).expect("a game").statistics;
    assert!(statistics.instances < 1000, "{statistics:?}");
}

/// A random rulesheet over a few predicates: static and dynamic relations, some of them recursive.
fn random_rules(random: &mut Random) -> String {
    let mut text = String::from("(role r1) (role r2) (legal r1 noop) (legal r2 noop) (dom 1) (dom 2) (dom a)\n");
    let constants = ["1", "2", "a"];
    let pick = |random: &mut Random| constants[random.below(3)];
    for _ in 0..5 {
        text += &format!("(e {} {}) ", pick(random), pick(random));
        text +=
            &format!("(p {}) (init (f {})) (init (g {} {}))\n", pick(random), pick(random), pick(random), pick(random));
    }
    // Predicate, arity, and the level up to which a body may use it; `true` and `does` in the middle.
    let relations = [("e", 2), ("p", 1), ("d", 2), ("q", 1), ("s", 3), ("t1", 1), ("t2", 2), ("t3", 1), ("t4", 0)];
    let heads = [
        ("(d ?x ?y)", 2, 3),
        ("(d ?x ?x)", 2, 3),
        ("(q ?x)", 3, 3),
        ("(s ?x ?y ?z)", 4, 4),
        ("(t1 ?x)", 5, 9),
        ("(t2 ?x ?y)", 6, 9),
        ("(t2 ?x ?y)", 6, 9),
        ("(t3 ?x)", 7, 9),
        ("(t3 ?x)", 7, 9),
        ("t4", 8, 9),
        ("(legal r1 (m ?x ?y))", 9, 9),
        ("(legal ?r (k (w ?x)))", 9, 9),
        ("(next (f ?x))", 9, 10),
        ("(next (g ?x ?y))", 9, 10),
        ("(next (g ?y ?x))", 9, 10),
        ("(next (h (w ?x)))", 9, 10),
        ("(next z)", 9, 10),
        ("terminal", 9, 9),
        ("(goal r1 50)", 9, 9),
        ("(goal r2 100)", 9, 9),
    ];
    for (head, level, what) in heads {
        let mut body = String::new();
        let count = 1 + random.below(5);
        let mut positive = String::new();
        for _ in 0..count {
            let term = |random: &mut Random| {
                let names = ["?x", "?y", "?z", "?u", "?v", "1", "a"];
                names[random.below(names.len())].to_owned()
            };
            // Its own predicate only positively, and only last, so that the program stays stratified.
            let most = if what == 9 || what == 10 { 14 } else { level };
            let choice = random.below(most + 1);
            let atom = match choice {
                0..9 => {
                    let (name, arity) = relations[choice.min(level).min(8)];
                    let arguments: Vec<String> = (0..arity).map(|_| term(random)).collect();
                    if arity == 0 { name.to_owned() } else { format!("({name} {})", arguments.join(" ")) }
                }
                9 => format!("(true (f {}))", term(random)),
                10 => format!("(true (g {} {}))", term(random), term(random)),
                11 => format!("(true (h {}))", ["?w", "(w ?x)", "(w ?u)"][random.below(3)]),
                12 => "(true z)".to_owned(),
                _ if what == 10 => [
                    format!("(does ?r (m {} {}))", term(random), term(random)),
                    format!("(does r2 (k (w {})))", term(random)),
                    "(does r1 ?any)".to_owned(),
                ][random.below(3)]
                .clone(),
                _ => format!("(true (f {}))", term(random)),
            };
            let own = choice.min(level) == level && level < 9;
            match random.below(10) {
                0 | 1 if !own && !atom.contains("?any") && !atom.contains("?w") => body += &format!("(not {atom}) "),
                2 => body += &format!("(distinct {} {}) ", term(random), term(random)),
                _ => {
                    positive += &atom;
                    body += &format!("{atom} ");
                }
            }
        }
        for variable in ["?x", "?y", "?z", "?u", "?v"] {
            if (body.contains(variable) || head.contains(variable)) && !positive.contains(variable) {
                body += &format!("(dom {variable}) ");
            }
        }
        if (head.contains("?r") || body.contains("?r ")) && !positive.contains("?r ") {
            body += "(role ?r) ";
        }
        text += &format!("(<= {head} {body})\n");
    }
    text
}

#[test]
fn random_programs_agree_with_the_naive_evaluator() {
    let mut accepted = 0;
    for seed in 0..400 {
        let text = random_rules(&mut Random::new(seed));
        let Some(program) = try_program(&text) else { continue };
        accepted += 1;
        compare(&program, 3, 4);
    }
    assert!(accepted > 200, "only {accepted} of 400 random programs are valid");
}

/// Three coins of 10, 20 or 30 are picked; by the facts for `plus` alone, the sum could be up to 110. Every play ends
/// within `picks`, so that the largest sum is 30 for each.
fn coins(picks: usize) -> String {
    let plus: String = (0..11).map(|ten| format!("(plus {0} 10 {1})", 10 * ten, 10 * (ten + 1))).collect();
    let turns: String = (1..=picks).map(|turn| format!("(s {turn} {})", turn + 1)).collect();
    format!(
        "(role a) (init (sum 0)) (init (turn 1)) (coin 10) (coin 20) (coin 30) {plus} {turns}
        (<= (plus ?x 20 ?z) (plus ?x 10 ?y) (plus ?y 10 ?z))
        (<= (plus ?x 30 ?z) (plus ?x 20 ?y) (plus ?y 10 ?z))
        (<= (legal a (pick ?n)) (coin ?n))
        (<= (next (sum ?z)) (does a (pick ?n)) (true (sum ?x)) (plus ?x ?n ?z))
        (<= (next (turn ?n)) (true (turn ?m)) (s ?m ?n))
        (<= terminal (true (turn {last})))
        (<= (goal a ?x) (true (sum ?x)) (true (turn {last})))",
        last = picks + 1
    )
}

#[test]
fn a_goal_above_100_that_only_seems_possible_is_no_error() {
    let solved = |text: &str| {
        let grounding = try_ground(&program(text), &GroundOptions::default()).unwrap();
        let warned: Vec<String> = (grounding.warnings.iter())
            .filter(|warning| warning.code == "goal-value")
            .map(|warning| warning.message.clone())
            .collect();
        let limits = Arc::new(Limits::unlimited());
        (warned, solving::solve::run(&grounding.game, &SolveOptions::default(), &limits, &Silent))
    };
    let warning = "goal values that are no whole numbers from 0 to 100 may be reached: 110";
    let (warned, outcome) = solved(&coins(3));
    assert_eq!(warned, [warning]);
    let value = outcome.unwrap().solution.and_then(|solution| solution.value);
    assert_eq!(value, Some(vec![90]), "30 three times");
    let (warned, outcome) = solved(&coins(4));
    assert_eq!(warned, [warning]);
    let Err(SolveError::Refused(refusal)) = outcome else { panic!("110 is reached by 30, 30, 30 and 20") };
    assert!(refusal.code == "goals" && refusal.state.contains(&"(sum 110)".to_owned()), "{refusal}");
    // A reward in another spelling is an error, and so is a value that is all there is for a role.
    let text =
        "(role a) (init s) (val 050) (val 100) (legal a m) (next s) (<= terminal (true s)) (<= (goal a ?x) (val ?x))";
    let refused = try_ground(&program(text), &GroundOptions::default());
    assert!(matches!(&refused, Err(GroundError::GoalValue { value, .. }) if value == "050"), "{refused:?}");
    let text = "(role a) (init s) (val 110) (legal a m) (next s) (<= terminal (true s)) (<= (goal a ?x) (val ?x))";
    let refused = try_ground(&program(text), &GroundOptions::default());
    assert!(matches!(&refused, Err(GroundError::GoalValue { value, .. }) if value == "110"), "{refused:?}");
}

/// Players in turns take a point or pass, `turns` times; by the facts for `succ` alone, a score could be up to 20.
fn scores(players: usize, turns: usize) -> String {
    let roles: String = (0..players).map(|player| format!("(role p{player}) (init (score p{player} 0))")).collect();
    let succ: String = (0..20).map(|number| format!("(succ {number} {})", number + 1)).collect();
    let turn: String = (0..turns).map(|turn| format!("(turn {turn} p{} {})", turn % players, turn + 1)).collect();
    format!(
        "{roles} {succ} {turn} (init (at 0))
        (<= (legal ?p take) (true (at ?n)) (turn ?n ?p ?m)) (<= (legal ?p pass) (role ?p))
        (<= (next (at ?m)) (true (at ?n)) (turn ?n ?p ?m))
        (<= (next (score ?p ?m)) (does ?p take) (true (score ?p ?n)) (succ ?n ?m))
        (<= (next (score ?p ?n)) (does ?p pass) (true (score ?p ?n)))
        (<= terminal (true (at {turns})))
        (<= (goal ?p ?n) (true (score ?p ?n)))"
    )
}

#[test]
fn of_too_many_rewards_those_that_occur_are_told_apart() {
    let solved = |text: &str| {
        let game = game(&program(text));
        solving::solve::run(&game, &SolveOptions::default(), &Arc::new(Limits::unlimited()), &Silent)
    };
    let outcome = solved(&scores(4, 6)).unwrap();
    assert_eq!(outcome.solution.and_then(|solution| solution.value), Some(vec![2, 2, 1, 1]));
    let Err(SolveError::Refused(refusal)) = solved(&scores(4, 48)) else { panic!("more than 65,536 states") };
    assert!(refusal.code == "rewards" && refusal.message.contains("(21 × 21 × 21 × 21)"), "{refusal}");
}
