//! Rational numbers of any size.
//!
//! The arithmetic is that of `num-rational`, except for comparison and hash. In that library, both follow the continued
//! fraction of a number, with a recursive call for each term, and numbers of games with many plies have tens of
//! thousands of terms. Here, comparison uses products, and the hash uses numerator and denominator.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};
use std::str::FromStr;

use num_bigint::{BigInt, Sign};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// An exact number: numerator and denominator of any size, without a common factor, the denominator positive.
#[derive(Clone, Debug)]
pub struct Rational(BigRational);

impl Rational {
    /// The quotient of two numbers.
    ///
    /// # Panics
    /// If the denominator is 0.
    pub fn new(numerator: BigInt, denominator: BigInt) -> Rational {
        Rational(BigRational::new(numerator, denominator))
    }

    /// The numbers must have no common factor, and the denominator must be positive.
    pub(super) fn new_raw(numerator: BigInt, denominator: BigInt) -> Rational {
        Rational(BigRational::new_raw(numerator, denominator))
    }

    pub fn from_integer(number: BigInt) -> Rational {
        Rational(BigRational::from_integer(number))
    }

    pub fn numer(&self) -> &BigInt {
        self.0.numer()
    }

    pub fn denom(&self) -> &BigInt {
        self.0.denom()
    }

    pub fn is_integer(&self) -> bool {
        self.0.is_integer()
    }

    pub fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    /// The value, if it is a whole number that fits.
    pub fn to_i64(&self) -> Option<i64> {
        self.numer().to_i64().filter(|_| self.is_integer())
    }

    pub fn floor(&self) -> BigInt {
        self.0.floor().to_integer()
    }

    /// The nearest float, or an infinity.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().expect("a rational number has a float or an infinity beside it")
    }
}

impl PartialEq for Rational {
    fn eq(&self, other: &Rational) -> bool {
        self.denom() == other.denom() && self.numer() == other.numer()
    }
}

impl Eq for Rational {}

impl Hash for Rational {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.numer(), self.denom()).hash(state);
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        let signs = |number: &Rational| match number.numer().sign() {
            Sign::Minus => -1,
            Sign::NoSign => 0,
            Sign::Plus => 1,
        };
        match signs(self).cmp(&signs(other)) {
            Ordering::Equal if self.denom() == other.denom() => self.numer().cmp(other.numer()),
            Ordering::Equal => (self.numer() * other.denom()).cmp(&(other.numer() * self.denom())),
            order => order,
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Rational {
    type Err = num_rational::ParseRatioError;

    fn from_str(text: &str) -> Result<Rational, Self::Err> {
        text.parse().map(Rational)
    }
}

impl Zero for Rational {
    fn zero() -> Rational {
        Rational(BigRational::zero())
    }

    fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
}

impl One for Rational {
    fn one() -> Rational {
        Rational(BigRational::one())
    }
}

macro_rules! operation {
    ($operation:ident, $name:ident) => {
        impl $operation<&Rational> for &Rational {
            type Output = Rational;

            fn $name(self, other: &Rational) -> Rational {
                Rational((&self.0).$name(&other.0))
            }
        }

        impl $operation<&Rational> for Rational {
            type Output = Rational;

            fn $name(self, other: &Rational) -> Rational {
                Rational(self.0.$name(&other.0))
            }
        }

        impl $operation<Rational> for &Rational {
            type Output = Rational;

            fn $name(self, other: Rational) -> Rational {
                Rational((&self.0).$name(other.0))
            }
        }

        impl $operation for Rational {
            type Output = Rational;

            fn $name(self, other: Rational) -> Rational {
                Rational(self.0.$name(other.0))
            }
        }
    };
}

operation!(Add, add);
operation!(Sub, sub);
operation!(Mul, mul);
operation!(Div, div);

impl AddAssign<&Rational> for Rational {
    fn add_assign(&mut self, other: &Rational) {
        self.0 += &other.0;
    }
}

impl Neg for Rational {
    type Output = Rational;

    fn neg(self) -> Rational {
        Rational(-self.0)
    }
}

impl Neg for &Rational {
    type Output = Rational;

    fn neg(self) -> Rational {
        Rational(-&self.0)
    }
}

impl Sum for Rational {
    fn sum<I: Iterator<Item = Rational>>(numbers: I) -> Rational {
        numbers.fold(Rational::zero(), |sum, number| sum + &number)
    }
}

impl<'a> Sum<&'a Rational> for Rational {
    fn sum<I: Iterator<Item = &'a Rational>>(numbers: I) -> Rational {
        numbers.fold(Rational::zero(), |sum, number| sum + number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;

    #[test]
    fn numbers_are_ordered_as_their_fractions_are() {
        let mut all: Vec<(i64, i64)> = (-12..=12).flat_map(|above| (1..=7).map(move |below| (above, below))).collect();
        all.sort_by(|one, other| (one.0 * other.1).cmp(&(other.0 * one.1)));
        let numbers: Vec<Rational> = all.iter().map(|&(a, b)| Rational::new(a.into(), b.into())).collect();
        for (one, &(a, b)) in numbers.iter().zip(&all) {
            for (other, &(c, d)) in numbers.iter().zip(&all) {
                assert_eq!(one.cmp(other), (a * d).cmp(&(c * b)), "{one} {other}");
                assert_eq!(one == other, a * d == c * b);
            }
        }
        let distinct: FxHashSet<&Rational> = numbers.iter().collect();
        let sorted: std::collections::BTreeSet<&Rational> = numbers.iter().collect();
        assert_eq!(distinct.len(), sorted.len());
    }

    /// The fractions of consecutive Fibonacci numbers have the longest continued fractions for their size.
    #[test]
    fn numbers_with_long_continued_fractions_are_compared_and_kept_in_sets() {
        let (mut last, mut next) = (BigInt::from(1), BigInt::from(1));
        for _ in 0..200_000 {
            let sum = &last + &next;
            last = std::mem::replace(&mut next, sum);
        }
        let sum = &last + &next;
        let [one, other] = [Rational::new(last, next.clone()), Rational::new(next, sum)];
        assert_ne!(one, other);
        assert_ne!(one.cmp(&other), Ordering::Equal);
        assert_eq!(one.cmp(&other), other.cmp(&one).reverse());
        assert_eq!(FxHashSet::from_iter([one.clone(), other, one]).len(), 2);
    }
}
