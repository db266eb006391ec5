//! Simplifies conditions of GDDL: moves negations inwards, solves equations, moves disjunctions outwards.
//!
//! Results contain only `and`, `or`, `not`, equations and `exists`. Every variable is bound in one place only, so that
//! a substitution captures none. Each operation is linear in its condition, except that members of `and` and `or` are
//! compared pair by pair, and that each solved equation takes a pass.
//!
//! Lowering solves equations as well (`rules/lower/unify`), but in rules, where it may choose every variable. Here only
//! the variables of the quantifier may be replaced, and terms are flat. A variable that stands for roles only must not
//! be replaced by a term that may be something else, because only its type says that it is a role.

use game::rules::Symbol;
use game::rules::gddl::ast::{Atom, Condition, Quantifier, Term, Typed};
use game::syntax::Span;
use rustc_hash::FxHashSet;

#[derive(Debug, Default)]
pub struct Typing {
    /// Variables and objects that are always roles.
    pub roles: FxHashSet<Symbol>,
    /// Constants to which no variable is equal in any state.
    pub foreign: FxHashSet<Symbol>,
}

pub fn and(parts: impl IntoIterator<Item = Condition>) -> Condition {
    let mut flat: Vec<Condition> = Vec::new();
    for part in parts {
        match part {
            Condition::And(inner) => inner.into_iter().for_each(|part| push(&mut flat, part)),
            other => push(&mut flat, other),
        }
    }
    if flat.iter().any(|part| *part == Condition::FALSE || flat.contains(&negated(part.clone()))) {
        return Condition::FALSE;
    }
    if flat.len() == 1 { flat.remove(0) } else { Condition::And(flat) }
}

pub fn or(parts: impl IntoIterator<Item = Condition>) -> Condition {
    let mut flat: Vec<Condition> = Vec::new();
    for part in parts {
        match part {
            Condition::Or(inner, _) => inner.into_iter().for_each(|part| push(&mut flat, part)),
            other => push(&mut flat, other),
        }
    }
    if flat.iter().any(|part| *part == Condition::TRUE || flat.contains(&negated(part.clone()))) {
        return Condition::TRUE;
    }
    if flat.len() == 1 { flat.remove(0) } else { Condition::Or(flat, Span::default()) }
}

fn push(list: &mut Vec<Condition>, part: Condition) {
    if !list.contains(&part) {
        list.push(part);
    }
}

/// The negation, with `not` only before atoms, equations and quantifiers.
pub fn negated(condition: Condition) -> Condition {
    match condition {
        Condition::Not(inner, _) => *inner,
        Condition::And(parts) => or(parts.into_iter().map(negated)),
        Condition::Or(parts, _) => and(parts.into_iter().map(negated)),
        other => Condition::Not(Box::new(other), Span::default()),
    }
}

pub fn size(condition: &Condition) -> usize {
    match condition {
        Condition::Atom(_) | Condition::Equal(..) => 1,
        Condition::Not(inner, _) | Condition::Quantified(_, _, inner, _) => size(inner),
        Condition::And(parts) | Condition::Or(parts, _) => parts.iter().map(size).sum(),
        Condition::Imply(left, right, _) => size(left) + size(right),
    }
}

fn mentions(condition: &Condition, term: Term) -> bool {
    match condition {
        Condition::Atom(atom) => atom.arguments.contains(&term),
        Condition::Equal(left, right, _) => [*left, *right].contains(&term),
        Condition::Not(inner, _) | Condition::Quantified(_, _, inner, _) => mentions(inner, term),
        Condition::And(parts) | Condition::Or(parts, _) => parts.iter().any(|part| mentions(part, term)),
        Condition::Imply(left, right, _) => mentions(left, term) || mentions(right, term),
    }
}

impl Typing {
    fn is_role(&self, term: Term) -> bool {
        let (Term::Object(name) | Term::Variable(name)) = term;
        self.roles.contains(&name.symbol)
    }

    /// The condition that two terms are equal. Two objects are equal if their names are.
    pub fn equal(&self, left: Term, right: Term) -> Condition {
        match (left, right) {
            _ if left == right => Condition::TRUE,
            (Term::Object(_), Term::Object(_)) => Condition::FALSE,
            (Term::Object(_), Term::Variable(_)) => self.equal(right, left),
            (Term::Variable(_), Term::Object(name)) if self.foreign.contains(&name.symbol) => Condition::FALSE,
            (Term::Variable(_), Term::Object(_)) if self.is_role(left) && !self.is_role(right) => Condition::FALSE,
            _ => Condition::Equal(left, right, Span::default()),
        }
    }

    pub fn all_equal<'a>(&'a self, left: &'a [Term], right: &'a [Term]) -> impl Iterator<Item = Condition> + 'a {
        left.iter().zip(right).map(|(&left, &right)| self.equal(left, right))
    }

    /// The condition that the body holds for some values of the variables, with disjunctions outside.
    pub fn exists(&self, variables: Vec<Typed>, body: Condition) -> Condition {
        if let Condition::Or(parts, _) = body {
            return or(parts.into_iter().map(|part| self.exists(variables.clone(), part)));
        }
        let (mut variables, body, _) = self.solve(variables, body, Vec::new());
        if matches!(body, Condition::Or(..)) {
            return self.exists(variables, body);
        }
        variables.retain(|variable| mentions(&body, Term::Variable(variable.name)));
        if variables.is_empty() {
            return body;
        }
        Condition::Quantified(Quantifier::Exists, variables, Box::new(body), Span::default())
    }

    /// Replaces the variables whose values follow from equations of the conjunction `body`, in the body and in `terms`.
    pub fn solve(
        &self,
        mut variables: Vec<Typed>,
        mut body: Condition,
        mut terms: Vec<Term>,
    ) -> (Vec<Typed>, Condition, Vec<Term>) {
        loop {
            let takes = |variable: Term, term: Term| {
                variables.iter().any(|bound| Term::Variable(bound.name) == variable)
                    && (!self.is_role(variable) || self.is_role(term))
            };
            let equation = |part: &Condition| match *part {
                Condition::Equal(left, right, _) if takes(left, right) => Some((left, right)),
                Condition::Equal(left, right, _) if takes(right, left) => Some((right, left)),
                _ => None,
            };
            let found = match &body {
                Condition::And(parts) => parts.iter().find_map(equation),
                other => equation(other),
            };
            let Some((variable, term)) = found else { return (variables, body, terms) };
            variables.retain(|bound| Term::Variable(bound.name) != variable);
            body = self.with(body, variable, term);
            terms.iter_mut().for_each(|other| *other = replaced(*other, variable, term));
        }
    }

    fn with(&self, condition: Condition, variable: Term, term: Term) -> Condition {
        match condition {
            Condition::Atom(atom) => {
                let arguments = atom.arguments.into_iter().map(|other| replaced(other, variable, term)).collect();
                Condition::Atom(Atom { arguments, ..atom })
            }
            Condition::Equal(left, right, _) => {
                self.equal(replaced(left, variable, term), replaced(right, variable, term))
            }
            other => self.rebuilt(other, &mut |part| self.with(part, variable, term)),
        }
    }

    /// The condition, simplified under the assumption that `known` holds.
    pub fn given(&self, condition: Condition, known: &[Condition]) -> Condition {
        if known.contains(&condition) {
            return Condition::TRUE;
        }
        let literal = matches!(condition, Condition::Atom(_) | Condition::Equal(..) | Condition::Quantified(..));
        if literal && known.contains(&negated(condition.clone())) {
            return Condition::FALSE;
        }
        self.rebuilt(condition, &mut |part| self.given(part, known))
    }

    fn rebuilt(&self, condition: Condition, change: &mut dyn FnMut(Condition) -> Condition) -> Condition {
        match condition {
            Condition::Not(inner, _) => negated(change(*inner)),
            Condition::And(parts) => and(parts.into_iter().map(change)),
            Condition::Or(parts, _) => or(parts.into_iter().map(change)),
            Condition::Imply(left, right, _) => or([negated(change(*left)), change(*right)]),
            Condition::Quantified(Quantifier::Exists, variables, body, _) => self.exists(variables, change(*body)),
            Condition::Quantified(Quantifier::Forall, variables, body, _) => {
                negated(self.exists(variables, negated(change(*body))))
            }
            leaf => leaf,
        }
    }
}

fn replaced(other: Term, variable: Term, term: Term) -> Term {
    if other == variable { term } else { other }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translate::description::{atom, name};

    const ANY: Symbol = Symbol(0);
    const ROLE: Symbol = Symbol(1);
    const A: Symbol = Symbol(2);
    const B: Symbol = Symbol(3);
    const FOREIGN: Symbol = Symbol(4);

    fn scene() -> (Typing, [Term; 2], [Term; 2]) {
        let typing = Typing { roles: [ROLE, A].into_iter().collect(), foreign: [FOREIGN].into_iter().collect() };
        (
            typing,
            [ANY, ROLE].map(|symbol| Term::Variable(name(symbol))),
            [A, B].map(|symbol| Term::Object(name(symbol))),
        )
    }

    fn bound(symbol: Symbol) -> Vec<Typed> {
        vec![Typed { name: name(symbol), types: Vec::new() }]
    }

    fn p(term: Term) -> Condition {
        Condition::Atom(atom(Symbol(9), vec![term]))
    }

    #[test]
    fn equations_are_solved() {
        let (typing, [x, _], [a, b]) = scene();
        assert_eq!(typing.exists(bound(ANY), and([p(x), typing.equal(a, x)])), p(a));
        let both = [typing.equal(x, a), typing.equal(x, b)];
        assert_eq!(typing.exists(bound(ANY), and(both.clone())), Condition::FALSE);
        assert_eq!(typing.exists(bound(ANY), or(both)), Condition::TRUE);
        assert_eq!(typing.equal(Term::Object(name(FOREIGN)), x), Condition::FALSE);
    }

    #[test]
    fn roles_stay_roles() {
        let (typing, [x, role], [_, b]) = scene();
        assert_eq!(typing.equal(role, b), Condition::FALSE);
        // `x` may be replaced by `role`, but not `role` by `x`, which need not be a role.
        let body = and([p(x), typing.equal(x, role)]);
        assert_eq!(typing.exists(bound(ANY), body.clone()), p(role));
        let quantified =
            Condition::Quantified(Quantifier::Exists, bound(ROLE), Box::new(body.clone()), Span::default());
        assert_eq!(typing.exists(bound(ROLE), body), quantified);
    }

    #[test]
    fn negations_stand_inside() {
        let (_, [_, y], [a, b]) = scene();
        let condition = and([p(a), or([p(b), negated(p(y))])]);
        let inner = Condition::And(vec![negated(p(b)), p(y)]);
        assert_eq!(negated(condition), Condition::Or(vec![negated(p(a)), inner], Span::default()));
        assert_eq!(and([p(a), negated(p(a))]), Condition::FALSE);
    }

    #[test]
    fn known_conditions_go() {
        let (typing, [x, _], [a, b]) = scene();
        let condition = or([and([p(a), p(b)]), negated(p(x))]);
        assert_eq!(typing.given(condition.clone(), &[p(a), p(x)]), p(b));
        assert_eq!(typing.given(condition, &[negated(p(x))]), Condition::TRUE);
        assert_eq!(typing.given(or([p(x), p(b)]), &[negated(p(x))]), p(b));
    }
}
