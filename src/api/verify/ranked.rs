//! Compares the counts in a file of values by rank with the verifier's own counts, in one pass over all nodes.

use super::Findings;
use super::diagram::{Set, TERMINALS};
use base::limits::Limits;
use solving::solution::ReadError;
use solving::store::{Ranked, StoreError};

const BATCH: u32 = 1 << 16;

/// Adds a finding for each wrong count. It is an error if the check is impossible.
pub fn check(ranked: &Ranked, set: &Set, limits: &Limits, findings: &mut Findings) -> Result<(), ReadError> {
    let result = ranked.check_parts().map_err(ReadError::from);
    match result.and_then(|()| counts(ranked, set, limits, findings)) {
        Err(ReadError::Store(error @ StoreError::Damaged { .. })) => findings.add(|| error.to_string()),
        other => other?,
    }
    Ok(())
}

fn counts(ranked: &Ranked, set: &Set, limits: &Limits, findings: &mut Findings) -> Result<(), ReadError> {
    if (ranked.file().header().root, Some(ranked.states())) != (set.root, set.states) {
        findings.add(|| "the ranks are not those of the layer's states".to_owned());
        return Ok(());
    }
    for (index, node) in (0_u32..).zip(&set.nodes) {
        if index % BATCH == 0 {
            limits.check()?;
        }
        let (told, found) = (ranked.count(index.into())?, node.below());
        if told != found {
            findings.add(|| {
                let node = TERMINALS + index;
                format!("node {node} has {told} states below its first child, there are {found}")
            });
        }
    }
    Ok(())
}
