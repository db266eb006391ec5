//! Reports as text for people and as JSON for scripts. Nothing here prints.
//!
//! The JSON keys are a contract with scripts: add keys freely, never rename or drop one.

mod board;
mod check;
mod ground;
mod json;
mod matrix;
mod next;
mod number;
mod query;
mod refusal;
mod review;
mod run;
mod table;
mod text;
mod value;
mod verification;

pub use board::{Board, picture};
pub use check::CheckReport;
pub use ground::GroundReport;
pub use next::quoted;
pub use number::{bytes, grouped, seconds};
pub use query::{QueryReport, distance_text};
pub use refusal::{refusal_json, refusal_text};
pub use review::ReviewReport;
pub use run::{Command, Place, RunReport};
pub use value::{outcome_text, value_text};
pub use verification::VerifyReport;
