//! Weights in the words of the rules. One term stands for fluents that have the same weight and differ in some
//! arguments only, or for the values of a counter.

use game::encode::measure::Weights;
use game::encode::{FluentCode, Variables};
use game::propositional::{FluentId, Game, GroundTerm};
use serde::Serialize;

/// The sign for any argument, and for the number by which the weight of a counter is multiplied.
const ANY: &str = "?";
const NUMBER: &str = "n";
/// Largest number of arguments that are named in a term with `?`.
const FIXED: usize = 2;

/// A term of a sum: a weight for each fluent that holds and fits a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Term {
    pub weight: i64,
    /// A fluent, in which `?` stands for any argument, and `n` for a number by which the weight is multiplied.
    pub fluents: String,
    pub by_number: bool,
}

/// The terms of weights. Their sum may differ from that of the weights by a constant, because an exactly-one group may
/// be written as a counter.
pub fn of(game: &Game, variables: &Variables, weights: &Weights) -> Vec<Term> {
    let by_fluent: Vec<i64> = game
        .fluent_ids()
        .map(|fluent| match variables.code(fluent) {
            FluentCode::Level(level) => weights[level as usize],
            FluentCode::Default(_) => 0,
        })
        .collect();
    let mut told = vec![false; by_fluent.len()];
    let mut terms = Vec::new();
    for block in variables.blocks() {
        let levels = block.levels().map(|level| variables.fluent(level));
        let fluents: Vec<FluentId> = levels.chain(block.default).collect();
        if let Some(term) = counter(game, &fluents, &by_fluent) {
            fluents.iter().for_each(|fluent| told[fluent.index()] = true);
            terms.push(term);
        }
    }
    for fluent in game.fluent_ids() {
        let weight = by_fluent[fluent.index()];
        if weight == 0 || told[fluent.index()] {
            continue;
        }
        let term = &game.fluents[fluent.index()];
        let alike = |fixed: &Vec<usize>| -> Vec<FluentId> {
            let like = |other: &FluentId| {
                let other = &game.fluents[other.index()];
                other.name == term.name
                    && other.arguments.len() == term.arguments.len()
                    && fixed.iter().all(|&place| other.arguments[place] == term.arguments[place])
            };
            game.fluent_ids().filter(like).collect()
        };
        let same = |fluents: &Vec<FluentId>| {
            fluents.iter().all(|other| by_fluent[other.index()] == weight && !told[other.index()])
        };
        let choices = choices(term.arguments.len());
        let found = choices.into_iter().map(|fixed| (alike(&fixed), fixed)).find(|(fluents, _)| same(fluents));
        let (fluents, fixed) = found.unwrap_or_else(|| (vec![fluent], (0..term.arguments.len()).collect()));
        fluents.iter().for_each(|other| told[other.index()] = true);
        terms.push(Term { weight, fluents: pattern(term, |place| !fixed.contains(&place), ANY), by_number: false });
    }
    terms
}

/// The sets of arguments that may be named, by indices, the smallest sets first.
fn choices(arity: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    let mut begin = 0;
    for _ in 0..FIXED.min(arity) {
        let end = all.len();
        for index in begin..end {
            let from = all[index].last().map_or(0, |last: &usize| last + 1);
            let longer: Vec<Vec<usize>> = (from..arity).map(|place| [&all[index][..], &[place]].concat()).collect();
            all.extend(longer);
        }
        begin = end;
    }
    all
}

fn pattern(term: &GroundTerm, open: impl Fn(usize) -> bool, sign: &str) -> String {
    let stands = |(place, argument): (usize, &GroundTerm)| match open(place) {
        true => GroundTerm { name: sign.to_owned(), arguments: Vec::new() },
        false => argument.clone(),
    };
    let arguments = term.arguments.iter().enumerate().map(stands).collect();
    GroundTerm { name: term.name.clone(), arguments }.to_string()
}

/// The term of a group whose fluents differ in a number only, and whose weights are a linear function of that number.
fn counter(game: &Game, fluents: &[FluentId], weights: &[i64]) -> Option<Term> {
    let (&first, others) = fluents.split_first().filter(|(_, others)| others.len() > 1)?;
    let term = &game.fluents[first.index()];
    let place = (0..term.arguments.len()).find(|&place| {
        others.iter().all(|other| {
            let other = &game.fluents[other.index()];
            let same = |at: usize| (at == place) != (other.arguments[at] == term.arguments[at]);
            other.name == term.name
                && other.arguments.len() == term.arguments.len()
                && (0..term.arguments.len()).all(same)
        })
    })?;
    let number = |fluent: &FluentId| game.fluents[fluent.index()].arguments[place].to_string().parse::<i32>().ok();
    let points: Option<Vec<(i64, i64)>> =
        fluents.iter().map(|fluent| Some((number(fluent)?.into(), weights[fluent.index()]))).collect();
    let points = points?;
    let (&(x, y), &(other, height)) = (points.first()?, points.get(1)?);
    let slope = (height - y).checked_div(other - x)?;
    let line = points.iter().all(|&(at, weight)| weight - y == slope * (at - x));
    (line && slope != 0).then(|| Term {
        weight: slope,
        fluents: pattern(term, |at| at == place, NUMBER),
        by_number: true,
    })
}
