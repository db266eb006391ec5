//! Games with chance and choices at the same time: their JSON beside what the library says, and the page in a browser.

use crate::browser::Browser;
use crate::client::{Answer, Client, encoded};
use crate::process::Process;
use crate::running::Running;
use base::random::Random;
use ggsolve::{Limits, SolveOptions};
use serde_json::{Value, json};
use solving::solution::{ExactLine, ExactQuery, ExactSolution, Position};

fn found(client: &mut Client, target: &str) -> Value {
    let answer = client.get(target);
    assert_eq!(answer.status, 200, "{target}: {}", answer.text());
    serde_json::from_slice(&answer.body).unwrap()
}

fn refused(answer: &Answer) -> String {
    assert_eq!(answer.status, 400, "{}", answer.text());
    serde_json::from_slice::<Value>(&answer.body).unwrap()["error"]["message"].as_str().unwrap().to_owned()
}

/// A shipped game as the library has it.
fn solution(game: &str, folder: &std::path::Path) -> ExactSolution {
    let session = ggsolve::Session::default();
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(game);
    let rules = session.load_file(&file).unwrap();
    let destination = ggsolve::Destination::Folder { folder: folder.to_owned(), force: false };
    session.solve(&rules, &SolveOptions::default(), &destination).unwrap();
    ExactSolution::open(folder, &Limits::unlimited()).unwrap()
}

/// The line and the reasons that `query --why` has of a position.
fn explained(solution: &ExactSolution, position: &Position) -> ExactQuery {
    let mut query = solution.query(position).unwrap();
    solution.explain(&mut query, position, &Limits::unlimited()).unwrap();
    query
}

/// The same as an answer of the server.
fn why(solution: &ExactSolution, position: &Position) -> Value {
    let query = explained(solution, position);
    let mut line = json!(query.line);
    line["reasons"] = json!(query.reasons);
    line
}

#[test]
fn rules_are_solved_first() {
    let folder = tempfile::tempdir().unwrap();
    let rules = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("games/hide_and_seek.gdl");
    let process = Process::start(folder.path(), &[&rules.to_string_lossy(), "--port", "0"]);
    let told = found(&mut Client::new(process.address), "/api/solutions/hide_and_seek/position");
    assert_eq!(told["value"], json!(["100/7", "600/7"]));
    let (status, said) = process.interrupt("-INT");
    assert!(status.success() && said.contains("hide_and_seek.ggs: 100/7 (about 14.285714) for seeker"), "{said}");
}

#[test]
fn positions_along_plays_are_those_of_query() {
    let games = ["goofspiel_4_random", "pig_8", "duel_5", "tictactoe_simultaneous"];
    let files: Vec<String> = games.iter().map(|game| format!("{game}.gdl")).collect();
    let running = Running::with(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let mut client = running.client();
    let list = found(&mut client, "/api/solutions");
    let after = |client: &mut Client, moves| {
        found(client, &format!("/api/solutions/tictactoe_simultaneous/position?moves={}", encoded(moves)))
    };
    let words = after(&mut client, "(mark 1 1) (mark 2 2)");
    assert_eq!(after(&mut client, "mark 1 1\nmark 2 2"), words, "a line may be a move");
    for (index, (name, file)) in games.iter().zip(&files).enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let solution = solution(file, &folder.path().join("other.ggs"));
        let first = solution.query(&solution.start()).unwrap();
        assert_eq!((&list[index]["value"], &list[index]["exact"]), (&json!(first.value), &json!(true)), "{name}");
        assert_eq!(list[index]["roles"], json!(first.roles));
        let (mut position, mut actions, mut random) = (solution.start(), Vec::new(), Random::new(index as u64));
        loop {
            let played = encoded(&actions.join(" "));
            let told = found(&mut client, &format!("/api/solutions/{name}/position?moves={played}"));
            let query = solution.query(&position).unwrap();
            for (key, value) in json!(query).as_object().unwrap().iter().filter(|(key, _)| *key != "moves") {
                assert_eq!(&told[key], value, "{name}: {key}");
            }
            for (option, told) in query.moves.iter().zip(told["moves"].as_array().unwrap()) {
                assert_eq!((&told["value"], &told["joint"]), (&json!(option.value), &json!(option.joint)));
                assert_eq!(told["after"], json!(solution.solution().state_names(&option.after.state)));
            }
            let review = found(&mut client, &format!("/api/solutions/{name}/review?moves={played}"));
            let shown: Vec<&str> =
                review["moves"].as_array().unwrap().iter().map(|ply| ply["move"].as_str().unwrap()).collect();
            assert_eq!(shown, actions, "the shown moves lead to the same");
            let line = found(&mut client, &format!("/api/solutions/{name}/line?moves={played}"));
            assert_eq!(line, why(&solution, &position), "{name}: {played}");
            let Some(chosen) = random.choose(&query.moves) else { break };
            let reply = found(&mut client, &format!("/api/solutions/{name}/reply?moves={played}&seed=1"));
            let same = query.moves.iter().find(|option| json!(option.joint) == reply["joint"]).expect("it is legal");
            assert!(
                same.optimal && reply["move"] == json!(same.action) && reply["value"] == json!(same.value),
                "{reply}"
            );
            position = chosen.after.clone();
            actions.push(chosen.action.clone());
        }
    }
}

#[test]
fn layers_have_values_or_ranges_and_random_states_of_them() {
    let running = Running::with(&["rock_paper_scissors.gdl", "pig_8.gdl"]);
    let mut client = running.client();
    let few = found(&mut client, "/api/solutions/rock_paper_scissors/layers");
    assert_eq!(few["buckets_by"], "value");
    let many = found(&mut client, "/api/solutions/pig_8/layers");
    assert_eq!(many["buckets_by"], "range");
    let mut asked = 0;
    for (name, layers) in [("rock_paper_scissors", few), ("pig_8", many)] {
        for layer in layers["layers"].as_array().unwrap() {
            for bucket in layer["buckets"].as_array().unwrap().iter().take(3) {
                let value = match bucket["range"].as_array() {
                    Some(range) => format!("range={}", range[0]),
                    None => {
                        let text = |number: &Value| number.as_str().map_or_else(|| number.to_string(), str::to_owned);
                        let numbers = bucket["rewards"].as_array().unwrap().iter().map(text);
                        format!("rewards={}", encoded(&numbers.collect::<Vec<_>>().join(",")))
                    }
                };
                let number = &layer["layer"];
                let drawn = client.get(&format!("/api/solutions/{name}/random?layer={number}&{value}&seed=3"));
                let drawn: Value = serde_json::from_slice(&drawn.body).unwrap();
                let names: Vec<&str> =
                    drawn["state"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
                let state = encoded(&names.join(" "));
                let told = found(&mut client, &format!("/api/solutions/{name}/position?state={state}"));
                match bucket["range"].as_array() {
                    None => assert_eq!(told["value"], bucket["rewards"]),
                    Some(range) => {
                        let (own, end) = (told["value_float"][0].as_f64().unwrap(), range[1].as_f64().unwrap());
                        assert!(own >= range[0].as_f64().unwrap() && (own < end || end == 100.0), "{told}");
                    }
                }
                asked += 1;
            }
        }
    }
    assert!(asked > 20, "{asked}");
    assert!(refused(&client.get("/api/solutions/pig_8/random?layer=1&rewards=1/0")).contains("rewards"));
    // A value that no state has is known not to be there.
    for value in ["rewards=1/7,2/7", "range=90"] {
        let answer = client.get(&format!("/api/solutions/rock_paper_scissors/random?layer=0&{value}"));
        assert!(
            answer.status == 404 && answer.text().contains("no state of layer 0 has that value"),
            "{}",
            answer.text()
        );
    }
}

/// A game without a single value.
pub const DILEMMA: &str = "(role ann) (role bob) (init (at start)) (mood kind) (mood hard)
    (<= (legal ?r (be ?m)) (role ?r) (mood ?m))
    (<= (next (at (end ?a ?b))) (does ann (be ?a)) (does bob (be ?b))) (<= terminal (true (at (end ?a ?b))))
    (pays kind kind 60) (pays kind hard 0) (pays hard kind 100) (pays hard hard 20)
    (<= (goal ann ?r) (true (at (end ?a ?b))) (pays ?a ?b ?r)) (<= (goal bob ?r) (true (at (end ?a ?b))) (pays ?b ?a ?r))";

#[test]
fn without_a_single_value_what_roles_can_force_is_told() {
    let options = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dilemma.ggs");
    let session = ggsolve::Session::default();
    let destination = ggsolve::Destination::Folder { folder: path.clone(), force: false };
    session.solve(&session.load(ggsolve::Source::new("g", DILEMMA.as_bytes())), &options, &destination).unwrap();
    let running = Running::opened("dilemma", session.open_any(&path).unwrap(), folder);
    let mut client = running.client();
    let told = found(&mut client, "/api/solutions/dilemma/position");
    assert_eq!((&told["value"], &told["outcome"]), (&Value::Null, &json!("ann can force 20, bob can force 20")));
    assert_eq!(found(&mut client, "/api/solutions/dilemma/review?moves=(be+kind)+(be+hard)")["finished"], true);
    for asked in ["line", "puzzles"] {
        assert!(refused(&client.get(&format!("/api/solutions/dilemma/{asked}"))).contains("no single value"));
    }
    let reply = found(&mut client, "/api/solutions/dilemma/reply");
    // How good it is nobody knows.
    assert_eq!((&reply["joint"], &reply["optimal"]), (&json!(["(be hard)", "(be hard)"]), &json!(null)));
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&format!("{}dilemma", running.url));
    // A table of what each joint move lets both force.
    browser.wait("document.querySelectorAll('.matrix .entry').length === 4");
    assert_eq!(browser.text("document.querySelector('.matrix h2').innerText"), "What ann, bob can force");
    for option in told["moves"].as_array().unwrap() {
        let [ann, bob] = ["ann", "bob"].map(|role| &option["guarantees"][role]["value"]);
        let entry = format!(
            "[data-cell-of='{} {}']",
            option["joint"][0].as_str().unwrap(),
            option["joint"][1].as_str().unwrap()
        );
        let shown = browser.text(&format!("document.querySelector(\"{entry}\").innerText"));
        assert_eq!(shown, format!("{ann}, {bob}"));
    }
    browser.click("[data-cell-of='(be hard) (be kind)']");
    browser.wait("document.querySelector('.status').innerText === 'Play is over: 100 for ann, 0 for bob'");
    browser.open(&format!("{}dilemma", running.url));
    browser.click("[data-of=ann][data-move='(be kind)']");
    browser.click("[data-of=bob][data-move='(be hard)']");
    browser.wait("document.querySelector('.status').innerText.startsWith('Play is over')");
    assert_eq!(browser.complaints, [""; 0]);
}

/// Three players vote beside a coin: those who are outvoted get nothing, and the coin doubles what one of them gets.
const VOTE: &str = "(role ann) (role bob) (role cat) (role random) (init (at start)) (vote yes) (vote no)
    (<= (legal ann ?v) (vote ?v)) (<= (legal bob ?v) (vote ?v)) (<= (legal cat ?v) (vote ?v))
    (legal random heads) (legal random tails)
    (<= (next (got ann 0)) (does ann ?v) (does bob ?w) (does cat ?w) (distinct ?v ?w))
    (<= (next (got ann 25)) (does ann ?v) (does bob ?v) (does random heads))
    (<= (next (got ann 25)) (does ann ?v) (does cat ?v) (does random heads))
    (<= (next (got ann 50)) (does ann ?v) (does bob ?v) (does random tails))
    (<= (next (got ann 50)) (does ann ?v) (does cat ?v) (does random tails))
    (<= (next over) (true (at start))) (<= terminal (true over)) (<= (goal ann 100) (not (true over)))
    (<= (goal ann ?r) (true (got ann ?r))) (goal bob 10) (<= (goal cat 100) (true (got ann 0)))
    (<= (goal cat 0) (not (true (got ann 0))))";

#[test]
fn joint_moves_of_many_have_a_table_of_means_over_chance() {
    let options = SolveOptions { guarantees: vec!["ann".to_owned(), "cat".to_owned()], ..SolveOptions::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vote.ggs");
    let session = ggsolve::Session::default();
    let destination = ggsolve::Destination::Folder { folder: path.clone(), force: false };
    session.solve(&session.load(ggsolve::Source::new("vote", VOTE.as_bytes())), &options, &destination).unwrap();
    let running = Running::opened("vote", session.open_any(&path).unwrap(), folder);
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&format!("{}vote", running.url));
    browser.wait("document.querySelectorAll('.matrix .entry').length === 8");
    let entry = |votes: &str| format!("document.querySelector(\"[data-cell-of='{votes}']\").innerText");
    for (votes, told) in [("yes yes no", "75/2, 0"), ("yes no no", "0, 100"), ("no no no", "75/2, 0")] {
        assert_eq!(browser.text(&entry(votes)), told, "{votes}");
    }
    // An entry is the moves of all players; chance is still to be drawn.
    browser.click("[data-cell-of='yes no no']");
    assert_eq!(browser.value("document.querySelectorAll('.part [aria-pressed=true]').length"), json!(3));
    browser.click("[data-of=random][data-move=heads]");
    browser.wait("document.querySelector('.status').innerText.startsWith('Play is over: 0 for ann')");
    for width in [320, 1280] {
        browser.size(width, 800);
        assert_eq!(browser.value("document.documentElement.scrollWidth"), json!(width));
    }
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn a_matrix_is_shown_and_played() {
    let Some(mut browser) = Browser::start() else { return };
    let running = Running::with(&["hide_and_seek.gdl"]);
    browser.open(&running.url);
    browser.click("a[data-name=hide_and_seek]");
    browser.wait("document.querySelectorAll('.matrix .entry').length > 0");
    let folder = tempfile::tempdir().unwrap();
    let solution = solution("hide_and_seek.gdl", &folder.path().join("other.ggs"));
    let query = solution.query(&solution.start()).unwrap();
    let entries = browser.value("[...document.querySelectorAll('.matrix .entry')].map(entry => entry.innerText)");
    let expected: Vec<String> =
        query.matrix.iter().flatten().flatten().map(|value| value.numbers()[0].to_string()).collect();
    assert_eq!(entries, json!(expected));
    let likely = "[...document.querySelectorAll('.part .move')].map(move => move.dataset.likely)";
    let told: Vec<String> = query.strategies.values().flatten().map(|mixed| mixed.probability.0.to_string()).collect();
    assert_eq!(browser.value(likely), json!(told));
    let status = browser.text("document.querySelector('.status').innerText");
    assert!(status.starts_with("seeker and hider choose at the same time: "), "{status}");
    // What moves are worth can be hidden.
    browser.click("#hide");
    assert_eq!(browser.value("document.querySelectorAll('.matrix .entry, .part .likely').length"), json!(0));
    browser.click("#hide");
    // A move of one, and Escape; then a move of each.
    let name = |player: usize, place: usize| query.strategies[player][place].action.clone();
    let part = |role: &str, action: &str| format!("[data-of={role}][data-move='{action}']");
    browser.click(&part("seeker", &name(0, 1)));
    assert_eq!(browser.value("document.querySelectorAll('.part [aria-pressed=true]').length"), json!(1));
    browser.value("document.activeElement.blur()");
    browser.key("Escape");
    assert_eq!(browser.value("document.querySelectorAll('.part [aria-pressed=true]').length"), json!(0));
    browser.click(&part("seeker", &name(0, 0)));
    browser.click(&part("hider", &name(1, 1)));
    browser.wait("document.querySelector('.status').innerText.startsWith('Play is over')");
    assert!(browser.text("document.querySelector('.plies').innerText").contains(&format!(
        "({} {})",
        name(0, 0),
        name(1, 1)
    )));
    // An entry of the matrix is both moves.
    browser.value("history.back()");
    browser.wait("document.querySelectorAll('.matrix .entry').length > 0");
    browser.click(".matrix .entry");
    browser.wait("document.querySelector('.status').innerText.startsWith('Play is over')");
    // Against the program, which draws when the own move is made.
    browser.open(&format!("{}hide_and_seek", running.url));
    browser.wait("document.querySelectorAll('.matrix .entry').length > 0");
    browser.click("#against");
    browser.click(&part("seeker", &name(0, 0)));
    browser.wait("document.querySelector('.status').innerText.startsWith('Play is over')");
    browser.open(&format!("{}hide_and_seek/layers", running.url));
    browser.wait("document.querySelectorAll('.bar').length > 0");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn chance_is_shown_and_drawn() {
    let Some(mut browser) = Browser::start() else { return };
    let running = Running::with(&["pig_8.gdl"]);
    browser.open(&format!("{}pig_8", running.url));
    browser.wait("document.querySelectorAll('button.move').length > 0");
    browser.click("[data-move=roll]");
    browser.wait("document.querySelector('.status').innerText.startsWith('Chance moves')");
    let likely = "[...document.querySelectorAll('button.move .likely')].map(found => found.innerText)";
    assert_eq!(browser.value(likely), json!(["1/4 (0.25)", "1/4 (0.25)", "1/4 (0.25)", "1/4 (0.25)"]));
    assert_eq!(
        browser.value("document.querySelectorAll('button.move.best').length"),
        json!(0),
        "chance has no best move"
    );
    browser.click("[data-draw]");
    browser.wait("document.querySelectorAll('.plies .ply').length === 2");
    browser.wait("document.querySelector('.chart') !== null");
    // The program throws for chance and plays the other side, which may win before it passes the dice.
    browser.click("#against");
    browser.wait("/^(first to move|Play is over)/.test(document.querySelector('.status').innerText)");
    browser.open(&format!("{}pig_8/layers", running.url));
    browser.wait("document.querySelectorAll('.bar').length > 0");
    let text = browser.text("document.querySelector('#main').innerText");
    assert!(text.contains("30–40") && !text.contains("NaN") && !text.contains("undefined"), "{text}");
    browser.click("button.main");
    browser.wait("document.querySelector('.status') !== null");
    assert_eq!(browser.complaints, [""; 0]);
}

/// What the page says of the reason that was asked for.
const LOSES: &str = "document.querySelector('.explained .loses')?.innerText ?? ''";

#[test]
fn reasons_are_told_up_to_chance() {
    let Some(mut browser) = Browser::start() else { return };
    let running = Running::with(&["pig_8.gdl"]);
    let folder = tempfile::tempdir().unwrap();
    let solution = solution("pig_8.gdl", &folder.path().join("other.ggs"));
    let query = explained(&solution, &solution.follow(&solution.start(), "roll (throw 2)").unwrap());
    let (line, reasons) = (query.line.unwrap(), &query.reasons["first"]);
    let [reason] = reasons.as_slice() else { panic!("one of two moves is worse: {reasons:?}") };
    browser.open(&format!("{}pig_8?moves=roll+(throw+2)", running.url));
    // Best play up to the die, and what that comes to.
    browser.wait("document.querySelectorAll('section.line .outcomes li').length > 0");
    let plies = "[...document.querySelectorAll('section.line .ply')].map(ply => ply.innerText)";
    assert_eq!(browser.value(plies), json!(line.moves));
    let likely =
        |of: &str| format!("[...document.querySelectorAll('{of} .outcomes li')].map(one => one.dataset.likely)");
    let told =
        |line: &ExactLine| json!(line.outcomes.iter().map(|one| one.probability.0.to_string()).collect::<Vec<_>>());
    assert_eq!(browser.value(&likely("section.line")), told(&line));
    assert!(browser.text("document.querySelector('section.line').innerText").contains("then random decides"));
    // Only the worse move has a question mark.
    let asked = "[...document.querySelectorAll('[data-why]')].map(found => found.dataset.why)";
    assert_eq!(browser.value(asked), json!([reason.action]));
    browser.click("[data-why=hold]");
    browser.wait(&format!("({LOSES}).startsWith('first loses ')"));
    assert!(browser.text(LOSES).contains(" on average. It comes to first "));
    assert_eq!(browser.value(&likely(".explained")), told(&reason.follows));
    // A second click closes it. What is hidden has no reasons.
    browser.click("[data-why=hold]");
    browser.wait("document.querySelector('.explained') === null");
    browser.click("[data-why=hold]");
    browser.click(".explained .ply");
    browser.wait("new URLSearchParams(location.search).get('moves') === 'roll (throw 2) hold roll'");
    browser.settle();
    browser.click("#hide");
    assert_eq!(browser.value("document.querySelectorAll('[data-why], .outcomes li').length > 0 && !document.querySelector('section.line').hidden"), json!(false));
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn reasons_of_choices_at_the_same_time_have_the_best_answer() {
    let Some(mut browser) = Browser::start() else { return };
    let running = Running::with(&["goofspiel_4.gdl"]);
    browser.open(&format!("{}goofspiel_4", running.url));
    browser.wait("document.querySelectorAll('[data-why]').length > 0");
    let folder = tempfile::tempdir().unwrap();
    let solution = solution("goofspiel_4.gdl", &folder.path().join("other.ggs"));
    let query = explained(&solution, &solution.start());
    let asked = "[...document.querySelectorAll('[data-why]')].map(found => `${found.dataset.of} ${found.dataset.why}`)";
    let each = query
        .reasons
        .iter()
        .flat_map(|(role, reasons)| reasons.iter().map(move |one| format!("{role} {}", one.action)));
    assert_eq!(browser.value(asked), json!(each.collect::<Vec<_>>()));
    // Moves of both have the same names; the answer stands with the one that was asked about.
    browser.click("[data-why='(bid 2)'][data-of=second]");
    browser.wait(&format!("({LOSES}).startsWith('second loses 50/9 ')"));
    assert_eq!(browser.value("document.querySelectorAll('[data-role=first] .explained').length"), json!(0));
    let reply = browser.text("document.querySelector('.explained .reply').innerText");
    assert!(reply.starts_with("Answered best by (bid 1) of first: first 500/9"), "{reply}");
    assert_eq!(browser.value("document.querySelectorAll('.explained .outcomes li').length"), json!(1));
    for width in [320, 390, 1280] {
        browser.size(width, 800);
        assert_eq!(browser.value("document.documentElement.scrollWidth"), json!(width));
    }
    assert_eq!(browser.complaints, [""; 0]);
}

const VERDICT: &str = "document.querySelector('.answer:not([hidden]) .verdict')?.innerText ?? ''";

#[test]
fn puzzles_are_guessed_and_explained() {
    let running = Running::with(&["pig_8.gdl"]);
    let told = found(&mut running.client(), "/api/solutions/pig_8/puzzles?seed=1&number=3");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.ggs");
    let solution = solution("pig_8.gdl", &path);
    let options = api::puzzles::Options { number: 3, layer: None, draws: 1_000, seed: 1 };
    let expected = ggsolve::Session::default().puzzles(&path, &options).unwrap();
    assert_eq!(told["puzzles"], json!(expected.puzzles));
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&format!("{}pig_8", running.url));
    browser.click("nav a[href='/pig_8/puzzles']");
    browser.wait("document.querySelector('.training .options [data-move]') !== null");
    browser.open(&format!("{}pig_8/puzzles?seed=1&puzzle=1", running.url));
    browser.wait("document.querySelectorAll('.options [data-move]').length === 2");
    let shown = "document.querySelectorAll('.rewards, .move.best, [data-value], [data-why]').length";
    assert_eq!(browser.value(shown), json!(0), "nothing tells the answer");
    let puzzle = &expected.puzzles[0];
    let wrong = &puzzle.moves.iter().find(|one| one.action != puzzle.solution).unwrap().action;
    browser.click(&format!(".options [data-move='{wrong}']"));
    browser.wait(&format!("({VERDICT}).startsWith('Wrong: after {wrong} it is ')"));
    // Best play, and why the guess is worse.
    browser.wait("document.querySelectorAll('.answer .outcomes').length === 2");
    let query = explained(&solution, &solution.position(&puzzle.state.join(" ")).unwrap());
    let plies = "[...document.querySelectorAll('.answer ol.plies')].map(line => [...line.querySelectorAll('.ply')].map(ply => ply.innerText))";
    let follows = &query.reasons[&puzzle.to_move][0].follows;
    assert_eq!(browser.value(plies), json!([query.line.unwrap().moves, follows.moves]));
    let loses = browser.text("document.querySelector('.answer .loses').innerText");
    assert!(loses.starts_with(&format!("{} loses ", puzzle.to_move)), "{loses}");
    // A move leads on once it was answered.
    browser.click(".options .move.best");
    browser.wait("document.querySelector('.course .ply') !== null");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn puzzles_beside_chance_have_the_moves_of_the_player() {
    let Some(mut browser) = Browser::start() else { return };
    let rules = "(role white) (role random) (init (at start)) (<= (legal white throw) (true (at start)))
        (<= (legal white leave) (true (at start))) (<= (legal white wait) (not (true (at start))))
        (legal random (die 1)) (legal random (die 2)) (legal random (die 3)) (pays 1 0) (pays 2 25) (pays 3 100)
        (<= (next (at (end ?r))) (does white throw) (does random (die ?n)) (pays ?n ?r))
        (<= (next (at (end 40))) (does white leave)) (<= terminal (true (at (end ?r))))
        (<= (goal white ?r) (true (at (end ?r))))";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dice.ggs");
    let session = ggsolve::Session::default();
    let destination = ggsolve::Destination::Folder { folder: path.clone(), force: false };
    let rules = session.load(ggsolve::Source::new("dice", rules.as_bytes()));
    session.solve(&rules, &SolveOptions::default(), &destination).unwrap();
    let running = Running::opened("dice", session.open_any(&path).unwrap(), folder);
    browser.open(&format!("{}dice/puzzles?seed=1&puzzle=1", running.url));
    browser.wait("document.querySelectorAll('.options [data-move]').length === 2");
    browser.click(".options [data-move=leave]");
    browser.wait(&format!("({VERDICT}).startsWith('Wrong: after leave it is ')"));
    browser.wait("document.querySelectorAll('.answer .outcomes').length === 2");
    let loses = browser.text("document.querySelector('.answer .loses').innerText");
    assert!(loses.starts_with("white loses 5/3 ") && loses.ends_with(" It comes to white 40."), "{loses}");
    // On the page of the position the question mark stands beside the player's move.
    browser.click(".options [data-move=throw]");
    browser.wait("document.querySelector('[data-why=leave][data-of=white]') !== null");
    assert_eq!(
        browser.text("document.querySelector('[data-move=throw][data-of=white]').innerText.replace(/\\s+/g, ' ')"),
        "★ throw"
    );
    assert_eq!(browser.text("document.querySelector('[data-move=leave][data-of=white]').innerText"), "leave");
    browser.click("[data-why=leave]");
    browser.wait(&format!("({LOSES}).startsWith('white loses 5/3 ')"));
    assert_eq!(browser.complaints, [""; 0]);
}
