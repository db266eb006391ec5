//! Starts and ends servers.

use super::super::failure::Failure;
use super::super::output::print;
use super::super::shared::Listen;
use base::limits::Limits;
use serve::http::{Bounds, Handler, Server};
use std::sync::Arc;

/// Binds a server to the port of the arguments, or to `port` by default.
pub fn listen(arguments: &Listen, port: u16) -> Result<Server, Failure> {
    let port = arguments.port.unwrap_or(port);
    Server::bind(&arguments.bind, port).map_err(|error| match error.is_usage() {
        true => Failure::Usage(format!("--bind: {error}")),
        false => Failure::InputOutput(format!("{error}\n  `--port 0` takes a free port")),
    })
}

/// Prints the address first, and serves until the limits are interrupted, which is no failure.
pub fn serve(server: Server, handler: impl Handler, bounds: Bounds, limits: &Arc<Limits>) -> Result<(), Failure> {
    print(&format!("listening on {}\n", server.url()))?;
    let failure = |error| Failure::InputOutput(format!("the server cannot go on: {error}"));
    server.serve(handler, bounds, limits).map_err(failure)
}
