//! A match between a person and the program, in a game in turns without chance.

use super::opponent;
use super::{Command, Hint, Standing, Told, named};
use base::random::Random;
use game::interpreter::Turn;
use game::propositional::RoleId;
use solving::solution::{Assessment, MoveValue, Position, Query, ReadError, Solution};
use std::collections::HashSet;
use std::sync::Arc;

/// The settings of a match.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The role that the person plays.
    pub human: RoleId,
    /// Moves per million in which the program makes a worse move, if there is one.
    pub errors_per_million: u32,
    /// Seed of the moves that are drawn.
    pub seed: u64,
    /// Positions to keep in a search for the distance.
    pub nodes: usize,
}

/// A match against a solution.
pub struct Match {
    solution: Arc<Solution>,
    settings: Settings,
    random: Random,
    /// The positions so far; the last one is the current one.
    history: Vec<Assessment>,
    /// Whether the positions repeat, and the person has no choice in any of them.
    repeats: bool,
}

impl Match {
    /// Starts a match. Also returns its first answers.
    pub fn start(solution: Arc<Solution>, settings: Settings) -> Result<(Self, Vec<Told>), ReadError> {
        let first = solution.assess(&solution.start())?;
        let random = Random::new(settings.seed);
        let mut game = Match { solution, settings, random, history: vec![first], repeats: false };
        let (name, role) = (game.solution.game().name.clone(), game.solution.role_name(settings.human));
        let mut told = vec![Told::Started { game: name, role }];
        game.go_on(&mut told)?;
        Ok((game, told))
    }

    /// Executes a command.
    pub fn answer(&mut self, command: &Command) -> Result<Vec<Told>, ReadError> {
        let mut told = Vec::new();
        match command {
            Command::Quit => told.push(Told::Left),
            Command::Help => told.push(Told::Help),
            Command::Board => told.push(self.position()),
            Command::State => {
                told.push(Told::State(self.solution.state_names(&self.now().position.state)));
            }
            &Command::List { values } => {
                let mut query = if values { self.with_costs()? } else { self.query() };
                self.solution.tell_alike(&mut query, self.now());
                told.push(Told::Moves { query, standing: self.standing(), values });
            }
            Command::Hint => told.push(self.hint()?),
            Command::Undo => self.undo(&mut told),
            Command::New => {
                self.history.truncate(1);
                self.go_on(&mut told)?;
            }
            Command::Move(name) => self.play(name, &mut told)?,
        }
        Ok(told)
    }

    fn now(&self) -> &Assessment {
        self.history.last().expect("there is always the start")
    }

    fn standing(&self) -> Standing {
        match self.now().turn {
            _ if self.repeats => Standing::Repeats,
            Turn::Terminal => Standing::Over,
            _ => Standing::ToMove,
        }
    }

    fn query(&self) -> Box<Query> {
        Box::new(self.solution.described(self.now(), None))
    }

    fn with_costs(&self) -> Result<Box<Query>, ReadError> {
        let (mut query, now) = (self.query(), &self.now().position);
        self.solution.tell_plans(&mut query, now, false, self.settings.nodes, self.solution.limits())?;
        Ok(query)
    }

    fn position(&self) -> Told {
        Told::Position { query: self.query(), standing: self.standing() }
    }

    /// Plays until the person has to decide, play is over, or the positions repeat without a choice of the person.
    fn go_on(&mut self, told: &mut Vec<Told>) -> Result<(), ReadError> {
        let mut met = HashSet::new();
        self.repeats = false;
        loop {
            let now = self.now().clone();
            if !met.insert(now.position.state.clone()) {
                self.repeats = true;
                break;
            }
            let chosen = match now.turn {
                Turn::Terminal => break,
                Turn::Mover(role) if role == self.settings.human => break,
                Turn::Forced => now.moves.first().expect("a forced ply has its one joint move"),
                Turn::Mover(_) => opponent::choose(&self.solution, &now, &self.settings, &mut self.random)?,
            };
            let (role, action) = (self.solution.role_name(chosen.role), self.name(chosen));
            let forced = now.turn == Turn::Forced;
            told.push(if forced { Told::Forced { role, action } } else { Told::Played { role, action } });
            self.push(&self.solution.after(&now.position, &chosen.joint))?;
        }
        told.push(self.position());
        Ok(())
    }

    fn push(&mut self, position: &Position) -> Result<(), ReadError> {
        let assessment = self.solution.assess(position)?;
        self.history.push(assessment);
        Ok(())
    }

    fn name(&self, option: &MoveValue) -> String {
        self.solution.move_name(option.action).to_owned()
    }

    fn hint(&self) -> Result<Told, ReadError> {
        let now = self.now();
        let query = self.with_costs()?;
        if let Some(cost) = query.plans.cost {
            let best = query.moves.iter().filter(|option| option.optimal).map(|option| option.action.clone()).collect();
            return Ok(Told::Hint { query, hint: Hint::Costs { cost, best } });
        }
        let hint = match self.solution.distances(now, self.settings.nodes)? {
            Some(found) => {
                let best = found.best();
                let is_best = |index: usize| best.as_ref().is_none_or(|best| best[index]);
                let moves = now.moves.iter().zip(&found.moves).enumerate().filter(|(index, _)| is_best(*index));
                let moves =
                    moves.filter_map(|(_, (option, distance))| Some((self.name(option), (*distance)?))).collect();
                Hint::Ends { after: found.position, moves }
            }
            None => {
                let best = now.moves.iter().filter(|option| option.optimal);
                Hint::Endless { best: best.map(|option| self.name(option)).collect() }
            }
        };
        Ok(Told::Hint { query, hint })
    }

    /// Returns to the last earlier position in which the person had the choice.
    fn undo(&mut self, told: &mut Vec<Told>) {
        let mine = |found: &Assessment| found.turn == Turn::Mover(self.settings.human);
        match self.history[..self.history.len() - 1].iter().rposition(mine) {
            Some(index) => {
                self.history.truncate(index + 1);
                self.repeats = false;
                told.push(self.position());
            }
            None => told.push(Told::NothingToTakeBack),
        }
    }

    fn play(&mut self, name: &str, told: &mut Vec<Told>) -> Result<(), ReadError> {
        if self.standing() != Standing::ToMove {
            told.push(Told::Over);
            return Ok(());
        }
        let now = self.now();
        let names = now.moves.iter().map(|option| self.solution.move_name(option.action));
        match named(names, name).map(|place| &now.moves[place]) {
            Some(chosen) => {
                let next = self.solution.after(&now.position, &chosen.joint);
                self.push(&next)?;
                self.go_on(told)?;
            }
            None => told.push(Told::Illegal(now.moves.iter().map(|option| self.name(option)).collect())),
        }
        Ok(())
    }
}
