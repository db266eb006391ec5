//! The simplex method in whole numbers (Edmonds 1967, Bareiss 1968): all entries of the tableau have one denominator,
//! the determinant of the basis, so that each is a minor of the matrix and divisions leave no remainder.
//!
//! The payoffs are shifted to be positive. Then the column player's weights `y ≥ 0` of greatest sum with `A · y ≤ 1`,
//! divided by their sum, are an optimal strategy; the weights of the dual problem give the strategy of the row player,
//! and the reciprocal of the sum is the value (Dantzig 1951). Each row is multiplied by the common denominator of its
//! payoffs, and so is its bound of 1. The column with the largest gain enters. After a pivot that does not raise the
//! sum, and until a pivot raises it, the column of the first variable that raises it enters instead. Of rows that bound
//! equally, the row of the first variable leaves (Bland 1977), so that no basis comes twice.

use std::borrow::Borrow;
use std::cmp::Ordering;

use base::limits::{LimitReached, Limits, Reserved};
use num_bigint::BigInt;
use smallvec::SmallVec;

use super::dominance::Kept;
use super::number::Number;
use super::{Entries, LARGE, Rational, scaled};

/// The value of the kept part of a matrix, and the probabilities of its rows and columns if `strategies`.
pub fn solve<P: Borrow<Rational>>(
    kept: &Kept,
    columns: usize,
    payoffs: &[P],
    strategies: bool,
    limits: &Limits,
) -> Result<Solved, LimitReached> {
    if let Some(solved) = by::<i64, P>(kept, columns, payoffs, strategies, limits)? {
        return Ok(solved);
    }
    if let Some(solved) = by::<i128, P>(kept, columns, payoffs, strategies, limits)? {
        return Ok(solved);
    }
    Ok(by::<BigInt, P>(kept, columns, payoffs, strategies, limits)?.expect("numbers of any size suffice"))
}

type Solved = (Rational, [Vec<Rational>; 2]);

/// As [`solve`], in one kind of number; `None` if numbers of this kind do not suffice.
fn by<N: Number, P: Borrow<Rational>>(
    kept: &Kept,
    columns: usize,
    payoffs: &[P],
    strategies: bool,
    limits: &Limits,
) -> Result<Option<Solved>, LimitReached> {
    let Some(matrix) = Positive::new(kept, columns, payoffs) else { return Ok(None) };
    let (high, wide) = (kept.rows.len(), kept.columns.len());
    let _held = reserve::<N>(high, wide, &matrix.entries, limits)?;
    let mut tableau = Tableau::new(high, wide, &matrix);
    let large = N::GROWS || high * wide > LARGE;
    let mut stalled = false;
    while let Some(column) = tableau.entering(stalled) {
        if large {
            limits.check()?;
        }
        let Some(row) = tableau.leaving(column) else { return Ok(None) };
        // If the bound of the column is 0, the pivot changes only the basis.
        stalled = tableau.at(row, wide) == &N::from(0);
        if tableau.exchange(row, column).is_none() {
            return Ok(None);
        }
    }
    let total = tableau.at(high, wide);
    let Some(value) = matrix.value(&tableau.determinant, total) else { return Ok(None) };
    if !strategies {
        return Ok(Some((value, Default::default())));
    }
    let Some([of_rows, of_columns]) = tableau.weights(&matrix.bounds) else { return Ok(None) };
    let probabilities = |weights: Entries<N>| weights.iter().map(|weight| N::ratio(weight, total)).collect();
    Ok(Some((value, [probabilities(of_rows), probabilities(of_columns)])))
}

/// The payoffs, shifted to be positive: `(payoff − least) / unit + 1`. Each row is multiplied by a separate factor.
/// This changes neither the strategies nor the order of pivots.
struct Positive<N> {
    entries: Entries<N>,
    /// For each row, its factor.
    bounds: Entries<N>,
    unit: N,
    least: [N; 2],
}

impl<N: Number> Positive<N> {
    /// `None` if the numbers do not fit.
    fn new<P: Borrow<Rational>>(kept: &Kept, columns: usize, payoffs: &[P]) -> Option<Self> {
        let at = |row: usize, column: usize| payoffs[row * columns + column].borrow();
        let least = payoffs[kept.least].borrow();
        let (mut entries, mut bounds) = (Entries::with_capacity(kept.rows.len() * kept.columns.len()), Entries::new());
        let mut line: SmallVec<[&Rational; 8]> = SmallVec::new();
        for &row in &kept.rows {
            line.clear();
            line.extend(kept.columns.iter().map(|&column| at(row, column)));
            line.push(least);
            let (mut whole, bound) = scaled::<N, &Rational>(&line)?;
            let least = whole.pop().expect("it was added");
            for entry in whole {
                entries.push(entry.minus(&least)?);
            }
            bounds.push(bound);
        }
        let [zero, one] = [0, 1].map(N::from);
        let unit = entries.iter().fold(zero, |unit, entry| if unit == one { unit } else { unit.divisor(entry) });
        for (row, bound) in entries.chunks_mut(kept.columns.len()).zip(&bounds) {
            for entry in row {
                *entry = if unit == one { entry.plus(bound)? } else { entry.divided(&unit).plus(bound)? };
            }
        }
        Some(Positive { entries, bounds, unit, least: [N::of(least.numer())?, N::of(least.denom())?] })
    }

    /// The value of the game if the value of the positive game is `determinant / total`.
    fn value(&self, determinant: &N, total: &N) -> Option<Rational> {
        let [least, scale] = &self.least;
        let above = determinant.minus(total)?.times(&self.unit)?.times(scale)?;
        Some(N::ratio(&above.plus(&least.times(total)?)?, &total.times(scale)?))
    }
}

/// Reserves the memory of a tableau that may be large: a minor has at most the bits of Hadamard's bound.
fn reserve<'a, N: Number>(
    high: usize,
    wide: usize,
    shifted: &[N],
    limits: &'a Limits,
) -> Result<Option<Reserved<'a>>, LimitReached> {
    let cells = (high as u64 + 1) * (wide as u64 + 1);
    let order = high.min(wide) as u64 + 1;
    let bits = shifted.iter().map(Number::bits).max().unwrap_or(0) + u64::from(order.ilog2()) / 2 + 1;
    let minor = if N::GROWS { order * bits / 8 + 16 } else { 0 };
    let bytes = cells * (size_of::<N>() as u64 + minor);
    if bytes <= LARGE as u64 * 16 { Ok(None) } else { limits.hold(bytes).map(Some) }
}

/// The equations `basic + Σ entry · other = bound` of rows, and a last one for the sum, all times the determinant.
struct Tableau<N> {
    high: usize,
    width: usize,
    entries: Entries<N>,
    /// The variable of each row: the weight of a matrix column, or from `wide` on the slack of a row.
    basic: SmallVec<[usize; 8]>,
    /// The variable of each column, numbered in the same way.
    others: SmallVec<[usize; 8]>,
    determinant: N,
}

impl<N: Number> Tableau<N> {
    fn new(high: usize, wide: usize, matrix: &Positive<N>) -> Self {
        let width = wide + 1;
        let mut entries = Entries::with_capacity((high + 1) * width);
        for (row, bound) in matrix.entries.chunks(wide).zip(&matrix.bounds) {
            entries.extend(row.iter().cloned());
            entries.push(bound.clone());
        }
        entries.extend((0..wide).map(|_| N::from(-1)));
        entries.push(N::from(0));
        let (basic, others) = ((wide..wide + high).collect(), (0..wide).collect());
        Tableau { high, width, entries, basic, others, determinant: N::from(1) }
    }

    fn at(&self, row: usize, column: usize) -> &N {
        &self.entries[row * self.width + column]
    }

    /// The column that raises the sum most; with `first`, the column of the first variable that raises it.
    fn entering(&self, first: bool) -> Option<usize> {
        let gains = &self.entries[self.high * self.width..][..self.width - 1];
        let raising = (0..gains.len()).filter(|&column| gains[column] < N::from(0));
        if first {
            return raising.min_by_key(|&column| self.others[column]);
        }
        raising.min_by(|&one, &other| gains[one].cmp(&gains[other]))
    }

    /// The row with the smallest bound on the column, among equals that of the first variable; `None` if numbers do not
    /// fit.
    fn leaving(&self, column: usize) -> Option<usize> {
        let mut best: Option<usize> = None;
        for row in (0..self.high).filter(|&row| *self.at(row, column) > N::from(0)) {
            let better = match best {
                None => true,
                Some(best) => {
                    let (bound, least) = (self.at(row, self.width - 1), self.at(best, self.width - 1));
                    let order = bound.compare_ratio(self.at(row, column), least, self.at(best, column))?;
                    order.then(self.basic[row].cmp(&self.basic[best])) == Ordering::Less
                }
            };
            if better {
                best = Some(row);
            }
        }
        Some(best.expect("positive payoffs bound the weights"))
    }

    /// Exchanges the variables of a row and a column. `None` if the numbers do not fit; the tableau is then unusable.
    fn exchange(&mut self, row: usize, column: usize) -> Option<()> {
        let width = self.width;
        let pivot = self.at(row, column).clone();
        let line: Entries<N> = self.entries[row * width..][..width].iter().cloned().collect();
        for (_, entries) in self.entries.chunks_mut(width).enumerate().filter(|(other, _)| *other != row) {
            let left = std::mem::replace(&mut entries[column], N::from(0));
            for (place, entry) in entries.iter_mut().enumerate() {
                if place != column {
                    *entry = entry.exchanged(&pivot, &left, &line[place], &self.determinant)?;
                }
            }
            entries[column] = N::from(0).minus(&left)?;
        }
        self.entries[row * width + column] = std::mem::replace(&mut self.determinant, pivot);
        std::mem::swap(&mut self.basic[row], &mut self.others[column]);
        Some(())
    }

    /// The weights of rows and columns in an optimal tableau, whose last entry is the sum of either; `None` if they do
    /// not fit.
    fn weights(&self, bounds: &[N]) -> Option<[Entries<N>; 2]> {
        let wide = self.width - 1;
        let [mut rows, mut columns] =
            [self.high, wide].map(|count| (0..count).map(|_| N::from(0)).collect::<Entries<N>>());
        for (column, &variable) in self.others.iter().enumerate().filter(|(_, variable)| **variable >= wide) {
            let row = variable - wide;
            rows[row] = self.at(self.high, column).times(&bounds[row])?;
        }
        for (row, &variable) in self.basic.iter().enumerate().filter(|(_, variable)| **variable < wide) {
            columns[variable] = self.at(row, wide).clone();
        }
        Some([rows, columns])
    }
}
