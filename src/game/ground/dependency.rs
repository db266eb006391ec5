//! The dependencies between parts of a program, and the parts that depend on the state. A part is a predicate; `true`,
//! `next`, `legal` and the other keywords about fluents and moves are divided further by the functor of the fluent or
//! move, so that, for instance, a step counter does not depend on the board.

use super::components::{Components, is_recursive};
use super::split::Clause;
use crate::rules::{Atom, Literal, Predicate, PredicateId, Symbol, Term};
use base::lists::Lists;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashSet;

pub type PartId = u32;

/// A predicate, with the functor and arity of its fluent or move; `None` without a fluent or move, or if it is a
/// variable.
pub type Part = (PredicateId, Option<(Symbol, u32)>);

#[derive(Debug, Default)]
pub struct Stratum {
    pub parts: Vec<PartId>,
    pub clauses: Vec<usize>,
    pub recursive: bool,
}

#[derive(Debug)]
pub struct Dependencies {
    pub parts: IndexSet<Part>,
    pub dynamic: Vec<bool>,
    /// The strata on which the roots depend, each after the strata on which it depends.
    pub strata: Vec<Stratum>,
    /// Number of strata that the game needs; they come first. The others serve only for warnings.
    pub needed: usize,
}

pub fn key_argument(predicate: Predicate) -> Option<usize> {
    match predicate {
        Predicate::Init | Predicate::True | Predicate::Next | Predicate::Base => Some(0),
        Predicate::Does | Predicate::Legal | Predicate::Input => Some(1),
        _ => None,
    }
}

pub fn part_of(atom: &Atom, predicates: &IndexSet<Predicate>) -> Part {
    let key = key_argument(predicates[atom.predicate.0 as usize]).and_then(|argument| atom.arguments.get(argument));
    let functor = match key {
        Some(Term::Constant(symbol)) => Some((*symbol, 0)),
        Some(Term::Function(symbol, arguments)) => Some((*symbol, arguments.len() as u32)),
        _ => None,
    };
    (atom.predicate, functor)
}

impl Dependencies {
    /// The strata of `clauses` on which the predicates in `roots` depend: first those of `roots[0]`, which the game
    /// needs, then those of `roots[1]`, which serve only for warnings.
    pub fn new(clauses: &[Clause], predicates: &IndexSet<Predicate>, roots: [&[Predicate]; 2]) -> Self {
        let mut parts: IndexSet<Part> = IndexSet::new();
        let mut pairs: Vec<(PartId, PartId)> = Vec::new();
        let mut heads = Vec::with_capacity(clauses.len());
        // Demands serve evaluation only: the truth of no atom depends on them.
        let demands: FxHashSet<PredicateId> =
            clauses.iter().filter(|clause| clause.asks).map(|clause| clause.rule.head.predicate).collect();
        for clause in clauses {
            let head = parts.insert_full(part_of(&clause.rule.head, predicates)).0 as PartId;
            heads.push(head);
            for literal in &clause.rule.body {
                if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                    pairs.push((head, parts.insert_full(part_of(atom, predicates)).0 as PartId));
                }
            }
        }
        link(&mut parts, &mut pairs, &heads, predicates);

        let arcs = Lists::new(parts.len(), || pairs.iter().copied());
        let followers = |part: PartId| arcs.of(part).iter().copied();
        let kind = |part: PartId| predicates[parts[part as usize].0.0 as usize];
        let starts =
            |number: usize| (0..parts.len() as PartId).filter(move |&part| roots[number].contains(&kind(part)));
        let needed = Components::new(parts.len(), starts(0), followers).len();
        let found = Components::new(parts.len(), starts(0).chain(starts(1)), followers);
        let mut stratum_of = vec![usize::MAX; parts.len()];
        let mut strata: Vec<Stratum> = Vec::new();
        let mut dynamic: Vec<bool> = (0..parts.len() as PartId).map(|part| state_dependent(kind(part))).collect();
        for members in found.iter() {
            members.iter().for_each(|&part| stratum_of[part as usize] = strata.len());
            let is_true = |part: PartId| !demands.contains(&parts[part as usize].0);
            let mut own = members.iter().copied().filter(|&part| is_true(part));
            if own.clone().any(|part| followers(part).any(|target| dynamic[target as usize])) {
                // In a valid program, no part on which `init` and `role` depend is dynamic.
                own.by_ref().for_each(|part| dynamic[part as usize] = true);
            }
            let (parts, recursive) = (members.to_vec(), is_recursive(members, followers(members[0])));
            strata.push(Stratum { parts, clauses: Vec::new(), recursive });
        }
        for (index, &head) in heads.iter().enumerate() {
            if let Some(stratum) = strata.get_mut(stratum_of[head as usize]) {
                stratum.clauses.push(index);
            }
        }
        Dependencies { parts, dynamic, strata, needed }
    }

    pub fn is_dynamic(&self, atom: &Atom, predicates: &IndexSet<Predicate>) -> bool {
        self.find(atom, predicates).is_some_and(|part| self.dynamic[part as usize])
    }

    pub fn find(&self, atom: &Atom, predicates: &IndexSet<Predicate>) -> Option<PartId> {
        self.parts.get_index_of(&part_of(atom, predicates)).map(|index| index as PartId)
    }
}

fn state_dependent(predicate: Predicate) -> bool {
    use Predicate::*;
    matches!(predicate, True | Does | Next | Legal | Goal | Terminal)
}

/// Adds the dependencies that no rule states: `true` depends on `init` and `next`, `does` on `legal`, and a variable in
/// place of a fluent or move on every functor for which it may stand.
fn link(
    parts: &mut IndexSet<Part>,
    pairs: &mut Vec<(PartId, PartId)>,
    heads: &[PartId],
    predicates: &IndexSet<Predicate>,
) {
    let id = |predicate| predicates.get_index_of(&predicate).map(|index| PredicateId(index as u32));
    let sources =
        [(Predicate::Init, Predicate::True), (Predicate::Next, Predicate::True), (Predicate::Legal, Predicate::Does)];
    for (from, to) in sources.iter().filter_map(|&(from, to)| Some((id(from)?, id(to)?))) {
        for index in 0..parts.len() {
            let (predicate, functor) = parts[index];
            if predicate == from {
                let target = parts.insert_full((to, functor)).0 as PartId;
                pairs.push((target, index as PartId));
            } else if predicate == to
                && let Some(source) = parts.get_index_of(&(from, functor))
            {
                pairs.push((index as PartId, source as PartId));
            }
        }
    }
    let mut heads_with_variable: Vec<PartId> = heads.to_vec();
    heads_with_variable.sort_unstable();
    heads_with_variable.dedup();
    let mut by_predicate: IndexMap<PredicateId, Vec<PartId>> = IndexMap::new();
    for (index, &(predicate, functor)) in parts.iter().enumerate() {
        if functor.is_some() {
            by_predicate.entry(predicate).or_default().push(index as PartId);
        }
    }
    let open_predicates: Vec<PredicateId> = heads_with_variable
        .iter()
        .filter(|&&head| {
            parts[head as usize].1.is_none() && key_argument(predicates[parts[head as usize].0.0 as usize]).is_some()
        })
        .flat_map(|&head| {
            let predicate = parts[head as usize].0;
            let fed = sources
                .iter()
                .filter(move |&&(from, _)| id(from) == Some(predicate))
                .filter_map(move |&(_, to)| id(to));
            fed.chain([predicate]).collect::<Vec<_>>()
        })
        .collect();
    for (predicate, members) in by_predicate {
        let Some(any) = parts.get_index_of(&(predicate, None)).map(|index| index as PartId) else { continue };
        for &member in &members {
            pairs.push((any, member));
            if open_predicates.contains(&predicate) {
                pairs.push((member, any));
            }
        }
    }
}
