//! What is asked of a solution.

use super::ReadError;
use crate::interpreter::State;

/// The values of all reachable states, by breadth-first layer.
pub trait Values {
    /// Number of layers.
    fn layers(&self) -> u32;

    /// Whether a layer has a state; false for layers that do not exist.
    fn contains(&self, layer: u32, state: &State) -> Result<bool, ReadError>;

    /// By role: what a state of a layer is worth. `None` if the layer has no such state.
    fn value(&self, layer: u32, state: &State) -> Result<Option<&[u8]>, ReadError>;

    /// Whether play may go on to a layer, which in a finished solution it cannot beyond the last one.
    fn check_layer(&self, layer: u32) -> Result<(), ReadError> {
        if layer < self.layers() {
            return Ok(());
        }
        Err(ReadError::Damaged(format!("play goes on to layer {layer}, of {}", self.layers())))
    }

    /// The first layer that has a state. A state has the same value in all its layers.
    fn find(&self, state: &State) -> Result<Option<u32>, ReadError> {
        for layer in 0..self.layers() {
            if self.contains(layer, state)? {
                return Ok(Some(layer));
            }
        }
        Ok(None)
    }
}
