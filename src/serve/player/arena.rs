//! A grounded game, in which positions follow the moves that a server reports.

use game::interpreter::{Interpreter, JointMove, Situation, State};
use game::propositional::{Game, MoveId, RoleId};
use solving::solution::find_name;

/// Bound on the work if the message of a ply was lost: the positions after this ply whose successors are examined.
const MOST_MISSED: usize = 2000;

pub struct Arena {
    pub game: Game,
    pub interpreter: Interpreter,
    names: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct Place {
    pub state: State,
    pub situation: Situation,
}

impl Arena {
    pub fn new(game: Game) -> Arena {
        let names = game.moves.iter().map(|action| action.term.to_string()).collect();
        Arena { interpreter: Interpreter::new(&game), names, game }
    }

    /// The role with this name. The case of letters matters only if two names differ in nothing else.
    pub fn role(&self, name: &str) -> Option<RoleId> {
        let names: Vec<String> = self.game.roles.iter().map(ToString::to_string).collect();
        find_name(names.iter().map(String::as_str), name).map(|index| RoleId(index as u32))
    }

    pub fn is_chance(&self, role: RoleId) -> bool {
        role.index() >= self.game.players()
    }

    pub fn name(&self, action: MoveId) -> &str {
        &self.names[action.index()]
    }

    pub fn start(&self) -> Place {
        self.place(self.interpreter.initial())
    }

    fn place(&self, state: State) -> Place {
        Place { situation: self.interpreter.situation(&state), state }
    }

    pub fn joint(&self, place: &Place, moves: &[String]) -> Option<JointMove> {
        if place.situation.terminal || moves.len() != self.game.roles.len() {
            return None;
        }
        let legal = place.situation.legal.iter().zip(moves);
        legal
            .map(|(legal, name)| {
                let found = find_name(legal.iter().map(|&action| self.name(action)), name);
                found.map(|index| legal[index])
            })
            .collect()
    }

    pub fn after(&self, place: &Place, joint: &JointMove) -> Place {
        self.place(self.interpreter.successor(&place.state, joint))
    }

    /// The last two joint moves, if the message of the first was lost: `moves` is the second, and the first is searched
    /// for. A first joint move in which `role` makes the move `meant` is preferred.
    pub fn missed(&self, place: &Place, moves: &[String], role: RoleId, meant: Option<&str>) -> Option<[JointMove; 2]> {
        if place.situation.terminal {
            return None;
        }
        let fits = |joint: JointMove| {
            let then = self.joint(&self.after(place, &joint), moves)?;
            Some([joint, then])
        };
        let as_meant = |joint: &JointMove| meant.is_some_and(|meant| self.name(joint[role.index()]) == meant);
        let mut joints: Vec<JointMove> = place.situation.joint_moves().take(MOST_MISSED).collect();
        joints.sort_by_key(|joint| !as_meant(joint));
        joints.into_iter().find_map(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::handmade::nim;

    #[test]
    fn a_lost_ply_is_found_by_the_moves_that_follow() {
        let arena = Arena::new(nim(9, 3));
        let place = arena.start();
        let legal: Vec<JointMove> = place.situation.joint_moves().collect();
        let first = legal.last().unwrap();
        let then = arena.after(&place, first);
        let next = then.situation.joint_moves().next().unwrap();
        let names: Vec<String> = next.iter().map(|&action| arena.name(action).to_owned()).collect();
        assert_eq!(arena.joint(&place, &names), None);
        let meant = arena.name(first[0]).to_owned();
        assert_eq!(arena.missed(&place, &names, RoleId(0), Some(&meant)), Some([first.clone(), next.clone()]));
        let upper: Vec<String> = names.iter().map(|name| name.to_uppercase()).collect();
        assert_eq!(arena.joint(&then, &upper), Some(next));
        assert_eq!(arena.joint(&then, &names[..1]), None);
        assert_eq!(arena.missed(&place, &["fly".to_owned(), "away".to_owned()], RoleId(0), None), None);
    }
}
