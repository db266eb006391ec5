//! Processes that are threads, each with its own memory bound, for tests.

use super::message::{of_words, to_words};
use super::{Link, Team, serve};
use base::limits::Limits;
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

struct Local {
    number: usize,
    to: Vec<Sender<Letter>>,
    from: Mutex<Inbox>,
}

/// The number of the sender, and the message; `None` if the sender has ended.
type Letter = (usize, Option<Vec<u8>>);

/// The incoming messages, and for each process its messages that arrived while one of another process was awaited.
struct Inbox {
    letters: Receiver<Letter>,
    waiting: Vec<VecDeque<Option<Vec<u8>>>>,
}

impl Inbox {
    /// The next message from any process with a number in this range.
    fn take(&mut self, from: Range<usize>) -> io::Result<(usize, Vec<u8>)> {
        loop {
            let known = from.clone().find_map(|process| Some((process, self.waiting[process].pop_front()?)));
            match known {
                Some((process, Some(message))) => return Ok((process, message)),
                Some((process, None)) => return Err(io::Error::other(format!("process {process} has ended"))),
                None => {}
            }
            let (process, letter) = self.letters.recv().map_err(io::Error::other)?;
            self.waiting[process].push_back(letter);
        }
    }
}

impl Local {
    fn take(&self, from: Range<usize>) -> io::Result<(usize, Vec<u8>)> {
        self.from.lock().unwrap_or_else(PoisonError::into_inner).take(from)
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        for other in &self.to {
            // A process that has ended receives nothing, so an error is ignored.
            let _ = other.send((self.number, None));
        }
    }
}

impl Link for Local {
    fn size(&self) -> usize {
        self.to.len()
    }

    fn number(&self) -> usize {
        self.number
    }

    fn send(&self, to: usize, message: &[u8]) -> io::Result<()> {
        self.to[to].send((self.number, Some(message.to_vec()))).map_err(io::Error::other)
    }

    fn receive(&self, from: usize) -> io::Result<Vec<u8>> {
        Ok(self.take(from..from + 1)?.1)
    }

    fn receive_any(&self) -> io::Result<(usize, Vec<u8>)> {
        self.take(0..self.size())
    }

    fn broadcast(&self, message: Vec<u8>) -> io::Result<Vec<u8>> {
        if self.number > 0 {
            return self.receive(0);
        }
        (1..self.size()).try_for_each(|other| self.send(other, &message))?;
        Ok(message)
    }

    fn exchange(&self, messages: Vec<Vec<u32>>) -> io::Result<Vec<Vec<u32>>> {
        for (to, message) in messages.into_iter().enumerate() {
            self.send(to, &of_words(message))?;
        }
        (0..self.size()).map(|from| Ok(to_words(&self.take(from..from + 1)?.1))).collect()
    }
}

/// Calls `lead` with a team of `size` processes, which shares every layer with at least `least` states or nodes.
/// `limits` returns the limits of another process by its number.
pub fn with_threads<T>(size: usize, least: u64, limits: impl Fn(usize) -> Limits, lead: impl FnOnce(Team) -> T) -> T {
    let mut links = links(size);
    let first = links.next().expect("a team has a process 0");
    std::thread::scope(|threads| {
        for link in links {
            let limits = Arc::new(limits(link.number));
            threads.spawn(move || {
                let scratch = tempfile::tempdir().expect("a folder for temporary files");
                serve(&(Arc::new(link) as _), &limits, 1, scratch.path()).expect("process 0 tells the end");
                assert_eq!(limits.used(), 0, "all memory is given back");
            });
        }
        lead(Team::lead_from(Arc::new(first), least, least).expect("all others serve"))
    })
}

fn links(size: usize) -> impl Iterator<Item = Local> {
    let (to, from): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
    from.into_iter().enumerate().map(move |(number, letters)| {
        let inbox = Inbox { letters, waiting: vec![VecDeque::new(); size] };
        Local { number, to: to.clone(), from: Mutex::new(inbox) }
    })
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
                    _ => {
                        let limits = Arc::new(Limits::unlimited());
                        serve(&(Arc::new(link) as _), &limits, 1, std::path::Path::new("none")).unwrap();
                    }
                });
            }
            Team::lead_from(Arc::new(first), 0, 0).unwrap_err()
        });
        assert_eq!(error.to_string(), "process 2: no folder");
    }
}
