//! What eleven small games give, word for word: the JSON and the texts of the commands with their exit codes, and the bytes
//! that are stored.
//!
//! Figures of time and memory are replaced; of a stored solution the records of its runs are left out. A change that is
//! meant is accepted with `INSTA_UPDATE=always cargo test --release --test golden`; look at the difference.

mod console;
#[path = "../common/figures.rs"]
mod figures;
mod shown;

use console::Console;
use insta::assert_snapshot;

/// One game with all commands; some moves from its start, and the text of one position.
fn game(file: &str, moves: &str) -> String {
    let mut console = Console::new();
    let rules = format!("games/{file}");
    let other = if file.ends_with(".gddl") { "gdl" } else { "gddl" };
    console.text(&["check", &rules]);
    console.json(&["check", &rules]);
    console.json(&["ground", &rules]);
    console.text(&["ground", &rules]);
    console.json(&["count", &rules]);
    console.json(&["classify", &rules, "--no-store", "--opponent-model", "max-diff"]);
    console.text(&["classify", &rules, "--no-store", "--engine", "hybrid"]);
    console.json(&["solve", &rules, "--line", "-o", "SOLUTION"]);
    console.stored("SOLUTION");
    console.text(&["solve", &rules, "-o", "SOLUTION"]);
    console.json(&["query", "SOLUTION", "--distance"]);
    console.json(&["query", "SOLUTION", "--moves", moves]);
    console.text(&["query", "SOLUTION", "--moves", moves, "--distance"]);
    console.json(&["verify", "SOLUTION", "--seed", "1"]);
    console.text(&["verify", "SOLUTION", "--seed", "1", "--rules", &rules]);
    console.text(&["translate", &rules, "--to", other]);
    console.text(&["translate", &rules, "--to", "gddl", "--ground"]);
    console.input("moves\nvalues\nhint\nnew\nboard\nstate\nundo\nquit\n");
    console.text(&["play", "SOLUTION", "--seed", "3"]);
    console.input(moves);
    console.json(&["review", "SOLUTION", "-"]);
    console.input(moves);
    console.text(&["review", "SOLUTION", "-"]);
    console.transcript
}

macro_rules! games {
    ($($name:ident: $file:literal, $moves:literal;)*) => {
        $(#[test] fn $name() { assert_snapshot!(game($file, $moves)); })*
    };
}

games! {
    a_line_of_three: "tictactoe.gdl", "(mark 1 1) (mark 3 3)";
    a_line_of_three_in_gddl: "tictactoe.gddl", "(mark 2 2)";
    clobber_of_one_row: "clobber_1x6.gddl", "(move 1 1 1 2)";
    clobber_of_three_rows: "clobber_3x4.gdl", "(move 1 1 1 2) (move 1 4 1 3)";
    four_in_a_line: "connect4_4x4.gdl", "(drop 2) (drop 2) (drop 3)";
    one_heap: "nim40.gdl", "(take 3)";
    heaps_of_three_players: "nim3.gdl", "(leave 1 1) (leave 2 2) (leave 3 0)";
    a_chocolate_bar: "chomp_8x7.gdl", "(eat 3 3)";
    a_hunt: "sheepandwolf.gdl", "(move 4 8 3 7) (move 1 1 2 2)";
    blocks: "blocks.gdl", "(unstack c a)";
    towers: "hanoi.gddl", "";
    chess_on_a_small_board: "minichess.gdl", "(move king c 1 b 1)";
}

/// A game in which play can go on for ever.
#[test]
fn endless_play() {
    let mut console = Console::new();
    let rules = "tests/reading/endless.gdl";
    console.json(&["solve", rules, "-o", "SOLUTION"]);
    console.stored("SOLUTION");
    console.json(&["solve", rules, "--no-store", "--algorithm", "layered"]);
    console.text(&["classify", rules, "--no-store"]);
    console.json(&["query", "SOLUTION"]);
    console.text(&["query", "SOLUTION"]);
    console.json(&["verify", "SOLUTION", "--seed", "1"]);
    assert_snapshot!(console.transcript);
}

/// Why moves are worth what they are, and a match with mistakes: of two players, where play can go on for ever, and of one.
#[test]
fn reasons() {
    let mut console = Console::new();
    for (rules, moves, mistakes) in [
        (
            "games/tictactoe.gdl",
            "(mark 1 1) (mark 1 2)",
            "(mark 1 1) (mark 1 2) (mark 1 3) (mark 2 2) (mark 2 3) (mark 3 1) (mark 3 2) (mark 2 1) (mark 3 3)",
        ),
        ("tests/reading/endless.gdl", "", ""),
        ("games/blocks.gdl", "", "(stack b c)"),
    ] {
        console.text(&["solve", rules, "-o", "SOLUTION", "--force"]);
        console.json(&["query", "SOLUTION", "--moves", moves, "--why"]);
        console.text(&["query", "SOLUTION", "--moves", moves, "--why"]);
        console.input(mistakes);
        console.json(&["review", "SOLUTION", "-", "--why"]);
        console.input(mistakes);
        console.text(&["review", "SOLUTION", "-", "--why"]);
    }
    console.text(&["solve", "games/rock_paper_scissors.gdl", "-o", "SOLUTION", "--force"]);
    console.text(&["query", "SOLUTION", "--why"]);
    console.text(&["query", "SOLUTION", "--sample", "1", "--layer", "0", "--rewards", "50,50"]);
    console.text(&["query", "SOLUTION", "--sample", "1", "--layer", "0", "--rewards", "75/2,125/2"]);
    console.input("((rock) (paper))");
    console.text(&["review", "SOLUTION", "-", "--why"]);
    assert_snapshot!(console.transcript);
}

/// Everything that ends a command without a result, with its exit code.
#[test]
fn failures() {
    let mut console = Console::new();
    let rules = "games/tictactoe.gdl";
    for arguments in [
        &["solve", "no/such.gdl"][..],
        &["solve", "games"],
        &["solve", rules, "--memory", "much"],
        &["solve", rules, "--memory", "100K", "--no-store"],
        &["solve", rules, "--order", "no/such/order", "--no-store"],
        &["solve", rules, "--algorithm", "matrix", "-o", "SOLUTION"],
        &["solve", rules, "--problem", rules],
        &["query", "games"],
        &["query", rules],
        &["query", "no/such.ggs"],
        &["verify", "tests/solutions"],
        &["translate", "tests/diagnostics/bad.kif", "--to", "gdl"],
    ] {
        console.text(arguments);
    }
    for command in ["check", "ground", "solve"] {
        console.json(&[command, "tests/diagnostics/bad.kif"]);
        console.text(&[command, "tests/diagnostics/bad.gddl"]);
    }
    // Both players choose at once.
    console.input(
        "(role a) (role b) (init s) (<= (legal ?r x) (role ?r)) (<= (legal ?r y) (role ?r))
         (<= (next t) (does a x) (does b x)) (<= (next s) (does a y)) (<= terminal (true t))
         (<= (goal ?r 50) (role ?r))",
    );
    let simultaneous = console.given();
    for command in ["check", "count", "solve"] {
        console.input(&simultaneous);
        console.json(&[command, "-"]);
        console.input(&simultaneous);
        console.text(&[command, "-"]);
    }
    console.input(&simultaneous);
    console.text(&["translate", "-", "--to", "gddl"]);
    console.text(&["solve", rules, "-o", "SOLUTION"]);
    console.text(&["solve", "games/nim40.gdl", "-o", "SOLUTION"]);
    console.text(&["solve", rules, "-o", "SOLUTION", "--opponent-model", "max-diff"]);
    console.text(&["query", "SOLUTION", "--moves", "(mark 1 1) (mark 1 1)"]);
    console.text(&["query", "SOLUTION", "--state", "(cell 1 1 x)"]);
    console.text(&["query", "SOLUTION", "--state", "queen"]);
    console.text(&["query", "SOLUTION", "--moves", "("]);
    console.input("(mark 1 1)\nnothing\n(mark 1 1) (mark 2 2)\n");
    console.json(&["query", "SOLUTION", "--moves", "-"]);
    console.input("(mark 1 1) (mark 1 1)");
    console.text(&["review", "SOLUTION", "-"]);
    console.text(&["play", "SOLUTION", "--as", "nobody"]);
    console.text(&["play", "SOLUTION", "--error-rate", "2"]);
    console.damage("SOLUTION/layer-00004.values");
    console.json(&["verify", "SOLUTION", "--seed", "1"]);
    console.text(&["verify", "SOLUTION", "--seed", "1"]);
    console.text(&["solve", rules, "-o", "SOLUTION", "--line"]);
    assert_snapshot!(console.transcript);
}
