//! Splits rules with many variables into rules with few (bucket elimination).
//!
//! A variable that does not occur in the head matters only to the literals that contain it. If the rest of the rule has
//! variables that these literals lack, a join pairs every solution of one part with every solution of the other.
//! Instead, these literals move to an auxiliary rule whose head has only the variables that both parts share. This is
//! variable elimination as in Dechter ("Bucket elimination", 1999), used for grounding by Bichler, Morak and Woltran
//! (lpopt, 2016). The careful split is made only if the auxiliary rule has hardly more solutions than the original one.
//! The eager split is made wherever it is possible, for rules that otherwise exceed their budget.

use super::pattern::each_variable;
use crate::rules::{Atom, Literal, Made, Predicate, PredicateId, Rule, SymbolTable, Term, Variable};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A rule in evaluated form; `origin` is the index of its rule in the program.
#[derive(Debug, Clone)]
pub struct Clause {
    pub rule: Rule,
    pub origin: usize,
    pub asks: bool,
}

/// Rules with a larger product of literals and variables are not split: the search for buckets takes cubic time.
const WIDEST: usize = 10_000;

type Variables = BTreeSet<Variable>;

pub fn variables_of(literal: &Literal) -> Variables {
    let mut variables = Variables::new();
    let mut visit = |term: &Term| each_variable(term, |variable| _ = variables.insert(variable));
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => atom.arguments.iter().for_each(&mut visit),
        Literal::Distinct(left, right, _) => {
            visit(left);
            visit(right);
        }
    }
    variables
}

/// Splits all rules, eagerly those for whose number `eager` holds. `dynamic`: whether an atom depends on the state.
pub fn split(
    whole: Vec<Clause>,
    eager: impl Fn(usize) -> bool,
    dynamic: &dyn Fn(&Atom) -> bool,
    symbols: &mut SymbolTable,
    predicates: &mut IndexSet<Predicate>,
) -> Vec<Clause> {
    let mut splitter = Splitter { dynamic, symbols, predicates, known: FxHashMap::default(), eager: false };
    let mut clauses = Vec::new();
    for Clause { rule, origin, .. } in whole {
        splitter.eager = eager(origin);
        let mut pending = vec![rule];
        while let Some(mut rule) = pending.pop() {
            while let Some(auxiliary) = splitter.step(&mut rule) {
                pending.extend(auxiliary);
            }
            clauses.push(Clause { rule, origin, asks: false });
        }
    }
    clauses
}

struct Splitter<'a> {
    dynamic: &'a dyn Fn(&Atom) -> bool,
    symbols: &'a mut SymbolTable,
    predicates: &'a mut IndexSet<Predicate>,
    /// Auxiliary predicates by the bodies of their rules; equal bodies share one predicate.
    known: FxHashMap<String, PredicateId>,
    eager: bool,
}

/// The literals to move out of a rule, and the variables that the auxiliary head keeps.
struct Bucket {
    inside: Vec<bool>,
    keep: Vec<Variable>,
}

impl Splitter<'_> {
    /// Moves the best bucket out of the rule. `None`: no bucket is worth it. `Some(None)`: an earlier rule has the same
    /// auxiliary rule. `Some(Some(rule))`: the new auxiliary rule.
    fn step(&mut self, rule: &mut Rule) -> Option<Option<Rule>> {
        if rule.body.len() < 2 || rule.body.len() * rule.variables.len() > WIDEST {
            return None;
        }
        let variables: Vec<Variables> = rule.body.iter().map(variables_of).collect();
        let mut head = Variables::new();
        for term in &rule.head.arguments {
            each_variable(term, |variable| _ = head.insert(variable));
        }
        let existential: Variables = variables.iter().flatten().copied().filter(|v| !head.contains(v)).collect();
        let buckets = existential.iter().filter_map(|&v| self.bucket(rule, &variables, &head, v));
        let bucket = buckets.min_by_key(|b| (b.keep.len(), b.inside.iter().filter(|&&inside| inside).count()))?;

        let at = bucket.inside.iter().position(|&inside| inside)?;
        let (mut moved, mut left) = (Vec::new(), Vec::new());
        for (literal, &inside) in std::mem::take(&mut rule.body).into_iter().zip(&bucket.inside) {
            if inside { moved.push(literal) } else { left.push(literal) }
        }
        let arguments: Vec<Term> = bucket.keep.iter().map(|&variable| Term::Variable(variable)).collect();
        let (predicate, new) = self.predicate(&moved, &bucket.keep);
        let atom = Atom { predicate, arguments, span: rule.span };
        left.insert(at.min(left.len()), Literal::Positive(atom.clone()));
        rule.body = left;
        let auxiliary = Rule { head: atom, body: moved, variables: rule.variables.clone(), span: rule.span };
        Some(new.then_some(auxiliary))
    }

    fn bucket(&self, rule: &Rule, variables: &[Variables], head: &Variables, variable: Variable) -> Option<Bucket> {
        let mut inside: Vec<bool> = variables.iter().map(|v| v.contains(&variable)).collect();
        let own: Variables = select(variables, &inside, true);
        for (index, variables) in variables.iter().enumerate() {
            inside[index] |= !variables.is_empty() && variables.is_subset(&own);
        }
        let positive = |index: usize| matches!(rule.body[index], Literal::Positive(_));
        let positives: Vec<usize> = (0..inside.len()).filter(|&index| inside[index] && positive(index)).collect();
        let bound: Variables = positives.iter().flat_map(|&index| variables[index].iter().copied()).collect();
        let mut rest = select(variables, &inside, false);
        rest.extend(head.iter().copied());
        let keep: Vec<Variable> = own.intersection(&rest).copied().collect();
        if inside.iter().all(|&inside| inside) || !own.is_subset(&bound) || rest.is_subset(&own) {
            return None;
        }
        // The rest of the rule still binds its variables, because the auxiliary literal binds the kept ones.
        let pays = match positives[..] {
            [] => false,
            [single] => matches!(&rule.body[single], Literal::Positive(atom) if (self.dynamic)(atom)),
            _ => {
                self.eager
                    || keep.len() < 2
                    || positives.iter().any(|&index| keep.iter().all(|v| variables[index].contains(v)))
                    || !connects(rule, variables, &inside, &keep)
            }
        };
        pays.then_some(Bucket { inside, keep })
    }

    fn predicate(&mut self, body: &[Literal], keep: &[Variable]) -> (PredicateId, bool) {
        let mut names: FxHashMap<Variable, usize> = FxHashMap::default();
        let mut key = String::new();
        let mut write = |term: &Term, key: &mut String| write_term(term, &mut names, key);
        for literal in body {
            match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => {
                    key.push(if matches!(literal, Literal::Positive(_)) { '+' } else { '-' });
                    key.push_str(&atom.predicate.0.to_string());
                    atom.arguments.iter().for_each(|term| write(term, &mut key));
                }
                Literal::Distinct(left, right, _) => {
                    key.push('#');
                    write(left, &mut key);
                    write(right, &mut key);
                }
            }
        }
        key.push('>');
        keep.iter().for_each(|&variable| write(&Term::Variable(variable), &mut key));
        if let Some(&predicate) = self.known.get(&key) {
            return (predicate, false);
        }
        let symbol = self.symbols.make(Made::Split(self.known.len()));
        let (index, _) = self.predicates.insert_full(Predicate::Relation(symbol, keep.len() as u32));
        let predicate = PredicateId(index as u32);
        self.known.insert(key, predicate);
        (predicate, true)
    }
}

fn select(variables: &[Variables], inside: &[bool], wanted: bool) -> Variables {
    let chosen = variables.iter().zip(inside).filter(|(_, inside)| **inside == wanted);
    chosen.flat_map(|(variables, _)| variables.iter().copied()).collect()
}

/// Whether the positive literals that stay in the rule connect two of the kept variables, directly or through others.
/// These literals may then restrict the bucket, so that the auxiliary rule could have more solutions than the whole
/// rule.
fn connects(rule: &Rule, variables: &[Variables], inside: &[bool], keep: &[Variable]) -> bool {
    let staying: Vec<&Variables> = (0..inside.len())
        .filter(|&index| !inside[index] && matches!(rule.body[index], Literal::Positive(_)))
        .map(|index| &variables[index])
        .collect();
    keep.iter().any(|&start| {
        let mut reached = Variables::from([start]);
        loop {
            let before = reached.len();
            for variables in &staying {
                if !variables.is_disjoint(&reached) {
                    reached.extend(variables.iter().copied());
                }
            }
            if reached.len() == before {
                break;
            }
        }
        keep.iter().filter(|variable| reached.contains(variable)).count() > 1
    })
}

/// Writes a term with its variables numbered by first occurrence.
fn write_term(term: &Term, names: &mut FxHashMap<Variable, usize>, key: &mut String) {
    match term {
        Term::Constant(symbol) => key.push_str(&format!(" {}", symbol.0)),
        Term::Variable(variable) => {
            let next = names.len();
            key.push_str(&format!(" ?{}", names.entry(*variable).or_insert(next)));
        }
        Term::Function(functor, arguments) => {
            key.push_str(&format!(" ({}", functor.0));
            arguments.iter().for_each(|argument| write_term(argument, names, key));
            key.push(')');
        }
    }
}
