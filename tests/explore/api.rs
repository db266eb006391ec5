//! The JSON of the server, by requests, beside what the library says.

use crate::client::{Answer, Client, encoded};
use crate::running::{Running, solution};
use base::random::Random;
use ggsolve::{Solution, SolveOptions};
use serde_json::{Value, json};

fn document(answer: &Answer) -> Value {
    assert_eq!(answer.header("content-type"), Some("application/json; charset=utf-8"));
    serde_json::from_slice(&answer.body).unwrap_or_else(|error| panic!("{error}: {}", answer.text()))
}

fn found(client: &mut Client, target: &str) -> Value {
    let answer = client.get(target);
    assert_eq!(answer.status, 200, "{target}: {}", answer.text());
    document(&answer)
}

/// Status and code of an error, which has a message.
fn error(answer: &Answer) -> (u16, String) {
    let error = document(answer)["error"].clone();
    assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{error}");
    (answer.status, error["code"].as_str().expect("a code").to_owned())
}

fn moves(actions: &[String]) -> String {
    encoded(&actions.join(" "))
}

#[test]
fn solutions_are_listed() {
    let running = Running::with(&["tictactoe.gdl", "blocks.gdl"]);
    let list = found(&mut running.client(), "/api/solutions");
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|found| found["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["tictactoe", "blocks"]);
    let first = &list[0];
    assert_eq!((&first["value"], &first["states"], &first["layers"]), (&json!([50, 50]), &json!(5478), &json!(10)));
    assert_eq!((&first["game"], &first["roles"]), (&json!("tictactoe"), &json!(["xplayer", "oplayer"])));
    assert_eq!(first["rewards"], json!([[0, 100], [50, 50], [100, 0]]));
    assert_eq!(first["finished"], json!(true));
}

/// The direct road is the shortest plan, and the one through the village the cheapest.
#[test]
fn costs_are_told_and_decide_what_is_best() {
    let running = Running::with(&["planning/delivery.pddl planning/delivery-1.pddl", "blocks.gdl"]);
    let mut client = running.client();
    let place = "/api/solutions/delivery-1";
    let played = encoded("(load fish harbour) (load salt harbour)");
    let told = found(&mut client, &format!("{place}/position?moves={played}&distance=1000"));
    assert_eq!((&told["has_costs"], &told["cost"]), (&json!(true), &json!(22)));
    // Nobody is told of best moves by plies.
    let small = found(&mut client, &format!("{place}/position?moves={played}"));
    let judged = |told: &Value| -> Vec<Value> {
        let moves = told["moves"].as_array().unwrap().iter();
        moves.map(|option| json!([option["move"], option["optimal"], option["cost"]])).collect()
    };
    assert_eq!((&small["cost"], judged(&small)), (&told["cost"], judged(&told)));
    let moves: Vec<_> = told["moves"].as_array().unwrap().iter().collect();
    assert_eq!((&moves[0]["move"], &moves[0]["optimal"]), (&json!("(drive harbour village)"), &json!(true)));
    let costs: Vec<&Value> = moves.iter().map(|option| &option["cost"]).collect();
    assert_eq!(costs, [&json!(22), &json!(24), &json!(24), &json!(32)]);
    assert!(moves[1..].iter().all(|option| option["optimal"] == json!(false)));
    // A search that is cut off.
    let cut = found(&mut client, &format!("{place}/position?moves={played}&distance=1"));
    assert!(cut.get("cost").is_none() && cut["cost_at_least"].as_u64().is_some_and(|cost| cost <= 22), "{cut}");
    let line = found(&mut client, &format!("{place}/line?moves={played}"));
    assert_eq!((&line["cost"], &line["moves"][0], &line["exact"]), (&json!(22), &moves[0]["move"], &json!(true)));
    for seed in 0..10 {
        let reply = found(&mut client, &format!("{place}/reply?moves={played}&seed={seed}"));
        assert_eq!((&reply["move"], &reply["optimal"]), (&moves[0]["move"], &json!(true)));
    }
    let other = found(&mut client, "/api/solutions/blocks/position?distance=1000");
    assert_eq!((&other["has_costs"], other.get("cost")), (&json!(false), None));
}

/// Along random plays: the JSON of `query`, with what moves lead to and which cells they change.
fn compare_along_plays(client: &mut Client, name: &str, solution: &Solution, plays: usize) {
    let mut random = Random::new(7);
    for _ in 0..plays {
        let (mut position, mut actions) = (solution.start(), Vec::new());
        loop {
            let query = solution.query(&position, None).unwrap();
            let target = format!("/api/solutions/{name}/position?moves={}", moves(&actions));
            let answer = found(client, &target);
            let expected = json!(query);
            for (key, value) in expected.as_object().unwrap().iter().filter(|(key, _)| *key != "moves") {
                assert_eq!(&answer[key], value, "{key} of {target}");
            }
            let by_state = format!("/api/solutions/{name}/position?state={}", moves(&query.state));
            assert_eq!(found(client, &by_state)["state"], answer["state"]);
            assert_eq!(answer["moves"].as_array().unwrap().len(), query.moves.len());
            for (option, told) in query.moves.iter().zip(answer["moves"].as_array().unwrap()) {
                for (key, value) in json!(option).as_object().unwrap() {
                    assert_eq!(&told[key], value);
                }
                let after = solution.step(&position, &option.action).unwrap();
                let after = solution.query(&after, None).unwrap();
                assert_eq!(told["after"], json!(after.state));
                let Some(drawing) = &after.drawing else {
                    assert!(answer["board"].is_null() && told.get("changes").is_none());
                    continue;
                };
                // The board with the changes is the board after the move.
                let mut cells = answer["board"]["cells"].clone();
                for change in told["changes"].as_array().unwrap() {
                    let (row, column) = (change["row"].as_u64().unwrap(), change["column"].as_u64().unwrap());
                    let cell = &mut cells[row as usize][column as usize];
                    assert_ne!(*cell, change["sign"]);
                    *cell = change["sign"].clone();
                }
                assert_eq!(cells, json!(drawing.cells));
            }
            let Some(chosen) = random.choose(&query.moves) else { break };
            actions.push(chosen.action.clone());
            position = solution.step(&position, &chosen.action).unwrap();
        }
    }
}

#[test]
fn positions_are_those_of_queries() {
    let running = Running::with(&["tictactoe.gdl", "blocks.gdl", "hanoi.gddl"]);
    let mut client = running.client();
    for (name, game) in [("tictactoe", "tictactoe.gdl"), ("blocks", "blocks.gdl"), ("hanoi", "hanoi.gddl")] {
        compare_along_plays(&mut client, name, &solution(game), 2);
    }
    let answer = found(&mut client, "/api/solutions/tictactoe/position?moves=(mark+1+1)");
    assert_eq!(found(&mut client, "/api/solutions/tictactoe/position?moves=mark+1+1"), answer);
    assert_eq!(answer["board"]["columns"], json!(["1", "2", "3"]));
    assert_eq!(answer["board"]["cells"][0], json!(["x", ".", "."]));
    // A state and moves from there.
    let state = moves(&solution("tictactoe.gdl").query(&solution("tictactoe.gdl").start(), None).unwrap().state);
    let both = format!("/api/solutions/tictactoe/position?moves=(mark+1+1)&state={state}");
    assert_eq!(found(&mut client, &both), answer);
}

#[test]
fn distances_lines_and_replies_are_searched_for() {
    let running = Running::with(&["tictactoe.gdl"]);
    let mut client = running.client();
    let won = "moves=(mark+1+1)+(mark+1+2)";
    let answer = found(&mut client, &format!("/api/solutions/tictactoe/position?{won}&distance=100000"));
    assert_eq!(answer["distance"], json!({"plies": 5, "exact": true}));
    assert_eq!(answer["moves"][0]["distance"], json!({"plies": 5, "exact": true}));
    let plain = found(&mut client, &format!("/api/solutions/tictactoe/position?{won}"));
    assert!(plain.get("distance").is_none() && plain["moves"][0].get("distance").is_none());
    let line = found(&mut client, &format!("/api/solutions/tictactoe/line?{won}"));
    assert_eq!((line["moves"].as_array().unwrap().len(), &line["ends"]), (5, &json!(true)));
    let solution = solution("tictactoe.gdl");
    let actions: Vec<String> = serde_json::from_value(line["moves"].clone()).unwrap();
    let actions = [vec!["(mark 1 1)".to_owned(), "(mark 1 2)".to_owned()], actions].concat();
    let end = found(&mut client, &format!("/api/solutions/tictactoe/position?moves={}", moves(&actions)));
    assert_eq!((&end["terminal"], &end["value"]), (&json!(true), &json!([100, 0])));
    // The reply is a best move, unless an error is asked for.
    for seed in 0..20 {
        let reply = found(&mut client, &format!("/api/solutions/tictactoe/reply?moves=(mark+1+1)&seed={seed}"));
        assert_eq!((&reply["move"], &reply["optimal"]), (&json!("(mark 2 2)"), &json!(true)));
        let target = format!("/api/solutions/tictactoe/reply?moves=(mark+1+1)&seed={seed}&error=1");
        let reply = found(&mut client, &target);
        assert_eq!((&reply["optimal"], &reply["value"]), (&json!(false), &json!([100, 0])));
        assert_eq!(found(&mut client, &target), reply, "the same seed gives the same move");
    }
    assert_eq!(error(&client.get(&format!("/api/solutions/tictactoe/reply?moves={}", moves(&actions)))).0, 400);
    assert_eq!(error(&client.get("/api/solutions/tictactoe/reply?error=2")).0, 400);
    drop(solution);
}

#[test]
fn layers_are_those_of_solve() {
    let running = Running::with(&["tictactoe.gdl"]);
    let answer = found(&mut running.client(), "/api/solutions/tictactoe/layers");
    let session = ggsolve::Session::default();
    let rules = session.load_file(std::path::Path::new("games/tictactoe.gdl")).unwrap();
    let nowhere = ggsolve::Destination::Nowhere("a test".to_owned());
    let report = json!(session.solve(&rules, &SolveOptions::default(), &nowhere).unwrap());
    for (layer, expected) in answer["layers"].as_array().unwrap().iter().zip(report["layers"].as_array().unwrap()) {
        for key in ["layer", "states", "terminal", "buckets"] {
            let without_nodes = |value: &Value| {
                let mut value = value.clone();
                for bucket in value.as_array_mut().into_iter().flatten() {
                    bucket["nodes"] = Value::Null;
                }
                value
            };
            assert_eq!(without_nodes(&layer[key]), without_nodes(&expected[key]), "{key}");
        }
    }
    assert_eq!(answer["layers"].as_array().unwrap().len(), 10);
    let sums: Vec<&Value> = answer["buckets"].as_array().unwrap().iter().map(|bucket| &bucket["states"]).collect();
    assert_eq!(sums, [&json!(1474), &json!(1068), &json!(2936)]);
}

#[test]
fn dead_ends_are_told() {
    let running = Running::with(&["blocks.gdl"]);
    let mut client = running.client();
    // 12 of the 16 states are worth 0.
    assert_eq!(found(&mut client, "/api/solutions/blocks/layers")["dead_ends"], json!(12));
    let position = |client: &mut Client, moves: &str| {
        let found = found(client, &format!("/api/solutions/blocks/position?moves={moves}"));
        (found["dead_end"].clone(), found["outcome"].as_str().unwrap().to_owned())
    };
    assert_eq!(position(&mut client, ""), (json!(false), "100 at best for robot".to_owned()));
    let told = "a dead end: the goal can't be reached from here; 0 at best for robot";
    assert_eq!(position(&mut client, "(stack+b+c)"), (json!(true), told.to_owned()));
    // Of several players nothing is told.
    let running = Running::with(&["tictactoe.gdl"]);
    assert!(found(&mut running.client(), "/api/solutions/tictactoe/layers").get("dead_ends").is_none());
    assert!(found(&mut running.client(), "/api/solutions/tictactoe/position").get("dead_end").is_none());
}

#[test]
fn matches_are_judged() {
    let running = Running::with(&["tictactoe.gdl"]);
    let mut client = running.client();
    let text = "1. (mark 1 1)\n2. (mark 1 2)\n";
    let by_text = document(&client.post("/api/solutions/tictactoe/review", text.as_bytes()));
    assert_eq!(by_text["mistakes"], json!([2]));
    assert_eq!(by_text["moves"][1]["gives_away"], json!("draw"));
    let json = json!({"moves": [["(mark 1 1)", "noop"], ["noop", "(mark 1 2)"]]}).to_string();
    assert_eq!(document(&client.post("/api/solutions/tictactoe/review", json.as_bytes())), by_text);
    assert_eq!(found(&mut client, "/api/solutions/tictactoe/review?moves=(mark+1+1)+(mark+1+2)"), by_text);
    assert_eq!(found(&mut client, "/api/solutions/tictactoe/review?moves=mark+1+1%0Amark+1+2"), by_text);
    for wrong in ["(mark 9 9)", "{", "[[3]]", "\u{0}", "(mark"] {
        assert_eq!(error(&client.post("/api/solutions/tictactoe/review", wrong.as_bytes())).0, 400, "{wrong}");
    }
    assert_eq!(error(&client.post("/api/solutions/tictactoe/review", b"\xff\xfe\x00")).0, 400);
    assert_eq!(error(&running.client().post("/api/solutions/tictactoe/review", &[b' '; (1 << 20) + 1])).0, 413);
}

#[test]
fn what_has_no_answer_is_told_as_json() {
    let running = Running::with(&["tictactoe.gdl"]);
    let mut client = running.client();
    let position = "/api/solutions/tictactoe/position";
    for (target, expected) in [
        ("/api", (404, "not-found")),
        ("/api/", (404, "not-found")),
        ("/api/solutions/", (404, "not-found")),
        ("/api/solutions/none/position", (404, "not-found")),
        ("/api/solutions/tictactoe/none", (404, "not-found")),
        ("/api/solutions/tictactoe/position/more", (404, "not-found")),
        (&format!("{position}?moves=(mark+1+1)+(mark+1+1)"), (400, "position")),
        (&format!("{position}?moves=(mark"), (400, "position")),
        (&format!("{position}?moves=%zz%ff%00"), (400, "position")),
        (&format!("{position}?moves=(mark+%3Fx+1)"), (400, "position")),
        (&format!("{position}?state=(cell+1+1+x)"), (400, "position")),
        (&format!("{position}?state=(queen+1)"), (400, "position")),
        (&format!("{position}?state="), (400, "position")),
        (&format!("{position}?distance=many"), (400, "usage")),
        (&format!("{position}?move=(mark+1+1)"), (400, "usage")),
        (&format!("{position}?moves=(mark+1+1)&moves=(mark+1+2)"), (400, "usage")),
        (&format!("{position}?distance=-1"), (400, "usage")),
        (&format!("{position}?moves={}", "(".repeat(20_000)), (400, "position")),
        (&format!("{position}?moves={}", "(a".repeat(10_000) + &")".repeat(10_000)), (400, "position")),
    ] {
        let (status, code) = error(&client.get(target));
        assert_eq!((status, code.as_str()), expected, "{}", &target[..target.len().min(200)]);
    }
    for (target, told) in [
        ("reply?error=2", "error=2: the chance of an error is a number from 0 to 1"),
        ("puzzles?number=101", "number=101: there are at most 100 puzzles in an answer"),
        ("puzzles?draws=10001", "draws=10001: 1 to 10000 positions can be drawn"),
        ("puzzles?draws=0", "draws=0: 1 to 10000 positions can be drawn"),
        ("random?layer=7&rewards=3/2,1", "rewards: `3/2,1` is not one reward for each role, such as 100,0"),
    ] {
        let answer = client.get(&format!("/api/solutions/tictactoe/{target}"));
        assert!(answer.status == 400 && answer.text().contains(told), "{}", answer.text());
    }
    assert_eq!(error(&client.post(position, b"")), (405, "method".to_owned()));
    assert_eq!(error(&client.post("/tictactoe", b"")), (405, "method".to_owned()));
    for nowhere in ["/none", "/tictactoe/none", "/tictactoe/layers/more", "/assets/none.js", "/assets/", "/%ff", "/a/b"]
    {
        assert_eq!(error(&client.get(nowhere)), (404, "not-found".to_owned()), "{nowhere}");
    }
    // What is no request, or too long for one, has an answer in JSON, too.
    let long = "x".repeat(70_000);
    for (bytes, expected) in [
        ("rubbish\r\n\r\n".to_owned(), (400, "request")),
        ("GET / HTTP/9.9\r\n\r\n".to_owned(), (400, "request")),
        ("GET / HTTP/1.1\r\nno header\r\n\r\n".to_owned(), (400, "request")),
        (format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n"), (414, "address")),
        (format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "X: y\r\n".repeat(200)), (431, "head")),
    ] {
        let answer = running.client().exchange(bytes.as_bytes());
        let answer = answer.unwrap_or_else(|| panic!("no answer to {}", &bytes[..20.min(bytes.len())]));
        let (status, code) = error(&answer);
        assert_eq!((status, code.as_str()), expected, "{}", &bytes[..20.min(bytes.len())]);
    }
    let foreign = b"GET /api/solutions HTTP/1.1\r\nHost: example.com\r\n\r\n";
    assert_eq!(error(&client.send(foreign).unwrap()), (421, "host".to_owned()));
}

#[test]
fn the_page_has_a_policy_and_its_files() {
    let running = Running::with(&["tictactoe.gdl"]);
    let mut client = running.client();
    for (target, status) in [
        ("/", 200),
        ("/tictactoe", 200),
        ("/tictactoe?moves=(mark+1+1)", 200),
        ("/tictactoe/layers", 200),
        ("/none", 404),
        ("/tictactoe/none", 404),
        ("/assets/none.js", 404),
        ("/assets/../Cargo.toml", 404),
        ("/assets/%2e%2e/Cargo.toml", 404),
    ] {
        let head = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html,*/*;q=0.8\r\n\r\n");
        let answer = client.send(head.as_bytes()).unwrap();
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (status, Some("text/html; charset=utf-8")),
            "{target}"
        );
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }
    let main = client.get("/assets/main.js");
    assert_eq!((main.status, main.header("content-type")), (200, Some("text/javascript; charset=utf-8")));
    assert_eq!(main.header("access-control-allow-origin"), None);
}

#[test]
fn what_roles_can_force_and_what_is_not_solved_yet_is_told() {
    let all = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
    let counted = SolveOptions { count_only: true, ..SolveOptions::default() };
    let running = Running::solved_as(&[("tictactoe.gdl", all), ("nim3.gdl", counted)]);
    let mut client = running.client();
    let layers = found(&mut client, "/api/solutions/tictactoe/layers");
    let own = &layers["guarantees"]["oplayer"];
    assert_eq!(own["value"], json!(50));
    let states: u64 = own["buckets"].as_array().unwrap().iter().map(|bucket| bucket["states"].as_u64().unwrap()).sum();
    assert_eq!(states, 5478);
    let position = found(&mut client, "/api/solutions/tictactoe/position?moves=(mark+1+1)+(mark+1+2)");
    assert_eq!(position["guarantees"]["xplayer"], json!({"value": 100, "forced": true}));
    assert_eq!(position["moves"][0]["guarantees"]["xplayer"]["value"], json!(100));
    let list = found(&mut client, "/api/solutions");
    assert_eq!((&list[0]["solved"], &list[1]["solved"]), (&json!(true), &json!(false)));
    assert_eq!(list[1]["finished"], json!(false));
    let layers = found(&mut client, "/api/solutions/nim3/layers");
    assert!(layers["buckets"].is_null() && layers.get("guarantees").is_none());
    assert_eq!(error(&client.get("/api/solutions/nim3/position")), (409, "unfinished".to_owned()));
}
