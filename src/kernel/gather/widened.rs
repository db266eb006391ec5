//! Makes a superset of a set with somewhat more elements and far fewer nodes, for the numbering of its elements.
//!
//! The subsets below the nodes of a level often differ in few elements. From the bottom level up, a node is replaced by
//! another one that has all its elements and some more, if this adds few elements to the whole set. At each level,
//! replacements that add the fewest elements come first, up to a share of the budget.

use super::side::Side;
use crate::elements::{Reference, Table};
use crate::{Context, Diagram, Level, Node};
use base::limits::{LimitReached, table_bytes};
use rustc_hash::FxHashMap;

/// The budget: one added element per this number of elements of the set.
const ADDED: u64 = 4;
/// Divisor of the remaining budget for each level.
const AT_ONCE: u64 = 8;
/// Number of next larger sets that are tried as supersets of each set; fewer if a level has more than [`MANY`] sets.
const NEXT: usize = 64;
/// Number of the largest sets that are tried, too.
const LARGEST: usize = 16;
const MANY: usize = 1 << 14;
const KEPT: usize = 1 << 20;
const SETS: usize = 1 << 10;

/// Sets under construction, by number: 0 is the empty set, 1 the set of the all-false assignment.
struct Sets {
    nodes: Vec<(Level, [u32; 2], u64)>,
    unique: FxHashMap<(Level, [u32; 2]), u32>,
    parts: FxHashMap<(u32, u32), bool>,
}

impl Sets {
    fn make(&mut self, level: Level, children: [u32; 2]) -> u32 {
        if children[1] == 0 {
            return children[0];
        }
        let [lo, hi] = children.map(|child| self.nodes[child as usize].2);
        let next = self.nodes.len() as u32;
        let id = *self.unique.entry((level, children)).or_insert(next);
        if id == next {
            self.nodes.push((level, children, lo.saturating_add(hi)));
        }
        id
    }

    fn is_part(&mut self, set: u32, of: u32) -> bool {
        let mut open = vec![(set, of, 0)];
        let mut result = true;
        while let Some((set, mut of, step)) = open.pop() {
            let (level, children, elements) = self.nodes[set as usize];
            while self.nodes[of as usize].0 < level {
                of = self.nodes[of as usize].1[0];
            }
            if step == 0 {
                let (other, _, more) = self.nodes[of as usize];
                if set == of || set == 0 {
                    result = true;
                    continue;
                }
                if other != level || elements > more {
                    result = false;
                    continue;
                }
                if let Some(&known) = self.parts.get(&(set, of)) {
                    result = known;
                    continue;
                }
            } else if !result || step == 2 {
                if self.parts.len() < KEPT {
                    self.parts.insert((set, of), result);
                }
                continue;
            }
            open.push((set, of, step + 1));
            open.push((children[step], self.nodes[of as usize].1[step], 0));
        }
        result
    }

    /// Chooses replacements for `sets`, which ascend by size, each with its number of paths from above. Returns that of
    /// each replaced set, and the number of added elements (at most `most`, if no replacement is replaced).
    fn replaced(
        &mut self,
        sets: &[(u32, u64)],
        most: u64,
        context: &Context,
    ) -> Result<(FxHashMap<u32, u32>, u64), LimitReached> {
        let mut found = Vec::new();
        let tries = (NEXT * MANY / sets.len().max(MANY)).max(1);
        for (place, &(set, weight)) in sets.iter().enumerate() {
            if place.is_multiple_of(SETS) {
                context.check()?;
            }
            if self.parts.len() > KEPT / 2 {
                self.parts.clear();
            }
            let larger = &sets[place + 1..];
            let (next, others) = larger.split_at(larger.len().min(tries));
            let mut tried = next.iter().chain(others.iter().rev().take(LARGEST));
            if let Some(&(other, _)) = tried.find(|&&(other, _)| self.is_part(set, other)) {
                let more = self.nodes[other as usize].2 - self.nodes[set as usize].2;
                found.push((u128::from(weight) * u128::from(more), place, set, other));
            }
        }
        found.sort_unstable();
        let (mut by, mut added) = (FxHashMap::default(), 0);
        for (more, _, set, other) in found {
            if more > u128::from(most - added) {
                break;
            }
            added += more as u64;
            by.insert(set, other);
        }
        self.parts.clear();
        Ok((by, added))
    }
}

/// A superset of `set` (whose only terminal must be 1); `None` if it would have more than 1.5 times as many elements.
pub fn widened(set: &Diagram, context: &Context) -> Result<Option<Diagram>, LimitReached> {
    let limits = context.limits();
    let side = Side::new(set, limits)?;
    let (count, all) = (set.node_count() as usize, side.states(set.root()));
    let entry = size_of::<(Level, [u32; 2], u64)>() + 2 * size_of::<u64>() + 4 * size_of::<u32>();
    let tables = table_bytes(count, 16) + table_bytes(KEPT.min(count.saturating_mul(count)), 12);
    let _room = limits.hold((entry * count + tables) as u64)?;
    // The number of paths to each node. `above` counts only paths from levels that are not yet done.
    let mut paths = vec![0_u64; count];
    if let Some(root) = set.root().index() {
        paths[root] = 1;
    }
    for (node, children) in set.nodes().iter().enumerate().rev() {
        let own = paths[node];
        children.iter().filter_map(|child| child.index()).for_each(|child| paths[child] += own);
    }
    let mut above = paths.clone();
    let terminal = |elements| (Level::NONE, [0, 0], elements);
    let mut sets =
        Sets { nodes: vec![terminal(0), terminal(1)], unique: FxHashMap::default(), parts: FxHashMap::default() };
    let mut own = vec![0; count];
    let of = |own: &[u32], node: Node| node.index().map_or(u32::from(node != Node::ZERO), |index| own[index]);
    // Nodes of finished levels to which unfinished levels refer.
    let mut active: Vec<usize> = Vec::new();
    let mut left = all / ADDED;
    for level in Level::all(set.levels()).rev() {
        context.check()?;
        for node in set.index().places(level) {
            let children = set.nodes()[node];
            own[node] = sets.make(level, children.map(|child| of(&own, child)));
            children.iter().filter_map(|child| child.index()).for_each(|child| above[child] -= paths[node]);
            active.push(node);
        }
        active.retain(|&node| above[node] > 0);
        let mut weights: FxHashMap<u32, u64> = FxHashMap::default();
        active.iter().for_each(|&node| *weights.entry(own[node]).or_default() += above[node]);
        let mut by_size: Vec<(u32, u64)> = weights.into_iter().collect();
        by_size.sort_unstable_by_key(|&(id, _)| (sets.nodes[id as usize].2, id));
        let (by, added) = sets.replaced(&by_size, left / AT_ONCE, context)?;
        left -= added;
        for &node in &active {
            while let Some(&other) = by.get(&own[node]) {
                own[node] = other;
            }
        }
    }
    let root = of(&own, set.root());
    let fits = sets.nodes[root as usize].2 <= all.saturating_add(2 * (all / ADDED));
    if fits { diagram(&sets, root, set.levels(), context).map(Some) } else { Ok(None) }
}

fn diagram(sets: &Sets, root: u32, levels: u32, context: &Context) -> Result<Diagram, LimitReached> {
    let mut needed = vec![false; sets.nodes.len()];
    needed[root as usize] = true;
    let mut table = Table::new(levels, context.limits());
    let mut made: Vec<Reference> = vec![Reference::terminal(0), Reference::terminal(1)];
    // Children have smaller ids than their parents.
    for id in (2..sets.nodes.len()).rev() {
        if needed[id] {
            sets.nodes[id].1.iter().for_each(|&child| needed[child as usize] = true);
        }
    }
    for (id, &(level, children, _)) in sets.nodes.iter().enumerate().skip(2) {
        let [lo, hi] = children.map(|child| made[child as usize]);
        made.push(if needed[id] { table.make(level, lo, hi)? } else { Reference::terminal(0) });
    }
    table.finish(made[root as usize])
}
