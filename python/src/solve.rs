//! Solving, counting and verifying.

use crate::bounds::{self, named};
use crate::rules::Game;
use crate::solution::Solution;
use crate::work;
use ggsolve::session::{Command, RunReport};
use ggsolve::{Algorithm, Destination, EngineChoice, Error, OpponentModel, Order, SolveOptions, VerifyOptions};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// The options of a run. Python gives each by name.
pub struct Options<'py> {
    opponent_model: String,
    engine: String,
    algorithm: Option<String>,
    memory: Option<Bound<'py, PyAny>>,
    disk: Option<Bound<'py, PyAny>>,
    time: Option<Bound<'py, PyAny>>,
    threads: Option<Bound<'py, PyAny>>,
    scratch: Option<PathBuf>,
    order: Ordered,
    out: Option<PathBuf>,
    force: bool,
    distances: bool,
    /// The names of roles; `all` stands for every role.
    guarantee: Vec<String>,
}

/// The order of the variables: the name of a method that finds it, or the fluents in this order.
#[derive(FromPyObject)]
enum Ordered {
    Way(String),
    Fluents(Vec<String>),
}

impl<'py> FromPyObject<'_, 'py> for Options<'py> {
    type Error = PyErr;

    fn extract(options: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (text, path) = ("a str", "a str or an os.PathLike");
        Ok(Options {
            opponent_model: option(&options, "opponent_model", text)?,
            engine: option(&options, "engine", text)?,
            algorithm: option(&options, "algorithm", text)?,
            memory: option(&options, "memory", "")?,
            disk: option(&options, "disk", "")?,
            time: option(&options, "time", "")?,
            threads: option(&options, "threads", "")?,
            scratch: option(&options, "scratch", path)?,
            order: option(&options, "order", "a str or a sequence of str")?,
            out: option(&options, "out", path)?,
            force: option(&options, "force", "a bool")?,
            distances: option(&options, "distances", "a bool")?,
            guarantee: option(&options, "guarantee", "a str or a sequence of str")?,
        })
    }
}

/// Reads an option. `kind`: the expected type, in words.
fn option<'py, T: FromPyObjectOwned<'py>>(options: &Bound<'py, PyAny>, name: &str, kind: &str) -> PyResult<T> {
    let value = options.getattr(name)?;
    value.extract().map_err(|error: T::Error| {
        let error: PyErr = error.into();
        if error.is_instance_of::<PyTypeError>(value.py()) { bounds::expected(&value, name, kind) } else { error }
    })
}

impl Options<'_> {
    fn read(&self, py: Python<'_>) -> PyResult<SolveOptions> {
        let algorithm = |name: &String| named(py, "algorithm", name, &Algorithm::ALL, Algorithm::name);
        Ok(SolveOptions {
            opponent_model: named(
                py,
                "opponent_model",
                &self.opponent_model,
                &OpponentModel::ALL,
                OpponentModel::name,
            )?,
            engine: named(py, "engine", &self.engine, &EngineChoice::ALL, EngineChoice::name)?,
            algorithm: self.algorithm.as_ref().map(algorithm).transpose()?,
            threads: bounds::threads(self.threads.as_ref())?,
            order: match &self.order {
                Ordered::Fluents(fluents) => Order::Fluents(fluents.clone()),
                Ordered::Way(way) => match named(py, "order", way, &["search", "rules"], |way| way)? {
                    "search" => Order::Search,
                    _ => Order::Rules,
                },
            },
            scratch: self.scratch.clone(),
            distances: self.distances,
            guarantees: self.guarantee.clone(),
            ..SolveOptions::default()
        })
    }

    fn limits(&self) -> PyResult<std::sync::Arc<ggsolve::Limits>> {
        bounds::timed(self.memory.as_ref(), self.disk.as_ref(), self.time.as_ref())
    }
}

fn json(report: &RunReport) -> String {
    serde_json::to_string(report).expect("a report is plain data")
}

/// Solves a game in the given folder, or otherwise in a temporary folder. Also returns the JSON of the run.
#[pyfunction]
pub fn solve(notify: &Bound<'_, PyAny>, game: Game, options: Options<'_>) -> PyResult<(Solution, String)> {
    let asked = options.read(notify.py())?;
    let limits = options.limits()?;
    bounds::tell_small(notify, options.memory.as_ref())?;
    let (out, force) = (options.out.clone(), options.force);
    let (reading, folder, around, report) = work::done(notify, &limits, |session| {
        if let Some(algorithm) = asked.algorithm.filter(|algorithm| !algorithm.is_stored()) {
            let name = algorithm.name();
            return Err(Error::Options(format!(
                "the algorithm {name} stores nothing that could be asked; `classify` runs it"
            )));
        }
        let rules = game.load(session)?;
        let (folder, around) = match out {
            Some(folder) => (folder, None),
            None => {
                let mut named = tempfile::Builder::new();
                named.prefix("ggsolve-");
                let made = match &asked.scratch {
                    Some(scratch) => named.tempdir_in(scratch),
                    None => named.tempdir(),
                };
                let around = made.map_err(|error| Error::Storage(error.to_string()))?;
                (around.path().join("solution"), Some(around))
            }
        };
        let destination = Destination::Folder { folder: folder.clone(), force };
        let report = session.solve(&rules, &asked, &destination).map_err(|error| match error {
            // The finished layers are removed with the temporary folder, so the run cannot be continued.
            Error::Unfinished { error, .. } if around.is_some() => *error,
            error => error,
        })?;
        Ok((session.open_any(&folder)?, folder, around, json(&report)))
    })?;
    Ok((Solution::new(reading, folder, around)?, report))
}

/// The JSON of `count` or, with values, of `classify`. Nothing is stored unless a folder is given.
#[pyfunction]
pub fn count(notify: &Bound<'_, PyAny>, game: Game, options: Options<'_>, values: bool) -> PyResult<String> {
    let asked = SolveOptions { count_only: !values, ..options.read(notify.py())? };
    let (out, force) = (options.out.clone(), options.force);
    let limits = options.limits()?;
    bounds::tell_small(notify, options.memory.as_ref())?;
    work::done(notify, &limits, |session| {
        let rules = game.load(session)?;
        let destination = match out {
            Some(folder) => Destination::Folder { folder, force },
            None => Destination::Nowhere("no folder was named for it".to_owned()),
        };
        let mut report = session.solve(&rules, &asked, &destination)?;
        report.command = if values { Command::Classify } else { Command::Count };
        Ok(json(&report))
    })
}

#[pyfunction]
pub fn verify(
    notify: &Bound<'_, PyAny>,
    folder: PathBuf,
    rules: Option<Game>,
    full: bool,
    seed: u64,
    memory: Option<&Bound<'_, PyAny>>,
    threads: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let options = VerifyOptions { full, seed, threads: bounds::threads(threads)?, ..VerifyOptions::default() };
    work::done(notify, &bounds::limits(memory)?, |session| {
        let rules = rules.map(|rules| rules.load(session)).transpose()?;
        let report = session.verify(&folder, rules.as_ref(), &options)?;
        Ok(serde_json::to_string(&report).expect("a report is plain data"))
    })
}
