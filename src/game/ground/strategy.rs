//! Chooses how each rule is split, by trying.
//!
//! Whether an eager split pays depends on sizes that are known only after evaluation. Every rule starts with the
//! careful split and a budget of join steps. If a rule exceeds its budget and the other kind of split would change it,
//! it is split that way, its budget is doubled, and evaluation starts again. All attempts that were given up cost at
//! most a small multiple of the last one.

use super::dependency::Dependencies;
use super::error::{Failure, GroundError};
use super::evaluate::Evaluator;
use super::record::Recorder;
use super::split::{Clause, split};
use super::{GroundOptions, describe};
use crate::rules::{Atom, Predicate, PredicateId, Program, Rule, SymbolTable};
use base::limits::{LimitReached, Limits};
use indexmap::IndexSet;

/// Initial budget of join steps of each rule: some tenths of a second.
const STEPS: u64 = 4_000_000;

/// A program with its rules split.
#[derive(Debug)]
pub struct Prepared {
    pub symbols: SymbolTable,
    pub predicates: IndexSet<Predicate>,
}

/// The predicates that a game consists of, and those that are evaluated for warnings only.
const ROOTS: [&[Predicate]; 2] = {
    use Predicate::*;
    [&[Role, Init, Legal, Next, Terminal, Goal], &[Base, Input]]
};

/// Splits and evaluates a program; starts again with another split where a rule exceeds its budget.
pub fn evaluate<'a>(
    program: &Program,
    limits: &'a Limits,
    options: &'a GroundOptions,
) -> Result<(Prepared, Recorder<'a>), GroundError> {
    let mut predicates = program.predicates.clone();
    predicates.extend(ROOTS[0]);
    predicates.extend([Predicate::True, Predicate::Does]);
    let whole = |(origin, rule): (usize, &Rule)| Clause { rule: rule.clone(), origin };
    let clauses: Vec<Clause> = program.rules.iter().enumerate().map(whole).collect();
    let unsplit = Dependencies::new(&clauses, &predicates, ROOTS);
    let is_dynamic = |atom: &Atom| match unsplit.find(atom, &predicates) {
        Some(part) => unsplit.dynamic[part as usize],
        // An auxiliary predicate: nothing is known of it, so it counts as varying.
        None => true,
    };
    let cut = |rules: &[Rule], eager: &[bool]| {
        let (mut symbols, mut predicates) = (program.symbols.clone(), predicates.clone());
        let clauses = split(rules, eager, &is_dynamic, &mut symbols, &mut predicates);
        (symbols, predicates, clauses)
    };
    let differs = |rule: usize| {
        let bodies = |eager| -> Vec<Rule> {
            cut(&program.rules[rule..=rule], &[eager]).2.into_iter().map(|clause| clause.rule).collect()
        };
        bodies(false) != bodies(true)
    };
    let name = |rule: usize| describe(program, rule);

    let mut eager = vec![false; program.rules.len()];
    let mut granted = vec![STEPS; program.rules.len()];
    let mut spent = 0u64;
    loop {
        let (symbols, predicates, clauses) = cut(&program.rules, &eager);
        let dependencies = Dependencies::new(&clauses, &predicates, ROOTS);
        refuse_state_dependent(&clauses, &predicates, &dependencies, program)?;
        let recorder = Recorder::new(program, &predicates, granted.clone(), limits, options);
        match Evaluator::new(&clauses, &predicates, &dependencies, &name, &differs, recorder).run() {
            Ok(recorder) => return Ok((Prepared { symbols, predicates }, recorder)),
            Err(Failure::Error(error)) => return Err(error),
            Err(Failure::Work(rule)) => {
                spent = spent.saturating_add(granted[rule]);
                if spent > options.steps {
                    let what = "the number of join steps".to_owned();
                    return Err(LimitReached::Size { what, limit: options.steps }.into());
                }
                eager[rule] = !eager[rule];
                granted[rule] = granted[rule].saturating_mul(2);
            }
        }
    }
}

/// Reports rules for `init` or `role` that depend on the state.
fn refuse_state_dependent(
    clauses: &[Clause],
    predicates: &IndexSet<Predicate>,
    dependencies: &Dependencies,
    program: &Program,
) -> Result<(), GroundError> {
    let is_fixed =
        |predicate: PredicateId| matches!(predicates[predicate.0 as usize], Predicate::Init | Predicate::Role);
    for clause in clauses.iter().filter(|clause| is_fixed(clause.rule.head.predicate)) {
        let part = dependencies.find(&clause.rule.head, predicates);
        if part.is_some_and(|part| dependencies.dynamic[part as usize]) {
            let head = describe(program, clause.origin);
            return Err(GroundError::StateDependent { head, span: clause.rule.span });
        }
    }
    Ok(())
}
