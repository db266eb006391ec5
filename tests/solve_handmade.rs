//! The symbolic solver on games built by hand, against brute force and known values.

mod common;

use common::compare::{assert_agreement, solve};
use common::sample::handmade::{counter, lines, nim};
use game::reward::OpponentModel;
use num_bigint::BigUint;
use solving::solve::SolveOptions;

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
