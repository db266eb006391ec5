//! Every kind of sweep on small diagrams, by one thread and by several that share all levels or some: little enough
//! work for Miri and ThreadSanitizer, which see every access of it. See tests/README.md for the commands.

use base::limits::{LimitReached, Limits};
use base::random::Random;
use kernel::{
    Automaton, Context, Diagram, IDENTITY, Level, NONE, Outcome, Payoff, PayoffInfo, Preferences, RelationId,
    Relations, Terminal, as_values, classify, difference, image, intersection, overlay, preimage, restrict, tally,
    union,
};
use std::sync::Arc;

const LEVELS: u32 = if cfg!(miri) { 4 } else { 7 };

/// Little memory, as Miri takes what others only reserve; and partitions of a few requests each.
fn context(threads: usize, sharing_from: u64) -> Context {
    let memory = if cfg!(miri) { 3 << 20 } else { 64 << 20 };
    Context::new(Arc::new(Limits::new(memory)), threads).with(|manner| {
        manner.shared_from = Some(sharing_from);
        manner.partition = Some(3);
    })
}

/// States with an even number of true levels.
struct Even;

impl Automaton for Even {
    fn level(&self, state: u32) -> Level {
        if state / 2 == LEVELS { Level::NONE } else { Level::new(state / 2) }
    }
    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        Ok((state + 2) ^ u32::from(bit))
    }
    fn outcome(&self, state: u32) -> Outcome {
        if state / 2 == LEVELS { Outcome::Decided(1 - state % 2) } else { Outcome::Undecided }
    }
}

impl Payoff for Even {
    fn level(&self, state: u32) -> Level {
        Automaton::level(self, state)
    }
    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        Automaton::next(self, state, bit)
    }
    fn info(&self, state: u32) -> PayoffInfo {
        let terminal = if state / 2 < LEVELS {
            Terminal::Unknown
        } else if state.is_multiple_of(2) {
            Terminal::Value(1)
        } else {
            Terminal::No
        };
        PayoffInfo { mover: Some(0), terminal }
    }
}

fn sets(context: &Context) -> Vec<Diagram> {
    let mut random = Random::new(23);
    (0..3)
        .map(|_| {
            let singles: Vec<Diagram> = (0..12)
                .map(|_| {
                    let bits: Vec<bool> = (0..LEVELS).map(|_| random.chance(50)).collect();
                    Diagram::single(LEVELS, &bits)
                })
                .collect();
            union(&singles.iter().collect::<Vec<_>>(), context).unwrap()
        })
        .collect()
}

fn flips() -> (Relations, Vec<RelationId>) {
    let mut relations = Relations::new();
    let flip = |relations: &mut Relations, level| relations.make(level, [NONE, IDENTITY, IDENTITY, NONE]);
    let top = Level::new(0);
    let roots = Level::all(LEVELS)
        .flat_map(|level| {
            let one = flip(&mut relations, level);
            let above = if level == top { one } else { relations.make(top, [one, NONE, NONE, one]) };
            let both = if level == top { one } else { relations.make(top, [NONE, one, one, NONE]) };
            [one, above, both]
        })
        .collect();
    (relations, roots)
}

/// The result of every kind of sweep, and a count.
fn everything(context: &Context) -> (Vec<Diagram>, String) {
    let sets = sets(context);
    let (relations, roots) = flips();
    let [a, b, c] = &sets[..] else { unreachable!("three sets") };
    let next = image(a, &relations, &roots, context).unwrap();
    let even = classify(&next, &Even, 0, context).unwrap();
    let values = as_values(&next, context).unwrap();
    let preferences = Preferences::new(vec![vec![0, 1, 2]]);
    let back = preimage(a, (&values).into(), &relations, &roots, &Even, 0, false, &preferences, context).unwrap();
    let exact = restrict(a, &back, context).unwrap();
    let counts = format!("{:?}", tally(a, &back, context).unwrap());
    let others = [
        union(&[a, b, c], context).unwrap(),
        intersection(&next, b, context).unwrap(),
        difference(&next, c, context).unwrap(),
        overlay(a, b, context).unwrap(),
    ];
    ([next, even, values, exact].into_iter().chain(others).collect(), counts)
}

#[test]
fn sweeps_shared_by_threads_make_the_same_diagrams() {
    let (expected, counts) = everything(&context(1, 1));
    assert!(expected.iter().map(Diagram::node_count).sum::<u64>() > if cfg!(miri) { 20 } else { 100 });
    let rounds = if cfg!(miri) { 1 } else { 4 };
    for _ in 0..rounds {
        for (threads, sharing_from) in
            [(2, 1), (2, 6), (3, 3), (4, 20)].into_iter().take(if cfg!(miri) { 2 } else { 4 })
        {
            let (found, same) = everything(&context(threads, sharing_from));
            let alone = context(1, 1);
            let equal = found.iter().zip(&expected).all(|(found, one)| found.equals(one, &alone).unwrap());
            assert!(equal && same == counts, "{threads} threads, levels shared from {sharing_from}");
        }
    }
}

#[test]
fn sweeps_that_reach_a_limit_while_levels_are_shared_end() {
    let rooms = (140 << 10..400 << 10).step_by(if cfg!(miri) { 64 << 10 } else { 4 << 10 });
    for bound in rooms {
        let limits = Arc::new(Limits::new(bound));
        let sets = sets(&context(1, 1));
        let context = Context::new(Arc::clone(&limits), 2).with(|manner| manner.shared_from = Some(1));
        let (relations, roots) = flips();
        // Either way: what counts is that it ends and gives everything back.
        let _ = image(&sets[0], &relations, &roots, &context);
        assert_eq!(limits.used(), 0);
    }
}
