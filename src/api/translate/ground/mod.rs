//! Writes a propositional game as a GDDL text. Every fluent becomes a predicate and every move an action, both without
//! arguments.
//!
//! An action stands for the joint move in which its role makes a move and every other role its only legal one
//! ([`turns`]). Its effects are the fluents that change ([`effects`]). Formulas that occur several times become derived
//! predicates ([`formulas`]). The translation is right for every game in which players take turns; the text of any
//! other game is refused for the same reason as the game. Time and memory: the number of moves times the size of the
//! game's graph.

pub(super) mod effects;
mod formulas;
mod text;
pub(super) mod turns;

pub use text::text;
