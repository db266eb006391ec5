//! How the page looks in a browser: colours and order of values, sizes of plots, what a click leaves behind. Skipped, and
//! said so, where no browser is installed.

use crate::browser::Browser;
use crate::running::Running;
use ggsolve::{Algorithm, SolveOptions};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Of every bar of values: what it says, its colour, its top and its height.
const BARS: &str = "[...document.querySelectorAll('.bar')].map(bar => [bar.querySelector('title').textContent, \
    getComputedStyle(bar).fill, Number(bar.getAttribute('y')), Number(bar.getAttribute('height'))])";

/// The colours of the moves in the list, by value.
fn colours_of_moves(browser: &mut Browser) -> BTreeMap<String, String> {
    let found = browser.value(
        "[...document.querySelectorAll('button.move')].map(move => [move.dataset.value, \
         getComputedStyle(move.querySelector('.swatch')).backgroundColor])",
    );
    let mut colours = BTreeMap::new();
    for pair in found.as_array().expect("a list") {
        let (value, colour) = (pair[0].as_str().expect("a value"), pair[1].as_str().expect("a colour"));
        let known = colours.entry(value.to_owned()).or_insert_with(|| colour.to_owned());
        assert_eq!(known, colour, "moves of the same value");
    }
    colours
}

#[test]
fn bars_of_values_have_the_colours_of_moves_and_the_heights_of_shares() {
    let Some(mut browser) = Browser::start() else { return };
    let running = Running::with(&["tictactoe.gdl"]);
    // What the first role plays has the colours that the bars are to have.
    let mut expected = BTreeMap::new();
    for moves in ["(mark+1+1)+(mark+1+2)", "(mark+1+1)+(mark+2+2)+(mark+3+3)+(mark+3+1)"] {
        browser.open(&format!("{}tictactoe?moves={moves}", running.url));
        expected.extend(colours_of_moves(&mut browser));
    }
    assert_eq!(expected.keys().map(String::as_str).collect::<Vec<_>>(), ["0/100", "100/0", "50/50"]);
    assert_eq!(expected.values().collect::<BTreeSet<_>>().len(), 3, "a win, a draw and a loss are told apart");

    browser.open(&format!("{}tictactoe/layers", running.url));
    let bars = browser.value(BARS);
    let mut layers: BTreeMap<u32, Vec<(String, f64, f64, f64)>> = BTreeMap::new();
    for bar in bars.as_array().expect("a list") {
        // `layer 5, 0/100: 540 of 1,260 states`.
        let told = bar[0].as_str().expect("a text").replace(',', "");
        let words: Vec<&str> = told.split_whitespace().map(|word| word.trim_end_matches(':')).collect();
        let ["layer", layer, value, states, "of", all, "states"] = words[..] else { panic!("{told}") };
        assert_eq!(bar[1], json!(expected[value]), "{told}");
        let number = |text: &str| text.parse::<f64>().expect("a count");
        let place = (bar[2].as_f64().expect("a place"), bar[3].as_f64().expect("a height"));
        let entry = (value.to_owned(), number(states) / number(all), place.0, place.1);
        layers.entry(layer.parse().expect("a number")).or_default().push(entry);
    }
    assert_eq!(layers.len(), 10);
    let whole = layers[&0][0].3;
    for (layer, bars) in &layers {
        // From below: what the first role likes best, then the rest in its order, one on the other.
        let order: Vec<&str> = bars.iter().map(|bar| bar.0.as_str()).collect();
        let all: Vec<&str> = ["100/0", "50/50", "0/100"].into_iter().filter(|kind| order.contains(kind)).collect();
        assert_eq!(order, all, "layer {layer}");
        for (value, share, _, height) in bars {
            assert!((height / whole - share).abs() < 0.01, "layer {layer}, {value}: {height} of {whole}, {share}");
        }
        for pair in bars.windows(2) {
            assert!((pair[1].2 + pair[1].3 - pair[0].2).abs() < 0.01, "layer {layer}: bars stand on each other");
        }
    }
    // The legend has the same colours in the same order.
    let legend = "[...document.querySelectorAll('.bar')[0].closest('figure').querySelectorAll('figcaption > span')] \
        .map(item => [item.innerText, getComputedStyle(item.querySelector('.sample')).backgroundColor])";
    let shown: Value = ["100/0", "50/50", "0/100"].map(|value| json!([value, expected[value]])).into();
    assert_eq!(browser.value(legend), shown);
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn moves_stand_best_first_for_either_role() {
    let Some(mut browser) = Browser::start() else { return };
    let timed = SolveOptions { distances: true, ..SolveOptions::default() };
    let running = Running::solved_as(&[("tictactoe.gdl", timed)]);
    let rows = "[...document.querySelectorAll('button.move')].map(move => [move.dataset.value, \
        move.querySelector('.plies').innerText, move.classList.contains('best')])";
    let (mut values, mut distances) = (0, 0);
    for (moves, mover) in [
        ("(mark+1+1)", 1),
        ("(mark+1+1)+(mark+1+2)", 0),
        ("(mark+1+1)+(mark+1+3)+(mark+3+3)+(mark+3+2)", 0),
        ("(mark+1+3)+(mark+1+1)+(mark+3+3)+(mark+1+2)", 0),
        ("(mark+2+3)+(mark+1+3)+(mark+3+1)", 1),
        ("(mark+1+1)+(mark+2+3)+(mark+3+2)", 1),
        ("(mark+2+3)+(mark+1+1)+(mark+3+2)", 1),
    ] {
        browser.open(&format!("{}tictactoe?moves={moves}", running.url));
        let found = browser.value(rows);
        let found = found.as_array().expect("a list");
        let keys: Vec<(i64, i64)> = found
            .iter()
            .map(|row| {
                let rewards = row[0].as_str().expect("a value").split('/').map(|part| part.parse().expect("a reward"));
                let rewards: Vec<i64> = rewards.collect();
                let plies = row[1].as_str().and_then(|text| text.split(' ').nth(1)).expect("a distance");
                let plies: i64 = plies.parse().expect("a number");
                // Who loses wants that late, all others what they get soon.
                (rewards[mover], if rewards[mover] < rewards[1 - mover] { plies } else { -plies })
            })
            .collect();
        assert!(keys.is_sorted_by(|one, other| one >= other), "{moves}: {keys:?}");
        for (row, key) in found.iter().zip(&keys) {
            assert_eq!(row[2], json!(*key == keys[0]), "{moves}: those that are best by value and distance are marked");
        }
        values += keys.windows(2).filter(|pair| pair[0].0 != pair[1].0).count();
        distances += keys.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1).count();
    }
    assert!(values > 3 && distances > 3, "{values} steps of value and {distances} of distance were seen");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn plots_are_read_on_a_phone_and_no_section_stands_beside_a_gap() {
    let Some(mut browser) = Browser::start() else { return };
    let all = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
    let algorithm = Some(Algorithm::Layered);
    let timed = SolveOptions { distances: true, algorithm, ..SolveOptions::default() };
    let running =
        Running::solved_as(&[("nim4.gdl", timed), ("tictactoe3.gdl", all), ("tictactoe.gdl", SolveOptions::default())]);
    for game in ["nim4", "tictactoe3", "tictactoe"] {
        for width in [320, 375, 480, 500, 800, 1400] {
            browser.size(width, 800);
            browser.open(&format!("{}{game}/layers", running.url));
            let heights =
                "[...document.querySelectorAll('.plot .tick')].map(tick => tick.getBoundingClientRect().height)";
            let smallest = browser.value(&format!("Math.min(...{heights})")).as_f64().expect("a height");
            assert!(smallest >= 10.0, "{game} {width}: numbers {smallest} high");
            let clash = "[...document.querySelectorAll('.plot')].some(plot => { \
                const boxes = [...plot.querySelectorAll('.tick')].map(tick => tick.getBoundingClientRect()); \
                return boxes.some((one, index) => boxes.slice(index + 1).some(other => one.left < other.right && \
                    other.left < one.right && one.top + 3 < other.bottom && other.top + 3 < one.bottom)); })";
            assert_eq!(browser.value(clash), json!(false), "{game} {width}: numbers cover each other");
            // Every row of sections reaches from the left to the right.
            let ragged = "(() => { const rows = new Map(); const whole = document.querySelector('.plots').getBoundingClientRect(); \
                for (const section of document.querySelectorAll('.plots > section')) { \
                  const { top, left, right, bottom } = section.getBoundingClientRect(); \
                  const row = rows.get(top) ?? { left, right, bottom }; \
                  rows.set(top, { left: Math.min(left, row.left), right: Math.max(right, row.right), bottom: Math.max(bottom, row.bottom) }); \
                  if (bottom !== row.bottom) return 'of two heights'; } \
                return [...rows.values()].every(row => row.left === whole.left && row.right === whole.right) ? '' : 'a gap'; })()";
            assert_eq!(browser.text(ragged), "", "{game} {width}");
        }
    }
    // A page that is turned is drawn anew.
    browser.size(375, 800);
    browser.wait("document.querySelectorAll('.plot.narrow').length === 2");
    // States that lie in several layers are said to be counted there.
    browser.open(&format!("{}nim4/layers", running.url));
    let text = browser.text("document.querySelector('main > p').innerText");
    assert!(text.contains("149,042 reachable states"), "{text}");
    assert!(text.contains("2,179,905 if each is counted in every layer that contains it"), "{text}");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn a_click_leaves_nothing_on_the_board_and_the_keyboard_keeps_its_place() {
    let Some(mut browser) = Browser::start() else { return };
    let running = Running::with(&["tictactoe.gdl"]);
    let shown = "document.querySelectorAll('.preview *').length";
    let played = |browser: &mut Browser, address: &str| {
        browser.wait(&format!("location.search === '{address}'"));
        browser.settle();
        browser.wait("document.querySelectorAll('.hit.active').length === 8");
    };
    for clicked in ["[data-cell='2 2']", "[data-move='(mark 2 2)']"] {
        browser.open(&format!("{}tictactoe", running.url));
        browser.click(clicked);
        played(&mut browser, "?moves=(mark+2+2)");
        // The mouse goes to where nothing is.
        browser.hover("h1");
        assert_eq!(browser.value(shown), json!(0), "{clicked}: no other move is looked at");
        assert_eq!(
            browser.value("document.activeElement.matches('[data-move], [data-cell]')"),
            json!(false),
            "{clicked}"
        );
    }
    // By keyboard the focus is where the next move can be played, and that one is looked at.
    browser.open(&format!("{}tictactoe", running.url));
    browser.key("Tab");
    browser.value("document.querySelector(\"[data-cell='2 2']\").focus()");
    assert_eq!(browser.value(shown).as_u64().map(|parts| parts > 0), Some(true));
    browser.key("Enter");
    played(&mut browser, "?moves=(mark+2+2)");
    assert_eq!(browser.text("document.activeElement.dataset.cell"), "1 1");
    assert_eq!(browser.value(shown).as_u64().map(|parts| parts > 0), Some(true));
    assert_eq!(browser.text("getComputedStyle(document.activeElement).outlineStyle"), "none", "the cell has a stroke");
    assert_eq!(browser.complaints, [""; 0]);
}
