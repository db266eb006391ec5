//! The solution on disk: a folder with a manifest and checksummed files of diagrams, one per layer and kind, and for
//! values of all states at once a few more. The format is told in
//! `grammar/solution-format.md`.
//!
//! This stage knows diagrams and names, not games: what the solver writes and what a reader needs.

mod atomic;
mod checksum;
mod error;
mod file;
mod folder;
mod header;
mod layer_file;
mod lock;
pub mod manifest;
mod mapped;
mod ranked;
mod settled;
mod subject;
#[cfg(test)]
mod tests;
mod values;
mod writer;

pub use checksum::{Checksum, checksum, hex};
pub use error::StoreError;
pub use file::{layer_name, outcomes_name, rounds_name, write_layer};
pub use folder::default_folder;
pub use header::{Header, Kind};
pub use layer_file::LayerFile;
pub use lock::Lock;
pub use manifest::Manifest;
pub use mapped::Mapped;
pub use ranked::{Opener, Ranked, write_ranked};
pub use settled::Settled;
pub use subject::{Subject, find};
pub use values::LayerValues;
pub use writer::{Encoded, LayerFigures, SettledDiagrams, Store, Totals};

/// The newest version of the format that is written and read: with solutions of all states at once.
pub const VERSION: u32 = 3;

/// The version that is written where values are by rank.
pub const RANKED_VERSION: u32 = 2;

/// The oldest version that is read, and written where the values of all layers are diagrams.
pub const DIAGRAM_VERSION: u32 = 1;
