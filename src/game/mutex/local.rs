//! Proves one claim from the part of the game on which it depends.
//!
//! Only moves that change members of the claim are encoded; each role chooses at most one of them, whether or not it
//! has other moves. If they are most of a role's moves, its other moves are encoded, too, and it chooses exactly one.
//! Only claims about occurring fluents are assumed. All this only permits more behaviour than the game has, so a proof
//! that the claim never fails is valid; and games with thousands of moves lead to small SAT problems.

use super::invariant::{Bound, Invariant};
use crate::proof::{Answer, Encoding, Literal};
use crate::propositional::{FluentId, Game};
use base::limits::{LimitReached, Limits};
use std::collections::BTreeMap;

/// For each fluent, the indices of the claims that have it as a member.
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

const FEW: u64 = 100;

/// The claims that a search assumes: the claim itself; the wanted claims, which must be proved in any case; all claims.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Assumed {
    Itself,
    Wanted,
    All,
}

/// The part of a game on which the members of a claim depend after a step, in a SAT solver.
pub(super) struct Part<'a> {
    encoding: Encoding<'a>,
    by_fluent: &'a ByFluent,
    members: Vec<FluentId>,
    /// The claims about fluents of the part: these fluents, and the literal that assumes the claim, once it is needed.
    known: BTreeMap<u32, (Vec<FluentId>, Option<Literal>)>,
    after: Vec<Literal>,
}

impl<'a> Part<'a> {
    pub fn new(game: &'a Game, by_fluent: &'a ByFluent, limits: &'a Limits) -> Self {
        let encoding = Encoding::of_part(game, limits);
        Part { encoding, by_fluent, members: Vec::new(), known: BTreeMap::new(), after: Vec::new() }
    }

    fn encode(&mut self, members: &[FluentId]) {
        let encoding = &mut self.encoding;
        encoding.forget();
        let nodes: Vec<_> = members.iter().map(|id| encoding.game.next[id.index()]).collect();
        self.after = encoding.nodes(&nodes);
        encoding.choose_used_moves();
        self.known.clear();
        for id in encoding.used_fluents() {
            self.by_fluent.0[id.index()].iter().for_each(|&claim| self.known.entry(claim).or_default().0.push(id));
        }
        self.members = members.to_vec();
    }

    /// Searches for a proof of claim `number`, which is `target`, within `conflicts` for each search. Returns the
    /// claims that the proof uses, or `None` without a proof, and the work of the searches. The assumptions `searches`
    /// are tried one after the other: a proof from fewer claims is quick and leaves less to be proved. `about` returns
    /// the bound and the number of members of a claim, and whether it is one of [`Assumed::Wanted`].
    pub fn prove(
        &mut self,
        (number, target): (u32, &Invariant),
        about: impl Fn(u32) -> (Bound, usize, bool),
        conflicts: u64,
        searches: &[Assumed],
    ) -> Result<(Option<Vec<u32>>, u64), LimitReached> {
        let mut before = self.encoding.sat.work();
        if self.members != target.members {
            self.encode(&target.members);
            before = 0;
        }
        let fails = match target.bound {
            Bound::AtMostOne => vec![self.encoding.sat.at_least_two(&self.after)],
            Bound::AtLeastOne => self.after.iter().map(|&member| !member).collect(),
        };
        let mut found = None;
        for &search in searches {
            let mut assumed: Vec<(u32, Literal)> = Vec::new();
            for (&claim, (members, guard)) in &mut self.known {
                let (bound, count, wanted) = about(claim);
                let is_within = claim == number || search == Assumed::All || search == Assumed::Wanted && wanted;
                let useful = if bound == Bound::AtMostOne { members.len() > 1 } else { members.len() == count };
                if is_within && useful {
                    let guard = guard.get_or_insert_with(|| bound.assumed(&mut self.encoding, members));
                    assumed.push((claim, *guard));
                }
            }
            let mut assumptions = fails.clone();
            assumptions.extend(assumed.iter().map(|(_, guard)| *guard));
            let conflicts = if search == Assumed::All { conflicts } else { FEW.min(conflicts) };
            if self.encoding.sat.solve(&assumptions, conflicts)? == Answer::Unsatisfiable {
                let used = assumed.iter().filter(|(_, guard)| self.encoding.sat.used(*guard));
                found = Some(used.map(|(claim, _)| *claim).collect());
                break;
            }
        }
        Ok((found, self.encoding.sat.work() - before))
    }
}
