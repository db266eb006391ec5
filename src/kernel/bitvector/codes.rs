//! Converts values by rank from bit planes to their stored form, a sequence of codes in the order of ranks, and back. A
//! code is the index of the state's value in a table, in as few bits as the table needs, least significant bit first.
//!
//! The conversion works on words of 64 states. If planes are steps, bit `j` of a code is the exclusive or of the planes
//! at which the codes `2^j`, `2 * 2^j`, `3 * 2^j`... begin. If planes are digits and the table has all values, bit `j`
//! is plane `j`. Otherwise bits are computed from the masks of the values. For eight states at a time, a table of bytes
//! spreads the bits to their places in the sequence. Cost: about a nanosecond for two states.

use super::Bitvector;

const MOST_BITS: usize = 16;
const AT_ONCE: u64 = 8;

pub fn code_bits(values: usize) -> u32 {
    usize::BITS - values.saturating_sub(1).leading_zeros()
}

pub struct Codes<'a> {
    from: &'a Bitvector,
    values: Vec<u32>,
    /// For each bit of the code, the planes whose exclusive or it is; `None` if bits come from the masks of values.
    planes: Option<Vec<Vec<usize>>>,
    kept: Vec<usize>,
    bits: u32,
    /// For each byte, its bits spread apart by the width of a code.
    spread: Vec<u128>,
}

impl<'a> Codes<'a> {
    /// Codes with a table of the values that occur, which one pass over the planes finds.
    pub fn new(from: &'a Bitvector) -> Codes<'a> {
        let counts = from.counts();
        let occurring: Vec<u32> =
            from.values.iter().zip(counts).filter(|(_, count)| *count > 0).map(|(&value, _)| value).collect();
        Codes::of(from, &occurring)
    }

    /// Codes with a given table: some of [`Bitvector::values`] in the same order, including all that occur.
    pub fn of(from: &'a Bitvector, values: &[u32]) -> Codes<'a> {
        let kept: Vec<usize> = (0..from.values.len()).filter(|&index| values.contains(&from.values[index])).collect();
        assert_eq!(kept.len(), values.len(), "a table of values that may occur");
        let bits = code_bits(kept.len());
        // The states with code `c` or above are those of the plane just before the index of the value with code `c`.
        let toggled = |bit: u32| (1 << bit..kept.len()).step_by(1 << bit).map(|code| kept[code] - 1).collect();
        let planes = if from.has_steps() {
            Some((0..bits).map(toggled).collect())
        } else {
            (kept.len() == from.values.len()).then(|| (0..bits as usize).map(|bit| vec![bit]).collect())
        };
        let spread = |byte: u128| (0..8).map(|bit| (byte >> bit & 1) << (bit * bits)).sum();
        Codes {
            from,
            values: kept.iter().map(|&index| from.values[index]).collect(),
            planes,
            bits,
            spread: (0..256).map(spread).collect(),
            kept,
        }
    }

    fn words(&self, word: usize, masks: &mut Vec<u64>, words: &mut [u64]) {
        if let Some(planes) = &self.planes {
            for (target, planes) in words.iter_mut().zip(planes) {
                *target = planes.iter().fold(0, |bits, &plane| bits ^ self.from.plane(plane)[word]);
            }
            return;
        }
        self.from.masks(word, masks);
        words.fill(0);
        for (code, &index) in self.kept.iter().enumerate() {
            let of_bits = words.iter_mut().enumerate().filter(|(bit, _)| code >> bit & 1 == 1);
            of_bits.for_each(|(_, word)| *word |= masks[index]);
        }
    }

    pub fn states(&self) -> u64 {
        self.from.states
    }

    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// Replaces `output` by the codes of `states` states from rank `first` on, a multiple of 64, padded to a byte.
    pub fn write(&self, first: u64, states: u64, output: &mut Vec<u8>) {
        assert!(first.is_multiple_of(64) && first + states <= self.from.states, "{states} states from {first}");
        let bits = self.bits as usize;
        output.clear();
        // Each group of eight states is written as 16 bytes; the next group overwrites what follows the group's codes.
        output.resize((states.div_ceil(64) * 64 / AT_ONCE) as usize * bits + 16, 0);
        let (mut words, mut masks) = ([0u64; MOST_BITS], Vec::new());
        let mut at = 0;
        for word in first / 64..(first + states).div_ceil(64) {
            let rest = first + states - word * 64;
            let mask = if rest < 64 { (1 << rest) - 1 } else { u64::MAX };
            self.words(word as usize, &mut masks, &mut words[..bits]);
            words[..bits].iter_mut().for_each(|word| *word &= mask);
            for shift in (0..64).step_by(AT_ONCE as usize) {
                let mut group = 0;
                for (bit, word) in words[..bits].iter().enumerate() {
                    group |= self.spread[(word >> shift & 255) as usize] << bit;
                }
                output[at..at + 16].copy_from_slice(&group.to_le_bytes());
                at += bits;
            }
        }
        output.truncate((states * bits as u64).div_ceil(8) as usize);
    }
}

impl Bitvector {
    /// Sets the values of `states` states from codes that [`Codes::write`] wrote with a table of all of
    /// [`Bitvector::values`]. The first state has the rank `first`, a multiple of 64. Other states of the last word get
    /// the first value. Returns false if the codes are invalid; some values may be set by then.
    pub fn read_codes(&mut self, first: u64, states: u64, codes: &[u8]) -> bool {
        // SAFETY: nobody else has the bitvector.
        unsafe { self.read_codes_apart(first, states, codes) }
    }

    /// As [`Bitvector::read_codes`], for several threads that each set the values of other states.
    ///
    /// # Safety
    /// During the call, nobody else may read or write a word of a plane that has these states.
    pub unsafe fn read_codes_apart(&self, first: u64, states: u64, codes: &[u8]) -> bool {
        let bits = code_bits(self.values.len()) as usize;
        let fits = first.is_multiple_of(64) && first.checked_add(states).is_some_and(|end| end <= self.states);
        if !fits || codes.len() as u64 != (states * bits as u64).div_ceil(8) {
            return false;
        }
        let mut words = [0u64; MOST_BITS];
        for word in 0..states.div_ceil(64) {
            gather(codes, word as usize * 8 * bits, &mut words[..bits]);
            let rest = states - word * 64;
            let outside = if rest < 64 { u64::MAX << rest } else { 0 };
            if words[..bits].iter().any(|word| word & outside != 0)
                || above(&words[..bits], self.values.len().saturating_sub(1)) != 0
            {
                return false;
            }
            let place = (first / 64 + word) as usize;
            let steps = self.has_steps();
            for index in 0..self.planes.len() {
                let value = if steps { above(&words[..bits], index) } else { words[index] };
                // SAFETY: a word of the plane, by the check above, that is ours by this function's contract.
                unsafe { *self.plane_pointer(index).add(place) = value };
            }
        }
        true
    }
}

/// Sets word `j` to bit `j` of each of the 64 codes from byte `at` on. Codes after the end are zero.
fn gather(codes: &[u8], at: usize, words: &mut [u64]) {
    let bits = words.len();
    words.fill(0);
    if let ([low, high], Some(chunk)) = (&mut *words, codes.get(at..).and_then(|rest| rest.first_chunk::<16>())) {
        // The common case: three or four values, with codes of two bits.
        let pairs = u128::from_le_bytes(*chunk);
        *low = even_bits(pairs);
        *high = even_bits(pairs >> 1);
        return;
    }
    for group in 0..64 / AT_ONCE as usize {
        let start = (at + group * bits).min(codes.len());
        let bytes = &codes[start..codes.len().min(start + bits)];
        let mut eight = [0; 16];
        eight[..bytes.len()].copy_from_slice(bytes);
        let mut eight = u128::from_le_bytes(eight);
        for place in group * 8..group * 8 + 8 {
            for word in &mut *words {
                *word |= (eight as u64 & 1) << place;
                eight >>= 1;
            }
        }
    }
}

/// The bits at even positions, moved together to the low end (Warren, Hacker's Delight, 7-2).
fn even_bits(bits: u128) -> u64 {
    let mut bits = bits & 0x5555_5555_5555_5555_5555_5555_5555_5555;
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333_3333_3333_3333_3333;
    bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f_0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff_00ff_00ff_00ff_00ff;
    bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff_0000_ffff_0000_ffff;
    bits = (bits | bits >> 16) & 0x0000_0000_ffff_ffff_0000_0000_ffff_ffff;
    (bits | bits >> 32) as u64
}

/// The mask of those of 64 codes that are greater than `number`; word `j` of `words` has bit `j` of each code.
fn above(words: &[u64], number: usize) -> u64 {
    let (mut above, mut equal) = (0, u64::MAX);
    for (bit, word) in words.iter().enumerate().rev() {
        if number >> bit & 1 == 0 {
            above |= equal & word;
            equal &= !word;
        } else {
            equal &= word;
        }
    }
    above
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::limits::Limits;
    use base::random::Random;
    use std::sync::Arc;

    /// The codes by their definition.
    fn plain(indices: &[usize], bits: usize) -> Vec<u8> {
        let mut bytes = vec![0u8; (indices.len() * bits).div_ceil(8)];
        for (state, index) in indices.iter().enumerate() {
            for bit in (0..bits).filter(|bit| index >> bit & 1 == 1) {
                let place = state * bits + bit;
                bytes[place / 8] |= 1 << (place % 8);
            }
        }
        bytes
    }

    #[test]
    fn codes_come_back_for_every_number_of_values() {
        let (limits, mut random) = (Arc::new(Limits::unlimited()), Random::new(2));
        for k in (1..=20).chain([255, 256, 257, 600]) {
            for states in [0, 1, 63, 64, 65, 300 + random.below(200)] {
                let used: Vec<usize> = (0..k).filter(|_| random.below(4) > 0).collect();
                let used = if used.is_empty() { vec![k - 1] } else { used };
                let indices: Vec<usize> = (0..states).map(|_| used[random.below(used.len())]).collect();
                let values: Vec<u32> = (0..k as u32).map(|index| 1 + (index * 7) % 2000).collect();
                let vector =
                    Bitvector::from_fn(states as u64, values.clone(), |rank| indices[rank as usize], &limits).unwrap();
                let codes = Codes::new(&vector);
                let occur: Vec<usize> = (0..k).filter(|index| indices.contains(index)).collect();
                assert_eq!(codes.values(), occur.iter().map(|&index| values[index]).collect::<Vec<_>>());
                let bits = code_bits(occur.len()) as usize;
                let position = |index| occur.iter().position(|&other| other == index).unwrap();
                let mut back = Bitvector::new(states as u64, codes.values().to_vec(), &limits).unwrap();
                let mut bytes = Vec::new();
                for first in (0..states).step_by(128) {
                    let count = (states - first).min(128);
                    codes.write(first as u64, count as u64, &mut bytes);
                    let part: Vec<usize> = indices[first..first + count].iter().copied().map(position).collect();
                    assert_eq!(bytes, plain(&part, bits), "{k} values, {states} states");
                    assert!(back.read_codes(first as u64, count as u64, &bytes));
                }
                for rank in 0..states as u64 {
                    assert_eq!(back.value(rank), vector.value(rank));
                }
            }
        }
    }

    #[test]
    fn what_are_no_codes_is_told() {
        let limits = Arc::new(Limits::unlimited());
        let mut three = Bitvector::new(5, vec![4, 5, 6], &limits).unwrap();
        assert!(three.read_codes(0, 5, &[0b1001_0010, 0b01]));
        assert_eq!((0..5).map(|rank| three.value(rank)).collect::<Vec<_>>(), [6, 4, 5, 6, 5]);
        for wrong in [&[0b0011, 0][..], &[0, 0b100], &[0], &[0, 0, 0]] {
            assert!(!three.read_codes(0, 5, wrong), "{wrong:?}");
        }
        assert!(!three.read_codes(64, 5, &[0, 0]) && !three.read_codes(0, 6, &[0, 0]));
    }
}
