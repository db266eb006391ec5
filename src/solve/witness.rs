//! A reachable state that makes a game unfit for solving, with a shortest path to it.

use super::{Refusal, SolveError};
use crate::encode::{Analysis, SymbolicGame, move_names};
use crate::interpreter::{Interpreter, State, Violation};
use crate::kernel::relation::Relations;
use crate::kernel::{self, Context, Diagram};
use crate::propositional::Game;

/// The refusal for a state (by level) of the layer `index`. The layers up to it are computed once more.
pub fn refusal(
    analysis: &Analysis,
    game: &SymbolicGame,
    index: usize,
    state: Vec<bool>,
    context: &Context,
) -> Result<SolveError, SolveError> {
    let rules = analysis.game;
    let mut interpreter = Interpreter::new(rules);
    let path = path(rules, &mut interpreter, game, index, &state, context)?;
    let state = State::from_flags(&game.variables.state(&state));
    let (code, message) = match interpreter.situation(&state).turn() {
        Err(violation) => describe(rules, &violation),
        Ok(_) => ("inconsistent", "the symbolic and the explicit reading of a state differ".to_owned()),
    };
    Ok(Refusal { code, message, state: state.names(rules), path }.into())
}

fn describe(game: &Game, violation: &Violation) -> (&'static str, String) {
    let name = |role: crate::propositional::RoleId| &game.roles[role.index()];
    match violation {
        Violation::Simultaneous(first, second) => (
            "not-turn-taking",
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

/// The joint moves from the initial state to `target`, which is in the layer `index`.
fn path(
    rules: &Game,
    interpreter: &mut Interpreter,
    game: &SymbolicGame,
    index: usize,
    target: &[bool],
    context: &Context,
) -> Result<Vec<String>, SolveError> {
    let levels = game.variables.levels();
    let mut open_layers = Vec::with_capacity(index);
    let mut current = Diagram::single(levels, &game.initial);
    for _ in 0..index {
        let open = kernel::select(&current, &game.open, game.open.start(), context)?;
        current = kernel::image(&open, &game.relations, &game.roots, context)?;
        open_layers.push(open);
    }
    let (inverse, roots) = inverse(&game.relations, &game.roots);
    let mut states = vec![target.to_vec()];
    while let Some(open) = open_layers.pop() {
        let after = &states[states.len() - 1];
        let before = kernel::image(&Diagram::single(levels, after), &inverse, &roots, context)?;
        let before = kernel::intersection(&before, &open, context)?;
        let Some(state) = before.pick(1) else { break };
        states.push(state);
    }
    states.reverse();
    let states: Vec<State> =
        states.iter().map(|assignment| State::from_flags(&game.variables.state(assignment))).collect();
    let mut names = Vec::with_capacity(index);
    for pair in states.windows(2) {
        let situation = interpreter.situation(&pair[0]);
        let found = situation.joint_moves().find(|joint| interpreter.successor(&pair[0], joint) == pair[1]);
        names.extend(found.map(|joint| move_names(rules, &joint)));
    }
    Ok(names)
}

/// The relations that lead back.
fn inverse(relations: &Relations, roots: &[u32]) -> (Relations, Vec<u32>) {
    let mut inverse = Relations::new();
    let mut renamed: Vec<u32> = Vec::with_capacity(relations.nodes().len());
    for (id, node) in relations.nodes().iter().enumerate() {
        let back = match id {
            0 | 1 => id as u32,
            _ => {
                let [t00, t01, t10, t11] = node.t.map(|target| renamed[target as usize]);
                inverse.make(node.level, [t00, t10, t01, t11])
            }
        };
        renamed.push(back);
    }
    let roots = roots.iter().map(|&root| renamed[root as usize]).collect();
    (inverse, roots)
}
