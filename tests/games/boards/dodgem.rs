//! Dodgem by its rules in prose.

use super::squares::Squares;
use super::{Board, End, compare};

struct Dodgem(Squares);

impl Board for Dodgem {
    /// By square 0 for a car of red, 1 for one of blue, 2 for none; and who is to move.
    type Position = (Box<[u8]>, usize);

    fn start(&self) -> Self::Position {
        let owner = |square| match self.0.place(square) {
            (0, 1..) => 0,
            (1.., 0) => 1,
            _ => 2,
        };
        ((0..self.0.count()).map(owner).collect(), 0)
    }

    fn mover(&self, position: &Self::Position) -> usize {
        position.1
    }

    fn end(&self, position: &Self::Position) -> Option<End> {
        let (cells, mover) = position;
        if let Some(gone) = (0..2).find(|player| !cells.contains(player)) {
            return Some(End::Won(gone.into()));
        }
        self.next(position).is_empty().then_some(End::Won(*mover))
    }

    fn next(&self, (cells, mover): &Self::Position) -> Vec<Self::Position> {
        let ahead = [(1, 0), (0, 1)][*mover];
        let sides = [[(0, 1), (0, -1)], [(1, 0), (-1, 0)]][*mover];
        let mut found = Vec::new();
        for from in (0..cells.len()).filter(|&square| cells[square] == *mover as u8) {
            let mut cleared = cells.clone();
            cleared[from] = 2;
            for way in [ahead, sides[0], sides[1]] {
                match self.0.step(from, way) {
                    Some(to) if cells[to] == 2 => {
                        let mut moved = cleared.clone();
                        moved[to] = *mover as u8;
                        found.push((moved, 1 - mover));
                    }
                    None if way == ahead => found.push((cleared.clone(), 1 - mover)),
                    _ => {}
                }
            }
        }
        found
    }
}

/// Winning Ways: the first player wins on three by three squares. On four by four nobody can force a win.
#[test]
fn dodgem() {
    let board = |size| Dodgem(Squares { columns: size, rows: size });
    assert_eq!(compare("dodgem 2", &board(2)).states, 15);
    let figures = compare("dodgem 3", &board(3));
    assert_eq!((figures.states, figures.start.map(|worth| worth.0)), (1_963, Some(End::Won(0))));
    let figures = compare("dodgem 4", &board(4));
    assert_eq!((figures.states, figures.start, figures.by_end()[3]), (393_900, None, 35_281));
}
