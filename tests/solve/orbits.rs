//! The number of orbits of the reachable states against a list of all of them, each as the least of its images.

use crate::common::explicit::{Exploration, StateId, explore, states_by_layer};
use crate::common::sample::boards::{hare_and_hounds, quixo, track};
use crate::common::sample::{random_cyclic_game, random_game, random_graph};
use crate::common::{game, program};
use base::limits::Limits;
use game::diagnostic::Source;
use game::interpreter::State;
use game::symmetry::{Effort, Kept, Permutation, Rules};
use ggsolve::session::{Destination, RunReport, Session};
use num_bigint::BigUint;
use solving::solve::SolveOptions;
use std::collections::BTreeSet;
use std::path::Path;

fn counted(text: &str, folder: Option<&Path>) -> RunReport {
    let session = Session::new(Limits::new(1 << 30));
    let rules = session.load(Source::new("game", text.as_bytes()));
    let destination = match folder {
        Some(folder) => Destination::Folder { folder: folder.to_owned(), force: false },
        None => Destination::Nowhere("of no use".to_owned()),
    };
    let options = SolveOptions { count_only: true, orbits: true, ..SolveOptions::default() };
    session.solve(&rules, &options, &destination).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The number of orbits of some states under a group.
fn orbits(exploration: &Exploration, states: impl Iterator<Item = StateId>, group: &[Permutation]) -> BigUint {
    let least = |state: &State| group.iter().map(|symmetry| symmetry.state(state)).min().unwrap_or(state.clone());
    states.map(|id| least(exploration.state(id))).collect::<BTreeSet<_>>().len().into()
}

/// Compares a game, and returns its orbits and symmetries.
fn compare(text: &str) -> (BigUint, BigUint) {
    let game = game(&program("game", text.as_bytes()));
    let exploration = explore(&game, 500_000).expect("a small game");
    let (initial, limits) = (State::from_flags(&game.init), Limits::unlimited());
    let kept = Kept { state: Some(&initial), roles: false };
    let found = Rules::new(&game, &limits).and_then(|rules| rules.symmetries(kept, &Effort::default(), &limits));
    let group = found.unwrap().elements(usize::MAX);
    let report = counted(text, None);
    let told = report.orbits.expect("not too many symmetries");
    assert_eq!(told.orbits, orbits(&exploration, exploration.ids(), &group), "{text}");
    assert_eq!(told.symmetries.order, BigUint::from(group.len().max(1)), "{text}");
    if report.cycle.is_none() && report.algorithm != solving::solve::Algorithm::Global {
        let layers = states_by_layer(&exploration);
        let expected: Vec<_> = layers.iter().map(|layer| orbits(&exploration, layer.iter().copied(), &group)).collect();
        let found: Vec<_> = report.layers.into_iter().map(|layer| layer.orbits.expect("of each layer")).collect();
        assert_eq!(found, expected, "{text}");
    }
    (told.orbits, told.symmetries.order)
}

#[test]
fn orbits_of_shipped_games_are_those_of_a_list() {
    let of_file = |file: &str| compare(&std::fs::read_to_string(crate::common::shipped(file)).unwrap());
    // The number of essentially different positions of Tic-Tac-Toe is well known.
    assert_eq!(of_file("tictactoe.gdl"), (765u32.into(), 8u32.into()));
    // States in several layers; none but the identity; chance; choices at the same time; play that goes round.
    for file in
        ["nim4.gdl", "clobber_3x4.gdl", "tictactoe3.gdl", "pig_8.gdl", "tictactoe_simultaneous.gdl", "morris_three.gdl"]
    {
        of_file(file);
    }
}

#[test]
fn orbits_of_handmade_games_are_those_of_a_list() {
    let texts = [quixo(3), hare_and_hounds(), track(3, 5, true), track(2, 6, false)];
    let symmetries: Vec<_> = texts.iter().map(|text| compare(text).1).collect();
    assert!(symmetries.iter().filter(|order| **order > 1u32.into()).count() >= 2, "{symmetries:?}");
}

#[test]
fn orbits_of_random_games_are_those_of_a_list() {
    let mut symmetric = 0;
    for seed in 0..60 {
        for text in [random_graph(seed), random_game(seed, None), random_cyclic_game(seed)] {
            symmetric += usize::from(compare(&text).1 > 1u32.into());
        }
    }
    assert!(symmetric >= 5, "{symmetric} games with symmetries");
}

/// The folder of a solution is enough, and what is stored does not change.
#[test]
fn orbits_of_what_is_stored_are_the_same() {
    let scene = tempfile::tempdir().unwrap();
    let (folder, text) = (scene.path().join("game.ggs"), quixo(3));
    let first = counted(&text, Some(&folder));
    let again = counted(&text, Some(&folder));
    assert!(again.from_disk);
    assert_eq!((&first.orbits, &first.layers), (&again.orbits, &again.layers));
    assert!(first.orbits.is_some_and(|told| told.orbits < first.states));
}
