//! Values of games with chance and of games with choices at the same time, as rational numbers of any size.
//!
//! A value has a number for each player: its average reward. A rule says how the value of a state follows from the
//! values of its successors. It depends on the players with a choice that matters, that is, on which some player's
//! value depends. Chance comes first: the value after a joint move of the players is the mean over the moves of chance.
//! So chance may move together with players.
//!
//! | choices that matter | rule |
//! | --- | --- |
//! | none | the only value there is |
//! | of one player | the best value in the order of its opponent model |
//! | of two players | the value of the matrix game, if their sum is constant and no other player's value varies |
//! | of any, for one player against all others | the value of the matrix game with the joint moves of all others as
//! columns |
//!
//! Other states have no value on which all rational players must agree: see [`Undecided`].

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
