//! A small reproducible source of pseudo-random numbers: SplitMix64 (Steele, Lea and Flood 2014).

use std::hash::{BuildHasher, RandomState};

use num_bigint::BigUint;

/// An unpredictable seed: the keys of a hasher are random.
pub fn new_seed() -> u64 {
    RandomState::new().hash_one(()) >> 32
}

/// A stream of numbers that depends only on its seed, on every machine and in every version.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// A number below `bound` (0 if `bound` is 0), all about equally likely.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.word()) * bound as u128) >> 64) as usize
    }

    /// A number below `bound` of any size, all exactly equally likely; `None` if `bound` is 0. Draws numbers of as many
    /// bits as the bound until one is below it: at most two on average.
    pub fn number(&mut self, bound: &BigUint) -> Option<BigUint> {
        let bits = bound.bits();
        if bits == 0 {
            return None;
        }
        loop {
            let words = (0..bits.div_ceil(32)).map(|_| (self.word() >> 32) as u32).collect();
            let number = BigUint::new(words) >> (bits.div_ceil(32) * 32 - bits);
            if number < *bound {
                return Some(number);
            }
        }
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Brings elements into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, elements: &mut [T]) {
        for last in (1..elements.len()).rev() {
            elements.swap(last, self.below(last + 1));
        }
    }

    pub fn choose<'a, T>(&mut self, elements: &'a [T]) -> Option<&'a T> {
        elements.get(self.below(elements.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_the_reference_implementation() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.word(), 6_457_827_717_110_365_317);
        assert_eq!(random.word(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn numbers_stay_below_their_bound() {
        let mut random = Random::new(1);
        let mut seen = [0; 6];
        (0..6000).for_each(|_| seen[random.below(6)] += 1);
        assert!(seen.iter().all(|&count| count > 800));
        assert_eq!(random.below(0), 0);
    }

    #[test]
    fn numbers_of_any_size_stay_below_their_bound() {
        let mut random = Random::new(2);
        let mut seen = [0; 5];
        (0..5000).for_each(|_| {
            let number = random.number(&5u32.into()).expect("there are numbers below 5");
            seen[number.iter_u64_digits().next().unwrap_or(0) as usize] += 1;
        });
        assert!(seen.iter().all(|&count| count > 850), "{seen:?}");
        let bound = BigUint::from(3u32) << 200;
        let high = (0..900).filter(|_| random.number(&bound).expect("not 0") >= BigUint::from(1u32) << 201).count();
        assert!((220..380).contains(&high), "{high} of 900 in the upper third");
        assert_eq!(random.number(&BigUint::ZERO), None);
    }
}
