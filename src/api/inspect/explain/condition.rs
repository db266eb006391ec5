//! Conditions, in the words of the rules, that hold in some states of a sample and not in others.
//!
//! A condition is a list of literals on fluents and on atoms of derived relations. Names play no role: a literal is
//! chosen by the states in which it holds, so a condition mentions turns if such a fluent distinguishes the states.
//! Cost: a few words for each literal and 64 states.

use super::sample::Sample;
use fixedbitset::FixedBitSet;
use game::interpreter::holding;
use game::propositional::{Game, GroundTerm, Node, NodeId};
use game::rules::dependencies::needed;
use game::rules::{Language, Predicate, Program};
use std::cmp::Reverse;

const MOST: usize = 4;
/// Bound on the fluents and derived atoms that are compared.
const ATOMS: usize = 10_000;

pub struct Literal<'a> {
    term: &'a GroundTerm,
    is_fluent: bool,
    pub positive: bool,
    /// Whether a role is among its arguments, as in most fluents that say whose turn it is.
    of_role: bool,
    holds: FixedBitSet,
}

pub struct Literals<'a> {
    all: Vec<Literal<'a>>,
    /// Whether a fluent is preferred to a derived atom that holds in the same states. Not for rewards and ends.
    by_fluents: bool,
}

impl<'a> Literals<'a> {
    /// The literals that rules for `head` may use. Relations that depend on `head` are left out.
    pub fn new(program: &Program, game: &'a Game, sample: &Sample, head: Predicate) -> Literals<'a> {
        let states = sample.states();
        let mut atoms: Vec<(&GroundTerm, bool, FixedBitSet)> = Vec::new();
        let fluents = game.fluent_ids().zip(&game.fluents).take(ATOMS);
        atoms.extend(fluents.map(|(fluent, term)| (term, true, sample.holding(fluent))));
        let usable = usable(program, game, head);
        let nodes: Vec<NodeId> = usable.iter().map(|(_, node)| *node).collect();
        let held = holding(game, &nodes, &states);
        let set = |words: Vec<u64>| {
            FixedBitSet::with_capacity_and_blocks(states.len(), words.into_iter().map(|word| word as usize))
        };
        atoms.extend(usable.into_iter().zip(held).map(|((term, _), words)| (term, false, set(words))));
        let all = sample.with(|_| true);
        let both = atoms.into_iter().flat_map(|(term, is_fluent, holds)| {
            let mut others = all.clone();
            others.difference_with(&holds);
            let of_role = term.arguments.iter().any(|argument| game.roles.contains(argument));
            [(true, holds), (false, others)].map(|(positive, holds)| Literal {
                term,
                is_fluent,
                positive,
                of_role,
                holds,
            })
        });
        Literals { all: both.collect(), by_fluents: head == Predicate::Legal }
    }

    /// A condition of few literals: true in state `focus`, often in `inside`, and if possible never in `outside`.
    pub fn separating(&self, focus: usize, inside: &FixedBitSet, outside: &FixedBitSet) -> Separation<'a, '_> {
        let mut separation = Separation { literals: Vec::new(), covered: inside.clone(), exact: false };
        let mut left = outside.clone();
        while separation.literals.len() < MOST && !left.is_clear() {
            let rest = left.count_ones(..);
            let score = |literal: &&Literal| {
                let excluded = rest - left.intersection_count(&literal.holds);
                let Literal { term, is_fluent, positive, of_role, .. } = literal;
                let simple = (*is_fluent != self.by_fluents, !positive, !of_role, term.arguments.len());
                (excluded * separation.covered.intersection_count(&literal.holds), Reverse(simple))
            };
            let fitting = self.all.iter().filter(|literal| literal.holds.contains(focus));
            // `max_by_key` returns the last of equally good literals, and the first is wanted.
            let Some(best) = fitting.rev().max_by_key(score).filter(|best| score(best).0 > 0) else { break };
            left.intersect_with(&best.holds);
            separation.covered.intersect_with(&best.holds);
            separation.literals.push(best);
        }
        separation.exact = left.is_clear();
        separation
    }
}

/// A condition. `covered`: the states of `inside` in which it holds. `exact`: it holds in no state of `outside`.
pub struct Separation<'a, 'l> {
    pub literals: Vec<&'l Literal<'a>>,
    pub covered: FixedBitSet,
    pub exact: bool,
}

impl Separation<'_, '_> {
    /// The only literal of a condition that holds in all states of `inside` and in no state of `outside`.
    pub fn single(&self, inside: &FixedBitSet) -> Option<&Literal<'_>> {
        match self.literals[..] {
            [literal] if self.exact && self.covered == *inside => Some(literal),
            _ => None,
        }
    }

    pub fn text(&self, language: Language) -> String {
        self.literals.iter().map(|literal| format!(" {}", literal.text(language, literal.positive))).collect()
    }
}

impl Literal<'_> {
    pub fn text(&self, language: Language, positive: bool) -> String {
        let atom = match language {
            Language::Gdl if self.is_fluent => format!("(true {})", self.term),
            Language::Gddl if self.term.arguments.is_empty() => format!("({})", self.term),
            _ => self.term.to_string(),
        };
        if positive { atom } else { format!("(not {atom})") }
    }
}

/// The derived atoms of relations of the text that depend neither on moves nor on `head`.
fn usable<'a>(program: &Program, game: &'a Game, head: Predicate) -> Vec<(&'a GroundTerm, NodeId)> {
    let mut moves = vec![false; game.graph.len()];
    for (id, node) in game.graph.nodes() {
        moves[id.index()] = matches!(node, Node::Move(_)) || node.children().iter().any(|child| moves[child.index()]);
    }
    let head = program.find_predicate(head);
    let mut known = std::collections::BTreeMap::new();
    let mut is_usable = |name: &str, arity: usize| {
        *known.entry((name.to_owned(), arity)).or_insert_with(|| {
            let Some(symbol) = program.symbols.find(name) else { return false };
            let predicate = Predicate::Relation(symbol, arity as u32);
            program.symbols.made(symbol).is_none()
                && program.find_predicate(predicate).is_some()
                && head.is_none_or(|head| !needed(program, [predicate]).contains(&program.kind(head)))
        })
    };
    let derived = game.derived.iter().filter(|derived| !moves[derived.node.index()]);
    let derived = derived.filter(|derived| is_usable(&derived.term.name, derived.term.arguments.len()));
    derived.take(ATOMS).map(|derived| (&derived.term, derived.node)).collect()
}
