//! Teeko by its rules in prose.

use super::squares::{SLANT, STRAIGHT, Squares};
use super::{Board, End, compare};

struct Teeko(Squares);

impl Board for Teeko {
    /// The squares of each player's men, a bit for each; and who is to move.
    type Position = ([u32; 2], usize);

    fn start(&self) -> Self::Position {
        ([0, 0], 0)
    }

    fn mover(&self, position: &Self::Position) -> usize {
        position.1
    }

    fn end(&self, (men, mover): &Self::Position) -> Option<End> {
        let other = 1 - mover;
        let has = |square: Option<usize>| square.is_some_and(|square| men[other] >> square & 1 != 0);
        let four = (0..self.0.count()).any(|square| {
            let step = |across, up| self.0.step(square, (across, up));
            let line = |(across, up): (i32, i32)| (0..4).all(|k| has(step(k * across, k * up)));
            [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(line)
                || [(0, 0), (1, 0), (0, 1), (1, 1)].into_iter().all(|(across, up)| has(step(across, up)))
        });
        four.then_some(End::Won(other))
    }

    fn next(&self, &(men, mover): &Self::Position) -> Vec<Self::Position> {
        let blank = |square: usize| (men[0] | men[1]) >> square & 1 == 0;
        let mut found = Vec::new();
        let mut leave = |own: u32| {
            let mut men = men;
            men[mover] = own;
            found.push((men, 1 - mover));
        };
        if men[mover].count_ones() < 4 {
            (0..self.0.count()).filter(|&square| blank(square)).for_each(|square| leave(men[mover] | 1 << square));
            return found;
        }
        for from in (0..self.0.count()).filter(|&square| men[mover] >> square & 1 != 0) {
            for way in STRAIGHT.into_iter().chain(SLANT) {
                if let Some(to) = self.0.step(from, way).filter(|&to| blank(to)) {
                    leave(men[mover] & !(1 << from) | 1 << to);
                }
            }
        }
        found
    }
}

#[test]
fn teeko() {
    let figures = compare("teeko 4", &Teeko(Squares { columns: 4, rows: 4 }));
    assert_eq!((figures.states, figures.start), (2_400_087, None));
}
