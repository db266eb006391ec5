//! Restricts relations to the pairs whose state before the move meets a condition.

use super::diagram::Diagram;
use super::level::Level;
use super::node::Node;
use super::relation::{NONE, RelationId, Relations};
use super::{Automaton, Outcome};
use base::limits::LimitReached;
use base::machine::deep;
use rustc_hash::FxHashMap;

/// Approximate bytes for each pair of a node and an automaton state, while relations are restricted.
pub const GUARDED_BYTES: usize = 100;

pub struct Guarded<'a, A> {
    pub roots: &'a [RelationId],
    pub automaton: &'a A,
    pub start: u32,
}

/// An automaton that reads a value diagram: a state is a node, and the outcome is its terminal minus 1.
pub struct Reading<'a>(pub &'a Diagram);

impl Reading<'_> {
    pub fn start(&self) -> u32 {
        self.0.root().bits()
    }
}

impl Automaton for Reading<'_> {
    fn level(&self, state: u32) -> Level {
        let node = Node::from_bits(state);
        if node.is_terminal() { Level::NONE } else { self.0.level(node) }
    }

    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        Ok(self.0.children(Node::from_bits(state))[bit as usize].bits())
    }

    fn outcome(&self, state: u32) -> Outcome {
        let decided = |terminal: u32| Outcome::Decided(terminal.saturating_sub(1));
        Node::from_bits(state).as_terminal().map_or(Outcome::Undecided, decided)
    }
}

struct Guard<'a, A> {
    relations: Relations,
    automaton: &'a A,
    left: usize,
    known: FxHashMap<(RelationId, u32), RelationId>,
}

/// Returns a new store and its relations: first those of `free`, unchanged; then those of `restricted`, restricted to
/// the pairs whose state before the move leads the automaton from its start to an outcome other than 0. `None` if more
/// than `most` pairs of a node and an automaton state occur; each takes about [`GUARDED_BYTES`].
pub fn guarded<A: Automaton>(
    relations: &Relations,
    free: &[RelationId],
    restricted: &[Guarded<A>],
    most: usize,
) -> Result<Option<(Relations, Vec<RelationId>)>, LimitReached> {
    let (mut relations, mut all, mut left) = (relations.clone(), free.to_vec(), most);
    for &Guarded { roots, automaton, start } in restricted {
        let mut guard = Guard { relations, automaton, left, known: FxHashMap::default() };
        for &root in roots {
            match guard.find(root, start)? {
                Some(found) => all.push(found),
                None => return Ok(None),
            }
        }
        (relations, left) = (guard.relations, guard.left);
    }
    Ok(Some(relations.compact(&all)))
}

impl<A: Automaton> Guard<'_, A> {
    /// Recursive; each call goes down at least one level.
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
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        let node = *self.relations.node(id);
        let level = node.level.min(reads);
        let mut t = if node.level == level { node.t } else { [id, NONE, NONE, id] };
        for (branch, child) in t.iter_mut().enumerate().filter(|(_, child)| **child != NONE) {
            let state = if reads == level { self.automaton.next(state, branch >> 1 == 1)? } else { state };
            let Some(found) = deep(|| self.find(*child, state))? else { return Ok(None) };
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
        let (of_two, of_one) = ([set, IDENTITY], [set]);
        let odd = |roots| Guarded { roots, automaton: &Odd, start: 0 };
        let (guarded, roots) = guarded(&relations, &[], &[odd(&of_two)], 1 << 10).unwrap().unwrap();
        let least = |weights: &[i64]| Changes::new(&guarded, weights).least(roots[0]);
        // If exactly one of the levels 0 and 1 is true, level 2 was false before the move; otherwise it was true.
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
        assert!(super::guarded(&relations, &[], &[odd(&of_one)], 2).unwrap().is_none());
    }

    #[test]
    fn free_relations_stay_as_they_are_and_diagrams_restrict_the_others() {
        let mut relations = Relations::new();
        let set = relations.make(Level::new(2), [NONE, IDENTITY, NONE, NONE]);
        let clear = relations.make(Level::new(2), [NONE, NONE, IDENTITY, NONE]);
        let limits = std::sync::Arc::new(base::limits::Limits::unlimited());
        let context = crate::Context::new(limits.clone(), 1);
        // Level 0 decides, whatever the others are.
        let table: Vec<u32> = (0..8).map(|bits| 1 + (bits >> 2 & 1)).collect();
        let values = crate::as_values(&crate::elements::set_of_table(3, &table, &limits), &context).unwrap();
        let reading = Reading(&values);
        let (free, restricted) = ([clear], [set]);
        let restricted = Guarded { roots: &restricted, automaton: &reading, start: reading.start() };
        let (made, roots) = guarded(&relations, &free, &[restricted], 100).unwrap().unwrap();
        assert_eq!(made.node(roots[0]).t, relations.node(clear).t);
        let top = made.node(roots[1]);
        assert_eq!((top.level, top.t), (Level::new(0), [NONE, NONE, NONE, top.t[3]]));
        assert_eq!(made.node(top.t[3]).t, relations.node(set).t);
    }
}
