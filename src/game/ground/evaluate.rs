//! Semi-naive bottom-up evaluation of the relaxed reachable atoms, with all rule instances.
//!
//! Strata are evaluated one after the other. Predicates that do not depend on the state are evaluated exactly,
//! including negation. For all other predicates, negated conditions on the state are ignored: a fluent that becomes
//! true by `init` or `next` stays true, and a move that may be legal may be made. Each atom is processed once, in the
//! order of derivation, and joined with older atoms only, so that each instance is found exactly once.

use super::atom::AtomId;
use super::dependency::{Dependencies, Part, PartId, Stratum, key_argument, part_of};
use super::describe;
use super::error::{Failure, GroundError};
use super::growth;
use super::join::Store;
use super::plan::{LiteralKind, Plan, Planner};
use super::record::{Recorder, Solution, Stop};
use super::split::Clause;
use super::term::TermId;
use crate::rules::{Atom, Literal, Predicate, PredicateId, Program, Term};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cmp::Reverse;

pub struct Evaluator<'a, 'l> {
    pub clauses: &'a [Clause],
    pub predicates: &'a IndexSet<Predicate>,
    pub dependencies: &'a Dependencies,
    pub program: &'a Program,
    /// Whether a rule of the program can be evaluated in another way. Arguments: the rule, and whether it is fertile.
    pub otherwise: &'a dyn Fn(usize, bool) -> bool,
    pub recorder: Recorder<'l>,
}

/// Budget of join steps of a rule in strata that serve only for warnings.
const USEFUL: u64 = 1 << 20;

/// A clause compiled for a trigger, and the number of derived atoms when it was compiled.
struct Compiled {
    plan: Plan,
    atoms: usize,
}

impl Evaluator<'_, '_> {
    /// Evaluates all strata. A limit or error in a stratum for warnings ends the run and makes `complete` false.
    pub fn run(&mut self) -> Result<(), Failure> {
        let (needed, useful) = self.dependencies.strata.split_at(self.dependencies.needed);
        for stratum in needed {
            self.stratum(stratum)?;
        }
        self.recorder.check().map_err(|stop| self.explain(stop))?;
        self.otherwise = &|_, _| true;
        self.recorder.grant(USEFUL);
        let is_fixed = |stratum: &Stratum| stratum.parts.iter().all(|&part| !self.dependencies.dynamic[part as usize]);
        let complete = useful.iter().all(|stratum| is_fixed(stratum) && self.stratum(stratum).is_ok());
        self.recorder.found.complete = complete;
        Ok(())
    }

    fn stratum(&mut self, stratum: &Stratum) -> Result<(), Failure> {
        let start = self.recorder.found.store.atoms.derived().len();
        let mut triggers: FxHashMap<Part, Vec<(usize, usize)>> = FxHashMap::default();
        for &index in &stratum.clauses {
            let clause = &self.clauses[index];
            if clause.rule.body.is_empty() && self.fact(clause) {
                continue;
            }
            let kinds = self.kinds(clause, stratum);
            let recursive: Vec<usize> = (0..kinds.len()).filter(|&literal| kinds[literal].recursive).collect();
            for &literal in &recursive {
                if let Literal::Positive(atom) = &clause.rule.body[literal] {
                    triggers.entry(part_of(atom, self.predicates)).or_default().push((index, literal));
                }
            }
            if recursive.is_empty() {
                let mut plan = self.plan(index, &kinds, None)?;
                self.solutions(index, &mut plan, None)?;
            }
        }
        if triggers.is_empty() {
            return Ok(());
        }
        let mut compiled: FxHashMap<(usize, usize), Compiled> = FxHashMap::default();
        let mut pending = self.earlier(stratum, start);
        let mut cursor = start;
        loop {
            let atom = match pending.pop() {
                Some(atom) => atom,
                None => match self.recorder.found.store.atoms.derived().get(cursor) {
                    Some(&atom) => atom,
                    None => return Ok(()),
                },
            };
            let time = self.recorder.found.store.atoms.time(atom);
            cursor += usize::from(time as usize >= start);
            for part in self.parts_of(atom).into_iter().flatten() {
                for &(index, literal) in triggers.get(&part).into_iter().flatten() {
                    let atoms = self.recorder.found.store.atoms.derived().len();
                    let known = compiled.remove(&(index, literal)).filter(|known| atoms < 4 * known.atoms + 64);
                    let mut entry = match known {
                        Some(known) => known,
                        None => {
                            let kinds = self.kinds(&self.clauses[index], stratum);
                            Compiled { plan: self.plan(index, &kinds, Some(literal))?, atoms }
                        }
                    };
                    self.trigger(index, &mut entry.plan, atom)?;
                    compiled.insert((index, literal), entry);
                }
            }
        }
    }

    fn fact(&mut self, clause: &Clause) -> bool {
        let head = &clause.rule.head;
        let dynamic = self.is_dynamic(head);
        let terms = &mut self.recorder.found.store.terms;
        let constants = head.arguments.iter().map(|term| match term {
            Term::Constant(symbol) => Some(terms.constant(*symbol)),
            _ => None,
        });
        let Some(row) = constants.collect::<Option<SmallVec<[TermId; 8]>>>() else { return false };
        self.recorder.fact(head.predicate, &row, clause.origin, dynamic);
        true
    }

    fn earlier(&self, stratum: &Stratum, start: usize) -> Vec<AtomId> {
        let atoms = &self.recorder.found.store.atoms;
        let mut earlier: Vec<AtomId> = Vec::new();
        let mut predicates: Vec<PredicateId> =
            stratum.parts.iter().map(|&part| self.dependencies.parts[part as usize].0).collect();
        predicates.sort_unstable();
        predicates.dedup();
        for predicate in predicates {
            earlier.extend(atoms.extent(predicate).iter().filter(|&&atom| (atoms.time(atom) as usize) < start));
        }
        earlier.sort_unstable_by_key(|&atom| Reverse(atoms.time(atom)));
        earlier
    }

    fn parts_of(&self, atom: AtomId) -> [Option<Part>; 2] {
        let (atoms, terms) = (&self.recorder.found.store.atoms, &self.recorder.found.store.terms);
        let predicate = atoms.predicate(atom);
        let key = key_argument(self.predicates[predicate.0 as usize]).and_then(|key| atoms.arguments(atom).get(key));
        let part = key.map(|&term| (predicate, Some((terms.functor(term), terms.arguments(term).len() as u32))));
        [part, Some((predicate, None))]
    }

    fn kinds(&self, clause: &Clause, stratum: &Stratum) -> Vec<LiteralKind> {
        let part = |literal: &Literal| -> Option<(PartId, bool)> {
            let part = self.dependencies.find(literal.atom()?, self.predicates)?;
            Some((part, matches!(literal, Literal::Positive(_))))
        };
        let role = |literal: &Literal| match part(literal) {
            Some((part, positive)) => LiteralKind {
                dynamic: !clause.asks && self.dependencies.dynamic[part as usize],
                recursive: positive && stratum.recursive && stratum.parts.binary_search(&part).is_ok(),
            },
            None => LiteralKind::default(),
        };
        clause.rule.body.iter().map(role).collect()
    }

    fn plan(&mut self, index: usize, kinds: &[LiteralKind], trigger: Option<usize>) -> Result<Plan, Failure> {
        let clause = &self.clauses[index];
        let store = &mut self.recorder.found.store;
        let mut planner = Planner { terms: &mut store.terms, atoms: &store.atoms, indexes: &mut store.indexes };
        planner.plan(clause, kinds, trigger).ok_or_else(|| {
            let head = describe(self.program, clause.origin);
            Failure::Error(GroundError::Unsafe { head, span: clause.rule.span })
        })
    }

    fn trigger(&mut self, index: usize, plan: &mut Plan, atom: AtomId) -> Result<(), Failure> {
        let Store { terms, atoms, .. } = &self.recorder.found.store;
        if !super::pattern::run(&plan.trigger, atoms.arguments(atom), &mut plan.registers, terms) {
            return Ok(());
        }
        self.solutions(index, plan, Some(atom))
    }

    fn solutions(&mut self, index: usize, plan: &mut Plan, trigger: Option<AtomId>) -> Result<(), Failure> {
        let dynamic = self.is_dynamic(&self.clauses[index].rule.head);
        let Clause { origin, asks, .. } = self.clauses[index];
        let made = match (asks, dynamic) {
            (true, _) => Solution::Demand,
            (false, true) => Solution::Instance,
            (false, false) => Solution::Atom,
        };
        self.recorder.solutions(plan, origin, made, trigger, self.otherwise).map_err(|stop| self.explain(stop))
    }

    fn is_dynamic(&self, atom: &Atom) -> bool {
        self.dependencies.is_dynamic(atom, self.predicates)
    }

    fn explain(&self, stop: Stop) -> Failure {
        let counts = &self.recorder.found.counts;
        let applied = (0..counts.len()).filter(|&rule| counts[rule] > 0);
        let worst = applied.clone().max_by_key(|&rule| (counts[rule], Reverse(rule)));
        let named = |rule: usize| (describe(self.program, rule), self.program.rules[rule].span);
        let error = match (stop, worst) {
            (Stop::Work(rule), _) => return Failure::Work(rule),
            (Stop::Limit(reason), _) if reason.ends_all() => GroundError::Limit(reason),
            (Stop::Limit(reason), Some(rule)) if self.recorder.endless().is_none() => {
                let (head, span) = named(rule);
                let cause = super::cause::cause(self.program, rule, &self.recorder.found).map(Box::new);
                GroundError::Explosion { reason, head, span, instances: counts[rule], cause }
            }
            (Stop::Limit(reason), None) => GroundError::Limit(reason),
            (Stop::EndlessTerms | Stop::Limit(_), _) => {
                let nesting = |rule: usize| (growth::nesting(&self.program.rules[rule]), counts[rule], Reverse(rule));
                let deepest = applied.max_by_key(|&rule| nesting(rule));
                let rule = self.recorder.endless().or(deepest);
                let (head, span) = named(rule.expect("terms nest by rules that were applied"));
                GroundError::EndlessTerms { head, span }
            }
        };
        Failure::Error(error)
    }
}
