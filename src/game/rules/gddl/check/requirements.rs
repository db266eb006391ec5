//! Checks that features beyond basic planning are listed under `:requirements`.

use crate::diagnostic::{Diagnostic, quote};
use crate::rules::check::spelling::meant;
use crate::rules::gddl::ast::{Condition, Description, Effect, Quantifier, Typed};
use crate::syntax::Span;
use indexmap::IndexMap;

/// For each feature, the requirements that include it, the suggested one first.
const FEATURES: [(&str, &[&str]); 7] = [
    (":typing", &[":typing", ":adl"]),
    (":equality", &[":equality", ":adl"]),
    (":negative-preconditions", &[":negative-preconditions", ":adl"]),
    (":disjunctive-preconditions", &[":disjunctive-preconditions", ":adl"]),
    (":existential-preconditions", &[":existential-preconditions", ":quantified-preconditions", ":adl"]),
    (":universal-preconditions", &[":universal-preconditions", ":quantified-preconditions", ":adl"]),
    (":conditional-effects", &[":conditional-effects", ":adl"]),
];

/// `:derived-predicates` is not included in `:adl`.
const DERIVED: (&str, &[&str]) = (":derived-predicates", &[":derived-predicates", ":domain-axioms"]);

/// If not `complete` (requirements may be among what could not be read), none is reported as missing.
pub fn check(description: &Description, complete: bool, diagnostics: &mut Vec<Diagnostic>) {
    let features = || FEATURES.iter().chain([&DERIVED]);
    let given: Vec<&str> = description.requirements.iter().map(|name| description.symbols.name(name.symbol)).collect();
    for (requirement, name) in description.requirements.iter().zip(&given) {
        let known = [":strips", ":adl", ":quantified-preconditions", ":domain-axioms", ":action-costs"];
        if !known.contains(name) && !features().any(|(feature, _)| feature == name) {
            let message = format!("{} is no requirement of GDDL", quote(name));
            let similar = meant(name, features().map(|(feature, _)| *feature).chain(known));
            let advice = similar.unwrap_or_else(|| {
                "it has no influence; GDDL is PDDL 2.2 without numbers, time and preferences".to_owned()
            });
            diagnostics.push(Diagnostic::warning("unknown-requirement", requirement.span, message).with_advice(advice));
        }
    }
    if !complete {
        return;
    }
    let mut uses = Uses::default();
    uses.description(description);
    for (feature, announced_by) in features() {
        if let Some(&span) = uses.0.get(feature)
            && !announced_by.iter().any(|name| given.contains(name))
        {
            let message = format!("this needs the requirement `{feature}`");
            let advice = format!("add it: `(:requirements … {feature})`");
            diagnostics.push(Diagnostic::warning("missing-requirement", span, message).with_advice(advice));
        }
    }
}

#[derive(Default)]
struct Uses(IndexMap<&'static str, Span>);

impl Uses {
    fn used(&mut self, feature: &'static str, span: Span) {
        self.0.entry(feature).or_insert(span);
    }

    fn description(&mut self, description: &Description) {
        self.typed(&description.types);
        self.typed(&description.objects);
        description.types.iter().take(1).for_each(|typed| self.used(":typing", typed.name.span));
        description.predicates.iter().for_each(|signature| self.typed(&signature.parameters));
        for rule in &description.derivations {
            self.used(DERIVED.0, rule.span);
            self.typed(&rule.head.parameters);
            self.condition(&rule.body);
        }
        for action in &description.actions {
            self.typed(&action.parameters);
            self.condition(&action.precondition);
            self.effect(&action.effect);
        }
        for gain in &description.gains {
            self.typed(&gain.parameters);
            self.condition(&gain.body);
        }
        description.goals.iter().for_each(|(goal, _)| self.condition(goal));
    }

    fn typed(&mut self, list: &[Typed]) {
        if let Some(name) = list.iter().find_map(|typed| typed.types.first()) {
            self.used(":typing", name.span);
        }
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Atom(_) => {}
            Condition::Equal(_, _, span) => self.used(":equality", *span),
            Condition::Not(inner, span) => {
                // A negated equation is part of `:equality`.
                if !matches!(**inner, Condition::Equal(..)) {
                    self.used(":negative-preconditions", *span);
                }
                self.condition(inner);
            }
            Condition::And(parts) => parts.iter().for_each(|part| self.condition(part)),
            Condition::Or(parts, span) => {
                self.used(":disjunctive-preconditions", *span);
                parts.iter().for_each(|part| self.condition(part));
            }
            Condition::Imply(left, right, span) => {
                self.used(":disjunctive-preconditions", *span);
                self.condition(left);
                self.condition(right);
            }
            Condition::Quantified(quantifier, variables, body, span) => {
                let feature = match quantifier {
                    Quantifier::Exists => ":existential-preconditions",
                    Quantifier::Forall => ":universal-preconditions",
                };
                self.used(feature, *span);
                self.typed(variables);
                self.condition(body);
            }
        }
    }

    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Add(_) | Effect::Delete(..) | Effect::Increase(..) => {}
            Effect::And(parts) => parts.iter().for_each(|part| self.effect(part)),
            Effect::Forall(variables, inner, span) => {
                self.used(":conditional-effects", *span);
                self.typed(variables);
                self.effect(inner);
            }
            Effect::When(condition, inner, span) => {
                self.used(":conditional-effects", *span);
                self.condition(condition);
                self.effect(inner);
            }
        }
    }
}
