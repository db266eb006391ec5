//! Playing against a solution: a dialogue of lines, without a terminal's control codes.
//!
//! [`Dialogue`] takes one line at a time and gives the text to show; it reads and prints nothing itself. Its play
//! depends on the rules, the solution, the lines and the seed alone.

mod dialogue;
mod opponent;

pub use dialogue::{Answer, Dialogue, Settings};
