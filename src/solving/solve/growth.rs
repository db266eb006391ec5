//! Extrapolates the growth of layers.
//!
//! Growth is assumed to slow down as in the last layers, for at most twice as many layers as there are. The more layers
//! there are, the more of them are taken into account, because growth varies from layer to layer. The estimate decides
//! what is tried, never a result.

use num_bigint::BigUint;

/// Growth is the mean over `max(BACK, n / PARTS * 2)` of the `n` layers before the last one: an even number, because
/// layers of one player differ from those of the other.
pub const BACK: usize = 4;
const PARTS: usize = 5;
/// With five layers, predictions for Nim and Chomp are wrong by eight orders of magnitude.
const FEW: usize = 6;

/// The growth of layers, as changes of the logarithm of their number of states.
#[derive(Debug, Clone, Copy)]
pub struct Growth {
    last: f64,
    /// The growth from the last layer to the next one.
    now: f64,
    /// The decrease of growth from layer to layer.
    slowing: f64,
    /// Most future layers that are predicted.
    layers: f64,
}

impl Growth {
    /// `states`: the logarithms of the numbers of states by layer; `None` if there are too few layers.
    pub fn of(states: &[f64]) -> Option<Growth> {
        Growth::over(BACK, states)
    }

    /// As [`Growth::of`], also from a few layers less ([`FEW`] at least). From so few, only the order of magnitude of what
    /// is foretold means something.
    pub fn of_few(states: &[f64]) -> Option<Growth> {
        Growth::of(states).or_else(|| Growth::over(BACK / 2, Some(states).filter(|states| states.len() >= FEW)?))
    }

    fn over(least: usize, states: &[f64]) -> Option<Growth> {
        let layer = states.len().checked_sub(1).filter(|&layer| layer >= 2 * least)?;
        let back = least.max(layer / PARTS * 2);
        let growth = |layer: usize| (states[layer] - states[layer - back]) / back as f64;
        let (middle, before) = (growth(layer), growth(layer - back));
        let slowing = ((before - middle) / back as f64).max(0.0);
        let now = middle - slowing * back as f64 / 2.0;
        Some(Growth { last: states[layer], now, slowing, layers: 2.0 * layer as f64 })
    }

    /// The logarithm of the ratio of the states of the largest future layer to those of the last layer.
    pub fn to_peak(self) -> f64 {
        if self.now <= 0.0 {
            return 0.0;
        }
        let to_peak = (self.now / self.slowing).min(self.layers);
        self.now * to_peak - self.slowing * to_peak * to_peak / 2.0
    }

    /// The logarithms of the states of all future layers.
    pub fn layers(self) -> impl Iterator<Item = f64> {
        let layers = (1..=self.layers as u32).map(f64::from);
        let states = layers.map(move |step| self.last + self.now * step - self.slowing * step * step / 2.0);
        states.take_while(|states| *states >= 0.0)
    }

    /// Expected number of states of all future layers.
    pub fn to_come(self) -> f64 {
        self.layers().map(f64::exp).sum()
    }

    /// Whether the next layer has twice as many states as the last one, or more.
    pub fn doubles(self) -> bool {
        self.now >= std::f64::consts::LN_2
    }

    /// Whether the layers come to an end, because their growth slows down or they already shrink.
    pub fn ends(self) -> bool {
        self.slowing > 0.0 || self.now < 0.0
    }
}

/// The logarithm of a number, 0 of 0.
pub fn logarithm(number: &BigUint) -> f64 {
    let shift = number.bits().saturating_sub(64);
    let leading = (number >> shift).iter_u64_digits().next().unwrap_or(1);
    (leading as f64).ln() + shift as f64 * std::f64::consts::LN_2
}

/// The expected number of states of all layers; `None` if there are too few `layers`.
pub fn all<'a>(layers: impl Iterator<Item = &'a BigUint>) -> Option<f64> {
    let sizes: Vec<f64> = layers.map(logarithm).collect();
    let so_far: f64 = sizes.iter().map(|states| states.exp()).sum();
    Some(so_far + Growth::of(&sizes)?.to_come())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_of_large_numbers() {
        for exponent in [0_u32, 1, 63, 64, 65, 1000] {
            let found = logarithm(&(BigUint::from(3_u32) << exponent));
            assert!((found - 3_f64.ln() - f64::from(exponent) * std::f64::consts::LN_2).abs() < 1e-9, "{exponent}");
        }
        assert_eq!(logarithm(&BigUint::ZERO), 0.0);
    }

    #[test]
    fn growth_that_slows_down_evenly_is_foretold() {
        let states = |peak: f64, layers: usize| -> Vec<f64> {
            (0..layers).map(|layer| 0.02 * (peak * peak - (layer as f64 - peak).powi(2))).collect()
        };
        let to_peak = |states: &[f64]| Growth::of(states).map(|growth| growth.to_peak());
        let found = to_peak(&states(30.0, 16)).unwrap();
        assert!((found - 0.02 * 15.0 * 15.0).abs() < 1e-9, "{found}");
        assert_eq!(to_peak(&states(10.0, 16)), Some(0.0), "past the peak");
        assert_eq!(to_peak(&states(30.0, 8)), None, "too early to tell");
        assert_eq!(to_peak(&[1.0; 20]), Some(0.0), "layers of one size");
        let even: Vec<f64> = (0..11).map(|layer| f64::from(layer) * 0.7).collect();
        assert!((to_peak(&even).unwrap() - 20.0 * 0.7).abs() < 1e-9, "twice as many layers as there are");
    }

    #[test]
    fn few_layers_tell_the_order_of_magnitude() {
        // The first layers of `breakthrough_4x4`, of `nim4` and of Tic-Tac-Toe.
        let logarithms = |states: &[u32]| states.iter().map(|&states| f64::from(states).ln()).collect::<Vec<f64>>();
        let to_come = |states: &[u32]| Growth::of_few(&logarithms(states)).map(Growth::to_come);
        assert!(to_come(&[1, 6, 40, 280, 1379, 6610, 22594]).unwrap() > 1e6);
        assert!(to_come(&[1, 9, 72, 252, 756, 1260]).unwrap() < 1e5);
        assert!(to_come(&[1, 9, 72, 252, 756]).is_none());
        let even: Vec<f64> = (0..11).map(|layer| f64::from(layer) * 0.7).collect();
        assert_eq!(Growth::of_few(&even).map(Growth::to_come), Growth::of(&even).map(Growth::to_come));
    }

    #[test]
    fn layers_of_uneven_size_do_not_change_the_forecast_much() {
        let even = |layer: usize| 0.01 * (1600.0 - (layer as f64 - 40.0).powi(2));
        let all: f64 = (0..=80).map(|layer| even(layer).exp()).sum();
        for layers in 20..50 {
            // Some layers have a tenth more states than the curve.
            let sizes: Vec<f64> = (0..layers).map(|layer| even(layer) + 0.1 * f64::from(layer % 7 == 3)).collect();
            let seen: f64 = sizes.iter().map(|states| states.exp()).sum();
            let ratio = (seen + Growth::of(&sizes).unwrap().to_come()) / all;
            assert!((0.2..5.0).contains(&ratio), "{ratio} after {layers} layers");
        }
    }

    #[test]
    fn the_states_of_a_whole_game_are_foretold_from_its_first_half() {
        let all: Vec<f64> = (0..=40).map(|layer| 0.03 * (400.0 - (f64::from(layer) - 20.0).powi(2))).collect();
        let rest: f64 = all[19..].iter().map(|states| states.exp()).sum();
        let found = Growth::of(&all[..19]).unwrap().to_come();
        assert!((found / rest - 1.0).abs() < 1e-6, "{found} instead of {rest}");
    }
}
