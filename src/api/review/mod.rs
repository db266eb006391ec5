//! Judging a match that was played: each move with the value before and after it.
//!
//! A move gives something away where the mover, who ranks rewards as the solution does, could have had a better value.

mod exact;
mod judge;
mod record;

pub use exact::{Amount, Chosen, ExactReview, ExactReviewed, replayed, review_exact};
pub use judge::review_from;
pub use judge::{Loss, Review, Reviewed, review};
pub use record::Record;
