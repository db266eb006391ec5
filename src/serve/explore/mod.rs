//! Solved games in a browser: a page, and the JSON that it is made from.
//!
//! A [`Library`] holds solutions that are open, each under a name of its own; an [`Explorer`] answers requests on them, by
//! the addresses of the command contract. Answers are read from the solutions, a few memory accesses for each move;
//! searches for distances and replies of the program are bounded in positions, time and number. The page is files that
//! are part of the program: HTML, CSS and modules of JavaScript, which ask for nothing but what this server has.

mod answers;
mod api;
mod error;
mod exact;
mod explorer;
mod files;
mod library;
mod routes;
mod site;

pub use explorer::Explorer;
pub use library::Library;
pub use site::{SiteReport, export};
