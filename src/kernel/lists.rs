//! Sorts the short lists in keys. If many moves overlap, insertion sort took a quarter of a sweep's time, mostly by
//! mispredicted branches. So lists of up to 16 elements are sorted by a network of comparators, which has no branches
//! (Batcher 1968; Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M).

use super::ids::Id;

type Network<const COMPARATORS: usize> = [(u8, u8); COMPARATORS];

const fn network<const COMPARATORS: usize>(size: usize) -> Network<COMPARATORS> {
    let mut network = [(0, 0); COMPARATORS];
    let (mut count, top) = (0, size.next_power_of_two() / 2);
    let mut p = top;
    while p > 0 {
        let (mut q, mut r, mut distance) = (top, 0, p);
        loop {
            let mut i = 0;
            while i + distance < size {
                if i & p == r {
                    network[count] = (i as u8, (i + distance) as u8);
                    count += 1;
                }
                i += 1;
            }
            if q == p {
                break;
            }
            (distance, q, r) = (q - p, q / 2, p);
        }
        p /= 2;
    }
    assert!(count == COMPARATORS);
    network
}

const OF_4: Network<5> = network(4);
const OF_6: Network<12> = network(6);
const OF_8: Network<19> = network(8);
const OF_12: Network<41> = network(12);
const OF_16: Network<63> = network(16);

#[inline(always)]
pub(super) fn sort_and_dedup<T: Copy + Ord>(list: &mut Vec<T>, from: usize) {
    let length = list.len() - from;
    match length {
        0..=1 => {}
        // Sorting so short a list is faster than a test whether it is sorted.
        2..=4 => by_network::<T, 4, 5>(&OF_4, list, from),
        _ if list[from..].windows(2).fold(true, |ascending, pair| ascending & (pair[0] < pair[1])) => {}
        5..=6 => by_network_apart::<T, 6, 12>(&OF_6, list, from),
        7..=8 => by_network_apart::<T, 8, 19>(&OF_8, list, from),
        9..=12 => by_network_apart::<T, 12, 41>(&OF_12, list, from),
        13..=16 => by_network_apart::<T, 16, 63>(&OF_16, list, from),
        _ => {
            let tail = &mut list[from..];
            tail.sort_unstable();
            let mut kept = 1;
            for i in 1..tail.len() {
                if tail[i] != tail[i - 1] {
                    tail[kept] = tail[i];
                    kept += 1;
                }
            }
            list.truncate(from + kept);
        }
    }
}

#[inline(never)]
fn by_network_apart<T: Copy + Ord, const N: usize, const C: usize>(
    network: &Network<C>,
    list: &mut Vec<T>,
    from: usize,
) {
    by_network::<T, N, C>(network, list, from);
}

/// As [`sort_and_dedup`], for at least one element and at most `N`.
#[inline(always)]
fn by_network<T: Copy + Ord, const N: usize, const C: usize>(network: &Network<C>, list: &mut Vec<T>, from: usize) {
    let length = list.len() - from;
    list.reserve(N);
    let at = list[from..].as_mut_ptr();
    // SAFETY: there is room for `N` elements from `at` on, and the first `length` of these are read.
    unsafe {
        // The list is padded with its first element, so that the sequence of operations is the same for every length.
        let mut elements = [*at; N];
        for (k, element) in elements.iter_mut().enumerate().skip(1) {
            *element = *at.add(if k < length { k } else { 0 });
        }
        for &(i, j) in network {
            let (a, b) = (elements[usize::from(i)], elements[usize::from(j)]);
            (elements[usize::from(i)], elements[usize::from(j)]) = (a.min(b), a.max(b));
        }
        *at = elements[0];
        let (mut kept, mut last) = (1, elements[0]);
        for &element in &elements[1..] {
            kept += usize::from(element != last);
            *at.add(kept - 1) = element;
            last = element;
        }
        list.set_len(from + kept);
    }
}

/// Appends `list` to `keys`, two ids per word. A last id without a partner gets 0, which is no element's id.
#[inline(always)]
pub(super) fn pack<T: Id>(list: &mut Vec<T>, keys: &mut Vec<u64>) {
    if list.len() % 2 == 1 {
        list.push(T::of_bits(0));
    }
    keys.extend(list.as_chunks().0.iter().map(|[a, b]| u64::from(a.to_bits()) | u64::from(b.to_bits()) << 32));
}

#[inline(always)]
pub(super) fn unpack<T: Id>(word: u64) -> [T; 2] {
    [word as u32, (word >> 32) as u32].map(T::of_bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn lists_of_any_length_are_sorted_and_have_no_repetitions() {
        let mut random = Random::new(5);
        for round in 0..20_000 {
            let (front, len, values) = (random.below(3), random.below(28), 1 + random.below(40));
            let list: Vec<u64> =
                (0..front + len).map(|_| (random.below(values) as u64).wrapping_sub(round % 2)).collect();
            let mut expected = list[front..].to_vec();
            expected.sort();
            expected.dedup();
            let mut short: Vec<u32> = list.iter().map(|&element| element as u32).collect();
            let mut long = list.clone();
            sort_and_dedup(&mut long, front);
            sort_and_dedup(&mut short, front);
            assert_eq!(long[..front], list[..front]);
            assert_eq!(long[front..], expected);
            assert!(
                short[front..].iter().eq(expected.iter().map(|&element| element as u32).collect::<Vec<_>>().iter())
            );
        }
    }

    #[test]
    fn lists_are_packed_two_a_word() {
        let mut keys = vec![9];
        pack(&mut vec![1_u32, 2, 3], &mut keys);
        assert_eq!(keys, [9, 2 << 32 | 1, 3]);
    }
}
