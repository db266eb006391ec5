//! A game manager: it knows the rules, asks each player for its moves, and tells all moves to all.

use super::common;
use super::disguise::Disguise;
use super::process::Process;
use super::wire::send;
use base::random::Random;
use game::interpreter::{Interpreter, JointMove, Situation, State};
use game::propositional::{Game, MoveId};
use std::path::Path;

pub struct Manager {
    pub name: String,
    pub text: String,
    pub game: Game,
    pub interpreter: Interpreter,
}

/// Who plays a role.
#[derive(Clone, Copy)]
pub enum Seat<'a> {
    Player(&'a Process),
    Random,
}

#[derive(Debug)]
pub struct Played {
    /// By role.
    pub rewards: Vec<u8>,
    pub plies: usize,
}

/// A match under way.
pub struct Match<'a> {
    pub manager: &'a Manager,
    pub id: String,
    pub disguise: &'a Disguise,
    pub state: State,
    pub last: Option<Vec<String>>,
    /// By place in the messages: the role.
    order: Vec<usize>,
    pub plies: usize,
}

impl Manager {
    pub fn new(file: &Path) -> Manager {
        let text = std::fs::read_to_string(file).expect("a rulesheet");
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let game = common::game(&common::program(&name, text.as_bytes()));
        Manager { name, text, interpreter: Interpreter::new(&game), game }
    }

    pub fn shipped(name: &str) -> Manager {
        Manager::new(&common::shipped(&format!("{name}.gdl")))
    }

    pub fn name_of(&self, action: MoveId) -> String {
        self.game.moves[action.index()].term.to_string()
    }

    pub fn begin<'a>(&'a self, id: &str, disguise: &'a Disguise) -> Match<'a> {
        let roles: Vec<String> = self.game.roles.iter().map(ToString::to_string).collect();
        let place = |role: &String| roles.iter().position(|other| other == role).expect("a known role");
        let order = disguise.roles().iter().map(place).collect();
        let state = self.interpreter.initial();
        Match { manager: self, id: id.to_owned(), disguise, state, last: None, order, plies: 0 }
    }

    /// A whole match; every answer of a player must be legal.
    pub fn play(
        &self,
        id: &str,
        seats: &[Seat],
        clocks: (u32, u32),
        disguise: &Disguise,
        random: &mut Random,
    ) -> Played {
        let mut game = self.begin(id, disguise);
        let each = |game: &Match, message: &str, expected: &str| {
            std::thread::scope(|scope| {
                for (role, seat) in seats.iter().enumerate() {
                    let Seat::Player(player) = seat else { continue };
                    let message = if message == "START" { game.start(role, clocks) } else { game.ask(message) };
                    scope.spawn(move || {
                        let reply = send(player.address, disguise.dialect(), &message);
                        assert_eq!((reply.status, reply.body.as_str()), (200, expected), "{message}");
                    });
                }
            });
        };
        each(&game, "START", "ready");
        while let Some(situation) = game.open() {
            let message = game.ask("PLAY");
            let answers: Vec<Option<String>> = std::thread::scope(|scope| {
                let asked = seats.iter().map(|seat| match seat {
                    Seat::Random => None,
                    Seat::Player(player) => {
                        let message = &message;
                        Some(scope.spawn(move || send(player.address, disguise.dialect(), message).body))
                    }
                });
                let asked: Vec<_> = asked.collect();
                asked.into_iter().map(|thread| thread.map(|thread| thread.join().unwrap())).collect()
            });
            let joint = answers.iter().enumerate().map(|(role, answer)| match answer {
                None => *random.choose(&situation.legal[role]).unwrap(),
                Some(answer) => game.legal(&situation, role, answer).unwrap_or_else(|| {
                    panic!("{}, ply {}: {answer} is not legal for role {role}", self.name, game.plies)
                }),
            });
            let joint = joint.collect();
            game.make(&joint);
        }
        each(&game, "STOP", "done");
        let situation = self.interpreter.situation(&game.state);
        Played { rewards: situation.goals.iter().map(|rewards| rewards[0]).collect(), plies: game.plies }
    }
}

impl Match<'_> {
    pub fn start(&self, role: usize, (start, play): (u32, u32)) -> String {
        let role = self.disguise.disguised(&self.manager.game.roles[role].to_string());
        format!("(START {} {role} ({}) {start} {play})", self.id, self.disguise.rules())
    }

    /// `PLAY` or `STOP` after the last moves.
    pub fn ask(&self, what: &str) -> String {
        match &self.last {
            None => format!("({what} {} NIL)", self.id),
            Some(moves) => format!("( {what} {} ({} ) )", self.id, moves.join(" ")),
        }
    }

    /// What holds, unless play is over.
    pub fn open(&self) -> Option<Situation> {
        Some(self.manager.interpreter.situation(&self.state)).filter(|situation| !situation.terminal)
    }

    /// The legal move of a role that an answer names.
    pub fn legal(&self, situation: &Situation, role: usize, answer: &str) -> Option<MoveId> {
        let name = self.disguise.undisguised(answer);
        situation.legal[role].iter().copied().find(|&action| self.manager.name_of(action) == name)
    }

    pub fn make(&mut self, joint: &JointMove) {
        self.state = self.manager.interpreter.successor(&self.state, joint);
        let name = |&role: &usize| self.disguise.disguised(&self.manager.name_of(joint[role]));
        self.last = Some(self.order.iter().map(name).collect());
        self.plies += 1;
    }
}
