//! A line of best play from the initial state, as long as its distance to the end. For one player it follows the states
//! of a shortest line ([`super::super::ends`]), for several players the distances of all states. Cost: the successors
//! of one state for each ply.

use super::super::SolveError;
use super::super::outcome::PlayedMove;
use super::super::pass::Pass;
use super::distances::Distances;
use game::interpreter::{Interpreter, JointMove, Situation, State};
use kernel::Diagram;

struct Walk<'a> {
    pass: &'a Pass<'a>,
    interpreter: Interpreter,
    state: State,
    line: Vec<PlayedMove>,
}

type Step = (JointMove, State, Vec<bool>);

impl<'a> Walk<'a> {
    fn new(pass: &'a Pass<'a>) -> Self {
        let interpreter = Interpreter::new(pass.game);
        Walk { pass, state: interpreter.initial(), interpreter, line: Vec::new() }
    }

    /// The joint moves of the current state; none in a terminal state.
    fn steps(&mut self) -> (Situation, Vec<Step>) {
        let situation = self.interpreter.situation(&self.state);
        let mut steps = Vec::new();
        if !situation.terminal {
            for joint in situation.joint_moves() {
                let successor = self.interpreter.successor(&self.state, &joint);
                let flags: Vec<bool> = self.pass.game.fluent_ids().map(|fluent| successor.contains(fluent)).collect();
                let assignment = self.pass.expansion.variables().assignment(&flags);
                steps.push((joint, successor, assignment));
            }
        }
        (situation, steps)
    }

    fn go(&mut self, situation: &Situation, (joint, successor, _): Step) {
        let game = self.pass.game;
        let ply = self.interpreter.ply(game, &self.state, situation, joint);
        self.line.push(PlayedMove { role: ply.role, action: ply.name(game), joint: ply.joint_names(game) });
        self.state = successor;
    }
}

/// The line through `states`, each a successor of the one before; the first is the initial state.
pub fn through(pass: &Pass, states: &[Vec<bool>]) -> Vec<PlayedMove> {
    let mut walk = Walk::new(pass);
    for next in &states[1..] {
        let (situation, steps) = walk.steps();
        let step = steps.into_iter().find(|(_, _, assignment)| assignment == next);
        walk.go(&situation, step.expect("each state is a successor of the one before"));
    }
    walk.line
}

/// The line that follows the distances; none if play is endless. `values`: all states with their value ids.
pub fn by_plies(pass: &Pass, values: &Diagram, plies: &Distances) -> Result<Option<Vec<PlayedMove>>, SolveError> {
    let initial = pass.expansion.initial();
    let value = values.contains(initial);
    let terminal_of = plies.lookup(pass)?;
    let Some(distance) = terminal_of(initial).checked_sub(1) else { return Ok(None) };
    let mut walk = Walk::new(pass);
    for left in (0..distance).rev() {
        pass.context.limits().check()?;
        let (situation, steps) = walk.steps();
        let leads_on = |(_, _, next): &Step| values.contains(next) == value && terminal_of(next) == left + 1;
        let step = steps.into_iter().find(leads_on);
        walk.go(&situation, step.ok_or_else(|| inconsistent("a state with no move to the end"))?);
    }
    Ok(Some(walk.line))
}

fn inconsistent(what: &str) -> SolveError {
    SolveError::Inconsistent(format!("there is {what}"))
}
