//! Games for tests, beside the code so that every test shares them.
//!
//! [`handmade`] builds a few well-known games without any text; [`random_game()`] and [`random_cyclic_game()`]
//! write small random ones as GDL.

pub mod handmade;
mod random_game;

pub use random_game::{Flaw, random_cyclic_game, random_cyclic_game_of_many, random_game, random_game_of_many};
