//! Costs have no effect on play, which is reported once.

use crate::diagnostic::Diagnostic;
use crate::rules::gddl::ast::{Description, Effect};
use crate::syntax::Span;

/// Warns at the first place that says what an action or a plan costs.
pub fn check(description: &Description, diagnostics: &mut Vec<Diagnostic>) {
    let metrics = description.metrics.iter().map(|&(_, span)| span);
    let effects = description.actions.iter().filter_map(|action| first(&action.effect));
    if let Some(span) = effects.chain(metrics).min() {
        let message = "costs have no influence: plans are counted in moves";
        let advice = "a shortest plan has the fewest moves; it need not be the cheapest";
        diagnostics.push(Diagnostic::warning("action-costs", span, message).with_advice(advice));
    }
}

fn first(effect: &Effect) -> Option<Span> {
    match effect {
        Effect::Increase(_, _, span) => Some(*span),
        Effect::Add(_) | Effect::Delete(..) => None,
        Effect::And(parts) => parts.iter().find_map(first),
        Effect::Forall(_, inner, _) | Effect::When(_, inner, _) => first(inner),
    }
}
