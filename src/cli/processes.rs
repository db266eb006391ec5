//! Several processes that MPI has started to solve one game. Process 0 executes the command line and prints; the others
//! serve it.

use super::failure::Failure;
#[cfg(feature = "mpi")]
use super::output::print_error;
#[cfg(feature = "mpi")]
use base::limits::Limits;
use solving::solve::team::Team;
#[cfg(feature = "mpi")]
use solving::solve::{SolveOptions, team};
use std::path::{Path, PathBuf};
#[cfg(feature = "mpi")]
use std::sync::Arc;

/// Some launchers of MPI set these to the number of processes.
#[cfg(not(feature = "mpi"))]
const SIZES: [&str; 2] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"];

/// A launcher sets one of these to the number of the process.
const NUMBERS: [&str; 3] = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"];

/// The name under which each process writes a file of its own. Process 0 keeps the given name.
pub fn own_name(path: &Path) -> PathBuf {
    let number = NUMBERS.into_iter().find_map(|name| std::env::var(name).ok()?.parse::<u64>().ok());
    match number {
        None | Some(0) => path.to_owned(),
        Some(number) => {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".{number}"));
            name.into()
        }
    }
}

pub struct Processes {
    #[cfg(feature = "mpi")]
    link: Option<Arc<super::mpi::Mpi>>,
}

#[cfg(feature = "mpi")]
pub fn join() -> Result<Processes, Failure> {
    if !super::mpi::is_started_by_mpi() {
        return Ok(Processes { link: None });
    }
    let link = super::mpi::Mpi::start().ok_or_else(|| {
        Failure::InputOutput("MPI cannot be used: it must let any thread call it (MPI_THREAD_SERIALIZED)".to_owned())
    })?;
    Ok(Processes { link: Some(Arc::new(link)) })
}

/// Fails if there are several processes, because without MPI this program cannot reach the others.
#[cfg(not(feature = "mpi"))]
pub fn join() -> Result<Processes, Failure> {
    let size = |name| std::env::var(name).ok().and_then(|size| size.parse::<u64>().ok());
    match SIZES.into_iter().filter_map(size).max() {
        Some(size @ 2..) => Err(Failure::Usage(format!(
            "{size} processes were started by MPI, and this program was built without it\n  build it with `cargo build --release \
             --features mpi` (docs/cluster.md)"
        ))),
        _ => Ok(Processes {}),
    }
}

impl Processes {
    /// Processes on this machine, which share its memory and processors.
    pub fn neighbours(&self) -> usize {
        #[cfg(feature = "mpi")]
        return self.link.as_ref().map_or(1, |link| link.neighbours());
        #[cfg(not(feature = "mpi"))]
        1
    }

    /// The processes that process 0 leads. Fails if one of them cannot serve.
    pub fn team(&self) -> Result<Team, Failure> {
        #[cfg(feature = "mpi")]
        return self.link.as_ref().map_or_else(
            || Ok(Team::default()),
            |link| Team::lead(Arc::clone(link) as _).map_err(|error| Failure::InputOutput(error.to_string())),
        );
        #[cfg(not(feature = "mpi"))]
        Ok(Team::default())
    }

    /// Serves process 0 to the end. Returns false for process 0 itself. `own`: the means of serving, or the reason
    /// against it, which process 0 reports. If process 0 cannot be reached, all processes end.
    #[cfg(feature = "mpi")]
    pub fn serve(&self, own: &Result<(Arc<Limits>, SolveOptions), Failure>) -> bool {
        let Some(link) = self.link.as_ref().filter(|link| link.number() > 0) else { return false };
        let ready = own.as_ref().map_err(reason).and_then(|(limits, options)| {
            super::interrupt::watch(limits).map_err(|failure| reason(&failure))?;
            Ok((limits, options))
        });
        let served = match ready {
            Ok((limits, options)) => {
                let folder = options.scratch.clone().unwrap_or_else(std::env::temp_dir);
                team::serve(&(Arc::clone(link) as _), limits, options.threads, &folder)
            }
            Err(reason) => team::decline(&**link, reason),
        };
        if let Err(error) = served {
            print_error(&format!("error: process {}: {error}\n", link.number()));
            link.abort(1);
        }
        true
    }
}

/// The message of a failure, without the word `error` at its start.
#[cfg(feature = "mpi")]
fn reason(failure: &Failure) -> String {
    let text = failure.text(false);
    text.strip_prefix("error: ").unwrap_or(&text).trim_end().to_owned()
}
