//! `player`: matches on general game playing servers.

use super::super::arguments;
use super::super::failure::Failure;
use super::super::{files, interrupt, options};
use super::serving;
use base::random::new_seed;
use serve::player::{BOUNDS, Player, Service, Settings};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const PORT: u16 = 9147;
/// Divisor of the free memory: this part is for messages while they are read.
const SHARE: u64 = 8;
/// Bound on the bytes of this part.
const MESSAGES: u64 = 128 << 20;
const PATIENCE: Duration = Duration::from_secs(60);
/// Time between two checks for a silent match or an interruption.
const TICK: Duration = Duration::from_millis(200);

pub fn run(arguments: &arguments::Player) -> Result<(), Failure> {
    let limits = options::limits(&arguments.resources)?;
    // The player accounts for the memory of its matches itself. The rest is for messages while they are read.
    let memory = limits.free() - (limits.free() / SHARE).min(MESSAGES);
    limits.reserve(memory).expect("less than is free");
    let settings = Settings {
        name: name(&arguments.name)?,
        solutions: arguments.solutions.as_deref().map(folder).transpose()?.map(Path::to_owned),
        memory,
        threads: options::threads(arguments.threads),
        margin: arguments.margin.map(margin).transpose()?,
        patience: PATIENCE,
        seed: arguments.seed.unwrap_or_else(new_seed),
    };
    let server = serving::listen(&arguments.listen, PORT)?.by_any_name();
    interrupt::watch(&limits)?;
    let temporary = |error| Failure::InputOutput(format!("temporary files cannot be made: {error}"));
    let player = Arc::new(Player::new(settings).map_err(temporary)?);
    let served = std::thread::scope(|scope| {
        let serve = || serving::serve(server, Service(Arc::clone(&player)), BOUNDS, &limits);
        let served = std::thread::Builder::new().spawn_scoped(scope, serve).map_err(no_thread)?;
        while !served.is_finished() {
            std::thread::sleep(TICK);
            player.tick();
            if limits.check().is_err() {
                // Waiting servers learn that the match is over.
                player.close();
            }
        }
        served.join().expect("the server does not panic")
    });
    player.finish();
    served
}

fn no_thread(error: std::io::Error) -> Failure {
    Failure::InputOutput(format!("no thread can be started: {error}\n  try again with fewer programs running"))
}

fn name(name: &str) -> Result<String, Failure> {
    let foreign = |c: char| c.is_whitespace() || c.is_control() || "();".contains(c);
    match name.is_empty() || name.contains(foreign) {
        true => Err(Failure::Usage(format!("--name: `{name}` is not one word without parentheses"))),
        false => Ok(name.to_owned()),
    }
}

fn folder(folder: &Path) -> Result<&Path, Failure> {
    match std::fs::read_dir(folder) {
        Ok(_) => Ok(folder),
        Err(error) => Err(Failure::InputOutput(format!("--solutions: {}", files::no_folder(folder, &error)))),
    }
}

fn margin(seconds: f64) -> Result<Duration, Failure> {
    let wrong = |_| Failure::Usage(format!("--margin: {seconds} is no number of seconds"));
    Duration::try_from_secs_f64(seconds).map_err(wrong)
}
