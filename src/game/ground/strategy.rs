//! Chooses by trial how rules are split and gathered, and which relations are restricted to requested atoms or folded.
//!
//! The benefit of an eager split or of demand depends on sizes that are known only after evaluation. At first every
//! rule has the careful split, a budget of join steps, and no demand unless the options ask for it everywhere. If a
//! rule exceeds its budget, its relation is restricted, its alternatives are gathered, it is split in the other way, or
//! its relation is folded, if that changes anything; its budget is doubled, and evaluation starts again. All abandoned
//! evaluations together cost at most a small multiple of the last one.
//!
//! If an evaluation exceeds a bound before any rule exceeds its budget, all budgets are cut once.

use super::compile::Compiler;
use super::demand::{Asked, Asker, callers};
use super::dependency::Dependencies;
use super::error::{Failure, GroundError};
use super::evaluate::Evaluator;
use super::fold::Folder;
use super::gather::{gather, partners};
use super::join::Store;
use super::record::{Evaluation, Recorder};
use super::rows::Diagrams;
use super::split::{Clause, split};
use super::{Demand, GroundOptions, describe};
use crate::rules::{Atom, Predicate, PredicateId, Program, Rule, SymbolTable};
use base::limits::{LimitReached, Limits};
use indexmap::IndexSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// Divisor of the budgets after an evaluation that exceeded a bound other than time.
const SAVING: u64 = 256;
/// If a rule exceeds its budget, other rules with more instances than this are restricted together with it.
const LARGE: u64 = 1 << 12;

#[derive(Debug)]
pub struct Prepared {
    pub symbols: SymbolTable,
    pub predicates: IndexSet<Predicate>,
    pub clauses: Vec<Clause>,
    pub asked: Vec<Asked>,
    /// The relations that are diagrams, so that their atoms are not made.
    pub folded: IndexSet<PredicateId>,
}

const ROOTS: [&[Predicate]; 2] = {
    use Predicate::*;
    [&[Role, Init, Legal, Next, Terminal, Goal], &[Base, Input]]
};

/// Evaluates a program, and starts again whenever a rule exceeds its budget and can be evaluated in another way. Also
/// returns the number of restarts.
pub fn evaluate<'a>(
    program: &Program,
    limits: &'a Limits,
    options: &'a GroundOptions,
) -> Result<(Prepared, Recorder<'a>, usize), GroundError> {
    let mut strategy = Strategy::new(program, limits, options);
    let mut last: Option<Evaluation> = None;
    let (mut spent, mut attempts) = (0u64, 0);
    loop {
        let prepared = strategy.prepare(last.take().as_mut());
        let Prepared { predicates, clauses, .. } = &prepared;
        let dependencies = Dependencies::new(clauses, predicates, ROOTS);
        refuse_state_dependent(clauses, predicates, &dependencies, program)?;
        let mut recorder = Recorder::new(program, predicates, strategy.granted.clone(), limits, options);
        recorder.patient = !strategy.blamed.is_empty();
        let otherwise = |rule: usize, fertile: bool| strategy.otherwise(rule, fertile);
        let (dependencies, otherwise) = (&dependencies, &otherwise);
        let mut evaluator = Evaluator { clauses, predicates, dependencies, program, otherwise, recorder };
        match evaluator.run() {
            Ok(()) => {
                let recorder = evaluator.recorder;
                return Ok((prepared, recorder, attempts));
            }
            // What was evaluated is dropped before evaluation starts again.
            Err(Failure::Error(GroundError::Explosion { ref reason, .. }))
                if !reason.ends_all() && strategy.may_save() =>
            {
                drop(evaluator);
                strategy.save();
                attempts += 1;
            }
            Err(Failure::Error(error)) => return Err(error),
            Err(Failure::Work(rule)) => {
                let evaluation = evaluator.recorder.found;
                spent = spent.saturating_add(strategy.granted[rule]);
                if spent > options.steps {
                    let what = "the number of join steps".to_owned();
                    return Err(LimitReached::Size { what, limit: options.steps }.into());
                }
                strategy.change(rule, &evaluation);
                attempts += 1;
                last = Some(evaluation);
            }
        }
    }
}

struct Strategy<'a> {
    program: &'a Program,
    predicates: IndexSet<Predicate>,
    unsplit: Dependencies,
    eager: Vec<bool>,
    gathered: Vec<bool>,
    granted: Vec<u64>,
    blamed: IndexSet<PredicateId>,
    folded: IndexSet<PredicateId>,
    saves: bool,
    limits: &'a Limits,
    options: &'a GroundOptions,
}

impl<'a> Strategy<'a> {
    fn new(program: &'a Program, limits: &'a Limits, options: &'a GroundOptions) -> Self {
        let mut predicates = program.predicates.clone();
        predicates.extend(ROOTS[0]);
        predicates.extend([Predicate::True, Predicate::Does]);
        let whole = |(origin, rule): (usize, &Rule)| Clause { rule: rule.clone(), origin, asks: false };
        let clauses: Vec<Clause> = program.rules.iter().enumerate().map(whole).collect();
        let unsplit = Dependencies::new(&clauses, &predicates, ROOTS);
        let rules = program.rules.len();
        let mut strategy = Strategy {
            program,
            predicates,
            unsplit,
            eager: vec![false; rules],
            gathered: vec![false; rules],
            granted: vec![options.budget; rules],
            blamed: IndexSet::new(),
            folded: IndexSet::new(),
            saves: false,
            limits,
            options,
        };
        if options.demand == Demand::All {
            let relations = program.rules.iter().map(|rule| rule.head.predicate);
            strategy.blamed = relations.filter(|&relation| strategy.is_relation(relation)).collect();
        }
        strategy
    }

    fn may_save(&self) -> bool {
        self.options.demand == Demand::Large && !self.saves
    }

    fn save(&mut self) {
        self.saves = true;
        self.granted.iter_mut().for_each(|granted| *granted /= SAVING);
    }

    fn prepare(&self, last: Option<&mut Evaluation>) -> Prepared {
        let Prepared { mut symbols, mut predicates, clauses: split, asked, folded } = self.cut();
        if self.blamed.is_empty() {
            return Prepared { symbols, predicates, clauses: split, asked, folded };
        }
        let known = predicates.clone();
        let dependencies = Dependencies::new(&split, &known, ROOTS);
        let sizes = last.map(|evaluation| (evaluation, self.predicates.len()));
        let mut asker = Asker { clauses: &split, predicates: &known, dependencies: &dependencies, sizes };
        let bound = asker.bound(&self.blamed);
        let (clauses, asked) = asker.restrict(&bound, &mut symbols, &mut predicates);
        Prepared { symbols, predicates, clauses, asked, folded }
    }

    fn cut(&self) -> Prepared {
        let (mut symbols, mut predicates) = (self.program.symbols.clone(), self.predicates.clone());
        let mut whole = gather(&self.program.rules, |rule| self.gathered[rule], &mut symbols, &mut predicates);
        // Of equal conditions, the first stays.
        for clause in &mut whole {
            let mut seen = FxHashSet::default();
            clause.rule.body.retain(|condition| seen.insert(condition.without_place()));
        }
        let chains = self.fold(&self.folded, &mut whole, &mut symbols, &mut predicates);
        let dynamic = |atom: &Atom| self.is_dynamic(atom);
        let mut clauses = split(whole, |rule| self.eager[rule], &dynamic, &mut symbols, &mut predicates);
        let folded = if chains.is_some() { self.folded.clone() } else { IndexSet::new() };
        clauses.extend(chains.into_iter().flatten());
        Prepared { symbols, predicates, clauses, asked: Vec::new(), folded }
    }

    /// Removes the clauses that involve relations of `folded` and returns the clauses that replace them. `None` if
    /// `folded` is empty or folding fails; nothing is then removed.
    fn fold(
        &self,
        folded: &IndexSet<PredicateId>,
        whole: &mut Vec<Clause>,
        symbols: &mut SymbolTable,
        predicates: &mut IndexSet<Predicate>,
    ) -> Option<Vec<Clause>> {
        if folded.is_empty() {
            return None;
        }
        let rules = &self.program.rules;
        let (store, diagrams) = (self.below(folded)?, Diagrams::new());
        let compiler = Compiler { rules, folded, store, diagrams, free: 0, known: FxHashMap::default() };
        let mut folder = Folder { compiler, symbols, predicates, told: IndexSet::new(), links: 0 };
        let (mut left, mut made) = (Vec::new(), Vec::new());
        for clause in whole.iter() {
            match folder.fold(clause).ok()? {
                None => left.push(clause.clone()),
                Some(chain) => made.extend(chain),
            }
        }
        *whole = left;
        Some(made)
    }

    /// The atoms of all relations on which the rules of `folded` depend, except `folded`; `None` beyond the budget.
    fn below(&self, folded: &IndexSet<PredicateId>) -> Option<Store> {
        let mut asked: IndexSet<PredicateId> = IndexSet::new();
        let mut clauses: Vec<Clause> = Vec::new();
        let mut next = folded.iter().copied().collect::<Vec<_>>();
        while let Some(relation) = next.pop() {
            let rules = self.program.rules.iter().enumerate().filter(|(_, rule)| rule.head.predicate == relation);
            for (origin, rule) in rules {
                if !folded.contains(&relation) {
                    clauses.push(Clause { rule: rule.clone(), origin, asks: false });
                }
                for literal in &rule.body {
                    let Some(atom) = literal.atom() else { continue };
                    if !folded.contains(&atom.predicate) && asked.insert(atom.predicate) {
                        next.push(atom.predicate);
                    }
                }
            }
        }
        let roots: Vec<Predicate> = asked.iter().map(|&relation| self.program.kind(relation)).collect();
        let dependencies = Dependencies::new(&clauses, &self.predicates, [&roots, &[]]);
        let granted = vec![self.options.budget; self.program.rules.len()];
        let recorder = Recorder::new(self.program, &self.predicates, granted, self.limits, self.options);
        let mut evaluator = Evaluator {
            clauses: &clauses,
            predicates: &self.predicates,
            dependencies: &dependencies,
            program: self.program,
            otherwise: &|_, _| true,
            recorder,
        };
        evaluator.run().ok()?;
        Some(evaluator.recorder.found.store)
    }

    fn is_dynamic(&self, atom: &Atom) -> bool {
        // A predicate that grounding made counts as depending on the state.
        let is_known = (atom.predicate.0 as usize) < self.predicates.len();
        let part = is_known.then(|| self.unsplit.find(atom, &self.predicates)).flatten();
        part.is_none_or(|part| self.unsplit.dynamic[part as usize])
    }

    fn is_relation(&self, predicate: PredicateId) -> bool {
        matches!(self.program.kind(predicate), Predicate::Relation(..))
    }

    fn differs(&self, rule: usize) -> bool {
        let bodies = |eager| -> Vec<Rule> {
            let (mut symbols, mut predicates) = (self.program.symbols.clone(), self.predicates.clone());
            let whole = vec![Clause { rule: self.program.rules[rule].clone(), origin: rule, asks: false }];
            let clauses = split(whole, |_| eager, &|atom| self.is_dynamic(atom), &mut symbols, &mut predicates);
            clauses.into_iter().map(|clause| clause.rule).collect()
        };
        bodies(false) != bodies(true)
    }

    fn can_ask(&self, rule: usize) -> bool {
        let relation = self.program.rules[rule].head.predicate;
        if self.options.demand != Demand::Large || self.blamed.contains(&relation) || !self.is_relation(relation) {
            return false;
        }
        let Prepared { predicates, clauses: split, .. } = self.cut();
        let dependencies = Dependencies::new(&split, &predicates, ROOTS);
        let mut asker = Asker { clauses: &split, predicates: &predicates, dependencies: &dependencies, sizes: None };
        let blamed = self.blamed.iter().copied().chain([relation]).collect();
        asker.bound(&blamed).contains_key(&relation)
    }

    fn otherwise(&self, rule: usize, fertile: bool) -> bool {
        let is_restricted = self.blamed.contains(&self.program.rules[rule].head.predicate);
        self.can_ask(rule)
            || self.can_gather(rule)
            || !(fertile && is_restricted) && self.differs(rule)
            || self.folded_with(rule).is_some()
    }

    /// The relation of a rule with the other relations to fold: those already folded, and those that follow from them
    /// without the state, which are as large. `None` if folding is impossible or already done.
    fn folded_with(&self, rule: usize) -> Option<IndexSet<PredicateId>> {
        let can = |head: &Atom| {
            let part = self.unsplit.find(head, &self.predicates);
            let stratum =
                part.and_then(|part| self.unsplit.strata.iter().find(|stratum| stratum.parts.contains(&part)));
            self.is_relation(head.predicate)
                && !self.is_dynamic(head)
                && stratum.is_some_and(|stratum| !stratum.recursive)
        };
        let head = &self.program.rules[rule].head;
        if self.folded.contains(&head.predicate) || !can(head) {
            return None;
        }
        let folded = self.folded.iter().copied().chain([head.predicate]).collect();
        let folded = callers(self.program.rules.iter().filter(|rule| can(&rule.head)), folded);
        let (mut symbols, mut predicates) = (self.program.symbols.clone(), self.predicates.clone());
        let mut whole = gather(&self.program.rules, |rule| self.gathered[rule], &mut symbols, &mut predicates);
        self.fold(&folded, &mut whole, &mut symbols, &mut predicates).map(|_| folded)
    }

    fn can_gather(&self, rule: usize) -> bool {
        !self.gathered[rule] && !partners(&self.program.rules, rule).is_empty()
    }

    fn change(&mut self, rule: usize, evaluation: &Evaluation) {
        let fertile = evaluation.is_fertile(rule);
        if self.can_ask(rule) && (fertile || !self.differs(rule)) {
            for other in 0..self.program.rules.len() {
                let relation = self.program.rules[other].head.predicate;
                if self.is_relation(relation) && (other == rule || evaluation.counts[other] > LARGE) {
                    self.blamed.insert(relation);
                    self.gather(other);
                }
            }
        } else if self.can_gather(rule) && (fertile || !self.differs(rule)) {
            self.gather(rule);
        } else if (self.eager[rule] || !self.differs(rule))
            && let Some(folded) = self.folded_with(rule)
        {
            self.folded = folded;
        } else {
            self.eager[rule] = !self.eager[rule];
        }
        self.granted[rule] = self.granted[rule].saturating_mul(2);
    }

    fn gather(&mut self, rule: usize) {
        partners(&self.program.rules, rule).into_iter().for_each(|partner| self.gathered[partner] = true);
    }
}

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
