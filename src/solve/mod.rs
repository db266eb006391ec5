//! From a propositional game to its strong solution.

pub mod options;
pub mod outcome;
pub mod progress;

pub use options::{Order, Refusal, SolveError, SolveOptions};
pub use outcome::{Algorithm, Bucket, EncodingSize, Engine, LayerOutcome, Outcome, Solution, StageTime};
pub use progress::{Event, Listener, Phase, Silent, Stage};
