//! Strategies in a position: the probability of each move, the values after moves, and random moves.

use super::{ExactSolution, worth, worth_by_round};
use crate::exact::{Decision, Rule, Stage, Strategy, Undecided, Value, by_criterion, compare, drawn};
use crate::solution::{Position, ReadError, Stored};
use base::limits::{LimitReached, Limits, Reserved};
use base::random::Random;
use game::interpreter::{JointMove, Situation};
use game::matrix::Rational;
use game::propositional::{MoveId, RoleId};
use game::reward::{OpponentModel, Ranking};
use num_traits::{One, Zero};
use std::cmp::Ordering;
use std::sync::Arc;

const JOINT_BYTES: u64 = 1 << 10;
/// So many joint moves are evaluated between two looks at the limits.
pub(super) const LOOK: usize = 256;

#[derive(Debug, Clone)]
pub struct ExactAssessment {
    pub situation: Situation,
    pub value: Value,
    model: OpponentModel,
    pub choices: Vec<u32>,
    /// For each joint move of the players, the mean value over chance. The last player's move changes fastest.
    pub after: Vec<Value>,
    /// For each role, chance last, the probability of each legal move; equal for the best moves of a player who alone
    /// decides.
    pub strategies: Vec<Vec<Rational>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choices {
    pub names: Vec<Vec<String>>,
    /// As the field `after` of [`ExactAssessment`]; empty if only guarantees are stored.
    pub after: Vec<Value>,
}

impl ExactAssessment {
    pub fn choosing(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.choices.len()).filter(|&player| self.choices[player] > 1)
    }

    pub fn has_chance(&self) -> bool {
        self.situation.legal[self.choices.len()..].iter().any(|moves| moves.len() > 1)
    }

    pub(super) fn first(&self) -> JointMove {
        self.situation.legal.iter().map(|moves| moves[0]).collect()
    }

    /// The value after `joint`, which has a move of each role: the mean over the moves of chance.
    pub fn after(&self, joint: &[MoveId]) -> &Value {
        let place =
            |place: usize, player: usize| place * self.choices[player] as usize + self.place(player, joint[player]);
        &self.after[(0..self.choices.len()).fold(0, place)]
    }

    pub fn place(&self, role: usize, action: MoveId) -> usize {
        self.situation.legal[role].iter().position(|&legal| legal == action).expect("the move is legal")
    }

    /// The joint moves of the first `roles` roles that have a positive probability, by the index of each role's move, with
    /// their probabilities. `given`: a player that makes the move of this index, whatever its strategy.
    pub(super) fn likely(&self, roles: usize, given: Option<(usize, usize)>) -> Vec<(Vec<usize>, Rational)> {
        let mut joints = vec![(Vec::with_capacity(roles), Rational::one())];
        for (role, strategy) in self.strategies[..roles].iter().enumerate() {
            let likely: Vec<(usize, Rational)> = match given {
                Some((player, place)) if player == role => vec![(place, Rational::one())],
                _ => strategy.iter().cloned().enumerate().filter(|(_, probability)| !probability.is_zero()).collect(),
            };
            let each = joints.iter().flat_map(|(places, weight)| {
                let with = |place| places.iter().copied().chain([place]).collect();
                likely.iter().map(move |(place, probability)| (with(*place), weight * probability))
            });
            joints = each.collect();
        }
        joints
    }

    /// The average rewards if a player makes its move of index `place` and all others follow their strategies.
    pub fn reply(&self, player: usize, place: usize) -> Value {
        let mut sum = vec![Rational::zero(); self.choices.len()];
        for (places, weight) in self.likely(self.choices.len(), Some((player, place))) {
            let index =
                places.iter().zip(&self.choices).fold(0, |index, (place, &moves)| index * moves as usize + place);
            sum.iter_mut().zip(self.after[index].numbers()).for_each(|(sum, number)| *sum += &(&weight * number));
        }
        Value::new(sum)
    }

    /// The loss of a player's average reward (with `max-diff`, of its lead) by its move of index `place`, if the others
    /// follow their strategies. It is never negative.
    pub fn loss(&self, player: usize, place: usize) -> Rational {
        self.standing(player, &self.value) - self.standing(player, &self.reply(player, place))
    }

    /// Whether a joint move keeps the value of the position.
    pub fn keeps(&self, joint: &[MoveId]) -> bool {
        *self.after(joint) == self.value
    }

    pub fn is_best(&self, player: usize, place: usize) -> bool {
        !self.strategies[player][place].is_zero()
    }

    fn standing(&self, player: usize, value: &Value) -> Rational {
        let own = value.numbers()[player].clone();
        let others = value.numbers().iter().enumerate().filter(|(other, _)| *other != player).map(|(_, number)| number);
        match (self.model, others.max()) {
            (OpponentModel::MaxDiff, Some(most)) => own - most,
            _ => own,
        }
    }
}

impl ExactSolution {
    /// The values after all joint moves, and the strategies. `None` if play is over or only guarantees are stored.
    pub fn assess(&self, position: &Position, limits: &Limits) -> Result<Option<Arc<ExactAssessment>>, ReadError> {
        if let Some(found) = self.assessments.get(|kept| kept == position) {
            return Ok(Some(found));
        }
        let situation = self.situation(position)?;
        if situation.terminal || !self.has_values() {
            return Ok(None);
        }
        let _held = hold(&situation, limits)?;
        let mut values = Vec::with_capacity(situation.joint_move_count());
        for (index, (_, after)) in self.successors(position, &situation).enumerate() {
            look(index, limits)?;
            values.extend(self.value(&after)?);
        }
        self.assessed(position, situation, &values, limits).map(Some)
    }

    /// The moves of each player, and the value after each combination. A terminal position has one unnamed combination.
    pub fn choices(&self, position: &Position, limits: &Limits) -> Result<Choices, ReadError> {
        let situation = self.situation(position)?;
        let players = self.solution.game().players();
        if situation.terminal {
            let value = self.value(position)?.cloned();
            return Ok(Choices { names: vec![vec![String::new()]; players], after: value.into_iter().collect() });
        }
        let named = |moves: &Vec<_>| moves.iter().map(|&id| self.solution.move_name(id).to_owned()).collect();
        let names = situation.legal[..players].iter().map(named).collect();
        let after = self.assess(position, limits)?.map_or_else(Vec::new, |assessed| assessed.after.clone());
        Ok(Choices { names, after })
    }

    pub(super) fn successors<'s>(
        &'s self,
        position: &'s Position,
        situation: &'s Situation,
    ) -> impl Iterator<Item = (JointMove, Position)> + 's {
        let after = self.solution.interpreter().after(&position.state, situation);
        after.map(|(joint, state)| (joint, Position { layer: position.layer + 1, state }))
    }

    pub(super) fn successors_by(&self, position: &Position, joints: &[JointMove]) -> impl Iterator<Item = Position> {
        let pairs: Vec<_> = joints.iter().map(|joint| (&position.state, joint.as_slice())).collect();
        let (mut found, layer) = (Vec::with_capacity(pairs.len()), position.layer + 1);
        self.solution.interpreter().successors(&pairs, &mut found);
        found.into_iter().map(move |state| Position { layer, state })
    }

    /// As [`ExactSolution::assess`]. `values`: the values after the joint moves of all roles.
    pub(super) fn assessed(
        &self,
        position: &Position,
        situation: Situation,
        values: &[&Value],
        limits: &Limits,
    ) -> Result<Arc<ExactAssessment>, ReadError> {
        if let Some(found) = self.assessments.get(|kept| kept == position) {
            return Ok(found);
        }
        let (value, model) = (worth(&self.stored, position)?.clone(), self.solution.model());
        let (choices, after) = self.stage(&situation, values);
        let Decision { strategies, .. } = decided(Ranking::Each(model), &choices, &after, &value, position, limits)?;
        let mut strategies: Vec<Vec<Rational>> =
            strategies.into_iter().map(|strategy| strategy.unwrap_or_else(|| vec![Rational::one()])).collect();
        // All moves of a player are equally good if they change no value. If only one player's moves change it, all of its
        // moves that keep the value are equally good.
        let stage = Stage { choices: &choices, after: &after.iter().collect::<Vec<_>>() };
        let (matter, idle): (Vec<usize>, Vec<usize>) = (0..choices.len()).partition(|&player| stage.matters(player));
        idle.into_iter().for_each(|player| strategies[player] = evenly((0..choices[player]).map(|_| true)));
        if let &[mover] = matter.as_slice() {
            let replies = after.iter().step_by(stage.below(mover)).take(choices[mover] as usize);
            strategies[mover] = evenly(replies.map(|after| *after == value));
        }
        for player in (0..choices.len()).filter(|&player| choices[player] > 1) {
            let on = self.going_on(&self.stored, player, position, &situation, &after)?;
            strategies[player] = on.unwrap_or_else(|| std::mem::take(&mut strategies[player]));
        }
        strategies.extend(situation.legal[choices.len()..].iter().map(|moves| evenly(moves.iter().map(|_| true))));
        let found = ExactAssessment { situation, value, model, choices, after, strategies };
        Ok(self.assessments.keep(position.clone(), values.len(), found))
    }

    /// Where states repeat and a player gets something: its moves that keep its number and may lead to an earlier round,
    /// all alike. A player that only kept its number might go on for ever. `None` if there is no such move, as nothing
    /// depends on the player. `after`: the value after each joint move of the players.
    fn going_on(
        &self,
        own: &Stored,
        player: usize,
        position: &Position,
        situation: &Situation,
        after: &[Value],
    ) -> Result<Option<Vec<Rational>>, ReadError> {
        let (value, rounds) = worth_by_round(own, position)?;
        let Some(round) = rounds.and_then(|rounds| rounds[player]) else { return Ok(None) };
        let players = self.solution.game().players();
        let below: usize = situation.legal[player + 1..players].iter().map(Vec::len).product();
        let chance: usize = situation.legal[players..].iter().map(Vec::len).product();
        let mut on = Vec::with_capacity(situation.legal[player].len());
        let mut joints = situation.joint_moves();
        for place in 0..situation.legal[player].len() {
            // The others make their first moves.
            let first = joints.by_ref().take(chance).collect::<Vec<_>>();
            let mut goes_on = false;
            if after[place * below].numbers()[player] == value.numbers()[player] {
                for next in self.successors_by(position, &first) {
                    let (_, rounds) = worth_by_round(own, &next)?;
                    goes_on |= rounds.and_then(|rounds| rounds[player]).is_some_and(|next| next < round);
                }
            }
            on.push(goes_on);
            joints.by_ref().take((below - 1) * chance).for_each(drop);
        }
        Ok(on.contains(&true).then(|| evenly(on.iter().copied())))
    }

    /// The number of moves of each player, and the mean value over chance after each joint move of the players.
    pub(super) fn stage(&self, situation: &Situation, values: &[&Value]) -> (Vec<u32>, Vec<Value>) {
        let players = self.solution.game().players();
        let choices = situation.legal[..players].iter().map(|moves| moves.len() as u32).collect();
        let chance: usize = situation.legal[players..].iter().map(Vec::len).product();
        (choices, values.chunks(chance).map(|values| Value::mean(values.iter().copied())).collect())
    }

    /// The probability of each legal move of a role: uniform for chance; for a player its strategy, or that of its
    /// guarantee if only that is stored. `None` if play is over or the strategy is unknown.
    pub fn mixture(
        &self,
        position: &Position,
        role: usize,
        limits: &Limits,
    ) -> Result<Option<Vec<Rational>>, ReadError> {
        let situation = self.situation(position)?;
        let legal = &situation.legal[role];
        if situation.terminal {
            return Ok(None);
        }
        if legal.len() == 1 || role >= self.solution.game().players() {
            return Ok(Some(evenly(legal.iter().map(|_| true))));
        }
        if let Some(assessed) = self.assess(position, limits)? {
            return Ok(Some(assessed.strategies[role].clone()));
        }
        let Some((of, own)) = self.guarantees.iter().find(|(of, _)| of.index() == role) else { return Ok(None) };
        Ok(Strategy::clone(&*self.forcing(own, *of, position, &situation, limits)?))
    }

    pub fn draw(
        &self,
        position: &Position,
        role: usize,
        random: &mut Random,
        limits: &Limits,
    ) -> Result<Option<MoveId>, ReadError> {
        let Some(mixture) = self.mixture(position, role, limits)? else { return Ok(None) };
        Ok(Some(self.situation(position)?.legal[role][drawn(&mixture, random)]))
    }

    /// The strategy by which a role forces its guarantee. The position must not be terminal.
    pub(super) fn forcing(
        &self,
        own: &Stored,
        role: RoleId,
        position: &Position,
        situation: &Situation,
        limits: &Limits,
    ) -> Result<Arc<Strategy>, ReadError> {
        if let Some(found) = self.forcing.get(|(of, kept)| *of == role && kept == position) {
            return Ok(found);
        }
        let _held = hold(situation, limits)?;
        let mut values = Vec::with_capacity(situation.joint_move_count());
        for (index, (_, after)) in self.successors(position, situation).enumerate() {
            look(index, limits)?;
            values.push(worth(own, &after)?);
        }
        let (choices, after) = self.stage(situation, &values);
        let (ranking, value) = (Ranking::Against(role.index()), worth(own, position)?);
        let mut decision = decided(ranking, &choices, &after, value, position, limits)?;
        let on = self.going_on(own, role.index(), position, situation, &after)?;
        let strategy = on.or_else(|| decision.strategies.swap_remove(role.index()));
        Ok(self.forcing.keep((role, position.clone()), values.len(), strategy))
    }

    pub fn rank(&self, player: usize, one: &Value, other: &Value) -> Ordering {
        compare(self.solution.model(), player, one, other)
    }

    /// Whether a value is worth more to a player than another one, and not only by a tie.
    pub fn is_worth_more(&self, player: usize, one: &Value, other: &Value) -> bool {
        by_criterion(self.solution.model(), player, one, other) == Ordering::Greater
    }
}

pub(super) fn hold<'l>(situation: &Situation, limits: &'l Limits) -> Result<Reserved<'l>, LimitReached> {
    limits.hold((situation.joint_move_count() as u64).saturating_mul(JOINT_BYTES))
}

pub(super) fn look(index: usize, limits: &Limits) -> Result<(), LimitReached> {
    if index.is_multiple_of(LOOK) { limits.check() } else { Ok(()) }
}

fn evenly(meant: impl Iterator<Item = bool> + Clone) -> Vec<Rational> {
    let count = meant.clone().filter(|&meant| meant).count();
    let each = Rational::new(1.into(), count.max(1).into());
    meant.map(|meant| if meant { each.clone() } else { Rational::zero() }).collect()
}

fn decided(
    ranking: Ranking,
    choices: &[u32],
    after: &[Value],
    value: &Value,
    position: &Position,
    limits: &Limits,
) -> Result<Decision, ReadError> {
    let stage = Stage { choices, after: &after.iter().collect::<Vec<_>>() };
    match ranking.decide(&stage, true, limits) {
        Ok(decision) if decision.value == *value => Ok(decision),
        Err(Undecided::Limit(limit)) => Err(limit.into()),
        _ => {
            Err(ReadError::Damaged(format!("a value in layer {} does not follow from those after it", position.layer)))
        }
    }
}
