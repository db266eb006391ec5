//! Parallel bit extract and deposit (Hilewitz and Lee 2006): instructions of the processor, or a loop over bits.

use crate::Context;

pub trait Bits {
    /// The bits of `word` at the set bits of `mask`, moved together to the low end.
    fn extract(word: u64, mask: u64) -> u64;
    /// The low bits of `word`, moved apart to the set bits of `mask`.
    fn deposit(word: u64, mask: u64) -> u64;
    /// The bits of `word` at the set bits of `image`, moved in order to the set bits of `guard`.
    #[inline(always)]
    fn spread(word: u64, image: u64, guard: u64) -> u64 {
        Self::deposit(Self::extract(word, image), guard)
    }
}

/// Number of bits that one unaligned load of a word contains from any bit address on.
pub const WINDOW: u64 = 57;

/// The bits from bit `at` on, by a single load; only the lowest [`WINDOW`] are valid.
///
/// # Safety
/// Another word must follow the one with this bit.
#[inline(always)]
pub unsafe fn narrow(words: &[u64], at: u64) -> u64 {
    debug_assert!((at >> 6) as usize + 1 < words.len());
    // SAFETY: by this function's contract.
    let word = unsafe { words.as_ptr().cast::<u8>().add((at >> 3) as usize).cast::<u64>().read_unaligned() };
    u64::from_le(word) >> (at & 7)
}

/// Changes the 64 bits from the byte `byte` on, by a load and a store.
#[inline(always)]
pub fn change(words: &mut [u64], byte: usize, change: impl FnOnce(u64) -> u64) {
    assert!(byte + size_of::<u64>() <= size_of_val(words), "the bits lie in the words");
    // SAFETY: by this test, the bytes belong to the words.
    unsafe {
        let word = words.as_mut_ptr().cast::<u8>().add(byte).cast::<u64>();
        word.write_unaligned(change(u64::from_le(word.read_unaligned())).to_le());
    }
}

/// The 64 bits from bit `at` on; another word must follow the one with this bit.
#[inline(always)]
pub fn window(words: &[u64], at: u64) -> u64 {
    let (word, shift) = ((at >> 6) as usize, at & 63);
    // Two shifts, because a shift by 64 is not defined.
    words[word] >> shift | words[word + 1] << 1 << (63 - shift)
}

struct Portable;

impl Bits for Portable {
    #[inline]
    fn extract(word: u64, mut mask: u64) -> u64 {
        let (mut result, mut place) = (0, 0);
        while mask != 0 {
            result |= (word >> mask.trailing_zeros() & 1) << place;
            place += 1;
            mask &= mask - 1;
        }
        result
    }

    #[inline]
    fn deposit(mut word: u64, mut mask: u64) -> u64 {
        let mut result = 0;
        while mask != 0 {
            let lowest = mask & mask.wrapping_neg();
            result |= if word & 1 == 1 { lowest } else { 0 };
            word >>= 1;
            mask ^= lowest;
        }
        result
    }
}

/// With instructions of BMI2; may be used only if [`has_fast_bits`] returns true.
#[cfg(target_arch = "x86_64")]
struct Fast;

#[cfg(target_arch = "x86_64")]
impl Bits for Fast {
    #[inline(always)]
    fn extract(word: u64, mask: u64) -> u64 {
        // SAFETY: `Fast` is used only if the processor has BMI2.
        unsafe { core::arch::x86_64::_pext_u64(word, mask) }
    }

    #[inline(always)]
    fn deposit(word: u64, mask: u64) -> u64 {
        // SAFETY: `Fast` is used only if the processor has BMI2.
        unsafe { core::arch::x86_64::_pdep_u64(word, mask) }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_fast_bits() -> bool {
    std::arch::is_x86_feature_detected!("bmi2")
}

/// Work on bits. `run` must always be inlined: a separate function would lack the instructions of `B`.
pub trait Work {
    fn run<B: Bits>(self);
}

/// Does work with the fastest bits that the processor has.
pub fn by_bits(context: &Context, work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    if has_fast_bits() && !context.manner.portable {
        // SAFETY: the processor has the instructions.
        return unsafe { fast(work) };
    }
    let _ = context;
    work.run::<Portable>();
}

/// # Safety
/// The processor must have the instructions of BMI2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2")]
unsafe fn fast(work: impl Work) {
    work.run::<Fast>();
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn both_ways_agree_and_are_inverse_on_the_mask() {
        let mut random = Random::new(5);
        for _ in 0..1000 {
            let mut word = || (random.below(1 << 32) as u64) << 32 | random.below(1 << 32) as u64;
            let (word, mask) = (word(), word() & word());
            let extracted = Portable::extract(word, mask);
            assert_eq!(Portable::deposit(extracted, mask), word & mask);
            assert_eq!(extracted >> mask.count_ones(), 0);
            #[cfg(target_arch = "x86_64")]
            if has_fast_bits() {
                assert_eq!((Fast::extract(word, mask), Fast::deposit(word, mask)), {
                    (extracted, Portable::deposit(word, mask))
                });
            }
        }
    }
}
