//! Turns arguments into options of the library, and refuses those that contradict each other.

use super::arguments::{Algorithm, Engine, Model, Plan, Solve};
use super::expect;
use super::failure::Failure;
use super::input;
use super::locale;
use super::memory;
use super::output::print_error;
use super::progress::Display;
use super::shared::{Logging, Memory, Progress, Resources};
use super::time;
use base::limits::{Limits, parse_size};
use base::machine;
use game::reward::OpponentModel;
use solving::solve::plan::Terms;
use solving::solve::{self, EngineChoice, Order, SolveOptions};
use solving::words::number::bytes;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The process itself is assumed to take at most the memory bound divided by this.
const OWN_SHARE: u64 = 2;
/// Bytes that a plan may always take, so that it can report that the planned run has too few.
const LEAST_OF_PLANS: u64 = 32 << 20;
/// Bytes of the program that are not loaded yet: of some eighteen mebibytes of code and constants, a run of `solve` loads
/// up to nine after its start, and the allocator keeps up to four beside what is accounted.
const LOADED_LATER: u64 = 13 << 20;

/// The limits of a run, whose time starts now.
pub fn limits(resources: &Resources) -> Result<Arc<Limits>, Failure> {
    limits_of(resources, 1).map(Arc::new)
}

/// As [`limits`], for one of `neighbours` processes on this machine.
fn limits_of(resources: &Resources, neighbours: usize) -> Result<Limits, Failure> {
    let limits = within(memory_bound(&resources.memory, neighbours)?, resources.memory.memory.is_some());
    let Some(text) = &resources.time else { return Ok(limits) };
    Ok(limits.with_time(wall_time(text)?))
}

pub fn memory_limits(memory: &Memory) -> Result<Limits, Failure> {
    Ok(within(memory_bound(memory, 1)?, memory.memory.is_some()))
}

/// As [`memory_limits`], for a plan, which takes no more memory than the planned run may and than this machine grants.
/// If the run's bound does not suffice for the plan itself, the plan may take more, and a note says so.
pub fn plan_limits(memory: &Memory) -> Result<Limits, Failure> {
    let asked = memory_bound(memory, 1)?;
    if asked < LEAST_OF_PLANS {
        let [asked, least] = [asked, LEAST_OF_PLANS].map(bytes);
        print_error(&format!("note: --memory {asked} bounds the planned run; the plan itself may take {least}\n"));
    }
    Ok(within(asked.max(LEAST_OF_PLANS).min(machine::granted_memory()), false))
}

/// The memory of one of `neighbours` processes that share that of this machine.
fn memory_bound(memory: &Memory, neighbours: usize) -> Result<u64, Failure> {
    let granted = || Ok(machine::granted_memory() / neighbours as u64);
    memory.memory.as_ref().map_or_else(granted, |text| size("--memory", text))
}

/// Limits of `memory` bytes, of which the share of the process itself is reserved. `told`: a note says so if they may be
/// exceeded, as the process itself takes more than its share.
fn within(memory: u64, told: bool) -> Limits {
    let limits = Limits::new(memory);
    let (own, share) = (own(), own_share(memory));
    if told && own > share {
        let (left, asked) = (memory - share, bytes(memory));
        let [own, left, both] = [own, left, own + left].map(bytes);
        print_error(&format!(
            "note: the program takes about {own} by itself; with {left} for its data, it may take up to {both}, more \
             than --memory {asked}\n"
        ));
    }
    limits.reserve(share).expect("the share is a part of the limit");
    limits
}

/// Bytes that the process itself takes.
fn own() -> u64 {
    memory::peak() + LOADED_LATER
}

/// What of a bound is left to the process itself: at most a part, so that small games still fit into a small bound.
fn own_share(memory: u64) -> u64 {
    own().min(memory / OWN_SHARE)
}

pub fn solve_limits(arguments: &Solve, neighbours: usize) -> Result<Arc<Limits>, Failure> {
    let limits = limits_of(&arguments.resources, neighbours)?;
    Ok(Arc::new(match disk(&arguments.disk)? {
        Some(disk) => limits.with_disk(disk),
        None => limits,
    }))
}

/// The options of a planned run, and its resources.
pub fn plan_options(arguments: &Plan) -> Result<(SolveOptions, Terms), Failure> {
    let Resources { memory, time } = &arguments.resources;
    let memory = memory_bound(memory, 1)?;
    let free = || machine::free_disk(Path::new(".")).map_or(u64::MAX, |free| free / 10 * 9);
    let disk = disk(&arguments.disk)?.unwrap_or_else(free);
    let time = time.as_ref().map(|text| wall_time(text)).transpose()?.map(|time| time.as_secs_f64());
    let (threads, scratch) = (threads(arguments.threads), scratch(&arguments.scratch)?);
    let (opponent_model, engine) = (model(arguments.opponent_model), engine(arguments.engine));
    let terms = Terms { processes: arguments.processes, threads, memory, own: own_share(memory), disk, time };
    Ok((SolveOptions { opponent_model, engine, threads, scratch, ..SolveOptions::default() }, terms))
}

fn disk(text: &Option<String>) -> Result<Option<u64>, Failure> {
    text.as_ref().map(|text| size("--disk", text)).transpose()
}

fn size(option: &str, text: &str) -> Result<u64, Failure> {
    parse_size(text)
        .ok_or_else(|| Failure::Usage(format!("{option}: `{text}` is not a size above 0, such as 512M or 8G")))
}

fn wall_time(text: &str) -> Result<Duration, Failure> {
    let wrong = || Failure::Usage(format!("--time: `{text}` is not a time such as 90s, 15m or 1h30m"));
    time::parse(text).ok_or_else(wrong)
}

fn scratch(folder: &Option<PathBuf>) -> Result<Option<PathBuf>, Failure> {
    match folder.as_deref().filter(|folder| !folder.is_dir()) {
        Some(folder) => Err(Failure::Usage(format!("--scratch: {} is not a folder", folder.display()))),
        None => Ok(folder.clone()),
    }
}

fn engine(engine: Engine) -> EngineChoice {
    match engine {
        Engine::Auto => EngineChoice::Auto,
        Engine::Symbolic => EngineChoice::Symbolic,
        Engine::Hybrid => EngineChoice::Hybrid,
    }
}

fn model(model: Model) -> OpponentModel {
    match model {
        Model::MaxOwn => OpponentModel::MaxOwn,
        Model::MaxDiff => OpponentModel::MaxDiff,
    }
}

/// The options of a run. `neighbours`: number of processes on this machine.
pub fn solve_options(arguments: &Solve, count_only: bool, neighbours: usize) -> Result<SolveOptions, Failure> {
    let engine = engine(arguments.engine);
    let algorithm = arguments.algorithm.map(|algorithm| match algorithm {
        Algorithm::Layered => solve::Algorithm::Layered,
        Algorithm::Global => solve::Algorithm::Global,
        Algorithm::Classic => solve::Algorithm::Classic,
        Algorithm::Matrix => solve::Algorithm::Matrix,
    });
    if let Some(algorithm) = algorithm.filter(|algorithm| arguments.out.is_some() && !algorithm.is_stored()) {
        let name = algorithm.name();
        return Err(Failure::Usage(format!("--out: the algorithm {name} stores nothing; layered and global do")));
    }
    let guarantee = !arguments.guarantee.is_empty();
    for (option, asked, values) in [
        ("--guarantee", guarantee, true),
        ("--ties", arguments.ties, true),
        ("--orbits", arguments.orbits, false),
        ("--distances", arguments.distances, true),
    ] {
        if let Some(algorithm) = algorithm.filter(|algorithm| asked && !algorithm.is_stored()) {
            let name = algorithm.name();
            return Err(Failure::Usage(format!("{option}: not with the algorithm {name}; layered and global do it")));
        }
        if asked && values && count_only {
            return Err(Failure::Usage(format!("{option}: count finds no values; solve and classify do")));
        }
    }
    if let Some(folder) = &arguments.out {
        expect::no_file(folder)?;
    }
    let order = match arguments.order.as_str() {
        "search" => Order::Search,
        "rules" => Order::Rules,
        path => Order::Fluents(fluents(Path::new(path))?),
    };
    let threads = match arguments.threads {
        None if !machine::is_bound() => (threads(None) / neighbours).max(1),
        asked => threads(asked),
    };
    let opponent_model = model(arguments.opponent_model);
    // The file of a plan is written from the line of best play.
    let (line, plans) = (arguments.line || arguments.plan.is_some(), arguments.plans);
    for (option, what, asked) in [
        ("--line", "a line of best play needs", arguments.line),
        ("--plan", "a plan needs", arguments.plan.is_some()),
        ("--plans", "plans need", plans),
    ] {
        if asked && count_only {
            return Err(Failure::Usage(format!("{option}: {what} values, and `count` computes none")));
        }
    }
    let scratch = scratch(&arguments.scratch)?;
    let asked =
        SolveOptions { opponent_model, threads, order, engine, algorithm, count_only, ..SolveOptions::default() };
    let (guarantees, ties, orbits) = (arguments.guarantee.clone(), arguments.ties, arguments.orbits);
    let distances = arguments.distances;
    Ok(SolveOptions { guarantees, ties, orbits, distances, line, plans, scratch, ..asked })
}

/// The number of threads; by default as many as the machine runs at once.
pub fn threads(asked: Option<u16>) -> usize {
    asked.map_or_else(|| machine::processors().unwrap_or(1), usize::from)
}

fn fluents(path: &Path) -> Result<Vec<String>, Failure> {
    let text = input::read_text(path, "the order of the variables")?;
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or("").trim());
    Ok(lines.filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// How progress is shown. By default it is hidden if it would mix with log lines.
pub fn display(progress: Progress, logging: &Logging) -> Display {
    let terminal = std::io::stderr().is_terminal() && !locale::is_plain();
    match progress {
        Progress::Always if terminal => Display::Bar,
        Progress::Always => Display::Lines,
        Progress::Auto if terminal && (logging.verbose == 0 || logging.log.is_some()) => Display::Bar,
        Progress::Auto | Progress::Never => Display::Nothing,
    }
}
