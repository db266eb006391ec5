//! The solution on disk: a folder with a manifest and one checksummed file per layer and kind. The format is told in
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
mod subject;
#[cfg(test)]
mod tests;
mod values;
mod writer;

pub use checksum::{Checksum, checksum, hex};
pub use error::StoreError;
pub use file::{layer_name, write_layer};
pub use folder::default_folder;
pub use header::{Header, Kind};
pub use layer_file::LayerFile;
pub use lock::Lock;
pub use manifest::Manifest;
pub use mapped::Mapped;
pub use ranked::{Opener, Ranked, write_ranked};
pub use subject::{Subject, find};
pub use values::LayerValues;
pub use writer::{Encoded, LayerFigures, Store, Totals};

/// The newest version of the format that is written and read: with values by rank.
pub const VERSION: u32 = 2;

/// The oldest version that is read, and written where all values are diagrams.
pub const DIAGRAM_VERSION: u32 = 1;
