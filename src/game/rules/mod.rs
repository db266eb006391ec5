//! Rules as a Datalog program: what every rule language is lowered to and what grounding starts from.

pub mod check;
pub mod costs;
pub mod dependencies;
pub mod gddl;
pub mod gdl;
mod identity;
pub mod isomorphism;
pub mod language;
pub mod lower;
pub mod notation;
pub mod program;
pub mod sentence;
pub mod spellings;

/// The name of the role that moves at random, as GDL-II has it; in any case.
pub const CHANCE: &str = "random";

pub use identity::identity;
pub use language::Language;
pub use notation::{Notation, Transcript};
pub use program::{Atom, Literal, Made, Predicate, PredicateId, Program, Rule, Symbol, SymbolTable, Term, Variable};
