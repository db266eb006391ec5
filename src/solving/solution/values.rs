//! The interface to the values of all states of a solution.

use super::sample::Among;
use super::{ReadError, Stored};
use base::limits::Limits;
use base::random::Random;
use game::interpreter::State;
use num_bigint::BigUint;
use std::ops::ControlFlow;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worth<'a> {
    /// For each role, the reward under best play; `None` for endless play.
    pub value: Option<&'a [u8]>,
    /// If states can repeat: the round in which the state was settled; `None` for endless play. Moves to states of the
    /// same value and of earlier rounds lead to an end with that value in at most this number of plies.
    pub round: Option<u32>,
    /// Plies to the end ([`super::Distance`]), if play ends and they are stored with the values or in a book.
    pub plies: Option<u32>,
}

pub trait Values: Send + Sync {
    fn layers(&self) -> u32;

    fn contains(&self, layer: u32, state: &State) -> Result<bool, ReadError>;

    /// Whether all states were solved together because states can repeat. Then `worth` ignores the layer.
    fn by_rounds(&self) -> bool {
        false
    }

    /// The value of a state; `None` if the layer has no such state.
    fn worth(&self, layer: u32, state: &State) -> Result<Option<Worth<'_>>, ReadError>;

    /// It is an error if the layer does not exist: play in a finished solution never leaves its layers.
    fn check_layer(&self, layer: u32) -> Result<(), ReadError> {
        if self.by_rounds() || layer < self.layers() {
            return Ok(());
        }
        Err(ReadError::Damaged(format!("play goes on to layer {layer}, of {}", self.layers())))
    }

    /// The last layer with states of a value, if known; play that keeps the value ends there at the latest.
    fn last_layer(&self, _value: &[u8]) -> Option<u32> {
        None
    }

    /// Number of selected states of a layer. It is an error if there are none, or if values are missing.
    fn states_among(&self, layer: u32, among: Among) -> Result<BigUint, ReadError>;

    /// A random one of the selected states of a layer; all have the same probability. `limits` bound the memory.
    fn draw(&self, layer: u32, among: Among, random: &mut Random, limits: &Arc<Limits>) -> Result<State, ReadError>;

    /// Calls `visit` with each state of a layer, once and in a fixed order, until it breaks off. It is an error if
    /// values are missing. `limits` bound the memory.
    fn each(
        &self,
        layer: u32,
        limits: &Arc<Limits>,
        visit: &mut dyn FnMut(State) -> ControlFlow<()>,
    ) -> Result<(), ReadError>;

    fn stored(&self) -> Option<&Stored> {
        None
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
