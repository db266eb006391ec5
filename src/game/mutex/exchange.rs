//! Proves claims about many fluents from the form of the rules for them, without a search.
//!
//! Where every rule for a member asks for a member that held before, a step replaces members by members. If at most one
//! held, two can follow only by two rules that ask for the same member and that can apply with the same moves. If one
//! held, one follows where some rule replaces it whatever a role does. Both are seen in the rules one by one. A search
//! looks at the pairs of members, which are too many for tuples of six names and more.

use super::invariant::{Bound, Invariant};
use crate::propositional::{FluentId, Game, MoveId, Node, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Claims about fewer fluents are left to searches, which prove more.
pub(super) const MANY: usize = 64;
/// Most rules that ask for the same member; more are not compared.
const MOST_RULES: usize = 256;

/// A rule for a member.
struct Replacement {
    after: FluentId,
    /// Moves that it asks for, each of another role.
    moves: Vec<MoveId>,
    /// It asks for nothing but the member before and the moves.
    always: bool,
}

/// Whether the claim holds after every step from a state in which it holds; false if this does not follow from single
/// rules.
pub(super) fn keeps(game: &Game, claim: &Invariant) -> bool {
    let members: FxHashSet<FluentId> = claim.members.iter().copied().collect();
    let mut by_before: FxHashMap<FluentId, Vec<Replacement>> = FxHashMap::default();
    let mut open: Vec<NodeId> = Vec::new();
    for &after in &claim.members {
        open.push(game.next[after.index()]);
        while let Some(node) = open.pop() {
            let parts = match game.graph.node(node) {
                Node::False => continue,
                Node::Or(rules) => {
                    open.extend(rules);
                    continue;
                }
                Node::And(parts) => parts,
                _ => std::slice::from_ref(&node),
            };
            let (mut before, mut moves, mut always) = (None, Vec::new(), true);
            for part in parts {
                match game.graph.node(*part) {
                    Node::Fluent(id) if before.is_none() && members.contains(id) => before = Some(*id),
                    Node::Move(id) => moves.push(*id),
                    _ => always = false,
                }
            }
            match before {
                Some(before) => by_before.entry(before).or_default().push(Replacement { after, moves, always }),
                None if claim.bound == Bound::AtMostOne => return false,
                None => {}
            }
        }
    }
    match claim.bound {
        Bound::AtMostOne => by_before.values().all(|rules| follow_apart(game, rules)),
        Bound::AtLeastOne => {
            let rules = claim.members.iter().map(|before| by_before.get(before));
            rules.into_iter().all(|rules| rules.is_some_and(|rules| one_applies(game, rules)))
        }
    }
}

/// Whether no two rules for different members can apply with the same moves.
fn follow_apart(game: &Game, rules: &[Replacement]) -> bool {
    let role = |id: &MoveId| game.moves[id.index()].role;
    let differ = |one: &MoveId, other: &MoveId| one != other && role(one) == role(other);
    let apart = |one: &Replacement, other: &Replacement| {
        one.after == other.after || one.moves.iter().any(|id| other.moves.iter().any(|next| differ(id, next)))
    };
    let mut rest = rules;
    rules.len() <= MOST_RULES
        && std::iter::from_fn(|| rest.split_first().inspect(|(_, behind)| rest = behind))
            .all(|(one, behind)| behind.iter().all(|other| apart(one, other)))
}

/// Whether some rule applies in each step.
fn one_applies(game: &Game, rules: &[Replacement]) -> bool {
    let certain = || rules.iter().filter(|rule| rule.always);
    let by: FxHashSet<MoveId> = certain().filter(|rule| rule.moves.len() == 1).map(|rule| rule.moves[0]).collect();
    certain().any(|rule| rule.moves.is_empty())
        || game
            .role_ids()
            .any(|role| game.moves_of(role).next().is_some() && game.moves_of(role).all(|id| by.contains(&id)))
}
