//! The page without a server: written as a site, and asked in a browser from a folder and from a server of plain files.

use crate::browser::Browser;
use crate::process::output;
use crate::running::{Running, rules};
use game::matrix::Rational;
use ggsolve::{Destination, Limits, Rules, Session, SolveOptions, Source};
use serde_json::{Value, json};
use serve::explore::{Library, SiteReport, export};
use solving::solve::Silent;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The signs on the board, by row from below.
const SIGNS: &str = "[...document.querySelectorAll('.hit')].map(cell => cell.dataset.sign).join('')";

/// Each of two roles waits for the other one to give in.
pub const SETTLED: &str = include_str!("../common/settled.gdl");
const PASSES: &str = include_str!("../common/passes.gdl");
const GAMBLER: &str = include_str!("../common/gambler.gdl");

/// Games of all kinds that a site shows: in layers, with distances, of three roles, of a single one, with what roles can
/// force, and such that play can come back to positions, of one of which values are no equilibrium.
fn games() -> Vec<(&'static str, Rules, SolveOptions)> {
    let distances = || SolveOptions { distances: true, ..SolveOptions::default() };
    let all = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
    let shipped = [
        ("tictactoe.gdl", distances()),
        ("connect4_4x4.gdl", SolveOptions::default()),
        ("tictactoe3.gdl", all),
        ("blocks.gdl", SolveOptions::default()),
        ("morris_three.gdl", SolveOptions::default()),
        ("quixo_3.gdl", distances()),
        ("nim3.gdl", SolveOptions::default()),
    ];
    let settled = Session::default().load(Source::new("settled", SETTLED.as_bytes()));
    let games = shipped.into_iter().map(|(game, options)| (game, rules(game), options));
    games.chain([("settled", settled, SolveOptions::default())]).collect()
}

/// Solutions, a server that shows them, and the site.
struct Scene {
    running: Running,
    site: PathBuf,
    report: SiteReport,
    _folder: tempfile::TempDir,
}

fn name(game: &str) -> &str {
    game.split('.').next().expect("a name has a part")
}

fn scene(games: &[(&str, SolveOptions)]) -> Scene {
    scene_of(games.iter().map(|(game, options)| (*game, rules(game), options.clone())).collect())
}

fn scene_of(games: Vec<(&str, Rules, SolveOptions)>) -> Scene {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (game, rules, options) in &games {
        let place = folder.path().join(name(game));
        let destination = Destination::Folder { folder: place, force: false };
        Session::default().solve(rules, options, &destination).expect("the game is solved");
    }
    let library = || {
        let mut library = Library::default();
        for (game, ..) in &games {
            let solution = Session::default().open_any(&folder.path().join(name(game)));
            library.add(name(game), solution.expect("the folder is a solution"));
        }
        library
    };
    let site = folder.path().join("a site");
    let report = export(&library(), &site, &Arc::new(Limits::unlimited()), &Silent).expect("the site is written");
    let running = Running::of(library(), tempfile::tempdir().expect("a temporary folder"));
    Scene { running, site, report, _folder: folder }
}

/// The address of a page of a site in a folder.
fn in_folder(site: &Path) -> String {
    format!("file://{}/index.html", site.display()).replace(' ', "%20")
}

/// Serves the files of a folder as any web server does; ends with the process. Its address.
fn plain_server(folder: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let (address, folder) = (listener.local_addr().expect("it has an address"), folder.to_owned());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("somebody asks");
            let mut line = String::new();
            let mut reader = BufReader::new(stream.try_clone().expect("a stream can be cloned"));
            if reader.read_line(&mut line).is_err() {
                continue;
            }
            let header = |line: &std::io::Result<String>| line.as_ref().is_ok_and(|line| !line.is_empty());
            reader.lines().take_while(header).for_each(drop);
            let path = line.split(' ').nth(1).unwrap_or("/").trim_start_matches('/').to_owned();
            let kind = match path.rsplit('.').next() {
                Some("js") => "text/javascript",
                Some("css") => "text/css",
                Some("svg") => "image/svg+xml",
                _ => "text/html; charset=utf-8",
            };
            let (status, body) = match std::fs::read(folder.join(if path.is_empty() { "index.html" } else { &path })) {
                Ok(body) => ("200 OK", body),
                Err(_) => ("404 Not Found", Vec::new()),
            };
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            // Who does not listen any more has what it wanted.
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        }
    });
    format!("http://{address}/")
}

/// Where the page has floats beside exact numbers, these.
const EXACT: &str = "(key, value) => (Array.isArray(value) && value.exact ? value.exact : value)";

/// What the page answers from its files.
fn answered(browser: &mut Browser, path: &str, parameters: &Value) -> Value {
    let asked = format!(
        "modules['source.js'].answer({}, {parameters}).catch(error => ({{error: {{code: error.code}}}}))",
        json!(path)
    );
    browser.value(&format!("{asked}.then(found => JSON.parse(JSON.stringify(found, {EXACT})))"))
}

/// What the server answers, without what takes searches and symmetries.
fn expected(scene: &Scene, path: &str, parameters: &Value) -> Value {
    let texts = parameters.as_object().expect("an object").iter();
    let texts = texts.map(|(key, value)| format!("{key}={}", value.as_str().expect("a text").replace(' ', "+")));
    let address = format!("/api/solutions{path}?{}", texts.collect::<Vec<_>>().join("&"));
    let mut found: Value = serde_json::from_str(&scene.running.client().get(&address).text()).expect("JSON");
    if let Some(error) = found.get("error") {
        return json!({"error": {"code": error["code"]}});
    }
    for option in
        found.get_mut("moves").and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
    {
        option.remove("same_as");
    }
    plain(found)
}

/// The same with 1 in place of 1.0: scripts do not tell them apart.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let float = number.as_f64().expect("it is a float");
            if float.fract() == 0.0 { json!(float as i64) } else { json!(float) }
        }
        Value::Array(members) => members.into_iter().map(plain).collect(),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(key, member)| (key, plain(member))).collect())
        }
        other => other,
    }
}

/// Random positions of a game, as fluents.
fn positions(scene: &Scene, game: &str, number: u32) -> Vec<String> {
    let layers = expected(scene, &format!("/{game}/layers"), &json!({}))["layers"].as_array().expect("layers").len();
    let drawn = |seed: u32| {
        let layer = (seed as usize % layers).to_string();
        let asked = json!({"layer": layer, "seed": seed.to_string()});
        let found = expected(scene, &format!("/{game}/random"), &asked);
        let fluents: Vec<&str> = found["state"].as_array().expect("fluents").iter().filter_map(Value::as_str).collect();
        fluents.join(" ")
    };
    (0..number).map(drawn).collect()
}

#[test]
fn the_page_answers_from_files_what_the_server_answers() {
    let Some(mut browser) = Browser::start() else { return };
    let scene = scene_of(games());
    for address in [in_folder(&scene.site), plain_server(&scene.site)] {
        browser.open(&address);
        assert_eq!(answered(&mut browser, "", &json!({})), expected(&scene, "", &json!({})));
        let (mut ends, mut choices, mut not_best, mut rounds) = (0, 0, 0, 0);
        for (game, _, options) in games() {
            let game = name(game);
            let mut same = |asked: &str, parameters: Value| {
                let path = format!("/{game}/{asked}");
                let found = answered(&mut browser, &path, &parameters);
                assert_eq!(found, expected(&scene, &path, &parameters), "{path} {parameters}");
                found
            };
            same("layers", json!({}));
            same("position", json!({}));
            same("position", json!({"state": "(nothing of this game)"}));
            let start = same("line", json!({"moves": "(no such move)"}));
            assert_eq!(start["error"]["code"], "position");
            for state in positions(&scene, game, 40) {
                let query = same("position", json!({"state": state}));
                let moves = query["moves"].as_array().expect("moves");
                ends += usize::from(moves.is_empty());
                choices += usize::from(moves.len() > 1);
                not_best += usize::from(query["not_best"] == true);
                let Some(last) = moves.last() else { continue };
                same("review", json!({"state": state, "moves": last["move"]}));
                same("position", json!({"state": state, "moves": last["move"]}));
                let joint = last["joint"].as_array().expect("moves of roles").iter().filter_map(Value::as_str);
                let joint = format!("({})", joint.collect::<Vec<_>>().join(" "));
                same("position", json!({"state": state, "moves": joint}));
                if options.distances || query["value"].is_null() {
                    let line = same("line", json!({"state": state}));
                    rounds += usize::from(line["repeats"].is_u64());
                }
            }
        }
        assert!(ends > 20 && choices > 100 && not_best > 0 && rounds > 0, "{ends} {choices} {not_best} {rounds}");
        assert_eq!(browser.complaints, [""; 0]);
    }
}

/// Games of all kinds with exact values: with mixtures, with chance alone and beside players, without a single value, and
/// with play that goes round.
fn exact_scene() -> Scene {
    let shipped = |game: &'static str| (game, rules(game), SolveOptions::default());
    let all = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
    let dilemma = Session::default().load(Source::new("dilemma", crate::chance::DILEMMA.as_bytes()));
    let gambler = Session::default().load(Source::new("gambler", GAMBLER.as_bytes()));
    let games = ["goofspiel_4_random.gdl", "race_20.gdl", "hide_and_seek.gdl", "duel_5.gdl"];
    let own = [("dilemma", dilemma, all), ("gambler", gambler, SolveOptions::default())];
    scene_of(games.into_iter().map(shipped).chain(own).collect())
}

#[test]
fn exact_values_are_answered_from_files_as_by_the_server() {
    let Some(mut browser) = Browser::start() else { return };
    let scene = exact_scene();
    browser.open(&in_folder(&scene.site));
    assert_eq!(answered(&mut browser, "", &json!({})), expected(&scene, "", &json!({})));
    let (mut ends, mut mixed, mut losses) = (0, 0, 0);
    for game in ["goofspiel_4_random", "race_20", "hide_and_seek", "duel_5", "dilemma", "gambler"] {
        let mut same = |asked: &str, parameters: Value| {
            let path = format!("/{game}/{asked}");
            let found = answered(&mut browser, &path, &parameters);
            assert_eq!(found, expected(&scene, &path, &parameters), "{path} {parameters}");
            found
        };
        same("layers", json!({}));
        same("position", json!({}));
        same("line", json!({}));
        same("review", json!({}));
        same("position", json!({"state": "(nothing of this game)"}));
        same("position", json!({"moves": "(no such move)"}));
        for state in positions(&scene, game, 25) {
            let query = same("position", json!({"state": state}));
            same("line", json!({"state": state}));
            let moves = query["moves"].as_array().expect("moves");
            ends += usize::from(moves.is_empty());
            mixed += usize::from(query["strategies"].is_object());
            // By all roles at once, and by one role after the other.
            for option in moves.iter().take(2).chain(moves.last()) {
                let joint = option["joint"].as_array().expect("moves of roles").iter().filter_map(Value::as_str);
                let joint: Vec<&str> = joint.collect();
                let (whole, option) = (format!("({})", joint.join(" ")), option["move"].as_str().expect("a text"));
                for moves in [whole.as_str(), option, &whole.to_uppercase()] {
                    same("position", json!({"state": state, "moves": moves}));
                    let review = same("review", json!({"state": state, "moves": moves}));
                    losses += review["mistakes"].as_array().map_or(0, Vec::len);
                }
                same("position", json!({"state": state, "moves": joint.join(" ")}));
                same("review", json!({"state": state, "moves": format!("{whole} (no such move)")}));
            }
        }
    }
    assert!(ends > 10 && mixed > 20 && losses > 20, "{ends} {mixed} {losses}");
    assert_eq!(browser.complaints, [""; 0]);
}

/// What the page says of a match in a text, from the start.
fn reviewed(browser: &mut Browser, game: &str, text: &str) -> Value {
    let asked = format!("modules['source.js'].answer('/{game}/review', {{}}, {})", json!(text));
    browser.value(&format!(
        "{asked}.then(found => JSON.parse(JSON.stringify(found, {EXACT})), error => ({{error: {{code: error.code}}}}))"
    ))
}

#[test]
fn whole_matches_with_exact_values_are_judged_as_by_the_server() {
    let Some(mut browser) = Browser::start() else { return };
    let scene = exact_scene();
    browser.open(&in_folder(&scene.site));
    let mut random = base::random::Random::new(7);
    let (mut plies, mut lost, mut lucky) = (0, 0, 0);
    for game in ["goofspiel_4_random", "race_20", "hide_and_seek", "duel_5", "dilemma", "gambler"] {
        for _ in 0..6 {
            // Moves of all roles up to the end.
            let mut joints: Vec<Value> = Vec::new();
            loop {
                let written = |joint: &Value| {
                    format!(
                        "({})",
                        joint
                            .as_array()
                            .unwrap()
                            .iter()
                            .map(|name| name.as_str().unwrap())
                            .collect::<Vec<_>>()
                            .join(" ")
                    )
                };
                let moves = joints.iter().map(written).collect::<Vec<_>>().join(" ");
                let query = expected(&scene, &format!("/{game}/position"), &json!({"moves": moves}));
                let Some(option) = random.choose(query["moves"].as_array().expect("moves")) else { break };
                joints.push(option["joint"].clone());
            }
            let players = expected(&scene, &format!("/{game}/review"), &json!({}))["roles"].as_array().unwrap().len();
            let numbered = |(ply, joint): (usize, &Value)| {
                let names = joint.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
                format!("{}. ({}) ; a ply", ply + 1, names.collect::<Vec<_>>().join(" ").to_uppercase())
            };
            let lines = joints.iter().enumerate().map(numbered).collect::<Vec<_>>().join("\n");
            // The last one lacks a move, and the next to last has one for a role that is none.
            let short: Vec<Value> =
                joints.iter().map(|joint| json!(joint.as_array().unwrap()[..players - 1])).collect();
            let long: Vec<Value> = joints.iter().map(|joint| json!([joint[0], joint[0], joint[0], joint[0]])).collect();
            for text in [
                json!({"moves": joints}).to_string(),
                json!(joints).to_string(),
                lines,
                json!(long).to_string(),
                json!(short).to_string(),
            ] {
                let theirs =
                    scene.running.client().post(&format!("/api/solutions/{game}/review"), text.as_bytes()).text();
                let mut theirs = plain(serde_json::from_str(&theirs).unwrap());
                if let Some(error) = theirs.get("error") {
                    theirs = json!({"error": {"code": error["code"]}});
                }
                let ours = reviewed(&mut browser, game, &text);
                assert_eq!(ours, theirs, "{game}: {text}");
                plies += ours["moves"].as_array().map_or(0, Vec::len);
                lost += ours["mistakes"].as_array().map_or(0, Vec::len);
                lucky += usize::from(ours["luck"].is_object());
            }
        }
    }
    assert!(plies > 200 && lost > 50 && lucky > 20, "{plies} {lost} {lucky}");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn puzzles_of_exact_values_are_those_of_the_server() {
    let Some(mut browser) = Browser::start() else { return };
    let scene = scene(&[("race_20.gdl", SolveOptions::default())]);
    browser.open(&in_folder(&scene.site));
    let asked = json!({"seed": "1", "number": "50", "draws": "10000"});
    let [mut ours, mut theirs] =
        [answered(&mut browser, "/race_20/puzzles", &asked), expected(&scene, "/race_20/puzzles", &asked)];
    for found in [&mut ours, &mut theirs] {
        found["time_s"] = Value::Null;
    }
    assert!(ours["puzzles"].as_array().is_some_and(|puzzles| puzzles.len() > 5), "{ours}");
    assert_eq!(ours, theirs);
    let puzzle = &ours["puzzles"][0];
    let moves = puzzle["moves"].as_array().expect("moves");
    let wrong = moves.iter().find(|option| option["move"] != puzzle["solution"]).expect("one of several is right");
    browser.open(&format!("{}#/race_20/puzzles?seed=1&puzzle=1", in_folder(&scene.site)));
    browser.wait(&format!("document.querySelectorAll('.options [data-move]').length === {}", moves.len()));
    browser.click(&format!(".options [data-move='{}']", wrong["move"].as_str().expect("a text")));
    browser.wait("document.querySelector('.answer .verdict')?.innerText.startsWith('Wrong: after ')");
    browser.wait("document.querySelector('.answer .loses') !== null");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn games_with_exact_values_are_played_from_a_folder() {
    let Some(mut browser) = Browser::start() else { return };
    let scene = exact_scene();
    let asked = |browser: &mut Browser, path: &str, parameters: Value| answered(browser, path, &parameters);
    browser.open(&in_folder(&scene.site));
    // A move without an error is one of the mixture; with an error it is another one, where there is one.
    for (game, error) in [("goofspiel_4_random", 0.0), ("goofspiel_4_random", 1.0), ("dilemma", 0.0)] {
        for state in positions(&scene, game, 12) {
            let position = asked(&mut browser, &format!("/{game}/position"), json!({"state": state}));
            let reply = asked(&mut browser, &format!("/{game}/reply"), json!({"state": state, "error": error}));
            let moves = position["moves"].as_array().unwrap_or_else(|| panic!("{game} {state}: {position}"));
            if moves.is_empty() {
                assert_eq!(reply["error"]["code"], "usage");
                continue;
            }
            let made = moves
                .iter()
                .find(|option| option["joint"] == reply["joint"])
                .unwrap_or_else(|| panic!("{game} {state}: {reply}"));
            assert_eq!((&reply["move"], &reply["value"]), (&made["move"], &made["value"]));
            match (game, error) {
                ("dilemma", _) => assert_eq!(reply["joint"], json!(["(be hard)", "(be hard)"])),
                (_, 0.0) => assert_eq!(reply["optimal"], true),
                _ => assert!(
                    moves.iter().all(|option| option["optimal"] == true) || reply["optimal"] == false,
                    "{reply}"
                ),
            }
        }
    }
    // Random states of a value, and of a range of values.
    let layers = asked(&mut browser, "/race_20/layers", json!({}));
    let mut drawn = 0;
    for layer in layers["layers"].as_array().expect("layers").iter().step_by(5) {
        let bucket = &layer["buckets"][0];
        let parameters = match bucket["range"].as_array() {
            Some(range) => json!({"layer": layer["layer"].to_string(), "range": range[0].to_string()}),
            None => {
                let numbers = bucket["rewards"].as_array().expect("numbers").iter();
                let text = |number: &Value| number.as_str().map_or_else(|| number.to_string(), str::to_owned);
                json!({"layer": layer["layer"].to_string(), "rewards": numbers.map(text).collect::<Vec<_>>().join(",")})
            }
        };
        let found = asked(&mut browser, "/race_20/random", parameters.clone());
        let fluents = found["state"].as_array().unwrap_or_else(|| panic!("{parameters}: {found}")).iter();
        let state = fluents.filter_map(Value::as_str).collect::<Vec<_>>().join(" ");
        let told = expected(&scene, "/race_20/position", &json!({"state": state}));
        match bucket["range"].as_array() {
            Some(range) => assert!(told["value_float"][0].as_f64() >= range[0].as_f64(), "{told}"),
            None => assert_eq!(told["value"], bucket["rewards"]),
        }
        drawn += 1;
    }
    assert!(drawn > 2, "{drawn}");
    // The page itself.
    browser.click("a[data-name=hide_and_seek]");
    browser.wait("document.querySelectorAll('.part').length === 2");
    browser.click("[data-draw]");
    browser.wait("document.querySelectorAll('.ply').length >= 1");
    browser.open(&format!("{}#/dilemma", in_folder(&scene.site)));
    browser.click("[data-of=ann][data-move='(be kind)']");
    browser.click("[data-of=bob][data-move='(be hard)']");
    browser.wait("document.querySelector('.status').innerText.startsWith('Play is over')");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn sums_of_the_page_are_exact_and_their_floats_the_nearest_ones() {
    let Some(mut browser) = Browser::start() else { return };
    let scene = scene(&[("nim3.gdl", SolveOptions::default())]);
    browser.open(&in_folder(&scene.site));
    let mut random = base::random::Random::new(1);
    // Floats end at 308 digits.
    for length in [1, 3, 20, 200, 700] {
        for parts in 1..10 {
            let mut digits = || (0..length).map(|_| char::from(b'1' + random.below(9) as u8)).collect::<String>();
            let numbers = [format!("{}/{}", digits(), digits()), format!("-{}/{}", digits(), digits()), "3".to_owned()];
            let sum: Rational = numbers.iter().map(|number| number.parse::<Rational>().expect("a fraction")).sum();
            let mean = sum / Rational::from_integer(parts.into());
            let exact = mean.to_i64().map_or_else(|| json!(mean.to_string()), |whole| json!(whole));
            let told = browser.value(&format!("modules['values.js'].sum({}, {parts})", json!(numbers)));
            assert_eq!(told, plain(json!({"amount": exact, "amount_float": mean.to_f64()})), "{numbers:?} {parts}");
        }
    }
}

#[test]
fn matches_are_read_as_the_server_reads_them() {
    let Some(mut browser) = Browser::start() else { return };
    let passes = Session::default().load(Source::new("passes", PASSES.as_bytes()));
    let shipped = ["tictactoe.gdl", "blocks.gdl"].map(|game| (game, rules(game)));
    let games = shipped.into_iter().chain([("passes", passes)]);
    let scene = scene_of(games.map(|(game, rules)| (game, rules, SolveOptions::default())).collect());
    browser.open(&in_folder(&scene.site));
    let mut known = 0;
    for (game, text) in [
        ("tictactoe", "; a match\n(mark 1 1)\n( MARK 2\t2 )\n"),
        ("tictactoe", "1. mark 1 1 ; a comment\n2. mark 2 2\n3. mark 3 3"),
        ("tictactoe", "1) (mark 1 1)(mark 1 2)\n2: (mark 2 2), (mark 3 3)"),
        ("tictactoe", "1... (mark 1 1) 2. (mark 1 2) noop (mark 2 2)"),
        ("tictactoe", r#"{"moves": [["(mark 1 1)", "noop"], ["noop", "(mark 1 2)"], "(mark 2 2)"]}"#),
        ("tictactoe", r#"[["(mark 1 1)", "noop"], "(mark 1 2)"]"#),
        ("tictactoe", "[]"),
        ("tictactoe", ""),
        ("tictactoe", "(mark 1 1) (mark 1 1)"),
        ("tictactoe", "mark 1"),
        ("tictactoe", "(mark 1 1"),
        ("tictactoe", "(mark 1 1))"),
        ("tictactoe", "{\"moves\": 3}"),
        ("tictactoe", "[[\"(mark 1 1)\", \"noop\", \"noop\"]]"),
        ("blocks", "unstack c a\nstack b c\nstack a b"),
        ("blocks", r#"[["(unstack c a)"]]"#),
        ("passes", "a pass pass"),
        ("passes", "b pass"),
        ("passes", "a noop noop"),
        ("passes", r#"[["b", "noop"], ["noop", "pass"], ["pass", "noop"]]"#),
    ] {
        let path = format!("/api/solutions/{game}/review");
        let theirs = scene.running.client().post(&path, text.as_bytes()).text();
        let theirs = plain(serde_json::from_str(&theirs).unwrap());
        let asked = format!("modules['source.js'].answer('/{game}/review', {{}}, {})", json!(text));
        let ours = browser.value(&format!(
            "{asked}.then(found => JSON.parse(JSON.stringify(found)), error => ({{code: error.code}}))"
        ));
        match theirs.get("error") {
            Some(error) => assert_eq!(ours["code"], error["code"], "{text}: {ours}"),
            None => assert_eq!(ours, theirs, "{text}"),
        }
        known += usize::from(theirs.get("error").is_none());
    }
    assert_eq!(known, 13);
}

#[test]
fn random_positions_and_replies_are_what_was_asked_for() {
    let Some(mut browser) = Browser::start() else { return };
    let scene = scene(&[("tictactoe.gdl", SolveOptions::default())]);
    browser.open(&in_folder(&scene.site));
    let mut met = std::collections::BTreeSet::new();
    for _ in 0..40 {
        let found = answered(&mut browser, "/tictactoe/random", &json!({"layer": "7", "rewards": "0,100"}));
        let fluents: Vec<&str> = found["state"].as_array().expect("fluents").iter().filter_map(Value::as_str).collect();
        met.insert(fluents.join(" "));
        let query = expected(&scene, "/tictactoe/position", &json!({"state": fluents.join(" ")}));
        assert_eq!((&query["layer"], &query["value"]), (&json!(7), &json!([0, 100])));
    }
    assert!(met.len() > 10, "{met:?}");
    let none = answered(&mut browser, "/tictactoe/random", &json!({"layer": "1", "rewards": "0,100"}));
    assert_eq!(none["error"]["code"], "not-found");
    let replies = |browser: &mut Browser, error: &str| -> Vec<Value> {
        let asked = json!({"moves": "(mark 1 1)", "error": error.parse::<f64>().expect("a number")});
        (0..20).map(|_| answered(browser, "/tictactoe/reply", &asked)).collect()
    };
    assert!(replies(&mut browser, "0").iter().all(|reply| reply["move"] == "(mark 2 2)" && reply["optimal"] == true));
    assert!(
        replies(&mut browser, "1")
            .iter()
            .all(|reply| reply["move"] != "(mark 2 2)" && reply["value"] == json!([100, 0]))
    );
}

#[test]
fn a_match_is_played_from_a_folder() {
    let Some(mut browser) = Browser::start() else { return };
    let scene = scene(&[("tictactoe.gdl", SolveOptions { distances: true, ..SolveOptions::default() })]);
    let signs = |browser: &mut Browser, expected: &str| {
        browser.wait(&format!("{SIGNS} === '{expected}'"));
        browser.settle();
    };
    browser.open(&in_folder(&scene.site));
    browser.click("a[data-name=tictactoe]");
    signs(&mut browser, ".........");
    assert_eq!(browser.text("location.hash"), "#/tictactoe");
    browser.click("[data-cell='1 1']");
    signs(&mut browser, "x........");
    assert_eq!(browser.text("location.hash"), "#/tictactoe?moves=(mark+1+1)");
    browser.click("[data-cell='1 2']");
    signs(&mut browser, "x..o.....");
    browser.wait("document.querySelector('.ply.slip') !== null");
    browser.wait("document.querySelectorAll('section.line .ply').length === 5");
    // Why a move is worse.
    browser.click("[data-why='(mark 1 3)']");
    browser.wait("document.querySelectorAll('.explained .ply').length === 6");
    // Keys, the back button, and a position by its address.
    browser.key("Home");
    signs(&mut browser, ".........");
    browser.value("history.back()");
    signs(&mut browser, "x..o.....");
    browser.open(&format!("{}#/tictactoe?moves=(mark+2+2)", in_folder(&scene.site)));
    signs(&mut browser, "....x....");
    // A reply that comes after its page was left opens nothing.
    browser.value(
        "document.querySelector('#against').click(), document.querySelector(`nav a[href='#/tictactoe/layers']`).click()",
    );
    browser.wait("document.querySelectorAll('table.layers tbody tr').length >= 10");
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert_eq!(browser.text("location.hash"), "#/tictactoe/layers");
    browser.value("history.back()");
    signs(&mut browser, "....x....");
    // The program's reply, and a match as text.
    browser.click("#against");
    browser.click("[data-cell='1 1']");
    signs(&mut browser, "o...x....");
    // Nothing moves any more once the line of best play is there.
    browser.wait("document.querySelectorAll('section.line .ply').length === 7");
    browser.click("#against");
    browser.wait("!document.querySelector('#against').checked");
    browser.value("document.querySelector('details.box').open = true");
    browser.value("document.querySelector('textarea').value = '1. mark 3 3\\n2. (mark 1 1) ; a comment\\n3. mark 2 2'");
    browser.click("details.box button");
    signs(&mut browser, "o...x...x");
    // Layers, a random position, and the way back to all solutions.
    browser.click("nav a[href='#/tictactoe/layers']");
    browser.wait("document.querySelectorAll('table.layers tbody tr').length >= 10");
    browser.settle();
    browser.click(".picker button");
    browser.wait("location.hash.startsWith('#/tictactoe?state=(') && document.querySelector('.hit') !== null");
    browser.click("nav a.brand");
    browser.wait("document.querySelector('.card') !== null");
    for width in [320, 1280] {
        browser.size(width, 800);
        browser.open(&format!("{}#/tictactoe?moves=(mark+1+1)", in_folder(&scene.site)));
        assert_eq!(browser.value("document.documentElement.scrollWidth"), json!(width));
    }
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn puzzles_are_guessed_without_a_server() {
    let Some(mut browser) = Browser::start() else { return };
    let scene = scene(&[("tictactoe.gdl", SolveOptions::default())]);
    browser.open(&in_folder(&scene.site));
    let asked = json!({"seed": "1", "number": "50", "draws": "10000"});
    let [mut ours, mut theirs] =
        [answered(&mut browser, "/tictactoe/puzzles", &asked), expected(&scene, "/tictactoe/puzzles", &asked)];
    assert_eq!(ours["puzzles"].as_array().map(Vec::len), Some(50));
    for found in [&mut ours, &mut theirs] {
        found["time_s"] = Value::Null;
    }
    assert_eq!(ours, theirs);
    crate::training::train(&mut browser, &format!("{}#/tictactoe/puzzles", in_folder(&scene.site)), &ours["puzzles"]);
}

#[test]
fn damaged_and_missing_files_are_told() {
    let Some(mut browser) = Browser::start() else { return };
    let scene = scene(&[("tictactoe.gdl", SolveOptions::default()), ("nim3.gdl", SolveOptions::default())]);
    let file = scene.site.join("solutions/tictactoe/data-000.js");
    let text = std::fs::read_to_string(&file).unwrap();
    // Another sign in the middle of the first diagram.
    let at = text.find("\", \"").unwrap() - 30;
    let other = if text.as_bytes()[at] == b'A' { "B" } else { "A" };
    std::fs::write(&file, format!("{}{other}{}", &text[..at], &text[at + 1..])).unwrap();
    std::fs::remove_file(scene.site.join("solutions/nim3/data-000.js")).unwrap();
    let told = "document.querySelector('.failure').innerText";
    browser.open(&format!("{}#/tictactoe", in_folder(&scene.site)));
    let text = browser.text(told);
    assert!(text.contains("data-000.js of this site is damaged"), "{text}");
    browser.open(&format!("{}#/nim3", in_folder(&scene.site)));
    browser.wait(&format!("{told}.includes('solutions/nim3/data-000.js of this site cannot be read')"));
}

/// `cargo test --release --test explore answers_take -- --ignored --nocapture`
#[test]
#[ignore = "it measures"]
fn answers_take_milliseconds_in_a_browser() {
    let Some(mut browser) = Browser::start() else { return };
    let scene = scene(&[("connect4_4x4.gdl", SolveOptions::default())]);
    times(&mut browser, &scene, "connect4_4x4");
    let scene = self::scene(&[("pig_8.gdl", SolveOptions::default())]);
    times(&mut browser, &scene, "pig_8");
}

/// Prints how long answers about random positions of a game take.
fn times(browser: &mut Browser, scene: &Scene, game: &str) {
    let states = positions(scene, game, 500);
    for address in [in_folder(&scene.site), plain_server(&scene.site)] {
        // The first answer loads the files.
        browser.open(&address);
        let asked = "(async () => { const times = []; for (const state of STATES) { const before = performance.now();
            await modules['source.js'].answer('/GAME/position', { state }); times.push(performance.now() - before); }
            const [first, ...rest] = times; rest.sort((a, b) => a - b);
            return { first, median: rest[rest.length >> 1], most: rest.at(-1) }; })()";
        let asked = asked.replace("GAME", game).replace("STATES", &json!(states).to_string());
        println!("{game}, {address}: ms {}", browser.value(&asked));
    }
}

#[test]
fn the_site_of_four_by_four_connect_four_is_small_and_its_sums_are_right() {
    let scene = scene(&[("connect4_4x4.gdl", SolveOptions::default())]);
    let mut bytes = 0;
    let sums = std::fs::read_to_string(scene.site.join("SHA256SUMS")).unwrap();
    for line in sums.lines() {
        let (sum, file) = line.split_once("  ").unwrap();
        let content = std::fs::read(scene.site.join(file)).unwrap();
        assert_eq!(solving::store::hex(&solving::store::checksum(&content)), sum, "{file}");
        bytes += content.len();
    }
    assert_eq!((scene.report.positions, scene.report.bytes), (161_029, (bytes + sums.len()) as u64));
    assert_eq!(scene.report.files, sums.lines().count() + 1);
    assert!(bytes < 1_000_000, "{bytes}");
    // The same solutions give the same bytes.
    let again = scene_sums(&scene);
    assert_eq!(sums, again);
}

/// The sums of the site, written anew over itself.
fn scene_sums(scene: &Scene) -> String {
    let mut library = Library::default();
    let solution = Session::default().open_any(&scene._folder.path().join("connect4_4x4"));
    library.add("connect4_4x4", solution.expect("the folder is a solution"));
    export(&library, &scene.site, &Arc::new(Limits::unlimited()), &Silent).expect("a site may be replaced");
    std::fs::read_to_string(scene.site.join("SHA256SUMS")).expect("it is there")
}

#[test]
fn limits_end_an_export_and_leave_nothing() {
    let scene = scene(&[("connect4_4x4.gdl", SolveOptions::default())]);
    let around = tempfile::tempdir().unwrap();
    let mut library = Library::default();
    let solution = Session::default().open_any(&scene._folder.path().join("connect4_4x4")).unwrap();
    library.add("connect4_4x4", solution);
    let interrupted = Limits::unlimited();
    interrupted.interrupt();
    for (limits, told) in [(interrupted, "interrupted"), (Limits::new(10_000), "memory limit reached")] {
        let error = export(&library, &around.path().join("site"), &Arc::new(limits), &Silent).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
        assert_eq!(std::fs::read_dir(around.path()).unwrap().count(), 0);
    }
    // What is needed is a diagram and four bytes for each state of a layer.
    let enough = Arc::new(Limits::new(4_000_000));
    assert!(export(&library, &around.path().join("site"), &enough, &Silent).is_ok());
    // What drawing puzzles took is kept as long as the solution is open.
    drop(library);
    assert_eq!(enough.used(), 0);
}

#[test]
fn records_are_within_the_limits_of_an_export() {
    let scene = scene(&[("race_20.gdl", SolveOptions::default())]);
    let around = tempfile::tempdir().unwrap();
    let mut library = Library::default();
    library.add("race_20", Session::default().open_any(&scene._folder.path().join("race_20")).unwrap());
    let site = around.path().join("site");
    // A part of the records has 256 KiB.
    let error = export(&library, &site, &Arc::new(Limits::new(100_000)), &Silent).unwrap_err();
    assert!(error.to_string().contains("memory limit reached"), "{error}");
    assert_eq!(std::fs::read_dir(around.path()).unwrap().count(), 0);
    assert!(export(&library, &site, &Arc::new(Limits::new(4_000_000)), &Silent).is_ok());
    // The same solution gives the same bytes.
    let sums = |site: &Path| std::fs::read_to_string(site.join("SHA256SUMS")).unwrap();
    assert_eq!(sums(&site), sums(&scene.site));
}

#[test]
fn too_many_states_are_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("connect4_5x5.ggs");
    let destination = Destination::Folder { folder: place, force: false };
    Session::default().solve(&rules("connect4_5x5.gdl"), &SolveOptions::default(), &destination).unwrap();
    let output = output(folder.path(), &["connect4_5x5.ggs", "--export", "site"]);
    let text = String::from_utf8_lossy(&output.stderr);
    let told = "states of connect4_5x5 for a site without a server, 69,763,700, exceeds 16777216";
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains(told) && std::fs::read_dir(folder.path()).unwrap().count() == 1, "{text}");
}

#[test]
fn what_a_site_cannot_show_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let shipped = |game: &str| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("games").join(game).display().to_string();
    let solved = |game: &str, more: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ggsolve"));
        let status = command.arg(shipped(game)).args(more).current_dir(folder.path()).output().unwrap().status;
        assert!(status.success());
    };
    solved("tictactoe.gdl", &[]);
    let counted = std::process::Command::new(env!("CARGO_BIN_EXE_ggsolve"))
        .args(["count", &shipped("nim3.gdl"), "-o", "nim3.ggs"])
        .current_dir(folder.path())
        .output();
    assert!(counted.unwrap().status.success());
    std::fs::create_dir(folder.path().join("mine")).unwrap();
    std::fs::write(folder.path().join("mine/diary.txt"), "mine").unwrap();
    for (arguments, code, told) in [
        (vec!["nim3.ggs", "--export", "site"], 4, "values are missing"),
        (vec!["tictactoe.ggs", "--export", "mine"], 2, "holds other files than those of a site"),
        (vec!["tictactoe.ggs", "--export", "mine/diary.txt"], 1, "diary.txt"),
        (vec!["tictactoe.ggs", "--export", "site", "--port", "0"], 2, "cannot be used with"),
    ] {
        let output = output(folder.path(), &arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
        assert!(text.contains(told) && output.stdout.is_empty(), "{arguments:?}: {text}");
        assert!(!folder.path().join("site").exists());
    }
    for _ in 0..2 {
        let output = output(folder.path(), &["tictactoe.ggs", "--export", "site"]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.starts_with("a site of 1 solution with 5,478 positions\n"), "{text}");
        assert!(folder.path().join("site/index.html").exists());
    }
}
