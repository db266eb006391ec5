//! What one player can force in a component, as exact numbers, by the iteration of strategies (Hoffman and Karp, "On
//! nonterminating stochastic games", 1966).
//!
//! The value is the least solution of the equations of best play, so that play without end counts 0. From states that
//! are not attracted by an end that pays the player something, it gets nothing. In all other states:
//!
//! 1. The player keeps to one move in each state. Where the others can go on for ever then, it gets nothing; elsewhere
//!    every way of playing against it comes to an end, and the best one is found by the iteration of strategies, too:
//!    the values of a way of playing solve linear equations.
//! 2. Where another move of the player leads to more, it changes to that. If there is none, the values are found: they
//!    solve the equations, and a strategy attains them, so that no smaller numbers do.
//!
//! Moves change only if that is strictly better, so that no strategy comes again. The same iteration in floating point
//! comes first, and gives the strategies to begin with; exact numbers decide.

use super::equations::{Equation, Near, Weight, multiple, solved};
use super::play::{Before, NONE, Play};
use base::limits::{Account, LimitReached, Limits};
use game::matrix::Rational;
use num_bigint::BigInt;
use num_traits::{One, Zero};
use std::cmp::Ordering;
use std::sync::Arc;

/// Bytes of a state of a component, beside its moves and the numbers of its equation.
const STATE_BYTES: u64 = 200;
/// Copies of the values beyond a component, and of values that are found.
const COPIES: u64 = 6;
/// Bytes of an outcome.
const OUTCOME_BYTES: u64 = 12;
/// Bound on the changes of strategies in floating point.
const ROUGH: usize = 200;
/// Equations between two messages on progress.
const LOOK: usize = 1 << 10;
/// Floating-point numbers that differ by less may be equal: far more than their errors, relative to the largest.
const NEAR: f64 = 1e-9;

/// Numbers by which strategies are compared.
trait Compared: Weight {
    /// The bound on changes of strategies.
    const MOST: usize;

    fn zero() -> Self::Unknown;
    /// Compares the sums of as many numbers.
    fn compare(one: &[&Self::Unknown], other: &[&Self::Unknown]) -> Ordering;
}

/// Equal if the numbers are so near that only exact ones can tell. The smallest numbers have few digits, or are 0 here.
fn compare_near(one: f64, other: f64) -> Ordering {
    let near = (NEAR * one.abs().max(other.abs())).max(f64::MIN_POSITIVE);
    match one - other {
        more if more > near => Ordering::Greater,
        less if less < -near => Ordering::Less,
        _ => Ordering::Equal,
    }
}

impl Compared for f64 {
    const MOST: usize = ROUGH;

    fn zero() -> f64 {
        0.0
    }

    fn compare(one: &[&f64], other: &[&f64]) -> Ordering {
        compare_near(one.iter().copied().sum(), other.iter().copied().sum())
    }
}

impl Compared for BigInt {
    const MOST: usize = usize::MAX;

    fn zero() -> Near {
        Near::new(Rational::zero())
    }

    fn compare(one: &[&Near], other: &[&Near]) -> Ordering {
        let near = |numbers: &[&Near]| numbers.iter().map(|number| number.near).sum::<f64>();
        let exact = |numbers: &[&Near]| numbers.iter().map(|number| &number.exact).sum::<Rational>();
        compare_near(near(one), near(other)).then_with(|| match (one, other) {
            ([one], [other]) => one.exact.cmp(&other.exact),
            _ => exact(one).cmp(&exact(other)),
        })
    }
}

/// By state of a component, the value of an end.
struct Ends<'a, N: Compared> {
    known: &'a [Option<N::Unknown>],
    /// The values, times `scale`.
    rests: &'a [Option<N>],
    scale: &'a N,
}

/// A component, for the player that is asked for.
struct Part<'a> {
    play: &'a Play,
    before: Before,
    role: u32,
    limits: &'a Arc<Limits>,
}

/// What `role` can force in the first `inner` states of a component, whose other states have the values `beyond`.
/// `tell` hears of progress in words.
pub fn forced(
    play: &Play,
    inner: usize,
    role: u32,
    beyond: &[Rational],
    limits: &Arc<Limits>,
    tell: &dyn Fn(String),
) -> Result<Vec<Rational>, LimitReached> {
    let outcomes = (0..inner).map(|state| play.outcomes(state).len() as u64).sum::<u64>();
    let digits = |number: &Rational| (number.numer().bits() + number.denom().bits()) / 8;
    let numbers: u64 = COPIES * beyond.iter().map(digits).sum::<u64>();
    let _memory = limits.hold(STATE_BYTES * play.len() as u64 + OUTCOME_BYTES * outcomes + numbers)?;
    let part = Part { play, before: play.before(), role, limits };
    let mut rounds = vec![NONE; inner];
    rounds.extend(beyond.iter().map(|value| if value.is_zero() { NONE } else { 0 }));
    play.attract(&part.before, role, |_, _| true, &mut rounds, limits)?;
    // Every state that is not attracted is worth nothing, and play need not be followed further there.
    let inside = rounds[..inner].iter().map(|&round| (round == NONE).then(Rational::zero));
    let known: Vec<Option<Rational>> = inside.chain(beyond.iter().cloned().map(Some)).collect();
    let mut choice: Vec<u32> = (0..play.len()).map(|state| part.nearest(state, &rounds)).collect();
    let rough: Vec<Option<f64>> = known.iter().map(|known| known.as_ref().map(Rational::to_f64)).collect();
    let guide = |text: String| tell(format!("in floating point: {text}"));
    part.iterate::<f64>(&Ends { known: &rough, rests: &rough, scale: &1.0 }, &mut choice, &guide)?;
    let mut scale = BigInt::one();
    for value in known.iter().flatten() {
        limits.check()?;
        scale = multiple(scale, value.denom());
    }
    let _rests = limits.hold(known.len() as u64 * (scale.bits() / 8 + size_of::<BigInt>() as u64))?;
    let scaled = |value: &Rational| value.numer() * (&scale / value.denom());
    let rests: Vec<Option<BigInt>> = known.iter().map(|known| known.as_ref().map(scaled)).collect();
    let known: Vec<Option<Near>> = known.into_iter().map(|known| known.map(Near::new)).collect();
    let ends = Ends { known: &known, rests: &rests, scale: &scale };
    let values = part.iterate::<BigInt>(&ends, &mut choice, tell)?;
    Ok(values.into_iter().take(inner).map(|value| value.exact).collect())
}

impl Part<'_> {
    fn chooses(&self, state: usize) -> bool {
        self.play.choosers[state] == self.role
    }

    /// The first move of a state that leads to one of the round before.
    fn nearest(&self, state: usize, rounds: &[u32]) -> u32 {
        let leads = |outcomes: &[u32]| outcomes.iter().any(|&next| rounds[next as usize] < rounds[state]);
        let found = self.play.moves(state).position(leads).filter(|_| self.chooses(state));
        found.unwrap_or(0) as u32
    }

    /// The values of all states. `choice`: by state, a move, and in the end a best one.
    fn iterate<N: Compared>(
        &self,
        ends: &Ends<N>,
        choice: &mut [u32],
        tell: &dyn Fn(String),
    ) -> Result<Vec<N::Unknown>, LimitReached> {
        let known = ends.known;
        let open: Vec<usize> = (0..known.len()).filter(|&state| known[state].is_none()).collect();
        let mut changes = 0;
        loop {
            // Where the others can go on for ever, nobody gets anything.
            let mut rounds: Vec<u32> = known.iter().map(|known| if known.is_some() { 0 } else { NONE }).collect();
            let allowed = |state: usize, place: u32| !self.chooses(state) || choice[state] == place;
            self.play.attract(&self.before, self.role, allowed, &mut rounds, self.limits)?;
            let (ending, endless): (Vec<usize>, Vec<usize>) = open.iter().partition(|&&state| rounds[state] != NONE);
            let mut values: Vec<Option<N::Unknown>> = known.to_vec();
            endless.iter().for_each(|&state| values[state] = Some(N::zero()));
            loop {
                tell(format!("{} states that repeat: change {} of strategies", ending.len(), changes + 1));
                self.follow(&ending, ends, &mut values, choice, tell)?;
                changes += 1;
                if !self.change::<N>(&ending, false, &values, choice)? || changes >= N::MOST {
                    break;
                }
            }
            if !self.change::<N>(&open, true, &values, choice)? || changes >= N::MOST {
                return Ok(values.into_iter().flatten().collect());
            }
        }
    }

    /// Fills in the values of states in which play follows `choice`; those of all other states are known.
    fn follow<N: Compared>(
        &self,
        ending: &[usize],
        ends: &Ends<N>,
        values: &mut [Option<N::Unknown>],
        choice: &[u32],
        tell: &dyn Fn(String),
    ) -> Result<(), LimitReached> {
        let mut places = vec![NONE; values.len()];
        (0..).zip(ending).for_each(|(place, &state)| places[state] = place);
        let mut equations = Vec::with_capacity(ending.len());
        for (own, &state) in (0..).zip(ending) {
            let outcomes = self.play.move_of(state, choice[state]);
            let mut rest = N::of(0);
            for known in outcomes.iter().filter_map(|&next| ends.rests[next as usize].as_ref()) {
                rest = rest.plus(known);
            }
            let others = outcomes.iter().map(|&next| places[next as usize]).filter(|&place| place != NONE);
            equations.push(Equation::new(own, outcomes.len() as u32, others.collect(), rest));
        }
        let found = solved(equations, ends.scale, &mut Account::new(self.limits), |left| {
            if left.is_multiple_of(LOOK) && left > 0 {
                tell(format!("{left} equations left of {}", ending.len()));
            }
        })?;
        ending.iter().zip(found).for_each(|(&state, value)| values[state] = Some(value));
        Ok(())
    }

    /// Changes moves, of the player or of all others, to the best ones where these are strictly better. Returns whether
    /// any was changed.
    fn change<N: Compared>(
        &self,
        states: &[usize],
        own: bool,
        values: &[Option<N::Unknown>],
        choice: &mut [u32],
    ) -> Result<bool, LimitReached> {
        let better = if own { Ordering::Greater } else { Ordering::Less };
        let mut changed = false;
        for &state in states {
            let moves = self.play.moves(state);
            if self.chooses(state) != own || moves.len() < 2 {
                continue;
            }
            self.limits.check()?;
            let numbers = |place: u32| -> Vec<&N::Unknown> {
                let outcomes = self.play.move_of(state, place).iter();
                outcomes.filter_map(|&next| values[next as usize].as_ref()).collect()
            };
            let mut best = numbers(choice[state]);
            for place in 0..moves.len() as u32 {
                let other = numbers(place);
                if place != choice[state] && N::compare(&other, &best) == better {
                    (choice[state], best, changed) = (place, other, true);
                }
            }
        }
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_too_small_for_floating_point_are_compared_exactly() {
        let near = |hundredths: u32| {
            let least = BigInt::one() << 1074;
            Near::new(Rational::new(hundredths.into(), least * 100))
        };
        let [some, more, none] = [39, 59, 0].map(near);
        assert_eq!([some.near, more.near], [0.0, f64::from_bits(1)], "the smallest numbers that there are");
        assert_eq!(BigInt::compare(&[&some, &some], &[&more, &none]), Ordering::Greater);
        assert_eq!(BigInt::compare(&[&some, &none], &[&more, &none]), Ordering::Less);
        assert_eq!(BigInt::compare(&[&some], &[&some]), Ordering::Equal);
    }
}
