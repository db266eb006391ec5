//! The shown move of a ply.
//!
//! All roles move at once, but in a turn-taking game at most one of them has a choice, and its move is shown. In a
//! forced ply, in which no role has a choice, the shown move is one without which the successor would differ. A move
//! without effect, or one that only keeps fluents as they are, is a mere wait. If every move is one, that of the player
//! is shown whose turn it is by literals such as `(control white)`. Names play no role. Cost of a forced ply: one
//! evaluation of `next`, for all roles at once.

use super::{Interpreter, JointMove, Situation, State};
use crate::propositional::{Game, MoveId, RoleId};
use std::cmp::Reverse;

/// A joint move and the role whose move is shown for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ply {
    /// The first role with a choice; in a forced ply the role whose move has the largest effect.
    pub role: RoleId,
    pub forced: bool,
    pub joint: JointMove,
}

impl Ply {
    pub fn action(&self) -> MoveId {
        self.joint[self.role.index()]
    }

    pub fn name(&self, game: &Game) -> String {
        game.moves[self.action().index()].term.to_string()
    }

    pub fn joint_names(&self, game: &Game) -> Vec<String> {
        self.joint.iter().map(|action| game.moves[action.index()].term.to_string()).collect()
    }
}

impl Interpreter {
    /// `game`: that of the interpreter.
    pub fn ply(&self, game: &Game, state: &State, situation: &Situation, joint: JointMove) -> Ply {
        let chooser = (0u32..).zip(&situation.legal).find(|(_, moves)| moves.len() > 1);
        match chooser {
            Some((role, _)) => Ply { role: RoleId(role), forced: false, joint },
            None => Ply { role: self.acting(game, state, &joint), forced: true, joint },
        }
    }

    /// The role whose move changes the most fluents of the state. Among several of these, the one with the largest part
    /// of its [`Interpreter::turns`] true; then the one whose move makes the largest difference to the successor; then
    /// the first.
    fn acting(&self, game: &Game, state: &State, joint: &[MoveId]) -> RoleId {
        if joint.len() < 2 {
            return RoleId(0);
        }
        let without = |role: usize| -> JointMove {
            joint.iter().enumerate().filter(|(other, _)| *other != role).map(|(_, action)| *action).collect()
        };
        let partial: Vec<JointMove> = (0..joint.len()).map(without).collect();
        let mut pairs = vec![(state, joint)];
        pairs.extend(partial.iter().map(|moves| (state, moves.as_slice())));
        let mut successors = Vec::with_capacity(pairs.len());
        self.successors(&pairs, &mut successors);
        let next = &successors[0];
        let changes: Vec<u32> = successors[1..].iter().map(|other| next.changes(state, other)).collect();
        let most = changes.iter().max().expect("there are at least two roles");
        let roles: Vec<usize> = (0..joint.len()).filter(|&role| changes[role] == *most).collect();
        if let [role] = roles[..] {
            return RoleId(role as u32);
        }
        let turns = self.turns(game);
        // In thousandths: a choice may need literals that fail beside the turn.
        let turn = |role: usize| {
            let held = turns[role].iter().filter(|&&(fluent, value)| state.contains(fluent) == value).count();
            1000 * held / turns[role].len().max(1)
        };
        let rank = |role: usize| (turn(role), next.differences(&successors[1 + role]), Reverse(role));
        let acting = roles.into_iter().max_by_key(|&role| rank(role));
        RoleId(acting.expect("some role makes the most changes") as u32)
    }

    /// The names of the shown moves of a play from the initial state. If several roles have a choice in a ply, the
    /// names of all moves are in parentheses: `(rock paper)`. The moves must be legal.
    pub fn play_names(&self, game: &Game, joints: &[JointMove]) -> Vec<String> {
        self.names_from(game, self.initial(), joints)
    }

    pub fn names_from(&self, game: &Game, mut state: State, joints: &[JointMove]) -> Vec<String> {
        let mut names = Vec::with_capacity(joints.len());
        for joint in joints {
            let situation = self.situation(&state);
            let ply = self.ply(game, &state, &situation, joint.clone());
            names.push(match situation.legal.iter().filter(|moves| moves.len() > 1).count() {
                0 | 1 => ply.name(game),
                _ => format!("({})", ply.joint_names(game).join(" ")),
            });
            state = self.successor(&state, joint);
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::ground::{GroundOptions, ground};
    use crate::rules::gdl;
    use crate::sample::handmade::lines;
    use base::limits::Limits;

    /// Takes the first joint move everywhere. For each ply: the role, whether the ply was forced, and the shown move.
    fn shown(game: &Game) -> Vec<(u32, bool, String)> {
        let interpreter = Interpreter::new(game);
        let mut state = interpreter.initial();
        let mut found = Vec::new();
        loop {
            let situation = interpreter.situation(&state);
            if situation.terminal {
                return found;
            }
            let joint = situation.joint_moves().next().unwrap();
            let ply = interpreter.ply(game, &state, &situation, joint);
            state = interpreter.successor(&state, &ply.joint);
            found.push((ply.role.0, ply.forced, ply.name(game)));
        }
    }

    /// Each role steps in turn while the other one waits, which keeps its place.
    #[test]
    fn a_move_that_only_keeps_something_is_a_wait() {
        let text = "(role a) (role b) (init (turn a)) (init (at a 1)) (init (at b 1)) (succ 1 2) (succ 2 3)
            (<= (legal ?p (to ?y)) (true (turn ?p)) (true (at ?p ?x)) (succ ?x ?y))
            (<= (legal a wait) (true (turn b))) (<= (legal b wait) (true (turn a)))
            (<= (next (at ?p ?y)) (does ?p (to ?y))) (<= (next (at ?p ?x)) (does ?p wait) (true (at ?p ?x)))
            (<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
            (<= terminal (true (at b 3))) (<= (goal ?p 50) (role ?p))";
        let program = gdl::program(&Source::new("steps", text.as_bytes())).0.unwrap();
        let game = ground(&program, &Limits::unlimited(), &GroundOptions::default()).unwrap().game;
        let expected = [(0, "(to 2)"), (1, "(to 2)"), (0, "(to 3)"), (1, "(to 3)")];
        assert_eq!(shown(&game), expected.map(|(role, action)| (role, true, action.to_owned())));
    }

    /// Player `b` is blocked after its first step, and passes on its turns from then on.
    #[test]
    fn who_has_the_turn_passes() {
        let text = "(role a) (role b) (init (turn a)) (init (at a 1)) (init (at b 3)) (succ 1 2) (succ 2 3) (succ 3 4)
            (<= (legal ?p (to ?y)) (true (turn ?p)) (true (at ?p ?x)) (succ ?x ?y))
            (<= (legal ?p (wander ?x)) (true (turn ?p)) (true (at ?p ?x)) (not (true (at ?p 4))))
            (<= (legal ?p pass) (true (turn ?p)) (true (at ?p 4)))
            (<= (legal a pass) (true (turn b))) (<= (legal b pass) (true (turn a)))
            (<= (next (at ?p ?y)) (does ?p (to ?y))) (<= (next (at ?p ?x)) (does ?p (wander ?x)))
            (<= (next (at ?p ?x)) (does ?p pass) (true (at ?p ?x)))
            (<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
            (<= terminal (true (at a 4))) (<= (goal ?p 50) (role ?p))";
        let program = gdl::program(&Source::new("passes", text.as_bytes())).0.unwrap();
        let game = ground(&program, &Limits::unlimited(), &GroundOptions::default()).unwrap().game;
        let found: Vec<_> = shown(&game).into_iter().map(|(role, forced, _)| (role, forced)).collect();
        assert_eq!(found, [(0, false), (1, false), (0, false), (1, true), (0, false)]);
    }

    /// The turn is told by a fluent that holds or not, and a choice needs another fluent beside it, which only `b` has
    /// lost when it passes.
    #[test]
    fn a_condition_of_choices_is_not_taken_for_the_turn() {
        let text = "(role a) (role b) (init (fresh a)) (init (fresh b)) (number 1) (number 2)
            (<= (on a) (not (true second))) (<= (on b) (true second))
            (<= (legal ?p (mark ?x)) (on ?p) (true (fresh ?p)) (number ?x))
            (<= (legal ?p pass) (on ?p) (not (true (fresh ?p))))
            (<= (legal ?p pass) (role ?p) (not (on ?p)))
            (<= (next second) (not (true second)))
            (<= (next (fresh ?p)) (true (fresh ?p)) (not (acts ?p)))
            (<= (acts a) (does a (mark 2))) (<= (acts b) (does b (mark 1)))
            (<= (next late) (true second) (not (true (fresh b)))) (<= (next late) (true late))
            (<= (next last) (true late) (true second))
            (<= terminal (true last)) (<= (goal ?p 50) (role ?p))";
        let program = gdl::program(&Source::new("second", text.as_bytes())).0.unwrap();
        let game = ground(&program, &Limits::unlimited(), &GroundOptions::default()).unwrap().game;
        let found: Vec<_> = shown(&game).into_iter().map(|(role, forced, _)| (role, forced)).collect();
        assert_eq!(found, [(0, false), (1, false), (0, false), (1, true), (0, false), (1, true)]);
    }

    #[test]
    fn the_move_with_an_effect_is_shown_whether_there_was_a_choice_or_not() {
        let mut expected: Vec<_> = (0..2).map(|ply| (ply, false, format!("(mark {} 1)", ply + 1))).collect();
        expected.push((0, true, "(mark 3 1)".to_owned()));
        expected.push((1, true, "(mark 4 1)".to_owned()));
        // The third mark leaves one cell: the second player's last ply is forced, the third ply is not.
        expected[2].1 = false;
        assert_eq!(shown(&lines(4, 1, 4)), expected);
    }
}
