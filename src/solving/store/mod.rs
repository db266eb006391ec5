//! A solution on disk: a folder with the rules, a manifest, and files with checksums. Each layer has a file of its
//! states, which is a diagram, and, once it is solved, a file of its values, which is a diagram or has them by rank;
//! exact values take a second file, of numbers. If all states are solved at once, files with the values, rounds and
//! distances of all states take the place of the values of the layers. `grammar/solution-format.md` describes the
//! format. The solver writes with this module, and everything that reads solutions uses it. The module knows diagrams
//! and names, not games.

mod atomic;
mod beside;
mod book;
mod checksum;
mod error;
mod file;
mod findings;
mod folder;
mod header;
mod layer_file;
mod lock;
pub mod manifest;
mod mapped;
mod numbers;
mod ranked;
mod resumed;
pub mod runs;
mod settled;
mod stored_file;
mod subject;
#[cfg(test)]
mod tests;
mod valued;
mod values;
mod writer;

#[cfg(test)]
pub use atomic::faults;
pub use atomic::{Output, is_output, try_anywhere, write_anywhere};
pub use beside::guarantee_beside;
pub use book::{Book, NAME as BOOK, key as book_key};
pub use checksum::{Checksum, PartialSum, checksum, hex};
pub use error::StoreError;
#[cfg(test)]
pub(crate) use file::write_layer;
pub use file::{layer_name, outcomes_name, plies_name, rounds_name};
pub use folder::{default_folder, guarantee_folder, is_aside, tidy};
pub use header::{Header, Kind};
pub use layer_file::LayerFile;
pub use lock::Lock;
pub use manifest::Manifest;
pub use mapped::Mapped;
pub use numbers::read_numbers;
pub use ranked::{BLOCK_STATES, BlockFile, Insert, Numbered, Opener, Ranked, RankedBlocks, Take, pack, write_ranked};
pub use resumed::Archive;
pub use runs::{Run, RunRecord};
pub use settled::{ReadSettled, Settled, SettledDiagrams};
pub use stored_file::StoredFile;
pub use subject::{Subject, check_files, find};
pub use valued::ExactLayer;
pub use values::LayerValues;
pub use writer::{Encoded, LayerFigures, Store, Totals};

/// The format version of new files. Since this version, manifests record runs and files have the identity of their
/// solution. Only manifests have later versions, for the solutions that are named below.
pub const VERSION: u32 = 3;

/// The format version of manifests of solutions with distances, in which value ids have another meaning.
pub const DISTANCES_VERSION: u32 = 4;

/// The version of manifests with distances if all states are solved at once; in version 4, those of play by rounds.
pub const DEPTH_VERSION: u32 = 5;

/// The format version of manifests of solutions with exact values.
pub const EXACT_VERSION: u32 = 6;

/// The format version of manifests of solutions with exact values of games in which states repeat.
pub const ROUND_VERSION: u32 = 7;

/// The oldest format version that this program reads.
pub const OLDEST_VERSION: u32 = 1;
