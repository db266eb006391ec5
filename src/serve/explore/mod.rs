//! Solved games in a browser: a page, and the JSON from which it is made.
//!
//! A [`Library`] has open solutions, each under a name. An [`Explorer`] answers requests about them; the command
//! contract has the addresses. Answers are read from the solutions with a few memory accesses for each move. Searches
//! for distances and replies of the program are bounded in positions, time and number. The files of the page are
//! embedded in the program: HTML, CSS and modules of JavaScript. They load nothing from elsewhere.

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
