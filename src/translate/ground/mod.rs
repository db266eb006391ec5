//! A propositional game as a GDDL text: every fluent a predicate, every move an action, both without arguments.
//!
//! An action stands for the joint move in which its role does a move and every other role its only legal one
//! ([`turns`]); its effects are what that makes different ([`effects`]); formulas that several places share become
//! derived predicates ([`formulas`]). Works for every game in which the players take turns, and gives a game that is
//! refused like the original where they do not. Time and memory grow with the number of moves times the size of the
//! game's graph.

pub(super) mod effects;
mod formulas;
mod text;
pub(super) mod turns;

pub use text::text;
