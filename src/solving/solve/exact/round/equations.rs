//! Systems of linear equations for means: each unknown is a weighted mean of others and of known numbers.
//!
//! Unknowns are eliminated one after the other, first those with the fewest equations and terms (Markowitz). Weights are
//! whole numbers, and an equation is divided by the common divisor of its numbers, so that no fraction is reduced before
//! the end. The same elimination with floating-point numbers gives a guide. Cost: that of the weights that come up on
//! the way, of which there are few if the unknowns depend on each other like the places of a track.

use base::limits::{Account, LimitReached};
use game::matrix::Rational;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// `divisor · unknown = sum of weight · other unknown + rest`. Weights are positive; the divisor is larger than their
/// sum, or there is a way to an unknown for which it is.
#[derive(Debug, Clone)]
pub struct Equation<N> {
    pub divisor: N,
    /// By unknown, ascending.
    pub weights: Vec<(u32, N)>,
    pub rest: N,
}

/// An exact number with its approximation, which is enough for most comparisons.
#[derive(Debug, Clone)]
pub struct Near {
    pub exact: Rational,
    pub near: f64,
}

impl Near {
    pub fn new(exact: Rational) -> Near {
        Near { near: exact.to_f64(), exact }
    }
}

/// A kind of numbers in equations, and of the unknowns.
pub trait Weight: Clone {
    type Unknown: Clone;

    fn of(number: u32) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    /// Divides both numbers by the same one.
    fn shortened(one: &Self, other: &Self) -> (Self, Self);
    /// Divides all numbers of an equation by the same one.
    fn shorten(equation: &mut Equation<Self>);
    fn bytes(&self) -> u64;
    fn bytes_of(unknown: &Self::Unknown) -> u64;
    /// The unknown of an equation whose other unknowns are known. `scale`: what the rest is to be divided by, too.
    fn unknown(equation: &Equation<Self>, known: &[Option<Self::Unknown>], scale: &Self) -> Self::Unknown;
}

impl Weight for f64 {
    type Unknown = f64;

    fn of(number: u32) -> f64 {
        number.into()
    }

    fn plus(&self, other: &f64) -> f64 {
        self + other
    }

    fn minus(&self, other: &f64) -> f64 {
        self - other
    }

    fn times(&self, other: &f64) -> f64 {
        self * other
    }

    fn shortened(one: &f64, other: &f64) -> (f64, f64) {
        (one / other, 1.0)
    }

    fn shorten(equation: &mut Equation<f64>) {
        let by = equation.divisor;
        equation.weights.iter_mut().for_each(|(_, weight)| *weight /= by);
        (equation.rest, equation.divisor) = (equation.rest / by, 1.0);
    }

    fn bytes(&self) -> u64 {
        16
    }

    fn bytes_of(_: &f64) -> u64 {
        size_of::<f64>() as u64
    }

    fn unknown(equation: &Equation<f64>, known: &[Option<f64>], scale: &f64) -> f64 {
        let others = equation.weights.iter().map(|(other, weight)| weight * known[*other as usize].unwrap_or_default());
        (others.sum::<f64>() + equation.rest / scale) / equation.divisor
    }
}

/// The greatest common divisor of positive numbers, of which one may be much longer than the other.
fn divisor(one: &BigInt, other: &BigInt) -> BigInt {
    let (small, large) = if one.bits() < other.bits() { (one, other) } else { (other, one) };
    if small.is_zero() { large.clone() } else { small.gcd(&(large % small)) }
}

/// The least common multiple.
pub fn multiple(one: BigInt, other: &BigInt) -> BigInt {
    if (&one % other).is_zero() { one } else { &one / divisor(&one, other) * other }
}

impl Weight for BigInt {
    type Unknown = Near;

    fn of(number: u32) -> BigInt {
        number.into()
    }

    fn plus(&self, other: &BigInt) -> BigInt {
        self + other
    }

    fn minus(&self, other: &BigInt) -> BigInt {
        self - other
    }

    fn times(&self, other: &BigInt) -> BigInt {
        self * other
    }

    fn shortened(one: &BigInt, other: &BigInt) -> (BigInt, BigInt) {
        let by = divisor(one, other);
        if by.is_one() { (one.clone(), other.clone()) } else { (one / &by, other / &by) }
    }

    fn shorten(equation: &mut Equation<BigInt>) {
        let mut by = equation.divisor.clone();
        for number in equation.weights.iter().map(|(_, weight)| weight).chain([&equation.rest]) {
            if by.is_one() {
                return;
            }
            by = divisor(&by, number);
        }
        if !by.is_one() {
            equation.weights.iter_mut().for_each(|(_, weight)| *weight /= &by);
            equation.divisor /= &by;
            equation.rest /= &by;
        }
    }

    fn bytes(&self) -> u64 {
        self.bits() / 8 + 40
    }

    fn bytes_of(Near { exact, .. }: &Near) -> u64 {
        exact.numer().bytes() + exact.denom().bytes()
    }

    fn unknown(equation: &Equation<BigInt>, known: &[Option<Near>], scale: &BigInt) -> Near {
        // Most denominators are the same, or divide another one.
        let (mut above, mut below) = (equation.rest.clone(), scale.clone());
        for (other, weight) in &equation.weights {
            let Some(Near { exact: other, .. }) = &known[*other as usize] else { continue };
            let (own, more) = match other.denom() == &below {
                true => (BigInt::one(), BigInt::one()),
                false => {
                    let common = divisor(other.denom(), &below);
                    (other.denom() / &common, &below / &common)
                }
            };
            above = above * &own + weight * other.numer() * more;
            below *= own;
        }
        Near::new(Rational::new(above, below * &equation.divisor))
    }
}

/// The unknowns. `scale`: the rests are multiplied by this number. `done` hears of the number of unknowns that are left.
pub fn solved<N: Weight>(
    equations: Vec<Equation<N>>,
    scale: &N,
    account: &mut Account,
    mut left: impl FnMut(usize),
) -> Result<Vec<N::Unknown>, LimitReached> {
    let count = equations.len();
    // By unknown: the equations that have it.
    let mut having: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (own, equation) in (0..).zip(&equations) {
        equation.weights.iter().for_each(|(other, _)| having[*other as usize].push(own));
    }
    let mut bytes: u64 = equations.iter().map(Equation::bytes).sum();
    let mut open: Vec<Option<Equation<N>>> = equations.into_iter().map(Some).collect();
    let cost = |open: &[Option<Equation<N>>], having: &[Vec<u32>], unknown: u32| {
        let terms = open[unknown as usize].as_ref().map_or(0, |equation| equation.weights.len());
        Reverse((terms * having[unknown as usize].len(), unknown))
    };
    let mut heap: BinaryHeap<Reverse<(usize, u32)>> =
        (0..count as u32).map(|unknown| cost(&open, &having, unknown)).collect();
    let mut order: Vec<(u32, Equation<N>)> = Vec::with_capacity(count);
    while let Some(next) = heap.pop() {
        let Reverse((_, unknown)) = next;
        if open[unknown as usize].is_none() || cost(&open, &having, unknown) != next {
            continue;
        }
        account.check()?;
        let own = open[unknown as usize].take().expect("it is open");
        let users = std::mem::take(&mut having[unknown as usize]);
        for (other, _) in &own.weights {
            having[*other as usize].retain(|user| *user != unknown);
        }
        for user in users {
            let Some(equation) = &mut open[user as usize] else { continue };
            account.check()?;
            let before = equation.bytes();
            for other in equation.replace(user, unknown, &own) {
                having[other as usize].push(user);
            }
            bytes = bytes + equation.bytes() - before;
            account.grow_to(bytes)?;
            heap.push(cost(&open, &having, user));
        }
        own.weights.iter().for_each(|(other, _)| heap.push(cost(&open, &having, *other)));
        order.push((unknown, own));
        left(count - order.len());
    }
    let mut known: Vec<Option<N::Unknown>> = vec![None; count];
    for (unknown, equation) in order.iter().rev() {
        account.check()?;
        let found = N::unknown(equation, &known, scale);
        account.add(N::bytes_of(&found))?;
        known[*unknown as usize] = Some(found);
    }
    Ok(known.into_iter().flatten().collect())
}

impl<N: Weight> Equation<N> {
    /// The equation `divisor · own = sum of others + rest`. `others`: an unknown for each part; it may be the own one.
    pub fn new(own: u32, divisor: u32, mut others: Vec<u32>, rest: N) -> Equation<N> {
        others.sort_unstable();
        let same = others.chunk_by(|one, next| one == next).map(|same| (same[0], N::of(same.len() as u32)));
        let mut equation = Equation { divisor: N::of(divisor), weights: same.collect(), rest };
        equation.take_own(own);
        N::shorten(&mut equation);
        equation
    }

    fn take_own(&mut self, own: u32) {
        if let Ok(place) = self.weights.binary_search_by_key(&own, |(other, _)| *other) {
            let (_, weight) = self.weights.remove(place);
            self.divisor = self.divisor.minus(&weight);
        }
    }

    /// Puts the equation of an unknown in its place. Returns the unknowns that the equation did not have before.
    fn replace(&mut self, own: u32, unknown: u32, by: &Equation<N>) -> Vec<u32> {
        let place = self.weights.binary_search_by_key(&unknown, |(other, _)| *other);
        let (_, weight) = self.weights.remove(place.expect("the equation has this unknown"));
        let (factor, scale) = N::shortened(&weight, &by.divisor);
        let (mut weights, mut new) = (Vec::with_capacity(self.weights.len() + by.weights.len()), Vec::new());
        let mut more = by.weights.iter().peekable();
        for (other, weight) in self.weights.drain(..) {
            while let Some((next, more)) = more.next_if(|(next, _)| *next < other) {
                weights.push((*next, factor.times(more)));
                new.push(*next);
            }
            let own = weight.times(&scale);
            let added = more.next_if(|(next, _)| *next == other);
            weights.push((other, added.map_or_else(|| own.clone(), |(_, more)| own.plus(&factor.times(more)))));
        }
        for (next, more) in more {
            weights.push((*next, factor.times(more)));
            new.push(*next);
        }
        self.weights = weights;
        self.divisor = self.divisor.times(&scale);
        self.rest = self.rest.times(&scale).plus(&by.rest.times(&factor));
        self.take_own(own);
        new.retain(|other| *other != own);
        N::shorten(self);
        new
    }

    fn bytes(&self) -> u64 {
        let weights: u64 = self.weights.iter().map(|(_, weight)| 8 + weight.bytes()).sum();
        weights + self.divisor.bytes() + self.rest.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::limits::Limits;
    use base::random::Random;
    use std::sync::Arc;

    #[test]
    fn unknowns_fulfil_their_equations() {
        let mut random = Random::new(9);
        for _ in 0..300 {
            let count = 1 + random.below(12) as u32;
            let scale = BigInt::from(1 + random.below(9));
            let (mut systems, mut rough) = (Vec::new(), Vec::new());
            for own in 0..count {
                let others: Vec<u32> = (0..random.below(4)).map(|_| random.below(count as usize) as u32).collect();
                // One part at least is known.
                let (divisor, rest) = (others.len() as u32 + 1, random.below(100) as u32);
                systems.push((own, divisor, others.clone(), rest));
                rough.push(Equation::<f64>::new(own, divisor, others, rest.into()));
            }
            let exact = systems.iter().map(|(own, divisor, others, rest)| {
                Equation::<BigInt>::new(*own, *divisor, others.clone(), &scale * BigInt::from(*rest))
            });
            let mut account = Account::new(&Arc::new(Limits::unlimited()));
            let found = solved(exact.collect(), &scale, &mut account, |_| ()).unwrap();
            let guide = solved(rough, &1.0, &mut account, |_| ()).unwrap();
            for (own, divisor, others, rest) in systems {
                let sum = others.iter().map(|&other| found[other as usize].exact.clone()).sum::<Rational>();
                let own = own as usize;
                assert_eq!(
                    &found[own].exact * Rational::from_integer(divisor.into()),
                    sum + Rational::from_integer(rest.into())
                );
                assert!((found[own].near - guide[own]).abs() < 1e-9);
            }
        }
    }
}
