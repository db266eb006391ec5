//! Results of a run about all layers together. The next save makes them durable.

use super::manifest::{CycleRecord, EndRecord};
use super::{Store, StoreError};
use num_bigint::BigUint;

impl Store {
    pub fn set_cycle(&mut self, cycle: CycleRecord) -> Result<(), StoreError> {
        self.grow()?.cycle = Some(cycle);
        Ok(())
    }

    /// Records the number of states in which the role of a guarantee can force its reward in the solution.
    pub fn set_forced(&mut self, states: BigUint) -> Result<(), StoreError> {
        self.grow()?.forced = Some(states);
        Ok(())
    }

    /// Records the number of states in which the mover had several best moves that differ in the rewards of the others.
    pub fn set_ties(&mut self, states: BigUint) -> Result<(), StoreError> {
        if self.manifest.as_ref().is_none_or(|manifest| manifest.ties.as_ref() != Some(&states)) {
            self.grow()?.ties = Some(states);
        }
        Ok(())
    }

    /// Records the number of states in which another move is worth more to the mover than the value.
    pub fn set_not_best(&mut self, states: BigUint) -> Result<(), StoreError> {
        if self.manifest.as_ref().is_none_or(|manifest| manifest.not_best.as_ref() != Some(&states)) {
            self.grow()?.not_best = Some(states);
        }
        Ok(())
    }

    /// Records terminal states by layer and reward, except in a complete solution of an earlier version.
    pub fn set_ends(&mut self, ends: Vec<Vec<EndRecord>>) -> Result<(), StoreError> {
        let known = self.layers().iter().map(|layer| layer.ends.as_ref());
        let complete = !self.layers().is_empty() && self.layers().iter().all(|layer| layer.buckets.is_some());
        if complete || known.eq(ends.iter().map(Some)) {
            return Ok(());
        }
        let manifest = self.grow()?;
        assert_eq!(manifest.layers.len(), ends.len(), "ends of all layers");
        for (layer, ends) in manifest.layers.iter_mut().zip(ends) {
            layer.ends = Some(ends);
        }
        Ok(())
    }
}
