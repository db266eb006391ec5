//! Hare and Hounds by its rules in prose.

use super::{Board, End, compare};

/// Columns of three places between the ends.
struct Hare(i32);

/// A column, and a row from -1 to 1.
type Place = (i32, i32);

impl Hare {
    fn places(&self) -> Vec<Place> {
        let mut places = vec![(0, 0), (self.0 + 1, 0)];
        places.extend((1..=self.0).flat_map(|column| (-1..=1).map(move |row| (column, row))));
        places
    }

    /// Lines are drawn between neighbours in a column or row, from the ends, and around the middle of each even column.
    fn joined(&self, (a, b): Place, (c, d): Place) -> bool {
        let hub = |place: Place| place.1 == 0 && place.0 % 2 == 0;
        let beside = a.abs_diff(c).max(b.abs_diff(d)) == 1;
        beside && (a == c || b == d || hub((a, b)) || hub((c, d)))
    }
}

impl Board for Hare {
    /// The hounds in order, the hare, and who is to move.
    type Position = ([Place; 3], Place, usize);

    fn start(&self) -> Self::Position {
        ([(0, 0), (1, -1), (1, 1)], (self.0 + 1, 0), 0)
    }

    fn mover(&self, position: &Self::Position) -> usize {
        position.2
    }

    fn end(&self, position: &Self::Position) -> Option<End> {
        let (hounds, hare, mover) = position;
        if hounds.iter().all(|hound| hound.0 >= hare.0) {
            return Some(End::Won(1));
        }
        (*mover == 1 && self.next(position).is_empty()).then_some(End::Won(0))
    }

    fn next(&self, &(hounds, hare, mover): &Self::Position) -> Vec<Self::Position> {
        let mut blank = self.places();
        blank.retain(|place| *place != hare && !hounds.contains(place));
        let mut found = Vec::new();
        for to in blank {
            if mover == 1 {
                found.extend(self.joined(hare, to).then_some((hounds, to, 0)));
                continue;
            }
            for index in 0..3 {
                if self.joined(hounds[index], to) && to.0 >= hounds[index].0 {
                    let mut hounds = hounds;
                    hounds[index] = to;
                    hounds.sort_unstable();
                    found.push((hounds, hare, 1));
                }
            }
        }
        found
    }
}

/// The hounds win on the usual board of eleven places, and on larger ones.
#[test]
fn hare_and_hounds() {
    for (columns, states) in [(1, 13), (3, 2_116), (5, 15_127)] {
        let figures = compare(&format!("hare-and-hounds {columns}"), &Hare(columns));
        assert_eq!((figures.states, figures.start.map(|worth| worth.0)), (states, Some(End::Won(0))), "{columns}");
    }
}
