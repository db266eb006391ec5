//! Dōbutsu shōgi by its rules in prose.

use super::squares::{SLANT, STRAIGHT, Squares};
use super::{Board, End, compare};

struct Dobutsu {
    squares: Squares,
    pieces: &'static [Kind],
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Lion,
    Elephant,
    Giraffe,
    Chick,
    Hen,
}

/// In hand, by their numbers.
const HELD: [Kind; 3] = [Kind::Elephant, Kind::Giraffe, Kind::Chick];

/// What stands on every square and whose it is, what each player holds, and who is to move.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Position {
    cells: Box<[Option<(usize, Kind)>]>,
    hands: [[u8; 3]; 2],
    mover: usize,
}

impl Dobutsu {
    fn new(rows: i32, pieces: &'static [Kind]) -> Self {
        Dobutsu { squares: Squares { columns: 3, rows }, pieces }
    }

    /// The squares that a piece can go to, whatever stands there.
    fn reach(&self, square: usize, player: usize, kind: Kind) -> Vec<usize> {
        let up = if player == 0 { 1 } else { -1 };
        let mut ways = match kind {
            Kind::Lion | Kind::Hen => [STRAIGHT, SLANT].concat(),
            Kind::Elephant => SLANT.to_vec(),
            Kind::Giraffe => STRAIGHT.to_vec(),
            Kind::Chick => vec![(0, up)],
        };
        if kind == Kind::Hen {
            ways.retain(|way| way.0 == 0 || way.1 != -up);
        }
        ways.into_iter().filter_map(|way| self.squares.step(square, way)).collect()
    }

    fn last(&self, player: usize) -> i32 {
        if player == 0 { self.squares.rows - 1 } else { 0 }
    }

    fn own(&self, position: &Position, player: usize) -> Vec<(usize, Kind)> {
        let cells = position.cells.iter().enumerate();
        cells.filter_map(|(square, cell)| cell.filter(|cell| cell.0 == player).map(|cell| (square, cell.1))).collect()
    }
}

impl Board for Dobutsu {
    type Position = Position;

    fn start(&self) -> Position {
        let mut cells = vec![None; self.squares.count()];
        let places = [(Kind::Elephant, 0, 0), (Kind::Lion, 1, 0), (Kind::Giraffe, 2, 0), (Kind::Chick, 1, 1)];
        for (kind, column, row) in places.into_iter().filter(|p| p.0 == Kind::Lion || self.pieces.contains(&p.0)) {
            cells[self.squares.at(column, row).unwrap()] = Some((0, kind));
            cells[self.squares.at(2 - column, self.squares.rows - 1 - row).unwrap()] = Some((1, kind));
        }
        Position { cells: cells.into(), hands: [[0; 3]; 2], mover: 0 }
    }

    fn mover(&self, position: &Position) -> usize {
        position.mover
    }

    fn end(&self, position: &Position) -> Option<End> {
        let (mover, other) = (position.mover, 1 - position.mover);
        let lion = position.cells.iter().position(|cell| *cell == Some((other, Kind::Lion))).unwrap();
        let own = self.own(position, mover);
        if own.iter().any(|&(square, kind)| self.reach(square, mover, kind).contains(&lion)) {
            return Some(End::Won(mover));
        }
        (self.squares.place(lion).1 == self.last(other)).then_some(End::Won(other))
    }

    fn next(&self, position: &Position) -> Vec<Position> {
        let mover = position.mover;
        let mut found = Vec::new();
        for (from, kind) in self.own(position, mover) {
            for to in self.reach(from, mover, kind) {
                let taken = position.cells[to];
                if taken.is_some_and(|cell| cell.0 == mover) {
                    continue;
                }
                let mut next = Position { mover: 1 - mover, ..position.clone() };
                let grows = kind == Kind::Chick && self.squares.place(to).1 == self.last(mover);
                next.cells[from] = None;
                next.cells[to] = Some((mover, if grows { Kind::Hen } else { kind }));
                if let Some((_, taken)) = taken {
                    let held = if taken == Kind::Hen { Kind::Chick } else { taken };
                    next.hands[mover][HELD.iter().position(|kind| *kind == held).unwrap()] += 1;
                }
                found.push(next);
            }
        }
        for to in (0..position.cells.len()).filter(|&square| position.cells[square].is_none()) {
            for (number, kind) in HELD.into_iter().enumerate().filter(|held| position.hands[mover][held.0] > 0) {
                let mut next = Position { mover: 1 - mover, ..position.clone() };
                next.hands[mover][number] -= 1;
                next.cells[to] = Some((mover, kind));
                found.push(next);
            }
        }
        found
    }
}

/// A position with the other player to move is the same turned around, and both can be reached.
#[test]
fn dobutsu_shogi() {
    let sets: [(i32, &[Kind], &str); 5] = [
        (3, &[Kind::Elephant], "elephant"),
        (3, &[Kind::Giraffe], "giraffe"),
        (4, &[Kind::Chick], "chick"),
        (5, &[Kind::Chick], "chick"),
        (3, &[Kind::Elephant, Kind::Giraffe], "elephant giraffe"),
    ];
    for (rows, pieces, words) in sets {
        let [first, second, drawn, endless] =
            compare(&format!("dobutsu {rows} {words}"), &Dobutsu::new(rows, pieces)).by_end();
        assert!(first == second && drawn == 0 && endless > 0, "{rows} {words}");
    }
}
