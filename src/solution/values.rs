//! What a solution can be asked: the values of its states.

use super::ReadError;
use super::sample::Among;
use crate::interpreter::State;
use crate::limits::Limits;
use crate::random::Random;
use crate::store::{Book, Manifest};
use num_bigint::BigUint;
use std::sync::Arc;

/// What a state is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worth<'a> {
    /// By role: the rewards under best play; `None`: play can go on for ever.
    pub value: Option<&'a [u8]>,
    /// If states can repeat: the round in which the state was settled. A player who always moves to a state of the same
    /// value and of an earlier round reaches an end with that value in at most so many plies.
    pub round: Option<u32>,
    /// If they are stored, with the values or in a book beside them, and unless play is endless: the plies to the end, see [`super::Distance`].
    pub plies: Option<u32>,
}

/// The values of all reachable states, by breadth-first layer.
pub trait Values: Send + Sync {
    /// Number of layers.
    fn layers(&self) -> u32;

    /// Whether a layer has a state; false for layers that do not exist.
    fn contains(&self, layer: u32, state: &State) -> Result<bool, ReadError>;

    /// Whether the values of all states were computed together, as states can repeat. A position may then be in any
    /// layer, and values come with rounds.
    fn by_rounds(&self) -> bool {
        false
    }

    /// What a state of a layer is worth. `None` if the layer has no such state.
    fn worth(&self, layer: u32, state: &State) -> Result<Option<Worth<'_>>, ReadError>;

    /// Checks that a layer exists, as play in a finished solution never leaves its layers.
    fn check_layer(&self, layer: u32) -> Result<(), ReadError> {
        if self.by_rounds() || layer < self.layers() {
            return Ok(());
        }
        Err(ReadError::Damaged(format!("play goes on to layer {layer}, of {}", self.layers())))
    }

    /// The last layer with states of this value, where that is known: play that keeps it ends by then.
    fn last_layer(&self, _value: &[u8]) -> Option<u32> {
        None
    }

    /// How many states of a layer there are to draw from: at least one. Fails where values are missing.
    fn states_among(&self, layer: u32, among: Among) -> Result<BigUint, ReadError>;

    /// One of these states, each equally likely. `limits` bound what is taken into memory for it.
    fn draw(&self, layer: u32, among: Among, random: &mut Random, limits: &Arc<Limits>) -> Result<State, ReadError>;

    /// The manifest of a stored solution.
    fn manifest(&self) -> Option<&Manifest> {
        None
    }

    /// The distances of some states that lie beside a stored solution.
    fn book(&self) -> Option<&Book> {
        None
    }

    /// The key of a state in a book; `None` where there are none, or no assignment stands for the state.
    fn book_key(&self, _state: &State) -> Option<Vec<u8>> {
        None
    }

    /// The state of a key of a book.
    fn booked_state(&self, _key: &[u8]) -> Option<State> {
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
