//! The page in a browser: played by clicks, and read back. Skipped, and said so, where no browser is installed.

use crate::browser::Browser;
use crate::running::Running;
use crate::site::SETTLED;
use ggsolve::SolveOptions;
use serde_json::json;

/// The signs on the board, by row from below.
const SIGNS: &str = "[...document.querySelectorAll('.hit')].map(cell => cell.dataset.sign).join('')";
/// Move and value of every legal move, in the order of the list.
const MOVES: &str =
    "[...document.querySelectorAll('button.move')].map(move => `${move.dataset.move} ${move.dataset.value}`)";

fn cell(name: &str) -> String {
    format!("[data-cell='{name}']")
}

/// Goes on once the board has so many pieces.
fn wait_for_pieces(browser: &mut Browser, count: usize) {
    browser.wait(&format!(
        "[...document.querySelectorAll('.hit')].filter(cell => cell.dataset.sign !== '.').length === {count}"
    ));
    browser.settle();
}

#[test]
fn tictactoe_is_played_to_its_end_by_clicks() {
    let Some(mut browser) = Browser::start() else { return };
    let running = Running::with(&["tictactoe.gdl"]);
    browser.open(&running.url);
    assert_eq!(
        browser.text("document.querySelector('.card .outcome').innerText"),
        "a draw, 50 for xplayer and 50 for oplayer"
    );
    browser.click("a[data-name=tictactoe]");
    wait_for_pieces(&mut browser, 0);
    assert_eq!(browser.text(SIGNS), ".........");

    // The corner; a mistake; and the win.
    browser.click(&cell("1 1"));
    wait_for_pieces(&mut browser, 1);
    assert_eq!(browser.text("location.search"), "?moves=(mark+1+1)");
    assert_eq!(browser.text(SIGNS), "x........");
    assert_eq!(browser.value(MOVES)[0], json!("(mark 2 2) 50/50"), "the best move is the first");
    assert_eq!(browser.value(MOVES)[1], json!("(mark 1 2) 100/0"));
    // Colours: that of the draw is not that of the losses, which are alike; on the board as in the list.
    let colour = |browser: &mut Browser, selector: &str, property: &str| {
        browser.text(&format!("getComputedStyle(document.querySelector({})).{property}", json!(selector)))
    };
    let draw = colour(&mut browser, "[data-move='(mark 2 2)'] .swatch", "backgroundColor");
    let loss = colour(&mut browser, "[data-move='(mark 1 2)'] .swatch", "backgroundColor");
    assert_ne!(draw, loss);
    assert_eq!(colour(&mut browser, "[data-move='(mark 3 3)'] .swatch", "backgroundColor"), loss);
    assert_eq!(browser.value("document.querySelectorAll('.marks .dot').length"), json!(8));
    let dots = "[...document.querySelectorAll('.marks .dot')].map(dot => getComputedStyle(dot).fill)";
    assert_eq!(browser.value(&format!("{dots}.filter(fill => fill === {}).length", json!(draw))), json!(1));
    assert_eq!(browser.value(&format!("{dots}.filter(fill => fill === {}).length", json!(loss))), json!(7));

    // A move that is looked at is on the board, and nothing is played.
    browser.hover("[data-move='(mark 2 2)']");
    browser.wait("document.querySelectorAll('.preview .changed').length === 1");
    assert_eq!(browser.text(SIGNS), "x........");
    for (count, name) in ["1 2", "2 2", "3 3", "3 1"].iter().enumerate() {
        browser.click(&cell(name));
        wait_for_pieces(&mut browser, count + 2);
    }
    assert_eq!(browser.text(SIGNS), "x.xox...o");
    browser.wait("document.querySelector('.chart .slip') !== null");
    assert!(browser.text("document.querySelector('.ply.slip').innerText").contains("gives the draw away"));
    // Distances come later; a win in one.
    browser.click(&cell("1 3"));
    wait_for_pieces(&mut browser, 6);
    browser.wait("document.querySelector('button.move .plies').innerText === 'in 1 ply'");
    browser.click(&cell("2 1"));
    wait_for_pieces(&mut browser, 7);
    let status = browser.text("document.querySelector('.status').innerText");
    assert_eq!(status, "Play is over: a win for xplayer, 100 to 0");
    assert_eq!(browser.value("document.querySelectorAll('.hit.active').length"), json!(0));

    // The back button takes back, the keys go through the match.
    browser.value("history.back()");
    wait_for_pieces(&mut browser, 6);
    browser.key("ArrowLeft");
    wait_for_pieces(&mut browser, 5);
    assert!(browser.text("location.search").ends_with("&ply=5"));
    browser.key("Home");
    wait_for_pieces(&mut browser, 0);
    browser.key("End");
    wait_for_pieces(&mut browser, 6);
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn moves_that_are_alike_stand_with_the_first_of_them() {
    let Some(mut browser) = Browser::start() else { return };
    let running = Running::with(&["tictactoe.gdl"]);
    browser.open(&format!("{}tictactoe", running.url));
    let first = |browser: &mut Browser| {
        browser.text("[...document.querySelectorAll('button.move')].map(found => found.dataset.move).join(' ')")
    };
    assert_eq!(first(&mut browser), "(mark 1 1) (mark 1 2) (mark 2 2)");
    let alike = "[...document.querySelectorAll('.moves li')].map(item => [...item.querySelectorAll('.same')]\
                 .map(found => found.dataset.move).join(' ')).join(', ')";
    assert_eq!(
        browser.text(alike),
        "(mark 1 3) (mark 3 1) (mark 3 3), (mark 2 1) (mark 2 3) (mark 3 2), ",
        "corners, sides, and the centre"
    );
    // They are looked at, reached by keys and played like the others.
    browser.hover("[data-move='(mark 3 3)']");
    browser.wait("document.querySelectorAll('.preview .changed').length === 1");
    browser.value("document.activeElement.blur()");
    browser.key("ArrowDown");
    browser.key("ArrowDown");
    assert_eq!(browser.text("document.activeElement.dataset.move"), "(mark 1 3)");
    browser.click("[data-move='(mark 3 3)']");
    wait_for_pieces(&mut browser, 1);
    assert_eq!(browser.text(SIGNS), "........x");
    // Where values are hidden all moves are listed alike.
    browser.click("#hide");
    assert_eq!(browser.value("document.querySelectorAll('button.move').length"), json!(8));
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn what_follows_a_worse_move_is_told() {
    let Some(mut browser) = Browser::start() else { return };
    let running = Running::with(&["tictactoe.gdl"]);
    browser.open(&format!("{}tictactoe?moves=(mark+1+1)", running.url));
    // Every move that gives something away can be asked about, and no other one.
    assert_eq!(browser.value("document.querySelectorAll('[data-why]').length"), json!(4));
    assert_eq!(browser.value("document.querySelectorAll(\"[data-why='(mark 2 2)']\").length"), json!(0));
    let line = "[...document.querySelectorAll('.explained .ply')].map(ply => ply.innerText.trim()).join(' ')";
    browser.click("[data-why='(mark 1 2)']");
    browser.wait(&format!("{line} === '(mark 2 1) (mark 3 1) (mark 2 2) (mark 1 3) (mark 2 3)'"));
    // It stays when distances come, another question takes its place, and a second click closes it.
    browser.wait("document.querySelector('button.move .plies').innerText === 'in 8 plies'");
    assert!(browser.text(line).starts_with("(mark 2 1)"));
    browser.click("[data-why='(mark 3 3)']");
    browser.wait(&format!("{line}.startsWith('(mark 1 3) (mark 1 2)')"));
    assert_eq!(browser.value("document.querySelectorAll('.explained').length"), json!(1));
    browser.click("[data-why='(mark 3 3)']");
    browser.wait("document.querySelector('.explained') === null");
    // By keyboard; and a click on a ply goes there.
    browser.value("document.querySelector(\"[data-why='(mark 1 2)']\").focus()");
    browser.key("Enter");
    browser.wait("document.querySelectorAll('.explained .ply').length === 5");
    assert_eq!(browser.text("document.activeElement.dataset.why"), "(mark 1 2)");
    browser.click(".explained .ply");
    wait_for_pieces(&mut browser, 3);
    assert_eq!(browser.text("location.search"), "?moves=(mark+1+1)+(mark+1+2)+(mark+2+1)");
    // How well both chose, and what decided the match.
    let accuracy = browser.text("document.querySelector('.accuracy').innerText");
    assert_eq!(
        accuracy,
        "Accuracy: xplayer 100 % (1 of 1 choice kept the value), oplayer 0 % (0 of 1 choice kept the value)."
    );
    assert_eq!(browser.text("document.querySelector('.decided').innerText"), "Decided by ply 2, (mark 1 2).");
    browser.click("#hide");
    assert_eq!(browser.value("document.querySelectorAll('.accuracy, .decided, [data-why]').length"), json!(0));
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn endless_play_is_told_once() {
    let Some(mut browser) = Browser::start() else { return };
    // White goes round for ever, or ends play and loses.
    let rules = "(role white) (role black) (init (at start)) (legal black noop)
        (<= (legal white wait) (true (at start))) (<= (legal white lose) (true (at start)))
        (<= (next (at start)) (does white wait)) (<= (next (at end)) (does white lose)) (<= terminal (true (at end)))
        (goal white 0) (goal black 100)";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("round.ggs");
    let session = ggsolve::Session::default();
    let destination = ggsolve::Destination::Folder { folder: path.clone(), force: false };
    let rules = session.load(ggsolve::Source::new("round", rules.as_bytes()));
    session.solve(&rules, &SolveOptions::default(), &destination).unwrap();
    let running = Running::opened("round", session.open_any(&path).unwrap(), folder);
    browser.open(&format!("{}round", running.url));
    browser.wait("document.querySelectorAll('button.move').length === 2");
    let text = |action: &str| format!("document.querySelector('[data-move={action}]').innerText.replace(/\\s+/g, ' ')");
    assert_eq!(browser.text(&text("wait")), "☆ wait endless");
    assert!(browser.text(&text("lose")).starts_with("lose loss 0/100"));
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn no_move_is_best_where_another_one_is_worth_more() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settled.ggs");
    let session = ggsolve::Session::default();
    let destination = ggsolve::Destination::Folder { folder: path.clone(), force: false };
    let rules = session.load(ggsolve::Source::new("settled", SETTLED.as_bytes()));
    session.solve(&rules, &SolveOptions::default(), &destination).unwrap();
    let running = Running::opened("settled", session.open_any(&path).unwrap(), folder);
    browser.open(&format!("{}settled", running.url));
    browser.wait("document.querySelectorAll('button.move').length === 2");
    let told = browser.text("document.querySelector('.status').innerText");
    let here = "left settled for that; another move is worth more to it, so it is no equilibrium here";
    assert!(told.contains(here), "{told}");
    let text = |action: &str| format!("document.querySelector('[data-move={action}]').innerText.replace(/\\s+/g, ' ')");
    assert!(browser.text(&text("yield")).starts_with("☆ yield loss 20/90"), "{}", browser.text(&text("yield")));
    assert!(browser.text(&text("wait")).starts_with("wait win 90/20"), "{}", browser.text(&text("wait")));
    // It is not asked why a move that is worth more is worse.
    assert_eq!(browser.value("document.querySelectorAll('[data-why]').length"), json!(0));
    browser.click("#hide");
    assert!(!browser.text("document.querySelector('.status').innerText").contains("settled for"));
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn a_match_is_played_against_the_program_and_by_keyboard() {
    let Some(mut browser) = Browser::start() else { return };
    let running = Running::with(&["tictactoe.gdl"]);
    browser.open(&format!("{}tictactoe", running.url));
    browser.click("#hide");
    assert_eq!(browser.value("document.querySelectorAll('button.move .rewards').length"), json!(0));
    browser.click("#against");
    // By keyboard: the first move of the list.
    browser.value("document.activeElement.blur()");
    browser.key("ArrowDown");
    assert_eq!(browser.text("document.activeElement.dataset.move"), "(mark 1 1)");
    browser.key("Enter");
    wait_for_pieces(&mut browser, 2);
    assert_eq!(browser.text(SIGNS), "x...o....", "the program takes the centre");
    browser.click(&cell("1 2"));
    wait_for_pieces(&mut browser, 4);
    assert_eq!(browser.text(SIGNS), "x..xo.o..", "and saves itself");
    // Back to where the choice was, past the program's move.
    browser.value("history.back()");
    wait_for_pieces(&mut browser, 2);
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn five_by_five_connect_four_is_shown_from_its_folder() {
    let Some(mut browser) = Browser::start() else { return };
    let running = Running::with(&["connect4_5x5.gdl"]);
    browser.open(&format!("{}connect4_5x5?moves=(drop+3)+(drop+3)", running.url));
    assert_eq!(browser.text(SIGNS), "..r....y.................");
    assert_eq!(
        browser.value("document.querySelectorAll('.piece.paint-red, .piece.paint-yellow').length"),
        json!(4),
        "and the legend"
    );
    browser.click(&cell("3 3"));
    wait_for_pieces(&mut browser, 3);
    assert_eq!(browser.text("location.search"), "?moves=(drop+3)+(drop+3)+(drop+3)");
    assert_eq!(browser.value("document.querySelectorAll('.marks .dot').length"), json!(5));

    browser.open(&format!("{}connect4_5x5/layers", running.url));
    assert_eq!(browser.value("document.querySelectorAll('.plot').length"), json!(2));
    assert_eq!(browser.value("document.querySelectorAll('table.layers tbody tr').length"), json!(26));
    let heat = "[...document.querySelectorAll('.heat td')].map(cell => cell.innerText).join(' ')";
    assert_eq!(browser.text(heat), "· · 24,115,312 · 14,419,273 · 31,229,115 · ·");
    // A random position of a layer and a value.
    browser.value("(() => { const layer = document.querySelector('#layer'); layer.value = '9'; layer.dispatchEvent(new Event('change')); \
                   document.querySelector('#value').value = '100,0'; })()");
    browser.click(".picker button");
    wait_for_pieces(&mut browser, 9);
    assert!(browser.text("location.search").starts_with("?state=("));
    assert!(browser.text("document.querySelector('.status').innerText").contains("a win for red, 100 to 0"));
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn a_game_without_a_board_is_a_table_of_fluents() {
    let Some(mut browser) = Browser::start() else { return };
    let running = Running::with(&["blocks.gdl"]);
    browser.open(&format!("{}blocks", running.url));
    assert_eq!(browser.value("document.querySelectorAll('.board').length"), json!(0));
    let fluents =
        "[...document.querySelectorAll('.fluents tr')].map(row => row.innerText.replace(/\\s+/g, ' ')).join(', ')";
    assert_eq!(browser.text(fluents), "on a table b table c a, step 0");
    assert_eq!(browser.value(MOVES), json!(["(unstack c a) 100", "(stack b c) 0"]));
    browser.hover("[data-move='(unstack c a)']");
    browser.wait("[...document.querySelectorAll('ins')].some(found => found.innerText === 'c table')");
    browser.click("[data-move='(unstack c a)']");
    browser
        .wait("document.querySelectorAll('.fluents ins').length === 0 || location.search === '?moves=(unstack+c+a)'");
    // A match as text.
    browser.settle();
    browser.value("document.querySelector('details.box').open = true");
    browser.value("document.querySelector('textarea').value = '(unstack c a)\\n(stack b c)\\n(stack a b)'");
    browser.click("details.box button");
    browser.wait("document.querySelector('.status').innerText === 'Play is over: 100 at best for robot'");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn a_button_that_is_held_down_is_not_replaced() {
    let Some(mut browser) = Browser::start() else { return };
    let running = Running::with(&["tictactoe.gdl"]);
    browser.open(&format!("{}tictactoe", running.url));
    let place = browser.press("[data-move='(mark 2 2)']");
    // Far longer than the pause before best play is asked for, whose answer draws the moves again.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    browser.release(place);
    browser.wait("location.search === '?moves=(mark+2+2)'");
    wait_for_pieces(&mut browser, 1);
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn addresses_of_nothing_are_told_and_texts_are_never_markup() {
    let Some(mut browser) = Browser::start() else { return };
    let running = Running::with(&["tictactoe.gdl"]);
    let told = "document.querySelector('.failure').innerText";
    for (address, expected) in [
        ("tictactoe?moves=(mark+7+7)", "(mark 7 7) is not a legal move of xplayer"),
        ("tictactoe?moves=(mark+%3Cimg+src=x+onerror=alert(1)%3E)", "<img"),
        ("tictactoe?state=(cell+1+1+x)", "fluents are missing"),
        ("tictactoe?moves=%ff%zz(((", "unexpected"),
        ("tictactoe?moves=(((", "are still open"),
        ("tictactoe?ply=x&moves=))", ")"),
        ("none", "There is no solution none"),
        ("%3Cscript%3Ealert(1)%3C%2Fscript%3E", "There is no solution <script>"),
        ("tictactoe/none", "There is no such page"),
    ] {
        browser.open(&format!("{}{address}", running.url));
        let text = browser.text(told);
        assert!(text.contains(expected), "{address}: {text}");
        assert_eq!(browser.value("document.querySelectorAll('main img, main script').length"), json!(0));
        assert!(!browser.value("document.querySelectorAll('a[href=\"/\"]').length").is_null());
    }
    // The way back to the game.
    browser.open(&format!("{}tictactoe?moves=(mark+7+7)", running.url));
    browser.click("a.button.main");
    wait_for_pieces(&mut browser, 0);
}

#[test]
fn pages_fit_a_phone_and_have_names_for_everything() {
    let Some(mut browser) = Browser::start() else { return };
    let all = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
    let running = Running::solved_as(&[("tictactoe.gdl", SolveOptions::default()), ("tictactoe3.gdl", all)]);
    for page in ["", "tictactoe?moves=(mark+1+1)", "tictactoe/layers", "tictactoe3?moves=(mark+2+2)", "none"] {
        for width in [320, 390, 1280] {
            browser.size(width, 800);
            browser.open(&format!("{}{page}", running.url));
            // Names of moves stand in one line, or in a few where there is no room.
            let tall = "Math.max(0, ...[...document.querySelectorAll('.move .name')].map(name => name.offsetHeight))";
            assert!(browser.value(tall).as_u64() < Some(60), "/{page} {width}");
            let wide = browser.value("document.documentElement.scrollWidth");
            assert_eq!(wide, json!(width), "/{page}");
        }
        let nameless = "[...document.querySelectorAll('button, select, input, textarea, a, [role=button], svg[role=img]')].filter(found => \
            !(found.getAttribute('aria-label') || found.textContent || found.labels?.length)).map(found => found.outerHTML).join('\\n')";
        assert_eq!(browser.text(nameless), "", "/{page}");
    }
    // The match stands below the board where there is room beside it, and below the moves where there is none.
    for (width, order) in [(1280, ["place", "course"]), (390, ["options", "course"])] {
        browser.size(width, 800);
        browser.open(&format!("{}tictactoe?moves=(mark+1+1)", running.url));
        let at = |name: &str| format!("document.querySelector('section.{name}').getBoundingClientRect()");
        let [above, below] = order.map(at);
        let stacked = format!("{below}.top >= {above}.bottom && {below}.left === {above}.left");
        assert_eq!(browser.value(&stacked), json!(true), "{width}");
    }
    // The two lines of a draw are both to be seen.
    let heights =
        "new Set([...document.querySelectorAll('.chart path.line')].map(line => line.getAttribute('d'))).size";
    assert_eq!(browser.value(heights), json!(2));
    // The colours of dark and light differ.
    let back = "getComputedStyle(document.body).backgroundColor";
    let light = browser.text(back);
    browser.dark(true);
    assert_ne!(browser.text(back), light);
}

#[test]
fn what_roles_can_force_and_what_is_not_solved_yet_is_shown() {
    let Some(mut browser) = Browser::start() else { return };
    let all = SolveOptions { guarantees: vec!["all".to_owned()], distances: true, ..SolveOptions::default() };
    let counted = SolveOptions { count_only: true, ..SolveOptions::default() };
    let running = Running::solved_as(&[("tictactoe.gdl", all), ("nim3.gdl", counted)]);
    browser.open(&format!("{}tictactoe?moves=(mark+1+1)+(mark+1+2)", running.url));
    let status = browser.text("document.querySelector('.status').innerText");
    assert!(status.contains("xplayer can force 100; oplayer can force 0"), "{status}");
    assert_eq!(browser.text("document.querySelector('button.move .forces').innerText"), "≥ 100/0");
    browser.open(&format!("{}tictactoe/layers", running.url));
    let sections = browser.text("[...document.querySelectorAll('.plots h2')].map(found => found.innerText).join(', ')");
    assert!(sections.contains("What xplayer can force, What oplayer can force"), "{sections}");
    // Distances have plots of their own, over plies.
    let axes = "[...document.querySelectorAll('.plot')].map(plot => plot.querySelector(':scope > text:last-of-type').textContent).join(', ')";
    let depth = "plies to the end, plies to the end, plies to the end";
    assert_eq!(browser.text(axes), format!("layer, layer, {depth}"));

    // Where nothing has a value the way leads to the layers, and no position is offered.
    browser.open(&running.url);
    let cards = "[...document.querySelectorAll('.card .button')].map(found => found.getAttribute('href')).join(' ')";
    assert_eq!(browser.text(cards), "/tictactoe /tictactoe/layers /nim3/layers");
    assert_eq!(browser.complaints, [""; 0]);
    browser.open(&format!("{}nim3", running.url));
    assert!(browser.text("document.querySelector('.failure').innerText").contains("values"));
    browser.click("a.button.main");
    browser.wait("document.querySelector('.picker button') !== null");
    assert_eq!(browser.value("document.querySelector('.picker button').disabled"), json!(true));
    assert!(browser.text("document.querySelector('.note[role=status]').innerText").contains("no values yet"));
}
