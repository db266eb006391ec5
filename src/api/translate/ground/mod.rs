//! Writes a propositional game as a GDDL text. Every fluent becomes a predicate and every move an action, both without
//! arguments.
//!
//! An action stands for the joint move in which its role makes a move and every other role makes its only legal move
//! ([`turns`]). Its effects are the fluents that change ([`effects`]). Formulas that occur several times become derived
//! predicates ([`formulas`]). Every game in which players take turns can be translated; another game is refused if
//! random play shows that it is one. Time and memory: the number of moves times the size of the game's graph.

pub(super) mod effects;
mod formulas;
mod text;
pub(super) mod turns;

pub use text::text;
