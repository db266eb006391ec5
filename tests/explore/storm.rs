//! Many requests: several clients at once, and requests that were damaged at random.
//!
//! `GGSOLVE_FUZZ_CASES=100000 cargo test --release --test explore storm` sends so many damaged ones.

use crate::client::{Client, encoded};
use crate::process::Process;
use crate::running::Running;
use base::random::Random;
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A request of somebody who looks at a game: a position, now and then something else.
fn target(random: &mut Random, name: &str, columns: usize) -> String {
    let count = random.below(9);
    let moves: Vec<String> = (0..count).map(|_| format!("(drop {})", 1 + random.below(columns))).collect();
    let moves = encoded(&moves.join(" "));
    match random.below(20) {
        0 => format!("/api/solutions/{name}/layers"),
        1 => "/api/solutions".to_owned(),
        2 => format!("/api/solutions/{name}/review?moves={moves}"),
        3 => format!("/{name}?moves={moves}"),
        _ => format!("/api/solutions/{name}/position?moves={moves}"),
    }
}

#[test]
fn eight_clients_at_once_get_every_answer() {
    const CLIENTS: usize = 8;
    const REQUESTS: usize = 1250;
    let running = Running::with(&["connect4_5x5.gdl"]);
    let answered = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for seed in 0..CLIENTS {
            let (running, answered) = (&running, &answered);
            scope.spawn(move || {
                let (mut random, mut client) = (Random::new(seed as u64), running.client());
                for _ in 0..REQUESTS {
                    let target = target(&mut random, "connect4_5x5", 5);
                    let answer = client.get(&target);
                    // Eight discs at most fit, but a column takes five and play may be over before.
                    let is_over = answer.status == 400 && target.contains("moves=");
                    assert!(answer.status == 200 || is_over, "{target}: {}", answer.text());
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(answered.into_inner(), CLIENTS * REQUESTS);
}

/// Pieces of which damaged requests are made.
const WORDS: [&str; 30] = [
    "/api/solutions",
    "/api",
    "/tictactoe",
    "/position",
    "/layers",
    "/line",
    "/reply",
    "/review",
    "/random",
    "/assets/main.js",
    "?moves=",
    "?state=",
    "&moves=",
    "&state=",
    "&distance=5",
    "&distance=99999999999999999999",
    "&layer=3",
    "&rewards=100,0",
    "(mark+1+1)",
    "(mark 2 2)",
    "(cell+1+1+b)",
    "noop",
    "(((",
    ")",
    "%28",
    "%",
    "%ff",
    "%00",
    "\u{e4}",
    "..",
];

fn damaged(random: &mut Random) -> Vec<u8> {
    let mut target = match random.below(3) {
        0 => String::new(),
        1 => "/api/solutions/tictactoe".to_owned(),
        _ => "/api/solutions/tictactoe/position?moves=(mark+1+1)".to_owned(),
    };
    for _ in 0..random.below(8) {
        target.push_str(random.choose(&WORDS).expect("there are words"));
    }
    let method = ["GET", "GET", "GET", "POST", "HEAD", "PUT", "OPTIONS", "G\u{0}T"][random.below(8)];
    let body = "(mark 1 1)\n".repeat(if method == "POST" { random.below(12) } else { 0 });
    let mut bytes = format!(
        "{method} /{} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}",
        target.trim_start_matches('/'),
        body.len()
    )
    .into_bytes();
    // Half of them are well-formed; of the others some bytes are changed, dropped or doubled.
    if random.chance(50) {
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.word() as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, bytes[at]),
            }
        }
        // What is cut short is not waited for.
        bytes.extend_from_slice(b"\r\n\r\n");
    }
    bytes
}

#[test]
fn damaged_requests_do_no_harm() {
    let cases = std::env::var("GGSOLVE_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(3000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/games/tictactoe.gdl");
    let running = Process::start(folder.path(), &[rules, "--port", "0"]);
    let mut random = Random::new(19);
    let (mut answered, mut refused) = (0usize, 0usize);
    let mut client = Client::new(running.address);
    let mut settled = None;
    for case in 0..cases {
        let bytes = damaged(&mut random);
        // A server that waits for the rest of a request is told that there is none.
        match client.exchange(&bytes) {
            Some(answer) => {
                answered += 1;
                assert!(answer.status < 500, "{:?}: {}", String::from_utf8_lossy(&bytes), answer.status);
                if answer.status >= 400
                    && answer.header("content-type").is_some_and(|kind| kind.contains("json"))
                    && !answer.body.is_empty()
                {
                    let document: Value = serde_json::from_slice(&answer.body).expect("an error is JSON");
                    assert!(document["error"]["code"].is_string());
                }
            }
            None => refused += 1,
        }
        client = Client::new(running.address);
        if case == cases / 4 {
            settled = running.memory();
        }
    }
    assert!(answered > cases / 2 && refused < cases / 3, "{answered} answers, {refused} refused");
    assert_eq!(Client::new(running.address).get("/api/solutions").status, 200);
    // What the process holds does not grow with the requests; some megabytes come and go.
    if let (Some(before), Some(after)) = (settled, running.memory()) {
        assert!(after < before + (32 << 20), "{before} bytes after a quarter, {after} at the end");
    }
    let (status, said) = running.interrupt("-INT");
    assert!(status.success() && !said.contains("panicked") && !said.contains("ERROR"), "{status} {said}");
}
