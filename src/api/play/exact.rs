//! A match in a game with chance or joint choices. Every player but the person draws its move from its best mixture;
//! chance draws uniformly. Roles that choose at the same time as the person do not see its move.

use super::{Choice, Command, Settings, Stand, Standing, Told, named};
use base::limits::Limits;
use base::random::Random;
use game::interpreter::{JointMove, Situation};
use game::propositional::MoveId;
use num_traits::Zero;
use solving::exact::Value;
use solving::solution::{ExactSolution, Position, ReadError};
use std::sync::Arc;

/// A match against a solution with exact values.
pub struct ExactMatch {
    solution: Box<ExactSolution>,
    settings: Settings,
    random: Random,
    limits: Arc<Limits>,
    /// The positions so far with their legal moves; the last one is the current one.
    history: Vec<(Position, Situation)>,
    /// Play stopped, as it may go on for ever without a choice of the person.
    repeats: bool,
}

/// Plies without a choice of the person after which play stops where states repeat. It need not be endless: chance may
/// lead it to an end.
const FORCED: usize = 1000;

impl ExactMatch {
    /// Starts a match. Also returns its first answers. `limits` bound the solution of matrices.
    pub fn start(
        solution: Box<ExactSolution>,
        settings: Settings,
        limits: Arc<Limits>,
    ) -> Result<(Self, Vec<Told>), ReadError> {
        let game = solution.solution().game();
        if let Some(role) = (0..game.roles.len()).find(|&role| role != settings.human.index() && !solution.knows(role))
        {
            return Err(ReadError::Unknown { role: solution.role_name(role) });
        }
        let (name, role) = (game.name.clone(), solution.role_name(settings.human.index()));
        let start = solution.start();
        let history = vec![(start.clone(), solution.situation(&start)?)];
        let mut game =
            ExactMatch { solution, settings, random: Random::new(settings.seed), limits, history, repeats: false };
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
            Command::Board => told.push(self.stand()?),
            Command::State => told.push(Told::State(self.solution.solution().state_names(&self.now().0.state))),
            &Command::List { values } => {
                told.push(Told::Choices { choices: self.choices()?, standing: self.standing(), values });
            }
            Command::Hint => told.push(Told::Mixture { value: self.value()?, choices: self.choices()? }),
            Command::Undo => self.undo(&mut told)?,
            Command::New => {
                self.history.truncate(1);
                self.go_on(&mut told)?;
            }
            Command::Move(name) => self.play(name, &mut told)?,
        }
        Ok(told)
    }

    fn now(&self) -> &(Position, Situation) {
        self.history.last().expect("there is always the start")
    }

    fn standing(&self) -> Standing {
        match self.now().1.terminal {
            true => Standing::Over,
            false if self.repeats => Standing::Repeats,
            false => Standing::ToMove,
        }
    }

    fn value(&self) -> Result<Option<Value>, ReadError> {
        let (position, situation) = self.now();
        self.solution.known_value(position, situation)
    }

    fn legal(&self) -> &[MoveId] {
        &self.now().1.legal[self.settings.human.index()]
    }

    fn name(&self, action: MoveId) -> String {
        self.solution.solution().move_name(action).to_owned()
    }

    fn stand(&self) -> Result<Told, ReadError> {
        let (solution, (position, _)) = (self.solution.solution(), self.now());
        let stand = Stand {
            roles: solution.game().player_names(),
            layer: position.layer,
            value: self.value()?,
            state: solution.state_names(&position.state),
            drawing: solution.board().map(|board| board.drawing(solution.game(), &position.state)),
            legal: self.legal().len(),
        };
        Ok(Told::Stand { stand: Box::new(stand), standing: self.standing() })
    }

    /// The person's moves, with values against the others' mixtures and probabilities in the best mixture.
    fn choices(&self) -> Result<Vec<Choice>, ReadError> {
        let ((position, situation), human) = (self.now(), self.settings.human.index());
        if situation.terminal {
            return Ok(Vec::new());
        }
        let assessed = self.solution.assess(position, &self.limits)?.filter(|_| !self.is_chance(human));
        let mixture = self.solution.mixture(position, human, &self.limits)?;
        let choice = |(place, &action): (usize, &MoveId)| Choice {
            action: self.name(action),
            value: assessed.as_ref().map(|assessed| assessed.reply(human, place)),
            probability: mixture.as_ref().map(|mixture| mixture[place].clone()),
        };
        Ok(self.legal().iter().enumerate().map(choice).collect())
    }

    fn is_chance(&self, role: usize) -> bool {
        role >= self.solution.solution().game().players()
    }

    fn go_on(&mut self, told: &mut Vec<Told>) -> Result<(), ReadError> {
        let (goes_round, begin) = (self.solution.manifest().goes_round(), self.history.len());
        self.repeats = false;
        while self.standing() == Standing::ToMove && self.legal().len() == 1 {
            self.limits.check()?;
            self.make(self.legal()[0], told)?;
            self.repeats = goes_round && self.history.len() - begin >= FORCED;
        }
        told.push(self.stand()?);
        Ok(())
    }

    /// Plays one ply with a move of the person. The moves of the other roles do not depend on it.
    fn make(&mut self, own: MoveId, told: &mut Vec<Told>) -> Result<(), ReadError> {
        let (position, situation) = self.now().clone();
        let human = self.settings.human.index();
        let mut joint = JointMove::new();
        for role in 0..situation.legal.len() {
            let errors = self.settings.errors_per_million;
            joint.push(match role == human {
                true => own,
                false => drawn(&self.solution, &position, role, errors, &mut self.random, &self.limits)?,
            });
        }
        let choosing: Vec<usize> = (0..joint.len()).filter(|&role| situation.legal[role].len() > 1).collect();
        let told_of = |role: usize| (self.solution.role_name(role), self.name(joint[role]));
        match choosing.as_slice() {
            [] => {
                let ply = self.solution.solution().ply(&position, &situation, joint.clone());
                let (role, action) = told_of(ply.role.index());
                told.push(Told::Forced { role, action });
            }
            &[role] if role == human => {}
            several => told.extend(several.iter().map(|&role| {
                let (role, action) = told_of(role);
                Told::Played { role, action }
            })),
        }
        let next = self.solution.solution().after(&position, &joint);
        let situation = self.solution.situation(&next)?;
        self.history.push((next, situation));
        Ok(())
    }

    fn undo(&mut self, told: &mut Vec<Told>) -> Result<(), ReadError> {
        let human = self.settings.human.index();
        let mine = |(_, situation): &(Position, Situation)| !situation.terminal && situation.legal[human].len() > 1;
        match self.history[..self.history.len() - 1].iter().rposition(mine) {
            Some(index) => {
                self.history.truncate(index + 1);
                self.repeats = false;
                told.push(self.stand()?);
            }
            None => told.push(Told::NothingToTakeBack),
        }
        Ok(())
    }

    fn play(&mut self, typed: &str, told: &mut Vec<Told>) -> Result<(), ReadError> {
        match self.standing() {
            Standing::ToMove => {}
            Standing::Over => {
                told.push(Told::Over);
                return Ok(());
            }
            // By chance, play may end later.
            Standing::Repeats => {
                told.push(self.stand()?);
                return Ok(());
            }
        }
        let names: Vec<String> = self.legal().iter().map(|&action| self.name(action)).collect();
        match named(names.iter().map(String::as_str), typed) {
            Some(place) => {
                self.make(self.legal()[place], told)?;
                self.go_on(told)?;
            }
            None => told.push(Told::Illegal(names)),
        }
        Ok(())
    }
}

/// Draws a move of a role from its best mixture or, with the probability of an error, outside of it. Chance: any move.
pub fn drawn(
    solution: &ExactSolution,
    position: &Position,
    role: usize,
    errors_per_million: u32,
    random: &mut Random,
    limits: &Limits,
) -> Result<MoveId, ReadError> {
    let legal = &solution.situation(position)?.legal[role];
    if legal.len() > 1 && role < solution.solution().game().players() {
        // A number is drawn even if no move is outside of the mixture, so that later draws do not depend on that.
        let errs = random.below(1_000_000) < errors_per_million as usize;
        let mixture = solution.mixture(position, role, limits)?.filter(|_| errs).unwrap_or_default();
        let others = mixture.iter().zip(legal).filter(|(probability, _)| probability.is_zero());
        let others: Vec<MoveId> = others.map(|(_, &action)| action).collect();
        if let Some(&other) = random.choose(&others) {
            return Ok(other);
        }
    }
    let drawn = solution.draw(position, role, random, limits)?;
    drawn.ok_or_else(|| ReadError::Unknown { role: solution.role_name(role) })
}
