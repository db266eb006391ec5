//! A reachable state for which a game is refused, with a shortest path to it.

use super::pass::Pass;
use super::progress::Event;
use super::{Refusal, SolveError, endless};
use game::interpreter::{Interpreter, JointMove, State, Violation};
use game::propositional::Game;

/// The refusal because of a state, by level. The earlier states are computed again.
pub fn refusal(pass: &Pass, state: &[bool]) -> Result<SolveError, SolveError> {
    let (game, interpreter) = (pass.game, Interpreter::new(pass.game));
    let path = match endless::path(pass, state) {
        // The state alone shows what is wrong.
        Err(SolveError::Limit(limit)) if !limit.ends_all() => {
            pass.listener.event(&Event::Notice(format!("the play to the state below is left out: {limit}")));
            vec![state.to_vec()]
        }
        path => path?,
    };
    let path = states(pass, &path);
    let state = &path[path.len() - 1];
    let (code, message) = match interpreter.situation(state).turn() {
        Err(violation) => describe(game, &violation),
        Ok(_) => ("inconsistent", "the symbolic and the explicit reading of a state differ".to_owned()),
    };
    let path = moves(game, &interpreter, &path);
    Ok(Refusal { state: state.names(game), path, ..Refusal::of_game(code, message) }.into())
}

/// The refusal because of an ill-formed state, with the joint moves that lead there.
pub fn shown(
    game: &Game,
    interpreter: &Interpreter,
    violation: &Violation,
    state: &State,
    path: &[JointMove],
) -> Refusal {
    let (code, message) = describe(game, violation);
    let path = interpreter.play_names(game, path);
    Refusal { state: state.names(game), path, ..Refusal::of_game(code, message) }
}

fn describe(game: &Game, violation: &Violation) -> (&'static str, String) {
    let name = |role: game::propositional::RoleId| &game.roles[role.index()];
    match violation {
        Violation::Simultaneous(first, second) => (
            NOT_TURN_TAKING,
            format!("not turn-taking: {} and {} both have a choice in a reachable state", name(*first), name(*second)),
        ),
        Violation::NoMove(role) => {
            ("no-legal-move", format!("{} has no legal move in a reachable state that is not terminal", name(*role)))
        }
        Violation::Goals { role, rewards } => (
            "goals",
            format!(
                "{} has {} rewards instead of one in a reachable terminal state{}",
                name(*role),
                rewards.len(),
                if rewards.is_empty() { String::new() } else { format!(": {rewards:?}") }
            ),
        ),
    }
}

/// Code of the refusal of games in which several roles choose at the same time, where the options demand turns.
pub const NOT_TURN_TAKING: &str = "not-turn-taking";

/// The states of a shortest play to `target`, which is in the layer `index`. `before` finds a predecessor of a state in
/// a layer.
pub fn way(
    target: Vec<bool>,
    index: usize,
    mut before: impl FnMut(usize, &[bool]) -> Result<Option<Vec<bool>>, SolveError>,
) -> Result<Vec<Vec<bool>>, SolveError> {
    let mut states = vec![target];
    for layer in (0..index).rev() {
        let found = before(layer, &states[states.len() - 1])?;
        states.push(found.expect("a state of a layer has a predecessor in the layer before it"));
    }
    states.reverse();
    Ok(states)
}

/// The states with these values of the levels.
pub fn states(pass: &Pass, assignments: &[Vec<bool>]) -> Vec<State> {
    let variables = pass.expansion.variables();
    assignments.iter().map(|assignment| State::from_flags(&variables.state(assignment))).collect()
}

/// The moves between the states of a play, by name.
pub fn moves(game: &Game, interpreter: &Interpreter, states: &[State]) -> Vec<String> {
    let mut joints: Vec<JointMove> = Vec::with_capacity(states.len());
    for pair in states.windows(2) {
        let situation = interpreter.situation(&pair[0]);
        let found = interpreter.after(&pair[0], &situation).find(|(_, after)| *after == pair[1]);
        joints.push(found.expect("some joint move leads from a predecessor to its successor").0);
    }
    interpreter.names_from(game, states.first().expect("a play has a first state").clone(), &joints)
}
