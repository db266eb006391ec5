//! Replays moves that are given by name, one name for each ply.
//!
//! Only the shown move of a ply is named; the moves of the other roles follow from it. Or all moves of the ply are
//! named, in brackets and in the order of the roles. A forced ply, in which no role has a choice, may be named or left
//! out. A name is read as the first of these that fits:
//!
//! - the shown move of a forced ply, so that a line of play can be replayed as it is shown, or all of its moves;
//! - a move of the next role that has a choice, which implies the forced plies before it, or all moves of that ply;
//! - a move of the first forced ply that is not its shown move.
//!
//! Cost: an evaluation of the rules for each ply, and for each forced ply that a name does not fit.

use super::text::{find, moves, terms};
use super::{Position, PositionError, ReadError, Solution};
use base::limits::Limits;
use game::interpreter::{JointMove, Ply, Situation, Turn};
use game::propositional::{MoveId, RoleId};
use rustc_hash::FxHashSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub ply: Ply,
    pub successor: Position,
}

impl Solution {
    /// The plies from `position` up to the last named move. Forced plies after it are not included.
    pub fn replay(&self, position: &Position, actions: &[String]) -> Result<Vec<Step>, ReadError> {
        self.replay_within(position, actions, &Limits::unlimited())
    }

    fn replay_within(&self, position: &Position, actions: &[String], limits: &Limits) -> Result<Vec<Step>, ReadError> {
        let mut steps: Vec<Step> = Vec::new();
        for action in actions {
            limits.check()?;
            let current = steps.last().map_or(position, |step| &step.successor).clone();
            steps.extend(self.named(current, action)?);
        }
        Ok(steps)
    }

    /// The plies of the moves in a text, each an atom or a term in parentheses. If these moves cannot be played, each
    /// line of several words without parentheses is read as one move: `mark 2 2`.
    pub fn follow(&self, position: &Position, text: &str) -> Result<Vec<Step>, ReadError> {
        let (words, lines) = moves(text)?;
        self.replay_either(position, &words, lines.as_deref(), &Limits::unlimited())
    }

    /// Replays the first of two readings of a text that can be played. If neither can, the error is that of the reading
    /// that gets further, or names both. `limits` bound the time.
    pub fn replay_either(
        &self,
        position: &Position,
        words: &[String],
        lines: Option<&[String]>,
        limits: &Limits,
    ) -> Result<Vec<Step>, ReadError> {
        either(words, lines, |words| self.replay_within(position, words, limits))
    }

    /// The position after a named move and the forced plies that it implies.
    pub fn step(&self, position: &Position, action: &str) -> Result<Position, ReadError> {
        let steps = self.follow(position, action)?;
        Ok(steps.into_iter().last().map_or_else(|| position.clone(), |step| step.successor))
    }

    /// The forced plies that a name implies, and the ply that it names.
    fn named(&self, mut position: Position, action: &str) -> Result<Vec<Step>, ReadError> {
        let mut steps = Vec::new();
        // The forced ply at the start, if `action` is one of its moves that are not shown.
        let mut waiting: Option<Step> = None;
        let mut passed = FxHashSet::default();
        loop {
            let (situation, turn) = self.situation(&position)?;
            let ply = position.layer + 1;
            match turn {
                Turn::Mover(role) => match self.chosen(&situation, role, action, ply) {
                    Ok(joint) => {
                        steps.push(self.made(&position, &situation, joint)?);
                        return Ok(steps);
                    }
                    Err(error) => return waiting.map(|step| vec![step]).ok_or(error.into()),
                },
                Turn::Forced => {
                    let step = self.made(&position, &situation, only(&situation))?;
                    let has_name =
                        |&action_id: &MoveId| find([self.move_name(action_id)].into_iter(), action).is_some();
                    let whole = || matches!(self.joint(&situation, action, ply), Ok(Some(_)));
                    let shown = has_name(&step.ply.action()) || whole();
                    if !shown && steps.is_empty() && step.ply.joint.iter().any(has_name) {
                        waiting = Some(step.clone());
                    }
                    position = step.successor.clone();
                    steps.push(step);
                    if shown {
                        return Ok(steps);
                    }
                    if !passed.insert(position.state.clone()) {
                        return waiting
                            .map(|step| vec![step])
                            .ok_or_else(|| PositionError::Endless { ply, action: action.to_owned() }.into());
                    }
                }
                Turn::Terminal => {
                    let over = || PositionError::Over { ply, action: action.to_owned() }.into();
                    return waiting.map(|step| vec![step]).ok_or_else(over);
                }
            }
        }
    }

    /// The joint move that is named by the move of the role that has a choice, or by the moves of all roles.
    fn chosen(&self, situation: &Situation, role: RoleId, action: &str, ply: u32) -> Result<JointMove, PositionError> {
        match self.legal(situation, role, action, ply) {
            Ok(chosen) => Ok(joint_with(situation, role, chosen)),
            Err(error) => self.joint(situation, action, ply)?.ok_or(error),
        }
    }

    /// The joint move, if a text has the moves of all roles in brackets; `None` for other texts. A text in brackets
    /// that starts with a move, but has moves of too few or too many roles, is an error.
    pub(super) fn joint(
        &self,
        situation: &Situation,
        text: &str,
        ply: u32,
    ) -> Result<Option<JointMove>, PositionError> {
        let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return Ok(None) };
        let names = terms(inner)?;
        let Some(first) = names.first() else { return Ok(None) };
        let roles = situation.legal.len();
        let all = || situation.legal.iter().flatten().map(|&id| self.move_name(id));
        let is_move = |name: &str| all().any(|other| other.eq_ignore_ascii_case(name));
        let heads = || all().filter_map(|name| name.strip_prefix('(').and_then(|rest| rest.split(' ').next()));
        if is_move(text) || !is_move(first) && heads().any(|head| head.eq_ignore_ascii_case(first)) {
            return Ok(None);
        }
        match names.len() {
            found if found == roles && names.iter().any(|name| is_move(name)) => {
                self.named_joint(situation, &names, ply).map(Some)
            }
            found if is_move(first) => Err(PositionError::Joint { ply, found, roles }),
            _ => Ok(None),
        }
    }

    /// One ply, given by the names of the moves of all roles.
    pub fn joint_step(&self, position: &Position, actions: &[String]) -> Result<Step, ReadError> {
        let (situation, _) = self.situation(position)?;
        self.joint_made(position, &situation, actions)
    }

    pub(super) fn joint_made(
        &self,
        position: &Position,
        situation: &Situation,
        actions: &[String],
    ) -> Result<Step, ReadError> {
        let ply = position.layer + 1;
        if situation.terminal {
            return Err(PositionError::Over { ply, action: actions.join(" ") }.into());
        }
        if actions.len() != situation.legal.len() {
            return Err(PositionError::Joint { ply, found: actions.len(), roles: situation.legal.len() }.into());
        }
        let joint = self.named_joint(situation, actions, ply)?;
        self.made(position, situation, joint)
    }

    pub(super) fn named_joint(
        &self,
        situation: &Situation,
        actions: &[String],
        ply: u32,
    ) -> Result<JointMove, PositionError> {
        self.game().role_ids().zip(actions).map(|(role, action)| self.legal(situation, role, action, ply)).collect()
    }

    pub(super) fn made(&self, position: &Position, situation: &Situation, joint: JointMove) -> Result<Step, ReadError> {
        let successor = self.after(position, &joint);
        self.values().check_layer(successor.layer)?;
        Ok(Step { ply: self.ply(position, situation, joint), successor })
    }

    pub(super) fn legal(
        &self,
        situation: &Situation,
        role: RoleId,
        action: &str,
        ply: u32,
    ) -> Result<MoveId, PositionError> {
        let legal = &situation.legal[role.index()];
        let found = find(legal.iter().map(|&id| self.move_name(id)), action);
        found.map(|index| legal[index]).ok_or_else(|| PositionError::Illegal {
            ply,
            action: action.to_owned(),
            role: self.role_name(role),
            legal: legal.iter().map(|&id| self.move_name(id).to_owned()).collect(),
        })
    }
}

/// The result of replaying `words`; or of replaying `lines`, if the words cannot be played.
pub(super) fn either(
    words: &[String],
    lines: Option<&[String]>,
    replay: impl Fn(&[String]) -> Result<Vec<Step>, ReadError>,
) -> Result<Vec<Step>, ReadError> {
    match (replay(words), lines) {
        (Err(ReadError::Position(of_words)), Some(lines)) => match replay(lines) {
            Err(ReadError::Position(of_lines)) => Err(of_words.or_read_as(of_lines).into()),
            replayed => replayed,
        },
        (replayed, _) => replayed,
    }
}

pub(super) fn only(situation: &Situation) -> JointMove {
    situation.legal.iter().map(|moves| moves[0]).collect()
}

fn joint_with(situation: &Situation, mover: RoleId, chosen: MoveId) -> JointMove {
    let mut joint = only(situation);
    joint[mover.index()] = chosen;
    joint
}

#[cfg(test)]
mod tests {
    use crate::brute::BruteForce;
    use crate::sample::handmade::{counter, lines};
    use base::limits::Limits;
    use game::diagnostic::Source;
    use game::ground::{GroundOptions, ground};
    use game::reward::OpponentModel;
    use game::rules::Language;

    #[test]
    fn a_single_move_needs_no_parentheses() {
        let solution = BruteForce::solution(lines(3, 3, 3), OpponentModel::MaxOwn);
        let follow = |text: &str| solution.follow(&solution.start(), text);
        let whole = follow("(mark 2 2)").unwrap();
        assert_eq!(whole.len(), 1);
        for text in ["mark 2 2", " MARK 2\t2 ; in the (middle", "mark 2 2\n"] {
            assert_eq!(follow(text).unwrap(), whole, "{text}");
        }
        assert_eq!(follow("mark 2 2\nmark 1 1").unwrap(), follow("(mark 2 2) (mark 1 1)").unwrap());
        assert_eq!(follow("").unwrap(), []);
        let told = |text: &str| follow(text).unwrap_err().to_string();
        let neither = "ply 1: neither mark nor (mark 9 9) is a legal move of x; legal: (mark 1 1) ";
        assert!(told("mark 9 9").starts_with(neither), "{}", told("mark 9 9"));
        assert!(told("mark 1 1\nmark 1 1").starts_with("ply 2: (mark 1 1) is not a legal move of o; legal: "));
        assert!(told("(mark 1 1) mark 2 2").starts_with("ply 2: mark is not a legal move of o; legal: "));
    }

    #[test]
    fn a_ply_may_be_given_by_the_moves_of_all_roles() {
        let rules = include_str!("../../../tests/common/passes.gdl");
        let (program, _) = Language::Gdl.program(&Source::new("passes", rules.as_bytes()));
        let passes = ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game;
        let solution = BruteForce::solution(passes, OpponentModel::MaxOwn);
        let follow = |text: &str| solution.follow(&solution.start(), text);
        let shown = follow("b pass pass").unwrap();
        for text in ["(b noop) (noop pass) (pass noop)", "b (NOOP pass) pass", "(b noop)\n(noop pass)\n( pass  noop )"]
        {
            assert_eq!(follow(text).unwrap(), shown, "{text}");
        }
        // The forced ply before the named one may be left out.
        assert_eq!(follow("b (pass noop)").unwrap(), shown);
        assert_eq!(follow("(b noop) (noop pass)").unwrap(), shown[..2]);
        let told = |text: &str| follow(text).unwrap_err().to_string();
        assert!(
            told("(noop b)").starts_with("ply 1: noop is not a legal move of red; legal: a b"),
            "{}",
            told("(noop b)")
        );
        assert!(told("(c d)").starts_with("ply 1: (c d) is not a legal move of red; legal: "), "{}", told("(c d)"));
        assert!(told("(a noop noop)").starts_with("ply 1: 3 moves for 2 roles"), "{}", told("(a noop noop)"));
        assert!(told("a (pass pass)").contains("(pass pass) follows, but play is over"), "{}", told("a (pass pass)"));
        let lines = BruteForce::solution(lines(3, 3, 3), OpponentModel::MaxOwn);
        let one = |text: &str| lines.follow(&lines.start(), text).unwrap();
        assert_eq!(one("((mark 2 2) noop) (noop (mark 1 1))"), one("(mark 2 2) (mark 1 1)"));
    }

    #[test]
    fn words_that_are_moves_one_after_the_other_are_that_first() {
        let solution = BruteForce::solution(counter(3, false), OpponentModel::MaxOwn);
        assert_eq!(solution.follow(&solution.start(), "one one").unwrap().len(), 2);
    }
}
