//! The layers of a plan: those that the forward pass found, and the others, predicted from their growth.

use super::super::growth::Growth;
use super::super::spool::Spool;
use super::samples::Clock;
use crate::store::LayerFigures;
use num_bigint::BigUint;
use num_traits::{FromPrimitive, ToPrimitive};

#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    pub states: BigUint,
    pub nodes: u64,
    /// Bytes of the file of its states.
    pub bytes: u64,
    /// Processor seconds of the forward pass.
    pub processor: f64,
    /// The layer is predicted, not found.
    pub foretold: bool,
}

/// Bound on the logarithm of the states of a layer, beyond anything that can be solved.
const MOST: f64 = 700.0;

pub fn to_f64(number: &BigUint) -> f64 {
    number.to_f64().unwrap_or(f64::INFINITY)
}

impl Layer {
    /// The number of states, possibly rounded; infinite if a float cannot hold it.
    pub fn size(&self) -> f64 {
        to_f64(&self.states)
    }
}

/// The sum of the states of the layers, rounded where the numbers of states are.
pub fn states(layers: &[Layer]) -> BigUint {
    let rounded = BigUint::from_f64(layers.iter().map(Layer::size).sum::<f64>().round());
    rounded.unwrap_or_else(|| layers.iter().map(|layer| &layer.states).sum())
}

/// The layers of a spool. `clock`: that of the forward pass.
pub fn found(spool: &Spool, clock: &Clock) -> Vec<Layer> {
    let processor: Vec<f64> = clock.layers().into_iter().map(|lap| lap.processor).collect();
    let layer = |(index, figures): (usize, &LayerFigures)| Layer {
        states: figures.states.clone(),
        nodes: figures.nodes,
        bytes: spool.file_bytes(index).0,
        processor: processor.get(index).copied().unwrap_or(0.0),
        foretold: false,
    };
    spool.figures().iter().enumerate().map(layer).collect()
}

/// Adds the layers to come. The number of states continues to grow as in the last layers, while states per node, and
/// bytes and seconds per node, stay as in the last layers found. Extrapolating nodes by their own growth would be far
/// less accurate: if growth slows down unevenly, the number of states per node would be wrong by a factor of a hundred.
/// Returns `false` if there are too few layers to tell, or if they grow without end.
pub fn foretell(layers: &mut Vec<Layer>) -> bool {
    let states: Vec<f64> = layers.iter().map(|layer| layer.size().ln()).collect();
    let Some(states) = Growth::of(&states) else { return false };
    if !states.ends() || states.layers().any(|states| states > MOST) {
        return false;
    }
    let tail = &layers[layers.len() - layers.len().min(4)..];
    let all: u64 = tail.iter().map(|layer| layer.nodes).sum();
    let bytes = tail.iter().map(|layer| layer.bytes).sum::<u64>() as f64 / all.max(1) as f64;
    let seconds = tail.iter().map(|layer| layer.processor).sum::<f64>() / all.max(1) as f64;
    let last = layers.last().expect("growth is told by some layers");
    let each = last.nodes.max(1) as f64 / last.size();
    for states in states.layers() {
        let nodes = (states.exp() * each).max(1.0);
        layers.push(Layer {
            states: BigUint::from_f64(states.exp().round()).unwrap_or_default(),
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
            let nodes = (states.exp() / 50.0).max(1.0).round();
            Layer {
                states: BigUint::from_f64(states.exp().round()).unwrap(),
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

    /// The first layers of a game of 37 layers. Their nodes grow by turns more and less; growing by themselves they
    /// would become hundreds of times too many.
    #[test]
    fn nodes_follow_the_states_where_their_own_growth_leads_astray() {
        let found: [(u64, u64); 20] = [
            (1, 1),
            (6, 7),
            (36, 27),
            (156, 69),
            (651, 165),
            (2_256, 320),
            (7_876, 650),
            (24_330, 1_170),
            (74_922, 2_208),
            (211_042, 3_772),
            (576_266, 6_405),
            (1_468_114, 10_629),
            (3_596_076, 16_640),
            (8_394_784, 28_974),
            (18_629_174, 45_024),
            (39_979_044, 87_158),
            (80_684_814, 134_863),
            (159_433_890, 264_560),
            (292_803_624, 395_185),
            (531_045_746, 739_368),
        ];
        let (all_states, all_nodes) = (69_173_028_785.0, 103_409_544.0);
        for count in 12..=found.len() {
            let layer = |&(states, nodes): &(u64, u64)| Layer {
                states: states.into(),
                nodes,
                bytes: 4 * nodes,
                processor: 0.0,
                foretold: false,
            };
            let mut layers: Vec<Layer> = found[..count].iter().map(layer).collect();
            assert!(foretell(&mut layers), "{count}");
            let states = layers.iter().map(Layer::size).sum::<f64>() / all_states;
            let nodes = layers.iter().map(|layer| layer.nodes as f64).sum::<f64>() / all_nodes;
            assert!((0.1..10.0).contains(&states) && (0.1..10.0).contains(&nodes), "{count}: {states}, {nodes}");
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

    /// Sums of floats are infinite from 2^1024 on.
    #[test]
    fn numbers_of_states_beyond_all_floats_are_added() {
        let layer = Layer { states: BigUint::from(3u32) << 1030, nodes: 1, bytes: 4, processor: 0.0, foretold: false };
        let mut layers = vec![layer; 12];
        assert_eq!(layers[0].size(), f64::INFINITY);
        assert!(!foretell(&mut layers));
        assert_eq!(states(&layers), BigUint::from(36u32) << 1030);
        let layer = |states| Layer { states, ..layers[0].clone() };
        assert_eq!(states(&[layer((BigUint::from(1u32) << 60) + 1u32)]), BigUint::from(1u32) << 60, "as floats are");
    }
}
