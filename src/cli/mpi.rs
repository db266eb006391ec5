//! Processes that MPI (`mpirun` or `srun`) has started. A process that dies ends all processes, as is usual for MPI.

use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::Process;
use mpi::traits::{Communicator, Destination, Equivalence, Root, Source};
use solving::solve::team::Link;
use std::io;
use std::time::Duration;

/// Bytes of a message that are sent at once, because MPI counts them in 31 bits.
const AT_ONCE: usize = 1 << 30;
/// Time between the first two checks for a message.
const SHORTEST: Duration = Duration::from_micros(20);
/// The longest time between two checks for a message.
const LONGEST: Duration = Duration::from_millis(4);

/// Words of an exchanged message that are sent at once.
const WORDS_AT_ONCE: usize = AT_ONCE / 4;
/// Time during which a process waits for an exchange without pauses.
const SHORT: Duration = Duration::from_micros(100);
/// The longest pause of a process that waits for an exchange.
const LONG: Duration = Duration::from_micros(500);

/// Launchers of MPI set at least one of these.
const SET_BY_LAUNCHERS: [&str; 4] = ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"];

pub fn is_started_by_mpi() -> bool {
    SET_BY_LAUNCHERS.iter().any(|name| std::env::var_os(name).is_some())
}

pub struct Mpi {
    _universe: Universe,
    size: usize,
    number: usize,
    neighbours: usize,
}

// SAFETY: the universe stands for what MPI holds for the whole process, and has no data of a thread. MPI is asked to
// allow calls from any thread, one at a time (`Threading::Serialized`), and a link is used by one thread at a time.
unsafe impl Send for Mpi {}
// SAFETY: as above.
unsafe impl Sync for Mpi {}

impl Mpi {
    /// Starts MPI; `None` if it was already started, or does not allow calls from any thread.
    pub fn start() -> Option<Mpi> {
        let (universe, threading) = mpi::initialize_with_threading(Threading::Serialized)?;
        if threading < Threading::Serialized {
            return None;
        }
        let world = universe.world();
        let (size, number) = (world.size() as usize, world.rank() as usize);
        let neighbours = world.split_shared(world.rank()).size() as usize;
        Some(Mpi { _universe: universe, size, number, neighbours })
    }

    pub fn number(&self) -> usize {
        self.number
    }

    /// Processes on this machine, which share its memory and processors.
    pub fn neighbours(&self) -> usize {
        self.neighbours
    }

    pub fn abort(&self, code: i32) -> ! {
        Self::world().abort(code)
    }

    fn world() -> mpi::topology::SimpleCommunicator {
        mpi::topology::SimpleCommunicator::world()
    }

    /// Receives a message whose first part has arrived.
    fn message(process: &Process) -> io::Result<Vec<u8>> {
        let (length, _) = process.receive::<u64>();
        let mut message = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        for chunk in message.chunks_mut(AT_ONCE) {
            process.receive_into(chunk);
        }
        Ok(message)
    }

    fn process(number: usize) -> i32 {
        i32::try_from(number).expect("MPI numbers processes in 31 bits")
    }
}

/// Waits until `look` finds something. MPI itself would keep a processor busy while it waits.
fn wait<T>(look: impl Fn() -> Option<T>) -> T {
    let mut pause = SHORTEST;
    loop {
        if let Some(found) = look() {
            return found;
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(LONGEST);
    }
}

/// As [`wait`], for messages that will probably arrive soon: first yields the processor, then pauses.
fn wait_briefly<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let start = std::time::Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        match start.elapsed() {
            waited if waited < SHORT => std::thread::yield_now(),
            waited => std::thread::sleep((waited / 4).min(LONG)),
        }
    }
}

/// A message in pieces; only the last one has fewer than [`WORDS_AT_ONCE`] words.
fn pieces(message: &[u32]) -> impl Iterator<Item = &[u32]> {
    (0..=message.len() / WORDS_AT_ONCE).map(|piece| {
        let start = piece * WORDS_AT_ONCE;
        &message[start..message.len().min(start + WORDS_AT_ONCE)]
    })
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Otherwise the other processes would wait for this process for ever.
            self.abort(1);
        }
    }
}

impl Link for Mpi {
    fn size(&self) -> usize {
        self.size
    }

    fn number(&self) -> usize {
        self.number
    }

    fn send(&self, to: usize, message: &[u8]) -> io::Result<()> {
        let world = Self::world();
        let process = world.process_at_rank(Self::process(to));
        process.send(&(message.len() as u64));
        message.chunks(AT_ONCE).for_each(|chunk| process.send(chunk));
        Ok(())
    }

    fn receive(&self, from: usize) -> io::Result<Vec<u8>> {
        let world = Self::world();
        let process = world.process_at_rank(Self::process(from));
        wait(|| process.immediate_probe());
        Self::message(&process)
    }

    fn receive_any(&self) -> io::Result<(usize, Vec<u8>)> {
        let world = Self::world();
        let from = wait(|| world.any_process().immediate_probe()).source_rank();
        Ok((from as usize, Self::message(&world.process_at_rank(from))?))
    }

    fn broadcast(&self, mut message: Vec<u8>) -> io::Result<Vec<u8>> {
        let world = Self::world();
        let first = world.process_at_rank(0);
        let mut length = message.len() as u64;
        first.broadcast_into(&mut length);
        message.resize(usize::try_from(length).map_err(io::Error::other)?, 0);
        message.chunks_mut(AT_ONCE).for_each(|chunk| first.broadcast_into(chunk));
        Ok(message)
    }

    /// Each process sends to the next one and receives from the previous one, then with distance two, and so on.
    fn exchange(&self, mut messages: Vec<Vec<u32>>) -> io::Result<Vec<Vec<u32>>> {
        let (world, size) = (Self::world(), self.size);
        let mut received = vec![Vec::new(); size];
        received[self.number] = std::mem::take(&mut messages[self.number]);
        mpi::request::scope(|scope| {
            let mut sent = Vec::new();
            for distance in 1..size {
                let to = (self.number + distance) % size;
                let process = world.process_at_rank(Self::process(to));
                for piece in pieces(&messages[to]) {
                    sent.push(Some(process.immediate_send(scope, piece)));
                }
            }
            for distance in 1..size {
                let from = (self.number + size - distance) % size;
                let process = world.process_at_rank(Self::process(from));
                let message = &mut received[from];
                loop {
                    let status = wait_briefly(|| process.immediate_probe());
                    let (start, words) = (message.len(), status.count(u32::equivalent_datatype()) as usize);
                    message.resize(start + words, 0);
                    process.receive_into(&mut message[start..]);
                    if words < WORDS_AT_ONCE {
                        break;
                    }
                }
            }
            sent.into_iter().for_each(|mut request| {
                wait_briefly(|| match request.take()?.test() {
                    Ok(_) => Some(()),
                    Err(pending) => {
                        request = Some(pending);
                        None
                    }
                })
            });
        });
        Ok(received)
    }
}
