//! Endings of chess by the rules of chess.

use super::squares::{SLANT, STRAIGHT, Squares};
use super::{Board, End, compare};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Piece {
    Queen,
    Rook,
    Pawn,
}

struct Ending {
    squares: Squares,
    piece: Piece,
}

/// White's king, the piece of white until it is taken, black's king, and who is to move.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Position {
    king: usize,
    piece: Option<(Piece, usize)>,
    black: usize,
    mover: usize,
}

impl Ending {
    fn new(piece: Piece, size: i32) -> Self {
        Ending { squares: Squares { columns: size, rows: size }, piece }
    }

    fn beside(&self, one: usize, other: usize) -> bool {
        let ((a, b), (c, d)) = (self.squares.place(one), self.squares.place(other));
        a.abs_diff(c).max(b.abs_diff(d)) == 1
    }

    fn ways(piece: Piece) -> Vec<(i32, i32)> {
        match piece {
            Piece::Queen => [STRAIGHT, SLANT].concat(),
            Piece::Rook => STRAIGHT.to_vec(),
            Piece::Pawn => Vec::new(),
        }
    }

    /// Whether the piece of white gives check.
    fn check(&self, position: &Position) -> bool {
        let Some((piece, square)) = position.piece else { return false };
        let stands = |square| square == position.king || square == position.black;
        let pawn = [(1, 1), (-1, 1)].into_iter().filter(|_| piece == Piece::Pawn);
        pawn.filter_map(|way| self.squares.step(square, way)).any(|to| to == position.black)
            || Self::ways(piece)
                .into_iter()
                .any(|way| self.squares.along(square, way, stands).last() == Some(&position.black))
    }

    fn legal(&self, position: &Position) -> bool {
        let attacked = position.mover == 0 && self.check(position);
        !attacked && position.king != position.black && !self.beside(position.king, position.black)
    }

    fn after_piece(&self, position: &Position, piece: Piece, square: usize) -> Vec<Position> {
        let stands = |square| square == position.king || square == position.black;
        let put = |piece, square| Position { piece: Some((piece, square)), ..position.clone() };
        let (size, mut found) = (self.squares.rows, Vec::new());
        for way in Self::ways(piece) {
            let squares = self.squares.along(square, way, stands);
            found.extend(squares.into_iter().filter(|&to| !stands(to)).map(|to| put(piece, to)));
        }
        if piece == Piece::Pawn {
            let (column, row) = self.squares.place(square);
            let free = |row| self.squares.at(column, row).filter(|&square| !stands(square));
            match free(row + 1) {
                Some(to) if row + 2 == size => found.extend([put(Piece::Queen, to), put(Piece::Rook, to)]),
                Some(to) => {
                    found.push(put(Piece::Pawn, to));
                    let twice = free(row + 2).filter(|_| row == 1 && size >= 6);
                    found.extend(twice.map(|to| put(Piece::Pawn, to)));
                }
                None => {}
            }
        }
        found
    }
}

impl Board for Ending {
    type Position = Position;

    fn start(&self) -> Position {
        let last = self.squares.rows - 1;
        let middle = last / 2;
        let at = |column, row| self.squares.at(column, row).unwrap();
        let (king, piece, black) = match self.piece {
            Piece::Pawn => (at(middle, 0), at(middle, 1), at(middle, last)),
            _ => (at(0, last), at(0, 0), at(last, last - 1)),
        };
        Position { king, piece: Some((self.piece, piece)), black, mover: 0 }
    }

    fn mover(&self, position: &Position) -> usize {
        position.mover
    }

    fn end(&self, position: &Position) -> Option<End> {
        if position.piece.is_some() && !self.next(position).is_empty() {
            return None;
        }
        let mate = position.mover == 1 && self.check(position);
        Some(if mate { End::Won(0) } else { End::Drawn })
    }

    fn next(&self, position: &Position) -> Vec<Position> {
        let mover = 1 - position.mover;
        let mut found = Vec::new();
        let from = if position.mover == 0 { position.king } else { position.black };
        for way in STRAIGHT.into_iter().chain(SLANT) {
            let Some(to) = self.squares.step(from, way) else { continue };
            let taken = position.piece.is_some_and(|piece| piece.1 == to);
            if position.mover == 1 {
                let piece = position.piece.filter(|_| !taken);
                found.push(Position { piece, black: to, mover, ..position.clone() });
            } else if !taken {
                found.push(Position { king: to, mover, ..position.clone() });
            }
        }
        if let Some((piece, square)) = position.piece.filter(|_| position.mover == 0) {
            let after = self.after_piece(position, piece, square);
            found.extend(after.into_iter().map(|position| Position { mover, ..position }));
        }
        found.retain(|position| self.legal(position));
        found
    }
}

/// Most plies to mate in any position, by pieces and sizes.
#[test]
fn chess_endings() {
    let longest: [(&str, Piece, i32, [u32; 3]); 3] = [
        ("rook", Piece::Rook, 3, [6, 14, 20]),
        ("queen", Piece::Queen, 3, [2, 8, 12]),
        ("pawn", Piece::Pawn, 4, [20, 22, 29]),
    ];
    for (name, piece, first, longest) in longest {
        for (size, longest) in (first..).zip(longest) {
            let figures = compare(&format!("chess-ending {name} {size}"), &Ending::new(piece, size));
            assert_eq!(figures.longest(0), Some(longest), "{name} {size}");
        }
    }
}

/// As is known from the first tables of endings, in moves of white.
#[test]
fn longest_mates_on_a_board_of_chess() {
    for (name, piece, most) in [("rook", Piece::Rook, 16), ("queen", Piece::Queen, 10)] {
        let figures = compare(&format!("chess-ending {name} 8"), &Ending::new(piece, 8));
        assert_eq!(figures.longest(0).map(|plies| plies.div_ceil(2)), Some(most), "{name}");
    }
}
