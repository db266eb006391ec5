//! Tic Tac Chec by its rules in prose.

use super::squares::{SLANT, STRAIGHT, Squares};
use super::{Board, End, compare};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Piece {
    Rook,
    Bishop,
    Knight,
    Pawn,
}

struct Chec {
    squares: Squares,
    pieces: &'static [Piece],
}

/// By square a piece, whose it is, and whether it is a pawn on its way back; how many moves were made, as far as the
/// opening goes; and who is to move.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Position {
    cells: Box<[Option<(usize, Piece, bool)>]>,
    opened: usize,
    mover: usize,
}

impl Chec {
    fn opening(&self) -> usize {
        2 * (self.pieces.len() - 1)
    }

    /// The squares on which a piece can move or take.
    fn reach(&self, cells: &[Option<(usize, Piece, bool)>], from: usize) -> Vec<usize> {
        let Some((player, piece, returns)) = cells[from] else { return Vec::new() };
        let along = |ways: [(i32, i32); 4]| {
            let squares =
                ways.into_iter().flat_map(|way| self.squares.along(from, way, |square| cells[square].is_some()));
            squares.collect::<Vec<_>>()
        };
        let mut found = match piece {
            Piece::Rook => along(STRAIGHT),
            Piece::Bishop => along(SLANT),
            Piece::Knight => {
                let ways = (-2..=2).flat_map(|across: i32| (-2..=2).map(move |up: i32| (across, up)));
                let ways = ways.filter(|&(across, up)| across.abs() * up.abs() == 2);
                ways.filter_map(|way| self.squares.step(from, way)).collect()
            }
            Piece::Pawn => {
                let up = if (player == 0) == returns { -1 } else { 1 };
                let ahead = self.squares.step(from, (0, up)).filter(|&to| cells[to].is_none());
                let aside = [-1, 1].into_iter().filter_map(|across| self.squares.step(from, (across, up)));
                aside.filter(|&to| cells[to].is_some()).chain(ahead).collect()
            }
        };
        found.retain(|&to| cells[to].is_none_or(|cell| cell.0 != player));
        found
    }

    /// The position after a piece comes to a square.
    fn after(&self, position: &Position, from: Option<usize>, to: usize, piece: (Piece, bool)) -> Position {
        let mut next = position.clone();
        let row = self.squares.place(to).1;
        let far = if (position.mover == 0) == piece.1 { 0 } else { self.squares.rows - 1 };
        let turns = piece.0 == Piece::Pawn && row == far;
        if let Some(from) = from {
            next.cells[from] = None;
        }
        next.cells[to] = Some((position.mover, piece.0, piece.1 ^ turns));
        next.opened = self.opening().min(next.opened + 1);
        next.mover = 1 - position.mover;
        next
    }
}

impl Board for Chec {
    type Position = Position;

    fn start(&self) -> Position {
        Position { cells: vec![None; self.squares.count()].into(), opened: 0, mover: 0 }
    }

    fn mover(&self, position: &Position) -> usize {
        position.mover
    }

    fn end(&self, position: &Position) -> Option<End> {
        let other = 1 - position.mover;
        let size = self.squares.rows;
        let own = |column, row| {
            let square = self.squares.at(column, row).unwrap();
            position.cells[square].is_some_and(|cell| cell.0 == other)
        };
        let line = (0..size).any(|a| (0..size).all(|b| own(a, b)) || (0..size).all(|b| own(b, a)))
            || (0..size).all(|a| own(a, a))
            || (0..size).all(|a| own(a, size - 1 - a));
        line.then_some(End::Won(other))
    }

    fn next(&self, position: &Position) -> Vec<Position> {
        let mut found = Vec::new();
        let own: Vec<(usize, Piece, bool)> = (0..position.cells.len())
            .filter_map(|square| position.cells[square].map(|cell| (square, cell)))
            .filter(|(_, cell)| cell.0 == position.mover)
            .map(|(square, cell)| (square, cell.1, cell.2))
            .collect();
        for &piece in self.pieces.iter().filter(|piece| own.iter().all(|held| held.1 != **piece)) {
            for to in (0..position.cells.len()).filter(|&square| position.cells[square].is_none()) {
                found.push(self.after(position, None, to, (piece, false)));
            }
        }
        if position.opened == self.opening() {
            for (from, piece, returns) in own {
                let reach = self.reach(&position.cells, from);
                found.extend(reach.into_iter().map(|to| self.after(position, Some(from), to, (piece, returns))));
            }
        }
        found
    }
}

#[test]
fn tic_tac_chec() {
    let sets: [&[Piece]; 2] =
        [&[Piece::Rook, Piece::Knight, Piece::Pawn], &[Piece::Rook, Piece::Bishop, Piece::Knight]];
    for pieces in sets {
        let words = pieces.iter().map(|piece| format!("{piece:?}").to_lowercase()).collect::<Vec<_>>().join(" ");
        let figures =
            compare(&format!("tic-tac-chec 3 {words}"), &Chec { squares: Squares { columns: 3, rows: 3 }, pieces });
        assert_eq!(figures.start.map(|worth| worth.0), Some(End::Won(0)), "{words}");
    }
}
