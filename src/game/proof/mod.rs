//! Proofs by a SAT solver about all reachable states at once, from the mutex groups. [`Prover`] answers whether a state
//! that agrees with the groups can have a property, such as two roles with a choice, or a terminal state in which a
//! role has two rewards. "Never" is a proof. Budgets count conflicts, so every machine gives the same answers.

mod encoding;
mod prover;
mod sat;

pub(crate) use encoding::Encoding;
pub use prover::{Property, Prover, Verdict};
pub(crate) use sat::{Answer, Literal};
