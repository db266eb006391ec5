//! Processes that are threads, each with memory of its own: for tests.

use super::{Link, Team, serve};
use crate::limits::Limits;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// The ends that one of them has.
struct Local {
    number: usize,
    /// By process: to it, and from it.
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Mutex<Receiver<Vec<u8>>>>,
}

impl Link for Local {
    fn size(&self) -> usize {
        self.to.len()
    }

    fn send(&self, to: usize, message: &[u8]) -> io::Result<()> {
        self.to[to].send(message.to_vec()).map_err(io::Error::other)
    }

    fn receive(&self, from: usize) -> io::Result<Vec<u8>> {
        self.from[from].lock().unwrap_or_else(PoisonError::into_inner).recv().map_err(io::Error::other)
    }

    fn broadcast(&self, message: Vec<u8>) -> io::Result<Vec<u8>> {
        if self.number > 0 {
            return self.receive(0);
        }
        (1..self.size()).try_for_each(|other| self.send(other, &message))?;
        Ok(message)
    }
}

/// Calls `lead` with a team of so many processes that shares every layer by rank with at least `least` states; `limits`: by
/// number, those of the others.
pub fn with_threads<T>(size: usize, least: u64, limits: impl Fn(usize) -> Limits, lead: impl FnOnce(Team) -> T) -> T {
    let mut links = links(size);
    let first = links.next().expect("a team has a process 0");
    std::thread::scope(|threads| {
        for link in links {
            let limits = Arc::new(limits(link.number));
            threads.spawn(move || {
                let scratch = tempfile::tempdir().expect("a folder for temporary files");
                serve(&link, link.number, &limits, 1, scratch.path()).expect("process 0 tells the end");
                assert_eq!(limits.used(), 0, "all memory is given back");
            });
        }
        lead(Team::lead_from(Arc::new(first), least).expect("all others serve"))
    })
}

/// The ends of so many processes.
fn links(size: usize) -> impl Iterator<Item = Local> {
    let (mut to, mut from): (Vec<Vec<_>>, Vec<Vec<_>>) = Default::default();
    to.resize_with(size, Vec::new);
    from.resize_with(size, Vec::new);
    for sender in &mut to {
        for receiver in &mut from {
            let (send, receive) = channel();
            sender.push(send);
            receiver.push(Mutex::new(receive));
        }
    }
    to.into_iter().zip(from).enumerate().map(|(number, (to, from))| Local { number, to, from })
}

#[cfg(test)]
mod tests {
    use super::super::decline;
    use super::*;

    #[test]
    fn a_process_that_cannot_serve_ends_all_with_its_reason() {
        let mut links = links(4);
        let first = links.next().unwrap();
        let error = std::thread::scope(|threads| {
            for link in links {
                threads.spawn(move || match link.number {
                    2 => decline(&link, "no folder".to_owned()).unwrap(),
                    number => {
                        let limits = Arc::new(Limits::unlimited());
                        serve(&link, number, &limits, 1, std::path::Path::new("none")).unwrap();
                    }
                });
            }
            Team::lead_from(Arc::new(first), 0).unwrap_err()
        });
        assert_eq!(error.to_string(), "process 2: no folder");
    }
}
