//! Explains exact values: best play up to the first decision of chance or of several players, the values that may
//! follow with their probabilities, and the loss by each worse move. After such a decision no single line is best; the
//! mean of the values after it is the value of the position.

use super::assess::{LOOK, hold};
use super::{ExactAssessment, ExactQuery, ExactSolution, Probability};
use crate::exact::{Value, float, number};
use crate::solution::{Position, ReadError};
use base::limits::Limits;
use game::interpreter::JointMove;
use game::matrix::Rational;
use num_traits::Zero;
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::collections::BTreeMap;

/// A line: for each ply, the shown move, its role and the moves of all roles; then the values that may follow.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExactLine {
    pub moves: Vec<String>,
    pub roles: Vec<String>,
    pub joint: Vec<Vec<String>>,
    pub value: Value,
    pub value_float: Vec<f64>,
    /// The roles that decide after these moves, `random` for chance; none if play is over.
    pub then: Vec<String>,
    /// The values after that decision, ascending; their weighted mean is the value of the line. Empty if play is over.
    pub outcomes: Vec<Outcome>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    pub value: Value,
    pub value_float: Vec<f64>,
    #[serde(flatten)]
    pub probability: Probability,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    #[serde(rename = "move")]
    pub action: String,
    /// What the player loses by the move on average: reward or, with `max-diff`, lead. It is 0 if a player who chooses
    /// alone loses nothing, but other players gain.
    #[serde(serialize_with = "number")]
    pub gives_away: Rational,
    pub gives_away_float: f64,
    pub follows: ExactLine,
    /// If exactly one other player chooses at the same time: its best answer if it saw the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    #[serde(rename = "move")]
    pub action: String,
    pub role: String,
    /// For each player, the average reward after the move and its answer.
    pub value: Value,
    pub value_float: Vec<f64>,
}

impl ExactSolution {
    /// Adds the line of best play, and the reasons why worse moves of each player are worse. Fails if there is no
    /// single value.
    pub fn explain(&self, query: &mut ExactQuery, position: &Position, limits: &Limits) -> Result<(), ReadError> {
        query.line = Some(self.line(position, limits)?);
        let Some(assessed) = self.assess(position, limits)? else { return Ok(()) };
        for player in assessed.choosing() {
            let mut reasons = Vec::new();
            for place in 0..assessed.choices[player] as usize {
                reasons.extend(self.reason(position, &assessed, player, place, limits)?);
            }
            query.reasons.insert(self.role_name(player), reasons);
        }
        Ok(())
    }

    /// Why the move of index `place` of a player is worse than its best moves; `None` if it is one of them.
    pub fn reason(
        &self,
        position: &Position,
        assessed: &ExactAssessment,
        player: usize,
        place: usize,
        limits: &Limits,
    ) -> Result<Option<Reason>, ReadError> {
        limits.check()?;
        let gives_away = assessed.loss(player, place);
        let alone = assessed.choosing().count() == 1;
        if gives_away.is_zero() && (!alone || assessed.is_best(player, place)) {
            return Ok(None);
        }
        let action = assessed.situation.legal[player][place];
        let follows = if alone && !assessed.has_chance() {
            let mut joint = assessed.first();
            joint[player] = action;
            self.line(&self.solution.after(position, &joint), limits)?
        } else {
            let mut line = ExactLine::new(assessed.reply(player, place));
            self.decide(&mut line, position, assessed, Some((player, place)), limits)?;
            line
        };
        Ok(Some(Reason {
            action: self.solution.move_name(action).to_owned(),
            gives_away_float: float(&gives_away),
            gives_away,
            follows,
            answer: self.answer(assessed, player, place),
        }))
    }

    fn answer(&self, assessed: &ExactAssessment, player: usize, place: usize) -> Option<Answer> {
        let mut others = assessed.choosing().filter(|&other| other != player);
        let (Some(other), None) = (others.next(), others.next()) else { return None };
        let mut joint = assessed.first();
        joint[player] = assessed.situation.legal[player][place];
        let mut best = None;
        for &action in &assessed.situation.legal[other] {
            joint[other] = action;
            let value = assessed.after(&joint);
            if best.is_none_or(|(_, best)| self.rank(other, value, best).is_gt()) {
                best = Some((action, value));
            }
        }
        let (action, value) = best.expect("a player that chooses has moves");
        Some(Answer {
            action: self.solution.move_name(action).to_owned(),
            role: self.role_name(other),
            value_float: value.floats(),
            value: value.clone(),
        })
    }

    pub fn line(&self, position: &Position, limits: &Limits) -> Result<ExactLine, ReadError> {
        let mut line = ExactLine::new(self.value(position)?.ok_or(ReadError::NoValue)?.clone());
        let mut position = position.clone();
        // Where nobody gets anything, play may come back to a state, and go on for ever.
        let mut met = FxHashSet::default();
        while let Some(assessed) = self.assess(&position, limits)? {
            limits.check()?;
            if self.manifest().goes_round() && !met.insert(position.state.clone()) {
                break;
            }
            let mut choosing = assessed.choosing();
            let (first, second) = (choosing.next(), choosing.next());
            if second.is_some() || assessed.has_chance() {
                self.decide(&mut line, &position, &assessed, None, limits)?;
                break;
            }
            let mut joint = assessed.first();
            if let Some(player) = first {
                let best =
                    (0..).zip(&assessed.situation.legal[player]).find(|(place, _)| assessed.is_best(player, *place));
                joint[player] = *best.expect("a player that chooses has a best move").1;
            }
            let (role, action) = self.shown(&position, &assessed.situation, &joint);
            line.moves.push(action);
            line.roles.extend(role.map(|role| self.role_name(role)));
            line.joint.push(self.solution.joint_names(&joint));
            position = self.solution.after(&position, &joint);
        }
        Ok(line)
    }

    /// Ends a line with the decision of a position: weights the joint moves by the strategies and by chance. `given`: a
    /// player that makes the move of this index, whatever its strategy.
    fn decide(
        &self,
        line: &mut ExactLine,
        position: &Position,
        assessed: &ExactAssessment,
        given: Option<(usize, usize)>,
        limits: &Limits,
    ) -> Result<(), ReadError> {
        let open = assessed.choosing().filter(|&player| given.is_none_or(|(own, _)| own != player));
        let chance = assessed.has_chance().then_some(assessed.choices.len());
        line.then = open.chain(chance).map(|role| self.role_name(role)).collect();
        let _held = hold(&assessed.situation, limits)?;
        let mut found: BTreeMap<&Value, Rational> = BTreeMap::new();
        let legal = &assessed.situation.legal;
        for likely in assessed.likely(legal.len(), given).chunks(LOOK) {
            limits.check()?;
            let joint = |places: &[usize]| legal.iter().zip(places).map(|(moves, &place)| moves[place]).collect();
            let joints: Vec<JointMove> = likely.iter().map(|(places, _)| joint(places)).collect();
            for (after, (_, weight)) in self.successors_by(position, &joints).zip(likely) {
                let value = self.value(&after)?.ok_or(ReadError::NoValue)?;
                *found.entry(value).or_insert_with(Rational::zero) += weight;
            }
        }
        let outcome = |(value, probability): (&Value, Rational)| Outcome {
            value: value.clone(),
            value_float: value.floats(),
            probability: Probability(probability),
        };
        line.outcomes = found.into_iter().map(outcome).collect();
        Ok(())
    }
}

impl ExactLine {
    fn new(value: Value) -> ExactLine {
        let (moves, roles, joint) = Default::default();
        ExactLine { moves, roles, joint, value_float: value.floats(), value, then: Vec::new(), outcomes: Vec::new() }
    }
}
