//! Servers over HTTP: the server itself, and what `ggsolve explore` answers.

#[path = "../common/http.rs"]
mod client;
mod server;
