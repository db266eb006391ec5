//! Saddle points, and dominated moves.

use base::limits::{LimitReached, Limits};
use smallvec::SmallVec;

pub struct Kept {
    pub rows: SmallVec<[usize; 8]>,
    pub columns: SmallVec<[usize; 8]>,
    /// The position of a least entry in these rows and columns.
    pub least: usize,
}

/// The first row with the greatest least entry and the first column with the least greatest entry, if these are equal.
pub fn saddle<N: Ord>(columns: usize, entries: &[N]) -> Option<(usize, usize)> {
    let least =
        |row: &[N]| -> usize { (1..columns).fold(0, |best, other| if row[other] < row[best] { other } else { best }) };
    let greatest = |column: usize| -> usize {
        let places = (column..entries.len()).step_by(columns);
        places.fold(column, |best, other| if entries[other] > entries[best] { other } else { best })
    };
    let lows = entries.chunks(columns).map(least).enumerate().map(|(row, column)| row * columns + column);
    let low = lows.reduce(|best, other| if entries[other] > entries[best] { other } else { best })?;
    let high =
        (0..columns).map(greatest).reduce(|best, other| if entries[other] < entries[best] { other } else { best })?;
    (entries[low] == entries[high]).then_some((low / columns, high % columns))
}

/// Repeatedly removes moves that are never better than another move; of equal moves the first stays. The value stays
/// the same, and optimal strategies of the kept part are optimal in the whole game.
pub fn undominated<N: Ord>(rows: usize, columns: usize, entries: &[N], limits: &Limits) -> Result<Kept, LimitReached> {
    let mut kept = Kept { rows: (0..rows).collect(), columns: (0..columns).collect(), least: 0 };
    let check = || if entries.len() > super::LARGE { limits.check() } else { Ok(()) };
    loop {
        let before = (kept.rows.len(), kept.columns.len());
        let Kept { rows, columns: across, .. } = &mut kept;
        thin(rows, check, |row, other| {
            across.iter().all(|column| entries[other * columns + column] >= entries[row * columns + column])
        })?;
        thin(across, check, |column, other| {
            rows.iter().all(|row| entries[row * columns + other] <= entries[row * columns + column])
        })?;
        if before == (rows.len(), across.len()) {
            let places = rows.iter().flat_map(|row| across.iter().map(move |column| row * columns + column));
            kept.least = places.min_by_key(|&place| &entries[place]).expect("one of equal moves is kept");
            return Ok(kept);
        }
    }
}

fn thin(
    moves: &mut SmallVec<[usize; 8]>,
    check: impl Fn() -> Result<(), LimitReached>,
    dominated: impl Fn(usize, usize) -> bool,
) -> Result<(), LimitReached> {
    for place in (0..moves.len()).rev() {
        check()?;
        let candidate = moves[place];
        if moves.iter().any(|&other| other != candidate && dominated(candidate, other)) {
            moves.remove(place);
        }
    }
    Ok(())
}
