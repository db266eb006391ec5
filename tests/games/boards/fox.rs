//! Fox and Geese by its rules in prose.

use super::squares::Squares;
use super::{Board, End, compare};

struct Fox {
    squares: Squares,
    geese: usize,
}

impl Fox {
    fn centre(&self) -> usize {
        self.squares.at((self.squares.columns - 1) / 2, (self.squares.rows - 1) / 2).unwrap()
    }

    /// The ways of the lines through a point.
    fn ways(&self, point: usize) -> Vec<(i32, i32)> {
        let sum = |point| self.squares.place(point).0 + self.squares.place(point).1;
        let slant = (sum(point) - sum(self.centre())) % 2 == 0;
        let all = (-1..=1).flat_map(|across| (-1..=1).map(move |up| (across, up)));
        all.filter(|&(across, up)| (across, up) != (0, 0) && (slant || across == 0 || up == 0)).collect()
    }
}

impl Board for Fox {
    /// The points of the geese, a bit for each, that of the fox, and who is to move.
    type Position = (u32, usize, usize);

    fn start(&self) -> Self::Position {
        let points = (0..self.squares.count()).filter(|&point| point != self.centre());
        (points.take(self.geese).map(|point| 1 << point).sum(), self.centre(), 0)
    }

    fn mover(&self, position: &Self::Position) -> usize {
        position.2
    }

    fn end(&self, position: &Self::Position) -> Option<End> {
        self.next(position).is_empty().then_some(End::Won(1 - position.2))
    }

    fn next(&self, &(geese, fox, mover): &Self::Position) -> Vec<Self::Position> {
        let goose = |point: usize| geese & (1 << point) != 0;
        let blank = |point: &usize| !goose(*point) && *point != fox;
        let mut found = Vec::new();
        if mover == 1 {
            for way in self.ways(fox) {
                let Some(to) = self.squares.step(fox, way) else { continue };
                let behind = self.squares.step(to, way).filter(blank);
                if blank(&to) {
                    found.push((geese, to, 0));
                } else if let Some(behind) = behind {
                    found.push((geese ^ (1 << to), behind, 0));
                }
            }
            return found;
        }
        for from in (0..self.squares.count()).filter(|&point| goose(point)) {
            for way in self.ways(from).into_iter().filter(|way| way.1 >= 0) {
                if let Some(to) = self.squares.step(from, way).filter(blank) {
                    found.push((geese ^ (1 << from) | (1 << to), fox, 1));
                }
            }
        }
        found
    }
}

/// As many geese as close the fox in, and one less, with which nobody can force a win.
#[test]
fn fox_and_geese() {
    for (rows, columns, geese, winner) in
        [(2, 2, 1, Some(1)), (2, 3, 2, None), (3, 3, 5, None), (3, 3, 6, Some(0)), (4, 3, 6, None), (4, 3, 7, Some(0))]
    {
        let board = Fox { squares: Squares { columns, rows }, geese };
        let figures = compare(&format!("fox-and-geese {rows}x{columns} {geese}"), &board);
        assert_eq!(figures.start.map(|worth| worth.0), winner.map(End::Won), "{rows}x{columns} {geese}");
    }
}
