//! Deals out the ranges of a layer: each process gets a range, and the next one once it has solved the first.

use super::message::{Reply, Report};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub struct Deal(Mutex<State>);

struct State {
    /// Ranges that are not yet dealt out, the next one last.
    left: Vec<usize>,
    /// For each process, its current range, and the number of ranges that it has solved.
    processes: Vec<(Option<usize>, usize)>,
    solved: Vec<Dealt>,
    /// Number of configurations of the solved ranges, and the bound on it.
    configurations: (u64, u64),
    otherwise: Vec<(usize, Reply)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dealt {
    pub range: usize,
    /// The process that solved the range.
    pub process: usize,
    /// The index of the range among those of this process.
    pub place: usize,
    pub report: Report,
}

#[derive(Debug)]
pub enum Ended {
    /// All ranges, in the order of their ranks.
    Solved(Vec<Dealt>),
    /// The ranges have more configurations than the bound.
    TooLarge,
    /// A process that has not solved its range, and its reply.
    Otherwise(usize, Reply),
}

impl Deal {
    /// `order`: the numbers of the ranges that are not empty, in the order of dealing. `configurations`: bound on the
    /// configurations of all ranges together.
    pub fn new(order: &[usize], processes: usize, configurations: u64) -> Deal {
        Deal(Mutex::new(State {
            left: order.iter().rev().copied().collect(),
            processes: vec![(None, 0); processes],
            solved: Vec::with_capacity(order.len()),
            configurations: (0, configurations),
            otherwise: Vec::new(),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first range of a process; `None` if there are too few ranges, or dealing has ended.
    pub fn first(&self, process: usize) -> Option<usize> {
        self.state().next(process)
    }

    /// Takes the reply of a process about its range. Returns the next range, or `None` if dealing has ended.
    pub fn take(&self, process: usize, reply: Reply) -> Option<usize> {
        let mut state = self.state();
        let (range, place) = state.processes[process];
        match (range, reply) {
            (Some(range), Reply::Solved(report)) => {
                state.configurations.0 = state.configurations.0.saturating_add(report.piece.configurations);
                state.processes[process] = (None, place + 1);
                state.solved.push(Dealt { range, process, place, report });
            }
            (_, reply) => state.otherwise.push((process, reply)),
        }
        state.next(process)
    }

    /// The outcome, after all processes know that there are no more ranges.
    pub fn end(self) -> Ended {
        let State { left, mut solved, configurations: (all, most), mut otherwise, .. } =
            self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        otherwise.sort_by_key(|(process, _)| *process);
        if let Some((process, reply)) = otherwise.into_iter().next() {
            return Ended::Otherwise(process, reply);
        }
        if all > most {
            return Ended::TooLarge;
        }
        assert!(left.is_empty(), "ranges are dealt out until something else is said");
        solved.sort_by_key(|dealt| dealt.range);
        Ended::Solved(solved)
    }
}

impl State {
    fn next(&mut self, process: usize) -> Option<usize> {
        let (all, most) = self.configurations;
        if !self.otherwise.is_empty() || all > most {
            return None;
        }
        let range = self.left.pop();
        self.processes[process].0 = range;
        range
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::Piece;
    use super::*;
    use kernel::Unsolved;

    fn solved(configurations: u64) -> Reply {
        Reply::Solved(Report { piece: Piece { states: 1, configurations }, ..Report::default() })
    }

    #[test]
    fn whoever_is_done_has_the_next_range() {
        let deal = Deal::new(&[0, 2, 5, 1, 4], 3, 100);
        assert_eq!([0, 1, 2].map(|process| deal.first(process)), [Some(0), Some(2), Some(5)]);
        assert_eq!(deal.take(1, solved(1)), Some(1));
        assert_eq!(deal.take(1, solved(2)), Some(4));
        assert_eq!([0, 1, 2].map(|process| deal.take(process, solved(9))), [None; 3]);
        let Ended::Solved(dealt) = deal.end() else { panic!() };
        let whose: Vec<_> = dealt.iter().map(|dealt| (dealt.range, dealt.process, dealt.place)).collect();
        assert_eq!(whose, [(0, 0, 0), (1, 1, 1), (2, 1, 0), (4, 1, 2), (5, 2, 0)]);
        assert_eq!(dealt[3].report.piece.configurations, 9);
    }

    #[test]
    fn nothing_more_is_dealt_once_it_is_in_vain() {
        let deal = Deal::new(&[0, 1, 2, 3], 2, 10);
        assert_eq!([0, 1].map(|process| deal.first(process)), [Some(0), Some(1)]);
        assert_eq!([deal.take(0, solved(11)), deal.take(1, solved(1))], [None; 2]);
        assert!(matches!(deal.end(), Ended::TooLarge));
        let deal = Deal::new(&[0, 1, 2, 3], 3, 10);
        assert_eq!([0, 1, 2].map(|process| deal.first(process)), [Some(0), Some(1), Some(2)]);
        assert_eq!(deal.take(2, Reply::Unsolved(Unsolved::TooLarge)), None);
        assert_eq!(deal.take(1, Reply::Unsolved(Unsolved::DeadEnd)), None);
        assert_eq!(deal.take(0, solved(1)), None);
        assert!(
            matches!(deal.end(), Ended::Otherwise(1, Reply::Unsolved(Unsolved::DeadEnd))),
            "the first of those, by number"
        );
    }

    #[test]
    fn some_have_no_range_where_there_are_few() {
        let deal = Deal::new(&[7], 2, 10);
        assert_eq!([0, 1].map(|process| deal.first(process)), [Some(7), None]);
        assert_eq!(deal.take(0, solved(10)), None);
        assert!(matches!(deal.end(), Ended::Solved(dealt) if dealt.len() == 1));
        // A process without a range must not have a reply.
        let deal = Deal::new(&[], 1, 10);
        assert_eq!(deal.first(0), None);
        assert_eq!(deal.take(0, solved(1)), None);
        assert!(matches!(deal.end(), Ended::Otherwise(0, Reply::Solved(_))));
    }
}
