//! The effects of a move, from the rules for `next`.

use super::clauses::{Actor, Lifting, Opened};
use super::flat::{Kind, kind};
use super::simplify::{Typing, and, negated, or};
use super::sorts::ValuePlace;
use super::vocabulary::Meaning;
use game::rules::Predicate;
use game::rules::gddl::ast::{Atom, Condition, Effect, Term, Typed};
use game::syntax::Span;

/// A fluent that becomes true or false, for all values of the variables for which the condition holds.
struct Change {
    variables: Vec<Typed>,
    condition: Condition,
    fluent: Atom,
    value: bool,
}

impl From<Change> for Effect {
    fn from(Change { variables, condition, fluent, value }: Change) -> Effect {
        let span = Span::default();
        let mut effect = if value { Effect::Add(fluent) } else { Effect::Delete(fluent, span) };
        if condition != Condition::TRUE {
            effect = Effect::When(condition, Box::new(effect), span);
        }
        if variables.is_empty() { effect } else { Effect::Forall(variables, Box::new(effect), span) }
    }
}

/// The effects of a move: deletions, then additions, by fluent. `None` if a rule cannot be translated.
pub fn effects(lifting: &mut Lifting, turn: &Actor, known: &[Condition]) -> Option<Vec<Effect>> {
    let mut deletions = Vec::new();
    let mut additions = Vec::new();
    for &fluent in &lifting.flat.fluents {
        fluent_effects(lifting, turn, fluent, known, &mut deletions, &mut additions)?;
    }
    deletions.extend(additions);
    deletions.iter().for_each(|change| lifting.note(&change.condition));
    Some(deletions.into_iter().map(Effect::from).collect())
}

fn fluent_effects(
    lifting: &mut Lifting,
    turn: &Actor,
    fluent: Kind,
    known: &[Condition],
    deletions: &mut Vec<Change>,
    additions: &mut Vec<Change>,
) -> Option<()> {
    let flat = lifting.flat;
    let variables: Vec<Typed> =
        (0..fluent.1).map(|index| lifting.variable(&[], index, ValuePlace::Fluent(fluent, index), false)).collect();
    let terms: Vec<Term> = variables.iter().map(|variable| Term::Variable(variable.name)).collect();
    let mut persists = Vec::new();
    for &rule in flat.rules_of(Predicate::Next) {
        if kind(&flat.program.rules[rule].head.arguments[0]) != Some(fluent) {
            continue;
        }
        let Opened { variables: own, head, mut conditions } = lifting.open(rule, Some(turn))?;
        let next = lifting.atom_of(fluent, head.clone());
        let typing = &lifting.words.typing;
        let now = Condition::Atom(next.clone());
        if let Some(at) = conditions.iter().position(|condition| *condition == now) {
            conditions.remove(at);
            persists.push(typing.exists(own, and(typing.all_equal(&head, &terms).chain(conditions))));
        } else {
            let change = Change { variables: own, condition: and(conditions), fluent: next, value: true };
            additions.extend(change.simplified(typing, known));
        }
    }
    let fluent = lifting.atom_of(fluent, terms);
    let condition = and([Condition::Atom(fluent.clone()), negated(or(persists))]);
    let change = Change { variables, condition, fluent, value: false };
    deletions.extend(change.simplified(&lifting.words.typing, known));
    Some(())
}

impl Lifting<'_> {
    fn atom_of(&mut self, fluent: Kind, terms: Vec<Term>) -> Atom {
        self.words.atom(Meaning::Fluent(fluent), terms, &self.flat.program.symbols)
    }
}

impl Change {
    /// Splits a change by the members of a disjunction, and simplifies each part.
    fn simplified(self, typing: &Typing, known: &[Condition]) -> Vec<Change> {
        let Change { variables, condition, fluent, value } = self;
        let (variables, condition, arguments) = typing.solve(variables, condition, fluent.arguments);
        let fluent = Atom { arguments, ..fluent };
        let condition = typing.given(condition, known);
        if let Condition::Or(parts, _) = condition {
            let part = |condition| Change { variables: variables.clone(), condition, fluent: fluent.clone(), value };
            return parts.into_iter().flat_map(|condition| part(condition).simplified(typing, known)).collect();
        }
        let names = |variable: &Typed| fluent.arguments.contains(&Term::Variable(variable.name));
        let (variables, inner): (Vec<_>, Vec<_>) = variables.into_iter().partition(names);
        let mut condition = typing.given(typing.exists(inner, condition), known);
        if condition == Condition::FALSE {
            return Vec::new();
        }
        if matches!(condition, Condition::Or(..)) {
            return Change { variables, condition, fluent, value }.simplified(typing, known);
        }
        if !value && variables.is_empty() {
            // The condition need not require the fluent: deleting a fluent that does not hold changes nothing.
            condition = typing.given(condition, &[Condition::Atom(fluent.clone())]);
        }
        vec![Change { variables, condition, fluent, value }]
    }
}
