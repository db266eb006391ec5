//! The file of the exact values that occur in a layer: a text between the header and the checksum.

use super::file::write_file;
use super::manifest::FileRecord;
use super::{Checksum, Header, Kind, StoreError, StoredFile, layer_name};
use base::scratch::Space;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Writes the file. `count`: the number of values. Neither the file nor the folder is synced.
pub(super) fn write_numbers(
    folder: &Path,
    space: &Space,
    layer: u32,
    text: &str,
    count: u64,
    id: Checksum,
) -> Result<(FileRecord, File), StoreError> {
    let name = layer_name(layer, Kind::Numbers);
    let header = Header { kind: Kind::Numbers, layer, levels: 0, root: 0, nodes: count, id: Some(id) };
    write_file(folder, space, name, header, |mut output| output.write_all(text.as_bytes()).map(|()| output))
}

/// Reads the text; its checksum must fit.
pub fn read_numbers(file: &StoredFile) -> Result<String, StoreError> {
    let file = file.open_checked()?;
    String::from_utf8(file.body().to_vec()).map_err(|_| file.damaged("not a text"))
}
