//! Answers from a strong solution: positions, values, moves, and distances to the end.
//!
//! [`Values`] is the interface to the values: of a state in a layer or, if states can repeat, of a state in any layer.
//! [`Stored`] implements it for a folder on disk, with a few memory accesses per level of the diagrams; tests implement
//! it by brute force. A [`Solution`] adds the rules: moves, positions, boards, and the distance to the end. A [`Query`]
//! has all of that for one position, as plain data.

mod alike;
mod board;
pub mod book;
mod codec;
mod distance;
mod drawing;
mod error;
mod exact;
mod line;
mod opened;
mod orbits;
mod plans;
mod position;
mod positions;
mod query;
mod remembered;
mod replay;
mod sample;
#[expect(clippy::module_inception, reason = "it is what the folder is about")]
mod solution;
mod stored;
mod text;
mod values;
mod why;

pub use board::{Board, Planes};
pub use codec::Codec;
pub use distance::{Distance, DistanceSearch, Distances, SearchBound};
pub use drawing::Drawing;
pub use error::{PositionError, ReadError};
pub use exact::{
    Answer, Choices, ExactAssessment, ExactLine, ExactMove, ExactQuery, ExactSolution, Forced, Mixed, Outcome,
    Probability, Reason,
};
pub use line::{Line, ToldLine};
pub use opened::{Numbers, Opened};
pub use orbits::{Counted, Orbits, OrbitsError, orbits};
pub use plans::QueriedPlans;
pub use position::Position;
pub use positions::{Over, Positions, Sample};
pub use query::{QueriedMove, Query};
pub use replay::Step;
pub use sample::{Among, Sampled};
pub use solution::{Assessment, Guarantee, MoveValue, Solution};
pub use stored::{ExactWorth, Stored};
pub use text::find as find_name;
pub use text::moves;
pub use text::terms;
pub use values::{Values, Worth};
pub use why::Loss;
