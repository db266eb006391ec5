//! Runs compiled clauses over the derived atoms: one loop with a cursor for each scan, without an allocation per match.

use super::atom::{AtomId, Atoms};
use super::index::{END, Indexes};
use super::pattern::{find_terms, make_terms, run};
use super::plan::{Plan, Step, Template, Until};
use super::term::{TermId, Terms};
use smallvec::SmallVec;

#[derive(Debug, Default)]
pub struct Store {
    pub terms: Terms,
    pub atoms: Atoms,
    pub indexes: Indexes,
}

impl Store {
    /// The atom of a template, if the atom and all its terms exist.
    fn find(&self, template: &Template, registers: &mut [TermId]) -> Option<AtomId> {
        if !find_terms(&template.applies, registers, &self.terms) {
            return None;
        }
        let row: SmallVec<[TermId; 8]> = template.columns.iter().map(|&r| registers[r as usize]).collect();
        self.atoms.find(template.predicate, &row)
    }

    /// The atom of a template, created if it is missing. `likely` is compared first.
    pub fn make(&mut self, template: &Template, registers: &mut [TermId], likely: AtomId) -> AtomId {
        make_terms(&template.applies, registers, &mut self.terms);
        let row: SmallVec<[TermId; 8]> = template.columns.iter().map(|&r| registers[r as usize]).collect();
        if self.atoms.is(likely, template.predicate, &row) {
            likely
        } else {
            self.atoms.intern(template.predicate, &row)
        }
    }

    pub fn bytes(&self) -> usize {
        self.terms.bytes() + self.atoms.bytes() + self.indexes.bytes()
    }
}

/// A run returns to its caller after this number of join steps, for a check of the limits.
const PAUSE: u64 = 1 << 14;

/// The depth of a plan without steps after its only solution.
const EXHAUSTED: usize = usize::MAX;

fn visible(time: u32, until: Until, now: u32) -> bool {
    match until {
        Until::Always => true,
        Until::Before => time < now,
        Until::UpTo => time <= now,
    }
}

#[derive(Debug, Default)]
pub struct Join {
    cursors: Vec<u32>,
    depth: usize,
    forward: bool,
    pub matched: Vec<AtomId>,
    pub ticks: u64,
}

impl Join {
    pub fn start(&mut self, plan: &Plan) {
        self.cursors.clear();
        self.cursors.resize(plan.steps.len(), END);
        self.matched.clear();
        self.matched.resize(plan.steps.len(), AtomId(0));
        (self.depth, self.forward) = (0, true);
    }

    /// Searches for the next solution. `Some(true)`: the registers hold the values of the variables, and `matched` the
    /// atoms. `Some(false)`: no solution was found in many steps; the next call continues. `None`: there are no more
    /// solutions. `now` is the time of the triggering atom.
    pub fn next(&mut self, plan: &Plan, now: u32, store: &mut Store, registers: &mut [TermId]) -> Option<bool> {
        let steps = &plan.steps;
        let stop = self.ticks + PAUSE;
        while self.ticks < stop {
            self.ticks += 1;
            if self.forward && self.depth == steps.len() {
                self.forward = false;
                match self.depth.checked_sub(1) {
                    Some(depth) => self.depth = depth,
                    None => self.depth = EXHAUSTED,
                }
                return Some(true);
            }
            if self.depth == EXHAUSTED {
                return None;
            }
            let (depth, step) = (self.depth, &steps[self.depth]);
            self.forward = match step {
                _ if self.forward => self.enter(step, depth, now, store, registers),
                Step::Scan { once: false, .. } => self.advance(step, depth, now, store, registers),
                // These steps have at most one match, which was already used.
                Step::Scan { once: true, .. } | Step::Find { .. } | Step::Absent(_) | Step::Distinct { .. } => false,
            };
            self.depth = match (self.forward, depth) {
                (true, _) => depth + 1,
                (false, 0) => return None,
                (false, _) => depth - 1,
            };
        }
        Some(false)
    }

    fn enter(&mut self, step: &Step, depth: usize, now: u32, store: &mut Store, registers: &mut [TermId]) -> bool {
        match step {
            Step::Scan { index, applies, key, .. } => {
                if !find_terms(applies, registers, &store.terms) {
                    return false;
                }
                self.cursors[depth] = store.indexes.first(*index, key, registers, &store.atoms, &store.terms);
                self.advance(step, depth, now, store, registers)
            }
            Step::Find { template, until, .. } => {
                let Some(atom) = store.find(template, registers) else { return false };
                self.matched[depth] = atom;
                store.atoms.is_derived(atom) && visible(store.atoms.time(atom), *until, now)
            }
            Step::Absent(template) => !store.find(template, registers).is_some_and(|atom| store.atoms.is_derived(atom)),
            Step::Distinct { applies, left, right } => {
                make_terms(applies, registers, &mut store.terms);
                registers[*left as usize] != registers[*right as usize]
            }
        }
    }

    fn advance(&mut self, step: &Step, depth: usize, now: u32, store: &Store, registers: &mut [TermId]) -> bool {
        let Step::Scan { index, matches, until, .. } = step else { unreachable!("only scans have further matches") };
        while self.cursors[depth] != END {
            let (atom, next) = store.indexes.entry(*index, self.cursors[depth]);
            if *until != Until::Always && !visible(store.atoms.time(atom), *until, now) {
                self.cursors[depth] = END;
                return false;
            }
            // Entries that are appended to the bucket after this read are not needed: the relation is complete, or
            // their atoms are younger than the trigger.
            self.cursors[depth] = next;
            if run(matches, store.atoms.arguments(atom), registers, &store.terms) {
                self.matched[depth] = atom;
                return true;
            }
        }
        false
    }
}
