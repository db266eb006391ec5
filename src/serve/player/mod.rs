//! A player for general game playing servers (Genesereth and Love, "General game playing: Overview of the AAAI
//! competition", 2005). A server sends the rules of a game, a role and the clocks, and then the moves of all roles.
//!
//! [`message`] reads messages. [`table`] decides what a message means for the current match; there is one match at a
//! time. Both know nothing of HTTP, clocks or threads. [`Player`] joins them with two threads for each match. The
//! thread of [`preparation`] grounds the rules and looks for a stored solution, or otherwise solves the game. The
//! thread of [`thinker`] chooses moves, by the solution if there is one, otherwise by [`search`]. [`Service`] answers
//! over HTTP. No message ends the player: an unintelligible message is refused. If time is short, the answer is the
//! best known move.

mod arena;
mod desk;
mod expert;
mod library;
mod message;
#[expect(clippy::module_inception, reason = "it is what the folder is about")]
mod player;
mod preparation;
mod search;
mod service;
mod stepwise;
mod table;
mod thinker;

pub use message::{Answer, Garbled};
pub use player::{Player, Settings};
pub use service::{BOUNDS, Service};
