//! An HTTP server for answers that take processor time: requests in, answers out, and everything bounded.
//!
//! A [`Handler`] is ordinary code that blocks: it gets a whole [`Request`] and gives a whole [`Response`], on a thread of
//! a pool. What is in front of it reads and writes connections on two threads (tokio and hyper, HTTP/1) and bounds what
//! strangers can make the process take: the bytes of heads and bodies, the connections and how long one may be idle,
//! the requests that are worked on at once, and the time until an answer. Names in `Host` and `Origin` are checked, so
//! that no page of another site reaches the server by a name of its own (DNS rebinding). No header allows other sites to
//! read answers.
//!
//! [`Server::bind`] takes an address and a port (0: a free one), [`Server::serve`] answers until the limits that it is
//! given are interrupted; what is under way then has a few seconds to end.

mod error;
mod hosts;
mod message;
mod server;
mod wire;

pub use error::BindError;
pub use message::{Handler, Refusal, Request, Response};
pub use server::{Bounds, Server};
