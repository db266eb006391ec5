//! The order of the groups, and so of the variables.
//!
//! A search over the orders that coordinates suggest: first the axes' significance, then one axis' direction after
//! the other, each scored by the nodes of the first layers. The order of the rules is always among the candidates
//! and kept unless another is better.

mod coordinates;
mod score;

use super::{Order, SolveError};
use crate::encode::Analysis;
use crate::kernel::Context;
use crate::propositional::{Game, Group};
use coordinates::{Coordinates, DIRECTIONS, Sorting, permutations};
use score::Trial;

/// Nodes of the last layer that an order is tried on.
const TRIAL: u64 = 10_000;

/// The order to use (a permutation of the groups), and how it was found.
pub fn choose(analysis: &Analysis, order: &Order, context: &Context) -> Result<(Vec<usize>, String), SolveError> {
    match order {
        Order::Rules => Ok((of_rules(analysis), "the order of the rules".to_owned())),
        Order::Fluents(names) => {
            Ok((of_fluents(analysis.game, analysis.groups, names, of_rules(analysis))?, "as given".to_owned()))
        }
        Order::Search => search(analysis, context),
    }
}

fn search(analysis: &Analysis, context: &Context) -> Result<(Vec<usize>, String), SolveError> {
    let base = of_rules(analysis);
    let coordinates = Coordinates::new(analysis);
    let trial_context = Context::new(context.limits().clone(), context.threads());
    let mut trial = Trial::new(analysis, &trial_context, TRIAL);
    let rules = trial.score(&base)?.unwrap_or(u64::MAX);
    let mut best = (rules, base.clone());
    if trial.complete || coordinates.axes() == 0 {
        return Ok((best.1, "the order of the rules".to_owned()));
    }
    let upward = vec![DIRECTIONS[0]; coordinates.axes()];
    let mut sorting = Sorting { axes: (0..coordinates.axes()).collect(), directions: upward };
    let mut tried = 1;
    let mut consider = |candidate: Sorting, sorting: &mut Sorting| -> Result<(), SolveError> {
        tried += 1;
        let order = turn_first(analysis, coordinates.sorted(&base, &candidate));
        if let Some(nodes) = trial.score(&order)?.filter(|&nodes| nodes < best.0) {
            best = (nodes, order);
            *sorting = candidate;
        }
        Ok(())
    };
    for axes in permutations(coordinates.axes()) {
        let candidate = Sorting { axes, directions: sorting.directions.clone() };
        consider(candidate, &mut sorting)?;
    }
    for axis in 0..coordinates.axes() {
        for direction in DIRECTIONS.into_iter().skip(1) {
            let mut candidate = sorting.clone();
            candidate.directions[axis] = direction;
            consider(candidate, &mut sorting)?;
        }
    }
    let detail = format!("{tried} orders tried, {:.2} of the nodes of the rules' order", best.0 as f64 / rules as f64);
    Ok((best.1, detail))
}

/// The order with the group that tells whose turn it is moved to the front.
fn turn_first(analysis: &Analysis, mut order: Vec<usize>) -> Vec<usize> {
    if let Some(turn) = analysis.turn_group() {
        order.retain(|&group| group != turn);
        order.insert(0, turn);
    }
    order
}

/// The order where diagrams of the rules are not to be had: nothing is tried.
pub fn without_trial(game: &Game, groups: &[Group], order: &Order) -> Result<Vec<usize>, SolveError> {
    match order {
        Order::Fluents(names) => of_fluents(game, groups, names, by_first_fluent(groups)),
        Order::Rules | Order::Search => Ok(by_first_fluent(groups)),
    }
}

/// Groups by their first fluent; the one that tells whose turn it is comes first.
fn of_rules(analysis: &Analysis) -> Vec<usize> {
    turn_first(analysis, by_first_fluent(analysis.groups))
}

fn by_first_fluent(groups: &[Group]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|&group| groups[group].fluents.iter().min().copied());
    order
}

/// Groups in the order in which `names` first names one of their fluents; the others after them, in that of `rest`.
fn of_fluents(game: &Game, groups: &[Group], names: &[String], rest: Vec<usize>) -> Result<Vec<usize>, SolveError> {
    let mut order = Vec::new();
    for name in names {
        let fluent = game
            .fluent_ids()
            .find(|fluent| game.fluents[fluent.index()].to_string() == *name)
            .ok_or_else(|| SolveError::Options(format!("the order names {name}, which is no fluent of the game")))?;
        let group = groups.iter().position(|group| group.fluents.contains(&fluent));
        order.extend(group.filter(|group| !order.contains(group)));
    }
    let rest: Vec<usize> = rest.into_iter().filter(|group| !order.contains(group)).collect();
    order.extend(rest);
    Ok(order)
}
