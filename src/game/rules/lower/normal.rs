//! Negation normal form without copies. A [`Part`] is a condition with a sign that stands for the `not`s around it. Its
//! members are made on demand, one level at a time.

use crate::rules::program::Symbol;
use crate::rules::sentence::{Atom, Formula, Term, Variables};
use crate::syntax::Span;

/// The invariant of [`Body`]: members of disjunctions that can never hold were removed.
pub const POSSIBLE: &str = "members that can never hold were dropped";

#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    formula: &'a Formula,
    positive: bool,
    weak: bool,
}

#[derive(Debug, Clone)]
pub enum OwnLiteral {
    /// The atom holds if the flag is true; otherwise it does not.
    Holds(Atom, bool),
    /// The terms differ if the flag is true; otherwise they are equal.
    Differ(Term, Term, bool, Span),
}

enum Level<'a> {
    Atom(&'a Atom, bool),
    Differ(&'a Term, &'a Term, bool, Span),
    All(Vec<Part<'a>>),
    Any(Vec<Part<'a>>),
}

/// A conjunction of conditions, and of disjunctions with at least two members each.
pub struct Body<'a> {
    pub conditions: Vec<OwnLiteral>,
    pub disjunctions: Vec<Disjunction<'a>>,
}

pub struct Disjunction<'a> {
    pub whole: Part<'a>,
    pub members: Vec<Part<'a>>,
}

impl<'a> Part<'a> {
    pub fn new(formula: &'a Formula) -> Self {
        Part { formula, positive: true, weak: false }
    }

    pub fn weakened(self) -> Self {
        Part { weak: true, ..self }
    }

    fn level(self) -> Level<'a> {
        let Part { formula, positive, weak } = self;
        let members = |parts: &'a [Formula]| parts.iter().map(|formula| Part { formula, ..self }).collect();
        match formula {
            Formula::Atom(_) if weak && !positive => Level::All(Vec::new()),
            Formula::Distinct(..) if weak => Level::All(Vec::new()),
            Formula::Atom(atom) => Level::Atom(atom, positive),
            Formula::Distinct(left, right, span) => Level::Differ(left, right, positive, *span),
            Formula::Not(inner, _) => Part { formula: inner, positive: !positive, weak }.level(),
            Formula::And(parts, _) if positive => Level::All(members(parts)),
            Formula::Or(parts, _) if !positive => Level::All(members(parts)),
            Formula::And(parts, _) | Formula::Or(parts, _) => Level::Any(members(parts)),
        }
    }

    /// Number of clauses of the disjunctive normal form (saturating).
    fn clauses(self) -> usize {
        match self.level() {
            Level::Atom(..) | Level::Differ(..) => 1,
            Level::All(parts) => parts.into_iter().fold(1, |product, part| product.saturating_mul(part.clauses())),
            Level::Any(parts) => clauses_of_any(&parts),
        }
    }

    fn each_variable(self, visit: &mut dyn FnMut(Symbol)) {
        match self.level() {
            Level::Atom(atom, _) => atom.each_variable(&mut |name, _| visit(name)),
            Level::Differ(left, right, ..) => {
                left.each_variable(&mut |name, _| visit(name));
                right.each_variable(&mut |name, _| visit(name));
            }
            Level::All(parts) | Level::Any(parts) => parts.into_iter().for_each(|part| part.each_variable(visit)),
        }
    }
}

fn clauses_of_any(members: &[Part]) -> usize {
    members.iter().fold(0, |sum: usize, member| sum.saturating_add(member.clauses()))
}

pub fn variables(parts: &[Part]) -> Variables {
    let mut variables = Variables::new();
    for part in parts {
        part.each_variable(&mut |name| {
            variables.insert(name);
        });
    }
    variables
}

/// The variables that have a value whenever the part holds; `None` if it can never hold.
pub fn bound_by(part: Part) -> Option<Variables> {
    match part.level() {
        Level::Atom(atom, positive) => Some(if positive { atom.variables() } else { Variables::new() }),
        Level::Differ(..) => Some(Variables::new()),
        Level::All(parts) => {
            let mut variables = Variables::new();
            for part in parts {
                variables.extend(bound_by(part)?);
            }
            Some(variables)
        }
        Level::Any(parts) => bound_by_any(&parts),
    }
}

/// The variables that have a value whichever member holds; `None` if none can ever hold.
pub fn bound_by_any(members: &[Part]) -> Option<Variables> {
    let mut possible = members.iter().filter_map(|&member| bound_by(member));
    let first = possible.next()?;
    Some(possible.fold(first, |common, member| common.intersection(&member).copied().collect()))
}

impl<'a> Body<'a> {
    /// `None` if the conjunction can never hold, because it has an empty disjunction.
    pub fn new(parts: Vec<Part<'a>>) -> Option<Self> {
        let mut body = Body { conditions: Vec::new(), disjunctions: Vec::new() };
        let mut left: Vec<Part<'a>> = parts.into_iter().rev().collect();
        while let Some(part) = left.pop() {
            match part.level() {
                Level::Atom(atom, positive) => body.conditions.push(OwnLiteral::Holds(atom.clone(), positive)),
                Level::Differ(one, other, positive, span) => {
                    body.conditions.push(OwnLiteral::Differ(one.clone(), other.clone(), positive, span));
                }
                Level::All(parts) => left.extend(parts.into_iter().rev()),
                Level::Any(mut members) => {
                    members.retain(|member| member.clauses() > 0);
                    match members.len() {
                        0 => return None,
                        1 => left.extend(members),
                        _ => body.disjunctions.push(Disjunction { whole: part, members }),
                    }
                }
            }
        }
        Some(body)
    }

    pub fn clauses(&self) -> usize {
        self.disjunctions.iter().fold(1, |product, any| product.saturating_mul(clauses_of_any(&any.members)))
    }

    /// The disjunctive normal form. Time and memory grow with [`Body::clauses`].
    pub fn expand(&self) -> Vec<Vec<OwnLiteral>> {
        let mut clauses = vec![self.conditions.clone()];
        for Disjunction { members, .. } in &self.disjunctions {
            let body = |&member: &Part<'a>| Body::new(vec![member]).expect(POSSIBLE);
            let choices: Vec<Vec<OwnLiteral>> = members.iter().map(body).flat_map(|body| body.expand()).collect();
            clauses = clauses
                .iter()
                .flat_map(|clause| choices.iter().map(|choice| [clause.as_slice(), choice].concat()))
                .collect();
        }
        clauses
    }
}

impl OwnLiteral {
    pub fn variables(&self) -> Variables {
        let mut variables = Variables::new();
        let mut visit = |name, _| _ = variables.insert(name);
        match self {
            OwnLiteral::Holds(atom, _) => atom.each_variable(&mut visit),
            OwnLiteral::Differ(left, right, ..) => [left, right].iter().for_each(|term| term.each_variable(&mut visit)),
        }
        variables
    }

    pub fn equation(&self) -> Option<(&Term, &Term)> {
        match self {
            OwnLiteral::Differ(left, right, false, _) => Some((left, right)),
            _ => None,
        }
    }
}
