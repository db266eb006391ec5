//! Strengthens the parts of the terminal condition by literals that every last move leaves behind.
//!
//! A part is a condition that by itself ends the game. If it does not hold initially, only the last move can have made
//! it true. If every move that can make it true leaves the same literals behind, these literals hold in every reachable
//! state in which the part holds. An example is a line of one player, after which it is the other player's turn. The
//! added literals keep the automata of the parts small and make parts exclude each other.

use super::PART_ROOM;
use super::formulas::Formulas;
use super::joint::Joint;
use super::relation::{Transition, transition};
use super::variables::FluentCode;
use crate::bdd::{Bdd, TooLarge};
use crate::propositional::{FluentId, Game, Node, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bound on the number of parts.
const PARTS: usize = 4096;
/// Bound on the nodes of the diagram of a part.
const SIZE: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strengthening {
    pub part: NodeId,
    pub literals: Vec<(FluentId, bool)>,
    pub never: bool,
}

pub fn strengthen(game: &Game, joints: &[Joint], formulas: &mut Formulas) -> Result<Vec<Strengthening>, TooLarge> {
    let mut transitions = Vec::with_capacity(joints.len());
    for joint in joints {
        match transition(formulas, joint)? {
            Some(transition) => transitions.push(transition),
            None => return Ok(Vec::new()),
        }
    }
    formulas.room = PART_ROOM;
    let users = users_by_level(&transitions);
    let initial = formulas.variables.assignment(&game.init);
    let mut result = Vec::new();
    for part in disjuncts(game) {
        let Some(bdd) = formulas.small(part)? else { continue };
        if bdd.is_constant() || formulas.manager.size(bdd) > SIZE || formulas.manager.evaluate(bdd, &initial) {
            continue;
        }
        let support = formulas.manager.support(bdd);
        let touching: FxHashSet<usize> =
            support.iter().filter_map(|level| users.get(level)).flatten().copied().collect();
        let mut touching: Vec<usize> = touching.into_iter().collect();
        touching.sort_unstable();
        let mut common: Option<Vec<(u32, bool)>> = None;
        for index in touching {
            let Some(left_behind) = left_behind(formulas, &transitions[index], bdd)? else { continue };
            common = Some(match common {
                None => left_behind,
                Some(common) => common.into_iter().filter(|literal| left_behind.contains(literal)).collect(),
            });
            if common.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        let never = common.is_none();
        let literals: Vec<(FluentId, bool)> = common
            .unwrap_or_default()
            .into_iter()
            .filter(|literal| !support.contains(&literal.0))
            .map(|(level, value)| (formulas.variables.fluent(level), value))
            .collect();
        if never || !literals.is_empty() {
            result.push(Strengthening { part, literals, never });
        }
    }
    Ok(result)
}

/// The nodes that by themselves make a state terminal and are not disjunctions.
fn disjuncts(game: &Game) -> Vec<NodeId> {
    let (mut seen, mut parts, mut stack) = (FxHashSet::default(), Vec::new(), vec![game.terminal]);
    while let Some(node) = stack.pop() {
        if !seen.insert(node) || parts.len() >= PARTS {
            continue;
        }
        match game.graph.node(node) {
            shape @ Node::Or(_) => stack.extend(shape.children()),
            _ => parts.push(node),
        }
    }
    parts.sort_unstable();
    parts
}

fn users_by_level(transitions: &[Transition]) -> FxHashMap<u32, Vec<usize>> {
    let mut users: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (index, transition) in transitions.iter().enumerate() {
        for &(level, _) in &transition.effects {
            users.entry(level).or_default().push(index);
        }
    }
    users
}

/// The literals of changed variables that hold whenever the transition has made `part` true; `None` if it never does.
fn left_behind(
    formulas: &mut Formulas,
    transition: &Transition,
    part: Bdd,
) -> Result<Option<Vec<(u32, bool)>>, TooLarge> {
    let substitution: FxHashMap<u32, Bdd> = transition.effects.iter().copied().collect();
    let after = formulas.manager.compose(part, &substitution, &mut FxHashMap::default())?;
    let not_before = formulas.manager.not(part)?;
    let made = formulas.manager.and(not_before, after)?;
    let made = formulas.manager.and(made, transition.guard)?;
    if !formulas.meet(made, Bdd::TRUE)? {
        return Ok(None);
    }
    let mut literals = Vec::new();
    for &(level, value) in &transition.effects {
        let failing = formulas.manager.not(value)?;
        for (holds, other) in [(true, failing), (false, value)] {
            if !formulas.meet(made, other)? {
                literals.push((level, holds));
                break;
            }
        }
    }
    Ok(Some(literals))
}

/// Replaces each strengthened part, in all formulas, by its conjunction with its literals, or by false (`never`).
pub fn apply(formulas: &mut Formulas, strengthenings: &[Strengthening]) -> Result<(), TooLarge> {
    for strengthening in strengthenings {
        let Some(mut meaning) = formulas.small(strengthening.part)? else { continue };
        if strengthening.never {
            meaning = Bdd::FALSE;
        }
        for &(fluent, value) in &strengthening.literals {
            let literal = match formulas.variables.code(fluent) {
                FluentCode::Level(level) => formulas.manager.literal(level, value)?,
                FluentCode::Default(_) => {
                    let holds = formulas.fluent(fluent)?;
                    if value { holds } else { formulas.manager.not(holds)? }
                }
            };
            meaning = formulas.manager.and(meaning, literal)?;
        }
        formulas.replace(strengthening.part, meaning);
    }
    formulas.forget();
    Ok(())
}
