//! Words and matrices of bits.

/// The places of the bits of a word that are set, ascending.
#[inline]
pub fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        bit
    })
}

/// Swaps bit `j` of word `i` with bit `i` of word `j`.
pub fn transpose(rows: &mut [u64; 64]) {
    let (mut width, mut low) = (32, u64::from(u32::MAX));
    while width > 0 {
        for pair in rows.chunks_exact_mut(2 * width) {
            let (first, second) = pair.split_at_mut(width);
            for (first, second) in first.iter_mut().zip(second) {
                let swapped = ((*first >> width) ^ *second) & low;
                *first ^= swapped << width;
                *second ^= swapped;
            }
        }
        width /= 2;
        low ^= low << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn transposition_swaps_rows_and_columns() {
        let mut random = Random::new(3);
        let rows: [u64; 64] = std::array::from_fn(|_| random.word());
        let mut swapped = rows;
        transpose(&mut swapped);
        for (i, swapped) in swapped.iter().enumerate() {
            for (j, row) in rows.iter().enumerate() {
                assert_eq!(swapped >> j & 1, row >> i & 1);
            }
        }
    }
}
