//! A rule of values that is brought by a program (`examples/average`), against plain recursion.

#[path = "../../examples/average/average.rs"]
mod rule;

use crate::common::{game, ground_file, program, shipped};
use base::limits::Limits;
use game::interpreter::{Interpreter, State};
use game::matrix::Rational;
use game::propositional::Game;
use rule::Average;
use solving::exact::Value;
use solving::solve::{Silent, SolveOptions, run_by};
use std::collections::HashMap;
use std::sync::Arc;

fn by_recursion(rules: &Interpreter, state: &State, known: &mut HashMap<State, Value>, players: usize) -> Value {
    if let Some(value) = known.get(state) {
        return value.clone();
    }
    let situation = rules.situation(state);
    let value = if situation.terminal {
        let reward = |role: usize| Rational::new(u32::from(situation.goals[role][0]).into(), 1.into());
        Value::new((0..players).map(reward).collect())
    } else {
        let joints: Vec<_> = situation.joint_moves().collect();
        let after: Vec<Value> =
            joints.iter().map(|joint| by_recursion(rules, &rules.successor(state, joint), known, players)).collect();
        Value::mean(after.iter())
    };
    known.insert(state.clone(), value.clone());
    value
}

fn compare(game: &Game) {
    let rules = Interpreter::new(game);
    let expected = by_recursion(&rules, &rules.initial(), &mut HashMap::new(), game.players());
    let limits = Arc::new(Limits::unlimited());
    let outcome = run_by(game, &Average, &SolveOptions::default(), &limits, &Silent).unwrap();
    assert_eq!(outcome.exact.expect("values").value, expected, "{}", game.name);
}

#[test]
fn means_of_successors_are_those_of_plain_recursion() {
    // Turns; choices at the same time; chance; three players.
    for file in ["tictactoe.gdl", "tictactoe_simultaneous.gdl", "pig_8.gdl", "clobber3_3x3.gdl"] {
        compare(&ground_file(&shipped(file)));
    }
    for seed in 0..50 {
        compare(&game(&program("random", crate::common::sample::random_game(seed, None).as_bytes())));
        compare(&game(&program("mixed", crate::common::sample::random_mixed_game(seed).as_bytes())));
    }
}
