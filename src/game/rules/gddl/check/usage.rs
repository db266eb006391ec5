//! Finds what has no use: parameters, actions and predicates without influence, and conditions that nothing makes true.
//! All of these are slips more often than meant. Linear in the length of the text.

use super::Vocabulary;
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::Symbol;
use crate::rules::gddl::ast::{Action, Amount, Atom, Condition, Description, Effect, PredicateName, Term};
use indexmap::IndexSet;

pub fn check(description: &Description, vocabulary: &Vocabulary, diagnostics: &mut Vec<Diagnostic>) {
    for action in &description.actions {
        parameters(description, action, diagnostics);
    }
    // In games, an action without effects is a move of waiting.
    if description.gains.is_empty() {
        without_effects(description, diagnostics);
    }
    let mut uses = Uses::default();
    uses.description(description);
    for signature in description.predicates.iter().filter(|signature| !uses.used.contains(&signature.predicate())) {
        let message = format!("nothing uses {}", quote(description.symbols.name(signature.name.symbol)));
        let advice = "remove it, or is another name meant where it should stand?";
        diagnostics.push(Diagnostic::warning("unused-relation", signature.span, message).with_advice(advice));
    }
    never_true(description, vocabulary, &uses, diagnostics);
}

/// Warns of parameters that neither the precondition nor the effect has: they only multiply the moves.
fn parameters(description: &Description, action: &Action, diagnostics: &mut Vec<Diagnostic>) {
    let mut variables = Variables::default();
    variables.condition(&action.precondition);
    variables.effect(&action.effect);
    for name in action.parameters.iter().map(|typed| typed.name) {
        if !variables.0.contains(&name.symbol) {
            let message = format!("nothing in the action uses {}", quote(description.symbols.name(name.symbol)));
            let advice =
                "each object that it may be makes a move of its own with the same effect: remove it, or use it";
            diagnostics.push(Diagnostic::warning("single-variable", name.span, message).with_advice(advice));
        }
    }
}

fn without_effects(description: &Description, diagnostics: &mut Vec<Diagnostic>) {
    for action in &description.actions {
        if is_empty(&action.effect) {
            let message = format!("action {} has no effect", quote(description.symbols.name(action.name.symbol)));
            let advice = "no shortest plan has it: write its `:effect`";
            diagnostics.push(Diagnostic::warning("no-effect", action.name.span, message).with_advice(advice));
        }
    }
}

fn is_empty(effect: &Effect) -> bool {
    match effect {
        Effect::Add(_) | Effect::Delete(..) | Effect::Increase(..) => false,
        Effect::And(parts) => parts.iter().all(is_empty),
        Effect::Forall(_, inner, _) | Effect::When(_, inner, _) => is_empty(inner),
    }
}

/// Notes predicates that preconditions or goals ask for and nothing makes true. A task need not have all that its
/// domain knows, so this is no warning. `control` has a finding of its own.
fn never_true(description: &Description, vocabulary: &Vocabulary, uses: &Uses, diagnostics: &mut Vec<Diagnostic>) {
    let mut reported = IndexSet::new();
    let preconditions = description.actions.iter().map(|action| &action.precondition);
    for condition in preconditions.chain(description.goals.iter().map(|(goal, _)| goal)) {
        condition.each_atom(true, &mut |atom, positive| {
            let name = atom.name();
            if !positive || uses.made.contains(&name) || vocabulary.control == Some(name) || !reported.insert(name) {
                return;
            }
            let message = format!("nothing makes {} true", quote(description.symbols.name(name.symbol)));
            let advice =
                "no effect adds it, no rule derives it, and `:init` does not have it: is something missing there?";
            diagnostics.push(Diagnostic::note("unknown-fluent", atom.span, message).with_advice(advice));
        });
    }
}

#[derive(Default)]
struct Uses {
    used: IndexSet<PredicateName>,
    /// What effects add, rules derive or `:init` states.
    made: IndexSet<PredicateName>,
}

impl Uses {
    fn description(&mut self, description: &Description) {
        self.made.extend(description.init.iter().map(Atom::name));
        self.made.extend(description.derivations.iter().map(|rule| rule.head.predicate()));
        for action in &description.actions {
            self.condition(&action.precondition);
            self.effect(&action.effect);
        }
        description.derivations.iter().for_each(|rule| self.condition(&rule.body));
        description.gains.iter().for_each(|gain| self.condition(&gain.body));
        description.goals.iter().for_each(|(goal, _)| self.condition(goal));
        self.used.extend(&self.made);
    }

    fn condition(&mut self, condition: &Condition) {
        condition.each_atom(true, &mut |atom, _| {
            self.used.insert(atom.name());
        });
    }

    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Add(atom) => drop(self.made.insert(atom.name())),
            Effect::Delete(atom, _) => drop(self.used.insert(atom.name())),
            Effect::And(parts) => parts.iter().for_each(|part| self.effect(part)),
            Effect::Forall(_, inner, _) => self.effect(inner),
            Effect::When(condition, inner, _) => {
                self.condition(condition);
                self.effect(inner);
            }
            Effect::Increase(..) => {}
        }
    }
}

/// The variables that occur as arguments, also those that quantifiers bind.
#[derive(Default)]
struct Variables(IndexSet<Symbol>);

impl Variables {
    fn terms(&mut self, terms: &[Term]) {
        self.0.extend(terms.iter().map(|term| term.name().symbol));
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Atom(atom) => self.terms(&atom.arguments),
            Condition::Equal(left, right, _) => self.terms(&[*left, *right]),
            Condition::Not(inner, _) | Condition::Quantified(_, _, inner, _) => self.condition(inner),
            Condition::And(parts) | Condition::Or(parts, _) => parts.iter().for_each(|part| self.condition(part)),
            Condition::Imply(left, right, _) => [left, right].into_iter().for_each(|part| self.condition(part)),
        }
    }

    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Add(atom) | Effect::Delete(atom, _) => self.terms(&atom.arguments),
            Effect::And(parts) => parts.iter().for_each(|part| self.effect(part)),
            Effect::Forall(_, inner, _) => self.effect(inner),
            Effect::When(condition, inner, _) => {
                self.condition(condition);
                self.effect(inner);
            }
            Effect::Increase(function, amount, _) => {
                self.terms(&function.arguments);
                self.amount(amount);
            }
        }
    }

    fn amount(&mut self, amount: &Amount) {
        match amount {
            Amount::Number(_) => {}
            Amount::Function(function) => self.terms(&function.arguments),
            Amount::Combined(_, parts, _) => parts.iter().for_each(|part| self.amount(part)),
        }
    }
}
