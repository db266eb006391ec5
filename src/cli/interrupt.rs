//! Signals: the first Ctrl-C or SIGTERM asks the run to stop at its next check, the second ends the process at once.

use super::failure::Failure;
use crate::limits::Limits;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;

/// Exit code of an interrupted run.
const INTERRUPTED: i32 = 130;

/// A file that outgrows a limit is an error of writing, not the end of the process.
pub fn ignore_file_size_signal() {
    #[cfg(unix)]
    // SAFETY: ignoring a signal runs no code when it comes, and this is before any other thread runs.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Watches for Ctrl-C and SIGTERM on a thread of its own, until the process ends.
pub fn watch(limits: &Arc<Limits>) -> Result<(), Failure> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(|error| {
        Failure::InputOutput(format!("Ctrl-C cannot be caught: {error}\n  try again with fewer programs running"))
    })?;
    let limits = Arc::clone(limits);
    std::thread::spawn(move || {
        let mut signals = signals.forever();
        if signals.next().is_some() {
            limits.interrupt();
        }
        if signals.next().is_some() {
            std::process::exit(INTERRUPTED);
        }
    });
    Ok(())
}
