//! Chooses a partition of the fluents into proved groups.
//!
//! Two greedy covers are computed: one first takes the set with the most uncovered fluents, the other prefers
//! exactly-one sets. The cover with fewer bits is chosen; among equals, the one with fewer groups.

use super::invariant::{Bound, Invariant};
use crate::propositional::{FluentId, Game, Group, GroupKind};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const PREFERENCES: [Preference; 2] = [Preference::Size, Preference::Exactness];

#[derive(Clone, Copy)]
enum Preference {
    /// By number of fluents; among equals, exactly-one sets first.
    Size,
    /// Exactly-one sets first; among those, by number of fluents.
    Exactness,
}

struct Candidate<'a> {
    members: &'a [FluentId],
    exact: bool,
    /// Indices of its invariants: the bound of at most one and, for an exactly-one set, the bound of at least one.
    claims: (usize, Option<usize>),
}

/// Disjoint groups of all fluents, ascending by their first fluents.
pub(super) fn cover(game: &Game, invariants: &[Invariant]) -> Vec<Group> {
    let candidates = candidates(&invariants.iter().collect::<Vec<_>>());
    let covers = PREFERENCES.map(|preference| greedy(game, &candidates, preference).0);
    let cost = |groups: &Vec<Group>| (groups.iter().map(|group| group.bits()).sum::<u32>(), groups.len());
    covers.into_iter().min_by_key(cost).expect("there are two covers")
}

pub(super) fn taken(game: &Game, invariants: &[&Invariant]) -> Vec<usize> {
    let candidates = candidates(invariants);
    let taken = PREFERENCES.map(|preference| greedy(game, &candidates, preference).1);
    taken
        .iter()
        .flatten()
        .flat_map(|&taken| [Some(candidates[taken].claims.0), candidates[taken].claims.1])
        .flatten()
        .collect()
}

fn candidates<'a>(invariants: &[&'a Invariant]) -> Vec<Candidate<'a>> {
    let with = |bound: Bound| invariants.iter().enumerate().filter(move |(_, invariant)| invariant.bound == bound);
    let at_least: FxHashMap<&[FluentId], usize> =
        with(Bound::AtLeastOne).map(|(place, invariant)| (invariant.members.as_slice(), place)).collect();
    let candidate = |(place, invariant): (usize, &&'a Invariant)| {
        let other = at_least.get(invariant.members.as_slice()).copied();
        Candidate { members: &invariant.members, exact: other.is_some(), claims: (place, other) }
    };
    with(Bound::AtMostOne).map(candidate).collect()
}

fn greedy(game: &Game, candidates: &[Candidate], preference: Preference) -> (Vec<Group>, Vec<usize>) {
    let mut covered = vec![false; game.fluents.len()];
    let (mut groups, mut taken) = (Vec::new(), Vec::new());
    let open = |candidate: &Candidate, covered: &[bool]| -> Vec<FluentId> {
        candidate.members.iter().copied().filter(|id| !covered[id.index()]).collect()
    };
    let entry = |index: usize, covered: &[bool]| {
        let members = open(&candidates[index], covered);
        let exact = candidates[index].exact && members.len() == candidates[index].members.len();
        let group = Group { fluents: members, kind: if exact { GroupKind::ExactlyOne } else { GroupKind::AtMostOne } };
        let (size, exact) = (group.fluents.len(), usize::from(exact));
        let rank = match preference {
            Preference::Size => (size, exact),
            Preference::Exactness => (exact, size),
        };
        (rank, Reverse(index), group)
    };
    // Ranks only fall as fluents are covered, so a set that leaves the queue with its old rank is the best.
    let mut queue: BinaryHeap<((usize, usize), Reverse<usize>)> =
        (0..candidates.len()).map(|index| entry(index, &covered)).map(|(rank, index, _)| (rank, index)).collect();
    while let Some((rank, Reverse(index))) = queue.pop() {
        let (now, _, group) = entry(index, &covered);
        if group.fluents.len() < 2 {
            continue;
        }
        if now != rank {
            queue.push((now, Reverse(index)));
            continue;
        }
        group.fluents.iter().for_each(|id| covered[id.index()] = true);
        groups.push(group);
        taken.push(index);
    }
    let single = game.fluent_ids().filter(|id| !covered[id.index()]);
    groups.extend(single.map(|id| Group { fluents: vec![id], kind: GroupKind::AtMostOne }));
    groups.sort_by(|left, right| left.fluents[0].cmp(&right.fluents[0]));
    (groups, taken)
}
