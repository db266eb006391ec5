//! Positions of a stored solution as tables for other programs: fluents, value, mover, legal moves and best moves.
//!
//! Rows are written in batches, and one layer's diagram at a time is loaded, so memory does not grow with the number of
//! rows. Every form has the same contents ([`Columns`]) and the source of the table ([`Metadata`]).

mod columns;
mod csv;
mod jsonl;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;
mod rows;

pub use columns::{Columns, Metadata};
pub use csv::{comment, line};
pub use rows::Source;

use base::limits::Limits;
use base::scratch::Space;
use rows::Row;
use serde::Serialize;
use solving::solution::book::Mirrors;
use solving::solution::{Position, Positions, ReadError, Sample};
use solving::solve::{Event, Listener};
use solving::store::{Output, write_anywhere};
use std::io::{self, Seek, Write};
use std::path::Path;
use std::sync::Arc;

/// Bound on the rows and legal moves of a batch.
const BATCH: usize = 1 << 13;
const BETWEEN: u64 = 1 << 10;

/// The form of a table of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Needs the feature `parquet`.
    Parquet,
    /// Arrays for NumPy.
    Npz,
    /// Comma-separated values.
    Csv,
    /// A JSON object on each line.
    Jsonl,
}

/// The contents and the form of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Options {
    /// Form of the file.
    pub form: Form,
    /// The only layer to write; `None`: all layers.
    pub layer: Option<u32>,
    /// The random sample to write; `None`: all positions.
    pub sample: Option<Sample>,
    /// Whether to write only one position of each orbit of the symmetries that keep the initial state and every role.
    pub symmetric: bool,
}

/// The size of a written table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Number of positions, which are the rows.
    pub positions: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Number of symmetries, including the identity; 1 without [`Options::symmetric`].
    pub symmetries: usize,
}

/// The reason why an export failed.
#[derive(Debug)]
pub enum ExportError {
    /// The solution cannot be read.
    Read(ReadError),
    /// The file cannot be written.
    Write(io::Error),
}

impl<E: Into<ReadError>> From<E> for ExportError {
    fn from(error: E) -> Self {
        ExportError::Read(error.into())
    }
}

trait Table {
    fn batch(&self) -> usize {
        BATCH
    }

    fn add(&mut self, rows: &[Row]) -> Result<(), ExportError>;

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        Ok(())
    }
}

/// Writes the table to a file, which has another name until it is complete.
pub fn export(
    source: &Source,
    options: &Options,
    path: &Path,
    limits: &Arc<Limits>,
    listener: &dyn Listener,
) -> Result<Written, ReadError> {
    let mirrors = options.symmetric.then(|| Mirrors::new(source.solution(), limits)).transpose()?;
    let positions = Positions::new(source.solution(), options.layer, options.sample)?;
    let symmetries = mirrors.as_ref().map_or(1, Mirrors::number);
    let columns = Columns::new(source, options, symmetries);
    let (mut positions_written, mut bytes, mut failed) = (0, 0, None);
    let fill = |file: &mut Output| {
        let table = table(&columns, options.form, file, path, limits);
        let done = table.and_then(|table| filled(&columns, &positions, mirrors.as_ref(), table, limits, listener));
        match done {
            Ok(rows) => {
                file.flush()?;
                (positions_written, bytes) = (rows, file.get_ref().bytes());
                Ok(())
            }
            Err(ExportError::Write(error)) => Err(error),
            Err(ExportError::Read(error)) => {
                failed = Some(error);
                Err(io::Error::other("the solution cannot be read"))
            }
        }
    };
    let done = write_anywhere(path, &Space::new(limits), fill);
    match failed {
        Some(error) => Err(error),
        None => Ok(done.map(|()| Written { positions: positions_written, bytes, symmetries })?),
    }
}

fn table<'t, W: Write + Seek + Send>(
    columns: &'t Columns<'t>,
    form: Form,
    file: &'t mut W,
    path: &Path,
    limits: &'t Arc<Limits>,
) -> Result<Box<dyn Table + 't>, ExportError> {
    Ok(match form {
        Form::Csv => Box::new(csv::Csv::new(columns, file)?),
        Form::Jsonl => Box::new(jsonl::Jsonl::new(columns, file)?),
        Form::Npz => Box::new(npz::Npz::new(columns, file, path)?),
        #[cfg(feature = "parquet")]
        Form::Parquet => Box::new(parquet::Parquet::new(columns, file, limits)?),
        #[cfg(not(feature = "parquet"))]
        Form::Parquet => {
            let _ = limits;
            return Err(ExportError::Write(io::Error::other("this program is built without the feature `parquet`")));
        }
    })
}

/// Fills the table. Returns the number of rows.
fn filled(
    columns: &Columns,
    positions: &Positions,
    mirrors: Option<&Mirrors>,
    mut table: Box<dyn Table + '_>,
    limits: &Arc<Limits>,
    listener: &dyn Listener,
) -> Result<u64, ExportError> {
    let (mut rows, mut entries, mut written, mut done): (Vec<Row>, usize, u64, u64) = (Vec::new(), 0, 0, 0);
    let (batch, total) = (table.batch(), positions.total());
    positions.each(columns.source.solution(), limits, &mut |mut position: Position| -> Result<(), ExportError> {
        done += 1;
        if done % BETWEEN == 0 {
            limits.check()?;
            listener.event(&Event::Work { what: "positions", done, total });
        }
        match mirrors {
            Some(mirrors) if positions.are_drawn() => position.state = mirrors.least(&position.state),
            Some(mirrors) if !mirrors.is_least(&position.state) => return Ok(()),
            _ => {}
        }
        let row = columns.source.row(position)?;
        entries += 1 + row.choices.len();
        rows.push(row);
        if entries >= batch {
            table.add(&rows)?;
            written += rows.len() as u64;
            entries = 0;
            rows.clear();
        }
        Ok(())
    })?;
    table.add(&rows)?;
    written += rows.len() as u64;
    // This is the last check of the limits: the file is completed from here on, even if the run is interrupted.
    limits.check()?;
    table.finish()?;
    Ok(written)
}
