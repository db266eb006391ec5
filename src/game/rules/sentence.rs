//! Rules as they are written: heads, bodies with nested `and`, `or` and `not`, and the place of each part.
//!
//! Rule languages are read into this form, [`super::check`] validates it, and [`super::lower`] normalises it into a
//! [`super::Program`]. Nesting is bounded by [`crate::syntax::tree::DEEPEST`], so functions on these types may recurse.

use super::costs::Costs;
use super::program::{Predicate, Symbol, SymbolTable};
use crate::syntax::Span;
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    Constant(Symbol, Span),
    /// The name as written, with its `?`.
    Variable(Symbol, Span),
    /// A function symbol applied to one or more arguments.
    Function(Symbol, Vec<Term>, Span),
}

/// A predicate with its terms. A keyword may have a wrong number of arguments, which was reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Atom {
    pub predicate: Predicate,
    pub arguments: Vec<Term>,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    Atom(Atom),
    Distinct(Term, Term, Span),
    Not(Box<Formula>, Span),
    And(Vec<Formula>, Span),
    Or(Vec<Formula>, Span),
}

/// A rule or, with an empty body, a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    pub head: Atom,
    pub body: Vec<Formula>,
    pub span: Span,
}

#[derive(Debug, Clone, Default)]
pub struct Rulesheet {
    pub symbols: SymbolTable,
    pub sentences: Vec<Sentence>,
    /// The costs of moves; `None` if each costs 1.
    pub costs: Option<Costs>,
}

impl Rulesheet {
    /// The first fact for each role, in the order of the text, which, but for chance, is that of moves and rewards
    /// (Love, Hinrichs and Genesereth 2006, section 3). Roles that only rules derive are not listed; the game has them
    /// after these roles, ordered by name.
    pub fn listed_roles(&self) -> Vec<&Sentence> {
        let mut known = BTreeSet::new();
        let facts = self
            .sentences
            .iter()
            .filter(|sentence| sentence.head.predicate == Predicate::Role && sentence.body.is_empty());
        facts.filter(|sentence| known.insert(sentence.head.arguments.first().map(Term::reading))).collect()
    }
}

pub type Variables = BTreeSet<Symbol>;

impl Term {
    pub fn span(&self) -> Span {
        match self {
            Term::Constant(_, span) | Term::Variable(_, span) | Term::Function(_, _, span) => *span,
        }
    }

    /// Calls `visit` for the term and all terms inside it, in the order of the text.
    pub fn each_part<'a>(&'a self, visit: &mut dyn FnMut(&'a Term)) {
        visit(self);
        if let Term::Function(_, arguments, _) = self {
            arguments.iter().for_each(|argument| argument.each_part(visit));
        }
    }

    pub fn each_variable(&self, visit: &mut dyn FnMut(Symbol, Span)) {
        self.each_part(&mut |part| {
            if let Term::Variable(name, span) = part {
                visit(*name, *span);
            }
        });
    }

    /// Whether the two terms may have a common instance. Each occurrence counts as a separate variable, so the answer
    /// may be true although there is none.
    pub fn may_equal(&self, other: &Term) -> bool {
        match (self, other) {
            (Term::Variable(..), _) | (_, Term::Variable(..)) => true,
            (Term::Constant(a, _), Term::Constant(b, _)) => a == b,
            (Term::Function(f, a, _), Term::Function(g, b, _)) => {
                f == g && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.may_equal(b))
            }
            _ => false,
        }
    }

    /// The term without its places in the text. Terms that are written alike are equal.
    pub fn reading(&self) -> Vec<(Symbol, usize)> {
        let mut reading = Vec::new();
        self.each_part(&mut |part| {
            reading.push(match part {
                // The mark `?` distinguishes variables from constants.
                Term::Constant(name, _) | Term::Variable(name, _) => (*name, 0),
                Term::Function(name, arguments, _) => (*name, arguments.len()),
            });
        });
        reading
    }
}

impl Atom {
    /// Whether the two atoms may have a common instance. The answer may be true although there is none.
    pub fn may_equal(&self, other: &Atom) -> bool {
        self.predicate == other.predicate
            && self.arguments.iter().zip(&other.arguments).all(|(one, other)| one.may_equal(other))
    }

    pub fn variables(&self) -> Variables {
        let mut variables = Variables::new();
        self.each_variable(&mut |name, _| _ = variables.insert(name));
        variables
    }

    pub fn each_variable(&self, visit: &mut dyn FnMut(Symbol, Span)) {
        self.arguments.iter().for_each(|argument| argument.each_variable(visit));
    }
}

impl Formula {
    /// Calls `visit` for every atom and every `distinct`, in the order of the text, with whether it is inside an even
    /// number of `not`. `positive`: whether the whole formula is.
    pub fn each_leaf<'a>(&'a self, positive: bool, visit: &mut dyn FnMut(Leaf<'a>, bool)) {
        match self {
            Formula::Atom(atom) => visit(Leaf::Atom(atom), positive),
            Formula::Distinct(left, right, _) => visit(Leaf::Distinct(left, right), positive),
            Formula::Not(inner, _) => inner.each_leaf(!positive, visit),
            Formula::And(parts, _) | Formula::Or(parts, _) => {
                parts.iter().for_each(|part| part.each_leaf(positive, visit));
            }
        }
    }

    pub fn each_variable(&self, visit: &mut dyn FnMut(Symbol, Span)) {
        self.each_leaf(true, &mut |leaf, _| leaf.each_term(&mut |term| term.each_variable(visit)));
    }
}

#[derive(Debug, Clone, Copy)]
pub enum Leaf<'a> {
    Atom(&'a Atom),
    Distinct(&'a Term, &'a Term),
}

impl<'a> Leaf<'a> {
    pub fn each_term(self, visit: &mut dyn FnMut(&'a Term)) {
        match self {
            Leaf::Atom(atom) => atom.arguments.iter().for_each(visit),
            Leaf::Distinct(left, right) => [left, right].into_iter().for_each(visit),
        }
    }
}

impl Sentence {
    /// Calls `visit` for the head and every atom and `distinct` of the body, in the order of the text.
    pub fn each_leaf<'a>(&'a self, visit: &mut dyn FnMut(Leaf<'a>)) {
        visit(Leaf::Atom(&self.head));
        self.body.iter().for_each(|part| part.each_leaf(true, &mut |leaf, _| visit(leaf)));
    }

    /// Calls `visit` for every atom of the body, with whether it is inside an even number of `not`.
    pub fn each_condition<'a>(&'a self, visit: &mut dyn FnMut(&'a Atom, bool)) {
        for part in &self.body {
            part.each_leaf(true, &mut |leaf, positive| {
                if let Leaf::Atom(atom) = leaf {
                    visit(atom, positive);
                }
            });
        }
    }

    /// The atoms of the body that are inside an even number of `not`.
    pub fn positive_conditions(&self) -> Vec<&Atom> {
        let mut atoms = Vec::new();
        self.each_condition(&mut |atom, positive| atoms.extend(positive.then_some(atom)));
        atoms
    }

    pub fn each_variable(&self, visit: &mut dyn FnMut(Symbol, Span)) {
        self.each_leaf(&mut |leaf| leaf.each_term(&mut |term| term.each_variable(visit)));
    }
}
