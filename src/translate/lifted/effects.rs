//! What a move makes true and false.

use super::clauses::{Actor, Clauses, Opened};
use super::flat::Kind;
use super::formula::{Formula, Name, Term, Variable, solve};
use super::sorts::ValuePlace;
use crate::rules::Predicate;

/// For all values of the variables under which the condition holds, the fluent becomes true or false.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    pub variables: Vec<Variable>,
    pub condition: Formula,
    pub fluent: Kind,
    pub arguments: Vec<Term>,
    pub value: bool,
}

/// The effects of a move on all fluents, given that `known` holds: first all deletions, then all additions, each in the
/// order of the fluents. `None` if some rule cannot be translated.
pub fn effects(clauses: &mut Clauses, turn: &Actor, known: &[Formula]) -> Option<Vec<Effect>> {
    let mut deletions = Vec::new();
    let mut additions = Vec::new();
    for &fluent in &clauses.flat.fluents {
        fluent_effects(clauses, turn, fluent, known, &mut deletions, &mut additions)?;
    }
    deletions.extend(additions);
    Some(deletions)
}

fn fluent_effects(
    clauses: &mut Clauses,
    turn: &Actor,
    fluent: Kind,
    known: &[Formula],
    deletions: &mut Vec<Effect>,
    additions: &mut Vec<Effect>,
) -> Option<()> {
    let flat = clauses.flat;
    let variables: Vec<Variable> = (0..fluent.1)
        .map(|index| {
            let sort = clauses.sorts.of(ValuePlace::Fluent(fluent, index));
            clauses.variable(None, sort, false)
        })
        .collect();
    let terms: Vec<Term> = variables.iter().map(|&variable| Term::Variable(variable)).collect();
    let mut persists = Vec::new();
    for &rule in flat.rules_of(Predicate::Next) {
        let head = &flat.program.rules[rule].head.arguments[0];
        if super::flat::kind(head) != Some(fluent) {
            continue;
        }
        let Opened { variables: own, head, mut conditions } = clauses.open(rule, Some(turn))?;
        let now = Formula::Atom(Name::Fluent(fluent.0, fluent.1), head.clone());
        if let Some(at) = conditions.iter().position(|condition| *condition == now) {
            conditions.remove(at);
            let equations = head.iter().zip(&terms).map(|(&own, &given)| Formula::equal(own, given));
            persists.push(Formula::exists(own, Formula::and(equations.chain(conditions))));
        } else {
            let effect =
                Effect { variables: own, condition: Formula::and(conditions), fluent, arguments: head, value: true };
            additions.extend(simplified(effect, known));
        }
    }
    let lost = Formula::or(persists).negated();
    let now = Formula::Atom(Name::Fluent(fluent.0, fluent.1), terms.clone());
    let condition = Formula::and([now, lost]);
    deletions.extend(simplified(Effect { variables, condition, fluent, arguments: terms, value: false }, known));
    Some(())
}

/// Divides an effect with a disjunction as its condition into one for each member, and simplifies them.
fn simplified(effect: Effect, known: &[Formula]) -> Vec<Effect> {
    let Effect { variables, condition, fluent, arguments, value } = effect;
    let (variables, condition, arguments) = solve(variables, condition, arguments);
    let condition = condition.given(known);
    if let Formula::Or(parts) = condition {
        let part =
            |condition| Effect { variables: variables.clone(), condition, fluent, arguments: arguments.clone(), value };
        return parts.into_iter().flat_map(|condition| simplified(part(condition), known)).collect();
    }
    let names = |variable: &Variable| arguments.contains(&Term::Variable(*variable));
    let (variables, inner): (Vec<_>, Vec<_>) = variables.into_iter().partition(names);
    let mut condition = Formula::exists(inner, condition).given(known);
    if matches!(condition, Formula::Or(_)) && !condition.is_false() {
        return simplified(Effect { variables, condition, fluent, arguments, value }, known);
    }
    if condition.is_false() {
        return Vec::new();
    }
    let now = Formula::Atom(Name::Fluent(fluent.0, fluent.1), arguments.clone());
    if !value && variables.is_empty() {
        // Deleting a fluent that does not hold changes nothing, so the condition need not mention the fluent.
        condition = condition.given(&[now]);
    }
    vec![Effect { variables, condition, fluent, arguments, value }]
}
