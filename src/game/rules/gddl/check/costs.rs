//! Checks whether costs of actions count, and if not, finds the places that prevent it.
//!
//! Costs count if there is at most one role, the problem minimises one function without arguments, and actions increase
//! it only by whole numbers from 0 on that are the same in every state. Otherwise moves are counted, and warnings at
//! these places say so.

use super::Vocabulary;
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::Symbol;
use crate::rules::gddl::ast::{Action, Amount, Atom, Description, Effect, Operator, PredicateName};
use crate::syntax::Span;
use indexmap::{IndexMap, IndexSet};

pub struct Increase<'a> {
    pub function: &'a Atom,
    pub amount: &'a Amount,
    span: Span,
    conditional: bool,
}

pub fn increases(action: &Action) -> Vec<Increase<'_>> {
    let mut found = Vec::new();
    collect(&action.effect, false, &mut found);
    found
}

fn collect<'a>(effect: &'a Effect, conditional: bool, found: &mut Vec<Increase<'a>>) {
    match effect {
        Effect::Increase(function, amount, span) => {
            found.push(Increase { function, amount, span: *span, conditional });
        }
        Effect::Add(_) | Effect::Delete(..) => {}
        Effect::And(parts) => parts.iter().for_each(|part| collect(part, conditional, found)),
        Effect::Forall(_, inner, _) | Effect::When(_, inner, _) => collect(inner, true, found),
    }
}

/// Warns of costs that do not count or, if costs count, of a metric or an `increase` without effect.
pub fn check(description: &Description, vocabulary: &Vocabulary, complete: bool, diagnostics: &mut Vec<Diagnostic>) {
    for (_, span) in description.metrics.iter().skip(1) {
        let message = "this metric has no influence: there is another one before it";
        diagnostics.push(Diagnostic::warning("action-costs", *span, message).with_advice("remove one of them"));
    }
    let metric = match metric(description, vocabulary) {
        Ok(None) => return,
        Ok(Some(metric)) => metric,
        Err(findings) => return diagnostics.extend(findings),
    };
    let name = quote(&format!("({})", description.symbols.name(metric.symbol)));
    let (own, others): (Vec<Increase>, Vec<Increase>) =
        description.actions.iter().flat_map(increases).partition(|increase| increase.function.name() == metric);
    if own.is_empty() && complete {
        let message = format!("no action increases {name}: every plan costs 0");
        let advice = "of plans with the same cost the shortest are the best";
        diagnostics.push(Diagnostic::warning("action-costs", description.metrics[0].1, message).with_advice(advice));
    }
    if let Some(other) = others.first() {
        let message = format!("{} has no influence", quote(description.symbols.name(other.function.predicate.symbol)));
        let advice = format!("the metric minimises {name}");
        diagnostics.push(Diagnostic::warning("action-costs", other.span, message).with_advice(advice));
    }
}

/// The function to minimise; `None` without costs. The error has a warning for each reason why costs do not count.
pub fn metric(description: &Description, vocabulary: &Vocabulary) -> Result<Option<PredicateName>, Vec<Diagnostic>> {
    let increases: Vec<Increase> = description.actions.iter().flat_map(increases).collect();
    let Some((metric, span)) = description.metrics.first() else {
        let advice = "`(:metric minimize (total-cost))` in the problem asks for cheapest plans";
        return increases.first().map_or(Ok(None), |first| Err(vec![uncounted(first.span, advice)]));
    };
    let metric = match metric {
        Amount::Function(function) if function.arguments.is_empty() => function.name(),
        // `total-time` is read as a number; for actions without costs it is the number of moves.
        Amount::Number(_) if increases.is_empty() => return Ok(None),
        _ => {
            let advice = "what can be minimised is one function without arguments, such as `(total-cost)`";
            return Err(vec![uncounted(*span, advice)]);
        }
    };
    if vocabulary.roles.len() > 1 {
        return Err(vec![uncounted(*span, "they count where there is one player")]);
    }
    let mut obstacles = Obstacles {
        description,
        changing: increases.iter().map(|increase| increase.function.name()).collect(),
        used: IndexSet::new(),
        found: IndexMap::new(),
    };
    for increase in increases.iter().filter(|increase| increase.function.name() == metric) {
        if increase.conditional {
            let advice = "an action costs the same in every state: no `increase` within `when` or `forall`";
            obstacles.add(increase.span, advice.to_owned());
        }
        obstacles.amount(increase.amount);
    }
    obstacles.values();
    match obstacles.found.is_empty() {
        true => Ok(Some(metric)),
        false => Err(obstacles.found.into_iter().map(|(advice, span)| uncounted(span, &advice)).collect()),
    }
}

fn uncounted(span: Span, advice: &str) -> Diagnostic {
    let message = "costs have no influence: plans are counted in moves";
    Diagnostic::warning("action-costs", span, message).with_advice(advice)
}

struct Obstacles<'a> {
    description: &'a Description,
    changing: IndexSet<PredicateName>,
    used: IndexSet<PredicateName>,
    found: IndexMap<String, Span>,
}

const WHOLE: &str = "costs are whole numbers from 0 to 4294967295";

impl Obstacles<'_> {
    fn add(&mut self, span: Span, advice: String) {
        self.found.entry(advice).or_insert(span);
    }

    fn amount(&mut self, amount: &Amount) {
        match amount {
            Amount::Number(number) if number.cost.is_none() => self.add(number.span, WHOLE.to_owned()),
            Amount::Number(_) => {}
            Amount::Function(function) if self.changing.contains(&function.name()) => {
                let name = quote(self.description.symbols.name(function.predicate.symbol));
                self.add(function.span, format!("an action costs the same in every state, and {name} changes"));
            }
            Amount::Function(function) => drop(self.used.insert(function.name())),
            Amount::Combined(Operator::Other, _, span) => {
                self.add(*span, "of arithmetic, costs have `+` and `*`".to_owned());
            }
            Amount::Combined(_, parts, _) => parts.iter().for_each(|part| self.amount(part)),
        }
    }

    fn values(&mut self) {
        let mut known: IndexMap<(Symbol, Vec<Symbol>), Option<u64>> = IndexMap::new();
        for (function, value) in &self.description.values {
            if !self.used.contains(&function.name()) {
                continue;
            }
            if value.cost.is_none() {
                self.add(value.span, WHOLE.to_owned());
            }
            let key = (function.predicate.symbol, objects(function));
            if *known.entry(key).or_insert(value.cost) != value.cost {
                self.add(value.span, "a function has one value, and `:init` says another one before".to_owned());
            }
        }
    }
}

pub fn objects(function: &Atom) -> Vec<Symbol> {
    function.arguments.iter().map(|term| term.name().symbol).collect()
}
