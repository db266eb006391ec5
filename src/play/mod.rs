//! Playing against a solution, as a state machine: [`Match`] takes one [`Command`] at a time and gives what there is to
//! tell as values ([`Told`]), which a front end shows as it likes. Its play depends on the rules, the solution, the
//! commands and the seed alone.

mod command;
mod game;
mod opponent;
mod told;

pub use command::Command;
pub use game::{Match, Settings};
pub use told::{Hint, Standing, Told};
