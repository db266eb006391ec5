//! Cuts a layer into ranges of ranks of about equal work, by the work that the ranges of earlier layers took.
//!
//! Work is counted in configurations and states, not measured as time. In neighbouring layers, about the same fractions
//! of the states have the same fractions of the work. But each layer also differs at random from the layer before, and
//! the more so the shorter the ranges are. So the mean of two layers is used, and on a logarithmic scale only half of
//! the deviation from the average is assumed. Over the layers of 6 × 5 Connect Four the largest of 64 shares is 1.18
//! times the average; it would be 1.37 times with the last layer alone, and 1.20 times with the number of states alone.
//!
//! Random deviations are largest with many processes. There each process starts with a range that has most of its
//! share, and small ranges are dealt out to processes that have finished ([`Deal`](super::deal::Deal)).

use super::message::Piece;
use std::ops::Range;

/// Work of a configuration, in states: it takes about 250 ns; giving a state its value takes 3 to 5 ns.
const CONFIGURATION: f64 = 64.0;
/// Small ranges are dealt out if there are at least this many processes. Fewer processes get one range each, because
/// more ranges have more configurations together.
const MANY: usize = 32;
/// The sizes of the ranges into which the average share of a process is then cut; larger ones are dealt out first. Over
/// the layers of 6 × 5 Connect Four the largest of 64 shares is then 1.10 times the average, with 2.06 times the
/// configurations of whole layers. With sizes 0.7, 0.15 and 0.15 it is 1.14 (2.08), with 0.8 and 0.2 it is 1.18 (1.99),
/// and with one range per process 1.3 (1.85).
const SHARE: [f64; 3] = [0.75, 0.15, 0.1];

/// The work along the ranks of layers.
#[derive(Debug, Default)]
pub struct Profile {
    /// The work of the last layer, and of the one before.
    layers: [Work; 2],
}

/// The work of a layer along its ranks: ends of pieces, ascending, as fractions of all states, each with the fraction
/// of the work before it. If empty, the work is evenly distributed.
type Work = Vec<(f64, f64)>;

impl Piece {
    pub fn work(&self) -> f64 {
        self.configurations as f64 * CONFIGURATION + self.states as f64
    }
}

pub fn ranges(processes: u64) -> u64 {
    if processes < MANY as u64 { processes } else { processes * SHARE.len() as u64 }
}

pub struct Division {
    /// The fraction of the work of each range, in the order of ranks. The sum is 1.
    pub parts: Vec<f64>,
    /// The ranges in the order of dealing. The first ones go to one process each.
    pub order: Vec<usize>,
}

impl Division {
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
    /// Adds a layer, given by its ranges in the order of ranks.
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

    /// Cuts a layer of `states` states into ranges with these fractions of the work. All ranges but the last end at
    /// multiples of `unit`. Ranges may be empty.
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

    /// The mean of the layers whose work is known.
    fn together(&self) -> Work {
        let known: Vec<&Work> = self.layers.iter().filter(|layer| !layer.is_empty()).collect();
        let mut ends: Vec<f64> = known.iter().flat_map(|layer| layer.iter().map(|end| end.0)).collect();
        ends.sort_unstable_by(f64::total_cmp);
        let up_to = |end: f64| known.iter().map(|layer| sum(layer, end)).sum::<f64>() / known.len() as f64;
        ends.into_iter().map(|end| (end, up_to(end))).collect()
    }
}

/// The fraction of the work that the first states have. `states`: their fraction of all states.
fn sum(work: &Work, states: f64) -> f64 {
    let next = work.partition_point(|end| end.0 < states).min(work.len() - 1);
    between(next.checked_sub(1).map_or((0.0, 0.0), |before| work[before]), work[next], states)
}

/// The fraction of the states, from the first on, that has the fraction `part` of the work.
fn place(work: &Work, part: f64) -> f64 {
    let swapped = |(states, work): (f64, f64)| (work, states);
    let Some(last) = work.len().checked_sub(1) else { return part };
    let next = work.partition_point(|end| end.1 < part).min(last);
    between(next.checked_sub(1).map_or((0.0, 0.0), |before| swapped(work[before])), swapped(work[next]), part)
}

/// The height at `place` of the line between two points.
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
        // The first half of the states has nine times the work of the second; the square root, three times, is assumed.
        let uneven = [(640, 890), (640, 90)];
        let share = |profile: &Profile| profile.cut(1 << 20, &[0.5, 0.5], 1)[0].end as f64 / f64::from(1 << 20);
        let one = share(&profile(&[&uneven]));
        assert!((one - 1.0 / 3.0).abs() < 0.01, "{one}");
        // If the work of the other layer is evenly distributed, half as much is assumed, whichever layer was the last.
        for layers in [[&uneven[..], &[(7, 7)]], [&[(7, 7)], &uneven[..]]] {
            let both = share(&profile(&layers));
            assert!((both - 0.4).abs() < 0.01, "{both}");
        }
        // Only two layers are remembered.
        assert_eq!(share(&profile(&[&uneven, &[(7, 7)], &[(9, 1)]])), 0.5);
        // If no work is known, states count.
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
