//! A GDL program as a GDDL text that keeps its names, parameters and rules.
//!
//! GDL says of every fluent when it holds next, GDDL of every action what it changes. For each kind of move, the rules
//! for `next` are specialised to a player in control that does it while the others wait ([`clauses`]): conditions on
//! moves become equations with the parameters, which simplification solves ([`formula`]). Rules that say a fluent
//! persists give its delete effects, all others add effects ([`effects`]). Types are found by uniting what the rules
//! connect ([`sorts`]).
//!
//! Not every program has this form: function terms inside fluents, variables for whole fluents or moves, recursion on
//! moves, or turns that no group of fluents tells; then there is no text, and [`super::ground`] writes one.

mod clauses;
mod effects;
mod flat;
mod formula;
mod game;
mod initial;
mod scope;
mod sections;
mod sorts;
mod text;
mod vocabulary;

pub use text::text;
