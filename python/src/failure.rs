//! Converts errors of the library to exceptions. The classes of the exceptions are in Python (`ggsolve.errors`).

use ggsolve::{Error, ErrorKind};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::intern;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::io;
use std::path::Path;

pub fn exception(py: Python<'_>, error: impl Into<Error>) -> PyErr {
    let error = error.into();
    let (inner, folder) = match &error {
        Error::Unfinished { error, folder } => (&**error, Some(folder.as_path())),
        error => (error, None),
    };
    let class = match inner {
        Error::File { kind: io::ErrorKind::NotFound, .. } => "MissingFileError",
        Error::Position(_) => "PositionError",
        Error::Unsolved(_) => "UnsolvedError",
        error => match error.kind() {
            ErrorKind::InputOutput => "FileError",
            ErrorKind::Usage => "UsageError",
            ErrorKind::Rules => "RefusedError",
            ErrorKind::Limit => "LimitError",
            ErrorKind::Solution => "DamagedError",
            ErrorKind::Interrupted => return PyKeyboardInterrupt::new_err(error.to_string()),
        },
    };
    let document = match inner {
        Error::Outgrown(finding) => Some(json!({"diagnostics": [finding]})),
        error => error.document(),
    };
    made(py, class, &inner.to_string(), document, folder)
}

/// The exception for options that make no sense.
pub fn usage(py: Python<'_>, message: &str) -> PyErr {
    made(py, "UsageError", message, None, None)
}

pub fn closed(py: Python<'_>) -> PyErr {
    made(py, "ClosedError", "the solution is closed", None, None)
}

/// An exception of a class of `ggsolve.errors`; if it cannot be made, the exception of that failure.
fn made(py: Python<'_>, class: &str, message: &str, document: Option<Value>, folder: Option<&Path>) -> PyErr {
    let make = || {
        let class = py.import(intern!(py, "ggsolve.errors"))?.getattr(class)?;
        class.call_method1(intern!(py, "_of"), (message, document.map(|document| document.to_string()), folder))
    };
    make().map_or_else(|error| error, PyErr::from_value)
}
