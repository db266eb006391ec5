//! Judges a match that was played: each move with the value before and after it. A move gives something away if the
//! mover, who ranks rewards as the solution does, could have had a better value.

mod exact;
mod judge;
mod record;

pub use exact::{Amount, Chosen, ExactReview, ExactReviewed, judged, replayed, review_exact};
pub use judge::{Accuracy, Review, Reviewed, review, review_from, review_with_lines};
pub use record::Record;
pub use solving::solution::Loss;
