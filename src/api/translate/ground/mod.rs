//! A propositional game as a GDDL text: every fluent becomes a predicate and every move an action, both without
//! arguments.
//!
//! An action stands for the joint move in which its role makes a move and every other role its only legal one
//! ([`turns`]). Its effects are the fluents that change ([`effects`]). Formulas that occur in several places become
//! derived predicates ([`formulas`]). This works for every game in which the players take turns; a game in which they
//! do not is translated to one that is refused for the same reason. Time and memory grow with the number of moves times
//! the size of the graph of the game.

pub(super) mod effects;
mod formulas;
mod text;
pub(super) mod turns;

pub use text::text;
