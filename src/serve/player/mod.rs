//! A player for general game playing servers (Genesereth and Love, "General game playing: Overview of the AAAI
//! competition", 2005): it is told the rules of a game, its role and the clocks, and then all moves.
//!
//! [`message`] reads what servers say, [`table`] decides what it means for the one match that is played at a time; both
//! know nothing of HTTP, clocks or threads. [`Player`] joins them with two threads for each match: one finds out about
//! the rules ([`preparation`]: grounding, a stored solution of the same game under whatever names, else solving it) and
//! one plays ([`thinker`]: by the solution where there is one, else by [`search`]). [`Service`] answers over HTTP.
//!
//! Nothing that a server sends ends the player: what cannot be understood is refused, what cannot be known in time is
//! answered by the best that is known.

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
