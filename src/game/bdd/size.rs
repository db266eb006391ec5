//! Walks over the nodes of a function: size, support, values.

use super::{Bdd, Manager};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

impl Manager {
    fn reachable(&self, f: Bdd) -> FxHashSet<Bdd> {
        let mut seen = FxHashSet::default();
        let mut stack = vec![f];
        while let Some(g) = stack.pop() {
            if !g.is_constant() && seen.insert(g) {
                stack.extend(self.children(g));
            }
        }
        seen
    }

    pub fn size(&self, f: Bdd) -> usize {
        self.reachable(f).len()
    }

    pub fn support(&self, f: Bdd) -> BTreeSet<u32> {
        self.reachable(f).into_iter().map(|g| self.level(g)).collect()
    }

    pub fn evaluate(&self, f: Bdd, assignment: &[bool]) -> bool {
        let mut g = f;
        while !g.is_constant() {
            g = self.children(g)[assignment[self.level(g) as usize] as usize];
        }
        g == Bdd::TRUE
    }
}
