//! Judges the moves of a match by the values before and after them. A move gives something away if the mover, who ranks
//! rewards as in the solution, could have had a better value.

mod exact;
mod judge;
mod record;

pub use exact::{Amount, Chosen, ExactReview, ExactReviewed, judged, replayed, review_exact};
pub use judge::{Accuracy, Review, Reviewed, review, review_from};
pub use record::Record;
pub use solving::solution::Loss;
