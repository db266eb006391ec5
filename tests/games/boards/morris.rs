//! Morris by its rules in prose: men are placed and then moved; of three men nobody takes any, of six who makes a mill.

use super::{Board, End, compare};

struct Morris {
    points: usize,
    steps: Vec<(usize, usize)>,
    mills: Vec<[usize; 3]>,
    men: u8,
    /// Mills take men; without that, they win.
    takes: bool,
    /// Who has three men left may move to any point.
    flying: bool,
}

/// A square of eight points, clockwise from a corner.
fn square(first: usize) -> (Vec<(usize, usize)>, Vec<[usize; 3]>) {
    let point = |place: usize| first + place % 8;
    let steps = (0..8).map(|place| (point(place), point(place + 1))).collect();
    let mills = (0..8).step_by(2).map(|place| [point(place), point(place + 1), point(place + 2)]).collect();
    (steps, mills)
}

fn three() -> Morris {
    let (mut steps, mut mills) = square(0);
    steps.extend((0..8).map(|point| (point, 8)));
    mills.extend((0..4).map(|point| [point, 8, point + 4]));
    Morris { points: 9, steps, mills, men: 3, takes: false, flying: false }
}

/// Two squares, joined at the middles of their sides.
fn six(flying: bool) -> Morris {
    let ((mut steps, mut mills), inner) = (square(0), square(8));
    steps.extend(inner.0);
    mills.extend(inner.1);
    steps.extend((1..8).step_by(2).map(|point| (point, point + 8)));
    Morris { points: 16, steps, mills, men: 6, takes: true, flying }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Position {
    /// The points of each player's men, a bit for each.
    on: [u16; 2],
    hand: [u8; 2],
    mover: bool,
    taking: bool,
}

impl Morris {
    fn is_milled(&self, men: u16, point: usize) -> bool {
        self.mills.iter().any(|mill| mill.contains(&point) && mill.iter().all(|&other| men >> other & 1 == 1))
    }

    fn men(&self, position: &Position, player: usize) -> u32 {
        u32::from(position.hand[player]) + position.on[player].count_ones()
    }

    /// The points from and to which a player may move.
    fn ways(&self, position: &Position, player: usize) -> Vec<(usize, usize)> {
        let blank = |point: usize| (position.on[0] | position.on[1]) >> point & 1 == 0;
        let own = |point: usize| position.on[player] >> point & 1 == 1;
        if self.flying && self.men(position, player) == 3 {
            let pairs = (0..self.points).flat_map(|from| (0..self.points).map(move |to| (from, to)));
            return pairs.filter(|&(from, to)| own(from) && blank(to)).collect();
        }
        let both = self.steps.iter().flat_map(|&(one, other)| [(one, other), (other, one)]);
        both.filter(|&(from, to)| own(from) && blank(to)).collect()
    }
}

impl Board for Morris {
    type Position = Position;

    fn start(&self) -> Position {
        Position { on: [0; 2], hand: [self.men; 2], mover: false, taking: false }
    }

    fn mover(&self, position: &Position) -> usize {
        usize::from(position.mover)
    }

    fn end(&self, position: &Position) -> Option<End> {
        let mover = self.mover(position);
        let few = |player: usize| self.takes && self.men(position, player) < 3;
        let lined = |player: usize| (0..self.points).any(|point| self.is_milled(position.on[player], point));
        for player in [0, 1] {
            if few(1 - player) || !self.takes && lined(player) {
                return Some(End::Won(player));
            }
        }
        let stuck = !position.taking && position.hand[mover] == 0 && self.ways(position, mover).is_empty();
        stuck.then_some(End::Won(1 - mover))
    }

    fn next(&self, position: &Position) -> Vec<Position> {
        let (mover, other) = (self.mover(position), 1 - self.mover(position));
        let passed = Position { mover: !position.mover, taking: false, ..*position };
        if position.taking {
            let theirs = position.on[other];
            let men: Vec<usize> = (0..self.points).filter(|&point| theirs >> point & 1 == 1).collect();
            let loose: Vec<usize> = men.iter().copied().filter(|&point| !self.is_milled(theirs, point)).collect();
            let take = |&point: &usize| {
                let mut after = passed;
                after.on[other] &= !(1 << point);
                after
            };
            return if loose.is_empty() { &men } else { &loose }.iter().map(take).collect();
        }
        let come = |mut after: Position, to: usize| {
            after.on[mover] |= 1 << to;
            match self.takes && self.is_milled(after.on[mover], to) {
                true => Position { mover: position.mover, taking: true, ..after },
                false => after,
            }
        };
        if position.hand[mover] > 0 {
            let mut placed = passed;
            placed.hand[mover] -= 1;
            let blank = |&point: &usize| (position.on[0] | position.on[1]) >> point & 1 == 0;
            return (0..self.points).filter(blank).map(|point| come(placed, point)).collect();
        }
        let moved = |(from, to): (usize, usize)| {
            let mut left = passed;
            left.on[mover] &= !(1 << from);
            come(left, to)
        };
        self.ways(position, mover).into_iter().map(moved).collect()
    }
}

#[test]
fn three_mens_morris() {
    let figures = compare("morris three", &three());
    assert_eq!((figures.states, figures.start.map(|worth| worth.0)), (5390, Some(End::Won(0))));
}

#[test]
#[ignore = "takes minutes and gigabytes"]
fn six_mens_morris() {
    let figures = compare("morris six", &six(false));
    assert_eq!((figures.states, figures.terminal, figures.start), (47_957_097, 299_868, None));
    assert_eq!(figures.by_end(), [22_259_906, 22_155_374, 0, 3_541_817]);
}

#[test]
#[ignore = "takes minutes and gigabytes"]
fn six_mens_morris_with_flying_men() {
    compare("morris six flying", &six(true));
}
