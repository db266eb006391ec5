//! Answers messages, each on a separate thread.

use super::desk::Desk;
use super::library::Library;
use super::message::{Answer, Garbled, Message, read, term};
use super::preparation::Preparation;
use super::table::{Ending, Step, Table};
use super::thinker::{News, Thinker};
use base::limits::Limits;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug, Clone)]
pub struct Settings {
    /// The name of the player, one word.
    pub name: String,
    pub solutions: Option<PathBuf>,
    /// Bytes for solving and searching together.
    pub memory: u64,
    pub threads: usize,
    /// The part of a clock that is left at the time of an answer. `None`: an eighth, within half a second and two
    /// seconds. It is never more than half of the clock.
    pub margin: Option<Duration>,
    /// A match is given up if it is silent for longer than twice its longer clock and this time.
    pub patience: Duration,
    pub seed: u64,
}

pub struct Player {
    settings: Settings,
    library: Arc<Library>,
    workshop: Arc<Mutex<()>>,
    born: Instant,
    state: Mutex<State>,
}

struct State {
    table: Table,
    game: Option<Game>,
}

struct Game {
    number: u64,
    news: Sender<News>,
    desk: Arc<Desk>,
    limits: Arc<Limits>,
    started: Instant,
    start_clock: Duration,
    play_clock: Duration,
}

enum Reply {
    Now(Answer),
    /// The answer at a turn, or `otherwise` if there is none at the time `until`.
    Later {
        number: u64,
        turn: u32,
        desk: Arc<Desk>,
        until: Instant,
        otherwise: Answer,
    },
}

impl Player {
    /// Fails if no temporary folder can be made.
    pub fn new(settings: Settings) -> io::Result<Player> {
        let library = Arc::new(Library::new(settings.solutions.clone())?);
        let state = Mutex::new(State { table: Table::new(settings.patience), game: None });
        Ok(Player { settings, library, workshop: Arc::default(), born: Instant::now(), state })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a message, usually when the answer is due at the latest.
    pub fn answer(&self, text: &[u8]) -> Result<Answer, Garbled> {
        let message = read(text)?;
        match self.reply(message) {
            Reply::Now(answer) => Ok(answer),
            Reply::Later { number, turn, desk, until, otherwise } => {
                let answer = desk.wait(turn, until);
                // A match that was called off has no answer.
                let answer = answer.unwrap_or(if desk.is_closed() { Answer::Busy } else { otherwise });
                if let Answer::Move(action) = &answer {
                    // As messages tell it; they cannot tell terms that are nested too deep.
                    let told = term(action).unwrap_or_else(|_| action.clone());
                    self.state().table.answered(number, turn, &told, desk.place());
                }
                Ok(answer)
            }
        }
    }

    /// Gives up a match that was silent for too long. The caller repeats this at regular intervals.
    pub fn tick(&self) {
        let mut state = self.state();
        if let Some((number, id)) = state.table.expire(self.born.elapsed()) {
            tracing::warn!("{id}: given up, as nothing was heard of it");
            state.end(number, None);
        }
    }

    pub fn close(&self) {
        let mut state = self.state();
        // The table gives up the match, too, so that servers learn that it is over.
        if let Some((_, id)) = state.table.expire(Duration::MAX) {
            tracing::info!("{id}: called off, as the player ends");
        }
        if let Some(game) = state.game.take() {
            game.end(None);
        }
    }

    /// Ends the current match, and removes the player's own solutions. The caller must have received all answers.
    pub fn finish(&self) {
        self.close();
        // The lock is free when the work in the background has ended, which is soon.
        let _workshop = self.workshop.lock().unwrap_or_else(PoisonError::into_inner);
        self.library.clear();
    }

    fn reply(&self, message: Message) -> Reply {
        self.tick();
        let now = Instant::now();
        let mut state = self.state();
        if let Some(number) = state.unplayable() {
            state.table.set_unplayable(number);
        }
        match state.table.take(&message, self.born.elapsed()) {
            Step::Status { available } => Reply::Now(Answer::Info { name: self.settings.name.clone(), available }),
            Step::Preview => Reply::Now(Answer::Ready),
            Step::Busy => Reply::Now(Answer::Busy),
            Step::Begin { number } => match self.begin(number, message, now) {
                Ok(game) => {
                    // The previous match is still there only if it could not be played.
                    if let Some(last) = state.game.take() {
                        last.end(None);
                    }
                    let reply = game.begun(&self.settings);
                    state.game = Some(game);
                    reply
                }
                Err(error) => {
                    tracing::error!("no match can be played: {error}");
                    state.table.expire(Duration::MAX);
                    Reply::Now(Answer::Busy)
                }
            },
            Step::Begun { number } => state.with(number, |game| game.begun(&self.settings)),
            Step::Play { number, turn, moves } => state.with(number, |game| {
                let deadline = game.due(game.play_clock, now, &self.settings);
                // A thread that has ended does not answer, and nobody waits for its answer.
                let _gone = game.news.send(News::Due { turn, moves, deadline });
                game.later(turn, deadline)
            }),
            Step::Again { number, turn } => state.with(number, |game| game.later(turn, now + game.play_clock)),
            Step::Finish { number, moves, ending } => {
                state.end(number, moves);
                Reply::Now(word(ending))
            }
            Step::Finished(ending) => Reply::Now(word(ending)),
        }
    }

    fn begin(&self, number: u64, message: Message, now: Instant) -> io::Result<Game> {
        let Message::Start { id, role, rules, start_clock, play_clock } = message else {
            unreachable!("only a START begins a match");
        };
        tracing::info!("{id}: begins; role {role}, clocks {} s and {} s", start_clock.as_secs(), play_clock.as_secs());
        let (news, incoming) = channel();
        let desk = Arc::new(Desk::default());
        let memory = self.settings.memory;
        let limits = Arc::new(Limits::new(memory / 8 * 5));
        let thinker = Thinker {
            match_id: id.clone(),
            role_name: role.clone(),
            desk: Arc::clone(&desk),
            limits: Arc::new(Limits::new(memory / 4)),
            seed: self.settings.seed.wrapping_add(number),
            news: incoming,
        };
        let preparation = Preparation {
            match_id: id,
            role,
            rules,
            library: Arc::clone(&self.library),
            workshop: Arc::clone(&self.workshop),
            limits: Arc::clone(&limits),
            threads: self.settings.threads,
            news: news.clone(),
        };
        let spawn = |name: &str| std::thread::Builder::new().name(name.to_owned());
        spawn("player").spawn(move || thinker.run())?;
        spawn("preparation").spawn(move || preparation.run())?;
        let game = Game { number, news, desk, limits, started: now, start_clock, play_clock };
        let deadline = game.due(start_clock, now, &self.settings);
        let _gone = game.news.send(News::Due { turn: 0, moves: None, deadline });
        Ok(game)
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.close();
    }
}

impl State {
    /// The number of the current match if it cannot be played.
    fn unplayable(&self) -> Option<u64> {
        self.game.as_ref().filter(|game| game.desk.is_unplayable()).map(|game| game.number)
    }

    /// Replies for the match with this number. If another match is current, the reply is [`Answer::Busy`].
    fn with(&self, number: u64, reply: impl FnOnce(&Game) -> Reply) -> Reply {
        self.game.as_ref().filter(|game| game.number == number).map_or(Reply::Now(Answer::Busy), reply)
    }

    fn end(&mut self, number: u64, moves: super::message::Moves) {
        if let Some(game) = self.game.take_if(|game| game.number == number) {
            game.end(moves);
        }
    }
}

impl Game {
    /// The time at which the answer to a message is due; `came`: the time of the message.
    fn due(&self, clock: Duration, came: Instant, settings: &Settings) -> Instant {
        came + clock - margin(clock, settings.margin)
    }

    fn later(&self, turn: u32, due: Instant) -> Reply {
        // Every server has given up by this time.
        let until = due + self.play_clock.max(self.start_clock) + Duration::from_secs(5);
        Reply::Later { number: self.number, turn, desk: Arc::clone(&self.desk), until, otherwise: Answer::Busy }
    }

    /// The reply to the start. The match may be ready although a step of reading its rules outlasts the start clock.
    fn begun(&self, settings: &Settings) -> Reply {
        let until = self.due(self.start_clock, self.started, settings);
        Reply::Later { number: self.number, turn: 0, desk: Arc::clone(&self.desk), until, otherwise: Answer::Ready }
    }

    fn end(self, moves: super::message::Moves) {
        self.limits.interrupt();
        self.desk.close();
        let _gone = self.news.send(News::End { moves });
    }
}

fn margin(clock: Duration, wanted: Option<Duration>) -> Duration {
    let usual = (clock / 8).clamp(Duration::from_millis(500), Duration::from_secs(2));
    wanted.unwrap_or(usual).min(clock / 2)
}

fn word(ending: Ending) -> Answer {
    match ending {
        Ending::Stopped => Answer::Done,
        Ending::Aborted => Answer::Aborted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_every_clock_is_left() {
        let of = |seconds: f64, wanted| margin(Duration::from_secs_f64(seconds), wanted).as_secs_f64();
        assert_eq!(
            [of(0.0, None), of(0.5, None), of(1.0, None), of(8.0, None), of(60.0, None)],
            [0.0, 0.25, 0.5, 1.0, 2.0]
        );
        assert_eq!(of(60.0, Some(Duration::from_secs(5))), 5.0);
        assert_eq!(of(4.0, Some(Duration::from_secs(5))), 2.0);
    }
}
