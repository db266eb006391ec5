//! The thread that plays a match: it follows the moves, searches while there is time, and answers when a move is due.
//!
//! The thread of [`super::preparation`] sends the grounded rules, and perhaps a solution. With a solution, the answer
//! comes at once. Otherwise the search goes on until a move is due, also between turns. If the rules are still not
//! grounded at that time, only the current position is evaluated ([`super::stepwise`]).

use super::arena::{Arena, Place};
use super::desk::Desk;
use super::expert::Expert;
use super::message::{Answer, Moves};
use super::search::Search;
use super::stepwise::Stepwise;
use base::limits::Limits;
use base::random::Random;
use game::interpreter::JointMove;
use game::propositional::RoleId;
use game::rules::Program;
use game::rules::spellings::Spellings;
use solving::solution::{Position, ReadError, find_name};
use solving::words::number::plies_text;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Time between two checks for news during a search.
const SLICE: Duration = Duration::from_millis(50);
/// Bound on the time by which a round exceeds a slice while no move is due.
const LONGEST_ROUND: Duration = Duration::from_millis(300);
const IDLE: Duration = Duration::from_secs(3600);
/// Divisor of the time to the deadline. If grounding takes longer than this part, the position is evaluated alone.
const ALONE_AFTER: u32 = 4;
const LEAST: Duration = Duration::from_millis(500);

pub enum News {
    /// The rules, and how the text writes names.
    Rules(Arc<Program>, Spellings),
    /// The grounded rules.
    Arena(Arc<Arena>),
    /// Sent after the arena. The folder of a solution that was found; `None` if the game was solved for this match.
    Expert(Expert, Option<PathBuf>),
    /// Nothing else will come, for this reason.
    Nothing(String),
    /// A move is due by a deadline; `moves` are those of the last ply. At turn 0, the start, no move is due.
    Due { turn: u32, moves: Moves, deadline: Instant },
    /// The match is over; `moves` are those of the last ply.
    End { moves: Moves },
}

pub struct Thinker {
    pub match_id: String,
    pub role_name: String,
    pub desk: Arc<Desk>,
    pub limits: Arc<Limits>,
    pub seed: u64,
    pub news: Receiver<News>,
}

struct Thinking {
    of: Thinker,
    random: Random,
    program: Option<Arc<Program>>,
    spellings: Spellings,
    stepwise: Option<(Stepwise, usize)>,
    /// All reported moves, by message.
    history: Vec<Vec<String>>,
    board: Option<Board>,
    expert: Option<(Expert, Position)>,
    /// Whether neither rules nor a solution will come.
    hopeless: bool,
    due: Option<Due>,
    /// A turn, and the answer to it that an evaluation of the position alone gave.
    fallback: Option<(u32, Answer)>,
    /// The last move that was answered.
    meant: Option<String>,
}

#[derive(Clone, Copy)]
struct Due {
    turn: u32,
    deadline: Instant,
    /// The time at which the position is evaluated alone, if the rules are still not grounded.
    alone: Instant,
}

struct Board {
    arena: Arc<Arena>,
    role: RoleId,
    place: Place,
    joints: Vec<JointMove>,
    search: Option<Search>,
}

impl Thinker {
    pub fn run(self) {
        let random = Random::new(self.seed);
        let mut thinking = Thinking {
            of: self,
            random,
            program: None,
            spellings: Spellings::default(),
            stepwise: None,
            history: Vec::new(),
            board: None,
            expert: None,
            hopeless: false,
            due: None,
            fallback: None,
            meant: None,
        };
        while thinking.step() {}
        thinking.of.desk.close();
    }
}

impl Thinking {
    /// Handles news, answers if a move is due, and searches for a while. Returns false at the end of the match.
    fn step(&mut self) -> bool {
        let searching = self.searching();
        let pause = if searching { Duration::ZERO } else { self.pause() };
        let news = match self.of.news.recv_timeout(pause) {
            Ok(news) => Some(news),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return false,
        };
        match news {
            Some(News::End { moves }) => {
                self.follow(moves);
                self.tell_result();
                return false;
            }
            Some(news) => self.take(news),
            None => {}
        }
        if let Some(due) = self.due
            && let Some(answer) = self.answer(due)
        {
            self.due = None;
            let turn = due.turn;
            self.meant = if let Answer::Move(action) = &answer { Some(action.clone()) } else { None };
            let answer = match answer {
                Answer::Move(action) => Answer::Move(self.spellings.written(&action, &self.of.role_name)),
                other => other,
            };
            self.of.desk.answer(turn, answer);
        } else if searching {
            self.think();
        }
        true
    }

    /// The time for which the thread can wait for news.
    fn pause(&self) -> Duration {
        let Some(due) = self.due else { return IDLE };
        let alone = self.is_alone() && self.fallback.as_ref().is_none_or(|(turn, _)| *turn != due.turn);
        let next = if alone { due.alone } else { due.deadline };
        next.saturating_duration_since(Instant::now())
    }

    fn is_alone(&self) -> bool {
        self.board.is_none() && self.program.is_some()
    }

    fn take(&mut self, news: News) {
        match news {
            News::Rules(program, spellings) => (self.program, self.spellings) = (Some(program), spellings),
            News::Arena(arena) => self.set_arena(arena),
            News::Expert(expert, folder) => self.set_expert(expert, folder.as_deref()),
            News::Nothing(reason) => {
                if self.board.is_none() {
                    tracing::warn!("{}: {reason}", self.of.match_id);
                    self.hopeless = true;
                    if self.program.is_none() {
                        self.of.desk.set_unplayable();
                    }
                }
            }
            News::Due { turn, moves, deadline } => {
                self.follow(moves);
                let now = Instant::now();
                let alone = now + deadline.saturating_duration_since(now) / ALONE_AFTER;
                self.due = Some(Due { turn, deadline, alone });
            }
            News::End { .. } => {}
        }
    }

    fn searching(&self) -> bool {
        let search = self.board.as_ref().and_then(|board| board.search.as_ref());
        self.expert.is_none() && search.is_some_and(|search| search.proved().is_none())
    }

    fn think(&mut self) {
        let slice = Instant::now() + SLICE;
        let deadline = self.due.map_or(slice, |due| slice.min(due.deadline));
        let Some(search) = self.board.as_mut().and_then(|board| board.search.as_mut()) else { return };
        // A round may take longer than a slice: up to the deadline or, if no move is due, as long as news can wait.
        let whole = self.due.map_or(slice + LONGEST_ROUND, |due| due.deadline);
        while search.round(whole) && Instant::now() < deadline {}
    }

    fn set_arena(&mut self, arena: Arc<Arena>) {
        let Some(role) = arena.role(&self.of.role_name) else {
            tracing::warn!("{}: the rules have no role {}", self.of.match_id, self.of.role_name);
            self.hopeless = true;
            self.of.desk.set_unplayable();
            return;
        };
        self.stepwise = None;
        self.of.desk.set_place(self.place_in_messages(role.index(), arena.game.roles.len()));
        let place = arena.start();
        self.board = Some(Board { arena, role, place, joints: Vec::new(), search: None });
        for moves in self.history.clone() {
            self.play(&moves);
        }
        if !self.is_chance() {
            self.start_search();
        }
    }

    fn is_chance(&self) -> bool {
        self.board.as_ref().is_some_and(|board| board.arena.is_chance(board.role))
    }

    /// The index of chance in a message with the moves of `roles` roles. Messages have the roles in the order of the
    /// rules, whereas chance is the last role of a game.
    fn place_of_chance(&self, roles: usize) -> Option<usize> {
        self.program.as_ref().and_then(|program| program.place_of_chance()).filter(|&place| place < roles)
    }

    /// The index of a role's move in a message with the moves of `roles` roles.
    fn place_in_messages(&self, role: usize, roles: usize) -> usize {
        match self.place_of_chance(roles) {
            Some(place) if role + 1 == roles => place,
            Some(place) if role >= place => role + 1,
            _ => role,
        }
    }

    /// The moves of a message in the order of the game's roles.
    fn by_role(&self, moves: &[String]) -> Vec<String> {
        let mut moves = moves.to_vec();
        if let Some(place) = self.place_of_chance(moves.len()) {
            moves[place..].rotate_left(1);
        }
        moves
    }

    fn start_search(&mut self) {
        let Some(board) = &mut self.board else { return };
        let (arena, state) = (Arc::clone(&board.arena), board.place.state.clone());
        match Search::new(arena, state, &self.of.limits, self.of.seed) {
            Ok(search) => board.search = Some(search),
            Err(limit) => tracing::warn!("{}: no search: {limit}", self.of.match_id),
        }
    }

    /// Plays by an expert from now on. `folder`: the folder of a solution that was found, for the log.
    fn set_expert(&mut self, expert: Expert, folder: Option<&Path>) {
        let id = &self.of.match_id;
        let Some(board) = &self.board else { return };
        let mut position = expert.solution.solution().start();
        for joint in &board.joints {
            match expert.after(&position, &names(&board.arena, joint)) {
                Ok(after) => position = after,
                Err(error) => {
                    tracing::warn!("{id}: the solution does not follow the match: {error}");
                    return;
                }
            }
        }
        if let Some(folder) = folder {
            tracing::info!("{id}: played by the solution in {}", folder.display());
        }
        if expert.only_forces() {
            tracing::info!("{id}: played by what {} can force, as there is no single value", self.of.role_name);
        }
        self.expert = Some((expert, position));
    }

    fn follow(&mut self, moves: Moves) {
        let Some(moves) = moves else { return };
        self.play(&moves);
        self.history.push(moves);
    }

    fn play(&mut self, told: &[String]) {
        let moves = self.by_role(told);
        let Some(board) = &self.board else { return };
        if let Some(joint) = board.arena.joint(&board.place, &moves) {
            self.make(joint);
            return;
        }
        let missed = board.arena.missed(&board.place, &moves, board.role, self.meant.as_deref());
        let told = told.join(" ");
        match missed {
            Some(joints) => {
                tracing::warn!(
                    "{}: {told} follows a ply that was not told; one that fits is assumed",
                    self.of.match_id
                );
                joints.into_iter().for_each(|joint| self.make(joint));
            }
            None => {
                tracing::warn!("{}: {told} is not legal here; the position stays as it was", self.of.match_id);
            }
        }
    }

    fn make(&mut self, joint: JointMove) {
        let Some(board) = &mut self.board else { return };
        let after = board.arena.after(&board.place, &joint);
        if let Some((expert, position)) = &mut self.expert {
            match expert.after(position, &names(&board.arena, &joint)) {
                Ok(next) => *position = next,
                Err(error) => {
                    tracing::warn!("{}: the solution does not follow the match: {error}", self.of.match_id);
                    self.expert = None;
                }
            }
        }
        if let Some(search) = &mut board.search
            && let Err(limit) = search.advance(&joint, after.state.clone())
        {
            tracing::warn!("{}: no search: {limit}", self.of.match_id);
            board.search = None;
        }
        board.place = after;
        board.joints.push(joint);
    }

    fn answer(&mut self, Due { turn, deadline, alone }: Due) -> Option<Answer> {
        let now = Instant::now();
        let late = now >= deadline;
        if turn == 0 {
            // The thread needs no more time if the answer is certain, or if nothing can improve it.
            let done = self.expert.is_some() || self.hopeless || (self.board.is_some() && !self.searching());
            if self.is_alone() && now >= alone {
                self.evaluate(turn, deadline);
            }
            return (late || done).then_some(Answer::Ready);
        }
        if let Some(answer) = self.solved_move(deadline) {
            return Some(answer);
        }
        if let Some(board) = &self.board {
            // The server asks for a move after the last one.
            if board.place.situation.terminal {
                return Some(Answer::Busy);
            }
            let legal = &board.place.situation.legal[board.role.index()];
            let action = match (&legal[..], &board.search) {
                ([], _) => return Some(Answer::Nil),
                ([only], _) => *only,
                (_, Some(search)) if late || search.proved().is_some() => search.best(board.role)?,
                (_, None) => *self.random.choose(legal)?,
                _ => return None,
            };
            if let Some(search) = &board.search {
                tracing::debug!("{}: {} rounds, {:?}", self.of.match_id, search.rounds(), search.proved());
            }
            return Some(Answer::Move(board.arena.name(action).to_owned()));
        }
        if late || self.hopeless || (now >= alone && self.is_alone()) {
            self.evaluate(turn, deadline);
        }
        let known = self.fallback.as_ref().filter(|(of, _)| *of == turn).map(|(_, answer)| answer.clone());
        known.filter(|_| late || self.hopeless)
    }

    fn solved_move(&mut self, deadline: Instant) -> Option<Answer> {
        let (expert, position) = self.expert.as_ref()?;
        let board = self.board.as_ref()?;
        if board.place.situation.terminal {
            return None;
        }
        let chosen: Result<_, ReadError> =
            expert.choose(position, board.role, deadline, &mut self.random, &self.of.limits);
        match chosen {
            Ok((action, value)) => {
                tracing::debug!("{}: {action}, value {value}", self.of.match_id);
                Some(Answer::Move(action))
            }
            Err(error) => {
                tracing::warn!("{}: the solution is of no use: {error}", self.of.match_id);
                self.expert = None;
                None
            }
        }
    }

    /// Draws a legal move by evaluating the position alone, once per turn.
    fn evaluate(&mut self, turn: u32, deadline: Instant) {
        if self.fallback.as_ref().is_some_and(|(of, _)| *of == turn) {
            return;
        }
        let time = deadline.saturating_duration_since(Instant::now()).max(LEAST);
        let answer = match self.program.clone() {
            Some(program) => self.stepwise_move(&program, time),
            None if self.hopeless => Answer::Nil,
            None => {
                tracing::warn!("{}: the rules are not read in time, so no move is known", self.of.match_id);
                Answer::Nil
            }
        };
        self.fallback = Some((turn, answer));
    }

    fn stepwise_move(&mut self, program: &Program, time: Duration) -> Answer {
        let limits = &*self.of.limits;
        let mut found = match self.stepwise.take() {
            Some(found) => found,
            None => match Stepwise::start(program, time, limits) {
                Ok(stepwise) => (stepwise, 0),
                Err(error) => {
                    tracing::warn!("{}: no move is known: {error}", self.of.match_id);
                    return Answer::Nil;
                }
            },
        };
        while let Some(moves) = self.history.get(found.1) {
            if let Err(error) = found.0.advance(&self.by_role(moves), time, limits) {
                tracing::warn!("{}: {error}", self.of.match_id);
            }
            found.1 += 1;
        }
        let role = find_name(found.0.roles().iter().map(String::as_str), &self.of.role_name);
        let legal = role.and_then(|role| found.0.moves().into_iter().nth(role)).unwrap_or_default();
        match role {
            Some(role) => self.of.desk.set_place(self.place_in_messages(role, found.0.roles().len())),
            None => self.of.desk.set_unplayable(),
        }
        self.stepwise = Some(found);
        self.random.choose(&legal).map_or(Answer::Nil, |action| Answer::Move(action.clone()))
    }

    fn tell_result(&self) {
        let Some(board) = &self.board else { return };
        let (id, plies, situation) = (&self.of.match_id, board.joints.len(), &board.place.situation);
        match situation.terminal {
            true => {
                tracing::info!("{id}: play is over after {}; rewards {:?}", plies_text(plies as u32), situation.goals)
            }
            false => tracing::info!("{id}: play is left after {}, before its end", plies_text(plies as u32)),
        }
    }
}

fn names(arena: &Arena, joint: &JointMove) -> Vec<String> {
    joint.iter().map(|&action| arena.name(action).to_owned()).collect()
}
