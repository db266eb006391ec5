//! Writes a GDL program as a GDDL text that keeps its names, parameters and rules.
//!
//! GDL says of every fluent when it holds next; GDDL says of every action what it changes. For each kind of move, the
//! `next` rules are specialised: the player in control makes such a move while the others wait ([`clauses`]). The
//! specialised rules become conditions of a GDDL description (`rules::gddl::ast`). Conditions on moves become equations
//! with the parameters, which simplification solves ([`simplify`]). Rules by which a fluent persists give the delete
//! effects, all other rules add effects ([`effects`]). Argument positions that share variables or constants have the
//! same type ([`sorts`]). `translate::description` writes the result.
//!
//! This is the inverse of `rules::lower`, but little of lowering can be reused: it makes clauses, whereas effects need
//! nested quantifiers and negations, and it makes new names, whereas the text keeps those of the rules.
//!
//! Not every program has this form. There is no such text if fluents contain function terms, a variable stands for a
//! whole fluent or move, relations on moves are recursive, or no group of fluents decides whose turn it is. In these
//! cases [`super::ground`] writes the propositional game.

mod clauses;
mod effects;
mod flat;
mod game;
mod initial;
mod planning;
mod simplify;
mod sorts;
mod text;
mod vocabulary;

use ::game::diagnostic::{Source, Span};
pub use text::text;

/// Why a program has no such text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Obstacle {
    what: &'static str,
    /// Its place in the rules; empty if it has none.
    span: Span,
}

impl Obstacle {
    /// An obstacle without a place.
    pub fn of_game(what: &'static str) -> Self {
        Obstacle { what, span: Span::default() }
    }

    /// What a translation says that has no parameters because of the obstacle.
    pub fn text(&self, source: &Source) -> String {
        let Obstacle { what, span: Span { start, end } } = *self;
        let position = source.position(start);
        let place = format!(" ({}:{}:{})", source.name_at(start), position.line, position.column);
        let place = if start < end { &*place } else { "" };
        format!(
            "the rules have no form with parameters in GDDL: the grounded game is written\n  the reason: {what}{place}"
        )
    }
}
