//! The symmetries of games that are known, and of public ones: that they do not depend on the order of the rules, and
//! that looking for them comes to an end.

use base::limits::Limits;
use base::random::Random;
use game::interpreter::State;
use game::propositional::Game;
use game::symmetry::{Effort, Kept, Rules, Symmetries};
use num_bigint::BigUint;

fn symmetries(game: &Game, initial: bool, effort: &Effort) -> Symmetries {
    let limits = Limits::unlimited();
    let state = State::from_flags(&game.init);
    let kept = Kept { state: initial.then_some(&state), roles: false };
    Rules::new(game, &limits).and_then(|rules| rules.symmetries(kept, effort, &limits)).expect("there is no limit")
}

/// How many symmetries keep the initial state, and how many there are in all.
fn orders(game: &Game) -> (BigUint, BigUint) {
    let [of_game, of_rules] = [true, false].map(|initial| symmetries(game, initial, &Effort::default()));
    assert!(of_game.complete && of_rules.complete, "{}", game.name);
    (of_game.order(), of_rules.order())
}

/// By rulesheet: how many symmetries keep the initial state, how many there are, and which they are.
const KNOWN: [(&str, u32, u32); 9] = [
    // The square; with the players.
    ("tictactoe.gdl", 8, 16),
    // The mirror; with the players.
    ("connect4_4x4.gdl", 2, 4),
    ("connect4_7x6.gdl", 2, 4),
    // The players: the tokens that are left are counted cell after cell, so that no mirror leaves the rules as they are.
    ("clobber_3x4.gdl", 1, 2),
    // A single row is won by moving last alone; the mirror exchanges the colours of the cells.
    ("clobber_1x6.gdl", 1, 4),
    ("chomp_8x7.gdl", 1, 2),
    // The diagonal; with the players.
    ("chomp_10x10.gdl", 2, 4),
    // Two pairs of equal heaps; with the players.
    ("nim4.gdl", 4, 8),
    // The pegs that are left are counted hole after hole, too.
    ("peg.gdl", 1, 1),
];

#[test]
fn groups_of_known_games() {
    let found = KNOWN.map(|(file, ..)| {
        let (of_game, of_rules) = orders(&crate::common::ground_file(&crate::common::shipped(file)));
        (file, of_game, of_rules)
    });
    assert_eq!(found, KNOWN.map(|(file, of_game, of_rules)| (file, BigUint::from(of_game), BigUint::from(of_rules))));
}

#[test]
fn the_order_of_rules_and_names_do_not_matter() {
    let mut random = Random::new(5);
    for file in ["tictactoe.gdl", "connect4_4x4.gdl", "clobber_3x4.gdl", "sheepandwolf.gdl", "peg.gdl", "nim3.gdl"] {
        let path = crate::common::shipped(file);
        let text = std::fs::read(&path).expect("a rulesheet can be read");
        let program = crate::common::program(file, &text);
        let expected = orders(&crate::common::game(&program));
        for _ in 0..3 {
            assert_eq!(
                orders(&crate::common::game(&crate::scramble::scramble(&program, &mut random))),
                expected,
                "{file}"
            );
        }
    }
}

/// Rulesheets that take long to ground.
const LARGE: [&str; 11] = [
    "amazons",
    "amazonsSuicide",
    "amazonsTorus",
    "gt_two_thirds_2p",
    "gt_two_thirds_4p",
    "gt_two_thirds_6p",
    "laikLee_hex",
    "mummymaze1p",
    "racer",
    "racer4",
    "sudoku",
];

/// Every group that is found is one of the rules, and the effort bounds the search in each of them.
#[test]
#[ignore = "takes minutes"]
fn public_rulesheets_have_symmetries_that_are_found_within_the_effort() {
    let Some(folder) = crate::common::corpus() else { return };
    let (mut several, mut all) = (0, 0);
    for file in crate::common::rulesheets(&folder) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if LARGE.contains(&name.as_str()) {
            continue;
        }
        let game = crate::common::ground_file(&file);
        let of_game = symmetries(&game, true, &Effort::default());
        let of_rules = symmetries(&game, false, &Effort::default());
        all += 1;
        several += usize::from(of_rules.order() > BigUint::from(1u32));
        if of_game.complete && of_rules.complete {
            // A subgroup.
            assert_eq!(of_rules.order() % of_game.order(), BigUint::ZERO, "{name}");
        } else {
            println!("{name}: given up at {} and {}", of_game.order(), of_rules.order());
        }
        let little = symmetries(&game, false, &Effort { passes: 0, least: 1000, ..Effort::default() });
        assert!(little.order() <= of_rules.order(), "{name}");
    }
    println!("{several} of {all} have any");
    assert!(all == 0 || several > all / 4, "{several} {all}");
}
