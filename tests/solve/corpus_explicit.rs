//! The brute-force solver against what an independent engine found in the public games.

use crate::common::explicit::{ExplicitError, explore, layers, solve};
use base::limits::Limits;
use game::mutex;
use game::propositional::{Game, GroupKind};
use game::reward::OpponentModel;
use serde_json::Value;
use std::path::Path;
use std::time::Instant;

fn count(value: &Value, key: &str) -> usize {
    value[key].as_u64().unwrap_or(0) as usize
}

fn counts(value: &Value) -> Vec<u64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
}

/// The oracle's findings on all games that it explored fully and that have from `least` to `most` states.
fn oracle(corpus: &Path, least: usize, most: usize) -> Vec<Value> {
    let games = crate::common::rulesheets(corpus).into_iter().filter_map(|sheet| {
        let name = sheet.file_stem()?.to_str()?.to_owned();
        let text = std::fs::read_to_string(corpus.join("oracle").join(name + ".json")).ok()?;
        serde_json::from_str::<Value>(&text).ok()
    });
    let wanted =
        |found: &Value| (least..most).contains(&count(found, "distinct_states")) && found["explored"] == "full";
    games.filter(wanted).collect()
}

/// Everything that differs from the oracle's findings.
fn differences(game: &Game, oracle: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: String, ours: String, theirs: String| {
        if ours != theirs {
            found.push(format!("{}: {what}: {ours}, the oracle has {theirs}", game.name));
        }
    };
    let exploration = match explore(game, 1_000_000) {
        Ok(exploration) => exploration,
        Err(limit) => return vec![format!("{}: {limit}", game.name)],
    };
    let mut numbers =
        |what: &str, ours: usize| compare(what.to_owned(), ours.to_string(), count(oracle, what).to_string());
    numbers("distinct_states", exploration.len());
    numbers("terminal_states", exploration.terminal_states());
    let theirs = counts(&oracle["layer_states"]);
    let layers = layers(&exploration, if oracle["layers_complete"] == true { usize::MAX } else { theirs.len() });
    let ours: Vec<u64> = layers.iter().map(|layer| layer.states).collect();
    compare("layer_states".to_owned(), format!("{ours:?}"), format!("{theirs:?}"));
    let ours: Vec<u64> = layers.iter().map(|layer| layer.terminal).collect();
    compare("layer_terminals".to_owned(), format!("{ours:?}"), format!("{:?}", counts(&oracle["layer_terminals"])));
    let turn_taking = exploration.simultaneous_choice(game).is_none();
    compare("turn_taking".to_owned(), turn_taking.to_string(), oracle["turn_taking"].to_string());
    let acyclic = exploration.topological_order().is_some();
    compare("acyclic".to_owned(), acyclic.to_string(), oracle["acyclic"].to_string());

    let solved = &oracle["solved"];
    for (model, name) in OpponentModel::ALL.into_iter().zip(["max_own", "max_diff"]) {
        let solution = match solve(game, model, 1_000_000) {
            Ok(solution) => solution,
            Err(ExplicitError::IllFormed(witness)) => {
                let refused = solved.is_null() || count(oracle, "dead_end_states") > 0;
                let witness = format!("refused: {}", witness.violation);
                compare(name.to_owned(), witness.clone(), if refused { witness } else { solved.to_string() });
                continue;
            }
            Err(ExplicitError::Cyclic) if !acyclic => continue,
            Err(error) => {
                compare(name.to_owned(), error.to_string(), solved.to_string());
                continue;
            }
        };
        let value = if game.roles.len() == 1 { &solved["max"] } else { &solved[name] };
        let initial = solution.initial_value();
        let ours = if game.roles.len() == 1 { format!("{}", initial[0]) } else { format!("{initial:?}") };
        compare(format!("{name} value"), ours.replace(' ', ""), value.to_string());
        if let Some(alternating) = oracle["strictly_alternating"].as_bool() {
            compare("strictly_alternating".to_owned(), solution.alternating.to_string(), alternating.to_string());
        }
        for (layer, theirs) in oracle[format!("hist_{name}")].as_array().into_iter().flatten().enumerate() {
            let key = |rewards: &[u8]| rewards.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
            let histogram = solution.layers.get(layer).map(|(_, histogram)| histogram);
            let ours: serde_json::Map<String, Value> =
                histogram.into_iter().flatten().map(|(rewards, count)| (key(rewards), Value::from(*count))).collect();
            let sorted = |map: Option<&serde_json::Map<String, Value>>| {
                let mut entries: Vec<String> =
                    map.into_iter().flatten().map(|(key, value)| format!("{key}: {value}")).collect();
                entries.sort();
                format!("{entries:?}")
            };
            compare(format!("{name} histogram of layer {layer}"), sorted(Some(&ours)), sorted(theirs.as_object()));
        }
    }
    found
}

/// Groups that a reachable state contradicts.
fn broken_groups(game: &Game) -> Vec<String> {
    let groups = mutex::groups(game, &mutex::Effort::default(), &Limits::unlimited()).expect("no limit");
    let Ok(exploration) = explore(game, 1_000_000) else { return Vec::new() };
    let breaks = |group: &&game::propositional::Group| {
        exploration.ids().any(|id| {
            let holding = group.fluents.iter().filter(|fluent| exploration.state(id).contains(**fluent)).count();
            holding > 1 || holding == 0 && group.kind == GroupKind::ExactlyOne
        })
    };
    groups.iter().filter(breaks).map(|group| format!("{}: group {group:?}", game.name)).collect()
}

fn check(least: usize, most: usize) {
    let Some(corpus) = crate::common::corpus() else { return };
    let mut found = Vec::new();
    let oracles = oracle(&corpus, least, most);
    for oracle in &oracles {
        let name = oracle["game"].as_str().expect("a name");
        let game = crate::common::ground_file(&corpus.join(format!("{name}.kif")));
        let start = Instant::now();
        found.extend(differences(&game, oracle));
        let explored = start.elapsed();
        found.extend(broken_groups(&game));
        println!("{name}: {explored:.1?} to solve, {:.1?} for groups", start.elapsed() - explored);
    }
    assert!(!oracles.is_empty());
    assert!(found.is_empty(), "{} differences:\n{}", found.len(), found.join("\n"));
}

#[test]
fn small_public_games_are_as_the_oracle_has_them() {
    check(0, 20_000);
}

/// A minute: `cargo test --release --test solve corpus_explicit -- --ignored`.
#[test]
#[ignore = "takes a minute in a release build"]
fn larger_public_games_are_as_the_oracle_has_them() {
    check(20_000, 300_000);
}
