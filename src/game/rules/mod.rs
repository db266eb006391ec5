//! Rules as a Datalog program: the form to which all rule languages are lowered, and from which grounding starts.

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

/// The role that moves at random, as in GDL-II, in any case of letters.
pub const CHANCE: &str = "random";

pub use identity::identity;
pub use language::Language;
pub use notation::{Notation, Transcript};
pub use program::{Atom, Literal, Made, Predicate, PredicateId, Program, Rule, Symbol, SymbolTable, Term, Variable};
