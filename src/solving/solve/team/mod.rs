//! Several processes that solve one game: layers by rank are cut into ranges, of which each process solves its own.
//!
//! Process 0 leads: it runs the whole solver, decides for each layer how that is solved, and writes all of the solution but
//! those blocks. All others [`serve`]: they know no rules, only the kernel's diagrams. For a layer by rank they are given the
//! layer with its terminals and the moves as relations; the states and values of the next layer they read from the folder of
//! the solution, which all must see, and of the values only those blocks that their range reaches
//! ([`kernel::Slices`]). Ranges are cut by the work that the layers before took ([`profile`](self)); each process has
//! one, and where there are many processes the next one as soon as it is done ([`deal`](self)). Once all values are counted,
//! each process packs its blocks, learns from process 0 where they belong in the file of the layer, and writes them there; the
//! sum of the file goes from process to process. So the bytes of a solution depend neither on processes nor on threads.
//!
//! What is not shared: the forward pass, sweeps, layers of few states, and programs whose size is close to the bound
//! beyond which another way is taken, as only the program of the whole layer decides that. Process 0 does them alone.
//!
//! How processes reach each other is a [`Link`]: MPI in the program that has the feature `mpi`, threads in tests.

mod deal;
mod leader;
mod local;
mod message;
mod packing;
mod profile;
mod range;
mod worker;

pub use crate::store::BLOCK_STATES;
pub use leader::{Answer, Assignment, Leader, Shared};
pub use local::with_threads;
pub use profile::ranges;
pub use worker::{decline, serve};

use super::SolveError;
use message::{Message, Reply, Signal};
use std::fmt;
use std::io;
use std::sync::Arc;

/// Layers with fewer states than this are solved by process 0 alone: several blocks each for a few processes.
pub const FEW: u64 = 1 << 17;

/// What connects processes. Process 0 sends to all others and receives from each; the others receive from process 0 and
/// send to it. Messages between two processes keep their order. Used by one thread at a time, which need not be the same.
pub trait Link: Send + Sync {
    /// Number of processes, at least one.
    fn size(&self) -> usize;

    /// Sends a message to a process.
    fn send(&self, to: usize, message: &[u8]) -> io::Result<()>;

    /// The next message from a process. Waits without taking processor time from others.
    fn receive(&self, from: usize) -> io::Result<Vec<u8>>;

    /// The next message from any process, and which one that is; otherwise as [`Link::receive`].
    fn receive_any(&self) -> io::Result<(usize, Vec<u8>)>;

    /// Hands a message of process 0 to all others. All call it, each after the message before; what the others give does
    /// not matter.
    fn broadcast(&self, message: Vec<u8>) -> io::Result<Vec<u8>>;
}

/// The processes that solve a game together; by default only this one.
#[derive(Clone, Default)]
pub struct Team {
    members: Option<Arc<Members>>,
}

struct Members {
    link: Arc<dyn Link>,
    /// Least states of a layer that is shared.
    least: u64,
}

impl Team {
    /// Leads the other processes of a link once all of them [`serve`]; the error of the first one that [declines](decline).
    /// They are told to end then, or when the last copy is dropped.
    pub fn lead(link: Arc<dyn Link>) -> Result<Team, SolveError> {
        Team::lead_from(link, FEW)
    }

    /// As [`Team::lead`], sharing every layer by rank with at least so many states.
    pub(super) fn lead_from(link: Arc<dyn Link>, least: u64) -> Result<Team, SolveError> {
        if link.size() == 1 {
            return Ok(Team::default());
        }
        let members = Members { link, least };
        let mut failed = None;
        for other in 1..members.link.size() {
            let reply = members.link.receive(other).and_then(|message| Reply::from_bytes(&message));
            let declined = match reply {
                Ok(Reply::Ready) => continue,
                Ok(Reply::Failed(what)) => SolveError::process(other, what),
                Ok(reply) => SolveError::process(other, format!("unexpected: {reply:?}")),
                Err(error) => SolveError::process(other, error),
            };
            failed.get_or_insert(declined);
        }
        failed.map_or_else(|| Ok(Team { members: Some(Arc::new(members)) }), Err)
    }

    /// Number of processes.
    pub fn size(&self) -> usize {
        self.members.as_ref().map_or(1, |members| members.link.size())
    }

    /// Whether there are others.
    pub fn is_shared(&self) -> bool {
        self.members.is_some()
    }
}

impl Drop for Members {
    fn drop(&mut self) {
        for other in 1..self.link.size() {
            // One that cannot be reached has ended.
            let _ = self.link.send(other, &Signal::End.to_bytes());
        }
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "Team of {}", self.size())
    }
}

impl PartialEq for Team {
    fn eq(&self, other: &Self) -> bool {
        match (&self.members, &other.members) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for Team {}
