//! A player for general game playing servers (Genesereth and Love, "General game playing: Overview of the AAAI
//! competition", 2005). It receives the rules of a game, its role and the clocks, and then all moves.
//!
//! [`message`] reads the messages of servers. [`table`] decides what they mean for the one match that is played at a
//! time. Both know nothing of HTTP, clocks or threads. [`Player`] joins them with two threads for each match. One
//! prepares ([`preparation`]): it grounds the rules, looks for a stored solution of the same game under any names, and
//! otherwise solves it. The other plays ([`thinker`]): by the solution if there is one, otherwise by [`search`].
//! [`Service`] answers over HTTP.
//!
//! No message of a server ends the player. A message that cannot be understood is refused. If the time is short, the
//! answer is the best that is known.

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
