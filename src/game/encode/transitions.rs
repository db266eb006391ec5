//! The relations of all joint moves, in parts. Moves are united if the union takes hardly more nodes than they take
//! apart ([`merged`]). Moves with a condition apart are united only with moves of the same condition, which selects the
//! states to which they are applied.

use super::formulas::Formulas;
use super::relation::{RelationBuilder, Transition, merged, transition};
use super::{Analysis, EncodeError, move_names};
use crate::bdd::{Bdd, TooLarge};
use crate::propositional::NodeId;
use base::limits::Limits;
use kernel::{RelationId, Relations};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moves {
    pub roots: Vec<RelationId>,
    /// Lists of relations that are possible only in states that meet a condition, each list with the number of that
    /// condition in [`SymbolicGame::conditions`](super::SymbolicGame::conditions).
    pub guarded: Vec<(usize, Vec<RelationId>)>,
}

impl Moves {
    fn lists(&mut self) -> impl Iterator<Item = &mut Vec<RelationId>> {
        std::iter::once(&mut self.roots).chain(self.guarded.iter_mut().map(|(_, roots)| roots))
    }

    pub fn all(&self) -> Vec<RelationId> {
        self.roots.iter().chain(self.guarded.iter().flat_map(|(_, roots)| roots)).copied().collect()
    }

    /// The same moves in another store, where `name` gives the new id of each relation.
    pub fn renamed(&self, mut name: impl FnMut(RelationId) -> RelationId) -> Moves {
        let mut moves = self.clone();
        moves.lists().flatten().for_each(|root| *root = name(*root));
        moves
    }
}

/// A condition that stays apart from the relations of some moves, and the guards that these relations read.
pub struct Apart {
    pub condition: NodeId,
    pub guards: Vec<Bdd>,
}

pub struct Parts {
    pub relations: Relations,
    pub moves: Moves,
    pub by_cost: Vec<(u64, Moves)>,
    pub conditions: Vec<Apart>,
}

pub fn relations(analysis: &Analysis, formulas: &mut Formulas, limits: &Arc<Limits>) -> Result<Parts, EncodeError> {
    let mut relations = Relations::new();
    let mut builder = RelationBuilder::new(limits);
    let (mut parts, mut conditions) = (Vec::with_capacity(analysis.joints.len()), Vec::<Apart>::new());
    for joint in &analysis.joints {
        limits.check()?;
        let too_complex = || EncodeError::TooComplex(move_names(analysis.game, &joint.moves));
        let Some(transition) = transition(formulas, joint)? else { return Err(too_complex()) };
        formulas.manager.forget_results();
        let built = builder.build(formulas, &mut relations, &transition);
        let part = match built {
            Err(TooLarge::Nodes) => return Err(too_complex()),
            built => built?,
        };
        let apart = joint.apart.map(|condition| {
            let known = conditions.iter().position(|apart| apart.condition == condition);
            let number = known.unwrap_or_else(|| {
                conditions.push(Apart { condition, guards: Vec::new() });
                conditions.len() - 1
            });
            let Transition { guard, .. } = transition;
            conditions[number].guards.push(guard);
            number
        });
        parts.push((apart, part));
    }
    let mut moves = united(&mut relations, parts.iter().copied(), limits)?;
    let mut costs: BTreeMap<u64, Vec<(Option<usize>, RelationId)>> = BTreeMap::new();
    if analysis.game.roles.len() == 1 && !analysis.game.has_unit_costs() {
        for (joint, &part) in analysis.joints.iter().zip(&parts) {
            costs.entry(analysis.game.moves[joint.moves[0].index()].cost).or_default().push(part);
        }
    }
    let mut by_cost = Vec::with_capacity(costs.len());
    for (cost, parts) in costs {
        by_cost.push((cost, united(&mut relations, parts.into_iter(), limits)?));
    }
    let every = || std::iter::once(&moves).chain(by_cost.iter().map(|(_, moves)| moves));
    let (relations, all) = relations.compact(&every().flat_map(Moves::all).collect::<Vec<_>>());
    let mut names = all.into_iter();
    let every = std::iter::once(&mut moves).chain(by_cost.iter_mut().map(|(_, moves)| moves));
    for moves in every {
        *moves = moves.renamed(|_| names.next().expect("a new name for each relation"));
    }
    if by_cost.is_empty() && analysis.game.roles.len() == 1 {
        by_cost.push((1, moves.clone()));
    }
    Ok(Parts { relations, moves, by_cost, conditions })
}

fn united(
    relations: &mut Relations,
    parts: impl Iterator<Item = (Option<usize>, RelationId)>,
    limits: &Arc<Limits>,
) -> Result<Moves, EncodeError> {
    let (mut free, mut guarded) = (Vec::new(), BTreeMap::<usize, Vec<RelationId>>::new());
    for (condition, part) in parts {
        match condition {
            None => free.push(part),
            Some(number) => guarded.entry(number).or_default().push(part),
        }
    }
    let mut moves = Moves { roots: merged(relations, free, limits)?, guarded: Vec::with_capacity(guarded.len()) };
    for (number, parts) in guarded {
        moves.guarded.push((number, merged(relations, parts, limits)?));
    }
    Ok(moves)
}
