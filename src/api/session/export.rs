//! Writes positions of a stored solution to a file.

use super::{Error, Session};
use crate::export::{self, Form, Options, Source};
use serde::Serialize;
use solving::solution::{Over, Sample};
use solving::store::Manifest;
use solving::store::runs::Seconds;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The result of [`Session::export`]. Its JSON is the report of `export`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportReport {
    /// Name of the game.
    pub game: String,
    /// SHA-256 of the rules, in hexadecimal digits.
    pub rules_sha256: String,
    /// Form of the file.
    pub form: Form,
    /// The file that was written.
    pub file: PathBuf,
    /// Bytes of the file.
    pub bytes: u64,
    /// Number of positions in the file.
    pub positions: u64,
    /// The layer of all rows; `None` for all layers.
    pub layer: Option<u32>,
    /// The kind of random sample; `None` if all positions were written.
    pub sample: Option<Sample>,
    /// Whether one position of each orbit was written.
    pub symmetric: bool,
    /// Number of symmetries, including the identity; 1 if symmetries were not requested.
    pub symmetries: usize,
    /// Seconds that the work took.
    pub time_s: Seconds,
}

/// The manifest of a solution with single values. `what`: the use of the values, as the end of a sentence.
pub(super) fn valued(folder: &Path, what: &str) -> Result<Manifest, Error> {
    let manifest = Manifest::load(folder)?;
    if manifest.no_value.is_some() {
        return Err(no_single_values(&manifest.game, what));
    }
    if manifest.opponent_model.is_none() {
        return Err(Error::Unsolved(format!("{}: values are missing", folder.display())));
    }
    Ok(manifest)
}

pub(super) fn no_single_values(game: &str, what: &str) -> Error {
    Error::Options(format!("{game} has no single values that {what}, only what roles can force"))
}

impl Session {
    /// Writes positions of a stored solution in a folder to a file, which appears only when it is complete.
    ///
    /// ```
    /// # use ggsolve::{Destination, ExportForm, ExportOptions, Session, SolveOptions};
    /// # use std::path::Path;
    /// # let session = Session::default();
    /// # let rules = session.load_file(Path::new("../../games/tictactoe.gdl"))?;
    /// # let scene = tempfile::tempdir().expect("a temporary folder");
    /// # let folder = scene.path().join("tictactoe.ggs");
    /// # let destination = Destination::Folder { folder: folder.clone(), force: false };
    /// # session.solve(&rules, &SolveOptions::default(), &destination)?;
    /// let options = ExportOptions { form: ExportForm::Csv, layer: Some(2), sample: None, symmetric: true };
    /// let report = session.export(&folder, &options, &scene.path().join("two.csv"))?;
    /// assert_eq!((report.positions, report.symmetries), (12, 8));
    /// # Ok::<(), ggsolve::Error>(())
    /// ```
    pub fn export(&self, folder: &Path, options: &Options, file: &Path) -> Result<ExportReport, Error> {
        let start = Instant::now();
        let manifest = valued(folder, "a table could show")?;
        if options.form == Form::Parquet && !cfg!(feature = "parquet") {
            let message = "this program is built without the feature `parquet`: it writes npz, csv and jsonl (`cargo build --release --features parquet` builds it with)";
            return Err(Error::Options(message.to_owned()));
        }
        if manifest.is_exact() && options.sample.is_some_and(|sample| sample.over == Over::Values) {
            let message = "states are not counted by exact values: positions can be drawn over states alone";
            return Err(Error::Options(message.to_owned()));
        }
        let source = Source::open(folder, &manifest, &self.limits)?;
        let written = export::export(&source, options, file, &self.limits, &*self.listener)?;
        Ok(ExportReport {
            game: manifest.game,
            rules_sha256: manifest.rules_sha256,
            form: options.form,
            file: file.to_owned(),
            bytes: written.bytes,
            positions: written.positions,
            layer: options.layer,
            sample: options.sample,
            symmetric: options.symmetric,
            symmetries: written.symmetries,
            time_s: Seconds::new(start.elapsed().as_secs_f64()),
        })
    }
}
