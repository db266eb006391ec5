//! The propositional game on many states at once.
//!
//! A batch has up to 512 states. A fluent, a condition or the legality of a move is a *plane*: one bit for each state.
//! Each gate of the rules takes a few instructions for the whole batch, and the effects of a joint move are specialised
//! only once (see [`program`]), so a state costs a small fraction of what it costs the
//! [interpreter](crate::interpreter), which remains the reference. States are packed bits in the order of a [`Layout`];
//! transposition converts them to planes and back. Where states have thousands of joint moves, as several roles choose, pairs of a
//! state and a joint move are lanes, too ([`Evaluator::each_pair`]).
//!
//! Ill-formed states are never assumed away: if a terminal state lacks exactly one reward for each role, a role has no
//! legal move, or two roles have a choice, [`Evaluator::faults`] reports it.

mod circuit;
mod due;
mod evaluator;
mod layout;
mod plane;
mod program;

pub use evaluator::{Evaluator, JointId, Pairs, Successors};
pub use layout::{Coded, Layout, holds, mask};
pub use plane::{LANES, Plane};
