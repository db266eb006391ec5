//! Draws by probabilities that are rational numbers. Only whole numbers are used, so no rounding changes a probability.

use base::random::Random;
use game::matrix::Rational;
use num_bigint::BigInt;

/// Draws an index of `probabilities`, which sum to 1, each index with its probability.
pub fn drawn(probabilities: &[Rational], random: &mut Random) -> usize {
    // A random number below the common denominator falls into an interval whose length is the probability.
    let one = BigInt::from(1);
    let common = |common: BigInt, each: &Rational| {
        let missing = Rational::new(each.denom().clone(), common.clone()).numer().clone();
        common * missing
    };
    let whole = probabilities.iter().fold(one, common);
    let number = random.number(whole.magnitude()).expect("a common denominator is at least 1");
    let mut left = BigInt::from(number);
    let holds = |each: &Rational| {
        left -= each.numer() * (&whole / each.denom());
        left < BigInt::ZERO
    };
    probabilities.iter().position(holds).expect("probabilities sum up to 1")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each index is drawn about as often as its probability says.
    #[test]
    fn places_are_drawn_as_likely_as_they_are() {
        let numbers = [(1, 6), (0, 1), (1, 2), (1, 4), (1, 12)];
        let probabilities = numbers.map(|(above, below): (i64, i64)| Rational::new(above.into(), below.into()));
        let (mut random, mut seen) = (Random::new(5), [0i64; 5]);
        (0..12_000).for_each(|_| seen[drawn(&probabilities, &mut random)] += 1);
        for (seen, (above, below)) in seen.into_iter().zip(numbers) {
            let expected = 12_000 * above / below;
            assert!((seen - expected).abs() <= 4 * (expected as f64).sqrt() as i64, "{seen} of {expected}");
        }
        assert_eq!(drawn(&[Rational::from_integer(1.into())], &mut random), 0);
    }
}
