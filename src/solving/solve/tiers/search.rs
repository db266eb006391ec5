//! Finds weights whose sum no move lowers and as many moves as possible raise, by linear programming.
//!
//! A row is the change by a pair of states before and after a move: +1 for a level that becomes true, -1 for one that
//! becomes false. Weights are a measure if no row lowers their sum. There are too many rows to list them. But for given
//! weights, the diagrams of the relations give the row that lowers the sum most ([`kernel::Changes`]). So the linear
//! program starts with some rows, and adds others until no row lowers the sum; this last test, in whole numbers, is the
//! proof. The program raises the sum in as many of its rows as possible, by at least 1, and then takes the least
//! weights.

use super::span::Span;
use super::{Moves, negative};
use base::limits::{LimitReached, Limits, Reserved};
use base::random::Random;
use indexmap::IndexSet;
use kernel::{Changes, NO_PAIR, RelationId, Relations, Row};
use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, SolutionStatus};
use rustc_hash::FxBuildHasher;
use std::time::Duration;

/// Bounds on levels and on nodes of relations, beyond which no search is made.
const LEVELS: u32 = 2048;
const NODES: usize = 1 << 19;
/// Largest number of rows, and of rows added at once.
const ROWS: usize = 4096;
const AT_ONCE: usize = 256;
/// Largest number of times that rows are added, and number of random weights that give the first rows.
const ROUNDS: usize = 64;
const FIRST: usize = 8;
/// Number of random weights near each solution of the linear program, which give further rows.
const NEAR: usize = 3;
/// Largest weight; and the value of a raised row in the objective, per level.
const MOST: f64 = 4096.0;
const RAISED: f64 = 16.0;
/// Largest denominator of weights; and the largest error of a weight as a fraction.
const DENOMINATORS: i64 = 60;
const NEARNESS: f64 = 1e-5;
/// Time limit of a linear program, in seconds.
const SECONDS: u64 = 10;
/// Approximate bytes of a row or a variable in the program.
const ENTRY_BYTES: usize = 512;
const SEED: u64 = 37;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// By level.
    Weights(Vec<i64>),
    /// No weights raise any move.
    None,
    GivenUp(String),
}

pub struct Search<'a> {
    moves: Moves<'a>,
    levels: u32,
    rows: IndexSet<Row, FxBuildHasher>,
    random: Random,
    limits: &'a Limits,
    _held: Reserved<'a>,
}

impl<'a> Search<'a> {
    /// Starts with rows for random weights. The inner error is the reason why no search is made.
    pub fn new(moves: Moves<'a>, limits: &'a Limits) -> Result<Result<Search<'a>, String>, LimitReached> {
        let (levels, nodes) = (moves.variables.levels(), moves.relations.nodes().len());
        if levels > LEVELS || nodes > NODES {
            return Ok(Err(format!("{levels} levels and {nodes} nodes of relations are too many")));
        }
        // Memory for the linear program, and for sums by node.
        let entries = (ROWS + levels as usize) * ENTRY_BYTES;
        let _held = limits.hold((size_of::<i64>() * nodes + entries) as u64)?;
        let (rows, random) = (IndexSet::default(), Random::new(SEED));
        let mut search = Search { moves, levels, rows, random, limits, _held };
        for _ in 0..FIRST {
            let weights = search.noise(1 << 20);
            search.take(&weights, i64::MAX)?;
        }
        Ok(Ok(search))
    }
}

impl Search<'_> {
    pub fn run(&mut self) -> Result<Found, LimitReached> {
        for _ in 0..ROUNDS {
            self.limits.check()?;
            let Some(solved) = self.solved() else { return Ok(Found::GivenUp("no solution was found".to_owned())) };
            let weights = whole(&solved);
            if let Some(weights) = &weights {
                if weights.iter().all(|&weight| weight == 0) {
                    return Ok(Found::None);
                }
                if self.moves.never_lower(weights) {
                    return Ok(Found::Weights(weights.clone()));
                }
            }
            let scaled: Vec<i64> = solved.iter().map(|weight| (weight * f64::from(1 << 20)).round() as i64).collect();
            let before = self.rows.len();
            self.take(&scaled, 0)?;
            for _ in 0..NEAR {
                let noise = self.noise(1 << 18);
                let near: Vec<i64> = scaled.iter().zip(noise).map(|(weight, noise)| weight + noise).collect();
                self.take(&near, 0)?;
            }
            if self.rows.len() == before {
                return Ok(Found::GivenUp("weights are no fractions of small numbers".to_owned()));
            }
            if self.rows.len() > ROWS {
                return Ok(Found::GivenUp(format!("more than {ROWS} rows are needed")));
            }
        }
        Ok(Found::GivenUp(format!("after {ROUNDS} rounds moves are left that lower the sum")))
    }

    /// At most `most` weights by level, each with a sum that no move changes.
    pub fn conserved(&mut self, most: usize) -> Result<Vec<Vec<i64>>, LimitReached> {
        let levels = self.levels as usize;
        let (mut span, mut known) = (Span::default(), 0);
        for _ in 0..ROUNDS {
            for row in &self.rows[known..] {
                let mut vector = vec![0; levels];
                row.iter().for_each(|(level, on)| vector[level.index()] = if *on { 1 } else { -1 });
                span.add(vector.into_iter());
            }
            known = self.rows.len();
            let proposed = span.orthogonal(levels);
            for weights in proposed.iter().take(most) {
                self.take(weights, 0)?;
                self.take(&negative(weights), 0)?;
            }
            if self.rows.len() == known {
                let mut proved = proposed;
                proved.truncate(most);
                proved.retain(|weights| self.moves.leave(weights));
                return Ok(proved);
            }
        }
        Ok(Vec::new())
    }

    /// Random weights from -`bound` to `bound`.
    fn noise(&mut self, bound: usize) -> Vec<i64> {
        let random = &mut self.random;
        (0..self.levels).map(|_| random.below(2 * bound + 1) as i64 - bound as i64).collect()
    }

    /// Adds at most [`AT_ONCE`] rows: for each relation whose least change of the sum is less than `below`, a row with
    /// this change.
    fn take(&mut self, weights: &[i64], below: i64) -> Result<(), LimitReached> {
        self.limits.check()?;
        let changes = Changes::new(self.moves.relations, weights);
        let mut roots: Vec<(i64, RelationId)> =
            self.moves.roots.iter().map(|&root| (changes.least(root), root)).collect();
        roots.retain(|(least, _)| *least < below && *least != NO_PAIR);
        roots.sort_unstable();
        let new = roots.iter().filter_map(|(_, root)| changes.row(*root)).filter(|row| !row.is_empty());
        self.rows.extend(new.take(AT_ONCE));
        Ok(())
    }

    /// The weights that the linear program yields; `None` if it failed.
    fn solved(&self) -> Option<Vec<f64>> {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        problem.set_time_limit(Duration::from_secs(SECONDS));
        let mut variables = vec![None; self.levels as usize];
        for (level, _) in self.rows.iter().flatten() {
            let variable = &mut variables[level.index()];
            if variable.is_none() {
                *variable = Some([problem.add_var(1.0, (0.0, MOST)), problem.add_var(1.0, (0.0, MOST))]);
            }
        }
        let worth = RAISED * f64::from(self.levels);
        for row in &self.rows {
            let mut sum = LinearExpr::empty();
            for (level, on) in row {
                let [more, less] = variables[level.index()].expect("a variable for each level of a row");
                let sign = if *on { 1.0 } else { -1.0 };
                sum.add(more, sign);
                sum.add(less, -sign);
            }
            sum.add(problem.add_var(-worth, (0.0, 1.0)), -1.0);
            problem.add_constraint(sum, ComparisonOp::Ge, 0.0);
        }
        let solution = problem.solve().ok()?.into_solution().ok()?;
        if solution.status() != SolutionStatus::Optimal {
            return None;
        }
        let weight = |variable: &Option<[_; 2]>| {
            variable.map_or(0.0, |[more, less]| solution.var_value(more) - solution.var_value(less))
        };
        Some(variables.iter().map(weight).collect())
    }
}

/// The least change of the sum of weights by any pair of the relations; 0 if there are no pairs.
pub fn least(relations: &Relations, roots: &[RelationId], weights: &[i64]) -> i64 {
    let changes = Changes::new(relations, weights);
    roots.iter().map(|&root| changes.least(root)).filter(|least| *least != NO_PAIR).min().unwrap_or(0)
}

/// The weights times the smallest factor that makes them whole numbers; `None`: it exceeds [`DENOMINATORS`].
fn whole(weights: &[f64]) -> Option<Vec<i64>> {
    (1..=DENOMINATORS).find_map(|times| {
        let times = times as f64;
        let near = weights.iter().all(|weight| (weight * times - (weight * times).round()).abs() < NEARNESS * times);
        near.then(|| weights.iter().map(|weight| (weight * times).round() as i64).collect())
    })
}
