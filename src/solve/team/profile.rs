//! Ranges of ranks of about equal work, by what the ranges of the layers solved before took.
//!
//! Work is counted, not timed: configurations of programs and states. Neighbouring layers have their work at about the
//! same places, told as fractions of their states, but each differs from the one before at random as well, the more the
//! shorter the ranges are. So two layers are taken together, and half of what differs from the mean is believed (on a
//! logarithmic scale): over the layers of 6 × 5 Connect Four the largest of 64 shares is 1.37 times the mean by the last
//! layer alone, 1.18 so, and 1.20 where nothing is known but the number of states.
//!
//! What is left of chance is made smaller by giving each of many processes two ranges, far from each other.

use super::message::Piece;
use std::ops::Range;

/// A configuration takes as long as so many states: it is found, expanded and put together in about 250 ns, and a state
/// has its value in 3 to 5.
const CONFIGURATION: f64 = 64.0;
/// Processes from which on each has two ranges. These have more configurations together than one has.
const MANY: usize = 32;

/// The work along the ranks of layers.
#[derive(Debug, Default)]
pub struct Profile {
    /// Of the last layer, and of the one before.
    layers: [Work; 2],
}

/// The work of a layer along its ranks: ends of pieces, ascending, as fractions of all states, each with the fraction of
/// the work up to there. Empty: even.
type Work = Vec<(f64, f64)>;

/// The work of some states.
pub fn work(states: u64, configurations: u64) -> f64 {
    configurations as f64 * CONFIGURATION + states as f64
}

/// Number of ranges of each of so many processes.
pub fn turns(processes: usize) -> usize {
    if processes < MANY { 1 } else { 2 }
}

/// Number of ranges of a layer.
pub fn ranges(processes: usize) -> usize {
    processes * turns(processes)
}

/// The process that solves a range: forwards through the processes, then backwards.
pub fn owner(range: usize, processes: usize) -> usize {
    let place = range % processes;
    if (range / processes).is_multiple_of(2) { place } else { processes - 1 - place }
}

impl Profile {
    /// Adds a layer: its ranges, in order.
    pub fn add<'p>(&mut self, pieces: impl Iterator<Item = &'p Piece> + Clone) {
        let density = |piece: &Piece| (work(piece.states, piece.configurations) / piece.states as f64).sqrt();
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

    /// So many ranges, in order, of a layer with so many states; all but the last begin and end at multiples of `unit`.
    /// Some may be empty.
    pub fn cut(&self, states: u64, count: usize, unit: u64) -> Vec<Range<u64>> {
        let (mut start, together) = (0, self.together());
        (1..=count)
            .map(|number| {
                let place = place(&together, number as f64 / count as f64);
                let place = (place * states as f64 / unit as f64).round() as u64;
                let end = if number == count { states } else { place.saturating_mul(unit).clamp(start, states) };
                std::mem::replace(&mut start, end)..end
            })
            .collect()
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
                let ranges = profile.cut(states, count, 64);
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
        let share = |profile: &Profile| profile.cut(1 << 20, 2, 1)[0].end as f64 / f64::from(1 << 20);
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
        assert_eq!(Profile::default().cut(100, 4, 1), [0..25, 25..50, 50..75, 75..100]);
    }

    #[test]
    fn every_process_has_as_many_ranges_as_the_others() {
        for processes in [1, 2, 3, 31, 32, 64, 100] {
            let mut of = vec![0; processes];
            (0..ranges(processes)).for_each(|range| of[owner(range, processes)] += 1);
            assert!(of.iter().all(|ranges| *ranges == turns(processes)));
        }
        assert_eq!((owner(0, 64), owner(63, 64), owner(64, 64), owner(127, 64)), (0, 63, 63, 0));
    }
}
