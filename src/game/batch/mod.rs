//! Evaluates the propositional game on many states at once.
//!
//! A batch has up to 512 states. A fluent, a condition or the legality of a move is a *plane*: one bit for each state.
//! Each gate takes a few instructions for the whole batch, and the effects of a joint move are specialised only once
//! (see [`program`]), so a state costs a small fraction of its cost in the [interpreter](crate::interpreter), which
//! remains the reference. States are packed bits in the order of a [`Layout`]; a transposition converts them to planes
//! and back. If states have thousands of joint moves, because several roles choose, a lane may be a pair of a state and
//! a joint move ([`Evaluator::each_pair`]).
//!
//! [`Evaluator::faults`] finds ill-formed states: a terminal state without exactly one reward for each role, and any
//! other state in which a role has no legal move or two roles have a choice.

mod circuit;
mod due;
mod evaluator;
mod layout;
mod plane;
mod program;

pub use evaluator::{Evaluator, JointId, Pairs, Successors};
pub use layout::{Coded, Layout, holds, mask};
pub use plane::{LANES, Plane};
