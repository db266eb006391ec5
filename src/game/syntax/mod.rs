//! From text to S-expressions with positions, for every language written in parentheses.

pub mod lexer;
pub mod tree;

pub use crate::diagnostic::Span;
pub use tree::{Kind, NodeId, Tree};
