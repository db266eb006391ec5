//! Sorting the short lists that requests consist of.

/// Sorts `list[from..]` and drops repetitions.
#[inline(always)]
pub(super) fn sort_and_dedup<T: Copy + Ord>(list: &mut Vec<T>, from: usize) {
    let tail = &mut list[from..];
    if tail.len() <= 1 {
        return;
    }
    if tail.len() > 24 {
        tail.sort_unstable();
    } else {
        for i in 1..tail.len() {
            let value = tail[i];
            let mut j = i;
            while j > 0 && tail[j - 1] > value {
                tail[j] = tail[j - 1];
                j -= 1;
            }
            tail[j] = value;
        }
    }
    let mut kept = from + 1;
    for i in from + 1..list.len() {
        if list[i] != list[i - 1] {
            list[kept] = list[i];
            kept += 1;
        }
    }
    list.truncate(kept);
}

/// Appends `list` to `keys`, two ids a word; the last half is 0, which is no id of an element, where one is left.
#[inline(always)]
pub(super) fn pack(list: &[u32], keys: &mut Vec<u64>) {
    for pair in list.chunks(2) {
        keys.push(u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32);
    }
}
