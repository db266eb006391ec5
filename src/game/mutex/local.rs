//! Proves one claim from the part of the game that it depends on.
//!
//! Only moves that change members of the claim are encoded; of those each role chooses at most one, whether or not it
//! has other moves. Only claims about fluents that occur are assumed. Both only allow more behaviour than the game has,
//! so a proof that the claim never fails is valid; and games with thousands of moves lead to small SAT problems.

use super::invariant::{Bound, Invariant};
use crate::proof::{Answer, Encoding, Literal};
use crate::propositional::{FluentId, Game};
use std::collections::BTreeMap;

/// By fluent: the indices of the claims that have it as a member.
pub(super) struct ByFluent(Vec<Vec<u32>>);

impl ByFluent {
    pub fn new<'a>(game: &Game, claims: impl Iterator<Item = (usize, &'a Invariant)>) -> Self {
        let mut lists = vec![Vec::new(); game.fluents.len()];
        for (index, claim) in claims {
            claim.members.iter().for_each(|id| lists[id.index()].push(index as u32));
        }
        ByFluent(lists)
    }
}

/// Bound on the conflicts of a search that assumes nothing but the claim itself.
const ALONE: u64 = 100;

/// The claims that a proof of claim `number`, which is `target`, uses, if one is found within `conflicts`; and the work
/// that it took. `first_alone`: whether a proof from the claim itself is looked for first, which is quick where claims are
/// many. `bound_of` returns the bound and the number of members of a claim; `encoding` is for parts and may be used again.
pub(super) fn prove(
    encoding: &mut Encoding,
    (number, target): (u32, &Invariant),
    by_fluent: &ByFluent,
    bound_of: impl Fn(u32) -> (Bound, usize),
    conflicts: u64,
    first_alone: bool,
) -> (Option<Vec<u32>>, u64) {
    encoding.forget();
    let game = encoding.game;
    let nodes: Vec<_> = target.members.iter().map(|id| game.next[id.index()]).collect();
    let after = encoding.nodes(&nodes);
    let mut assumptions = match target.bound {
        Bound::AtMostOne => vec![encoding.sat.at_least_two(&after)],
        Bound::AtLeastOne => after.iter().map(|&member| !member).collect(),
    };
    encoding.choose_used_moves();

    let mut known: BTreeMap<u32, Vec<FluentId>> = BTreeMap::new();
    for id in encoding.used_fluents() {
        by_fluent.0[id.index()].iter().for_each(|&claim| known.entry(claim).or_default().push(id));
    }
    let mut assumed: Vec<(u32, Literal)> = Vec::new();
    for (alone, conflicts) in [(true, ALONE.min(conflicts)), (false, conflicts)] {
        for (&claim, members) in known.iter().filter(|&(&claim, _)| (claim == number) == alone) {
            let (bound, count) = bound_of(claim);
            let useful = if bound == Bound::AtMostOne { members.len() > 1 } else { members.len() == count };
            if !useful {
                continue;
            }
            let guard = encoding.sat.literal();
            let mut literals = encoding.fluents(members);
            if bound == Bound::AtMostOne {
                encoding.sat.at_most_one(guard, &literals);
            } else {
                literals.push(!guard);
                encoding.sat.add(literals);
            }
            assumed.push((claim, guard));
            assumptions.push(guard);
        }
        let asks = first_alone || !alone;
        if asks && encoding.sat.solve(&assumptions, conflicts) == Answer::Unsatisfiable {
            let used = assumed.iter().filter(|(_, guard)| encoding.sat.used(*guard)).map(|(claim, _)| *claim);
            return (Some(used.collect()), encoding.sat.work());
        }
    }
    (None, encoding.sat.work())
}
