//! Puzzles in the browser: guessed by clicks and by keys, answered, and told with what follows.

use crate::browser::Browser;
use crate::running::Running;
use serde_json::{Value, json};

/// The puzzles of tic-tac-toe that are drawn with a seed.
fn puzzles(running: &Running, more: &str) -> Value {
    let answer = running.client().get(&format!("/api/solutions/tictactoe/puzzles?seed=1{more}"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    serde_json::from_str(&answer.text()).expect("JSON")
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().expect("a text")
}

const VERDICT: &str = "(document.querySelector('.answer:not([hidden]) .verdict')?.innerText ?? '')";
const LINES: &str = "document.querySelectorAll('.answer ol.plies').length";
const MOVES: &str = "[...document.querySelectorAll('.options [data-move]')].map(found => found.dataset.move)";

/// Plays through two puzzles at an address: a wrong guess by a click, and a right one by keys.
pub fn train(browser: &mut Browser, address: &str, records: &Value) {
    let shows = |number: u32| {
        format!("document.querySelector('.training .note')?.innerText.startsWith('Puzzle {number} of ') === true")
    };
    browser.open(&format!("{address}?seed=1&puzzle=1"));
    browser.wait(&shows(1));
    let first = &records[0];
    let asked = browser.text("document.querySelector('.status').innerText");
    assert!(asked.starts_with(&format!("{} to move: which one of", text(first, "to_move"))), "{asked}");
    // Nothing tells the answer.
    let told =
        "document.querySelectorAll('.rewards, .move.best, .answer:not([hidden]), [data-value], [data-why]').length";
    assert_eq!(browser.value(told), json!(0));
    let moves = first["moves"].as_array().expect("moves").len();
    assert_eq!(browser.value(&format!("{MOVES}.length")), json!(moves));
    let solution = text(first, "solution");
    let wrong = first["moves"].as_array().expect("moves").iter().map(|option| text(option, "move"));
    let wrong = wrong.into_iter().find(|action| *action != solution).expect("there are wrong moves");
    browser.click(&format!(".options [data-move='{wrong}']"));
    browser.wait(&format!("{VERDICT}.startsWith('Wrong: after {wrong} it is ')"));
    assert!(browser.text(VERDICT).ends_with(&format!(" is {solution}.")));
    browser.wait(&format!("{LINES} === 2"));
    assert_eq!(browser.value("document.querySelectorAll('.move.best, .move.keeps').length"), json!(1));
    // The next one has the focus; a move is chosen by keys.
    browser.key("Enter");
    browser.wait(&shows(2));
    browser.settle();
    let second = &records[1];
    let place = browser.value(&format!("{MOVES}.indexOf({})", json!(text(second, "solution"))));
    for _ in 0..=place.as_u64().expect("the move is in the list") {
        browser.key("ArrowDown");
    }
    browser.key("Enter");
    browser.wait(&format!("{VERDICT}.startsWith('Right: {}')", text(second, "solution")));
    browser.wait(&format!("{LINES} === 1"));
    browser.wait("document.querySelector('.training .note').innerText.endsWith('Right so far: 1 of 2.')");
    // Back to what was guessed before; the back button, too.
    browser.key("ArrowLeft");
    browser.wait(&format!("{VERDICT}.startsWith('Wrong')"));
    browser.value("history.back()");
    browser.wait(&format!("{VERDICT}.startsWith('Right')"));
    // Once it is answered, a move leads to the position after it.
    browser.settle();
    browser.click(".options .move.best");
    browser.wait("document.querySelector('.course .ply') !== null");
    for (width, puzzle) in [(320, 1), (390, 2), (1280, 3)] {
        browser.size(width, 800);
        browser.open(&format!("{address}?seed=1&puzzle={puzzle}"));
        browser.wait(&shows(puzzle));
        assert_eq!(browser.value("document.documentElement.scrollWidth"), json!(width));
    }
    browser.size(390, 800);
    let third = text(&records[2], "solution");
    browser.click(&format!(".options [data-move='{third}']"));
    browser.wait(&format!("{LINES} === 1"));
    assert_eq!(browser.value("document.documentElement.scrollWidth"), json!(390));
    // The board stands above the moves, and the answer below them.
    let at = |name: &str| format!("document.querySelector('section.{name}').getBoundingClientRect()");
    let stacked = format!("{0}.bottom <= {1}.top && {1}.bottom <= {2}.top", at("place"), at("options"), at("answer"));
    assert_eq!(browser.value(&stacked), json!(true));
    browser.size(1280, 900);
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn puzzles_are_guessed_and_answered() {
    let Some(mut browser) = Browser::start() else { return };
    let running = Running::with(&["tictactoe.gdl"]);
    train(&mut browser, &format!("{}tictactoe/puzzles", running.url), &puzzles(&running, "")["puzzles"]);
    // From the page of a position, with a seed of its own.
    browser.open(&format!("{}tictactoe", running.url));
    browser.click("nav a[href='/tictactoe/puzzles']");
    browser.wait(
        "location.search.startsWith('?seed=') && document.querySelector('.training .options [data-move]') !== null",
    );
}

#[test]
fn puzzles_are_those_of_the_command() {
    let running = Running::with(&["tictactoe.gdl"]);
    let found = puzzles(&running, "&number=3&draws=10000");
    assert_eq!((&found["all"], &found["found"]), (&json!(true), &json!(294)));
    let folder = tempfile::tempdir().unwrap();
    let rules = format!("{}/games/tictactoe.gdl", env!("CARGO_MANIFEST_DIR"));
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ggsolve"));
        let output = command.args(arguments).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    run(&["solve", &rules, "-o", "a.ggs"]);
    let told = run(&["puzzles", "a.ggs", "--number", "3", "--seed", "1", "--format", "json"]);
    let told: Value = serde_json::from_slice(&told).unwrap();
    assert_eq!(found["puzzles"], told["puzzles"]);
    for record in found["puzzles"].as_array().unwrap() {
        let keeping = record["moves"].as_array().unwrap().iter().filter(|option| option["value"] == record["value"]);
        assert_eq!(keeping.count(), 1, "{record}");
    }
    let mut client = running.client();
    for (target, status) in [("tictactoe/puzzles?number=many", 400), ("tictactoe/puzzles?layer=99", 400)] {
        let answer = client.get(&format!("/api/solutions/{target}"));
        assert_eq!(answer.status, status, "{target}: {}", answer.text());
    }
}
