//! Whole numbers for the simplex method: machine numbers while they suffice, or numbers of any size.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::Ratio;
use num_traits::{Signed, ToPrimitive, Zero};

use super::Rational;

/// A kind of whole numbers. Operations return `None` if the result does not fit.
pub trait Number: Clone + Ord + From<i32> {
    fn of(number: &BigInt) -> Option<Self>;
    fn times(&self, other: &Self) -> Option<Self>;
    fn plus(&self, other: &Self) -> Option<Self>;
    fn minus(&self, other: &Self) -> Option<Self>;
    /// The quotient of a number that can be divided without remainder.
    fn divided(&self, by: &Self) -> Self;
    fn multiple(&self, other: &Self) -> Option<Self>;
    fn divisor(&self, other: &Self) -> Self;
    /// `(self · pivot − left · right) / last`, which is whole; `last` is positive.
    fn exchanged(&self, pivot: &Self, left: &Self, right: &Self, last: &Self) -> Option<Self>;
    /// Compares the fractions `self / left` and `other / right`, whose denominators are positive.
    fn compare_ratio(&self, left: &Self, other: &Self, right: &Self) -> Option<Ordering>;
    /// The denominator must be positive.
    fn ratio(numerator: &Self, denominator: &Self) -> Rational;
    fn bits(&self) -> u64;
    /// Whether numbers take memory on the heap.
    const GROWS: bool;
}

macro_rules! machine {
    ($number:ty, $of:ident) => {
        fn of(number: &BigInt) -> Option<Self> {
            number.$of()
        }
        fn times(&self, other: &Self) -> Option<Self> {
            self.checked_mul(*other)
        }
        fn plus(&self, other: &Self) -> Option<Self> {
            self.checked_add(*other)
        }
        fn minus(&self, other: &Self) -> Option<Self> {
            self.checked_sub(*other)
        }
        fn divided(&self, by: &Self) -> Self {
            self / by
        }
        fn multiple(&self, other: &Self) -> Option<Self> {
            (self / self.gcd(other)).checked_mul(*other)
        }
        fn divisor(&self, other: &Self) -> Self {
            self.gcd(other)
        }
        fn ratio(numerator: &Self, denominator: &Self) -> Rational {
            let (numerator, denominator) = Ratio::new(*numerator, *denominator).into_raw();
            Rational::new_raw(numerator.into(), denominator.into())
        }
        fn bits(&self) -> u64 {
            u64::from(<$number>::BITS - self.unsigned_abs().leading_zeros())
        }
        const GROWS: bool = false;
    };
}

impl Number for i64 {
    machine!(i64, to_i64);

    fn exchanged(&self, pivot: &Self, left: &Self, right: &Self, last: &Self) -> Option<Self> {
        let wide = |a: &i64, b: &i64| i128::from(*a) * i128::from(*b);
        // Each product is at most 2¹²⁶.
        let difference = wide(self, pivot) - wide(left, right);
        match i64::try_from(difference) {
            Ok(difference) => Some(if *last == 1 { difference } else { difference / last }),
            Err(_) => i64::try_from(difference / i128::from(*last)).ok(),
        }
    }

    fn compare_ratio(&self, left: &Self, other: &Self, right: &Self) -> Option<Ordering> {
        Some((i128::from(*self) * i128::from(*right)).cmp(&(i128::from(*other) * i128::from(*left))))
    }
}

impl Number for i128 {
    machine!(i128, to_i128);

    fn exchanged(&self, pivot: &Self, left: &Self, right: &Self, last: &Self) -> Option<Self> {
        Some(self.checked_mul(*pivot)?.checked_sub(left.checked_mul(*right)?)? / last)
    }

    fn compare_ratio(&self, left: &Self, other: &Self, right: &Self) -> Option<Ordering> {
        Some(self.checked_mul(*right)?.cmp(&other.checked_mul(*left)?))
    }
}

impl Number for BigInt {
    fn of(number: &BigInt) -> Option<Self> {
        Some(number.clone())
    }

    fn times(&self, other: &Self) -> Option<Self> {
        Some(self * other)
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        Some(self + other)
    }

    fn minus(&self, other: &Self) -> Option<Self> {
        Some(self - other)
    }

    fn divided(&self, by: &Self) -> Self {
        self / by
    }

    fn multiple(&self, other: &Self) -> Option<Self> {
        Some(self / self.divisor(other) * other)
    }

    /// Euclid's first step makes both numbers about equally long. The library's binary algorithm then takes quadratic
    /// time; without this step, it would take as many steps as the longer number has bits.
    fn divisor(&self, other: &Self) -> Self {
        let (small, large) = if BigInt::bits(self) < BigInt::bits(other) { (self, other) } else { (other, self) };
        if small.is_zero() { large.abs() } else { small.gcd(&(large % small)) }
    }

    fn exchanged(&self, pivot: &Self, left: &Self, right: &Self, last: &Self) -> Option<Self> {
        Some((self * pivot - left * right) / last)
    }

    fn compare_ratio(&self, left: &Self, other: &Self, right: &Self) -> Option<Ordering> {
        Some((self * right).cmp(&(other * left)))
    }

    fn ratio(numerator: &Self, denominator: &Self) -> Rational {
        Rational::new(numerator.clone(), denominator.clone())
    }

    fn bits(&self) -> u64 {
        BigInt::bits(self)
    }

    const GROWS: bool = true;
}
