//! Values of games with chance and of games in which several players choose at the same time: rational numbers of any size.
//!
//! A value has a number for each player: its average reward. A rule says how the value of a state follows from those of
//! its successors; the rule depends on how many players have a choice there that matters to somebody. Chance comes
//! first: the value after a joint move of the players is the mean over the moves of chance. So a state in which chance
//! moves together with players is one of the players over means.
//!
//! | choices that matter | rule |
//! | --- | --- |
//! | none | the only value there is |
//! | of one player | the best value in the order of its opponent model |
//! | of two players | the value of the matrix, where what the two get sums up to the same and nobody else is concerned |
//! | of any, for one player against all others | the value of the matrix with the joint moves of all others as columns |
//!
//! In other states there is no value that every rational player had to agree on: see [`Undecided`].

mod draw;
mod rule;
mod table;
#[cfg(test)]
mod tests;
mod value;

pub use draw::drawn;
pub use rule::{Decision, Rule, Stage, Strategy, Undecided, compare};
pub use table::Table;
pub use value::{Value, as_text, float, number, numbers, text};
