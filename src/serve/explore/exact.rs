//! Answers on solutions with exact values, of games with chance or choices at the same time.

use super::answers;
use super::api::{document, errors_per_million, get, number, record, start, unknown};
use super::error::ApiError;
use super::explorer::Explorer;
use crate::http::{Request, Response};
use api::play::drawn;
use api::review::{Record, judged, replayed, review_exact};
use base::limits::Limits;
use base::random::{Random, new_seed};
use game::interpreter::JointMove;
use serde_json::json;
use solving::exact::Value;
use solving::solution::{ExactQuery, ExactSolution, Position, ReadError, Step};
use solving::solve::Common;

/// Bound on the random states that are drawn to find one with a value.
const MOST_DRAWS: usize = 20_000;

/// The answer to a request about a solution. `asked`: the last part of the address.
pub fn answer(
    explorer: &Explorer,
    solution: &ExactSolution,
    asked: &str,
    request: &Request,
) -> Result<Response, ApiError> {
    let limits = explorer.limits_of(request);
    match asked {
        "position" => get(request, || {
            let query = solution.query_within(&reached(solution, request, &limits)?, &limits)?;
            Ok(document(&answers::exact_position(solution.solution(), &query)))
        }),
        "line" => get(request, || explorer.search(|| line(solution, request, &limits))),
        "random" => get(request, || explorer.search(|| random(explorer, solution, request, &limits))),
        "reply" => get(request, || explorer.search(|| reply(solution, request, &limits))),
        "review" => {
            let work = || {
                let (start, record) = (start(solution.solution(), request)?, record(request)?);
                Ok(document(&reviewed(solution, &start, &record, &limits)?))
            };
            if request.method == "POST" { work() } else { get(request, work) }
        }
        _ => Err(unknown()),
    }
}

fn reached(solution: &ExactSolution, request: &Request, limits: &Limits) -> Result<Position, ApiError> {
    let start = start(solution.solution(), request)?;
    let (words, lines) = solving::solution::moves(&request.parameter("moves").unwrap_or_default())?;
    let last = solution.steps_either(&start, &words, lines.as_deref(), limits)?.pop();
    Ok(last.map_or(start, |step| step.successor))
}

fn line(solution: &ExactSolution, request: &Request, limits: &Limits) -> Result<Response, ApiError> {
    let position = reached(solution, request, limits)?;
    let query = solution.query_within(&position, limits)?;
    Ok(document(&told_line(solution, &position, query, limits)?))
}

/// Best play up to the first choice of chance or of several players, and the reasons why other moves of the choosing
/// players are worse: `line` and `reasons` of `query --why`.
pub(super) fn told_line(
    solution: &ExactSolution,
    position: &Position,
    mut query: ExactQuery,
    limits: &Limits,
) -> Result<serde_json::Value, ReadError> {
    solution.explain(&mut query, position, limits)?;
    let mut told = json!(query.line);
    told["reasons"] = json!(query.reasons);
    Ok(told)
}

/// A reviewed match that starts from a position. Its plies are judged if the solution has values.
fn reviewed(
    solution: &ExactSolution,
    start: &Position,
    record: &Record,
    limits: &Limits,
) -> Result<serde_json::Value, ReadError> {
    if solution.has_values() {
        return Ok(json!(review_exact(solution, start, record, false, limits)?));
    }
    let _plies = record.reserve(limits)?;
    let (names, mut moves, mut position) = (solution.solution(), Vec::new(), start.clone());
    for step in replayed(solution, start, record, limits)? {
        moves.push(unjudged(solution, &position, &step)?);
        position = step.successor;
    }
    let finished = solution.situation(&position)?.terminal;
    Ok(json!({"game": names.game().name, "roles": names.game().player_names(), "finished": finished, "value": null,
        "moves": moves, "mistakes": []}))
}

/// The plies of joint moves in a position, as in a reviewed match.
pub(super) fn plies(
    solution: &ExactSolution,
    position: &Position,
    joints: &[Vec<String>],
    limits: &Limits,
) -> Result<Vec<serde_json::Value>, ReadError> {
    if solution.has_values() {
        return Ok(judged(solution, position, joints, limits)?.iter().map(|ply| json!(ply)).collect());
    }
    joints.iter().map(|names| unjudged(solution, position, &solution.joint_step(position, names)?)).collect()
}

/// A ply that cannot be judged, because there are no values.
fn unjudged(solution: &ExactSolution, position: &Position, step: &Step) -> Result<serde_json::Value, ReadError> {
    let Step { ply, successor } = step;
    let (role, action) = solution.shown(position, &solution.situation(position)?, &ply.joint);
    Ok(json!({"ply": successor.layer, "role": role.map(|role| solution.role_name(role)), "move": action,
        "joint": solution.solution().joint_names(&ply.joint), "forced": ply.forced, "before": null, "after": null,
        "gives_away": null}))
}

/// A random state of a layer, or of its states with a given value or with an average of the first player in a given
/// range. All of them are equally likely.
fn random(
    explorer: &Explorer,
    solution: &ExactSolution,
    request: &Request,
    limits: &Limits,
) -> Result<Response, ApiError> {
    let layer = number(request, "layer")?.ok_or_else(|| ApiError::wrong("layer: its number is missing".to_owned()))?;
    let wrong = |text: &str| {
        ApiError::wrong(format!("rewards: `{text}` is not one number for each player, such as 75/2,125/2"))
    };
    let value = request.parameter("rewards").map(|text| {
        let value = Value::parse(&text.replace(',', " "));
        value.filter(|value| value.numbers().len() == solution.solution().game().players()).ok_or_else(|| wrong(&text))
    });
    let (value, range) = (value.transpose()?, number::<u32>(request, "range")?);
    let seed = number(request, "seed")?.unwrap_or_else(new_seed);
    let fits = |found: &Value| {
        value.as_ref().is_none_or(|value| found == value)
            && range.is_none_or(|range| Common::Value(found.clone()).range() == range)
    };
    let any = value.is_none() && range.is_none();
    if !any && !solution.values_of(layer)?.any(fits) {
        return Err(ApiError::missing(format!("no state of layer {layer} has that value")));
    }
    let mut source = Random::new(seed);
    for _ in 0..MOST_DRAWS {
        limits.check()?;
        let position = solution.sample(layer, &mut source, &explorer.limits)?;
        if any || solution.value(&position)?.is_some_and(fits) {
            let state = solution.solution().state_names(&position.state);
            return Ok(document(&json!({"layer": layer, "seed": seed, "state": state})));
        }
    }
    Err(ApiError::missing(format!(
        "none of {MOST_DRAWS} random states of layer {layer} has that value: too few have it"
    )))
}

/// The program's moves. Each player's move is drawn from its best mixed strategy or, with probability `error`, from the
/// moves outside of the strategy. Chance moves at random.
fn reply(solution: &ExactSolution, request: &Request, limits: &Limits) -> Result<Response, ApiError> {
    let errors = errors_per_million(request)?;
    let seed = number(request, "seed")?.unwrap_or_else(new_seed);
    let position = reached(solution, request, limits)?;
    let situation = solution.situation(&position)?;
    if situation.terminal {
        return Err(ApiError::wrong("play is over".to_owned()));
    }
    let mut random = Random::new(seed);
    let each = (0..situation.legal.len()).map(|role| drawn(solution, &position, role, errors, &mut random, limits));
    let joint: JointMove = each.collect::<Result<_, _>>()?;
    let names = solution.solution().joint_names(&joint);
    let (role, action) = solution.shown(&position, &situation, &joint);
    let role = role.map(|role| solution.role_name(role));
    let value = solution.value(&solution.solution().after(&position, &joint))?;
    // Without a single value, no move is marked as best.
    let best = solution
        .assess(&position, limits)?
        .map(|found| found.choosing().all(|player| found.is_best(player, found.place(player, joint[player]))));
    Ok(document(&json!({"move": action, "role": role, "joint": names, "value": value,
        "value_float": value.map(Value::floats), "keeps_value": best, "optimal": best})))
}
