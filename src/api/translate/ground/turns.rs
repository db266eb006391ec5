//! Determines whose turn it is: the condition under which each role has control.
//!
//! If the game has a mutex group with one fluent for each role, and no role has several legal moves while its fluent
//! does not hold, the fluents of this group decide. Otherwise a role has control if it has a choice. If no role has a
//! choice, the first role has control; every role then has one legal move, so it does not matter whose turn it is.

use crate::translate::TranslateError;
use base::limits::Limits;
use base::random::Random;
use game::interpreter::{Interpreter, Violation};
use game::mutex::{self, Effort};
use game::propositional::{FluentId, Game, Graph, GroupKind, Literal, NodeId, RoleId};
use game::refusal::Refusal;
use std::collections::VecDeque;

/// Number of random plays in the search for states in which several roles have a choice.
const PLAYOUTS: u64 = 100;
/// Bound on the steps of each of these plays.
const STEPS: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turns {
    Single,
    /// By role: the fluent that gives it control.
    Fluents(Vec<FluentId>),
    /// By role: the formula that gives it control.
    Formulas(Vec<NodeId>),
}

/// The condition for the control of each role. Refuses a game if a random play has a state in which two roles have a
/// choice. Adds new formulas to `graph`.
pub fn turns(game: &Game, graph: &mut Graph, limits: &Limits) -> Result<Turns, TranslateError> {
    if game.roles.len() == 1 {
        return Ok(Turns::Single);
    }
    let groups = mutex::groups(game, &Effort::default(), limits)?;
    // Any fluent may give control to a role that never has a choice.
    let one_move = |role: RoleId| game.moves_of(role).nth(1).is_none();
    let controls: Vec<Option<Vec<Literal>>> = game
        .role_ids()
        .zip(game.controls(usize::MAX))
        .map(|(role, found)| (!one_move(role)).then_some(found))
        .collect();
    let exact = groups.iter().filter(|group| group.kind == GroupKind::ExactlyOne);
    for group in exact.filter(|group| group.fluents.len() == game.roles.len()) {
        let may_have = |controls: &Option<Vec<Literal>>| -> Vec<usize> {
            let needs = |found: &Vec<Literal>, place: usize| found.contains(&(group.fluents[place], true));
            let tells = |place: &usize| controls.as_ref().is_none_or(|found| needs(found, *place));
            (0..group.fluents.len()).filter(tells).collect()
        };
        let told: Vec<Vec<usize>> = controls.iter().map(may_have).collect();
        if let Some(places) = assignment(&told) {
            return Ok(Turns::Fluents(places.into_iter().map(|place| group.fluents[place]).collect()));
        }
    }
    refuse_simultaneous(game, limits)?;
    let choices: Vec<NodeId> = game.role_ids().map(|role| choice(game, graph, role)).collect();
    let others = graph.or(choices[1..].iter().copied());
    let none = graph.not(others);
    let first = graph.or([choices[0], none]);
    Ok(Turns::Formulas(std::iter::once(first).chain(choices[1..].iter().copied()).collect()))
}

/// Assigns a possible place to each role, by augmenting paths. Places differ, and earlier ones are preferred.
fn assignment(may_have: &[Vec<usize>]) -> Option<Vec<usize>> {
    let places = may_have.iter().flatten().max().map_or(0, |last| last + 1);
    let mut holder: Vec<Option<usize>> = vec![None; places];
    for role in 0..may_have.len() {
        // Breadth-first search over roles that would give up their place. `wants`: by place, the role that takes it.
        let (mut wants, mut queue, mut free) = (vec![None; places], VecDeque::from([role]), None);
        while let Some(next) = queue.pop_front() {
            for &place in may_have[next].iter() {
                if wants[place].is_none() && free.is_none() {
                    wants[place] = Some(next);
                    match holder[place] {
                        Some(other) => queue.push_back(other),
                        None => free = Some(place),
                    }
                }
            }
        }
        let mut place = free?;
        loop {
            let wanting = wants[place].expect("a place is met because a role wants it");
            let given_up = holder.iter().position(|holder| *holder == Some(wanting));
            holder[place] = Some(wanting);
            match given_up {
                Some(other) => place = other,
                None => break,
            }
        }
    }
    let place = |role| holder.iter().position(|holder| *holder == Some(role));
    (0..may_have.len()).map(place).collect()
}

fn choice(game: &Game, graph: &mut Graph, role: RoleId) -> NodeId {
    let (mut one, mut two) = (NodeId::FALSE, NodeId::FALSE);
    for id in game.moves_of(role) {
        let legal = game.moves[id.index()].legal;
        let both = graph.and([one, legal]);
        two = graph.or([two, both]);
        one = graph.or([one, legal]);
    }
    two
}

fn refuse_simultaneous(game: &Game, limits: &Limits) -> Result<(), TranslateError> {
    let interpreter = Interpreter::new(game);
    for seed in 0..PLAYOUTS {
        limits.check()?;
        let mut random = Random::new(seed);
        let mut state = interpreter.initial();
        let mut path = Vec::new();
        for _ in 0..STEPS {
            let situation = interpreter.situation(&state);
            let name = |role: RoleId| game.roles[role.index()].to_string();
            if let Err(Violation::Simultaneous(first, second)) = situation.turn() {
                let message = format!(
                    "{} and {} choose at the same time, but an action of GDDL is one role's",
                    name(first),
                    name(second)
                );
                let state = state.fluents().map(|fluent| game.fluents[fluent.index()].to_string()).collect();
                let refusal = Refusal::of_game("not-turn-taking", message);
                return Err(TranslateError::Refused(Refusal { state, path, ..refusal }));
            }
            let Some(joint) = situation.random_joint_move(&mut random) else { break };
            let moves: Vec<String> = joint.iter().map(|id| game.moves[id.index()].term.to_string()).collect();
            path.push(moves.join(" "));
            state = interpreter.successor(&state, &joint);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_get_different_places_that_they_may_have() {
        assert_eq!(assignment(&[vec![0, 1], vec![0, 1]]), Some(vec![0, 1]));
        assert_eq!(assignment(&[vec![1], vec![0]]), Some(vec![1, 0]));
        assert_eq!(assignment(&[vec![0, 1, 2], vec![0], vec![0, 1]]), Some(vec![2, 0, 1]));
        assert_eq!(assignment(&[vec![2, 0], vec![2], vec![0, 1]]), Some(vec![0, 2, 1]));
        assert_eq!(assignment(&[vec![0], vec![0], vec![1]]), None);
    }
}
