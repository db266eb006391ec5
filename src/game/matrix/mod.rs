//! Matrix games of two players with constant sum, exactly: the value, and an optimal mixed strategy of each player.
//!
//! Payoffs are rational numbers of any size. They are brought to whole numbers by their common denominator. A saddle
//! point is looked for first, then dominated moves are removed (`dominance`), and what is left is solved by a simplex
//! method in whole numbers (`simplex`), which gives both strategies by one basis: a player mixes at most as many moves
//! as the other one has. Machine numbers serve while they suffice, and numbers of any size from there on (`number`); the
//! result is the same. Time and memory are those of the method: about rows + columns pivots in practice, each of
//! rows × columns operations on numbers of up to min(rows, columns) times the digits of the payoffs.

mod dominance;
mod number;
mod simplex;

use std::borrow::Borrow;

use base::limits::{LimitReached, Limits};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use smallvec::SmallVec;

use number::Number;

/// A number that is exact: numerator and denominator of any size, without a common factor, the denominator positive.
pub type Rational = BigRational;

/// What a matrix game is worth, and how to play it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixSolution {
    /// What the player of the rows can force on average, and the player of the columns can hold it to.
    pub value: Rational,
    /// The probability of each row.
    pub row_strategy: Vec<Rational>,
    /// The probability of each column.
    pub column_strategy: Vec<Rational>,
}

/// A matrix with more entries is large: the run can be interrupted while it is solved, and its memory is accounted for.
const LARGE: usize = 1 << 12;

/// Entries of a small matrix without a memory block of their own.
type Entries<N> = SmallVec<[N; 25]>;

/// The solution of the game in which one player chooses a row, the other one a column at the same time, and the payoff in
/// that place (`payoffs[row * columns + column]`) is what the first one gets and wants to be high, the second one low.
/// The same matrix has the same solution always.
///
/// # Errors
/// The limits, if the numbers outgrow the memory or the run is interrupted.
///
/// # Panics
/// If there is no row or no column, or `payoffs` is no matrix of that size.
pub fn solve<P: Borrow<Rational>>(
    rows: usize,
    columns: usize,
    payoffs: &[P],
    limits: &Limits,
) -> Result<MatrixSolution, LimitReached> {
    assert!(
        rows > 0 && columns > 0 && rows.checked_mul(columns) == Some(payoffs.len()),
        "a matrix has all its entries"
    );
    if let Some((entries, scale)) = scaled::<i64, P>(payoffs) {
        if let Some(solution) = mixed(rows, columns, &entries, &scale, limits)? {
            return Ok(solution);
        }
        let entries: Entries<i128> = entries.iter().copied().map(i128::from).collect();
        if let Some(solution) = mixed(rows, columns, &entries, &i128::from(scale), limits)? {
            return Ok(solution);
        }
    }
    let (entries, scale) = scaled::<BigInt, P>(payoffs).expect("numbers of any size suffice");
    Ok(mixed(rows, columns, &entries, &scale, limits)?.expect("numbers of any size suffice"))
}

/// Whether the solution is one of this game: strategies are probabilities of all moves, against the first no column gives
/// less than the value, and against the second no row gives more. That proves the value and both strategies.
pub fn proves<P: Borrow<Rational>>(solution: &MatrixSolution, rows: usize, columns: usize, payoffs: &[P]) -> bool {
    let MatrixSolution { value, row_strategy, column_strategy } = solution;
    let probabilities =
        |strategy: &[Rational]| !strategy.iter().any(Signed::is_negative) && strategy.iter().sum::<Rational>().is_one();
    if row_strategy.len() != rows
        || column_strategy.len() != columns
        || rows.checked_mul(columns) != Some(payoffs.len())
    {
        return false;
    }
    let mean = |strategy: &[Rational], payoff: &dyn Fn(usize) -> usize| -> Rational {
        let moves = strategy.iter().enumerate().filter(|(_, probability)| !probability.is_zero());
        moves.map(|(number, probability)| probability * payoffs[payoff(number)].borrow()).sum()
    };
    probabilities(row_strategy)
        && probabilities(column_strategy)
        && (0..columns).all(|column| mean(row_strategy, &|row| row * columns + column) >= *value)
        && (0..rows).all(|row| mean(column_strategy, &|column| row * columns + column) <= *value)
}

/// The payoffs as whole numbers, and the number by which they were multiplied. `None`: they do not fit.
fn scaled<N: Number, P: Borrow<Rational>>(payoffs: &[P]) -> Option<(Entries<N>, N)> {
    let mut scale = N::from(1);
    for payoff in payoffs {
        let denominator = payoff.borrow().denom();
        if !denominator.is_one() {
            scale = scale.multiple(&N::of(denominator)?)?;
        }
    }
    let entry = |payoff: &P| {
        let payoff = payoff.borrow();
        let numerator = N::of(payoff.numer())?;
        if scale == N::from(1) { Some(numerator) } else { numerator.times(&scale.divided(&N::of(payoff.denom())?)) }
    };
    let entries = payoffs.iter().map(entry).collect::<Option<_>>()?;
    Some((entries, scale))
}

/// The solution by one kind of number. `None`: it does not suffice.
fn mixed<N: Number>(
    rows: usize,
    columns: usize,
    entries: &[N],
    scale: &N,
    limits: &Limits,
) -> Result<Option<MatrixSolution>, LimitReached> {
    let pure = |count: usize, chosen: usize| (0..count).map(|number| certainty(number == chosen)).collect();
    if let Some((row, column)) = dominance::saddle(columns, entries) {
        let value = N::ratio(&entries[row * columns + column], scale);
        let (row_strategy, column_strategy) = (pure(rows, row), pure(columns, column));
        return Ok(Some(MatrixSolution { value, row_strategy, column_strategy }));
    }
    let kept = dominance::undominated(rows, columns, entries, limits)?;
    let Some(basis) = simplex::optimum(&kept, columns, entries, limits)? else {
        return Ok(None);
    };
    let spread = |count: usize, kept: &[usize], weights: &[N]| {
        let mut strategy = vec![Rational::zero(); count];
        for (&number, weight) in kept.iter().zip(weights).filter(|(_, weight)| **weight != N::from(0)) {
            strategy[number] = N::ratio(weight, &basis.total);
        }
        strategy
    };
    let row_strategy = spread(rows, &kept.rows, &basis.rows);
    let column_strategy = spread(columns, &kept.columns, &basis.columns);
    Ok(Some(MatrixSolution { value: basis.value(scale), row_strategy, column_strategy }))
}

fn certainty(certain: bool) -> Rational {
    if certain { Rational::one() } else { Rational::zero() }
}

#[cfg(test)]
mod tests;
