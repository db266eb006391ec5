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
    /// For each variable, the types of each of its bindings, the innermost last. Unknown types are no types.
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

    /// The types of a variable; none if one is unknown. Each unknown type is reported once.
    fn union(&mut self, typed: &Typed) -> Vec<TypeId> {
        let mut found = Vec::new();
        let mut known = true;
        for name in &typed.types {
            match self.vocabulary.types.find(name.symbol) {
                Some(ty) => found.push(ty),
                None => {
                    known = false;
                    if !self.vocabulary.types.is_reported(name.symbol) {
                        self.unknown("unknown-type", *name, "type", "`:types`");
                    }
                }
            }
        }
        if known { union(found) } else { Vec::new() }
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
        let advice = match code {
            "unknown-object" => self.forgotten_mark(word),
            "unknown-predicate" => operator(word).map(str::to_owned),
            _ => None,
        };
        let advice = advice.or_else(|| meant(word, declared)).unwrap_or_else(|| format!("declare it in {section}"));
        let message = format!("{what} {} is not declared", quote(word));
        self.diagnostics.push(Diagnostic::error(code, name.span, message).with_advice(advice));
    }

    /// The advice to write `?x` for `x` where that variable is bound.
    fn forgotten_mark(&self, word: &str) -> Option<String> {
        let variable = format!("?{word}");
        let symbol = self.description.symbols.find(&variable)?;
        let is_bound = self.scope.get(&symbol).is_some_and(|unions| !unions.is_empty());
        is_bound.then(|| format!("is {} meant?", quote(&variable)))
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
        let finding = other_arity("predicate", self.name(predicate.symbol), given, wanted, span);
        self.diagnostics.push(finding);
    }

    fn function(&mut self, atom: &Atom) {
        atom.arguments.iter().for_each(|&term| drop(self.term(term)));
        let name = self.name(atom.predicate.symbol);
        let known = self.vocabulary.functions.iter().filter(|function| function.symbol == atom.predicate.symbol);
        let wanted: Vec<usize> = known.map(|function| function.arity).collect();
        if !wanted.is_empty() && !wanted.contains(&atom.arguments.len()) {
            let finding = other_arity("function", name, atom.arguments.len(), &wanted, atom.span);
            return self.diagnostics.push(finding);
        }
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
        let (Range::All(known) | Range::Any(known)) = given;
        if known.is_empty() || declared.is_empty() {
            return;
        }
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
            let message = format!("{name} is of type {given}, here type {wanted} is wanted");
            Diagnostic::error("type-mismatch", span, message)
                .with_advice("no object is of both: are arguments in the wrong order, or has one another type than it is declared with?")
        };
        self.diagnostics.push(finding);
    }
}

fn other_arity(what: &str, name: &str, given: usize, wanted: &[usize], span: Span) -> Diagnostic {
    let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
    let message = format!("{} has {} here, {} in its declaration", quote(name), arguments(given), wanted.join(" or "));
    let advice = format!("every use of a {what} needs the arguments of its declaration");
    Diagnostic::error("arity-mismatch", span, message).with_advice(advice)
}

/// The form of GDDL that a sign of another language stands for.
fn operator(word: &str) -> Option<&'static str> {
    match word {
        "==" | "eq" | "equal" | "equals" => Some("is `=` meant? That two terms are equal is `(= ?x ?y)`"),
        "!=" | "/=" | "<>" | "=/=" | "~=" | "\\=" | "neq" | "distinct" => {
            Some("that two terms differ is `(not (= ?x ?y))`")
        }
        "<" | ">" | "<=" | ">=" | "+" | "-" | "*" | "/" => Some(
            "conditions have no arithmetic: list the cases as facts, such as `(succ n1 n2)`, and use that predicate",
        ),
        "!" | "~" => Some("is `not` meant? Negation is `(not condition)`"),
        "&" | "&&" => Some("is `and` meant?"),
        "|" | "||" => Some("is `or` meant?"),
        "=>" | "->" | "implies" => Some("is `imply` meant?"),
        _ => None,
    }
}
