//! The simplex method in whole numbers (Edmonds 1967, Bareiss 1968): all entries of the tableau have one denominator, the
//! determinant of the basis, so that each is a minor of the matrix and divisions leave no rest.
//!
//! The payoffs are shifted to be positive; then the column player's weights `y ≥ 0` of greatest sum with `A · y ≤ 1` are,
//! divided by their sum, an optimal strategy; the weights of the dual that of the other player, and one by the sum is the
//! value (Dantzig 1951). The column that promises most enters; from a pivot that gains nothing on, until one that does,
//! the first one enters, and of rows that bound equally the first variable leaves (Bland 1977), so that no basis comes
//! twice.

use std::cmp::Ordering;

use base::limits::{LimitReached, Limits, Reserved};
use num_bigint::BigInt;
use smallvec::SmallVec;

use super::dominance::Kept;
use super::number::Number;
use super::{Entries, LARGE, Rational};

/// Weights of the moves that are kept, of which each player's sum is the total.
pub struct Optimum<N> {
    pub rows: SmallVec<[N; 8]>,
    pub columns: SmallVec<[N; 8]>,
    pub total: N,
    /// The value is `determinant / total` once the shift is undone.
    determinant: N,
    unit: N,
    least: N,
}

impl<N: Number> Optimum<N> {
    /// The value of the game whose payoffs were multiplied by the scale.
    pub fn value(&self, scale: &N) -> Rational {
        let small = || {
            let above = self.determinant.minus(&self.total)?.times(&self.unit)?;
            let below = self.least.times(&self.total)?;
            Some(N::ratio(&above.plus(&below)?, &self.total.times(scale)?))
        };
        let large = || {
            let total = self.total.big();
            let above = (self.determinant.big() - &total) * self.unit.big() + self.least.big() * &total;
            BigInt::ratio(&above, &(total * scale.big()))
        };
        small().unwrap_or_else(large)
    }
}

/// A strategy of each player by one basis. `None`: the numbers do not fit.
pub fn optimum<N: Number>(
    kept: &Kept,
    columns: usize,
    entries: &[N],
    limits: &Limits,
) -> Result<Option<Optimum<N>>, LimitReached> {
    let places = kept.rows.iter().flat_map(|row| kept.columns.iter().map(move |column| row * columns + column));
    let least = places.clone().map(|place| &entries[place]).min().expect("a matrix has entries").clone();
    let Some(mut shifted) = places.map(|place| entries[place].minus(&least)).collect::<Option<Entries<N>>>() else {
        return Ok(None);
    };
    let unit =
        shifted.iter().fold(N::from(0), |unit, entry| if unit == N::from(1) { unit } else { unit.divisor(entry) });
    let one = N::from(1);
    for entry in &mut shifted {
        match entry.divided(&unit).plus(&one) {
            Some(positive) => *entry = positive,
            None => return Ok(None),
        }
    }
    let (high, wide) = (kept.rows.len(), kept.columns.len());
    let _held = reserve::<N>(high, wide, &shifted, limits)?;
    let mut tableau = Tableau::new(high, wide, shifted);
    let large = N::GROWS || high * wide > LARGE;
    let mut stalled = false;
    while let Some(column) = tableau.entering(stalled) {
        if large {
            limits.check()?;
        }
        let Some(row) = tableau.leaving(column) else { return Ok(None) };
        // What bounds the column is 0: the pivot changes the basis alone.
        stalled = tableau.at(row, wide) == &N::from(0);
        if tableau.exchange(row, column).is_none() {
            return Ok(None);
        }
    }
    Ok(Some(tableau.weights(unit, least)))
}

/// Reserves what the tableau may take if it may be much: each minor of numbers of any size has at most the bits of
/// Hadamard's bound.
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

/// The equations `basic + Σ entry · other = bound` of each row, and a last one of the sum, all times the determinant.
struct Tableau<N> {
    high: usize,
    /// Columns of a row, the bound among them.
    width: usize,
    entries: Entries<N>,
    /// The variable of each row and each column: the weight of a column of the matrix, or from `wide` on the slack of a
    /// row.
    basic: SmallVec<[usize; 8]>,
    others: SmallVec<[usize; 8]>,
    determinant: N,
}

impl<N: Number> Tableau<N> {
    fn new(high: usize, wide: usize, matrix: Entries<N>) -> Self {
        let width = wide + 1;
        let mut entries = Entries::with_capacity((high + 1) * width);
        for row in matrix.chunks(wide) {
            entries.extend(row.iter().cloned());
            entries.push(N::from(1));
        }
        entries.extend((0..wide).map(|_| N::from(-1)));
        entries.push(N::from(0));
        let (basic, others) = ((wide..wide + high).collect(), (0..wide).collect());
        Tableau { high, width, entries, basic, others, determinant: N::from(1) }
    }

    fn at(&self, row: usize, column: usize) -> &N {
        &self.entries[row * self.width + column]
    }

    /// The column that raises the sum most, or the one of the first variable that raises it.
    fn entering(&self, first: bool) -> Option<usize> {
        let gains = &self.entries[self.high * self.width..][..self.width - 1];
        let raising = (0..gains.len()).filter(|&column| gains[column] < N::from(0));
        if first {
            return raising.min_by_key(|&column| self.others[column]);
        }
        raising.min_by(|&one, &other| gains[one].cmp(&gains[other]))
    }

    /// The row that bounds the column most, of several that of the first variable. `None`: the numbers do not fit.
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

    /// Exchanges the variables of a row and a column. `None`: the numbers do not fit, and the tableau is spoilt.
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

    /// The weights of an optimal tableau.
    fn weights(&self, unit: N, least: N) -> Optimum<N> {
        let wide = self.width - 1;
        let mut rows: SmallVec<[N; 8]> = (0..self.high).map(|_| N::from(0)).collect();
        let mut columns: SmallVec<[N; 8]> = (0..wide).map(|_| N::from(0)).collect();
        for (column, &variable) in self.others.iter().enumerate().filter(|(_, variable)| **variable >= wide) {
            rows[variable - wide] = self.at(self.high, column).clone();
        }
        for (row, &variable) in self.basic.iter().enumerate().filter(|(_, variable)| **variable < wide) {
            columns[variable] = self.at(row, wide).clone();
        }
        let (total, determinant) = (self.at(self.high, wide).clone(), self.determinant.clone());
        Optimum { rows, columns, total, determinant, unit, least }
    }
}
