//! The kernel against explicit sets of assignments: every operation on all sets of three variables or on many random
//! ones of four, with one thread and with several; limits; files.

use base::limits::{LimitReached, Limits};
use base::scratch::Scratch;
use kernel::{
    Automaton, Context, DEAD_END, Diagram, IDENTITY, Kind, Layout, Level, NONE, Node, Outcome, Packed, Payoff,
    PayoffInfo, Preferences, RelationId, Relations, TERMINALS, Terminal, UnpackError, classify, difference, image,
    intersection, preimage, restrict, tally, union,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Assignments as numbers: level 0 is the highest bit, so that numeric order is lexicographic.
pub type Set = BTreeSet<usize>;

fn context(threads: usize) -> Context {
    let limits = Arc::new(Limits::unlimited());
    Context::new(Arc::clone(&limits), threads).with(|manner| {
        manner.shared_from = Some(1);
        // With several threads many small partitions, too, and all that can wait on disk.
        if threads > 1 {
            manner.partition = Some(2);
            manner.scratch = Some(Scratch::new(&std::env::temp_dir(), &limits));
            manner.spilling = true;
        }
    })
}

fn bits(levels: u32, assignment: usize) -> Vec<bool> {
    (0..levels).map(|level| assignment >> (levels - 1 - level) & 1 == 1).collect()
}

fn number(bits: &[bool]) -> usize {
    bits.iter().fold(0, |number, &bit| 2 * number + usize::from(bit))
}

pub fn diagram(levels: u32, set: &Set, context: &Context) -> Diagram {
    let singles: Vec<Diagram> = set.iter().map(|&x| Diagram::single(levels, &bits(levels, x))).collect();
    let empty = Diagram::constant(levels, 0);
    let all: Vec<&Diagram> = singles.iter().chain([&empty]).collect();
    union(&all, context).unwrap()
}

fn elements(diagram: &Diagram) -> Set {
    (0..1 << diagram.levels()).filter(|&x| diagram.contains(&bits(diagram.levels(), x)) == 1).collect()
}

pub fn set_of_mask(mask: usize) -> Set {
    (0..16).filter(|&x| mask >> x & 1 == 1).collect()
}

/// The same function, whatever numbers nodes have.
pub fn assert_same(one: &Diagram, other: &Diagram, what: &str) {
    assert!(one.equals(other, &context(1)).unwrap(), "{what}");
}

pub fn bytes(diagram: &Diagram) -> Vec<u8> {
    let mut bytes = vec![];
    diagram.pack(&context(1)).unwrap().write_to(&mut bytes).unwrap();
    bytes
}

/// Xorshift: the same numbers in every run.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }
}

/// The automaton that has read a prefix, its state; it decides as soon as the rest does not matter.
struct Prefix {
    levels: u32,
    outcomes: Vec<u32>,
}

impl Prefix {
    fn below(&self, state: u32) -> &[u32] {
        let read = 31 - state.leading_zeros();
        let width = 1 << (self.levels - read);
        let start = (state as usize - (1 << read)) * width;
        &self.outcomes[start..start + width]
    }
}

impl Automaton for Prefix {
    fn level(&self, state: u32) -> Level {
        match self.outcome(state) {
            Outcome::Undecided => Level::new(31 - state.leading_zeros()),
            Outcome::Decided(_) => Level::NONE,
        }
    }

    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        Ok(2 * state + u32::from(bit))
    }

    fn outcome(&self, state: u32) -> Outcome {
        let below = self.below(state);
        if below.iter().all(|&x| x == below[0]) { Outcome::Decided(below[0]) } else { Outcome::Undecided }
    }
}

/// As [`Prefix`], with a mover and a payoff (0: not terminal) for each assignment, each told as early as it is known.
struct Pays {
    mover: Prefix,
    value: Prefix,
}

impl Payoff for Pays {
    fn level(&self, state: u32) -> Level {
        self.mover.level(state).min(self.value.level(state))
    }

    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        self.mover.next(state, bit)
    }

    fn info(&self, state: u32) -> PayoffInfo {
        let mover = match self.mover.outcome(state) {
            Outcome::Decided(mover) => Some(mover as u8),
            Outcome::Undecided => None,
        };
        let terminal = match self.value.outcome(state) {
            Outcome::Undecided => Terminal::Unknown,
            Outcome::Decided(0) => Terminal::No,
            Outcome::Decided(value) => Terminal::Value(value),
        };
        PayoffInfo { mover, terminal }
    }
}

/// A random relation, as diagram roots and as pairs.
pub fn random_moves(
    levels: u32,
    random: &mut Random,
    store: &mut Relations,
) -> (Vec<RelationId>, BTreeSet<(usize, usize)>) {
    let (mut roots, mut pairs) = (vec![NONE], BTreeSet::new());
    for _ in 0..random.next(5) {
        // Per level: test for 0, for 1, or none, then set 0, set 1, keep, or flip.
        let tests: Vec<usize> = (0..levels).map(|_| random.next(4)).collect();
        let effects: Vec<usize> = (0..levels).map(|_| random.next(6)).collect();
        let after = |level: usize, x: usize| match effects[level] {
            0 => 0,
            1 => 1,
            2 => 1 - x,
            _ => x,
        };
        let possible = |level: usize, x: usize| tests[level] > 1 || tests[level] == x;
        let mut relation = IDENTITY;
        for level in (0..levels as usize).rev() {
            let mut t = [NONE; 4];
            for x in 0..2 {
                if possible(level, x) {
                    t[2 * x + after(level, x)] = relation;
                }
            }
            relation = store.make(Level::new(level as u32), t);
        }
        for from in 0..1 << levels {
            let state = bits(levels, from);
            if (0..levels as usize).all(|level| possible(level, usize::from(state[level]))) {
                let to: Vec<bool> = (0..levels as usize).map(|l| after(l, usize::from(state[l])) == 1).collect();
                pairs.insert((from, number(&to)));
            }
        }
        if random.next(2) == 0 {
            roots.push(relation);
        } else {
            let last = roots.len() - 1;
            roots[last] = store.union(roots[last], relation);
        }
    }
    (roots, pairs)
}

#[test]
fn sets_of_three_variables_are_what_they_were_made_of() {
    let context = context(1);
    for mask in 0..256 {
        let set = set_of_mask(mask);
        let made = diagram(3, &set, &context);
        assert_eq!(elements(&made), set);
        assert_eq!(made.count(&context), Ok(set.len().into()));
        assert_eq!(made.is_empty(), set.is_empty());
        assert_eq!(made.pick(1).map(|bits| number(&bits)), set.first().copied());
    }
}

#[test]
fn set_algebra_of_all_pairs_of_sets() {
    let context = context(1);
    let all: Vec<Diagram> = (0..256).map(|mask| diagram(3, &set_of_mask(mask), &context)).collect();
    for a in 0..256 {
        for b in (a % 3..256).step_by(3) {
            assert_same(&union(&[&all[a], &all[b]], &context).unwrap(), &all[a | b], "union");
            assert_same(&intersection(&all[a], &all[b], &context).unwrap(), &all[a & b], "intersection");
            assert_same(&difference(&all[a], &all[b], &context).unwrap(), &all[a & !b], "difference");
        }
    }
}

#[test]
fn select_splits_all_sets_by_all_predicates() {
    let context = context(1);
    let all: Vec<Diagram> = (0..256).map(|mask| diagram(3, &set_of_mask(mask), &context)).collect();
    for predicate in 0..256 {
        let automaton = Prefix { levels: 3, outcomes: (0..8).map(|x| predicate >> x & 1).collect() };
        for mask in (predicate as usize % 3..256).step_by(3) {
            let selected = classify(&all[mask], &automaton, 1, &context).unwrap();
            assert_same(&selected, &all[mask & predicate as usize], "selection");
        }
    }
}

#[test]
fn classify_gives_every_element_its_outcome() {
    let context = context(1);
    let mut random = Random(7);
    for _ in 0..2000 {
        let set = set_of_mask(random.next(1 << 16));
        let outcomes: Vec<u32> = (0..16).map(|_| random.next(4) as u32).collect();
        let automaton = Prefix { levels: 4, outcomes: outcomes.clone() };
        let classes = classify(&diagram(4, &set, &context), &automaton, 1, &context).unwrap();
        let mut expected: BTreeMap<u32, u32> = BTreeMap::new();
        for (x, &outcome) in outcomes.iter().enumerate() {
            let outcome = if set.contains(&x) { outcome } else { 0 };
            assert_eq!(classes.contains(&bits(4, x)), outcome);
            if outcome > 0 {
                *expected.entry(outcome).or_default() += 1;
            }
        }
        assert_eq!(
            classes.counts(&Limits::unlimited()).unwrap(),
            expected.into_iter().map(|(k, n)| (k, n.into())).collect::<Vec<_>>()
        );
    }
}

/// Another automaton that can read so many more levels, and then no more.
struct Failing<'a, A> {
    inner: &'a A,
    left: AtomicI64,
}

impl<'a, A> Failing<'a, A> {
    fn after(reads: i64, inner: &'a A) -> Self {
        Failing { inner, left: AtomicI64::new(reads) }
    }

    fn count(&self) -> Result<(), LimitReached> {
        match self.left.fetch_sub(1, Ordering::Relaxed) {
            left if left > 0 => Ok(()),
            _ => Err(LimitReached::Size { what: "reads".into(), limit: 0 }),
        }
    }
}

impl<A: Automaton> Automaton for Failing<'_, A> {
    fn level(&self, state: u32) -> Level {
        self.inner.level(state)
    }

    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        self.count().and_then(|()| self.inner.next(state, bit))
    }

    fn outcome(&self, state: u32) -> Outcome {
        self.inner.outcome(state)
    }
}

impl Payoff for Failing<'_, Pays> {
    fn level(&self, state: u32) -> Level {
        self.inner.level(state)
    }

    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        self.count().and_then(|()| self.inner.next(state, bit))
    }

    fn info(&self, state: u32) -> PayoffInfo {
        self.inner.info(state)
    }
}

/// Wherever an automaton fails, from its first step to its last, whoever runs it ends with that failure.
#[test]
fn a_failing_automaton_fails_every_sweep_that_runs_it() {
    const LEVELS: u32 = 4;
    let mut random = Random(3);
    for round in 0..60 {
        let context = context(1 + round % 3);
        let set = set_of_mask(1 | random.next(1 << 16));
        let layer = diagram(LEVELS, &set, &context);
        let mut outcomes = || (0..16).map(|_| random.next(3) as u32).collect::<Vec<_>>();
        let classes = Prefix { levels: LEVELS, outcomes: outcomes() };
        let mover = Prefix { levels: LEVELS, outcomes: outcomes().into_iter().map(|x| x % 2).collect() };
        let pays = Pays { mover, value: Prefix { levels: LEVELS, outcomes: outcomes() } };
        let preferences = Preferences::new(vec![vec![0, 1, 2], vec![0, 2, 1]]);
        let (mut failures, mut done) = ([0; 2], [false; 2]);
        for reads in 0..1000 {
            let failing = Failing::after(reads, &classes);
            match classify(&layer, &failing, 1, &context) {
                Err(LimitReached::Size { .. }) => failures[0] += 1,
                found => {
                    assert_same(&found.unwrap(), &classify(&layer, &classes, 1, &context).unwrap(), "classes");
                    assert!(failing.left.load(Ordering::Relaxed) >= 0, "a failure was not seen");
                    done[0] = true;
                }
            }
            let (failing, moves) = (Failing::after(reads, &pays), Relations::new());
            let next = Diagram::constant(LEVELS, 0);
            match preimage(&layer, (&next).into(), &moves, &[], &failing, 1, false, &preferences, &context) {
                Err(LimitReached::Size { .. }) => failures[1] += 1,
                found => {
                    let right = preimage(&layer, (&next).into(), &moves, &[], &pays, 1, false, &preferences, &context);
                    assert_same(&found.unwrap(), &right.unwrap(), "values");
                    assert!(failing.left.load(Ordering::Relaxed) >= 0, "a failure was not seen");
                    done[1] = true;
                }
            }
            if done == [true; 2] {
                break;
            }
        }
        assert!(done == [true; 2] && failures.iter().all(|&failures| failures > 0) || set.len() < 2, "{failures:?}");
    }
}

#[test]
fn image_of_all_sets_under_random_moves() {
    let mut random = Random(11);
    for threads in [1, 3] {
        let context = context(threads);
        let all: Vec<Diagram> = (0..256).map(|mask| diagram(3, &set_of_mask(mask), &context)).collect();
        for _ in 0..20 {
            let mut store = Relations::new();
            let (roots, pairs) = random_moves(3, &mut random, &mut store);
            let (store, roots) = store.compact(&roots);
            for (mask, source) in all.iter().enumerate().step_by(threads) {
                let target =
                    pairs.iter().filter(|(from, _)| mask >> from & 1 == 1).fold(0, |set, (_, to)| set | 1 << to);
                let found = image(source, &store, &roots, &context).unwrap();
                assert_same(&found, &all[target], &format!("{mask} {pairs:?}"));
            }
        }
    }
}

/// One random preimage against its definition.
fn check_preimage(random: &mut Random, context: &Context) {
    const LEVELS: u32 = 4;
    const SIZE: usize = 1 << LEVELS;
    let values = 1 + random.next(6);
    let mut store = Relations::new();
    let (roots, pairs) = random_moves(LEVELS, random, &mut store);
    let care = set_of_mask(random.next(1 << SIZE));
    let successors: Set = pairs.iter().filter(|(from, _)| care.contains(from)).map(|&(_, to)| to).collect();
    let next: Vec<u32> = (0..SIZE).map(|_| 1 + random.next(values) as u32).collect();
    let coarse = [1, 2, 4, 8, 16][random.next(5)];
    let mover: Vec<u32> = (0..SIZE / coarse).flat_map(|_| vec![random.next(2) as u32; coarse]).collect();
    let stuck_terminal = random.next(2) == 0;
    let has_move = |x: usize| pairs.iter().any(|&(from, _)| from == x);
    let mut payoff: Vec<u32> = (0..SIZE).map(|_| random.next(values + 1) as u32).collect();
    if stuck_terminal {
        // The promise: terminal exactly where no move is. The automaton may say anything elsewhere.
        for (x, pay) in payoff.iter_mut().enumerate() {
            *pay = if has_move(x) { random.next(values + 1) as u32 } else { (*pay).max(1) };
        }
    }
    let orders: Vec<Vec<u32>> = (0..2)
        .map(|_| {
            let mut ranks: Vec<u32> = (0..=values as u32).collect();
            (1..=values).for_each(|i| ranks.swap(i, 1 + random.next(values)));
            ranks
        })
        .collect();
    let mut preferences = Preferences::new(orders);
    if random.next(2) == 0 {
        preferences.ranks[1] = preferences.ranks[0].iter().map(|rank| 100 - rank).collect();
    }
    let constant = |values: &[u32]| Prefix { levels: LEVELS, outcomes: values.to_vec() };
    // The next layer's values, by a preimage without moves.
    let pays = Pays { mover: constant(&[0; SIZE]), value: constant(&next) };
    let next_layer = diagram(LEVELS, &successors, context);
    let nothing = Diagram::constant(LEVELS, 0);
    let value = preimage(&next_layer, (&nothing).into(), &store, &[], &pays, 1, true, &preferences, context).unwrap();
    for &x in &successors {
        assert_eq!(value.value_at(&bits(LEVELS, x)), next[x]);
    }
    let pays = Pays { mover: constant(&mover), value: constant(&payoff) };
    let layer = diagram(LEVELS, &care, context);
    let result =
        preimage(&layer, (&value).into(), &store, &roots, &pays, 1, stuck_terminal, &preferences, context).unwrap();
    let mut expected = BTreeMap::new();
    for &x in &care {
        let ranks = &preferences.ranks[mover[x] as usize];
        let best = pairs.iter().filter(|p| p.0 == x).map(|p| next[p.1]).max_by_key(|&v| ranks[v as usize]);
        let value = match (payoff[x], best) {
            (0, None) => DEAD_END,
            (0, Some(best)) => best,
            (_, Some(best)) if stuck_terminal => best,
            (value, _) => value,
        };
        *expected.entry(value).or_insert(0u32) += 1;
        assert_eq!(result.value_at(&bits(LEVELS, x)), value, "state {x}");
    }
    let expected: Vec<_> = expected.into_iter().map(|(value, n)| (value, n.into())).collect();
    assert_eq!(tally(&layer, &result, context).unwrap(), expected);
    // With records of either width, in the memory of the values or beside them.
    let wide = self::context(1).with(|manner| manner.wide = true);
    let beside =
        preimage(&layer, (&value).into(), &store, &roots, &pays, 1, stuck_terminal, &preferences, &wide).unwrap();
    let used_up =
        preimage(&layer, value.into(), &store, &roots, &pays, 1, stuck_terminal, &preferences, context).unwrap();
    for other in [beside, used_up] {
        assert!(
            other.node_count() == result.node_count()
                && (0..SIZE).all(|x| {
                    let state = bits(LEVELS, x);
                    other.value_at(&state) == result.value_at(&state)
                })
        );
    }
    let exact = restrict(&layer, &result, context).unwrap();
    for x in 0..SIZE {
        let value = if care.contains(&x) { result.value_at(&bits(LEVELS, x)) } else { 0 };
        assert_eq!(exact.contains(&bits(LEVELS, x)), value);
    }
}

#[test]
fn preimage_is_the_best_successor_or_the_payoff() {
    let mut random = Random(13);
    let one = context(1);
    for _ in 0..3000 {
        check_preimage(&mut random, &one);
    }
    let three = context(3);
    for _ in 0..100 {
        check_preimage(&mut random, &three);
    }
}

#[test]
fn tallies_are_exact_beyond_64_bits() {
    const LEVELS: u32 = 70;
    let context = context(1);
    let mut store = Relations::new();
    let anything =
        Level::all(LEVELS).rev().fold(IDENTITY, |below, level| store.make(level, [below, below, NONE, NONE]));
    let nothing = Diagram::single(LEVELS, &[false; LEVELS as usize]);
    let all = image(&nothing, &store, &[anything], &context).unwrap();
    let power = num_bigint::BigUint::from(1u32) << LEVELS;
    assert_eq!(all.count(&context), Ok(power.clone()));
    let seven = Diagram::constant(LEVELS, 7);
    assert_eq!(tally(&all, &seven, &context).unwrap(), vec![(7, power.clone())]);
    let halves = Prefix { levels: 1, outcomes: vec![2, 3] };
    let pays = Pays { mover: Prefix { levels: 1, outcomes: vec![0, 0] }, value: halves };
    let none = Diagram::constant(LEVELS, 0);
    let preferences = Preferences::new(vec![(0..8).collect()]);
    let value = preimage(&all, (&none).into(), &store, &[], &pays, 1, true, &preferences, &context).unwrap();
    let half = power / 2u32;
    assert_eq!(tally(&all, &value, &context).unwrap(), vec![(2, half.clone()), (3, half)]);
}

/// A board on which pieces leap: its first state, and its moves.
pub fn leapfrog(levels: u32) -> (Diagram, Relations, RelationId) {
    let mut store = Relations::new();
    let mut all = NONE;
    for level in Level::all(levels - 2) {
        // Leapfrog: a piece jumps over another one into a hole, or onto it.
        let low = store.make(level.below().below(), [NONE, IDENTITY, NONE, NONE]);
        let stay = store.make(level.below(), [NONE, NONE, NONE, low]);
        let jump = store.make(level, [NONE, NONE, stay, NONE]);
        let swap = store.make(level.below().below(), [NONE, NONE, IDENTITY, NONE]);
        let into = store.make(level.below(), [NONE, swap, NONE, NONE]);
        let push = store.make(level, [NONE, NONE, NONE, into]);
        let both = store.union(jump, push);
        all = store.union(all, both);
    }
    let start: Vec<bool> = (0..levels).map(|level| level % 3 != 2 && level < levels - 3).collect();
    (Diagram::single(levels, &start), store, all)
}

/// Sets large enough to be shared by threads: the states after up to `steps` moves.
fn walk(steps: usize, context: &Context) -> Result<Vec<Diagram>, LimitReached> {
    let (start, store, all) = leapfrog(20);
    let mut layers = vec![start];
    for _ in 0..steps {
        layers.push(image(&layers[layers.len() - 1], &store, &[all], context)?);
    }
    Ok(layers)
}

#[test]
fn threads_change_no_byte() {
    let one = walk(12, &context(1)).unwrap();
    for threads in [2, 3, 8] {
        let more = walk(12, &context(threads)).unwrap();
        for (a, b) in one.iter().zip(&more) {
            assert_same(a, b, "layer");
            assert_eq!(bytes(a), bytes(b));
        }
    }
}

#[test]
fn small_budgets_are_refused_and_everything_is_released() {
    let needed = {
        let limits = Arc::new(Limits::unlimited());
        walk(8, &Context::new(Arc::clone(&limits), 1)).unwrap();
        assert_eq!(limits.used(), 0);
        limits.peak()
    };
    for threads in [1, 2] {
        let (mut refused, mut granted) = (0, 0);
        for part in 0..=20 {
            let limits = Arc::new(Limits::new(needed * part / 16 + 1000));
            let context = Context::new(Arc::clone(&limits), threads).with(|manner| manner.shared_from = Some(64));
            match walk(8, &context) {
                Ok(_) => granted += 1,
                Err(LimitReached::Memory { .. } | LimitReached::Size { .. }) => refused += 1,
                Err(other) => panic!("{other}"),
            }
            assert_eq!(limits.used(), 0, "everything released");
        }
        assert!(refused > 10 && (threads > 1 || granted > 0), "{refused} refused, {granted} granted");
    }
}

#[test]
fn an_interruption_ends_a_sweep() {
    let limits = Arc::new(Limits::unlimited());
    limits.interrupt();
    let result = walk(3, &Context::new(Arc::clone(&limits), 2)).map(|_| ());
    assert_eq!(result, Err(LimitReached::Interrupted));
    assert_eq!(limits.used(), 0);
}

#[test]
fn a_bound_on_words_ends_sweeps_whatever_the_number_of_threads() {
    let least = |threads: usize| {
        let context = Context::new(Arc::new(Limits::unlimited()), threads).with(|manner| manner.shared_from = Some(1));
        let within = |most: u64| context.within_words(most, || walk(8, &context).map(drop));
        let (mut refused, mut enough) = (0, 1 << 30);
        while refused + 1 < enough {
            let middle = (refused + enough) / 2;
            match within(middle) {
                Ok(()) => enough = middle,
                Err(LimitReached::Work { limit }) if limit == middle => refused = middle,
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!(context.limits().used(), 0, "everything released");
        walk(8, &context).expect("the bound holds for what it was given for only");
        enough
    };
    let alone = least(1);
    assert!(alone > 1000, "{alone}");
    [2, 3].into_iter().for_each(|threads| assert_eq!(least(threads), alone, "{threads} threads"));
}

/// The diagram in packed bytes, of the shape of another.
fn unpack(bytes: &[u8], like: &Packed, limits: &Arc<Limits>) -> Result<Diagram, UnpackError> {
    let layout = Layout::new(bytes, like.levels(), like.node_count(), like.root())?;
    Diagram::unpack(bytes, &layout, limits)
}

#[test]
fn packed_diagrams_come_back_as_they_were_and_damage_is_found() {
    let limits = Arc::new(Limits::unlimited());
    let layers = walk(6, &context(2)).unwrap();
    for layer in layers.iter().chain([&Diagram::constant(5, 0), &Diagram::constant(0, 7)]) {
        let packed = layer.pack(&context(2)).unwrap();
        let written = bytes(layer);
        assert_eq!(written.len() as u64, packed.size());
        let read = unpack(&written, &packed, &limits).unwrap();
        assert_same(&read, layer, "what was read");
        assert_eq!(bytes(&read), written);
        let layout = Layout::new(&written, packed.levels(), packed.node_count(), packed.root()).unwrap();
        for node in read.node_ids() {
            assert_eq!(layout.children(&written, node).unwrap(), read.children(node));
            assert_eq!(layout.level(node), read.level(node));
        }
        let terminals = [0, 1, TERMINALS - 1].map(Node::terminal);
        let beyond = [read.node_count() as usize, (u32::MAX - TERMINALS) as usize].map(Node::inner);
        for node in terminals.into_iter().chain(beyond) {
            assert!(layout.children(&written, node).is_err());
        }
    }
    let mut random = Random(17);
    let packed = layers[5].pack(&context(1)).unwrap();
    let written = bytes(&layers[5]);
    for _ in 0..5000 {
        let mut damaged = written.clone();
        for _ in 0..=random.next(3) {
            let place = random.next(damaged.len());
            damaged[place] ^= 1 << random.next(8);
        }
        damaged.truncate(damaged.len() - random.next(2) * random.next(20));
        match unpack(&damaged, &packed, &limits) {
            // Some damage is another diagram; it must be safe to use.
            Ok(read) => {
                drop((read.count(&context(1)), read.pick(1), read.contains(&vec![true; read.levels() as usize])))
            }
            Err(UnpackError::Damaged(_)) => {}
            Err(other) => panic!("{other}"),
        }
        if let Ok(layout) = Layout::new(&damaged, packed.levels(), packed.node_count(), packed.root()) {
            let mut node = layout.root();
            while !node.is_terminal() {
                let Ok(children) = layout.children(&damaged, node) else { break };
                assert!(
                    layout.level(children[0]) > layout.level(node) && layout.level(children[1]) > layout.level(node)
                );
                node = children[random.next(2)];
            }
        }
    }
    drop(packed);
    assert_eq!(limits.used(), 0);
}

#[test]
fn packing_keeps_to_the_memory_limit() {
    let layers = walk(8, &context(1)).unwrap();
    let layer = &layers[7];
    for part in 0..20 {
        let limits = Arc::new(Limits::new(part * 2000));
        let context = Context::new(Arc::clone(&limits), 1);
        match layer.pack(&context) {
            Ok(packed) => assert!(limits.used() >= packed.size()),
            Err(error) => assert!(matches!(error, LimitReached::Memory { .. }), "{error}"),
        }
        assert_eq!(limits.used(), 0);
    }
}

/// Where there is more memory than streams have addresses, what does not fit the addresses waits on disk.
#[test]
fn streams_wait_on_disk_where_their_addresses_end_before_memory_does() {
    let levels = 24;
    let mut random = Random(7);
    let mut set = || {
        let set: Vec<Diagram> =
            (0..3000).map(|_| Diagram::single(levels, &bits(levels, random.next(1 << levels)))).collect();
        union(&set.iter().collect::<Vec<_>>(), &context(1)).unwrap()
    };
    let (one, other) = (set(), set());
    let folder = tempfile::tempdir().unwrap();
    let expected = union(&[&one, &other], &context(1)).unwrap();
    for threads in [1, 2] {
        let limits = Arc::new(Limits::unlimited());
        let narrow = Context::new(Arc::clone(&limits), threads).with(|manner| {
            manner.shared_from = Some(1);
            manner.partition = Some(64);
            manner.streams = Some(1 << 18);
        });
        let stopped = union(&[&one, &other], &narrow).unwrap_err();
        assert!(matches!(stopped.reason(), LimitReached::Size { .. }), "{stopped}");
        let narrow = narrow.with(|manner| manner.scratch = Some(Scratch::new(folder.path(), &limits)));
        assert_same(&union(&[&one, &other], &narrow).unwrap(), &expected, "by way of the disk");
        assert!(narrow.statistics(Kind::Combine).spilled > 0);
        drop(narrow);
        assert_eq!(limits.disk_used(), 0);
    }
}
