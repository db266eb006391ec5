//! Breakthrough by its rules in prose.

use super::squares::Squares;
use super::{Board, End, compare};

struct Breakthrough(Squares);

impl Board for Breakthrough {
    /// By square 0 or 1 for a pawn of a player, 2 for none; and who is to move.
    type Position = (Box<[u8]>, usize);

    fn start(&self) -> Self::Position {
        let owner = |row: i32| if row < 2 { 0 } else { 1 + u8::from(row < self.0.rows - 2) };
        ((0..self.0.count()).map(|square| owner(self.0.place(square).1)).collect(), 0)
    }

    fn mover(&self, position: &Self::Position) -> usize {
        position.1
    }

    fn end(&self, (cells, mover): &Self::Position) -> Option<End> {
        let other = 1 - mover;
        let goal = if other == 0 { self.0.rows - 1 } else { 0 };
        let through = (0..self.0.columns).any(|column| cells[self.0.at(column, goal).unwrap()] == other as u8);
        (through || !cells.contains(&(*mover as u8))).then_some(End::Won(other))
    }

    fn next(&self, (cells, mover): &Self::Position) -> Vec<Self::Position> {
        let up = if *mover == 0 { 1 } else { -1 };
        let mut found = Vec::new();
        for from in (0..cells.len()).filter(|&square| cells[square] == *mover as u8) {
            for across in -1..=1 {
                let Some(to) = self.0.step(from, (across, up)) else { continue };
                if cells[to] == 2 || across != 0 && cells[to] != *mover as u8 {
                    let mut cells = cells.clone();
                    cells[to] = *mover as u8;
                    cells[from] = 2;
                    found.push((cells, 1 - mover));
                }
            }
        }
        found
    }
}

/// Which player wins.
#[test]
fn breakthrough() {
    for (columns, rows, winner) in [(2, 4, 1), (3, 4, 1), (2, 5, 1), (2, 6, 0)] {
        let figures = compare(&format!("breakthrough {columns} {rows}"), &Breakthrough(Squares { columns, rows }));
        assert_eq!(figures.start.map(|worth| worth.0), Some(End::Won(winner)), "{columns} {rows}");
    }
}
