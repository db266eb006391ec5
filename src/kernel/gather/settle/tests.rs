//! Rounds by rank against rounds state by state, on random sets, relations, values and wishes.

use super::super::tests::{random_relation, successors};
use super::super::{ranked_codes, unranked_set, widened};
use super::*;
use crate::elements::set_of_table as set;
use base::limits::Limits;
use base::random::Random;
use std::sync::Arc;

struct Case {
    levels: u32,
    labels: Vec<u32>,
    store: Relations,
    roots: Vec<RelationId>,
    next: Vec<Vec<usize>>,
    wishes: Wishes,
    /// For each mover, the value that it takes at once in the first round.
    at_once: [Option<u32>; 2],
    /// Whether a mover then takes at once the value that it chose last.
    follows: bool,
}

impl Case {
    fn random(levels: u32, values: u32, random: &mut Random) -> Case {
        let mut store = Relations::new();
        let roots: Vec<RelationId> =
            (0..2 + random.below(3)).map(|_| random_relation(&mut store, levels, random)).collect();
        let (starts, ends) = (1 + random.below(1 << (levels - levels / 3)), 1 + random.below(60));
        let label = |random: &mut Random| match random.chance(ends) {
            true => 1 + random.below(values as usize) as u32,
            false => MOVES + random.below(2) as u32,
        };
        // No move may leave the set.
        let mut labels = vec![0; 1 << levels];
        let mut next = vec![Vec::new(); 1 << levels];
        let mut open: Vec<usize> = (0..starts).map(|_| random.below(1 << levels)).collect();
        while let Some(state) = open.pop() {
            if labels[state] == 0 {
                labels[state] = label(random);
                if labels[state] >= MOVES {
                    next[state] = roots.iter().flat_map(|&root| successors(&store, root, levels, state)).collect();
                    open.extend(&next[state]);
                }
            }
        }
        let order = |random: &mut Random| {
            let mut order: Vec<u32> = (1..=values).collect();
            (1..order.len()).rev().for_each(|k| order.swap(k, random.below(k + 1)));
            order
        };
        let orders = vec![order(random), order(random)];
        let settled_for = orders.iter().map(|order| random.below(order.len() + 1)).collect();
        let mut at_once = || random.chance(60).then(|| 1 + random.below(values as usize) as u32);
        let (at_once, follows) = ([at_once(), at_once()], random.chance(60));
        Case { levels, labels, store, roots, next, wishes: Wishes { orders, settled_for }, at_once, follows }
    }

    /// The states that a round settles, with their values, and the values of movers that choose; no states at the end.
    fn round(&self, table: &[u32], at_once: &[Option<u32>; 2]) -> (Vec<(usize, u32)>, [Option<u32>; 2]) {
        let offer = |state: usize| {
            let order = &self.wishes.orders[(self.labels[state] - MOVES) as usize];
            let place = |value: u32| order.iter().position(|&other| other == value);
            self.next[state].iter().filter_map(|&next| place(table[next])).min()
        };
        let open = |&state: &usize| self.labels[state] >= MOVES && table[state] == 0;
        let offers: Vec<(usize, usize)> =
            (0..table.len()).filter(open).filter_map(|state| Some((state, offer(state)?))).collect();
        let role = |state: usize| (self.labels[state] - MOVES) as usize;
        let value = |&(state, place): &(usize, usize)| (state, self.wishes.orders[role(state)][place]);
        let due = |offer: &&(usize, usize)| {
            self.next[offer.0].iter().all(|&next| table[next] != 0) || at_once[role(offer.0)] == Some(value(offer).1)
        };
        let all_due: Vec<(usize, u32)> = offers.iter().filter(due).map(value).collect();
        if !all_due.is_empty() {
            return (all_due, [None; 2]);
        }
        let best = [0, 1].map(|mover| {
            let own = offers.iter().filter(|&&(state, _)| role(state) == mover).map(|&(_, place)| place);
            own.filter(|&place| place < self.wishes.settled_for[mover]).min()
        });
        let chosen = [0, 1].map(|mover| best[mover].map(|place| self.wishes.orders[mover][place]));
        (offers.iter().filter(|&&(state, place)| best[role(state)] == Some(place)).map(value).collect(), chosen)
    }

    /// `counts`: whether numbers of open successors may be kept.
    fn assert_rounds(
        &self,
        name: &str,
        threads: usize,
        wide: bool,
        counts: bool,
        limits: &Arc<Limits>,
    ) -> (usize, [usize; 2]) {
        let context = Context::new(limits.clone(), threads).with(|manner| manner.shared_from = Some(1));
        let labels = set(self.levels, &self.labels, limits);
        let states =
            set(self.levels, &self.labels.iter().map(|&label| u32::from(label != 0)).collect::<Vec<_>>(), limits);
        let wider = if wide { widened(&states, &context).unwrap() } else { None };
        let places = wider.as_ref().unwrap_or(&states);
        let (store, roots, open) = (&self.store, &self.roots, (1 << 12, true));
        let made = Settling::new(places, &labels, store, roots, &self.wishes, open, u64::MAX, &context).unwrap();
        let mut settling = made.expect("memory for all moves");
        settling.tasks.iter_mut().for_each(|task| unlocked(task).counters = Counters::none(counts));
        let mut table: Vec<u32> = self.labels.iter().map(|&label| if label < MOVES { label } else { 0 }).collect();
        let mut count = 0..;
        let ranks: Vec<Option<u64>> = (0..table.len())
            .map(|bits| {
                let assignment: Vec<bool> = (0..self.levels).rev().map(|level| bits >> level & 1 == 1).collect();
                (places.contains(&assignment) != 0).then(|| count.next().expect("ranks do not end"))
            })
            .collect();
        // The tasks with numbers, and those in which a number was too large, in all rounds.
        let (mut rounds, mut seen) = (0_usize, [0, 0]);
        let mut by_place = vec![0; table.len()];
        let mut at_once = self.at_once;
        while settling.find(&at_once, &context).unwrap() {
            for task in &mut settling.tasks {
                seen[0] += usize::from(matches!(unlocked(task).counters, Counters::Counted(_)));
                seen[1] += usize::from(counts && matches!(unlocked(task).counters, Counters::Never));
            }
            let (expected, chosen) = self.round(&table, &at_once);
            let mut found = [None; 2];
            settling.chosen().for_each(|(mover, value)| found[mover] = Some(value));
            assert_eq!(found, chosen, "{name}, round {rounds}");
            if self.follows {
                at_once.iter_mut().zip(chosen).for_each(|(at_once, chosen)| *at_once = chosen.or(*at_once));
            }
            if !settling.has_room(&context).unwrap() || rounds % 7 == 6 {
                settling.forget_rounds();
                by_place.fill(0);
                assert!(settling.has_room(&context).unwrap(), "{name}: one round has room");
            }
            assert_eq!(settling.settle(&context), expected.len() as u64, "{name}, round {rounds}");
            let (found, count) = settling.rounds().expect("they are to be known");
            expected.iter().for_each(|&(state, _)| by_place[state] = count);
            let shown: Vec<u32> = ranks.iter().map(|rank| rank.map_or(0, |rank| found.value(rank))).collect();
            assert_eq!(shown, by_place, "{name}, round {rounds}");
            expected.into_iter().for_each(|(state, value)| table[state] = value);
            rounds += 1;
            if rounds.is_multiple_of(5) {
                let order = settling.values().values().to_vec();
                let values = unranked_set(places, settling.values(), &context).unwrap();
                let values = crate::as_values(&values, &context).unwrap();
                settling.resume(ranked_codes(places, &values, order, &context).unwrap());
            }
        }
        assert_eq!(self.round(&table, &at_once).0, [], "{name}: after {rounds} rounds");
        (rounds, seen)
    }
}

#[test]
fn rounds_are_those_of_single_states() {
    let limits = Arc::new(Limits::unlimited());
    let (mut random, mut rounds, mut tasks) = (Random::new(51), 0, [0, 0]);
    for number in 0..120 {
        let levels = if number % 10 == 9 { 14 } else { 1 + number % 9 };
        let values = [1, 2, 3, 6, 7, 9, 30][random.below(7)];
        let case = Case::random(levels, values, &mut random);
        for (threads, wide, counts) in [(1, false, true), (1, true, false), (2, false, false), (3, true, true)] {
            let name = format!("{number}: {levels} levels, {values} values, {threads} threads, {wide}, {counts}");
            let (more, seen) = case.assert_rounds(&name, threads, wide, counts, &limits);
            rounds += more;
            tasks.iter_mut().zip(seen).for_each(|(tasks, seen)| *tasks += seen);
        }
    }
    assert!(rounds > 1000, "{rounds} rounds");
    assert!(tasks.iter().all(|&tasks| tasks > 20), "{tasks:?} tasks have numbers, or too large ones");
}
