//! Prepares the solution of a game: its mutex groups, and the expansion of its states.

use super::budget::{Bound, Seen};
use super::expansion::{Alternative, Expansion, Relations, States};
use super::explored::Explored;
use super::ledger::{FIRST_EFFORT, LITERAL, Ledger};
use super::options::{EngineChoice, ExpansionChoice, SolveError, SolveOptions};
use super::outcome::Algorithm;
use super::pass::{Bounds, Pass};
use super::probe::{All, Found, Probe};
use super::progress::{Event, Listener, Stage};
use super::record::lists_states;
use super::{Stages, global, order};
use crate::store::manifest::{EncodingSize, Manifest};
use base::digits::counted;
use base::limits::LimitReached;
use game::bdd::Steps;
use game::encode::{Analysis, Effort, EncodeError, SymbolicGame, Variables, defaults};
use game::interpreter::State;
use game::mutex;
use game::propositional::{Game, Group};
use kernel::Context;

/// A look at every state is given up beyond this multiple of the number that was foretold.
const MISJUDGED: u64 = 4;
/// Under a smaller memory bound, rules that are too complex count as a lack of memory.
const LEAST_MEMORY: u64 = 64 << 20;
const TOO_LITTLE: &str = "the bound is too small for the decision diagrams of the rules";

pub struct Prepared<'a> {
    pub groups: Vec<Group>,
    pub expansion: Box<dyn Expansion + 'a>,
    /// All states, if the probe found them.
    pub explored: Option<Explored>,
    /// A state on a cycle by level, if the probe found one.
    repeating: Option<Vec<bool>>,
    /// The probe found all states, and no state repeats.
    pub ends: bool,
    /// A look at every state may follow if it is quicker.
    may_list: bool,
}

impl<'a> Prepared<'a> {
    fn new(
        groups: Vec<Group>,
        expansion: Box<dyn Expansion + 'a>,
        explored: Option<Explored>,
        probe: &Probe,
    ) -> Prepared<'a> {
        let flags = |state: State| probe.game.fluent_ids().map(|id| state.contains(id)).collect::<Vec<bool>>();
        let repeating = probe.repeating.clone().map(|state| expansion.variables().assignment(&flags(state)));
        Prepared { groups, expansion, explored, repeating, ends: probe.ends, may_list: false }
    }

    fn of_states(
        groups: Vec<Group>,
        probe: &Probe<'a>,
        exact: bool,
        options: &SolveOptions,
        context: &'a Context,
    ) -> Result<Prepared<'a>, SolveError> {
        let game = probe.game;
        let order = order::without_trial(game, &groups, &options.order)?;
        let defaults = defaults(game, &groups, context.limits())?;
        let variables = Variables::new(game.fluents.len(), &groups, &defaults, &order);
        let states = States::new(game, variables, context);
        let expansion = Box::new(if exact { states.exact() } else { states });
        Ok(Prepared::new(groups, expansion, None, probe))
    }

    fn of_all(all: All<'a>, probe: &Probe<'a>, exact: bool, context: &'a Context) -> Prepared<'a> {
        let All { groups, variables, layers, engine, .. } = all;
        let states = States::with(engine, probe.game, variables, context);
        let expansion = Box::new(if exact { states.exact() } else { states });
        Prepared::new(groups, expansion, layers, probe)
    }

    /// `seen`: what the probe saw, if it ran; then a layer may be expanded by states, too.
    fn of_relations(
        (groups, mut relations): (Vec<Group>, Relations<'a>),
        probe: &Probe<'a>,
        seen: Option<&Seen>,
        options: &SolveOptions,
        context: &'a Context,
    ) -> Prepared<'a> {
        if seen.is_some() || options.expansion == ExpansionChoice::Both {
            let states = States::new(probe.game, relations.variables().clone(), context);
            relations = relations.or(Alternative::new(states, seen.map(Seen::state), context));
        }
        // Processes of a team make the same sweeps.
        let may_list = seen.is_some_and(|seen| seen.states > 0) && !options.team.is_shared();
        Prepared { may_list, ..Prepared::new(groups, Box::new(relations), None, probe) }
    }

    /// Looks at every state, of which there should be `states`. Groups and variables stay as they are, so that layers
    /// are stored in the same bytes. If there are far more states, or they take too much memory, the expansion stays,
    /// too.
    pub fn list(
        &mut self,
        (game, states): (&'a Game, u64),
        options: &SolveOptions,
        context: &'a Context,
        stages: &mut Stages,
    ) -> Result<(), SolveError> {
        self.may_list = false;
        let mut probe = Probe::of_groups(game, self.groups.clone(), self.expansion.variables().clone(), context);
        let bound = Bound::States(states.saturating_mul(MISJUDGED));
        match look(&mut probe, options, bound, context, stages)? {
            Found::Ended(all) => *self = Prepared::of_all(*all, &probe, false, context),
            Found::Open(_) => {
                let text =
                    "decision diagrams again: there are more states than foretold, or they do not fit".to_owned();
                stages.listener.event(&Event::Message(text));
            }
        }
        Ok(())
    }

    /// No look at every state follows, even if it is quicker.
    pub fn keep(&mut self) {
        self.may_list = false;
    }

    /// The pass over a game that was prepared, without bounds.
    pub fn pass<'p>(
        &'p self,
        game: &'p Game,
        context: &'p Context,
        listener: &'p dyn Listener,
        solving: bool,
    ) -> Pass<'p> {
        let Prepared { groups, expansion, repeating, ends, may_list, .. } = self;
        let (expansion, repeating) = (&**expansion, repeating.as_deref());
        let (ends, bounds) = (*ends, Bounds { may_list: *may_list, ..Bounds::NONE });
        Pass { game, groups, expansion, context, listener, solving, repeating, ends, bounds }
    }
}

/// The mutex groups and the expansion that the options ask for. By default, states are expanded one by one if there are
/// few, otherwise by relations unless the rules are too complex. A stored solution keeps its expansion and groups,
/// because the effort for groups depends on the memory that the probe had. `solving`: if rules are too complex, the
/// probe may look at all states without a bound, which takes as long as the forward pass.
pub fn prepared<'a>(
    game: &'a Game,
    options: &SolveOptions,
    (stored, solving): (Option<&Manifest>, bool),
    context: &'a Context,
    stages: &mut Stages,
) -> Result<Prepared<'a>, SolveError> {
    let by_states = stored.map(lists_states);
    let exact = options.algorithm == Some(Algorithm::Exact);
    let fits = |groups: &[Group]| {
        let sizes = |encoding: &EncodingSize| (encoding.groups, encoding.bits);
        let bits = groups.iter().map(|group| group.bits() as usize).sum();
        stored.is_none_or(|manifest| sizes(&manifest.encoding) == (groups.len(), bits))
    };
    let free = options.expansion == ExpansionChoice::Auto && options.engine == EngineChoice::Auto;
    let free = free && options.algorithm.is_none_or(Algorithm::is_stored);
    let stays = |all: &All, repeats: bool| {
        let is_listed = by_states == Some(true) || !free || !repeats || may_be_listed(all, context);
        by_states != Some(false) && is_listed && fits(&all.groups)
    };
    let mut probe = Probe::new(game, exact);
    let mut seen = None;
    if by_states == Some(true) || free || exact {
        match look(&mut probe, options, Bound::Little, context, stages)? {
            Found::Ended(all) if stays(&all, probe.repeating.is_some()) => {
                return Ok(Prepared::of_all(*all, &probe, exact, context));
            }
            Found::Ended(all) if stored.is_none() => return without_lists(*all, &probe, options, context, stages),
            Found::Ended(_) => {}
            Found::Open(open) => seen = Some(open),
        }
    } else if options.algorithm.is_none_or(Algorithm::is_stored) {
        look(&mut probe, options, Bound::Few, context, stages)?;
    }
    let mut ledger = Ledger::of(seen.as_ref());
    let mut found = None;
    if options.expansion != ExpansionChoice::States && by_states != Some(true) && !exact {
        let (groups, spent) = proved_groups(game, &mut ledger, fits, context, stages)?;
        // A stored solution keeps its relations, however long they take to make.
        let open = seen.as_ref().filter(|_| stored.is_none());
        if let Some(open) = open.filter(|_| spent > FIRST_EFFORT / 2)
            && let Found::Ended(all) = look(&mut probe, options, Bound::Work(open.work + spent), context, stages)?
        {
            return Ok(Prepared::of_all(*all, &probe, exact, context));
        }
        let bound = open.and_then(|open| match open.foretold {
            Some(states) => solving.then(|| Bound::States(states.saturating_mul(MISJUDGED))),
            None => Some(Bound::Work(open.work + spent + 2 * FIRST_EFFORT)),
        });
        let steps = if open.is_some() { ledger.steps() } else { Steps::UNLIMITED };
        match relations_or_states(&mut probe, &groups, options, (steps, &mut ledger, bound), context, stages) {
            Ok(Err(all)) => return Ok(Prepared::of_all(*all, &probe, exact, context)),
            Ok(Ok(relations)) => {
                return Ok(Prepared::of_relations((groups, relations), &probe, seen.as_ref(), options, context));
            }
            Err(SolveError::TooComplex(reason)) if reason.is_of_size() && context.limits().memory() < LEAST_MEMORY => {
                let (used, limit) = (context.limits().used(), context.limits().memory());
                let limit = LimitReached::Memory { wanted: LEAST_MEMORY - used, used, limit };
                return Err(limit.during(|| TOO_LITTLE.to_owned()).into());
            }
            Err(SolveError::TooComplex(reason)) if options.expansion == ExpansionChoice::Auto => {
                stages.listener.event(&Event::Message(format!("each state by itself: {reason}")));
            }
            Err(error) => return Err(error),
        }
        found = Some(groups);
    }
    if seen.is_some()
        && solving
        && let Found::Ended(all) = look(&mut probe, options, Bound::Memory, context, stages)?
        && fits(&all.groups)
    {
        return Ok(Prepared::of_all(*all, &probe, exact, context));
    }
    let groups = match found {
        Some(groups) => groups,
        None => proved_groups(game, &mut ledger, fits, context, stages)?.0,
    };
    Prepared::of_states(groups, &probe, exact, options, context)
}

/// Prepares relations although all states were found, as lists of their moves do not fit into memory: with relations,
/// the states may be settled by rank. If these are too complex, the states are expanded one by one.
fn without_lists<'a>(
    mut all: All<'a>,
    probe: &Probe<'a>,
    options: &SolveOptions,
    context: &'a Context,
    stages: &mut Stages,
) -> Result<Prepared<'a>, SolveError> {
    all.layers = None;
    // A run that goes on with this solution does not know the figures of the states, and finds groups without a bound.
    let (steps, mut ledger) = (Ledger::of(Some(&all.seen)).steps(), Ledger::of(None));
    let (groups, _) = proved_groups(probe.game, &mut ledger, |_| true, context, stages)?;
    let bounds = (steps, probe.repeating.is_some(), &mut ledger);
    let reason = match relations(probe.game, &groups, options, bounds, context, stages) {
        Ok(relations) => return Ok(Prepared::of_relations((groups, relations), probe, None, options, context)),
        Err(SolveError::TooComplex(reason)) => reason.to_string(),
        Err(SolveError::Limit(limit)) if limit.is_want_of_room() => limit.to_string(),
        Err(error) => return Err(error),
    };
    stages.listener.event(&Event::Message(format!("each state by itself: {reason}")));
    Ok(Prepared::of_all(all, probe, false, context))
}

/// Whether the moves of all states fit into memory.
fn may_be_listed(all: &All, context: &Context) -> bool {
    global::may_be_listed(all.variables.levels(), all.seen.states, context.limits())
}

/// Finds mutex groups; also returns the effort in nanoseconds. If a stored solution has other groups, they are found
/// again with the full effort.
fn proved_groups(
    game: &Game,
    ledger: &mut Ledger,
    fits: impl Fn(&[Group]) -> bool,
    context: &Context,
    stages: &mut Stages,
) -> Result<(Vec<Group>, u64), SolveError> {
    let most = mutex::Effort::default();
    let little = ledger.affords(LITERAL, 0).map(|work| work.min(most.work));
    stages.run(Stage::Groups, || {
        let mut found =
            mutex::find(game, &mutex::Effort { work: little.unwrap_or(most.work), ..most }, context.limits())?;
        if little.is_some() && !fits(&found.groups) {
            found = mutex::find(game, &most, context.limits())?;
        }
        let spent = ledger.spend(found.work, LITERAL);
        let detail = format!("{} groups", found.groups.len());
        Ok(((found.groups, spent), detail))
    })
}

/// Runs the probe, or continues it.
fn look<'g>(
    probe: &mut Probe<'g>,
    options: &SolveOptions,
    bound: Bound,
    context: &Context,
    stages: &mut Stages,
) -> Result<Found<'g>, SolveError> {
    stages.run(Stage::Probe, || {
        let found = probe.look(&options.order, bound, context)?;
        let detail = match &found {
            Found::Ended(all) => {
                format!("all states, {} gates a batch, {} groups", all.seen.gates, all.groups.len())
            }
            Found::Open(Seen { states, layers, gates, all, foretold, .. }) => {
                let all = match (all, foretold) {
                    (Some(all), Some(_)) => format!(", all in about {} ms", all / 1_000_000),
                    (Some(_), None) => ", the end is far away".to_owned(),
                    (None, _) => String::new(),
                };
                let (states, layers) = (counted(states, "state"), counted(layers, "layer"));
                format!("{states} in {layers}, {gates} gates a batch{all}")
            }
        };
        Ok((found, detail))
    })
}

/// The relations; or all states, if `steps` do not suffice and the probe finds these then. `bound`: how far the probe
/// may go on.
fn relations_or_states<'a>(
    probe: &mut Probe<'a>,
    groups: &[Group],
    options: &SolveOptions,
    (steps, ledger, bound): (Steps, &mut Ledger, Option<Bound>),
    context: &'a Context,
    stages: &mut Stages,
) -> Result<Result<Relations<'a>, Box<All<'a>>>, SolveError> {
    let bounds = (steps, probe.repeating.is_some(), &mut *ledger);
    match (relations(probe.game, groups, options, bounds, context, stages), bound) {
        (Err(SolveError::TooComplex(reason @ EncodeError::TooLong)), Some(bound)) => {
            stages.listener.event(&Event::Message(format!("each state by itself: {reason}")));
            if let Found::Ended(all) = look(probe, options, bound, context, stages)? {
                return Ok(Err(all));
            }
            // There are more states than were foretold, or than a look at each is worth.
            let bounds = (Steps::UNLIMITED, probe.repeating.is_some(), ledger);
            relations(probe.game, groups, options, bounds, context, stages).map(Ok)
        }
        (found, _) => found.map(Ok),
    }
}

fn relations<'a>(
    game: &Game,
    groups: &[Group],
    options: &SolveOptions,
    (steps, repeats, ledger): (Steps, bool, &mut Ledger),
    context: &'a Context,
    stages: &mut Stages,
) -> Result<Relations<'a>, SolveError> {
    let limits = context.limits();
    let mut analysis = stages.run(Stage::Encode, || {
        let analysis = Analysis::within(game, groups, &Effort { steps, ..Effort::default() }, limits)?;
        let detail = counted(analysis.joint_moves(), "joint move");
        Ok((analysis, detail))
    })?;
    let order = stages.run(Stage::Order, || order::choose(&analysis, &options.order, (repeats, ledger), context))?;
    // The order that is left was encoded before.
    analysis.steps = Steps::UNLIMITED;
    stages.run(Stage::Encode, || {
        let symbolic = SymbolicGame::new(&analysis, &order, limits)?;
        let (levels, nodes, parts) =
            (symbolic.variables.levels(), symbolic.relations.nodes().len(), symbolic.moves.all().len());
        let apart = match symbolic.conditions.len() {
            0 => String::new(),
            conditions => format!(", {} apart", counted(conditions, "condition")),
        };
        let (bits, nodes) = (counted(levels, "bit"), counted(nodes, "relation node"));
        let detail = format!("{bits}, {nodes} in {}{apart}", counted(parts, "part"));
        Ok((Relations::new(&analysis, symbolic, context).grouped().shared_by(&options.team), detail))
    })
}

#[cfg(test)]
mod tests {
    use super::super::outcome::Engine;
    use super::super::progress::Silent;
    use super::super::stored;
    use super::*;
    use crate::sample::handmade::lines;
    use base::limits::Limits;
    use std::sync::Arc;

    /// The number of all states, if the diagrams of the rules have so few steps that the probe looks at every state.
    fn listed(steps: Steps, memory: u64, foretold: Option<u64>) -> Result<Option<u64>, SolveError> {
        let (game, options) = (lines(3, 3, 3), SolveOptions::default());
        let groups = mutex::groups(&game, &mutex::Effort::default(), &Limits::unlimited())?;
        let context = Context::new(Arc::new(Limits::new(memory)), 1);
        let (mut probe, mut ledger) = (Probe::new(&game, false), Ledger::of(None));
        let mut stages = Stages { listener: &Silent, times: Vec::new() };
        let bound = foretold.map(|states| Bound::States(states.saturating_mul(MISJUDGED)));
        let bounds = (steps, &mut ledger, bound);
        let found = relations_or_states(&mut probe, &groups, &options, bounds, &context, &mut stages)?;
        Ok(found.err().map(|all| all.seen.states))
    }

    #[test]
    fn rules_whose_diagrams_take_long_are_looked_at_state_by_state() {
        let few = || Steps::at_most(100);
        let all = Some(5_478);
        assert_eq!(listed(few(), 1 << 30, all).unwrap(), all);
        assert_eq!(listed(Steps::UNLIMITED, 1 << 30, all).unwrap(), None);
        // The probe does nothing with so little memory, and gives up where there are far more states than foretold.
        assert_eq!(listed(few(), 4 << 20, all).unwrap(), None, "the rules are encoded anew");
        assert_eq!(listed(few(), 1 << 30, Some(100)).unwrap(), None, "the rules are encoded anew");
        let refused = listed(few(), 1 << 30, None);
        assert!(matches!(refused, Err(SolveError::TooComplex(EncodeError::TooLong))));
    }

    #[test]
    fn relations_are_left_for_all_states_unless_there_are_far_more_than_foretold() {
        let (game, options) = (lines(3, 3, 3), SolveOptions::default());
        let context = Context::new(Arc::new(Limits::unlimited()), 1);
        for (foretold, listed) in [(5_478, true), (5_478 / MISJUDGED + 1, true), (100, false)] {
            let mut stages = Stages { listener: &Silent, times: Vec::new() };
            let by_relations = SolveOptions { expansion: ExpansionChoice::Relations, ..options.clone() };
            let prepared = prepared(&game, &by_relations, (None, true), &context, &mut stages).unwrap();
            assert!(!prepared.pass(&game, &context, &Silent, true).bounds.may_list, "relations were asked for");
            let encoded = stored::encoded(&prepared.pass(&game, &context, &Silent, true));
            let mut prepared = Prepared { may_list: true, ..prepared };
            assert!(prepared.pass(&game, &context, &Silent, true).bounds.may_list);
            prepared.list((&game, foretold), &options, &context, &mut stages).unwrap();
            assert_eq!(stored::encoded(&prepared.pass(&game, &context, &Silent, true)), encoded);
            let engine = if listed { Engine::Explicit } else { Engine::Symbolic };
            assert_eq!((prepared.expansion.engine(), prepared.explored.is_some()), (engine, listed));
            assert!(!prepared.pass(&game, &context, &Silent, true).bounds.may_list, "it is done once");
        }
    }
}
