//! The native part of the Python module `ggsolve`: the sessions and solutions of the library, as Python uses them.
//!
//! The Python part (`../ggsolve`) has the classes that users see, with their documentation. This crate has the
//! functions behind these classes, which return JSON, tuples and bytes. `_native.pyi` in the Python part gives their
//! types. Nothing is computed here: if Python needs something new, it is added to the library.
//!
//! The interpreter's lock is held only while arguments are read and results are made. Work that may take long runs on a
//! separate thread, so that the calling thread can handle signals and call the listener meanwhile ([`work`]).

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
