//! Restricts relations to the pairs whose state before the move meets a condition.

use super::level::Level;
use super::relation::{NONE, RelationId, Relations};
use super::{Automaton, Outcome};
use base::limits::LimitReached;
use rustc_hash::FxHashMap;

struct Guard<'a, A> {
    relations: Relations,
    automaton: &'a A,
    most: usize,
    known: FxHashMap<(RelationId, u32), RelationId>,
}

/// The given relations, restricted to the pairs whose first state leads `automaton` from `start` to an outcome other
/// than 0, in a store of their own. `None` if more than `most` pairs of a node and an automaton state occur; each takes
/// about 100 bytes.
pub fn guarded<A: Automaton>(
    relations: &Relations,
    roots: &[RelationId],
    automaton: &A,
    start: u32,
    most: usize,
) -> Result<Option<(Relations, Vec<RelationId>)>, LimitReached> {
    let mut guard = Guard { relations: relations.clone(), automaton, most, known: FxHashMap::default() };
    let mut guarded = Vec::with_capacity(roots.len());
    for &root in roots {
        match guard.find(root, start)? {
            Some(found) => guarded.push(found),
            None => return Ok(None),
        }
    }
    Ok(Some(guard.relations.compact(&guarded)))
}

impl<A: Automaton> Guard<'_, A> {
    /// Recursive: each call goes down at least one level.
    fn find(&mut self, id: RelationId, state: u32) -> Result<Option<RelationId>, LimitReached> {
        let reads = match self.automaton.outcome(state) {
            Outcome::Decided(outcome) => return Ok(Some(if outcome == 0 { NONE } else { id })),
            Outcome::Undecided => self.automaton.level(state),
        };
        if id == NONE || reads == Level::NONE {
            return Ok(Some(NONE));
        }
        if let Some(&known) = self.known.get(&(id, state)) {
            return Ok(Some(known));
        }
        if self.known.len() >= self.most {
            return Ok(None);
        }
        let node = *self.relations.node(id);
        let level = node.level.min(reads);
        let mut t = if node.level == level { node.t } else { [id, NONE, NONE, id] };
        for (branch, child) in t.iter_mut().enumerate().filter(|(_, child)| **child != NONE) {
            let state = if reads == level { self.automaton.next(state, branch >> 1 == 1)? } else { state };
            let Some(found) = self.find(*child, state)? else { return Ok(None) };
            *child = found;
        }
        let made = self.relations.make(level, t);
        self.known.insert((id, state), made);
        Ok(Some(made))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Changes, IDENTITY, NO_PAIR};

    /// Whether the number of true levels among the first three is odd.
    struct Odd;

    impl Automaton for Odd {
        fn level(&self, state: u32) -> Level {
            if state < 6 { Level::new(state >> 1) } else { Level::NONE }
        }

        fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
            Ok((state ^ u32::from(bit)) + 2)
        }

        fn outcome(&self, state: u32) -> Outcome {
            if state < 6 { Outcome::Undecided } else { Outcome::Decided(state & 1) }
        }
    }

    #[test]
    fn pairs_are_kept_whose_first_state_meets_the_condition() {
        let mut relations = Relations::new();
        let clear = relations.make(Level::new(3), [IDENTITY, NONE, IDENTITY, NONE]);
        let set = relations.make(Level::new(2), [NONE, clear, NONE, clear]);
        let (guarded, roots) = guarded(&relations, &[set, IDENTITY], &Odd, 0, 1 << 10).unwrap().unwrap();
        let least = |weights: &[i64]| Changes::new(&guarded, weights).least(roots[0]);
        // With one of the levels 0 and 1, level 2 was false; with none or both it was true.
        assert_eq!([least(&[0, 0, 1, 0]), least(&[0, 0, -1, 0])], [0, -1]);
        let follow = |before: u32, after: u32| {
            (0..4).fold(roots[0], |id, level| {
                let [x, y] = [before, after].map(|state| (state >> level & 1) as usize);
                let node = guarded.node(id);
                match node.level == Level::new(level) {
                    true => node.t[2 * x + y],
                    false if x == y => id,
                    false => NONE,
                }
            })
        };
        for before in 0..16_u32 {
            let odd = (before & 7).count_ones() % 2 == 1;
            assert_eq!(follow(before, before & 3 | 4), if odd { IDENTITY } else { NONE }, "{before:b}");
        }
        assert_ne!(Changes::new(&guarded, &[0; 4]).least(roots[1]), NO_PAIR);
        assert!(super::guarded(&relations, &[set], &Odd, 0, 2).unwrap().is_none());
    }
}
