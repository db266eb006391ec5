//! Solves one game with several processes. Layers by rank are cut into ranges, and each process solves some of them.
//!
//! Process 0 leads. It runs the whole solver, decides how each layer is solved, and writes the solution except for the
//! blocks of shared layers. All others [`serve`]: they know no rules, only the kernel's diagrams. For each shared layer
//! they receive its states with their terminals, and the moves as relations. They read the states and values of the
//! next layer from the folder of the solution, which all processes must see. Of values by rank, they read only the
//! blocks that their range reaches ([`kernel::Slices`]); a diagram of values is read whole. Ranges are cut by the work
//! of earlier layers ([`profile`](self)). Each process gets one; if there are many processes, it gets another one as
//! soon as it has solved the first ([`deal`](self)). When all values are counted, each process packs its blocks, gets
//! their positions in the file of the layer, and writes them there. The checksum of the file goes from process to
//! process, so the bytes of a solution do not depend on the number of processes or threads.
//!
//! In the forward pass, all processes together make the sweeps over large layers ([`Sweeps`]): each has a part of the
//! requests of each level, and of the nodes that follow from them.
//!
//! Process 0 alone does the rest: other sweeps, and layers of few states. It also solves layers whose program is close
//! to the bound beyond which another way is taken, because only the program of the whole layer can decide that.
//!
//! A [`Link`] connects the processes: MPI in a program with the feature `mpi`, channels between threads in tests.

mod deal;
mod leader;
mod local;
mod message;
mod packing;
mod profile;
mod range;
mod sweeps;
mod worker;

pub use crate::store::BLOCK_STATES;
pub use leader::{Assignment, Leader, Shared};
pub use local::with_threads;
pub use profile::ranges;
pub use sweeps::Sweeps;
pub use worker::{decline, serve};

use super::SolveError;
use message::{Message, Reply, Signal};
use std::fmt;
use std::io;
use std::sync::Arc;

/// Process 0 alone solves layers with fewer states: a range should have several blocks.
pub const FEW: u64 = 1 << 17;
/// Process 0 alone sweeps over sets with fewer nodes: exchanges would take longer than the sweep.
pub const FEW_NODES: u64 = 1 << 15;

/// A connection between processes. Process 0 sends to all others and receives from each; the others receive from
/// process 0 and send to it. Messages between two processes keep their order. Only one thread at a time uses a link,
/// but not always the same thread.
pub trait Link: Send + Sync {
    /// Number of processes, at least one.
    fn size(&self) -> usize;

    /// The number of this process, from 0 on.
    fn number(&self) -> usize;

    /// Sends a message to a process.
    fn send(&self, to: usize, message: &[u8]) -> io::Result<()>;

    /// The next message from a process. Waiting must not take processor time from others.
    fn receive(&self, from: usize) -> io::Result<Vec<u8>>;

    /// As [`Link::receive`], from any process; also returns its number.
    fn receive_any(&self) -> io::Result<(usize, Vec<u8>)>;

    /// Sends a message of process 0 to all others. All processes call it, each after its earlier messages. The argument
    /// of the others is ignored.
    fn broadcast(&self, message: Vec<u8>) -> io::Result<Vec<u8>>;

    /// Sends a message to each process, including this one, and returns the messages from each, both by number. All
    /// processes call it, each after its earlier messages.
    fn exchange(&self, messages: Vec<Vec<u32>>) -> io::Result<Vec<Vec<u32>>>;
}

/// The processes that solve a game together; by default only this one.
#[derive(Clone, Default)]
pub struct Team {
    members: Option<Arc<Members>>,
}

struct Members {
    link: Arc<dyn Link>,
    /// Least number of states of a layer by rank that is shared.
    least: u64,
    /// Least number of nodes of a set over which a sweep is shared.
    least_nodes: u64,
}

impl Team {
    /// Leads the other processes of a link, once all of them [`serve`]. If one of them [declines](decline), returns its
    /// error. The other processes end then, or when the last copy of the team is dropped.
    pub fn lead(link: Arc<dyn Link>) -> Result<Team, SolveError> {
        Team::lead_from(link, FEW, FEW_NODES)
    }

    /// As [`Team::lead`], with bounds: layers by rank are shared from `least` states on, sweeps from `least_nodes`
    /// nodes of the set on.
    pub(super) fn lead_from(link: Arc<dyn Link>, least: u64, least_nodes: u64) -> Result<Team, SolveError> {
        if link.size() == 1 {
            return Ok(Team::default());
        }
        let members = Members { link, least, least_nodes };
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

    /// Whether there are other processes.
    pub fn is_shared(&self) -> bool {
        self.members.is_some()
    }
}

/// Sends a signal to each other process. `what`: the signal, by number of the process.
fn tell(link: &dyn Link, what: impl Fn(usize) -> Signal) -> Result<(), SolveError> {
    let send = |other| link.send(other, &what(other).to_bytes()).map_err(|error| SolveError::process(other, error));
    (1..link.size()).try_for_each(send)
}

impl Drop for Members {
    fn drop(&mut self) {
        for other in 1..self.link.size() {
            // A process that cannot be reached has ended.
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
