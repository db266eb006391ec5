//! Moves whose conditions are too large for their relations.
//!
//! In the forward direction, such a condition selects the states to which the relations are applied. Where the
//! relations themselves are needed, they are restricted to the selected states of a given set. A value diagram says for
//! each state of the set whether it is selected, and is arbitrary elsewhere, so it has hardly more nodes than the set.
//! A relation gets one node for each pair of a node of the relation and a node of this diagram that meet.

use base::limits::{LimitReached, Reserved};
use game::encode::{ConditionAutomaton, Renewed, SymbolicGame};
use kernel::{Context, Diagram, GUARDED_BYTES, Guarded, NONE, Reading, RelationId, RelationNode, Relations};
use std::borrow::Cow;

/// Number of pairs that restricted relations may take at first; the factor for the next attempt; and the divisor of the
/// free memory for the last attempt.
const FIRST: usize = 1 << 16;
const STEP: usize = 8;
const SHARE: u64 = 4;
/// Bytes of a node of restricted relations, with its entry in a table.
const NODE_BYTES: usize = 2 * size_of::<RelationNode>() + 2 * size_of::<(RelationNode, RelationId)>();

pub struct OfStates<'a> {
    pub relations: Cow<'a, Relations>,
    pub roots: Cow<'a, [RelationId]>,
    _held: Option<Reserved<'a>>,
}

impl<'a> OfStates<'a> {
    pub fn of(relations: &'a Relations, roots: impl Into<Cow<'a, [RelationId]>>) -> Self {
        OfStates { relations: Cow::Borrowed(relations), roots: roots.into(), _held: None }
    }

    pub fn owned(relations: Relations, roots: Vec<RelationId>) -> Self {
        OfStates { relations: Cow::Owned(relations), roots: roots.into(), _held: None }
    }
}

/// The states of a set in which a condition holds.
pub fn select(
    states: &Diagram,
    condition: &Renewed<ConditionAutomaton>,
    context: &Context,
) -> Result<Diagram, LimitReached> {
    let automaton = condition.begin()?;
    kernel::classify(states, &*automaton, automaton.start(), context)
}

/// Relations that are the moves of the states of a set; they are arbitrary for other states.
pub fn moves<'a>(game: &'a SymbolicGame, states: &Diagram, context: &'a Context) -> Result<OfStates<'a>, LimitReached> {
    let SymbolicGame { relations, moves, conditions, .. } = game;
    if moves.guarded.is_empty() {
        return Ok(OfStates::of(relations, &moves.roots));
    }
    let (mut free, mut selections) = (moves.roots.clone(), Vec::new());
    let all = kernel::renamed(states, |_| 1, context)?;
    for (condition, roots) in &moves.guarded {
        let selected = select(states, &conditions[*condition], context)?;
        if selected.equals(&all, context)? {
            free.extend(roots);
        } else if !selected.is_empty() {
            let over = kernel::renamed(&selected, |_| 2, context)?;
            let whether = kernel::as_values(&kernel::overlay(&all, &over, context)?, context)?;
            selections.push((whether, roots));
        }
    }
    if selections.is_empty() {
        return Ok(OfStates::of(relations, free));
    }
    let readings: Vec<_> = selections.iter().map(|(whether, roots)| (Reading(whether), &roots[..])).collect();
    let restricted: Vec<_> =
        (readings.iter()).map(|(automaton, roots)| Guarded { roots, automaton, start: automaton.start() }).collect();
    let (limits, mut most) = (context.limits(), FIRST);
    loop {
        let last = (limits.free() / SHARE) as usize / GUARDED_BYTES;
        most = most.min(last);
        let trying = limits.hold((most * GUARDED_BYTES) as u64)?;
        if let Some((relations, mut roots)) = kernel::guarded(relations, &free, &restricted, most)? {
            drop(trying);
            roots.retain(|&root| root != NONE);
            let held = limits.hold((relations.nodes().len() * NODE_BYTES) as u64)?;
            return Ok(OfStates { relations: Cow::Owned(relations), roots: roots.into(), _held: Some(held) });
        }
        if most == last {
            let what = "pairs of nodes of a set and of moves whose conditions are large".to_owned();
            return Err(LimitReached::Size { what, limit: last as u64 });
        }
        most = most.saturating_mul(STEP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit::explore;
    use crate::sample::{random_cyclic_game, random_cyclic_game_of_many};
    use crate::solve::expansion::{Expansion, Relations as Engine};
    use base::limits::Limits;
    use game::diagnostic::Source;
    use game::encode::{Analysis, Effort};
    use game::ground::{GroundOptions, ground};
    use game::mutex;
    use game::propositional::Game;
    use game::rules::Language;
    use std::sync::Arc;

    fn grounded(text: &str) -> Game {
        let (program, _) = Language::Gdl.program(&Source::new("rules", text.as_bytes()));
        ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game
    }

    /// Compares the moves of each state with the interpreter: forward, backward, and as relations of all states.
    /// Returns how many conditions are apart; `None` if they are too many.
    fn compare(game: &Game, room: usize, name: &str) -> Option<usize> {
        let limits = Arc::new(Limits::unlimited());
        let groups = mutex::groups(game, &mutex::Effort::default(), &limits).unwrap();
        let effort = Effort { room, ..Effort::default() };
        let analysis = Analysis::within(game, &groups, &effort, &limits).ok()?;
        let order: Vec<usize> = (0..groups.len()).collect();
        let symbolic = SymbolicGame::new(&analysis, &order, &limits).unwrap();
        let apart = symbolic.conditions.len();
        let context = Context::new(limits.clone(), 2);
        let engine = Engine::new(&analysis, symbolic, &context);
        let exploration = explore(game, 100_000).unwrap();
        let single = |id| {
            let flags: Vec<bool> = game.fluent_ids().map(|fluent| exploration.state(id).contains(fluent)).collect();
            Diagram::single(engine.variables().levels(), &engine.variables().assignment(&flags))
        };
        let singles: Vec<Diagram> = exploration.ids().map(single).collect();
        let all = kernel::union(&singles.iter().collect::<Vec<_>>(), &context).unwrap();
        let open = kernel::difference(&all, &engine.terminals(&all).unwrap(), &context).unwrap();
        let moves = moves(engine.by_rank().unwrap(), &open, &context).unwrap();
        let mut before = vec![Vec::new(); singles.len()];
        for (place, id) in exploration.ids().enumerate() {
            let mut next = vec![Diagram::constant(all.levels(), 0)];
            for &successor in exploration.successors(id) {
                next.push(single(successor));
                before[exploration.ids().position(|id| id == successor).unwrap()].push(&singles[place]);
            }
            let next = kernel::union(&next.iter().collect::<Vec<_>>(), &context).unwrap();
            let found = engine.successors(&singles[place]).unwrap();
            assert!(found.equals(&next, &context).unwrap(), "{name}, {room}: successors");
            let own = kernel::intersection(&singles[place], &open, &context).unwrap();
            let found = kernel::image(&own, &moves.relations, &moves.roots, &context).unwrap();
            assert!(found.equals(&next, &context).unwrap(), "{name}, {room}: moves as relations");
        }
        for (place, before) in before.into_iter().enumerate() {
            let none = Diagram::constant(all.levels(), 0);
            let before = kernel::union(&before.into_iter().chain([&none]).collect::<Vec<_>>(), &context).unwrap();
            let found = engine.predecessors(&open, &singles[place]).unwrap();
            assert!(found.equals(&before, &context).unwrap(), "{name}, {room}: predecessors");
        }
        Some(apart)
    }

    #[test]
    fn moves_whose_conditions_are_apart_are_those_of_the_rules() {
        let mut some = 0;
        for seed in 0..60 {
            for game in [random_cyclic_game(seed), random_cyclic_game_of_many(seed)] {
                let apart = compare(&grounded(&game), seed as usize % 3, &seed.to_string()).unwrap_or(0);
                some += u32::from(apart > 0);
            }
        }
        assert!(some >= 3, "{some} of 120 games have such conditions");
    }
}
