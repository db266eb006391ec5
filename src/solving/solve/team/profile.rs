//! Ranges of ranks of about equal work, by what the ranges of the layers solved before took.
//!
//! Work is counted, not timed: configurations of programs and states. Neighbouring layers have their work at about the
//! same places, told as fractions of their states, but each differs from the one before at random as well, the more the
//! shorter the ranges are. So two layers are taken together, and half of what differs from the mean is believed (on a
//! logarithmic scale): over the layers of 6 × 5 Connect Four the largest of 64 shares is 1.37 times the mean by the last
//! layer alone, 1.18 so, and 1.20 where nothing is known but the number of states.
//!
//! What is left of chance is evened out where there are many processes, as it is largest there: each begins with a range that
//! has most of its share, and small ones are dealt out to those that are done ([`Deal`](super::deal::Deal)).

use super::message::Piece;
use std::ops::Range;

/// A configuration takes as long as so many states: it is found, expanded and put together in about 250 ns, and a state
/// has its value in 3 to 5.
const CONFIGURATION: f64 = 64.0;
/// Processes from which on ranges are dealt out. More ranges have more configurations together, so few processes have one
/// each.
const MANY: usize = 32;
/// How the mean share of a process is cut there: the larger parts are dealt out first. Over the layers of 6 × 5 Connect Four
/// the largest of 64 shares so is 1.10 times the mean, at 2.06 times the configurations of whole layers; with parts of 0.7,
/// 0.15 and 0.15 it is 1.14 (2.08), with 0.8 and 0.2 it is 1.18 (1.99), and with one range for each process 1.3 (1.85).
const SHARE: [f64; 3] = [0.75, 0.15, 0.1];

/// The work along the ranks of layers.
#[derive(Debug, Default)]
pub struct Profile {
    /// Of the last layer, and of the one before.
    layers: [Work; 2],
}

/// The work of a layer along its ranks: ends of pieces, ascending, as fractions of all states, each with the fraction of
/// the work up to there. Empty: even.
type Work = Vec<(f64, f64)>;

impl Piece {
    /// What it takes, in states.
    pub fn work(&self) -> f64 {
        self.configurations as f64 * CONFIGURATION + self.states as f64
    }
}

/// Number of ranges of a layer that so many processes share.
pub fn ranges(processes: u64) -> u64 {
    if processes < MANY as u64 { processes } else { processes * SHARE.len() as u64 }
}

/// How the work of a layer is divided.
pub struct Division {
    /// The part of the work that each range has, in the order of the ranks. Sums up to 1.
    pub parts: Vec<f64>,
    /// The ranges in the order in which they are dealt out, at first one to each process.
    pub order: Vec<usize>,
}

impl Division {
    /// A layer for so many processes.
    pub fn among(processes: usize) -> Division {
        if processes < MANY {
            return Division { parts: vec![1.0 / processes as f64; processes], order: (0..processes).collect() };
        }
        let each = SHARE.len();
        let parts = (0..processes * each).map(|range| SHARE[range % each] / processes as f64).collect();
        let order = (0..each).flat_map(|place| (0..processes).map(move |process| process * each + place)).collect();
        Division { parts, order }
    }
}

impl Profile {
    /// Adds a layer: its ranges, in order.
    pub fn add<'p>(&mut self, pieces: impl Iterator<Item = &'p Piece> + Clone) {
        let density = |piece: &Piece| (piece.work() / piece.states as f64).sqrt();
        let pieces = pieces.filter(|piece| piece.states > 0);
        let states: u64 = pieces.clone().map(|piece| piece.states).sum();
        let all: f64 = pieces.clone().map(|piece| piece.states as f64 * density(piece)).sum();
        let (mut at, mut sum) = (0, 0.0);
        let ends = pieces.map(|piece| {
            at += piece.states;
            sum += piece.states as f64 * density(piece);
            (at as f64 / states as f64, sum / all)
        });
        let last = std::mem::replace(&mut self.layers[0], ends.collect());
        self.layers[1] = last;
    }

    /// Ranges that have such parts of the work of a layer with so many states; all but the last begin and end at multiples
    /// of `unit`. Some may be empty.
    pub fn cut(&self, states: u64, parts: &[f64], unit: u64) -> Vec<Range<u64>> {
        let (mut start, mut sum, together) = (0, 0.0, self.together());
        let cut = |(number, part): (usize, &f64)| {
            sum += part;
            let place = (place(&together, sum) * states as f64 / unit as f64).round() as u64;
            let is_last = number + 1 == parts.len();
            let end = if is_last { states } else { place.saturating_mul(unit).clamp(start, states) };
            std::mem::replace(&mut start, end)..end
        };
        parts.iter().enumerate().map(cut).collect()
    }

    /// The mean of the layers of which something is known.
    fn together(&self) -> Work {
        let known: Vec<&Work> = self.layers.iter().filter(|layer| !layer.is_empty()).collect();
        let mut ends: Vec<f64> = known.iter().flat_map(|layer| layer.iter().map(|end| end.0)).collect();
        ends.sort_unstable_by(f64::total_cmp);
        let up_to = |end: f64| known.iter().map(|layer| sum(layer, end)).sum::<f64>() / known.len() as f64;
        ends.into_iter().map(|end| (end, up_to(end))).collect()
    }
}

/// The fraction of the work up to a fraction of the states.
fn sum(work: &Work, states: f64) -> f64 {
    let next = work.partition_point(|end| end.0 < states).min(work.len() - 1);
    between(next.checked_sub(1).map_or((0.0, 0.0), |before| work[before]), work[next], states)
}

/// The fraction of the states that has a fraction of the work.
fn place(work: &Work, part: f64) -> f64 {
    let swapped = |(states, work): (f64, f64)| (work, states);
    let Some(last) = work.len().checked_sub(1) else { return part };
    let next = work.partition_point(|end| end.1 < part).min(last);
    between(next.checked_sub(1).map_or((0.0, 0.0), |before| swapped(work[before])), swapped(work[next]), part)
}

/// The height at a place of the line between two points.
fn between(from: (f64, f64), to: (f64, f64), place: f64) -> f64 {
    let width = (to.0 - from.0).max(f64::MIN_POSITIVE);
    from.1 + (to.1 - from.1) * ((place - from.0) / width).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(of: &[&[(u64, u64)]]) -> Profile {
        let mut profile = Profile::default();
        for layer in of {
            let pieces: Vec<_> =
                layer.iter().map(|&(states, configurations)| Piece { states, configurations }).collect();
            profile.add(pieces.iter());
        }
        profile
    }

    #[test]
    fn ranges_cover_all_states_in_order() {
        let uneven = [(640, 1000), (0, 0), (64, 10), (1296, 1)];
        for profile in [profile(&[]), profile(&[&uneven]), profile(&[&uneven, &[(5, 5)]])] {
            for (states, count) in [(0, 1), (0, 4), (1, 3), (64, 2), (6401, 1), (6401, 7), (1 << 40, 64)] {
                let ranges = profile.cut(states, &vec![1.0 / count as f64; count], 64);
                assert_eq!((ranges.len(), ranges[0].start, ranges[count - 1].end), (count, 0, states));
                assert!(
                    ranges
                        .windows(2)
                        .all(|pair| pair[0].end == pair[1].start && pair[0].end % 64 == 0 || pair[0].end == states)
                );
            }
        }
    }

    #[test]
    fn work_that_is_uneven_is_divided_by_half_of_what_differs() {
        // The first half of the states has nine times the work of the second: three times is believed.
        let uneven = [(640, 890), (640, 90)];
        let share = |profile: &Profile| profile.cut(1 << 20, &[0.5, 0.5], 1)[0].end as f64 / f64::from(1 << 20);
        let one = share(&profile(&[&uneven]));
        assert!((one - 1.0 / 3.0).abs() < 0.01, "{one}");
        // With a layer in which it is even, half as much, whichever was the last.
        for layers in [[&uneven[..], &[(7, 7)]], [&[(7, 7)], &uneven[..]]] {
            let both = share(&profile(&layers));
            assert!((both - 0.4).abs() < 0.01, "{both}");
        }
        // Two layers are remembered.
        assert_eq!(share(&profile(&[&uneven, &[(7, 7)], &[(9, 1)]])), 0.5);
        // Where nothing is known, states count.
        assert_eq!(Profile::default().cut(100, &[0.25, 0.5, 0.25], 1), [0..25, 25..75, 75..100]);
    }

    #[test]
    fn each_process_begins_with_a_large_range_and_the_small_ones_come_last() {
        for processes in [1, 2, 3, 31, 32, 64, 100] {
            let Division { parts, order } = Division::among(processes);
            assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let mut ranges = order.clone();
            ranges.sort_unstable();
            assert!(ranges.into_iter().eq(0..parts.len()), "each range once");
            assert!(order.windows(2).all(|pair| parts[pair[0]] >= parts[pair[1]]), "{processes}");
            assert!(order[..processes].is_sorted(), "the first ones in the order of the processes");
            assert_eq!(parts.len() > processes, processes >= MANY);
            assert_eq!(parts.len() as u64, super::ranges(processes as u64));
        }
    }
}
