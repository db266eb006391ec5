//! Ranges of ranks of about equal work, by what the ranges of the layer solved before took.
//!
//! Work is counted, not timed: configurations of programs and states. Neighbouring layers have their work at about the
//! same places, told as fractions of their states; so ranges even out from layer to layer, however uneven the first ones
//! were.

use super::message::Report;
use std::ops::Range;

/// A configuration takes as long as so many states: it is found, expanded and put together in about 250 ns, and a state
/// has its value in 3 to 5.
const CONFIGURATION: f64 = 64.0;

/// The work of a layer along its ranks.
#[derive(Debug, Default)]
pub struct Profile {
    /// Ends of pieces, ascending, as fractions of all states up to 1, each with the work up to there. Empty: even.
    ends: Vec<(f64, f64)>,
}

/// The work of a range.
pub fn work(report: &Report) -> f64 {
    report.configurations as f64 * CONFIGURATION + report.states as f64
}

impl Profile {
    /// From the ranges of a layer with so many states.
    pub fn of(reports: &[Report], states: u64) -> Profile {
        let (mut at, mut sum, mut ends) = (0, 0.0, Vec::new());
        for report in reports.iter().filter(|report| report.states > 0) {
            at += report.states;
            sum += work(report);
            ends.push((at as f64 / states as f64, sum));
        }
        Profile { ends }
    }

    /// So many ranges, in order, of a layer with so many states; all but the last begin and end at multiples of `unit`.
    /// Some may be empty.
    pub fn cut(&self, states: u64, count: usize, unit: u64) -> Vec<Range<u64>> {
        let mut start = 0;
        (1..=count)
            .map(|number| {
                let place = (self.place(number as f64 / count as f64) * states as f64 / unit as f64).round() as u64;
                let end = if number == count { states } else { place.saturating_mul(unit).clamp(start, states) };
                std::mem::replace(&mut start, end)..end
            })
            .collect()
    }

    /// The fraction of the states that has a fraction of the work.
    fn place(&self, part: f64) -> f64 {
        let Some(&(_, all)) = self.ends.last().filter(|end| end.1 > 0.0) else { return part };
        let wanted = part * all;
        let next = self.ends.partition_point(|end| end.1 < wanted).min(self.ends.len() - 1);
        let before = next.checked_sub(1).map_or((0.0, 0.0), |before| self.ends[before]);
        let (end, work) = self.ends[next];
        before.0 + (end - before.0) * ((wanted - before.1) / (work - before.1).max(f64::MIN_POSITIVE)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports(of: &[(u64, u64)]) -> Vec<Report> {
        of.iter().map(|&(states, configurations)| Report { states, configurations, ..Report::default() }).collect()
    }

    #[test]
    fn ranges_cover_all_states_in_order() {
        let uneven = Profile::of(&reports(&[(640, 1000), (0, 0), (64, 10), (1296, 1)]), 2000);
        for profile in [Profile::default(), uneven] {
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
    fn work_that_is_uneven_is_divided_evenly() {
        // The first half of the states has three times the work of the second.
        let profile = Profile::of(&reports(&[(1000, 3000), (1000, 979)]), 2000);
        let ranges = profile.cut(1 << 20, 2, 1);
        let share = ranges[0].end as f64 / f64::from(1 << 20);
        assert!((share - 1.0 / 3.0).abs() < 0.01, "{share}");
        // Where nothing is known, states count.
        assert_eq!(Profile::default().cut(100, 4, 1), [0..25, 25..50, 50..75, 75..100]);
    }
}
