//! Names, numbers of arguments and types in conditions, effects and facts.

use super::types::{TypeId, repeated};
use super::vocabulary::{Vocabulary, unknown};
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::Symbol;
use crate::rules::check::spelling::arguments;
use crate::rules::gddl::ast::{Atom, Condition, Description, Effect, Term, Typed};
use indexmap::{IndexMap, IndexSet};

/// Similar names are searched for at most so often.
const MOST_SEARCHES: usize = 100;

/// Reports every atom that does not fit what is declared.
pub fn check(description: &Description, vocabulary: &Vocabulary, complete: bool, diagnostics: &mut Vec<Diagnostic>) {
    let mut checker = Checker {
        description,
        vocabulary,
        complete,
        diagnostics,
        scope: IndexMap::new(),
        searches: 0,
        reported: IndexSet::new(),
    };
    for signature in &description.predicates {
        checker.distinct(&signature.parameters);
    }
    for rule in &description.derivations {
        checker.head(&rule.head.parameters, rule.head.name.symbol, rule.head.span, &rule.body);
    }
    for action in &description.actions {
        checker.within(&action.parameters, |checker| {
            checker.condition(&action.precondition);
            checker.effect(&action.effect);
        });
    }
    for gain in &description.gains {
        checker.within(&gain.parameters, |checker| checker.condition(&gain.body));
    }
    description.init.iter().for_each(|atom| checker.atom(atom));
    description.goals.iter().for_each(|(goal, _)| checker.condition(goal));
}

struct Checker<'a> {
    description: &'a Description,
    vocabulary: &'a Vocabulary,
    complete: bool,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// The types of each variable, one entry for each place that binds it, the innermost last.
    scope: IndexMap<Symbol, Vec<Vec<TypeId>>>,
    searches: usize,
    /// Unknown predicates and objects are reported once each.
    reported: IndexSet<(&'static str, Symbol)>,
}

impl Checker<'_> {
    fn name(&self, symbol: Symbol) -> &str {
        self.description.symbols.name(symbol)
    }

    /// Runs a check with some variables in scope.
    fn within(&mut self, parameters: &[Typed], check: impl FnOnce(&mut Self)) {
        self.distinct(parameters);
        for typed in parameters {
            let union = self.union(typed);
            self.scope.entry(typed.name.symbol).or_default().push(union);
        }
        check(self);
        for typed in parameters {
            if let Some(unions) = self.scope.get_mut(&typed.name.symbol) {
                unions.pop();
            }
        }
    }

    /// Reports variables that occur twice in one list.
    fn distinct(&mut self, parameters: &[Typed]) {
        let mut own = IndexSet::new();
        for typed in parameters.iter().filter(|typed| !own.insert(typed.name.symbol)) {
            self.diagnostics.push(repeated(
                "variable",
                self.description.symbols.name(typed.name.symbol),
                typed.name.span,
            ));
        }
    }

    /// The types of a variable; unknown ones are left out, and reported once where they stand.
    fn union(&mut self, typed: &Typed) -> Vec<TypeId> {
        let mut union = Vec::new();
        for name in &typed.types {
            match self.vocabulary.types.find(name.symbol) {
                Some(ty) => union.push(ty),
                None => self.unknown("unknown-type", *name, "type", "`:types`"),
            }
        }
        if union.is_empty() { vec![TypeId::OBJECT] } else { union }
    }

    fn unknown(&mut self, code: &'static str, name: crate::rules::gddl::ast::Name, what: &str, section: &str) {
        if !self.complete || !self.reported.insert((code, name.symbol)) {
            return;
        }
        self.searches += 1;
        let symbols = &self.description.symbols;
        let searched = self.searches <= MOST_SEARCHES;
        let vocabulary = self.vocabulary;
        let declared: Box<dyn Iterator<Item = &str>> = match code {
            _ if !searched => Box::new(std::iter::empty()),
            "unknown-predicate" => Box::new(vocabulary.predicates.keys().map(|&name| symbols.name(name))),
            "unknown-object" => Box::new(vocabulary.objects.keys().map(|&name| symbols.name(name))),
            "unknown-variable" => Box::new(
                self.scope.iter().filter(|(_, unions)| !unions.is_empty()).map(|(&name, _)| symbols.name(name)),
            ),
            _ => Box::new(self.description.types.iter().map(|typed| symbols.name(typed.name.symbol))),
        };
        let finding = unknown(code, what, symbols.name(name.symbol), name.span, declared, section);
        self.diagnostics.push(finding);
    }

    /// The head and the body of a derivation. A variable without a type has that of the declaration.
    fn head(&mut self, parameters: &[Typed], predicate: Symbol, span: crate::syntax::Span, body: &Condition) {
        let name = crate::rules::gddl::ast::Name { symbol: predicate, span };
        let Some(declared) = self.vocabulary.predicates.get(&predicate) else {
            self.unknown("unknown-predicate", name, "predicate", "`:predicates`");
            return self.within(parameters, |checker| checker.condition(body));
        };
        self.arity(predicate, declared.len(), parameters.len(), span);
        self.within(parameters, |checker| {
            for (typed, declared) in parameters.iter().zip(declared) {
                let Some(union) = checker.scope.get_mut(&typed.name.symbol).and_then(|unions| unions.last_mut()) else {
                    continue;
                };
                if typed.types.is_empty() {
                    union.clone_from(declared);
                } else {
                    let union = union.clone();
                    checker.fits(typed.name.symbol, &union, declared, typed.name.span);
                }
            }
            checker.condition(body);
        });
    }

    fn arity(&mut self, predicate: Symbol, wanted: usize, given: usize, span: crate::syntax::Span) {
        if wanted != given {
            let name = quote(self.name(predicate));
            let message = format!("{name} has {} here, {wanted} in its declaration", arguments(given));
            let advice = "every use of a predicate needs the arguments of its declaration";
            self.diagnostics.push(Diagnostic::error("arity-mismatch", span, message).with_advice(advice));
        }
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Atom(atom) => self.atom(atom),
            Condition::Equal(left, right, _) => [left, right].into_iter().for_each(|term| {
                self.term(*term);
            }),
            Condition::Not(inner, _) => self.condition(inner),
            Condition::And(parts) | Condition::Or(parts, _) => parts.iter().for_each(|part| self.condition(part)),
            Condition::Imply(left, right, _) => [left, right].into_iter().for_each(|part| self.condition(part)),
            Condition::Quantified(_, variables, body, _) => self.within(variables, |checker| checker.condition(body)),
        }
    }

    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Add(atom) | Effect::Delete(atom, _) => self.atom(atom),
            Effect::And(parts) => parts.iter().for_each(|part| self.effect(part)),
            Effect::Forall(variables, inner, _) => self.within(variables, |checker| checker.effect(inner)),
            Effect::When(condition, inner, _) => {
                self.condition(condition);
                self.effect(inner);
            }
        }
    }

    fn atom(&mut self, atom: &Atom) {
        let types: Vec<Option<Vec<TypeId>>> = atom.arguments.iter().map(|&term| self.term(term)).collect();
        let predicate = atom.predicate.symbol;
        let Some(declared) = self.vocabulary.predicates.get(&predicate) else {
            return self.unknown("unknown-predicate", atom.predicate, "predicate", "`:predicates`");
        };
        self.arity(predicate, declared.len(), atom.arguments.len(), atom.span);
        for ((term, given), declared) in atom.arguments.iter().zip(types).zip(declared) {
            let (Term::Object(name) | Term::Variable(name)) = term;
            if let Some(given) = given {
                self.fits(name.symbol, &given, declared, name.span);
            }
        }
    }

    /// The types of a term; none if it is unknown.
    fn term(&mut self, term: Term) -> Option<Vec<TypeId>> {
        match term {
            Term::Object(name) => match self.vocabulary.objects.get(&name.symbol) {
                Some(&ty) => Some(vec![ty]),
                None => {
                    self.unknown("unknown-object", name, "object", "`:constants` or `:objects`");
                    None
                }
            },
            Term::Variable(name) => match self.scope.get(&name.symbol).and_then(|unions| unions.last()) {
                Some(types) => Some(types.clone()),
                None => {
                    // Variables are local: each place has its own finding.
                    self.reported.shift_remove(&("unknown-variable", name.symbol));
                    self.unknown("unknown-variable", name, "variable", "the parameters, or bind it with `exists`");
                    None
                }
            },
        }
    }

    fn fits(&mut self, name: Symbol, given: &[TypeId], declared: &[TypeId], span: crate::syntax::Span) {
        let types = &self.vocabulary.types;
        if types.union_is_below(given, declared) {
            return;
        }
        let (name, given_types, wanted) = (quote(self.name(name)), types.show(given), types.show(declared));
        let finding = if types.overlap(given, declared) {
            let message = format!("{name} may be more than {wanted}: it is of type {given_types}");
            let advice = "the atom is false of everything else; a narrower type is clearer";
            Diagnostic::warning("wide-type", span, message).with_advice(advice)
        } else {
            let message = format!("{name} is of type {given_types}, here stands a {wanted}");
            Diagnostic::error("type-mismatch", span, message)
                .with_advice("it could never hold: are arguments in the wrong order?")
        };
        self.diagnostics.push(finding);
    }
}
