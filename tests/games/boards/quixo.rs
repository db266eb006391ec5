//! Quixo by its rules in prose.

use super::squares::Squares;
use super::{Board, End, compare};

struct Quixo(Squares);

impl Quixo {
    fn size(&self) -> i32 {
        self.0.columns
    }

    fn has_line(&self, cubes: u32) -> bool {
        let has = |column: i32, row: i32| cubes >> self.0.at(column, row).expect("on the board") & 1 == 1;
        let (size, mut along) = (self.size(), 0..self.size());
        along.clone().any(|line| (0..size).all(|k| has(k, line)) || (0..size).all(|k| has(line, k)))
            || along.clone().all(|k| has(k, k))
            || along.all(|k| has(k, size - 1 - k))
    }
}

impl Board for Quixo {
    /// The cubes of each player, a bit for each; and who is to move.
    type Position = ([u32; 2], usize);

    fn start(&self) -> Self::Position {
        ([0, 0], 0)
    }

    fn mover(&self, position: &Self::Position) -> usize {
        position.1
    }

    /// Who made a line for the opponent has lost, whatever else it made.
    fn end(&self, &(cubes, mover): &Self::Position) -> Option<End> {
        [mover, 1 - mover].into_iter().find(|&player| self.has_line(cubes[player])).map(End::Won)
    }

    fn next(&self, &(cubes, mover): &Self::Position) -> Vec<Self::Position> {
        let (last, mut found) = (self.size() - 1, Vec::new());
        for from in (0..self.0.count()).filter(|&square| cubes[1 - mover] >> square & 1 == 0) {
            let (column, row) = self.0.place(from);
            if ![column, row].iter().any(|place| [0, last].contains(place)) {
                continue;
            }
            for to in [(0, row), (last, row), (column, 0), (column, last)] {
                let to = self.0.at(to.0, to.1).expect("on the board");
                if to == from {
                    continue;
                }
                // Each cube between moves one place towards the gap.
                let (at, end) = (self.0.place(from), self.0.place(to));
                let way = ((end.0 - at.0).signum(), (end.1 - at.1).signum());
                let (mut after, mut gap) = (cubes, from);
                after.iter_mut().for_each(|own| *own &= !(1 << gap));
                while gap != to {
                    let next = self.0.step(gap, way).expect("a place on the way to the end");
                    for own in &mut after {
                        *own = *own & !(1 << gap) | (*own >> next & 1) << gap;
                    }
                    gap = next;
                }
                after.iter_mut().for_each(|own| *own &= !(1 << to));
                after[mover] |= 1 << to;
                found.push((after, 1 - mover));
            }
        }
        found
    }
}

#[test]
fn quixo() {
    for (size, states) in [(2, None), (3, Some(32_027))] {
        let figures = compare(&format!("quixo {size}"), &Quixo(Squares { columns: size, rows: size }));
        assert_eq!(figures.start.map(|worth| worth.0), Some(End::Won(0)), "{size}");
        assert!(states.is_none_or(|states| states == figures.states), "{size}");
    }
}
