//! Compares all ways with brute force on random layers, relations, values and orders.

use super::settle::moves::{Edge, Moves, Part, moves};
use super::*;
use crate::elements::set_of_table as set;
use crate::relation::IDENTITY;
use crate::{Level, SetBuilder, true_levels};
use base::limits::Limits;
use base::random::Random;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) fn successors(store: &Relations, relation: RelationId, levels: u32, bits: usize) -> Vec<usize> {
    let mut found = vec![(relation, 0)];
    for level in Level::all(levels) {
        let bit = bits >> (levels as usize - 1 - level.index()) & 1;
        let mut after = Vec::new();
        for (relation, so_far) in found {
            let node = store.node(relation);
            let t = if node.level == level { node.t } else { [relation, NONE, NONE, relation] };
            after
                .extend([0, 1].map(|to| (t[2 * bit + to], so_far << 1 | to)).into_iter().filter(|next| next.0 != NONE));
        }
        found = after;
    }
    found.into_iter().map(|(_, after)| after).collect()
}

/// A union of random moves, which may test, assign or flip a level, and may assign a level without testing it.
pub(super) fn random_relation(store: &mut Relations, levels: u32, random: &mut Random) -> RelationId {
    let mut all = NONE;
    for _ in 0..1 + random.below(6) {
        let mut move_ = IDENTITY;
        for level in Level::all(levels).rev() {
            let to = move_;
            let t = match random.below(14) {
                0 => [to, NONE, NONE, NONE],
                1 => [NONE, NONE, NONE, to],
                2 => [NONE, to, NONE, NONE],
                3 => [NONE, NONE, to, NONE],
                4 => [to, NONE, to, NONE],
                5 => [NONE, to, NONE, to],
                6 => [NONE, to, to, NONE],
                _ => continue,
            };
            move_ = store.make(level, t);
        }
        all = store.union(all, move_);
    }
    all
}

struct Case {
    labels: Diagram,
    next: Diagram,
    store: Relations,
    roots: Vec<RelationId>,
    planes: Bitvector,
    preferences: Preferences,
    /// The value of each rank; `None` if some state is a dead end.
    expected: Option<Vec<u32>>,
}

impl Case {
    fn random(round: u32, random: &mut Random, limits: &Arc<Limits>) -> Case {
        let levels = 1 + round % 11;
        let mut store = Relations::new();
        let roots: Vec<RelationId> =
            (0..1 + random.below(3)).map(|_| random_relation(&mut store, levels, random)).collect();
        let ids = 2 + random.below(if round.is_multiple_of(2) { 7 } else { 40 }) as u32;
        let (density, open) = (20 + random.below(80), random.below(100));
        let movers = random.below(3);
        let mut after = vec![false; 1 << levels];
        let mut table = vec![0; 1 << levels];
        let mut next_of: Vec<Vec<usize>> = vec![Vec::new(); 1 << levels];
        for bits in 0..table.len() {
            if !random.chance(density) {
                continue;
            }
            next_of[bits] = roots.iter().flat_map(|&root| successors(&store, root, levels, bits)).collect();
            let moves = random.chance(open) && (!next_of[bits].is_empty() || random.chance(2));
            table[bits] = match (moves, movers) {
                (true, 2) => MOVES + random.below(2) as u32,
                (true, mover) => MOVES + mover as u32,
                (false, _) => 1 + random.below(ids as usize) as u32,
            };
            next_of[bits].iter().filter(|_| moves).for_each(|&next| after[next] = true);
        }
        let labels = set(levels, &table, limits);
        let values: Vec<u32> =
            after.iter().map(|&there| if there { 1 + random.below(ids as usize) as u32 } else { 0 }).collect();
        let next = set(levels, &after.iter().map(|&there| u32::from(there)).collect::<Vec<_>>(), limits);
        let mut shuffled: Vec<u32> = (1..=ids).collect();
        for k in (1..shuffled.len()).rev() {
            shuffled.swap(k, random.below(k + 1));
        }
        let first: Vec<u32> = std::iter::once(0).chain(shuffled.iter().copied()).collect();
        let second: Vec<u32> = match random.below(3) {
            0 => std::iter::once(0).chain(shuffled.iter().map(|rank| ids + 1 - rank)).collect(),
            1 => first.clone(),
            _ => (0..=ids).collect(),
        };
        let preferences = Preferences::new(vec![first.clone(), second]);
        let mut occurring: Vec<u32> = (1..=ids).filter(|id| values.contains(id)).collect();
        occurring.sort_by_key(|&id| first[id as usize]);
        if occurring.is_empty() {
            occurring.push(1);
        }
        let ranked: Vec<u32> = values.iter().copied().filter(|&value| value != 0).collect();
        let place = |rank: u64| occurring.iter().position(|&value| value == ranked[rank as usize]).unwrap();
        let planes = Bitvector::from_fn(ranked.len() as u64, occurring.clone(), place, limits).unwrap();
        let mut expected = Vec::new();
        for (bits, &label) in table.iter().enumerate().filter(|entry| *entry.1 != 0) {
            if label < MOVES {
                expected.push(Some(label));
                continue;
            }
            let ranks = &preferences.ranks[(label - MOVES) as usize];
            expected.push(next_of[bits].iter().map(|&next| values[next]).max_by_key(|&value| ranks[value as usize]));
        }
        let expected: Option<Vec<u32>> = expected.into_iter().collect();
        Case { labels, next, store, roots, planes, preferences, expected }
    }
}

#[test]
fn the_ways_agree_with_brute_force() {
    let limits = Arc::new(Limits::unlimited());
    let contexts = [
        Context::new(limits.clone(), 1),
        Context::new(limits.clone(), 3).with(|manner| manner.shared_from = Some(1)),
        Context::new(limits.clone(), 1).with(|manner| manner.portable = true),
    ];
    let mut random = Random::new(17);
    let (mut solved, mut dead_ends, mut too_large) = (0, 0, 0);
    for round in 0..400 {
        let case = Case::random(round, &mut random, &limits);
        let Case { labels, next, store, roots, planes, preferences, expected } = &case;
        for context in &contexts {
            let parts = 2 + random.below(6) as u64;
            for (way, parts) in [(Way::Walk, 1), (Way::Program, 1), (Way::Program, parts)] {
                // With several parts, the bound on bytes makes some programs too large, so that parts are halved.
                let most = match parts {
                    1 => Most::UNLIMITED,
                    _ => Most { bytes: 1 << (5 + random.below(12)), ..Most::UNLIMITED },
                };
                let result = match way {
                    Way::Program if parts == 1 => {
                        let prepared = prepare(labels, next, store, roots, most, context).unwrap();
                        execute(prepared, planes, preferences, context)
                    }
                    Way::Program => in_parts(labels, next, planes, store, roots, preferences, most, parts, context),
                    _ => state_by_state(labels, next, planes, store, roots, preferences, context),
                };
                let result = result.unwrap();
                match (expected, result) {
                    (Some(expected), Ok((found, _))) => {
                        let found: Vec<u32> = (0..found.states()).map(|rank| found.value(rank)).collect();
                        assert_eq!(&found, expected, "round {round}, {way:?}");
                        solved += 1;
                    }
                    (None, Err(Unsolved::DeadEnd)) => dead_ends += 1,
                    (_, Err(Unsolved::TooLarge)) if parts > 1 => too_large += 1,
                    (expected, found) => panic!("round {round}, {way:?}: {expected:?}, {found:?}"),
                }
            }
        }
        match (expected, in_slices(labels, next, store, roots, planes, preferences, &mut random, &contexts)) {
            (Some(expected), Some(found)) => assert_eq!(&found, expected, "round {round}, slices"),
            (None, None) => {}
            (expected, found) => panic!("round {round}, slices: {expected:?}, {found:?}"),
        }
    }
    assert!(too_large > 50, "{too_large} with parts that are too large");
    assert!(solved > 2000 && dead_ends > 50, "{solved} solved, {dead_ends} with dead ends");
}

/// All values, computed for ranges of ranks one by one. Each range gets only those values of the next layer that it
/// reaches. `None` if there is a dead end.
#[allow(clippy::too_many_arguments)]
fn in_slices(
    labels: &Diagram,
    next: &Diagram,
    store: &Relations,
    roots: &[RelationId],
    values: &Bitvector,
    preferences: &Preferences,
    random: &mut Random,
    contexts: &[Context],
) -> Option<Vec<u32>> {
    let context = &contexts[random.below(contexts.len())];
    let slices = Slices::new(labels, next, store, roots, context).unwrap();
    let (mut found, mut start) = (Vec::new(), 0);
    while start < slices.states() {
        let end = (start + 64 * (1 + random.below(12) as u64)).min(slices.states());
        let ready = match slices.begin(start..end, Most::UNLIMITED, context).unwrap() {
            Ok(ready) => ready,
            Err(Unsolved::DeadEnd) => return None,
            Err(Unsolved::TooLarge) => panic!("no bound"),
        };
        let reached = slices.reached(&(start..end), 64);
        let limits = context.limits();
        let mut sparse = Bitvector::sparse(values.states(), values.values().to_vec(), &reached, limits).unwrap();
        let codes = crate::Codes::of(values, values.values());
        for range in reached {
            let (states, mut bytes) = (range.end - range.start, Vec::new());
            codes.write(range.start, states, &mut bytes);
            assert!(sparse.read_codes(range.start, states, &bytes));
        }
        match slices.finish(ready, &sparse, preferences, context).unwrap() {
            Ok((part, _)) => {
                assert_eq!(part.states(), end - start);
                assert_eq!(part.values(), slices.values(values.values(), preferences).unwrap());
                found.extend((0..part.states()).map(|rank| part.value(rank)));
            }
            Err(Unsolved::DeadEnd) => return None,
            Err(Unsolved::TooLarge) => unreachable!("it was begun"),
        }
        start = end;
    }
    Some(found)
}

/// At the top more moves are possible than code can number, and only the last of them leads anywhere. There must be no
/// program, rather than one that follows another move.
#[test]
fn more_moves_than_a_program_can_number() {
    const CODE: u32 = 17;
    const MOVES_AT_ONCE: u32 = 70_000;
    let (part, tail, levels) = (Level::new(CODE), Level::new(CODE + 1), CODE + 2);
    let limits = Arc::new(Limits::unlimited());
    let context = Context::new(limits.clone(), 2);
    // Each move writes its number. All but the last also set the lowest level, which no state of the next layer has.
    let mut store = Relations::new();
    let astray = store.make(tail, [NONE, IDENTITY, NONE, NONE]);
    let right = store.make(tail, [IDENTITY, NONE, NONE, NONE]);
    let roots: Vec<RelationId> = (0..MOVES_AT_ONCE)
        .map(|number| {
            let end = if number + 1 == MOVES_AT_ONCE { right } else { astray };
            let set = true_levels(CODE, number);
            set.into_iter().rev().fold(end, |to, level| store.make(level, [NONE, to, NONE, NONE]))
        })
        .collect();
    let mut builder = SetBuilder::new(levels, &limits);
    builder.push(&[], MOVES).unwrap();
    builder.push(&[part], MOVES).unwrap();
    let labels = builder.finish().unwrap();
    let mut builder = SetBuilder::new(levels, &limits);
    for number in 0..MOVES_AT_ONCE {
        let element = true_levels(CODE, number);
        builder.push(&element, 1).unwrap();
        builder.push(&[&element[..], &[part]].concat(), 1).unwrap();
    }
    let next = builder.finish().unwrap();
    let best = |rank: u64| usize::from(rank / 2 == u64::from(MOVES_AT_ONCE) - 1);
    let values = Bitvector::from_fn(2 * u64::from(MOVES_AT_ONCE), vec![1, 2], best, &limits).unwrap();
    let preferences = Preferences::new(vec![vec![0, 1, 2]]);
    let walked = state_by_state(&labels, &next, &values, &store, &roots, &preferences, &context).unwrap();
    let (walked, _) = walked.expect("values of both states");
    assert_eq!([walked.value(0), walked.value(1)], [2, 2]);
    let prepared = prepare(&labels, &next, &store, &roots, Most::UNLIMITED, &context).unwrap();
    let program = execute(prepared, &values, &preferences, &context).unwrap();
    assert!(matches!(program, Err(Unsolved::TooLarge)), "{program:?}");
}

/// The last level has a node of two states with more moves than a block holds, but few enough for two children. There
/// must be no program, because there is no level for the children.
#[test]
fn more_moves_at_the_last_level_than_a_block_holds() {
    const CODE: u32 = 11;
    const FOR_ONE: u32 = 1500;
    const FOR_BOTH: u32 = 300;
    let (last, levels) = (Level::new(CODE), CODE + 1);
    let limits = Arc::new(Limits::unlimited());
    let mut store = Relations::new();
    let guard = store.make(last, [IDENTITY, NONE, NONE, NONE]);
    let roots: Vec<RelationId> = (0..FOR_ONE)
        .map(|number| {
            let end = if number < FOR_BOTH { IDENTITY } else { guard };
            let set = true_levels(CODE, number);
            set.into_iter().rev().fold(end, |to, level| store.make(level, [NONE, to, NONE, NONE]))
        })
        .collect();
    let (mut before, mut after) = (SetBuilder::new(levels, &limits), SetBuilder::new(levels, &limits));
    before.push(&[], MOVES).unwrap();
    before.push(&[last], MOVES).unwrap();
    for number in 0..FOR_ONE {
        let element = true_levels(CODE, number);
        after.push(&element, 1).unwrap();
        after.push(&[&element[..], &[last]].concat(), 1).unwrap();
    }
    let (labels, next) = (before.finish().unwrap(), after.finish().unwrap());
    for threads in [1, 2] {
        let context = Context::new(limits.clone(), threads);
        let prepared = prepare(&labels, &next, &store, &roots, Most::UNLIMITED, &context).unwrap();
        assert!(prepared.is_too_large());
    }
}

/// The bound is exact to a single configuration and a single word, whatever the number of threads.
#[test]
fn the_bound_on_a_program_is_exact() {
    let limits = Arc::new(Limits::unlimited());
    let mut random = Random::new(7);
    let levels = 12;
    let table: Vec<u32> = (0..1 << levels).map(|_| if random.chance(40) { MOVES } else { 1 }).collect();
    let labels = set(levels, &table, &limits);
    let next = set(levels, &vec![1; 1 << levels], &limits);
    let (store, roots) = (Relations::new(), [IDENTITY]);
    let built = |most: Most, threads: usize| {
        let context = Context::new(limits.clone(), threads).with(|manner| manner.shared_from = Some(1));
        let prepared = prepare(&labels, &next, &store, &roots, most, &context).unwrap();
        match prepared.built {
            Ok(program) => Some(program.configurations),
            _ => None,
        }
    };
    let count = built(Most::UNLIMITED, 1).unwrap();
    let within = |bytes: u64, threads| built(Most { bytes, ..Most::UNLIMITED }, threads).is_some();
    let least = (0..1 << 20).collect::<Vec<u64>>().partition_point(|&words| !within(8 * words, 1)) as u64;
    assert!(count > 100 && least > 100, "{count} configurations, {least} words");
    for threads in [1, 2, 3] {
        assert_eq!(built(Most { configurations: count, ..Most::UNLIMITED }, threads), Some(count));
        assert_eq!(built(Most { configurations: count - 1, ..Most::UNLIMITED }, threads), None);
        assert!(within(8 * least, threads) && !within(8 * least - 8, threads));
    }
}

/// Adds the pairs of ranks, before and after a move, for which a part stands.
fn followed(moves: &Moves, edge: Edge, found: &mut BTreeSet<[u64; 2]>) {
    match moves.part(edge.part) {
        Part::Dense(states) => found.extend((0..states).map(|k| [edge.from + k, edge.to + k])),
        Part::Link { guard, image } => {
            let places = |mask: u64, base: u64| (0..64).filter(move |k| mask >> k & 1 == 1).map(move |k| base + k);
            found.extend(places(guard, edge.from).zip(places(image, edge.to)).map(|(from, to)| [from, to]));
        }
        Part::Inner(inner) => inner.for_each(edge, |edge| followed(moves, edge, found)),
    }
}

#[test]
fn moves_between_ranks_are_those_of_the_relations() {
    let limits = Arc::new(Limits::unlimited());
    let context = Context::new(limits.clone(), 1);
    let mut random = Random::new(31);
    for round in 0..400 {
        let levels = 1 + round % 10;
        let terminals: Vec<u32> = (0..1 << levels).map(|_| u32::from(random.below(8) > round as usize % 8)).collect();
        let states = set(levels, &terminals, &limits);
        let mut store = Relations::new();
        let roots =
            [random_relation(&mut store, levels, &mut random), random_relation(&mut store, levels, &mut random)];
        let moves = moves(&states, store.nodes(), &roots, u64::MAX, &context).unwrap().unwrap();
        let mut found = BTreeSet::new();
        moves.tops.iter().for_each(|&edge| followed(&moves, edge, &mut found));
        let rank = |bits: usize| terminals[..bits].iter().map(|&terminal| u64::from(terminal)).sum::<u64>();
        let mut expected = BTreeSet::new();
        for from in (0..terminals.len()).filter(|&bits| terminals[bits] == 1) {
            let after = roots.iter().flat_map(|&root| successors(&store, root, levels, from));
            let after = after.filter(|&to| terminals[to] == 1);
            expected.extend(after.map(|to| [rank(from), rank(to)]));
        }
        assert_eq!(found, expected, "round {round}");
    }
}

#[test]
fn a_wider_set_has_all_states_and_not_many_more() {
    let limits = Arc::new(Limits::unlimited());
    let context = Context::new(limits.clone(), 1);
    let (mut random, mut fewer) = (Random::new(32), 0);
    for round in 0..300 {
        let levels = 1 + round % 11;
        let full = random.below(40);
        let terminals: Vec<u32> = (0..1 << levels).map(|_| u32::from(random.below(40) <= full)).collect();
        let states = set(levels, &terminals, &limits);
        let Some(wide) = widened(&states, &context).unwrap() else { continue };
        assert!(crate::difference(&states, &wide, &context).unwrap().is_empty(), "round {round}");
        let [before, after] = [&states, &wide].map(|set| Side::new(set, &limits).unwrap().states(set.root()));
        assert!(after <= before + before / 2, "round {round}: {before} and {after}");
        fewer += usize::from(wide.node_count() < states.node_count());
    }
    assert!(fewer > 100, "{fewer} have fewer nodes");
}
