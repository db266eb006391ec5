//! Arithmetic modulo a prime, for linear equations whose solutions are proved elsewhere. Numbers are below the prime.

/// A prime that is larger than any number of layers.
pub const PRIME: u64 = (1 << 61) - 1;

pub fn add(left: u64, right: u64) -> u64 {
    (left + right) % PRIME
}

pub fn multiply(left: u64, right: u64) -> u64 {
    (u128::from(left) * u128::from(right) % u128::from(PRIME)) as u64
}

/// The additive inverse of a number.
pub fn negative(number: u64) -> u64 {
    (PRIME - number) % PRIME
}

/// The multiplicative inverse of a number other than 0, by Fermat's theorem.
pub fn inverse(number: u64) -> u64 {
    let (mut power, mut left, mut result) = (number, PRIME - 2, 1);
    while left > 0 {
        if left & 1 == 1 {
            result = multiply(result, power);
        }
        power = multiply(power, power);
        left >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_are_those_of_sums_and_products() {
        for number in [1, 2, 3, 60, 1 << 20, PRIME / 2, PRIME - 2, PRIME - 1] {
            assert_eq!(multiply(number, inverse(number)), 1);
            assert_eq!(add(number, negative(number)), 0);
        }
        assert_eq!(negative(0), 0);
    }
}
