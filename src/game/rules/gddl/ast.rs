//! The syntax tree of a GDDL text: the sections of a domain and a problem, with places in the text.
//!
//! Names are in lower case, because PDDL ignores the case of letters. Nesting is bounded by
//! [`crate::syntax::tree::DEEPEST`], so functions on these types may recurse.

use crate::rules::{Symbol, SymbolTable};
use crate::syntax::Span;

/// A name, or a variable with its `?`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name {
    pub symbol: Symbol,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    pub name: Name,
    /// Several types after `either`; none if no type is written.
    pub types: Vec<Name>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    Object(Name),
    Variable(Name),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Atom {
    pub predicate: Name,
    pub arguments: Vec<Term>,
    pub span: Span,
}

/// `()` is an `and` without members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    Atom(Atom),
    Equal(Term, Term, Span),
    Not(Box<Condition>, Span),
    And(Vec<Condition>),
    Or(Vec<Condition>, Span),
    Imply(Box<Condition>, Box<Condition>, Span),
    Quantified(Quantifier, Vec<Typed>, Box<Condition>, Span),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    Exists,
    Forall,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    Add(Atom),
    Delete(Atom, Span),
    And(Vec<Effect>),
    Forall(Vec<Typed>, Box<Effect>, Span),
    When(Condition, Box<Effect>, Span),
    /// A cost, which does not change the state.
    Increase(Atom, Amount, Span),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Amount {
    Number(Number),
    Function(Atom),
    Combined(Operator, Vec<Amount>, Span),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// The value, if it is a whole number that a cost may be.
    pub cost: Option<u64>,
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Plus,
    Times,
    /// An operation whose result may be negative or no whole number.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateName {
    pub symbol: Symbol,
    pub arity: usize,
}

/// A predicate with typed variables, in a declaration or in the head of a derivation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub name: Name,
    pub parameters: Vec<Typed>,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derivation {
    pub head: Signature,
    pub body: Condition,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    pub name: Name,
    pub parameters: Vec<Typed>,
    pub precondition: Condition,
    pub effect: Effect,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gain {
    pub parameters: Vec<Typed>,
    pub value: Name,
    pub body: Condition,
    pub span: Span,
}

impl Gain {
    /// A gain for all roles where play goes on, which pays nothing. The language asks for a gain if there are several
    /// roles, also if they never get any. `end`: the condition of the end of play.
    pub fn before(end: Condition, player: Typed, value: Name) -> Gain {
        let body =
            if end == Condition::FALSE { Condition::TRUE } else { Condition::Not(Box::new(end), Span::default()) };
        Gain { parameters: vec![player], value, body, span: Span::default() }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Description {
    pub symbols: SymbolTable,
    pub domains: Vec<Name>,
    pub problems: Vec<Name>,
    pub domain_of_problem: Vec<Name>,
    pub requirements: Vec<Name>,
    pub types: Vec<Typed>,
    pub objects: Vec<Typed>,
    pub predicates: Vec<Signature>,
    /// Functions whose values are numbers.
    pub functions: Vec<Signature>,
    /// The metrics to minimise; only the first one counts.
    pub metrics: Vec<(Amount, Span)>,
    pub derivations: Vec<Derivation>,
    pub actions: Vec<Action>,
    pub gains: Vec<Gain>,
    /// Positive facts. All other atoms are false.
    pub init: Vec<Atom>,
    pub values: Vec<(Atom, Number)>,
    pub goals: Vec<(Condition, Span)>,
}

impl Condition {
    pub const TRUE: Condition = Condition::And(Vec::new());

    pub const FALSE: Condition = Condition::Or(Vec::new(), Span { start: 0, end: 0 });

    /// Calls `visit` for every conjunct, also in nested `and`s.
    pub fn each_conjunct<'a>(&'a self, visit: &mut dyn FnMut(&'a Condition)) {
        match self {
            Condition::And(parts) => parts.iter().for_each(|part| part.each_conjunct(visit)),
            other => visit(other),
        }
    }

    /// Calls `visit` for every atom, with whether it is inside an even number of negations. `positive`: whether the
    /// whole condition is.
    pub fn each_atom<'a>(&'a self, positive: bool, visit: &mut dyn FnMut(&'a Atom, bool)) {
        match self {
            Condition::Atom(atom) => visit(atom, positive),
            Condition::Equal(..) => {}
            Condition::Not(inner, _) => inner.each_atom(!positive, visit),
            Condition::And(parts) | Condition::Or(parts, _) => {
                parts.iter().for_each(|part| part.each_atom(positive, visit));
            }
            Condition::Imply(left, right, _) => {
                left.each_atom(!positive, visit);
                right.each_atom(positive, visit);
            }
            Condition::Quantified(_, _, body, _) => body.each_atom(positive, visit),
        }
    }
}

impl Effect {
    /// Calls `visit` for every atom, with whether the effect adds it (true) or deletes it (false).
    pub fn each_atom<'a>(&'a self, visit: &mut dyn FnMut(&'a Atom, bool)) {
        match self {
            Effect::Add(atom) => visit(atom, true),
            Effect::Delete(atom, _) => visit(atom, false),
            Effect::And(parts) => parts.iter().for_each(|part| part.each_atom(visit)),
            Effect::Forall(_, inner, _) | Effect::When(_, inner, _) => inner.each_atom(visit),
            Effect::Increase(..) => {}
        }
    }
}

impl Term {
    pub fn name(self) -> Name {
        let (Term::Object(name) | Term::Variable(name)) = self;
        name
    }
}

impl Atom {
    pub fn name(&self) -> PredicateName {
        PredicateName { symbol: self.predicate.symbol, arity: self.arguments.len() }
    }
}

impl Signature {
    pub fn predicate(&self) -> PredicateName {
        PredicateName { symbol: self.name.symbol, arity: self.parameters.len() }
    }
}
