//! The three ways against brute force on random layers, relations, values and orders.

use super::*;
use crate::kernel::elements::set_of_table as set;
use crate::kernel::relation;
use crate::kernel::relation::IDENTITY;
use crate::random::Random;

/// The states that a relation leads to from one.
fn successors(store: &Relations, relation: u32, levels: u32, bits: usize) -> Vec<usize> {
    let mut found = vec![(relation, 0)];
    for level in 0..levels {
        let bit = bits >> (levels - 1 - level) & 1;
        let mut after = Vec::new();
        for (relation, so_far) in found {
            let node = store.node(relation);
            let t = if node.level == level { node.t } else { [relation, 0, 0, relation] };
            after.extend([0, 1].map(|to| (t[2 * bit + to], so_far << 1 | to)).into_iter().filter(|next| next.0 != 0));
        }
        found = after;
    }
    found.into_iter().map(|(_, after)| after).collect()
}

/// A union of moves with guards and assignments, some of levels that the guard does not fix, or changed by a flip.
fn random_relation(store: &mut Relations, levels: u32, random: &mut Random) -> u32 {
    let mut all = relation::NONE;
    for _ in 0..1 + random.below(6) {
        let mut move_ = IDENTITY;
        for level in (0..levels).rev() {
            let to = move_;
            let t = match random.below(14) {
                0 => [to, 0, 0, 0],
                1 => [0, 0, 0, to],
                2 => [0, to, 0, 0],
                3 => [0, 0, to, 0],
                4 => [to, 0, to, 0],
                5 => [0, to, 0, to],
                6 => [0, to, to, 0],
                _ => continue,
            };
            move_ = store.make(level, t);
        }
        all = store.union(all, move_);
    }
    all
}

#[test]
fn the_three_ways_agree_with_brute_force() {
    let limits = Arc::new(Limits::unlimited());
    let contexts = [
        Context::new(limits.clone(), 1),
        Context::new(limits.clone(), 3).sharing_from(1),
        Context::new(limits.clone(), 1).portably(),
    ];
    let mut random = Random::new(17);
    let (mut solved, mut dead_ends) = (0, 0);
    for round in 0..400 {
        let levels = 1 + round % 11;
        let mut store = Relations::new();
        let roots: Vec<u32> =
            (0..1 + random.below(3)).map(|_| random_relation(&mut store, levels, &mut random)).collect();
        let ids = 2 + random.below(7) as u32;
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
        let labels = set(levels, &table, &limits);
        let values: Vec<u32> =
            after.iter().map(|&there| if there { 1 + random.below(ids as usize) as u32 } else { 0 }).collect();
        let next = set(levels, &after.iter().map(|&there| u32::from(there)).collect::<Vec<_>>(), &limits);
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
        let preferences = Preferences { ranks: vec![first.clone(), second] };
        let mut occurring: Vec<u32> = (1..=ids).filter(|id| values.contains(id)).collect();
        occurring.sort_by_key(|&id| first[id as usize]);
        if occurring.is_empty() {
            occurring.push(1);
        }
        let ranked: Vec<u32> = values.iter().copied().filter(|&value| value != 0).collect();
        let place = |rank: u64| occurring.iter().position(|&value| value == ranked[rank as usize]).unwrap();
        let planes = Bitvector::from_fn(ranked.len() as u64, occurring.clone(), place, &limits).unwrap();
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
        for context in &contexts {
            for way in [Way::Obvious, Way::Walk, Way::Program] {
                let result = if way == Way::Program {
                    let prepared = prepare(&labels, &next, &store, &roots, Most::UNLIMITED, context).unwrap();
                    execute(prepared, &planes, &preferences, context).unwrap()
                } else {
                    state_by_state(&labels, &next, &planes, &store, &roots, &preferences, way, context).unwrap()
                };
                match (&expected, result) {
                    (Some(expected), Retrograde::Values(found, _)) => {
                        let found: Vec<u32> = (0..found.states()).map(|rank| found.value(rank)).collect();
                        assert_eq!(&found, expected, "round {round}, {way:?}");
                        solved += 1;
                    }
                    (None, Retrograde::DeadEnd) => dead_ends += 1,
                    (expected, found) => panic!("round {round}, {way:?}: {expected:?}, {found:?}"),
                }
            }
        }
    }
    assert!(solved > 2000 && dead_ends > 50, "{solved} solved, {dead_ends} with dead ends");
}
