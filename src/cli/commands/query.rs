//! `query`: positions of a stored solution, with their values and those of their moves.

use super::super::failure::Failure;
use super::super::output::{Reader, json, print, print_report, say};
use super::super::reading::{self, Rewards};
use super::super::shared::Format;
use super::super::{input, interrupt, options};
use super::{exact, session};
use api::session::{Error, ErrorKind};
use base::limits::Limits;
use base::random::{self, Random};
use num_bigint::BigUint;
use serde::Serialize;
use serde_json::json;
use solving::solution::{Among, Opened, Position, Query, ReadError, Sampled, Solution, terms};
use solving::words::query::sample_heading;
use std::fmt::Display;
use std::io::BufRead;
use std::sync::Arc;

/// Positions that a search keeps if no number is asked for.
const NODES: usize = 2_000_000;

pub fn run(arguments: &reading::Query) -> Result<(), Failure> {
    let from_input = |text: &Option<String>| text.as_deref() == Some("-");
    if from_input(&arguments.moves) && from_input(&arguments.state) {
        return Err(Failure::Usage("--moves and --state cannot both be read from standard input".to_owned()));
    }
    let limits = Arc::new(options::memory_limits(&arguments.memory)?);
    let solution = match session::open(&arguments.solution.solution, &limits)? {
        Opened::Exact(solution) => return exact::run(&solution, arguments, &limits),
        Opened::Rewards(solution) => *solution,
    };
    let nodes = arguments.nodes.unwrap_or(NODES);
    let searches = arguments.distance || arguments.plans || arguments.why || solution.has_costs();
    if arguments.nodes.is_some() && !searches {
        let text =
            "--nodes bounds the searches of --distance, --plans and --why, and those for costs; this query makes none";
        return Err(Failure::Usage(text.to_owned()));
    }
    let distances = arguments.distance.then_some(nodes);
    if arguments.plans && solution.roles().len() > 1 {
        return Err(Failure::Usage("--plans: a plan is of one player, and this game has several".to_owned()));
    }
    if let (Some(Rewards(None)), Some(_)) = (&arguments.rewards, arguments.plies) {
        return Err(Failure::Usage("--plies: endless play has no end".to_owned()));
    }
    let queries = Queries { solution, nodes, distances, arguments, limits: Arc::clone(&limits) };
    tell(&queries, arguments, &limits)
}

/// A solution with either kind of values, for `query`.
pub trait Asked {
    type Query: Display + Serialize;

    /// The answer about the position after moves, from the start or from a state.
    fn answer(&self, state: Option<&str>, moves: Option<&str>) -> Result<Self::Query, ReadError>;

    /// Number of states of a layer from which a sample is drawn.
    fn population(&self, layer: u32) -> Result<BigUint, ReadError>;

    /// The answer about a random state of a layer.
    fn drawn(&self, layer: u32, random: &mut Random) -> Result<Self::Query, ReadError>;
}

pub fn tell<A: Asked>(queries: &A, arguments: &reading::Query, limits: &Arc<Limits>) -> Result<(), Failure> {
    let from_input = |text: &Option<String>| text.as_deref() == Some("-");
    if from_input(&arguments.moves) || from_input(&arguments.state) {
        // A signal ends it while it waits for a line.
        return batch(queries, arguments, std::io::stdin().lock());
    }
    interrupt::watch(limits)?;
    if let Some(layer) = arguments.layer {
        return sample(queries, arguments, arguments.sample.unwrap_or(1), layer, limits);
    }
    let query = queries.answer(arguments.state.as_deref(), arguments.moves.as_deref())?;
    print_report(arguments.report.format, &query)
}

struct Queries<'a> {
    solution: Solution,
    /// Positions that a search may keep.
    nodes: usize,
    /// Positions that a search for distances may keep.
    distances: Option<usize>,
    arguments: &'a reading::Query,
    limits: Arc<Limits>,
}

impl Queries<'_> {
    /// The states from which a sample is drawn.
    fn among(&self) -> Among<'_> {
        let value = self.arguments.rewards.as_ref().map(|Rewards(value)| value.as_deref());
        match (value, self.arguments.plies) {
            (None, _) => Among::All,
            (Some(Some(value)), Some(plies)) => Among::Plies(value, plies),
            (Some(value), _) => Among::Value(value),
        }
    }

    fn of(&self, position: &Position) -> Result<Query, ReadError> {
        let mut query = match self.distances {
            None => self.solution.query_so_far(position)?,
            distances => self.solution.query_within(position, distances, &self.limits)?,
        };
        let reading::Query { plans, why, .. } = *self.arguments;
        self.solution.add_plans(&mut query, position, plans, self.nodes, &self.limits)?;
        if why {
            self.solution.explain(&mut query, position, self.nodes, &self.limits)?;
        }
        Ok(query)
    }
}

impl Asked for Queries<'_> {
    type Query = Query;

    fn answer(&self, state: Option<&str>, moves: Option<&str>) -> Result<Query, ReadError> {
        let start = match state {
            Some(text) => self.solution.position(&terms(text)?)?,
            None => self.solution.start(),
        };
        let steps = self.solution.follow(&start, moves.unwrap_or_default())?;
        self.of(steps.last().map_or(&start, |step| &step.successor))
    }

    fn population(&self, layer: u32) -> Result<BigUint, ReadError> {
        self.solution.states_among(layer, self.among())
    }

    fn drawn(&self, layer: u32, random: &mut Random) -> Result<Query, ReadError> {
        self.of(&self.solution.sample(layer, self.among(), random, &self.limits)?)
    }
}

/// Answers each line of the input. A wrong line is reported, and the command fails at its end.
fn batch<A: Asked>(queries: &A, arguments: &reading::Query, mut input: impl BufRead) -> Result<(), Failure> {
    let mut wrong = 0u64;
    let mut number = 0u64;
    while let Some(line) = input::line(&mut input)? {
        number += 1;
        if line.trim_start().starts_with(';') {
            continue;
        }
        let state = arguments.state.as_deref().map(|state| if state == "-" { line.as_str() } else { state });
        let moves = arguments.moves.as_deref().map(|moves| if moves == "-" { line.as_str() } else { moves });
        let text = match (queries.answer(state, moves).map_err(Error::from), arguments.report.format) {
            (Ok(query), Format::Text) => format!("{query}\n"),
            (Ok(query), Format::Json) => format!("{}\n", json(&query)),
            (Err(error), format) if error.kind() == ErrorKind::Usage => {
                wrong += 1;
                match format {
                    Format::Json => format!("{}\n", json!({"error": error.to_string(), "line": number})),
                    Format::Text => format!("line {number}: {error}\n\n"),
                }
            }
            (Err(error), _) => return Err(error.into()),
        };
        if say(&text)? == Reader::Gone {
            break;
        }
    }
    match wrong {
        0 => Ok(()),
        1 => Err(Failure::Usage("1 position is wrong".to_owned())),
        _ => Err(Failure::Usage(format!("{wrong} positions are wrong"))),
    }
}

fn sample<A: Asked>(
    queries: &A,
    arguments: &reading::Query,
    number: u64,
    layer: u32,
    limits: &Limits,
) -> Result<(), Failure> {
    let seed = arguments.seed.unwrap_or_else(random::new_seed);
    let population = queries.population(layer)?;
    if arguments.report.format == Format::Text {
        let value = arguments.rewards.as_ref().map(|Rewards(value)| value.as_deref());
        print(&sample_heading(number, layer, &population, value, arguments.plies, seed))?;
    }
    let mut random = Random::new(seed);
    for sample in 1..=number {
        limits.check()?;
        let query = queries.drawn(layer, &mut random)?;
        let text = match arguments.report.format {
            Format::Json => format!("{}\n", json(&Sampled { sample, seed, population: population.clone(), query })),
            Format::Text => format!("\n{query}"),
        };
        if say(&text)? == Reader::Gone {
            break;
        }
    }
    Ok(())
}
