//! The layers from the forward to the backward pass: in memory while they take at most a share of it, otherwise in the
//! stored solution or, if nothing is stored, in an unnamed temporary file that vanishes with the run.

use super::SolveError;
use super::exact::Share;
use super::outcome::Bucket;
use super::scratch::{Diagrams, Slot};
use super::stored::{self, bucket_records};
use super::values::LayerValues;
use crate::store::manifest::LayerRecord;
use crate::store::{Archive, LayerFigures, Store, StoreError, Totals};
use base::limits::{Account, Limits};
use kernel::{Codes, Context, Diagram, Given};

enum Storage {
    Memory(Diagram),
    Scratch(Slot),
    Stored,
    /// The layer was not kept, or was taken.
    Gone,
}

pub struct Spool<'a> {
    storage: Vec<Storage>,
    figures: Vec<LayerFigures>,
    /// Bytes of nodes that may stay in memory; `None`: layers are not needed later.
    share: Option<u64>,
    held: u64,
    /// The bytes of the indices of layers in memory, and their account.
    index_bytes: u64,
    indices: Account,
    /// The first layer that may still be in memory.
    oldest: usize,
    scratch: Diagrams,
    store: Option<&'a mut Store>,
    context: &'a Context,
}

/// Divisor of the memory bound for layers that wait for the backward pass.
const SHARE: u64 = 4;

impl<'a> Spool<'a> {
    pub fn share(limits: &Limits) -> u64 {
        limits.memory() / SHARE
    }

    /// Starts with the layers of the store. `share`: bytes of nodes that may stay in memory; `None`: layers are not
    /// needed later.
    pub fn new(share: Option<u64>, store: Option<&'a mut Store>, context: &'a Context) -> Self {
        let records = store.as_ref().map_or(&[][..], |store| store.layers());
        let figures: Vec<LayerFigures> = records.iter().map(LayerRecord::figures).collect();
        let storage = figures.iter().map(|_| Storage::Stored).collect();
        let indices = Account::new(context.limits());
        Spool {
            storage,
            figures,
            share,
            held: 0,
            index_bytes: 0,
            indices,
            oldest: 0,
            scratch: Diagrams::default(),
            store,
            context,
        }
    }

    pub fn figures(&self) -> &[LayerFigures] {
        &self.figures
    }

    /// Whether layers can be read again.
    pub fn keeps(&self) -> bool {
        self.share.is_some() || self.store.is_some()
    }

    /// Removes all layers if some of them cannot be read again.
    pub fn keep_or_forget(&mut self) {
        if self.storage.iter().any(|storage| matches!(storage, Storage::Gone)) {
            self.storage.clear();
            self.figures.clear();
        }
    }

    /// `work`: of all steps so far, if it is measured.
    pub fn push(&mut self, layer: Diagram, figures: LayerFigures, work: Option<u64>) -> Result<(), SolveError> {
        if let Some(store) = &mut self.store {
            store.push_states(&layer, &figures, work, self.context)?;
        }
        self.figures.push(figures);
        let Some(share) = self.share else {
            self.storage.push(if self.store.is_some() { Storage::Stored } else { Storage::Gone });
            return Ok(());
        };
        self.held += bytes(&layer);
        self.index_bytes += layer.index_bytes();
        self.storage.push(Storage::Memory(layer));
        while self.oldest < self.storage.len() && (self.held > share || self.indices.set(self.index_bytes).is_err()) {
            if let Storage::Memory(layer) = &self.storage[self.oldest] {
                let (size, index) = (bytes(layer), layer.index_bytes());
                let moved = match &self.store {
                    Some(_) => Storage::Stored,
                    None => Storage::Scratch(self.scratch.push(layer, self.context)?),
                };
                self.storage[self.oldest] = moved;
                self.held -= size;
                self.index_bytes -= index;
            }
            self.oldest += 1;
        }
        Ok(self.indices.set(self.index_bytes)?)
    }

    pub fn layer(&mut self, layer: usize) -> Result<Given<'_>, SolveError> {
        if !matches!(self.storage[layer], Storage::Memory(_)) {
            return Ok(Given::UsedUp(self.read(layer)?));
        }
        match &self.storage[layer] {
            Storage::Memory(diagram) => Ok(Given::Kept(diagram)),
            _ => Err(gone(layer)),
        }
    }

    pub fn take(&mut self, layer: usize) -> Result<Diagram, SolveError> {
        if let Storage::Memory(_) = self.storage[layer]
            && let Storage::Memory(diagram) = std::mem::replace(&mut self.storage[layer], Storage::Gone)
        {
            self.held -= bytes(&diagram);
            self.index_bytes -= diagram.index_bytes();
            self.indices.shrink_to(self.index_bytes);
            return Ok(diagram);
        }
        self.read(layer)
    }

    fn read(&mut self, layer: usize) -> Result<Diagram, SolveError> {
        match (&self.storage[layer], &self.store) {
            (Storage::Scratch(slot), _) => self.scratch.read(slot, self.context.limits()),
            (_, Some(store)) => Ok(store.archive()?.states(layer, self.context.limits())?),
            _ => Err(gone(layer)),
        }
    }

    pub fn store(&mut self) -> Option<&mut Store> {
        self.store.as_deref_mut()
    }

    /// The totals of a complete forward pass, if the store has them.
    pub fn totals(&self) -> Option<Totals> {
        self.store.as_ref().and_then(|store| store.totals())
    }

    /// The work of the stored layers, if it was measured and not all layers are known.
    pub fn work(&self) -> Option<u64> {
        self.store.as_ref()?.manifest()?.work_ns
    }

    pub fn finish_forward(&mut self, totals: &Totals) -> Result<(), StoreError> {
        self.store.as_mut().map_or(Ok(()), |store| store.finish_forward(totals))
    }

    pub fn stored_buckets(&self) -> Vec<Option<Vec<Bucket>>> {
        let records = self.store.as_ref().map_or(&[][..], |store| store.layers());
        let mut buckets: Vec<Option<Vec<Bucket>>> = records
            .iter()
            .map(|record| record.buckets.as_ref().map(|buckets| stored::buckets(record, buckets)))
            .collect();
        buckets.resize(self.figures.len(), None);
        buckets
    }

    /// By layer: the numbers of states by exact value, if the values are stored.
    pub fn stored_shares(&self) -> Vec<Option<Vec<Share>>> {
        let records = self.store.as_ref().map_or(&[][..], |store| store.layers());
        let mut shares: Vec<_> = records.iter().map(stored::shares).collect();
        shares.resize(self.figures.len(), None);
        shares
    }

    pub fn into_store(self) -> Option<&'a mut Store> {
        self.store
    }

    pub fn is_stored(&self) -> bool {
        self.store.is_some()
    }

    /// The stored layers. It is an error if nothing is stored.
    pub fn archive(&self) -> Result<Archive<'_>, SolveError> {
        let store = self.store.as_ref().ok_or_else(|| SolveError::Storage("no layers are stored".to_owned()))?;
        Ok(store.archive()?)
    }

    /// Bytes of the files of a layer's states and, if they are stored, of its values.
    pub fn file_bytes(&self, layer: usize) -> (u64, Option<u64>) {
        let record = self.store.as_ref().and_then(|store| store.layers().get(layer));
        record
            .map_or((0, None), |record| (record.states_file.bytes, record.values_file.as_ref().map(|file| file.bytes)))
    }

    /// Stores the values of a layer, if anything is stored.
    pub fn push_values(
        &mut self,
        index: usize,
        layer: &Diagram,
        values: &mut LayerValues,
        buckets: &[Bucket],
    ) -> Result<(), StoreError> {
        let Some(store) = &mut self.store else { return Ok(()) };
        let buckets = bucket_records(buckets);
        match values {
            LayerValues::Diagram(values) => store.push_values(index, values, buckets, self.context),
            LayerValues::Ranked(values) => {
                store.push_ranked_values(index, layer, &mut Codes::new(values), buckets, self.context)
            }
            LayerValues::Listed(values) => {
                let drawn = values.drawn().expect("values are drawn before they are stored");
                store.push_values(index, drawn, buckets, self.context)
            }
            LayerValues::Shared(values) => store.push_ranked_values(index, layer, values, buckets, self.context),
        }
    }
}

fn gone(layer: usize) -> SolveError {
    SolveError::Storage(format!("layer {layer} is gone"))
}

/// Bytes of a layer. With many levels and few nodes, most of them are its index.
fn bytes(layer: &Diagram) -> u64 {
    8 * layer.node_count() + layer.index_bytes()
}
