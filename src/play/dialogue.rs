//! What is typed, and what is answered.

use super::opponent;
use crate::interpreter::Turn;
use crate::propositional::RoleId;
use crate::random::Random;
use crate::report::{Board, distance_text, outcome_text, picture, value_text};
use crate::solution::{Analyst, Assessment, Distances, Position, ReadError, terms};
use std::collections::HashSet;
use std::fmt::Write;

const HELP: &str = "  MOVE     play a move, by its name (parentheses may be left out) or its number
  moves    your legal moves
  values   your legal moves, each with what it leads to
  hint     the best moves, and how soon play ends
  board    the position
  state    the fluents that hold
  undo     take back your last move
  new      start again
  quit     end
";

/// What can be typed then.
const AFTER_THE_END: &str = "`undo` takes back your last move, `new` starts again, `quit` ends\n";

/// How the program plays.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The role that the person plays.
    pub human: RoleId,
    /// In so many of a million moves the program does not play a best one.
    pub errors_per_million: u32,
    pub seed: u64,
    /// Positions to keep in a search for the distance.
    pub nodes: usize,
}

/// A game that is being played.
pub struct Dialogue<'a> {
    analyst: Analyst<'a>,
    board: Option<Board>,
    settings: Settings,
    random: Random,
    roles: Vec<String>,
    /// The positions so far; the last one is the present one.
    history: Vec<Assessment>,
    /// The positions repeat, and the person has no choice in any of them.
    repeats: bool,
}

/// What is said to a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Lines, the last one ended.
    pub text: String,
    /// No further line is expected.
    pub done: bool,
}

impl<'a> Dialogue<'a> {
    /// Starts a game, and gives the text to begin with.
    pub fn start(mut analyst: Analyst<'a>, settings: Settings) -> Result<(Self, String), ReadError> {
        let roles: Vec<String> = analyst.game().roles.iter().map(ToString::to_string).collect();
        let start = analyst.start();
        let first = analyst.assess(&start)?;
        let mut dialogue = Dialogue {
            board: Board::new(analyst.game()),
            random: Random::new(settings.seed),
            history: vec![first],
            repeats: false,
            analyst,
            settings,
            roles,
        };
        let role = &dialogue.roles[settings.human.index()];
        let mut text = format!("{}: you play {role}; `help` tells what to type\n", dialogue.analyst.game().name);
        dialogue.go_on(&mut text)?;
        Ok((dialogue, text))
    }

    /// Answers a line.
    pub fn answer(&mut self, line: &str) -> Result<Answer, ReadError> {
        let mut text = String::new();
        let line = line.trim();
        match line.to_ascii_lowercase().as_str() {
            "" => {}
            "quit" | "exit" | "q" => return Ok(Answer { text, done: true }),
            "help" | "?" => text.push_str(HELP),
            "board" => self.show(&mut text),
            "state" => {
                let _ = writeln!(text, "  {}", self.now().position.state.names(self.analyst.game()).join(" "));
            }
            "moves" => self.list(false, &mut text),
            "values" => self.list(true, &mut text),
            "hint" => self.hint(&mut text)?,
            "undo" => self.undo(&mut text)?,
            "new" => {
                self.history.truncate(1);
                self.go_on(&mut text)?;
            }
            _ => self.play(line, &mut text)?,
        }
        Ok(Answer { text, done: false })
    }

    fn now(&self) -> &Assessment {
        // There is always the start.
        &self.history[self.history.len() - 1]
    }

    fn is_over(&self) -> bool {
        self.repeats || self.now().turn == Turn::Terminal
    }

    /// Plays until the person has to decide, or play is over or would go on for ever.
    fn go_on(&mut self, text: &mut String) -> Result<(), ReadError> {
        let mut met = HashSet::new();
        self.repeats = false;
        loop {
            let now = self.now().clone();
            if !met.insert(now.position.state.clone()) {
                self.repeats = true;
                break;
            }
            let joint = match now.turn {
                Turn::Terminal => break,
                Turn::Mover(role) if role == self.settings.human => break,
                Turn::Forced => {
                    let option = now.moves.first().expect("a forced ply has its one joint move");
                    let (role, name) = (&self.roles[option.role.index()], self.analyst.move_name(option.action));
                    let _ = writeln!(text, "{role} has no choice: {name}");
                    option.joint.clone()
                }
                Turn::Mover(role) => {
                    let chosen = opponent::choose(&mut self.analyst, &now, &self.settings, &mut self.random)?;
                    let name = self.analyst.move_name(chosen.action);
                    let _ = writeln!(text, "{} plays {name}", self.roles[role.index()]);
                    chosen.joint.clone()
                }
            };
            let next = self.analyst.after(&now.position, &joint);
            self.push(&next)?;
        }
        self.show(text);
        Ok(())
    }

    fn push(&mut self, position: &Position) -> Result<(), ReadError> {
        let assessment = self.analyst.assess(position)?;
        self.history.push(assessment);
        Ok(())
    }

    /// The position, and what comes next.
    fn show(&self, text: &mut String) {
        let now = self.now();
        let _ = write!(text, "\n{}\n", picture(self.board.as_ref(), self.analyst.game(), &now.position.state, 2));
        if self.repeats {
            text.push_str("this position was there before, and you have no choice: play goes on for ever\n");
            text.push_str(AFTER_THE_END);
        } else if self.is_over() {
            let _ = writeln!(text, "play is over: {}", outcome_text(&self.roles, now.value.as_deref()));
            text.push_str(AFTER_THE_END);
        } else {
            let _ = writeln!(text, "ply {}, your move ({} legal)", now.position.layer + 1, now.moves.len());
        }
    }

    fn list(&self, values: bool, text: &mut String) {
        if self.is_over() {
            text.push_str("  play is over\n");
        }
        let moves = if self.is_over() { &[] } else { self.now().moves.as_slice() };
        for (index, option) in moves.iter().enumerate() {
            let _ = write!(text, "  {:>3}  {}", index + 1, self.analyst.move_name(option.action));
            if values {
                let best = if option.optimal { "  best" } else { "" };
                let _ = write!(text, "  {}{best}", value_text(option.value.as_deref()));
            }
            text.push('\n');
        }
    }

    fn hint(&mut self, text: &mut String) -> Result<(), ReadError> {
        let now = self.now().clone();
        let outcome = outcome_text(&self.roles, now.value.as_deref());
        let Some(Distances { position: distance, moves }) = self.analyst.distances(&now, self.settings.nodes)? else {
            let best = now.moves.iter().filter(|option| option.optimal);
            let best: Vec<&str> = best.map(|option| self.analyst.move_name(option.action)).collect();
            let _ = writeln!(text, "  {outcome}, by {}", best.join(" "));
            return Ok(());
        };
        let _ = writeln!(text, "  {outcome}; {}", distance_text(&distance));
        for (option, distance) in now.moves.iter().zip(moves) {
            if let Some(distance) = distance {
                let _ = writeln!(text, "  {}: {}", self.analyst.move_name(option.action), distance_text(&distance));
            }
        }
        Ok(())
    }

    /// Goes back to the last position but the present one in which the person had the choice.
    fn undo(&mut self, text: &mut String) -> Result<(), ReadError> {
        let mine = |found: &Assessment| found.turn == Turn::Mover(self.settings.human);
        match self.history[..self.history.len() - 1].iter().rposition(mine) {
            Some(index) => {
                self.history.truncate(index + 1);
                self.repeats = false;
                self.show(text);
            }
            None => text.push_str("there is no move of yours to take back\n"),
        }
        Ok(())
    }

    fn play(&mut self, line: &str, text: &mut String) -> Result<(), ReadError> {
        if self.is_over() {
            let _ = write!(text, "play is over; {AFTER_THE_END}");
            return Ok(());
        }
        let now = self.now().clone();
        let only = |name: &str| {
            let mut named =
                now.moves.iter().filter(|option| self.analyst.move_name(option.action).eq_ignore_ascii_case(name));
            named.next().filter(|_| named.next().is_none())
        };
        let named = match terms(line).as_deref() {
            Ok([name]) => only(name),
            // `drop 2`, without the parentheses.
            Ok(several) => only(&format!("({})", several.join(" "))),
            Err(_) => None,
        };
        let exact = now.moves.iter().find(|option| self.analyst.move_name(option.action) == line);
        let number = || line.parse::<usize>().ok().and_then(|number| now.moves.get(number.checked_sub(1)?));
        let Some(chosen) = exact.or(named).or_else(number) else {
            let names: Vec<&str> = now.moves.iter().map(|option| self.analyst.move_name(option.action)).collect();
            let _ = writeln!(text, "not a legal move; legal: {}", names.join(" "));
            return Ok(());
        };
        let next = self.analyst.after(&now.position, &chosen.joint);
        self.push(&next)?;
        self.go_on(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propositional::Game;
    use crate::reward::OpponentModel;
    use crate::sample::handmade::{counter, lines};
    use crate::solution::testing::BruteForce;

    fn settings(human: u32) -> Settings {
        Settings { human: RoleId(human), errors_per_million: 0, seed: 1, nodes: 1000 }
    }

    /// Plays the lines; everything that is said.
    fn say(game: &Game, settings: Settings, lines: &[&str]) -> String {
        let values = BruteForce::new(game, OpponentModel::MaxOwn);
        let analyst = Analyst::new(game, OpponentModel::MaxOwn, &values);
        let (mut dialogue, mut text) = Dialogue::start(analyst, settings).unwrap();
        for line in lines {
            text.push_str(&dialogue.answer(line).unwrap().text);
        }
        text
    }

    #[test]
    fn the_program_never_loses_what_it_could_keep() {
        let game = lines(3, 3, 3);
        for seed in 0..30 {
            for human in 0..2 {
                let settings = Settings { seed, ..settings(human) };
                let mut random = Random::new(seed + 100);
                let moves: Vec<String> = (0..9).map(|_| (1 + random.below(9)).to_string()).collect();
                let mut input: Vec<&str> = moves.iter().map(String::as_str).collect();
                input.extend(["1"; 9]);
                let text = say(&game, settings, &input);
                let person = ["x", "o"][human as usize];
                assert!(text.contains("play is over"), "{text}");
                assert!(!text.contains(&format!("{person} wins")), "{text}");
            }
        }
    }

    #[test]
    fn a_program_that_always_errs_loses_at_times() {
        let settings = Settings { errors_per_million: 1_000_000, ..settings(0) };
        let lost = (0..20).any(|seed| {
            let text = say(&lines(3, 3, 3), Settings { seed, ..settings }, &["1"; 9]);
            text.contains("x wins")
        });
        assert!(lost);
    }

    #[test]
    fn commands_are_answered() {
        let game = lines(3, 3, 3);
        let bare = say(&game, settings(0), &["MARK 2  2", "moves"]);
        assert!(bare.contains("o plays (mark") && !bare.contains("(mark 2 2)\n"), "{bare}");
        let text = say(&game, settings(0), &["help", "moves", "values", "hint", "(mark 9 9)", "( MARK 2  2 )", "undo"]);
        for part in ["take back", "  1  (mark 1 1)\n", "  1  (mark 1 1)  50/50  best", "a draw", "not a legal move"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.contains("o plays (mark"), "{text}");
        assert!(text.ends_with("(control x)\n\nply 1, your move (9 legal)\n"), "{text}");
        let end = say(&game, settings(0), &["undo", "state", "quit"]);
        assert!(end.contains("no move of yours") && end.contains("(cell 1 1 b)"), "{end}");
    }

    #[test]
    fn one_player_games_are_played_to_their_end() {
        let text = say(&counter(3, false), settings(0), &["two", "1", "one", "new", "one"]);
        assert!(text.contains("play is over: robot reaches 100 at best"), "{text}");
    }

    #[test]
    fn a_seed_gives_the_same_game_again() {
        let erring = Settings { errors_per_million: 500_000, ..settings(1) };
        assert_eq!(say(&lines(3, 3, 3), erring, &["1"; 9]), say(&lines(3, 3, 3), erring, &["1"; 9]));
    }
}
