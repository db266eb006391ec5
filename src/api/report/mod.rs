//! The results of a [`crate::session::Session`] as text for people, by `Display`; every text ends with a line break.
//! The JSON for scripts is `Serialize` of the same results. Its keys are a contract: keys may be added, but neither
//! renamed nor dropped.

mod aim;
mod book;
mod check;
mod cyclic_plan;
mod exact_review;
mod export;
mod exported;
mod ground;
mod next;
mod plan;
mod plans;
mod play;
mod plies;
pub mod plot;
mod puzzles;
mod refusal;
mod review;
mod run;
mod symmetry;
mod verification;

pub use aim::start_text;
pub use export::{Form, SHEETS, Sheet, rendered, sheets, to_csv};
pub use next::quoted;
pub use refusal::refusal_text;
