//! Servers over HTTP: the server itself, and what `ggsolve explore` answers.

mod api;
#[path = "../common/browser.rs"]
mod browser;
mod chance;
#[path = "../common/http.rs"]
mod client;
mod look;
mod page;
mod process;
mod program;
mod running;
mod server;
mod site;
mod storm;
mod training;
