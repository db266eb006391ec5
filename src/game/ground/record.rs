//! Receives the solutions of joins: derives the atoms of the heads, records the rule instances and checks the limits.

use super::GroundOptions;
use super::atom::{AtomId, Atoms};
use super::growth;
use super::instance::{GroundLiteral, Instances};
use super::join::{Join, Store};
use super::plan::{Plan, Step};
use super::term::TermId;
use crate::rules::{Predicate, PredicateId, Program};
use base::limits::{Account, LimitReached, Limits};
use indexmap::IndexSet;
use smallvec::SmallVec;
use std::cmp::Reverse;

#[derive(Debug, Default)]
pub struct Evaluation {
    pub store: Store,
    pub instances: Instances,
    /// For each rule of the program, its number of instances.
    pub counts: Vec<u64>,
    pub fired: Vec<bool>,
    pub work: Vec<u64>,
    /// Whether the strata that serve only for warnings were evaluated to the end.
    pub complete: bool,
}

impl Evaluation {
    pub fn bytes(&self) -> u64 {
        (self.store.bytes() + self.instances.bytes()) as u64
    }

    /// Whether many join steps lead to an instance: then demand helps, while a split only avoids steps without one.
    pub fn is_fertile(&self, rule: usize) -> bool {
        self.counts[rule] > self.work[rule] / FERTILE
    }
}

pub enum Stop {
    Limit(LimitReached),
    EndlessTerms,
    /// A rule of the program exceeded its budget of join steps, and can be evaluated in another way.
    Work(usize),
}

impl From<LimitReached> for Stop {
    fn from(reason: LimitReached) -> Self {
        Stop::Limit(reason)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solution {
    Instance,
    Atom,
    Demand,
}

/// A rule with fewer join steps per instance is fertile.
const FERTILE: u64 = 8;

const INTERVAL: u64 = 1 << 14;

/// Number of instances of a rule that nests terms without end, after which that is told.
const ENDLESS: u64 = 1 << 12;

/// With demand, a rule over its budget ends the evaluation only if it took more than one in this number of all join
/// steps, because the next evaluation repeats all of them.
const SHARE: u64 = 4;

pub struct Recorder<'a> {
    limits: &'a Limits,
    options: &'a GroundOptions,
    granted: Vec<u64>,
    /// For each rule of the program, the predicate of its head. Rules that were split off have auxiliary heads.
    heads: Vec<PredicateId>,
    pub account: Account<&'a Limits>,
    /// For each rule of the program, whether it nests terms without end once it applies.
    growing: Vec<bool>,
    /// For each predicate, the predicate that its atoms imply: `true` for `init` and `next`, `does` for `legal`.
    consequence: Vec<Option<PredicateId>>,
    /// Whether a rule over its budget continues while it has taken few of all join steps ([`SHARE`]).
    pub patient: bool,
    pub found: Evaluation,
    pub join: Join,
    checked: u64,
    last: AtomId,
}

const NONE: AtomId = AtomId(u32::MAX);

impl<'a> Recorder<'a> {
    /// `granted`: for each rule of the program, its budget of join steps.
    pub fn new(
        program: &Program,
        predicates: &IndexSet<Predicate>,
        granted: Vec<u64>,
        limits: &'a Limits,
        options: &'a GroundOptions,
    ) -> Self {
        let id = |predicate| predicates.get_index_of(&predicate).map(|index| PredicateId(index as u32));
        let consequence = predicates.iter().map(|predicate| match predicate {
            Predicate::Init | Predicate::Next => id(Predicate::True),
            Predicate::Legal => id(Predicate::Does),
            _ => None,
        });
        let rules = granted.len();
        let store = Store { atoms: Atoms::new(predicates.len()), ..Store::default() };
        Recorder {
            limits,
            options,
            granted,
            heads: program.rules.iter().map(|rule| rule.head.predicate).collect(),
            account: Account::new(&limits),
            growing: growth::growing(program),
            consequence: consequence.collect(),
            patient: false,
            found: Evaluation {
                store,
                counts: vec![0; rules],
                fired: vec![false; rules],
                work: vec![0; rules],
                ..Evaluation::default()
            },
            join: Join::default(),
            checked: 0,
            last: NONE,
        }
    }

    /// Derives the head for every solution of a plan, and records the result for the rule `origin`. `trigger`: the atom
    /// that filled the registers. Stops at a limit, or if the rule exceeds its budget and `otherwise` holds.
    pub fn solutions(
        &mut self,
        plan: &mut Plan,
        origin: usize,
        made: Solution,
        trigger: Option<AtomId>,
        otherwise: &dyn Fn(usize, bool) -> bool,
    ) -> Result<(), Stop> {
        let now = trigger.map_or(0, |atom| self.found.store.atoms.time(atom));
        let mut registers = std::mem::take(&mut plan.registers);
        self.join.start(plan);
        let result = loop {
            let before = self.join.ticks;
            let step = self.join.next(plan, now, &mut self.found.store, &mut registers);
            self.found.work[origin] += self.join.ticks - before;
            match step {
                None => break Ok(()),
                Some(true) => self.record(plan, &mut registers, origin, made, trigger),
                Some(false) => {}
            }
            if self.join.ticks - self.checked > self.options.budget.min(INTERVAL) {
                if let Err(stop) = self.check() {
                    break Err(stop);
                }
                let work = self.found.work[origin];
                if work > self.granted[origin] && (!self.patient || work > self.join.ticks / SHARE) {
                    if otherwise(origin, self.found.is_fertile(origin)) {
                        break Err(Stop::Work(origin));
                    }
                    self.granted[origin] = u64::MAX;
                }
            }
        };
        plan.registers = registers;
        result
    }

    fn record(
        &mut self,
        plan: &Plan,
        registers: &mut [TermId],
        origin: usize,
        made: Solution,
        trigger: Option<AtomId>,
    ) {
        let Evaluation { store, instances, counts, fired, .. } = &mut self.found;
        let head = store.make(&plan.head, registers, self.last);
        // Consecutive solutions often have the same head, because a join varies the atoms of its last steps first, and
        // these often bind no variable of the head.
        if head != self.last {
            derive(store, &self.consequence, head);
            self.last = head;
        }
        if made == Solution::Demand {
            return;
        }
        counts[origin] += 1;
        fired[origin] |= store.atoms.predicate(head) == self.heads[origin];
        if made == Solution::Instance {
            let body = instances.begin(head);
            let positive = |atom| GroundLiteral::new(atom, false);
            for (step, &atom) in plan.steps.iter().zip(&self.join.matched) {
                if is_recorded(step) {
                    body.push(positive(atom));
                }
            }
            body.extend(trigger.filter(|_| plan.record_trigger).map(positive));
            for template in &plan.negatives {
                body.push(GroundLiteral::new(store.make(template, registers, NONE), true));
            }
            instances.end();
        }
    }

    pub fn fact(&mut self, predicate: PredicateId, row: &[TermId], origin: usize, dynamic: bool) {
        let head = self.found.store.atoms.intern(predicate, row);
        derive(&mut self.found.store, &self.consequence, head);
        self.found.counts[origin] += 1;
        self.found.fired[origin] |= predicate == self.heads[origin];
        if dynamic {
            self.found.instances.begin(head);
            self.found.instances.end();
        }
    }

    /// Grants every rule this number of join steps in addition to the steps taken.
    pub fn grant(&mut self, steps: u64) {
        self.granted = self.found.work.iter().map(|work| work + steps).collect();
    }

    /// The rule that has nested most terms, of those that do so without end.
    pub fn endless(&self) -> Option<usize> {
        let Evaluation { counts, fired, .. } = &self.found;
        let applied = (0..counts.len()).filter(|&rule| self.growing[rule] && fired[rule]);
        applied.max_by_key(|&rule| (counts[rule], Reverse(rule)))
    }

    pub fn check(&mut self) -> Result<(), Stop> {
        self.checked = self.join.ticks;
        let Evaluation { store, instances, .. } = &self.found;
        self.limits.check()?;
        self.account.set((store.bytes() + instances.bytes()) as u64)?;
        if store.terms.too_deep() {
            return Err(Stop::EndlessTerms);
        }
        if self.endless().is_some_and(|rule| self.found.counts[rule] > ENDLESS) {
            return Err(Stop::EndlessTerms);
        }
        if self.join.ticks > self.options.steps {
            let what = "the number of join steps".to_owned();
            return Err(Stop::Limit(LimitReached::Size { what, limit: self.options.steps }));
        }
        if instances.is_full(store.atoms.len()) {
            let what = "the number of atoms, or of literals of rule instances".to_owned();
            return Err(Stop::Limit(LimitReached::Size { what, limit: Instances::MOST as u64 }));
        }
        let limit = self.options.instances;
        for (what, count) in [("atoms", store.atoms.len()), ("rule instances", instances.len())] {
            if count as u64 > limit {
                return Err(Stop::Limit(LimitReached::Size { what: format!("the number of {what}"), limit }));
            }
        }
        Ok(())
    }
}

fn is_recorded(step: &Step) -> bool {
    matches!(step, Step::Scan { record: true, .. } | Step::Find { record: true, .. })
}

/// Derives an atom, and the atom that follows from it by the meaning of the keywords.
fn derive(store: &mut Store, consequence: &[Option<PredicateId>], atom: AtomId) {
    if store.atoms.derive(atom)
        && let Some(predicate) = consequence[store.atoms.predicate(atom).0 as usize]
    {
        let row: SmallVec<[TermId; 8]> = store.atoms.arguments(atom).iter().copied().collect();
        let consequence = store.atoms.intern(predicate, &row);
        store.atoms.derive(consequence);
    }
}
