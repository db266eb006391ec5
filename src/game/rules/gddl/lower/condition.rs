//! Lowers conditions to negation normal form. A universal quantifier becomes the negation of an auxiliary relation,
//! which holds if there is a counterexample. In a predicate that depends on itself through the quantifier, this would
//! be a negation within the cycle, so the condition is written for each object instead.

use super::{Bound, Lowering, relation};
use crate::rules::gddl::ast::{Condition, Derivation, Quantifier, Term, Typed};
use crate::rules::sentence::{self, Formula};
use crate::rules::{Predicate, Symbol};
use crate::syntax::Span;
use indexmap::{IndexMap, IndexSet};

/// Bound on the conditions made by listing objects. Beyond it, the rules are refused as not stratified.
const MOST_LISTED: usize = 1 << 16;

impl Lowering<'_> {
    pub(super) fn condition(&mut self, condition: &Condition, positive: bool) -> Formula {
        match condition {
            Condition::Atom(atom) => {
                let span = atom.span;
                let atom = Formula::Atom(self.atom(Predicate::True, atom));
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

    fn for_all(&mut self, variables: &[Typed], body: &Condition, positive: bool, span: Span) -> Formula {
        let listed = self.recurs(body).then(|| self.for_each_object(variables, body, positive, span)).flatten();
        listed.unwrap_or_else(|| self.without_counterexample(variables, body, positive, span))
    }

    /// Whether the predicate that is being derived depends on itself through a condition.
    fn recurs(&self, condition: &Condition) -> bool {
        let mut recurs = false;
        if let Some(derived) = self.derived {
            condition.each_atom(true, &mut |atom, _| recurs |= self.derivations.same_component(derived, atom.name()));
        }
        recurs
    }

    /// The conjunction of the condition over all objects of the variables' types; `None` for too many combinations.
    fn for_each_object(
        &mut self,
        variables: &[Typed],
        body: &Condition,
        positive: bool,
        span: Span,
    ) -> Option<Formula> {
        let mut choices: Vec<Vec<Bound>> = vec![Vec::new()];
        for typed in variables {
            let types = self.union(&typed.types);
            let all = self.vocabulary.objects.iter();
            let objects = all.filter(|(_, own)| self.vocabulary.types.intersection_is_below(own, &types));
            let objects: Vec<Symbol> = objects.map(|(&object, _)| object).collect();
            if choices.len().saturating_mul(objects.len()) > MOST_LISTED {
                return None;
            }
            let bound = |object| Bound { name: typed.name.symbol, types: types.clone(), object: Some(object) };
            let longer = |choice: &Vec<Bound>, object| choice.iter().cloned().chain([bound(object)]).collect();
            choices = choices.iter().flat_map(|choice| objects.iter().map(|&object| longer(choice, object))).collect();
        }
        self.listed = self.listed.saturating_add(choices.len());
        if self.listed > MOST_LISTED {
            return None;
        }
        let mut parts = Vec::with_capacity(choices.len());
        for choice in choices {
            for (typed, bound) in variables.iter().zip(choice) {
                self.scope.entry(typed.name.symbol).or_default().push(bound);
            }
            parts.push(self.condition(body, positive));
            self.release(variables);
        }
        Some(Formula::And(parts, span))
    }

    /// The negation of a new relation, which holds if some objects are a counterexample.
    fn without_counterexample(&mut self, variables: &[Typed], body: &Condition, positive: bool, span: Span) -> Formula {
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
        let bound = found.iter().map(|&name| self.bound(name).expect("unbound variables are errors").clone());
        bound.filter(|bound| bound.object.is_none()).collect()
    }

    /// Adds a rule of a derived predicate. A variable without a type gets its type from the predicate's declaration.
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
        self.derived = Some(rule.head.predicate());
        body.push(self.condition(&rule.body, true));
        self.derived = None;
        self.release(&rule.head.parameters);
        let arguments: Vec<sentence::Term> =
            bound.iter().map(|bound| sentence::Term::Variable(bound.name, rule.head.span)).collect();
        self.add(relation(rule.head.name.symbol, arguments, rule.head.span), body, rule.span);
    }
}

/// Counts how often inner quantifiers hide a variable. `change`: 1 at the start of a quantifier, -1 at its end.
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
