//! Games with chance and choices at the same time by brute force over their rules: the value of the first player, the
//! numbers of states, and the sum of the squares of all states' values, as programs with the games in code of their own
//! have them (`python/tests/exact_games.py`; the squares, as values of mirrored states would cancel out in a sum).

use super::common;
use super::games;
use base::limits::Limits;
use game::interpreter::{Interpreter, State};
use game::matrix::{Rational, proves, solve};
use ggsolve::{Destination, Session, SolveOptions, Source};
use rustc_hash::FxHashMap;
use serde_json::Value;

/// A game whose role `random` goes by another name here: a role as others, which is taken for chance below.
fn game(arguments: &str) -> game::propositional::Game {
    let file = super::folder().join(arguments);
    let text = std::fs::read_to_string(file).unwrap_or_else(|_| games::shipped(arguments).unwrap());
    let text = text.replace("random", "nature");
    let goal = if text.contains("(role nature)") { "\n(goal nature 50)\n" } else { "" };
    common::game(&common::program(arguments, (text + goal).as_bytes()))
}

/// What is found, in the words of the recorded file.
#[derive(Debug, PartialEq)]
struct Found {
    value: String,
    states: u64,
    joint: u64,
    squares: String,
}

/// The values of all states, each by its successors'; every play ends, so the depth is that of the game.
struct Search<'a> {
    interpreter: &'a Interpreter,
    values: FxHashMap<State, Rational>,
    joint: u64,
}

impl Search<'_> {
    fn value(&mut self, state: &State) -> Rational {
        if let Some(value) = self.values.get(state) {
            return value.clone();
        }
        let situation = self.interpreter.situation(state);
        let value = if situation.terminal {
            let [first, second] = [situation.goals[0][0], situation.goals[1][0]];
            assert!(
                first + second == 100 && situation.goals.iter().all(|goals| goals.len() == 1),
                "{:?}",
                situation.goals
            );
            Rational::from_integer(first.into())
        } else {
            let [rows, columns] = [situation.legal[0].len(), situation.legal[1].len()];
            let outcomes = situation.legal.get(2).map_or(1, Vec::len);
            self.joint += u64::from(rows > 1 && columns > 1);
            let values: Vec<Rational> =
                situation.joint_moves().map(|joint| self.value(&self.interpreter.successor(state, &joint))).collect();
            let means: Vec<Rational> = values
                .chunks(outcomes)
                .map(|values| values.iter().sum::<Rational>() / Rational::from_integer(outcomes.into()))
                .collect();
            let solution = solve(rows, columns, &means, &Limits::unlimited()).unwrap();
            assert!(proves(&solution, rows, columns, &means));
            solution.value
        };
        self.values.insert(state.clone(), value.clone());
        value
    }
}

fn found(arguments: &str) -> Found {
    let interpreter = Interpreter::new(&game(arguments));
    let mut search = Search { interpreter: &interpreter, values: FxHashMap::default(), joint: 0 };
    let value = search.value(&interpreter.initial());
    let squares: Rational = search.values.values().map(|value| value * value).sum();
    let (states, joint) = (search.values.len() as u64, search.joint);
    Found { value: value.to_string(), states, joint, squares: squares.to_string() }
}

/// The files, too, of the games that are recorded are what the generator prints.
#[test]
fn games_with_chance_and_joint_choices_are_worth_what_other_code_finds() {
    let file = super::folder().join("../tests/games/exact.json");
    let recorded: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    for (arguments, recorded) in recorded.as_object().unwrap() {
        let [value, squares] = ["value", "squares"].map(|key| recorded[key].as_str().unwrap().to_owned());
        let [states, joint] = ["states", "joint"].map(|key| recorded[key].as_u64().unwrap());
        assert_eq!(found(arguments), Found { value, states, joint, squares }, "{arguments}");
    }
    assert!(recorded.as_object().unwrap().len() > 20);
}

/// What `ggsolve` says of the same games.
#[test]
fn games_with_chance_and_joint_choices_are_solved() {
    let file = super::folder().join("../tests/games/exact.json");
    let recorded: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let session = Session::default();
    for (arguments, recorded) in recorded.as_object().unwrap() {
        let file = super::folder().join(arguments);
        let text = std::fs::read_to_string(file).unwrap_or_else(|_| games::shipped(arguments).unwrap());
        let rules = session.load(Source::new("game.gdl", text.as_bytes()));
        let destination = Destination::Nowhere("not asked for".to_owned());
        let report = session.solve(&rules, &SolveOptions::default(), &destination).unwrap();
        let report = serde_json::to_value(&report).unwrap();
        let told = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        assert_eq!(told(&report["value"][0]), recorded["value"].as_str().unwrap(), "{arguments}");
        assert_eq!(report["states"], recorded["states"], "{arguments}");
    }
}
