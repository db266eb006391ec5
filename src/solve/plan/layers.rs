//! The layers of a plan: those that a forward pass has found, and what its growth foretells of the others.

use super::super::growth::Growth;
use super::super::spool::Spool;
use num_bigint::BigUint;

/// A layer before it is solved.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    pub states: BigUint,
    pub nodes: u64,
    /// Of the file of its states.
    pub bytes: u64,
    /// Processor seconds of the forward pass.
    pub processor: f64,
    /// It was not found, but foretold.
    pub foretold: bool,
}

/// More states than this are a layer that nobody can solve; logarithms are below that.
const MOST: f64 = 700.0;

impl Layer {
    /// The states as a number that may be rounded.
    pub fn size(&self) -> f64 {
        to_f64(&self.states)
    }
}

/// A number that may be rounded.
fn to_f64(number: &BigUint) -> f64 {
    let shift = number.bits().saturating_sub(64);
    let head = u64::try_from(number >> shift).expect("64 bits are left");
    head as f64 * 2f64.powi(i32::try_from(shift).unwrap_or(i32::MAX))
}

/// The nearest integer.
fn to_integer(number: f64) -> BigUint {
    let shift = (number.log2() as i64 - 52).max(0);
    BigUint::from((number / 2f64.powi(shift as i32)).round() as u64) << shift
}

/// The layers of a spool; `processor`: of each.
pub fn found(spool: &Spool, processor: &[f64]) -> Vec<Layer> {
    let layer = |(index, figures): (usize, &super::super::spool::Layer)| Layer {
        states: figures.states.clone(),
        nodes: figures.nodes,
        bytes: spool.file_bytes(index).0,
        processor: processor.get(index).copied().unwrap_or(0.0),
        foretold: false,
    };
    spool.figures().iter().enumerate().map(layer).collect()
}

/// Adds the layers to come. States and nodes grow on by themselves, each as the last layers did; a layer has as many bytes and
/// seconds for each node as those before it. `false`: there are too few layers to tell, or they grow without end.
pub fn foretell(layers: &mut Vec<Layer>) -> bool {
    let states: Vec<f64> = layers.iter().map(|layer| layer.size().ln()).collect();
    let nodes: Vec<f64> = layers.iter().map(|layer| (layer.nodes.max(1) as f64).ln()).collect();
    let (Some(states), Some(nodes)) = (Growth::of(&states), Growth::of(&nodes)) else { return false };
    if !states.ends() || states.layers().any(|states| states > MOST) {
        return false;
    }
    let tail = &layers[layers.len() - layers.len().min(4)..];
    let all: u64 = tail.iter().map(|layer| layer.nodes).sum();
    let bytes = tail.iter().map(|layer| layer.bytes).sum::<u64>() as f64 / all.max(1) as f64;
    let seconds = tail.iter().map(|layer| layer.processor).sum::<f64>() / all.max(1) as f64;
    for (states, nodes) in states.layers().zip(nodes.layers().chain(std::iter::repeat(0.0))) {
        let nodes = nodes.min(states + 1.0).exp().max(1.0);
        layers.push(Layer {
            states: to_integer(states.exp()),
            nodes: nodes as u64,
            bytes: (nodes * bytes) as u64,
            processor: nodes * seconds,
            foretold: true,
        });
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(layers: std::ops::Range<u32>) -> Vec<Layer> {
        let layer = |index: u32| {
            let states = 0.03 * (420.0 - (f64::from(index) - 20.0).powi(2));
            let nodes = (states * 0.6).exp().round();
            Layer {
                states: to_integer(states.exp()),
                nodes: nodes as u64,
                bytes: 4 * nodes as u64,
                processor: nodes * 1e-6,
                foretold: false,
            }
        };
        layers.map(layer).collect()
    }

    #[test]
    fn a_curve_that_bends_evenly_goes_on_as_it_does() {
        let all = curve(0..41);
        let mut layers = curve(0..21);
        assert!(foretell(&mut layers));
        assert_eq!(layers.len(), all.len());
        assert!(layers[..21].iter().all(|layer| !layer.foretold) && layers[21..].iter().all(|layer| layer.foretold));
        let sum = |of: &dyn Fn(&Layer) -> f64, layers: &[Layer]| layers.iter().map(of).sum::<f64>();
        let figures: [&dyn Fn(&Layer) -> f64; 4] =
            [&Layer::size, &|layer| layer.nodes as f64, &|layer| layer.bytes as f64, &|layer| layer.processor];
        for of in figures {
            let ratio = sum(of, &layers) / sum(of, &all);
            assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
        }
    }

    #[test]
    fn what_does_not_end_is_not_foretold() {
        let mut few = curve(0..8);
        assert!(!foretell(&mut few));
        assert_eq!(few.len(), 8);
        let mut even = curve(0..12);
        for (index, layer) in even.iter_mut().enumerate() {
            layer.states = BigUint::from(3u32).pow(index as u32);
        }
        assert!(!foretell(&mut even));
    }

    #[test]
    fn large_numbers_are_rounded_to_53_bits() {
        for number in [1.0, 7.0, 4_531_985_219_092.0, 1e40, 1e300] {
            assert!((to_f64(&to_integer(number)) / number - 1.0).abs() < 1e-15, "{number}");
        }
    }
}
