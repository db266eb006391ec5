//! How soon `ggsolve explore` answers: eight clients ask for positions of 5 × 5 Connect Four at once.
//!
//! `cargo run --release --example requests` starts a server of its own and sends 10,000 requests.

#[path = "../tests/common/http.rs"]
mod client;

use base::random::Random;
use client::{Client, encoded};
use ggsolve::{Limits, Session, SolveOptions};
use serve::explore::{Explorer, Library};
use serve::http::Server;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const CLIENTS: u64 = 8;
const REQUESTS: usize = 1250;

fn main() {
    let session = Session::default();
    let rules = session.load_file(Path::new("games/connect4_5x5.gdl")).expect("the rules are there");
    let mut library = Library::default();
    library.add("connect4", session.solution(&rules, &SolveOptions::default()).expect("the game is solved"));
    let limits = Arc::new(Limits::unlimited());
    let server = Server::bind("127.0.0.1", 0).expect("a port is free");
    let (address, shared) = (server.address(), Arc::clone(&limits));
    let explorer = Explorer::new(library, Arc::clone(&limits));
    let serving = std::thread::spawn(move || server.serve(explorer, Explorer::BOUNDS, &shared));
    let started = Instant::now();
    let clients: Vec<_> =
        (0..CLIENTS).map(|seed| std::thread::spawn(move || ask(Client::new(address), seed))).collect();
    let answers = clients.into_iter().map(|client| client.join().expect("a client gets its answers"));
    let (mut times, mut errors) = (Vec::new(), 0);
    for (taken, wrong) in answers {
        times.extend(taken);
        errors += wrong;
    }
    let elapsed = started.elapsed();
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!("{} requests by {CLIENTS} clients in {:.2} s, {errors} errors", times.len(), elapsed.as_secs_f64());
    println!("median {:.2} ms, nine of ten {:.2} ms, longest {:.1} ms", at(0.5), at(0.9), at(1.0));
    limits.interrupt();
    serving.join().expect("the server ends").expect("it went on to its end");
}

/// The time of each answer, and how many were none.
fn ask(mut client: Client, seed: u64) -> (Vec<Duration>, usize) {
    let mut random = Random::new(seed);
    let (mut times, mut errors) = (Vec::with_capacity(REQUESTS), 0);
    for _ in 0..REQUESTS {
        // Seven discs at most, so that no column is too full for them but where one has six of them.
        let columns: Vec<usize> = (0..random.below(8)).map(|_| 1 + random.below(5)).collect();
        let full = (1..=5).any(|column| columns.iter().filter(|&&other| other == column).count() > 5);
        let columns = if full { Vec::new() } else { columns };
        let moves: Vec<String> = columns.iter().map(|column| format!("(drop {column})")).collect();
        let target = format!("/api/solutions/connect4/position?moves={}", encoded(&moves.join(" ")));
        let started = Instant::now();
        let answer = client.get(&target);
        times.push(started.elapsed());
        errors += usize::from(answer.status != 200);
    }
    (times, errors)
}
