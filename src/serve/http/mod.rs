//! An HTTP server for answers that take processor time. Everything that a request can take is bounded.
//!
//! A [`Handler`] is ordinary blocking code: it gets a complete [`Request`] and returns a complete [`Response`], on a
//! thread of a pool. In front of it, two threads read and write connections (tokio and hyper, HTTP/1). They bound what
//! strangers can make the process take: the bytes of heads and bodies, the number of connections, the time in which a
//! connection neither asks nor takes an answer, the number of requests that are processed at the same time, and the
//! time until an answer. Names in `Host` and `Origin` are checked ([`hosts`]). No header permits other sites to read
//! answers. [`Server::serve`] answers until its limits are interrupted; requests under way then have a few seconds to
//! end.

mod error;
mod hosts;
mod message;
mod server;
mod wire;

pub use error::BindError;
pub use message::{Handler, Refusal, Request, Response};
pub use server::{Bounds, Server};
