//! Squares of a board by column and row, counted from 0.

/// A board of squares.
#[derive(Clone, Copy)]
pub struct Squares {
    pub columns: i32,
    pub rows: i32,
}

/// The steps along a row or column, and along a diagonal.
pub const STRAIGHT: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
pub const SLANT: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

impl Squares {
    pub fn count(self) -> usize {
        (self.columns * self.rows) as usize
    }

    pub fn place(self, square: usize) -> (i32, i32) {
        (square as i32 % self.columns, square as i32 / self.columns)
    }

    pub fn at(self, column: i32, row: i32) -> Option<usize> {
        let on = (0..self.columns).contains(&column) && (0..self.rows).contains(&row);
        on.then(|| (row * self.columns + column) as usize)
    }

    /// The square a step away.
    pub fn step(self, square: usize, (across, up): (i32, i32)) -> Option<usize> {
        let (column, row) = self.place(square);
        self.at(column + across, row + up)
    }

    /// The squares along a way, up to and including the first one on which something stands.
    pub fn along(self, square: usize, way: (i32, i32), stands: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut squares = Vec::new();
        let mut next = self.step(square, way);
        while let Some(square) = next {
            squares.push(square);
            next = if stands(square) { None } else { self.step(square, way) };
        }
        squares
    }
}
