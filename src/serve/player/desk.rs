//! Holds the answers of a match until they are fetched.

use super::message::Answer;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The last answer of a match. Several messages may wait for the same answer.
#[derive(Debug, Default)]
pub struct Desk {
    answers: Mutex<Answers>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Answers {
    last: Option<(u32, Answer)>,
    place: Option<usize>,
    unplayable: bool,
    closed: bool,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn answer(&self, turn: u32, answer: Answer) {
        self.lock().last = Some((turn, answer));
        self.changed.notify_all();
    }

    pub fn place(&self) -> Option<usize> {
        self.lock().place
    }

    pub fn set_place(&self, place: usize) {
        self.lock().place = Some(place);
    }

    /// Whether the rules or the role cannot be played, so that there will never be a move.
    pub fn is_unplayable(&self) -> bool {
        self.lock().unplayable
    }

    pub fn set_unplayable(&self) {
        self.lock().unplayable = true;
    }

    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }

    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Waits for the answer at a turn. `None` if time runs out, the match is closed, or a later turn was answered.
    pub fn wait(&self, turn: u32, until: Instant) -> Option<Answer> {
        let mut answers = self.lock();
        loop {
            match &answers.last {
                Some((last, answer)) if *last == turn => return Some(answer.clone()),
                Some((last, _)) if *last > turn => return None,
                _ if answers.closed => return None,
                _ => {}
            }
            let left = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
            answers = self.changed.wait_timeout(answers, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Duration;

    #[test]
    fn an_answer_is_given_to_all_who_wait_for_it() {
        let desk = Arc::new(Desk::default());
        let later = Instant::now() + Duration::from_secs(600);
        let waiting: Vec<_> = (0..4)
            .map(|_| {
                let desk = Arc::clone(&desk);
                std::thread::spawn(move || desk.wait(1, later))
            })
            .collect();
        assert_eq!(desk.wait(1, Instant::now()), None);
        desk.answer(1, Answer::Ready);
        waiting.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), Some(Answer::Ready)));
        desk.answer(2, Answer::Nil);
        assert_eq!(desk.wait(1, later), None);
        desk.close();
        assert_eq!((desk.wait(2, later), desk.wait(3, later)), (Some(Answer::Nil), None));
    }
}
