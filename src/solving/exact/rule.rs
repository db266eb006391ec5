//! Rules by which the value of a state follows from the values of its successors.

use super::Value;
use base::limits::{LimitReached, Limits};
use game::matrix::{self, Rational};
use game::reward::{OpponentModel, Ranking};
use num_traits::{One, Zero};
use std::cmp::Ordering;

/// A state that is not terminal: the choices of the players, and the values after them.
#[derive(Debug, Clone, Copy)]
pub struct Stage<'a, V: ?Sized = Value> {
    /// By player: the number of its legal moves, at least 1.
    pub choices: &'a [u32],
    /// By joint move of the players, the last player's move changing fastest: the value after it, a mean over chance.
    pub after: &'a [&'a V],
}

/// The value of a state, and the strategies that give it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub value: Value,
    /// By player. `None` for a player without a choice, for the opponents of a player against all others unless their
    /// move changes no value, and for the players of a matrix game if strategies were not requested.
    pub strategies: Vec<Strategy>,
}

/// The probability of each move of a player, if known.
pub type Strategy = Option<Vec<Rational>>;

/// The reason why the value of a state does not follow from the values of its successors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undecided {
    /// Two players choose, and the sum of their numbers varies. `values`: two examples with different sums.
    General {
        players: [usize; 2],
        values: Box<[Value; 2]>,
    },
    /// Two players choose, and the number of another player varies. `values`: two examples with different numbers.
    Concerned {
        players: [usize; 2],
        other: usize,
        values: Box<[Value; 2]>,
    },
    /// More than two players choose.
    Several {
        players: Vec<usize>,
    },
    Limit(LimitReached),
}

impl From<LimitReached> for Undecided {
    fn from(limit: LimitReached) -> Self {
        Undecided::Limit(limit)
    }
}

/// A rule by which the value of a state follows from the values after its joint moves. [`Ranking`] is the rule of
/// players who maximise for themselves, or of one player against all others; programs may bring other rules.
pub trait Rule: Sync {
    /// The decision in a state. With `mixed`, it has the strategies of matrix games, whose large numbers take time.
    fn decide(&self, stage: &Stage, mixed: bool, limits: &Limits) -> Result<Decision, Undecided>;

    /// The ranking that the rule follows, if values are found where states repeat, too.
    fn ranking(&self) -> Option<Ranking> {
        None
    }
}

impl Rule for Ranking {
    fn decide(&self, stage: &Stage, mixed: bool, limits: &Limits) -> Result<Decision, Undecided> {
        decided(*self, stage, mixed, limits)
    }

    fn ranking(&self) -> Option<Ranking> {
        Some(*self)
    }
}

fn decided(ranking: Ranking, stage: &Stage, mixed: bool, limits: &Limits) -> Result<Decision, Undecided> {
    let matter: Vec<bool> = (0..stage.choices.len()).map(|player| stage.matters(player)).collect();
    let idle = |player: usize| stage.choices[player] > 1 && !matter[player];
    let mut decision = match (0..stage.choices.len()).any(idle) {
        false => chosen(ranking, stage, mixed, limits)?,
        true => {
            let choices: Vec<u32> =
                stage.choices.iter().zip(&matter).map(|(&moves, &matters)| if matters { moves } else { 1 }).collect();
            let after = stage.with_first_moves(&matter);
            chosen(ranking, &Stage { choices: &choices, after: &after }, mixed, limits)?
        }
    };
    // All moves of these players are equally good.
    for player in (0..stage.choices.len()).filter(|&player| idle(player)) {
        decision.strategies[player] = Some(pure(stage.choices[player] as usize, 0));
    }
    Ok(decision)
}

/// The decision of the players who choose, if none of them is idle.
fn chosen(ranking: Ranking, stage: &Stage, mixed: bool, limits: &Limits) -> Result<Decision, Undecided> {
    let choosing: Vec<usize> = (0..stage.choices.len()).filter(|&player| stage.choices[player] > 1).collect();
    match (ranking, choosing.as_slice()) {
        (_, []) => Ok(Decision { value: stage.after[0].clone(), strategies: vec![None; stage.choices.len()] }),
        (Ranking::Against(role), _) => against(role, stage, mixed, limits),
        (Ranking::Each(model), &[mover]) => Ok(best(model, mover, stage)),
        (Ranking::Each(_), &[rows, columns]) => matrix([rows, columns], stage, mixed, limits),
        (Ranking::Each(_), _) => Err(Undecided::Several { players: choosing }),
    }
}

impl<'a, V: PartialEq + ?Sized> Stage<'a, V> {
    pub(crate) fn below(&self, player: usize) -> usize {
        self.choices[player + 1..].iter().map(|&moves| moves as usize).product()
    }

    /// Whether some value depends on the move of a player.
    pub(crate) fn matters(&self, player: usize) -> bool {
        let (moves, below) = (self.choices[player] as usize, self.below(player));
        let blocks = || self.after.chunks(moves * below);
        moves > 1 && blocks().any(|block| (below..block.len()).any(|place| block[place] != block[place % below]))
    }

    /// Values after the joint moves in which every player that does not `matter` makes its first move.
    pub(crate) fn with_first_moves(&self, matter: &[bool]) -> Vec<&'a V> {
        let first =
            |place: usize, player: usize| (place / self.below(player)).is_multiple_of(self.choices[player] as usize);
        let kept = |place: &usize| (0..matter.len()).all(|player| matter[player] || first(*place, player));
        (0..self.after.len()).filter(kept).map(|place| self.after[place]).collect()
    }
}

/// One player chooses the best value.
fn best(model: OpponentModel, mover: usize, stage: &Stage) -> Decision {
    let mut best = 0;
    for (index, value) in stage.after.iter().enumerate() {
        if compare(model, mover, value, stage.after[best]) == Ordering::Greater {
            best = index;
        }
    }
    let mut strategies = vec![None; stage.choices.len()];
    strategies[mover] = Some(pure(stage.after.len(), best));
    Decision { value: Value::clone(stage.after[best]), strategies }
}

/// The order of values for a player who chooses alone: [`OpponentModel::compare`] on average rewards.
pub fn compare(model: OpponentModel, mover: usize, left: &Value, right: &Value) -> Ordering {
    let first = by_criterion(model, mover, left, right);
    let (of_left, of_right) = (others(mover, left), others(mover, right));
    let sum = |others: &[Rational]| others.iter().sum::<Rational>();
    first.then_with(|| sum(&of_right).cmp(&sum(&of_left))).then_with(|| of_right.cmp(&of_left))
}

/// As [`compare`], without the numbers that only break ties ([`OpponentModel::criterion`]).
pub fn by_criterion(model: OpponentModel, mover: usize, left: &Value, right: &Value) -> Ordering {
    let own = left.numbers()[mover].cmp(&right.numbers()[mover]);
    match model {
        OpponentModel::MaxOwn => own,
        OpponentModel::MaxDiff => {
            let lead = |value: &Value| {
                &value.numbers()[mover] - others(mover, value).iter().max().unwrap_or(&Rational::zero())
            };
            lead(left).cmp(&lead(right)).then(own)
        }
    }
}

/// The numbers of the other players, beginning with the next one.
fn others(mover: usize, value: &Value) -> Vec<Rational> {
    [&value.numbers()[mover + 1..], &value.numbers()[..mover]].concat()
}

/// Two players choose, and the sum of their numbers is constant.
fn matrix(players: [usize; 2], stage: &Stage, mixed: bool, limits: &Limits) -> Result<Decision, Undecided> {
    let [rows, columns] = players;
    let first = stage.after[0].numbers();
    let sum = &first[rows] + &first[columns];
    for &value in stage.after {
        let numbers = value.numbers();
        let values = || Box::new([stage.after[0].clone(), value.clone()]);
        let concerned = |&other: &usize| !players.contains(&other) && numbers[other] != first[other];
        let concerned = (0..numbers.len()).find(concerned);
        // If the other players' numbers are equal, the two players' sums are equal if and only if the totals are.
        if concerned.is_none() && value.total() == stage.after[0].total() {
            continue;
        }
        return Err(match concerned {
            Some(other) if &numbers[rows] + &numbers[columns] == sum => {
                Undecided::Concerned { players, other, values: values() }
            }
            _ => Undecided::General { players, values: values() },
        });
    }
    let payoffs: Vec<&Rational> = stage.after.iter().map(|value| &value.numbers()[rows]).collect();
    let moves = players.map(|player| stage.choices[player] as usize);
    let (value, [of_rows, of_columns]) = solved(moves, &payoffs, mixed, limits)?;
    let mut numbers = first.to_vec();
    numbers[columns] = sum - &value;
    numbers[rows] = value;
    let mut strategies = vec![None; stage.choices.len()];
    (strategies[rows], strategies[columns]) = (of_rows, of_columns);
    Ok(Decision { value: Value::new(numbers), strategies })
}

/// One player against all others, who choose together and may correlate their moves.
fn against(player: usize, stage: &Stage, mixed: bool, limits: &Limits) -> Result<Decision, Undecided> {
    let own = stage.choices[player] as usize;
    let below = stage.below(player);
    let columns = stage.after.len() / own;
    let place = |row: usize, column: usize| (column / below * own + row) * below + column % below;
    let payoffs: Vec<&Rational> = (0..own)
        .flat_map(|row| (0..columns).map(move |column| place(row, column)))
        .map(|place| &stage.after[place].numbers()[player])
        .collect();
    let (value, [of_rows, _]) = solved([own, columns], &payoffs, mixed, limits)?;
    let mut numbers = vec![Rational::zero(); stage.choices.len()];
    numbers[player] = value;
    let mut strategies = vec![None; stage.choices.len()];
    strategies[player] = of_rows.filter(|_| own > 1);
    Ok(Decision { value: Value::new(numbers), strategies })
}

/// The value of the matrix game for the row player and, if `mixed`, both strategies. `payoffs`: row by row.
fn solved(
    [rows, columns]: [usize; 2],
    payoffs: &[&Rational],
    mixed: bool,
    limits: &Limits,
) -> Result<(Rational, [Strategy; 2]), LimitReached> {
    if !mixed {
        return Ok((matrix::value(rows, columns, payoffs, limits)?, [None, None]));
    }
    let solution = matrix::solve(rows, columns, payoffs, limits)?;
    Ok((solution.value, [solution.row_strategy, solution.column_strategy].map(Some)))
}

fn pure(moves: usize, chosen: usize) -> Vec<Rational> {
    (0..moves).map(|index| if index == chosen { Rational::one() } else { Rational::zero() }).collect()
}
