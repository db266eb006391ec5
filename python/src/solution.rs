//! An open solution, until it is closed.

use crate::bounds::limits;
use crate::failure::{closed, exception};
use crate::place::Place;
use ggsolve::{
    Error, ExactSolution, ExportForm, ExportOptions, Limits, Opened as Reading, Over, Position, ReadError, Sample,
    terms,
};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tempfile::TempDir;

/// A solution of the library, and its folder.
#[pyclass(frozen, module = "ggsolve._native")]
pub struct Solution {
    open: RwLock<Option<Arc<Opened>>>,
    #[pyo3(get)]
    folder: PathBuf,
    #[pyo3(get)]
    temporary: bool,
    /// The SHA-256 of the solution's rules.
    rules: Arc<str>,
}

/// The open solution. If it is closed while questions are being answered, it is kept until they are answered.
pub struct Opened {
    pub reading: Reading,
    /// The temporary folder that contains the solution's folder, if any; removed with this value.
    temporary: Option<TempDir>,
    /// The process that opened the solution.
    process: u32,
    /// The limits of random draws, which bound the memory of everything that draws keep.
    drawing: Mutex<Arc<Limits>>,
}

impl Opened {
    /// The solution with names, boards and positions; it has the values of a game in turns.
    pub fn solution(&self) -> &ggsolve::Solution {
        self.reading.solution()
    }

    /// The solution with exact values, if it is of this kind.
    pub fn exact(&self) -> Option<&ExactSolution> {
        match &self.reading {
            Reading::Rewards(_) => None,
            Reading::Exact(exact) => Some(exact),
        }
    }

    /// The limits of draws, which can interrupt them.
    pub fn drawing(&self) -> PyResult<Arc<Limits>> {
        let mut drawing = self.drawing.lock().unwrap_or_else(PoisonError::into_inner);
        // After an interrupted draw its limits stay interrupted, so new ones are needed.
        if drawing.check().is_err() {
            *drawing = limits(None)?;
        }
        Ok(Arc::clone(&drawing))
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // A forked process has the same objects, but the folder belongs to the process that made it.
        if self.process != std::process::id()
            && let Some(folder) = self.temporary.take()
        {
            let _left = folder.keep();
        }
    }
}

impl Solution {
    pub fn new(reading: Reading, folder: PathBuf, temporary: Option<TempDir>) -> PyResult<Solution> {
        let is_temporary = temporary.is_some();
        let drawing = Mutex::new(limits(None)?);
        let opened = Opened { reading, temporary, process: std::process::id(), drawing };
        let manifest = opened.solution().manifest().expect("a solution in a folder has a manifest");
        let rules = manifest.rules_sha256.as_str().into();
        Ok(Solution { open: RwLock::new(Some(Arc::new(opened))), folder, temporary: is_temporary, rules })
    }

    /// The open solution; an error if it was closed.
    pub fn opened(&self, py: Python<'_>) -> PyResult<Arc<Opened>> {
        // No thread waits for anything while it holds this lock.
        self.open.read().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(|| closed(py))
    }

    pub fn place_at(&self, position: Position) -> Place {
        Place::new(position, Arc::clone(&self.rules))
    }

    /// The position at a place, which must be in the game of this solution.
    pub fn position<'a>(&self, place: &'a Bound<'_, Place>) -> PyResult<&'a Position> {
        place.get().of(place.py(), &self.rules)
    }

    /// Answers a question by the solution while other Python threads run.
    pub fn ask<T: Send, E: Into<Error> + Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&ggsolve::Solution) -> Result<T, E> + Send,
    ) -> PyResult<T> {
        self.read(py, |opened| question(opened.solution()))
    }

    /// As `ask`, for a solution of either kind.
    pub fn read<T: Send, E: Into<Error> + Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&Opened) -> Result<T, E> + Send,
    ) -> PyResult<T> {
        let opened = self.opened(py)?;
        py.detach(|| question(&opened)).map_err(|error| exception(py, error))
    }
}

/// Moves or fluents: a text with any number of them, or a list of texts.
#[derive(FromPyObject)]
enum Terms {
    Text(String),
    Each(Vec<String>),
}

impl Terms {
    /// Moves as one text. Each text of a list is a line.
    fn lines(self) -> Result<String, Error> {
        match self {
            Terms::Text(text) => Ok(text),
            Terms::Each(each) => {
                each.iter().try_for_each(|text| terms(text).map(drop))?;
                Ok(each.join("\n"))
            }
        }
    }

    fn read(self) -> Result<Vec<String>, Error> {
        let each = match self {
            Terms::Text(text) => return Ok(terms(&text)?),
            Terms::Each(each) => each,
        };
        let read: Vec<Vec<String>> = each.iter().map(|text| terms(text)).collect::<Result<_, _>>()?;
        Ok(read.concat())
    }
}

#[pymethods]
impl Solution {
    #[getter]
    fn closed(&self) -> bool {
        self.open.read().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    fn close(&self, py: Python<'_>) {
        let opened = self.open.write().unwrap_or_else(PoisonError::into_inner).take();
        // This may remove a folder with many files, so other threads run meanwhile.
        py.detach(|| drop(opened));
    }

    #[getter]
    fn exact(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.opened(py)?.exact().is_some())
    }

    #[getter]
    fn game(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.opened(py)?.solution().game().name.clone())
    }

    #[getter]
    fn roles(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.opened(py)?.solution().game().player_names())
    }

    #[getter]
    fn opponent_model(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(self.opened(py)?.solution().model().name())
    }

    #[getter]
    fn fluents(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.opened(py)?.solution().fluent_names().to_vec())
    }

    /// The JSON of the run that computed the solution.
    fn report(&self, notify: &Bound<'_, PyAny>) -> PyResult<String> {
        let _open = self.opened(notify.py())?;
        let limits = limits(None)?;
        crate::work::done(notify, &limits, |session| {
            Ok(serde_json::to_string(&session.report(&self.folder)?).expect("a report is plain data"))
        })
    }

    /// Writes positions as a table. Returns a report as JSON. `sample`: number, seed, and what is equally likely.
    fn export(
        &self,
        notify: &Bound<'_, PyAny>,
        file: PathBuf,
        form: &str,
        layer: Option<u32>,
        sample: Option<(u64, u64, String)>,
        symmetric: bool,
    ) -> PyResult<String> {
        let _open = self.opened(notify.py())?;
        let limits = limits(None)?;
        let form = match form {
            "parquet" => Ok(ExportForm::Parquet),
            "npz" => Ok(ExportForm::Npz),
            "csv" => Ok(ExportForm::Csv),
            "jsonl" => Ok(ExportForm::Jsonl),
            _ => Err(Error::Options(format!("to: parquet, npz, csv or jsonl is expected, not {form}"))),
        };
        let sample = sample.map(|(number, seed, over)| match over.as_str() {
            "states" => Ok(Sample { number, seed, over: Over::States }),
            "values" => Ok(Sample { number, seed, over: Over::Values }),
            _ => Err(Error::Options(format!("over: states or values is expected, not {over}"))),
        });
        crate::work::done(notify, &limits, |session| {
            let options = ExportOptions { form: form?, layer, sample: sample.transpose()?, symmetric };
            Ok(serde_json::to_string(&session.export(&self.folder, &options, &file)?).expect("a report is plain data"))
        })
    }

    fn start(&self, py: Python<'_>) -> PyResult<Place> {
        Ok(self.place_at(self.opened(py)?.solution().start()))
    }

    /// The place with a state, given by its fluents.
    fn place(&self, py: Python<'_>, fluents: Terms) -> PyResult<Place> {
        let position = self.ask(py, |solution| Ok::<_, Error>(solution.position(&fluents.read()?)?))?;
        Ok(self.place_at(position))
    }

    /// The place after moves: one name for each ply with a choice.
    fn replay(&self, py: Python<'_>, from: &Bound<'_, Place>, moves: Terms) -> PyResult<Place> {
        let from = self.position(from)?;
        let position = self.read(py, |opened| {
            let text = moves.lines()?;
            if let Some(exact) = opened.exact() {
                return Ok(exact.follow(from, &text)?);
            }
            let steps = opened.solution().follow(from, &text)?;
            Ok::<_, Error>(steps.into_iter().last().map_or_else(|| from.clone(), |step| step.successor))
        })?;
        Ok(self.place_at(position))
    }

    /// The place after a ply, given by the moves of all roles.
    fn joint(&self, py: Python<'_>, from: &Bound<'_, Place>, moves: Vec<String>) -> PyResult<Place> {
        let from = self.position(from)?;
        let position = self.read(py, |opened| match opened.exact() {
            Some(exact) => Ok(exact.joint_step(from, &moves)?.successor),
            None => Ok::<_, ReadError>(opened.solution().joint_step(from, &moves)?.successor),
        })?;
        Ok(self.place_at(position))
    }

    /// The table for Gambit of a position of a solution with exact values.
    fn translate(&self, notify: &Bound<'_, PyAny>, place: &Bound<'_, Place>) -> PyResult<String> {
        let (opened, position) = (self.opened(notify.py())?, self.position(place)?);
        let limits = limits(None)?;
        crate::work::done(notify, &limits, |session| match opened.exact() {
            Some(exact) => session.gambit_position(exact, position),
            None => Err(Error::Options(
                "the table of a position is of games with chance or choices at the same time".to_owned(),
            )),
        })
    }

    /// The fluents that hold, in the order of their texts.
    fn state(&self, py: Python<'_>, place: &Bound<'_, Place>) -> PyResult<Vec<String>> {
        let Position { state, .. } = self.position(place)?;
        self.ask(py, |solution| Ok::<_, Error>(solution.state_names(state)))
    }
}

#[pyfunction]
pub fn open(notify: &Bound<'_, PyAny>, folder: PathBuf) -> PyResult<Solution> {
    let limits = limits(None)?;
    let reading = crate::work::done(notify, &limits, |session| session.open_any(&folder))?;
    Solution::new(reading, folder, None)
}
