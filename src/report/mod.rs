//! Reports as text for people and as JSON for scripts. Nothing here prints.
//!
//! The JSON keys are a contract with scripts: add keys freely, never rename or drop one.

mod ground;
mod json;
mod matrix;
mod number;
mod refusal;
mod run;
mod table;
mod text;

pub use ground::GroundReport;
pub use number::{bytes, grouped, seconds};
pub use refusal::{refusal_json, refusal_text};
pub use run::{Command, RunReport};
