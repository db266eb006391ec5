//! Walks over the nodes of a function: size, support, values.

use super::{Bdd, Manager};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

impl Manager {
    /// The inner nodes that a function consists of.
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

    /// Number of inner nodes of a function.
    pub fn size(&self, f: Bdd) -> usize {
        self.reachable(f).len()
    }

    /// The levels that a function depends on.
    pub fn support(&self, f: Bdd) -> BTreeSet<u32> {
        self.reachable(f).into_iter().map(|g| self.level(g)).collect()
    }

    /// The literals (level, value) that every satisfying assignment agrees on, by ascending level; empty for false.
    pub fn implied_literals(&mut self, f: Bdd) -> Vec<(u32, bool)> {
        let mut implied = Vec::new();
        for level in self.support(f) {
            // A literal is implied iff each path to true passes the level on the same side.
            let sides = [true, false].map(|bit| self.avoids(f, level, bit));
            match sides {
                [true, false] => implied.push((level, false)),
                [false, true] => implied.push((level, true)),
                _ => {}
            }
        }
        implied
    }

    /// Whether no satisfying assignment gives `level` the value `bit`.
    fn avoids(&self, f: Bdd, level: u32, bit: bool) -> bool {
        let mut seen = FxHashSet::default();
        let mut stack = vec![f];
        while let Some(g) = stack.pop() {
            if g == Bdd::FALSE || !seen.insert(g) {
                continue;
            }
            let here = self.level(g);
            if here > level {
                return false;
            }
            if here == level {
                if self.children(g)[bit as usize] != Bdd::FALSE {
                    return false;
                }
            } else {
                stack.extend(self.children(g));
            }
        }
        true
    }

    /// The value under an assignment (by level).
    pub fn evaluate(&self, f: Bdd, assignment: &[bool]) -> bool {
        let mut g = f;
        while !g.is_constant() {
            g = self.children(g)[assignment[self.level(g) as usize] as usize];
        }
        g == Bdd::TRUE
    }
}
