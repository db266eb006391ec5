//! Why a server does not start.

use std::io;
use std::net::SocketAddr;

/// Why an address cannot be listened on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// The text is no address, and no name of one that is known here.
    #[error("{0} is no address of this machine")]
    NoAddress(String),
    #[error("{0} is in use by another program")]
    InUse(SocketAddr),
    /// Ports below 1024 are usually the system's own.
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

    /// Whether another address or port was named wrongly, and not refused by the system.
    pub fn is_usage(&self) -> bool {
        matches!(self, BindError::NoAddress(_))
    }
}
