//! The values of a layer by rank: the stored counts against the verifier's own, every block, and the number of states of
//! each value against the manifest. One pass over all nodes and all codes, whatever the size of the layer.

use super::Findings;
use super::count::Counted;
use crate::limits::Limits;
use crate::solution::ReadError;
use crate::store::manifest::{BucketRecord, LayerRecord};
use crate::store::{Mapped, Opener, Ranked, StoreError};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// Nodes with ids below this are terminals.
const TERMINALS: u32 = 16384;
/// Nodes looked at between two looks at the limits.
const BATCH: u32 = 1 << 16;

/// Adds what is wrong with the file of a layer's values by rank. An error means that it could not be looked at.
pub fn check(
    ranked: &Ranked,
    states: &Mapped,
    counted: &Counted,
    record: &LayerRecord,
    rewards: &[Vec<u8>],
    limits: &Limits,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let result = ranked
        .check_parts()
        .map_err(ReadError::from)
        .and_then(|()| counts(ranked, states, counted, limits, findings))
        .and_then(|()| codes(ranked, limits))
        .map(|totals| buckets(ranked, &totals, record, rewards, findings));
    match result {
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

/// By code: the number of states, from all blocks.
fn codes(ranked: &Ranked, limits: &Limits) -> Result<Vec<u64>, ReadError> {
    let mut totals = vec![0; ranked.values().len()];
    let mut bits = 0;
    while totals.len() > 1 << bits {
        bits += 1;
    }
    let (mut opener, mut block, mut left) = (Opener::default(), Vec::new(), ranked.states());
    for number in 0..ranked.blocks() {
        limits.check()?;
        ranked.open_block(number, &mut opener, &mut block)?;
        let states = left.min(ranked.block_states());
        left -= states;
        let mut bytes = block.iter();
        let (mut window, mut held) = (0u32, 0);
        for _ in 0..states {
            while held < bits {
                let byte = bytes.next().ok_or_else(|| ranked.file().damaged("a block is cut short"))?;
                window |= u32::from(*byte) << held;
                held += 8;
            }
            let total = totals.get_mut((window & ((1 << bits) - 1)) as usize);
            *total.ok_or_else(|| ranked.file().damaged("a code without a value"))? += 1;
            window >>= bits;
            held -= bits;
        }
        if window != 0 || bytes.next().is_some() {
            return Err(ranked.file().damaged("something behind the last code of a block").into());
        }
    }
    Ok(totals)
}

/// Compares the numbers of states by value with the buckets of the manifest.
fn buckets(ranked: &Ranked, totals: &[u64], record: &LayerRecord, rewards: &[Vec<u8>], findings: &mut Findings) {
    let mut found: BTreeMap<&[u8], BigUint> = BTreeMap::new();
    for (&value, &states) in ranked.values().iter().zip(totals) {
        let Some(rewards) = (value as usize).checked_sub(1).and_then(|index| rewards.get(index)) else {
            findings.add(|| format!("a value {value} without rewards"));
            continue;
        };
        if states == 0 {
            findings.add(|| format!("no state has the value {rewards:?}"));
        }
        *found.entry(rewards).or_default() += states;
    }
    let bucket = |bucket: &'_ BucketRecord| Some((bucket.rewards.clone()?, bucket.states.clone()));
    let told: BTreeMap<Vec<u8>, BigUint> = record.buckets.iter().flatten().filter_map(bucket).collect();
    if !told.iter().map(|(rewards, states)| (rewards.as_slice(), states)).eq(found.iter().map(|(&key, n)| (key, n))) {
        findings.add(|| format!("the manifest has the buckets {told:?}, there are {found:?}"));
    }
}
