//! Games for tests, beside the code so that every test shares them.
//!
//! [`boards`] are small boards on which play goes round; [`handmade`] builds a few well-known games without any text; [`random_game()`] and [`random_cyclic_game()`]
//! write small random ones as GDL, [`random_graph()`] and [`random_graph_with_chance()`] games of a token on a graph, and
//! [`random_recursive_game()`] games with recursive relations; [`random_mixed_game()`] games with chance and choices at the
//! same time.

pub mod boards;
mod graph;
pub mod handmade;
mod mixed;
mod random_game;
mod recursive;

pub use graph::{random_graph, random_graph_with_chance, random_graph_with_ties};
pub use mixed::random_mixed_game;
pub use random_game::{Flaw, random_cyclic_game, random_cyclic_game_of_many, random_game, random_game_of_many};
pub use recursive::random_recursive_game;
