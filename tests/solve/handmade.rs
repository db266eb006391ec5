//! The symbolic solver on games built by hand, against brute force and known values.

use crate::common::compare::{assert_agreement, assert_algorithms_agree, solve};
use crate::common::sample::handmade::{counter, lines, nim};
use crate::common::{game, model_in_turn, program};
use api::session::AnyPlan;
use base::random::Random;
use game::reward::OpponentModel;
use ggsolve::{Session, Source};
use num_bigint::BigUint;
use solving::solve::plan::Terms;
use solving::solve::{Bucket, Engine, ExpansionChoice, SolveOptions};

#[test]
fn handmade_games_agree_with_brute_force() {
    for model in OpponentModel::ALL {
        for (heap, most) in [(5, 2), (9, 3), (12, 4)] {
            assert_agreement(&format!("nim {heap} {most}"), &nim(heap, most), model, 1);
        }
        for (columns, rows, line) in [(2, 2, 2), (3, 2, 3), (3, 3, 3)] {
            assert_agreement(&format!("lines {columns} {rows} {line}"), &lines(columns, rows, line), model, 1);
        }
        assert_agreement("counter", &counter(7, false), model, 1);
        assert_agreement("cyclic counter", &counter(7, true), model, 1);
    }
}

#[test]
fn three_in_a_line_is_a_draw() {
    let outcome = solve(&lines(3, 3, 3), &SolveOptions::default()).unwrap();
    assert_eq!(outcome.solution.unwrap().value, Some(vec![50, 50]));
    assert_eq!(outcome.states, BigUint::from(5478u32));
    assert_eq!(outcome.terminal_states, BigUint::from(958u32));
    assert!(outcome.progress_measure && outcome.alternating);
}

/// A player flips lights, a few times, and may stop where both lights of each pair are alike. The numbers of a pair follow
/// each other. As texts, the names of all first lights come before those of all second ones.
fn pairs_of_lights(pairs: u32, flips: u32) -> String {
    let mut text = String::from(
        "(role p) (init (at 0)) (base over)
        (<= (base (lit ?a)) (light ?a)) (<= (base (at ?n)) (succ ?m ?n)) (base (at 0))
        (<= (legal p (flip ?a)) (light ?a)) (<= (legal p stop) (not differ))
        (<= differ (pair ?a ?b) (true (lit ?a)) (not (true (lit ?b))))
        (<= differ (pair ?a ?b) (true (lit ?b)) (not (true (lit ?a))))
        (<= (next (lit ?a)) (true (lit ?a)) (not (does p (flip ?a))))
        (<= (next (lit ?a)) (does p (flip ?a)) (not (true (lit ?a))))
        (<= (next over) (does p stop)) (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))
        (<= terminal (true over)) (<= (goal p 0) (not (true over)))
        (<= (goal p 50) (true over) (true (at 1))) (<= (goal p 100) (true over) (not (true (at 1))))",
    );
    text += &format!("(<= terminal (true (at {flips})))");
    (0..flips).for_each(|flip| text += &format!("(succ {flip} {})", flip + 1));
    for pair in 1..=pairs {
        let first = "9".repeat(pair as usize);
        let second = format!("1{}", "0".repeat(pair as usize));
        text += &format!("(light l{first}) (light l{second}) (pair l{first} l{second})");
    }
    text
}

/// Under the order of names as texts, the condition to stop has 2²¹ nodes, which are too many.
#[test]
fn rules_that_are_small_under_the_order_of_numbers_alone_become_diagrams() {
    let game = game(&program("lights", pairs_of_lights(21, 3).as_bytes()));
    let by = |expansion| solve(&game, &SolveOptions { expansion, ..SolveOptions::default() }).unwrap();
    let (found, expected) = (by(ExpansionChoice::Relations), by(ExpansionChoice::States));
    // Layers: none lit; one; two, or none again; then one or three. Who stopped is in the layer after.
    assert_eq!((&found.states, &found.terminal_states), (&expected.states, &expected.terminal_states));
    assert_eq!(found.solution.unwrap().value, Some(vec![100]));
    assert_eq!(expected.solution.unwrap().value, Some(vec![100]));
    let [pairs, lights] = [21u64, 42];
    let (two, three) = (lights * (lights - 1) / 2, lights * (lights - 1) * (lights - 2) / 6);
    let states = 1 + (lights + 1) + (1 + two) + (lights + three + 1 + pairs);
    assert_eq!(found.states, BigUint::from(states));
}

/// A token on a ring of some cells: two or three players in turn move it on by one or two cells, or end the game on some of
/// the cells, each of which pays something else.
fn ring(cells: usize, players: usize, random: &mut Random) -> String {
    let mut text = String::from("(<= terminal (true over))\n(base over)\n(init (at 0))\n(init (control 0))\n");
    for player in 0..players {
        let next = (player + 1) % players;
        text += &format!("(role p{player})\n(base (control {player}))\n");
        text += &format!("(input p{player} one) (input p{player} two) (input p{player} end) (input p{player} noop)\n");
        text += &format!("(<= (next (control {next})) (true (control {player})))\n");
        text += &format!("(<= (legal p{player} noop) (not (true (control {player}))))\n");
        text += &format!("(<= (legal p{player} one) (true (control {player})))\n");
        text += &format!("(<= (next over) (does p{player} end))\n");
        for cell in 0..cells {
            let [one, two] = [1, 2].map(|step| (cell + step) % cells);
            text += &format!("(<= (next (at {one})) (true (at {cell})) (does p{player} one))\n");
            text += &format!("(<= (next (at {two})) (true (at {cell})) (does p{player} two))\n");
            text += &format!("(<= (next (at {cell})) (true (at {cell})) (does p{player} end))\n");
            text += &format!("(<= (goal p{player} {}) (true over) (true (at {cell})))\n", random.below(101));
            for action in ["two", "end"] {
                if random.chance(60) {
                    text += &format!("(<= (legal p{player} {action}) (true (at {cell})) (true (control {player})))\n");
                }
            }
        }
    }
    (0..cells).for_each(|cell| text += &format!("(base (at {cell}))\n"));
    text
}

/// With more values than are compared for many states at once.
#[test]
fn many_values_that_can_be_put_off_agree_with_brute_force() {
    let mut random = Random::new(5);
    for round in 0..20 {
        let text = ring(3 + round % 20, 2 + round / 2 % 2, &mut random);
        let game = game(&program("ring", text.as_bytes()));
        assert_algorithms_agree(&format!("ring {round}"), &game, model_in_turn(round / 4), 1 + round % 3);
    }
}

/// Its only state leads to itself, and is encoded by no variable.
#[test]
fn a_game_that_stands_still_is_endless() {
    let text = "(role p) (base (at 0)) (input p wait) (init (at 0)) (<= (legal p wait) (true (at 0)))
        (<= (next (at 0)) (does p wait)) (<= terminal (true (at 1))) (<= (goal p 0) (true (at 1)))";
    assert_algorithms_agree("still", &game(&program("still", text.as_bytes())), OpponentModel::MaxOwn, 1);
}

/// Quarto on 3 × 3 cells: a role gives one of some pieces, which the other puts on a cell. Who completes a line of
/// pieces that have one of three properties in common wins.
fn quarto(pieces: usize) -> String {
    let mut text = String::from(
        "(role first) (role second) (other first second) (other second first)
        (init (turn first)) (init (hand none)) (<= (init (board ?c empty)) (cell ?c)) (<= (init (left ?p)) (piece ?p))
        (<= (legal ?r (give ?p)) (true (turn ?r)) (true (hand none)) (true (left ?p)))
        (<= (legal ?r (put ?c)) (true (turn ?r)) (true (hand ?p)) (distinct ?p none) (true (board ?c empty)))
        (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
        (<= (next (hand ?p)) (does ?r (give ?p))) (<= (next (hand none)) (does ?r (put ?c)))
        (<= (next (left ?p)) (true (left ?p)) (not (given ?p))) (<= (given ?p) (does ?r (give ?p)))
        (<= (next (turn ?s)) (does ?r (give ?p)) (other ?r ?s)) (<= (next (turn ?r)) (does ?r (put ?c)))
        (<= (next (board ?c ?p)) (does ?r (put ?c)) (true (hand ?p))) (<= (filled ?c) (does ?r (put ?c)))
        (<= (next (board ?c ?x)) (true (board ?c ?x)) (not (filled ?c)))
        (<= (shares ?c ?v) (true (board ?c ?p)) (has ?p ?v))
        (<= won (line ?a ?b ?c) (shares ?a ?v) (shares ?b ?v) (shares ?c ?v))
        (<= open (true (left ?p))) (<= open (true (hand ?p)) (distinct ?p none))
        (<= terminal won) (<= terminal (not open))
        (<= (goal ?r 100) won (true (turn ?r))) (<= (goal ?s 0) won (true (turn ?r)) (other ?r ?s))
        (<= (goal ?r 50) (role ?r) (not won))",
    );
    (1..=9).for_each(|cell| text += &format!("(cell {cell})"));
    for [a, b, c] in [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 4, 7], [2, 5, 8], [3, 6, 9], [1, 5, 9], [3, 5, 7]] {
        text += &format!("(line {a} {b} {c})");
    }
    for piece in 0..pieces {
        text += &format!("(piece p{piece})");
        (0..3).for_each(|bit| text += &format!("(has p{piece} {})", 2 * bit + (piece >> bit & 1)));
    }
    text
}

/// Diagrams are begun, as there seem to be many states. The automata of the end of play take so long that a look at
/// every state is quicker. A program in C finds the same numbers.
#[test]
fn diagrams_that_take_longer_than_single_states_are_given_up() {
    let outcome = solve(&game(&program("quarto", quarto(7).as_bytes())), &SolveOptions::default()).unwrap();
    assert_eq!((outcome.engine, outcome.states), (Engine::Explicit, BigUint::from(1_887_689u32)));
    assert_eq!(outcome.terminal_states, BigUint::from(559_008u32));
    let solution = outcome.solution.unwrap();
    let bucket = |bucket: &Bucket| (bucket.rewards.clone(), bucket.states.clone());
    let found: Vec<_> = solution.buckets.iter().map(bucket).collect();
    let expected = [([0, 100], 890_646u32), ([50, 50], 59_448), ([100, 0], 937_595)];
    assert_eq!(found, expected.map(|(value, states)| (Some(value.to_vec()), BigUint::from(states))).to_vec());
}

/// Of the same game: as the solve.
#[test]
fn a_plan_looks_at_every_state_where_a_solve_does() {
    let session = Session::default();
    let rules = session.load(Source::new("quarto.gdl", quarto(7).as_bytes()));
    let terms = Terms { processes: 1, threads: 1, memory: 1 << 30, own: 0, disk: u64::MAX, time: None };
    let AnyPlan::Layers(plan) = session.plan(&rules, &SolveOptions::default(), terms, 1 << 28).unwrap() else {
        panic!("its layers end");
    };
    assert!(plan.layers.iter().all(|layer| layer.engine == Engine::Explicit));
    assert_eq!(plan.layer_states, BigUint::from(1_887_689u32));
}
