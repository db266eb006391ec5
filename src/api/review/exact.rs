//! Judges the moves of a match in a game with chance or joint choices.
//!
//! The loss of a player's move is the average reward that it costs the player compared with the best mixture, while all
//! others play their best mixtures. A move of the mixture has no loss. The effect of chance is reported separately.

use super::Record;
use super::judge::played;
use base::limits::Limits;
use game::matrix::Rational;
use game::reward::OpponentModel;
use indexmap::IndexMap;
use num_traits::Zero;
use serde::Serialize;
use solving::exact::{Value, float, number};
use solving::solution::{ExactAssessment, ExactSolution, Loss, Mixed, Position, Probability, ReadError, Reason, Step};
use std::cell::OnceCell;
use std::sync::Arc;

/// A judged match. Its JSON is the report of `review`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExactReview {
    /// Name of the game.
    pub game: String,
    /// Names of the roles; rewards are in this order.
    pub roles: Vec<String>,
    /// How movers rank rewards.
    pub opponent_model: OpponentModel,
    /// Whether play is over at the end of the match.
    pub finished: bool,
    /// By player: the average reward in the last position.
    pub value: Value,
    /// The value as decimal numbers.
    pub value_float: Vec<f64>,
    /// The judged plies.
    pub moves: Vec<ExactReviewed>,
    /// The plies that gave something away.
    pub mistakes: Vec<u32>,
    /// By player: the sum of its losses.
    pub lost: IndexMap<String, Amount>,
    /// By player: the sum of the effects of chance, if the game has chance.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub luck: IndexMap<String, Amount>,
}

/// A judged ply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExactReviewed {
    /// The number of the ply, from 1 on.
    pub ply: u32,
    /// The only role with a choice or, in a forced ply, with a move that has an effect; `None` if several roles chose.
    pub role: Option<String>,
    /// The move of that role; if several roles chose, the moves of all roles in brackets.
    #[serde(rename = "move")]
    pub action: String,
    /// By role, chance last: its move.
    pub joint: Vec<String>,
    /// Whether no role had a choice.
    pub forced: bool,
    /// By player: the value before the ply.
    pub before: Value,
    /// The value before the ply as decimal numbers.
    pub before_float: Vec<f64>,
    /// By player: the value after the ply.
    pub after: Value,
    /// The value after the ply as decimal numbers.
    pub after_float: Vec<f64>,
    /// By player that had a choice: its judged move.
    pub choices: IndexMap<String, Chosen>,
    /// By player: the effect of chance on the value, if chance had a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub luck: Option<Value>,
    /// Whether no player lost anything.
    pub keeps_value: bool,
    /// Whether each player that had a choice made a move of its mixture.
    pub optimal: bool,
    /// The kind of the loss, always `rewards`, if a player lost something.
    #[serde(rename = "gives_away")]
    pub loss: Option<Loss>,
}

/// A judged move.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chosen {
    /// Name of the move.
    #[serde(rename = "move")]
    pub action: String,
    /// The probability of the move in the best mixture.
    #[serde(flatten)]
    pub probability: Probability,
    /// The average loss of the player: of its reward or, with `max-diff`, of its lead.
    #[serde(rename = "loses", serialize_with = "number")]
    pub loss: Rational,
    /// The loss as a decimal number.
    #[serde(rename = "loses_float")]
    pub loss_float: f64,
    /// The best mixed strategy of the player.
    pub best: Vec<Mixed>,
    /// The source of the loss, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

/// An exact number of rewards.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Amount {
    /// The number, as a fraction.
    #[serde(serialize_with = "number")]
    pub amount: Rational,
    /// The number as a decimal.
    pub amount_float: f64,
}

impl From<Rational> for Amount {
    fn from(amount: Rational) -> Amount {
        Amount { amount_float: float(&amount), amount }
    }
}

/// Judges a match that starts from a position, within `limits`. `why`: whether losses are explained.
pub fn review_exact(
    solution: &ExactSolution,
    start: &Position,
    record: &Record,
    why: bool,
    limits: &Limits,
) -> Result<ExactReview, ReadError> {
    if !solution.has_values() {
        return Err(ReadError::NoValue);
    }
    let _plies = record.reserve(limits)?;
    let (mut position, mut moves) = (start.clone(), Vec::new());
    for step in replayed(solution, start, record, limits)? {
        limits.check()?;
        moves.push(Judge::new(solution, &position, limits)?.ply(&step, why)?);
        position = step.successor;
    }
    let value = solution.value(&position)?.ok_or(ReadError::NoValue)?.clone();
    let game = solution.solution().game();
    let roles = game.player_names();
    let lost = |role: &String| {
        let losses = moves.iter().filter_map(|reviewed| Some(&reviewed.choices.get(role)?.loss));
        (role.clone(), losses.sum::<Rational>().into())
    };
    let luck = |(player, role): (usize, &String)| {
        let given = moves.iter().filter_map(|reviewed| Some(&reviewed.luck.as_ref()?.numbers()[player]));
        (role.clone(), given.sum::<Rational>().into())
    };
    Ok(ExactReview {
        game: game.name.clone(),
        opponent_model: solution.solution().model(),
        finished: solution.situation(&position)?.terminal,
        value_float: value.floats(),
        value,
        mistakes: moves.iter().filter(|reviewed| reviewed.loss.is_some()).map(|reviewed| reviewed.ply).collect(),
        lost: roles.iter().map(lost).collect(),
        luck: roles.iter().enumerate().filter(|_| game.has_chance).map(luck).collect(),
        roles,
        moves,
    })
}

/// The plies of a match. Positions need not have values.
pub fn replayed(
    solution: &ExactSolution,
    start: &Position,
    record: &Record,
    limits: &Limits,
) -> Result<Vec<Step>, ReadError> {
    let replay = |position: &Position, moves: &[String], lines: Option<&[String]>| {
        solution.steps_either(position, moves, lines, limits)
    };
    let roles = solution.solution().game().roles.len();
    let joint =
        |position: &Position, moves: &[String]| (moves.len() == roles).then(|| solution.joint_step(position, moves));
    played(solution.solution(), start, record, (replay, joint), limits)
}

/// Judges each of several joint moves in a position. `joints`: by joint move, the names of the moves of all roles.
pub fn judged(
    solution: &ExactSolution,
    position: &Position,
    joints: &[Vec<String>],
    limits: &Limits,
) -> Result<Vec<ExactReviewed>, ReadError> {
    if joints.is_empty() {
        return Ok(Vec::new());
    }
    let judge = Judge::new(solution, position, limits)?;
    joints.iter().map(|names| judge.ply(&solution.joint_step(position, names)?, false)).collect()
}

struct Judge<'j> {
    solution: &'j ExactSolution,
    position: &'j Position,
    assessed: Arc<ExactAssessment>,
    /// By player and move: its loss, once computed.
    losses: Vec<Vec<OnceCell<Rational>>>,
    limits: &'j Limits,
}

impl<'j> Judge<'j> {
    fn new(solution: &'j ExactSolution, position: &'j Position, limits: &'j Limits) -> Result<Judge<'j>, ReadError> {
        let assessed = solution.assess(position, limits)?.ok_or(ReadError::NoValue)?;
        let losses = assessed.choices.iter().map(|&moves| vec![OnceCell::new(); moves as usize]).collect();
        Ok(Judge { solution, position, assessed, losses, limits })
    }

    fn ply(&self, step: &Step, why: bool) -> Result<ExactReviewed, ReadError> {
        let Judge { solution, position, assessed, limits, .. } = self;
        limits.check()?;
        let (names, ply) = (solution.solution(), &step.ply);
        let after = solution.value(&step.successor)?.ok_or(ReadError::NoValue)?.clone();
        let mut choices = IndexMap::new();
        for player in assessed.choosing() {
            let reason = |place| solution.reason(position, assessed, player, place, limits);
            let place = assessed.place(player, ply.joint[player]);
            let chosen = Chosen { reason: if why { reason(place)? } else { None }, ..self.chosen(player, place) };
            choices.insert(solution.role_name(player), chosen);
        }
        let luck = assessed.has_chance().then(|| {
            let expected = assessed.after(&ply.joint).numbers();
            after.numbers().iter().zip(expected).map(|(after, expected)| after - expected).collect()
        });
        let (role, action) = solution.shown(position, &assessed.situation, &ply.joint);
        let lost = choices.values().any(|chosen| !chosen.loss.is_zero());
        Ok(ExactReviewed {
            ply: position.layer + 1,
            role: role.map(|role| solution.role_name(role)),
            action,
            joint: names.joint_names(&ply.joint),
            forced: ply.forced,
            before_float: assessed.value.floats(),
            before: assessed.value.clone(),
            after_float: after.floats(),
            after,
            keeps_value: !lost,
            optimal: choices.values().all(|chosen| !chosen.probability.0.is_zero()),
            loss: lost.then_some(Loss::Rewards),
            choices,
            luck,
        })
    }

    /// The judged move of a player, without a reason.
    fn chosen(&self, player: usize, place: usize) -> Chosen {
        let (names, assessed) = (self.solution.solution(), &self.assessed);
        let legal = &assessed.situation.legal[player];
        let loss = self.losses[player][place].get_or_init(|| assessed.loss(player, place)).clone();
        let mixture = legal.iter().zip(&assessed.strategies[player]).map(|(&action, probability)| Mixed {
            action: names.move_name(action).to_owned(),
            probability: Probability(probability.clone()),
        });
        Chosen {
            action: names.move_name(legal[place]).to_owned(),
            probability: Probability(assessed.strategies[player][place].clone()),
            loss_float: float(&loss),
            loss,
            best: mixture.filter(|mixed| !mixed.probability.0.is_zero()).collect(),
            reason: None,
        }
    }
}
