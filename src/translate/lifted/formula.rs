//! First-order formulas, and their simplification.

use crate::rules::Symbol;

/// A variable: an index into [`super::clauses::Clauses::variables`], and whether it can only be a role. Every variable
/// is bound in one place only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable {
    pub id: u32,
    pub role: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Term {
    Constant { name: Symbol, role: bool },
    Variable(Variable),
}

impl Term {
    /// Whether it can only be a role.
    fn is_role(self) -> bool {
        match self {
            Term::Constant { role, .. } => role,
            Term::Variable(variable) => variable.role,
        }
    }
}

/// The predicate of an atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Name {
    /// A fluent, by name and number of arguments.
    Fluent(Symbol, usize),
    /// A relation, by name and number of arguments.
    Relation(Symbol, usize),
    /// The facts of a relation that has other rules as well.
    Facts(Symbol, usize),
    /// That a kind of move is legal; its arguments are the role and those of the move.
    Legal(Symbol, usize),
    Terminal,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    Atom(Name, Vec<Term>),
    Equal(Term, Term),
    Not(Box<Formula>),
    /// True if empty.
    And(Vec<Formula>),
    /// False if empty.
    Or(Vec<Formula>),
    Exists(Vec<Variable>, Box<Formula>),
}

impl Formula {
    pub const TRUE: Formula = Formula::And(Vec::new());
    pub const FALSE: Formula = Formula::Or(Vec::new());

    pub fn is_true(&self) -> bool {
        matches!(self, Formula::And(parts) if parts.is_empty())
    }

    pub fn is_false(&self) -> bool {
        matches!(self, Formula::Or(parts) if parts.is_empty())
    }

    /// A simplified conjunction.
    pub fn and(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut flat: Vec<Formula> = Vec::new();
        for part in parts {
            match part {
                Formula::And(inner) => inner.into_iter().for_each(|part| push(&mut flat, part)),
                other => push(&mut flat, other),
            }
        }
        if flat.iter().any(|part| part.is_false() || flat.contains(&part.clone().negated())) {
            return Formula::FALSE;
        }
        if flat.len() == 1 { flat.remove(0) } else { Formula::And(flat) }
    }

    /// A simplified disjunction.
    pub fn or(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut flat: Vec<Formula> = Vec::new();
        for part in parts {
            match part {
                Formula::Or(inner) => inner.into_iter().for_each(|part| push(&mut flat, part)),
                other => push(&mut flat, other),
            }
        }
        if flat.iter().any(|part| part.is_true() || flat.contains(&part.clone().negated())) {
            return Formula::TRUE;
        }
        if flat.len() == 1 { flat.remove(0) } else { Formula::Or(flat) }
    }

    /// Two constants differ if their names do.
    pub fn equal(left: Term, right: Term) -> Formula {
        match (left, right) {
            _ if left == right => Formula::TRUE,
            (Term::Constant { .. }, Term::Constant { .. }) => Formula::FALSE,
            (Term::Constant { .. }, Term::Variable(_)) => Formula::equal(right, left),
            (Term::Variable(variable), Term::Constant { role: false, .. }) if variable.role => Formula::FALSE,
            _ => Formula::Equal(left, right),
        }
    }

    /// The negation, with `not` only before atoms, equations and quantifiers.
    pub fn negated(self) -> Formula {
        match self {
            Formula::Not(inner) => *inner,
            Formula::And(parts) => Formula::or(parts.into_iter().map(Formula::negated)),
            Formula::Or(parts) => Formula::and(parts.into_iter().map(Formula::negated)),
            other => Formula::Not(Box::new(other)),
        }
    }

    /// The formula that some values of the variables satisfy the body. Variables that equations determine are
    /// eliminated, and disjunctions are moved outwards.
    pub fn exists(variables: Vec<Variable>, body: Formula) -> Formula {
        if let Formula::Or(parts) = body {
            return Formula::or(parts.into_iter().map(|part| Formula::exists(variables.clone(), part)));
        }
        let (mut variables, body, _) = solve(variables, body, Vec::new());
        if matches!(body, Formula::Or(_)) {
            return Formula::exists(variables, body);
        }
        variables.retain(|&variable| body.mentions(variable));
        if variables.is_empty() { body } else { Formula::Exists(variables, Box::new(body)) }
    }

    pub fn mentions(&self, variable: Variable) -> bool {
        match self {
            Formula::Atom(_, terms) => terms.contains(&Term::Variable(variable)),
            Formula::Equal(left, right) => [left, right].contains(&&Term::Variable(variable)),
            Formula::Not(inner) | Formula::Exists(_, inner) => inner.mentions(variable),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| part.mentions(variable)),
        }
    }

    /// The formula with a variable replaced by a term. Every variable is bound in one place only, so no variable is
    /// captured.
    pub fn with(self, variable: Variable, term: Term) -> Formula {
        match self {
            Formula::Atom(name, terms) => {
                Formula::Atom(name, terms.into_iter().map(|other| replaced(other, variable, term)).collect())
            }
            Formula::Equal(left, right) => {
                Formula::equal(replaced(left, variable, term), replaced(right, variable, term))
            }
            Formula::Not(inner) => inner.with(variable, term).negated(),
            Formula::And(parts) => Formula::and(parts.into_iter().map(|part| part.with(variable, term))),
            Formula::Or(parts) => Formula::or(parts.into_iter().map(|part| part.with(variable, term))),
            Formula::Exists(variables, body) => Formula::exists(variables, body.with(variable, term)),
        }
    }

    /// The formula simplified under the assumption that some conditions hold.
    pub fn given(self, known: &[Formula]) -> Formula {
        if known.contains(&self) {
            return Formula::TRUE;
        }
        match self {
            Formula::Not(inner) => inner.given(known).negated(),
            Formula::And(parts) => Formula::and(parts.into_iter().map(|part| part.given(known))),
            Formula::Or(parts) => Formula::or(parts.into_iter().map(|part| part.given(known))),
            other if known.contains(&other.clone().negated()) => Formula::FALSE,
            Formula::Exists(variables, body) => Formula::exists(variables, body.given(known)),
            other => other,
        }
    }

    /// Number of atoms and equations.
    pub fn size(&self) -> usize {
        match self {
            Formula::Atom(..) | Formula::Equal(..) => 1,
            Formula::Not(inner) | Formula::Exists(_, inner) => inner.size(),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().map(Formula::size).sum(),
        }
    }

    /// Calls `visit` for every atom.
    pub fn each_atom(&self, visit: &mut dyn FnMut(Name)) {
        match self {
            Formula::Atom(name, _) => visit(*name),
            Formula::Equal(..) => {}
            Formula::Not(inner) | Formula::Exists(_, inner) => inner.each_atom(visit),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| part.each_atom(visit)),
        }
    }

    /// The conditions that stand side by side in it.
    pub fn conjuncts(self) -> Vec<Formula> {
        match self {
            Formula::And(parts) => parts,
            other => vec![other],
        }
    }
}

/// Eliminates the variables that equations of a conjunction determine, from the body and from further terms.
pub fn solve(
    mut variables: Vec<Variable>,
    mut body: Formula,
    mut terms: Vec<Term>,
) -> (Vec<Variable>, Formula, Vec<Term>) {
    loop {
        // A variable that can only be a role must not be replaced by a term that need not be a role.
        let takes =
            |variable: Variable, term: Term| variables.contains(&variable) && (!variable.role || term.is_role());
        let equation = |part: &Formula| match *part {
            Formula::Equal(Term::Variable(left), right) if takes(left, right) => Some((left, right)),
            Formula::Equal(left, Term::Variable(right)) if takes(right, left) => Some((right, left)),
            _ => None,
        };
        let found = match &body {
            Formula::And(parts) => parts.iter().find_map(equation),
            other => equation(other),
        };
        let Some((variable, term)) = found else { return (variables, body, terms) };
        variables.retain(|&other| other != variable);
        body = body.with(variable, term);
        terms.iter_mut().for_each(|other| *other = replaced(*other, variable, term));
    }
}

fn replaced(other: Term, variable: Variable, term: Term) -> Term {
    if other == Term::Variable(variable) { term } else { other }
}

fn push(list: &mut Vec<Formula>, part: Formula) {
    if !list.contains(&part) {
        list.push(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Variable = Variable { id: 0, role: false };
    const Y: Variable = Variable { id: 1, role: true };
    const A: Term = Term::Constant { name: Symbol(0), role: true };
    const B: Term = Term::Constant { name: Symbol(1), role: false };

    fn p(term: Term) -> Formula {
        Formula::Atom(Name::Relation(Symbol(9), 1), vec![term])
    }

    #[test]
    fn equations_are_solved() {
        let body = Formula::and([p(Term::Variable(X)), Formula::equal(A, Term::Variable(X))]);
        assert_eq!(Formula::exists(vec![X], body), p(A));
        let both = [Formula::equal(Term::Variable(X), A), Formula::equal(Term::Variable(X), B)];
        assert!(Formula::exists(vec![X], Formula::and(both.clone())).is_false());
        assert!(Formula::exists(vec![X], Formula::or(both)).is_true());
    }

    #[test]
    fn roles_stay_roles() {
        let [x, y] = [X, Y].map(Term::Variable);
        assert!(Formula::equal(y, B).is_false());
        // The variable that may be anything is replaced, not the role.
        let body = Formula::and([p(x), Formula::equal(x, y)]);
        assert_eq!(Formula::exists(vec![X], body.clone()), p(y));
        assert_eq!(Formula::exists(vec![Y], body.clone()), Formula::Exists(vec![Y], Box::new(body)));
    }

    #[test]
    fn negations_stand_inside() {
        let formula = Formula::and([p(A), Formula::or([p(B), p(Term::Variable(Y)).negated()])]);
        let expected = Formula::Or(vec![p(A).negated(), Formula::And(vec![p(B).negated(), p(Term::Variable(Y))])]);
        assert_eq!(formula.negated(), expected);
        assert!(Formula::and([p(A), p(A).negated()]).is_false());
    }

    #[test]
    fn known_conditions_go() {
        let formula = Formula::or([Formula::and([p(A), p(B)]), p(Term::Variable(X)).negated()]);
        assert_eq!(formula.clone().given(&[p(A), p(Term::Variable(X))]), p(B));
        assert!(formula.given(&[p(Term::Variable(X)).negated()]).is_true());
    }
}
