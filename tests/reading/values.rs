//! Every state of small games, read from the disk, against brute force.

use super::common::{corpus, game, program, rulesheets, shipped};
use super::plain_store::{Layered, Table, layer_file, write_folder};
use super::run;
use crate::common::sample::random_game;
use api::verify::{Options, verify};
use base::limits::Limits;
use game::interpreter::Turn;
use game::propositional::Game;
use game::reward::OpponentModel;
use solving::solution::{Position, Solution, Stored, Values};
use solving::solve::Silent;
use solving::store::Kind;
use std::path::Path;

/// Writes the solution of a game, and compares every answer with brute force.
fn compare(name: &str, rules: &[u8], game: &Game, layered: &Layered, model: OpponentModel) {
    let folder = tempfile::tempdir().unwrap();
    write_folder(folder.path(), rules, game, model, layered);
    compare_folder(name, folder.path(), game, layered);
}

/// Compares every answer of a stored solution with brute force.
pub fn compare_folder(name: &str, folder: &Path, game: &Game, layered: &Layered) {
    let stored = Stored::open(folder, &Limits::unlimited()).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(stored.layers() as usize, layered.layers.len(), "{name}: layers");
    let solution = Solution::open(folder, &Limits::unlimited()).unwrap();
    let exploration = &layered.solution.exploration;
    for (layer, ids) in layered.layers.iter().enumerate() {
        for &id in ids {
            let position = Position { layer: layer as u32, state: exploration.state(id).clone() };
            let found = solution.assess(&position).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(
                found.value.as_deref(),
                Some(layered.solution.value(id)),
                "{name}: {:?}",
                position.state.names(game)
            );
            let successors = exploration.successors(id);
            let moves = if found.turn == Turn::Forced { &found.moves[..1] } else { &found.moves[..] };
            assert_eq!(moves.len(), successors.len(), "{name}: moves");
            for (option, &successor) in moves.iter().zip(successors) {
                assert_eq!(option.value.as_deref(), Some(layered.solution.value(successor)), "{name}: value of a move");
                assert_eq!(&option.successor, exploration.state(successor), "{name}: a successor");
                assert_eq!(option.optimal, option.value == found.value, "{name}: a best move");
            }
            let first = layered.layers.iter().position(|ids| ids.contains(&id)).map(|layer| layer as u32);
            let named = solution.position(&position.state.names(game)).unwrap();
            assert_eq!((Some(named.layer), &named.state), (first, &position.state), "{name}: found by its fluents");
        }
        // States of other layers are not in this one.
        for &id in layered.layers.iter().flatten().take(200) {
            let found = stored.worth(layer as u32, exploration.state(id)).unwrap();
            assert_eq!(found.is_some(), ids.contains(&id), "{name}: layer {layer}");
        }
    }
}

/// Solves a game with the program, and compares every answer and every file of states with brute force.
fn solve_and_compare(name: &str, rules: &[u8], limit: usize) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.gdl");
    std::fs::write(&file, rules).unwrap();
    let game = game(&program("game.gdl", rules));
    let mut solved = false;
    for model in OpponentModel::ALL {
        let Some(layered) = Layered::new(&game, model, limit) else { break };
        let path = folder.path().join(model.name());
        let [file, out] = [file.as_path(), path.as_path()].map(|path| path.to_str().unwrap());
        let output = run(&["solve", file, "--opponent-model", model.name(), "--threads", "1", "-o", out], "");
        assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        compare_folder(name, &path, &game, &layered);
        compare_states(name, &path, &layered);
        let found = verify(&path, None, &Options::default(), &Limits::unlimited(), &Silent).unwrap();
        assert_eq!((found.findings, found.complete), (vec![], true), "{name}");
        solved = true;
    }
    solved
}

/// The bytes of the files of states are those that plain code writes.
fn compare_states(name: &str, folder: &Path, layered: &Layered) {
    let stored = Stored::open(folder, &Limits::unlimited()).unwrap();
    let levels = stored.manifest.variables.len();
    for (layer, ids) in layered.layers.iter().enumerate() {
        let assignment = |id| stored.codec.assignment(layered.state(id)).unwrap();
        let table: Table = ids.iter().map(|&id| (assignment(id), 1)).collect();
        let (bytes, _) =
            layer_file(false, layer as u32, levels, &table, stored.manifest.file_id(Kind::States).unwrap());
        let file = folder.join(&stored.manifest.layers[layer].states_file.name);
        assert!(std::fs::read(file).unwrap() == bytes, "{name}: the states of layer {layer}");
    }
}

fn both_models(name: &str, rules: &[u8], limit: usize) -> bool {
    let game = game(&program(name, rules));
    let solved: Vec<(OpponentModel, Layered)> =
        OpponentModel::ALL.into_iter().filter_map(|model| Some((model, Layered::new(&game, model, limit)?))).collect();
    solved.iter().for_each(|(model, layered)| compare(name, rules, &game, layered, *model));
    !solved.is_empty()
}

#[test]
fn shipped_games() {
    for name in ["tictactoe", "clobber_1x6", "clobber_3x4"] {
        let file = shipped(&format!("{name}.gdl"));
        assert!(both_models(name, &std::fs::read(file).unwrap(), 20_000), "{name}");
    }
}

#[test]
fn solved_games() {
    for name in ["tictactoe", "clobber_1x6", "clobber_3x4"] {
        let file = shipped(&format!("{name}.gdl"));
        assert!(solve_and_compare(name, &std::fs::read(file).unwrap(), 20_000), "{name}");
    }
    let solved =
        (0..40).filter(|&seed| solve_and_compare(&format!("random {seed}"), random_game(seed, None).as_bytes(), 5_000));
    assert!(solved.count() > 20);
}

#[test]
fn random_games() {
    for seed in 0..60 {
        let rules = random_game(seed, None);
        assert!(both_models(&format!("random {seed}"), rules.as_bytes(), 5_000) || seed > 0);
    }
}

#[test]
fn small_games_of_the_corpus() {
    let Some(folder) = corpus() else { return };
    let mut compared = 0;
    for file in rulesheets(&folder) {
        let rules = std::fs::read(&file).unwrap();
        // Long rulesheets have many states, or take long to ground.
        if rules.len() > 12_000 {
            continue;
        }
        let name = file.display().to_string();
        let source = game::diagnostic::Source::new(name.clone(), &rules);
        let (Some(program), _) = game::rules::gdl::program(&source) else { continue };
        let options = game::ground::GroundOptions { instances: 100_000, ..Default::default() };
        let Ok(grounding) = game::ground::ground(&program, &Limits::new(1 << 30), &options) else {
            continue;
        };
        if grounding.game.roles.len() > 2 {
            continue;
        }
        for model in OpponentModel::ALL {
            let Some(layered) = Layered::new(&grounding.game, model, 4_000) else { break };
            compare(&name, &rules, &grounding.game, &layered, model);
            compared += 1;
        }
    }
    assert!(compared > 10, "{compared} compared");
}
