//! Checks names, numbers of arguments and types in conditions, effects and facts.

use super::types::{TypeId, again, repeated, union};
use super::vocabulary::Vocabulary;
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::Symbol;
use crate::rules::check::spelling::{arguments, meant};
use crate::rules::gddl::ast::{Amount, Atom, Condition, Description, Effect, Name, Signature, Term, Typed};
use crate::syntax::Span;
use indexmap::{IndexMap, IndexSet};

const MOST_SEARCHES: usize = 100;

pub fn check(description: &Description, vocabulary: &Vocabulary, complete: bool, diagnostics: &mut Vec<Diagnostic>) {
    let mut checker = Checker {
        description,
        vocabulary,
        complete,
        diagnostics,
        arities: IndexMap::new(),
        scope: IndexMap::new(),
        searches: 0,
        reported: IndexSet::new(),
    };
    for name in vocabulary.predicates.keys() {
        checker.arities.entry(name.symbol).or_default().push(name.arity);
    }
    for signature in &description.predicates {
        // Only the number of parameters and their types matter here.
        let advice = "arguments are told apart by their places; other names are clearer";
        checker.distinct(&signature.parameters, |name, span| again("variable", name, span, advice));
    }
    for rule in &description.derivations {
        checker.head(&rule.head, &rule.body);
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
    description.values.iter().for_each(|(atom, _)| checker.function(atom));
    description.metrics.iter().for_each(|(amount, _)| checker.amount(amount));
    description.goals.iter().for_each(|(goal, _)| checker.condition(goal));
}

enum Range {
    /// The objects that belong to all of these types.
    All(Vec<TypeId>),
    /// The objects that belong to any of these types.
    Any(Vec<TypeId>),
}

struct Checker<'a> {
    description: &'a Description,
    vocabulary: &'a Vocabulary,
    complete: bool,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// For each predicate, its declared numbers of arguments.
    arities: IndexMap<Symbol, Vec<usize>>,
    /// For each variable, the types of each of its bindings, the innermost last.
    scope: IndexMap<Symbol, Vec<Vec<TypeId>>>,
    searches: usize,
    /// Unknown names that were reported; each is reported once, except variables.
    reported: IndexSet<(&'static str, Symbol)>,
}

impl Checker<'_> {
    fn name(&self, symbol: Symbol) -> &str {
        self.description.symbols.name(symbol)
    }

    fn within(&mut self, parameters: &[Typed], check: impl FnOnce(&mut Self)) {
        self.distinct(parameters, |name, span| repeated("variable", name, span));
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

    fn distinct(&mut self, parameters: &[Typed], finding: impl Fn(&str, Span) -> Diagnostic) {
        let mut own = IndexSet::new();
        for Name { symbol, span } in parameters.iter().map(|typed| typed.name) {
            if !own.insert(symbol) {
                self.diagnostics.push(finding(self.description.symbols.name(symbol), span));
            }
        }
    }

    /// The known types of a variable. Each unknown type is reported once.
    fn union(&mut self, typed: &Typed) -> Vec<TypeId> {
        let mut found = Vec::new();
        for name in &typed.types {
            match self.vocabulary.types.find(name.symbol) {
                Some(ty) => found.push(ty),
                None => self.unknown("unknown-type", *name, "type", "`:types`"),
            }
        }
        union(found)
    }

    fn unknown(&mut self, code: &'static str, name: Name, what: &str, section: &str) {
        if !self.complete || !self.reported.insert((code, name.symbol)) {
            return;
        }
        self.searches += 1;
        let symbols = &self.description.symbols;
        let searched = self.searches <= MOST_SEARCHES;
        let vocabulary = self.vocabulary;
        let declared: Box<dyn Iterator<Item = &str>> = match code {
            _ if !searched => Box::new(std::iter::empty()),
            "unknown-predicate" => Box::new(vocabulary.predicates.keys().map(|name| symbols.name(name.symbol))),
            "unknown-object" => Box::new(vocabulary.objects.keys().map(|&name| symbols.name(name))),
            "unknown-variable" => Box::new(
                self.scope.iter().filter(|(_, unions)| !unions.is_empty()).map(|(&name, _)| symbols.name(name)),
            ),
            _ => Box::new(self.description.types.iter().map(|typed| symbols.name(typed.name.symbol))),
        };
        let word = symbols.name(name.symbol);
        let advice = meant(word, declared).unwrap_or_else(|| format!("declare it in {section}"));
        let message = format!("{what} {} is not declared", quote(word));
        self.diagnostics.push(Diagnostic::error(code, name.span, message).with_advice(advice));
    }

    /// Checks a derivation. A variable without a type gets the type in the declaration.
    fn head(&mut self, head: &Signature, body: &Condition) {
        let Some(declared) = self.vocabulary.predicates.get(&head.predicate()) else {
            self.undeclared(head.name, head.parameters.len(), head.span);
            return self.within(&head.parameters, |checker| checker.condition(body));
        };
        self.within(&head.parameters, |checker| {
            for (typed, declared) in head.parameters.iter().zip(declared) {
                let Some(union) = checker.scope.get_mut(&typed.name.symbol).and_then(|unions| unions.last_mut()) else {
                    continue;
                };
                if typed.types.is_empty() {
                    union.clone_from(declared);
                } else {
                    let given = Range::Any(union.clone());
                    checker.fits(typed.name.symbol, &given, declared, typed.name.span);
                }
            }
            checker.condition(body);
        });
    }

    fn undeclared(&mut self, predicate: Name, given: usize, span: Span) {
        let declared = self.arities.get(&predicate.symbol);
        let Some(wanted) = declared else {
            return self.unknown("unknown-predicate", predicate, "predicate", "`:predicates`");
        };
        let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        let name = quote(self.name(predicate.symbol));
        let message = format!("{name} has {} here, {} in its declaration", arguments(given), wanted.join(" or "));
        let advice = "every use of a predicate needs the arguments of its declaration";
        self.diagnostics.push(Diagnostic::error("arity-mismatch", span, message).with_advice(advice));
    }

    fn function(&mut self, atom: &Atom) {
        atom.arguments.iter().for_each(|&term| drop(self.term(term)));
        let name = self.name(atom.predicate.symbol);
        if self.complete && !self.vocabulary.functions.contains(&atom.name()) {
            let message = format!("function {} is not declared with {}", quote(name), arguments(atom.arguments.len()));
            let advice = "declare it in `:functions`";
            self.diagnostics.push(Diagnostic::warning("unknown-function", atom.span, message).with_advice(advice));
        }
    }

    fn amount(&mut self, amount: &Amount) {
        match amount {
            Amount::Number(_) => {}
            Amount::Function(atom) => self.function(atom),
            Amount::Combined(_, parts, _) => parts.iter().for_each(|part| self.amount(part)),
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
            Effect::Increase(function, amount, _) => {
                self.function(function);
                self.amount(amount);
            }
        }
    }

    fn atom(&mut self, atom: &Atom) {
        let ranges: Vec<Option<Range>> = atom.arguments.iter().map(|&term| self.term(term)).collect();
        let Some(declared) = self.vocabulary.predicates.get(&atom.name()) else {
            return self.undeclared(atom.predicate, atom.arguments.len(), atom.span);
        };
        for ((term, given), declared) in atom.arguments.iter().zip(ranges).zip(declared) {
            if let Some(given) = given {
                self.fits(term.name().symbol, &given, declared, term.name().span);
            }
        }
    }

    fn term(&mut self, term: Term) -> Option<Range> {
        match term {
            Term::Object(name) => match self.vocabulary.objects.get(&name.symbol) {
                Some(types) => Some(Range::All(types.clone())),
                None => {
                    self.unknown("unknown-object", name, "object", "`:constants` or `:objects`");
                    None
                }
            },
            Term::Variable(name) => match self.scope.get(&name.symbol).and_then(|unions| unions.last()) {
                Some(types) => Some(Range::Any(types.clone())),
                None => {
                    // A variable is local to its binding, so each occurrence is reported.
                    self.reported.shift_remove(&("unknown-variable", name.symbol));
                    self.unknown("unknown-variable", name, "variable", "the parameters, or bind it with `exists`");
                    None
                }
            },
        }
    }

    fn fits(&mut self, name: Symbol, given: &Range, declared: &[TypeId], span: Span) {
        let types = &self.vocabulary.types;
        let is_below = match given {
            Range::All(all) => types.intersection_is_below(all, declared),
            Range::Any(any) => types.union_is_below(any, declared),
        };
        if is_below {
            return;
        }
        let (overlap, given) = match given {
            Range::All(all) => (false, types.show(all, " and ")),
            Range::Any(any) => (types.overlap(any, declared), types.show(any, " or ")),
        };
        let (name, wanted) = (quote(self.name(name)), types.show(declared, " or "));
        let finding = if overlap {
            let message = format!("{name} may be more than {wanted}: it is of type {given}");
            let advice = "nothing keeps the atom to what its predicate is declared for; a narrower type is clearer";
            Diagnostic::warning("wide-type", span, message).with_advice(advice)
        } else {
            let message = format!("{name} is of type {given}, here stands a {wanted}");
            Diagnostic::error("type-mismatch", span, message)
                .with_advice("no object is of both: are arguments in the wrong order, or has one another type than it is declared with?")
        };
        self.diagnostics.push(finding);
    }
}
