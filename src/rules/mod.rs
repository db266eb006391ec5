//! Rules as a Datalog program: what every rule language is lowered to and what grounding starts from.

pub mod program;

pub use program::{Atom, Literal, Predicate, PredicateId, Program, Rule, Symbol, SymbolTable, Term, Variable};
