//! A line of best play from the initial state: every mover takes a successor that has the state's own value.
//!
//! For one player see [`super::super::ends`], which gives a shortest line. For several players, the line need not be
//! short, but it must end.
//!
//! By rounds, each step leads to the first successor that was settled in an earlier round, so the line ends even if
//! play has cycles; by layers, each step leads to the next layer. Cost: the successors of one state for each move, and
//! by layers one lookup in every layer.

use super::super::SolveError;
use super::super::outcome::PlayedMove;
use super::super::pass::Pass;
use super::digits::round_of;
use super::orders::Orders;
use super::rounds::Rounds;
use crate::interpreter::{Interpreter, JointMove, Situation, State};
use crate::kernel::Diagram;

/// A state on the line.
struct Walk<'a> {
    pass: &'a Pass<'a>,
    interpreter: Interpreter,
    state: State,
    line: Vec<PlayedMove>,
}

/// A joint move, the state it leads to, and that state by level.
type Step = (JointMove, State, Vec<bool>);

impl<'a> Walk<'a> {
    fn new(pass: &'a Pass<'a>) -> Self {
        let interpreter = Interpreter::new(pass.game);
        Walk { pass, state: interpreter.initial(), interpreter, line: Vec::new() }
    }

    /// The moves of the current state; none in a terminal state.
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
        let ply = self.interpreter.ply(&self.state, situation, joint);
        let game = self.pass.game;
        self.line.push(PlayedMove { role: ply.role, action: ply.name(game), joint: ply.joint_names(game) });
        self.state = successor;
    }
}

/// The line through some states, each a successor of the one before; the first is the initial state.
pub fn through(pass: &Pass, states: &[Vec<bool>]) -> Vec<PlayedMove> {
    let mut walk = Walk::new(pass);
    for next in &states[1..] {
        let (situation, steps) = walk.steps();
        let step = steps.into_iter().find(|(_, _, assignment)| assignment == next);
        walk.go(&situation, step.expect("each state is a successor of the one before"));
    }
    walk.line
}

/// The line that the rounds of an algorithm give; none if play is endless. `values`: all states with their value ids.
pub fn by_rounds(
    pass: &Pass,
    values: &Diagram,
    orders: &Orders,
    rounds: &mut Rounds,
) -> Result<Option<Vec<PlayedMove>>, SolveError> {
    let value = values.contains(pass.expansion.initial());
    if value == orders.endless {
        return Ok(None);
    }
    let base = rounds.base();
    let digits = rounds.digits()?;
    let round_of = |assignment: &[bool]| round_of(&digits, base, assignment);
    let mut round = round_of(pass.expansion.initial());
    let mut walk = Walk::new(pass);
    loop {
        pass.context.limits().check()?;
        let (situation, mut steps) = walk.steps();
        if steps.is_empty() {
            return Ok(Some(walk.line));
        }
        steps.retain(|(_, _, assignment)| values.contains(assignment) == value);
        let settled = steps.into_iter().filter_map(|step| Some((round_of(&step.2)?, step)));
        let (next, step) = settled
            .min_by_key(|&(next, _)| next)
            .filter(|&(next, _)| Some(next) < round)
            .ok_or_else(|| inconsistent("a state that is settled before all successors with its value"))?;
        round = Some(next);
        walk.go(&situation, step);
    }
}

fn inconsistent(what: &str) -> SolveError {
    SolveError::Inconsistent(format!("there is {what}"))
}

/// The line that the values of the layers give: `values` has those of a layer, by its number.
pub fn in_layers(
    pass: &Pass,
    mut values: impl FnMut(usize) -> Result<Diagram, SolveError>,
) -> Result<Vec<PlayedMove>, SolveError> {
    let value = values(0)?.value_at(pass.expansion.initial());
    let mut walk = Walk::new(pass);
    for layer in 1.. {
        let (situation, steps) = walk.steps();
        if steps.is_empty() {
            break;
        }
        let next = values(layer)?;
        let step = steps.into_iter().find(|(_, _, assignment)| next.value_at(assignment) == value);
        walk.go(&situation, step.ok_or_else(|| inconsistent("a state without a successor that has its value"))?);
    }
    Ok(walk.line)
}
