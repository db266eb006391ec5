//! From text to S-expressions with positions, for every language written in parentheses.

pub mod lexer;
pub mod tree;

pub use crate::diagnostic::Span;
pub use tree::{Kind, NodeId, Tree};

/// All values; `None` if one is missing. All of them are read first, so that every mistake is reported.
pub fn all<T>(values: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let values: Vec<Option<T>> = values.collect();
    values.into_iter().collect()
}
