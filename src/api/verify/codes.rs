//! Codes in a file of values by rank: iterates over them, counts each code, and finds the n-th occurrence of a code for
//! given n. Cost: codes of 1, 2, 4 or 8 bits are counted a word at a time, in some tenths of a nanosecond per state and
//! code. Other codes are counted one by one, in about two nanoseconds.

use base::limits::Limits;
use base::random::Random;
use solving::solution::ReadError;
use solving::store::{Opener, Ranked};

/// If there are more different codes than this, states are counted one by one.
const FEW: usize = 16;

fn bits_of(ranked: &Ranked) -> u32 {
    ranked.values().len().next_power_of_two().trailing_zeros()
}

struct Codes<'b> {
    bytes: &'b [u8],
    bits: u32,
    states: u64,
}

impl<'b> Codes<'b> {
    fn new(bytes: &'b [u8], bits: u32, states: u64) -> Result<Self, &'static str> {
        let length = states * u64::from(bits);
        if (bytes.len() as u64) < length.div_ceil(8) {
            return Err("a block is cut short");
        }
        let (end, rest) = ((length / 8) as usize, length % 8);
        let last = bytes.get(end).filter(|_| rest > 0).map_or(0, |byte| byte >> rest);
        if last != 0 || bytes.len() as u64 > length.div_ceil(8) {
            return Err("something behind the last code of a block");
        }
        Ok(Codes { bytes, bits, states })
    }

    fn each(&self, mut take: impl FnMut(usize)) {
        let mut bytes = self.bytes.iter();
        let (mut window, mut held) = (0u32, 0);
        for _ in 0..self.states {
            while held < self.bits {
                window |= u32::from(*bytes.next().expect("the length was looked at")) << held;
                held += 8;
            }
            take((window & ((1 << self.bits) - 1)) as usize);
            window >>= self.bits;
            held -= self.bits;
        }
    }

    fn fills_words(&self) -> bool {
        matches!(self.bits, 1 | 2 | 4 | 8)
    }

    /// By word: the mask of the states with this code. The lowest bit of a code stands for its state.
    fn matches(&self, code: usize) -> impl Iterator<Item = u64> {
        let each = 64 / self.bits;
        let lowest = u64::MAX / ((1 << self.bits) - 1);
        let (pattern, bits, states) = (lowest * code as u64, self.bits, self.states);
        self.bytes.chunks(8).zip((0..).step_by(each as usize)).map(move |(chunk, first): (_, u64)| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let mut differs = u64::from_le_bytes(word) ^ pattern;
            let mut shift = 1;
            while shift < bits {
                differs |= differs >> shift;
                shift *= 2;
            }
            let present = (states - first).min(each.into());
            let inside = if present < u64::from(each) { (1 << (present * u64::from(bits))) - 1 } else { u64::MAX };
            !differs & lowest & inside
        })
    }

    fn count(&self, counts: &mut [u64]) {
        if !self.fills_words() || counts.len() > FEW {
            return self.each(|code| counts[code] += 1);
        }
        for (code, count) in counts.iter_mut().enumerate() {
            *count += self.matches(code).map(|word| u64::from(word.count_ones())).sum::<u64>();
        }
    }

    /// Finds some of the states that have this code: for each of the ascending numbers n, calls `found` with the index
    /// in the block of the n-th such state, from 0 on.
    fn find(&self, code: usize, numbers: &[u64], mut found: impl FnMut(u64)) {
        let (mut seen, mut numbers) = (0, numbers.iter().peekable());
        if !self.fills_words() {
            let mut place = 0;
            return self.each(|other| {
                if other == code {
                    if numbers.next_if(|number| **number == seen).is_some() {
                        found(place);
                    }
                    seen += 1;
                }
                place += 1;
            });
        }
        let each = u64::from(64 / self.bits);
        for (mut word, first) in self.matches(code).zip((0..).step_by(each as usize)) {
            if numbers.peek().is_none() {
                return;
            }
            let end = seen + u64::from(word.count_ones());
            while let Some(number) = numbers.next_if(|number| **number < end) {
                // The numbers ascend, so the marks of earlier states can be cleared.
                while seen < *number {
                    word &= word - 1;
                    seen += 1;
                }
                found(first + u64::from(word.trailing_zeros() / self.bits));
            }
            seen = end;
        }
    }
}

fn for_each_block(ranked: &Ranked, limits: &Limits, mut take: impl FnMut(u64, &Codes)) -> Result<(), ReadError> {
    let (mut opener, mut block) = (Opener::default(), Vec::new());
    for number in 0..ranked.blocks() {
        limits.check()?;
        ranked.open_block(number, &mut opener, &mut block)?;
        let states = (ranked.states() - number * ranked.block_states()).min(ranked.block_states());
        let codes = Codes::new(&block, bits_of(ranked), states).map_err(|what| ranked.file().damaged(what))?;
        take(number, &codes);
    }
    Ok(())
}

/// Calls `take` with rank and code of every state, ascending. A damaged file may have codes out of range.
pub fn for_each_code(ranked: &Ranked, limits: &Limits, mut take: impl FnMut(u64, usize)) -> Result<(), ReadError> {
    let mut rank = 0;
    for_each_block(ranked, limits, |_, codes| {
        codes.each(|code| {
            take(rank, code);
            rank += 1;
        });
    })
}

/// By code, including codes out of range: the number of states.
pub fn totals(ranked: &Ranked, limits: &Limits) -> Result<Vec<u64>, ReadError> {
    let mut counts = vec![0; 1 << bits_of(ranked)];
    for_each_block(ranked, limits, |_, codes| codes.count(&mut counts))?;
    Ok(counts)
}

/// At most `most` different random numbers below `total`, ascending; all of them if there are at most `most`.
pub fn numbers(total: u64, most: u64, random: &mut Random) -> Vec<u64> {
    if total <= most {
        return (0..total).collect();
    }
    let below = usize::try_from(total).unwrap_or(usize::MAX);
    let mut drawn: Vec<u64> = (0..most).map(|_| random.below(below) as u64).collect();
    drawn.sort_unstable();
    drawn.dedup();
    drawn
}

/// The ranks of at most `most` random states with each code; `totals` is the result of [`totals`].
pub fn draw(
    ranked: &Ranked,
    totals: &[u64],
    most: u64,
    random: &mut Random,
    limits: &Limits,
) -> Result<Vec<u64>, ReadError> {
    let mut wanted: Vec<Vec<u64>> = totals.iter().map(|total| numbers(*total, most, random)).collect();
    let (mut seen, mut ranks) = (vec![0; totals.len()], Vec::new());
    for_each_block(ranked, limits, |number, codes| {
        let mut here = vec![0; totals.len()];
        codes.count(&mut here);
        for (code, wanted) in wanted.iter_mut().enumerate() {
            let until = wanted.partition_point(|number| *number < seen[code] + here[code]);
            let mut numbers: Vec<u64> = wanted.drain(..until).collect();
            numbers.iter_mut().for_each(|number| *number -= seen[code]);
            if !numbers.is_empty() {
                codes.find(code, &numbers, |place| ranks.push(number * ranked.block_states() + place));
            }
            seen[code] += here[code];
        }
    })?;
    Ok(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_counted_and_found() {
        let mut random = Random::new(1);
        for bits in 0..=9u32 {
            for states in [0, 1, 7, 63, 64, 65, 300] {
                let codes: Vec<usize> = (0..states).map(|_| random.below(1 << bits)).collect();
                let mut bytes = vec![0u8; (states * bits as usize).div_ceil(8)];
                for (index, code) in codes.iter().enumerate() {
                    for bit in (0..bits as usize).filter(|bit| code >> bit & 1 == 1) {
                        let place = index * bits as usize + bit;
                        bytes[place / 8] |= 1 << (place % 8);
                    }
                }
                let block = Codes::new(&bytes, bits, states as u64).unwrap();
                let mut each = Vec::new();
                block.each(|code| each.push(code));
                assert_eq!(each, codes);
                let mut counts = vec![0; 1 << bits];
                block.count(&mut counts);
                for (code, count) in counts.iter().enumerate() {
                    let places: Vec<u64> =
                        (0..).zip(&codes).filter(|(_, own)| **own == code).map(|(at, _)| at).collect();
                    assert_eq!(*count, places.len() as u64);
                    let numbers = numbers(*count, 5, &mut random);
                    let mut found = Vec::new();
                    block.find(code, &numbers, |place| found.push(place));
                    let expected: Vec<u64> = numbers.iter().map(|number| places[*number as usize]).collect();
                    assert_eq!(found, expected, "{bits} bits, {states} states");
                }
                if bits > 0 && states > 0 {
                    assert!(Codes::new(&bytes[1..], bits, states as u64).is_err());
                    bytes.push(1);
                    assert!(Codes::new(&bytes, bits, states as u64).is_err());
                }
            }
        }
    }
}
