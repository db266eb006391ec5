//! The propositional game on many states at once.
//!
//! A batch is up to 512 states; a fluent, a condition or the legality of a move is a *plane* of as many bits. A gate of
//! the rules costs a few instructions for the whole batch, and the effects of a joint move are specialised once (see
//! [`program`]), so a state costs a small part of what it costs the [interpreter](crate::interpreter),
//! which stays the reference that this is compared with. States are packed bits in the order of a [`Layout`], turned
//! into planes and back by transposition.
//!
//! Nothing about a state is guessed: where play is over but a role has not exactly one reward, a role has no legal
//! move, or two have a choice, [`Evaluator::faults`] says so.

mod circuit;
mod evaluator;
mod layout;
mod plane;
mod program;

pub use evaluator::{Evaluator, Faults, JointId, Successors};
pub use layout::{Coded, Layout, holds, mask};
pub use plane::{LANES, Plane};
