//! The addresses under `/api`, and their answers.

use super::answers::{self, Layers, Listed};
use super::error::{ApiError, JSON};
use super::exact;
use super::explorer::Explorer;
use super::library::Entry;
use crate::http::{Request, Response};
use api::play;
use api::review::{self, Record};
use api::session::PuzzleReport;
use base::random::{Random, new_seed};
use game::propositional::RoleId;
use game::reward;
use serde::Serialize;
use serde_json::json;
use solving::solution::{Among, Opened, Position, ReadError, Solution, moves, terms};
use solving::solve::Silent;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bound on the positions that a search for distances keeps, of some hundred bytes each.
const MOST_POSITIONS: usize = 200_000;
const SEARCH: Duration = Duration::from_secs(3);
/// Number of puzzles in an answer by default, and the largest number.
const PUZZLES: usize = 20;
const MOST_PUZZLES: usize = 100;
/// Number of positions drawn to find puzzles by default, and the largest number.
const DRAWS: u64 = 1_000;
const MOST_DRAWS: u64 = 10_000;
/// Bound on the positions that the search for a reply of the program keeps.
const REPLY_POSITIONS: usize = 20_000;

/// The answer to a request. `path`: the address after `/api/`.
pub fn answer(explorer: &Explorer, path: &[&str], request: &Request) -> Result<Response, ApiError> {
    let (entry, asked) = match path {
        ["solutions"] => {
            let list: Vec<Listed> = explorer.library.entries().iter().map(Listed::new).collect();
            return get(request, || Ok(document(&list)));
        }
        ["solutions", name, asked] => {
            let missing = || ApiError::missing(format!("there is no solution {name}; /api/solutions lists them"));
            (explorer.library.find(name).ok_or_else(missing)?, *asked)
        }
        _ => return Err(unknown()),
    };
    let known: &[&str] = match asked {
        "position" => &["state", "moves", "distance"],
        "line" | "review" => &["state", "moves"],
        "puzzles" => &["number", "layer", "draws", "seed"],
        "random" => &["layer", "rewards", "range", "seed"],
        "reply" => &["state", "moves", "error", "seed"],
        "layers" => &[],
        _ => return Err(unknown()),
    };
    if let Some(name) = request.wrong_parameter(known) {
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(ApiError::wrong(format!(
            "`{name}` is no parameter of {asked}, or is there twice; it takes {known}"
        )));
    }
    let solution = match &entry.solution {
        Opened::Rewards(solution) => &**solution,
        Opened::Exact(exact) if !matches!(asked, "layers" | "puzzles") => {
            return exact::answer(explorer, exact, asked, request);
        }
        Opened::Exact(exact) => exact.solution(),
    };
    match asked {
        "position" => get(request, || position(explorer, solution, request)),
        "layers" => get(request, || layers(entry)),
        "puzzles" => get(request, || explorer.search(|| puzzles(explorer, entry, request))),
        "line" => get(request, || explorer.search(|| line(explorer, solution, request))),
        "random" => get(request, || explorer.search(|| random(explorer, solution, request))),
        "reply" => get(request, || explorer.search(|| reply(solution, request))),
        "review" if request.method == "POST" => review(explorer, solution, request),
        "review" => get(request, || review(explorer, solution, request)),
        _ => Err(unknown()),
    }
}

pub(super) fn unknown() -> ApiError {
    let known = "/api/solutions, and position, layers, line, puzzles, random, reply and review of /api/solutions/NAME";
    ApiError::missing(format!("there is nothing at this address; there are {known}"))
}

/// Answers a request to an address that can only be read.
pub(super) fn get(request: &Request, work: impl FnOnce() -> Result<Response, ApiError>) -> Result<Response, ApiError> {
    match request.method.as_str() {
        "GET" | "HEAD" => work(),
        _ => Ok(not_allowed(request, "GET, HEAD")),
    }
}

pub fn not_allowed(request: &Request, allowed: &'static str) -> Response {
    let message = format!("{} is not allowed here; allowed are {allowed}", request.method);
    ApiError { status: 405, code: "method", message }.response().with("allow", allowed)
}

pub(super) fn document(answer: &impl Serialize) -> Response {
    let text = serde_json::to_string(answer).expect("an answer has texts as keys, and nothing else can fail");
    Response::new(200, JSON, text.into_bytes()).with("cache-control", "no-store")
}

/// The state that a request names, or the initial state.
pub(super) fn start(solution: &Solution, request: &Request) -> Result<Position, ApiError> {
    match request.parameter("state") {
        Some(state) => Ok(solution.position(&terms(&state)?)?),
        None => Ok(solution.start()),
    }
}

/// The position after the moves of the request, which start from its state or from the initial state.
fn reached(solution: &Solution, request: &Request) -> Result<Position, ApiError> {
    let start = start(solution, request)?;
    let steps = solution.follow(&start, &request.parameter("moves").unwrap_or_default())?;
    Ok(steps.into_iter().last().map_or(start, |step| step.successor))
}

pub(super) fn number<T: std::str::FromStr>(request: &Request, name: &str) -> Result<Option<T>, ApiError> {
    let Some(text) = request.parameter(name) else { return Ok(None) };
    text.parse().map(Some).map_err(|_| ApiError::wrong(format!("{name}: `{text}` is no number that fits here")))
}

/// A position. The parameter `distance` asks for distances to the end, by a search that keeps this number of positions.
/// For a single player whose moves have costs, the costs of plans are added.
fn position(explorer: &Explorer, solution: &Solution, request: &Request) -> Result<Response, ApiError> {
    let position = reached(solution, request)?;
    let assessed = solution.assess(&position)?;
    let limit =
        number::<usize>(request, "distance")?.filter(|&limit| limit != 0).map(|limit| limit.min(MOST_POSITIONS));
    let searched = || {
        let until = request.deadline.min(Instant::now() + SEARCH);
        let found =
            limit.map(|limit| solution.distances_until(&assessed, limit, until, &explorer.limits)).transpose()?;
        let mut query = solution.ranked(&assessed, found.flatten())?;
        solution.add_plans(&mut query, &position, false, limit.unwrap_or(REPLY_POSITIONS), &explorer.limits)?;
        Ok(query)
    };
    let query = match limit {
        None if !solution.has_costs() => solution.ranked(&assessed, None)?,
        _ => explorer.search(searched)?,
    };
    Ok(document(&answers::position(solution, &query)))
}

fn layers(entry: &Entry) -> Result<Response, ApiError> {
    let none = || ApiError::missing(format!("nothing is written down about the layers of {}", entry.name));
    Ok(document(&Layers::new(&entry.solution, entry.solution.manifest().ok_or_else(none)?)?))
}

/// The most difficult puzzles among `draws` random positions, or among all positions if there are at most `draws`.
fn puzzles(explorer: &Explorer, entry: &Entry, request: &Request) -> Result<Response, ApiError> {
    let none = || ApiError::missing(format!("nothing is written down about {}", entry.name));
    let manifest = entry.solution.manifest().ok_or_else(none)?;
    if manifest.no_value.is_some() {
        return Err(ReadError::NoValue.into());
    }
    let options = api::puzzles::Options {
        number: number(request, "number")?.unwrap_or(PUZZLES),
        layer: number(request, "layer")?,
        draws: number(request, "draws")?.unwrap_or(DRAWS),
        seed: number(request, "seed")?.unwrap_or_else(new_seed),
    };
    let api::puzzles::Options { number, draws, .. } = options;
    if number > MOST_PUZZLES {
        return Err(ApiError::wrong(format!("number={number}: there are at most {MOST_PUZZLES} puzzles in an answer")));
    }
    if !(1..=MOST_DRAWS).contains(&draws) {
        return Err(ApiError::wrong(format!("draws={draws}: 1 to {MOST_DRAWS} positions can be drawn")));
    }
    let limits = Arc::new(explorer.limits_of(request));
    Ok(document(&PuzzleReport::new(&entry.solution, manifest, &options, &limits, &Silent)?))
}

fn line(explorer: &Explorer, solution: &Solution, request: &Request) -> Result<Response, ApiError> {
    let position = reached(solution, request)?;
    let line = solution.line(&position, MOST_POSITIONS, &explorer.limits)?;
    Ok(document(&solution.told_line(&line)))
}

/// A random state of a layer, or of its states with a given value. All of them are equally likely.
fn random(explorer: &Explorer, solution: &Solution, request: &Request) -> Result<Response, ApiError> {
    let layer = number(request, "layer")?.ok_or_else(|| ApiError::wrong("layer: its number is missing".to_owned()))?;
    let rewards = request.parameter("rewards");
    let wrong =
        |text: &String| ApiError::wrong(format!("rewards: `{text}` is not one reward for each role, such as 100,0"));
    let value = rewards.as_ref().map(|text| reward::vector(text).ok_or_else(|| wrong(text))).transpose()?;
    let among = value.as_ref().map_or(Among::All, |value| Among::Value(value.as_deref()));
    let seed = number(request, "seed")?.unwrap_or_else(new_seed);
    let position = solution.sample(layer, among, &mut Random::new(seed), &explorer.limits)?;
    Ok(document(&json!({"layer": layer, "seed": seed, "state": solution.state_names(&position.state)})))
}

/// The program's move: one of the best moves or, with probability `error`, one that does not keep the value, if any.
fn reply(solution: &Solution, request: &Request) -> Result<Response, ApiError> {
    let errors_per_million = errors_per_million(request)?;
    let seed = number(request, "seed")?.unwrap_or_else(new_seed);
    let assessed = solution.assess(&reached(solution, request)?)?;
    if assessed.moves.is_empty() {
        return Err(ApiError::wrong("play is over".to_owned()));
    }
    // The field is not used for a single move of the program.
    let settings = play::Settings { human: RoleId(0), errors_per_million, seed, nodes: REPLY_POSITIONS };
    let chosen = play::choose(solution, &assessed, &settings, &mut Random::new(seed))?;
    let (action, role) = (solution.move_name(chosen.action), solution.role_name(chosen.role));
    // A move that keeps the value was drawn from the best moves, so it is one of the best.
    Ok(document(&json!({"move": action, "role": role, "value": chosen.value,
        "keeps_value": chosen.keeps_value, "optimal": chosen.keeps_value})))
}

/// The probability of an error of the program, converted to errors per million moves.
pub(super) fn errors_per_million(request: &Request) -> Result<u32, ApiError> {
    let error = number::<f64>(request, "error")?.unwrap_or(0.0);
    match (0.0..=1.0).contains(&error) {
        true => Ok((error * 1e6).round() as u32),
        false => Err(ApiError::wrong(format!("error={error}: the chance of an error is a number from 0 to 1"))),
    }
}

/// Judges a match, which [`record`] reads.
fn review(explorer: &Explorer, solution: &Solution, request: &Request) -> Result<Response, ApiError> {
    let (start, record) = (start(solution, request)?, record(request)?);
    Ok(document(&review::review_from(solution, &start, &record, None, &explorer.limits_of(request))?))
}

/// The match of a request: its moves, or the text or JSON in its body.
pub(super) fn record(request: &Request) -> Result<Record, ApiError> {
    match request.method.as_str() {
        "POST" => {
            let text = std::str::from_utf8(&request.body);
            Ok(Record::read(text.map_err(|_| ApiError::wrong("the match is no text in UTF-8".to_owned()))?)?)
        }
        _ => {
            let (moves, lines) = moves(&request.parameter("moves").unwrap_or_default())?;
            Ok(Record::Movers { moves, lines })
        }
    }
}
