//! Signals: the first Ctrl-C or SIGTERM asks the run to stop at its next check, with a message if that takes a while;
//! the second one ends the process at once.

use super::failure::Failure;
use super::output::print_error;
use base::limits::Limits;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::IsTerminal;
use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;

const INTERRUPTED: i32 = 130;
/// A run that stops within this time needs no message.
const SOON: Duration = Duration::from_millis(300);

/// From now on, a write that exceeds a file size limit of the system fails, and no longer ends the process.
pub fn ignore_file_size_signal() {
    #[cfg(unix)]
    // SAFETY: ignoring a signal runs no code when it comes, and this is before any other thread runs.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Waits for signals, on a separate thread, until the process ends.
pub fn watch(limits: &Arc<Limits>) -> Result<(), Failure> {
    let failure = |error| {
        Failure::InputOutput(format!("Ctrl-C cannot be caught: {error}\n  try again with fewer programs running"))
    };
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(failure)?;
    let limits = Arc::clone(limits);
    let watching = Builder::new().spawn(move || {
        let mut signals = signals.forever();
        if signals.next().is_some() {
            limits.interrupt();
            // Without a thread there is no message.
            let _ = Builder::new().spawn(say_later);
        }
        if signals.next().is_some() {
            base::scratch::remove_folders();
            std::process::exit(INTERRUPTED);
        }
    });
    watching.map(drop).map_err(failure)
}

fn say_later() {
    std::thread::sleep(SOON);
    // A progress bar may be on the line.
    let start = if std::io::stderr().is_terminal() { "\n" } else { "" };
    print_error(&format!(
        "{start}interrupted: it stops as soon as what is finished is safe; a second Ctrl-C ends it at once\n"
    ));
}
