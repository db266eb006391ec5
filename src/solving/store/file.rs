//! Writes the file of a layer: header, packed diagram, SHA-256 of both.

use super::atomic;
use super::checksum::{Summing, hex};
use super::header::{Header, Kind};
use super::manifest::FileRecord;
use super::{Checksum, StoreError};
use base::scratch::Space;
use kernel::Packed;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

pub fn layer_name(layer: u32, kind: Kind) -> String {
    format!("layer-{layer:05}.{}", kind.name())
}

/// The file with all states and their values after some rounds.
pub fn outcomes_name(rounds: u32) -> String {
    format!("settled-{rounds:05}.{}", Kind::Outcomes.name())
}

/// The file with one digit of the rounds in which states were settled, after some rounds.
pub fn rounds_name(rounds: u32, place: u32) -> String {
    format!("settled-{rounds:05}-{place}.{}", Kind::Rounds.name())
}

/// The file with the plies to the end of the states settled after some rounds.
pub fn plies_name(rounds: u32) -> String {
    format!("settled-{rounds:05}.{}", Kind::Plies.name())
}

/// Writes the file of a layer. Neither the file nor the folder is synced. `id`: see
/// [`Manifest::file_id`](super::Manifest::file_id).
#[cfg(test)]
pub fn write_layer(
    folder: &Path,
    kind: Kind,
    layer: u32,
    diagram: &Packed,
    id: Checksum,
) -> Result<(FileRecord, File), StoreError> {
    write_diagram(folder, &Space::unbounded(), layer_name(layer, kind), kind, layer, diagram, id)
}

/// Writes the file of a diagram. `layer`: the number in the header.
pub(super) fn write_diagram(
    folder: &Path,
    space: &Space,
    name: String,
    kind: Kind,
    layer: u32,
    diagram: &Packed,
    id: Checksum,
) -> Result<(FileRecord, File), StoreError> {
    let (levels, root, nodes) = (diagram.levels(), diagram.root(), diagram.node_count());
    let header = Header { kind, layer, levels, root, nodes, id: Some(id) };
    write_file(folder, space, name, header, |mut output| diagram.write_to(&mut output).map(|()| output))
}

pub(super) type Summed<'a, 's> = Summing<&'a mut atomic::Output<'s>>;

/// Writes header, output of `fill`, and the checksum of both. Neither the file nor the folder is synced.
pub(super) fn write_file(
    folder: &Path,
    space: &Space,
    name: String,
    header: Header,
    fill: impl for<'a, 's> FnOnce(Summed<'a, 's>) -> io::Result<Summed<'a, 's>>,
) -> Result<(FileRecord, File), StoreError> {
    let written = atomic::write(&folder.join(&name), space, |file| {
        let mut output = Summing::new(file);
        output.write_all(&header.to_bytes())?;
        let mut output = fill(output)?;
        let sum = output.sum();
        output.write_all(&sum)?;
        Ok((output.bytes(), hex(&output.sum())))
    });
    written.map(|((bytes, sha256), file)| (FileRecord { name, bytes, sha256, nodes: header.nodes }, file))
}
