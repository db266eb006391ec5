//! Forms of keys in streams: 32-bit words that are equal if and only if the keys are equal.

pub(crate) trait Form {
    /// Whether the last word of a key is a weight. Keys that are otherwise equal are merged, and their weights added.
    const WEIGHT: bool = false;

    /// Bound on the 64-bit words of a key. A longer key must not be written.
    const MOST: usize = usize::MAX;

    /// A number from which [`Form::words`] computes how many 32-bit words the written key has.
    fn head(key: &[u64]) -> u32;

    fn words(head: u32) -> usize;

    /// # Safety
    /// `key` must have at most [`Form::MOST`] words, `head` must be the result of [`Form::head`] for it, and `to` must
    /// have room for [`Form::words`] words.
    unsafe fn write(key: &[u64], head: u32, to: *mut u32);

    /// The number of 32-bit words of the key at `at`.
    ///
    /// # Safety
    /// [`Form::write`] must have written a key at `at`.
    #[inline(always)]
    unsafe fn words_at(at: *const u32) -> usize {
        // SAFETY: by the trait's contract.
        Self::words(unsafe { *at })
    }

    /// Writes the key at `at` to `key`, and returns the number of its 64-bit words.
    ///
    /// # Safety
    /// As for [`Form::words_at`]. `key` must have room for as many 64-bit words as [`Form::words_at`] returns.
    unsafe fn read(at: *const u32, key: *mut u64) -> usize;
}

/// Keys of `N` words; of two, the last one is a weight.
pub(crate) struct Fixed<const N: usize>;

pub(crate) type One = Fixed<1>;
pub(crate) type Weighted = Fixed<2>;

impl<const N: usize> Form for Fixed<N> {
    const WEIGHT: bool = N == 2;

    #[inline(always)]
    fn head(_key: &[u64]) -> u32 {
        2 * N as u32
    }

    #[inline(always)]
    fn words(_head: u32) -> usize {
        2 * N
    }

    #[inline(always)]
    unsafe fn write(key: &[u64], _head: u32, to: *mut u32) {
        for (k, &word) in key[..N].iter().enumerate() {
            // SAFETY: by the trait's contract.
            unsafe { to.cast::<u64>().add(k).write_unaligned(word) };
        }
    }

    #[inline(always)]
    unsafe fn read(at: *const u32, key: *mut u64) -> usize {
        for k in 0..N {
            // SAFETY: by the trait's contract.
            unsafe { *key.add(k) = at.cast::<u64>().add(k).read_unaligned() };
        }
        N
    }
}

/// Lists of at least one word, written as the number of halves of words, then these. If the upper half of the last word
/// is 0, as in a list of an odd number of ids (see `lists::pack`), it is left out.
pub(crate) struct List;

impl Form for List {
    #[inline(always)]
    fn head(key: &[u64]) -> u32 {
        let last = key.last().expect("a list has a word at least");
        2 * key.len() as u32 - u32::from(last >> 32 == 0)
    }

    #[inline(always)]
    fn words(head: u32) -> usize {
        1 + head as usize
    }

    #[inline(always)]
    unsafe fn write(key: &[u64], head: u32, to: *mut u32) {
        // SAFETY: by the trait's contract.
        unsafe {
            *to = head;
            let whole = head as usize / 2;
            for (k, &word) in key.get_unchecked(..whole).iter().enumerate() {
                to.add(1 + 2 * k).cast::<u64>().write_unaligned(word);
            }
            if head % 2 == 1 {
                *to.add(head as usize) = key[whole] as u32;
            }
        }
    }

    #[inline(always)]
    unsafe fn read(at: *const u32, key: *mut u64) -> usize {
        // SAFETY: by the trait's contract.
        unsafe {
            let count = *at as usize;
            for k in 0..count / 2 {
                *key.add(k) = at.add(1 + 2 * k).cast::<u64>().read_unaligned();
            }
            if count % 2 == 1 {
                *key.add(count / 2) = u64::from(*at.add(count));
            }
            count.div_ceil(2)
        }
    }
}

/// Keys of a preimage: a first word (care node and payoff state), then pairs of (value node, relation). They are
/// written as a header; the care node; the payoff state, unless the header has it; the value nodes; the relations, as
/// half words if all are small.
pub(crate) struct Moves;

/// In the header: the mask of the number of pairs.
const PAIRS: u32 = (1 << 20) - 1;
/// In the header: whether relations are whole words.
const WIDE: u32 = 1 << 20;
/// In the header: whether the payoff state is 2^31 plus the top byte of the header.
const SETTLED: u32 = 1 << 21;
const BYTE: u32 = 24;

impl Form for Moves {
    const MOST: usize = PAIRS as usize;

    #[inline(always)]
    fn head(key: &[u64]) -> u32 {
        let all = key[1..].iter().fold(0, |all, &pair| all | pair as u32);
        let wide = if all >> 16 != 0 { WIDE } else { 0 };
        let low = key[0] as u32;
        let settled = if low.wrapping_sub(1 << 31) < 256 { SETTLED | low << BYTE } else { 0 };
        (key.len() - 1) as u32 | wide | settled
    }

    #[inline(always)]
    fn words(head: u32) -> usize {
        let pairs = (head & PAIRS) as usize;
        let relations = if head & WIDE != 0 { pairs } else { pairs.div_ceil(2) };
        2 + usize::from(head & SETTLED == 0) + pairs + relations
    }

    #[inline(always)]
    unsafe fn write(key: &[u64], head: u32, to: *mut u32) {
        // SAFETY: by the trait's contract.
        unsafe {
            let pairs = &key[1..];
            *to = head;
            *to.add(1) = (key[0] >> 32) as u32;
            let mut values = to.add(2);
            if head & SETTLED == 0 {
                *values = key[0] as u32;
                values = values.add(1);
            }
            let relations = values.add(pairs.len());
            if head & WIDE != 0 {
                for (k, &pair) in pairs.iter().enumerate() {
                    *values.add(k) = (pair >> 32) as u32;
                    *relations.add(k) = pair as u32;
                }
            } else {
                if pairs.len() % 2 == 1 {
                    *relations.add(pairs.len() / 2) = 0;
                }
                for (k, &pair) in pairs.iter().enumerate() {
                    *values.add(k) = (pair >> 32) as u32;
                    *relations.cast::<u16>().add(k) = pair as u16;
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn read(at: *const u32, key: *mut u64) -> usize {
        // SAFETY: by the trait's contract.
        unsafe {
            let head = *at;
            let pairs = (head & PAIRS) as usize;
            let (low, values) =
                if head & SETTLED != 0 { (1 << 31 | head >> BYTE, at.add(2)) } else { (*at.add(2), at.add(3)) };
            *key = u64::from(*at.add(1)) << 32 | u64::from(low);
            let relations = values.add(pairs);
            if head & WIDE != 0 {
                for k in 0..pairs {
                    *key.add(1 + k) = u64::from(*values.add(k)) << 32 | u64::from(*relations.add(k));
                }
            } else {
                for k in 0..pairs {
                    *key.add(1 + k) = u64::from(*values.add(k)) << 32 | u64::from(*relations.cast::<u16>().add(k));
                }
            }
            1 + pairs
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    fn there_and_back<F: Form>(key: &[u64]) {
        assert!(key.len() <= F::MOST);
        let head = F::head(key);
        let mut words = vec![0xAAAA_AAAA_u32; F::words(head) + 1];
        let mut back = vec![0; F::words(head)];
        // SAFETY: there is room for the words of the key.
        unsafe {
            F::write(key, head, words.as_mut_ptr());
            assert_eq!(F::words_at(words.as_ptr()), F::words(head));
            let length = F::read(words.as_ptr(), back.as_mut_ptr());
            back.truncate(length);
        }
        assert_eq!(back, key);
        assert_eq!(words.pop(), Some(0xAAAA_AAAA), "nothing is written behind a key");
        let mut again = vec![0x5555_5555_u32; words.len()];
        // SAFETY: as above.
        unsafe { F::write(key, head, again.as_mut_ptr()) };
        assert_eq!(again, words);
    }

    #[test]
    fn keys_come_back_as_they_were_written() {
        let mut random = Random::new(1);
        let mut half = |bits: u32| random.below(1 << bits) as u64;
        for round in 0..5_000 {
            let length = half(4) as usize;
            let wide = if round % 5 == 0 { 31 } else { 16 };
            there_and_back::<One>(&[half(31) << 32 | half(31)]);
            there_and_back::<Weighted>(&[half(31) << 32 | half(31), half(31)]);
            let words: Vec<u64> = (0..1 + length).map(|_| half(31) << 32 | half(31)).collect();
            there_and_back::<List>(&words);
            let mut ids: Vec<u64> = (0..1 + length).map(|_| (1 + half(30)) << 32 | (1 + half(30))).collect();
            there_and_back::<List>(&ids);
            ids[length] &= u64::from(u32::MAX);
            there_and_back::<List>(&ids);
            let low = match round % 3 {
                0 => half(31),
                1 => 1 << 31 | half(8),
                _ => (1 << 31) + 256 + half(3),
            };
            let mut moves: Vec<u64> = vec![half(31) << 32 | low];
            moves.extend((0..length).map(|_| half(31) << 32 | half(wide)));
            there_and_back::<Moves>(&moves);
        }
    }
}
