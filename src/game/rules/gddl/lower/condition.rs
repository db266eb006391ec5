//! Lowers conditions to negation normal form. A universal quantifier takes an auxiliary relation.

use super::{Bound, Lowering, relation};
use crate::rules::gddl::ast::{Condition, Derivation, Quantifier, Term, Typed};
use crate::rules::sentence::{self, Formula};
use crate::rules::{Predicate, Symbol};
use crate::syntax::Span;
use indexmap::{IndexMap, IndexSet};

impl Lowering<'_> {
    pub(super) fn condition(&mut self, condition: &Condition, positive: bool) -> Formula {
        match condition {
            Condition::Atom(atom) => {
                let span = atom.span;
                let atom = Formula::Atom(self.atom(atom));
                if positive { atom } else { Formula::Not(Box::new(atom), span) }
            }
            Condition::Equal(left, right, span) => {
                let differ = Formula::Distinct(self.term(*left), self.term(*right), *span);
                if positive { Formula::Not(Box::new(differ), *span) } else { differ }
            }
            Condition::Not(inner, _) => self.condition(inner, !positive),
            Condition::And(parts) => self.connected(parts, positive, positive),
            Condition::Or(parts, _) => self.connected(parts, positive, !positive),
            Condition::Imply(left, right, span) => {
                let parts = vec![self.condition(left, !positive), self.condition(right, positive)];
                if positive { Formula::Or(parts, *span) } else { Formula::And(parts, *span) }
            }
            Condition::Quantified(quantifier, variables, body, span) => {
                if (*quantifier == Quantifier::Exists) == positive {
                    self.exists(variables, body, positive, *span)
                } else {
                    self.for_all(variables, body, positive, *span)
                }
            }
        }
    }

    fn connected(&mut self, parts: &[Condition], positive: bool, and: bool) -> Formula {
        let parts = parts.iter().map(|part| self.condition(part, positive)).collect();
        if and { Formula::And(parts, Span::default()) } else { Formula::Or(parts, Span::default()) }
    }

    /// The quantified variables become variables of the rule.
    fn exists(&mut self, variables: &[Typed], body: &Condition, positive: bool, span: Span) -> Formula {
        let bound = self.bind(variables, true);
        let mut parts: Vec<Formula> = bound.iter().map(|bound| self.typed(bound, span)).collect();
        parts.push(self.condition(body, positive));
        self.release(variables);
        Formula::And(parts, span)
    }

    /// The new relation holds if an object is a counterexample.
    fn for_all(&mut self, variables: &[Typed], body: &Condition, positive: bool, span: Span) -> Formula {
        let outer = self.free_variables(variables, body);
        let mut rule: Vec<Formula> = outer.iter().map(|bound| self.typed(bound, span)).collect();
        let bound = self.bind(variables, true);
        rule.extend(bound.iter().map(|bound| self.typed(bound, span)).collect::<Vec<_>>());
        rule.push(self.condition(body, !positive));
        self.release(variables);
        let name = self.fresh("some");
        let arguments = outer.iter().map(|bound| sentence::Term::Variable(bound.name, span)).collect();
        let counterexample = relation(name, arguments, span);
        self.add(counterexample.clone(), rule, span);
        Formula::Not(Box::new(Formula::Atom(counterexample)), span)
    }

    fn free_variables(&self, variables: &[Typed], body: &Condition) -> Vec<Bound> {
        let mut found = IndexSet::new();
        let mut hidden = IndexMap::new();
        hide(variables, &mut hidden, 1);
        collect(body, &mut hidden, &mut found);
        found.iter().map(|&name| self.bound(name).expect("unbound variables are errors").clone()).collect()
    }

    /// Adds a rule of a derived predicate. A variable without a type gets the type in the declaration.
    pub(super) fn derivation(&mut self, rule: &Derivation) {
        let mut bound = self.bind(&rule.head.parameters, false);
        let declared = self.vocabulary.predicates.get(&rule.head.predicate()).expect("unknown predicates are errors");
        for ((typed, bound), declared) in rule.head.parameters.iter().zip(&mut bound).zip(declared) {
            if typed.types.is_empty() {
                bound.types.clone_from(declared);
                let entry = self.scope.get_mut(&typed.name.symbol).and_then(|entries| entries.last_mut());
                entry.expect("it was just bound").types.clone_from(declared);
            }
        }
        let mut body: Vec<Formula> = bound.iter().map(|bound| self.typed(bound, rule.head.span)).collect();
        body.push(self.condition(&rule.body, true));
        self.release(&rule.head.parameters);
        let arguments: Vec<sentence::Term> =
            bound.iter().map(|bound| sentence::Term::Variable(bound.name, rule.head.span)).collect();
        let predicate = Predicate::Relation(rule.head.name.symbol, arguments.len() as u32);
        self.add(sentence::Atom { predicate, arguments, span: rule.head.span }, body, rule.span);
    }
}

/// Counts how often an inner quantifier hides a variable (`change` is 1), or ceases to hide it (-1).
fn hide(variables: &[Typed], hidden: &mut IndexMap<Symbol, i32>, change: i32) {
    for typed in variables {
        *hidden.entry(typed.name.symbol).or_default() += change;
    }
}

fn collect(condition: &Condition, hidden: &mut IndexMap<Symbol, i32>, found: &mut IndexSet<Symbol>) {
    let term = |term: &Term, hidden: &IndexMap<Symbol, i32>, found: &mut IndexSet<Symbol>| {
        if let Term::Variable(name) = term
            && hidden.get(&name.symbol).is_none_or(|&count| count == 0)
        {
            found.insert(name.symbol);
        }
    };
    match condition {
        Condition::Atom(atom) => atom.arguments.iter().for_each(|argument| term(argument, hidden, found)),
        Condition::Equal(left, right, _) => [left, right].into_iter().for_each(|side| term(side, hidden, found)),
        Condition::Not(inner, _) => collect(inner, hidden, found),
        Condition::And(parts) | Condition::Or(parts, _) => parts.iter().for_each(|part| collect(part, hidden, found)),
        Condition::Imply(left, right, _) => [left, right].into_iter().for_each(|part| collect(part, hidden, found)),
        Condition::Quantified(_, variables, body, _) => {
            hide(variables, hidden, 1);
            collect(body, hidden, found);
            hide(variables, hidden, -1);
        }
    }
}
