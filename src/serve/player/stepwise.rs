//! Finds legal moves without grounding: if a move is due before the game is grounded, the rules are evaluated for the
//! current position alone ([`game::ground::position`]). Cost: an evaluation of the rules for legal moves in each
//! position, and one of the rules for the next state in each ply.

use base::limits::Limits;
use game::ground::GroundError;
use game::ground::position::{choose, evaluate, hold, listed, recast};
use game::propositional::GroundTerm;
use game::rules::{Predicate, Program};
use solving::solution::find_name;
use std::time::Duration;

/// Join steps per second that an evaluation gets, about half of the usual speed.
const STEPS_PER_SECOND: f64 = 5e6;

#[derive(Debug, thiserror::Error)]
pub enum StepError {
    #[error("the position cannot be evaluated: {0}")]
    Ground(#[from] GroundError),
    #[error("{0} is no legal move")]
    Illegal(String),
}

pub struct Stepwise {
    legal: Program,
    next: Program,
    fluents: Vec<GroundTerm>,
    roles: Vec<GroundTerm>,
    moves: Vec<Vec<GroundTerm>>,
}

impl Stepwise {
    /// Evaluates the initial position. `time`: the approximate bound on the time of the evaluation.
    pub fn start(program: &Program, time: Duration, limits: &Limits) -> Result<Stepwise, StepError> {
        let init = recast(program, Predicate::Init);
        let (legal, next) = (recast(program, Predicate::Legal), recast(program, Predicate::Next));
        let fluents = listed(evaluate(&init, steps(time), limits)?);
        let mut stepwise = Stepwise { legal, next, fluents, roles: Vec::new(), moves: Vec::new() };
        stepwise.find_moves(time, limits)?;
        Ok(stepwise)
    }

    /// The names of the roles in the order of the game, in which chance is the last one.
    pub fn roles(&self) -> Vec<String> {
        self.roles.iter().map(ToString::to_string).collect()
    }

    /// By role: the names of the legal moves.
    pub fn moves(&self) -> Vec<Vec<String>> {
        self.moves.iter().map(|moves| moves.iter().map(ToString::to_string).collect()).collect()
    }

    /// Moves on to the position after a ply. `moves`: the name of each role's move, in the order of the roles.
    pub fn advance(&mut self, moves: &[String], time: Duration, limits: &Limits) -> Result<(), StepError> {
        let all = || moves.join(" ");
        if moves.len() != self.roles.len() {
            return Err(StepError::Illegal(all()));
        }
        let mut chosen = Vec::with_capacity(moves.len());
        for (legal, name) in self.moves.iter().zip(moves) {
            let names: Vec<String> = legal.iter().map(ToString::to_string).collect();
            let found = find_name(names.iter().map(String::as_str), name);
            chosen.push(legal[found.ok_or_else(|| StepError::Illegal(name.clone()))?].clone());
        }
        let mut program = self.next.clone();
        hold(&mut program, &self.fluents);
        choose(&mut program, self.roles.iter().zip(&chosen));
        self.fluents = listed(evaluate(&program, steps(time), limits)?);
        self.find_moves(time, limits)
    }

    fn find_moves(&mut self, time: Duration, limits: &Limits) -> Result<(), StepError> {
        let mut program = self.legal.clone();
        hold(&mut program, &self.fluents);
        let game = evaluate(&program, steps(time), limits)?;
        self.roles.clone_from(&game.roles);
        let of = |role| game.moves_of(role).map(|action| game.moves[action.index()].term.clone()).collect();
        self.moves = game.role_ids().map(of).collect();
        Ok(())
    }
}

fn steps(time: Duration) -> u64 {
    (time.as_secs_f64() * STEPS_PER_SECOND) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::arena::Arena;
    use base::random::Random;
    use game::diagnostic::Source;
    use game::ground::{GroundOptions, ground};
    use game::rules::gdl;

    #[test]
    fn positions_are_evaluated_as_the_whole_game_says() {
        let limits = Limits::unlimited();
        let time = Duration::from_secs(60);
        let mut random = Random::new(3);
        let shipped = |name: &str| {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../games/{name}.gdl"));
            (name.to_owned(), std::fs::read_to_string(path).unwrap())
        };
        let mut games = ["tictactoe", "nim4", "hanoi", "sheepandwolf", "blocks", "pig_8"].map(shipped).to_vec();
        // Chance is the last role of a game, and roles that rules give come after the others.
        let moved = games[5].1.replace("(role random)", "");
        games.push(("chance first".to_owned(), format!("(role random)\n{moved}")));
        let given = games[0].1.replace("(role xplayer)", "(<= (role xplayer) (distinct 0 1))");
        assert_ne!(given, games[0].1);
        games.push(("a role by a rule".to_owned(), given));
        for (name, text) in games {
            let program = gdl::program(&Source::new(&name, text.as_bytes())).0.expect("a game");
            let game = ground(&program, &limits, &GroundOptions::default()).unwrap().game;
            let arena = Arena::new(game);
            let mut place = arena.start();
            let mut stepwise = Stepwise::start(&program, time, &limits).unwrap();
            let mut plies = 0;
            while let Some(joint) = place.situation.random_joint_move(&mut random).filter(|_| plies < 8) {
                assert_eq!(stepwise.roles().len(), joint.len());
                for (legal, mut found) in place.situation.legal.iter().zip(stepwise.moves()) {
                    let mut legal: Vec<String> = legal.iter().map(|&action| arena.name(action).to_owned()).collect();
                    legal.sort();
                    found.sort();
                    assert_eq!(legal, found, "{name}, ply {plies}");
                }
                let names: Vec<String> = joint.iter().map(|&action| arena.name(action).to_owned()).collect();
                assert!(matches!(stepwise.advance(&["?".to_owned()], time, &limits), Err(StepError::Illegal(_))));
                stepwise.advance(&names, time, &limits).unwrap();
                place = arena.after(&place, &joint);
                plies += 1;
            }
            assert!(plies > 0);
        }
    }
}
