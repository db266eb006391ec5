//! Answers from a strong solution: positions, values, moves, and how soon play ends.
//!
//! [`Values`] is the one thing asked of a solution: the value of a state in a layer, or of a state wherever play can
//! return to it. [`Stored`] gives it from a folder
//! on disk, a few memory accesses per level of the diagrams; tests give it by brute force. An [`Analyst`] adds the
//! rules: it replays moves, reads positions, gives every legal move its value, and searches for the distance to the
//! end where that is asked for.

mod analyst;
mod codec;
mod distance;
mod error;
mod position;
mod replay;
mod stored;
#[cfg(test)]
pub(crate) mod testing;
mod text;
mod values;

pub use analyst::{Analyst, Assessment, MoveValue};
pub use codec::Codec;
pub use distance::{Distance, DistanceSearch, Distances};
pub use error::{PositionError, ReadError};
pub use position::Position;
pub use replay::Step;
pub use stored::Stored;
pub use text::terms;
pub use values::{Values, Worth};
