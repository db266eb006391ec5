//! Matrix games of two players with constant sum, in exact numbers: the value, and an optimal mixed strategy of each
//! player.
//!
//! Payoffs are rational numbers of any size. If there is no saddle point, dominated moves are removed (`dominance`),
//! and a simplex method in whole numbers solves the rest (`simplex`). One basis gives both strategies, so a player
//! mixes at most as many moves as the other player has. Machine numbers are used while they suffice, then numbers of
//! any size (`number`); the result is the same. Time and memory: about rows + columns pivots in practice, each of rows
//! × columns operations on numbers of up to min(rows, columns) times the digits of the common denominator of a row.

mod dominance;
mod number;
mod rational;
mod simplex;

use std::borrow::Borrow;
use std::cmp::Ordering;

use base::limits::{LimitReached, Limits};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use smallvec::SmallVec;

use dominance::Kept;
use number::Number;

pub use rational::Rational;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixSolution {
    /// The mean payoff that the row player can secure; the column player can secure that it is no more.
    pub value: Rational,
    pub row_strategy: Vec<Rational>,
    pub column_strategy: Vec<Rational>,
}

/// For games with more entries, the solution can be interrupted and its memory is accounted.
const LARGE: usize = 1 << 12;

type Entries<N> = SmallVec<[N; 25]>;

/// The solution of the game in which one player chooses a row and the other a column at the same time. The first player
/// gets `payoffs[row * columns + column]` and wants it to be high; the second wants it to be low. The same matrix
/// always has the same solution.
///
/// # Errors
/// If the numbers outgrow the memory, or if the run is interrupted.
///
/// # Panics
/// If there is no row or no column, or `payoffs` is no matrix of that size.
pub fn solve<P: Borrow<Rational>>(
    rows: usize,
    columns: usize,
    payoffs: &[P],
    limits: &Limits,
) -> Result<MatrixSolution, LimitReached> {
    let spread = |count: usize, weights: Vec<(usize, Rational)>| {
        let mut strategy = vec![Rational::zero(); count];
        weights.into_iter().for_each(|(number, weight)| strategy[number] = weight);
        strategy
    };
    Ok(match reduced(rows, columns, payoffs, limits)? {
        Reduced::Saddle(row, column) => MatrixSolution {
            value: payoffs[row * columns + column].borrow().clone(),
            row_strategy: spread(rows, vec![(row, Rational::one())]),
            column_strategy: spread(columns, vec![(column, Rational::one())]),
        },
        Reduced::Mixed(kept) => {
            let (value, [of_rows, of_columns]) = simplex::solve(&kept, columns, payoffs, true, limits)?;
            let named = |kept: &[usize], weights: Vec<Rational>| kept.iter().copied().zip(weights).collect();
            let row_strategy = spread(rows, named(&kept.rows, of_rows));
            MatrixSolution { value, row_strategy, column_strategy: spread(columns, named(&kept.columns, of_columns)) }
        }
    })
}

/// The value alone, as by [`solve`], with the same errors and panics. This is faster, because the probabilities of the
/// strategies are not reduced to lowest terms.
pub fn value<P: Borrow<Rational>>(
    rows: usize,
    columns: usize,
    payoffs: &[P],
    limits: &Limits,
) -> Result<Rational, LimitReached> {
    Ok(match reduced(rows, columns, payoffs, limits)? {
        Reduced::Saddle(row, column) => payoffs[row * columns + column].borrow().clone(),
        Reduced::Mixed(kept) => simplex::solve(&kept, columns, payoffs, false, limits)?.0,
    })
}

enum Reduced {
    Saddle(usize, usize),
    Mixed(Kept),
}

fn reduced<P: Borrow<Rational>>(
    rows: usize,
    columns: usize,
    payoffs: &[P],
    limits: &Limits,
) -> Result<Reduced, LimitReached> {
    fn by<N: Ord>(rows: usize, columns: usize, entries: &[N], limits: &Limits) -> Result<Reduced, LimitReached> {
        match dominance::saddle(columns, entries) {
            Some((row, column)) => Ok(Reduced::Saddle(row, column)),
            None => dominance::undominated(rows, columns, entries, limits).map(Reduced::Mixed),
        }
    }
    let complete = rows > 0 && columns > 0 && rows.checked_mul(columns) == Some(payoffs.len());
    assert!(complete, "a matrix has all its entries");
    // Only the order counts, and whole numbers are compared faster.
    match scaled::<i64, P>(payoffs) {
        Some((entries, _)) => by(rows, columns, &entries, limits),
        None => by(rows, columns, &payoffs.iter().map(Borrow::borrow).collect::<Vec<&Rational>>(), limits),
    }
}

/// Whether the solution belongs to this game: strategies are probabilities of all moves; against the row strategy no
/// column gives less than the value, and against the column strategy no row gives more. This proves the value and both
/// strategies.
pub fn proves<P: Borrow<Rational>>(solution: &MatrixSolution, rows: usize, columns: usize, payoffs: &[P]) -> bool {
    let fits = solution.row_strategy.len() == rows
        && solution.column_strategy.len() == columns
        && rows.checked_mul(columns) == Some(payoffs.len());
    let proved = || {
        let small = proved::<i128, P>(solution, payoffs);
        small.unwrap_or_else(|| proved::<BigInt, P>(solution, payoffs).expect("numbers of any size suffice"))
    };
    fits && proved()
}

/// As [`proves`], in one kind of number; `None` if numbers of this kind do not suffice.
fn proved<N: Number, P: Borrow<Rational>>(solution: &MatrixSolution, payoffs: &[P]) -> Option<bool> {
    let (zero, columns) = (N::from(0), solution.column_strategy.len());
    let (entries, scale) = scaled::<N, P>(payoffs)?;
    let (numerator, denominator) = (N::of(solution.value.numer())?, N::of(solution.value.denom())?);
    // Compares the mean of a move of the other player, `Σ weight · entry / (total · scale)`, with the value.
    let compare = |weights: &[N], bound: &N, place: &dyn Fn(usize) -> usize| {
        let moves = weights.iter().enumerate().filter(|(_, weight)| **weight != zero);
        let mean = moves.map(|(number, weight)| weight.times(&entries[place(number)]));
        let sum = mean.into_iter().try_fold(N::from(0), |sum, term| sum.plus(&term?))?;
        Some(sum.times(&denominator)?.cmp(bound))
    };
    for (strategy, worse) in [(&solution.row_strategy, Ordering::Less), (&solution.column_strategy, Ordering::Greater)]
    {
        let (weights, total) = scaled::<N, Rational>(strategy)?;
        let sum = weights.iter().try_fold(N::from(0), |sum, weight| sum.plus(weight))?;
        if sum != total || weights.iter().any(|weight| *weight < zero) {
            return Some(false);
        }
        let bound = numerator.times(&total.times(&scale)?)?;
        let by_rows = worse == Ordering::Less;
        for reply in 0..if by_rows { columns } else { solution.row_strategy.len() } {
            let place = |number: usize| if by_rows { number * columns + reply } else { reply * columns + number };
            if compare(&weights, &bound, &place)? == worse {
                return Some(false);
            }
        }
    }
    Some(true)
}

/// Rational numbers as whole numbers, and the factor by which they were multiplied; `None` if they do not fit.
fn scaled<N: Number, P: Borrow<Rational>>(numbers: &[P]) -> Option<(Entries<N>, N)> {
    let mut scale = N::from(1);
    for number in numbers {
        let denominator = number.borrow().denom();
        if !denominator.is_one() {
            scale = scale.multiple(&N::of(denominator)?)?;
        }
    }
    let whole = |number: &P| {
        let number = number.borrow();
        let numerator = N::of(number.numer())?;
        if scale == N::from(1) { Some(numerator) } else { numerator.times(&scale.divided(&N::of(number.denom())?)) }
    };
    let whole = numbers.iter().map(whole).collect::<Option<_>>()?;
    Some((whole, scale))
}

#[cfg(test)]
mod tests;
