//! A GDL program as a GDDL text that keeps its names, parameters and rules.
//!
//! GDL says of every fluent when it holds next; GDDL says of every action what it changes. For each kind of move, the
//! rules of the program for `next` are specialised to the player in control making such a move while the others wait
//! ([`clauses`]). They become conditions of a GDDL description (`rules::gddl::ast`); those on moves become equations
//! with the parameters, which simplification solves ([`simplify`]). Rules by which a fluent persists give the delete
//! effects, all other rules give add effects ([`effects`]). Types are found by uniting the argument positions that
//! share variables or constants ([`sorts`]). The description is written as any other is (`translate::description`).
//!
//! This is the way back from what `rules::lower` does, so little of lowering can serve: that makes clauses, where
//! effects need quantifiers, negated and nested, and names of its own, where the text keeps those of the rules.
//!
//! Not every program has this form. If fluents contain function terms, a variable stands for a whole fluent or move,
//! relations on moves are recursive, or no group of fluents decides whose turn it is, there is no such text, and
//! [`super::ground`] writes the propositional game instead.

mod clauses;
mod effects;
mod flat;
mod game;
mod initial;
mod simplify;
mod sorts;
mod text;
mod vocabulary;

pub use text::text;
