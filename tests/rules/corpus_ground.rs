//! Every public rulesheet is grounded, to the states that an independent engine found.

use crate::common::explicit;
use base::limits::Limits;
use game::diagnostic::Source;
use game::ground::{GroundError, GroundOptions, ground};
use game::propositional::Game;
use game::rules::{Program, gdl};
use std::path::Path;

fn program(file: &Path) -> Program {
    let bytes = std::fs::read(file).expect("a rulesheet can be read");
    gdl::program(&Source::new(file.display().to_string(), &bytes)).0.expect("the rulesheet is accepted")
}

fn game(program: &Program) -> Game {
    let grounding = ground(program, &Limits::new(8 << 30), &GroundOptions::default());
    grounding.unwrap_or_else(|error| panic!("{}: {error}", program.name)).game
}

/// A rulesheet that no method that builds all ground atoms can ground: it has the lists of up to 25 different cells.
const EXPLODE: [&str; 1] = ["laikLee_hex"];

/// Too large for every run of the tests.
const LARGE: [&str; 9] = [
    "amazons",
    "amazonsSuicide",
    "amazonsTorus",
    "gt_two_thirds_2p",
    "gt_two_thirds_4p",
    "gt_two_thirds_6p",
    "mummymaze1p",
    "racer",
    "racer4",
];

#[test]
fn every_public_rulesheet_is_grounded() {
    let Some(folder) = crate::common::corpus() else { return };
    for file in crate::common::rulesheets(&folder) {
        let program = program(&file);
        if EXPLODE.contains(&program.name.as_str()) {
            let options = GroundOptions { instances: 200_000, ..GroundOptions::default() };
            let error = ground(&program, &Limits::unlimited(), &options).err();
            assert!(matches!(error, Some(GroundError::Explosion { .. })), "{}: {error:?}", program.name);
        } else if !LARGE.contains(&program.name.as_str()) {
            assert!(!game(&program).fluents.is_empty(), "{} has no fluents", program.name);
        }
    }
}

#[test]
#[ignore = "takes minutes"]
fn large_public_rulesheets_are_grounded() {
    let Some(folder) = crate::common::corpus() else { return };
    for name in LARGE {
        let program = program(&folder.join(name).with_extension("kif"));
        assert!(!game(&program).fluents.is_empty(), "{name} has no fluents");
    }
}

/// Compares all fully explored games whose number of states lies in the range.
fn compare(range: std::ops::Range<u64>) {
    let Some(folder) = crate::common::corpus() else { return };
    let mut wrong = Vec::new();
    for file in crate::common::rulesheets(&folder) {
        let name = file.file_stem().unwrap_or_default();
        let oracle = folder.join("oracle").join(name).with_extension("json");
        let oracle = std::fs::read_to_string(oracle).expect("each game has an oracle file");
        let oracle: serde_json::Value = serde_json::from_str(&oracle).expect("the oracle is valid");
        let states = oracle["distinct_states"].as_u64().unwrap_or(u64::MAX);
        if oracle["explored"] != "full" || !range.contains(&states) {
            continue;
        }
        let game = game(&program(&file));
        let found = explicit::explore(&game, 1 << 20).map(|e| (e.len() as u64, e.terminal_states() as u64));
        let roles: Vec<String> = game.roles.iter().map(|role| role.to_string()).collect();
        let expected = (states, oracle["terminal_states"].as_u64().unwrap_or(0));
        if found.as_ref().ok() != Some(&expected) || serde_json::json!(roles) != oracle["roles"] {
            wrong.push(format!("{name:?}: {found:?} instead of {expected:?}, roles {roles:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn states_agree_with_the_oracle_on_small_games() {
    compare(0..10_000);
}

#[test]
#[ignore = "takes minutes"]
fn states_agree_with_the_oracle_on_larger_games() {
    compare(10_000..300_000);
}
