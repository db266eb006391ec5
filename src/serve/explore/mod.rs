//! Solved games in a browser: a page, and the JSON that it shows.
//!
//! A [`Library`] has open solutions, each under a name. An [`Explorer`] answers requests about them. Most answers take
//! a few memory accesses for each move; searches for distances and for replies of the program are bounded in positions,
//! time and number. The files of the page (HTML, CSS and modules of JavaScript) are embedded in the program, and load
//! nothing from elsewhere.

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
