//! A SAT solver with a budget of conflicts: batsat, a MiniSat (Eén and Sörensson 2003) in Rust.

use base::limits::{Account, LimitReached, Limits};
use batsat::callbacks::Callbacks;
use batsat::{ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};
use std::cell::Cell;
use std::ops::Not;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Clauses of the solver have at most one literal more than this.
const WIDTH: usize = 16;

/// A learnt clause counts as one more conflict per this number of literals: long clauses take longer to find and use.
const WEIGHT: u64 = 1024;

/// Bound on the decisions of a search, per conflict that it may have.
const DECISIONS: u64 = 500;

/// A variable of the solver or its negation. Only this file knows the solver's own type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Literal(Lit);

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(!self.0)
    }
}

/// A learnt clause is long from this number of literals on.
const LONG: usize = 64;
/// The solver repeatedly scans long learnt clauses for the next literal to watch, which counts as no propagation. So
/// each learnt clause adds the literals of all long learnt clauses, divided by this number, to a sum.
const SCANNED: u64 = 16;

/// Bound on that sum in a search, per conflict that the search may have. With a third of it, groups of several public
/// games are no longer proved.
const SCANS: u64 = 30_000;

/// Decisions between two looks at the limits.
const LOOK: u64 = 16;

/// Approximate bytes of a variable, of a clause with its two watchers, and of a literal of a clause, in vectors that are
/// three quarters full. They follow from the solver's structures: a process that counted 100 MB took 111 MB.
const VARIABLE: u64 = 120;
const CLAUSE: u64 = 60;
const LITERAL: u64 = 6;

fn bytes_of_clause(literals: usize) -> u64 {
    CLAUSE + LITERAL * literals as u64
}

/// Ends a search after a number of learnt clauses or decisions, so that every machine ends at the same place; and at a
/// limit of the run.
struct Budget<'a> {
    learnt: u64,
    limit: u64,
    /// Decisions left, counted when the solver asks whether to stop.
    decisions: Cell<u64>,
    /// Number of literals of all long learnt clauses.
    long: u64,
    /// The sum that [`SCANNED`] describes, so far.
    scanned: u64,
    /// The bound on `scanned` in this search.
    most_scanned: u64,
    limits: &'a Limits,
    account: Account<&'a Limits>,
    /// Bytes of variables and added clauses.
    bytes: u64,
    /// Bytes of learnt clauses, of which the solver drops some without a word until it collects garbage.
    learnt_bytes: u64,
    /// The limit that was reached as something was added or learnt. Nothing is added after that.
    reached: Option<LimitReached>,
}

impl Budget<'_> {
    fn take(&mut self, bytes: u64) {
        self.bytes += bytes;
        if self.reached.is_none() {
            self.reached = self.account.grow_to(self.bytes + self.learnt_bytes).err();
        }
    }
}

/// Unwinds a search that a limit ends. The solver is not used after that. A program that is built to abort where it would
/// unwind ends there.
struct Ended;

impl Callbacks for Budget<'_> {
    fn on_new_clause(&mut self, clause: &[Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.learnt += 1 + clause.len() as u64 / WEIGHT;
            if clause.len() >= LONG {
                self.long += clause.len() as u64;
            }
            self.scanned += self.long / SCANNED;
            self.learnt_bytes += bytes_of_clause(clause.len());
            self.take(0);
            // The solver asks whether to stop only between conflicts, of which there may be thousands in a row.
            if let Err(limit) = self.limits.check() {
                self.reached = Some(limit);
                resume_unwind(Box::new(Ended));
            }
        }
    }

    fn on_delete_clause(&mut self, clause: &[Lit]) {
        self.learnt_bytes = self.learnt_bytes.saturating_sub(bytes_of_clause(clause.len()));
    }

    fn on_gc(&mut self, before: usize, after: usize) {
        self.learnt_bytes = self.learnt_bytes / before.max(1) as u64 * after as u64;
    }

    fn stop(&self) -> bool {
        let mut left = self.decisions.get().saturating_sub(1);
        // The solver asks again before it starts over, and must get the same answer.
        if left.is_multiple_of(LOOK) && self.limits.check().is_err() {
            left = 0;
        }
        self.decisions.set(left);
        left == 0 || self.reached.is_some() || self.learnt >= self.limit || self.scanned >= self.most_scanned
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Satisfiable,
    Unsatisfiable,
    Unknown,
}

pub(crate) struct Sat<'a> {
    solver: Solver<Budget<'a>>,
    clause: Vec<Lit>,
    truth: Literal,
    added: u64,
}

impl<'a> Sat<'a> {
    /// `shallow`: learnt clauses are minimised only superficially, because a deep minimisation would visit whole graphs
    /// of thousands of moves at each conflict.
    pub fn new(shallow: bool, limits: &'a Limits) -> Self {
        let options = SolverOpts { ccmin_mode: if shallow { 1 } else { 2 }, ..SolverOpts::default() };
        let budget = Budget {
            learnt: 0,
            limit: u64::MAX,
            decisions: Cell::new(u64::MAX),
            long: 0,
            scanned: 0,
            most_scanned: u64::MAX,
            limits,
            account: Account::new(&limits),
            bytes: 0,
            learnt_bytes: 0,
            reached: None,
        };
        let mut solver = Solver::new(options, budget);
        let truth = Literal(Lit::new(solver.new_var_default(), true));
        solver.add_clause_reuse(&mut vec![truth.0]);
        Sat { solver, clause: Vec::new(), truth, added: 0 }
    }

    fn variable(&mut self, preferred: lbool) -> Literal {
        if self.solver.cb().reached.is_some() {
            return self.truth;
        }
        self.solver.cb_mut().take(VARIABLE);
        Literal(Lit::new(self.solver.new_var(preferred, true), true))
    }

    pub fn truth(&self) -> Literal {
        self.truth
    }

    pub fn literal(&mut self) -> Literal {
        self.variable(lbool::UNDEF)
    }

    /// The positive literal of a new variable that searches prefer to make true. Once one of many choices is made, the
    /// rest of the state follows, while a search that rules choices out one by one learns clauses of all of them.
    pub fn choice(&mut self) -> Literal {
        self.variable(lbool::TRUE)
    }

    /// Adds a clause, or nothing once a limit was reached, which the next search returns. Long clauses become trees of
    /// short ones, because the scan for the next literal to watch always starts at the front: for the choice among ten
    /// thousand moves it took nearly all the time.
    pub fn add(&mut self, literals: impl IntoIterator<Item = Literal>) {
        if self.solver.cb().reached.is_some() {
            return;
        }
        self.clause.clear();
        self.clause.extend(literals.into_iter().map(|literal| literal.0));
        self.added += self.clause.len() as u64;
        while self.clause.len() > WIDTH {
            let long = std::mem::take(&mut self.clause);
            let parts = long.chunks(WIDTH).map(|chunk| {
                let part = self.literal().0;
                let mut clause = chunk.to_vec();
                clause.push(!part);
                self.solver.cb_mut().take(bytes_of_clause(clause.len()));
                self.solver.add_clause_reuse(&mut clause);
                part
            });
            self.clause = parts.collect();
        }
        self.solver.cb_mut().take(bytes_of_clause(self.clause.len()));
        self.solver.add_clause_reuse(&mut self.clause);
    }

    /// Searches for an assignment that makes all clauses and assumptions true, for at most `conflicts` conflicts.
    pub fn solve(&mut self, assumptions: &[Literal], conflicts: u64) -> Result<Answer, LimitReached> {
        let callbacks = self.solver.cb_mut();
        if let Some(reached) = &callbacks.reached {
            return Err(reached.clone());
        }
        callbacks.account.fit(callbacks.bytes + callbacks.learnt_bytes)?;
        callbacks.limit = callbacks.learnt.saturating_add(conflicts);
        callbacks.most_scanned = callbacks.scanned.saturating_add(conflicts.saturating_mul(SCANS));
        callbacks.decisions.set(conflicts.saturating_mul(DECISIONS).max(DECISIONS));
        let assumptions: Vec<Lit> = assumptions.iter().map(|literal| literal.0).collect();
        let solver = &mut self.solver;
        let answer = match catch_unwind(AssertUnwindSafe(|| solver.solve_limited(&assumptions))) {
            Ok(answer) => answer,
            Err(reason) if reason.is::<Ended>() => lbool::UNDEF,
            Err(reason) => resume_unwind(reason),
        };
        let callbacks = self.solver.cb();
        if let Some(reached) = &callbacks.reached {
            return Err(reached.clone());
        }
        callbacks.limits.check()?;
        Ok(match answer {
            answer if answer == lbool::TRUE => Answer::Satisfiable,
            answer if answer == lbool::FALSE => Answer::Unsatisfiable,
            _ => Answer::Unknown,
        })
    }

    pub fn holds(&self, literal: Literal) -> bool {
        self.solver.value_lit(literal.0) == lbool::TRUE
    }

    /// Whether the last search used an assumption. It must have ended with [`Answer::Unsatisfiable`].
    pub fn used(&self, assumption: Literal) -> bool {
        let Literal(assumption) = assumption;
        self.solver.unsat_core_contains_lit(!assumption) || self.solver.unsat_core_contains_lit(assumption)
    }

    /// Literals propagated and literals of clauses added so far: a measure of work that is the same on every machine.
    pub fn work(&self) -> u64 {
        self.solver.num_propagations() + self.added
    }

    /// Requires that at most one literal holds if `guard` does: a clause for each pair of up to five literals, or a
    /// sequential counter (Sinz 2005).
    pub fn at_most_one(&mut self, guard: Literal, literals: &[Literal]) {
        if literals.len() <= 5 {
            for (index, &left) in literals.iter().enumerate() {
                literals[index + 1..].iter().for_each(|&right| self.add([!guard, !left, !right]));
            }
            return;
        }
        let mut before: Option<Literal> = None;
        for &literal in literals {
            let reached = self.literal();
            self.add([!literal, reached]);
            if let Some(before) = before {
                self.add([!before, reached]);
                self.add([!guard, !literal, !before]);
            }
            before = Some(reached);
        }
    }

    /// A literal that implies that at least two of the literals hold, and can be true whenever two of them do.
    pub fn at_least_two(&mut self, literals: &[Literal]) -> Literal {
        let Some((&first, rest)) = literals.split_first() else { return !self.truth };
        let (mut before, mut seconds) = (first, Vec::with_capacity(rest.len() + 1));
        for (index, &literal) in rest.iter().enumerate() {
            let second = self.literal();
            self.add([!second, literal]);
            self.add([!second, before]);
            seconds.push(second);
            if index + 1 < rest.len() {
                let reached = self.literal();
                self.add([!reached, before, literal]);
                before = reached;
            }
        }
        let both = self.literal();
        seconds.push(!both);
        self.add(seconds);
        both
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks for all values of `count` literals that the constraint can hold if and only if `holds` accepts the number
    /// of true ones.
    fn check(count: usize, constrain: impl Fn(&mut Sat, &[Literal]) -> Literal, holds: impl Fn(u32) -> bool) {
        let limits = Limits::unlimited();
        let mut sat = Sat::new(false, &limits);
        let literals: Vec<Literal> = (0..count).map(|_| sat.literal()).collect();
        let guard = constrain(&mut sat, &literals);
        for values in 0..1u32 << count {
            let mut assumptions: Vec<Literal> = literals
                .iter()
                .enumerate()
                .map(|(k, &literal)| if values >> k & 1 == 1 { literal } else { !literal })
                .collect();
            assert_eq!(sat.solve(&assumptions, 1000).unwrap(), Answer::Satisfiable);
            assumptions.push(guard);
            let expected = if holds(values.count_ones()) { Answer::Satisfiable } else { Answer::Unsatisfiable };
            assert_eq!(sat.solve(&assumptions, 1000).unwrap(), expected, "{values:b} of {count}");
            assert_eq!(sat.used(guard), expected == Answer::Unsatisfiable);
        }
    }

    /// No nine pigeons fit into eight holes, which takes the solver many conflicts to find out.
    #[test]
    fn a_limit_ends_a_search_at_a_conflict() {
        let limits = Limits::unlimited();
        let mut sat = Sat::new(false, &limits);
        let places: Vec<Vec<Literal>> = (0..9).map(|_| (0..8).map(|_| sat.literal()).collect()).collect();
        places.iter().for_each(|holes| sat.add(holes.iter().copied()));
        for (one, other) in (0..9).flat_map(|one| (0..one).map(move |other| (one, other))) {
            places[one].iter().zip(&places[other]).for_each(|(&one, &other)| sat.add([!one, !other]));
        }
        // Where seven of them are is assumed, which leads to a conflict before the solver asks whether to stop.
        let told: Vec<Literal> = (0..7).map(|pigeon| places[pigeon][pigeon]).collect();
        limits.interrupt();
        assert_eq!(sat.solve(&told, u64::MAX), Err(LimitReached::Interrupted));
        assert_eq!(sat.solver.cb().reached, Some(LimitReached::Interrupted));
        assert_eq!(sat.solve(&[], u64::MAX), Err(LimitReached::Interrupted), "it stays ended");
    }

    #[test]
    fn at_most_one_is_what_it_says() {
        for count in 0..9 {
            check(
                count,
                |sat, literals| {
                    let guard = sat.literal();
                    sat.at_most_one(guard, literals);
                    guard
                },
                |ones| ones <= 1,
            );
        }
    }

    #[test]
    fn at_least_two_is_what_it_says() {
        for count in 0..9 {
            check(count, |sat, literals| sat.at_least_two(literals), |ones| ones >= 2);
        }
    }

    #[test]
    fn a_spent_budget_is_told() {
        let (limits, again) = (Limits::unlimited(), Limits::unlimited());
        let mut sat = Sat::new(false, &limits);
        let places: Vec<Vec<Literal>> = (0..10).map(|_| (0..9).map(|_| sat.literal()).collect()).collect();
        places.iter().for_each(|pigeon| sat.add(pigeon.iter().copied()));
        let truth = sat.truth();
        for hole in 0..9 {
            let column: Vec<Literal> = places.iter().map(|pigeon| pigeon[hole]).collect();
            sat.at_most_one(truth, &column);
        }
        assert_eq!(sat.solve(&[], 5).unwrap(), Answer::Unknown);
        limits.interrupt();
        assert!(sat.solve(&[], 1_000_000).is_err(), "a search ends when it is interrupted");
        sat.solver.cb_mut().limits = &again;
        sat.solver.cb_mut().account = Account::new(&&again);
        assert_eq!(sat.solve(&[], 1_000_000).unwrap(), Answer::Unsatisfiable);
    }

    #[test]
    fn clauses_beyond_the_memory_are_an_error_of_the_search() {
        let limits = Limits::new(1 << 20);
        let mut sat = Sat::new(false, &limits);
        let literals: Vec<Literal> = (0..100_000).map(|_| sat.literal()).collect();
        literals.windows(2).for_each(|pair| sat.add([pair[0], pair[1]]));
        assert!(matches!(sat.solve(&[], 1), Err(LimitReached::Memory { .. })));
        assert!(sat.solver.num_vars() < 10_000 && sat.solver.num_clauses() < 10_000, "nothing is added after that");
        drop(sat);
        assert_eq!(limits.used(), 0);
    }
}
