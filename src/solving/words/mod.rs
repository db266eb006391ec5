//! Values, numbers and positions as text for people. Nothing here prints.

pub mod exact;
pub mod number;
pub mod query;
pub mod table;
pub mod value;
