//! Tests of sweeps that come to the end of what is numbered: requests, key words, tables, choices. The ends are the
//! real ones where numbers may begin late, and nearer ones (see `Capacity`) where they may not.

use super::elements::set_of_table;
use super::exchange::Parcel;
use super::pairs::pairs;
use super::requests::{Capacity, Queue, Requests, hash_key};
use super::slot::Place;
use super::{Context, Diagram, IDENTITY, NONE, Relations, TERMINALS, image, union};
use crate::limits::{LimitReached, Limits};
use crate::random::Random;
use std::sync::Arc;

const LEVELS: u32 = 9;

fn unlimited() -> Arc<Limits> {
    Arc::new(Limits::unlimited())
}

fn sets(many: usize) -> Vec<Diagram> {
    let mut random = Random::new(11);
    let mut table = || (0..1 << LEVELS).map(|_| u32::from(random.chance(20))).collect::<Vec<u32>>();
    (0..many).map(|_| set_of_table(LEVELS, &table(), &unlimited())).collect()
}

fn context(threads: usize, capacity: Capacity) -> Context {
    Context::new(unlimited(), threads).sharing_from(1).with_capacity(capacity)
}

/// Each level's value may be flipped, from true to false and back.
fn flips() -> (Relations, Vec<u32>) {
    let mut relations = Relations::new();
    let roots = (0..LEVELS).map(|level| relations.make(level, [NONE, IDENTITY, IDENTITY, NONE])).collect();
    (relations, roots)
}

fn is_size<T>(result: Result<T, LimitReached>, of: &str) -> bool {
    match result {
        Ok(_) => false,
        Err(LimitReached::Size { what, .. }) if what == of => true,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_queue_that_was_refused_is_refused_again() {
    let (mut granted, mut refused) = (0, 0);
    for memory in (128 << 10..176 << 10).step_by(512) {
        let limits = Arc::new(Limits::new(memory));
        let Ok(requests) = Requests::new(1, 1, 2, u64::MAX, &Capacity::ALL, &limits) else { continue };
        let mut queue = Queue::new(0);
        for word in 0..4_u64 {
            let key = [word, word];
            match queue.find_or_add(false, hash_key(&key), &key, &requests) {
                Ok(request) => {
                    granted += 1;
                    // SAFETY: the request was added by this thread.
                    assert_eq!(unsafe { requests.key(false, request) }, key);
                }
                Err(reason) => {
                    refused += 1;
                    assert!(matches!(requests.reason(reason), LimitReached::Memory { .. }));
                }
            }
        }
        let closed = Queue::close([&mut queue].into_iter(), &requests);
        assert!(closed.count() <= 4);
    }
    assert!(granted > 0 && refused > 0);
}

#[test]
fn a_root_that_is_refused_ends_the_sweep() {
    let sets = sets(2);
    let all: Vec<&Diagram> = sets.iter().collect();
    let (relations, roots) = flips();
    for capacity in [
        Capacity { slots: TERMINALS..TERMINALS + 31, ..Capacity::ALL },
        Capacity { slots: TERMINALS..TERMINALS, ..Capacity::ALL },
    ] {
        for threads in [1, 2] {
            let context = context(threads, capacity.clone());
            assert!(is_size(union(&all, &context), "requests of one sweep"));
            assert!(is_size(image(&sets[0], &relations, &roots, &context), "requests of one sweep"));
        }
    }
}

#[test]
fn requests_go_up_to_the_last_number() {
    let sets = sets(3);
    let all: Vec<&Diagram> = sets.iter().collect();
    let (relations, roots) = flips();
    let expected = union(&all, &context(1, Capacity::ALL)).unwrap();
    let moved = image(&sets[0], &relations, &roots, &context(1, Capacity::ALL)).unwrap();
    let end = Capacity::ALL.slots.end;
    for threads in [1, 2] {
        let (mut granted, mut refused) = (0, 0);
        for room in [64, 500, 1000, 1500, 1 << 13] {
            let context = context(threads, Capacity { slots: end - room..end, ..Capacity::ALL });
            match union(&all, &context) {
                Ok(union) => {
                    granted += 1;
                    assert!(union == expected);
                }
                other => refused += usize::from(is_size(other, "requests of one sweep")),
            }
            // Pairs are numbered below 2^31 only.
            assert!(is_size(image(&sets[0], &relations, &roots, &context), "requests of one sweep"));
            let context = context.with_capacity(Capacity { slots: (1 << 31) - room..end, ..Capacity::ALL });
            match image(&sets[0], &relations, &roots, &context) {
                Ok(image) => {
                    granted += 1;
                    assert!(image == moved);
                }
                other => refused += usize::from(is_size(other, "requests of one sweep")),
            }
        }
        assert!(granted >= 2 && refused >= 2, "{granted} granted, {refused} refused");
    }
}

#[test]
fn a_table_is_filled_to_seven_eighths_and_no_further() {
    let limits = unlimited();
    let capacity = Capacity { table: 8, ..Capacity::ALL };
    let requests = Requests::new(1, 1, 2, u64::MAX, &capacity, &limits).unwrap();
    let mut queue = Queue::new(0);
    let mut add = |word: u64| queue.find_or_add(true, hash_key(&[word]), &[word], &requests);
    let mut known = vec![];
    while let Ok(request) = add(known.len() as u64) {
        known.push(request);
    }
    // Slots are taken in chunks.
    assert!((128..=224).contains(&known.len()), "{} requests", known.len());
    assert!(matches!(requests.error(), Some(LimitReached::Size { limit: 224, .. })));
    let (source, relations, roots) = alike();
    let expected = image(&source, &relations, &roots, &context(1, Capacity::ALL)).unwrap();
    for threads in [1, 2] {
        let (mut granted, mut refused) = (0, 0);
        for table in 7..16 {
            match image(&source, &relations, &roots, &context(threads, Capacity { table, ..Capacity::ALL })) {
                Ok(image) => {
                    granted += 1;
                    assert!(image == expected);
                }
                other => refused += usize::from(is_size(other, "requests of one level")),
            }
        }
        assert!(granted > 0 && refused > 0, "{granted} granted, {refused} refused");
    }
}

#[test]
fn key_words_go_up_to_the_last_number() {
    let sets = sets(3);
    let all: Vec<&Diagram> = sets.iter().collect();
    let expected = union(&all, &context(1, Capacity::ALL)).unwrap();
    for threads in [1, 2] {
        let (mut granted, mut refused) = (0, 0);
        for power in 4..15 {
            let context = context(threads, Capacity { first_word: u32::MAX - (1 << power), ..Capacity::ALL });
            match union(&all, &context) {
                Ok(union) => {
                    granted += 1;
                    assert!(union == expected);
                }
                other => refused += usize::from(is_size(other, "key words of one sweep")),
            }
        }
        assert!(granted > 0 && refused > 0, "{granted} granted, {refused} refused");
    }
}

/// Relations that differ only in what they do where the last level is true, which it never is: many pairs, and few
/// choices.
fn alike() -> (Diagram, Relations, Vec<u32>) {
    let mut random = Random::new(5);
    let table: Vec<u32> = (0..1 << LEVELS).map(|bits| u32::from(bits % 2 == 0 && random.chance(50))).collect();
    let mut relations = Relations::new();
    let mut alike: Vec<u32> = [[NONE, NONE], [NONE, IDENTITY], [IDENTITY, NONE], [IDENTITY, IDENTITY]]
        .map(|[x, y]| relations.make(LEVELS - 1, [NONE, IDENTITY, x, y]))
        .to_vec();
    for level in (LEVELS - 3..LEVELS - 1).rev() {
        let pairs = alike.iter().flat_map(|&a| alike.iter().map(move |&b| [a, b]));
        let made = pairs.map(|[a, b]| relations.make(level, [NONE, a, b, NONE]));
        alike = made.collect();
    }
    (set_of_table(LEVELS, &table, &unlimited()), relations, alike)
}

#[test]
fn choices_are_bounded_by_what_they_are_and_not_by_their_pairs() {
    let (source, relations, roots) = alike();
    for threads in [1, 2] {
        let plenty = context(threads, Capacity::ALL);
        let made = pairs(&source, &relations, &roots, &plenty).unwrap();
        let requests = plenty.statistics(super::Kind::Pairs).requests;
        let words = made.index.end(0) - TERMINALS;
        // Room for what is made, and for the chunks that threads leave unfilled at the end of each level.
        let room = (words - words % 4096) + 4096 * if threads == 1 { 1 } else { 2 * (LEVELS + 1) };
        let needed_by_pairs = 5 * requests + 4096;
        assert!(threads > 1 || needed_by_pairs > 4 * u64::from(room), "{requests} pairs, {words} words");
        let enough = Capacity { choices: TERMINALS + room, ..Capacity::ALL };
        let again = pairs(&source, &relations, &roots, &context(threads, enough)).unwrap();
        assert!(threads > 1 || again.index == made.index);
        let short = Capacity { choices: TERMINALS + 4095, ..Capacity::ALL };
        assert!(is_size(pairs(&source, &relations, &roots, &context(threads, short)), "words of choices"));
    }
}

#[test]
fn parcels_with_long_keys_are_accounted_and_given_back() {
    let limits = Limits::new(1 << 20);
    let mut parcel = Parcel::default();
    for words in [3, 100, 1000, 2000] {
        parcel.make_room(words, &limits).unwrap();
        parcel.keys.resize(parcel.keys.len() + words, 7);
    }
    assert_eq!(limits.used(), 0, "what every parcel may take");
    for _ in 0..20 {
        parcel.make_room(2000, &limits).unwrap();
        parcel.keys.resize(parcel.keys.len() + 2000, 7);
        assert!(limits.used() + (32 << 10) >= 8 * parcel.keys.capacity() as u64);
    }
    assert!(matches!(parcel.make_room(1 << 20, &limits), Err(LimitReached::Memory { .. })));
    parcel.clear();
    assert_eq!((limits.used(), parcel.keys.capacity()), (0, 0));
}

#[test]
fn more_words_are_had_than_a_thread_takes_at_a_time() {
    let limits = unlimited();
    let requests = Requests::new(1, 1, 2, u64::MAX, &Capacity::ALL, &limits).unwrap();
    let mut output = super::down::Output::new(&requests, 1);
    let mut end = 0;
    for words in [1, 4095, 4096, 4097, 1 << 17, 3] {
        let (Place(at), _) = output.allocate(words).unwrap();
        assert!(at >= end, "words are handed out once");
        end = at + words;
    }
}
