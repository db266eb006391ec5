//! Sets of rows of terms as reduced decision diagrams with a branch for each term (Srinivasan et al., "Algorithms for
//! discrete function manipulation", 1990), for relations with too many rows for lists. The terms of a row have levels.
//! A diagram does not restrict a level that it lacks. An operation on two diagrams costs at most the product of their
//! sizes, a projection perhaps more; the size of all diagrams together is bounded.

use super::term::TermId;
use rustc_hash::FxHashMap;

pub type Level = u32;

/// A set of rows; equal sets have equal ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rows(pub u32);

impl Rows {
    pub const NONE: Rows = Rows(0);
    pub const UNIT: Rows = Rows(1);
}

const BRANCHES: usize = 1 << 18;

/// The diagrams are too large to be worthwhile, or a condition has no diagram.
#[derive(Debug)]
pub struct Unfit;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    Join,
    Unite,
    Without,
    Project,
}

/// The terms of a level, ascending, each with the rows after it, which are never `Rows::NONE`.
type Branches = Vec<(TermId, Rows)>;

#[derive(Debug)]
pub struct Diagrams {
    nodes: Vec<(Level, Branches)>,
    known: FxHashMap<(Level, Branches), Rows>,
    results: FxHashMap<(Operation, Rows, Rows), Rows>,
    branches: usize,
}

impl Diagrams {
    pub fn new() -> Self {
        let leaf = || (Level::MAX, Branches::new());
        Diagrams {
            nodes: vec![leaf(), leaf()],
            known: FxHashMap::default(),
            results: FxHashMap::default(),
            branches: 0,
        }
    }

    /// The first level of a diagram; `Level::MAX` for diagrams without terms.
    pub fn level(&self, rows: Rows) -> Level {
        self.nodes[rows.0 as usize].0
    }

    pub fn branches(&self, rows: Rows) -> &[(TermId, Rows)] {
        &self.nodes[rows.0 as usize].1
    }

    fn node(&mut self, level: Level, mut branches: Branches) -> Result<Rows, Unfit> {
        branches.retain(|&(_, rows)| rows != Rows::NONE);
        if branches.is_empty() {
            return Ok(Rows::NONE);
        }
        self.branches += branches.len();
        if self.branches > BRANCHES {
            return Err(Unfit);
        }
        let next = Rows(self.nodes.len() as u32);
        let rows = *self.known.entry((level, branches)).or_insert_with_key(|node| {
            self.nodes.push(node.clone());
            next
        });
        Ok(rows)
    }

    /// The set of the given rows, which are sorted and have a term for each of the ascending levels.
    pub fn listed(&mut self, levels: &[Level], rows: &[Vec<TermId>]) -> Result<Rows, Unfit> {
        let Some((&level, rest)) = levels.split_first() else {
            return Ok(if rows.is_empty() { Rows::NONE } else { Rows::UNIT });
        };
        let place = rows.first().map_or(0, |row| row.len() - levels.len());
        let mut branches = Branches::new();
        for same in rows.chunk_by(|left, right| left[place] == right[place]) {
            branches.push((same[0][place], self.listed(rest, same)?));
        }
        self.node(level, branches)
    }

    fn remembered(
        &mut self,
        key: (Operation, Rows, Rows),
        find: impl FnOnce(&mut Self) -> Result<Rows, Unfit>,
    ) -> Result<Rows, Unfit> {
        if let Some(&rows) = self.results.get(&key) {
            return Ok(rows);
        }
        let rows = find(self)?;
        self.results.insert(key, rows);
        Ok(rows)
    }

    /// Applies an operation to the rows after each term of a level.
    fn below(
        &mut self,
        rows: Rows,
        mut apply: impl FnMut(&mut Self, TermId, Rows) -> Result<Rows, Unfit>,
    ) -> Result<Rows, Unfit> {
        let (level, mut branches) = self.nodes[rows.0 as usize].clone();
        for (term, rows) in &mut branches {
            *rows = apply(self, *term, *rows)?;
        }
        self.node(level, branches)
    }

    fn after(&self, rows: Rows, term: TermId) -> Rows {
        let branches = self.branches(rows);
        branches.binary_search_by_key(&term, |branch| branch.0).map_or(Rows::NONE, |index| branches[index].1)
    }

    /// The rows over the levels of both operands that agree with both.
    pub fn join(&mut self, left: Rows, right: Rows) -> Result<Rows, Unfit> {
        let (left, right) = if self.level(left) <= self.level(right) { (left, right) } else { (right, left) };
        if left == Rows::NONE || right == Rows::NONE {
            return Ok(Rows::NONE);
        }
        if right == Rows::UNIT || left == right {
            return Ok(left);
        }
        self.remembered((Operation::Join, left, right), |diagrams| {
            let both = diagrams.level(left) == diagrams.level(right);
            diagrams.below(left, |diagrams, term, rows| {
                let other = if both { diagrams.after(right, term) } else { right };
                diagrams.join(rows, other)
            })
        })
    }

    /// The rows of either operand. Fails if the operands have different levels.
    pub fn unite(&mut self, left: Rows, right: Rows) -> Result<Rows, Unfit> {
        match (left.min(right), left.max(right)) {
            (Rows::NONE, rows) => Ok(rows),
            (left, right) if left == right => Ok(left),
            (left, right) => self.remembered((Operation::Unite, left, right), |diagrams| {
                if diagrams.level(left) != diagrams.level(right) {
                    return Err(Unfit);
                }
                let mut branches = diagrams.branches(left).to_vec();
                for (term, rows) in diagrams.branches(right).to_vec() {
                    match branches.binary_search_by_key(&term, |branch| branch.0) {
                        Ok(index) => branches[index].1 = diagrams.unite(branches[index].1, rows)?,
                        Err(index) => branches.insert(index, (term, rows)),
                    }
                }
                diagrams.node(diagrams.level(left), branches)
            }),
        }
    }

    /// The rows that agree with no row of `others`, which has only levels that `rows` has.
    pub fn without(&mut self, rows: Rows, others: Rows) -> Result<Rows, Unfit> {
        if others == Rows::NONE || rows == Rows::NONE {
            return Ok(rows);
        }
        if others == Rows::UNIT {
            return Ok(Rows::NONE);
        }
        if self.level(rows) > self.level(others) {
            return Err(Unfit);
        }
        self.remembered((Operation::Without, rows, others), |diagrams| {
            let both = diagrams.level(rows) == diagrams.level(others);
            diagrams.below(rows, |diagrams, term, rows| {
                let others = if both { diagrams.after(others, term) } else { others };
                diagrams.without(rows, others)
            })
        })
    }

    pub fn project(&mut self, rows: Rows, level: Level) -> Result<Rows, Unfit> {
        if self.level(rows) > level {
            return Ok(rows);
        }
        self.remembered((Operation::Project, rows, Rows(level)), |diagrams| {
            if diagrams.level(rows) < level {
                return diagrams.below(rows, |diagrams, _, rows| diagrams.project(rows, level));
            }
            let parts = diagrams.branches(rows).to_vec();
            parts.into_iter().try_fold(Rows::NONE, |all, (_, part)| diagrams.unite(all, part))
        })
    }

    /// All different diagrams within `root`, itself included, in breadth-first order.
    pub fn below_of(&self, root: Rows) -> Vec<Rows> {
        let mut found = vec![root];
        let mut known = rustc_hash::FxHashSet::from_iter([root]);
        let mut next = 0;
        while let Some(&rows) = found.get(next) {
            next += 1;
            found.extend(self.branches(rows).iter().map(|branch| branch.1).filter(|&rows| known.insert(rows)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    type Listed = BTreeSet<Vec<(Level, u32)>>;

    fn list(diagrams: &Diagrams, rows: Rows) -> Listed {
        if rows == Rows::UNIT {
            return Listed::from([Vec::new()]);
        }
        let level = diagrams.level(rows);
        let branches = diagrams.branches(rows).iter();
        let extend = |(term, rest): &(TermId, Rows)| {
            let rows = list(diagrams, *rest).into_iter();
            rows.map(|row| [vec![(level, term.0)], row].concat()).collect::<Vec<_>>()
        };
        branches.flat_map(extend).collect()
    }

    fn random(diagrams: &mut Diagrams, levels: &[Level], random: &mut base::random::Random) -> Rows {
        let rows = (0..random.below(9)).map(|_| levels.iter().map(|_| TermId(random.below(3) as u32)).collect());
        let rows: BTreeSet<Vec<TermId>> = rows.collect();
        diagrams.listed(levels, &rows.into_iter().collect::<Vec<_>>()).unwrap()
    }

    fn agree(left: &[(Level, u32)], right: &[(Level, u32)]) -> bool {
        left.iter().all(|(level, term)| right.iter().all(|(other, same)| level != other || term == same))
    }

    #[test]
    fn operations_are_those_of_listed_rows() {
        let mut numbers = base::random::Random::new(3);
        for _ in 0..300 {
            let mut diagrams = Diagrams::new();
            let left = random(&mut diagrams, &[0, 2, 3], &mut numbers);
            let right = random(&mut diagrams, &[1, 2], &mut numbers);
            let part = random(&mut diagrams, &[0, 3], &mut numbers);
            let same = random(&mut diagrams, &[0, 2, 3], &mut numbers);
            let (l, r, p, s) =
                (list(&diagrams, left), list(&diagrams, right), list(&diagrams, part), list(&diagrams, same));
            let joined = l.iter().flat_map(|a| r.iter().filter(|b| agree(a, b)).map(|b| [a.as_slice(), b].concat()));
            let joined = joined.map(|row| BTreeSet::from_iter(row).into_iter().collect());
            let found = diagrams.join(left, right).unwrap();
            assert_eq!(list(&diagrams, found), joined.collect());
            let found = diagrams.unite(left, same).unwrap();
            assert_eq!(list(&diagrams, found), &l | &s);
            let found = diagrams.without(left, part).unwrap();
            assert_eq!(list(&diagrams, found), l.iter().filter(|a| !p.iter().any(|b| agree(a, b))).cloned().collect());
            let found = diagrams.project(left, 2).unwrap();
            let projected = l.iter().map(|row| row.iter().copied().filter(|term| term.0 != 2).collect());
            assert_eq!(list(&diagrams, found), projected.collect());
        }
    }

    #[test]
    fn diagrams_that_grow_too_large_are_given_up() {
        let mut diagrams = Diagrams::new();
        let rows: Vec<Vec<TermId>> = (0..BRANCHES as u32 + 1).map(|term| vec![TermId(term)]).collect();
        assert!(diagrams.listed(&[0], &rows).is_err());
    }
}
