//! Adds values of layers, in any of three forms, to a solution that is being written.

use super::manifest::{BucketRecord, FileRecord, LayerRecord, NoValueRecord, Progress, ShareRecord};
use super::numbers::write_numbers;
use super::ranked::{RankedBlocks, write_ranked};
use super::{Kind, Store, StoreError, folder};
use kernel::{Context, Diagram};

pub struct ExactLayer<'a> {
    /// By rank, the number of the line of `text` with the state's value, from 1 on.
    pub codes: &'a mut dyn RankedBlocks,
    /// The values that occur, one per line.
    pub text: String,
    pub shares: Vec<ShareRecord>,
}

impl Store {
    /// Adds the values of a layer; layers come from the last to the first. Values are durable after the next save.
    pub fn push_values(
        &mut self,
        layer: usize,
        values: &Diagram,
        buckets: Vec<BucketRecord>,
        context: &Context,
    ) -> Result<(), StoreError> {
        let values_file = self.write(Kind::Values, layer as u32, values, context)?;
        self.add_values(layer, values_file, buckets)
    }

    /// As [`Store::push_values`], for values by the rank of the layer's states.
    pub fn push_ranked_values(
        &mut self,
        layer: usize,
        states: &Diagram,
        values: &mut dyn RankedBlocks,
        buckets: Vec<BucketRecord>,
        context: &Context,
    ) -> Result<(), StoreError> {
        let values_file = self.write_by_rank(layer, states, values, context)?;
        self.add_values(layer, values_file, buckets)
    }

    fn write_by_rank(
        &mut self,
        layer: usize,
        states: &Diagram,
        values: &mut dyn RankedBlocks,
        context: &Context,
    ) -> Result<FileRecord, StoreError> {
        let counts = states.pack_counts(context)?;
        let id = self.new_file_id(Kind::Ranked)?;
        let (record, file) = write_ranked(&self.folder, &self.space, layer as u32, &counts, values, id, context)?;
        self.unsynced.push(file);
        Ok(record)
    }

    pub fn push_exact_values(
        &mut self,
        layer: usize,
        states: &Diagram,
        values: ExactLayer,
        context: &Context,
    ) -> Result<(), StoreError> {
        let ExactLayer { codes, text, shares } = values;
        let values_file = self.write_by_rank(layer, states, codes, context)?;
        let id = self.new_file_id(Kind::Numbers)?;
        let (numbers_file, file) =
            write_numbers(&self.folder, &self.space, layer as u32, &text, text.lines().count() as u64, id)?;
        self.unsynced.push(file);
        let of_layer = |record: &mut LayerRecord| {
            (record.values_file, record.numbers_file) = (Some(values_file), Some(numbers_file));
            record.shares = Some(shares);
        };
        self.add_to_layer(layer, of_layer)
    }

    fn add_values(
        &mut self,
        layer: usize,
        values_file: FileRecord,
        buckets: Vec<BucketRecord>,
    ) -> Result<(), StoreError> {
        self.add_to_layer(layer, |record| {
            record.values_file = Some(values_file);
            record.buckets = Some(buckets);
        })
    }

    fn add_to_layer(&mut self, layer: usize, add: impl FnOnce(&mut LayerRecord)) -> Result<(), StoreError> {
        let manifest = self.grow()?;
        add(manifest.layers.get_mut(layer).expect("the states of a layer come before its values"));
        if layer == 0 {
            manifest.phase = Progress::Complete;
            return Ok(());
        }
        self.save_if_due()
    }

    /// Removes all values. What remains is a solution that counts states or, with `no_value`, has guarantees only.
    pub fn drop_values(&mut self, no_value: Option<NoValueRecord>) -> Result<(), StoreError> {
        let manifest = self.grow()?;
        (manifest.opponent_model, manifest.phase, manifest.no_value) = (None, Progress::Backward, no_value);
        for layer in &mut manifest.layers {
            (layer.values_file, layer.numbers_file) = (None, None);
            (layer.buckets, layer.shares) = (None, None);
        }
        self.save()?;
        folder::remove_leftovers(&self.folder, self.manifest.as_ref()).map(drop)
    }
}
