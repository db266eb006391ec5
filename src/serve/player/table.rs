//! The state of the player among servers: the current match, and what a message means in it.
//!
//! There is one match at a time. Servers repeat a message whose answer they lost, continue without an answer that came
//! too late, and sometimes never end a match. [`Table::take`] decides by the messages and the time alone. A match is
//! given up if it is silent for longer than its clocks and some time. The next match replaces a match that cannot be
//! played.

use super::message::{Message, Moves, NIL};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Stopped,
    Aborted,
}

/// The meaning of a message. Each match has a number, so that late results of an earlier match are recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The status is requested; `available`: a match could start.
    Status {
        available: bool,
    },
    /// The server shows rules that may be played later.
    Preview,
    /// The message is not about the current match, or there is no match.
    Busy,
    Begin {
        number: u64,
    },
    /// The start of the current match is repeated.
    Begun {
        number: u64,
    },
    /// A move is requested; `moves` are those of the last ply.
    Play {
        number: u64,
        turn: u32,
        moves: Moves,
    },
    /// The last request for a move is repeated.
    Again {
        number: u64,
        turn: u32,
    },
    /// The match ends; `moves` are those of the last ply.
    Finish {
        number: u64,
        moves: Moves,
        ending: Ending,
    },
    /// The end of the last match is repeated.
    Finished(Ending),
}

/// The match at the table. Times are durations since a fixed moment.
#[derive(Debug)]
pub struct Table {
    seat: Option<Seat>,
    /// The name of the last match.
    last: Option<String>,
    matches: u64,
    /// A match is given up if it is silent for longer than twice its longer clock and this time.
    patience: Duration,
}

#[derive(Debug)]
struct Seat {
    number: u64,
    id: String,
    /// The longer of the two clocks.
    clock: Duration,
    /// Number of requested moves.
    turns: u32,
    moves: Moves,
    /// The answer to the last request; and the index of the player's own move among the moves of all roles, if known.
    answer: Option<(String, Option<usize>)>,
    /// Whether the match cannot be played, so that another match may replace it.
    is_unplayable: bool,
    expires: Duration,
}

impl Table {
    pub fn new(patience: Duration) -> Table {
        Table { seat: None, last: None, matches: 0, patience }
    }

    /// The meaning of a message. `now`: the time at which it arrived.
    pub fn take(&mut self, message: &Message, now: Duration) -> Step {
        match message {
            Message::Info => Step::Status { available: self.is_free() },
            Message::Preview { .. } if self.is_free() => Step::Preview,
            Message::Preview { .. } => Step::Busy,
            Message::Start { id, start_clock, play_clock, .. } => self.start(id, *start_clock.max(play_clock), now),
            Message::Play { id, moves } => self.play(id, moves, now),
            Message::Stop { id, moves } => self.end(id, moves.clone(), Ending::Stopped),
            Message::Abort { id } => self.end(id, None, Ending::Aborted),
        }
    }

    /// Records an answer. `place`: the index of the player's own move among the moves of all roles.
    pub fn answered(&mut self, number: u64, turn: u32, answer: &str, place: Option<usize>) {
        if let Some(seat) = self.seat.as_mut().filter(|seat| (seat.number, seat.turns) == (number, turn)) {
            seat.answer = Some((answer.to_owned(), place));
        }
    }

    /// Records that the rules are wrong or lack the role, so that the match cannot be played.
    pub fn set_unplayable(&mut self, number: u64) {
        if let Some(seat) = self.seat.as_mut().filter(|seat| seat.number == number) {
            seat.is_unplayable = true;
        }
    }

    fn is_free(&self) -> bool {
        self.seat.as_ref().is_none_or(|seat| seat.is_unplayable)
    }

    /// Gives up a match that was silent for too long. Returns its number and name.
    pub fn expire(&mut self, now: Duration) -> Option<(u64, String)> {
        let seat = self.seat.take_if(|seat| seat.expires <= now)?;
        self.last = Some(seat.id.clone());
        Some((seat.number, seat.id))
    }

    fn start(&mut self, id: &str, clock: Duration, now: Duration) -> Step {
        if let Some(seat) = self.seat.take_if(|seat| seat.is_unplayable) {
            self.last = Some(seat.id);
        }
        match &self.seat {
            Some(seat) if seat.id == id && seat.turns == 0 => Step::Begun { number: seat.number },
            Some(_) => Step::Busy,
            None => {
                self.matches += 1;
                let number = self.matches;
                self.seat = Some(Seat {
                    number,
                    id: id.to_owned(),
                    clock,
                    turns: 0,
                    moves: None,
                    answer: None,
                    is_unplayable: false,
                    expires: now + 2 * clock + self.patience,
                });
                Step::Begin { number }
            }
        }
    }

    fn play(&mut self, id: &str, moves: &Moves, now: Duration) -> Step {
        let Some(seat) = self.seat.as_mut().filter(|seat| seat.id == id) else { return Step::Busy };
        seat.expires = now + 2 * seat.clock + self.patience;
        let moves = if seat.are_none(moves) { &None } else { moves };
        if seat.repeats(moves) {
            return Step::Again { number: seat.number, turn: seat.turns };
        }
        seat.turns += 1;
        seat.moves.clone_from(moves);
        seat.answer = None;
        Step::Play { number: seat.number, turn: seat.turns, moves: moves.clone() }
    }

    fn end(&mut self, id: &str, moves: Moves, ending: Ending) -> Step {
        if let Some(seat) = self.seat.take_if(|seat| seat.id == id) {
            self.last = Some(seat.id);
            return Step::Finish { number: seat.number, moves, ending };
        }
        match &self.last {
            Some(last) if last == id => Step::Finished(ending),
            _ => Step::Busy,
        }
    }
}

/// Whether two messages tell the same moves, in any case of letters.
fn are_same(moves: &[String], others: &[String]) -> bool {
    moves.len() == others.len() && moves.iter().zip(others).all(|(one, other)| one.eq_ignore_ascii_case(other))
}

impl Seat {
    /// Whether the list means that there were no moves yet. Some servers write this as `(NIL)`. A game may have a move
    /// named `nil`, but then the player's answer was this move.
    fn are_none(&self, moves: &Moves) -> bool {
        let is_nil = |text: &String| text.eq_ignore_ascii_case(NIL);
        self.moves.is_none()
            && moves.as_ref().is_none_or(|moves| moves.iter().all(is_nil))
            && !self.answer.as_ref().is_some_and(|(answer, _)| is_nil(answer))
    }

    /// Whether a request repeats the last one: it has the same moves, and the answer is not among them. (The moves
    /// after an answer contain it, unless it came too late.)
    fn repeats(&self, moves: &Moves) -> bool {
        if self.turns == 0 {
            return false;
        }
        match (moves, &self.answer) {
            // Only the first request of a match has no moves.
            (None, _) => true,
            (Some(moves), _) if !self.moves.as_ref().is_some_and(|before| are_same(moves, before)) => false,
            (Some(_), None) => true,
            (Some(moves), Some((answer, place))) => {
                let is_own = |action: &String| action.eq_ignore_ascii_case(answer);
                match place {
                    Some(place) => !moves.get(*place).is_some_and(is_own),
                    None => !moves.iter().any(is_own),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::message::read;

    struct Played {
        table: Table,
        now: u64,
    }

    impl Played {
        fn new() -> Played {
            Played { table: Table::new(Duration::from_secs(60)), now: 1000 }
        }

        fn take(&mut self, text: &str) -> Step {
            self.table.take(&read(text.as_bytes()).unwrap(), Duration::from_secs(self.now))
        }
    }

    fn moves(text: &str) -> Moves {
        Some(text.split(' ').map(str::to_owned).collect())
    }

    const START: &str = "(START a r ((role r)) 10 5)";

    #[test]
    fn there_is_one_match_at_a_time() {
        let mut played = Played::new();
        assert_eq!(played.take("(INFO)"), Step::Status { available: true });
        assert_eq!(played.take("(PREVIEW () 1)"), Step::Preview);
        assert_eq!(played.take("(PLAY a NIL)"), Step::Busy);
        assert_eq!(played.take(START), Step::Begin { number: 1 });
        assert_eq!(played.take(START), Step::Begun { number: 1 });
        assert_eq!(played.take("(START b r () 1 1)"), Step::Busy);
        assert_eq!(played.take("(PREVIEW () 1)"), Step::Busy);
        assert_eq!(played.take("(INFO)"), Step::Status { available: false });
        assert_eq!(played.take("(STOP b NIL)"), Step::Busy);
        assert_eq!(played.take("(PLAY a NIL)"), Step::Play { number: 1, turn: 1, moves: None });
        assert_eq!(played.take(START), Step::Busy);
        let stopped = Step::Finish { number: 1, moves: moves("x y"), ending: Ending::Stopped };
        assert_eq!(played.take("(STOP a (x y))"), stopped);
        assert_eq!(played.take("(STOP a (x y))"), Step::Finished(Ending::Stopped));
        assert_eq!(played.take("(PLAY a (x y))"), Step::Busy);
        assert_eq!(played.take(START), Step::Begin { number: 2 });
        assert_eq!(played.take("(ABORT a)"), Step::Finish { number: 2, moves: None, ending: Ending::Aborted });
        assert_eq!(played.take("(ABORT a)"), Step::Finished(Ending::Aborted));
        assert_eq!(played.take("(ABORT b)"), Step::Busy);
    }

    #[test]
    fn a_repeated_request_is_told_from_the_next_one() {
        let mut played = Played::new();
        played.take(START);
        let turn = |turn: u32, text: &str| Step::Play { number: 1, turn, moves: moves(text) };
        let again = |turn: u32| Step::Again { number: 1, turn };
        assert_eq!(played.take("(PLAY a NIL)"), Step::Play { number: 1, turn: 1, moves: None });
        assert_eq!(played.take("(PLAY a NIL)"), again(1));
        played.table.answered(1, 1, "x", None);
        assert_eq!(played.take("(PLAY a NIL)"), again(1));
        assert_eq!(played.take("(PLAY a (x noop))"), turn(2, "x noop"));
        assert_eq!(played.take("(PLAY a (x noop))"), again(2));
        played.table.answered(1, 2, "noop", None);
        // The moves are the same, but they contain the answer. In some games this is the next turn.
        assert_eq!(played.take("(PLAY a (x NOOP))"), turn(3, "x NOOP"));
        played.table.answered(1, 3, "z", None);
        assert_eq!(played.take("(PLAY a (x NOOP))"), again(3));
        assert_eq!(played.take("(PLAY a (X noop))"), again(3), "in another case of letters");
        // The answer came too late, and the server continued without it.
        assert_eq!(played.take("(PLAY a (y noop))"), turn(4, "y noop"));
        // An answer to an earlier turn does not concern this one.
        played.table.answered(1, 3, "z", None);
        assert_eq!(played.take("(PLAY a (y noop))"), again(4));
    }

    #[test]
    fn no_moves_are_written_in_many_ways() {
        let mut played = Played::new();
        played.take(START);
        assert_eq!(played.take("(PLAY a (NIL nil))"), Step::Play { number: 1, turn: 1, moves: None });
        for again in ["(PLAY a (NIL))", "( PLAY a (nil) )", "(PLAY a NIL)", "(PLAY a ())", "(PLAY a)"] {
            assert_eq!(played.take(again), Step::Again { number: 1, turn: 1 }, "{again}");
        }
        // In a game that has a move named `nil`, the word is this move.
        played.table.answered(1, 1, "nil", Some(0));
        assert_eq!(played.take("(PLAY a NIL)"), Step::Again { number: 1, turn: 1 });
        assert_eq!(played.take("(PLAY a (nil))"), Step::Play { number: 1, turn: 2, moves: moves("nil") });
    }

    #[test]
    fn a_match_that_cannot_be_played_makes_way_for_the_next() {
        let mut played = Played::new();
        played.take(START);
        played.table.set_unplayable(2);
        assert_eq!(played.take("(START b r () 1 1)"), Step::Busy);
        played.table.set_unplayable(1);
        assert_eq!(played.take("(INFO)"), Step::Status { available: true });
        assert_eq!(played.take("(PREVIEW () 1)"), Step::Preview);
        // Until then the match continues.
        assert_eq!(played.take("(PLAY a NIL)"), Step::Play { number: 1, turn: 1, moves: None });
        assert_eq!(played.take("(START b r () 1 1)"), Step::Begin { number: 2 });
        assert_eq!(played.take("(PLAY a NIL)"), Step::Busy);
        assert_eq!(played.take("(STOP a NIL)"), Step::Finished(Ending::Stopped));
        assert_eq!(played.take("(START c r () 1 1)"), Step::Busy);
        // The match of the same name starts with other rules.
        played.table.set_unplayable(2);
        assert_eq!(played.take("(START b r () 1 1)"), Step::Begin { number: 3 });
    }

    #[test]
    fn a_silent_match_is_given_up() {
        let mut played = Played::new();
        played.take(START);
        played.now += 79;
        assert_eq!(played.table.expire(Duration::from_secs(played.now)), None);
        played.take("(PLAY a NIL)");
        played.now += 79;
        assert_eq!(played.table.expire(Duration::from_secs(played.now)), None);
        played.now += 1;
        assert_eq!(played.table.expire(Duration::from_secs(played.now)), Some((1, "a".to_owned())));
        assert_eq!(played.take("(INFO)"), Step::Status { available: true });
        assert_eq!(played.take("(PLAY a NIL)"), Step::Busy);
        assert_eq!(played.take("(STOP a NIL)"), Step::Finished(Ending::Stopped));
        assert_eq!(played.take(START), Step::Begin { number: 2 });
    }
}
