//! Matches against a solution, as a state machine: [`Match`] takes one [`Command`] at a time and returns its answers as
//! values ([`Told`]) for a front end to display. Its play depends only on the rules, the solution, the settings (with a
//! seed) and the commands.

mod command;
mod exact;
mod game;
mod opponent;
mod told;

pub use command::{Command, named};
pub use exact::{ExactMatch, drawn};
pub use game::{Match, Settings};
pub use opponent::choose;
pub use told::{Choice, Hint, Stand, Standing, Told};
