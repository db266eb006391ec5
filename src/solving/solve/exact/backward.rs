//! The values of all layers, from the last to the first.
//!
//! The values of a layer follow from those of the layer after it. So two layers are in memory, with some 30 bytes per
//! state. If layers share states and all moves are listed, the values of all states are found [once](super::once), and
//! those of a layer are looked up.

use super::super::expansion::OneByOne;
use super::super::options::{SolveOptions, fitting};
use super::super::pass::Pass;
use super::super::progress::{Event, Phase};
use super::super::spool::Spool;
use super::super::unrolled::Whole;
use super::super::{Refusal, SolveError, witness};
use super::layer::{Found, Rules, Settled, Thinker, table};
use super::once::Once;
use super::shares::{self, Share};
use super::{NO_VALUE, Valued};
use crate::exact::{Rule, Table, Undecided, Value};
use crate::listing::{Index, List};
use crate::store::{ExactLayer, Numbered};
use base::limits::Account;
use game::interpreter::Interpreter;
use game::propositional::Game;
use kernel::{Context, Diagram};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Finds the values of listed states.
pub struct Solver<'a> {
    pub pass: &'a Pass<'a>,
    pub states: &'a dyn OneByOne,
    rule: &'a dyn Rule,
    ends: Vec<Value>,
}

/// The values of the successors of some states: by rank the code of each, and the value of each code.
#[derive(Clone, Copy)]
pub struct After<'a> {
    pub codes: &'a [u32],
    pub value: &'a (dyn Fn(u32) -> &'a Value + Sync),
}

pub enum Failed {
    /// The state with this rank has no value.
    Undecided(usize, Undecided),
    Error(SolveError),
}

impl<E: Into<SolveError>> From<E> for Failed {
    fn from(error: E) -> Self {
        Failed::Error(error.into())
    }
}

/// Takes the first state without a value among those decided since the last call.
pub fn undecided(found: &Mutex<Found>) -> Option<Failed> {
    let undecided = found.lock().unwrap_or_else(PoisonError::into_inner).undecided.take();
    undecided.map(|(rank, undecided)| Failed::Undecided(rank, undecided))
}

impl Solver<'_> {
    /// The codes of the values of `states`, by rank.
    pub fn decided<'a>(
        &'a self,
        states: &List,
        index: &Index,
        after: &After<'a>,
        found: &'a Mutex<Found>,
        thinkers: &mut [Thinker],
    ) -> Result<Vec<u32>, Failed> {
        let rules = self.rules(after, found);
        let codes = self.states.decided(states, index, thinkers, &|thinker, state| rules.decide(thinker, state))?;
        undecided(found).map_or(Ok(codes), Err)
    }

    pub fn rules<'a>(&'a self, after: &After<'a>, found: &'a Mutex<Found>) -> Rules<'a> {
        let After { codes, value } = *after;
        let (has_chance, limits) = (self.pass.game.has_chance, self.pass.context.limits());
        Rules { rule: self.rule, has_chance, ends: &self.ends, codes, value, found, limits }
    }

    /// Finds the values of a layer from those of the layer after it: by rank the code of each, and the table of values.
    fn by_layer(&self, states: &List, next: &Settled) -> Result<(Vec<u32>, Table), Failed> {
        let limits = self.pass.context.limits();
        let found = Mutex::new(Found::new(limits));
        let index = Index::new(&next.states, limits)?;
        let value = |code: u32| &next.table.0[code as usize].0;
        let after = After { codes: &next.codes, value: &value };
        let mut codes = self.decided(states, &index, &after, &found, &mut self.thinkers())?;
        let values = found.into_inner().unwrap_or_else(PoisonError::into_inner).sorted(&mut codes);
        let table = table(&values, &mut codes);
        Ok((codes, table))
    }

    /// Finds the values of all states.
    fn once<'s>(&self, whole: &'s Whole, spool: &mut Spool) -> Result<Once<'s>, SolveError> {
        match Once::find(self, whole) {
            Err(Failed::Undecided(rank, undecided)) => {
                let assignment = self.states.assignment(whole.states.state(rank));
                let index = first_layer(spool, &assignment)?;
                Err(refusal(self.pass, spool, index, &assignment, no_value(self.pass.game, &undecided))?)
            }
            Err(Failed::Error(error)) => Err(error),
            Ok(once) => Ok(once),
        }
    }

    /// A [`Thinker`] for each thread.
    pub fn thinkers(&self) -> Vec<Thinker> {
        (0..self.pass.context.threads()).map(|_| Thinker::default()).collect()
    }
}

/// Finds and stores the values of the layers whose values are not stored yet. `whole`: all states with all moves, if
/// layers share states and the probe kept the moves.
pub fn backward(
    pass: &Pass,
    spool: &mut Spool,
    whole: Option<Whole>,
    options: &SolveOptions,
    rule: &dyn Rule,
) -> Result<Valued, SolveError> {
    let Pass { game, expansion, context, listener, .. } = *pass;
    let (limits, players) = (context.limits(), game.players());
    let one_by_one = expansion.exact().expect("such a game is prepared to be solved state by state");
    let layers = spool.figures().len();
    let mut shares = spool.stored_shares();
    let first = shares.iter().position(Option::is_some).unwrap_or(layers);
    let ends = expansion.rewards().iter().map(|rewards| Value::of_rewards(rewards, players)).collect();
    let solver = Solver { pass, states: one_by_one, rule, ends };
    let whole = whole.filter(|_| first > 0);
    // Two layers may fit where all states do not.
    let once = fitting(whole.as_ref().map(|whole| solver.once(whole, spool)).transpose())?.flatten();
    let mut next: Option<Settled> = None;
    for index in (0..layers).rev() {
        let start = Instant::now();
        // Of the layers solved by an earlier run, only the first is needed: it follows the next layer to be solved.
        if index > first {
            continue;
        }
        let layer = spool.take(index)?;
        let states = one_by_one.list(&layer)?;
        if index == first {
            let (codes, account, table) = super::stored_values(&spool.archive()?, index, players, limits)?;
            next = Some(Settled::new(states, codes, table, account)?);
            continue;
        }
        let after = next.take();
        let found = match (&once, after) {
            (Some(once), _) => Ok(once.layer(&states)),
            (None, Some(after)) => solver.by_layer(&states, &after),
            (None, None) => solver.by_layer(&states, &Settled::none(states.words(), limits)),
        };
        let (codes, table) = match found {
            Err(Failed::Undecided(rank, undecided)) => {
                let assignment = one_by_one.assignment(states.state(rank));
                return Err(refusal(pass, spool, index, &assignment, no_value(game, &undecided))?);
            }
            Err(Failed::Error(error)) => return Err(error),
            Ok(found) => found,
        };
        let settled = Settled::new(states, codes, table, Account::new(limits))?;
        let of_layer = shares::of_table(&settled.table, options.against);
        store(spool, index, &layer, &settled, &of_layer, context)?;
        shares[index] = Some(of_layer);
        next = Some(settled);
        listener.event(&Event::LayerFinished {
            phase: Phase::Backward,
            layer: index as u32,
            total: Some(layers as u32),
            states: None,
            nodes: 0,
            seconds: start.elapsed().as_secs_f64(),
        });
    }
    let first = next.expect("there is a first layer");
    let value = first.table.0.first().expect("it has a state").0.clone();
    Ok((value, shares.into_iter().map(|shares| shares.expect("all layers are solved")).collect()))
}

/// The number of the first layer that has this state, which must be reachable.
fn first_layer(spool: &mut Spool, assignment: &[bool]) -> Result<usize, SolveError> {
    for index in 0..spool.figures().len() {
        if spool.layer(index)?.contains(assignment) != 0 {
            return Ok(index);
        }
    }
    Err(SolveError::Inconsistent("a state that can be reached is in no layer".to_owned()))
}

pub fn store(
    spool: &mut Spool,
    index: usize,
    layer: &Diagram,
    settled: &Settled,
    shares: &[Share],
    context: &Context,
) -> Result<(), SolveError> {
    let Settled { codes, table, .. } = settled;
    let Some(store) = spool.store() else { return Ok(()) };
    let values = ExactLayer {
        codes: &mut Numbered { count: table.0.len() as u32, codes },
        text: Table::text(table),
        shares: shares.iter().map(Share::record).collect(),
    };
    Ok(store.push_exact_values(index, layer, values, context)?)
}

/// The refusal of a game because this state, of a layer, has no value, with a message that says why.
pub fn refusal(
    pass: &Pass,
    spool: &mut Spool,
    index: usize,
    assignment: &[bool],
    message: String,
) -> Result<SolveError, SolveError> {
    let before = |layer: usize, state: &[bool]| pass.expansion.predecessor(&*spool.layer(layer)?, state);
    let states = witness::states(pass, &witness::way(assignment.to_vec(), index, before)?);
    let path = witness::moves(pass.game, &Interpreter::new(pass.game), &states);
    Ok(Refusal { state: states[index].names(pass.game), path, ..Refusal::of_game(NO_VALUE, message) }.into())
}

fn no_value(game: &Game, undecided: &Undecided) -> String {
    let name = |player: usize| game.roles[player].to_string();
    let pair = |players: &[usize; 2]| format!("{} and {}", name(players[0]), name(players[1]));
    let got = |value: &Value, players: &[usize; 2]| {
        players.iter().map(|&player| value.numbers()[player].to_string()).collect::<Vec<_>>().join(" and ")
    };
    match undecided {
        Undecided::General { players, values } => format!(
            "no single value: {} choose at the same time in a reachable state, and what they get there does not sum up to the \
             same ({}, or {})",
            pair(players),
            got(&values[0], players),
            got(&values[1], players)
        ),
        Undecided::Concerned { players, other, values } => {
            let got = |value: &Value| value.numbers()[*other].to_string();
            format!(
                "no single value: {} choose at the same time in a reachable state, and what {} gets depends on how they mix \
                 their moves ({} or {})",
                pair(players),
                name(*other),
                got(&values[0]),
                got(&values[1])
            )
        }
        Undecided::Several { players } => {
            let names: Vec<String> = players.iter().map(|&player| name(player)).collect();
            format!("no single value: {} choose at the same time in a reachable state", names.join(", "))
        }
        Undecided::Limit(limit) => limit.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::budget::Bound;
    use super::super::super::expansion::States;
    use super::super::super::forward::forward;
    use super::super::super::options::Order;
    use super::super::super::pass::Bounds;
    use super::super::super::probe::{Found, Probe};
    use super::super::super::progress::Silent;
    use super::*;
    use crate::sample::random_mixed_game;
    use base::limits::Limits;
    use game::diagnostic::Source;
    use game::ground::{GroundOptions, ground};
    use game::rules::Language;
    use std::sync::Arc;

    #[test]
    fn states_that_are_solved_once_have_the_values_of_all_layers() {
        let (mut solved, mut refused) = (0, 0);
        for seed in 0..150 {
            let text = random_mixed_game(seed);
            let (program, _) = Language::Gdl.program(&Source::new("mixed", text.as_bytes()));
            let game = ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game;
            let context = Context::new(Arc::new(Limits::unlimited()), 1 + seed as usize % 2);
            let mut probe = Probe::new(&game, true);
            let Found::Ended(all) = probe.look(&Order::Rules, Bound::Memory, &context).unwrap() else {
                panic!("it ends")
            };
            let Some(mut explored) = all.layers.filter(|explored| explored.whole().is_some()) else { continue };
            let expansion = &States::new(&game, all.variables, &context).exact();
            let groups = &all.groups;
            let (repeating, bounds, ends) = (None, Bounds::NONE, true);
            let (context, game) = (&context, &game);
            let pass =
                Pass { game, groups, expansion, context, listener: &Silent, solving: true, repeating, ends, bounds };
            let [mut once, mut by_layer] = [(); 2].map(|()| Spool::new(Some(u64::MAX), None, context));
            forward(&pass, &mut by_layer, &mut None).unwrap();
            let mut known = Some(explored);
            forward(&pass, &mut once, &mut known).unwrap();
            assert_eq!(format!("{:?}", once.figures()), format!("{:?}", by_layer.figures()), "seed {seed}");
            explored = known.unwrap();
            let options = SolveOptions::default();
            let rule: &dyn Rule = &options.ranking();
            let whole = explored.take_whole();
            let [once, by_layer] = [(&mut once, whole), (&mut by_layer, None)]
                .map(|(spool, whole)| backward(&pass, spool, whole, &options, rule));
            match (once, by_layer) {
                (Ok(once), Ok(by_layer)) => {
                    assert_eq!(once, by_layer, "seed {seed}");
                    solved += 1;
                }
                (Err(SolveError::Refused(once)), Err(SolveError::Refused(by_layer))) => {
                    assert_eq!(once.code, by_layer.code, "seed {seed}");
                    assert!(!once.state.is_empty());
                    refused += 1;
                }
                (once, by_layer) => panic!("seed {seed}: {:?} and {:?}", once.is_ok(), by_layer.is_ok()),
            }
        }
        assert!(solved > 20 && refused > 2, "{solved} solved, {refused} refused");
    }
}
