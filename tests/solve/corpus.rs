//! The symbolic solver on public games, against what an independent engine found.

use crate::common::compare::{ALGORITHM_STATES, assert_algorithms_agree, solve};
use crate::common::model_in_turn;
use base::limits::Limits;
use game::reward::OpponentModel;
use num_bigint::BigUint;
use rayon::prelude::*;
use serde_json::{Value, json};
use solving::solve::{Algorithm, Event, Listener, Order, Outcome, Phase, SolveError, SolveOptions};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The refusals that an oracle's flags allow; one of them must come, if any.
fn refusals(oracle: &Value) -> Vec<&'static str> {
    let some = |key: &str| oracle[key].as_u64().unwrap_or(0) > 0;
    let flaws = [
        ("not-turn-taking", oracle["turn_taking"] == false),
        ("no-legal-move", some("dead_end_states")),
        ("goals", some("terminal_zero_goals") || some("terminal_multi_goals")),
    ];
    flaws.into_iter().filter(|flaw| flaw.1).map(|flaw| flaw.0).collect()
}

/// What differs between an outcome and the oracle.
fn differences(outcome: &Outcome, oracle: &Value, model: OpponentModel) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut compare = |what: &str, found: Value, expected: &Value| {
        if !expected.is_null() && found != *expected {
            wrong.push(format!("{what}: {found} instead of {expected}"));
        }
    };
    let number = |count: &BigUint| json!(u64::try_from(count).unwrap_or(u64::MAX));
    compare("distinct states", number(&outcome.states), &oracle["distinct_states"]);
    compare("terminal states", number(&outcome.terminal_states), &oracle["terminal_states"]);
    if outcome.algorithm == Algorithm::Global {
        // The layers never end; the oracle has no values then.
        compare("acyclic", json!(false), &oracle["acyclic"]);
        return wrong;
    }
    compare("layers", outcome.layers.iter().map(|layer| number(&layer.states)).collect(), &oracle["layer_states"]);
    compare(
        "terminal states by layer",
        outcome.layers.iter().map(|layer| number(&layer.terminal)).collect(),
        &oracle["layer_terminals"],
    );
    let key = model.name().replace('-', "_");
    let solution = outcome.solution.as_ref().expect("values were asked for");
    compare("value", json!(solution.value), &oracle["solved"][&key]);
    let histogram = |layer: &solving::solve::LayerOutcome| -> Value {
        let name = |rewards: &[u8]| rewards.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
        let buckets = layer.buckets.iter();
        let entry = |b: &solving::solve::Bucket| (name(b.rewards.as_deref().unwrap_or(&[])), number(&b.states));
        Value::Object(buckets.map(entry).collect())
    };
    let sorted = |value: &Value| -> Value {
        let layers = value.as_array().map(|layers| layers.iter().map(sort_keys).collect::<Vec<_>>());
        layers.map_or(Value::Null, Value::Array)
    };
    let found = Value::Array(outcome.layers.iter().map(histogram).collect());
    compare("values by layer", sorted(&found), &sorted(&oracle[format!("hist_{key}")]));
    wrong
}

fn sort_keys(value: &Value) -> Value {
    let mut entries: Vec<(String, Value)> =
        value.as_object().into_iter().flatten().map(|(k, v)| (k.clone(), v.clone())).collect();
    entries.sort_by(|left, right| left.0.cmp(&right.0));
    Value::Object(entries.into_iter().collect())
}

fn compare(range: std::ops::Range<u64>) {
    let Some(folder) = crate::common::corpus() else { return };
    let mut wrong = Vec::new();
    let mut compared = 0;
    for file in crate::common::rulesheets(&folder) {
        let oracle = oracle(&folder, &file);
        let states = oracle["distinct_states"].as_u64().unwrap_or(u64::MAX);
        if oracle["explored"] != "full" || !range.contains(&states) {
            continue;
        }
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let game = crate::common::ground_file(&file);
        for model in OpponentModel::ALL {
            let start = std::time::Instant::now();
            let outcome =
                solve(&game, &SolveOptions { opponent_model: model, in_turns: true, ..SolveOptions::default() });
            println!("{name} under {}: {states} states, {:.1} s", model.name(), start.elapsed().as_secs_f64());
            let expected = refusals(&oracle);
            let found = match &outcome {
                Ok(outcome) if expected.is_empty() => differences(outcome, &oracle, model),
                Ok(_) => vec![format!("solved, but {expected:?} was expected")],
                Err(SolveError::Refused(refusal)) if expected.contains(&refusal.code) => Vec::new(),
                Err(error) => vec![format!("{error}; expected was {expected:?}")],
            };
            wrong.extend(found.into_iter().map(|text| format!("{name} under {}: {text}", model.name())));
            compared += 1;
        }
    }
    println!("compared {compared} solutions with the oracle");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn oracle(folder: &Path, file: &Path) -> Value {
    let path = folder.join("oracle").join(file.file_stem().unwrap_or_default()).with_extension("json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("each game has an oracle file")).expect("valid JSON")
}

#[test]
fn all_algorithms_agree_on_the_smallest_games() {
    let Some(folder) = crate::common::corpus() else { return };
    // By all processors: some games take much longer than others.
    let files = crate::common::rulesheets(&folder).into_par_iter().enumerate();
    let compared = files.filter_map(|(place, file)| {
        let oracle = oracle(&folder, &file);
        let few = oracle["distinct_states"].as_u64().is_some_and(|states| states <= ALGORITHM_STATES as u64);
        let compares = few && oracle["explored"] == "full" && refusals(&oracle).is_empty();
        let game = compares.then(|| crate::common::ground_file(&file))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Some(format!("{name}: {:?}", assert_algorithms_agree(&name, &game, model_in_turn(place), 1)))
    });
    let compared: Vec<String> = compared.collect();
    println!("{}", compared.join("\n"));
}

#[test]
fn small_games() {
    compare(0..20_000);
}

#[test]
#[ignore = "takes minutes"]
fn larger_games() {
    compare(20_000..u64::MAX);
}

/// States of a first layer of a game of many roles that are compared.
const LAYER_STATES: u64 = 20_000;

/// Games of three and more roles that take turns, none of which the oracle has explored to the end: the layers that it has.
#[test]
#[ignore = "takes minutes"]
fn first_layers_of_games_of_many_roles() {
    struct Layers(Arc<Limits>, usize, Mutex<Vec<BigUint>>);
    impl Listener for Layers {
        fn event(&self, event: &Event) {
            if let Event::LayerFinished { phase: Phase::Forward, states: Some(states), .. } = event {
                let mut found = self.2.lock().expect("nobody panicked");
                found.push(states.clone());
                if found.len() == self.1 {
                    self.0.interrupt();
                }
            }
        }
    }
    let Some(folder) = crate::common::corpus() else { return };
    let mut compared = 0;
    for file in crate::common::rulesheets(&folder) {
        let oracle = oracle(&folder, &file);
        let many = oracle["roles"].as_array().is_some_and(|roles| roles.len() > 2);
        let layers: Vec<u64> =
            oracle["layer_states"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
        // Of the last ones the oracle had only begun.
        let fitting = layers.iter().take_while(|&&states| states <= LAYER_STATES).count().min(layers.len() - 1);
        if !many || oracle["turn_taking"] != true || fitting < 2 {
            continue;
        }
        println!("{}: {fitting} layers", file.display());
        let game = crate::common::ground_file(&file);
        let limits = Arc::new(Limits::new(4 << 30));
        let listener = Layers(limits.clone(), fitting, Mutex::default());
        // An order is searched for on more layers than are compared.
        let options = SolveOptions { count_only: true, in_turns: true, order: Order::Rules, ..SolveOptions::default() };
        let outcome = solving::solve::run(&game, &options, &limits, &listener);
        assert!(matches!(outcome, Err(SolveError::Limit(_))), "{}: {:?}", file.display(), outcome.map(|o| o.states));
        let found = listener.2.into_inner().expect("nobody panicked");
        let expected: Vec<BigUint> = layers[..fitting].iter().map(|&states| states.into()).collect();
        assert_eq!(found[..fitting], expected, "{}", file.display());
        compared += 1;
    }
    println!("the first layers of {compared} games of many roles agree");
    assert!(compared > 5, "{compared}");
}
