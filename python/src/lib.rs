//! The native part of the Python module `ggsolve`: the library's session and solutions as Python takes them.
//!
//! Python's part (`../ggsolve`) has the classes that users see, with their documentation; here are the functions behind
//! them, which give JSON, tuples and bytes. `_native.pyi` there says what each takes and gives. Nothing here computes:
//! what is missing for Python is missing in the library.
//!
//! The interpreter's lock is held only while arguments are read and results are made. Work that may take long runs on a
//! thread of its own, so that signals and the caller's listener are heard while it lasts ([`work`]).

mod bounds;
mod failure;
mod place;
mod queries;
mod rules;
mod solution;
mod solve;
mod work;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::place::Place;
    #[pymodule_export]
    use super::rules::{check, ground, translate};
    #[pymodule_export]
    use super::solution::{Solution, open};
    #[pymodule_export]
    use super::solve::{count, solve, verify};

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "a name of Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
