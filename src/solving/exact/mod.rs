//! Values of games with chance and of games with choices at the same time, as rational numbers of any size.
//!
//! A value has a number for each player: its average reward. A rule says how the value of a state follows from the
//! values of its successors. Which rule applies depends on the players whose choice matters, that is, changes the value
//! of some player. Chance comes first: the value after a joint move of the players is the mean over the moves of
//! chance. So chance may move together with players.
//!
//! | players whose choice matters | rule |
//! | --- | --- |
//! | none | the value after every joint move |
//! | one | the best value in the order of its opponent model |
//! | two | the value of the matrix game, if the sum of their numbers is constant and no other player's number varies |
//! | any, for one player against all others | the value of the matrix game with the others' joint moves as columns |
//!
//! Other states have no value on which all rational players must agree: see [`Undecided`].
//!
//! Where states repeat, values depend on each other. There a state also has a *round* for each player that gets something:
//! a player that makes moves which keep its number, and of these one that leads to an earlier round, comes to an end with
//! probability 1, and gets its number on average whatever the others do.

mod draw;
mod rule;
mod table;
#[cfg(test)]
mod tests;
mod value;

pub use draw::drawn;
pub use rule::{Decision, Rule, Stage, Strategy, Undecided, by_criterion, compare};
pub use table::{Rounds, Table};
pub use value::{Value, as_text, decimal, float, number, numbers, text};
