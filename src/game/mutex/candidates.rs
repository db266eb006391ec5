//! Candidate sets: fluents that may exclude each other and that no sample shows together.
//!
//! A candidate has the fluents of one relation that agree in some arguments (the inputs, such as coordinates) and
//! differ in the others (the outputs, such as contents), for every choice of inputs, as in Kissmann and Edelkamp
//! (2010). Other candidates are unions of such sets of several relations with the same inputs, as in the invariants of
//! Helmert (2009), and pairs of fluents whose `next` conditions are complements.

use super::invariant::{Bound, Invariant};
use super::simulate::{Samples, disjoint, unite};
use crate::propositional::{FluentId, Game, GroundTerm, Node, NodeId};
use base::limits::{Account, LimitReached, Limits};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::borrow::Cow;

/// For relations with more arguments than this, only no input, each single input and each single output are tried.
const ARGUMENTS: usize = 6;
/// Bound on the total number of members of all candidates: a multiple of the number of fluents, plus a constant.
const MEMBERS: (usize, usize) = (64, 100_000);

/// Bound on the work for unions: a look for a class with the same inputs, and what a comparison with it takes more.
/// Without arguments, all pairs of up to some 1,400 relations are compared.
const WORK: usize = 1 << 25;
const COMPARISON: usize = 15;

type Arguments = (FluentId, Vec<u32>);

/// One relation with a choice of its input arguments: for values of the inputs, the fluents that agree in them.
struct Signature<'a> {
    relation: usize,
    inputs: usize,
    classes: IndexMap<Vec<u32>, Class<'a>, FxBuildHasher>,
}

#[derive(Clone)]
struct Class<'a> {
    members: Vec<FluentId>,
    /// The samples of all members; borrowed from those of a single one.
    seen: Cow<'a, [u64]>,
}

impl Class<'_> {
    /// Bytes of the class and its key of so many inputs, in a map.
    fn bytes(&self, inputs: usize) -> u64 {
        let seen = if let Cow::Owned(seen) = &self.seen { 8 * seen.len() } else { 0 };
        (2 * size_of::<(Vec<u32>, Class)>() + 4 * (inputs + self.members.len()) + seen) as u64
    }
}

/// Different candidates of at least two fluents in ascending order; the most promising kinds come first.
fn candidates(game: &Game, samples: &Samples, limits: &Limits) -> Result<Vec<Vec<FluentId>>, LimitReached> {
    let mut found = Found { sets: Vec::new(), known: FxHashSet::default(), members: 0, limit: limit(game) };
    let mut room = Account::new(&limits);
    let signatures = signatures(game, samples, &mut room)?;
    for signature in &signatures {
        signature.classes.values().for_each(|class| found.add(&class.members));
    }
    let mut left = WORK;
    for base in &signatures {
        limits.check()?;
        add_unions(base, &signatures, samples, &mut left, &mut found);
    }
    let mut first: FxHashMap<NodeId, FluentId> = FxHashMap::default();
    for id in game.fluent_ids() {
        first.entry(game.next[id.index()]).or_insert(id);
    }
    for id in game.fluent_ids() {
        if let Node::Not(inner) = game.graph.node(game.next[id.index()])
            && let Some(&other) = first.get(inner)
            && disjoint(samples.column(other), samples.column(id))
        {
            found.add(&[other, id]);
        }
    }
    Ok(found.sets)
}

/// The bounds that candidates may have: at most one for each, and at least one for those that cover the samples.
pub(super) fn claims(game: &Game, samples: &Samples, limits: &Limits) -> Result<Vec<Invariant>, LimitReached> {
    let mut claims = Vec::new();
    for members in candidates(game, samples, limits)? {
        if samples.covered(&members) {
            claims.push(Invariant { members: members.clone(), bound: Bound::AtLeastOne });
        }
        claims.push(Invariant { members, bound: Bound::AtMostOne });
    }
    Ok(claims)
}

fn limit(game: &Game) -> usize {
    MEMBERS.0 * game.fluents.len() + MEMBERS.1
}

struct Found {
    sets: Vec<Vec<FluentId>>,
    known: FxHashSet<Vec<FluentId>>,
    members: usize,
    limit: usize,
}

impl Found {
    fn add(&mut self, members: &[FluentId]) {
        if members.len() < 2 || self.members + members.len() > self.limit {
            return;
        }
        let mut members = members.to_vec();
        members.sort_unstable();
        if self.known.insert(members.clone()) {
            self.members += members.len();
            self.sets.push(members);
        }
    }
}

fn signatures<'a>(
    game: &Game,
    samples: &'a Samples,
    room: &mut Account<&Limits>,
) -> Result<Vec<Signature<'a>>, LimitReached> {
    let mut constants: FxHashMap<&GroundTerm, u32> = FxHashMap::default();
    let mut relations: IndexMap<(&str, usize), Vec<Arguments>, FxBuildHasher> = IndexMap::default();
    for (id, term) in game.fluent_ids().zip(&game.fluents) {
        let arguments = term.arguments.iter().map(|argument| {
            let next = constants.len() as u32;
            *constants.entry(argument).or_insert(next)
        });
        let arguments = arguments.collect();
        relations.entry((&term.name, term.arguments.len())).or_default().push((id, arguments));
    }
    let (mut signatures, mut bytes) = (Vec::new(), 0);
    for (relation, (&(_, arity), fluents)) in relations.iter().enumerate() {
        for inputs in input_choices(arity) {
            room.check()?;
            let mut classes: IndexMap<Vec<u32>, Vec<FluentId>, FxBuildHasher> = IndexMap::default();
            for (id, arguments) in fluents {
                let key = inputs.iter().map(|&position| arguments[position]).collect();
                classes.entry(key).or_default().push(*id);
            }
            let classes: IndexMap<_, _, _> =
                classes.into_iter().filter_map(|(key, members)| Some((key, class(members, samples)?))).collect();
            bytes += classes.values().map(|class| class.bytes(inputs.len())).sum::<u64>();
            room.grow_to(bytes)?;
            signatures.push(Signature { relation, inputs: inputs.len(), classes });
        }
    }
    signatures.sort_by_key(|signature| signature.inputs);
    Ok(signatures)
}

/// The positions of the inputs, for every choice to try. The choice of all arguments serves only for unions.
fn input_choices(arity: usize) -> Vec<Vec<usize>> {
    let positions = |mask: usize| (0..arity).filter(|position| mask >> position & 1 == 1).collect::<Vec<_>>();
    if arity <= ARGUMENTS {
        return (0..1 << arity).map(positions).collect();
    }
    let single = (0..arity).map(|position| vec![position]);
    let all_but_one = (0..arity).map(|output| (0..arity).filter(|&position| position != output).collect());
    [Vec::new()].into_iter().chain(single).chain(all_but_one).collect()
}

/// Takes fluents in order, except a fluent that a sample shows with one taken before; `None` if more than half are left
/// out.
fn class(all: Vec<FluentId>, samples: &Samples) -> Option<Class<'_>> {
    let (first, others) = all.split_first()?;
    let mut class = Class { members: vec![*first], seen: samples.column(*first).into() };
    let mut left_out = 0;
    for id in others {
        if disjoint(&class.seen, samples.column(*id)) {
            class.members.push(*id);
            unite(class.seen.to_mut(), samples.column(*id));
        } else {
            left_out += 1;
            if 2 * left_out > all.len() {
                return None;
            }
        }
    }
    Some(class)
}

/// Adds unions of the classes of `base` with classes of other relations that have the same inputs: each pair of classes
/// of which every sample has some member, and one union to which classes are added one after the other, if no sample
/// shows members of both. Ends once too little work is `left`.
fn add_unions(base: &Signature, signatures: &[Signature], samples: &Samples, left: &mut usize, found: &mut Found) {
    for (key, class) in &base.classes {
        let mut grown = class.clone();
        let mut relations = FxHashSet::from_iter([base.relation]);
        let mut united = false;
        for other in signatures.iter().filter(|other| other.inputs == base.inputs && other.relation != base.relation) {
            let Some(after_look) = left.checked_sub(1 + COMPARISON) else { return };
            *left -= 1;
            let Some(addition) = other.classes.get(key) else { continue };
            *left = after_look;
            if disjoint(&class.seen, &addition.seen) {
                let pair: Vec<FluentId> = [class.members.as_slice(), &addition.members].concat();
                if samples.covered(&pair) {
                    found.add(&pair);
                }
            }
            if disjoint(&grown.seen, &addition.seen) && relations.insert(other.relation) {
                grown.members.extend_from_slice(&addition.members);
                unite(grown.seen.to_mut(), &addition.seen);
                united = true;
            }
        }
        if united {
            found.add(&grown.members);
        }
    }
}
