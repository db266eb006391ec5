//! Reasons why a server does not start.

use std::io;
use std::net::SocketAddr;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// The text is neither an address of this machine nor a known name of one.
    #[error("{0} is no address of this machine")]
    NoAddress(String),
    #[error("{0} is in use by another program")]
    InUse(SocketAddr),
    /// The system refused the port, as it usually does below 1024.
    #[error("the permissions do not allow to listen on {0}")]
    Forbidden(SocketAddr),
    #[error("{address} cannot be listened on: {message}")]
    System { address: String, message: String },
}

impl BindError {
    pub(super) fn new(address: SocketAddr, error: &io::Error) -> BindError {
        match error.kind() {
            io::ErrorKind::AddrInUse => BindError::InUse(address),
            io::ErrorKind::AddrNotAvailable => BindError::NoAddress(address.ip().to_string()),
            io::ErrorKind::PermissionDenied => BindError::Forbidden(address),
            _ => BindError::System { address: address.to_string(), message: error.to_string() },
        }
    }

    /// Whether the address that the user gave is wrong. Otherwise the system refused it.
    pub fn is_usage(&self) -> bool {
        matches!(self, BindError::NoAddress(_))
    }
}
