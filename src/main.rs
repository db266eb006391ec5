//! The `ggsolve` program; everything is in the library's command-line module.

use std::process::ExitCode;

fn main() -> ExitCode {
    ggsolve::program()
}
