//! Opening a stored solution: what `query`, `play` and `review` start with.

use super::super::failure::Failure;
use super::super::files;
use super::super::memory;
use crate::limits::Limits;
use crate::solution::Stored;
use std::path::Path;

/// The solution in a folder, with the usual bound of memory.
pub fn open(folder: &Path) -> Result<Stored, Failure> {
    files::expect_solution(folder)?;
    Ok(Stored::open(folder, &Limits::new(memory::default_limit()))?)
}
