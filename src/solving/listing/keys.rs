//! Sorts and merges packed states of a given number of words, which are stored one after the other in a vector.

use super::index::SPREAD;
use std::cmp::Ordering;

/// If a list is shorter than another one by this factor, each of its keys is searched for in the other.
const SEARCHED: usize = 4;
/// Most words for which [`by_words`] has an instance.
pub(super) const MOST_WORDS: usize = 8;

/// Calls the instance of a function for the given number of words, or its general form if there is no such instance.
macro_rules! by_words {
    ($words:expr, $call:ident ( $($argument:expr),* ), $other:expr) => {
        match $words {
            1 => $call::<1>($($argument),*),
            2 => $call::<2>($($argument),*),
            3 => $call::<3>($($argument),*),
            4 => $call::<4>($($argument),*),
            5 => $call::<5>($($argument),*),
            6 => $call::<6>($($argument),*),
            7 => $call::<7>($($argument),*),
            8 => $call::<8>($($argument),*),
            _ => $other,
        }
    };
}
pub(super) use by_words;

pub(super) fn sort(keys: &mut Vec<u64>, words: usize) {
    by_words!(words, sort_arrays(keys), sort_slices(keys, words));
}

/// Adds to `left` the keys of an ascending list that another ascending list lacks.
pub(super) fn subtract(keys: &[u64], other: &[u64], words: usize, left: &mut Vec<u64>) {
    // Many keys are compared side by side with the other list; few are searched for.
    if keys.len() < other.len() / SEARCHED {
        by_words!(words, subtract_few_arrays(keys, other, left), subtract_few_slices(keys, other, words, left));
    } else {
        by_words!(words, subtract_arrays(keys, other, left), subtract_slices(keys, other, words, left));
    }
}

/// Adds to `all` the keys of two ascending lists, without duplicates.
pub(super) fn merge(left: &[u64], right: &[u64], words: usize, all: &mut Vec<u64>) {
    by_words!(words, merge_arrays(left, right, all), merge_slices(left, right, words, all));
}

/// Adds the keys to `all`, except those that `recent` has. It has one of the last keys for each value of a hash
/// function; there are a power of two of such places.
pub(super) fn add_fresh(keys: &[u64], recent: &mut [u64], words: usize, all: &mut Vec<u64>) {
    by_words!(words, add_fresh_arrays(keys, recent, all), all.extend_from_slice(keys));
}

fn add_fresh_arrays<const W: usize>(keys: &[u64], recent: &mut [u64], all: &mut Vec<u64>) {
    let recent = recent.as_chunks_mut::<W>().0;
    let shift = 64 - recent.len().ilog2();
    for key in keys.as_chunks::<W>().0 {
        let hash = key.iter().fold(0u64, |hash, &word| (hash.rotate_left(29) ^ word).wrapping_mul(SPREAD));
        let place = &mut recent[(hash >> shift) as usize];
        // A place that was never used has zeros, too.
        if *place != *key || *key == [0; W] {
            *place = *key;
            all.extend_from_slice(key);
        }
    }
}

fn sort_arrays<const W: usize>(keys: &mut Vec<u64>) {
    let rows = keys.as_chunks_mut::<W>().0;
    rows.sort_unstable();
    let mut kept = usize::from(!rows.is_empty());
    for next in 1..rows.len() {
        if rows[next] != rows[kept - 1] {
            rows[kept] = rows[next];
            kept += 1;
        }
    }
    keys.truncate(kept * W);
}

fn sort_slices(keys: &mut Vec<u64>, words: usize) {
    let key = |index: &u32| &keys[*index as usize * words..][..words];
    let mut order: Vec<u32> = (0..(keys.len() / words) as u32).collect();
    order.sort_unstable_by(|left, right| key(left).cmp(key(right)));
    order.dedup_by(|left, right| key(left) == key(right));
    *keys = order.iter().flat_map(key).copied().collect();
}

fn subtract_arrays<const W: usize>(keys: &[u64], other: &[u64], left: &mut Vec<u64>) {
    let other = other.as_chunks::<W>().0;
    let mut next = 0;
    for key in keys.as_chunks::<W>().0 {
        while other.get(next).is_some_and(|other| other < key) {
            next += 1;
        }
        if other.get(next) != Some(key) {
            left.extend_from_slice(key);
        }
    }
}

fn subtract_few_arrays<const W: usize>(keys: &[u64], other: &[u64], left: &mut Vec<u64>) {
    let other = other.as_chunks::<W>().0;
    let mut next = 0;
    for key in keys.as_chunks::<W>().0 {
        next = place(other.len(), next, |index| other[index] < *key);
        if other.get(next) != Some(key) {
            left.extend_from_slice(key);
        }
    }
}

fn subtract_few_slices(keys: &[u64], other: &[u64], words: usize, left: &mut Vec<u64>) {
    let at = |index: usize| &other[index * words..][..words];
    let (mut next, len) = (0, other.len() / words);
    for key in keys.chunks_exact(words) {
        next = place(len, next, |index| at(index) < key);
        if next == len || at(next) != key {
            left.extend_from_slice(key);
        }
    }
}

/// The first index from `from` on that is not `before`, which holds up to some index: by steps that double, then by
/// halves. Takes a time that depends on how far it is, not on `len`.
pub(super) fn place(len: usize, from: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut step) = (from, 1);
    while low + step <= len && before(low + step - 1) {
        low += step;
        step *= 2;
    }
    let mut high = len.min(low + step - 1);
    while low < high {
        let middle = low.midpoint(high);
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn subtract_slices(keys: &[u64], other: &[u64], words: usize, left: &mut Vec<u64>) {
    let mut other = other.chunks_exact(words).peekable();
    for key in keys.chunks_exact(words) {
        while other.next_if(|other| *other < key).is_some() {}
        if other.peek() != Some(&key) {
            left.extend_from_slice(key);
        }
    }
}

fn merge_arrays<const W: usize>(left: &[u64], right: &[u64], all: &mut Vec<u64>) {
    let (left, right) = (left.as_chunks::<W>().0, right.as_chunks::<W>().0);
    let (mut i, mut j) = (0, 0);
    while let (Some(l), Some(r)) = (left.get(i), right.get(j)) {
        let order = l.cmp(r);
        all.extend_from_slice(if order == Ordering::Greater { r } else { l });
        i += usize::from(order != Ordering::Greater);
        j += usize::from(order != Ordering::Less);
    }
    all.extend_from_slice(left[i..].as_flattened());
    all.extend_from_slice(right[j..].as_flattened());
}

fn merge_slices(left: &[u64], right: &[u64], words: usize, all: &mut Vec<u64>) {
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        let (l, r) = (&left[i..i + words], &right[j..j + words]);
        let order = l.cmp(r);
        all.extend_from_slice(if order == Ordering::Greater { r } else { l });
        i += if order == Ordering::Greater { 0 } else { words };
        j += if order == Ordering::Less { 0 } else { words };
    }
    all.extend_from_slice(&left[i..]);
    all.extend_from_slice(&right[j..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use std::collections::BTreeSet;

    #[test]
    fn fresh_keys_are_added_whatever_places_are_taken() {
        let mut random = Random::new(11);
        for words in [1, 3, 9] {
            let zero = vec![0; words];
            let keys: Vec<u64> = zero.iter().copied().chain((0..300 * words).map(|_| random.below(3) as u64)).collect();
            let (mut recent, mut all) = (vec![0; 16 * words], Vec::new());
            add_fresh(&keys, &mut recent, words, &mut all);
            let set = |keys: &[u64]| keys.chunks(words).map(<[u64]>::to_vec).collect::<BTreeSet<_>>();
            assert_eq!(set(&all), set(&keys), "{words}");
            let before = all.len();
            let last = all[before - words..].to_vec();
            add_fresh(&last, &mut recent, words, &mut all);
            assert!(words > MOST_WORDS || all[before..].iter().all(|word| *word == 0), "it came last");
        }
    }

    #[test]
    fn sorting_and_merging_keep_each_key_once() {
        let mut random = Random::new(5);
        for words in 1..=10 {
            let mut keys = |count: usize| -> Vec<u64> { (0..count * words).map(|_| random.below(3) as u64).collect() };
            let (mut left, mut right) = (keys(60), keys(25));
            let set: BTreeSet<&[u64]> = left.chunks(words).chain(right.chunks(words)).collect();
            let expected: Vec<u64> = set.into_iter().flatten().copied().collect();
            sort(&mut left, words);
            sort(&mut right, words);
            assert!(left.chunks(words).is_sorted_by(|a, b| a < b));
            let mut all = Vec::new();
            merge(&left, &right, words, &mut all);
            assert_eq!(all, expected, "{words}");
            let known: BTreeSet<&[u64]> = right.chunks(words).collect();
            let expected: Vec<u64> = left.chunks(words).filter(|key| !known.contains(key)).flatten().copied().collect();
            let mut rest = Vec::new();
            subtract(&left, &right, words, &mut rest);
            assert_eq!(rest, expected, "{words}");
            // Few keys, of which some are in the other list.
            let few = [&left[..words], &left[left.len() - 2 * words..], &vec![2; words]].concat();
            let known: BTreeSet<&[u64]> = left.chunks(words).collect();
            let expected: Vec<u64> = few.chunks(words).filter(|key| !known.contains(key)).flatten().copied().collect();
            rest.clear();
            subtract(&few, &left, words, &mut rest);
            assert_eq!(rest, expected, "{words}");
        }
        let mut none = Vec::new();
        sort(&mut none, 1);
        assert!(none.is_empty());
    }
}
