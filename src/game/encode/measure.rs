//! Finds candidates for a measure of progress: weights of the variables whose sum may be the same for all states of a
//! layer and different for different layers. Examples are the tokens on a board, blank cells, or a step counter.

use super::variables::Variables;
use crate::propositional::{FluentId, Game, GroundTerm, Group};
use std::collections::BTreeMap;

/// Least number of values of a group that may be a counter.
const COUNTER: usize = 4;

pub type Weights = Vec<i64>;

/// Weights to try, the most promising first.
pub fn candidates(game: &Game, groups: &[Group], variables: &Variables) -> Vec<Weights> {
    let mut result: Vec<Weights> = Vec::new();
    let counters = groups.iter().filter(|group| group.fluents.len() >= COUNTER);
    for group in counters {
        let mut by_fluent = vec![0; game.fluents.len()];
        for (index, fluent) in group.fluents.iter().enumerate() {
            by_fluent[fluent.index()] = index as i64;
        }
        result.push(by_level(variables, &by_fluent));
    }
    for class in classes(game) {
        let mut by_fluent = vec![0; game.fluents.len()];
        class.iter().for_each(|fluent| by_fluent[fluent.index()] = 1);
        result.push(by_level(variables, &by_fluent));
    }
    let mut seen = std::collections::BTreeSet::new();
    result.retain(|weights| weights.iter().any(|&weight| weight != 0) && seen.insert(weights.clone()));
    result
}

/// The fluents of each functor, and the fluents of each functor that share the term at one argument position.
fn classes(game: &Game) -> Vec<Vec<FluentId>> {
    type Class<'a> = (&'a str, usize, Option<(usize, &'a GroundTerm)>);
    let mut classes: BTreeMap<Class, Vec<FluentId>> = BTreeMap::new();
    for fluent in game.fluent_ids() {
        let term = &game.fluents[fluent.index()];
        let arity = term.arguments.len();
        classes.entry((&term.name, arity, None)).or_default().push(fluent);
        for place in term.arguments.iter().enumerate() {
            classes.entry((&term.name, arity, Some(place))).or_default().push(fluent);
        }
    }
    let mut classes: Vec<Vec<FluentId>> = classes.into_values().filter(|class| class.len() > 1).collect();
    classes.sort_by_key(|class| std::cmp::Reverse(class.len()));
    classes
}

/// The weights of the variables whose sum is, up to a constant, the sum of the weights of the fluents that hold. The
/// weight of a default is subtracted from the weights of its block.
fn by_level(variables: &Variables, by_fluent: &[i64]) -> Weights {
    (0..variables.levels())
        .map(|level| {
            let default = variables.block_of(level).default.map_or(0, |fluent| by_fluent[fluent.index()]);
            by_fluent[variables.fluent(level).index()] - default
        })
        .collect()
}
