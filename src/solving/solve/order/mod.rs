//! Chooses the order of the groups, and thus of the variables.
//!
//! The search tries the orders that coordinates suggest: first the significance of the axes, then the direction of each
//! axis. The score of an order is the nodes of the first layers. The order of the rules is always a candidate, and is
//! kept unless another one is clearly better. The best order for the first layers may be bad for the largest ones. So
//! if a long run is expected, the best few orders are tried on further layers, in steps, as long as that costs a small
//! part of the run, and are compared by the growth of their nodes. If diagrams have nearly as many nodes as states, no
//! order helps, and there are no further steps.
//!
//! Where states repeat, layers never end; orders are then tried on the states by distance.
//!
//! The [`Ledger`] of preparation bounds the work of all trials together. Once the ledger and the least effort of the
//! stage are used up, no other order is tried. Nodes, states and words of keys are counted, never time or memory, so
//! that a game gets the same order on every machine. If a trial does not fit into memory, the run ends.

mod trial;

use super::ledger::{Ledger, WORD};
use super::{Order, SolveError};
use game::encode::{Analysis, Coordinates, DIRECTIONS, Sorting, permutations};
use game::propositional::{Game, Group};
use kernel::Context;
use trial::Trial;

/// Bounds on the nodes of the layers of a trial: of the first step, factor from step to step, and of the last step.
const FIRST: u64 = 10_000;
const STEP: u64 = 4;
const LAST: u64 = 640_000;
/// Most layers of a trial.
const LAYERS: usize = 200;
/// Largest number of orders that are left after the first step.
const RIVALS: usize = 3;
/// Another order must have at most this part of the nodes to replace the order of the rules: trials cover only some
/// layers.
const MARGIN: f64 = 0.9;
/// An order is clearly worse than another if it has more additional nodes than the other's nodes divided by this.
const CLEARLY: u64 = 4;
/// A trial may take `DEAR` times the words of keys that the best order took up to the same layer, plus `LEAST`: a bad
/// order may have few nodes and very long sweeps.
const DEAR: u64 = 4;
const LEAST: u64 = 1 << 16;
/// Least logarithm of the expected growth in states for another step. Nodes grow as about the 0.6th power of states, so
/// they would grow 20-fold, five times as much as in the step.
const WORTH: f64 = 5.0;

/// The order to use (a permutation of the groups), and how it was found, in words. `repeats`: states are known to
/// repeat.
pub fn choose(
    analysis: &Analysis,
    order: &Order,
    (repeats, ledger): (bool, &mut Ledger),
    context: &Context,
) -> Result<(Vec<usize>, String), SolveError> {
    match order {
        Order::Rules => Ok((of_rules(analysis), "the order of the rules".to_owned())),
        Order::Fluents(names) => {
            Ok((of_fluents(analysis.game, analysis.groups, names, of_rules(analysis))?, "as given".to_owned()))
        }
        Order::Search => search(analysis, repeats, ledger, context),
    }
}

/// The search for an order. `trials` are the remaining orders, best first.
struct Race<'a> {
    analysis: &'a Analysis<'a>,
    repeats: bool,
    ledger: &'a mut Ledger,
    /// Words of keys of all trials so far.
    spent: u64,
    context: &'a Context,
    trials: Vec<Trial<'a>>,
    /// All orders that were ever tried; the order of the rules is the first.
    tried: Vec<Vec<usize>>,
    /// By layer: nodes under the order of the rules, as far as it was tried.
    rules: Vec<u64>,
}

fn search(
    analysis: &Analysis,
    repeats: bool,
    ledger: &mut Ledger,
    context: &Context,
) -> Result<(Vec<usize>, String), SolveError> {
    let mut base = of_rules(analysis);
    let coordinates = Coordinates::new(analysis.game, analysis.groups);
    let trial_context = context.anew();
    let mut race = Race {
        analysis,
        repeats,
        ledger,
        spent: 0,
        context: &trial_context,
        trials: vec![],
        tried: vec![],
        rules: vec![],
    };
    // If diagrams are too large under the order of the rules, the order of the names takes its place.
    let (layers, whose) = match race.try_rules(&base) {
        Err(SolveError::TooComplex(error)) if error.is_of_size() => {
            base = turn_first(analysis, coordinates.upward(&base));
            (race.try_rules(&base)?, "names")
        }
        tried => (tried?, "rules"),
    };
    if layers.is_none() || coordinates.axes() == 0 {
        return Ok((base, format!("the order of the {whose}")));
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
    Ok(race.finish(whose))
}

impl<'a> Race<'a> {
    /// As [`Trial::run_while`], within what the ledger affords.
    fn run(&mut self, trial: &mut Trial, most: u64, wanted: impl Fn(&Trial) -> bool) -> Result<bool, SolveError> {
        let before = trial.work();
        let most = self.ledger.affords(WORD, self.spent).map_or(most, |words| most.min(before.saturating_add(words)));
        let ran = trial.run_while(most, wanted);
        // A sweep that the bound ended has taken what was left.
        let work = if let Ok(false) = ran { most } else { trial.work() } - before;
        self.spent = self.spent.saturating_add(work);
        self.ledger.spend(work, WORD);
        ran
    }

    /// Runs the order of the rules until a layer is large. Returns its number; `None` if the layers end earlier.
    fn try_rules(&mut self, base: &[usize]) -> Result<Option<usize>, SolveError> {
        let mut rules = Trial::new(self.analysis, base.to_vec(), self.repeats, self.context)?;
        self.run(&mut rules, u64::MAX, |trial| trial.last() <= FIRST && trial.layer() < LAYERS)?;
        (self.rules, self.tried) = (rules.nodes().to_vec(), vec![base.to_vec()]);
        let layer = (!rules.ended()).then_some(rules.layer());
        self.trials.push(rules);
        Ok(layer)
    }

    /// Runs another order up to `layer`, or until it is clearly worse. Returns whether it is the best so far.
    fn try_order(&mut self, order: Vec<usize>, layer: Option<usize>) -> Result<bool, SolveError> {
        if self.tried.contains(&order) || self.is_spent() {
            return Ok(false);
        }
        self.tried.push(order.clone());
        let best = self.trials.iter().min_by_key(|trial| trial.total()).expect("the order of the rules is in the race");
        let (best, most) = (best.total(), dear(best.work()));
        let good = |total: u64| total <= best.saturating_add(best / CLEARLY);
        let mut trial = match Trial::new(self.analysis, order, self.repeats, self.context) {
            Err(SolveError::TooComplex(_)) => return Ok(false),
            trial => trial?,
        };
        let ran = self.run(&mut trial, most, |trial| Some(trial.layer()) != layer && good(trial.total()))?;
        if !ran || !good(trial.total()) {
            return Ok(false);
        }
        let is_best = trial.total() < best;
        self.trials.push(trial);
        self.rank(|trial| trial.total() as f64);
        self.trials.truncate(RIVALS);
        Ok(is_best)
    }

    fn is_spent(&self) -> bool {
        self.ledger.affords(WORD, self.spent) == Some(0)
    }

    /// Whether the run will be so much longer than the trials that another step is worth it.
    fn is_worth_going_on(&self) -> bool {
        match &self.trials[..] {
            _ if self.is_spent() => false,
            [best, _, ..] => best.growth_to_come() >= WORTH && best.layer() < LAYERS && best.is_dense(),
            _ => false,
        }
    }

    /// Runs the best order until a layer has more than `bound` nodes, and the others up to that layer. Removes the
    /// orders that are clearly worse than the best one, or are predicted to be.
    fn go_on(&mut self, bound: u64) -> Result<(), SolveError> {
        let mut trials = std::mem::take(&mut self.trials).into_iter();
        let mut best = trials.next().expect("the order of the rules is in the race, or what beat it");
        self.run(&mut best, u64::MAX, |trial| trial.last() <= bound && trial.layer() < LAYERS)?;
        let (nodes, most) = (best.nodes().to_vec(), dear(best.work()));
        let good = |trial: &Trial| {
            let best = nodes[trial.layer()];
            trial.last() <= best.saturating_add(best / CLEARLY)
        };
        let mut rivals = vec![best];
        for mut rival in trials {
            let ran = self.run(&mut rival, most, |trial| trial.layer() + 1 < nodes.len() && good(trial))?;
            if rival.order == self.tried[0] {
                self.rules = rival.nodes().to_vec();
            }
            if ran && good(&rival) {
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

    /// Sorts the trials by score, the least first. [`MARGIN`] favours the order of the rules.
    fn rank(&mut self, score: impl Fn(&Trial) -> f64) {
        let rules = &self.tried[0];
        let score = |trial: &Trial| score(trial) * if trial.order == *rules { MARGIN } else { 1.0 };
        self.trials.sort_by(|a, b| score(a).total_cmp(&score(b)));
    }

    fn finish(mut self, whose: &str) -> (Vec<usize>, String) {
        let best = self.trials.swap_remove(0);
        let layer = best.layer().min(self.rules.len() - 1);
        let sum = |nodes: &[u64]| nodes[..=layer].iter().sum::<u64>() as f64;
        let (tried, ratio) = (self.tried.len(), sum(best.nodes()) / sum(&self.rules));
        let detail = format!("{tried} orders tried, {ratio:.2} of the nodes of the {whose}' order up to layer {layer}");
        (best.order, detail)
    }
}

/// Largest number of words of keys for a trial if the best order took `best`.
fn dear(best: u64) -> u64 {
    best.saturating_mul(DEAR).saturating_add(LEAST)
}

/// Moves the group that tells whose turn it is to the front.
fn turn_first(analysis: &Analysis, mut order: Vec<usize>) -> Vec<usize> {
    if let Some(turn) = analysis.turn_group() {
        order.retain(|&group| group != turn);
        order.insert(0, turn);
    }
    order
}

/// The order without any trial, for rules whose conditions are too large for diagrams.
pub fn without_trial(game: &Game, groups: &[Group], order: &Order) -> Result<Vec<usize>, SolveError> {
    match order {
        Order::Fluents(names) => of_fluents(game, groups, names, by_first_fluent(groups)),
        Order::Rules | Order::Search => Ok(by_first_fluent(groups)),
    }
}

/// Groups by their first fluent, after the group that tells whose turn it is.
fn of_rules(analysis: &Analysis) -> Vec<usize> {
    turn_first(analysis, by_first_fluent(analysis.groups))
}

fn by_first_fluent(groups: &[Group]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|&group| groups[group].fluents.iter().min().copied());
    order
}

/// Groups in the order in which `names` first names one of their fluents; then the others, in the order of `rest`. A
/// name that is no fluent is an error.
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
