//! The order of the groups, and so of the variables.
//!
//! A search over the orders that coordinates suggest: first the axes' significance, then one axis' direction after
//! the other, each scored by the nodes of the first layers. The order of the rules is always among the candidates
//! and kept unless another is clearly better. What is best in the first layers may be far from it in the largest ones, so
//! where a long run is to be expected the best few go on, in rounds, as long as that costs a small share of it, and
//! are compared by how their nodes grow.
//!
//! Only counts of nodes and states decide, never clocks and never memory, so that the same game gives the same order on
//! every machine: where a trial does not fit the bound, the run ends.

mod coordinates;
mod trial;

use super::{Order, SolveError};
use crate::encode::Analysis;
use crate::kernel::Context;
use crate::propositional::{Game, Group};
use coordinates::{Coordinates, DIRECTIONS, Sorting, permutations};
use trial::Trial;

/// Nodes of the last layer that orders are tried on in the first round, and what later ones multiply that by, up to
/// the last.
const FIRST: u64 = 10_000;
const STEP: u64 = 4;
const LAST: u64 = 640_000;
/// Layers that an order is tried on at most (those of a game that cycles never end).
const LAYERS: usize = 200;
/// Orders that go on after the first round, at most.
const RIVALS: usize = 3;
/// What is tried is only a part of the run: another order is taken for that of the rules if it has this share of the
/// nodes or less.
const MARGIN: f64 = 0.9;
/// An order with more than one of so many parts more nodes than another is clearly worse.
const CLEARLY: u64 = 4;
/// The logarithm of the growth in states from which another round is worth it: nodes grow as about the 0.6th power of
/// states, and so by 20, five times as much as in the round.
const WORTH: f64 = 5.0;

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

/// Orders that are still in the race, the best first.
struct Race<'a> {
    analysis: &'a Analysis<'a>,
    context: &'a Context,
    trials: Vec<Trial<'a>>,
    /// All that were ever tried.
    tried: Vec<Vec<usize>>,
    /// By layer: nodes under the order of the rules, as far as it was tried.
    rules: Vec<u64>,
}

fn search(analysis: &Analysis, context: &Context) -> Result<(Vec<usize>, String), SolveError> {
    let base = of_rules(analysis);
    let coordinates = Coordinates::new(analysis);
    let trial_context = context.anew();
    let mut race = Race { analysis, context: &trial_context, trials: vec![], tried: vec![], rules: vec![] };
    let layers = race.try_rules(&base)?;
    if layers.is_none() || coordinates.axes() == 0 {
        return Ok((base, "the order of the rules".to_owned()));
    }
    let upward = vec![DIRECTIONS[0]; coordinates.axes()];
    let mut sorting = Sorting { axes: (0..coordinates.axes()).collect(), directions: upward };
    let mut consider = |candidate: Sorting, sorting: &mut Sorting| -> Result<(), SolveError> {
        if race.try_order(turn_first(analysis, coordinates.sorted(&base, &candidate)), layers)? {
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
    let mut bound = FIRST;
    while bound < LAST && race.is_worth_going_on() {
        bound *= STEP;
        race.go_on(bound)?;
    }
    Ok(race.finish())
}

impl<'a> Race<'a> {
    /// Runs the order of the rules until a layer is large; that layer, or `None` where the game has no such layer.
    fn try_rules(&mut self, base: &[usize]) -> Result<Option<usize>, SolveError> {
        let mut rules = Trial::new(self.analysis, base.to_vec(), self.context)?;
        rules.run_while(|trial| trial.last() <= FIRST && trial.layer() < LAYERS)?;
        (self.rules, self.tried) = (rules.nodes().to_vec(), vec![base.to_vec()]);
        let layer = (!rules.ended()).then_some(rules.layer());
        self.trials.push(rules);
        Ok(layer)
    }

    /// Runs another order up to `layer`, or till it is clearly worse; whether it is the best so far.
    fn try_order(&mut self, order: Vec<usize>, layer: Option<usize>) -> Result<bool, SolveError> {
        if self.tried.contains(&order) {
            return Ok(false);
        }
        self.tried.push(order.clone());
        let best = self.trials.iter().map(Trial::total).min().expect("the order of the rules is in the race");
        let good = |total: u64| total <= best.saturating_add(best / CLEARLY);
        let mut trial = Trial::new(self.analysis, order, self.context)?;
        trial.run_while(|trial| Some(trial.layer()) != layer && good(trial.total()))?;
        if !good(trial.total()) {
            return Ok(false);
        }
        let is_best = trial.total() < best;
        self.trials.push(trial);
        self.rank(|trial| trial.total() as f64);
        self.trials.truncate(RIVALS);
        Ok(is_best)
    }

    /// Whether the run will be so much longer than the trials that it is worth telling the rivals apart.
    fn is_worth_going_on(&self) -> bool {
        match &self.trials[..] {
            [best, _, ..] => best.growth_to_come() >= WORTH && best.layer() < LAYERS,
            _ => false,
        }
    }

    /// Runs the best order until a layer has more than `bound` nodes and the others up to there; what is clearly
    /// worse, or will be, leaves the race.
    fn go_on(&mut self, bound: u64) -> Result<(), SolveError> {
        let mut trials = std::mem::take(&mut self.trials).into_iter();
        let mut best = trials.next().expect("the order of the rules is in the race, or what beat it");
        best.run_while(|trial| trial.last() <= bound && trial.layer() < LAYERS)?;
        let nodes = best.nodes().to_vec();
        let good = |trial: &Trial| {
            let best = nodes[trial.layer()];
            trial.last() <= best.saturating_add(best / CLEARLY)
        };
        let mut rivals = vec![best];
        for mut rival in trials {
            rival.run_while(|trial| trial.layer() + 1 < nodes.len() && good(trial))?;
            if rival.order == self.tried[0] {
                self.rules = rival.nodes().to_vec();
            }
            if good(&rival) {
                rivals.push(rival);
            }
        }
        if rivals[0].order == self.tried[0] {
            self.rules = nodes;
        }
        self.trials = rivals;
        if self.trials[0].ended() {
            self.rank(|trial| trial.total() as f64);
        } else {
            self.rank(|trial| trial.projected());
        }
        let most = self.trials[0].projected() * (1.0 + 1.0 / CLEARLY as f64);
        self.trials.retain(|trial| trial.projected() <= most);
        Ok(())
    }

    /// Puts the trials in order of their scores, the least first, that of the rules ahead of any that is not better
    /// by the margin.
    fn rank(&mut self, score: impl Fn(&Trial) -> f64) {
        let rules = &self.tried[0];
        let score = |trial: &Trial| score(trial) * if trial.order == *rules { MARGIN } else { 1.0 };
        self.trials.sort_by(|a, b| score(a).total_cmp(&score(b)));
    }

    /// The winner, and how it was found.
    fn finish(mut self) -> (Vec<usize>, String) {
        let best = self.trials.swap_remove(0);
        let layer = best.layer().min(self.rules.len() - 1);
        let sum = |nodes: &[u64]| nodes[..=layer].iter().sum::<u64>() as f64;
        let (tried, ratio) = (self.tried.len(), sum(best.nodes()) / sum(&self.rules));
        let detail = format!("{tried} orders tried, {ratio:.2} of the nodes of the rules' order up to layer {layer}");
        (best.order, detail)
    }
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
