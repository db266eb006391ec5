//! The counts of a file of values by rank against the verifier's own. One pass over all nodes.

use super::Findings;
use super::count::Counted;
use crate::limits::Limits;
use crate::solution::ReadError;
use crate::store::{Mapped, Ranked, StoreError};
use num_bigint::BigUint;

/// Nodes with ids below this are terminals.
const TERMINALS: u32 = 16384;
/// Nodes looked at between two looks at the limits.
const BATCH: u32 = 1 << 16;

/// Adds what is wrong with the counts of a file of values by rank. An error means that it could not be looked at.
pub fn check(
    ranked: &Ranked,
    states: &Mapped,
    counted: &Counted,
    limits: &Limits,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let result = ranked.check_parts().map_err(ReadError::from);
    match result.and_then(|()| counts(ranked, states, counted, limits, findings)) {
        Err(ReadError::Store(error @ StoreError::Damaged { .. })) => findings.add(|| error.to_string()),
        other => other?,
    }
    Ok(())
}

/// Compares the number below the `lo` child of every node.
fn counts(
    ranked: &Ranked,
    states: &Mapped,
    counted: &Counted,
    limits: &Limits,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    if (ranked.file().header().root, BigUint::from(ranked.states())) != (states.root(), counted.total()) {
        findings.add(|| "the ranks are not those of the layer's states".to_owned());
    }
    for index in 0..states.node_count() as u32 {
        if index % BATCH == 0 {
            limits.check()?;
        }
        let node = TERMINALS + index;
        let (told, found) = (ranked.count(node)?, counted.small(states.children(node)?[0]));
        if found != Some(told) {
            findings.add(|| format!("node {node} has {told} states below its first child, there are {found:?}"));
        }
    }
    Ok(())
}
