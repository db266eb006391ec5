//! Writing the file of a layer: header, packed diagram, SHA-256 of both.

use super::StoreError;
use super::atomic;
use super::checksum::{Summing, hex};
use super::header::{Header, Kind};
use super::manifest::FileRecord;
use crate::kernel::Packed;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// The name of a layer's file.
pub fn layer_name(layer: u32, kind: Kind) -> String {
    format!("layer-{layer:05}.{}", kind.name())
}

/// The name of the file with all states and their values after some rounds.
pub fn outcomes_name(rounds: u32) -> String {
    format!("settled-{rounds:05}.{}", Kind::Outcomes.name())
}

/// The name of the file with a digit of the rounds of the states settled after some rounds.
pub fn rounds_name(rounds: u32, place: u32) -> String {
    format!("settled-{rounds:05}-{place}.{}", Kind::Rounds.name())
}

/// Writes the file of a layer to a folder; it and the folder are still to be synced.
pub fn write_layer(folder: &Path, kind: Kind, layer: u32, diagram: &Packed) -> Result<(FileRecord, File), StoreError> {
    write_diagram(folder, layer_name(layer, kind), kind, layer, diagram)
}

/// Writes the file of a diagram to a folder; `layer`: the number in its header.
pub(super) fn write_diagram(
    folder: &Path,
    name: String,
    kind: Kind,
    layer: u32,
    diagram: &Packed,
) -> Result<(FileRecord, File), StoreError> {
    let header = Header { kind, layer, levels: diagram.levels(), root: diagram.root(), nodes: diagram.node_count() };
    atomic::write(&folder.join(&name), |file| {
        let mut output = Summing::new(file);
        output.write_all(&header.to_bytes())?;
        diagram.write_to(&mut output)?;
        let sum = output.sum();
        output.write_all(&sum)?;
        Ok((output.bytes(), hex(&output.sum())))
    })
    .map(|((bytes, sha256), file)| (FileRecord { name, bytes, sha256, nodes: diagram.node_count() }, file))
}
