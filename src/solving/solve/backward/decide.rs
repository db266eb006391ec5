//! The order in which the ways of solving a layer are tried, and what each attempt teaches.
//!
//! The pass solves layers ([engine](super::engine)); a [plan](crate::solve::plan) estimates them. Both use this code,
//! so that a plan predicts the means of a run.

use super::super::SolveError;
use super::choice::{Choice, DEAD_END, DENSE, Program, Sizes, TOO_LARGE, by_density};
use base::limits::LimitReached;
use kernel::{Most, Unsolved, Way};

/// Attempts to solve one layer, in a run or as estimates of a plan.
pub trait Attempts {
    type Program;
    type Solved;

    /// All processes solve the layer together. `None`: this process has to solve it alone.
    fn share(&mut self) -> Result<Option<Shared<Self::Solved>>, SolveError>;

    /// The program of the layer, if it was built ahead.
    fn ready(&mut self) -> Option<Built<Self::Program>>;

    /// Builds the program of the layer within bounds.
    fn build(&mut self, most: Most) -> Result<Built<Self::Program>, SolveError>;

    fn values_by_rank(&mut self) -> Result<(), SolveError>;

    /// Solves the layer by rank, after `values_by_rank`.
    fn rank(&mut self, by: ByRank<Self::Program>, reason: &'static str) -> Result<Ranked<Self::Solved>, SolveError>;

    /// Solves the layer by a sweep. `room`: bytes that it may take at its beginning if bitvectors can replace it.
    fn sweep(&mut self, reason: &'static str, room: Option<u64>) -> Result<Swept<Self::Solved>, SolveError>;
}

/// A layer that processes solved together, with the configurations and bytes of code of its programs.
pub type Shared<S> = (S, (u64, u64));

pub enum Built<P> {
    /// The program, with its configurations and bytes of code unless a dead end was found.
    Whole(P, Option<(u64, u64)>),
    /// Construction was given up at its bounds.
    TooLarge,
}

pub enum ByRank<P> {
    Whole(P),
    /// Programs of about this number of parts, one after the other, within bounds on all of them together.
    Parts(u64, Most),
    /// State by state, without a program.
    States,
}

/// The layer, with the number of programs and their configurations and bytes of code.
pub type Ranked<S> = Result<(S, u64, (u64, u64)), Unsolved>;

pub enum Swept<S> {
    /// The layer, with the nodes of the diagram of values and the number of values; `None` if values are listed.
    Solved(S, Option<(u64, usize)>),
    NoRoom,
}

impl Choice {
    /// Solves a layer, which several processes may share. Calls go from the last layer to the first. `sizes`: `None` if
    /// the layer has too many states to be ranked.
    pub fn solve<A: Attempts>(
        &mut self,
        sizes: Option<&Sizes>,
        processes: u64,
        attempts: &mut A,
    ) -> Result<A::Solved, SolveError> {
        if let (Some(sizes), None) = (sizes, self.left_to_sweep(sizes, processes))
            && self.way.is_none()
            && !self.is_hopeless(sizes.density())
            && let Some((solved, program)) = attempts.share()?
        {
            self.learn(program, sizes.both());
            self.after = None;
            return Ok(solved);
        }
        match (sizes, self.left_to_sweep(sizes, 1)) {
            (Some(sizes), None) => self.by_rank(sizes, attempts, false),
            (_, reason) => {
                let reason = reason.expect("states that can be ranked, or a reason why not");
                self.by_sweep(sizes, attempts, reason, false)
            }
        }
    }

    /// `swept`: a sweep did not fit into memory before, so the beginning of this one has no bound.
    fn by_sweep<A: Attempts>(
        &mut self,
        sizes: Option<&Sizes>,
        attempts: &mut A,
        reason: &'static str,
        swept: bool,
    ) -> Result<A::Solved, SolveError> {
        let other = sizes.filter(|sizes| !swept && self.may_give_way(sizes));
        match attempts.sweep(reason, other.map(|_| self.room()))? {
            Swept::Solved(solved, figures) => {
                self.after = figures.map(|(nodes, _)| nodes);
                self.hybrid = match (figures, sizes) {
                    (Some((nodes, values)), Some(sizes)) => by_density(nodes, values, sizes.states),
                    _ => Err(DENSE),
                };
                Ok(solved)
            }
            Swept::NoRoom => self.by_rank(other.expect("a sweep with no other way needs no room"), attempts, true),
        }
    }

    /// `swept`: a sweep did not fit into memory before.
    fn by_rank<A: Attempts>(&mut self, sizes: &Sizes, attempts: &mut A, swept: bool) -> Result<A::Solved, SolveError> {
        let (ways, reason) = self.ways(sizes.density(), swept);
        let given_up = if swept { reason } else { TOO_LARGE };
        let mut others = ways.iter().filter(|way| **way == Way::Walk).map(|_| ByRank::States);
        let first = match ways[0] {
            // The program comes before the conversion of values to ranks, which takes long and is of no use to a sweep.
            Way::Program => self.program(sizes, attempts, !swept || ways.len() > 1)?,
            _ => others.next(),
        };
        let first = first.map(|first| (first, reason)).or_else(|| Some((others.next()?, given_up)));
        let Some((first, reason)) = first else {
            return self.by_sweep(Some(sizes), attempts, TOO_LARGE, swept);
        };
        attempts.values_by_rank()?;
        let mut ranked = attempts.rank(first, reason);
        if let Ok(Err(Unsolved::TooLarge)) = ranked
            && let Some(other) = others.next()
        {
            ranked = attempts.rank(other, given_up);
        }
        match ranked {
            Ok(Ok((solved, programs, program))) => {
                if programs > 1 {
                    self.learn_parts(program, sizes.both());
                }
                self.after = None;
                Ok(solved)
            }
            // The diagram of the sweep shows which state is the dead end.
            Ok(Err(Unsolved::DeadEnd)) => self.by_sweep(Some(sizes), attempts, DEAD_END, swept),
            Ok(Err(Unsolved::TooLarge)) => {
                // Ever smaller parts did not help, so memory is not the reason.
                self.is_too_large(sizes.density());
                self.by_sweep(Some(sizes), attempts, TOO_LARGE, swept)
            }
            Err(SolveError::Limit(LimitReached::Size { .. })) if !swept => {
                self.by_sweep(Some(sizes), attempts, TOO_LARGE, swept)
            }
            Err(error) => Err(error),
        }
    }

    /// How programs solve the layer. `None`: they do not, because the configurations exceed their number type, the
    /// program is too large, or many parts would be needed and there is `another` way.
    fn program<A: Attempts>(
        &mut self,
        sizes: &Sizes,
        attempts: &mut A,
        another: bool,
    ) -> Result<Option<ByRank<A::Program>>, SolveError> {
        let (most, nodes) = (self.most(sizes), sizes.both());
        let expected = self.expected(nodes, most, another);
        let built = match (attempts.ready(), expected) {
            (Some(built), _) => Ok(built),
            (None, Program::Whole) => attempts.build(most),
            (None, other) => return Ok(other.in_parts(most)),
        };
        let left = match built {
            Ok(Built::Whole(program, figures)) => {
                if let Some(figures) = figures {
                    self.learn(figures, nodes);
                }
                return Ok(Some(ByRank::Whole(program)));
            }
            Ok(Built::TooLarge) => self.given_up(sizes, most),
            // Parts need less memory and give the same values.
            Err(SolveError::Limit(LimitReached::Memory { .. })) => self.in_parts(nodes, most),
            Err(SolveError::Limit(LimitReached::Size { .. })) if another => Program::No,
            Err(error) => return Err(error),
        };
        Ok(left.in_parts(most))
    }
}

impl Program {
    /// The parts in which programs solve a layer, if they do. `most`: bounds for one program of the whole layer.
    fn in_parts<P>(self, most: Most) -> Option<ByRank<P>> {
        match self {
            Program::Parts(parts) => Some(ByRank::Parts(parts, Choice::most_of_parts(most))),
            Program::Whole | Program::No => None,
        }
    }
}
